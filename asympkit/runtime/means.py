"""Conditional Gaussian means of functions of an activation (numpy only; copied into generated modules)."""

import numpy as np

from .nodes import CUTS, LATTICE_LEVELS, PANEL_LEVELS, Lattice, Panels, fine_kinks
from .rows import Rows
from .rules import opposite_pairs

#: nodes of one row at most: twice those of the finest lattice at the usual cut-off
_MAX_NODES = 60_000
#: largest step, in the argument of a function, of a lattice that sees it; steeper ones have panels around argument 0
_VISIBLE = 1.0


def normal_means(function, offset, slope, functional, signs=None, pairs=None, floors=None):
    r"""Compute means over z ~ N(0,1) of quantities ``functional(z, s, at)``, ``s = function(offset + slope z)``.

    Parameters
    ----------
    function : object
        Callable on arrays, with an attribute ``kinks_float``: its kinks.
    offset : ndarray, shape (K,)
    slope : float
        Non-negative.
    functional : callable
        ``functional(z, s, at)`` returns a tuple of arrays; ``at(column)`` picks the entries of a column
        (shape (K,)) that belong to the rows being computed.
    signs : dict, optional
        ``{parity: signs of the means}`` under a change of the sign of the offset, for an activation of that
        parity; then one of the offsets a and -a is computed.
    pairs : tuple of ndarray, optional
        Result of :func:`opposite_pairs`, if known.
    floors : dict, optional
        ``{parity: the part of its size below which each mean is zero at offset zero}``, for an activation of that
        parity (0: unknown): infinite for means that vanish by parity, -1 for those never rounded to zero; sixteen
        roundings otherwise.

    Returns
    -------
    means : list of ndarray, shape (K,)
    error : float
        Change at the last refinement, relative to the mean absolute integrand; infinite where an
        integrand does not decay within double precision.

    Notes
    -----
    Where :math:`0<|a|\le b/10` the shift is moved to the weight,
    :math:`E F(z,\sigma(a+bz)) = E[F(z-a/b,\sigma(bz))\,e^{az/b-a^2/2b^2}]`, and the value at :math:`a=0` is
    separated from the increment.  The mean of an odd activation vanishes exactly at :math:`a=0`
    and keeps its relative accuracy for every small :math:`a`.  Another value at :math:`a=0` below sixteen
    roundings of the integrand is zero, so that it is the same on all rules, unless its direction counts
    by ``floors``.  So is the mean of a square below the square of that, such as the residual variance of a linear
    activation.

    The lattice of a smooth function is chosen on rows at most two widths of the weight apart, so that each place
    weighs in one of them, against a lattice of step 1/50 in the argument: narrower features have panels.
    """
    offset = np.asarray(offset, dtype=float)
    slope = float(slope)
    mirror = signs and signs.get(getattr(function, "mirror", 0))
    if mirror and offset.size > 1:
        first, back, opposite = pairs or opposite_pairs(offset)
        if first.size < offset.size:
            values, error = normal_means(function, offset[first], slope, _picked(functional, first),
                                         floors=floors)
            return [np.where(opposite, sign * v[back], v[back]) for sign, v in zip(mirror, values)], error
    with np.errstate(all="ignore"):
        rows = Rows(function, offset, slope, functional, (floors or {}).get(getattr(function, "mirror", 0)))
        kinks = np.asarray(function.kinks_float, dtype=float)
        if kinks.size and slope > 0.0:
            return _on_panels(rows, kinks)
        if slope * Lattice.fine_step(CUTS[0], slope) > _VISIBLE:
            found = _on_panels(rows, np.zeros(1))       # it may turn beside argument zero only
            if found[1] <= 1e-12:
                return found
        return _on_lattices(rows, _probe(rows))


def _probe(rows):
    """Return one row of each interval of one width of the weight, or all rows."""
    if not rows.slope or rows.offset.size < 4:
        return rows
    _, pick = np.unique(np.floor(rows.offset / rows.slope), return_index=True)
    if 2 * pick.size > rows.offset.size:
        return rows
    return Rows(rows.function, rows.offset[pick], rows.slope, _picked(rows.functional, pick), rows.floors)


def _picked(functional, pick):
    """Restrict the functional to some of the rows."""
    return lambda z, s, at: functional(z, s, lambda column: at(np.asarray(column)[pick]))


def _on_lattices(rows, probe):
    """Compute means of a smooth function on a lattice chosen on a few rows, against one that resolves all features."""
    for cut in CUTS:
        values, sizes, squares = probe.sums(Lattice(cut, (0, 1), probe.slope, tail=True))
        reference = values[:, :, 2]
        scales = probe.scales(values, sizes[:, :, 2], squares)
        if np.max(sizes[:, :, 3] / scales, initial=0.0) <= 1e-16:
            break
    else:
        return _each(rows.sums(Lattice(CUTS[-1], (0,)))[0]), np.inf
    known, step = [values[:, :, 0], values[:, :, 1]], Lattice.fine_step(cut, probe.slope)
    before, level, error = np.inf, 0, _distance(known[0], reference, scales)
    while not _settled(error, before):
        level += 1
        if level == LATTICE_LEVELS or Lattice(cut, (level,)).count > _MAX_NODES:
            level -= 1
            break
        if level == len(known):
            known.append(probe.sums(Lattice(cut, (level,)))[0][:, :, 0])
        if Lattice.step(level) < 2.0 * step:
            reference = known[level - 1]
        before, error = error, _distance(known[level], reference, scales)
    if not error < np.inf:          # overflow: finer rules meet it too
        return _each(rows.sums(Lattice(cut, (0,)))[0]), np.inf
    if level + 1 == len(known) and error > 1e-15 and level + 1 < LATTICE_LEVELS:
        known.append(probe.sums(Lattice(cut, (level + 1,)))[0][:, :, 0])
    if level + 1 < len(known) and _distance(known[level + 1], reference, scales) < error:
        level += 1                  # the digits below 1e-13 are right too
    rule = Lattice(cut, (level,))
    return rows.without_rounding(_each(rows.sums(rule, squares)[0]), rule, squares), error


def _on_panels(rows, kinks):
    """Compute means of a function with kinks, each row on panels of its own."""
    kinks = fine_kinks(kinks, rows.slope)
    for cut in CUTS:
        values, sizes, squares = rows.sums(Panels(kinks, rows.slope, cut, (0, 1), tail=True))
        scales = rows.scales(values, sizes[:, :, 1], squares)
        if np.max(sizes[:, :, 2] / scales, initial=0.0) <= 1e-16:
            break
    else:
        return _each(values, 1), np.inf
    level, fine, before = 1, values[:, :, 1], np.inf
    error = _distance(fine, values[:, :, 0], scales)
    while not _settled(error, before):
        level += 1
        rule = Panels(kinks, rows.slope, cut, (level,))
        if level == PANEL_LEVELS or rule.count > _MAX_NODES:
            break
        coarse = fine
        values, sizes, _ = rows.sums(rule)
        fine, scales = values[:, :, 0], rows.scales(values, sizes[:, :, 0], squares)
        before, error = error, _distance(fine, coarse, scales)
    return list(np.ascontiguousarray(fine)), error


def _distance(values, reference, scales):
    """Return the largest difference relative to the sizes; infinite after overflow."""
    distance = float(np.max(np.abs(values - reference) / scales, initial=0.0))
    return distance if distance < np.inf else np.inf


def _settled(error, before):
    """Return whether two rules agree, or nothing can be gained: by overflow, or as only rounding errors remain."""
    # two unrelated lattices do not agree by chance; above 1e-13 only where rounding errors alone remain
    return not error < np.inf or error <= 1e-13 or (error <= 1e-12 and error > 0.6 * before)


def _each(values, rule=0):
    """List the means of one rule, an array for each quantity."""
    return list(np.ascontiguousarray(values[:, :, rule]))
