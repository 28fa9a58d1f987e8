"""Readouts of several values
==========================

Learning curves of networks whose readout has several values before the step (arXiv 2402.04980, appendix D).

Each value makes a class of units with a spike of its own; classes that differ express more functions. The theory is at
the simulated number of units: the limit, dotted, leaves the mean readouts of classes free, far from any network.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import asympkit as ak

TARGET, STEP = "sin(3*z/2)", {"eta": 1.5, "alpha0": 20.0, "lam": 0.02}
READOUTS = {"uniform": None, "half 1/2, half 3/2": [(0.5, 0.5), (1.5, 0.5)], "half 0, half 2": [(0, 0.5), (2, 0.5)]}


def main(arguments=None):
    """Compute and draw; return theory, limit, and means and standard errors of networks, by readout."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="readout_values.png", help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="small networks")
    options, found = parser.parse_args(arguments), {}
    d, repeats = (60, 6) if options.quick else (200, 16)
    simulated = np.array([1.0, 3.0]) if options.quick else np.array([0.5, 1, 1.5, 2, 3, 4])
    alphas = np.union1d(simulated, np.linspace(0.3, 4, 38))
    at = np.isin(alphas, simulated)
    axes = Figure(figsize=(7.4, 4.6), layout="constrained").subplots()
    for seed, (label, readout) in enumerate(READOUTS.items()):
        model = ak.OneStep("tanh", TARGET, readout=readout)
        theory, limit = (model.sweep(alpha=alphas, width=width, **STEP)["test_error"] for width in (d, np.inf))
        line, = axes.plot(alphas, theory, lw=1.8, label=label)
        axes.plot(alphas, limit, lw=1, ls=":", color=line.get_color())
        run = model.simulate(alpha=simulated, d=d, repeats=repeats, seed=seed, **STEP)["test_error"]
        axes.errorbar(simulated, run.mean, run.stderr, fmt="o", ms=5, mfc="w", capsize=2, color=line.get_color())
        found[label] = [theory[at], limit[at], run.mean, run.stderr]
    axes.set(yscale="log", xlabel=r"training samples per dimension  $\alpha=n/d$", ylabel="test error")
    axes.set_title(f"tanh, target sin(3z/2), $d=p={d}$; o {repeats} networks", fontsize=11)
    axes.legend(title="readout before the step", frameon=False)
    axes.figure.savefig(options.out, dpi=160)
    return found


if __name__ == "__main__":
    main()
