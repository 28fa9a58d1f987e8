"""Generated code: loops, batches and the interpreter agree; the same bytes everywhere; modules stand alone."""

import ast
import json
import os
import random
import subprocess
import sys
from functools import cache
from itertools import count
from pathlib import Path

import asympkit.generated
import numpy as np
import pytest
from helpers.modules import plain_module
from helpers.tiers import slow_but, slow_these
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational, Symbol, cos, exp, log, sqrt, symbols, tanh

import asympkit as ak
from asympkit.codegen.expressions import ExpressionPrinter
from asympkit.multiprecision.interpreter import Interpreter
from asympkit.multiprecision.number_systems import Floats
from asympkit.theories import registry as shipped
from asympkit.theories.spiked_features.codegen_targets import kernel_source
from asympkit.theories.spiked_features.equations import ridge

FOLDER = Path(asympkit.generated.__file__).parent
EPS = np.finfo(float).eps
COMMITTED = sorted(f.relative_to(FOLDER).as_posix() for f in FOLDER.rglob("*") if f.suffix in (".py", ".tex")
                   and f.name not in ("__init__.py", "__main__.py"))
def three_ways(module, program, values, tables, start=1.0):
    """Outputs (without the iteration count) of the loop form, the batch form and the interpreter."""
    flat = [x for pair in tables for x in pair]
    begin = [start] * len(module.TORN)
    settings_ = (2, 1e-9, 200)
    with np.errstate(all="ignore"):
        loop = module.solve_point(*values, *flat, *begin, *settings_)
        arrays = [np.array([v, 1.1 * v]) for v in values]
        batch, _ = module.solve_batch(*arrays, *flat, *(np.full(2, b) for b in begin), *settings_)
    known = {g.name: (dict(zip(g.columns.values(), table)), weights)
             for g, (table, weights) in zip(program.grids, tables)}
    run = Interpreter(program, Floats(), known, max_steps=200)
    torn = {u: start for n in program.newtons for u in n.torn}
    result = run.run(dict(zip(program.parameters, values)), torn)
    return np.array(loop[:-1]), batch[:-1, 0], np.array([float(result[s]) for s in program.outputs])


def assert_agree(ways, names, rtol=1e-11):
    loop, batch, oracle = ways
    size = np.maximum(np.abs(oracle), 1e-3)
    for other in (loop, batch):
        worst = int(np.argmax(np.abs(other - oracle) / size))
        assert np.all(np.isfinite(other)), names
        assert abs(other[worst] - oracle[worst]) <= rtol * size[worst], names[worst]
    assert loop[-1] < 1e-9


@cache
def shipped_plain():
    return plain_module(kernel_source())


@pytest.mark.parametrize("seed", range(5))
def test_spiked_theory_three_ways(seed):
    rng = np.random.default_rng(seed)
    program, _ = ridge().program
    module = shipped_plain()
    pairs = [("tanh", "sin"), ("erf", "relu"), ("relu", "tanh"), ("z*exp(-z**2/2)", "z"), ("softplus", "sign")]
    functions = [ak.Activation(f) for f in pairs[seed]]
    gamma = rng.uniform(-1, 1)
    table = (rng.normal(0, 1.5), rng.uniform(0.5, 2), gamma, np.sqrt(1 - gamma**2))
    ((columns, weights),), _ = module.kappa_rule((2,), *table, *functions)
    values = (*(10 ** rng.uniform(-1, 1, 2)), 10 ** rng.uniform(-3, 1), rng.uniform(0, 0.5), *table)
    # a batch varies its parameters while the tables stay: only those of the point are changed
    ways = three_ways(module, program, values, [(columns, weights)])
    assert_agree(ways, module.OUTPUTS, rtol=1e-9)


def random_theory(seed):
    """Blocks of every kind, with averages over a normal and over given eigenvalues, in random order."""
    rng = random.Random(seed)
    z, kappa, D, T = symbols("z kappa D T", real=True)
    p, s = symbols("p s", positive=True)
    labels = count()
    bumps = [tanh(z) ** 2, exp(-z**2), z**2, 1 + cos(z), 1 / (1 + z**2), s * tanh(s * z) ** 2]

    def number():
        return Rational(rng.randint(1, 9), rng.randint(5, 12))

    def positive(known):
        """An expression that decreases in positive unknowns, hence maps with one fixed point."""
        base = 1 + sum(number() * rng.choice([1, z**2, tanh(z) ** 2]) * k for k in known)
        kind = rng.randrange(4)
        if kind == 0:
            return ak.mean(T * number() / (p + sum(number() * k for k in known) * D + D), ak.Eigenvalues(D, T))
        numerator = rng.choice(bumps)
        if kind == 1:
            numerator = ak.Named(f"W{next(labels)}", numerator * (1 + number() * z**2))
        return p * number() + number() * ak.E(numerator / base ** rng.choice([1, 2]), z)

    core = [Symbol(f"u{i}", positive=True) for i in range(rng.randint(1, 3))]
    equations = [u - positive(core) for u in core]
    unknowns = list(core)
    for i in range(rng.randint(0, 2)):      # implicit scalars: certain to have one root
        v = Symbol(f"v{i}", real=True)
        equations.append(v + number() * tanh(v) - ak.E(z**2 / (1 + unknowns[0] * z**2), z) - p)
        unknowns.append(v)
    line = [Symbol(f"l{i}", real=True) for i in range(rng.randint(0, 3))]
    for x in line:
        coupling = sum((number() / 6) * ak.E((1 + kappa * tanh(kappa)) / (1 + rng.choice(core)), kappa) * y
                       for y in line if y != x or rng.random() < 0.5)
        equations.append(x - coupling - number() * rng.choice(core) - p)
    unknowns += line
    for i in range(rng.randint(0, 3)):
        x = Symbol(f"x{i}", real=True)
        a, b = rng.choice(unknowns), rng.choice(unknowns)
        equations.append(x - ak.E(rng.choice(bumps) * (a + b * z) ** 2, z) - sqrt(p) * log(1 + b**2))
        unknowns.append(x)
    order = list(range(len(unknowns)))
    rng.shuffle(order)
    equations = [equations[i] for i in order]
    rng.shuffle(unknowns)
    return ak.Theory(name=f"random {seed}", unknowns=unknowns, equations=equations,
                     parameters={p: ("", "positive"), s: ("", "positive")},
                     observables={"o1": unknowns[0] ** 2 + p, "o2": ak.E(tanh(z) ** 2 / (1 + core[0]), z)})


@given(st.integers(0, 10**6))
@settings(max_examples=3, deadline=None, derandomize=True, database=None)
def test_random_theories_three_ways(seed):
    theory = random_theory(seed)
    program, _ = theory.program
    module = plain_module(theory.kernel_source())
    rng = np.random.default_rng(seed)
    eigenvalues = rng.uniform(0, 2, 9), rng.uniform(0.1, 1, 9)
    tables = []
    for grid in program.grids:
        rule = getattr(module, f"{grid.name}_rule")
        parameters = () if not program.table_parameters else (0.6,) * len(program.table_parameters)
        arrays = dict(zip("DT", eigenvalues))
        tables.append(rule(*(arrays[b.name] for b in grid.bound)) if grid.given else rule((2,), *parameters)[0][0])
    values = [0.4 if s.name == "p" else 0.6 for s in program.parameters]
    assert_agree(three_ways(module, program, values, tables), module.OUTPUTS)


@pytest.mark.parametrize("seed", slow_but([0, 271828]))
def test_same_bytes_under_every_hash_seed(seed):
    names = ["spiked_features/kernel.py", "spiked_features/equations.tex"]
    code = ("import json; from asympkit.theories.registry import writers\n"
            f"print(json.dumps([writers()[name]() for name in {names}]))")
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": str(seed)},
                          capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == list(map(committed, names))


@pytest.mark.parametrize("name", slow_these(
    COMMITTED, *(f"one_step/{kind}.py" for kind in ("exact", "exact_odd")),
    "spiked_features/lam.py", "nonlinear_spikes/finite.py"))
def test_committed_files_are_those_the_generator_writes(name):
    written = shipped.writers()[name]()
    assert committed(name) == written, f"{name} is out of date; run  python -m asympkit.generated  and commit"


def committed(name):
    return (FOLDER / name).read_text(encoding="utf-8")


def test_files():
    assert set(COMMITTED) == set(shipped.writers())
    # half of every difference is generated code: drivers and the runtime are written once, in the package
    lines = {f.relative_to(FOLDER).as_posix(): f.read_text(encoding="utf-8").count("\n")
             for f in FOLDER.rglob("*.py")}
    real = [name for name in lines if "finite_width" in name or "exact" in name]        # beyond the published limits
    assert sum(lines[name] for name in real) < 10_000, lines
    assert sum(n for name, n in lines.items() if name not in real) < 4300, lines
    text = committed("spiked_features/kernel.py")
    assert "do not edit" in text.split('"""')[1]
    assert {line.split()[1].partition(".")[0] for line in text.splitlines()
            if line.lstrip().startswith(("import ", "from "))} == {"math", "numpy", "asympkit"}
    assert "E_kappa[" in text      # notes say which equation a statement stands for


KERNELS = [*(f"one_step/{name}.py" for name in ("exact", "exact_odd")),
           *(f"spiked_features/{name}.py" for name in ("kernel", "lam", "finite_width")),
           *(f"nonlinear_spikes/{name}.py" for name in ("kernel", "finite"))]


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_import_what_the_package_has(name):
    """Nothing of the runtime is printed, and nothing is imported that is not used."""
    tree = ast.parse(committed(name))
    imported = {a.asname or a.name: node for node in tree.body if isinstance(node, ast.ImportFrom) for a in node.names}
    assert all(node.module.startswith("asympkit.") for node in imported.values())
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    assert set(imported) <= used
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    formulas = {n for n in defined if n.startswith(("linearize_", "prepare_", "conclude"))}
    assert defined - formulas <= {"solve_point", "solve_batch", "solve_rows", "kappa_rule", "z_rule",
                                  "one_step_parameters", "one_step_parameters_means",
                                  "activation_moments"}


@pytest.mark.parametrize("batch", [False, True])
def test_printed_expressions_have_the_value_of_the_expression(batch):
    import math

    from sympy import Abs, Max, Min, erf, pi, sign

    x, y = symbols("x y", real=True)
    names = {x: "x", y: "y"}
    scope = {"math": math, "np": np, "erf_batch": np.vectorize(math.erf)}
    for expr in (x / 3, x**-3, x**7, (x + y) ** -2, sqrt(1 + x**2), 1 / sqrt(2 + x), Rational(2, 7) * y, 0.3 * x,
                 x**Rational(3, 2), exp(x) * log(y), Max(x, y, 1), Min(x, 2 * y), Abs(x - 2), erf(y), pi * x,
                 tanh(x) / cos(y), -x - y, sign(x - y) * x):
        text = ExpressionPrinter(names, batch=batch).source(expr)
        at = {"x": 1.3, "y": 0.4}
        if batch:
            at = {k: np.array([v, v]) for k, v in at.items()}
        got = np.ravel(eval(text, {**scope, **at}))[0]
        assert got == pytest.approx(float(expr.subs({x: 1.3, y: 0.4})), rel=8 * EPS), text


def test_unknown_function():
    from sympy import DiracDelta, Integral, oo, zeta

    x = Symbol("x", real=True)
    for expr in (zeta(x), DiracDelta(x), Integral(zeta(x), x), oo):
        text = f"code generation: no form is known for the function {type(expr).__name__}; known are"
        with pytest.raises(ak.StructureError, match=text):
            ExpressionPrinter({x: "x"}).source(expr)
