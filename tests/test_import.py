"""What ``import asympkit`` loads, the public names, and the versions."""

import configparser
import re
import subprocess
import sys
from pathlib import Path

import pytest

import asympkit as ak
from asympkit import versions

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
