r"""The proximal step of the logistic loss in every back end.

With ``h(p) = p - t - V s(-p)``, s the sigmoid, ``f = s(-p)`` at the root.  The enclosure uses ``Re h' >= 1`` in the
strip ``|Im p| <= pi/2``, as :math:`s(p)s(-p)=1/(2+2\cosh p)` has no negative real part there: so
``|h(p) - h(q)| >= |p - q|``, and a root within ``|h(q)|`` of any q of the strip is the only one.  As ``Im s(p)`` has
the sign of ``Im p``, roots have ``|Im p| <= |Im t|``: for ``|Im t| < pi/2`` the root of real t goes on in the strip.
"""

from cmath import exp
from functools import cache
from math import inf

from .entry import Entry, FunctionGrowth

_HERE = "asympkit.numbers.functions.routines.proximal"
#: a number below pi/2
_STRIP = 1.5
#: Newton steps from doubles: each has twice the digits
_MOST_STEPS = 12


def _root(mp, V, t):
    """Find p by Newton's method from its value in double precision; each step doubles the right digits."""
    from .routines.proximal import logistic_slope

    wanted, precision = mp.prec, 50
    with mp.workprec(wanted + 10):
        p = t + V * mp.mpf(logistic_slope(float(V), float(t)))
        while True:
            mp.prec = min(2 * precision, wanted) + 10
            f = 1 / (1 + mp.exp(p))
            step = (p - t - V * f) / (1 + V * f * (1 - f))
            p = p - step
            # a step leaves an error of its square
            reached = -2 * mp.mag(step) if step else wanted
            if reached >= wanted and precision >= wanted:
                return p
            precision = min(max(reached, 50), 2 * precision)


def _slope_digits(mp, V, t):
    return 1 / (1 + mp.exp(_root(mp, mp.convert(V), mp.convert(t))))


def _envelope_digits(mp, V, t):
    V = mp.convert(V)
    p = _root(mp, V, mp.convert(t))
    f = 1 / (1 + mp.exp(p))
    return V * f**2 / 2 + max(-p, mp.zero) + mp.log1p(mp.exp(-abs(p)))


def refined_slope(numbers, V, t, start, rates):
    """Refine the root f of ``f + g'(t + V f)`` in multiprecision arrays, by Newton's method from doubles.

    Parameters
    ----------
    numbers : number system
    Multiprecision, with ``of_floats``, ``floats`` and ``bits``.
    V, t : number or array
    start : array
        The roots in double precision.
    rates : callable
        The first two derivatives of g at a place.
    """
    f, enough = numbers.of_floats(start), 2.0 ** (-numbers.bits() / 2 - 4)
    for _ in range(_MOST_STEPS):
        first, second = rates(t + V * f)
        step = (f + first) / (1 + V * second)
        f = f - step
        # Newton's method converges quadratically
        if (abs(numbers.floats(step)) <= enough * abs(start)).all():
            break
    return f


def _slope_refined(numbers, V, t):
    from .routines.proximal import logistic_slope_batch

    exp = numbers.function_named("exp")

    def rates(p):
        s = 1 / (1 + exp(p))
        return -s, s * (1 - s)

    return refined_slope(numbers, V, t, logistic_slope_batch(numbers.floats(V), numbers.floats(t)), rates)


@cache
def _flint():
    """Import the names of the optional ball library."""
    from flint import acb, arb, ctx

    return acb, arb, ctx


def _complex_root(V, t):
    """Find p in double precision, from the root at the real part of t."""
    from .routines.proximal import logistic_slope

    p = complex(t.real + V * logistic_slope(V, t.real))
    for _ in range(40 if t.imag else 0):
        f = 1.0 / (1.0 + exp(p)) if p.real < 700.0 else 0.0
        step = (p - t - V * f) / (1.0 + V * f * (1.0 - f))
        p -= step
        if abs(step) <= 1e-9 * (1.0 + abs(p)):
            break
    return p


def _enclosed_root(V, t):
    """Enclose p in a complex ball; nan where the strip does not hold the argument."""
    acb, arb, ctx = _flint()
    if not (V.imag == 0 and V.real >= 0 and abs(t.imag) < _STRIP and V.is_finite() and t.is_finite()):
        return acb("nan")
    is_real, v, middle = t.imag == 0, V.real.mid(), t.mid()
    p = acb(_complex_root(float(v), complex(float(middle.real), 0.0 if is_real else float(middle.imag))))
    reached, wanted = 40, min(ctx.prec, 10 - max(_log2(t.rad()), _log2(V.rad())))
    while reached < wanted:
        f = 1 / (1 + p.exp())
        p = (p - (p - middle - v * f) / (1 + v * f * (1 - f))).mid()
        reached *= 2
    if not abs(p.imag) < _STRIP:
        return acb("nan")
    error = p - t - V / (1 + p.exp())
    ball = best = p + _disc(error, is_real)
    for _ in range(3):
        if not abs(ball.imag) < _STRIP:
            return ball
        f = 1 / (1 + ball.exp())
        best = p - error / (1 + V * f * (1 - f))
        if not (best.is_finite() and best.rad() < ball.rad()):
            return ball
        if best.rad() > 0.9 * ball.rad() or ball.rad() < 1e-6:
            break
        ball = p + _disc(best - p, is_real)
    return best


def _disc(error, is_real):
    acb, arb, _ = _flint()
    radius = arb(0, error.abs_upper())
    return acb(radius) if is_real else acb(radius, radius)


def _log2(radius):
    """Return the binary logarithm of a radius, approximately."""
    return -10**6 if radius == 0 else max(-10**6, int(radius.man_exp()[1] + radius.man_exp()[0].bit_length()))


def _slope_complex(V, t, analytic):
    return 1 / (1 + _enclosed_root(V, t).exp())


def _envelope_complex(V, t, analytic):
    p = _enclosed_root(V, t)
    f = 1 / (1 + p.exp())
    if p.real > 0:
        return V * f * f / 2 + (1 + (-p).exp()).log(analytic=analytic)
    return V * f * f / 2 - p + (1 + p.exp()).log(analytic=analytic)


def _real(function):
    def value(V, t):
        acb, _, _ = _flint()
        return function(acb(V), acb(t), False).real

    return value


def _below_reciprocal(V, b):
    """Return the range of ``b/(1 + V b)``, which is not negative and below 1/V."""
    return (0, 1 / V[0] if V[0] > 0 else inf) if V[0] >= 0 and b[0] >= 0 else (-inf, inf)


ENTRIES = (
    Entry("Saturated", "saturated", "saturated", f"{_HERE}:saturated", lambda mp, V, b: b / (1 + V * b),
          lambda V, b: b / (1 + V * b), lambda V, b, analytic: b / (1 + V * b), source="proximal", arity=2,
          symbol="asympkit.numbers.functions.proximal_classes:Saturated", spelling=None, values=_below_reciprocal),
    Entry("LogisticSlope", "logistic_slope", "logistic_slope_batch", f"{_HERE}:logistic_slope_batch", _slope_digits,
          _real(_slope_complex), _slope_complex, source="proximal", arity=2, image=(0, 1), growth=FunctionGrowth((1,)),
          monotone=-1, symbol="asympkit.numbers.functions.proximal_classes:LogisticSlope", is_steep=True,
          spelling=None, refined=_slope_refined, lanes="lane_logistic_slope"),
    Entry("LogisticEnvelope", "logistic_envelope", "logistic_envelope_batch", f"{_HERE}:logistic_envelope_batch",
          _envelope_digits, _real(_envelope_complex), _envelope_complex, source="proximal", arity=2, image=(0, inf),
          growth=FunctionGrowth((1, 1)), monotone=-1,
          symbol="asympkit.numbers.functions.proximal_classes:LogisticEnvelope", is_steep=True, spelling=None),
)
