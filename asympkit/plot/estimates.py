"""Draw simulations, checks with their tolerances, optima, and paths of solutions."""

import numpy as np

from ..errors import DomainError, UnknownNameError, suggest
from ..notation import label
from .canvas import (
    COLOURS,
    FEW,
    SIZE,
    USUAL,
    explain_style_error,
    faint,
    family,
    foreground,
    grid_of_axes,
    number,
    one_axes,
    quantity_names,
    set_scale,
    spans_decades,
    stack_panels,
)
from .curves import Curve, Points, draw_curves, expand_family

__all__ = ["draw_optima", "draw_path", "draw_report", "draw_simulation"]


#: markers of outcomes
_MARKS = {"agree": "o", "within the idealisation": "D", "differ": "X"}


def draw_simulation(found, name, ax, style):
    """Draw as :meth:`asympkit.simulate.Estimates.plot` describes."""
    names = list(found) if name is None else quantity_names(name)
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
        curves = [_points(x, means[0][:, k], errors[0][:, k], f"{label(by)} = {number(v)}", float(v))
                  for k, v in enumerate(steps)]
    return draw_curves(ax, x_name, x, curves, label(names[0]) if len(names) == 1 else "", by,
                       **{"linewidth": 0.8, **style})


def _points(x, mean, error, name, value=None):
    return Curve(mean, name, Points(x, mean, error), value)


def _draws(names, estimates, repeats, ax, style):
    """Draw the value of each repeat, mean and error: a row for each quantity, each on its own scale."""
    panels = grid_of_axes(ax, len(names), 1, (SIZE[0], 0.75 + 0.75 * len(names)))[:, 0]
    for panel, n, e in zip(panels, names, estimates):
        heights = 0.5 + 0.22 * np.cos(np.pi * np.arange(len(e.values)))       # neighbours must not overlap
        with explain_style_error(style):
            panel.plot(e.values, heights, **{"linestyle": "none", "marker": "o", "markersize": 4, "color": COLOURS[5],
                                             "markerfacecolor": "none", **style})
        error = e.stderr if np.isfinite(e.stderr) else 0.0
        panel.errorbar([e.mean], [0.5], xerr=[error], color=COLOURS[1], marker="D", markersize=5.5, capsize=3,
                       elinewidth=1.6, zorder=3)
        panel.set(ylim=(0, 1), yticks=[])
        panel.margins(x=0.08)
        panel.spines["left"].set_visible(False)
        panel.set_ylabel(label(n), rotation=0, ha="right", va="center")
    panels[-1].set_xlabel(f"{repeats} repeats, their mean and its standard error", fontsize=9.5)
    return panels if len(names) > 1 else panels[0]


def draw_report(report, ax, style):
    """Draw as :meth:`asympkit.report.Report.plot` describes."""
    rows = [r for r in report.rows if r.compared is not None and np.isfinite(r.compared.difference)]
    if not rows:
        raise DomainError("plot: the report holds no simulation to compare with; call check() on a theory that has a "
                          "simulator")
    ax = one_axes(ax) if ax is not None else grid_of_axes(None, 1, 1, (SIZE[0], 1.1 + 0.45 * len(rows)))[0, 0]
    for place, r in enumerate(rows):
        c = r.compared
        if 0.0 < c.granted < np.inf:
            ax.barh(place, 200 * c.granted, left=-100 * c.granted, height=0.62, color=faint(0.14), linewidth=0,
                    label="allowed")
        filled = {} if c.outcome in _MARKS else {"markerfacecolor": ax.get_facecolor()}
        colour = COLOURS[1] if c.outcome == "differ" else COLOURS[0]
        with explain_style_error(style):
            ax.errorbar([100 * c.difference], [place], xerr=[200 * c.error],
                        **{"label": c.outcome, "color": colour, "marker": _MARKS.get(c.outcome, "o"), "markersize": 6,
                           "capsize": 3, "elinewidth": 1.6, "linestyle": "none", **filled, **style})
    ax.axvline(0.0, color=foreground(), linewidth=0.9)
    ax.set_yticks(range(len(rows)), [label(r.name) for r in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    ax.set_xlabel("simulation $-$ theory, % (bars: two std. errors)")
    handles, names = ax.get_legend_handles_labels()
    once = dict(zip(names, handles))
    ax.legend(once.values(), once.keys(), frameon=False, fontsize=9, loc="lower left", bbox_to_anchor=(0.0, 1.0),
              ncols=len(once), borderaxespad=0.2)
    return ax


def draw_optima(found, over, ax, style):
    """Draw as :meth:`asympkit.minimize.Minimum.plot` describes."""
    x_name, x, by, steps, place = _axes(found, over)
    upper, *below = panels = stack_panels(ax, 1.0, 1 + len(found.places))
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
    for row, at_end, own in zip(values, ends, family(len(values))):
        if at_end.any():
            ax.plot(x[at_end], row[at_end], linestyle="none", marker="o", markersize=6, color=own["color"],
                    markerfacecolor=ax.get_facecolor())
    reached = {float(v) for v in values[ends]}
    for end in reached:
        ax.axhline(end, color=faint(0.6), linewidth=0.9, linestyle=":")
    known = values[np.isfinite(values)]
    set_scale(ax, "y", spans_decades(known), known)


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
        raise DomainError(f"plot: over: got {over!r}; expected one of {', '.join(names)}")
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
    first = path.branches[0]
    known = [*first.observables, *first.unknowns]
    if name is None:
        name = USUAL if USUAL in known else known[0]
    if name not in known:
        raise UnknownNameError(f"plot: no quantity {name!r}{suggest(name, known)}; known are {', '.join(known)}")
    ax = one_axes(ax)
    paths = path, *path.emanating
    branches, folds = [b for p in paths for b in p.branches], [f for p in paths for f in p.folds]
    several, styles = len(branches) > 1, family(min(len(branches), FEW))
    for count, branch in enumerate(branches):
        own = {**styles[count % len(styles)], "marker": "o" if branch.parameter.size == 1 else "None"}
        called = {"label": f"branch {count + 1}"} if several and len(branches) <= FEW else {}
        with explain_style_error(style):
            ax.plot(branch.parameter, branch[name], **{"linewidth": 1.8, "markersize": 4.5, **own, **called, **style})
    for points, marker, called in ((folds, "o", "fold"), (path.branch_points, "s", "branch point")):
        if points:
            at = [f.parameter for f in points], [{**f.unknowns, **f.observables}[name] for f in points]
            ax.plot(*at, linestyle="none", marker=marker, markersize=7, markerfacecolor=ax.get_facecolor(),
                    markeredgecolor=foreground(), markeredgewidth=1.4, zorder=4, label=called)
    set_scale(ax, "x", False, first.parameter)
    ax.set_xlabel(label(path.over))
    ax.set_ylabel(label(name))
    ax.margins(0.04)
    if several or folds or path.branch_points:
        ax.legend(frameon=False, fontsize=9, handlelength=2.6)
    return ax
