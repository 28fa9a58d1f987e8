"""Convex losses, one a file, with their Moreau envelopes and proximal operators."""

from .absolute import absolute
from .envelope import Moreau, prox
from .hinge import hinge
from .huber import Huber
from .logistic import logistic
from .loss import Loss
from .margin import Margin
from .square import square

__all__ = ["Huber", "Loss", "Margin", "Moreau", "absolute", "hinge", "logistic", "prox", "square"]
