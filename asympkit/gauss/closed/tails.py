"""Error functions with their arguments in one canonical sign, so that equal ones are recognised.

sympy turns ``erfc(-x)`` into ``2 - erfc(x)`` on construction.  Until the result is assembled the
reflected tail is a function of its own, which lets tails of arguments x and -x be joined.
"""

from sympy import Function, Mul, S, erf, erfc, factor_terms, fraction

from .decide import reduced, root_of, tidy

mirror = Function("mirror")
"""``mirror(x)`` stands for ``erfc(-x)``."""


def unmirrored(expr):
    """Write out the stand-in for ``erfc(-x)``."""
    return expr.replace(mirror, lambda x: 2 - erfc(x)) if expr.has(mirror) else expr


def oriented(r, square=S.One):
    """Return ``(sign, y)`` with ``sign * y = r / sqrt(square)``, the same ``y`` for ``r`` and ``-r``."""
    root = root_of(square)
    # polynomial factors of the root may cancel
    whole = Mul(*[f for f in Mul.make_args(root) if f.as_base_exp()[0].is_Add and f.as_base_exp()[1].is_Integer])
    if whole is not S.One:
        r, root = reduced(r / whole), root / whole
    top, bottom = fraction(r)
    sign = 1
    if top.could_extract_minus_sign():
        sign, top = -1, tidy(-top)
    if top.is_Add:
        top = factor_terms(top)
    y = top / (bottom * root)
    if y.could_extract_minus_sign():
        # sympy would reflect this one: do it here, where the sign is recorded.
        sign, y = -sign, -y
    return sign, y


def erf_of(r, square=S.One):
    """Return ``erf(r / sqrt(square))``."""
    sign, y = oriented(r, square)
    return sign * erf(y)


def erfc_of(r, square=S.One, side=1):
    """Return ``erfc(side * r / sqrt(square))``, mirrored if its argument is turned around."""
    sign, y = oriented(r, square)
    sign *= side
    if y.is_zero:
        return S.One
    return erfc(y) if sign > 0 else mirror(y)


def named(name, r, square=S.One):
    """Return the error function of that name, ``"erf"`` or ``"erfc"``."""
    return (erf_of if name == "erf" else erfc_of)(r, square)
