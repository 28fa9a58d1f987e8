"""The two limiting traces: three integrations by parts, and their elimination to (E1) and (E2)."""

import sys
from functools import cache

from sympy import Eq, Symbol, eye, sqrt, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied, remove_names
from asympkit.theories.spiked_features import equations as spiked_equations

from ..checks import exact, numerical, simulated
from ..command import main
from ..document import Derivation
from ..one_step.functions import chosen
from ..one_step.saddle import eqs_of
from . import small
from .experiments import traces as measured
from .notation import A, B, gap, kappa, lam, m1, m2, mtilde, mu, on_solution, phi, psi, tau, trace_equations, x

d, N = symbols("d N", positive=True)
z, w, t = symbols("z w t", real=True)
T, P, gram = symbols("T P K", positive=True)


def derivation():
    """(E1) and (E2): the limiting traces of the resolvent of the untrained features."""
    doc = Derivation(
        "Two traces of the resolvent of random features", "arXiv 2310.07891, the equations of m1 and m2",
        "n inputs x ~ N(0, I), N units with rows w of unit norm, phi = d/n, psi = d/N, kappa = psi/phi = n/N; the "
        "student has mean 0, c1 = E[z s(z)], B = c1^2, A = E[s^2] - B. R = (F F^T + lam n I)^(-1) with F = s(X W^T); "
        "tau = tr R = kappa m1 and mu = tr(X^T R X)/d = kappa m2. Products of traces are replaced by products of "
        "their limits (traces concentrate). In the small instances n, d, N = 2, 3, 4 and L stands for lam n.")
    _features(doc)
    _resolvent(doc)
    _by_parts(doc)
    _limits(doc)
    _elimination(doc)
    _free_energy(doc)
    _random(doc)
    return doc


def _features(doc):
    student = Applied("student", z)
    c1 = E(z * student, z)
    doc.step("One feature is c1 z and a rest; the rest is uncorrelated with z ...",
             exact(E(z * (student - c1 * z), z), 0, ("split", "expand")))
    doc.step("... and, for a student of mean 0, has variance A.",
             exact(E((student - c1 * z) ** 2, z), E(student**2, z) - c1**2, ("split", "expand")))
    c2, c3 = symbols("c2 c3", real=True)
    c = Symbol("c1", real=True)

    def poly(u):
        return c * u + c2 * (u**2 - 1) + c3 * (u**3 - 3 * u)

    pair = E(E(poly(z) * poly(t * z + sqrt(1 - t**2) * w), w), z)
    doc.step("Two units whose rows have overlap t share the linear part and terms from t^2 on (student of degree "
             "three).",
             exact(pair, c**2 * t + 2 * c2**2 * t**2 + 6 * c3**2 * t**3, ("split", "expand")))
    doc.step("Overlaps are O(1/sqrt(d)), so the terms beyond t do not change traces: F may be replaced by c1 X W^T + "
             "sqrt(A) Z with independent Gaussian X, Z and W of variance 1/d. Their entries have the same variance.",
             exact(pair.subs(t, 1), c**2 + (2 * c2**2 + 6 * c3**2), ("split", "expand")),
             shown=Eq(E(Applied("student", z) ** 2, z), B + A, evaluate=False))


def _resolvent(doc):
    p, q = small.parts(), small.traces()
    first = [(p.F * p.F.T * p.R).trace(), small.n - small.level * q.tau]
    doc.step("The resolvent identity: tr(F F^T R) = n - lam n tau.",
             exact(*first, "cancel"), shown=Eq(gram, N * kappa * (1 - lam * tau), evaluate=False))
    other = (p.F.T * p.F + small.level * eye(small.N)).inv()
    doc.step("So tr(F^T R F)/N is 1 - mtilde with mtilde = 1 - kappa (1 - lam tau). It is the trace of the resolvent "
             "of F^T F: mtilde = (lam n/N) tr (F^T F + lam n I)^(-1), a number in (0, 1).",
             exact(small.level * other.trace(), small.N - q.gram, "cancel"),
             shown=Eq(N * mtilde, N - gram, evaluate=False))
    doc.step("The same trace, split into the parts of F; the first is P = c1 tr(W^T F^T R X).",
             exact(q.gram, q.P + p.a * (p.F.T * p.R * p.Z).trace(), "cancel"),
             shown=Eq(gram, P + sqrt(A) * Symbol("Q"), evaluate=False))


def _by_parts(doc):
    p, q, by = small.parts(), small.traces(), small.divergences()
    doc.step("Stein's lemma in the entries of X: E T is the mean of the sum of the derivatives of (R X)_ij by X_ij, T "
             "= tr(X^T R X). The sum is exact; its last term has one trace where the others have two, and drops out.",
             exact(by.X, small.d * q.tau - q.tau * q.P - q.rest_X, "cancel"),
             shown=Eq(T, d * tau - tau * P, evaluate=False))
    doc.step("In the entries of Z, for Q = tr(Z^T R F): the factor sqrt(A) comes from the derivative of F.",
             exact(by.Z, p.a * (small.N * q.tau - q.tau * q.gram) - q.rest_Z, "cancel"),
             shown=Eq(Symbol("Q"), sqrt(A) * tau * (N - gram), evaluate=False))
    doc.step("In the entries of W, whose variance is 1/d, for P itself.",
             exact(by.W, p.c**2 * (small.N * q.T - q.gram * q.T) - p.c * q.rest_W, "cancel"),
             shown=Eq(P, B / d * T * (N - gram), evaluate=False))


def _limits(doc):
    sizes = {P: N * x, T: d * mu, gram: N * (1 - mtilde)}
    doc.step("Divided by the sizes, with x = P/N and d = psi N: the first rule, ...",
             exact(((d * tau - tau * P) / d).subs(sizes).subs(d, psi * N), tau * (1 - x / psi), "cancel"),
             shown=Eq(mu, tau * (1 - x / psi), evaluate=False))
    doc.step("... the second with the splitting, ...",
             exact((gram - A * tau * (N - gram)).subs(sizes) / N, 1 - mtilde * (1 + A * tau), "cancel"),
             shown=Eq(x, 1 - mtilde * (1 + A * tau), evaluate=False))
    doc.step("... and the third.",
             exact((B / d * T * (N - gram)).subs(sizes) / N, B * mtilde * mu, "cancel"),
             shown=Eq(x, B * mtilde * mu, evaluate=False))


def _elimination(doc):
    s = on_solution()
    doc.step("The last two fix mtilde ...",
             exact(1 - s.mtilde * (1 + A * tau), B * s.mtilde * mu, "cancel"),
             shown=Eq(mtilde, s.mtilde, evaluate=False))
    doc.step("... and x; the first then fixes psi, given tau and mu.",
             exact(tau * (1 - s.x / s.psi), mu, "cancel"), shown=Eq(psi, s.psi, evaluate=False))
    doc.step("The definition of mtilde fixes lam. All positive solutions are written by A, B, kappa, tau, mu.",
             exact(1 - kappa * (1 - s.lam * tau), s.mtilde, "cancel"), shown=Eq(lam, s.lam, evaluate=False))
    first, second = trace_equations()
    for name, equation in (("(E1)", first), ("(E2)", second)):
        doc.step(f"Equation {name} of the package vanishes there.",
                 exact(equation.subs(s.values), 0, "cancel"), shown=Eq(equation, 0, evaluate=False))
    scaled = [(e * factor).subs({m1: tau / kappa, m2: mu / kappa, phi: psi / kappa})
              for e, factor in ((first, kappa**2), (second, kappa**3))]
    tilde = 1 - kappa * (1 - lam * tau)
    load = A * tau + B * mu
    doc.step("Conversely: (E2), times kappa^3, is the first rule with x = B mtilde mu put in.",
             exact(scaled[1], B * tau * mu * tilde - psi * (tau - mu), "expand"))
    doc.step("And mtilde (E1) + (1 - lam tau) kappa (E2), times kappa^2, has the factor mtilde (1 + A tau + B mu) - 1: "
             "where tau differs from mu the rules follow from the equations. (Where tau = mu, (E1) asks for B mu^2 "
             "(lam tau - 1) = 0 and (E2) then for B mu^2 = 0).",
             exact(tilde * scaled[0] + (1 - lam * tau) * scaled[1],
                   psi / kappa * (tau - mu) * (tilde * (1 + load) - 1), "expand"))


@cache
def _plain():
    """The package's saddle point without a spike, for a student a z + b He_2(z)/sqrt(2)."""
    s = spiked_equations.symbols()
    a, b = symbols("a b", real=True)
    student = a * s.z + b * (s.z**2 - 1) / sqrt(2)
    pair = {u: remove_names(chosen(e.subs({s.r: 0, s.c: 1}), student, s.z)) for u, e in eqs_of(s.V1).items()}
    return s, {a: sqrt(B), b: sqrt(A)}, pair


def _free_energy(doc):
    s, letters, pair = _plain()
    k = on_solution()
    V2 = k.mtilde / (kappa * k.lam)
    V1 = V2 * mu / tau
    V = B * V1 + A * V2
    at = {s.alpha: kappa / k.psi, s.beta: 1 / k.psi, s.lam: kappa * k.lam, s.V1: V1, s.V2: V2}
    doc.step("The spiked theory of the package without its spike (alpha = 1/phi, beta = 1/psi, its lam is kappa lam) "
             "is the same problem. With V = B V1 + A V2 the relation of tr R is lam tau = 1/(1 + V); V2 = "
             "mtilde/(kappa lam) and V1/V2 = mu/tau.",
             exact(1 / (1 + V), k.lam * tau, "cancel"))
    hats = {}
    for hat, letter in ((s.Vhat1, B), (s.Vhat2, A)):
        closed = pair[hat].doit().subs(letters)
        hats[hat] = kappa * letter / (1 + V)
        doc.step(f"{hat} of the package, the derivative of its free energy, student a z + b He_2/sqrt(2).",
                 exact(closed, s.alpha / s.beta * letter / (1 + B * s.V1 + A * s.V2), "cancel"))
    hat1, hat2 = hats[s.Vhat1], hats[s.Vhat2]
    doc.step("The two algebraic relations of its spectral means (one_step.reduction) hold on our solution set: (lam + "
             "Vhat2) V2 + Vhat1 V1 = 1 ...",
             exact((at[s.lam] + hat2) * V2 + hat1 * V1, 1, "cancel"),
             shown=Eq((s.lam + s.Vhat2) * s.V2 + s.Vhat1 * s.V1, 1, evaluate=False))
    doc.step("... and V1 (1 + beta Vhat1 V2) = V2. The free energy gives the same traces.",
             exact(V1 * (1 + at[s.beta] * hat1 * V2), V2, "cancel"),
             shown=Eq(s.V1 * (1 + s.beta * s.Vhat1 * s.V2), s.V2, evaluate=False))
    ranges = {A: (0.2, 3), B: (0.2, 3), kappa: (1, 3), mu: (0.3, 3), gap: (0.1, 2), tau: mu + gap}
    for unknown, value in ((s.V1, V1), (s.V2, V2)):
        image = pair[unknown].doit().subs({s.Vhat1: hat1, s.Vhat2: hat2}).subs(at)
        doc.step(f"The spectral mean itself, {unknown} from the Marchenko-Pastur law, to thirty digits.",
                 numerical(image, value, ranges), shown=Eq(unknown, eqs_of(unknown)[unknown], evaluate=False))


def _random(doc):
    where = " (student z + He_2(z)/sqrt(2), phi = 1/2, psi = 1, lam = 1/10)"
    for name, lhs, rhs, tolerance in (("tau", Symbol("tr(R)"), tau, 0.6), ("mu", Symbol("T") / d, mu, 1.0),
                                      ("x", P / N, B * mtilde * mu, 0.15)):
        doc.step(f"Features of a real student have this limit of {name}{where if name == 'tau' else ''}.",
                 simulated(lhs, rhs, lambda rng, size, k=name: measured(rng, size)[k], tolerance=tolerance,
                           sizes=(60, 180), repeats=6))


if __name__ == "__main__":
    sys.exit(main(derivation))
