"""Bound what rounding leaves of a formula, (exp(g) - 1)/g at small g: its error, in units of the rounding of numbers.

A running error analysis: whatever is computed has at least the rounding of its own value, and of a sum that of its
terms; errors are followed through sums, products, powers and functions to first order.  Errors of named parts have
names too, so that those of what is made of them grow with the length of the formulas, not with their products.
"""

from functools import lru_cache
from itertools import permutations

from sympy import (
    Abs,
    Add,
    Derivative,
    DiracDelta,
    Eq,
    Float,
    Function,
    Integer,
    Max,
    Min,
    Mul,
    Or,
    Piecewise,
    Pow,
    Subs,
    Symbol,
    acos,
    arg,
    atan2,
    besselj,
    conjugate,
    cos,
    erfc,
    false,
    im,
    log,
    loggamma,
    polygamma,
    re,
    sin,
    tan,
    true,
)
from sympy.core.function import ArgumentIndexError

from ..nodes import LARGE, Applied, Average, Composite, Named, Tabled, distinct, free_of, holds, tree_size
from ..numbers.functions.classes import Larger, Side, Size
from ..spectra import GRIDDED

#: functions that pass 0 where their arguments do not, so that what rounds an argument may be all of the value
_CROSSING = (log, loggamma, polygamma, sin, cos, tan, besselj, acos)
#: factor of a term up to which roundings that it amplifies are not counted
_STEEP = 10
#: nodes of an integrand up to which signs are looked for in it, to be taken out of its absolute value
_SEARCHED = 200


def magnitude(expr, known=None, as_numbers=False):
    """Return what rounding errors of an expression are relative to: the size of its terms, not of what cancels in
    denominators and in arguments of functions.

    Parameters
    ----------
    expr : Expr
    known : dict, optional
        Magnitudes of symbols, ``{symbol: magnitude}``.
    as_numbers : bool
        Let averages count as one number each.
    """
    return Errors(None, known, deep=False, as_numbers=as_numbers).magnitude(expr)


#: error of what is exact, and of what has nothing but a few roundings of its own value
EXACT, OWN = "exact", "own"
#: nodes of an error of a named part that is written again where it is used
_SHORT = 40
#: error of outputs that may underflow: numbers of this size have all their digits
_UNDERFLOW = Float(1e-300)


class Errors:
    """Errors of expressions, in units of the rounding of numbers; of each part once.

    Parameters
    ----------
    segment : Segment, optional
        Where named parts are symbols, and their errors become symbols: no error is written twice.
    known : dict, optional
        Those of symbols, ``{symbol: error}``; others have the rounding of their values.
    exact : collection of Symbol
        Symbols without any.
    bound : set of Symbol, optional
        Variables of a spectral law inside which we are: they, and denominators in them, are positive.
    deep : bool
        Whether errors of denominators and of arguments of functions count.
    as_numbers : bool
        Whether averages count as one number each, or have the rounding of their integrands: how far rounding moves them
        shows when they are refined.
    least : number
        Error of functions that may underflow.
    """

    def __init__(self, segment=None, known=None, exact=frozenset(), bound=frozenset(), deep=True, as_numbers=False,
                 least=0):
        self.segment = segment
        self.known, self.exact, self.bound = {} if known is None else known, exact, frozenset(bound)
        self.deep, self.as_numbers, self.least = deep, as_numbers, least
        self.found = {}

    def add(self, symbol, expr, label="error"):
        """Return the symbol of the error of ``symbol = expr``, or None where it is a few roundings of its value."""
        found = self.find(expr)
        if found is not None:
            self.known[symbol] = self.segment.add_new(label, found)
        return self.known.get(symbol)

    def add_output(self, symbol, expr):
        """Do as :meth:`add`; what underflows is not 0."""
        error, is_zero = self.add(symbol, expr), _is_zero(expr)
        if is_zero != True and any(isinstance(a, Function) and _is_tail(a) for a in distinct(expr)):    # noqa: E712
            least = Piecewise((Integer(0), is_zero), (_UNDERFLOW, True))
            self.known[symbol] = self.segment.add_new("error", least + (Abs(symbol) if error is None else error))
        return self.known.get(symbol)

    def find(self, expr):
        """Return the error, or None where it is a few roundings of the value."""
        found = self._of(expr)
        return None if found is EXACT or found is OWN else found

    def magnitude(self, expr):
        """Return the error, or where it is a few roundings, the size of the value."""
        found = self.find(expr)
        return self._own(expr) if found is None else found

    def _of(self, expr):
        if expr not in self.found:
            self.found[expr] = self._find(expr)
        return self.found[expr]

    def _find(self, expr):
        if expr.is_number:
            return EXACT
        if isinstance(expr, Symbol):
            return EXACT if expr in self.exact else self.known.get(expr, OWN)
        if not self.deep and expr.is_nonnegative and free_of(expr).isdisjoint(self.known):
            return OWN
        if isinstance(expr, Average):
            return self._average(expr)
        if isinstance(expr, Add):
            return self._sum(expr)
        if isinstance(expr, Mul | Pow):
            return self._of(-expr) if expr.as_coeff_Mul()[0] == -1 else self._product(expr)
        if not free_of(expr).isdisjoint(self.bound):
            return OWN
        if isinstance(expr, Named):
            return self._named(expr, self._of(expr.expr))
        if not self.deep:
            return OWN
        if isinstance(expr, Piecewise | Abs | Max | Min):
            cases = expr.args if isinstance(expr, Piecewise) else [
                *((a, Eq(self._lowered(a), self._lowered(expr), evaluate=False)) for a in expr.args[:-1]),
                (expr.args[-1], true)]
            found = [self._of(value) for value, _ in cases]
            return OWN if _is_simple(found) else Piecewise(
                *[(self._size(value, f), self._lowered(when)) for (value, when), f in zip(cases, found)])
        return self._function(expr) if isinstance(expr, Function) else OWN

    def _named(self, expr, found):
        if found is EXACT or found is OWN or tree_size(found) < _SHORT:
            return found
        if self.segment is not None:
            return self.segment.add_new(f"error_{expr.label}", found)
        return found if tree_size(expr) < LARGE else Named(f"error_{expr.label}", found)

    def _average(self, expr):
        if self.as_numbers:
            return OWN
        if isinstance(expr.measure, GRIDDED):
            inside = size_of_integrand(expr.integrand)
            return OWN if inside == expr.integrand else Average(inside, expr.measure)
        law = Errors(None, self.known, self.exact, expr.bound_symbols, deep=False)
        inside = law.magnitude(expr.integrand)
        return OWN if inside == expr.integrand else expr.measure.sized(inside)

    def _sum(self, expr):
        found = [self._of(a) for a in expr.args]
        is_one_sided = _is_positive(expr.args) or _is_positive((-expr).args)
        if all(f is EXACT for f in found) or _is_simple(found) and is_one_sided:
            return OWN
        # partial sums may be as large as their terms, exact ones too
        error = Add(*[self._own(a) if f is EXACT else self._size(a, f) for a, f in zip(expr.args, found)])
        # a largest exponent is taken out exactly, and a square by its side
        is_choice = any(expr - a in _choices(-a) for a in expr.args if isinstance(-a, Larger)) or any(
            s * a / b in expr.args for a in expr.args for b in Mul.make_args(a) if isinstance(b, Side) for s in (1, -1))
        is_zero = Eq(self._lowered(expr), 0, evaluate=False)
        return Piecewise((Integer(0), is_zero), (error, True)) if is_choice else error

    def _product(self, expr):
        factors = [(a.base, a.exp) if isinstance(a, Pow) else (a, Integer(1)) for a in Mul.make_args(expr)]
        terms, joint = [], self._share(factors)
        for k, (base, power) in enumerate(factors):
            if not (self.deep or power.is_positive) or joint and k in joint[0]:
                continue
            others = Mul(*(self._own(b**e) for j, (b, e) in enumerate(factors) if j != k))
            error, error_of_power = self._of(base), self._of(power)
            if not (error is EXACT or error is OWN and (power.is_number or not self.deep)):
                lost, is_root = self._size(base, error), not self.deep and (1 - power).is_positive
                # roots of 0 have no slope
                terms.append((lost**power if is_root else lost * self._own(power * base ** (power - 1))) * others)
            if error_of_power is not EXACT and self.deep:
                terms.append(self._size(power, error_of_power) * self._own(base**power * log(base)) * others)
        if joint:
            terms.append(joint[1] * Mul(*(self._own(b**e) for j, (b, e) in enumerate(factors) if j not in joint[0])))
        return Add(*terms) if terms else OWN

    def _share(self, factors):
        """Return the places of factors x and 1/(c + b x), of positive c and b x, and the error of their product, or
        None: it has the slope c/(c + b x)**2, where slopes of each nearly cancel at large x."""
        for (j, (x, one)), (k, (below, power)) in permutations(enumerate(factors), 2):
            if one != 1 or power != -1 or not isinstance(below, Add) or not below.has(x) or self._of(x) in (EXACT, OWN):
                continue
            c, bx = below.as_independent(x, as_Add=True)
            b = bx / x
            if b.has(x) or not (_is_positive(Add.make_args(c)) and bx.is_nonnegative):
                continue
            parts = [self._own(rate) * self._size(of, self._of(of)) for rate, of in ((c, x), (x, c), (x * x, b))]
            return (j, k), Add(*parts) / self._own(below**2) + self._own(x / below)
        return None

    def _function(self, expr):
        found = [self._of(a) for a in expr.args]
        if all(f is EXACT for f in found):
            return OWN
        return Add(*[self._own(slope(expr, k + 1)) * self._size(a, f) for k, (a, f) in enumerate(zip(expr.args, found))
                     if f is not EXACT], self._own(expr), 0 if expr.func(*expr.args[:-1], 0) == 0 else self.least)

    def _size(self, expr, found):
        """Return an error as an expression."""
        return Integer(0) if found is EXACT else self._own(expr) if found is OWN else found

    def _own(self, expr):
        """Return the size of a value that has lost nothing; of the variables of a law without signs that no rule
        knows."""
        in_law = not self.bound.isdisjoint(free_of(expr))
        if isinstance(expr, Mul) or in_law and isinstance(expr, Add):
            return expr.func(*map(self._own, expr.args))
        if isinstance(expr, Pow) and (expr.exp.is_positive if in_law else expr.exp.is_number):
            return self._own(expr.base) ** expr.exp
        if in_law:
            return expr if isinstance(expr, Symbol | Named | Pow) else size(expr)
        return self._lowered(expr) if expr.is_nonnegative else size(self._lowered(expr))

    def _lowered(self, expr):
        return expr if self.segment is None else self.segment.lower(expr)


def _choices(expr):
    """Return the numbers of which an expression is the largest."""
    return [u for a in expr.args for u in _choices(a)] if isinstance(expr, Larger) else [expr]


def _is_zero(expr):
    """Return the condition on symbols under which a value that comes out as 0 is 0, as far as factors show it."""
    if isinstance(expr, Mul):
        return Or(*map(_is_zero, expr.args))
    if isinstance(expr, Pow) and expr.exp.is_positive:
        return _is_zero(expr.base)
    return false if _is_tail(expr) else true if holds(expr, (Average, Piecewise)) else Eq(expr, 0)


def _is_tail(expr):
    """Return whether a value is never 0, but may underflow."""
    return expr.is_nonzero and not expr.is_number or isinstance(expr, erfc)


def _of_parts(expr, parts):
    """Return the size of an expression other than a sum or product, from those of its arguments."""
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
    """Return the absolute value of an integrand, the sums over other grids in it with absolute integrands in their
    place; where it holds no activations, with the cancellation in its sums and logarithms removed.

    A mean inside that vanishes by symmetry is the rounding of its terms: so is then the one around it.
    """
    return _size_of_integrand(expr, _plain_size if holds(expr, (Applied, Tabled, Composite)) else _rounded_size)


def _size_of_integrand(expr, plain):
    if not _holds_sums(expr):
        return _size_by_factors(expr) if plain is _plain_size else plain(expr)
    if isinstance(expr, Average):
        return Average(plain(expr.integrand), expr.measure)
    if isinstance(expr, Composite):
        return expr.remade(f"size_{expr.label}", _size_of_integrand(expr.form, plain))
    if isinstance(expr, Named):
        return Named(f"size_{expr.label}", _size_of_integrand(expr.expr, plain))
    if isinstance(expr, Piecewise):
        return Piecewise(*[(_size_of_integrand(value, plain), when) for value, when in expr.args])
    if isinstance(expr, Mul):
        return Mul(plain(Mul(*(a for a in expr.args if not _holds_sums(a)))),
                   *(_size_of_integrand(a, plain) for a in expr.args if _holds_sums(a)))
    parts = [_size_of_integrand(a, plain) if _holds_sums(a) else plain(a) for a in expr.args]
    if isinstance(expr, Add):
        return Add(*parts)
    if isinstance(expr, Pow) and expr.exp.is_positive:
        return parts[0] ** expr.exp
    return _of_parts(expr, parts)


def _size_by_factors(expr):
    """Return the size of each factor: columns of tables stay apart from what is computed at every node.

    Names stay where their sign is known; rules need not resolve kinks of sizes.
    """
    if expr.is_nonnegative or expr.is_number:
        return expr if expr.is_nonnegative else -expr
    if isinstance(expr, Mul):
        return Mul(*map(_size_by_factors, expr.args))
    if isinstance(expr, Pow) and expr.exp.is_Integer:
        return _size_by_factors(expr.base) ** expr.exp
    if isinstance(expr, Named) and not isinstance(expr, Composite):
        found = _size_by_factors(expr.expr)
        if found in (expr.expr, -expr.expr):
            return expr if found == expr.expr else -expr
    return _plain_size(expr)


def _searched_size(expr):
    if tree_size(expr) >= _SEARCHED:
        return _plain_size(expr)
    found = size(expr)
    return found.xreplace({a: Size(*a.args) for a in found.atoms(Abs) - expr.atoms(Abs)})


def _plain_size(expr):
    return expr if expr.is_nonnegative else Size(expr)


def _rounded_size(expr):
    """Return the size of what is computed at every node, with the cancellation in its sums and logarithms removed."""
    found = _lossy(expr)
    return _searched_size(expr) if found is None else found


def _lossy(expr, is_argument=False):
    """Return the error of an integrand in units of the rounding of numbers, or None where it is that of its own value.

    Arguments of functions that are polynomials round as the nodes do, where they are not steep.
    """
    if isinstance(expr, Named):
        return _lossy(expr.expr, is_argument)
    if isinstance(expr, Piecewise):
        found = [_lossy(value) for value, _ in expr.args]
        return None if all(f is None for f in found) else Piecewise(
            *[(_searched_size(value) if f is None else f, when) for (value, when), f in zip(expr.args, found)])
    found = [_lossy(a, not isinstance(expr, Add | Mul | Pow)) for a in expr.args]
    if isinstance(expr, Add):
        is_simple = all(f is None for f in found)
        if is_simple and (is_argument and all(map(_is_gentle, expr.args)) or _is_positive(expr.args) or
                          _is_positive((-expr).args)):
            return None
        return Add(*(_searched_size(a) if f is None else f for a, f in zip(expr.args, found)))
    if isinstance(expr, _CROSSING) and expr.args[-1].has(Add, Function):
        own = _searched_size(expr.args[-1]) if found[-1] is None else found[-1]
        return _searched_size(expr) + _searched_size(slope(expr, len(expr.args))) * own
    lossy = [k for k, f in enumerate(found) if f is not None]
    if not lossy or isinstance(expr, Average):
        return None
    if isinstance(expr, Mul):
        return Add(*(found[k] * _searched_size(Mul(*expr.args[:k], *expr.args[k + 1:])) for k in lossy))
    if isinstance(expr, Pow):
        return _searched_size(expr.exp * expr.base ** (expr.exp - 1)) * found[0] if found[0] is not None else \
            _searched_size(expr) * found[1]
    if isinstance(expr, Abs | Max | Min):
        return Add(*(found[k] for k in lossy))
    if isinstance(expr, Function):
        return _searched_size(expr) + Add(*(_searched_size(slope(expr, k + 1)) * found[k] for k in lossy))
    return None


def _is_gentle(term):
    """Return whether a term of a polynomial in one variable cannot be steep: 10**6*z and x*z may be."""
    factor, rest = term.as_coeff_Mul()
    return rest == 1 or len(rest.free_symbols) == 1 and rest.is_polynomial() and abs(factor) <= _STEEP


@lru_cache(maxsize=200_000)
def _holds_sums(expr):
    """Return whether averages stand in an integrand that are sums at every node of its grid; tables hold no others."""
    if isinstance(expr, Average):
        return isinstance(expr.measure, GRIDDED) and not expr.has(Applied)
    if isinstance(expr, Tabled):
        return False
    if isinstance(expr, Composite):
        return _holds_sums(expr.form) or any(map(_holds_sums, expr.values.values()))
    return _holds_sums(expr.expr) if isinstance(expr, Named) else any(map(_holds_sums, expr.args))


def size(expr):
    """Return the absolute value of a real expression, also of one that sympy does not know to be real (of roots,
    say)."""
    factor, rest = expr.as_coeff_Mul()
    if rest.is_nonnegative:                     # sympy would look for a denominator, and multiply out numbers
        return abs(factor) * rest
    if tree_size(expr) >= LARGE:                # sympy would look for signs to take out, in all of it
        return Abs(expr, evaluate=False)
    found = Abs(expr)
    is_complex = found.has(re, im, arg, atan2, conjugate) or isinstance(expr, Add) and isinstance(found, Pow)
    return Max(expr, -expr) if is_complex else found


def slope(expr, place=1):
    """Return the derivative of a function by an argument, or a bound of its size that is finite where the derivative
    is not; 0 where nobody knows it, or where it is a step."""
    try:
        found = expr.slope_bound(place) if hasattr(expr, "slope_bound") else expr.fdiff(place)
    except ArgumentIndexError:
        return Integer(0)
    return Integer(0) if found.has(Subs, Derivative, DiracDelta) else found


def _is_simple(found):
    return all(f is EXACT or f is OWN for f in found)


def _is_positive(terms):
    return all(t.is_nonnegative for t in terms)
