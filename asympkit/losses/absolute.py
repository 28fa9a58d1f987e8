"""The absolute loss: the size of the residual."""

from sympy import Abs, symbols

from .loss import Loss

__all__ = ["absolute"]

_y, _z = symbols("y z", real=True)

#: ``|y - z|``: convex as a norm; the proximal point is the label within V of it, else V nearer to it than omega
absolute = Loss(Abs(_y - _z), _y, _z, name="absolute")
