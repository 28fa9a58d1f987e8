"""C headers: they compile without a warning, write nowhere else, and have the numbers and statuses of the package."""

import ctypes
import functools
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sympy import Abs, Piecewise, cosh, log, sqrt, symbols, tanh

import asympkit as ak
from asympkit.nodes import Applied

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")
pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
STEP = {"eta": 1.0, "alpha0": 5.0, "alpha": 1.5, "lam": 0.1, "beta": 1.0, "noise_variance": 0.0}
EXAMPLE = Path(__file__).parents[2] / "examples/c"


class Compiled:
    """A header as a shared library."""

    def __init__(self, theory, folder, *flags):
        self.header = theory.generate(folder / "made.h", language="c")
        text = self.header.read_text()
        inside, out = (re.findall(r"^    double ([^;]*);", part.split("}")[0], re.MULTILINE)
                       for part in text.split("typedef struct {")[1:3])
        self.parameters, self.outputs = inside, [n for row in out for n in row.split(", ")]
        (folder / "made.c").write_text(
            '#include "made.h"\n'
            "int many(const made_parameters *p, size_t n, made_solution *s, double *w)\n"
            "{ return made_solve_many(p, n, s, w); }\n"
            "int one(const made_parameters *p, made_solution *s) { return made_solve(p, s); }\n"
            "const char *text(int status) { return made_error_text(status); }\n"
            "size_t space(void) { return MADE_WORKSPACE; }\n")
        subprocess.run(["cc", *STRICT, *(flags or ("-O1",)), "-shared", "-fPIC", "made.c", "-o", "made.so", "-lm"],
                       cwd=folder, check=True, timeout=300)
        self.library = ctypes.CDLL(str(folder / "made.so"))
        self.library.space.restype, self.library.text.restype = ctypes.c_size_t, ctypes.c_char_p
        self.kind = np.dtype([*((n, float) for n in self.outputs), ("status", np.int32)], align=True)

    def solve(self, **points):
        """Solve points of any shape; returns a structured array and the code."""
        rows = np.broadcast_arrays(*(np.asarray(points[n], float) for n in self.parameters))
        given = np.ascontiguousarray(np.stack(rows, axis=-1))
        found, workspace = np.zeros(rows[0].shape, self.kind), np.full(self.library.space(), np.nan)
        code = self.library.many(*(ctypes.c_void_p(a.ctypes.data) if a is not None else ctypes.c_size_t(found.size)
                                   for a in (given, None, found, workspace)))
        return found, code

    def error(self, **point):
        """Return the text of the status of one point."""
        found, code = self.solve(**point)
        assert code == found["status"]
        return self.library.text(int(code)).decode()


def random_points(count, seed, **ranges):
    """Draw parameters, logarithmically where both ends are positive."""
    rng = np.random.default_rng(seed)
    return {n: np.exp(rng.uniform(np.log(low), np.log(high), count)) if low > 0 else rng.uniform(low, high, count)
            for n, (low, high) in ranges.items()}


def assert_same(theory, compiled, points, cancelling=(), rtol=1e-12):
    """Compare all outputs and statuses with solutions of the package, point by point."""
    found, _ = compiled.solve(**points)
    for k, row in enumerate(found):
        try:
            here = theory.solve(**{n: float(v[k]) for n, v in points.items()})
        except ak.ConvergenceError:
            assert row["status"] > 1
            continue
        assert row["status"] < 2
        for n in compiled.outputs[:-3]:
            # what cancels has as many digits as the status of the package says
            relative, absolute = (1e-10, 1e-13) if n in cancelling else (rtol, 1e-300)
            if here.status.name == "CONVERGED" or n not in cancelling:
                assert row[n] == pytest.approx(here[n], rel=relative, abs=absolute), (n, k)


def test_header_solves_as_the_package(tmp_path):
    theory = ak.OneStep("tanh", "sin")
    made = Compiled(theory, tmp_path)
    assert len(made.header.read_text().splitlines()) <= 1500
    assert max(map(len, made.header.read_text().splitlines())) <= 120
    points = {n: np.full(3, v) for n, v in STEP.items()} | {"alpha": np.array([0.6, 1.5, 4.0]), "noise_variance":
                                                             np.full(3, 0.2)}
    assert_same(theory, made, points)
    grid, code = made.solve(**(STEP | {"alpha": np.linspace(0.5, 4, 6)[:, None], "lam": np.logspace(-3, 1, 6)}))
    assert code == 0
    alone = [float(made.solve(**(STEP | {"alpha": a, "lam": lam}))[0]["test_error"])
             for a, lam in ((0.5, 1e-3), (4.0, 1e-3), (4.0, 10.0))]
    assert grid["test_error"][[0, -1, -1], [0, 0, -1]] == pytest.approx(alone, rel=1e-12)
    assert made.error(**(STEP | {"lam": -1.0})) == "lam: expected a positive finite number"
    assert made.error(**(STEP | {"eta": math.nan})) == "eta: expected a finite number >= 0"
    # what is left of the variance of a saturated student divides a tiny penalty: the number is of `precise`
    strong = {"eta": 15.0, "alpha0": 0.019, "alpha": 0.92, "beta": 1.74, "lam": 1e-14, "noise_variance": 0.0}
    assert made.solve(**strong)[0]["test_error"] == pytest.approx(159731811.182619597, rel=1e-11)
    assert made.error(**(strong | {"lam": 1e-24})).startswith("quadrature")
    bad, _ = made.solve(**(STEP | {"alpha": [1.0, -1.0]}))
    assert bad["status"].tolist() == [0, 10]
    assert np.isnan(bad["test_error"][1])


@pytest.mark.parametrize(("name", "text"), [
    ("double.h", "cannot begin the names"), ("3d.h", "cannot begin the names"), ("a-b.h", "cannot begin the names"),
    ("mine.c", "expected the name of a C header"), ("mine.py", "expected the name of a C header")])
def test_names_that_cannot_be_included_are_refused(tmp_path, name, text):
    with pytest.raises(ak.DomainError, match=text):
        ak.OneStep("tanh", "sin").generate(tmp_path / name, language="c")
    assert not [*tmp_path.iterdir()]


def test_languages_and_parts_without_a_form_are_refused(tmp_path):
    with pytest.raises(ak.DomainError, match=r"language: got 'fortran'; available: 'python', 'jax', 'c'"):
        ak.OneStep("tanh", "sin").generate(tmp_path / "mine.h", language="fortran")
    V, lam, D = symbols("V lam D", positive=True)
    ridge = ak.Theory(name="ridge", unknowns=[V], parameters={lam: ("penalty", "positive")},
                      equations=[V - ak.mean(D / (lam + V * D), ak.Eigenvalues(D))])
    with pytest.raises(ak.DomainError, match="the array D among its parameters"):
        ridge.generate(tmp_path / "mine.h", language="c")
    (tmp_path / "mine.h").write_text("#define MINE 1\n")
    with pytest.raises(ak.DomainError, match="was not written by asympkit"):
        ak.OneStep("tanh", "sin").generate(tmp_path / "mine.h", language="c")


m, u, J, x, share = symbols("m u n register share", positive=True)
h, z, y = symbols("h z y", real=True)
SLOPE = {J: ("slope", "positive")}
CHAIN = symbols("a1:7", positive=True)
#: small theories of users, with names that are words of C
OWN = {
    "random field */ @": {"unknowns": [m], "observables": {"double": -J * m**2 / 2 - x * m},
                          "parameters": SLOPE | {x: ("field", "positive")},
                          "free_energy": J * m**2 / 2 - ak.E(log(cosh(J * m + x + z)), z)},
    "a mean": {"unknowns": [m], "parameters": SLOPE | {h: ("field", "real")},
               "equations": [m - ak.E(tanh(J * z + h)**2, z)]},
    "a derived one": {"unknowns": [m], "parameters": SLOPE, "activations": {"student": "tanh"},
                      "derived": {u: J * ak.E(z * Applied("student", z), z)}, "equations": [m - u / (1 + m)]},
    "layers": {"unknowns": [m], "parameters": SLOPE, "activations": {"f": "tanh"},
               "derived": {u: ak.E(Applied("f", sqrt(J) * z)**2, z)}, "equations": [m - u / (1 + m)]},
    "a mean inside": {"unknowns": [m], "parameters": SLOPE,
                      "equations": [m - ak.E(tanh(ak.E(tanh(J * z + y + m), y) + z)**2, z)]},
    "a kink that moves": {"unknowns": [h], "parameters": SLOPE, "equations": [h - ak.E(Abs(J * z + h), z) / (2 + J)]},
    "a law": {"unknowns": [m], "parameters": SLOPE,
              "equations": [m - ak.mean(1 / (u + m), ak.MarchenkoPastur(u, ratio=J))]},
    "a half": {"unknowns": [m], "parameters": SLOPE,
               "equations": [m - ak.E(Piecewise((tanh(z * J), z > 0), (0, True)), z)]},
    "intervals": {"unknowns": {m: (0, 2)}, "parameters": {J: ("one", "[0, 1]"), x: ("two", (0, 3))},
                  "equations": [m - J * x / (1 + m)]},
    "six": {"unknowns": CHAIN, "parameters": SLOPE,
            "equations": [a - 1 / (1 + J * sum(CHAIN) + k * a) for k, a in enumerate(CHAIN)]},
    "a tail": {"unknowns": [m], "parameters": SLOPE, "equations": [m - ak.E(ak.LogPhi(z * J)**2, z) / 10]}}
STEPS = {"eta": (0.01, 20), "alpha0": (0.1, 10), "alpha": (0.1, 10), "lam": (1e-6, 10), "beta": (0.2, 5),
         "noise_variance": (0, 1)}
SPIKES = {"r": (-3, 3), "c": (0.1, 5), "gamma": (-1, 1), "alpha": (0.1, 10), "lam": (1e-6, 10), "beta": (0.2, 5),
          "noise_variance": (0, 1)}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_theories_without_a_form_are_refused(tmp_path):
    with pytest.raises(ak.DomainError, match="one whose nodes move"):
        ak.OneStep("tanh", "sin", loss=ak.Huber(1)).generate(tmp_path / "mine.h", language="c")
    with pytest.raises(ak.DomainError, match=r"width: got True; .* has no number of hidden units: expected False"):
        ak.NonlinearSpikes("tanh", "sin").generate(tmp_path / "mine.h", language="c", width=True)


@pytest.mark.slow
def test_the_same_bytes_in_another_process(tmp_path):
    code = f"import asympkit as ak; ak.OneStep('relu', 'sin').generate({str(tmp_path / 'made.h')!r}, language='c')"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    there = (tmp_path / "made.h").read_bytes()
    assert ak.OneStep("relu", "sin").generate(tmp_path / "made.h", language="c").read_bytes() == there


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_sanitizers_and_a_cpp_compiler_find_nothing(tmp_path):
    """Extreme, missing and wrong parameters; two headers in one file, as C and as C++."""
    ak.OneStep("tanh", "sin").generate(tmp_path / "first.h", language="c")
    ak.OneStep("relu", "z**2").generate(tmp_path / "second.h", language="c")
    (tmp_path / "main.c").write_text(r"""
#include "first.h"
#include "second.h"
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    static const double extreme[] = {0.0, 1e-300, 1e-12, 1e-3, 0.5, 1.0, 3.0, 1e3, 1e8, 1e300, INFINITY, NAN, -1.0};
    static double work[SECOND_WORKSPACE];
    int k, j, solved = 0, refused = 0;
    for (k = 0; k < 150; k++) {
        double v[6];
        first_parameters p; first_solution s; second_parameters q; second_solution t;
        for (j = 0; j < 6; j++) v[j] = rand() % 3 ? extreme[3 + rand() % 4] : extreme[rand() % 13];
        p.eta = v[0]; p.alpha0 = v[1]; p.alpha = v[2]; p.lam = v[3]; p.beta = v[4]; p.noise_variance = v[5];
        q.eta = v[0]; q.alpha0 = v[1]; q.alpha = v[2]; q.lam = v[3]; q.beta = v[4]; q.noise_variance = v[5];
        first_solve(&p, &s);
        second_solve_many(&q, 1, &t, work);
        solved += (s.status < 2) + (t.status < 2);
        refused += (s.status > 7) + (t.status > 7);
        if (s.status < 2 && !(s.test_error >= 0.0)) return 1;
    }
    printf("%d %d\n", solved, refused);
    return 0;
}
""")
    run = functools.partial(subprocess.run, cwd=tmp_path, check=True, timeout=300, capture_output=True, text=True)
    run(["cc", *STRICT, "-O1", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all",
         "main.c", "-o", "main", "-lm"])
    found = run(["./main"])
    assert found.stderr == ""
    solved, refused = map(int, found.stdout.split())
    assert solved > 80
    assert refused > 80
    if shutil.which("g++"):
        run(["g++", "-x", "c++", "-std=c++11", *STRICT[1:], "-O0", "main.c", "-o", "other", "-lm"])
        assert run(["./other"]).stdout == found.stdout


@pytest.mark.slow
def test_the_example_in_c(tmp_path):
    for file in EXAMPLE.iterdir():
        shutil.copy(file, tmp_path)
    theory = ak.OneStep("tanh", "sin")
    run = functools.partial(subprocess.run, cwd=tmp_path, check=True, timeout=300, capture_output=True, text=True)
    run([sys.executable, "-m", "asympkit", "generate", "one-step", "--student", "tanh", "--target", "sin", "--language",
         "c", "one_step.h"])
    run(["cc", *STRICT, "-O2", "main.c", "-o", "curve", "-lm"])
    lines = run(["./curve"]).stdout.splitlines()
    assert lines[-1] == "lam: expected a positive finite number"
    _, alpha, _, lam, _, error = lines[1].split()
    here = theory.sweep(eta=1, alpha0=5, beta=1, noise_variance=0.1, alpha=1.0, lam=10.0 ** (-3 + 0.1 * np.arange(41)))
    assert float(alpha) == 1.0
    assert float(error) == pytest.approx(np.min(here["test_error"]), abs=1e-6)
    assert float(lam) == pytest.approx(10.0 ** (-3 + 0.1 * np.argmin(here["test_error"])), abs=1e-4)
    if shutil.which("cmake"):
        path = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        run(["cmake", "-B", "build"], env=path)
        run(["cmake", "--build", "build"], env=path)
        assert run(["build/curve"]).stdout.splitlines() == lines


@pytest.mark.parametrize("name", ["status", "error_estimate"])
def test_names_of_outputs_are_refused(tmp_path, name):
    own = symbols(name, positive=True)
    theory = ak.Theory(name="magnet", unknowns=[own], parameters=SLOPE,
                       equations=[own - ak.E(tanh(J * own + z) ** 2, z)])
    with pytest.raises(ak.DomainError, match=f"the name '{name}' of an unknown or observable is that of an output"):
        theory.generate(tmp_path / "mine.py")
