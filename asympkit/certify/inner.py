"""Inner Gaussian means of one activation, in every form a proof needs.

A mean of a program is a polynomial in the activation value and z; its moments
``M_ij(x) = E[z**j f(a(x) + b z)**i]``, ``a`` affine in the outer variable x, are

* balls at the nodes of an outer rule,
* bounds on cells of the complex plane: ``M_ij`` is entire whatever f is (shift the Gaussian), and inside a
  strip where f is analytic it is bounded without that shift's factor,
* Taylor models around centres.

Exact Gaussian moments of polynomials, so that those zero by orthogonality are exactly zero, no small ball.

The bounds of an activation, its growth on the real line and its size on strips around it, are proved first.
"""

import heapq
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, comb, inf, isfinite, log10

import numpy as np
from numpy.polynomial.polynomial import polyval
from sympy import Dummy, Poly, PolynomialError

from ..balls.analytic import compile_balls
from ..balls.backend import acb, arb, exact, ratio, workprec
from ..balls.growth import growth_bound, number_range
from ..balls.pieces import pieces
from ..errors import ProofError
from ..gauss.closed import closed_mean
from ..numbers.functions.balls import REAL_BALLS
from ..program.statements import Means
from .forms import MARGIN, argument, ball_function, bound_above, mean, normal_tail, power, product, refusal
from .lattice import Member, monomial_norm, plan, trapezoid_moments

_BITS = 64
_CELL = 0.5             # width of the boxes on which the size is taken
_SPLITS = 40            # how often the worst box of a layer is divided
_SMALLEST = 2.0**-10    # far above the spacing of floats: boxes must overlap
_FIRST, _RATIO, _LAST = (0.2, 0.05, 0.0125, 0.003), 1.25, 40.0
_FARTHEST = 4000
_FINEST = 1.03          # near a singularity the levels get this close


def source(activation):
    """Return the :class:`Source` of an activation; cached, because all parameter points share strips."""
    return _source(activation, activation.name)


@lru_cache(maxsize=128)
def _source(activation, name):
    return Source(activation)                   # equal activations of other names would be named in errors


class Source:
    """Proved bounds of one activation.

    ``growth`` holds non-negative coefficients with ``|f(x)| <= sum(growth[n] |x|**n)`` on the real line; ``analytic``
    says that one analytic formula holds there: only then there are strips.
    """

    def __init__(self, activation):
        self.activation, self.z = activation, activation.symbol
        self.expr = activation.expr
        self.parts = pieces(self.expr, self.z)
        self.analytic = len(self.parts) == 1
        self.growth = _real_growth(self.parts, self.z, activation.name)
        self.scale = float(sum(self.growth)) or 1.0
        if not 1e-70 < self.scale < 1e70:
            raise refusal(f"certify: the size of {activation.name!r}, {self.scale:.1e}, is beyond what errors are "
                          "bounded for; scale it to the order of one")
        self._compiled, self._strips, self._sizes = {}, {}, {}

    def function(self, bits):
        """Return the formula on complex balls, compiled at a precision (analytic sources)."""
        if bits not in self._compiled:
            with workprec(bits):
                self._compiled[bits] = compile_balls(self.parts[0].formula, self.z)
        return self._compiled[bits]

    def values(self, points, bits):
        """Evaluate the function at real balls."""
        run = self.function(bits)
        return [run(acb(x), False).real for x in points]

    def size_on(self, box):
        """Bound ``|f|`` on ``(left, right, bottom, top)``; infinite where f may not be analytic.

        Sizes are cached: strips of different reach share most of their boxes.
        """
        if box not in self._sizes:
            left, right, bottom, top = box
            x = arb((left + right) / 2, (right - left) / 2 * 1.0000001)
            y = arb((bottom + top) / 2, (top - bottom) / 2 * 1.0000001)
            self._sizes[box] = bound_above(self.function(_BITS)(acb(x, y), True))
        return self._sizes[box]

    def describe(self):
        """Return one sentence on the growth and analyticity that were proved."""
        terms = " + ".join(f"{c:.6g}" if n == 0 else f"{c:.6g} |x|" if n == 1 else f"{c:.6g} |x|^{n}"
                           for n, c in enumerate(self.growth) if c)
        text = f"{self.activation.name}: |f(x)| <= {terms or 0} on the real line"
        heights = [level[0] for strip in self._strips.values() for level in strip.computed]
        if heights:
            text += f"; analytic and bounded on strips up to |Im x| <= {max(heights):.6g}"
        return text

    def strip(self, reach):
        """Return the :class:`Strip` over ``|x| <= reach``, rounded up so that strips are shared."""
        if not reach <= _FARTHEST:
            raise refusal(f"certify: arguments of {self.activation.name!r} up to {reach:.3g} are needed, and strips "
                          f"are examined up to {_FARTHEST}; scale the function or its argument")
        size = 8 * ceil(reach / 8)
        if size not in self._strips:
            self._strips[size] = Strip(self, size)
        return self._strips[size]


def _real_growth(parts, z, name):
    """Return the coefficients of a polynomial bound that holds on the real line."""
    degree, rows = 0, []
    for part in parts:
        low = -inf if part.low is None else number_range(part.low)[0]
        high = inf if part.high is None else number_range(part.high)[1]
        bound = growth_bound(part.formula, z, (low, high))
        if bound.rate > 0 and inf in (-low, high) or bound.curvature > 0:
            raise refusal(f"certify: the growth of {name!r} is not proved to be polynomial; certificates of saddle "
                          "points need |f(x)| <= P(|x|)")
        factor = Fraction(1)
        if bound.rate > 0:
            factor = Fraction(ceil(float(np.exp(float(bound.rate * max(abs(low), abs(high))))) * 1.001))
        if max(bound.coefficients) * factor > 10**300:
            raise refusal(f"certify: the size of {name!r} is beyond what errors are bounded for; scale it to the "
                          "order of one")
        rows.append([float(c * factor) * (1 + 1e-15) for c in bound.coefficients])
        degree = max(degree, len(rows[-1]))
    growth = np.trim_zeros(np.max([row + [0.0] * (degree - len(row)) for row in rows], axis=0), "b")
    return growth if len(growth) else np.ones(1)        # the function zero; a bound must not be zero


class Strip:
    """Sizes of an analytic function on rectangles ``|x| <= reach, |y| <= height``, by ball evaluation.

    The rectangle is covered by boxes and the worst ones are divided; where a box on which the function
    is not proved analytic remains, the strip ends.
    """

    def __init__(self, owner, reach):
        self.owner, self.reach = owner, reach
        self.degree = len(owner.growth) - 1
        count = ceil(reach / _CELL)
        # |f(-x + iy)| = |f(x + iy)| for odd and even functions that are real on the line
        first = 0 if owner.activation.parity else -count
        self.cells = [(k * _CELL, (k + 1) * _CELL) for k in range(first, count)]
        self._levels, self._ratio = [], _RATIO

    @property
    def computed(self):
        """The levels that have been used so far."""
        return tuple(self._levels)

    def levels(self):
        """Yield ``(height, coefficients)``, from the lowest height; the bounds grow with it."""
        k = 0
        while True:
            if k == len(self._levels) and not self._extend():
                return
            yield self._levels[k]
            k += 1

    def below(self, height):
        """Return the coefficients of the lowest computed level that is not below a height, or None."""
        for level, coefficients in self.levels():
            if level >= height:
                return coefficients
        return None

    def _extend(self):
        """Add a level; near a singularity in ever smaller steps."""
        low = self._levels[-1][0] if self._levels else 0.0
        with workprec(_BITS):
            for high in self._candidates(low):
                size = self._layer(low, high)
                if isfinite(size):
                    break
            else:
                return False
        if self._levels:
            size = max(size, self._levels[-1][1][-1])
        coefficients = np.zeros(self.degree + 1)
        coefficients[0] = coefficients[-1] = size
        self._levels.append((high, coefficients))
        return True

    def _candidates(self, low):
        """Yield heights to try above a level, in falling order; the steps stay small once one has failed."""
        if not low:
            yield from _FIRST
            return
        while low < _LAST and self._ratio > _FINEST:
            yield low * self._ratio
            self._ratio = 1 + (self._ratio - 1) / 2

    def _layer(self, low, high):
        """Find the least C proved with ``|f| <= C (1 + |x|**degree)`` (C for degree 0) between two heights."""
        boxes = [self._box(left, right, low, high) for left, right in self.cells]
        heapq.heapify(boxes)
        tame, wild = _SPLITS, 10 * _SPLITS
        while tame and wild:
            size, left, right, bottom, top = boxes[0]
            tame, wild = (tame - 1, wild) if isfinite(size) else (tame, wild - 1)
            if right - left < _SMALLEST:        # a singularity, or so near one that it does not matter
                break
            middle, half = (left + right) / 2, (bottom + top) / 2
            parts = [self._box(a, b, c, d) for a, b in ((left, middle), (middle, right))
                     for c, d in ((bottom, half), (half, top))]
            if min(parts)[0] < 0.9 * size and isfinite(size):       # sizes are negated: little is gained
                break
            heapq.heapreplace(boxes, parts[0])
            for part in parts[1:]:
                heapq.heappush(boxes, part)
        return -boxes[0][0]

    def _box(self, left, right, bottom, top):
        """Return a box after its size, negated for the heap; infinite where f may not be analytic."""
        size = self.owner.size_on((left, right, bottom, top))
        weight = 1 + min(abs(left), abs(right)) ** self.degree if self.degree else 1.0
        return -size / weight, left, right, bottom, top


_HIGHEST = 24           # degree; beyond, lattice sums are as good


def normal_moment(j):
    """Return ``E Z**j``, an integer."""
    value = 1
    for k in range(1, j, 2):
        value *= k
    return value if j % 2 == 0 else 0


def exact_moments(activation, wanted, start, slope):
    """Compute ``E[z**j f(a + b z)**i]`` for pairs (i, j), of a rational polynomial at exact balls a and b.

    The balls are of rounding size, zeros exact; None for all other functions and arguments.
    """
    expr, z = activation.expr, activation.symbol
    if not (start.is_exact() and slope.is_exact() and expr.is_polynomial(z)):
        return None
    rows = expr.as_poly(z).all_coeffs()[::-1] if expr.has(z) else [expr]
    if len(rows) > _HIGHEST + 1 or not all(c.is_Rational for c in rows):
        return None
    a, b = exact(start), exact(slope)
    base = [Fraction(0)] * len(rows)
    for n, c in enumerate(rows):
        for k in range(n + 1):
            base[k] += Fraction(int(c.p), int(c.q)) * comb(n, k) * a ** (n - k) * b**k
    powers = {0: [Fraction(1)]}
    for i in range(1, max(i for i, _ in wanted) + 1):
        powers[i] = _product(powers[i - 1], base)
    return {(i, j): ratio(sum(c * normal_moment(k + j) for k, c in enumerate(powers[i]))) for i, j in wanted}


def _product(p, q):
    out = [Fraction(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            out[i + j] += a * b
    return out


_FAR, _STEEPEST = 10.0, 1000.0
_FLOATS = 290           # decimal digits below 1 of the numbers that float64 holds with all their bits


class EnclosedMeans:
    """The means of :class:`~asympkit.program.statements.Means` of one activation at one argument.

    The steps have equal label, order, offset and slope, and share their moments; the argument may depend on one outer
    variable, the node.  ``digits`` are those of the moments at nodes, relative to the size of the activation; ``bits``
    is the precision in force.
    """

    def __init__(self, steps, functions, node, parameters, digits, bits):
        step = steps[0]
        self.digits, self.bits = digits, bits
        self.source = source(step.activation(functions))
        self.start, self.rate = _affine(step.offset, node, parameters)
        self.slope = arb(ball_function(step.slope)(parameters))
        self.polynomials = {symbol: _terms(f, s) for s in steps for symbol, f in s.items}
        self.wanted = sorted({(i, j) for terms in self.polynomials.values() for i, j, _ in terms if i})
        self._require_sharp(step)
        self.kind = self._kind()
        if self.kind == "lattice" and not self._sharp(self.rate):
            raise ProofError(f"certify: {step.offset.diff(node)} is not proved to be other than zero, nor exactly zero "
                             f"({self.rate.str(3)}); if it is zero, a theory that takes it directly can be given 0")

    def _require_sharp(self, step):
        """Raise for numbers that the bounds in float64 cannot represent: their margins are far below 1e-9."""
        if not (self.slope > 0 or self.slope == 0):
            raise ProofError(f"certify: {step.slope} is not proved to be positive, nor exactly zero "
                             f"({self.slope.str(3)})")
        if not self._sharp(self.slope):
            raise ProofError(f"certify: {step.slope} is not known sharply enough ({self.slope.str(3)}); ask for more "
                             "digits")
        spare = _FLOATS - 4 * max(0.0, -log10(self.source.scale))
        if self.digits > spare:
            raise refusal(f"certify: averages with {self.digits} digits of {self.source.activation.name!r}, of size "
                          f"{self.source.scale:.1e}, leave the range in which errors are bounded; "
                          f"at most {max(int(spare), 0)} digits are possible there, guard digits included: ask for "
                          "fewer, or scale the function")

    @staticmethod
    def _sharp(ball):
        return ball.is_exact() or ball.rel_accuracy_bits() >= 40

    def _kind(self):
        name = self.source.activation.name
        if self.source.analytic:
            return "lattice" if self.slope != 0 else "constant"
        if self.slope == 0:
            raise refusal(f"certify: {name!r} has kinks and is outside all inner averages here (rho = 0); a "
                          "certificate needs a smooth function there")
        self.closed = _closed(self.source, tuple(self.wanted))
        if self.closed is None:
            raise refusal(f"certify: {name!r} has kinks, and no closed form of its inner "
                          "averages is known that ball arithmetic can evaluate")
        return "closed"

    # -- combination -------------------------------------------------------------------------------

    def columns(self, step, moments, evaluate):
        """Compute the outputs of a statement from moments, in any algebra.

        ``evaluate(expr)`` gives coefficients: they may hold columns computed before.
        """
        out = {}
        for symbol in step.outputs:
            total = None
            for i, j, coefficient in self.polynomials[symbol]:
                moment = moments[i, j] if i else normal_moment(j)
                if isinstance(moment, int) and moment == 0:
                    continue
                part = moment if coefficient == 1 else evaluate(coefficient) * moment
                total = part if total is None else total + part
            out[symbol] = 0 if total is None else total
        return out

    def vanishes(self, i, j):
        """Return whether a moment is zero by symmetry: an odd integrand at an offset that is exactly zero."""
        if self.source.expr.is_zero:
            return True
        if not (self.start == 0 and self.rate == 0) or not self.source.activation.parity:
            return False
        return (i * (self.source.activation.parity == "odd") + j) % 2 == 1

    # -- at nodes ----------------------------------------------------------------------------------

    def at_nodes(self, h, n):
        """Return ``{(i, j): array of 2n+1 balls}`` at the nodes ``k h``."""
        if self.rate == 0 and n:
            return {key: np.repeat(row, 2 * n + 1) for key, row in self.at_nodes(h, 0).items()}
        zeros = {key: np.array([arb(0)] * (2 * n + 1), dtype=object) for key in self.wanted if self.vanishes(*key)}
        wanted = [key for key in self.wanted if key not in zeros]
        if not wanted:
            return zeros
        if self.rate == 0 and (found := exact_moments(self.source.activation, wanted, self.start, self.slope)):
            return zeros | {key: np.array([ball], dtype=object) for key, ball in found.items()}
        offsets = [self.start + self.rate * (k * h) for k in range(-n, n + 1)]
        if self.kind == "closed":
            values = {START: np.array(offsets, dtype=object), SLOPE: self.slope}
            return zeros | {key: np.broadcast_to(ball_function(self.closed[key])(values), 2 * n + 1)
                            for key in wanted}
        if self.kind == "constant":
            values = np.array(self.source.values(offsets, self.bits), dtype=object)
            return zeros | {(i, j): normal_moment(j) * REAL_BALLS.whole_power(values, i) for i, j in wanted}
        farthest = bound_above(offsets[0]), bound_above(offsets[-1])
        members = {(i, j): self._member(i, j) for i, j in wanted}
        plan_ = plan(self.source, members, max(farthest), bound_above(self.slope))
        return zeros | trapezoid_moments(self.source, plan_, self.start, self.rate, self.slope, h, n, self.bits)

    def _member(self, i, j):
        weight = np.zeros(j + 1)
        weight[j] = 1.0
        return Member(i, (partial(monomial_norm, j),), weight, 10.0**-self.digits * self.source.scale**i)

    # -- on cells ----------------------------------------------------------------------------------

    def bounds(self, x, y, by_growth=False):
        """Bound ``|M_ij|`` for ``|Re| <= x`` and ``|Im| <= y``, arrays of floats; ``{(i, j): array}``.

        With ``by_growth`` they come from the growth on the real line alone: for y = 0 they are then polynomials in x.
        """
        x, y = np.asarray(x, float), np.asarray(y, float)
        rate, slope = bound_above(self.rate), bound_above(self.slope)
        offset = (bound_above(self.start) + rate * x) * MARGIN
        out = {}
        for i, j in self.wanted:
            best = np.full(x.shape, np.inf)
            if self.kind == "constant" and by_growth:
                best = normal_moment(j) * polyval(offset, self.source.growth) ** i * MARGIN
            elif self.kind != "constant":
                shift = rate * y / float(self.slope.lower()) * MARGIN
                weight = np.stack([comb(j, k) * shift ** (j - k) for k in range(j + 1)], axis=-1)
                grown = power(argument(self.source.growth, offset, slope), i)
                best = np.exp(np.minimum(shift * shift / 2, 700)) * mean(product(weight, grown)) * MARGIN
                best[shift > 37] = np.inf
            if self.source.analytic and not by_growth:
                best = np.fmin(best, self._strip_bound(i, j, offset, rate * y * MARGIN, slope))
            # 0 times infinity bounds nothing
            out[i, j] = np.where(np.isnan(best), np.inf, best) if not self.vanishes(i, j) else np.zeros(x.shape)
        return out

    def _strip_bound(self, i, j, offset, height, slope):
        """Bound a moment by the strip, with the contour moved up to the height on ``|z| <= _FAR`` only.

        Beyond, and on the two upright pieces, the normal density at ``_FAR`` makes the remainder negligible.
        """
        shift = np.minimum(height / float(self.slope.lower()), _STEEPEST) * MARGIN if slope else height
        far = _FAR + float(np.max(shift, initial=0.0)) if slope else 0.0
        strip = self.source.strip(float(np.max(offset, initial=0.0)) + slope * far + 1e-9)
        rows = [strip.below(s) for s in height]
        fails = np.array([row is None for row in rows]) | (shift >= _STEEPEST)   # no strip so high
        growth = np.array([np.zeros(strip.degree + 1) if row is None else row for row in rows])
        weight = np.zeros(j + 1)
        weight[j] = 1.0
        inside = power(argument(growth, offset, slope), i)
        if not slope:
            bound = normal_moment(j) * np.sum(inside, axis=-1)       # the coefficient of degree 0
        else:
            moved = np.stack([comb(j, k) * shift ** (j - k) for k in range(j + 1)], axis=-1)
            upright = 2 * shift * (far + shift) ** j * np.exp((shift**2 - far**2) / 2) * _at(inside, far)
            line = product(moved, power(argument(self.source.growth, offset, slope), i))
            bound = mean(product(weight, inside)) + upright + 2 * normal_tail(line, far, shift**2 / 2)
        return np.where(fails, np.inf, bound * MARGIN)

    # -- degrees -----------------------------------------------------------------------------------

    def degree(self, i):
        """Return the degree in the outer variable of a polynomial that bounds ``M_ij`` on the real line."""
        return (len(self.source.growth) - 1) * i


START, SLOPE = Dummy("a", real=True), Dummy("b", positive=True)
_CLOSED = {}


def _closed(source_, wanted):
    """Return closed forms of the moments in offset and slope, or None."""
    z, act = Dummy("z", real=True), source_.activation
    value, forms = act.expr.xreplace({act.symbol: START + SLOPE * z}), {}
    for i, j in wanted:
        key = (act, i, j)
        if key not in _CLOSED:
            _CLOSED[key] = closed_mean(z**j * value**i, z)
        if _CLOSED[key] is None:
            return None
        forms[i, j] = _CLOSED[key]
    return forms


def group_means(preparation, *arguments):
    """Return ``{id(step): EnclosedMeans}`` for the means of a preparation, shared where moments can be."""
    groups = {}
    for s in preparation:
        if isinstance(s, Means):
            groups.setdefault((s.label, s.order, s.offset, s.slope), []).append(s)
    return {id(s): inner for group in groups.values() for inner in [EnclosedMeans(group, *arguments)] for s in group}


def has_same_argument(one, other):
    """Return whether two Means have the same activation and argument, so that they can share their moments."""
    return (one.label, one.order, one.offset, one.slope) == (other.label, other.order, other.offset, other.slope)


def _affine(offset, node, parameters):
    """Enclose start and rate of an argument ``start + rate x``."""
    if node is None or node not in offset.free_symbols:
        return arb(ball_function(offset)(parameters)), arb(0)
    rate = offset.diff(node)
    if node in rate.free_symbols:
        raise ProofError(f"certify: the argument {offset} is not affine in {node}")
    start = offset.subs(node, 0)
    return arb(ball_function(start)(parameters)), arb(ball_function(rate)(parameters))


def _terms(functional, step):
    """Return ``[(power of the value, power of z, coefficient)]``."""
    try:
        poly = Poly(functional, step.value, step.z)
    except PolynomialError as error:
        raise ProofError(f"certify: {functional} is not polynomial in z and the activation") from error
    return [(i, j, coefficient) for (i, j), coefficient in poly.terms()]


def _at(p, x):
    return sum(p[..., k] * x**k for k in range(p.shape[-1]))
