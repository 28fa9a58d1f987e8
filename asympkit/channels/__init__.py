"""Labels of a function of a normal field, with noise: the entropy of a label, and its derivatives."""

from .entropy import LabelEntropy

__all__ = ["LabelEntropy"]
