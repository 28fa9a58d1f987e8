r"""Write a loss of label and prediction as a function of one variable: residual, margin, or prediction for each label.

With ``g`` this function, ``p`` the minimiser of :math:`(p-t)^2/(2V)+g(p)` and ``slope(V, t)`` its
:math:`(p-t)/V=-g'(p)`, the proximal point of the loss follows without a division, also for symbolic labels.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Dummy

__all__ = ["Labelled", "Margins", "Residuals", "is_of_residuals", "reduced"]


@dataclass(frozen=True)
class Residuals:
    """Represent a loss ``g(label - prediction)``."""

    slope: Any
    envelope: Any
    variable: ClassVar = "{y} - {z}"

    def proximal(self, label, omega, V):
        return omega - V * self.slope(V, label - omega)

    def moreau(self, label, omega, V):
        return self.envelope(V, label - omega)


@dataclass(frozen=True)
class Margins:
    """Represent a loss ``g(label*prediction)``."""

    slope: Any
    envelope: Any
    variable: ClassVar = "{y}*{z}"

    def proximal(self, label, omega, V):
        return omega + V * label * self.slope(label**2 * V, label * omega)

    def moreau(self, label, omega, V):
        return self.envelope(label**2 * V, label * omega)


@dataclass(frozen=True)
class Labelled:
    """Represent a loss ``g(prediction, label)``."""

    slope: Any
    envelope: Any
    variable: ClassVar = "{z}"

    def proximal(self, label, omega, V):
        return omega + V * self.slope(V, omega, label)

    def moreau(self, label, omega, V):
        return self.envelope(V, omega, label)


def reduced(expr, label, prediction):
    """Return ``(form, g, t)``: the first form that removes the label from the loss, and the remaining function of t."""
    t = Dummy("t", real=True)
    for form, place in ((Residuals, label - t), (Margins, t / label)):
        g = _without(expr.subs(prediction, place), label)
        if label not in g.free_symbols:
            return form, g, t
    return Labelled, expr.xreplace({prediction: t}), t


def is_of_residuals(loss):
    """Return whether a loss is a function of the residual."""
    return isinstance(loss.form, Residuals) or loss.form is Residuals


def _without(expr, label):
    """Return an expression in which the label cancels as far as expansion shows it."""
    if label not in expr.free_symbols:
        return expr
    from sympy import Add, Mul, expand_mul
    from sympy.core.relational import Relational

    if isinstance(expr, Relational):            # y > y - t is t > 0
        return expr.func(_without(expr.lhs - expr.rhs, label), 0)
    if isinstance(expr, Add | Mul):
        expr = expand_mul(expr)
    if not expr.args or label not in expr.free_symbols:
        return expr
    return expr.func(*(_without(a, label) for a in expr.args))
