"""The empirical spectral measure of given eigenvalues: a mean over arrays supplied at solve time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Tuple

from ..nodes.average import Measure

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from sympy import Symbol


class Eigenvalues(Measure):
    """Equal weights on given eigenvalues and companions.

    Parameters
    ----------
    *symbols : Symbol
        The eigenvalue and its companions.  Arrays of equal length are given under these names when
        the theory is solved; each mean is the plain mean over the entries.
    """

    def __new__(cls, *symbols: Symbol) -> Self:
        return super().__new__(cls, Tuple(*symbols))

    @property
    def func(self) -> Callable[..., Eigenvalues]:
        return lambda symbols: Eigenvalues(*symbols)

    def __getnewargs__(self):
        return tuple(self.args[0])

    @property
    def bound_symbols(self) -> tuple[Symbol, ...]:
        return tuple(self.args[0])

    def _mean_str(self, integrand, printer):
        return f"<{printer._print(integrand)}>"

    def _mean_latex(self, integrand, printer):
        return rf"\left\langle {printer._print(integrand)} \right\rangle"
