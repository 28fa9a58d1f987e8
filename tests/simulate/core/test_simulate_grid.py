"""Ridge regression by paths of penalties, and grids of sample numbers and penalties."""

import math
import tracemalloc
from unittest import mock

import numpy as np
import pytest

import asympkit as ak
from asympkit.errors import DomainError
from asympkit.simulate import Estimate, RidgePath, convex, ridge, simulate_network, simulate_spiked
from asympkit.simulate import ridge as readout
from asympkit.simulate.one_step import network_repeat
from asympkit.simulate.simulation import with_error

ALPHA, LAM = [0.5, 2.0, 1.0, 1.2], np.geomspace(1e-3, 1, 5)
STEP = {"eta": 1.0, "alpha0": 2.0, "beta": 1.1, "noise_variance": 0.1}
NETWORK = {**STEP, "d": 40, "repeats": 3, "test_size": 300}


def model():
    return ak.OneStep("tanh", "sin")


def test_grid_against_networks_trained_one_by_one():
    """The first n samples of one set, the same weights, the same test inputs, by normal equations."""
    student, target, alpha, lam = np.tanh, np.sin, [0.4, 1.5, 3.0], [0.02, 0.3]
    s = simulate_network(student, target, d=10, eta=0, alpha0=0, alpha=alpha, lam=lam, beta=1.4, noise_variance=0.2,
                         repeats=2, seed=5, test_size=37)
    assert s.n.tolist() == [4, 15, 30] and s.alpha.tolist() == alpha and s.p == 14
    rng = np.random.default_rng(np.random.SeedSequence(5).spawn(2)[1])
    W, theta = readout.draw_on_sphere(rng, (14, 10), 1.0), readout.draw_on_sphere(rng, 10, 10)
    X = rng.standard_normal((30, 10))
    y = target(X @ theta / math.sqrt(10)) + math.sqrt(0.2) * rng.standard_normal(30)
    fresh = rng.standard_normal((37, 10))
    F, G = student(X @ W.T) / math.sqrt(14), student(fresh @ W.T) / math.sqrt(14)
    for i, n in enumerate(s.n):
        for j, penalty in enumerate(lam):
            w = np.linalg.solve(F[:n].T @ F[:n] + penalty * np.eye(14), F[:n].T @ y[:n])
            clean = np.mean((target(fresh @ theta / math.sqrt(10)) - G @ w) ** 2)
            expected = {"clean_error": clean, "test_error": clean + 0.2, "q2": w @ w / 14, "m": w.sum() / math.sqrt(14),
                        "train_error": np.mean((y[:n] - F[:n] @ w) ** 2)}
            expected["objective"] = expected["train_error"] + penalty * (w @ w) / n
            for name in s:
                assert s[name].values[1, i, j] == pytest.approx(expected[name], rel=1e-9)


def test_the_largest_alpha_has_the_numbers_it_has_alone():
    grid = simulate_network(ak.Activation("tanh"), np.sin, alpha=ALPHA, lam=LAM, **NETWORK)
    alone = simulate_network(ak.Activation("tanh"), np.sin, alpha=2.0, lam=LAM, **NETWORK)
    for name in grid:
        assert grid[name].mean.shape == grid[name].stderr.shape == (4, 5)
        np.testing.assert_allclose(grid[name].values[:, 1], alone[name].values, rtol=1e-9)
    spikes = {"d": 30, "r": 2, "gamma": 0.9, "c": 1.1, "repeats": 2, "test_size": 100}
    grid = simulate_spiked(np.tanh, np.sin, alpha=ALPHA, lam=0.1, **spikes)
    alone = simulate_spiked(np.tanh, np.sin, alpha=2.0, lam=0.1, **spikes)
    for name in alone:
        assert grid[name].mean.shape == (4,)
        np.testing.assert_allclose(grid[name].values[:, 1], alone[name].values, rtol=1e-9)


@pytest.mark.parametrize("names", [("alpha", "lam"), ("lam", "alpha"), ("alpha",), ("lam",), ()])
def test_axes_are_those_of_the_sweep(names):
    axes = {name: {"alpha": ALPHA, "lam": LAM}[name] for name in names}
    at = {**STEP, **axes, **{n: v for n, v in {"alpha": 2.0, "lam": LAM[1]}.items() if n not in axes}}
    s = model().simulate(d=40, repeats=3, **at)
    assert tuple(s.axes) == names
    assert np.shape(s["m"].mean) == tuple(len(v) for v in axes.values())
    everything = model().simulate(d=40, repeats=3, **STEP, alpha=ALPHA, lam=LAM)["m"].values
    index = {"alpha": slice(None) if "alpha" in axes else 1, "lam": slice(None) if "lam" in axes else 1}
    expected = everything[:, index["alpha"], index["lam"]]
    np.testing.assert_allclose(s["m"].values, expected.swapaxes(1, 2) if names == ("lam", "alpha") else expected,
                               rtol=1e-9)
    if names:
        sweep = model().sweep(**at)
        assert list(sweep.axes) == list(s.axes)
        for name in names:
            np.testing.assert_array_equal(sweep[name], s.axes[name])
        assert sweep["test_error"].shape == s["test_error"].mean.shape


def test_one_factorisation_for_each_size():
    """Of 6 sizes and 30 penalties, in each of 2 repeats; and Gram matrices of the largest sizes alone."""
    with mock.patch.object(ridge, "dsytrd", wraps=ridge.dsytrd) as tridiagonal, \
            mock.patch.object(ridge, "cho_factor", wraps=ridge.cho_factor) as cholesky, \
            mock.patch.object(ridge, "svd", wraps=ridge.svd) as singular:
        s = simulate_network(np.tanh, np.sin, d=40, eta=0, alpha0=0, alpha=np.linspace(0.5, 2, 6),
                             lam=np.geomspace(1e-2, 10, 30), repeats=2, test_size=50)
    assert s["m"].mean.shape == (6, 30)
    assert (tridiagonal.call_count, cholesky.call_count, singular.call_count) == (12, 0, 0)


def peak(test_size, *, sizes, p=150, d=150, n0=300, lams=10):
    """Bytes that one repeat takes at most."""
    settings = {"student": ak.Activation("z*exp(-z**2/8)"), "target": ak.Activation("sin"), "d": d, "p": p, "n0": n0,
                "sizes": sizes, "eta": 1.0, "lam": np.geomspace(0.1, 10, lams), "noise_variance": 0.1,
                "test_size": test_size, "shape": (len(sizes), lams)}
    tracemalloc.start()
    try:
        network_repeat(np.random.SeedSequence(0), **settings)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shape", [
    {"sizes": (300,)}, {"sizes": (900, 100, 140, 400)}, {"sizes": (400,), "p": 500, "d": 100},
    {"sizes": (450,), "p": 450, "lams": 3}, {"sizes": (300,), "lams": 1000}, {"sizes": (60,), "d": 400, "p": 200},
    {"sizes": (300,), "n0": math.inf}])
def test_memory_is_what_is_stated_and_does_not_grow_with_the_test_set(monkeypatch, shape):
    for module in (ridge, convex):
        monkeypatch.setattr(module, "CHUNK", 50_000)
    peak(100, **shape)                          # what is made once
    small, large = peak(1_000, **shape), peak(10_000, **shape)
    d, p, n = shape.get("d", 150), shape.get("p", 150), max(shape["sizes"])
    readouts = len(shape["sizes"]) * shape.get("lams", 10)
    bound = 8 * (n * p + 4 * min(n, p) ** 2 + 3 * p * d + (4 * p + n) * readouts + 7 * 50_000)
    assert bound / 2 < large <= bound
    assert large < 1.02 * small


@pytest.mark.parametrize("change, text", [
    ({"alpha": []}, r"alpha: got an array of shape \(0,\); an axis is a non-empty one-dimensional array"),
    ({"lam": [[0.1]]}, r"lam: got an array of shape \(1, 1\)"),
    ({"alpha": [1.0, np.nan]}, "alpha: got .*; expected real numbers without NaN"),
    ({"alpha": [1.0, -1.0]}, r"alpha: got -1\.0; expected a positive finite number"),
    ({"lam": [0.1, -1.0]}, r"lam: got -1\.0; expected a positive finite number"),
    ({"eta": [1.0, 2.0]}, r"eta: got \[1\.0, 2\.0\]; expected a finite number >= 0"),
    ({"alpha": [1.0, 0.001]}, "alpha=0.001 at d=40 leaves no sample"),
])
def test_what_is_refused(change, text):
    with pytest.raises(ak.DomainError, match=text):
        model().simulate(d=40, repeats=2, **{**STEP, "alpha": 1.0, "lam": 0.1, **change})
    if "eta" not in change:
        with pytest.raises(ak.DomainError, match=text):
            ak.SpikedFeatures("tanh", "sin").simulate(d=40, repeats=2, **{"r": 1, "c": 1, "gamma": 0.5,
                                                                          "alpha": 1.0, "lam": 0.1, **change})


def test_a_grid_prints_as_a_table():
    s = model().simulate(d=40, repeats=3, alpha=[0.5, 2.0], lam=[0.1, 1.0], **STEP)
    head, columns, *rows = str(s).splitlines()
    assert head == "d=40 p=44 n=20,80 n0=80 repeats=3 seed=0"
    assert columns.split() == ["alpha", "lam", *s]
    assert [row.split()[:2] for row in rows] == [["0.5", "0.1"], ["0.5", "1"], ["2", "0.1"], ["2", "1"]]
    assert rows[2].split()[2] == with_error(s["test_error"].mean[1, 0], s["test_error"].stderr[1, 0])


def problem(n, p, seed=1):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, p)) + 0.5, rng.standard_normal(n)


@pytest.mark.parametrize("shape", [(40, 15), (15, 40), (20, 20), (1, 1), (5, 1), (1, 5), (7, 2), (2, 7), (3, 3)])
def test_path_is_the_normal_equations(shape):
    Phi, y = problem(*shape)
    p = shape[1]
    lams = np.logspace(-3, 3, 20)
    path = RidgePath(Phi, y).solve(lams)
    assert path.shape == (p, 20)
    for column, lam in zip(path.T, lams):
        direct = np.linalg.solve(Phi.T @ Phi / p + lam * np.eye(p), Phi.T @ y / np.sqrt(p))
        np.testing.assert_allclose(column, direct, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(RidgePath(Phi, y).solve(lam), direct, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("shape", [(40, 15), (15, 40)])
def test_no_penalty_is_the_least_norm_solution(shape):
    Phi, y = problem(*shape)
    expected = np.linalg.lstsq(Phi / np.sqrt(shape[1]), y, rcond=None)[0]
    np.testing.assert_allclose(RidgePath(Phi, y).solve(0.0), expected, rtol=1e-10, atol=1e-12)


def test_other_features():
    Phi, y = problem(30, 12)
    gram = Phi.T @ Phi / 12
    before = gram.copy()
    for lams in (0.1, np.logspace(-3, 3, 20)):
        expected = RidgePath(Phi, y).solve(lams)
        np.testing.assert_array_equal(RidgePath(Phi, y, gram).solve(lams), expected)
    np.testing.assert_array_equal(gram, before)
    Phi, y = problem(30, 6)
    Phi = np.hstack([Phi, Phi])
    expected = np.linalg.lstsq(Phi / np.sqrt(12), y, rcond=None)[0]
    for lam in (0.0, 1e-30, np.array([0.0]), np.zeros(20)):
        w = RidgePath(Phi, y).solve(lam)
        assert np.abs(w - (expected if np.ndim(lam) == 0 else expected[:, None])).max() < 1e-11
    Phi, y = problem(6, 3)
    with pytest.raises(DomainError, match=r"lam: got -1\.0; expected a finite number >= 0"):
        RidgePath(Phi, y).solve(-1.0)
    with pytest.raises(DomainError, match=r"Phi of shape \(6, 3\) and y of shape \(5,\)"):
        RidgePath(Phi, y[:5])
    with pytest.raises(DomainError, match="Phi has values that are not finite"):
        RidgePath(np.where(Phi > 1, np.inf, Phi), y)


@pytest.mark.parametrize("several", [1, 30])
def test_small_penalty_on_ill_conditioned_features_keeps_its_digits(several):
    # Known singular values down to 1e-7: the Gram matrix alone would have lost them.
    rng = np.random.default_rng(3)
    left = np.linalg.qr(rng.standard_normal((60, 12)))[0]
    right = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    s = np.logspace(0, -7, 12)
    y = rng.standard_normal(60)
    lam = 1e-13
    exact = right @ (s / (s**2 + lam) * (left.T @ y))
    Phi = left * s @ right.T * np.sqrt(12)
    got = RidgePath(Phi, y).solve(np.full(several, lam))[:, -1]
    assert np.linalg.norm(got - exact) < 1e-7 * np.linalg.norm(exact)


def test_estimate_of_values():
    one = Estimate.from_values([1.0, 2.0, 4.0])
    assert one.mean == pytest.approx(7 / 3)
    assert one.stderr == pytest.approx(np.std([1, 2, 4], ddof=1) / math.sqrt(3))
    many = Estimate.from_values([[1.0, 5.0], [3.0, 5.0]])
    np.testing.assert_allclose(many.mean, [2.0, 5.0])
    np.testing.assert_allclose(many.stderr, [1.0, 0.0])
    assert math.isnan(Estimate.from_values([1.0]).stderr)
    assert str(many) == "[2.0(10), 5(0)]"


@pytest.mark.parametrize("mean, stderr, text", [
    (0.12341, 0.0056, "0.1234(56)"), (0.12345, 0.00996, "0.123(10)"), (-2.0, 0.5, "-2.00(50)"),
    (123.4, 15.0, "123(15)"), (1234.0, 151.0, "1234(151)"), (1.234e-7, 5.6e-9, "1.234(56)e-07"),
    (0.0, 0.25, "0.00(25)"), (3.0, 0.0, "3(0)"), (3.0, math.nan, "3(nan)"),
])
def test_estimate_text(mean, stderr, text):
    assert str(Estimate(mean, stderr, np.empty(0))) == text
