"""Sums over given arrays (eigenvalues): finite sums of exact numbers."""

import hashlib
from fractions import Fraction

import numpy as np

from ..arguments.arrays import check_one_dimension
from ..balls.backend import arb, ctx, ratio
from ..errors import DomainError
from .forms import ball_function
from .numbers import exact_text

__all__ = ["Entries", "GivenSums", "exact_arrays"]


class Entries(tuple):
    """The entries of an array as exact numbers; the text of a long one is its size, range and fingerprint."""

    reading = ""

    def __str__(self):
        if len(self) <= 4:
            return ", ".join(map(str, self)) + self.reading
        code = hashlib.sha256("\n".join(f"{v.numerator}/{v.denominator}" for v in self).encode()).hexdigest()
        return (f"{len(self)} numbers from {float(min(self)):.6g} to {float(max(self)):.6g}{self.reading}, sha256 of "
                f"the fractions, one a line, {code}")


def exact_arrays(parameters, names, floats):
    """Convert arrays to :class:`Entries`.

    Parameters
    ----------
    parameters : dict
    names : sequence of str
        Names of those that are arrays: lists or numpy arrays of ints, Fractions, decimal texts or floats; or objects
        with enclosures of their own (``enclosed(floats)``, with ``balls(bits)``).
    floats : {"refuse", "decimal", "exact"}
        As for numbers.  A computed spectrum is given with ``"exact"``: its floats are the data.

    Raises
    ------
    DomainError
        For floats with ``floats="refuse"``.
    """
    given = {name: parameters[name] for name in names if name in parameters}
    return {name: value.enclosed(floats) if hasattr(value, "enclosed") else _entries(name, value, floats)
            for name, value in given.items()}


def _entries(name, value, floats):
    check_one_dimension(name, value)
    rows = np.ravel(np.asarray(value, dtype=None if isinstance(value, np.ndarray) else object))
    if floats == "refuse" and any(isinstance(v, float | np.floating) for v in rows):
        raise DomainError(f"{name}: got an array of floats, which may differ from their decimal texts; choose "
                          "floats='exact' (their binary values: the spectrum as it was computed) or floats='decimal' "
                          "(their shortest texts), or give ints, Fractions or decimal strings")
    entries = Entries(_exact(name, v, floats) for v in rows)
    if any(isinstance(v, float | np.floating) for v in rows):
        entries.reading = ", binary values of floats" if floats == "exact" else ", shortest texts of floats"
    return entries


def _exact(name, value, floats):
    try:
        if isinstance(value, float | np.floating):
            return Fraction(str(value)) if floats == "decimal" else Fraction(*map(int, value.as_integer_ratio()))
        if isinstance(value, str):
            value = exact_text(name, value.strip())
        return Fraction(int(value)) if isinstance(value, np.integer) else Fraction(value)
    except (ValueError, OverflowError, TypeError, ZeroDivisionError):
        raise DomainError(f"{name}: got {value!r} in the array; expected finite numbers") from None


class GivenSums:
    """Means over the entries of given arrays.

    Parameters
    ----------
    grid : Grid
    parameters : dict
        Holds the arrays by name, their entries exact or enclosed.
    """

    def __init__(self, grid, parameters):
        arrays = {s: parameters[name] for s, name in zip(grid.bound, grid.arrays)}
        columns = {s: np.array(_balls(a), dtype=object) for s, a in arrays.items()}
        self.kind = "exact" if all(isinstance(a, Entries) for a in arrays.values()) else "enclosed"
        self.names = ", ".join(grid.arrays)
        self.values = {symbol: ball_function(expr)(columns) for expr, symbol in grid.columns.items()}
        self.nodes = len(next(iter(columns.values())))

    def sums(self, statement, values):
        """Enclose the sums of a statement, ``{symbol: ball}``."""
        inside = {**values, **self.values}
        for symbol, expr in statement.locals:
            inside[symbol] = ball_function(expr)(inside)
        out = {}
        for symbol, integrand, _ in statement.sums:
            row = ball_function(integrand)(inside)
            out[symbol] = arb(sum(row, arb(0)) / self.nodes if isinstance(row, np.ndarray) else row)
        return out

    def describe(self):
        """Return one sentence on the sums."""
        return f"means over {self.names}: sums of {self.nodes} {self.kind} numbers, nothing left out"


def _balls(array):
    return [ratio(v) for v in array] if isinstance(array, Entries) else array.balls(ctx.prec)
