"""Draw sweeps: curves over one axis, heat maps with contours over two, small multiples over three."""

import numpy as np

from ..errors import DomainError
from ..notation import label
from . import canvas
from .curves import Curve, draw_curves, expand_family

#: approximate number of contour levels
_LEVELS = 6
#: hatch of points without a value
_HATCH = "////"


def colour_scale(values):
    """Return the map from values to colours: logarithmic if the values span decades."""
    colors, known = canvas.matplotlib_module("colors"), canvas.finite(values)
    if not known.size:
        raise DomainError("plot: no point converged; there is nothing to draw")
    low, high = known.min(), known.max()
    if low == high:
        low, high = low - 0.5 * (abs(low) or 1.0), high + 0.5 * (abs(high) or 1.0)
        return colors.Normalize(low, high)
    return (colors.LogNorm if canvas.spans_decades(known) else colors.Normalize)(low, high)


def draw_field(ax, axes, values, norm, **style):
    """Draw values on a grid, with contours; points without a value (NaN) are hatched.  Return the coloured cells.

    ``axes`` maps two names to arrays, the horizontal axis first; ``norm`` comes from :func:`colour_scale`.
    """
    (x_name, x), (y_name, y) = ((n, np.asarray(a, float)) for n, a in axes.items())
    for name, a in ((x_name, x), (y_name, y)):
        if np.isinf(a).any() or np.unique(a).size < a.size:
            raise DomainError(f"plot: {name} is infinite at a point, or has a value twice; choose others by sel()")
    x_order, y_order = np.argsort(x), np.argsort(y)
    x, y, values = x[x_order], y[y_order], values[np.ix_(x_order, y_order)]
    is_log = canvas.is_geometric(x), canvas.is_geometric(y)
    shown = np.ma.masked_invalid(values.T)
    for which, at, log in zip("xy", (x, y), is_log):
        canvas.set_scale(ax, which, log, at)
    with canvas.explain_style_error(style):
        cells = ax.pcolormesh(canvas.edges(x, is_log[0]), canvas.edges(y, is_log[1]), shown,
                              **{"norm": norm, "cmap": canvas.FIELD, "rasterized": True, **style})
    ax.grid(False)
    ax.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]), xlabel=label(x_name), ylabel=label(y_name))
    if min(x.size, y.size) > 2:
        _contours(ax, x, y, shown, norm)
    if shown.mask.any():
        ax.patch.set(hatch=_HATCH, edgecolor=canvas.foreground(), linewidth=0.0)
    return cells


def draw_scale(axes, cells, name, values):
    """Draw the colour bar."""
    bar = np.ravel(axes)[0].figure.colorbar(cells, ax=axes, pad=0.02)
    canvas.set_scale(bar.ax, "y", type(cells.norm).__name__ == "LogNorm", values)
    bar.set_label(name)
    return bar


def _contours(ax, x, y, values, norm):
    """Draw lines of equal value, light on dark and dark on light."""
    ticker, low, high = canvas.matplotlib_module("ticker"), norm.vmin, norm.vmax
    if type(norm).__name__ == "LogNorm":
        decades = np.log10(high / low)
        steps = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0) if decades < 1.5 else (1.0, 2.0, 5.0) if decades < 3.0 else (1.0,)
        levels = ticker.LogLocator(subs=steps, numticks=20).tick_values(low, high)
    else:
        levels = ticker.MaxNLocator(_LEVELS).tick_values(low, high)
    levels = [v for v in levels if low < v < high]
    if not levels:
        return
    inks = ["white" if norm(v) < 0.6 else "black" for v in levels]
    lines = ax.contour(x, y, values, levels=levels, colors=inks, linewidths=0.9)
    lines.set_linestyle("-")
    ax.clabel(lines, fmt=lambda v: f"{v:.3g}", fontsize=8)


def explain_hatching(panels):
    """Explain hatched points in a legend, if there are any."""
    if not any(p.patch.get_hatch() for p in panels):
        return
    patch = canvas.matplotlib_module("patches").Patch(hatch=_HATCH, edgecolor=canvas.foreground(), facecolor="none",
                                                      label="not converged")
    what = {"handles": [patch], "frameon": False, "fontsize": 9}
    if len(panels) == 1:
        panels[0].legend(**what, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2)
    else:
        figure = panels[0].figure
        is_fitted = figure.get_layout_engine() is not None
        figure.legend(**what, loc="outside upper left" if is_fitted else "upper left")


#: largest number of panels of one picture
_PANELS = 12


def draw_sweep(sweep, names, over, ax, style):
    """Draw as :meth:`asympkit.sweep.Sweep.plot` describes."""
    if names is None:
        names = canvas.USUAL if canvas.USUAL in sweep.names else sweep.names[0]
    many, names = not isinstance(names, str), canvas.quantity_names(names)
    values = [sweep[n] for n in names]
    long = {n: np.asarray(a) for n, a in sweep.axes.items() if a.size > 1} or dict([*sweep.axes.items()][:1])
    values = [np.asarray(v).reshape([a.size for a in long.values()]) for v in values]
    if over is not None:
        return _curves(long, names, values, _known(over, long), ax, style)
    if len(long) == 1:
        return _curves(long, names, values, next(iter(long)), ax, style)
    if len(long) == 2:
        return _fields(long, names, values, ax, style, many)
    if len(long) == 3:
        return _multiples(long, names, values, ax, style)
    if not long:
        raise DomainError("plot: the sweep has no axis left; there is nothing to draw along")
    raise DomainError(f"plot: the sweep has {len(long)} axes, {', '.join(long)}; expected up to three: fix the others "
                      "by sel(), as in sweep.sel(name=value).plot()")


def _known(over, axes):
    if over not in axes:
        raise DomainError(f"plot: over: got {over!r}; expected one of the axes {', '.join(axes)}")
    return over


def _curves(axes, names, values, over, ax, style):
    """Draw curves over one axis: of several quantities, or a family along another axis."""
    others = [n for n in axes if n != over]
    if len(others) + (len(names) > 1) > 1:
        what = f"{len(names)} quantities and " if len(names) > 1 else ""
        raise DomainError(f"plot: {what}the axes {', '.join(others)} beside {over} are too many for curves; choose one "
                          "quantity, or fix axes by sel()")
    y_name = label(names[0]) if len(names) == 1 else ""
    if not others:
        curves = [Curve(v, label(n) if len(names) > 1 else "") for n, v in zip(names, values)]
        return draw_curves(ax, over, axes[over], curves, y_name, **style)
    rows = np.moveaxis(values[0], list(axes).index(over), -1)
    curves = expand_family(others[0], axes[others[0]], rows)
    return draw_curves(ax, over, axes[over], curves, y_name, by=others[0], **style)


def _fields(axes, names, values, ax, style, many):
    """Draw a heat map for each quantity, side by side."""
    size = canvas.SIZE[0] * len(names), canvas.SIZE[1]
    panels = canvas.grid_of_axes(ax, 1, len(names), size)[0] if many else [canvas.one_axes(ax)]
    for panel, name, v in zip(panels, names, values):
        draw_scale(panel, draw_field(panel, axes, v, colour_scale(v), **style), label(name), v)
    explain_hatching(panels)
    return np.array(panels, dtype=object) if many else panels[0]


def _multiples(axes, names, values, ax, style):
    """Draw a heat map for each value of the first axis, with one colour scale."""
    if len(names) > 1:
        raise DomainError(f"plot: got {len(names)} quantities of three axes; expected one")
    (first, steps), *rest = axes.items()
    if steps.size > _PANELS:
        raise DomainError(f"plot: {first} has {steps.size} values, and each has a panel of its own; expected up to "
                          f"{_PANELS}: choose some by sel({first}=[...])")
    columns = 2 if steps.size in (2, 4) else 3 if steps.size < 10 else 4
    rows = -(-steps.size // columns)
    if ax is None or np.size(ax) == rows * columns:
        size = 2.7 * columns + 0.9, 2.5 * rows + 0.3
        panels = canvas.grid_of_axes(ax, rows, columns, size, sharex=True, sharey=True)
    else:
        panels = canvas.grid_of_axes(ax, 1, steps.size)
    panels, norm, v = panels.ravel(), colour_scale(values[0]), values[0]
    for panel, step, part in zip(panels, steps, v):
        cells = draw_field(panel, dict(rest), part, norm, **style)
        panel.set_title(f"{label(first)} = {canvas.number(step)}", fontsize=10.5)
    for unused in panels[steps.size:]:
        unused.set_visible(False)
    for k, panel in enumerate(panels[:steps.size]):
        _only_outer_labels(panel, k, columns, steps.size)
    explain_hatching(panels[:steps.size])
    draw_scale(panels[:steps.size], cells, label(names[0]), v)
    return panels[:steps.size]


def _only_outer_labels(panel, k, columns, count):
    """Keep axis labels at the left and at the bottom only."""
    if k % columns:
        panel.set_ylabel("")
    if k + columns < count:
        panel.set_xlabel("")
    else:
        panel.tick_params(labelbottom=True)
