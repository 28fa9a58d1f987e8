"""Generated modules of the bulk that a gradient step really makes: short, alone, and the numbers of the package."""

import ast
import json
import math
import random
import subprocess
import sys
from functools import cache

import pytest

import asympkit as ak

PAIRS = (("tanh", "sin"), ("relu", "sin"))
AT = {"eta": 1.3, "alpha0": 2.0, "alpha": 1.7, "lam": 0.02, "beta": 0.7, "noise_variance": 0.3}
#: every parameter moved, no step, the gradient of the population, many and few samples, a large step
GRID = (AT, *({**AT, name: value} for name, value in [
    ("eta", 0.0), ("eta", 1e-6), ("eta", 8.0), ("alpha0", 0.1), ("alpha0", 40.0), ("alpha0", math.inf), ("alpha0", 0.0),
    ("alpha", 0.2), ("alpha", 9.0), ("lam", 1e-7), ("lam", 5.0), ("beta", 0.1), ("beta", 10.0),
    ("noise_variance", 0.0), ("noise_variance", 2.0)]),
    {**AT, "alpha0": math.inf, "noise_variance": 0.0}, {**AT, "alpha": 0.7, "lam": 1e-7, "noise_variance": 0.0})
ALONE = ("import sys, json, math\nfor n in {blocked}: sys.modules[n] = None\nsys.path.insert(0, {folder!r})\n"
         "import exact as m\n{code}")


@cache
def theory(student, target):
    return ak.OneStep(student, target, bulk="exact")


@cache
def source(student, target):
    return theory(student, target).source()


@cache
def module(student, target):
    made = type(ast)("standalone")
    exec(compile(source(student, target), "standalone", "exec"), made.__dict__)
    return made


def assert_numbers(found, solution):
    """As far as the condition of each quantity lets two programs agree."""
    for name in found.keys() & {*solution.order_parameters, *solution.observables}:
        size = max(abs(solution[name]), solution.scale.get(name, 0.0), 1e-290)
        bound = 1e-12 if name in solution.observables else 1e-12 * max(1.0, solution.condition.get(name, 1.0))
        assert abs(found[name] - solution[name]) <= bound * size, name
    assert found["residual"] <= 1e-9 and found["error_estimate"] <= 1e-9


@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
@pytest.mark.parametrize("pair", [PAIRS[0], pytest.param(PAIRS[1], marks=pytest.mark.slow)], ids=" ".join)
def test_a_module_is_alone_and_has_the_numbers_of_the_package(pair, tmp_path):
    path = theory(*pair).generate(tmp_path / "exact.py")
    text = path.read_text("utf-8")
    lines = text.splitlines()
    assert len(lines) <= 7000 and max(map(len, lines)) <= 120 and text == source(*pair)
    code = f"print(json.dumps(m.solve(**json.loads({json.dumps(AT)!r}))))"
    blocked = ("asympkit", "sympy", "numba", "scipy", "mpmath")
    done = subprocess.run([sys.executable, "-W", "error", "-c", ALONE.format(
        blocked=blocked, folder=str(tmp_path), code=code)], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert_numbers(json.loads(done.stdout), theory(*pair).solve(**AT))


@pytest.mark.parametrize("pair", [PAIRS[0], pytest.param(PAIRS[1], marks=pytest.mark.slow)], ids=" ".join)
def test_a_module_says_what_it_is_and_holds_nothing_that_it_does_not_use(pair, tmp_path):
    made, tree = module(*pair), ast.parse(source(*pair))
    assert made.__doc__.startswith(f"The real network after one gradient step, student {pair[0]}, target {pair[1]}")
    assert "V1 = S_weighed(Vhat1, Vhat2)" in made.__doc__ and "  g = Vhat1*beta*S_inverse" in made.__doc__
    read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            assert node.name in read | {"solve", "solve_rows"}
    (tmp_path / "m.py").write_text(source(*pair))
    done = subprocess.run([sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "E,F",
                           "--line-length", "120", str(tmp_path / "m.py")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"^lam: got -1\.0; expected a positive finite number"):
        module(*PAIRS[0]).solve(**{**AT, "lam": -1.0})


def test_the_module_of_an_even_student_is_that_of_the_isotropic_bulk():
    assert theory("cos", "sin").source() == ak.OneStep("cos", "sin").source()


@pytest.mark.slow
def test_what_has_no_direction_is_refused():
    relu = module("relu", "cos")
    at = {**AT, "noise_variance": 0.0}
    with pytest.raises(ValueError, match="^alpha0: got inf; expected a finite number: the gradient of the population"):
        relu.solve(**{**at, "alpha0": math.inf})
    with pytest.raises(ValueError, match=r"^noise_variance: got 0\.0; expected a number above 0: without noise"):
        module("tanh", "0*z").solve(**at)
    with pytest.raises(ValueError, match=r"^eta: got 1\.3; expected 0: the student jumps"):
        module("sign", "sin").solve(**at)
    assert relu.solve(**at)["test_error"] == pytest.approx(theory("relu", "cos").solve(**at).test_error, rel=1e-12)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
@pytest.mark.parametrize("at", GRID, ids=str)
@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_a_grid_that_moves_every_parameter(pair, at):
    assert_numbers(module(*pair).solve(**at), theory(*pair).solve(**at))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
@pytest.mark.parametrize("pairs", [(("tanh", "sin"), ("sin", "tanh"), ("z*exp(-z**2/2)", "relu")),
                                   (("relu", "sin"), ("elu", "tanh"), ("tanh(z+1/2)", "cos(z)+z"))], ids=["odd", "any"])
def test_what_the_package_solves_is_solved(pairs):
    draw, solved = random.Random(3), 0
    for _ in range(60):
        pair = draw.choice(pairs)
        low, high = (1e-3, 0.05, 0.1, 0.1, 1e-8), (20.0, 50.0, 10.0, 10.0, 10.0)
        at = {n: a * (b / a) ** draw.random() for n, a, b in zip(("eta", "alpha0", "alpha", "beta", "lam"), low, high)}
        at["noise_variance"] = draw.choice([0.0, 0.0, 0.3])
        try:
            expected = theory(*pair).solve(**at)
        except ak.ConvergenceError:
            continue
        found, solved = module(*pair).solve(**at), solved + 1
        for name in expected.observables:
            assert found[name] == pytest.approx(expected[name], rel=1e-11), (pair, at)
    assert solved >= 50


#: points that need fine rules, small rows, or a start near the spectrum of a bulk far from isotropic
AWKWARD = [
    ("erf(z)", "z+(z**2-1)/sqrt(2)", {"eta": 9.659, "alpha0": math.inf, "alpha": 6.988, "beta": 0.1585, "lam": 4.6e-3}),
    ("erf(z)", "z+(z**2-1)/sqrt(2)", {"eta": 2.382, "alpha0": math.inf, "alpha": 0.265, "beta": 0.251, "lam": 4.6e-6}),
    ("relu", "cos", {"eta": 0.0, "alpha0": 1.0, "alpha": 1.0, "lam": 0.1}),
    ("softplus", "sin", {"eta": 13.97, "alpha0": 6.59, "alpha": 5.05, "beta": 5.456, "lam": 4.2e-5}),
]


@pytest.mark.slow
@pytest.mark.parametrize("row", AWKWARD, ids=str)
def test_awkward_points(row):
    *pair, at = row
    expected, found = theory(*pair).solve(**at), module(*pair).solve(**at)
    for name in expected.observables:
        assert found[name] == pytest.approx(expected[name], rel=1e-11), name


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_numba_gives_the_same(pair, tmp_path):
    theory(*pair).generate(tmp_path / "exact.py")
    code = ("import numpy as np\nm.NUMBA_PAYS, x = 0, np.linspace(0.5, 2.0, 500)\n"
            f"fast = m.solve_many(**json.loads({json.dumps({**AT, 'noise_variance': 0.0})!r}) | {{'alpha': x}})\n"
            "print(json.dumps([hasattr(m.solve_in_order, 'py_func'), {k: v.tolist() for k, v in fast.items()}]))")
    done = subprocess.run([sys.executable, "-c", ALONE.format(blocked=("asympkit",), folder=str(tmp_path), code=code)],
                          capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    compiled, fast = json.loads(done.stdout)
    assert compiled
    slow = module(*pair).solve_many(**{**AT, "noise_variance": 0.0, "alpha": [0.5, 2.0]})
    for name in ("test_error", "train_error", "V1", "q2"):
        assert [fast[name][0], fast[name][-1]] == pytest.approx(slow[name].tolist(), rel=1e-11), name
