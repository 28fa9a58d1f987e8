"""Text to sympy: Python's ``ast`` of checked tokens, through a whitelist of node types, within bounds.

Numbers and names are replaced by neutral names before Python parses the text, so that nothing but the structure of
sums, products, powers, calls and comparisons is taken from there.  Sizes, exponents and constants are bounded before
sympy does any exact arithmetic with them: constant parts have a value in floating point, and ``9**9**9`` is refused
without being computed.
"""

from __future__ import annotations

import ast
import math
from bisect import bisect_right
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import sympy as sp
from sympy.core.symbol import Str

from ..errors import ParseError, UnknownNameError, suggest, warn_changed
from ..numbers.evaluation import COMPARE, Floats, evaluate
from ..numbers.functions import entry_of_text, texts
from .grammar import (
    CATALOGUE,
    COMPARISONS,
    FUNCTIONS,
    NUMERIC,
    PARAMETRIC,
    WRITTEN,
    CatalogueFunction,
    check_order,
    fail,
    other_name,
    quote_text,
    tokenize,
)

if TYPE_CHECKING:
    from typing import Any

    from sympy import Expr

    from ..annotations import Names

#: operations of a text once the catalogue is written out, largest constant exponent, and degree of a polynomial that
#: products and powers may multiply to: no activation of use comes near
MAX_NODES = 3000
MAX_EXPONENT = 64
MAX_WEIGHT = 256
#: of a constant: near the end of the range of floats
_LARGEST = 1e300
#: of Bessel and polygamma functions: what a value costs grows with it
MAX_ORDER = 200
#: cases that one ``where`` may become
MAX_CASES = 64

Z = sp.Symbol("z", real=True)
_CONSTANTS = {"pi": sp.pi, "e": sp.E}
ELEMENTARY = ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "atan", "erf",
              "erfc", "abs", "sign", "step")
KNOWN_FUNCTIONS = (*ELEMENTARY, "max", "min", "where", *WRITTEN, *FUNCTIONS)
#: fewest and most arguments
_ARGUMENTS = {"where": (3, 3), "max": (2, 20), "min": (2, 20), "step": (1, 1)}
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Lt: "<", ast.LtE: "<=",
              ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_RELATIONS = {"<": sp.Lt, "<=": sp.Le, ">": sp.Gt, ">=": sp.Ge, "==": sp.Eq, "!=": sp.Ne}
_FLOATS = Floats()


class Part(NamedTuple):
    """A part of a text that was read.

    ``size`` counts operations, and ``weight`` bounds the degree, with the catalogue written out; ``value`` is that of a
    constant; ``partial`` are quotients, powers and functions in it that may be undefined somewhere; sympy may drop them
    from ``expr``.
    """

    expr: Any
    size: float = 1
    weight: float = 1
    value: float | None = None
    partial: tuple = ()


def parse(text: str, names: Names = ("z",)) -> Expr:
    """Read a text of the grammar into a sympy expression.

    Parameters
    ----------
    text : str
        Numbers, declared names, ``pi``, ``e``, ``+ - * / **``, parentheses, ``where(condition, a, b)``
        and the functions of the grammar. Decimals are exact rationals: ``0.1`` is 1/10.
    names : sequence of str
        The names that may occur; each becomes ``Symbol(name, real=True)``.

    Returns
    -------
    sympy.Expr

    Raises
    ------
    ParseError
        If the text is not in the grammar, or is too large.
    UnknownNameError
        If a name or a function is not known.

    Examples
    --------
    >>> parse("0.1*z + max(0, z)")
    z/10 + Max(0, z)
    """
    return expand_named(read(text, names).expr)


def read(text, names=("z",), is_activation=False):
    """Read a text into a :class:`Part`; functions of the catalogue that have a formula for floats keep their names.

    As an activation, ``elu(0.7)`` is a function, not a number.
    """
    names = (names,) if isinstance(names, str) else tuple(names)
    for name in names if names != ("z",) else ():
        if not (isinstance(name, str) and name.isidentifier() and name.isascii()):
            raise ParseError(f"the declared name {name!r} must be letters, digits and _, not starting with a "
                             "digit")
        if name in _CONSTANTS or name in KNOWN_FUNCTIONS:
            raise ParseError(f"the declared name {name!r} already has a meaning in the grammar; choose "
                             "another")
    return _Reader(text, names, _callable(texts(), names)).whole(is_activation)


@lru_cache(maxsize=64)
def _callable(listed, names):
    """Return the names that a text may call: declared names take precedence over functions outside the grammar."""
    return tuple(dict.fromkeys(f for f in (*KNOWN_FUNCTIONS, *listed) if f not in names))


@cache
def _definition(name):
    """Read a catalogue entry."""
    return _Reader(CATALOGUE[name], ("z",), _callable(texts(), ())).whole()


@cache
def _numeric(name):
    """Read the formula for evaluation of a catalogue entry."""
    if name not in NUMERIC:
        return _definition(name).expr
    return _Reader(NUMERIC[name], ("z",), _callable(texts(), ())).whole().expr


def expand_named(expr):
    """Write out the functions of the catalogue that an expression holds by name."""
    return _expanded(expr, lambda name: expand_named(_definition(name).expr))


def expand_numeric(expr):
    """Replace the functions that an expression holds by name with their formulas for evaluation."""
    return _expanded(expr, _numeric)


def _expand_cases(expr):
    """Write out the functions that are defined by cases."""
    return _expanded(expr, lambda name: form if (form := _definition(name).expr).has(sp.Piecewise) else None)


def _expanded(expr, form_of):
    if not expr.has(CatalogueFunction):
        return expr
    args = [_expanded(a, form_of) for a in expr.args]
    if isinstance(expr, CatalogueFunction) and (form := form_of(args[0].name)) is not None:
        return _substituted(form, args[1])
    return expr.func(*args)


def _substituted(form, argument):
    """Put an argument in the place of z."""
    if form.has(sp.Piecewise):
        return _cases_outside(lambda u: form.xreplace({Z: u}), [argument])
    return form.xreplace({Z: argument})


def _cases_outside(build, exprs, count=None):
    """Apply a function that makes conditions of expressions; the cases in these become cases outside.

    sympy combines conditions inside conditions by logic that may take for ever.
    """
    inner = next((e for expr in exprs for e in sp.preorder_traversal(expr) if isinstance(e, sp.Piecewise)), None)
    if inner is None:
        return build(*exprs)
    count = [1] if count is None else count
    count[0] += len(inner.args) - 1
    if count[0] > MAX_CASES:
        raise ParseError(f"cannot read {quote_text(str(exprs[0]))}: the conditions of where have more than {MAX_CASES} "
                         "cases, by functions in them that are defined by cases themselves; write them out")
    return sp.Piecewise(*((_cases_outside(build, [e.xreplace({inner: value}) for e in exprs], count), when)
                          for value, when in inner.args))


def _applied(name, args):
    """Apply a function of the grammar to expressions."""
    if name == "sqrt":
        return sp.sqrt(*args)
    if name == "step":                     # the value at 0 is fixed to 0, as in floating point
        return sp.Heaviside(*args, 0)
    return entry_of_text(name).sympy_class(*args)


def _applied_to_floats(name, args):
    """Apply it to floats; the orders among them are ints."""
    if name in ("sqrt", "max", "min", "step"):
        return {"sqrt": math.sqrt, "max": max, "min": min, "step": lambda x: float(x > 0)}[name](*args)
    known = entry_of_text(name)
    return float(known.array_function(*map(int, args[:known.orders]), *args[known.orders:]))


class _Reader:
    def __init__(self, text, names, functions):
        self.text, self.names, self.functions = text, names, functions
        self.tokens, self.given = tokenize(text), {}
        check_order(self.tokens, text)

    def refuse(self, message):
        return ParseError(f"cannot read {quote_text(self.text)}: {message}")

    def whole(self, is_activation=False):
        pieces = [t.text if t.kind == "op" else f"t{i}" for i, t in enumerate(self.tokens[:-1])]
        self.columns = [0]
        for piece in pieces:
            self.columns.append(self.columns[-1] + len(piece) + 1)
        try:
            tree = ast.parse(" ".join(pieces), mode="eval").body
            part = is_activation and self.with_parameter(tree) or self.part(tree)
        except (SyntaxError, RecursionError, MemoryError) as error:
            raise self.refuse(f"it is no expression of the grammar, or too long ({error})") from error
        except (ValueError, TypeError) as error:
            if isinstance(error, ParseError):
                raise
            raise self.refuse(f"a part of it is not a real expression ({error})") from error
        if part.expr.has(sp.zoo, sp.oo, -sp.oo, sp.nan, sp.I):
            raise self.refuse(f"it contains a part that is infinite or not real (it reduces to {str(part.expr)[:80]})")
        return part

    def index(self, column):
        """Return which token stands at a column of the text that Python parsed."""
        return bisect_right(self.columns, column) - 1

    def token(self, node):
        return self.tokens[self.index(node.col_offset)]

    def source(self, node):
        """Return the part of the text that a node was read from."""
        end = self.tokens[self.index(node.end_col_offset - 1)]
        return self.text[self.token(node).start:end.start + len(end.text)]

    # -- nodes: the whitelist ------------------------------------------------------------------------

    def part(self, node):
        match node:
            case ast.Name():
                return self.leaf(self.token(node))
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return self.part(inner)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                inner = self.part(inner)
                return self.made(node, -inner.expr, [inner], inner.weight, lambda x: -x)
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                return self.chain(node, ("+", "-"), sp.Add, lambda x: -x)
            case ast.BinOp(op=ast.Mult() | ast.Div()):
                return self.chain(node, ("*", "/"), sp.Mul, lambda x: 1 / x)
            case ast.BinOp(op=ast.Pow(), left=base, right=exponent):
                return self.power(node, self.part(base), self.part(exponent))
            case ast.Call(func=ast.Name() as function, args=args, keywords=[]):
                return self.call(node, self.token(function), args)
            case ast.Compare():
                raise self.misplaced(node, 0)
        raise self.refuse(f"it holds a {type(node).__name__}, which is not part of the grammar")

    def misplaced(self, node, k):
        """Build the error for comparison k of a chain."""
        i = self.index(node.comparators[k].col_offset)
        while self.tokens[i].text not in COMPARISONS:
            i -= 1
        return fail(self.text, self.tokens[i].start, f"found {self.tokens[i].shown}, expected one comparison only, as "
                    "the first argument of where(condition, a, b)")

    def leaf(self, token):
        if token.kind == "number":
            q = token.value
            return Part(sp.Rational(q.numerator, q.denominator), value=q.numerator / q.denominator)
        name = token.text
        if name in self.given:
            return self.given[name]
        if name in self.names:
            return Part(sp.Symbol(name, real=True))
        if name in _CONSTANTS:
            return Part(_CONSTANTS[name], value=float(_CONSTANTS[name]))
        if name in self.functions:
            raise fail(self.text, token.start, f"the function {name!r} needs an argument, as in "
                       f"{name}({self.names[0] if self.names else '1'})")
        known = [*self.names, *_CONSTANTS]
        hint = suggest(name, [*known, *self.functions])
        raise fail(self.text, token.start, f"unknown name {name!r}{hint}; the names are "
                   f"{', '.join(known)}", UnknownNameError)

    def chain(self, node, operators, join, inverse):
        """Read a sum or product at once: terms added one by one would take time quadratic in their number."""
        items, top = [], node
        while isinstance(node, ast.BinOp) and _OPERATORS[type(node.op)] in operators:
            items.append((_OPERATORS[type(node.op)], self.part(node.right)))
            node = node.left
        items.append((operators[0], self.part(node)))
        signs, parts = zip(*items[::-1])
        exprs, partial = [], []
        for sign, part in zip(signs, parts):
            if sign == "/" and part.value == 0 and any(p.value is None for p in parts):
                raise self.refuse("it divides by 0")
            exprs.append(part.expr if sign == operators[0] else inverse(part.expr))
            if sign == "/" and part.value is None:
                partial.append(exprs[-1])

        def value(*numbers):
            total, *rest = numbers
            for sign, x in zip(signs[1:], rest):
                total = {"+": total + x, "-": total - x, "*": total * x, "/": total / x if sign == "/" else 0.0}[sign]
            return total

        weights = [p.weight for p in parts]
        return self.made(top, lambda: join(*exprs), parts, sum(weights) if join is sp.Mul else max(weights), value,
                         partial)

    def power(self, node, base, exponent):
        weight = max(base.weight, exponent.weight)
        if exponent.value is not None:
            if abs(exponent.value) > MAX_EXPONENT:
                raise self.refuse(f"the exponent {exponent.value:g} is too large; constant exponents are at most "
                                  f"{MAX_EXPONENT} in absolute value")
            weight = base.weight * max(1.0, abs(exponent.value))
        natural = exponent.expr.is_Integer and exponent.expr >= 0
        return self.made(node, lambda: base.expr**exponent.expr, [base, exponent], weight, lambda x, y: x**y,
                         base.value is None and not natural)

    def call(self, node, token, args):
        name = self.function(token)
        if name not in self.functions:
            if name in self.names or name in _CONSTANTS:
                raise fail(self.text, token.start, f"{name!r} is not a function (write * for products)")
            raise fail(self.text, token.start, f"unknown function {name!r}{suggest(name, self.functions)}; the "
                       f"functions are {', '.join(self.functions)}", UnknownNameError)
        if name == "where":
            self.check_condition(args[0])
            self.check_count(token, args, 3, 3)
            return self.where(node, *args)
        parts = [self.part(a) for a in args]
        if name in WRITTEN or name in PARAMETRIC and len(args) != 1:
            text = WRITTEN.get(name) or PARAMETRIC[name]
            letters = [c for c in "zab" if any(t.text == c for t in tokenize(text))]
            self.check_count(token, args, 1 if name in PARAMETRIC else len(letters), len(letters))
            return self.written(text, dict(zip(letters, parts)))
        known = entry_of_text(name)
        arity = 1 if known is None or name == "step" else known.arity
        self.check_count(token, args, *_ARGUMENTS.get(name, (arity, arity)))
        for order in parts[:known.orders] if known is not None else ():
            if not order.expr.is_Integer or abs(order.expr) > MAX_ORDER:
                raise fail(self.text, token.start, f"the order of {name}, its first argument, must be an integer of "
                           f"size {MAX_ORDER} at most")
        if name in FUNCTIONS:
            return self.catalogued(node, name, *parts)
        is_partial = parts[-1].value is None and (name in ("sqrt", "tan") or known is not None and known.is_partial)
        return self.made(node, lambda: _applied(name, [p.expr for p in parts]), parts, max(p.weight for p in parts),
                         lambda *x: _applied_to_floats(name, x), is_partial)

    def function(self, token):
        """Return the name of a function as it is called here."""
        name = token.text
        is_known = name in self.functions or name in self.names or name in _CONSTANTS
        return name if is_known else other_name(name, self.functions) or name

    def written(self, text, given):
        """Read the text of a function with parts in the places of its variables."""
        inner = _Reader(text, tuple(given), self.functions)
        inner.given = given
        return inner.whole()

    def with_parameter(self, tree):
        """Read a call of a function at the number of its parameter, as ``elu(0.7)``; None for other texts."""
        if isinstance(tree, ast.Call) and len(tree.args) == 1 and isinstance(tree.func, ast.Name):
            name = self.function(self.token(tree.func))
            if name in PARAMETRIC and (parameter := self.part(tree.args[0])).value is not None:
                return self.written(PARAMETRIC[name], {"z": Part(Z), "a": parameter})
        return None

    def check_count(self, token, args, least, most):
        if not least <= len(args) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise fail(self.text, token.start,
                       f"{token.text} takes {wanted} argument{'s' * (most > 1)}, got {len(args)}")

    def check_condition(self, condition):
        """Check that the first argument of where is one comparison."""
        if isinstance(condition, ast.Compare):
            if len(condition.ops) > 1:
                raise self.misplaced(condition, 1)
            return
        i = self.index(condition.end_col_offset - 1) + 1
        while self.tokens[i].text == ")" and self.tokens[i + 1].text in ("(", ")", ","):
            i += 1
        raise fail(self.text, self.tokens[i].start, f"found {self.tokens[i].shown}, expected a comparison such as "
                   "z > 0 as the first argument of where")

    def catalogued(self, node, name, argument):
        if name == "leaky_relu":
            warn_changed("the slope of leaky_relu is 0.01 since version 0.3, it was 0.1; write leaky_relu(0.1), or "
                         "leaky_relu(0.01) to be told no more")
        definition = _definition(name)
        uses = sum(e == Z for e in sp.preorder_traversal(definition.expr))
        made = (CatalogueFunction(Str(name), argument.expr) if name in NUMERIC
                else _substituted(definition.expr, argument.expr))
        return self.made(node, made, [argument], argument.weight * definition.weight,
                         lambda x: float(evaluate(_numeric(name), {Z: x}, _FLOATS)),
                         size=definition.size + (uses - 1) * argument.size)

    def where(self, node, condition, yes, no):
        op = _OPERATORS[type(condition.ops[0])]
        left, right, yes, no = (self.part(a) for a in (condition.left, condition.comparators[0], yes, no))
        sides = [_expand_cases(left.expr), _expand_cases(right.expr)]

        def choice(a, b):
            return _cases_outside(lambda u, v: self.chosen(_RELATIONS[op](u, v), a, b), sides)

        inside = [*(choice(e, sp.S.Zero) for e in yes.partial), *(choice(sp.S.Zero, e) for e in no.partial)]
        parts = [left, right, yes._replace(partial=()), no._replace(partial=())]
        return self.made(node, lambda: choice(yes.expr, no.expr), parts, max(p.weight for p in parts),
                         lambda a, b, x, y: x if COMPARE[op](a, b) else y, inside)

    @staticmethod
    def chosen(condition, yes, no):
        if condition in (sp.true, sp.false):         # the other branch may have no value
            return yes if condition == sp.true else no
        return sp.Piecewise((yes, condition), (no, True))

    # -- what was read -------------------------------------------------------------------------------

    def made(self, node, expr, parts, weight, of_floats, partial=(), size=1):
        """Check the bounds of a node and the value of a constant, then make the expression."""
        size += sum(p.size for p in parts)
        if size > MAX_NODES:
            raise self.refuse(f"the expression expands to more than {MAX_NODES} operations")
        if weight > MAX_WEIGHT:
            raise self.refuse(f"its powers and products multiply to a degree above {MAX_WEIGHT}")
        value = None
        if all(p.value is not None for p in parts):
            value = self.constant(node, [p.value for p in parts], of_floats)
        expr = expr() if callable(expr) else expr
        partial = (expr,) if partial is True else tuple(partial or ())
        return Part(expr, size, weight, value, (*(q for p in parts for q in p.partial), *partial))

    def constant(self, node, values, of_floats):
        try:
            with np.errstate(all="ignore"):
                value = of_floats(*values)
        except (ArithmeticError, ValueError):
            value = math.nan
        if isinstance(value, complex) or not abs(value) < _LARGEST:
            raise self.refuse(f"the constant {self.source(node):.60} is not a finite real number of moderate size")
        return value
