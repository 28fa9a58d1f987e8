"""``asympkit solve``, ``check``, ``simulate``: results, exit statuses, JSON."""

import dataclasses
import json

import pytest
from helpers.commands import command

import asympkit as ak

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
