r"""The free energy of spiked features at a finite width, over any bulk that is given by its averages.

That of the limit (arXiv 2402.04980, Result 3.3), with the mean readout :math:`m=1^\top w/\sqrt p` as one more direction
of the kernel, which adds :math:`m^2/(2p\langle1/S\rangle)`; with the common mode (the norm of an input moves the means
of all units together); and with the tilt of the spike against the mean row by the network's initial output.  At
``inverse_width`` 0 it is the free energy of the limit.

Pure sympy, no numerics: the equations are its derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING

from sympy import Integer, Rational, Symbol, sqrt

from ...equations.system import System
from ...gauss import E
from ...nodes import Applied, Named, slope
from ...program import build
from ...sensitivity.tangent import directional
from ...spectra import mean
from . import equations as spiked

if TYPE_CHECKING:
    from sympy import Expr

__all__ = ["NOTATION", "Bulk", "free_energy", "isotropic", "observables", "symbols", "system", "tilted", "unknowns"]

HALF = Rational(1, 2)
#: LaTeX of names that differs from their spelling
NOTATION = {**spiked.NOTATION, "dmu0": r"\partial_c\mu_{0}", "chi": r"\theta_\chi", "chihat": r"\hat\theta_\chi"}
MEANINGS = {**spiked.MEANINGS, "inverse_width": "1/p", "tilt": "of the spike against the mean row"}


@cache
def symbols():
    """Return the symbols, those of the limit and of a finite width.

    ``chi``: overlap of the readout with the norms of rows; ``psi0``: addition of the mean readout to rho*psi;
    ``inverse_width``: 1/p; ``tilt``: tilt of the spike against the mean row by the initial output of a network.
    """
    real = {n: Symbol(n, real=True) for n in ("chi", "chihat", "psi0", "psi0hat", "tilt")}
    return SimpleNamespace(**vars(spiked.symbols()), **real, inverse_width=Symbol("inverse_width", nonnegative=True))


@dataclass(frozen=True)
class Bulk:
    r"""Hold averages over the spectrum of the bulk, with :math:`S=\lambda+\hat V_2+\hat V_1D`.

    Attributes
    ----------
    inverse, weighed : Expr
        :math:`\langle1/S\rangle` and :math:`\langle D/S\rangle`, as functions of the conjugates.
    kernel : dict of str to Expr
        Between the directions v (spike), z (rest of the target) and, if it matters, x (norms of rows):
        ``{"vv": ..., "vz": ...}``; missing entries are 0.
    square : Expr
        Mean squared eigenvalue of the covariance of the rows.
    readout : Expr
        :math:`\\beta K_{00}/p` of the mean readout.
    induced : dict of str to Expr
        Its kernel with the others: v, and n = rho times z, which is nonzero at rho = 0.  Without it and ``readout`` the
        equations are those of the limit, in which the mean readout has no penalty.
    unknowns : dict of Symbol to Expr
        Unknowns of the bulk, each with the constraint that determines it.
    """

    inverse: Expr
    weighed: Expr
    kernel: dict[str, Expr]
    square: Expr
    readout: Expr | None = None
    induced: dict[str, Expr] = field(default_factory=dict)
    unknowns: dict[Symbol, Expr] = field(default_factory=dict)

    @property
    def multipliers(self):
        """Return the conjugates of the bulk's own unknowns."""
        return {u: Symbol(f"{u.name}hat", real=True) for u in self.unknowns}


@cache
def isotropic():
    """Return the bulk of rows with independent directions and squared norm c."""
    s, p = symbols(), spiked.pieces()
    inverse, weighed, along = (Named(n, mean(e / p.S, p.law)) for n, e in
                               (("S_inverse", 1), ("S_weighed", s.D), ("K_vv", s.F)))
    return Bulk(inverse, weighed, {"vv": along, "zz": weighed}, s.c**2, inverse, tilted(along, weighed))


def tilted(along, weighed):
    """Return the correlation of the mean readout by the initial output: over an isotropic bulk, or at a weak spike."""
    s = symbols()
    return {"v": -s.tilt * along, "n": s.gamma * s.tilt * weighed}


def _pieces(bulk):
    """Return V, C and R as in the limit; C and R with the directions of the bulk, and at a width."""
    s, u = symbols(), spiked.moments()
    student = Applied("student", s.r * s.kappa + sqrt(s.c) * s.z)
    rate = Named("dmu0", E((s.z**2 - 1) * student, s.z) / (2 * s.c))
    norms = rate * s.chi if "xx" in bulk.kernel else 0
    if not bulk.induced:
        C = Named("C", u.mu0 * s.m + s.kappa * u.mu1 * s.theta + norms)
        R = Named("R", u.hzz + s.noise_variance + C**2 - 2 * C * u.h - 2 * u.mu1 * s.psi * u.hz
                  + u.mu1**2 * s.q1 + u.mu2sq * s.q2)
        return SimpleNamespace(V=spiked.pieces().V, C=C, R=R)
    target_slope = Named("hslope", E(Applied("target", s.gamma * s.kappa + s.rho * s.z, 1), s.z))
    # given kappa, the variance of the arguments is c*(1 + (kappa**2 - 1)/d) in the mean, and fluctuates for all units
    # together with the norm of the input
    inverse_d = s.beta * s.inverse_width
    mu0 = Named("mean", u.mu0 + s.c * inverse_d * (s.kappa**2 - 1) * rate)
    common = Named("common", 2 * bulk.square * inverse_d * rate**2)
    C = Named("C", mu0 * s.m + s.kappa * u.mu1 * s.theta + norms)
    R = Named("R", u.hzz + s.noise_variance + C**2 - 2 * C * u.h - 2 * u.mu1 * s.psi * u.hz
              - 2 * u.mu1 * s.psi0 * target_slope + u.mu1**2 * s.q1 + u.mu2sq * s.q2 + common * s.m**2)
    return SimpleNamespace(V=spiked.pieces().V, C=C, R=R)


def _directions(bulk):
    """Return overlaps of the readout with the directions, and their conjugates."""
    s = symbols()
    pairs = {"v": (s.theta, s.thetahat), "z": (s.psi, s.psihat)}
    pairs |= {"n": (s.psi0, s.psi0hat)} if bulk.induced else {}
    return pairs | ({"x": (s.chi, s.chihat)} if "xx" in bulk.kernel else {})


def free_energy(bulk):
    """Return the replica-symmetric free energy per hidden unit, whose stationary point is the solution."""
    s, p, directions = symbols(), _pieces(bulk), _directions(bulk)
    hats = (s.qhat1 * s.V1 - s.q1 * s.Vhat1 + s.qhat2 * s.V2 - s.q2 * s.Vhat2) / 2
    overlaps = sum(overlap * hat for overlap, hat in directions.values()) / s.beta
    forms = sum(e * directions[a][1] * directions[b][1] * (1 if a == b else 2) for (a, b), e in bulk.kernel.items())
    prior = -HALF * (s.qhat1 * bulk.weighed + s.qhat2 * bulk.inverse + forms / s.beta)
    width = 0
    if bulk.induced:                # the part of the mean readout induced by the others has no penalty
        free = s.m - sum(e * directions[a][1] for a, e in bulk.induced.items())
        width = s.inverse_width * free**2 / (2 * bulk.readout)
    data = s.alpha / (2 * s.beta) * E(p.R / (1 + p.V), s.kappa)
    constraints = sum((bulk.multipliers[u] * e for u, e in bulk.unknowns.items()), Integer(0))
    return hats + overlaps + prior + width + data + constraints


def unknowns(bulk):
    """Return the order parameters, their conjugates, and the bulk; the order breaks ties in the structure analysis."""
    s, directions = symbols(), _directions(bulk)
    overlaps, hats = zip(*directions.values())
    return (s.V1, s.V2, *bulk.unknowns, s.q1, s.q2, *overlaps, s.m, s.Vhat1, s.Vhat2, s.qhat1, s.qhat2, *hats,
            *bulk.multipliers.values())


def observables(bulk):
    """Return errors (test on fresh noisy labels, clean against the target, train) and the objective."""
    s, p = symbols(), _pieces(bulk)
    test, train = E(p.R, s.kappa), E(p.R / (1 + p.V) ** 2, s.kappa)
    return {"test_error": test, "clean_error": test - s.noise_variance, "train_error": train,
            "objective": train + s.lam * s.beta / s.alpha * s.q2}


def system(bulk, notation):
    """Return the saddle-point equations: the derivatives of the free energy by its unknowns."""
    F = free_energy(bulk)
    # derivatives by unknowns inside the averages over the bulk keep the names of these
    equations = [directional({u: 1}, f"_{u.name}")(F) if u in bulk.unknowns else slope(F, u) for u in unknowns(bulk)]
    return System(unknowns(bulk), equations, observables(bulk), notation=notation, meanings=MEANINGS)


@cache
def spiked_system():
    """Return the equations over the isotropic bulk."""
    return system(isotropic(), NOTATION)


@cache
def spiked_program():
    """Return these lowered to a program, with its names."""
    return build(spiked_system(), parameters())


def parameters():
    """Return the parameters of the program, in the order of the kernel: those of the limit first."""
    s = symbols()
    return (*spiked.spiked_parameters(), s.inverse_width, s.tilt)
