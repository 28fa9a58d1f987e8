"""Every line of the page about the command line works as it stands."""

import re
import shlex

import pytest
from helpers.pages import ROOT

from asympkit.cli import main

PAGE = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
(BLOCK,) = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
LINES = [shlex.split(line)[1:] for line in BLOCK.splitlines()]
#: commands that take more than a moment
LONG = ("solve", "certify", "continuation", "generate", "check")
OWN = re.search(r"^```python\n(.*?)^magnet\.solve", (ROOT / "docs" / "own_theory.md").read_text(encoding="utf-8"),
                re.MULTILINE | re.DOTALL)[1]


@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
@pytest.mark.parametrize("argv", [pytest.param(a, marks=pytest.mark.slow) if a[0] in LONG else a for a in LINES],
                         ids=lambda argv: argv[0])
def test_a_line_works(argv, monkeypatch, tmp_path, capsys):
    (tmp_path / "my_theory.py").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(argv) == 0
    assert capsys.readouterr().out


def test_every_command_has_a_line(capsys):
    assert main(["--help"]) == 0
    commands = re.findall(r"^    ([a-z]+)(?: |$)", capsys.readouterr().out, re.MULTILINE)
    assert len(commands) > 10 and set(commands) == {argv[0] for argv in LINES}
