"""Theories of one's own on the command line: names that collide, values given twice, functions that raise."""

import sys

import pytest

from asympkit.cli import main

SOURCE = '''
import asympkit as ak
from sympy import symbols
m, h, a, b, digits = symbols("m h a_b a-b digits", real=True)

class Two(Exception):
    def __init__(self, first, second):
        super().__init__(first)

def draw(rng, size, h):
    if h > 6:
        raise Two(1, 2)
    if h > 4:
        raise SystemExit
    if h > 2:
        raise ValueError("no such\\nfield")
    return {"m": h + rng.normal() / size}

def made(free, **more):
    parameters = {s: ("number " + s.name, "real") for s in free}
    return ak.Theory(name="own", unknowns=[m], parameters=parameters, equations=[m - sum(free)], **more)

plain = made([h], simulate=draw)
local = made([h], simulate=lambda rng, size, h: {"m": h})
alike = made([h, a, b])
taken = made([h, digits])
condition = made([h], assumptions=[ak.Assumption(lambda values: values["k"], "no")])
text = made([h], assumptions=[ak.Assumption(h < 0, lambda values: 1 / 0)])
'''


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The name of a file of theories, which is forgotten afterwards."""
    (tmp_path / "own_theories.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield "own_theories.py"
    sys.modules.pop("own_theories", None)


@pytest.mark.parametrize(("argv", "said"), [
    (["solve", "plain", "--h", "1", "--rtol", "0"], "rtol: got 0.0; expected a number from 1e-14 to 1"),
    (["solve", "plain", "--h", "1", "--rtol", "0", "--digits", "9"], "either --digits or --rtol"),
    (["solve", "plain", "--h", "1", "--set", "h=2"], "h: given twice, by --h and by --set; give it once"),
    (["solve", "plain", "--set", "h=2", "--h", "1"], "h: given twice, by --h and by --set; give it once"),
    (["solve", "alike", "--h", "1", "--a-b", "2"],
     "--a-b: it could be a_b or a-b; write --set a_b=2 or --set a-b=2"),
    (["solve", "alike", "--h", "1"], "missing --set a_b=X (number a_b), --set a-b=X (number a-b)"),
    (["solve", "taken", "--h", "1", "--digits", "20"], "missing --set digits=X (number digits)"),
    (["simulate", "plain", "--h", "3", "--size", "2"],
     "own_theories.py, line 16, in draw: ValueError: no such field (--traceback shows all of it)"),
    (["simulate", "plain", "--h", "5", "--size", "2"], "line 14, in draw: it called exit(); expected a result"),
    (["simulate", "local", "--h", "1", "--size", "2", "--jobs", "2"], "cannot be sent to other processes"),
    (["solve", "condition", "--h", "1"], "could not be asked at {'h': 1.0} (KeyError: 'k')"),
    (["solve", "text", "--h", "1"], "could not be made at {'h': 1.0} (ZeroDivisionError: division by zero)")])
def test_one_line_and_status_two(capsys, own, argv, said):
    assert main([argv[0], f"{own}:{argv[1]}", *argv[2:]]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.startswith("asympkit: error: ")
    assert said in err


def test_names_alike_are_given_by_set(capsys, own):
    assert main(["solve", f"{own}:alike", "--h", "1", "--set", "a_b=2", "--set", "a-b=4"]) == 0
    assert "m  7\n" in capsys.readouterr().out
    assert main(["solve", f"{own}:alike", "--help"]) == 0
    assert "by --set: a_b, a-b" in capsys.readouterr().out


def test_the_traceback_when_asked_for(capsys, own):
    assert main(["simulate", f"{own}:plain", "--h", "3", "--traceback", "--size", "2"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("Traceback (most recent call last)") and "asympkit: error: " in err.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize(("h", "said"), [("3", "line 16, in draw: ValueError: no such field"),
                                         ("7", "line 12, in draw: Two: 1")])
def test_a_function_that_raises_in_another_process(capsys, own, h, said):
    assert main(["simulate", f"{own}:plain", "--h", h, "--size", "2", "--jobs", "2"]) == 2
    assert said in capsys.readouterr().err
