"""The theorem of ridge regression beside its damped iteration, and the chain of deep networks by depth."""

import numpy as np
from harness import Row, race
from scipy.optimize import brentq

DAMPED = ("Six order parameters by damped iteration (damping 1/2), numpy sums over all eigenvalues, until no step is "
          "above 1e-10: {steps} steps.")
CHAIN = ("A bracket for the one unknown of the chain (brentq, plain Python with numpy), derivatives along the chain. "
         "{points} points.")
DEPTHS = (1, 2, 4, 8, 16)


def rows(quick):
    return [*_theorem(quick), *_many(quick), *_chain(quick)], []


def _theorem(quick):
    import asympkit as ak

    p, rng = 200 if quick else 1000, np.random.default_rng(0)
    x = rng.standard_normal((p, 2 * p)) / np.arange(1, p + 1)[:, None]**0.4
    omega, psi = x @ x.T / (2 * p), rng.standard_normal(p) / p
    rho, noise = float(1.5 * psi @ np.linalg.solve(omega, psi)), 0.1
    D, U = np.linalg.eigh(omega)
    T = p * (U.T @ psi)**2
    raw = ak.Ridge(omega, psi, rho)
    short = raw.compressed()
    lams, alphas = np.geomspace(1e-3, 1.0, 40), np.linspace(0.3, 3.0, 25)
    grid = {"n": alphas * p, "lam": lams, "noise_variance": noise}
    for t in (raw, short):
        t.sweep(**grid, backend="numba")
    t = race(2 if quick else 5, damped=lambda: damped(D, T, 1.5, 0.01, rho, noise),
             raw=lambda: raw.sweep(**grid, backend="numba")["test_error"],
             short=lambda: short.sweep(**grid, backend="numba")["test_error"])
    points = lams.size * alphas.size
    theirs, steps = t["damped"].result
    exact = raw.solve(n=1.5 * p, lam=0.01, noise_variance=noise).test_error
    apart = float(np.max(np.abs(t["short"].result / t["raw"].result - 1)))
    note = DAMPED.format(steps=steps)

    def row(task, name, error):
        return Row(task, t[name].median, "damped iteration", t["damped"].median, points, error=error,
                   baseline_error=float(abs(theirs / exact - 1)), note=note)

    return [row(f"ridge theorem, p = {p}, all eigenvalues, by `sweep()`", "raw", 1e-15),
            row(f"the same on {len(short.spectrum.eigenvalues)} Gauss nodes", "short", apart)]


def _many(quick):
    return [row for p in ((10**4,) if quick else (10**5, 10**6)) for row in _power_law(p, 2 if quick else 3)]


def _power_law(p, rounds):
    """Spectra too long for matrices: the first solution, preparation included, and a sweep."""
    import asympkit as ak

    k = np.arange(1, p + 1)
    D, psi = k**-1.5, k**-2.1
    rho, noise, lam, n = float(1.3 * psi @ (psi / D)), 0.1, 1e-4, p / 10
    t = ak.Ridge((D, np.ones(p)), psi, rho)
    lams, sizes = np.geomspace(1e-6, 1e-2, 20), np.geomspace(p / 100, p, 10)
    t.sweep(n=sizes, lam=lams, noise_variance=noise)

    def first():
        return ak.Ridge((D, np.ones(p)), psi, rho).solve(n=n, lam=lam, noise_variance=noise).test_error

    timed = race(rounds, damped=lambda: damped(D, p * psi**2, n / p, lam, rho, noise), first=first,
                 sweep=lambda: t.sweep(n=sizes, lam=lams, noise_variance=noise))
    theirs, steps = timed["damped"].result
    error, note = float(abs(theirs / timed["first"].result - 1)), DAMPED.format(steps=steps)
    return [Row(f"p = {p:.0e} eigenvalues, a power law: {task}", timed[name].median, "damped iteration",
                timed["damped"].median, points, baseline_error=error, note=note)
            for task, name, points in (("preparation and the first `solve()`", "first", 1),
                                       ("200 points by `sweep()`", "sweep", sizes.size * lams.size))]


def damped(D, T, alpha, lam, rho, noise):
    """Test error by iterating all order parameters, and the number of steps."""
    V, q, Q, Vhat, qhat, Qhat = 1.0, 1.0, 0.1, 1.0, 1.0, 1.0
    for step in range(1, 100_000):
        S = lam + Vhat * D
        new = (np.mean(D / S), np.mean((qhat * D**2 + Qhat**2 * T * D) / S**2), np.mean(Qhat * T / S),
               alpha / (1 + V), alpha * (rho + noise + q - 2 * Q) / (1 + V)**2, alpha / (1 + V))
        old = V, q, Q, Vhat, qhat, Qhat
        V, q, Q, Vhat, qhat, Qhat = (0.5 * (a + b) for a, b in zip(old, new))
        if max(abs(a - b) / (abs(a) + 1e-300) for a, b in zip(old, new)) < 1e-10:
            return rho + noise + q - 2 * Q, step
    raise RuntimeError("the damped iteration did not settle")


def _chain(quick):
    import asympkit as ak

    size = 20 if quick else 100
    alphas, lams = np.linspace(0.2, 4.0, size), np.geomspace(1e-4, 1.0, size)
    found = []
    for depth in DEPTHS[:2] if quick else DEPTHS:
        t = ak.DeepFeatures(",".join(["1.5:tanh"] * depth), "1:sign")
        shown = t.point(t.given({"alpha": 1.0, "lam": 0.1})).shown
        layers = [(1.5, shown[f"kappa1_{k}"]**2, shown[f"kappastar2_{k}"]) for k in range(1, depth + 1)]
        t.sweep(alpha=alphas, lam=lams, backend="numba")
        timed = race(2 if quick else 5, chain=lambda layers=layers: by_bracket(layers, 1.0, 0.1, 2 / np.pi),
                     sweep=lambda t=t: t.sweep(alpha=alphas, lam=lams, backend="numba")["test_error"])
        one = t.solve(alpha=1.0, lam=0.1).test_error
        digits = float(t.precise(digits=25, alpha=1, lam="0.1").test_error)
        found.append(Row(f"deep network of {depth} layers, by `sweep()`", timed["sweep"].median,
                         "the chain's one unknown in Python", timed["chain"].median, size * size,
                         error=abs(one / digits - 1), baseline_error=abs(timed["chain"].result / digits - 1),
                         note=CHAIN.format(points=size * size)))
    return found


def by_bracket(layers, alpha, lam, transmitted):
    """Test error without noise on isotropic inputs, of a target of variance 1."""
    def walk(zeta):
        before, D, rate, slope = 1.0, 1 / (1 + zeta), 1.0, -1 / (1 + zeta)**2
        for p, a, b in layers:
            new = a * p / before * zeta * (1 - D / p) - b
            if new <= 0:
                return None
            new_rate = a * p / before * (rate * (1 - D / p) - zeta * slope / p)
            slope = -new_rate * (p - D) / (b + new) + new * slope / (b + new) + new * (p - D) / (b + new)**2 * new_rate
            D, zeta, rate, before = p - new * (p - D) / (b + new), new, new_rate, p
        return zeta, D, rate, slope, before

    def miss(x):
        found = walk(np.exp(x))
        return -1.0 if found is None else alpha / found[4] * found[0] * (1 - found[1] / alpha) - lam

    start = np.exp(brentq(miss, -25, 25, xtol=1e-15))
    zeta, D, rate, slope, _ = walk(start)
    Q, rise = transmitted / (1 + start), -transmitted / (1 + start)**2
    return (1 - Q + zeta * rise / rate) / (1 - (D + zeta * slope / rate) / alpha)
