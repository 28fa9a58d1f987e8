"""Find where a sweep passes from one branch of solutions to another: seen by size, proved by a second solution."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ..errors import AsympkitError, warn_assumption
from ..tolerances import RESIDUAL
from .pieces import ACCEPT, How, solve_each_refined

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
    """Return neighbours between which a second solution appears.

    At a suspicious step the equations are solved at each end from the solution of the other end: a solution
    that differs from the one found there shows two branches.  Steep curves of one branch are no jumps.

    Returns
    -------
    tuple of Jump
    """
    torn = model.kernel.module.TORN
    if model.kernel.is_unique or not torn:
        return ()
    found, suspects = [], [(place, _next(place, axis), axis) for _, place, axis in _suspects(sweep, torn)]
    ends = [pair for place, beyond, _ in suspects for pair in ((place, beyond), (beyond, place))]
    there = _solved_from_neighbours(model, sweep, torn, ends)
    for k, (place, beyond, axis) in enumerate(suspects):
        if any(_is_apart(sweep, torn, *ends[i], there[i]) for i in (2 * k, 2 * k + 1)):
            names = list(sweep.axes)
            between = tuple(float(sweep.axes[names[axis]][i]) for i in (place[axis], beyond[axis]))
            rest = {n: float(sweep.axes[n][i]) for k, (n, i) in enumerate(zip(names, place)) if k != axis}
            found.append(Jump(names[axis], between, rest))
    return tuple(found)


def _next(place, axis):
    return tuple(i + (k == axis) for k, i in enumerate(place))


def _suspects(sweep, torn):
    """Return (ratio, index, axis) of steps that stand out, the largest first."""
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


def _is_apart(sweep, torn, here, there, other):
    """Return whether unknowns solved here from the solution there differ from those found here."""
    return any(abs(o - sweep[n][here]) > _APART * max(abs(o), abs(sweep[n][there])) for n, o in zip(torn, other))


def _solved_from_neighbours(model, sweep, torn, ends):
    """Return unknowns at the first place of each pair, solved from those at the second; NaN where that leads
    nowhere."""
    module, names = model.kernel.module, list(sweep.axes)
    own = [k for k, n in enumerate(names) if n in model.table_names]
    out, groups = np.full((len(ends), len(torn)), np.nan), {}
    for i, (here, _) in enumerate(ends):
        groups.setdefault(tuple(here[k] for k in own), []).append(i)
    for members in groups.values():         # all those that share their tables at once
        here = [ends[i][0] for i in members]
        at = {n: float(a[k]) for (n, a), k in zip(sweep.axes.items(), here[0])}
        with suppress(AsympkitError):
            point = model.locate_point({**sweep.parameters, **at})
            values = np.repeat(np.array(point.values, float)[:, None], len(here), axis=1)
            for k, n in enumerate(names):
                if k not in own:
                    values[module.PARAMETERS.index(n)] = sweep.axes[n][[place[k] for place in here]]
            start = {n: np.array([float(sweep[n][ends[i][1]]) for i in members]) for n in torn}
            got, settled = solve_each_refined(How(model, 1e-9, "numpy"), point, values, start)
            outside = model.outside(got)
            good = settled & (got[:, RESIDUAL] <= ACCEPT) & (True if outside is None else ~outside)
            out[np.array(members)[good]] = got[good][:, [module.OUTPUTS.index(n) for n in torn]]
    return out


def warn_of_jumps(jumps):
    """Issue one AssumptionWarning for all of them."""
    if jumps:
        more = f" and at {len(jumps) - 1} more places" if len(jumps) > 1 else ""
        warn_assumption(f"sweep: the solutions pass from one branch to another {jumps[0]}{more}; the attribute jumps "
                        "lists them, continuation() follows a branch")
