"""Print a program as one function over arrays of parameter points, for plain numpy."""

from ..program.statements import Linear, Newton, Scalar, Sums
from .expressions import ExpressionPrinter
from .jacobian import jacobian_entry


class BatchWriter:
    """Writes ``solve_batch``: every parameter is an array of P points, every sum a matrix product."""

    def __init__(self, program, names):
        self.program, self.names = program, names
        self.printer = ExpressionPrinter(names, batch=True)
        self.lines = []

    def __call__(self):
        p = self.program
        torn = [self.names[u] for n in p.newtons for u in n.torn]
        arguments = [self.names[s] for s in p.parameters]
        arguments += [f"{g.name}_table, {g.name}_weights" for g in p.grids]
        arguments += [*(f"{u}_start" for u in torn), "plain", "tolerance", "max_steps"]
        self._put(0, f"def solve_batch({', '.join(arguments)}):")
        self._put(1, '"""Solve P parameter points at once.')
        self._put(1, "")
        self._put(1, "Returns an array of shape (len(OUTPUTS), P), and for diagnosis a list of blocks:")
        self._put(1, '("newton", unknowns, Jacobian in the logarithms of positive unknowns),')
        self._put(1, '("linear", unknowns, matrix, magnitude of the right-hand side, what follows by linearity),')
        self._put(1, '("explicit", unknowns, magnitude)."""')
        self._put(1, "blocks = []")
        for g in p.grids:
            for row, column in enumerate(g.columns.values()):
                self._put(1, f"{self.names[column]} = {g.name}_table[{row}]")
        size = f"{self.names[p.parameters[0]]}.shape" if p.parameters else "(1,)"
        self._put(1, f"iterations = np.zeros({size})")
        for statement in p.statements:
            self._statement(1, statement)
        for u, size in p.sizes.items():
            self._put(1, f'blocks.append(("explicit", ("{u.name}",), {self.names[size]}))')
        outputs = [*(self.names[s] for s in p.outputs), "iterations"]
        self._put(1, f"return np.stack(np.broadcast_arrays({', '.join(outputs)})), blocks")
        return "\n".join(self.lines)

    def _put(self, depth, text):
        self.lines.append("    " * depth + text)

    def _statement(self, depth, s):
        {Scalar: self._scalar, Sums: self._sums, Newton: self._newton, Linear: self._linear}[type(s)](depth, s)

    def _scalar(self, depth, s):
        self._put(depth, f"{self.names[s.symbol]} = {self.printer.source(s.expr)}")

    def _sums(self, depth, s):
        rows = set(s.grid.columns.values()) | {symbol for symbol, _ in s.locals}
        printer = ExpressionPrinter(
            self.names, batch=True,
            decorate=lambda symbol, name: name if symbol in rows else f"{name}[..., None]")
        for symbol, expr in s.locals:
            self._put(depth, f"{self.names[symbol]} = {printer.source(expr)}")
        for symbol, integrand, _ in s.sums:
            kernel, column = _split(integrand, set(s.grid.columns.values()))
            weights = f"{s.grid.name}_weights"
            if column is not None:
                weights = f"({printer.source(column)}*{weights})"
            if kernel is None:
                self._put(depth, f"{self.names[symbol]} = {weights}.sum()")
            else:
                self._put(depth, f"{self.names[symbol]} = ({printer.source(kernel)}) @ {weights}")

    def _newton(self, depth, s):
        n = [self.names[u] for u in s.torn]
        self._put(depth, f"# Newton's method for {', '.join(n)}; finished points no longer move")
        for u in n:
            self._put(depth, f"{u} = {u}_start")
        self._put(depth, "moving = np.ones_like(iterations, dtype=bool)")
        self._put(depth, "for step in range(max_steps):")
        for inner in s.body:
            self._statement(depth + 1, inner)
        self._put(depth + 1, "iterations = iterations + moving")
        targets = [(self.names[t], is_map) for t, is_map in s.targets]
        if all(is_map for _, is_map in targets):
            self._put(depth + 1, "if step < plain:")
            for u, (t, _) in zip(n, targets):
                self._put(depth + 2, f"{u} = {t}")
            self._put(depth + 2, "continue")
        entries, rhs = [], []
        for i, (u, (t, is_map), positive) in enumerate(zip(n, targets, s.positive)):
            rhs.append((f"np.log({u}/{t})" if positive else f"{u} - {t}") if is_map else t)
            entries.append([jacobian_entry(s, i, j, self.names) for j in range(len(n))])
        self._put(depth + 1, f"J = stack_matrix(moving.shape, {_nested(entries)})")
        self._put(depth + 1, f"delta, _ = solve_linear_batch(J, stack_vector(moving.shape, ({', '.join(rhs)},)))")
        for j, (u, positive) in enumerate(zip(n, s.positive)):
            if positive:
                moved = f"{u}*np.exp(-np.clip(delta[..., {j}], -3.0, 3.0))"
                self._put(depth + 1, f"{u} = np.where(moving, {moved}, {u})")
            else:
                self._put(depth + 1, f"{u} = np.where(moving, {u} - delta[..., {j}], {u})")
                self._put(depth + 1, f"delta[..., {j}] /= 1.0 + np.abs({u})")
        self._put(depth + 1, "moving = moving & (np.abs(delta).max(axis=-1) > tolerance)")
        self._put(depth + 1, "if not moving.any():")
        self._put(depth + 2, "break")
        self._put(depth, f"blocks.append((\"newton\", {_quoted(s.torn)}, J))")

    def _or_zero(self, symbol):
        return "0.0" if symbol is None else self.names[symbol]

    def _linear(self, depth, s):
        entries = [[self._or_zero(e) for e in row] for row in s.matrix]
        rhs = ", ".join(self.names[b] for b in s.rhs)
        sizes = ", ".join(self.names[b] for b in s.sizes)
        self._put(depth, f"A = stack_matrix(iterations.shape, {_nested(entries)})")
        self._put(depth, f"b = stack_vector(iterations.shape, ({rhs},))")
        self._put(depth, f"solution, {self.names[s.residual]} = solve_linear_batch(A, b)")
        follow = ", ".join(f'("{u.name}", {self.names[zero]}, ({"".join(self._or_zero(d) + ", " for d in ds)}))'
                           for u, zero, ds in s.assigned)
        self._put(depth, f'blocks.append(("linear", {_quoted(s.torn)}, A, '
                         f"stack_vector(iterations.shape, ({sizes},)), ({follow}{',' if follow else ''})))")
        for j, u in enumerate(s.torn):
            self._put(depth, f"{self.names[u]} = solution[..., {j}]")


def _quoted(symbols):
    return "(" + " ".join(f'"{s.name}",' for s in symbols) + ")"


def _nested(entries):
    return "(" + ", ".join("(" + ", ".join(row) + ",)" for row in entries) + ",)"


def _split(integrand, columns):
    """Split a product into what varies with the point and what is only tabulated."""
    from sympy import Mul

    table = [f for f in Mul.make_args(integrand) if f.free_symbols and f.free_symbols <= columns]
    rest = [f for f in Mul.make_args(integrand) if f not in table]
    return (Mul(*rest) if rest else None), (Mul(*table) if table else None)
