"""The margin loss: 0 for labels met with a margin, infinite otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Piecewise, S, oo, symbols

from ..nodes.traversal import as_expression
from .loss import Loss

if TYPE_CHECKING:
    from ..annotations import Expression

__all__ = ["Margin"]

_y, _z = symbols("y z", real=True)


def Margin(kappa: Expression | float) -> Loss:      # noqa: N802, it stands for a loss
    """Return the loss that is 0 if ``label*prediction >= kappa`` and infinite otherwise, a convex indicator.

    The proximal point is the nearest point with that margin.

    Parameters
    ----------
    kappa : Expr or number
        The margin; a symbol may be a parameter of a theory.

    Returns
    -------
    Loss

    Examples
    --------
    >>> import asympkit as ak
    >>> ak.prox(ak.Margin(1), 1, 0, 1), ak.prox(ak.Margin(1), 1, 3, 1)
    (1, 3)
    """
    return Loss(Piecewise((S.Zero, _y * _z >= as_expression("kappa", kappa)), (oo, True)), _y, _z, name="margin")
