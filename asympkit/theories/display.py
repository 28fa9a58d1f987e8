"""Display a theory: on one line, as HTML, and in name completion.

Write the derivation of a theory's equations as text, LaTeX, MathML or data.  Draw quantities along a parameter with
simulated points (``theory.plot()``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from .. import __all__ as public
from ..arguments import check_text, dimensions, quote, varying
from ..equations.system import legend, presentation
from ..errors import DomainError, UnknownNameError, suggest
from ..nodes import bind
from ..notation import COLUMNS, add_title, broken, escape_html, label, name, one_screen, table
from ..once import Deferred
from ..plot.canvas import USUAL, number, quantity_names
from ..plot.curves import Curve, Points, draw_curves, draw_with_pulls
from ..simulate.simulation import Estimates
from .declaration import simulator_of
from .declared import THEORY_METHODS
from .model import Model

if TYPE_CHECKING:
    from typing import Any


_report = Deferred("asympkit.report.run")

#: names that completion offers for every theory, beside its methods
_OFFERED = {"name", "free_energy", "equations", "derive", "generate", "functions", "declared", "names", "quantities",
            "assumptions", "tolerances", "meanings", "stated"}


def line_of(theory):
    """Return a one-line description: the theory, its functions, and a call that solves it."""
    of = "".join(f", {label} {value!r}" for label, value in _made_of(theory))
    return one_screen(f"<{_kind(theory)} {theory.name!r}{of}: {_call(theory)}>")


def html_of(theory):
    """Return the same as HTML, with the meanings of all parameters."""
    rows = [(name(p.name), p.name, p.meaning, p.expectation) for p in theory.declared if p.name not in theory.implied]
    rows += [(name(n), n, "given as an array", "") for n in _arrays(theory)]
    of = _made_of(theory)
    return add_title(f"{_kind(theory)}: {theory.name}", *([table(of)] if of else []),
                  table(rows, ("", "name", "meaning", "which numbers")), f"<code>{escape_html(_call(theory))}</code>")


def list_public_names(cls):
    """List the public names: the methods and attributes for users of a theory; no parts of the engine."""
    own = {n for c in cls.__mro__ if not c.__module__.startswith("asympkit.") for n, value in vars(c).items()
           if not n.startswith("_") and callable(value) and not hasattr(Model, n)}
    return sorted({*THEORY_METHODS, *_OFFERED, *cls.offers, *own})


def _made_of(theory):
    """Return the functions and the other constructor arguments by name."""
    return [*((label, f.name) for label, f in theory.functions.items()), *theory.chosen.items()]


def _kind(theory):
    """Return the name of the public class of a theory."""
    return next((c.__name__ for c in type(theory).__mro__ if c.__name__ in public), type(theory).__name__)


def call_of(theory):
    """Return the call that makes a theory of the package, or a name that stands for another one."""
    options = {o.name for o in theory.options}
    if not options or not options >= {label for label, _ in _made_of(theory)}:
        return "theory"
    of = [f"{label}={getattr(value, 'name', value)!r}" for label, value in _made_of(theory)]
    return f"ak.{_kind(theory)}({', '.join(of)})"


def _arrays(theory):
    return theory.array_names if isinstance(theory.array_names, tuple) else ()


def _call(theory):
    """Return the call that solves a theory, with the defaults of optional parameters."""
    typed = [f"{p.name}=" + ("" if p.is_required else _default(p.default)) for p in theory.declared
             if p.name not in theory.implied and p.default is not None]
    arrays = f" and the arrays {', '.join(_arrays(theory))}" if _arrays(theory) else ""
    return f"solve({', '.join(typed)}){arrays}"


def _default(value):
    return f"{value:g}" if isinstance(value, float) else repr(value)


FORMATS = ("text", "latex", "mathml", "html")


def _writer(system, form):
    """Return the function that writes an expression in the notation of a system."""
    if form in ("text", "latex"):
        return {"text": str, "latex": system.written}[form]
    return lambda expr: presentation(expr, system.notation)


def write_equations(theory, form):
    """Return free energy or stated equations, then the system derived from them, in one of :data:`FORMATS`."""
    if form == "html":
        return _report.equations_page(theory)
    system, stated, energy = theory.equations(), theory.stated, theory.free_energy
    write = _writer(system, form)
    if form == "text":
        letter = _choose_energy_name(theory, system)
        head = [f"free energy\n  {letter} = {energy}"] if not stated else ["stated equations",
                                                                          *(f"  0 = {e}" for e in stated)]
        head += ["symbols", *(f"  {', '.join(s.name for s in symbols)}: {what}" for symbols, what in legend(system))]
        meanings = theory.meanings
        tail = ["parameters that follow", *(f"  {k}: {v}" for k, v in meanings.items())] if meanings else []
        lines = "\n".join([*head, system.text(), *tail]).splitlines()
        return "\n".join(part for line in lines for part in broken(line, COLUMNS))
    if form == "latex":
        rows = [f"0 = {write(e)}" for e in stated] or [rf"\mathcal{{F}} = {write(energy)}"]
        return "\n".join([*(f"\\[ {row} \\]" for row in rows), system.latex()])
    return "\n".join([*map(write, stated or (energy,)), system.mathml()])


def _choose_energy_name(theory, system):
    """Return a name for the free energy that is not used otherwise."""
    taken = {s.name for symbols, _ in legend(system) for s in symbols} | {n.label for n in system.definitions}
    taken |= {p.name for p in theory.declared}
    return next((c for c in ("F", "f", "Phi") if c not in taken), "the free energy")


def data(theory, form):
    """Return the same as plain data."""
    system = theory.equations()
    write = _writer(system, form)

    def shown(expr):
        return write(bind(expr, theory.functions))

    return {"format": form, "free_energy": None if theory.free_energy is None else shown(theory.free_energy),
            "stated": [shown(e) for e in theory.stated], "parameters": theory.meanings,
            "unknowns": [str(u) for u in system.unknowns],
            "definitions": {n.label: shown(n.expr) for n in system.definitions},
            "blocks": [_block(b, shown) for b in system.blocks],
            "observables": {k: shown(e) for k, e in system.observables.items()}}


def _block(block, shown):
    equations = [{"left": str(u) if is_map else "0", "right": shown(f)} for u, f, is_map in block.equations]
    assignments = [{"left": str(u), "right": shown(f)} for u, f in block.assignments]
    return {"kind": block.kind, "unknowns": [str(u) for u in block.unknowns],
            "torn": [str(u) for u in block.torn], "equations": equations, "assignments": assignments}


#: default number of simulated points along a curve
_SIMULATED = 6
#: quantities for which there is an optimal learner
_FLOORED = ("test_error", "clean_error")
#: arguments of simulate() that are not settings of the finite model
_HOW = ("repeats", "seed", "executor", "progress", "file")


def run_plot(model: Model, quantity: str | Sequence[str] | None, over: str | None, simulation: Any, ax: Any,
             optimum: bool, parameters: Mapping[str, Any]) -> Any:
    """Draw as :meth:`asympkit.theories.model.Model.plot` describes."""
    if quantity is None:
        known = list(simulation) if isinstance(simulation, Estimates) else model.quantities
        quantity = USUAL if USUAL in known else known[0]
    names = quantity_names(quantity)
    arrays = varying(parameters, model.fixed_names())
    over = _along(model, over, arrays)
    if over not in arrays:
        raise DomainError(f"plot: got {over} = {quote(parameters.get(over))}; expected an array, along which "
                          f"{', '.join(names)} is drawn")
    others = [n for n in arrays if n != over]
    if len(others) + (len(names) > 1) > 1:
        raise DomainError(f"plot: got {len(names)} quantities and arrays for {', '.join(others)} beside {over}; "
                          "expected a family of curves: one array more, or several quantities")
    by = others[0] if others else None
    steps = np.atleast_1d(arrays[by]) if by else None
    fixed = {k: v for k, v in parameters.items() if k not in (over, by)}
    x = arrays[over]
    drawn = _values(model, names, over, x, by, steps, fixed)
    points = _points(model, names, over, x, by, steps, fixed, simulation)
    curves = [Curve(y, _name(names, by, steps, k), p, None if steps is None else float(steps[k]))
              for k, (y, p) in enumerate(zip(drawn, points))]
    y_name = label(names[0]) if len(names) == 1 else ""
    if optimum:
        curves += _floors(model, names, over, x, by, steps, fixed)
    if simulation is None:
        return draw_curves(ax, over, x, curves, y_name, by)
    return draw_with_pulls(ax, over, x, curves, y_name, by)


def _along(model, over, arrays):
    """Return the parameter along which to draw: the one that was named, or the only array."""
    if over is None:
        if len(arrays) != 1:
            raise DomainError(f"plot: got {' and '.join(arrays) or 'no parameter'} as arrays; expected one, along "
                              "which to draw, or its name as over=")
        return next(iter(arrays))
    check_text("over", over, "the name of a parameter")
    known = [p.name for p in model.declared if p.is_axis and p.name not in model.implied]
    if over not in known:
        raise UnknownNameError(f"plot: no parameter {over!r} to draw along{suggest(over, known)}; expected one of "
                               f"{', '.join(known)}")
    return over


def _name(names, by, steps, k):
    """Return the label of a curve."""
    if by is not None:
        return f"{label(by)} = {number(steps[k])}"
    return label(names[k]) if len(names) > 1 else ""


def _values(model, names, over, x, by, steps, fixed):
    """Return the curves: a row for each value of the family, or for each quantity."""
    sweep = model.sweep(parameters={**fixed, over: x} if by is None else {**fixed, by: steps, over: x})
    return [sweep[n] for n in names] if by is None else list(sweep[names[0]])


def _floors(model, names, over, x, by, steps, fixed):
    """Return the errors of the optimal learner of the same samples as curves: those that differ."""
    if unknown := [n for n in names if n not in _FLOORED]:
        raise DomainError(f"plot: got optimum=True with {unknown[0]}; expected {' or '.join(_FLOORED)}: the optimal "
                          "learner has no other quantity in common")
    found = {}
    for k, (quantity, step) in enumerate(product(names, [None] if by is None else steps)):
        family = {} if by is None else {by: float(step)}
        y, samples = zip(*[model.optimal_error(quantity, {**fixed, **family, over: float(v)}) for v in x])
        found.setdefault((quantity, *y), [f"optimum, {samples[0]} samples"]).append(_name(names, by, steps, k))
    rows = [(y, text[:1] if len(found) == 1 else text) for (_, *y), text in found.items()]
    return [Curve(np.array(y), ", ".join(filter(None, text)), is_bound=True) for y, text in rows]


def _points(model, names, over, x, by, steps, fixed, simulation):
    """Return the simulated points of each curve, with the theory's values there."""
    if simulation is None:
        return [None] * (len(names) if by is None else len(steps))
    if isinstance(simulation, Estimates):
        at, known, measured = _read(simulation, names, over, by, steps)
    elif isinstance(simulation, Mapping):
        at, known, measured = _simulate(model, names, over, x, by, steps, fixed, dict(simulation))
    else:
        raise DomainError(f"simulation: got {quote(simulation)}; expected what simulate() returned, or a dictionary of "
                          "its arguments, such as dict(repeats=10)")
    expected = _values(model, names, over, at, by, steps, fixed)
    return [Points(at, *measured[k], expected[k]) if is_there else None for k, is_there in enumerate(known)]


def _read(found, names, over, by, steps):
    """Return abscissas, which curves have points, and means with errors of a finished simulation."""
    extra = [n for n, a in found.axes.items() if n not in (over, by) and a.size > 1]
    if over not in found.axes or extra:
        raise DomainError(f"simulation: got one along {', '.join(found.axes) or 'no axis'}; expected one along {over}"
                          + (f" and, if it has another axis, {by}" if by else "") + ", with the same parameters")
    order = list(found.axes)

    def rows(name):
        keep = (order.index(over), *([order.index(by)] if by in order else []))
        rest = tuple(k for k in range(len(order)) if k not in keep)
        for values in (found[name].mean, found[name].stderr):
            values = np.transpose(np.asarray(values), (*rest, *keep))
            yield values.reshape([found.axes[order[k]].size for k in keep])

    at = found.axes[over]
    if by is None:
        return at, [True] * len(names), [tuple(rows(n)) for n in names]
    if by not in order:
        raise DomainError(f"simulation: got one along {over} alone; expected one along {by} too, of whose values each "
                          "curve has one")
    mean, error = rows(names[0])
    places = [np.flatnonzero(np.isclose(found.axes[by], v, rtol=1e-12, atol=0.0)) for v in steps]
    measured = [(mean[:, p[0]], error[:, p[0]]) if p.size else None for p in places]
    return at, [m is not None for m in measured], measured


def _simulate(model, names, over, x, by, steps, fixed, settings):
    """Run the simulation and return the same: in one call if the simulator has axes, else point by point."""
    drawn = simulator_of(model, "plot")
    given = settings.pop(over, None)
    at = x[np.unique(np.linspace(0, x.size - 1, min(x.size, _SIMULATED)).round().astype(int))] if given is None \
        else np.atleast_1d(np.asarray(given, float))
    for n in settings:
        if n == by or n in {p.name for p in model.declared} and dimensions(n, settings[n]):
            raise DomainError(f"simulation: got {n} = {quote(settings[n])}; expected the simulation to follow the "
                              f"curves, at chosen {over} or at another number that all share")
    how = {k: settings.pop(k) for k in _HOW if k in settings}
    seed = how.pop("seed", 0)
    wanted = {over: at} if by is None else {over: at, by: steps}
    together = {n: v for n, v in wanted.items() if n in drawn.axes}
    apart = {n: v for n, v in wanted.items() if n not in together}
    shape = tuple(v.size for v in wanted.values())
    found = {n: np.full((2, *shape), np.nan) for n in names}
    for k, index in enumerate(product(*(range(v.size) for v in apart.values()))):
        here = {n: float(v[i]) for (n, v), i in zip(apart.items(), index)}
        result = model.simulate(**how, seed=seed + k, parameters={**fixed, **here, **together, **settings})
        place = tuple(index[list(apart).index(n)] if n in apart else slice(None) for n in wanted)
        order = [list(result.axes).index(n) for n in wanted if n in together]
        for quantity in names:
            for row, values in zip(found[quantity], (result[quantity].mean, result[quantity].stderr)):
                row[place] = np.transpose(values, order)
    if by is None:
        return at, [True] * len(names), [tuple(found[n]) for n in names]
    return at, [True] * len(steps), list(np.moveaxis(found[names[0]], 2, 0))
