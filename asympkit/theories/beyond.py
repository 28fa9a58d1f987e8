"""Roots beyond the declared domains of their unknowns: looked for where none is found inside, to say so."""

import math

import numpy as np

from ..equations.system import System
from ..errors import AsympkitError, ConvergenceError
from .unknowns import interval_of, outside

__all__ = ["explained"]

#: distance from a border, relative to the interval or to the unknown, at which an iteration has run into it
_NEAR = 1e-3


def explained(theory, verb, error, point, reached):
    """An error that says where the root lies, if it lies beyond the domain of an unknown; else the error itself.

    Iterates never leave a declared interval (low, high): where its only root is beyond, they end at the border.

    Parameters
    ----------
    theory : Theory
    verb : str
    error : ConvergenceError
    point : Point
    reached : Solution
        What the iteration ended at.

    Returns
    -------
    ConvergenceError
    """
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


def unbounded_system(theory):
    """The equations of a theory whose unknowns may go anywhere."""
    return System(theory.unknowns, theory.system.equations, theory.system.observables, theory.functions)


def _borders(theory, values):
    """Whether an unknown with a declared interval stands at a border of it."""
    return any(_is_near(float(values[u.name]), *interval) for u, interval in theory.intervals.items())


def _is_near(value, low, high):
    unit = high - low if math.isfinite(high - low) else max(1.0, abs(value))
    with np.errstate(all="ignore"):
        return not min(value - low, high - value) > _NEAR * unit
