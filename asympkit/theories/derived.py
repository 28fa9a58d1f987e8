"""Evaluate derived quantities: numbers that follow from the given parameters and enter the equations as parameters.

Result 3.1 of arXiv 2402.04980 is such a map, from a learning rate and a batch to the strength of a spike.  Means of
activations are computed once the activations are known; the map and its derivatives are evaluated in every number
system.  Derivatives of activations that contain point masses, which sampling misses, are rejected.

Whether a Hermite coefficient is exactly zero is read off the form of the function, or proved by algebra: a coefficient
of 1e-20 makes a spike and 0 makes none, so that no numerical threshold can decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import factorial
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import And, Eq, Heaviside, Integer, Max, Min, Mul, Not, Piecewise
from sympy import degree as degree_of
from sympy.core.relational import Relational

from ..errors import AsympkitError, DomainError, LostDigitsError, StructureError
from ..exact import is_zero
from ..gauss.coefficients import coefficient
from ..nodes import Applied, Average, distinct
from ..nodes.average import between_jumps
from ..once import Deferred, computed_once
from ..program.statements import Means, Program
from ..program.steady import steady
from ..properties.cells import parity_of_form
from ..sensitivity.tangent import directional
from .lowered import Lowered, LoweredValues, round_to_float, with_digits
from .usable import rewrite_in_known_functions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sympy import Expr, Symbol

    from ..activations import Activation

_number_systems = Deferred("asympkit.multiprecision.number_systems")


def refuse_point_masses(where: str, applied: Iterable[Any], functions: Mapping[str, Any]) -> None:
    """Raise if a derivative of an activation contains a point mass.

    ``applied`` have ``label`` and ``order``, ``functions`` are the activations by label; ``where`` names the
    expression.
    """
    for a in applied:
        f = functions[a.label]
        if a.order and f.jumps or a.order > 1 and f.kinks:
            what = f"jumps at {f.jumps[0][0]}" if f.jumps else f"has a kink at {f.kinks[0]}"
            raise StructureError(f"{where}: {a.label} = {f.name!r} {what}, so that its derivative of order {a.order} "
                                 "holds a point mass; expected a smoother activation, or the average integrated by "
                                 "parts (E[f'(z)] = E[z*f(z)])")


def has_sampled_values(program: Program) -> bool:
    """Return whether tables of a program hold values of activations themselves, not only their means."""
    return any(isinstance(s, Means) and s.slope == 0 for g in program.grids for s in g.preparation)


def refuse_sampled_point_masses(where: str, program: Program, functions: Mapping[str, Any]) -> None:
    """Raise the same error for the derivatives in the tables of a program."""
    steps = [s for g in program.grids for s in g.preparation if isinstance(s, Means)]
    refuse_point_masses(where, steps, functions)


@dataclass(frozen=True)
class Case:
    """Define a special case of a map, such as a limit, called ``text`` in messages ("no step").

    The ``condition`` is made of ``Eq``, ``And`` and ``Or`` of arguments and means: it holds exactly or not at all.
    ``expressions`` are those that differ from the general ones, by name.
    """

    condition: object
    expressions: dict
    text: str

    def __post_init__(self):
        strange = self.condition.atoms(Relational) - self.condition.atoms(Eq)
        if strange or not self.condition.atoms(Eq) or self.condition.has(Not):
            raise StructureError(f"Case: got the condition {self.condition}; expected equations, joined by And and Or, "
                                 "that neither hold always nor never by the assumptions of their symbols")


class Derived:
    """Map parameters to numbers, with derivatives.

    The ``expressions`` of the ``arguments`` may contain averages over one normal variable, of activations and of
    functions of the arguments; the first of the ``cases`` whose condition holds replaces some.  ``decisive`` are named
    means that are Hermite coefficients, (label of the activation, degree) by name: whether they vanish is proved,
    because a case or a direction depends on it.

    Averages of polynomials in the variable and one activation are moments: they are lowered together to one pass over
    the samples of the activation.  Averages of functions of such moments (conditional means) have their own tables.
    Other averages are evaluated one by one, to the precision of the number system.
    """

    def __init__(self, arguments, expressions, cases=(), decisive=None):
        self.arguments, self.expressions = tuple(arguments), dict(expressions)
        self.cases, self.decisive = tuple(cases), dict(decisive or {})

    @computed_once
    def alternatives(self):
        """Return the expressions of every case in order, and last the general ones."""
        return (*({**self.expressions, **c.expressions} for c in self.cases), self.expressions)

    @computed_once
    def _whole(self):
        wanted = {(k, name): e for k, row in enumerate(self.alternatives) for name, e in row.items()}
        wanted |= {r: r.lhs - r.rhs for c in self.cases for r in c.condition.atoms(Eq)}
        return Lowered(self.arguments, wanted)

    @computed_once
    def _slopes(self):
        return Lowered(self.arguments, {
            (k, name, s.name): between_jumps(_slope(e, s)) for k, row in enumerate(self.alternatives)
            for name, e in row.items() for s in self.arguments if s in e.free_symbols})

    def depends(self, name):
        """Return whether anything here depends on an argument."""
        return any(s.name == name for row in self.alternatives for e in row.values() for s in e.free_symbols)

    def floats(self, values, functions, given=None):
        """Return numbers by name in double precision, and the relative error of the means.

        ``given`` are named means that are known, such as decisive ones.
        """
        k = self._case_of_floats(values, functions, given)
        found, error = self._whole.floats(values, functions, lambda key: isinstance(key, tuple) and key[0] == k, given)
        return {name: v for (_, name), v in found.items()}, error

    def derivatives(self, argument, values, functions, given=None, fixed=()):
        """Return derivatives of all numbers by one argument, ``{name: float}``; parameters as for :meth:`floats`.

        Those of ``fixed`` names are 0, and not computed. DomainError in a case that holds only at this value of the
        argument.
        """
        k = self._case_of_floats(values, functions, given)
        if k < len(self.cases) and not self._stays(self.cases[k].condition, argument, values):
            value, text = values[argument], self.cases[k].text
            raise DomainError(f"{argument}: got {value:g}, which means {text}; the limit {argument} -> {value:g} is "
                              "another one, so that there is no derivative here")
        found, _ = self._slopes.floats(values, functions, lambda key: (key[0], key[2]) == (k, argument)
                                       and key[1] not in fixed, given)
        return {name: found.get((k, name, argument), 0.0) for name in self.expressions}

    def numbers(self, values, numbers, functions):
        """Return numbers in a number system, ``{name: number}``, from ints, Fractions, floats or texts by name.

        Decisive means are 0 if that is proved.  In multiprecision, terms that cancel are computed with more digits.
        """
        k = self._case_of_arguments(values)
        if k is not None and not any(e.has(Average) for e in self.alternatives[k].values()):
            value = LoweredValues(Lowered(self.arguments, self.alternatives[k]), values, numbers, functions)
            return {name: numbers.number(value(name)) for name in self.expressions}
        # the general expressions may be undefined in a case
        of_case = Lowered(self.arguments, self.alternatives[k]) if k is not None and k < len(self.cases) else None
        return with_digits(numbers, lambda more: self._numbers(of_case, values, more, functions))

    def _numbers(self, of_case, values, numbers, functions):
        """Return numbers, and the sizes of the terms that cancel in them; in a case that arguments decide, or any."""
        lowered = of_case or self._whole
        value = LoweredValues(lowered, values, numbers, functions)
        named = {s.symbol.name for s in lowered.mapping.preparation if not isinstance(s, Means)}
        proved = {name: 0 for name, (label, degree) in self.decisive.items() if name in named
                  and numbers.is_doubtful(value.named(name)) and vanishes(functions[label], degree)}
        if proved:
            value = LoweredValues(lowered, values, numbers, functions, proved)
        k = None if of_case else self._first(lambda relation: numbers.is_zero(value(relation)))
        keys = {name: name if of_case else (k, name) for name in self.expressions}
        return {n: numbers.number(value(key)) for n, key in keys.items()}, lambda name: value.size(keys[name])

    # -- which case ---------------------------------------------------------------------------------

    def _first(self, holds):
        """Return the index of the first case that holds, or the number of cases if none does."""
        return next((k for k, c in enumerate(self.cases) if _holds(c.condition, holds)), len(self.cases))

    def _case_of_arguments(self, values):
        """Return the index of the first case, if it follows from the arguments alone."""
        for k, c in enumerate(self.cases):
            if c.condition.has(Average):
                return None
            if _holds(c.condition, lambda relation: self._whole.holds_exactly(relation, values)):
                return k
        return len(self.cases) if self.cases else None

    def _case_of_floats(self, values, functions, given):
        if not self.cases:
            return 0
        k = self._case_of_arguments(values)
        if k is not None:
            return k
        found, _ = self._whole.floats(values, functions, lambda key: not isinstance(key, tuple), given)
        return self._first(lambda relation: found[relation] == 0.0)

    def _stays(self, condition, argument, values):
        """Return whether a condition of arguments still holds when one of them moves."""
        return condition.has(Average) or _holds(condition, lambda relation: argument not in {
            s.name for s in relation.free_symbols} and self._whole.holds_exactly(relation, values))

    # -- generated code -----------------------------------------------------------------------------

    @property
    def moments(self):
        """Return the lowered map for generated code; None if an average is neither a moment nor tabulated."""
        return None if len(self._whole.others) > len(self._whole.tables) else self._whole.mapping

    def differentiated(self):
        """Return the map to the derivatives of the general numbers, 0 in cases, and for each number and argument."""
        found = {(n, s.name): between_jumps(_slope(e, s)) for n, e in self.expressions.items() for s in self.arguments
                 if s in e.free_symbols}
        names = {key: "_by_".join(key) for key in found}
        cases = [Case(c.condition, dict.fromkeys(names.values(), Integer(0)), c.text) for c in self.cases]
        return Derived(self.arguments, {names[key]: e for key, e in found.items()}, cases), tuple(found)

    @property
    def lowered(self):
        """Return all expressions of every case, lowered."""
        return self._whole

    @property
    def lowered_outputs(self):
        """Return the general numbers, in means and arguments, for generated code."""
        return [self._whole.forms[len(self.cases), name] for name in self.expressions]

    @property
    def lowered_cases(self):
        """Return pairs (condition, numbers) of the cases, in means and arguments, for generated code."""
        forms = self._whole.forms
        return [(c.condition.xreplace({r: Eq(forms[r], 0) for r in c.condition.atoms(Eq)}),
                 [forms[k, name] for name in self.expressions]) for k, c in enumerate(self.cases)]

    @property
    def names(self):
        """Return the names of the lowered map."""
        return self._whole.names


def _slope(expr, symbol):
    """Differentiate; for an activation whose argument moves, differentiate the weight of its mean."""
    if not any(symbol in a.argument.free_symbols for a in expr.atoms(Applied)):
        return expr.diff(symbol)
    return directional({symbol: Integer(1)})(expr)


def _holds(condition, holds):
    """Return whether a condition holds, given ``holds`` for each equation in it."""
    if isinstance(condition, Eq):
        return holds(condition)
    parts = (_holds(a, holds) for a in condition.args)
    return all(parts) if isinstance(condition, And) else any(parts)


def read_derived(derived, parameters, taken, functions):
    """Return derived symbols as expressions in parameters alone, each checked; later ones may contain earlier ones.

    ``taken`` are the unknowns, which must not be derived symbols.
    """
    found = {}
    for symbol, expr in derived.items():
        if symbol in parameters or symbol in taken:
            raise StructureError(f"derived: {symbol.name} is a parameter or an unknown too; a derived symbol follows "
                                 "from the parameters")
        expr = expr.xreplace(found)
        extra = sorted(s.name for s in expr.free_symbols - set(parameters))
        if extra:
            raise StructureError(f"derived[{symbol.name}]: {', '.join(extra)} is no parameter; a derived quantity is "
                                 "made of parameters, and of derived ones above it")
        applied = {a for a in distinct(expr) if isinstance(a, Applied)}
        missing = sorted({a.label for a in applied} - set(functions))
        if missing:
            raise StructureError(f"derived[{symbol.name}]: {', '.join(missing)} is applied and not given; give, for "
                                 f"example, activations={{{missing[0]!r}: 'tanh'}}")
        refuse_point_masses(f"derived[{symbol.name}]", applied, functions)
        found[symbol] = rewrite_in_known_functions(expr, f"derived[{symbol.name}]")
    return found


#: number of points whose derived quantities are cached
_KNOWN = 64
#: largest accepted relative error of a derived quantity in double precision
_ERROR = 1e-11


class Quantities:
    """Hold derived quantities, each of which follows from parameters, else StructureError.

    ``as_typed`` has each in terms of parameters and of the quantities above it, ``inlined`` in terms of parameters
    alone; ``map`` is all of them as a :class:`Derived`, None if there are none.
    """

    def __init__(self, as_typed: dict[Symbol, Expr], parameters: Sequence[Symbol], unknowns: Sequence[Symbol],
                 functions: Mapping[str, Activation]) -> None:
        self.as_typed, self.functions = as_typed, functions
        self.inlined: dict[Symbol, Expr] = read_derived(as_typed, parameters, unknowns, functions)
        self.map = Derived(parameters, {s.name: steady(e) for s, e in self.inlined.items()}) if self.inlined else None
        self._known: dict[tuple[float, ...], dict[str, float]] = {}

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return tuple(self.inlined)

    def moved_by(self, parameter: str) -> list[Symbol]:
        """Return the quantities that depend on a parameter."""
        return [s for s, e in self.inlined.items() if any(x.name == parameter for x in e.free_symbols)]

    def depend_on(self, parameter: str) -> bool:
        """Return whether any quantity depends on a parameter."""
        return self.map is not None and self.map.depends(parameter)

    def floats(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the quantities in double precision; the latest are cached, because points of a sweep often share them.

        LostDigitsError if one cannot be computed there in double precision.
        """
        if self.map is None:
            return {}
        here = tuple(values[n] for n in self._moving)
        if here not in self._known:
            if len(self._known) >= _KNOWN:
                self._known.clear()
            self._known[here] = self._recompute(values)
        return self._known[here]

    @computed_once
    def _moving(self):
        """Return the names of the parameters that any quantity depends on."""
        return [s.name for s in self.map.arguments if self.map.depends(s.name)]

    def _recompute(self, values):
        found, error = self.map.floats(values, self.functions)
        lost = [n for n, v in found.items() if not np.isfinite(v)]
        if lost or not error <= _ERROR:
            raise LostDigitsError(f"derived: {', '.join(lost) or ', '.join(found)} could not be computed in double "
                                  f"precision at {', '.join(f'{k} = {v:g}' for k, v in values.items())}: move the "
                                  "parameters, or use precise()")
        return found

    def rounded(self, values: Mapping[str, Any], digits: int) -> dict[str, float]:
        """Return the quantities as :meth:`floats`, rounded from multiprecision numbers; all must be finite."""
        numbers = _number_systems.MultiprecisionNumbers(digits)
        found = self.numbers(values, numbers)
        if strange := [n for n, v in found.items() if not numbers.mp.isfinite(v)]:
            raise DomainError(f"derived: {', '.join(strange)} has no finite value at "
                              f"{', '.join(f'{k} = {v}' for k, v in values.items())}: move the parameters")
        return {n: round_to_float(v) for n, v in found.items()}

    def numbers(self, values: Mapping[str, Any], numbers: Any) -> dict[str, Any]:
        """Return the quantities in a number system, by name."""
        return self.map.numbers(values, numbers, self.functions) if self.map is not None else {}

    def derivatives(self, parameter: str, values: Mapping[str, float]) -> dict[str, float]:
        """Return derivatives by a parameter of the quantities that depend on it, by name."""
        moved = [s.name for s in self.moved_by(parameter)]
        if not moved or self.map is None:
            return {}
        found = self.map.derivatives(parameter, values, self.functions)
        return {n: found[n] for n in moved}


# -- Hermite coefficients that are zero -------------------------------------------------------------------------------

#: digits to which a tiny coefficient is computed, and the part of the norm that they resolve
DIGITS, LEAST = 60, 1e-45
#: largest number of sums among the factors of a product that is expanded
_SUMS = 2


def vanishes(activation, k):
    """Return whether ``E[f(z) He_k(z)]`` is proved to be 0, for k >= 1."""
    return vanishes_by_form(activation, k) or _vanishes(activation, k)


def vanishes_by_form(activation, k):
    """Return whether the form of the function shows it: by parities and degrees of polynomials."""
    return _absent(activation.expr, activation.symbol, k)


@lru_cache(maxsize=512)
def _vanishes(activation, k):
    if activation.parity == ("odd", "even")[k % 2]:
        return True
    exact = exact_value(activation, k)
    return exact is not None and is_zero(exact)


@lru_cache(maxsize=512)
def exact_value(activation, k):
    """Return the coefficient in closed form, or None if no rule gives one."""
    found = activation.hermite(k)
    return None if found.has(Average) else found


def is_present(activation, k, norm):
    """Return whether a Hermite coefficient, k >= 1, that is tiny in double precision is not zero.

    ``norm`` is the root mean square of the function; None if neither a proof nor 60 digits decide.
    """
    if vanishes_by_form(activation, k):
        return False
    try:
        if abs(coefficient(activation, k, DIGITS)) * factorial(k) ** 0.5 > LEAST * norm:
            return True
    except AsympkitError:
        return None
    if vanishes(activation, k):
        return False
    exact = exact_value(activation, k)
    return True if exact is not None and exact.is_nonzero else None


def decide_coefficient(activation, k, norm):
    """Return a tiny coefficient times k!: 0 if that is proved, from more digits if it is not 0, None if undecided."""
    present = is_present(activation, k, norm)
    if not present:
        return present if present is None else 0.0
    exact = exact_value(activation, k)
    return round_to_float((coefficient(activation, k, DIGITS) if exact is None else exact.evalf(30)) * factorial(k))


def _absent(expr, z, k):
    """Return whether the form of an expression shows that its component of degree k vanishes."""
    top = _degree(expr, z)
    if (top is not None and top < k) or parity_of_form(expr, z) == (-1, 1)[k % 2]:
        return True
    if expr.is_Add:
        return all(_absent(term, z, k) for term in expr.args)
    if expr.is_Mul:
        return any(all(_absent(term, z, k) for term in terms) for terms in _expanded(expr, z))
    if isinstance(expr, Max | Min) and len(expr.args) == 2:      # (a + b +- |a - b|)/2
        left, right = expr.args
        return k % 2 == 1 and parity_of_form(left - right, z) != 0 and _absent(left, z, k) and _absent(right, z, k)
    if isinstance(expr, Heaviside):      # (1 + sign(u))/2
        return k % 2 == 0 and parity_of_form(expr.args[0], z) == -1
    if isinstance(expr, Piecewise) and len(expr.args) == 2:      # (a + b + sign(u)(a - b))/2
        (yes, condition), (no, _) = expr.args
        if not isinstance(condition, Relational):
            return False
        sign, step = parity_of_form(condition.lhs - condition.rhs, z), parity_of_form(yes - no, z)
        return sign * step == (-1, 1)[k % 2] and _absent(yes, z, k) and _absent(no, z, k)
    return False


def _expanded(product, z):
    """Yield the terms of a product with one of its factors, a sum, multiplied out; its constant factors left away."""
    _, moving = product.as_independent(z, as_Add=False)
    factors = Mul.make_args(moving)
    if len(factors) == 1:
        yield factors
        return
    sums = [f for f in factors if f.is_Add]
    if 0 < len(sums) <= _SUMS:
        yield [Mul(term, *(f for f in factors if f != sums[0])) for term in sums[0].args]


def _degree(expr, z):
    """Return the degree of a polynomial, or an upper bound of it; None for anything else."""
    if not expr.has(z):
        return 0
    return degree_of(expr, z) if expr.is_polynomial(z) else None
