"""Values of golden records: what a result holds, how it is written to a file, and what moved.

A record is a flat dict of names.  What stands behind a name says how it is compared:

====================================  ==================================================================
``[value, tolerance]``                a number; two lists of one shape for an array
``["0.2642...", "1e-20"]``            a multiprecision number, as text
``{"inside": "0.26...", "radius": r}``  a certified ball holds this number, and its radius is at most r
``{"exactly": [...]}``                a list of names or counts
anything else                         exactly this: counts, truth values, infinities, names
====================================  ==================================================================
"""

import dataclasses
import math
import re

import mpmath
import numpy as np
import sympy

import asympkit as ak

#: what a call promises relative to a value, and the share of a condition number that is allowed
PROMISE = {"solve": 1e-12, "sweep": 1e-10, "solve_rows": 1e-10, "sel": 1e-10, "sensitivity": 1e-10, "minimize": 1e-10,
           "maximize": 1e-10, "continuation": 1e-9, "solutions": 1e-12, "simulate": 1e-9, "check": 1e-9}
ROUNDING = 1e-13
#: relative to the place of an optimum: its derivative vanishes there, and is known to 1e-10
PLACE = 1e-8
#: names that say how a number was reached, which may change
HOW = ("residual", "iterations", "error_estimate", "condition", "nodes", "bits", "working_digits", "starts", "roots",
       "hypotheses", "versions", "claim", "balls", "assumptions", "out", "files")
#: so many digits of closed forms
CLOSED = 30
_BALL = re.compile(r"\s*(\S+) \+/- (\S+)\s*")


def is_precise(value):
    """Whether a value is a number of mpmath, of any of its contexts."""
    return hasattr(value, "_mpf_")


def is_ball(value):
    return hasattr(value, "mid") and hasattr(value, "rad")


# -- what a result holds --------------------------------------------------------------------------------------------

def values_of(result, method="solve", digits=None):
    """Return a dict of (value, tolerance) by name; the tolerance is absolute, or None for exact values.

    Parameters
    ----------
    result
        Of any public call.
    method : str
        Its name, which says what accuracy is promised.
    digits : int, optional
        Of a multiprecision call.
    """
    promise = PROMISE.get(method, 1e-12)
    if type(result).__name__ == "Printed":
        return _of_command(result)
    if hasattr(result, "order_parameters"):
        return _of_solution(result, promise, digits)
    if hasattr(result, "free_energies"):
        return _of_solutions(result, promise)
    if hasattr(result, "places"):
        return _of_optimum(result, promise)
    if hasattr(result, "branches"):
        return _of_path(result, promise)
    if hasattr(result, "estimates"):
        return _of_simulation(result, promise)
    if hasattr(result, "verdict"):
        return _of_report(result, promise)
    if isinstance(result, ak.Sweep):
        found = {n: (v, promise * np.abs(v)) for n in result.names for v in [np.asarray(result[n], dtype=float)]}
        return {**found, "converged": (int(np.sum(result.converged)), None)}
    if hasattr(result, "baseline_test") and hasattr(result, "steps"):
        return _of_staircase(result)
    if isinstance(result, dict):
        return {f"{n}.{m}" if m else str(n): v for n, value in result.items() if n not in HOW
                for m, v in values_of(value, method, digits).items()}
    if method == "hermite_coefficients" and isinstance(result, np.ndarray):
        return _of_coefficients(result)
    if dataclasses.is_dataclass(result) and not is_ball(result):
        return values_of({f.name: getattr(result, f.name) for f in dataclasses.fields(result)}, method, digits)
    return _of_anything(result, promise, digits)


def _of_anything(result, promise, digits):
    if result is None or isinstance(result, bool | str | np.bool_):
        return {"": (result if result is None or isinstance(result, str) else bool(result), None)}
    if isinstance(result, int | np.integer):
        return {"": (int(result), None)}
    if isinstance(result, np.ndarray) and result.ndim == 0:
        return _of_anything(result.item(), promise, digits)
    if isinstance(result, float | np.floating) or is_precise(result) or is_ball(result):
        return {"": number(result, promise, digits)}
    if isinstance(result, sympy.Basic):
        if result in (sympy.true, sympy.false) or result.is_Integer:
            return {"": (str(result), None)}
        with mpmath.workdps(CLOSED + 5):
            return {"": number(mpmath.mpf(str(result.evalf(CLOSED + 5))), promise, CLOSED)}
    if isinstance(result, np.ndarray) and result.dtype.kind == "f":
        # zeros by symmetry stay zeros
        rounding = np.where(result == 0, 0.0, ROUNDING * np.max(np.abs(result)))
        return {"": (result, np.maximum(promise * np.abs(result), rounding))}
    if isinstance(result, np.ndarray):
        return {"": (result.tolist(), None)}
    if isinstance(result, list | tuple) and all(isinstance(e, sympy.Symbol | int) for e in result):
        return {"": ([e if isinstance(e, int) else str(e) for e in result], None)}
    if isinstance(result, list | tuple):
        return {f"{k}.{m}" if m else str(k): v for k, entry in enumerate(result)
                for m, v in values_of(entry, "", digits).items()}
    raise TypeError(f"{type(result).__name__}: golden records do not know this kind of result")


def _of_coefficients(found):
    """E[f He_k]/k! is conditioned like the root of E[f^2]/k!, relative to itself."""
    factorials = np.array([math.factorial(k) for k in range(found.size)], dtype=float)
    size = ROUNDING * np.sqrt(np.sum(factorials * found**2) / factorials)
    return {"": (found, np.where(found == 0, 0.0, np.maximum(PROMISE["solve"] * np.abs(found), size)))}


def number(value, relative, digits=None):
    """Return a number and its absolute tolerance.

    Of a multiprecision number it is two units of the last, of a ball the largest radius.
    """
    if is_ball(value):
        return value, (mpmath.mpf(10) ** -digits * abs(mpmath.mpf(value.mid)) if digits else 0)
    if is_precise(value) and mpmath.isfinite(value):
        return value, 2 * mpmath.mpf(10) ** -(digits or 12) * abs(value)
    value = float(value)
    return value, (relative * abs(value) if math.isfinite(value) else None)


def _of_solution(solution, promise, digits, prefix=""):
    found = {}
    for name, value in {**solution.observables, **solution.order_parameters}.items():
        relative = max(promise, ROUNDING * solution.condition.get(name, 1.0))
        found[prefix + name] = number(value, relative, digits)
    if hasattr(solution, "certificate"):
        return {**found, "uniqueness": (solution.certificate.uniqueness, None)}
    if digits is None:
        found |= {prefix + n: number(v, promise) for n, v in solution.parameters.items()
                  if isinstance(v, float) and prefix + n not in found}
    for k, (bias, objective) in enumerate(getattr(solution, "minima", ())):
        # a minimum is known to the square root of what its value is known to
        found |= {f"{prefix}minima.{k}.bias": (bias, max(PLACE * abs(bias), PLACE)),
                  f"{prefix}minima.{k}.objective": number(objective, promise)}
    return found


def _of_solutions(solutions, promise):
    found = {"count": (len(solutions), None)}
    for k, solution in enumerate(solutions):
        found |= _of_solution(solution, promise, None, f"{k}.")
        if solutions.free_energies is not None:
            found[f"{k}.free energy"] = number(solutions.free_energies[k], promise)
    return found


def _of_optimum(optimum, promise):
    found = {"value": _array(optimum.value, promise), "converged": (int(np.sum(optimum.converged)), None)}
    for name, (place, at_bound) in optimum.places.items():
        found |= {f"at {name}": _array(place, PLACE), f"at a bound of {name}": (int(np.sum(at_bound)), None)}
    return found


def _array(value, relative):
    return number(value, relative) if np.ndim(value) == 0 else (np.asarray(value), relative * np.abs(value))


def _of_path(path, promise):
    """Ends and folds: the points between are chosen by the method."""
    found = {"branches": (len(path.branches), None), "folds": (len(path.folds), None)}
    for k, fold in enumerate(path.folds):
        found[f"fold {k}.{path.over}"] = number(fold.parameter, promise)
        # beside a fold unknowns move like the square root of the parameter
        found |= {f"fold {k}.{n}": number(v, 1e-7) for n, v in {**fold.unknowns, **fold.observables}.items()}
    for where, branch, index in (("start", path.branches[0], 0), ("end", path.branches[-1], -1)):
        found[f"{where}.{path.over}"] = number(branch.parameter[index], promise)
        points = {**branch.unknowns, **branch.observables}
        found |= {f"{where}.{n}": number(v[index], promise) for n, v in points.items()}
    return found


def _of_simulation(simulation, promise, prefix=""):
    """Means and values of seeded networks, up to the rounding of linear algebra."""
    found = {}
    for name in simulation:
        estimate = simulation[name]
        found[f"{prefix}{name}.mean"] = _array(estimate.mean, promise)
        found[f"{prefix}{name}.values"] = _array(estimate.values, promise)
    return found


def _of_report(report, promise):
    found = {"outcome": (report.outcome, None), "passed": (bool(report.passed), None)}
    for row in report.rows:
        found[f"{row.name}.compiled"] = number(row.compiled, promise)
        if row.expected is not None:
            found[f"{row.name}.expected"] = number(row.expected, promise)
        if row.simulation is not None:
            found[f"{row.name}.simulation"] = number(row.simulation.mean, promise)
    return found


def _of_staircase(found):
    values = {n: _array(getattr(found, n), 1e-12)
              for n in ("train_error", "test_error", "baseline_train", "baseline_test")}
    for k, step in enumerate(found.steps):
        values |= {f"step {k}.degree": (int(step.degree), None), f"step {k}.alpha_lr": number(step.alpha_lr, 1e-12),
                   f"step {k}.train_error": number(step.train_error, 1e-12),
                   f"step {k}.test_error": number(step.test_error, 1e-12)}
    return values


# -- the command line -----------------------------------------------------------------------------------------------

def _of_command(result):
    """Exit status, keys and numbers of what was printed: no words."""
    found = {"exit status": (result["status"], None)}
    if result["printed"] is None:
        return found
    printed = result["printed"]
    found["keys"] = (sorted(set(_keys(printed))), None)
    if not isinstance(printed, dict):
        return found
    promise, conditions = PROMISE.get(result["command"], 1e-12), printed.get("condition", {})

    def accuracy(path):
        if {"argmin", "argmax", "place"} & set(path):
            return PLACE
        if conditions or "parameters" in path:
            return max(promise, ROUNDING * conditions.get(path[-1], 1.0))
        return max(promise, 1e-10 if "order_parameters" in path else 1e-11)     # condition numbers are not printed

    return {**found, **_numbers(printed, accuracy, printed.get("digits"))}


def _keys(printed, prefix=""):
    """Places of a document, entries of lists as one."""
    if isinstance(printed, dict):
        for name, value in printed.items():
            yield prefix + name
            yield from _keys(value, f"{prefix}{name}.")
    elif isinstance(printed, list):
        for value in printed:
            yield from _keys(value, f"{prefix}[].")


def _numbers(printed, accuracy, digits, path=()):
    """Numbers of a document by place; of the points of a path, which the method chooses, the first and the last."""
    found = {}
    for name, value in printed.items() if isinstance(printed, dict) else enumerate(printed):
        here = (*path, str(name))
        where = ".".join(here)
        if name in HOW:
            continue
        if isinstance(value, list) and value and all(type(v) in (float, int) for v in value):
            ends = np.array([value[0], value[-1]] if path[:1] == ("branches",) else value, dtype=float)
            found[where] = ends, accuracy(here) * np.abs(ends)
        elif isinstance(value, dict | list):
            found |= _numbers(value, accuracy, digits, here)
        elif isinstance(value, bool | int):
            found[where] = value, None
        elif isinstance(value, float):
            found[where] = number(value, accuracy(here))
        elif isinstance(value, str) and _BALL.fullmatch(value):
            found[where] = number(_PrintedBall(value), None, digits)
        elif isinstance(value, str) and re.fullmatch(r"-?\d+\.\d{9,}(e[-+]\d+)?", value):
            with mpmath.workdps(60):
                found[where] = number(mpmath.mpf(value), None, shown_digits(value))
    return found


class _PrintedBall:
    """A ball as it is printed."""

    def __init__(self, text):
        mid, rad = _BALL.fullmatch(text).groups()
        with mpmath.workdps(60):
            self.mid, self.rad = mpmath.mpf(mid), mpmath.mpf(rad)


def shown_digits(text):
    """Number of significant digits of a number as text."""
    return len(text.lstrip("-0.").replace(".", "").split("e")[0])


# -- files ----------------------------------------------------------------------------------------------------------

def encoded(value, tolerance, inside=None):
    """Return a value as it stands in a file.

    Parameters
    ----------
    value, tolerance
        Of :func:`values_of`.
    inside : mpf, optional
        Of a ball, the number with more digits that it is to contain; its midpoint unless given.
    """
    if is_ball(value):
        with mpmath.workdps(60):
            mid, rad = mpmath.mpf(value.mid), mpmath.mpf(value.rad)
            inside = mid if inside is None else inside
            shown = 30 if rad == 0 else min(max(int(-mpmath.log10(rad / (abs(mid) or 1))) + 6, 10), 50)
            return {"inside": mpmath.nstr(inside, shown), "radius": rounded_up(max(10 * rad, tolerance))}
    if is_precise(value):
        digits = 30 if value == 0 else max(int(-mpmath.log10(tolerance / abs(value))) + 3, 5)
        return [mpmath.nstr(value, digits), mpmath.nstr(tolerance, 2)]
    if isinstance(value, np.ndarray):
        return [value.tolist(), [rounded_up(t) for t in np.ravel(tolerance)]]
    if isinstance(value, float) and tolerance is not None:
        return [value, rounded_up(tolerance)]
    return {"exactly": value} if isinstance(value, list | tuple) else value


def rounded_up(tolerance):
    """A tolerance with two digits, not below it."""
    tolerance = float(tolerance)
    if tolerance == 0 or not math.isfinite(tolerance):
        return tolerance
    power = 10.0 ** (math.floor(math.log10(tolerance)) - 1)
    return float(f"{math.ceil(tolerance / power * (1 - 1e-9)) * power:.1e}")


def difference(expected, value):
    """Return in what a value differs from the record, as text; "" where it does not."""
    if isinstance(expected, dict):
        if "inside" in expected:
            return _outside(expected, value)
        expected = expected["exactly"]
    elif isinstance(expected, list) and isinstance(expected[0], str):
        with mpmath.workdps(60):
            return _apart(mpmath.mpf(expected[0]), mpmath.mpf(expected[1]), value)
    elif isinstance(expected, list) and isinstance(expected[0], float):
        return _apart(*expected, value)
    elif isinstance(expected, list):
        was, now = np.asarray(expected[0], dtype=float), np.asarray(value, dtype=float)
        if was.shape != now.shape:
            return f"shape {was.shape} -> {now.shape}"
        apart = [_apart(*entry) for entry in zip(was.ravel(), expected[1], now.ravel())]
        return "; ".join(f"[{k}] {text}" for k, text in enumerate(apart) if text)
    return "" if type(expected) is type(value) and (expected == value or _both_nan(expected, value)) \
        else f"{expected!r} -> {value!r}"


def _both_nan(expected, value):
    return isinstance(expected, float) and math.isnan(expected) and math.isnan(value)


def _apart(was, tolerance, now):
    if not (isinstance(now, float) or is_precise(now)):
        return f"{was} -> {now!r}"
    if now == was or (math.isnan(was) and math.isnan(now)) or abs(now - was) <= tolerance:
        return ""
    distance = abs(now - was)
    return f"{was} -> {now}: moved by {float(distance):.2g}, allowed {float(tolerance):.2g}"


def _outside(expected, value):
    if not is_ball(value):
        return f"a ball around {expected['inside']} -> {value!r}"
    with mpmath.workdps(60):
        inside = mpmath.mpf(expected["inside"])
        shown = shown_digits(expected["inside"])
        unit = abs(inside) * mpmath.mpf(10) ** (1 - shown)
        distance = abs(mpmath.mpf(value.mid) - inside)
        if distance > mpmath.mpf(value.rad) + unit:
            return f"{expected['inside']} is not inside {mpmath.nstr(value.mid, shown)} +/- {float(value.rad):.2g}"
        if value.rad > expected["radius"]:
            return f"radius {float(value.rad):.2g}, allowed {expected['radius']:.2g}"
    return ""


def compare(record, values):
    """Return the lines that say what moved: names that came or went, and values beyond their tolerance."""
    moved = [f"{n}: is no longer there" for n in record if n not in values]
    moved += [f"{n}: is new" for n in values if n not in record]
    moved += [f"{n}: {text}" for n in record if n in values for text in [difference(record[n], values[n][0])] if text]
    return moved
