"""Axes and the style of all plots: colours that the colour-blind can distinguish, lines, markers, scales and ticks.

Dark or light elements (text, frame, background) follow matplotlib's settings, so that a dark notebook gets a dark
picture; the colours here contrast with black and with white.  Axes are new ones, or those that were given.
"""

import re
from collections.abc import Iterable
from contextlib import contextmanager
from importlib import import_module

import numpy as np

from ..errors import AsympkitError, DomainError, NotAvailableError, UnknownNameError, suggest

#: blue, vermilion, green, purple, orange, sky (Okabe and Ito)
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
LINES = ("-", (0, (5, 1.6)), (0, (1, 1.2)), (0, (7, 1.5, 1.2, 1.5)), (0, (3, 1, 1, 1, 1, 1)), (0, (10, 2.5)))
MARKERS = ("o", "s", "^", "D", "v", "P")
#: a larger family has a colour bar: its members cannot all have their own line style
FEW = len(COLOURS)
#: colours of heat maps and of large families: from dark to light, also in grey
FIELD = "viridis"
#: the quantity that is drawn by default
USUAL = "test_error"
#: width and height of a picture with one pair of axes, in inches
SIZE = (5.4, 3.7)


def settings(rc):
    """Return the settings of matplotlib while axes are made, beside the user's own."""
    return {"axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
            "grid.color": rc["text.color"], "grid.alpha": 0.15, "grid.linewidth": 0.6, "font.size": 10.5,
            "axes.labelsize": 11.5, "xtick.labelsize": 9.5, "ytick.labelsize": 9.5}


def foreground():
    """Return the colour of text."""
    return pyplot().rcParams["text.color"]


def faint(share):
    """Return the colour of text, mixed into the background."""
    to_rgb, settings = matplotlib_module("colors").to_rgb, pyplot().rcParams
    ink, paper = (np.array(to_rgb(settings[k])) for k in ("text.color", "axes.facecolor"))
    return tuple(share * ink + (1.0 - share) * paper)


def family(count):
    """Return colour, line and marker of each of several curves."""
    if count <= FEW:
        return [{"color": c, "linestyle": l, "marker": m} for c, l, m in list(zip(COLOURS, LINES, MARKERS))[:count]]
    shades = pyplot().get_cmap(FIELD)(np.linspace(0.12, 0.88, count))
    return [{"color": tuple(map(float, c)), "linestyle": "-", "marker": "o"} for c in shades]


#: dots per inch of a picture in a file
_DPI = 200
#: height of each panel, relative to the first
_BELOW = 0.36


def matplotlib_module(name):
    """Return a module of matplotlib, or raise an error that says what to install."""
    try:
        return import_module(f"matplotlib.{name}")
    except ImportError as error:
        raise NotAvailableError("plot: matplotlib is not installed; install asympkit[plot]") from error


def pyplot():
    """Return matplotlib.pyplot."""
    return matplotlib_module("pyplot")


def one_axes(ax):
    """Return the axes that were given, or new ones."""
    if ax is not None:
        return check_axes(ax)
    return grid_of_axes(None, 1, 1)[0, 0]


def check_axes(ax):
    """Return the axes that were given, or raise a DomainError."""
    if not isinstance(ax, matplotlib_module("axes").Axes):
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


def stack_panels(ax, below=_BELOW, count=2):
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
def explain_style_error(style):
    """Turn an error of matplotlib about the user's style into one that names the argument."""
    try:
        yield
    except AsympkitError:
        raise
    except Exception as error:          # its type depends on what is drawn
        text = str(error)
        wrong = {n: v for n, v in style.items() if re.search(rf"\b{re.escape(n)}\b", text)} \
            or {n: v for n, v in style.items() if str(v) in text} or style
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


#: a quantity that varies by this factor is drawn on a logarithmic scale
_DECADES = 12.0


def finite(values):
    """Return the finite values, as a flat array."""
    values = np.asarray(values, dtype=float).ravel()
    return values[np.isfinite(values)]


def spans_decades(values):
    """Return whether values are positive and so different that a linear scale would hide the small ones."""
    known = finite(values)
    return bool(known.size and known.min() > 0.0 and known.max() / known.min() >= _DECADES)


def is_geometric(x):
    """Return whether the points of an axis are spread evenly over decades, rather than evenly."""
    x = np.sort(finite(x))
    if x.size < 2 or x[0] <= 0.0 or x[-1] / x[0] < 5.0:
        return False
    if x.size == 2:
        return bool(x[-1] / x[0] > 100.0)
    return bool(np.ptp(np.diff(np.log(x))) / np.log(x[-1] / x[0]) < np.ptp(np.diff(x)) / (x[-1] - x[0]))


def set_scale(ax, which, is_log, values):
    """Make the x or y axis of axes linear or logarithmic, with readable ticks."""
    ticker, axis = matplotlib_module("ticker"), ax.xaxis if which == "x" else ax.yaxis
    (ax.set_xscale if which == "x" else ax.set_yscale)("log" if is_log else "linear")
    known = finite(values)
    if not is_log or not known.size:
        return
    decades = np.log10(known.max() / known.min())
    if decades < 2.5:                       # powers of ten alone would be too few
        steps = (1.0, 2.0, 5.0) if decades > 0.8 else (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
        axis.set_major_locator(ticker.LogLocator(subs=steps, numticks=20))
        axis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:g}"))
    axis.set_minor_formatter(ticker.NullFormatter())


def edges(x, is_log):
    """Return borders of cells around the points of an axis; the outermost end at the first and last point."""
    at = np.log(x) if is_log else x
    found = np.concatenate([at[:1], 0.5 * (at[1:] + at[:-1]), at[-1:]])
    return np.exp(found) if is_log else found


def number(value):
    """Return a number as a short text."""
    return r"$\infty$" if value == np.inf else f"{value:.3g}"


def panels_of(draw, names, ax):
    """Draw several quantities, each with ``draw(name, ax)`` on axes of its own below one another."""
    panels = grid_of_axes(ax, len(names), 1)[:, 0]
    for name, panel in zip(names, panels):
        draw(name, panel)
    return panels


def check_quantity(name, known):
    """Raise an UnknownNameError for a quantity, other than None, that is not known."""
    if name is not None and name not in known:
        raise UnknownNameError(f"plot: no quantity {name!r:.60}{suggest(str(name), known)}; known are "
                               f"{', '.join(known)}")


def quantity_names(names):
    """Return names of quantities, from one name or several."""
    if isinstance(names, str):
        return [names]
    found = list(names) if isinstance(names, Iterable) else [None]
    if not all(isinstance(n, str) for n in found):
        raise DomainError(f"plot: got {names!r:.60}; expected the name of a quantity, or a list of names")
    if not found:
        raise DomainError("plot: got no quantity; expected the name of one, or a list of names")
    return found
