r"""Nonlinear spikes of finite strength, at a finite step size (arXiv 2310.07891, Gaussian equivalents).

The equations of nonlinear spikes at a finite step size (section 8 of the theory; arXiv 2310.07891).

Each spike keeps its strength: the readouts :math:`h_k` of the spikes solve
:math:`(\Theta G\Theta+A_m^{-1})v=\Theta b` with :math:`v_k=s_kh_k`, and :math:`y^TRy` loses
:math:`b^T\Theta v`.  Rows and columns are scaled by :math:`s_k=(1+\theta_k^2)^{-1/2}`, so that weak and
diverging spikes are equally harmless; degrees of different parity decouple.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from math import factorial
from types import SimpleNamespace
from typing import TYPE_CHECKING

from sympy import Integer, Rational, Symbol, sqrt

from ...equations.system import System
from ...errors import AssumptionWarning, DomainError, NotAvailableError
from ...nodes import Named
from ...once import computed_once
from ...program import build
from ...sensitivity.tangent import tangent_system
from ...solve.kernel import Kernel
from ..declaration import Assumption, Parameter, broken
from .base import RIDGE, SpikeModel, whole_degree
from .equations import (
    FINITE_TOP,
    hermite_of_power,
    lam_derivative,
    pieces,
    symbols,
    trace_equations,
    trace_unknowns,
    with_gap,
    with_trace_rates,
)
from .moments import finite_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...activations import Activation
    from ...program.names import Names
    from ...program.statements import Program
    from ...sensitivity.run import Tangent
    from ..declared import Point, S


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

    def source(self, language: str = "python", derivatives: bool = False) -> str:
        """Raise: the numbers of a module follow from moments and degrees, which only the package computes."""
        raise NotAvailableError("generate: the theory at a finite step size cannot be exported as a module; export the "
                                "limit (NonlinearSpikes.generate), or sweep over eta and n and keep the file")

    @property
    def system(self) -> System:
        """Return the equations with their structure."""
        return finite_system()

    @property
    def program(self) -> tuple[Program, Names]:
        return finite_program()

    @property
    def kernel(self) -> Kernel:
        from ...generated.nonlinear_spikes import finite as nonlinear_spikes_finite
        return Kernel(nonlinear_spikes_finite)

    @computed_once
    def assumptions(self) -> tuple[Assumption, ...]:
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

    def accept_solution(self, method: str, solution: S) -> S:
        solution = super().accept_solution(method, solution)
        if method != "solve":
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


@cache
def spike_numbers(top=FINITE_TOP):
    r"""Return the parameters that describe the spikes one by one.

    ``strength_k`` is :math:`c_1^kc_k`, 0 if there is no such spike; ``target_k`` the Hermite coefficient of the
    target; for ``inverse_i_j``, ``mean_k`` and ``mean_share`` see
    :func:`~asympkit.theories.nonlinear_spikes.moments.readout_numbers`.
    """
    degrees = range(1, top + 1)
    return SimpleNamespace(
        strength={k: Symbol(f"strength_{k}", real=True) for k in degrees},
        target={k: Symbol(f"target_{k}", real=True) for k in range(2, top + 1)},
        inverse={(i, j): Symbol(f"inverse_{i}_{j}", real=True) for i in degrees for j in range(i, top + 1, 2)},
        mean={k: Symbol(f"mean_{k}", real=True) for k in range(2, top + 1, 2)},
        share=Symbol("mean_share", nonnegative=True))


@cache
def finite_system(top=FINITE_TOP):
    """Return traces, readouts of the spikes, their derivatives by lam, and the errors."""
    readouts = [Symbol(f"h{k}", real=True) for k in range(1, top + 1)]
    equations, gap = _readouts(readouts, top)
    plain = System((*trace_unknowns(), *readouts), (*trace_equations(), *equations))
    system = with_trace_rates(tangent_system(plain, {symbols().lam: Integer(1)}))
    return system.with_(observables=with_gap(gap, lam_derivative(system)(gap)))


@cache
def spike_matrix(top=FINITE_TOP):
    """Return the matrix of the equations of the readouts as ``entry(i, j)``, weights of the spikes, and its size."""
    s, p, u = symbols(), pieces(), spike_numbers(top)
    degrees = range(1, top + 1)
    width = s.n * s.phi / s.psi
    theta = {k: Named(f"theta{k}", u.strength[k] * (s.eta * sqrt(p.length)) ** k * width ** Rational(1 - k, 2))
             for k in degrees}
    scale = {k: Named(f"scale{k}", 1 / sqrt(1 + theta[k] ** 2)) for k in degrees}
    weight = {k: Named(f"weight{k}", theta[k] * scale[k]) for k in degrees}
    size = Named("size", p.kappa * s.chi)
    radial = Named("spread", s.radial * s.chi / s.phi)
    kept = Named("drag", s.kept * s.linear * size * p.ratio)
    first = Named("first", p.ratio * (1 - s.linear * kept / p.length))
    constant = Named("level", (1 - s.free) / (1 + s.gaussian * radial))
    traces = {0: constant, 1: first}
    lost = Named("lost", radial / (1 + radial - radial * u.share))
    along = {k: Named(f"along{k}", weight[k] * hermite_of_power(k, 1) / sqrt(p.length)) for k in degrees if k % 2}

    def entry(i, j):
        gram = sum(factorial(h) * hermite_of_power(i, h) * hermite_of_power(j, h) * traces.get(h, 1)
                   for h in range(min(i, j) + 1))
        inverse = u.inverse[min(i, j), max(i, j)]
        if i % 2 == 0:
            inverse += lost * u.mean[i] * u.mean[j]
        out = weight[i] * weight[j] * size * gram + scale[i] * scale[j] * inverse
        if i % 2:
            out += kept**2 * along[i] * along[j]
            out -= kept * scale[1] * (int(i == 1) * along[j] + int(j == 1) * along[i])
        return Named(f"M{min(i, j)}{max(i, j)}", out)

    return entry, weight, size


def _readouts(readouts, top):
    """Return the linear equations of the readouts, and the reduction of the quadratic form by the spikes."""
    s, p, u, (entry, weight, size) = symbols(), pieces(), spike_numbers(top), spike_matrix(top)
    degrees, overlap = range(1, top + 1), s.target_linear / sqrt(p.length)
    signal = {k: Named(f"signal{k}", weight[k] * sum(
        factorial(q) * hermite_of_power(k, q) * overlap**q * (s.target_linear * p.ratio if q == 1 else u.target[q])
        for q in range(1, k + 1) if hermite_of_power(k, q))) for k in degrees}
    equations = [sum(entry(i, j) * readouts[j - 1] for j in degrees if (i + j) % 2 == 0) - signal[i] * size
                 for i in degrees]
    gap = p.kappa * s.m1 * sum(signal[k] * readouts[k - 1] for k in degrees)
    return equations, gap


def finite_parameters(top=FINITE_TOP):
    """Return the parameters of the program, in the order of the kernel."""
    s, u = symbols(), spike_numbers(top)
    return (s.phi, s.psi, s.lam, s.noise_variance, s.eta, s.n, s.linear, s.nonlinear, s.target_linear, s.target_rest,
            s.kept, s.gaussian, s.free, s.radial, *u.strength.values(), *u.target.values(), *u.inverse.values(),
            *u.mean.values(), u.share)


@cache
def finite_program(top=FINITE_TOP):
    """Return the equations lowered to a program, with its names."""
    return build(finite_system(top), finite_parameters(top))
