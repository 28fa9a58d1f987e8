"""Run a program statement by statement, in any number system: the oracle of generated code.

Unknowns inside functions, in doubles and at many points: their maps are iterated, from anywhere.
"""

import math
from functools import lru_cache

import numpy as np

from ..numbers.evaluation import Floats, evaluate
from ..program.inner_sum import split_locals
from ..program.lowering import LoweringContext, lowered
from ..program.names import Names
from ..program.passes import shared
from ..program.statements import LARGEST_ERROR, ROUNDING, Linear, Means, Newton, Scalar, Sums
from ..runtime.tables import product_tables

__all__ = ["InnerUnknowns"]


_shared = lru_cache(maxsize=64)(shared)


class Interpreter:
    """Executes a program.

    Parameters
    ----------
    program : Program
    numbers : Floats or Digits
    tables : dict
        ``{grid name: (columns, weights)}`` with ``columns`` a dict of symbol to array.
    tolerance : number
        Newton stops when a step in the solver's variables is below it.
    """

    def __init__(self, program, numbers, tables, tolerance=1e-9, plain=2, max_steps=100):
        self.program, self.numbers, self.tables = program, numbers, tables
        self.tolerance, self.plain, self.max_steps = tolerance, plain, max_steps
        self.iterations = 0

    def run(self, parameters, start):
        """Run the statements; return all values by symbol.

        Parameters
        ----------
        parameters : dict
            ``{symbol: number}``.
        start : dict
            ``{iteration variable: number}``.
        """
        values = {**parameters, ROUNDING: self.numbers.rounding, LARGEST_ERROR: self.numbers.largest_error}
        for s in self.program.statements:
            if isinstance(s, Newton):
                self._newton(s, values, start)
            else:
                self._step(s, values)
        return values

    def _step(self, s, values):
        if isinstance(s, Scalar):
            values[s.symbol] = evaluate(s.expr, values, self.numbers)
        elif isinstance(s, Sums):
            self._sums(s, values)
        elif isinstance(s, Linear):
            rows = [[0 if e is None else values[e] for e in row] for row in s.matrix]
            rhs = [values[b] for b in s.rhs]
            solution, residual = solve_scaled(rows, rhs)
            zero = self.numbers.rational(0, 1)              # exact zeros are plain ints
            values.update((u, x + zero) for u, x in zip(s.torn, solution))
            values[s.residual] = residual

    def _sums(self, s, values):
        weights = self.tables[s.grid.name][1]
        values.update((symbol, self.numbers.dot(found, weights)) for symbol, found in self.integrands(s, values))

    def integrands(self, s, values):
        """Return pairs of a symbol and the terms of its sum, at every row of the table."""
        inside = {**values, **self.tables[s.grid.name][0]}
        before, sums_inside, after = split_locals(s.locals)
        for symbol, expr in before:
            inside[symbol] = evaluate(expr, inside, self.numbers)
        self._inner_sums(sums_inside, inside)
        for symbol, expr in after:
            inside[symbol] = evaluate(expr, inside, self.numbers)
        return [(symbol, evaluate(integrand, inside, self.numbers)) for symbol, integrand, _ in s.sums]

    def terms(self, s, values):
        """Return pairs of a symbol and the rows' weighted terms of its sum."""
        weights = self.tables[s.grid.name][1]
        return [(symbol, np.broadcast_to(found, weights.shape) * weights)
                for symbol, found in self.integrands(s, values)]

    def _inner_sums(self, rows, values):
        """Sum over nodes of nested sums, the last axis, at every node of the grid around them."""
        if not rows:
            return
        inside = {s: v[:, None] if isinstance(v, np.ndarray) and v.ndim else v for s, v in values.items()}
        for expr in (e for _, e in rows):
            inside |= {b: self.tables[expr.grid][0][b] for b in expr.bound}
        steps, integrands = _shared(tuple(e.integrand for _, e in rows))
        for symbol, expr in steps:
            inside[symbol] = evaluate(expr, inside, self.numbers)
        for (symbol, expr), integrand in zip(rows, integrands):
            weights, found = self.tables[expr.grid][1], evaluate(integrand, inside, self.numbers)
            shape = np.broadcast_shapes(np.shape(found), weights.shape)
            values[symbol] = (np.broadcast_to(found, shape) * weights).sum(-1)

    def _newton(self, s, values, start):
        """Run Newton's method as generated code does, halved steps included."""
        n = self.numbers
        for u in s.torn:
            values[u] = start[u]
        small_before = best = values[s.moved] = math.inf
        halvings, stood, delta, origin, weights = 0, 0, None, None, None
        rest = self.tolerance / 10**6 if s.holds_sums_inside else -1         # steps below it are rounding
        for step in range(self.max_steps):
            for inner in s.body:
                self._step(inner, values)
            self.iterations = step + 1
            if s.all_maps and step < self.plain:
                for u, (t, _) in zip(s.torn, s.targets):
                    values[u] = values[t]
                continue
            rhs = [self._residual(s, i, values) for i in range(len(s.torn))]
            may_halve = not s.all_maps and best < math.inf and values[s.moved] > 1e-6 and halvings < 25
            may_halve = may_halve and not small_before <= rest
            if may_halve and not max(abs(g) * w for g, w in zip(rhs, weights)) <= best:
                halvings += 1
                values.update(zip(s.torn, origin))
                delta = self._move(s, values, [d / 2 for d in delta])
                continue
            halvings, origin = 0, [values[u] for u in s.torn]
            rows = [[self._entry(s, i, j, values, is_map) for j in range(len(s.torn))]
                    for i, (_, is_map) in enumerate(s.targets)]
            delta, missed = solve_scaled(rows, rhs)
            if any(d != d for d in delta):          # it left the domain of a function, and will not come back
                values.update(dict.fromkeys(s.torn, n.constant("nan")))
                return
            weights = [1 / (sum(abs(e) for e in row) + 1e-300) for row in rows]
            best = max(abs(g) * w for g, w in zip(rhs, weights))
            if missed > 1e-6:                            # singular: away from here
                delta = [n.rational(1, 2) if p else (1 + abs(values[u])) * n.rational(1, 10)
                         for u, p in zip(s.torn, s.positive)]
            for i, (u, positive) in enumerate(zip(s.torn, s.positive)):
                entries = [rhs[i], *rows[i], *(row[i] for row in rows)]
                if not (s.all_maps or positive or any(e != 0 for e in entries)):      # an unknown in no equation
                    delta[i] = values[u]
            delta = self._move(s, values, delta)
            sizes = [abs(d) for d in delta]
            own = max(d if p and not i else d * (values[u] if p else 1) / (_distance(values[u], i) + 1e-300)
                      for u, d, p, i in zip(s.torn, sizes, s.positive, s.intervals))
            small = max(d if p else d / (1 + abs(values[u])) for u, d, p in zip(s.torn, sizes, s.positive))
            values[s.moved] = own
            stands = s.may_stand and (small <= rest or small_before <= small <= self.tolerance)
            stood = stood + 1 if stands else 0
            if not own > self.tolerance or stood == 2:
                values[s.moved] = 0 if own == own else math.inf
                return
            small_before = small

    def _residual(self, s, i, values):
        t, is_map = s.targets[i]
        if not is_map:
            return values[t]
        u = values[s.torn[i]]
        return self.numbers.function("log", u / values[t]) if s.positive[i] else u - values[t]

    def _move(self, s, values, delta):
        """Step the unknowns, by a bounded factor or never further than most of the way to a border."""
        taken = list(delta)
        for j, (u, positive, interval) in enumerate(zip(s.torn, s.positive, s.intervals)):
            now = values[u]
            if positive:
                taken[j] = min(3, max(-3, delta[j]))
                values[u] = now * self.numbers.function("exp", -taken[j])
            else:
                values[u] = now - delta[j]
            if interval and interval[0] > -math.inf:
                values[u] = max(values[u], now - (now - interval[0]) * self.numbers.rational(9, 10))
            if interval and interval[1] < math.inf:
                values[u] = min(values[u], now + (interval[1] - now) * self.numbers.rational(9, 10))
        return taken

    @staticmethod
    def _entry(s, i, j, values, is_map):
        symbol = s.jacobian[i][j]
        d = 0 if symbol is None else values[symbol]
        scale = values[s.torn[j]] if s.positive[j] else 1
        if not is_map:
            return d * scale
        if s.positive[i]:
            u = 1 if s.positive[i] and s.positive[j] else 1 / values[s.torn[i]]
            return (u if i == j else 0) - d * scale / values[s.targets[i][0]]
        return ((1 if i == j else 0) - d) * scale


def _distance(value, interval):
    """Return the distance from 0, or from a border if that is closer."""
    finite = [x for x in interval or () if abs(x) < math.inf]
    return min([abs(value), *(abs(value - x) for x in finite)])


def solve_scaled(rows, rhs):
    """Solve by elimination with scaled pivoting in any field; rows that vanish exactly leave their unknown at 0.

    Returns the solution and its residual, which is 1 at least where the other rows are dependent.
    """
    n, worst = len(rhs), 0
    a, b = [list(r) for r in rows], list(rhs)
    scale = [sum(abs(e) for e in r) for r in a]
    for i in range(n):
        if scale[i] == 0:
            a[i][i], b[i], scale[i] = 1, 0, 1
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(a[i][k]) / scale[i])
        a[k], a[best], b[k], b[best] = a[best], a[k], b[best], b[k]
        scale[k], scale[best] = scale[best], scale[k]
        if a[k][k] == 0:
            worst = 1
            continue
        for i in range(k + 1, n):
            ratio = a[i][k] / a[k][k]
            a[i] = [x - ratio * y for x, y in zip(a[i], a[k])]
            b[i] = b[i] - ratio * b[k]
    x = [0] * n
    for i in reversed(range(n)):
        total = b[i] - sum(a[i][j] * x[j] for j in range(i + 1, n))
        x[i] = total / a[i][i] if a[i][i] != 0 else 0 * total
    for row, r in zip(rows, rhs):
        size = sum(abs(e * v) for e, v in zip(row, x)) + abs(r)
        if size != 0:
            worst = max(worst, abs(sum(e * v for e, v in zip(row, x)) - r) / size)
    return x, worst


#: level of the rule, and how often the maps are iterated: rough values are enough to start from
_LEVEL, _ROUNDS = 2, 100


class InnerUnknowns:
    """Reads the maps of an :class:`~asympkit.program.lowering.ImplicitFunctions`.

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
        shop = LoweringContext(names, table_parameters)
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
