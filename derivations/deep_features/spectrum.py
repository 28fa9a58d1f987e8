"""The spectral law of deep covariances: the chain at penalties on the real axis."""

import sys
from functools import cache

import numpy as np
from sympy import Eq, Rational, Symbol, diff, series, sqrt, symbols

from asympkit.spectra.deep_network import moments_behind_layer

from ..checks import exact
from ..command import main
from ..document import Derivation
from ..sampled import Instances, sampled

zeta0, p, a, s, D0, z, g, x = symbols("zeta0 p a s D0 z g x", positive=True)
#: penalty and spread of a layer over those of the level below
Z = a * p * zeta0 * (1 - D0 / p) - s
K = s + a * zeta0 * D0


def derivation():
    """The resolvent of a layer by that of the level below, its density, edges and moments."""
    doc = Derivation(
        "The spectral law of deep covariances", "arXiv 2402.13999; J. Silverstein, S. Choi (1995)",
        "Omega_1 = a W Omega_0 W' + s with a = kappa1^2, s = kappastar2, W of p rows for each input; g(z) = E 1/(D + "
        "z) over the law of Omega_1, D0 = E D/(D + zeta0) over that of Omega_0 (deep_features.chain).")
    _resolvent(doc)
    _edges(doc)
    _moments(doc)
    _random(doc)
    return doc


def _resolvent(doc):
    doc.step("At the penalty zeta1 = z the chain has K = s + a V0, V0 = zeta0 D0, so that zeta1 = a p zeta0 - K: ...",
             exact(Z, a * p * zeta0 - K, "expand"), shown=Eq(z, a * p * zeta0 - K, evaluate=False))
    doc.step("... g(z) = 1/(z + K) is 1/(a p zeta0), the left-out row of the layer (deep_features.chain), ...",
             exact(1 / (Z + K), 1 / (a * p * zeta0), "cancel"))
    doc.step("... and (1 - D0/p)/(s + z): the resolvent of Omega_0 at another penalty, zeta0. Any law stands for "
             "Omega_0, so that layers follow one another.",
             exact((1 - D0 / p) / (s + Z), 1 / (a * p * zeta0), "cancel"))
    one = {D0: 1 / (1 + zeta0), a: 1, s: 0}
    doc.step("On isotropic inputs, a = 1 and s = 0, that is the equation of Marchenko-Pastur, p z g^2 + (z + 1 - p) g "
             "= 1.",
             exact((p * Z / (p * zeta0) ** 2 + (Z + 1 - p) / (p * zeta0)).subs(one), 1, "cancel"))


def _edges(doc):
    one = {D0: 1 / (1 + zeta0), a: 1, s: 0}
    doc.step("At z = -x beside the real axis zeta0 is complex where x is in the support; the density is -Im g/pi. "
             "Outside zeta0 is real and increases with z; at an edge dz/dzeta0 = 0, which for Marchenko-Pastur is "
             "(1 + zeta0)^2 = 1/p.",
             exact(diff(Z.subs(one), zeta0), p - 1 / (1 + zeta0) ** 2, "cancel"))
    for sign in (1, -1):
        doc.step(f"There x = -z is (1 {'-' if sign > 0 else '+'} sqrt(p))^2.",
                 exact(-Z.subs(one).subs(zeta0, -1 + sign / sqrt(p)), (1 - sign * sqrt(p)) ** 2, "cancel"))


def _moments(doc):
    m = symbols("m1:4", positive=True)
    u = Symbol("u", positive=True)
    # V0 = E D/(1 + u D), u = 1/zeta0
    V0 = m[0] - m[1] * u + m[2] * u**2
    top = a * p / u - s - a * V0
    guess = moments_behind_layer(list(m), p, a, s)
    w = 1 / top
    expected = w * (1 - guess[0] * w + guess[1] * w**2 - guess[2] * w**3)
    doc.step("For large z g is a series of moments. W Omega_0 W' has the free cumulants p^(n-1) m_n, and moments are "
             "polynomials in them: those of orders 1 to 3 are those of g.",
             exact((series(expected / u, u, 0, 4).removeO() * a * p).expand(), 1, "expand"))


@cache
def instances():
    return Instances(_two_layers, seed=47, d=150, repeats=8)


def _two_layers(rng, d):
    """Resolvent at 1/2 and third moment of sampled covariances of two layers, and of the law."""
    from asympkit.spectra import DeepCovariance, mean

    D, e, size = Symbol("D"), np.repeat([0.5, 1.5], d // 2), d
    matrix = np.diag(e)
    for width, slope, rest in ((1.5, 0.8, 0.2), (0.7, 0.9, 0.1)):
        rows = round(width * d)
        W = rng.standard_normal((rows, size)) / np.sqrt(size)
        matrix, size = slope**2 * W @ matrix @ W.T + rest * np.eye(rows), rows
    values = np.linalg.eigvalsh(matrix)
    law = DeepCovariance(D, [(1.5, 0.8, 0.2), (0.7, 0.9, 0.1)], [0.5, 1.5])
    return {"resolvent": (np.mean(1 / (values + 0.5)), float(mean(1 / (D + Rational(1, 2)), law).doit())),
            "first": (np.mean(values), float(law.moments(1)[0]))}


def _random(doc):
    for name, what in (("resolvent", "g(1/2)"), ("first", "the mean eigenvalue")):
        doc.step(f"Sampled weights, two layers: {what}.",
                 sampled(Symbol(f"{what} of matrices"), Symbol(what), instances, name, drift=1))


if __name__ == "__main__":
    sys.exit(main(derivation))
