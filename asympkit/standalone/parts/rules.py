"""Nodes and weights for averages over standard normals (copied into standalone modules)."""

import functools

import numpy as np

#: nodes and weights of Gauss's rule on [-1, 1], by their number
GAUSS = functools.cache(np.polynomial.legendre.leggauss)


def trapezoid(level):
    """Return the symmetric trapezoidal rule of the standard normal; no frequency is invisible to two levels."""
    step, cut = 0.2788 / 1.4346**level, 9.5 + 0.5 * level
    nodes = step * np.arange(-int(cut / step), int(cut / step) + 1)
    weights = np.exp(-0.5 * nodes * nodes)
    return nodes, weights / weights.sum()


def panels(edges, order):
    """Return Gauss's rule for the standard normal on the panels between edges, the last axis of an array."""
    x, w = GAUSS(order)
    left, half = edges[..., :-1, np.newaxis], 0.5 * np.diff(edges)[..., np.newaxis]
    nodes = left + half * (1.0 + x)
    weights = half * w * np.exp(-0.5 * nodes * nodes) / np.sqrt(2 * np.pi)
    return nodes.reshape(*edges.shape[:-1], -1), weights.reshape(*edges.shape[:-1], -1)


def outer_rule(level, features):
    """Return a rule graded towards narrow features of inner averages (offset at 0, outer slope, inner slope, kinks), if
    any."""
    cut, narrow = 9.5 + 0.5 * level, []
    for offset, slope, inner, kinks in features:
        if inner < 0.2 * np.hypot(slope, inner):
            narrow += [((k - offset) / slope, inner / abs(slope)) for k in kinks or (0.0,)]
    if not narrow:
        return trapezoid(level)
    edges = set(np.linspace(-cut, cut, int(2.0 * cut * 1.2**level) + 1))
    for centre, width in narrow:
        distances = 0.5 ** np.arange(0.0, 2.0 - np.log2(width)) if width else np.zeros(1)
        edges.update([*(centre - distances), centre, *(centre + distances)])
    nodes, weights = panels(np.array(sorted(e for e in edges if -cut <= e <= cut)), 10 + 4 * level)
    return nodes, weights / weights.sum()


def average_on_finer_rules(value):
    """Return an average on finer rules, ``value(level)``, until two agree; not a number where none do."""
    before = value(0)
    for level in range(1, 11):
        found = value(level)
        if abs(found - before) <= 1e-12 * abs(found):
            return found
        before = found
    return np.nan


def places_of(kinks, offset, slope):
    """Return the x at which ``offset + slope*x`` is one of the kinks of a function."""
    return [(k - offset) / slope for k in kinks] if slope else []


def line(level, kinks, farther):
    """Return a rule for one of several normal variables: panels between kinks, if there are any; None is a variable
    without effect, which has one node."""
    if kinks is None:
        return np.zeros(1), np.ones(1)
    cut = 9.5 + 0.5 * level + farther
    if not kinks and not farther:
        return trapezoid(level)
    edges = np.unique([*np.linspace(-cut, cut, int(np.ceil(cut)) + 1), *(k for k in kinks if abs(k) < cut)])
    return panels(edges, 12 + 4 * level)


def product_rule(level, kinks, farther=0.0):
    """Return the product of rules, one for each tuple of kinks, inside the ball that all cut-offs touch.

    ``farther`` is how far out the mass of integrands may lie along the first variable.
    """
    rules = [line(level, points, farther * (k == 0)) for k, points in enumerate(kinks)]
    nodes = np.array([z.ravel() for z in np.meshgrid(*(z for z, _ in rules), indexing="ij")])
    weights = functools.reduce(np.multiply.outer, [w for _, w in rules]).ravel()
    inside = np.sum(nodes[1 if farther else 0:] ** 2, axis=0) <= (9.5 + 0.5 * level) ** 2
    return nodes[:, inside], weights[inside]


def angle_rule(level):
    """Return equidistant angles between 0 and pi, all of the same weight."""
    count = int(60 * 1.5**level)
    return (np.arange(count)[np.newaxis] + 0.5) * np.pi / count, np.full(count, 1.0 / count)
