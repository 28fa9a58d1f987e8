"""Draw quantities along a parameter with simulated points (``theory.plot()``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ..arguments.domains import dimensions, shown
from ..arguments.requests import check_text, varying
from ..errors import DomainError, UnknownNameError, suggest
from ..notation import label
from ..pictures.curves import Curve, Points, draw_curves, draw_with_pulls
from ..pictures.names import quantity_names
from ..pictures.scales import number
from ..pictures.style import USUAL
from ..simulate.core.simulation import Estimates
from .simulator import simulator_of

if TYPE_CHECKING:
    from typing import Any

    from .model import Model

__all__ = ["run_plot"]

#: default number of simulated points along a curve
_SIMULATED = 6
#: arguments of simulate() that are not settings of the finite model
_HOW = ("repeats", "seed", "executor", "progress", "file")


def run_plot(model: Model, quantity: str | Sequence[str] | None, over: str | None, simulation: Any, ax: Any,
             parameters: Mapping[str, Any]) -> Any:
    """Draw as :meth:`asympkit.theories.model.Model.plot` describes."""
    if quantity is None:
        known = list(simulation) if isinstance(simulation, Estimates) else model.quantities
        quantity = USUAL if USUAL in known else known[0]
    names = quantity_names(quantity)
    arrays = varying(parameters, model.fixed_names())
    over = _along(model, over, arrays)
    if over not in arrays:
        raise DomainError(f"plot: got {over} = {shown(parameters.get(over))}; expected an array, along which "
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


def _points(model, names, over, x, by, steps, fixed, simulation):
    """Return the simulated points of each curve, with the theory's values there."""
    if simulation is None:
        return [None] * (len(names) if by is None else len(steps))
    if isinstance(simulation, Estimates):
        at, known, measured = _read(simulation, names, over, by, steps)
    elif isinstance(simulation, Mapping):
        at, known, measured = _simulate(model, names, over, x, by, steps, fixed, dict(simulation))
    else:
        raise DomainError(f"simulation: got {shown(simulation)}; expected what simulate() returned, or a dictionary of "
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
            raise DomainError(f"simulation: got {n} = {shown(settings[n])}; expected the simulation to follow the "
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
        for name in names:
            for row, values in zip(found[name], (result[name].mean, result[name].stderr)):
                row[place] = np.transpose(values, order)
    if by is None:
        return at, [True] * len(names), [tuple(found[n]) for n in names]
    return at, [True] * len(steps), list(np.moveaxis(found[names[0]], 2, 0))
