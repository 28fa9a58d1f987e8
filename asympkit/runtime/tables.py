"""Tables of grids: products of rules for several normals, and columns of values (numpy only; copied where needed).

Symmetric rules are folded where all integrands are even.
"""

import numpy as np

from .rules import OUTER_CUTS, OUTER_STEPS, PANEL_ORDERS, NoCommonRule, gauss_legendre, paired, trapezoid


def split_tables(base, rules, symmetries):
    """Split base columns on the nodes of several rules, one after the other, into columns and weights of each.

    Columns of several points have the shape (points, nodes), numbers (points, 1); ``rules`` are nodes, weights, and
    whether the nodes come in pairs z, -z; for symmetries see :func:`fold`.
    """
    first, out, count = 0, [], sum(nodes.size for nodes, _, _ in rules)
    base = [np.broadcast_to(c, (*np.shape(c)[:-1], count)) for c in base]
    for nodes, weights, symmetric in rules:
        last = first + nodes.size
        part = [c[..., first:last] for c in base]
        out.append(fold(part, weights, symmetries) if symmetric else (part, weights))
        first = last
    return out


def stack_rows(*rows, dtype=float):
    """Stack the rows of one table, numbers broadcast to the length of the others."""
    table = np.empty((len(rows), *(np.broadcast_shapes(*map(np.shape, rows)) or (1,))), dtype)
    for row, values in zip(table, rows):
        row[...] = values
    return table.view(next((type(r) for r in rows if hasattr(r, "at_points")), np.ndarray))


def fold(base, weights, symmetries):
    """Halve a symmetric rule when every integrand is even under the parities of the columns.

    ``base`` are columns on nodes that come in pairs z, -z, the node itself first; ``symmetries`` are sign patterns of
    the columns under which no integrand changes. Return columns and weights on the non-negative nodes, or everything
    unchanged.
    """
    pattern = _parities(np.array(np.broadcast_arrays(*base)))
    if not any(all(p in (0, s) for p, s in zip(pattern, symmetry)) for symmetry in symmetries):
        return base, weights
    half = weights.size // 2
    folded = weights[half:] * 2.0
    if weights.size % 2:
        folded[0] *= 0.5
    return [c[..., half:] for c in base], folded


def _parities(columns):
    """Return for each column +1 or -1 where it is even or odd to rounding at all points, 0 where it vanishes, or 2."""
    half, size = (columns.shape[-1] + 1) // 2, np.abs(columns).max(axis=-1)
    here, mirrored = columns[..., :half], columns[..., :-half - 1:-1]
    even, odd, zero = (np.reshape(holds, (len(columns), -1)).all(axis=1) for holds in (
        np.abs(here - mirrored).max(axis=-1) <= 1e-14 * size,
        np.abs(here + mirrored).max(axis=-1) <= 1e-14 * size, size == 0.0))
    return np.where(zero, 0, np.where(even, 1, np.where(odd, -1, 2))).tolist()


def stack_matrix(shape, rows, dtype=float):
    """Stack a nest of scalars and arrays of a shape into an array of shape (*shape, n, n)."""
    out = np.empty((*shape, len(rows), len(rows)), dtype)
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            out[..., i, j] = entry
    return out


def stack_vector(shape, entries, dtype=float):
    """Stack scalars and arrays of a shape into an array of shape (*shape, n)."""
    out = np.empty((*shape, len(entries)), dtype)
    for j, entry in enumerate(entries):
        out[..., j] = entry
    return out


#: nodes of one rule at most, 6 MB a column, and of one inside another, those at every node of the other counted
MOST_NODES, MOST_INSIDE = 700_000, 4_000_000
#: how far kinks are followed that move: there their weight is 1e-70
FARTHEST = 18.0
#: steps of rules inside others, and how much earlier they end: no table favours their tails
INNER_STEPS, INNER_REACH = (0.625, 0.5, *OUTER_STEPS[:-2]), 1.5


def product_tables(levels, kinks, symmetries, is_shifted, flat=(), is_inner=False):
    """Return products of one-dimensional rules.

    Parameters
    ----------
    levels : tuple of int
    kinks : tuple of tuple of float
        For each variable the points where integrands have a kink: its rule has panels between them, and trapezoids
        where there is none.
    symmetries : tuple of tuple of int
        See :func:`fold`.
    is_shifted : bool
        True if the mass of integrands may lie as far out along the first variable as :data:`FARTHEST`.
    flat : tuple of bool, optional
        For each variable, true if nothing depends on it: it has one node.
    is_inner : bool
        True for nested sums, smoother functions of the unknowns without a table, for which a wider step suffices.

    Returns
    -------
    list of (list of ndarray, ndarray)
        For each level one array of nodes for each variable, and the weights.  Nodes outside of the ball that touches
        all cut-offs are omitted: their weight is as small as that beyond them.
    """
    out = []
    for level in levels:
        rules = [_line(level, points, FARTHEST * (is_shifted and k == 0), is_inner) for k, points in enumerate(kinks)]
        rules = [(np.zeros(1), np.ones(1)) if off else rule for rule, off in zip(rules, flat or (False,) * len(rules))]
        nodes = [z.ravel() for z in np.meshgrid(*[z for z, _ in rules], indexing="ij")]
        weights = rules[0][1]
        for _, w in rules[1:]:
            weights = np.multiply.outer(weights, w)
        squares = sum((z * z for z in nodes[is_shifted:]), np.zeros(nodes[0].size))
        inside = squares <= OUTER_CUTS[level] ** 2 * (1.0 + 1e-12)
        nodes, weights = [z[inside] for z in nodes], weights.ravel()[inside]
        weights = weights if any(kinks) else weights / weights.sum()
        out.append((nodes, weights) if any(kinks) else fold(nodes, weights, symmetries))
    return out


def valued_tables(levels, kinks, symmetries, is_shifted, flat, features, values):
    """Return product rules as :func:`product_tables`, with values of activations at the nodes as further columns.

    The sign patterns of symmetries are of all columns; ``features`` are for each activation the place of its variable,
    offset and slope of its argument, and its kinks; ``values`` returns the values, from the nodes of all variables.
    """
    kinks = [list(points) for points in kinks]
    for place, offset, slope, own in features:
        if len(own) and np.any(slope):
            if np.size(offset + slope) > 1:
                raise NoCommonRule(np.ones(np.size(offset + slope), bool))
            kinks[place] += [(k - offset) / slope for k in own]
    off = [np.ravel(x) for x in flat]
    if any(x.any() and not x.all() for x in off):
        raise NoCommonRule(np.logical_or.reduce(off))
    flat = tuple(bool(x.all()) for x in off)
    out = []
    for level in levels:
        ((nodes, weights),) = product_tables((level,), kinks, (), is_shifted, flat)
        columns = [*nodes, *(np.broadcast_to(v, (*np.shape(v)[:-1], weights.size)) for v in values(*nodes))]
        out.append((columns, weights) if any(kinks) else fold(columns, weights, symmetries))
    return out


#: parts of an angle of 1 in which steps of rules over angles are no longer than those over normals of the same level
ANGLE_STEPS = 5


def angle_tables(levels):
    """Return equidistant angles between 0 and pi with equal weights, as :func:`product_tables`."""
    out = []
    for level in levels:
        count = angles(level)
        out.append(([(np.arange(count) + 0.5) * np.pi / count], np.full(count, 1.0 / count)))
    return out


def angles(level):
    """Return the number of angles at a level."""
    return int(40 * 1.5**level)


def _line(level, kinks, further=0.0, is_inner=False):
    """Return nodes and weights of one variable."""
    cut = OUTER_CUTS[level] + further
    if is_inner and not kinks:
        return paired(INNER_STEPS[level], cut - INNER_REACH)
    if not kinks:
        return trapezoid(OUTER_STEPS[level], cut)
    edges = np.linspace(-cut, cut, int(np.ceil(cut)) + 1)
    edges = np.unique(np.concatenate([edges, [k for k in kinks if -cut < k < cut]]))
    return gauss_legendre(edges, PANEL_ORDERS[level])


def product_levels(outer, inside=()):
    """Return the number of levels for products of rules with as many nodes as are allowed; three at least.

    For each sum, and for each together with one nested in it, there are the numbers of variables with a trapezoidal
    rule, with panels and of angles; for the latter also how many of the first are nested.
    """
    counts = [(size, MOST_NODES) for size in outer] + [(size, MOST_INSIDE) for size in inside]
    level = 3
    while level < len(OUTER_STEPS) and all(_count(level, *size) <= most for size, most in counts):
        level += 1
    return level


def _count(level, smooth, kinked, round_, inner=0):
    line, panels = 2.0 * OUTER_CUTS[level] / OUTER_STEPS[level], (OUTER_CUTS[level] + 10.0) * PANEL_ORDERS[level]
    volume = (1.0, 1.0, np.pi / 4.0, np.pi / 6.0)[min(smooth + kinked, 3)]
    wider = (OUTER_STEPS[level] / INNER_STEPS[level]) ** inner
    return volume * line**smooth * panels**kinked * angles(level) ** round_ * wider
