r"""Compute the Hermite coefficients of student and target, in any number system.

:math:`\sigma=\sum_kc_kH_k` with probabilists' polynomials, :math:`c_k=E[\sigma H_k]/k!`, and the rest without
constant and linear part, :math:`E(\sigma-c_0-c_1z)^2`, as the mean of a square.
"""

from dataclasses import dataclass
from functools import cache
from math import factorial, frexp, isfinite, sqrt

from ...errors import AsympkitError, DomainError
from .gaps import TOP

__all__ = ["Moments", "float_moments", "moment_map", "moments_of"]

#: below this part of the norm, a coefficient in double precision is recomputed with more digits
_DOUBT = 1e-10
#: outside these sizes of a function its moments are computed from a multiple: the square of 1e155 overflows
_LOW, _HIGH = 2.0**-10, 2.0**10


@dataclass(frozen=True)
class Moments:
    """Hold the moments of one activation.

    Attributes
    ----------
    coefficients : tuple of number
        c_0, c_1, ...
    rest : number
        Second moment without constant and linear part.
    undecided : tuple of int
        Degrees whose coefficients neither double precision nor a proof distinguishes from zero.
    """

    coefficients: tuple
    rest: object
    undecided: tuple = ()


@cache
def moment_map(top=TOP):
    """Return the moments lowered to a :class:`~asympkit.program.ScalarMap`, with its names."""
    from sympy import Symbol, hermite_prob
    from sympy import factorial as sympy_factorial

    from ...gauss import E
    from ...nodes import Applied, Named
    from ...program import Names, scalar_map

    z = Symbol("z", real=True)
    f = Applied("activation", z)
    c = [Named(f"c{k}", E(hermite_prob(k, z) * f, z) / sympy_factorial(k)) for k in range(top + 1)]
    outputs = {f"c{k}": e for k, e in enumerate(c)} | {"rest": Named("rest", E((f - c[0] - c[1] * z) ** 2, z))}
    names = Names()
    return scalar_map((), outputs, names), names


def float_moments(activation, module):
    """Return the moments in double precision, from a generated function that ships with the kernel.

    A coefficient that double precision cannot distinguish from 0 is 0 if that is proved, else it is computed with more
    digits.

    Raises
    ------
    DomainError
        If a moment is infinite, or cannot be computed in double precision.
    """
    activation.require_second_moment(1.0)
    unit = _unit(activation)
    *values, error = module.activation_moments(activation if unit == 1.0 else _Multiple(activation, 1.0 / unit))
    if not error <= 1e-12:
        raise DomainError(f"activation {activation.name!r}: its Hermite coefficients could not be computed in double "
                          "precision; use precise()")
    *c, rest = values
    norm = sqrt(c[0] ** 2 + c[1] ** 2 + rest)
    undecided = []
    for k in range(1, len(c)):          # no spike depends on the constant
        if abs(c[k]) * sqrt(factorial(k)) < _DOUBT * norm:
            c[k], is_decided = _settled(activation, k, c[k], unit, norm)
            undecided += [] if is_decided else [k]
    # Bessel's inequality, because the rest of a nearly linear function is lost in rounding
    rest = max(rest, sum(factorial(k) * c[k] ** 2 for k in range(2, len(c))))
    values = [unit * v for v in c]
    if not isfinite(unit * unit * (norm**2 + rest)):
        raise DomainError(f"activation {activation.name!r}: its second moment is beyond double precision; scale the "
                          "function down")
    return Moments(tuple(values), unit * unit * rest, tuple(undecided))


def _settled(activation, k, rough, unit, norm):
    """Return a tiny coefficient over ``unit`` from more digits (or ``rough``), and whether it is decided."""
    from ..zeros import DIGITS, exact_value, is_present

    present = is_present(activation, k, norm * unit)
    if present is False:
        return 0.0, True
    from ...gauss.coefficients import coefficient

    exact = exact_value(activation, k)
    try:
        value = float(coefficient(activation, k, DIGITS) if exact is None else exact.evalf(30)) / unit
    except AsympkitError:
        return rough, True
    return value, bool(present and value)


def _unit(activation):
    """Return a power of two near the size of the function; 1 for usual sizes."""
    import numpy as np

    size = float(np.max(np.abs(activation(np.linspace(-3.0, 3.0, 25)))))
    return 1.0 if size == 0.0 or _LOW < size < _HIGH or not isfinite(size) else 2.0 ** frexp(size)[1]


class _Multiple:
    """Represent a multiple of an activation for quadrature rules."""

    def __init__(self, activation, factor):
        self._activation, self._factor = activation, factor
        self.kinks_float, self.mirror = activation.kinks_float, activation.mirror

    def __call__(self, x):
        return self._factor * self._activation(x)


def moments_of(activation, numbers, rough, top=TOP):
    """Return moments in a number system, multiprecision or balls.

    In multiprecision a coefficient that is zero in ``rough`` is exactly zero; among balls, only if that is proved.
    """
    mapping, _ = moment_map(top)
    found = numbers.scalar_map(mapping, {}, {"activation": activation})
    c = [found[f"c{k}"] for k in range(top + 1)]
    for k in range(1, top + 1):
        if _is_zero(activation, k, c[k], rough, numbers.encloses):
            c[k] = numbers.number(0)
    return Moments(tuple(c), found["rest"])


def _is_zero(activation, k, value, rough, encloses):
    from ..zeros import vanishes

    if encloses:
        return value.contains(0) and vanishes(activation, k)
    return k < len(rough.coefficients) and rough.coefficients[k] == 0.0
