"""Run a program statement by statement, in any number system: the oracle of generated code."""

from ..program.statements import Linear, Newton, Scalar, Sums
from .expression import evaluate


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
        """Return all values by symbol.

        Parameters
        ----------
        parameters : dict
            ``{symbol: number}``.
        start : dict
            ``{torn unknown: number}``.
        """
        values = dict(parameters)
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
            columns, weights = self.tables[s.grid.name]
            inside = {**values, **columns}
            for symbol, expr in s.locals:
                inside[symbol] = evaluate(expr, inside, self.numbers)
            for symbol, integrand, _ in s.sums:
                values[symbol] = self.numbers.dot(evaluate(integrand, inside, self.numbers), weights)
        elif isinstance(s, Linear):
            rows = [[0 if e is None else values[e] for e in row] for row in s.matrix]
            rhs = [values[b] for b in s.rhs]
            solution, residual = solve_scaled(rows, rhs)
            values.update(zip(s.torn, solution))
            values[s.residual] = residual

    def _newton(self, s, values, start):
        n = self.numbers
        for u in s.torn:
            values[u] = start[u]
        all_maps = all(is_map for _, is_map in s.targets)
        for step in range(self.max_steps):
            for inner in s.body:
                self._step(inner, values)
            self.iterations = step + 1
            if all_maps and step < self.plain:
                for u, (t, _) in zip(s.torn, s.targets):
                    values[u] = values[t]
                continue
            rhs, rows = [], []
            for i, (u, (t, is_map)) in enumerate(zip(s.torn, s.targets)):
                if not is_map:
                    rhs.append(values[t])
                elif s.positive[i]:
                    rhs.append(n.function("log", values[u] / values[t]))
                else:
                    rhs.append(values[u] - values[t])
                rows.append([self._entry(s, i, j, values, is_map) for j in range(len(s.torn))])
            delta, _ = solve_scaled(rows, rhs)
            if any(d != d for d in delta):          # it left the domain of a function, and will not come back
                values.update(dict.fromkeys(s.torn, n.constant("nan")))
                return
            largest = 0
            for u, d, positive in zip(s.torn, delta, s.positive):
                if positive:
                    d = min(3, max(-3, d))
                    values[u] = values[u] * n.function("exp", -d)
                    largest = max(largest, abs(d))
                else:
                    values[u] = values[u] - d
                    largest = max(largest, abs(d) / (1 + abs(values[u])))
            if not largest > self.tolerance:
                return

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


def solve_scaled(rows, rhs):
    """Elimination with scaled pivoting in any field; rows that vanish exactly leave their unknown at 0."""
    n = len(rhs)
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
            continue
        for i in range(k + 1, n):
            ratio = a[i][k] / a[k][k]
            a[i] = [x - ratio * y for x, y in zip(a[i], a[k])]
            b[i] = b[i] - ratio * b[k]
    x = [0] * n
    for i in reversed(range(n)):
        total = b[i] - sum(a[i][j] * x[j] for j in range(i + 1, n))
        x[i] = total / a[i][i] if a[i][i] != 0 else 0 * total
    worst = 0
    for row, r in zip(rows, rhs):
        size = sum(abs(e * v) for e, v in zip(row, x)) + abs(r)
        if size != 0:
            worst = max(worst, abs(sum(e * v for e, v in zip(row, x)) - r) / size)
    return x, worst
