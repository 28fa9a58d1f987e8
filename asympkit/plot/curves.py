"""Draw curves over one axis: families, missing points, simulated points and their pulls; and activations.

A pull is (simulation - theory)/standard error.  An activation is drawn with its kinks and jumps, and its Hermite
spectrum.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DomainError
from ..notation import label
from .canvas import (
    COLOURS,
    FEW,
    SIZE,
    explain_style_error,
    faint,
    family,
    finite,
    foreground,
    grid_of_axes,
    is_geometric,
    matplotlib_module,
    number,
    one_axes,
    set_scale,
    spans_decades,
    stack_panels,
)

__all__ = ["Curve", "Points", "draw_activation", "draw_curves", "draw_with_pulls", "expand_family"]


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

    ``value`` is that of the parameter that distinguishes the curves of a family.
    """

    y: Any
    name: str = ""
    points: Points | None = None
    value: float | None = None


def expand_family(name, values, rows):
    """Return the curves of a family, one for each value of a parameter."""
    return [Curve(row, f"{label(name)} = {number(v)}", value=float(v)) for v, row in zip(values, rows)]


def draw_curves(ax, x_name, x, curves, y_name, by=None, **style):
    """Draw curves over one axis.

    Parameters
    ----------
    ax : matplotlib axes or None
    x_name : str
    x : ndarray
    curves : list of Curve
    y_name : str
        Label of the other axis; empty for curves of several quantities.
    by : str, optional
        The parameter that distinguishes the curves of a family: a large one has a colour bar in place of a legend.
    **style
        Passed to matplotlib, for all curves.

    Returns
    -------
    matplotlib axes
    """
    x = np.asarray(x, dtype=float)
    if not np.isfinite(x).any():
        raise DomainError(f"plot: {x_name} is infinite everywhere; expected finite values along a curve")
    order = np.argsort(x, kind="stable")
    order = order[np.isfinite(x[order])]
    ax = one_axes(ax)
    is_new, styles = not ax.has_data(), _styles(ax, len(curves))
    for curve, own in zip(curves, styles):
        _draw(ax, x[order], np.asarray(curve.y, float)[order], curve, own, style)
    _draw_at_infinity(ax, x_name, x, curves, styles)
    _mark_missing(ax, x, curves)
    if is_new:
        _set_scales(ax, x, curves)
    ax.set_xlabel(label(x_name))
    ax.set_ylabel(y_name)
    if by is not None and len(curves) > FEW:
        _bar(ax, by, curves)
    _legend(ax, with_curves=by is None or len(curves) <= FEW)
    return ax


def draw_with_pulls(ax, x_name, x, curves, y_name, by=None):
    """Draw curves with simulated points, and below their pulls, (simulation - theory)/standard error.

    Returns
    -------
    ndarray of two matplotlib axes
    """
    upper, lower = stack_panels(ax)
    styles = _styles(upper, len(curves))
    draw_curves(upper, x_name, x, curves, y_name, by)
    upper.set_xlabel("")
    lower.axhspan(-2.0, 2.0, color=faint(0.1), linewidth=0, zorder=0)
    lower.axhline(0.0, color=foreground(), linewidth=0.9)
    most = 0.0
    for curve, own in zip(curves, styles):
        p = curve.points
        if p is None or p.expected is None:
            continue
        with np.errstate(divide="ignore", invalid="ignore"):        # no pulls at infinite x
            pulls = (np.asarray(p.mean) - np.asarray(p.expected)) / np.asarray(p.error)
        pulls = np.where(np.isfinite(pulls) & np.isfinite(p.x), pulls, np.nan)
        most = max([most, *np.abs(finite(pulls))])
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
    return family(there + count)[there:] if there + count <= FEW else family(count)


def _draw(ax, x, y, curve, own, style):
    known = np.isfinite(y)
    alone = known & ~np.r_[False, known[:-1]] & ~np.r_[known[1:], False]
    with_points = curve.points is not None
    marked = alone if with_points or y.size > _SPARSE else known
    how = {"linewidth": 1.8, "markersize": 4.5, "label": curve.name or None, **own, **style}
    how |= {} if marked.any() else {"marker": "None"}
    with explain_style_error(style):
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
        for value in finite(np.asarray(curve.y, float)[np.isinf(x)]):
            ax.axhline(value, color=own["color"], linewidth=1.0, linestyle=(0, (1, 3)), label=name)
            name = None


def _mark_missing(ax, x, curves):
    missing = finite(np.unique([v for c in curves for v in x[~np.isfinite(np.asarray(c.y, float))]]))
    if missing.size:
        ax.plot(missing, np.full(missing.size, _FLOOR), linestyle="none", marker="x", markersize=5, color=foreground(),
                transform=ax.get_xaxis_transform(), label=_MISSING)


def _set_scales(ax, x, curves):
    values, low = [finite(c.y) for c in curves], []
    for p in (c.points for c in curves if c.points is not None):
        values.append(finite(p.mean))
        low.append(finite(np.asarray(p.mean) - np.asarray(p.error)))
    values, low = np.concatenate(values), np.concatenate([*low, [np.inf]])
    set_scale(ax, "x", is_geometric(x), x)
    set_scale(ax, "y", spans_decades(values) and low.min() > 0.0, values)
    ax.margins(x=0.03)


def _legend(ax, with_curves):
    handles, names = ax.get_legend_handles_labels()
    kept = [(h, n) for h, n in zip(handles, names) if with_curves or n == _MISSING]
    if kept:
        ax.legend(*zip(*kept), frameon=False, fontsize=9, handlelength=2.6)


def _bar(ax, by, curves):
    """Draw a colour bar for a large family."""
    colors, shades = matplotlib_module("colors"), [own["color"] for own in family(len(curves))]
    norm = colors.BoundaryNorm(np.arange(len(curves) + 1) - 0.5, len(curves))
    shown = matplotlib_module("cm").ScalarMappable(norm, colors.ListedColormap(shades))
    bar = ax.figure.colorbar(shown, ax=ax, ticks=np.unique(np.linspace(0, len(curves) - 1, 5).round()))
    shown_value = matplotlib_module("ticker").FuncFormatter(lambda k, _: number(curves[int(k)].value))
    bar.ax.yaxis.set_major_formatter(shown_value)
    bar.ax.minorticks_off()
    bar.set_label(label(by))


#: range of the variable, and number of points of the curve
_REACH, _POINTS = 4.0, 801
#: a coefficient below this part of the largest is rounding
_ZERO = 1e-14


def draw_activation(function, orders, ax, style):
    """Draw as :meth:`asympkit.Activation.plot` describes."""
    left, right = grid_of_axes(ax, 1, 2, (1.75 * SIZE[0], SIZE[1]))[0]
    _graph(left, function, style)
    _spectrum(right, function, orders)
    return np.array([left, right], dtype=object)


def _graph(ax, function, style):
    jumps = [float(at) for at, _ in function.jumps if abs(float(at)) < _REACH]
    kinks = [float(at) for at in function.kinks if abs(float(at)) < _REACH and float(at) not in jumps]
    borders = [-_REACH, *sorted(jumps), _REACH]
    own, style = style, {"color": COLOURS[0], "linewidth": 2.0, **style}
    for low, high in zip(borders, borders[1:]):
        gap = 1e-9 * _REACH                         # a value at a jump belongs to neither side
        z = np.linspace(low + gap, high - gap, max(2, round(_POINTS * (high - low) / (2 * _REACH))))
        f = function(z)
        with explain_style_error(own):
            ax.plot(z, f, **style)
        for end, inside in ((low, 0), (high, -1)):
            if end in jumps:
                ax.plot(end, f[inside], "o", color=style["color"], markerfacecolor=ax.get_facecolor(), markersize=5)
    for at in (*kinks, *jumps):
        ax.axvline(at, color=faint(0.6), linewidth=0.9, linestyle=":", zorder=1)
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
    for is_there, colour, marker, name in ((shown & (c > 0), COLOURS[0], "o", "$c_k>0$"),
                                           (shown & (c < 0), COLOURS[1], "s", "$c_k<0$")):
        if is_there.any():
            ax.plot(k[is_there], part[is_there], linestyle="none", color=colour, marker=marker, markersize=6,
                    label=name)
    if shown.any():
        low = part[shown].min() / 4.0
        ax.vlines(k[shown], low, part[shown], color=faint(0.45), linewidth=1.4, zorder=1)
        ax.set(yscale="log", ylim=(low, 3.0))
        ax.legend(frameon=False, fontsize=9)
    ax.set_xlim(-0.6, orders + 0.6)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("degree $k$")
    ax.set_ylabel(r"$k!\,c_k^2\;/\;\mathbb{E}[f^2]$")
