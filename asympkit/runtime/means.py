"""Conditional Gaussian means of functions of an activation (numpy only; copied into generated modules).

Smooth functions take lattices of several steps at once, those with kinks take panels around these; both are refined
until two rules agree.  Rows are means that differ by their offsets: near offset 0 they are split into the value there
and the increment, which polynomials at two places give without cancellation.
"""

import numpy as np

from .lattices import CUTS, LATTICE_LEVELS, PANEL_LEVELS, Lattice, Panels, fine_kinks
from .rules import NoCommonRule, opposite_pairs

__all__ = ["TwoPlaces"]


class TwoPlaces:
    """Evaluate a polynomial expression of a variable at two places, with the exact difference.

    ``here`` and ``there`` are the values, ``step`` is ``there - here``, without cancellation however close the places
    are.
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
#: values at a time of several points, and how far, relative to sizes, their outer means may be from a finer rule's
_OF_POINTS = 36_000, 1e-12
#: multiple of the logarithm of the number of rows: modulo 1 it is far from that of the next of 1.2 to 1.5 times as many
SHARE = 1.4


class Rows:
    """The rows of one call of :func:`normal_means`, with its arguments.

    ``floors`` are for the parity of the function, ``shares`` a column; ``pick`` and ``points`` the
    places of rows, and of their points, in what functionals pick from.
    """

    def __init__(self, function, offset, slope, functional, floors=None, shares=0.0, pick=None, points=None):
        self.function, self.offset, self.slope, self.functional = function, offset, slope, functional
        self.floors, self.shares, self.pick, self.points = floors, shares, pick, points
        self._square_sizes = None

    def of(self, points, rows):
        """Return some of the rows of some of several points, or some of the rows of one."""
        return self._of(self.offset[rows] if self.offset.ndim == 1 else self.offset[points][:, rows], points, rows)

    def of_points(self, points):
        """Return all rows of some of several points."""
        numbers = points if self.points is None else self.points[points]
        pick = np.arange(self.offset.shape[-1]) if self.pick is None else self.pick
        return Rows(self.function, self.offset[points], self.slope if np.ndim(self.slope) == 0 else self.slope[points],
                    self.functional, self.floors, self.shares, pick, numbers)

    def _of(self, offset, points, rows):
        pick, slope = rows if self.pick is None else self.pick[rows], self.slope
        if self.offset.ndim == 1:
            points = None if self.points is None else self.points[rows]
            return Rows(self.function, offset, slope, self.functional, self.floors, pick=pick, points=points)
        slope = slope if np.ndim(slope) == 0 else slope[points]
        numbers = np.arange(len(self.offset)) if self.points is None else self.points
        return Rows(self.function, offset, slope, self.functional, self.floors, pick=pick, points=numbers[points])

    def _parts(self, rule, near):
        """Yield numbers and values of rows whose shifts are near 0, or of the others, few enough for a cache."""
        is_near = (np.abs(self.offset) <= NEAR * self.slope) & (self.offset != 0.0)
        numbers, count = np.flatnonzero(is_near == near), self.offset.shape[-1]
        most = rule.most if self.offset.ndim == 1 else getattr(self.functional, "of_points", _OF_POINTS)[0]
        width = max(1, most // max(1, rule.count))
        for k in range(0, numbers.size, width):
            some = numbers[k:k + width]
            yield some, self._of(self.offset.reshape(-1)[some], *np.divmod(some, count))

    def _at(self, column):
        """Pick the entries of a column, or of a number of each point, that belong to the rows; one number is of all."""
        if np.ndim(column) == 2 and self.points is not None:
            return column[self.points] if column.shape[1] == 1 else column[self.points, self.pick][:, None]
        is_number = np.ndim(column) == 0 or np.shape(column)[-1] == 1
        return column if is_number else np.asarray(column)[self.pick][:, None]

    @property
    def square_sizes(self):
        """Largest square of the function within three widths of each row."""
        if self._square_sizes is None:
            around = self.offset[..., None] + np.asarray(self.slope)[..., None] * np.arange(-3.0, 4.0)
            self._square_sizes = np.max(self.function(around) ** 2, axis=-1)
        return self._square_sizes

    def sums(self, rule, squares=None):
        """Sum all items by the rules of one set of nodes, a Lattice or Panels.

        ``squares`` are True for items that are squares, if known; sizes are then left out (smooth functions only).
        Return the sums, shape (items, rows, rules), those of absolute values (of the terms, where the shift is in the
        weight; for squares with the rounding of the roots of terms), and which items are nowhere negative for either
        sign of the function: it and z times it are not.
        """
        sized, parts = squares is None, []
        rounded = self._rounding if sized else None
        for numbers, part in self._parts(rule, False):
            parts.append((numbers, *part._direct(rule.at(part.offset, part.slope), rounded)))
        for numbers, part in self._parts(rule, True):
            parts.append((numbers, *part._shifted(rule.near(part.slope), rounded)))
        shape = len(parts[0][1]), self.offset.size, np.shape(parts[0][1][0])[-1]
        values, sizes = np.empty(shape), np.empty(shape)
        for numbers, v, s, _ in parts:
            values[:, numbers] = v
            if sized:
                sizes[:, numbers] = s
        values, sizes = (x.reshape(shape[0], *self.offset.shape, shape[-1]) for x in (values, sizes))
        if sized:
            squares = [all(p[3][k] for p in parts) for k in range(shape[0])]
        for k, is_square in enumerate(squares):
            if is_square:       # the rounding of s makes an error of this size in a mean square
                least = NOISE * self.square_sizes[..., None]
                values[k][values[k] <= least] = 0.0
                if np.any(values[k]) or self._bends:            # zero is exact for linear functions only
                    values[k] += least * self.shares
        return values, sizes, squares

    @property
    def _bends(self):
        """Return whether the function is not linear where the rows are, by differences of few values."""
        ends = np.min(self.offset - 3.0 * self.slope), np.max(self.offset + 3.0 * self.slope)
        values = self.function(np.linspace(*ends, 10))
        return bool(np.max(np.abs(np.diff(values, 2))) > FLOOR * np.max(np.abs(values)))

    @property
    def _rounding(self):
        """Rounding of the function, which may be a sum that cancels, in units of the accuracy of rules."""
        return ROOTS * np.sqrt(np.max(self.square_sizes))

    def scales(self, values, sizes, squares):
        """Return the scales of errors for ``sizes`` of shape (items, rows), or (items, points, rows)."""
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
        """Return for every row the largest size among the rows of its point nearer to the centre on its side."""
        out, order = np.empty_like(sizes), np.argsort(np.abs(self.offset), axis=-1, kind="stable")
        ordered, is_left = (np.take_along_axis(x, order, -1) for x in (sizes, self.offset < 0.0))
        right, left = (np.maximum.accumulate(np.where(is_left == k, ordered, 0.0), axis=-1) for k in (False, True))
        np.put_along_axis(out, order, np.where(is_left, left, right), -1)
        return out

    def without_rounding(self, values, rule, squares):
        """Set means below their own rounding in every row of a point to zero; an array for each item, by one rule.

        Such are the second-order means of linear functions; quotients by them would be arbitrary.
        """
        small = SMALL * np.sqrt(np.max(self.square_sizes, axis=-1))
        largest = [np.max(np.abs(v), axis=-1) for v in values]
        doubtful = [k for k, v in enumerate(largest) if not squares[k] and np.any((v > 0.0) & (v <= small))
                    and (self.floors is None or self.floors[k] >= 0.0)]
        if doubtful:
            sizes = self._term_sizes(rule)
            for k in doubtful:
                is_rounding = (largest[k] <= small) & np.all(np.abs(values[k]) <= FLOOR * sizes[k], axis=-1)
                values[k][is_rounding] = 0.0
        return values

    def _term_sizes(self, rule):
        """Average the absolute values of the terms; where the shift is in the weight, of the separated ones."""
        sizes = []
        for numbers, part in self._parts(rule, False):
            sizes.append((numbers, part._direct(rule.at(part.offset, part.slope), 0.0)[1]))
        for numbers, part in self._parts(rule, True):
            own = rule.near(part.slope)
            s, shift, growth = part._beside(own)
            sizes.append((numbers, [own.total(np.abs(f1 * growth + change))
                                    for _, f1, change in part._at_both(own.nodes, shift, s)]))
        found = np.empty((len(sizes[0][1]), self.offset.size))
        for numbers, own in sizes:
            found[:, numbers] = np.array(own)[..., -1]
        return found.reshape(-1, *self.offset.shape)

    def _beside(self, rule):
        """Return values without offset, offsets in widths, and the change of the weight."""
        shift, z = self.offset[:, None] / self.slope, rule.nodes
        return self.function(self.slope * z), shift, np.expm1(shift * z - 0.5 * shift**2)

    def _shifted(self, rule, rounded):
        """Return sums of all items with the shift in the weight, and their sizes, if ``rounded`` is a number."""
        s, shift, growth = self._beside(rule)
        values, sizes, positive = [], [], []
        for item, (f0, f1, change) in enumerate(self._at_both(rule.nodes, shift, s)):
            scale = rule.total(np.abs(f1) * (1.0 + growth))
            is_positive = bool(np.min(f1) >= 0.0)
            positive.append(is_positive)
            if is_positive:
                # a square is summed as it is: where its value at no shift is far larger, separating it costs digits
                values.append(scale)
                sizes.append(scale if rounded is None else scale + rounded * rule.roots(f1 * (1.0 + growth) ** 2))
                continue
            centre = rule.total(np.broadcast_to(f0, growth.shape))
            size = rule.total(np.broadcast_to(np.abs(f0), growth.shape))
            floor = self.floors[item] if self.floors else FLOOR
            if floor >= 0.0:
                centre = np.where(np.abs(centre) <= floor * np.maximum(size, TINY), 0.0, centre)
            values.append(centre + rule.total(f1 * growth + change))
            # terms that are separated and added again leave their rounding (an odd moment of a residual that vanishes)
            sizes.append(np.maximum(scale, 0.01 * size))
        return values, sizes, None if rounded is None else self._squares(positive, rule.nodes - shift, s)

    def _squares(self, positive, z, s):
        """Return which of the items that are nowhere negative stay so for the negated function."""
        if not np.any(positive):
            return [False] * len(positive)
        return [bool(p) and bool(np.min(f) >= 0.0) for p, f in zip(positive, self.functional(z, -s, self._at))]

    def _at_both(self, z, shift, s):
        """Return the items at z, at z - shift, and their difference."""
        try:
            items = self.functional(TwoPlaces(z, z - shift, -shift), s, self._at)
        except TypeError:                       # of functionals that are no polynomials
            pairs = zip(self.functional(z, s, self._at), self.functional(z - shift, s, self._at))
            return [(f0, f1, f1 - f0) for f0, f1 in pairs]
        return [(f.here, f.there, f.step) if isinstance(f, TwoPlaces) else (f, f, 0.0) for f in items]

    def _direct(self, rule, rounded):
        """Do as :meth:`_shifted` with the shift in the function."""
        s, sized = self.function(self.offset[:, None] + self.slope * rule.nodes), rounded is not None
        terms = [np.broadcast_to(f, s.shape) for f in self.functional(rule.nodes, s, self._at)]
        values, sizes, square = np.stack([rule.total(f) for f in terms]), None, None
        if sized:
            square = self._squares([np.min(f) >= 0.0 for f in terms], rule.nodes, s)
            sizes = np.stack([rule.total(np.abs(f)) for f in terms])
            for k in np.flatnonzero(square):
                sizes[k] += rounded * rule.roots(terms[k])
        centre = np.flatnonzero((self.offset == 0.0) & (np.ravel(self.slope) != 0.0))
        if len(centre):
            size = sizes[:, centre] if sized else np.stack([rule.total_of(np.abs(f[centre]), centre) for f in terms])
            middle = values[:, centre]
            floors = np.reshape(self.floors or [FLOOR] * len(terms), (-1, 1, 1))
            values[:, centre] = np.where(np.abs(middle) <= floors * np.maximum(size, TINY), 0.0, middle)
        return values, sizes, square


#: nodes of one row at most: twice those of the finest lattice at the usual cut-off
_MAX_NODES = 60_000
#: largest step, in the argument of a function, of a lattice that sees it; steeper ones have panels around argument 0
_VISIBLE = 1.0
#: changes of the last lattice within which means on panels agree with it, and levels of these
_DOUBT, _FEW = 10.0, 4
#: change of means that is rounding
_ROUNDED = 2e-15
#: how many rules are tried for several points
_FINER = 3
#: ratio of slopes of points that share a rule, and how many these are at least
_SIMILAR, _GROUP = 1.4, 24
#: nodes of a lattice from which on only points share it whose slopes are at most so many times smaller than the largest
_LONG, _ALIKE = 400, 1.25


def normal_means(function, offset, slope, functional, signs=None, pairs=None, floors=None):
    r"""Compute means over z ~ N(0,1) of quantities ``functional(z, s, at)``, ``s = function(offset + slope z)``.

    Parameters
    ----------
    function : object
        Callable on arrays, with an attribute ``kinks_float``: its kinks.
    offset : ndarray, shape (K,) or (P, K)
        Of P points with slopes of shape (P, 1), or some of these with one slope; numbers of the points that the
        functional picks from have shape (P, 1), columns (P, K) or (K,).
    slope : float or ndarray, shape (P, 1)
        Non-negative.
    functional : callable
        ``functional(z, s, at)`` returns a tuple of arrays; ``at(column)`` picks the entries of a column
        (shape (K,)), or of a number of each point, that belong to the rows being computed.
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
        integrand does not decay within double precision.  NoCommonRule is raised for points that need their own nodes.

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
    offset, slope = np.asarray(offset, dtype=float), np.asarray(slope, dtype=float)
    if slope.size == 1:
        slope = float(slope.item())
    offset = np.broadcast_to(offset, np.broadcast_shapes(offset.shape, np.shape(slope)))
    parity, first = getattr(function, "form_parity", 0), None
    mirror = signs and signs.get(parity)
    shares = _shares(offset)
    if mirror and offset.shape[-1] > 1:
        first, back, opposite = pairs or opposite_pairs(offset)
        if first.size < offset.shape[-1]:
            offset, shares = offset[..., first], shares[first]
        else:
            first = None
    rows = Rows(function, offset, slope, functional, (floors or {}).get(parity), shares[:, None], first)
    with np.errstate(all="ignore"):
        values, error = _means_by_slope(rows, np.asarray(function.kinks_float, dtype=float))
    if first is None:
        return values, error
    return [np.where(opposite, sign * v[..., back], v[..., back]) for sign, v in zip(mirror, values)], error


def _means_by_slope(rows, kinks):
    """Return the means of all rows, and their error; of many points those of similar slopes share a rule."""
    slopes = np.ravel(rows.slope)
    if slopes.size < 2 * _GROUP or not np.min(slopes) > 0.0:
        return _means_of(rows, kinks)
    order = np.argsort(-slopes, kind="stable")
    steps = np.floor(np.log(slopes[order[0]] / slopes[order]) / np.log(_SIMILAR))
    starts = [0]
    for k in np.flatnonzero(np.diff(steps)) + 1:
        if min(k - starts[-1], slopes.size - k) >= _GROUP:
            starts.append(k)
    groups = np.split(order, starts[1:])
    return _in_groups(rows, groups, kinks) if len(groups) > 1 else _means_of(rows, kinks)


def _in_groups(rows, groups, kinks):
    """Return the means of all rows, and their error, of groups of points that share rules."""
    out, error, refused = None, 0.0, np.zeros(len(rows.offset), bool)
    for points in groups:
        try:
            means, change = _means_of(rows.of_points(points), kinks)
        except NoCommonRule as other:
            refused[points] = other.args[0]
            continue
        out, error = out or [np.empty(rows.offset.shape) for _ in means], max(error, change)
        for all_means, part in zip(out, means):
            all_means[points] = part
    if refused.any():
        raise NoCommonRule(refused)
    return out, error


def _means_of(rows, kinks):
    """Return the means of all rows, and their error, by the rules that suit the function."""
    slope, is_one = rows.slope, rows.offset.ndim == 1
    steepest = np.max(slope)
    unlike = (np.ravel(slope) > 0.0) != (steepest > 0.0)
    if unlike.any():
        raise NoCommonRule(unlike)
    if kinks.size and steepest > 0.0:
        return _on_panels(rows, kinks)
    if steepest * Lattice.fine_step(CUTS[0], steepest) > _VISIBLE:
        found = _on_panels(rows, np.zeros(1))       # it may turn beside argument zero only
        return found if found[1] <= 1e-12 or not is_one else _on_lattices(rows)
    found = _on_lattices(rows)
    if found[1] <= 1e-12 or not found[1] < 1.0 or not is_one:
        return found
    finer = _on_panels(rows, np.zeros(1), _FEW)     # the lattice, too coarse, sees what may turn elsewhere
    is_same = all(np.max(np.abs(a - b)) <= _DOUBT * found[1] * np.max(np.abs(a)) for a, b in zip(found[0], finer[0]))
    return finer if finer[1] <= 1e-12 and is_same else found


def _shares(offset):
    """Return numbers between 0 and 1, one for the rows of each of several outer rules, each monotonic.

    Digits of mean squares that nobody knows differ so from rule to rule: the change of a solution under refinement
    shows what they are worth in it, as where a small penalty divides them (stochastic arithmetic).
    """
    offset = offset.reshape(-1, offset.shape[-1])
    offset = offset[np.argmax(np.abs(offset[:, -1] - offset[:, 0]))]        # of the point where they spread most
    steps = np.diff(offset)
    ends = np.flatnonzero(steps * (offset[-1] - offset[0]) < 0.0) + 1
    sizes = np.diff(ends, prepend=0, append=offset.size)
    return np.repeat(SHARE * np.log(sizes) % 1.0, sizes)


def _hardest(rows):
    """Return the rows of the points with the largest slope, offsets, and offsets in widths of the weight."""
    if rows.offset.ndim == 1:
        return rows
    slopes, farthest = np.broadcast_to(np.ravel(rows.slope), len(rows.offset)), np.max(np.abs(rows.offset), axis=-1)
    points = np.unique([np.argmax(x) for x in (slopes, farthest, farthest / np.maximum(slopes, TINY))])
    return rows.of(points, np.arange(rows.offset.shape[-1]))


def _on_common_rule(rows, rules, level, squares):
    """Return the means of all rows by the rule of a level, for several points of a finer one if their means change."""
    for k in range(level, level + _FINER):
        values = rows.sums(rules(k), squares)[0]
        if rows.offset.ndim == 1:
            return values, rules(k)
        farthest = np.max(np.abs(rows.offset), axis=0)
        places = np.unique([np.argmin(farthest), farthest.size - 1 - np.argmax(farthest[::-1])])
        look = rows.of(slice(None), places)
        again, sizes, kinds = look.sums(rules(k + 1))
        change = np.abs(again - values[:, :, places]) / look.scales(again, sizes[..., 0], kinds)[..., None]
        is_close = np.max(change, axis=(0, 2, 3)) <= getattr(rows.functional, "of_points", _OF_POINTS)[1]
        if is_close.all():
            return values, rules(k)
    raise NoCommonRule(~is_close)


def _probe(rows):
    """Return one row of each interval of one width of the weight, or all rows."""
    rows, count = _hardest(rows), rows.offset.shape[-1]
    widest = np.atleast_2d(rows.offset)
    widest = widest[np.argmax(np.max(np.abs(widest), axis=-1))]
    if not np.all(rows.slope) or count < 4:
        return rows
    _, pick = np.unique(np.floor(widest / np.min(rows.slope)), return_index=True)
    return rows if 2 * pick.size > count else rows.of(slice(None), pick)


def _on_lattices(rows):
    """Compute means of a smooth function on a lattice chosen on a few rows, against one that resolves all features."""
    probe, steepest = _probe(rows), float(np.max(rows.slope))
    for cut in CUTS:
        values, sizes, squares = probe.sums(Lattice(cut, (0, 1), steepest, tail=True))
        reference = values[..., 2]
        scales = probe.scales(values, sizes[..., 2], squares)
        if np.max(sizes[..., 3] / scales, initial=0.0) <= 1e-16:
            break
    else:
        return _each(rows.sums(Lattice(CUTS[-1], (0,)))[0]), np.inf
    known, step = [values[..., 0], values[..., 1]], Lattice.fine_step(cut, steepest)
    before, level, error = np.inf, 0, _distance(known[0], reference, scales)
    while not _settled(error, before):
        level += 1
        if level == LATTICE_LEVELS or Lattice(cut, (level,)).count > _MAX_NODES:
            level -= 1
            break
        if level == len(known):
            known.append(probe.sums(Lattice(cut, (level,)))[0][..., 0])
        if Lattice.step(level) < 2.0 * step:
            reference = known[level - 1]
        before, error = error, _distance(known[level], reference, scales)
    if not error < np.inf:          # overflow: finer rules meet it too
        return _each(rows.sums(Lattice(cut, (0,)))[0]), np.inf
    if error > _ROUNDED and level + 1 < LATTICE_LEVELS:
        finer = known[level + 1] if level + 1 < len(known) else probe.sums(Lattice(cut, (level + 1,)))[0][..., 0]
        level += _distance(finer, reference, scales) < error        # the digits below 1e-13 are right too
    unlike = np.floor(np.log(steepest / np.ravel(rows.slope)) / np.log(_ALIKE))
    if np.any(unlike) and Lattice(cut, (level,)).count > _LONG:
        return _in_groups(rows, [np.flatnonzero(unlike == k) for k in np.unique(unlike)], np.zeros(0))
    values, rule = _on_common_rule(rows, lambda k: Lattice(cut, (k,)), level, squares)
    return rows.without_rounding(_each(values), rule, squares), error


def _on_panels(rows, kinks, levels=PANEL_LEVELS):
    """Compute means of a function with kinks, each row on panels of its own; of several points a few choose these."""
    some, kinks = _hardest(rows), fine_kinks(kinks, np.max(rows.slope))
    for cut in CUTS:
        values, sizes, squares = some.sums(Panels(kinks, cut, (0, 1), tail=True))
        scales = some.scales(values, sizes[..., 1], squares)
        if np.max(sizes[..., 2] / scales, initial=0.0) <= 1e-16:
            break
    else:
        return _each(values, 1), np.inf
    level, fine, before = 1, values[..., 1], np.inf
    error = _distance(fine, values[..., 0], scales)
    while not _settled(error, before):
        level += 1
        rule = Panels(kinks, cut, (level,))
        if level == levels or rule.count > _MAX_NODES:
            break
        coarse = fine
        values, sizes, _ = some.sums(rule)
        fine, scales = values[..., 0], some.scales(values, sizes[..., 0], squares)
        before, error = error, _distance(fine, coarse, scales)
    if some is not rows:
        fine = _on_common_rule(rows, lambda k: Panels(kinks, cut, (k,)), level, squares)[0][..., 0]
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
    return list(np.ascontiguousarray(values[..., rule]))
