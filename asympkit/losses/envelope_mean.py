r"""Describe the closed-form mean of a Moreau envelope by its integrand, for error bounds.

Closed forms for piecewise linear-quadratic losses are sums of terms that nearly cancel at a small width V of the
envelope; bounds are therefore derived from the mean itself,

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
    """Describe the mean for one label, or for all.

    Attributes
    ----------
    weight : Expr
        Factor of the mean.
    pieces : Pieces
        The loss as a function of t.
    label : tuple of (Symbol, Expr)
        Values of the label, for losses whose pieces depend on it.
    start : Expr
        :math:`t_0`, affine in the unknowns.
    sign : {1, -1}
        Sign of the normal in t.
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
    """Describe a sum of such means.

    Attributes
    ----------
    V, W : Symbol
        Width of the envelope, and standard deviation of t.
    parts : tuple of EnvelopePart
    """

    V: Symbol
    W: Symbol
    parts: tuple[EnvelopePart, ...]
