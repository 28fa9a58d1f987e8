"""Refusals that more working digits cannot change."""

from ..errors import ProofError

__all__ = ["is_settled", "refusal"]


def refusal(text):
    """A :class:`ProofError` after which no further attempt is made."""
    error = ProofError(text)
    error.settled = True
    return error


def is_settled(error):
    """Whether an error is such a refusal."""
    return getattr(error, "settled", False)
