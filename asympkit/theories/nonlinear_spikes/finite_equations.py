r"""The equations of nonlinear spikes at a finite step size (section 8 of the theory; arXiv 2310.07891).

Each spike keeps its strength: the readouts :math:`h_k` of the spikes solve
:math:`(\Theta G\Theta+A_m^{-1})v=\Theta b` with :math:`v_k=s_kh_k`, and :math:`y^TRy` loses
:math:`b^T\Theta v`.  Rows and columns are scaled by :math:`s_k=(1+\theta_k^2)^{-1/2}`, so that weak and
diverging spikes are equally harmless; degrees of different parity decouple.
"""

from functools import cache
from math import factorial
from types import SimpleNamespace

from sympy import Rational, Symbol, sqrt

from ...nodes import Named
from .equations import (
    lam_derivative,
    pieces,
    symbols,
    trace_equations,
    trace_unknowns,
    with_gap,
    with_trace_rates,
)
from .gaps import FINITE_TOP, hermite_of_power

__all__ = ["finite_parameters", "finite_program", "finite_system", "spike_numbers"]


@cache
def spike_numbers(top=FINITE_TOP):
    r"""Return the parameters that describe the spikes one by one.

    ``strength_k`` is :math:`c_1^kc_k`, 0 if there is no such spike; ``target_k`` the Hermite coefficient of the
    target; for ``inverse_i_j``, ``mean_k`` and ``mean_share`` see
    :func:`~asympkit.theories.nonlinear_spikes.theory.numbers.readout_numbers`.
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
    from sympy import Integer

    from ...equations.system import System
    from ...sensitivity.tangent import tangent_system

    readouts = [Symbol(f"h{k}", real=True) for k in range(1, top + 1)]
    equations, gap = _readouts(readouts, top)
    plain = System((*trace_unknowns(), *readouts), (*trace_equations(), *equations))
    system = with_trace_rates(tangent_system(plain, {symbols().lam: Integer(1)}))
    return system.with_(observables=with_gap(gap, lam_derivative(system)(gap)))


def _readouts(readouts, top):
    """Return the linear equations of the readouts, and the reduction of the quadratic form by the spikes."""
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
    overlap = s.target_linear / sqrt(p.length)
    lost = Named("lost", radial / (1 + radial - radial * u.share))
    along = {k: Named(f"along{k}", weight[k] * hermite_of_power(k, 1) / sqrt(p.length)) for k in degrees if k % 2}
    signal = {k: Named(f"signal{k}", weight[k] * sum(
        factorial(q) * hermite_of_power(k, q) * overlap**q * (s.target_linear * p.ratio if q == 1 else u.target[q])
        for q in range(1, k + 1) if hermite_of_power(k, q))) for k in degrees}

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
    from ...program import build

    return build(finite_system(top), finite_parameters(top))
