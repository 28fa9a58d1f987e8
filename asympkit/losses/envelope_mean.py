r"""What the mean of a Moreau envelope in closed form is the mean of: a normal prediction, a target beside it, a loss.

Closed forms of losses of parabolas and lines are sums of terms that nearly cancel where the width V of the envelope is
small; whoever bounds them looks at the mean itself,

.. math:: E\,M_V(t)\,P,\qquad t=t_0\pm Wx,\quad P=1\ \text{or}\ \Phi\Bigl(y\,\frac{a+kx}{\sqrt{1-k^2}}\Bigr),

x a standard normal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from .pieces import Pieces

__all__ = ["EnvelopeMean", "EnvelopePart"]


@dataclass(frozen=True)
class EnvelopePart:
    """The mean of one label, or of all.

    Attributes
    ----------
    weight : Expr
        What multiplies it.
    pieces : Pieces
        Of the loss as a function of t.
    label : tuple of (Symbol, Expr)
        What to put in the place of the label, for losses whose pieces hold it.
    start : Expr
        :math:`t_0`, affine in what is unknown.
    sign : {1, -1}
        Of the normal in t.
    tilt : (Expr, Expr, int) or None
        a, k and y of the probability of the label.
    """

    weight: Expr
    pieces: Pieces
    label: tuple[tuple[Symbol, Expr], ...]
    start: Expr
    sign: int
    tilt: tuple[Expr, Expr, int] | None = None


@dataclass(frozen=True)
class EnvelopeMean:
    """A sum of such means.

    Attributes
    ----------
    V, W : Symbol
        Width of the envelope, and standard deviation of t.
    parts : tuple of EnvelopePart
    """

    V: Symbol
    W: Symbol
    parts: tuple[EnvelopePart, ...]
