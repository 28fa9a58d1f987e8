"""``theory.check()``: one solution by independent routes, with a verdict."""

import math
import warnings
from dataclasses import dataclass, replace

from .errors import AssumptionWarning, DomainError, NotAvailableError, ProofError
from .simulate.estimate import Estimate, with_error
from .solve.portable import Portable
from .solve.solution import Solution

#: level of the overall test: the chance that a right theory is rejected
LEVEL = 0.001
#: relative agreement of compiled and high-precision numbers, times the condition number
AGREEMENT = 1e-12
#: lam*m**2 over n*objective above which the penalty on the mean readout, absent from the limit, shows
#: (n*train_error would do as well, except near interpolation, where it vanishes and the objective does not)
PENALISED_MEAN = 0.02
#: variance of m times the mean of p hidden units, over the test error, above which the finite width shows
NOISY_MEAN = 0.1
#: relative difference above which a grant says that the simulation is too small to test the quantity
LARGEST_GRANT = 0.25
NOT_AVAILABLE, NOT_TESTED = "not available", "not tested"
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
    z : float or None
        Difference of simulation and theory in standard errors.
    p_value : float or None
        Of the difference beyond the allowance: two-sided, Student's t with one degree of freedom less than
        repeats; of this row alone.  None without a simulation, and where more than :data:`LARGEST_GRANT` would have
        to be granted: such a row is not tested.
    granted : float
        Relative difference that the simulation may have on top of its error.
    """

    name: str
    compiled: float
    precise: object
    agrees: bool
    certified: str = NOT_AVAILABLE
    simulation: Estimate | None = None
    z: float | None = None
    p_value: float | None = None
    granted: float = 0.0

    @property
    def is_tested(self):
        """Whether the simulation takes part in the verdict."""
        return self.p_value is not None


@dataclass(frozen=True)
class Report:
    """What a check found; ``str()`` prints the table and the verdict.

    Attributes
    ----------
    rows : tuple of Row
    notes : tuple of str
        Broken assumptions, and reasons for what is missing.
    p_value : float or None
        Of all simulated comparisons together (Bonferroni); None if the simulation tested nothing.
    apart : tuple of str
        Quantities whose compiled and high-precision values disagree, order parameters included.
    theory : str
    solution : Solution
        The compiled solution.
    simulation : Simulation or None
    digits : int
    allowance : float
        Relative difference granted to the simulation, where a row has none of its own.
    is_too_narrow : bool
        Whether the simulated width is too small for the limit (the notes say why).
    """

    rows: tuple
    notes: tuple
    p_value: float | None
    apart: tuple
    theory: str
    solution: Solution
    simulation: object
    digits: int
    allowance: float
    is_too_narrow: bool = False

    @property
    def passed(self):
        """Whether all routes agree; what is not available does not count."""
        return not self.apart and (self.p_value is None or self.p_value >= LEVEL)

    @property
    def verdict(self):
        """The outcome as one sentence."""
        found = []
        routes = f"compiled and {self.digits}-digit values"
        if any(r.certified != NOT_AVAILABLE for r in self.rows):
            routes = f"compiled, {self.digits}-digit and certified values"
        if self.apart:
            found.append(f"{routes} disagree for {', '.join(self.apart)}")
        if self.p_value is not None and not self.p_value >= LEVEL:
            excuse = "; the simulated width is too small for the limit" if self.is_too_narrow else ""
            worst = min((r for r in self.rows if r.is_tested), key=lambda r: r.p_value)
            found.append(f"the simulation differs from the theory (p = {self.p_value:.2g} < {LEVEL:g}, worst "
                         f"{worst.name} with z = {worst.z:.1f}){excuse}")
        if found:
            return "FAILED: " + "; ".join(found)
        return f"PASSED: {routes} agree; {self._simulated()}"

    def _simulated(self):
        count = sum(r.is_tested for r in self.rows)
        if count:
            return f"simulation and theory agree in {count} values (p = {self.p_value:.2g} >= {LEVEL:g})"
        if any(r.z is not None for r in self.rows):
            return f"the simulation tested nothing, because n = {self.simulation.n} is too small"
        return "no simulation was available"

    def __str__(self):
        head = (f"{self.theory}: " + ", ".join(f"{k}={v:g}" for k, v in self.solution.parameters.items()))
        grants = {r.granted if r.is_tested else None for r in self.rows if r.z is not None}
        lines, shared = [head], len(grants) < 2 and None not in grants
        if self.simulation is not None:
            s = self.simulation
            granted = f", {_percent(self.allowance)} granted in the verdict" if shared and self.allowance else ""
            lines.append(f"simulation: d={s.d} p={s.p} n={s.n} n0={s.n0}, "
                         f"{s.repeats} repeats, seed {s.seed}{granted}")
        table = [("", "compiled", f"mpmath ({self.digits} digits)", "certified", "simulation", "z", "granted"),
                 *map(self._cells, self.rows)]
        if shared:
            table = [line[:-1] for line in table]
        widths = [max(map(len, column)) for column in zip(*table)]
        lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join([*lines, self.verdict])

    def _cells(self, row):
        precise = _digits(row.precise, min(self.digits, 20)) + ("" if row.agrees else " (!)")
        if row.simulation is None:
            return row.name, f"{row.compiled:.15g}", precise, row.certified, NOT_AVAILABLE, "-", "-"
        return (row.name, f"{row.compiled:.15g}", precise, row.certified,
                with_error(row.simulation.mean, row.simulation.stderr), f"{row.z:.2f}",
                _percent(row.granted) if row.is_tested else NOT_TESTED)

    def to_dict(self):
        """The report as plain data for JSON; numbers beyond a float are texts."""
        rows = [{
            "name": r.name, "compiled": float(r.compiled), "mpmath": _digits(r.precise, self.digits),
            "agrees": r.agrees, "certified": r.certified,
            "simulation": None if r.simulation is None else {
                "mean": _plain(r.simulation.mean), "stderr": _plain(r.simulation.stderr),
                "values": [_plain(v) for v in r.simulation.values]},
            "z": _plain(r.z), "p_value": _plain(r.p_value), "granted": _plain(r.granted),
            "is_tested": r.is_tested} for r in self.rows]
        s = self.simulation
        sizes = None if s is None else {"d": s.d, "p": s.p, "n": s.n, "n0": s.n0, "repeats": s.repeats,
                                        "seed": s.seed, "test_size": s.test_size}
        parameters = {k: _plain(v) for k, v in self.solution.parameters.items()}
        return {"theory": self.theory, "parameters": parameters, "rows": rows, "notes": list(self.notes),
                "digits": self.digits, "simulation": sizes, "allowance": self.allowance,
                "is_too_narrow": self.is_too_narrow, "level": LEVEL, "p_value": _plain(self.p_value),
                "apart": list(self.apart), "passed": self.passed, "verdict": self.verdict}


def run_check(model, parameters, *, d, repeats, seed, digits, executor, progress, file, allowance,
              granted=None):
    """Compare compiled, high-precision and simulated values of a theory at one point.

    Parameters
    ----------
    model : Model
        With ``solve``, ``precise`` and ``simulate``.
    parameters : dict
        As for ``model.solve``.
    d, repeats, seed : int
        Of the simulation.
    digits : int
        Of the high-precision solution.
    executor : concurrent.futures.Executor or None
    progress : bool
    file : str, Path or None
        Keeps the repeats of the simulation.
    allowance : float
        Relative difference that the simulation may have on top of its error, because the theory
        idealises what is simulated; order parameters are then not compared.
    granted : dict of str to float, optional
        Larger ones for single quantities, such as small differences of large errors.  What needs more than
        :data:`LARGEST_GRANT` is not tested, and a note says so.

    Returns
    -------
    Report

    Notes
    -----
    Compiled and high-precision values must agree to :data:`AGREEMENT` times the condition number: for an
    unknown its own, for an observable the largest of the unknowns found by Newton's method (to which
    the others are linear).  All simulated quantities are tested together at :data:`LEVEL`, each at the
    level divided by their number; they depend on each other, which makes the test more lenient, never
    more strict.
    """
    solution = model.solve(**parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)      # solve has said it
        precise = model.precise(digits=digits, **parameters)
        notes = list(solution.assumptions)
        simulation = None
        if _is_population_gradient(solution.parameters):
            notes.append("alpha0 = inf: a population gradient cannot be sampled; no simulation is available")
        else:
            simulation = model.simulate(d=d, repeats=repeats, seed=seed, executor=executor, progress=progress,
                                        file=file, **parameters)
        balls, why = _certified(model, parameters)
        notes += why
    narrow = _width_notes(model, solution, simulation)
    tolerances = _tolerances(model, solution, precise)
    agrees = {n: _agree(solution[n], precise[n], tolerances[n], balls.get(n), digits) for n in tolerances}
    names = list(solution.observables)
    if simulation is not None and not allowance:
        names += [n for n in solution.order_parameters if n in simulation.estimates]
    allowances = dict.fromkeys(names, allowance) | (granted or {})
    rows = tuple(replace(_row(n, solution, precise, agrees[n], simulation, allowances[n]),
                         certified=str(balls[n]) if n in balls else NOT_AVAILABLE) for n in names)
    notes += _size_notes(rows, simulation)
    compared = [r.p_value for r in rows if r.is_tested]
    p_value = min(1.0, len(compared) * min(compared)) if compared else None
    apart = tuple(n for n, same in agrees.items() if not same)
    return Report(rows, (*notes, *narrow), p_value, apart, model.name, solution, simulation, digits,
                  allowance, bool(narrow))


def _certified(model, parameters):
    """Balls by name, and the reason if there are none; no certificate is neutral, a wrong one is not."""
    try:
        proved = model.certify(digits=PROVED, floats="decimal", **parameters)
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


def _row(name, solution, precise, agrees, simulation, allowance):
    estimate = simulation.estimates.get(name) if simulation is not None else None
    if estimate is None:
        return Row(name, float(solution[name]), precise[name], agrees)
    theory, scale = float(solution[name]), solution.scale.get(name, abs(solution[name]))
    z, p_value = _distance(estimate, theory, 0.0, scale), None
    if allowance <= LARGEST_GRANT or not math.isfinite(z):
        p_value = _p_value(_distance(estimate, theory, min(allowance, LARGEST_GRANT), scale), len(estimate.values))
    return Row(name, theory, precise[name], agrees, simulation=estimate, z=z, p_value=p_value, granted=allowance)


def _size_notes(rows, simulation):
    """Say which quantities the simulation is too small to test."""
    small = [r for r in rows if r.z is not None and not r.is_tested]
    if not small:
        return []
    names = ", ".join(f"{r.name} ({_percent(r.granted) if r.compiled else '0 in the theory'})" for r in small)
    return [f"n = {simulation.n} is small: not tested are quantities to which its finite size may do more than "
            f"{_percent(LARGEST_GRANT)}: {names}; take a larger n"]


def _distance(estimate, theory, allowance, scale):
    """Signed difference beyond the allowance in standard errors."""
    difference = estimate.mean - theory
    beyond = max(0.0, abs(difference) - allowance * abs(theory))
    if not math.isfinite(difference) or not math.isfinite(estimate.stderr):
        return math.inf
    if beyond == 0.0:
        return 0.0
    if estimate.stderr == 0.0:      # a quantity without fluctuation: equal to rounding, or different
        return 0.0 if beyond <= 1e-9 * scale else math.copysign(math.inf, difference)
    return math.copysign(beyond / estimate.stderr, difference)


def _p_value(z, repeats):
    from scipy.special import stdtr

    return float(2.0 * stdtr(repeats - 1, -abs(z))) if math.isfinite(z) else 0.0


def _tolerances(model, solution, precise):
    """Absolute differences granted between compiled and high-precision values."""
    newton = max([1.0, *(float(solution.condition.get(n, 1.0)) for n in model.kernel.module.TORN)])
    granted = {n: AGREEMENT * newton * abs(precise[n]) for n in solution.observables}
    for n in solution.order_parameters:
        condition, scale = float(solution.condition.get(n, 1.0)), float(solution.scale.get(n, 0.0))
        granted[n] = AGREEMENT * max(condition * abs(precise[n]), newton * scale)
    return granted


def _is_population_gradient(parameters):
    return parameters.get("alpha0") == math.inf and parameters.get("eta") != 0.0


def _width_notes(model, solution, simulation):
    """Say where the simulated width is too small for the limit, because the readout has a large mean."""
    if simulation is None or "m" not in solution.order_parameters:
        return []
    square, found = solution["m"] ** 2, []
    penalty = solution.parameters["lam"] * square
    train, total = (simulation.n * solution[name] for name in ("train_error", "objective"))
    if penalty > PENALISED_MEAN * total:
        found.append(f"lam*m**2 = {penalty:.3g} is not small against n*train_error = {train:.3g} "
                     f"({total:.3g} with the penalty): the simulated width is too small for the limit, "
                     "where the mean of the readout is not penalised; take a larger d")
    student = model.functions["student"]
    noise = square * (student.second_moment() - student.hermite_coefficients(0)[0] ** 2) / simulation.p
    if noise > NOISY_MEAN * solution["test_error"]:
        found.append(f"m**2*Var(student)/p = {noise:.3g} is not small against the test "
                     f"error {solution['test_error']:.3g}: the simulated width is too small for the limit, "
                     "where the mean over the hidden units does not fluctuate; take a larger d")
    return found


def _digits(value, digits):
    import mpmath

    return mpmath.nstr(value, digits)


def _percent(share):
    return f"{100 * share:.3g} %"


def _plain(value):
    if value is None:
        return None
    value = float(value)
    return value if math.isfinite(value) else str(value)
