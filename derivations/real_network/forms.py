"""The spectral functions of the true bulk, by leaving one sample out (odd students)."""

import sys
from functools import cache
from types import SimpleNamespace

from sympy import Eq, Matrix, Symbol, eye, sqrt, symbols

from asympkit.gauss import E

from ..checks import exact, exceeds
from ..command import main
from ..document import Derivation
from ..sampled import Instances, sampled
from . import batch
from .formulas import Forms
from .notation import alpha0, b, d, first, g, label, mean, n0, omega, overload, second, tau, w

T, k = symbols("T k", positive=True)
eF, eG, startF, startG, DF, DG, phi1 = symbols("e_F e_G m_F m_G D_F D_G phi1", real=True)


def derivation():
    """Trace and quadratic forms of the resolvent of the bulk's matrix."""
    doc = Derivation(
        "Forms of the resolvent of the true bulk", "beyond arXiv 2402.04980: leave-one-out for the first batch",
        "S = 1 + omega A with A the mean of y^2 x x' over n0 = alpha0 d samples, x ~ N(0, 1), y a function of tau = "
        "theta.x and of noise; B = (1 + g S)^(-1), k = g omega/n0, s_F the mean of F(y) x. b, T are the limits of tr "
        "B/d and theta'B theta. Forms without a sample are replaced by their limits (they concentrate); w stands for "
        "the components of a sample's input across theta.")
    _one_out(doc)
    _equations(doc)
    _without_cancellation(doc)
    _without_division(doc)
    _random(doc)
    return doc


def _one_out(doc):
    """Exact rules, on a symmetric matrix and two samples in two dimensions with general entries."""
    m11, m12, m22, x1, x2, u1, u2, z1, z2, t1, t2, f1, f2 = symbols("m11 m12 m22 x1 x2 u1 u2 z1 z2 t1 t2 f1 f2")
    M, x, z = Matrix([[m11, m12], [m12, m22]]), Matrix([x1, x2]), Matrix([z1, z2])
    left_out = M.inv()
    own = (x.T * left_out * x)[0]
    doc.step("A sample is taken out: with R the resolvent without it, B x = R x/(1 + k y^2 x'R x), against any vector "
             "(here in two dimensions; k y^2 is one number k).",
             exact((z.T * (M + k * x * x.T).inv() * x)[0], (z.T * left_out * x)[0] / (1 + k * own), "cancel"),
             shown=r"z^\top B\, x = \frac{z^\top R\, x}{1 + k y^2\, x^\top R\, x}")
    first_x, second_x, theta = Matrix([x1, x2]), Matrix([u1, u2]), Matrix([t1, t2])
    total = (1 + g) * eye(2) + k * (f1 * first_x * first_x.T + f2 * second_x * second_x.T)
    B = total.inv()
    own_forms = [(v.T * B * v)[0] for v in (first_x, second_x)]
    doc.step("The trace of (1 + g S) B = 1: each sample gives its own form (here two samples, with f = y^2).",
             exact((1 + g) * B.trace() + k * (f1 * own_forms[0] + f2 * own_forms[1]), 2, "cancel"),
             shown=r"(1+g)\,\mathrm{tr} B + k \sum_\mu y_\mu^2\, x_\mu^\top B\, x_\mu = d")
    crossed = sum(f * (v.T * theta)[0] * (v.T * B * theta)[0] for f, v in ((f1, first_x), (f2, second_x)))
    doc.step("The same identity between the target's direction and itself.",
             exact((1 + g) * (theta.T * B * theta)[0] + k * crossed, (theta.T * theta)[0], "cancel"),
             shown=r"(1+g)\,\theta^\top B\theta + k \sum_\mu y_\mu^2\,(x_\mu\cdot\theta)\, x_\mu^\top B\,\theta = 1")


@cache
def known():
    """The formulas in symbols."""
    return Forms(mean, g, omega, 1 / alpha0, b)


def _equations(doc):
    f = known()
    y = label
    doc.step("x'R x concentrates at d b: what leaving out divides by is 1 + y^2 delta, delta = g omega b/alpha0.",
             exact((1 + k * y**2 * d * b).subs(k, g * omega / n0).subs(n0, alpha0 * d), 1 / f.weight(y), "expand"))
    each = (k * n0 / d * mean(lambda y, tau: y**2 * f.weight(y) * d * b)).subs(k, g * omega / n0)
    doc.step("So the trace identity, divided by d, fixes b.",
             exact((1 + g) * b + each - 1, f.excess(), ("expand", "cancel")), shown=Eq(f.excess(), 0, evaluate=False))
    s = Symbol("s", positive=True)
    own = Symbol("Y", positive=True)
    rising = b * own / (1 + own * s * b)
    doc.step("Every term of the left side increases with b (Y is y^2, s is g omega/alpha0); it is -1 at b = 0 and not "
             "negative at b = 1: one root, between 0 and 1.",
             exceeds(rising.diff(b), 0, own / (1 + own * s * b) ** 2, "cancel"))
    across = Symbol("s_w", real=True)
    met = tau * T + across * w
    doc.step("x'R theta is tau T and a part from the other components, which averages to 0: the identity of theta has "
             "the weight tau^2 ...",
             exact(E(mean(lambda y, tau: y**2 * tau * f.weight(y) * met), w),
                   T * mean(lambda y, tau: y**2 * tau**2 * f.weight(y)), ("split", "expand")))
    doc.step("... and gives T.",
             exact(((1 + g) * T + g * omega * T * mean(lambda y, tau: y**2 * tau**2 * f.weight(y))).subs(T, f.T), 1,
                   "cancel"), shown=Eq(T, f.T, evaluate=False))
    doc.step("Between s_F and theta the same mean stands: s_F'B theta = e_F T.",
             exact(E(mean(lambda y, tau: first(y) * f.weight(y) * met), w), T * f.e(first), ("split", "expand")))
    inner = tau * eG * T + second(label) * b / alpha0 + across * w
    doc.step("In s_G the sample itself counts: x'R s_G is tau e_G T + G x'R x/n0 + other components, so s_F'B s_G has "
             "two parts.",
             exact(E(mean(lambda y, tau: first(y) * f.weight(y) * inner), w),
                   f.B(first, second).subs(f.e(second), eG).subs(f.T, T), ("split", "join")))


def _without_cancellation(doc):
    f = known()
    y = label
    doc.step("N = S B is (1 - B)/g; at small g that difference loses its digits. For the trace the equation of b is "
             "the sum that remains,",
             exact((1 - b - g * f.tau_b) + f.excess(), 0, "expand"),
             shown=Eq((1 - b) / g, f.tau_b, evaluate=False))
    doc.step("and so it is for theta.",
             exact((1 - f.T) / g, f.tau_T, "cancel"))
    doc.step("e_F differs from E[F tau], its value at g = 0, by g D_F.",
             exact(f.start(first) - f.e(first), g * f.D(first), ("join", "cancel")))
    tau_b, tau_T = symbols("tau_b tau_T", positive=True)
    doc.step("Under the mean of s_F'N s_G: 1 - b w(y) is g w(y) times a sum (b = 1 - g tau_b).",
             exact((1 - b * f.weight(y)).subs(b, 1 - g * tau_b),
                   (g * f.weight(y) * (tau_b + omega * b / alpha0 * y**2)).subs(b, 1 - g * tau_b), "cancel"))
    doc.step("The two parts of s_F'N s_G together.",
             exact(startF * startG - eF * eG * (1 - g * tau_T),
                   g * (DF * startG + eF * DG + eF * eG * tau_T).subs({DF: (startF - eF) / g, DG: (startG - eG) / g}),
                   "expand"))
    doc.step("And s_F'N theta.",
             exact(startF - eF * (1 - g * tau_T), g * (DF + eF * tau_T).subs(DF, (startF - eF) / g), "expand"))


def _without_division(doc):
    """With zeta = (theta - gamma v)/rho: rho^2 is O(overload), and so is what it divides."""
    P, P4, Q3, e = symbols("P P4 Q3 e_y", real=True)
    h2, tau_b, tau_T = symbols("h2 tau_b tau_T", positive=True)
    s2 = phi1**2 + h2 * overload
    gamma, rho = phi1 / sqrt(s2), sqrt(h2) * sqrt(overload) / sqrt(s2)
    doc.step("v = s/|s| has the cosine gamma = phi1/|s|, phi1 = E[y tau], h2 = E[y^2], |s|^2 = phi1^2 + o h2, o = "
             "1/alpha0. So rho vanishes with o: it must not be divided by.",
             exact(1 - gamma**2, rho**2, "cancel"), shown=Eq(Symbol("rho") ** 2, rho**2, evaluate=False))
    Bvv, Bvt = (b * overload * P + e**2 * T) / s2, e * T / sqrt(s2)
    weight = g * omega * b
    # e = phi1 - g D_y and P = h2 - delta P4, with Q3 = E[y^3 tau w(y)] and P4 = E[y^4 w(y)]
    D, less = overload * omega * b * Q3, weight * overload * P4
    u = h2 + phi1 * weight * Q3
    doc.step("P = E[y^2 w(y)] is h2 less delta E[y^4 w(y)].",
             exact(mean(lambda y, tau: y**2 - y**2 * known().weight(y)),
                   g * omega * b / alpha0 * mean(lambda y, tau: y**4 * known().weight(y)), ("join", "cancel")))
    doc.step("|s|^2 - phi1 e_y has the factor o: it is o u, u = h2 + phi1 g omega b E[y^3 tau w(y)].",
             exact((s2 - phi1 * e).subs(e, phi1 - g * D), overload * u, "expand"))
    Bzz = (T * overload * u**2 + phi1**2 * b * P) / (h2 * s2)
    by_rho = {"zz": (T - 2 * gamma * Bvt + gamma**2 * Bvv) / rho**2, "vz": (Bvt - gamma * Bvv) / rho}
    given = {e: phi1 - g * D}
    doc.step("zeta'B zeta: o cancels, and o = 0 (infinitely many samples) is a point like others.",
             exact(by_rho["zz"].subs(given), Bzz, "cancel"))
    doc.step("At o = 0 it is b, for e_y = phi1, P = h2.", exact(Bzz.subs(overload, 0).subs(P, h2), b, "cancel"))
    Bvz = sqrt(overload) * (e * T * u - phi1 * b * P) / (sqrt(h2) * s2)
    doc.step("v'B zeta, which vanishes like sqrt(o) (shown times sqrt(o)).",
             exact((by_rho["vz"] * rho).subs(given), (Bvz * rho).subs(given), "cancel"),
             shown=Eq(Symbol("B_vz"), Bvz, evaluate=False))
    lost = {b: 1 - g * tau_b, T: 1 - g * tau_T}
    all_given = {P: h2 - less, **given}
    load = tau_b * P + omega * b * overload * P4
    Nvz = sqrt(overload) * (e * u * tau_T - phi1 * load + omega * b * Q3 * (overload * h2 - phi1 * e)) / (sqrt(h2) * s2)
    # b in the weights is kept; only the factor b, T of the forms is 1 - g tau
    bf = Symbol("b_f", positive=True)
    opened = {bf: lost[b], T: lost[T]}
    doc.step("v'N zeta = -v'B zeta/g, without the difference (b = 1 - g tau_b, T = 1 - g tau_T).",
             exact((e * T * u - phi1 * bf * P).subs(opened).subs(all_given),
                   (-g * (e * u * tau_T - phi1 * load + omega * b * Q3 * (overload * h2 - phi1 * e))).subs(all_given),
                   "expand"), shown=Eq(Symbol("N_vz"), Nvz, evaluate=False))
    Nzz = (phi1**2 * load - overload * phi1 * omega * b * Q3 * (h2 + u) + overload * u**2 * tau_T) / (h2 * s2)
    doc.step("zeta'N zeta = (1 - zeta'B zeta)/g, likewise.",
             exact((h2 * s2 - T * overload * u**2 - phi1**2 * bf * P).subs(opened).subs(all_given),
                   (g * h2 * s2 * Nzz).subs(all_given), "cancel"), shown=Eq(Symbol("N_zz"), Nzz, evaluate=False))


@cache
def point():
    """tanh on sin, a = 4, alpha0 = 1/2, noise 1/10, g = 3."""
    import numpy as np

    h1 = batch.normal_mean(lambda z: 1 / np.cosh(z) ** 2)
    spread = batch.normal_mean(lambda z: (1 / np.cosh(z) ** 2 - h1) ** 2)
    at = SimpleNamespace(alpha0=0.5, target=np.sin, noise=0.1, offset=0.0, g=3.0, omega=16 * spread / 0.5)
    at.forms = batch.forms(batch.law(at.target, at.noise), at.g, at.omega, 1 / at.alpha0)
    return at


def _draw(rng, d):
    import numpy as np

    at, one = point(), batch.draw(rng, d, point())
    S = np.eye(d) + at.omega * batch.second_moment(one, one.y**2)
    B = np.linalg.inv(np.eye(d) + at.g * S)
    N = S @ B
    s, s3 = batch.weighted(one, one.y), batch.weighted(one, one.y**3)
    f = at.forms

    def cube(y):
        return y**3

    def same(y):
        return y

    return {"b": (np.trace(B) / d, f.b), "T": (one.theta @ B @ one.theta, f.T),
            "st": (s @ B @ one.theta, f.e(same) * f.T), "ss": (s @ B @ s, f.B(same, same)),
            "s3": (s @ B @ s3, f.B(same, cube)), "N": (s3 @ N @ s, f.N(cube, same)),
            "Nt": (s @ N @ one.theta, f.N_target(same)), "trN": (np.trace(N) / d, f.tau_b)}


@cache
def instances():
    return Instances(_draw, seed=1, d=200, repeats=48)


def _random(doc):
    where = " (tanh on sin, a = 4, alpha0 = 1/2, noise 1/10, g = 3)"
    names = (("b", "trace", Symbol("tr(B)/d"), b), ("T", "theta", Symbol("theta'B theta"), T),
             ("st", "s and theta", Symbol("s'B theta"), Symbol("e_y") * T),
             ("ss", "s and s", Symbol("s'B s"), Symbol("B_yy")),
             ("s3", "s and the mean of y^3 x", Symbol("s'B s_3"), Symbol("B_y3")),
             ("N", "and of N", Symbol("s_3'N s"), Symbol("N_3y")),
             ("Nt", "N with theta", Symbol("s'N theta"), Symbol("N_yt")),
             ("trN", "the trace of N", Symbol("tr(N)/d"), Symbol("tau_b")))
    for name, what, lhs, rhs in names:
        doc.step(f"Sampled batches: {what}{where if name == 'b' else ''}.",
                 sampled(lhs, rhs, instances, name))


if __name__ == "__main__":
    sys.exit(main(derivation))
