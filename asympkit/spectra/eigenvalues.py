"""The empirical spectral measure of given eigenvalues: a mean over arrays supplied at solve time."""

from sympy import Tuple

from ..nodes.average import Measure


class Eigenvalues(Measure):
    """Equal weights on given eigenvalues and companions.

    Parameters
    ----------
    *symbols : Symbol
        The eigenvalue and its companions.  Arrays of equal length are given under these names when
        the theory is solved; each mean is the plain mean over the entries.
    """

    def __new__(cls, *symbols):
        return super().__new__(cls, Tuple(*symbols))

    @property
    def func(self):
        return lambda symbols: Eigenvalues(*symbols)

    def __getnewargs__(self):
        return tuple(self.args[0])

    @property
    def bound_symbols(self):
        return tuple(self.args[0])

    def _mean_str(self, integrand, printer):
        return f"<{printer._print(integrand)}>"

    def _mean_latex(self, integrand, printer):
        return rf"\left\langle {printer._print(integrand)} \right\rangle"
