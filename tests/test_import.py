"""What ``import asympkit`` loads, which package knows which, and the lowest versions."""

import ast
import configparser
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from lowest_versions import LINTERS, bound, lowest, main_job
from sympy import symbols

import asympkit
import asympkit as ak
from asympkit import versions
from asympkit.equations import blocks as matching
from asympkit.notation import CONVENTIONAL
from asympkit.theories import registry

HEAVY = ("sympy", "numba", "scipy", "matplotlib", "mpmath", "numpy")


def loaded(code):
    code += "\nimport sys\nprint(*sorted({m.partition('.')[0] for m in sys.modules}))"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


LIGHT = """
import asympkit as ak; dir(ak); ak.errors; ak.__version__; ak.cache.directory
from contextlib import suppress; from asympkit.cli import main
with suppress(SystemExit): main(["--help"])
"""
FIRST = """
import asympkit as ak
ak.OneStep("tanh", "sin").sweep(eta=0.1, alpha0=2, alpha=[1, 2, 3], lam=[0.1, 1], backend="numpy")
from asympkit.cli import main
for student in ("tanh(1.3*z)", "relu", "softplus", "1/(1 + exp(-z))"):
    main(["solve", "one-step", "--student", student, *"--target sin --eta 0.1 --alpha0 2 --alpha 1.5 --lam 1".split()])
"""


def test_what_is_light_and_that_first_results_load_no_compiler():
    assert not loaded("import asympkit") & set(HEAVY)
    assert not loaded(LIGHT) & set(HEAVY)
    assert loaded(FIRST) & set(HEAVY) == {"numpy", "sympy", "mpmath"}
    symbolic = loaded("import asympkit as ak; ak.SpikedFeatures('tanh', 'sin').equations().blocks")
    assert "sympy" in symbolic and not symbolic & {"numba", "matplotlib"}


@pytest.mark.parametrize("name", ak.__all__)
def test_public_names_resolve(name):
    assert getattr(ak, name) is not None
    assert name in dir(ak)


def test_unknown_names_raise():
    with pytest.raises(AttributeError, match="module 'asympkit' has no attribute 'Onestep'"):
        ak.Onestep  # noqa: B018


def test_errors_have_one_base():
    for name in ("ConvergenceError", "DomainError", "NotAvailableError", "ParseError", "StructureError",
                 "UnknownNameError"):
        assert issubclass(getattr(ak, name), ak.AsympkitError)
    for name in ("DomainError", "ParseError", "StructureError"):
        assert issubclass(getattr(ak, name), ValueError)
    assert issubclass(ak.AssumptionWarning, UserWarning)


def test_every_package_and_data_file_is_installed():
    root = Path(__file__).parents[1]
    setup = configparser.ConfigParser()
    setup.read(root / "setup.cfg", encoding="utf-8")
    folders = dict(line.split(" = ") for line in setup["options"]["package_dir"].strip().splitlines())
    packages = {".".join((top, *p.parent.relative_to(root / folder).parts)): p.parent
                for top, folder in folders.items() for p in (root / folder).rglob("__init__.py")}
    assert sorted(setup["options"]["packages"].split()) == sorted(packages)
    data = {name: globs.split() for name, globs in setup["options.package_data"].items()}
    left = [f for name, folder in packages.items() for f in folder.iterdir()
            if f.is_file() and f.suffix != ".py" and not any(f.match(glob) for glob in data.get(name, ()))]
    assert not left


def test_prints_what_it_returns(capsys):
    text = ak.show_versions()
    assert capsys.readouterr().out == text + "\n"
    rows = dict(line.split(maxsplit=1) for line in text.splitlines())
    assert list(rows) == ["python", "asympkit", "sympy", "numpy", "scipy", "mpmath", "numba", "platformdirs",
                          "threadpoolctl", "tqdm", "python-flint", "matplotlib"]
    assert rows["asympkit"] == ak.__version__
    assert rows["python"] == sys.version.split()[0]
    import numpy

    assert rows["numpy"] == numpy.__version__


def test_missing_package(monkeypatch, capsys):
    monkeypatch.setattr(versions, "PACKAGES", ("no-such-distribution-here",))
    assert versions.show_versions().splitlines()[-1].split(maxsplit=1)[1] == "not installed"
    capsys.readouterr()


def test_one_version_everywhere():
    root = Path(__file__).parents[1]
    cited = re.search(r"^version: (\S+)\ndate-released: (\S+)$", (root / "CITATION.cff").read_text(), re.MULTILINE)
    listed = re.findall(r"^## (.+)$", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert cited[1] == ak.__version__
    assert listed[:2] == ["Unreleased", f"{cited[1]} - {cited[2]}"]


ROOT = Path(asympkit.__file__).parent
NAMES = set(registry._SHIPPED) | {n.replace("-", "_") for n in registry._SHIPPED}
NAMES |= {"OneStep", "SpikedFeatures", "NonlinearSpikes", "one step", "spiked features", "nonlinear spikes"}


#: a theory of matrices has no command line, and is called like the method
FOLDERS = NAMES | {"ridge"}


def is_theory(path):
    """Whether a module belongs to one theory, or to its finite model."""
    room, *rest = path.relative_to(ROOT).parts
    return (room == "theories" and rest[0] in FOLDERS
            or room == "simulate" and rest[0] not in ("repeats.py", "simulation.py", "__init__.py"))


ENGINE = sorted(p for p in ROOT.rglob("*.py") if not is_theory(p) and p.relative_to(ROOT).parts[0] != "generated"
                and p.name != "__init__.py" and p.stem != "registry")
#: letters that mean other things elsewhere: a count, an open file, a matrix, the gamma function, a vector
SHARED_NAMES = {"n", "r", "c", "gamma", "psi"}


def parameters():
    """Names of users' arguments that mean nothing outside of a theory."""
    found = {p.name for name in registry._SHIPPED for p in registry.find(name)[1].declared}
    return found - SHARED_NAMES


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (node.module or "").split(".")
            yield from (a.name for a in node.names)
        elif isinstance(node, ast.Import):
            yield from (part for a in node.names for part in a.name.split("."))


def texts(tree):
    """String constants that are no documentation."""
    documents = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)}
    return {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
            and id(n) not in documents}


def test_engine_packages_and_simulators_know_no_theory():
    wrong, known = {}, NAMES | parameters()
    for path in ENGINE:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        # the spelling of symbols, and what other conventions do to them, for everyone
        spelt = CONVENTIONAL.keys() if path.stem == "notation" else known if path.stem == "conventions" else set()
        wrong[path] = {name for name in imported(tree) if name in NAMES} | texts(tree) & known - spelt
    above = ("theories", "solve", "multiprecision", "certify", "program", "equations", "asympkit")
    for path in (ROOT / "simulate").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        wrong[path] = wrong.get(path, set()) | {m for m in modules if m.split(".")[0] in above}
    assert {path: found for path, found in wrong.items() if found} == {}


def test_the_walk_sees_what_it_is_for():
    tree = ast.parse("from ..theories.one_step import x\nif name == 'alpha0' or name == 'one-step': pass\n")
    assert "one_step" in imported(tree) and texts(tree) == {"alpha0", "one-step"}
    assert {"alpha0", "lam"} <= parameters() and len(ENGINE) > 150 and any(p.stem == "repeats" for p in ENGINE)


def test_what_is_read():
    found = lowest()
    assert {"sympy", "numpy", "scipy", "mpmath", "numba", "threadpoolctl", "python-flint", "pytest"} <= found.keys()
    assert not {*LINTERS, "sphinx"} & found.keys()
    assert all(version[0].isdigit() for version in found.values())
    assert main_job()[:2] == ["check", "one-step"] and "--repeats" in main_job()


@pytest.mark.parametrize(("line", "expected"), [
    ("sympy >= 1.13", ("sympy", "1.13")), ("  dask[distributed] >= 2024.1", ("dask[distributed]", "2024.1"))])
def test_a_requirement_is_read(line, expected):
    assert bound(line) == expected


def test_graphs_have_indices_that_the_lowest_scipy_reads(monkeypatch):
    seen = []
    graph = matching.csr_matrix
    monkeypatch.setattr(matching, "csr_matrix", lambda *args, **kw: seen.append(graph(*args, **kw)) or seen[-1])
    x, y, a = symbols("x y a", positive=True)
    theory = ak.Theory(name="two", unknowns=[x, y], parameters={a: ("number", "positive")},
                       equations=[x - a * y / 3, y - 1 - x / 4])
    assert theory.solve(a=1)["x"] == pytest.approx(4 / 11)
    assert seen and all(g.indices.dtype == np.int32 for g in seen)
