"""Report on a theory at a point as one web page (``theory.report()``): what goes in, what comes out, and why.

A part that cannot be computed says so in a sentence.
"""

from __future__ import annotations

import platform
import subprocess
import warnings
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sympy import Basic, Eq, Integer, Symbol

from .._version import __version__
from ..arguments import check_path, check_text, quote
from ..equations.system import legend, presentation
from ..errors import (
    AssumptionWarning,
    AsympkitError,
    ConvergenceError,
    DomainError,
    LostDigitsError,
    UnknownNameError,
    suggest,
)
from ..jobs import progress_bar
from ..nodes import Applied, Tabled, bind, named_parts
from ..notation import FUNCTIONS, Html, character, format_html, spell_words, summarise
from ..plot.canvas import USUAL
from ..versions import PACKAGES, installed_version
from . import GENERATOR, draw, escaped, fold, page, scroll, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..theories.model import Model

#: points of a curve, those of them that are simulated, and how far it goes to both sides, as a factor
_POINTS, _SIMULATED, _FAR = 25, [0, 8, 16, 24], 5.0
#: how far an optimum is looked for, as a factor; the largest number of parameters along which there are curves
_WIDE, _CURVES = 25.0, 3
#: repeats and largest size of a simulation of which nothing is said; digits of a proof
_REPEATS, _SIZE, DIGITS = 4, 200, 15
#: degrees of Hermite coefficients, and the part of the largest below which one is rounding
_DEGREES, _ROUNDING = 8, 1e-15
#: characters of MathML from which on equations are closed at first
_LONG = 60_000


@dataclass(frozen=True)
class Subject:
    """Hold what a report is about: a theory at a point, its solution or None, and the options of the report."""

    model: Model
    parameters: dict[str, Any]
    solution: Any = None
    unsolved: str = ""
    quantity: str = ""
    over: tuple[str, ...] = ()
    simulation: dict[str, Any] | None = None
    digits: int | None = None
    origin: tuple[tuple[str, Any], ...] = ()

    @property
    def values(self) -> dict[str, Any]:
        """Return the numbers at the point by name: parameters, defaults, derived ones, unknowns, observables."""
        known = {p.name: p.default for p in self.model.declared if not p.is_required} | self.parameters
        s = self.solution
        return known if s is None else {**known, **s.parameters, **s.order_parameters, **s.observables}

    @property
    def numeric(self) -> list[str]:
        """Return the names of the parameters that are finite numbers and may vary."""
        return [p.name for p in self.model.declared if p.is_axis and p.name not in self.model.implied
                and isinstance(v := self.values.get(p.name), int | float | np.number) and bool(np.isfinite(float(v)))]

    def without(self, name: str) -> dict[str, Any]:
        """Return the given parameters but one."""
        return {n: v for n, v in self.parameters.items() if n != name}

    def around(self, name: str, factor: float, count: int) -> Any:
        """Return points around the value of a parameter, inside its domain."""
        low, high = next(p.ends for p in self.model.declared if p.name == name)
        here = float(self.values[name])
        if here > 0.0:
            return np.geomspace(max(here / factor, low), min(here * factor, high), count)
        width = max(1.0, abs(here))
        return np.linspace(max(here - width, low), min(here + width, high), count)


def run_report(model: Model, made: str, path: Any, quantity: str | None, over: str | Sequence[str] | None,
               simulation: Mapping[str, Any] | bool, digits: int | None, date: str,
               parameters: Mapping[str, Any]) -> Path:
    """Write as :meth:`asympkit.theories.model.Model.report` describes; ``made`` is the call that makes the theory."""
    file = check_path("path", path)
    if file.is_dir():
        raise DomainError(f"path: {str(file)!r} is a folder; expected the name of a file")
    if file.exists() and GENERATOR not in file.read_text(encoding="utf-8", errors="replace"):
        raise DomainError(f"path: {str(file)!r} exists and was not written by asympkit; choose another name")
    if not isinstance(simulation, bool | dict):
        raise DomainError(f"simulation: got {quote(simulation)}; expected True, False, or a dictionary of arguments of "
                          "simulate(), such as dict(repeats=10)")
    check_text("date", date, "a text")
    options = {"quantity": (quantity, None), "over": (over, None), "simulation": (simulation, True),
               "digits": (digits, DIGITS), "date": (date, "")}
    typed = [f"{n}={v!r}" for n, (v, usual) in options.items() if v != usual]
    given = ", ".join(f"{n!r}: {summarise(v) if getattr(v, 'size', 1) > 8 else repr(v)}" for n, v in parameters.items())
    call = f"{made}.report({', '.join([repr(file.name), *typed, f'parameters={{{given}}}'])})"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)          # the page has them
        try:
            s = Subject(model, dict(parameters), model.solve(parameters=parameters))
        except (ConvergenceError, LostDigitsError) as error:
            s = Subject(model, dict(parameters), unsolved=str(error))
        known = model.quantities
        s = replace(s, quantity=quantity or (USUAL if USUAL in known else known[0]), over=_along(s, over),
                    simulation=_settings(model, simulation), digits=digits, origin=_origin(call, date))
        model.check_quantity("report", s.quantity)
        parts, bar = [], progress_bar(len(_PARTS), "parts", 0, None)
        for key, (heading, part) in _PARTS.items():
            parts.append((key, heading, _attempt(part, s)))
            bar.update()
        bar.close()
    file.write_text(page(f"{model.name}: report", _head(s), parts), encoding="utf-8")
    return file


def equations_page(model: Model) -> str:
    """Return the derivation of the equations of a theory as a web page."""
    s = Subject(model, {})
    parts = [(key, _PARTS[key][0], _PARTS[key][1](s)) for key in ("symbols", "equations", "structure")]
    return page(f"{model.name}: equations", _head(s), parts)


def _along(s, over):
    """Return the parameters along which there are curves: those asked for, or the natural ones."""
    if over is None:
        simulated = [n for n in (s.model.simulator.axes if s.model.simulator else ()) if n in s.numeric]
        required = [p.name for p in s.model.declared if p.is_required and p.name in s.numeric]
        return tuple((simulated or required or s.numeric)[:_CURVES])
    over = (over,) if isinstance(over, str) else tuple(over)
    for name in over:
        if name not in s.numeric:
            raise UnknownNameError(f"over: {name!r} is no parameter that is a number{suggest(str(name), s.numeric)}; "
                                   f"expected some of {', '.join(s.numeric)}")
    return over


def _settings(model, simulation):
    """Return the arguments of the simulation, or None for none."""
    if simulation is False or model.simulator is None:
        return None
    size = model.simulator.settings[0]
    usual = {} if size.default is None else {size.name: min(size.default, _SIZE)}
    return {"repeats": _REPEATS, "progress": False, **usual, **({} if simulation is True else simulation)}


def _origin(call, date):
    """Return what repeats the report; nothing of it depends on the clock."""
    folder, rows = Path(__file__).parents[1], [("asympkit", __version__)]
    try:            # the last commit that changed the package, where it lies in a repository
        found = subprocess.run(["git", "log", "-1", "--format=%H", "--", "."], cwd=folder, capture_output=True,
                               text=True, timeout=10)
        rows += [("commit of the package", text) for text in found.stdout.split()]
    except (OSError, subprocess.SubprocessError):
        pass
    rows += [("Python", platform.python_version()), *((name, installed_version(name)) for name in PACKAGES)]
    rows += [("date", date)] * bool(date)
    return (*rows, ("call", Html(f"<code>import asympkit as ak<br>{escaped(call)}</code>")))


def _attempt(part, *arguments):
    """Return a part of the page, or a sentence that says why there is none."""
    try:
        return part(*arguments)
    except Exception as error:          # a user's functions may raise anything; the other parts are worth having
        return _say(f"Not available here: {_reason(error)}", "note")


def _reason(error):
    return str(error) if isinstance(error, AsympkitError) else f"{type(error).__name__}: {error}"


def _value(compute):
    """Return what a function computes, as a cell of a table, or why it cannot."""
    try:
        return _number(compute())
    except AsympkitError as error:
        return f"not available: {error}"


def _say(text, kind=""):
    return Html(f'<p class="{kind}">{escaped(text)}</p>' if kind else f"<p>{escaped(text)}</p>")


def _number(value):
    if isinstance(value, float):
        return f"{value:.15g}"
    return summarise(value) if hasattr(value, "shape") else "not given" if value is None else str(value)


# -- the parts -------------------------------------------------------------------------------------------------------


def _head(s):
    """Return what the page is about, in a few lines."""
    texts = [[f"{label} {f.name}" for label, f in s.model.functions.items()],
             [f"{n} {v}" for n, v in s.model.chosen.items()],
             [f"{n} = {summarise(v)}" for n, v in s.parameters.items()]]
    lines = [_say(", ".join(text), "source") for text in texts if text]
    if s.quantity in s.values:
        result = f"{spell_words(s.quantity)} {_number(s.values[s.quantity])}"
        lines.append(Html(f"<p><strong>{escaped(result)}</strong></p>"))
    return "\n".join(lines)


def _activations(s):
    found = [_activation(label, f, k) for k, (label, f) in enumerate(s.model.functions.items())]
    return "\n".join(found) or _say("This theory has no activation.")


def _activation(label, f, k):
    rows = [("parity", _value(lambda: f.parity or "neither odd nor even")),
            ("kinks", _value(lambda: ", ".join(map(str, f.kinks)) or "none")),
            ("jumps", _value(lambda: ", ".join(str(at) for at, _ in f.jumps) or "none"))]
    try:
        found = f.hermite_coefficients(_DEGREES)
        least = _ROUNDING * np.abs(found).max()
        shown = ["0 to rounding" if 0.0 < abs(c) < least else _number(float(c)) for c in found]
        rows += [(Html(format_html(f"c_{n}")), text) for n, text in enumerate(shown)]
    except AsympkitError as error:
        rows.append(("Hermite coefficients", f"not available: {error}"))
    rows += [("mean square", _value(f.second_moment)), ("gain 1/std", _value(f.gain)),
             ("gain 1/rms", _value(partial(f.gain, "rms")))]
    title = f"{label}: the function, and the part of its mean square in each Hermite degree"

    def picture():
        return draw(f"f{k}", title, partial(f.plot, _DEGREES), lambda axes: (
            f"Left, f(z): {float(f(-4.0)):.3g} at -4, {float(f(0.0)):.3g} at 0, {float(f(4.0)):.3g} at 4. Right, the "
            f"part of each degree to {_DEGREES}, from the coefficients of the table, on a logarithmic scale."))[0]

    formula = presentation(Eq(Symbol("f(z)"), f.expr, evaluate=False))
    return "\n".join([f"<h3>{escaped(f'{label}: {f.name}')}</h3>", scroll(formula, f"formula of {label}", "equation"),
                      table(f"{label}: f is the sum of c_k He_k(z), z ~ N(0, 1)", ("property", "value"), rows),
                      _attempt(picture)])


def _assumptions(s):
    rows = [(p.name, p.meaning, p.expectation, _number(s.values.get(p.name, "an array")))
            for p in s.model.declared if p.name not in s.model.implied]
    text = table("Parameters", ("name", "meaning", "which numbers", "here"), rows) if rows else ""
    if s.solution is None:
        return text + _say("Whether the assumptions hold here is not known, as there is no solution.")
    claims = [_claim(a, s.solution.parameters) for a in s.model.assumptions]
    claims += [("no", t) for t in s.solution.assumptions if t not in {words for _, words in claims}]
    if not claims:
        return text + _say("The theory states no assumption on its parameters.")
    return text + table("Assumptions", ("holds here", "what it says"), claims)


def _claim(assumption, values):
    """Return whether an assumption holds, and its condition, or the warning."""
    if not assumption.holds(values):
        return "no", assumption.describe_violation(values)
    if isinstance(assumption.condition, Basic):
        return "yes", Html(presentation(assumption.condition))
    what = isinstance(assumption.quantity, tuple) and f"{assumption.label} = {assumption.quantity[1](values):.6g}"
    return "yes", f"a test of the theory on {what or 'functions and parameters'}"


def _definitions(model):
    """Return the named expressions of equations, observables and free energy."""
    found = {n.label: n for n in model.equations().definitions}
    for n in named_parts(model.free_energy or Integer(0)):
        found.setdefault(n.label, n.written_out() if isinstance(n, Tabled) else n)
    return list(found.values())


def _symbols(s):
    """Return the table in which every symbol of the equations is defined."""
    system, declared = s.model.equations(), {p.name: p.meaning or "parameter" for p in s.model.declared}
    meanings = {**{n.label: "defined by its equation" for n in _definitions(s.model)}, **s.model.meanings}
    found = {x.name: what for symbols, what in legend(system, s.model.meanings) for x in symbols}
    for n in (u.name for u in system.unknowns if u.name in found):
        conjugate = f"conjugate of {n.replace('hat', '')}" * ("hat" in n)
        found[n] = system.meanings.get(n) or conjugate or "unknown (order parameter)"
    shown = {**found, **{n: what for n, what in (meanings | declared).items() if n not in found and n not in
                         s.model.implied}}
    rows = [(n, Html(presentation(Symbol(n), system.notation)), what, _number(s.values.get(n, "")))
            for n, what in shown.items()]
    used = {a.label for n in _definitions(s.model) for a in n.expr.atoms(Applied)}
    rows += [(label, Html(character(FUNCTIONS[label])), "any function", "") for label in FUNCTIONS
             if label in used - {*s.model.functions}]
    words = ("E with an index is the mean over standard normal variables, angle brackets the mean over eigenvalues; a "
             "hat marks the conjugate of an order parameter.")
    return _say(words) + table("Symbols of the equations", ("name", "symbol", "meaning", "here"), rows)


def _equations(s):
    model, system = s.model, s.model.equations()

    def shown(expr, left="", name=None):
        expr = bind(expr, model.functions)
        expr = expr if name is None else Eq(Symbol(name) if isinstance(name, str) else name, expr, evaluate=False)
        large = presentation(expr, system.notation).replace("<math ", '<math displaystyle="true" ', 1)
        return f"<p>{left}{large}</p>"

    energy = model.free_energy
    parts = [("Stated equations", [shown(e, name=0) for e in model.stated]),
             ("Free energy, whose derivatives by the unknowns vanish", [] if energy is None else [shown(energy)]),
             ("Definitions", [shown(n.expr, name=n.label) for n in _definitions(model)])]
    parts += [(f"Block {k}, {b.kind}", [shown(f, name=str(u) if is_map else 0) for u, f, is_map in b.equations]
               + [shown(f, name=str(u)) for u, f in b.assignments]) for k, b in enumerate(system.blocks, 1)]
    parts += [("Observables", [shown(e, f"<code>{escaped(n)}</code> = ") for n, e in system.observables.items()])]
    texts = []
    for heading, rows in parts:
        body = scroll("\n".join(rows), heading, "equation")
        body = fold(f"{len(rows)} long equations", body) if len(body) > _LONG else body
        texts += [f"<h3>{escaped(heading)}</h3>{body}"] * bool(rows)
    return "\n".join([*texts, fold("The same in LaTeX", model.derive("latex"))])


def _structure(s):
    rows = [(f"{k}", b.kind, ", ".join(map(str, b.unknowns)), ", ".join(map(str, b.torn)) or "none")
            for k, b in enumerate(s.model.equations().blocks, 1)]
    return _say("Blocks are solved one after the other; within one the other unknowns follow from its iteration "
                "variables.") + table("Blocks", ("block", "kind", "unknowns", "iteration variables"), rows)


def _solution(s):
    if s.solution is None:
        return _say(f"Not solved here: {s.unsolved}", "note")
    found = {**s.solution.observables, **s.solution.order_parameters}
    rows = [(n, _number(v), f"{s.solution.condition[n]:.1e}" if n in s.solution.condition else "not estimated")
            for n, v in found.items()]
    return table("Double precision; the condition number multiplies the relative rounding, 2e-16",
                 ("quantity", "value", "condition number"), rows) + _say(s.solution.reached.partition("\n")[0])


def _curves(s):
    words = "The theory has no simulator." if s.model.simulator is None else "Nothing is simulated."
    if s.simulation is not None:
        at = ", ".join(f"{n} {summarise(v)}" for n, v in s.simulation.items() if n != "progress")
        words = (f"Simulated: {at}. Pulls are (simulation - theory)/(standard error); those of small sizes include the "
                 "distance from the limit.")
    return _say(words) + "\n".join(f"<h3>{escaped(f'Along {n}')}</h3>{_attempt(_curve, s, n, k)}"
                                   for k, n in enumerate(s.over))


def _curve(s, name, k):
    x, title = s.around(name, _FAR, _POINTS), f"{s.quantity} along {name}"

    def make(simulation):
        return s.model.plot(s.quantity, over=name, simulation=simulation, parameters={**s.without(name), name: x})

    def describe(axes):
        (first, start), *_, (last, end) = np.ravel(np.asarray(axes, dtype=object))[0].lines[0].get_xydata()
        return f"From {start:.4g} at {name} = {first:.4g} to {end:.4g} at {last:.4g}." + (
            " Points with error bars are simulated; their pulls are below." if np.size(axes) > 1 else "")

    note, chosen = "", s.simulation and {name: x[_SIMULATED], **s.simulation}
    try:
        picture, axes = draw(f"c{k}", title, partial(make, chosen), describe)
    except Exception as error:          # of a user's simulation, which may raise anything
        if chosen is None:
            raise
        note = _say(f"Not simulated: {_reason(error)}", "note")
        picture, axes = draw(f"c{k}", title, partial(make, None), describe)
    return note + picture + fold("Numbers of this picture", _numbers(s, name, axes))


def _numbers(s, name, axes):
    """Return the numbers that a picture shows."""
    upper, *lower = np.ravel(np.asarray(axes, dtype=object))
    text = table("Theory", (name, s.quantity), [(f"{x:.6g}", f"{y:.12g}") for x, y in upper.lines[0].get_xydata()])
    if not lower:
        return text
    means, _, (bars,) = upper.containers[0].lines
    rows = [(f"{x:.6g}", f"{y:.6g}", f"{(bar[1, 1] - bar[0, 1]) / 2:.2g}", f"{pull:.2f}") for (x, y), bar, (_, pull)
            in zip(means.get_xydata(), bars.get_segments(), lower[0].lines[-1].get_xydata())]
    return Html(text + table("Simulation", (name, "mean", "standard error", "pull"), rows))


def _optimum(s, name):
    low, high = map(float, s.around(name, _WIDE, 2))
    # a list: from values on few tables, where exact derivatives at many points take longer than the other parts
    found = s.model.minimize(s.quantity, over=[name], bounds=[(low, high)], parameters=s.without(name))
    best = f"{float(found.value):.12g}, at {name} = {float(found.argmin[name]):.10g}"
    if found.at_bound[name]:
        return _say(f"Over {name} from {low:.3g} to {high:.3g}, {s.quantity} is smallest at an end, {best}: there is "
                    "no finite optimum inside.")
    return _say(f"Over {name} the smallest {s.quantity} is {best}; here it is {_number(s.values.get(s.quantity))}.")


def _sensitivities(s):
    rows, here = [], s.values.get(s.quantity)
    for name in s.numeric:
        slope = _value(lambda n=name: float(s.model.sensitivity(s.quantity, n, parameters=s.parameters)))
        is_number = here and not slope.startswith("not")
        rows.append((name, slope, f"{float(slope) * float(s.values[name]) / here:.6g}" if is_number else "not defined"))
    return table(f"Exact derivatives of {s.quantity}", ("parameter", "derivative", "derivative of logarithms"), rows)


def _certificate(s):
    if s.digits is None:
        return _say("A proof was not asked for.")
    proved = s.model.certify(digits=s.digits, floats="decimal", parameters=s.parameters).certificate
    balls = table("Proved enclosures", ("quantity", "ball"), proved.enclosures.items())
    return _say(proved.claim) + balls + fold("The record of the proof", str(proved))


def _code(s):
    source = s.model.source()
    return _say("A Python module that solves these equations with numpy alone; theory.generate() writes it, also for "
                "JAX and C.") + fold(f"{len(source.splitlines())} lines", source)


_PARTS = {"activations": ("Activations", _activations), "assumptions": ("Parameters and assumptions", _assumptions),
          "symbols": ("Symbols", _symbols), "equations": ("Equations", _equations),
          "structure": ("Structure", _structure), "solution": ("Solution", _solution), "curves": ("Curves", _curves),
          "optimum": ("Optimum", lambda s: "\n".join(_attempt(_optimum, s, name) for name in s.over)),
          "sensitivities": ("Sensitivities", _sensitivities),
          "certificate": ("Certificate", _certificate), "code": ("Exported code", _code),
          "provenance": ("Provenance", lambda s: table("What repeats this report", ("what", "value"), s.origin))}
