"""The tasks of docs/pictures.md and of README, carried out: under five lines each, and what they draw."""

import re
import shlex
from pathlib import Path

import mpmath
import numpy as np
import pytest
from helpers.drawn import assert_inside, curves, legend
from matplotlib.colors import LogNorm

from asympkit.cli import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
pytestmark = pytest.mark.usefixtures("pictures")


def run(block, most=4):
    """What a block defines; it is under five lines, imports left aside."""
    space = {}
    assert len([line for line in block.splitlines() if line.strip() and not line.startswith("import ")]) <= most
    exec(block, space)
    return space


def test_a_task_is_a_block():
    assert len(BLOCKS) == 7


def test_readme_has_the_tasks_and_their_picture():
    for block in BLOCKS[1:3]:
        for line in block.splitlines()[3:]:
            assert line.strip().partition("   ")[0] in README, line
    assert (ROOT / "docs" / "readme.png").read_bytes().startswith(b"\x89PNG") and "(docs/readme.png)" in README


def test_an_activation_of_ones_own(capsys):
    space = run(BLOCKS[0])
    left, right = space["panels"]
    with mpmath.workdps(50):
        assert capsys.readouterr().out == f"{mpmath.mpf('1.25') ** -1.5}\n"      # all fifty are printed
    assert (left.get_xlabel(), left.get_ylabel(), right.get_yscale()) == ("$z$", "$f(z)$", "log")
    assert left.lines[0].get_ydata() == pytest.approx(space["act"](left.lines[0].get_xdata()))
    assert_inside([left, right])


def check_curves(upper, lower):
    """Two curves, four points with error bars on each, eight pulls."""
    assert (upper.get_ylabel(), lower.get_xlabel()) == ("test error", r"$\alpha$")
    assert legend(upper) == [r"$\lambda$ = 0.01", r"$\lambda$ = 0.3"]
    assert len(curves(upper)) == len(upper.containers) == 2
    for bars in upper.containers:
        assert bars.lines[0].get_xdata().tolist() == [0.5, 1, 2, 3]
        assert all(s[1, 1] > s[0, 1] for s in bars.lines[2][0].get_segments())
    pulls = [line.get_ydata() for line in lower.lines if line.get_linestyle() == "None"]
    assert np.abs(pulls).max() < 6 and np.shape(pulls) == (2, 4)
    assert_inside([upper, lower])


def test_a_learning_curve_with_networks():
    check_curves(*run(BLOCKS[1])["panels"])


def test_the_same_by_the_command_line(monkeypatch, tmp_path, capsys):
    from asympkit.plot import canvas

    drawn = []
    monkeypatch.setattr(canvas, "save", lambda axes, path: drawn.append((axes, path)))
    (command,) = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command.replace("\\\n", ""))[1:]) == 0
    assert "test_error" in capsys.readouterr().out
    ((axes, path),) = drawn
    check_curves(*axes)
    assert str(path) == "curve.png"


def check_map(ax):
    """A heat map with contours and a logarithmic norm."""
    (cells,) = [c for c in ax.collections if type(c).__name__ == "QuadMesh"]
    assert isinstance(cells.norm, LogNorm)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale(), ax.get_yscale()) == (
        r"$\alpha$", r"$\lambda$", "linear", "log")
    assert any(type(c).__name__ == "QuadContourSet" for c in ax.collections)
    assert_inside(ax)


@pytest.mark.slow
def test_a_phase_diagram():
    space = run(BLOCKS[2])
    assert space["sweep"].converged.all()
    check_map(space["ax"])


def test_the_best_penalty_along_the_curve():
    space = run(BLOCKS[3])
    upper, lower = space["panels"]
    assert (upper.get_ylabel(), lower.get_ylabel(), lower.get_xlabel()) == (
        "smallest test error", r"best $\lambda$", r"$\alpha$")
    assert space["best"].converged.all() and not space["best"].at_bound.any()
    assert curves(lower)[0].get_ydata() == pytest.approx(space["best"].argmin)
    assert_inside([upper, lower])


def test_two_pictures_side_by_side():
    space = run(BLOCKS[4], most=5)
    check_curves(*space["panels"])
    check_map(space["ax"])
    assert {*space["panels"], space["ax"]} < set(space["figure"].axes)


def test_a_spectrum_with_its_histogram():
    space = run(BLOCKS[5])
    assert [o.kind for o in space["spectrum"].outliers] == ["giant", "bbp"]
    assert space["ax"].patches and space["ax"].lines
    assert_inside([space["ax"]])
