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
#: most entries of a matrix
_MOST = 8_000_000


class EntropyInDigits:
    """Evaluate ``(mp, i, k, q, D)`` for a function with kinks, even or odd or not; ``f(mp)`` is it for numbers of a context.

    ``steps(q, D)`` are steps of the field, of u and of y at which double precision is reached.
    """

    def __init__(self, f, kinks, has_parity, steps):
        self.f, self.kinks, self.has_parity, self.steps = f, kinks, has_parity, steps
        self.known = None, [], {}

    def __call__(self, mp, i, k, q, D):
        q, D = mp.convert(q), mp.convert(D)
        if not (0 <= q < 1 and D > 0):
            return mp.nan
        if self.known[0] != (q, D, mp.prec):           # derivatives are wanted at one point together
            more = mp.mpf(_USUAL) / max(mp.dps, _USUAL)
            powers = zip(self.steps(float(q), float(D)), (mp.sqrt(more), more, more))
            self.known = (q, D, mp.prec), [mp.mpf(s) * power for s, power in powers], {}
        _, steps, lattices = self.known
        for _ in range(_TIMES):
            if "fine" not in lattices:
                lattices["fine"] = _Lattice(self, mp, q, D, steps)
                lattices["coarse"] = _Lattice(self, mp, q, D, [2 * steps[0], *steps[1:]], 4)
            value, missed = _mean(lattices["fine"], lattices["coarse"], i, k)
            if not any(missed):
                return value
            steps[:] = [s * mp.mpf(_SHRINK) if m else s for s, m in zip(steps, missed)]
            lattices.clear()
        raise _unresolved(mp, q, D, "does not settle on finer lattices; move the parameters")


def _unresolved(mp, q, D, why):
    return ConvergenceError(f"precise: the entropy of a label at the overlap {mp.nstr(q, 6)} and the noise "
                            f"{mp.nstr(D, 6)} {why}")


def _mean(fine, coarse, i, k):
    """Return the mean of (i, k), and whether the steps of the field, of u and of y are too large."""
    mp, terms, other = fine.mp, fine.terms(i, k), coarse.terms(i, k)
    rows, every = terms.sum(axis=1), fine.weights
    value, size = np.dot(every, rows), np.dot(every, abs(terms).sum(axis=1)) + mp.eps**4
    least = size * mp.mpf(10) ** -(mp.dps // 2)
    change = 16 * np.dot(every[::4], (other - terms[::4, ::4]).sum(axis=1))
    thinner = (2 * np.dot(every[::2], rows[::2]), 2 * np.dot(every, terms[:, ::2].sum(axis=1)))
    return value, (abs(change) > least, *(abs(t - value) > least for t in thinner))


class _Lattice:
    """Averages over x at all u and y, which the means share; ``stride`` takes every so many u and y."""

    def __init__(self, entropy, mp, q, D, steps, stride=1):
        self.mp, self.bits, self.V, self.D = mp, mp.prec + _GUARD, 1 - q, D
        cut = mp.sqrt(2 * mp.ln(10) * (mp.dps + 4)) + 1
        rows = int(mp.ceil(cut / steps[1]))
        first = 0 if entropy.has_parity else -rows
        x, w = _field(mp, entropy.kinks, steps[0], cut)
        f = np.array(list(map(entropy.f(mp), x)), dtype=object)
        low, high = min(f) - cut * mp.sqrt(D), max(f) + cut * mp.sqrt(D)
        if stride == 1:
            entropy.known[2]["low"] = low               # the coarse lattice has the same labels
        low, labels = entropy.known[2]["low"], int(mp.ceil((high - low) / steps[2])) + 1
        if max(labels, rows - first) * len(x) > _MOST:
            raise _unresolved(mp, q, D, f"takes {labels} labels and {len(x)} values of the field; pass fewer digits")
        u = np.array(range(first, rows + 1, stride), dtype=object) * steps[1]
        count = len(range(0, labels, stride))
        root, noise = mp.sqrt(self.V), mp.sqrt(D)
        t = (u[0] * mp.sqrt(q) - x) / root
        self.kernel = self._gaussians(t, stride * steps[1] * mp.sqrt(q) / root, len(u), w / mp.sqrt(2 * mp.pi) / root).T
        self.z = self._fixed(-(t[None, :] + (stride * steps[1] * mp.sqrt(q) / root) * np.arange(len(u))[:, None]))
        r = (low - f) / noise
        self.density = self._gaussians(r, stride * steps[2] / noise, count, 1 / mp.sqrt(2 * mp.pi * D) + 0 * f)
        self.r = self._fixed(r[:, None] + (stride * steps[2] / noise) * np.arange(count)[None, :])
        unit = steps[1] * steps[2] / mp.sqrt(2 * mp.pi) * (2 if entropy.has_parity else 1)
        self.weights = np.array([unit * mp.exp(-v * v / 2) for v in u], dtype=object)
        if entropy.has_parity:
            self.weights[0] /= 2
        self.known = {}

    def _fixed(self, numbers):
        mp, bits = self.mp, self.bits
        numbers = np.asarray(numbers, dtype=object)
        return np.array([int(mp.nint(mp.ldexp(v, bits))) for v in numbers.ravel()], dtype=object).reshape(numbers.shape)

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
        """Return the mean over x of ``z**i r**k`` and the densities, as mpmath numbers at all u and y."""
        if (i, k) not in self.known:
            kernel, density = self.kernel, self.density
            for _ in range(i):
                kernel = (kernel * self.z) >> self.bits
            for _ in range(k):
                density = (density * self.r) >> self.bits
            ldexp, least = self.mp.ldexp, 1 << (_GUARD // 2)
            found = _product(kernel, density, self.bits)
            if i == k == 0:
                self.here = found > least           # elsewhere there is no label
                found = np.where(self.here, found, 1 << self.bits)
            self.known[i, k] = np.array([ldexp(v, -self.bits) for v in found.ravel()], dtype=object).reshape(
                found.shape)
        return self.known[i, k]

    def terms(self, i, k):
        """Return the integrand of (i, k) at all u and y: see :func:`~.routines.labels.label_terms`."""
        P, V, D, sums = self._sums(0, 0), self.V, self.D, self._sums
        if i == k == 0:
            found = P * np.array([self.mp.log(p) for p in P.ravel()], dtype=object).reshape(P.shape)
        elif i + k == 1:
            found = sums(i, k) ** 2 / (P * (2 * V if i else -2 * D))
        elif i == k:
            found = -((sums(1, 1) - sums(1, 0) * sums(0, 1) / P) ** 2) / (2 * V * D * P)
        else:
            found = ((sums(i, k) - sums(i // 2, k // 2) ** 2 / P) / P - 1) ** 2 * P / (2 * (V if i else D) ** 2)
        return np.where(self.here, found, self.mp.zero)


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
