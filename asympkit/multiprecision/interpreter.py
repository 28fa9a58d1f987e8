"""Run a program statement by statement, in any number system: the oracle of generated code.

Unknowns inside functions, in doubles and at many points: their maps are iterated, from anywhere.
"""

from functools import lru_cache

import numpy as np

from ..numbers.evaluation import Floats, evaluate
from ..program.lowering import LoweringContext, lower_statements
from ..program.names import Names
from ..program.passes import name_shared_functions
from ..program.statements import LARGEST_ERROR, ROUNDING, Linear, Means, Scalar, Sums, split_locals
from ..runtime.linear import solve_linear_n
from ..runtime.newton import newton_batch
from ..runtime.tables import product_tables

__all__ = ["InnerUnknowns"]

_shared = lru_cache(maxsize=64)(name_shared_functions)
#: residual of the equations of a step above which their matrix is singular
_SINGULAR = 1e-6


class Interpreter:
    """Execute a program in a number system; back ends override how sums, blocks and expressions are evaluated.

    ``tables`` are ``{grid name: (columns by symbol, weights)}``.  Newton's method takes ``plain`` steps of plain
    iteration first, and stops when a step in the solver's variables is below ``tolerance``.
    """

    def __init__(self, program, numbers, tables, tolerance=1e-9, plain=2, max_steps=100):
        self.program, self.numbers, self.tables = program, numbers, tables
        self.tolerance, self.plain, self.max_steps = tolerance, plain, max_steps
        self.iterations = 0

    def run(self, parameters, start):
        """Run the statements at parameters, from a start of the iteration variables; return all values by symbol."""
        return self.execute(self.program.statements, {**parameters, **start, ROUNDING: self.numbers.rounding,
                                                      LARGEST_ERROR: self.numbers.largest_error})

    def execute(self, statements, values):
        """Run statements at known values by symbol, and add what they compute."""
        for s in statements:
            if isinstance(s, Scalar):
                values[s.symbol] = self.value(s.expr, values)
            else:
                values.update(self.sums(s, values) if isinstance(s, Sums) else
                              self.linear(s, values) if isinstance(s, Linear) else self.newton(s, values))
        return values

    def value(self, expr, values):
        """Evaluate an expression."""
        return evaluate(expr, values, self.numbers)

    # -- sums ----------------------------------------------------------------------------------------

    def sums(self, s, values):
        """Compute the sums of a statement, by symbol."""
        weights = self.tables[s.grid.name][1]
        return {symbol: self._sum(found, weights) for symbol, found in self.integrands(s, values)}

    def _sum(self, found, weights):
        """Sum over the nodes, the last axis; others are nodes or points around them."""
        return self.numbers.dot(found, weights) if np.ndim(found) < 2 else (found * weights).sum(-1)

    def integrands(self, s, values):
        """Return pairs of a symbol and the terms of its sum, at every row of the table."""
        inside = _apart(values) | self.tables[s.grid.name][0]
        before, sums_inside, after = split_locals(s.locals)
        inside |= self._in_order(before, inside)
        inside |= self._inner_sums(sums_inside, inside)
        inside |= self._in_order(after, inside)
        return [(symbol, self.value(integrand, inside)) for symbol, integrand, _ in s.sums]

    def terms(self, s, values):
        """Return pairs of a symbol and the rows' weighted terms of its sum."""
        weights = self.tables[s.grid.name][1]
        return [(symbol, np.broadcast_to(found, weights.shape) * weights)
                for symbol, found in self.integrands(s, values)]

    def _in_order(self, rows, values):
        """Evaluate expressions of which each may hold those before."""
        for symbol, expr in rows:
            values[symbol] = self.value(expr, values)
        return values

    def _inner_sums(self, rows, values):
        """Compute nested sums at every node of the grid around them."""
        if not rows:
            return {}
        inside = _apart(values)
        for _, expr in rows:
            inside |= {b: self.tables[expr.grid][0][b] for b in expr.bound}
        steps, integrands = _shared(tuple(e.integrand for _, e in rows))
        self._in_order(steps, inside)
        return {symbol: self._sum(self.value(integrand, inside), self.tables[expr.grid][1])
                for (symbol, expr), integrand in zip(rows, integrands)}

    # -- blocks --------------------------------------------------------------------------------------

    def linear(self, s, values):
        """Solve a linear block; return its unknowns and its residual, by symbol."""
        rows = [[0 if e is None else values[e] for e in row] for row in s.matrix]
        solution, residual = solve_scaled(rows, [values[b] for b in s.rhs])
        zero = self.numbers.rational(0, 1)              # exact zeros are plain ints
        return {s.residual: residual, **{u: x + zero for u, x in zip(s.torn, solution)}}

    def newton(self, s, values):
        """Run Newton's method as generated code does, from the values of the unknowns; return them by symbol."""
        def step(*unknowns):
            values.update((u, x[0]) for u, x in zip(s.torn, unknowns))
            self.execute(s.body, values)
            return [values[t] for t, _ in s.targets] if s.all_maps else None, *self.equations(s, values)

        def solve(matrix, rhs):
            found, missed = solve_scaled(matrix[0], rhs[0])
            found = [nan] * len(found) if any(x != x for x in found) else found
            return np.array([found], dtype=object), np.array([missed > _SINGULAR])

        nan = self.numbers.constant("nan")
        rest = self.tolerance / 10**6 if s.holds_sums_inside else -1         # steps below it are rounding
        found, (iterations,), (matrix,), (moved,) = newton_batch(
            step, (), [np.array([values[u]], dtype=object) for u in s.torn], s.positive, self.plain, self.tolerance,
            self.max_steps, s.intervals if any(s.intervals) else (), rest, solve, np.frompyfunc(self._exp, 1, 1))
        self.iterations = int(iterations)
        return dict(zip(s.torn, found[:, 0])) | {s.step_residual: moved} | name_slopes(s, matrix)

    def _exp(self, x):
        return self.numbers.function("exp", x)

    def equations(self, s, values):
        """Return residuals of a Newton statement, and rows of its matrix, in the variables of the solver."""
        places = range(len(s.torn))
        residuals = [self.residual(s, i, values) for i in places]
        if any(r != r for r in residuals):          # no maximum of absolute values may overlook one
            residuals = [self.numbers.constant("nan")] * len(residuals)
        return residuals, [[self._entry(s, i, j, values) for j in places] for i in places]

    def residual(self, s, i, values):
        """Return the residual of one equation."""
        t, is_map = s.targets[i]
        if not is_map:
            return values[t]
        u = values[s.torn[i]]
        return self.numbers.function("log", u / values[t]) if s.positive[i] else u - values[t]

    @staticmethod
    def _entry(s, i, j, values):
        target, is_map = s.targets[i]
        d = 0 if s.jacobian[i][j] is None else values[s.jacobian[i][j]]
        scale = values[s.torn[j]] if s.positive[j] else 1
        if not is_map:
            return d * scale
        if s.positive[i]:
            u = 1 if s.positive[j] else 1 / values[s.torn[i]]
            return (u if i == j else 0) - d * scale / values[target]
        return ((1 if i == j else 0) - d) * scale


def name_slopes(s, rows):
    """Return the entries of the matrix of a Newton statement that later statements read, by symbol."""
    return {e: d for names, row in zip(s.slopes, rows) for e, d in zip(names, row) if e is not None}


def _apart(values):
    """Give arrays, of one value a point or a node, another axis for the nodes of a sum."""
    return {s: v[..., np.newaxis] if isinstance(v, np.ndarray) and v.ndim else v for s, v in values.items()}


def solve_scaled(rows, rhs):
    """Solve linear equations in any field; see :func:`~asympkit.runtime.linear.solve_linear_n`."""
    return solve_linear_n(np.array(rows, dtype=object), np.array(rhs, dtype=object))


#: level of the rule, and how often the maps are iterated: rough values are enough to start from
_LEVEL, _ROUNDS = 2, 100


class InnerUnknowns:
    """Read the maps of an :class:`~asympkit.program.lowering.ImplicitFunctions`.

    ``parameters`` are all that its expressions hold beside arguments and inner unknowns; ``table_parameters`` those of
    them that averages are tabulated at: they have one value for all points.
    """

    def __init__(self, inner, parameters, table_parameters, functions):
        names = Names((*parameters, *inner.arguments, *inner.maps))
        shop = LoweringContext(names, table_parameters)
        self.functions, self.unknowns, self.table_parameters = functions, tuple(inner.maps), tuple(table_parameters)
        self.statements, self.made = lower_statements(shop, names, {f"{u}_map": e for u, e in inner.maps.items()})
        self.grids = {}
        for builder in shop.builders.values():
            builder.grid.preparation = builder.merged_preparation()
            self.grids[builder.grid.name] = builder.grid

    def __call__(self, values, begin):
        """Return the inner unknowns near the fixed point of their maps, by symbol, arrays over points.

        ``values`` are parameters and arguments, ``begin`` the start of the inner unknowns.
        """
        run = Interpreter(None, Floats(), {name: self._table(grid, values) for name, grid in self.grids.items()})
        x = dict(begin)
        with np.errstate(all="ignore"):
            for _ in range(_ROUNDS):
                found = run.execute(self.statements, {**values, **x})
                x = {u: 0.5 * (x[u] + found[v]) for u, v in zip(self.unknowns, self.made)}
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
