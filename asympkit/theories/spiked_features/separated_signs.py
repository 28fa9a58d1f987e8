"""Detect signs that the mean feature separates, for which the readout's mean grows without bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import DomainError
from ...runtime.means import normal_means

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...activations import Activation
    from ...simulate.convex.losses import ArrayLoss

__all__ = ["check_is_reached"]

#: projections at which mean features are tested for separation
_PLACES = np.geomspace(1e-3, 6.0, 40)


def check_is_reached(loss: ArrayLoss, student: Activation, values: Mapping[str, float], shown: str) -> None:
    """Raise if labels are signs of the projection on the spike and the loss has no minimum on them.

    The mean of the readout is not penalised in the limit: if the mean feature has the sign of the projection, or the
    opposite one, everywhere, predictions are right with any margin without a penalty.

    Parameters
    ----------
    loss : ArrayLoss
    student : Activation
        With the bias in its argument.
    values : dict of str to float
        ``r``, ``c`` and ``flip``.
    shown : str
        The argument that put the target along the spike, for the message.
    """
    if values["flip"] not in (0.0, 1.0) or not _falls(loss):
        return
    (mean,), _ = normal_means(student, values["r"] * np.concatenate([-_PLACES, _PLACES]), np.sqrt(values["c"]),
                              lambda z, s, at: (s,))
    below, above = np.split(np.sign(mean), 2)
    if above[0] != 0.0 and np.all(above == above[0]) and np.all(below == -above[0]):
        raise DomainError(f"{shown} with labels='sign', noise_variance=0 and flip={values['flip']:g}: the mean feature "
                          f"separates the labels, and no readout minimises the loss {loss.name!r} (its mean m grows "
                          "without bound, the objective falls to 0); expected a noise_variance above 0, a flip between "
                          "0 and 1, or a target beside the spike (there the objective falls like sqrt(1 - gamma**2))")


def _falls(loss):
    """Return whether a loss still falls, or stays at its minimum, at large margins."""
    label, far = np.array([1.0, -1.0]), 60.0
    nearer, farther = (loss.value(label, label * z) for z in (far - 10.0, far))
    return bool(np.all(farther <= nearer))
