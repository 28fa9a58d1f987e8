"""The simulations of a large gradient step: exact cases, the gradient, tied regressors, singular values."""

import math
import tracemalloc
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from helpers.tiers import slow_but

from asympkit import Activation
from asympkit.errors import DomainError
from asympkit.simulate import nonlinear_singular_values, simulate_nonlinear
from asympkit.simulate import nonlinear_spikes as nonlinear_models
from asympkit.simulate.nonlinear_spikes import EIGEN_FROM, Gram, Start, first_step, fit

NAMES = ["train_error", "test_error", "baseline_train", "baseline_test", "train_gap", "test_gap"]
QUADRATIC = Activation("z+(z**2-1)/sqrt(2)")
RELU = Activation("relu(z)-1/sqrt(2*pi)")


def simulate(student=QUADRATIC, target=QUADRATIC, **changed):
    settings = {"phi": 0.5, "psi": 0.8, "lam": 0.05, "noise_variance": 0.1, "n": 80, "repeats": 2, "test_size": 500,
                "model": "limit"} | changed
    return simulate_nonlinear(student, target, **settings)


def values(simulation):
    return np.array([simulation[name].values for name in NAMES])


@pytest.mark.parametrize("initial_output", ["removed", "kept"])
@pytest.mark.parametrize("free_constant", [False, True])
def test_a_linear_student_is_its_first_spike(initial_output, free_constant):
    """sigma(z) = z: the trained network has the features F_0 + eta (X beta) a^T without remainder."""
    shared = {"eta": 1.3, "initial_output": initial_output, "free_constant": free_constant, "teachers": 2}
    network = simulate(Activation("z"), model="network", **shared)
    truncated = simulate(Activation("z"), model="truncated", degree=4, **shared)
    np.testing.assert_allclose(values(network), values(truncated), rtol=0, atol=1e-11)


def test_degrees_are_those_given(tmp_path):
    given, found = simulate(degrees=(1, 2), file=tmp_path / "s.npz"), simulate(degree=2)
    np.testing.assert_array_equal(values(given), values(found))
    np.testing.assert_array_equal(values(simulate(degrees=(1, 2), file=tmp_path / "s.npz")), values(found))
    tiny, none = Activation("z+(z**2-1)/10**20"), Activation("z")
    np.testing.assert_array_equal(values(simulate(tiny, degree=2)), values(simulate(none, degree=1)))
    freed = simulate(tiny, degrees=[1, 2])["train_gap"].mean
    assert freed > 1.05 * simulate(none, degree=1)["train_gap"].mean


def test_draws_and_degrees():
    at = simulate(target=Activation("0"), noise_variance=0, degree=0)
    assert not values(at).any()
    two, three, four = (simulate(RELU, degree=degree) for degree in (2, 3, 4))
    assert np.array_equal(values(two), values(three))
    assert four["train_gap"].mean > three["train_gap"].mean
    for model, eta in (("limit", None), ("truncated", 3.0)):
        flat = simulate(Activation("z**2-1"), model=model, eta=eta)
        assert flat["train_gap"].values == pytest.approx(0, abs=1e-14)
    baselines = [simulate(model=model, eta=eta, teachers=3)["baseline_test"].values
                 for model, eta in (("network", 1.0), ("truncated", 1.0), ("limit", None))]
    np.testing.assert_allclose(baselines[1:], baselines[:1] * 2, rtol=1e-12)


@pytest.mark.parametrize("model", ["network", "truncated"])
def test_no_step_is_no_gap(model):
    at = simulate(model=model, eta=0)
    assert at["train_gap"].values == pytest.approx(0, abs=1e-14)
    assert at["test_gap"].values == pytest.approx(0, abs=1e-13)


@pytest.mark.parametrize("initial_output", ["removed", "kept"])
def test_large_step_of_the_truncated_features_is_the_limit(initial_output):
    at = {"initial_output": initial_output, "free_constant": True, "degree": 3, "teachers": 3}
    student = Activation("sin(z)+cos(z)-exp(-1/2)")
    limit, large = (simulate(student, model=model, eta=eta, **at)
                    for model, eta in (("limit", None), ("truncated", 1e9)))
    np.testing.assert_allclose(values(large), values(limit), rtol=1e-6)


@pytest.mark.parametrize("penalties", [3, 13])
@pytest.mark.parametrize("model, eta", [("network", 2.0), ("truncated", 2.0), ("limit", None)])
def test_path_of_penalties(model, eta, penalties):
    """From 12 penalties on an eigendecomposition replaces the Cholesky factors."""
    lams = np.geomspace(1e-3, 1, penalties)
    path = simulate(model=model, eta=eta, lam=lams)
    assert path["test_error"].mean.shape == (penalties,)
    for index in (0, penalties - 1):
        np.testing.assert_allclose(values(path)[:, :, index], values(simulate(model=model, eta=eta, lam=lams[index])),
                                   rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("executor", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_executors_and_numbers_of_repeats_do_not_matter(executor):
    with executor(2) as pool:
        elsewhere = simulate(repeats=4, executor=pool, seed=5)
    assert np.array_equal(values(elsewhere), values(simulate(repeats=4, seed=5)))
    assert np.array_equal(values(elsewhere)[:, :2], values(simulate(repeats=2, seed=5)))


def test_file_keeps_the_finished_repeats(tmp_path):
    """Two repeats, then two more of them; another question is refused."""
    file = tmp_path / "spikes.npz"
    lams = [0.1, 1.0]
    first = simulate(lam=lams, file=file, repeats=2)
    more = simulate(lam=lams, file=file, repeats=4)
    assert np.array_equal(values(more)[:, :2], values(first))
    assert np.array_equal(values(more), values(simulate(lam=lams, repeats=4)))
    assert list(more.axes) == ["lam"]
    with pytest.raises(DomainError, match="degree"):
        simulate(lam=lams, file=file, repeats=4, degree=3)


def test_blocks_do_not_matter(monkeypatch):
    whole = values(simulate(model="network", eta=2.0, initial_output="kept"))
    monkeypatch.setattr(nonlinear_models, "CHUNK", 1000)
    np.testing.assert_allclose(values(simulate(model="network", eta=2.0, initial_output="kept")), whole, rtol=1e-11)


def test_gaussian_rows_and_free_constant_change_what_they_should():
    """Both matter to the second spike, which shares the constant; the gap grows."""
    common = {"n": 300, "repeats": 4, "teachers": 8}
    plain, rows, constant = (simulate(**common, **changed)["train_gap"].mean
                             for changed in ({}, {"rows": "gaussian"}, {"free_constant": True}))
    assert plain < rows
    assert plain < constant


@pytest.mark.parametrize("psi, width", slow_but([(0.8, 312), (0.25, 1000)], 0))
@pytest.mark.parametrize("model, eta", [("network", 1.0), ("limit", None)])
def test_memory_is_as_stated(model, eta, psi, width, monkeypatch):
    """The formula in the docstring; fresh test inputs cost blocks only."""
    monkeypatch.setattr(nonlinear_models, "CHUNK", 50_000)
    n, d, teachers = 500, 250, 2
    tracemalloc.start()
    simulate(n=n, psi=psi, teachers=teachers, model=model, eta=eta, test_size=4_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    stated = 8 * (3 * n * width + n * d + 3 * min(n, width)**2) + (16 * teachers * width * d if eta else 0)
    assert stated / 2.5 < peak < stated + 6 * 8 * nonlinear_models.CHUNK


@pytest.mark.parametrize("changed, text", [
    ({"eta": 1.0}, r"eta=1.0: expected None for model='limit', where the spikes have diverged; take model='network'"),
    ({"model": "network"}, r"eta=None: expected a step size >= 0 for model='network'; only model='limit' needs none"),
    ({"model": "truncated", "eta": -1}, r"eta: got -1; expected a finite number >= 0"),
    ({"lam": -1.0}, r"lam: got -1"),
    ({"phi": 0.01}, r"phi=0.01 at n=80 leaves fewer than 2 input dimensions: expected phi >= 0.025"),
    ({"psi": 100}, r"psi=100 at d=40 leaves no hidden unit: expected psi <= 40"),
    ({"degree": -1}, r"degree: got -1; expected an integer >= 0"),
    ({"n": 8, "degree": 7}, r"n=8: expected more samples than free regressors, n >= 9"),
    ({"noise_variance": math.nan}, r"noise_variance: got nan; expected a finite number >= 0"),
])
def test_what_is_refused(changed, text):
    with pytest.raises(DomainError, match=text):
        simulate(**changed)


def spectrum(**changed):
    settings = {"phi": 0.5, "psi": 0.5, "n": 500, "eta": 500**0.38, "model": "truncated"} | changed
    return nonlinear_singular_values(changed.pop("student", QUADRATIC), QUADRATIC,
                                     **{k: v for k, v in settings.items() if k != "student"})


@pytest.mark.parametrize("model", ["truncated", "network"])
def test_two_spikes_leave_the_bulk(model):
    s = spectrum(model=model)
    assert (s.d, s.width, s.n) == (250, 500, 500)
    (first, *_, one), (second, *_, two), (_, third, _) = (s.spike(k) for k in (1, 2, 3))
    assert {first, second} == {0, 1}
    assert one > 0.6
    assert two > 0.6
    assert s.values[1] > 1.8 * s.untrained[0]
    assert third < s.values[1]


def test_spikes_leave_the_bulk():
    # interlacing: a change of rank 2 moves at most two values above the largest of the untrained features
    s = spectrum()
    assert np.all(s.values[2:] <= s.untrained[:-2] * (1 + 1e-12))
    s = spectrum(eta=0.0)
    np.testing.assert_allclose(s.values, s.untrained, rtol=1e-12)
    assert s.overlaps.shape == (10, 3)
    assert s.overlaps.max() < 0.2


@pytest.mark.parametrize("changed, text", [
    ({"model": "limit"}, "model='limit': expected one of 'network', 'truncated'"),
    ({"eta": None}, "eta=None: expected a step size >= 0"),
    ({"leading": 0}, "leading: got 0; expected an integer >= 1"),
])
def test_spectra_that_are_refused(changed, text):
    with pytest.raises(DomainError, match=text):
        spectrum(**changed)


MIXED = Activation("tanh(z)+3/10*(z**2-1)")


def start_and_data(kept, *, n=7, d=5, width=4, teachers=2):
    """A small start, and the first set drawn again from a generator in the same state."""
    start = Start.draw(np.random.default_rng(1), d=d, width=width, teachers=teachers, rows="gaussian")
    noise = np.random.default_rng(2).standard_normal((n, teachers))
    result = first_step(np.random.default_rng(3), start, MIXED, np.sin, noise, kept=kept, gradient=True)
    inputs = np.random.default_rng(3).standard_normal((n, d))
    return start, inputs, np.sin(inputs @ start.teachers) + noise, result


def test_step_is_the_gradient_of_the_loss():
    start, inputs, labels, (directions, descent) = start_and_data(kept=True)
    moves = 1e-5 * np.eye(start.weights.size).reshape(-1, *start.weights.shape)
    for t in range(2):
        def loss(weights, y=labels[:, t]):
            return np.square(y - MIXED(inputs @ weights.T) @ start.readout).sum() / (2 * len(inputs))

        slope = [(loss(start.weights - move) - loss(start.weights + move)) / 2e-5 for move in moves]
        np.testing.assert_allclose(descent[t].ravel(), slope, rtol=0, atol=1e-8)
        initial = MIXED(inputs @ start.weights.T) @ start.readout
        np.testing.assert_allclose(directions[:, t], inputs.T @ (labels[:, t] - initial) / len(inputs), atol=1e-14)


SHAPES = [(30, 20), (20, 20), (20, 33)]


@pytest.fixture(params=SHAPES, ids=str)
def problem(request):
    n, width = request.param
    rng = np.random.default_rng(n + width)
    powers = rng.standard_normal((n, 1)) ** [1, 2]
    return rng.standard_normal((n, width)), np.hstack([np.ones((n, 1)), powers]), rng.standard_normal((n, 2)), rng


def least_squares(features, free, labels, lam):
    """Minimise the same objective as one augmented least-squares problem."""
    (n, width), k = features.shape, free.shape[1]
    top = np.hstack([features, free])
    bottom = np.hstack([np.sqrt(n * lam) * np.eye(width), np.zeros((width, k))])
    rows = np.vstack([top, bottom])
    right = np.vstack([labels, np.zeros((width, labels.shape[1]))])
    solution = np.linalg.lstsq(rows, right, rcond=None)[0]
    return np.square(right - rows @ solution).sum(axis=0) / (n * lam), solution[:width], solution[width:]


@pytest.mark.parametrize("penalties", [1, EIGEN_FROM])
@pytest.mark.parametrize("sizes", [[1.0, 1.0], [1e-6, 30.0], [200.0, 1e3]])
def test_tied_regressors_are_a_low_rank_change_of_the_features(problem, penalties, sizes):
    """The constant stays free; V^T b multiplies the powers."""
    features, free, labels, rng = problem
    loadings = rng.standard_normal((features.shape[1], 2)) * sizes
    minimum, weights, coefficients = fit(Gram(features, penalties).resolvent(0.1), features, labels, free, loadings)
    expected = least_squares(features + free[:, 1:] @ loadings.T, free[:, :1], labels, 0.1)
    np.testing.assert_allclose(minimum, expected[0], rtol=1e-9)
    np.testing.assert_allclose(weights, expected[1], atol=1e-9 * np.abs(expected[1]).max())
    np.testing.assert_allclose(coefficients[:1], expected[2], atol=1e-8)
    np.testing.assert_allclose(coefficients[1:], loadings.T @ expected[1], atol=1e-8 * max(sizes))


@pytest.mark.parametrize("size, diverging", [(1e12, False), (1.0, True)])
def test_ties_of_any_size_lose_no_digits(problem, size, diverging):
    """V -> infinity: b is orthogonal to V and the powers are free, which least squares on the complement says too."""
    features, free, labels, rng = problem
    loadings = rng.standard_normal((features.shape[1], 2))
    got = fit(Gram(features).resolvent(0.1), features, labels, free, size * loadings, diverging=diverging)
    complement = np.linalg.svd(loadings, full_matrices=True)[0][:, 2:]
    expected = least_squares(features @ complement, free, labels, 0.1)
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-10)
    np.testing.assert_allclose(got[1], complement @ expected[1], atol=1e-10)
    np.testing.assert_allclose(got[2], expected[2], atol=1e-10)
