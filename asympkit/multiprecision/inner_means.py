r"""Conditional Gaussian means with any number of digits: closed forms, or moments on a shared lattice.

Where no closed form is known, a functional polynomial in z and the activation value is reduced to
the moments :math:`E[z^j\sigma(a+bz)^i]`.  These are sums of products of fixed-point integers (twenty
times faster than sums of mpf), and activation values are computed once on a lattice that the inner
nodes of all outer nodes share.
"""

import sys
from operator import mul

import numpy as np
from sympy import Dummy, Poly, PolynomialError

from ..errors import ConvergenceError, DomainError, StructureError
from ..gauss.closed import closed_mean
from ..gauss.quadrature.digits import legendre, normal_trapezoid
from ..numbers.evaluation import evaluate, mp_function
from ..numbers.functions.pair_classes import BivariateNormalCDF, OwenT
from ..program.symmetry import vanishing
from ..properties.growth import Growth
from ..properties.kinks import sharp_points
from .kinks import RuleCells, grade_panels
from .number_systems import MultiprecisionNumbers

#: step of the first lattice in widths of the weight (no multiple of pi has its zeros on it), and nodes between samples
_SAMPLE, _APART = "0.4937", 4
#: bits of one digit of Python's integers: a complete digit costs no more than its first bit
_WHOLE = sys.int_info.bits_per_digit
#: part of the size of an activation below which the rounding of closed forms is looked at
_SMALL = 1e-8
#: slope above which panels graded around the features of an activation take the place of the lattice, and the scale on
#: which these features are looked for
_STEEP, _ZOOM = 8, 64
#: points around features from which on a function oscillates, so that panels would be many
_MOST_POINTS = 100
#: order of the rule by which panels are found that need not be separate
_MERGED = 12
#: nodes of all samples that are evaluated at most to choose a rule
_MOST_NODES = 400_000
#: binary exponent of a weight that no integer of fixed point can hold in memory
_MOST_BITS = 10**7
#: offset and slope in closed forms: the same everywhere, so that a form is found once
_OFFSET, _SLOPE = Dummy("a", real=True), Dummy("b", positive=True)


class ConditionalMeans:
    """The means of one :class:`~asympkit.program.Means` statement, at nodes of the outer variable.

    ``shared`` holds activation values by lattice, shared between statements of the same activation.
    """

    def __init__(self, step, activation, numbers, shared=None):
        self.step, self.numbers, self.mp = step, numbers, numbers.mp
        mp = self.mp
        self.call = mp_function(activation, mp)
        self.kinks = [mp.mpf(str(k.evalf(mp.dps))) for k in activation.kinks]
        self.growth, self.activation = _growth(activation), activation
        sharp = self._sharp(1)
        if sharp:
            self.kinks = grade_panels(sorted({*self.kinks, *sharp}))
        self.cut = self.bits = self._fitted = None
        self.scale = 0
        self.shared = {} if shared is None else shared.setdefault((step.label, step.order), {})
        self.closed = self._close(activation)
        self.terms = None if self.closed is not None else [self._moments(f) for _, f in step.items]
        if self.terms is not None:
            wanted = {(i, j) for terms in self.terms for i, j, _ in terms} | {(2, 0)}
            self.shared.setdefault("wanted", set()).update(wanted)
        self.odd = vanishing(step, set())
        #: an odd function on a lattice: its values come in pairs f, -f
        self.paired = self.closed is None and not self.kinks and activation.parity == "odd"
        #: an item whose rounding is wanted, and that at the offsets of the last call
        self.watched = self.rounding = None
        #: values of the activation that were summed so far, each as often as it was needed
        self.evaluations = 0
        #: the largest mean of each item, and the largest size of its terms, where it does not vanish by parity
        self.largest = [[self.mp.zero, self.mp.zero] for _ in step.items]

    def _sharp(self, zoom):
        """Return points around the features of the activation that are narrower than a share of a scale."""
        expr, x = self.activation.expr, self.activation.symbol
        return [zoom * self.mp.mpf(p) for p in sharp_points(expr.xreplace({x: zoom * x}), x)]

    def _edges_at(self, slope):
        """Return the edges of panels at a slope; none where a lattice resolves the activation."""
        if slope <= _STEEP:
            return self.kinks
        if ("edges", slope) not in self.shared:
            points = sorted({*self.kinks, *self._sharp(_ZOOM)})
            is_few = 0 < len(points) <= _MOST_POINTS
            self.shared["edges", slope] = self._merge(grade_panels(points, slope * self.cut), points) if is_few else []
        return self.shared["edges", slope]

    def _merge(self, edges, kept):
        """Leave out edges of panels across which one rule integrates the activation, which may tend to a polynomial."""
        mp, (x, w) = self.mp, legendre(self.mp, _MERGED)

        def integrals(left, right):
            half, values = (right - left) / 2, [self.call((left + right) / 2 + (right - left) / 2 * t) for t in x]
            return half * mp.fdot(w, values), half * mp.fdot(w, [v * v for v in values])

        found, last = edges[:1], integrals(*edges[:2])
        for edge, after in zip(edges[1:], edges[2:]):
            here, both = integrals(edge, after), integrals(found[-1], after)
            is_one = all(abs(a + b - c) <= mp.mpf(10) ** (5 - mp.dps) * (abs(a) + abs(b))
                         for a, b, c in zip(last, here, both))
            if edge in kept or not is_one:
                found.append(edge)
            last = both if found[-1] != edge else here
        return [*found, edges[-1]]

    def _close(self, activation):
        """Return closed forms in offset and slope, if the engine knows them all, else None."""
        # Those two are integrals themselves, one for every node: the shared lattice is faster.  With kinks
        # there is no lattice.
        slow = () if self.kinks else (OwenT, BivariateNormalCDF)
        s = self.step
        argument = activation.expr.xreplace({activation.symbol: _OFFSET + _SLOPE * s.z})
        forms = []
        for _, functional in s.items:
            form = closed_mean(functional.xreplace({s.value: argument}), s.z)
            if form is None or form.has(*slow):
                return None
            forms.append(form)
        return forms

    def _moments(self, functional):
        """Return ``[(power of the activation value, power of z, coefficient)]``."""
        try:
            poly = Poly(functional, self.step.value, self.step.z)
        except PolynomialError as error:
            raise StructureError(f"high precision: {functional} is not polynomial in z and the activation; "
                                 "means of such functions are not available") from error
        return [(i, j, coefficient) for (i, j), coefficient in poly.terms()]

    def __call__(self, offsets, slope, columns):
        """Compute means at all offsets, an array for each item, at a slope >= 0; ``columns`` were computed before."""
        self.rounding = None
        if slope == 0:
            values = np.array([self.call(a) for a in offsets], dtype=object)
            self.rounding = abs(values) * self._unit()
            return self._constant_in_z(values, columns)
        if self.closed is not None:
            out = self._closed_values(offsets, slope, columns)
        else:
            moments = self._moments_at(offsets, slope)
            self.rounding = np.frompyfunc(self.mp.sqrt, 1, 1)(abs(moments[2, 0])) * self._unit()
            if self.paired and self.watched is not None and self.odd[-1][self.watched]:
                self.rounding *= np.array([min(self.mp.one, abs(a) / slope) for a in offsets], dtype=object)
            out = [self._combine(terms, moments, columns, k) for k, terms in enumerate(self.terms)]
        return self._with_zeros(out, offsets)

    @property
    def cancelled(self):
        """Return how many digits the cancellation of its terms leaves a mean fewer, at most."""
        return max((float(self.mp.log10(size / value)) if value else float("inf") for value, size in self.largest
                    if size), default=0.0)

    def _note(self, k, values, sizes):
        self.largest[k] = [max(known, *new) for known, new in zip(self.largest[k], (abs(values), sizes))]

    def _moments_at(self, offsets, slope):
        """Compute the moments that any statement of the activation needs; later calls at the same rows reuse them."""
        wanted = sorted(self.shared["wanted"])
        key = slope, *wanted, *offsets
        if self.shared.get("moments", (None, None))[0] != key:
            self._fit(slope, offsets)
            moments = {pair: [] for pair in wanted}
            for values, weights in self._nodes(offsets, slope, wanted):
                self.evaluations += len(weights[0])
                for i, j in wanted:
                    total = sum(map(mul, values[i], weights[j])) if i else sum(weights[j]) << self.bits
                    moments[i, j].append(self.mp.ldexp(self.mp.mpf(total), i * self.scale - 2 * self.bits))
            self.shared["moments"] = key, {pair: np.array(m, dtype=object) for pair, m in moments.items()}
        return self.shared["moments"][1]

    def _with_zeros(self, out, offsets):
        """Set means that vanish by parity to exact zeros."""
        centre = [k for k, a in enumerate(offsets) if a == 0]
        if centre and self.activation.parity:
            for k in np.flatnonzero(self.odd[1 if self.activation.parity == "even" else -1]):
                out[k] = np.array(out[k], dtype=object)
                out[k][centre] = self.rounding[centre] = self.mp.zero
        return out

    def _unit(self):
        """Return the rounding of a mean relative to the root mean square of its integrand, which the rules have too."""
        return self.mp.mpf(10) ** (5 - self.mp.dps)

    def _closed_values(self, offsets, slope, columns):
        """Evaluate closed forms; the watched one, if it is small, with as many digits as the result needs."""
        mp, at = self.mp, np.array(offsets, dtype=object)
        size = max(abs(self.call(a + slope * x)) for a in (mp.zero, offsets[0], offsets[-1]) for x in (-1, 0, 1))
        out = []
        for k, form in enumerate(self.closed):
            means = evaluate(form, {**columns, _OFFSET: at, _SLOPE: slope}, self.numbers)
            means = np.array(np.broadcast_to(np.asarray(means, dtype=object), at.shape))
            if k == self.watched:
                self.rounding = np.array([size * self._unit()] * len(at), dtype=object)
                if max(abs(means)) <= _SMALL * size and form.free_symbols <= {_OFFSET, _SLOPE}:
                    means, self.rounding = self._refined(form, at, slope)
            else:               # forms that cancel to rounding are zero
                means = np.where(abs(means) <= mp.mpf(10) ** (8 - mp.dps) * min(size, size**2), mp.zero, means)
                if any(means) or not self.activation.expr.is_polynomial():
                    self._note(k, means, [max(size, size**2)])
            out.append(means)
        if self.rounding is None:
            self.rounding = abs(out[0]) * self._unit()
        return out

    def _refined(self, form, offsets, slope):
        """Evaluate a closed form of small values with more digits, and its change by the rounding of its arguments."""
        mp, before, digits = self.mp, None, self.mp.dps
        while digits <= 16 * mp.dps:
            numbers = MultiprecisionNumbers(digits)
            near, moved = ([numbers.mp.mpf(x) * s for x in (*offsets, slope)]
                           for s in (1, 1 + numbers.mp.mpf(10) ** (2 - mp.dps)))
            now, other = (evaluate(form, {_OFFSET: np.array(x[:-1], dtype=object), _SLOPE: x[-1]}, numbers)
                          for x in (near, moved))
            now, other = (np.broadcast_to(np.asarray(x, dtype=object), offsets.shape) for x in (now, other))
            if before is not None and all(abs(now - before) <= self._unit() * abs(now)):
                break
            before, digits = now, 2 * digits
        rounding = abs(now - other) + self._unit() * abs(now) + abs(now - before)
        return [np.array([mp.mpf(x) for x in part], dtype=object) for part in (now, rounding)]

    def _combine(self, terms, moments, columns, k):
        parts = [evaluate(coefficient, columns, self.numbers) * moments[i, j] for i, j, coefficient in terms]
        total = sum(parts[1:], parts[0])
        if k == self.watched:
            return total
        # zero by parity: nothing but rounding, relative to the size of the integrand, is left
        size = sum((abs(p) for p in parts[1:]), abs(parts[0]))
        second = np.frompyfunc(self.mp.sqrt, 1, 1)(abs(moments[2, 0]))
        floor = self.mp.mpf(10) ** (8 - self.mp.dps) * np.maximum(size, np.minimum(second, second**2))
        total = np.where(abs(total) <= floor, self.mp.zero, total)
        if any(total) or not any(odd[k] for odd in self.odd.values()):
            self._note(k, total, size)
        return total

    def _fit(self, slope, offsets):
        """Determine the cut-off, scale and bits of the sums.

        A power i of the activation times the weight is about exp(-z**2/2 + i*(rate*|x| + curvature*x**2)) at
        x = a + b*z: growth moves its peak outwards, most at the farthest offset, and slows its decay.
        Decay of the activation moves the peak inwards, but no farther than x = 0; the largest mean is then that of
        the row nearest to it.  Values are held relative to the largest product with the weight, with bits for the
        largest value itself: the fixed-point error of a small weight is multiplied by it.
        """
        mp = self.mp
        far, near = max(abs(a) for a in offsets), min(abs(a) for a in offsets)
        if self._fitted and self._fitted[0] == slope and self._fitted[1] >= far and self._fitted[2] <= near:
            return
        self._fitted = slope, far, near
        rate, curvature = (mp.mpf(float(g)) for g in (self.growth.rate, self.growth.curvature))
        peak, least = mp.zero, mp.one
        for power in (1, 2):
            left = 1 - 2 * power * curvature * slope**2     # decay of the weight minus growth
            if left <= 0:
                continue
            outwards = max(rate, 0) + 2 * max(curvature, 0) * far
            inwards = max(-rate, 0) + 2 * max(-curvature, 0) * near
            peak = max(peak, power * outwards * slope / left, min(power * inwards * slope / left, near / slope))
            least = min(least, left)
        self.cut = peak + mp.sqrt(2 * mp.ln(10) * mp.dps / least) + 1
        self._measure(slope, sorted(offsets, key=abs))

    def _measure(self, slope, offsets):
        """Determine scale and bits from samples of the integrands on some rows, the nearest and farthest included."""
        mp = self.mp
        rows = {offsets[(len(offsets) - 1) * k // 8] for k in range(9)} | {-offsets[-1]}
        largest, means = mp.zero, [mp.zero, mp.zero]
        for k in range(-16, 17):
            z = self.cut * k / 16
            value = max(abs(self.call(a + slope * z)) for a in rows)
            weight, largest = mp.exp(-z * z / 2), max(largest, value)
            means = [max(m, weight * value**i) for i, m in enumerate(means, start=1)]
        self.scale, spare = 0, 0
        if means[0]:
            self.scale = int(mp.mag(means[0]))
            spare = max(int(mp.mag(largest**i / m)) for i, m in enumerate(means, start=1))
        if self.paired and offsets[-1]:          # values f, -f cancel exactly if the weights resolve the offset
            spare = max(spare, 0) + max(int(mp.mag(slope / offsets[-1])) + 12, 0)
        self.bits = _WHOLE * -(-(mp.prec + 10 + max(spare, 0)) // _WHOLE)

    # -- nodes ------------------------------------------------------------------------------------

    def _integer(self, x):
        if self.mp.isfinite(x) and self.mp.mag(x) > _MOST_BITS:
            raise ConvergenceError("precise: offset and slope of the argument of an activation differ by too many "
                                   "orders: no fixed point holds the weights of its values; move the parameters")
        return int(self.mp.nint(self.mp.ldexp(x, self.bits)))

    def _powers(self, value, wanted):
        """Return fixed-point powers of one activation value, ``(None, s, s^2, ...)``."""
        top = max(i for i, _ in wanted)
        row = [None, self._integer(self.mp.ldexp(value, -self.scale))]
        while len(row) <= top:
            row.append((row[-1] * row[1]) >> self.bits)
        return row

    def _times_powers(self, weights, z, wanted):
        """Multiply fixed-point weights by powers of z."""
        rows = [weights]
        while len(rows) <= max(j for _, j in wanted):
            rows.append([(w * x) >> self.bits for w, x in zip(rows[-1], z)])
        return rows

    def _nodes(self, offsets, slope, wanted):
        """Yield fixed-point powers of the activation values and weights for each offset.

        The trapezoidal rule is as good with its nodes shifted: the arguments a + b z of every offset
        are put on one lattice, so that each activation value is computed once; the weights follow by
        a recurrence from the centre outwards.
        """
        if self._edges_at(slope):
            yield from self._panels(offsets, slope, wanted)
            return
        mp = self.mp
        step = self._step(slope, offsets)
        u, n = slope * step, int(mp.ceil(self.cut / step)) + 1
        known = self.shared.setdefault((u, self.bits, self.scale), {})
        step_int, ratio = self._integer(step), self._integer(mp.exp(-step * step))
        for a in offsets:
            middle = int(mp.nint(a / u))
            shift = (u * middle - a) / slope
            weight = self._integer(step * mp.npdf(shift))
            weights, centre = [0] * (2 * n + 1), self._integer(shift)
            z = [centre + d * step_int for d in range(-n, n + 1)]
            for direction in (1, -1):      # w(z + h) = w(z) exp(-z h - h^2/2), the factor times exp(-h^2) each time
                with mp.workprec(self.bits):
                    w, factor = weight, self._integer(mp.exp(-direction * shift * step - step * step / 2))
                for d in range(n + 1):
                    weights[n + direction * d] = w
                    w = (w * factor) >> self.bits
                    factor = (factor * ratio) >> self.bits
            row = []
            for index in range(middle - n, middle + n + 1):
                if index not in known:
                    known[index] = self._powers(self.call(u * index), wanted)
                row.append(known[index])
            yield list(zip(*row)), self._times_powers(weights, z, wanted)

    def _samples(self, name, slope, offsets):
        """Return new places, one for each two widths of the weight, at which a rule has to be chosen.

        They are multiples of :data:`_SAMPLE` widths, so that they share activation values.
        """
        mp = self.mp
        done = self.shared.setdefault((name, slope, "samples"), set())
        new = {int(mp.nint(a / (_APART * mp.mpf(_SAMPLE) * slope))) for a in offsets} | {0}
        new -= done
        done |= new
        return sorted(_APART * j for j in new)

    def _step(self, slope, offsets):
        """Return a step at which the trapezoidal rule has all digits, at every offset.

        The error is exp(-K/step) while the nearest singularity of the activation governs it and
        falls faster for entire functions: K follows from two steps on sample offsets.
        """
        mp, key = self.mp, ("step", slope)
        samples = self._samples("step", slope, offsets)
        if samples:
            self.shared[key] = min(self.shared.get(key, mp.inf), self._step_at(samples, slope))
        return self.shared[key]

    def _step_at(self, samples, slope):
        mp, values = self.mp, {}
        step, before, fraction = mp.mpf(_SAMPLE), None, 1
        while 4 * len(values) <= _MOST_NODES:
            _, w = normal_trapezoid(mp, step, self.cut)
            half, now = len(w) // 2, []
            for j in samples:
                s = []
                for place in range(j * fraction - half, j * fraction + half + 1):
                    x = slope * step * place
                    if x not in values:
                        values[x] = self.call(x)
                    s.append(values[x])
                now += [mp.fdot(w, s), mp.fdot(w, [v * v for v in s])]
            if before is not None:
                error = self._distance(now, before, samples)
                if error <= mp.mpf(10) ** -12:
                    floor = mp.mpf(10) ** (5 - mp.dps)
                    rate = -(2 * step) * mp.log(max(error, floor))
                    return min(step, mp.mpf("0.93") * rate / (mp.ln(10) * (mp.dps - 4)))
            before, step, fraction = now, step / 2, 2 * fraction
        raise self._unresolved(slope)

    def _unresolved(self, slope):
        return ConvergenceError(
            f"precise: a mean of the {self.step.label} needs more than {_MOST_NODES} nodes: its argument spreads over "
            f"{self.mp.nstr(slope, 3)}, where the function varies on the scale of 1; move the parameters")

    def _distance(self, now, before, samples):
        """Return the largest change of means and mean squares, relative to the largest of these at or inside the row.

        A mean may be small, and so may a row on the side where the activation decays; rows near the centre count
        however large far ones are.
        """
        worst, size = self.mp.zero, self.shared.get("centre", self.mp.zero)
        for k in sorted(range(len(samples)), key=lambda k: abs(samples[k])):
            mean, square = (abs(now[i] - before[i]) for i in (2 * k, 2 * k + 1))
            size = max(size, abs(now[2 * k + 1]))
            if samples[k] == 0:
                self.shared["centre"] = size
            if size:
                worst = max(worst, mean / self.mp.sqrt(size), square / size)
        return worst

    def _panels(self, offsets, slope, wanted):
        pieces = self._pieces(slope, offsets)
        key = ("cells", slope, self.cut, pieces, self.bits, self.scale, wanted[-1][0])
        if key not in self.shared:
            self.shared[key] = self._cells(slope, pieces, lambda x: self._powers(self.call(x), wanted))
        for a in offsets:
            z, weights, rows = self.shared[key].around(a)
            yield list(zip(*rows)), self._times_powers(weights, z, wanted)

    def _cells(self, slope, pieces, value):
        return RuleCells(self.mp, value, self._edges_at(slope), slope, self.cut, pieces // 12, self._integer, self.bits)

    def _pieces(self, slope, offsets):
        """Return a number of panels with which the rule has all digits at every offset.

        Halving the panels at least squares the error, or gains half the digits where it is small.
        """
        key, samples = ("pieces", slope), self._samples("pieces", slope, offsets)
        if samples:
            self.shared[key] = max(self.shared.get(key, 0), self._pieces_at(samples, slope))
        return self.shared[key]

    def _pieces_at(self, samples, slope):
        mp, pieces, before, nodes = self.mp, 12, None, 0
        while nodes <= _MOST_NODES:
            now, cells = [], self._cells(slope, pieces, self.call)
            for j in samples:
                _, w, s = cells.around(j * mp.mpf(_SAMPLE) * slope)
                nodes += len(w)
                w = [mp.ldexp(v, -self.bits) for v in w]
                now += [mp.fdot(w, s), mp.fdot(w, [v * v for v in s])]
            if before is not None:
                change = self._distance(now, before, samples)
                if change <= mp.mpf(10) ** (5 - mp.dps):
                    return pieces // 2
                if change <= mp.mpf(10) ** (-0.55 * mp.dps):
                    return pieces
            before, pieces = now, 2 * pieces
        raise self._unresolved(slope)

    def _constant_in_z(self, values, columns):
        """Average for slope zero: the functional is a polynomial in z with the activation value fixed."""
        out = []
        for _, functional in self.step.items:
            form = closed_mean(functional, self.step.z)
            got = evaluate(form, {**columns, self.step.value: values}, self.numbers)
            out.append(np.broadcast_to(np.asarray(got, dtype=object), values.shape))
        return out


def _growth(activation):
    try:
        return activation.growth
    except DomainError:      # no rule: growth faster than a power raises an error earlier, where it matters
        return Growth()
