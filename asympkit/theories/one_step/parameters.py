r"""One large gradient step as spiked random features: the map to (r, c, gamma, rho).

arXiv 2402.04980, Result 3.1, at any ratio :math:`\beta=p/d`, with label noise, and for students that
are not odd.  ``overload`` is :math:`1/\alpha_0=d/n_0` (0 for the population gradient).
"""

from functools import cache

from sympy import Symbol, sqrt

from ...gauss import E
from ...nodes import Applied, Named

ARGUMENTS = ("eta", "overload", "beta", "noise_variance")


@cache
def symbols():
    """The arguments of the map, by name."""
    return {"eta": Symbol("eta", real=True), "overload": Symbol("overload", nonnegative=True),
            "beta": Symbol("beta", positive=True), "noise_variance": Symbol("noise_variance", nonnegative=True)}


@cache
def moments():
    r"""Gaussian moments of student and target that the step depends on.

    ``h0``, ``h1``, ``h2``: :math:`E[\sigma He_k]`; ``spread``: :math:`E(\sigma'-h_1)^2`; ``ybar``, ``t1``, ``t2``:
    mean, linear part and second moment of the labels seen by the step, :math:`\phi-h_0` plus noise (the
    initial output tends to :math:`h_0`).
    """
    z = Symbol("z", real=True)
    student, slope, target = Applied("student", z), Applied("student", z, 1), Applied("target", z)
    h0 = Named("h0", E(student, z))
    h1 = Named("h1", E(z * student, z))
    h2 = Named("h2", E((z**2 - 1) * student, z))
    spread = Named("spread", E((slope - h1) ** 2, z))
    ybar = Named("ybar", E(target, z) - h0)
    t1 = Named("t1", E(z * target, z))
    t2 = Named("t2", E((target - h0) ** 2, z) + symbols()["noise_variance"])
    return {"h0": h0, "h1": h1, "h2": h2, "spread": spread, "ybar": ybar, "t1": t1, "t2": t2}


@cache
def expressions():
    """Spike strength r, row norm c, overlap gamma of spike and target, and rho = sqrt(1 - gamma**2).

    ``rho`` has its own form: 1 - gamma**2 loses all digits when the overlap is nearly one.
    """
    s, u = symbols(), moments()
    rate = s["eta"] / s["beta"]
    length = Named("length", sqrt(u["t1"] ** 2 + u["t2"] * s["overload"]))
    return {"r": rate * u["h1"] * length,
            "c": (1 + rate * u["ybar"] * u["h2"]) ** 2 + rate**2 * u["t2"] * u["spread"] * s["overload"],
            "gamma": u["t1"] / length,
            "rho": sqrt(u["t2"] * s["overload"]) / length}


@cache
def typed_map():
    """The same as a map of what a person types, whose derivatives the engine takes: alpha0 instead of its inverse."""
    from ..derived import Derived

    s, alpha0 = symbols(), Symbol("alpha0", positive=True)
    typed = (s["eta"], alpha0, s["beta"], s["noise_variance"])
    return Derived(typed, {n: e.subs(s["overload"], 1 / alpha0) for n, e in expressions().items()})


@cache
def parameter_map():
    """The expressions lowered to a :class:`~asympkit.program.ScalarMap`, with its names."""
    from ...program import Names, scalar_map

    arguments = [symbols()[n] for n in ARGUMENTS]
    names = Names(arguments)
    return scalar_map(arguments, expressions(), names), names
