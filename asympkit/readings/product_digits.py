"""Tables of a grid of products of rules with any number of digits."""

from fractions import Fraction

import numpy as np

from ..errors import ConvergenceError
from ..exact import digits_of
from ..gauss.quadrature.digits_rules import normal_trapezoid, panels
from ..gauss.straight import FARTHEST
from ..numbers.evaluation import evaluate
from ..program.flat import flat_conditions
from .inner_means import ConditionalMeans

__all__ = ["ProductDigits"]

#: nodes of one sum at most, those of a sum at every node of another counted
MOST_NODES = 200_000
#: digits to which a kink that is followed so far is exact
_SHIFTED = 65


class ProductDigits:
    """Builder of tables of averages over several normals, or nested ones, at refinement levels.

    Parameters
    ----------
    program : Program
    grid : Grid
    numbers : Digits
    symmetries : tuple
        Sign patterns of the variables that leave every integrand unchanged.
    digits : int
        Digits wanted of the averages; the further working digits are for solving with them.
    values : dict
        Table parameters, ``{symbol: mpf}``.
    functions : dict
        ``{label: Activation}``.

    Attributes
    ----------
    lost : set
        Empty: no mean is watched for its direction here.
    """

    lost = frozenset()

    def __init__(self, program, grid, numbers, symmetries, digits, values, functions):
        self.grid, self.numbers, self.mp, self.digits = grid, numbers, numbers.mp, digits
        self.values = values
        self.cut = self.mp.sqrt(2 * self.mp.ln(10) * (digits + 6)) + 1
        self.first = Fraction(1, 2)
        self.kinks = [[self.mp.mpf(digits_of(k, self.mp.dps + 5)) for k in grid.kinks.get(b, ())] for b in grid.bound]
        self.activations = [(s, ConditionalMeans(s, s.activation(functions), numbers)) for s in grid.preparation]
        self._add_kinks()
        flat = flat_conditions(program, grid)
        self.flat = [b in flat and values[flat[b]] == 0 for b in grid.bound]
        self.is_even = self._signs(functions) in symmetries and not any(self.kinks)
        self.further = FARTHEST if grid.is_shifted else 0
        if self.further and digits > _SHIFTED:
            raise ConvergenceError("precise: an average has a kink that moves, which is followed to "
                                   f"{FARTHEST} standard deviations; that gives {_SHIFTED} digits; pass "
                                   "fewer")
        # the nodes of an inner grid are met at every node of the outer ones
        self.dimension = len(grid.bound) + grid.is_inner * max(
            (len(g.bound) for g in program.grids if not g.is_inner and not g.given), default=0)

    def _add_kinks(self):
        """Add the places of kinks of activations at the node."""
        for step, means in self.activations:
            (b, *others) = [b for b in self.grid.bound if b in step.offset.free_symbols]
            centre, slope = (self.mp.mpf(evaluate(e, self.values, self.numbers))
                             for e in (step.offset.subs(b, 0), step.offset.diff(b))) if not others else (0, 0)
            if slope != 0:
                self.kinks[self.grid.bound.index(b)] += [(k - centre) / slope for k in means.kinks]

    def _signs(self, functions):
        """Return the signs that columns take when all nodes change theirs, or None if unknown."""
        signs = [-1] * len(self.grid.bound)
        for s in self.grid.preparation:
            parity = s.activation(functions).parity
            if parity is None or s.offset.subs(dict.fromkeys(self.grid.bound, 0)) != 0:
                return None
            signs.append(-1 if parity == "odd" else 1)
        return tuple(signs)

    @property
    def has_step(self):
        """True if the rules have equal steps."""
        return not (self.grid.is_angle or any(self.kinks))

    def take(self, step, digits):
        """Set the first step, and the cut-off where the weights are below so many digits."""
        self.first, self.cut = step, self.mp.sqrt(2 * self.mp.ln(10) * digits) + 1

    def level(self, level):
        """Return columns and weights at a level; each level halves the step (or raises the order)."""
        if self.grid.is_angle:
            return self._angles(level)
        lines = [([self.mp.zero], [self.mp.one]) if self.flat[k] else self._line(level, kinks, self.further * (k == 0))
                 for k, kinks in enumerate(self.kinks)]
        size = max(len(z) for z, _ in lines)
        dimension = self.dimension - sum(self.flat)
        if dimension > 1 and size**dimension > 2**dimension * MOST_NODES:
            raise ConvergenceError(f"precise: the average over {', '.join(b.name for b in self.grid.bound)} needs more "
                                   f"than {MOST_NODES} nodes for this many digits (they are those of a product of "
                                   f"rules, {size} for each variable here); pass fewer digits")
        places = np.meshgrid(*[np.arange(len(z)) for z, _ in lines], indexing="ij")
        squares = np.zeros(places[0].shape)
        for (line, _), k in [*zip(lines, places)][self.grid.is_shifted:]:
            squares += np.array([float(z * z) for z in line])[k]
        inside = squares <= float(self.cut + 1) ** 2
        if self.is_even:                        # of each pair z, -z the one with a non-negative first component
            inside &= places[0] >= len(lines[0][0]) // 2
        places = [k[inside] for k in places]
        columns = [np.array(z, dtype=object)[k] for (z, _), k in zip(lines, places)]
        weights = np.prod([np.array(w, dtype=object)[k] for (_, w), k in zip(lines, places)], axis=0)
        if self.is_even:
            weights[places[0] > len(lines[0][0]) // 2] *= 2
        if not any(self.kinks):
            weights = weights / self.mp.fsum(weights)
        base = {**self.values, **dict(zip(self.grid.bound, columns))}
        for step, means in self.activations:
            offsets = np.broadcast_to(evaluate(step.offset, base, self.numbers), weights.shape)
            base |= zip(step.outputs, means(list(offsets), self.mp.zero, base))
        table = {symbol: evaluate(expr, base, self.numbers) for expr, symbol in self.grid.columns.items()}
        return {**dict(zip(self.grid.bound, columns)), **table}, weights

    def _angles(self, level):
        """Return equidistant angles; twice as many square the error."""
        mp, count = self.mp, max(24, self.digits) * 2**level
        if count**self.dimension > MOST_NODES:
            raise ConvergenceError(f"precise: a mean over a spectral law needs more than {count} angles for "
                                   f"{self.digits} digits: its integrand is nearly singular at an edge of the law; "
                                   "pass fewer digits")
        theta = np.array([(mp.mpf(2 * k + 1) / (2 * count)) * mp.pi for k in range(count)], dtype=object)
        base = {self.grid.bound[0]: theta}
        table = {symbol: evaluate(expr, base, self.numbers) for expr, symbol in self.grid.columns.items()}
        return {**base, **table}, np.array([mp.one / count] * count, dtype=object)

    def _line(self, level, kinks, further):
        """Return nodes and weights of one variable."""
        mp, cut = self.mp, self.cut + further
        if kinks:
            order = int((self.digits + 6) * (0.5, 0.75, 1.0, 1.4, 2.0, 2.8, 4.0)[level]) + 8
            edges = {mp.mpf(2 * i) for i in range(-int(cut / 2) - 1, int(cut / 2) + 2)}
            return panels(mp, sorted(edges | set(kinks)), order)
        step = mp.mpf(self.first.numerator) / (self.first.denominator * 2**level)
        index, weights = normal_trapezoid(mp, step, self.cut)
        return [i * step for i in index], weights

