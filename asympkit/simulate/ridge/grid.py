"""Hold the sample sizes and penalties of the readouts of one network."""

from dataclasses import dataclass

import numpy as np

from ...errors import DomainError
from ..core import arguments as check
from ..core.estimate import Estimate
from ..core.simulation import Simulation

NAMES = ("alpha", "lam")


def penalties(lam):
    """Return a penalty as a float, several as a one-dimensional array."""
    return check.one_or_several("lam", lam, low=0.0)


@dataclass(frozen=True, eq=False)
class Grid:
    """Hold numbers of samples and penalties; those given as arrays are axes of the results.

    Attributes
    ----------
    axes : dict of str to ndarray
        Those of ``alpha`` and ``lam`` that are arrays, as given, in the order of the results.
    sizes : tuple of int
        Samples, after rounding, one for each alpha.
    lam : ndarray, shape (L,)
    """

    axes: dict
    sizes: tuple
    lam: np.ndarray

    @classmethod
    def read(cls, alpha, lam, d, order):
        """Check the arguments."""
        if sorted(order) != sorted(NAMES):
            raise DomainError(f"order={order!r}: expected ('alpha', 'lam') or ('lam', 'alpha')")
        given = {"alpha": check.one_or_several("alpha", alpha, low=0.0, open_low=True), "lam": penalties(lam)}
        sizes = tuple(check.count("alpha", ratio, d, "sample") for ratio in np.atleast_1d(given["alpha"]).tolist())
        return cls({name: given[name] for name in order if np.ndim(given[name])}, sizes, np.atleast_1d(given["lam"]))

    @property
    def shape(self):
        """Return the shape of an observable of one repeat: samples before penalties."""
        return tuple(self.axes[name].size for name in NAMES if name in self.axes)

    def test_size(self, given):
        """Return the number of fresh inputs, checked, or the default."""
        return max(4 * max(self.sizes), 10000) if given is None else check.integer("test_size", given, low=1)

    def simulation(self, estimates, repeats, **sizes):
        """Make the result from the estimates."""
        if tuple(self.axes) == NAMES[::-1]:
            estimates = {name: Estimate(e.mean.T, e.stderr.T, e.values.swapaxes(1, 2)) for name, e in estimates.items()}
        n = np.array(self.sizes) if "alpha" in self.axes else self.sizes[0]
        lam = self.lam if "lam" in self.axes else float(self.lam[0])
        return Simulation(estimates, n=n, lam=lam, axes=self.axes, repeats=repeats, **sizes)
