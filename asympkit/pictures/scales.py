"""Choose linear or logarithmic scales, their limits and ticks."""

import numpy as np

__all__ = ["edges", "finite", "is_geometric", "number", "spans_decades", "set_scale"]

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
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis = ax.xaxis if which == "x" else ax.yaxis
    (ax.set_xscale if which == "x" else ax.set_yscale)("log" if is_log else "linear")
    known = finite(values)
    if not is_log or not known.size:
        return
    decades = np.log10(known.max() / known.min())
    if decades < 2.5:                       # powers of ten alone would be too few
        steps = (1.0, 2.0, 5.0) if decades > 0.8 else (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
        axis.set_major_locator(LogLocator(subs=steps, numticks=20))
        axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axis.set_minor_formatter(NullFormatter())


def edges(x, is_log):
    """Return borders of cells around the points of an axis; the outermost end at the first and last point."""
    at = np.log(x) if is_log else x
    found = np.concatenate([at[:1], 0.5 * (at[1:] + at[:-1]), at[-1:]])
    return np.exp(found) if is_log else found


def number(value):
    """Return a number as a short text."""
    return r"$\infty$" if value == np.inf else f"{value:.3g}"
