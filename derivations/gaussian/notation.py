"""The symbols of the Gaussian documents, and the means that they speak of."""

from sympy import Rational, Symbol, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied

from ..special import phi

x, y, z, w, a, u = symbols("x y z w a u", real=True)
s, t = symbols("s t", real=True)
b = Symbol("b", positive=True)
#: a correlation that is not at the ends of its range, and the order of a polynomial
rho = Symbol("rho", real=True)
k = Symbol("k", integer=True, positive=True)


def density(point, mean=0, deviation=1):
    """The density of a normal variable of any mean and deviation."""
    return phi((point - mean) / deviation) / deviation


def student(argument, order=0):
    """An unspecified function."""
    return Applied("student", argument, order)


def moment(weight, order=0):
    """``E[weight(Z) sigma(a + b Z)]``, or with a derivative of sigma."""
    return E(weight * student(a + b * z, order), z)


half = Rational(1, 2)
