"""Draw curves over one axis: families, missing points, simulated points, optima, checks, paths; and activations.

A pull is (simulation - theory)/standard error.  An activation is drawn with its kinks and jumps, and its Hermite
spectrum.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import DomainError
from ..notation import label
from . import canvas

#: curves with at most so many points have a marker at each
_SPARSE = 15
#: height, in parts of the axes, at which missing points are marked
_FLOOR = 0.03
#: their label
_MISSING = "not converged"
#: half height of the panel of pulls, (simulation - theory)/standard error, unless a pull is larger
_PULLS = 3.0


@dataclass(frozen=True)
class Points:
    """Hold simulated points of a curve: means, standard errors, and the theory's values there (or None)."""

    x: Any
    mean: Any
    error: Any
    expected: Any = None


@dataclass(frozen=True)
class Curve:
    """Hold one curve: its values (NaN if missing), its name in the legend, and simulated points or None.

    ``value`` is that of the parameter that distinguishes the curves of a family; ``is_bound`` says that it bounds the
    others.
    """

    y: Any
    name: str = ""
    points: Points | None = None
    value: float | None = None
    is_bound: bool = False


def expand_family(name, values, rows):
    """Return the curves of a family, one for each value of a parameter."""
    return [Curve(row, f"{label(name)} = {canvas.number(v)}", value=float(v)) for v, row in zip(values, rows)]


def draw_curves(ax, x_name, x, curves, y_name, by=None, **style):
    """Draw a list of :class:`Curve` over one axis, and return the axes; ``y_name`` is empty for several quantities.

    ``by`` is the parameter that distinguishes the curves of a family: a large one has a colour bar in place of a
    legend. ``style`` goes to matplotlib, for all curves.
    """
    x = np.asarray(x, dtype=float)
    if not np.isfinite(x).any():
        raise DomainError(f"plot: {x_name} is infinite everywhere; expected finite values along a curve")
    order = np.argsort(x, kind="stable")
    order = order[np.isfinite(x[order])]
    ax = canvas.one_axes(ax)
    is_new, styles = not ax.has_data(), _styles(ax, sum(not c.is_bound for c in curves))
    bound = {"color": canvas.foreground(), "linestyle": ":", "marker": "None"}
    styles += [bound] * (len(curves) - len(styles))             # bounds stand last
    for curve, own in zip(curves, styles):
        _draw(ax, x[order], np.asarray(curve.y, float)[order], curve, own, style)
    _draw_at_infinity(ax, x_name, x, curves, styles)
    _mark_missing(ax, x, curves)
    if is_new:
        _set_scales(ax, x, curves)
    ax.set_xlabel(label(x_name))
    ax.set_ylabel(y_name)
    family = [c for c in curves if not c.is_bound]
    if by is not None and len(family) > canvas.FEW:
        _bar(ax, by, family)
    _legend(ax, with_curves=by is None or len(family) <= canvas.FEW)
    return ax


def draw_with_pulls(ax, x_name, x, curves, y_name, by=None):
    """Draw curves with simulated points, and below their pulls, (simulation - theory)/standard error; return both axes.
    """
    upper, lower = canvas.stack_panels(ax)
    styles = _styles(upper, sum(not c.is_bound for c in curves))
    draw_curves(upper, x_name, x, curves, y_name, by)
    upper.set_xlabel("")
    lower.axhspan(-2.0, 2.0, color=canvas.faint(0.1), linewidth=0, zorder=0)
    lower.axhline(0.0, color=canvas.foreground(), linewidth=0.9)
    most = 0.0
    for curve, own in zip(curves, styles):
        p = curve.points
        if p is None or p.expected is None:
            continue
        with np.errstate(divide="ignore", invalid="ignore"):        # no pulls at infinite x
            pulls = (np.asarray(p.mean) - np.asarray(p.expected)) / np.asarray(p.error)
        pulls = np.where(np.isfinite(pulls) & np.isfinite(p.x), pulls, np.nan)
        most = max([most, *np.abs(canvas.finite(pulls))])
        at = np.where(np.isfinite(p.x), p.x, np.nan)
        lower.plot(at, pulls, color=own["color"], marker=own["marker"], markersize=5, linestyle="none")
    top = _PULLS if most <= _PULLS - 0.2 else 1.15 * most
    lower.set_ylim(-top, top)
    lower.set_xlabel(label(x_name))
    lower.set_ylabel("difference\n(std. errors)", fontsize=9.5)
    return np.array([upper, lower], dtype=object)


def _styles(ax, count):
    """Return styles of some more curves, different from those on the axes if possible."""
    there = sum(line.get_linestyle() != "None" for line in ax.lines)
    return canvas.family(there + count)[there:] if there + count <= canvas.FEW else canvas.family(count)


def _draw(ax, x, y, curve, own, style):
    known = np.isfinite(y)
    alone = known & ~np.r_[False, known[:-1]] & ~np.r_[known[1:], False]
    with_points = curve.points is not None
    marked = alone if with_points or y.size > _SPARSE else known
    how = {"linewidth": 1.8, "markersize": 4.5, "label": curve.name or None, **own, **style}
    how |= {} if marked.any() else {"marker": "None"}
    with canvas.explain_style_error(style):
        ax.plot(x, np.where(known, y, np.nan), markevery=np.flatnonzero(marked).tolist(), **how)
    if with_points:
        p = curve.points
        at = np.where(np.isfinite(p.x), p.x, np.nan)
        ax.errorbar(at, p.mean, np.where(np.isfinite(p.error), p.error, 0.0), color=own["color"], marker=own["marker"],
                    linestyle="none", markersize=5, markerfacecolor=ax.get_facecolor(), markeredgewidth=1.3,
                    elinewidth=1.3, capsize=2.5, zorder=3)


def _draw_at_infinity(ax, x_name, x, curves, styles):
    """Draw values at an infinite x, the limit of a curve, as thin horizontal lines."""
    name = rf"{label(x_name)} = $\infty$"
    for curve, own in zip(curves, styles):
        for value in canvas.finite(np.asarray(curve.y, float)[np.isinf(x)]):
            ax.axhline(value, color=own["color"], linewidth=1.0, linestyle=(0, (1, 3)), label=name)
            name = None


def _mark_missing(ax, x, curves):
    missing = canvas.finite(np.unique([v for c in curves for v in x[~np.isfinite(np.asarray(c.y, float))]]))
    if missing.size:
        ax.plot(missing, np.full(missing.size, _FLOOR), linestyle="none", marker="x", markersize=5,
                color=canvas.foreground(), transform=ax.get_xaxis_transform(), label=_MISSING)


def _set_scales(ax, x, curves):
    values, low = [canvas.finite(c.y) for c in curves], []
    for p in (c.points for c in curves if c.points is not None):
        values.append(canvas.finite(p.mean))
        low.append(canvas.finite(np.asarray(p.mean) - np.asarray(p.error)))
    values, low = np.concatenate(values), np.concatenate([*low, [np.inf]])
    canvas.set_scale(ax, "x", canvas.is_geometric(x), x)
    canvas.set_scale(ax, "y", canvas.spans_decades(values) and low.min() > 0.0, values)
    ax.margins(x=0.03)


def _legend(ax, with_curves):
    handles, names = ax.get_legend_handles_labels()
    kept = [(h, n) for h, n in zip(handles, names) if with_curves or n == _MISSING]
    if kept:
        ax.legend(*zip(*kept), frameon=False, fontsize=9, handlelength=2.6)


def _bar(ax, by, curves):
    """Draw a colour bar for a large family."""
    colors, shades = canvas.matplotlib_module("colors"), [own["color"] for own in canvas.family(len(curves))]
    norm = colors.BoundaryNorm(np.arange(len(curves) + 1) - 0.5, len(curves))
    shown = canvas.matplotlib_module("cm").ScalarMappable(norm, colors.ListedColormap(shades))
    bar = ax.figure.colorbar(shown, ax=ax, ticks=np.unique(np.linspace(0, len(curves) - 1, 5).round()))
    shown_value = canvas.matplotlib_module("ticker").FuncFormatter(lambda k, _: canvas.number(curves[int(k)].value))
    bar.ax.yaxis.set_major_formatter(shown_value)
    bar.ax.minorticks_off()
    bar.set_label(label(by))


#: range of the variable, and number of points of the curve
_REACH, _POINTS = 4.0, 801
#: a coefficient below this part of the largest is rounding
_ZERO = 1e-14


def draw_activation(function, orders, ax, style):
    """Draw as :meth:`asympkit.Activation.plot` describes."""
    left, right = canvas.grid_of_axes(ax, 1, 2, (1.75 * canvas.SIZE[0], canvas.SIZE[1]))[0]
    _graph(left, function, style)
    _spectrum(right, function, orders)
    return np.array([left, right], dtype=object)


def _graph(ax, function, style):
    jumps = [float(at) for at, _ in function.jumps if abs(float(at)) < _REACH]
    kinks = [float(at) for at in function.kinks if abs(float(at)) < _REACH and float(at) not in jumps]
    borders = [-_REACH, *sorted(jumps), _REACH]
    own, style = style, {"color": canvas.COLOURS[0], "linewidth": 2.0, **style}
    for low, high in zip(borders, borders[1:]):
        gap = 1e-9 * _REACH                         # a value at a jump belongs to neither side
        z = np.linspace(low + gap, high - gap, max(2, round(_POINTS * (high - low) / (2 * _REACH))))
        f = function(z)
        with canvas.explain_style_error(own):
            ax.plot(z, f, **style)
        for end, inside in ((low, 0), (high, -1)):
            if end in jumps:
                ax.plot(end, f[inside], "o", color=style["color"], markerfacecolor=ax.get_facecolor(), markersize=5)
    for at in (*kinks, *jumps):
        ax.axvline(at, color=canvas.faint(0.6), linewidth=0.9, linestyle=":", zorder=1)
    if kinks:
        ax.plot(kinks, function(np.array(kinks)), "o", color=style["color"], markersize=5, label="kink")
        ax.legend(frameon=False, fontsize=9)
    ax.set_xlim(-_REACH, _REACH)
    ax.margins(y=0.06)
    ax.set_xlabel("$z$")
    ax.set_ylabel("$f(z)$")


def _spectrum(ax, function, orders):
    """Draw the part of E[f^2] that each degree carries, without vanishing ones."""
    c = np.asarray(function.hermite_coefficients(orders))
    k = np.arange(orders + 1)
    size = np.abs(c) * np.sqrt([float(math.factorial(n)) for n in k])
    shown = size > _ZERO * size.max()
    part = size**2 / (function.second_moment() or 1.0)
    for is_there, colour, marker, name in ((shown & (c > 0), canvas.COLOURS[0], "o", "$c_k>0$"),
                                           (shown & (c < 0), canvas.COLOURS[1], "s", "$c_k<0$")):
        if is_there.any():
            ax.plot(k[is_there], part[is_there], linestyle="none", color=colour, marker=marker, markersize=6,
                    label=name)
    if shown.any():
        low = part[shown].min() / 4.0
        ax.vlines(k[shown], low, part[shown], color=canvas.faint(0.45), linewidth=1.4, zorder=1)
        ax.set(yscale="log", ylim=(low, 3.0))
        ax.legend(frameon=False, fontsize=9)
    ax.set_xlim(-0.6, orders + 0.6)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("degree $k$")
    ax.set_ylabel(r"$k!\,c_k^2\;/\;\mathbb{E}[f^2]$")


#: markers of outcomes
_MARKS = {"agree": "o", "within the idealisation": "D", "differ": "X"}


def draw_simulation(found, name, ax, style):
    """Draw as :meth:`asympkit.simulate.Estimates.plot` describes."""
    names = list(found) if name is None else canvas.quantity_names(name)
    estimates = [found[n] for n in names]
    if not found.axes:
        return _draws(names, estimates, found.repeats, ax, style)
    long = {n: np.asarray(a) for n, a in found.axes.items() if a.size > 1} or dict([*found.axes.items()][:1])
    shape = [a.size for a in long.values()]
    if len(long) > 2 or len(long) == 2 and name is None:
        names, estimates = names[:1], estimates[:1]
    if len(long) + (len(names) > 1) > 2:
        raise DomainError(f"plot: {len(names)} quantities along {', '.join(long)} are too many for one picture; "
                          "choose one quantity")
    x_name, x = next(iter(long.items()))
    means, errors = ([np.reshape(getattr(e, k), shape) for e in estimates] for k in ("mean", "stderr"))
    if len(long) == 1:
        rows = zip(names, means, errors)
        curves = [_points(x, m, e, label(n) if len(names) > 1 else "") for n, m, e in rows]
        by = None
    else:
        by, steps = [*long.items()][1]
        curves = [_points(x, means[0][:, k], errors[0][:, k], f"{label(by)} = {canvas.number(v)}", float(v))
                  for k, v in enumerate(steps)]
    return draw_curves(ax, x_name, x, curves, label(names[0]) if len(names) == 1 else "", by,
                       **{"linewidth": 0.8, **style})


def _points(x, mean, error, name, value=None):
    return Curve(mean, name, Points(x, mean, error), value)


def _draws(names, estimates, repeats, ax, style):
    """Draw the value of each repeat, mean and error: a row for each quantity, each on its own scale."""
    panels = canvas.grid_of_axes(ax, len(names), 1, (canvas.SIZE[0], 0.75 + 0.75 * len(names)))[:, 0]
    for panel, n, e in zip(panels, names, estimates):
        heights = 0.5 + 0.22 * np.cos(np.pi * np.arange(len(e.values)))       # neighbours must not overlap
        with canvas.explain_style_error(style):
            panel.plot(e.values, heights, **{"linestyle": "none", "marker": "o", "markersize": 4,
                                             "color": canvas.COLOURS[5], "markerfacecolor": "none", **style})
        error = e.stderr if np.isfinite(e.stderr) else 0.0
        panel.errorbar([e.mean], [0.5], xerr=[error], color=canvas.COLOURS[1], marker="D", markersize=5.5, capsize=3,
                       elinewidth=1.6, zorder=3)
        panel.set(ylim=(0, 1), yticks=[])
        panel.margins(x=0.08)
        panel.spines["left"].set_visible(False)
        panel.set_ylabel(label(n), rotation=0, ha="right", va="center")
    panels[-1].set_xlabel(f"{repeats} repeats, their mean and its standard error", fontsize=9.5)
    return panels if len(names) > 1 else panels[0]


def draw_report(report, ax, style):
    """Draw as :meth:`asympkit.check.Report.plot` describes."""
    rows = [r for r in report.rows if r.compared is not None and np.isfinite(r.compared.difference)]
    if not rows:
        raise DomainError("plot: the report holds no simulation to compare with; call check() on a theory that has a "
                          "simulator")
    size = canvas.SIZE[0], 1.1 + 0.45 * len(rows)
    ax = canvas.one_axes(ax) if ax is not None else canvas.grid_of_axes(None, 1, 1, size)[0, 0]
    for place, r in enumerate(rows):
        c = r.compared
        if 0.0 < c.granted < np.inf:
            ax.barh(place, 200 * c.granted, left=-100 * c.granted, height=0.62, color=canvas.faint(0.14), linewidth=0,
                    label="allowed")
        filled = {} if c.outcome in _MARKS else {"markerfacecolor": ax.get_facecolor()}
        colour = canvas.COLOURS[1] if c.outcome == "differ" else canvas.COLOURS[0]
        with canvas.explain_style_error(style):
            ax.errorbar([100 * c.difference], [place], xerr=[200 * c.error],
                        **{"label": c.outcome, "color": colour, "marker": _MARKS.get(c.outcome, "o"), "markersize": 6,
                           "capsize": 3, "elinewidth": 1.6, "linestyle": "none", **filled, **style})
    ax.axvline(0.0, color=canvas.foreground(), linewidth=0.9)
    ax.set_yticks(range(len(rows)), [label(r.name) for r in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    ax.set_xlabel("simulation $-$ theory, % (bars: two std. errors)")
    handles, names = ax.get_legend_handles_labels()
    once = dict(zip(names, handles))
    ax.legend(once.values(), once.keys(), frameon=False, fontsize=9, loc="lower left", bbox_to_anchor=(0.0, 1.0),
              ncols=len(once), borderaxespad=0.2)
    return ax


def draw_checks(found, name, ax, style):
    """Draw as :meth:`asympkit.checks.Checks.plot` describes."""
    if isinstance(name, list | tuple):
        return canvas.panels_of(lambda n, panel: draw_checks(found, n, panel, style), canvas.quantity_names(name), ax)
    known = [r.name for r in found.reports[0].rows]
    canvas.check_quantity(name, known)
    name = name or (canvas.USUAL if canvas.USUAL in known else known[0])
    long = {n: a for n, a in found.axes.items() if a.size > 1} or dict([*found.axes.items()][:1])
    if len(long) > 2:
        raise DomainError(f"plot: the grid varies {', '.join(long)}; expected one or two parameters")
    (x_name, x), *family = long.items()
    rows = [next(r for r in report.rows if r.name == name) for report in found.reports]
    numbers = [(r.reference, *((r.simulation.mean, r.simulation.stderr) if r.simulation else (np.nan, np.nan)))
               for r in rows]
    lines = np.array(numbers, dtype=float).reshape(x.size, -1, 3).transpose(1, 2, 0)
    curves = [Curve(lines[0, 0])] if not family else expand_family(*family[0], lines[:, 0])
    curves = [replace(c, points=Points(x, mean, error)) for c, (_, mean, error) in zip(curves, lines)]
    return draw_curves(ax, x_name, x, curves, label(name), family[0][0] if family else None, **style)


def draw_optima(found, over, ax, style):
    """Draw as :meth:`asympkit.minimize.Minimum.plot` describes."""
    x_name, x, by, steps, place = _axes(found, over)
    upper, *below = panels = canvas.stack_panels(ax, 1.0, 1 + len(found.places))
    rows = [(found.value, f"{found.kind} {label(found.quantity)}")]
    rows += [(where, f"best {label(name)}") for name, (where, _) in found.places.items()]
    for panel, (values, name) in zip(panels, rows):
        values = np.where(found.converged, values, np.nan)
        lines = [values] if by is None else np.moveaxis(values, place, -1)
        curves = [Curve(lines[0])] if by is None else expand_family(by, steps, lines)
        draw_curves(panel, x_name, x, curves, name, by, **style)
    for panel in panels[:-1]:
        panel.set_xlabel("")
    for panel, (where, at_bound) in zip(below, found.places.values()):
        if panel.get_legend():
            panel.get_legend().remove()
        _mark_bounds(panel, where, at_bound, x, place)
    return np.array(panels, dtype=object)


def _mark_bounds(ax, where, at_bound, x, place):
    """Draw open markers for optima at an end of the interval, and the ends that were reached."""
    values, ends = np.atleast_2d(_rows(where, place)), np.atleast_2d(_rows(at_bound, place))
    for row, at_end, own in zip(values, ends, canvas.family(len(values))):
        if at_end.any():
            ax.plot(x[at_end], row[at_end], linestyle="none", marker="o", markersize=6, color=own["color"],
                    markerfacecolor=ax.get_facecolor())
    reached = {float(v) for v in values[ends]}
    for end in reached:
        ax.axhline(end, color=canvas.faint(0.6), linewidth=0.9, linestyle=":")
    known = values[np.isfinite(values)]
    canvas.set_scale(ax, "y", canvas.spans_decades(known), known)


def _rows(values, place):
    values = np.asarray(values)
    return values if values.ndim == 1 else np.moveaxis(values, place, -1)


def _axes(found, over):
    """Return name and values of the parameter along the curve, those of the family (or None), and its axis."""
    shape = np.shape(found.value)
    if not shape:
        raise DomainError(f"plot: the optimum at one point is a number, {found}; give minimize() an array for a "
                          "parameter, and there is a curve of optima")
    along = {}
    for name in found.along:
        values = np.broadcast_to(np.asarray(found.parameters[name], float), shape)
        varies = [k for k in range(len(shape)) if shape[k] > 1 and np.any(np.diff(values, axis=k))]
        if len(varies) == 1:
            line = np.moveaxis(values, varies[0], 0).reshape(shape[varies[0]], -1)[:, 0]
            along.setdefault(varies[0], (name, line))
    names = [name for name, _ in along.values()]
    if over is not None and over not in names:
        raise DomainError(f"plot: over: got {over!r:.60}; expected one of {', '.join(names)} (drawn are the best value "
                          f"of {found.quantity} and where it is; of other quantities, sweep() has curves)")
    long = [k for k in range(len(shape)) if shape[k] > 1]
    if not 1 <= len(long) <= 2 or len(along) < len(long) or len(long) < len(shape):
        raise DomainError(f"plot: the optima have the shape {shape}; expected one or two parameters, each of which "
                          "varies along an axis of its own")
    place = next((k for k, (name, _) in along.items() if name == over), long[-1])
    x_name, x = along[place]
    if len(long) == 1:
        return x_name, x, None, None, place
    by, steps = along[next(k for k in long if k != place)]
    return x_name, x, by, steps, place


def draw_path(path, name, ax, style):
    """Draw as :meth:`asympkit.continuation.Continuation.plot` describes."""
    if isinstance(name, list | tuple):
        return canvas.panels_of(lambda n, panel: draw_path(path, n, panel, style), canvas.quantity_names(name), ax)
    first = path.branches[0]
    known = [*first.observables, *first.unknowns]
    if name is None:
        name = canvas.USUAL if canvas.USUAL in known else known[0]
    canvas.check_quantity(name, known)
    ax = canvas.one_axes(ax)
    paths = path, *path.emanating
    branches, folds = [b for p in paths for b in p.branches], [f for p in paths for f in p.folds]
    several, styles = len(branches) > 1, canvas.family(min(len(branches), canvas.FEW))
    for count, branch in enumerate(branches):
        own = {**styles[count % len(styles)], "marker": "o" if branch.parameter.size == 1 else "None"}
        called = {"label": f"branch {count + 1}"} if several and len(branches) <= canvas.FEW else {}
        with canvas.explain_style_error(style):
            ax.plot(branch.parameter, branch[name], **{"linewidth": 1.8, "markersize": 4.5, **own, **called, **style})
    for points, marker, called in ((folds, "o", "fold"), (path.branch_points, "s", "branch point")):
        if points:
            at = [f.parameter for f in points], [{**f.unknowns, **f.observables}[name] for f in points]
            ax.plot(*at, linestyle="none", marker=marker, markersize=7, markerfacecolor=ax.get_facecolor(),
                    markeredgecolor=canvas.foreground(), markeredgewidth=1.4, zorder=4, label=called)
    canvas.set_scale(ax, "x", False, first.parameter)
    ax.set_xlabel(label(path.over))
    ax.set_ylabel(label(name))
    ax.margins(0.04)
    if several or folds or path.branch_points:
        ax.legend(frameon=False, fontsize=9, handlelength=2.6)
    return ax
