"""Gradient steps: along the expected gradient, on batches, and the networks after them."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

import asympkit as ak
from asympkit.errors import DomainError, UnknownNameError
from asympkit.simulate import simulate_network
from asympkit.simulate.one_step import gradient_step, hermite_moments, population_step
from asympkit.simulate.ridge import draw_on_sphere


def layer(seed, p, d):
    rng = np.random.default_rng(seed)
    return rng, draw_on_sphere(rng, (p, d), 1.0), draw_on_sphere(rng, d, float(d))


@pytest.mark.parametrize("degree", [60, 2000])
def test_moments_of_a_jump_and_of_a_narrow_front(degree):
    """E[1(z > a) He_k] = He_(k-1)(a) phi(a)."""
    a = 1 / 3
    jump, front = hermite_moments([lambda z: 1.0 * (z > a), lambda z: np.tanh(40 * z)], degree)
    he = [1.0, a]
    for k in range(1, degree):                       # orthonormal, as the moments are
        he.append((a * he[k] - math.sqrt(k) * he[k - 1]) / math.sqrt(k + 1))
    k = np.arange(1, degree + 1)
    closed = np.array(he[:degree]) * math.exp(-a * a / 2) / np.sqrt(2 * np.pi * k)
    assert np.abs(jump[1:] - closed).max() < 2e-15
    assert np.all(np.abs(front[::2]) < 1e-15)        # odd
    by_stein, _ = quad(lambda z: 40 / np.cosh(40 * z) ** 2 * np.exp(-z * z / 2) / np.sqrt(2 * np.pi), -1, 1, epsabs=0,
                       epsrel=1e-13, points=[0])
    assert front[1] == pytest.approx(by_stein, rel=1e-12)


@pytest.mark.parametrize(("student", "target"), [("tanh", "sin"), ("log(1+exp(2*z))", "z**3"),
                                                 ("z*exp(-z**2/8)", "z+(z**2-1)/sqrt(2)")])
@pytest.mark.parametrize("seed", [0, 1])
def test_step_of_two_units_is_the_integral(student, target, seed):
    """Three inputs, a product rule of 90**3 nodes; the units' cosine goes up to 0.81."""
    x, w = np.polynomial.hermite_e.hermegauss(90)
    inputs = np.stack(np.meshgrid(x, x, x, indexing="ij"), -1).reshape(-1, 3)
    w = np.einsum("i,j,k->ijk", w, w, w).ravel() / w.sum() ** 3
    student, target = ak.Activation(student), ak.Activation(target)
    _, weights, direction = layer(seed, 2, 3)
    hidden = inputs @ weights.T
    missing = target(inputs @ direction / math.sqrt(3)) - student(hidden).mean(axis=1)
    expected = weights + 5.0 / 2 * (student.derivative(hidden) * (missing * w)[:, None]).T @ inputs
    found = population_step(student, target, weights, direction, 5.0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-12 * np.abs(expected).max())


def test_step_of_kinked_units_is_the_arc_cosine_kernel():
    relu, p = ak.Activation("relu"), 6
    _, weights, direction = layer(3, p, 9)
    rows, unit = np.vstack([weights, direction / 3]), direction / 3
    cosine = np.clip(weights @ rows.T, -1, 1)
    toward, along = (np.pi - np.arccos(cosine)) / (2 * np.pi), np.sqrt(1 - cosine**2) / (2 * np.pi)
    np.fill_diagonal(toward, 0.5)                    # E[u*relu(u)*relu'(u)] = 1/2
    np.fill_diagonal(along, 0.0)
    gradient = (toward[:, :p] @ weights + along[:, :p].sum(axis=1, keepdims=True) * weights) / p
    gradient -= toward[:, [p]] * unit + along[:, [p]] * weights
    found = population_step(relu, relu, weights, direction, 7.0)
    np.testing.assert_allclose(found, weights - 7.0 / p * gradient, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("student", "target"), [("tanh", "sin"), ("elu", "relu")])
def test_many_samples_step_there(student, target):
    student, target = ak.Activation(student), ak.Activation(target)
    rng, weights, direction = layer(77, 15, 20)
    expected = population_step(student, target, weights, direction, 60.0)
    found = []
    for _ in range(30):
        inputs = rng.standard_normal((10_000, 20))
        found.append(gradient_step(student, weights, [(inputs, target(inputs @ direction / math.sqrt(20)))], 60.0))
    z = (np.mean(found, axis=0) - expected) / (np.std(found, axis=0, ddof=1) / math.sqrt(30))
    assert 0.7 < np.sqrt(np.mean(z**2)) < 1.4
    assert np.abs(z).max() < 5


def test_blocks_of_rows_change_nothing(monkeypatch):
    student, target = ak.Activation("tanh"), ak.Activation("sin")
    _, weights, direction = layer(5, 40, 30)
    whole = population_step(student, target, weights, direction, 60.0)
    monkeypatch.setattr("asympkit.simulate.one_step.CHUNK", 300)
    np.testing.assert_allclose(population_step(student, target, weights, direction, 60.0), whole, rtol=0, atol=1e-14)


def test_units_that_are_nearly_parallel():
    """Analytic functions need no distance; kinked ones are refused where the series has not ended."""
    s = math.cos(0.01)
    weights, sin = np.array([[1.0, 0.0], [s, math.sin(0.01)]]), ak.Activation("sin")
    at = weights, np.array([0.0, 1.0]), 1.0
    label = math.exp(-1) * np.array([0.0, 1.0])      # E[sin(v.x) cos(u.x) x] = (cosh(u.v) v - sinh(u.v) u) / e
    other = math.exp(-1) * (math.cosh(s) * weights[1] - math.sinh(s) * weights[0])
    own = math.exp(-2) * weights[0]                  # E[z sin(z) cos(z)]
    found = population_step(sin, sin, *at)[0]
    np.testing.assert_allclose(found, weights[0] + 0.5 * (label - 0.5 * (other + own)), rtol=0, atol=1e-14)
    with pytest.raises(DomainError, match="alpha0=inf at d=2: two vectors of the first layer have the cosine 0.99995, "
                                          ".*expected a larger d"):
        population_step(ak.Activation("relu"), sin, *at)


def test_values_that_are_not_finite_are_refused():
    _, weights, direction = layer(0, 3, 20)
    text = r"alpha0=inf: student, its derivative or target has values that are not finite on \[-17, 17\]"
    with np.errstate(over="ignore"), pytest.raises(DomainError, match=text):
        population_step(ak.Activation("sin"), lambda x: np.exp(np.exp(np.abs(x))), weights, direction, 1.0)


def test_sizes_say_that_no_batch_was_drawn():
    s = ak.OneStep("tanh", "sin").simulate(d=40, repeats=2, eta=1, alpha0=math.inf, alpha=1.5, lam=0.1)
    assert (s.n0, s.alpha0) == (math.inf, math.inf)
    assert str(s).startswith("d=40 p=40 n=60 n0=inf repeats=2 seed=0")


@pytest.mark.slow
def test_test_error_of_a_long_step():
    """The true limit of these networks is 0.02259, with the direction of the rows' norms; that of an isotropic bulk,
    0.02408, is excluded."""
    s = simulate_network(ak.Activation("tanh"), ak.Activation("sin"), d=500, eta=3, alpha0=math.inf, alpha=3, lam=0.01,
                         repeats=24, seed=5, test_size=20000)["test_error"]
    assert abs(s.mean - 0.02259) < 3 * s.stderr
    assert s.mean < 0.02408 - 3 * s.stderr


class Tanh:
    def __call__(self, x):
        return np.tanh(x)

    def derivative(self, x):
        return 1 - np.tanh(x) ** 2


class Softplus:  # not odd: the initial output is of order one
    def __call__(self, x):
        return np.log1p(np.exp(x))

    def derivative(self, x):
        return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("student", [Tanh(), Softplus()])
def test_step_is_the_gradient_of_the_loss(student):
    d, p, n0, rate = 5, 4, 7, 3.0
    rng = np.random.default_rng(0)
    weights, X, y = draw_on_sphere(rng, (p, d), 1.0), rng.standard_normal((n0, d)), rng.standard_normal(n0)
    a = np.ones(p) / math.sqrt(p)

    def loss(flat):
        output = student(X @ flat.reshape(p, d).T) @ a / math.sqrt(p)
        return np.square(y - output).sum() / (2 * n0)

    h = 1e-5
    moves = h * np.eye(p * d)
    gradient = np.array([(loss(weights.ravel() + m) - loss(weights.ravel() - m)) / (2 * h) for m in moves])
    expected = weights - rate * gradient.reshape(p, d)
    whole = gradient_step(student, weights, [(X, y)], rate)
    np.testing.assert_allclose(whole, expected, rtol=0, atol=1e-8)
    parts = gradient_step(student, weights, [(X[:3], y[:3]), (X[3:], y[3:])], rate)
    np.testing.assert_allclose(parts, whole, rtol=0, atol=1e-14)


def test_sizes_are_reported_after_rounding():
    s = simulate_network(Tanh(), np.sin, d=30, eta=1, alpha0=0.5, alpha=1.01, beta=0.72, lam=0.1,
                         repeats=2, seed=4, test_size=50)
    assert (s.d, s.n0, s.n, s.p, s.test_size, s.repeats, s.seed) == (30, 15, 30, 22, 50, 2, 4)
    assert (s.alpha0, s.alpha, s.beta) == (0.5, 1.0, 22 / 30)
    assert list(s) == ["test_error", "clean_error", "train_error", "objective", "m", "q2"]
    assert s["test_error"].values.shape == (2,)
    assert "train_error  0." in str(s)
    with pytest.raises(UnknownNameError, match="did you mean 'test_error'"):
        s["test_eror"]


@pytest.mark.parametrize("no_step", [{"eta": 0, "alpha0": 2}, {"eta": 2, "alpha0": 0},
                                     {"eta": 0, "alpha0": math.inf}])
def test_no_step_needs_no_derivative(no_step):
    s = simulate_network(np.tanh, np.sin, d=30, alpha=1.5, lam=0.01, repeats=2, test_size=100, **no_step)
    assert s.n0 == 0


@pytest.mark.slow
def test_network_after_one_step():
    s = simulate_network(Tanh(), np.sin, d=350, eta=4, alpha0=2, alpha=2, lam=0.01, repeats=8, seed=1)
    assert abs(s["test_error"].mean - 0.172) < 4 * s["test_error"].stderr + 0.03 * 0.172


@pytest.mark.parametrize("changed, text", [
    ({"alpha": 0.001}, r"alpha=0.001 at d=20 leaves no sample: expected alpha >= 0.05"),
    ({"d": 20.5}, r"d: got 20.5; expected an integer >= 2"),
    ({"repeats": 1}, r"repeats: got 1; expected an integer >= 2"),
    ({"seed": -3}, r"seed: got -3; expected an integer >= 0"),
    ({"test_size": 0}, r"test_size: got 0; expected an integer >= 1"),
    ({"executor": 3}, r"executor: got 3; expected a concurrent.futures executor"),
])
def test_what_is_refused(changed, text):
    kwargs = {"student": Tanh(), "target": np.sin, "d": 20, "eta": 1.0, "alpha0": 1.0, "alpha": 1.0,
              "lam": 0.1, "repeats": 2, "test_size": 10} | changed
    with pytest.raises(DomainError, match=text):
        simulate_network(**kwargs)
