"""Evaluate averages over functions of conditional means on tables, for derived quantities."""

from functools import cached_property, lru_cache

from sympy import Add, Dummy, Expr, Mul, Pow, Symbol

from ..errors import ConvergenceError
from ..nodes import Applied, Average, averages, slope

__all__ = ["Tabled", "tabled"]

#: relative accuracy in double precision, and number of values cached for one average
_ACCURACY, _KNOWN = 1e-12, 1000


@lru_cache(maxsize=256)
def tabled(average, is_moment):
    """Return the :class:`Tabled` of an average, or None if it has another form.

    Parameters
    ----------
    average : Average
        Without names.
    is_moment : callable
        Returns whether an average is of a single activation at an affine argument.
    """
    if len(average.bound_symbols) != 1 or not average.integrand.has(Average):
        return None
    found = {}
    general = Average(_general(average.integrand, frozenset(average.bound_symbols), found), average.measure)
    inner = [a for a in averages(general.integrand) if a.has(Applied)]
    if not inner or not all(map(is_moment, inner)) or not all(_is_level(a, general.bound_symbols) for a in inner):
        return None
    outside = general.integrand.xreplace({a: Dummy(real=True) for a in inner})
    return None if outside.has(Applied) else Tabled(general, {s: e for e, s in found.items()})


def _is_level(average, nodes):
    """Return whether the scale of the activation's argument is the same number at all nodes."""
    found = [slope(a.argument, z) for a in average.integrand.atoms(Applied) for z in average.bound_symbols]
    return not any(b.free_symbols & set(nodes) for b in found)


class Tabled:
    """Hold an average of functions of conditional means as one equation with its own parameters.

    Parameters
    ----------
    average : Average
        With symbols for the parts without bound symbols.
    coefficients : dict of Symbol to Expr
        These symbols, the parameters of the equation, with their expressions.
    """

    def __init__(self, average, coefficients):
        self.average, self.coefficients = average, coefficients
        self.symbol, self.known = Symbol("average", real=True), {}

    @cached_property
    def program_with_names(self):
        """Return the program of the equation, and its names."""
        from ..equations.system import System
        from ..program import build

        return build(System((self.symbol,), (self.symbol - self.average,)), tuple(self.coefficients))

    @cached_property
    def _kernel(self):
        from ..codegen import write_kernel
        from ..solve.kernel import Kernel

        source = write_kernel(*self.program_with_names, "An average of conditional means", loops=False)
        return Kernel.from_source(source)

    def float(self, values, functions):
        """Return the average in double precision and its relative error, from values of the coefficients."""
        program, _ = self.program_with_names
        used = tuple(functions[label] for label in self._kernel.module.ACTIVATIONS)
        at = tuple(float(values[s]) for s in program.parameters)

        def compute():
            table = tuple(float(values[s]) for s in program.table_parameters)
            try:
                found = self._kernel.solve(at, table, used, (), _ACCURACY)
            except ConvergenceError:
                return float("nan"), float("inf")
            return found.order_parameters[self.symbol.name], found.error_estimate

        return self._kept((at, used), compute)

    def number(self, values, functions, numbers):
        """Return the same in a number system, which evaluates the program (``numbers.explicit``)."""
        program, _ = self.program_with_names
        if numbers.encloses:
            return numbers.explicit(program, values, functions)
        at = tuple(values[s] for s in program.parameters), tuple(functions[p] for p in program.activations)
        found = self._kept((numbers.mp.dps, *at), lambda: numbers.explicit(program, values, functions))
        return numbers.mp.mpf(found)            # each number system has its own context

    def _kept(self, key, compute):
        if key not in self.known:
            if len(self.known) >= _KNOWN:
                self.known.clear()
            self.known[key] = compute()
        return self.known[key]


def _general(expr, bound, found):
    """Replace the largest parts without bound symbols by symbols, and add these to ``found``."""
    if not isinstance(expr, Expr) or expr.is_number and not expr.has(Average) or expr in bound:
        return expr
    if not expr.free_symbols & bound:
        return found.setdefault(expr, _symbol(expr, len(found)))
    if isinstance(expr, Average):
        return Average(_general(expr.integrand, bound | set(expr.bound_symbols), found), expr.measure)
    if isinstance(expr, Add | Mul):
        fixed = [a for a in expr.args if not a.free_symbols & bound]
        if len(fixed) > 1:
            rest = [a for a in expr.args if a.free_symbols & bound]
            return expr.func(_general(expr.func(*fixed), bound, found), *(_general(a, bound, found) for a in rest))
    return expr.func(*(_general(a, bound, found) for a in expr.args))


def _symbol(expr, number):
    return Symbol(f"part{number}", real=True, nonnegative=_is_nonnegative(expr) or None)


def _is_nonnegative(expr):
    """Return whether a real expression is nonnegative by its form; sympy's own test walks whole trees and may fail."""
    if isinstance(expr, Add | Mul):
        return all(map(_is_nonnegative, expr.args))
    if isinstance(expr, Pow) and expr.exp.is_Rational:
        return expr.exp.q % 2 == 0 or expr.exp.p % 2 == 0 or _is_nonnegative(expr.base)
    return bool((expr.is_Symbol or expr.is_number and not expr.args) and expr.is_nonnegative)
