"""The empirical spectral measure of given eigenvalues: a mean over arrays supplied at solve time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Symbol, Tuple

from ..errors import DomainError
from ..nodes.average import Measure

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self


class Eigenvalues(Measure):
    """Equal weights on given eigenvalues and companions.

    Parameters
    ----------
    *symbols : Symbol
        The eigenvalue and its companions.  Arrays of equal length are given under these names when
        the theory is solved; each mean is the plain mean over the entries.  Their signs must be those that the
        symbols are declared to have; of eigenvalues that are not negative one at least must be positive.

    Examples
    --------
    >>> import asympkit as ak
    >>> from sympy import symbols
    >>> D, V = symbols("D V", positive=True)
    >>> trace = ak.Theory(name="trace", parameters={}, unknowns=[V],
    ...                   equations=[V - ak.mean(D / (1 + D), ak.Eigenvalues(D))])
    >>> trace.solve(D=[1, 3])["V"]
    0.625
    """

    def __new__(cls, *symbols: Symbol) -> Self:
        for s in symbols:
            if not isinstance(s, Symbol):
                raise DomainError(f"Eigenvalues: got {s!r:.60}; expected the symbols that solve() takes as arrays")
        return super().__new__(cls, Tuple(*symbols))

    @property
    def func(self) -> Callable[..., Eigenvalues]:
        return lambda symbols: Eigenvalues(*symbols)

    def __getnewargs__(self):
        return tuple(self.args[0])

    @property
    def bound_symbols(self) -> tuple[Symbol, ...]:
        return tuple(self.args[0])

    def positivity(self, symbol: Symbol) -> int | None:
        # arrays are checked to have the signs of their symbols, and eigenvalues that are not negative not all to be 0
        if symbol.is_positive:
            return 2
        return (1 if symbol == self.bound_symbols[0] else 0) if symbol.is_nonnegative else None

    def _mean_str(self, integrand, printer):
        return f"<{printer._print(integrand)}>"

    def _mean_latex(self, integrand, printer):
        return rf"\left\langle {printer._print(integrand)} \right\rangle"
