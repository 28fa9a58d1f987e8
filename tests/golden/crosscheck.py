"""Check values that are to become golden records by a route that shares as little as there is with the first."""

import ast
import contextlib
import signal
import warnings

import mpmath
import numpy as np

import asympkit as ak

from .calls import command
from .values import PLACE, PROMISE, ROUNDING, is_ball

#: digits of the other route, and the step of differences
DIGITS, STEP = 18, mpmath.mpf("1e-8")
#: parameters that are lists and no axes
LISTS = ("input_spectrum", "D")
#: seconds of processor time after which another route is given up, and digits for another one
LIMIT, PATIENCE = 60, 12


class TooLongError(Exception):
    """The other route takes too long."""


class DisagreementError(ValueError):
    """Two routes give different numbers."""


def cross_check(calls, node, values):
    """Return the name of another route, the values with tolerances that it teaches, and numbers for balls.

    Raises
    ------
    DisagreementError
        Where the routes disagree beyond the tolerance.
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "enclose":
        return _enclose(calls, node, values)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "asympkit":
        return _command(node, values)
    method = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
    route = _ROUTES.get(method)
    if route is None:
        return "nothing else", values, {}
    of = node.func.value
    if isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id == "exported":
        of, route = of.args[0], _rows if method == "solve_rows" else _module
    model = calls.value(of)
    args = [calls.value(a) for a in node.args]
    given = {k.arg: calls.value(k.value) for k in node.keywords}
    try:
        with _limited(LIMIT), mpmath.workdps(80), warnings.catch_warnings():
            warnings.simplefilter("ignore", ak.AssumptionWarning)
            return route(model, args, given, values)
    except (TooLongError, ak.NotAvailableError, ak.DomainError, ak.ConvergenceError, ak.ProofError,
            AttributeError) as error:
        if isinstance(error, AttributeError) and "precise" not in str(error):
            raise
        return "nothing else", values, {}


def _precise(model, given, digits=DIGITS):
    told = {k: v for k, v in given.items() if k not in ("rtol", "digits", "floats", "backend")}
    return model.precise(digits=digits, **told)


@contextlib.contextmanager
def _limited(seconds):
    def give_up(*_):
        raise TooLongError

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _quantity(solution, name):
    return {**solution.observables, **solution.order_parameters}.get(name)


def _require(name, value, other, tolerance):
    """Refuse numbers that are farther apart than the tolerance; quantities that the other route lacks are left out."""
    if other is None or value == other:
        return
    distance = abs(mpmath.mpf(value) - mpmath.mpf(other))
    if tolerance is None or not distance <= tolerance:
        raise DisagreementError(f"{name}: {value} by one route, {mpmath.nstr(other, 20)} by the other, "
                                f"{float(distance):.2g} apart, allowed {float(tolerance or 0):.2g}")


def _solve(model, args, given, values):
    """A solution or an exported module: arbitrary precision, or the vectorised code of sweeps."""
    theory = model if hasattr(model, "precise") else model.ridge(given.pop("readout", None))
    try:
        with _limited(PATIENCE):
            other, route = _precise(theory, given), f"precise, {DIGITS} digits"
    except (TooLongError, ak.NotAvailableError, ak.ConvergenceError, ak.DomainError):
        return _vectorised(theory, given, values)
    for name, (value, tolerance) in values.items():
        _require(name, value, _quantity(other, name), tolerance)
    return route, values, {}


def _vectorised(theory, given, values):
    """Other code for the same equations."""
    given = {k: v for k, v in given.items() if k not in ("rtol", "start")}
    axis = next(k for k, v in given.items() if isinstance(v, float))
    sweep = theory.sweep(**{**given, axis: [given[axis]]}, backend="numpy", rtol=1e-11)
    for name, (value, tolerance) in values.items():
        if name in sweep.names:
            _require(name, value, float(sweep[name][0]), max(tolerance or 0, 1e-11 * abs(value)))
    return "sweep, numpy", values, {}


def _module(theory, args, given, values):
    """An exported module: the theory itself, which says how ill its values are conditioned."""
    single = theory.solve(**given)
    values = {n: (v, t and max(t, ROUNDING * single.condition.get(n, 1.0) * abs(v))) for n, (v, t) in values.items()}
    return _solve(theory, args, given, values)


def _rows(theory, args, given, values):
    return _sweep(theory, args, given, values)


def _more_digits(model, args, given, values):
    digits = given.get("digits", 40)
    other = _precise(model, given, digits + 8)
    for name, (value, tolerance) in values.items():
        _require(name, value, _quantity(other, name), tolerance)
    return f"precise, {digits + 8} digits", values, {}


def _certify(model, args, given, values):
    """Balls: multiprecision values lie in them; what they are to hold from now on is the middle of smaller ones."""
    digits, inside = given.get("digits", 30), {}
    smaller = model.certify(**{**given, "digits": digits + 12})
    try:
        if given.get("floats") == "exact":
            raise ak.NotAvailableError("many digits read floats as decimals")
        other, route = _precise(model, given, digits + 15), f"precise, {digits + 15} digits"
    except (ak.NotAvailableError, ak.DomainError, ak.ConvergenceError):
        other, route = smaller, f"certify, {digits + 12} digits"
    for name, (ball, _) in values.items():
        if is_ball(ball):
            value = mpmath.mpf(_middle(_quantity(other, name)))
            inside[name] = mpmath.mpf(_quantity(smaller, name).mid)
            _require(name, ball.mid, value, ball.rad + 2 * abs(value) * mpmath.mpf(10) ** -(digits + 15))
            _require(name, ball.mid, inside[name], ball.rad + _quantity(smaller, name).rad)
    return route, values, inside


def _middle(value):
    return value.mid if is_ball(value) else value


def _sweep(model, args, given, values):
    """A sweep: single solutions at its points, which also say how ill they are conditioned."""
    rtol = given.pop("rtol", PROMISE["sweep"])
    given.pop("backend", None)
    axes = {k: v for k, v in given.items() if isinstance(v, list) and k not in LISTS}
    shape = [len(v) for v in axes.values()]
    taught = {n: np.array(t, dtype=float) for n, (_, t) in values.items() if t is not None}
    for index in np.ndindex(*shape):
        at = {k: v[i] for (k, v), i in zip(axes.items(), index)}
        single = model.solve(**{**given, **at})
        for name in taught:
            value, other = values[name][0][index], _quantity(single, name)
            if other is None:
                continue
            taught[name][index] = max(rtol, ROUNDING * single.condition.get(name, 1.0)) * abs(value)
            _require(f"{name}{list(index)}", float(value), other, taught[name][index])
    return "solve", {n: (v, taught.get(n)) for n, (v, _) in values.items()}, {}


def _derivative(model, quantity, name, given):
    """A quantity at a point, and its first two derivatives by multiprecision differences."""
    with mpmath.workdps(60):
        x = mpmath.mpf(repr(given[name] if name in given else model.solve(**given)[name]))
        h = STEP * (abs(x) or 1)
        down, here, up = (_quantity(_precise(model, {**given, name: str(x + k * h)}, 40), quantity) for k in (-1, 0, 1))
        return here, (up - down) / (2 * h), (up - 2 * here + down) / h**2


def _sensitivity(model, args, given, values):
    quantity, names = args
    if any(isinstance(v, list) and k not in LISTS for k, v in given.items()):
        return "nothing else", values, {}
    for name in [names] if isinstance(names, str) else names:
        value, tolerance = values["" if isinstance(names, str) else name]
        _require(name, value, _derivative(model, quantity, name, given)[1], tolerance)
    return "differences of precise, 40 digits", values, {}


def _optimum(model, args, given, values):
    """A smallest or largest value: it is that at its place, where the derivatives vanish."""
    quantity, over = (args[0] if args else given.pop("quantity")), given.pop("over")
    bounds, names = given.pop("bounds"), [over] if isinstance(over, str) else list(over)
    bounds = dict(zip(names, [bounds] if isinstance(over, str) else bounds))
    given.pop("backend", None)
    axes = {k: v for k, v in given.items() if isinstance(v, list) and k not in LISTS}
    for index in np.ndindex(*(len(v) for v in axes.values())):
        at = {**given, **{k: v[i] for (k, v), i in zip(axes.items(), index)}}
        place = {n: float(np.asarray(values[f"at {n}"][0])[index]) for n in names}
        for name in names:
            here, slope, bend = _derivative(model, quantity, name, {**at, **place})
            value, tolerance = (float(np.asarray(v)[index]) for v in values["value"])
            _require(quantity, value, here, tolerance)
            if not any(abs(place[name] - b) <= 1e-12 * abs(b) for b in bounds[name]):
                _require(f"place, by {quantity}", place[name], place[name] - slope / bend, PLACE * abs(place[name]))
    return "differences of precise, 40 digits", values, {}


def _solutions(model, args, given, values):
    for k in range(values["count"][0]):
        mine = {n.removeprefix(f"{k}."): v for n, v in values.items() if n.startswith(f"{k}.")}
        unknowns = [str(u) for u in model.equations().unknowns]
        start = {u: mine[u][0] for u in unknowns if u in mine}
        told = {n: v for n, v in given.items() if n not in ("starts", "seed")}
        other = model.precise(digits=DIGITS, start=start, **told)
        for name, (value, tolerance) in mine.items():
            if tolerance is not None:
                _require(f"{k}.{name}", value, _quantity(other, name), tolerance)
    return f"precise, {DIGITS} digits, from each", values, {}


def _path(model, args, given, values):
    """A continuation: its ends by arbitrary precision."""
    over = given["over"]
    told = {n: v for n, v in given.items() if n not in ("over", "start", "stop", "begin", "step", "limit")}
    unknowns = [str(u) for u in model.equations().unknowns]
    for end in ("start", "end"):
        place = values[f"{end}.{over}"][0]
        start = {u: values[f"{end}.{u}"][0] for u in unknowns if f"{end}.{u}" in values}
        other = model.precise(digits=DIGITS, **told, **{over: place}, **({"start": start} if start else {}))
        for name, (value, tolerance) in values.items():
            if name.startswith(f"{end}.") and tolerance is not None:
                _require(name, value, _quantity(other, name.removeprefix(f"{end}.")), tolerance)
    return f"precise, {DIGITS} digits, at its ends", values, {}


def _coefficients(activation, args, given, values):
    """Averages of an activation: more digits."""
    digits = given.get("digits") or (30 if given.get("certified") else 0)
    other = activation.hermite_coefficients(*args, digits=digits + 20)
    inside = {}
    for k, (value, tolerance) in enumerate(values.values()):
        inside[str(k)] = other[k]
        if is_ball(value):
            if abs(other[k] - mpmath.mpf(value.mid)) > mpmath.mpf(value.rad) + abs(other[k]) * mpmath.mpf(10) ** -40:
                raise DisagreementError(f"{k}: {other[k]} is not inside {value}")
        elif isinstance(value, np.ndarray):
            for i, entry in enumerate(value):
                _require(str(i), float(entry), other[i], max(tolerance[i], 1e-15))
        else:
            _require(str(k), value, other[k], tolerance)
    return f"{digits + 20} digits", values, inside if given.get("certified") else {}


def _average(node, args, given, values):
    """An average in closed form, or with so many digits: with more."""
    digits = (args or [30])[0] + 10
    _require("value", mpmath.mpf(values[""][0]), mpmath.mpf(str(node.evalf(digits))), values[""][1])
    return f"evalf, {digits} digits", values, {}


def _enclose(calls, node, values):
    """A proved average: more digits of it."""
    ((ball, _),) = values.values()
    given = {k.arg: k.value.value for k in node.keywords}
    digits = given.get("digits", node.args[1].value if len(node.args) > 1 else 30) + 8
    with mpmath.workdps(80):
        other = mpmath.mpf(str(calls.value(node.args[0]).evalf(digits)))
        unit = abs(other) * mpmath.mpf(10) ** (1 - digits)
        _require("value", ball.mid, other, max(ball.rad, unit))
    return f"evalf, {digits} digits", values, {"": other} if unit < ball.rad else {}


def _command(node, values):
    """A solution on the command line: the same command in arbitrary precision."""
    line = node.args[0].value
    if not (line.startswith("solve ") and line.endswith("--json") and "--digits" not in line and "keys" in values):
        return "nothing else", values, {}
    printed = command(line.replace("--json", f"--digits {DIGITS} --json"))["printed"]
    if printed is None:
        return "nothing else", values, {}
    for kind in ("observables", "order_parameters"):
        for name, text in printed[kind].items():
            _require(name, values[f"{kind}.{name}"][0], text, values[f"{kind}.{name}"][1])
    return f"--digits {DIGITS}", values, {}


def _second_moment(activation, args, given, values):
    value, tolerance = values[""]
    other = activation.second_moment(digits=45)
    if is_ball(value):
        _require("value", value.mid, other, value.rad)
        return "45 digits", values, {"": other}
    _require("value", value, other, tolerance)
    return "45 digits", values, {}


def _hermite(activation, args, given, values):
    other = activation.hermite_coefficients(*args, digits=45)[-1]
    _require("value", mpmath.mpf(values[""][0]), other, values[""][1])
    return "hermite_coefficients, 45 digits", values, {}


_ROUTES = {
    "certify": _certify, "continuation": _path, "doit": _average, "evalf": _average, "hermite": _hermite,
    "hermite_coefficients": _coefficients, "maximize": _optimum, "minimize": _optimum, "precise": _more_digits,
    "second_moment": _second_moment, "sensitivity": _sensitivity, "solutions": _solutions, "solve": _solve,
    "solve_rows": _rows, "sweep": _sweep}
