"""The interface that a spectral law implements for :func:`asympkit.mean`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..nodes.average import Average, Measure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Self

    from sympy import Expr, Symbol

__all__ = ["SpectralLaw"]


class SpectralLaw(Measure):
    """A law of eigenvalues given by its parameters: its means need no arrays.

    A law is one class, with its variables (``bound_symbols``; the eigenvalue first, then companions) and one or both of
    two methods for means, from which everything else follows (derivatives, solvers, sweeps, multiprecision, balls,
    exported modules).

    * :meth:`close` returns a mean as an expression in listed functions, where there is one.
    * :meth:`resolved` returns it as an expression in averages for which there are rules: over normals
      (:func:`asympkit.E`), over given eigenvalues, over an :class:`~asympkit.spectra.Angle`, or over other laws.

    ``conditions`` are expressions that are positive where the law is one. A law whose parameters are its sympy ``args``
    needs nothing else.
    """

    def close(self, integrand: Expr) -> Expr | None:
        """Return the mean of an integrand in closed form, or None where none is known."""
        return

    def resolved(self, integrand: Expr) -> Expr | None:
        """Return the mean of an integrand in averages for which there are rules, or None where there is none."""
        return

    def positivity(self, symbol: Symbol) -> int | None:
        """See :class:`~asympkit.nodes.Measure`: eigenvalues are non-negative, and not all of them are 0."""
        return 1 if symbol == self.bound_symbols[0] else None

    def value(self, average: Average, digits: int) -> Any:
        """Evaluate a mean without free symbols through the averages it resolves to, each to so many digits."""
        from sympy import N

        found = self.resolved(average.integrand)
        return super().value(average, digits) if found is None else N(found, digits)

    def renamed(self, symbols: Sequence[Symbol]) -> Self:
        return self.xreplace(dict(zip(self.bound_symbols, symbols)))

    def _mean_str(self, integrand, printer):
        return f"<{printer._print(integrand)}>"

    def _mean_latex(self, integrand, printer):
        return rf"\left\langle {printer._print(integrand)} \right\rangle"
