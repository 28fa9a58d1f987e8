"""Check that a readout can learn from a loss: its slope must depend on the label, and on the prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import S, oo

from ..errors import DomainError
from ..exact import is_zero

if TYPE_CHECKING:
    from .loss import Loss

__all__ = ["check_learns"]


def check_learns(loss: Loss, labels: str) -> None:
    """Raise unless the readout that minimises the loss is a limit that depends on the labels.

    Parameters
    ----------
    loss : Loss
    labels : {"regression", "sign"}
        Real labels, or labels 1 and -1.

    Raises
    ------
    DomainError
        If the loss is infinite somewhere, linear in the prediction, or the same for all labels up to a constant.
    """
    said = f"loss: got {str(loss.name or loss.expr)!r} with labels={labels!r}"
    if loss.expr.has(oo):
        raise DomainError(f"{said}, which is infinite in places: whether there is a readout at all depends "
                          "on the data; expected a finite loss, such as 'hinge' at a small lam, or a user-defined "
                          "theory with ak.Moreau")
    if _is_line(loss):
        raise DomainError(f"{said}, which is linear in the prediction: nothing but lam limits the readout, whose mean "
                          "grows with the number of features; expected a loss with curvature or a kink")
    if labels == "sign" and _ignores_signs(loss):
        raise DomainError(f"{said}, whose slope is the same for both labels: nothing is learned, and the readout's "
                          "norm may vanish; expected a loss that depends on the label")


def _is_line(loss):
    if loss.pieces is None:
        return False                # a line would have been recognised
    return len(loss.pieces.pieces) == 1 and is_zero(S(loss.pieces.pieces[0][0]))


def _ignores_signs(loss):
    slope = loss.expr.diff(loss.prediction)
    return is_zero(slope.subs(loss.label, 1) - slope.subs(loss.label, -1))
