"""Ridge regression: fifty penalties on given features beside explicit inverses and scikit-learn, and the theory on
features of a given covariance beside its deterministic equivalent by inverses."""

import importlib.util
from functools import partial
from pathlib import Path

import numpy as np
from harness import Row, Task, race

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


EXAMPLE = Path(__file__).parents[2] / "examples" / "theories" / "ridge_from_free_energy.py"
INVERSES = ("Theory of examples/theories/ridge_from_free_energy.py. The baseline inverts `Omega Vhat + lam` of size "
            "{p} in each of its {steps} steps, to 1e-12.")


def features(quick):
    spec = importlib.util.spec_from_file_location(EXAMPLE.stem, EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    theory = example.theory
    p, lams = 200 if quick else 1000, np.geomspace(1e-4, 10.0, 50)
    omega, psi, at = problem(p, np.random.default_rng(0))

    def arrays():
        D, U = np.linalg.eigh(omega)
        return {"D": D, "T": p * (U.T @ psi) ** 2}

    known = arrays()
    theory.sweep(**known, **at | {"lam": lams}, backend="numba")
    t = race(1 if quick else 5, naive=lambda: naive_ridge(omega, psi, **at),
             whole=lambda: theory.solve(**arrays(), **at).test_error,
             point=Task(lambda: theory.solve(**known, **at).test_error, 3),
             path=lambda: theory.sweep(**arrays(), **at | {"lam": lams}, backend="numba")["test_error"])
    exact = theory.precise(digits=20, **known, **at).test_error
    path_error = max(abs(e / closed_formula(omega, psi, **at | {"lam": x}) - 1)
                     for e, x in list(zip(t["path"].result, lams))[::7])
    theirs, steps = t["naive"].result

    note, naive_error = INVERSES.format(p=p, steps=steps), float(abs(theirs / exact - 1))

    def row(task, name, points, error):
        return Row(task, t[name].median, "naive deterministic equivalent by inverses", t["naive"].median, points,
                   error=float(error), baseline_error=naive_error, note=note)

    return [row(f"ridge on features, p = {p}, eigenvalues included", "whole", 1, abs(t["whole"].result / exact - 1)),
            row(f"ridge on features, p = {p}, eigenvalues given", "point", 1, abs(t["point"].result / exact - 1)),
            row(f"the same at {len(lams)} penalties by `sweep()`, eigenvalues included", "path", len(lams), path_error)
            ], []


def problem(p, rng):
    """Covariance of features with decaying scales, its covariance with a target, and a point."""
    x = rng.standard_normal((p, 2 * p)) / np.arange(1, p + 1)[:, None] ** 0.4
    omega, psi = x @ x.T / (2 * p), rng.standard_normal(p) / p
    rho = float(1.5 * psi @ np.linalg.solve(omega, psi))
    return omega, psi, {"alpha": 1.5, "lam": 0.01, "rho": rho, "noise_variance": 0.1}


def closed_formula(omega, psi, *, alpha, lam, rho, noise_variance):
    """Test error by the resolvent of the covariance, for the accuracy alone."""
    D, U = np.linalg.eigh(omega)
    overlaps, p, n = (U.T @ psi) ** 2, len(omega), alpha * len(omega)
    zeta = (lam * p + D.sum()) / n
    for _ in range(100):        # Newton's method
        r = 1 / (D + zeta)
        left = 1 - np.sum((D * r) ** 2) / n
        zeta -= (zeta * (1 - np.sum(D * r) / n) - lam * p / n) / left
    return (rho + noise_variance - np.sum(overlaps * (r + zeta * r**2))) / left


def naive_ridge(omega, psi, *, alpha, lam, rho, noise_variance, tolerance=1e-12, limit=10_000):
    """Test error and number of steps: V, q, Q iterated with an inverse in every step (arXiv 2402.13999)."""
    p = len(omega)
    V, q, Q = 1.0, 1.0, 0.0
    for step in range(1, limit + 1):
        risk = rho + noise_variance + q - 2 * Q
        Vhat = alpha / (1 + V)
        qhat = alpha * risk / (1 + V) ** 2
        R = np.linalg.inv(omega * Vhat + lam * np.eye(p))
        A, weights = omega @ R, R @ psi
        new = (np.trace(A) / p, qhat * np.sum(A * A.T) / p + Vhat**2 * weights @ omega @ weights,
               Vhat * psi @ weights)
        moved = max(abs(a - b) for a, b in zip(new, (V, q, Q)))
        V, q, Q = new
        if moved < tolerance:
            return rho + noise_variance + q - 2 * Q, step
    raise RuntimeError(f"naive iteration: still moving by {moved:.1e} after {limit} steps")
