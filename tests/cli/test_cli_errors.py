"""Usage errors: exit status 2, one line on stderr, no traceback, suggestions."""

import sys

import pytest

from asympkit.cli import main
from asympkit.cli.arguments import grid, join_negative, number

FUNCTIONS = ["--student", "tanh", "--target", "sin"]
STEP = ["one-step", *FUNCTIONS, "--eta", "1", "--alpha0", "2", "--alpha", "1.5", "--lam", "0.1"]


@pytest.mark.parametrize("argv, said", [
    (["solv"], "did you mean 'solve'?"),
    (["solve"], "required: THEORY"),
    (["solve", "one-stp", *STEP[1:]], "did you mean 'one-step'?"),
    (["solve", *STEP, "--student", "tahn"], "did you mean 'tanh'?"),
    (["solve", *STEP, "--loss", "logistc"], "loss: got 'logistc'; did you mean 'logistic'?"),
    (["hermite", "tahn"], "did you mean 'tanh'?"),
    (["check", *STEP, "--aplha", "1"], "did you mean '--alpha'?"),
    (["solve", *STEP, "--alpha", "-1"], "alpha: got -1; expected a positive finite number"),
    (["check", *STEP, "--lam=-1"], "lam: got -1; expected a positive finite number"),
    (["solve", *STEP, "--alpha", "inf"], "alpha: got inf"),
    (["solve", *STEP[:-2]], "missing --lam"),
    (["check", *STEP[:5]], "missing --eta (learning rate"),
    (["solve", "one-step", "--eta", "1"], "missing --student, --target"),
    (["solve", *STEP, "--r", "1"], "unknown option --r"),
    (["solve", "spiked-features", *FUNCTIONS, "--alpha", "1", "--lam", "1"], "missing --r"),
    (["solve", *STEP, "--eta", "one"], "'one' is not a number"),
    (["solve", *STEP, "--eta", "1/0"], "divides by zero"),
    (["solve", *STEP, "--eta", "1e99999999999"], "is not a number"),
    (["solve", *STEP, "--eta", "1e999"], "too large"),
    (["solve", *STEP, "--eta"], "expected one argument"),
    (["solve", *STEP, "--digits", "30", "--rtol", "1e-3"], "either --digits or --rtol"),
    (["solve", *STEP, "--digits", "3"], "digits: got 3"),
    (["solve", *STEP, "--rtol", "2"], "rtol: got 2.0"),
    (["solve", *STEP, "extra"], "unexpected argument 'extra'"),
    (["simulate", *STEP, "--d", "0"], "expected an integer >= 2"),
    (["simulate", *STEP, "--repeats", "1"], "repeats: got 1; expected an integer >= 2"),
    (["simulate", *STEP, "--model", "netwrok"], "did you mean 'network'?"),
    (["sweep", *STEP], "sweep: no axis given"),
    (["sweep", *STEP, "--alpha", "1:2"], "is not a grid"),
    (["sweep", *STEP, "--alpha", "0:1:5:log"], "positive ends"),
    (["sweep", *STEP, "--alpha", "-1:1:5"], "alpha"),
    (["sweep", *STEP, "--alpha", "1:2:3", "--out", "x.txt"], ".csv or .npz"),
    (["sweep", *STEP, "--alpha", "1:2:3", "--out", "/no/such/folder/x.csv"],
     "--out: got '/no/such/folder/x.csv'; the folder '/no/such/folder' does not exist"),
    (["generate", *STEP[:5]], "required: PATH"),
    (["generate", *STEP[:5], "module.txt"], "expected the name of a Python file"),
    (["generate", *STEP[:5], "/no/such/folder/x.py"], "the folder '/no/such/folder' does not exist"),
    (["derive"], "--list"),
    (["derive", "result_3_11"], "did you mean 'result_3_1'?"),
    (["derive", "one-step", "--student", "tanh"], "both --student and --target"),
    (["derive", "one-step", "--format", "tex"], "did you mean 'text'?"),
    (["derive", "result_3_1", "--student", "tanh"], "unknown option --student"),
    (["hermite", "tanh", "-n", "-1"], "n: got -1; expected an integer from 0 to 200"),
    (["hermite", "tanh", "-n", "x"], "invalid int value"),
    (["hermite", "exp(z**2)"], "second moment"),
    (["hermite", "1/z"], "finite"),
    (["hermite", "__import__('os').system('true')"], "grammar"),
    (["hermite", "z.__class__"], "cannot read"),
    (["hermite", "().__class__.__bases__"], "cannot read"),
    (["hermite", "open(z)"], "unknown"),
])
def test_one_line_and_status_two(capsys, argv, said):
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("asympkit: error: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert said in err


def test_nothing_to_do_prints_help(capsys):
    assert main([]) == 2
    assert "COMMAND" in capsys.readouterr().out


@pytest.mark.parametrize("argv", [["--help"], ["check", "--help"], ["hermite", "-h"], ["--version"]])
def test_help_and_version(capsys, argv):
    assert main(argv) == 0
    out, err = capsys.readouterr()
    assert out
    assert err == ""


def test_arguments_are_read():
    from fractions import Fraction

    assert number("2") == 2
    assert isinstance(number("2"), int)
    assert number("0.1") == 0.1
    assert number("1/10") == 0.1
    assert number("1/3") == Fraction(1, 3)
    assert number("-1e-3") == -0.001
    assert number("0.12345678901234567890123") == Fraction(12345678901234567890123, 10**23)
    assert number("Inf") == float("inf")
    assert grid("3") == 3
    assert grid("1,1/2") == [1, 0.5]
    assert grid("1:2:3") == [1.0, 1.5, 2.0]
    assert grid("1e-2:1:3:log") == pytest.approx([0.01, 0.1, 1])
    assert grid("0.1:0.3:3")[-1] == 0.3
    assert grid("5:6:1") == [5.0]
    assert join_negative(["solve", "--gamma", "-1/2"]) == ["solve", "--gamma=-1/2"]
    assert join_negative(["hermite", "-z", "-n", "-3"]) == ["hermite", " -z", "-n", "-3"]
    assert join_negative(["--json", "-tanh(z)", "-n3", "-h"]) == ["--json", " -tanh(z)", "-n3", "-h"]
    assert join_negative(["hermite", "--", "-z"]) == ["hermite", "--", "-z"]
    assert join_negative(["solve", "--gamma", "--alpha"]) == ["solve", "--gamma", "--alpha"]


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
    (["minimize", "plain", "--over", "h", "--bounds", "1,2"], "minimize: give --quantity, one of "),
    (["sensitivity", "plain", "--h", "1", "--by", "h"], "sensitivity: give --quantity, one of "),
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
def test_a_theory_of_a_user_that_fails(capsys, own, argv, said):
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
