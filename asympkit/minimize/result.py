"""``Minimum``: where a quantity is smallest in one parameter."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Minimum:
    """The smallest value of a quantity over an interval of one parameter.

    With parameters that are arrays every field is an array of their broadcast shape: a curve of optimal
    parameters.

    Attributes
    ----------
    quantity, over : str
    value : float or ndarray
        The smallest value.
    argmin : float or ndarray
        Where it is taken.
    at_bound : bool or ndarray
        Whether that is an end of the interval: the quantity still falls beyond it.
    converged : bool or ndarray
        Whether the derivative was brought to zero (or points outwards at a bound).
    iterations : int
        Evaluations of quantity and derivative, all points together.
    solution : Solution or None
        At the minimum; None where there are several points.
    """

    quantity: str
    over: str
    value: object
    argmin: object
    at_bound: object
    converged: object
    iterations: int
    solution: object = None

    def __str__(self):
        where = " (a bound of the interval)" if self.at_bound is True else ""
        return f"smallest {self.quantity} {self.value} at {self.over} = {self.argmin}{where}"
