"""Cross-check one solution by independent routes, with a verdict (``theory.check()``)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from .comparison import VISIBLE, compare, overall
from .errors import AssumptionWarning, ConvergenceError, DomainError, NotAvailableError, ProofError
from .report import NOT_AVAILABLE, Report, Row, percent, too_free

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Executor
    from typing import Any

    from .annotations import Path
    from .theories.model import Model

#: relative agreement of compiled and multiprecision numbers, times the condition number
AGREEMENT = 1e-12
_NO_SIMULATOR = "simulation: not available: the theory has no simulator"
#: digits of the certified column
PROVED = 15


def run_check(model: Model, parameters: Mapping[str, Any], *, repeats: int, seed: int, digits: int | None,
              executor: Executor | None, progress: bool | None, file: Path | None) -> Report:
    """Compare compiled, high-precision and simulated values of a theory at one point.

    Parameters
    ----------
    model : Model
    parameters : dict
        As for ``model.simulate``: parameters of the theory, size and options of the simulation.
    repeats, seed : int
        Of the simulation.
    digits : int or None
        Of the multiprecision solution; by default chosen by the theory.
    executor : concurrent.futures.Executor or None
    progress : bool or None
    file : str, Path or None
        Stores the repeats of the simulation.

    Returns
    -------
    Report

    Notes
    -----
    Compiled and multiprecision values must agree to :data:`AGREEMENT` times the condition number: for an unknown its
    own, for an observable the largest of the unknowns found by Newton's method (to which the others are linear).  All
    simulated quantities are tested together: see :mod:`asympkit.comparison`.  Order parameters are compared if the
    theory has no tolerances, or one for them, or its simulator says so.  A simulator with a prediction for the finite
    model is compared with that, within its tolerances.
    """
    drawn, (settings, given) = model.simulator, ({}, parameters)
    if drawn is not None:
        settings, given = drawn.split(parameters)
    compared = given if drawn is None or drawn.parameters is None else drawn.parameters(given, settings)
    digits = model.default_check_digits(compared) if digits is None else digits
    solution = model.solve(parameters=compared)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)      # solve, above, has issued them
        precise, unread = _precise(model, digits, compared)
        notes, simulation, narrow, expected, wanted = [*solution.assumptions, *unread], None, (), None, ()
        if drawn is None:
            notes.append(_NO_SIMULATOR)
        else:
            simulation = model.simulate(repeats=repeats, seed=seed, executor=executor, progress=progress, file=file,
                                        parameters={**given, **settings})
            expected, wanted, text = _expected(model, compared, settings, simulation)
            narrow = drawn.notes(model, solution, simulation) if expected is None else ()
            notes += [note for note in text if note not in notes]
        balls, missing = _certified(model, compared)
        notes += missing
    allowed = model.tolerances
    if drawn is not None and drawn.tolerances is not None:
        allowed = drawn.tolerances(model, solution, settings)
    compares_all = not allowed or drawn is not None and drawn.compares_all
    allowed = (*(g for g in allowed if g.quantity not in _numbers(expected)), *wanted)
    tolerances = _tolerances(model, solution, precise or solution)
    agrees = {n: _agree(solution[n], precise and precise[n], granted, balls.get(n), digits)
              for n, granted in tolerances.items()}
    rows = _rows(solution, precise, agrees, balls, simulation, expected, {g.quantity: g.share for g in allowed},
                 compares_all)
    _, p_value = overall([r.compared for r in rows if r.compared is not None])
    apart = tuple(n for n, same in agrees.items() if not same)
    return Report(rows, (*notes, *_size_notes(rows, simulation), *narrow), p_value, apart, model.name, solution,
                  simulation, digits, allowed, bool(narrow), expected)


def _expected(model, parameters, settings, simulation):
    """Return the solution that the simulation should follow, its tolerances, and notes; None if that is the limit."""
    hook = model.simulator.expected
    found = None if hook is None else hook(model, parameters, settings, simulation)
    if found is None:
        return None, (), []
    try:
        solution = found.model.solve(parameters=found.parameters)
    except (ConvergenceError, DomainError) as error:
        return None, (), [f"expected: not available, so that the simulation is compared with the limit: {error}"]
    return solution, found.tolerances, [f"expected: {found.what}", *solution.assumptions]


def _numbers(solution):
    """Return all numbers of a solution by name; none for None."""
    return {} if solution is None else {**solution.observables, **solution.order_parameters}


def _rows(solution, precise, agrees, balls, simulation, expected, granted, compares_all):
    """Return a row for each observable (or unknown, if there are none), and for simulated order parameters to
    compare."""
    estimates = {} if simulation is None else simulation.estimates
    if not solution.observables:
        compares_all, estimates = True, {**dict.fromkeys(solution.order_parameters), **estimates}
    names = list(solution.observables)
    names += [n for n in solution.order_parameters if n in estimates and (compares_all or n in granted)]
    count, wanted = sum(estimates.get(n) is not None for n in names), _numbers(expected)
    rows = []
    for n in names:
        theory, estimate, compared = float(solution[n]), estimates.get(n), None
        other = float(wanted[n]) if n in wanted else None
        if estimate is not None:
            reference, scale = (theory, solution.scale) if other is None else (other, expected.scale)
            compared = compare(estimate.mean, estimate.stderr, len(estimate.values), reference, count=count,
                               granted=granted.get(n, 0.0), scale=scale.get(n))
        ball = str(balls.get(n, NOT_AVAILABLE))
        rows.append(Row(n, theory, precise and precise[n], agrees[n], ball, estimate, compared, other))
    return tuple(rows)


def _precise(model, digits, parameters):
    """Return the multiprecision solution, or None and the reason if it is not available."""
    try:
        return model.precise(digits=digits, parameters=parameters), []
    except NotAvailableError as error:
        return None, [f"multiprecision: not available: {str(error).removeprefix('precise: ')}"]


def _certified(model, parameters):
    """Return balls by name, and the reason if there are none; a missing certificate does not fail the check."""
    try:
        proved = model.certify(digits=PROVED, floats="decimal", parameters=parameters)
    except NotAvailableError:
        return {}, ["certified: not available: install asympkit[certify]"]
    except (ProofError, DomainError) as error:
        return {}, [f"certified: not available: {str(error).removeprefix('certify: ')}"]
    return {**proved.observables, **proved.order_parameters}, []


def _agree(compiled, precise, granted, ball, digits):
    """Return whether the routes agree: compiled and precise within a tolerance, precise within the ball.

    They agree to the requested digits; if these are fewer than those of doubles the compiled value must lie in the ball
    too.  Missing values do not disagree."""
    if precise is None:
        return ball is None or bool(abs(ball.mid - compiled) <= ball.rad + granted)
    last = 10.0**-digits * max(abs(precise), granted)
    if not (compiled == precise or abs(compiled - precise) <= granted + last):       # both may be infinite
        return False
    if ball is None:
        return True
    return abs(ball.mid - precise) <= ball.rad + last and abs(ball.mid - compiled) <= ball.rad + granted


def _size_notes(rows, simulation):
    """Return notes on the quantities that the simulation cannot test, if it tests others."""
    untested = [r for r in rows if r.compared is not None and not r.is_tested]
    if not untested or len(untested) == len(rows):
        return []
    blind = [r for r in untested if not r.is_open]
    notes = _too_small(blind, simulation) if blind else []
    if len(blind) < len(untested):
        notes.append(f"not tested are quantities whose tolerances allow a difference of {percent(VISIBLE)}: "
                     f"{too_free(untested)}")
    return notes


def _too_small(blind, simulation):
    names = ", ".join(f"{r.name} ({percent(r.compared.visible) if r.reference else '0 in the theory'})" for r in blind)
    return [f"not tested are quantities in which {simulation.repeats} repeats with {simulation.size_text} could not "
            f"have seen a difference of {percent(VISIBLE)}: {names}; take more repeats or a larger size"]


def _tolerances(model, solution, precise):
    """Return absolute tolerances between compiled and multiprecision values."""
    newton = max([1.0, *(float(solution.condition.get(n, 1.0)) for n in model.kernel.module.TORN)])
    granted = {n: AGREEMENT * newton * abs(precise[n]) for n in solution.observables}
    for n in solution.order_parameters:
        condition, scale = float(solution.condition.get(n, 1.0)), float(solution.scale.get(n, 0.0))
        granted[n] = AGREEMENT * max(condition * abs(precise[n]), newton * scale)
    return granted
