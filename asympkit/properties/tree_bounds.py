"""What a syntax tree shows at sight: a range of its values and a bound of its growth, or nothing.

A :class:`TreeBounds` exists only for a function that is certainly real, finite, bounded on bounded sets, and
analytic except where an abs, sign, step, max, min or where in it switches.  Doubt is None: then the
algebra of :mod:`.cells` and :mod:`.growth` decides.
"""

import math
from typing import NamedTuple

from ..numbers.functions import entry_of_text
from ..parsing.tree import Call, Chain, Compare, Const, Name, Neg, Num, Pow, Where
from .tree_forms import inline, polynomial, varies

__all__ = ["TreeBounds", "shape"]

_INF = math.inf
#: a bound counts as positive from here on: it is computed in floats, and this is far above their rounding
_CLEAR = 1e-6


class TreeBounds(NamedTuple):
    """All values lie in [low, high], and ``|f| <= C (1 + |z|)**power * exp(rate*|z| + curvature*z**2)``."""

    low: float
    high: float
    power: float = 0.0
    rate: float = 0.0
    curvature: float = 0.0

    @property
    def is_bounded(self):
        return math.isfinite(self.low) and math.isfinite(self.high)


def shape(tree):
    """The :class:`TreeBounds` of a tree in one variable, or None."""
    try:
        return _shape(inline(tree))
    except (_DoubtError, OverflowError):
        return None


class _DoubtError(ArithmeticError):
    """The rules do not decide."""


def _shape(node):
    match node:
        case Num(value):
            return TreeBounds(float(value), float(value))
        case Const(name):
            return TreeBounds(getattr(math, name), getattr(math, name))
        case Name():
            return TreeBounds(-_INF, _INF, power=1.0)
        case Neg(arg):
            u = _shape(arg)
            return u._replace(low=-u.high, high=-u.low)
        case Chain(first, rest):
            total = _shape(first)
            for op, arg in rest:
                part = _shape(Neg(arg) if op == "-" else arg)
                if op in "+-":
                    total = _largest(total, part, total.low + part.low, total.high + part.high)
                else:
                    total = _times(total, part if op == "*" else _reciprocal(part))
            return total
        case Pow(base, exponent):
            return _power(base, exponent)
        case Call(name, args):
            return _call(name, args)
        case Where(Compare(_, left, right), yes, no):
            _shape(left), _shape(right)
            yes, no = _shape(yes), _shape(no)
            return _largest(yes, no, min(yes.low, no.low), max(yes.high, no.high))
    raise _DoubtError


def _largest(a, b, low, high):
    """A sum or a choice: the larger growth, and a range given (widened by what rounding can do to it)."""
    slack = 1e-12 * sum(abs(x) for x in (a.low, a.high, b.low, b.high) if math.isfinite(x))
    return TreeBounds(low - slack, high + slack, max(a.power, b.power), max(a.rate, b.rate),
                      max(a.curvature, b.curvature))


def _times(a, b):
    ends = [0.0 if 0.0 in (x, y) else x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return TreeBounds(min(ends), max(ends), a.power + b.power, a.rate + b.rate, a.curvature + b.curvature)


def _reciprocal(u):
    if u.low < _CLEAR and u.high > -_CLEAR:
        raise _DoubtError
    return TreeBounds(1.0 / u.high, 1.0 / u.low)


def _power(base, exponent):
    if base == Const("e"):
        return _call("exp", (exponent,))
    whole = _whole(exponent)
    if whole is not None:
        u = _shape(base)
        if whole < 0:
            u, whole = _reciprocal(u), -whole
        ends = [u.low**whole, u.high**whole]
        low = 0.0 if whole % 2 == 0 and u.low < 0.0 < u.high else min(ends)
        return TreeBounds(low, max(ends), u.power * whole, u.rate * whole, u.curvature * whole) if whole else \
            TreeBounds(1.0, 1.0)
    if varies(base):
        u, p = _shape(base), _shape(exponent)
        if u.low < _CLEAR or p.low != p.high:
            raise _DoubtError
        ends = (u.low**p.low, u.high**p.low)
        return TreeBounds(min(ends), max(ends), *(max(0.0, p.low) * x for x in (u.power, u.rate, u.curvature)))
    return _call("exp", (Chain(exponent, (("*", Call("log", (base,))),)),))


def _whole(exponent):
    sign, node = (-1, exponent.arg) if isinstance(exponent, Neg) else (1, exponent)
    return sign * int(node.value) if isinstance(node, Num) and node.value.denominator == 1 else None


def _call(name, args):
    if name in ("max", "min"):
        parts, pick = [_shape(a) for a in args], max if name == "max" else min
        low, high = pick(p.low for p in parts), pick(p.high for p in parts)
        return TreeBounds(low, high, *(max(getattr(p, x) for p in parts) for x in ("power", "rate", "curvature")))
    u = _shape(args[-1])
    match name:
        case "exp":
            return _exponential(args[0], u)
        case "cosh" | "sinh":
            if not u.is_bounded:
                power = _exponential(args[0], u._replace(high=_INF), fold=True)
                return power._replace(low=1.0 if name == "cosh" else -_INF, high=_INF)
            ends = [getattr(math, name)(x) for x in (u.low, u.high)]
            return TreeBounds(min([*ends, 1.0] if name == "cosh" else ends), max(ends))
        case "tanh" | "erf" | "atan":
            f = getattr(math, name)
            return TreeBounds(f(u.low), f(u.high))
        case "erfc":
            return TreeBounds(math.erfc(u.high), math.erfc(u.low))
        case "sin" | "cos" | "sign":
            return TreeBounds(-1.0, 1.0)
        case "step":
            return TreeBounds(0.0, 1.0)
        case "abs":
            low = 0.0 if u.low <= 0.0 <= u.high else min(abs(u.low), abs(u.high))
            return u._replace(low=low, high=max(abs(u.low), abs(u.high)))
        case "sqrt" if u.low >= _CLEAR:
            return TreeBounds(math.sqrt(u.low), math.sqrt(u.high), u.power / 2, u.rate / 2, u.curvature / 2)
        case "log" if u.low >= _CLEAR:
            power = 2.0 if u.curvature > 0.0 else 1.0 if u.rate > 0.0 or u.power > 0.0 else 0.0
            return TreeBounds(math.log(u.low), math.log(u.high) if u.high < _INF else _INF, power)
        case "asin" if max(abs(u.low), abs(u.high)) <= 1.0 - _CLEAR:
            return TreeBounds(math.asin(u.low), math.asin(u.high))
        case "tan" if max(abs(u.low), abs(u.high)) <= 1.57:
            return TreeBounds(math.tan(u.low), math.tan(u.high))
    known = entry_of_text(name)
    if known is None or name in ("sqrt", "log", "asin", "tan"):
        raise _DoubtError
    return _of_list(known, args, u)


def _of_list(known, args, u):
    """What the list says of a function: its image, its ends where it is monotone, its growth."""
    if any(map(varies, args[:-1])):
        raise _DoubtError
    if known.is_partial and not known.domain[0] + _CLEAR <= u.low <= u.high <= known.domain[1] - _CLEAR:
        raise _DoubtError
    low, high = map(float, known.image)
    if known.monotone and known.arity == 1:
        ends = [float(known.array_function(x)) if math.isfinite(x) else None for x in (u.low, u.high)]
        first, last = ends if known.monotone > 0 else ends[::-1]
        low, high = (low if first is None else first), (high if last is None else last)
    if math.isfinite(low) and math.isfinite(high) or u.is_bounded:
        return TreeBounds(low, high)                # continuous, so bounded on a closed interval
    if known.growth is None:
        raise _DoubtError
    degree = len(known.growth.powers) - 1
    if u.rate or u.curvature or known.growth.rate and u.power > 1:
        raise _DoubtError
    if known.growth.rate:
        form = polynomial(args[-1])
        if form is None or form[2]:
            raise _DoubtError
        return TreeBounds(low, high, 0.0, known.growth.rate * abs(float(form[1])))
    return TreeBounds(low, high, degree * u.power)


def _exponential(argument, u, fold=False):
    """Growth of exp(u), of exp(|u|) with ``fold``: bounded, or u is a polynomial of degree two."""
    low = math.exp(min(u.low, 700.0))
    if u.high < 700.0:
        return TreeBounds(low, math.exp(u.high))
    form = polynomial(argument)
    if form is None:
        raise _DoubtError
    _, linear, square = map(float, form)
    return TreeBounds(low, _INF, 0.0, abs(linear), abs(square) if fold else square)
