"""Real networks over a box of settings, and how far each theory is from them (arXiv 2402.04980).

Each point of the box is drawn from its own seed; its networks are trained at several sizes and written to a file, one
line each, so that the study can be stopped at any time and goes on from the file.  Theories are solved afterwards, for
all lines:

    python examples/real_network_study.py study.jsonl --points 100        # train, then report
    python examples/real_network_study.py study.jsonl --points 0 --csv study.csv --out study.png
"""

import argparse
import csv
import json
import math
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import asympkit as ak

ODD = ("tanh", "erf", "sin", "z*exp(-z**2/2)")
STUDENTS = (*ODD, "max(z,0)-1/sqrt(2*pi)", "z+(z**2-1)/2", "elu", "log(1+exp(2*z))")
TARGETS = ("sin", "tanh", "z+(z**2-1)/sqrt(2)")
#: networks at each size, and of how many points one is trained there
SIZES = {200: (16, 1), 400: (10, 1), 800: (6, 4), 1600: (4, 16)}
SEED = 2024
QUANTITIES = ("test_error", "train_error")
#: terms of order 1/d that no theory here has, times d: in general, and where c - 1 > 1/2
REMAINDER = 3.0, 8.0


@dataclass(frozen=True)
class Setting:
    """One point of the box."""

    number: int
    student: str
    target: str
    at: dict

    @classmethod
    def draw(cls, number):
        """Point of a number: sizes are multiples of d/200, so that none is rounded."""
        rng = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(number,)))
        student, target = (names[rng.integers(len(names))] for names in (STUDENTS, TARGETS))
        eta, lam = _between(rng, 0.05, 6), _between(rng, 1e-5, 1)
        alpha0, alpha, beta = (round(200 * _between(rng, *ends)) / 200 for ends in ((0.5, 10), (0.5, 4), (0.25, 2)))
        at = {"eta": float(f"{eta:.3g}"), "alpha0": alpha0 if rng.random() < 0.85 else math.inf, "alpha": alpha,
              "lam": float(f"{lam:.3g}"), "beta": beta, "noise_variance": round(max(0.0, rng.uniform(-0.25, 0.25)), 3)}
        return cls(number, student, target, at)

    def seed(self, d):
        """Of the networks of one size."""
        return int(np.random.SeedSequence(SEED, spawn_key=(self.number, d)).generate_state(1)[0])


def _between(rng, low, high):
    """A number whose logarithm is uniform."""
    return float(math.exp(rng.uniform(math.log(low), math.log(high))))


def theories(setting, width):
    """What the networks are compared with: ``{name: (model, parameters)}``."""
    plain, at = ak.OneStep(setting.student, setting.target), {**setting.at, "width": float(width)}
    exact = ak.OneStep(setting.student, setting.target, bulk="exact")
    return {"isotropic": (plain, setting.at), "exact": (exact, setting.at), "at its width": (exact, at)}


def read(path):
    """Finished lines of the file, by point and size; a line that was being written is cut off."""
    path = Path(path)
    if not path.exists():
        return {}
    text = path.read_text()
    whole = text[:text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole)
    lines = map(json.loads, whole.splitlines())
    return {(line["point"], line["d"]): line for line in lines}


def train(path, points, sizes, seconds=math.inf):
    """Train what the file lacks, point after point; return the lines of the file."""
    done, end = read(path), time.monotonic() + seconds
    for number in range(points):
        setting = Setting.draw(number)
        for d in sizes:
            repeats, every = SIZES.get(d, (2, 1))
            if (number, d) in done or number % every or time.monotonic() > end:
                continue
            done[number, d] = line = trained(setting, d, repeats)
            with open(path, "a") as file:
                file.write(json.dumps(line) + "\n")
    return done


def trained(setting, d, repeats):
    """The networks of one point and size, as a line of the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        networks = ak.OneStep(setting.student, setting.target).simulate(
            d=d, repeats=repeats, seed=setting.seed(d), **setting.at)
    return {"point": setting.number, "d": d, "p": networks.p,
            **{q: networks[q].values.tolist() for q in QUANTITIES}}


def compared(done):
    """One row for each line of the file: settings, simulated numbers, and those of each theory."""
    rows = []
    for (number, d), line in sorted(done.items()):
        setting = Setting.draw(number)
        row = {"point": number, "d": d, "p": line["p"], "student": setting.student, "target": setting.target,
               **setting.at}
        for q in QUANTITIES:
            values = np.array(line[q])
            row |= {q: values.mean(), f"{q} stderr": values.std(ddof=1) / math.sqrt(values.size)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ak.AssumptionWarning)
            row |= ak.OneStep(setting.student, setting.target).parameters_at(**_step(setting.at))
            for name, (model, parameters) in theories(setting, line["p"]).items():
                row |= {f"{name} {q}": value for q, value in _solved(model, parameters).items()}
        rows.append(row)
    return rows


def _step(at):
    return {n: at[n] for n in ("eta", "alpha0", "beta", "noise_variance")}


def _solved(model, parameters):
    """What a theory says; NaN where it does not cover the setting."""
    try:
        solution = model.solve(parameters=parameters)
    except (ak.DomainError, ak.ConvergenceError):
        return dict.fromkeys(QUANTITIES, math.nan)
    return {q: solution[q] for q in QUANTITIES}


def regimes(rows):
    """Parts of the box: ``{name: rows}``."""
    parts = {"all": lambda r: True, "c - 1 <= 0.1": lambda r: r["c"] - 1 <= 0.1,
             "0.1 < c - 1 <= 0.5": lambda r: 0.1 < r["c"] - 1 <= 0.5, "c - 1 > 0.5": lambda r: r["c"] - 1 > 0.5,
             "r <= 0.3": lambda r: abs(r["r"]) <= 0.3, "r > 0.3": lambda r: abs(r["r"]) > 0.3,
             "odd student": lambda r: r["student"] in ODD, "student not odd": lambda r: r["student"] not in ODD,
             "alpha0 = inf": lambda r: math.isinf(r["alpha0"]),
             "eta < 0.3": lambda r: r["eta"] < 0.3, "0.3 <= eta < 1.5": lambda r: 0.3 <= r["eta"] < 1.5,
             "eta >= 1.5": lambda r: r["eta"] >= 1.5, "lam < 0.001": lambda r: r["lam"] < 1e-3,
             "0.001 <= lam < 0.03": lambda r: 1e-3 <= r["lam"] < 0.03, "lam >= 0.03": lambda r: r["lam"] >= 0.03}
    found = {name: [r for r in rows if holds(r)] for name, holds in parts.items()}
    return {name: part for name, part in found.items() if part}


def pulls(rows, name, quantity):
    """Relative differences of networks and theory, and the same in standard errors."""
    mean, error, theory = (np.array([r[k] for r in rows]) for k in
                           (quantity, f"{quantity} stderr", f"{name} {quantity}"))
    return mean / theory - 1, (mean - theory) / error


def beyond(rows, name, quantity):
    """The rows whose networks differ from a theory by more than the remainder and three standard errors."""
    found = []
    for row, relative, z in zip(rows, *pulls(rows, name, quantity)):
        remainder = REMAINDER[row["c"] - 1 > 0.5] / row["d"]
        if abs(relative) * (1 - 3 / max(abs(z), 3.0)) > remainder:
            found.append(row)
    return found


def table(rows, names, quantity="test_error"):
    """Median and 90 % of the relative differences, and root mean square of the pulls, as lines of text."""
    head = f"{quantity}: |network/theory - 1| (median, 90 %), rms of the pulls"
    lines = [head, "".join([f"{'':20}{'d':>6}{'points':>8}", *(f"{n:>32}" for n in names)])]
    for part, inside in regimes(rows).items():
        for d in sorted({r["d"] for r in inside}):
            chosen = [r for r in inside if r["d"] == d]
            cells = [_cell(*pulls(chosen, n, quantity)) for n in names]
            lines.append("".join([f"{part:20}{d:6}{len(chosen):8}", *cells]))
    far = [f"{len(beyond(rows, n, quantity))} of {len(rows)}" for n in names]
    return [*lines, "".join([f"{'beyond 1/d and 3 s.e.':34}", *(f"{n:>32}" for n in far)])]


def _cell(relative, z):
    known = np.isfinite(relative)
    if not known.any():
        return f"{'not covered':>32}"
    relative, z = relative[known], z[known]
    median, most = np.quantile(np.abs(relative), [0.5, 0.9])
    return f"{100 * median:12.2f} %{100 * most:9.2f} %{math.sqrt(np.mean(z**2)):7.1f}"


def write_csv(path, rows):
    """All rows, with digits that a float is read back from."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def draw(path, rows, names):
    """Relative differences of test errors over c - 1 and over the strength of the spike, one column a theory."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False})
    figure, panels = plt.subplots(2, len(names), figsize=(1.8 + 3.6 * len(names), 7.4), sharey=True, sharex="row",
                                  squeeze=False, layout="constrained")
    sizes = sorted({r["d"] for r in rows})
    for column, name in zip(panels.T, names):
        relative, z = pulls(rows, name, "test_error")
        errors = np.abs(np.divide(relative, z, out=np.zeros_like(z), where=z != 0))
        for axes, label, x in zip(column, (r"$|c-1|$ (0.001 and less)", r"strength $|r|$ of the spike"),
                                  ([max(abs(r["c"] - 1), 1e-3) for r in rows], [abs(r["r"]) for r in rows])):
            for d, colour in zip(sizes, ("#e8833a", "#7b3fa0", "#1b1b1b", "#2a9d8f")):
                for odd, marker in ((True, "o"), (False, "s")):
                    at = [k for k, r in enumerate(rows) if r["d"] == d and (r["student"] in ODD) == odd]
                    axes.errorbar(np.take(x, at), 100 * relative[at], 100 * errors[at], fmt=marker, ms=3.5, lw=0.7,
                                  mfc="white", color=colour, label=f"d = {d}, {'odd' if odd else 'not odd'}")
            axes.axhline(0, color="k", lw=0.8)
            axes.set(xscale="log", xlabel=label)
            axes.set_yscale("symlog", linthresh=5)
            axes.grid(color="#ececec", lw=0.6)
        column[0].set_title(name)
    for axes in panels[:, 0]:
        axes.set_ylabel("network over theory, % (linear below 5 %)")
    panels[0, -1].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(arguments=None):
    """Train, report; return the rows."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", help="lines of finished networks; the study goes on from it")
    parser.add_argument("--points", type=int, default=100, help="train so many points of the box")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES)[:2], help="input dimensions")
    parser.add_argument("--seconds", type=float, default=math.inf, help="start no training after this time")
    parser.add_argument("--csv", help="write all numbers here")
    parser.add_argument("--out", "--picture", dest="out", help="write the picture here")
    parser.add_argument("--quick", action="store_true", help="at most four points, of 40 inputs")
    options = parser.parse_args(arguments)
    if options.quick:
        options.points, options.sizes = min(options.points, 4), [40]
    rows = compared(train(options.file, options.points, options.sizes, options.seconds))
    if not rows:
        print("nothing trained yet")
        return rows
    names = list(theories(Setting.draw(0), 1))
    for quantity in QUANTITIES:
        print("\n".join(table(rows, names, quantity)))
    if options.csv:
        write_csv(options.csv, rows)
    if options.out:
        draw(options.out, rows, names)
    return rows


if __name__ == "__main__":
    main()
