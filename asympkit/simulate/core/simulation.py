"""What a simulation returns."""

from dataclasses import dataclass, field

import numpy as np

from ...errors import UnknownNameError, suggest
from .estimate import Estimate, with_error


class Estimates:
    """What simulations of all kinds share: estimates by name, a table as text.

    Subclasses have ``estimates``, ``axes``, ``repeats``, ``seed``, ``sizes`` and ``shown_sizes``.
    """

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

    @property
    def sizes_text(self):
        """Sizes that were really used, in one line."""
        return " ".join(f"{k}={','.join(map(str, np.atleast_1d(v)))}" for k, v in self.shown_sizes.items())

    def __str__(self):
        head = f"{self.sizes_text} repeats={self.repeats} seed={self.seed}"
        if self.axes:
            rows = [[*self.axes, *self.estimates]]
            for index in np.ndindex(*(axis.size for axis in self.axes.values())):
                at = [f"{axis[i]:.6g}" for axis, i in zip(self.axes.values(), index)]
                rows.append(at + [with_error(e.mean[index], e.stderr[index]) for e in self.estimates.values()])
        else:
            rows = [[name, str(value)] for name, value in self.estimates.items()]
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join([head, *("  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in rows)])


@dataclass(frozen=True, eq=False)
class Simulation(Estimates):
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

    @property
    def shown_sizes(self):
        """Sizes of the network and of its data."""
        return {"d": self.d, "p": self.p, "n": self.n, "n0": self.n0}

    @property
    def sizes(self):
        """All sizes by name."""
        return {**self.shown_sizes, "test_size": self.test_size}

    @property
    def size_text(self):
        """The size that decides how much a simulation can see."""
        return f"n = {self.n}"


@dataclass(frozen=True, eq=False)
class Draws(Estimates):
    """Estimates of a theory's own simulator.

    Attributes
    ----------
    estimates : dict of str to Estimate
    sizes : dict of str to int
        The size of the finite model, by its name.
    repeats, seed : int
        Repeats that were finished, and the seed of all of them.
    """

    estimates: dict[str, Estimate]
    sizes: dict
    repeats: int
    seed: int
    axes: dict = field(default_factory=dict)

    @property
    def shown_sizes(self):
        """As :attr:`sizes`."""
        return self.sizes

    @property
    def size_text(self):
        """The size in words."""
        return ", ".join(f"{k} = {v}" for k, v in self.sizes.items())
