"""A region around the real line on which the denominators of a theory are proved to have no zero.

The region is a row of cells ``[e_i, e_(i+1)] x [-s_i, s_i]``. Its height follows
``s(x) = top * max(1 - x**2/(2 L), 0.15)``: where the normal weight is already small a lower contour is
enough, so zeros in the far tail cost nothing.
"""

from math import ceil, log, pi, sqrt

import numpy as np

from .absolute import MARGIN
from .refusal import refusal
from .taylor import Taylor, TaylorMeans, order_for

__all__ = ["RegionCells", "Region"]

_LEAST = 1e-4           # a denominator is proved to stay above this
_LOWEST = 0.02
_HIGHEST = 6.0
_FARTHEST = 4.0         # in units of the inner normal variable
_DIVISIONS = 14
_HEIGHTS = 16           # of each cell at which zeros are looked for
_STEPS = 8              # of Newton's method from there
_BELOW_ZERO = 0.9       # how far a region is tried, of the height of the lowest zero found
_MOST = 8000            # cells


class RegionCells:
    """RegionCells of the outer variable on ``[-reach, reach]``.

    Parameters
    ----------
    reach, width : float
    top : float
        Height at the origin.
    digits : int
    edges : array, optional
        In the place of equal cells.

    Attributes
    ----------
    edges : array
    heights : array
    x : array
        Largest ``|Re|`` in each cell.
    mass : array
        Upper bounds of the normal weight of each cell.
    """

    def __init__(self, reach, width, top, digits, edges=None):
        count = ceil(reach / width)
        self.edges = width * np.arange(-count, count + 1) if edges is None else edges
        low, high = self.edges[:-1], self.edges[1:]
        self.x = np.maximum(np.abs(low), np.abs(high)) * MARGIN
        self.near = np.where(low * high < 0, 0.0, np.minimum(np.abs(low), np.abs(high))) / MARGIN
        self.heights = top * np.maximum(1 - self.near**2 / (2 * (digits + 2) * log(10)), 0.15)
        self.density = np.exp(-self.near**2 / 2) / sqrt(2 * pi) * MARGIN

    @property
    def mass(self):
        return np.diff(self.edges) * self.density * MARGIN


class Region:
    """Search for the highest row of cells that can be proved.

    Parameters
    ----------
    reach : float
    digits : int
    means : list of EnclosedMeans
        Those the denominators depend on.
    build : callable
        ``build({(id of means): models}, centres, radius)`` returns the denominators as Taylor models.
    estimate : callable
        ``estimate(tops)``: the steps of the outer rule that heights would allow without zeros.
    """

    def __init__(self, reach, digits, means, build, estimate):
        self.reach, self.digits, self.means, self.build = reach, digits, means, build
        steep = max([float(m.rate.abs_upper()) / float(m.slope.lower()) for m in means], default=0.0)
        self.width = min(0.5, 0.6 / steep) if steep else 0.5
        if 2 * reach / self.width > _MOST:
            raise refusal("certify: the inner averages of the denominators change too fast for a certificate: in "
                          f"f(a + r x + b z) the quotient r/b is {steep:.4g}, and at most "
                          f"{0.3 * _MOST / reach:.3g} is examined")
        self.spacing = self.width if steep * 2 * reach > 0.6 else 2.5 * reach
        self.count = ceil(reach / self.spacing) if self.spacing < reach else 0
        # far from its centre a Taylor model needs too many terms
        tops = np.geomspace(_LOWEST, min(_HIGHEST, _FARTHEST / steep) if steep else _HIGHEST, 60)
        top = float(tops[np.argmax(estimate(tops))])
        self.taylor = [TaylorMeans(m, self.spacing, self.count, order_for(steep * self._radius(top))) for m in means]
        self._place(top)
        top = self._promising(top)
        while top >= _LOWEST:
            self._place(top)
            self.least = self._proved()
            if self.least is not None:
                return
            top *= 0.9
        largest = max((float(np.max(m.size)) for m in self.models), default=0.0)
        raise refusal("certify: no region without zeros of the denominators is proved around the real line: they "
                      f"have zeros too near it, or they vary too much (up to {largest:.1e}) to be separated from "
                      "zero in double precision; move the parameters off the singular point, or scale the functions")

    def _radius(self, top):
        return sqrt(self.spacing**2 + top**2) if self.count else sqrt((self.reach + self.width) ** 2 + top**2)

    def _place(self, top):
        """Compute the cells of a given height, the centre each belongs to, and models on discs that hold the cells."""
        self.cells = cells = RegionCells(self.reach, self.width, top, self.digits)
        middle = (cells.edges[:-1] + cells.edges[1:]) / 2
        self.index = np.clip(np.rint(middle / self.spacing), -self.count, self.count).astype(int) + self.count
        self.centres = centres = self.spacing * np.arange(-self.count, self.count + 1)
        far = np.abs(middle - centres[self.index]) + self.width / 2
        self.radius = np.full(len(centres), 1e-3)
        np.maximum.at(self.radius, self.index, np.hypot(far, cells.heights) * (1 + 1e-6))
        node = Taylor(np.stack([centres, self.radius], axis=1), np.full(len(centres), 1e-14 * self.reach))
        self.models = self.build({id(t.inner): t.models(self.radius) for t in self.taylor}, node)

    def _promising(self, top):
        """Return a height a little below the lowest zero that Newton's method finds; a guess without proof."""
        cells, best = self.cells, 1.0
        middle = (cells.edges[:-1] + cells.edges[1:]) / 2
        k, cell = np.tile(self.index, _HEIGHTS), np.tile(np.arange(len(middle)), _HEIGHTS)
        z = middle[cell] + 1j * np.repeat(np.linspace(0, 1, _HEIGHTS), len(middle)) * cells.heights[cell]
        for model in self.models:
            p = np.broadcast_to(model.coefficients, (len(self.centres), model.coefficients.shape[1]))
            value, slope = _horner(p[k], (z - self.centres[k]) / self.radius[k])
            # points whose tangent has a zero close by
            near = np.abs(value) < np.abs(slope) / self.radius[k] * self.width * 2
            point, c, r, rows, home = z[near], self.centres[k][near], self.radius[k][near], p[k][near], cell[near]
            for _ in range(_STEPS):
                value, slope = _horner(rows, (point - c) / r)
                step = np.divide(value, slope, out=np.zeros_like(value), where=slope != 0) * r
                point = point - step * np.minimum(1, 0.3 / np.maximum(np.abs(step), 1e-300))
            y = np.abs(point.imag) / cells.heights[home]
            found = (np.abs(step) < 1e-6) & (np.abs(point.real - middle[home]) < self.width) & (y < 1)
            if found.any():
                best = min(best, _BELOW_ZERO * float(np.min(y[found])))
        return max(top * best, _LOWEST)

    def _proved(self):
        """Bound all denominators from below on all cells, or return None."""
        rows = []
        for model in self.models:
            row = _least(model, self.cells, self.index, self.centres, self.radius)
            if row is None:
                return None
            rows.append(row)
        return rows


def _least(model, cells, index, centres, radius):
    """Bound a model's absolute value from below on each cell (upper half), by division; None if one fails."""
    p, rest = np.broadcast_arrays(model.coefficients, np.zeros((len(centres), 1)))[0], np.broadcast_to(
        model.rest, len(centres))
    n = np.arange(p.shape[1])
    bend = np.sum(np.abs(p) * n * (n - 1), axis=1) / 2 * MARGIN
    slopes = np.sum(np.abs(p) * n, axis=1)
    # Horner's rule, twice, and the rounding of points far from zero on small discs
    noise = rest + 1e-15 * (8 + p.shape[1]) * (np.sum(np.abs(p), axis=1) + slopes) + 4e-15 * (
        cells.edges[-1] / radius + 1) * slopes
    if not np.all(np.isfinite(noise[np.unique(index)])):
        return None
    least = np.full(len(index), np.inf)
    low, high = cells.edges[:-1], cells.edges[1:]
    cell = np.arange(len(index))
    x, y, w, h = (low + high) / 2, cells.heights / 2, (high - low) / 2 * MARGIN, cells.heights / 2 * MARGIN
    for depth in range(_DIVISIONS):
        k = index[cell]
        t = (x - centres[k] + 1j * y) / radius[k]
        value, slope = _horner(p[k], t)
        r = np.hypot(w, h) / radius[k] * MARGIN
        bound = np.abs(value) - (np.abs(slope) * r + bend[k] * r**2 + noise[k]) * MARGIN
        good = bound >= np.maximum(0.25 * np.abs(value), _LEAST)
        if depth == _DIVISIONS - 1:
            good = bound >= _LEAST
        np.minimum.at(least, cell[good], bound[good])
        if depth == 0:
            typical = np.abs(value)
        if good.all():
            return least / MARGIN, typical
        hopeless = np.abs(value) < np.maximum(noise[k], _LEAST)
        if hopeless.any() or np.count_nonzero(~good) > 20000:
            return None
        cell, x, y, w, h = (a[~good] for a in (cell, x, y, w, h))
        wide = w >= h
        sx, sy = np.where(wide, w / 2, 0), np.where(wide, 0, h / 2)
        cell = np.concatenate([cell, cell])
        x, y = np.concatenate([x - sx, x + sx]), np.concatenate([y - sy, y + sy])
        w, h = np.tile(np.where(wide, w / 2, w), 2) * MARGIN, np.tile(np.where(wide, h, h / 2), 2) * MARGIN
    return None


def _horner(p, t):
    """Return values and derivatives of polynomials, one row for each point."""
    value, slope = np.zeros(len(t), complex), np.zeros(len(t), complex)
    for k in range(p.shape[1] - 1, -1, -1):
        slope = slope * t + value
        value = value * t + p[:, k]
    return value, slope

