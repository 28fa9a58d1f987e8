"""Every Hermite coefficient of a function from one mean: the generating function."""

import sys

from sympy import (
    Derivative,
    Heaviside,
    Max,
    Piecewise,
    Rational,
    Subs,
    Symbol,
    binomial,
    erf,
    exp,
    factorial,
    pi,
    sin,
    sqrt,
    symbols,
)

from asympkit.gauss import E

from ..checks import exact
from ..command import main
from ..document import Derivation
from ..special import He, Phi, opened, phi
from .notation import k, student, t, x, z

theta, alpha, beta = symbols("theta alpha beta", real=True)
stretch, rate = Symbol("s", positive=True), Symbol("j", integer=True, positive=True)
generator = exp(x * t - t**2 / 2)
half = Rational(1, 2)


def derivation():
    """Coefficients c_k = E[sigma He_k]/k! of any order."""
    doc = Derivation(
        "Hermite coefficients of every order from one mean", "classical; the table of closed forms of the package",
        "sigma(z) = sum_k c_k He_k(z) with c_k = E[sigma(Z) He_k(Z)]/k!. The polynomials are defined by their "
        "recursion He_{k+1} = x He_k - k He_{k-1}, He_0 = 1, He_1 = x. In each family the k-th derivative of a "
        "mean is found by induction: its formula at k = 0 or 1, then the derivative of the formula at k is the "
        "formula at k + 1, with k a symbol.")
    _polynomials(doc)
    _generating_mean(doc)
    _entire(doc)
    _steps(doc)
    _smooth_steps(doc)
    _elu(doc)
    return doc


def _polynomials(doc):
    doc.step("The function exp(x t - t^2/2) = sum_k p_k(x) t^k/k! has this slope in t. Comparing the coefficients of "
             "t^k/k! gives p_{k+1} = x p_k - k p_{k-1}, the recursion of He_k; so p_k = He_k.",
             exact(Derivative(generator, t), (x - t) * generator, ("diff", "expand")))
    for n in (1, 2, 5):
        doc.step(f"The coefficient of order {n}, for comparison.",
                 exact(Subs(Derivative(generator, (t, n)), t, 0), He(n, x), ("diff", "close", "expand")))
    doc.step("Its slope in x is t times itself: He_k' = k He_{k-1}.",
             exact(Derivative(generator, x), t * generator, ("diff", "expand")))
    doc.step("It does not change when x and t both change sign: He_k(-x) = (-1)^k He_k(x).",
             exact(generator.subs({x: -x, t: -t}, simultaneous=True), generator))
    doc.step("Times the density it is the density around t, so He_k phi = (-1)^k times the k-th derivative of phi.",
             exact(generator * phi(x), phi(x - t), ("normal", "exponents", "simplify")))


def _generating_mean(doc):
    doc.step("By the last identity the mean of sigma(Z) exp(t Z - t^2/2) is M(t) = E sigma(t + Z). Hence M(t) = "
             "sum_k c_k t^k: the k-th derivative of M at 0 is k! c_k. For any function, here at the third order:",
             exact(Derivative(E(student(t + z), z), (t, 3)), E(He(3, z) * student(t + z), z),
                   ("diff", "stein", "split", "expand")))


def _same(doc, name, function, orders, value):
    """The package integrates sigma He_k directly; it must find the same numbers."""
    for n in orders:
        doc.step(f"{name}: c_{n}, integrated against He_{n} by the package.",
                 exact(E(function * He(n, z), z) / factorial(n), value(n), ("close", "normal", "erf", "simplify")))


def _entire(doc):
    mean = exp(alpha * t + beta + alpha**2 / 2)
    doc.step("exp(alpha z + beta): the mean, by completing the square.",
             exact(E(exp(alpha * (t + z) + beta), z), mean, ("close", "simplify")))
    doc.step("Each derivative gives a factor alpha, so c_k = alpha^k exp(beta + alpha^2/2)/k!.",
             exact(Derivative(mean, t), alpha * mean, ("diff", "expand")))
    wave = exp(-(alpha**2) / 2)
    doc.step("sin(alpha z + beta): the mean.",
             exact(E(sin(alpha * (t + z) + beta), z), wave * sin(alpha * t + beta), ("close", "simplify")))

    def kth(n):
        return alpha**n * wave * sin(alpha * t + beta + n * pi / 2)

    doc.step("Each derivative gives a factor alpha and a quarter turn: c_k = alpha^k exp(-alpha^2/2) sin(beta + k "
             "pi/2)/k!.",
             exact(Derivative(kth(k), t), kth(k + 1), ("diff", "simplify")))
    _same(doc, "sin(z + 1)", sin(z + 1), (4, 5), lambda n: kth(n).subs({t: 0, alpha: 1, beta: 1}) / factorial(n))
    bell = exp(-stretch * t**2 / (1 + 2 * stretch)) / sqrt(1 + 2 * stretch)
    doc.step("exp(-s z^2): the mean. It is an exponential series in t^2, so c_{2j} = (-s/(1 + 2 s))^j/(j! sqrt(1 + 2 "
             "s)), and odd orders vanish.",
             exact(E(exp(-stretch * (t + z) ** 2), z), bell, ("close", "simplify")))
    _same(doc, "exp(-s z^2)", exp(-stretch * z**2), (2, 6),
          lambda n: (-stretch / (1 + 2 * stretch)) ** (n // 2) / factorial(n // 2) / sqrt(1 + 2 * stretch))
    doc.step("A power: integrated over the line this derivative says E Z^(k+1) = k E Z^(k-1), so E Z^m = (m - 1)!! "
             "for even m.",
             exact(Derivative(-(z**k) * phi(z), z), (z ** (k + 1) - k * z ** (k - 1)) * phi(z), ("diff", "simplify")))
    for n, j in ((5, 3), (6, 2)):
        doc.step(f"z^{n}: the binomial expansion of E (t + Z)^{n} leaves c_{j} = binomial({n}, {j}) E Z^{n - j}.",
                 exact(Subs(Derivative(E((t + z) ** n, z), (t, j)), t, 0) / factorial(j),
                       binomial(n, j) * _odd_factorial(n - j), ("diff", "close")))


def _odd_factorial(m):
    return factorial(m) / (2 ** (m // 2) * factorial(m // 2))


def _steps(doc):
    by = ("diff", "hermite", "expand")
    doc.step("1{z > theta}: the mean is Phi(t - theta), and its slope is phi(t - theta) ...",
             exact(Derivative(Phi(t - theta), t), phi(t - theta), "diff"))
    v = Symbol("v", real=True)
    doc.step("... whose derivatives follow from one rule: the derivative of He_j(v) phi(v) is -He_{j+1}(v) phi(v). "
             "The k-th derivative of the mean is (-1)^(k-1) He_{k-1}(v) phi(v), v = t - theta, and by parity at t "
             "= 0: c_k = He_{k-1}(theta) phi(theta)/k!.",
             exact(Derivative(He(rate, v) * phi(v), v), -He(rate + 1, v) * phi(v), by))
    _same(doc, "1{z > theta}", Heaviside(z - theta), (1, 4),
          lambda n: phi(theta) * He(n - 1, theta) / factorial(n))
    ramp = (t - theta) * Phi(t - theta) + phi(t - theta)
    doc.step("(z - theta)_+: the slope of its mean is the mean of the step, so every order beyond 1 is shifted by "
             "one: c_k = He_{k-2}(theta) phi(theta)/k!, c_1 = Phi(-theta), c_0 = phi(theta) - theta Phi(-theta).",
             exact(Derivative(ramp, t), Phi(t - theta), ("diff", "expand")))
    ramp_value = {0: phi(theta) - theta * Phi(-theta), 1: Phi(-theta)}
    _same(doc, "(z - theta)_+", Max(0, z - theta), (0, 1, 2, 5),
          lambda n: ramp_value.get(n, phi(theta) * He(max(n - 2, 0), theta) / factorial(n)))


def _smooth_steps(doc):
    width = sqrt(1 + alpha**2)
    v = (alpha * t + beta) / width
    doc.step("Phi(alpha z + beta): the mean is Phi(v), v = (alpha t + beta)/w, w = sqrt(1 + alpha^2).",
             exact(E(opened(Phi(alpha * (t + z) + beta)), z), Phi(v), ("close", "normal", "erf", "simplify")))
    first = Derivative(Phi(v), t)
    doc.step("Its slope.", exact(first, alpha / width * phi(v), ("diff", "expand")))
    doc.step("The rule of the step with another slope: c_k = (-1)^(k-1) (alpha/w)^k He_{k-1}(beta/w) phi(beta/w)/k!.",
             exact(Derivative(He(rate, v) * phi(v), t), -alpha / width * He(rate + 1, v) * phi(v),
                   ("diff", "hermite", "expand")))

    def value(n):
        u = beta / sqrt(2)
        return (-1) ** (n - 1) * He(n - 1, u) * phi(u) / factorial(n) / sqrt(2) ** n

    _same(doc, "Phi(z + beta)", opened(Phi(z + beta)), (1, 4), value)
    _same(doc, "erf(z/sqrt(2)) = 2 Phi(z) - 1", erf(z / sqrt(2)), (3, 5), lambda n: 2 * value(n).subs(beta, 0))
    doc.step("gelu z Phi(z): z He_k = He_{k+1} + k He_{k-1} relates its coefficients to those of Phi: k! c_k = "
             "E[He_{k+1} Phi] + k E[He_{k-1} Phi].",
             exact(z * He(k, z), He(k + 1, z) + k * He(k - 1, z), ("hermite", "expand")))
    gelu = z * opened(Phi(z))

    def plain(n):
        return value(n).subs(beta, 0) if n else half

    _same(doc, "gelu", gelu, (0, 2, 4), lambda n: (n + 1) * plain(n + 1) + (plain(n - 1) if n else 0))


def _elu(doc):
    tail = exp(t + half) * Phi(-t - 1)
    doc.step("exp(z) below 0: the mean, by completing the square.",
             exact(E(exp(t + z) * Heaviside(-t - z), z), tail, ("close", "normal", "erf", "simplify")))
    doc.step("Its slope is itself minus a density: d_k = d_{k-1} - He_{k-1}(0) phi(0), k! c_k = d_k, d_0 = exp(1/2) "
             "Phi(-1).",
             exact(Derivative(tail, t), tail - phi(t), ("diff", "normal", "exponents", "simplify")))
    d = [exp(half) * Phi(-1)]
    for n in range(1, 5):
        d.append(d[-1] - He(n - 1, 0) * phi(0))
    below = exp(z) * Heaviside(-z)
    _same(doc, "exp(z) 1{z < 0}", below, (1, 4), lambda n: d[n] / factorial(n))
    elu = Piecewise((exp(z) - 1, z < 0), (z, True))
    mean = t * Phi(t) + phi(t) + tail - Phi(-t)
    doc.step("elu is relu + (exp(z) - 1) 1{z < 0}; its mean.",
             exact(E(elu.subs(z, t + z), z), mean, ("close", "normal", "erf", "simplify")))
    doc.step("Value and slope are continuous at 0, and the second derivative of the mean is that of exp(z) 1{z < 0}: "
             "c_k = d_{k-2}/k! from order 2 on.",
             exact(Derivative(mean, (t, 2)), tail, ("diff", "normal", "exponents", "simplify")))
    _same(doc, "elu", elu, (2, 5), lambda n: d[n - 2] / factorial(n))


if __name__ == "__main__":
    sys.exit(main(derivation))
