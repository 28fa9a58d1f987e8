"""Numbers behind the decisions on an expression in one real variable: its value and its sign at a point."""

from functools import lru_cache

from ..parsing.from_sympy import from_sympy
from ..parsing.to_mpmath import context
from ..parsing.to_noisy import InNoiseError, with_noise

__all__ = ["digits_at", "sign_at", "value_at"]

#: digits with which a number is asked for when fewer leave it in the noise of rounding
_MORE_DIGITS = (60, 250, 1000)


@lru_cache(maxsize=2048)
def digits_at(point, digits):
    """A point as a sympy number with so many digits."""
    import sympy as sp

    return sp.N(point.xreplace({root: _root(root, digits + 30) for root in point.atoms(sp.CRootOf)}), digits)


def _root(root, digits):
    """A root of a polynomial by Newton's method: sympy bisects, which takes a second for one of degree twenty."""
    import sympy as sp

    first, mp = root.eval_rational(n=20), context(digits + 50)
    x, coefficients = mp.mpf(first.p) / first.q, [mp.mpf(c.p) / c.q for c in root.poly.all_coeffs()]
    start = x
    for _ in range(10):
        value, slope = mp.polyval(coefficients, x, derivative=True)
        if value == 0 or abs(value) <= abs(slope * x) * mp.mpf(10) ** -digits:
            return sp.Float(str(x), digits)
        x -= value / slope
        if abs(x - start) > abs(start) * 1e-18:      # this may be another root, close to the one that is refined
            break
    return sp.N(root, digits)


@lru_cache(maxsize=512)
def _tree(expr):
    return from_sympy(expr)


def value_at(expr, z, point, digits=60):
    """Multiple-precision value of an expression at a real point, 0 where it does not rise above rounding.

    Raises
    ------
    Undefined
        Where it has no finite real value; a denominator that vanishes up to rounding is one.
    """
    *fewer, most = digits, *(more for more in _MORE_DIGITS if more > digits)
    for enough in fewer:
        try:
            return _value(expr, z, point, enough)
        except InNoiseError:
            continue
    return _value(expr, z, point, most)


def _value(expr, z, point, digits):
    return with_noise(_tree(expr), {z.name: _number(point, digits)}, digits)[0]


def _number(point, digits):
    """(value, error) of a point; one that was found numerically is known to its own digits only."""
    import sympy as sp
    from sympy.core.sympify import _sympify

    number = context(digits + 10).mpf(str(digits_at(point, digits + 10)))
    known = min([digits, *(f._prec * 0.3 for f in _sympify(point).atoms(sp.Float))])
    return number, abs(number) * context(digits).mpf(10) ** (1 - known)


def sign_at(expr, z, sample):
    """Sign of an expression at a rational point; 0 is what stays in the noise of rounding at a thousand digits."""
    for digits in _MORE_DIGITS:
        value = value_at(expr, z, sample, digits)
        if value:
            return 1 if value > 0 else -1
    return 0
