"""What can be decided about symbolic parameters: signs, order, equality with zero.

Nothing here guesses.  A question that the assumptions on the symbols do not settle raises
:class:`OutsideClass`, which :func:`asympkit.gauss.closed.gaussian_mean` turns into ``None``.
"""

from sympy import Expr, Float, S, cancel


class OutsideClass(Exception):
    """The integrand has no closed form among the rules of this package."""


def tidy(x):
    """Multiply out products and powers of sums, leaving functions and exponentials whole."""
    if x.is_Atom:
        return x
    return x.expand(power_base=False, power_exp=False, log=False, basic=False)


def reduced(x):
    """Bring a rational expression of the parameters over one denominator in lowest terms."""
    x = tidy(x)
    # ``cancel`` would rewrite rounded numbers, and a number needs no common denominator.
    if x.is_Atom or not x.free_symbols or x.has(Float):
        return x
    return cancel(x)


def vanishes(x):
    """Tell whether a multiplied-out expression is the number zero, exact or rounded."""
    return x == 0 or (x.is_Float and not x)


def is_zero(x):
    """Tell whether an expression is certainly zero (``False`` also means "not known")."""
    return tidy(x).is_zero is True


def sign_of(x):
    """Return -1, 0 or 1, the sign of a real expression.

    Raises
    ------
    OutsideClass
        If the assumptions on the symbols leave the sign open.
    """
    # The common denominator costs more than the question asked of the plain sum: it comes second.
    for form in (lambda y: y, tidy, reduced):
        y = form(x)
        if y.is_positive:
            return 1
        if y.is_negative:
            return -1
        if y.is_zero:
            return 0
    raise OutsideClass(f"the sign of {x} is not known")


def order(x: Expr, y: Expr):
    """Return -1, 0 or 1 as ``x`` lies below, at or above ``y``; both may be infinite."""
    if x == y:
        return 0
    if x is S.NegativeInfinity or y is S.Infinity:
        return -1
    if x is S.Infinity or y is S.NegativeInfinity:
        return 1
    return sign_of(x - y)
