"""Results of simulations: measured means with their standard errors; and the checks of arguments of simulations."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, SupportsFloat

import numpy as np

from ..arguments import check_axis, check_value
from ..errors import DomainError, UnknownNameError, suggest
from ..notation import add_title, align_table, escape_html, name, one_screen, summarise, table
from ..plot.curves import draw_simulation

if TYPE_CHECKING:
    from collections.abc import Iterator, KeysView, Sequence
    from typing import TypeAlias

    from numpy.typing import ArrayLike, NDArray

    from ..annotations import Arrays, Floats

    Sizes: TypeAlias = "dict[str, int | float | NDArray[np.int64]]"


@dataclass(frozen=True, eq=False)
class Estimate:
    """Hold a mean over independent repeats.

    Attributes
    ----------
    mean, stderr : float or ndarray
        Mean and its standard error ``std(ddof=1) / sqrt(R)`` over the R repeats.
    values : ndarray
        One entry a repeat, along the first axis.
    """

    mean: float | Floats
    stderr: float | Floats
    values: Floats

    @classmethod
    def from_values(cls, values: ArrayLike) -> Estimate:
        """Return the estimate from the values of at least one repeat.

        Parameters
        ----------
        values : array_like, shape (repeats, ...)

        Returns
        -------
        Estimate
            With a single repeat the error is nan.
        """
        values = np.asarray(values, dtype=np.float64)
        repeats = len(values)
        mean = values.mean(axis=0)
        if repeats > 1:
            stderr = values.std(axis=0, ddof=1) / math.sqrt(repeats)
        else:
            stderr = np.full_like(mean, np.nan)
        if values.ndim == 1:
            return cls(float(mean), float(stderr), values)
        return cls(mean, stderr, values)

    def __repr__(self) -> str:
        count = f"{len(self.values)} repeats"
        if np.ndim(self.mean) == 0:
            return f"<Estimate {self}, {count}>"
        return one_screen(f"<Estimate, {count}: mean {summarise(self.mean)}, standard error {summarise(self.stderr)}>")

    def _repr_html_(self) -> str:
        return f"<div>{escape_html(repr(self))}</div>"

    def __str__(self) -> str:
        if np.ndim(self.mean) == 0:
            return with_error(self.mean, self.stderr)
        return "[" + ", ".join(map(with_error, np.ravel(self.mean), np.ravel(self.stderr))) + "]"


def with_error(mean: SupportsFloat, stderr: SupportsFloat) -> str:
    """Write a mean with the two leading digits of its error: ``0.1234(56)``."""
    mean, stderr = float(mean), float(stderr)
    if not (math.isfinite(mean) and math.isfinite(stderr)):
        return f"{mean:.6g}({stderr:.2g})"
    if stderr == 0:
        return f"{mean:.6g}(0)"
    power = math.floor(math.log10(max(abs(mean), stderr)))
    suffix = ""
    if not -5 < power < 6:
        suffix = f"e{power:+03d}"
        mean, stderr = mean / 10.0**power, stderr / 10.0**power
    decimals = 1 - math.floor(math.log10(stderr))
    if round(stderr * 10.0**decimals) >= 100:
        decimals -= 1
    decimals = min(max(decimals, 0), 17)
    return f"{mean:.{decimals}f}({round(stderr * 10.0**decimals)}){suffix}"


#: largest number of sizes along an axis that are listed one by one
_FEW = 8


class Estimates:
    """Base of the results of all simulations: estimates by name, a table as text.

    Subclasses have ``estimates``, ``axes``, ``repeats``, ``seed``, ``sizes`` and ``shown_sizes``.
    """

    if TYPE_CHECKING:
        estimates: dict[str, Estimate]
        axes: Arrays
        repeats: int
        seed: int

        @property
        def sizes(self) -> Sizes:
            """Return all sizes by name."""

        @property
        def shown_sizes(self) -> Sizes:
            """Return the sizes that a table shows."""

        @property
        def size_text(self) -> str:
            """Return the size that determines the resolution of a simulation."""

    def __getitem__(self, name: str) -> Estimate:
        try:
            return self.estimates[name]
        except KeyError:
            raise UnknownNameError(
                f"observable {name!r} is not simulated; expected one of "
                f"{', '.join(self.estimates)}{suggest(name, self.estimates)}"
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.estimates)

    def keys(self) -> KeysView[str]:
        """Return the names of the observables."""
        return self.estimates.keys()

    def __repr__(self) -> str:
        return one_screen(f"<{type(self).__name__}>\n{self}")

    def _ipython_key_completions_(self) -> list[str]:
        return [*self.estimates]

    def _repr_html_(self) -> str:
        head = f"{type(self).__name__}: {self.sizes_text}, {self.repeats} repeats, seed {self.seed}"
        axes = [(name(k), f"{v.size} points", v.min(), v.max()) for k, v in self.axes.items()]
        rows = [(name(k), _range(e) if self.axes else str(e)) for k, e in self.estimates.items()]
        return add_title(head, *([table(axes)] if axes else []), table(rows, ("", "mean, with its standard error")))

    def plot(self, name: str | Sequence[str] | None = None, ax: Any = None, **style: Any) -> Any:
        """Draw means with their standard errors along the axes; without axes the value of each repeat too.

        Parameters
        ----------
        name : str or list of str, optional
            Observables; by default all, or the first if there are two axes.
        ax : matplotlib axes, optional
            Where to draw; an array of axes for several panels.
        **style
            Passed to matplotlib.

        Returns
        -------
        matplotlib axes
            An array of axes for several panels.

        Raises
        ------
        NotAvailableError
            If matplotlib is not installed.
        """
        return draw_simulation(self, name, ax, style)

    @property
    def sizes_text(self) -> str:
        """Return the sizes that were really used, in one line."""
        return " ".join(f"{k}={_listed(np.ravel(v))}" for k, v in self.shown_sizes.items())

    def __str__(self) -> str:
        head = f"{self.sizes_text} repeats={self.repeats} seed={self.seed}"
        if self.axes:
            rows = [[*self.axes, *self.estimates]]
            for index in np.ndindex(*(axis.size for axis in self.axes.values())):
                at = [f"{axis[i]:.6g}" for axis, i in zip(self.axes.values(), index)]
                measured = [(np.asarray(e.mean), np.asarray(e.stderr)) for e in self.estimates.values()]
                rows.append(at + [with_error(mean[index], stderr[index]) for mean, stderr in measured])
        else:
            rows = [[name, str(value)] for name, value in self.estimates.items()]
        return "\n".join([head, *align_table(rows)])


def _listed(sizes: NDArray[Any]) -> str:
    """Return a few sizes one by one, many as the smallest and the largest."""
    return ",".join(map(str, sizes)) if sizes.size <= _FEW else f"{sizes.min()}..{sizes.max()}"


def _range(estimate: Estimate) -> str:
    """Return the smallest and largest mean along the axes."""
    mean, error = np.ravel(estimate.mean), np.ravel(estimate.stderr)
    return " to ".join(with_error(mean[k], error[k]) for k in (np.argmin(mean), np.argmax(mean)))


@dataclass(frozen=True, eq=False, repr=False)
class Simulation(Estimates):
    """Hold estimates of the observables, with the sizes that were really used.

    Attributes
    ----------
    estimates : dict of str to Estimate
        ``simulation["test_error"]`` is short for ``simulation.estimates["test_error"]``.
    d, p, n, n0 : int
        Input dimension, width, samples of the ridge regression (an array along alpha) and of the gradient step
        (0 without a step, inf for the population gradient).
    test_size : int
        Fresh inputs the errors are measured on, in each repeat.
    repeats : int
        Number of finished repeats.
    seed : int
    lam : float or ndarray
        Penalty.
    axes : dict of str to ndarray
        Those of ``alpha`` and ``lam`` that are arrays, as given: the axes of each estimate, in this order.
    """

    estimates: dict[str, Estimate]
    d: int
    p: int
    n: int | NDArray[np.int64]
    n0: int | float
    test_size: int
    repeats: int
    seed: int
    lam: float | Floats
    axes: Arrays = field(default_factory=dict)

    @property
    def alpha0(self) -> float:
        """Return the samples of the gradient step over dimension, after rounding."""
        return self.n0 / self.d

    @property
    def alpha(self) -> float | Floats:
        """Return the samples of the ridge regression over dimension, after rounding."""
        return self.n / self.d

    @property
    def beta(self) -> float:
        """Return width over dimension, after rounding."""
        return self.p / self.d

    @property
    def shown_sizes(self) -> Sizes:
        """Return the sizes of the network and of its data."""
        return {"d": self.d, "p": self.p, "n": self.n, "n0": self.n0}

    @property
    def sizes(self) -> Sizes:
        """Return all sizes by name."""
        return {**self.shown_sizes, "test_size": self.test_size}

    @property
    def size_text(self) -> str:
        """Return the size that determines the resolution of a simulation."""
        return f"n = {self.n}"


@dataclass(frozen=True, eq=False, repr=False)
class Draws(Estimates):
    """Hold estimates of a user-defined or theory-specific simulator.

    Attributes
    ----------
    estimates : dict of str to Estimate
    sizes : dict of str to int
        The size of the finite model, by its name.
    repeats, seed : int
        Number of finished repeats, and the seed of all of them.
    """

    estimates: dict[str, Estimate]
    sizes: Sizes
    repeats: int
    seed: int
    axes: Arrays = field(default_factory=dict)

    @property
    def shown_sizes(self) -> Sizes:
        """Return :attr:`sizes`."""
        return self.sizes

    @property
    def size_text(self) -> str:
        """Return the size in words."""
        return ", ".join(f"{k} = {v}" for k, v in self.sizes.items())


# -- arguments ---------------------------------------------------------------------------------------


def check_grid(name: str, value: Any, domain: str = "nonnegative") -> float | np.ndarray:
    """Return a number as a float of a domain, several as a one-dimensional array."""
    if np.ndim(value) == 0:
        return check_value(name, value, domain)
    return np.array([check_value(name, entry, domain) for entry in check_axis(name, value).tolist()])


def round_count(name: str, ratio: float, d: int, of: str) -> int:
    """Return ``round(ratio * d)``; raise for a ratio that rounds to nothing."""
    number = round(ratio * d)
    if number < 1:
        raise DomainError(f"{name}={ratio!r} at d={d} leaves no {of}: expected {name} >= {1 / d:g}, "
                          "or a larger d")
    return number
