"""Tables of a grid with any number of digits, on refined rules."""

from fractions import Fraction

import numpy as np

from ..exact import digits_of
from ..program.statements import Means
from ..program.symmetry import base_columns
from .expression import evaluate
from .inner_means import InnerMeans
from .rules import normal_panels, normal_trapezoid


def evaluate_map(mapping, values, functions, numbers):
    """Evaluate a :class:`~asympkit.program.ScalarMap`; returns ``{output name: number}``."""
    known = {**values}
    for s in mapping.preparation:
        if isinstance(s, Means):
            columns = {k: np.array([v], dtype=object) for k, v in known.items()}
            means = InnerMeans(s, s.activation(functions), numbers)([numbers.mp.zero], numbers.mp.one, columns)
            known.update((o, m[0]) for o, m in zip(s.outputs, means))
        else:
            known[s.symbol] = evaluate(s.expr, known, numbers)
    return {name: evaluate(e, known, numbers) for name, e in mapping.outputs}


class DigitsTables:
    """Builds tables at refinement levels, keeping what earlier levels computed.

    Parameters
    ----------
    grid : Grid
    values : dict
        Table parameters, ``{symbol: mpf}``.
    functions : dict
        ``{label: Activation}``.
    numbers : Digits
    symmetries : tuple
        Sign patterns of the base columns that leave every integrand unchanged.
    """

    def __init__(self, grid, values, functions, numbers, symmetries):
        self.grid, self.values, self.functions, self.numbers = grid, values, functions, numbers
        self.mp = numbers.mp
        self.base = base_columns(grid)
        shared = {}
        self.means = {id(s): InnerMeans(s, s.activation(functions), numbers, shared)
                      for s in grid.preparation if isinstance(s, Means)}
        self.cut = self.mp.sqrt(2 * self.mp.ln(10) * (self.mp.dps + 10)) + 1
        self.centres = self._centres()
        self._known = {}                      # node (exact fraction) -> base columns
        self.even = not self.centres and self._is_even(symmetries)

    def level(self, level):
        """Columns and weights at a level; each level halves the step (or raises the order)."""
        if self.centres:
            order = int(self.mp.dps * (0.5, 0.75, 1.0, 1.4, 2.0)[min(level, 4)]) + 8
            nodes, weights = normal_panels(self.mp, self._edges(), order)
            base = self._columns(nodes)
        else:
            step = Fraction(1, 4 * 2**level)
            index, weights = normal_trapezoid(self.mp, self.mp.mpf(step.numerator) / step.denominator, self.cut)
            if self.even:
                half = len(index) // 2
                index, weights = index[half:], [weights[half], *(2 * w for w in weights[half + 1:])]
            fractions = [i * step for i in index]
            missing = [f for f in fractions if f not in self._known]
            if missing:
                columns = self._columns([self.mp.mpf(f.numerator) / f.denominator for f in missing])
                for k, f in enumerate(missing):
                    self._known[f] = [c[k] for c in columns]
            base = [np.array([self._known[f][j] for f in fractions], dtype=object) for j in range(len(self.base))]
        columns = {**self.values, **dict(zip(self.base, base))}
        table = {symbol: evaluate(expr, columns, self.numbers) for expr, symbol in self.grid.columns.items()}
        return table, np.array(weights, dtype=object)

    def _columns(self, nodes):
        """Base columns at nodes."""
        node = self.grid.bound[0]
        known = {node: np.array(nodes, dtype=object)}
        for s in self.grid.preparation:
            values = {**self.values, **known}
            if not isinstance(s, Means):
                known[s.symbol] = evaluate(s.expr, values, self.numbers)
                continue
            offsets = evaluate(s.offset, values, self.numbers)
            offsets = list(np.broadcast_to(np.asarray(offsets, dtype=object), (len(nodes),)))
            slope = self.mp.mpf(evaluate(s.slope, self.values, self.numbers))
            means = self.means[id(s)](offsets, slope, values)
            known.update(zip(s.outputs, means))
        return [np.broadcast_to(np.asarray(known[s], dtype=object), (len(nodes),)) for s in self.base]

    def _centres(self):
        """Where kinks of the activations show in the outer variable, if they are sharp."""
        mp, node = self.mp, self.grid.bound[0]
        found = [(mp.mpf(digits_of(k, mp.dps + 5)), mp.zero) for k in self.grid.kinks]
        for s in self.grid.preparation:
            if not isinstance(s, Means) or not s.activation(self.functions).kinks:
                continue
            per_node = mp.mpf(evaluate(s.offset.diff(node), self.values, self.numbers))
            offset = mp.mpf(evaluate(s.offset.subs(node, 0), self.values, self.numbers))
            slope = mp.mpf(evaluate(s.slope, self.values, self.numbers))
            if per_node != 0 and slope / mp.sqrt(per_node**2 + slope**2) < 0.1:
                found += [((k - offset) / per_node, slope / abs(per_node)) for k in self.means[id(s)].kinks]
        return found

    def _edges(self):
        mp = self.mp
        edges = {mp.mpf(2 * i) for i in range(-int(self.cut / 2) - 1, int(self.cut / 2) + 2)}
        for centre, width in self.centres:
            edges.add(centre)
            distance = mp.mpf(2)
            while distance > width > 0:
                edges |= {centre - distance, centre + distance}
                distance /= 2
        return sorted(e for e in edges if abs(e) <= self.cut + 1)

    def _is_even(self, symmetries):
        """Whether the columns have parities under which every integrand is even.

        Those of functions with a parity have one; which it is shows at a point.
        """
        mp = self.mp
        if any(s.activation(self.functions).parity is None for s in self.grid.preparation if isinstance(s, Means)):
            return False
        x = mp.mpf(3) / 8
        columns = self._columns([x, -x])
        pattern = []
        for c in columns:
            size = max(abs(c[0]), abs(c[1]))
            small = mp.mpf(10) ** (12 - mp.dps) * size
            pattern.append(0 if size == 0 else 1 if abs(c[0] - c[1]) <= small
                           else -1 if abs(c[0] + c[1]) <= small else 2)
        return any(all(p in (0, s) for p, s in zip(pattern, symmetry)) for symmetry in symmetries)
