"""Certificates of logistic regression: inner averages and their bounds, paths of contours, penalty chains."""

import mpmath
import numpy as np
import pytest
import sympy as sp
from helpers.densities import over_density
from helpers.tiers import slow_but
from scipy.integrate import quad
from sympy import Rational, Symbol, exp, lambdify, log, sqrt, symbols, tanh

import asympkit as ak
from asympkit.balls.backend import acb, arb, arb_poly, workprec
from asympkit.certify.contour import LawMeans, PenaltyChain
from asympkit.certify.entire import BallMeans, BallSeries, discs_of
from asympkit.certify.forms import Circle, Disc, complex_function
from asympkit.certify.graphs import GaussianMass
from asympkit.certify.inner import group_means
from asympkit.certify.logistic import LogisticMean, LogisticNodes
from asympkit.program.passes import prune
from asympkit.program.statements import InnerSum, Sums, select_statements

flint = pytest.importorskip("flint", reason="python-flint is not installed")

AT = {"r": "1.2", "c": "1.1", "gamma": "0.9", "alpha": 2, "lam": "0.1"}
mp = mpmath.mp.clone()
mp.dps = 40


@pytest.fixture(scope="module")
def theory():
    return ak.SpikedFeatures("tanh", "z", loss="logistic", labels="sign")


def number(ball):
    """The centre of a ball, in arbitrary precision."""
    return mp.mpf(ball.mid().str(40, radius=False))


def parts(theory):
    """The inner sums of a theory by the names of their locals, and its outer grid."""
    program, _ = theory.program
    statements = prune(program.statements, {*program.unknowns, *program.observables.values()})
    return ({symbol.name: expr for s in select_statements(Sums, statements) for symbol, expr in s.locals
             if isinstance(expr, InnerSum)}, program.grids[0])


def test_discs_hold_what_they_are_made_of():
    """Points of discs, put into the expression."""
    x, y = Symbol("x"), Symbol("y")
    expr = (x * y + 2) / sqrt(1 + x**2 + y**3 / 5) - 3 * y**2 / (7 + x)
    generator = np.random.default_rng(0)
    centres = {s: generator.normal(size=50) * 0.3 + 1j * generator.normal(size=50) * 0.2 for s in (x, y)}
    radius = 0.05

    def disc(centre):
        size = np.full(50, radius)
        return Disc(Circle(centre, size * 0), Circle(centre, size), Circle(np.ones(50, complex), size * 0)
                    * Circle(complex(radius), 0.0))

    found = complex_function(expr)({s: disc(c) for s, c in centres.items()})
    assert np.isfinite(found.size).all()
    for _ in range(200):
        # both variables are functions of one point of a disc
        turn = radius * np.sqrt(generator.random(50)) * np.exp(2j * np.pi * generator.random(50))
        p, q = centres[x] + turn, centres[y] + turn
        value = (p * q + 2) / np.sqrt(1 + p**2 + q**3 / 5) - 3 * q**2 / (7 + p)
        assert (abs(value - found.whole.centre) <= found.whole.radius).all()
        assert (abs(value.imag) <= found.imag).all() and (value.real >= found.least).all()
    with np.errstate(invalid="ignore"):
        wide = complex_function(1 / sqrt(x))({x: disc(np.full(50, -1.0 + 0.02j))})
    assert np.isinf(wide.size).all()            # it meets the cut


def test_means_beside_the_real_line_hold_their_values(theory):
    """Against integrals in arbitrary precision; far out the variance is a difference of nearly equal numbers."""
    _, grid = parts(theory)
    program, _ = theory.program
    with workprec(250):
        known = {s: arb(v) for s, v in zip(program.parameters, (2, 1, 0.125, 0, 1.25, 1, 0.5, arb(0.75).sqrt(), 0))}
        means, = dict.fromkeys(group_means(grid.preparation, theory.functions, grid.bound[0], known, 60, 250).values())
        table, radius = BallMeans(means, 0.5, 12, 60, 60), 0.8
        found = table.series(12 + 12, radius)
        one, z, square = (found[key] for key in ((1, 0), (1, 1), (2, 0)))
        variance = square + -1 * (one * one) + -1 * (z * z)
        point = 6 + radius * (0.3 + 0.5j)

        def mean(f):
            return mp.quad(lambda t: f(mp.tanh(mp.mpf(1.25) * point + t), t) * mp.npdf(t), np.arange(-14, 14.5, 0.5))

        a, b, c = mean(lambda v, t: v), mean(lambda v, t: t * v), mean(lambda v, t: v * v)
        for series, exact in ((one, a), (z, b), (variance, c - a * a - b * b)):
            disc = discs_of(series, np.array([0.3 + 0.5j]), 0.01)
            error = abs(complex(exact - mp.mpc(complex(disc.point.centre[0]))))
            assert error <= disc.point.radius[0] + 1e-16 * abs(complex(exact))
            assert disc.point.side[0] <= 1e-9 * max(abs(complex(exact).imag), 1e-15)
            assert abs(complex(exact)) <= disc.size[0] <= 1.2 * abs(complex(exact))
    assert BallSeries(arb_poly([1, 2]), arb(0), 2).size == 3


@pytest.mark.parametrize("seed", range(8))
def test_one_gaussian_bounds_what_is_integrated(seed):
    """The integral over predictions at complex quantities, summed finely."""
    g = np.random.default_rng(seed)
    W = np.exp(0.3 * g.normal() + 0.25j * g.normal())
    C, V = g.normal() + 0.3j * g.normal(), abs(g.normal()) + 0.2j * g.normal()
    A, B = g.normal() + 0.3j * g.normal(), 0.4 * g.normal() + 0.1j * g.normal()
    p = np.linspace(-60, 60, 240_001)
    f = 1 / (1 + np.exp(p))
    x = (p - V * f - C) / W
    z = A + B * x
    with workprec(53):
        share = np.array([complex((-acb(v) / arb(2).sqrt()).erfc() / 2) for v in z[::300].tolist()])
    square = 1 / W**2
    beside = abs(A.imag) + abs((B / W).real) * (abs(C.imag) + abs(V.imag)), abs((B / W).imag)
    mass = GaussianMass((np.array(square.real), np.array(square.real)), abs(square.imag),
                        abs(C.imag) + abs(V.imag), beside, abs(1 / W), 1 + abs(V.imag) / 4).total
    density = np.abs(np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * (1 + V * f * (1 - f)) / W)
    step = p[1] - p[0]
    exact = max(np.sum(density[::300] * abs(share)) * 300, np.sum(density * abs(np.exp(-z * z / 2)))) * step
    assert exact <= mass <= 300 * exact or np.isinf(mass)


def test_what_bounds_nothing_is_infinite():
    c = np.array([1.0, -1.0, 1.0])
    found = GaussianMass((c, c), np.zeros(3), np.zeros(3), (np.zeros(3), np.array([0.0, 0.0, 1.5])), np.ones(3)).total
    assert found[0] == pytest.approx(2, rel=0.1)
    assert np.isinf(found[1:]).all()


@pytest.mark.parametrize(("V", "C", "W", "A", "B"), slow_but([
    ("0.7", "0.3", "1.2", "0.5", "0.4"), ("9", "-2", "2", "-1", "-1.5"), ("1e-14", "4", "1e-8", "3", "0.2")], 2))
def test_means_over_predictions_hold_their_values(theory, V, C, W, A, B):
    """Against integrals over the normal with roots by Newton's method."""
    inner, _ = parts(theory)
    with workprec(140):
        at = [arb(q) for q in (V, C, W, A, B)]
        nodes = LogisticNodes(*(np.array([q], dtype=object) for q in at), 25)
        v, c, w, a, b = (mp.mpf(q) for q in (V, C, W, A, B))
        step = mp.mpf(1) / 8
        flip = mp.mpf("0.1")
        for expr in (list(inner.values())[k] for k in (0, 12, 13)):
            form = LogisticMean(expr)
            ball = nodes.mean(form, {Symbol("flip", nonnegative=True): arb("0.1")})[0]
            exact = step * sum(integrand(expr, mp.mpf(k) * step, (v, c, w, a, b), flip) * mp.npdf(k * step)
                               for k in range(-86, 87))
            assert abs(number(ball) - exact) <= mp.mpf(float(ball.rad())) + mp.mpf(10) ** -22
            assert float(ball.rad()) < 1e-20


def integrand(expr, x, at, flip):
    """An inner integrand at a point, by the digits of its functions."""
    from asympkit.numbers.evaluation import Digits, evaluate

    V, C, W, A, B = LogisticMean(expr).quantities
    values = dict(zip((V, C, W, A, B), at))
    values.pop(None, None)
    return evaluate(expr.integrand, {**values, expr.bound[0]: x, Symbol("flip", nonnegative=True): flip},
                    Digits.of_context(mp))


def holds(proved, precise):
    """Return whether every ball overlaps a multiprecision number with its rounding."""
    exact = {**precise.order_parameters, **precise.observables}
    return all(proved[name].overlaps(ak.Ball(value, mpmath.mpf(10) ** -27 * abs(value)))
               for name, value in exact.items())


@pytest.mark.slow
def test_a_solution_is_proved(theory):
    found, plain = theory.certify(digits=6, **AT), theory.solve(r=1.2, c=1.1, gamma=0.9, alpha=2, lam=0.1)
    for name, value in {**plain.order_parameters, **plain.observables}.items():
        ball = found[name]
        assert float(ball.rad) < 1e-6 * max(abs(value), 1e-2)
        assert abs(float(ball) - value) < 1e-9 * max(abs(value), 1e-2)
    assert found.certificate.uniqueness == "local"
    assert "in the box of the roots below" in found.certificate.claim
    assert "uniqueness is local" in found.certificate.roots[0]
    assert "variances of predictions have positive real parts on |Re| <=" in found.certificate.hypotheses[-1]


@pytest.mark.slow
@pytest.mark.parametrize(("how", "at"), [
    ({}, AT), ({}, {"r": "0.5", "c": "1", "gamma": "0.5", "alpha": "0.7", "lam": "0.03", "noise_variance": "0.2"}),
    ({"bias": 0.3}, {"r": 1, "c": 1, "gamma": "-0.3", "alpha": 3, "lam": 1, "flip": "0.1"}),
    ({}, {**AT, "r": 2, "c": 1})])
def test_balls_hold_many_digits(how, at):
    theory = ak.SpikedFeatures("tanh", "z", loss="logistic", labels="sign", **how)
    proved = theory.certify(digits=15, **at)
    assert holds(proved, theory.precise(digits=30, **at))
    assert max(float(b.rad) / max(abs(float(b)), 1e-3) for b in proved.order_parameters.values()) < 1e-15


@pytest.mark.slow
@pytest.mark.parametrize("student", ["relu", "erf"])
def test_students_that_saturate_like_a_normal_are_proved(student):
    """Where their means fall like normal densities cells are narrower, and the means have more digits."""
    theory = ak.SpikedFeatures(student, "z", loss="logistic", labels="sign")
    assert holds(theory.certify(digits=10, **AT), theory.precise(digits=25, **AT))


D, lam, u = symbols("D lam u", positive=True)
F = Symbol("F", real=True)
#: layers and inputs: one or two intervals, with and without a point mass, at 0 and elsewhere; edges at 0
LAWS = {
    "a point mass at 0": ([("3/2", 1, 0)], 1), "two intervals": ([(3, 1, "1/5")], {1: "1/2", 10: "1/2"}),
    "a narrow second layer": ([(3, 1, "1/10"), ("1/2", "4/5", "3/10")], 1),
    "two intervals, an atom": ([(3, "1/2", "1/4"), (4, 1, "1/10")], {1: "1/2", 9: "1/2"}),
    "a first layer without rest": ([(2, 1, 0), ("3/4", "1/2", "1/4")], {1: "1/2", 2: "1/2"}),
    "inputs of low rank": ([("1/2", 1, "1/4")], {0: "1/4", 1: "1/2", 3: "1/4"}), "an edge at 0": ([(1, 1, 0)], 1),
}


def law(name):
    return ak.DeepCovariance(D, *LAWS[name])


def ball(f, own, digits=20):
    means = LawMeans(own, digits)
    with workprec(4 * digits + 40):
        return ak.Ball.from_arb(means.mean(f, str(f), {}))


@pytest.mark.parametrize("name", LAWS)
def test_moments_by_contours_are_the_exact_ones(name):
    own = law(name)
    for k, exact in enumerate(own.moments(3), 1):
        found = ball(D**k, own)
        assert found.contains(exact) and found.rad < 1e-18
    assert ball(D / D, own).contains(1)


@pytest.mark.parametrize("f", [exp(-D), log(1 + sqrt(D)), tanh(D) / (1 + D**2)])
@pytest.mark.parametrize("name", ["a point mass at 0", "two intervals, an atom", "a first layer without rest"])
def test_means_of_any_function_are_those_over_the_density(name, f):
    own = law(name)
    found = ball(f, own)
    assert found.rad < 1e-18
    assert float(found) == pytest.approx(over_density(lambdify(D, f), own), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_means_have_the_digits_of_the_density(name):
    found = ball(exp(-D), law(name), 25)
    assert abs(found.mid - ak.mean(exp(-D), law(name)).evalf(25)) < found.rad + 1e-23


def test_a_theory_with_a_function_that_does_not_close_is_certified():
    energy = u**2 / 2 + ak.mean(lam * exp(-u * D), law("a point mass at 0"))
    model = ak.Theory(name="deep", parameters={lam: ("", "positive")}, unknowns=[u], free_energy=energy,
                      observables={"energy": energy})
    proved = model.certify(lam="0.3", digits=15)
    found = model.solve(lam=0.3)
    assert found["u"] == pytest.approx(float(proved["u"]), rel=1e-13)
    assert found["energy"] == pytest.approx(float(proved["energy"]), rel=1e-13)
    assert proved["energy"].rad < 1e-15
    assert "by contours around its spectrum" in str(proved.certificate)


def test_enclosures_of_expressions():
    own = ak.DeepCovariance(D, [("1/2", 1, "1/4")], conditional={F: 3 * D})
    whole = ak.enclose(2 * ak.mean(exp(-D), own) + ak.mean(F * exp(-D), own), 20)
    apart = ak.enclose(ak.mean((2 + 3 * D) * exp(-D), own), 20)
    assert whole.overlaps(apart) and whole.rad < 1e-20
    # one layer has a law of its own, which is enclosed by angles
    plain = ak.enclose(ak.mean(exp(-D), ak.MarchenkoPastur(D, 2)), 25)
    assert plain.overlaps(ak.enclose(ak.mean(exp(-D), ak.DeepCovariance(D, [(2, 1, 0)])), 25))


@pytest.mark.parametrize(("name", "right", "left"), [
    ("two intervals", -2, -30), ("two intervals", 1, -9), ("a narrow second layer", "-1/10", -30),
    ("a narrow second layer", 1, "-9/10")])
def test_contours_that_leave_a_pole_out_are_no_proof(name, right, left):
    with workprec(60):
        chain = PenaltyChain(law(name))
        assert chain.goes_around(1.0, -50.0)
        assert not chain.goes_around(float(Rational(right)), float(Rational(left)))


def test_a_side_inside_the_spectrum_is_no_proof():
    with workprec(60):
        chain = PenaltyChain(law("two intervals"))
        (zeta, _), = chain.levels(acb(-1, 0.2))[1:]
        assert zeta.imag < 0
        assert not chain.is_above(complex(-1.1, 0.2), complex(-0.9, 0.2), False, 4)
        assert chain.is_above(complex(-1, 5), complex(1, 5), False, 4)


@pytest.mark.parametrize(("name", "f", "text"), [
    ("an edge at 0", sqrt(D), "no contour is proved to go around the spectrum, from .* to 4, where the integrand is a"),
    ("two intervals", 1 / (D - 3), "no contour is proved to go around the spectrum"),
    ("a point mass at 0", log(D), "its integrand is not finite at the point mass"),
])
def test_what_has_no_contour(name, f, text):
    with pytest.raises(ak.ProofError, match=text):
        ball(f, law(name), 10)


pytest.importorskip("flint", reason="python-flint is not installed")

X = sp.Symbol("x", real=True)


def density(f, ratio, scale=1.0):
    """The mean by adaptive quadrature in the angle of the density, and the atom."""
    def integrand(t):
        d = scale * (1 + ratio + 2 * np.sqrt(ratio) * np.cos(t))
        return f(d) * 2 * scale * np.sin(t) ** 2 / d / np.pi

    bulk = quad(integrand, 0, np.pi, epsabs=1e-13, epsrel=1e-13)[0]
    return bulk + (max(1 - 1 / ratio, 0) * f(0.0) if ratio > 1 else 0)


def bulk(ratio, scale=1):
    return ak.MarchenkoPastur(D, ratio=sp.Rational(ratio), scale=scale)


@pytest.mark.parametrize("f, ratio", [
    (1 / (D + 1), "1/2"), (D**2 / ((D + 1) * (D + 2) ** 2), 2), (sp.log(D + 1), "1/2"), (sp.sqrt(D + 1), "1/2"),
    (sp.exp(-D), 2)])
def test_spectral_means(f, ratio):
    ball = ak.enclose(ak.mean(f, bulk(ratio, 3)), 25)
    assert ball.rad < 1e-25
    assert abs(float(ball) - density(sp.lambdify(D, f), float(sp.Rational(ratio)), 3.0)) < 1e-12


def test_spectral_means_inside_averages():
    """The resolvent at an eigenvalue shifted by a normal, with its growth from the range of its arguments."""
    ball = ak.enclose(ak.E(sp.tanh(X) ** 2 * ak.mean(1 / (D + 1 + X**2), bulk("1/2")), X), 20)
    rule, weights = np.polynomial.hermite_e.hermegauss(180)
    values = [np.tanh(x) ** 2 * density(lambda d, x=x: 1 / (d + 1 + x * x), 0.5) for x in rule]
    assert abs(float(ball) - weights @ values / np.sqrt(2 * np.pi)) < 1e-9


def test_other_laws_are_refused_by_name():
    E = sp.Symbol("E", positive=True)
    with pytest.raises(ak.NotAvailableError, match="is no average over normals and has no closed form; give its law"):
        ak.enclose(ak.mean(sp.sqrt(E), ak.Eigenvalues(E)))
