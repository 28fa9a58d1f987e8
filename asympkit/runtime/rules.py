"""Nodes and weights for averages over a standard normal (numpy only; copied into generated modules).

Outer averages take trapezoidal rules, or Gauss's rule on panels that are graded towards smoothed kinks.  Sums that are
nested at every node of an outer one switch where arguments of their error functions pass 0, within changes of these by
a few units: their panels are halved until each has a short part of such a change or none, and each takes Gauss's rule.
"""

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
_SYMMETRIC, _LEGENDRE = {}, {}


class NoCommonRule(Exception):
    """Some of several points need nodes of their own: the argument is a mask of these."""


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


def legendre(order):
    """Return nodes and weights of Gauss's rule on [-1, 1], computed once."""
    return _LEGENDRE.get(order) or _LEGENDRE.setdefault(order, np.polynomial.legendre.leggauss(order))


def gauss_legendre(edges, order):
    """Return the composite Gauss-Legendre rule of the standard normal on panels.

    ``edges`` may hold one row of panel edges for each of several integrals; nodes and weights then
    have one row each.
    """
    x, w = legendre(order)
    left, right = edges[..., :-1, None], edges[..., 1:, None]
    half = 0.5 * (right - left)
    z = 0.5 * (right + left) + half * x
    w = half * w * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    flat = (*edges.shape[:-1], -1)
    return z.reshape(flat), w.reshape(flat)


def outer_rule(level, features, is_layered=False):
    """Return nodes, weights, and whether nodes come in pairs z, -z, of a rule for the outer average.

    It is fine enough for the features of the conditional means: for each inner average (offset, slope in the outer
    variable, inner slope, kinks), where a kink k of the activation shows at (k - offset)/slope, smoothed over the width
    inner slope/|slope|. Numbers of several points have shape (points, 1); NoCommonRule is raised for those at which one
    is narrow.

    Two refinement levels halve the step (or raise the order of the panels); ``is_layered`` says that integrands may
    change within a thin layer around 0.
    """
    cut = OUTER_CUTS[level]
    centres = []
    for offset, slope, inner, kinks in features:
        is_steep = inner < 0.2 * np.hypot(slope, inner)
        if kinks and np.any(is_steep):
            if np.size(is_steep) > 1:
                raise NoCommonRule(np.ravel(is_steep))
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
    edges = edges[np.diff(edges, prepend=-np.inf) > 1e-14]          # one place is found twice
    nodes, weights = gauss_legendre(edges, PANEL_ORDERS[level])
    return nodes, weights / weights.sum(), False


def outer_rules(levels, features, is_layered=False):
    """Return :func:`outer_rule` of several levels, their nodes one after the other, and :func:`opposite_pairs`."""
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


#: widest panels, in units of the normal variable, and how much earlier they end than outer rules
WIDEST, REACH = 1.5, 1.5
#: by how much an argument may change on a panel, and beyond which size its error function is 0 or 2 in double precision
SHORT, FAR = 3.0, 7.0
#: places on a panel, both ends among them, where arguments are looked at
LOOKS = 5
#: weight of a panel, that of the outer node counted, below which it is left as it is
LIGHT = 1e-22
#: how often a panel is halved at most; nodes of one sum at most, and panels of it that are halved at once
HALVINGS, MOST, MOST_HALVED = 60, 20_000, 100
#: of the standard normal at 0
DENSITY = 1.0 / np.sqrt(2.0 * np.pi)


def panel_rows(level, size, kinks):
    """Return rows of a table: Gauss's nodes and weights on [-1, 1], padded by zeros, and edges of panels, padded by the
    last."""
    order, cut = PANEL_ORDERS[level], OUTER_CUTS[level] - REACH
    edges = np.linspace(-cut, cut, 2 * int(np.ceil(cut / WIDEST)) + 1)
    edges = np.unique(np.concatenate([edges, [k for k in kinks if -cut < k < cut]]))
    rows = np.zeros((3, size))
    rows[0, :order], rows[1, :order] = legendre(order)
    rows[2] = edges[-1]
    rows[2, :edges.size] = edges
    return rows


def first_ends(edges, kinks):
    """Return right ends of the first panels, in reverse, with space for halves, and the place of the next to examine.

    For compiled loops, as all below but the classes.
    """
    inside = np.clip(kinks, edges[0], edges[-1])
    found = np.sort(np.concatenate((edges, inside)))
    ends = np.zeros(found.size + HALVINGS)
    ends[:found.size] = found[::-1]
    return ends, found.size - 2


def is_halved(looks, left, right, share):
    """Return whether a panel has too much of a change: ``looks`` are arguments at places on it, a column each."""
    near = 0.0 if left * right <= 0.0 else min(abs(left), abs(right))
    if not share * (right - left) * np.exp(-0.5 * near * near) >= LIGHT:
        return False
    for j in range(looks.shape[1]):
        least, longest, whole = abs(looks[0, j]), 0.0, 0.0
        for k in range(1, looks.shape[0]):
            step = abs(looks[k, j] - looks[k - 1, j])
            least, longest, whole = min(least, abs(looks[k, j])), max(longest, step), whole + step
        if whole > SHORT and least - longest < FAR:
            return True
    return False


def add_panel(table, left, right, nodes, weights, count):
    """Write Gauss's rule on a panel behind the nodes that are there; returns how many these are then."""
    half, middle, k = 0.5 * (right - left), 0.5 * (left + right), 0
    while half > 0.0 and k < table.shape[1] and table[-2, k] > 0.0 and count < nodes.size:
        z = middle + half * table[-3, k]
        nodes[count], weights[count] = z, half * table[-2, k] * np.exp(-0.5 * z * z) * DENSITY
        count, k = count + 1, k + 1
    return count


class Everywhere:
    """Take sums over the same nodes at every node of the outer sum, for arrays of points.

    ``table`` and ``weights`` are those of the sum inside; ``at_nodes`` and ``at_points`` arguments of the integrand: at
    outer nodes, of shape (points, outer nodes) or the last axis alone; at points. ``values`` are the same with axes to
    which ``nodes`` can be broadcast.
    """

    def __init__(self, table, weights, at_nodes, at_points):
        self.nodes, self.weights = np.asarray(table[0]), weights
        self.values = [*(x[..., None] for x in at_nodes), *(x[..., None, None] for x in at_points)]

    def total(self, terms):
        """Sum at every point and outer node."""
        return terms @ self.weights


class Placed:
    """Take the same over nodes that are placed: arguments as for :class:`Everywhere`, with all sums concatenated.

    ``switches`` returns, from nodes and all values, the arguments that pass 0 where integrands switch; ``kinks``, from
    all values, places where integrands have a kink; ``shares`` are the weights of the outer nodes.  A table with a
    method ``charge`` is told of the evaluations before these are made.
    """

    def __init__(self, table, at_nodes, at_points, switches, kinks, shares):
        points, own, edges = np.asarray(table[-3:])
        shape = np.broadcast_shapes(shares.shape, *(x.shape for x in at_nodes), *((*x.shape, 1) for x in at_points))
        rows = [np.broadcast_to(x, shape).ravel() for x in (*at_nodes, *(x[..., None] for x in at_points))]
        self.shape = shape
        edges = [np.broadcast_to(edges, (rows[0].size, edges.size)),
                 *(np.clip(np.broadcast_to(k, rows[0].shape), edges[0], edges[-1])[:, None] for k in kinks(*rows))]
        shares = np.broadcast_to(shares, shape).ravel()
        left, right, of = _panels(np.sort(np.concatenate(edges, axis=1)), rows, switches, shares)
        points, own = points[own > 0.0], own[own > 0.0]
        if hasattr(table, "charge"):
            table.charge(of.size * (own.size + 2 * LOOKS))
        half = 0.5 * (right - left)[:, None]
        z = 0.5 * (left + right)[:, None] + half * points
        self.weights = (half * own * np.exp(-0.5 * z * z) * DENSITY).ravel()
        self.nodes, self.of = z.ravel(), np.repeat(of, own.size)
        self.values = [x[self.of] for x in rows]

    def total(self, terms):
        """Sum at every point and outer node."""
        return np.bincount(self.of, self.weights * terms, int(np.prod(self.shape))).reshape(self.shape)


def nodes_inside(table, weights, at_nodes, at_points, switches, kinks, shares, steep):
    """Choose the nodes of nested sums: placed if ``steep`` is positive at some point, else the same everywhere."""
    if np.any(steep > 0.0):
        return Placed(table, at_nodes, at_points, switches, kinks, shares)
    return Everywhere(table, weights, at_nodes, at_points)


def _panels(edges, rows, switches, shares):
    """Return the ends of the panels of all sums, and the sum to which each belongs."""
    count = shares.size
    of, k = np.nonzero(np.diff(edges))
    left, right = edges[of, k], edges[of, k + 1]
    looks = np.linspace(0.0, 1.0, LOOKS)[:, None]
    done = []
    for _ in range(HALVINGS):
        near = np.where(left * right > 0.0, np.minimum(np.abs(left), np.abs(right)), 0.0)
        whole = shares[of] * (right - left) * np.exp(-0.5 * near**2) >= LIGHT
        halved = np.zeros(of.size, dtype=bool)
        for at in switches(left + (right - left) * looks, *(x[of] for x in rows)):
            steps, size = np.abs(np.diff(at, axis=0)), np.abs(at).min(axis=0)
            halved |= (steps.sum(axis=0) > SHORT) & (size - steps.max(axis=0) < FAR)
        halved &= whole & (np.bincount(of, minlength=count)[of] < MOST_HALVED)
        done.append((left[~halved], right[~halved], of[~halved]))
        left, right, of = left[halved], right[halved], of[halved]
        if not of.size:
            break
        middle = 0.5 * (left + right)
        left, right, of = np.concatenate([left, middle]), np.concatenate([middle, right]), np.tile(of, 2)
    else:
        done.append((left, right, of))
    return tuple(np.concatenate(parts) for parts in zip(*done))
