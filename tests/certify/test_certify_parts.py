"""The parts of a certificate: strips, moments, Taylor models, rules, blocks."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
from helpers.tiers import slow_but

import asympkit as ak

flint = pytest.importorskip("flint", reason="python-flint is not installed")

from flint import arb  # noqa: E402

from asympkit.balls.backend import ratio, workprec  # noqa: E402
from asympkit.certify.entire import Taylor, TaylorMeans, order_for  # noqa: E402
from asympkit.certify.forms import absolute_moment, argument, mean, normal_tail, power, product  # noqa: E402
from asympkit.certify.inner import Source, group_means, source  # noqa: E402
from asympkit.certify.lattice import hermite_norm, monomial_norm  # noqa: E402
from asympkit.certify.run import bracket, krawczyk, polish, solve_balls  # noqa: E402
from asympkit.theories.spiked_features.equations import ridge, symbols  # noqa: E402

RNG = np.random.default_rng(5)


def test_polynomials_of_absolute_values():
    p, q = np.array([1.0, 2.0]), np.array([0.5, 0.0, 3.0])
    x = RNG.uniform(0, 4, 20)
    value = np.polynomial.polynomial.polyval
    assert np.allclose(value(x, product(p, q)), value(x, p) * value(x, q), rtol=1e-12)
    assert np.allclose(value(x, power(p, 3)), value(x, p) ** 3, rtol=1e-12)
    assert np.allclose(value(x, argument(q, np.array(0.7), 1.3)), value(0.7 + 1.3 * x, q), rtol=1e-12)
    for k in range(9):
        exact = mpmath.quad(lambda z, k=k: 2 * z**k * mpmath.npdf(z), [0, 1, 4, 12])
        assert exact <= absolute_moment(k) <= exact * (1 + 1e-8)
    assert mean(np.array([1.0, 0.0, 1.0])) == pytest.approx(2)
    for k in (0, 1, 4, 9):
        p = np.zeros(k + 1)
        p[k] = 1.0
        exact = mpmath.quad(lambda z, k=k: z**k * mpmath.npdf(z), [5, 6, 8, 14])
        assert exact <= normal_tail(p, 5.0) <= 3 * exact
    assert normal_tail(np.ones(12), 2.0) == math.inf


def test_norms_of_weights():
    for j in (0, 1, 3, 6):
        for s in (0.0, 0.7, 2.0):
            he = sp.lambdify(sp.Symbol("z"), sp.hermite_prob(j, sp.Symbol("z")) / sp.sqrt(sp.factorial(j)), "mpmath")
            points = [-12, -4, 0, 4, 12]
            exact = mpmath.sqrt(mpmath.quad(lambda z, he=he, s=s: abs(he(mpmath.mpc(z, s))) ** 2 * mpmath.npdf(z),
                                            points))
            assert exact * (1 - 1e-9) <= hermite_norm(j, s) <= exact * (1 + 1e-7)
            exact = mpmath.sqrt(mpmath.quad(lambda z, j=j, s=s: abs(mpmath.mpc(z, s)) ** (2 * j) * mpmath.npdf(z),
                                            points))
            assert exact * (1 - 1e-9) <= monomial_norm(j, s) <= exact * (1 + 1e-7)


@pytest.mark.parametrize("text, pole", [
    ("tanh", math.pi / 2), ("tanh(30*z)", math.pi / 60), ("sigmoid", math.pi), ("silu", math.pi),
    ("mish", 3 * math.pi / 4), ("softplus", math.pi), ("1/(1+z**4)", math.sqrt(0.5)), ("log(1+z**2)", 1.0),
    ("sqrt(1+z**2)", 1.0), ("tanh(z+1)-sin(z)", math.pi / 2)])
def test_strips_end_before_the_singularity(text, pole):
    strip = Source(ak.Activation(text)).strip(10)
    heights = [height for height, _ in strip.levels()]
    assert 0.9 * pole < heights[-1] < pole
    # a layer forced across the singularity is not bounded
    with workprec(64):
        assert strip._layer(heights[-1], 1.02 * pole) == math.inf


@pytest.mark.parametrize("text", ["tanh", "erf(z/sqrt(2))", "gelu", "sin", "mish", "z**3-3*z", "log(1+z**2)",
                                  "exp(-z**2/2)", "z*tanh(2*z)-cos(z+1)"])
def test_sizes_on_strips(text):
    activation = ak.Activation(text)
    strip = source(activation).strip(12)
    run = sp.lambdify(activation.symbol, activation.expr, "mpmath")
    for height, growth in strip.levels():
        if height > 4:
            break
        for _ in range(20):
            x, y = RNG.uniform(-12, 12), RNG.uniform(-1, 1) * height
            bound = np.polynomial.polynomial.polyval(abs(x), growth)
            assert abs(run(mpmath.mpc(x, y))) <= bound


def student_means(text, r, c, digits=30):
    """The student's inner means of the one-step tables, and its functions."""
    program, _ = ridge().program
    s = symbols()
    bits = int(3.33 * digits) + 40
    with workprec(bits):
        values = {s.r: ratio(Fraction(r)), s.c: ratio(Fraction(c)), s.gamma: arb(1) / 2, s.rho: arb(3).sqrt() / 2}
        functions = {"student": ak.Activation(text), "target": ak.Activation("sin")}
        grid = program.grids[0]
        means = group_means(grid.preparation, functions, grid.bound[0], values, digits, bits)
    return next(m for m in means.values() if m.source.activation == functions["student"]), bits


def reference(text, r, c, x, i, j):
    """``E[z**j f(r x + sqrt(c) z)**i]`` at a complex x, from the definition with the Gaussian shifted."""
    activation = ak.Activation(text)
    f = sp.lambdify(activation.symbol, activation.expr, "mpmath")
    r, b = mpmath.mpf(Fraction(r).numerator) / Fraction(r).denominator, mpmath.sqrt(
        mpmath.mpf(Fraction(c).numerator) / Fraction(c).denominator)
    x = mpmath.mpmathify(x)
    shift = r * x.imag / b
    kinks = [(mpmath.mpf(k) - r * x.real) / b for k in activation.kinks_float]
    edges = sorted({mpmath.mpf(e) for e in (-14, -7, -3, -1, 0, 1, 3, 7, 14)} | {k for k in kinks if abs(k) < 14})

    def value(w):
        z = mpmath.mpc(w, -shift)
        return z**j * f(r * x.real + b * w) ** i * mpmath.exp(-z * z / 2) / mpmath.sqrt(2 * mpmath.pi)

    return mpmath.quad(value, edges)


CASES = [("tanh", "3", "1.2"), ("tanh", "0.01", "1.2"), ("sin", "-1", "1"), ("erf(z/sqrt(2))", "2", "0.8"),
         ("relu", "1", "1.5"), ("gelu", "1", "1.5"), ("hardtanh", "1.4", "1")]


@pytest.mark.parametrize("text, r, c", slow_but(CASES, 4))
def test_moments_at_nodes(text, r, c):
    means, bits = student_means(text, r, c)
    assert means.kind == ("closed" if ak.Activation(text).kinks else "lattice")
    with workprec(bits), mpmath.workdps(40):
        rows = means.at_nodes(arb(1) / 4, 30)
        for k in (0, 23, 30, 47):
            for (i, j), row in rows.items():
                exact = reference(text, r, c, mpmath.mpf(k - 30) / 4, i, j).real
                assert ak.Ball.from_arb(row[k]).overlaps(ak.Ball(exact, mpmath.mpf(10) ** -33 * (1 + abs(exact))))
                assert row[k].rad() < arb("1e-27")


@pytest.mark.parametrize("text, r, c", slow_but(CASES, 2, 4))
def test_bounds_and_taylor_models_hold_complex_moments(text, r, c):
    means, bits = student_means(text, r, c)
    spacing, count, radius = 0.25, 4, 0.9
    with workprec(bits):
        order = order_for(float(means.rate.abs_upper()) / float(means.slope) * radius)
        models = TaylorMeans(means, spacing, count, order).models(np.full(2 * count + 1, radius))
        for x in (mpmath.mpc("0.13", "0.4"), mpmath.mpc("-0.7", "0.75"), mpmath.mpc("1.1", "-0.2")):
            bounds = means.bounds(np.array([abs(float(x.real))]), np.array([abs(float(x.imag))]))
            centre = int(np.clip(round(float(x.real) / spacing), -count, count))
            t = (complex(x) - centre * spacing) / radius
            assert abs(t) < 1
            for (i, j), model in models.items():
                exact = complex(reference(text, r, c, x, i, j))
                assert abs(exact) <= bounds[i, j][0]
                row = model.coefficients[centre + count]
                assert abs(np.polynomial.polynomial.polyval(t, row) - exact) <= model.rest[centre + count] + 1e-13
                assert model.rest[centre + count] < 1e-5


def test_taylor_arithmetic_keeps_its_promise():
    t = np.exp(2j * np.pi * RNG.uniform(size=200)) * RNG.uniform(0, 1, 200)
    a = Taylor(RNG.normal(size=(1, 30)) / 2.0 ** np.arange(30), np.array([1e-6]))
    b = Taylor(RNG.normal(size=(1, 25)) / 1.7 ** np.arange(25), np.array([1e-7]))
    value = np.polynomial.polynomial.polyval
    x, y = value(t, a.coefficients[0]), value(t, b.coefficients[0])
    for model, exact in ((a * b, x * y), (a + b, x + y), (2 * a, 2 * x), (a * b * a, x * y * x)):
        assert np.max(np.abs(value(t, model.coefficients[0]) - exact)) <= model.rest[0]
        assert np.all(np.abs(exact) <= model.size[0])


def test_blocks():
    with workprec(140):
        point = [(arb(5).sqrt() - 1).mid() / 2 + arb(10) ** -33]       # x = 1/(1 + 1/(1 + ...)) has a monotone square
        box, width = bracket(lambda v: [1 - 1 / (2 + v[0])], [p.mid() for p in point], 30)
        assert box[0].contains((arb(5).sqrt() - 1) / 2)
        assert width < 1e-20
        with pytest.raises(ak.ProofError, match="bracket of the fixed point cannot be proved"):
            bracket(lambda v: [1 - 1 / (2 + v[0])], [arb("0.7").mid()], 30)
    a, b = sp.symbols("a b")
    with workprec(100):
        assert solve_balls([[arb(2), arb(1)], [arb(1), arb(3)]], [arb(3), arb(4)], (a, b))[1].contains(1)
        assert solve_balls([[arb(2), arb(1)], [arb(0), arb(0)]], [arb(3), arb(0)], (a, b))[1] == 0
        with pytest.raises(ak.ProofError, match="the equation of b has no solution"):
            solve_balls([[arb(2), arb(1)], [arb(0), arb(0)]], [arb(3), arb(1)], (a, b))
        with pytest.raises(ak.ProofError, match="not proved to be regular"):
            solve_balls([[arb(1), arb(1)], [arb(1), arb(1, 1e-9)]], [arb(3), arb(1)], (a, b))


def test_krawczyk_finds_and_refuses():
    def residuals(v):
        return [v[0] * v[0] - 2, v[1] - v[0]]

    def slopes(v):
        return [[2 * v[0], arb(0)], [arb(-1), arb(1)]]

    with workprec(140):
        rough = np.array([[2.8, 0.0], [-1.0, 1.0]])
        point = polish(residuals, [1.4, 1.4], rough, 30)
        box, _ = krawczyk(residuals, slopes, point, 30, rough)
        assert all(b.overlaps(arb(2).sqrt()) for b in box)
        assert max(float(b.rad()) for b in box) < 1e-28
        moved = [p + arb("1e-3") for p in point]
        with pytest.raises(ak.ProofError, match="Krawczyk's test fails"):
            krawczyk(residuals, slopes, [m.mid() for m in moved], 30, rough)
        with pytest.raises(ak.ProofError, match="Krawczyk's test fails"):        # a double root
            krawczyk(lambda v: [v[0] * v[0]], lambda v: [[2 * v[0] + arb("1e-30")]], [arb(0)], 20, [[1e-30]])
