"""Errors and warnings a person can cause, all below :class:`AsympkitError`.

A message names the argument, the value, what was expected, and what to do.
"""

import difflib


class AsympkitError(Exception):
    """Base of every error asympkit raises on purpose."""


class ParseError(AsympkitError, ValueError):
    """A text is not an expression of the whitelist grammar."""


class UnknownNameError(ParseError):
    """A name (activation, function, parameter, observable) that does not exist."""


class DomainError(AsympkitError, ValueError):
    """A value lies outside the domain on which the theory is stated."""


class ConvergenceError(AsympkitError):
    """A solver or a quadrature did not reach the accuracy asked for.

    Attributes
    ----------
    solution : object or None
        What had been reached when the computation gave up.
    """

    def __init__(self, message, solution=None):
        super().__init__(message)
        self.solution = solution


class StructureError(AsympkitError, ValueError):
    """A theory whose equations cannot be put in solvable form."""


class NotAvailableError(AsympkitError):
    """A reading that needs an optional dependency which is not installed."""


class AssumptionWarning(UserWarning):
    """An assumption of a paper does not hold for the given input."""


def suggest(name, known):
    """Return ``"; did you mean 'x'?"`` for the nearest of the known names, or ``""``."""
    near = difflib.get_close_matches(str(name), [str(k) for k in known], n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


class ProofError(AsympkitError, ValueError):
    """A certificate cannot be had: the text names the hypothesis that failed."""


class SweepFileError(AsympkitError):
    """A sweep that could not be written to its file.

    Attributes
    ----------
    sweep : Sweep or None
        Everything that was finished; save it elsewhere with ``to_npz`` or ``to_csv``.
    """

    def __init__(self, message, sweep=None):
        super().__init__(message)
        self.sweep = sweep
