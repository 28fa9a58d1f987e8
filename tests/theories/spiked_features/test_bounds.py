"""Bounds and learned functions against least squares on a grid, other formulas, and networks."""

import math

import numpy as np
import pytest
from helpers.tiers import slow_but
from scipy.special import erf

import asympkit as ak

Z = np.linspace(-9.0, 9.0, 541)
WEIGHTS = np.exp(-Z * Z / 2) / np.exp(-Z * Z / 2).sum()
TANH_SIN2 = ak.SpikedFeatures("tanh", "sin(2*z)")


def means(student, r, c, bias=0.0):
    """Return mu0, mu1 and the derivative of mu0 by c on the grid."""
    s = student(r * Z[:, None] + bias + np.sqrt(c) * Z)
    return s @ WEIGHTS, s @ (WEIGHTS * Z) / np.sqrt(c), s @ (WEIGHTS * (Z * Z - 1)) / (2 * c)


def distance(target, gamma, functions):
    """Return the squared distance of the target from functions of (kappa, z), by least squares on a grid."""
    weights = np.sqrt(np.multiply.outer(WEIGHTS, WEIGHTS)).ravel()
    values = target(gamma * Z[:, None] + np.sqrt(1 - gamma**2) * Z).ravel() * weights
    columns = np.array([np.broadcast_to(f, (Z.size, Z.size)).ravel() * weights for f in functions]).T
    left = values - columns @ np.linalg.lstsq(columns, values, rcond=None)[0]
    return left @ left


def bounds_by_hand(student, target, classes, gamma, bias=0.0, norms=False):
    upper, lower = [], []
    for r, c in classes:
        mu0, mu1, dmu0 = (m[:, None] for m in means(student, r, c, bias))
        upper.append(mu0)
        lower += [mu0, Z[:, None] * mu1, mu1 * Z, *[dmu0] * norms]
    return distance(target, gamma, upper), distance(target, gamma, lower)


def sin2(z):
    return np.sin(2 * z)


def test_the_reference_values():
    one = TANH_SIN2.bounds(r=1.2, c=1, gamma=1)
    assert one["upper"] == pytest.approx(0.359483145559, abs=1e-12)
    assert one["lower"] == pytest.approx(0.022540425259, abs=1e-12)
    two = TANH_SIN2.bounds(units=[(1.5, 1.3, 0.5), (0.5, 1.05, 0.5)], gamma=1)
    assert two["upper"] == pytest.approx(0.062381961122, abs=1e-12)
    assert two["lower"] == pytest.approx(0.001125016733, abs=1e-12)
    assert TANH_SIN2.bounds(units=[(1.2, 1, 1)], gamma=1) == one


def test_the_least_bounds_over_the_step():
    t = ak.OneStep("tanh", "sin")
    upper = t.bounds_theory.minimize("upper", over="r", bounds=(0.1, 4))
    lower = t.bounds_theory.minimize("lower", over="r", bounds=(0.1, 4))
    assert upper.value == pytest.approx(8.4005836969e-3, abs=1e-13)
    assert lower.value == pytest.approx(9.8896152434e-6, abs=2e-14)
    assert (upper.argmin, lower.argmin) == pytest.approx((1.969058, 0.594660), abs=1e-6)
    rate = upper.argmin / t.parameters_at(eta=1, alpha0=math.inf, beta=0.6)["r"]
    assert t.bounds(eta=rate, alpha0=math.inf, beta=0.6)["upper"] == pytest.approx(upper.value, rel=1e-10)
    solution = t.bounds_theory.solve(r=upper.argmin)         # at a stationary point the two agree
    assert solution.lower == pytest.approx(solution.upper, rel=1e-9)


@pytest.mark.parametrize("function, rate", slow_but(
    [("erf(z/sqrt(2))", math.sqrt(2) * math.pi), ("sin", math.e)], 1))
@pytest.mark.parametrize("beta", [1.0, 0.7])
def test_steps_at_which_the_upper_bound_vanishes(function, rate, beta):
    t = ak.OneStep(function, function)
    assert t.bounds(eta=rate * beta, alpha0=math.inf, beta=beta)["upper"] < 1e-28
    assert t.bounds(eta=1.1 * rate * beta, alpha0=math.inf, beta=beta)["upper"] > 1e-6
    assert t.bounds(eta=rate * beta, alpha0=math.inf, beta=beta, noise_variance=0.3)["upper"] == pytest.approx(0.3)


@pytest.mark.parametrize("at", [{"r": 1.2, "c": 0.8, "gamma": 0.7}, {"r": -0.4, "c": 1.3, "gamma": -0.9},
                                {"r": 2.0, "c": 1.0, "gamma": 0.0}, {"r": 0.0, "c": 1.1, "gamma": 0.5}])
def test_bounds_are_distances_on_a_grid(at):
    found = TANH_SIN2.bounds(**at, noise_variance=0.2)
    upper, lower = bounds_by_hand(np.tanh, sin2, [(at["r"], at["c"])], at["gamma"])
    assert found["upper"] == pytest.approx(upper + 0.2, rel=1e-10)
    assert found["lower"] == pytest.approx(lower + 0.2, rel=1e-10)
    assert found["best_linear"] == pytest.approx(WEIGHTS @ sin2(Z) ** 2 - (WEIGHTS @ (Z * sin2(Z))) ** 2 + 0.2)


def test_classes_and_biases():
    classes = [(1.5, 1.3), (0.5, 1.05), (-0.8, 0.9)]
    t = ak.SpikedFeatures("erf(z)", "sin(2*z)", bias=0.4)
    found = t.bounds(units=[(*pair, 1 / 3) for pair in classes], gamma=0.8)
    assert list(found) == ["upper", "lower", "best_linear"]
    assert (found["upper"], found["lower"]) == pytest.approx(bounds_by_hand(erf, sin2, classes, 0.8, 0.4), rel=1e-9)


@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_bounds_of_a_step():
    t = ak.OneStep("tanh", "sin(2*z)")
    at = {"eta": 2.0, "alpha0": 1.5, "beta": 0.7, "noise_variance": 0.1}
    step = t.parameters_at(**at)
    spiked = TANH_SIN2.bounds(**step, noise_variance=0.1)
    assert t.bounds(**at) == pytest.approx(spiked, rel=1e-12)
    exact = ak.OneStep("tanh", "sin(2*z)", bulk="exact").bounds(**at)
    by_hand = bounds_by_hand(np.tanh, sin2, [(step["r"], step["c"])], step["gamma"], norms=True)
    assert (exact["upper"], exact["lower"]) == pytest.approx(np.add(by_hand, 0.1), rel=1e-9)
    assert exact["lower"] < spiked["lower"] - 1e-9
    curves = t.bounds(**{**at, "eta": [1.0, 2.0], "alpha0": [[1.5], [math.inf]]})
    assert curves["lower"].shape == (2, 2) and curves["upper"][0, 1] == pytest.approx(spiked["upper"], rel=1e-12)


def test_digits_of_bounds():
    t = ak.OneStep("tanh", "sin")
    many = t.bounds(eta="1.3", alpha0=2, digits=30)
    for name, value in t.bounds(eta=1.3, alpha0=2).items():
        assert abs(float(many[name]) - value) < 1e-14 * value + 1e-16
    step = ak.SpikedFeatures("tanh", "sin").bounds(**dict(t.parameters_at(eta=1.3, alpha0=2).items()))
    assert step["lower"] == pytest.approx(float(many["lower"]), rel=1e-12)
    proved = t.bounds_theory.certify(digits=12, r="1.2", gamma="0.8")["lower"]
    assert abs(float(proved.mid) - t.bounds_theory.solve(r=1.2, gamma=0.8).lower) < 1e-14 and proved.rad < 1e-12
    near = TANH_SIN2.bounds(r=1e-3, c=1.1, gamma=0.8)        # coefficients lose their digits, bounds do not
    assert near["lower"] == pytest.approx(float(TANH_SIN2.bounds(r="1e-3", c="1.1", gamma="0.8", digits=20)["lower"]))


@pytest.mark.slow
def test_the_learned_bias_has_the_least_bounds():
    target = "sin(z) + 2*z**2/5"
    found = ak.SpikedFeatures("tanh", target, bias="learned").bounds(r=1.5, c=1.05, gamma=1)
    by_bias = np.array([bounds_by_hand(np.tanh, lambda z: np.sin(z) + 0.4 * z * z, [(1.5, 1.05)], 1.0, b)
                        for b in np.linspace(-3, 3, 121)])
    least = by_bias.min(axis=0)
    assert np.all(np.array([found["upper"], found["lower"]]) <= least)
    assert (found["upper"], found["lower"]) == pytest.approx(least, rel=2e-3)
    solved = ak.SpikedFeatures("tanh", target, bias="learned").solve(r=1.5, c=1.05, gamma=1, alpha=1.0, lam=1e7)
    assert repr(solved).startswith(f"<LearnedSolution, converged>\nbias         {solved.bias:.15g}\ntest_error ")
    assert solved.test_error == pytest.approx(found["upper"], rel=1e-5)


def test_the_upper_bound_is_the_limit_of_large_penalties():
    for t in (TANH_SIN2, ak.SpikedFeatures("tanh", "sin(2*z)", bias=0.3)):
        at = {"r": 1.2, "c": 1.1, "gamma": 0.8, "noise_variance": 0.1}
        assert t.solve(**at, alpha=1.7, beta=0.6, lam=1e8).test_error == pytest.approx(t.bounds(**at)["upper"],
                                                                                      rel=1e-7)


@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
@pytest.mark.parametrize("bulk, loss", [
    ("isotropic", "square"), pytest.param("exact", "square", marks=pytest.mark.slow),
    pytest.param("isotropic", ak.Huber(0.7), marks=pytest.mark.slow)])
def test_no_theory_is_below_the_lower_bound(bulk, loss):
    t, rng = ak.OneStep("tanh", "sin(2*z)", bulk=bulk, loss=loss), np.random.default_rng(0)
    is_square = loss == "square"
    for _ in range(3 if is_square else 1):
        at = {"eta": rng.uniform(0.3, 6), "alpha0": rng.uniform(0.3, 20), "beta": rng.uniform(0.4, 2),
                  "noise_variance": rng.uniform(0, 0.3)}
        found = t.bounds(**at)
        errors = t.sweep(**at, alpha=[0.5, 5.0, 50.0] if is_square else 5.0, lam=[0.1, 1.0])["test_error"]
        assert np.all(errors > found["lower"]) and np.min(errors) < found["lower"] + 0.3
        assert ("upper" in found) is is_square


@pytest.mark.parametrize("call, text", [
    (lambda: ak.OneStep("tanh", "z", labels="sign").bounds(eta=1, alpha0=2), "labels='sign'"),
    (lambda: TANH_SIN2.bounds(r=1, c=1, gama=1), "gama"), (lambda: TANH_SIN2.bounds(r=1, c=-1, gamma=1), "c: got -1"),
    (lambda: ak.SpikedFeatures("tanh", "sin", bias="learned").bounds(r=1, c=1, gamma=1, digits=20), "digits"),
    (lambda: TANH_SIN2.learned_function("x", r=1, c=1, gamma=1, alpha=1, lam=1), "kappa: got 'x'"),
    (lambda: TANH_SIN2.bounds(units=[(1, 1)], gamma=1), r"units: got \[\(1, 1\)\]; expected")])
def test_errors_name_the_argument(call, text):
    with pytest.raises(ak.AsympkitError, match=text):
        call()


def test_moments_are_means_on_a_grid():
    t = ak.SpikedFeatures("tanh", "sin", bias=0.3)
    kappa = np.array([[-1.0, 0.0], [0.4, 2.5]])
    found = t.conditional_moments(kappa, r=1.3, c=1.2, gamma=0.5)
    s = np.tanh(1.3 * kappa[..., None] + 0.3 + np.sqrt(1.2) * Z)
    mu0, mu1 = s @ WEIGHTS, s @ (WEIGHTS * Z) / np.sqrt(1.2)
    np.testing.assert_allclose(found["mu0"], mu0, rtol=1e-12)
    np.testing.assert_allclose(found["mu1"], mu1, rtol=1e-12)
    np.testing.assert_allclose(found["mu2"] ** 2, s**2 @ WEIGHTS - mu0**2 - 1.2 * mu1**2, rtol=1e-10)
    relu = ak.SpikedFeatures("relu", "sin").conditional_moments(0.7, r=1.0, c=0.5, gamma=0.5)
    a, s = 0.7 / np.sqrt(0.5), np.sqrt(0.5)
    density, below = np.exp(-a * a / 2) / np.sqrt(2 * np.pi), (1 + erf(a / np.sqrt(2))) / 2
    assert float(relu["mu0"]) == pytest.approx(0.7 * below + s * density, rel=1e-12)
    assert float(relu["mu1"]) == pytest.approx(below, rel=1e-12)
    step = ak.OneStep("tanh", "sin")
    at = step.parameters_at(eta=1, alpha0=1)
    np.testing.assert_array_equal(step.conditional_moments(kappa, eta=1, alpha0=1)["mu2"],
                                  ak.SpikedFeatures("tanh", "sin").conditional_moments(kappa, **at)["mu2"])


def test_the_learned_function_explains_the_error():
    t = ak.SpikedFeatures("tanh", "sin")
    at = {"r": 2.0, "c": 1.1, "gamma": 0.8, "alpha": 3, "lam": 0.05, "beta": 0.7, "noise_variance": 0.1}
    f, s = t.learned_function(Z[:, None], Z, **at), t.solve(**at)
    label, u = np.sin(0.8 * Z[:, None] + 0.6 * Z), t.conditional_moments(Z, r=2.0, c=1.1, gamma=0.8)
    bias = WEIGHTS @ (label - f) ** 2 @ WEIGHTS
    spread = WEIGHTS @ (u["mu1"] ** 2 * (s["q1"] - s["psi"] ** 2) + u["mu2"] ** 2 * s["q2"])
    assert bias + spread == pytest.approx(s.clean_error, rel=1e-11)
    coefficients = t.learned_coefficients(5, **at)
    along = f[:, Z.size // 2]
    for k, he in enumerate((1, Z, Z * Z - 1, Z**3 - 3 * Z)):
        assert coefficients[k] == pytest.approx(WEIGHTS @ (along * he) / math.factorial(k), abs=1e-12)


@pytest.mark.slow
def test_the_learned_function_of_classes_explains_the_error():
    """Error = squared distance of the mean output from the target + variance; overlaps psi of both classes count."""
    t, units = ak.SpikedFeatures("tanh", "sin"), [(2.0, 1.1, 0.4), (0.6, 0.9, 0.6)]
    at = {"units": units, "gamma": 0.8, "alpha": 3, "lam": 0.05, "beta": 0.7, "width": math.inf}
    f, s = t.learned_function(Z[:, None], Z, **at), t.solve(**at)
    u = t.conditional_moments(Z, units=units, gamma=0.8)
    for k, (r, c, _) in enumerate(units):
        np.testing.assert_allclose(u["mu1"][k], t.conditional_moments(Z, r=r, c=c, gamma=0.8)["mu1"], rtol=1e-13)
    bias = WEIGHTS @ (np.sin(0.8 * Z[:, None] + 0.6 * Z) - f) ** 2 @ WEIGHTS
    Q = np.array([[s["q1_11"], s["q1_12"]], [s["q1_12"], s["q1_22"]]]) - np.outer(*[[s["psi_1"], s["psi_2"]]] * 2)
    spread = np.einsum("ak,bk,ab->k", u["mu1"], u["mu1"], Q) + np.array([s["q2_1"], s["q2_2"]]) @ u["mu2"] ** 2
    assert bias + WEIGHTS @ spread == pytest.approx(s.clean_error, rel=1e-10)
    with pytest.raises(ak.DomainError, match="units: got a spike of 2 directions"):
        t.conditional_moments(Z, units=[((1.2, 0.4), 1.1, 0.5), ((-0.3, 1.0), 1.0, 0.5)], gamma=(0.7, 0.5))


@pytest.mark.slow
def test_the_learned_function_of_readout_values_is_that_of_their_classes():
    """At a width, where norms of inputs move the means of all units; orthogonal rows have names without classes."""
    step, at = ak.OneStep("tanh", "sin", readout=[(0.5, 0.5), (1.5, 0.5)]), {"alpha": 2, "lam": 0.1, "width": 200}
    spike, features = step.parameters_at(eta=1, alpha0=5), ak.SpikedFeatures("tanh", "sin")
    np.testing.assert_allclose(step.learned_function(Z[::20], eta=1, alpha0=5, **at),
                               features.learned_function(Z[::20], **spike, **at), rtol=1e-9, atol=1e-12)
    halves = {"units": [(1.5, 1.1, 0.5), (1.5, 1.1, 0.5)], "gamma": 0.9}
    np.testing.assert_allclose(features.learned_function(Z[::20], **halves, **at),
                               features.learned_function(Z[::20], r=1.5, c=1.1, gamma=0.9, **at), rtol=1e-9, atol=1e-12)
    rows = ak.SpikedFeatures("tanh", "sin", rows="orthogonal")
    f, s = (g(r=1.5, c=1.1, gamma=0.9, alpha=2, lam=0.1, beta=0.5) for g in (
        lambda **p: rows.learned_function([1.0], **p), rows.solve))
    u = features.conditional_moments(1.0, r=1.5, c=1.1, gamma=0.9)
    assert f[0] == pytest.approx(s["m"] * u["mu0"] + s["theta"] * u["mu1"], rel=1e-12)


@pytest.mark.slow
def test_the_learned_function_of_a_learned_bias_is_that_of_the_bias():
    t = ak.SpikedFeatures("tanh", "sin(z) + 2*z**2/5", bias="learned")
    at = {"r": 1.5, "c": 1.05, "gamma": 0.9, "alpha": 2, "lam": 0.1}
    fixed = ak.SpikedFeatures("tanh", "sin(z) + 2*z**2/5", bias=t.solve(**at).bias)
    np.testing.assert_allclose(t.learned_function([-1.0, 2.0], [0.5, 1.0], **at),
                               fixed.learned_function([-1.0, 2.0], [0.5, 1.0], **at), rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("width", [False, True])
def test_networks_learn_the_function(width):
    """The mean output of networks given both projections: spiked weights with rows on a sphere."""
    d, p, n, lam, r, c, gamma = 200, 140, 600, 0.05, 0.5 if width else 2.0, 1.1, 0.8
    rng, at, across, found = np.random.default_rng(3), np.array([-1.5, 0.5, 2.0]), np.array([0.0, 1.0, 0.5]), []
    for _ in range(100):
        w = rng.standard_normal((p, d))
        w *= np.sqrt(c) / np.linalg.norm(w, axis=1, keepdims=True)
        w[:, 0] += r
        x = rng.standard_normal((n, d))
        y = np.sin(gamma * x[:, 0] + 0.6 * x[:, 1])
        features = np.tanh(x @ w.T) / np.sqrt(p)
        readout = np.linalg.solve(features.T @ features + lam * np.eye(p), features.T @ y)
        x = rng.standard_normal((3, 500, d))
        x[:, :, 0], x[:, :, 1] = at[:, None], across[:, None]
        found.append((np.tanh(x @ w.T) @ readout / np.sqrt(p)).mean(axis=1))
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    expected = ak.SpikedFeatures("tanh", "sin").learned_function(
        at, across, r=r, c=c, gamma=gamma, alpha=3, beta=0.7, lam=lam, **({"width": p} if width else {}))
    assert np.all(np.abs(mean - expected) < 3.5 * error), (mean, expected, error)
    assert np.all(error < 0.005)
