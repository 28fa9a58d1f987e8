"""The size of an expression with all cancellation removed: what its rounding errors are relative to."""

from sympy import (
    Abs,
    Add,
    Derivative,
    DiracDelta,
    Float,
    Function,
    Integer,
    Max,
    Min,
    Mul,
    Piecewise,
    Pow,
    Subs,
    Symbol,
    arg,
    im,
    re,
)
from sympy.core.function import ArgumentIndexError

from ..nodes import Average, Named
from ..spectra.rules import GRIDDED


def magnitude(expr, known=None, bound=frozenset(), deep=False):
    """Replace terms by their absolute values: sums of magnitudes, averages of absolute integrands.

    Parameters
    ----------
    expr : Expr
    known : dict, optional
        Magnitudes of symbols, ``{symbol: magnitude}``.
    bound : set of Symbol, optional
        Variables of a spectral law inside which we are: they, and denominators in them, are positive.
    deep : bool
        Count the cancellation in denominators and in arguments of functions too: a function has the size of its value
        and, by its slope, of its argument, so that ``sin(x)`` near pi has that of the rounding of x.
    """
    known = known or {}
    if isinstance(expr, Symbol):
        if expr in bound:
            return expr
        return known.get(expr, expr if expr.is_nonnegative else Abs(expr))
    if expr.is_nonnegative and not expr.free_symbols & set(known) and not (deep and expr.args):
        return expr
    if isinstance(expr, Named):
        return expr if expr.free_symbols & bound else magnitude(expr.expr, known, bound, deep)
    if isinstance(expr, Average):
        if isinstance(expr.measure, GRIDDED):
            return Average(size(expr.integrand), expr.measure)
        return Average(magnitude(expr.integrand, known, frozenset(expr.bound_symbols)), expr.measure)
    if isinstance(expr, Add | Mul):
        return expr.func(*[magnitude(a, known, bound, deep) for a in expr.args])
    if isinstance(expr, Pow) and expr.exp.is_positive:
        return magnitude(expr.base, known, bound, deep) ** expr.exp
    if not deep or expr.free_symbols & bound:
        return expr if isinstance(expr, Pow) and expr.free_symbols & bound else size(expr)
    return _deep(expr, known, bound)


def _deep(expr, known, bound):
    if isinstance(expr, Piecewise):
        return Piecewise(*[(magnitude(value, known, bound, deep=True), when) for value, when in expr.args])
    parts = [magnitude(a, known, bound, deep=True) for a in expr.args]
    if isinstance(expr, Pow) and not expr.exp.free_symbols:
        return size(expr) * (1 if parts[0] in (expr.base, -expr.base, size(expr.base)) else parts[0] / size(expr.base))
    if isinstance(expr, Abs):
        return parts[0]
    if isinstance(expr, Max | Min):
        return Add(*parts)
    if isinstance(expr, Function) and len(parts) == 1:
        # what underflows is not exactly 0
        return size(expr) + size(slope(expr)) * parts[0] + (0 if expr.func(0) == 0 else Float(1e-100))
    return size(expr)


def size(expr):
    """The absolute value of a real expression, also of one that sympy does not know to be real (of roots, say)."""
    found = Abs(expr)
    return Max(expr, -expr) if found.has(re, im, arg) else found


def slope(expr, place=1):
    """The derivative of a function by an argument; 0 where nobody knows it, or where it is a step."""
    try:
        found = expr.fdiff(place)
    except ArgumentIndexError:
        return Integer(0)
    return Integer(0) if found.has(Subs, Derivative, DiracDelta) else found
