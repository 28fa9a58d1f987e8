"""``--plot FILE``."""

import pytest
from helpers.commands import command

pytestmark = pytest.mark.usefixtures("pictures")

ONE_STEP = ["one-step", "--student", "tanh", "--target", "sin", "--eta", "1", "--alpha0", "2"]
ALPHA = ["--alpha", "0.5,1,2"]
COMMANDS = {
    "hermite": ["hermite", "relu", "-n", "4"],
    "sweep": ["sweep", *ONE_STEP, *ALPHA, "--lam", "0.1"],
    "minimize": ["minimize", *ONE_STEP, *ALPHA, "--over", "lam", "--bounds", "1e-3,1e3"],
    "simulate": ["simulate", *ONE_STEP, *ALPHA, "--lam", "0.1", "--d", "20", "--repeats", "3"],
    "simulate at one point": ["simulate", *ONE_STEP, "--alpha", "1", "--lam", "0.1", "--d", "20", "--repeats", "3"],
}
MAGNET = """
import asympkit as ak
from sympy import symbols, tanh
m, h = symbols("m h", real=True)
magnet = ak.Theory(name="magnet", parameters={h: ("field", "real")}, unknowns=[m], equations=[m - tanh(2 * m + h)])
"""


@pytest.fixture
def drawn(monkeypatch):
    """What was written, and the axes of it."""
    from asympkit.pictures import canvas

    found, save = [], canvas.save
    monkeypatch.setattr(canvas, "save", lambda axes, path: (found.append(axes), save(axes, path)))
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_draws(capsys, tmp_path, drawn, name):
    path = tmp_path / "picture.png"
    plain = command(capsys, *COMMANDS[name])
    assert command(capsys, *COMMANDS[name], "--plot", str(path)) == plain       # what is printed is the same
    assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 5000
    assert len(drawn) == 1


def test_a_path_is_drawn(capsys, tmp_path, drawn):
    (tmp_path / "mine.py").write_text(MAGNET)
    walk = ["continuation", f"{tmp_path}/mine.py:magnet", "--over", "h", "--start", "1", "--stop", "-1"]
    assert command(capsys, *walk, "--plot", str(tmp_path / "a.png"), "--quantity", "m")[0] == 0
    assert [t.get_text() for t in drawn[0].get_legend().get_texts()] == ["branch 1", "branch 2", "branch 3", "fold"]
    assert drawn[0].get_ylabel() == "$m$"


def test_a_simulation_is_drawn_with_the_theory(capsys, tmp_path, drawn):
    command(capsys, *COMMANDS["simulate"], "--plot", str(tmp_path / "a.svg"))
    upper, lower = drawn[0]
    assert upper.get_ylabel() == "test error" and lower.get_xlabel() == r"$\alpha$"
    assert len(upper.lines[0].get_xdata()) == 60 and len(upper.containers[0].lines[0].get_xdata()) == 3


def test_quantities_are_chosen(capsys, tmp_path, drawn):
    both = [*COMMANDS["sweep"], "--plot", str(tmp_path / "a.pdf"), "--quantity", "train_error, q1"]
    assert command(capsys, *both)[0] == 0
    assert [t.get_text() for t in drawn[0].get_legend().get_texts()] == ["train error", "$q_{1}$"]
    status, _, err = command(capsys, *COMMANDS["sweep"], "--quantity", "train_eror")
    assert status == 2 and "plot: no quantity 'train_eror'; did you mean 'train_error'" in err


def test_a_wrong_name_is_refused_before_anything_is_computed(capsys, tmp_path):
    status, out, err = command(capsys, *COMMANDS["sweep"], "--plot", "picture.jpg")
    assert (status, out) == (2, "") and "'picture.jpg' is no name of a picture; expected one that ends in .png" in err
    status, out, err = command(capsys, *COMMANDS["sweep"], "--plot", str(tmp_path / "no" / "a.png"))
    assert (status, out) == (2, "") and "does not exist" in err
