"""The square loss: half the squared residual."""

from sympy import symbols

from .loss import Loss

__all__ = ["square"]

_y, _z = symbols("y z", real=True)

#: ``(y - z)**2/2``: convex of curvature 1, proximal point ``(omega + V y)/(1 + V)``
square = Loss((_y - _z) ** 2 / 2, _y, _z, name="square")
