"""The command line at points: numbers, checks, files, interrupts, and what is refused."""

import dataclasses
import json
import sys

import pytest
from helpers.commands import command

import asympkit as ak
from asympkit.cli import main
from asympkit.cli.arguments import grid, join_negative, number

FUNCTIONS = ["--student", "tanh", "--target", "sin"]
STEP = ["one-step", *FUNCTIONS, "--eta", "1", "--alpha0", "2", "--alpha", "1.5", "--lam", "1/10"]
SPIKED = ["spiked-features", *FUNCTIONS, "--r", "-2", "--c", "1", "--gamma", "-9/10", "--alpha", "2",
          "--lam", ".1"]
SMALL = ["--d", "100", "--repeats", "5"]


def test_solve(capsys):
    status, out, err = command(capsys, "solve", *STEP)
    s = ak.OneStep("tanh", "sin").solve(eta=1, alpha0=2, alpha=1.5, lam=0.1)
    assert (status, err) == (0, "")
    rows = dict(line.split() for line in out.splitlines()[1:-2])
    assert float(rows["test_error"]) == pytest.approx(s.test_error, rel=1e-14)
    assert len(rows) == 17
    assert out.splitlines()[-2].startswith("converged")
    assert out.splitlines()[-1].startswith(f"condition V1 {s.condition['V1']:.1e}, V2 ")
    extra = ["--beta", "4/3", "--noise-variance", "0.1", "--json"]
    status, out, err = command(capsys, "solve", *STEP, *extra)
    data = json.loads(out)
    assert (status, err) == (0, "")
    assert data["converged"] is True
    assert data["parameters"]["beta"] == 4 / 3
    assert data["student"] == "tanh"
    assert data["observables"]["test_error"] == pytest.approx(data["observables"]["clean_error"] + 0.1)
    status, out, _ = command(capsys, "solve", *STEP, *extra, "--digits", "30")
    precise = json.loads(out)
    text = precise["observables"]["test_error"]
    assert float(text) == pytest.approx(data["observables"]["test_error"], rel=1e-13)
    assert len(text) >= 30
    status, _, err = command(capsys, "solve", *STEP, "--eta", "3", "--alpha0", "0.5")
    assert status == 0
    assert err.startswith("note: c - 1 = ")
    assert err.count("\n") == 1


def test_check_holds(capsys):
    status, out, err = command(capsys, "check", *STEP, *SMALL, "--digits", "20")
    assert (status, err) == (0, "")
    assert out.splitlines()[-1].startswith("PASSED: ")


def test_check_of_a_wrong_theory_does_not_hold(capsys, monkeypatch):
    right = ak.SpikedFeatures.solve

    def wrong(self, **parameters):
        s = right(self, **parameters)
        return dataclasses.replace(s, observables={k: 2 * v for k, v in s.observables.items()})

    monkeypatch.setattr(ak.SpikedFeatures, "solve", wrong)
    status, out, _ = command(capsys, "check", *SPIKED, *SMALL, "--digits", "20")
    assert status == 1
    assert out.splitlines()[-1].startswith("FAILED: ")


def test_check_without_a_simulation_is_neutral(capsys, tmp_path):
    path = tmp_path / "shift.py"
    path.write_text("from sympy import symbols\n\nimport asympkit as ak\n\nx, h = symbols('x h', real=True)\n"
                    "shift = ak.Theory(name='shift', parameters={h: ('field', 'real')}, unknowns=[x],\n"
                    "                  free_energy=x**2/2 - h*x)\n")
    status, out, _ = command(capsys, "check", f"{path}:shift", "--h", "3", "--digits", "20")
    assert status == 0
    assert out.count("not available") == 1 and "outcome" not in out
    assert "certified values agree; not tested by a simulation: no simulation was available" in out


def test_certify(capsys, tmp_path):
    record = tmp_path / "record.json"
    status, out, err = command(capsys, "certify", *STEP, "--digits", "20", "--save", str(record))
    assert (status, err) == (0, "")
    assert "exactly one solution with V1, V2 > 0" in out
    assert "lam = 1/10" in out
    status, out, _ = command(capsys, "certify", *STEP, "--json")
    data = json.loads(out)
    exact = ak.OneStep("tanh", "sin").certify(eta=1, alpha0=2, alpha="1.5", lam="0.1")
    assert data["enclosures"]["test_error"] == str(exact.test_error)
    assert data["balls"]["V1"]["rad"] < 1e-30
    assert data["balls"]["V1"]["mid"].startswith(str(exact["V1"])[:30])
    assert json.loads(record.read_text())["digits"] == 20
    status, out, err = command(capsys, "certify", "one-step", "--student", "exp(z/3)", "--target", "sin", "--eta", "0",
                           "--alpha0", "1", "--alpha", "2", "--lam", "1")
    assert (status, out) == (2, "")
    assert "is not proved to be polynomial" in err


def test_a_lost_worker_prints_what_is_finished(capsys, monkeypatch):
    at = {"r": -2, "c": 1, "gamma": -0.9, "alpha": 2, "lam": 0.1}
    found = ak.SpikedFeatures("tanh", "sin").simulate(**at, d=40, repeats=3)

    def lose(self, **parameters):
        raise ak.WorkerLostError("executor: a worker was lost", found)

    monkeypatch.setattr(ak.SpikedFeatures, "simulate", lose)
    status, out, err = command(capsys, "simulate", *SPIKED)
    assert (status, out, err) == (1, f"{found}\n", "asympkit: executor: a worker was lost\n")
    found = None
    assert command(capsys, "simulate", *SPIKED) == (1, "", "asympkit: executor: a worker was lost\n")


def test_simulate_on_a_grid_goes_on_from_its_file(capsys, tmp_path):
    grid = [*STEP, "--alpha", "0.5,1.5", "--lam", "0.01:1:3:log", "--d", "40", "--json"]
    file = ["--file", str(tmp_path / "s.npz")]
    first = json.loads(command(capsys, "simulate", *grid, "--repeats", "2", *file)[1])
    status, out, err = command(capsys, "simulate", *grid, "--repeats", "3", *file, "--progress")
    data = json.loads(out)
    assert (status, "| 2/3 [" in err, "| 3/3 [" in err, "1/3" in err) == (0, True, True, False)
    assert data["axes"] == {"alpha": [0.5, 1.5], "lam": pytest.approx([0.01, 0.1, 1.0])}
    assert data["estimates"]["m"]["values"][:2] == first["estimates"]["m"]["values"]
    direct = ak.OneStep("tanh", "sin").simulate(d=40, repeats=3, eta=1, alpha0=2, alpha=[0.5, 1.5],
                                                lam=[0.01, 0.1, 1.0])
    assert data["estimates"]["m"]["mean"][1] == pytest.approx(direct["m"].mean[1].tolist())
    assert command(capsys, "simulate", *STEP, "--eta", "1,2")[::2] == (
        2, "asympkit: error: argument --eta: '1,2' is a grid; expected one number\n")
    status, _, err = command(capsys, "check", *STEP, "--d", "40", *file)
    assert status == 2
    assert "holds another simulation: there sizes is (20, 60), here (60,)" in err


def test_a_full_disk_prints_what_is_finished(capsys, monkeypatch, tmp_path):
    from asympkit import jobs as job_file

    def full(path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(job_file, "flush", full)
    status, out, err = command(capsys, "simulate", *SPIKED, *SMALL, "--file", str(tmp_path / "s.npz"))
    assert status == 1
    assert out == command(capsys, "simulate", *SPIKED, *SMALL)[1]
    assert "(No space left on device); 5 of 5 repeats are finished" in err
    sweep = ("sweep", *SPIKED, "--lam", "0.1,1", "--backend", "numpy")
    status, out, err = command(capsys, *sweep, "--file", str(tmp_path / "s.csv"))
    assert status == 1
    assert out == command(capsys, *sweep)[1]
    assert "2 of 2 points are finished" in err


def test_progress_and_models(capsys):
    assert command(capsys, "simulate", *SPIKED, *SMALL)[2] == ""
    assert "| 5/5 [" in command(capsys, "simulate", *SPIKED, *SMALL, "--progress")[2]
    assert "theta" not in command(capsys, "simulate", *STEP, *SMALL)[1]
    assert "theta" in command(capsys, "simulate", *STEP, *SMALL, "--model", "spiked")[1]
    assert "theta" in command(capsys, "simulate", *SPIKED, *SMALL)[1]
    status, _, err = command(capsys, "simulate", *SPIKED, *SMALL, "--model", "spiked")
    assert status == 2
    assert "--model" in err


def test_interrupt_after_some_repeats(capsys, monkeypatch):
    from asympkit.simulate import spiked_features as spiked

    real, calls = spiked.spiked_repeat, []

    def repeat(seed, **settings):
        calls.append(seed)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return real(seed, **settings)

    monkeypatch.setattr(spiked, "spiked_repeat", repeat)
    status, out, err = command(capsys, "simulate", *SPIKED, *SMALL)
    assert status == 130
    assert "repeats=3" in out
    assert err.startswith("note: interrupted")
    status, out, err = command(capsys, "check", *SPIKED, "--repeats", "5", "--d", "50", "--digits", "20")
    assert status == 0     # the fourth call is over


def test_no_convergence_is_one_line(capsys, monkeypatch):
    def fail(self, **parameters):
        raise ak.ConvergenceError("solve: the averages\n  did not settle")

    monkeypatch.setattr(ak.OneStep, "solve", fail)
    assert command(capsys, "solve", *STEP) == (1, "", "asympkit: solve: the averages did not settle\n")


COMMAND = ["one-step", *FUNCTIONS, "--eta", "1", "--alpha0", "2", "--alpha", "1.5", "--lam", "0.1"]


@pytest.mark.parametrize("argv, said", [
    (["solv"], "did you mean 'solve'?"),
    (["solve"], "required: THEORY"),
    (["solve", "one-stp", *COMMAND[1:]], "did you mean 'one-step'?"),
    (["solve", *COMMAND, "--student", "tahn"], "did you mean 'tanh'?"),
    (["solve", *COMMAND, "--loss", "logistc"], "loss: got 'logistc'; did you mean 'logistic'?"),
    (["hermite", "tahn"], "did you mean 'tanh'?"),
    (["check", *COMMAND, "--aplha", "1"], "did you mean '--alpha'?"),
    (["solve", *COMMAND, "--alpha", "-1"], "alpha: got -1; expected a positive finite number"),
    (["check", *COMMAND, "--lam=-1"], "lam: got -1; expected a positive finite number"),
    (["solve", *COMMAND, "--alpha", "inf"], "alpha: got inf"),
    (["solve", *COMMAND[:-2]], "missing --lam"),
    (["check", *COMMAND[:5]], "missing --eta (learning rate"),
    (["solve", "one-step", "--eta", "1"], "missing --student, --target"),
    (["solve", *COMMAND, "--r", "1"], "unknown option --r"),
    (["solve", "spiked-features", *FUNCTIONS, "--alpha", "1", "--lam", "1"], "missing --r"),
    (["solve", *COMMAND, "--eta", "one"], "'one' is not a number"),
    (["solve", *COMMAND, "--eta", "1/0"], "divides by zero"),
    (["solve", *COMMAND, "--eta", "1e99999999999"], "is not a number"),
    (["solve", *COMMAND, "--eta", "1e999"], "too large"),
    (["solve", *COMMAND, "--eta"], "expected one argument"),
    (["solve", *COMMAND, "--digits", "30", "--rtol", "1e-3"], "either --digits or --rtol"),
    (["solve", *COMMAND, "--digits", "3"], "digits: got 3"),
    (["solve", *COMMAND, "--rtol", "2"], "rtol: got 2.0"),
    (["solve", *COMMAND, "extra"], "unexpected argument 'extra'"),
    (["simulate", *COMMAND, "--d", "0"], "expected an integer >= 2"),
    (["simulate", *COMMAND, "--repeats", "1"], "repeats: got 1; expected an integer >= 2"),
    (["simulate", *COMMAND, "--model", "netwrok"], "did you mean 'network'?"),
    (["sweep", *COMMAND], "sweep: no axis given"),
    (["sweep", *COMMAND, "--alpha", "1:2"], "is not a grid"),
    (["sweep", *COMMAND, "--alpha", "0:1:5:log"], "positive ends"),
    (["sweep", *COMMAND, "--alpha", "-1:1:5"], "alpha"),
    (["sweep", *COMMAND, "--alpha", "1:2:3", "--out", "x.txt"], ".csv or .npz"),
    (["sweep", *COMMAND, "--alpha", "1:2:3", "--out", "/no/such/folder/x.csv"],
     "--out: got '/no/such/folder/x.csv'; the folder '/no/such/folder' does not exist"),
    (["generate", *COMMAND[:5]], "required: PATH"),
    (["generate", *COMMAND[:5], "module.txt"], "expected the name of a Python file"),
    (["generate", *COMMAND[:5], "/no/such/folder/x.py"], "the folder '/no/such/folder' does not exist"),
    (["derive"], "--list"),
    (["derive", "result_3_11"], "did you mean 'result_3_1'?"),
    (["derive", "one-step", "--student", "tanh"], "both --student and --target"),
    (["derive", "one-step", "--format", "tex"], "did you mean 'text'?"),
    (["derive", "result_3_1", "--student", "tanh"], "unknown option --student"),
    (["hermite", "tanh", "-n", "-1"], "n: got -1; expected an integer from 0 to 200"),
    (["hermite", "tanh", "--json", "--format", "csv"], "--json and --format csv are two forms of one output"),
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
