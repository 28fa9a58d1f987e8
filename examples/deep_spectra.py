"""Spectra of deep random features
===============================

Densities beside eigenvalues of sampled networks (arXiv 2402.13999): one panel for each depth from one to four, tanh
layers on inputs of two variances, with edges and what lies in a point.
"""

import argparse

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import asympkit as ak

LAYERS, INPUTS = ("1.5:tanh", "0.75:tanh", "1.25:tanh", "1:tanh"), (0.25, 4.0)


def eigenvalues(law, d, seed=0):
    """Of the covariance of one network in d dimensions with the coefficients of a law."""
    rng, size, matrix = np.random.default_rng(seed), d, np.diag(np.repeat(INPUTS, d // len(INPUTS)))
    for layer in law.args[1]:
        width, slope, rest = map(float, layer)
        rows = round(width * d)
        weights = rng.standard_normal((rows, size)) / np.sqrt(size)
        matrix, size = slope**2 * weights @ matrix @ weights.T + rest * np.eye(rows), rows
    return np.linalg.eigvalsh(matrix)


def draw(path, found):
    """Save the figure."""
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, panels = plt.subplots(1, len(found), figsize=(3.4 * len(found), 3.6), layout="constrained", squeeze=False)
    for panel, (depth, (law, values)) in zip(panels[0], found.items()):
        atoms = {float(place): float(share) for place, share in law.atoms().items()}
        bulk = values[np.all([np.abs(values - place) > 1e-9 for place in atoms], axis=0)] if atoms else values
        bins = np.geomspace(law.edges()[0, 0], law.edges()[-1, 1], 51)
        panel.hist(bulk, bins=bins, weights=np.full(bulk.size, 1 / values.size), color="0.8", label="one network")
        for low, high in law.edges():
            x = np.geomspace(low, high, 400)
            panel.plot(x, x * law.density(x) * np.log(bins[1] / bins[0]), lw=1.8, color="C3",
                       label="limit" if low == bins[0] else "")
        for place, share in atoms.items():
            panel.annotate(f"{share:.0%} at {place:.3f}", (0.05, 0.93), xycoords="axes fraction")
        panel.set(xscale="log", xlabel="eigenvalue", title=f"{depth} layer{'s' * (depth > 1)}", ylim=(0, None))
    panels[0][0].set_ylabel("share of eigenvalues")
    panels[0][0].legend(frameon=False)
    figure.savefig(path, dpi=160)
    plt.close(figure)


def main(arguments=None):
    """Compute and draw; return laws and eigenvalues by depth."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="deep_spectra.png", help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="two depths, small networks")
    options = parser.parse_args(arguments)
    found = {}
    for depth in range(1, 3 if options.quick else len(LAYERS) + 1):
        law = ak.DeepFeatures(",".join(LAYERS[:depth]), "1:sign").covariance_law(input_spectrum=INPUTS)
        found[depth] = law, eigenvalues(law, 200 if options.quick else 800)
    draw(options.out, found)
    return found


if __name__ == "__main__":
    main()
