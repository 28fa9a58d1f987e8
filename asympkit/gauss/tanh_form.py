"""Read an integrand as a polynomial in the variable, ``t = tanh(l)`` and the softplus of ``2 l``.

The unit ``l`` is affine in the variable; exponentials and hyperbolic functions of its multiples are
rational in t, odd multiples by pairs.
"""

from sympy import Dummy, Poly, PolynomialError, cancel, cosh, exp, log, preorder_traversal, sinh, tanh, together

from .closed.decide import OutsideClass, tidy
from .closed.polynomials import coefficients

_RATIONAL = (tanh, exp, cosh, sinh)
_HIGHEST = 40
"""Highest total degree met before an integrand is given up (a guard on running time only)."""


def tanh_polynomial(integrand, z):
    """Return ``((alpha, beta), polynomial in z, t and s)`` with l = alpha + beta z, or None outside the class.

    The polynomial is at most linear in the softplus s, which never comes with t.
    """
    t, s = Dummy("t", real=True), Dummy("s", real=True)
    for alpha, beta in _units(integrand, z):
        poly = _polynomial(integrand, z, alpha + beta * z, t, s)
        if poly is not None:
            return (alpha, beta), poly
    return None


def _units(integrand, z):
    """Return the arguments ``(alpha, beta)`` of tanh in which all functions of z in the integrand may be written."""
    arguments = []
    for f in sorted(integrand.atoms(*_RATIONAL), key=str):
        if z in f.free_symbols:
            try:
                alpha, beta = coefficients(f.args[0], z, top=1)
            except OutsideClass:
                return []
            arguments.append((isinstance(f, exp), -alpha, -beta) if beta.could_extract_minus_sign()
                             else (isinstance(f, exp), alpha, beta))
    halves = [(alpha / 2, beta / 2) for is_exp, alpha, beta in arguments if is_exp]
    found = dict.fromkeys([(alpha, beta) for is_exp, alpha, beta in arguments if not is_exp] + halves)
    return [unit for unit in found if all(_is_multiple(other[1:], unit) for other in arguments)]


def _is_multiple(argument, unit):
    if argument == unit:
        return True
    ratio = cancel(argument[1] / unit[1])
    return ratio.is_Integer and tidy(argument[0] - ratio * unit[0]) == 0


def _polynomial(integrand, z, unit, t, s):
    """Write the integrand as a polynomial in z, tanh and softplus, or return None."""
    y = Dummy("y", positive=True)       # exp(unit), where it occurs in odd powers
    beta = unit.coeff(z)
    replaced = {}
    for f in sorted(integrand.atoms(*_RATIONAL), key=str):
        if z in f.free_symbols:
            n = cancel(coefficients(f.args[0], z, top=1)[1] / beta)
            replaced[f] = _in_tanh(f.func, int(n), t, y)
    for f in integrand.atoms(log):
        if z in f.free_symbols:
            inside = f.args[0].replace(exp, lambda u: y ** cancel(u / unit)).replace(
                cosh, lambda u: (y ** cancel(u / unit) + y ** -cancel(u / unit)) / 2)
            # log(1 + exp(2 l)), log(1 + exp(-2 l)), log(2 cosh(l))
            replaced[f] = {1 + y**2: s, 1 + y**-2: s - 2 * unit, y + 1 / y: s - unit}.get(inside.expand())
            if replaced[f] is None:
                return None
    rational = integrand.xreplace(replaced)
    if y in rational.free_symbols:
        rational = cancel(together(rational)).replace(
            lambda p: p.is_Pow and p.base == y and p.exp.is_even, lambda p: ((1 + t) / (1 - t)) ** (p.exp / 2))
        if y in rational.free_symbols:
            return None
    if any(p.is_Pow and t in p.free_symbols and not p.exp.is_nonnegative for p in preorder_traversal(rational)):
        rational = cancel(together(rational))
    try:
        poly = Poly(rational, z, t, s)
    except PolynomialError:
        return None
    if any(n > 1 or n and j for _, j, n in poly.monoms()) or poly.total_degree() > _HIGHEST:
        return None
    return poly


def _in_tanh(function, n, t, y):
    """Write a function of n times the unit through ``t``, or through ``exp`` of the unit where n is odd."""
    if function is exp and n % 2 == 0:
        return ((1 + t) / (1 - t)) ** (n // 2)
    if function is tanh and abs(n) == 1:
        return n * t
    if function is tanh:
        w = ((1 + t) / (1 - t)) ** n
        return (w - 1) / (w + 1)
    return {exp: y**n, cosh: (y**n + y**-n) / 2, sinh: (y**n - y**-n) / 2}[function]
