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

    def __getnewargs__(self):
        return tuple(self.args[0])

    @property
    def bound_symbols(self):
        return tuple(self.args[0])

    def renamed(self, symbols):
        return Gaussian(*symbols)

    def close(self, integrand):
        from ..nodes import unname
        from .closed import closed_mean

        bound = set(self.bound_symbols)
        integrand = unname(integrand, lambda n: bool(bound & n.free_symbols))
        closed = closed_mean(integrand, *self.bound_symbols)
        if closed is None and len(bound) == 1:
            from .identities import without_integrals
            from .moving_kinks import with_known_slopes

            form, slopes = with_known_slopes(integrand, *bound)
            closed = closed_mean(form, *bound) if slopes else without_integrals(integrand, *bound)
            closed = closed.xreplace(slopes) if slopes and closed is not None else closed
        return closed

    def value(self, average, digits):
        from .quadrature.digits import gaussian_value

        return gaussian_value(average, digits)

    def _mean_str(self, integrand, printer):
        names = ", ".join(b.name for b in self.bound_symbols)
        return f"E_{names}[{printer._print(integrand)}]"

    def _mean_latex(self, integrand, printer):
        names = ",".join(printer._print(b) for b in self.bound_symbols)
        return rf"\mathbb{{E}}_{{{names}}}\left[{printer._print(integrand)}\right]"


class Shifted(Gaussian):
    """Independent standard normals under integrands that carry ``exp(-s*u - s**2/2)`` in the first, u, and have their
    kinks at u = 0: the mass of such integrands may lie far from there.  Programs only hold it.
    """

    @property
    def func(self):
        return lambda symbols: Shifted(*symbols)

    def renamed(self, symbols):
        return Shifted(*symbols)

    def close(self, integrand):
        return None
