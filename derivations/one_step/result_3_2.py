"""Given the projection on the spike, the features are those of a Gaussian linear model."""

import sys

from sympy import Eq, Max, Subs, Symbol, cos, erf, exp, pi, sin, sqrt, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied
from asympkit.theories.spiked_features import equations as spiked_equations

from ..checks import exact, simulated
from ..command import main
from ..document import Derivation
from .functions import chosen, on_sphere

s = spiked_equations.symbols()
z, kappa, r, c, gamma, rho = s.z, s.kappa, s.r, s.c, s.gamma, s.rho
x, y, a, b, t, tau = symbols("x y a b t tau", real=True)


def derivation():
    """Result 3.2: the conditional Gaussian equivalence of the features after one step."""
    doc = Derivation(
        "Conditional Gaussian equivalence of the features", "arXiv 2402.04980, Result 3.2",
        "A row is w + (r/sqrt(d)) v. With kappa the projection of the input on v, a preactivation is r "
        "kappa + kappa a + sqrt(c) z: a = O(1/sqrt(d)) is the row's overlap with v and z the projection of "
        "the rest; overlaps of different rows and with the target are O(1/sqrt(d)) too. Everything is "
        "expanded in these small overlaps; student and target are any functions.",
        notation=spiked_equations.NOTATION)
    _one_unit(doc)
    _two_units(doc)
    _target(doc)
    _derivatives(doc)
    _closed_forms(doc)
    return doc


def student(argument, order=0):
    return Applied("student", argument, order)


def _one_unit(doc):
    u = spiked_equations.moments()
    mu0, mu1 = u.mu0.expr, u.mu1.expr
    shifted = E(student(r * kappa + kappa * a + sqrt(c) * z), z)
    doc.step("Mean of a feature, zeroth order in the overlap a: mu0.", exact(shifted.subs(a, 0), mu0),
             shown=Eq(Subs(shifted, a, 0), u.mu0, evaluate=False))
    doc.step("First order: kappa times mu1, the mean slope.",
             exact(shifted.diff(a).subs(a, 0), kappa * mu1, ("stein", "expand")))
    doc.step("Second order is finite, so beyond kappa mu1 a the mean changes by O(1/d).",
             exact(shifted.diff(a, 2).subs(a, 0),
                   kappa**2 / c * E((z**2 - 1) * student(r * kappa + sqrt(c) * z), z), ("stein", "split")))
    rest = student(r * kappa + sqrt(c) * z) - mu0 - sqrt(c) * mu1 * z
    doc.step("Regress the feature on the Gaussian field z: what is left has mean zero ...",
             exact(E(rest, z), 0, ("split", "expand")))
    doc.step("... and is uncorrelated with z: the linear part is mu1 sqrt(c) z.",
             exact(E(z * rest, z), 0, ("split", "expand")))
    doc.step("The variance of what is left is mu2sq, stated as a square so that it cannot come out negative.",
             exact(u.mu2sq, E(student(r * kappa + sqrt(c) * z) ** 2, z) - u.mu0**2 - c * u.mu1**2,
                   ("open", "split", "expand")))


def _pair(first, second, small):
    """E first(x) second(y) for unit normals of correlation ``small``, as nested averages."""
    return E(first.subs(z, x) * E(second.subs(z, small * x + sqrt(1 - small**2) * y), y), x)


def _two_units(doc):
    u = spiked_equations.moments()
    field = r * kappa + sqrt(c) * z
    kernel = _pair(student(field), student(field), t)
    doc.step("Two features whose fields have correlation t: at t = 0 they are independent.",
             exact(kernel.subs(t, 0), u.mu0**2, ("open", "split")))
    doc.step("First order in t: c mu1^2, the covariance of the linear parts.",
             exact(kernel.diff(t).subs(t, 0), c * u.mu1**2, ("open", "split", "stein", "expand")))
    second = E((z**2 - 1) * student(field), z)
    doc.step("Second order: half the squared second Hermite coefficient, which multiplies t^2 = O(1/d) "
             "(the first terms of Mehler's expansion, for any student).",
             exact(kernel.diff(t, 2).subs(t, 0), second**2, ("split", "stein", "split", "expand")))
    doc.step("A cubic student closes the expansion.",
             exact(E((a * x + b * x**3) * (a * y + b * y**3), (x, y), rho=t),
                   (a + 3 * b) ** 2 * t + 6 * b**2 * t**3, ("close", "expand")))
    dual = exp(-c) * (exp(c * t) - exp(-c * t) * cos(2 * r * kappa)) / 2
    doc.step("For sin the whole covariance is known and has these first terms.",
             exact(chosen(kernel, sin(z), z), dual, ("close", "simplify")))
    doc.step("Zeroth order of the closed form: mu0^2.",
             exact(dual.subs(t, 0), (exp(-c / 2) * sin(r * kappa)) ** 2, "simplify"))
    doc.step("First order of the closed form: c mu1^2.",
             exact(dual.diff(t).subs(t, 0), c * (exp(-c / 2) * cos(r * kappa)) ** 2, "simplify"))
    doc.step("The t^2 terms over all pairs: apart from their mean, which the constant direction carries, "
             "they form a matrix whose norm vanishes.",
             simulated(Symbol("norm"), 0, _square_overlaps, tolerance=3.5, sizes=(100, 300), repeats=3))
    doc.step("The linear parts of two rows have covariance mu1^2 (w_i.w_j) with the direction v removed: "
             "the projected rows keep their norm c up to 1/d (here c = 1).",
             simulated(Symbol("squared_norm"), 1, _projected_norm,
                       tolerance=0.3, sizes=(100, 400), repeats=4))


def _square_overlaps(rng, size):
    import numpy as np

    rows = on_sphere(rng, size, size)
    squares = (rows @ rows.T) ** 2
    np.fill_diagonal(squares, 0.0)
    squares -= squares.mean(axis=0)
    squares -= squares.mean(axis=1)[:, None]
    return np.abs(np.linalg.eigvalsh(squares)).max(), 0.0


def _projected_norm(rng, size):
    rows, spike = on_sphere(rng, size, size), on_sphere(rng, 1, size)[0]
    return ((rows - (rows @ spike)[:, None] * spike) ** 2).sum(axis=1).mean(), 1.0


def _target(doc):
    u = spiked_equations.moments()
    field = gamma * kappa + rho * z
    target = Applied("target", field)
    doc.step("The target's direction is gamma v + rho zeta with |v|^2 = |zeta|^2 = d, so its projection is "
             "gamma kappa + rho z, of variance 1 when rho^2 = 1 - gamma^2.",
             exact(E(E((gamma * x + rho * y) ** 2, y), x).subs(rho, sqrt(1 - gamma**2)), 1,
                   ("close", "expand")))
    both = _pair(student(r * kappa + sqrt(c) * z), target, t)
    doc.step("Feature and target, whose fields have a small correlation t: independent at t = 0 ...",
             exact(both.subs(t, 0), u.mu0 * u.h, ("open", "split")))
    doc.step("... and to first order only the linear parts meet: sqrt(c) mu1 hz.",
             exact(both.diff(t).subs(t, 0), sqrt(c) * u.mu1 * u.hz, ("open", "split", "stein", "expand")))
    rest = target - u.h - u.hz * z
    doc.step("The target's second moment splits in its mean, its linear part and a remainder.",
             exact(u.hzz, u.h**2 + u.hz**2 + E(rest**2, z), ("open", "split", "expand")))


def _derivatives(doc):
    u = spiked_equations.moments()
    mu0, mu1 = u.mu0.expr, u.mu1.expr
    field = r * kappa + sqrt(c) * z
    by = ("stein", "expand")
    doc.step("mu1 is the mean slope.", exact(E(student(field, 1), z), mu1, by))
    doc.step("Derivative of the mean feature along the spike's projection.",
             exact(mu0.diff(kappa), r * mu1, by))
    doc.step("Derivative in the spike's strength.", exact(mu0.diff(r), kappa * mu1, by))
    doc.step("Derivative in the bulk's norm: what a fluctuation of the row norms excites.",
             exact(mu0.diff(c), E((z**2 - 1) * student(field), z) / (2 * c), by))
    doc.step("mu0 solves a heat equation in the bulk's norm.",
             exact(2 * r**2 * mu0.diff(c), mu0.diff(kappa, 2), ("stein", "split", "expand")))
    doc.step("The target's linear part is rho times its mean slope.",
             exact(u.hz.expr, rho * E(Applied("target", gamma * kappa + rho * z, 1), z), by))


def _closed_forms(doc):
    u = spiked_equations.moments()
    wave, step, ramp = sin(z), erf(z / sqrt(2)), Max(0, z)
    width = 2 * (1 + c)

    def of_student(expr, f):
        return chosen(expr, f, z)

    def of_target(expr, f):
        return chosen(expr, z, f)

    doc.step("sin: mu0.", exact(of_student(u.mu0.expr, wave), exp(-c / 2) * sin(r * kappa),
                                ("close", "simplify")))
    doc.step("sin: mu1.", exact(of_student(u.mu1.expr, wave), exp(-c / 2) * cos(r * kappa),
                                ("close", "simplify")))
    doc.step("sin: second moment.",
             exact(E(sin(r * kappa + sqrt(c) * z) ** 2, z), (1 - exp(-2 * c) * cos(2 * r * kappa)) / 2,
                   ("close", "simplify")))
    doc.step("erf: mu0.", exact(of_student(u.mu0.expr, step), erf(r * kappa / sqrt(width)),
                                ("close", "simplify")))
    doc.step("erf: mu1.",
             exact(of_student(u.mu1.expr, step), sqrt(2 / (pi * (1 + c))) * exp(-(r * kappa) ** 2 / width),
                   ("close", "simplify")))
    doc.step("sin as a target: h.", exact(of_target(u.h.expr, wave), exp(-rho**2 / 2) * sin(gamma * kappa),
                                         ("close", "simplify")))
    doc.step("sin as a target: hz.",
             exact(of_target(u.hz.expr, wave), rho * exp(-rho**2 / 2) * cos(gamma * kappa),
                   ("close", "simplify")))
    positive = Symbol("rho", positive=True)
    drift = gamma * kappa
    cdf = (1 + erf(drift / positive / sqrt(2))) / 2
    density = exp(-(drift / positive) ** 2 / 2) / sqrt(2 * pi)

    def of_ramp(expr):
        return of_target(expr, ramp).subs(rho, positive)

    by = ("close", "erf", "simplify")
    doc.step("relu as a target: h.", exact(of_ramp(u.h.expr), drift * cdf + positive * density, by))
    doc.step("relu as a target: hz.", exact(of_ramp(u.hz.expr), positive * cdf, by))
    doc.step("relu as a target: hzz.",
             exact(of_ramp(u.hzz.expr), (drift**2 + positive**2) * cdf + drift * positive * density, by))


if __name__ == "__main__":
    sys.exit(main(derivation))
