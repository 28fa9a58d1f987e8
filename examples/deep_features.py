"""Learning curves of deep random networks
=======================================

Ridge regression on the last features (arXiv 2402.13999). Left: the test error over the number of samples, without
matrices, and simulated networks. Right: their distance from the theory in standard errors.
"""

import argparse

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import asympkit as ak

POINT = {"lam": 0.05, "noise_variance": 0.1}
SPECTRUM = [3.0, 1.0, 0.5, 0.5]
NETWORKS = {"two layers, a target of its own": ("1.5:tanh,1:erf(z)", "1:sign"),
            "two layers, on which the target stands": ("1.5:tanh,1:erf(z)", "1.5:tanh=,1:erf(z)="),
            "one layer, the target of the first": ("1.5:tanh", "1:sign")}
COLOURS = "#7b3fa0", "#e8833a", "#1b1b1b"


def curves(alphas, simulated, d, repeats):
    """For each network: theory, means and standard errors of simulations, and the theory at their points."""
    found = {}
    for number, (name, layers) in enumerate(NETWORKS.items()):
        theory, at = ak.DeepFeatures(*layers), {"input_spectrum": SPECTRUM, **POINT}
        drawn = [theory.simulate(alpha=float(a), d=d, repeats=repeats, seed=100 * number + k, **at)["test_error"]
                 for k, a in enumerate(simulated)]
        errors = [theory.sweep(alpha=points, **at)["test_error"] for points in (alphas, simulated)]
        found[name] = errors[0], np.array([e.mean for e in drawn]), np.array([e.stderr for e in drawn]), errors[1]
    return found


def draw(path, alphas, simulated, found, d):
    """Save the figure."""
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained", width_ratios=(3, 2))
    right.axhspan(-2, 2, color="#eeeeee")
    for k, ((name, (theory, mean, error, limit)), colour) in enumerate(zip(found.items(), COLOURS)):
        left.plot(alphas, theory, lw=1.8, color=colour, label=name)
        left.errorbar(simulated, mean, 2 * error, fmt="o", ms=4.5, mfc="white", capsize=2, color=colour)
        right.plot(simulated * (1 + 0.02 * (k - 1)), (mean - limit) / error, "o", ms=5, mfc="white", color=colour)
    left.set(xlabel=r"training samples per dimension  $\alpha=n/d$", ylabel="test error  (mean square)",
             title=rf"$\lambda={POINT['lam']:g}$, noise {POINT['noise_variance']:g}; points: $d={d}$",
             ylim=(0, None))
    left.legend(frameon=False, fontsize=9)
    right.set(xlabel=r"$\alpha$", ylabel="(simulated - theory) / standard error", ylim=(-5, 5))
    figure.savefig(path, dpi=160)
    plt.close(figure)


def main(arguments=None):
    """Compute and draw; return the curves."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="deep_features.png", help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="small networks, few points a curve")
    options = parser.parse_args(arguments)
    d, repeats = (60, 4) if options.quick else (200, 16)
    simulated = np.array([0.5, 2.0]) if options.quick else np.array([0.25, 0.5, 1.0, 1.5, 2.5, 4.0])
    alphas = np.linspace(0.1, 4.2, 83)
    found = curves(alphas, simulated, d, repeats)
    draw(options.out, alphas, simulated, found, d)
    return found


if __name__ == "__main__":
    main()
