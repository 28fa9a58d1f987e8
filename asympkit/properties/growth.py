"""Ranges and growth bounds of expressions in one variable.

Interval arithmetic gives a range only for a function that is certainly real, finite, bounded on bounded sets, and
analytic except where an Abs, sign, Heaviside, Max, Min or Piecewise in it switches.  Doubt is None: then algebra
decides.

Growth bounds ``|f(z)| <= C (1 + |z|)**power * exp(rate*|z| + curvature*z**2)`` follow by a recursive calculus.  A
function that is finite on the real line is bounded on bounded sets, so only its leftmost and rightmost branches matter.
Each is read as a function of t = |z| -> infinity; exact orders differ from mere upper bounds, because only an exact
order can be inverted.
"""

import math
from dataclasses import dataclass
from itertools import product

import sympy as sp
from sympy.core.relational import Relational

from ..errors import DomainError
from ..numbers.functions import entry

_INF = math.inf
_LINE = (-_INF, _INF)
#: a bound counts as positive from here on: it is computed in floats, and this is far above their rounding
_CLEAR = 1e-6


class _DoubtError(ArithmeticError):
    """The rules do not decide."""


def find_range(expr):
    """Return (low, high) that contain all values of an expression in a real symbol, or None in doubt."""
    try:
        return _range(expr)
    except (_DoubtError, OverflowError):
        return None


def enclosure(expr):
    """Return a crude interval that contains all values, to tell 2 + sin(z) from zero."""
    found = find_range(expr)
    if found is not None:
        return found
    return (0.0, _INF) if expr.is_nonnegative else _LINE


def _range(expr):
    if expr.is_Symbol:
        return (0.0, _INF) if expr.is_nonnegative else _LINE
    if not expr.free_symbols:
        value = float(expr)
        return value, value
    if isinstance(expr, sp.exp):
        return _exponential_range(*_range(expr.args[0]))
    if isinstance(expr, sp.Piecewise):
        return _of_cases(expr)
    if expr.is_Pow:
        return _power_range(*expr.args)
    parts = [_range(a) for a in expr.args]
    if expr.is_Add:
        low, high = (sum(ends) for ends in zip(*parts))
        return _widened(low, high, parts)
    if expr.is_Mul:
        low, high = 1.0, 1.0
        for part in parts:
            ends = [_times(x, y) for x, y in product((low, high), part)]
            low, high = min(ends), max(ends)
        return low, high
    if isinstance(expr, sp.Max | sp.Min):
        pick = max if isinstance(expr, sp.Max) else min
        return pick(p[0] for p in parts), pick(p[1] for p in parts)
    return _of_function(expr, *parts[-1])


def _widened(low, high, parts):
    """Widen a range by what rounding can do to it."""
    slack = 1e-12 * sum(abs(x) for part in parts for x in part if math.isfinite(x))
    return low - slack, high + slack


def _times(x, y):
    return 0.0 if 0.0 in (x, y) else x * y


def _exponential_range(low, high):
    return math.exp(min(low, 700.0)), math.exp(high) if high < 700.0 else _INF


def _of_cases(expr):
    for _, condition in expr.args:
        for relation in condition.atoms(Relational):
            _range(relation.lhs), _range(relation.rhs)
    parts = [_range(value) for value, _ in expr.args]
    return _widened(min(p[0] for p in parts), max(p[1] for p in parts), parts)


def _power_range(base, exponent):
    if not base.free_symbols or not exponent.is_number:
        low, high = _range(base)
        if low < _CLEAR:
            raise _DoubtError
        logarithms = math.log(low), math.log(high) if high < _INF else _INF
        ends = [_times(x, y) for x, y in product(_range(exponent), logarithms)]
        return _exponential_range(min(ends), max(ends))
    low, high = _range(base)
    if not exponent.is_Integer:
        if low < _CLEAR:
            raise _DoubtError
        ends = low ** float(exponent), high ** float(exponent)
        return min(ends), max(ends)
    n = int(exponent)
    if n < 0:
        if low < _CLEAR and high > -_CLEAR:
            raise _DoubtError
        low, high, n = 1.0 / high, 1.0 / low, -n
    ends = low**n, high**n
    return 0.0 if n % 2 == 0 and low < 0.0 < high else min(ends), max(ends)


def _of_function(expr, low, high):
    """Bound a function of the list by its image, and by its ends where it is monotone on the range."""
    if isinstance(expr, sp.Heaviside):
        return 0.0, 1.0
    if isinstance(expr, sp.Abs):
        return (0.0 if low <= 0.0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
    if isinstance(expr, sp.cosh):
        ends = [math.cosh(x) if abs(x) < 700.0 else _INF for x in (low, high)]
        return (1.0 if low <= 0.0 <= high else min(ends)), max(ends)
    if isinstance(expr, sp.tan):
        if not max(abs(low), abs(high)) <= 1.57:
            raise _DoubtError
        return math.tan(low), math.tan(high)
    known = entry(type(expr).__name__)
    if known is None or any(a.free_symbols for a in expr.args[:-1]):
        raise _DoubtError
    if known.is_partial and not known.domain[0] + _CLEAR <= low <= high <= known.domain[1] - _CLEAR:
        raise _DoubtError
    least, most = map(float, known.image)
    if known.monotone and known.arity == 1:
        plain = known.loops.removeprefix("math.")
        f = getattr(math, plain) if plain != known.loops else known.array_function
        ends = [float(f(x)) if math.isfinite(x) else None for x in (low, high)]
        first, last = ends if known.monotone > 0 else ends[::-1]
        least, most = (least if first is None else first), (most if last is None else last)
    return least, most


@dataclass(frozen=True)
class Growth:
    """The bound ``|f(z)| <= C (1 + |z|)**power * exp(rate*|z| + curvature*z**2)``."""

    power: float = 0.0
    rate: float = 0.0
    curvature: float = 0.0

    def finite_second_moment(self, variance=1.0):
        """Return whether the bound makes ``E[f(g)**2]`` finite for g of the given variance."""
        return 4.0 * self.curvature * float(variance) < 1.0

    def worst(self, other):
        """Return a bound for the larger of two functions."""
        return max(self, other, key=lambda g: (g.curvature, g.rate, g.power))


@dataclass(frozen=True)
class _Order:
    curvature: float = 0.0
    rate: float = 0.0
    power: float = 0.0
    sign: int = 0  # of the function far out, where the order is exact; 0 where it is an upper bound only

    @property
    def key(self):
        return (self.curvature, self.rate, self.power)

    def times(self, other):
        return _Order(*(a + b for a, b in zip(self.key, other.key)), self.sign * other.sign)

    def raised(self, exponent, sign):
        return _Order(*(a * exponent for a in self.key), sign)


_BOUNDED = _Order()


def order_of(expr, t):
    """Return the order of an analytic formula in a positive symbol that tends to infinity; of sign 0 it is a bound."""
    return _order(expr, t)


def growth_of_branch(expr, z, side):
    """Return the :class:`Growth` of an analytic formula as ``side*z -> oo``."""
    t = sp.Dummy("t", positive=True)
    order = _order(expr.subs(z, side * t), t)
    return Growth(order.power + 0.0, order.rate + 0.0, order.curvature + 0.0)  # no minus zeros


def _refuse(expr, t, why):
    return DomainError(f"cannot bound the growth of {str(expr).replace(str(t), '|z|')}: {why}")


def _order(expr, t):
    if not expr.has(t):
        value = sp.N(expr, 30)
        return _Order(sign=int(sp.sign(value)))
    if expr == t:
        return _Order(power=1.0, sign=1)
    if expr.is_Add:
        return _sum(expr, t)
    if expr.is_Mul:
        total = _Order(sign=1)
        for factor in expr.args:
            total = total.times(_order(factor, t))
        return total
    if isinstance(expr, sp.exp):
        return _exponential(expr.args[0], t)
    if expr.is_Pow:
        return _power(expr, t)
    return _function(expr, t)


def _sum(expr, t):
    orders = [_order(term, t) for term in expr.args]
    top = max(order.key for order in orders)
    leading = {order.sign for order in orders if order.key == top}
    if len(leading) == 1:
        return _Order(*top, leading.pop())
    if top == (0, 0, 0):
        low, high = enclosure(expr)
        return _Order(sign=1 if low > 0 else -1 if high < 0 else 0)
    return _Order(*top)


def _power(expr, t):
    base, exponent = expr.args
    if not exponent.is_number:
            return _exponential(exponent * sp.log(base), t)
    order, value = _order(base, t), float(exponent)
    odd = exponent.is_Integer and exponent % 2
    sign = (order.sign if odd else abs(order.sign))
    if value < 0 and order.sign == 0:
        raise _refuse(expr, t, "its denominator has no definite sign at infinity")
    return order.raised(value, sign)


def _exponential(u, t):
    """Return the order of exp(u): the terms of u beyond a logarithm must be polynomial of degree at most two."""
    total, exact = _Order(), True
    u = sp.expand(u)
    for term in sp.Add.make_args(u):
        coefficient, rest = term.as_independent(t, as_Add=False)
        c = float(coefficient)
        order = _order(rest, t) if rest.has(t) else _BOUNDED
        if rest == t:
            part = _Order(rate=c)
        elif rest == t**2:
            part = _Order(curvature=c)
        elif isinstance(rest, sp.log):
            inner = _order(rest.args[0], t)
            if inner.sign <= 0 and c < 0:
                raise _refuse(sp.exp(u), t, "the logarithm in it has no lower bound")
            exact = exact and inner.sign > 0
            part = inner.raised(c, 0)
        elif order.key <= (0.0, 0.0, 0.0):
            part = _BOUNDED
        elif c * order.sign < 0:
            exact = False  # tends to zero faster than what is kept
            part = _BOUNDED
        elif order.curvature or order.rate or order.power > 2:
            raise _refuse(sp.exp(u), t, "it grows faster than every exp(c*z**2)")
        else:
            part, exact = _measured(abs(c) * abs(rest), t, order.power), False
        total = total.times(part)
    return _Order(*total.key, 1 if exact else 0)


def _measured(rest, t, power):
    """Bound exp(|u|) for u of power at most two whose leading coefficient is measured, with a margin."""
    degree = 1 if power <= 1 else 2
    sizes = [float(rest.subs(t, 10**k).evalf(30)) / 10.0 ** (k * degree) for k in (4, 5, 6, 7)]
    size = 1.01 * max(sizes) + 1e-3
    return _Order(rate=size) if degree == 1 else _Order(curvature=size)


def _function(expr, t):
    u = expr.args[-1]
    inner = _order(u, t)
    grows = inner.key > (0.0, 0.0, 0.0)
    match expr:
        case sp.log():
            if inner.key == (0.0, 0.0, 0.0) and inner.sign > 0:
                return _BOUNDED
            # log of an exact order k t^2 + r t + p log t has the order of its first term.
            if inner.sign <= 0:
                raise _refuse(expr, t, "the argument of the logarithm has no definite sign at infinity")
            leading = inner.curvature or inner.rate or inner.power
            power = 2.0 if inner.curvature else 1.0 if inner.rate else 0.5
            return _Order(power=power, sign=0 if power == 0.5 else int(sp.sign(leading)))
        case sp.sinh() | sp.cosh():
            if not grows:
                return _Order(sign=0 if isinstance(expr, sp.sinh) else 1)
            signs = [inner.sign] if inner.sign else [1, -1]
            order = max((_exponential(sign * u, t) for sign in signs), key=lambda o: o.key)
            return _Order(*order.key, order.sign * (inner.sign if isinstance(expr, sp.sinh) else 1))
        case sp.tanh() | sp.erf() | sp.atan():
            return _Order(sign=inner.sign if inner.key >= (0.0, 0.0, 0.0) else 0)
        case sp.erfc():
            return _Order(sign=1 if inner.sign < 0 else 0)
        case sp.sin() | sp.cos() | sp.asin():
            return _BOUNDED
        case sp.tan():
            if not grows:
                return _BOUNDED
    return _of_list(expr, inner, t)


def _of_list(expr, inner, t):
    """Derive an upper bound from the facts listed of a function, for one argument that grows like a power at most."""
    known, u = entry(type(expr).__name__), expr.args[-1]
    low, high = enclosure(u)
    is_one = known is not None and known.arity == 1 + known.orders
    if is_one and max(-low, high) < float("inf") and known.domain[0] < low <= high < known.domain[1]:
        return _BOUNDED                        # continuous on a closed interval
    if known is None or known.growth is None or inner.rate or inner.curvature:
        raise _refuse(expr, t, "this function of a growing argument is not covered")
    if known.growth.rate and inner.key > _BOUNDED.key:
        signs = [inner.sign] if inner.sign else [1, -1]
        order = max((_exponential(sign * u, t) for sign in signs), key=lambda o: o.key)
        return _Order(*order.key)
    degree = 0 if all(abs(end) < float("inf") for end in known.image) else len(known.growth.powers) - 1
    return _Order(power=degree * max(inner.power, 0.0), sign=0)
