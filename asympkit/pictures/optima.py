"""Pictures of minima: the smallest value, and below it where it is taken."""

import numpy as np

from ..errors import DomainError
from ..notation import label
from .canvas import stacked
from .curves import Curve, draw_curves, members
from .scales import set_scale, spans_decades
from .style import faint, family

__all__ = ["draw_minimum"]


def draw_minimum(found, over, ax, style):
    """See :meth:`asympkit.minimize.Minimum.plot`."""
    x_name, x, by, steps, place = _axes(found, over)
    upper, lower = stacked(ax, 1.0)
    for panel, values, name in ((upper, found.value, f"smallest {label(found.quantity)}"),
                                (lower, found.argmin, f"best {label(found.over)}")):
        values = np.where(found.converged, values, np.nan)
        rows = [values] if by is None else np.moveaxis(values, place, -1)
        curves = [Curve(rows[0])] if by is None else members(by, steps, rows)
        draw_curves(panel, x_name, x, curves, name, by, **style)
    upper.set_xlabel("")
    if lower.get_legend():
        lower.get_legend().remove()
    _mark_bounds(lower, found, x, place)
    return np.array([upper, lower], dtype=object)


def _mark_bounds(ax, found, x, place):
    """Open markers where the minimum is at an end of the interval, and the ends that were reached."""
    values, ends = np.atleast_2d(_rows(found.argmin, place)), np.atleast_2d(_rows(found.at_bound, place))
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
    """Name and values of the parameter along the curve, those of the family (or None), and the place of the first."""
    shape = np.shape(found.argmin)
    if not shape:
        raise DomainError(f"plot: the minimum at one point is a number, {found}; give minimize() an array for a "
                          "parameter, and there is a curve of minima")
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
        raise DomainError(f"plot: the minima have the shape {shape}; expected one or two parameters, each of which "
                          "varies along an axis of its own")
    place = next((k for k, (name, _) in along.items() if name == over), long[-1])
    x_name, x = along[place]
    if len(long) == 1:
        return x_name, x, None, None, place
    by, steps = along[next(k for k in long if k != place)]
    return x_name, x, by, steps, place
