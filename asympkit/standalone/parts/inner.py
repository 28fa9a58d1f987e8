"""Averages over an inner normal variable, at every node of an outer one (copied into standalone modules)."""

import numpy as np

from .rules import panels

#: part of its size below which an average may be the rounding of zero, and cut-offs of the normal weight
ROUNDING_OF_MEANS, CUTS = 16 * 2.0**-52, (9.5, 13.0, 18.0, 25.0, 37.0)


class Inner:
    """Averages over z of functionals of z and ``s = function(offset + slope*z)``, for an array of offsets.

    Panels, split at the images of kinks, become finer until two sets of nodes agree.  Where the offset is small the
    shift is in the weight, and the value without shift is kept apart: small means keep their relative accuracy.
    """

    def __init__(self, function, kinks, offset, slope):
        near = (np.abs(offset) <= 0.1 * slope) & (slope > 0.0)
        self.function, self.kinks, self.slope, self.samples = function, kinks, slope, {}
        self.base = np.where(near, 0.0, offset)[:, np.newaxis]
        self.shift = np.where(near, offset / slope, 0.0)[:, np.newaxis]

    def sampled(self, level, cut):
        """Return nodes, weights, values, and the change of the weights by the shift."""
        if (level, cut) not in self.samples:
            edges = np.linspace(-cut, cut, int(2.0 * cut * max(1.0, self.slope) * 1.4**level) + 2)
            if self.kinks and self.slope:
                images = np.clip((np.array(self.kinks) - self.base) / self.slope, -cut, cut)
                edges = np.sort(np.hstack([np.broadcast_to(edges, (images.shape[0], edges.size)), images]))
            z, weights = panels(edges, 16)
            growth = np.expm1(self.shift * z - 0.5 * self.shift**2) if self.shift.any() else 0.0
            self.samples[level, cut] = z, weights, self.function(self.base + self.slope * z), growth
        return self.samples[level, cut]

    def sums(self, functional, floors, level, cut):
        """Return averages, the sizes that errors are measured by, and the largest part of one at the cut-off."""
        z, weights, s, growth = self.sampled(level, cut)
        values, sizes, ends, square = [], [], [0.0], np.max(np.where(np.abs(z) < 3.0, s * s, 0.0), axis=1)
        plain, shifted = functional(z, s), functional(z - self.shift, s)
        for f0, f1, floor in zip(plain, shifted, floors):
            f0, terms = np.broadcast_to(f0, s.shape), weights * np.abs(f1) * (1.0 + growth)
            value = size = np.sum(np.broadcast_to(terms, s.shape), axis=1)
            ends.append(np.max((terms[..., 0] + terms[..., -1]) / (size + 1e-17 * np.sqrt(square) + 1e-300)))
            if f1 is not s and np.all(f1 >= 0.0):     # below the rounding of s a square is nothing
                value = np.where(size <= ROUNDING_OF_MEANS**2 * square, 0.0, size)
                size = np.maximum(size + 0.03 * np.sqrt(size * square), 1e-24 * square)
            else:
                part = np.where(self.base[:, 0] == 0.0, floor, -1.0 if self.slope else ROUNDING_OF_MEANS)
                centre, whole = np.sum(weights * f0, axis=1), np.sum(weights * np.abs(f0), axis=1)
                value = np.where(np.abs(centre) <= part * whole, 0.0, centre)
                if self.shift.any():
                    change = weights * (f1 * growth + (f1 - f0))
                    small = np.sum(np.abs(change), axis=1) + 0.01 * whole
                    size, value = np.where(self.shift[:, 0] == 0.0, size, small), value + np.sum(change, axis=1)
            values.append(value)
            sizes.append(np.where(np.isnan(floor), np.inf, size + 1e-17 * np.sqrt(square) + 1e-300))
        return np.array(values), np.array(sizes), max(ends)

    def __call__(self, functional, floors):
        """Return averages; without offset 0 below the parts ``floors`` of their sizes, and a rough one where that is
        NaN."""
        for cut in CUTS:
            before, _, end = self.sums(functional, floors, 0, cut)
            if end <= 1e-18:
                break
        error = np.inf
        for level in range(1, 8):
            values, sizes, _ = self.sums(functional, floors, level, cut)
            error, last = np.max(np.abs(values - before) / sizes), error
            if error <= 1e-14 or (error <= 1e-12 and error > 0.6 * last):
                return values
            before = values
        raise ValueError(f"averages of {self.function.__name__}: the finest rules differ by {error:.1e} of their size: "
                         "asympkit's precise() has the digits")


def check_direction(weights, mean, size, shift, vanishes):
    """Refuse a mean below its rounding: its direction counts.  One that ``vanishes`` has only that of its shift."""
    size, rounding = weights @ np.abs(mean), weights @ (size * (shift if vanishes else 1.0))
    is_zero = vanishes and size == 0.0 and not np.any(shift)
    if not is_zero and not (size > 1e-145 and 2.0**-51 * rounding <= 1e-9 * size):
        raise ValueError("solve: a mean of which only the direction counts is below the rounding of double precision, "
                         "or too near to it: asympkit's precise() has the digits")
