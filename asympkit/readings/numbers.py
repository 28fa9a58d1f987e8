"""Number systems of the interpreter: what differs between float64 and any number of digits."""

import math
from functools import cache, partial

import numpy as np

from ..errors import StructureError
from ..functions import KNOWN, known_names

#: functions that are not real everywhere on the line
_PARTIAL = ("log", "asin")


def special_digits(name, mp):
    """A known function as a function of mpf, by the name of its sympy class; None for another name."""
    from ..gauss.special_digits import bivariate_cdf, owen_t

    own = {"OwenT": owen_t, "BivariateNormalCDF": bivariate_cdf, "Heaviside": _heaviside,
           "LogErfc": lambda mp, x: mp.log(mp.erfc(x))}
    if name in own:
        return partial(own[name], mp)
    return getattr(mp, KNOWN[name].digits, None) if name in KNOWN and KNOWN[name].digits else None


def _heaviside(mp, x, at_zero=0.5):
    return mp.convert(at_zero) if x == 0 else (1 + mp.sign(x)) / 2


@cache
def _float_functions():
    """What numpy does not have."""
    from scipy import special

    from ..gauss.special_floats import bivariate_floats, owen_floats
    from ..runtime.error_function import log_erfc_batch
    from ..runtime.special import mp_resolvent_batch

    return {"OwenT": owen_floats, "BivariateNormalCDF": bivariate_floats, "erf": special.erf, "erfc": special.erfc,
            "MPResolvent": mp_resolvent_batch, "LogErfc": log_erfc_batch}


class Floats:
    """float64 numbers and numpy arrays."""

    dtype = float
    #: relative rounding, and the error by rounding above which nothing has converged
    rounding, largest_error = 2.0**-52, 1e-9

    def rational(self, p, q):
        return p / q

    def number(self, value):
        return float(value)

    def constant(self, name):
        return {"pi": math.pi, "E": math.e, "nan": math.nan}[name]

    def dot(self, values, weights):
        return float(np.dot(np.broadcast_to(values, weights.shape), weights))

    def function(self, name, *args):
        found = _float_functions().get(name)
        if found is None and name in KNOWN:
            found = getattr(np, KNOWN[name].arrays.removeprefix("np."), None)
        if found is None:
            raise StructureError(f"interpreter: no form is known for the function {name}; known are {known_names()}")
        return found(*args)

    def sqrt(self, x):
        return np.sqrt(x)

    def real(self, x):
        """The number, nan where it is not real."""
        return math.nan if isinstance(x, complex) else x


class Digits:
    """mpmath numbers of a private context; arrays are numpy arrays of objects.

    Parameters
    ----------
    digits : int
        Working precision in decimal digits.
    """

    dtype = object

    def __init__(self, digits):
        from mpmath.ctx_mp import MPContext

        self.mp = MPContext()
        self.mp.dps = digits
        # guard digits are there to be lost
        self.rounding, self.largest_error = +self.mp.eps, self.mp.mpf(10) ** -max(5, digits - 20)

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
        if name == "MPResolvent":
            return self._resolvent(*args)
        scalar = special_digits(name, self.mp)
        if scalar is None:
            raise StructureError(f"high precision: no form is known for the function {name}; known are {known_names()}")
        if any(isinstance(a, np.ndarray) for a in args):
            scalar = np.frompyfunc(scalar, len(args), 1)
        return self.real(scalar(*args)) if name in _PARTIAL else scalar(*args)

    def sqrt(self, x):
        return self.real(np.frompyfunc(self.mp.sqrt, 1, 1)(x) if isinstance(x, np.ndarray) else self.mp.sqrt(x))

    def real(self, x):
        """The number, nan where it is not real."""
        if isinstance(x, np.ndarray):
            return np.frompyfunc(self.real, 1, 1)(x)
        return self.mp.nan if isinstance(x, self.mp.mpc) else x

    def _resolvent(self, a, b, scale, ratio):
        x = a * scale
        shifted = b + x * (1 - ratio)
        product = 4 * ratio * x * b
        root = self.mp.sqrt(shifted**2 + product)
        return 2 / (shifted + root) if shifted >= 0 else 2 * (root - shifted) / product

    def average(self, expr):
        """A closed average, without free symbols."""
        found = expr.evalf(self.mp.dps)
        if hasattr(found, "p"):                 # exactly 0, say
            return self.rational(int(found.p), int(found.q))
        return self.mp.mpf(found._mpf_)

    def scalar_map(self, mapping, values, functions):
        """Evaluate a :class:`~asympkit.program.ScalarMap`, ``{output name: number}``."""
        value = self.prepared(mapping, values, functions)
        return {name: value(e) for name, e in mapping.outputs}

    def prepared(self, mapping, values, functions, given=None):
        """What evaluates expressions of a map, once its means are known; named numbers that are given, by name, are
        not computed."""
        from .digits_tables import prepare_map
        from .expression import evaluate

        known = prepare_map(mapping, values, functions, self, given or {})
        return lambda expr: evaluate(expr, known, self)

    def is_zero(self, x):
        """Whether a number is exactly 0."""
        return x == 0

    def is_doubtful(self, x):
        """Whether a mean may be the rounding of one that vanishes."""
        return abs(x) <= self.mp.mpf(10) ** -(self.mp.dps // 2)
