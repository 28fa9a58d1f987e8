"""Nonlinear spikes of finite strength, at a finite step size (arXiv 2310.07891, Gaussian equivalents)."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from ...errors import AssumptionWarning, DomainError, NotAvailableError
from ..declaration import Assumption, Parameter, broken
from .base import RIDGE, SpikeModel, whole_degree
from .gaps import FINITE_TOP
from .numbers import finite_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...activations import Activation
    from ...equations.system import System
    from ...program.names import Names
    from ...program.statements import Program
    from ...sensitivity.run import Tangent
    from ...solve.kernel import Kernel
    from ...theories.declared import Point, S

__all__ = ["FiniteStep"]

#: change of a hidden unit's argument, in standard deviations, beyond which the expansion in spikes does not hold
_LARGE = 1.0
#: relative change of an error by the last two degrees above which a warning is given
_UNSETTLED = 0.01


class FiniteStep(SpikeModel):
    r"""Solve the theory at given ``eta`` and ``n``; created and used by :class:`~asympkit.NonlinearSpikes`.

    The spikes :math:`c_1^kc_k\eta^k(\tilde X\beta)^{\circ k}(a^{\circ k})^\top`, :math:`k\le8`, are added to the
    untrained features as they are.  The series over k is asymptotic; the change by its last two degrees is the
    ``error_estimate`` of the solution.  The gaps of the real network are larger by a share that falls like 1/n at fixed
    :math:`\eta` (of the training gap 23 % at n = 500, 12 % at 1000 in a paired simulation), because the rest of the
    step, beyond the spikes, is left out here.

    The spikes are the Taylor series of :math:`\sigma(w_i^\top x+\eta c_1(\beta^\top x)a_i)` in the step, of which
    :math:`\eta|c_1||\beta|/\sqrt N` is the size: if it is not below 1 a warning is issued (in the limit
    :math:`\alpha\ge1/2` raises an error).
    """

    declared = (*RIDGE, Parameter("eta", "step size", "nonnegative"), Parameter("n", "number of samples", "positive"),
                Parameter("degree", "highest degree of the spikes", f"an integer from 0 to {FINITE_TOP}", None,
                          read=whole_degree(FINITE_TOP)))
    steps = ("eta", "n")
    default_degree = top = FINITE_TOP
    numbers = staticmethod(finite_numbers)

    def __init__(self, functions: dict[str, Activation], flags: dict[str, int], name: str) -> None:
        self.functions, self.flags = functions, flags
        self.name = f"{name}, finite step size"

    def source(self) -> str:
        """Raise: the numbers of a module follow from moments and degrees, which only the package computes."""
        raise NotAvailableError("generate: the theory at a finite step size cannot be exported as a module; export the "
                                "limit (NonlinearSpikes.generate), or sweep over eta and n and keep the file")

    @property
    def system(self) -> System:
        """Return the equations with their structure."""
        from .finite_equations import finite_system

        return finite_system()

    @property
    def program(self) -> tuple[Program, Names]:
        from .finite_equations import finite_program

        return finite_program()

    @property
    def kernel(self) -> Kernel:
        from ...generated.nonlinear_spikes import finite as nonlinear_spikes_finite
        from ...solve.kernel import Kernel

        return Kernel(nonlinear_spikes_finite)

    @cached_property
    def assumptions(self) -> tuple[Assumption, ...]:  # type: ignore[override]
        """Return the assumptions of the expansion in spikes."""
        return (Assumption(lambda at: not self._size(at) > _LARGE or not self.degrees(int(at["degree"])),
                           lambda at: f"eta = {at['eta']:g} is large at n = {at['n']:g}: the step moves the argument "
                           f"of a hidden unit by eta*|c_1|*|beta|/sqrt(N) = {self._size(at):.3g}, where the expansion "
                           "in spikes needs it to be small", ("eta", lambda at: at["eta"])),)

    def _size(self, at):
        width = self._width(at["n"], at["phi"], at["psi"])
        return at["eta"] * abs(self.moments["student"].coefficients[1]) * (
            self._length(at["phi"], at["noise_variance"]) / width) ** 0.5

    def _anywhere(self, parameters):
        p = super()._anywhere(parameters)
        self._size(p.shown)                 # raises for sizes beyond double precision
        return p._replace(assumptions=(*p.assumptions, *broken(self.assumptions, p.shown)))

    def accepted(self, verb: str, solution: S) -> S:
        solution = super().accepted(verb, solution)
        if verb != "solve":
            return solution
        parameters = solution.parameters
        used = self.degrees(int(solution.parameters["degree"]))
        if not used or max(used) < FINITE_TOP - 1:
            return solution
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AssumptionWarning)
            fewer = self.solve(parameters={**parameters, "degree": FINITE_TOP - 2})
        errors = [n for n in ("train_error", "test_error") if fewer[n]]         # without a penalty one may vanish
        change = max(abs(fewer[n] / solution[n] - 1.0) for n in errors)
        assumptions = solution.assumptions
        if change > _UNSETTLED:
            text = (f"eta = {solution.parameters['eta']:g} is large at n = {solution.parameters['n']:g}: the spikes of "
                    f"degrees {FINITE_TOP - 1} and {FINITE_TOP} still change the errors by {100 * change:.2g} %, and "
                    "higher ones, which are left out, would too")
            self.warn([text])
            assumptions = (*assumptions, text)
        return replace(solution, error_estimate=max(change, solution.error_estimate), assumptions=assumptions)

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        raise DomainError(f"{self.name}: derivatives are available for diverging spikes only (eta=None, n=None); at a "
                          f"finite step size take differences of solve(), or a sweep over {parameter}")
