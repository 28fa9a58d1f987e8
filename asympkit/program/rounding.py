"""What rounding leaves of a formula, (exp(g) - 1)/g at small g: its error, in units of the rounding of numbers.

Parameters are exact; whatever else is computed has at least the rounding of its own value.  Errors are followed through
sums, products, powers and functions to first order.
"""

from sympy import Abs, Add, And, Eq, Float, Function, Gt, Integer, Max, Min, Mul, Or, Piecewise, Pow, Symbol, log

from ..nodes import Average, Named
from ..spectra.rules import GRIDDED
from ..tolerances import AMPLIFIED
from .magnitude import magnitude, size, size_of_integrand, slope
from .statements import LARGEST_ERROR, ROUNDING

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
        """The symbol of the error of ``symbol = expr``, or None where it is a few roundings of its value."""
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
            return self._product(expr)
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
        return Add(*[size(a) if f is EXACT else _size(a, f) for a, f in zip(expr.args, found)])

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
    """Residuals of outputs that subtract nearly equal numbers.

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


def find_limited(errors, upstream, phase):
    """The symbol of what is 1 where rounding leaves an output fewer digits, relative to itself, than sweeps promise.

    Parameters
    ----------
    errors : dict of Symbol to Symbol
        Errors that the formulas of outputs add to those of what they are made of.
    upstream : sequence of Expr
        Relative errors of the unknowns that Newton's method solves for.
    phase : Phase
    """
    largest = phase.add_new("upstream", Max(ROUNDING, *upstream, evaluate=False)) if upstream else ROUNDING
    cases = [Gt(largest, _PROMISED)] * bool(upstream)
    cases += [And(Gt(largest * error, _PROMISED * Abs(output)), Gt(Abs(output), 10 * ROUNDING * error))
              for output, error in errors.items()]         # what is 0 to its error has no digits to lose
    return phase.add_new("limited", Piecewise((Integer(1), Or(*cases)), (Integer(0), True))) if cases else None


def _size(expr, found):
    """An error as an expression."""
    return Integer(0) if found is EXACT else size(expr) if found is OWN else found


def _is_simple(found):
    return all(f is EXACT or f is OWN for f in found)


def _is_positive(terms):
    return all(t.is_nonnegative for t in terms)
