"""Where to put the parameters of a deep network
=============================================

Each network at its best penalty (arXiv 2402.13999). Left: two layers with a given number of weights, over the ratio
of their widths. Right: depths one to six, equal widths, as many weights.
"""

import argparse

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

import asympkit as ak

#: weights over d^2, and what else is fixed
WEIGHTS, POINT, SAMPLES, TARGET = 4.0, {"noise_variance": 0.1}, (0.5, 1.0, 2.0, 4.0), "1:sign"


def equal_width(depth):
    """Width over d of ``depth`` layers of that many weights, w + (depth - 1) w^2."""
    return float(max(np.roots([depth - 1, 1, -WEIGHTS])))


def at_best_penalty(theory, **at):
    """The test error, smallest over the penalty."""
    return theory.minimize("test_error", over="lam", bounds=(1e-5, 1e3), **POINT, **at)


def ratios(values):
    """Test errors over width2/width1 for each number of samples, with width1 + width1*width2 the weights."""
    first = (np.sqrt(1 + 4 * values * WEIGHTS) - 1) / (2 * values)
    theory = ak.DeepFeatures("1:tanh,1:tanh", TARGET)
    alpha, width1 = np.broadcast_arrays(np.array(SAMPLES)[:, None], first)
    return at_best_penalty(theory, alpha=alpha, width1=width1, width2=values * width1).value


def depths(alphas, most):
    """Test errors over alpha of networks of depth 1 to ``most``."""
    layers = {depth: ",".join([f"{equal_width(depth)!r}:tanh"] * depth) for depth in range(1, most + 1)}
    return {k: at_best_penalty(ak.DeepFeatures(text, TARGET), alpha=alphas).value for k, text in layers.items()}


def draw(path, values, over_ratio, alphas, over_depth):
    """Save the figure."""
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    shades = plt.get_cmap("viridis")
    for k, (alpha, errors) in enumerate(zip(SAMPLES, over_ratio)):
        colour, best = shades(0.8 * k / len(SAMPLES)), np.argmin(errors)
        left.plot(values, errors, lw=1.8, color=colour, label=rf"$\alpha={alpha:g}$")
        left.plot(values[best], errors[best], "o", ms=6, color=colour)
    left.set(xlabel="width of the second layer over that of the first", ylabel="test error at the best penalty",
             xscale="log", title=rf"two tanh layers of ${WEIGHTS:g}\,d^2$ weights")
    left.legend(frameon=False)
    for depth, errors in over_depth.items():
        right.plot(alphas, errors, lw=1.8, color=shades(0.85 * (depth - 1) / len(over_depth)), label=f"{depth}")
    right.set(xlabel=r"training samples per dimension  $\alpha=n/d$", title="equal widths, the same number of weights")
    right.legend(frameon=False, title="depth")
    figure.savefig(path, dpi=160)
    plt.close(figure)


def main(arguments=None):
    """Compute and draw; return the errors over the ratio and over the depth."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="deep_widths.png", help="where the figure goes")
    parser.add_argument("--quick", action="store_true", help="few points, two depths")
    options = parser.parse_args(arguments)
    values = np.geomspace(0.1, 20, 13 if options.quick else 61)
    alphas, most = (np.linspace(0.2, 6.0, 8), 2) if options.quick else (np.linspace(0.2, 6.0, 30), 6)
    result = ratios(values), depths(alphas, most)
    draw(options.out, values, result[0], alphas, result[1])
    return result


if __name__ == "__main__":
    main()
