"""Kernels of sign and erf: a derivative in the correlation that is elementary, and one integration."""

import sys

from sympy import Derivative, Limit, Subs, Symbol, asin, erf, exp, oo, pi, sign, sqrt

from asympkit.gauss import E

from ..checks import exact, simulated
from ..command import main
from ..document import Derivation
from ..special import Phi, opened, phi
from .notation import density, half, rho, w, x, y, z

alpha, beta = Symbol("alpha", positive=True), Symbol("beta", positive=True)
eps = Symbol("eps", positive=True)
v = 1 - rho**2
P = (1 + 2 * alpha**2) * (1 + 2 * beta**2)


def erf_kernel():
    """E erf(alpha X) erf(beta Y) for unit variances and correlation rho."""
    return 2 / pi * asin(2 * alpha * beta * rho / sqrt(P))


def derivation():
    """Dual activations of sign, erf and the normal cdf through Price's theorem."""
    doc = Derivation(
        "The arcsine kernels", "C. K. I. Williams, Neural Computation 10, 1203 (1998); the dual activations of the "
                               "package",
        "X, Y are standard normal with correlation rho, |rho| < 1. Each kernel D(rho) is found from dD/drho = E "
        "sigma'(X) tau'(Y) (gaussian.price) and from its value at rho = 0, where it is a product of two means. The "
        "package's own closed forms are only compared at the end.")
    _slope(doc)
    _integration(doc)
    _sign(doc)
    _relatives(doc)
    _package(doc)
    return doc


def _both(slope):
    return erf_kernel().subs({alpha: slope, beta: slope}, simultaneous=True)


def _slope(doc):
    doc.step("The slope of erf(alpha x) is a Gaussian.",
             exact(Derivative(erf(alpha * x), x), 2 * alpha / sqrt(pi) * exp(-(alpha**2) * x**2), "diff"))
    inner = 1 + 2 * beta**2 * v
    doc.step("The mean of exp(-beta^2 Y^2) given X: Y has mean rho X and variance 1 - rho^2. Completing the square "
             "in W, Y = rho X + sqrt(1 - rho^2) W, leaves a normal density in W, whose variance is 1/(1 + 2 beta^2 "
             "(1 - rho^2)).",
             exact(exp(-(beta**2) * (rho * x + sqrt(v) * w) ** 2) * phi(w),
                   exp(-(beta**2) * rho**2 * x**2 / inner) / sqrt(inner)
                   * density(w, -2 * beta**2 * rho * sqrt(v) * x / inner, 1 / sqrt(inner)),
                   ("normal", "exponents", "simplify")))
    outer = 1 + 2 * alpha**2 + 2 * beta**2 * rho**2 / inner
    doc.step("The same in X: all exponents together are those of a normal density of variance 1/k.",
             exact(exp(-(alpha**2) * x**2 - beta**2 * rho**2 * x**2 / inner) * phi(x),
                   density(x, 0, 1 / sqrt(outer)) / sqrt(outer), ("normal", "exponents", "simplify")))
    doc.step("The product of the two factors is one determinant, P - 4 alpha^2 beta^2 rho^2 with P = (1 + 2 "
             "alpha^2)(1 + 2 beta^2).",
             exact(inner * outer, P - 4 * alpha**2 * beta**2 * rho**2, "cancel"))
    doc.step("So dD/drho = (4 alpha beta/pi)/sqrt(P - 4 alpha^2 beta^2 rho^2). It is the derivative of an arcsine.",
             exact(Derivative(erf_kernel(), rho), 4 * alpha * beta / pi / sqrt(P - 4 * alpha**2 * beta**2 * rho**2),
                   ("diff", "simplify")))


def _integration(doc):
    doc.step("At rho = 0 the kernel is a product of two means of odd functions, 0, ...",
             exact(E(erf(alpha * z), z) * E(erf(beta * z), z), 0, "close"))
    doc.step("... and so is the arcsine. Integration from 0 gives E erf(alpha X) erf(beta Y) = (2/pi) arcsin(2 "
             "alpha beta rho/sqrt(P)).",
             exact(Subs(erf_kernel(), rho, 0), 0, "close"))
    doc.step("At rho = 1, alpha = beta it is the mean square, which a single integral confirms.",
             exact(E(erf(alpha * z) ** 2, z), erf_kernel().subs({rho: 1, beta: alpha}), ("close", "simplify")))


def _sign(doc):
    smooth = _both(1 / (sqrt(2) * eps))
    doc.step("sign(x) averaged over a small noise is a smooth function, erf(x/(sqrt(2) eps)): the mean of sign(x + "
             "eps W).",
             exact(E(sign(x + eps * w), w), erf(x / (sqrt(2) * eps)), ("close", "erf", "simplify")))
    doc.step("So alpha = beta = 1/(sqrt(2) eps) is the sign kernel of two variables with independent noise of "
             "variance eps^2 added: correlation rho/(1 + eps^2).",
             exact(smooth, 2 / pi * asin(rho / (1 + eps**2)), "simplify"))
    doc.step("The noise goes to zero (both sides are bounded by 1 and sign is continuous almost everywhere).",
             exact(Limit(2 / pi * asin(rho / (1 + eps**2)), eps, 0), 2 / pi * asin(rho), "close_limit"))
    doc.step("Directly: sign' = 2 delta gives dD/drho = 4 p(0, 0), p(0, 0) = phi(0)^2/sqrt(1 - rho^2).",
             exact(Derivative(2 / pi * asin(rho), rho), 4 * phi(0) ** 2 / sqrt(v), ("diff", "normal", "simplify")))
    doc.step("At rho = 1 it is the mean of sign^2.",
             exact(Subs(2 / pi * asin(rho), rho, 1), E(sign(z) ** 2, z), "close"))
    doc.step("The share of equal signs among d^2 sampled pairs (rho = 0.6): (1 + D)/2.",
             simulated(Symbol("share"), half + asin(rho) / pi, _equal_signs, tolerance=0.3, sizes=(50, 200), repeats=4))


def _equal_signs(rng, d):
    import numpy as np

    x, w = rng.standard_normal((2, d * d))
    return (x * (0.6 * x + 0.8 * w) > 0).mean(), 0.5 + np.arcsin(0.6) / np.pi


def _relatives(doc):
    doc.step("Steps: 1{x > 0} = (1 + sign x)/2, and the means of sign are 0.",
             exact(E((1 + sign(x)) / 2 * (1 + sign(y)) / 2, (x, y), rho=rho), (1 + 2 / pi * asin(rho)) / 4,
                   ("close", "simplify")))
    doc.step("The cdf: Phi(x) = (1 + erf(x/sqrt(2)))/2, so its kernel is 1/4 + arcsin(rho/2)/(2 pi).",
             exact(E(opened(Phi(x) * Phi(y)), (x, y), rho=rho), (1 + _both(1 / sqrt(2))) / 4,
                   ("close", "erf", "simplify")))
    doc.step("sign with erf(y/sqrt(2)): only one of the two slopes becomes a point mass.",
             exact(Limit(erf_kernel().subs(beta, 1 / sqrt(2)), alpha, oo), 2 / pi * asin(rho / sqrt(2)),
                   ("close_limit", "simplify")))
    gelu = rho / 4 + rho * asin(rho / 2) / (2 * pi) + 1 / (2 * pi * sqrt(4 - rho**2))
    doc.step("gelu z Phi(z): the second derivative of gelu is (2 - z^2) phi(z), ...",
             exact(Derivative(z * Phi(z), (z, 2)), (2 - z**2) * phi(z), ("diff", "expand")))
    doc.step("... so the second derivative of its kernel is an elementary mean.",
             exact(E(opened((2 - x**2) * phi(x) * (2 - y**2) * phi(y)), (x, y), rho=rho), Derivative(gelu, (rho, 2)),
                   ("close", "diff", "simplify")))
    doc.step("At rho = 0 the kernel is the squared mean of gelu ...",
             exact(E(opened(z * Phi(z)), z) ** 2, gelu.subs(rho, 0), ("close", "expand")))
    doc.step("... and its slope there the squared mean slope, E gelu' = E[Z gelu] = 1/2. These fix both constants of "
             "integration.",
             exact(E(opened(z**2 * Phi(z)), z) ** 2, gelu.diff(rho).subs(rho, 0), ("close", "expand")))


def _package(doc):
    gelu = rho / 4 + rho * asin(rho / 2) / (2 * pi) + 1 / (2 * pi * sqrt(4 - rho**2))
    pairs = ((erf(alpha * x), erf(beta * y), erf_kernel(), "erf, erf"),
             (sign(x), sign(y), 2 / pi * asin(rho), "sign, sign"),
             (sign(x), erf(y / sqrt(2)), 2 / pi * asin(rho / sqrt(2)), "sign, erf"),
             (opened(x * Phi(x)), opened(y * Phi(y)), gelu, "gelu, gelu"))
    for f, g, kernel, name in pairs:
        doc.step(f"The package integrates one variable after the other and finds the same: {name}.",
                 exact(E(f * g, (x, y), rho=rho), kernel, ("close", "erf", "simplify")))


if __name__ == "__main__":
    sys.exit(main(derivation))
