"""Number systems of the interpreter: what differs between float64 and any number of digits."""

import math
from functools import partial

import numpy as np


def special_digits(name, mp):
    """The package's own special functions as functions of mpf, by the name of their sympy class."""
    from ..gauss.special_digits import bivariate_cdf, owen_t

    known = {"OwenT": owen_t, "BivariateNormalCDF": bivariate_cdf}
    return partial(known[name], mp) if name in known else None


def _special_floats():
    from ..gauss.special_floats import bivariate_floats, owen_floats

    return {"OwenT": owen_floats, "BivariateNormalCDF": bivariate_floats}


class Floats:
    """float64 numbers and numpy arrays."""

    def rational(self, p, q):
        return p / q

    def number(self, value):
        return float(value)

    def constant(self, name):
        return {"pi": math.pi, "E": math.e}[name]

    def dot(self, values, weights):
        return float(np.dot(np.broadcast_to(values, weights.shape), weights))

    def function(self, name, *args):
        from scipy import special

        from ..runtime.special import mp_resolvent

        if name == "MPResolvent":
            return mp_resolvent(*args)
        table = {"log": np.log, "exp": np.exp, "Abs": np.abs, "erf": special.erf, "erfc": special.erfc,
                 "asin": np.arcsin, "atan": np.arctan, "sign": np.sign, **_special_floats()}
        return table.get(name, getattr(np, name, None))(*args)

    def sqrt(self, x):
        return np.sqrt(x)

    def maximum(self, *args):
        return np.max(args)

    def minimum(self, *args):
        return np.min(args)


class Digits:
    """mpmath numbers of a private context; arrays are numpy arrays of objects.

    Parameters
    ----------
    digits : int
        Working precision in decimal digits.
    """

    def __init__(self, digits):
        from mpmath.ctx_mp import MPContext

        self.mp = MPContext()
        self.mp.dps = digits

    def rational(self, p, q):
        return self.mp.mpf(p) / q

    def number(self, value):
        """Exact conversion: int, Fraction, Decimal or text as they are, float by its shortest text."""
        from decimal import Decimal
        from fractions import Fraction

        if isinstance(value, float | np.floating):
            value = repr(float(value))
        if hasattr(value, "tolist"):            # a scalar, or an array of one number
            return self.number(value.tolist())
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
        return +{"pi": self.mp.pi, "E": self.mp.e}[name]

    def dot(self, values, weights):
        return self.mp.fdot(zip(np.broadcast_to(values, weights.shape), weights))

    def function(self, name, *args):
        if name == "MPResolvent":
            return self._resolvent(*args)
        name = {"log": "log", "Abs": "fabs"}.get(name, name)
        scalar = getattr(self.mp, name, None) or special_digits(name, self.mp)
        if any(isinstance(a, np.ndarray) for a in args):
            return np.frompyfunc(scalar, len(args), 1)(*args)
        return scalar(*args)

    def sqrt(self, x):
        return self.function("sqrt", x)

    def maximum(self, *args):
        return max(args)

    def minimum(self, *args):
        return min(args)

    def _resolvent(self, a, b, scale, ratio):
        x = a * scale
        shifted = b + x * (1 - ratio)
        product = 4 * ratio * x * b
        root = self.mp.sqrt(shifted**2 + product)
        return 2 / (shifted + root) if shifted >= 0 else 2 * (root - shifted) / product

    def scalar_map(self, mapping, values, functions):
        """Evaluate a :class:`~asympkit.program.ScalarMap`, ``{output name: number}``."""
        from .digits_tables import evaluate_map

        return evaluate_map(mapping, values, functions, self)
