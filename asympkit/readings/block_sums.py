"""Sums over grids by the ball library, a block of rows after another, each as precise as its weights want.

A row of small weight adds to the last digits alone: it is computed with fewer, and with fewer nodes of inner rules,
whose weights are multiplied by its own.
"""

import numpy as np

from .interpreter import Interpreter
from .middles import from_middles, in_middles, middles

__all__ = ["BlockSums"]

#: rows of a block; bits beside those wanted, for integrands that grow; and least bits
_ROWS, _SPARE, _LEAST = 16, 24, 64


class BlockSums:
    """Sums of a program over some tables.

    Parameters
    ----------
    program : Program
    tables : dict
        ``{grid name: (columns, weights)}`` of mpmath numbers.
    digits : int
        Correct ones of each sum, relative to the mean size of its integrand.
    mp : mpmath context
        Of the results.
    even : collection of str
        Grids of mirrored rows over which all integrands are even: half of the rows are computed.
    """

    def __init__(self, program, tables, digits, mp, even=()):
        self.program, self.mp, self.bits, self.even = program, mp, int(3.33 * digits) + _SPARE, frozenset(even)
        self.inner = [g.name for g in program.grids if g.is_inner]
        with middles(self.bits):
            self.tables = {name: _in_balls(*table) for name, table in tables.items()}

    def __call__(self, s, values):
        """Compute the sums of a statement by symbol, at numbers by symbol."""
        totals = dict.fromkeys(s.outputs, 0)
        with middles(self.bits):
            for found, weights in self._blocks(s, values):
                for symbol, rows in found:
                    totals[symbol] += (np.broadcast_to(rows, weights.shape) * weights).sum()
        return {symbol: from_middles(total, self.mp) for symbol, total in totals.items()}

    def terms(self, s, values):
        """Return pairs of a symbol and the rows' terms of its sum."""
        found = {symbol: [] for symbol in s.outputs}
        with middles(self.bits):
            for rows, weights in self._blocks(s, values):
                for symbol, row in rows:
                    found[symbol] += list(np.broadcast_to(row, weights.shape) * weights)
        return [(symbol, np.array([from_middles(t, self.mp) for t in terms], dtype=object))
                for symbol, terms in found.items()]

    def _blocks(self, s, values):
        """Yield ``[(symbol, integrand at rows)]`` and the weights of these rows."""
        needed = set().union(*(e.free_symbols for _, e in s.locals), *(e.free_symbols for _, e, _ in s.sums))
        known = {symbol: in_middles(v) for symbol, v in values.items() if symbol in needed}
        columns, weights, sizes = self.tables[s.grid.name]
        size = len(weights)
        first = size // 2 if s.grid.name in self.even else 0
        if first:
            weights = np.where(np.arange(size) * 2 == size - 1, weights, 2 * weights)
        for start in range(first, size, _ROWS):
            rows = slice(start, start + _ROWS)
            heaviest = float(sizes[rows].max())
            tables = {name: self._near(name, heaviest) for name in self.inner}
            tables[s.grid.name] = {k: c[rows] for k, c in columns.items()}, weights[rows]
            with middles(max(_LEAST, int(self.bits + min(0.0, heaviest)))) as numbers:
                found = Interpreter(self.program, numbers, tables).integrands(s, known)
            yield found, weights[rows]

    def _near(self, name, heaviest):
        """Return the nodes of an inner rule that count in a row whose weight has a binary logarithm."""
        columns, weights, sizes = self.tables[name]
        kept = sizes >= min(-self.bits - heaviest, sizes.max())
        return {k: c[kept] for k, c in columns.items()}, weights[kept]


def _in_balls(columns, weights):
    """Convert a table for the ball library, with the binary logarithms of its weights."""
    with np.errstate(divide="ignore"):
        sizes = np.log2([abs(float(w)) for w in weights])
    columns = {k: in_middles(np.broadcast_to(np.asarray(c, dtype=object), sizes.shape)) for k, c in columns.items()}
    return columns, in_middles(np.asarray(weights, dtype=object)), sizes
