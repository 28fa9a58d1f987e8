"""The saddle-point equations of the package with the structure that its analysis finds."""

from functools import cache

from asympkit.equations.system import System
from asympkit.theories.spiked_features import equations as spiked_equations


@cache
def system():
    """The equations in the package's order, with the structure that its analysis finds."""
    F, unknowns = spiked_equations.ridge().free_energy, spiked_equations.ridge().unknowns
    return System(unknowns, [F.diff(u) for u in unknowns], spiked_equations.ridge().observables())


def eqs_of(unknown):
    """The equations of the block of an unknown, solved for its members."""
    found = next(b for b in system().blocks if unknown in b.unknowns)
    return {x: e for x, e, _ in found.equations} | dict(found.assignments)


@cache
def law():
    """The Marchenko-Pastur law of the theory."""
    return spiked_equations.pieces().law
