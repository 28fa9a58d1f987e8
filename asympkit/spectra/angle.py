"""The uniform law on a half circle, over which means over spectral densities with square-root edges are taken."""

import numpy as np
from sympy import Tuple

from ..errors import ConvergenceError
from ..nodes.average import Measure

__all__ = ["Angle"]

#: angles of the largest rule that a value is looked for with
_MOST = 4096


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

    def value(self, average, digits):
        """Evaluate the mean over equidistant angles, doubled until two agree.

        Raises
        ------
        ConvergenceError
        """
        from ..nodes import unname
        from ..numbers.digits import Digits
        from ..numbers.evaluation import evaluate

        numbers, (theta,), integrand = Digits(digits + 10), self.bound_symbols, unname(average.integrand)
        mp, count, before = numbers.mp, 24, None
        while count <= _MOST:
            angles = np.array([mp.pi * (2 * k + 1) / (2 * count) for k in range(count)], dtype=object)
            found = mp.fsum(np.broadcast_to(evaluate(integrand, {theta: angles}, numbers), angles.shape)) / count
            if before is not None and abs(found - before) <= mp.mpf(10) ** -(digits // 2 + 2) * max(1, abs(found)):
                return found            # the next one would square the difference
            before, count = found, 2 * count
        raise ConvergenceError(f"evalf: a mean over a spectral law needs more than {_MOST} angles for {digits} digits: "
                               "its integrand is nearly singular at an edge of the law; pass fewer digits")

    def _mean_str(self, integrand, printer):
        return f"<{printer._print(integrand)}>_{self.bound_symbols[0].name}"

    def _mean_latex(self, integrand, printer):
        return rf"\left\langle {printer._print(integrand)} \right\rangle_{{{printer._print(self.bound_symbols[0])}}}"
