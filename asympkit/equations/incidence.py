"""The incidence table of structure analysis: the derivative of each equation by each unknown in it.

Each pair is differentiated once, and only where the unknown occurs.
"""

from dataclasses import dataclass
from functools import cached_property

from sympy import Expr

from ..nodes import free_of, slope

#: how an unknown enters an equation, from the most to the least explicit
CERTAIN, UNCERTAIN, PIVOT, NONLINEAR = "certain", "uncertain", "pivot", "nonlinear"


@dataclass(frozen=True)
class Incidence:
    """Equations (expressions that vanish), unknowns, and their partial derivatives."""

    equations: tuple
    unknowns: tuple

    @cached_property
    def symbols(self):
        """The unknowns of each equation."""
        unknowns = set(self.unknowns)
        return tuple(frozenset(free_of(eq) & unknowns) for eq in self.equations)

    @cached_property
    def derivatives(self):
        """``{(i, j): d equation_i / d unknown_j}`` for the pairs that occur."""
        return {(i, j): slope(eq, u)
                for i, eq in enumerate(self.equations)
                for j, u in enumerate(self.unknowns) if u in self.symbols[i]}

    def kind(self, i, j):
        """Return how unknown j enters equation i; None if it does not occur.

        ``certain``: affine, coefficient free of unknowns and known not to vanish; ``uncertain``: the
        same, sign unknown; ``pivot``: affine, other unknowns in the coefficient; ``nonlinear``.
        """
        d = self.derivatives.get((i, j))
        if d is None:
            return None
        if self.unknowns[j] in free_of(d):
            return NONLINEAR
        if free_of(d) & set(self.unknowns):
            return PIVOT
        return CERTAIN if certainly_nonzero(d) else UNCERTAIN


def certainly_nonzero(expr: Expr) -> bool:
    """Return whether an expression is known to be of one sign and not zero."""
    return bool(expr.is_positive or expr.is_negative or expr.is_nonzero)
