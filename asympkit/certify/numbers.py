"""Exact inputs as balls, and the number system in which a theory's own formulas are read."""

from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from numbers import Rational

import numpy as np

from ..balls.backend import arb, ratio
from ..errors import DomainError
from ..program.statements import Means
from .forms import ball_function
from .inner import grouped

__all__ = ["Balls", "exact_parameters"]

_READINGS = ("refuse", "decimal", "exact")


def exact_parameters(parameters, floats):
    """Parameters as exact numbers: Fractions, infinities, and what is no number unchanged.

    Parameters
    ----------
    parameters : dict
    floats : {"refuse", "decimal", "exact"}
        What a float means: nothing that can be certified, its shortest decimal text, its binary value.

    Raises
    ------
    DomainError
        For a float with ``floats="refuse"``.
    """
    if floats not in _READINGS:
        raise DomainError(f"floats: got {floats!r}; expected 'refuse', 'decimal' or 'exact'")
    return {name: _exact(name, value, floats) for name, value in parameters.items()}


def _exact(name, value, floats):
    if isinstance(value, list | tuple):
        return [tuple(_exact(name, v, floats) for v in row) if isinstance(row, list | tuple)
                else _exact(name, row, floats) for row in value]
    if hasattr(value, "item") and not isinstance(value, Fraction):
        value = value.item()
    if isinstance(value, float) and np.isfinite(value):
        if floats == "refuse":
            raise DomainError(f"{name}: got the float {value!r}, which stands for another number than its text; give "
                              f"an int, a Fraction or a decimal string such as '{value!r}', or choose floats='decimal' "
                              "(its text) or floats='exact' (its binary value)")
        return Fraction(repr(value)) if floats == "decimal" else Fraction(value)
    if isinstance(value, Rational | Decimal) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, str):
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            return value
    return value


class Balls:
    """The number system of certificates, as :class:`asympkit.readings.numbers.Digits` is that of many digits.

    Parameters
    ----------
    digits : int
        Digits of the inner averages.
    bits : int
        Working precision; it must be in force while the numbers are used.
    """

    def __init__(self, digits, bits):
        self.digits, self.bits = digits, bits
        self.means = []

    def number(self, value):
        """An exact number as a ball."""
        return value if isinstance(value, arb) else ratio(Fraction(value))

    def sqrt(self, x):
        return x.sqrt()

    @cached_property
    def zero(self):
        return arb(0)

    def scalar_map(self, mapping, values, functions):
        """Evaluate a :class:`~asympkit.program.ScalarMap`, ``{output name: ball}``."""
        known = dict(values)
        means = grouped(mapping.preparation, functions, None, {}, self.digits + 2, self.bits)
        self.means = list(dict.fromkeys(means.values()))
        moments = {m: {key: row[0] for key, row in m.at_nodes(arb(1), 0).items()} for m in self.means}
        for s in mapping.preparation:
            if isinstance(s, Means):
                inner = means[id(s)]
                known.update(inner.columns(s, moments[inner], lambda e: ball_function(e)(known)))
            else:
                known[s.symbol] = ball_function(s.expr)(known)
        return {name: arb(ball_function(e)(known)) for name, e in mapping.outputs}
