"""The reduction of the errors by diverging spikes, in matrix form and in closed form."""

from fractions import Fraction
from math import factorial

from asympkit.theories.nonlinear_spikes.equations import hermite_of_power, projection, span


def matrix_form(degrees, coefficients, rho, tau, mu, mu0):
    r"""Return the reduction of :math:`y^TRy` by the spikes as :math:`b^TG^{-1}b` (section 5 of the theory).

    The degree 0 is a free constant.  ``coefficients`` are Hermite coefficients of the target, without the mean; rho is
    the overlap of the spike with its direction; tau, mu, mu0 are the traces: of every Hermite direction but the first
    and the constant, of the first, of the constant.
    """
    weight = {0: mu0, 1: mu}
    gram = [[sum(factorial(h) * hermite_of_power(i, h) * hermite_of_power(j, h) * weight.get(h, tau)
                 for h in range(min(i, j) + 1)) for j in degrees] for i in degrees]
    row = [sum(factorial(p) * hermite_of_power(i, p) * coefficients.get(p, 0) * rho**p * weight.get(p, tau)
               for p in range(1, i + 1)) for i in degrees]
    return projection(gram, [row])[0][0]


def closed_form(degrees, coefficients, rho, tau, mu, mu0, number=Fraction):
    """Return the same as :func:`matrix_form` from the result of :func:`span`, without a matrix.

    ``number`` converts a Fraction to the kind of the other numbers; sympy takes fractions as they are.
    """
    found = span(degrees)
    energy, leak = found.powers({p: coefficients.get(p, 0) for p in range(max(degrees, default=0) + 1)}, number)
    power = sum(e * rho ** (2 * k) for k, e in energy.items())
    mean = sum(v * rho ** (2 * k) for k, v in leak.items())
    linear = rho**2 * coefficients.get(1, 0) ** 2 * mu if 1 in degrees else 0 * mu
    return linear + (power - mean**2 / (number(found.constant - 1) + tau / mu0)) * tau
