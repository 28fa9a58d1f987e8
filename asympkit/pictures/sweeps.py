"""Draw sweeps: curves over one axis, heat maps over two, small multiples over three."""

import numpy as np

from ..errors import DomainError
from ..notation import label
from .canvas import grid_of_axes, one_axes
from .curves import Curve, draw_curves, members
from .fields import colour_scale, draw_field, draw_scale, say_hatched
from .names import quantity_names
from .scales import number
from .style import SIZE, USUAL

__all__ = ["draw_sweep"]

#: largest number of panels of one picture
_PANELS = 12


def draw_sweep(sweep, names, over, ax, style):
    """Draw as :meth:`asympkit.sweep.Sweep.plot` describes."""
    if names is None:
        names = USUAL if USUAL in sweep.names else sweep.names[0]
    many, names = not isinstance(names, str), quantity_names(names)
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
    curves = members(others[0], axes[others[0]], rows)
    return draw_curves(ax, over, axes[over], curves, y_name, by=others[0], **style)


def _fields(axes, names, values, ax, style, many):
    """Draw a heat map for each quantity, side by side."""
    panels = grid_of_axes(ax, 1, len(names), (SIZE[0] * len(names), SIZE[1]))[0] if many else [one_axes(ax)]
    for panel, name, v in zip(panels, names, values):
        draw_scale(panel, draw_field(panel, axes, v, colour_scale(v), **style), label(name), v)
    say_hatched(panels)
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
    panels = grid_of_axes(ax, rows, columns, (2.7 * columns + 0.9, 2.5 * rows + 0.3), sharex=True,
                          sharey=True) if ax is None or np.size(ax) == rows * columns else \
        grid_of_axes(ax, 1, steps.size)
    panels, norm, v = panels.ravel(), colour_scale(values[0]), values[0]
    for panel, step, part in zip(panels, steps, v):
        cells = draw_field(panel, dict(rest), part, norm, **style)
        panel.set_title(f"{label(first)} = {number(step)}", fontsize=10.5)
    for unused in panels[steps.size:]:
        unused.set_visible(False)
    for k, panel in enumerate(panels[:steps.size]):
        _only_outer_labels(panel, k, columns, steps.size)
    say_hatched(panels[:steps.size])
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
