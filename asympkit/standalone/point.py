"""Print how one point is solved: averages, the equations of Newton's method, and the statements in their order.

Functions through inner unknowns are the maps of these and functions of them, without derivatives.
"""

from sympy import Integer, Mul, Pow, Symbol
from sympy.core.function import Application

from ..codegen.expressions import comment, docstring, jacobian_entry
from ..codegen.products import NameMap
from ..once import computed_once
from ..program.inner_sum import InnerSum, split_locals
from ..program.names import MARK, mark
from ..program.passes import name_shared_functions, prune
from ..program.statements import LARGEST_ERROR, ROUNDING, Implicit, Newton, Scalar, Sums, select_statements
from ..program.symmetry import base_columns
from .layout import WIDTH
from .printer import Printer

__all__ = ["ImplicitWriter", "PointWriter"]


class PointWriter:
    """Source of ``solve_point`` and of what it calls.

    Parameters
    ----------
    program : Program
    names : dict
        ``{symbol: marked label}``.
    domains : dict of Symbol to (float, float), optional
        Intervals in which unknowns must come out; Newton's method stays inside by itself.
    """

    def __init__(self, program, names, domains=None):
        self.program = program
        kept = {u for n in program.newtons for u in n.torn}
        self.domains = {u: d for u, d in (domains or {}).items() if u not in kept}
        self.names = {**names, ROUNDING: "ROUNDING", LARGEST_ERROR: "LARGEST_ERROR"}
        self.statements = prune(program.statements, program.outputs)
        self.parts, self._passes, self._count, self._known, self._writers = [], [], 0, set(), {}
        self._rename()

    def _rename(self):
        """Give a sum that equals another quantity its name, and a copy of a quantity the name of the original."""
        for statements in (self.statements, *(n.body for n in self.statements if isinstance(n, Newton))):
            made = {}
            for s in (s for s in statements if isinstance(s, Scalar)):
                first = made.setdefault(s.expr, s.symbol)
                if first != s.symbol and s.symbol not in self.program.outputs:
                    self.names[s.symbol] = self.names[first]
                    self._known.add(s)
        sums = {t for s in select_statements(Sums, self.statements) for t in s.outputs}
        for s in select_statements(Scalar, self.statements):
            source = s.expr
            if isinstance(source, Symbol) and source in self.names and self.names[s.symbol] != self.names[source]:
                if source in sums:
                    sums.discard(source)
                    self.names[source] = self.names[s.symbol]
                elif s.symbol not in self.program.outputs:
                    self.names[s.symbol] = self.names[source]

    # -- tables ------------------------------------------------------------------------------------------

    @computed_once
    def columns(self):
        """Return ``{grid name: {column symbol: form in integrands}}``: products of base columns are written out."""
        found = {}
        for grid in self.program.grids:
            base = set(base_columns(grid))
            found[grid.name] = {symbol: expr for expr, symbol in grid.columns.items()
                                if symbol not in base and _is_product(expr, base)}
        return found

    @computed_once
    def rows(self):
        """Return ``{grid name: [symbols]}``: the columns of the table of each grid, in this order."""
        used = {g.name: set() for g in self.program.grids}
        for sums in select_statements(Sums, self.statements):
            for expr in (*(e for _, e in sums.locals), *(e for _, e, _ in sums.sums)):
                for name in used:
                    used[name] |= expr.xreplace(self.columns[name]).free_symbols
                for inner in expr.atoms(InnerSum):
                    used[inner.grid] |= inner.integrand.xreplace(self.columns[inner.grid]).free_symbols
        found = {}
        for grid in self.program.grids:
            possible = [*base_columns(grid), *grid.bound, *grid.columns.values()]
            found[grid.name] = [s for s in dict.fromkeys(possible) if s in used[grid.name]]
        return found

    def tables(self, grids):
        """Return names of the tables and weights of grids."""
        used = [mark(g.name) for g in self.program.grids if g.name in grids]
        return [f"{name}_{what}" for name in used for what in ("table", "weights")]

    def _grids(self, sums):
        """Return names of the grids that a pass over one of them needs."""
        inner = {a.grid for _, e in sums.locals for a in e.atoms(InnerSum)}
        return {sums.grid.name, *inner}

    # -- the whole -----------------------------------------------------------------------------------------

    def __call__(self):
        """Return the parts in the order in which they are called, last ``solve_point``."""
        p, printer = self.program, Printer(self.names)
        wanted = set().union(*(s.expr.free_symbols for s in self.statements if isinstance(s, Scalar)))
        lines, first = [], 0
        for s in self.statements:
            if isinstance(s, Scalar):
                lines += self._scalar(s, printer)
            elif isinstance(s, Sums):
                lines += self._sums(s)
            elif isinstance(s, Newton):
                lines += self._newton(s, first)
                first += len(s.torn)
            elif isinstance(s, Implicit):
                lines += self._implicit(s).call(wanted)
            else:
                lines += self._linear(s)
        outputs = [self.names[s] for s in p.outputs]
        if inside := " and ".join(t for u, d in self.domains.items() if (t := _inside(self.names[u], u, *d))):
            lines.append(f"    {outputs[-1]} = {outputs[-1]} if {inside} else np.inf")
        lines.append(f"    return np.array(({', '.join([*outputs, self._iterations()])},))")
        tables = "".join(f", {t}" for t in self.tables({g.name for g in p.grids}))
        head = [f"def solve_point(p, start, plain{tables}):",
                '    """Unknowns, observables, residual and iterations at one point ``p``, from a start of Newton\'s '
                'method."""']
        text = "\n".join(lines)
        read = [(self.names[s], f"p[{k}]") for k, s in enumerate(p.parameters) if self.names[s] in text]
        self.parts.append("\n".join([*head, *_unpacked(read), text]))
        return self.parts

    def _scalar(self, s, printer):
        if s in self._known or self.names[s.symbol] == self.names.get(s.expr):
            return []
        line = f"    {self.names[s.symbol]} = {_bare(printer.source(s.expr))}"
        note = comment(s.note.partition(" = ")[2])
        is_new = note and note.replace(" ", "") not in _text(line).replace(" ", "")
        return [f"{line}    # {note}" if is_new and len(_text(line)) + len(note) < WIDTH - 6 else line]

    # -- averages ------------------------------------------------------------------------------------------

    def _sums(self, s):
        """Return a call of averages over one grid; the function that makes them is a part."""
        columns = self.columns[s.grid.name]
        local = [(symbol, e.xreplace(columns)) for symbol, e in s.locals]
        items = [(symbol, e.xreplace(columns)) for symbol, e, _ in s.sums]
        for known, inside, call in self._passes:          # a part of one that is there already
            if {*items} <= {*known} and {*local} <= {*inside}:
                return [f"    {', '.join(self.names[t] if (t, e) in items else '_' for t, e in known)} = {call}"]
        self._count += 1
        name = f"averages_{self._count}"
        body = self._pass(s.grid, [e for _, e in local if not isinstance(e, InnerSum)] + [e for _, e in items] +
                          [a.integrand for _, e in local for a in e.atoms(InnerSum)])
        printer = Printer(self.names)
        before, inner, after = split_locals(local)
        varying = {*self.rows[s.grid.name]}
        for symbol, expr in before:
            varying |= {symbol} if varying & expr.free_symbols else set()
            body.append(f"        {self.names[symbol]} = {_bare(printer.source(expr))}")
        for grid in self.program.grids:
            if rows := [row for row in inner if row[1].grid == grid.name]:
                made = ", ".join(self.names[symbol] for symbol, _ in rows)
                body.append(f"        {made} = {self._inner(grid, [e for _, e in rows], s.grid, varying)}")
        body += [f"        {self.names[symbol]} = {_bare(printer.source(expr))}" for symbol, expr in after]
        steps, forms = _shared([e for _, e in items])
        spelt = Printer(NameMap(self.names))
        body += [f"        {symbol.name} = {spelt.source(expr)}" for symbol, expr in steps]
        sums, weight = [self.names[t] for t, _ in items], f"{mark(s.grid.name)}_weights[k]"
        texts = [self._spread(spelt.source(form), e, s.grid, local)
                 for (_, e), form in zip(items, forms)]
        added = ", ".join(f"{t} + dot({weight}, {text})" for t, text in zip(sums, texts))
        body.append(f"        {', '.join(sums)} = {added}")
        at = self._scalars(s.grid, [e for _, e in (*local, *items)], {symbol for symbol, _ in local})
        arguments = ", ".join([*self.tables(self._grids(s)), *(self.names[x] for x in at)])
        self.parts.append("\n".join([
            f"def {name}({arguments}):",
            f'    """Averages over {docstring(_listed(s.grid.bound))}."""',
            *_zeros(sums), f"    for k in each_node({mark(s.grid.name)}_weights):", *body,
            f"    return {', '.join(sums)}"]))
        self._passes.append((items, local, f"{name}({arguments})"))
        return [f"    {', '.join(self.names[t] for t, _ in items)} = {name}({arguments})"]

    def _pass(self, grid, exprs):
        """Write lines that read what integrands need of a node."""
        free = set().union(*(e.free_symbols for e in exprs))
        rows = self.rows[grid.name]
        read = [(self.names[s], f"{mark(grid.name)}_table[{rows.index(s)}, k]") for s in rows if s in free]
        return ["    " + line for line in _unpacked(read)]

    def _spread(self, text, expr, grid, local):
        """Return an integrand that varies over the nodes, for numpy."""
        varying = {*self.rows[grid.name], *(symbol for symbol, _ in local)}
        return text if expr.free_symbols & varying else f"{text} + 0.0*{mark(grid.name)}_weights[k]"

    def _scalars(self, grid, exprs, inside):
        """Return the numbers that a pass reads, in a fixed order."""
        free = set()
        for e in exprs:
            free |= e.free_symbols
            for a in e.atoms(InnerSum):
                free |= a.integrand.free_symbols - set(self.rows[a.grid]) - self.columns[a.grid].keys()
        free -= {*self.rows[grid.name], *inside, ROUNDING, LARGEST_ERROR}
        return self.ordered(x for x in free if isinstance(x, Symbol))

    def _inner(self, grid, rows, outer, varying):
        """Return a call of averages over an inner grid, at every node of an outer one; ``varying`` differ between
        these."""
        self._count += 1
        integrands = [e.integrand.xreplace(self.columns[grid.name]).xreplace(self.columns[outer.name]) for e in rows]
        name, own = f"averages_{self._count}", mark(grid.name)
        at, body = self._scalars(grid, integrands, ()), self._pass(grid, integrands)
        arguments = [f"{own}_table", f"{own}_weights"]
        called = [f"outward({self.names[x]})" if x in varying else self.names[x] for x in at]
        steps, forms = _shared(integrands)
        spelt = Printer(NameMap(self.names))
        body += [f"        {symbol.name} = {spelt.source(expr)}" for symbol, expr in steps]
        totals = [f"total_{k}" for k in range(1, len(rows) + 1)] if len(rows) > 1 else ["total"]
        added = ", ".join(f"{x} + dot({own}_weights[k], {spelt.source(f)})" for x, f in zip(totals, forms))
        self.parts.append("\n".join([
            f"def {name}({', '.join([*arguments, *(self.names[x] for x in at)])}):",
            f'    """Averages over {docstring(_listed(grid.bound))} inside others."""',
            *_zeros(totals), f"    for k in each_node({own}_weights):", *body,
            f"        {', '.join(totals)} = {added}", f"    return {', '.join(totals)}"]))
        return f"{name}({', '.join([*arguments, *called])})"

    # -- blocks --------------------------------------------------------------------------------------------

    def body(self, statements, made):
        """Write lines of statements inside a function, the numbers they need in a fixed order, and the names of
        grids."""
        lines, made, free, grids, printer = [], set(made), set(), set(), Printer(self.names)
        for inner in statements:
            if isinstance(inner, Scalar):
                free |= inner.expr.free_symbols
                lines += self._scalar(inner, printer)
            elif isinstance(inner, Implicit):
                used = self._implicit(inner)
                free |= inner.inputs.union(used.inputs)
                grids |= used.grids
                lines += used.call(set().union(*(s.expr.free_symbols for s in statements if isinstance(s, Scalar))))
            else:
                local = [e.xreplace(self.columns[inner.grid.name]) for _, e in inner.locals]
                items = [e.xreplace(self.columns[inner.grid.name]) for _, e, _ in inner.sums]
                free |= set(self._scalars(inner.grid, [*local, *items], {x for x, _ in inner.locals}))
                grids |= self._grids(inner)
                lines += self._sums(inner)
            made |= set(inner.outputs)
        return lines, self.ordered(x for x in free - made if x not in (ROUNDING, LARGEST_ERROR)), grids

    def ordered(self, symbols):
        """Return numbers in a fixed order."""
        place = {x: k for k, x in enumerate((*self.program.parameters, *self.program.unknowns))}
        return sorted(symbols, key=lambda x: (place.get(x, len(place)), x.name))

    def _implicit(self, s):
        """Return the writer of functions through inner unknowns, whose parts are written once."""
        if s.outputs not in self._writers:
            self._writers[s.outputs] = ImplicitWriter(self, s)
        return self._writers[s.outputs]

    def _newton(self, s, first):
        """Return a call of Newton's method; the function with its equations is a part."""
        number = [n.torn for n in self.program.newtons].index(s.torn)
        suffix = "" if len(self.program.newtons) == 1 else f"_{number + 1}"
        lines, inputs, grids = self.body(prune(s.body, s.wanted), s.torn)
        lines = self._solved(s) + lines
        arguments = "".join(f", {x}" for x in [*(self.names[x] for x in inputs), *self.tables(grids)])
        residuals = [(f"np.log({self.names[u]}/{self.names[t]})" if positive else f"{self.names[u]} - {self.names[t]}")
                     if is_map else self.names[t] for u, (t, is_map), positive in zip(s.torn, s.targets, s.positive)]
        entries = ", ".join(f"({', '.join(jacobian_entry(s, i, j, self.names) for j in range(len(s.torn)))},)"
                            for i in range(len(s.torn)))
        maps = f", np.array(({', '.join(self.names[t] for t, _ in s.targets)},))" if s.all_maps else ""
        text, more = docstring(_listed(s.torn)), ", and maps" * s.all_maps
        self.parts.append("\n".join([
            f"def equations{suffix}(x{arguments}):",
            f'    """Residuals of {text}, their derivatives by the solver\'s variables{more}."""',
            *lines, f"    residuals, slopes = np.array(({', '.join(residuals)},)), np.array(({entries},))",
            f"    return residuals, slopes{maps}"]))
        low, high = zip(*(pair or (-float("inf"), float("inf")) for pair in s.intervals))
        rows, begin = ", ".join(map(_array, (s.positive, low, high))), f"start[{first}:{first + len(s.torn)}]"
        method = f"newton{'_of_maps' * s.all_maps}{suffix}"
        return [f"    x, {self.names[s.step_residual]}, steps{suffix} = {method}({begin}, {rows}, plain{arguments})",
                *self._solved(s)]

    def _iterations(self):
        """Write the source of the number of Newton steps."""
        count = len(self.program.newtons)
        return "0.0" if not count else "float(steps)" if count == 1 else \
            f"float({' + '.join(f'steps_{k + 1}' for k in range(count))})"

    def _linear(self, s):
        zero = "0.0"
        rows = ", ".join(f"({', '.join(zero if e is None else self.names[e] for e in row)},)" for row in s.matrix)
        rhs = ", ".join(self.names[b] for b in s.rhs)
        return [f"    x, {self.names[s.residual]} = solve_linear(np.array(({rows},)), np.array(({rhs},)))",
                *self._solved(s)]

    def _solved(self, s):
        return _unpacked([(self.names[u], f"x[{k}]") for k, u in enumerate(s.torn)])


def _shared(integrands):
    """Return functions that integrands share, as steps before them, and the integrands in these."""
    if not any(e.has(Application) for e in integrands):
        return (), integrands
    steps, forms = name_shared_functions(integrands)
    powers, kept = {}, []
    for symbol, expr in steps:          # reciprocals and roots are no work, and easier to read where they are
        if isinstance(expr, Pow):
            powers[symbol] = expr.xreplace(powers)
        else:
            kept.append((symbol, expr.xreplace(powers)))
    return kept, [e.xreplace(powers) for e in forms]


def _is_product(expr, base):
    """Return whether a column is a product of powers of base columns."""
    return all(a in base or a.is_number or isinstance(a, Pow) and a.base in base and isinstance(a.exp, Integer)
               for a in Mul.make_args(expr))


def _bare(text):
    """Return an expression without brackets around all of it."""
    inside, depth = text[1:-1], 0
    for c in inside if text.startswith("(") and text.endswith(")") else ")":
        depth += (c == "(") - (c == ")")
        if depth < 0:
            return text
    return inside


def _text(line):
    """Return a line as long as it will be."""
    return line.replace(MARK, "")


def _zeros(labels):
    """Write lines that start sums at 0: chained assignments have no brackets at which a line may break."""
    groups = [[]]
    for label in labels:
        if len(_text(f"    {' = '.join([*groups[-1], label, '0.0'])}")) > WIDTH:
            groups.append([])
        groups[-1].append(label)
    return [f"    {' = '.join([*group, '0.0'])}" for group in groups]


def _listed(symbols):
    return ", ".join(map(str, symbols))


def _array(row):
    """Write the source of an array of constants."""
    if len(set(row)) == 1:
        return f"np.full({len(row)}, {_number(row[0])})"
    return f"np.array(({', '.join(map(_number, row))}))"


def _number(x):
    return str(x) if isinstance(x, bool) else "-np.inf" if x == -float("inf") else "np.inf" if x == float("inf") \
        else repr(float(x))


def _inside(label, unknown, low, high):
    """Return a condition on an unknown, with the slack that rounding needs where it may lie on an end."""
    slack = f"1e-13*(1.0 + abs({label}))"
    tests = [f"{label} > 0.0"] if unknown.is_positive and low == 0.0 else \
        [f"{label} >= {_number(low)} - {slack}"] if low > -float("inf") else []
    return " and ".join([*tests, *([f"{label} <= {_number(high)} + {slack}"] if high < float("inf") else [])])


def _unpacked(pairs):
    """Write a line that gives names to entries of an array, if there are some."""
    groups = [pairs[k:k + 10] for k in range(0, len(pairs), 10)]
    return [f"    {', '.join(n for n, _ in group)} = {', '.join(e for _, e in group)}" for group in groups]


class ImplicitWriter:
    """Source of the functions that ``implicit`` of a module calls, and of calls of it.

    Parameters
    ----------
    writer : PointWriter
    statement : Implicit
    """

    def __init__(self, writer, statement):
        self.names, self.statement = writer.names, statement
        bodies = [writer.body(statements, (*statement.unknowns, *statement.arguments))
                  for statements, _ in (statement.maps, statement.forms)]
        #: numbers that both functions take, and the names of the grids that they sum over
        self.inputs = writer.ordered({x for _, inputs, _ in bodies for x in inputs})
        self.grids = set().union(*(grids for _, _, grids in bodies))
        self.tables = writer.tables(self.grids)
        arguments = ", ".join([*(self.names[x] for x in self.inputs), *self.tables])
        for name, summary, (lines, _, _), (_, made) in zip(
                ("implicit_maps", "implicit_forms"), (f"Maps of {self._listed(statement.unknowns)}", "What follows from"
                                                      " them"), bodies, (statement.maps, statement.forms)):
            writer.parts.append("\n".join([
                f"def {name}(x, at, {arguments}):",
                f'    """{summary} at given {self._listed(statement.arguments)}."""',
                *self._read("at", statement.arguments), *self._read("x", statement.unknowns), *lines,
                f"    return np.array(({self._listed(made)},))"]))

    def _listed(self, symbols):
        return ", ".join(self.names[x] for x in symbols)

    def _read(self, array, symbols):
        entries = ", ".join(f"{array}[{k}]" for k in range(len(symbols)))
        return [f"    {self._listed(symbols)} = {entries}"]

    def call(self, wanted):
        """Write lines that compute those functions and derivatives that are wanted."""
        s, printer = self.statement, Printer(self.names)
        starts = ", ".join(printer.source(e) for e in s.starts)
        positive = ", ".join(str(bool(u.is_positive)) for u in s.unknowns)
        given = ", ".join([*(self.names[x] for x in self.inputs), *self.tables])
        count = len(s.forms[1])
        read = [(self.names[o], f"found[{k // count}, {k % count}]") for k, o in enumerate(s.outputs) if o in wanted]
        return [f"    found = implicit(np.array(({starts},)), np.array(({positive},)), "
                f"np.array(({self._listed(s.arguments)},)), {given})",
                f"    {', '.join(n for n, _ in read)}{',' * (len(read) == 1)} = {', '.join(e for _, e in read)}"]
