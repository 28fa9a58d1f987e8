r"""Ridge regression on features of any covariance (arXiv 2402.13999, the general theorem), and without a penalty.

The limit :math:`\lambda\to0` of the square loss is that of all theories with a penalty.

With more samples than independent features the equations hold at 0 itself.  With fewer the readout interpolates: the
responses V grow like :math:`1/\lambda` and their conjugates vanish like :math:`\lambda`, so that the 1 in
:math:`1+V` is lost in rounding.  With as many samples as features the test error is infinite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..declaration import Penalty
from ..limits import Limit

if TYPE_CHECKING:
    from ...activations import Activation


@dataclass(frozen=True)
class Ridgeless(Limit):
    """Describe the limit of a theory without a penalty: the excess is that of samples over independent features."""

    parameter = "lam"
    at_border = ("with as many samples as independent features, where the test error is infinite; expected a positive "
                 "number, or more samples, or fewer")
    not_reached = ("without a penalty the errors come from the few samples at which the features hardly vary; expected "
                   "lam > 0")


def is_affine(function: Activation) -> bool:
    """Return whether a function is affine: features made by it are at most as many as its inputs."""
    polynomial = function.expr.as_poly(function.symbol)
    return polynomial is not None and polynomial.degree() <= 1


def required(parameters):
    """Return the parameters of a theory that needs a penalty."""
    return tuple(p.required() if isinstance(p, Penalty) else p for p in parameters)
