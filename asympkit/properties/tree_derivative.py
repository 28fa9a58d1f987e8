"""Derivative of a syntax tree almost everywhere: jumps and kinks contribute nothing.

No algebra is needed: numbers are folded, and zeros and ones go.
"""

from fractions import Fraction
from functools import lru_cache

from ..numbers.functions import entry, entry_of_text
from ..parsing.conditions import rebuilt
from ..parsing.grammar import whole
from ..parsing.tree import Call, Chain, Const, Name, Neg, Num, Pow, Where, children
from .tree_forms import inline, varies

__all__ = ["derivative"]

#: functions whose slope stands below
_KNOWN = ("exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "atan", "erf", "erfc", "abs", "sign", "step")
#: names that no text has
_ARGUMENTS = ("argument 1", "argument 2", "argument 3")
_ZERO, _ONE, _TWO = Num(Fraction(0)), Num(Fraction(1)), Num(Fraction(2))


def derivative(tree):
    """Derivative where it exists: sign and step have derivative 0, ``abs(u)`` has ``sign(u)*u'``."""
    return _derived(inline(tree))


def _derived(node):
    if not varies(node):
        return _ZERO
    match node:
        case Name():
            return _ONE
        case Neg(arg):
            return _negated(_derived(arg))
        case Chain(first, rest) if rest[0][0] in "+-":
            total = _derived(first)
            for op, arg in rest:
                total = (_plus if op == "+" else _minus)(total, _derived(arg))
            return total
        case Chain(first, rest):
            return _product([("*", first), *rest])
        case Pow(base, exponent):
            return _power(node, base, exponent)
        case Call(name, args) if name in ("max", "min"):
            return _extremum(name, args)
        case Call("log", (u,)):
            return _logarithm(u)
        case Call("sqrt", (u,)):
            return _over(_derived(u), _times(_TWO, node))
        case Call(name, (u,)) if name in _KNOWN:
            return _times(_slope(name, u, node), _derived(u))
        case Call(name, args):
            return _of_list(entry_of_text(name), args)
        case Where(condition, yes, no):
            yes, no = _derived(yes), _derived(no)
            return yes if yes == no else Where(condition, yes, no)
    raise TypeError(f"not a node of the syntax tree: {node!r}")


def _product(factors):
    """Derivative of a chain of factors; long chains are halved, so that the result stays small."""
    if len(factors) == 1:
        ((op, u),) = factors
        slope = _derived(u)
        return slope if op == "*" or _is(slope, 0) else _negated(_over(slope, Pow(u, _TWO)))
    half = len(factors) // 2
    left, right = factors[:half], factors[half:]
    if len(left) == 1 and left[0][0] == "*" and not varies(left[0][1]):
        return _times(left[0][1], _product(right))
    if len(right) == 1 and not varies(right[0][1]):
        op, constant = right[0]
        return (_times if op == "*" else _over)(_product(left), constant)
    if len(right) == 1 and right[0][0] == "/":       # (f/g)' = f'/g - f*g'/g**2
        u = right[0][1]
        falling = _over(_times(_joined(left), _derived(u)), Pow(u, _TWO))
        return _minus(_over(_product(left), u), falling)
    return _plus(_times(_product(left), _joined(right)), _times(_joined(left), _product(right)))


def _joined(factors):
    total = _ONE
    for op, u in factors:
        total = (_times if op == "*" else _over)(total, u)
    return total


def _power(node, base, exponent):
    if not varies(exponent):
        lowered = Num(exponent.value - 1) if isinstance(exponent, Num) and exponent.value >= 1 else \
            Chain(exponent, (("-", _ONE),))
        power = base if lowered == _ONE else _ONE if lowered == _ZERO else Pow(base, lowered)
        return _times(_times(exponent, power), _derived(base))
    if base == Const("e"):
        return _times(node, _derived(exponent))
    return _times(node, _derived(Chain(exponent, (("*", Call("log", (base,))),))))


def _of_list(known, args):
    """Derivative of a function of the list, whose class knows its slopes."""
    total, count = _ZERO, known.orders
    for k in range(count, known.arity):
        if varies(args[k]):
            slope = _slope_form(known.name, tuple(map(whole, args[:count])), k)
            for name, u in zip(_ARGUMENTS, args[count:]):
                slope = _replaced(slope, Name(name), u)
            total = _plus(total, _times(slope, _derived(args[k])))
    return total


@lru_cache(maxsize=256)
def _slope_form(name, orders, k):
    """Slope of a function of the list by an argument, as a tree in the names of arguments."""
    import sympy as sp

    from ..parsing.from_sympy import from_sympy

    known = entry(name)
    arguments = [sp.Symbol(n, real=True) for n in _ARGUMENTS[:known.arity - known.orders]]
    return from_sympy(known.sympy_class(*orders, *arguments).fdiff(k + 1))


def _replaced(node, old, new):
    if node == old:
        return new
    return rebuilt(node, [_replaced(child, old, new) for child in children(node)])


def _slope(name, u, node):
    """Derivative of a function by its argument."""
    match name:
        case "exp":
            return node
        case "sin":
            return Call("cos", (u,))
        case "cos":
            return Neg(Call("sin", (u,)))
        case "tan":
            return _plus(_ONE, Pow(node, _TWO))
        case "sinh":
            return Call("cosh", (u,))
        case "cosh":
            return Call("sinh", (u,))
        case "tanh":
            return _minus(_ONE, Pow(node, _TWO))
        case "asin":
            return _over(_ONE, Call("sqrt", (_minus(_ONE, Pow(u, _TWO)),)))
        case "atan":
            return _over(_ONE, _plus(_ONE, Pow(u, _TWO)))
        case "erf" | "erfc":
            bell = _times(_over(_TWO, Call("sqrt", (Const("pi"),))), Call("exp", (Neg(Pow(u, _TWO)),)))
            return bell if name == "erf" else Neg(bell)
        case "abs":
            return Call("sign", (u,))
        case "sign" | "step":
            return _ZERO
    raise TypeError(f"not a function of the grammar: {name!r}")


def _logarithm(u):
    """Derivative of log(u); of a hyperbolic cosine it is tanh at once, as the quotient sinh/cosh overflows."""
    factors = [("*", u.first), *u.rest] if _is_chain(u, "*/") else [("*", u)]
    moving = [(op, f) for op, f in factors if varies(f)]
    match moving:
        case [("*", Call("cosh", (argument,)))]:
            return _times(Call("tanh", (argument,)), _derived(argument))
    return _over(_derived(u), u)


def _extremum(name, args):
    """At a tie the derivative is that of ``rest``, the part that does not move for max(0, z)."""
    first, rest = args[0], (args[1] if len(args) == 2 else Call(name, args[1:]))
    if not varies(first) or len(args) > 2:
        first, rest = rest, first
    gap = _minus(first, rest) if name == "max" else _minus(rest, first)
    da, db = _derived(first), _derived(rest)
    return _plus(db, _times(Call("step", (gap,)), _minus(da, db)))


# -- small algebra: the sums and products that fold ------------------------------------------------------------


def _is(a, number):
    """Whether a tree is a number."""
    return type(a) is Num and a.value == number


def _negated(a):
    return a.arg if isinstance(a, Neg) else a if _is(a, 0) else Neg(a)


def _is_chain(a, operators):
    return isinstance(a, Chain) and a.rest[0][0] in operators


def _plus(a, b):
    if isinstance(b, Neg):
        return _minus(a, b.arg)
    if _is(a, 0) or _is(b, 0):
        return b if _is(a, 0) else a
    if isinstance(a, Num) and isinstance(b, Num):
        return Num(a.value + b.value)
    return Chain(a.first, (*a.rest, ("+", b))) if _is_chain(a, "+-") else Chain(a, (("+", b),))


def _minus(a, b):
    if isinstance(b, Neg):
        return _plus(a, b.arg)
    if _is(b, 0):
        return a
    if type(a) is type(b) and a == b:
        return _ZERO
    if _is(a, 0):
        return _negated(b)
    if isinstance(a, Num) and isinstance(b, Num):
        return Num(a.value - b.value) if a.value >= b.value else Neg(Num(b.value - a.value))
    return Chain(a.first, (*a.rest, ("-", b))) if _is_chain(a, "+-") else Chain(a, (("-", b),))


def _times(a, b):
    kind, other = type(a), type(b)
    if kind is Num and not a.value or other is Num and not b.value:
        return _ZERO
    if kind is Neg or other is Neg:
        inner = _times(a.arg if kind is Neg else a, b.arg if other is Neg else b)
        return inner if kind is other else _negated(inner)
    if kind is Num and a.value == 1:
        return b
    if other is Num and b.value == 1:
        return a
    if other is Num:
        a, b, kind, other = b, a, other, kind
    if kind is Num and other is Num:
        return Num(a.value * b.value)
    if kind is Num and _is_chain(b, "*/") and isinstance(b.first, Num):
        return Chain(Num(a.value * b.first.value), b.rest)
    tail = (("*", b.first), *b.rest) if _is_chain(b, "*/") else (("*", b),)
    tail = tail[1:] if _is(tail[0][1], 1) else tail
    return Chain(a.first, (*a.rest, *tail)) if _is_chain(a, "*/") else Chain(a, tail)


def _over(a, b):
    if _is(a, 0) or _is(b, 1):
        return a
    if isinstance(a, Neg) or isinstance(b, Neg):
        return _negated(_over(a.arg, b)) if isinstance(a, Neg) else _negated(_over(a, b.arg))
    return Chain(a.first, (*a.rest, ("/", b))) if _is_chain(a, "*/") else Chain(a, (("/", b),))
