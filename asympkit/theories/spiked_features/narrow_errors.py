"""Where the error of signs turns along the spike: a readout that hardly varies beside it flips its sign in a step."""

import numpy as np

from ...runtime.features import SCAN, find_features
from ...runtime.means import normal_means

__all__ = ["NarrowErrors"]

#: a spread over a mean from which on no step is narrow, whatever the student
_WIDE = 0.3


class NarrowErrors:
    r"""The steps of a probability that a prediction :math:`C+\sqrt Q\,z` passes a level.

    The mean overlap alone moves C where the spread is small beside it.  The interface is that of
    :class:`~asympkit.solve.narrow.NarrowFeatures`.

    Parameters
    ----------
    student : Activation
    levels : tuple of float
        Predictions at which integrands turn.
    """

    def __init__(self, student, levels):
        self.student, self.levels = student, levels

    def may_be(self, values):
        """Find solutions, arrays by name, at which there may be narrow steps."""
        return np.asarray(values["q1"]) < (_WIDE * np.asarray(values["m"]) * np.asarray(values["r"])) ** 2

    def at(self, values):
        """Find centres and widths of the steps at a solution, and the largest step of a rule that meets all others."""
        if not self.may_be(values):
            return [], np.inf
        r, spread, m = values["r"], np.sqrt(values["c"]), values["m"]
        offset = values.get("bias", 0.0)
        found = set()
        for level in self.levels:
            def argument(x, level=level):
                (mu0, slope, square), _ = normal_means(self.student, offset + r * x, spread,
                                                       lambda z, s, at: (s, z * s, s * s))
                mu1 = slope / spread
                Q = values["q1"] * mu1**2 + values["q2"] * np.maximum(square - mu0**2 - slope**2, 0.0)
                with np.errstate(all="ignore"):
                    return (m * mu0 - level) / np.sqrt(Q), m * r * mu1 / np.sqrt(Q), np.zeros_like(x)

            found |= set(zip(*map(np.ndarray.tolist, find_features(argument, True, SCAN[::5]))))
        return sorted(found), np.inf
