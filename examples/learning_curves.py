"""Learning curves after one gradient step
=======================================

Test errors for several first batches, theory and simulated networks (arXiv 2402.04980).
"""

import argparse
import itertools
import math

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import asympkit as ak

POINT = {"eta": 1.0, "lam": 0.01, "beta": 1.0}
BATCHES = {0: "#8c8c8c", 0.5: "#7b3fa0", 1: "#c8416b", 5: "#e8833a", math.inf: "#1b1b1b"}


def curves(alphas, simulated, d, repeats):
    """Test errors for each alpha0: ``{alpha0: (theory over alphas, simulated means, standard errors)}``."""
    model, result, seed = ak.OneStep("tanh", "sin"), {}, itertools.count()
    for alpha0 in BATCHES:
        at = {"alpha0": alpha0, **POINT}
        theory = model.sweep(alpha=alphas, **at)["test_error"]
        points = [model.simulate(alpha=a, d=d, repeats=repeats, seed=next(seed), **at)["test_error"]
                  for a in simulated]
        result[alpha0] = theory, np.array([e.mean for e in points]), np.array([e.stderr for e in points])
    return result


def draw(path, alphas, simulated, result, d, repeats):
    """Save the figure."""
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, axes = plt.subplots(figsize=(8.4, 4.8), layout="constrained")
    for alpha0, (theory, mean, error) in result.items():
        label = {0: "0 (no step)", math.inf: "∞ (population)"}.get(alpha0, f"{alpha0:g}")
        style = {"color": BATCHES[alpha0], "zorder": 3}
        axes.plot(alphas, theory, lw=1.8, ls="--" if math.isinf(alpha0) else "-", label=label, **style)
        if len(mean):
            axes.errorbar(simulated, mean, error, fmt="o", ms=4.5, mfc="white", capsize=2, **style)
    axes.set(yscale="log", xlim=(0, alphas[-1] * 1.02), ylabel="test error  (mean square)",
             xlabel=r"training samples per dimension  $\alpha=n/d$")
    ticks = [0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5]
    axes.set_yticks(ticks, map("{:g}".format, ticks))
    axes.minorticks_off()
    axes.set_title("tanh network, sin target, one gradient step on $\\alpha_0 d$ samples\n"
                   rf"$\tilde\eta={POINT['eta']:g}$, $\lambda={POINT['lam']:g}$, $p=d$;  lines: theory,  "
                   f"points: networks with $d={d}$, {repeats} each", fontsize=11)
    axes.grid(color="#e4e4e4", lw=0.6)
    figure.legend(title="first batch\n" r"$\alpha_0=n_0/d$", frameon=False, loc="outside right center")
    figure.savefig(path, dpi=160)
    plt.close(figure)


def main(arguments=None):
    """Compute and draw; return theory, means and errors at the simulated points."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="learning_curves.png", help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="small networks, three points a curve")
    options = parser.parse_args(arguments)
    d, repeats = (100, 4) if options.quick else (600, 10)
    simulated = np.array([0.5, 1.5, 2.5]) if options.quick else np.array([0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3])
    alphas = np.arange(1, 61) / 20
    result = curves(alphas, simulated, d, repeats)
    draw(options.out, alphas, simulated, result, d, repeats)
    at = np.isin(alphas, simulated)
    return {alpha0: (theory[at], mean, error) for alpha0, (theory, mean, error) in result.items()}


if __name__ == "__main__":
    main()
