"""Any number of digits as a number system."""

import numpy as np

from .functions import required


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
        known, mp = required(name, "high precision"), self.mp

        def scalar(*numbers):
            return known.at_digits(mp, *numbers)

        if any(isinstance(a, np.ndarray) for a in args):
            scalar = np.frompyfunc(scalar, len(args), 1)
        return self.real(scalar(*args)) if known.is_partial else scalar(*args)

    def sqrt(self, x):
        return self.real(np.frompyfunc(self.mp.sqrt, 1, 1)(x) if isinstance(x, np.ndarray) else self.mp.sqrt(x))

    def real(self, x):
        """The number, nan where it is not real."""
        if isinstance(x, np.ndarray):
            return np.frompyfunc(self.real, 1, 1)(x)
        return self.mp.nan if isinstance(x, self.mp.mpc) else x
