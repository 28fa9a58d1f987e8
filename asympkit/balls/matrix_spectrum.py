r"""Proved spectra of rational symmetric matrices: roots of the characteristic polynomial, which is exact.

A vector's squared part in the eigenspace of e is the residue of :math:`v^\top(x-\Omega)^{-1}v=N(x)/c(x)`,
:math:`N(e)/c'(e)`, c the product of :math:`x-e` over distinct eigenvalues and N the polynomial part of
:math:`c(x)\sum_kx^{-k-1}\,v^\top\Omega^kv`.  Common factors of N and c are found exactly, so that multiple eigenvalues
and parts that vanish cost nothing.
"""

from functools import lru_cache
from math import lcm
from typing import NamedTuple

from ..errors import DomainError
from .backend import arb, arb_poly, fmpz_mat, fmpz_poly, workprec

_GUARD = 64
#: fewer bits cost as much
_LEAST = 256


class Eigenspace(NamedTuple):
    """One eigenvalue (a ball), its multiplicity, and the squared length of the vector's part there (a ball)."""

    eigenvalue: arb
    multiplicity: int
    square: arb


def matrix_spectrum(rows, vector):
    """Return the :class:`MatrixSpectrum` of a covariance, in rows of Fractions, and a vector in its range.

    A matrix that is not exactly symmetric and positive semi-definite, or a vector beyond its range, raise DomainError.
    """
    for i, row in enumerate(rows):
        for j in range(i):
            if row[j] != rows[j][i]:
                raise DomainError(f"Omega: its entries ({j + 1}, {i + 1}) and ({i + 1}, {j + 1}) are "
                                  f"{float(rows[j][i])!r} and {float(row[j])!r}, and differ; expected a matrix that is "
                                  "exactly symmetric, such as (Omega + Omega.T)/2")
    return _spectrum(*_integers(tuple(e for row in rows for e in row)), *_integers(tuple(vector)))


def _integers(entries):
    """Return integers and their common denominator."""
    below = lcm(*(e.denominator for e in entries))
    return tuple(int(e * below) for e in entries), below


@lru_cache(maxsize=8)
def _spectrum(entries, below, vector, vector_below):
    return MatrixSpectrum(fmpz_mat(len(vector), len(vector), list(entries)), below, list(vector), vector_below)


class MatrixSpectrum:
    """Distinct eigenvalues of an integer matrix of ``size`` rows over a denominator, to any accuracy."""

    def __init__(self, matrix, below, vector, vector_below):
        self.size, self._below, self._square_below = len(vector), below, vector_below**2
        whole = matrix.charpoly()
        # all roots are real: none is negative if and only if signs alternate
        if any(c * (-1)**(self.size - k) < 0 for k, c in enumerate(whole.coeffs())):
            with workprec(_GUARD):
                least = min((root.real for root, _ in whole.complex_roots()), key=float) / below
            raise DomainError(f"Omega: it has the eigenvalue {least.str(3, radius=False)}; expected a covariance, "
                              "whose eigenvalues are not negative; a matrix of low rank that was computed in floats "
                              "has such: give exact entries, or (eigenvalues, multiplicities)")
        _, factors = whole.factor_squarefree()
        distinct = fmpz_poly([1])
        for factor, _ in factors:
            distinct *= factor
        self._residue, self._slope = _numerator(distinct, matrix, vector), distinct.derivative()
        if distinct[0] == 0 and self._residue[0] != 0:
            raise DomainError("psi: has a component along a direction in which Omega vanishes; expected "
                              "psi = E[phi f], which is zero wherever the features phi have no variance")
        # (polynomial, multiplicity, whether the vector has a part there)
        self._parts = []
        for factor, count in factors:
            empty = factor.gcd(self._residue)
            self._parts += [(p, count, seen) for p, seen in ((empty, False), (factor // empty, True)) if p.degree() > 0]
        self._last = 0, []

    @property
    def count(self):
        """Number of distinct eigenvalues."""
        return sum(p.degree() for p, _, _ in self._parts)

    def eigenspaces(self, bits):
        """Return all :class:`Eigenspace`, the largest first, to a relative accuracy of so many bits."""
        if self._last[0] < bits:
            bits = max(bits, _LEAST)
            self._last = bits, self._enclosed(bits)
        return self._last[1]

    def _enclosed(self, bits):
        working = bits + _GUARD
        while True:
            with workprec(working):
                residue, slope = arb_poly(self._residue), arb_poly(self._slope)
                found = [Eigenspace(root.real / self._below, count, residue(root.real) / slope(root.real)
                                    / self._square_below if seen else arb(0))
                         for p, count, seen in self._parts for root, _ in p.complex_roots()]
                if all(x.is_finite() and x.rad() <= abs(x).lower() * arb(2)**-bits
                       for space in found for x in (space.eigenvalue, space.square)):
                    return sorted(found, key=lambda space: -space.eigenvalue.mid())
            working *= 2

def _numerator(distinct, matrix, vector):
    """Compute the polynomial N for the product of the distinct linear factors."""
    size, column, moments = distinct.degree(), fmpz_mat(len(vector), 1, vector), []
    start = column.transpose()
    for _ in range(size):
        moments.append((start * column)[0, 0])
        column = matrix * column
    return fmpz_poly((distinct * fmpz_poly(moments[::-1])).coeffs()[size:])
