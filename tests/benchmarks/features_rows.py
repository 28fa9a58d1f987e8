"""Ridge regression on features of a given covariance, beside the deterministic equivalent by inverses."""

import importlib.util
from pathlib import Path

import numpy as np
from naive_equivalent import naive_ridge
from table import Row
from timing import Task, race

EXAMPLE = Path(__file__).parents[2] / "examples" / "ridge_from_free_energy.py"
NOTE = ("Theory of examples/ridge_from_free_energy.py. The baseline inverts `Omega Vhat + lam` of size {p} in each of "
        "its {steps} steps, to 1e-12.")


def rows(quick):
    theory = load(EXAMPLE).theory
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

    note, naive_error = NOTE.format(p=p, steps=steps), float(abs(theirs / exact - 1))

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


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
