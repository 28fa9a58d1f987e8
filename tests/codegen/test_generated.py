"""Generated code: the same numbers three ways, the same bytes everywhere, names that users choose."""

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
from helpers import awkward
from helpers.modules import plain_module
from helpers.tiers import slow_but, slow_these
from helpers.verdicts import bad, run_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational, Symbol, cos, exp, log, sqrt, symbols, tanh

import asympkit as ak
from asympkit.codegen.expressions import ExpressionPrinter, comment, docstring, literals, write_literal
from asympkit.multiprecision.interpreter import Interpreter
from asympkit.multiprecision.number_systems import Floats
from asympkit.program.names import MARK, Names, identifier
from asympkit.theories import registry as shipped
from asympkit.theories.spiked_features.codegen_targets import kernel_source
from asympkit.theories.spiked_features.equations import ridge

FOLDER = Path(asympkit.generated.__file__).parent
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


def test_unknown_function():
    from sympy import DiracDelta, Integral, oo, zeta

    x = Symbol("x", real=True)
    for expr in (zeta(x), DiracDelta(x), Integral(zeta(x), x), oo):
        text = f"code generation: no form is known for the function {type(expr).__name__}; known are"
        with pytest.raises(ak.StructureError, match=text):
            ExpressionPrinter({x: "x"}).source(expr)


#: a theory is called something
TITLES = [text for text in awkward.HOSTILE if text.strip()]
any_text = st.text(st.characters(codec=None), max_size=30) | st.sampled_from((*awkward.TEXTS, *awkward.HOSTILE))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder: texts that are run leave a file there."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@given(any_text)
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
def test_texts_enter_source_as_texts(text):
    assert ast.literal_eval(write_literal(text)) == text
    assert ast.literal_eval(literals([text, "a"])) == (text, "a")
    source = f'def f():\n    """A {docstring(text)}."""\n    # {comment(text)}\n    return 1    # {comment(text)}\n'
    assert source.isascii() and source.count("\n") == 4
    (function,) = ast.parse(source).body
    assert len(function.body) == 2 and ast.get_docstring(function, clean=False) == f"A {text}."


@given(any_text)
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
def test_any_text_has_an_identifier(text):
    word = identifier(text)
    assert word.isascii() and word.isidentifier() and not word.startswith("_")
    ast.parse(f"{word} = 1")
    assert identifier(word) == word
    assert MARK not in word


@pytest.mark.parametrize(("text", "word"), [
    (r"\alpha", "alpha"), ("q_{1}", "q_1"), ("m'", "m_prime"), ("x y", "x_y"), (r"\hat{m}", "hat_m"),
    ("\u03b1", "alpha"), ("\u03a3", "Sigma"), ("\u00b5", "mu"), ("\u03bc", "mu"), ("\u00e9t\u00e9", "ete"),
    ("lambda", "lambda_"), ("2x", "q2x"), ("_", "q"), ("V1", "V1"), ("Vhat1", "Vhat1")])
def test_identifiers_are_readable(text, word):
    assert identifier(text) == word


@given(st.lists(any_text, min_size=1, max_size=12, unique=True))
@settings(max_examples=100, deadline=None, derandomize=True, database=None)
def test_labels_are_all_different(texts):
    symbols = [Symbol(t) for t in texts if t]
    names = Names(symbols)
    names.activations(texts)
    made = [*(names[s] for s in symbols), *(names[t] for t in texts), names.fresh("x").name, names.fresh("x").name]
    assert len(set(made)) == len(made)


@pytest.mark.parametrize(("seed", "routes"), slow_but(
    [(0, awkward.DERIVED), (1, awkward.PLAIN), (2, awkward.PLAIN)], 0))
def test_any_names_give_the_same_results(seed, routes, folder):
    assert awkward.judge(awkward.awkward(seed), awkward.HOSTILE[seed], routes) == ""
    assert list(folder.iterdir()) == []


def test_any_text_is_fine_in_a_generated_module(folder):
    names = {**awkward.ROLES, "p": awkward.HOSTILE[0], "u": awkward.HOSTILE[1], "D": awkward.HOSTILE[2],
             "error": awkward.HOSTILE[3], "function": awkward.HOSTILE[5]}
    found, left = awkward.alone(awkward.build(names, awkward.HOSTILE[0]), names, folder)
    assert left == []
    assert found[names["u"]] == pytest.approx(awkward.reference(awkward.PLAIN)["solve"]["u"], rel=1e-9)


def test_constants_of_the_program_are_no_symbols_of_a_person():
    p, m = Symbol("ROUNDING", positive=True), Symbol("LARGEST_ERROR", positive=True)
    theory = ak.Theory(name="constants", parameters={p: ("", "positive")}, unknowns=[m], equations=[m**3 + m - p])
    at = {"ROUNDING": 2.0}
    assert theory.solve(**at)["LARGEST_ERROR"] == pytest.approx(1.0, rel=1e-13)
    assert abs(theory.precise(ROUNDING=2)["LARGEST_ERROR"] - 1) < 1e-30
    assert theory.sweep(ROUNDING=np.array([2.0, 10.0]))["LARGEST_ERROR"] == pytest.approx([1.0, 2.0], rel=1e-9)


@pytest.mark.slow
def test_names_that_once_met_those_of_the_code():
    names = {"D": "eigenvalues_weights", "F": "dv", "p": "delta0_start", "u": "delta0", "q": "points", "w": "_"}
    assert awkward.judge({**awkward.ROLES, **names}, routes=awkward.DERIVED) == ""


@pytest.mark.slow
def test_the_compiled_sweep_under_awkward_names():
    m, p = Symbol("_", positive=True), Symbol("m_start", positive=True)
    D = Symbol("eigenvalues_table", real=True)
    theory = ak.Theory(name="named", parameters={p: ("", "positive")}, unknowns=[m],
                       equations=[m - ak.mean(1 / (p + m * D), ak.Eigenvalues(D))])
    at = {"m_start": np.array([1.2, 1.3]), "eigenvalues_table": [1.0, 2.0, 5.0]}
    for backend in ("numpy", "numba"):
        found = theory.sweep(backend=backend, **at)["_"]
        mean = np.mean(1 / (at["m_start"] + np.outer(at["eigenvalues_table"], found)), axis=0)
        assert found == pytest.approx(mean, rel=1e-12)


@pytest.mark.slow
def test_five_hundred_awkward_names_through_every_back_end(folder):
    def judge(seed):
        place = folder / str(seed)
        place.mkdir()
        routes = awkward.EVERY if seed % 14 else awkward.COMPILED         # a minute or two to compile
        wrong = awkward.judge(awkward.awkward(seed), random.Random(seed).choice(TITLES), routes, place)
        return wrong or ("something ran" if (folder / "RAN").exists() else "")

    cases = range(1000, 1056)           # nine names each
    verdicts = run_cases(cases, judge, seconds=300.0)
    assert not bad(verdicts)
