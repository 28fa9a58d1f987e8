"""The public surface is annotated, and a type checker sees what is loaded lazily."""

import ast
import inspect
import re
import subprocess
import sys
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pytest

import asympkit as ak
from asympkit.once import computed_once
from asympkit.theories.declared import THEORY_METHODS, Method

ROOT = Path(__file__).parents[2]
USES = Path(__file__).with_name("uses.py")
#: what the public names return, or take
RECORDS = [f"asympkit.{name}" for name in (
    "solve.solution.Solution", "certify.solutions.CertifiedSolution", "certify.solutions.Certificate",
    "sweep.result.Sweep", "minimize.result.Minimum", "minimize.result.Maximum", "minimize.result.Optimum",
    "roots.Solutions", "continuation.run.Continuation", "continuation.run.Branch", "simulate.simulation.Estimate",
    "simulate.simulation.Simulation", "simulate.simulation.Draws", "check.Report", "check.Row", "comparison.Comparison",
    "equations.system.System", "equations.blocks.Block", "theories.nonlinear_spikes.staircase.Staircase",
    "theories.nonlinear_spikes.theory.NonlinearSpikes", "theories.declaration.Option", "spectra.SpectralLaw",
    "nodes.Measure", "numbers.functions.Entry", "numbers.functions.register", "numbers.functions.remove",
    "theories.registry.find", "cache.clear", "cache.directory")]
PUBLIC = [f"asympkit.{n}" for n in ak.__all__ if n not in ("__version__", "cache", "conventions", "losses")] + RECORDS


def found(name):
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def functions(thing):
    """Public functions of a name of the surface, by their names: itself, or the methods of a class that are ours."""
    if not isinstance(thing, type):
        return {thing.__name__: thing}
    methods = {}
    for cls in reversed([c for c in thing.__mro__ if c.__module__.startswith("asympkit")]):
        own = {name: plain(value) for name, value in vars(cls).items()
               if not name.startswith("_") or name in ("__init__", "__new__", "__call__", "__getitem__")}
        made = not vars(cls).get("__dataclass_fields__")        # an __init__ that is made has the types of the fields
        methods |= {name: f for name, f in own.items() if f is not None and (made or name != "__init__")}
    return methods


def plain(value):
    """The function behind a method, a property or an attribute that is computed once; None for other attributes."""
    if isinstance(value, Method):
        return value.function
    if isinstance(value, cached_property | computed_once):
        value = value.func
    elif isinstance(value, property):
        value = value.fget
    value = inspect.unwrap(getattr(value, "__func__", value)) if callable(value) else None
    return value if inspect.isfunction(value) and value.__module__.startswith("asympkit") else None


def test_the_public_surface_is_annotated():
    empty = inspect.Parameter.empty
    for name in PUBLIC:
        for of, function in functions(found(name)).items():
            signature = inspect.signature(function)
            others = list(signature.parameters.values())[isinstance(found(name), type):]
            assert not [p.name for p in others if p.annotation is empty], (name, of)
            assert signature.return_annotation is not empty, (name, of)


@pytest.mark.parametrize("method", THEORY_METHODS)
def test_parameters_of_a_theory_are_annotated_as_all_are(method):
    signature = inspect.signature(getattr(ak.OneStep, method))
    assert signature.parameters["lam"].annotation == signature.parameters["parameters"].annotation
    assert signature.parameters["lam"].annotation in ("Value", "Values")


def test_a_checker_sees_the_names_that_are_loaded_lazily():
    tree = ast.parse(Path(ak.__file__).read_text(encoding="utf-8"))
    (block,) = [n for n in tree.body if isinstance(n, ast.If) and isinstance(n.test, ast.Name)]
    seen = {a.name: f"asympkit.{n.module}" for n in block.body if n.module for a in n.names}
    assert set(seen) == set(ak._WHERE) and {"cache", "losses", *seen, "__version__"} < set(ak.__all__)
    for name, module in seen.items():
        assert getattr(import_module(module), name) is getattr(ak, name)


def test_all_names_are_listed():
    lazy, errors = set(ak._WHERE), {n for n, v in vars(ak.errors).items() if isinstance(v, type)}
    assert set(ak.__all__) - lazy - errors == {"__version__", "cache", "losses"}
    assert lazy < set(ak.__all__) and not lazy & errors


@pytest.mark.slow
def test_every_wrong_use_is_reported(tmp_path):
    text = USES.read_text(encoding="utf-8")
    wrong = [i for i, line in enumerate(text.splitlines(), 1) if "# type: ignore[" in line]
    bare = tmp_path / "uses.py"
    bare.write_text(re.sub(r"  # type: ignore\[.*?\]", "", text), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "--no-pretty", str(bare)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    reported = {int(m[1]) for m in re.finditer(r"uses\.py:(\d+): error", done.stdout)}
    assert len(wrong) > 30 and reported == set(wrong), done.stdout + done.stderr
