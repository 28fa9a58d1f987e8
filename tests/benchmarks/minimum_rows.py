"""The best penalty along a whole learning curve, beside one point of the published method."""

import numpy as np
from scipy.optimize import minimize_scalar
from setting import LAM, STEP, dimension, model, published, published_matrix
from table import Row
from timing import Task, race

POINTS = 1000
NOTE = ("All {n} minimisations over lam together, tables included, beside one solution of the published method at one "
        "lam. The error is that of the smallest test error at three alphas, from a search over `solve()`.")


def rows(quick):
    theory, alphas = model(), np.linspace(0.1, 3.0, POINTS)
    method = published(published_matrix(dimension(quick)))

    def optimal():
        return theory.minimize("test_error", over="lam", bounds=(1e-6, 1e3), alpha=alphas, **STEP)

    optimal()
    t = race(1 if quick else 3, ours=Task(optimal, 1 if quick else 5), published=lambda: method.solve(1.5, LAM))
    found = t["ours"].result
    if not found.converged.all():
        raise RuntimeError("minimum: some minimisations did not converge")
    error = max(abs(found.value[k] / searched(theory, alphas[k]) - 1) for k in (100, 500, 900))
    return [Row(f"best lam at {POINTS} alphas by one `minimize()`", t["ours"].median, "published method, one point",
                t["published"].median, points=POINTS, whole=True, error=float(error), note=NOTE.format(n=POINTS))], []


def searched(theory, alpha):
    """Smallest test error over lam by values alone: a scan, then Brent's method around its lowest point."""
    def value(log):
        return theory.solve(alpha=alpha, lam=float(np.exp(log)), **STEP).test_error

    logs = np.linspace(np.log(1e-6), np.log(1e3), 43)
    lowest = int(np.argmin([value(x) for x in logs]))
    around = logs[max(lowest - 1, 0)], logs[min(lowest + 1, len(logs) - 1)]
    return minimize_scalar(value, bounds=around, method="bounded", options={"xatol": 1e-7}).fun
