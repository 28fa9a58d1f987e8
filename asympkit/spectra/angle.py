"""The uniform law on half a circle: what means over spectral densities with square-root edges become."""

from sympy import Tuple

from ..nodes.average import Measure

__all__ = ["Angle"]


class Angle(Measure):
    """An angle between 0 and pi, all equally likely.

    Integrands are even and periodic functions of it, such as functions of its cosine: then the mean over equidistant
    angles converges geometrically, at a rate that singularities beside the real line set.

    Parameters
    ----------
    theta : Symbol
    """

    canonical = True

    def __new__(cls, theta):
        return super().__new__(cls, Tuple(theta))

    @property
    def func(self):
        return lambda symbols: Angle(*symbols)

    def __getnewargs__(self):
        return tuple(self.args[0])

    @property
    def bound_symbols(self):
        return tuple(self.args[0])

    def renamed(self, symbols):
        return Angle(*symbols)

    def _mean_str(self, integrand, printer):
        return f"<{printer._print(integrand)}>_{self.bound_symbols[0].name}"

    def _mean_latex(self, integrand, printer):
        return rf"\left\langle {printer._print(integrand)} \right\rangle_{{{printer._print(self.bound_symbols[0])}}}"
