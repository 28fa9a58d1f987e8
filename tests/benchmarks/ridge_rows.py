"""Ridge regression on given features for fifty penalties, beside explicit inverses and scikit-learn."""

from functools import partial

import numpy as np
from table import Row
from timing import race

from asympkit.simulate import RidgePath

SHAPES = ((2000, 1000), (1000, 1000), (800, 1000))
LAMS = np.logspace(-3, 3, 50)
NOTE = ("Weights for all penalties from features and labels, Gram matrices included. All may use the BLAS threads of "
        "the last line; `RidgePath` takes one of them once its Gram matrix is there. The error is that of the weights, "
        "against `numpy.linalg.solve` for each penalty.")
CHOICE = ("`RidgeCV` does another thing: leave-one-out errors for all penalties and the weights of the best one "
          "alone. It is what scikit-learn users run for a path.")
WITHOUT = "ridge: scikit-learn is not installed, its rows are left out."


def rows(quick):
    shapes = ((200, 100), (80, 100)) if quick else SHAPES
    made = [row for shape in shapes for row in path_rows(*shape, 3 if quick else 5)]
    return made, [] if scikit_learn() else [WITHOUT]


def path_rows(n, p, rounds):
    """Rows for features of one shape."""
    rng = np.random.default_rng(0)
    Phi, y = np.tanh(rng.standard_normal((n, p))), rng.standard_normal(n)
    baselines = {f"{len(LAMS)} explicit inverses": by_inverses, **scikit_learn()}
    t = race(rounds, ours=lambda: RidgePath(Phi, y).solve(LAMS),
             **{name: partial(fit, Phi, y) for name, fit in baselines.items()})
    exact, task = by_solve(Phi, y), f"ridge path, {len(LAMS)} penalties, n = {n}, p = {p}"
    error = off(t["ours"].result, exact)
    for name in baselines:
        weights = t[name].result
        known, note = (None, CHOICE) if weights is None else (off(weights, exact), NOTE)
        yield Row(task, t["ours"].median, name, t[name].median, len(LAMS), len(LAMS), error=error,
                  baseline_error=known, note=note)


def by_inverses(Phi, y):
    """Weights, one column a penalty, by the inverse of the smaller matrix."""
    n, p = Phi.shape
    if p <= n:
        gram, right, eye = Phi.T @ Phi / p, Phi.T @ y / np.sqrt(p), np.eye(p)
        return np.stack([np.linalg.inv(gram + lam * eye) @ right for lam in LAMS], axis=1)
    gram, eye = Phi @ Phi.T / p, np.eye(n)
    return Phi.T @ np.stack([np.linalg.inv(gram + lam * eye) @ y for lam in LAMS], axis=1) / np.sqrt(p)


def by_solve(Phi, y):
    """Weights by elimination, the reference; of the p x p system for every n."""
    p = Phi.shape[1]
    gram, right, eye = Phi.T @ Phi / p, Phi.T @ y / np.sqrt(p), np.eye(p)
    return np.stack([np.linalg.solve(gram + lam * eye, right) for lam in LAMS], axis=1)


def scikit_learn():
    """The two ways of scikit-learn, without intercept as the others, by name; empty where it is not installed."""
    try:
        from sklearn.linear_model import Ridge, RidgeCV
    except ImportError:
        return {}

    def ridge(Phi, y):
        scale = np.sqrt(Phi.shape[1])
        return np.stack([Ridge(alpha=lam * scale**2, fit_intercept=False).fit(Phi, y).coef_ * scale for lam in LAMS], 1)

    def ridge_cv(Phi, y):
        RidgeCV(alphas=LAMS * Phi.shape[1], fit_intercept=False, store_cv_results=True).fit(Phi, y)

    return {f"scikit-learn, {len(LAMS)} fits of `Ridge`": ridge, "scikit-learn, `RidgeCV` with stored errors": ridge_cv}


def off(weights, exact):
    return float(np.max(np.linalg.norm(weights - exact, axis=0) / np.linalg.norm(exact, axis=0)))
