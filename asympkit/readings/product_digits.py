"""Tables of a grid of products of rules with any number of digits."""

from itertools import product

import numpy as np

from ..errors import ConvergenceError
from ..exact import digits_of
from .expression import evaluate
from .rules import normal_panels, normal_trapezoid

__all__ = ["ProductDigits"]

#: nodes of one sum at most, those of a sum at every node of another counted
MOST_NODES = 200_000


class ProductDigits:
    """Builds the tables of averages over several normals, or inside others, at refinement levels.

    Parameters
    ----------
    program : Program
    grid : Grid
    numbers : Digits
    symmetries : tuple
        Sign patterns of the variables that leave every integrand unchanged.
    digits : int
        Digits wanted of the averages: the working ones more are for what is solved with them.

    Attributes
    ----------
    lost : set
        Empty: no direction of a mean is watched here.
    """

    lost = frozenset()

    def __init__(self, program, grid, numbers, symmetries, digits):
        self.grid, self.numbers, self.mp = grid, numbers, numbers.mp
        self.cut = self.mp.sqrt(2 * self.mp.ln(10) * (digits + 6)) + 1
        self.kinks = [[self.mp.mpf(digits_of(k, self.mp.dps + 5)) for k in grid.kinks.get(b, ())] for b in grid.bound]
        self.is_even = any(all(s == -1 for s in pattern) for pattern in symmetries) and not any(self.kinks)
        # the nodes of an inner grid are met at every node of the outer ones
        self.dimension = len(grid.bound) + grid.is_inner * max(
            (len(g.bound) for g in program.grids if not g.is_inner and not g.given), default=0)

    def level(self, level):
        """Columns and weights at a level; each level halves the step (or raises the order)."""
        lines = [self._line(level, kinks) for kinks in self.kinks]
        size = max(len(z) for z, _ in lines)
        if size**self.dimension > 2**self.dimension * MOST_NODES:
            raise ConvergenceError(f"precise: the average over {', '.join(b.name for b in self.grid.bound)} needs more "
                                   f"than {MOST_NODES} nodes for this many digits (they are those of a product of "
                                   f"rules, {size} for each variable here); ask for fewer digits")
        limit, rows = (self.cut + 1) ** 2, []
        half = len(lines[0][0]) // 2 if self.is_even else 0
        for first, *rest in product(*[zip(*line) for line in (_from(lines[0], half), *lines[1:])]):
            nodes, weight = [first[0], *(z for z, _ in rest)], first[1]
            if sum(z * z for z in nodes) > limit:
                continue
            for _, w in rest:
                weight = weight * w
            rows.append((*nodes, weight * (2 if self.is_even and first[0] != 0 else 1)))
        *columns, weights = (np.array(c, dtype=object) for c in zip(*rows))
        weights = weights / self.mp.fsum(weights)
        base = dict(zip(self.grid.bound, columns))
        table = {symbol: evaluate(expr, base, self.numbers) for expr, symbol in self.grid.columns.items()}
        return {**base, **table}, weights

    def _line(self, level, kinks):
        """Nodes and weights of one variable."""
        mp = self.mp
        if kinks:
            order = int(mp.dps * (0.5, 0.75, 1.0, 1.4, 2.0)[min(level, 4)]) + 8
            edges = {mp.mpf(2 * i) for i in range(-int(self.cut / 2) - 1, int(self.cut / 2) + 2)}
            return normal_panels(mp, sorted(edges | set(kinks)), order)
        step = mp.mpf(1) / (2 * 2**level)
        index, weights = normal_trapezoid(mp, step, self.cut)
        return [i * step for i in index], weights


def _from(line, half):
    """The non-negative half of a symmetric rule, all of it for half = 0."""
    return line[0][half:], line[1][half:]
