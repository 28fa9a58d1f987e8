"""Proved bounds of an activation: its growth on the real line, and its size on strips around it."""

import heapq
from fractions import Fraction
from functools import lru_cache
from math import ceil, inf, isfinite

import numpy as np

from ..balls.analytic import compile_balls
from ..balls.backend import acb, arb, workprec
from ..balls.growth import growth_bound, number_range
from ..balls.pieces import pieces
from .forms import bound_above, refusal

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
