"""Proof errors that more working digits cannot change."""

from ..balls.work import SpentError
from ..errors import ProofError

__all__ = ["is_settled", "is_spent", "refusal"]


def refusal(text):
    """Return a :class:`ProofError` after which no further attempt is made."""
    error = ProofError(text)
    error.settled = True
    return error


def is_settled(error):
    """Return whether no further attempt is to be made after an error."""
    return getattr(error, "settled", False)


def is_spent(error):
    """Return whether an error is a spent budget of evaluations, which is final the second time."""
    return isinstance(error.__cause__, SpentError)
