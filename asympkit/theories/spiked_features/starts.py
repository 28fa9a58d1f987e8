"""Start Newton's method near limits in which readouts, or their response, grow without bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...annotations import Floats

__all__ = ["near_interpolation", "near_separation"]


def near_separation(values: Mapping[str, Floats], fitted: float = 1.0) -> dict[str, Floats]:
    """Return a start with a mean readout that grows as the mean feature separates the labels."""
    spread = np.sqrt(values["rho"] ** 2 + values["noise_variance"])
    doubt = np.minimum(1.0, 2.0 * spread + 8.0 * values["flip"] * (1.0 - values["flip"]))
    doubt = np.where(doubt == 0.0, 1.0, doubt)          # then the loss has a minimum
    way = np.where(values["gamma"] * values["r"] * (1.0 - 2.0 * values["flip"]) < 0.0, -1.0, 1.0)
    readout = {"q1": 2.0 * doubt, "q2": doubt, "theta": way * doubt, "psi": 0.1 * doubt, "m": 0.5 * way / doubt}
    return readout | near_interpolation(values, fitted)


def near_interpolation(values: Mapping[str, Floats], fitted: float = 1.0) -> dict[str, Floats]:
    """Return a start for small penalties: V is near the undetermined share of features, over the penalty.

    Parameters
    ----------
    values : dict
        Parameters by name.
    fitted : float
        Number of samples that a feature fits: one, or two if only the sign of a prediction matters.
    """
    free = np.maximum(0.0, 1.0 - values["alpha"] / (fitted * values["beta"])) / values["lam"]
    return {"V1": np.maximum(1.0, free), "V2": np.maximum(1.0, free)}
