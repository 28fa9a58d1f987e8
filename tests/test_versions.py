"""``show_versions`` names every package and says what is missing."""

import re
import sys
from pathlib import Path

import asympkit as ak
from asympkit import versions


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
