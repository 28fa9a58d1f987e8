"""Number systems of the interpreter: float64, and any number of digits with what a program asks of them."""

from ..numbers.digits import Digits as Numbers
from ..numbers.floats import Floats

__all__ = ["Digits", "Floats"]


class Digits(Numbers):
    """mpmath numbers that can also evaluate closed averages and the maps of a theory.

    Parameters
    ----------
    digits : int
        Working precision in decimal digits.
    """

    def average(self, expr):
        """A closed average, without free symbols."""
        found = expr.evalf(self.mp.dps)
        if hasattr(found, "p"):                 # exactly 0, say
            return self.rational(int(found.p), int(found.q))
        return self.mp.mpf(found._mpf_)

    def scalar_map(self, mapping, values, functions):
        """Evaluate a :class:`~asympkit.program.ScalarMap`, ``{output name: number}``."""
        from .digits_tables import evaluate_map

        return evaluate_map(mapping, values, functions, self)
