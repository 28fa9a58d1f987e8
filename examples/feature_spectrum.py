"""Spectra of features after a large step
======================================

Outliers beside simulated ones (arXiv 2402.04980). Left, tanh after a step: a bulk, and one giant eigenvalue along the
constant, which grows with the dimension. Right, a student whose slope far along the spike its mean does not explain: a
second outlier leaves the bulk, along W v.
"""

import argparse

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import asympkit as ak


def main(arguments=None):
    """Compute and draw; return the spectra and the simulated eigenvalues by title."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="feature_spectrum.png", help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="small networks")
    options = parser.parse_args(arguments)
    d = 60 if options.quick else 200
    settings = {"repeats": 2 if options.quick else 5, "seed": 1}
    spectra = {
        "tanh after a step": ak.OneStep("tanh", "sin").spectrum(eta=1, alpha0=5, alpha=3, beta=1, width=d),
        "z sin(z) exp(-z²/16)": ak.SpikedFeatures("z*sin(z)*exp(-z**2/16)", "z").spectrum(
            r=1.2, c=0.9, alpha=20, beta=3, width=3 * d)}
    figure, panels = plt.subplots(1, 2, figsize=(10.4, 3.9), layout="constrained")
    found = {}
    for panel, (title, spectrum) in zip(panels, spectra.items()):
        spectrum.plot(simulation=settings, ax=panel).set_title(title)
        found[title] = spectrum, spectrum.simulate(**settings)
    figure.savefig(options.out, dpi=160)
    plt.close(figure)
    return found


if __name__ == "__main__":
    main()
