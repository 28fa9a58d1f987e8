"""The function that a network learns
==================================

Along its spike, beside trained networks (arXiv 2402.04980). One class of units expresses its mean and the mean's
slope, bent by larger steps; an initial readout of two values makes two classes, with functions of their own. The theory
is at the simulated number of units, over the exact bulk, but for two classes: they have the isotropic one.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import asympkit as ak

AT, ALPHA0, PLACES = {"alpha": 4.0, "lam": 0.02}, 20.0, np.array([-2.2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2.2])
CASES = {r"$\tilde\eta=1$": (1.0, None), r"$\tilde\eta=4$": (4.0, None),
         r"$\tilde\eta=1$, readouts 0.2 and 1.8": (1.0, [(0.2, 0.5), (1.8, 0.5)])}


def outputs(rng, d, eta, readout):
    """Train one network with d units and return its mean outputs at projections on the spike."""
    initial = np.concatenate([np.full(round(fraction * d), value) for value, fraction in readout or [(1, 1)]])
    weights, first, rest, x = (rng.standard_normal((round(m * d), d)) for m in (1, ALPHA0, 10, AT["alpha"]))
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    hidden = first @ weights.T                      # the target reads the first input
    missing = np.sin(1.5 * first[:, 0]) - np.tanh(hidden) @ initial / d
    step = initial[:, None] * ((missing[:, None] / np.cosh(hidden) ** 2).T @ first) * eta / len(first)
    weights, spike = weights + step, initial @ step / np.linalg.norm(initial @ step)
    features = np.tanh(x @ weights.T) / d**0.5
    trained = np.linalg.solve(features.T @ features + AT["lam"] * np.eye(d), features.T @ np.sin(1.5 * x[:, 0]))
    rest -= np.outer(rest @ spike, spike)
    return [np.tanh((rest + kappa * spike) @ weights.T).mean(axis=0) @ trained / d**0.5 for kappa in PLACES]


def main(arguments=None):
    """Compute and draw; return theory, simulated means and standard errors by label."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="learned_function.png", help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="small networks")
    options, found = parser.parse_args(arguments), {}
    (d, repeats), kappa = (60, 8) if options.quick else (200, 60), np.union1d(PLACES, np.linspace(-2.5, 2.5, 101))
    axes = Figure(figsize=(7.4, 4.6), layout="constrained").subplots()
    for seed, (label, (eta, readout)) in enumerate(CASES.items()):
        model = ak.OneStep("tanh", "sin(3*z/2)", readout=readout, bulk="isotropic" if readout else "exact")
        theory = model.learned_function(kappa, eta=eta, alpha0=ALPHA0, width=d, **AT)
        runs = np.array([outputs(np.random.default_rng([seed, k]), d, eta, readout) for k in range(repeats)])
        found[label] = theory[np.isin(kappa, PLACES)], runs.mean(axis=0), runs.std(axis=0, ddof=1) / repeats**0.5
        line, = axes.plot(kappa, theory, lw=1.8, label=label)
        axes.errorbar(PLACES, *found[label][1:], fmt="o", ms=4.5, mfc="white", capsize=2, color=line.get_color())
    gamma = model.parameters_at(eta=1, alpha0=ALPHA0)["gamma"]
    axes.plot(kappa, np.exp(-1.125 * (1 - gamma**2)) * np.sin(1.5 * gamma * kappa), "k:", label="target's mean")
    axes.set(xlabel=r"projection $\kappa$ on the spike", ylabel="mean output")
    axes.set_title(f"tanh network, target sin(3z/2); points: {repeats} networks of {d} units", fontsize=11)
    axes.legend(frameon=False)
    axes.figure.savefig(options.out, dpi=160)
    return found


if __name__ == "__main__":
    main()
