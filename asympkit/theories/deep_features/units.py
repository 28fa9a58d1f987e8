r"""Compute the moments of a unit's activation at normal preactivations.

At :math:`\mu+\sqrt vz`: the mean :math:`\kappa_0`, the slope :math:`\kappa_1=E[z\phi]/\sqrt v`, and the variance left
after the regression on z, :math:`\kappa_*^2=E(\phi-\kappa_0-\sqrt v\kappa_1z)^2`; by Stein's lemma, so that no
derivative of an activation is needed.  Where units have means, these are normal across them.
"""

from sympy import Symbol, sqrt

from ...gauss import E
from ...nodes import Applied, Named

__all__ = ["alike", "conditional", "over_units", "passed_on", "variance_around"]

#: the position of a unit among the others of its layer: a standard normal variable across units
PLACE = Symbol("kappa", real=True)
_Z = Symbol("z", real=True)


def alike(label, variance):
    """Return ``(mean, slope, rest, variance)`` of units whose preactivations have no means, as expressions."""
    value = Applied(label, sqrt(variance) * _Z)
    mean, slope = E(value, _Z), E(_Z * value, _Z)
    return mean, slope / sqrt(variance), E((value - mean - slope * _Z)**2, _Z), E((value - mean)**2, _Z)


def conditional(label, mean, variance, mark):
    """Return ``(slope, rest)`` of the unit at kappa, whose preactivation has the mean ``mean * kappa``."""
    value, centre = _unit(label, mean, variance)
    slope = Named(f"kappa1{mark}", E(_Z * value, _Z) / sqrt(variance))
    centre = Named(f"kappa0{mark}", centre)
    return slope, Named(f"kappastar2{mark}", E((value - centre - sqrt(variance) * slope * _Z)**2, _Z))


def over_units(expr):
    """Return the mean over the units of a layer."""
    return E(expr, PLACE)


def passed_on(label, mean, variance):
    """Return the root mean square of the means of units, and the mean of their variances as a function of it."""
    _, centre = _unit(label, mean, variance)
    whole = Applied(label, sqrt(variance + mean**2) * _Z)
    return sqrt(over_units(centre**2)), lambda found: E(whole**2, _Z) - found**2


def variance_around(label, mean, variance):
    """Return the mean, across units, of the variance of a unit."""
    value, centre = _unit(label, mean, variance)
    return over_units(E((value - centre)**2, _Z))


def _unit(label, mean, variance):
    """Return the value of the unit at a position, and its mean."""
    value = Applied(label, mean * PLACE + sqrt(variance) * _Z)
    return value, E(value, _Z)
