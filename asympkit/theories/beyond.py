"""Explain why no solution was found: a root outside the domain of its unknown, or an undefined integrand."""

import math

import numpy as np

from ..equations.system import System
from ..errors import AsympkitError, ConvergenceError
from ..gauss.measure import Gaussian
from ..nodes import Average, bind, unname
from ..numbers.evaluation import evaluate
from ..numbers.floats import Floats
from .unknowns import interval_of, outside

__all__ = ["explained"]

#: distance from a border, relative to the interval or to the unknown, at which an iteration has run into it
_NEAR = 1e-3
#: points at which integrands are evaluated
_NODES = np.arange(-8.0, 8.1, 0.5)


def explained(theory, verb, error, point, reached):
    """Return an error that says where the root lies, if it lies outside the domain of an unknown; else ``error``.

    Iterates never leave a declared interval (low, high): if the only root lies outside it, they end at its border.

    Parameters
    ----------
    theory : Theory
    verb : str
    error : ConvergenceError
    point : Point
    reached : Solution
        The last iterate.

    Returns
    -------
    ConvergenceError
    """
    if not math.isfinite(reached.residual) and (undefined := _undefined(theory, point)):
        return ConvergenceError(f"{verb}: {undefined}", reached)
    if not _borders(theory, reached.order_parameters):
        return error
    try:
        found = theory.kernel_without_domains.solve(
            point.values, point.table_parameters, theory.activations, point.arrays, 1e-9,
            {n: float(reached[n]) for n in theory.kernel.module.TORN}, point.shown, point.assumptions)
    except AsympkitError:
        return error
    wrong = [u for u in theory.unknowns if u.name in outside([u], theory.intervals, found, found.scale)]
    if not wrong:
        return error
    said = ", ".join(f"{u.name} = {found[u.name]:.6g} (declared in ({low:g}, {high:g}))"
                     for u in wrong for low, high in [interval_of(u, theory.intervals)])
    return ConvergenceError(f"{verb}: the root found lies outside the interval of its unknown: {said}; no root was "
                            "found inside: give a start, declare a larger domain, or move the parameters", found)


def _undefined(theory, point):
    """Return a sentence about the first integrand without a finite value at the start, or an empty text."""
    kernel, module = theory.kernel, theory.kernel.module
    known = dict(zip(module.PARAMETERS, map(float, point.values))) | kernel.usual_start(point.values)
    for average in sorted({a for e in theory.system.equations for a in unname(e).atoms(Average)}, key=str):
        integrand, bound = bind(unname(average.integrand), theory.functions), average.bound_symbols
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
