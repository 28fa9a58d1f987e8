"""Means over a standard normal of expressions whose other symbols stand for balls."""

from dataclasses import dataclass

from ..errors import DomainError, ProofError
from .analytic import compile_parametric
from .backend import acb, arb
from .covers import Covered
from .integral import proved_tails, reach_of, tail
from .pieces import pieces
from .work import Work

__all__ = ["ParametricMean"]


@dataclass(frozen=True)
class _Proof:
    """The proof for all points of a cover, and the compiled branches."""

    parts: tuple
    ends: tuple
    tails: tuple
    reach: int
    rest: object


class ParametricMean(Covered):
    """``E f(Z; symbols)``, Z standard normal, for changing balls of the symbols.

    Parameters
    ----------
    expr : sympy.Expr
        Piecewise analytic in z.
    z : sympy.Symbol
    digits : int
        The rounding and truncation errors are below ``10**-digits * max(1, |value|)``; the width that the
        symbols bring comes on top.
    work : Work, optional
        The budget that it shares with others.
    """

    def __init__(self, expr, z, digits, work=None):
        super().__init__(expr, (z,))
        self.z, self.digits = z, digits
        self.work = Work() if work is None else work
        if not expr.has(z):
            self._constant, self._bind = compile_parametric(expr, None, self.symbols)

    def mean(self, values):
        """Return a real ball that holds the mean for all numbers in the balls ``{symbol: arb}``.

        Raises
        ------
        ProofError, DomainError
            If a hypothesis of the proof fails for these balls.
        """
        own = self.checked(values)
        if not self.expr.has(self.z):
            self._bind(own)
            return self._constant(None, False).real
        plan = self.plan(own).proof
        ends = []
        for function, bind in plan.ends:
            bind(own)
            ends.append(function(None, False).real)
        for _, bind in plan.parts:
            bind(own)
        total = self._integral([function for function, _ in plan.parts], ends, plan.reach, own)
        if not total.imag.contains(0):
            raise DomainError(f"{str(self.expr)[:80]} is not real on the real line")
        return total.real / (2 * arb.pi()).sqrt() + arb(0, plan.rest)

    def describe(self):
        """Yield sentences on what was proved, one for each plan in use."""
        for plan in (kept.proof for kept in self.plans):
            left, right = (bound.text(self.z) for bound in plan.tails)
            shown = f"|f| <= {left}" if left == right else f"|f| <= {left} on the left, {right} on the right"
            where = f" in {len(plan.ends) + 1} pieces" if plan.ends else ""
            yield f"{_short(self.expr)}: integrated over |{self.z}| <= {plan.reach}{where}; {shown} beyond"

    # -- the proof on a cover ----------------------------------------------------------------------

    def proved(self, cover):
        parts = pieces(self.expr, self.z, cover)
        for left, right in zip(parts, parts[1:]):
            if left.high.free_symbols:
                self._continuous(left, right)
        tails = proved_tails(parts, self.z, cover)
        reach = reach_of(parts, tails, self.digits, cover)
        rest = sum((tail(bound, reach) for bound in tails), arb(0)).upper()
        compiled = tuple(compile_parametric(p.formula, self.z, self.symbols) for p in parts)
        ends = tuple(compile_parametric(p.high, None, self.symbols) for p in parts[:-1])
        return _Proof(compiled, ends, tails, reach, rest)

    def _continuous(self, left, right):
        """Raise for branches of a Piecewise that jump at a moving point: sympy's derivative omits the jump."""
        import sympy as sp

        if not self.expr.has(sp.Piecewise):
            return
        gap = (right.formula - left.formula).xreplace({self.z: left.high})
        if gap.is_zero or sp.expand(gap).is_zero:
            return
        raise ProofError(f"certify: {_short(self.expr)} switches at {self.z} = {left.high}, which moves, and is not "
                         "proved to be continuous there; write it with max, min, abs or sign instead of where")

    # -- the integral ------------------------------------------------------------------------------

    def _integral(self, functions, ends, reach, own):
        absolute = arb(10) ** (-self.digits - 4)
        # much finer than the symbols are known the mean need not be
        width = max((float(b.rad()) / max(abs(float(b.mid())), 1e-300) for b in own.values()), default=0.0)
        relative = absolute + min(width, 1.0) * 2**-20
        total, left = acb(0), arb(-reach)
        for k, function in enumerate(functions):
            right = arb(ends[k].lower()) if k < len(ends) else arb(reach)
            if not left <= right:
                raise ProofError(f"certify: the switching points of {_short(self.expr)} are not proved to be apart")
            if left < right:
                total += self.work.integral(_weighted(function), left, right, absolute, relative, self.expr)
            if k < len(ends):
                # the point lies somewhere in its ball, so either branch may hold there
                left = arb(ends[k].upper())
                across = acb(right.union(left))
                both = [_weighted(f)(across, False).real for f in functions[k:k + 2]]
                total += (left - right) * both[0].union(both[1])
        return total


def _weighted(function):
    return lambda x, analytic: function(x, analytic) * (-(x**2) / 2).exp()


def _short(expr):
    text = str(expr)
    return text if len(text) <= 80 else text[:77] + "..."
