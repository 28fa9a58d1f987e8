r"""Map one large gradient step to spiked random features: (r, c, gamma, rho).

arXiv 2402.04980, Result 3.1, at any ratio :math:`\beta=p/d`, with label noise, for students that
are not odd, and for labels that are signs.  ``overload`` is :math:`1/\alpha_0=d/n_0`, 0 for the population gradient.
"""

from functools import cache

from sympy import And, Eq, Integer, Or, Symbol, pi, sqrt

from ...gauss import E
from ...nodes import Applied, Named
from ..derived import Case, Derived
from . import ARGUMENTS, REGRESSION, SIGN


@cache
def symbols():
    """Return the arguments of the map, by name."""
    return {"eta": Symbol("eta", real=True), "alpha0": Symbol("alpha0", extended_nonnegative=True),
            "beta": Symbol("beta", positive=True), "noise_variance": Symbol("noise_variance", nonnegative=True),
            "flip": Symbol("flip", nonnegative=True)}


def arguments(labels=REGRESSION):
    """Return the names of the arguments for labels of a kind."""
    return (*ARGUMENTS, "flip") if labels == SIGN else ARGUMENTS


@cache
def moments(labels=REGRESSION):
    r"""Return the Gaussian moments of student and target that the step depends on.

    ``h0``, ``h1``, ``h2``: :math:`E[\sigma He_k]`; ``spread``: :math:`E(\sigma'-h_1)^2`; ``ybar``, ``t1``, ``t2``:
    mean, linear part and second moment of the labels seen by the step, :math:`\phi-h_0` plus noise (the
    initial output tends to :math:`h_0`).  Signs, of a noisy linear target, of which a share ``flip`` is flipped, have
    the linear part :math:`(1-2\epsilon)\sqrt{2/\pi}/\sqrt{1+\Delta}` and the square 1.
    """
    z, s = Symbol("z", real=True), symbols()
    student, slope, target = Applied("student", z), Applied("student", z, 1), Applied("target", z)
    h0 = Named("h0", E(student, z))
    h1 = Named("h1", E(z * student, z))
    h2 = Named("h2", E((z**2 - 1) * student, z))
    spread = Named("spread", E((slope - h1) ** 2, z))
    if labels == SIGN:
        ybar, t2 = Named("ybar", -h0), Named("t2", 1 + h0**2)
        t1 = Named("t1", (1 - 2 * s["flip"]) * sqrt(2 / pi) / sqrt(1 + s["noise_variance"]))
    else:
        ybar = Named("ybar", E(target, z) - h0)
        t1 = Named("t1", E(z * target, z))
        t2 = Named("t2", E((target - h0) ** 2, z) + s["noise_variance"])
    return {"h0": h0, "h1": h1, "h2": h2, "spread": spread, "ybar": ybar, "t1": t1, "t2": t2}


@cache
def _lengths(labels):
    """Return 1/alpha0, and the length of the gradient's direction."""
    s, u = symbols(), moments(labels)
    overload = Named("overload", 1 / s["alpha0"])
    return overload, Named("length", sqrt(u["t1"] ** 2 + u["t2"] * overload))


@cache
def expressions(labels=REGRESSION):
    """Return spike strength r, row norm c, overlap gamma of spike and target, and rho = sqrt(1 - gamma**2).

    ``rho`` has its own form: 1 - gamma**2 loses all digits when the overlap is nearly one.
    """
    s, u, (overload, length) = symbols(), moments(labels), _lengths(labels)
    rate = s["eta"] / s["beta"]
    return {"r": rate * u["h1"] * length,
            "c": (1 + rate * u["ybar"] * u["h2"]) ** 2 + rate**2 * u["t2"] * u["spread"] * overload,
            "gamma": u["t1"] / length,
            "rho": sqrt(u["t2"]) * sqrt(overload) / length}


@cache
def step_map(labels=REGRESSION):
    """Return the map of the parameters of the step: Result 3.1, and its limiting cases.

    ``eta = 0`` and ``alpha0 = 0`` are no step, which is another limit than a small one.  If the gradient has no
    direction,
    with neither a linear part of the target nor noise, there is no spike, while rows may change their length.
    """
    s, u, (overload, _) = symbols(), moments(labels), _lengths(labels)
    none, one = Integer(0), Integer(1)
    no_spike = {"r": none, "gamma": none, "rho": one}
    cases = (Case(Or(Eq(s["eta"], 0), Eq(s["alpha0"], 0)), {**no_spike, "c": one}, "no step"),
             Case(And(Eq(u["t1"], 0), Eq(overload, 0) if labels == SIGN else Or(Eq(u["t2"], 0), Eq(overload, 0))),
                  no_spike, "a gradient without a spike (no linear part, no noise)"))
    decisive = {"h1": ("student", 1), **({} if labels == SIGN else {"t1": ("target", 1)})}
    return Derived([s[n] for n in arguments(labels)], expressions(labels), cases, decisive)
