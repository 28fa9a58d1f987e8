"""Identities between means that have no closed form: sums of them for tanh and its relatives that have one.

With ``t = tanh(l)``, ``l = alpha + beta z``, one has ``t' = beta (1 - t^2)``, and by parts (Stein)
``E[z^i (t^j)'] = E[(z^(i+1) - i z^(i-1)) t^j]``: every power of t comes down to the first.  The sigmoid is
``(1 + t)/2`` at ``2 l``, and ``softplus(2 l)`` has the derivative ``beta (1 + t)``.  An integrand is read as a
polynomial in the variable, t and this softplus; exponentials and hyperbolic functions of multiples of l are rational in
t, odd multiples by pairs.
"""

from sympy import (
    Dummy,
    Poly,
    PolynomialError,
    Pow,
    S,
    cancel,
    cosh,
    exp,
    factorial2,
    log,
    preorder_traversal,
    sinh,
    tanh,
    together,
)

from .closed.decide import OutsideClass, coefficients, expand_products

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
    return ratio.is_Integer and expand_products(argument[0] - ratio * unit[0]) == 0


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


def without_integrals(integrand, z):
    """Return the mean where the identities leave no integral, else None."""
    inverse = (p for p in integrand.atoms(Pow) if p.exp.is_negative)
    if not integrand.has(tanh, cosh, log) and not any(p.base.has(exp) for p in inverse):
        return None
    found = tanh_polynomial(integrand, z)
    if found is None:
        return None
    (alpha, beta), poly = found
    form = {}       # coefficients of E[z^i t] and E[s] by ("t", i) and ("s", 0), and the closed part by None
    for (i, j, n), c in poly.terms():
        _lower(form, i, j, n, c, beta)
    if alpha.is_zero:       # t is odd: its mean with an even power vanishes
        form = {key: c for key, c in form.items() if key is None or key[0] == "s" or key[1] % 2}
    closed = cancel(form.pop(None, S.Zero))
    return None if any(cancel(c) != 0 for c in form.values()) else closed


def _lower(form, i, j, n, c, beta):
    """Add ``c E[z^i t^j s^n]`` to a form, in terms of ``E[z^i]``, ``E[z^i t]`` and ``E[s]``."""
    if n:
        if i == 0:
            _add(form, ("s", 0), c)
            return
        if i > 1:
            _lower(form, i - 2, 0, 1, c * (i - 1), beta)
        _lower(form, i - 1, 0, 0, c * beta, beta)
        _lower(form, i - 1, 1, 0, c * beta, beta)
    elif j > 1:
        _lower(form, i, j - 2, 0, c, beta)
        slope = c / (beta * (j - 1))
        _lower(form, i + 1, j - 1, 0, -slope, beta)
        if i:
            _lower(form, i - 1, j - 1, 0, slope * i, beta)
    elif j == 1:
        _add(form, ("t", i), c)
    elif i % 2 == 0:
        _add(form, None, c * factorial2(i - 1))


def _add(form, key, c):
    form[key] = form.get(key, S.Zero) + c
