"""Owen's T and the bivariate normal distribution function, as sympy functions with values in any precision.

In multiprecision both are one integral over an angle plus terms that are not negative, so that nothing cancels and
small values keep their relative accuracy.  The integrands fall off from one end of their interval on a scale that may
be tiny; the double exponential rule resolves every scale at an end.
"""

from functools import lru_cache

import numpy as np
from mpmath.ctx_mp import MPContext
from sympy import Expr, Float, Function, Max, Min, Rational, S, asin, atan, erf, erfc, exp, nan, pi, sqrt
from sympy.core.function import ArgumentIndexError
from sympy.core.sorting import default_sort_key

from ...errors import ConvergenceError, DomainError
from .classes import real_numbers
from .routines.normal_pairs import bivariate_cdf_batch, owen_t_batch

_LEVELS = 12


# -- multiprecision values ---------------------------------------------------------------------------


def owen_t(mp, h, a):
    """Evaluate ``T(h, a)`` for real numbers, to the precision of the context."""
    h, a = mp.convert(h), mp.convert(a)
    sign, h, a = mp.sign(a), abs(h), abs(a)
    with mp.workprec(mp.prec + _guard(mp, h * h)):
        half = h * h / 2
        value = sign * _integral(mp, lambda x: mp.exp(-half / mp.cos(x) ** 2), 0, mp.atan(a)) / (2 * mp.pi)
    return +value


def bivariate_cdf(mp, h, k, r, gaps=None):
    """Evaluate ``P(X < h, Y < k)`` for correlation r in [-1, 1], to the precision of the context.

    ``gaps = (h - k, h + k, 1 - r, 1 + r)`` may be given more accurately than h, k and r allow.
    """
    h, k, r = map(mp.convert, (h, k, r))
    d, s, below, above = gaps or (h - k, h + k, 1 - r, 1 + r)
    if below == 0 or above == 0:
        return +(_cdf(mp, min(h, k)) if below == 0 else _overlap(mp, h, k, s))
    gap = max(0, -mp.mag(s)) if s > 0 else 0
    with mp.workprec(mp.prec + gap + _guard(mp, (h * h + k * k) / min(below, above))):
        # Plackett: the derivative by r is the density; t = cos(x) or -cos(x) is the correlation.
        if r >= 0:
            outside = _cdf(mp, h) * _cdf(mp, k)
            ends, gap, product = (_angle(mp, below / 2), mp.pi / 2), d, -h * k / 2
        else:
            outside = _overlap(mp, h, k, s)
            ends, gap, product = (mp.zero, _angle(mp, above / 2)), s, h * k / 2
        square = gap * gap / 2

        def density(x):
            exponent = product / mp.cos(x / 2) ** 2
            return mp.exp(exponent - square / mp.sin(x) ** 2 if square else exponent)

        # The density is largest where the correlation is the ratio of h and k.
        top, (low, high) = max(abs(h), abs(k)), ends
        peak = _angle(mp, abs(gap) / (2 * top)) if top else low
        cuts = [low, peak, high] if low < peak < high else [low, high]
        total = sum((_integral(mp, density, x, y) for x, y in zip(cuts, cuts[1:])), mp.zero)
        value = outside + total / (2 * mp.pi)
    return +value


def _guard(mp, size):
    """Count the bits lost in an exponent of this size, and in resolving a peak of the inverse width."""
    return 24 + 2 * max(0, mp.mag(size))


def _cdf(mp, x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def _overlap(mp, h, k, s):
    """Evaluate ``P(-k < X < h)``, from the tails on the side where they are small."""
    if s <= 0:
        return mp.zero
    return _cdf(mp, h) - _cdf(mp, -k) if h < 0 or k > 0 else _cdf(mp, k) - _cdf(mp, -h)


def _angle(mp, half_gap):
    """Evaluate ``acos(1 - 2 half_gap)`` without loss near zero."""
    return 2 * mp.asin(mp.sqrt(half_gap))


def _integral(mp, f, low, high):
    """Integrate a positive function with its only sharp features at the ends."""
    width, step, total, before = high - low, mp.one, mp.zero, None
    if not width:
        return mp.zero
    bits = mp.prec
    # halving the step squares the error; a monotone function is largest at an end
    enough, nothing = mp.ldexp(mp.one, -int(0.6 * bits)), mp.ldexp(mp.one, -bits)
    edge = width * nothing**2
    largest = f(low + edge) + f(high - edge)
    for level in range(_LEVELS):
        for t_is_zero, near, weight in _nodes(-(-bits // 64) * 64, level):      # few tables, used often
            x, weight = width * mp.make_mpf(near), mp.make_mpf(weight)
            both = f(low + x) if t_is_zero else f(low + x) + f(high - x)
            total += weight * both
            if weight * largest < nothing * total:
                break
        value = total * step * width
        if before is not None and level > 2 and abs(value - before) <= enough * value:
            return value
        before, step = value, step / 2
    raise ConvergenceError(f"evalf: an integral over an angle did not converge to {int(bits / 3.32)} digits; "
                           "ask for fewer digits")


@lru_cache(maxsize=128)
def _nodes(bits, level):
    """Return the new nodes of a level: distance to the nearer end of the unit interval, and weight without the step."""
    mp = MPContext()
    mp.prec = bits + 10
    step, index, rows = mp.ldexp(mp.one, -level), 1 if level else 0, []
    smallest = mp.ldexp(mp.one, -2 * bits)
    while True:
        t = index * step
        e = mp.exp(-mp.pi * mp.sinh(t))
        weight = mp.pi * mp.cosh(t) * e / (1 + e) ** 2
        if weight < smallest:
            return rows
        rows.append((index == 0, (e / (1 + e))._mpf_, weight._mpf_))
        index += 2 if level else 1


# -- between sympy and mpmath ------------------------------------------------------------------------


def as_float(value, prec):
    """Convert an mpf to a sympy number."""
    return Float._new(value._mpf_, prec)


def owen_floats(h, a):
    """Evaluate Owen's T of floats, arrays, or mpmath numbers (to the precision of their context)."""
    context = _context(h, a)
    if context is not None:
        return owen_t(context, h, a)
    # beyond these nothing changes any more
    return owen_t_batch(np.clip(h, -50.0, 50.0), np.clip(a, -1e300, 1e300))[()]


def bivariate_floats(h, k, r):
    """Evaluate the bivariate normal cdf of floats, arrays, or mpmath numbers."""
    context = _context(h, k, r)
    if context is not None:
        return bivariate_cdf(context, h, k, r)
    h, k, r = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (h, k, r)))
    is_known = ~np.isnan(h) & ~np.isnan(k) & (abs(r) <= 1)
    numbers = (np.where(is_known, x, 0.0) for x in (np.clip(h, -50.0, 50.0), np.clip(k, -50.0, 50.0), r))
    return np.where(is_known, bivariate_cdf_batch(*numbers), np.nan)[()]


def _context(*values):
    """Return the context of the first mpmath number among the values, or None."""
    return next((v.context for v in values if hasattr(v, "_mpf_") and hasattr(v, "context")), None)


# -- the sympy functions ------------------------------------------------------------------------------


def normal_cdf(x):
    """Return the normal distribution function, as ``erfc(-x/sqrt(2))/2``."""
    return erfc(-x / sqrt(2)) / 2


class OwenT(Function):
    r"""Owen's function :math:`T(h, a) = \frac1{2\pi}\int_0^a \frac{e^{-h^2(1+x^2)/2}}{1+x^2}\,dx`.

    Parameters
    ----------
    h, a : Expr
        Real.  T is even in h and odd in a, and at most a quarter in size.

    Notes
    -----
    ``diff``, ``evalf`` with any number of digits (relative), ``lambdify`` and :func:`asympkit.enclose` work on
    it.  Source: Owen, Ann. Math. Statist. 27 (1956) 1075.

    Examples
    --------
    >>> from sympy import Symbol
    >>> OwenT(0, Symbol("a"))
    atan(a)/(2*pi)
    """

    nargs = 2
    _imp_ = staticmethod(owen_floats)

    @classmethod
    def eval(cls, h, a):
        if S.NaN in (h, a) or a is S.ComplexInfinity or h is S.ComplexInfinity:
            return nan
        if a.is_zero or h in (S.Infinity, S.NegativeInfinity):
            return S.Zero
        if a in (S.Infinity, S.NegativeInfinity):
            tail = erfc(abs(h) / sqrt(2)) / 4
            return tail if a is S.Infinity else -tail
        if h.is_zero:
            return atan(a) / (2 * pi)
        if h.could_extract_minus_sign():
            return cls(-h, a)
        if a.could_extract_minus_sign():
            return -cls(h, -a)
        if a is S.One:
            return normal_cdf(h) * normal_cdf(-h) / 2
        return None

    def fdiff(self, argindex=1):
        h, a = self.args
        if argindex == 1:
            return -exp(-(h**2) / 2) * erf(a * h / sqrt(2)) / (2 * sqrt(2 * pi))
        if argindex == 2:
            return exp(-(h**2) * (1 + a**2) / 2) / (2 * pi * (1 + a**2))
        raise ArgumentIndexError(self, argindex)

    def _eval_is_extended_real(self):
        return True if all(x.is_extended_real for x in self.args) else None

    _eval_is_finite = _eval_is_extended_real

    def _eval_is_positive(self):
        h, a = self.args
        return True if h.is_real and a.is_extended_positive else None

    def _eval_evalf(self, prec):
        numbers = real_numbers(self.args, prec)
        if numbers is None:
            return None
        mp, (h, a) = numbers
        # exp(-h^2/2) multiplies a relative error of h by h^2
        more = real_numbers(self.args, prec + 2 * max(0, mp.mag(h)) + 4)
        return None if more is None else as_float(owen_t(more[0], *more[1]), prec)

    def _latex(self, printer, exp=None):
        body = r"T\left({}, {}\right)".format(*map(printer._print, self.args))
        return body if exp is None else rf"{body}^{{{exp}}}"


class BivariateNormalCDF(Function):
    r"""Distribution function :math:`\Phi_2(h, k; r) = P(X<h, Y<k)` of unit normals with correlation r.

    Parameters
    ----------
    h, k : Expr
        Real; the function is symmetric in them.
    r : Expr
        Correlation, in [-1, 1].

    Raises
    ------
    DomainError
        If r is a number outside [-1, 1].

    Notes
    -----
    Identities for all correlations are applied at once: infinite arguments, h = k = 0, and r = 0, 1, -1.
    ``expand_func`` also uses Owen's T for h = 0, k = 0 and h = k, h = -k, which needs abs(r) < 1.  The general
    formula in Owen's T has cases that depend on signs, and is not used.  ``diff``, ``evalf`` (relative digits),
    ``lambdify`` and :func:`asympkit.enclose` work on it.

    Examples
    --------
    >>> from sympy import Symbol
    >>> BivariateNormalCDF(0, 0, Symbol("r"))
    asin(r)/(2*pi) + 1/4
    """

    nargs = 3
    _imp_ = staticmethod(bivariate_floats)

    @classmethod
    def eval(cls, h, k, r):
        if any(x in (S.NaN, S.ComplexInfinity) for x in (h, k, r)):
            return nan
        if r.is_number and r.is_extended_real and (abs(r) - 1).is_extended_positive:
            raise DomainError(f"r: got {r}; a correlation lies in [-1, 1]")
        if S.NegativeInfinity in (h, k):
            return S.Zero
        if S.Infinity in (h, k):
            return normal_cdf(k if h is S.Infinity else h)
        if r.is_zero:
            return normal_cdf(h) * normal_cdf(k)
        if r is S.One:
            return normal_cdf(Min(h, k))
        if r is S.NegativeOne:
            return Max(0, normal_cdf(h) - normal_cdf(-k))
        if h.is_zero and k.is_zero:
            return Rational(1, 4) + asin(r) / (2 * pi)
        if default_sort_key(k) < default_sort_key(h):
            return cls(k, h, r)
        return None

    def _eval_expand_func(self, **hints):
        h, k, r = self.args
        if h.is_zero or k.is_zero:
            x = k if h.is_zero else h
            return normal_cdf(x) / 2 + OwenT(x, r / sqrt(1 - r**2))
        if h == k:
            return normal_cdf(h) - 2 * OwenT(h, sqrt((1 - r) / (1 + r)))
        if h == -k:
            return 2 * OwenT(h, sqrt((1 + r) / (1 - r)))
        return self

    def fdiff(self, argindex=1):
        h, k, r = self.args
        if argindex in (1, 2):
            x, y = (h, k) if argindex == 1 else (k, h)
            return exp(-(x**2) / 2) / sqrt(2 * pi) * normal_cdf((y - r * x) / sqrt(1 - r**2))
        if argindex == 3:
            square = 1 - r**2
            return exp(-(h**2 - 2 * r * h * k + k**2) / (2 * square)) / (2 * pi * sqrt(square))
        raise ArgumentIndexError(self, argindex)

    def slope_bound(self, argindex: int) -> Expr:
        """Return a bound of a derivative, finite at correlations 1 and -1 too if it is by h or k."""
        return self.fdiff(3) if argindex == 3 else exp(-(self.args[argindex - 1]**2) / 2) / sqrt(2 * pi)

    def _eval_is_extended_real(self):
        return True if all(x.is_extended_real for x in self.args) else None

    _eval_is_finite = _eval_is_extended_real

    def _eval_is_nonnegative(self):
        return self._eval_is_extended_real()

    def _eval_evalf(self, prec):
        h, k, r = self.args
        # differences are evaluated as such, so that near 0 they keep their digits
        wanted = (h, k, r, h - k, h + k, 1 - r, 1 + r)
        first = real_numbers(wanted, 53)
        if first is None:
            return None
        mp, (h0, k0, r0, *gaps) = first
        # differences that are zero in disguise come out as noise
        noise = mp.ldexp(1, -4 * prec)
        size = max(mp.mag(x) for x in (h0, k0, 1)) - min([0, *(mp.mag(x) for x in gaps if abs(x) > noise)])
        mp, (h, k, r, *gaps) = real_numbers(wanted, prec + 3 * int(size) + 10)
        gaps = [mp.zero if abs(gap) <= noise else gap for gap in gaps]
        if min(gaps[2:]) < 0:
            raise DomainError(f"r: got {r0}; a correlation lies in [-1, 1]")
        return as_float(bivariate_cdf(mp, h, k, r, gaps), prec)

    def _latex(self, printer, exp=None):
        body = r"\Phi_{{2}}\left({}, {}; {}\right)".format(*map(printer._print, self.args))
        return body if exp is None else rf"{body}^{{{exp}}}"
