"""Integration by parts against the normal density, for any order and for functions that jump."""

import sys

from sympy import Derivative, Heaviside, Integral, Max, Piecewise, Symbol, cos, exp, oo, sign, sin

from asympkit.gauss import E

from ..checks import exact, simulated
from ..command import main
from ..document import Derivation
from ..special import He, phi
from .notation import a, b, density, k, moment, student, x, z

theta, J = Symbol("theta", real=True), Symbol("J", real=True)
scaled = (x - a) / b


def derivation():
    """Stein's lemma and its consequences for E[He_k(Z) sigma(a + b Z)]."""
    doc = Derivation(
        "Integration by parts under a Gaussian", "C. Stein, Annals of Statistics 9, 1135 (1981), Lemma 2",
        "Z is standard normal with density phi, M(a, b) = E sigma(a + b Z), b > 0, and He_k are the Hermite "
        "polynomials with He_{k+1}(x) = x He_k(x) - k He_{k-1}(x). The function (written student) grows more "
        "slowly than exp(eps x^2) for every eps > 0, so that boundary terms at infinity vanish; otherwise it "
        "is arbitrary.")
    _lemma(doc)
    _any_order(doc)
    _no_smoothness(doc)
    _jumps(doc)
    return doc


def _lemma(doc):
    g = student(z)
    doc.step("The normal density answers a derivative with a factor -z.",
             exact(Derivative(phi(z), z), -z * phi(z), "diff"))
    doc.step("So the derivative of g phi is a difference of two integrands. Its integral over the line is 0: "
             "E[g'(Z)] = E[Z g(Z)].",
             exact(Derivative(g * phi(z), z), (student(z, 1) - z * g) * phi(z), ("diff", "expand")))
    doc.step("This is the rewriting that the package does.", exact(E(student(z, 1), z), E(z * g, z), "stein"))
    doc.step("The density of a + b Z, with u = (x - a)/b, answers the derivative in its mean with u/b. A mean "
             "over Z can therefore be differentiated without differentiating sigma ...",
             exact(Derivative(density(x, a, b), a), scaled / b * density(x, a, b), ("diff", "expand")))
    doc.step("... or under the sign. Both say E[Z sigma(a + b Z)] = b dM/da = b E[sigma'(a + b Z)].",
             exact(b * Derivative(moment(1), a), moment(z), ("diff", "stein")))
    doc.step("A factor that also depends on Z is differentiated too.",
             exact(E(z**3 * student(z, 1), z), E((z**4 - 3 * z**2) * g, z), ("stein", "expand")))
    doc.step("An example in which both sides can be integrated without the lemma: sigma = sin.",
             exact(E(z * sin(a + b * z), z), b * exp(-(b**2) / 2) * cos(a),
                   ("close", "simplify")))


def _any_order(doc):
    f = student(z)
    for n in (2, 3, 4, 5):
        doc.step(f"The lemma used {n} times turns {n} derivatives into He_{n}.",
                 exact(b**n * Derivative(moment(1), (a, n)), moment(He(n, z)), ("diff", "stein", "split", "expand")))
    doc.step("It is He_k for every k. Suppose E[g^(k)] = E[He_k g] for all g, in particular for g = f'. Then "
             "E[f^(k+1)] = E[He_k f'], and one more integration by parts raises the order, since He_k' = k "
             "He_{k-1}.",
             exact(E(He(k, z) * student(z, 1), z), E(He(k + 1, z) * f, z), ("stein", "hermite", "split", "expand")))
    doc.step("Read with f(z) = sigma(a + b z): every derivative brings a factor b, so E[He_k(Z) sigma(a + b Z)] = "
             "b^k d^k M/da^k.",
             exact(b * moment(He(k, z), 1), moment(He(k + 1, z)), ("stein", "hermite", "split", "expand")))


def _no_smoothness(doc):
    doc.step("The same without any derivative of sigma: all of them fall on the density of x = a + b Z. If k of "
             "them give He_k(u) there, u = (x - a)/b, the next gives He_{k+1}(u). So the rule holds for jumps.",
             exact(b * Derivative(He(k, scaled) * density(x, a, b), a), He(k + 1, scaled) * density(x, a, b),
                   ("diff", "hermite", "expand")))
    doc.step("The start of this induction.",
             exact(b * Derivative(density(x, a, b), a), He(1, scaled) * density(x, a, b), ("diff", "expand")))
    doc.step("On a half-line He_{k+1} phi is a derivative, so that the integral above theta is He_k(theta) "
             "phi(theta).",
             exact(-Derivative(He(k, z) * phi(z), z), He(k + 1, z) * phi(z), ("diff", "hermite", "expand")))


def _jumps(doc):
    step, jump = Heaviside(a + b * z - theta), J * phi((theta - a) / b)
    doc.step("A step of height J at theta: the integral over the half-line, done by hand, ...",
             exact(Integral(J * z * phi(z), (z, theta, oo)), J * phi(theta), ("normal", "close", "expand")))
    doc.step("... and the same mean from the package, at any a and b.",
             exact(E(z * J * step, z), jump, ("close", "normal", "simplify")))
    doc.step("A function with a jump is a smooth function f plus a step. The slope of f alone misses the jump: "
             "E[Z sigma(a + b Z)] = b E[f'(a + b Z)] + J phi((theta - a)/b).",
             exact(E(z * (student(a + b * z) + J * step), z), b * moment(1, 1) + jump,
                   ("stein", "split", "normal", "simplify")))
    doc.step("sign jumps by 2.",
             exact(E(z * sign(a + b * z), z), 2 * phi(a / b), ("close", "normal", "simplify")))
    doc.step("A kink is a jump of the slope, so it enters at the second order: relu, whose second derivative is a "
             "point mass.",
             exact(E(He(2, z) * Max(0, a + b * z), z), b * phi(a / b), ("close", "normal", "simplify")))
    pieces, slopes = Piecewise((exp(z), z < 1), (z**2, True)), Piecewise((exp(z), z < 1), (2 * z, True))
    doc.step("Two pieces, exp z below 1 and z^2 above: the slopes of the pieces, and a jump of height 1 - exp 1.",
             exact(E(z * pieces, z), E(slopes, z) + (1 - exp(1)) * phi(1), ("close", "normal", "erf", "simplify")))
    doc.step("A sample mean of Z sign(Z - 1) over d^2 draws.",
             simulated(Symbol("sample_mean"), 2 * phi(1), _sampled, tolerance=0.5, sizes=(50, 200), repeats=4))


def _sampled(rng, d):
    import numpy as np

    draws = rng.standard_normal(d * d)
    return (draws * np.sign(draws - 1)).mean(), (2 / np.pi) ** 0.5 * np.exp(-0.5)


if __name__ == "__main__":
    sys.exit(main(derivation))
