"""The size of an expression with all cancellation removed: what its rounding errors are relative to."""

from sympy import Abs, Add, Mul, Pow, Symbol

from ..gauss.measure import Gaussian
from ..nodes import Average, Named
from ..spectra.eigenvalues import Eigenvalues


def magnitude(expr, known=None, bound=frozenset()):
    """Replace terms by their absolute values: sums of magnitudes, averages of absolute integrands.

    Parameters
    ----------
    expr : Expr
    known : dict, optional
        Magnitudes of symbols, ``{symbol: magnitude}``.
    bound : set of Symbol, optional
        Variables of a spectral law inside which we are: they, and denominators in them, are positive.
    """
    known = known or {}
    if isinstance(expr, Symbol):
        if expr in bound:
            return expr
        return known.get(expr, expr if expr.is_nonnegative else Abs(expr))
    if expr.is_nonnegative and not expr.free_symbols & set(known):
        return expr
    if isinstance(expr, Named):
        return expr if expr.free_symbols & bound else magnitude(expr.expr, known, bound)
    if isinstance(expr, Average):
        if isinstance(expr.measure, Gaussian | Eigenvalues):
            return Average(Abs(expr.integrand), expr.measure)
        return Average(magnitude(expr.integrand, known, frozenset(expr.bound_symbols)), expr.measure)
    if isinstance(expr, Add | Mul):
        return expr.func(*[magnitude(a, known, bound) for a in expr.args])
    if isinstance(expr, Pow):
        if expr.exp.is_positive:
            return magnitude(expr.base, known, bound) ** expr.exp
        return expr if expr.free_symbols & bound else Abs(expr)
    return Abs(expr)
