"""float64 as a number system."""

import math
import operator

import numpy as np

from .functions import required

__all__ = ["COMPARE", "Floats"]

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
        return required(name, "interpreter").array_function

    def function_of(self, expr):
        return self.function_named(type(expr).__name__)

    larger, smaller = staticmethod(np.maximum), staticmethod(np.minimum)

    def holds(self, relation, left, right):
        found = COMPARE[relation](left, right)
        return found if isinstance(found, np.ndarray) else bool(found)
