"""Moments ``m_k = E[He_k(Z) f(Z)]`` of one shape of the normal form, as functions of a symbolic k."""

from sympy import (
    Abs,
    Dummy,
    Eq,
    Mod,
    Piecewise,
    S,
    Sum,
    atan2,
    cos,
    exp,
    factorial,
    hermite_prob,
    pi,
    sin,
    sqrt,
)

from .bases import WHOLE
from .decide import OutsideClass, reduced, root_of, tidy
from .engine import mean_of_shape


def density(x):
    """Return the standard normal density."""
    return exp(-(x**2) / 2) / sqrt(2 * pi)


def hermite_at(k, x):
    """Return ``He_k(x)``; at 0 written out, where sympy's own value for a symbolic degree is wrong (1.14)."""
    return if_even(k, (-S.Half) ** (k / 2) * factorial(k) / factorial(k / 2)) if x.is_zero else hermite_prob(k, x)


def if_even(k, value):
    """Return the value for even k, and 0 for odd ones."""
    return Piecewise((value, Eq(Mod(k, 2), 0)), (0, True))


def raised(sequence, n):
    """Derive the moments of ``z^n f`` from those of f."""
    if n == 0:
        return sequence
    below = raised(sequence, n - 1)

    def moment(k):
        (a, b), (c, d) = below(k + 1), below(k - 1)
        return a + k * c, b + k * d

    return moment


def sequence_of(shape, lo, hi):
    """Return ``(function of k that gives the real and imaginary part of m_k, first k where it holds)``."""
    if shape.factors or (lo, hi) != WHOLE:
        return _recursive(shape, lo, hi)
    if shape.alpha.is_zero:
        return (_gaussian(shape) if not shape.A.is_zero else _exponential(shape)), 0
    if not shape.A.is_zero:
        raise OutsideClass("oscillation times a Gaussian")
    return _exponential(shape), 0


def _exponential(shape):
    """Return ``m_k = (B + i alpha)^k exp(C + (B + i alpha)^2/2 + i beta)``."""
    B, alpha = shape.B, shape.alpha
    size = exp(tidy(shape.C + (B**2 - alpha**2) / 2))
    if alpha.is_zero:
        return lambda k: (B**k * size, S.Zero)
    radius, turn = (alpha, pi / 2) if B.is_zero else (sqrt(B**2 + alpha**2), atan2(alpha, B))
    phase = tidy(shape.beta + alpha * B)
    return lambda k: (radius**k * size * cos(phase + k * turn), radius**k * size * sin(phase + k * turn))


def _gaussian(shape):
    """Return m_k from the generating function ``exp((A t^2 + B t)/v)``, ``v = 1 - 2 A``."""
    A, B = shape.A, shape.B
    v = reduced(1 - 2 * A)
    if not v.is_positive:
        raise OutsideClass("the exponential grows as fast as the Gaussian falls")
    size = exp(reduced(shape.C + B**2 / (2 * v))) / root_of(v)
    if B.is_zero:
        ratio = reduced(A / v)
        return lambda k: (if_even(k, size * ratio ** (k / 2) * factorial(k) / factorial(k / 2)), S.Zero)
    if not A.is_nonpositive:
        raise OutsideClass("a growing exponential off the centre")
    # s^k He_k(x/s) is even in s, so that the sign of the root does not matter
    s = root_of(reduced(-2 * A / v)).replace(Abs, lambda x: x)
    return lambda k: (size * s**k * hermite_prob(k, reduced(B / (v * s))), S.Zero)


def _recursive(shape, lo, hi):
    """Solve ``f' = B f + g``, g a Gaussian or point masses, by ``m_k = B m_(k-1) + g_(k-1)``."""
    ends = [(end, sign) for end, sign in ((lo, 1), (hi, -1)) if end not in WHOLE]
    if not (shape.A.is_zero and shape.alpha.is_zero) or len(shape.factors) + bool(ends) > 1:
        raise OutsideClass("no rule for every degree")
    if ends:
        masses = [(end, sign * density(end) * exp(tidy(shape.B * end + shape.C))) for end, sign in ends]

        def g(k):
            return sum(mass * hermite_at(k, end) for end, mass in masses)
    else:
        (name, p, q), = shape.factors
        slope = (2 if name == "erf" else -2) * p / sqrt(pi)
        inner = _gaussian(shape._replace(A=-(p**2), B=tidy(shape.B - 2 * p * q), C=tidy(shape.C - q**2), factors=()))

        def g(k):
            return slope * inner(k)[0]

    if shape.B.is_zero:
        return (lambda k: (g(k - 1), S.Zero)), 1
    first, j = mean_of_shape(shape, lo, hi), Dummy("j", integer=True, nonnegative=True)
    return (lambda k: (shape.B**k * first + Sum(shape.B ** (k - 1 - j) * g(j), (j, 0, k - 1)), S.Zero)), 0
