"""Owen's T and the bivariate normal distribution function, as sympy functions."""

from sympy import Function, Max, Min, Rational, S, asin, atan, erf, erfc, exp, nan, pi, sqrt
from sympy.core.function import ArgumentIndexError
from sympy.core.sorting import default_sort_key

from ...errors import DomainError
from .pair_digits import as_float, bivariate_cdf, bivariate_floats, owen_floats, owen_t, real_numbers


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
