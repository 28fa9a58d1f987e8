"""The programs of README and of docs/: every block runs, and every number behind one comes out."""

import ast
import pydoc
import re
import sys
from pathlib import Path

import pytest
from helpers.layers import figure

import asympkit as ak

ROOT = Path(__file__).parents[2]
PAGES = sorted(p for p in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")) if "```python" in p.read_text()
               and p.stem != "real_networks")           # its test is test_real_networks.py
#: pages of which even the short calls take seconds together
LONG = ("bayes_optimal", "deep_features", "losses", "many_steps", "nonlinear_spikes", "paper_one_step", "units")
#: folders that the build of the site makes
MADE = {"gallery", "api"}
#: calls that take more than a moment
_DEAR = re.compile(r"(simulate|check|report|staircase|derive)\(|sweep\(\*\*|(hinge|logistic)\.(precise|certify)\(")
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


def run(source, space, is_dear):
    """Run a block statement by statement; returns how many numbers and texts were compared."""
    lines, compared = source.splitlines(), 0
    for node in ast.parse(source).body:
        text = ast.get_source_segment(source, node)
        if _DEAR.search(text) and not is_dear:
            continue
        if not isinstance(node, ast.Expr):
            exec(text, space)
            continue
        _, _, said = lines[node.end_lineno - 1].partition("# ")
        (argument,) = _arguments_of_print(node) if said[:1].isdigit() else (None,)
        value = eval(ast.get_source_segment(source, argument or node), space)
        if argument or said[:1] in tuple("<('"):
            assert said.partition(": ")[0] in (str(value), repr(value)), (said, value)
            compared += 1
        elif said and hasattr(value, "stderr"):
            assert re.split("[:,]", said)[0] == str(value)
            compared += 1
        elif (shown := _NUMBER.search(said)) and _is_number(value):
            compare(shown[0], said[shown.end():].startswith("..."), value)
            compared += 1
    return compared


def _arguments_of_print(node):
    """What an expression prints, and None where it is no call of print."""
    called = node.value
    return called.args if isinstance(called, ast.Call) and getattr(called.func, "id", "") == "print" else (None,)


def _is_number(value):
    return not isinstance(value, str | tuple | list) and (hasattr(value, "__float__") or hasattr(value, "mid"))


def compare(shown, is_cut, value):
    """A float is what its shortest text says, to rounding; of what is cut the digits are right."""
    value = getattr(value, "mid", value)
    if is_cut:
        digits = len(shown.partition(".")[2])
        assert -1e-15 <= abs(float(value)) - abs(float(shown)) < 10.0**-digits, (shown, value)
    else:
        assert float(value) == pytest.approx(float(shown), rel=1e-11), (shown, value)


@pytest.fixture(autouse=True)
def fresh_imports(monkeypatch, tmp_path):
    """What a page writes and imports is its own: other tests have modules of the same name."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    yield
    sys.modules.pop("mine", None)


@pytest.mark.usefixtures("pictures")
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
@pytest.mark.parametrize(("page", "is_dear"), [
    *(pytest.param(p, False, id=p.stem, marks=[pytest.mark.slow] * (p.stem in LONG)) for p in PAGES),
    *(pytest.param(p, True, id=f"{p.stem}, dear", marks=pytest.mark.slow) for p in PAGES)])
def test_programs_run_and_numbers_come_out(page, is_dear):
    compared = [run(source, {}, is_dear) for source in blocks(page)]
    assert compared and (sum(compared) > 0 or not is_dear)


def test_a_wrong_number_is_seen():
    with pytest.raises(AssertionError):
        run("1.0 / 3   # 0.33333333334\n", {}, is_dear=False)
    with pytest.raises(AssertionError):
        run("1.0 / 3   # 0.334...\n", {}, is_dear=False)
    assert run("1.0 / 3   # 0.333...: a third\n", {}, is_dear=False) == 1
    assert run("print(1 / 4)   # 0.25\nprint('0.1')   # as text\n", {}, is_dear=False) == 1
    for wrong in ("print(1 / 4)   # 0.250\n", "range(3)   # <Sweep>\n"):
        with pytest.raises(AssertionError):
            run(wrong, {}, is_dear=False)


def test_readme_is_short_and_leads_to_all_pages():
    readme, index = (ROOT / "README.md").read_text(), (ROOT / "docs" / "index.md").read_text()
    assert len(readme.split()) < 700 and "(docs/index.md)" in readme
    assert [p for p in (ROOT / "docs").rglob("*.md")
            if MADE.isdisjoint(p.parts) and f"]({p.relative_to(ROOT / 'docs')})" not in index] == []


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))],
                         ids=lambda p: p.stem)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_the_reference_has_every_public_name():
    named = re.findall(r"^(?:   |.. py:data:: )([\w.]+)$", (ROOT / "docs" / "reference.rst").read_text(), re.MULTILINE)
    assert {name for name in ak.__all__ if not name.startswith("_")} <= set(named) and len(named) == len(set(named))
    for name in named:
        pydoc.locate(f"asympkit.{name}") or pytest.fail(name)


def test_the_figure_of_the_layers_is_that_of_the_imports():
    assert f"```\n{figure()}\n```" in (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
