r"""Compute the Hermite coefficients of student and target, in any number system.

:math:`\sigma=\sum_kc_kH_k` with probabilists' polynomials, :math:`c_k=E[\sigma H_k]/k!`, and the rest without
constant and linear part, :math:`E(\sigma-c_0-c_1z)^2`, as the mean of a square.

Map moments of student and target to the parameters of the programs, in any number system.

This is not a :class:`~asympkit.theories.derived.Derived`: the set of numbers depends on the degrees whose coefficients
are proved not to vanish, and is computed by exact elimination; no parameter with a derivative enters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import factorial, frexp, isfinite, sqrt
from typing import Any

import numpy as np
from sympy import Symbol, hermite_prob
from sympy import factorial as sympy_factorial

from ...errors import AsympkitError, DomainError
from ...gauss import E
from ...gauss.coefficients import coefficient
from ...nodes import Applied, Named
from ...program import Names, scalar_map
from ..derived import DIGITS, exact_value, is_present, vanishes
from .equations import FINITE_TOP, TOP, power_moment, projection, span

#: below this part of the norm, a coefficient in double precision is recomputed with more digits
_DOUBT = 1e-10
#: outside these sizes of a function its moments are computed from a multiple: the square of 1e155 overflows
_LOW, _HIGH = 2.0**-10, 2.0**10


@dataclass(frozen=True)
class ActivationMoments:
    """Hold the moments of one activation: the Hermite ``coefficients`` and the second moment of the ``rest`` after c_1.

    ``undecided`` are degrees whose coefficients neither double precision nor a proof distinguishes from zero.
    """

    coefficients: tuple
    rest: object
    undecided: tuple = ()


@cache
def moment_map(top=TOP):
    """Return the moments lowered to a :class:`~asympkit.program.ScalarMap`, with its names."""
    z = Symbol("z", real=True)
    f = Applied("activation", z)
    c = [Named(f"c{k}", E(hermite_prob(k, z) * f, z) / sympy_factorial(k)) for k in range(top + 1)]
    outputs = {f"c{k}": e for k, e in enumerate(c)} | {"rest": Named("rest", E((f - c[0] - c[1] * z) ** 2, z))}
    names = Names()
    return scalar_map((), outputs, names), names


def float_moments(activation, module):
    """Return the moments in double precision, from a generated function that ships with the kernel.

    A coefficient that double precision cannot distinguish from 0 is 0 if that is proved, else it is computed with more
    digits.  DomainError if a moment is infinite, or cannot be computed in double precision.
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
    return ActivationMoments(tuple(values), unit * unit * rest, tuple(undecided))


def _settled(activation, k, rough, unit, norm):
    """Return a tiny coefficient over ``unit`` from more digits (or ``rough``), and whether it is decided."""
    present = is_present(activation, k, norm * unit)
    if present is False:
        return 0.0, True
    exact = exact_value(activation, k)
    try:
        value = float(coefficient(activation, k, DIGITS) if exact is None else exact.evalf(30)) / unit
    except AsympkitError:
        return rough, True
    return value, bool(present and value)


def _unit(activation):
    """Return a power of two near the size of the function; 1 for usual sizes."""
    size = float(np.max(np.abs(activation(np.linspace(-3.0, 3.0, 25)))))
    return 1.0 if size == 0.0 or _LOW < size < _HIGH or not isfinite(size) else 2.0 ** frexp(size)[1]


class _Multiple:
    """Represent a multiple of an activation for quadrature rules."""

    def __init__(self, activation, factor):
        self._activation, self._factor = activation, factor
        self.kinks_float, self.form_parity = activation.kinks_float, activation.form_parity

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
    return ActivationMoments(tuple(c), found["rest"])


def _is_zero(activation, k, value, rough, encloses):
    if encloses:
        return value.contains(0) and vanishes(activation, k)
    return k < len(rough.coefficients) and rough.coefficients[k] == 0.0


def _common(student, target, kept):
    return {"linear": student.coefficients[1] ** 2, "nonlinear": student.rest,
            "target_linear": target.coefficients[1], "target_rest": target.rest, "kept": kept}


def limit_numbers(student: Any, target: Any, degrees: Sequence[int], number: Callable[[Any], Any], *, gaussian: int,
                  kept: int, free: int) -> dict[str, Any]:
    """Return the parameters, by name, of the limit of diverging spikes of some degrees; none for untrained features.

    ``number`` converts an int or a Fraction.  ``gaussian``, ``kept`` and ``free`` are 0 or 1: rows of W0 are Gaussian,
    the initial output is kept, the constant has no penalty.
    """
    found = span((0, *degrees) if free else degrees)
    energy, leak = found.powers(target.coefficients, number)
    zero = number(0)
    return {**_common(student, target, number(kept)), "spike": number(int(1 in degrees)),
            **{f"energy_{k}": energy.get(k, zero) for k in range(2, TOP + 1)},
            **{f"leak_{k}": leak.get(k, zero) for k in range(1, TOP // 2 + 1)},
            "constant": number(found.constant), "radial": 2 * student.coefficients[2] ** 2 * number(gaussian)}


def finite_numbers(student: Any, target: Any, degrees: Sequence[int], number: Callable[[Any], Any], *, gaussian: int,
                   kept: int, free: int) -> dict[str, Any]:
    """Return the parameters at a finite step size; arguments as for :func:`limit_numbers`."""
    c, every = student.coefficients, range(1, FINITE_TOP + 1)
    inverse, mean, share = readout_numbers(degrees)
    return {**_common(student, target, number(kept)), "gaussian": number(gaussian), "free": number(free),
            "radial": 2 * c[2] ** 2,
            **{f"strength_{k}": c[1] ** k * c[k] if k in degrees else number(0) for k in every},
            **{f"target_{k}": target.coefficients[k] for k in every[1:]},
            **{f"inverse_{i}_{j}": number(value) for (i, j), value in inverse.items()},
            **{f"mean_{k}": number(value) for k, value in mean.items()}, "mean_share": number(share)}


def readout_numbers(degrees):
    """Return the fractions that come from powers of a normal readout; they depend on the present degrees alone.

    The inverse of the matrix ``E a**(i+j)`` for i <= j of equal parity, the identity for absent degrees; that inverse
    applied to ``E a**k``, for even k; and the part of the constant that the even powers explain, below 1.
    """
    every = range(1, FINITE_TOP + 1)
    present = [k for k in every if k in degrees]
    gram = [[Fraction(power_moment(i + j)) for j in present] for i in present]
    unit = [[int(i == j) for j in present] for i in present]
    table = projection(gram, [*unit, [power_moment(i) for i in present]])
    inverse = {(i, j): Fraction(int(i == j)) for i in every for j in every if i <= j and (i + j) % 2 == 0}
    inverse |= {(i, j): table[a][b] for a, i in enumerate(present) for b, j in enumerate(present) if (i, j) in inverse}
    at = {k: table[a][-1] for a, k in enumerate(present)}
    return inverse, {k: at.get(k, Fraction(0)) for k in every if k % 2 == 0}, Fraction(table[-1][-1])
