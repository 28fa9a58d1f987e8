"""Print a program as one function over arrays of parameter points, for plain numpy."""

import math
import re

from sympy import Add, Mul, Symbol

from ..program.names import mark
from ..program.passes import name_shared_functions, name_values, prune
from ..program.statements import Linear, Newton, Scalar, Sums, split_locals
from .expressions import (
    ExpressionPrinter,
    Switches,
    Values,
    jacobian_entry,
    literals,
    stack_orders,
    write_columns,
    write_literal,
)
from .formulas import Formulas
from .tables import NameMap

_SUMMARY = '''"""Solve P parameter points at once.

Returns an array of shape (len(OUTPUTS), P) and, if asked to diagnose, a list of blocks:
("newton", unknowns, Jacobian in the logarithms of positive unknowns), and for those with cancellations
("sizes", unknowns, magnitudes of the equations, which unknowns are solved in logarithms),
("linear", unknowns, matrix, magnitude of the right-hand side, what follows by linearity, and, where entries cancel,
magnitude of the matrix),
("explicit", outputs, error in units of the rounding of numbers),
("lost", outputs, positive where digits are lost)."""'''


class BatchWriter:
    """Writes ``solve_batch``: every parameter is an array of P points, every sum a matrix product.

    Arrays over points and nodes have shape (P, nodes).  All sums with one kernel are one product with a
    matrix of weighted columns, made once; a sum of points times columns is a product of matrices too.
    """

    def __init__(self, program, names, has_diagnosis=True):
        self.program, self.names, self.has_diagnosis = program, NameMap(names), has_diagnosis
        self.printer = ExpressionPrinter(names, batch=True)
        self.lines, self.matrices, self.diagnosis, self.last_matrix = [], {}, False, None
        self.arrays = {*program.parameters, *(u for n in program.newtons for u in n.torn)}

    def __call__(self):
        p = self.program
        torn = [self.names[u] for n in p.newtons for u in n.torn]
        arguments = [self.names[s] for s in p.parameters]
        arguments += [f"{mark(g.name)}_table, {mark(g.name)}_weights" for g in p.grids]
        arguments += [*(f"{u}_start" for u in torn), "plain", "tolerance", "max_steps"]
        arguments += ["diagnose=False"] * self.has_diagnosis
        arguments += ["careful=False"] * any(n.has_fallback for n in p.newtons)
        kept = prune(p.statements, p.returned)
        needed = set().union(*(s.outputs for s in kept)) if kept else set()
        for statement in p.statements:
            self._statement(1, statement, needed)
        self.diagnosis = True
        by_symbol = {s: name for name, s in p.observables.items()}
        for u, error in p.errors.items():
            self._put(1, f'blocks.append(("explicit", {literals([by_symbol.get(u, u.name)])}, {self.names[error]}))')
        for u, lost in p.losses.items():
            self._put(1, f'blocks.append(("lost", {literals([by_symbol.get(u, u.name)])}, {self.names[lost]}))')
        for n in p.newtons:
            if any(n.sizes):
                sizes = ", ".join("1.0" if size is None else self.names[size] for size in n.sizes)
                self._put(1, f'blocks.append(("sizes", {_quoted(n.torn)}, ({sizes},), {n.positive}))')
        self.diagnosis = False
        outputs = [*(self.names[s] for s in p.outputs), p.iterations(self.names)]
        blocks = ", blocks" * self.has_diagnosis
        self._put(1, f"return stack_vector(iterations.shape, ({', '.join(outputs)})).T{blocks}")
        head = [f"def solve_batch({', '.join(arguments)}):"]
        summary = _SUMMARY if self.has_diagnosis else '"""Solve P parameter points at once; returns rows of outputs."""'
        head += [f"    {line}" if line else "" for line in summary.splitlines()]
        body = list(self._body())
        used = set(re.findall(r"\w+", "\n".join(body)))
        matrices = [f"    {name} = {text}" for text, name in self.matrices.items()
                    if self.has_diagnosis or name in used]
        head += [*write_columns(p, self.names, [*matrices, *body]), *matrices]
        size = f"{self.names[p.parameters[0]]}.shape" if p.parameters else "(1,)"
        begin = f"blocks, iterations = [], np.zeros({size})" if self.has_diagnosis else f"iterations = np.zeros({size})"
        return "\n".join([*head, f"    {begin}", *body])

    def _put(self, depth, text):
        self.lines.append((self.diagnosis, "    " * depth + text))

    def _body(self):
        """Yield the lines, with consecutive ones for diagnosis under one ``if``."""
        before = False
        for diagnosis, text in self.lines:
            if diagnosis and not self.has_diagnosis:
                continue
            if diagnosis and not before:
                yield "    if diagnose:"
            yield f"    {text}" if diagnosis else text
            before = diagnosis

    def _matrix(self, text, base):
        """Return the name of a constant of the tables."""
        if text.isidentifier():
            return text
        if text not in self.matrices:
            number = 1 + sum(name.startswith(base) for name in self.matrices.values())
            self.matrices[text] = f"{base}_{number}"
        return self.matrices[text]

    def rows(self, grid, columns, weights=None):
        """Return the source of a matrix whose rows are columns of a table (None for ones), times weights if given."""
        known = list(grid.columns.values())
        if all(column in known for column in columns):
            text = f"{mark(grid.name)}_table[{[known.index(column) for column in columns]}]"
            return f"{text}*{weights}" if weights else text
        texts = ["1.0" if column is None else self.printer.source(column) for column in columns]
        if weights:
            texts = [weights if column is None else f"{text}*{weights}" for column, text in zip(columns, texts)]
        return f"stack_rows({', '.join(texts)})"

    def _statement(self, depth, s, needed):
        if isinstance(s, Scalar):
            self.diagnosis = s.symbol not in needed
            self._scalar(depth, s)
        elif isinstance(s, Formulas):
            self._formulas(depth, s)
        elif isinstance(s, Sums):
            s = name_values(s)
            wanted = [t for t in s.sums if t[0] in needed]
            made = self._sums(depth, s, wanted, set())
            self.diagnosis = True
            self._sums(depth, s, [t for t in s.sums if t[0] not in needed], made)
        else:
            {Newton: self._newton, Linear: self._linear}[type(s)](depth, s)
        self.diagnosis = False

    def _scalar(self, depth, s):
        if s.expr.free_symbols & self.arrays:
            self.arrays.add(s.symbol)
        self._put(depth, f"{self.names[s.symbol]} = {self.printer.source(s.expr)}")

    def _formulas(self, depth, s):
        for row in s.scalars:
            self.arrays |= {row.symbol} if row.expr.free_symbols & self.arrays else set()
        self._put(depth, s.call(self.names))

    def _sums(self, depth, s, sums, made):
        """Print some of the sums with the locals they need; returns the locals made so far."""
        printer = _NodePrinter(self, s)
        inside = set().union(*(e.free_symbols for _, e, _ in sums)) if sums else set()
        wanted = []
        for symbol, expr in reversed(s.locals):
            if symbol in inside and symbol not in made:
                wanted.append((symbol, expr))
                inside |= expr.free_symbols
        before, sums_inside, after = split_locals(wanted[::-1])
        self._locals(depth, before, printer)
        if sums_inside:
            self._inner_sums(depth, s, sums_inside)
        self._locals(depth, after, printer)
        columns, kernels, weights = set(s.grid.columns.values()), {}, f"{mark(s.grid.name)}_weights"
        for symbol, integrand, _ in sums:
            kernel, column = _split(integrand, columns)
            weighted = weights if column is None else f"{printer.source(column)}*{weights}"
            if kernel is None:
                self._put(depth, f"{self.names[symbol]} = ({weighted}).sum(-1)")
            else:
                kernels.setdefault(kernel, []).append((symbol, column, weighted))
                self.arrays.add(symbol)
        for kernel, parts in kernels.items():
            targets = ", ".join(self.names[t] for t, _, _ in parts)
            kernel = printer.source(kernel)
            if len(parts) == 1:
                self._put(depth, f"{targets} = ({kernel}) @ {self._matrix(parts[0][2], 'weighted')}")
            else:
                matrix = self._matrix(self.rows(s.grid, [c for _, c, _ in parts], weights), "weighted")
                self._put(depth, f"{targets} = {matrix} @ ({kernel}).T")
        return made | {symbol for symbol, _ in wanted}

    def _locals(self, depth, rows, printer):
        """Print the locals at every node."""
        for row in stack_orders(rows)[0]:
            if isinstance(row, Values):
                printer.rows |= set(row.symbols.values())
                self._put(depth, row.source(printer, is_batch=True))
            else:
                self._put(depth, f"{self.names[row[0]]} = {printer.source(row[1])}")

    def _inner_sums(self, depth, outer, rows):
        """Print sums at all points and nodes, with the inner nodes as the last axis of the terms."""
        columns = {*outer.grid.columns.values(), *(symbol for symbol, _ in outer.locals)}
        bound = {b for _, e in rows for b in e.bound}
        steps, integrands = stack_orders(*name_shared_functions([e.integrand for _, e in rows]))
        made, spelt = set().union(*(r.symbols.values() if isinstance(r, Values) else r[:1] for r in steps)), {}
        if self.program.steep is not None:
            found = Switches(rows[0][1].grid, rows[0][1].bound, [e.integrand for _, e in rows], columns)
            lines, spelt = found.lines_of_arrays(self.names, outer.grid.name, self.program.steep)
            for line in lines:
                self._put(depth, line)

        def decorate(symbol, name):
            if symbol in spelt:
                return spelt[symbol]
            return name if symbol in bound | made else f"{name}[..., None]" if symbol in columns \
                else f"{name}[..., None, None]"

        printer = ExpressionPrinter(NameMap(self.names), batch=True, decorate=decorate)
        for row in steps:
            self._put(depth, row.source(printer, is_batch=True) if isinstance(row, Values) else
                      f"{row[0].name} = {printer.source(row[1])}")
        for (symbol, expr), integrand in zip(rows, integrands):
            text = printer.source(integrand)
            self._put(depth, f"{self.names[symbol]} = " + (f"inside.total({text})" if spelt else
                                                           f"({text}) @ {mark(expr.grid)}_weights"))

    def _newton(self, depth, s):
        n = [self.names[u] for u in s.torn]
        body = prune(s.body, s.wanted)
        inputs = ", ".join(self.names[x] for x in self._inputs(s, body))
        step, head = f"step_{'_'.join(n)}", len(self.lines)
        self._put(depth + 1, '"""Maps, residuals and matrix of Newton\'s method for the points that still move."""')
        for inner in body:
            if isinstance(inner, Sums):
                inner = name_values(inner)
                self._sums(depth + 1, inner, inner.sums, set())
            else:
                (self._scalar if isinstance(inner, Scalar) else self._formulas)(depth + 1, inner)
        targets = [(self.names[t], is_map) for t, is_map in s.targets]
        maps = f"({', '.join(t for t, _ in targets)},)" if all(is_map for _, is_map in targets) else "None"
        residuals = [(f"np.log({u}/{t})" if positive else f"{u} - {t}") if is_map else t
                     for u, (t, is_map), positive in zip(n, targets, s.positive)]
        entries = [[jacobian_entry(s, i, j, self.names) for j in range(len(n))] for i in range(len(n))]
        at = f"({', '.join(residuals)},), {_nested(entries)}"
        if s.has_fallback:
            factors = ["None" if c is None else self.printer.source(c) for c in s.factors]
            self._put(depth + 1, "if careful:")
            self._put(depth + 2, f"return as_quotients(({', '.join(n)},), ({', '.join(factors)},), {at})"
                      if any(s.factors) else f"return None, {at}")
        self._put(depth + 1, f"return {maps}, {at}")
        read = set(re.findall(r"\w+", "\n".join(text for _, text in self.lines[head:])))
        columns = {self.names[c] for g in self.program.grids for c in g.columns.values()}
        tables = "".join(f"{t}, " for t in sorted(read & {*columns, *self.matrices.values()}))
        self.lines.insert(head, (self.diagnosis, "    " * depth + f"def {step}({tables}"
                                 f"{', '.join([inputs] * bool(inputs) + n)}):"))
        start = ", ".join(f"{u}_start" for u in n)
        no_step = f", no_step={s.no_step!r}" if s.no_step else ""
        taken = f", tables=({tables.strip()})" * bool(tables)
        intervals = ", (" + "".join(f"{_interval(pair)}, " for pair in s.intervals) + ")" if any(s.intervals) else ""
        self._put(depth, f"({', '.join(n)},), steps, J, {self.names[s.step_residual]} = newton_batch({step}, "
                         f"({inputs}{',' * bool(inputs)}), ({start},), {s.positive}, plain, tolerance, max_steps"
                         f"{intervals}{no_step}{taken})")
        self._put(depth, "iterations = iterations + steps")
        slopes = _nested([["_" if e is None else self.names[e] for e in row] for row in s.slopes])
        self._put(depth, f"{slopes} = np.moveaxis(J, 0, -1)")
        self.arrays |= set(s.outputs)
        self.diagnosis = True
        self._put(depth, f"blocks.append((\"newton\", {_quoted(s.torn)}, J))")

    def _inputs(self, s, body):
        """Return the symbols of the points that the body of a Newton block reads, by name."""
        read, made = set().union(*(c.free_symbols for c in s.factors if c is not None)), set(s.torn)
        for inner in body:
            read |= inner.reads
            made |= set(inner.outputs)
            if isinstance(inner, Sums):
                made |= {symbol for symbol, _ in inner.locals} | set(inner.grid.columns.values())
        return sorted((x for x in read - made if isinstance(x, Symbol)), key=lambda x: x.name)

    def _or_zero(self, symbol):
        return "0.0" if symbol is None else self.names[symbol]

    def _linear(self, depth, s):
        self.arrays |= set(s.torn) | {s.residual}
        entries = [[self._or_zero(e) for e in row] for row in s.matrix]
        rhs = ", ".join(self.names[b] for b in s.rhs)
        sizes = ", ".join(self.names[b] for b in s.sizes)
        matrix_sizes = ""
        if s.matrix_sizes:
            nest = _nested([[self._or_zero(e) for e in row] for row in s.matrix_sizes])
            matrix_sizes = f", stack_matrix(iterations.shape, {nest})"
        if entries != self.last_matrix:
            self._put(depth, f"A = stack_matrix(iterations.shape, {_nested(entries)})")
        self.last_matrix = entries
        self._put(depth, f"solution, {self.names[s.residual]} = solve_linear_batch(A, "
                         f"stack_vector(iterations.shape, ({rhs},)))")
        self._put(depth, f"{', '.join(self.names[u] for u in s.torn)}{',' * (len(s.torn) == 1)} = solution.T")
        if not s.sizes:
            return
        follow = ", ".join(
            f'({write_literal(u.name)}, {self.names[zero]}, ({"".join(self._or_zero(d) + ", " for d in ds)}))'
            for u, zero, ds in s.assigned)
        self.diagnosis = True
        follow += "," if follow else ""
        self._put(depth, f'blocks.append(("linear", {_quoted(s.torn)}, A, '
                         f"stack_vector(iterations.shape, ({sizes},)), ({follow}){matrix_sizes}))")


class _NodePrinter(ExpressionPrinter):
    """Printer of expressions at all points and nodes."""

    def __init__(self, writer, sums):
        self._columns = set(sums.grid.columns.values())
        self.rows = self._columns | {symbol for symbol, _ in sums.locals}
        super().__init__(NameMap(writer.names), batch=True,
                         decorate=lambda symbol, name: name if symbol in self.rows else f"{name}[..., None]")
        self._writer, self._grid = writer, sums.grid

    def _print_Add(self, expr, order=None):
        """Print a sum; at least two terms (number of the point) x (column) become one product of matrices."""
        pairs, rest = [], []
        for term in expr.as_ordered_terms():
            factors = Mul.make_args(term)
            point = Mul(*(f for f in factors if not f.free_symbols & self.rows))
            column = Mul(*(f for f in factors if f.free_symbols and f.free_symbols <= self._columns))
            plain = point.free_symbols & self._writer.arrays and column != 1 and point * column == term
            (pairs if plain else rest).append((point, column) if plain else term)
        if len(pairs) < 2:
            return super()._print_Add(expr, order)
        scalars = ", ".join(self._writer.printer.source(p) for p, _ in pairs)
        columns = self._writer.rows(self._grid, [column for _, column in pairs])
        text = f"np.array(({scalars})).T @ {self._writer._matrix(columns, 'columns')}"
        return f"{text} + {self._print(Add(*rest))}" if rest else text


def _interval(pair):
    """Write an open interval as source text."""
    if pair is None:
        return "None"
    return "(" + ", ".join(repr(x) if abs(x) < math.inf else "-np.inf" if x < 0 else "np.inf" for x in pair) + ")"


def _quoted(symbols):
    return literals(s.name for s in symbols)


def _nested(entries):
    return "(" + ", ".join("(" + ", ".join(row) + ",)" for row in entries) + ",)"


def _split(integrand, columns):
    """Split a product into the part that varies with the point and the part that is only tabulated."""
    table = [f for f in Mul.make_args(integrand) if f.free_symbols and f.free_symbols <= columns]
    rest = [f for f in Mul.make_args(integrand) if f not in table]
    return (Mul(*rest) if rest else None), (Mul(*table) if table else None)
