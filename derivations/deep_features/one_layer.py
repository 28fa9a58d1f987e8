"""One layer on isotropic inputs: the chain is the closed form of random features regression."""

import sys
from functools import cache

from sympy import Derivative, Eq, Symbol, cancel, linear_eq_to_matrix, linsolve, log, sqrt, symbols

from asympkit.nodes import Average, remove_names
from asympkit.theories.deep_features.chain import LayerEquations

from ..checks import exact
from ..command import main
from ..document import Derivation

x, k2 = symbols("x k2", positive=True)


def derivation():
    """From the free energy of one layer to the formula of S. Mei and A. Montanari."""
    doc = Derivation(
        "One layer on isotropic inputs", "S. Mei, A. Montanari, arXiv 1908.05355, Definition 1 and Theorem 2",
        "psi1 = p/d is the width, psi2 = n/d is alpha; features are divided by kappastar, so that kappastar2 = 1 and "
        "kappa1^2 = k2, their zeta^2; the penalty next to the sum of squares is lam, alpha times theirs. x is Vhat0.")
    _unknowns(doc)
    _pair(doc)
    _error(doc)
    return doc


@cache
def _isotropic():
    """One layer on isotropic inputs, kappastar2 = 1 and kappa1^2 = k2: all unknowns by x = Vhat0, and the test error.

    Returns
    -------
    at : dict
        Unknowns that the errors do not enter, and the penalty.
    error : Expr
        rho + noise_variance + q1 - 2 Q, from the four linear equations of the free energy.
    """
    chain, V0 = LayerEquations(1), 1 / (1 + x)
    s = chain.symbols
    spread, share = 1 + k2 * V0, x / (s.width[1] * k2)
    hat = s.alpha / s.width[1] - share * spread
    at = {s.Vhat[0]: x, s.V[0]: V0, s.Vhat[1]: hat, s.V[1]: share * spread / hat, s.lam: hat / share - hat * spread,
          s.Qhat: hat, s.Q: s.transmitted * x / (1 + x), s.kappastar[1]: 1, s.kappa1[1]: sqrt(k2)}
    energy, norms = _at_one(chain.free_energy), (s.q[1], s.q[0], s.qhat[1], s.qhat[0])
    rows = [energy.diff(u).xreplace(at) for u in (s.V[1], s.V[0], s.Vhat[1], s.Vhat[0])]
    matrix, right = (m.applyfunc(cancel) for m in linear_eq_to_matrix(rows, norms))
    q1 = next(iter(linsolve((matrix, right), *norms)))[0]
    return at, s.rho + s.noise_variance + q1 - 2 * at[s.Q]


def _at_one(expr):
    """Means over the spectrum of isotropic inputs."""
    return remove_names(expr).replace(lambda e: isinstance(e, Average),
                                lambda e: e.integrand.subs(e.measure.bound_symbols[0], 1))


def _unknowns(doc):
    chain, (at, _) = LayerEquations(1), _isotropic()
    s = chain.symbols
    for u, words in ((s.V[0], "All unknowns of one layer on isotropic inputs are rational in Vhat0, the penalty too: "
                              "stationary in V0, ..."), (s.V[1], "V1, ..."), (s.Vhat[0], "Vhat0, ...")):
        inputs = log(1 + s.Vhat[0]) if u == s.Vhat[0] else 0
        doc.step(words, exact(_at_one(chain.action + inputs).diff(u).xreplace(at), 0, "cancel"),
                 shown=Eq(Derivative(Symbol("action"), u), 0, evaluate=False))
    doc.step("... and Vhat1.", exact(_at_one(chain.action).diff(s.Vhat[1]).xreplace(at), 0, "cancel"),
             shown=Eq(Derivative(Symbol("action"), s.Vhat[1]), 0, evaluate=False))


def _pair(doc):
    s, (at, _) = LayerEquations(1).symbols, _isotropic()
    root = Symbol("xi", positive=True)
    p, alpha, scale = s.width[1], s.alpha, at[s.lam] / root
    n1, n2 = scale * p * x / (p * k2) / at[s.Vhat[1]], at[s.Vhat[1]] / scale
    doc.step("The published pair on the imaginary axis, nu1 = i N1, nu2 = i N2 at i xi, xi^2 = p lam (features over "
             "kappastar, their penalty times alpha is lam): N1 = (lam/xi) p V1/K, N2 = xi Vhat1/lam. The first "
             "equation, ...",
             exact(n1 * (root + n2 + k2 * n2 / (1 + k2 * n1 * n2)), p, "cancel"),
             shown=r"\nu_1\Big(-\xi-\nu_2-\frac{\zeta^2\nu_2}{1-\zeta^2\nu_1\nu_2}\Big)=\psi_1")
    doc.step("... the second, ...",
             exact((n2 * root).subs(root**2, p * at[s.lam]) + n2 * n1 * (1 + k2 / (1 + k2 * n1 * n2)), alpha, "cancel"),
             shown=r"\nu_2\Big(-\xi-\nu_1-\frac{\zeta^2\nu_1}{1-\zeta^2\nu_1\nu_2}\Big)=\psi_2")
    doc.step("... and their product chi = nu1 nu2 = -Vhat0/zeta^2, zeta^2 = kappa1^2/kappastar2.",
             exact(-n1 * n2, -x / k2, "cancel"), shown=r"\chi = \nu_1\nu_2 = -\hat V_0/\zeta^2")


def _error(doc):
    s, (_, error) = LayerEquations(1).symbols, _isotropic()
    b, rest = s.transmitted, s.rho - s.transmitted + s.noise_variance
    e0, e1, e2 = _published(-x / k2, s.width[1], s.alpha)
    doc.step("The stationary point of the free energy in q0, q1, qhat0, qhat1, linear equations, gives the published "
             "test error, with b the linear part of the target and all the rest as noise: R = b E1/E0 + (rho - b + "
             "noise)(1 + E2/E0).",
             exact(error - b * e1 / e0 - rest * (1 + e2 / e0), 0, "cancel"),
             shown=r"R = b\,\frac{E_1}{E_0} + (\rho-b+\Delta)\Big(1+\frac{E_2}{E_0}\Big)")


def _published(chi, p, q):
    """E0, E1 and E2 of the closed form, by chi."""
    y = k2
    e0 = (-(chi**5) * y**3 + 3 * chi**4 * y**2 + (p * q - q - p + 1) * chi**3 * y**3 - 2 * chi**3 * y**2
          - 3 * chi**3 * y + (p + q - 3 * p * q + 1) * chi**2 * y**2 + 2 * chi**2 * y + chi**2 + 3 * p * q * chi * y
          - p * q)
    e1 = q * chi**3 * y**2 - q * chi**2 * y + p * q * chi * y - p * q
    e2 = (chi**5 * y**3 - 3 * chi**4 * y**2 + (p - 1) * chi**3 * y**3 + 2 * chi**3 * y**2 + 3 * chi**3 * y
          - (p + 1) * chi**2 * y**2 - 2 * chi**2 * y - chi**2)
    return e0, e1, e2


if __name__ == "__main__":
    sys.exit(main(derivation))
