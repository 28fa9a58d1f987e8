r"""``ak.Moreau`` and ``ak.prox``: Moreau envelope and proximal point of a loss; and which losses a readout learns from.

Closed forms for piecewise linear-quadratic losses are sums of terms that nearly cancel at a small width V of the
envelope; bounds are therefore derived from the integrand of the mean itself,

.. math:: E\,M_V(t)\,P,\qquad t=t_0\pm Wx,\quad P=1\ \text{or}\ \Phi\Bigl(y\,\frac{a+kx}{\sqrt{1-k^2}}\Bigr),

x a standard normal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sympy import Expr, S, oo

from ..errors import DomainError
from ..exact import is_zero
from ..nodes.traversal import as_expression
from .loss import get_loss

if TYPE_CHECKING:
    from sympy import Symbol

    from ..annotations import Expression
    from .loss import Loss
    from .pieces import PiecewiseQuadratic


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
    found = [get_loss(loss)]
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


@dataclass(frozen=True)
class EnvelopePart:
    """Describe the mean for one label, or for all."""

    #: factor of the mean
    weight: Expr
    #: the loss as a function of t
    pieces: PiecewiseQuadratic
    #: values of the label, for losses whose pieces depend on it
    label: tuple[tuple[Symbol, Expr], ...]
    #: :math:`t_0`, affine in the unknowns
    start: Expr
    #: sign of the normal in t
    sign: int
    #: a, k and y of the probability of the label
    tilt: tuple[Expr, Expr, int] | None = None


@dataclass(frozen=True)
class EnvelopeMean:
    """Describe a sum of such means: V is the width of the envelope, W the standard deviation of t."""

    V: Symbol
    W: Symbol
    parts: tuple[EnvelopePart, ...]


def check_learns(loss: Loss, labels: str) -> None:
    """Raise unless the readout that minimises the loss is a limit that depends on the labels.

    It does not for losses that are infinite somewhere, linear in the prediction, or the same for all labels up to a
    constant.
    """
    text = f"loss: got {str(loss.name or loss.expr)!r} with labels={labels!r}"
    if loss.expr.has(oo):
        raise DomainError(f"{text}, which is infinite in places: whether there is a readout at all depends "
                          "on the data; expected a finite loss, such as 'hinge' at a small lam, or a user-defined "
                          "theory with ak.Moreau")
    # a line would have been recognised
    if loss.pieces is not None and len(loss.pieces.pieces) == 1 and is_zero(S(loss.pieces.pieces[0][0])):
        raise DomainError(f"{text}, which is linear in the prediction: nothing but lam limits the readout, whose mean "
                          "grows with the number of features; expected a loss with curvature or a kink")
    slope = loss.expr.diff(loss.prediction)
    if labels == "sign" and is_zero(slope.subs(loss.label, 1) - slope.subs(loss.label, -1)):
        raise DomainError(f"{text}, whose slope is the same for both labels: nothing is learned, and the readout's "
                          "norm may vanish; expected a loss that depends on the label")
