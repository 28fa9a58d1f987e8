r"""Enclosures of the listed functions at real and complex balls (python-flint), loaded when one is evaluated.

Real evaluators take balls or power series of them.  Complex ones take the flag ``analytic`` last, and are not finite
where it is set and the function may fail to be analytic.

Owen's T and the distribution function of two normals are integrals over [0, 1] with proved error.  Both integrands are
analytic in the variable and in the parameters wherever the balls met are finite: a denominator or a root that may
vanish gives a ball that is not finite, so a finite result proves that the function is analytic on the whole ball of its
arguments.

The slope of the logistic loss is ``f = s(-p)``, s the sigmoid, at the root p of ``h(p) = p - t - V s(-p)``.  Its
enclosure uses ``Re h' >= 1`` in the strip ``|Im p| <= pi/2``, as :math:`s(p)s(-p)=1/(2+2\cosh p)` has no negative real
part there: so ``|h(p) - h(q)| >= |p - q|``, and a root within ``|h(q)|`` of any q of the strip is the only one.  As
``Im s(p)`` has the sign of ``Im p``, roots have ``|Im p| <= |Im t|``: for ``|Im t| < pi/2`` the root of real t goes on
in the strip.

The conjugate of a level of a deep random network: the penalty at the top is an increasing convex function of the lowest
one wherever penalties in between are positive, so that a ball in which its slope is positive holds one root.

Real balls are a number system (:data:`REAL_BALLS`) at the precision in force when values are computed; values may be
power series of balls too.  A comparison that overlapping balls leave undecided is None, and a value that cannot be
enclosed raises an error.
"""

import cmath
import operator
from functools import lru_cache, wraps
from math import exp, frexp, lgamma, log

import numpy as np
from flint import acb, arb, arb_series, ctx, fmpq

from ...errors import ProofError
from . import entry, known_names
from .elementary import NARROW, blur_by_ends, derivative
from .routines.deep_chain import chain_above, chain_start, conjugate_below
from .routines.elementary import free_sum_root as root_of_floats
from .routines.elementary import logistic_slope as slope_of_floats

#: beyond it no number of bits is spent on an exponent
_LARGEST = 1e100
#: complex balls wider than this are bounded by a continued fraction
_WIDE_TAIL = 2.0**-12
#: largest interval where a ball that does not decide between the two forms of a smoothed kink takes the series
_WIDEST = 16
#: radius of balls at which smoothed kinks are evaluated at their centres
_WIDE = 1e-12


# -- switches ----------------------------------------------------------------------------------------


def heaviside(x, at_zero):
    """Return the hull of all values between the sides of a jump, which are also the slopes of a corner."""
    return arb(1) if x > 0 else arb(0) if x < 0 else at_zero if x == 0 else arb(0).union(arb(1))


def side(x):
    """Return either side: the expressions that hold it have the same value for both."""
    return arb(1) if x.mid() > 0 else arb(-1)


def side_complex(u, analytic):
    return 0 * u + side(u.real)


def slope_size(x):
    """Return the absolute value by the side of the middle, as the expressions that hold it allow."""
    return x * side(x)


def slope_size_complex(u, analytic):
    return u * side(u.real)


def larger(a, b):
    """Return the larger midpoint: the expressions that hold it do not depend on the choice."""
    return max((arb(x.mid()) if isinstance(x, arb) else arb(x[0].mid()) for x in (a, b)), key=float)


def larger_complex(a, b, analytic):
    return acb(larger(a.real, b.real))


# -- gamma and Bessel functions, of an integer order -------------------------------------------------


def polygamma(order, x):
    return acb(x).polygamma(acb(order)).real


def besselj(order, x):
    return x.bessel_j(arb(order))


def besseli(order, x):
    return x.bessel_i(arb(order))


def bessel_ratio(order, x):
    return x.bessel_i(arb(order)) / x.bessel_i(arb(0))


def log_bessel_i0(x):
    return x.bessel_i(arb(0)).log()


def log_bessel_i0_complex(u, analytic):
    """Evaluate ``log(I_0(u))``; off the imaginary axis the exponential is taken out, which leaves a root of ``1/u``."""
    if u.real > 0 or u.real < 0:
        large = u if u.real > 0 else -u
        return large + large.bessel_i(acb(0), scaled=True).log(analytic=analytic)
    return u.bessel_i(acb(0)).log(analytic=analytic)


# -- tails of the normal law -------------------------------------------------------------------------


def _precisely(function, times=1):
    """Wrap a function of real balls (or power series) to work with the extra bits that its exponents take."""
    @wraps(function)
    def value(x):
        size = float(abs(x if isinstance(x, arb) else x[0]).upper())
        bits = 2 * times * max(0, frexp(size)[1]) if size < _LARGEST else 0
        before, ctx.prec = ctx.prec, ctx.prec + bits + 20
        try:
            return function(x)
        finally:
            ctx.prec = before

    return value


def _root_of_two():
    return arb(2).sqrt()


def _scaled(square):
    """Evaluate ``sqrt(pi) exp(t**2) erfc(t)`` of a large t from its square, by Tricomi's U: no exponent widens it."""
    half = arb(1) / 2
    return square.hypgeom_u(half, half)


def _is_above(x, bound):
    """Return whether a real ball lies above a number; False for a power series."""
    return isinstance(x, arb) and x > bound


def soft_plus(x):
    """Enclose ``log(1 + exp(x))``, which neither overflows nor vanishes."""
    if _is_above(x, 100):
        return x + (-x).exp().log1p()
    return x.exp().log1p() if isinstance(x, arb) else (1 + x.exp()).log()


def _mills_form(x):
    if _is_above(-x, 3):
        return _root_of_two() / _scaled(x * x / 2)
    return (-(x * x) / 2).exp() * (2 / arb.pi()).sqrt() / (-x / _root_of_two()).erfc()


def _log_phi_form(x):
    if _is_above(x, 3):
        return (-(-x * x / 2).exp() * _scaled(x * x / 2) / arb.pi().sqrt() / 2).log1p()
    if _is_above(-x, 3):
        return (_scaled(x * x / 2) / arb.pi().sqrt() / 2).log() - x * x / 2
    return ((-x / _root_of_two()).erfc() / 2).log()


def _log_erfc_form(x):
    if _is_above(x, 2):
        return (_scaled(x * x) / arb.pi().sqrt()).log() - x * x
    if isinstance(x, arb) and abs(x) < 1:
        return (-x.erf()).log1p()
    return x.erfc().log()


log_erfc, log_phi, mills = map(_precisely, (_log_erfc_form, _log_phi_form, _mills_form))
mills_gap = _precisely(lambda x: x + _mills_form(x), 2)


def _is_wide_tail(u):
    """Return whether a complex ball lies so far left and is so wide that the quotient of exponentials has no bound."""
    return u.real < -1 and max(u.real.rad(), u.imag.rad()) > _WIDE_TAIL


def _fraction(t, k):
    """Evaluate ``t + k/(t + (k+1)/(t + ...))`` for Re t > 0; the fraction's tail has a real part above that of t."""
    least = float(t.real.lower())
    depth = k + 1 + int(min(0.25 * least * least, 24.0))          # deeper, the balls would grow
    half = (arb(depth) / (2 * arb(least))).upper()
    value = t + acb(half + arb(0, half), arb(0, half))          # a number over a half-plane is in a disc through 0
    for j in range(depth - 1, k - 1, -1):
        value = t + j / value
    return value


def mills_complex(u, analytic):
    return _fraction(-u, 1) if _is_wide_tail(u) else _mills_form(u)


def mills_gap_complex(u, analytic):
    return 1 / _fraction(-u, 2) if _is_wide_tail(u) else u + _mills_form(u)


def log_phi_complex(u, analytic):
    if not u.real < -1:
        return ((-u / _root_of_two()).erfc() / 2).log(analytic=analytic)
    # the branch that is real on the line: Mills's ratio stays on the right, its logarithm does not wind
    return -u * u / 2 - (2 * arb.pi()).log() / 2 - mills_complex(u, analytic).log(analytic=analytic)


def log_erfc_complex(u, analytic):
    return log_phi_complex(-u * _root_of_two(), analytic) + arb(2).log()


# -- pairs of normals --------------------------------------------------------------------------------


def owen_t_complex(h, a, analytic):
    """Enclose ``a/(2 pi) * integral over [0, 1] of exp(-h^2 (1 + a^2 s^2)/2)/(1 + a^2 s^2)``."""
    if not (h.is_finite() and a.is_finite()):
        return acb("nan")
    square, half = a**2, -(h**2) / 2

    def integrand(s, _):
        u = 1 + square * s**2
        return (half * u).exp() / u

    return _integral(integrand, h, a) * a / (2 * arb.pi())


def bivariate_cdf_complex(h, k, r, analytic):
    """Enclose by Plackett: the derivative by the correlation is the density, integrated over ``t = r s`` from 0."""
    if not (h.is_finite() and k.is_finite() and r.is_finite()):
        return acb("nan")
    root = _root_of_two()
    outside = (-h / root).erfc() * (-k / root).erfc() / 4
    squares, product = h**2 + k**2, 2 * h * k

    def integrand(s, _):
        t = r * s
        u = 1 - t**2
        # the branch of the root is the same all along the segment, and for all correlations of the ball
        return ((product * t - squares) / (2 * u)).exp() / u.sqrt(analytic=True)

    return outside + _integral(integrand, h, k, r) * r / (2 * arb.pi())


def _integral(integrand, *arguments):
    width = sum((x.real.rad() + x.imag.rad() for x in arguments), arb(0)) / 16
    if width > 1 / 64:
        return integrand(acb(arb(0.5, 0.5)), True)      # a mean lies among the values; the ball will be cut anyway
    # finer than the arguments are known the value cannot be
    goal = arb(2) ** -ctx.prec
    return acb.integral(integrand, acb(0), acb(1), rel_tol=width + goal, abs_tol=width + goal,
                        eval_limit=1000 + 10 * ctx.prec)


def at_real(function):
    """Return a function of complex balls at real ones."""
    return lambda *balls: function(*map(acb, balls), False).real


owen_t, bivariate_cdf = map(at_real, (owen_t_complex, bivariate_cdf_complex))


# -- smoothed kinks ----------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _kit(bits):
    root, scale = _root_of_two(), (2 * arb.pi()).sqrt()
    return lambda x: (-(x * x) / 2).exp() / scale, lambda x: (-x / root).erfc() / 2


def _blur_of_points(j, n, c, h, left, right):
    """Enclose the mean without regard to the dependence between arguments."""
    kit, size = _kit(ctx.prec), abs(h).upper()
    if left != right or h > NARROW or not size < _WIDEST:      # a series would have no end there
        return blur_by_ends(kit, j, n, c, h, left, right)
    flip, x = (-1 if (j + n) % 2 else 1, -c) if right > 0 else (1, c)
    count, rest = _count(n, frexp(float(size))[1], ctx.prec)
    before, ctx.cap = ctx.cap, count
    try:
        terms = derivative(*kit, n, arb_series([x, h / 2], count)).coeffs()
    finally:
        ctx.cap = before
    total = sum((a / (j + k + 1) for k, a in enumerate(terms) if (j + k) % 2 == 0), arb(0))
    return (total + arb(0, rest)) * flip / 2**j


@lru_cache(maxsize=4096)
def _count(n, exponent, bits):
    """Return the count of powers of h below ``2**exponent`` that reach the precision, and a bound of the remainder.

    Cramer: :math:`|\\varphi^{(m)}|\\le0.44\\sqrt{m!}`, for Taylor's remainder of each value in the interval.
    """
    k, log_h = max(1, -n), (max(exponent, -1000) - 1) * log(2)
    while (found := lgamma(n + k + 1) / 2 + k * log_h - lgamma(k + 1)) > -bits * log(2):
        k += 1
    return k, exp(max(found, -700.0))


def normal_blur(j, n, c, h, left, right):
    """Enclose the mean; for wide arguments by the mean-value form, as c and h occur many times."""
    j, n, wide = int(j), int(n), max(c.rad(), h.rad())
    if not wide > _WIDE:
        return _blur_of_points(j, n, c, h, left, right)
    before, ctx.prec = ctx.prec, 30
    try:
        moved = sum((_blur_of_points(j + i, n + 1, c, h, left, right) * arb(0, x.rad()) for i, x in enumerate((c, h))),
                    arb(0))
    finally:
        ctx.prec = before
    return _blur_of_points(j, n, arb(c.mid()), arb(h.mid()), left, right) + moved


#: a number below pi/2
_STRIP = 1.5


# -- the proximal step of the logistic loss ----------------------------------------------------------


def _approximate_root(V, t):
    """Find p in double precision, from the root at the real part of t."""
    p = complex(t.real + V * slope_of_floats(V, t.real))
    for _ in range(40 if t.imag else 0):
        f = 1.0 / (1.0 + cmath.exp(p)) if p.real < 700.0 else 0.0
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


# -- the root that parametrises free sums with a semicircle ------------------------------------------


def free_sum_root_complex(a, b, analytic):
    """Enclose the root v at complex balls: a step of Newton's method must map a ball that holds the root at their real
    parts too into its interior, for all arguments between; nan elsewhere."""
    is_real, (at, by) = a.imag == 0 and b.imag == 0, (a.mid(), b.mid())
    v = acb(root_of_floats(float(at.real), float(by.real)))
    for _ in range(8 + ctx.prec.bit_length()):
        q = (1 + v * v).sqrt()
        v = (v - (v - by * v / q - at) / (1 - by / q**3)).mid()
    wide_a, wide_b = (acb(x.real, x.imag.union(arb(0))) for x in (a, b))
    q = (1 + v * v).sqrt()
    rate = (1 / (1 - by / q**3)).mid()
    error = rate * (v - wide_b * v / q - wide_a)
    for widening in (1.3, 2, 8, 32):
        radius = widening * error.abs_upper() + v.abs_upper() * arb(2) ** (4 - ctx.prec)
        disc = acb(arb(0, radius), 0 if is_real else arb(0, radius))
        slope = 1 - wide_b * (1 + (v + disc) ** 2).rsqrt(analytic=True) ** 3
        if (v + disc).real > 0 and slope.real > 0 and (error + (1 - rate * slope) * disc).abs_upper() < radius:
            return v - (v - b * v / q - a) / slope
    return acb("nan")


free_sum_root = at_real(free_sum_root_complex)


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


# -- real balls as a number system -------------------------------------------------------------------------------------


#: comparison -> (method that proves it, method that disproves it)
_RELATIONS = {"<": ("lt", "ge"), "<=": ("le", "gt"), ">": ("gt", "le"), ">=": ("ge", "lt"), "==": ("eq", "ne"),
              "!=": ("ne", "eq")}


class RealBalls:
    """The number system of enclosures; arrays are numpy arrays of objects."""

    dtype = object

    def __init__(self):
        self.kept = {}

    def constant(self, name):
        return arb("nan") if name == "nan" else arb.pi() if name == "pi" else arb.const_e()

    def constant_function(self, expr):
        """Return a function that makes a constant, at the precision in force when it is called."""
        if expr.is_Integer:
            number = int(expr)
            return lambda v: number
        if expr.is_Rational:
            quotient = fmpq(int(expr.p), int(expr.q))
            return lambda v: arb(quotient)
        if expr.is_Float or not expr.is_finite:
            raise ProofError(f"certify: no rule in ball arithmetic for the inexact number {expr}; write it as a "
                             f"Rational; known are {known_names()}")
        number = arb.pi if str(expr) == "pi" else arb.const_e
        return lambda v: number()

    @staticmethod
    def quotient(above, below):
        """Divide; an exact zero below raises, where the ball library would return nan."""
        if isinstance(below, int | arb):
            if below == 0:
                raise ZeroDivisionError("certify: division by exact zero")
            below = arb(below)
        return above / below

    @staticmethod
    def whole_power(x, n):
        """Multiply x n times: the power function of the ball library loses everything on balls that hold 0."""
        total = x
        for _ in range(n - 1):
            total = total * x
        return total

    def half_power(self, x, n):
        return self.whole_power(_each(lambda b: b.sqrt(), x), n)

    @staticmethod
    def general_power(x, power):
        """Raise to a power by the logarithm; not finite where the base may be negative."""
        return _each(lambda b: b.exp(), power * _each(lambda b: b.log(), x))

    @staticmethod
    def larger(x, y):
        return _each(lambda a, b: a.max(b), x, y)

    @staticmethod
    def smaller(x, y):
        return _each(lambda a, b: a.min(b), x, y)

    def function_named(self, name):
        """Return a listed function, of balls and of arrays of them."""
        known = entry(name)
        return lambda *x: _each(known.at_balls, *x, orders=known.orders)

    def function_of(self, expr):
        """Return the function of an expression; raise ProofError with its name where it has no balls."""
        known = entry(type(expr).__name__)
        if known is None or not known.has_balls:
            raise ProofError(f"certify: no rule in ball arithmetic for the function {type(expr).__name__} in "
                             f"{str(expr)[:60]}; known are {known_names()}")
        return self.function_named(known.name)

    @staticmethod
    def holds(relation, left, right):
        if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
            raise ProofError("certify: a comparison switches inside a sum, which is not enclosed")
        compare, negated = (getattr(operator, name) for name in _RELATIONS[relation])
        left, right = arb(left), arb(right)
        return True if compare(left, right) else False if negated(left, right) else None

    @staticmethod
    def undecided(expr):
        raise ProofError(f"certify: which case of {str(expr)[:60]} holds is not decided for the numbers in question: "
                         "they lie on its border or too near it")


def _each(function, *arguments, orders=0):
    """Apply a function of balls, to arrays entry by entry; the first arguments may be ints that stay so."""
    first, rest = arguments[:orders], [_ball(x) for x in arguments[orders:]]
    if any(isinstance(x, np.ndarray) for x in rest):
        return np.frompyfunc(lambda *row: function(*first, *map(_ball, row)), len(rest), 1)(*rest)
    return function(*first, *rest)


def _ball(x):
    return arb(x) if isinstance(x, int) else x


REAL_BALLS = RealBalls()
