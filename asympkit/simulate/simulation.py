"""What a simulation returns."""

from dataclasses import dataclass, field

import numpy as np

from ..errors import UnknownNameError, suggest
from .estimate import Estimate, with_error


@dataclass(frozen=True, eq=False)
class Simulation:
    """Estimates of the observables, with the sizes that were really used.

    Attributes
    ----------
    estimates : dict of str to Estimate
        ``simulation["test_error"]`` is short for ``simulation.estimates["test_error"]``.
    d, p, n, n0 : int
        Input dimension, width, samples of the ridge regression (an array along alpha) and of the gradient step
        (0 where there is none).
    test_size : int
        Fresh inputs the errors are measured on, in each repeat.
    repeats : int
        Repeats that were finished.
    seed : int
    lam : float or ndarray
        Penalty.
    axes : dict of str to ndarray
        Those of ``alpha`` and ``lam`` that are arrays, as asked for: the axes of each estimate, in this order.
    """

    estimates: dict[str, Estimate]
    d: int
    p: int
    n: int | np.ndarray
    n0: int
    test_size: int
    repeats: int
    seed: int
    lam: float | np.ndarray
    axes: dict = field(default_factory=dict)

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
        n = ",".join(map(str, np.atleast_1d(self.n)))
        head = f"d={self.d} p={self.p} n={n} n0={self.n0} repeats={self.repeats} seed={self.seed}"
        if self.axes:
            rows = [[*self.axes, *self.estimates]]
            for index in np.ndindex(*(axis.size for axis in self.axes.values())):
                at = [f"{axis[i]:.6g}" for axis, i in zip(self.axes.values(), index)]
                rows.append(at + [with_error(e.mean[index], e.stderr[index]) for e in self.estimates.values()])
        else:
            rows = [[name, str(value)] for name, value in self.estimates.items()]
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join([head, *("  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in rows)])
