"""Conditional Gaussian means with any number of digits: closed forms, shared lattices, or panels."""

from fractions import Fraction

import numpy as np
from sympy import Dummy, Poly, PolynomialError

from .expression import evaluate
from .functions import mp_function
from .rules import legendre


class InnerMeans:
    """The means of one :class:`~asympkit.program.Means` statement, at nodes of the outer variable.

    Parameters
    ----------
    step : Means
    activation : Activation
    numbers : Digits
    """

    def __init__(self, step, activation, numbers):
        self.step, self.numbers, self.mp = step, numbers, numbers.mp
        self.activation = activation
        self.closed = self._close(activation)
        self.call = mp_function(activation, self.mp)
        self.kinks = [self.mp.mpf(str(k.evalf(self.mp.dps))) for k in activation.kinks]
        self.cut = self.mp.sqrt(2 * self.mp.ln(10) * self.mp.dps) + 1
        self._lattice = None

    def _close(self, activation):
        """Closed forms in offset and slope, if the engine knows them all."""
        from ..gauss.closed import gaussian_mean

        s = self.step
        self.offset, self.slope = Dummy("a", real=True), Dummy("b", positive=True)
        argument = activation.expr.xreplace({activation.symbol: self.offset + self.slope * s.z})
        forms = []
        for _, functional in s.items:
            form = gaussian_mean(functional.xreplace({s.value: argument}), s.z)
            if form is None:
                return None
            forms.append(form)
        return forms

    def __call__(self, offsets, slope, columns, spacing=None):
        """Means at all offsets.

        Parameters
        ----------
        offsets : list of mpf
        slope : mpf
            Non-negative.
        columns : dict
            Columns known before, ``{symbol: object array}``.
        spacing : (mpf, list of int), optional
            The offsets as integer multiples of one number: activation values are then shared.

        Returns
        -------
        list of object arrays, one for each item
        """
        mp = self.mp
        if slope == 0:
            values = np.array([self.call(a) for a in offsets], dtype=object)
            return self._constant_in_z(values, columns)
        if self.closed is not None:
            values = {self.offset: np.array(offsets, dtype=object), self.slope: slope, **columns}
            out = [evaluate(f, values, self.numbers) for f in self.closed]
            return [np.broadcast_to(np.asarray(o, dtype=object), (len(offsets),)) for o in out]
        nodes = self._nodes(offsets, slope, spacing)
        results = []
        for i, (z, weighted, s) in enumerate(nodes):
            local = {k: (v[i] if np.ndim(v) else v) for k, v in columns.items()}
            results.append([self._mean(f, z, weighted, s, local) for _, f in self.step.items])
        return [np.array([r[k] for r in results], dtype=object) for k in range(len(self.step.items))] \
            if results else [np.array([], dtype=object) + mp.zero for _ in self.step.items]

    def _mean(self, functional, z, weighted, s, columns):
        """One mean; a functional polynomial in z and s is reduced to moments of s."""
        mp = self.mp
        try:
            poly = Poly(functional, self.step.value, self.step.z)
        except PolynomialError:
            total = [w * evaluate(functional, {**columns, self.step.value: v, self.step.z: x}, self.numbers)
                     for x, w, v in zip(z, weighted[0], s[1])]
            return mp.fsum(total)
        terms, size = [], mp.zero
        for (i, j), coefficient in poly.terms():
            while len(weighted) <= j:
                weighted.append([w * x for w, x in zip(weighted[-1], z)])
            if i not in s:
                s[i] = [v**i for v in s[1]]
            moment = mp.fdot(s[i], weighted[j]) if i else mp.fsum(weighted[j])
            term = evaluate(coefficient, columns, self.numbers) * moment
            terms.append(term)
            size += abs(mp.fdot(s[i], weighted[j], conjugate=False)) if i else abs(moment)
        total = mp.fsum(terms)
        # zero by parity: nothing but rounding is left
        reference = mp.sqrt(abs(mp.fdot(s[1], [w * v for w, v in zip(weighted[0], s[1])]))) + mp.mpf(10) ** (-mp.dps)
        if abs(total) <= mp.mpf(10) ** (8 - mp.dps) * min(reference, reference**2 + reference):
            return mp.zero
        return total

    # -- nodes ------------------------------------------------------------------------------------

    def _nodes(self, offsets, slope, spacing):
        if self.kinks:
            yield from self._panels(offsets, slope)
            return
        step = self._step(slope, [offsets[0], offsets[len(offsets) // 2], offsets[-1]])
        mp = self.mp
        if spacing is None or spacing[0] == 0:
            n = int(mp.ceil(self.cut / step))
            z = [step * d for d in range(-n, n + 1)]
            weighted = [self._weights(z)]
            memo = {}
            for a in offsets:
                if a not in memo:
                    memo[a] = {1: [self.call(a + slope * x) for x in z]}
                yield z, weighted, memo[a]
            return
        # activation values on one lattice u*k serve every node
        unit, multiples = abs(spacing[0]), spacing[1]
        sign = 1 if spacing[0] > 0 else -1
        ratio = slope * step / unit
        if ratio >= 1:
            stride, per_node, u = int(mp.floor(ratio)), 1, unit
        else:
            stride, per_node = 1, int(mp.ceil(1 / ratio))
            u = unit / per_node
        z_step = stride * u / slope
        n = int(mp.ceil(self.cut / z_step))
        z = [z_step * d for d in range(-n, n + 1)]
        weighted = [self._weights(z)]
        memo = {}
        for k in multiples:
            first = sign * k * per_node - n * stride
            row = []
            for index in range(first, first + (2 * n + 1) * stride, stride):
                if index not in memo:
                    memo[index] = self.call(u * index)
                row.append(memo[index])
            yield z, weighted, {1: row}

    def _weights(self, z):
        mp = self.mp
        step = z[1] - z[0]
        scale = step / mp.sqrt(2 * mp.pi)
        return [scale * mp.exp(-x * x / 2) for x in z]

    def _step(self, slope, samples):
        """A step at which halving changes nothing that is asked for, found on sample offsets."""
        mp = self.mp
        step, before = mp.mpf(1) / 2, None
        target = mp.mpf(10) ** (-(mp.dps // 2 + 3))
        for _ in range(12):
            n = int(mp.ceil(self.cut / step))
            z = [step * d for d in range(-n, n + 1)]
            w = self._weights(z)
            now = []
            for a in samples:
                s = [self.call(a + slope * x) for x in z]
                now += [mp.fdot(w, s), mp.fdot(w, [v * v for v in s])]
            if before is not None:
                size = max(abs(v) for v in now)
                if max(abs(p - q) for p, q in zip(now, before)) <= target * size:
                    return step
            before, step = now, step / 2
        return step

    def _panels(self, offsets, slope):
        mp = self.mp
        x, w = legendre(mp, max(24, int(0.9 * mp.dps)))
        for a in offsets:
            edges = [-self.cut + 2 * self.cut * i / 12 for i in range(13)]
            edges += [k for k in ((t - a) / slope for t in self.kinks) if -self.cut < k < self.cut]
            edges.sort()
            z, weights = [], []
            for left, right in zip(edges, edges[1:]):
                half, middle = (right - left) / 2, (right + left) / 2
                for xi, wi in zip(x, w):
                    node = middle + half * xi
                    z.append(node)
                    weights.append(half * wi * mp.npdf(node))
            yield z, [weights], {1: [self.call(a + slope * t) for t in z]}

    def _constant_in_z(self, values, columns):
        """Slope zero: the functional is a polynomial in z with the activation value fixed."""
        from ..gauss.closed import gaussian_mean

        out = []
        for _, functional in self.step.items:
            form = gaussian_mean(functional, self.step.z)
            got = evaluate(form, {self.step.value: values, **columns}, self.numbers)
            out.append(np.broadcast_to(np.asarray(got, dtype=object), values.shape))
        return out


def multiples(nodes, step):
    """Express nodes as exact multiples of a step (all are dyadic fractions of one)."""
    return [int(Fraction(n) / Fraction(step)) for n in nodes]
