"""``theory.check()``: one solution by independent routes, with a verdict."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .comparison import DIFFER, LEVEL, NOT_TESTED, VISIBLE, WITHIN, Comparison, compare, overall
from .errors import AssumptionWarning, DomainError, NotAvailableError, ProofError
from .simulate.core.estimate import Estimate, with_error
from .solve.portable import Portable
from .solve.solution import Solution

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Executor
    from typing import Any

    from mpmath import mpf

    from .annotations import Path
    from .comparison import Grant
    from .simulate.core.simulation import Estimates
    from .theories.model import Model

#: relative agreement of compiled and high-precision numbers, times the condition number
AGREEMENT = 1e-12
NOT_AVAILABLE = "not available"
_NO_SIMULATOR = "simulation: not available: the theory has no simulator"
#: digits of the certified column
PROVED = 15


@dataclass(frozen=True)
class Row(Portable):
    """One quantity by every route.

    Attributes
    ----------
    name : str
    compiled : float
    precise : mpf
    agrees : bool
        Whether the two agree within :data:`AGREEMENT` times the condition number, and the second lies in
        the certified ball.
    certified : str
        The ball, or ``not available``.
    simulation : Estimate or None
    compared : Comparison or None
        What the simulation says of the compiled value.
    """

    name: str
    compiled: float
    precise: mpf
    agrees: bool
    certified: str = NOT_AVAILABLE
    simulation: Estimate | None = None
    compared: Comparison | None = None

    @property
    def outcome(self) -> str:
        """What the simulation says: agree, within the idealisation, differ, not tested."""
        return NOT_TESTED if self.compared is None else self.compared.outcome

    @property
    def is_tested(self) -> bool:
        """Whether the simulation takes part in the verdict."""
        return self.outcome != NOT_TESTED

    @property
    def is_open(self) -> bool:
        """Whether the theory is allowed every difference that a simulation is asked to see, for a value not zero."""
        return VISIBLE <= self.granted < math.inf

    @property
    def z(self) -> float | None:
        """Difference of simulation and theory in standard errors, or None."""
        return None if self.compared is None else self.compared.z

    @property
    def p_value(self) -> float | None:
        """Of the difference, of this row alone; None for a row that is not tested."""
        return self.compared.p_value if self.compared is not None and self.is_tested else None

    @property
    def granted(self) -> float:
        """Relative difference that the theory is allowed."""
        return 0.0 if self.compared is None else self.compared.granted


@dataclass(frozen=True)
class Report:
    """What a check found; ``str()`` prints the table and the verdict.

    Attributes
    ----------
    rows : tuple of Row
    notes : tuple of str
        Broken assumptions, and reasons for what is missing.
    p_value : float or None
        That no simulated number differs from the theory, grants left aside (all comparisons together); None if the
        simulation tested nothing.
    apart : tuple of str
        Quantities whose compiled and high-precision values disagree, order parameters included.
    theory : str
    solution : Solution
        The compiled solution.
    simulation : Simulation or None
    digits : int
    grants : tuple of Grant
        Differences that the theory is allowed, with their reasons.
    is_too_narrow : bool
        Whether the simulated width is too small for the limit (the notes say why).
    """

    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    p_value: float | None
    apart: tuple[str, ...]
    theory: str
    solution: Solution[float]
    simulation: Estimates | None
    digits: int
    grants: tuple[Grant, ...] = ()
    is_too_narrow: bool = False

    @property
    def outcome(self) -> str:
        """``agree``, ``within the idealisation`` (excluded by the error, allowed by a grant), ``differ`` or
        ``not tested``; ``differ`` too where compiled, high-precision and certified values do."""
        return DIFFER if self.apart else overall(self._compared)[0]

    @property
    def passed(self) -> bool:
        """Whether no two routes differ by more than is granted; what is not available does not count."""
        return self.outcome != DIFFER

    @property
    def verdict(self) -> str:
        """The outcome as one sentence."""
        routes = f"compiled and {self.digits}-digit values"
        if any(r.certified != NOT_AVAILABLE for r in self.rows):
            routes = f"compiled, {self.digits}-digit and certified values"
        if self.outcome == DIFFER:
            found = [f"{routes} disagree for {', '.join(self.apart)}"] if self.apart else []
            return "FAILED: " + "; ".join(found + self._different())
        if self.outcome == WITHIN:
            return f"PASSED WITH A DIFFERENCE: {routes} agree; {self._granted()}"
        return f"PASSED: {routes} agree; {self._undisturbed()}"

    @property
    def _compared(self):
        return [r.compared for r in self.rows if r.compared is not None]

    def _different(self):
        rows = [r for r in self.rows if r.outcome == DIFFER]
        if not rows:
            return []
        excuse = "; the simulated width is too small for the limit" if self.is_too_narrow else ""
        worst = min(rows, key=lambda r: (r.p_value, -abs(r.z)))
        granted = f", {_percent(worst.granted)} granted" if worst.granted else ""
        return [f"the simulation differs from the theory (p = {self.p_value:.2g} < {LEVEL:g}, worst {worst.name} "
                f"by {_measured(worst.compared)}, z = {worst.z:.1f}{granted}){excuse}"]

    def _granted(self):
        rows = [r for r in self.rows if r.outcome == WITHIN]
        found = ", ".join(f"{r.name} by {_measured(r.compared)}, {_percent(r.granted)} granted" for r in rows)
        why = "; ".join(dict.fromkeys(g.why for g in self.grants if g.quantity in {r.name for r in rows}))
        return (f"the simulation differs from the theory (p = {self.p_value:.2g} < {LEVEL:g}) by no more than is "
                f"granted ({why}): {found}")

    def _undisturbed(self):
        if not self._compared:
            return "not tested by a simulation: no simulation was available"
        if self.outcome == NOT_TESTED:
            blind = [r for r in self.rows if r.compared and not r.is_open]
            if not blind:
                return ("not tested by the simulation, because the grants allow every difference that is tested: "
                        f"{_too_free(self.rows)}; grant less than {_percent(VISIBLE)}, or take a larger size where "
                        "the grant falls with it")
            best = min(blind, key=lambda r: r.compared.visible)
            return ("not tested by the simulation, which could not have seen a difference of "
                    f"{_percent(VISIBLE)} (only of {_seen(best)}); take more repeats or a larger size")
        rows = sorted((r for r in self.rows if r.is_tested), key=lambda r: r.compared.visible)
        seen = " or ".join(dict.fromkeys(_seen(r) for r in (rows[0], rows[-1])))
        return (f"simulation and theory agree within the error in {len(rows)} values (p = {self.p_value:.2g} >= "
                f"{LEVEL:g}); a difference of {seen} would have been seen")

    def __str__(self) -> str:
        lines = [f"{self.theory}: " + ", ".join(f"{k}={v:g}" for k, v in self.solution.parameters.items())]
        if self.simulation is not None:
            s = self.simulation
            lines.append(f"simulation: {s.sizes_text}, {s.repeats} repeats, seed {s.seed}")
        head = ("", "compiled", f"mpmath ({self.digits} digits)", "certified", "simulation", "z", "visible", "granted",
                "outcome")
        table = [head, *map(self._cells, self.rows)]
        if not any(r.granted for r in self.rows):
            table = [(*line[:-2], line[-1]) for line in table]
        widths = [max(map(len, column)) for column in zip(*table)]
        lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join([*lines, self.verdict])

    def _cells(self, row):
        precise = _digits(row.precise, min(self.digits, 20)) + ("" if row.agrees else " (!)")
        proved = row.name, f"{row.compiled:.15g}", precise, row.certified
        if row.compared is None:
            return *proved, NOT_AVAILABLE, "-", "-", "-", NOT_TESTED
        return (*proved, with_error(row.simulation.mean, row.simulation.stderr), f"{row.z:.2f}",
                _percent(row.compared.visible), _percent(row.granted), row.outcome)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data for JSON; numbers beyond a float are texts."""
        rows = [{
            "name": r.name, "compiled": float(r.compiled), "mpmath": _digits(r.precise, self.digits),
            "agrees": r.agrees, "certified": r.certified,
            "simulation": None if r.simulation is None else {
                "mean": _plain(r.simulation.mean), "stderr": _plain(r.simulation.stderr),
                "values": [_plain(v) for v in r.simulation.values]},
            "z": _plain(r.z), "p_value": _plain(r.p_value), "granted": _plain(r.granted),
            "difference": None if r.compared is None else _plain(r.compared.difference),
            "visible": None if r.compared is None else _plain(r.compared.visible),
            "outcome": r.outcome, "is_tested": r.is_tested} for r in self.rows]
        s = self.simulation
        sizes = None if s is None else {**s.sizes, "repeats": s.repeats, "seed": s.seed}
        parameters = {k: _plain(v) for k, v in self.solution.parameters.items()}
        grants = [{"quantity": g.quantity, "share": _plain(g.share), "why": g.why} for g in self.grants]
        return {"theory": self.theory, "parameters": parameters, "rows": rows, "notes": list(self.notes),
                "digits": self.digits, "simulation": sizes, "grants": grants,
                "is_too_narrow": self.is_too_narrow, "level": LEVEL, "p_value": _plain(self.p_value),
                "apart": list(self.apart), "outcome": self.outcome, "passed": self.passed, "verdict": self.verdict}


def run_check(model: Model, parameters: Mapping[str, Any], *, repeats: int, seed: int, digits: int,
              executor: Executor | None, progress: bool, file: Path | None) -> Report:
    """Compare compiled, high-precision and simulated values of a theory at one point.

    Parameters
    ----------
    model : Model
    parameters : dict
        As for ``model.simulate``: parameters of the theory, size and choices of the simulation.
    repeats, seed : int
        Of the simulation.
    digits : int
        Of the high-precision solution.
    executor : concurrent.futures.Executor or None
    progress : bool
    file : str, Path or None
        Keeps the repeats of the simulation.

    Returns
    -------
    Report

    Notes
    -----
    Compiled and high-precision values must agree to :data:`AGREEMENT` times the condition number: for an
    unknown its own, for an observable the largest of the unknowns found by Newton's method (to which
    the others are linear).  All simulated quantities are tested together: see :mod:`asympkit.comparison`.  Order
    parameters are compared where the theory has no grants at all, or one for them, or its simulator says so.
    """
    drawn, (settings, given) = model.simulator, ({}, parameters)
    if drawn is not None:
        settings, given = drawn.split(parameters)
    compared = given if drawn is None or drawn.parameters is None else drawn.parameters(given, settings)
    solution = model.solve(parameters=compared)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)      # solve, above, has issued them
        precise = model.precise(digits=digits, parameters=compared)
        notes, simulation, narrow = list(solution.assumptions), None, ()
        why = drawn.unavailable(solution.parameters) if drawn is not None else _NO_SIMULATOR
        if drawn is None or why:
            notes.append(why)
        else:
            simulation = model.simulate(repeats=repeats, seed=seed, executor=executor, progress=progress, file=file,
                                        parameters={**given, **settings})
            narrow = drawn.notes(model, solution, simulation)
        balls, missing = _certified(model, compared)
        notes += missing
    grants = model.grants if drawn is None or drawn.grants is None else drawn.grants(model, solution, settings)
    tolerances = _tolerances(model, solution, precise)
    agrees = {n: _agree(solution[n], precise[n], tolerances[n], balls.get(n), digits) for n in tolerances}
    rows = _rows(solution, precise, agrees, balls, simulation, {g.quantity: g.share for g in grants},
                 not grants or drawn is not None and drawn.compares_all)
    _, p_value = overall([r.compared for r in rows if r.compared is not None])
    apart = tuple(n for n, same in agrees.items() if not same)
    return Report(rows, (*notes, *_size_notes(rows, simulation), *narrow), p_value, apart, model.name, solution,
                  simulation, digits, tuple(grants), bool(narrow))


def _rows(solution, precise, agrees, balls, simulation, granted, compares_all):
    """A row for each observable (of a theory without any: for each unknown), and for order parameters that are
    simulated and not idealised."""
    estimates = {} if simulation is None else simulation.estimates
    if not solution.observables:
        compares_all, estimates = True, {**dict.fromkeys(solution.order_parameters), **estimates}
    names = list(solution.observables)
    names += [n for n in solution.order_parameters if n in estimates and (compares_all or n in granted)]
    count = sum(estimates.get(n) is not None for n in names)
    rows = []
    for n in names:
        theory, estimate, compared = float(solution[n]), estimates.get(n), None
        if estimate is not None:
            compared = compare(estimate.mean, estimate.stderr, len(estimate.values), theory, count=count,
                               granted=granted.get(n, 0.0), scale=solution.scale.get(n))
        rows.append(Row(n, theory, precise[n], agrees[n], str(balls.get(n, NOT_AVAILABLE)), estimate, compared))
    return tuple(rows)


def _certified(model, parameters):
    """Balls by name, and the reason if there are none; no certificate is neutral, a wrong one is not."""
    try:
        proved = model.certify(digits=PROVED, floats="decimal", parameters=parameters)
    except NotAvailableError:
        return {}, ["certified: not available: install asympkit[certify]"]
    except (ProofError, DomainError) as error:
        return {}, [f"certified: not available: {str(error).removeprefix('certify: ')}"]
    return {**proved.observables, **proved.order_parameters}, []


def _agree(compiled, precise, granted, ball, digits):
    """Whether the routes agree: compiled and precise within a tolerance, precise within the ball."""
    if not abs(compiled - precise) <= granted:
        return False
    return ball is None or abs(ball.mid - precise) <= ball.rad + 10.0**-digits * max(abs(precise), granted)


def _size_notes(rows, simulation):
    """Say which quantities the simulation cannot test, where it tests others."""
    untested = [r for r in rows if r.compared is not None and not r.is_tested]
    if not untested or len(untested) == len(rows):
        return []
    blind = [r for r in untested if not r.is_open]
    notes = _too_small(blind, simulation) if blind else []
    if len(blind) < len(untested):
        notes.append(f"not tested are quantities of which the grants allow a difference of {_percent(VISIBLE)}: "
                     f"{_too_free(untested)}")
    return notes


def _too_small(blind, simulation):
    names = ", ".join(f"{r.name} ({_percent(r.compared.visible) if r.compiled else '0 in the theory'})" for r in blind)
    return [f"not tested are quantities in which {simulation.repeats} repeats with {simulation.size_text} could not "
            f"have seen a difference of {_percent(VISIBLE)}: {names}; take more repeats or a larger size"]


def _too_free(rows):
    """Quantities that may differ by as much as is tested, with their grants."""
    return ", ".join(f"{r.name} ({_percent(r.granted)} granted)" for r in rows if r.compared is not None and r.is_open)


def _tolerances(model, solution, precise):
    """Absolute differences granted between compiled and high-precision values."""
    newton = max([1.0, *(float(solution.condition.get(n, 1.0)) for n in model.kernel.module.TORN)])
    granted = {n: AGREEMENT * newton * abs(precise[n]) for n in solution.observables}
    for n in solution.order_parameters:
        condition, scale = float(solution.condition.get(n, 1.0)), float(solution.scale.get(n, 0.0))
        granted[n] = AGREEMENT * max(condition * abs(precise[n]), newton * scale)
    return granted


def _digits(value, digits):
    import mpmath

    return mpmath.nstr(value, digits)


def _percent(share):
    return f"{100 * share:.3g} %"


def _seen(row):
    """What a difference must be to be seen."""
    return f"{_percent(row.compared.visible)} in {row.name}"


def _measured(compared):
    """A relative difference with its error."""
    return f"{100 * compared.difference:+.3g}({100 * compared.error:.2g}) %"


def _plain(value):
    if value is None:
        return None
    value = float(value)
    return value if math.isfinite(value) else str(value)
