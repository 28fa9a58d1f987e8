"""Handle the domains of unknowns: the intervals of the solver, and its starts.

Explain why no solution was found: a root outside the domain of its unknown, or an undefined integrand.
"""

import math
import numbers
from itertools import product

import numpy as np
from sympy import Number, Symbol, oo
from sympy.core.facts import InconsistentAssumptions

from ..equations.system import System
from ..errors import AsympkitError, ConvergenceError, DomainError, StructureError
from ..gauss.measure import Gaussian
from ..nodes import Average, bind, remove_names
from ..numbers.evaluation import Floats, evaluate

__all__ = ["explain_outside_root"]


_SAID = "'positive', 'nonnegative', 'real' or a pair (low, high) of numbers with low < high"
_ASSUMED = {"positive": {"positive": True}, "nonnegative": {"nonnegative": True}, "real": {"real": True}}
#: further starts if the usual one fails, the likeliest first: shares of a finite interval, distances from the end of a
#: half-infinite one (from 0 for a positive unknown), and real numbers. Results do not depend on their order: a root
#: is judged by its residual.
_SHARES, _FACTORS = (0.9, 0.1, 0.99, 0.01, 0.999), (0.1, 10.0, 0.01, 100.0, 1e-3)
_NUMBERS = (0.1, -1.0, 0.5, 10.0, -0.1)
#: if these fail too: sizes and signs over the whole domain
_FAR_SHARES = (0.3, 0.7, 1e-3, 0.9999, 1e-4, 1.0 - 1e-6, 1e-6)
_FAR_FACTORS = (1e3, 30.0, 0.03, 1e4, 1e-4, 1e5, 1e-5, 1e6, 1e-6, 1e7, 1e8, 1e-8, 1e10, 1e-10)
_FAR_SIZES = (3.0, 0.01, 100.0, 1e-3, 1e3, 1e4, 1e-4, 1e6)
_FAR_NUMBERS = (-0.5, -10.0, *(sign * size for size in _FAR_SIZES for sign in (1, -1)))


def read_unknowns(unknowns):
    """Read unknowns with or without domains.

    Parameters
    ----------
    unknowns : sequence of Symbol, or dict
        ``{symbol: domain}``: ``"positive"``, ``"nonnegative"``, ``"real"`` or a pair (low, high).

    Returns
    -------
    unknowns : tuple of Symbol
        With the assumptions that their domains mean.
    intervals : dict of Symbol to (float, float)
        Open intervals that the solver must not leave.
    known_as : dict of Symbol to Symbol
        The symbols that were replaced by ones with more assumptions.
    """
    if not isinstance(unknowns, dict):
        return tuple(unknowns), {}, {}
    found, intervals, known_as = [], {}, {}
    for u, domain in unknowns.items():
        if isinstance(domain, str) and domain in _ASSUMED:
            assumed = _ASSUMED[domain]
            interval = (0.0, math.inf) if domain == "nonnegative" else None
        else:
            interval = _pair(u, domain)
            assumed = {"nonnegative": True} if interval[0] >= 0.0 else {"real": True}
        new = _assume(u, assumed, domain)
        found.append(new)
        if new != u:
            known_as[u] = new
        if interval is not None:
            intervals[new] = interval
    return tuple(found), intervals, known_as


def _pair(u, domain):
    is_pair = isinstance(domain, tuple | list) and len(domain) == 2 and not any(
        isinstance(x, bool) or not (isinstance(x, numbers.Real | Number) or x in (oo, -oo)) for x in domain)
    if not is_pair or not float(domain[0]) < float(domain[1]):
        raise DomainError(f"unknowns: {u} has the domain {domain!r}; expected {_SAID}")
    return float(domain[0]), float(domain[1])


def _assume(u, assumed, domain):
    if all(getattr(u, f"is_{name}") for name in assumed):
        return u
    try:
        return type(u)(u.name, **{**u._assumptions_orig, **assumed}) if type(u) is Symbol else u
    except InconsistentAssumptions as error:
        raise StructureError(f"unknowns: {u} has the domain {domain!r}, which contradicts the assumptions of its "
                             f"symbol ({', '.join(f'{k}={v}' for k, v in u._assumptions_orig.items())})") from error


def interval_of(u, intervals):
    """Return the closed interval an unknown must lie in, from its domain or the assumptions of its symbol."""
    if u in intervals:
        return intervals[u]
    return (0.0 if u.is_nonnegative else -math.inf), math.inf


def find_outside_unknowns(unknowns, intervals, values, scale):
    """Return the names of unknowns whose values lie outside their domains by more than rounding."""
    found = []
    for u in unknowns:
        (low, high), value = interval_of(u, intervals), values[u.name]
        slack = 0.0 if u.is_positive and u not in intervals else 1e-13 * scale.get(u.name, 0.0)
        inside = value > 0.0 if u.is_positive and low == 0.0 else value >= low - slack
        if not (inside and value <= high + slack):
            found.append(u.name)
    return found


def default_start(unknowns, intervals):
    """Return ``{name: number}`` inside all domains: the midpoint of an interval, else 1."""
    return {u.name: _midpoint(intervals.get(u), u) for u in unknowns}


def _midpoint(interval, u):
    if interval is None:
        return -1.0 if u.is_nonpositive else 1.0
    low, high = interval
    if math.isinf(low):
        return high - 1.0 if math.isfinite(high) else 1.0
    return low + 1.0 if math.isinf(high) else 0.5 * (low + high)


def other_starts(unknowns, intervals, given):
    """Return a few more starts inside all domains, for unknowns whose start is not given."""
    return _starts(unknowns, intervals, given, (_SHARES, _FACTORS, _NUMBERS))


def far_starts(unknowns, intervals):
    """Return starts over the whole domains of all unknowns, signs and sizes, the usual sizes first."""
    return _starts(unknowns, intervals, {}, (_SHARES, _FACTORS, _NUMBERS)) + \
        _starts(unknowns, intervals, {}, (_FAR_SHARES, _FAR_FACTORS, _FAR_NUMBERS))


def _starts(unknowns, intervals, given, sizes):
    """Return starts of all unknowns that are not given, first of similar sizes and then of different ones."""
    free = [u for u in unknowns if u.name not in given]
    if not free:
        return ()
    first = default_start(unknowns, intervals) | given
    found = []
    for turn in (0, 1):
        for k in range(max(map(len, sizes))):
            found.append({**first, **{u.name: _another(u, intervals.get(u), k + turn * j, sizes)
                                      for j, u in enumerate(free)}})
    return tuple({tuple(s.items()): s for s in found}.values())


def _another(u, interval, k, sizes):
    shares, factors, numbers = (row[k % len(row)] for row in sizes)
    if interval is not None and all(map(math.isfinite, interval)):
        return interval[0] + shares * (interval[1] - interval[0])
    if interval is not None:
        low, high = interval
        return high - factors if math.isinf(low) else low + factors
    if u.is_positive:
        return factors
    return -numbers if u.is_nonpositive and numbers > 0 else numbers


def check_start(name, value, interval):
    """Raise a DomainError for a start outside the domain of its unknown."""
    low, high = interval
    if not (low < value < high or value == low == 0.0):
        raise DomainError(f"start: {name} is {value!r}, outside its domain ({low:g}, {high:g}); expected a number "
                          "inside it")


#: distance from a border, relative to the interval or to the unknown, at which an iteration has run into it
_NEAR = 1e-3
#: points at which integrands are evaluated
_NODES = np.arange(-8.0, 8.1, 0.5)


def explain_outside_root(theory, method, error, point, reached):
    """Return an error that says where the root lies, if it lies outside the domain of an unknown; else ``error``.

    Iterates never leave a declared interval (low, high): if the only root lies outside it, they end at its border.

    Parameters
    ----------
    theory : Theory
    method : str
    error : ConvergenceError
    point : Point
    reached : Solution
        The last iterate.

    Returns
    -------
    ConvergenceError
    """
    if not math.isfinite(reached.residual) and (undefined := _undefined(theory, point)):
        return ConvergenceError(f"{method}: {undefined}", reached)
    if not _borders(theory, reached.order_parameters):
        return error
    try:
        found = theory.kernel_without_domains.solve(
            point.values, point.table_parameters, theory.activations, point.arrays, 1e-9,
            {n: float(reached[n]) for n in theory.kernel.module.TORN}, point.shown, point.assumptions)
    except AsympkitError:
        return error
    wrong = [u for u in theory.unknowns if u.name in find_outside_unknowns([u], theory.intervals, found, found.scale)]
    if not wrong:
        return error
    text = ", ".join(f"{u.name} = {found[u.name]:.6g} (declared in ({low:g}, {high:g}))"
                     for u in wrong for low, high in [interval_of(u, theory.intervals)])
    return ConvergenceError(f"{method}: the root found lies outside the interval of its unknown: {text}; no root was "
                            "found inside: give a start, declare a larger domain, or move the parameters", found)


def _undefined(theory, point):
    """Return a sentence about the first integrand without a finite value at or near the start, or ""."""
    given, start = dict(zip(theory.kernel.module.PARAMETERS, point.values)), theory.kernel.usual_start(point.values)
    averages = sorted({a for e in theory.system.equations for a in remove_names(e).atoms(Average)}, key=str)
    for share, average in product((1.0, 0.99), averages):
        known = given | {name: share * value for name, value in start.items()}
        integrand, bound = bind(remove_names(average.integrand), theory.functions), average.bound_symbols
        free = integrand.free_symbols - set(bound)
        is_plain = isinstance(average.measure, Gaussian) and not integrand.has(Average)
        if not is_plain or any(s.name not in known for s in free):
            continue
        grid = np.meshgrid(*[_NODES] * len(bound))
        at = dict(zip(bound, map(np.ravel, grid))) | {s: float(known[s.name]) for s in free}
        with np.errstate(all="ignore"):
            values = np.broadcast_to(evaluate(integrand, at, Floats()), grid[0].size)
        if (bad := np.flatnonzero(~np.isfinite(values))).size:
            here = {s.name: float(np.broadcast_to(v, grid[0].size)[bad[0]]) for s, v in at.items()}
            place = ", ".join(f"{name} = {value:.6g}" for name, value in here.items())
            return (f"the integrand {str(integrand):.200} is {values[bad[0]]} at {place}: it is not defined there, "
                    "or overflows on the way; write it so that it is finite at all values of the variables (softplus, "
                    "LogPhi, tanh in place of quotients of exponentials), or give a start at which it is")
    return ""


def unbounded_system(theory):
    """Return the equations of a theory without the domains of its unknowns."""
    return System(theory.unknowns, theory.system.equations, theory.system.observables, theory.functions)


def _borders(theory, values):
    """Return whether an unknown with a declared interval is at a border of it."""
    return any(_is_near(float(values[u.name]), *interval) for u, interval in theory.intervals.items())


def _is_near(value, low, high):
    unit = high - low if math.isfinite(high - low) else max(1.0, abs(value))
    with np.errstate(all="ignore"):
        return not min(value - low, high - value) > _NEAR * unit
