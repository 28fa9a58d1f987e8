"""What is checked: one command, said once in README, run by .ci/run, and explained in CONTRIBUTING."""

import re
from pathlib import Path

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
