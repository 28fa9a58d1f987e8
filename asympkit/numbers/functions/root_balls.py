r"""Enclosures of functions that are roots of equations (python-flint), loaded when a ball of them is first evaluated.

The slope of the logistic loss is ``f = s(-p)``, s the sigmoid, at the root p of ``h(p) = p - t - V s(-p)``.  Its
enclosure uses ``Re h' >= 1`` in the strip ``|Im p| <= pi/2``, as :math:`s(p)s(-p)=1/(2+2\cosh p)` has no negative real
part there: so ``|h(p) - h(q)| >= |p - q|``, and a root within ``|h(q)|`` of any q of the strip is the only one.  As
``Im s(p)`` has the sign of ``Im p``, roots have ``|Im p| <= |Im t|``: for ``|Im t| < pi/2`` the root of real t goes on
in the strip.

The conjugate of a level of a deep random network: the penalty at the top is an increasing convex function of the lowest
one wherever penalties in between are positive, so that a ball in which its slope is positive holds one root.
"""

from cmath import exp

from flint import acb, arb, arb_series, ctx

from .balls import at_real
from .routines.deep_chain import chain_above, chain_start, conjugate_below
from .routines.elementary import logistic_slope as slope_of_floats

#: a number below pi/2
_STRIP = 1.5


# -- the proximal step of the logistic loss ----------------------------------------------------------


def _approximate_root(V, t):
    """Find p in double precision, from the root at the real part of t."""
    p = complex(t.real + V * slope_of_floats(V, t.real))
    for _ in range(40 if t.imag else 0):
        f = 1.0 / (1.0 + exp(p)) if p.real < 700.0 else 0.0
        step = (p - t - V * f) / (1.0 + V * f * (1.0 - f))
        p -= step
        if abs(step) <= 1e-9 * (1.0 + abs(p)):
            break
    return p


def _logistic_root(V, t):
    """Enclose p in a complex ball; nan where the strip does not hold the argument."""
    if not (V.imag == 0 and V.real >= 0 and abs(t.imag) < _STRIP and V.is_finite() and t.is_finite()):
        return acb("nan")
    is_real, v, middle = t.imag == 0, V.real.mid(), t.mid()
    p = acb(_approximate_root(float(v), complex(float(middle.real), 0.0 if is_real else float(middle.imag))))
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
    radius = arb(0, error.abs_upper())
    return acb(radius) if is_real else acb(radius, radius)


def _log2(radius):
    """Return the binary logarithm of a radius, approximately."""
    return -10**6 if radius == 0 else max(-10**6, int(radius.man_exp()[1] + radius.man_exp()[0].bit_length()))


def logistic_slope_complex(V, t, analytic):
    return 1 / (1 + _logistic_root(V, t).exp())


def logistic_envelope_complex(V, t, analytic):
    p = _logistic_root(V, t)
    f = 1 / (1 + p.exp())
    if p.real > 0:
        return V * f * f / 2 + (1 + (-p).exp()).log(analytic=analytic)
    return V * f * f / 2 - p + (1 + p.exp()).log(analytic=analytic)


logistic_slope, logistic_envelope = map(at_real, (logistic_slope_complex, logistic_envelope_complex))


# -- the conjugate of a level of a deep network ------------------------------------------------------


def deep_conjugate(level, t, chain):
    """Enclose the conjugate at real balls; nan where no root is proved."""
    if any(isinstance(x, arb_series) for x in (t, *(x for part in chain for x in part))):
        return _conjugate_series(level, t, chain)
    plain = [[arb(x) for x in part] for part in chain]
    t = arb(t)
    if t == 0:
        return arb(0)
    y = _lowest_penalty(1 / t, plain) if t > 0 and _is_chain(plain) else arb("nan")
    return conjugate_below(level, t, y, *plain)


def _is_chain(chain):
    widths, slopes, rests, inputs, shares = chain
    return all(x > 0 for x in (*widths, *slopes)) and all(x >= 0 for x in (*rests, *inputs, *shares))


def _lowest_penalty(z, chain):
    """Enclose the lowest penalty with z at the top: an interval Newton step must map the ball into its interior."""
    middle, at = [[x.mid() for x in part] for part in chain], z.mid()
    y = chain_start(at, *middle).mid()
    for _ in range(50 + 2 * ctx.prec):
        zeta, _, _, rate, _ = chain_above(y, *middle)
        step = ((zeta - at) / rate).mid()
        y = (y - step).mid()
        if not step > 4 * arb(2) ** -ctx.prec * y:
            break
    missed = chain_above(y, *chain)
    error = (missed[0] - z) / missed[3].mid()
    for widening in (2, 8, 64):
        ball = y + arb(0, widening * error.abs_upper() + y.abs_upper() * arb(2) ** (4 - ctx.prec))
        inside = [chain_above(ball, *(part[:n] for part in chain[:3]), *chain[3:])
                  for n in range(1, len(chain[0]) + 1)]
        if not all(found[0] > 0 for found in inside):
            continue            # the level below has a penalty that is not positive
        rate = inside[-1][3]
        nearer = y - (missed[0] - z) / rate if rate > 0 else arb("nan")
        if nearer.is_finite() and ball.contains_interior(nearer):
            return nearer
    return arb("nan")


def _conjugate_series(level, t, chain):
    """Expand in a power series by Newton's method from the constant terms; each step doubles the right coefficients."""
    first = [[x[0] if isinstance(x, arb_series) else arb(x) for x in part] for part in chain]
    t = arb_series([t]) if not isinstance(t, arb_series) else t
    y = arb_series([_lowest_penalty(1 / t[0], first) if t[0] > 0 and _is_chain(first) else arb("nan")])
    right = 1
    while right < ctx.cap:
        zeta, _, _, rate, _ = chain_above(y, *chain)
        y = y - (zeta - 1 / t) / rate
        y = arb_series([*(y[k] for k in range(ctx.cap))])
        right *= 2
    return conjugate_below(level, t, y, *chain)


def deep_conjugate_complex(level, t, chain):
    """Evaluate at real arguments; return nan elsewhere, where no branch is followed."""
    if any(x.imag != 0 for x in (t, *(x for part in chain for x in part))):
        return acb("nan")
    return acb(deep_conjugate(level, t.real, [[x.real for x in part] for part in chain]))
