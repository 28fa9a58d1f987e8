"""Theories of the gallery: each asserts its number, is short, and shows its equations."""

import ast
import runpy

import pytest
from helpers.gallery import FOLDER, code_lines
from helpers.tiers import slow_but

from asympkit.plot import canvas
from asympkit.plot.script import options

SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.usefixtures("pictures")
@pytest.mark.parametrize("name", slow_but(SCRIPTS, "ridge_from_free_energy"))
def test_a_script_asserts_its_number_and_draws(name, monkeypatch, tmp_path):
    pytest.importorskip("flint")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [name, "--wrong"])
    with pytest.raises(SystemExit):
        runpy.run_path(FOLDER / f"{name}.py", run_name="__main__")
    monkeypatch.setattr("sys.argv", [name, "--quick", "--out", "x.png"])
    runpy.run_path(FOLDER / f"{name}.py", run_name="__main__")
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_options(monkeypatch):
    """The picture of a notebook is only shown, that of a script has its name."""
    import matplotlib.pyplot as plt

    written = []
    monkeypatch.setattr(canvas, "save", lambda axes, path: written.append(path))
    for argv in (["", "--quick"], ["folder/mine.py"], ["mine.py", "--out", "y.pdf"]):
        monkeypatch.setattr("sys.argv", argv)
        quick, save = options()
        save(plt)
        assert quick == ("--quick" in argv)
    assert written == ["mine.png", "y.pdf"]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_short_and_shows_equations_and_a_proof(name):
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    title, line, *_ = ast.get_docstring(ast.parse(source)).splitlines()
    assert code_lines(source) <= 40 and line == "=" * len(title)
    main = source.partition('if __name__ == "__main__":')[2]
    assert "assert " in main and "options()" in main and "    save(" in main
    assert ".. math::" in source and (".certify(" in main or name == "heavy_tails")     # whose average has no bound yet


def test_code_lines():
    source = '"""Text.\n\nMore."""\n\n# why\nx = 1\n\ndef f():\n    """Do."""\n    return (\n        x)\n'
    assert code_lines(source) == 4
