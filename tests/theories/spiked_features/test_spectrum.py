"""The spectrum of the features: bulk, edges and outliers against other solvers, known numbers and simulations."""

import math
import pickle

import numpy as np
import pytest
from scipy.optimize import fsolve

import asympkit as ak
from asympkit.simulate import simulate_spectrum
from asympkit.theories.spiked_features.feature_law import FeatureLaw

#: activations whose slope at large projections their mean does not explain: they make outliers of the BBP type
WAVE, CLIPPED = "z*sin(z)*exp(-z**2/16)", "sin(3*(z-where(z>2,2,where(z<-2,-2,z))))"
AT = {"r": 1.0, "c": 1.0, "alpha": 16.0, "beta": 4.0}


def features(student):
    return ak.SpikedFeatures(student, "z")


def gauss(edges, order=40):
    """Gauss-Legendre panels for the standard normal."""
    x, w = np.polynomial.legendre.leggauss(order)
    half = np.diff(edges)[:, None] / 2
    z = (np.add(edges[1:], edges[:-1])[:, None] / 2 + half * x).ravel()
    w = (half * w).ravel() * np.exp(-z * z / 2)
    return z, w / w.sum()


class Direct:
    """The equations written once more, over plain quadrature with panels between kinks."""

    def __init__(self, f, r, c, alpha, beta, kinks=()):
        self.c, self.alpha, self.beta = c, alpha, beta
        self.kappa, self.w = gauss(np.linspace(-9.5, 9.5, 77), 16)
        mean = []
        for k in self.kappa:
            inside = [(x - r * k) / math.sqrt(c) for x in kinks]
            z, w = gauss(np.unique([*np.linspace(-9.5, 9.5, 20), *(x for x in inside if abs(x) < 9.5)]), 24)
            y = f(r * k + math.sqrt(c) * z)
            mean.append([w @ y, w @ (z * y) / math.sqrt(c), w @ y**2])
        self.mu0, self.mu1, square = np.array(mean).T
        self.mu2sq = square - self.mu0**2 - c * self.mu1**2

    def pair(self, x, V1, V2):
        D = 1 + V1 * self.mu1**2 + V2 * self.mu2sq
        h1, h2 = (self.alpha / self.beta * (self.w / D) @ a for a in (self.mu1**2, self.mu2sq))
        return V1 * (1 + self.beta * self.c * h1 * V2) - self.c * V2, (h2 - x) * V2 + h1 * V1 - 1, D

    def bbp(self, x, V1, V2):
        f, g, D = self.pair(x, V1, V2)
        M00, M01, M11 = ((self.w / D) @ a for a in (self.mu0**2, self.mu0 * self.kappa * self.mu1,
                                                    (self.kappa * self.mu1) ** 2))
        return f, g, 1 + self.alpha * self.c * V2 * (M11 - M01**2 / M00)

    def outlier(self, guess):
        x, V1, V2 = fsolve(lambda u: self.bbp(*u), guess, xtol=1e-13)
        h, slope = 1e-4 * x, 0.0
        for k, weight in ((-2, 1), (-1, -8), (1, 8), (2, -1)):
            V = fsolve(lambda u, k=k: self.pair(x + k * h, *u)[:2], (V1, V2), xtol=1e-13)
            slope += weight * self.bbp(x + k * h, *V)[2] / (12 * h)
        return x, -V2 / slope


@pytest.mark.parametrize("student, f, kinks, at, location, overlap", [
    (WAVE, lambda z: z * np.sin(z) * np.exp(-z**2 / 16), (), AT, 4.0747754510, 0.4269167476),
    (CLIPPED, lambda z: np.sin(3 * (z - np.clip(z, -2, 2))), (-2, 2), {**AT, "r": 1.5, "c": 0.3}, 1.8955069383,
     0.4483815065)])
def test_bbp_outlier(student, f, kinks, at, location, overlap):
    s = features(student).spectrum(**at)
    giant, found = s.outliers
    assert (giant.location, giant.overlap, giant.kind, found.kind) == (math.inf, 1.0, "giant", "bbp")
    assert abs(found.location - location) < 1e-10 and abs(found.overlap - overlap) < 1e-10
    # and by another solver, on another quadrature, with a numerical derivative
    again = Direct(f, kinks=kinks, **at).outlier((found.location, -0.8, -0.4))
    assert np.allclose(again, (found.location, found.overlap), rtol=3e-10)


def test_threshold():
    """Beyond the edge there is an outlier, just; with fewer samples there is none."""
    found = features(WAVE).spectrum(**{**AT, "alpha": 6.0, "beta": 2.0}).outliers[1]
    assert abs(found.location - 2.755730) < 1e-6 and abs(found.overlap - 0.0899) < 1e-4
    assert [o.kind for o in features(WAVE).spectrum(r=1, c=1, alpha=3, beta=2).outliers] == ["giant"]
    assert features("tanh").spectrum(r=0, c=1, alpha=4, beta=2).outliers == ()


@pytest.mark.parametrize("student, at, d, mean, shift, missing", [
    ("tanh", (1, 1, 2, 1), 200, 94.4029, 0.86930, 4.13305e-3),
    *(pytest.param(*p, marks=pytest.mark.slow) for p in (
        ("tanh", (0.5, 1.1, 3, 0.5), 200, 45.6407, 3.24773, 2.51518e-2),
        ("log(cosh(z))+z/2", (1, 1, 2, 1), 200, 311.6237, 4.43995, 9.38324e-3),
        (WAVE, (1, 1, 16, 4), 300, 2035.4032, -1.93565, 1.68532e-4)))])
def test_giant_outlier(student, at, d, mean, shift, missing):
    r, c, alpha, beta = at
    giant = features(student).spectrum(r=r, c=c, alpha=alpha, beta=beta, width=beta * d).outliers[0]
    m = FeatureLaw(ak.Activation(student), *map(float, at)).real
    largest = alpha * d * (m.weights @ m.mu0**2)
    assert giant.kind == "giant" and abs(largest - mean) < 6e-5
    assert abs(giant.location - largest - shift) < 6e-6 and abs(1 - giant.overlap - missing) < 1e-4 * missing


def test_density_without_a_spike():
    """There V2 is a root of a quartic equation, and two roots meet at an edge."""
    alpha, beta, act = 20.0, 2.0, ak.Activation("tanh")
    a = act.hermite_coefficients(1)[1] ** 2
    b = act.second_moment() - a
    s = features(act).spectrum(r=0, c=1, alpha=alpha, beta=beta)
    (low, gap), (start, high) = s.edges

    def roots(x):
        # with the conjugates a*h, b*h: h = alpha/beta - 1 - x*V2, V1 = V2/(1 + beta*a*h*V2), (b*h - x)*V2 + a*h*V1 = 1
        V2, h = np.polynomial.Polynomial([0, 1]), np.polynomial.Polynomial([alpha / beta - 1, -x])
        return (((b * h - x) * V2 - 1) * (1 + beta * a * h * V2) + a * h * V2).roots()

    for x in (1.01 * low, 0.99 * gap, 1.001 * start, 5.0, 0.999 * high):
        assert abs(s.density(x) - roots(x).imag.max() / math.pi) < 1e-11
    for x in (low, gap, start, high):
        pairs = np.subtract.outer(roots(x), roots(x)) / roots(x) + 9 * np.eye(4)
        assert np.min(np.abs(pairs)) < 1e-6
        assert np.sum(roots(x * (1 - 1e-9)).imag > 1e-6) + np.sum(roots(x * (1 + 1e-9)).imag > 1e-6) == 1
    assert np.all(s.density([0.0, 0.99 * low, 0.5 * (gap + start), 1.001 * high, 50.0]) == 0.0)


def mass(s, panels=30, power=0):
    """Atom and integral of the density, which may have tails at 0 and infinity, weighted by x**power."""
    total = s.atom * (power == 0)
    t, w = np.polynomial.legendre.leggauss(12)
    for low, high in s.edges:
        low, high = max(low, 1e-9 * min(high, 1.0)), min(high, 200.0)
        angle = np.linspace(0, np.pi, panels + 1)
        angle = (angle[:-1, None] + np.pi / panels * (1 + t) / 2).ravel()
        middle, half = np.log(low * high) / 2, np.log(high / low) / 2
        x = np.exp(middle - half * np.cos(angle))
        total += (np.tile(w, panels) * np.pi / panels / 2 * half * np.sin(angle) * x**(1 + power)) @ s.density(x)
    return total


HARD = [("tanh(z/3)", (0.5, 1, 10, 3)), ("z", (1, 1, 3, 2)), ("tanh", (1, 1, 2, 1)), (WAVE, (1, 1, 16, 4)),
        ("z+z**2/20", (0, 1, 20, 2))]
SOFT = [("tanh", (1, 1, 1, 2)), ("z+z**2/2", (1, 1, 3, 2)), ("relu", (0.5, 1, 2, 1))]


@pytest.mark.parametrize("student, at", [*HARD[:2], *(pytest.param(*p, marks=pytest.mark.slow) for p in (
    *HARD[2:], *SOFT))])
def test_total_mass_and_mean(student, at):
    r, c, alpha, beta = at
    s = features(student).spectrum(r=r, c=c, alpha=alpha, beta=beta)
    assert abs(mass(s) - 1.0) < 1e-8
    m = FeatureLaw(ak.Activation(student), *map(float, at)).finer
    assert abs(mass(s, power=1) / (alpha / beta * m.weights @ (c * m.mu1**2 + m.mu2sq)) - 1.0) < 1e-7


def test_edges_at_zero_and_infinity():
    few = features("tanh").spectrum(r=1, c=1, alpha=1, beta=2)          # samples far along the spike are saturated
    assert few.edges[0, 0] == 0.0 and few.atom == 0.5
    assert features("tanh").spectrum(r=0, c=1, alpha=1, beta=2).edges[0, 0] > 0.001
    unbounded = features("z+z**2/2").spectrum(r=1, c=1, alpha=3, beta=2)
    assert unbounded.edges[-1, 1] == math.inf and unbounded.density(60.0) > 0.0
    assert features("z+z**2/2").spectrum(r=0, c=1, alpha=3, beta=2).edges[-1, 1] < 100.0
    linear = features("z").spectrum(r=1, c=1, alpha=3, beta=2)
    assert linear.atom == 0.5 and linear.edges.shape == (1, 2)
    # Phi = X W' with Gaussian X: the first free cumulants, and the edge of a plain Marchenko-Pastur law at beta -> 0
    thin = features("z").spectrum(r=0, c=1, alpha=3e-6, beta=1e-6)
    assert np.allclose(thin.edges[0], 3 * (1 + np.array([-1, 1]) / math.sqrt(3)) ** 2, rtol=1e-5)


def test_soft_tails_do_not_depend_on_neighbours():
    law = FeatureLaw(ak.Activation("z+z**2/2"), 1.0, 1.0, 3.0, 2.0)
    x = np.array([30.0, 42.0, 50.0, 58.0])
    assert np.allclose(law.density(x), [law.density(x[k:k + 1])[0] for k in range(4)], rtol=1e-7)
    with pytest.raises(ak.ConvergenceError, match="too fast.*r = 8"):
        features("tanh(20*z)").spectrum(r=8, c=0.02, alpha=3)


def test_one_step_and_bias():
    t = ak.OneStep("tanh", "sin")
    at = t.parameters_at(eta=1, alpha0=5, noise_variance=0.1)
    s = t.spectrum(eta=1, alpha0=5, alpha=2, noise_variance=0.1, width=300)
    same = features("tanh").spectrum(r=at["r"], c=at["c"], gamma=0.3, lam=0.1, alpha=2, width=300)
    assert np.array_equal(s.edges, same.edges) and s.outliers == same.outliers
    shifted = ak.SpikedFeatures("tanh", "z", bias=0.5).spectrum(r=1, c=1, alpha=2)
    assert np.array_equal(shifted.edges, features("tanh(z+1/2)").spectrum(r=1, c=1, alpha=2).edges)
    with pytest.warns(ak.AssumptionWarning, match="c - 1"):
        ak.OneStep("tanh", "sin").spectrum(eta=4, alpha0=0.5, alpha=2)


@pytest.mark.parametrize("build, at, words", [
    (lambda: ak.OneStep("tanh", "sin", bulk="exact"), {"eta": 1, "alpha0": 5, "alpha": 2},
     "bulk='exact'.*bulk=isotropic"),
    (lambda: ak.SpikedFeatures("tanh", "sin", bias="learned"), {"r": 1, "c": 1, "alpha": 2},
     "bias='learned'.*bias=a number"),
    (lambda: features("tanh"), {"r": 1, "c": 1, "alpha": [1, 2]}, "alpha"),
    (lambda: features("tanh"), {"r": 1, "c": 1}, "missing parameter alpha"),
    (lambda: features("tanh"), {"r": 1, "c": 1, "alpha": 2, "lam": -1}, "lam"),
    (lambda: features("tanh"), {"units": [(1, 1, 0.5), (2, 1, 0.5)], "alpha": 2}, "units.*one class"),
    (lambda: features("1"), {"r": 1, "c": 1, "alpha": 2}, "no variance"),
    (lambda: features("exp(z**2/3)"), {"r": 1, "c": 1, "alpha": 2}, "moment")])
def test_refusals(build, at, words):
    with pytest.raises(ak.AsympkitError, match=words):
        build().spectrum(**at)


def test_picture():
    s = features("tanh").spectrum(r=1, c=1, alpha=2, beta=1, width=40)
    drawn = s.simulate(repeats=2, seed=1)
    assert drawn.shape == (2, 40) and np.all(np.diff(drawn) >= 0.0)
    ax = s.plot(simulation={"repeats": 2, "seed": 1})
    (x, y), = [line.get_data() for line in ax.lines if line.get_label() == "limit"]
    assert np.array_equal(y, s.density(x))
    bars = sum(p.get_width() * p.get_height() for p in ax.patches)
    assert abs(bars - np.mean(drawn < ax.get_xlim()[1])) < 1e-12
    with pytest.raises(ak.DomainError, match="d=..."):
        features("tanh").spectrum(r=1, c=1, alpha=2).plot(simulation={"repeats": 2})
    with pytest.raises(ak.DomainError, match="finite real"):
        s.density([1.0, math.nan])
    ax.figure.clear()


@pytest.mark.slow
@pytest.mark.parametrize("student, at", [
    (WAVE, AT), (WAVE, {**AT, "c": "0.9", "width": 400}), ("tanh", {"r": 0, "c": 1, "alpha": 20, "beta": 2})])
def test_many_digits(student, at):
    """Edges and outliers from the equations in sympy, by multiprecision."""
    floats, digits = (features(student).spectrum(**at, **more) for more in ({}, {"digits": 30}))
    assert np.all(np.abs(np.array(digits.edges / floats.edges - 1, dtype=float)) < 1e-12)
    for a, b in zip(floats.outliers, digits.outliers, strict=True):
        assert a.kind == b.kind and math.isinf(a.location) == math.isinf(b.location)
        if math.isfinite(a.location):
            assert abs(b.location / a.location - 1) < 1e-12 and abs(b.overlap / a.overlap - 1) < 1e-10
    assert digits.density(1.0) == floats.density(1.0) and str(digits) == str(floats)
    if at is AT:
        assert str(digits.outliers[1].location).startswith("4.0747754510048144060676250")


@pytest.mark.slow
def test_many_digits_after_a_step():
    at = {"eta": 1, "alpha0": 5, "alpha": "2.5"}
    s = ak.OneStep("tanh", "sin").spectrum(**at, digits=25)
    assert np.all(np.abs(np.array(s.edges / ak.OneStep("tanh", "sin").spectrum(**at).edges - 1, dtype=float)) < 1e-12)


@pytest.mark.slow
def test_bbp_outlier_is_simulated():
    at = {"r": 1.2, "c": 0.9, "alpha": 20, "beta": 3}
    expected = features(WAVE).spectrum(**at, width=450).outliers[1]
    found = simulate_spectrum(ak.Activation(WAVE), d=150, repeats=24, seed=5, **at)
    for values, limit in ((found["eigenvalues"].values[:, -2], expected.location),
                          (found["spike"].values[:, -2], expected.overlap)):
        assert abs(values.mean() - limit) < 3 * values.std(ddof=1) / math.sqrt(values.size)
        assert values.std(ddof=1) / math.sqrt(values.size) < 0.05 * limit
    assert found["spike"].values[:, -3].mean() < 0.05


@pytest.mark.slow
def test_giant_outlier_is_simulated():
    """Less the sum of squared means, whose fluctuation hides the shift."""
    at, d = {"r": 0.8, "c": 1.2, "alpha": 1.5, "beta": 0.75}, 200
    giant = features("tanh").spectrum(**at, width=150).outliers[0]
    found = simulate_spectrum(ak.Activation("tanh"), d=d, repeats=200, seed=3, **at)
    z, w = gauss(np.linspace(-9.5, 9.5, 39), 20)
    squares = [np.square(np.tanh(0.8 * k[:, None] + math.sqrt(1.2) * z) @ w) for k in (
        *found["projections"].values, z)]
    shift = found["eigenvalues"].values[:, -1] - [q.sum() for q in squares[:-1]]
    expected = giant.location - 1.5 * d * (w @ squares[-1])
    assert expected > 0.5 and abs(shift.mean() - expected) < 3 * shift.std(ddof=1) / math.sqrt(200)
    missing = 1 - found["constant"].values[:, -1]
    assert abs(missing.mean() / (1 - giant.overlap) - 1) < 0.03         # of relative order 1/d


def test_spectra_are_pickled_and_shown():
    for s, settings, shown in (
            (ak.OneStep("tanh", "sin").spectrum(eta=1, alpha0=5, alpha=3, width=200), {"repeats": 2, "seed": 1},
             'giant</td><td style="text-align:left">35.4519</td>'),
            (ak.NonlinearSpikes("z+(z**2-1)/sqrt(2)", "z").spectrum(phi=0.5, psi=0.5, eta=3, n=60), {"seed": 1},
             "<i>φ</i> = 0.5")):
        again, x = pickle.loads(pickle.dumps(s)), np.linspace(0.1, 3.0, 5)
        assert repr(again) == repr(s) and np.array_equal(again.density(x), s.density(x)) and s.density(x).any()
        assert np.array_equal(again.simulate(**settings), s.simulate(**settings))
        assert shown in again._repr_html_()
    s = ak.Ridge(([1, "1/2"], [3, 4]), [0.1, 0.2], 1).spectrum
    assert repr(s) == "<CovarianceSpectrum of 7 features, 2 eigenvalues from 0.5 to 1, psi Omega^-1 psi 0.09>"
    assert repr(pickle.loads(pickle.dumps(s))) == repr(s)
    assert 'features</td><td style="text-align:left">7<' in s._repr_html_()
