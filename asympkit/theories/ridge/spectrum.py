"""Read a covariance: its eigenvalues, their multiplicities, and the components of the target."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ...arguments.arrays import check_array, plain_numbers
from ...arguments.domains import shown
from ...errors import AssumptionWarning, DomainError
from ...spectra.matrices import check_covariance, compress_operator
from .matrix import GivenMatrix, as_given

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["Spectrum", "read_spectrum"]

#: eigenvalues above minus this part of the largest are zeros, negative by rounding
_ROUNDING = 1e-10


@dataclass(frozen=True)
class Spectrum:
    """Hold a covariance as the theorem needs it.

    Attributes
    ----------
    size : int
        Number of features p.
    eigenvalues : sequence
        The distinct ones, or all.
    weights : sequence
        Multiplicities over p, times the number of entries: their mean is 1.
    alignment : sequence
        Squared covariance of target and features in each eigenspace, times the number of entries.
    statistical_error : float
        Relative standard error of its traces if random vectors estimated them; else 0.
    matrix : GivenMatrix, optional
        The matrix from which the numbers were computed in doubles; None if they are exact, or are the data.
    """

    size: float
    eigenvalues: Sequence[Any]
    weights: Sequence[Any]
    alignment: Sequence[Any]
    statistical_error: float = 0.0
    matrix: GivenMatrix | None = None

    @property
    def explained(self) -> float:
        """Return the part of the target that a linear function of the features explains: psi Omega^-1 psi."""
        D, T = (np.asarray(x, dtype=float) for x in (self.eigenvalues, self.alignment))
        return float(np.mean(np.divide(T, D, out=np.zeros_like(T), where=D > 0)))


def read_spectrum(Omega: Any, psi: Any) -> Spectrum:
    """Return the spectrum of a matrix, a pair (eigenvalues, multiplicities), or a linear operator.

    Raises
    ------
    DomainError
        For invalid entries or shapes.
    """
    if isinstance(Omega, tuple):
        return _of_pair(Omega, psi)
    if hasattr(Omega, "__matmul__") and not hasattr(Omega, "__array__"):
        nodes = compress_operator(Omega, _vector(psi, Omega.shape[0]))
        if nodes.statistical_error:
            warnings.warn(f"Omega: the traces of an operator of {nodes.size} features were estimated with random "
                          f"vectors, to {nodes.statistical_error:.1g} (relative, one standard error), whatever the "
                          "residual of a solution says; expected a matrix, or its eigenvalues, where that is not "
                          "enough", AssumptionWarning, stacklevel=4)
        return _checked(Spectrum(nodes.size, nodes.D, nodes.weights, nodes.T, nodes.statistical_error))
    return _of_matrix(Omega, psi)


def _of_pair(pair, psi):
    if len(pair) != 2:
        raise DomainError(f"Omega: got a tuple of {len(pair)}; expected (eigenvalues, multiplicities), or a matrix")
    rows = [_exact(name, values) for name, values in zip(("eigenvalues", "multiplicities", "psi"), (*pair, psi))]
    eigenvalues, multiplicities, norms = rows
    for name, row in (("multiplicities", multiplicities), ("psi", norms)):
        if len(row) != len(eigenvalues):
            raise DomainError(f"{name}: got {len(row)} numbers for {len(eigenvalues)} eigenvalues; expected one for "
                              f"each{'; the norm of the component in each eigenspace' * (name == 'psi')}")
    for k, m in enumerate(multiplicities):
        if not m > 0:
            raise DomainError(f"multiplicities: got {m} for eigenvalue {k + 1}; expected positive numbers, which sum "
                              "to the number of features")
    size, k = sum(multiplicities), len(eigenvalues)
    return _checked(Spectrum(size, eigenvalues, [m * k / Fraction(size) for m in multiplicities],
                             [k * n * n for n in norms]))


def _exact(name, values):
    """Return numbers as Fractions, floats by their shortest text."""
    given = np.ravel(np.asarray(plain_numbers(values), dtype=object)).tolist()
    try:
        found = [Fraction(repr(v)) if isinstance(v, float) else Fraction(v) for v in given]
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        raise DomainError(f"{name}: got {shown(values)}; expected a list of finite numbers: int, float, Fraction or "
                          "text such as '1/2'") from error
    if not found:
        raise DomainError(f"{name}: got an empty list; expected at least one number")
    return found


def _of_matrix(Omega, psi):
    Omega, given = as_given("Omega", Omega), as_given("psi", psi)
    matrix = check_covariance("Omega", Omega)
    psi = _vector(given, len(matrix))
    eigenvalues, vectors = np.linalg.eigh(matrix)
    least, most = float(eigenvalues[0]), float(eigenvalues[-1])
    if least < -_ROUNDING * max(most, 0.0) or not most > 0:
        raise DomainError(f"Omega: its eigenvalues go from {least:.3g} to {most:.3g}; expected a covariance, whose "
                          "eigenvalues are not negative")
    eigenvalues = np.where(eigenvalues < _ROUNDING * most * 1e-3, 0.0, eigenvalues)
    return _checked(Spectrum(len(matrix), eigenvalues, np.ones(len(matrix)), len(matrix) * (vectors.T @ psi)**2,
                             matrix=GivenMatrix(np.asarray(Omega), np.asarray(given))))


def _vector(psi, size):
    vector = check_array("psi", psi)
    if vector.shape != (size,):
        raise DomainError(f"psi: got {vector.size} numbers; expected {size}, one for each row of Omega: the "
                          "covariances of the features with the target")
    return vector


def _checked(spectrum):
    """Return the spectrum, or raise if the target has a component where the features have no variance."""
    for D, T in zip(spectrum.eigenvalues, spectrum.alignment):
        if D < 0:
            raise DomainError(f"eigenvalues: got {float(D):g}; expected those of a covariance, which are not negative")
        if D == 0 and 1e-16 * float(max(spectrum.alignment)) < T:
            raise DomainError("psi: has a component along a direction in which Omega vanishes; expected "
                              "psi = E[phi f], which is zero wherever the features phi have no variance (of a target "
                              "f = theta @ phi it is psi = Omega @ theta, not theta)")
    if not any(D > 0 for D in spectrum.eigenvalues):
        raise DomainError("Omega: vanishes; expected a covariance with at least one positive eigenvalue")
    return spectrum
