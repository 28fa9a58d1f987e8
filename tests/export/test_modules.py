"""Modules that are generated: short, clean, the numbers of the package, and a sentence where there are none."""

import ast
import json
import math
import os
import random
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from helpers.modules import loaded
from helpers.tiers import slow_but
from sympy import Symbol, asin, cos, cosh, erfc, exp, log, pi, sqrt, symbols, tanh

import asympkit as ak

ALONE = ("import sys, json\nfor n in {blocked}: sys.modules[n] = None\nsys.path.insert(0, {folder!r})\n"
         "import {stem} as m\n{code}")
#: every parameter away from its default, no step, the gradient of the population, an overlap of one
STEPS = ({"eta": 1.3, "alpha0": 2.0, "alpha": 1.7, "lam": 0.02, "beta": 0.7, "noise_variance": 0.3},
         {"eta": 0.0, "alpha0": 1.0, "alpha": 0.6, "lam": 0.5},
         {"eta": 2.0, "alpha0": math.inf, "alpha": 3.0, "lam": 1e-3, "beta": 1.4},
         {"eta": 1e-6, "alpha0": 5.0, "alpha": 1.2, "lam": 0.1, "noise_variance": 0.1})
#: odd and smooth, neither and kinked or jumping, decaying, growing
PAIRS = (("tanh", "sin"), ("softplus", "sign"), ("z*exp(-z**2/8)", "relu"), ("exp", "z**2"))


def own(name):
    """Small theories of users."""
    m, h = symbols("m h", real=True)
    J, alpha, lam, V, Vhat = symbols("J alpha lam V Vhat", positive=True)
    q, qhat = symbols("q qhat", positive=True)
    z, D = symbols("z D", real=True)
    if name == "magnet":
        return ak.Theory(name="Curie-Weiss magnet", unknowns=[m], observables={"energy": -J * m**2 / 2 - h * m},
                         parameters={J: ("coupling", "positive"), h: ("field", "real")},
                         free_energy=J * m**2 / 2 - log(2 * cosh(J * m + h)))
    if name == "random field":
        return ak.Theory(name="random-field magnet", unknowns=[m], observables={"energy": -J * m**2 / 2 - h * m},
                         parameters={J: ("coupling", "positive"), h: ("field", "real")},
                         free_energy=J * m**2 / 2 - ak.E(log(cosh(J * m + h + z)), z))
    if name == "one mean":
        return ak.Theory(name="one mean", unknowns=[m], parameters={J: ("slope", "positive"), h: ("field", "real")},
                         equations=[m - ak.E(tanh(J * z + h), z)])
    if name == "ridge":
        return ak.Theory(name="ridge", unknowns=[V, Vhat], observables={"trace": V * lam},
                         parameters={alpha: ("samples", "positive"), lam: ("penalty", "positive")},
                         equations=[V - ak.mean(D / (lam + Vhat * D), ak.Eigenvalues(D)), Vhat - alpha / (1 + V)])
    t = z * sqrt(q / (1 - q))
    kernel = exp(-t**2) / (2 * pi) / (erfc(t / sqrt(2)) / 2)
    return ak.Theory(name="sign-teacher perceptron", unknowns={q: (0, 1), qhat: "positive"},
                     parameters={alpha: ("samples over dimensions", "positive")},
                     equations=[q - qhat / (1 + qhat), qhat - 2 * alpha / (1 - q) * ak.E(kernel, z)],
                     observables={"generalisation_error": (pi / 2 - asin(sqrt(q))) / pi})


@cache
def theory(*what):
    """A small theory of ``own``, or a class, student, target and options in pairs."""
    return own(*what) if len(what) == 1 else getattr(ak, what[0])(*what[1:3], **dict(what[3:]))


@cache
def source(*what):
    return theory(*what).source()


@cache
def module(*what):
    """A generated module in this process."""
    made = type(ast)("standalone")
    exec(compile(source(*what), "standalone", "exec"), made.__dict__)
    return made


def expected(what, at):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        return theory(*what).solve(**at)


def assert_numbers(found, solution, rel=1e-12):
    """As far as the condition of each quantity lets two programs agree; observables of the exact bulk further."""
    has_exact_bulk = "V1" in found and "chi" in solution.order_parameters
    for name, value in {**solution.order_parameters, **solution.observables}.items():
        if name not in found:
            assert has_exact_bulk, name
            continue
        size = max(abs(value), solution.scale.get(name, 0.0), 1e-290)
        is_bound = has_exact_bulk and name in solution.observables
        assert abs(found[name] - value) <= rel * size * (1.0 if is_bound else max(
            1.0, solution.condition.get(name, 1.0))), name
    assert found["residual"] <= 1e-9 and found["error_estimate"] <= 1e-9


# -- what a module is ----------------------------------------------------------------------------------------------

ALL = (*(("OneStep", *p) for p in PAIRS), ("SpikedFeatures", "relu", "abs"), ("NonlinearSpikes", "tanh", "cos"),
       *((n,) for n in ("magnet", "random field", "ridge", "perceptron")))
EXACT = ("OneStep", "tanh", "sin", ("bulk", "exact"))
RELU = ("OneStep", "relu", "sin", ("bulk", "exact"))
BOTH = (EXACT, pytest.param(RELU, marks=pytest.mark.slow))


@pytest.mark.parametrize("what", ALL, ids=" ".join)
def test_a_module_is_short_and_says_what_it_is(what):
    text = source(*what)
    lines = text.splitlines()
    assert len(lines) <= 2100
    assert max(map(len, lines)) <= 120
    made = module(*what)
    assert made.__all__ == ["solve", "solve_many", "solve_rows"] and made.__version__ == ak.__version__
    assert "Written by asympkit from the symbolic equations; do not edit." in made.__doc__
    assert "belongs to whoever generated it" in made.__doc__
    assert "block 1: " in made.__doc__
    for name in theory(*what).equations().unknowns:
        assert str(name) in made.__doc__ and str(name) in made.OUTPUTS
    assert "Parameters\n    ----------\n" in made.solve.__doc__
    imported = {n.name for s in ast.walk(ast.parse(text)) if isinstance(s, ast.Import) for n in s.names}
    assert imported <= {"functools", "math", "numpy"}


@pytest.mark.parametrize("what", BOTH, ids=str)
def test_a_module_of_the_exact_bulk_says_what_it_is(what):
    made, lines = module(*what), source(*what).splitlines()
    assert len(lines) <= 7000 and max(map(len, lines)) <= 120
    assert made.__doc__.startswith(f"The real network after one gradient step, student {what[1]}, target {what[2]}")
    assert "V1 = S_weighed(Vhat1, Vhat2)" in made.__doc__ and "  g = Vhat1*beta*S_inverse" in made.__doc__
    assert theory("OneStep", "cos", *EXACT[2:]).source() == theory("OneStep", "cos", "sin").source()      # even


@pytest.mark.parametrize("what", [*ALL, *BOTH], ids=str)
def test_a_module_holds_nothing_that_it_does_not_use(what):
    tree = ast.parse(source(*what))
    read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            assert node.name in read or node.name in ("solve", "solve_rows")
        elif isinstance(node, ast.Assign):
            names = {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
            assert names & read or names <= {"__all__", "__version__"}, names


@pytest.mark.parametrize("modules", [(*ALL, EXACT), pytest.param((RELU,), marks=pytest.mark.slow)], ids=["all", "relu"])
def test_modules_pass_the_linter(modules, tmp_path):
    for k, what in enumerate(modules):
        (tmp_path / f"m{k}.py").write_text(source(*what))
    done = subprocess.run([sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "E,F",
                           "--line-length", "120", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


# -- numbers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
@pytest.mark.parametrize("k", range(len(STEPS)))
def test_one_step(pair, k):
    what = ("OneStep", *pair)
    assert_numbers(module(*what).solve(**STEPS[k]), expected(what, STEPS[k]))


@pytest.mark.parametrize("at", [
    {"r": 1.3, "c": 0.8, "gamma": 0.4, "alpha": 1.5, "lam": 0.1, "beta": 0.7, "noise_variance": 0.2},
    {"r": 300.0, "c": 1.0, "gamma": 0.9, "alpha": 1.5, "lam": 0.01},
    {"r": -3.0, "c": 200.0, "gamma": -1, "alpha": 0.5, "lam": 0.01},
    {"r": 0, "c": 0.02, "gamma": 1, "alpha": 4, "lam": 1e-3}])
def test_spiked_features(at):
    what = ("SpikedFeatures", "relu", "abs")
    assert_numbers(module(*what).solve(**at), expected(what, at))


@pytest.mark.parametrize(("name", "at"), [
    ("magnet", {"J": 1.5, "h": 0.2}), ("magnet", {"J": 0.5, "h": -1.0}), ("random field", {"J": 1.5, "h": 0.2}),
    ("ridge", {"alpha": 1.3, "lam": 0.05, "D": [0.1, 1.0, 2.5]}), ("perceptron", {"alpha": 0.3}),
    ("perceptron", {"alpha": 20.0})])
def test_theories_of_a_person(name, at):
    assert_numbers(module(name).solve(**at), expected((name,), at))


#: every parameter moved, no step, the gradient of the population, many and few samples, a large step
GRID = (STEPS[0], *({**STEPS[0], name: value} for name, value in [
    ("eta", 0.0), ("eta", 1e-6), ("eta", 8.0), ("alpha0", 0.1), ("alpha0", 40.0), ("alpha0", math.inf), ("alpha0", 0.0),
    ("alpha", 0.2), ("alpha", 9.0), ("lam", 1e-7), ("lam", 5.0), ("beta", 0.1), ("beta", 10.0),
    ("noise_variance", 0.0), ("noise_variance", 2.0)]), {**STEPS[0], "alpha0": math.inf, "noise_variance": 0.0},
    {**STEPS[0], "alpha": 0.7, "lam": 1e-7, "noise_variance": 0.0})


@pytest.mark.slow
@pytest.mark.parametrize("at", GRID, ids=str)
@pytest.mark.parametrize("what", [EXACT, RELU], ids=str)
def test_the_exact_bulk(what, at):
    assert_numbers(module(*what).solve(**at), expected(what, at))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
@pytest.mark.parametrize("pairs", [(("tanh", "sin"), ("sin", "tanh"), ("z*exp(-z**2/2)", "relu")),
                                   (("relu", "sin"), ("elu", "tanh"), ("tanh(z+1/2)", "cos(z)+z"))], ids=["odd", "any"])
def test_what_the_package_solves_over_the_exact_bulk_is_solved(pairs):
    draw, solved = random.Random(3), 0
    low, high = (1e-3, 0.05, 0.1, 0.1, 1e-8), (20.0, 50.0, 10.0, 10.0, 10.0)
    for _ in range(60):
        what = ("OneStep", *draw.choice(pairs), ("bulk", "exact"))
        at = {n: a * (b / a) ** draw.random() for n, a, b in zip(("eta", "alpha0", "alpha", "beta", "lam"), low, high)}
        at["noise_variance"] = draw.choice([0.0, 0.0, 0.3])
        try:
            solution = theory(*what).solve(**at)
        except ak.ConvergenceError:
            continue
        found, solved = module(*what).solve(**at), solved + 1
        for name in solution.observables:
            assert found[name] == pytest.approx(solution[name], rel=1e-11), (what, at)
    assert solved >= 50


@pytest.mark.slow
@pytest.mark.parametrize(("pair", "at"), [
    (("erf(z)", "z+(z**2-1)/sqrt(2)"), {"eta": 9.659, "alpha0": math.inf, "alpha": 6.988, "beta": 0.1585,
                                        "lam": 4.6e-3}),
    (("erf(z)", "z+(z**2-1)/sqrt(2)"), {"eta": 2.382, "alpha0": math.inf, "alpha": 0.265, "beta": 0.251,
                                        "lam": 4.6e-6}),
    (("relu", "cos"), {"eta": 0.0, "alpha0": 1.0, "alpha": 1.0, "lam": 0.1}),
    (("relu", "cos"), {**STEPS[0], "noise_variance": 0.0}),
    (("softplus", "sin"), {"eta": 13.97, "alpha0": 6.59, "alpha": 5.05, "beta": 5.456, "lam": 4.2e-5})], ids=str)
def test_awkward_points_of_the_exact_bulk(pair, at):
    """They need fine rules, small rows, or a start near the spectrum of a bulk far from isotropic."""
    what = ("OneStep", *pair, ("bulk", "exact"))
    solution, found = expected(what, at), module(*what).solve(**at)
    for name in solution.observables:
        assert found[name] == pytest.approx(solution[name], rel=1e-11), name


def test_means_that_are_small_keep_their_digits():
    # more digits than double precision keeps in a mean of which most is cancelled: 40 digits decide
    what = ("OneStep", "sin(5*z)", "tanh")
    at = {"eta": 1.9, "alpha0": math.inf, "alpha": 0.18, "lam": 8e-5, "beta": 1.28}
    exact = theory(*what).precise(digits=15, **{k: repr(v) if v < math.inf else v for k, v in at.items()})
    found = module(*what).solve(**at)
    for name in ("test_error", "train_error"):
        assert found[name] == pytest.approx(float(exact[name]), rel=2e-13)


def test_messages():
    what = ("OneStep", "tanh", "sin")
    with pytest.raises(ValueError, match=r"^eta: got an array of shape \(100,\) from -1 to 1; expected a finite"):
        module(*what).solve_many(eta=np.linspace(-1, 1, 100), alpha0=2.0, alpha=1.0, lam=0.1)
    with pytest.raises(ValueError, match=r"^lam: got much; expected a positive finite number"):
        module(*what).solve(1.0, 2.0, 1.0, "much")
    m, h = symbols("m h", real=True)
    made = type(ast)("roots")
    text = ak.Theory(name="root", unknowns=[m], parameters={h: ("square", "real")}, equations=[m**2 - h],
                     start={m: 1}).source()
    exec(text, made.__dict__)
    found = made.solve_many(h=[4.0, -1.0])
    assert abs(found["m"][0]) == pytest.approx(2.0) and np.isnan(found["m"][1]) and found["residual"][1] > 1e-9
    assert found["status"].tolist() == ["converged", "residual"]
    with pytest.raises(ValueError, match=r"no solution was found \(residual .*: residual\): move the parameters"):
        made.solve(-1.0)


def made_of(text):
    made = type(ast)("standalone")
    exec(text, made.__dict__)
    return made


def test_unknowns_and_parameters_have_domains():
    m, u, J = symbols("m", real=True), symbols("u", positive=True), symbols("J", real=True)
    one = made_of(ak.Theory(name="explicit", unknowns=[u], parameters={J: ("square", "real")},
                            equations=[u + 1 - J]).source())
    assert one.solve(3.0)["u"] == 2.0
    with pytest.raises(ValueError, match=r"solve: no solution was found \(residual inf"):
        one.solve(0.5)
    assert np.isnan(one.solve_many([3.0, 0.5])["u"]).tolist() == [False, True]
    share = made_of(ak.Theory(name="interval", unknowns={m: (0, 2)}, parameters={J: ("share", "real")},
                              equations=[2 * m - J]).source())
    assert np.isnan(share.solve_many([1.0, 0.0, 4.0, 4.1, -0.1])["m"]).tolist() == [False] * 3 + [True] * 2
    other = made_of(ak.Theory(name="root on the other side", unknowns=[m, u], parameters={J: ("square", "positive")},
                              equations=[m**2 - J, u + m]).source()).solve(2.0)
    assert (other["m"], other["u"]) == pytest.approx((-math.sqrt(2), math.sqrt(2)), rel=1e-14)
    m, J, a = symbols("m", real=True), symbols("J", positive=True), symbols("a", nonzero=True, real=True)
    made = made_of(ak.Theory(name="signs", unknowns=[m], parameters={J: ("one", "[0, 1]"), a: ("two", "real")},
                             equations=[m * a - J]).source())
    assert made.solve(1.0, -2.0)["m"] == -0.5
    with pytest.raises(ValueError, match=r"J: got 0\.0; expected a number that is positive, as the symbol J"):
        made.solve(0.0, 1.0)
    with pytest.raises(ValueError, match=r"a: got 0\.0; expected a number that is nonzero, as the symbol a"):
        made.solve(1.0, 0.0)


@pytest.mark.parametrize("wrong", [[], [[1.0, 2.0], [2.0, 3.0]], [1.0, math.nan], [1.0, math.inf]], ids=str)
def test_arrays_of_eigenvalues_are_checked(wrong):
    with pytest.raises(ValueError, match="(?s)D: got .*; expected a non-empty one-dimensional array of finite numbers"):
        module("ridge").solve(1.0, 0.1, wrong)
    at = module("ridge").solve(1.0, 0.1, 2.0)
    assert at == module("ridge").solve(1.0, 0.1, [2.0])


def test_modules_of_a_user():
    m = symbols("m", real=True)
    made = made_of(ak.Theory(name="alone", unknowns=[m], parameters={}, equations=[m - cos(m)]).source())
    assert made.__all__ == ["solve"] and not hasattr(made, "solve_rows")
    assert made.solve()["m"] == pytest.approx(0.7390851332151607, rel=1e-14)
    m, J, z = symbols("m", real=True), Symbol('""" q', positive=True), symbols("z", real=True)
    quotes = ak.Theory(name="quotes", unknowns=[m], parameters={J: ("coupling", "positive")},
                       equations=[m - ak.E(tanh(J * m + z + 1), z)], observables={"obs": m**2 * J})
    assert max(map(len, quotes.source().splitlines())) <= 120
    expected = quotes.precise(digits=20, parameters={J.name: "1.5"})
    assert made_of(quotes.source()).solve(1.5)["obs"] == pytest.approx(float(expected["obs"]), rel=1e-13)


@pytest.mark.parametrize(("what", "at", "text"), [
    *((what, {"lam": -1.0}, r"^lam: got -1\.0; expected a positive finite number") for what in (EXACT[:3], EXACT)),
    *(pytest.param(("OneStep", *pair, ("bulk", "exact")), {"noise_variance": 0.0, **more}, text, marks=pytest.mark.slow)
      for pair, more, text in (
        (("relu", "cos"), {"alpha0": math.inf}, "^alpha0: got inf; expected a finite number: the gradient of the pop"),
        (("tanh", "0*z"), {}, r"^noise_variance: got 0\.0; expected a number above 0: without noise"),
        (("sign", "sin"), {}, r"^eta: got 1\.3; expected 0: the student jumps"))),
    (("OneStep", "tanh", "sin"), {"eta": [1.0, -2.0]}, r"eta: got \[1\.0, -2\.0\]; expected a finite number >= 0"),
    (("OneStep", "tanh", "sin"), {"alpha": [1.0, 2.0]}, r"solve: got arrays of shape \(2,\); expected one point"),
    (("OneStep", "sign", "sin"), {}, "eta: got 1.3; expected 0: the student jumps"),
    (("OneStep", "cos(8*z)", "sin(z)+1/2"), {"eta": 1e-3}, "a mean of which only the direction counts is below the"),
    (("NonlinearSpikes", "tanh", "cos"), {"degree": 40}, "degree: got 40; expected an integer from 0 to 12"),
    (("SpikedFeatures", "relu", "abs"), {"c": -1}, "c: got -1; expected a positive finite number"),
    (("SpikedFeatures", "relu", "abs"), {"r": 1, "c": math.inf}, "c: got inf; expected a positive finite number"),
    (("SpikedFeatures", "relu", "abs"), {"r": -math.inf, "c": 1}, "r: got -inf; expected a finite real number")])
def test_what_is_refused(what, at, text):
    base = {"OneStep": STEPS[0], "NonlinearSpikes": {"phi": 1.0, "psi": 1.0, "lam": 1.0},
            "SpikedFeatures": {"r": 1, "c": 1, "gamma": 0, "alpha": 1, "lam": 1}}[what[0]]
    with pytest.raises(ValueError, match=text):
        module(*what).solve(**{**base, **at})


def test_arrays_of_every_parameter_are_the_points_one_by_one():
    made, draw = module("OneStep", "tanh", "sin"), np.random.default_rng(4)
    at = {name: draw.uniform(0.3, 2.0, 3) for name in ("eta", "alpha0", "alpha", "lam", "beta", "noise_variance")}
    at["eta"][0] = at["alpha0"][1] = 0.0                # no step at all
    many = made.solve_many(**at)
    for k in range(3):
        one = made.solve(**{n: v[k] for n, v in at.items()})
        for name, value in one.items():
            assert many[name][k] == pytest.approx(value, rel=1e-11, abs=1e-14), name
    assert many["status"].tolist() == ["converged"] * 3 and set(many) == {*one, "status"}
    grid = made.solve_many(eta=[[0.5], [1.0]], alpha0=2.0, alpha=[1.0, 1.5, 2.0], lam=0.1)
    assert grid["q1"].shape == (2, 3)
    assert grid["q1"][1, 2] == pytest.approx(made.solve(1.0, 2.0, 2.0, 0.1)["q1"], rel=1e-11)
    assert made.solve_many(eta=[], alpha0=2.0, alpha=1.0, lam=0.1)["q1"].shape == (0,)
    spikes = module("NonlinearSpikes", "tanh", "cos")
    many = spikes.solve_many(phi=[1.0, 2.0], psi=1.0, lam=1.0, degree=[[0], [4]])
    assert many["m1"][1, 1] == pytest.approx(spikes.solve(2.0, 1.0, 1.0, degree=4)["m1"], rel=1e-13)


@pytest.mark.parametrize(("what", "axes"), [
    (("OneStep", "tanh", "sin"), {"alpha": np.linspace(0.5, 3, 12), "lam": np.geomspace(1e-3, 1, 10)}),
    (("random field",), {"J": np.linspace(0.2, 2, 8), "h": np.linspace(0.1, 1, 7)}),
    (("ridge",), {"alpha": np.linspace(0.5, 3, 9), "lam": np.geomspace(1e-3, 1, 10)})], ids=lambda v: str(v)[:20])
def test_diagrams_are_those_of_sweep(what, axes):
    fixed = {"OneStep": {"eta": 1.3, "alpha0": 2.0}, "ridge": {"D": [0.1, 1.0, 2.5]}}.get(what[0], {})
    first, second = axes.values()
    found = module(*what).solve_many(**fixed, **dict(zip(axes, (first[:, None], second))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        sweep = theory(*what).sweep(**fixed, **axes, backend="numpy")
    for name in theory(*what).equations().observables:
        np.testing.assert_allclose(found[name], sweep[name], rtol=1e-10, atol=1e-13)
    assert (found["status"] == "converged").all()


@pytest.mark.slow
def test_arrays_of_a_loss_whose_tables_need_the_noise():
    made = made_of(ak.SpikedFeatures("tanh", "z", loss="hinge", labels="sign").source())
    at = {"r": 1.3, "c": 0.8, "gamma": 0.4, "lam": 0.1}
    many = made.solve_many(**at, alpha=[1.0, 2.0], noise_variance=[[0.0], [0.3]])
    assert many["q1"][1, 0] == pytest.approx(made.solve(**at, alpha=1.0, noise_variance=0.3)["q1"], rel=1e-11)


@pytest.mark.parametrize("name", ["my solver.py", "class.py", "2d.py", "numpy.py", "random.py", "it.pyw"])
def test_paths_that_cannot_be_imported_are_refused(name, tmp_path):
    with pytest.raises(ak.DomainError, match="path: got .*; expected"):
        theory("magnet").generate(tmp_path / name)


@pytest.mark.parametrize("seed", slow_but([0, 271828]))
def test_same_bytes_under_every_hash_seed(seed):
    code = "import asympkit as ak\nprint(ak.OneStep('tanh', 'sin').source(), end='')"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": str(seed)},
                          capture_output=True, text=True, check=True)
    assert done.stdout == source("OneStep", "tanh", "sin")


# -- processes of their own ------------------------------------------------------------------------------------------


def alone(path, blocked, code):
    text = ALONE.format(blocked=blocked, folder=str(path.parent), stem=path.stem, code=code)
    done = subprocess.run([sys.executable, "-W", "error", "-c", text], capture_output=True, text=True, cwd=path.parent)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("what", [("OneStep", "z*exp(-z**2/8)", "relu"), *BOTH], ids=str)
def test_numpy_is_enough(what, tmp_path):
    path = theory(*what).generate(tmp_path / "alone.py")
    assert path.read_text("utf-8") == source(*what)
    found = alone(path, ("asympkit", "sympy", "numba", "scipy", "mpmath"),
                  f"print(json.dumps(m.solve(**{STEPS[0]!r})))")
    assert_numbers(found, expected(what, STEPS[0]))


def test_one_point_does_not_load_numba(tmp_path):
    path = theory("magnet").generate(tmp_path / "light.py")
    assert alone(path, ("asympkit",), "m.solve(1.5, 0.2)\nprint(json.dumps('numba' in sys.modules))") is False


@pytest.mark.slow
@pytest.mark.parametrize("what", [("OneStep", "softplus", "relu"), ("NonlinearSpikes", "tanh", "cos"), ("perceptron",),
                                  ("random field",), ("one mean",), EXACT, RELU], ids=str)
def test_numba_gives_the_same(what, tmp_path):
    path = theory(*what).generate(tmp_path / "rows.py")
    name, at = {"OneStep": ("alpha", {"eta": 1.0, "alpha0": 2.0, "lam": 0.1}), "perceptron": ("alpha", {}),
                "random field": ("J", {"h": 0.3}), "one mean": ("J", {"h": 0.3}),
                "NonlinearSpikes": ("phi", {"psi": 1.0, "lam": 0.1})}[what[0]]
    code = (f"import numpy as np\nm.NUMBA_PAYS = 0\nx = np.linspace(0.5, 2.0, 150)\n"
            f"found = m.solve_many(**{{{name!r}: x}}, **{at!r})\n"
            "print(json.dumps([hasattr(m.solve_in_order, 'py_func'), {k: v.tolist() for k, v in found.items()}]))")
    compiled, found = alone(path, ("asympkit", "sympy"), code)
    assert compiled
    slow = module(*what).solve_many(**{name: np.linspace(0.5, 2.0, 150)[:40]}, **at)
    for key, values in slow.items():
        if key not in ("residual", "iterations", "error_estimate", "status"):
            np.testing.assert_allclose(found[key][:40], values, rtol=1e-11, atol=1e-14)


def test_a_module_is_imported_by_its_path(tmp_path):
    path = theory("ridge").generate(Path(tmp_path) / "by_path.py")
    found = loaded(path).solve_many(D=[1.0, 2.0], alpha=1.0, lam=[0.1, 1.0])
    assert found["trace"].shape == (2,)
