"""Quantities that follow from what a person types: numbers that the equations take for parameters.

Result 3.1 of arXiv 2402.04980 is such a map, from a learning rate and a batch to the strength of a spike.  Means of
activations are taken where the activations are known; the map and its derivatives are evaluated in every number system.
"""

from fractions import Fraction
from functools import cached_property

import numpy as np
from sympy import Dummy, Rational

from ..errors import AsympkitError, DomainError, StructureError
from ..nodes import Applied, Average, bind, unname
from ..numbers.evaluation import evaluate
from ..program import Names, scalar_map
from ..program.magnitude import magnitude
from ..program.statements import Means
from ..readings.numbers import Digits, Floats
from ..runtime.means import normal_means
from ..tolerances import ROUNDING
from .usable import usable

__all__ = ["Derived", "read_derived"]

#: relative rounding of double precision above which terms that cancel are computed with more digits, and how many
_LOST, _MORE = 1e-13, 40


class Derived:
    """A map from parameters to numbers, with its derivatives.

    Parameters
    ----------
    arguments : sequence of Symbol
        What is typed.
    expressions : dict of str to Expr
        In the arguments; they may hold averages over one normal variable, of activations and of functions of the
        arguments.

    Notes
    -----
    Averages of polynomials in the variable and one activation at it are moments: they are lowered with all others to
    one pass over its samples.  Other averages are evaluated one by one, to as many digits as the reading has.
    """

    def __init__(self, arguments, expressions):
        self.arguments, self.expressions = tuple(arguments), dict(expressions)

    @cached_property
    def _whole(self):
        return _Lowered(self.arguments, self.expressions)

    @cached_property
    def _slopes(self):
        return _Lowered(self.arguments, {(name, s.name): e.diff(s) for name, e in self.expressions.items()
                                         for s in self.arguments if s in e.free_symbols})

    def depends(self, name):
        """Whether anything here depends on an argument."""
        return any(s.name == name for e in self.expressions.values() for s in e.free_symbols)

    def floats(self, values, functions):
        """Numbers in double precision.

        Parameters
        ----------
        values : dict of str to float
        functions : dict of str to Activation

        Returns
        -------
        dict of str to float
        error : float
            Relative, of the means.
        """
        return self._whole.floats(values, functions)

    def rates(self, argument, values, functions):
        """Derivatives of all numbers by one argument, ``{name: float}``."""
        found, _ = self._slopes.floats(values, functions, lambda key: key[1] == argument)
        return {name: found.get((name, argument), 0.0) for name in self.expressions}

    def numbers(self, values, numbers, functions):
        """Numbers in a number system, ``{name: number}``.

        Parameters
        ----------
        values : dict of str to int, Fraction, float or text
        numbers : Digits or Balls
        functions : dict of str to Activation
        """
        return self._whole.numbers(values, numbers, functions)

    @property
    def moments(self):
        """The lowered map, for generated code; None where it holds other averages than moments."""
        return None if self._whole.others else self._whole.mapping

    @property
    def names(self):
        """Names of the lowered map."""
        return self._whole.names


class _Lowered:
    """Expressions as a map of moments, with symbols for what is no moment."""

    def __init__(self, arguments, expressions):
        self.arguments, self.others = arguments, {}
        outer = _outermost({a for e in expressions.values() for a in unname(e).atoms(Average)})
        for a in sorted((a for a in outer if not _is_moment(a)), key=str):      # what stands inside goes with it
            self.others[a] = Dummy(f"average{len(self.others)}", real=True)
        self.expressions = {k: (unname(e) if self.others else e).xreplace(self.others) for k, e in expressions.items()}
        extended = (*arguments, *self.others.values())
        self.names = Names(extended)
        self.mapping = scalar_map(extended, self.expressions, self.names)

    def floats(self, values, functions, wanted=lambda key: True):
        numbers, error = Floats(), 0.0
        known = {s: values[s.name] for s in self.arguments}
        known |= self._others({s: Rational(Fraction(v)) for s, v in known.items()} if self.others else {}, functions,
                              lambda a: float(a.evalf(17)))
        for step in self.mapping.preparation:
            if isinstance(step, Means):
                function = step.activation(functions)
                means, change = normal_means(function, np.zeros(1), 1.0, _functional(step, known, numbers))
                error = max(error, change)
                known.update((o, float(m[0])) for o, m in zip(step.outputs, means))
            else:
                known[step.symbol] = evaluate(step.expr, known, numbers)
        known = {k: np.float64(v) for k, v in known.items()}
        with np.errstate(all="ignore"):
            found = {k: float(evaluate(e, known, numbers)) for k, e in self.mapping.outputs if wanted(k)}
            return {k: self._resolved(k, v, known, values, functions) for k, v in found.items()}, error

    def _resolved(self, key, value, known, values, functions):
        """The number itself, or, where its terms cancel, rounded from one of more digits."""
        size = float(evaluate(self._sizes[key], known, Floats()))
        if not ROUNDING * size > _LOST * abs(value) or size == 0.0:
            return value
        try:
            return float(self.numbers(values, Digits(_MORE), functions)[key])
        except AsympkitError:
            return float("nan")

    @cached_property
    def _sizes(self):
        return {k: magnitude(e) for k, e in self.mapping.outputs}

    def numbers(self, values, numbers, functions):
        known = {s: numbers.number(values[s.name]) for s in self.arguments}
        exact = {s: Rational(_fraction(s.name, values[s.name])) for s in self.arguments} if self.others else {}
        known |= self._others(exact, functions, numbers.average)
        return numbers.scalar_map(self.mapping, known, functions)

    def _others(self, exact, functions, value):
        return {s: value(bind(a, functions).xreplace(exact)) for a, s in self.others.items()}


def _is_moment(average):
    """Whether an average is of one activation at the normal variable itself, other moments and parameters beside."""
    if len(average.bound_symbols) != 1:
        return False
    integrand = unname(average.integrand)
    inside = _outermost(integrand.atoms(Average))
    if not all(map(_is_moment, inside)):
        return False
    integrand = integrand.xreplace({a: Dummy() for a in inside})
    applied = integrand.atoms(Applied)
    if len(applied) != 1 or {a.argument for a in applied} != {*average.bound_symbols}:
        return False
    # samples made for the activation resolve polynomials in it, and nothing that is narrower than it
    return integrand.is_polynomial(*applied, *average.bound_symbols)


def _outermost(averages):
    """Those that stand in no other."""
    return {a for a in averages if not any(a in b.atoms(Average) - {b} for b in averages)}


def _functional(step, known, numbers):
    return lambda z, s, at: tuple(evaluate(f, {**known, step.z: z, step.value: s}, numbers) for _, f in step.items)


def _fraction(name, value):
    try:
        return Fraction(repr(value) if isinstance(value, float) else value)
    except (TypeError, ValueError, OverflowError) as error:
        raise DomainError(f"{name}: got {value!r}; an average that it enters needs a finite number") from error


def read_derived(derived, parameters, taken, functions):
    """Expressions of derived symbols in parameters alone, each checked; later ones may hold earlier ones.

    Parameters
    ----------
    derived : dict of Symbol to Expr
    parameters : sequence of Symbol
    taken : sequence of Symbol
        Unknowns, which may be no derived symbols.
    functions : dict of str to Activation

    Returns
    -------
    dict of Symbol to Expr
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
        missing = sorted({a.label for a in expr.atoms(Applied)} - set(functions))
        if missing:
            raise StructureError(f"derived[{symbol.name}]: {', '.join(missing)} is applied and not given; give "
                                 f"activations={{{missing[0]!r}: 'tanh'}}, say")
        _refuse_point_masses(symbol, expr, functions)
        found[symbol] = usable(expr, f"derived[{symbol.name}]")
    return found


def _refuse_point_masses(symbol, expr, functions):
    """Raise where a derivative of an activation is a point mass, which no sampling sees."""
    for a in expr.atoms(Applied):
        f = functions[a.label]
        if a.order and f.jumps or a.order > 1 and f.kinks:
            what = f"jumps at {f.jumps[0][0]}" if f.jumps else f"has a kink at {f.kinks[0]}"
            raise StructureError(f"derived[{symbol.name}]: {a.label} = {f.name!r} {what}, so that its derivative of "
                                 f"order {a.order} holds a point mass; expected a smoother activation, or the average "
                                 "integrated by parts (E[f'(z)] = E[z*f(z)])")
