"""Classes of hidden units: the determinant of their bulk, their overlaps, and what a width adds."""

import sys
from functools import cache

from sympy import Eq, Integer, Matrix, Symbol, det, diag, eye, log, symbols

from asympkit.gauss import E
from asympkit.nodes import remove_names
from asympkit.theories.spiked_features import equations as spiked_equations
from asympkit.theories.spiked_features.classes import UnitClasses, class_symbols, trace_of_quotient

from ..checks import exact
from ..command import main
from ..document import Derivation
from ..sampled import Instances, sampled
from .functions import on_sphere
from .result_3_1 import constants, eta, result

s, k = spiked_equations.symbols(), class_symbols(2, 1)
theta = [t for (t,) in k.theta]


def symmetric(entries):
    """The matrix of two classes whose entries are given once each."""
    return Matrix(2, 2, lambda a, b: entries[min(a, b), max(a, b)])


V, Q, L = symmetric(k.V), symmetric(k.Q), diag(*(c * V2 for c, V2 in zip(k.c, k.V2)))
#: conjugates that the overlaps have at the saddle point
Vhat = (V.inv() - L.inv()) / s.beta
Vhat2 = [share / V2 - s.lam - (1 - V[a, a] / (c * V2)) / (s.beta * V2)
         for a, (share, V2, c) in enumerate(zip(k.share, k.V2, k.c))]


#: names of moments of a class
_OF_CLASSES = {f"{name}_{a}": tex for a in (1, 2) for name, tex in (
    ("mu2sq", rf"\mu_{{2,{a}}}^{{2}}"), ("dmu0", rf"\partial_c\mu_{{0,{a}}}"))}


def derivation():
    """Several classes of hidden units: their free energy, in closed form."""
    doc = Derivation(
        "Classes of hidden units have a free energy without conjugates", "arXiv 2402.04980, appendix D, and beyond it",
        "Unit i of class a has the weights w_i + u_a v/sqrt(d), |w_i|^2 = c_a, a share pi_a of the units is in the "
        "class. Overlaps are vectors over classes and matrices: Q_ab = w_a W_a P W_b w_b/p, P without the spike, V "
        "beside it. Two classes are shown; L = diag(c_a V2_a).",
        notation={**spiked_equations.NOTATION, **_OF_CLASSES})
    _step(doc)
    _network(doc)
    _determinant(doc)
    _prior(doc)
    _width(doc)
    _special_cases(doc)
    _orthogonal(doc)
    _experiment(doc)
    return doc


def _step(doc):
    a, k1, step = Symbol("a", real=True), constants(), result()
    doc.step("A unit with the readout a/sqrt(p) takes a step a times as large as at the uniform one: by Result 3.1 its "
             "spike has the strength a r along the same direction ...",
             exact(step.r.subs(eta, a * eta), a * step.r, "expand"))
    odd = step.c.xreplace({k1.h2: Integer(0)})
    doc.step("... and, for an odd student, its bulk the norm 1 + a^2 (c - 1).",
             exact(odd.subs(eta, a * eta), 1 + a**2 * (odd - 1), "expand"))


def _network(doc):
    """Output of two units, one of each class, in three dimensions with the spike along the first."""
    w, W = Matrix(symbols("w1 w2", real=True)), Matrix(2, 3, symbols("W11 W12 W13 W21 W22 W23", real=True))
    mu = [symbols(f"mu{i}_1 mu{i}_2", real=True) for i in range(3)]
    noise = x2, x3, xi1, xi2 = symbols("x2 x3 xi1 xi2", real=True)
    field = W * Matrix([s.kappa, x2, x3])
    output = sum(w[a] * (mu[0][a] + mu[1][a] * field[a] + mu[2][a] * (xi1, xi2)[a]) for a in (0, 1))
    mean = sum(w[a] * (mu[0][a] + s.kappa * mu[1][a] * W[a, 0]) for a in (0, 1))
    doc.step("A unit is mu0_a + mu1_a w.x + mu2_a xi with the moments of its class (Result 3.2), so the mean output "
             "has two functions of each class: sum_a (m_a mu0_a + kappa theta_a mu1_a).",
             exact(E(output, noise), mean, ("close", "expand")))
    overlaps = [[w[a] * w[b] * sum(W[a, i] * W[b, i] for i in (1, 2)) for b in (0, 1)] for a in (0, 1)]
    form = sum(mu[1][a] * mu[1][b] * overlaps[a][b] for a in (0, 1) for b in (0, 1))
    doc.step("Its variance is a form in the classes: sum_ab mu1_a mu1_b Q_ab + sum_a mu2_a^2 q2_a.",
             exact(E((output - mean) ** 2, noise), form + sum((mu[2][a] * w[a]) ** 2 for a in (0, 1)),
                   ("close", "expand")))
    bulk = UnitClasses(2)
    at, u = bulk.prediction(s, bulk.moments()), bulk.moments()
    doc.step("The package reads these: response ...",
             exact(at.V, (Matrix(u.mu1).T * V * Matrix(u.mu1))[0] + sum(e * V2 for e, V2 in zip(u.mu2sq, k.V2)),
                   ("open", "expand")))
    doc.step("... and variance; a width adds the common mode of all classes together.",
             exact(at.Q, (Matrix(u.mu1).T * Q * Matrix(u.mu1))[0] + sum(e * q for e, q in zip(u.mu2sq, k.q2))
                   + 2 * s.beta * s.inverse_width * sum(c * m * e for c, m, e in zip(k.c, k.m, u.dmu0)) ** 2,
                   ("open", "expand")))


@cache
def _potential():
    """W of the bulk: the Legendre transform of the log-determinant of lam + Vhat2 + sum of Vhat_ab P_a W P W P_b."""
    of_class = sum(s.lam * V2 - (share - 1 / s.beta) * log(V2) + V[a, a] / (s.beta * c * V2)
                   for a, (share, V2, c) in enumerate(zip(k.share, k.V2, k.c)))
    return of_class - log(det(V)) / s.beta


def _determinant(doc):
    A = Matrix(2, 2, symbols("A11 A12 A12 A22", real=True))
    t = Symbol("t", real=True)
    moved = log(det(eye(2) + s.beta * L * (Vhat + t * A))) / s.beta
    doc.step("Phi, the normalised log-determinant of lam + Vhat2 + sum_ab Vhat_ab W_a P W_b, is extremal in the traces "
             "G_a of the classes: sum_a pi_a (Delta_a G_a - log G_a) + log det(1 + beta L Vhat)/beta, Delta_a = lam + "
             "Vhat2_a, L = diag(pi_a c_a G_a). Its slope along any direction A of Vhat is Tr V A at Vhat = (V^-1 - "
             "L^-1)/beta.", exact(moved.diff(t).subs(t, 0), (V * A).trace(), "cancel"),
             shown=Eq(Symbol("Vhat"), (Symbol("V") ** -1 - Symbol("L") ** -1) / s.beta, evaluate=False))
    G = symbols("G1 G2", positive=True)
    spectrum = diag(*(share * c * g for share, c, g in zip(k.share, k.c, G)))
    for a in (0, 1):
        delta = s.lam + Vhat2[a]
        condition = k.share[a] * (delta - 1 / G[a]) \
            + (log(det(eye(2) + s.beta * spectrum * Vhat)) / s.beta).diff(G[a])
        doc.step(f"Stationarity in G_{a + 1}, with V2_a = pi_a G_a, gives Vhat2_{a + 1}.",
                 exact(condition.subs({g: V2 / share for g, V2, share in zip(G, k.V2, k.share)}), 0, "cancel"),
                 shown=Eq(Symbol(f"Vhat2_{a + 1}"), Vhat2[a], evaluate=False))
    doc.step("Both are minus the slopes of one function of the responses, W(V, V2): by V_11 and V_12 ...",
             exact(sum(w * (_potential().diff(e) + n * h) for w, e, n, h in zip(
                 symbols("a b"), (k.V[0, 0], k.V[0, 1]), (1, 2), (Vhat[0, 0], Vhat[0, 1]))), 0, "cancel"),
             shown=Eq(Symbol("W"), _potential(), evaluate=False))
    doc.step("... and by V2_1.", exact(_potential().diff(k.V2[0]), -Vhat2[0], "cancel"))


def _prior(doc):
    bulk, t = UnitClasses(2), Symbol("t", real=True)
    moved = {e: e + t * q for e, q in zip((*k.V.values(), *k.V2), (*k.Q.values(), *k.q2))}
    along = _potential().subs(moved, simultaneous=True).diff(t).subs(t, 0) / 2
    psi = Matrix(k.psi)
    overlaps = ((psi.T * V.inv() * psi)[0] + sum(o**2 / (c * V2) for o, c, V2 in zip(theta, k.c, k.V2))) / (2 * s.beta)
    width = sum(s.inverse_width * m**2 / (2 * V2) for m, V2 in zip(k.m, k.V2))
    doc.step("qhat and qhat2 multiply these conditions, so the conjugates leave the free energy: what is left of the "
             "prior is half the slope of W along (Q, q2), and the price of the overlaps. The package has this one.",
             exact(remove_names(bulk.prior(s)), along + overlaps + width, "cancel"),
             shown=Eq(Symbol("prior"), Symbol("dW_dQ") / 2 + overlaps + width, evaluate=False))
    hats = Matrix(symbols("psihat1 psihat2", real=True))
    price = (hats.T * psi)[0] - s.beta * (hats.T * V * hats)[0] / 2
    best = V.inv() * psi / s.beta
    doc.step("The price of psi: psihat^T psi - beta psihat^T V psihat/2 is largest at psihat = V^-1 psi/beta. That of "
             "theta is alike, with the kernel c_a V2_a of Wv.",
             exact(price.subs(dict(zip(hats, best))), (psi.T * V.inv() * psi)[0] / (2 * s.beta), "cancel"))
    three = class_symbols(3, 1)
    matrices = [Matrix(3, 3, lambda a, b, of=of: of[min(a, b), max(a, b)]) for of in (three.V, three.Q)]
    doc.step("Traces Tr V^-1 N are written by elimination, one class after the other; of three classes:",
             exact(remove_names(trace_of_quotient(three.V, three.Q)),
                   (matrices[0].adjugate() * matrices[1]).trace() / det(matrices[0]), "cancel"),
             shown=r"\operatorname{Tr} V^{-1} N")


def _width(doc):
    m, hat, share, G = symbols("m mhat share G", positive=True)
    doc.step("The constant direction of a class has the norm pi_a p: its kernel is p pi_a G_a/beta, and m_a costs m_a^2"
             "/(2 p V2_a). Without it the means of T classes fit any combination of T functions of kappa for nothing, "
             "which is why the limit is far from networks.",
             exact((m * hat - hat**2 * share * G / (2 * s.inverse_width)).subs(hat, m * s.inverse_width / (share * G)),
                   s.inverse_width * m**2 / (2 * share * G), "expand"))


def _special_cases(doc):
    V1, V2, c = s.V1, s.V2, s.c
    one = {s.Vhat1: (1 / V1 - 1 / (c * V2)) / s.beta,
           s.Vhat2: 1 / V2 - s.lam - (1 - V1 / (c * V2)) / (s.beta * V2)}
    doc.step("One class: the conjugates satisfy those of the isotropic bulk, V1 (1 + beta c Vhat1 V2) = c V2 ...",
             exact((V1 * (1 + s.beta * c * s.Vhat1 * V2)).subs(one), c * V2, "cancel"))
    doc.step("... and (lam + Vhat2) V2 + Vhat1 V1 = 1.",
             exact(((s.lam + s.Vhat2) * V2 + s.Vhat1 * V1).subs(one), 1, "cancel"))
    hat, first, second = symbols("vhat L1 L2", positive=True)
    split = diag(first, second)
    for sign, words in ((1, "A class split in two, whose moments are equal:"),
                        (-1, "Signs of the rows of a class are a matter of convention:")):
        conjugates = hat * Matrix([[1, sign], [sign, 1]])
        response = split * (eye(2) + s.beta * conjugates * split).inv()
        total = response[0, 0] + response[1, 1] + 2 * sign * response[0, 1]
        doc.step(f"{words} the sum of responses is that of one class of L_1 + L_2.",
                 exact(total, (first + second) / (1 + s.beta * hat * (first + second)), "cancel"))


def _orthogonal(doc):
    v = Matrix(symbols("v1:4", real=True))
    w, c = Matrix(symbols("w1:4", real=True)), Symbol("c", positive=True)
    without = c * (eye(3) - v * v.T)                 # rows sqrt(c) e_i; the spike removed
    doc.step("Orthogonal rows: Q = c q2 - theta^2 in a class, -theta_a theta_b between classes (three units of a class "
             "in three dimensions), and V_ab = c_a V2_a for a = b, 0 else.",
             exact((w.T * without * w)[0], c * (w.T * w)[0] - c * ((w.T * v)[0]) ** 2, "expand"))
    bulk = UnitClasses(2, is_orthogonal=True)
    found_V, found_Q = bulk.overlaps()
    doc.step("The package has these.",
             exact(found_Q[0, 0] + 2 * found_Q[0, 1] + found_V[1, 1],
                   k.c[0] * k.q2[0] - theta[0] ** 2 - 2 * theta[0] * theta[1] + k.c[1] * k.V2[1], "expand"))


# -- experiment -------------------------------------------------------------------------------------------------------

_SHARES, _NORMS, _DELTA, _HAT, _RATIO = (0.4, 0.6), (1.3, 0.7), (0.5, 0.8), ((1.0, 0.6), (0.6, 1.5)), 1.5


@cache
def _limit():
    """V2 and V of the conjugates above, by iteration of the equations."""
    import numpy as np

    shares, norms, delta, hat = map(np.array, (_SHARES, _NORMS, _DELTA, _HAT))
    V2 = shares / delta
    for _ in range(500):
        spread = np.diag(norms * V2)
        inner = hat @ np.linalg.inv(np.eye(2) + _RATIO * spread @ hat)
        V2 = (V2 + shares / (delta + norms * np.diag(inner))) / 2
    spread = np.diag(norms * V2)
    return V2, spread @ np.linalg.inv(np.eye(2) + _RATIO * hat @ spread)


def _resolvent(rng, size):
    """Traces of the resolvent of a sampled bulk, between classes."""
    import numpy as np

    p = round(_RATIO * size)
    of_class = np.repeat([0, 1], np.round(p * np.array(_SHARES)).astype(int))
    rows = on_sphere(rng, p, size) * np.sqrt(np.array(_NORMS))[of_class, None]
    rows[:, 0] = 0.0                                # the spike's direction
    covariance = rows @ rows.T
    inside = np.diag(np.array(_DELTA)[of_class]) + np.array(_HAT)[of_class][:, of_class] * covariance
    resolvent = np.linalg.inv(inside)
    V2, response = _limit()
    first, second = (of_class == a for a in (0, 1))
    cross = resolvent[np.ix_(first, second)] * covariance[np.ix_(first, second)]
    return {"V2_1": (np.diag(resolvent)[first].sum() / p, V2[0]), "V1_12": (cross.sum() / p, response[0, 1])}


@cache
def _instances():
    return Instances(_resolvent, 5, 80, 24)


def _experiment(doc):
    for name, drift in (("V2_1", 1.0), ("V1_12", 1.0)):
        doc.step(f"Experiment with shares {_SHARES}, norms {_NORMS} and p = {_RATIO:g} d: {name} of a sampled bulk.",
                 sampled(Symbol(f"sampled_{name}"), Symbol(name), _instances, name, drift))


if __name__ == "__main__":
    sys.exit(main(derivation))
