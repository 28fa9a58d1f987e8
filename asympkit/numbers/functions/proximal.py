r"""The proximal step of the logistic loss in every reading.

With ``h(p) = p - t - V s(-p)``, s the sigmoid, ``f = s(-p)`` at the root.  The balls rest on ``Re h' >= 1`` in the
strip ``|Im p| <= pi/2``, as :math:`s(p)s(-p)=1/(2+2\cosh p)` has no negative real part there: so
``|h(p) - h(q)| >= |p - q|``, and a root within ``|h(q)|`` of any q of the strip is the only one.  As ``Im s(p)`` has
the sign of ``Im p``, roots have ``|Im p| <= |Im t|``: for ``|Im t| < pi/2`` the root of real t goes on in the strip.
"""

from math import inf

from .entry import Entry, Growth

_HERE = "asympkit.numbers.functions.routines.proximal"
#: a number below pi/2
_STRIP = 1.5


def _root(mp, V, t):
    """p, by Newton's method from its value in double precision, with twice the digits after every step."""
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


def _enclosed_root(V, t):
    """A complex ball of p, not finite where the strip does not hold the argument."""
    from flint import acb, arb

    from .routines.proximal import logistic_slope

    if not (V.is_finite() and t.is_finite() and V.imag == 0 and V.real >= 0 and abs(t.imag) < _STRIP):
        return acb("nan")
    middle = acb(arb(V.real.mid())), acb(t.mid())
    p = middle[1] + middle[0] * logistic_slope(float(V.real.mid()), float(t.real.mid()))
    p = acb(p.real, arb(0) if t.imag == 0 else p.imag).mid()

    def residual(p, V, t):
        return p - t - V / (1 + p.exp())

    def derivative(p):
        return 1 + V / (2 + 2 * p.cosh())

    for _ in range(60):
        step = residual(p, *middle) / (1 + middle[0] / (2 + 2 * p.cosh()))
        following = (p - step).mid()
        if not abs(following.imag) < _STRIP:
            return acb("nan")
        p = following
        if step.abs_upper() ** 2 < arb(2) ** -_precision() * (1 + abs(p)):
            break
    error = residual(p, V, t)
    radius = arb(error.abs_upper())
    for _ in range(3):
        ball = p + acb(arb(0, radius), 0 if t.imag == 0 else arb(0, radius))
        nearer = arb((error / derivative(ball)).abs_upper()) if abs(ball.imag) < _STRIP else radius
        if not nearer.is_finite() or nearer >= radius * 0.9:
            break
        radius = nearer
    error = error / derivative(ball) if abs(ball.imag) < _STRIP else error
    best = p - error
    return best if best.is_finite() and best.rad() < ball.rad() else ball


def _precision():
    from flint import ctx

    return ctx.prec


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
        from flint import acb

        return function(acb(V), acb(t), False).real

    return value


ENTRIES = (
    Entry("LogisticSlope", "logistic_slope", "logistic_slope_batch", f"{_HERE}:logistic_slope_batch", _slope_digits,
          _real(_slope_complex), _slope_complex, source="proximal", arity=2, image=(0, 1), growth=Growth((1,)),
          monotone=-1, symbol="asympkit.numbers.functions.proximal_classes:LogisticSlope", is_steep=True,
          spelling=None),
    Entry("LogisticEnvelope", "logistic_envelope", "logistic_envelope_batch", f"{_HERE}:logistic_envelope_batch",
          _envelope_digits, _real(_envelope_complex), _envelope_complex, source="proximal", arity=2, image=(0, inf),
          growth=Growth((1, 1)), monotone=-1,
          symbol="asympkit.numbers.functions.proximal_classes:LogisticEnvelope", is_steep=True, spelling=None),
)
