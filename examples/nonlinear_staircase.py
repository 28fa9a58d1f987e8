"""The staircase of a growing step
===============================

Errors against the exponent of the learning rate, and how networks climb (arXiv 2310.07891).

The two kinds of labels on the authors' slides (Lausanne, 31 May 2024), each learnt by two students:

- ``z + (z**2-1)/sqrt(2)``, where every spike after the second is missing.  Its derivative is not bounded, which the
  theorem asks for; the limit does not seem to mind, networks of a few hundred units do.
- ``sin(z) + cos(z) - exp(-1/2)``, all of whose derivatives are bounded by sqrt(2).  Its mean is exactly zero and its
  Hermite coefficients exp(-1/2) (sin + cos)(k pi/2) / k! never are: it has spikes of every degree.

phi = psi = 1/2: as many hidden units as samples, half as many inputs, where untrained features do badly; lam = 0.1.
All errors are shares of those of the untrained features.  Three theories: the limit, a step function, and the
equations at the step size eta = n**exponent, for the simulated n and for n = 10**8, as the limit is far away.  Two
simulations: untrained features plus spikes, which is what these equations describe, and the network itself, which
adds the rest of what the step does.  Theory cannot tell H_2/sqrt(2) from noise until the second spike finds it.
"""

import argparse
import warnings

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import asympkit as ak
from asympkit.simulate import Estimate

AT = {"phi": 0.5, "psi": 0.5, "lam": 0.1}
LABELS = {r"$y=H_1+\varepsilon$, noise of variance 1": ("z", 1.0, "#c8416b"),
          r"$y=H_1+H_2/\sqrt{2}$, no noise": ("z+(z**2-1)/sqrt(2)", 0.0, "#1f4e9e")}
STUDENTS = {r"student $z+(z^2-1)/\sqrt{2}$": "z+(z**2-1)/sqrt(2)",
            r"student $\sin z+\cos z-e^{-1/2}$": "sin(z)+cos(z)-exp(-1/2)"}
STEPS = {"network": np.array([0.0, 0.1, 0.2, 0.3]), "truncated": np.array([0.05, 0.15, 0.25, 0.35])}
EXPONENTS = np.linspace(-0.03, 0.42, 361)


def learnt(student, target, noise_variance, n, repeats):
    """Train and test errors over those of the untrained features: curves by n, estimates by model."""
    model, at = ak.NonlinearSpikes(student, target), AT | {"noise_variance": noise_variance}
    curves, points = {}, {}
    for size in (None, n, 10**8):
        found = model.staircase(alpha_lr=EXPONENTS, n=size, **at)
        curves[size] = found.train_error / found.baseline_train, found.test_error / found.baseline_test
    for kind, exponents in STEPS.items():
        runs = [model.simulate(n=n, eta=n**exponent, model=kind, degree=8, repeats=repeats, seed=seed, **at)
                for seed, exponent in enumerate(exponents)]
        points[kind] = [[Estimate.from_values(run[f"{name}_error"].values / run[f"baseline_{name}"].values)
                         for run in runs] for name in ("train", "test")]
    return curves, points


def draw(path, results, n, repeats):
    """Save the figure."""
    plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False})
    figure, grid = plt.subplots(2, 2, figsize=(9.6, 7.2), layout="constrained", sharex=True)
    for column, student in enumerate(STUDENTS):
        for label, (*_, colour), width in zip(LABELS, LABELS.values(), (4, 2)):     # they share the first step
            curves, points = results[student, label]
            for row, axes in enumerate(grid[:, column]):
                for size, style in zip(curves, ({"lw": width}, {"lw": 1.4, "ls": "--"}, {"lw": 1, "ls": ":"})):
                    axes.plot(EXPONENTS, curves[size][row], color=colour, **style)
                for kind, face in (("network", colour), ("truncated", "white")):
                    means, errors = zip(*((e.mean, e.stderr) for e in points[kind][row]))
                    axes.errorbar(STEPS[kind], means, errors, fmt="o", ms=5, color=colour, mfc=face, capsize=2)
        grid[0, column].set_title(student, fontsize=10)
        grid[1, column].set_xlabel(r"exponent $\alpha$ of the learning rate $\eta=n^\alpha$")
    for axes, name in zip(grid[:, 0], ("train", "test")):
        axes.set_ylabel(f"{name} error / that of untrained features")
    for axes in grid.flat:
        axes.set_xticks([0, 1 / 4, 1 / 3, 3 / 8], ["0", "1/4", "1/3", "3/8"])
        axes.grid(color="#e4e4e4", lw=0.6)
    for label, style in ((r"$n=\infty$", {"lw": 2}), (f"equations at n = {n}", {"ls": "--"}),
                         (r"equations at $n=10^8$", {"ls": ":", "lw": 1}),
                         (f"network, n = {n}, {repeats} repeats", {"ls": "", "marker": "o"}),
                         (f"features with spikes, n = {n}", {"ls": "", "marker": "o", "mfc": "white"}),
                         *((label, {"color": colour, "lw": 4}) for label, (*_, colour) in LABELS.items())):
        grid[0, 0].plot([], [], label=label, **({"color": "#444444"} | style))
    figure.legend(frameon=False, loc="outside lower center", ncols=3)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(arguments=None):
    """Compute and draw; return curves and points by student and labels."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="nonlinear_staircase.png", help="where the figure goes")
    parser.add_argument("--n", type=int, default=300, help="samples of the simulations (1500 makes a clear picture)")
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--quick", action="store_true", help="small networks")
    options = parser.parse_args(arguments)
    options.n = min(options.n, 100) if options.quick else options.n
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)      # the missing spikes named above
        results = {(student, label): learnt(formula, target, noise_variance, options.n, options.repeats)
                   for student, formula in STUDENTS.items()
                   for label, (target, noise_variance, _) in LABELS.items()}
    draw(options.out, results, options.n, options.repeats)
    return results


if __name__ == "__main__":
    main()
