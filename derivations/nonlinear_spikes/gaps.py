"""Diverging spikes: what they take off the training error, as a matrix and in closed form."""

import sys

from sympy import Eq, Matrix, Rational, Symbol, diag, factorial, sqrt, symbols

from asympkit.gauss import E
from asympkit.theories.nonlinear_spikes.equations import hermite_of_power

from ..checks import exact, exceeds, simulated
from ..command import main
from ..document import Derivation
from ..special import He
from .experiments import gram, limit_model
from .finite_rank import finite_rank
from .forms import closed_form, matrix_form
from .missing_degrees import missing_degrees
from .notation import lam, mu, mu0, rho, targets, tau
from .package_gap import package_gap

z, w = symbols("z w", real=True)
#: b^T G^(-1) b, what the spikes take off y^T R y
TAKEN = Symbol("Q")


def derivation():
    """The gaps of the training error for every number of detached spikes."""
    doc = Derivation(
        "A diverging spike is a regressor without penalty", "arXiv 2310.07891, the training error",
        "y = s*(b x) + noise on the second set; c1, c2, ... below are the Hermite coefficients of the teacher s*, of "
        "mean 0. g = X beta/|beta| is standard normal, rho its correlation with b x; spike k is g^k times a row. R = "
        "(F F^T + lam n I)^(-1) belongs to the untrained features; tau, mu, mu0 are the limits of u^T R u for a random "
        "unit function u, for g and for the constant (mu0 = tau for rows on the sphere). Q is what the spikes take off "
        "y^T R y. The small instances have three samples, two units, two spikes and lam n = 5.")
    finite_rank(doc)
    _traces(doc)
    _projection(doc)
    _closed(doc)
    missing_degrees(doc)
    package_gap(doc)
    _random(doc)
    return doc


def _traces(doc):
    for i, j in ((2, 2), (3, 3), (4, 2)):
        doc.step("Hermite polynomials of g are uncorrelated, E He_i^2 = i!. The features are linear in x plus noise, "
                 "so He_i(g) with i > 1 is noise to R: He_i^T R He_j tends to i! tau if i = j, else to 0, here for 2, "
                 "2."
                 if (i, j) == (2, 2) else f"For {i}, {j}.",
                 exact(E(He(i, z) * He(j, z), z), factorial(i) if i == j else 0, "close"))
    sentences = {"g": "Random features, beta from a first set: the linear function has the trace mu of the inputs, ...",
                 "He_2": "... any other one that of noise, here He_2, ...",
                 "cross": "... different ones do not meet, ...",
                 "constant": "... and the constant is like noise if the rows have unit norm."}
    shown = {"g": r"g^\top R g \to \mu", "He_2": r"He_2(g)^\top R\, He_2(g) \to 2 \tau",
             "cross": r"g^\top R\, He_2(g) \to 0", "constant": r"1^\top R 1 \to \tau"}
    limits = {"g": mu, "He_2": 2 * tau, "cross": 0, "constant": tau}
    tolerance = {"g": 2.0, "He_2": 16.0, "cross": 4.0, "constant": 8.0}
    for name, limit in limits.items():
        doc.step(sentences[name],
                 simulated(Symbol(f"G_{name}"), limit, lambda rng, size, k=name: gram(rng, size)[k],
                           tolerance=tolerance[name], sizes=(60, 180), repeats=6), shown=shown[name])
    for p in (1, 2, 3):
        doc.step("The teacher's He_p(b x) given g is rho^p He_p(g) in the mean; the rest is noise. p = 1."
                 if p == 1 else f"p = {p}.",
                 exact(E(He(p, rho * z + sqrt(1 - rho**2) * w), w), rho**p * He(p, z), ("split", "expand")))


def _plain(degrees):
    """b^T G^(-1) b by matrix inversion, written out: G = Xi M Xi^T, b = Xi M t."""
    top = max(degrees)
    Xi = Matrix(len(degrees), top + 1, lambda i, h: hermite_of_power(degrees[i], h))
    M = diag(mu0, mu, *[factorial(h) * tau for h in range(2, top + 1)])
    t = Matrix([0, *[targets[p] * rho**p for p in range(1, top + 1)]])
    b = Xi * M * t
    return (b.T * (Xi * M * Xi.T).LUsolve(b))[0]


def _numbers(degrees):
    return degrees, targets, rho, tau, mu, mu0


def _projection(doc):
    for top in (1, 2, 3):
        degrees = list(range(1, top + 1))
        doc.step("In Hermite coordinates U = He Xi^T: G = Xi M Xi^T and b = Xi M t with M = diag(h! mu_h), mu_0 = mu0, "
                 "mu_1 = mu, else tau, and t_p = c_p rho^p, t_0 = 0. The package's matrix form, l = 1."
                 if top == 1 else f"l = {top}.",
                 exact(matrix_form(*_numbers(degrees)), _plain(degrees), "cancel"))
    for i in range(1, 7):
        doc.step("b^T G^(-1) b is the squared M-length of the projection of t on the coordinates of x, ..., x^l: the "
                 "polynomials of degree l that vanish at 0. The one condition, sum_h t_h He_h(0) = 0, holds for x^1 ..."
                 if i == 1 else f"... and x^{i}.",
                 exact(sum(hermite_of_power(i, h) * He(h, z) for h in range(i + 1)), z**i, "expand"),
                 shown=Eq(sum(hermite_of_power(i, h) * Symbol(f"He_{h}(0)") for h in range(i + 1)), 0, evaluate=False))


def condition(top):
    """What the missing constant costs: (sum t_h He_h(0))^2 / sum He_h(0)^2/(h! mu_h)."""
    at_zero = [He(h, 0) for h in range(top + 1)]
    lost = sum(targets[p] * rho**p * at_zero[p] for p in range(2, top + 1))
    return lost**2 / (1 / mu0 + sum(at_zero[h] ** 2 / (factorial(h) * tau) for h in range(2, top + 1)))


def length(top):
    """The squared M-length of t."""
    return rho**2 * targets[1] ** 2 * mu + tau * sum(factorial(p) * rho ** (2 * p) * targets[p] ** 2
                                                     for p in range(2, top + 1))


def _closed(doc):
    for top in range(1, 7):
        doc.step("So the projection is t less its part along the one direction He_h(0)/(h! mu_h): the closed form. It "
                 "is the package's, and equal to the matrix form; l = 1." if top == 1
                 else f"l = {top}: closed form ...",
                 exact(length(top) - condition(top), closed_form(*_numbers(range(1, top + 1))), "cancel"),
                 shown=Eq(TAKEN, length(top) - condition(top), evaluate=False))
        doc.step(f"... and matrix form, l = {top}.",
                 exact(matrix_form(*_numbers(range(1, top + 1))), length(top) - condition(top), "cancel"),
                 shown=Eq(TAKEN, length(top) - condition(top), evaluate=False))
    even = {mu0: tau}
    for top, value in ((2, Rational(4, 3) * rho**4 * targets[2] ** 2),
                       (3, Rational(4, 3) * rho**4 * targets[2] ** 2 + 6 * rho**6 * targets[3] ** 2)):
        doc.step(f"With mu0 = tau the part beyond the linear one is S_{top} tau.",
                 exact((length(top) - condition(top) - length(1)).subs(even), value * tau, "cancel"))
    doc.step("A free constant (a mean of the student, or a bias) removes the condition: index 0 joins, l = 4.",
             exact(matrix_form(*_numbers(range(5))), length(4), "cancel"))
    m, K, q, Q, v = (Symbol(s, positive=s in "mK", real=True) for s in "mKqQv")
    doc.step("S does not decrease. One more odd degree adds p! v^2; one more even degree, m = p!, q = He_p(0), v = c_p "
             "rho^p, with sums Q and K so far, adds a square.",
             exceeds(m * v**2 + Q**2 / K - (Q + q * v) ** 2 / (K + q**2 / m), 0,
                     (m * K * v - q * Q) ** 2 / (m * K * (K + q**2 / m)), "cancel", strict=False))
    D, kappa, m1, m2 = symbols("D kappa m1 m2", positive=True)
    for top in (1, 2):
        doc.step(f"The form with D and Omega of the authors' slides, indices p, q, i, j = 1..l, l = {top}.",
                 exact(_slides(top, D), (length(top) - condition(top)).subs(even), ("cancel", "expand")),
                 shown=Eq(Symbol("Delta") / lam, (rho**2 * targets[1] ** 2 * kappa * m2
                                                  + (0 if top == 1 else Rational(4, 3) * rho**4 * targets[2] ** 2)
                                                  * kappa * m1), evaluate=False))


def _slides(top, D):
    spread = range(top + 1)
    weight = {1: mu}
    inverse = Matrix(top, top, lambda i, j: sqrt(D) ** (i + j + 2) * sum(
        factorial(h) * hermite_of_power(i + 1, h) * hermite_of_power(j + 1, h) * weight.get(h, tau) for h in spread))
    omega = inverse.inv()
    r = [factorial(p) * weight.get(p, tau) * rho**p for p in spread]
    return sum(targets[p] * targets[q] * r[p] * r[q] * omega[i - 1, j - 1] * sqrt(D) ** (i + j)
               * hermite_of_power(i, p) * hermite_of_power(j, q)
               for p in spread[1:] for q in spread[1:] for i in spread[1:] for j in spread[1:])


def _random(doc):
    doc.step("Real features with g and g^2 as regressors without penalty, g from a first set of samples, student and "
             "teacher z + He_2(z)/sqrt(2), phi = 1/2, psi = 1, lam = 1/10, noise 1/10: the gap of the training error, "
             "mean over forty teachers.",
             simulated(Symbol("Delta_2"), lam * TAKEN,
                       lambda rng, size: limit_model(rng, size)["train_gap"], tolerance=0.6, sizes=(60, 180),
                       repeats=5))


if __name__ == "__main__":
    sys.exit(main(derivation))
