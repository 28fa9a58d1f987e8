"""``ak.Moreau`` and ``ak.prox``: Moreau envelope and proximal point of a loss."""

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

#: losses that can be given by name
NAMED = ("absolute", "hinge", "logistic", "square")
#: constructors of losses, with sample arguments
_CALLED = {"Huber": "1", "Margin": "1", "Loss": "expr, label, prediction"}


def Moreau(loss: Loss | str, label: Expression | float, omega: Expression | float,      # noqa: N802, it is a node
           V: Expression | float) -> Expr:
    r"""Return the Moreau envelope of a convex loss, :math:`\min_z\,(z-\omega)^2/(2V)+\ell(y,z)`, as an expression.

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
        Cases, if the minimum has a closed form (piecewise linear-quadratic losses); else a function that
        differentiates by the envelope theorem and is evaluated by Newton's method in every back end.

    Raises
    ------
    DomainError
        If V may be negative, or the loss is invalid.

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
    r"""Return the proximal point of a convex loss, the z that minimises :math:`(z-\omega)^2/(2V)+\ell(y,z)`.

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
        If V may be negative, or the loss is invalid.

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
    """Return a loss given by name, or the loss itself."""
    if isinstance(loss, str):
        if loss not in NAMED:
            raise DomainError(f"loss: got {loss!r:.60}{suggest(loss, NAMED)}; expected one of {', '.join(NAMED)}, "
                              "ak.Huber(delta), ak.Margin(kappa), or ak.Loss(expr, label, prediction)")
        from importlib import import_module

        loss = getattr(import_module(f"{__package__}.{loss}"), loss)
    if not isinstance(loss, Loss):
        if callable(loss) and (name := getattr(loss, "__name__", "")) in _CALLED:
            raise DomainError(f"loss: got {name} without its arguments; expected a loss such as "
                              f"ak.{name}({_CALLED[name]})")
        raise DomainError(f"loss: got {shown(loss)}; expected an ak.Loss, or one of {', '.join(NAMED)}")
    return loss
