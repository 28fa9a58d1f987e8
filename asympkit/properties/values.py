"""Values of an expression: at arrays of floats, and at a point to so many digits that noise differs from a sign.

Multiprecision numbers carry a bound of their rounding, to first order.  A number below its noise counts as zero: a
switch rests there, a quotient by it is undefined, and the sign of a sum whose terms cancel is not invented.
"""

import threading
from functools import lru_cache, partial

import numpy as np
import sympy as sp
from mpmath.ctx_mp import MPContext
from sympy.core.relational import Relational

from ..errors import DomainError, StructureError
from ..numbers.evaluation import Floats, compile_expression, evaluate
from ..numbers.functions import require_entry
from ..numbers.functions.classes import LogCosh, SoftPlus, write_near_one
from ..parsing.expressions import is_periodic
from ..parsing.reader import expand_numeric

#: a value differs from zero above so many times its noise, whose bound is of first order only
_CLEAR = 1000
#: exponentials of more, and their powers, are beyond any use
_HUGE = 10**300
#: arguments of a sine of which no period is known
_TURNS = 10**260
#: from here on the functions of _LIMITS are their limits to any number of digits: far out their own code fails
_FLAT = 10**13
_LIMITS = {"tanh": (-1, 1), "erf": (-1, 1), "erfc": (2, 0)}
_own = threading.local()


class Undefined(ArithmeticError):
    """A part of the expression has no finite real value at the point."""


class InNoiseError(Undefined):
    """A part that must not vanish is less than its noise: more digits may give it a value."""


def context(digits):
    """Return a context of mpmath with so many digits that is this thread's own; its precision is not to be changed."""
    return _numbers(digits).mp


def _numbers(digits):
    known = _own.__dict__.setdefault("numbers", {})
    if digits not in known:
        known[digits] = NoisyNumbers(digits)
    return known[digits]


def with_noise(expr, values, digits=60):
    """Evaluate an expression at ``{symbol: (number, its error)}``; return a value and a first-order bound of its error.

    Only the branch of a Piecewise that is taken is evaluated.  The value is exactly 0 where it does not rise above its
    noise.  :class:`Undefined` where a part has no finite real value; :class:`InNoiseError` where that is known to so
    many digits only.
    """
    numbers = _numbers(digits)
    mp = numbers.mp
    found = evaluate(expr, {s: Noisy(numbers, mp.mpf(v), mp.mpf(error)) for s, (v, error) in values.items()}, numbers)
    return found.value, found.noise


def _undefined(noise):
    return InNoiseError() if noise else Undefined()


class Noisy:
    """A number and a bound of its error; 0 where it does not rise above that."""

    __slots__ = ("noise", "numbers", "value")

    def __init__(self, numbers, value, noise):
        if not numbers.mp.isfinite(value):
            raise Undefined
        self.numbers, self.noise = numbers, noise
        self.value = numbers.mp.zero if abs(value) <= _CLEAR * noise else value

    def __add__(self, other):
        total = self.value + other.value
        return Noisy(self.numbers, total, self.noise + other.noise + abs(total) * self.numbers.eps)

    def __mul__(self, other):
        total = self.value * other.value
        noise = abs(self.value) * other.noise + abs(other.value) * self.noise + self.noise * other.noise
        return Noisy(self.numbers, total, noise + abs(total) * self.numbers.eps)


class NoisyNumbers:
    """The number system of :class:`Noisy` for :func:`asympkit.numbers.evaluation.evaluate`."""

    dtype = object

    def __init__(self, digits):
        self.mp, self.kept = MPContext(), {}
        self.mp.dps = digits
        self.eps = self.mp.eps

    def constant(self, name):
        raise Undefined                       # no case of a Piecewise holds

    def constant_function(self, expr):
        mp = self.mp
        if expr.is_Rational:
            value = mp.mpf(int(expr.p)) / int(expr.q)
            noise = mp.zero if expr.q == 1 else abs(value) * self.eps
        elif expr.is_Float:
            value, noise = mp.mpf(str(expr)), mp.zero
        elif expr.is_NumberSymbol:
            value = +(mp.pi if str(expr) == "pi" else mp.e)
            noise = value * self.eps
        else:
            raise Undefined
        number = Noisy(self, value, noise)
        return lambda v: number

    def quotient(self, top, bottom):
        value, noise = (self.mp.one, self.mp.zero) if isinstance(top, int) else (top.value, top.noise)
        if bottom.value == 0:
            raise _undefined(bottom.noise)
        value = value / bottom.value
        noise = (noise + abs(value) * bottom.noise) / abs(bottom.value)
        return Noisy(self, value, noise + abs(value) * self.eps)

    def whole_power(self, x, n):
        return self.general_power(x, Noisy(self, self.mp.mpf(n), self.mp.zero))

    def half_power(self, x, n):
        if n == 1:
            return self.function_named("sqrt")(x)
        return self.general_power(x, Noisy(self, self.mp.mpf(n) / 2, self.mp.zero))

    def general_power(self, base, exponent):
        mp = self.mp
        x, dx, p, dp = base.value, base.noise, exponent.value, exponent.noise
        if x == 0:
            if p < 0:
                raise _undefined(dx)
            value, noise = (mp.one, mp.zero) if p == 0 else (mp.zero, dx ** p if dx else mp.zero)
            return Noisy(self, value, noise)
        if x < 0 and (dp or p != int(p)):
            raise Undefined
        size = mp.log(abs(x)) * p
        if abs(size) > _HUGE:
            raise Undefined
        if abs(p) * dx > abs(x) / 2 or abs(mp.log(abs(x))) * dp > 0.5:
            raise InNoiseError            # so large a noise is not of first order
        value = x ** p
        noise = abs(value) * (abs(p) * dx / abs(x) + abs(mp.log(abs(x))) * dp + (1 + abs(size)) * self.eps)
        return Noisy(self, value, noise)

    def larger(self, a, b):
        return Noisy(self, max(a.value, b.value), max(a.noise, b.noise))

    def smaller(self, a, b):
        return Noisy(self, min(a.value, b.value), max(a.noise, b.noise))

    def holds(self, relation, left, right):
        gap = Noisy(self, left.value - right.value, left.noise + right.noise).value
        return {"<": gap < 0, "<=": gap <= 0, ">": gap > 0, ">=": gap >= 0, "==": gap == 0, "!=": gap != 0}[relation]

    def function_of(self, expr):
        return self.function_named(type(expr).__name__)

    def function_named(self, name):
        own = getattr(self, "of_" + name.lower(), None)
        if own is None:
            try:
                return partial(self.of_list, require_entry(name, "multiple precision"))
            except StructureError as error:         # a property of the function is asked for, no value
                raise DomainError(str(error)) from None
        return lambda x, *_: Noisy(self, *own(x.value, x.noise))

    def of_list(self, known, *args):
        """Apply a function of the list; its noise comes from its values beside the point."""
        mp = self.mp
        orders, arguments = [int(a.value) for a in args[:known.orders]], args[known.orders:]

        def at(*x):
            if any(abs(v) > _FLAT for v in x):
                raise Undefined
            try:
                found = known.at_digits(mp, *orders, *x)
            except (ValueError, ZeroDivisionError, mp.NoConvergence):
                raise Undefined from None
            if isinstance(found, mp.mpc) or not mp.isfinite(found):
                raise Undefined
            return mp.mpf(found)

        centre = [a.value for a in arguments]
        value = at(*centre)
        noise = abs(value) * self.eps
        for k, a in enumerate(arguments):
            for side in (a.value - a.noise, a.value + a.noise) if a.noise else ():
                noise += abs(at(*centre[:k], side, *centre[k + 1:]) - value)
        return Noisy(self, value, noise)

    # -- the functions of the grammar: value and noise from those of the argument --------------------------------

    def of_exp(self, x, dx):
        if x > _HUGE:
            raise Undefined
        if dx > 0.5 and x + dx > -1:
            raise InNoiseError            # so large a noise is not of first order
        value = self.mp.exp(max(x, -_HUGE))
        return (value if x >= -_HUGE else self.mp.zero), value * (dx + self.eps)

    def of_log(self, x, dx):
        if x <= 0:
            raise _undefined(x == 0 and dx)
        value = self.mp.log(x)
        return value, dx / x + abs(value) * self.eps

    def of_sqrt(self, x, dx):
        if x < 0:
            raise Undefined
        if x == 0:
            return x, self.mp.sqrt(dx)
        value = self.mp.sqrt(x)
        return value, dx / (2 * value) + value * self.eps

    def of_sin(self, x, dx, name="sin"):
        if abs(x) > _TURNS:
            raise Undefined
        return getattr(self.mp, name)(x), min(dx, self.mp.one) + self.eps

    def of_cos(self, x, dx):
        return self.of_sin(x, dx, "cos")

    def of_tan(self, x, dx):
        cosine, noise = self.of_cos(x, dx)
        if abs(cosine) <= _CLEAR * noise:
            raise InNoiseError
        value = self.mp.tan(x)
        return value, dx / cosine**2 + abs(value) * self.eps

    def of_sinh(self, x, dx, name="sinh"):
        if abs(x) > _HUGE:
            raise Undefined
        if dx > 0.5:
            raise InNoiseError            # so large a noise is not of first order
        value = getattr(self.mp, name)(x)
        return value, (abs(value) + 1) * dx + abs(value) * self.eps

    def of_cosh(self, x, dx):
        return self.of_sinh(x, dx, "cosh")

    def of_tanh(self, x, dx):
        value = self.mp.tanh(x) if abs(x) < _FLAT else self.limit("tanh", x)
        return value, min(1, 4 * self.mp.exp(-2 * min(abs(x), _FLAT))) * dx + abs(value) * self.eps

    def of_asin(self, x, dx):
        mp, room = self.mp, 1 - abs(x)
        if room < -_CLEAR * (dx + self.eps):
            raise Undefined
        room = max(room, mp.zero)
        value = mp.asin(x) if room else mp.sign(x) * mp.pi / 2
        return value, (dx / mp.sqrt(room) if room > dx else mp.sqrt(2 * dx)) + abs(value) * self.eps

    def of_atan(self, x, dx):
        value = self.mp.atan(x)
        return value, dx / (1 + x * x) + abs(value) * self.eps

    def of_erf(self, x, dx, name="erf"):
        value = getattr(self.mp, name)(x) if abs(x) < _FLAT else self.limit(name, x)
        return value, 2 * self.mp.exp(-min(x * x, _FLAT)) * dx + abs(value) * self.eps

    def of_erfc(self, x, dx):
        return self.of_erf(x, dx, "erfc")

    def limit(self, name, x):
        return self.mp.mpf(_LIMITS[name][x > 0])

    def of_abs(self, x, dx):
        return abs(x), dx

    def of_sign(self, x, dx):
        return self.mp.sign(x), self.mp.zero

    def of_heaviside(self, x, dx):
        return self.mp.mpf(int(x > 0)), self.mp.zero


#: digits with which a number is asked for when fewer leave it in the noise of rounding
MORE_DIGITS = (60, 250, 1000)
_FLOATS = Floats()


# -- floating point ----------------------------------------------------------------------------------


def array_function(expr, symbols):
    """Return a vectorised float64 function of the given symbols, in their order.

    It never warns: overflow gives inf and undefined points give nan, silently.
    """
    symbols = tuple(symbols)
    body = compile_expression(_rewritten(float_form(expr), _array_form), _FLOATS)

    def function(*arrays):
        if len(arrays) != len(symbols):
            raise TypeError(f"expected {len(symbols)} arguments ({', '.join(map(str, symbols))}), got {len(arrays)}")
        if len(arrays) == 1 and type(arrays[0]) is np.ndarray and arrays[0].ndim and arrays[0].dtype == np.float64:
            with np.errstate(all="ignore"):
                result = body({symbols[0]: arrays[0]})
            if type(result) is np.ndarray and result.base is None and result is not arrays[0] \
                    and result.shape == arrays[0].shape and result.dtype == np.float64:
                return result            # a fresh array of the right kind: nothing to convert
        arrays = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in arrays))
        shape = arrays[0].shape if arrays else ()
        with np.errstate(all="ignore"):
            # At least one-dimensional inside: whole powers of zero-dimensional arrays lose the array type.
            result = body({s: np.atleast_1d(a) for s, a in zip(symbols, arrays)})
        result = np.broadcast_to(np.asarray(result, dtype=np.float64), np.atleast_1d(np.empty(shape)).shape)
        return result.reshape(shape).copy()[()]

    return function


def float_form(expr):
    """Return an equal form that does not overflow where the value does not, with full accuracy in the tails.

    Functions of the catalogue get their formulas for evaluation, and logarithms of exponentials and hyperbolic cosines
    are functions of their own.
    """
    return _rewritten(expand_numeric(expr), _stable_form)


def _rewritten(expr, rule):
    if not expr.args:
        return expr
    args = [_rewritten(a, rule) for a in expr.args]
    if any(a is not b for a, b in zip(args, expr.args)):
        # a Piecewise is left as it is: sympy would simplify its conditions
        expr = sp.Piecewise(*args, evaluate=False) if isinstance(expr, sp.Piecewise) else expr.func(*args)
    return rule(expr)


def _stable_form(expr):
    """Write ``log(c*cosh(u))``, ``log(exp(u) + exp(v))``, or a positive number for one, ``log(1 + u)`` and
    ``exp(u) - 1`` in stable functions.

    sympy writes ``erfc(-u)`` as ``2 - erfc(u)``: here it is itself again.
    """
    if expr.is_Add and expr.has(sp.erfc):
        number, rest = expr.as_coeff_Add()
        for term in rest.as_ordered_terms():
            factor, f = term.as_coeff_Mul()
            if isinstance(f, sp.erfc) and number == -2 * factor:
                return rest - term - factor * sp.erfc(-f.args[0], evaluate=False)
        return expr
    if not isinstance(expr, sp.log):
        return write_near_one(expr)
    scale, factor = expr.args[0].as_coeff_Mul()
    if isinstance(factor, sp.cosh) and scale.is_positive:
        return LogCosh(factor.args[0]) + sp.log(scale)
    terms = sorted(expr.args[0].args, key=sp.default_sort_key) if expr.args[0].is_Add else ()
    if len(terms) == 2 and any(isinstance(t, sp.exp) for t in terms) \
            and all(isinstance(t, sp.exp) or t.is_Number and t.is_positive for t in terms):
        u, v = (t.args[0] if isinstance(t, sp.exp) else sp.log(t) for t in terms)
        return u + SoftPlus(v - u)
    return write_near_one(expr)


def _array_form(expr):
    """Divide by 3 where sympy multiplies by 1/3, and put a case without value before each condition that may be asked
    between two overflows.
    """
    if expr.is_Mul and expr.args[0].is_Rational and is_periodic(expr.args[0].q):
        number, *factors = expr.args
        return sp.Mul(sp.Integer(number.p), *factors, sp.Pow(number.q, -1, evaluate=False), evaluate=False)
    if not isinstance(expr, sp.Piecewise):
        return expr
    pairs = []
    for value, condition in expr.args:
        for relation in sorted(condition.atoms(Relational), key=sp.default_sort_key):
            if relation.lhs.args or relation.rhs.args:        # names and numbers always have a value
                gap = relation.lhs - relation.rhs
                pairs.append((sp.nan, sp.Ne(gap, gap, evaluate=False)))
        pairs.append((value, condition))
    return sp.Piecewise(*pairs, evaluate=False) if len(pairs) > len(expr.args) else expr


# -- any number of digits ----------------------------------------------------------------------------


@lru_cache(maxsize=2048)
def digits_at(point, digits):
    """Return a point as a sympy number with so many digits."""
    return sp.N(point.xreplace({root: _root(root, digits + 30) for root in point.atoms(sp.CRootOf)}), digits)


def _root(root, digits):
    """Refine a root of a polynomial by Newton's method: sympy bisects, in a second for one of degree twenty."""
    first, mp = root.eval_rational(n=20), context(digits + 50)
    x, coefficients = mp.mpf(first.p) / first.q, [mp.mpf(c.p) / c.q for c in root.poly.all_coeffs()]
    start = x
    for _ in range(10):
        value, slope = mp.polyval(coefficients, x, derivative=True)
        if value == 0 or abs(value) <= abs(slope * x) * mp.mpf(10) ** -digits:
            return sp.Float(str(x), digits)
        x -= value / slope
        if abs(x - start) > abs(start) * 1e-18:      # this may be another root, close to the one that is refined
            break
    return sp.N(root, digits)


def value_at(expr, z, point, digits=60):
    """Return the value of an expression at a real point, 0 where it does not rise above rounding.

    :class:`Undefined` where it has no finite real value; a denominator that vanishes up to rounding is one.
    """
    *fewer, most = digits, *(more for more in MORE_DIGITS if more > digits)
    for enough in fewer:
        try:
            return _value(expr, z, point, enough)
        except InNoiseError:
            continue
    return _value(expr, z, point, most)


def _value(expr, z, point, digits):
    return with_noise(expr, {z: _number(point, digits)}, digits)[0]


def _number(point, digits):
    """Return (value, error) of a point; one that was found numerically is known to its own digits only."""
    mp = context(digits + 10)
    if isinstance(point, float):
        return mp.mpf(point), 0
    number = mp.mpf(str(digits_at(point, digits + 10)))
    known = min([digits, *(f._prec * 0.3 for f in point.atoms(sp.Float))])
    return number, abs(number) * context(digits).mpf(10) ** (1 - known)


def sign_at(expr, z, sample):
    """Return the sign of an expression at a rational point; 0 is what stays in the noise at a thousand digits."""
    for digits in MORE_DIGITS:
        value = value_at(expr, z, sample, digits)
        if value:
            return 1 if value > 0 else -1
    return 0
