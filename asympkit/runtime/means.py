"""Conditional Gaussian means of functions of an activation (numpy only; copied into generated modules)."""

import numpy as np

from .rules import gauss_legendre, trapezoid

_ROUNDING = 16 * np.finfo(float).eps
#: Cut-offs, from the usual one to the end of the normal weight in double precision.
_CUTS = (9.5, 12.0, 15.0, 19.0, 24.0, 30.0, 36.0)
#: Ratio of consecutive steps, the golden mean to the power 3/2: no frequency is invisible on two lattices.
_STEP, _RATIO = 0.25, 2.058171027271492
_LEVELS = 9
#: nodes of one row at most, and values in memory at a time
_MAX_NODES, _CHUNK = 60_000, 2_000_000


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
        parity; then only half of the rows of symmetric offsets are computed.

    Returns
    -------
    means : list of ndarray, shape (K,)
    error : float
        Change at the last refinement, relative to the mean absolute integrand; infinite where an
        integrand does not decay within double precision.

    Notes
    -----
    Where :math:`|a|\le b` the shift is moved to the weight,
    :math:`E F(z,\sigma(a+bz)) = E[F(z-a/b,\sigma(bz))\,e^{az/b-a^2/2b^2}]`, and the value at :math:`a=0` is
    separated from the increment.  The mean of an odd activation then vanishes exactly at :math:`a=0`
    and keeps its relative accuracy for every small :math:`a`.  A value at :math:`a=0` below sixteen
    roundings of the integrand is zero: it cannot be told from zero in double precision.  So is the mean
    of a square below the square of that, such as the residual variance of a linear activation.
    """
    offset = np.asarray(offset, dtype=float)
    slope = float(slope)
    mirror = (signs or {}).get(getattr(function, "mirror", 0))
    if mirror and offset.size > 1 and np.array_equal(offset, -offset[::-1]):
        half = offset.size // 2
        values, error = normal_means(function, offset[half:], slope,
                                     lambda z, s, at: functional(z, s, lambda column: at(np.asarray(column)[half:])))
        return [np.concatenate([sign * v[::-1][:half], v]) for sign, v in zip(mirror, values)], error
    with np.errstate(all="ignore"):
        rows = _Rows(function, offset, slope, functional)
        cut, values, scales = rows.decayed()
        if cut is None:
            return values, np.inf
        error = np.inf
        for level in range(1, _LEVELS):
            if rows.nodes(cut, level) > _MAX_NODES:
                break
            previous = values
            values, scales = rows.means(cut, level)
            before, error = error, max(float(np.max(np.abs(v - p) / s))
                                       for v, p, s in zip(values, previous, scales))
            if not error < np.inf:          # overflow: finer rules meet it too
                return values, np.inf
            # two unrelated lattices do not agree by chance; above 1e-13 only where rounding is all that is left
            if error <= 1e-13 or (error <= 1e-12 and error > 0.6 * before):
                break
    return values, error


class _Rows:
    """The rows of one call: those near the centre by shifted weights, the others directly."""

    def __init__(self, function, offset, slope, functional):
        self.function, self.offset, self.slope, self.functional = function, offset, slope, functional
        self.kinks = np.asarray(function.kinks_float, dtype=float)
        self.near = np.abs(offset) <= slope if slope > 0.0 else np.zeros(offset.shape, dtype=bool)
        self.is_split = bool(self.kinks.size) and slope > 0.0
        if self.is_split and slope > 3.0:      # a layer beside a kink is as thin as the slope is large
            layers = 6.0 ** np.arange(np.ceil(np.log(0.3 * slope) / np.log(6.0)))
            self.kinks = np.concatenate([self.kinks, *(self.kinks + s * d for d in layers for s in (-1.0, 1.0))])
        around = offset[:, None] + slope * np.arange(-3.0, 4.0)
        self.size = np.max(function(around) ** 2, axis=1)

    def decayed(self):
        """Cut-off beyond which no integrand is left, with the means on the coarsest rule there."""
        for cut in _CUTS:
            values, scales = self.means(cut, 0)
            beyond = self._parts(_outside, cut)[1]
            left = max(float(np.max(t / s)) for t, s in zip(beyond, scales))
            if left <= 1e-16:
                return cut, values, scales
        return None, values, scales

    def means(self, cut, level):
        """Means of all rows and the sizes their errors are measured by."""
        values, scales, square = self._parts(lambda kinks, reach: _rule(kinks, reach, level), cut)
        for k, is_square in enumerate(square):
            s = np.maximum(scales[k], 1e-3 * self._inward_maximum(scales[k]))
            if is_square:
                # the rounding of s makes an error of this size in a mean square
                s = s + 0.03 * np.sqrt(s * self.size)
                values[k] = np.where(np.abs(values[k]) <= _ROUNDING**2 * self.size, 0.0, values[k])
            # nothing below the square of a rounding of s is known, be it a square or an odd moment of one
            s = np.maximum(s, 1e-24 * self.size)
            scales[k] = np.maximum(s, np.finfo(float).tiny)
        return values, scales

    def _inward_maximum(self, sizes):
        """For every row the largest size among the rows nearer to the centre on its side."""
        out = np.empty_like(sizes)
        order = np.argsort(np.abs(self.offset), kind="stable")
        for side in (self.offset >= 0.0, self.offset < 0.0):
            rows = order[side[order]]
            out[rows] = np.maximum.accumulate(sizes[rows])
        return out

    def nodes(self, cut, level):
        """Number of nodes of one row."""
        return _rule(self.kinks[None] if self.is_split else self.kinks[:0], cut, level)[0].shape[-1]

    def _parts(self, rule, cut):
        """Values, sizes and signs of all items, computed group by group of rows."""
        parts = []
        if self.near.any():
            z, w = rule(self.kinks / self.slope, cut + 1.0)
            parts += [(rows, *_shifted(self, rows, z, w)) for rows in _groups(self.near, z.shape[-1])]
        if not self.near.all():
            z, w = rule(self._kinks_of(np.nonzero(~self.near)[0][:1]), cut)
            for rows in _groups(~self.near, z.shape[-1]):
                z, w = rule(self._kinks_of(rows), cut) if self.is_split else (z, w)
                parts.append((rows, *_direct(self, rows, z, w)))
        count = len(parts[0][1])
        values, scales = (np.empty((count, self.offset.size)) for _ in range(2))
        for rows, v, s, _ in parts:
            values[:, rows], scales[:, rows] = v, s
        return list(values), list(scales), [all(p[3][k] for p in parts) for k in range(count)]

    def _kinks_of(self, rows):
        return (self.kinks - self.offset[rows, None]) / self.slope if self.is_split else self.kinks[:0]


def _groups(mask, nodes):
    """Groups of the rows of a mask, as index arrays, small enough for their nodes to fit in memory."""
    rows = np.nonzero(mask)[0]
    width = max(1, _CHUNK // max(1, nodes))
    return [rows[k:k + width] for k in range(0, rows.size, width)]


def _outside(kinks, cut):
    """Coarse rule of what lies beyond a cut-off, kinks included, as far as the weight is a normal float."""
    end = _CUTS[-1] + 1.0
    tail = np.arange(cut + 0.5, end, 1.5)
    z = np.concatenate([-tail[::-1], tail])
    z = np.concatenate([np.broadcast_to(z, (*kinks.shape[:-1], z.size)), np.clip(kinks, -end, end)], axis=-1)
    return z, np.where(np.abs(z) > cut, np.exp(-0.5 * z * z), 0.0)


def _rule(kinks, cut, level):
    """Nodes and weights, one row for each row of kinks."""
    if not kinks.shape[-1]:
        return trapezoid(_STEP / _RATIO**level, cut)
    return gauss_legendre(_edges(kinks, cut, level), 16)


def _edges(kinks, cut, level):
    """Panel edges with the kinks among them; fine rules are graded towards the kinks, which may be singular."""
    base = np.linspace(-cut, cut, 8 * int(np.ceil(cut / 12.0)) + 1)
    base = np.broadcast_to(base, (*kinks.shape[:-1], base.size))
    edges = np.sort(np.clip(np.concatenate([base, kinks], axis=-1), -cut, cut), axis=-1)
    parts = np.arange(2.0**level) / 2.0**level
    inner = edges[..., :-1, None] + np.diff(edges, axis=-1)[..., None] * parts
    steps = 2.0 ** -np.arange(1.0, 12.0 * max(level - 2, 0) + 1.0)
    graded = (kinks[..., None] + np.concatenate([-steps, steps])).reshape(*kinks.shape[:-1], -1)
    every = [inner.reshape(*kinks.shape[:-1], -1), edges[..., -1:], np.clip(graded, -cut, cut)]
    return np.sort(np.concatenate(every, axis=-1), axis=-1)


def _folded_sum(terms):
    """Sum over the last axis in pairs from both ends: odd terms on symmetric nodes cancel exactly."""
    half = terms.shape[-1] // 2
    total = (terms[..., :half] + terms[..., ::-1][..., :half]).sum(axis=-1)
    return total + terms[..., half] if terms.shape[-1] % 2 else total


def _shifted(call, rows, z0, w):
    offset, slope = call.offset[rows], call.slope
    s = call.function(slope * z0)
    shift = (offset / slope)[:, None]
    growth = np.expm1(shift * z0 - 0.5 * shift**2)

    def at(column):
        return np.asarray(column)[rows][:, None]

    values, scales, square = [], [], []
    base = call.functional(np.broadcast_to(z0, growth.shape), s, at)
    moved = call.functional(z0 - shift, s, at)
    for f0, f1 in zip(base, moved):
        centre = _folded_sum(np.broadcast_to(w * f0, growth.shape))
        size = (w * np.abs(f0)).sum(axis=-1)
        centre = np.where(np.abs(centre) <= _ROUNDING * size, 0.0, centre)
        values.append(centre + _folded_sum(np.broadcast_to(w * (f1 * growth + (f1 - f0)), growth.shape)))
        scale = (w * np.abs(f1) * (1.0 + growth)).sum(axis=-1)
        square.append(bool(np.all(f1 >= 0.0)))
        # what is separated and comes back leaves its rounding behind (an odd moment of a residual that vanishes)
        scales.append(scale if square[-1] else np.maximum(scale, 0.01 * size))
    return values, scales, square


def _direct(call, rows, z, w):
    s = call.function(call.offset[rows][:, None] + call.slope * z)

    def at(column):
        return np.asarray(column)[rows][:, None]

    values, scales, square = [], [], []
    for f in call.functional(z, s, at):
        size = np.abs(f)
        # without a slope odd terms cancel exactly
        values.append(_weighted(f, w, s.shape) if call.slope else _folded_sum(np.broadcast_to(w * f, s.shape)))
        scales.append(_weighted(size, w, s.shape))
        square.append(bool(np.all(f == size)))
    return values, scales, square


def _weighted(f, w, shape):
    """Sums of the rows of f; a product of matrices where all rows have the same weights."""
    f = np.broadcast_to(f, shape)
    return f @ w if w.ndim == 1 else np.einsum("ij,ij->i", f, w)
