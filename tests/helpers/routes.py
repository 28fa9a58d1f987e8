"""Compare the compiled and the high-precision route at one point."""

import warnings
from fractions import Fraction

import mpmath

import asympkit as ak


def exact(parameters):
    """Parameters as the exact binary numbers the compiled route uses."""
    return {k: Fraction(v) if isinstance(v, float) and v != float("inf") else v for k, v in parameters.items()}


def both(theory, **parameters):
    """Solutions by both routes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        return theory.solve(**parameters), theory.precise(**exact(parameters))


def worst_difference(compiled, precise):
    """Largest difference of order parameters relative to their scale, and of errors relative to themselves."""
    order = {}
    for name, value in compiled.order_parameters.items():
        scale = max(abs(float(precise[name])), compiled.scale[name])
        gap = abs(float(value - precise[name]))
        order[name] = gap / scale if gap else 0.0
    errors = {n: abs(float((v - precise[n]) / precise[n])) for n, v in compiled.observables.items()}
    return order, errors


def names(solution):
    """Return the names of all its numbers."""
    return (*solution.order_parameters, *solution.observables)


def contains(solution, precise, digits):
    """Return whether every ball overlaps a multiprecision number with its rounding."""
    return all(solution[n].overlaps(ak.Ball(precise[n], mpmath.mpf(10) ** -digits * max(1, abs(precise[n]))))
               for n in names(solution))


def exactly(number):
    """Return a number of mpmath as a fraction."""
    sign, mantissa, exponent, _ = number._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent


def core_condition(compiled):
    """Amplification of rounding by the non-linear block."""
    return max(compiled.condition["V1"], compiled.condition["V2"])
