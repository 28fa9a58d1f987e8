"""Inputs that are not normal
==========================

What they share with the theory, and what they do not (arXiv 2402.04980). One step, tanh on labels sin(x.theta),
n = 500, d = 200, p = 100. Left, a target along all inputs: projections are sums of many inputs, and errors are those of
normal ones, unless single inputs, or the norm of a sample, stand out. Right, a target along one input, whose law is
that of the labels.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import asympkit as ak

D, P, PENALTIES = 200, 100, np.geomspace(0.01, 30, 5)
AT = {"eta": 1.0, "alpha0": 2.5, "alpha": 2.5, "beta": 0.5}
LAWS = {"normal": lambda rng, n: rng.standard_normal((n, D)),
        "uniform": lambda rng, n: rng.uniform(-(3**0.5), 3**0.5, (n, D)),
        "signs": lambda rng, n: rng.choice([-1.0, 1.0], (n, D)),
        "Student t, 5 degrees": lambda rng, n: rng.standard_t(5, (n, D)) * 0.6**0.5,
        "Student t, 3 degrees": lambda rng, n: rng.standard_t(3, (n, D)) / 3**0.5,
        "normal times a radius": lambda rng, n: rng.standard_normal((n, D)) * (3 / rng.chisquare(5, (n, 1))) ** 0.5}


def error(rng, law, theta):
    """Train one network by a step and ridge regressions, and return the test errors of the penalties."""
    (first, x, fresh), weights = (LAWS[law](rng, n) for n in (500, 500, 4000)), rng.standard_normal((P, D))
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    hidden = first @ weights.T
    missing = np.sin(first @ theta) - np.tanh(hidden).mean(axis=1)
    weights += (missing[:, None] / np.cosh(hidden) ** 2).T @ first * AT["eta"] / AT["beta"] / len(first)
    seen, unseen = (np.tanh(inputs @ weights.T) / P**0.5 for inputs in (x, fresh))
    readouts = [np.linalg.solve(seen.T @ seen + lam * np.eye(P), seen.T @ np.sin(x @ theta)) for lam in PENALTIES]
    return [np.mean((np.sin(fresh @ theta) - unseen @ w) ** 2) for w in readouts]


def main(arguments=None):
    """Compute and draw; return the theory, and means and standard errors by direction and law."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="input_laws.png", help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="few networks")
    options, found = parser.parse_args(arguments), {}
    repeats, lam = 6 if options.quick else 60, np.geomspace(0.01, 30, 33)         # every eighth is simulated
    theory = ak.OneStep("tanh", "sin", bulk="exact").sweep(lam=lam, width=P, **AT)["test_error"]
    panels = Figure(figsize=(10.4, 4.2), layout="constrained").subplots(1, 2, sharey=True)
    for panel, name, theta in zip(panels, ("all inputs", "one input"), (np.full(D, D**-0.5), np.eye(D)[0])):
        panel.plot(lam, theory, "k", lw=1.5, label="theory, normal inputs")
        for k, law in enumerate(LAWS):
            runs = np.array([error(np.random.default_rng([k, seed]), law, theta) for seed in range(repeats)])
            found[name, law] = runs.mean(axis=0), runs.std(axis=0, ddof=1) / repeats**0.5
            panel.errorbar(PENALTIES * 1.1 ** (k - 2), *found[name, law], fmt="o", ms=4, mfc="w", capsize=2, label=law)
        panel.set(xscale="log", xlabel=r"penalty $\lambda$", title=f"target along {name}")
    panels[0].set_ylabel(f"test error, {repeats} networks")
    panels[0].legend(frameon=False, fontsize=8, loc="upper left")
    panels[0].figure.savefig(options.out, dpi=160)
    return theory[::8], found


if __name__ == "__main__":
    main()
