"""Evaluate expressions of the parameters that contain means of activations, in every number system.

Evaluate averages over functions of conditional means on tables, for derived quantities.
"""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from sympy import Add, Dummy, Expr, Mul, Pow, Rational, Symbol, oo

from ..equations.system import System
from ..errors import AsympkitError, ConvergenceError, DomainError, ProofError
from ..nodes import Applied, Average, averages, bind, remove_names, slope
from ..numbers.evaluation import Floats, evaluate
from ..once import Deferred, computed_once
from ..program import Names, build, scalar_map
from ..program.rounding import magnitude
from ..program.statements import Means
from ..runtime.means import normal_means
from ..solve.kernel import Kernel
from ..tolerances import ROUNDING

_codegen, _number_systems = Deferred("asympkit.codegen"), Deferred("asympkit.multiprecision.number_systems")


#: relative accuracy in double precision, and number of values cached for one average
_ACCURACY, _KNOWN = 1e-12, 1000


@lru_cache(maxsize=256)
def match_tabulated_average(average, is_moment):
    """Return the :class:`TabledAverage` of an average without names, or None if it has another form.

    ``is_moment`` tells whether an average is of a single activation at an affine argument.
    """
    if len(average.bound_symbols) != 1 or not average.integrand.has(Average):
        return None
    found = {}
    general = Average(_general(average.integrand, frozenset(average.bound_symbols), found), average.measure)
    inner = [a for a in averages(general.integrand) if a.has(Applied)]
    if not inner or not all(map(is_moment, inner)) or not all(_is_level(a, general.bound_symbols) for a in inner):
        return None
    outside = general.integrand.xreplace({a: Dummy(real=True) for a in inner})
    return None if outside.has(Applied) else TabledAverage(general, {s: e for e, s in found.items()})


def _is_level(average, nodes):
    """Return whether the scale of the activation's argument is the same number at all nodes."""
    found = [slope(a.argument, z) for a in average.integrand.atoms(Applied) for z in average.bound_symbols]
    return not any(b.free_symbols & set(nodes) for b in found)


class TabledAverage:
    """Hold an average of functions of conditional means as one equation with its own parameters.

    These, ``coefficients``, are symbols for the parts of the average without bound symbols, with their expressions.
    """

    def __init__(self, average, coefficients):
        self.average, self.coefficients = average, coefficients
        self.symbol, self.known = Symbol("average", real=True), {}

    @computed_once
    def program_with_names(self):
        """Return the program of the equation, and its names."""
        return build(System((self.symbol,), (self.symbol - self.average,)), tuple(self.coefficients))

    @computed_once
    def _kernel(self):
        source = _codegen.write_kernel(*self.program_with_names, "An average of conditional means", loops=False)
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
            return numbers.explicit(program, values, functions)[self.symbol]
        at = tuple(values[s] for s in program.parameters), tuple(functions[p] for p in program.activations)
        found = self._kept((numbers.mp.dps, *at), lambda: numbers.explicit(program, values, functions)[self.symbol])
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


#: relative rounding of double precision above which terms that cancel are computed with more digits, and how many
_LOST, _MORE = 1e-13, 40
#: digits that terms may lose by cancellation
_SPARE = 5


class Lowered:
    """Lower expressions, with any keys, to a map of moments, with symbols for averages that are not moments."""

    def __init__(self, arguments, expressions):
        self.arguments, self.others, self.tables = arguments, {}, []
        outer = set().union(*(_standing(remove_names(e)) for e in expressions.values()))
        for a in sorted((a for a in outer if not _is_moment(a)), key=str):      # with the averages inside it
            self.others[a] = Dummy(f"average{len(self.others)}", real=True)
            if table := match_tabulated_average(a, _is_moment):
                self.tables.append((self.others[a], table, Lowered(arguments, table.coefficients)))
        self.expressions = {k: (remove_names(e) if self.others else e).xreplace(self.others) for k,
                            e in expressions.items()}
        extended = (*arguments, *self.others.values())
        self.names = Names(extended)
        self.mapping = scalar_map(extended, self.expressions, self.names)

    @computed_once
    def forms(self):
        """Return the expressions in means and arguments, by key."""
        return dict(self.mapping.outputs)

    @computed_once
    def _means(self):
        """Return the means of moments that are known: most depend on few of the arguments."""
        return {}

    @computed_once
    def _sizes(self):
        return {k: magnitude(e) for k, e in self.mapping.outputs}

    # -- double precision ---------------------------------------------------------------------------

    def floats(self, values, functions, wanted=lambda key: True, given=None):
        """Return wanted numbers by key, and the relative error of the means; named means may be given."""
        given = given or {}
        numbers, error = Floats(), 0.0
        known = {s: values[s.name] for s in self.arguments}
        known |= self._others({s: Rational(Fraction(v)) for s, v in known.items()} if self.others else {}, functions,
                              lambda a: float(a.evalf(17)))
        for s, table, lowered in self.tables:
            parts, before = lowered.floats(values, functions)
            known[s], change = table.float(parts, functions)
            error = max(error, before, change)
        known = {k: np.float64(v) for k, v in known.items()}
        with np.errstate(all="ignore"):
            for step in self.mapping.preparation:
                if isinstance(step, Means):
                    function = step.activation(functions)
                    offset, slope = (float(evaluate(e, known, numbers)) for e in (step.offset, step.slope))
                    held = sorted({s for _, f in step.items for s in f.free_symbols} & known.keys(), key=str)
                    at = step.outputs, function, offset, slope, *(float(known[s]) for s in held)
                    if at not in self._means:
                        if len(self._means) >= _KNOWN:
                            self._means.clear()
                        self._means[at] = normal_means(function, np.array([offset]), slope,
                                                       _functional(step, known, numbers))
                    means, change = self._means[at]
                    error = max(error, change)
                    known.update((o, np.float64(m[0])) for o, m in zip(step.outputs, means))
                elif step.symbol.name in given:
                    known[step.symbol] = np.float64(given[step.symbol.name])
                else:
                    known[step.symbol] = np.float64(evaluate(step.expr, known, numbers))
            found = {k: float(evaluate(e, known, numbers)) for k, e in self.mapping.outputs if wanted(k)}
            return {k: self._resolved(k, v, known, values, functions) for k, v in found.items()}, error

    def _resolved(self, key, value, known, values, functions):
        """Return a number, recomputed in multiprecision and rounded if its terms cancel."""
        size = float(evaluate(self._sizes[key], known, Floats()))
        if not ROUNDING * size > _LOST * abs(value) or size == 0.0:
            return value

        def again(numbers):
            value = LoweredValues(self, values, numbers, functions)
            return {key: value(key)}, value.size

        try:
            return float(with_digits(_number_systems.MultiprecisionNumbers(_MORE), again)[key])
        except AsympkitError:
            return float("nan")

    # -- digits and balls ---------------------------------------------------------------------------

    def holds_exactly(self, relation, values):
        """Return whether an equation of arguments holds for exact numbers."""
        return bool(relation.xreplace({s: _exact(s.name, values[s.name]) for s in relation.free_symbols}))

    def _others(self, exact, functions, value):
        """Return the values of averages that are neither moments nor tabulated."""
        on_tables = {s for s, _, _ in self.tables}
        return {s: value(bind(a, functions).xreplace(exact)) for a, s in self.others.items() if s not in on_tables}


class LoweredValues:
    """Evaluate lowered expressions in a number system, each when it is asked for.

    ``values`` are ints, Fractions, floats or texts by name, ``numbers`` MultiprecisionNumbers or Balls, ``functions``
    the activations by label; ``given`` are named quantities that are known.
    """

    def __init__(self, lowered, values, numbers, functions, given=None):
        self.lowered = lowered
        known = {s: numbers.number(values[s.name]) for s in lowered.arguments}
        exact = {s: Rational(_fraction(s.name, values[s.name])) for s in lowered.arguments} if lowered.others else {}
        known |= lowered._others(exact, functions, numbers.average)
        for s, table, parts in lowered.tables:
            part = LoweredValues(parts, values, numbers, functions)
            known[s] = table.number({k: part(k) for k in table.coefficients}, functions, numbers)
        self._value = numbers.prepared(lowered.mapping, known, functions, given)

    def __call__(self, key):
        return self._value(self.lowered.forms[key])

    def size(self, key):
        """Return the size of a number without cancellation."""
        return self._value(self.lowered._sizes[key])

    def named(self, name):
        """Return a named quantity of the expressions."""
        return next(self._value(s.symbol) for s in self.lowered.mapping.preparation
                    if not isinstance(s, Means) and s.symbol.name == name)


def with_digits(numbers, compute):
    """Return ``compute(numbers)``, repeated with more digits if terms cancel.

    ``compute`` returns numbers by key, and a function for the size of each without cancellation.  Balls are computed
    once: their radii show what cancels.
    """
    found, size = compute(numbers)
    if not hasattr(numbers, "mp"):
        return found
    most, more, was_zero = numbers.mp.dps + _number_systems.MOST_GUARD, numbers, set()
    while True:
        missing, zero = _missing(found, size, more), {k for k, v in found.items() if v == 0}
        lost = max((n for k, n in missing.items() if k not in zero & was_zero), default=0)
        if more.mp.dps - lost >= numbers.mp.dps - _SPARE or more.mp.dps >= most:
            return {k: numbers.number(v) for k, v in found.items()}
        more, was_zero = _number_systems.MultiprecisionNumbers(min(numbers.mp.dps + lost, most)), zero
        found, size = compute(more)


def round_to_float(value):
    """Return the nearest float to start from: nonzero numbers stay nonzero, finite ones finite."""
    rounded, least, most = float(value), np.finfo(float).tiny, np.finfo(float).max
    if math.isnan(rounded) or value == 0:
        return rounded
    return math.copysign(min(max(abs(rounded), least), most), 1.0 if value > 0 else -1.0)


def _missing(found, size, numbers):
    """Return the digits that each number has lost: all of them if it is 0 and its terms are not."""
    mp, missing = numbers.mp, {}
    for key, value in found.items():
        whole = mp.mpf(size(key))
        if mp.isfinite(whole) and whole > 0:
            missing[key] = mp.dps if value == 0 else int(mp.ceil(mp.log10(max(whole / abs(value), 1))))
    return missing


def _exact(name, value):
    """Return an exact sympy number, or an infinity."""
    try:
        if math.isinf(float(value)):
            return oo if float(value) > 0 else -oo
    except (TypeError, ValueError, OverflowError):
        pass                                    # a fraction beyond the range of floats, or not a number
    if hasattr(value, "rel_accuracy_bits"):     # a ball of a derived quantity, which is compared with 0
        if value.contains(0) and not value.is_zero():
            raise ProofError(f"{name}: got {value}, a ball that contains 0; ask for more digits")
        mantissa, exponent = (int(part) for part in value.mid().man_exp())
        return Rational(mantissa) * Rational(2) ** exponent
    return Rational(_fraction(name, value))


def _fraction(name, value):
    try:
        if hasattr(value, "_mpf_") and value == value:          # a derived quantity in multiprecision
            sign, mantissa, exponent, _ = value._mpf_
            return (-1)**sign * int(mantissa) * Fraction(2)**exponent
        return Fraction(repr(value) if isinstance(value, float) else value)
    except (TypeError, ValueError, OverflowError) as error:
        raise DomainError(f"{name}: got {value!r}; an average that it enters needs a finite number") from error


@lru_cache(maxsize=256)
def _is_moment(average):
    """Return whether an average is of one activation at ``a + b z``, a and b of parameters and moments."""
    if len(average.bound_symbols) != 1:
        return False
    integrand = remove_names(average.integrand)
    inside = _standing(integrand)
    if not all(_is_moment(a) and not a.free_symbols & set(average.bound_symbols) for a in inside):
        return False
    integrand = integrand.xreplace({a: Dummy(nonnegative=True) if a.is_nonnegative else Dummy(real=True)
                                    for a in inside})
    applied = integrand.atoms(Applied)
    if len({(a.label, a.argument, a.order) for a in applied}) != 1 or not _is_affine(applied, *average.bound_symbols):
        return False
    # the samples of the activation resolve polynomials in it, but nothing narrower
    return integrand.is_polynomial(*applied, *average.bound_symbols)


def _is_affine(applied, z):
    """Return whether the argument of an activation is affine in the normal variable and does not decrease."""
    slopes = [slope(a.argument, z) for a in applied]
    return all(b.is_nonnegative and z not in b.free_symbols for b in slopes)


def _standing(expr):
    """Return the averages of an expression that are not inside another average."""
    return {expr} if isinstance(expr, Average) else set().union(*map(_standing, expr.args))


def _functional(step, known, numbers):
    return lambda z, s, at: tuple(evaluate(f, {**known, step.z: z, step.value: s}, numbers) for _, f in step.items)
