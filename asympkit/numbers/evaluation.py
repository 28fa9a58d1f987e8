"""One evaluation of expressions without averages, over any number system; float64 and multiprecision as such systems.

An expression is compiled once to nested functions ``values -> value`` and cached by its number system, which defines
constants, quotients, powers, functions, which of two numbers is larger, and whether a comparison holds (yes,
no, an array of both, or None where a ball does not decide it).

Multiprecision: mpmath numbers of a private context, which survive pickle and copy.
"""

import math
import operator
from decimal import Decimal
from fractions import Fraction
from functools import partial, reduce

import numpy as np
from mpmath.ctx_mp import MPContext
from mpmath.libmp import MPZ
from sympy import Add, Max, Min, Mul, Piecewise, Pow, Symbol
from sympy.core.numbers import Exp1, Number, Pi
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanAtom, Not, Or

from .functions import entry, require_entry

#: expressions that a number system keeps
_MOST = 20_000


def evaluate(expr, values, numbers):
    """Evaluate an expression of listed functions, symbols and exact numbers at numbers or arrays by symbol."""
    return compile_expression(expr, numbers)(values)


def compile_expression(expr, numbers):
    """Compile an expression to a function ``values -> value``."""
    found = numbers.kept.get(expr)
    if found is None:
        if len(numbers.kept) >= _MOST:
            numbers.kept.clear()
        found = numbers.kept[expr] = _compile(expr, numbers)
    return found


def _compile(expr, numbers):
    if isinstance(expr, Symbol):
        return operator.itemgetter(expr)
    if isinstance(expr, Number | Pi | Exp1):
        return numbers.constant_function(expr)
    if isinstance(expr, Add):
        return _folded(operator.add, [compile_expression(a, numbers) for a in expr.args])
    if isinstance(expr, Mul):
        return _product(expr, numbers)
    if isinstance(expr, Pow):
        return _power(expr, numbers)
    if isinstance(expr, Max | Min):
        choose = numbers.larger if isinstance(expr, Max) else numbers.smaller
        return _folded(choose, [compile_expression(a, numbers) for a in expr.args])
    if isinstance(expr, Piecewise):
        return _cases(expr, numbers)
    function = numbers.function_of(expr)
    return _applied(function, [compile_expression(a, numbers) for a in expr.args])


def _applied(function, parts):
    if len(parts) == 1:
        (first,) = parts
        return lambda v: function(first(v))
    return lambda v: function(*[part(v) for part in parts])


def _folded(operation, parts):
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        first, second = parts
        return lambda v: operation(first(v), second(v))
    first, *rest = parts

    def value(v):
        total = first(v)
        for part in rest:
            total = operation(total, part(v))
        return total

    return value


def _product(expr, numbers):
    """Compile a product: negative powers make one denominator."""
    below = [a for a in expr.args if isinstance(a, Pow) and a.exp.could_extract_minus_sign()]
    above = [a for a in expr.args if a not in below]
    top = _folded(operator.mul, [compile_expression(a, numbers) for a in above]) if above else None
    if not below:
        return top
    quotient = numbers.quotient
    bottom = _folded(operator.mul, [compile_expression(1 / a, numbers) for a in below])
    return (lambda v: quotient(1, bottom(v))) if top is None else (lambda v: quotient(top(v), bottom(v)))


def _power(expr, numbers):
    base, power = expr.args
    if isinstance(base, Exp1):
        return _applied(numbers.function_named("exp"), [compile_expression(power, numbers)])
    inner = compile_expression(base, numbers)
    if power.could_extract_minus_sign() and (power.is_Integer or not base.is_Number):
        positive, quotient = compile_expression(base ** (-power), numbers), numbers.quotient
        return lambda v: quotient(1, positive(v))
    if power.is_Integer:
        whole, n = numbers.whole_power, int(power)
        return lambda v: whole(inner(v), n)
    if power.is_Rational and power.q == 2:
        half, n = numbers.half_power, int(power.p)
        return lambda v: half(inner(v), n)
    general, outer = numbers.general_power, compile_expression(power, numbers)
    return lambda v: general(inner(v), outer(v))


# -- cases -------------------------------------------------------------------------------------------


def _cases(expr, numbers):
    """Compile a Piecewise: the value of the first pair whose condition holds; for arrays, entry by entry."""
    pairs = [(compile_expression(value, numbers), _condition(condition, numbers)) for value, condition in expr.args]

    def value(v, first=0):
        for k in range(first, len(pairs)):
            part, condition = pairs[k]
            holds = condition(v)
            if isinstance(holds, np.ndarray):
                return split(v, holds, part, k + 1)
            if holds is None:
                numbers.undecided(expr)
            if holds:
                return part(v)
        return numbers.constant("nan")

    def split(v, holds, part, following):
        out = np.empty(holds.shape, dtype=numbers.dtype)
        for taken, run in ((holds, part), (~holds, lambda inside: value(inside, following))):
            if taken.any():
                out[taken] = run({s: x[taken] if isinstance(x, np.ndarray) else x for s, x in v.items()})
        return out

    return value


def _condition(expr, numbers):
    """Compile a condition to a function that returns True, False, an array of these, or None where it is undecided."""
    if isinstance(expr, BooleanAtom):
        decided = bool(expr)
        return lambda v: decided
    if isinstance(expr, Relational):
        left, right = compile_expression(expr.lhs, numbers), compile_expression(expr.rhs, numbers)
        holds, relation = numbers.holds, expr.rel_op
        return lambda v: holds(relation, left(v), right(v))
    parts = [_condition(a, numbers) for a in expr.args]
    if isinstance(expr, Not):
        (inner,) = parts
        return lambda v: None if (h := inner(v)) is None else ~h if isinstance(h, np.ndarray) else not h
    end = isinstance(expr, Or)       # one of these decides, whatever the others are

    def together(v):
        found = [part(v) for part in parts]
        if any(isinstance(h, np.ndarray) for h in found):
            return reduce(np.logical_or if end else np.logical_and, found)
        return end if end in found else None if None in found else not end

    return together


COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
           "!=": operator.ne}


class Floats:
    """float64 numbers and numpy arrays."""

    dtype = float
    #: relative rounding, and the error by rounding above which nothing has converged
    rounding, largest_error = 2.0**-52, 1e-9
    #: expressions that were compiled, the same for all instances
    kept = {}

    def rational(self, p, q):
        return p / q

    def number(self, value):
        return float(value)

    def constant(self, name):
        return {"pi": math.pi, "E": math.e, "nan": math.nan}[name]

    def dot(self, values, weights):
        return float(np.dot(np.broadcast_to(values, weights.shape), weights))

    def function(self, name, *args):
        return self.function_named(name)(*args)

    def sqrt(self, x):
        return np.sqrt(x)

    def real(self, x):
        """Return the number, or nan where it is not real."""
        return math.nan if isinstance(x, complex) else x

    # -- for compiled expressions ------------------------------------------------------------------

    quotient, whole_power = staticmethod(operator.truediv), staticmethod(operator.pow)

    def constant_function(self, expr):
        number = int(expr) if expr.is_Integer and abs(expr) < 2**53 else float(expr)
        return lambda v: number

    def half_power(self, x, n):
        return np.sqrt(x) if n == 1 else self.real(x ** (n / 2))

    def general_power(self, x, power):
        return self.real(x**power)

    def function_named(self, name):
        return require_entry(name, "interpreter").array_function

    def function_of(self, expr):
        return self.function_named(type(expr).__name__)

    larger, smaller = staticmethod(np.maximum), staticmethod(np.minimum)

    def holds(self, relation, left, right):
        found = COMPARE[relation](left, right)
        return found if isinstance(found, np.ndarray) else bool(found)


class Digits:
    """mpmath numbers of a private context with so many decimal digits; arrays are numpy arrays of objects."""

    dtype = object
    #: whether a number stands for all that it contains
    encloses = False

    def __init__(self, digits):
        mp = Context()
        mp.dps = digits
        self._use(mp)
        # guard digits are there to be lost
        self.rounding, self.largest_error = +mp.eps, mp.mpf(10) ** -max(5, digits - 20)

    @classmethod
    def of_context(cls, mp):
        """Wrap an existing context, whose precision must not change."""
        self = object.__new__(cls)
        self._use(mp)
        return self

    def _use(self, mp):
        self.mp, self.kept = mp, {}

    def rational(self, p, q):
        return self.mp.mpf(p) / q

    def number(self, value):
        """Convert exactly: int, Fraction, Decimal or text as they are, float by its shortest text."""
        if isinstance(value, float | np.floating):
            value = repr(float(value))
        if hasattr(value, "tolist"):            # a scalar, or an array of one number
            return self.number(value.tolist())
        if isinstance(value, str) and value in ("inf", "-inf"):
            return self.mp.mpf(value)
        if hasattr(value, "_to_mpmath"):        # a number of sympy
            if not value.is_Rational:
                return self.mp.make_mpf(value.evalf(self.mp.dps + 5)._to_mpmath(self.mp.prec)._mpf_)
            value = Fraction(int(value.p), int(value.q))
        if isinstance(value, str | Decimal):
            value = Fraction(value)
        if isinstance(value, Fraction):
            return self.mp.mpf(value.numerator) / value.denominator
        return self.mp.mpf(value)

    def constant(self, name):
        return +{"pi": self.mp.pi, "E": self.mp.e, "nan": self.mp.nan}[name]

    def dot(self, values, weights):
        return self.mp.fdot(zip(np.broadcast_to(values, weights.shape), weights))

    def function(self, name, *args):
        return self.function_named(name)(*args)

    def sqrt(self, x):
        return self.real(np.frompyfunc(self.mp.sqrt, 1, 1)(x) if isinstance(x, np.ndarray) else self.mp.sqrt(x))

    def real(self, x):
        """Return the number, or nan where it is not real."""
        if isinstance(x, np.ndarray):
            return np.frompyfunc(self.real, 1, 1)(x)
        return self.mp.nan if isinstance(x, self.mp.mpc) else x

    # -- for compiled expressions ------------------------------------------------------------------

    quotient, whole_power = staticmethod(operator.truediv), staticmethod(operator.pow)

    def constant_function(self, expr):
        if expr.is_Integer:
            number = int(expr)
        elif expr.is_Rational:
            number = self.rational(int(expr.p), int(expr.q))
        else:
            number = self.number(float(expr)) if expr.is_Float else self.constant("pi" if str(expr) == "pi" else "E")
        return lambda v: number

    def half_power(self, x, n):
        root = self.sqrt(x if isinstance(x, np.ndarray) else self.mp.convert(x))
        return root if n == 1 else root**n

    def general_power(self, x, power):
        return self.real(x**power)

    def function_named(self, name):
        """Return a listed function, for numbers and for arrays of them."""
        known = require_entry(name, "high precision")
        is_partial, real = known.is_partial, self.real
        scalar = getattr(self.mp, known.digits) if isinstance(known.digits, str) else partial(known.digits, self.mp)

        def value(*args):
            for a in args:
                if isinstance(a, np.ndarray):
                    found = np.frompyfunc(scalar, len(args), 1)(*args)
                    return real(found) if is_partial else found
            return real(scalar(*args)) if is_partial else scalar(*args)

        return value

    def function_of(self, expr):
        """Return the function of an expression; one that is not listed may be mpmath's (closed forms hold erfi)."""
        name = type(expr).__name__
        if entry(name) is None and expr.is_Function and hasattr(self.mp, name):
            return getattr(self.mp, name)
        return self.function_named(name)

    @staticmethod
    def larger(x, y):
        if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
            return np.where((x > y).astype(bool), x, y)
        return x if x > y else y

    @staticmethod
    def smaller(x, y):
        if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
            return np.where((x < y).astype(bool), x, y)
        return x if x < y else y

    def holds(self, relation, left, right):
        found = COMPARE[relation](left, right)
        return found.astype(bool) if isinstance(found, np.ndarray) else bool(found)


class Context(MPContext):
    """A private context of mpmath, of a precision in bits.

    Its numbers have a class of their own, which pickle cannot find by name: a number is pickled as its context and
    plain integers, and numbers of one context that are pickled together share one context again.
    """

    def __init__(self, bits=53):
        super().__init__()
        self.prec = bits
        self.mpf.__reduce__ = _as_integers

    def __reduce__(self):
        return Context, (self.prec,)


def _as_integers(number):
    sign, mantissa, exponent, bits = number._mpf_
    return _number, (number.context, int(sign), int(mantissa), int(exponent), int(bits))


def _number(context, sign, mantissa, exponent, bits):
    return context.make_mpf((sign, MPZ(mantissa), exponent, bits))


def mp_function(activation, mp):
    """Return ``activation.expr`` as a function of one mpf."""
    run, symbol = compile_mp(activation.expr, mp), activation.symbol
    return lambda x: run({symbol: x})


def compile_mp(expr, mp):
    """Compile an expression to a function ``{symbol: mpf} -> mpf``; the context's precision must not change."""
    run, convert = compile_expression(expr, Digits.of_context(mp)), mp.convert
    return lambda v: convert(run(v))
