"""Where a sweep passes from one branch of solutions to another: found by their size, proved by a second solution."""

import warnings
from dataclasses import dataclass

import numpy as np

from ..errors import AssumptionWarning, ConvergenceError

#: a step this much larger than the steps beside it is looked at
_SUSPECT = 5.0
#: relative distance of two different solutions
_APART = 1e-6
#: places looked at, the largest steps first
_MOST = 64


@dataclass(frozen=True)
class Jump:
    """Two neighbours of a grid on different branches.

    Attributes
    ----------
    axis : str
    between : tuple of float
        The values of that parameter.
    at : dict of str to float
        The other parameters that vary.
    """

    axis: str
    between: tuple
    at: dict

    def __str__(self):
        others = ", ".join(f"{k} = {v:g}" for k, v in self.at.items())
        low, high = self.between
        return f"between {self.axis} = {low:g} and {high:g}" + (f" ({others})" if others else "")


def find_jumps(model, sweep):
    """Neighbours between which a second solution appears.

    At a suspicious step the equations are solved at each end from the solution of the other end: a solution
    that differs from the one found there shows two branches.  Steep curves of one branch are no jumps.

    Returns
    -------
    tuple of Jump
    """
    torn = model.kernel.module.TORN
    if model.kernel.module.UNIQUE or not torn:
        return ()
    found = [jump for _, place, axis in _suspects(sweep, torn) if (jump := _confirmed(model, sweep, torn, place, axis))]
    return tuple(found)


def _suspects(sweep, torn):
    """(ratio, index, axis) of steps that stand out, the largest first."""
    found = []
    for name in torn:
        values = sweep[name]
        if np.all((values > 0.0) | np.isnan(values)):
            values = np.log(values)
        size = np.nanmax(np.abs(values), initial=0.0)
        for axis, count in enumerate(sweep.shape):
            if count < 3:
                continue
            step = np.moveaxis(np.abs(np.diff(values, axis=axis)), axis, 0)
            beside = np.full_like(step, 0.0)
            beside[1:] = np.fmax(beside[1:], step[:-1])
            beside[:-1] = np.fmax(beside[:-1], step[1:])
            ratio = np.moveaxis(step / (beside + 1e-4 * size + np.finfo(float).tiny), 0, axis)
            places = np.argwhere(ratio > _SUSPECT)
            found += [(float(ratio[tuple(p)]), tuple(map(int, p)), axis) for p in places]
    unique = {}
    for ratio, place, axis in found:
        unique[place, axis] = max(ratio, unique.get((place, axis), 0.0))
    return sorted(((r, p, a) for (p, a), r in unique.items()), reverse=True)[:_MOST]


def _confirmed(model, sweep, torn, place, axis):
    beyond = tuple(i + (k == axis) for k, i in enumerate(place))
    for here, there in ((place, beyond), (beyond, place)):
        start = {n: float(sweep[n][there]) for n in torn}
        at = {k: float(a[i]) for (k, a), i in zip(sweep.axes.items(), here)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AssumptionWarning)
            try:
                other = model.solve(start=start, rtol=1e-9, parameters={**sweep.parameters, **at})
            except ConvergenceError:
                continue
        if any(abs(other[n] - sweep[n][here]) > _APART * max(abs(other[n]), abs(start[n])) for n in torn):
            names = list(sweep.axes)
            ends = tuple(float(sweep.axes[names[axis]][i]) for i in (place[axis], beyond[axis]))
            rest = {n: float(sweep.axes[n][i]) for k, (n, i) in enumerate(zip(names, place)) if k != axis}
            return Jump(names[axis], ends, rest)
    return None


def warn_of_jumps(jumps):
    """One AssumptionWarning for all of them."""
    if jumps:
        more = f" and at {len(jumps) - 1} more places" if len(jumps) > 1 else ""
        warnings.warn(f"sweep: the solutions pass from one branch to another {jumps[0]}{more}; "
                      "the attribute jumps lists them, continuation() follows a branch", AssumptionWarning,
                      stacklevel=4)
