"""Unknowns inside functions, in doubles and at many points: their maps are iterated, from anywhere."""

import numpy as np

from ..numbers.evaluation import evaluate
from ..numbers.floats import Floats
from ..program.implicit import lowered
from ..program.lowering import Workshop
from ..program.names import Names
from ..program.statements import Means, Scalar
from ..runtime.products import product_tables

__all__ = ["InnerUnknowns"]

#: level of the rule, and how often the maps are iterated: rough values are enough to start from
_LEVEL, _ROUNDS = 2, 100


class InnerUnknowns:
    """Reads the maps of an :class:`~asympkit.program.implicit.Inner`.

    Parameters
    ----------
    inner : Inner
    parameters : sequence of Symbol
        All that its expressions hold beside arguments and inner unknowns.
    table_parameters : sequence of Symbol
        Those of them that averages are tabulated at: they have one value for all points.
    functions : dict of str to Activation
    """

    def __init__(self, inner, parameters, table_parameters, functions):
        names = Names((*parameters, *inner.arguments, *inner.maps))
        shop = Workshop(names, table_parameters)
        self.functions, self.unknowns, self.table_parameters = functions, tuple(inner.maps), tuple(table_parameters)
        self.statements, self.made = lowered(shop, names, {f"{u}_map": e for u, e in inner.maps.items()})
        self.grids = {}
        for builder in shop.builders.values():
            builder.grid.preparation = builder.merged_preparation()
            self.grids[builder.grid.name] = builder.grid

    def __call__(self, values, begin):
        """Return the inner unknowns, by symbol, near the fixed point of their maps.

        Parameters
        ----------
        values, begin : dict of Symbol to ndarray, shape (points,)
            Parameters and arguments, and the start of the inner unknowns.
        """
        tables, x = {name: self._table(grid, values) for name, grid in self.grids.items()}, dict(begin)
        with np.errstate(all="ignore"):
            for _ in range(_ROUNDS):
                maps = self._maps({**values, **x}, tables)
                x = {u: 0.5 * (x[u] + v) for u, v in zip(self.unknowns, maps)}
        return x

    def _table(self, grid, values):
        """Return the columns of a grid at its nodes, by symbol, and its weights."""
        known = {p: float(values[p][0]) for p in self.table_parameters}
        (nodes, weights), = product_tables((_LEVEL,), ((),) * len(grid.bound), (), False)
        known |= dict(zip(grid.bound, nodes))
        for step in grid.preparation:
            if isinstance(step, Means):
                value = step.activation(self.functions)(evaluate(step.offset, known, Floats()))
                known |= dict.fromkeys(step.outputs, value)
            else:
                known[step.symbol] = evaluate(step.expr, known, Floats())
        return known | {s: evaluate(e, known, Floats()) for e, s in grid.columns.items()}, weights

    def _maps(self, known, tables):
        numbers = Floats()
        for s in self.statements:
            if isinstance(s, Scalar):
                known[s.symbol] = evaluate(s.expr, known, numbers)
                continue
            columns, weights = tables[s.grid.name]
            here = {k: np.asarray(v)[..., np.newaxis] for k, v in known.items()} | columns
            for symbol, expr in s.locals:
                here[symbol] = evaluate(expr, here, numbers)
            for symbol, expr, _ in s.sums:
                known[symbol] = evaluate(expr, here, numbers) @ weights
        return [known[m] for m in self.made]
