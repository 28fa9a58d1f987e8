"""``ak.SpikedFeatures`` with a bias that is trained together with the readout."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq

from ...arguments.domains import check_value
from ...errors import ConvergenceError, DomainError, NotAvailableError
from ...once import computed_once
from ...solve.solution import Solution
from .convex import ConvexFeatures
from .convex_equations import bias_slope, system
from .theory import involves_parameter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...annotations import Start, Value
    from ...equations.system import System
    from ...solve.kernel import Kernel

__all__ = ["LearnedBias", "LearnedSolution"]

#: biases that are scanned for minima, and the accuracy of a minimum
_SCANNED, _FOUND = np.linspace(-4.0, 4.0, 33), 1e-13
#: accuracy of the averages of the scan
_ROUGH = 1e-6


@dataclass(frozen=True)
class LearnedSolution(Solution[float]):
    """Hold the solution at the learned bias.

    Attributes
    ----------
    minima : tuple of (float, float)
        All minima of the training objective that were found, ``(bias, objective)``, the lowest first.
    """

    minima: tuple[tuple[float, float], ...] = field(default=())


class _AnyBias(ConvexFeatures):
    """Solve features with a bias, and the derivative of their objective by it, with one kernel for all biases."""

    @computed_once
    def compact(self) -> System:
        plain = system(self.setting)
        return plain.with_(observables={**plain.observables, "bias_slope": bias_slope(self.setting)})

    @computed_once
    def kernel(self) -> Kernel:
        """Return a kernel that accepts a solution without judging the derivative, which vanishes at a minimum."""
        return self.new_kernel(auxiliary=("bias_slope",))

    def at(self, bias: float) -> _AnyBias:
        """Return the same theory at another bias."""
        self.kernel                             # noqa: B018, the copy shares it
        found = object.__new__(type(self))
        found.__dict__ = {**self.__dict__, "bias": float(bias)}
        found.__dict__.pop("shifted_student", None)
        return found


class LearnedBias(ConvexFeatures):
    """Solve :class:`~asympkit.SpikedFeatures` with ``bias="learned"``."""

    def __init__(self, student, target, loss="square", labels="regression", bias="learned"):
        super().__init__(student, target, loss, labels)
        self.arguments = loss, labels

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.student, self.target, *self.arguments)

    @property
    def chosen(self) -> dict[str, Any]:  # type: ignore[override]
        """Return the constructor arguments, as for a fixed bias."""
        return {**super().chosen, "bias": "learned"}

    def regime(self, method: str, keywords: Mapping[str, Any]) -> LearnedBias:
        """Return the theory itself; refuse calls whose equations differ."""
        if involves_parameter("width", method, keywords):
            raise DomainError(f"width: got {keywords.get('width')!r} with bias='learned', which is found in the limit: "
                              "leave out the width, or give a number, bias=...")
        if self.find_teacher(keywords) != (self.teacher, self.direction):
            raise DomainError("gamma: got a spike along the target with bias='learned' and this loss, where the "
                              "equations differ: expected a gamma between -1 and 1, or a number, bias=...")
        return self

    @computed_once
    def fixed(self) -> _AnyBias:
        """Return the theory of a fixed bias."""
        loss, labels = self.arguments
        return _AnyBias(self.student, self.target, loss, labels, bias=1.0)

    def solve(self, *, rtol: float = 1e-12, start: Start | None = None, **parameters: Value) -> LearnedSolution:
        """Solve at the bias of the least training objective.

        Biases from -4 to 4 are scanned, and every minimum of the scan is refined as a root of the derivative.

        Parameters
        ----------
        rtol : float
            As for other theories.
        start : dict, optional
            Starting values of the unknowns at every bias.
        **parameters : float

        Returns
        -------
        LearnedSolution
            ``bias`` is the lowest of ``minima``.

        Raises
        ------
        ConvergenceError
            If no minimum lies between the ends of the scan.
        """
        parameters = self.given(parameters)

        def solved(bias, accuracy):
            return self.fixed.at(bias).solve(rtol=accuracy, start=start, **parameters)

        slopes = np.array([_slope(solved, b) for b in _SCANNED])
        found = []
        for k in np.flatnonzero((slopes[:-1] < 0.0) & (slopes[1:] >= 0.0)):
            bias = brentq(lambda b: solved(b, rtol).bias_slope, _SCANNED[k], _SCANNED[k + 1], xtol=_FOUND, rtol=8.9e-16)
            found.append((solved(bias, rtol).objective, bias))
        if not found:
            raise ConvergenceError(f"solve: the objective has no minimum at a bias between {_SCANNED[0]:g} and "
                                   f"{_SCANNED[-1]:g} at this point; fix the bias (bias=...), or move the parameters")
        found.sort()
        best = solved(found[0][1], rtol)
        same = {f.name: getattr(best, f.name) for f in fields(best)}
        same["parameters"] = {**best.parameters, "bias": found[0][1]}
        return LearnedSolution(**same, minima=tuple((bias, value) for value, bias in found))

    def __getattribute__(self, name: str) -> Any:
        if name in _REFUSED:
            raise NotAvailableError(f"{name}: a learned bias is found by solve() alone; give a number, bias=..., for "
                                    "the other methods")
        return super().__getattribute__(name)


_REFUSED = frozenset({"precise", "certify", "sweep", "sensitivity", "minimize", "continuation", "simulate", "check",
                      "generate", "maximize", "solutions", "plot"})


def _slope(solved, bias):
    """Return the derivative of the objective by the bias; NaN if there is no solution."""
    try:
        return solved(check_value("bias", bias, "real"), _ROUGH).bias_slope
    except ConvergenceError:
        return np.nan
