"""A named expression: transparent to calculus, opaque to printing and to generated code.

Derivatives of large expressions: shared parts are differentiated once.  An activation that is not yet chosen, applied
to an argument: ``sigma(x)``, ``sigma'(x)``, ...

Queries on large expressions are answered once for a part however often it occurs.  An average renames its integration
variables to ``BoundSymbol`` symbols that depend only on how deeply averages are nested inside it: ``E(f(x), x)`` and
``E(f(y), y)`` are then the same object, and a substitution of user symbols can never hit a bound variable.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING

from sympy import Add, Basic, DiracDelta, Dummy, Expr, Function, Integer, Mul, Pow, S, Symbol, SympifyError
from sympy.core.function import ArgumentIndexError
from sympy.core.symbol import Str
from sympy.core.sympify import _sympify

from ..errors import DomainError, StructureError
from ..notation import FUNCTIONS
from ..once import computed_once

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Self


#: named expressions by value, as averages are
_MADE, _MOST_MADE = {}, 50_000


class Named(Expr):
    r"""Name an expression.

    Derivatives, free symbols and values are those of the expression; printers show the name, and
    generated code gets a variable of that name.  It keeps derived equations readable:
    ``E[R*mu1**2/(1 + V)**2]`` instead of a page.

    Parameters
    ----------
    label : str
        A Python identifier.
    expr : Expr
        The named expression.

    Notes
    -----
    ``xreplace`` rewrites the expression and keeps the name (the same quantity in other terms); ``subs``
    that changes the expression drops the name (the value at a point is another quantity).  The label is
    a ``Str``, not a ``Symbol``, so that it is no variable.

    Examples
    --------
    >>> from sympy import symbols
    >>> x, y = symbols("x y", real=True)
    >>> V = Named("V", x**2 + y)
    >>> 1 / (1 + V), V.diff(x)
    (1/(V + 1), 2*x)
    """

    is_commutative = True
    #: whether it has derivatives of its own, by the chain rule
    has_own_rates = False

    def __new__(cls, label: str, expr: Expr) -> Expr:
        if not isinstance(label, Str | str):
            raise StructureError(f"label: got {label!r:.60}; expected a text that is an identifier")
        label = label if isinstance(label, Str) else Str(label)
        expr = as_expression("expr", expr)
        if not label.name.isidentifier():
            raise StructureError(f"label: got {label.name!r}; expected an identifier, "
                                 "which becomes a variable of generated code")
        if expr.is_number or isinstance(expr, Symbol):
            return expr
        return cls._made(label, expr)

    @classmethod
    def _made(cls, *args):
        """Return the one object of these arguments: what holds it is compared without its inside."""
        if len(_MADE) >= _MOST_MADE:
            _MADE.clear()
        found = Expr.__new__(cls, *args)
        return _MADE.setdefault(found, found)

    @property
    def label(self) -> str:
        return self.args[0].name

    @property
    def expr(self) -> Expr:
        return self.args[1]

    @computed_once
    def _free(self):
        return free_of(self.expr)

    @property
    def free_symbols(self) -> set[Symbol]:
        return set(self._free)

    def _eval_derivative(self, symbol):
        return self.expr.diff(symbol)

    def _eval_subs(self, old, new):
        if old == self:
            return new
        if old.is_Symbol and old not in self._free:
            return self
        changed = self.expr._subs(old, new)
        return self if changed == self.expr else changed

    def _eval_is_polynomial(self, syms):
        # a polynomial in the symbols would need coefficients, which a name hides: sympy's search for signs would fail
        return True if self in syms or self._free.isdisjoint(syms) else None

    def _eval_is_extended_real(self):
        return self.expr.is_extended_real

    def _eval_is_real(self):
        return self.expr.is_real

    def _eval_is_positive(self):
        return self.expr.is_positive

    def _eval_is_nonnegative(self):
        return self.expr.is_nonnegative

    def sort_key(self, order: str | None = None) -> Any:
        """Return sympy's key for orders of arguments, which spells out the tree; for a large one its size instead."""
        if tree_size(self) < LARGE:
            return super().sort_key(order)
        inside = self.args[0].sort_key(), Integer(tree_size(self)).sort_key()
        return self.class_key(), (2, inside), S.One.sort_key(), S.One

    def doit(self, **hints: Any) -> Expr:
        return Named(self.label, self.expr.doit(**hints))

    def _eval_evalf(self, prec):
        return self.expr._eval_evalf(prec)

    def _sympystr(self, printer):
        return self.label

    def _latex(self, printer, exp=None):
        body = printer._print(Symbol(self.label))
        return body if exp is None else rf"{printer.parenthesize_super(body)}^{{{exp}}}"


def named_parts(expr: Expr) -> list[Named]:
    """Return the named expressions inside (innermost first), without repetition."""
    found = {}

    def walk(e):
        for a in (e.expr,) if isinstance(e, Named) else e.args:
            walk(a)
        if isinstance(e, Named):
            found[e] = None

    walk(expr)
    return list(found)


def remove_names(expr: Expr, which: Callable[[Named], bool] = lambda named: True) -> Expr:
    """Replace named expressions (those for which ``which`` holds) by their values, at any depth."""
    known = {}                       # repeated parts, as in nested averages, are visited once

    def walk(e):
        if not e.args:
            return e
        if e not in known:
            if isinstance(e, Named) and which(e):
                known[e] = walk(e.expr)
            else:
                args = [walk(a) for a in e.args]
                known[e] = e if all(a is b for a, b in zip(args, e.args)) else e.func(*args)
        return known[e]

    return walk(expr)


_ZERO = Integer(0)


@lru_cache(maxsize=50_000)
def slope(expr, symbol):
    """Return ``expr.diff(symbol)`` without sympy's traversals of the whole tree at every node.

    That of a large named expression is named.
    """
    if symbol not in free_of(expr):
        return _ZERO
    if isinstance(expr, Named) and not expr.has_own_rates:
        found = slope(expr.expr, symbol)
        label = re.sub(r"\W", "_", f"d{expr.label}_d{symbol.name}")         # whatever the symbol's name
        return found if tree_size(expr) < LARGE else Named(label, found)
    if isinstance(expr, Add):
        return Add(*[slope(a, symbol) for a in expr.args])
    if isinstance(expr, Mul):
        args, terms = expr.args, []
        for k, a in enumerate(args):
            rates, others = Add.make_args(slope(a, symbol)), (*args[:k], *args[k + 1:])
            if kept := [d for d in rates if not _is_nothing(d, others)]:
                terms.append(Mul(*args[:k], Add(*kept), *args[k + 1:]))
        return Add(*terms)
    if isinstance(expr, Pow) and expr.exp.is_Integer:
        d = slope(expr.base, symbol)
        return _ZERO if d is _ZERO else expr * (d * expr.exp / expr.base)
    if isinstance(expr, Function) and type(expr)._eval_derivative is Function._eval_derivative:
        return _by_chain_rule(expr, symbol)
    return expr.diff(symbol)


def _is_nothing(rate, others):
    """Return whether a rate is 0 or a point mass at a zero of another factor, as that of a step times ``Max(x, 0)``."""
    masses = [m.args[0] for m in Mul.make_args(rate) if isinstance(m, DiracDelta) and len(m.args) == 1]
    return rate is _ZERO or any(factor.xreplace({x: _ZERO}) == 0 for x in masses for factor in others)


def _by_chain_rule(function, symbol):
    """Differentiate a function of several arguments, with their derivatives taken from the cache."""
    rates = [(k, slope(a, symbol)) for k, a in enumerate(function.args, 1)]
    try:
        return Add(*[function.fdiff(k) * d for k, d in rates if not d.is_zero])
    except ArgumentIndexError:              # sympy leaves a Derivative
        return function.diff(symbol)


class Applied(Expr):
    """The derivative of some order of an unspecified real function, at an argument.

    A theory is written with ``Applied("student", x)`` and its equations, kernels and tables are
    made once for every activation; :func:`bind` puts a particular one in its place.
    """

    is_commutative = True

    def __new__(cls, label: str, argument: Expr, order: int = 0) -> Self:
        label = label if isinstance(label, Str) else Str(label)
        return Expr.__new__(cls, label, _sympify(argument), Integer(order))

    @property
    def label(self) -> str:
        return self.args[0].name

    @property
    def argument(self) -> Expr:
        return self.args[1]

    @property
    def order(self) -> int:
        return int(self.args[2])

    def _eval_is_extended_real(self):
        return True

    def _eval_is_real(self):
        return True

    def _eval_derivative(self, symbol):
        inner = slope(self.argument, symbol)
        return S.Zero if inner.is_zero else Applied(self.args[0], self.argument, self.order + 1) * inner

    def _sympystr(self, printer):
        return f"{self.label}{chr(39) * self.order}({printer._print(self.argument)})"

    def _latex(self, printer, exp=None):
        name = FUNCTIONS.get(self.label, rf"\mathrm{{{self.label}}}")
        body = rf"{name}{chr(39) * self.order}\left({printer._print(self.argument)}\right)"
        return body if exp is None else rf"{body}^{{{exp}}}"


def bind(expr: Expr, functions: Mapping[str, Any]) -> Expr:
    """Replace unspecified functions by particular ones, ``{label: activation}``, inside names and averages too.
    """
    if isinstance(expr, Applied) and expr.label in functions:
        act = functions[expr.label]
        body = act.expr.diff(act.symbol, expr.order) if expr.order else act.expr
        return body.xreplace({act.symbol: bind(expr.argument, functions)})
    if not expr.args:
        return expr
    args = [bind(a, functions) for a in expr.args]
    return expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args)


# -- queries on large expressions, and bound symbols -------------------------------------------------------------------


#: tree size (shared nodes counted each time) from which a named expression is large: its derivatives get names
LARGE = 4000


def as_expression(name, value):
    """Read an argument as a sympy expression of numbers and symbols, never a text, which sympy would evaluate."""
    try:
        found = _sympify(value)
    except SympifyError:
        found = None
    if not isinstance(found, Expr):
        raise DomainError(f"{name}: got {value!r:.60}; expected a sympy expression or a number (asympkit.parse reads "
                          "text)")
    return found


def distinct(expr):
    """List the different parts of an expression, itself included, each once, inner ones first."""
    found = {}

    def walk(e):
        if e not in found:
            for a in e.args:
                walk(a)
            found[e] = None

    walk(expr)
    return list(found)


@lru_cache(maxsize=200_000)
def free_of(expr):
    """Return the free symbols of an expression, a frozenset."""
    if not expr.args or type(expr).free_symbols is not Basic.free_symbols:
        return frozenset(expr.free_symbols)         # it has none, or binds some
    return frozenset().union(*map(free_of, expr.args))


@lru_cache(maxsize=200_000)
def holds(expr, kinds):
    """Return whether a part of an expression is of one of some classes, a tuple."""
    return isinstance(expr, kinds) or any(map(holds, expr.args, repeat(kinds)))


@lru_cache(maxsize=200_000)
def parts(expr, kinds):
    """Return the parts of an expression of some classes, a frozenset, as ``expr.atoms(*kinds)``."""
    inside = frozenset().union(*map(parts, expr.args, repeat(kinds)))
    return inside | {expr} if isinstance(expr, kinds) else inside


@lru_cache(maxsize=200_000)
def tree_size(expr):
    """Count the nodes of an expression, shared ones each time they occur."""
    return 1 + sum(map(tree_size, expr.args))


_NAMES = ("z", "kappa", "x", "u", "t", "s")
_LATEX = ("z", r"\kappa", "x", "u", "t", "s")
_POSITIONS = 64


class BoundSymbol(Dummy):
    """The integration variable of an average: a dummy with a fixed index, printed by its plain name."""

    __slots__ = ()

    @property
    def level(self):
        """Nesting level: 0 for an average that holds no other."""
        return (self.dummy_index - 1) // _POSITIONS

    @property
    def position(self):
        """Place among the variables of its measure."""
        return (self.dummy_index - 1) % _POSITIONS

    def _sympystr(self, printer):
        return self.name

    def _latex(self, printer):
        index = self.level % len(_NAMES)
        return _LATEX[index] + (f"_{{{self.position + 1}}}" if self.position else "")


def bound_symbol(level, position=0):
    """Return the canonical bound symbol of a nesting level and a place in the measure."""
    name = _NAMES[level % len(_NAMES)]
    if level >= len(_NAMES):
        name += str(level)
    if position:
        name += f"_{position + 1}"
    # small fixed indices: sympy starts its own dummy counter at 10**6, so none can coincide
    return BoundSymbol(name, dummy_index=1 + level * _POSITIONS + position, real=True)
