"""The free energy of ridge regression on spiked features, and its thirteen stationarity conditions."""

import sys
from functools import cache
from types import SimpleNamespace

from sympy import Derivative, Eq, Limit, Matrix, Rational, Subs, Symbol, diag, oo, sqrt, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied, Named
from asympkit.spectra import mean
from asympkit.theories.spiked_features import equations as spiked_equations

from ..checks import exact
from ..command import main
from ..document import Derivation

s = spiked_equations.symbols()
half = Rational(1, 2)


@cache
def local():
    """V, C, R at a given projection kappa, S and the source at a given eigenvalue, written out here."""
    u = spiked_equations.moments()
    V = Named("V", u.mu1**2 * s.V1 + u.mu2sq * s.V2)
    C = Named("C", u.mu0 * s.m + s.kappa * u.mu1 * s.theta)
    R = Named("R", u.hzz + s.noise_variance + C**2 - 2 * C * u.h - 2 * u.mu1 * s.psi * u.hz
              + u.mu1**2 * s.q1 + u.mu2sq * s.q2)
    S = Named("S", s.lam + s.Vhat2 + s.Vhat1 * s.D)
    source = s.qhat1 * s.D + s.qhat2 + (s.thetahat**2 * s.F + s.psihat**2 * s.H) / s.beta
    return SimpleNamespace(V=V, C=C, R=R, S=S, source=source, law=spiked_equations.pieces().law)


@cache
def conditions():
    """The saddle-point equations: ``(unknown, right side, conjugate variable, factor)``.

    ``factor`` times the derivative of the free energy by the conjugate variable is right side minus unknown.
    """
    u, k = spiked_equations.moments(), local()
    ratio = s.alpha / s.beta
    squares = (u.mu1**2, u.mu2sq)

    def data(e):
        return E(e, s.kappa)

    def modes(e):
        return mean(e, k.law)

    rows = []
    for i, square in enumerate(squares):
        V, q, Vhat, qhat = ((s.V1, s.q1, s.Vhat1, s.qhat1), (s.V2, s.q2, s.Vhat2, s.qhat2))[i]
        weight = (s.D, 1)[i]
        rows += [(Vhat, ratio * data(square / (1 + k.V)), q, 2),
                 (qhat, ratio * data(square * k.R / (1 + k.V) ** 2), V, -2),
                 (V, modes(weight / k.S), qhat, -2),
                 (q, modes(weight * k.source / k.S**2), Vhat, 2)]
    rows += [(s.thetahat, s.alpha * data(s.kappa * u.mu1 * (u.h - k.C) / (1 + k.V)), s.theta, -s.beta),
             (s.psihat, s.alpha * data(u.mu1 * u.hz / (1 + k.V)), s.psi, -s.beta),
             (s.theta, s.thetahat * modes(s.F / k.S), s.thetahat, -s.beta),
             (s.psi, s.psihat * modes(s.H / k.S), s.psihat, -s.beta),
             (0, data(u.mu0 * (u.h - k.C) / (1 + k.V)), s.m, -s.beta / s.alpha)]
    return tuple(rows)


def derivation():
    """Result 3.3: the free energy and the saddle-point equations."""
    doc = Derivation(
        "Ridge regression on spiked features: free energy and saddle-point equations",
        "arXiv 2402.04980, Result 3.3",
        "Features as in Result 3.2, penalty lam |w|^2 next to the sum of squares. The replica-symmetric "
        "form (a minimum over the weights with Gaussian fields, order parameters enforced by conjugates) "
        "is taken from the paper; its two minima are done here, and everything after them is "
        "differentiation.",
        notation=spiked_equations.NOTATION)
    _fields(doc)
    _data_term(doc)
    _penalty_term(doc)
    _free_energy(doc)
    _stationarity(doc)
    _identities(doc)
    return doc


def _fields(doc):
    """Output of a network with two units in three dimensions, v and zeta along the first two axes."""
    w = Matrix(symbols("w1 w2", real=True))
    W = Matrix(2, 3, symbols("W11 W12 W13 W21 W22 W23", real=True))
    mu0, mu1, mu2 = symbols("mu0 mu1 mu2", real=True)
    x2, x3, xi1, xi2 = noise = symbols("x2 x3 xi1 xi2", real=True)
    p, d = 2, 3
    v, zeta = Matrix([sqrt(d), 0, 0]), Matrix([0, sqrt(d), 0])
    rest = Matrix([0, x2, x3])
    feature = (mu0 * Matrix([1, 1]) + mu1 * (W * rest + s.kappa * W * v / sqrt(d)) + mu2 * Matrix([xi1, xi2]))
    output = (w.T * feature)[0] / sqrt(p)
    m, theta = (w[0] + w[1]) / sqrt(p), (w.T * W * v)[0] / sqrt(p * d)
    omega = W * diag(0, 1, 1) * W.T
    q1, q2 = (w.T * omega * w)[0] / p, (w.T * w)[0] / p
    psi = (w.T * W * zeta)[0] / sqrt(p * d)
    by = ("close", "expand")
    doc.step("Mean of the network's output at given kappa: C = mu0 m + kappa mu1 theta (two units in three "
             "dimensions, any weights).",
             exact(E(output, noise), mu0 * m + s.kappa * mu1 * theta, by))
    doc.step("Its variance over the rest of the input: mu1^2 q1 + mu2^2 q2, with q1 = w W P W w/p, q2 = "
             "|w|^2/p.",
             exact(E((output - mu0 * m - s.kappa * mu1 * theta) ** 2, noise), mu1**2 * q1 + mu2**2 * q2, by))
    doc.step("Its covariance with the target's field along zeta: mu1 psi.",
             exact(E(output * (rest.T * zeta)[0] / sqrt(d), noise), mu1 * psi, by))
    size = Symbol("p", positive=True)
    doc.step("The overlap m with the constant direction costs nothing: w = m 1/sqrt(p) has |w|^2/p = m^2/p.",
             exact(Limit(size * (s.m / sqrt(size)) ** 2 / size, size, oo), 0, "close_limit"))


def _data_term(doc):
    u, k = spiked_equations.moments(), local()
    x, y, omega = symbols("x y omega", real=True)
    V = Symbol("V", positive=True)
    best = (omega + V * y) / (1 + V)
    cost = (x - omega) ** 2 / (2 * V) + (y - x) ** 2 / 2
    doc.step("One sample: the output x moves from the field omega towards the label y; stationary point.",
             exact(Subs(Derivative(cost, x), x, best), 0, ("close", "cancel")))
    doc.step("Its cost.", exact(Subs(cost, x, best), (y - omega) ** 2 / (2 * (1 + V)), ("close", "cancel")))
    doc.step("The residual left on a training sample; on a fresh sample it is y - omega.",
             exact(y - best, (y - omega) / (1 + V), "cancel"))
    noise, other = symbols("noise other", real=True)
    label = Applied("target", s.gamma * s.kappa + s.rho * s.z) + sqrt(s.noise_variance) * noise
    spread = Symbol("spread", nonnegative=True)
    field = k.C + u.mu1 * s.psi * s.z + sqrt(spread) * other
    missing = u.mu1**2 * (s.q1 - s.psi**2) + u.mu2sq * s.q2
    total = E(E(E((label - field) ** 2, noise), other), s.z).subs(spread, missing)
    doc.step("Label and field share z along zeta; the rest of the field has the variance that is missing, "
             "mu1^2 (q1 - psi^2) + mu2sq q2. The mean squared difference is R.",
             exact(total, k.R, ("open", "split", "expand")))
    shrunk = E(E(E(((label - field) / (1 + k.V)) ** 2, noise), other), s.z).subs(spread, missing)
    doc.step("On a training sample the mean squared residual is R/(1 + V)^2; its mean over kappa is the "
             "training error of the package.",
             exact(E(shrunk, s.kappa), spiked_equations.ridge().observables()["train_error"],
                   ("open", "split", "expand")))


def _penalty_term(doc):
    w, g, f, h, xi = symbols("w g f h xi", real=True)
    S, d, p = symbols("S d p", positive=True)
    mode = S * w**2 / 2 - g * w
    doc.step("One mode of the weights, stiffness S, field g: stationary point g/S.",
             exact(Subs(Derivative(mode, w), w, g / S), 0, ("close", "cancel")))
    doc.step("Its cost.", exact(Subs(mode, w, g / S), -(g**2) / (2 * S), ("close", "cancel")))
    doc.step("Conjugate of theta = w.Wv/sqrt(p d): d thetahat theta, which is 1/beta per unit, pulls a "
             "mode with overlap f by thetahat f/sqrt(beta).",
             exact(Subs(d * s.thetahat / sqrt(p * d), p, s.beta * d), s.thetahat / sqrt(s.beta),
                   ("close", "simplify")))
    field = (sqrt(s.qhat1 * s.D + s.qhat2) * xi
             + (s.thetahat * sqrt(s.F) * f + s.psihat * sqrt(s.H) * h) / sqrt(s.beta))
    doc.step("Fields of q1 and q2 are fresh noise, those of theta and psi act on the overlaps sqrt(F) f "
             "and sqrt(H) h of the mode with v and zeta, independent and centred for an isotropic bulk: "
             "the mean squared field is the source.",
             exact(E(field**2, (xi, f, h)), local().source, ("close", "expand")))


def _free_energy(doc):
    k = local()
    pairs = (s.qhat1 * s.V1 - s.q1 * s.Vhat1 + s.qhat2 * s.V2 - s.q2 * s.Vhat2) / 2
    mine = (pairs + (s.theta * s.thetahat + s.psi * s.psihat) / s.beta - half * mean(k.source / k.S, k.law)
            + s.alpha / s.beta * E(k.R / (1 + k.V), s.kappa) / 2)
    doc.step("Free energy per unit: conjugate pairs, cost of the modes, and n/p = alpha/beta samples per "
             "unit. It is the one the package differentiates.",
             exact(spiked_equations.ridge().free_energy, mine, ("open", "expand", "join")),
             shown=Eq(Symbol("F"), mine, evaluate=False))


def _stationarity(doc):
    F = spiked_equations.ridge().free_energy
    for unknown, right, conjugate, factor in conditions():
        doc.step(f"Stationarity in {conjugate}.",
                 exact(factor * F.diff(conjugate), right - unknown, ("expand", "join")),
                 shown=Eq(unknown, right, evaluate=False))


def _identities(doc):
    u, k, F = spiked_equations.moments(), local(), spiked_equations.ridge().free_energy
    ratio = s.alpha / s.beta
    train = E(k.R / (1 + k.V) ** 2, s.kappa)
    by = ("expand", "join")
    objective = train + s.lam / ratio * s.q2
    doc.step("The squares V mu^2 R/(1+V)^2 and R/(1+V)^2 add up.",
             exact(E(k.R / (1 + k.V), s.kappa) - train,
                   s.V1 * E(u.mu1**2 * k.R / (1 + k.V) ** 2, s.kappa)
                   + s.V2 * E(u.mu2sq * k.R / (1 + k.V) ** 2, s.kappa),
                   ("open", "expand", "join")))
    doc.step("Each mode's source is stiffness times response: S = lam + Vhat2 + Vhat1 D.",
             exact(mean(k.source / k.S, k.law),
                   s.Vhat1 * mean(s.D * k.source / k.S**2, k.law)
                   + (s.lam + s.Vhat2) * mean(k.source / k.S**2, k.law), ("open", "expand", "join")))
    hats = (2 * s.qhat1 * F.diff(s.qhat1) + 2 * s.qhat2 * F.diff(s.qhat2) + s.thetahat * F.diff(s.thetahat)
            + s.psihat * F.diff(s.psihat))
    stiff = s.Vhat1 * F.diff(s.Vhat1) + (s.lam + s.Vhat2) * F.diff(s.Vhat2)
    response = s.V1 * F.diff(s.V1) + s.V2 * F.diff(s.V2)
    doc.step("The free energy is alpha/(2 beta) times the minimum of the training objective, up to a "
             "combination of stationarity conditions.",
             exact(F - ratio / 2 * objective, hats + stiff - response, ("open", "expand", "join")),
             shown=Eq(Symbol("F"), ratio / 2 * objective, evaluate=False))
    overlaps = (s.m * F.diff(s.m) + s.theta * F.diff(s.theta) + s.psi * F.diff(s.psi)
                + 2 * s.q1 * F.diff(s.q1) + 2 * s.q2 * F.diff(s.q2))
    label = E((u.hzz + s.noise_variance - u.h * k.C - u.mu1 * s.psi * u.hz) / (1 + k.V), s.kappa)
    doc.step("The objective is also the covariance of residual and label: an identity that any solution "
             "must pass; the difference of the two sides is again a combination of the conditions.",
             exact(objective - label, (overlaps + 2 * response - hats - 2 * stiff) / ratio,
                   ("open", "expand", "join")),
             shown=Eq(objective, label, evaluate=False))
    doc.step("The penalty's derivative of the minimum is q2/2 (the envelope theorem).",
             exact(F.diff(s.lam), s.q2 / 2 + F.diff(s.Vhat2), by),
             shown=Eq(Symbol("dF_dlam"), s.q2 / 2, evaluate=False))


if __name__ == "__main__":
    sys.exit(main(derivation))
