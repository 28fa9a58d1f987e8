"""First-layer rows of random length: the constant function gets a rival, and only it."""

import sys

from sympy import Derivative, Eq, Matrix, Rational, Subs, Symbol, eye, sqrt, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied

from ..checks import exact, exceeds, simulated
from ..command import main
from ..document import Derivation
from .experiments import gram, limit_model, radial
from .notation import dm1, kappa, lam, m1, mtilde, mu, mu0, package, phi, psi, tau
from .package_gap import D, observable, quadratic, student_second, target

z = Symbol("z", real=True)
r, d, N, n, q = symbols("r d N n q", positive=True)
c2 = student_second
dchi = Symbol("dchi", real=True)


def derivation():
    """Gaussian rows against rows on the sphere."""
    doc = Derivation(
        "Rows of random length", "arXiv 2310.07891 has rows on the sphere, the authors' slides Gaussian ones",
        "Rows w ~ N(0, I/d) have squared norm 1 + O(1/sqrt(d)). The features then have a term that is constant in the "
        "inputs; its norm is that of the bulk if the student's coefficient c2 (s2 below) is not 0. Notation of "
        "nonlinear_spikes.gaps; inputs of random length do the same to the units. The small instances have integer "
        "entries and lam n = 5.")
    _lengths(doc)
    _constant(doc)
    _gaps(doc)
    _inputs(doc)
    return doc


def _lengths(doc):
    student = Applied("student", sqrt(r) * z)
    doc.step("The mean of a feature over the inputs is a function of the squared norm r of its row; its slope at r = 1 "
             "is c2: the feature gains nu = c2 (|w|^2 - 1).",
             exact(Subs(Derivative(E(student, z), r), r, 1), E((z**2 - 1) * Applied("student", z), z) / 2,
                   ("diff", "close", "stein", "expand")),
             shown=Eq(Symbol("nu"), c2 * (Symbol("|w|") ** 2 - 1), evaluate=False))
    doc.step("|w|^2 - 1 is a sum of d terms of variance E(z^2 - 1)^2/d^2, ...",
             exact(E((z**2 - 1) ** 2, z), 2, "close"))
    doc.step("... so |nu|^2 over N units tends to 2 c2^2 N/d = 2 c2^2/psi.",
             exact((N * c2**2 * d * 2 / d**2).subs(N, d / psi), 2 * c2**2 / psi, "cancel"),
             shown=Eq(Symbol("|nu|") ** 2, 2 * c2**2 / psi, evaluate=False))


def _constant(doc):
    F, one, nu = Matrix([[1, 2], [-1, 1], [3, 0]]), Matrix([1, 1, 1]), Matrix([1, -2])
    level = 5
    R = (F * F.T + level * eye(3)).inv()
    spiked = F + one * nu.T
    P = F * nu
    K = level * (nu.T * (F.T * F + level * eye(2)).inv() * nu)[0]
    G, C = (one.T * R * one)[0], (one.T * R * P)[0]
    sides = Matrix([G, C])
    full = (one.T * (spiked * spiked.T + level * eye(3)).inv() * one)[0]
    doc.step("1 nu^T is a change of rank one, a spike that does not diverge. Woodbury's formula for 1^T R 1, G = 1^T "
             "R_0 1, C = 1^T R_0 F nu, K = lam n nu^T (F^T F + lam n I)^(-1) nu (small instance).",
             exact(full, G - (sides.T * Matrix([[G, 1 + C], [1 + C, -K]]).inv() * sides)[0], "cancel"),
             shown=r"1^\top R 1 = G - [G, C] \begin{pmatrix} G & 1 + C \\ 1 + C & -K \end{pmatrix}^{-1} [G, C]")
    g, k = symbols("G K", positive=True)
    doc.step("nu is independent of the features without it: C tends to 0 and K to mtilde |nu|^2 = q.",
             exact(g - (Matrix([[g, 0]]) * Matrix([[g, 1], [1, -k]]).inv() * Matrix([g, 0]))[0], g / (1 + g * k),
                   "cancel"))
    doc.step("With G = tau: the constant meets mu0 = tau/(1 + q tau), less than tau.",
             exceeds(tau, tau / (1 + q * tau), q * tau**2 / (1 + q * tau), "cancel"),
             shown=Eq(mu0, tau / (1 + q * tau), evaluate=False))
    doc.step("In the package's symbols q tau is 2 c2^2 chi/phi, with q = 2 c2^2 mtilde/psi and chi = m1 mtilde.",
             exact((2 * c2**2 * mtilde / psi * tau).subs({tau: kappa * m1, psi: kappa * phi}),
                   2 * c2**2 * m1 * mtilde / phi, "cancel"),
             shown=Eq(q * tau, 2 * c2**2 * package.chi / phi, evaluate=False))
    doc.step("Sampled rows of both kinds (student z + He_2/sqrt(2), phi = 1/2, psi = 1, lam = 1/10): Gaussian ...",
             simulated(Symbol("mu0"), tau / (1 + q * tau), lambda rng, size: gram(rng, size, "gaussian")["constant"],
                       tolerance=7.0, sizes=(60, 180), repeats=6))
    doc.step("... which leaves the traces tau ...",
             simulated(Symbol("G_He_2"), 2 * tau, lambda rng, size: gram(rng, size, "gaussian")["He_2"], tolerance=16.0,
                       sizes=(60, 180), repeats=6), shown=r"He_2(g)^\top R\, He_2(g) \to 2 \tau")
    doc.step("... and mu as they are.",
             simulated(Symbol("G_g"), mu, lambda rng, size: gram(rng, size, "gaussian")["g"], tolerance=2.5,
                       sizes=(60, 180), repeats=6), shown=r"g^\top R g \to \mu")


def _slope(expr):
    """Derivative by lam along the solution, for an expression in m1, m2 and chi."""
    rates = {m1: dm1, package.m2: Symbol("dm2", real=True), package.chi: dchi}
    return sum(expr.diff(u) * rate for u, rate in rates.items())


def _gaps(doc):
    for degrees in ((1, 2), (1, 2, 3), (1, 2, 3, 4), (1, 3, 4)):
        names = ", ".join(map(str, degrees))
        taken = quadratic(degrees, 1)
        doc.step(f"The package's gap of the training error with this mu0 in the closed form, degrees {names}.",
                 exact(observable("train_gap", degrees, 1), lam * taken, "cancel"),
                 shown=Eq(Symbol("Delta"), lam * taken, evaluate=False))
        doc.step(f"And of the test error: chi depends on lam too, degrees {names}.",
                 exact(observable("test_gap", degrees, 1), -_slope(taken) / (kappa * m1) ** 2, "cancel"),
                 shown=Eq(Symbol("Lambda"), -Symbol("dQ") / tau**2, evaluate=False))
    doc.step("Without the second spike nothing changes, for He_1(0) = 0: l = 1.",
             exact(quadratic((1,), 1), quadratic((1,)), "expand"))
    spread = Symbol("s", positive=True)
    doc.step("The second spike brings more than with rows of unit norm, for the constant it lacks is cheaper: 2 - "
             "1/(3/2 + s) in place of 4/3, s = q tau.",
             exceeds(2 - 1 / (Rational(3, 2) + spread), Rational(4, 3), 4 * spread / (3 * (3 + 2 * spread)), "cancel"))
    doc.step("A free constant makes both kinds of rows equal.",
             exact(quadratic((0, 1, 2), 1), quadratic((0, 1, 2)), "cancel"))
    chi = package.chi
    doc.step("In the package: what the second spike adds beside the linear part, s = 2 s2^2 chi/phi.",
             exact((observable("train_gap", (1, 2), 1) - observable("train_gap", (1,), 1)) / lam,
                   kappa * m1 * package.target_linear**4 / D**2 * target[2] ** 2
                   * (2 - 1 / (Rational(3, 2) + 2 * c2**2 * chi / phi)), "cancel"))
    doc.step("Sampled features with g and g^2 free and Gaussian rows: the gap of the training error, mean over forty "
             "teachers.",
             simulated(Symbol("Delta_2"), lam * Symbol("Q"),
                       lambda rng, size: limit_model(rng, size, "gaussian")["train_gap"],
                       tolerance=0.6, sizes=(60, 180), repeats=5))


def _inputs(doc):
    doc.step("Inputs of random length bring the same with samples and units exchanged, for both kinds of rows: u 1^T, "
             "u = c2 (|x|^2/d - 1), |u|^2 = 2 c2^2 n/d.",
             exact((n * c2**2 * d * 2 / d**2).subs(n, d / phi), 2 * c2**2 / phi, "cancel"),
             shown=Eq(Symbol("|u|") ** 2, 2 * c2**2 / phi, evaluate=False))
    doc.step("Here lam n u^T R u = lam |u|^2 tau is what K was, and 1^T (F^T F + lam n I)^(-1) 1, N mtilde/(lam n) "
             "without u, is what G was. Their product is q tau again: times lam n/N the trace along the ones falls to "
             "mtilde/(1 + q tau).",
             exact((N * mtilde / (lam * n) * lam * (2 * c2**2 / phi) * tau).subs(n, kappa * N).subs(kappa, psi / phi),
                   2 * c2**2 * mtilde / psi * tau, "cancel"),
             shown=Eq(Symbol("t_1"), mtilde / (1 + q * tau), evaluate=False))
    doc.step("Sampled features have it (rows of unit norm). It concerns the even powers of the readout, which have a "
             "mean, in nonlinear_spikes.finite_step; spikes that diverge do not feel it, for Q does not contain their "
             "rows.",
             simulated(Symbol("t_1"), mtilde / (1 + q * tau), radial, tolerance=0.15, sizes=(60, 180), repeats=6))


if __name__ == "__main__":
    sys.exit(main(derivation))
