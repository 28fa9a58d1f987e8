"""Simulate spiked features with a convex loss: a loss as functions of arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...numbers.evaluation import evaluate
from ...numbers.floats import Floats
from ...simulate.convex.losses import NAMED, ArrayLoss
from ..simulator import Simulator, size
from .theory import simulated_grid
from .width import width_notes

if TYPE_CHECKING:
    from typing import Any

    from ...losses import Loss

__all__ = ["array_loss", "simulator"]


@dataclass(frozen=True)
class _Own:
    """Evaluate a loss expression on arrays; other processes rebuild the functions."""

    loss: Loss

    def __getstate__(self):
        return {"loss": self.loss}

    def value(self, y, z):
        """Return the loss."""
        return self._at(self.loss.expr, y, z)

    def rates(self, y, z):
        """Return its derivatives in the prediction."""
        return tuple(self._at(e, y, z) for e in self._rates)

    @cached_property
    def _rates(self):
        return tuple(self.loss.expr.diff(self.loss.prediction, order) for order in (1, 2))

    def _at(self, expr, y, z):
        found = evaluate(expr, {self.loss.label: y, self.loss.prediction: z}, Floats())
        return np.broadcast_to(np.asarray(found, dtype=float), np.shape(z))

    def prox(self, y, omega, V):
        """Return its proximal point."""
        form, symbols = self._prox
        return np.asarray(evaluate(form, dict(zip(symbols, (y, omega, np.float64(V)))), Floats()), dtype=float)

    @cached_property
    def _prox(self):
        from sympy import Dummy

        symbols = self.loss.label, Dummy("omega", real=True), Dummy("V", positive=True)
        return self.loss.form.proximal(*symbols), symbols


def array_loss(loss: Loss) -> ArrayLoss:
    """Return a loss as functions of arrays, those of the simulator if it has them."""
    if loss.name in NAMED:
        return NAMED[loss.name]
    own = _Own(loss)
    if loss.pieces is None:
        return ArrayLoss(str(loss.expr), own.value, own.rates)
    return ArrayLoss(str(loss.expr), own.value, prox=own.prox)


def _simulate(theory, parameters, *, d, **how):
    from ...simulate import simulate_spiked

    grid, at = simulated_grid(parameters, theory.declared)
    p: dict[str, Any] = theory.read(at)
    given = {n: p[n] for n in ("r", "c", "gamma", "beta", "noise_variance")}
    return simulate_spiked(theory.shifted_student, theory.target, d=d,
                           task=replace(theory.task, flip=p.get("flip", 0.0)), **given, **how, **grid)


simulator = Simulator(_simulate, (size("d", "input dimension"),), axes=("alpha", "lam"), notes=width_notes)
