"""User-given names and texts in generated code: any name gives the same results, and no text is ever run."""

import ast
import keyword
import random

import numpy as np
import pytest
from helpers import awkward
from helpers.resumable import bad, run_cases
from helpers.tiers import slow_but
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Symbol

import asympkit as ak
from asympkit.codegen import module as identifiers
from asympkit.codegen.expressions import comment, docstring, literals, write_literal
from asympkit.codegen.module import substitute_labels
from asympkit.program.names import MARK, Names, identifier, mark
from asympkit.theories.spiked_features.codegen_targets import kernel_source

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


@pytest.mark.parametrize("label", ["x", "y", "a", "a_start", "np", "len", "f", "g", "e", "math", "match", "k", "used"])
def test_a_label_meets_nothing_of_the_code(label):
    m = mark(label)
    source = (f"import math\nused = 3\ndef f({m}, a_start, x):\n"
              f"    {m}_start = {m} + len([y for y in (1, 2)]) + a_start\n"
              f"    k = {m}_start - a_start\n    return {m} + k * x\n"
              "def g(e=2):\n    try:\n        return f(4, e, x=used)\n"
              "    except ValueError as error:\n        raise error\n")
    space = {}
    exec(substitute_labels(source), space)
    assert space["g"]() == 4 + (4 + 2) * 3


def test_names_of_other_parts_of_the_module_are_kept():
    source = f"def f({mark('g')}):\n    return {mark('g')} + 1\n"
    assert "def f(g):" in substitute_labels(source)
    assert "def f(g_2):" in substitute_labels(source, ["def g():\n    return 1\n"])
    assert "def f(g_2):" in substitute_labels(source, ["from numpy import array as g\n"])


def test_what_the_code_calls_its_own_is_what_python_reads():
    # strings, comments and identifiers are distinguished by patterns, faster than by a syntax tree: the same ones
    for source in (awkward.build(awkward.ROLES, awkward.HOSTILE[0]).kernel_source(), kernel_source()):
        tree = ast.parse(source)
        found = set()
        lines = source.splitlines()
        for statement in tree.body:
            text = "\n".join(lines[statement.lineno - 1:statement.end_lineno])
            own = {w for w in identifiers._IDENTIFIER.findall(identifiers._bare(text)) if not keyword.iskeyword(w)}
            statement.decorator_list = []       # a line of its own
            assert awkward.identifiers(statement) <= own
            found |= own
        # imported from or as something, and raw texts
        assert found - awkward.identifiers(tree) <= {"asympkit", "numpy", "numba", "r"}
        defined = {n.id for s in tree.body for n in ast.walk(s) if isinstance(s, ast.Assign) and isinstance(n, ast.Name)
                   and isinstance(n.ctx, ast.Store)}
        defined |= {s.name for s in tree.body if isinstance(s, ast.FunctionDef | ast.ClassDef)} | {"math", "np"}
        assert defined <= identifiers.module_names(source)


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
    verdicts = run_cases("awkward-names", cases, judge, seconds=300.0)
    assert not bad(verdicts)
