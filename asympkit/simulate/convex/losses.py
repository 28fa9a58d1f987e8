"""Convex losses as functions of arrays: values, first and second derivatives, or proximal points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["NAMED", "ArrayLoss"]


@dataclass(frozen=True)
class ArrayLoss:
    """Hold a loss of labels y and predictions z.

    Attributes
    ----------
    name : str
        Identifies the loss in the file of a simulation.
    value : callable
        ``value(y, z)``.
    rates : callable or None
        ``(first, second)`` derivative in z; for a smooth loss.
    prox : callable or None
        ``prox(y, omega, V)``, the z that minimises ``(z - omega)**2/(2 V) + value(y, z)``; for a loss with kinks.
    """

    name: str
    value: Callable[..., Any] = field(repr=False)
    rates: Callable[..., Any] | None = field(default=None, repr=False)
    prox: Callable[..., Any] | None = field(default=None, repr=False)


def _half_square(y, z):
    return 0.5 * (y - z) ** 2


def _half_square_rates(y, z):
    return z - y, np.ones_like(z)


def _absolute(y, z):
    return np.abs(y - z)


def _absolute_prox(y, omega, V):
    return omega + np.clip(y - omega, -V, V)


def _hinge(y, z):
    return np.maximum(0.0, 1.0 - y * z)


def _hinge_prox(y, omega, V):
    return omega + y * np.clip(1.0 - y * omega, 0.0, V)


def _logistic(y, z):
    return np.logaddexp(0.0, -y * z)


def _logistic_rates(y, z):
    share = np.exp(-np.logaddexp(0.0, y * z))
    return -y * share, share * (1.0 - share)


#: losses by name; "square" is half the square
NAMED = {loss.name: loss for loss in (
    ArrayLoss("square", _half_square, _half_square_rates), ArrayLoss("absolute", _absolute, prox=_absolute_prox),
    ArrayLoss("hinge", _hinge, prox=_hinge_prox), ArrayLoss("logistic", _logistic, _logistic_rates))}
