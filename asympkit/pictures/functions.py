"""Draw activations: the function with its kinks and jumps, and its Hermite spectrum."""

import math

import numpy as np

from .canvas import grid_of_axes, styled
from .style import COLOURS, SIZE, faint

__all__ = ["draw_activation"]

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
        with styled(own):
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
