"""Networks of independent Gaussian weights: a layer's log det as an extremum, and the chain that layers make."""

import sys
from functools import cache

from sympy import Eq, Matrix, Symbol, log, symbols

from asympkit.gauss import E
from asympkit.spectra import Eigenvalues, mean
from asympkit.theories.deep_features.chain import LayerEquations

from ..checks import exact
from ..command import main
from ..document import Derivation
from ..sampled import Instances, sampled
from .experiments import layers

a, Vhat, V1, Vhat1, p, d = symbols("a Vhat V' Vhat' p d", positive=True)
c, star, slope2, x = symbols("c kappastar2 kappa1^2 x", positive=True)
D = Symbol("D", nonnegative=True)
K = star + slope2 * V1
#: log det(1 + Vhat' Omega)/d of the layer below
BELOW = mean(log(1 + Vhat1 * D), Eigenvalues(D))


def derivation():
    """The action of a deep random network, its scalar chain, and one layer in closed form."""
    doc = Derivation(
        "The chain of a deep random network", "arXiv 2402.13999, in the limit of its sizes",
        "A layer has the linearised covariance kappa1^2 W Omega W' + kappastar2 (deep_features.recursion), W of p "
        "independent rows N(0, 1/d). Its log det is had from that of Omega, one row left out; the ridge "
        "(deep_features.theorem) stands at the top. Per input: p_l are widths, alpha samples; <f(D)> is over "
        "eigenvalues.")
    _layer(doc)
    _action(doc)
    _equations(doc)
    _errors(doc)
    _random(doc)
    return doc


def _layer(doc):
    i, j, k, z, u = symbols("i j k z u", real=True)
    doc.step("What all units have is taken out: a + Vhat Omega_l is (a + Vhat kappastar2)(1 + c W Omega W'), c = Vhat "
             "kappa1^2/(a + Vhat kappastar2).",
             exact((a + Vhat * star) * (1 + c * x).subs(c, Vhat * slope2 / (a + Vhat * star)),
                   a + Vhat * (star + slope2 * x), "cancel"))
    rows, Omega = Matrix([[i, j], [k, u]]), Matrix([[d, 0], [0, p]])
    own, other = rows.row(0), rows.row(1)
    rest = (Matrix([[1, 0], [0, 1]]) + c * other.T * other * Omega).inv()
    doc.step("One row w left out: the diagonal element of (1 + c W Omega W')^-1 is 1/(1 + c w'Omega (1 + c W_i'W_i "
             "Omega)^-1 w) (two rows, two inputs).",
             exact((Matrix([[1, 0], [0, 1]]) + c * rows * Omega * rows.T).inv()[0, 0],
                   1 / (1 + c * (own * Omega * rest * own.T)[0]), "cancel"),
             shown=r"[(1+cW\Omega W^\top)^{-1}]_{ii} = \frac{1}{1+c\,w^\top\Omega(1+cW_i^\top W_i\Omega)^{-1}w}")
    doc.step("The quadratic form has the mean V' = tr Omega (1 + c W'W Omega)^-1/d over w,",
             exact(E(E((x * z**2 + p * u**2) / 2, z), u), (x + p) / 2, ("split", "expand")))
    value = p * log(a + Vhat * K) + d * (BELOW - V1 * Vhat1)
    doc.step("and, as in the theorem, W'W is (p/d)/(1 + c V'): V' = <D/(1 + Vhat' D)>, Vhat' = (p/d) c/(1 + c V'). "
             "These make an action stationary, in Vhat' ...",
             exact(value.diff(Vhat1) / d, mean(D / (1 + Vhat1 * D), Eigenvalues(D)) - V1, "join"))
    hat = p / d * (c / (1 + c * V1)).subs(c, Vhat * slope2 / (a + Vhat * star))
    doc.step("... and in V'.", exact(value.diff(V1) / d, hat - Vhat1, "cancel"))
    doc.step("Its value is the log det: both are 0 at c = 0 ...",
             exact((p * log(1 + c * V1) + d * (BELOW - V1 * Vhat1)).subs({c: 0, Vhat1: 0}), 0, "close"))
    doc.step("... and have the slope p (1 - 1/(1 + c V'))/c in c, of the log det by its diagonal element, of the "
             "extremum by what c does to it alone.",
             exact((p * log(1 + c * V1)).diff(c), p * (1 - 1 / (1 + c * V1)) / c, "cancel"))


def _action(doc):
    for depth in (1, 2, 3):
        chain = LayerEquations(depth)
        s = chain.symbols
        action = s.alpha * log(1 + s.V[depth]) - s.width[depth] * s.V[depth] * s.Vhat[depth]
        for k in range(depth, 0, -1):
            layer = s.width[k] * log((s.lam if k == depth else 1) + s.Vhat[k] * (s.kappastar[k]
                                                                                 + s.kappa1[k] ** 2 * s.V[k - 1]))
            action += layer - s.width[k - 1] * s.V[k - 1] * s.Vhat[k - 1]
        words = ("The ridge, alpha log(1 + V) - p V Vhat + log det(lam + Vhat Omega), and a layer: the "
                 "package's action (but for the inputs)." if depth == 1 else
                 f"{depth} layers: each log det is that of the one below.")
        doc.step(words, exact(chain.action, action, ("open", "expand")))
    chain, q, qhat = LayerEquations(1), *symbols("q qhat", real=True)
    s = chain.symbols
    ridge_action = s.alpha * log(1 + s.V[1]) - s.V[1] * s.Vhat[1] + mean(log(s.lam + s.Vhat[1] * D), Eigenvalues(D))
    doc.step("Minus half its slope along the correlations, V - t q and Vhat + t qhat, is the replica free energy of "
             "the theorem, but for the target's part.",
             exact(-(ridge_action.diff(s.Vhat[1]) * qhat - ridge_action.diff(s.V[1]) * q) / 2,
                   (qhat * s.V[1] - q * s.Vhat[1]) / 2 - mean(qhat * D / (s.lam + s.Vhat[1] * D), Eigenvalues(D)) / 2
                   + s.alpha * q / (1 + s.V[1]) / 2, ("expand", "join")))


def _level(k, depth):
    """Symbols of level k of a chain, and the spread of layer k as an expression."""
    s = LayerEquations(depth).symbols
    return s, s.kappastar[k] + s.kappa1[k] ** 2 * s.V[k - 1]


def _equations(doc):
    s, spread = _level(1, 2)
    chain = LayerEquations(2)
    z0, z1, z2, D0, D1 = symbols("zeta0 zeta1 zeta2 D0 D1", positive=True)
    doc.step("Two layers, zeta0 = 1/Vhat0, zeta1 = 1/Vhat1, zeta2 = lam/Vhat2. Stationary in V0: Vhat0 = p1 kappa1^2/"
             "(zeta1 + K1), ...",
             exact(chain.action.diff(s.V[0]).subs(s.Vhat[1], 1 / z1),
                   s.width[1] * s.kappa1[1] ** 2 / (z1 + spread) - s.Vhat[0], ("open", "cancel")))
    doc.step("... in V1 the same, ...",
             exact(chain.action.diff(s.V[1]).subs(s.Vhat[2], s.lam / z2), s.width[2] * s.kappa1[2] ** 2 / (
                 z2 + _level(2, 2)[1]) - s.width[1] * s.Vhat[1], ("open", "cancel")))
    doc.step("... and at the top alpha/(1 + V2).",
             exact(chain.action.diff(s.V[2]), s.alpha / (1 + s.V[2]) - s.width[2] * s.Vhat[2], "cancel"))
    freedom = s.width[1] * spread / (z1 + spread)
    doc.step("With the degrees of freedom D_l = p_l V_l Vhat_l, stationarity in Vhat1 is D1 = p1 K1/(zeta1 + K1).",
             exact((s.Vhat[1] * chain.action.diff(s.Vhat[1])).subs(s.Vhat[1], 1 / z1),
                   freedom - s.width[1] * s.V[1] / z1, ("open", "cancel")))
    below = {s.V[0]: D0 * z0}
    down = s.kappa1[1] ** 2 * s.width[1] * z0 * (1 - D0 / s.width[1]) - s.kappastar[1]
    doc.step("So zeta1 follows from zeta0 and D0 (p0 = 1), ...",
             exact((s.width[1] * s.kappa1[1] ** 2 / (z1 + spread)).subs(below).subs(z1, down), 1 / z0, "cancel"),
             shown=Eq(z1, down, evaluate=False))
    after = s.width[1] - z1 * (s.width[1] - D0) / (s.kappastar[1] + z1)
    doc.step("... and D1 as well: a chain upwards.",
             exact(freedom.subs(below).subs(z1, down), after.subs(z1, down), "cancel"),
             shown=Eq(D1, after, evaluate=False))
    rest = s.alpha / (1 + D1 / (s.width[2] * s.Vhat[2])) - s.width[2] * s.Vhat[2]
    doc.step("At the top lam = (alpha/p) zeta (1 - D/alpha) (D here for that of the last level): all is a function of "
             "zeta0, the one unknown.",
             exact(rest.subs(s.Vhat[2], s.alpha / s.width[2] * (1 - D1 / s.alpha)), 0, "cancel"),
             shown=Eq(s.lam, s.alpha / s.width[2] * z2 * (1 - Symbol("D2") / s.alpha), evaluate=False))


def _errors(doc):
    z0, b = symbols("zeta0 b", positive=True)
    law = Eigenvalues(D)
    Q = b * mean(D**2 / (D + z0), law)
    doc.step("The theorem has R + zeta R^2: Q - zeta dQ/dzeta for Q = <T/(D + zeta)>; and df2 = df1 + zeta ddf1/dzeta.",
             exact(mean(D / (D + z0), law) + z0 * mean(D / (D + z0), law).diff(z0), mean(D**2 / (D + z0) ** 2, law),
                   "join"))
    chain = LayerEquations(1)
    s = chain.symbols
    doc.step("A target of its own weights has linear coefficients of isotropic direction; kappa1^2 W'(Omega_1 + "
             "zeta1)^-1 W is (Omega_0 + zeta0)^-1, the slope of the log det along Omega_0. So Q = b <D^2/(D + zeta0)>.",
             exact(chain.explained.subs({s.Vhat[0]: 1 / z0, s.transmitted: b}),
                   Q, "join"))
    top = LayerEquations(1, shared=1)
    s, spread = top.symbols, _level(1, 1)[1]
    doc.step("One that stands on the last layer: Q = b (tr Omega_1/p - lam V1), V1 = K/(lam + Vhat1 K).",
             exact(top.explained, s.transmitted * (s.kappastar[1] + s.kappa1[1] ** 2 * s.variance[0]
                   - s.lam * spread / (s.lam + s.Vhat[1] * spread)), ("open", "cancel")))


@cache
def instances():
    return Instances(layers, seed=41, d=120, repeats=12)


def _random(doc):
    names = (("log det", "the log det of a layer and its extremum", Symbol("log det(1 + 2 W Omega W')/d"),
              Symbol("ext")),
             ("freedom", "degrees of freedom behind two layers and the chain's", Symbol("tr(Omega_2 (Omega_2 + "
                                                                                        "zeta2)^-1)/d"), Symbol("D2")),
             ("signal", "what two layers explain of a linear target", Symbol("psi'(Omega_2 + zeta2)^-1 psi"),
              Symbol("Q")))
    for name, what, lhs, rhs in names:
        doc.step(f"Sampled weights: {what}.", sampled(lhs, rhs, instances, name, drift=1))


if __name__ == "__main__":
    sys.exit(main(derivation))
