"""Sums over an angle, enclosed: means over spectral laws without a closed form.

An integrand that is even and of period 2 pi, analytic and bounded by M for ``|Im| <= a``, has a mean over the angle
that differs from that over n equidistant angles by at most ``2 M/(exp(2 n a) - 1)``.
"""

from math import ceil, isfinite, log, pi

from sympy import Dummy, cos, expand, sin

from ..balls.analytic import compile_parametric
from ..balls.backend import acb, arb
from ..errors import AsympkitError, ProofError
from .absolute import MARGIN, above
from .refusal import refusal
from .separate import expanded

__all__ = ["AngleSums"]

#: heights of strips that are tried, boxes along a strip of its height, and a largest number of nodes
_HEIGHTS, _FINE, _MOST = (2.0, 1.4, 1.0, 0.7, 0.5, 0.35, 0.25, 0.17, 0.12, 0.08, 0.05, 0.03), 4, 4000


class AngleSums:
    """Means over an angle grid.

    Parameters
    ----------
    grid : Grid
    digits : int
        Absolute accuracy of the means, apart from the width that the balls of other symbols bring.
    """

    def __init__(self, grid, digits):
        self.grid, self.digits = grid, digits
        (self.theta,) = grid.bound
        self._compiled, self._notes, self.nodes = {}, {}, 0

    def sums(self, statement, values):
        """Enclose the sums of a statement, ``{symbol: ball}``."""
        return {symbol: self.mean(expanded(statement, integrand), note or integrand, values)
                for symbol, integrand, note in statement.sums}

    def mean(self, expr, note, values):
        """Enclose the mean of one expression in the angle; ``note`` describes it."""
        function, bind = self._function(expr, note)
        try:
            bind({s: arb(values[s]) for s in expr.free_symbols - {self.theta}})
            height, size = self._strip(function)
        except AsympkitError as error:
            raise ProofError(f"certify: the average {note} is not enclosed: {error}") from error
        if height is None:
            raise refusal(f"certify: the average {note} over a spectral law is not enclosed: its integrand is not "
                          "proved analytic near the real angles (an edge of the law at 0, or a singularity near an "
                          "eigenvalue)")
        count = max(8, ceil((self.digits + 2) * log(10) / (2 * height) + max(0.0, log(2 * size + 1)) / (2 * height)))
        if count > _MOST:
            raise refusal(f"certify: the average {note} over a spectral law needs {count} angles, more than {_MOST}; "
                          "ask for fewer digits")
        self.nodes = max(self.nodes, count)
        self._notes[note] = (f"|{str(expr)[:60]}| <= {size:.3g} for |Im {self.theta}| <= {height}, {count} angles")
        total = sum((function(acb((arb.pi() * (2 * k + 1)) / (2 * count)), False).real for k in range(count)), arb(0))
        error = 2 * arb(size) / ((2 * count * arb(height)).exp() - 1)
        return total / count + arb(0, error.upper())

    def _function(self, expr, note):
        if expr not in self._compiled:
            made = compile_parametric(expr, self.theta, expr.free_symbols - {self.theta})
            c, s = Dummy("c", real=True), Dummy("s", real=True)
            flat = expr.xreplace({cos(self.theta): c, sin(self.theta): s})
            if self.theta in flat.free_symbols or expand(flat - flat.xreplace({s: -s})) != 0:
                raise refusal(f"certify: {note} is not proved to be an even function of period 2 pi of an angle")
            self._compiled[expr] = made
        return self._compiled[expr]

    def _strip(self, function):
        """Return the highest strip on which the integrand is proved analytic, with a bound there, or (None, None)."""
        for height in _HEIGHTS:
            size = self._bound(function, height)
            if isfinite(size) and size < 1e30:
                return height, size
        return None, None

    @staticmethod
    def _bound(function, height):
        """Bound a function on ``0 <= Re <= pi, 0 <= Im <= height``: the others follow by evenness and conjugation."""
        columns, largest = ceil(pi / height * _FINE) + 1, 0.0
        for k in range(columns):
            for row in range(_FINE):
                x = arb((k + 0.5) * pi / columns, 0.51 * pi / columns)
                y = arb((row + 0.5) * height / _FINE, 0.51 * height / _FINE)
                largest = max(largest, above(function(acb(x, y), True)))
                if not isfinite(largest):
                    return largest
        return largest * MARGIN

    def describe(self):
        """Return one sentence on the strips that were proved."""
        return f"spectral means over {self.theta}: " + "; ".join(self._notes.values())
