"""Derivatives of a mean over two correlated normal variables by their variances and their correlation."""

import sys

from sympy import Derivative, Eq, Function, Heaviside, Max, Subs, Symbol, cos, exp, pi, sign, sin, sqrt, tanh

from asympkit.gauss import E
from asympkit.nodes import Applied

from ..checks import exact, numerical
from ..command import main
from ..document import Derivation
from ..special import phi
from .notation import half, rho, student, x, y, z

v1, v2 = Symbol("v1", positive=True), Symbol("v2", positive=True)
cov = Symbol("cov", real=True)
v = 1 - rho**2


def pair_density():
    """Density of two centred normal variables of variances v1, v2 and covariance cov."""
    det = v1 * v2 - cov**2
    return exp(-(v2 * x**2 - 2 * cov * x * y + v1 * y**2) / (2 * det)) / (2 * pi * sqrt(det))


def derivation():
    """Price's theorem with general variances."""
    doc = Derivation(
        "Price's theorem", "R. Price, IRE Transactions on Information Theory 4, 69 (1958)",
        "X and Y are centred normal variables of variances v1, v2, covariance cov = rho sqrt(v1 v2), |rho| < 1, and "
        "D = E sigma(X) tau(Y), where sigma, tau (written student and target) grow more slowly than exp(eps x^2).")
    _density(doc)
    _by_parts(doc)
    _kinks(doc)
    _examples(doc)
    return doc


def _density(doc):
    p = pair_density()
    doc.step("The density of the pair depends on the covariance through a mixed second derivative ...",
             exact(Derivative(p, cov), Derivative(p, x, y), ("diff", "simplify")))
    doc.step("... and on each variance through half a pure one.",
             exact(Derivative(p, v1), half * Derivative(p, (x, 2)), ("diff", "simplify")))
    doc.step("For unit variances the density is phi(x) times the density of Y given X = x.",
             exact(p.subs({v1: 1, v2: 1, cov: rho}), phi(x) * phi((y - rho * x) / sqrt(v)) / sqrt(v),
                   ("normal", "exponents", "simplify")))


def _by_parts(doc):
    f, g = Applied("student", x), Applied("target", y)
    p = Function("p")(x, y)
    doc.step("Integration by parts moves the two derivatives from the density p to the functions; what is left "
             "over are total derivatives, which integrate to 0. So dD/dcov = E sigma'(X) tau'(Y) ...",
             exact(f * g * Derivative(p, x, y) - f.diff(x) * g.diff(y) * p,
                   Derivative(f * g * Derivative(p, y), x) - Derivative(f.diff(x) * g * p, y), ("diff", "expand")))
    doc.step("... and dD/dv1 = E sigma''(X) tau(Y)/2.",
             exact(f * g * Derivative(p, (x, 2)) - f.diff(x, 2) * g * p,
                   Derivative(f * g * Derivative(p, x) - f.diff(x) * g * p, x), ("diff", "expand")))
    doc.step("With unit variances, cov = rho: dD/drho = E sigma'(X) tau'(Y). Now the same without the density, by "
             "two uses of Stein's lemma. Y = rho X + sqrt(1 - rho^2) W; differentiate under the sign ...",
             exact(Derivative(_kernel(), rho), E(student(x) * E((x - rho * y / sqrt(v)) * _target(1), y), x),
                   ("diff", "split", "expand")))
    doc.step("... remove W, by parts in W, ...",
             exact(E(y * _target(1), y), sqrt(v) * E(_target(2), y), "stein"))
    doc.step("... and see that what is left is X g(X) - g'(X) with g(X) = E_W tau'(Y), ...",
             exact(E((x - rho * y / sqrt(v)) * _target(1), y), x * E(_target(1), y) - Derivative(E(_target(1), y), x),
                   ("diff", "split", "stein", "expand")))
    g = Applied("g", x)
    doc.step("... which, times sigma phi, is sigma' g phi up to a total derivative.",
             exact(f * (x * g - g.diff(x)) * phi(x),
                   f.diff(x) * g * phi(x) - Derivative(f * g * phi(x), x), ("diff", "expand")))
    doc.step("Once more, and so on: the k-th derivative is E sigma^(k)(X) tau^(k)(Y). At rho = 0 the two means "
             "part, and Stein's lemma makes them k! c_k and k! d_k, Mehler's coefficients; k = 2.",
             exact(Subs(Derivative(_kernel(), (rho, 2)), rho, 0), E(student(x, 2), x) * E(Applied("target", x, 2), x),
                   ("diff", "close", "split", "stein", "split", "expand")))


def _target(order=0):
    return Applied("target", rho * x + sqrt(v) * y, order)


def _kernel():
    return E(student(x) * E(_target(), y), x)


def _kinks(doc):
    by = ("diff", "close", "erf", "simplify")
    doc.step("Nothing above needs smooth functions, if the derivatives of a jump are read as point masses: relu "
             "and its slope, the step.",
             exact(Derivative(E(Max(0, x) * Max(0, y), (x, y), rho=rho).doit(), rho),
                   E(Heaviside(x) * Heaviside(y), (x, y), rho=rho), by),
             shown=Eq(Derivative(E(Max(0, x) * Max(0, y), (x, y), rho=rho), rho),
                      E(Heaviside(x) * Heaviside(y), (x, y), rho=rho), evaluate=False))
    doc.step("sign has the slope 2 delta, and the mean of 2 delta(X) 2 delta(Y) is 4 p(0, 0).",
             exact(Derivative(E(sign(x) * sign(y), (x, y), rho=rho).doit(), rho),
                   4 * pair_density().subs({v1: 1, v2: 1, cov: rho, x: 0, y: 0}), by))
    doc.step("sign and relu: the means of 2 delta(X) and of the step, given X = 0, are independent of rho.",
             exact(Derivative(E(sign(x) * Max(0, y), (x, y), rho=rho).doit(), rho), 2 * phi(0) * half,
                   ("diff", "close", "normal", "erf", "simplify")))


def _scaled(f, g):
    """E f(X) g(Y) with all three parameters, as an average of the package over unit variables."""
    return E(f.subs(z, sqrt(v1) * x) * g.subs(z, sqrt(v2) * y), (x, y), rho=cov / sqrt(v1 * v2))


def _examples(doc):
    by = ("diff", "close", "exponentials", "exponents")
    D, slopes = _scaled(sin(z), sin(z)).doit(), _scaled(cos(z), cos(z))
    doc.step("All three derivatives where the package knows both sides: sin with sin, by the covariance ...",
             exact(Derivative(D, cov), slopes, by))
    doc.step("... and by a variance.", exact(Derivative(D, v1), -half * _scaled(sin(z), sin(z)), by))
    cubic = _scaled(z**3, z**3 + z).doit()
    doc.step("Polynomials, by the covariance.",
             exact(Derivative(cubic, cov), _scaled(3 * z**2, 3 * z**2 + 1), ("diff", "close", "simplify")))
    doc.step("Polynomials, by a variance.",
             exact(Derivative(cubic, v1), half * _scaled(6 * z, z**3 + z), ("diff", "close", "simplify")))
    f, g = tanh(half * x), sin(rho * x + sqrt(v) * y)
    doc.step("tanh(X/2) with sin(Y), which has no closed form.",
             numerical(E(f * E(g.diff(rho), y), x), E(f.diff(x) * E(cos(rho * x + sqrt(v) * y), y), x),
                       {rho: (-0.8, 0.8)}, digits=12, points=1))


if __name__ == "__main__":
    sys.exit(main(derivation))
