"""Derivatives of one solution: solve the tangent system at a point.

Refuse derivatives by a parameter at kinks and jumps, where they have two sides, and report both.
"""

import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np
from sympy import Add, Basic, Float, preorder_traversal

from ..arguments import broadcast, quote
from ..errors import (
    AssumptionWarning,
    AsympkitError,
    BrokenAssumptions,
    ConvergenceError,
    DomainError,
    UnknownNameError,
    suggest,
)
from ..nodes import Average
from ..properties.cells import switching_borders
from ..solve.blocks import solve_together, suits
from ..solve.kernel import Kernel, SolverOptions, load_module
from ..solve.solution import Solution, Status
from ..tolerances import AMPLIFIED, ITERATIONS
from .tangent import rate_names

__all__ = ["switches"]

#: shares of a parameter on each side at which the derivative is compared
_STEPS = (1e-5, 1e-6)
#: tolerance for zero of a number that the parameters determine, which has rounding alone, and of one that is solved
#: for, which has the accuracy of a solution
_EXACT, _SOLVED = 1e-15, 1e-9
#: relative difference of the two sides that counts
_APART = 1e-6
#: part of a quantity that a derivative counts as, and points that are solved together at most
_LEAST, _TOGETHER = 1e-5, 256


def switches(expr):
    """Return ``(node, argument)`` for the switches of an expression that parameters and unknowns decide.

    Switches that a variable of an average decides are omitted: the mean over it is smooth.
    """
    bound = {s for a in expr.atoms(Average) for s in a.bound_symbols}
    found = [(node, argument) for node in preorder_traversal(expr) if isinstance(node, Basic)
             for argument in switching_borders(node)]
    return [(node, a) for node, a in found if a.free_symbols and not a.free_symbols & bound]


def check_smooth(model, quantity, parameter, solution, rate_at, parameters):
    """Raise if a quantity has a kink or a jump in a parameter at a solution, with the derivatives of both sides.

    ``rate_at(quantity, derivative)`` are those at other parameters.
    """
    near = [node for node, argument in model.switches(quantity) if _is_at_switch(argument, solution)]
    if not near:
        return
    here = solution.parameters[parameter]
    sides = [[_side(rate_at, parameters, parameter, here, sign * share) for sign in (-1, 1)] for share in _STEPS]
    is_whole = all(None not in pair for pair in sides)
    jump = is_whole and _jumps(here, sides[-1])
    if is_whole and not jump and _meets(sides):
        return
    what, place = ("value", 0) if jump else ("derivative", 1)
    below, above = ("not defined" if side is None else f"{side[place]:.6g}" for side in sides[-1])
    raise DomainError(f"sensitivity: {quantity} is not differentiable in {parameter} at {parameter} = {here:g}, where "
                      f"{str(near[0])[:80]} switches: its {what} is {below} from below and {above} from above; move "
                      "the parameter to the intended side")


def _is_at_switch(argument, solution):
    """Return whether the argument of a switch is zero at a solution, or cannot be distinguished from zero."""
    known = {**solution.parameters, **solution.order_parameters}
    values = {s: Float(float(known[s.name]), 30) for s in argument.free_symbols if s.name in known}
    terms = [abs(t.xreplace(values).evalf(20)) for t in Add.make_args(argument)]
    gap = argument.xreplace(values).evalf(20)
    if not gap.is_number or not all(t.is_number for t in terms):
        return True
    solved = [n for n in solution.order_parameters if any(s.name == n for s in argument.free_symbols)]
    size = sum(map(float, terms), 0.0) + sum(float(solution.scale.get(n, 0.0)) for n in solved)
    return abs(float(gap)) <= (_SOLVED if solved else _EXACT) * size


def _side(rate_at, parameters, parameter, here, share):
    """Return quantity and derivative a small step aside, or None where there is no solution."""
    try:
        return rate_at({**parameters, parameter: here + share * (abs(here) or 1.0)})
    except (DomainError, ConvergenceError):
        return None


def _jumps(here, sides):
    """Return whether the values of the two sides are further apart than their slopes explain."""
    (low, slope), (high, other) = sides
    width = 2 * _STEPS[1] * (abs(here) or 1.0)
    return abs(high - low) > 2 * max(abs(slope), abs(other)) * width + _APART * max(abs(low), abs(high))


def _meets(sides):
    """Return whether the derivatives of the two sides meet: then their gap shrinks with the distance."""
    (_, far_low), (_, far_high) = sides[0]
    (_, low), (_, high) = sides[1]
    gap = abs(high - low)
    return gap <= _APART * max(abs(low), abs(high)) or gap < 0.5 * abs(far_high - far_low)


_SINGULAR = "the linearised equations have no solution here, or are singular to rounding"
_LOST = "nearly equal numbers are subtracted"


@dataclass(frozen=True)
class Tangent:
    """A tangent system at one point, ready for its kernel: the parameters of its program, rates included.

    ``table_parameters`` are those of the point, where there are no others.
    """

    kernel: object
    values: tuple
    table_parameters: tuple | None = None

    @classmethod
    def along(cls, kernel, module, rates, point):
        """Return the system in a direction of the parameters of a module, those of its tables included."""
        of_point, of_table = ([rates.get(n, 0.0) for n in names] for names in (
            module.PARAMETERS, module.TABLE_PARAMETERS))
        return cls(kernel, (*point.values, *of_point), (*point.table_parameters, *of_table))

    def tables_at(self, point):
        """Return the parameters on which the tables depend."""
        return point.table_parameters if self.table_parameters is None else self.table_parameters


def tangent_kernel(source, model):
    """Make a kernel for a tangent module; derivatives of observables are judged by their size before cancellation."""
    module = load_module(source) if isinstance(source, str) else source
    rates, sizes = rate_names(model.kernel.module, module)
    kept = ("other_starts", "far_starts", "may_vanish", "intervals", "narrow", "guess_start", "auxiliary",
            "continuation_parameter")
    options = {name: getattr(model.kernel.options, name) for name in kept}
    return Kernel(module, SolverOptions(model.kernel.start, derivatives=rates, sizes=sizes, **options))


def run_sensitivity(model, quantity, parameter, rtol, parameters):
    """See :meth:`asympkit.theories.model.Model.sensitivity`."""
    if not isinstance(parameter, str):
        if not isinstance(parameter, tuple | list) or not all(isinstance(n, str) for n in parameter):
            raise DomainError(f"parameter: got {quote(parameter)}; expected the name of a parameter, or a list of "
                              "names")
        return {name: run_sensitivity(model, quantity, name, rtol, parameters) for name in parameter}
    model.check_quantity("sensitivity", quantity)
    arrays, fixed, shape = broadcast("sensitivity", parameters, model.fixed_names())
    if not arrays:
        solution, rate = _at_point(model, quantity, parameter, rtol, parameters)
        return float(solution[rate])
    points = [{**fixed, **{n: float(a[index]) for n, a in arrays.items()}} for index in np.ndindex(shape)]
    out, broken = np.full(len(points), np.nan), BrokenAssumptions(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)
        if not model.switches(quantity):
            out, located = rates_together(model, quantity, parameter, rtol, points)[1:]
        for k, at in enumerate(points):
            if np.isnan(out[k]):
                solution, rate = _at_point(model, quantity, parameter, rtol, at)
                out[k] = solution[rate]
                broken.take(solution.parameters, solution.assumptions, {})
            else:
                broken.take(located[k].shown, located[k].assumptions, {})
    model.warn(broken.texts())
    return out.reshape(shape)


def rates_together(model, quantity, parameter, rtol, points, slack=None):
    """Solve the tangent systems of several points, those of one kernel together.

    Derivatives count as settled where two rules agree on them relative to their size before cancellation, or up to
    ``slack`` times the quantity (a number for each point). Return values and rates, NaN at points that are to be solved
    by themselves, and the points.
    """
    values, rates, located = *np.full((2, len(points)), np.nan), [None] * len(points)
    groups = {}
    for k, parameters in enumerate(points):
        with suppress(AsympkitError):
            here = model.variant(parameters)
            located[k] = point = here.locate_point(parameters)
            if quantity not in here.derived_names:
                point.require_rate(quantity, parameter)
                tangent = here.tangent(parameter, parameters, point)
                if not suits(tangent.kernel):
                    break
                groups.setdefault(id(tangent.kernel), (here, tangent.kernel, []))[2].append((k, tangent))
    for here, kernel, members in groups.values():
        place_of, wanted = kernel.module.OUTPUTS.index, kernel.options.derivatives[quantity]
        for first in range(0, len(members), _TOGETHER):
            places, tangents = zip(*members[first:first + _TOGETHER])
            changes = _changes_of(here.kernel, kernel, quantity, np.array([slack[k] if slack else 0.0 for k in places]))
            for k, (out,) in solve_together(
                    kernel, [t.tables_at(located[p]) for p, t in zip(places, tangents)],
                    np.array([t.values for t in tangents], dtype=float).T, here.activations, located[places[0]].arrays,
                    rtol, changes=changes):
                if not out[ITERATIONS] % 1.0:
                    values[places[k]], rates[places[k]] = out[place_of(quantity)], out[place_of(wanted)]
    return values, rates, located


def _at_point(model, quantity, parameter, rtol, parameters):
    model = model.variant(parameters)
    try:
        solution, rate = tangent_solution(model, quantity, parameter, rtol, parameters)
    except ConvergenceError as error:
        reached = error.solution
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", AssumptionWarning)
                model.solve(rtol=rtol, **parameters)
        except ConvergenceError as unsolved:        # there is nothing to differentiate
            error, reached = unsolved, None
        if reached is not None and (reached.status is Status.ILL_CONDITIONED or not reached.residual <= 1e-6):
            raise ConvergenceError(_refusal(reached, quantity, parameter), reached) from error
        raise ConvergenceError(f"sensitivity: {str(error).removeprefix('solve: ')}", error.solution) from error
    check_smooth(model, quantity, parameter, solution, partial(_value_and_rate, model, quantity, parameter, rtol),
                 parameters)
    if solution.condition.get(rate) == np.inf:
        raise ConvergenceError(_refusal(solution, quantity, parameter), solution)
    return solution, rate


def _refusal(reached, quantity, parameter):
    is_lost = reached.converged or reached.residual == AMPLIFIED
    return (f"sensitivity: {_LOST if is_lost else _SINGULAR}: {quantity} is not differentiable in {parameter} at this "
            f"point{', or not in double precision' * is_lost}; move the parameters away from it")


def _value_and_rate(model, quantity, parameter, rtol, parameters):
    solution, rate = tangent_solution(model, quantity, parameter, rtol, parameters)
    return float(solution[quantity]), float(solution[rate])


def tangent_solution(model, quantity, parameter, rtol, parameters):
    """Solve the tangent system, refined until all quantities and the derivative of one converge.

    Return the Solution, and the name of the derivative there.
    """
    point = model.point(parameters)
    if quantity in model.derived_names:
        check_parameter(parameter, model.smooth, model.name)
        rate, name = model.derivatives(parameter, parameters, point).get(quantity, 0.0), f"d{quantity}_d{parameter}"
        return Solution({}, {name: rate}, point.shown, 0.0, 0, assumptions=point.assumptions), name
    point.require_rate(quantity, parameter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)       # issued by the line above
        tangent = model.tangent(parameter, parameters, point)
    plain, wanted = model.kernel.module.OUTPUTS, tangent.kernel.options.derivatives[quantity]
    others = [n for n in tangent.kernel.module.OUTPUTS if n not in plain and n != wanted]
    return tangent.kernel.solve(tangent.values, tangent.tables_at(point), model.activations, point.arrays,
                                rtol, None, point.shown, point.assumptions, others), wanted


def _changes_of(plain, tangent, quantity, slack):
    """Return a function that tells by how much all quantities, and the derivative of one, differ on two rules."""
    places, wanted = tangent.module.OUTPUTS.index, tangent.options.derivatives[quantity]
    rate, at, size = map(places, (wanted, quantity, tangent.options.sizes.get(wanted, (wanted,))[0]))
    others = [places(n) for n in plain.module.OUTPUTS]

    def changes(now, before, numbers):
        scale = np.maximum(np.abs(now[:, size]), np.maximum(_LEAST, slack[numbers]) * np.abs(now[:, at]))
        change = np.abs(now[:, rate] - before[:, rate]) / np.maximum(scale, np.finfo(float).tiny)
        return np.maximum(plain.changes(now[:, others], before[:, others]), change)

    return changes


def check_parameter(parameter, known, where):
    """Raise unless a parameter can be differentiated by."""
    if parameter not in known:
        raise UnknownNameError(f"{where}: no parameter {parameter!r}{suggest(parameter, known)} to differentiate by; "
                               f"known are {', '.join(known)}")
