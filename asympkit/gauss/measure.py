"""The standard Gaussian measure on one or several independent variables."""

from sympy import Tuple

from ..nodes.average import Measure


class Gaussian(Measure):
    """Independent standard normals.

    Parameters
    ----------
    *symbols : Symbol
        The integration variables.
    """

    canonical = True

    def __new__(cls, *symbols):
        return super().__new__(cls, Tuple(*symbols))

    @property
    def func(self):
        return lambda symbols: Gaussian(*symbols)

    @property
    def bound_symbols(self):
        return tuple(self.args[0])

    def renamed(self, symbols):
        return Gaussian(*symbols)

    def close(self, integrand):
        if len(self.bound_symbols) != 1:
            return _close_one_by_one(integrand, self.bound_symbols)
        from ..nodes import unname
        from .closed import gaussian_mean

        z = self.bound_symbols[0]
        return gaussian_mean(unname(integrand, lambda n: z in n.free_symbols), z)

    def _mean_str(self, integrand, printer):
        names = ", ".join(b.name for b in self.bound_symbols)
        return f"E_{names}[{printer._print(integrand)}]"

    def _mean_latex(self, integrand, printer):
        names = ",".join(printer._print(b) for b in self.bound_symbols)
        return rf"\mathbb{{E}}_{{{names}}}\left[{printer._print(integrand)}\right]"


def _close_one_by_one(integrand, symbols):
    from .closed import gaussian_mean

    for z in reversed(symbols):
        integrand = gaussian_mean(integrand, z)
        if integrand is None:
            return None
    return integrand
