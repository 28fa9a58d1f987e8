"""Ridge regression on features of any covariance: its self-consistent equation and its errors, by leave-one-out."""

import sys
from functools import cache
from types import SimpleNamespace

from sympy import Eq, Matrix, Symbol, symbols

from asympkit.gauss import E
from asympkit.spectra import Eigenvalues, mean
from asympkit.theories.ridge.theory import Ridge

from ..checks import exact, exceeds
from ..command import main
from ..document import Derivation
from ..sampled import Instances, sampled
from .experiments import regression

lam, alpha, zeta, V, Vhat, f = symbols("lam alpha zeta V Vhat f", positive=True)
t, z, u, Q, q, Qhat, qhat, left = symbols("t z u Q q Qhat qhat left", real=True)
rho, noise = symbols("rho noise_variance", nonnegative=True)
#: an eigenvalue of Omega, its weight, and p times the square of the target's component there
D, weight, T = symbols("eigenvalues weights alignment", nonnegative=True)
LAW = Eigenvalues(D, weight, T)
S = lam + Vhat * D


def derivation():
    """The theorem on deep structured features, from one sample left out to the replica equations."""
    doc = Derivation(
        "Ridge regression on features of any covariance", "arXiv 2402.13999, Theorem 3.1 and its replica form",
        "Weights w minimise the sum over n samples of (y - w.phi/sqrt(p))^2, and lam |w|^2; Omega = E phi phi', psi = "
        "E[phi f], rho = E f^2, y = f + noise, alpha = n/p. G = (X X'/p + lam)^-1, and G_i without sample i. Quadratic "
        "forms of a sample are taken for their means (features that concentrate); averages are over the eigenvalues "
        "of Omega, <D> = tr(Omega)/p, and over the target, psi'g(Omega) psi = <T g(D)>.")
    _left_out(doc)
    _self_consistent(doc)
    _two_resolvents(doc)
    _errors(doc)
    _replicas(doc)
    _random(doc)
    return doc


def _left_out(doc):
    a, b, c, x, y, label = symbols("a b c x y label", real=True)
    without, phi = Matrix([[a, b], [b, c]]).inv(), Matrix([x, y])
    whole, own = (Matrix([[a, b], [b, c]]) + phi * phi.T).inv(), (phi.T * without * phi)[0]
    doc.step("A sample adds phi phi' to the inverse of G_i (two features, the factor 1/p in phi): G phi is G_i phi "
             "over 1 + g, g = phi'G_i phi.",
             exact((whole * phi)[0], (without * phi)[0] / (1 + own), "cancel"),
             shown=r"G\varphi = \frac{G_i\varphi}{1+\varphi^\top G_i\varphi}")
    doc.step("The residual of a sample that was fitted is that of a fresh one, over 1 + g: here r is what the other "
             "samples leave in the right side X y.",
             exact(label - (phi.T * whole * (Matrix([z, u]) + label * phi))[0],
                   (label - (phi.T * without * Matrix([z, u]))[0]) / (1 + own), "cancel"),
             shown=r"y-\varphi^\top G(r+y\varphi) = \frac{y-\varphi^\top G_i r}{1+g}")
    form = a * D * z**2 + 2 * b * z * u + c * u**2
    doc.step("g has the mean tr(Omega G)/p =: V (eigenvalues D and 1) ...",
             exact(E(E(form, z), u), a * D + c, ("split", "expand")))
    doc.step("... and, for Gaussian features, the variance 2 tr(Omega G Omega G)/p^2 = O(1/p).",
             exact(E(E((a * x**2 * z**2 + 2 * b * x * y * z * u + c * y**2 * u**2) ** 2, z), u)
                   - (a * x**2 + c * y**2) ** 2,
                   2 * (Matrix([[a * x**2, b * x**2], [b * y**2, c * y**2]]) ** 2).trace(), ("split", "expand")))


def _self_consistent(doc):
    doc.step("1 = lam G + sum of phi phi' G/p, and phi phi'G = phi phi'G_i/(1 + V): in the mean 1 = lam G + Vhat Omega "
             "G, Vhat = alpha/(1 + V). So G is (lam + Vhat Omega)^-1, by eigenvalues.",
             exact(lam / S + Vhat * D / S, 1, "cancel"))
    trace = mean(weight * D / S, LAW)
    doc.step("and V solves an equation with itself. It is that of the package.",
             exact(2 * _energy().diff(qhat), V - trace, ("open", "join")),
             shown=Eq(V, trace, evaluate=False))
    m = Symbol("m", positive=True)
    doc.step("With m = 1/(lam (1 + V)), the trace of the other resolvent, (X'X/p + lam)^-1: the published equation, "
             "1/m = lam + <Omega/(1 + alpha m Omega)>.",
             exact((lam * trace).subs(Vhat, alpha * lam * m), mean(weight * D / (1 + alpha * m * D), LAW), "join"))
    ridge = mean(weight * D / (D + zeta), LAW)
    doc.step("The effective ridge zeta = lam/Vhat: Vhat V is df1/p, df1 = tr Omega (Omega + zeta)^-1 the degrees of "
             "freedom.",
             exact((Vhat * trace).subs(lam, zeta * Vhat), ridge, "join"))
    doc.step("So zeta (1 - df1/n) = lam p/n.",
             exact((zeta * (1 - f / alpha)).subs({f: Vhat * V, zeta: lam / Vhat}).subs(
                 Vhat, alpha / (1 + V)), lam / alpha, "cancel"), shown=r"\zeta\,(1 - df_1/n) = \lambda p/n")
    inside = Symbol("D", positive=True)
    law = Eigenvalues(inside)
    curve = zeta - zeta / alpha * mean(inside / (inside + zeta), law) - lam / alpha
    doc.step("It has one root: the left side less the right is negative at zeta = 0 ...",
             exceeds(0, curve.subs(zeta, 0), lam / alpha, "close"))
    doc.step("... and convex.",
             exceeds(curve.diff(zeta, 2), 0, 2 / alpha * mean(inside**2 / (inside + zeta) ** 3, law), ("join",)))


@cache
def _energy():
    """The package's free energy, in samples over features."""
    n, features = symbols("n features", positive=True)
    return Ridge(([1], [1]), [1], 1).free_energy.subs(n, alpha * features)


def _two_resolvents(doc):
    penalised = lam + t * D + alpha / (1 + V) * D
    curve = V - mean(weight * D / penalised, LAW)
    second = mean(weight * D**2 / (lam + alpha / (1 + V) * D) ** 2, LAW)
    doc.step("Two resolvents with Omega between them: add t Omega to the penalty, whose slope is -G Omega G. The "
             "equation of V becomes that of a curve V(t); its slope in t at 0 ...",
             exact(curve.diff(t).subs(t, 0), second, "join"))
    doc.step("... and in V.", exact(curve.diff(V).subs(t, 0), 1 - alpha / (1 + V) ** 2 * second, "join"))
    s2 = Symbol("s2", positive=True)
    doc.step("So tr(Omega G Omega G)/p = -V' = s2/(1 - df2/n), s2 = <Omega^2 (lam + Vhat Omega)^-2>: df2 = tr Omega^2 "
             "(Omega + zeta)^-2 is p Vhat^2 s2.",
             exact(s2 / (1 - alpha / (1 + V) ** 2 * s2), s2 / (1 - f).subs(f, Vhat**2 * s2 / alpha).subs(
                 Vhat, alpha / (1 + V)), "cancel"),
             shown=r"\tfrac1p\mathrm{Tr}\,\Omega G\Omega G = \frac{s_2}{1-df_2/n}")


@cache
def _along():
    """Slopes along t of V, Vhat and Q, f = df2/n; ``left`` is zeta psi'(Omega + zeta)^-2 psi."""
    slope = -f / (1 - f) * (1 + V) / Vhat
    hat = -Vhat / (1 + V) * slope
    return SimpleNamespace(V=slope, Vhat=hat, Q=-(Q - left) / Vhat + left / Vhat * hat)


def _errors(doc):
    doc.step("The weights: lam w is the sum of residuals times phi, those of fresh samples over 1 + V, so lam w = Vhat "
             "sqrt(p) (psi - Omega w/sqrt(p)) in the mean, and psi'w/sqrt(p) = E[prediction f] =: Q.",
             exact(lam * (Vhat / S), Vhat * (1 - D * Vhat / S), "cancel"),
             shown=Eq(Q, Vhat * mean(T / S, LAW), evaluate=False))
    overlap, rest = Vhat * mean(T / S, LAW), lam * Vhat * mean(T / S**2, LAW)
    doc.step("Its slopes, with left = lam Vhat <T (lam + Vhat D)^-2>: with a penalty t Omega ...",
             exact((Vhat * mean(T / (S + t * D), LAW)).diff(t).subs(t, 0), -(overlap - rest) / Vhat, "join"))
    doc.step("... and along Vhat.", exact(overlap.diff(Vhat), rest / Vhat, "join"))
    doc.step("The minimum, the sum of y times residuals, is n (rho + noise - Q)/(1 + V). Its slope along t is w'Omega "
             "w, the square of the prediction times p; this gives q = E prediction^2 and the test error rho + noise + "
             "q - 2 Q, of which all but f = df2/n is gone.",
             exact(_test_error(), (rho + noise - Q - left) / (1 - f), "cancel"),
             shown=Eq(Symbol("R"), (rho + noise - Q - left) / (1 - f), evaluate=False))
    doc.step("In it Q + left is psi'(R + zeta R^2) psi, R = (Omega + zeta)^-1: the theorem as it is published.",
             exact((overlap + rest).subs(lam, zeta * Vhat), mean(T / (D + zeta), LAW) + zeta * mean(
                 T / (D + zeta) ** 2, LAW), "join"))
    doc.step("The training error is that over (1 + V)^2: (1 - df1/n)^2, generalised cross-validation.",
             exact((1 - Vhat * V / alpha).subs(Vhat, alpha / (1 + V)), 1 / (1 + V), "cancel"))


def _test_error():
    a = _along()
    squared = alpha * (-a.Q / (1 + V) - (rho + noise - Q) * a.V / (1 + V) ** 2)
    return (rho + noise + squared - 2 * Q).subs(alpha, Vhat * (1 + V))


def _replicas(doc):
    energy = _energy()
    doc.step("The package's free energy gives the same. Its equations of Vhat ...",
             exact(-2 * energy.diff(q), Vhat - alpha / (1 + V), ("open", "expand")))
    doc.step("... and Q, Qhat.", exact(energy.diff(Q), Qhat - alpha / (1 + V), ("open", "expand")))
    doc.step("The overlap.", exact(energy.diff(Qhat), Q - Qhat * mean(T / S, LAW), ("open", "join")))
    doc.step("qhat is alpha R/(1 + V)^2, R the test error, ...",
             exact(2 * energy.diff(V), qhat - alpha * (rho + noise + q - 2 * Q) / (1 + V) ** 2, ("open", "expand")))
    doc.step("... and q its square times s2, with what the target gives.",
             exact(-2 * energy.diff(Vhat), q - qhat * mean(weight * D**2 / S**2, LAW)
                   - Qhat**2 * mean(T * D / S**2, LAW), ("open", "join")))
    R, s2 = symbols("R s2", real=True)
    solved = Vhat**2 * s2 / alpha * R + Q - left
    doc.step("With Qhat = Vhat, Vhat^2 <T D/(lam + Vhat D)^2> = Q - left and f = Vhat^2 s2/alpha: R = rho + noise + f "
             "R - Q - left, the test error above.",
             exact((rho + noise + solved - 2 * Q - R).subs(s2, f * alpha / Vhat**2).subs(
                 R, (rho + noise - Q - left) / (1 - f)), 0, "cancel"),
             shown=Eq(R, rho + noise + f * R - Q - left, evaluate=False))


@cache
def instances(kind):
    return Instances(lambda rng, p: regression(rng, p, kind), seed={"normal": 21, "signs": 22}[kind], d=120, repeats=30)


def _random(doc):
    names = (("V", "V", Symbol("tr(Omega G)/p"), V), ("two", "two resolvents", Symbol("tr(Omega G Omega G)/p"),
             Symbol("s2") / (1 - f)), ("Q", "the overlap", Symbol("w psi"), Q),
             ("error", "the test error", Symbol("error"), Symbol("R")),
             ("train", "the training error", Symbol("train"), Symbol("R") / (1 + V) ** 2))
    for kind, words in (("normal", "Gaussian features"), ("signs", "features of two values")):
        for name, what, lhs, rhs in names:
            doc.step(f"Sampled, {words} of variances k^-0.6: {what}.",
                     sampled(lhs, rhs, lambda k=kind: instances(k), name, drift=0.1))


if __name__ == "__main__":
    sys.exit(main(derivation))
