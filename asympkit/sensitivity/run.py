"""Derivatives of one solution: solve the tangent system at a point."""

import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..arguments.domains import shown
from ..arguments.requests import varying
from ..errors import AssumptionWarning, BrokenAssumptions, ConvergenceError, DomainError, UnknownNameError, suggest
from ..solve.solution import Status
from ..tolerances import AMPLIFIED
from .kinks import check_smooth
from .tangent import rate_names

_SINGULAR = "the linearised equations have no solution here, or are singular to rounding"
_LOST = "nearly equal numbers are subtracted"


@dataclass(frozen=True)
class Tangent:
    """A tangent system at one point, ready for its kernel.

    Attributes
    ----------
    kernel : Kernel
    values : tuple
        Parameters of the tangent program, rates included.
    table_parameters : tuple, optional
        Those of the point, where there are no others.
    """

    kernel: object
    values: tuple
    table_parameters: tuple | None = None

    def tables_at(self, point):
        """Return the parameters on which the tables depend."""
        return point.table_parameters if self.table_parameters is None else self.table_parameters


def tangent_kernel(source, model):
    """Make a kernel for a tangent module; derivatives of observables are judged by their size before cancellation."""
    from ..solve.kernel import Kernel

    of, start = model.kernel, model.kernel.start
    kernel = Kernel.from_source(source, start) if isinstance(source, str) else Kernel(source, start)
    kernel.other_starts, kernel.far_starts = of.other_starts, of.far_starts
    kernel.may_vanish, kernel.intervals = of.may_vanish, of.intervals
    kernel.narrow, kernel.nearby, kernel.auxiliary = of.narrow, of.nearby, of.auxiliary
    kernel.walks_in = of.walks_in
    kernel.rates, kernel.sizes = rate_names(of.module, kernel.module)
    return kernel


def run_sensitivity(model, quantity, parameter, rtol, parameters):
    """See :meth:`asympkit.theories.model.Model.sensitivity`."""
    if not isinstance(parameter, str):
        if not isinstance(parameter, tuple | list) or not all(isinstance(n, str) for n in parameter):
            raise DomainError(f"parameter: got {shown(parameter)}; expected the name of a parameter, or a list of "
                              "names")
        return {name: run_sensitivity(model, quantity, name, rtol, parameters) for name in parameter}
    model.check_quantity("sensitivity", quantity)
    arrays = varying(parameters, model.fixed_names())
    if not arrays:
        solution, rate = _at_point(model, quantity, parameter, rtol, parameters)
        return float(solution[rate])
    try:
        shape = np.broadcast_shapes(*(a.shape for a in arrays.values()))
    except ValueError as error:
        shapes = ", ".join(f"{n} has {a.shape}" for n, a in arrays.items())
        raise DomainError(f"sensitivity: the shapes of the parameters do not broadcast: {shapes}") from error
    if 0 in shape:
        raise DomainError(f"sensitivity: got parameters of shape {shape}; expected at least one point")
    arrays = {n: np.broadcast_to(a, shape) for n, a in arrays.items()}
    out, broken = np.empty(shape), BrokenAssumptions(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)
        for index in np.ndindex(shape):
            at = {**parameters, **{n: float(a[index]) for n, a in arrays.items()}}
            solution, rate = _at_point(model, quantity, parameter, rtol, at)
            out[index] = solution[rate]
            broken.take(solution.parameters, solution.assumptions, {})
    model.warn(broken.texts())
    return out


def _at_point(model, quantity, parameter, rtol, parameters):
    try:
        solution, rate = tangent_solution(model, quantity, parameter, rtol, parameters)
    except ConvergenceError as error:
        reached = error.solution
        if reached is not None and (reached.status is Status.ILL_CONDITIONED or not reached.residual <= 1e-6):
            raise ConvergenceError(_refusal(reached, quantity, parameter), reached) from error
        raise
    if solution.condition.get(rate) == np.inf:
        raise ConvergenceError(_refusal(solution, quantity, parameter), solution)
    check_smooth(model, quantity, parameter, solution, partial(_value_and_rate, model, quantity, parameter, rtol),
                 parameters)
    return solution, rate


def _refusal(reached, quantity, parameter):
    is_lost = reached.converged or reached.residual == AMPLIFIED
    return (f"sensitivity: {_LOST if is_lost else _SINGULAR} (residual {float(reached.residual):.1e}): {quantity} is "
            f"not differentiable in {parameter} at this point{', or not in double precision' * is_lost}; move the "
            "parameters away from it")


def _value_and_rate(model, quantity, parameter, rtol, parameters):
    solution, rate = tangent_solution(model, quantity, parameter, rtol, parameters)
    return float(solution[quantity]), float(solution[rate])


def tangent_solution(model, quantity, parameter, rtol, parameters):
    """Solve the tangent system, refined until all quantities and the derivative of one converge.

    Returns
    -------
    Solution
    str
        Name of the derivative there.
    """
    point = model.point(parameters)
    model.require_rate(quantity, parameter, point)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)       # issued by the line above
        tangent = model.tangent(parameter, parameters, point)
    plain, wanted = model.kernel.module.OUTPUTS, tangent.kernel.rates[quantity]
    others = [n for n in tangent.kernel.module.OUTPUTS if n not in plain and n != wanted]
    return tangent.kernel.solve(tangent.values, tangent.tables_at(point), model.activations, point.arrays,
                                rtol, None, point.shown, point.assumptions, others), wanted


def check_parameter(parameter, known, where):
    """Raise unless a parameter can be differentiated by."""
    if parameter not in known:
        raise UnknownNameError(f"{where}: no parameter {parameter!r}{suggest(parameter, known)} to differentiate by; "
                               f"known are {', '.join(known)}")
