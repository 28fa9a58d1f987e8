r"""The free energy of spiked random features with square loss (arXiv 2402.04980, Result 3.3).

Pure sympy, no numerics.  Everything else (the 13 saddle-point equations, their reduction, the
kernel) is obtained from :func:`free_energy` by differentiation and structure analysis.
"""

from functools import cache
from types import SimpleNamespace

from sympy import Integer, Rational, Symbol, sqrt

from ...equations.system import System
from ...gauss import E
from ...nodes import Applied, Named
from ...program import build
from ...spectra import MarchenkoPastur, mean
from ..derived import Derived

HALF, _NO_BIAS = Rational(1, 2), Integer(0)
#: LaTeX of names that differs from their spelling
NOTATION = {"mu2sq": r"\mu_{2}^{2}", "hz": "h_{z}", "hzz": "h_{zz}"}
#: parameters that follow from the step, or are given with the spike
MEANINGS = {"r": "strength of the spike", "c": "squared norm of a row beside the spike",
            "gamma": "overlap of the spike with the target", "rho": "what is left of the target: sqrt(1 - gamma**2)"}


@cache
def symbols():
    """Return the symbols of the theory, which are defined here alone."""
    positive = {n: Symbol(n, positive=True) for n in
                ("alpha", "beta", "lam", "c", "V1", "V2", "Vhat1", "Vhat2")}
    real = {n: Symbol(n, real=True) for n in
            ("r", "gamma", "q1", "q2", "qhat1", "qhat2", "theta", "thetahat", "psi", "psihat", "m",
             "D", "F", "H", "kappa", "z")}
    nonnegative = {n: Symbol(n, nonnegative=True) for n in ("noise_variance", "rho")}
    return SimpleNamespace(**nonnegative, **positive, **real)


@cache
def moments(bias=_NO_BIAS):
    r"""Return the conditional moments of student and target at a given projection on the spike (Result 3.2).

    With :math:`\sigma=\sigma(r\kappa+\sqrt c z)`: :math:`\mu_0=E_z\sigma`, :math:`\mu_1=E_z[z\sigma]/\sqrt c`,
    :math:`\mu_2^2` the variance left after the linear regression on :math:`z`, written as a square
    (equal to :math:`E_z\sigma^2-\mu_0^2-c\mu_1^2`, and not a difference of nearly equal numbers).  A bias is added to
    the argument of the student.
    """
    s = symbols()
    student = Applied("student", s.r * s.kappa + bias + sqrt(s.c) * s.z)
    target = Applied("target", s.gamma * s.kappa + s.rho * s.z)
    mu0 = Named("mu0", E(student, s.z))
    mu1 = Named("mu1", E(s.z * student, s.z) / sqrt(s.c))
    mu2sq = Named("mu2sq", E((student - mu0 - sqrt(s.c) * mu1 * s.z) ** 2, s.z))
    h = Named("h", E(target, s.z))
    hz = Named("hz", E(s.z * target, s.z))
    hzz = Named("hzz", E(target**2, s.z))
    return SimpleNamespace(mu0=mu0, mu1=mu1, mu2sq=mu2sq, h=h, hz=hz, hzz=hzz)


@cache
def pieces():
    """Return the named combinations V, C, R (functions of kappa) and S (function of the eigenvalue D)."""
    s, u = symbols(), moments()
    V = Named("V", u.mu1**2 * s.V1 + u.mu2sq * s.V2)
    C = Named("C", u.mu0 * s.m + s.kappa * u.mu1 * s.theta)
    R = Named("R", u.hzz + s.noise_variance + C**2 - 2 * C * u.h - 2 * u.mu1 * s.psi * u.hz
              + u.mu1**2 * s.q1 + u.mu2sq * s.q2)
    S = Named("S", s.lam + s.Vhat2 + s.Vhat1 * s.D)
    law = MarchenkoPastur(s.D, ratio=s.beta, scale=s.c, conditional={s.F: s.c, s.H: s.D})
    return SimpleNamespace(V=V, C=C, R=R, S=S, law=law)


@cache
def free_energy():
    """Return the replica-symmetric free energy per hidden unit, whose stationary point is the solution."""
    s, p = symbols(), pieces()
    hats = (s.qhat1 * s.V1 - s.q1 * s.Vhat1 + s.qhat2 * s.V2 - s.q2 * s.Vhat2) / 2
    overlaps = (s.theta * s.thetahat + s.psi * s.psihat) / s.beta
    source = s.qhat1 * s.D + s.qhat2 + (s.thetahat**2 * s.F + s.psihat**2 * s.H) / s.beta
    prior = -HALF * mean(source / p.S, p.law)
    data = s.alpha / (2 * s.beta) * E(p.R / (1 + p.V), s.kappa)
    return hats + overlaps + prior + data


@cache
def unknowns():
    """Return the order parameters and their conjugates; the order breaks ties in the structure analysis."""
    s = symbols()
    return (s.V1, s.V2, s.q1, s.q2, s.theta, s.psi, s.m,
            s.Vhat1, s.Vhat2, s.qhat1, s.qhat2, s.thetahat, s.psihat)


@cache
def observables():
    """Return errors (test on fresh noisy labels, clean against the target, train) and the objective."""
    s, p = symbols(), pieces()
    test = E(p.R, s.kappa)
    train = E(p.R / (1 + p.V) ** 2, s.kappa)
    return {"test_error": test, "clean_error": test - s.noise_variance, "train_error": train,
            "objective": train + s.lam * s.beta / s.alpha * s.q2}


@cache
def spiked_system():
    """Return the 13 saddle-point equations: the derivatives of the free energy by its unknowns."""
    F = free_energy()
    return System(unknowns(), [F.diff(u) for u in unknowns()], observables(), notation=NOTATION,
                  meanings=MEANINGS)


@cache
def spiked_program():
    """Return the equations lowered to a program, with its names."""
    return build(spiked_system(), spiked_parameters())


@cache
def overlap_map():
    """Return rho = sqrt(1 - gamma**2) as a map of gamma, in a form that does not cancel near one."""
    gamma = symbols().gamma
    return Derived((gamma,), {"rho": sqrt((1 - gamma) * (1 + gamma))})


def spiked_parameters():
    """Return the parameters of the program, in the order of the kernel."""
    s = symbols()
    return s.alpha, s.beta, s.lam, s.noise_variance, s.r, s.c, s.gamma, s.rho
