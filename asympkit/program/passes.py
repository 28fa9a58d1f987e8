"""Passes over the statements of a program that leave all values as they are.

Dead statements: what no output needs is not printed.  Sub-expressions that several statements or integrands have in
common become statements of their own, computed once.
"""

from collections import Counter
from dataclasses import replace
from itertools import count

from sympy import Abs, Add, Dummy, Mul, Piecewise, Pow, S, cse
from sympy.core.function import Application
from sympy.logic.boolalg import Boolean

from ..nodes import rebuilt, tree_size
from ..numbers.functions.classes import Size
from .statements import InnerSum, Newton, Scalar, Sums, select_statements


def prune(statements, outputs):
    """Return the statements that the outputs need."""
    needed, kept = set(outputs), []
    for s in reversed(statements):
        if isinstance(s, Sums):
            s = _prune_sums(s, needed)
        elif isinstance(s, Newton):
            s = replace(s, body=tuple(prune(s.body, s.wanted)))
            needed |= set().union(*(inner.inputs for inner in s.body))
        elif not needed.isdisjoint(s.outputs):
            needed |= s.inputs
        else:
            continue
        if s.outputs:
            kept.append(s)
    return kept[::-1]


def _prune_sums(s, needed):
    sums = tuple(item for item in s.sums if item[0] in needed)
    inside = set().union(*(e.free_symbols for _, e, _ in sums)) if sums else set()
    local = []
    for symbol, expr in reversed(s.locals):
        if symbol in inside:
            local.append((symbol, expr))
            inside |= expr.free_symbols
    needed |= inside
    return replace(s, sums=sums, locals=tuple(local[::-1]))


def name_shared_functions(integrands, has_products=False):
    """Name the functions and the negative or fractional powers in some expressions, inner ones first.

    With ``has_products`` sums and products that are met twice have names too: of arrays there would be many at once.
    Returns the definitions ``(symbol, expression)`` in order, and the expressions in these symbols.  Cases stay as they
    are: outside of its case a branch need not have a value.
    """
    names, steps = {}, []

    def walk(expr):
        if not expr.args or isinstance(expr, Piecewise):
            return expr
        if isinstance(expr, Pow) and expr.exp.is_Integer and expr.exp < -1:
            return walk(1 / expr.base) ** -expr.exp            # one division for all powers
        args = [walk(a) for a in expr.args]
        form = expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args, evaluate=False) \
            if expr.is_Add or expr.is_Mul else expr.func(*args)
        is_plain_power = isinstance(form, Pow) and form.exp.is_Integer and form.exp > 0
        if not form.free_symbols or not isinstance(form, Application | Pow) or is_plain_power:
            return form
        if form not in names:
            names[form] = Dummy(f"shared_{len(names) + 1}", real=True)
            steps.append((names[form], form))
        return names[form]

    forms = [walk(e) for e in integrands]
    if not has_products or any(e.has(Piecewise) for e in forms):
        return steps, forms
    numbers = (Dummy(f"shared_{n}", real=True) for n in count(len(steps) + 1))
    products, forms = cse(forms, symbols=numbers)
    return steps + products, forms


def name_values(s):
    """Return a pass over a grid in which functions that are met twice are locals, absolute values met once are none."""
    if any(e.has(InnerSum) for e in s.expressions):
        return s
    varies, uses = {*s.grid.columns.values(), *(x for x, _ in s.locals)}, Counter()
    known, found = {}, []

    def count(e):
        is_value = isinstance(e, Application) and not varies.isdisjoint(e.free_symbols)
        uses[e] += e.is_Symbol or is_value
        if not (is_value and uses[e] > 1 or isinstance(e, Piecewise)):      # a branch need not have a value elsewhere
            for a in e.args:
                count(a)

    def write(e):
        if e not in known:
            known[e] = e if not e.args or isinstance(e, Piecewise) else rebuilt(e, [write(a) for a in e.args])
            if uses[e] > 1 and not e.is_Symbol:
                known[e] = name(Dummy(f"value_{len(found) + 1}", real=True), known[e])
        return known[e]

    def name(symbol, form):
        found.append((symbol, form))
        return symbol

    for e in s.expressions:
        count(e)
    in_cases = set().union(*(p.free_symbols for e in s.expressions for p in e.atoms(Piecewise)))
    for x, e in s.locals:
        is_inside = isinstance(e, Abs | Size) and uses[x] == 1 == uses[e] and x not in in_cases
        known[x] = write(e) if is_inside else name(x, rebuilt(e, list(map(write, e.args))) if e.args else e)
        known.setdefault(e, x)
    return replace(s, sums=tuple((x, write(e), note) for x, e, note in s.sums), locals=tuple(found))


#: nodes of all expressions of a program, each counted as often as it is written, from which it is worth the lines
LONG = 14_000
#: nodes that naming a part must save
_LEAST = 20


def length(statements):
    """Count the nodes of the expressions of statements."""
    return sum(tree_size(e) for s in select_statements(Scalar | Sums, statements) for e in s.expressions)


def shared_parts(statements, names):
    """Return statements in which no longer part of an expression is written twice.

    The values are the same, in the same order, between them those of the common parts, each before it is first needed.
    Every stretch between two Newton solves, and the body of each, has its own: what they are made of moves in between.
    """
    out, stretch = [], []
    for s in statements:
        if not isinstance(s, Newton):
            stretch.append(s)
            continue
        out += _Stretch(stretch, names)()
        out.append(replace(s, body=tuple(shared_parts(s.body, names))))
        stretch = []
    return out + _Stretch(stretch, names)()


class _Stretch:
    """Statements in a row that see the same values."""

    def __init__(self, statements, names):
        self.statements, self.names = statements, names
        self.uses, self.written, self.out = {}, {}, []

    def __call__(self):
        for s in self.statements:
            if isinstance(s, Scalar):
                self._count(s.expr)
        for s in self.statements:
            self.out.append(replace(s, expr=self._write(s.expr)) if isinstance(s, Scalar) else s)
        return self.out

    def _count(self, expr):
        self.uses[expr] = self.uses.get(expr, 0) + 1
        if self.uses[expr] == 1:
            for part in _parts(expr):
                self._count(part)

    def _write(self, expr):
        """Return an expression in the common parts, which are added to the statements as they are met."""
        if not _parts(expr):
            return expr
        if expr not in self.written:
            form = _rebuilt(expr, self._write)
            if (self.uses[expr] - 1) * (tree_size(form) - 1) >= _LEAST:
                symbol = self.names.fresh("common", **{"positive" if expr.is_positive else "real": True})
                self.out.append(Scalar(symbol, form))
                form = symbol
            self.written[expr] = form
        return self.written[expr]


def _parts(expr):
    """Return what an expression is written in.

    Numbers in front of products stand apart, and powers of a reciprocal are those of one.  Cases stay as they are:
    outside of its case a branch need not have a value.
    """
    if isinstance(expr, Mul):
        number, rest = expr.as_coeff_Mul()
        return expr.args if number is S.One else (rest,)
    if isinstance(expr, Pow) and _is_below(expr):
        return (1 / expr.base,)
    is_plain = isinstance(expr, Add | Pow | Application) and not isinstance(expr, Piecewise | Boolean)
    return expr.args if is_plain else ()


def _is_below(power):
    return power.exp.is_Integer and power.exp < -1


def _rebuilt(expr, write):
    """Return an expression with its parts written anew; sympy is kept from putting them together again."""
    parts = _parts(expr)
    new = [write(a) for a in parts]
    if all(a is b for a, b in zip(new, parts)):
        return expr
    if isinstance(expr, Mul) and parts != expr.args:
        return Mul(expr.as_coeff_Mul()[0], *Mul.make_args(new[0]), evaluate=False)
    if isinstance(expr, Pow) and _is_below(expr):
        (inverse,) = new
        return Pow(inverse, -expr.exp, evaluate=False) if inverse.is_Symbol else \
            Pow(inverse.base, expr.exp, evaluate=False)
    return expr.func(*new, evaluate=False)
