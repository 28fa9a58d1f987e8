"""Evaluate the entropy of a label in arbitrary precision: lattices as in double precision, products of long integers.

Numbers are integers of fixed point. Matrices of them are multiplied by parts of few bits, whose products are exact in
doubles. Gaussians on lattices of equal steps follow by two recurrences from their centres outwards.
"""

import numpy as np

from ..errors import ConvergenceError
from ..gauss.quadrature.digits import legendre

#: bits of a part: sums of 2**17 products of parts are exact in doubles; guard bits of fixed point
_PART, _GUARD = 18, 40
#: by which factor a step shrinks that was too large, how often, and digits of the steps in double precision
_SHRINK, _TIMES, _USUAL = "0.7", 14, 15
#: most entries of a matrix, and points whose values are kept
_MOST, _POINTS = 8_000_000, 3


class EntropyInDigits:
    """Evaluate ``(mp, i, k, q, D)`` for a function with kinks, even or odd or not.

    ``f(mp)`` is the function for numbers of a context; ``steps(q, D)`` are the steps of field, u and y
    at which double precision is reached.
    """

    def __init__(self, f, kinks, has_parity, steps):
        self.f, self.kinks, self.has_parity, self.steps = f, kinks, has_parity, steps
        self.points = {}

    def __call__(self, mp, i, k, q, D):
        q, D = mp.convert(q), mp.convert(D)
        if not (0 <= q < 1 and D > 0):
            return mp.nan
        if (q, D, mp.prec) not in self.points:          # derivatives are wanted at one point together
            if len(self.points) > _POINTS:
                del self.points[next(iter(self.points))]
            self.points[q, D, mp.prec] = _AtPoint(self, mp, q, D)
        return self.points[q, D, mp.prec].value(i, k)


class _AtPoint:
    """Values at one point, and the lattices that they share."""

    def __init__(self, entropy, mp, q, D):
        self.at, self.values, self.lattices, self.mp = (entropy, mp, q, D), {}, None, mp
        more = mp.mpf(_USUAL) / max(mp.dps, _USUAL)
        powers = zip(entropy.steps(float(q), float(D)), (mp.sqrt(more), more, more))
        self.steps = [mp.mpf(s) * power for s, power in powers]

    def value(self, i, k):
        """Return (i, k) on lattices that are fine enough for it."""
        if (i, k) not in self.values:
            for _ in range(_TIMES):
                if self.lattices is None:
                    fine = _Lattice(*self.at, self.steps)
                    self.lattices = fine, _Lattice(*self.at, [2 * self.steps[0], *self.steps[1:]], 4, fine.low)
                found, missed = _mean(*self.lattices, i, k)
                if not any(missed):
                    self.values[i, k] = found
                    break
                self.steps = [s * self.mp.mpf(_SHRINK) if m else s for s, m in zip(self.steps, missed)]
                self.lattices = None
            else:
                raise _unresolved(*self.at[1:], "does not settle on finer lattices; move the parameters")
        return self.values[i, k]


def _unresolved(mp, q, D, why):
    return ConvergenceError(f"precise: the entropy of a label at the overlap {mp.nstr(q, 6)} and the noise "
                            f"{mp.nstr(D, 6)} {why}")


def _mean(fine, coarse, i, k):
    """Return the mean of (i, k), and whether the steps of the field, of u and of y are too large."""
    mp, terms, every = fine.mp, fine.terms(i, k), fine.weights
    rows = terms.sum(axis=1)
    value, size = every @ rows, every @ abs(terms).sum(axis=1)
    least = size // 10 ** (mp.dps // 2)
    change = 16 * (every[::4] @ (coarse.terms(i, k) - terms[::4, ::4]).sum(axis=1))
    thinner = 2 * (every[::2] @ rows[::2]), 2 * (every @ terms[:, ::2].sum(axis=1))
    factor = 1 if i == k == 0 else (-1) ** k / (2 * fine.V**i * fine.D**k)
    return mp.ldexp(value, -2 * fine.bits) * factor, (abs(change) > least, *(abs(t - value) > least for t in thinner))


class _Lattice:
    """Averages over x at all u and y, which the means share; ``stride`` takes every so many u and y, y from ``low``."""

    def __init__(self, entropy, mp, q, D, steps, stride=1, low=None):
        self.mp, self.bits, self.V, self.D = mp, mp.prec + _GUARD, 1 - q, D
        cut = mp.sqrt(2 * mp.ln(10) * (mp.dps + 4)) + 1
        rows = int(mp.ceil(cut / steps[1]))
        first = 0 if entropy.has_parity else -rows
        x, w = _field(mp, entropy.kinks, steps[0], cut)
        f = np.array(list(map(entropy.f(mp), x)), dtype=object)
        self.low = low = min(f) - cut * mp.sqrt(D) if low is None else low
        labels = int(mp.ceil((max(f) + cut * mp.sqrt(D) - low) / steps[2])) + 1
        if max(labels, rows - first) * len(x) > _MOST:
            raise _unresolved(mp, q, D, f"takes {labels} labels and {len(x)} values of the field; pass fewer digits")
        u = np.array(range(first, rows + 1, stride), dtype=object) * steps[1]
        count = len(range(0, labels, stride))
        root, noise = mp.sqrt(self.V), mp.sqrt(D)
        t, turn = (u[0] * mp.sqrt(q) - x) / root, stride * steps[1] * mp.sqrt(q) / root
        r, shift = (low - f) / noise, stride * steps[2] / noise
        self.kernel = self._gaussians(t, turn, len(u), w / mp.sqrt(2 * mp.pi) / root).T
        self.z = -(self._fixed(t)[None, :] + self._fixed([turn * n for n in range(len(u))])[:, None])
        self.density = self._gaussians(r, shift, count, 1 / mp.sqrt(2 * mp.pi * D) + 0 * f)
        self.r = self._fixed(r)[:, None] + self._fixed([shift * n for n in range(count)])[None, :]
        unit = steps[1] * steps[2] / mp.sqrt(2 * mp.pi) * (2 if entropy.has_parity else 1)
        self.weights = self._fixed([unit * mp.exp(-v * v / 2) for v in u])
        if entropy.has_parity:
            self.weights[0] //= 2
        self.known = {}

    def _fixed(self, numbers):
        mp, bits = self.mp, self.bits
        return np.array([int(mp.nint(mp.ldexp(v, bits))) for v in numbers], dtype=object)

    def _gaussians(self, t, step, count, factors):
        """Return ``factors * exp(-(t + step n)^2/2)`` for n below a count, a row for each t."""
        mp, bits = self.mp, self.bits
        centre = np.array([min(max(int(mp.nint(-v / step)), 0), count - 1) if step else 0 for v in t])
        at = t + step * centre
        start = self._fixed(factors * np.array([mp.exp(-v * v / 2) for v in at], dtype=object))
        ratio, out, every = self._fixed([mp.exp(-step * step)])[0], np.zeros((len(t), count), dtype=object), \
            np.arange(len(t))
        for direction in (1, -1):
            value = start
            rate = self._fixed([mp.exp(-direction * v * step - step * step / 2) for v in at])
            for n in range(count):
                place = centre + direction * n
                inside = (place >= 0) & (place < count) & (value > 0)
                if not inside.any():
                    break
                out[every[inside], place[inside]] = value[inside]
                value, rate = (value * rate) >> bits, (rate * ratio) >> bits
        return out

    def _sums(self, i, k):
        """Return the mean over x of ``z**i r**k`` times the density of a label, at all u and y."""
        if (i, k) not in self.known:
            kernel, density = self.kernel, self.density
            for _ in range(i):
                kernel = (kernel * self.z) >> self.bits
            for _ in range(k):
                density = (density * self.r) >> self.bits
            self.known[i, k] = _product(kernel, density, self.bits)
        return self.known[i, k]

    def terms(self, i, k):
        """Return the integrand of (i, k) at all u and y but for its factor."""
        here = self._sums(0, 0) > 1 << _GUARD // 2          # elsewhere there is no label
        P, sums = np.where(here, self._sums(0, 0), 1 << self.bits), self._sums
        if i == k == 0:
            mp, bits = self.mp, self.bits
            logs = self._fixed([mp.log(mp.ldexp(p, -bits)) for p in P.ravel()])
            return np.where(here, (P * logs.reshape(P.shape)) >> bits, 0)
        if i + k == 1:
            root = sums(i, k)
        elif i == k:
            root = sums(1, 1) - sums(1, 0) * sums(0, 1) // P
        else:
            root = sums(i, k) - sums(i // 2, k // 2) ** 2 // P - P
        return np.where(here, root**2 // P, 0)


def _field(mp, kinks, step, cut):
    """Return nodes and weights of the field: equal steps, or Gauss's rule on panels between kinks."""
    if not kinks:
        half = int(mp.ceil(cut / step))
        return np.array(range(-half, half + 1), dtype=object) * step, np.array([step] * (2 * half + 1), dtype=object)
    order = 16 + mp.dps
    points, weights = (np.array(v, dtype=object) for v in legendre(mp, order))
    edges, nodes, found = [-cut, *(mp.convert(k) for k in kinks), cut], [], []
    for low, high in zip(edges, edges[1:]):
        count = int(mp.ceil((high - low) / (order * step / 2)))
        half = (high - low) / (2 * count)
        for n in range(count):
            nodes.append(low + half * (2 * n + 1) + half * points)
            found.append(half * weights)
    return np.concatenate(nodes), np.concatenate(found)


def _product(left, right, bits):
    """Return the product of two matrices of integers over ``2**bits``, wrong in the last bits: by parts of few bits."""
    count = bits // _PART + 1
    parts = [[(m >> (_PART * n) if n == count - 1 else (m >> (_PART * n)) & (2**_PART - 1)).astype(float)
              for n in range(count)] for m in (left, right)]
    found, lowest = 0, max(0, (bits - 4 * _PART) // _PART)
    for power in range(lowest, 2 * count - 1):
        sums = sum((parts[0][n] @ parts[1][power - n]).astype(np.int64)
                   for n in range(max(0, power - count + 1), min(count, power + 1)))
        found = found + (sums.astype(object) << (_PART * power))
    return found >> bits
