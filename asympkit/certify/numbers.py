"""Exact inputs as balls, and the number system in which a theory's own formulas are read."""

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational

import numpy as np

from ..balls.backend import arb, ratio
from ..errors import AsympkitError, DomainError, ProofError
from ..nodes import remove_names
from ..program import Names, scalar_map
from ..program.passes import prune
from ..program.statements import Means, Sums, select_statements
from .enclose import enclose
from .forms import ball_function
from .inner import group_means, has_same_argument
from .outer import OuterSums
from .run import Run

__all__ = ["Balls", "exact_number", "exact_parameters"]

_READINGS = ("refuse", "decimal", "exact")
_LONGEST = 400          # an exact number is written out: a longer one would fill the memory


def exact_parameters(parameters, floats):
    """Convert parameters to exact numbers: Fractions, infinities; non-numbers are returned unchanged.

    Parameters
    ----------
    parameters : dict
    floats : {"refuse", "decimal", "exact"}
        How to take a float: raise an error, by its shortest decimal text, or by its binary value.

    Raises
    ------
    DomainError
        For a float with ``floats="refuse"``.
    """
    if floats not in _READINGS:
        raise DomainError(f"floats: got {floats!r}; expected 'refuse', 'decimal' or 'exact'")
    return {name: exact_number(name, value, floats) for name, value in parameters.items()}


def exact_number(name, value, floats):
    """Convert one value, or the rows of an array, as :func:`exact_parameters`."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.item() if value.ndim == 0 else value.tolist()
    if isinstance(value, list | tuple):
        return [tuple(exact_number(name, v, floats) for v in row) if isinstance(row, list | tuple)
                else exact_number(name, row, floats) for row in value]
    if isinstance(value, float) and np.isfinite(value):
        if floats == "refuse":
            raise DomainError(f"{name}: got the float {value!r}, which differs from its decimal text; give "
                              f"an int, a Fraction or a decimal string such as '{value!r}', or choose floats='decimal' "
                              "(its text) or floats='exact' (its binary value)")
        return Fraction(repr(value)) if floats == "decimal" else Fraction(value)
    if isinstance(value, str | Decimal):
        return exact_text(name, str(value).strip()) if isinstance(value, str) or value.is_finite() else float(value)
    if isinstance(value, Rational) and not isinstance(value, bool):
        return Fraction(int(value.numerator), int(value.denominator))
    if hasattr(value, "__float__") and not isinstance(value, bool | float):
        raise DomainError(f"{name}: got {value!r} of type {type(value).__name__}, which is rounded or no rational "
                          "number; give an int, a Fraction or a decimal string")
    return value


def exact_text(name, text):
    """Return the exact number of a text, or infinity; other texts unchanged, for the domain check to reject."""
    exponent = re.search(r"e([+-]?\d+)$", text, re.IGNORECASE)
    if len(text) > _LONGEST or exponent and abs(int(exponent[1])) > _LONGEST:
        raise DomainError(f"{name}: got {text[:20]}{'...' * (len(text) > 20)}; expected a number of at most {_LONGEST} "
                          f"characters, with an exponent of at most {_LONGEST}")
    if text.lstrip("+-").lower() in ("inf", "infinity"):
        return float(text)
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return text


class Balls:
    """The number system of certificates, as :class:`asympkit.numbers.digits.Digits` is the multiprecision one.

    Parameters
    ----------
    digits : int
        Digits of the inner averages.
    bits : int
        Working precision; it must be in force while the numbers are used.
    """

    #: whether a number stands for all that it contains
    encloses = True

    def __init__(self, digits, bits):
        self.digits, self.bits = digits, bits
        self.means, self.grids = [], []

    def number(self, value):
        """Convert an exact number to a ball."""
        if isinstance(value, arb):
            return value
        return arb(value) if isinstance(value, float) and np.isinf(value) else ratio(Fraction(value))

    def sqrt(self, x):
        return x.sqrt()

    def average(self, expr):
        """Enclose a closed average, without free symbols."""
        return enclose(expr, self.digits + 2).to_arb()

    def explicit(self, program, values, functions):
        """Solve a program of one explicit equation, at parameters by symbol."""
        statements, grids = tuple(prune(program.statements, set(program.unknowns))), {}
        for grid in {s.grid.name: s.grid for s in select_statements(Sums, statements)}.values():
            sums = OuterSums(grid, statements, functions, values, {}, self.digits + 2, self.bits)
            sums.choose([(s.locals, e) for s in select_statements(Sums, statements) for _, e, _ in s.sums], values)
            self.grids.append(sums)
            grids[grid.name] = sums
        return Run(grids, self.digits, (), {}).execute(statements, dict(values))[program.unknowns[0]]

    def scalar_map(self, mapping, values, functions):
        """Evaluate a :class:`~asympkit.program.ScalarMap`, ``{output name: ball}``."""
        value = self.prepared(mapping, values, functions)
        return {name: value(e) for name, e in mapping.outputs}

    def prepared(self, mapping, values, functions, given=None):
        """Enclose the means of a map and return its evaluator; named numbers in ``given`` are not computed."""
        known, given = dict(values), given or {}
        means, moments = {}, {}
        for s in mapping.preparation:
            if isinstance(s, Means):
                if id(s) not in means:          # the parts of its argument are known by now
                    alike = [m for m in mapping.preparation if isinstance(m, Means) and has_same_argument(m, s)]
                    means |= group_means(alike, functions, None, known, self.digits + 2, self.bits)
                    inner = means[id(s)]
                    moments[inner] = {key: row[0] for key, row in inner.at_nodes(arb(1), 0).items()}
                inner = means[id(s)]
                known.update(inner.columns(s, moments[inner], lambda e: ball_function(e)(known)))
            elif s.symbol.name in given:
                known[s.symbol] = self.number(given[s.symbol.name])
            else:
                known[s.symbol] = ball_function(s.expr)(known)
        self.means = list(dict.fromkeys([*self.means, *moments]))
        return lambda expr: arb(ball_function(expr)(known))

    def is_positive(self, expr, values, functions):
        """Return whether an expression in parameters and moments of activations is proved to be positive."""
        arguments = sorted((s for s in expr.free_symbols if s in values), key=str)
        try:
            mapping = scalar_map(arguments, {"value": remove_names(expr)}, Names(arguments))
            return bool(self.scalar_map(mapping, {s: values[s] for s in arguments}, functions)["value"] > 0)
        except (AsympkitError, ArithmeticError):        # no moments, or none with a proof
            return False

    def is_zero(self, x):
        """Return whether a ball is exactly 0.

        Raises
        ------
        ProofError
            If the ball holds 0 and other numbers.
        """
        if not self.is_doubtful(x):
            return bool(x.is_zero())
        raise ProofError("certify: a number is proved neither to vanish nor not to "
                         f"({x.str(3)}), and it decides which limit holds; ask for more digits, or move the parameters")

    def is_doubtful(self, x):
        """Return whether a ball holds 0 and other numbers."""
        return bool(x.contains(0) and not x.is_zero())
