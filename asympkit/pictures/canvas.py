"""Provide axes: new ones in the style of the package, or those that were given."""

import re
from contextlib import contextmanager

import numpy as np

from ..errors import AsympkitError, DomainError, NotAvailableError
from .style import SIZE, settings

__all__ = ["check_axes", "grid_of_axes", "one_axes", "pyplot", "save", "stacked", "styled"]

#: dots per inch of a picture in a file
_DPI = 200
#: height of each panel, relative to the first
_BELOW = 0.36


def pyplot():
    """Return matplotlib.pyplot, or raise an error that says what to install."""
    try:
        import matplotlib.pyplot
    except ImportError as error:
        raise NotAvailableError("plot: matplotlib is not installed; install asympkit[plot]") from error
    return matplotlib.pyplot


def one_axes(ax):
    """Return the axes that were given, or new ones."""
    if ax is not None:
        return check_axes(ax)
    return grid_of_axes(None, 1, 1)[0, 0]


def check_axes(ax):
    """Return the axes that were given, or raise a DomainError."""
    pyplot()
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise DomainError(f"ax: got an object of {type(ax).__name__}; expected axes of matplotlib, such as those of "
                          "plt.subplots()")
    return ax


def grid_of_axes(ax, rows, columns, size=None, **how):
    """Return an array of axes, of shape (rows, columns): new ones, or as many as were given."""
    if ax is None:
        plt = pyplot()
        width, height = size or SIZE
        with plt.rc_context(settings(plt.rcParams)):
            figure = plt.figure(figsize=(width, height), layout="constrained")
            return figure.subplots(rows, columns, squeeze=False, **how)
    given = np.atleast_1d(np.asarray(ax, dtype=object))
    if given.size != rows * columns:
        raise DomainError(f"ax: got {given.size} axes; expected {rows * columns}, one for each panel")
    return np.array([check_axes(a) for a in given.flat], dtype=object).reshape(rows, columns)


def stacked(ax, below=_BELOW, count=2):
    """Return panels over one x axis: those given, or new ones, or (two of them) the given axes divided."""
    if ax is None or count > 2:
        size = SIZE[0], SIZE[1] * (1.25 + 0.5 * (count - 2))
        new = {"sharex": True, "height_ratios": [1, *[below] * (count - 1)]} if ax is None else {}
        return tuple(grid_of_axes(ax, count, 1, size, **new)[:, 0])
    if np.size(ax) == 2:
        return tuple(grid_of_axes(ax, 2, 1)[:, 0])
    upper = check_axes(ax)
    figure, spec = upper.figure, upper.get_subplotspec()
    if spec is None:
        box, share = upper.get_position(), below / (1 + below)
        lower = figure.add_axes((box.x0, box.y0, box.width, 0.9 * share * box.height), sharex=upper)
        upper.set_position((box.x0, box.y0 + share * box.height, box.width, (1 - share) * box.height))
    else:
        parts = spec.subgridspec(2, 1, height_ratios=[1, below], hspace=0.08)
        upper.set_subplotspec(parts[0])
        lower = figure.add_subplot(parts[1], sharex=upper)
    upper.tick_params(labelbottom=False)
    return upper, lower


@contextmanager
def styled(style):
    """Turn an error of matplotlib about the user's style into one that names the argument."""
    try:
        yield
    except AsympkitError:
        raise
    except Exception as error:          # its type depends on what is drawn
        said = str(error)
        wrong = {n: v for n, v in style.items() if re.search(rf"\b{re.escape(n)}\b", said)} \
            or {n: v for n, v in style.items() if str(v) in said} or style
        if not wrong:
            raise
        given = ", ".join(f"{n}={v!r:.60}" for n, v in wrong.items())
        raise DomainError(f"plot: got {given}; expected arguments that matplotlib draws with ({error})") from error


def save(axes, path):
    """Write the figure of some axes to a file and close it."""
    figure = np.ravel(np.asarray(axes, dtype=object))[0].figure
    try:
        figure.savefig(path, dpi=_DPI)
    except ValueError as error:
        raise DomainError(f"plot: got the file name {str(path)!r}; expected one that ends in .png, .pdf or .svg "
                          f"({error})") from error
    finally:
        pyplot().close(figure)
