"""``ak.Moreau`` and ``ak.prox``: the envelope of a loss and its point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Expr

from ..arguments.domains import shown
from ..errors import DomainError, suggest
from ..nodes.walks import as_expression
from .loss import Loss

if TYPE_CHECKING:
    from ..annotations import Expression

__all__ = ["Moreau", "prox"]

#: losses with a name
NAMED = ("absolute", "hinge", "logistic", "square")
#: what makes a loss of arguments, and some that it takes
_CALLED = {"Huber": "1", "Margin": "1", "Loss": "expr, label, prediction"}


def Moreau(loss: Loss | str, label: Expression | float, omega: Expression | float,      # noqa: N802, it is a node
           V: Expression | float) -> Expr:
    r"""Moreau envelope of a convex loss, :math:`\min_z\,(z-\omega)^2/(2V)+\ell(y,z)`, as an expression.

    Parameters
    ----------
    loss : Loss or {"absolute", "hinge", "logistic", "square"}
        ``"square"`` is half the square.
    label, omega : Expr or number
        Real.
    V : Expr or number
        Not negative; a symbol must be declared so.

    Returns
    -------
    Expr
        Cases, where the minimum has a closed form (losses that are parabolas and lines piece by piece); else a
        function that differentiates by the envelope theorem and is evaluated by Newton's method in every reading.

    Raises
    ------
    DomainError
        If V may be negative, or the loss is none.

    See Also
    --------
    prox : the point of the minimum.

    Notes
    -----
    :math:`\partial_\omega M=(\omega-z)/V`, :math:`\partial_VM=-(z-\omega)^2/(2V^2)` and
    :math:`\partial_yM=\partial_y\ell(y,z)` at the proximal point z.

    Examples
    --------
    >>> from sympy import symbols
    >>> y, V = symbols("y V", positive=True)
    >>> Moreau("square", y, 0, V)
    y**2/(2*(V + 1))
    """
    loss, label, omega, V = _checked(loss, label, omega, V)
    return loss.form.moreau(label, omega, V)


def prox(loss: Loss | str, label: Expression | float, omega: Expression | float, V: Expression | float) -> Expr:
    r"""Proximal point of a convex loss, the z of the least :math:`(z-\omega)^2/(2V)+\ell(y,z)`.

    The derivatives are those of the implicit function, :math:`\partial_\omega z=1/(1+V\ell''(z))`, between its kinks.

    Parameters
    ----------
    loss, label, omega, V
        As for :func:`Moreau`.

    Returns
    -------
    Expr

    Raises
    ------
    DomainError
        If V may be negative, or the loss is none.

    Examples
    --------
    >>> from sympy import symbols
    >>> y, V = symbols("y V", positive=True)
    >>> prox("square", y, 0, V)
    V*y/(V + 1)
    """
    loss, label, omega, V = _checked(loss, label, omega, V)
    return loss.form.proximal(label, omega, V)


def _checked(loss, *arguments):
    found = [named_loss(loss)]
    for name, value in zip(("label", "omega", "V"), arguments):
        value = as_expression(name, value)
        if value.is_extended_real is False:
            raise DomainError(f"{name}: got {value}; expected an expression for a real number")
        found.append(value)
    V = found[-1]
    if not V.is_nonnegative:
        raise DomainError(f"V: got {V}, which is not known to be non-negative; declare its symbols positive=True, or "
                          "real=True and write it as a square or an exponential")
    return found


def named_loss(loss: Loss | str) -> Loss:
    """A loss by its name, or itself."""
    if isinstance(loss, str):
        if loss not in NAMED:
            raise DomainError(f"loss: got {loss!r:.60}{suggest(loss, NAMED)}; expected one of {', '.join(NAMED)}, "
                              "ak.Huber(delta), ak.Margin(kappa), or ak.Loss(expr, label, prediction)")
        from importlib import import_module

        loss = getattr(import_module(f"{__package__}.{loss}"), loss)
    if not isinstance(loss, Loss):
        if callable(loss) and (name := getattr(loss, "__name__", "")) in _CALLED:
            raise DomainError(f"loss: got {name} without its arguments; expected a loss that it makes, "
                              f"ak.{name}({_CALLED[name]})")
        raise DomainError(f"loss: got {shown(loss)}; expected an ak.Loss, or one of {', '.join(NAMED)}")
    return loss
