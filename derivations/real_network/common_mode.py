"""The input's length moves all units together: a noise that grows with the mean of the readout."""

import sys
from functools import cache

from sympy import Eq, Symbol, sqrt, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied

from ..checks import exact
from ..command import main
from ..document import Derivation
from ..one_step.functions import on_sphere
from ..sampled import Instances, sampled
from . import batch
from .networks import point as network
from .networks import trace_square
from .notation import V2, alpha, alpha0, beta, d, kappa, omega, p, student, z
from .row_norm import beta0, beta_y, k2, k3, k4, y

r, m, theta, x1, x2 = symbols("r m theta x1 x2", real=True)
c, lam1, lam2 = symbols("c lambda1 lambda2", positive=True)
T, nu = symbols("T nu", positive=True)
h2, y4 = symbols("h2 y4", positive=True)


def derivation():
    """nu = (2 T/d) (d_c mu0)^2 and the shift of mu0."""
    doc = Derivation(
        "The common mode of the units", "beyond arXiv 2402.04980: x'S x at finite size",
        "Given x, the preactivations of the p units spread with the variance x'S x/d about r kappa, kappa = v.x; on "
        "the average it is c = tr S/d, S the bulk's matrix. mu0 = E_z student(r kappa + sqrt(c) z), m = 1'w/sqrt(p) "
        "the mean of the readout, C = mu0 m + kappa mu1 theta the prediction, R the squared error given kappa. "
        "Whatever all units have in common counts with m.")
    _length(doc)
    _slope(doc)
    _noise(doc)
    _labels(doc)
    _trace(doc)
    _random(doc)
    return doc


def _length(doc):
    form = lam1 * x1**2 + lam2 * x2**2
    doc.step("The variance of x'S x is 2 tr S^2 (two eigenvalues): x'S x/d has the variance 2 T/d, T = tr S^2/d.",
             exact(E(E(form**2, x1), x2) - E(E(form, x1), x2) ** 2, 2 * (lam1**2 + lam2**2), ("split", "expand")),
             shown=r"\mathrm{Var}\, \tfrac1d x^\top S x = \tfrac{2 T}{d},\quad T = \tfrac1d\,\mathrm{tr} S^2")
    doc.step("The component along v is kappa: given it the mean is c + (kappa^2 - 1) v'S v/d, for isotropic rows c "
             "(1 + (kappa^2 - 1)/d).",
             exact((c * kappa**2 + c * (d - 1) * E(x1**2, x1)) / d, c * (1 + (kappa**2 - 1) / d), ("split", "expand")))


def _slope(doc):
    mu0 = E(student(r * kappa + sqrt(c) * z), z)
    slope = E((z**2 - 1) * student(r * kappa + sqrt(c) * z), z) / (2 * c)
    doc.step("mu0 as a function of the variance: the heat equation.", exact(mu0.diff(c), slope, ("stein", "split")))
    doc.step("Its second derivative has the fourth of the student,",
             exact(mu0.diff(c, 2), E(student(r * kappa + sqrt(c) * z, 4), z) / 4, ("stein",
                                                                                   "split", "stein", "expand")))
    sphere = 3 * d / (d + 2) - 3
    doc.step("and rows on the sphere have in any direction the fourth cumulant -6/(d + 2):",
             exact(sphere, -6 / (d + 2), "cancel"))
    fourth = Symbol("E_student''''", real=True)
    change = c**2 * (-6 / d) / 24 * fourth + c**2 * 2 / d / 2 * fourth / 4
    doc.step("the two terms of order 1/d cancel (for a fixed row w.x is Gaussian), so that the shift of mu0 by the "
             "mean of x'S x is all.", exact(change, 0, "expand"),
             shown=r"\mu_0 \to \mu_0 + \tfrac cd (\kappa^2 - 1)\, \partial_c \mu_0")
    doc.step("At r = 0 the slope is E[(z^2 - 1) student(sqrt(c) z)]/(2 c): 0 for an odd student (example: a cubic).",
             exact(E((z**2 - 1) * (x1 * sqrt(c) * z + x2 * (sqrt(c) * z) ** 3), z), 0, ("split", "expand")))
    doc.step("For small r it is r kappa E[student''']/2.",
             exact(mu0.diff(c).diff(r).subs(r, 0), kappa * E(student(sqrt(c) * z, 3), z) / 2, ("stein", "split")))


def _noise(doc):
    mu0, h, V = Applied("mu0", kappa), Applied("h", kappa), Applied("V", kappa)
    common = Applied("nu", kappa)
    C = mu0 * m + kappa * Applied("mu1", kappa) * theta
    doc.step("nu is the variance of mu0 given kappa: the squared slope times 2 T/d. The prediction gets m times this "
             "noise, which no other weight can take away: R + nu m^2.",
             exact(E((C + m * sqrt(nu) * z - h) ** 2, z), (C - h) ** 2 + nu * m**2, ("split", "expand")),
             shown=r"\nu = \tfrac{2T}{d}\,(\partial_c\mu_0)^2,\quad R \to R + \nu m^2")
    energy = alpha / (2 * beta) * E((C**2 - 2 * C * h + common * m**2) / (1 + V), kappa) + m**2 / (2 * p * V2)
    doc.step("In the free energy, with the cost of real_network.mean_readout: the equation of m.",
             exact(-beta / alpha * energy.diff(m), E((mu0 * (h - C) - common * m) / (1 + V), kappa)
                   - beta / alpha * m / (p * V2), ("split", "join")),
             shown=Eq(E((mu0 * (h - C) - common * m) / (1 + V), kappa), beta / alpha * m / (p * V2), evaluate=False))
    doc.step("So nu joins mu0^2 in M_00.",
             exact(E((C**2 + common * m**2) / (1 + V), kappa).diff(m, 2) / 2, E((mu0**2 + common) / (1 + V), kappa),
                   ("split", "join")), shown=Eq(Symbol("M_00"), E((mu0**2 + common) / (1 + V), kappa), evaluate=False))
    doc.step("First order (envelope): the minimised objective, 2 beta/alpha times the free energy, rises by:",
             exact(2 * beta / alpha * alpha / (2 * beta) * E(common * m**2 / (1 + V), kappa),
                   m**2 * E(common / (1 + V), kappa), "expand"))


def _labels(doc):
    vv, vz, zz = symbols("S_vv S_vz S_zz", real=True)
    x, C, bend = symbols("x C bend", real=True)
    form = vv * kappa**2 + 2 * vz * kappa * x + zz * x**2 + c * d - vv - zz
    shift = (kappa**2 - 1) * vv + 2 * kappa * x * vz + (x**2 - 1) * zz
    doc.step("Given also the projection x on the rest of the target, the mean of x'S x/d has two more terms, which the "
             "labels see.", exact(form / d, c + shift / d, "expand"))
    h = Applied("target", x)
    residual = h - C - bend * (x**2 - 1)
    doc.step("The term in x joins the covariance with the target's argument; of that in x^2 the squared error gets the "
             "correlation with the target, 0 for an odd target at r = 0 or an odd student.",
             exact(E(residual**2, x), E(h**2, x) - 2 * C * E(h, x) + C**2 - 2 * bend * E((x**2 - 1) * h, x)
                   + 2 * bend**2, ("split", "expand")),
             shown=r"b = \tfrac{m}{d}\, \zeta^\top S \zeta\, \partial_c\mu_0,\quad "
                   r"R \to R - 2 b\, E[(x^2 - 1) h] + 2 b^2")


def _trace(doc):
    square = h2**2 + y4 / alpha0
    doc.step("T for an odd student, S = 1 + omega A: tr A/d = h2 = E[y^2], tr A^2/d = h2^2 + y4/alpha0 (equal "
             "samples; y4 = E[y^4]); c = 1 + omega h2.",
             exact(1 + 2 * omega * h2 + omega**2 * square, (1 + omega * h2) ** 2 + omega**2 * y4 / alpha0, "expand"),
             shown=Eq(T, c**2 + omega**2 * y4 / alpha0, evaluate=False))
    form = k2 + beta_y**2
    delta = beta_y**2 - beta0**2
    doc.step("For any student S = K^2 + omega A2, and tr(K^2 A2)/d is E[y^2 x'K^2 x/d] = E[y^2 (k2 + beta0^2 + "
             "delta_y)] (real_network.row_norm).", exact(y**2 * form, y**2 * (k2 + beta0**2 + delta), "expand"))
    m4 = k4 + 4 * k3 * beta0 + 2 * k2**2 + 6 * k2 * beta0**2 + beta0**4
    crossed = Symbol("E_y2delta", real=True)
    doc.step("Together with tr K^4/d; for ell = 0 it is that of the odd student.",
             exact((m4 + 2 * omega * (h2 * (k2 + beta0**2) + crossed) + omega**2 * square)
                   .subs({beta0: 1, k2: 0, k3: 0, k4: 0, crossed: 0}),
                   (1 + omega * h2) ** 2 + omega**2 * y4 / alpha0, "expand"),
             shown=Eq(T, m4 + 2 * omega * (h2 * (k2 + beta0**2) + crossed) + omega**2 * square, evaluate=False))
    doc.step("Isotropic rows: T = c^2.", exact((T * 2 / d).subs(T, c**2), 2 * c**2 / d, "expand"))


_R, _KAPPA, _SAMPLES = 0.2, 2.5, 300


def _relu(u):
    import numpy as np

    return np.maximum(u, 0)


def _unit_draw(rng, d):
    """Variance and mean over x of the mean feature of 30 d units, given kappa."""
    import numpy as np

    def mean(f):
        return batch.normal_mean(lambda u: f(_R * _KAPPA + u, u))

    rows = 30 * d
    W, v = on_sphere(rng, rows, d), on_sphere(rng, 1, d)[0]
    x = rng.standard_normal((_SAMPLES, d))
    x += np.outer(_KAPPA - x @ v, v)
    units = _relu(_R * _KAPPA + x @ W.T).mean(axis=1)
    first = mean(lambda field, u: _relu(field))
    slope = mean(lambda field, u: (u**2 - 1) * _relu(field)) / 2
    single = (mean(lambda field, u: _relu(field) ** 2) - first**2) / rows
    return {"variance": (units.var(ddof=1), 2 / d * slope**2 + single),
            "mean": ((units.mean() - first) * d, (_KAPPA**2 - 1) * slope)}


@cache
def unit_instances():
    return Instances(_unit_draw, seed=13, d=50, repeats=30)


def _trace_draw(rng, d):
    import numpy as np

    found = {}
    for kind in ("odd", "other"):
        at = network(kind)
        one = batch.draw(rng, d, at)
        K = np.eye(d) + at.a * at.k.sigma2 * batch.second_moment(one, one.y)
        S = K @ K + at.a**2 * at.k.square / at.alpha0 * batch.second_moment(one, one.y**2)
        found[kind] = np.sum(S**2) / d, trace_square(at)
    return found


@cache
def trace_instances():
    return Instances(_trace_draw, seed=14, d=150, repeats=40)


def _random(doc):
    doc.step("Sampled: relu, 30 d rows on the sphere, r = 1/5, kappa = 5/2: the variance over inputs of the mean "
             "feature is nu and what p single units add.",
             sampled(Symbol("Var"), nu, unit_instances, "variance", drift=0.005))
    doc.step("Its mean is shifted by (c/d) (kappa^2 - 1) d_c mu0 (shown times d).",
             sampled(Symbol("shift"), (kappa**2 - 1) * Symbol("slope"), unit_instances, "mean"))
    for kind, words in (("odd", "tanh, a = 3, alpha0 = 1/2"), ("other", "log(1 + exp(2 z + 1)), a = 1, alpha0 = 1")):
        doc.step(f"Sampled batches of sin, {words}: T.",
                 sampled(Symbol("tr(S^2)/d"), T, trace_instances, kind, drift=20))


if __name__ == "__main__":
    sys.exit(main(derivation))
