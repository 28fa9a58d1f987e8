"""``--plot FILE``."""

import json

import pytest
from helpers.commands import command

pytestmark = pytest.mark.usefixtures("pictures")

ONE_STEP = ["one-step", "--student", "tanh", "--target", "sin", "--eta", "1", "--alpha0", "2"]
ALPHA = ["--alpha", "0.5,1,2"]
COMMANDS = {
    "hermite": ["hermite", "relu", "-n", "4"], "sweep": ["sweep", *ONE_STEP, *ALPHA, "--lam", "0.1"],
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
    from asympkit.plot import canvas

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


def test_branch_points_are_printed_and_drawn(capsys, tmp_path, drawn):
    (tmp_path / "pitchfork.py").write_text("""
import asympkit as ak
from sympy import Symbol, tanh

m, b = Symbol("m", real=True), Symbol("b", positive=True)
magnet = ak.Theory(name="magnet", unknowns=[m], parameters={b: ("", "positive")}, equations=[m - tanh(b * m)])
""")
    walk = ["continuation", f"{tmp_path}/pitchfork.py:magnet", "--over", "b", "--start", ".5", "--stop", "2"]
    status, out, _ = command(capsys, *walk, "--plot", str(tmp_path / "a.png"), "--quantity", "m")
    assert (status, out.count("emanating from b = 1:"), out.count("end: the end of the interval")) == (0, 2, 2)
    assert "\npitchfork: b = 1, m = 0\nend: stop was reached\n" in out
    assert drawn[0].get_legend().get_texts()[-1].get_text() == "branch point"
    data = json.loads(command(capsys, *walk, "--json")[1])
    assert {"over", "end", "folds", "branches", "branch_points", "emanating"} <= set(data)
    (point,), ends = data["branch_points"], [e["branches"][0]["m"][-1] for e in data["emanating"]]
    assert (point["kind"], point["parameter"]) == ("pitchfork", pytest.approx(1.0, abs=1e-12))
    assert sorted(ends) == pytest.approx([-0.957504024077269, 0.957504024077269], abs=1e-12)


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
    assert (status, out) == (2, "")
    assert "'picture.jpg' is not the name of a picture; expected one that ends in .png" in err
    status, out, err = command(capsys, *COMMANDS["sweep"], "--plot", str(tmp_path / "no" / "a.png"))
    assert (status, out) == (2, "") and "does not exist" in err
