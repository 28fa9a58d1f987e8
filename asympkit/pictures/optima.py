"""Pictures of optima: the best value, and below it where it is taken."""

import numpy as np

from ..errors import DomainError
from ..notation import label
from .canvas import grid_of_axes, stacked
from .curves import Curve, draw_curves, members
from .scales import set_scale, spans_decades
from .style import SIZE, faint, family

__all__ = ["draw_optima"]


def draw_optima(found, over, ax, style):
    """See :meth:`asympkit.minimize.result.Extremum.plot`."""
    x_name, x, by, steps, place = _axes(found, over)
    lower = found.places
    if len(lower) == 1:
        panels = np.array(stacked(ax, 1.0), dtype=object)
    else:
        count = 1 + len(lower)
        panels = grid_of_axes(ax, count, 1, (SIZE[0], 0.6 * count * SIZE[1]), sharex=True)[:, 0]
    shown = {f"{found.kind} {label(found.quantity)}": found.value, **{f"best {label(n)}": v for n, v in lower.items()}}
    for panel, (name, values) in zip(panels, shown.items()):
        values = np.where(found.converged, values, np.nan)
        rows = [values] if by is None else np.moveaxis(values, place, -1)
        curves = [Curve(rows[0])] if by is None else members(by, steps, rows)
        draw_curves(panel, x_name, x, curves, name, by, **style)
        if panel is not panels[-1]:
            panel.set_xlabel("")
        if panel is not panels[0] and panel.get_legend():
            panel.get_legend().remove()
    for panel, n in zip(panels[1:], lower):
        _mark_bounds(panel, lower[n], found.ends[n], x, place)
    return panels


def _mark_bounds(ax, places, at_bound, x, place):
    """Open markers where an optimum is at an end of its interval, and the ends that were reached."""
    values, ends = np.atleast_2d(_rows(places, place)), np.atleast_2d(_rows(at_bound, place))
    for row, at_end, own in zip(values, ends, family(len(values))):
        if at_end.any():
            ax.plot(x[at_end], row[at_end], linestyle="none", marker="o", markersize=6, color=own["color"],
                    markerfacecolor=ax.get_facecolor())
    for end in {float(v) for v in values[ends]}:
        ax.axhline(end, color=faint(0.6), linewidth=0.9, linestyle=":")
    known = values[np.isfinite(values)]
    set_scale(ax, "y", spans_decades(known), known)


def _rows(values, place):
    values = np.asarray(values)
    return values if values.ndim == 1 else np.moveaxis(values, place, -1)


def _axes(found, over):
    """Name and values of the parameter along the curve, those of the family (or None), and the place of the first."""
    shape = np.shape(found.value)
    if not shape:
        raise DomainError(f"plot: the optimum at one point is a number, {found}; give an array for a parameter, and "
                          "there is a curve of optima")
    along = {}
    for name in found.along:
        values = np.broadcast_to(np.asarray(found.parameters[name], float), shape)
        varies = [k for k in range(len(shape)) if shape[k] > 1 and np.any(np.diff(values, axis=k))]
        if len(varies) == 1:
            line = np.moveaxis(values, varies[0], 0).reshape(shape[varies[0]], -1)[:, 0]
            along.setdefault(varies[0], (name, line))
    names = [name for name, _ in along.values()]
    if over is not None and over not in names:
        raise DomainError(f"plot: over: got {over!r}; expected one of {', '.join(names)}")
    long = [k for k in range(len(shape)) if shape[k] > 1]
    if not 1 <= len(long) <= 2 or len(along) < len(long) or len(long) < len(shape):
        raise DomainError(f"plot: the optima have the shape {shape}; expected one or two parameters, each of which "
                          "varies along an axis of its own")
    place = next((k for k, (name, _) in along.items() if name == over), long[-1])
    x_name, x = along[place]
    if len(long) == 1:
        return x_name, x, None, None, place
    by, steps = along[next(k for k in long if k != place)]
    return x_name, x, by, steps, place
