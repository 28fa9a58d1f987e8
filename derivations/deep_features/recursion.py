"""The covariance behind one layer: what Gaussian weights leave of an activation, by Mehler's expansion and Stein."""

import sys
from functools import cache

from sympy import Eq, Max, Rational, Symbol, asin, erf, exp, pi, sin, sqrt, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied

from ..checks import exact
from ..command import main
from ..document import Derivation
from ..sampled import Instances, sampled
from ..special import He
from .experiments import one_layer, two_layers

z, w = symbols("z w", real=True)
r, a = symbols("r a", positive=True)
t, c = symbols("t c", real=True)
kappa0, kappa1, star = symbols("kappa0 kappa1 kappastar2", real=True)


def derivation():
    """The linearised covariance of the features, and its coefficients."""
    doc = Derivation(
        "The covariance of random features, layer by layer", "arXiv 2402.13999, recursion of the population covariance",
        "Features phi(W x) with rows of W independent N(0, 1/d): given W, preactivations are Gaussian with covariance "
        "K = W Omega W', of diagonal r = tr(Omega)/d and elements K_ij = O(1/sqrt(d)) off it. Activations are any "
        "functions with E phi^2 finite. For the next layers the same is assumed of features in place of x.")
    _stein(doc)
    _pair(doc)
    _unit(doc)
    _layer(doc)
    _two_networks(doc)
    _examples(doc)
    _random(doc)
    return doc


def student(argument, order=0):
    """An unspecified activation."""
    return Applied("student", argument, order)


def _mean(weight=1, order=0):
    """E[weight(Z) phi(sqrt(r) Z)], phi perhaps differentiated."""
    return E(weight * student(sqrt(r) * z, order), z)


def _two(other="student"):
    """E phi(u) phi(u') of preactivations of variance r and correlation t."""
    return E(student(sqrt(r) * z) * E(Applied(other, sqrt(r) * (t * z + sqrt(1 - t**2) * w)), w), z)


def _stein(doc):
    doc.step("kappa0 = E phi(N) and kappa1 = E[N phi(N)]/r, N normal of variance r. Stein: kappa1 is E phi'(N) where "
             "there is a derivative.",
             exact(_mean(z) / sqrt(r), _mean(order=1), "stein"),
             shown=Eq(kappa1, _mean(z) / sqrt(r), evaluate=False))
    doc.step("The part kappa0 + kappa1 N is the best linear one: what is left has no mean ...",
             exact(E(_rest(), z), 0, ("split", "expand")))
    doc.step("... and no correlation with N.", exact(E(z * _rest(), z), 0, ("split", "expand")))
    doc.step("Its mean square is kappastar2 = E phi^2 - kappa0^2 - r kappa1^2.",
             exact(E(_rest() ** 2, z), _mean_square() - _mean() ** 2 - _mean(z) ** 2, ("split", "expand")),
             shown=Eq(star, _mean_square() - kappa0**2 - r * kappa1**2, evaluate=False))


def _rest():
    return student(sqrt(r) * z) - _mean() - _mean(z) * z


def _mean_square():
    return E(student(sqrt(r) * z) ** 2, z)


def _pair(doc):
    doc.step("Two units, Mehler's expansion in the correlation t = K_ij/r (gaussian.mehler): kappa0^2 ...",
             exact(_two().subs(t, 0), _mean() ** 2, ("split", "expand")))
    doc.step("... then r kappa1^2 t = kappa1^2 K_ij, ...",
             exact(_two().diff(t).subs(t, 0), _mean(z) ** 2, ("split", "stein", "split", "expand")))
    doc.step("... and half the square of the second Hermite coefficient, times t^2 = O(1/d).",
             exact(_two().diff(t, 2).subs(t, 0), _mean(He(2, z)) ** 2, ("split", "stein", "split", "expand")),
             shown=r"E\,\varphi_i\varphi_j = \kappa_0^2 + \kappa_1^2K_{ij} + O(1/d)")
    even = symbols("c0 c2 c4", real=True)
    odd = symbols("c1 c3 c5", real=True)
    polynomial = sum(k * He(2 * i + 1, z) for i, k in enumerate(odd))
    doc.step("The second coefficient of an odd function is 0 (odd polynomials), so that it leaves O(d^(-3/2)): a "
             "matrix of such elements, and independent signs, is small beside kappastar2.",
             exact(E(He(2, z) * polynomial, z), 0, "close"))
    doc.step("One that is even has no kappa1: its features carry nothing linear.",
             exact(E(z * sum(k * He(2 * i, z) for i, k in enumerate(even)), z), 0, "close"))


def _unit(doc):
    doc.step("A unit with itself, t = 1, is a constant more: E phi^2 = kappa0^2 + kappa1^2 r + kappastar2.",
             exact(_mean_square(), _mean() ** 2 + _mean(z) ** 2 + E(_rest() ** 2, z), ("split", "expand")))
    doc.step("So off the diagonal and on it the covariance is kappa1^2 W Omega W' + kappastar2, whose mean eigenvalue, "
             "the variance of the next preactivations, is E phi^2 - kappa0^2.",
             exact(_mean(z) ** 2 + E(_rest() ** 2, z), _mean_square() - _mean() ** 2, ("split", "expand")),
             shown=r"\Omega_\ell = \kappa_1^2 W_\ell\Omega_{\ell-1}W_\ell^\top + \kappa_*^2")


def _layer(doc):
    x1, x2 = symbols("x1 x2", real=True)
    e1, e2 = symbols("e1 e2", positive=True)
    form = e1 * x1 * z + e2 * x2 * w
    doc.step("Off the diagonal K_ij has the mean square tr(Omega^2)/d^2 over weights (two inputs, variances e1 and e2, "
             "rows (x1, x2)/sqrt(2) and (z, w)/sqrt(2)).",
             exact(E(E(E(E(form**2, z), w), x1), x2) / 4, (e1**2 + e2**2) / 4, ("split", "expand")))
    doc.step("A diagonal element varies about r by 2 tr(Omega^2)/d^2, O(1/d): one r for all units.",
             exact(E(E((e1 * z**2 + e2 * w**2) ** 2, z), w) / 4 - (e1 + e2) ** 2 / 4, (e1**2 + e2**2) / 2,
                   ("split", "expand")))


def _two_networks(doc):
    target = Applied("target", sqrt(r) * z)
    doc.step("Units of student and target with rows of their own: E phi(u) f(u') has kappa1 of each, and no kappastar.",
             exact(_two("target").diff(t).subs(t, 0), _mean(z) * E(z * target, z),
                   ("split", "stein", "split", "expand")),
             shown=r"\Phi_\ell = \kappa_1\tilde\kappa_1 W_\ell\Phi_{\ell-1}V_\ell^\top")
    rest = target - E(target, z) - E(z * target, z) * z
    doc.step("With a row in common, t = 1: in addition what both leave beside their linear parts.",
             exact(E(_rest() * rest, z),
                   E(student(sqrt(r) * z) * target, z) - _mean() * E(target, z) - _mean(z) * E(z * target, z),
                   ("split", "expand")))
    v1, v2 = symbols("v1 v2", real=True)
    doc.step("A target behind layers of its own is, to the student, linear in the inputs, of isotropic direction: b "
             "= |coefficients|^2 is multiplied by kappa1^2 in each layer, as |V'theta|^2/k is 1 in the mean (two units "
             "on one input).",
             exact(E(E(E(E((v1 * z + v2 * w) ** 2 / 2, z), w), v1), v2), 1, ("split", "expand")),
             shown=r"b = \prod_\ell \tilde\kappa_{1,\ell}^2")


def _examples(doc):
    scaled = sqrt(r) * z
    doc.step("erf: kappa1.", exact(E(z * erf(scaled), z) / sqrt(r), 2 / sqrt(pi * (1 + 2 * r)), ("close", "simplify")))
    doc.step("erf: E phi^2.", exact(E(erf(scaled) ** 2, z), 2 / pi * asin(2 * r / (1 + 2 * r)), ("close", "simplify")))
    doc.step("sin: kappa1.", exact(E(z * sin(scaled), z) / sqrt(r), exp(-r / 2), ("close", "simplify")))
    doc.step("sin: E phi^2.", exact(E(sin(scaled) ** 2, z), (1 - exp(-2 * r)) / 2, ("close", "simplify")))
    doc.step("relu has a mean, kappa0^2 = r/(2 pi), ...", exact(E(_relu(scaled), z) ** 2, r / (2 * pi), _RELU))
    doc.step("... kappa1 = 1/2, ...", exact(E(z * _relu(scaled), z) / sqrt(r), Rational(1, 2), _RELU))
    doc.step("... and half the mean square of a linear unit.", exact(E(_relu(scaled) ** 2, z), r / 2, _RELU))


_RELU = ("close", "simplify")


def _relu(x):
    return Max(x, 0)


@cache
def instances(kind):
    draw, seed, d = {"erf": (one_layer, 31, 120), "relu": (one_layer, 32, 120), "two": (two_layers, 33, 80)}[kind]
    return Instances((lambda rng, d: draw(rng, d, kind)) if draw is one_layer else draw, seed=seed, d=d, repeats=8)


def _random(doc):
    resolvent, second, cross = Symbol("tr((Omega + 1/2)^-1)/p"), Symbol("tr(Omega^2)/p"), Symbol("tr(Phi Phi')/p")
    limit = Symbol("linearised")
    for kind, words in (("erf", "erf, arcsines"), ("relu", "relu, arc-cosine kernels, centred")):
        doc.step(f"Exact covariances of one layer (1.5 d units, input variances k^-0.4; {words}): the resolvent.",
                 sampled(resolvent, limit, lambda k=kind: instances(k), "resolvent", drift=2))
        doc.step("The second moment.", sampled(second, limit, lambda k=kind: instances(k), "second", drift=2))
    doc.step("Two layers, tanh on erf, covariances from samples: the second moment, ...",
             sampled(second, limit, lambda: instances("two"), "second", drift=2))
    doc.step("... and that with a target of one layer, sin.",
             sampled(cross, limit, lambda: instances("two"), "cross", drift=2))


if __name__ == "__main__":
    sys.exit(main(derivation))
