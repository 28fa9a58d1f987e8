"""The law of the rows after the step, given the first batch."""

import sys
from functools import cache

from sympy import Eq, Symbol, sqrt, symbols

from asympkit.gauss import E
from asympkit.nodes import Applied

from ..checks import exact
from ..command import main
from ..document import Derivation
from ..one_step.functions import on_sphere
from ..sampled import Instances, sampled
from . import batch
from .networks import point as network
from .notation import alpha0, d, label, n0, omega, step, student, tau, w, z

t = Symbol("t", real=True)
ell, sigma2, ybar = symbols("ell sigma2 ybar", real=True)
hcheck, h2 = symbols("hcheck h2", positive=True)


def derivation():
    """Mean, covariance and trace of the rows of the bulk."""
    doc = Derivation(
        "The rows of the real network", "beyond arXiv 2402.04980: covariance of a row given the first batch",
        "A row w on the unit sphere moves by (a/n0) times the sum over the batch of y student'(w.x) x, a = eta/beta, y "
        "the residual at the start. Fields w.x have variance 1 and correlations t = x.x'/d between samples. student' = "
        "h1 + sigma2 z + f. Given the batch, rows are independent of each other.")
    _slope(doc)
    _covariance(doc)
    _pairs(doc)
    _trace(doc)
    _target(doc)
    _random(doc)
    return doc


def _f(u):
    """f at a field."""
    slope = student(z, 1)
    return student(u, 1) - E(slope, z) - E(z * slope, z) * u


def _slope(doc):
    doc.step("f has mean 0,", exact(E(_f(z), z), 0, ("split", "expand")))
    doc.step("and no linear part,", exact(E(z * _f(z), z), 0, ("split", "expand")))
    doc.step("and the variance of the slope is sigma2^2 + hcheck, hcheck = E f^2.",
             exact(E((student(z, 1) - E(student(z, 1), z)) ** 2, z), E(_f(z) ** 2, z) + E(z * student(z, 1), z) ** 2,
                   ("split", "expand")))
    doc.step("The common part h1 gives every row a h1 s, s the mean of y x: the spike. The linear part gives (a "
             "sigma2/n0) sum of y (w.x) x = ell A1 w, ell = a sigma2, A1 the mean of y x x': the row is K w + a h1 s "
             "+ D, K = 1 + ell A1, D from f.",
             exact(student(z, 1), E(student(z, 1), z) + E(z * student(z, 1), z) * z + _f(z), "expand"),
             shown=r"w_1 = K w + a h_1 s + D,\quad K = 1 + \ell A_1")


def _pair(small):
    """E f f' of two fields of correlation ``small``."""
    return E(_f(z) * E(_f(small * z + sqrt(1 - small**2) * w), w), z)


def _covariance(doc):
    doc.step("D is not correlated with K w: E[(w.x') f(w.x)] for any sample x' is 0, as f has no linear part.",
             exact(E(E((t * z + sqrt(1 - t**2) * w) * _f(z), w), z), 0, ("split", "expand")))
    doc.step("Different samples, t small: at t = 0 nothing ...", exact(_pair(t).subs(t, 0), 0, ("split", "expand")))
    doc.step("... and nothing to first order: what is left is t^2 = O(1/d).",
             exact(_pair(t).diff(t).subs(t, 0), 0, ("split", "stein", "split", "expand")))
    doc.step("The same sample: y^2 hcheck x x'. Times d, the covariance of D is omega A2, omega = a^2 hcheck/alpha0, "
             "A2 the mean of y^2 x x'.",
             exact((d * (step / n0) ** 2 * n0 * hcheck).subs(n0, alpha0 * d), step**2 * hcheck / alpha0, "cancel"),
             shown=Eq(Symbol("S"), Symbol("K") ** 2 + omega * Symbol("A2"), evaluate=False))
    doc.step("An odd student has sigma2 = E[He_2 student] = 0 and K = 1: S = 1 + omega A.",
             exact(E(z * student(z, 1), z), E((z**2 - 1) * student(z), z), ("stein", "expand")),
             shown=Eq(Symbol("S"), 1 + omega * Symbol("A"), evaluate=False))


def _pairs(doc):
    third = E((z**2 - 1) * _f(z), z)
    doc.step("The terms t^2 of different samples: half the square of s3, f's second Hermite coefficient,",
             exact(_pair(t).diff(t, 2).subs(t, 0), third**2, ("split", "stein", "split", "expand")))
    doc.step("which is the student's third.",
             exact(third, E((z**3 - 3 * z) * student(z), z), ("stein", "split", "expand")))
    s3 = Symbol("s3", real=True)
    doc.step("With Gaussian rows their mean, t^2 = 1/d for all pairs, would add a part along the spike, (a^2 s3^2/2) "
             "s s'.",
             exact((d * (step / n0) ** 2 * n0**2 * s3**2 / 2 / d), step**2 * s3**2 / 2, "cancel"),
             shown=r"S \ni \tfrac{a^2 s_3^2}{2}\, s s^\top")
    x1, x2, y1, y2 = symbols("x1 x2 y1 y2", real=True)
    sphere = (3 * (x1**2 * y1**2 + x2**2 * y2**2) + x1**2 * y2**2 + x2**2 * y1**2 + 4 * x1 * x2 * y1 * y2) / 8
    doc.step("On the sphere |w| is fixed: squares (w.x)^2, (w.x')^2 have the covariance 2 (t^2 - 1/d) |x|^2 "
             "|x'|^2/(d (d + 2)) and the mean of t^2 - 1/d over samples is 0 (here d = 2).",
             exact(sphere - (x1**2 + x2**2) * (y1**2 + y2**2) / 4,
                   2 * ((x1 * y1 + x2 * y2) ** 2 - (x1**2 + x2**2) * (y1**2 + y2**2) / 2) / 8, "expand"))


def _trace(doc):
    beta0 = 1 + ell * ybar
    k2 = ell**2 * h2 / alpha0
    doc.step("tr A1/d = E y = ybar; tr A1^2/d has n0^2 pairs of samples, (x.x')^2 = d, and n0 equal ones, d^2 (h2 = "
             "E[y^2]).",
             exact(((n0**2 * ybar**2 * d + n0 * h2 * d**2) / (n0**2 * d)).subs(n0, alpha0 * d), ybar**2 + h2 / alpha0,
                   "cancel"), shown=r"\tfrac1d\,\mathrm{tr} A_1^2 = \bar y^2 + h_2/\alpha_0")
    doc.step("So tr K^2/d ...", exact(1 + 2 * ell * ybar + ell**2 * (ybar**2 + h2 / alpha0), beta0**2 + k2, "expand"))
    c = beta0**2 + k2 + omega * h2
    doc.step("... and the trace of S, with hcheck1 = sigma2^2 + hcheck: c of Result 3.1.",
             exact(c.subs(omega, step**2 * hcheck / alpha0).subs(ell, step * sigma2),
                   (1 + step * ybar * sigma2) ** 2 + step**2 * h2 * (sigma2**2 + hcheck) / alpha0, "expand"),
             shown=Eq(Symbol("c"), (1 + ell * ybar) ** 2 + (ell**2 / alpha0 + omega) * h2, evaluate=False))
    direction = Symbol("m_yy", real=True)
    doc.step("Along the target's direction the weights y^2 are correlated with the input: theta'A2 theta = E[y^2 "
             "tau^2].",
             exact(E(label**2 * tau**2, tau), E(label**2, tau) + E(label**2 * (tau**2 - 1), tau), ("split", "expand")),
             shown=Eq(direction, E(label**2 * tau**2, tau), evaluate=False))


def _target(doc):
    target = Applied("target", t * z + sqrt(1 - t**2) * w)
    doc.step("A row's overlap t = O(1/sqrt(d)) with the target's direction: along the direction the gradient "
             "changes, to first order, by E[tau^2 y] E[student''], 0 for an odd student.",
             exact(E(tau * label * E(student(t * tau + sqrt(1 - t**2) * w, 1), w), tau).diff(t).subs(t, 0),
                   E(tau**2 * label, tau) * E(student(z, 2), z), ("split", "expand")))
    doc.step("Along the row it changes by s3 E[target']: a row norm that follows w.theta (real_network.row_norm).",
             exact(E(z * _f(z) * E(target, w), z).diff(t).subs(t, 0), E((z**2 - 1) * _f(z), z) * E(tau * label, tau),
                   ("split", "stein", "split", "expand")))


def _draw(rng, d, at):
    """Moments of the rows of one network, with the batch's own S as the limit; the trace with the formula."""
    import numpy as np

    one, W = batch.draw(rng, d, at), on_sphere(rng, 6 * d, d)
    bulk = W + at.a * ((at.slope(W @ one.x.T) - at.k.h1) * one.y) @ one.x / one.n0
    bulk -= bulk.mean(axis=0)
    ell, strength = at.a * at.k.sigma2, at.a**2 * at.k.square / at.alpha0
    K = np.eye(d) + ell * batch.second_moment(one, one.y)
    S = K @ K + strength * batch.second_moment(one, one.y**2)
    v = batch.weighted(one, one.y)
    v /= np.linalg.norm(v)
    nodes, weights = batch.rule()
    labels = at.target(nodes) - at.offset
    c = (1 + ell * (weights @ labels)) ** 2 + (ell**2 / at.alpha0 + strength) * (weights @ labels**2)

    def spread(u):
        return d * np.mean((bulk @ u) ** 2), u @ S @ u

    return {"c": ((bulk**2).sum(axis=1).mean(), c), "v": spread(v), "theta": spread(one.theta),
            "other": (d * np.mean((bulk @ v) * (bulk @ one.theta)), v @ S @ one.theta)}


@cache
def instances(kind):
    seed = {"odd": 15, "other": 16}[kind]
    return Instances(lambda rng, d: _draw(rng, d, network(kind)), seed=seed, d=150, repeats=20)


def _random(doc):
    names = (("c", "the trace", Symbol("tr(S)/d"), Symbol("c")),
             ("v", "the variance along the spike (limit: the batch's own S)", Symbol("Var_v"), Symbol("v'S v")),
             ("theta", "along the target's direction", Symbol("Var_theta"), Symbol("theta'S theta")),
             ("other", "the covariance of the two", Symbol("Cov"), Symbol("v'S theta")))
    for kind, words in (("odd", "tanh on sin, a = 3, alpha0 = 1/2"),
                        ("other", "log(1 + exp(2 z + 1)) on sin, a = 1, alpha0 = 1")):
        for name, what, lhs, rhs in names:
            doc.step(f"Sampled networks, {words}: {what}.",
                     sampled(lhs, rhs, lambda k=kind: instances(k), name, drift=10 * (name == "v")))


if __name__ == "__main__":
    sys.exit(main(derivation))
