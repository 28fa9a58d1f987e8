"""Huber's loss: a parabola that continues along its tangents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Abs, Piecewise, Rational, symbols

from ..errors import DomainError
from ..nodes.traversal import as_expression
from .loss import Loss

if TYPE_CHECKING:
    from ..annotations import Expression

__all__ = ["Huber"]

_y, _z = symbols("y z", real=True)


def Huber(delta: Expression | float) -> Loss:      # noqa: N802, it stands for a loss
    """Return Huber's loss: ``r**2/2`` for residuals up to delta in size, ``delta*|r| - delta**2/2`` beyond.

    Parameters
    ----------
    delta : Expr or number
        Positive; a symbol declared positive may be a parameter or an unknown of a theory. A float is read by its
        shortest decimal text: 0.1 is 1/10.

    Returns
    -------
    Loss

    Raises
    ------
    DomainError
        If delta is not positive.

    Examples
    --------
    >>> import asympkit as ak
    >>> ak.prox(ak.Huber(1), 3, 0, 2)
    2
    """
    size, delta = Abs(_y - _z), as_expression("delta", delta)
    if delta.is_Float:
        delta = Rational(repr(float(delta)))
    if delta.is_positive is not True:
        raise DomainError(f"delta: got {delta}; expected a positive number, or a symbol declared positive=True")
    return Loss(Piecewise(((_y - _z) ** 2 / 2, size <= delta), (delta * size - delta**2 / 2, True)), _y, _z,
                name="huber")
