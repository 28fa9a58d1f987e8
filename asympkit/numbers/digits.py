"""Multiprecision as a number system: mpmath numbers of a private context, which survive pickle and copy.

An activation, or an expression, compiles to a function of mpmath numbers of a given context.
"""

import operator
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
from mpmath.ctx_mp import MPContext
from mpmath.libmp import MPZ

from .evaluation import COMPARE, compile_expression
from .functions import entry, require_entry

__all__ = ["Digits"]


class Digits:
    """mpmath numbers of a private context; arrays are numpy arrays of objects.

    Parameters
    ----------
    digits : int
        Working precision in decimal digits.
    """

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
    """A private context of mpmath.

    Its numbers have a class of their own, which pickle cannot find by name: a number is pickled as its context and
    plain integers, and numbers of one context that are pickled together share one context again.

    Parameters
    ----------
    bits : int
        Its precision.

    Examples
    --------
    >>> import pickle
    >>> third = 1 / Context(100).mpf(3)
    >>> print(pickle.loads(pickle.dumps(third)))
    0.33333333333333333333333333333
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
