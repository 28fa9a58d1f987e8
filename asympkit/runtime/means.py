"""Conditional Gaussian means of functions of an activation (numpy only; copied into generated modules).

Smooth functions take lattices of several steps at once, those with kinks take panels around these; both are refined
until two rules agree.  Rows are means that differ by their offsets: near offset 0 they are split into the value there
and the increment, which polynomials at two places give without cancellation.
"""

import numpy as np

from .lattices import CUTS, LATTICE_LEVELS, PANEL_LEVELS, Lattice, Panels, fine_kinks
from .rules import opposite_pairs

__all__ = ["TwoPlaces"]


class TwoPlaces:
    """A polynomial expression of a variable, evaluated at two places and with their exact difference.

    Parameters
    ----------
    here, there : float or ndarray
        The values.
    step : float or ndarray
        ``there - here``, without cancellation however close the places are.
    """

    __array_ufunc__ = None          # a number or a column of numpy on the left leaves the operation to this class

    def __init__(self, here, there, step):
        self.here, self.there, self.step = here, there, step

    def __add__(self, other):
        if isinstance(other, TwoPlaces):
            return TwoPlaces(self.here + other.here, self.there + other.there, self.step + other.step)
        return TwoPlaces(self.here + other, self.there + other, self.step)

    def __mul__(self, other):
        if isinstance(other, TwoPlaces):
            return TwoPlaces(self.here * other.here, self.there * other.there,
                             self.step * other.here + self.there * other.step)
        return TwoPlaces(self.here * other, self.there * other, self.step * other)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return TwoPlaces(-self.here, -self.there, -self.step)

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        if isinstance(other, TwoPlaces):
            return NotImplemented
        return TwoPlaces(self.here / other, self.there / other, self.step / other)

    def __pow__(self, power):
        if not isinstance(power, int) or power < 1:
            return NotImplemented
        step = self.step
        for k in range(1, power):
            step = step * self.there + self.here**k * self.step
        return TwoPlaces(self.here**power, self.there**power, step)

    def __array__(self, *_, **__):
        raise TypeError("numpy has no numbers at two places")


#: part of its size below which a mean without shift is zero: the rounding of sums of some hundred terms
FLOOR = 16 * np.finfo(float).eps
#: the smallest normal number: no size is less
TINY = np.finfo(float).tiny
#: part of the largest square of a function that is the mean square of its rounding: up to 3 roundings of a square
NOISE = 8 * np.finfo(float).eps ** 2
#: offset over slope up to which the shift is moved to the weight: there it changes no integrand by more than a factor
#: exp(1), and beyond it one digit cancels at most
NEAR = 0.1
#: part of the function below which a row of means is checked for being rounding alone
SMALL = 1e-12
#: part of the largest square down to which what is left of one counts, and rounding of a function in units of the
#: accuracy of rules
UNKNOWN, ROOTS = 1e-15, 0.03
#: multiple of the logarithm of the number of rows: modulo 1 it is far from that of the next finer rule, which has 1.2
#: to 1.5 times as many
SHARE = 1.4


class Rows:
    """The rows of one call of :func:`normal_means`; arguments as there, ``floors`` for the parity of the function, a
    column of ``shares``."""

    def __init__(self, function, offset, slope, functional, floors=None, shares=0.0):
        self.function, self.offset, self.slope, self.functional = function, offset, slope, functional
        self.floors, self.shares = floors, shares
        self.near = (np.abs(offset) <= NEAR * slope) & (offset != 0.0)
        self._square_sizes = None

    @property
    def square_sizes(self):
        """Largest square of the function within three widths of each row."""
        if self._square_sizes is None:
            around = self.offset[:, None] + self.slope * np.arange(-3.0, 4.0)
            self._square_sizes = np.max(self.function(around) ** 2, axis=1)
        return self._square_sizes

    def sums(self, rule, squares=None):
        """Sum all items by the rules of one set of nodes.

        Parameters
        ----------
        rule : Lattice or Panels
        squares : list of bool, optional
            True for items that are squares, if known; sizes are then left out (smooth functions only).

        Returns
        -------
        values, sizes : ndarray, shape (items, rows, rules)
            The sums, and those of absolute values (of the terms, where the shift is in the weight); for squares with
            the rounding of the roots of terms.
        squares : list of bool
            True for items that are nowhere negative for either sign of the function: it and z times it are not.
        """
        sized, parts = squares is None, []
        if self.near.any():
            part = rule.near()
            parts += [(rows, *self._shifted(rows, part, sized)) for rows in _groups(self.near, rule)]
        parts += [(rows, *self._direct(rows, rule.at(self.offset[rows]), sized)) for rows in _groups(~self.near, rule)]
        shape = (len(parts[0][1]), self.offset.size, np.shape(parts[0][1][0])[-1])
        values, sizes = np.empty(shape), np.empty(shape)
        for rows, v, s, _ in parts:
            values[:, rows] = v
            if sized:
                sizes[:, rows] = s
        if sized:
            squares = [all(p[3][k] for p in parts) for k in range(shape[0])]
        for k, is_square in enumerate(squares):
            if is_square:       # the rounding of s makes an error of this size in a mean square
                least = NOISE * self.square_sizes[:, None]
                values[k][values[k] <= least] = 0.0
                if np.any(values[k]):           # zero is exact for linear functions only
                    values[k] += least * self.shares
        return values, sizes, squares

    @property
    def _rounding(self):
        """Rounding of the function, which may be a sum that cancels, in units of the accuracy of rules."""
        return ROOTS * np.sqrt(np.max(self.square_sizes))

    def scales(self, values, sizes, squares):
        """Return the scales of errors, of shape (items, rows, 1) for ``sizes`` of shape (items, rows)."""
        scales, least = np.empty_like(sizes), self.square_sizes
        for k, is_square in enumerate(squares):
            # numbers below the square of a rounding of s are unknown, for squares and for odd moments of one
            if is_square:       # what is left of a variance may be divided by a penalty as small as that
                s = np.maximum(sizes[k], UNKNOWN * np.maximum(self._inward_maximum(sizes[k]), least))
            else:
                s = np.maximum(sizes[k], 1e-3 * self._inward_maximum(sizes[k]))
                s = np.maximum(s, 1e-17 * np.minimum(least, np.sqrt(least)))
            scales[k] = np.maximum(s, TINY)
        return scales

    def _inward_maximum(self, sizes):
        """Return for every row the largest size among the rows nearer to the centre on its side."""
        out = np.empty_like(sizes)
        order = np.argsort(np.abs(self.offset), kind="stable")
        for side in (self.offset >= 0.0, self.offset < 0.0):
            rows = order[side[order]]
            out[rows] = np.maximum.accumulate(sizes[rows])
        return out

    def without_rounding(self, values, rule, squares):
        """Set means below their own rounding in every row to zero; an array for each item, by one rule.

        Such are the second-order means of linear functions; quotients by them would be arbitrary.
        """
        small = SMALL * np.sqrt(np.max(self.square_sizes))
        doubtful = [k for k, v in enumerate(values) if not squares[k] and 0.0 < np.max(np.abs(v)) <= small
                    and (self.floors is None or self.floors[k] >= 0.0)]
        if doubtful:
            sizes = self._term_sizes(rule)
            for k in doubtful:
                if np.all(np.abs(values[k]) <= FLOOR * sizes[k]):
                    values[k][:] = 0.0
        return values

    def _term_sizes(self, rule):
        """Average the absolute values of the terms; where the shift is in the weight, of the separated ones."""
        found = {}
        for rows in _groups(self.near, rule):
            part = rule.near()
            s, shift, growth, at = self._beside(rows, part)
            found[tuple(rows)] = [part.total(np.abs(f1 * growth + change))
                                  for _, f1, change in self._at_both(part.nodes, shift, s, at)]
        for rows in _groups(~self.near, rule):
            found[tuple(rows)] = self._direct(rows, rule.at(self.offset[rows]), True)[1]
        sizes = np.empty((len(next(iter(found.values()))), self.offset.size))
        for rows, parts in found.items():
            sizes[:, rows] = np.array(parts)[..., -1]
        return sizes

    def _beside(self, rows, part):
        """Return values without offset, offsets in widths, the change of the weight, and a picker of columns."""
        shift = (self.offset[rows] / self.slope)[:, None]

        def at(column):
            return np.asarray(column)[rows][:, None]

        z = part.nodes
        return self.function(self.slope * z), shift, np.expm1(shift * z - 0.5 * shift**2), at

    def _shifted(self, rows, part, sized):
        z0 = part.nodes
        s, shift, growth, at = self._beside(rows, part)
        values, sizes, positive, rounded = [], [], [], sized and self._rounding
        for item, (f0, f1, change) in enumerate(self._at_both(z0, shift, s, at)):
            scale = part.total(np.abs(f1) * (1.0 + growth))
            is_positive = bool(np.min(f1) >= 0.0)
            positive.append(is_positive)
            if is_positive:
                # a square is summed as it is: where its value at no shift is far larger, separating it costs digits
                values.append(scale)
                sizes.append(scale + rounded * part.roots(f1 * (1.0 + growth) ** 2) if sized else scale)
                continue
            centre = part.total(np.broadcast_to(f0, growth.shape))
            size = part.total(np.broadcast_to(np.abs(f0), growth.shape))
            floor = self.floors[item] if self.floors else FLOOR
            if floor >= 0.0:
                centre = np.where(np.abs(centre) <= floor * np.maximum(size, TINY), 0.0, centre)
            values.append(centre + part.total(f1 * growth + change))
            # terms that are separated and added again leave their rounding (an odd moment of a residual that vanishes)
            sizes.append(np.maximum(scale, 0.01 * size))
        return values, sizes, self._squares(positive, z0 - shift, s, at) if sized else None

    def _squares(self, positive, z, s, at):
        """Return which of the items that are nowhere negative stay so for the negated function."""
        if not np.any(positive):
            return [False] * len(positive)
        return [bool(p) and bool(np.min(f) >= 0.0) for p, f in zip(positive, self.functional(z, -s, at))]

    def _at_both(self, z, shift, s, at):
        """Return the items at z, at z - shift, and their difference."""
        try:
            items = self.functional(TwoPlaces(z, z - shift, -shift), s, at)
        except TypeError:                       # of functionals that are no polynomials
            pairs = zip(self.functional(z, s, at), self.functional(z - shift, s, at))
            return [(f0, f1, f1 - f0) for f0, f1 in pairs]
        return [(f.here, f.there, f.step) if isinstance(f, TwoPlaces) else (f, f, 0.0) for f in items]

    def _direct(self, rows, part, sized):
        offset = self.offset[rows]
        s = self.function(offset[:, None] + self.slope * part.nodes)

        def at(column):
            return np.asarray(column)[rows][:, None]

        items = self.functional(part.nodes, s, at)
        terms = np.empty((len(items), *s.shape))
        for row, f in zip(terms, items):
            row[...] = f
        values, sizes, square = part.total(terms), None, None
        if sized:
            square = self._squares(terms.min(axis=(1, 2)) >= 0.0, part.nodes, s, at)
            sizes = part.total(np.abs(terms))
            for k in np.flatnonzero(square):
                sizes[k] += self._rounding * part.roots(terms[k])
        centre = np.flatnonzero(offset == 0.0) if self.slope else ()
        if len(centre):
            size = sizes[:, centre] if sized else part.total(np.abs(terms[:, centre]))
            middle = values[:, centre]
            floors = np.reshape(self.floors or [FLOOR] * len(items), (-1, 1, 1))
            values[:, centre] = np.where(np.abs(middle) <= floors * np.maximum(size, TINY), 0.0, middle)
        return values, sizes, square


def _groups(mask, rule):
    """Split the rows of a mask into index arrays, small enough for their values."""
    rows = np.nonzero(mask)[0]
    width = max(1, rule.most // max(1, rule.count))
    return [rows[k:k + width] for k in range(0, rows.size, width)]


#: nodes of one row at most: twice those of the finest lattice at the usual cut-off
_MAX_NODES = 60_000
#: largest step, in the argument of a function, of a lattice that sees it; steeper ones have panels around argument 0
_VISIBLE = 1.0
#: changes of the last lattice within which means on panels agree with it, and levels of these
_DOUBT, _FEW = 10.0, 4


def normal_means(function, offset, slope, functional, signs=None, pairs=None, floors=None, shares=None):
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
    shares : ndarray, shape (K,), optional
        Which part of the largest rounding of a mean square is added to it in each row; by default one number for the
        rows of each outer rule.

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
    shares = _shares(offset) if shares is None else shares
    mirror = signs and signs.get(getattr(function, "form_parity", 0))
    if mirror and offset.size > 1:
        first, back, opposite = pairs or opposite_pairs(offset)
        if first.size < offset.size:
            values, error = normal_means(function, offset[first], slope, _picked(functional, first),
                                         floors=floors, shares=shares[first])
            return [np.where(opposite, sign * v[back], v[back]) for sign, v in zip(mirror, values)], error
    with np.errstate(all="ignore"):
        rows = Rows(function, offset, slope, functional, (floors or {}).get(getattr(function, "form_parity", 0)),
                    shares[:, None])
        kinks = np.asarray(function.kinks_float, dtype=float)
        if kinks.size and slope > 0.0:
            return _on_panels(rows, kinks)
        if slope * Lattice.fine_step(CUTS[0], slope) > _VISIBLE:
            found = _on_panels(rows, np.zeros(1))       # it may turn beside argument zero only
            return found if found[1] <= 1e-12 else _on_lattices(rows, _probe(rows))
        found = _on_lattices(rows, _probe(rows))
        if found[1] <= 1e-12 or not found[1] < 1.0:
            return found
        finer = _on_panels(rows, np.zeros(1), _FEW)     # the lattice, too coarse, sees what may turn elsewhere
        is_same = all(np.max(np.abs(a - b)) <= _DOUBT * found[1] * np.max(np.abs(a))
                      for a, b in zip(found[0], finer[0]))
        return finer if finer[1] <= 1e-12 and is_same else found


def _shares(offset):
    """Return numbers between 0 and 1, one for the rows of each of several outer rules, each monotonic.

    Digits of mean squares that nobody knows differ so from rule to rule: the change of a solution under refinement
    shows what they are worth in it, as where a small penalty divides them (stochastic arithmetic).
    """
    steps = np.diff(offset)
    ends = np.flatnonzero(steps * (offset[-1] - offset[0]) < 0.0) + 1
    sizes = np.diff(ends, prepend=0, append=offset.size)
    return np.repeat(SHARE * np.log(sizes) % 1.0, sizes)


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


def _on_panels(rows, kinks, levels=PANEL_LEVELS):
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
        if level == levels or rule.count > _MAX_NODES:
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
