"""Proofs that hold on a box of symbols and serve all balls inside it.

The symbolic part of a proof (switching points, growth, where the tails begin) is done once for a *cover*, a box wider
than the requested balls; balls inside the cover then only cost the integration.
"""

from dataclasses import dataclass

from ..errors import DomainError, ProofError
from .backend import arb

__all__ = ["Covered", "Plan"]

_COVERS = (2**-10, 2**-40, 0)       # relative half-widths; the widest with a proof is taken
_KEPT = 8


@dataclass(frozen=True)
class Plan:
    """A cover, and the proof for all of its points."""

    cover: dict
    proof: object

    def holds(self, values):
        return all(box.contains(values[s]) for s, box in self.cover.items())


class Covered:
    """An expression in bound variables and symbols, with the plans proved for balls of the symbols.

    Subclasses prove it on a cover: ``proved({symbol: ball})``.
    """

    def __init__(self, expr, variables):
        self.expr, self.variables = expr, tuple(variables)
        self.symbols = frozenset(expr.free_symbols - set(self.variables))
        self.plans = []

    def checked(self, values):
        """Return the balls of the symbols; raise unless they are finite and have the declared signs."""
        own = {s: arb(values[s]) for s in self.symbols}
        self._check(own)
        return own

    def _check(self, own):
        for s, ball in own.items():
            if not ball.is_finite():
                raise ProofError(f"certify: {s} is not enclosed by a finite ball")
            if s.is_positive and not ball > 0 or s.is_nonnegative and not ball >= 0:
                # sympy has simplified with this assumption
                raise ProofError(f"certify: {s} is declared {'positive' if s.is_positive else 'non-negative'}, which "
                                 f"its enclosure {ball.str(6)} does not prove")

    def plan(self, own):
        """Return a plan whose cover holds the balls."""
        for plan in self.plans:
            if plan.holds(own):
                return plan
        for width in _COVERS:
            cover = {s: ball + arb(0, (abs(ball) * arb(width)).upper()) if width else ball
                     for s, ball in own.items()}
            try:
                self._check(cover)
                plan = Plan(cover, self.proved(cover))
                break
            except (DomainError, ProofError) as error:
                failure = error
                if not own:
                    raise
        else:
            raise failure
        self.plans = [plan, *self.plans][:_KEPT]
        return plan
