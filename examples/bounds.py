"""Bounds over the strength of the spike
=====================================

Bounds of the test error of any readout, and networks between them (arXiv 2402.04980, (26)-(28)).

The best penalty does no worse than the upper bound, and no number of samples helps below the lower one; the stars are
the best strengths (28). The bounds belong to the limit: with the simulated number of units, at which the curves are
drawn, the mean readout of a weak spike has a price.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import asympkit as ak

ALPHAS, AT = {2.0: "#e8833a", 8.0: "#c8416b", 50.0: "#7b3fa0"}, {"c": 1.0, "gamma": 1.0, "noise_variance": 0.0}


def main(arguments=None):
    """Compute and draw; return simulated strengths, bounds, theory, means and standard errors by alpha."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="bounds.png", help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="small networks")
    options, found = parser.parse_args(arguments), {}
    d, repeats = (60, 4) if options.quick else (100, 12)
    strengths = np.linspace(0.4, 4, 10 if options.quick else 37)
    at = np.isin(strengths, simulated := strengths[1::5] if options.quick else strengths[2::4])
    model = ak.SpikedFeatures("tanh", "sin(5*z/4)")
    axes = Figure(figsize=(7.4, 4.6), layout="constrained").subplots()
    bounds = model.bounds(r=strengths, **AT)
    axes.fill_between(strengths, bounds["lower"], bounds["upper"], color="#eeeeee", label="(26) to (27)")
    for name in ("upper", "lower"):
        axes.plot(strengths, bounds[name], color="#8c8c8c", lw=1)
        best = model.bounds_theory.minimize(name, over="r", bounds=(0.1, 8))
        axes.plot(best.where, best.value, "k*", ms=9)
    for alpha, colour in ALPHAS.items():
        best = model.minimize("test_error", over="lam", bounds=(1e-4, 1e3), r=strengths, alpha=alpha, width=d, **AT)
        runs = [model.simulate(r=r, lam=lam, alpha=alpha, d=d, repeats=repeats, seed=k, **AT)["test_error"]
                for k, (r, lam) in enumerate(zip(simulated, best.where[at]))]
        found[alpha] = best.value[at], np.array([e.mean for e in runs]), np.array([e.stderr for e in runs])
        axes.plot(strengths, best.value, lw=1.8, color=colour, label=rf"best penalty, $\alpha={alpha:g}$, $p={d}$")
        axes.errorbar(simulated, *found[alpha][1:], fmt="o", ms=4.5, mfc="white", capsize=2, color=colour)
    axes.axhline(bounds["best_linear"][0], color="k", ls=":", lw=1, label="best linear predictor")
    axes.set(yscale="log", xlabel="strength of the spike $r$", ylabel="test error")
    axes.set_title(rf"tanh student, target sin(5z/4), $\gamma=c=1$; points: {repeats} networks, $d=p={d}$", fontsize=11)
    axes.legend(frameon=False)
    axes.figure.savefig(options.out, dpi=160)
    return simulated, {name: values[at] for name, values in bounds.items()}, found


if __name__ == "__main__":
    main()
