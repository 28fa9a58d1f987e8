"""Thirteen equations become two nonlinear ones and two linear pairs."""

import sys
from functools import cache
from types import SimpleNamespace

from sympy import Integer, Matrix, Symbol, solve, sqrt, symbols

from asympkit.equations.system import System
from asympkit.gauss import E
from asympkit.nodes import Average, Named, unname
from asympkit.spectra import MPResolvent, mean
from asympkit.theories import spiked_equations

from ..checks import exact, greater, numerical, simulated
from ..command import main
from ..document import Derivation
from .functions import chosen, on_sphere

s = spiked_equations.symbols()
t, g = symbols("t g", positive=True)
K = s.kappa


@cache
def system():
    """The equations in the package's order, with the structure that its analysis finds."""
    F, unknowns = spiked_equations.free_energy(), spiked_equations.unknowns()
    return System(unknowns, [F.diff(u) for u in unknowns], spiked_equations.observables())


def block(*unknowns):
    """The block of the system that is solved for these unknowns."""
    return next(b for b in system().blocks if set(unknowns) <= set(b.unknowns))


@cache
def law():
    """The Marchenko-Pastur law of the theory."""
    return spiked_equations.pieces().law


def derivation():
    """The reduction of the saddle-point equations for the square loss."""
    doc = Derivation(
        "From thirteen equations to two", "arXiv 2402.04980, Result 3.3 and its numerical solution",
        "Isotropic bulk: D follows a Marchenko-Pastur law, the companions F and H have conditional means c and D. "
        "The block structure is the one found by the structure analysis of the package, not assumed.")
    _spectral_means(doc)
    _closed_pair(doc)
    _linear_overlaps(doc)
    _linear_norms(doc)
    _random_features(doc)
    _whole(doc)
    return doc


def _root(e):
    """The polynomial in the resolvent value e of (1, t) whose root it is."""
    return s.beta * s.c * t * e**2 + (t + s.c - s.beta * s.c) * e - 1


def _spectral_means(doc):
    ranges = {t: (0.2, 2), s.c: (0.5, 2), s.beta: (0.3, 0.8)}
    wide = ranges | {s.beta: (1.3, 2.5)}
    G = MPResolvent(1, t, s.c, s.beta)
    stieltjes = mean(1 / (s.D + t), law())
    doc.step("The Stieltjes transform solves a quadratic equation: integral over the density, width below dimension.",
             numerical(_root(stieltjes), 0, ranges))
    doc.step("Above it the density has an atom at 0; the same equation holds.",
             numerical(_root(stieltjes), 0, wide))
    doc.step("The package's resolvent is the positive root.", numerical(G, stieltjes, wide))
    doc.step("Eigenvalues of a sampled bulk (rows on the sphere, p = 1.5 d, c = 1.3, t = 0.4).",
             simulated(Symbol("mean_resolvent"), G, _sampled_resolvent, tolerance=0.5, sizes=(50, 200), repeats=3))
    polynomial = _root(g)
    slope = -polynomial.diff(t) / polynomial.diff(g)
    e, f = 1 + s.beta * s.c * g, 1 + s.beta * s.c * t * g**2
    on_root = solve(polynomial, s.beta)[0]
    doc.step("Its derivative in t, from the quadratic equation, is a product of positive factors (e = 1 + beta c g, "
             "f = 1 + beta c t g^2).",
             exact((slope + g**2 * e / f).subs(s.beta, on_root), 0, "cancel"))
    doc.step("The package differentiates its resolvent so.",
             exact(G.diff(t).subs(G, g), -(g**2) * e / f, "cancel"))
    closed = {(1, 1): s.c * g / e, (0, 2): g**2 * e / f, (1, 2): s.c * g**2 / (e * f),
              (2, 2): s.c * g / e * (s.c * g / e + s.beta * s.c * t * g**2) / f}
    for (j, k), right in closed.items():
        integrand = s.D**j / (s.D + t) ** k
        doc.step(f"Closed mean of D^{j}/(D + t)^{k} ...".replace("D^0", "1"),
                 exact(unname(mean(integrand, law()).doit()).subs(G, g), right, "cancel"))
        doc.step("... and the integral over the density.",
                 numerical(right.subs(g, G), mean(integrand, law()), ranges))
    doc.step("Companions: the overlap of a mode with v has mean square c whatever D, zero modes included.",
             exact(mean(s.F / (s.D + t), law()), s.c * G, ("close", "open", "expand")))
    doc.step("A sampled bulk agrees.",
             simulated(Symbol("mean_F"), s.c * G, lambda rng, d: _sampled_companions(rng, d)[0],
                       tolerance=2.5, sizes=(50, 200), repeats=6))
    doc.step("The overlap with zeta has mean square D, so its mean is that of D itself.",
             exact(mean(s.H / (s.D + t), law()), 1 - t * G, ("close", "open", "resolvent")))
    doc.step("A sampled bulk agrees.",
             simulated(Symbol("mean_H"), 1 - t * G, lambda rng, d: _sampled_companions(rng, d)[1],
                       tolerance=2.5, sizes=(50, 200), repeats=6))


_P, _C, _T = 1.5, 1.3, 0.4


@cache
def _limit():
    half = _T + _C - _P * _C
    return 2 / (half + (half**2 + 4 * _P * _C * _T) ** 0.5)


def _modes(rng, d):
    import numpy as np

    bulk = on_sphere(rng, round(_P * d), d) * _C**0.5
    frame = np.linalg.qr(rng.standard_normal((d, 2)))[0] * d**0.5
    v, zeta = frame.T
    projected = bulk - np.outer(bulk @ v, v) / d
    D, U = np.linalg.eigh(projected @ projected.T)
    return D, (U.T @ (bulk @ v)) ** 2, (U.T @ (bulk @ zeta)) ** 2


def _sampled_resolvent(rng, d):
    D, _, _ = _modes(rng, d)
    return (1 / (D + _T)).mean(), _limit()


def _sampled_companions(rng, d):
    D, F, H = _modes(rng, d)
    return ((F / (D + _T)).mean(), _C * _limit()), ((H / (D + _T)).mean(), 1 - _T * _limit())


def _closed_pair(doc):
    k = spiked_equations.pieces()
    u = spiked_equations.moments()
    pair = dict((x, e) for x, e, _ in block(s.V1).equations) | dict(block(s.V1).assignments)
    by = ("open", "expand")
    doc.step("Structure analysis: V1, V2 and their conjugates form one block, in which no other unknown occurs; "
             "its data side.",
             exact(pair[s.Vhat1], s.alpha / s.beta * E(u.mu1**2 / (1 + k.V), K), by))
    doc.step("Data side of the second.",
             exact(pair[s.Vhat2], s.alpha / s.beta * E(u.mu2sq / (1 + k.V), K), by))
    doc.step("The numerators add up: (lam + Vhat2) V2 + Vhat1 V1 = 1.",
             exact((s.lam + s.Vhat2) * pair[s.V2] + s.Vhat1 * pair[s.V1], 1, ("open", "expand", "join")))
    V1, V2 = pair[s.V1].doit(), pair[s.V2].doit()
    doc.step("The closed spectral means give the other: V1 (1 + beta c Vhat1 V2) = c V2, without a square root.",
             exact(V1 * (1 + s.beta * s.c * s.Vhat1 * V2), s.c * V2, ("open", "cancel")))
    at = {s.c: (0.5, 1.5), s.beta: (0.5, 2), s.lam: (0.01, 1), s.alpha: (0.5, 3), s.r: (0.5, 2),
          s.V1: (0.1, 2), s.V2: (0.1, 2)}
    image = _image(V1), _image(V2)
    factor = Symbol("factor", positive=True)
    doc.step("The map V -> Vhat -> V increases in each argument (student sin, random points): V1 in V1, ...",
             greater(image[0].subs(s.V1, factor * s.V1), image[0], at | {factor: (1.1, 3)}))
    doc.step("... V2 in V1.",
             greater(image[1].subs(s.V1, factor * s.V1), image[1], at | {factor: (1.1, 3)}))
    scaled = {s.V1: factor * s.V1, s.V2: factor * s.V2}
    for i in (0, 1):
        doc.step(f"The map is scalable, so its fixed point is unique and iteration finds it: component {i + 1}.",
                 greater(factor * image[i], image[i].subs(scaled, simultaneous=True), at | {factor: (1.1, 3)}))


def _image(closed):
    """A component of the map V -> Vhat -> V for the student sin."""
    V = spiked_equations.pieces().V
    u = spiked_equations.moments()
    rate = s.alpha / s.beta
    hats = {s.Vhat1: rate * E(u.mu1**2 / (1 + V), K), s.Vhat2: rate * E(u.mu2sq / (1 + V), K)}
    hats = {x: _with_sin(e) for x, e in hats.items()}
    return unname(closed).subs(hats)


def _with_sin(expr):
    """The student and target sin, their conditional moments closed."""
    from sympy import sin

    def closed(e):
        if isinstance(e, Average) and not any(isinstance(a, Average) for a in e.integrand.atoms(Average)):
            return e.doit()
        return e.func(*[closed(a) for a in e.args]) if e.args else e

    return closed(unname(chosen(expr, sin(s.z), sin(s.z))))


@cache
def _overlaps():
    """Averages of the linear pair of theta and m, under short names."""
    u, V = spiked_equations.moments(), spiked_equations.pieces().V
    return SimpleNamespace(
        M00=Named("M00", E(u.mu0**2 / (1 + V), K)), M01=Named("M01", E(K * u.mu0 * u.mu1 / (1 + V), K)),
        M11=Named("M11", E(K**2 * u.mu1**2 / (1 + V), K)), b0=Named("b0", E(u.mu0 * u.h / (1 + V), K)),
        b1=Named("b1", E(K * u.mu1 * u.h / (1 + V), K)), gain=s.alpha * s.c * s.V2)


def _linear_overlaps(doc):
    o, u, V = _overlaps(), spiked_equations.moments(), spiked_equations.pieces().V
    pair = block(s.theta, s.m)
    eqs = dict((x, e) for x, e, _ in pair.equations) | dict(pair.assignments)
    doc.step("psi is explicit: psi = psihat V1, since H averages to D.",
             exact(eqs_of(s.psi)[s.psi], s.psihat * eqs_of(s.V1)[s.V1], ("close", "expand")))
    doc.step("theta = c V2 thetahat, since F averages to c.",
             exact(eqs[s.theta], s.thetahat * s.c * eqs_of(s.V2)[s.V2], ("close", "expand")))
    doc.step("The block of theta and m is linear: its second equation, split, ...",
             exact(eqs[s.m], o.M00 * s.m + o.M01 * s.theta - o.b0, ("open_C", "split_kappa", "open", "expand")))
    doc.step("... and the conjugate.",
             exact(eqs[s.thetahat], s.alpha * (o.b1 - o.M01 * s.m - o.M11 * s.theta),
                   ("open_C", "split_kappa", "open", "expand")))
    found = solve([o.gain * (o.b1 - o.M01 * s.m - o.M11 * s.theta) - s.theta,
                   o.M00 * s.m + o.M01 * s.theta - o.b0], [s.theta, s.m], dict=True)[0]
    gap = o.M11 - o.M01**2 / o.M00
    theta = o.gain * (o.b1 - o.M01 * o.b0 / o.M00) / (1 + o.gain * gap)
    doc.step("Solved: theta.", exact(found[s.theta], theta, "cancel"))
    doc.step("Solved: m.", exact(found[s.m], (o.b0 - o.M01 * theta) / o.M00, "cancel"))
    one, two = symbols("one two", real=True)

    def row(x):
        return (u.mu0.expr.xreplace({K: x}), x * u.mu1.expr.xreplace({K: x}), 1 + V.expr.xreplace({K: x}))

    (a1, b1, w1), (a2, b2, w2) = row(one), row(two)
    double = E(E((a1 * b2 - a2 * b1) ** 2 / (w1 * w2), two), one) / 2
    doc.step("The denominator is at least 1: M00 M11 - M01^2 is half a mean square over two copies "
             "(Lagrange's form of Cauchy-Schwarz), and M00 > 0.",
             exact(o.M00 * o.M11 - o.M01**2, double, ("open", "split", "expand")))


def eqs_of(unknown):
    """The equations of the block of an unknown, solved for its members."""
    found = block(unknown)
    return dict((x, e) for x, e, _ in found.equations) | dict(found.assignments)


def _linear_norms(doc):
    p, u, k = law(), spiked_equations.moments(), spiked_equations.pieces()
    eqs = eqs_of(s.q1)
    rate = s.alpha / s.beta
    squares, qs, hats = (u.mu1**2, u.mu2sq), (s.q1, s.q2), (s.qhat1, s.qhat2)
    G = Matrix(2, 2, lambda i, j: Named(f"G{i + 1}{j + 1}", rate * E(squares[i] * squares[j] / (1 + k.V) ** 2, K)))
    R0 = Named("R0", k.R.expr.subs({s.q1: 0, s.q2: 0}))
    start = Matrix([Named(f"start{i + 1}", rate * E(squares[i] * R0 / (1 + k.V) ** 2, K)) for i in (0, 1)])
    L = Matrix(2, 2, lambda i, j: Named(f"L{i + 1}{j + 1}", mean(s.D ** (2 - i - j) / k.S**2, p)))
    for i in (0, 1):
        doc.step(f"The conjugate qhat{i + 1} is affine in q1, q2.",
                 exact(eqs[hats[i]], start[i] + (G * Matrix(qs))[i], ("open", "expand", "join")))
    drive = Matrix([s.psihat**2 * L[i, 0] + s.c * s.thetahat**2 * L[i, 1] for i in (0, 1)]) / s.beta
    for i in (0, 1):
        doc.step(f"q{i + 1} is affine in the conjugates, with F and H at their means c and D.",
                 exact(eqs[qs[i]], (L * Matrix(hats) + drive)[i], ("open", "close", "open", "expand")))
    identity = Matrix([[1, 0], [0, 1]])
    solution = Matrix([symbols("q1"), symbols("q2")])
    solution = (identity - L * G).adjugate() / (identity - L * G).det() * (L * start + drive)
    for i in (0, 1):
        image = (L * (start + G * solution) + drive)[i]
        doc.step(f"(I - L G) q = L start + drive solves both: component {i + 1}.",
                 exact(image, solution[i], "cancel"))
    doc.step("G loses against Vhat: the first row ...",
             exact(rate * E(u.mu1**2 / (1 + k.V), K) - (G * Matrix([s.V1, s.V2]))[0],
                   rate * E(u.mu1**2 / (1 + k.V) ** 2, K), ("open", "expand", "join")))
    doc.step("... and the second; both gaps are positive.",
             exact(rate * E(u.mu2sq / (1 + k.V), K) - (G * Matrix([s.V1, s.V2]))[1],
                   rate * E(u.mu2sq / (1 + k.V) ** 2, K), ("open", "expand", "join")))
    for i, weight in enumerate((s.D, Integer(1))):
        doc.step(f"L Vhat falls short of V by lam times a positive mean (row {i + 1}). So L G V < V at the solution: "
                 "the spectral radius of the non-negative matrix L G is below 1 and det(I - L G) > 0."
                 if i else "L Vhat falls short of V by lam times a positive mean (row 1).",
                 exact(mean(weight / k.S, p) - (L * Matrix([s.Vhat1, s.Vhat2]))[i],
                       s.lam * mean(weight / k.S**2, p), ("open", "expand", "join")))


def _random_features(doc):
    """No spike: the conditional moments are constants."""
    u = spiked_equations.moments()
    plain = {s.r: 0, s.c: 1}
    for name in ("mu0", "mu1", "mu2sq"):
        value = unname(getattr(u, name)).subs(plain)
        doc.step(f"Without a spike {name} does not depend on the projection.", exact(value.diff(K), 0))
    mu1, mu2, V1, V2, k = symbols("mu1 mu2 V1 V2 k", positive=True)
    h = Symbol("h", real=True)
    doc.step("With a spike direction unrelated to the target (gamma = 0) the drive of theta is the mean of kappa: "
             "theta = 0.",
             exact(E(K * mu1 * h / (1 + mu1**2 * V1 + mu2**2 * V2), K), 0, "close"))
    stiffness = s.lam + k * (mu2**2 + mu1**2 * s.D)
    spread = mean((mu2**2 + mu1**2 * s.D) / stiffness, law())
    rate = s.alpha / s.beta
    remaining = mean(1 / stiffness, law())
    doc.step("One scalar k = (alpha/beta)/(1 + V) is left, with Vhat1 = k mu1^2, Vhat2 = k mu2^2. Since k V is "
             "1 - lam <1/S>, its equation k (1 + V) = alpha/beta is k + 1 - lam <1/S> = alpha/beta: that of ridge "
             "regression on samples of covariance mu2^2 + mu1^2 D.",
             exact(k * (1 + spread) - rate, k + 1 - s.lam * remaining - rate, ("expand", "join")))


def _whole(doc):
    """Solve the reduced system numerically and compare with ridge regression on sampled features."""
    doc.step("Ridge regression on sampled features has the test error of the reduced system "
             "(sin on sin, r = 1, gamma = 0.8, c = 1, alpha = 2, beta = 1, lam = 0.05, noise 0.1).",
             simulated(Symbol("test_error"), spiked_equations.observables()["test_error"], _ridge,
                       tolerance=1.0, sizes=(100, 300), repeats=6))


_POINT = {"r": 1.0, "gamma": 0.8, "c": 1.0, "alpha": 2.0, "beta": 1.0, "lam": 0.05, "noise_variance": 0.1}


@cache
def _predicted_error():
    """The test error of the reduced system at the point of the experiment, by plain iteration."""
    from sympy import Rational, lambdify, nsimplify

    del Rational, lambdify, nsimplify
    raise NotImplementedError


def _ridge(rng, d):
    raise NotImplementedError


if __name__ == "__main__":
    sys.exit(main(derivation))
