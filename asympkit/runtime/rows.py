"""Rows of conditional means that differ by their offsets (numpy only; copied into generated modules).

Means near offset 0 are split into the value there and the increment, which polynomials at two places give without
cancellation.
"""

import numpy as np

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
#: offset over slope up to which the shift is moved to the weight: there it changes no integrand by more than a factor
#: exp(1), and beyond it one digit cancels at most
NEAR = 0.1
#: part of the function below which a row of means is checked for being rounding alone
SMALL = 1e-12
#: values in memory at a time: 16 MB
_CHUNK = 2_000_000


class Rows:
    """The rows of one call of :func:`normal_means`; arguments as there, ``floors`` for the parity of the function."""

    def __init__(self, function, offset, slope, functional, floors=None):
        self.function, self.offset, self.slope, self.functional = function, offset, slope, functional
        self.floors = floors
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
            The sums, and those of absolute values (of the terms, where the shift is in the weight).
        squares : list of bool
            True for items that are nowhere negative for either sign of the function: it and z times it are not.
        """
        sized, parts, count = squares is None, [], rule.count
        if self.near.any():
            part = rule.near()
            parts += [(rows, *self._shifted(rows, part, sized)) for rows in _groups(self.near, count)]
        parts += [(rows, *self._direct(rows, rule.at(self.offset[rows]), sized)) for rows in _groups(~self.near, count)]
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
                least = FLOOR**2 * self.square_sizes[:, None]
                values[k][np.abs(values[k]) <= least] = 0.0
        return values, sizes, squares

    def scales(self, values, sizes, squares):
        """Return the scales of errors, of shape (items, rows, 1) for ``sizes`` of shape (items, rows)."""
        scales, least = np.empty_like(sizes), self.square_sizes
        for k, is_square in enumerate(squares):
            s = np.maximum(sizes[k], 1e-3 * self._inward_maximum(sizes[k]))
            # numbers below the square of a rounding of s are unknown, for squares and for odd moments of one
            if is_square:
                s = np.maximum(s + 0.03 * np.sqrt(s * least), 1e-24 * least)
            else:
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
        for rows in _groups(self.near, rule.count):
            part = rule.near()
            s, shift, growth, at = self._beside(rows, part)
            found[tuple(rows)] = [part.total(np.abs(f1 * growth + change))
                                  for _, f1, change in self._at_both(part.nodes, shift, s, at)]
        for rows in _groups(~self.near, rule.count):
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
        values, sizes, positive = [], [], []
        for item, (f0, f1, change) in enumerate(self._at_both(z0, shift, s, at)):
            scale = part.total(np.abs(f1) * (1.0 + growth))
            is_positive = bool(np.min(f1) >= 0.0)
            positive.append(is_positive)
            if is_positive:
                # a square is summed as it is: where its value at no shift is far larger, separating it costs digits
                values.append(scale)
                sizes.append(scale)
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
        centre = np.flatnonzero(offset == 0.0) if self.slope else ()
        if len(centre):
            size = sizes[:, centre] if sized else part.total(np.abs(terms[:, centre]))
            middle = values[:, centre]
            floors = np.reshape(self.floors or [FLOOR] * len(items), (-1, 1, 1))
            values[:, centre] = np.where(np.abs(middle) <= floors * np.maximum(size, TINY), 0.0, middle)
        return values, sizes, square


def _groups(mask, nodes):
    """Split the rows of a mask into index arrays, small enough for their nodes to fit in memory."""
    rows = np.nonzero(mask)[0]
    width = max(1, _CHUNK // max(1, nodes))
    return [rows[k:k + width] for k in range(0, rows.size, width)]
