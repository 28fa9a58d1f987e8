"""What a new process pays, from its start to its end: imports, the first model, the first result, compilation."""

import json
import os
import subprocess
import sys
import tempfile

from harness import Row, cpu_of_children, race

import asympkit as ak

POINT = {"eta": "1", "alpha0": "2", "alpha": "1.5", "lam": "0.01"}
STUDENT = "tanh(1.3*z)"
SOLVE = ["-m", "asympkit", "solve", "one-step", "--student", STUDENT, "--target", "sin", "--json",
         *(text for name, value in POINT.items() for text in (f"--{name}", value))]
MODEL = ["-c", "import asympkit as ak; ak.OneStep('tanh', 'sin').kernel"]
LARGE = ["-c", "import asympkit as ak, numpy as np; ak.OneStep('tanh', 'sin').sweep(eta=2, alpha0=2, "
               "alpha=np.linspace(0.5, 2.5, 60), lam=np.geomspace(0.01, 1, 60), backend='numba')"]
NOTE = "CPU time of whole processes, the start of Python ({python:.0f} ms) included."


def rows(quick):
    with tempfile.TemporaryDirectory() as cached:
        process(LARGE, NUMBA_CACHE_DIR=cached)
        t = race(3 if quick else 11, clock=cpu_of_children, python=lambda: process(["-c", "pass"]),
                 numpy=lambda: process(["-c", "import numpy"]), asympkit=lambda: process(["-c", "import asympkit"]),
                 sympy=lambda: process(["-c", "import sympy"]), model=lambda: process(MODEL),
                 solve=lambda: process(SOLVE))
        compiled = race(1 if quick else 3, clock=cpu_of_children, large=lambda: process(LARGE, NUMBA_CACHE_DIR=cached),
                        large_anew=lambda: compile_anew(LARGE))
    found = json.loads(t["solve"].result)
    exact = ak.OneStep(STUDENT, "sin").precise(digits=25, **POINT).test_error
    error = float(abs(found["observables"]["test_error"] / exact - 1))
    note = NOTE.format(python=1e3 * t["python"].median)

    def row(task, name, baseline, other, error=None):
        return Row(task, t[name].median, baseline, t[other].median, error=error, note=note)

    return [row("`import asympkit`", "asympkit", "`import numpy`", "numpy"),
            row("first result, `asympkit solve one-step` of a new student", "solve", "`import numpy`", "numpy", error),
            row("first model with its kernel", "model", "`import sympy`", "sympy"),
            Row("first sweep of 3600 points, compiled loops from the cache", compiled["large"].median,
                "the same, compiled anew", compiled["large_anew"].median, note=note)], []


def process(arguments, **environment):
    """Run Python and return what it prints."""
    return subprocess.run([sys.executable, "-W", "ignore", *arguments], env={**os.environ, **environment},
                          capture_output=True, text=True, check=True).stdout


def compile_anew(arguments):
    with tempfile.TemporaryDirectory() as empty:
        return process(arguments, NUMBA_CACHE_DIR=empty)
