"""The page about real networks: its tables come from its numbers, its numbers from its settings, its commands work."""

import csv
import importlib.util
import shlex
import sys
import warnings

import pytest
from helpers.pages import ROOT, blocks
from helpers.tiers import slow_but

import asympkit as ak

PAGE = (ROOT / "docs" / "real_networks.md").read_text(encoding="utf-8")
BLOCKS = {language: [b.text for b in blocks(PAGE) if b.language == language] for language in ("text", "sh", "python")}


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("real_network_study", ROOT / "examples" / "real_network_study.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module             # the page imports it, and its dataclass looks there
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


with open(ROOT / "docs" / "real_networks.csv", newline="") as file:
    ROWS = [{k: int(v) if k in ("point", "d", "p") else number(v) for k, v in row.items()}
            for row in csv.DictReader(file)]
THEORIES = ("isotropic", "exact", "at its width")


def test_the_rows_are_those_of_the_settings(study):
    for row in ROWS:
        setting = study.Setting.draw(row["point"])
        assert {k: row[k] for k in setting.at} == setting.at
        assert (row["student"], row["target"], row["p"]) == (setting.student, setting.target,
                                                             round(row["beta"] * row["d"]))


@pytest.mark.parametrize(("quantity", "place"), [("test_error", 0), ("train_error", 1)])
def test_the_tables_are_made_of_the_rows(study, quantity, place):
    made = study.table(ROWS, THEORIES, quantity)
    assert set(BLOCKS["text"][place].splitlines()) <= set(made)
    assert made[-1] in PAGE and len(BLOCKS["text"]) == 2


@pytest.mark.parametrize("row", slow_but([r for r in ROWS if r["point"] % 8 == 3 and r["d"] < 400], 1, 5, single=True),
                         ids=lambda row: str(row["point"]))
def test_the_theories_say_what_the_rows_hold(study, row):
    setting = study.Setting.draw(row["point"])
    for name, (model, at) in study.theories(setting, row["p"]).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ak.AssumptionWarning)
            solution = model.solve(parameters=at)
        for quantity in study.QUANTITIES:
            assert solution[quantity] == pytest.approx(row[f"{name} {quantity}"], rel=1e-5)


def test_its_commands_work(study, tmp_path, capsys):
    for line in BLOCKS["sh"][0].splitlines():
        python, script, _, *options = shlex.split(line)
        assert (python, script) == ("python", "examples/real_network_study.py")
        assert study.main([str(tmp_path / "study.jsonl"), *options, "--points", "0"]) == []
    assert capsys.readouterr().out == "nothing trained yet\n" * 2


@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_its_program_prints_a_row(study, capsys):
    exec(compile(BLOCKS["python"][0], "real_networks.md", "exec"), {})
    printed = dict(line.rsplit(" ", 1) for line in capsys.readouterr().out.splitlines())
    (row,) = [r for r in ROWS if (r["point"], r["d"]) == (132, 400)]
    assert tuple(printed) == THEORIES
    for name, value in printed.items():
        assert float(value) == pytest.approx(row[f"{name} test_error"], rel=1e-5)


def test_the_page_is_short_and_its_picture_small():
    assert len(PAGE.splitlines()) <= 120
    assert (ROOT / "docs" / "real_networks.png").stat().st_size < 150_000
