"""The own convex solver beside scikit-learn, and beside the conditions of a minimum."""

import numpy as np
import pytest

from asympkit.simulate.convex import NAMED, ArrayLoss, Task, draw_labels, mean_label, minimise


def _data(n, p, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n, p)) / np.sqrt(p)
    values = features @ rng.standard_normal(p) * 2 + 0.5 * rng.standard_normal(n)
    return features, values


def _total(loss, features, labels, lam, w):
    return loss.value(labels, features @ w).sum() + 0.5 * lam * w @ w


@pytest.mark.parametrize(("n", "p"), [(120, 40), (40, 90)])
@pytest.mark.parametrize("name", ["logistic", "hinge", "absolute", "square"])
def test_minimum_is_that_of_scikit_learn(name, n, p):
    linear_model, svm = (pytest.importorskip(f"sklearn.{name}") for name in ("linear_model", "svm"))
    lam = 0.3
    features, values = _data(n, p)
    labels = np.sign(values) if name in ("logistic", "hinge") else values
    made = {"logistic": lambda: linear_model.LogisticRegression(C=1 / lam, fit_intercept=False, tol=1e-9, max_iter=999),
            "hinge": lambda: svm.LinearSVC(C=1 / lam, loss="hinge", fit_intercept=False, tol=1e-9, max_iter=10**6),
            "absolute": lambda: svm.LinearSVR(C=1 / lam, epsilon=0.0, fit_intercept=False, tol=1e-9, max_iter=10**6),
            "square": lambda: linear_model.Ridge(alpha=lam, fit_intercept=False, tol=1e-12)}[name]()
    other = made.fit(features, labels).coef_.ravel()
    loss = NAMED[name]
    found = minimise(loss, features, labels, lam)
    best = _total(loss, features, labels, lam, found)
    assert best <= _total(loss, features, labels, lam, other) * (1 + 1e-7)
    assert np.linalg.norm(found - other) < 1e-3 * np.linalg.norm(other)


def test_small_penalties_of_separable_labels():
    features, values = _data(30, 60, seed=3)
    loss: ArrayLoss = NAMED["logistic"]
    w = minimise(loss, features, np.sign(values), 1e-6)
    slope = features.T @ loss.derivatives(np.sign(values), features @ w)[0] + 1e-6 * w
    assert np.linalg.norm(slope) < 1e-6 * np.linalg.norm(1e-6 * w) + 1e-12


@pytest.mark.parametrize(("flip", "noise"), [(0.0, 0.0), (0.1, 0.0), (0.2, 0.5), (0.9, 2.0)])
def test_mean_label_is_that_of_draws(flip, noise):
    rng, task = np.random.default_rng(3), Task(NAMED["hinge"], "sign", flip)
    at, count = np.array([-1.3, 0.2, 0.7]), 200_000
    drawn = draw_labels(rng, task, np.repeat(at, count) + np.sqrt(noise) * rng.standard_normal(3 * count))
    known = mean_label(task, lambda z: z, noise)(at)
    assert np.all(np.abs(drawn.reshape(3, count).mean(axis=1) - known) < 5 / np.sqrt(count))
