"""Spiked features without a penalty on the readout: what diverges, what vanishes, and where."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..ridgeless import Ridgeless, is_affine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...activations import Activation
    from ...annotations import Floats

__all__ = ["ridgeless", "starts"]

#: powers of the penalty that quantities go with, with fewer samples than features; over any bulk, at any width
_FEWER = {**dict.fromkeys(("V1", "V2"), -1),
          **dict.fromkeys(("Vhat1", "Vhat2", "thetahat", "psihat", "psi0hat", "chihat", "bhat", "uhat", "what"), 1),
          **dict.fromkeys(("qhat1", "qhat2", "train_error"), 2), "objective": 1}


#: penalties below this one are met without a penalty alone
_SMALL = 1e-30


def starts(points: Mapping[str, Floats]) -> dict[str, Floats]:
    """Starts of V1 and V2 where they diverge, large ones, from parameters by name; nothing where none does."""
    diverge = points["lam"] < _SMALL
    if not diverge.any():
        return {}
    diverge &= points["alpha"] < points["beta"]
    V = np.where(diverge, 1.0 / points["lam"], 1.0)
    return {"V1": V, "V2": V}


def ridgeless(student: Activation) -> Ridgeless:
    """Ridge regression on features of a student, without a penalty."""
    size = student.size**2

    def excess(values, point):          # whether the student is linear is asked without a penalty alone: sympy tells
        return (_excess_of_linear if is_affine(student) else _excess)(values)

    return Ridgeless(excess, _FEWER, size=size if 0.0 < size < math.inf else 1.0, lost=_lost,
                     unknown=f"the linear student {student.name!r}, more samples than d and at least d features, which "
                             "leave its readout undetermined")


def _excess(values):
    return values["alpha"] - values["beta"]


def _excess_of_linear(values):
    """At most d features are independent; where there are more of them, and more samples, V2 has no limit."""
    excess = values["alpha"] - np.minimum(values["beta"], 1.0)
    return np.where((values["beta"] >= 1.0) & (excess > 0.0), np.nan, excess)


def _lost(outputs, values):
    r"""By how much 1 in :math:`1+V` changes what samples say.

    :math:`E[R/(1+V)^2]` over :math:`E[VR/(1+V)^2]`: where a student saturates V is small at large projections on the
    spike, and the equations may have another limit than the one without this 1, or none.
    """
    weighed = outputs["V1"] * outputs["qhat1"] + outputs["V2"] * outputs["qhat2"]
    return outputs["train_error"] * values["alpha"] / (values["beta"] * weighed)
