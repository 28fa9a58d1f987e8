"""Processor time of some calls in this tree and in another one, in turns: ratios on a machine that others use too.

    python tests/benchmarks/compare.py OTHER [--rounds N] [--only TEXT]

OTHER is a folder with another version of the package.  A process of each keeps its compiled loops and tables; every
call is made once before it is timed, and the smallest times of both are compared.
"""

import argparse
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]


def calls():
    """Return ``{name: (call, points)}``."""
    import numpy as np

    import asympkit as ak

    fixed, tanh, relu, erf = {"alpha": 1.5, "lam": 0.01}, *(
        ak.OneStep(*pair) for pair in (("tanh", "sin"), ("relu", "z + z**2/2"), ("erf", "sin")))
    logistic = ak.OneStep("tanh", "z", loss="logistic", labels="sign")
    eta, alpha0 = (0.2, 4.0), np.linspace(0.5, 4.0, 60)
    both = {"over": ["lam", "eta"], "bounds": [(1e-4, 10.0), (0.1, 10.0)]}
    more = {name: (lambda t=t: t.minimize("test_error", over="eta", bounds=(0.1, 10.0), alpha0=2.0, **fixed), 1)
            for name, t in (("minimize over eta, tanh", tanh), ("minimize over eta, relu", relu),
                            ("minimize over eta, erf", erf))}
    more |= {name: (lambda t=t: t.minimize("test_error", alpha=1.5, alpha0=2.0, **both), 1)
             for name, t in (("minimize over lam and eta, tanh", tanh), ("minimize over lam and eta, relu", relu))}
    return more | {
        "(alpha, lam), tanh": (lambda: tanh.sweep(alpha=alpha0, lam=np.geomspace(*eta, 50), alpha0=2.0, eta=2.0,
                                                  backend="numpy"), 3000),
        "(alpha0, eta), tanh": (lambda: tanh.sweep(alpha0=alpha0, eta=np.linspace(*eta, 50), **fixed,
                                                   backend="numpy"), 3000),
        "(alpha0, eta), tanh, wide": (lambda: tanh.sweep(alpha0=np.linspace(0.2, 5.0, 60), eta=np.geomspace(
            0.1, 10.0, 50), **fixed, backend="numpy"), 3000),
        "(alpha0, eta, lam), tanh": (lambda: tanh.sweep(alpha0=alpha0[::3], eta=np.linspace(*eta, 15), alpha=1.5,
                                                        lam=np.geomspace(0.01, 1.0, 10), backend="numpy"), 3000),
        "(alpha0, eta), relu": (lambda: relu.sweep(alpha0=alpha0[::3], eta=np.linspace(*eta, 15), **fixed,
                                                   backend="numpy"), 300),
        "minimize over eta, tanh, 10 alphas": (lambda: tanh.minimize(
            "test_error", over="eta", bounds=(0.1, 10.0), alpha0=2.0, lam=0.01, alpha=np.linspace(0.5, 3.0, 10)), 10),
        "minimize over lam and eta, tanh, 5 alphas": (lambda: tanh.minimize(
            "test_error", alpha0=2.0, alpha=np.linspace(0.5, 3.0, 5), **both), 5),
        "minimize over lam, tanh": (lambda: tanh.minimize("test_error", over="lam", bounds=(1e-4, 10.0), alpha=1.5,
                                                          alpha0=2.0, eta=2.0), 1),
        "minimize over lam, logistic": (lambda: logistic.minimize("test_error", over="lam", bounds=(1e-3, 1.0),
                                                                  alpha=1.5, alpha0=2.0, eta=2.0), 1),
    }


def serve():
    """Make the calls whose names come in, and say how long each took."""
    warnings.simplefilter("ignore")
    known = calls()
    print(json.dumps({name: points for name, (_, points) in known.items()}), flush=True)
    for line in sys.stdin:
        start = time.process_time()
        known[json.loads(line)][0]()
        print(json.dumps(time.process_time() - start), flush=True)


class Version:
    """A process that makes the calls with the package in a folder."""

    def __init__(self, folder):
        code = f"import sys; sys.path[:0] = [{str(folder)!r}, {str(HERE / 'tests/benchmarks')!r}]; import compare; " \
               "compare.serve()"
        self.process = subprocess.Popen([sys.executable, "-c", code], cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.points = self.answer()

    def answer(self):
        return json.loads(self.process.stdout.readline())

    def __call__(self, name):
        self.process.stdin.write(json.dumps(name) + "\n")
        self.process.stdin.flush()
        return self.answer()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", metavar="OTHER", help="folder of another version")
    parser.add_argument("--rounds", metavar="N", type=int, default=5, help="times that each call is timed")
    parser.add_argument("--only", metavar="TEXT", default="", help="only calls whose names contain it")
    options = parser.parse_args()
    other, own = Version(Path(options.other).resolve()), Version(HERE)
    print("| call | other, ms a point | this tree | ratio |\n|---|---|---|---|")
    for name, points in own.points.items():
        if options.only in name:
            times = [[v(name) for v in (other, own)] for _ in range(options.rounds + 1)][1:]
            before, now = (1e3 * min(t) / points for t in zip(*times))
            print(f"| {name} | {before:.3g} | {now:.3g} | {before / now:.2f} |", flush=True)
    for version in (other, own):
        version.process.stdin.close()
        version.process.wait()


if __name__ == "__main__":
    main()
