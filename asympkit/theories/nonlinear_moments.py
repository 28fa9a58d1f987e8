r"""Hermite coefficients of student and target, in any number system.

:math:`\sigma=\sum_kc_kH_k` with probabilists' polynomials, :math:`c_k=E[\sigma H_k]/k!`, and what is left
beside constant and linear part, :math:`E(\sigma-c_0-c_1z)^2`, as the mean of a square.
"""

from dataclasses import dataclass
from functools import cache
from math import factorial, sqrt

from ..errors import DomainError
from .nonlinear_gaps import TOP

__all__ = ["Moments", "float_moments", "moment_map", "moments_of"]

#: below this part of its norm, a coefficient in double precision is looked at with more digits
_DOUBT, _DIGITS, _ZERO = 1e-10, 40, 1e-30


@dataclass(frozen=True)
class Moments:
    """Moments of one activation.

    Attributes
    ----------
    coefficients : tuple of number
        c_0, c_1, ...
    rest : number
        Second moment without constant and linear part.
    """

    coefficients: tuple
    rest: object


@cache
def moment_map(top=TOP):
    """The moments lowered to a :class:`~asympkit.program.ScalarMap`, with its names."""
    from sympy import Symbol, hermite_prob
    from sympy import factorial as sympy_factorial

    from ..gauss import E
    from ..nodes import Applied, Named
    from ..program import Names, scalar_map

    z = Symbol("z", real=True)
    f = Applied("activation", z)
    c = [Named(f"c{k}", E(hermite_prob(k, z) * f, z) / sympy_factorial(k)) for k in range(top + 1)]
    outputs = {f"c{k}": e for k, e in enumerate(c)} | {"rest": Named("rest", E((f - c[0] - c[1] * z) ** 2, z))}
    names = Names()
    return scalar_map((), outputs, names), names


def float_moments(activation, module):
    """Moments in double precision, by a generated function that ships with the kernel.

    A coefficient that is tiny is computed with more digits, to tell a missing degree from a small one.

    Raises
    ------
    DomainError
        If a moment is infinite, or not to be had in double precision.
    """
    activation.require_second_moment(1.0)
    *values, error = module.activation_moments(activation)
    if not error <= 1e-12:
        raise DomainError(f"activation {activation.name!r}: its Hermite coefficients could not be computed in double "
                          "precision; use precise()")
    *c, rest = values
    norm = sqrt(c[0] ** 2 + c[1] ** 2 + rest)
    for k, value in enumerate(c):
        if value != 0.0 and abs(value) * sqrt(factorial(k)) < _DOUBT * norm:
            exact = float(activation.hermite_coefficients(k, digits=_DIGITS)[k])
            c[k] = exact if abs(exact) * sqrt(factorial(k)) > _ZERO * norm else 0.0
    return Moments(tuple(c), rest)


def moments_of(activation, numbers, rough, top=TOP):
    """Moments in a number system of many digits or of balls; what is zero for ``rough`` is exactly zero."""
    mapping, _ = moment_map(top)
    found = numbers.scalar_map(mapping, {}, {"activation": activation})
    zero = numbers.number(0)
    c = tuple(found[f"c{k}"] if k >= len(rough.coefficients) or rough.coefficients[k] != 0.0 else zero
              for k in range(top + 1))
    return Moments(c, found["rest"])
