"""Conditional Gaussian means of functions of an activation (numpy only; copied into generated modules)."""

import numpy as np

from .nodes import LATTICE_LEVELS, PANEL_LEVELS, Lattice, Panels, fine_kinks
from .rows import Rows

#: cut-offs, from the usual one to the end of the normal weight in double precision
_CUTS = (9.5, 12.0, 15.0, 19.0, 24.0, 30.0, 36.0)
#: nodes of one row at most
_MAX_NODES = 60_000


def normal_means(function, offset, slope, functional, signs=None):
    r"""Means over z ~ N(0,1) of quantities ``functional(z, s, at)``, ``s = function(offset + slope z)``.

    Parameters
    ----------
    function : object
        Callable on arrays, with an attribute ``kinks_float``: where it is not smooth.
    offset : ndarray, shape (K,)
    slope : float
        Non-negative.
    functional : callable
        ``functional(z, s, at)`` returns a tuple of arrays; ``at(column)`` picks the entries of a column
        (shape (K,)) that belong to the rows being computed.
    signs : dict, optional
        ``{parity: signs of the means}`` under a change of the sign of the offset, for an activation of that
        parity; then one of two opposite offsets is computed.

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
    separated from the increment.  The mean of an odd activation then vanishes exactly at :math:`a=0`
    and keeps its relative accuracy for every small :math:`a`.  A value at :math:`a=0` below sixteen
    roundings of the integrand is zero: it cannot be told from zero in double precision.  So is the mean
    of a square below the square of that, such as the residual variance of a linear activation.

    The rule of a smooth function is refined on rows at most two widths of the weight apart: what one row sees
    of the function its neighbours see too.
    """
    offset = np.asarray(offset, dtype=float)
    slope = float(slope)
    mirror = (signs or {}).get(getattr(function, "mirror", 0))
    if mirror and offset.size > 1:
        _, first, back = np.unique(np.abs(offset), return_index=True, return_inverse=True)
        if first.size < offset.size:
            values, error = normal_means(function, offset[first], slope, _picked(functional, first))
            opposite = offset * offset[first][back] < 0.0
            return [np.where(opposite, sign * v[back], v[back]) for sign, v in zip(mirror, values)], error
    with np.errstate(all="ignore"):
        rows = Rows(function, offset, slope, functional)
        kinks = np.asarray(function.kinks_float, dtype=float)
        if kinks.size and slope > 0.0:
            kinks = fine_kinks(kinks, slope)
            return _refined(rows, rows, lambda cut, levels, tail=False: Panels(kinks, slope, cut, levels, tail),
                            PANEL_LEVELS)
        return _refined(rows, _probe(rows), Lattice, LATTICE_LEVELS)


def _probe(rows):
    """One row of each interval of two widths of the weight, or all rows."""
    if not rows.slope or rows.offset.size < 4:
        return rows
    _, pick = np.unique(np.floor(rows.offset / (2.0 * rows.slope)), return_index=True)
    if 2 * pick.size > rows.offset.size:
        return rows
    return Rows(rows.function, rows.offset[pick], rows.slope, _picked(rows.functional, pick))


def _picked(functional, pick):
    """The functional on some of the rows."""
    return lambda z, s, at: functional(z, s, lambda column: at(np.asarray(column)[pick]))


def _refined(rows, probe, rule, levels):
    """Means of all rows by the first rule on which those of the probe stand still."""
    for cut in _CUTS:
        values, sizes, squares = probe.sums(rule(cut, (0, 1), tail=True))
        values = values[:, :, :2]
        scales = probe.scales(values, sizes[:, :, 1], squares)
        if np.max(sizes[:, :, 2] / scales, initial=0.0) <= 1e-16:
            break
    else:
        return list(rows.sums(rule(_CUTS[-1], (0,)))[0][:, :, 0]), np.inf
    level, error = 1, np.inf
    coarse, fine = values[:, :, 0], values[:, :, 1]
    while True:
        before, error = error, float(np.max(np.abs(fine - coarse) / scales, initial=0.0))
        if not error < np.inf:          # overflow: finer rules meet it too
            error = np.inf
            break
        # two unrelated lattices do not agree by chance; above 1e-13 only where rounding is all that is left
        if error <= 1e-13 or (error <= 1e-12 and error > 0.6 * before):
            break
        if level + 1 == levels or rule(cut, (level + 1,)).count > _MAX_NODES:
            break
        level += 1
        coarse = fine
        values, sizes, _ = probe.sums(rule(cut, (level,)))
        scales = probe.scales(values, sizes[:, :, 0], squares)
        fine = values[:, :, 0]
    if probe is not rows:
        fine = rows.sums(rule(cut, (level,)), squares)[0][:, :, 0]
    return list(fine), error
