"""Refusals that more working digits cannot change."""

from ..balls.work import SpentError
from ..errors import ProofError

__all__ = ["is_settled", "is_spent", "refusal"]


def refusal(text):
    """A :class:`ProofError` after which no further attempt is made."""
    error = ProofError(text)
    error.settled = True
    return error


def is_settled(error):
    """Whether an error is such a refusal."""
    return getattr(error, "settled", False)


def is_spent(error):
    """Whether an error is about a budget of evaluations that is spent: a second time it is settled."""
    return isinstance(error.__cause__, SpentError)
