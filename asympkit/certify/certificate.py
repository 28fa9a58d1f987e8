"""The record of a proof: its claim, its hypotheses and the library versions.

Sums over given arrays (eigenvalues): finite sums of exact numbers.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..arguments import check_one_dimension, check_path
from ..balls.backend import arb, ctx, ratio
from ..errors import DomainError
from .forms import at_nodes, ball_function
from .run import exact_number

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal

__all__ = ["Certificate", "Entries", "GivenSums", "exact_arrays"]


@dataclass(frozen=True)
class Certificate:
    """The record of a proof by :meth:`certify`.

    Attributes
    ----------
    claim : str
        The statement that is proved.
    theory : str
    functions : dict
        The activations, ``{label: text}``.
    parameters : dict
        Exact values, as text, defaults included; balls of derived ones.
    digits, working_digits, bits : int
        Requested; used for the averages; precision of the balls.
    roots : tuple of str
        The proof of each non-linear block.
    hypotheses : tuple of str
        Growth of the activations, heights of analyticity, regions without zeros: all proved by ball
        arithmetic during this run, stated so that a reader can check them.
    assumptions : tuple of str
        Assumptions of the theory that do not hold; the equations are solved all the same.
    enclosures : dict
        ``{name: text of the ball}``.
    versions : dict
    uniqueness : {"global", "local", "open"}
        The solution is the only one with positive unknowns (or the equations are linear); the only one in the box that
        the proof names; or others in that box are not excluded.
    """

    claim: str
    theory: str
    functions: dict[str, str]
    parameters: dict[str, str]
    digits: int
    working_digits: int
    bits: int
    roots: tuple[str, ...]
    hypotheses: tuple[str, ...]
    assumptions: tuple[str, ...]
    enclosures: dict[str, str]
    versions: dict[str, str]
    uniqueness: Literal["global", "local", "open"] = "local"

    def __repr__(self) -> str:
        return (f"<Certificate of {self.theory}: {len(self.enclosures)} balls, {self.digits} digits, {self.uniqueness} "
                "uniqueness; str() shows all of it>")

    def __str__(self) -> str:
        lines = [f"certificate: {self.theory}", self.claim, ""]
        lines += [f"{k} = {v}" for k, v in (*self.functions.items(), *self.parameters.items())]
        lines += ["", f"{self.digits} digits requested, averages with {self.working_digits} digits, {self.bits} bits"]
        for title, rows in (("roots", self.roots), ("hypotheses, proved in this run", self.hypotheses),
                            ("assumptions of the theory that do not hold", self.assumptions)):
            if rows:
                lines += ["", f"{title}:", *(f"  {row}" for row in rows)]
        width = max(map(len, self.enclosures))
        lines += ["", "enclosures:", *(f"  {k:<{width}}  {v}" for k, v in self.enclosures.items())]
        lines += ["", ", ".join(f"{k} {v}" for k, v in self.versions.items())]
        return "\n".join(lines)

    def save(self, path: str | Path) -> Path:
        """Write the record as JSON.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Path

        Raises
        ------
        DomainError
            If there is no such folder.
        """
        path = check_path("path", path)
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        return path


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
    is_short = floats == "decimal" and isinstance(value, np.floating)       # single precision has a text of its own
    found = exact_number(name, str(value) if is_short else value, floats)
    if not isinstance(found, Fraction):
        raise DomainError(f"{name}: got {value!r} in the array; expected finite numbers")
    return found


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
        return {symbol: arb(sum(row, arb(0)) / self.nodes if isinstance(row, np.ndarray) else row)
                for symbol, row in at_nodes(statement, self.values, values)}

    def describe(self):
        """Return one sentence on the sums."""
        return f"means over {self.names}: sums of {self.nodes} {self.kind} numbers, nothing left out"


def _balls(array):
    return [ratio(v) for v in array] if isinstance(array, Entries) else array.balls(ctx.prec)
