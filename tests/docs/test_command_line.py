"""The lines of the page about the command line work; README, .ci/run and CONTRIBUTING agree."""

import re
import shlex
from pathlib import Path

import pytest
from helpers.pages import ROOT

from asympkit.cli import main

PAGE = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
(BLOCK,) = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
LINES = [shlex.split(line)[1:] for line in BLOCK.splitlines()]
#: commands that take more than a moment
LONG = ("solve", "certify", "continuation", "generate", "check", "report")
OWN = re.search(r"^```python\n(.*?)^magnet\.solve", (ROOT / "docs" / "own_theory.md").read_text(encoding="utf-8"),
                re.MULTILINE | re.DOTALL)[1]


@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
@pytest.mark.parametrize("argv", [pytest.param(a, marks=pytest.mark.slow) if a[0] in LONG else a for a in LINES],
                         ids=lambda argv: argv[0])
def test_a_line_works(argv, monkeypatch, tmp_path, capsys):
    (tmp_path / "my_theory.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "numbers.csv").write_text("alpha,lam,test_error\n1.5,0.1,0.2595\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(argv) == 0
    assert capsys.readouterr().out


def test_every_command_has_a_line(capsys):
    assert main(["--help"]) == 0
    commands = re.findall(r"^    ([a-z]+)(?: |$)", capsys.readouterr().out, re.MULTILINE)
    assert len(commands) > 10 and set(commands) == {argv[0] for argv in LINES}


ROOT = Path(__file__).parents[2]


def command(name):
    """The command of a file that makes the environment of the tests, as one line."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    (found,) = [line for line in text.splitlines() if line.startswith("python3 -m venv .venv-test")]
    return " ".join(found.split())


def test_the_command_of_readme_is_the_one_that_is_run():
    assert command("README.md") == command(".ci/run")


def test_the_guide_explains_each_of_its_steps():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    explained = re.findall(r"^\|[^|]*\| `([^`]+)` \|", guide, re.MULTILINE)
    steps = [s.replace(".venv-test/bin/", "") for s in command(".ci/run").split(" && ")[2:]]
    assert [s for s in explained if "-m slow" not in s] == steps
