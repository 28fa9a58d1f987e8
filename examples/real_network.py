"""A real network beside three theories
====================================

Three hundred inputs, and the best learning rate (arXiv 2402.04980). Left: learning curves after one step, by the
published limit, by the limit of the bulk that the step really makes, and by that bulk at the width that was trained.
Right: the test error over the learning rate, with its minimum at each width.
"""

import argparse
import warnings

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import asympkit as ak

STEP = {"eta": 1.0, "alpha0": 0.5, "lam": 1e-3}
RATE = {"alpha0": 2.0, "alpha": 2.0, "lam": 0.01}
COLOURS = {"isotropic bulk": "#8c8c8c", "exact bulk": "#e8833a", "exact bulk, p = {d}": "#7b3fa0"}


def curves(alphas, simulated, d, repeats):
    """Test errors over alpha: those of three theories by name, means and standard errors of networks."""
    isotropic, exact = ak.OneStep("tanh", "sin"), ak.OneStep("tanh", "sin", bulk="exact")
    theories = {"isotropic bulk": isotropic.sweep(alpha=alphas, **STEP)["test_error"],
                "exact bulk": exact.sweep(alpha=alphas, backend="numpy", **STEP)["test_error"],
                "exact bulk, p = {d}": exact.sweep(alpha=alphas, width=float(d), backend="numpy", **STEP)["test_error"]}
    drawn = [isotropic.simulate(alpha=a, d=d, repeats=repeats, seed=k, **STEP)["test_error"]
             for k, a in enumerate(simulated)]
    return theories, np.array([e.mean for e in drawn]), np.array([e.stderr for e in drawn])


def rates(etas, widths):
    """Test errors over the learning rate for each width, and the best learning rate: ``{width: (errors, minimum)}``."""
    theory, found = ak.OneStep("tanh", "sin"), {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)       # beyond the minimum the bulk is far from isotropic
        for width in widths:
            errors = theory.sweep(eta=etas, width=width, **RATE)["test_error"]
            best = theory.minimize("test_error", over="eta", bounds=(etas[0], etas[-1]), width=width, **RATE)
            found[width] = errors, best
    return found


def draw(path, alphas, simulated, learning, etas, best, d):
    """Save the figure."""
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    theories, mean, error = learning
    for (name, values), style in zip(theories.items(), ("--", "-", "-")):
        left.plot(alphas, values, style, lw=1.8, color=COLOURS[name], label=name.format(d=d))
    left.errorbar(simulated, mean, 2 * error, fmt="o", ms=4.5, mfc="white", capsize=2, color="#1b1b1b",
                  label=f"networks, $d={d}$ (two standard errors)")
    left.set(xlabel=r"training samples per dimension  $\alpha=n/d$", ylabel="test error  (mean square)", yscale="log",
             title=rf"$\tilde\eta={STEP['eta']}$, $\alpha_0={STEP['alpha0']:g}$, $\lambda={STEP['lam']:g}$")
    left.legend(frameon=False, loc="upper right", fontsize=9)
    shades = plt.get_cmap("viridis")(np.linspace(0.0, 0.8, len(best)))
    for (width, (values, minimum)), colour in zip(best.items(), shades):
        label = r"$p\to\infty$" if width is None else f"$p={width:g}$"
        right.plot(etas, values, lw=1.8, color=colour, label=label)
        right.plot(minimum.argmin, minimum.value, "o", ms=7, color=colour)
    right.set(xlabel=r"learning rate  $\tilde\eta$", xscale="log", yscale="log",
              title="isotropic bulk: the best learning rate at each width")
    right.legend(frameon=False)
    figure.savefig(path, dpi=160)
    plt.close(figure)


def main(arguments=None):
    """Compute and draw; return errors at the simulated points and the best rates."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="real_network.png", help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="small networks, few points a curve")
    options = parser.parse_args(arguments)
    d, repeats = (60, 4) if options.quick else (300, 20)
    simulated = np.array([1.0, 3.0]) if options.quick else np.array([0.5, 1.0, 1.5, 2.0, 3.0, 4.0])
    alphas = np.union1d(simulated, np.linspace(0.3, 4.2, 27 if options.quick else 79))
    etas = np.geomspace(0.02, 20.0, 60)
    learning = curves(alphas, simulated, d, repeats)
    best = rates(etas, [50.0, None] if options.quick else [30.0, 100.0, 300.0, None])
    draw(options.out, alphas, simulated, learning, etas, best, d)
    theories, *drawn = learning
    return ({name: values[np.isin(alphas, simulated)] for name, values in theories.items()}, *drawn), best


if __name__ == "__main__":
    main()
