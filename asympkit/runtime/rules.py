"""Nodes and weights for averages over a standard normal (numpy only; copied into generated modules)."""

import numpy as np

#: step and cut-off of the outer trapezoidal rule by level; the steps have no simple ratio, so that no
#: frequency is invisible on two of them; they are close to each other, so that the rule which checks
#: another costs little more; the cut-off grows because a weight 1/(1+V)**2 can favour the far tail by lam**-2
OUTER_STEPS = (0.4, 0.2788, 0.1943, 0.1355, 0.0944, 0.0658, 0.0459, 0.032, 0.0223, 0.01555, 0.01083, 0.00755, 0.00526)
OUTER_CUTS = (9.0, 9.5, 10.0, 10.75, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0, 14.5, 15.0, 15.5)
#: orders of Gauss's rule on a panel, by level: they grow by 2**(1/4)
PANEL_ORDERS = (10, 12, 14, 17, 20, 24, 28, 34, 40, 48, 56, 67, 80)
#: of a layered rule: the step in the stretched variable, in units of that of the same level, and the width of the
#: layer around 0 that is resolved, of level 0 and from each to the next
LAYERED_STEP, LAYER, THINNER = 2.0 / 3.0, 0.5, 0.4
_SYMMETRIC = {}


def trapezoid(step, cut):
    """Return the symmetric trapezoidal rule of the standard normal on [-cut, cut], normalised to weight one."""
    n = int(np.ceil(cut / step))
    z = step * np.arange(-n, n + 1)
    w = np.exp(-0.5 * z * z)
    return z, w / w.sum()


def paired(step, cut):
    """Return a trapezoidal rule with 0 between two nodes, and a multiple of eight nodes, as vectorised loops take."""
    n = 4 * int(np.ceil(cut / (4.0 * step)))
    z = (cut / n) * (np.arange(-n, n) + 0.5)
    w = np.exp(-0.5 * z * z)
    return z, w / w.sum()


def layered(level):
    """Return a symmetric rule of the standard normal, trapezoidal in u for nodes w*sinh(u): dense where abs(z) < w.

    A change within a layer around 0, of a prediction's sign, say, is smooth in u, and so is everything else.
    """
    width, cut, step = LAYER * THINNER**level, OUTER_CUTS[level], LAYERED_STEP * OUTER_STEPS[level]
    n = int(np.ceil(np.arcsinh(cut / width) / step))
    u = step * np.arange(-n, n + 1)
    z = width * np.sinh(u)
    w = np.exp(-0.5 * z * z) * np.cosh(u)
    return z, w / w.sum()


def gauss_legendre(edges, order):
    """Return the composite Gauss-Legendre rule of the standard normal on panels.

    ``edges`` may hold one row of panel edges for each of several integrals; nodes and weights then
    have one row each.
    """
    x, w = np.polynomial.legendre.leggauss(order)
    left, right = edges[..., :-1, None], edges[..., 1:, None]
    half = 0.5 * (right - left)
    z = 0.5 * (right + left) + half * x
    w = half * w * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    flat = (*edges.shape[:-1], -1)
    return z.reshape(flat), w.reshape(flat)


def outer_rule(level, features, is_layered=False):
    """Return a rule for the outer average, fine enough for the features of the conditional means.

    Parameters
    ----------
    level : int
        Refinement level; two of them halve the step (or raise the order of the panels).
    features : list of (float, float, tuple)
        For each inner average (offset, slope in the outer variable, inner slope, kinks): a kink k of the
        activation shows at (k - offset)/slope, smoothed over the width inner slope/|slope|.
    is_layered : bool
        True if integrands may change within a thin layer around 0.

    Returns
    -------
    nodes, weights : ndarray
    symmetric : bool
        True if the nodes come in pairs z, -z.
    """
    cut = OUTER_CUTS[level]
    centres = []
    for offset, slope, inner, kinks in features:
        if slope != 0.0 and kinks:
            blur = inner / np.hypot(slope, inner)
            if blur < 0.2:
                centres += [((k - offset) / slope, inner / abs(slope)) for k in kinks]
    if not centres:
        return (*(layered(level) if is_layered else trapezoid(OUTER_STEPS[level], cut)), True)
    edges = set(np.linspace(-cut, cut, 2 * int(np.ceil(cut)) + 1))
    for centre, width in centres:
        edges.add(centre)
        distance = 1.0
        while distance > width > 0.0:    # graded towards the smoothed kink
            edges.update((centre - distance, centre + distance))
            distance *= 0.5
    edges = np.array(sorted(e for e in edges if -cut <= e <= cut))
    nodes, weights = gauss_legendre(edges, PANEL_ORDERS[level])
    return nodes, weights / weights.sum(), False


def outer_rules(levels, features, is_layered=False):
    """Return rules of several levels, their nodes one after the other, and the pairs z, -z.

    Parameters
    ----------
    levels : tuple of int
    features, is_layered
        As for :func:`outer_rule`.

    Returns
    -------
    rules : list of (ndarray, ndarray, bool)
        Those of :func:`outer_rule`.
    nodes : ndarray
    pairs : tuple of ndarray
        Those of :func:`opposite_pairs`.
    """
    if (levels, is_layered) in _SYMMETRIC and not any(kinks for _, _, _, kinks in features):
        return _SYMMETRIC[levels, is_layered]
    rules = [outer_rule(level, features, is_layered) for level in levels]
    nodes = np.concatenate([rule[0] for rule in rules])
    made = rules, nodes, opposite_pairs(nodes)
    if all(symmetric for _, _, symmetric in rules):
        _SYMMETRIC[levels, is_layered] = made
    return made


def opposite_pairs(offset):
    """Return indices of one of each pair x, -x, the place of each number's pair, and whether it is the negative."""
    _, first, back = np.unique(np.abs(offset), return_index=True, return_inverse=True)
    return first, back, offset * offset[first][back] < 0.0
