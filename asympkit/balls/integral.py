"""Proved enclosure of ``E[f(Z)]``, Z standard normal, for a piecewise analytic f.

The analytic branches are integrated with balls over [-R, R]; the tails beyond are bounded by
:mod:`asympkit.balls.growth` and added to the radius. R exceeds every switching point.

Means over a standard normal of expressions whose other symbols stand for balls.

Proofs that hold on a box of symbols and serve all balls inside it.

The symbolic part of a proof (switching points, growth, where the tails begin) is done once for a *cover*, a box wider
than the requested balls; balls inside the cover then only cost the integration.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import comb, inf, log, sqrt

import sympy as sp

from ..errors import ConvergenceError, DomainError, ProofError
from .analytic import compile_balls, compile_parametric, constant
from .backend import SpentError, Work, acb, arb, ctx, ratio, workprec
from .growth import growth_bound, number_range
from .pieces import pieces

_GUARD_BITS = 40
_FARTHEST = 10**5


def gaussian_ball(expr, z, digits, weight=None, bound=None):
    """Enclose the mean of an expression in z over a standard normal, to a radius of ``10**-digits * max(1, |value|)``.

    ``weight`` is a polynomial that multiplies the expression; ``bound`` a growth bound of the expression that is not
    proved here: a hypothesis of the result.  DomainError if a hypothesis of the proof fails: inexact numbers, switching
    points without proof, no growth bound below ``exp(x**2/2)``, a value that is not real.  ConvergenceError if the
    enclosure does not get narrow enough.
    """
    parts = pieces(expr, z)
    if weight is not None:
        parts = tuple(type(p)(p.low, p.high, p.formula * weight) for p in parts)
    tails = prove_tails(parts, z) if bound is None else _given_tails(bound, weight, z, expr)
    reach = reach_of(parts, tails, digits)
    return refine_until_narrow(lambda bits: _enclosed(parts, z, tails, reach, digits, bits), digits, expr)


def refine_until_narrow(evaluate, digits, shown):
    """Return the first of ``evaluate(bits)``, with growing precision, that is narrow enough."""
    bits, lost = 3.33 * digits + _GUARD_BITS, 0
    for _ in range(4):
        with workprec(bits):
            try:
                value = evaluate(bits)
            except SpentError:          # the first time rounding may be the cause
                if lost:
                    raise
                value = arb("nan")
            if value.is_finite():
                if value.rad() <= abs(value.mid()).max(arb(1)) / arb(10) ** digits:
                    return value
            else:
                lost += 1
        if lost == 2:
            break
        bits *= 1.6
    raise ConvergenceError(f"certify: no enclosure of {str(shown)[:80]} with {digits} digits; its numbers are too "
                           "large, or it is not finite and analytic somewhere (as sin(z)/z at 0)")


def _enclosed(parts, z, tails, reach, digits, bits):
    total, work = acb(0), Work()
    scale = 1 / (2 * arb.pi()).sqrt()
    for part in parts:
        low = arb(-reach) if part.low is None else constant(part.low)
        high = arb(reach) if part.high is None else constant(part.high)
        if part.formula == 0:
            continue
        function = compile_balls(part.formula, z)
        _check_real(function(acb((low + high) / 2), False), part.formula)
        value = _integrated(function, low, high, digits, work, part.formula)
        _check_real(value, part.formula)
        total += value
    rest = sum((tail(bound, reach) for bound in tails), arb(0))
    return total.real * scale + arb(0, rest.upper())


def _check_real(number, formula):
    if number.is_finite() and not number.imag.contains(0):
        raise DomainError(f"{str(formula)[:80]} is not real on the real line")


def _integrated(function, low, high, digits, work, shown):
    def integrand(x, analytic):
        return function(x, analytic) * (-(x**2) / 2).exp()

    return work.integral(integrand, low, high, arb(10) ** (-digits - 4), arb(2) ** -ctx.prec, shown)


# -- tails -------------------------------------------------------------------------------------------


def prove_tails(parts, z, values=None):
    """Prove growth bounds of the outermost branches beyond their switching points."""
    first, last, edge = parts[0], parts[-1], _farthest(parts, values) + 1       # R is larger
    bounds = (growth_bound(first.formula, z, (-inf, -edge), values),
              growth_bound(last.formula, z, (edge, inf), values))
    for bound, part in zip(bounds, (first, last)):
        if bound.curvature >= Fraction(1, 2):
            raise DomainError(f"no growth bound below exp(z**2/2) is proved for {str(part.formula)[:80]}: its mean "
                              "over a normal may be infinite")
    return bounds


def _given_tails(bound, weight, z, expr):
    if weight is not None:
        bound = bound * growth_bound(weight, z)
    if bound.curvature >= Fraction(1, 2):
        raise DomainError(f"growth: the bound given for {str(expr)[:80]} does not stay below exp(z**2/2): its mean "
                          "over a normal may be infinite")
    return bound, bound


def _farthest(parts, values=None):
    """Return a bound of the absolute value of all switching points."""
    points = (abs(end) for p in parts for x in (p.low, p.high) if x is not None for end in number_range(x, values))
    return max(points, default=Fraction(0))


def reach_of(parts, tails, digits, values=None):
    """Return an integer R beyond all switching points whose tails are below the rounding."""
    least = _farthest(parts, values)
    if least > _FARTHEST:
        raise DomainError(f"a switching point beyond {_FARTHEST} has no effect that can be enclosed")
    goal = arb(10) ** (-digits - 2)
    start = sqrt(2 * (digits + 4) * log(10)) + 1
    for bound in tails:
        root = sqrt(1 - 2 * bound.curvature)
        least = max(least, Fraction((start + float(bound.rate) / root) / root))
    reach = int(least) + 2
    with workprec(128):
        while not all(tail(bound, reach) < goal for bound in tails):
            reach = reach + reach // 8 + 1
            if reach > 10 * _FARTHEST:
                raise DomainError("the integrand decays too slowly against the normal weight")
    return reach


def tail(bound, reach):
    """Enclose the integral of ``P(x) exp(rate x + curvature x**2)`` against the normal density beyond R."""
    v = ratio(1 - 2 * bound.curvature)
    s, rate = v.sqrt(), ratio(bound.rate)
    shift = rate / s
    edge = s * reach - shift            # x = (y + shift)/s completes the square
    if not edge > 0:
        return arb(10) ** 100
    square = edge**2 / 2
    total = arb(0)
    moments = [arb(2) ** (arb(j - 1) / 2) * square.gamma_upper(arb(j + 1) / 2)
               for j in range(len(bound.coefficients))]
    for n, c in enumerate(bound.coefficients):
        if c:
            powers = sum((comb(n, j) * shift ** (n - j) * moments[j] for j in range(n + 1)), arb(0))
            total += ratio(c) * powers / s ** (n + 1)
    total *= (rate**2 / (2 * v)).exp() / (2 * arb.pi()).sqrt()
    return total if total.is_finite() else arb(10) ** 100


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


@dataclass(frozen=True)
class _Proof:
    """The proof for all points of a cover, and the compiled branches."""

    parts: tuple
    ends: tuple
    tails: tuple
    reach: int
    rest: object


class ParametricMean(Covered):
    """``E f(Z; symbols)``, Z standard normal and f piecewise analytic, for changing balls of the symbols.

    Rounding and truncation errors are below ``10**-digits * max(1, |value|)``; the width that the symbols bring comes
    on top.  The budget ``work`` may be shared with others.
    """

    def __init__(self, expr, z, digits, work=None):
        super().__init__(expr, (z,))
        self.z, self.digits = z, digits
        self.work = Work() if work is None else work
        if not expr.has(z):
            self._constant, self._bind = compile_parametric(expr, None, self.symbols)

    def mean(self, values):
        """Return a real ball that holds the mean for all numbers in the balls ``{symbol: arb}``."""
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
        tails = prove_tails(parts, self.z, cover)
        reach = reach_of(parts, tails, self.digits, cover)
        rest = sum((tail(bound, reach) for bound in tails), arb(0)).upper()
        compiled = tuple(compile_parametric(p.formula, self.z, self.symbols) for p in parts)
        ends = tuple(compile_parametric(p.high, None, self.symbols) for p in parts[:-1])
        return _Proof(compiled, ends, tails, reach, rest)

    def _continuous(self, left, right):
        """Raise for branches of a Piecewise that jump at a moving point: sympy's derivative omits the jump."""
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
