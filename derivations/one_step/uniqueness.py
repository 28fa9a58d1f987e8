"""The pair (V1, V2) exists, is unique, and is bracketed by two evaluations of one map."""

import sys
from functools import cache
from types import SimpleNamespace

from sympy import Derivative, Eq, Function, Gt, Integer, Rational, Subs, Symbol, exp, log, sin, symbols

from asympkit.gauss import E
from asympkit.nodes import Named, remove_names
from asympkit.spectra import mean
from asympkit.theories.spiked_features import equations as spiked_equations

from ..checks import exact, exceeds, greater
from ..command import main
from ..document import Derivation
from .functions import chosen
from .saddle import eqs_of, law
from .solved_point import POINT, solution

s = spiked_equations.symbols()
u, rate = spiked_equations.moments(), s.alpha / s.beta
V, K = spiked_equations.pieces().V, s.kappa
excess = Symbol("e", positive=True)
tau = 1 + excess
D = Symbol("D", nonnegative=True)
squares, unknowns, hats = (u.mu1**2, u.mu2sq), (s.V1, s.V2), (s.Vhat1, s.Vhat2)
names = Function("T1"), Function("T2")


@cache
def the_map():
    """The map V -> Vhat -> V of the package's equations, its intermediate quantities and their derivatives."""
    pair = eqs_of(s.V1)
    conjugates = {x: pair[x] for x in hats}
    T = [pair[x].xreplace(conjugates) for x in unknowns]
    S = spiked_equations.pieces().S.xreplace(conjugates)
    G = [[rate * E(a * b / (1 + V) ** 2, K) for b in squares] for a in squares]
    L = [[mean(a * b / S**2, law()) for b in (s.D, 1)] for a in (s.D, 1)]
    left = [rate * E(a / (1 + V) ** 2, K) for a in squares]
    return SimpleNamespace(pair=pair, conjugates=conjugates, T=T, S=S, G=G, L=L, left=left)


def derivation():
    """Existence, uniqueness and bracketing of the nonlinear pair of the square-loss theory."""
    doc = Derivation(
        "The saddle point of the square loss is unique and lies in a bracket",
        "monotone scalable maps (R. D. Yates, IEEE J. Sel. Areas Commun. 13, 1341 (1995)) applied to arXiv "
        "2402.04980, Result 3.3",
        "V -> Vhat -> V defines a map T = (T1, T2) of positive pairs: kappa is a standard normal variable, <.> the "
        "mean over the Marchenko-Pastur law of D >= 0, V = mu1^2 V1 + mu2^2 V2 with mu1, mu2^2 functions of kappa, "
        "S = lam + Vhat2 + Vhat1 D. Student and target are any functions; alpha, beta, lam, c are positive. An "
        "inequality between pairs is meant in both components. mu2sq is a mean square and D has no mass below 0: "
        "all signs below follow from that.",
        notation=spiked_equations.NOTATION)
    _equations(doc)
    _monotone(doc)
    _scalable(doc)
    _at_most_one(doc)
    _existence(doc)
    _given_conjugates(doc)
    _bracket(doc)
    return doc


def _equations(doc):
    k = the_map()
    for i in (0, 1):
        doc.step(f"The package's equation for Vhat{i + 1}, from the derivative of its free energy.",
                 exact(k.pair[hats[i]], rate * E(squares[i] / (1 + V), K)),
                 shown=Eq(hats[i], k.pair[hats[i]], evaluate=False))
    S = spiked_equations.pieces().S
    for i, weight in enumerate((s.D, 1)):
        doc.step(f"The package's equation for V{i + 1}.",
                 exact(k.pair[unknowns[i]], mean(weight / S, law())),
                 shown=Eq(unknowns[i], k.pair[unknowns[i]], evaluate=False))
    doc.step("With the conjugates put in, S is a function of V1, V2 and D.",
             exact(k.S, s.lam + k.conjugates[s.Vhat2] + s.D * k.conjugates[s.Vhat1], "open_S"))


def _monotone(doc):
    k = the_map()
    S = spiked_equations.pieces().S
    for i in (0, 1):
        for j in (0, 1):
            doc.step(f"Vhat{i + 1} does not increase in V{j + 1}.",
                     exceeds(0, Derivative(k.pair[hats[i]], unknowns[j]), k.G[i][j], ("diff", "expand"), strict=False))
    for i, a in enumerate((s.D, 1)):
        for j, b in enumerate((s.D, 1)):
            doc.step(f"V{i + 1} does not increase in Vhat{j + 1}.",
                     exceeds(0, Derivative(k.pair[unknowns[i]], hats[j]), mean(a * b / S**2, law()),
                             ("diff", "expand"), strict=False))
    for i in (0, 1):
        for j in (0, 1):
            doc.step("So T1 does not decrease in V1: two falling maps in a row, and the chain rule. V <= V' implies "
                     "T(V) <= T(V')."
                     if (i, j) == (0, 0) else f"T{i + 1} and V{j + 1}.",
                     exceeds(Derivative(k.T[i], unknowns[j]), 0,
                             k.L[i][0] * k.G[0][j] + k.L[i][1] * k.G[1][j], ("diff", "split", "expand"), strict=False))


def _scalable(doc):
    doc.step("Scale V by tau = 1 + e > 1. At every kappa, 1 + tau V is less than tau (1 + V) ...",
             exceeds(tau * (1 + V), 1 + tau * V, excess, "expand"))
    k = the_map()
    gains = [rate * E(a * excess / (tau * (1 + V) * (1 + tau * V)), K) for a in squares]
    for i in (0, 1):
        doc.step(f"... so Vhat{i + 1} falls to no less than a fraction 1/tau.",
                 exceeds(rate * E(squares[i] / (1 + tau * V), K), k.conjugates[hats[i]] / tau, gains[i],
                         "join", strict=False))
    conjugates = dict(zip(hats, (rate * E(a / (1 + tau * V), K) for a in squares)))
    S_tau = Named("S_tau", s.lam + conjugates[s.Vhat2] + D * conjugates[s.Vhat1])
    S = k.S.xreplace({s.D: D})
    doc.step("S falls to more than that, for lam does not fall at all.",
             exceeds(S_tau, S / tau, s.lam * excess / tau + gains[1] + D * gains[0], ("open_S", "join", "cancel")))
    a, g = Symbol("S", positive=True), Symbol("g", positive=True)
    doc.step("With S_tau = S/tau + g, g > 0, the reciprocal grows by less than tau. The mean over D gives T(tau V) "
             "< tau T(V): the map is strictly scalable.",
             exceeds(tau / a, 1 / (a / tau + g), tau**2 * g / (a * (a + tau * g)), "cancel"),
             shown=Gt(tau * names[1](s.V1, s.V2), names[1](tau * s.V1, tau * s.V2), evaluate=False))
    doc.step("That bound grows with g, and g is at least lam e/tau.",
             exceeds(Derivative(tau**2 * g / (a * (a + tau * g)), g), 0, tau**2 / (a + tau * g) ** 2,
                     ("diff", "cancel")))
    for i in (0, 1):
        doc.step("So tau T1 exceeds T1(tau V) by at least the difference below, in which S_tau is replaced by its "
                 "bound (S + e lam)/tau; it is not 0, for D is not identically 0 ..."
                 if i == 0 else "... and tau T2 exceeds T2(tau V) likewise.", _finite_gap(i))


def _finite_gap(i):
    S, weight = the_map().S, (s.D, 1)[i]
    return exceeds(tau * mean(weight / S, law()), mean(weight * tau / (S + excess * s.lam), law()),
                   tau * excess * s.lam * mean(weight / (S * (S + excess * s.lam)), law()), "join", strict=i == 1)


def _at_most_one(doc):
    k = the_map()
    for i in (0, 1):
        doc.step(f"The same for an infinitesimal scaling, with everything that is lost. Vhat{i + 1} is "
                 "homogeneous of degree -1 but for the 1 in 1 + V ...",
                 exceeds(k.conjugates[hats[i]] + sum(x * Derivative(k.conjugates[hats[i]], x) for x in unknowns), 0,
                         k.left[i], ("diff", "open", "expand", "join"), strict=False))
    S = spiked_equations.pieces().S
    for i, weight in enumerate((s.D, 1)):
        doc.step(f"... and V{i + 1} in the conjugates but for lam in S.",
                 exact(k.pair[unknowns[i]] + sum(x * Derivative(k.pair[unknowns[i]], x) for x in hats),
                       s.lam * mean(weight / S**2, law()), ("diff", "open_S", "expand", "join")))
    M, L1, L2, left1, left2 = symbols("M L1 L2 l1 l2", positive=True)
    conjugate1, conjugate2 = hats
    doc.step("So with M = <D/S^2> or <1/S^2>, L the two slopes above and l1, l2 >= 0 what is lost in the "
             "conjugates: T = lam M + L1 Vhat1 + L2 Vhat2 exceeds its slope along V, V1 dT/dV1 + V2 dT/dV2, by at "
             "least lam M.",
             exceeds(s.lam * M + L1 * conjugate1 + L2 * conjugate2,
                     L1 * (conjugate1 - left1) + L2 * (conjugate2 - left2),
                     s.lam * M + L1 * left1 + L2 * left2, "expand"))
    x1, x2 = Symbol("x1", real=True), Symbol("x2", real=True)
    T = Function("T1", positive=True)
    point = T(*[exp(x) for x in (x1, x2)])
    doc.step("At most one fixed point. If V and V' were two, let tau = max(V1/V1', V2/V2') > 1 (exchange them if "
             "needed), attained at i. Then V <= tau V' and V_i = T_i(V) <= T_i(tau V') < tau T_i(V') = tau V_i' = "
             "V_i, a contradiction. In the logarithms x_i = log V_i it reads: the slopes of log T_i are not "
             "negative and sum to less than 1, so T brings any two points nearer.",
             exact(Derivative(log(point), x1), Derivative(point, x1) / point, "diff"))


def _existence(doc):
    k = the_map()
    doc.step("An upper bound: <D> = c, ...", exact(mean(s.D, law()), s.c, "close"))
    S = spiked_equations.pieces().S
    for i, weight in enumerate((s.D, 1)):
        doc.step("... so T1 is at most c/lam, ..." if i == 0 else "... and T2 at most 1/lam.",
                 exceeds(mean(weight / s.lam, law()), k.pair[unknowns[i]],
                         mean(weight * (s.Vhat2 + s.D * s.Vhat1) / (s.lam * S), law()), ("open_S", "expand", "join"),
                         strict=False))
    for i in (0, 1):
        low = k.T[i].xreplace(dict.fromkeys(unknowns, Integer(0)))
        doc.step("A lower bound: T(V) >= T(0) > 0." if i == 0 else "The second component of it.",
                 exceeds(low, 0, low), shown=Gt(names[i](0, 0), 0, evaluate=False))
    doc.step("Start at the upper bound U = (c/lam, 1/lam). T(U) <= U, so by monotonicity the iterates U, T(U), "
             "T(T(U)), ... decrease; they stay above T(0), so they converge, to a fixed point since T is "
             "continuous, and it is positive. Any other start lies between U'/tau and tau U' for some tau, U' the "
             "fixed point; the iterates of both ends converge to U', and with them those of the start. As a check "
             "the derivative of T2 along the ray through V is finite and below its value (student sin).",
             greater(_image(1), _along_ray(1), _ranges()),
             shown=Gt(names[1](s.V1, s.V2), Derivative(names[1](excess * s.V1, excess * s.V2), excess), evaluate=False))


def _given_conjugates(doc):
    k = the_map()
    doc.step("The spectral means solve two algebraic equations. The first: V1 (1 + beta c Vhat1 V2) = c V2.",
             exact(k.pair[s.V1] * (1 + s.beta * s.c * s.Vhat1 * k.pair[s.V2]), s.c * k.pair[s.V2],
                   ("close", "open", "cancel")))
    doc.step("The second: (lam + Vhat2) V2 + Vhat1 V1 = 1.",
             exact((s.lam + s.Vhat2) * k.pair[s.V2] + s.Vhat1 * k.pair[s.V1], 1, ("open", "expand", "join")))
    first = s.c * s.V2 / (1 + s.beta * s.c * s.Vhat1 * s.V2)
    doc.step("Given the conjugates these have one positive solution: the first makes V1 an increasing function of "
             "V2, ...",
             exceeds(Derivative(first, s.V2), 0, s.c / (1 + s.beta * s.c * s.Vhat1 * s.V2) ** 2, ("diff", "cancel")))
    total = (s.lam + s.Vhat2) * s.V2 + s.Vhat1 * first
    doc.step("... so the left side of the second increases in V2 from 0 at a rate of at least lam, and meets 1 once.",
             exceeds(Derivative(total, s.V2), s.lam,
                     s.Vhat2 + s.Vhat1 * s.c / (1 + s.beta * s.c * s.Vhat1 * s.V2) ** 2, ("diff", "cancel")))


def _bracket(doc):
    S = spiked_equations.pieces().S
    doc.step("Bracket lemma. If T(V+) <= V+ then the iterates from V+ decrease to the fixed point V*, so V* <= V+; "
             "if T(V-) >= V- > 0 they increase to it, so V- <= V*. Two evaluations of T prove V- <= V* <= V+. At "
             "V+ = (1 + e) V* the test succeeds, since T2(tau V*) < tau T2(V*) = tau V2*; the distance left is the "
             "finite gap above, to first order in e lam <1/S^2>, which is relative to V2 = <1/S> and thin only for "
             "small lam.",
             exact(Subs(Derivative(tau * excess * s.lam * mean(1 / (S * (S + excess * s.lam)), law()), excess),
                        excess, 0),
                   s.lam * mean(1 / S**2, law()), ("diff", "close", "open", "cancel")))
    point, _ = solution()
    near = {x: Rational(str(round(point[x], 9))) for x in unknowns}
    fixed = {x: Rational(str(POINT[x])) for x in (s.alpha, s.beta, s.lam, s.c, s.r)}
    step = Rational(1, 10**5)
    for i in (0, 1):
        above = fixed | {x: v * (1 + step) for x, v in near.items()}
        below = fixed | {x: v * (1 - step) for x, v in near.items()}
        doc.step("A bracket of relative width 2e-5 (student sin, alpha = 2, beta = 1, lam = 0.05): component "
                 f"{i + 1} at V+ ...",
                 greater(unknowns[i], _image(i), above, points=1),
                 shown=Gt(unknowns[i], names[i](s.V1, s.V2), evaluate=False))
        doc.step("... and at V-.", greater(_image(i), unknowns[i], below, points=1),
                 shown=Gt(names[i](s.V1, s.V2), unknowns[i], evaluate=False))


def _ranges():
    return {s.c: (0.5, 1.5), s.beta: (0.5, 2), s.lam: (0.01, 1), s.alpha: (0.5, 3), s.r: (0.5, 2), s.V1: (0.1, 2),
            s.V2: (0.1, 2)}


@cache
def _image(i):
    """A component of the map for the student sin, in closed form but for the mean over kappa."""
    k = the_map()
    conjugates = {x: remove_names(chosen(e, sin(s.z), sin(s.z))).doit() for x, e in k.conjugates.items()}
    return remove_names(k.pair[unknowns[i]].doit()).subs(conjugates)


def _along_ray(i):
    """Derivative of that component in the scale of V."""
    return sum(x * _image(i).diff(x) for x in unknowns)


if __name__ == "__main__":
    sys.exit(main(derivation))
