"""Time exported modules beside the package on 100 x 100 points, in one process.

``python tests/benchmarks/exported.py [case ...]``.  Columns: seconds of the best of some runs, package and module, and
their ratio, in plain numpy and with numba; seconds of processor time in which numba compiles the module.
"""

import importlib.util
import sys
import tempfile
import time
import warnings
from inspect import signature
from pathlib import Path

import numpy as np

import asympkit as ak

ALPHA, LAM = np.linspace(0.5, 3.0, 100), np.geomspace(1e-3, 1.0, 100)
STEP = {"eta": 1.3, "alpha0": 2.0, "beta": 0.7, "noise_variance": 0.3}
CASES = {
    "one step": (lambda: ak.OneStep("tanh", "sin"), {**STEP, "alpha": ALPHA, "lam": LAM}),
    "spiked features": (lambda: ak.SpikedFeatures("relu", "abs"),
                        {"r": 1.3, "c": 0.8, "gamma": 0.4, "alpha": ALPHA, "lam": LAM}),
    "nonlinear spikes": (lambda: ak.NonlinearSpikes("tanh", "cos"), {"psi": 1.2, "phi": ALPHA, "lam": LAM}),
    "hinge": (lambda: ak.SpikedFeatures("tanh", "z", loss="hinge", labels="sign"),
              {"r": 1.3, "c": 0.8, "gamma": 0.4, "alpha": ALPHA, "lam": LAM}),
    "exact bulk": (lambda: ak.OneStep("tanh", "sin", bulk="exact"), {**STEP, "alpha": ALPHA, "lam": LAM}),
}


def best(call, runs=5):
    """Return seconds of the fastest of some runs."""
    found = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def loaded(theory, folder):
    """Return the exported module of a theory."""
    path = theory.generate(Path(folder) / f"exported_{abs(hash(str(folder)))}.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def race(theory, module, at, backend):
    """Return the times of package and module, and the time of the first call."""
    first = next(n for n, v in at.items() if np.ndim(v))
    points = {**at, first: at[first][:, None]}
    if "rtol" in signature(module.solve_many).parameters:
        points["rtol"] = 1e-10
    module.NUMBA_PAYS = 0 if backend == "numba" else 10**9
    theory.sweep(**at, backend=backend, progress=False)
    start = time.process_time()
    module.solve_many(**points)
    compiling = time.process_time() - start
    return best(lambda: theory.sweep(**at, backend=backend, progress=False, rtol=1e-10)), \
        best(lambda: module.solve_many(**points)), compiling


def main(names):
    """Print a row for each case."""
    warnings.simplefilter("ignore", ak.AssumptionWarning)
    for name in names or ("one step", "spiked features", "nonlinear spikes"):
        theory, row = CASES[name][0](), []
        with tempfile.TemporaryDirectory() as folder:
            module = loaded(theory, folder)
            for backend in ("numpy", "numba"):
                package, own, compiling = race(theory, module, CASES[name][1], backend)
                row.append(f"{backend} {package:.4f} {own:.4f} {own / package:.2f}")
        print(f"{name}: {'; '.join(row)}; compiled in {compiling:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
