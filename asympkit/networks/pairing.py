"""Find units of student and target with correlated, or equal, rows of weights."""

import operator

import numpy as np

from ..arguments.domains import shown
from ..errors import DomainError

__all__ = ["identical_units", "read_pairs", "same_features"]


def read_pairs(student, target, paired):
    """Return the paired units of each layer.

    Parameters
    ----------
    student, target : tuple of Layer
    paired : None, int, or sequence
        None for units whose rows of weights are equal; else, for each layer (or all), how many leading units are
        paired, or their indices: unit i of the student with unit i of the target.

    Returns
    -------
    list of ndarray of int
        One for each common layer.

    Raises
    ------
    DomainError
        For units or layers that one of the two lacks.
    """
    depth = min(len(student), len(target))
    layers = list(zip(student, target))
    if paired is None:
        return [_equal_rows(own, other) for own, other in layers]
    if np.ndim(paired) == 0 and not hasattr(paired, "__len__"):
        paired = [paired] * depth
    paired = list(paired)
    if len(paired) > depth:
        raise DomainError(f"paired: got {len(paired)} entries; expected at most {depth}, the layers that both networks "
                          "have")
    paired += [0] * (depth - len(paired))
    return [_units(k, entry, min(own.width, other.width))
            for k, (entry, (own, other)) in enumerate(zip(paired, layers), start=1)]


def _equal_rows(own, other):
    if own.weights.shape[1] != other.weights.shape[1]:
        return np.empty(0, dtype=int)
    rows = min(own.width, other.width)
    return np.flatnonzero((own.weights[:rows] == other.weights[:rows]).all(axis=1))


def _units(k, entry, most):
    try:
        units = np.arange(operator.index(entry))
        is_right = 0 <= operator.index(entry) <= most
    except TypeError:
        units = np.asarray(entry)
        is_right = (units.ndim == 1 and (units.dtype.kind in "iu" or not units.size)
                    and len(np.unique(units)) == units.size and bool(np.all((units >= 0) & (units < most))))
    if not is_right:
        raise DomainError(f"paired: layer {k}: got {shown(entry)}; expected a number of leading units up to {most}, "
                          f"or different indices below {most}")
    return units.astype(int)


def identical_units(own, other, units, before):
    """Return whether each paired unit sees the same combination of the inputs in both networks.

    Parameters
    ----------
    own, other : Layer
    units : ndarray of int
    before : bool
        Whether the incoming features are the same.
    """
    if not before or own.weights.shape[1] != other.weights.shape[1]:
        return np.zeros(units.size, dtype=bool)
    return (own.weights[units] == other.weights[units]).all(axis=1)


def same_features(own, other, identical):
    """Return whether the features of two layers are the same, given which of their paired units are identical."""
    return bool(identical.all() and own.width == other.width == identical.size
                and np.array_equal(own.bias, other.bias) and own.activation == other.activation)
