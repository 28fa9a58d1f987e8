"""What a simulation returns."""

from dataclasses import dataclass

import numpy as np

from ..errors import UnknownNameError, suggest
from .estimate import Estimate


@dataclass(frozen=True, eq=False)
class Simulation:
    """Estimates of the observables, with the sizes that were really used.

    Attributes
    ----------
    estimates : dict of str to Estimate
        ``simulation["test_error"]`` is short for ``simulation.estimates["test_error"]``.
    d, p, n, n0 : int
        Input dimension, width, samples of the ridge regression and of the gradient step
        (0 where there is none).
    test_size : int
        Fresh inputs the errors are measured on, in each repeat.
    repeats : int
        Repeats that were finished.
    seed : int
    lam : float or ndarray
        Penalty; for an array all estimates have one entry a penalty.
    """

    estimates: dict[str, Estimate]
    d: int
    p: int
    n: int
    n0: int
    test_size: int
    repeats: int
    seed: int
    lam: float | np.ndarray

    @property
    def alpha0(self):
        """Samples of the gradient step over dimension, after rounding."""
        return self.n0 / self.d

    @property
    def alpha(self):
        """Samples of the ridge regression over dimension, after rounding."""
        return self.n / self.d

    @property
    def beta(self):
        """Width over dimension, after rounding."""
        return self.p / self.d

    def __getitem__(self, name):
        try:
            return self.estimates[name]
        except KeyError:
            raise UnknownNameError(
                f"observable {name!r} is not simulated; expected one of "
                f"{', '.join(self.estimates)}{suggest(name, self.estimates)}"
            ) from None

    def __iter__(self):
        return iter(self.estimates)

    def keys(self):
        """Return the names of the observables."""
        return self.estimates.keys()

    def __str__(self):
        width = max(map(len, self.estimates), default=0)
        head = (f"d={self.d} p={self.p} n={self.n} n0={self.n0} "
                f"repeats={self.repeats} seed={self.seed}")
        return "\n".join([head, *(f"{name:<{width}}  {value}" for name, value in self.estimates.items())])
