r"""Find the Hermite coefficients that are exactly zero: read off the form of the function, or proved by algebra.

A coefficient of :math:`10^{-20}` makes a spike and 0 makes none, so that no numerical threshold can decide.
"""

from functools import lru_cache
from math import factorial

import sympy as sp
from sympy.core.relational import Relational

from ..errors import AsympkitError
from ..exact import is_zero
from ..gauss.coefficients import coefficient
from ..nodes import Average
from ..properties.cells import parity_of_form
from .lowered import round_to_float

#: digits to which a tiny coefficient is computed, and the part of the norm that they resolve
DIGITS, LEAST = 60, 1e-45
#: largest number of sums among the factors of a product that is expanded
_SUMS = 2


def vanishes(activation, k):
    """Return whether ``E[f(z) He_k(z)]`` is proved to be 0, for k >= 1."""
    return vanishes_by_form(activation, k) or _vanishes(activation, k)


def vanishes_by_form(activation, k):
    """Return whether the form of the function shows it: by parities and degrees of polynomials."""
    return _absent(activation.expr, activation.symbol, k)


@lru_cache(maxsize=512)
def _vanishes(activation, k):
    if activation.parity == ("odd", "even")[k % 2]:
        return True
    exact = exact_value(activation, k)
    return exact is not None and is_zero(exact)


@lru_cache(maxsize=512)
def exact_value(activation, k):
    """Return the coefficient in closed form, or None if no rule gives one."""
    found = activation.hermite(k)
    return None if found.has(Average) else found


def is_present(activation, k, norm):
    """Return whether a Hermite coefficient, k >= 1, that is tiny in double precision is not zero.

    ``norm`` is the root mean square of the function; None if neither a proof nor 60 digits decide.
    """
    if vanishes_by_form(activation, k):
        return False
    try:
        if abs(coefficient(activation, k, DIGITS)) * factorial(k) ** 0.5 > LEAST * norm:
            return True
    except AsympkitError:
        return None
    if vanishes(activation, k):
        return False
    exact = exact_value(activation, k)
    return True if exact is not None and exact.is_nonzero else None


def decide_coefficient(activation, k, norm):
    """Return a tiny coefficient times k!: 0 if that is proved, from more digits if it is not 0, None if undecided."""
    present = is_present(activation, k, norm)
    if not present:
        return present if present is None else 0.0
    exact = exact_value(activation, k)
    return round_to_float((coefficient(activation, k, DIGITS) if exact is None else exact.evalf(30)) * factorial(k))


def _absent(expr, z, k):
    """Return whether the form of an expression shows that its component of degree k vanishes."""
    degree = _degree(expr, z)
    if (degree is not None and degree < k) or parity_of_form(expr, z) == (-1, 1)[k % 2]:
        return True
    if expr.is_Add:
        return all(_absent(term, z, k) for term in expr.args)
    if expr.is_Mul:
        return any(all(_absent(term, z, k) for term in terms) for terms in _expanded(expr, z))
    if isinstance(expr, sp.Max | sp.Min) and len(expr.args) == 2:      # (a + b +- |a - b|)/2
        left, right = expr.args
        return k % 2 == 1 and parity_of_form(left - right, z) != 0 and _absent(left, z, k) and _absent(right, z, k)
    if isinstance(expr, sp.Heaviside):      # (1 + sign(u))/2
        return k % 2 == 0 and parity_of_form(expr.args[0], z) == -1
    if isinstance(expr, sp.Piecewise) and len(expr.args) == 2:      # (a + b + sign(u)(a - b))/2
        (yes, condition), (no, _) = expr.args
        if not isinstance(condition, Relational):
            return False
        sign, step = parity_of_form(condition.lhs - condition.rhs, z), parity_of_form(yes - no, z)
        return sign * step == (-1, 1)[k % 2] and _absent(yes, z, k) and _absent(no, z, k)
    return False


def _expanded(product, z):
    """Yield the terms of a product with one of its factors, a sum, multiplied out; its constant factors left away."""
    _, moving = product.as_independent(z, as_Add=False)
    factors = sp.Mul.make_args(moving)
    if len(factors) == 1:
        yield factors
        return
    sums = [f for f in factors if f.is_Add]
    if 0 < len(sums) <= _SUMS:
        yield [sp.Mul(term, *(f for f in factors if f != sums[0])) for term in sums[0].args]


def _degree(expr, z):
    """Return the degree of a polynomial, or an upper bound of it; None for anything else."""
    if not expr.has(z):
        return 0
    return sp.degree(expr, z) if expr.is_polynomial(z) else None
