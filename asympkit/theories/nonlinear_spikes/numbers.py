"""Map moments of student and target to the parameters of the programs, in any number system.

This is not a :class:`~asympkit.theories.derived.Derived`: the set of numbers depends on the degrees whose coefficients
are proved not to vanish, and is computed by exact elimination; no parameter with a derivative enters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from .gaps import FINITE_TOP, TOP, power_moment, projection, span

__all__ = ["finite_numbers", "limit_numbers", "readout_numbers"]


def _common(student, target, kept):
    return {"linear": student.coefficients[1] ** 2, "nonlinear": student.rest,
            "target_linear": target.coefficients[1], "target_rest": target.rest, "kept": kept}


def limit_numbers(student: Any, target: Any, degrees: Sequence[int], number: Callable[[Any], Any], *, gaussian: int,
                  kept: int, free: int) -> dict[str, Any]:
    """Return the parameters of the limit of diverging spikes.

    Parameters
    ----------
    student, target : Moments
    degrees : sequence of int
        Of the diverging spikes; empty for untrained features.
    number : callable
        Converts an int or a Fraction to a number.
    gaussian, kept, free : {0, 1}
        Rows of W0 Gaussian; initial output kept; constant without penalty.

    Returns
    -------
    dict of str to number
        By name of parameter.
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

    Returns
    -------
    inverse : dict of (int, int) to Fraction
        Inverse of the matrix ``E a**(i+j)`` for i <= j of equal parity; the identity for absent degrees.
    mean : dict of int to Fraction
        That inverse applied to ``E a**k``, for even k.
    share : Fraction
        The part of the constant that the even powers explain, below 1.
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
