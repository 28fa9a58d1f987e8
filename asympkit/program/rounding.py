"""Bound what rounding leaves of a formula, (exp(g) - 1)/g at small g: its error, in units of the rounding of numbers.

Parameters are exact; whatever else is computed has at least the rounding of its own value.  Errors are followed through
sums, products, powers and functions to first order.

The size of an expression with all cancellation removed: what its rounding errors are relative to.
"""

from functools import lru_cache

from sympy import (
    Abs,
    Add,
    And,
    Derivative,
    DiracDelta,
    Eq,
    Float,
    Function,
    Gt,
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
    im,
    log,
    loggamma,
    polygamma,
    re,
    sin,
    tan,
)
from sympy.core.function import ArgumentIndexError

from ..nodes import LARGE, Applied, Average, Composite, Named, Tabled, free_of, holds, tree_size
from ..numbers.functions.classes import Larger, Side, Size
from ..spectra import GRIDDED
from ..tolerances import AMPLIFIED
from .statements import LARGEST_ERROR, ROUNDING

#: functions that pass 0 where their arguments do not, so that what rounds an argument may be all of the value
_CROSSING = (log, loggamma, polygamma, sin, cos, tan, besselj, acos)
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
        """Propagate errors through a product, to first order: no products of errors."""
        lossy = [a for a in expr.args if not self.moved.isdisjoint(free_of(a))]
        rest = Mul(*(self(a) for a in expr.args if a not in lossy))
        terms = (Mul(self(a), *(self._own(b) for b in lossy if b is not a)) for a in lossy)
        return rest * Add(*terms) if lossy else rest

    def _own(self, expr):
        """Return the size of a value that has lost nothing; of the variables of a law without signs that no rule
        knows."""
        return size(expr) if self.bound.isdisjoint(free_of(expr)) else magnitude(expr, None, self.bound)

    def _named(self, expr):
        found = self(expr.expr)
        return found if tree_size(expr) < LARGE else Named(f"size_{expr.label}", found)

    def _deep(self, expr):
        if isinstance(expr, Piecewise):
            return Piecewise(*[(self(value), when) for value, when in expr.args])
        return _of_parts(expr, [self(a) for a in expr.args])


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
        return _searched_size(expr) if plain is _plain_size else plain(expr)
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


def _searched_size(expr):
    return size(expr) if tree_size(expr) < _SEARCHED else _plain_size(expr)


def _plain_size(expr):
    return expr if expr.is_nonnegative else Size(expr)


def _rounded_size(expr):
    """Return the size of what is computed at every node, with the cancellation in its sums and logarithms removed."""
    found = _lossy(expr)
    return _searched_size(expr) if found is None else found


def _lossy(expr, is_argument=False):
    """Return the error of an integrand in units of the rounding of numbers, or None where it is that of its own value.

    Arguments of functions that are polynomials round as the nodes do.
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
        if is_simple and (is_argument and expr.is_polynomial(*expr.free_symbols) or _is_positive(expr.args) or
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
    if tree_size(expr) >= LARGE:                # sympy would look for signs to take out, in all of it
        return expr if expr.is_nonnegative else Abs(expr, evaluate=False)
    found = Abs(expr)
    is_complex = found.has(re, im, arg, atan2, conjugate) or isinstance(expr, Add) and isinstance(found, Pow)
    return Max(expr, -expr) if is_complex else found


def slope(expr, place=1):
    """Return the derivative of a function by an argument; 0 where nobody knows it, or where it is a step."""
    try:
        found = expr.fdiff(place)
    except ArgumentIndexError:
        return Integer(0)
    return Integer(0) if found.has(Subs, Derivative, DiracDelta) else found


#: error of what is exact, and of what has nothing but a few roundings of its own value
EXACT, OWN = "exact", "own"
#: relative error up to which a quantity of a sweep has converged
_PROMISED = Float(1e-10)


class Errors:
    """Errors of the outputs of a program, added to a phase.

    Parameters
    ----------
    phase : Phase
    parameters : set of Symbol
    holds_averages : bool
        Whether averages have the rounding of their integrands, or count as one number each: how far rounding moves
        them shows when they are refined.
    """

    def __init__(self, phase, parameters, holds_averages):
        self.phase, self.parameters, self.holds_averages = phase, parameters, holds_averages
        self.known = {}

    def of_output(self, symbol, expr):
        """Return the symbol of the error of ``symbol = expr``, or None where it is a few roundings of its value."""
        found = self._of(expr)
        if found is EXACT or found is OWN:
            return None
        self.known[symbol] = self.phase.add_new("error", found)
        return self.known[symbol]

    def _of(self, expr):
        if expr not in self.known:
            self.known[expr] = self._found(expr)
        return self.known[expr]

    def _found(self, expr):
        if expr.is_number or isinstance(expr, Symbol):
            return EXACT if expr.is_number or expr in self.parameters else OWN
        if isinstance(expr, Named):
            found = self._of(expr.expr)
            return found if found is EXACT or found is OWN else self.phase.add_new(f"error_{expr.label}", found)
        if isinstance(expr, Average):
            return self._average(expr)
        if isinstance(expr, Add):
            return self._sum(expr)
        if isinstance(expr, Mul | Pow):
            return self._of(-expr) if expr.as_coeff_Mul()[0] == -1 else self._product(expr)
        if isinstance(expr, Piecewise):
            found = [self._of(value) for value, _ in expr.args]
            return OWN if _is_simple(found) else Piecewise(
                *[(_size(value, f), when) for (value, when), f in zip(expr.args, found)])
        if isinstance(expr, Abs | Max | Min):
            found = [self._of(a) for a in expr.args]
            return OWN if _is_simple(found) else Piecewise(
                *[(_size(a, f), Eq(a, expr, evaluate=False)) for a, f in zip(expr.args[:-1], found[:-1])],
                (_size(expr.args[-1], found[-1]), True))
        return self._function(expr) if isinstance(expr, Function) else OWN

    def _average(self, expr):
        if not self.holds_averages:
            return OWN
        if isinstance(expr.measure, GRIDDED):
            inside = size_of_integrand(expr.integrand)
            return OWN if inside == expr.integrand else Average(inside, expr.measure)
        inside = magnitude(expr.integrand, self._sizes(), frozenset(expr.bound_symbols))
        return OWN if inside == expr.integrand else expr.measure.sized(inside)

    def _sizes(self):
        return {s: e for s, e in self.known.items() if isinstance(s, Symbol) and isinstance(e, Symbol)}

    def _sum(self, expr):
        found = [self._of(a) for a in expr.args]
        is_one_sided = _is_positive(expr.args) or _is_positive((-expr).args)
        if all(f is EXACT for f in found) or _is_simple(found) and is_one_sided:
            return OWN
        # partial sums may be as large as their terms, exact ones too
        error = Add(*[size(a) if f is EXACT else _size(a, f) for a, f in zip(expr.args, found)])
        # a largest exponent is taken out exactly, and a square by its side
        is_choice = any(isinstance(-a, Larger) or any(isinstance(b, Side) for b in Mul.make_args(a)) for a in expr.args)
        return Piecewise((Integer(0), Eq(expr, 0, evaluate=False)), (error, True)) if is_choice else error

    def _product(self, expr):
        factors = [(a.base, a.exp) if isinstance(a, Pow) else (a, Integer(1)) for a in Mul.make_args(expr)]
        terms = []
        for k, (base, power) in enumerate(factors):
            others = Mul(*(size(b**e) for j, (b, e) in enumerate(factors) if j != k))
            error, error_of_power = self._of(base), self._of(power)
            if not (error is EXACT or error is OWN and power.is_number):
                terms.append(_size(base, error) * size(power * base ** (power - 1)) * others)
            if error_of_power is not EXACT:
                terms.append(_size(power, error_of_power) * size(base**power * log(base)) * others)
        return Add(*terms) if terms else OWN

    def _function(self, expr):
        found = [self._of(a) for a in expr.args]
        if all(f is EXACT for f in found) or _is_simple(found) and getattr(expr, "keeps_digits", False):
            return OWN
        return Add(*[size(slope(expr, k + 1)) * _size(a, f) for k, (a, f) in enumerate(zip(expr.args, found))
                     if f is not EXACT], size(expr))


def check_outputs(outputs, errors, phase):
    """Return residuals of outputs that subtract nearly equal numbers.

    The error is relative to the output, or absolute where an output of terms of size 1 cancels; where it is above
    :data:`LARGEST_ERROR` the residual is :data:`AMPLIFIED`.

    Parameters
    ----------
    outputs : dict of Symbol to Expr
        In the order in which they are made of one another.
    errors : Errors
    phase : Phase

    Returns
    -------
    dict of Symbol to Symbol
        The residuals, by output.
    dict of Symbol to Symbol
        The errors, by output.
    """
    found, known = {}, {}
    for output, expr in outputs.items():
        error = errors.of_output(output, expr)
        if error is not None:
            known[output] = error
            is_lost = Gt(ROUNDING * error, LARGEST_ERROR * Max(1, Abs(output), evaluate=False))
            found[output] = phase.add_new("lost", Piecewise((Float(AMPLIFIED), is_lost), (Integer(0), True)))
    return found, known


def find_limited(errors, upstream, phase, zero):
    """Return the symbol that is 1 where rounding leaves an output fewer relative digits than sweeps promise.

    Parameters
    ----------
    errors : dict of Symbol to Symbol
        Errors that the formulas of outputs add to those of what they are made of.
    upstream : sequence of Expr
        Relative errors of the unknowns that Newton's method solves for.
    phase : Phase
    zero : int
        Errors within which an output is 0 by symmetry, and has no digits to lose.
    """
    largest = phase.add_new("upstream", Max(ROUNDING, *upstream, evaluate=False)) if upstream else ROUNDING
    cases = [Gt(largest, _PROMISED)] * bool(upstream)
    cases += [And(Gt(largest * error, _PROMISED * Abs(output)),
                  *([Gt(Abs(output), zero * ROUNDING * error)] if zero else ())) for output, error in errors.items()]
    return phase.add_new("limited", Piecewise((Integer(1), Or(*cases)), (Integer(0), True))) if cases else None


def _size(expr, found):
    """Return an error as an expression."""
    return Integer(0) if found is EXACT else size(expr) if found is OWN else found


def _is_simple(found):
    return all(f is EXACT or f is OWN for f in found)


def _is_positive(terms):
    return all(t.is_nonnegative for t in terms)
