"""Integrals with proved error within a budget of evaluations, so that every proof ends.

The budget is a count, so that the same call ends at the same place on every machine, and grows with the precision.
The evaluations of an ordinary integral are not charged: a theory may have any number of these.
"""

from ..errors import ConvergenceError
from .backend import acb, ctx

__all__ = ["Budget", "SpentError", "TooDearError", "Work", "ordinary"]


class SpentError(ConvergenceError):
    """A budget that is spent: more digits help only where rounding kept the goal out of reach."""


class TooDearError(ConvergenceError):
    """A budget that rules over several variables have spent: it is the dimension that is too much, not the rounding."""


class Budget:
    """Evaluations that the rules of one mean over several variables may take together."""

    def __init__(self, most):
        self.most = self.left = most

    def charge(self, count, shown):
        """Take evaluations; raise :class:`TooDearError` with the integrand where none are left."""
        self.left -= count
        if self.left < 0:
            raise TooDearError(
                f"certify: no enclosure of the integral of {str(shown)[:80]} against the normal density with "
                f"{self.most} evaluations: its variables are too many for so many digits, or it oscillates or comes "
                "near its singularities too often; pass fewer digits, or give a closed form of the average")


def ordinary():
    """Return the evaluations at the precision in force that no budget is charged for."""
    return 1000 + 10 * ctx.prec


class Work:
    """The budget that the integrals of one proof share beyond the ordinary evaluations.

    Parameters
    ----------
    left : int, optional
        Evaluations; by default ``1000 b + b**2`` at b bits.
    """

    def __init__(self, left=None):
        self.left = 1000 * ctx.prec + ctx.prec**2 if left is None else left

    def integral(self, function, low, high, absolute, relative, shown):
        """Enclose an integral along the line.

        Parameters
        ----------
        function : callable
            ``(ball, analytic flag) -> ball``.
        low, high : arb
        absolute, relative : arb
            Goals for the radius; the wider one counts.
        shown : Expr
            The integrand, for the error text.

        Raises
        ------
        SpentError
            If the budget is spent before the goal is reached.
        """
        used = 0

        def counted(x, analytic):
            nonlocal used
            used += 1
            return function(x, analytic)

        most = ordinary() + self.left
        value = acb.integral(counted, acb(low), acb(high), abs_tol=absolute, rel_tol=relative, eval_limit=most)
        self.left -= max(used - ordinary(), 0)
        # a rule with more nodes than the remaining budget is not begun
        if used + ctx.prec >= most and not value.real.rad() <= absolute:
            text = str(shown)
            raise SpentError(
                f"certify: no enclosure of the integral of {text[:80]} against the normal density over "
                f"[{float(low):g}, {float(high):g}] after {used} evaluations: it is singular there, or oscillates or "
                "comes near its singularities too often; give a closed form of the average, or move the parameters")
        return value
