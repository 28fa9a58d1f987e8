"""Certificates of logistic regression: averages over proximal steps inside one over the spike, and their bounds."""

import mpmath
import numpy as np
import pytest
from helpers.tiers import slow_but
from sympy import Symbol, sqrt

import asympkit as ak

flint = pytest.importorskip("flint", reason="python-flint is not installed")

from asympkit.balls.backend import acb, arb, arb_poly, workprec  # noqa: E402
from asympkit.certify.entire import BallMeans, BallSeries, discs_of  # noqa: E402
from asympkit.certify.forms import Circle, Disc, complex_function  # noqa: E402
from asympkit.certify.graphs import GaussianMass  # noqa: E402
from asympkit.certify.inner import group_means  # noqa: E402
from asympkit.certify.logistic import LogisticMean, LogisticNodes  # noqa: E402
from asympkit.program.passes import prune  # noqa: E402
from asympkit.program.statements import (  # noqa: E402
    InnerSum,  # noqa: E402
    Sums,
    select_statements,
)

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
