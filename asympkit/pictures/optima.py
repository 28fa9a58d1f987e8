"""Draw optima: the value, and below it the optimal parameters."""

import numpy as np

from ..errors import DomainError
from ..notation import label
from .canvas import stacked
from .curves import Curve, draw_curves, members
from .scales import set_scale, spans_decades
from .style import faint, family

__all__ = ["draw_optima"]


def draw_optima(found, over, ax, style):
    """Draw as :meth:`asympkit.minimize.Minimum.plot` describes."""
    x_name, x, by, steps, place = _axes(found, over)
    upper, *below = panels = stacked(ax, 1.0, 1 + len(found.places))
    rows = [(found.value, f"{found.kind} {label(found.quantity)}")]
    rows += [(where, f"best {label(name)}") for name, (where, _) in found.places.items()]
    for panel, (values, name) in zip(panels, rows):
        values = np.where(found.converged, values, np.nan)
        lines = [values] if by is None else np.moveaxis(values, place, -1)
        curves = [Curve(lines[0])] if by is None else members(by, steps, lines)
        draw_curves(panel, x_name, x, curves, name, by, **style)
    for panel in panels[:-1]:
        panel.set_xlabel("")
    for panel, (where, at_bound) in zip(below, found.places.values()):
        if panel.get_legend():
            panel.get_legend().remove()
        _mark_bounds(panel, where, at_bound, x, place)
    return np.array(panels, dtype=object)


def _mark_bounds(ax, where, at_bound, x, place):
    """Draw open markers for optima at an end of the interval, and the ends that were reached."""
    values, ends = np.atleast_2d(_rows(where, place)), np.atleast_2d(_rows(at_bound, place))
    for row, at_end, own in zip(values, ends, family(len(values))):
        if at_end.any():
            ax.plot(x[at_end], row[at_end], linestyle="none", marker="o", markersize=6, color=own["color"],
                    markerfacecolor=ax.get_facecolor())
    reached = {float(v) for v in values[ends]}
    for end in reached:
        ax.axhline(end, color=faint(0.6), linewidth=0.9, linestyle=":")
    known = values[np.isfinite(values)]
    set_scale(ax, "y", spans_decades(known), known)


def _rows(values, place):
    values = np.asarray(values)
    return values if values.ndim == 1 else np.moveaxis(values, place, -1)


def _axes(found, over):
    """Return name and values of the parameter along the curve, those of the family (or None), and its axis."""
    shape = np.shape(found.value)
    if not shape:
        raise DomainError(f"plot: the optimum at one point is a number, {found}; give minimize() an array for a "
                          "parameter, and there is a curve of optima")
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
