"""A check on random matrices with its standard error: the mean over instances against a limit."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from sympy import sympify

from .checks import _Equation
from .document import Outcome


class Instances:
    """Random instances of a size, each from its own seed, drawn once for all the checks that read them.

    Parameters
    ----------
    draw : callable
        ``draw(rng, d)`` returns ``{name: (measured, limit)}``.
    seed, d, repeats : int
    """

    def __init__(self, draw, seed, d, repeats):
        self.draw, self.seed, self.d, self.repeats = draw, seed, d, repeats

    @cached_property
    def pairs(self):
        """``{name: array of shape (repeats, 2)}``, measured numbers and their limits."""
        import numpy as np

        seeds = np.random.SeedSequence([self.seed, self.d]).spawn(self.repeats)
        drawn = [self.draw(np.random.default_rng(s), self.d) for s in seeds]
        return {name: np.array([one[name] for one in drawn], dtype=float) for name in drawn[0]}


@dataclass(frozen=True)
class Sampled(_Equation):
    """The mean of measured minus limit is 0 within ``bound`` standard errors and ``drift/d``."""

    lhs: object
    rhs: object
    instances: Callable
    name: str
    drift: float
    bound: float
    kind = "sampled"

    def run(self, number):
        found = self.instances()
        measured, limit = found.pairs[self.name].T
        gap = measured - limit
        error = gap.std(ddof=1) / len(gap) ** 0.5
        z, allowed = gap.mean() / error, self.bound * error + self.drift / found.d
        trend = f" and {self.drift:g}/d" if self.drift else ""
        how = (f"mean {measured.mean():.5g} +/- {error:.2g} over {len(gap)} instances with d={found.d}, limit "
               f"{limit.mean():.5g}: z = {z:.1f}, allowed {self.bound:g} standard errors{trend}")
        size = abs(limit.mean())
        if size and not allowed < size / 2:
            return Outcome(False, f"{how}; too coarse to tell the limit from 0 or from its double", gap.mean())
        return Outcome(bool(abs(gap.mean()) <= allowed), how, gap.mean())


def sampled(lhs, rhs, instances, name, drift=0.0, bound=4.0):
    """A limit tested on random instances, with the standard error of their mean.

    Parameters
    ----------
    lhs, rhs : Expr
        What is said to converge, and the limit (for display).
    instances : callable
        Returns the :class:`Instances`; it is called when the step is run.
    name : str
        Which of the measured numbers.
    drift : float
        What the mean may differ by at finite size, times d.
    bound : float
        How many standard errors more.  All of it must be below half the limit, unless that is 0.
    """
    return Sampled(sympify(lhs), sympify(rhs), instances, name, drift, bound)
