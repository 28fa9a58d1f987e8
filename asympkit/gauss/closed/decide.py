"""Decide signs, order and equality with zero of expressions in symbolic parameters.

Nothing here guesses.  A question that the assumptions on the symbols do not decide raises
:class:`OutsideClass`, which :func:`asympkit.gauss.closed.gaussian_mean` turns into ``None``.
"""

from sympy import Expr, Float, Pow, S, cancel, factor, fraction, sqrt

from .roots import Root, lowered, written_out

MAX_SQUARE = 80
"""Most operations of a sum that is still looked at for repeated factors."""


class OutsideClass(Exception):
    """The integrand has no closed form among the rules of this package."""


def tidy(x):
    """Multiply out products and powers of sums, leaving functions and exponentials unexpanded."""
    if x.is_Atom:
        return x
    x = x.expand(power_base=False, power_exp=False, log=False, basic=False)
    return lowered(x, tidy)


def reduced(x):
    """Bring a rational expression of the parameters over one denominator in lowest terms."""
    x = tidy(x)
    # ``cancel`` would rewrite rounded numbers, and a number needs no common denominator.
    if x.is_Atom or not x.free_symbols or x.has(Float):
        return x
    return lowered(cancel(x), reduced)


def vanishes(x):
    """Return whether a multiplied-out expression is the number zero, exact or rounded."""
    return x == 0 or (x.is_Float and not x)


def is_zero(x):
    """Return whether an expression is certainly zero (``False`` also means "not known")."""
    return tidy(x).is_zero is True


def sign_of(x):
    """Return -1, 0 or 1, the sign of a real expression.

    Raises
    ------
    OutsideClass
        If the assumptions on the symbols leave the sign open.
    """
    # A common denominator is more expensive than the plain sum, so it comes second.
    for form in (lambda y: y, tidy, reduced, written_out):
        y = form(x)
        if y.is_positive:
            return 1
        if y.is_negative:
            return -1
        if y.is_zero:
            return 0
    raise OutsideClass(f"the sign of {x} is not known")


def root_of(x):
    """Return the square root of a positive expression, as one of the numerator over one of the denominator."""
    if x.is_Atom or not x.free_symbols:
        return sqrt(x)
    top, bottom = fraction(reduced(x))
    if _looks_negative(bottom):
        top, bottom = tidy(-top), tidy(-bottom)
    top, bottom = _squares_shown(top), _squares_shown(bottom)
    if bottom is not S.One and not (bottom.is_positive or written_out(bottom).is_positive):
        return sqrt(top / bottom)
    (m, top), (n, bottom) = _content(top), _content(bottom)
    return sqrt(m / n) * sqrt(top) / sqrt(bottom)


def _looks_negative(x):
    """Return whether to show -x in place of x, which is positive where parameters vanish (1 - s, not s - 1)."""
    start = x.xreplace({s: S.One if isinstance(s, Root) else S.Zero for s in x.free_symbols})
    return start.is_negative if start.is_nonzero else x.could_extract_minus_sign()


def _squares_shown(x):
    """Factor a sum with repeated factors; return anything else unchanged."""
    if not x.is_Add or x.has(Float) or x.count_ops() > MAX_SQUARE:
        return x
    product = factor(x)
    return product if any(p.exp.is_Integer and p.base.is_Add for p in product.atoms(Pow)) else x


def _content(x):
    """Split off the positive numeric content of a sum or product."""
    number, rest = x.primitive() if x.is_Add else x.as_coeff_Mul()
    return (number, rest) if number.is_positive else (S.One, x)


def order(x: Expr, y: Expr):
    """Return -1, 0 or 1 as ``x`` lies below, at or above ``y``; both may be infinite."""
    if x == y:
        return 0
    if x is S.NegativeInfinity or y is S.Infinity:
        return -1
    if x is S.Infinity or y is S.NegativeInfinity:
        return 1
    return sign_of(x - y)
