"""Draw a quantity over two axes: heat maps with contours."""

import numpy as np

from ..errors import DomainError
from ..notation import label
from .canvas import styled
from .scales import edges, finite, is_geometric, set_scale, spans_decades
from .style import FIELD, foreground

__all__ = ["colour_scale", "draw_field", "draw_scale", "say_hatched"]

#: approximate number of contour levels
_LEVELS = 6
#: hatch of points without a value
_HATCH = "////"


def colour_scale(values):
    """Return the map from values to colours: logarithmic if the values span decades."""
    from matplotlib.colors import LogNorm, Normalize

    known = finite(values)
    if not known.size:
        raise DomainError("plot: no point converged; there is nothing to draw")
    low, high = known.min(), known.max()
    if low == high:
        low, high = low - 0.5 * (abs(low) or 1.0), high + 0.5 * (abs(high) or 1.0)
        return Normalize(low, high)
    return (LogNorm if spans_decades(known) else Normalize)(low, high)


def draw_field(ax, axes, values, norm, **style):
    """Draw values on a grid, with contours; points without a value are hatched.

    Parameters
    ----------
    ax : matplotlib axes
    axes : dict of str to ndarray
        Two axes, the horizontal one first.
    values : ndarray
        NaN for a missing value.
    norm : matplotlib norm
        The result of :func:`colour_scale`.
    **style
        Passed to matplotlib.

    Returns
    -------
    The coloured cells.
    """
    (x_name, x), (y_name, y) = ((n, np.asarray(a, float)) for n, a in axes.items())
    for name, a in ((x_name, x), (y_name, y)):
        if np.isinf(a).any() or np.unique(a).size < a.size:
            raise DomainError(f"plot: {name} is infinite at a point, or has a value twice; choose others by sel()")
    x_order, y_order = np.argsort(x), np.argsort(y)
    x, y, values = x[x_order], y[y_order], values[np.ix_(x_order, y_order)]
    is_log = is_geometric(x), is_geometric(y)
    shown = np.ma.masked_invalid(values.T)
    for which, at, log in zip("xy", (x, y), is_log):
        set_scale(ax, which, log, at)
    with styled(style):
        cells = ax.pcolormesh(edges(x, is_log[0]), edges(y, is_log[1]), shown,
                              **{"norm": norm, "cmap": FIELD, "rasterized": True, **style})
    ax.grid(False)
    ax.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]), xlabel=label(x_name), ylabel=label(y_name))
    if min(x.size, y.size) > 2:
        _contours(ax, x, y, shown, norm)
    if shown.mask.any():
        ax.patch.set(hatch=_HATCH, edgecolor=foreground(), linewidth=0.0)
    return cells


def draw_scale(axes, cells, name, values):
    """Draw the colour bar."""
    bar = np.ravel(axes)[0].figure.colorbar(cells, ax=axes, pad=0.02)
    set_scale(bar.ax, "y", type(cells.norm).__name__ == "LogNorm", values)
    bar.set_label(name)
    return bar


def _contours(ax, x, y, values, norm):
    """Draw lines of equal value, light on dark and dark on light."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    low, high = norm.vmin, norm.vmax
    if type(norm).__name__ == "LogNorm":
        decades = np.log10(high / low)
        steps = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0) if decades < 1.5 else (1.0, 2.0, 5.0) if decades < 3.0 else (1.0,)
        levels = LogLocator(subs=steps, numticks=20).tick_values(low, high)
    else:
        levels = MaxNLocator(_LEVELS).tick_values(low, high)
    levels = [v for v in levels if low < v < high]
    if not levels:
        return
    inks = ["white" if norm(v) < 0.6 else "black" for v in levels]
    lines = ax.contour(x, y, values, levels=levels, colors=inks, linewidths=0.9)
    lines.set_linestyle("-")
    ax.clabel(lines, fmt=lambda v: f"{v:.3g}", fontsize=8)



def say_hatched(panels):
    """Explain hatched points in a legend, if there are any."""
    from matplotlib.patches import Patch

    if not any(p.patch.get_hatch() for p in panels):
        return
    what = {"handles": [Patch(hatch=_HATCH, edgecolor=foreground(), facecolor="none", label="not converged")],
            "frameon": False, "fontsize": 9}
    if len(panels) == 1:
        panels[0].legend(**what, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2)
    else:
        figure = panels[0].figure
        is_fitted = figure.get_layout_engine() is not None
        figure.legend(**what, loc="outside upper left" if is_fitted else "upper left")
