"""Thirteen equations become two nonlinear ones and two linear pairs."""

import math
import sys
from functools import cache
from types import SimpleNamespace

from sympy import Add, Function, Gt, Integer, Matrix, Mul, Pow, Subs, Symbol, lambdify, sin, solve, symbols

from asympkit.equations.system import System
from asympkit.gauss import E
from asympkit.nodes import Applied, Average, Named, unname
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


def eqs_of(unknown):
    """The equations of the block of an unknown, solved for its members."""
    found = next(b for b in system().blocks if unknown in b.unknowns)
    return {x: e for x, e, _ in found.equations} | dict(found.assignments)


@cache
def law():
    """The Marchenko-Pastur law of the theory."""
    return spiked_equations.pieces().law


def derivation():
    """The reduction of the saddle-point equations for the square loss."""
    doc = Derivation(
        "From thirteen equations to two", "arXiv 2402.04980, Result 3.3 and its numerical solution",
        "Isotropic bulk: D follows a Marchenko-Pastur law, the companions F and H have conditional means c "
        "and D. The block structure is the one found by the structure analysis of the package, not assumed.")
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
    doc.step("The Stieltjes transform solves a quadratic equation: integral over the density, width below "
             "dimension.",
             numerical(_root(stieltjes), 0, ranges))
    doc.step("Above it the density has an atom at 0; the same equation holds.",
             numerical(_root(stieltjes), 0, wide))
    doc.step("The package's resolvent is the positive root.", numerical(G, stieltjes, wide))
    doc.step("Eigenvalues of a sampled bulk (rows on the sphere, p = 1.5 d, c = 1.3, t = 0.4).",
             simulated(Symbol("mean_resolvent"), G, _sampled_resolvent,
                       tolerance=0.3, sizes=(40, 160), repeats=3))
    polynomial = _root(g)
    slope = -polynomial.diff(t) / polynomial.diff(g)
    e, f = 1 + s.beta * s.c * g, 1 + s.beta * s.c * t * g**2
    on_root = solve(polynomial, s.beta)[0]
    doc.step("Its derivative in t, from the quadratic equation, is a product of positive factors (e = 1 + "
             "beta c g, f = 1 + beta c t g^2).",
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
                 numerical(right.subs(g, G), mean(integrand, law()), wide if j else ranges))
    doc.step("Companions: the overlap of a mode with v has mean square c whatever D, zero modes included.",
             exact(mean(s.F / (s.D + t), law()), s.c * G, ("close", "open", "expand")))
    doc.step("A sampled bulk agrees.",
             simulated(Symbol("mean_F"), s.c * G, lambda rng, d: _sampled_companions(rng, d)[0],
                       tolerance=4.0, sizes=(40, 160), repeats=4))
    doc.step("The overlap with zeta has mean square D, so it averages as D itself.",
             exact(mean(s.H / (s.D + t), law()), mean(s.D / (s.D + t), law()), "close"))
    doc.step("That mean is 1 - t g, by the quadratic equation.",
             exact((closed[1, 1] - 1 + t * g).subs(s.beta, on_root), 0, "cancel"))
    doc.step("A sampled bulk agrees.",
             simulated(Symbol("mean_H"), 1 - t * G, lambda rng, d: _sampled_companions(rng, d)[1],
                       tolerance=0.6, sizes=(40, 160), repeats=4))


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
    pair = eqs_of(s.V1)
    by = ("open", "expand")
    doc.step("Structure analysis: V1, V2 and their conjugates form one block, in which no other unknown "
             "occurs; its data side.",
             exact(pair[s.Vhat1], s.alpha / s.beta * E(u.mu1**2 / (1 + k.V), K), by))
    doc.step("Data side of the second.",
             exact(pair[s.Vhat2], s.alpha / s.beta * E(u.mu2sq / (1 + k.V), K), by))
    doc.step("The numerators add up: (lam + Vhat2) V2 + Vhat1 V1 = 1.",
             exact((s.lam + s.Vhat2) * pair[s.V2] + s.Vhat1 * pair[s.V1], 1, ("open", "expand", "join")))
    V1, V2 = pair[s.V1].doit(), pair[s.V2].doit()
    doc.step("The closed spectral means give the other: V1 (1 + beta c Vhat1 V2) = c V2, without a square "
             "root.",
             exact(V1 * (1 + s.beta * s.c * s.Vhat1 * V2), s.c * V2, ("open", "cancel")))
    at = {s.c: (0.5, 1.5), s.beta: (0.5, 2), s.lam: (0.01, 1), s.alpha: (0.5, 3), s.r: (0.5, 2),
          s.V1: (0.1, 2), s.V2: (0.1, 2)}
    image = _image(V1), _image(V2)
    factor = Symbol("factor", positive=True)
    names = [Function("f1"), Function("f2")]
    pairs = ((s.V1, "V1"), (s.V2, "V2"))
    for i in (0, 1):
        for V, name in pairs:
            grown = names[i](*[factor * x if x == V else x for x, _ in pairs])
            doc.step(f"The map V -> Vhat -> V is f = (f1, f2); f{i + 1} increases in {name} (student sin).",
                     greater(image[i].subs(V, factor * V), image[i], at | {factor: (1.1, 3)}),
                     Gt(grown, names[i](s.V1, s.V2), evaluate=False))
    scaled = {s.V1: factor * s.V1, s.V2: factor * s.V2}
    for i in (0, 1):
        doc.step("The map is scalable, so its fixed point is unique and iteration finds it: component "
                 f"{i + 1}.",
                 greater(factor * image[i], image[i].subs(scaled, simultaneous=True),
                         at | {factor: (1.1, 3)}),
                 Gt(factor * names[i](s.V1, s.V2), names[i](factor * s.V1, factor * s.V2), evaluate=False))


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
    return unname(chosen(expr, sin(s.z), sin(s.z))).doit()


@cache
def _overlaps():
    """Averages of the linear pair of theta and m, under short names."""
    u, V = spiked_equations.moments(), spiked_equations.pieces().V
    return SimpleNamespace(
        M00=Named("M00", E(u.mu0**2 / (1 + V), K)), M01=Named("M01", E(K * u.mu0 * u.mu1 / (1 + V), K)),
        M11=Named("M11", E(K**2 * u.mu1**2 / (1 + V), K)), b0=Named("b0", E(u.mu0 * u.h / (1 + V), K)),
        b1=Named("b1", E(K * u.mu1 * u.h / (1 + V), K)), gain=s.alpha * s.c * s.V2)


def _linear_overlaps(doc):
    o, eqs = _overlaps(), eqs_of(s.theta)
    doc.step("psi is explicit: psi = psihat V1, since H averages to D.",
             exact(eqs_of(s.psi)[s.psi], s.psihat * eqs_of(s.V1)[s.V1], ("close", "expand")))
    doc.step("theta = c V2 thetahat, since F averages to c.",
             exact(eqs[s.theta], s.thetahat * s.c * eqs_of(s.V2)[s.V2], ("close", "expand")))
    doc.step("The block of theta and m is linear: its second equation, split, ...",
             exact(eqs[s.m], o.M00 * s.m + o.M01 * s.theta - o.b0, ("open", "expand", "join")))
    doc.step("... and the conjugate.",
             exact(eqs[s.thetahat], s.alpha * (o.b1 - o.M01 * s.m - o.M11 * s.theta),
                   ("open", "expand", "join")))
    names = {n: Symbol(n) for n in ("M00", "M01", "M11", "b0", "b1", "gain")}
    n = SimpleNamespace(**names)
    found = solve([n.gain * (n.b1 - n.M01 * s.m - n.M11 * s.theta) - s.theta,
                   n.M00 * s.m + n.M01 * s.theta - n.b0], [s.theta, s.m], dict=True)[0]
    filled = {symbol: getattr(o, name) for name, symbol in names.items()}
    theta, m = overlap_solution()
    doc.step("Solved: theta.", exact(found[s.theta].xreplace(filled), theta, "cancel"))
    doc.step("Solved: m.", exact(found[s.m].xreplace(filled), m, "cancel"))
    a1, b1, w1, a2, b2, w2 = [Applied(f, x) for x in symbols("one two", real=True) for f in ("a", "b", "w")]
    one, two = symbols("one two", real=True)
    double = E(E((a1 * b2 - a2 * b1) ** 2 * w1 * w2, two), one) / 2
    doc.step("The denominator is at least 1. For any functions a, b and weight w the determinant of second "
             "moments is half a mean square over two copies (Lagrange's form of Cauchy-Schwarz); here a = "
             "mu0, b = kappa mu1, w = 1/(1 + V).",
             exact(E(a1**2 * w1, one) * E(b1**2 * w1, one) - E(a1 * b1 * w1, one) ** 2, double,
                   ("split", "expand")))


def overlap_solution():
    """theta and m of the linear pair, in the averages of it."""
    o = _overlaps()
    gap = o.M11 - o.M01**2 / o.M00
    theta = o.gain * (o.b1 - o.M01 * o.b0 / o.M00) / (1 + o.gain * gap)
    return theta, (o.b0 - o.M01 * theta) / o.M00


@cache
def _norms():
    """Matrices of the linear pair of q1 and q2 under short names: G, L, start and drive."""
    u, k = spiked_equations.moments(), spiked_equations.pieces()
    rate, squares = s.alpha / s.beta, (u.mu1**2, u.mu2sq)
    G = Matrix(2, 2, lambda i, j: Named(f"G{i + 1}{j + 1}",
                                        rate * E(squares[i] * squares[j] / (1 + k.V) ** 2, K)))
    R0 = Named("R0", k.R.expr.subs({s.q1: 0, s.q2: 0}))
    start = Matrix([Named(f"start{i + 1}", rate * E(squares[i] * R0 / (1 + k.V) ** 2, K)) for i in (0, 1)])
    L = Matrix(2, 2, lambda i, j: Named(f"L{i + 1}{j + 1}", mean(s.D ** (2 - i - j) / k.S**2, law())))
    drive = Matrix([s.psihat**2 * L[i, 0] + s.c * s.thetahat**2 * L[i, 1] for i in (0, 1)]) / s.beta
    return SimpleNamespace(G=G, L=L, start=start, drive=drive)


def norm_solution():
    """q1 and q2 of the linear pair by Cramer's rule."""
    n = _norms()
    (a, b), (c, d) = (Matrix([[1, 0], [0, 1]]) - n.L * n.G).tolist()
    x, y = n.L * n.start + n.drive
    det = a * d - b * c
    return (d * x - b * y) / det, (a * y - c * x) / det


def _linear_norms(doc):
    p, u, k = law(), spiked_equations.moments(), spiked_equations.pieces()
    eqs = eqs_of(s.q1)
    rate = s.alpha / s.beta
    qs, hats = (s.q1, s.q2), (s.qhat1, s.qhat2)
    n = _norms()
    G, L = n.G, n.L
    for i in (0, 1):
        doc.step(f"The conjugate qhat{i + 1} is affine in q1, q2.",
                 exact(eqs[hats[i]], n.start[i] + (G * Matrix(qs))[i], ("open", "expand", "join")))
    for i in (0, 1):
        doc.step(f"q{i + 1} is affine in the conjugates, with F and H at their means c and D.",
                 exact(eqs[qs[i]], (L * Matrix(hats) + n.drive)[i], ("open", "close", "open", "cancel")))
    solution = Matrix(norm_solution())
    for i in (0, 1):
        image = (L * (n.start + G * solution) + n.drive)[i]
        doc.step("(I - L G) q = L start + drive, solved by Cramer's rule, satisfies both: component "
                 f"{i + 1}.",
                 exact(image, solution[i], "cancel"))
    doc.step("G loses against Vhat: the first row ...",
             exact(rate * E(u.mu1**2 / (1 + k.V), K) - (G * Matrix([s.V1, s.V2]))[0],
                   rate * E(u.mu1**2 / (1 + k.V) ** 2, K), ("open", "expand", "join")))
    doc.step("... and the second; both gaps are positive.",
             exact(rate * E(u.mu2sq / (1 + k.V), K) - (G * Matrix([s.V1, s.V2]))[1],
                   rate * E(u.mu2sq / (1 + k.V) ** 2, K), ("open", "expand", "join")))
    for i, weight in enumerate((s.D, Integer(1))):
        doc.step(f"L Vhat falls short of V by lam times a positive mean (row {i + 1}). So L G V < V at the "
                 "solution: the spectral radius of the non-negative matrix L G is below 1 and det(I - L G) "
                 "> 0."
                 if i else "L Vhat falls short of V by lam times a positive mean (row 1).",
                 exact(mean(weight / k.S, p) - (L * Matrix([s.Vhat1, s.Vhat2]))[i],
                       s.lam * mean(weight / k.S**2, p), ("open", "expand", "join")))


def _random_features(doc):
    """No spike: the conditional moments are constants."""
    u = spiked_equations.moments()
    plain = {s.r: 0, s.c: 1}
    student = Applied("student", s.z)
    h0, h1 = E(student, s.z), E(s.z * student, s.z)
    for name, constant in (("mu0", h0), ("mu1", h1), ("mu2sq", E(student**2, s.z) - h0**2 - h1**2)):
        doc.step(f"Without a spike {name} is a constant.",
                 exact(Subs(unname(getattr(u, name)), tuple(plain), tuple(plain.values())), constant,
                       ("close", "split", "expand")))
    mu1, mu2, V1, V2, k = symbols("mu1 mu2 V1 V2 k", positive=True)
    h = Symbol("h", real=True)
    doc.step("With a spike direction unrelated to the target (gamma = 0) the drive of theta is the mean of "
             "kappa: theta = 0.",
             exact(E(K * mu1 * h / (1 + mu1**2 * V1 + mu2**2 * V2), K), 0, "close"))
    stiffness = s.lam + k * (mu2**2 + mu1**2 * s.D)
    spread = mean((mu2**2 + mu1**2 * s.D) / stiffness, law())
    rate = s.alpha / s.beta
    remaining = mean(1 / stiffness, law())
    doc.step("One scalar k = (alpha/beta)/(1 + V) is left, with Vhat1 = k mu1^2, Vhat2 = k mu2^2. Since k "
             "V is 1 - lam <1/S>, its equation k (1 + V) = alpha/beta is k + 1 - lam <1/S> = alpha/beta: "
             "that of ridge regression on samples of covariance mu2^2 + mu1^2 D.",
             exact(k * (1 + spread) - rate, k + 1 - s.lam * remaining - rate, ("expand", "join")))


def _whole(doc):
    """Solve the reduced system numerically and compare with ridge regression on sampled features."""
    doc.step("Ridge regression on sampled features has the test error of the reduced system (sin on sin, r "
             "= 1, gamma = 0.8, c = 1, alpha = 2, beta = 1, lam = 0.05, noise 0.1).",
             simulated(Symbol("test_error"), spiked_equations.observables()["test_error"], _ridge,
                       tolerance=0.3, sizes=(60, 200), repeats=3))


#: where the whole theory is compared with an experiment
POINT = {s.r: 1.0, s.gamma: 0.8, s.rho: 0.6, s.c: 1.0, s.alpha: 2.0, s.beta: 1.0, s.lam: 0.05,
         s.noise_variance: 0.1}


@cache
def solution():
    """All thirteen unknowns at ``POINT``, sin on sin, by iteration of the pair and two linear solves.

    Returns
    -------
    point : dict of Symbol to float
    values : Floats
        Evaluates expressions of the theory there.
    """
    values, u = Floats(), spiked_equations.moments()
    for name in ("mu0", "mu1", "mu2sq", "h", "hz", "hzz"):
        values.tabulate(getattr(u, name))
    point = dict(POINT) | {s.V1: POINT[s.c] / POINT[s.lam], s.V2: 1 / POINT[s.lam]}
    pair = eqs_of(s.V1)
    for _ in range(2000):
        point |= {x: values.value(pair[x], point) for x in (s.Vhat1, s.Vhat2)}
        new = {x: values.value(pair[x].doit(), point) for x in (s.V1, s.V2)}
        moved = max(abs(new[x] - point[x]) for x in new)
        point |= new
        if moved < 1e-13:
            break
    theta, m = overlap_solution()
    point |= {s.theta: values.value(theta, point), s.m: values.value(m, point)}
    hats = eqs_of(s.theta) | eqs_of(s.psihat)
    point |= {x: values.value(hats[x], point) for x in (s.thetahat, s.psihat)}
    point[s.psi] = values.value(eqs_of(s.psi)[s.psi].doit(), point)
    point |= {x: values.value(e.doit(), point) for x, e in zip((s.q1, s.q2), norm_solution())}
    for x in (s.qhat1, s.qhat2):
        point[x] = values.value(eqs_of(s.q1)[x], point)
    return point, values


@cache
def predicted_error():
    """The test error there."""
    point, values = solution()
    return values.value(spiked_equations.observables()["test_error"], point)


class Floats:
    """Values in float64: averages over kappa on a grid, conditional moments of sin from their closed form."""

    def __init__(self):
        import numpy as np

        self.nodes = np.linspace(-9.5, 9.5, 191)
        self.weights = np.exp(-self.nodes**2 / 2) / np.sqrt(2 * np.pi) * (self.nodes[1] - self.nodes[0])
        self.tables = {}

    def tabulate(self, named):
        closed = _with_sin(named).subs(POINT)
        self.tables[named.label] = lambdify(K, closed, "numpy")(self.nodes)

    def value(self, expr, point):
        if expr in point:
            return point[expr]
        if isinstance(expr, Named):
            found = self.tables.get(expr.label)
            return self.value(expr.expr, point) if found is None else found
        if isinstance(expr, Average):
            return self.weights @ self.value(expr.integrand, point | {expr.bound_symbols[0]: self.nodes})
        if expr.is_Number:
            return float(expr)
        args = [self.value(a, point) for a in expr.args]
        if isinstance(expr, Add):
            return sum(args)
        if isinstance(expr, Mul):
            return math.prod(args)
        if isinstance(expr, Pow):
            return args[0] ** args[1]
        if isinstance(expr, MPResolvent):
            a, b, c, beta = args
            middle = b + a * c - beta * a * c
            return 2 / (middle + (middle**2 + 4 * beta * a * c * b) ** 0.5)
        raise TypeError(f"{expr}: no value")


def _ridge(rng, d):
    """Test error of ridge regression, a mean over some samples of features and data, and its limit."""
    return sum(_ridge_once(rng, d) for _ in range(6)) / 6, predicted_error()


def _ridge_once(rng, d):
    import numpy as np

    frame = np.linalg.qr(rng.standard_normal((d, 2)))[0] * d**0.5
    weights = on_sphere(rng, d, d) + POINT[s.r] / d**0.5 * frame[:, 0]
    direction = frame @ [POINT[s.gamma], POINT[s.rho]]
    x = rng.standard_normal((2 * d + 2000, d))
    y = np.sin(x @ direction / d**0.5) + POINT[s.noise_variance] ** 0.5 * rng.standard_normal(len(x))
    features = np.sin(x @ weights.T) / d**0.5
    seen, unseen = slice(0, 2 * d), slice(2 * d, None)
    matrix = features[seen].T @ features[seen] + POINT[s.lam] * np.eye(d)
    readout = np.linalg.solve(matrix, features[seen].T @ y[seen])
    return np.mean((y[unseen] - features[unseen] @ readout) ** 2)


if __name__ == "__main__":
    sys.exit(main(derivation))
