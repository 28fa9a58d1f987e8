"""Optimise over several parameters: a lattice gives candidates, exact gradients refine them."""

import itertools
import warnings

import numpy as np
from scipy.optimize import minimize as descend

from ..errors import AssumptionWarning, ConvergenceError, DomainError
from ..sensitivity.run import tangent_solution
from .evaluate import LARGEST, broadcast, check_many_bounds
from .result import Optimum

__all__ = ["run_several"]

#: points of the lattice along each axis, by the number of parameters
_LATTICE = {1: 25, 2: 9, 3: 6, 4: 5}
#: number of lowest lattice points that are refined
_CANDIDATES = 3
#: step of differences of gradients for second derivatives, in units of the intervals; size of the last Newton step
_DIFFERENCE, _STEP = 1e-4, 1e-7
#: relative slope below which the quantity does not depend on a parameter
_FLAT = 1e-12
#: relative difference below which values count as equal
_SAME = 1e-8
#: value at points where the equations are not solved, which turns the search back
_FAR = 1e3


def run_several(model, quantity, over, bounds, parameters, sense):
    """Run :meth:`asympkit.theories.model.Model.minimize` over several parameters."""
    verb = "maximize" if sense == LARGEST else "minimize"
    if len(over) > max(_LATTICE):
        raise DomainError(f"over: got {len(over)} parameters; expected {max(_LATTICE)} at most")
    intervals = check_many_bounds(bounds, over)
    arrays, shape = broadcast(verb, model, parameters)
    fixed = {n: v for n, v in parameters.items() if n not in arrays}
    columns = {n: np.broadcast_to(a, shape).ravel() for n, a in arrays.items()}
    rows = [_one(model, quantity, over, intervals, {**fixed, **{n: float(c[k]) for n, c in columns.items()}}, sense)
            for k in range(int(np.prod(shape)))]
    used = sum(r[-1] for r in rows)
    places, value, bound, good = (np.array([r[k] for r in rows]) for k in range(4))
    if arrays:
        def shaped(a):
            return np.reshape(a, shape)

        return Optimum(quantity, over, shaped(sense * value), {n: shaped(places[:, k]) for k, n in enumerate(over)},
                       {n: shaped(bound[:, k]) for k, n in enumerate(over)}, shaped(good), sense == LARGEST, used, None,
                       dict(parameters), tuple(arrays))
    if not good[0]:
        kind = "maximum" if sense == LARGEST else "minimum"
        raise ConvergenceError(f"{verb}: no {kind} of {quantity} was found over {', '.join(over)} in the bounds; the "
                               "equations are not solved beside its best value, or the bounds are too wide")
    place = dict(zip(over, places[0].tolist()))
    solution = model.solve(rtol=1e-10, parameters={**fixed, **place})
    return Optimum(quantity, over, float(solution[quantity]), place, dict(zip(over, bound[0].tolist())), True,
                   sense == LARGEST, used, solution, dict(parameters))


def _one(model, quantity, over, intervals, parameters, sense):
    """Return place, value, bounds reached, success and number of evaluations at one point of the other parameters."""
    scale = Scale(intervals)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)
        t, values = _lattice(model, quantity, over, scale, parameters, sense)
        at = Gradient(model, quantity, over, scale, parameters, sense)
        found = [_refined(at, t[k]) for k in _candidates(values)[:_CANDIDATES]]
    used = at.used + values.size
    if not found:
        return np.full(len(over), np.nan), np.nan, np.zeros(len(over), bool), False, used
    best, value, good = min(found, key=lambda f: (not np.isfinite(f[1]), f[1]))
    # a lower lattice value means that the search failed
    good = good and value <= np.nanmin(values) + _SAME * abs(value)
    return scale.parameters(best), value, (best == 0.0) | (best == 1.0), good, used


class Scale:
    """Map parameters to numbers from 0 to 1, in the logarithm if an interval is positive."""

    def __init__(self, intervals):
        self.in_logarithm = np.array([low > 0.0 for low, _ in intervals])
        self.ends = np.array(intervals)
        self._ends = np.array([np.log(pair) if log else pair for log, pair in zip(self.in_logarithm, intervals)])

    def parameters(self, t):
        """Return the parameters at a place."""
        low, high = self._ends.T
        x = low + t * (high - low)
        x[self.in_logarithm] = np.exp(x[self.in_logarithm])
        return np.where(t <= 0.0, self.ends[:, 0], np.where(t >= 1.0, self.ends[:, 1], np.clip(x, *self.ends.T)))

    def rates(self, x):
        """Return the derivatives of the parameters by the place."""
        return (self._ends[:, 1] - self._ends[:, 0]) * np.where(self.in_logarithm, x, 1.0)


class Gradient:
    """Evaluate a quantity and its exact gradient by the place."""

    def __init__(self, model, quantity, over, scale, parameters, sense):
        self.model, self.quantity, self.over, self.scale = model, quantity, over, scale
        self.parameters, self.sense, self.used = parameters, sense, 0

    def __call__(self, t):
        x = self.scale.parameters(np.clip(t, 0.0, 1.0))
        here = {**self.parameters, **dict(zip(self.over, x.tolist()))}
        self.used += 1
        slopes = np.empty(len(x))
        try:
            for k, name in enumerate(self.over):
                solution, rate = tangent_solution(self.model, self.quantity, name, 1e-9, here)
                slopes[k] = solution[rate]
        except ConvergenceError:
            return np.nan, np.full(len(x), np.nan)
        return self.sense * solution[self.quantity], self.sense * slopes * self.scale.rates(x)


def _lattice(model, quantity, over, scale, parameters, sense):
    """Return places, and values there in the shape of the lattice, NaN where the equations are not solved."""
    line = np.linspace(0.0, 1.0, _LATTICE[len(over)])
    axes = np.array([scale.parameters(np.full(len(over), s)) for s in line]).T
    sweep = model.sweep(rtol=1e-9, parameters={**parameters, **dict(zip(over, axes))})
    values = np.where(sweep.converged, sense * sweep[quantity], np.nan)
    return np.array(list(itertools.product(line, repeat=len(over)))), values


def _candidates(values):
    """Return flat indices of lattice points without a lower neighbour, the lowest first."""
    known = np.where(np.isnan(values), np.inf, values)
    lowest = np.isfinite(known)
    for axis in range(known.ndim):
        for shift in (1, -1):
            beside = np.roll(known, shift, axis)
            edge = [slice(None)] * known.ndim
            edge[axis] = 0 if shift == 1 else -1
            beside[tuple(edge)] = np.inf
            lowest &= known <= beside
    places = np.flatnonzero(lowest)
    return places[np.argsort(known.ravel()[places], kind="stable")]


def _refined(at, start):
    """Return place, value and success of a descent from a lattice point, finished by Newton's method."""
    first, _ = at(start)
    if not np.isfinite(first):
        return start, np.nan, False
    size = abs(first) or 1.0

    def scaled(t):
        value, slopes = at(t)
        return (value / size, slopes / size) if np.isfinite(value) and np.all(np.isfinite(slopes)) else \
            (_FAR, np.zeros(len(t)))

    found = descend(scaled, start, jac=True, method="L-BFGS-B", bounds=[(0.0, 1.0)] * len(start),
                    options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 200})
    return _newton(at, np.clip(found.x, 0.0, 1.0))


def _newton(at, t):
    """Return the stationary place near one, among the parameters that are not at a bound, with value and success."""
    for _ in range(4):
        value, slopes = at(t)
        free = ~(((t <= 0.0) & (slopes >= 0.0)) | ((t >= 1.0) & (slopes <= 0.0)))
        if not np.all(np.isfinite(slopes)):
            return t, np.nan, False
        if not free.any():
            return t, value, True
        curvature = _curvature(at, t, free)
        if not np.all(np.isfinite(curvature)):
            return t, value, False
        least = np.min(np.linalg.eigvalsh(curvature))
        if np.max(np.abs(slopes[free])) <= _FLAT * abs(value) and least >= -_FLAT * abs(value) / _DIFFERENCE:
            return t, value, True               # on a plateau every place is optimal
        if least <= 0.0:
            return t, value, False
        step = np.zeros(len(t))
        step[free] = -np.linalg.solve(curvature, slopes[free])
        if np.max(np.abs(step)) <= _STEP:
            t = np.clip(t + step, 0.0, 1.0)
            return t, at(t)[0], True
        t = np.clip(t + step, 0.0, 1.0)
    return t, value, False


def _curvature(at, t, free):
    """Return second derivatives by the free parameters, from differences of exact gradients."""
    rows = []
    for k in np.flatnonzero(free):
        ahead, behind = t.copy(), t.copy()
        ahead[k], behind[k] = min(t[k] + _DIFFERENCE, 1.0), max(t[k] - _DIFFERENCE, 0.0)
        rows.append((at(ahead)[1] - at(behind)[1])[free] / (ahead[k] - behind[k]))
    rows = np.array(rows)
    return 0.5 * (rows + rows.T)
