"""Hold a measured mean with its standard error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, SupportsFloat

import numpy as np

from ...notation import escaped
from ...summary import one_screen, short

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ...annotations import Floats


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
        return one_screen(f"<Estimate, {count}: mean {short(self.mean)}, standard error {short(self.stderr)}>")

    def _repr_html_(self) -> str:
        return f"<div>{escaped(repr(self))}</div>"

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

