"""Modules for JAX: the numbers of the package and their derivatives, traced; each test in a process of its own.

(JAX has threads, and warns where a process that holds it forks.)
"""

import ast
import json
import math
import re
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from helpers.tiers import slow_but
from sympy import Symbol, besselj, sqrt, symbols, tanh
from test_modules import PAIRS, STEPS, theory

import asympkit as ak

pytestmark = pytest.mark.skipif(find_spec("jax") is None, reason="needs jax")
PAGE = Path(__file__).parents[2] / "docs" / "own_solver.md"


HEAD = """
import json, sys
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_enable_x64", True)
sys.path.insert(0, {folder!r})

def listed(x):
    return jax.tree.map(lambda a: np.asarray(a).tolist(), x)

def everything(module, wanted, **at):
    '''Values and derivatives of some quantities at points, traced together.'''
    def solve(point):
        found = module.solve(**fixed, **point)
        return {{name: found[name] for name in wanted}}, found
    fixed = {{n: v for n, v in at.items() if n == "D"}}
    points = {{n: jnp.asarray(v, dtype=float) for n, v in at.items() if n != "D"}}
    # twenty at once: tables of tables take much memory
    slopes, found = jax.jit(lambda p: jax.lax.map(jax.jacrev(solve, has_aux=True), p, batch_size=20))(points)
    return listed([found, slopes])
"""


def traced(folder, code, **modules):
    """Run code beside modules in a process without asympkit; return what it prints last, as JSON."""
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    block = "sys.modules['asympkit'] = sys.modules['sympy'] = sys.modules['numba'] = None\n"
    block += "".join(f"import {name}\n" for name in modules)
    done = subprocess.run([sys.executable, "-c", HEAD.format(folder=str(folder)) + block + code], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def assert_same(what, points, found, slopes, wanted):
    """Compare values and derivatives at points with those of the package."""
    assert found["status"] == [0] * len(found["status"])
    count = len(found["status"])
    at = [{n: v[k] if np.ndim(v) and n != "D" else v for n, v in points.items()} for k in range(count)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        for k in range(count):
            solution = theory(*what).solve(**at[k])
            for name, value in {**solution.order_parameters, **solution.observables}.items():
                size = max(abs(value), solution.scale.get(name, 0.0), 1e-290) * solution.condition.get(name, 1.0)
                assert abs(found[name][k] - value) <= 1e-12 * max(size, abs(value)), (name, at[k])
            for name in wanted:
                for by in slopes[name]:
                    rate = theory(*what).sensitivity(name, by, **at[k])
                    assert slopes[name][by][k] == pytest.approx(rate, rel=1e-9, abs=1e-12), (name, by, at[k])


@pytest.mark.parametrize(("name", "points", "wanted"), slow_but([
    ("magnet", {"J": [1.5, 0.5], "h": [0.2, -1.0]}, ["energy", "m"]),
    ("one mean", {"J": [0.5, 2.0], "h": [0.2, -0.7]}, ["m"]),
    ("ridge", {"alpha": [1.3, 0.4], "lam": [0.05, 1.0], "D": [0.1, 1.0, 2.5]}, ["trace"])], 0))
def test_theories_of_a_user_and_their_derivatives(name, points, wanted, tmp_path):
    code = f"print(json.dumps(everything(made, {wanted}, **{points})))"
    found, slopes = traced(tmp_path, code, made=theory(name).source("jax"))
    assert_same((name,), points, found, slopes, wanted)


def test_what_a_module_says(tmp_path):
    text = theory("magnet").source("jax")
    assert max(map(len, text.splitlines())) <= 120
    assert "belongs to whoever generated it" in text and "jax_enable_x64" in text and "block 1: " in text
    assert re.search(r"J : float\n +coupling", text)
    with pytest.raises(ak.DomainError, match="language: got 'fortran'; available: 'python', 'jax', 'c'"):
        theory("magnet").generate(tmp_path / "x.py", language="fortran")
    with pytest.raises(ak.DomainError, match="cannot be imported"):
        theory("magnet").generate(tmp_path / "jax.py", language="jax")
    assert theory("magnet").generate(tmp_path / "x.py", language="jax").read_text() == text


def test_points_without_a_solution_and_single_precision(tmp_path):
    (m, h), J = symbols("m h", real=True), symbols("J", positive=True)
    root = ak.Theory(name="root", unknowns=[m], parameters={h: ("square", "real"), J: ("factor", "positive")},
                     equations=[m**2 - h * J], start={m: 1}).source("jax")
    found, slopes, message = traced(tmp_path, """
def solve(h, J):
    found = root.solve(h, J)
    return found["m"], found["status"]
found, slopes = jax.jit(jax.vmap(jax.value_and_grad(solve, has_aux=True)))(
    jnp.array([4.0, -1.0, 4.0, jnp.nan]), jnp.array([1.0, 1.0, -1.0, 1.0]))
jax.config.update("jax_enable_x64", False)
try:
    root.solve(1.0, 1.0)
except RuntimeError as error:
    message = str(error)
print(json.dumps([listed(found), listed(slopes), message]))
""", root=root)
    values, status = found
    assert status == [0, 3, 7, 7] and np.isnan(values).tolist() == np.isnan(slopes).tolist() == [False] + [True] * 3
    assert abs(values[0]) == 2.0 and abs(slopes[0]) == pytest.approx(0.25, rel=1e-15)
    assert 'call jax.config.update("jax_enable_x64", True)' in message


@pytest.mark.slow
def test_functions_that_jax_cannot_trace_are_refused():
    m, J = symbols("m J", positive=True)
    theory = ak.Theory(name="bessel", unknowns=[m], parameters={J: ("coupling", "positive")},
                       equations=[m - besselj(1, J * m) - 1])
    with pytest.raises(ak.DomainError, match="language='jax' has no traced form of the function bessel"):
        theory.source("jax")
    y, z = symbols("y z", real=True)
    with pytest.raises(ak.DomainError, match="language='jax' has no traced form of the function slope_of"):
        ak.SpikedFeatures("tanh", "z", loss=ak.Loss(sqrt(1 + (y - z)**2) - 1, y, z)).source("jax")


LONG = {**{("OneStep", *pair): (STEPS[:1], ["test_error", "m"]) for pair in PAIRS},
        ("SpikedFeatures", "relu", "abs"): (({"r": 1.3, "c": 0.8, "gamma": 0.4, "alpha": 1.5, "lam": 0.1, "beta": 0.7,
                                              "noise_variance": 0.2},
                                             {"r": -3.0, "c": 2.0, "gamma": -0.5, "alpha": 0.5, "lam": 0.01,
                                              "beta": 1.0, "noise_variance": 0.0}), ["test_error"]),
        ("NonlinearSpikes", "tanh", "cos"): (({"phi": 1.2, "psi": 1.1, "lam": 0.1, "noise_variance": 0.1},
                                              {"phi": 0.4, "psi": 3.0, "lam": 1.0, "noise_variance": 0.0}),
                                             ["test_error"]),
        ("perceptron",): (({"alpha": 0.3}, {"alpha": 1.5}), ["generalisation_error"]),
        ("random field",): (({"J": 1.5, "h": 0.2}, {"J": 0.4, "h": -1.0}), ["energy"])}


@pytest.mark.slow
@pytest.mark.parametrize("what", LONG, ids=" ".join)
def test_theories_and_their_derivatives(what, tmp_path):
    rows, wanted = LONG[what]
    points = {n: [row.get(n, {"beta": 1.0}.get(n, 0.0)) for row in rows] for n in rows[0]}
    code = f"print(json.dumps(everything(made, {wanted}, **{points})))"
    found, slopes = traced(tmp_path, code, made=theory(*what).source("jax"))
    assert_same(what, points, found, slopes, wanted)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_a_thousand_points_in_one_call(tmp_path):
    draw, names = np.random.default_rng(38), ("eta", "alpha0", "alpha", "lam", "beta", "noise_variance")
    rows = draw.uniform([0.2, 0.5, 0.5, -3.0, 0.5, 0.0], [2.0, 5.0, 3.0, 0.0, 2.0, 0.5], (1000, 6))
    rows[:, 3] = 10.0 ** rows[:, 3]
    values, slopes = traced(tmp_path, f"""
rows = jnp.array({rows.tolist()})
error = jax.value_and_grad(lambda row: made.solve(*row)["test_error"])
print(json.dumps(listed(jax.jit(jax.vmap(error))(rows))))
""", made=theory("OneStep", "tanh", "sin").source("jax"))
    made = type(math)("made")
    exec(theory("OneStep", "tanh", "sin").source(derivatives=True), made.__dict__)
    found, rates = made.solve_many(*rows.T), made.gradient(*rows.T)["test_error"]
    np.testing.assert_allclose(values, found["test_error"], rtol=1e-12)
    np.testing.assert_allclose(slopes, np.transpose([rates[n] for n in names]), rtol=1e-9, atol=1e-12)
    for k in (0, 500, 999):
        at = dict(zip(names, rows[k].tolist()))
        for j, by in enumerate(names):
            rate = theory("OneStep", "tanh", "sin").sensitivity("test_error", by, **at)
            assert slopes[k][j] == pytest.approx(rate, rel=1e-9), by


@pytest.mark.slow
def test_arrays_are_broadcast(tmp_path):
    many = traced(tmp_path, """
print(json.dumps(listed(magnet.solve_many([[1.5], [0.5]], [0.2, -1.0, jnp.inf]))))
""", magnet=theory("magnet").source("jax"))
    assert many["status"] == [[0, 0, 7], [0, 0, 7]]
    np.testing.assert_allclose(many["m"][1][1], theory("magnet").solve(J=0.5, h=-1.0)["m"], rtol=1e-14)


@pytest.mark.slow
def test_second_derivatives_and_levels(tmp_path):
    at = {"J": 1.5, "h": 0.2}
    hessian, forward, reverse, coarse = traced(tmp_path, f"""
energy = lambda x, level=made.LEVEL: made.solve(*x, level=level)["energy"]
x = jnp.array([{at["J"]}, {at["h"]}])
print(json.dumps(listed([jax.jit(jax.hessian(energy))(x), jax.jit(jax.jacfwd(energy))(x),
                         jax.jit(jax.grad(energy))(x), made.solve(*x, level=1)["error_estimate"]])))
""", made=theory("random field").source("jax"))
    assert forward == pytest.approx(reverse, rel=1e-13) and coarse > 0.0
    step = 1e-4
    for j, by in enumerate(at):
        for k, other in enumerate(at):
            sides = [theory("random field").sensitivity("energy", by, **{**at, other: at[other] + s * step})
                     for s in (-2, -1, 1, 2)]
            second = (sides[0] - 8 * sides[1] + 8 * sides[2] - sides[3]) / (12 * step)
            assert hessian[j][k] == pytest.approx(second, rel=1e-8)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
@pytest.mark.parametrize("k", [0, 1])
def test_examples_of_the_page(k, tmp_path):
    block = re.findall(r"^```py\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)[k]
    found = json.loads(subprocess.run(
        [sys.executable, "-c", f"{block}\nimport json\nprint(json.dumps([found.x.tolist(), float(found.fun)]))"],
        cwd=tmp_path, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    if k == 0:
        np.testing.assert_allclose(np.exp(found[0]), [1.2, 0.05, 0.8], rtol=1e-4)
        return
    a, b, c = (np.array(found[0]) / np.linalg.norm(found[0])).tolist()
    student = f"{a!r}*tanh(z) + {b!r}*cos(z) + {c!r}*z"
    at = {"eta": 1.0, "alpha0": 2.0, "alpha": 2.0, "lam": 0.1}
    error = ak.OneStep(student, "z + z**2/2").solve(**at)["test_error"]
    assert found[1] == pytest.approx(error, rel=1e-10)
    for other in ("tanh", "cos", "z"):
        assert error < ak.OneStep(other, "z + z**2/2").solve(**at)["test_error"]


POINTS = {("magnet",): [{"J": 1.5, "h": 0.2}, {"J": 0.5, "h": -1.0}],
          ("random field",): [{"J": 1.5, "h": 0.2}, {"J": 0.4, "h": -1.0}],
          ("ridge",): [{"alpha": 1.3, "lam": 0.05, "D": [0.1, 1.0, 2.5]}],
          ("perceptron",): [{"alpha": 0.3}, {"alpha": 20.0}],
          ("NonlinearSpikes", "tanh", "cos"): [{"phi": 1.2, "psi": 1.1, "lam": 0.1, "noise_variance": 0.1}],
          ("SpikedFeatures", "relu", "abs"): [{"r": 1.3, "c": 0.8, "gamma": 0.4, "alpha": 1.5, "lam": 0.1, "beta": 0.7,
                                               "noise_variance": 0.2}],
          **{("OneStep", *pair): [STEPS[0]] for pair in PAIRS}}


def made_of(model):
    """Run the module of a theory, with derivatives."""
    made = type(ast)("made")
    exec(model.source(derivatives=True), made.__dict__)
    return made


@pytest.mark.parametrize("what", slow_but(list(POINTS), ("magnet",), ("ridge",), single=True), ids=" ".join)
def test_derivatives_are_those_of_sensitivity(what):
    made, points = made_of(theory(*what)), POINTS[what]
    assert made.__all__[0] == "gradient"
    arrays = {n: [p[n] for p in points] if n != "D" else points[0][n] for n in points[0]}
    found = made.gradient(**arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        for k, point in enumerate(points):
            solution = theory(*what).solve(**point)
            for name in {**solution.order_parameters, **solution.observables}.keys() & theory(*what).quantities:
                for by in made.DECLARED:
                    rate = theory(*what).sensitivity(name, by, **point)
                    size = max(abs(found[name][b][k]) for b in made.DECLARED)
                    assert found[name][by][k] == pytest.approx(rate, rel=1e-9, abs=1e-12 * size), (name, by)


@pytest.mark.slow
def test_points_of_every_shape_and_points_without_derivatives():
    made = made_of(theory("OneStep", "tanh", "sin"))
    at = {"eta": [[1.0], [0.0]], "alpha0": 2.0, "alpha": [1.0, 2.0, 3.0], "lam": 0.1}
    found = made.gradient(**at)
    assert found["test_error"]["lam"].shape == (2, 3)
    one = made.gradient(eta=1.0, alpha0=2.0, alpha=2.0, lam=0.1)
    assert isinstance(one["q1"]["eta"], float)
    for by in made.DECLARED:
        assert one["q1"][by] == pytest.approx(found["q1"][by][0, 1], rel=1e-9, abs=1e-13)
    # derivatives of quantities that are rounding alone are not numbers, those of others are
    small = made.gradient(eta=1e-6, alpha0=5.0, alpha=1.2, lam=0.1, noise_variance=0.1)
    for by in ("alpha", "lam", "noise_variance"):
        assert small["test_error"][by] == pytest.approx(theory("OneStep", "tanh", "sin").sensitivity(
            "test_error", by, eta=1e-6, alpha0=5.0, alpha=1.2, lam=0.1, noise_variance=0.1), rel=1e-9)
    # no step is another limit than a small one
    assert np.isnan(found["q1"]["eta"][1]).all() and np.isfinite(found["q1"]["alpha"][1]).all()
    assert found["q1"]["alpha"][1, 0] == pytest.approx(theory("OneStep", "tanh", "sin").sensitivity(
        "q1", "alpha", eta=0.0, alpha0=2.0, alpha=1.0, lam=0.1), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("what", "at", "missing"), [
    (("OneStep", "tanh", "sin"), {"eta": 1.3, "alpha0": math.inf, "alpha": 1.7, "lam": 0.02, "beta": 0.7}, "alpha0"),
    (("SpikedFeatures", "relu", "abs"), {"r": 1.3, "c": 0.8, "gamma": -1.0, "alpha": 1.5, "lam": 0.1, "width": 50.0},
     "gamma")], ids=["population", "overlap -1"])
def test_targets_along_the_spike(what, at, missing):
    model = theory(*what)
    found = made_of(model.at_width() if "width" in at else model).gradient(**at)
    for name in ("test_error", "q1", "m"):
        for by in at.keys() - {missing}:
            assert found[name][by] == pytest.approx(model.sensitivity(name, by, **at), rel=1e-9, abs=1e-13), (name, by)
        with pytest.raises(ak.DomainError, match=missing):
            model.sensitivity(name, missing, **at)


@pytest.mark.slow
def test_quantities_that_follow_from_parameters_and_parameters_out_of_reach():
    m, J, z, h = symbols("m", real=True), symbols("J", positive=True), symbols("z", real=True), symbols("h", real=True)
    K = Symbol("K", positive=True)
    model = ak.Theory(name="derived", unknowns=[m], parameters={J: ("coupling", "positive"), h: ("field", "real")},
                      derived={K: J**2 + J}, equations=[m - ak.E(tanh(K * z + h), z)], observables={"o": K * m})
    made, at = made_of(model), {"J": 0.6, "h": 0.3}
    found = made.gradient(**at)
    for name in ("m", "o"):
        for by in at:
            assert found[name][by] == pytest.approx(model.sensitivity(name, by, **at), rel=1e-9)
    root = made_of(ak.Theory(name="root", unknowns=[m], parameters={h: ("square", "real")}, equations=[m**2 - h],
                             start={m: 1}))
    found = root.gradient([4.0, -1.0])["m"]["h"]
    assert abs(found[0]) == pytest.approx(0.25, rel=1e-12) and np.isnan(found[1])
    with pytest.raises(ak.NotAvailableError, match="derivatives=True is there for square losses"):
        ak.SpikedFeatures("tanh", "z", loss="hinge", labels="sign").source(derivatives=True)
