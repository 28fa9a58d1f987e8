"""Convex losses, with their Moreau envelopes and proximal operators; those with a name are made when first used."""

from .loss import NAMED, Huber, Loss, Margin, Moreau, get_loss, prox

__all__ = ["Huber", "Loss", "Margin", "Moreau", "absolute", "hinge", "logistic", "prox", "square"]  # noqa: F822


def __getattr__(name: str) -> Loss:
    if name in NAMED:
        return get_loss(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
