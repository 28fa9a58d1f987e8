"""Define errors and warnings that users can cause, all below :class:`AsympkitError`.

A message names the argument, the value, what was expected, and what to do.
"""

import difflib
import math
import sys
import threading
import warnings
from contextlib import contextmanager
from contextvars import ContextVar

TYPE_CHECKING = False           # typing, and what postpones annotations, take longer to load than this module
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from .simulate.simulation import Estimates
    from .solve.solution import Solution
    from .sweep.result import Sweep


#: prefixes of the names of modules of the package, and of those it generates
_OWN = ("asympkit.", "asympkit_kernel_")


class AsympkitError(Exception):
    """Report what asympkit refuses: the base of all its errors."""


class ParseError(AsympkitError, ValueError):
    """Report that a text is not an expression of the whitelist grammar."""


class UnknownNameError(ParseError):
    """Report that a name (activation, function, parameter, observable) does not exist."""


class DomainError(AsympkitError, ValueError):
    """Report that a value lies outside the domain on which the theory is stated."""


class LostDigitsError(DomainError):
    """Double precision lacks the digits, or the range, for a derived quantity; multiprecision has them."""


class ConvergenceError(AsympkitError):
    """Report that a solver or a quadrature did not reach the requested accuracy.

    Attributes
    ----------
    solution : object or None
        The last iterate.
    """

    def __init__(self, message: str, solution: "Solution[Any] | None" = None) -> None:
        super().__init__(message)
        self.solution = solution


class StructureError(AsympkitError, ValueError):
    """Report that the equations of a theory cannot be put in solvable form."""


class NotAvailableError(AsympkitError):
    """Report that a method is not available: a dependency is missing, or the theory does not support it."""


class AssumptionWarning(UserWarning):
    """Warn that an assumption of a paper does not hold for the given input."""


def warn_assumption(text: str, known: "set[str] | None" = None) -> None:
    """Issue an AssumptionWarning at the line outside of the package that the call came from.

    With a set of known texts a text is issued once, and added unless a filter ignores it.
    """
    if known is not None and text in known:
        return
    _warn_outside(text, AssumptionWarning)
    filters = (f[0] for f in warnings.filters if f[1] is f[3] is None and issubclass(AssumptionWarning, f[2]))
    if known is not None and next(filters, "default") != "ignore":
        known.add(text)


def warn_deprecated(old: str, new: str) -> None:
    """Issue a DeprecationWarning for an old name at the line outside of the package that uses it."""
    _warn_outside(f"{old} is deprecated and goes in version 0.3.0; use {new}", DeprecationWarning)


def warn_changed(text: str) -> None:
    """Issue a FutureWarning for a changed meaning at the line outside of the package that uses it."""
    _warn_outside(text, FutureWarning)


def _warn_outside(text: str, category: type[Warning]) -> None:
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and f"{frame.f_globals.get('__name__')}.".startswith(_OWN):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


class BrokenAssumptions:
    """Collect assumptions of a theory that do not hold at some of many points."""

    def __init__(self, model: "Any") -> None:
        self.model, self.size = model, 0
        self.found: dict[int, tuple[Any, ...]] = {}
        self.others: dict[str, None] = {}

    def take(self, shown: "dict[str, Any]", texts: "Iterable[str]", axes: "dict[str, Any]") -> None:
        """Take points that differ in some axes alone.

        ``texts`` are those of the first point, including ones that are not from an Assumption.
        """
        self.size += math.prod(a.size for a in axes.values())
        if not texts and not axes:                  # one point, at which all of them hold
            return
        others = dict.fromkeys(texts)
        for k, assumption in enumerate(self.model.assumptions):
            if not assumption.holds(shown):
                others.pop(assumption.describe_violation(shown), None)
            for here, share, value in assumption.violations(shown, axes):
                count, low, high, worst = self.found.get(k, (0, value, value, here))
                worst = here if abs(value) > max(abs(low), abs(high)) else worst
                self.found[k] = count + share, min(low, value), max(high, value), worst
        self.others |= others

    def texts(self, counted: bool = True) -> "list[str]":
        """Return one text for each assumption, with the range of its quantity and the number of points."""
        out = [*self.others]
        for k, (count, low, high, worst) in sorted(self.found.items()):
            assumption = self.model.assumptions[k]
            about = [f"{assumption.label} from {low:.3g} to {high:.3g}"] * (low < high)
            about += [f"at {count} of {self.size} points"] * (counted and (low < high or count < self.size))
            out.append(assumption.describe_violation(worst) + f" ({' '.join(about)})" * bool(about))
        return out


def suggest(name: object, known: "Iterable[object]") -> str:
    """Return ``"; did you mean 'x'?"`` for the nearest of the known names, or ``""``."""
    near = difflib.get_close_matches(str(name), [str(k) for k in known], n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


class ProofError(AsympkitError, ValueError):
    """Report that a proof failed, and which hypothesis."""


class UnfinishedError(AsympkitError):
    """Report that a long job did not finish.

    Attributes
    ----------
    result : Sweep, Simulation or None
        The finished part; None if that is too little.
    """

    def __init__(self, message: str, result: "Sweep | Estimates | None" = None) -> None:
        super().__init__(message)
        self.result = result


class WorkerLostError(UnfinishedError):
    """Report that a worker of an executor died, or that it was shut down, before the work was done."""


class SweepFileError(UnfinishedError):
    """Report that a sweep could not be written to its file.

    Attributes
    ----------
    sweep : Sweep or None
        All finished points; save it elsewhere with ``to_npz`` or ``to_csv``.
    """

    result: "Sweep | None"

    @property
    def sweep(self) -> "Sweep | None":
        return self.result


class SimulationFileError(UnfinishedError):
    """Report that a simulation could not be written to its file.

    Attributes
    ----------
    simulation : Simulation or None
        The estimates over all finished repeats; None with fewer than two.
    """

    result: "Estimates | None"

    @property
    def simulation(self) -> "Estimates | None":
        return self.result


#: seconds after which a call says that it goes on
_QUIET = 2.0
_said = ContextVar("_said", default=False)


@contextmanager
def note_when_long(text: str) -> "Iterator[None]":
    """Print one line on stderr, in a terminal, when a block takes longer than two seconds; none for blocks inside."""
    if _said.get() or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    timer = threading.Timer(_QUIET, print, (f"asympkit: {text}",), {"file": sys.stderr})
    timer.daemon, token = True, _said.set(True)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _said.reset(token)
