"""Part of a sweep: some points of its axes."""

import numbers

import numpy as np

from ..arguments.domains import shown
from ..errors import DomainError, UnknownNameError, suggest

__all__ = ["part_of"]

#: relative distance of a number from the point of an axis that it means
_SAME = 1e-9


def part_of(sweep, wanted):
    """See :meth:`asympkit.sweep.Sweep.sel`."""
    from .result import Sweep

    for name in wanted:
        if name not in sweep.axes:
            raise UnknownNameError(f"sel: no axis {name!r}{suggest(name, sweep.axes)}; the axes are "
                                   f"{', '.join(sweep.axes)}")
    places = {n: _places(n, wanted[n], a) if n in wanted else slice(None) for n, a in sweep.axes.items()}
    at = {n: float(sweep.axes[n][p]) for n, p in places.items() if isinstance(p, int)}
    kept = {n: a[places[n]] for n, a in sweep.axes.items() if n not in at}

    def part(values):
        for k, place in reversed([*enumerate(places.values())]):        # axis by axis, so that lists do not pair up
            values = values[(slice(None),) * k + (place,)]
        return np.asarray(values)

    found = Sweep(kept, {n: part(sweep[n]) for n in sweep.names}, part(sweep.residual), part(sweep._state),
                  {**sweep.parameters, **at}, sweep.rtol)
    found.jumps = tuple(j for j in sweep.jumps if j.axis in kept and _is_there(j, kept, at))
    return found


def _is_there(jump, axes, at):
    """Return whether a jump is one between points of a part."""
    beside = all(v in axes[n] if n in axes else v == at[n] for n, v in jump.at.items())
    return beside and all(v in axes[jump.axis] for v in jump.between)


def _places(name, wanted, axis):
    """Find the requested values on an axis: an int for a number, otherwise an array of ints."""
    if isinstance(wanted, slice):
        if wanted.step is not None:
            raise DomainError(f"sel: got {wanted!r} for {name}; expected slice(low, high), without a step")
        low = -np.inf if wanted.start is None else _real(name, wanted.start)
        high = np.inf if wanted.stop is None else _real(name, wanted.stop)
        found = np.flatnonzero((axis >= low) & (axis <= high))
        if not found.size:
            raise DomainError(f"sel: no point of {name} lies between {low:g} and {high:g}; it goes from {axis.min():g} "
                              f"to {axis.max():g}")
        return found
    if np.ndim(wanted) == 0:
        return _place(name, _real(name, wanted), axis)
    values = list(wanted)
    if np.ndim(wanted) != 1 or not values:
        raise DomainError(f"sel: got {shown(wanted)} for {name}; expected a number, a list of numbers or "
                          "slice(low, high)")
    return np.array([_place(name, _real(name, v), axis) for v in values])


def _place(name, value, axis):
    with np.errstate(invalid="ignore"):
        away = np.where(axis == value, 0.0, np.abs(axis - value))       # inf is its own neighbour
    place = int(np.argmin(away))
    if not away[place] <= _SAME * abs(value):
        raise DomainError(f"sel: got {name} = {value:g}, which is no point of the sweep; the nearest is "
                          f"{axis[place]:.15g}")
    return place


def _real(name, value):
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or np.isnan(value):
        raise DomainError(f"sel: got {shown(value)} for {name}; expected a number, a list of numbers or "
                          "slice(low, high)")
    return float(value)
