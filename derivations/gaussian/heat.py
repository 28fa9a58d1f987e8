"""How the mean of a function of a normal variable changes with the mean and the width of the variable."""

import sys

from sympy import Derivative, I, Limit, Symbol, cos, exp, oo, sin, sqrt, tanh

from asympkit.gauss import E

from ..checks import exact, numerical
from ..command import main
from ..document import Derivation
from ..special import Phi, opened, phi
from .notation import a, b, density, moment, w, x, y, z

A = Symbol("A", nonpositive=True)
B, p, q = Symbol("B", real=True), Symbol("p", real=True), Symbol("q", real=True)
first, second = Symbol("b1", positive=True), Symbol("b2", positive=True)
M, weight = moment(1), density(x, a, b)


def derivation():
    """The heat equation, multiplication by x, convolution, tilting, and a cdf under the mean."""
    doc = Derivation(
        "Rules for means of a shifted and scaled normal variable", "classical; the rules 3 to 6 of the package",
        "M(a, b) = E sigma(a + b Z) with b > 0, sigma any function of slower growth than exp(eps x^2). Every "
        "rule is an identity of the density of x = a + b Z, so sigma need not be smooth; where sigma is "
        "differentiated, a second proof through Stein's lemma confirms it.")
    _heat(doc)
    _multiplication(doc)
    _convolution(doc)
    _tilt(doc)
    _cdf(doc)
    return doc


def _heat(doc):
    doc.step("The density of a + b Z solves the heat equation with b^2/2 as time.",
             exact(Derivative(weight, b), b * Derivative(weight, (a, 2)), ("diff", "expand")))
    doc.step("Averaged against sigma it says dM/db = b d^2M/da^2; here by differentiation under the sign and "
             "Stein's lemma.",
             exact(Derivative(M, b), b * Derivative(M, (a, 2)), ("diff", "stein", "expand")))
    doc.step("So a saddle-point equation in b needs no new kind of mean: dM/db = E[He_2(Z) sigma]/b.",
             exact(b * Derivative(M, b), moment(z**2 - 1), ("diff", "stein", "split", "expand")))
    doc.step("The same for tanh, whose means have no closed form.",
             numerical(E(z * tanh(a + b * z).diff(a), z), b * E(tanh(a + b * z).diff(a, 2), z),
                       {a: (-1, 1), b: (0.2, 0.7)}, digits=20, points=2))


def _multiplication(doc):
    doc.step("A factor x on the density is an operator in a.",
             exact(x * weight, a * weight + b**2 * Derivative(weight, a), ("diff", "expand")))
    doc.step("So the mean of x sigma(x) is (a + b^2 d/da) M.",
             exact(moment(a + b * z), a * M + b**2 * Derivative(M, a), ("diff", "stein", "split", "expand")))
    once = a * M + b**2 * Derivative(M, a)
    doc.step("Twice: the mean of x^2 sigma(x).",
             exact(moment((a + b * z) ** 2), a * once + b**2 * Derivative(once, a),
                   ("diff", "stein", "split", "expand")))
    doc.step("With sigma = sin the rule gives E[x sin x].",
             exact(E((a + b * z) * sin(a + b * z), z), exp(-(b**2) / 2) * (a * sin(a) + b**2 * cos(a)),
                   ("close", "simplify")))


def _convolution(doc):
    total = sqrt(first**2 + second**2)
    centre, spread = (a * second**2 + x * first**2) / total**2, first * second / total
    doc.step("Noise on top of noise: the product of the density of x around y and of y around a is the density of x "
             "around a, of variance b1^2 + b2^2, times a density in y. Its integral over y is 1.",
             exact(density(x, y, second) * density(y, a, first), density(x, a, total) * density(y, centre, spread),
                   ("normal", "exponents", "simplify")))
    doc.step("So E M(a + b1 W, b2) = M(a, sqrt(b1^2 + b2^2)). With sigma = sin:",
             exact(E(exp(-(second**2) / 2) * sin(a + first * w), w), exp(-(total**2) / 2) * sin(a),
                   ("close", "simplify")))


def _tilt(doc):
    v = 1 - 2 * A * b**2
    centre, spread = (a + b**2 * B) / v, b / sqrt(v)
    size = (a**2 * A + a * B + b**2 * B**2 / 2) / v
    doc.step("Completing the square (v = 1 - 2 A b^2): the exponent of exp(A x^2 + B x) times the density of a + b Z "
             "is that of another normal density, plus a constant.",
             exact(A * x**2 + B * x - (x - a) ** 2 / (2 * b**2), size - (x - centre) ** 2 / (2 * spread**2),
                   "cancel"))
    doc.step("With the factors in front: the tilt rule. A mean of exp(A x^2 + B x) f(x) is a mean of f at another "
             "centre and width.",
             exact(exp(A * x**2 + B * x) * weight, exp(size) / sqrt(v) * density(x, centre, spread),
                   ("normal", "exponents", "simplify")))
    doc.step("f = 1 gives the mean of the exponential itself; A = 0.",
             exact(E(exp(B * (a + b * z)), z), exp(size).subs(A, 0), ("close", "simplify")))
    doc.step("A = -half of an inverse square, B = 0: a Gaussian under a Gaussian.",
             exact(E(exp(-((a + b * z) ** 2) / (2 * first**2)), z),
                   (exp(size) / sqrt(v)).subs({B: 0, A: -1 / (2 * first**2)}), ("close", "simplify")))
    doc.step("B may be imaginary where f is entire; f = 1, B = i q: the real part is the mean of cos(q x).",
             exact(exp(size).subs({A: 0, B: I * q}), exp(-(b**2) * q**2 / 2) * (cos(q * a) + I * sin(q * a)),
                   ("euler", "expand")))
    doc.step("The package closes the mean of cos(q x) so.",
             exact(E(cos(q * (a + b * z)), z), exp(-(b**2) * q**2 / 2) * cos(q * a), ("close", "simplify")))


def _cdf(doc):
    width = sqrt(1 + p**2)
    doc.step("A cdf under the mean, E Phi(p Z + q): its derivative in q is the mean of a density. By completing the "
             "square that density times phi(z) is a normal density in z, times phi(q/w)/w with w = sqrt(1 + p^2).",
             exact(phi(p * z + q) * phi(z), phi(q / width) / width * density(z, -p * q / width**2, 1 / width),
                   ("normal", "exponents", "simplify")))
    doc.step("That is the derivative of Phi(q/w).",
             exact(Derivative(Phi(q / width), q), phi(q / width) / width, "diff"))
    doc.step("Both sides vanish as q decreases to minus infinity (shown for the right side), so E Phi(p Z + q) = "
             "Phi(q/w).",
             exact(Limit(opened(Phi(q)), q, -oo), 0, "close_limit"))
    doc.step("The package agrees.",
             exact(opened(E(Phi(p * z + q), z)), Phi(q / width), ("close", "normal", "erf", "simplify")))
    doc.step("A step is a cdf of width zero: E 1{a + b Z > 0} = Phi(a/b) solves the heat equation.",
             exact(Derivative(Phi(a / b), b), b * Derivative(Phi(a / b), (a, 2)), ("diff", "expand")))
    ramp = a * Phi(a / b) + b * phi(a / b)
    doc.step("relu is the primitive of the step: R(a, b) = a Phi(a/b) + b phi(a/b) has the slope Phi(a/b) ...",
             exact(Derivative(ramp, a), Phi(a / b), ("diff", "expand")))
    doc.step("... and solves the heat equation.",
             exact(Derivative(ramp, b), b * Derivative(ramp, (a, 2)), ("diff", "expand")))
    doc.step("gelu is x Phi(x): the multiplication rule on E Phi(a + b Z) = Phi(a/w), w = sqrt(1 + b^2).",
             exact(E((a + b * z) * opened(Phi(a + b * z)), z),
                   a * Phi(a / sqrt(1 + b**2)) + b**2 * Derivative(Phi(a / sqrt(1 + b**2)), a),
                   ("close", "diff", "normal", "erf", "simplify")))


if __name__ == "__main__":
    sys.exit(main(derivation))
