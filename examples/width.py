"""Errors against the number of units
==================================

Theory beside trained networks (arXiv 2402.04980). Left, more units on the same samples: errors peak where they are as
many as the samples, and a penalty removes the peak. The learning rate grows with the units, so that all first layers
are equally strong. Right, all sizes grow together: a weak spike needs a mean readout of 1/r, at a price of 1/p, and
networks of usual sizes are far from the limit.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import asympkit as ak

PENALTIES, STEP = {1e-3: "#1f4e9e", 0.1: "#c8416b"}, {"alpha0": 5.0, "alpha": 1.5}
WEAK = {"eta": 1.0, "alpha0": 10.0, "alpha": 3.0, "lam": 1e-3}


def main(arguments=None):
    """Compute and draw; return theory, and simulated means and standard errors, by penalty and of the weak spike."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="width.png", help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="small networks")
    options, found = parser.parse_args(arguments), {}
    d, repeats, sizes = (40, 8, [40, 60]) if options.quick else (100, 20, [50, 100, 200, 400])
    ratios = np.array([0.5, 3.0]) if options.quick else np.array([0.1, 0.25, 0.5, 1, 1.5, 2, 3, 6])
    left, right = Figure(figsize=(10.4, 4.2), layout="constrained").subplots(1, 2)
    model, betas = ak.OneStep("tanh", "sin", bulk="exact"), np.geomspace(0.1, 6, 21 if options.quick else 61)
    for lam, colour in PENALTIES.items():
        curve, theory = (np.array([model.solve(beta=b, eta=b, lam=lam, width=b * d, **STEP).test_error for b in places])
                         for places in (betas, ratios))
        runs = [model.simulate(d=d, repeats=repeats, seed=k, beta=b, eta=b, lam=lam, **STEP)["test_error"]
                for k, b in enumerate(ratios)]
        found[lam] = theory, *np.array([(run.mean, run.stderr) for run in runs]).T
        left.plot(betas, curve, lw=1.8, color=colour, label=rf"$\lambda={lam:g}$")
        left.errorbar(ratios, *found[lam][1:], fmt="o", ms=4.5, mfc="white", capsize=2, color=colour)
    left.set(xscale="log", yscale="log", xlabel=r"units per dimension  $\beta=p/d$", ylabel="test error")
    left.set_title(rf"tanh, sin, $\alpha={STEP['alpha']:g}$; points: {repeats} networks, $d={d}$", fontsize=10)
    left.legend(frameon=False)
    weak, between = ak.OneStep("z*exp(-z**2/2)", "sin", bulk="exact"), np.geomspace(sizes[0], sizes[-1], 25)
    theory, curve = (weak.sweep(width=np.asarray(p, dtype=float), **WEAK)["test_error"] for p in (sizes, between))
    runs = [weak.simulate(d=p, repeats=repeats, seed=p, **WEAK)["test_error"] for p in sizes]
    found["weak"] = theory, *np.array([(run.mean, run.stderr) for run in runs]).T
    right.plot(between, curve, lw=1.8, color="#7b3fa0", label="theory at this number of units")
    right.errorbar(sizes, *found["weak"][1:], fmt="o", ms=4.5, mfc="white", capsize=2, color="#7b3fa0")
    right.axhline(weak.solve(**WEAK).test_error, color="k", ls=":", label="limit")
    right.set(xscale="log", xlabel="units  $p=d$")
    right.set_xticks(sizes, sizes, minor=False)
    right.minorticks_off()
    right.set_title(rf"$z\,\exp(-z^2/2)$, sin, $\alpha={WEAK['alpha']:g}$", fontsize=10)
    right.legend(frameon=False)
    left.figure.savefig(options.out, dpi=160)
    return found


if __name__ == "__main__":
    main()
