"""Simulate spiked features with a convex loss: a loss as functions of arrays.

Detect signs that the mean feature separates, for which the readout's mean grows without bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sympy import Dummy

from ...errors import ConvergenceError, DomainError
from ...numbers.evaluation import Floats, evaluate
from ...once import computed_once
from ...runtime.means import normal_means
from ...simulate.convex import NAMED, ArrayLoss

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...activations import Activation
    from ...losses import Loss


@dataclass(frozen=True)
class _Own:
    """Evaluate a loss expression on arrays; other processes rebuild the functions."""

    loss: Loss

    def __getstate__(self):
        return {"loss": self.loss}

    def value(self, y, z):
        """Return the loss."""
        return self._at(self.loss.expr, y, z)

    def derivatives(self, y, z):
        """Return its derivatives in the prediction."""
        return tuple(self._at(e, y, z) for e in self._rates)

    @computed_once
    def _rates(self):
        return tuple(self.loss.expr.diff(self.loss.prediction, order) for order in (1, 2))

    def _at(self, expr, y, z):
        found = evaluate(expr, {self.loss.label: y, self.loss.prediction: z}, Floats())
        return np.broadcast_to(np.asarray(found, dtype=float), np.shape(z))

    def prox(self, y, omega, V):
        """Return its proximal point."""
        form, symbols = self._prox
        return np.asarray(evaluate(form, dict(zip(symbols, (y, omega, np.float64(V)))), Floats()), dtype=float)

    @computed_once
    def _prox(self):
        symbols = self.loss.label, Dummy("omega", real=True), Dummy("V", positive=True)
        return self.loss.form.proximal(*symbols), symbols


def array_loss(loss: Loss) -> ArrayLoss:
    """Return a loss as functions of arrays, those of the simulator if it has them."""
    if loss.name in NAMED:
        return NAMED[loss.name]
    own = _Own(loss)
    if loss.pieces is None:
        return ArrayLoss(str(loss.expr), own.value, own.derivatives)
    return ArrayLoss(str(loss.expr), own.value, prox=own.prox)


class NoMinimumError(DomainError, ConvergenceError):
    """A point at which no readout minimises the objective; other points of a sweep may have one."""


#: projections at which mean features are tested for separation
_PLACES = np.geomspace(1e-3, 6.0, 40)


def check_is_reached(loss: ArrayLoss, student: Activation, values: Mapping[str, float], shown: str) -> None:
    """Raise if labels are signs of the projection on the spike and the loss has no minimum on them.

    The mean of the readout is not penalised in the limit: if the mean feature has the sign of the projection, or the
    opposite one, everywhere, predictions are right with any margin without a penalty.  The student has the bias in its
    argument, ``values`` are r, c and flip; ``shown`` put the target along the spike, for the message.
    """
    if values["flip"] not in (0.0, 1.0) or not _falls(loss):
        return
    (mean,), _ = normal_means(student, values["r"] * np.concatenate([-_PLACES, _PLACES]), np.sqrt(values["c"]),
                              lambda z, s, at: (s,))
    below, above = np.split(np.sign(mean), 2)
    if above[0] != 0.0 and np.all(above == above[0]) and np.all(below == -above[0]):
        raise NoMinimumError(
            f"{shown} with labels='sign', noise_variance=0 and flip={values['flip']:g}: the mean feature separates the "
            f"labels, and no readout minimises the loss {loss.name!r} (its mean m grows without bound, the objective "
            "falls to 0); expected a noise_variance above 0, a flip between 0 and 1, or a target beside the spike "
            "(there the objective falls like sqrt(1 - gamma**2)), or a width")


def _falls(loss):
    """Return whether a loss still falls, or stays at its minimum, at large margins."""
    label, far = np.array([1.0, -1.0]), 60.0
    nearer, farther = (loss.value(label, label * z) for z in (far - 10.0, far))
    return bool(np.all(farther <= nearer))
