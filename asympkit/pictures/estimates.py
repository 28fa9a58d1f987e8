"""Draw simulations and checks: draws, means, errors, and tolerances."""

import numpy as np

from ..errors import DomainError
from ..notation import label
from .canvas import grid_of_axes, one_axes, styled
from .curves import Curve, Points, draw_curves
from .names import quantity_names
from .scales import number
from .style import COLOURS, SIZE, faint, foreground

__all__ = ["draw_report", "draw_simulation"]

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
        with styled(style):
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
        with styled(style):
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
