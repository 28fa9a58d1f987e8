"""The limit of deep features without a penalty on the readout."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...activations import Activation
from ..ridgeless import Ridgeless, is_affine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .layers import Layer

__all__ = ["ridgeless"]


def ridgeless(student: Sequence[Layer]) -> Ridgeless:
    """Return the limit of ridge regression on the last layer of a student without a penalty."""
    functions = [Activation(layer.activation) for layer in student]
    top, size = len(functions), functions[-1].size ** 2
    below = [f"{name}{k}" for name in ("q", "qhat") for k in range(top)]
    powers = {f"V{top}": -1, **dict.fromkeys((f"Vhat{top}", "Qhat", "objective", *below), 1),
              **dict.fromkeys((f"qhat{top}", "train_error"), 2)}
    linear = [is_affine(f) for f in functions]

    def excess(values, point):
        rank, width = 1.0 if point is None else float(np.mean(point.arrays[0] > 0.0)), 0.0
        for k, is_linear in enumerate(linear, 1):
            width, before = values[f"width{k}"], rank
            rank = np.minimum(width, before) if is_linear else width
        found = values["alpha"] - rank
        return np.where((found > 0.0) & (before <= width), np.nan, found) if linear[-1] else found

    return Ridgeless(excess, powers, size=size if 0.0 < size < math.inf else 1.0,
                     unknown=f"the linear last layer {functions[-1].name!r}, more samples than independent features "
                             "and fewer of these than units, which leaves the readout undetermined")
