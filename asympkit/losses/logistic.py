"""The logistic loss of labels 1 and -1."""

from sympy import exp, log, symbols

from ..numbers.functions.step_classes import LogisticEnvelope, LogisticSlope
from .loss import Loss, Margins

__all__ = ["logistic"]

_y, _z = symbols("y z", real=True)

#: ``log(1 + exp(-y z))``: convex, as its second derivative is a product of two positive sigmoids; Newton's method finds
#: its proximal point
logistic = Loss(log(1 + exp(-_y * _z)), _y, _z, name="logistic", form=Margins(LogisticSlope, LogisticEnvelope))
