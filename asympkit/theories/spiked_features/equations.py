r"""The free energy of spiked random features (arXiv 2402.04980): prior of the bulk + width + channel of the loss.

.. math:: \mathcal F=\tfrac12\sum_i(\hat q_iV_i-q_i\hat V_i)+\tfrac1\beta o\cdot\hat o
   -\tfrac12\bigl[\hat q_1\langle D/S\rangle+\hat q_2\langle1/S\rangle+\tfrac1\beta\hat o^\top K\hat o\bigr]
   +\frac{(m-K_0\cdot\hat o)^2}{2pK_{00}}+\frac\alpha\beta E_\kappa G

A :class:`Bulk` gives the averages over the weights beside the spike, a channel (:class:`SquareLoss`, or
:class:`~.convex.ConvexLoss` for other losses) the mean Moreau envelope G at a projection on the spike.  Nothing
else couples them.  At a finite width the mean readout :math:`m=1^\top w/\sqrt p` is one more direction of the kernel;
the common mode (the norm of an input moves the means of all units together) and the tilt of the spike against the mean
row by the network's initial output enter the channel.

Pure sympy, no numerics: the saddle-point equations are the derivatives of the free energy (:class:`BulkEquations`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING

from sympy import Integer, Rational, Symbol, sqrt

from ...equations.system import System
from ...errors import DomainError
from ...gauss import E
from ...nodes import Applied, Named, slope
from ...once import Deferred, computed_once
from ...program import build
from ...spectra import MarchenkoPastur, mean
from ..derived import Derived

if TYPE_CHECKING:
    from collections.abc import Callable

    from sympy import Expr

_tangent = Deferred("asympkit.sensitivity.tangent")

HALF, _NO_BIAS = Rational(1, 2), Integer(0)
#: LaTeX of names that differs from their spelling
NOTATION = {"mu2sq": r"\mu_{2}^{2}", "hz": "h_{z}", "hzz": "h_{zz}", "dmu0": r"\partial_c\mu_{0}",
            "chi": r"\theta_\chi", "chihat": r"\hat\theta_\chi"}
#: order parameters of the readout w over p units with the rows W; parameters that follow from the step, or are given
MEANINGS = {"q1": "w^T W W^T w/p, the variance of the output by the linear part", "q2": "w^T w/p, squared norm of w",
            "theta": "w^T W v/sqrt(p d), overlap with the spike v", "m": "1^T w/sqrt(p), sum of w",
            "psi": "w^T W zeta/sqrt(p d), overlap with the rest zeta of the target",
            "V1": "response of the output of the linear part", "V2": "response of w",
            "r": "strength of the spike", "c": "squared norm of a row beside the spike",
            "gamma": "overlap of the spike with the target", "rho": "what is left of the target: sqrt(1 - gamma**2)",
            "inverse_width": "1/p", "tilt": "of the spike against the mean row",
            "even_parts": "1 if student and target both have even parts, else 0",
            **{f"cov_{pair}": f"covariance of a row, times d: along spike (v) and rest of the target (z), {pair}"
               for pair in ("vv", "zz")}, "cov_vz": "the same between them, over rho"}
#: parameters that only a finite width needs: of labels that depend on the norm of an input, and all
OF_NORM = ("even_parts", "cov_vv", "cov_vz", "cov_zz")
OF_WIDTH = ("inverse_width", "square", "tilt", *OF_NORM)


@cache
def symbols():
    """Return the symbols of the theory, which are defined here alone.

    ``chi``: overlap of the readout with the norms of rows; ``psi0``: addition of the mean readout to rho*psi;
    ``inverse_width``: 1/p; ``tilt``: tilt of the spike against the mean row by the initial output of a network.
    """
    positive = {n: Symbol(n, positive=True) for n in
                ("alpha", "beta", "lam", "c", "V1", "V2", "Vhat1", "Vhat2")}
    real = {n: Symbol(n, real=True) for n in
            ("r", "gamma", "q1", "q2", "qhat1", "qhat2", "theta", "thetahat", "psi", "psihat", "m",
             "D", "F", "H", "kappa", "z", "chi", "chihat", "psi0", "psi0hat", "tilt", "cov_vz")}
    nonnegative = {n: Symbol(n, nonnegative=True) for n in ("noise_variance", "rho", "inverse_width", "even_parts",
                                                            "cov_vv", "cov_zz")}
    return SimpleNamespace(**nonnegative, **positive, **real)


def student_moments(at, c, suffix=""):
    """Return the conditional moments of units whose argument has the mean ``at`` and the variance ``c``, by name.

    The names end in a suffix that tells classes of units apart.
    """
    z = symbols().z
    student = Applied("student", at + sqrt(c) * z)
    mu0 = Named(f"mu0{suffix}", E(student, z))
    mu1 = Named(f"mu1{suffix}", E(z * student, z) / sqrt(c))
    mu2sq = Named(f"mu2sq{suffix}", E((student - mu0 - sqrt(c) * mu1 * z) ** 2, z))
    dmu0 = Named(f"dmu0{suffix}", E((z**2 - 1) * student, z) / (2 * c))
    return {"mu0": mu0, "mu1": mu1, "mu2sq": mu2sq, "dmu0": dmu0}


def target_moments(along):
    """Return the conditional moments of the target, whose argument has the mean ``along`` and the deviation rho."""
    s = symbols()
    at = along + s.rho * s.z
    target = Applied("target", at)
    return {"h": Named("h", E(target, s.z)), "hz": Named("hz", E(s.z * target, s.z)),
            "hzz": Named("hzz", E(target**2, s.z)), "hslope": Named("hslope", E(Applied("target", at, 1), s.z)),
            "hbend": Named("hbend", E((s.z**2 - 1) * target, s.z))}


@cache
def moments(bias=_NO_BIAS, kappa=None):
    r"""Return the conditional moments of student and target at a given projection on the spike (Result 3.2).

    With :math:`\sigma=\sigma(r\kappa+\sqrt c z)`: :math:`\mu_0=E_z\sigma`, :math:`\mu_1=E_z[z\sigma]/\sqrt c`,
    :math:`\mu_2^2` the variance left after the linear regression on :math:`z`, written as a square
    (equal to :math:`E_z\sigma^2-\mu_0^2-c\mu_1^2`, and not a difference of nearly equal numbers); ``dmu0``:
    :math:`\partial_c\mu_0`.  A bias is added to the argument of the student.
    """
    s = symbols()
    kappa = s.kappa if kappa is None else kappa
    return SimpleNamespace(**student_moments(s.r * kappa + bias, s.c), **target_moments(s.gamma * kappa))


# -- the bulk ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bulk:
    r"""Hold averages over the spectrum of the bulk, with :math:`S=\lambda+\hat V_2+\hat V_1D`."""

    #: :math:`\langle1/S\rangle` and :math:`\langle D/S\rangle`, as functions of the conjugates
    inverse: Expr
    weighed: Expr
    #: between the directions v (spike), z (rest of the target) and, if it matters, x (norms of rows), by names such as
    #: "vz"; missing entries are 0
    kernel: dict[str, Expr]
    #: mean squared eigenvalue of the covariance of the rows
    square: Expr
    #: :math:`\beta K_{00}/p` of the mean readout
    readout: Expr | None = None
    #: its kernel with the others: v, and n = rho times z, which is nonzero at rho = 0.  Without it and ``readout`` the
    #: equations are those of the limit, in which the mean readout has no penalty.
    induced: dict[str, Expr] = field(default_factory=dict)
    #: covariance of a row between v and z, times d, as far as labels see it beside c along v; vz is over rho
    common: dict[str, Expr] = field(default_factory=dict)
    #: unknowns of the bulk, each with the constraint that determines it
    unknowns: dict[Symbol, Expr] = field(default_factory=dict)
    #: those of the averages, beside the parameters of the isotropic bulk in the limit
    parameters: tuple[Symbol, ...] = ()

    @property
    def multipliers(self):
        """Return the conjugates of the bulk's own unknowns."""
        return {u: Symbol(f"{u.name}hat", real=True) for u in self.unknowns}

    @property
    def has_bend(self):
        """Return whether labels may depend on the norm of an input."""
        return bool(self.common)

    @property
    def directions(self):
        """Return overlaps of the readout with the directions, and their conjugates."""
        s = symbols()
        pairs = {"v": (s.theta, s.thetahat), "z": (s.psi, s.psihat)}
        pairs |= {"n": (s.psi0, s.psi0hat)} if self.induced else {}
        return pairs | ({"x": (s.chi, s.chihat)} if "xx" in self.kernel else {})

    def limit(self):
        """Return the same bulk in the limit of infinite width."""
        return replace(self._without(OF_WIDTH), readout=None, induced={})

    def with_odd_labels(self):
        """Return the same bulk for labels that are independent of the norm of an input."""
        return self._without(OF_NORM)

    def _without(self, names):
        return replace(self, common={}, parameters=tuple(p for p in self.parameters if p.name not in names))

    # -- what a channel reads

    @property
    def projections(self) -> tuple[Symbol, ...]:
        """Return the projections of an input on the spike."""
        return (symbols().kappa,)

    @property
    def along(self) -> Expr:
        """Return the mean of the target's argument at given projections."""
        s = symbols()
        return s.gamma * s.kappa

    def moments(self, bias: Expr = _NO_BIAS, kappa: Expr | None = None) -> SimpleNamespace:
        """Return the conditional moments of student and target, for a bias of the student."""
        return moments(bias, kappa)

    def prediction(self, s: SimpleNamespace, u: SimpleNamespace,
                   name: Callable[[str, Expr], Expr] = Named, kappa: Expr | None = None) -> SimpleNamespace:
        """Return the law of a prediction at a given projection on the spike.

        ``s`` are the symbols of the channel, ``u`` conditional moments, as of :meth:`moments`; ``name`` gives a name to
        an expression of the projection and parameters alone; ``kappa`` is the projection, if it is a number.

        The law has ``C, Q, V``: mean, variance, response; ``T``: covariance with the target's argument, over rho;
        ``bend``: the mean moves by ``bend*(x**2 - 1)`` with the projection x on the rest of the target; ``product``:
        covariance with the target itself; ``q1, V1``: of the linear parts of the features.
        """
        kappa = s.kappa if kappa is None else kappa
        mu0, Q, T, product = u.mu0, u.mu1**2 * s.q1 + u.mu2sq * s.q2, u.mu1 * s.psi, u.mu1 * s.psi * u.hz
        bend = Integer(0)
        if self.induced:
            # given the projections, the variance of the arguments is c*(1 + (kappa**2 - 1)/d) in the mean, or another
            # form of their covariance, and fluctuates for all units together with the norm of the input
            inverse_d, along = s.beta * s.inverse_width, s.c + self.common.get("vv", 0)
            mu0 = name("mean", u.mu0 + along * inverse_d * (kappa**2 - 1) * u.dmu0)
            Q += name("common", 2 * self.square * inverse_d * u.dmu0**2) * s.m**2
            T, product = u.mu1 * (s.psi + s.psi0 / s.rho), product + u.mu1 * s.psi0 * u.hslope
            if self.common:
                bend = name("bend", self.common["zz"] * inverse_d * u.dmu0) * s.m
                product += bend * u.hbend
            if "vz" in self.common:
                cross = name("cross", 2 * self.common["vz"] * inverse_d * kappa * u.dmu0) * s.m
                Q += cross * (2 * u.mu1 * (s.rho * s.psi + s.psi0) + s.rho**2 * cross)
                T, product = T + s.rho * cross, product + s.rho * cross * u.hz
        norms = u.dmu0 * s.chi if "xx" in self.kernel else 0
        return SimpleNamespace(C=Named("C", mu0 * s.m + kappa * u.mu1 * s.theta + norms), Q=Q, T=T, bend=bend,
                               V=Named("V", u.mu1**2 * s.V1 + u.mu2sq * s.V2), product=product, q1=s.q1, V1=s.V1)

    # -- what the free energy has of it

    def norm(self, s: SimpleNamespace) -> Expr:
        """Return the squared norm of the readout."""
        return s.q2

    def order_parameters(self, s: SimpleNamespace) -> tuple[Symbol, ...]:
        """Return the order parameters, their conjugates, and the bulk's own unknowns."""
        overlaps, hats = zip(*self.directions.values())
        return (s.V1, s.V2, *self.unknowns, s.q1, s.q2, *overlaps, s.m, s.Vhat1, s.Vhat2, s.qhat1, s.qhat2, *hats,
                *self.multipliers.values())

    def prior(self, s: SimpleNamespace) -> Expr:
        """Return the free energy without its channel term."""
        directions = self.directions
        hats = (s.qhat1 * s.V1 - s.q1 * s.Vhat1 + s.qhat2 * s.V2 - s.q2 * s.Vhat2) / 2
        overlaps = sum(overlap * hat for overlap, hat in directions.values()) / s.beta
        forms = sum(e * directions[ends[0]][1] * directions[ends[1]][1] * (1 if ends[0] == ends[1] else 2)
                    for ends, e in self.kernel.items())
        averages = -HALF * (s.qhat1 * self.weighed + s.qhat2 * self.inverse + forms / s.beta)
        width = 0
        if self.readout is not None:            # the part of the mean readout induced by the others has no penalty
            free = s.m - sum(e * directions[a][1] for a, e in self.induced.items())
            width = s.inverse_width * free**2 / (2 * self.readout)
        constraints = sum((self.multipliers[u] * e for u, e in self.unknowns.items()), Integer(0))
        return hats + overlaps + averages + width + constraints

    @property
    def program_parameters(self) -> tuple[Symbol, ...]:
        """Return the parameters of a program, in the order of a kernel."""
        return (*spiked_parameters(), *self.parameters)


@cache
def spectrum():
    """Return S of an eigenvalue of the isotropic bulk, and the law of eigenvalues."""
    s = symbols()
    return SimpleNamespace(S=Named("S", s.lam + s.Vhat2 + s.Vhat1 * s.D), law=MarchenkoPastur(
        s.D, ratio=s.beta, scale=s.c, conditional={s.F: s.c, s.H: s.D}))


@cache
def isotropic(has_width=False):
    """Return the bulk of rows with independent directions and squared norm c, in the limit, or at a finite width."""
    s, p = symbols(), spectrum()
    inverse, weighed, along, across = (mean(e / p.S, p.law) for e in (1, s.D, s.F, s.H))
    if not has_width:
        return Bulk(inverse, weighed, {"vv": along, "zz": across}, s.c**2)
    inverse, weighed, along = map(Named, ("S_inverse", "S_weighed", "K_vv"), (inverse, weighed, along))
    return Bulk(inverse, weighed, {"vv": along, "zz": weighed}, s.c**2, inverse, compute_tilt(along, weighed),
                {"zz": s.even_parts * s.c}, parameters=(s.inverse_width, s.tilt, s.even_parts))


def compute_tilt(along, weighed):
    """Return the correlation of the mean readout by the initial output: over an isotropic bulk, or at a weak spike."""
    s = symbols()
    return {"v": -s.tilt * along, "n": s.gamma * s.tilt * weighed}


# -- the channel ------------------------------------------------------------------------------------------------------


def mean_square(s, u, at, Q):
    """Return the mean squared residual at a projection, of a prediction of variance Q beside its bend."""
    return Named("R", u.hzz + s.noise_variance + at.C**2 - 2 * at.C * u.h - 2 * at.product + Q + 2 * at.bend**2)


class BulkEquations:
    """Derive the equations of a loss over a bulk; subclasses have its ``cost`` and ``observables``."""

    symbols = staticmethod(symbols)
    has_flips = has_bias = False
    #: whether readouts are of order 1, or vanish by symmetry
    has_units = False

    def __init__(self, bulk: Bulk) -> None:
        self.bulk = bulk

    @computed_once
    def free_energy(self):
        """Return the replica-symmetric free energy per hidden unit."""
        s = self.symbols()
        return self.bulk.prior(s) + s.alpha / s.beta * E(self.cost(), self.bulk.projections)

    @property
    def unknowns(self):
        """Return order parameters, conjugates, and those of the bulk; the order breaks ties in the structure analysis.
        """
        return self.bulk.order_parameters(self.symbols())

    @property
    def parameters(self):
        """Return the parameters of the program, in the order of the kernel."""
        return self.bulk.program_parameters

    @computed_once
    def system(self):
        """Return the saddle-point equations: the derivatives of the free energy by its unknowns."""
        # derivatives by unknowns inside the averages over the bulk keep the names of these
        equations = [_tangent.directional({u: 1}, f"_{u.name}")(self.free_energy) if u in self.bulk.unknowns
                     else slope(self.free_energy, u) for u in self.unknowns]
        found = System(self.unknowns, equations, self.observables(), notation=NOTATION, meanings=MEANINGS)
        found.has_units = self.has_units
        return found

    @computed_once
    def program(self):
        """Return these lowered to a program, with its names."""
        return build(self.system, self.parameters)

    @computed_once
    def program_for_proofs(self):
        """Return the same without the errors that rounding makes."""
        return build(self.system, self.parameters, for_proof=True)


class SquareLoss(BulkEquations):
    """Derive the equations of the square loss of regression labels over a bulk."""

    @property
    def pieces(self):
        """Return C, V and the mean squared residual R of a sample that was left out, at a given projection."""
        s, u = symbols(), self.bulk.moments()
        at = self.bulk.prediction(s, u)
        return SimpleNamespace(V=at.V, C=at.C, R=mean_square(s, u, at, at.Q))

    def cost(self):
        """Return the channel term at a given projection on the spike."""
        p = self.pieces
        return p.R / (1 + p.V) / 2

    def observables(self):
        """Return errors (test on fresh noisy labels, clean against the target, train) and the objective."""
        s, p = symbols(), self.pieces
        test, train = E(p.R, s.kappa), E(p.R / (1 + p.V) ** 2, s.kappa)
        return {"test_error": test, "clean_error": test - s.noise_variance, "train_error": train,
                "objective": train + s.lam * s.beta / s.alpha * s.q2}


@cache
def ridge(has_width=False):
    """Return the square loss over the isotropic bulk (Result 3.3 in the limit)."""
    return SquareLoss(isotropic(has_width))


@cache
def pieces():
    """Return its V, C and R (functions of kappa), S (of the eigenvalue D), and the law of eigenvalues."""
    return SimpleNamespace(**vars(ridge().pieces), **vars(spectrum()))


@cache
def overlap_map():
    """Return rho = sqrt(1 - gamma**2) as a map of gamma, in a form that does not cancel near one."""
    gamma = symbols().gamma
    return Derived((gamma,), {"rho": sqrt((1 - gamma) * (1 + gamma))})


def differentiate_layer(parameter, gamma):
    """Return the derivatives of the parameters of a given layer by one of the theory, by name."""
    if parameter != "gamma":
        return {parameter: 1.0}
    if abs(gamma) == 1.0:
        raise DomainError(f"gamma: got {gamma!r}; a derivative by gamma needs a number between -1 and 1 (rho = "
                          "sqrt(1 - gamma**2) has none at the ends)")
    return {"gamma": 1.0, **overlap_map().derivatives("gamma", {"gamma": gamma}, {})}


def spiked_parameters():
    """Return the parameters of the program, in the order of the kernel."""
    s = symbols()
    return s.alpha, s.beta, s.lam, s.noise_variance, s.r, s.c, s.gamma, s.rho
