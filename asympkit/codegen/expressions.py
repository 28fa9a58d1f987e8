"""Print scalar sympy expressions as Python source, the same bytes in every process.

Write text from users into source, as a literal, a comment or a part of a docstring, and nothing else.

The result is printable ASCII on one line for any input.

Find functions whose values of several orders at the same arguments cost little more than one of them.  Print sums
inside sums whose nodes are placed where a point is steep (:mod:`asympkit.runtime.rules`).  Entries of Newton's
matrix in the variables of the solver: logarithms of positive unknowns.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sympy import Add, Basic, Dummy, Mul, Pow, Symbol, erfc, exp, pi, preorder_traversal, sqrt, true
from sympy.core.function import Application
from sympy.core.numbers import Exp1, Float, Rational
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, Not, Or
from sympy.printing.pycode import PythonCodePrinter

from ..errors import StructureError
from ..gauss.moving_kinks import SWITCHING, switching_border
from ..numbers.functions import entry, known_names
from ..numbers.functions.classes import NormalBlur
from ..program.names import mark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sympy import Expr


_PLAIN = (Symbol, Rational, Float, Exp1, type(pi), Add, Mul, Pow)
#: functions with a printing method of their own
_WRITTEN = ("Heaviside", "Max", "Min", "Piecewise")
#: largest integer that is written
_LARGEST = 10**300
#: largest integer that is written as one: compiled code, arrays and C know none of any size, and doubles have this one
_EXACT = 2**53


class ExpressionPrinter(PythonCodePrinter):
    """Printer of expressions over symbols and numbers as source text, ``names`` their identifiers.

    ``batch`` is the array form (``np.log`` for ``math.log``); ``lanes`` are vectorised variants of functions, without
    branches, for a loop over nodes.
    """

    def __init__(self, names, batch=False, decorate=None, lanes=False):
        super().__init__({"fully_qualified_modules": False, "strict": False})
        self._names, self._batch, self._lanes = names, batch, lanes
        self._decorate = decorate or (lambda symbol, name: name)

    def _print(self, expr, **kwargs):
        # sympy's own printer knows more, in forms that fit no array
        if isinstance(expr, Application):
            name = type(expr).__name__
            return getattr(self, f"_print_{name}" if name in _WRITTEN else "_print_Function")(expr)
        if isinstance(expr, Basic) and not isinstance(expr, _PLAIN):
            raise _unknown(expr)
        return super()._print(expr, **kwargs)

    def _print_Symbol(self, expr):
        return self._decorate(expr, self._names[expr])

    _print_Dummy = _print_BoundSymbol = _print_Symbol

    def _print_Integer(self, expr):
        if abs(expr.p) > _LARGEST:
            raise StructureError(f"equations: the number {expr.evalf(6)} is beyond double precision; choose units in "
                                 "which it is not, or write a power as an exponential, exp(n*log(u))")
        return str(expr.p) if abs(expr.p) <= _EXACT else repr(float(expr.p))

    def _print_Rational(self, expr):
        if max(abs(expr.p), expr.q) > _EXACT:
            return self._print_Float(Float(expr, 17))
        if expr.q & (expr.q - 1) == 0 and abs(expr.p) < 2**52 and expr.q < 2**52:
            return repr(expr.p / expr.q)
        return f"({expr.p}/{expr.q})"

    _print_Half = _print_Rational

    def _print_Float(self, expr):
        value = float(expr)
        return repr(value) if math.isfinite(value) else f"{'-' if value < 0 else ''}math.inf"     # beyond doubles

    def _print_Pi(self, expr):
        return "math.pi"

    def _print_Exp1(self, expr):
        return "math.e"

    def _print_Pow(self, expr, rational=False, sqrt=None):
        base, power = expr.as_base_exp()
        if power.is_Integer and 2 <= int(power) <= 4 and base.is_Symbol:
            return "(" + "*".join([self._print(base)] * int(power)) + ")"
        if power.is_Integer and int(power) < 0:
            return f"(1.0/{self.parenthesize(Pow(base, -power), 100)})"
        module = "np" if self._batch else "math"
        if power.is_Rational and power.q == 2 and power.p in (1, -1):
            root = f"{module}.sqrt({self._print(base)})"
            return root if power.p == 1 else f"(1.0/{root})"
        return f"({self._print(base)})**({self._print(power)})"

    def _print_Function(self, expr):
        known = entry(type(expr).__name__)
        if known is None or not known.arrays:
            raise _unknown(expr)
        arguments = ", ".join(self._print(a) for a in expr.args)
        called = known.arrays if self._batch else self._lanes and known.lanes or known.loops
        return f"{called}({arguments})"

    def _print_Heaviside(self, expr):
        at_zero = self._print(expr.args[1]) if len(expr.args) > 1 else "0.5"
        inner = self._print(expr.args[0])
        if self._batch:
            return f"{entry('Heaviside').arrays}({inner}, {at_zero})"
        return f"({at_zero} if {inner} == 0.0 else 0.5*(1.0 + np.sign({inner})))"

    def _reduce(self, name, expr):
        args = [self._print(a) for a in sorted(expr.args, key=lambda a: a.sort_key())]
        known, text = entry(name), args[0]
        if not self._batch:
            return text if len(args) == 1 else f"{known.loops}({', '.join(args)})"
        for a in args[1:]:
            text = f"{known.arrays}({text}, {a})"
        return text

    def _print_Max(self, expr):
        return self._reduce("Max", expr)

    def _print_Min(self, expr):
        return self._reduce("Min", expr)

    # -- cases -----------------------------------------------------------------------------------------

    def _print_Piecewise(self, expr):
        """Print a Piecewise; arrays compute every branch, and the caller silences warnings of those not taken."""
        pairs = list(expr.args)
        text = self._print(pairs.pop()[0]) if pairs[-1][1] == true else ("np.nan" if self._batch else "math.nan")
        for value, condition in reversed(pairs):
            value, condition = self._print(value), self._condition(condition)
            text = f"np.where({condition}, {value}, {text})" if self._batch else f"({value} if {condition} else {text})"
        return text

    def _condition(self, expr):
        if isinstance(expr, Relational):
            return f"({self._print(expr.lhs)} {expr.rel_op} {self._print(expr.rhs)})"
        if isinstance(expr, And | Or):
            parts = [self._condition(a) for a in sorted(expr.args, key=lambda a: a.sort_key())]
            words = ("&", "|") if self._batch else ("and", "or")
            return f"({f' {words[isinstance(expr, Or)]} '.join(parts)})"
        if isinstance(expr, Not):
            return f"np.logical_not({self._condition(expr.args[0])})" if self._batch else \
                f"(not {self._condition(expr.args[0])})"
        raise _unknown(expr)

    def source(self, expr):
        """Return the expression as source text."""
        return self.doprint(expr)


def _unknown(expr):
    return StructureError(f"code generation: no form is known for the function {type(expr).__name__}; "
                          f"known are {known_names()}")


def write_literal(text):
    """Write a string literal."""
    return '"' + "".join('\\"' if c == '"' else _plain(c) for c in text) + '"'


def literals(texts):
    """Write a tuple of string literals."""
    return "(" + "".join(f"{write_literal(t)}, " for t in texts).strip() + ")"


def comment(text):
    """Write the text of a comment."""
    return "".join(map(_plain, text)).replace("\\\\", "\\")


def docstring(text):
    """Write a part of a docstring in triple double quotes."""
    return write_literal(text)[1:-1]


def _plain(c):
    if c == "\\":
        return "\\\\"
    if " " <= c <= "~":
        return c
    code = ord(c)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


@dataclass(frozen=True)
class Values:
    """Values of a function of several orders at the same arguments: a row with more than one name."""

    name: str
    arguments: tuple[Expr, ...]
    symbols: dict[tuple[int, ...], Symbol]          # of the values, by their orders

    def source(self, printer: ExpressionPrinter, is_batch: bool = False) -> str:
        """Return the line that assigns them."""
        loops, arrays, every = entry(self.name).together
        arguments = ", ".join(map(printer.source, self.arguments))
        if is_batch:
            names = "".join(f"{s.name}, " for s in self.symbols.values())
            orders = ", ".join(f"({', '.join(map(str, o))})" for o in self.symbols)
            return f"{names.strip()} = {arrays}(({orders}), {arguments})"
        return f"{', '.join(self.symbols[o].name if o in self.symbols else '_' for o in every)} = {loops}({arguments})"


def stack_orders(rows: Sequence[tuple[Symbol, Expr]], results: Sequence[Expr] = ()
             ) -> tuple[list[tuple[Symbol, Expr] | Values], list[Expr]]:
    """Put values of several orders into rows of their own, before the first use of each.

    Rows are in order: each may hold the symbols of those before.
    """
    found: dict[tuple, dict] = {}
    for e in (*(e for _, e in rows), *results):
        for node in preorder_traversal(e):
            known = entry(type(node).__name__) if isinstance(node, Application) else None
            if known is not None and known.together is not None:
                orders, arguments = tuple(map(int, node.args[:known.orders])), node.args[known.orders:]
                if orders in known.together[2]:
                    found.setdefault((type(node), arguments), {})[orders] = node
    places, made = {}, []
    for (kind, arguments), nodes in found.items():
        if len(nodes) > 1:
            symbols = {orders: Dummy(f"at_once_{len(made) + 1}_{k}", real=True)
                       for k, orders in enumerate(sorted(nodes), 1)}
            made.append(Values(kind.__name__, arguments, symbols))
            places.update({node: (made[-1], symbols[orders]) for orders, node in nodes.items()})
    if not made:
        return list(rows), list(results)
    out, done = [], set()

    def put(expr):
        held = {node: places[node] for node in expr.atoms(Application) if node in places}
        for values in made:
            if id(values) not in done and any(values is v for v, _ in held.values()):
                done.add(id(values))
                out.append(values)
        return expr.xreplace({node: symbol for node, (_, symbol) in held.items()})

    for symbol, expr in rows:
        out.append((symbol, put(expr)))
    return out, [put(e) for e in results]


def write_columns(program, names, lines):
    """Return lines that name the rows of tables that other lines read, one for each grid."""
    used, out = set(re.findall(r"\w+", "\n".join(lines))), []
    for g in program.grids:
        rows = {names[c]: f"{mark(g.name)}_table[{k}]" for k, c in enumerate(g.columns.values()) if names[c] in used}
        out += [f"    {', '.join(rows)} = {', '.join(rows.values())}"] * bool(rows)
    return out


def is_placed(program, grid):
    """Return whether the nodes of a grid are placed where a point is steep."""
    return program.steep is not None and grid.is_inner and len(grid.bound) == 1


class Switches:
    """Places where integrands of sums over an inner grid switch, and their symbols of outer nodes and of the point.

    ``varying`` are symbols that differ between outer nodes.
    """

    def __init__(self, grid, bound, integrands, varying):
        self.grid, (self.bound,) = grid, bound
        self.arguments, self.kinks = _arguments(integrands, self.bound), _kinks(integrands, self.bound)
        free = {s for e in integrands for s in e.free_symbols if isinstance(s, Symbol)} - {self.bound}
        self.at_nodes = sorted(free & set(varying), key=lambda s: s.name)
        self.at_points = sorted(free - set(varying), key=lambda s: s.name)

    @property
    def needed(self):
        """Symbols in the arguments, in a fixed order."""
        free = set().union(*(a.free_symbols for a in (*self.arguments, *self.kinks)))
        return [s for s in (*self.at_nodes, *self.at_points) if s in free]

    def source(self, names, called):
        """Write a function that places nodes at one node of the outer sum, for compiled loops."""
        printer = ExpressionPrinter(names)
        values, z = ", ".join(names[s] for s in self.needed), names[self.bound]
        kinks = ", ".join(printer.source(k) for k in self.kinks)
        return "\n".join([
            f"def {called}(values, share, table, nodes, weights):",
            '    """Place nodes where integrands switch; returns how many there are."""',
            *[f"    ({values},) = values"] * bool(values),
            f"    looks = np.empty((LOOKS, {len(self.arguments)}))",
            f"    ends, top = first_ends(table[-1], {f'np.array(({kinks},), np.float64)' if kinks else 'np.empty(0)'})",
            "    left, count = table[-1, 0], 0",
            "    while top >= 0:",
            "        right = ends[top]",
            "        for look in range(LOOKS):",
            f"            {z} = left + (right - left)*(look/(LOOKS - 1.0))",
            *(f"            looks[look, {j}] = {printer.source(a)}" for j, a in enumerate(self.arguments)),
            "        if top + 1 < ends.size and 2*count < nodes.size and is_halved(looks, left, right, share):",
            "            top += 1",
            "            ends[top] = 0.5*(left + right)",
            "        else:",
            "            count = add_panel(table, left, right, nodes, weights, count)",
            "            left, top = right, top - 1",
            "    return count"])

    def functions_of_arrays(self, names):
        """Write two functions for numpy: arguments, of nodes and all values; and kinks, of all values."""
        printer = ExpressionPrinter(names, batch=True)
        values = ", ".join(names[s] for s in (*self.at_nodes, *self.at_points))
        texts, kinks = ("".join(f"{printer.source(e)}, " for e in found) for found in (self.arguments, self.kinks))
        return f"lambda {names[self.bound]}, {values}: ({texts})", f"lambda {values}: ({kinks})"

    def lines_of_arrays(self, names, outer, steep):
        """Return lines that choose the nodes, and the names of nodes and values in them."""
        own = mark(self.grid)
        at_nodes = "".join(f"{names[s]}, " for s in self.at_nodes)
        at_points = "".join(f"{names[s]}, " for s in self.at_points)
        spelt = {s: f"{names[s]}_inside" for s in (*self.at_nodes, *self.at_points)}
        return [f"inside = nodes_inside({own}_table, {own}_weights, ({at_nodes}), ({at_points}),",
                *(f"                      {text}," for text in self.functions_of_arrays(names)),
                f"                      {mark(outer)}_weights, {ExpressionPrinter(names, batch=True).source(steep)})",
                f"{', '.join(spelt.values())}, = inside.values"], {**spelt, self.bound: "inside.nodes"}


def _arguments(integrands, z):
    """Return expressions that vary as integrands do: arguments of error functions, and roots of other exponents."""
    found = {a.args[0] for e in integrands for a in e.atoms(erfc) if z in a.free_symbols}
    windows = {a.args[2:4] for e in integrands for a in e.atoms(NormalBlur) if z in a.free_symbols}
    found |= {(c + side * h / 2) / sqrt(2) for c, h in windows for side in (1, -1)}
    found = {min(a, -a, key=str) for a in found}
    known = {(a**2).expand() for a in found}
    exponents = {a.args[0] for e in integrands for a in e.atoms(exp) if z in a.free_symbols}
    others = {sqrt(1 - a) for a in exponents if (-a).expand() not in known}
    return sorted({*found, *others}, key=str)


def _kinks(integrands, z):
    """Return the places where affine arguments of functions with kinks vanish."""
    found = set()
    for node in set().union(*(e.atoms(*SWITCHING) for e in integrands)):
        at = switching_border(node, z) if node.has(z) else None
        rate = None if at is None else at.diff(z)
        if rate is not None and z not in rate.free_symbols and rate != 0:
            found.add(-at.subs(z, 0) / rate)
    return sorted(found, key=str)


def jacobian_entry(newton, i, j, names):
    """Return the source of the derivative of residual i by the solver's variable j, a literal where it is constant.

    The residual is ``log(u/f)`` or ``u - f`` for a map u = f (positive unknown or not), and the
    equation itself otherwise.
    """
    (target, is_map), symbol = newton.targets[i], newton.jacobian[i][j]
    unit = "1.0" if is_map and i == j else ""
    if symbol is None:
        return unit or "0.0"
    d = names[symbol] + f"*{names[newton.torn[j]]}" * newton.positive[j]
    if not is_map:
        return d
    return f"{unit}{' ' * bool(unit)}-{' ' * bool(unit)}{d}" + f"/{names[target]}" * newton.positive[i]
