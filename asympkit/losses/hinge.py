"""The hinge loss of labels 1 and -1."""

from sympy import Max, symbols

from .loss import Loss

__all__ = ["hinge"]

_y, _z = symbols("y z", real=True)

#: ``max(0, 1 - y z)``: convex as a maximum of two lines; the proximal point moves by at most V, and not beyond y z = 1
hinge = Loss(Max(0, 1 - _y * _z), _y, _z, name="hinge")
