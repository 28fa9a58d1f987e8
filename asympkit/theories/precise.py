"""Solve a theory in arbitrary precision, from its solution in doubles."""

from ..arguments import check_digits, exact_entries
from ..errors import ConvergenceError
from ..once import Deferred
from ..solve.solution import Solution, Status

_precise = Deferred("asympkit.multiprecision.precise")


def run_precise(model, digits, start, parameters):
    """Solve a theory at one point, as :meth:`asympkit.Theory.precise` describes."""
    check_digits(digits)
    point = model.precise_point(parameters)
    rough, unsolved = _approximations(model, point, start)
    if (limit := point.reached_limit) is not None:
        parameters[limit.parameter], rough = limit.finer(point, rough, digits)
    program, _ = model.program
    arrays = {n: exact_entries(parameters[n], values) for n, values in zip(program.arrays, point.arrays)}
    try:
        result, reached = _precise.solve_from(
            rough, program, lambda numbers: model.precise_values(parameters, numbers), model.functions, arrays, digits,
            model.kernel.options.narrow)
    except ConvergenceError as error:
        reached = None if unsolved is None else unsolved.solution
        if reached is not None and reached.status == Status.EDGE:
            error = ConvergenceError(f"{error}; in double precision: {unsolved}")
        raise model.explain_error("precise", error, point, reached) from error.__cause__
    shown = _precise.MultiprecisionNumbers(digits).mp.mpf            # the guard digits are not promised: they go
    solution = Solution({u.name: shown(result[u]) for u in program.unknowns},
                        {name: shown(result[s]) for name, s in program.observables.items()},
                        point.shown, shown(result[program.residual]), reached["iterations"], shown(reached["change"]),
                        nodes=reached["nodes"], assumptions=point.assumptions)
    return point.settle("precise", model.accept_solution("precise", solution), digits)


def _approximations(model, point, start):
    """Return starts of the iteration, and the error of double precision, or None.

    A start is what double precision reached with its uncertainties and sizes; if that is no solution, also what it
    began with.
    """
    kernel = model.kernel
    try:
        found = kernel.solve(point.values, point.table_parameters, model.activations, point.arrays, 1e-9, start)
    except ConvergenceError as error:
        if error.solution is None:
            raise
        unsolved, reached = error, error.solution
    else:
        near = {n: max(1e-6, 1e-11 * found.condition.get(n, 1.0)) * max(abs(v), found.scale.get(n, 0.0), 1e-12)
                for n, v in found.order_parameters.items()}
        # by symmetry, but for rounding
        zeros = {n: 0.0 for n in kernel.options.may_vanish if abs(found[n]) < 1e-15}
        return [(found.order_parameters | zeros, near, found.scale)], None
    begin = kernel.start if start is None else {**kernel.start, **{n: float(v) for n, v in start.items()}}
    # an iteration that ran away, or to an edge, is no start
    starts = (begin,) if reached.status == Status.EDGE else (reached.order_parameters, begin)
    usable = [(s, None, None) for s in starts if all(abs(s[u]) < 1e100 for u in begin)]
    if not usable:
        raise unsolved
    return usable, unsolved
