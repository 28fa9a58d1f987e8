"""Proved enclosure of ``E[f(Z)]``, Z standard normal, for a piecewise analytic f.

The analytic branches are integrated with balls over [-R, R]; the tails beyond are bounded by
:mod:`asympkit.balls.growth` and added to the radius. R exceeds every switching point.
"""

from fractions import Fraction
from math import comb, inf, log, sqrt

from ..errors import ConvergenceError, DomainError
from .analytic import compile_balls, constant
from .backend import acb, arb, ctx, ratio, workprec
from .growth import growth_bound
from .pieces import pieces
from .ranges import number_range
from .work import SpentError, Work

__all__ = ["gaussian_ball", "proved_tails", "reach_of", "settled", "tail"]

_GUARD_BITS = 40
_FARTHEST = 10**5


def gaussian_ball(expr, z, digits, weight=None, bound=None):
    """Enclose the mean of an expression over a standard normal.

    Parameters
    ----------
    expr : sympy.Expr
        Holds no symbol but z.
    z : sympy.Symbol
    digits : int
        The radius is at most ``10**-digits * max(1, |value|)``.
    weight : sympy.Expr, optional
        A polynomial that multiplies the expression.
    bound : Bound, optional
        A growth bound of the expression that is not proved here: a hypothesis of the result.

    Returns
    -------
    flint.arb

    Raises
    ------
    DomainError
        If a hypothesis of the proof fails: inexact numbers, switching points without proof, no growth
        bound below ``exp(x**2/2)``, a value that is not real.
    ConvergenceError
        If the enclosure does not get narrow enough.
    """
    parts = pieces(expr, z)
    if weight is not None:
        parts = tuple(type(p)(p.low, p.high, p.formula * weight) for p in parts)
    tails = proved_tails(parts, z) if bound is None else _given_tails(bound, weight, z, expr)
    reach = reach_of(parts, tails, digits)
    return settled(lambda bits: _enclosed(parts, z, tails, reach, digits, bits), digits, expr)


def settled(evaluate, digits, shown):
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


def proved_tails(parts, z, values=None):
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
