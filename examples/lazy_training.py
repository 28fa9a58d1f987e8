"""A deep network trained ever faster
==================================

Where the theory of its features breaks (arXiv 2402.13999). Both layers of a tanh network are trained with a small
output scale; then a new readout is fitted by ridge regression. Left: its error over the learning rate, and predictions
from the trained weights and from measured covariances. Right: how far these are off, with two standard errors.
"""

import argparse
import warnings

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import asympkit as ak
from asympkit.simulate import train_layers

TANH, FIT = ak.Activation("tanh"), {"lam": 0.05}
COLOURS = {"weights": "#7b3fa0", "measured covariances": "#e8833a"}


def after_training(rate, d, repeats, steps=100):
    """One network: change of its weights, verdict, its error (with a standard error) and both predictions."""
    rng, width, n = np.random.default_rng(0), round(1.5 * d), 2 * d
    start = [rng.standard_normal((width, d)) / d**0.5, rng.standard_normal((width, width)) / width**0.5]
    target, readout = rng.standard_normal((d, d)) / d**0.5, rng.standard_normal(d)
    weights, _, _ = train_layers(rng, [(w, TANH) for w in start], [(target, TANH)], readout=readout, batch=n,
                                 learning_rate=rate, steps=steps, scale=0.01)
    network = ak.DeepFeatures.from_weights([(w, TANH) for w in weights], [(target, TANH)], method="neuron-wise")
    measured = network.sample(readout, samples=100 * width, seed=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)       # this is what is looked for
        seen = network.laziness([(w, TANH) for w in start], measured)
    error = network.simulate(n=n, readout=readout, repeats=repeats, seed=1, **FIT)["clean_error"]
    by_weights = network.solve(n=n, readout=readout, **FIT).clean_error
    by_samples = ak.ridge_error(measured.Omega, measured.psi, measured.rho, n=n, **FIT).clean_error
    return {"change": max(seen.changes), "verdict": seen.verdict, "network": error.mean, "stderr": error.stderr,
            "weights": by_weights, "measured covariances": by_samples}


def draw(path, rates, rows):
    """Save the figure."""
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    verdicts, error, stderr = (np.array([row[k] for row in rows]) for k in ("verdict", "network", "stderr"))
    lazy = verdicts == "lazy"
    right.axhspan(-5, 5, color="#eeeeee")
    for name, colour in COLOURS.items():
        theory = np.array([row[name] for row in rows])
        left.plot(rates, theory, lw=1.8, color=colour, label=f"theory, from the {name}")
        off = 100 * (theory / error - 1)
        right.errorbar(rates, off, 200 * stderr / error, fmt="o-", ms=5, mfc="white", capsize=2, lw=1, color=colour)
        right.plot(rates[lazy], off[lazy], "o", ms=5, color=colour, zorder=3)
    left.errorbar(rates, error, 2 * stderr, fmt="o", ms=4.5, mfc="white", capsize=2, color="#1b1b1b", label="network")
    left.set(xscale="log", yscale="log", xlabel="learning rate", ylabel="error of a new readout")
    left.legend(frameon=False, loc="lower left", fontsize=9)
    right.set(xscale="log", xlabel="learning rate  (filled: weights still lazy)",
              ylabel="theory over network - 1  (%)")
    figure.savefig(path, dpi=160)
    plt.close(figure)


def main(arguments=None):
    """Train, compare and draw; return the learning rates and what was found at each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="lazy_training.png", help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="a small network, two learning rates")
    options = parser.parse_args(arguments)
    rates = np.array([1e-3, 0.8]) if options.quick else np.geomspace(1e-3, 0.8, 13)
    rows = [after_training(rate, *((60, 8) if options.quick else (150, 10))) for rate in rates]
    draw(options.out, rates, rows)
    return rates, rows


if __name__ == "__main__":
    main()
