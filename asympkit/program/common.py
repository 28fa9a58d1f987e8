"""Sub-expressions that several statements have in common become statements of their own, computed once."""

from dataclasses import replace

from sympy import Add, Mul, Piecewise, Pow, S
from sympy.core.function import Application
from sympy.logic.boolalg import Boolean

from ..nodes import tree_size
from .statements import Newton, Scalar, Sums

__all__ = ["LONG", "name_common", "shared_parts"]

#: nodes of all expressions of a program, each counted as often as it is written, from which it is worth the lines
LONG = 30_000
#: nodes that naming a part must save
_LEAST = 12


def name_common(statements, names):
    """Statements in which no longer part of an expression is written twice.

    Parameters
    ----------
    statements : sequence
    names : Names
        For what is new.

    Returns
    -------
    tuple
        The same values in the same order, between them those of the common parts, each before it is first needed.
        Every stretch between two Newton solves, and the body of each, has its own: what they are made of moves in
        between.  Programs below :data:`LONG` stay as they are.
    """
    return tuple(shared_parts(statements, names)) if length(statements) >= LONG else tuple(statements)


def length(statements):
    """How many nodes the expressions of statements have."""
    return sum(length(s.body) if isinstance(s, Newton) else sum(map(tree_size, _expressions(s))) for s in statements)


def _expressions(s):
    if isinstance(s, Scalar):
        return [s.expr]
    return [e for _, e in s.locals] + [e for _, e, _ in s.sums] if isinstance(s, Sums) else []


def shared_parts(statements, names):
    """As :func:`name_common`, however short the program is."""
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
        """An expression in the common parts, which are added to the statements as they are met."""
        if not _parts(expr):
            return expr
        if expr not in self.written:
            form = _rebuilt(expr, self._write)
            if (self.uses[expr] - 1) * (tree_size(form) - 1) >= _LEAST:
                symbol = self.names.fresh("common", **_assumptions(expr))
                self.out.append(Scalar(symbol, form))
                form = symbol
            self.written[expr] = form
        return self.written[expr]


def _parts(expr):
    """What an expression is written in.

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
    """An expression with its parts written anew; sympy is kept from putting them together again."""
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


def _assumptions(expr):
    return {"positive": True} if expr.is_positive else {"real": True}
