"""Bounds of the test error: distances of the target from what the features express."""

import sys

from sympy import Eq, Symbol, erf, exp, pi, sin, solve, sqrt, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied
from asympkit.theories.one_step.parameters import expressions
from asympkit.theories.one_step.parameters import moments as step_moments
from asympkit.theories.one_step.parameters import symbols as step_symbols
from asympkit.theories.spiked_features import equations as spiked_equations

from ..checks import exact, exceeds
from ..command import main
from ..document import Derivation
from .functions import chosen

s = spiked_equations.symbols()
z, kappa, r, c, gamma, rho = s.z, s.kappa, s.r, s.c, s.gamma, s.rho


def derivation():
    """Equations (26)-(28): an upper and a lower bound of the error, and the best step for them."""
    doc = Derivation(
        "Bounds of the test error after one step", "arXiv 2402.04980, (26)-(28)",
        "The test error is an average over kappa of the mean squared residual R. It is at least the squared "
        "distance of the target from the functions of (kappa, z) that the features express; the distance from "
        "their mean alone is reached as the penalty grows.",
        notation=spiked_equations.NOTATION)
    _distance(doc)
    _closed_form(doc)
    _upper(doc)
    _step(doc)
    _vanishing(doc)
    return doc


def _distance(doc):
    u, p = spiked_equations.moments(), spiked_equations.pieces()
    target = Applied("target", gamma * kappa + rho * z)
    function = p.C.expr + u.mu1 * s.psi * z
    spread = u.mu1**2 * (s.q1 - s.psi**2) + u.mu2sq * s.q2 + s.noise_variance
    doc.step("Given kappa the network learns C + mu1 psi z: R is the mean squared distance of the target from that "
             "function, and what else fluctuates.",
             exact(p.R.expr, E((target - function) ** 2, z) + spread, ("open", "split", "close", "expand")))
    x = symbols("x1:4", real=True)
    e = symbols("e1:3", real=True)
    last = Symbol("e3", real=True)
    square, overlap = sum(v**2 for v in x), x[0] * e[0] + x[1] * e[1] + x[2] * last
    crossed = (x[0] * e[1] - x[1] * e[0]) ** 2 + (x[0] * last - x[2] * e[0]) ** 2 + (x[1] * last - x[2] * e[1]) ** 2
    doc.step("q1 is the squared length of the readout's combination of rows, psi its component along one direction of "
             "length one: q1 >= psi^2 (Cauchy and Schwarz; in three dimensions).",
             exceeds(square * (e[0] ** 2 + e[1] ** 2 + last**2), overlap**2, crossed, "expand", strict=False))
    doc.step("So the fluctuations are not negative, and E R is at least the squared distance of the target from the "
             "span of mu0, kappa mu1 and z mu1; the parts with z and without are orthogonal.",
             exact(E((target - function) ** 2, z),
                   E((target - u.h - u.hz * z) ** 2, z) + (u.h - p.C.expr) ** 2 + (u.hz - u.mu1 * s.psi) ** 2,
                   ("open", "split", "close", "expand")))


def _closed_form(doc):
    """The distances by hand: names stand for the averages over kappa."""
    h0, h1, m00, m01, m11, hh = symbols("h0 h1 M00 M01 M11 hh", positive=True)
    m, theta = s.m, s.theta
    square = hh - 2 * m * h0 - 2 * theta * h1 + m**2 * m00 + 2 * m * theta * m01 + theta**2 * m11
    alone = solve(square.subs(theta, 0).diff(m), m)[0]
    doc.step("h0 and h1 are the means of h mu0 and h kappa mu1, M those of products of the two, hh of h^2. With the "
             "mean alone: (26).", exact(square.subs({theta: 0, m: alone}), hh - h0**2 / m00, "cancel"),
             shown=Eq(Symbol("B_u"), hh - h0**2 / m00, evaluate=False))
    best = solve([square.diff(m), square.diff(theta)], [m, theta], dict=True)[0]
    gain = (h1 - m01 * h0 / m00) ** 2 / (m11 - m01**2 / m00)
    doc.step("With both: (27).", exact(square.subs(best), hh - h0**2 / m00 - gain, "cancel"),
             shown=Eq(Symbol("B_l"), Symbol("B_u") - gain, evaluate=False))


def _upper(doc):
    u, p = spiked_equations.moments(), spiked_equations.pieces()
    none = dict.fromkeys((s.V1, s.V2, s.q1, s.q2, s.theta, s.psi), 0)
    condition = E(u.mu0 * (u.h - s.m * u.mu0), kappa)
    doc.step("As the penalty grows all order parameters but m vanish, and m makes the training error least, which is "
             "then the test error: its derivative by m ...",
             exact(E(p.R.expr.subs(none), kappa).diff(s.m), -2 * condition, ("open", "split", "expand", "join")))
    doc.step("... is that of the distance from the mean, so that the least error over penalties is at most (26).",
             exact(E(p.R.expr.subs(none), kappa),
                   E(u.hzz - u.h**2 + (u.h - s.m * u.mu0) ** 2, kappa) + s.noise_variance,
                   ("open", "split", "expand", "join")))


def _step(doc):
    mu0 = spiked_equations.moments().mu0.expr
    doc.step("How the mean changes with the strength of the spike: by kappa mu1, the other function of the span.",
             exact(mu0.diff(r), kappa * spiked_equations.moments().mu1.expr, ("stein", "expand")))
    h0, h1, m00, m01, m11, h = symbols("h0 h1 M00 M01 M11 hh", positive=True)
    rate = -2 * h0 * h1 / m00 + 2 * h0**2 * m01 / m00**2
    gain = (h1 - m01 * h0 / m00) ** 2 / (m11 - m01**2 / m00)
    doc.step("So the derivative of (26) by r at gamma = 1 vanishes where (27) gains nothing: at the best step for the "
             "upper bound the two are equal.",
             exact(rate**2 / (4 * h0**2 / m00**2), gain * (m11 - m01**2 / m00), "cancel"))


def _vanishing(doc):
    u, a = spiked_equations.moments(), step_symbols()
    wave, step = sin(z), erf(z / sqrt(2))
    one = {c: 1, gamma: 1, rho: 0}
    doc.step("sin learns sin: at r = 1, c = 1 the mean is a multiple of the target, and (26) vanishes.",
             exact(chosen(u.mu0.expr, wave, wave).subs({**one, r: 1}), exp(-sqrt(1) / 2) * sin(kappa),
                   ("close", "simplify")))
    doc.step("erf(z/sqrt(2)) learns itself: at r = sqrt(2), c = 1 the mean is the target.",
             exact(chosen(u.mu0.expr, step, step).subs({**one, r: sqrt(2)}), erf(kappa / sqrt(2)),
                   ("close", "simplify")))
    for f, rate, strength in ((wave, exp(1) * a["beta"], 1), (step, sqrt(2) * pi * a["beta"], sqrt(2))):
        h1, t1 = (chosen(step_moments()[n].expr, f, f) for n in ("h1", "t1"))
        found = expressions()["r"]
        doc.step(f"The population gradient reaches that strength at eta = {rate}.",
                 exact(rate / a["beta"] * h1 * sqrt(t1**2), strength, ("close", "simplify")), shown=Eq(found, strength))


if __name__ == "__main__":
    sys.exit(main(derivation))
