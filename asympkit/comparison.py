"""Compare the draws of a simulation with the numbers of a theory: the statistics of a check, without its text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import DomainError
from .once import Deferred

if TYPE_CHECKING:
    from collections.abc import Collection

_special = Deferred("scipy.special")

#: the four outcomes
AGREE, WITHIN, DIFFER, NOT_TESTED = "agree", "within the idealisation", "differ", "not tested"
#: level of the overall test: the probability that a correct theory is rejected
LEVEL = 0.001
#: relative difference that a simulation must be able to detect to count as a test
VISIBLE = 0.25
#: standard errors that are added to a tolerance
_ON_TOP = 2.0
#: relative difference that counts as rounding
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Tolerance:
    """Allow a theory a difference, because it idealises the simulated model.

    Attributes
    ----------
    quantity : str
    share : float
        Relative to the value of the theory.
    why : str

    Raises
    ------
    DomainError
        For a share that is negative or not a number.

    Examples
    --------
    >>> Tolerance("test_error", 0.02, "the bulk is idealised")
    Tolerance(quantity='test_error', share=0.02, why='the bulk is idealised')
    """

    quantity: str
    share: float
    why: str

    def __post_init__(self) -> None:
        is_number = isinstance(self.share, int | float) and not isinstance(self.share, bool)
        if not is_number or not self.share >= 0.0:
            raise DomainError(f"Tolerance: got the share {self.share!r} for {self.quantity}; expected a number >= 0, "
                              "relative to the theory")
        if not isinstance(self.quantity, str) or not isinstance(self.why, str):
            raise DomainError(f"Tolerance: got {self.quantity!r} and {self.why!r}; expected the name of a quantity and "
                              "a text")


@dataclass(frozen=True)
class Comparison:
    """Hold the comparison of one number of a theory with the mean of independent draws.

    Attributes
    ----------
    z : float
        Difference in standard errors; infinite for draws that are not finite.
    p_value : float
        Of the whole difference: two-sided, Student's t, for this number alone.
    difference, error : float
        Signed difference and standard error, relative to the theory.
    granted : float
        Relative tolerance.
    visible : float
        The smallest relative difference that would have failed, with this error and tolerance.
    outcome : str
        ``AGREE``, ``WITHIN`` (excluded by the error, at most two standard errors above the tolerance),
        ``DIFFER``, or ``NOT_TESTED`` (not excluded, and no difference of 25 % would have been).
    """

    z: float
    p_value: float
    difference: float
    error: float
    granted: float
    visible: float
    outcome: str


def compare(mean: float, stderr: float, repeats: int, theory: float, *, granted: float = 0.0, count: int = 1,
            scale: float | None = None) -> Comparison:
    """Compare one number with the mean of independent draws, as one of ``count`` comparisons that are judged together.

    ``granted`` is a relative tolerance, ``scale`` the size of a number that vanishes.  Each comparison is tested at the
    level :data:`LEVEL` over their number (Bonferroni), because their dependence is unknown.
    """
    size = abs(theory) or float(scale or 0.0)
    difference = mean - theory
    if not (math.isfinite(difference) and math.isfinite(stderr)):
        return Comparison(math.inf, 0.0, math.nan, math.nan, granted, math.inf, DIFFER)
    if abs(difference) <= _ROUNDING * max(size, float(scale or 0.0)):
        z = 0.0
    else:
        z = difference / stderr if stderr else math.copysign(math.inf, difference)
    allowed = granted if granted in (0.0, math.inf) else granted * abs(theory) + _ON_TOP * stderr
    visible = max(_critical(repeats, count) * stderr, allowed)
    visible = visible / size if size else math.inf
    if not theory:                  # differences below rounding of its scale do not count
        visible = max(visible, _ROUNDING)
    p_value = two_sided(z, repeats)
    is_excluded = p_value < LEVEL / count
    if is_excluded and not abs(difference) <= allowed:
        outcome = DIFFER
    elif not visible <= VISIBLE:
        outcome = NOT_TESTED
    else:
        outcome = WITHIN if is_excluded else AGREE
    relative = 1.0 / size if size else math.inf
    return Comparison(z, p_value, _times(difference, relative), _times(stderr, relative), granted, visible, outcome)


def overall(comparisons: Collection[Comparison]) -> tuple[str, float | None]:
    """Return the outcome of several comparisons, the worst, tested if any of them is, and a p-value.

    That is the p-value that no number differs, without tolerances (Bonferroni); None if nothing was tested.
    """
    outcomes = {c.outcome for c in comparisons}
    found = next((o for o in (DIFFER, WITHIN, AGREE) if o in outcomes), NOT_TESTED)
    if found == NOT_TESTED:
        return found, None
    return found, min(1.0, len(comparisons) * min(c.p_value for c in comparisons))


def two_sided(z: float, repeats: int) -> float:
    """Return the probability of a mean at least z standard errors away, with the error estimated from normal draws."""
    return float(2.0 * _special.stdtr(repeats - 1, -abs(z))) if math.isfinite(z) else 0.0


def _critical(repeats: int, count: int) -> float:
    """Return the number of standard errors from which on a difference is excluded."""
    return float(-_special.stdtrit(repeats - 1, 0.5 * LEVEL / count))


def _times(value: float, factor: float) -> float:
    return value * factor if value else 0.0
