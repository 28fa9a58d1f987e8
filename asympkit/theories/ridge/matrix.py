"""Hold a covariance matrix as it was given: floats for doubles, its exact spectrum for multiprecision and proofs."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from numbers import Rational

import numpy as np

from ...arguments.arrays import plain_numbers
from ...arguments.domains import check_value
from ...errors import DomainError, NotAvailableError

__all__ = ["GivenMatrix", "MatrixEntries", "as_given"]

#: the largest matrix whose exact spectrum is computed, in some ten seconds
LARGEST = 128


def as_given(name, values):
    """Convert to an array: floats as they are, text and other exact numbers as Fractions.

    Other entries are left for later checks.
    """
    if isinstance(values, str) or isinstance(values, np.ndarray) and values.dtype.kind not in "OUiu":
        return values
    try:
        found = plain_numbers(np.array(values, dtype=object))
    except ValueError:
        return values
    read = [_exact(name, v) for v in found.ravel().tolist()]
    out = np.empty(found.size, dtype=object)
    out[:] = read
    return out.reshape(found.shape)


def _exact(name, value):
    if isinstance(value, str):
        check_value(name, value, "real")
        return Fraction(value.strip())
    if isinstance(value, Rational) and not isinstance(value, bool):
        return Fraction(int(value.numerator), int(value.denominator))
    return value


class GivenMatrix:
    """Hold Omega and psi, entry by entry as they were given.

    Parameters
    ----------
    Omega, psi : ndarray
        Of floats, or of Fractions and floats.
    """

    def __init__(self, Omega, psi):
        #: the number of features
        self.size = len(psi)
        #: whether a float is among the entries
        self.has_floats = any(a.dtype.kind == "f" or any(isinstance(v, float) for v in a.flat) for a in (Omega, psi))
        # larger ones have no exact spectrum and are not stored
        self._given = (Omega.copy(), psi.copy()) if self.size <= LARGEST else None

    def exactly(self, floats):
        """Return rows and vector as Fractions; ``floats`` as in :meth:`~asympkit.Theory.certify`."""
        if self.has_floats and floats == "refuse":
            raise DomainError("Omega, psi: contain floats, whose binary values may differ from their texts; choose "
                              "floats='exact' (their binary values) or floats='decimal' (their shortest texts), or "
                              "give ints, Fractions or text such as '1/2'")

        def read(v):
            return Fraction(repr(v) if isinstance(v, float) and floats == "decimal" else v)

        rows, psi = (a.tolist() for a in self._given)
        return [[read(v) for v in row] for row in rows], [read(v) for v in psi]

    def spectrum(self, floats):
        """Return the :class:`~asympkit.balls.matrix_spectrum.MatrixSpectrum`.

        Raises
        ------
        DomainError
            Beyond 128 features, or if the exact entries are not a covariance.
        NotAvailableError
            If python-flint is not installed.
        """
        if self.size > LARGEST:
            raise DomainError(f"Omega: has {self.size} rows, and exact spectra are computed up to {LARGEST}; expected "
                              "a smaller matrix, or (eigenvalues, multiplicities), such as those of "
                              "numpy.linalg.eigh, which are the data then")
        rows, psi = self.exactly(floats)
        from ...balls.matrix_spectrum import matrix_spectrum

        return matrix_spectrum(rows, psi)

    def fingerprint(self, floats):
        """Return a hash that identifies the entries."""
        rows, psi = self.exactly(floats)
        lines = "\n".join(f"{v.numerator}/{v.denominator}" for row in (*rows, psi) for v in row)
        return hashlib.sha256(lines.encode()).hexdigest()


class MatrixEntries:
    """Hold one of the arrays that the theorem averages over, as a function of a matrix.

    Parameters
    ----------
    doubles : ndarray
        The entries that numpy computes.
    kind : str
        "eigenvalues", "weights" or "alignment".
    given : GivenMatrix
    """

    def __init__(self, doubles, kind, given):
        self._doubles, self._kind, self._given = np.asarray(doubles, float), kind, given

    def __len__(self):
        return len(self._doubles)

    def __array__(self, dtype=None, copy=None):
        return np.array(self._doubles, dtype=dtype)

    def __iter__(self):
        return iter(self._doubles)

    def at_digits(self, numbers):
        """Return multiprecision entries of the matrix, with floats read by their shortest texts.

        If a matrix of floats has no exact spectrum (too large, indefinite by rounding, no python-flint), return the
        entries
        that numpy computes.
        """
        try:
            found = EnclosedEntries(self._kind, self._given, "decimal")
            balls = found.balls(numbers.mp.prec + 8)
        except (DomainError, NotAvailableError):
            if not self._given.has_floats:
                raise
            return [numbers.number(v) for v in self._doubles]
        from ...balls.ball import Ball

        return [numbers.mp.mpf(Ball.from_arb(b).mid) for b in balls]

    def enclosed(self, floats):
        """Return the entries for a proof."""
        return EnclosedEntries(self._kind, self._given, floats)


class EnclosedEntries:
    """Hold the entries as balls: one for each distinct eigenvalue.

    Parameters
    ----------
    kind, given
        As for :class:`MatrixEntries`.
    floats : {"refuse", "decimal", "exact"}
    """

    def __init__(self, kind, given, floats):
        self._kind, self._given, self._floats = kind, given, floats
        self._spectrum = given.spectrum(floats)

    def __len__(self):
        return self._spectrum.count

    def __array__(self, dtype=None, copy=None):
        return np.array([float(b.mid()) for b in self.balls(60)], dtype=dtype)

    def balls(self, bits):
        """Return enclosures to a relative accuracy of so many bits."""
        from ...balls.backend import ratio, workprec

        count, size = len(self), self._spectrum.size
        spaces = self._spectrum.eigenspaces(bits)
        with workprec(bits + 8):
            if self._kind == "weights":
                return [ratio(Fraction(space.multiplicity * count, size)) for space in spaces]
            return [space.eigenvalue if self._kind == "eigenvalues" else count * space.square for space in spaces]

    def __str__(self):
        read_as = {"refuse": "", "exact": ", binary values of floats", "decimal": ", shortest texts of floats"}
        said = read_as[self._floats] if self._given.has_floats else ""
        return (f"{self._kind} of a matrix of {self._spectrum.size} rows with {len(self)} distinct eigenvalues, "
                f"enclosed from its characteristic polynomial{said}; sha256 of the fractions of Omega and psi, one a "
                f"line, {self._given.fingerprint(self._floats)}")
