"""Cross-check one solution by independent routes (``theory.check()``): its rows, its verdict, its text."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mpmath

from .comparison import DIFFER, LEVEL, NOT_TESTED, VISIBLE, WITHIN, Comparison, compare, overall
from .errors import AssumptionWarning, ConvergenceError, DomainError, NotAvailableError, ProofError, warn_deprecated
from .notation import add_title, align_table, escape_html, name, one_screen, summarise
from .notation import table as html_table
from .plot.curves import draw_report
from .simulate.simulation import Estimate, with_error
from .solve.solution import Solution

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Executor
    from typing import Any

    from mpmath import mpf

    from .annotations import Path
    from .comparison import Tolerance
    from .simulate.simulation import Estimates
    from .theories.model import Model

NOT_AVAILABLE = "not available"
#: standard errors from which on a difference that too few repeats leave open is pointed out
_STRIKING = 3.0
#: number of columns of the routes that compute the theory's own numbers, with the names
_ROUTES = 4


@dataclass(frozen=True)
class Row:
    """Hold one quantity by every route.

    Attributes
    ----------
    name : str
    compiled : float
    precise : mpf or None
        None if multiprecision is not available; the notes of the report say why.
    agrees : bool
        Whether the two agree within ``AGREEMENT`` times the condition number, and the second is in
        the certified ball.
    certified : str
        The ball, or ``not available``.
    simulation : Estimate or None
    compared : Comparison or None
        Comparison of the simulation with the compiled value, or with the prediction for it.
    expected : float or None
        Prediction for the simulation, if it differs from the limit.
    """

    name: str
    compiled: float
    precise: mpf | None
    agrees: bool
    certified: str = NOT_AVAILABLE
    simulation: Estimate | None = None
    compared: Comparison | None = None
    expected: float | None = None

    def __repr__(self) -> str:
        measured = "" if self.simulation is None else f", simulation {self.simulation}"
        return one_screen(f"<Row {self.name}: {self.compiled:.15g}{measured}, {self.outcome}>")

    @property
    def reference(self) -> float:
        """Return the value that the simulation is compared with."""
        return self.compiled if self.expected is None else self.expected

    @property
    def outcome(self) -> str:
        """Return the outcome of the simulation: agree, within the idealisation, differ, not tested."""
        return NOT_TESTED if self.compared is None else self.compared.outcome

    @property
    def is_tested(self) -> bool:
        """Return whether the simulation counts in the verdict."""
        return self.outcome != NOT_TESTED

    @property
    def is_open(self) -> bool:
        """Return whether the tolerance allows every difference that a simulation must detect, for a nonzero value."""
        return VISIBLE <= self.granted < math.inf

    @property
    def z(self) -> float | None:
        """Return the difference of simulation and theory in standard errors, or None."""
        return None if self.compared is None else self.compared.z

    @property
    def p_value(self) -> float | None:
        """Return the p-value of this row alone; None for a row that is not tested."""
        return self.compared.p_value if self.compared is not None and self.is_tested else None

    @property
    def granted(self) -> float:
        """Return the relative tolerance."""
        return 0.0 if self.compared is None else self.compared.granted


@dataclass(frozen=True)
class Report:
    """Hold the result of a check; ``str()`` prints the table and the verdict.

    Attributes
    ----------
    rows : tuple of Row
    notes : tuple of str
        Violated assumptions, and reasons for missing routes.
    p_value : float or None
        That no simulated number differs from the theory, without tolerances (all comparisons together); None if the
        simulation tested nothing.
    apart : tuple of str
        Quantities whose compiled and multiprecision values disagree, including order parameters.
    theory : str
    solution : Solution
        The compiled solution.
    simulation : Simulation or None
    digits : int
    tolerances : tuple of Tolerance
        Differences that the theory is allowed, with their reasons.
    is_too_narrow : bool
        Whether the simulated width is too small for the limit (the notes say why).
    expected : Solution or None
        Of the model that the simulation should follow; the notes say which.
    """

    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    p_value: float | None
    apart: tuple[str, ...]
    theory: str
    solution: Solution[float]
    simulation: Estimates | None
    digits: int
    tolerances: tuple[Tolerance, ...] = ()
    is_too_narrow: bool = False
    expected: Solution[float] | None = None

    @property
    def grants(self) -> tuple[Tolerance, ...]:
        """Deprecated name of ``tolerances``."""
        warn_deprecated("Report.grants", "Report.tolerances")
        return self.tolerances

    @property
    def outcome(self) -> str:
        """Return ``agree``, ``within the idealisation``, ``differ`` or ``not tested``, the worst of all routes."""
        return DIFFER if self.apart else overall(self._compared)[0]

    @property
    def passed(self) -> bool:
        """Return whether no two routes differ by more than a tolerance; missing routes do not count."""
        return self.outcome != DIFFER

    @property
    def verdict(self) -> str:
        """Return the outcome as one sentence."""
        routes = self._routes
        agree = f"{routes} agree; " if routes else "compiled values alone; "
        if self.outcome == DIFFER:
            found = [f"{routes} disagree for {', '.join(self.apart)}"] if self.apart else []
            return "FAILED: " + "; ".join(found + self._different())
        if self.outcome == WITHIN:
            return f"PASSED WITH A DIFFERENCE: {agree}{self._granted()}"
        return f"{'UNDECIDED' if self._doubted else 'PASSED'}: {agree}{self._undisturbed()}"

    @property
    def _doubted(self):
        """Return the row that is farthest off, if nothing was tested and that looks like more than chance."""
        rows = [r for r in self.rows if r.compared and not r.is_open and abs(r.z) > _STRIKING
                and abs(r.compared.difference) > r.granted]
        return max(rows, key=lambda r: abs(r.z), default=None) if self.outcome == NOT_TESTED else None

    @property
    def _routes(self):
        """Return the routes that were compared besides the simulation, in words; "" for a single route."""
        others = [f"{self.digits}-digit"] * any(r.precise is not None for r in self.rows)
        others += ["certified"] * any(r.certified != NOT_AVAILABLE for r in self.rows)
        return " and ".join(["compiled", *others] if len(others) < 2 else ["compiled, " + others[0], others[1]]
                            ) + " values" if others else ""

    @property
    def _compared(self):
        return [r.compared for r in self.rows if r.compared is not None]

    @property
    def _other(self):
        """Name the values that the simulation is compared with."""
        return "the theory" if self.expected is None else "what is expected of it"

    def _different(self):
        rows = [r for r in self.rows if r.outcome == DIFFER]
        if not rows:
            return []
        excuse = "; the simulated width is too small for the limit" if self.is_too_narrow else ""
        worst = min(rows, key=lambda r: (r.p_value, -abs(r.z)))
        granted = f", {percent(worst.granted)} allowed" if worst.granted else ""
        return [f"the simulation differs from {self._other} (p = {self.p_value:.2g} < {LEVEL:g}, worst {worst.name} "
                f"by {_measured(worst.compared)}, z = {worst.z:.1f}{granted}){excuse}"]

    def _granted(self):
        rows = [r for r in self.rows if r.outcome == WITHIN]
        found = ", ".join(f"{r.name} by {_measured(r.compared)}, {percent(r.granted)} allowed" for r in rows)
        why = "; ".join(dict.fromkeys(g.why for g in self.tolerances if g.quantity in {r.name for r in rows}))
        return (f"the simulation differs from {self._other} (p = {self.p_value:.2g} < {LEVEL:g}) by no more than is "
                f"allowed ({why}): {found}")

    def _undisturbed(self):
        if not self._compared:
            return "not tested by a simulation: no simulation was available"
        if self.outcome == NOT_TESTED:
            blind = [r for r in self.rows if r.compared and not r.is_open]
            if not blind:
                return ("not tested by the simulation, because the tolerances allow every difference that is "
                        f"tested: {too_free(self.rows)}; allow less than {percent(VISIBLE)}, or take a larger size "
                        "if the tolerance falls with it")
            best, off = min(blind, key=lambda r: r.compared.visible), self._doubted
            found = off and (f", but is off by {_measured(off.compared)} in {off.name}, z = {off.z:.1f}, which "
                             f"{self.simulation.repeats} repeats do not tell from chance")
            return ("not tested by the simulation, which could not have seen a difference of "
                    f"{percent(VISIBLE)} (only of {_seen(best)}){found or ''}; take more repeats or a larger size")
        rows = sorted((r for r in self.rows if r.is_tested), key=lambda r: r.compared.visible)
        seen = " or ".join(dict.fromkeys(_seen(r) for r in (rows[0], rows[-1])))
        other = self._other.removeprefix("the ")
        return (f"simulation and {other} agree within the error in {len(rows)} values (p = {self.p_value:.2g} >= "
                f"{LEVEL:g}); a difference of {seen} would have been seen")

    def __str__(self) -> str:
        lines = [f"{self.theory}: " + ", ".join(f"{k}={v:g}" for k, v in self.solution.parameters.items())]
        if self.simulation is not None:
            s = self.simulation
            lines.append(f"simulation: {s.sizes_text}, {s.repeats} repeats, seed {s.seed}")
        table = self._table()
        lines += align_table([row[:_ROUTES] for row in table])
        if self._compared:              # in a second table, to fit a terminal
            lines += align_table([(row[0], *row[_ROUTES:]) for row in table])
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join([*lines, self.verdict])

    def _table(self) -> list[tuple[str, ...]]:
        """Return the cells of the table, the first row its head."""
        head = ("", "compiled", f"mpmath ({self.digits} digits)", "certified", "expected", "simulation", "z", "visible",
                "allowed", "outcome")
        table = [head, *map(self._cells, self.rows)]
        if self.expected is None:
            table = [(*line[:_ROUTES], *line[_ROUTES + 1:]) for line in table]
        if not any(r.granted for r in self.rows):
            table = [(*line[:-2], line[-1]) for line in table]
        return table

    def __repr__(self) -> str:
        return one_screen(f"<Report>\n{self}")

    def _repr_html_(self) -> str:
        at = ", ".join(f"{name(k)} = {escape_html(summarise(v))}" for k, v in self.solution.parameters.items())
        head, *rows = self._table()
        colour = "#a02c00" if self.outcome == DIFFER else "#00664b"
        verdict = f'<div><b style="color:{colour}">{escape_html(self.verdict)}</b></div>'
        notes = [f"<div>note: {escape_html(note)}</div>" for note in self.notes]
        shown = html_table([(name(r[0]), *r[1:]) for r in rows], head)
        return add_title(self.theory, f"<div>{at}</div>", shown, *notes, verdict)

    def _cells(self, row):
        precise = NOT_AVAILABLE if row.precise is None else _digits(row.precise, min(self.digits, 20))
        precise += "" if row.agrees else " (!)"
        wanted = "-" if row.expected is None else f"{row.expected:.6g}"
        proved = row.name, f"{row.compiled:.15g}", precise, row.certified, wanted
        if row.compared is None:
            return *proved, NOT_AVAILABLE, "-", "-", "-", NOT_TESTED
        return (*proved, with_error(row.simulation.mean, row.simulation.stderr), f"{row.z:.2f}",
                percent(row.compared.visible), percent(row.granted), row.outcome)

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw the difference of each simulated quantity from the theory, with two standard errors and its tolerance.

        Parameters
        ----------
        ax : matplotlib axes, optional
        **style
            Passed to matplotlib.

        Returns
        -------
        matplotlib axes

        Raises
        ------
        DomainError
            If nothing was simulated.
        NotAvailableError
            If matplotlib is not installed.
        """
        return draw_report(self, ax, style)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data for JSON; numbers beyond a float are texts."""
        rows = [{
            "name": r.name, "compiled": float(r.compiled),
            "mpmath": None if r.precise is None else _digits(r.precise, self.digits),
            "agrees": r.agrees, "certified": r.certified,
            **({} if self.expected is None else {"expected": _plain(r.expected)}),
            "simulation": None if r.simulation is None else {
                "mean": _plain(r.simulation.mean), "stderr": _plain(r.simulation.stderr),
                "values": [_plain(v) for v in r.simulation.values]},
            "z": _plain(r.z), "p_value": _plain(r.p_value), "granted": _plain(r.granted),
            "difference": None if r.compared is None else _plain(r.compared.difference),
            "visible": None if r.compared is None else _plain(r.compared.visible),
            "outcome": r.outcome, "is_tested": r.is_tested} for r in self.rows]
        s = self.simulation
        sizes = None if s is None else {**{k: str(v) if v == math.inf else v for k, v in s.sizes.items()},
                                        "repeats": s.repeats, "seed": s.seed}
        parameters = {k: _plain(v) for k, v in self.solution.parameters.items()}
        tolerances = [{"quantity": g.quantity, "share": _plain(g.share), "why": g.why} for g in self.tolerances]
        return {"theory": self.theory, "parameters": parameters, "rows": rows, "notes": list(self.notes),
                "digits": self.digits, "simulation": sizes, "grants": tolerances,
                "is_too_narrow": self.is_too_narrow, "level": LEVEL, "p_value": _plain(self.p_value),
                "apart": list(self.apart), "outcome": self.outcome, "passed": self.passed, "verdict": self.verdict}


def too_free(rows):
    """List quantities whose tolerance is at least the difference that is tested."""
    return ", ".join(f"{r.name} ({percent(r.granted)} allowed)" for r in rows if r.compared is not None and r.is_open)


def _digits(value, digits):
    return mpmath.nstr(value, digits)


def percent(share):
    return f"{100 * share:.3g} %"


def _seen(row):
    """Return the smallest difference that would be detected, in words."""
    return f"{percent(row.compared.visible)} in {row.name}"


def _measured(compared):
    """Return a relative difference with its error, in words."""
    return f"{100 * compared.difference:+.3g}({100 * compared.error:.2g}) %"


def _plain(value):
    if value is None:
        return None
    value = float(value)
    return value if math.isfinite(value) else str(value)


#: relative agreement of compiled and multiprecision numbers, times the condition number
AGREEMENT = 1e-12
_NO_SIMULATOR = "simulation: not available: the theory has no simulator"
#: digits of the certified column
PROVED = 15


def run_check(model: Model, parameters: Mapping[str, Any], *, repeats: int, seed: int, digits: int | None,
              executor: Executor | None, progress: bool | None, file: Path | None, points: int = 1) -> Report:
    """Compare compiled, high-precision and simulated values of a theory at one point.

    ``parameters`` are as for ``model.simulate``: those of the theory, size and options of the simulation, whose
    ``file`` stores the repeats.  ``digits`` are those of the multiprecision solution, by default chosen by the theory;
    ``points`` is the number of points that are tested together.

    Compiled and multiprecision values must agree to ``AGREEMENT`` times the condition number: for an unknown its
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
                 compares_all, points)
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


def _rows(solution, precise, agrees, balls, simulation, expected, granted, compares_all, points):
    """Return a row for each observable (or unknown, if there are none), and for simulated order parameters to
    compare."""
    estimates = {} if simulation is None else simulation.estimates
    if not solution.observables:
        compares_all, estimates = True, {**dict.fromkeys(solution.order_parameters), **estimates}
    names = list(solution.observables)
    names += [n for n in solution.order_parameters if n in estimates and (compares_all or n in granted)]
    count, wanted = points * sum(estimates.get(n) is not None for n in names), _numbers(expected)
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
