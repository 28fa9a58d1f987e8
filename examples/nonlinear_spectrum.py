"""Non-linear spikes in the spectrum
=================================

Singular values of a network's features before and after one large gradient step (arXiv 2310.07891).

With the learning rate eta = n**exponent, one more spike leaves the bulk at each of the exponents 0, 1/4, 1/3, 3/8, ...
The figure shows the features of one network of two students in the first and in the second window: the singular
values that point along (X beta)**k are marked as spike k, with their squared overlap, and so is the leading size
that theory gives to the spike alone (triangles).  phi = psi = 1/2, labels H_1 + H_2/sqrt(2) without noise.

The student ``sin(z) + cos(z) - exp(-1/2)`` has bounded derivatives, zero mean and no vanishing Hermite coefficient.
"""

import argparse

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import asympkit as ak
from asympkit.simulate import nonlinear_singular_values

AT = {"phi": 0.5, "psi": 0.5, "noise_variance": 0.0}
TARGET = "z+(z**2-1)/sqrt(2)"
STUDENTS = {r"$z+(z^2-1)/\sqrt{2}$": ("z+(z**2-1)/sqrt(2)", 1.0),
            r"$\sin z+\cos z-e^{-1/2}$": ("sin(z)+cos(z)-exp(-1/2)", 2.0)}
EXPONENTS = (0.15, 0.3)
COLOURS = {1: "#1f4e9e", 2: "#c8416b"}


def panel(student, eta0, exponent, n):
    """Measured singular values over sqrt(n), and the leading size of each spike alone."""
    eta = eta0 * n**exponent
    measured = nonlinear_singular_values(ak.Activation(student), ak.Activation(TARGET), eta=eta, n=n, degree=2, **AT)
    spikes = ak.NonlinearSpikes(student, TARGET).spikes(eta=eta, n=n, degree=2, **AT)
    return measured, {spike.degree: spike.size for spike in spikes}


def draw(path, panels, n):
    """Save the figure."""
    plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False})
    figure, grid = plt.subplots(2, 2, figsize=(9.6, 6), layout="constrained", sharey=True)
    for axes, ((name, exponent), (measured, sizes)) in zip(grid.flat, panels.items()):
        scale = np.sqrt(n)
        edges = np.linspace(0, 1.05 * measured.values[0] / scale, 90)
        axes.hist(measured.values / scale, edges, color="#c9c9c9", label="after the step")
        axes.hist(measured.untrained / scale, edges, histtype="step", color="#1b1b1b", label="before")
        for k, colour in COLOURS.items():
            place, value, overlap = measured.spike(k)
            axes.plot(sizes[k] / scale, 0.7, "^", color=colour, ms=7, label=f"spike {k}: leading size")
            if value > measured.untrained[0] and overlap > 1 / 3:
                axes.annotate(f"spike {k}\n{overlap:.2f}", (value / scale, 1.1), (value / scale, 4 * 3**k),
                              color=colour, ha="center", arrowprops={"arrowstyle": "->", "color": colour})
        axes.set(yscale="log", ylim=(0.5, 120))
        axes.set_title(rf"{name},  $\alpha$ = {exponent},  $\eta$ = {measured.eta:.1f}", fontsize=10)
    for axes in grid[1]:
        axes.set_xlabel(rf"singular values of $F$ over $\sqrt{{n}}$,  n = {n}")
    for axes in grid[:, 0]:
        axes.set_ylabel("count")
    figure.legend(*grid[0, 0].get_legend_handles_labels(), frameon=False, loc="outside lower center", ncols=4)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(arguments=None):
    """Compute and draw; return what was measured and the sizes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="nonlinear_spectrum.png", help="where the figure goes")
    parser.add_argument("--n", type=int, default=800, help="samples")
    parser.add_argument("--quick", action="store_true", help="small networks")
    options = parser.parse_args(arguments)
    options.n = min(options.n, 200) if options.quick else options.n
    panels = {(name, exponent): panel(formula, eta0, exponent, options.n)
              for name, (formula, eta0) in STUDENTS.items() for exponent in EXPONENTS}
    draw(options.out, panels, options.n)
    return panels


if __name__ == "__main__":
    main()
