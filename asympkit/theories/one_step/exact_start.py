"""Start Newton's method for the exact bulk at the solution over the isotropic bulk."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...solve.ladder import FIRST
from ..spiked_features.theory import isotropic_kernel

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...activations.activation import Activation

__all__ = ["IsotropicStart", "NearBulk"]


class NearBulk:
    """Start near the spectrum of a bulk far from isotropic: solve its own equations at given conjugates.

    Damped iteration of their maps converges slowly from any start; Newton's method does not always converge.
    """

    def __init__(self, isotropic: IsotropicStart, is_odd: bool) -> None:
        self.isotropic, self.is_odd = isotropic, is_odd

    @cached_property
    def _equations(self):
        """Build the equations of the bulk, only when they are needed."""
        from ...readings.inner_unknowns import InnerUnknowns
        from .exact_module import inner, limit_parameters, table_parameters

        functions = dict(zip(("student", "target"), self.isotropic.functions))
        return InnerUnknowns(inner(self.is_odd), limit_parameters(self.is_odd), table_parameters(self.is_odd),
                             functions)

    def __call__(self, points: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return starts as :class:`IsotropicStart` does."""
        from .exact_equations import symbols

        named, begin = vars(symbols()), self.isotropic(points)
        values = {named[n]: v for n, v in {**points, "Vhat1": begin["Vhat1"], "Vhat2": begin["Vhat2"]}.items()}
        found = self._equations(values, {u: begin[u.name] for u in self._equations.unknowns})
        good = np.all([np.isfinite(v) for v in found.values()], axis=0)
        return begin | {u.name: np.where(good, v, begin[u.name]) for u, v in found.items()}


class IsotropicStart:
    """Return starts for points of one student and target.

    The exact bulk has the unknowns of its spectrum beside V1 and V2, and Newton's method for all of them does not
    always
    converge from a distant start, above all at small penalties.  Over rows of the same mean squared norm c they are
    explicit.
    """

    def __init__(self, student: Activation, target: Activation) -> None:
        self.functions = student, target
        self._tables: dict[Any, Any] = {}

    def __call__(self, points: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return starts by unknown, from parameters by name; points that are solved together share their tables."""
        kernel = isotropic_kernel()
        module = kernel.module
        shared = tuple(float(points[n][0]) for n in module.TABLE_PARAMETERS)
        if shared not in self._tables:                  # refinements and sweeps use one step many times
            self._tables = {shared: kernel.tables(FIRST, shared, self.functions, ())[0]}
        out, _ = kernel.batch([points[n] for n in module.PARAMETERS], self._tables[shared])
        at = dict(zip(module.OUTPUTS, out))
        with np.errstate(all="ignore"):
            g = points["beta"] * at["Vhat1"] * at["V2"]
            b = 1.0 / (1.0 + g * points["c"])
        # g = 0, for units without a linear part, is a root that cannot be reached in the logarithm
        found = {"V1": at["V1"], "V2": at["V2"], "b": b, "u": b, "w": b, "g": g, "Vhat1": at["Vhat1"],
                 "Vhat2": at["Vhat2"]}
        good = np.all([np.isfinite(v) & (v >= 0.0) for v in found.values()], axis=0)
        return {n: np.where(good, v, 1.0) for n, v in found.items()}
