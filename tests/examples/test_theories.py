"""Theories of the gallery: each asserts its number, is short, and shows its equations."""

import ast
import runpy

import pytest
from helpers.gallery import FOLDER, code_lines
from helpers.tiers import slow_but

SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.usefixtures("pictures")
@pytest.mark.parametrize("name", slow_but(SCRIPTS, "ridge_from_free_energy"))
def test_a_script_asserts_its_number(name, monkeypatch):
    import matplotlib.pyplot as plt

    monkeypatch.setattr("sys.argv", [name, "--quick"])
    runpy.run_path(FOLDER / f"{name}.py", run_name="__main__")
    assert plt.get_fignums() or "check" in (FOLDER / f"{name}.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_short_and_has_a_title(name):
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    title, line, *_ = ast.get_docstring(ast.parse(source)).splitlines()
    assert code_lines(source) <= 40 and line == "=" * len(title)
    main = source.partition('if __name__ == "__main__":')[2]
    assert "assert " in main


def test_code_lines():
    source = '"""Text.\n\nMore."""\n\n# why\nx = 1\n\ndef f():\n    """Do."""\n    return (\n        x)\n'
    assert code_lines(source) == 4
