"""Print a program as one scalar function with explicit loops, for numba.

Values of functions of a loop are taken several in one call where that is cheaper.  Long chains of equations become
straight lines of elimination, whose work grows like their length: rows are not exchanged.  Where that fails a step of
Newton's method leads nowhere, or the residual of linear equations shows it; points that loops do not solve are solved
in plain numpy, with exchanges.
"""

import math
import textwrap
from itertools import count

from sympy.core.function import Application

from ..numbers.functions import entry
from ..program.names import mark
from ..program.passes import name_shared_functions, name_values, prune
from ..program.statements import Linear, Newton, Scalar, Sums, split_locals
from ..runtime.newton import HALVINGS, LONGEST_STEP, SHORT_STEP
from ..tolerances import LARGEST_ERROR, ROUNDING
from .expressions import (
    ExpressionPrinter,
    Switches,
    Values,
    comment,
    is_placed,
    jacobian_entry,
    stack_orders,
    write_columns,
)
from .formulas import Formulas, link_long_blocks
from .sharing import share_parts
from .tables import NameMap


def newton_entries(newton, names):
    """Return sources of a Newton step's entries, in logarithms of the iteration variables, by row and column."""
    links, targets = newton.links, dict(zip(newton.torn, (t for t, _ in newton.targets)))
    found = {(k, k): "1.0" for k in range(len(links.unknowns))}
    for (i, j), d in links.entries.items():
        u, a = links.unknowns[i], links.unknowns[j]
        rate = names[d] + f"*{names[a]}" * (a in targets) + (f"/{names[targets[u]]}" if u in targets else "")
        found[i, j] = f"1.0 - {rate}" if i == j else f"-{rate}"
    return found


class Elimination:
    """Writes the solution of one linear system, of sources of the entries by row and column.

    ``put`` takes a line; ``name`` begins the names of all numbers in between.
    """

    def __init__(self, put, name, entries):
        self.put, self.name = put, name
        self.rows = 1 + max(i for i, _ in entries)
        self.given, self.left, self.ratios = {}, {}, {}
        for (i, j), text in sorted(entries.items()):
            self.given[i, j] = self._number(f"a_{i}_{j}", text)
        self._factor()

    def _number(self, label, text):
        """Assign a number to a name and return that; a literal is returned itself."""
        if text == "1.0":
            return text
        self.put(f"{self.name}_{label} = {text}")
        return f"{self.name}_{label}"

    def _factor(self):
        now, self.pivots = dict(self.given), {}
        for k in range(self.rows):
            pivot, row = now.get((k, k), "0.0"), sorted(j for i, j in now if i == k and j > k)
            self.pivots[k] = self._number(f"p_{k}", "1.0" if pivot == "1.0" else f"1.0/{pivot}")
            for i in sorted(i for i, j in now if j == k and i > k):
                ratio = self.ratios[i, k] = self._number(f"m_{i}_{k}", _times(now.pop((i, k)), self.pivots[k]))
                for j in row:
                    before = f"{now[i, j]} - " if (i, j) in now else "-"
                    now[i, j] = self._number(f"u_{i}_{j}_{k}", f"{before}{ratio}*{now[k, j]}")
            self.left |= {(k, j): now[k, j] for j in row}

    def solve(self, rhs):
        """Return names of the solution; ``rhs`` are sources by row, 0 for rows that are not in it."""
        b = {}
        for k in range(self.rows):
            if k in rhs:
                b.setdefault(k, []).insert(0, rhs[k])
            if k not in b:
                continue
            b[k] = self._number(f"b_{k}", " ".join(b[k]))
            for i, j in self.ratios:
                if j == k:
                    b.setdefault(i, []).append(f"- {self.ratios[i, k]}*{b[k]}")
        x = {}
        for k in reversed(range(self.rows)):
            terms = "".join(f" - {self.left[i, j]}*{x[j]}" for i, j in sorted(self.left) if i == k)
            text = f"{b.get(k, '')}{terms}".strip() or "0.0"
            x[k] = self._number(f"x_{k}", text if self.pivots[k] == "1.0" else f"({text})*{self.pivots[k]}")
        return x

    def residual(self, x, rhs):
        """Return the source of the largest residual of a row relative to its terms."""
        found = []
        for k in range(self.rows):
            terms = [_times(self.given[i, j], x[j]) for i, j in sorted(self.given) if i == k]
            parts = [*terms, rhs[k]] if k in rhs else terms
            value = f"{' + '.join(terms)} - {rhs[k]}" if k in rhs else " + ".join(terms)
            found.append(f"abs({value})/({' + '.join(f'abs({t})' for t in parts)} + 1e-300)")
        return largest(found)

    def near_singular(self, sizes, rounding):
        r"""Return a condition under which errors of these sizes change nothing.

        The diagonal of :math:`|A^{-1}|\,B`, B the sizes, is not above that of comparison, in which all terms that
        elimination adds have one sign.  Units of unknowns and equations do not matter.
        """
        unit, y = {}, {}
        sizes = {at: self._number(f"s_{at[0]}_{at[1]}", text) for at, text in sorted(sizes.items())}
        for j in range(self.rows):
            unit[j] = self._number(f"c_{j}", f"{largest(text for (_, k), text in sizes.items() if k == j)} + 1e-300")
        for k in range(self.rows):
            share = largest(f"{text}/{unit[j]}" for (i, j), text in sizes.items() if i == k)
            more = "".join(f" + abs({m})*{y[j]}" for (i, j), m in sorted(self.ratios.items()) if i == k)
            y[k] = self._number(f"y_{k}", share + more)
        z = {}
        for k in reversed(range(self.rows)):
            terms = "".join(f" + abs({text})*{z[j]}" for (i, j), text in sorted(self.left.items()) if i == k)
            z[k] = self._number(f"z_{k}", f"({y[k]}{terms})*abs({self.pivots[k]})")
        # a sum, not the largest: NaN stays in it, and no condition holds of that
        share = " + ".join(f"{unit[k]}*{z[k]}" for k in range(self.rows))
        return f"{share} <= {LARGEST_ERROR / (ROUNDING * rounding)!r}"

    @staticmethod
    def finite(x):
        """Return a condition under which a solution is finite: dividing by a pivot of 0 leaves NaN or infinity."""
        return f"{' + '.join(f'abs({v})' for v in x.values())} < math.inf"


def largest(parts):
    """Return the source of the largest of some numbers."""
    parts = list(parts)
    return parts[0] if len(parts) == 1 else f"max({', '.join(parts)})"


def _times(a, b):
    return b if a == "1.0" else a if b == "1.0" else f"{a}*{b}"


def assignments(rows, names, printer):
    """Yield lines that assign locals of a loop, in their order."""
    places, done = {expr: symbol for symbol, expr in rows}, set()
    for row in stack_orders(rows)[0]:
        if isinstance(row, Values):
            yield row.source(printer)
            continue
        symbol, expr = row
        if symbol in done:
            continue
        other = places.get(_opposite(expr))
        if other is None or other is symbol:
            yield f"{names[symbol]} = {printer.source(expr)}"
        else:                       # it has the arguments of the first, which are computed
            done.add(other)
            arguments = ", ".join(map(printer.source, expr.args))
            yield f"{names[symbol]}, {names[other]} = {entry(type(expr).__name__).opposite}({arguments})"


def _opposite(expr):
    """Return a function with all signs but the last argument's changed, if a reflection pair is cheaper."""
    known = entry(type(expr).__name__)
    if known is None or not known.opposite:
        return None
    *arguments, last = expr.args
    return expr.func(*(-a for a in arguments), last)


class LoopWriter:
    """Writes ``solve_point``: all statements of a program for one parameter point."""

    def __init__(self, program, names):
        self.program, self.names = program, NameMap(names)
        self.printer = ExpressionPrinter(names)
        self.lines, self.routines = [], []
        #: numbers of shared parts; names of factored matrices, eliminations of steps, and conditions under which
        #: bands are far from singular
        self.numbers, self.factored, self.steps, self.far = count(1), {}, {}, []

    def __call__(self):
        p = self.program
        start = [self.names[u] + "_start" for n in p.newtons for u in n.torn]
        arguments = [self.names[s] for s in p.parameters]
        arguments += [f"{mark(g.name)}_table, {mark(g.name)}_weights" for g in p.grids]
        arguments += [*start, "plain", "tolerance", "max_steps"]
        self._put(0, "@compiled")
        self._put(0, f"def solve_point({', '.join(arguments)}):")
        self._put(1, '"""Solve one parameter point; returns the entries of OUTPUTS as floats."""')
        head, self.lines = self.lines, []
        for g in p.grids:
            if is_placed(p, g):
                own = mark(g.name)
                self._put(1, f"{own}_own, {own}_count = {own}_weights, {own}_weights.size")
        if p.steep is not None:
            self._put(1, f"is_steep = {self.printer.source(p.steep)} > 0.0")
            self._put(1, "if is_steep:")
            for g in p.grids:
                if is_placed(p, g):
                    self._put(2, f"{self.names[g.bound[0]]} = np.empty(MOST)")
                    self._put(2, f"{mark(g.name)}_own = np.empty(MOST)")
        self._put(1, "iterations = 0.0")
        for run in _runs(prune(link_long_blocks(p), p.returned)):
            if len(run) > 1:
                self._linears(1, run)
            else:
                self._statement(1, *run)
        outputs = [self.names[u] for u in p.unknowns] + [self.names[s] for s in p.observables.values()]
        if self.far:
            self._put(1, f"if not ({' and '.join(self.far)}):")
            self._put(2, f"{self.names[p.residual]} = math.inf")
        outputs = [*outputs, self.names[p.residual], p.iterations(self.names)]
        self._put(1, f"return ({', '.join(f'{o} + 0.0' for o in outputs)})")
        head += write_columns(p, self.names, self.lines)
        return "\n\n\n".join([*self.routines, "\n".join([*head, *self.lines])])

    def _put(self, depth, text):
        self.lines.append("    " * depth + text)

    def _assign(self, depth, targets, values):
        """Print the assignment of numbers, or of one, in one line."""
        self._put(depth, f"{', '.join(targets)} = {', '.join(values)}")

    def _fill(self, depth, targets, value):
        """Print the assignment of one number to some names, in lines that need not be broken."""
        for line in textwrap.wrap(", ".join(targets), 90, break_long_words=False):
            self._put(depth, f"{line.rstrip(',').replace(',', ' =')} = {value}")

    def _statement(self, depth, s):
        linear = self._linked if isinstance(s, Linear) and s.links else self._linear
        {Scalar: self._scalar, Sums: self._sums, Newton: self._newton, Linear: linear,
         Formulas: self._formulas}[type(s)](depth, s)

    def _scalar(self, depth, s):
        if s.note:
            self._put(depth, f"# {comment(s.note)}")
        self._put(depth, f"{self.names[s.symbol]} = {self.printer.source(s.expr)}")

    def _formulas(self, depth, s):
        self._put(depth, s.call(self.names))

    def _sums(self, depth, s):
        s = name_values(s)
        columns = set(s.grid.columns.values())
        printer = ExpressionPrinter(
            NameMap(self.names), decorate=lambda symbol, name: f"{name}[i]" if symbol in columns else name)
        self._fill(depth, [self.names[symbol] for symbol, _, _ in s.sums], "0.0")
        weights = f"{mark(s.grid.name)}_weights"
        self._put(depth, f"for i in range({weights}.size):")
        before, sums_inside, after = split_locals(s.locals)
        inner = {}
        for symbol, expr in sums_inside:
            inner.setdefault((expr.grid, expr.bound), []).append((symbol, expr.integrand))
        for line in assignments(before if inner else (), self.names, printer):
            self._put(depth + 1, line)
        lines = [*assignments(after if inner else before, self.names, printer)]
        lines += [f"{self.names[symbol]} += {weights}[i]*({printer.source(integrand)})    # {comment(note)}"
                  for symbol, integrand, note in s.sums]
        for (grid, bound), parts in inner.items():
            if self.program.steep is not None:
                self._place(depth + 1, s, Switches(grid, bound, [e for _, e in parts], columns))
            self._inner_sums(depth + 1, grid, set(bound), columns, parts)
        for line in share_parts(lines, self.numbers):
            self._put(depth + 1, line)

    def _place(self, depth, s, found):
        """Place the nodes of an inner sum at node i of the outer one, where the point is steep."""
        called, own = f"{mark(found.grid)}_place_{len(self.routines) + 1}", mark(found.grid)
        self.routines.append(found.source(self.names, called))
        columns = set(s.grid.columns.values())
        values = "".join(f"{self.names[x]}{'[i]' if x in columns else ''}, " for x in found.needed)
        self._put(depth, "if is_steep:")
        self._put(depth + 1, f"{own}_count = {called}(({values}), {mark(s.grid.name)}_weights[i], {own}_table, "
                             f"{self.names[found.bound]}, {own}_own)")

    def _inner_sums(self, depth, grid, bound, columns, parts):
        """Print sums over a grid at node i of another, all in one loop."""
        place = {**dict.fromkeys(columns, "i"), **dict.fromkeys(bound, "k")}
        steps, integrands = stack_orders(*name_shared_functions([e for _, e in parts], has_products=True))
        printer = ExpressionPrinter(
            NameMap(self.names), decorate=lambda symbol, name: f"{name}[{place[symbol]}]" if symbol in place else name,
            lanes=without_branches([*(row[1] for row in steps if not isinstance(row, Values)), *integrands]))
        self._fill(depth, [self.names[symbol] for symbol, _ in parts], "0.0")
        weights = f"{mark(grid)}_{'own' if self.program.steep is not None else 'weights'}"
        count = f"{mark(grid)}_count" if self.program.steep is not None else f"{weights}.size"
        self._put(depth, f"for k in range({count}):")
        for row in steps:
            self._put(depth + 1, row.source(printer) if isinstance(row, Values) else
                      f"{row[0].name} = {printer.source(row[1])}")
        for (symbol, _), integrand in zip(parts, integrands):
            self._put(depth + 1, f"{self.names[symbol]} += {weights}[k]*({printer.source(integrand)})")

    def _newton(self, depth, s):
        """Print Newton's method; where an equation is no map, a step that does not reduce the residual is halved."""
        n = [self.names[u] for u in s.torn]
        moved, damped = self.names[s.step_residual], not s.all_maps
        deltas, weights, before = ([form.format(j, u) for j, u in enumerate(n)]
                                   for form in ("delta{0}", "weight{0}", "{1}_from"))
        self._put(depth, f"# Newton's method for {', '.join(n)}")
        self._assign(depth, n, [f"{u}_start" for u in n])
        self._put(depth, f"{moved} = math.inf")
        if s.may_stand:
            self._put(depth, "small, small_before, stood = math.inf, math.inf, 0")
        if damped:
            self._put(depth, "best, halvings = math.inf, 0")
            self._assign(depth, before, n)
            self._fill(depth, deltas, "0.0")
            self._fill(depth, weights, "1.0")
        self._put(depth, "for step in range(max_steps):")
        for inner in s.body:
            self._statement(depth + 1, inner)
        self._put(depth + 1, "iterations += 1.0")
        targets = [(self.names[t], is_map) for t, is_map in s.targets]
        if s.all_maps:
            self._put(depth + 1, "if step < plain:")
            self._assign(depth + 2, n, [t for t, _ in targets])
            self._put(depth + 2, "continue")
        for i, (u, (t, is_map), positive) in enumerate(zip(n, targets, s.positive)):
            if is_map:
                self._put(depth + 1, f"g{i} = math.log({u}/{t})" if positive else f"g{i} = {u} - {t}")
            else:
                self._put(depth + 1, f"g{i} = {t}")
        if damped:
            self._halve(depth + 1, s, n, moved)
        if s.links:
            self._linked_step(depth + 1, s)
        else:
            for i, row in enumerate(s.slopes):
                made = [(self.names[e], jacobian_entry(s, i, j, self.names)) for j, e in enumerate(row)
                        if e is not None]
                if made:
                    self._assign(depth + 1, *zip(*made))
            self._solve(depth + 1, [*deltas, "missed"], s.slopes, [f"g{i}" for i in range(len(n))])
        if damped:
            for i, row in enumerate(s.slopes):
                total = " + ".join(f"abs({self.names[e]})" for e in row if e is not None)
                self._put(depth + 1, f"weight{i} = 1.0/({total} + 1e-300)")
            self._assign(depth + 1, before, n)
            self._put(depth + 1, f"best = {largest(f'abs(g{i})*weight{i}' for i in range(len(n)))}")
        self._put(depth + 1, "if missed > 1e-6:        # singular: away from here")
        self._assign(depth + 2, deltas, ["0.5" if positive else f"0.1 + 0.1*abs({u})"
                                         for u, positive in zip(n, s.positive)])
        self._zero_free_unknowns(depth + 1, s, n)
        self._move(depth + 1, s, n)
        size = largest(f"abs(delta{j}){_per_unit(u, positive, interval)}"
                        for j, (u, positive, interval) in enumerate(zip(n, s.positive, s.intervals)))
        self._put(depth + 1, f"{moved} = {size}")
        if not s.may_stand:
            self._put(depth + 1, f"if not {moved} > tolerance:")
        else:
            small = largest(f"abs(delta{j})" if positive else f"abs(delta{j})/(1.0 + abs({u}))"
                             for j, (u, positive) in enumerate(zip(n, s.positive)))
            self._put(depth + 1, f"small = {small}")
            rest = f"small <= {s.no_step!r} or " if s.no_step else ""
            self._put(depth + 1, f"stood = stood + 1 if {rest}small_before <= small <= tolerance else 0")
            self._put(depth + 1, f"if not {moved} > tolerance or stood == 2:")
        self._put(depth + 2, f"{moved} = math.inf if math.isnan({moved}) else 0.0")
        self._put(depth + 2, "break")
        if s.may_stand:
            self._put(depth + 1, "small_before = small")

    def _zero_free_unknowns(self, depth, s, n):
        """Print the minimum-norm convention: an unknown in no equation, whose own reads 0 = 0, becomes 0."""
        for i, (u, (_, is_map), positive) in enumerate(zip(n, s.targets, s.positive)):
            if not (is_map or positive):
                beside = [*s.slopes[i], *(row[i] for k, row in enumerate(s.slopes) if k != i)]
                entries = [f"g{i}", *(self.names[e] for e in beside if e is not None), "0.0"]
                self._put(depth, f"if {' == '.join(entries)}:")
                self._put(depth + 1, f"delta{i} = {u}")

    def _halve(self, depth, s, n, moved):
        """Print the halving of a step that does not reduce the residual, up to a number of times."""
        worse = largest(f"abs(g{i})*weight{i}" for i in range(len(n)))
        moves = f"{moved} > {SHORT_STEP!r}" + (f" and small > {s.no_step!r}" if s.may_stand and s.no_step else "")
        self._put(depth, f"if best < math.inf and {moves} and not {worse} <= best and halvings < {HALVINGS}:")
        self._put(depth + 1, "halvings += 1")
        self._assign(depth + 1, n, [f"{u}_from" for u in n])
        self._assign(depth + 1, [f"delta{j}" for j in range(len(n))], [f"0.5*delta{j}" for j in range(len(n))])
        self._move(depth + 1, s, n)
        self._put(depth + 1, "continue")
        self._put(depth, "halvings = 0")

    def _move(self, depth, s, n):
        """Print a step of the unknowns: by a bounded factor, or never further than most of the way to a border."""
        for j, (u, positive, interval) in enumerate(zip(n, s.positive, s.intervals)):
            text = f"{u} - delta{j}"
            if positive:
                self._put(depth, f"delta{j} = min({LONGEST_STEP!r}, max(-{LONGEST_STEP!r}, delta{j}))")
                text = f"{u}*math.exp(-delta{j})"
            if interval and interval[0] > -math.inf:
                text = f"max({text}, {u} - 0.9*({u} - {interval[0]!r}))"
            if interval and interval[1] < math.inf:
                text = f"min({text}, {u} + 0.9*({interval[1]!r} - {u}))"
            self._put(depth, f"{u} = {text}")

    def _linear(self, depth, s):
        self._put(depth, f"# linear block for {', '.join(self.names[u] for u in s.torn)}")
        self._solve(depth, [self.names[u] for u in (*s.torn, s.residual)], s.matrix, [self.names[b] for b in s.rhs])

    def _solve(self, depth, targets, matrix, rhs):
        """Print the solution of linear equations, and its residual; a factored matrix may have been factored before."""
        n, rows = len(rhs), self._rows(matrix)
        if n <= 2:
            flat = ", ".join([*(e for row in rows for e in row), *rhs])
            self._put(depth, f"{', '.join(targets)} = solve_linear_{n}({flat})")
        else:
            call = f"solve_factored_n({self._factored(depth, rows)}, np.array(({', '.join(rhs)})))"
            self._put(depth, f"solution{n}, {targets[-1]} = {call}")
            self._assign(depth, targets[:-1], [f"solution{n}[{j}]" for j in range(n)])

    def _linked_step(self, depth, s):
        """Print a step of a long block of maps; where it is NaN, the matrix is singular."""
        made = Elimination(lambda line: self._put(depth, line), f"J{len(self.steps)}", newton_entries(s, self.names))
        self.steps[s.torn] = made
        place = {u: k for k, u in enumerate(s.links.unknowns)}
        x = made.solve({place[u]: f"g{k}" for k, u in enumerate(s.torn)})
        for k, u in enumerate(s.torn):
            self._put(depth, f"delta{k} = {x[place[u]]}")
        self._put(depth, f"missed = 0.0 if {made.finite(x)} else 1.0")

    def _linked(self, depth, s):
        """Print the solution of a long linear block; where it may be singular the point is not solved here."""
        links, name = s.links, f"A{len(self.factored)}"
        self.factored[s.residual] = name

        def put(line):
            self._put(depth, line)

        put(f"# linear block for {', '.join(self.names[u] for u in s.torn)}")
        made = self.steps[links.step] if links.step else Elimination(
            put, name, {at: self.printer.source(e) for at, e in links.entries.items()})
        made.put = put
        rhs = {k: self.names[b] for k, b in enumerate(links.rhs) if b is not None}
        x = made.solve(rhs)
        put(f"{self.names[s.residual]} = {made.residual(x, rhs)}")
        put(f"if not {made.finite(x)}:")
        put(f"    {self.names[s.residual]} = 1.0")
        for k, u in enumerate(links.unknowns):
            if u is not None:
                put(f"{self.names[u]} = {x[k]}")
        if links.sizes:
            condition = made.near_singular({at: self.printer.source(e) for at, e in links.sizes.items()},
                                           links.rounding)
            put(f"{name}_is_far = {condition}")
            self.far.append(f"{name}_is_far")

    def _linears(self, depth, run):
        """Print consecutive systems with one matrix, whose factors serve all right-hand sides at once."""
        self._put(depth, f"# linear blocks for {'; '.join(', '.join(self.names[u] for u in s.torn) for s in run)}")
        matrix = self._factored(depth, self._rows(run[0].matrix))
        columns = ", ".join("(" + ", ".join(self.names[b] for b in row) + ")" for row in zip(*(s.rhs for s in run)))
        self._put(depth, f"solution, missed = solve_many_factored_n({matrix}, np.array(({columns})))")
        for c, s in enumerate(run):
            self._assign(depth, [self.names[u] for u in (*s.torn, s.residual)],
                         [*(f"solution[{j}, {c}]" for j in range(len(s.torn))), f"missed[{c}]"])

    def _rows(self, matrix):
        return [["0.0" if e is None else self.names[e] for e in row] for row in matrix]

    def _factored(self, depth, entries):
        """Return the arguments for a matrix and its factors, which are computed at first use."""
        rows = ", ".join("(" + ", ".join(row) + ")" for row in entries)
        if rows not in self.factored:
            n = len(self.factored)
            self.factored[rows] = f"matrix_{n}_, factors_{n}_, order_{n}_"
            self._put(depth, f"matrix_{n}_ = np.array(({rows}))")
            self._put(depth, f"factors_{n}_, order_{n}_ = factor_linear_n(matrix_{n}_)")
        return self.factored[rows]


def _runs(statements):
    """List statements, with consecutive linear systems that share a matrix of three unknowns or more in one list."""
    out = []
    for s in statements:
        before = out[-1][-1] if out else None
        are_like = isinstance(s, Linear) and isinstance(before, Linear) and s.matrix == before.matrix
        if are_like and len(s.torn) > 2 and not s.links:
            out[-1].append(s)
        else:
            out.append([s])
    return out


def without_branches(expressions):
    """Return whether all functions in a loop have forms without branches; otherwise none of them is used."""
    found = {type(a).__name__ for e in expressions for a in e.atoms(Application)}
    known = [entry(name) for name in found]
    return all(e is not None and (e.lanes or e.loops == "abs") for e in known)


def _per_unit(u, positive, interval):
    """Return the factor that makes a step relative to the unknown, or to its distance from a border if smaller."""
    low, high = interval or (-math.inf, math.inf)
    distances = [f"{u} - {low!r}"] * (-math.inf < low != 0.0) + [f"{high!r} - {u}"] * (high < math.inf)
    if not distances:
        return "" if positive else f"/(abs({u}) + 1e-300)"
    return f"{f'*{u}' if positive else ''}/(min(abs({u}), {', '.join(distances)}) + 1e-300)"
