"""Images of digits
================

Ridge regression on real images, by their covariances alone (arXiv 2402.13999). Even against odd digits: the test error
over the number of images, for pixels and for features of random networks. The theory knows the covariances of the
images and those with the labels. Needs scikit-learn (the extra "examples" of the package).
"""

import argparse

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import asympkit as ak
from asympkit.networks.layers import measure

LAMBDA, WIDTH = 0.01, 80
COLOURS = "#1b1b1b", "#7b3fa0", "#e8833a"


def data():
    """Features of 1797 images by name, and labels of even and odd digits, 2 apart, all of mean 0."""
    images, digits = load_digits(return_X_y=True)
    rng, x = np.random.default_rng(0), (images - images.mean(axis=0)) / images.std()
    found = {"64 pixels": x}
    for depth, words in ((1, "one layer"), (2, "two layers")):
        values = x
        for width in (2 * WIDTH, WIDTH)[2 - depth:]:
            values = np.tanh(values @ rng.standard_normal((values.shape[1], width)) / np.sqrt(values.shape[1]))
        found[f"{WIDTH} units behind {words}"] = values - values.mean(axis=0)
    labels = np.where(digits % 2, -1.0, 1.0)
    return found, labels - labels.mean()


def regressions(features, labels, n, repeats):
    """Test errors over all images of regressions on n of them, drawn with replacement: the data are the population."""
    rng, p, errors = np.random.default_rng(n), features.shape[1], []
    for _ in range(repeats):
        x, y = (array[drawn] for drawn in [rng.integers(len(labels), size=n)] for array in (features, labels))
        w = np.linalg.solve(x.T @ x / p + LAMBDA * np.eye(p), x.T @ y / p)
        errors.append(np.mean((labels - features @ w) ** 2))
    return np.mean(errors), np.std(errors) / np.sqrt(repeats)


def main(arguments=None):
    """Compute and draw; return for each kind of features the theory and means and errors of regressions."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="digits.png", help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="few repetitions")
    options = parser.parse_args(arguments)
    repeats = 5 if options.quick else 50
    counts = np.array([40, 320] if options.quick else [20, 40, 60, 80, 120, 200, 400, 800])
    grid = np.geomspace(15, 1000, 120)
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, axes = plt.subplots(figsize=(6.6, 4.6), layout="constrained")
    features, labels = data()
    found = {}
    for (name, values), colour in zip(features.items(), COLOURS):
        seen = measure(values, labels)
        theory = ak.Ridge(seen.Omega, seen.psi, seen.rho)
        drawn = np.array([regressions(values, labels, n, repeats) for n in counts])
        found[name] = theory.sweep(n=counts, lam=LAMBDA)["test_error"], *drawn.T
        axes.plot(grid, theory.sweep(n=grid, lam=LAMBDA)["test_error"], lw=1.8, color=colour, label=name)
        axes.errorbar(counts, drawn[:, 0], 2 * drawn[:, 1], fmt="o", ms=4.5, mfc="white", capsize=2, color=colour)
    axes.set(xscale="log", xlabel="training images", ylabel="test error  (mean square)",
             title=rf"even and odd digits, $\lambda={LAMBDA:g}$;  lines: theory,  points: regressions")
    axes.legend(frameon=False)
    figure.savefig(options.out, dpi=160)
    plt.close(figure)
    return found


if __name__ == "__main__":
    main()
