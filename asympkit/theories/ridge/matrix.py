"""Hold a covariance matrix as it was given: floats for doubles, its exact spectrum for multiprecision and proofs.

Read a covariance: its eigenvalues, their multiplicities, and the components of the target.
"""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import TYPE_CHECKING

import numpy as np

from ...arguments import check_array, check_value, plain_numbers, quote
from ...balls.ball import Ball
from ...errors import AssumptionWarning, DomainError, NotAvailableError
from ...notation import add_title, table
from ...once import Deferred
from ...spectra.compression import MANY, check_covariance, compress_operator

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_backend, _proved = Deferred("asympkit.balls.backend"), Deferred("asympkit.balls.matrix_spectrum")


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
    """Hold Omega and psi entry by entry as they were given: arrays of floats, or of Fractions and floats."""

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

        DomainError beyond 128 features, or if the exact entries are not a covariance.
        """
        if self.size > LARGEST:
            raise DomainError(f"Omega: has {self.size} rows, and exact spectra are computed up to {LARGEST}; expected "
                              "a smaller matrix, or (eigenvalues, multiplicities), such as those of "
                              "numpy.linalg.eigh, which are the data then")
        rows, psi = self.exactly(floats)
        return _proved.matrix_spectrum(rows, psi)

    def fingerprint(self, floats):
        """Return a hash that identifies the entries."""
        rows, psi = self.exactly(floats)
        lines = "\n".join(f"{v.numerator}/{v.denominator}" for row in (*rows, psi) for v in row)
        return hashlib.sha256(lines.encode()).hexdigest()


class MatrixEntries:
    """Hold one of the arrays that the theorem averages over, as a function of a matrix.

    ``kind`` is "eigenvalues", "weights" or "alignment".
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
        entries that numpy computes.
        """
        try:
            found = EnclosedEntries(self._kind, self._given, "decimal")
            balls = found.balls(numbers.mp.prec + 8)
        except (DomainError, NotAvailableError):
            if not self._given.has_floats:
                raise
            return [numbers.number(v) for v in self._doubles]
        return [numbers.mp.mpf(Ball.from_arb(b).mid) for b in balls]

    def enclosed(self, floats):
        """Return the entries for a proof."""
        return EnclosedEntries(self._kind, self._given, floats)


class EnclosedEntries:
    """Hold the entries of :class:`MatrixEntries` as balls: one for each distinct eigenvalue."""

    def __init__(self, kind, given, floats):
        self._kind, self._given, self._floats = kind, given, floats
        self._spectrum = given.spectrum(floats)

    def __len__(self):
        return self._spectrum.count

    def __array__(self, dtype=None, copy=None):
        return np.array([float(b.mid()) for b in self.balls(60)], dtype=dtype)

    def balls(self, bits):
        """Return enclosures to a relative accuracy of so many bits."""
        count, size = len(self), self._spectrum.size
        spaces = self._spectrum.eigenspaces(bits)
        with _backend.workprec(bits + 8):
            if self._kind == "weights":
                return [_backend.ratio(Fraction(space.multiplicity * count, size)) for space in spaces]
            return [space.eigenvalue if self._kind == "eigenvalues" else count * space.square for space in spaces]

    def __str__(self):
        read_as = {"refuse": "", "exact": ", binary values of floats", "decimal": ", shortest texts of floats"}
        text = read_as[self._floats] if self._given.has_floats else ""
        return (f"{self._kind} of a matrix of {self._spectrum.size} rows with {len(self)} distinct eigenvalues, "
                f"enclosed from its characteristic polynomial{text}; sha256 of the fractions of Omega and psi, one a "
                f"line, {self._given.fingerprint(self._floats)}")


#: eigenvalues above minus this part of the largest are zeros, negative by rounding
_ROUNDING = 1e-10


@dataclass(frozen=True, repr=False)
class CovarianceSpectrum:
    """Hold a covariance of ``size`` features as the theorem needs it.

    ``eigenvalues`` are the distinct ones, or all.  ``weights`` are multiplicities over p times the number of entries,
    so that their mean is 1; ``alignment`` is the squared covariance of target and features in each eigenspace, times
    the number of entries.  ``statistical_error`` is the relative standard error of the traces if random vectors
    estimated them, else 0; ``matrix`` that from which the numbers were computed in doubles, None if they are exact, or
    are the data; ``pair`` the many given floats that are read by their texts where exact numbers are needed.
    """

    size: float
    eigenvalues: Sequence[Any]
    weights: Sequence[Any]
    alignment: Sequence[Any]
    statistical_error: float = 0.0
    matrix: GivenMatrix | None = None
    pair: tuple[Any, Any, Any] | None = None

    def _summary(self):
        """Return titles and numbers that describe the covariance."""
        D = np.asarray(self.eigenvalues, dtype=float)
        shown = {"features": f"{float(self.size):.6g}", "eigenvalues": str(D.size), "from": f"{D.min():.6g}",
                 "to": f"{D.max():.6g}", "psi Omega^-1 psi": f"{self.explained:.6g}"}
        return shown | ({"traces to": f"{self.statistical_error:.1e}"} if self.statistical_error else {})

    def __repr__(self) -> str:
        s = self._summary()
        return (f"<CovarianceSpectrum of {s['features']} features, {s['eigenvalues']} eigenvalues from {s['from']} to "
                f"{s['to']}, psi Omega^-1 psi {s['psi Omega^-1 psi']}>")

    def _repr_html_(self) -> str:
        return add_title("CovarianceSpectrum", table(self._summary().items()))

    @property
    def exact(self) -> CovarianceSpectrum:
        """Return the spectrum whose numbers are Fractions where they were given so, or as a pair."""
        return self if self.pair is None else _of_pair(*self.pair, most=len(self.eigenvalues))

    @property
    def explained(self) -> float:
        """Return the part of the target that a linear function of the features explains: psi Omega^-1 psi."""
        D, T = (np.asarray(x, dtype=float) for x in (self.eigenvalues, self.alignment))
        return float(np.mean(np.divide(T, D, out=np.zeros_like(T), where=D > 0)))


def read_spectrum(Omega: Any, psi: Any) -> CovarianceSpectrum:
    """Return the spectrum of a matrix, a pair (eigenvalues, multiplicities), or a linear operator."""
    if isinstance(Omega, tuple):
        if len(Omega) != 2:
            raise DomainError(f"Omega: got a tuple of {len(Omega)}; expected (eigenvalues, multiplicities), or a "
                              "matrix")
        return _of_pair(*Omega, psi)
    if hasattr(Omega, "__matmul__") and not hasattr(Omega, "__array__"):
        nodes = compress_operator(Omega, _vector(psi, Omega.shape[0]))
        if nodes.statistical_error:
            warnings.warn(f"Omega: the traces of an operator of {nodes.size} features were estimated with random "
                          f"vectors, to {nodes.statistical_error:.1g} (relative, one standard error), whatever the "
                          "residual of a solution says; expected a matrix, or its eigenvalues, where that is not "
                          "enough", AssumptionWarning, stacklevel=4)
        return _checked(CovarianceSpectrum(nodes.size, nodes.D, nodes.weights, nodes.T, nodes.statistical_error))
    return _of_matrix(Omega, psi)


def _of_pair(eigenvalues, multiplicities, psi, most=MANY):
    """Return the spectrum of a pair: in Fractions, or in floats where there are more than ``most`` of these."""
    given, names = (eigenvalues, multiplicities, psi), ("eigenvalues", "multiplicities", "psi")
    rows = [_many_floats(name, values, most) for name, values in zip(names, given)]
    is_exact = any(row is None for row in rows)
    if is_exact:
        rows = [_fractions(name, values) for name, values in zip(names, given)]
    count = len(rows[0])
    for name, row in zip(names[1:], rows[1:]):
        if len(row) != count:
            raise DomainError(f"{name}: got {len(row)} numbers for {count} eigenvalues; expected one for each"
                              f"{'; the norm of the component in each eigenspace' * (name == 'psi')}")
    D, m, norms = (np.array(row, dtype=object if is_exact else float) for row in rows)
    if not (m > 0).all():
        k = int(np.argmin(m > 0))
        raise DomainError(f"multiplicities: got {m[k]} for eigenvalue {k + 1}; expected positive numbers, which sum "
                          "to the number of features")
    size = m.sum()
    pair = None if is_exact else tuple(np.array(row) for row in given)
    return _checked(CovarianceSpectrum(size, D, m * count / size, count * norms**2, pair=pair))


def _many_floats(name, values, most):
    """Return an array of floats if there are more of them than ``most``, else None."""
    array = np.ravel(np.asarray(values)) if not isinstance(values, str) else np.empty(0)
    if array.size <= most or array.dtype.kind not in "fiu":
        return None
    if not np.isfinite(array).all():
        raise DomainError(f"{name}: {np.count_nonzero(~np.isfinite(array))} of {array.size} numbers are not finite; "
                          "expected finite numbers")
    return array.astype(float)


def _fractions(name, values):
    """Return numbers as Fractions, floats by their shortest text."""
    given = np.ravel(np.asarray(plain_numbers(values), dtype=object)).tolist()
    try:
        found = [Fraction(repr(v)) if isinstance(v, float) else Fraction(v) for v in given]
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        raise DomainError(f"{name}: got {quote(values)}; expected a list of finite numbers: int, float, Fraction or "
                          "text such as '1/2'") from error
    if not found:
        raise DomainError(f"{name}: got an empty list; expected at least one number")
    return found


def _of_matrix(Omega, psi):
    Omega, given = as_given("Omega", Omega), as_given("psi", psi)
    matrix = check_covariance("Omega", Omega)
    psi = _vector(given, len(matrix))
    eigenvalues, vectors = np.linalg.eigh(matrix)
    along = vectors.T @ psi
    if len(matrix) <= LARGEST:
        eigenvalues, along = _refined(Omega, given, vectors)
    least, most = float(eigenvalues[0]), float(eigenvalues[-1])
    if least < -_ROUNDING * max(most, 0.0) or not most > 0:
        raise DomainError(f"Omega: its eigenvalues go from {least:.3g} to {most:.3g}; expected a covariance, whose "
                          "eigenvalues are not negative")
    eigenvalues = np.where(eigenvalues < _ROUNDING * most * 1e-3, 0.0, eigenvalues)
    projections = len(matrix) * along**2
    return _checked(CovarianceSpectrum(len(matrix), eigenvalues, np.ones(len(matrix)), projections,
                                       matrix=GivenMatrix(np.asarray(Omega), np.asarray(given))))


def _refined(Omega, psi, vectors):
    """Return eigenvalues, and components of psi, from approximate eigenvectors, with the digits of long doubles.

    Doubles leave eigenvalues the rounding of the largest, of which all digits of small ones may consist.  Floats are
    read by their shortest texts, as in multiprecision.  Two steps of Ogita and Aishima, arXiv 1810.10178.
    """
    A, b, X = _long(Omega), _long(psi), vectors.astype(np.longdouble)
    A = (A + A.T) / 2
    for _ in range(2):
        missing, seen = np.eye(len(A)) - X.T @ X, X.T @ A @ X
        D = np.diag(seen) / (1 - np.diag(missing))
        gap, noise = D - D[:, None], 2 * (np.linalg.norm(seen - np.diag(D)) + np.linalg.norm(missing) * abs(D).max())
        is_apart = abs(gap) > noise
        X = X + X @ np.where(is_apart, (seen + D * missing) / np.where(is_apart, gap, 1), missing / 2)
    order = np.argsort(D)
    return D[order].astype(float), (X.T @ b)[order].astype(float)


def _long(values):
    """Return long doubles, floats read by their shortest texts."""
    exact = [Fraction(repr(v) if isinstance(v, float) else v) for v in np.asarray(values).ravel().tolist()]
    rough = np.array([float(v) for v in exact], dtype=np.longdouble)
    rest = [float(v - Fraction(float(v))) for v in exact]
    return (rough + np.array(rest)).reshape(np.shape(values))


def _vector(psi, size):
    vector = check_array("psi", psi)
    if vector.shape != (size,):
        raise DomainError(f"psi: got {vector.size} numbers; expected {size}, one for each row of Omega: the "
                          "covariances of the features with the target")
    return vector


def _checked(spectrum):
    """Return the spectrum, or raise if the target has a component where the features have no variance."""
    D, T = np.asarray(spectrum.eigenvalues), np.asarray(spectrum.alignment)
    if (D < 0).any():
        raise DomainError(f"eigenvalues: got {float(D[D < 0][0]):g}; expected those of a covariance, which are not "
                          "negative")
    if ((D == 0) & (1e-16 * float(T.max()) < T)).any():
        raise DomainError("psi: has a component along a direction in which Omega vanishes; expected "
                          "psi = E[phi f], which is zero wherever the features phi have no variance (of a target "
                          "f = theta @ phi it is psi = Omega @ theta, not theta)")
    if not (D > 0).any():
        raise DomainError("Omega: vanishes; expected a covariance with at least one positive eigenvalue")
    return spectrum
