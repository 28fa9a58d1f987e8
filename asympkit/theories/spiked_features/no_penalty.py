"""The limit of spiked features without a penalty on the readout."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..ridge.ridgeless import Ridgeless, is_affine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...activations import Activation
    from ...annotations import Floats

__all__ = ["ridgeless", "starts"]

#: powers of the penalty that quantities scale with, with fewer samples than features; over any bulk, at any width
_FEWER = {**dict.fromkeys(("V1", "V2"), -1),
          **dict.fromkeys(("Vhat1", "Vhat2", "thetahat", "psihat", "psi0hat", "chihat", "bhat", "uhat", "what"), 1),
          **dict.fromkeys(("qhat1", "qhat2", "train_error"), 2), "objective": 1}


#: a penalty below this one stands for no penalty
_SMALL = 1e-30


def starts(points: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return large starts of V1 and V2 where they diverge, from parameters by name; an empty dict if none does."""
    diverge = points["lam"] < _SMALL
    if not diverge.any():
        return {}
    diverge &= points["alpha"] < points["beta"]
    V = np.where(diverge, 1.0 / points["lam"], 1.0)
    return {"V1": V, "V2": V}


def ridgeless(student: Activation) -> Ridgeless:
    """Return the limit of ridge regression on features of a student without a penalty."""
    size = student.size**2

    return Ridgeless(partial(_excess, student), _FEWER, size=size if 0.0 < size < math.inf else 1.0, lost=_lost,
                     unknown=f"the linear student {student.name!r}, more samples than d and at least d features, which "
                             "leave its readout undetermined")


def _excess(student, values, point):
    """Return the excess of samples over independent features.

    Of a linear student at most d features are independent, and if there are more, V2 may have no limit.
    """
    if not is_affine(student):
        return values["alpha"] - values["beta"]
    excess = values["alpha"] - np.minimum(values["beta"], 1.0)
    return np.where((values["beta"] >= 1.0) & (excess > 0.0), np.nan, excess)


def _lost(outputs, values):
    r"""Return by how much the 1 in :math:`1+V` changes the result.

    This is :math:`E[R/(1+V)^2]` over :math:`E[VR/(1+V)^2]`: if a student saturates, V is small at large projections on
    the spike, and the equations may have another limit than without this 1, or none.
    """
    weighed = outputs["V1"] * outputs["qhat1"] + outputs["V2"] * outputs["qhat2"]
    return outputs["train_error"] * values["alpha"] / (values["beta"] * weighed)
