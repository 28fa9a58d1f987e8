"""float64 as a number system."""

import math

import numpy as np

from .functions import required


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
        return required(name, "interpreter").array_function(*args)

    def sqrt(self, x):
        return np.sqrt(x)

    def real(self, x):
        """The number, nan where it is not real."""
        return math.nan if isinstance(x, complex) else x
