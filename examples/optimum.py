"""Floors under learning curves
============================

How far networks are from the best that their samples allow.

The Bayes-optimal learner knows the target and the noise, and only has to find a direction (Barbier et al. 2019). Of
the same samples, those of the first step included, a network learns less. Left: one step, and message passing, which
reaches the optimum of this target. Right: a target that message passing does not learn although the samples allow it, a
hard phase; the dashed line is the fixed point between.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import asympkit as ak

AT = {"eta": 1.5, "alpha0": 1.0, "lam": 0.05, "noise_variance": 0.1}


def main(arguments=None):
    """Compute and draw; return network, optimum and simulated means and errors, and the branches of the hard phase."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="optimum.png", help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="small simulations")
    options = parser.parse_args(arguments)
    d, repeats = (150, 6) if options.quick else (600, 10)
    left, right = Figure(figsize=(9.6, 4.4), layout="constrained").subplots(1, 2)
    network, best = ak.OneStep("tanh", "sin"), ak.BayesOptimal("sin")
    alphas = np.linspace(0.25, 6.0, 24)
    network.plot("clean_error", ax=left, alpha=alphas, optimum=True, **AT)
    places, found = np.array([2.0, 4.0]), []
    for alpha in places:
        run = best.simulate(alpha=alpha, noise_variance=0.1, d=d, repeats=repeats)["clean_error"]
        at = best.solve(alpha=alpha, noise_variance=0.1).clean_error, network.solve(alpha=alpha - 1.0, **AT).clean_error
        found.append([*at, run.mean, run.stderr])
    found = np.array(found)
    left.errorbar(places - 1.0, found[:, 2], found[:, 3], fmt="o", ms=5, mfc="w", capsize=2, label="message passing")
    left.legend(frameon=False, fontsize=9)
    hard = ak.BayesOptimal("sin(2*z)")
    edges = hard.thresholds(noise_variance=0.1)
    path = hard.continuation(over="alpha", start=1.6, stop=2.2, noise_variance=0.1)
    for branch, style in zip(path.branches, ("-", "--", "-")):
        right.plot(branch.parameter, branch["q"], style, color="C0")
    for name in ("optimal", "reached"):
        right.axvline(edges[name], color="0.5", lw=0.9, ls=":")
        right.text(edges[name], 0.02, f" {name}", fontsize=9, transform=right.get_xaxis_transform())
    right.set(xlabel=r"$\alpha$", ylabel="overlap", title=r"$\sin 2z$", xlim=(1.6, 2.2))
    left.figure.savefig(options.out, dpi=150)
    return found, edges, path


if __name__ == "__main__":
    main()
