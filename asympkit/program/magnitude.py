"""The size of an expression with all cancellation removed: what its rounding errors are relative to."""

from functools import lru_cache

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
    atan2,
    conjugate,
    im,
    re,
)
from sympy.core.function import ArgumentIndexError

from ..nodes import LARGE, Applied, Average, Composite, Named, Tabled, free_of, tree_size
from ..numbers.functions.classes import Size
from ..spectra.rules import GRIDDED

#: nodes of an integrand up to which signs are looked for in it, to be taken out of its absolute value
_SEARCHED = 200


def magnitude(expr, known=None, bound=frozenset(), deep=False, as_numbers=False):
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
    as_numbers : bool
        Let averages count as one number each.
    """
    return _Magnitudes(known or {}, frozenset(bound), deep, as_numbers)(expr)


class _Magnitudes:
    """Those of the parts of an expression, each computed once; of large named parts they are named."""

    def __init__(self, known, bound, deep, as_numbers):
        self.known, self.bound, self.deep, self.as_numbers = known, bound, deep, as_numbers
        self.moved, self.found = frozenset(known), {}

    def __call__(self, expr):
        if expr not in self.found:
            self.found[expr] = self._of(expr)
        return self.found[expr]

    def _of(self, expr):
        if isinstance(expr, Symbol):
            if expr in self.bound:
                return expr
            return self.known.get(expr, expr if expr.is_nonnegative else Abs(expr))
        if expr.is_nonnegative and not free_of(expr) & self.moved and not (self.deep and expr.args):
            return expr
        if isinstance(expr, Named):
            return expr if free_of(expr) & self.bound else self._named(expr)
        if isinstance(expr, Average):
            if self.as_numbers:
                return size(expr)
            if isinstance(expr.measure, GRIDDED):
                return Average(size_of_integrand(expr.integrand), expr.measure)
            return expr.measure.sized(magnitude(expr.integrand, self.known, frozenset(expr.bound_symbols)))
        if isinstance(expr, Mul):
            return self._product(expr)
        if isinstance(expr, Add):
            return Add(*map(self, expr.args))
        if isinstance(expr, Pow) and expr.exp.is_positive:
            n = expr.exp
            is_first_order = n.is_number and n >= 2 and not self.moved.isdisjoint(free_of(expr.base))
            return self(expr.base) ** n if not is_first_order else \
                n * self(expr.base) * self._own(expr.base) ** (n - 1)
        if not self.deep or free_of(expr) & self.bound:
            return expr if isinstance(expr, Pow) and free_of(expr) & self.bound else size(expr)
        return self._deep(expr)

    def _product(self, expr):
        """To first order: what one factor has lost is not multiplied by what another has lost."""
        lossy = [a for a in expr.args if not self.moved.isdisjoint(free_of(a))]
        rest = Mul(*(self(a) for a in expr.args if a not in lossy))
        terms = (Mul(self(a), *(self._own(b) for b in lossy if b is not a)) for a in lossy)
        return rest * Add(*terms) if lossy else rest

    def _own(self, expr):
        """The size of a value that has lost nothing; of the variables of a law without signs that no rule knows."""
        return size(expr) if self.bound.isdisjoint(free_of(expr)) else magnitude(expr, None, self.bound)

    def _named(self, expr):
        found = self(expr.expr)
        return found if tree_size(expr) < LARGE else Named(f"size_{expr.label}", found)

    def _deep(self, expr):
        if isinstance(expr, Piecewise):
            return Piecewise(*[(self(value), when) for value, when in expr.args])
        return _of_parts(expr, [self(a) for a in expr.args])


def _of_parts(expr, parts):
    """The size of what is no sum and no product, from those of its arguments."""
    if isinstance(expr, Pow) and not free_of(expr.exp):
        own = size(expr.base)
        return size(expr) * (1 if parts[0] in (expr.base, -expr.base, own) else parts[0] / own)
    if isinstance(expr, Abs):
        return parts[0]
    if isinstance(expr, Max | Min):
        return Add(*parts)
    if isinstance(expr, Function) and len(parts) == 1:
        # what underflows is not exactly 0
        return size(expr) + size(slope(expr)) * parts[0] + (0 if expr.func(0) == 0 else Float(1e-100))
    return size(expr)


def size_of_integrand(expr):
    """The absolute value of an integrand, the sums over other grids in it with absolute integrands in their place.

    A mean inside that vanishes by symmetry is the rounding of its terms: so is then the one around it.
    """
    if not _holds_sums(expr):
        return size(expr) if tree_size(expr) < _SEARCHED else _plain_size(expr)
    if isinstance(expr, Average):
        return Average(_plain_size(expr.integrand), expr.measure)
    if isinstance(expr, Composite):
        return expr.remade(f"size_{expr.label}", size_of_integrand(expr.form))
    if isinstance(expr, Named):
        return Named(f"size_{expr.label}", size_of_integrand(expr.expr))
    if isinstance(expr, Piecewise):
        return Piecewise(*[(size_of_integrand(value), when) for value, when in expr.args])
    if isinstance(expr, Mul):
        plain = Mul(*(a for a in expr.args if not _holds_sums(a)))
        return Mul(_plain_size(plain), *(size_of_integrand(a) for a in expr.args if _holds_sums(a)))
    parts = [size_of_integrand(a) if _holds_sums(a) else _plain_size(a) for a in expr.args]
    if isinstance(expr, Add):
        return Add(*parts)
    if isinstance(expr, Pow) and expr.exp.is_positive:
        return parts[0] ** expr.exp
    return _of_parts(expr, parts)


def _plain_size(expr):
    return expr if expr.is_nonnegative else Size(expr)


@lru_cache(maxsize=200_000)
def _holds_sums(expr):
    """Whether averages stand in an integrand that are sums at every node of its grid; tables hold no others."""
    if isinstance(expr, Average):
        return isinstance(expr.measure, GRIDDED) and not expr.has(Applied)
    if isinstance(expr, Tabled):
        return False
    if isinstance(expr, Composite):
        return _holds_sums(expr.form) or any(map(_holds_sums, expr.values.values()))
    return _holds_sums(expr.expr) if isinstance(expr, Named) else any(map(_holds_sums, expr.args))


def size(expr):
    """The absolute value of a real expression, also of one that sympy does not know to be real (of roots, say)."""
    if tree_size(expr) >= LARGE:                # sympy would look for signs to take out, in all of it
        return expr if expr.is_nonnegative else Abs(expr, evaluate=False)
    found = Abs(expr)
    is_complex = found.has(re, im, arg, atan2, conjugate) or isinstance(expr, Add) and isinstance(found, Pow)
    return Max(expr, -expr) if is_complex else found


def slope(expr, place=1):
    """The derivative of a function by an argument; 0 where nobody knows it, or where it is a step."""
    try:
        found = expr.fdiff(place)
    except ArgumentIndexError:
        return Integer(0)
    return Integer(0) if found.has(Subs, Derivative, DiracDelta) else found
