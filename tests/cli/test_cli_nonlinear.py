"""``asympkit ... nonlinear-spikes``."""

import json

import pytest
from helpers.commands import command

import asympkit as ak

QUADRATIC = "z+(z**2-1)/sqrt(2)"
THEORY = ["nonlinear-spikes", "--student", QUADRATIC, "--target", QUADRATIC]
AT = ["--phi", ".5", "--psi", "1", "--lam", ".01", "--noise-variance", ".1"]


def test_solve_with_options(capsys):
    status, out, err = command(capsys, "solve", *THEORY, *AT, "--degree", "2", "--rows", "gaussian", "--json")
    s = ak.NonlinearSpikes(QUADRATIC, QUADRATIC, rows="gaussian").solve(phi=0.5, psi=1, lam=0.01, noise_variance=0.1)
    assert (status, err) == (0, "")
    assert json.loads(out)["observables"]["test_gap"] == pytest.approx(s.test_gap, rel=1e-13)
    status, out, _ = command(capsys, "solve", *THEORY, *AT, "--initial-output", "kept", "--free-constant", "--eta", "2",
                         "--n", "1000")
    other = ak.NonlinearSpikes(QUADRATIC, QUADRATIC, initial_output="kept", free_constant=True)
    gap = other.solve(phi=0.5, psi=1, lam=0.01, noise_variance=0.1, eta=2, n=1000).test_gap
    rows = dict(line.split() for line in out.splitlines()[1:7])
    assert status == 0
    assert float(rows["test_gap"]) == pytest.approx(gap, rel=1e-13)
    assert out.startswith("nonlinear spikes, free constant, initial output kept: phi=0.5, psi=1, lam=0.01")


def test_sweep_certify_generate(capsys, tmp_path):
    status, out, _ = command(capsys, "sweep", *THEORY, "--phi", ".5", "--psi", "1", "--lam", ".01:1:3:log",
                         "--degree", "1,2")
    assert status == 0
    assert out.splitlines()[0].startswith("lam,degree,train_error,test_error,baseline_train")
    assert len(out.splitlines()) == 7
    pytest.importorskip("flint")
    status, out, _ = command(capsys, "certify", *THEORY, *AT, "--digits", "15")
    assert status == 0
    assert "has degree 4; its root u = [0.50602" in out
    status, out, _ = command(capsys, "generate", *THEORY, str(tmp_path / "mine.py"))
    assert status == 0
    assert "def solve(phi, psi, lam, noise_variance=0.0, degree=2):" in (tmp_path / "mine.py").read_text()
    status, out, _ = command(capsys, "generate", *THEORY, str(tmp_path / "mine.py"), "--language", "jax")
    assert status == 0
    assert "def solve(phi, psi, lam, noise_variance=0.0, degree=2, level=LEVEL):" in (tmp_path / "mine.py").read_text()


def test_check_and_simulate(capsys):
    small = ["--n", "120", "--repeats", "3"]
    status, out, _ = command(capsys, "check", *THEORY, *AT, *small, "--digits", "20")
    assert (status, "PASSED: compiled, 20-digit" in out) == (0, True)
    assert "simulation: d=60 p=60 n=120" in out
    assert "because the tolerances allow every difference that is tested: " in out
    assert "test_gap (33.3 % allowed)" in out
    status, out, _ = command(capsys, "simulate", *THEORY, *AT, *small, "--eta", "1", "--model", "network", "--json")
    data = json.loads(out)
    assert (status, data["n"], data["repeats"]) == (0, 120, 3)
    assert set(data["estimates"]) == {"train_error", "test_error", "baseline_train", "baseline_test", "train_gap",
                                      "test_gap"}


def test_derive(capsys):
    status, out, _ = command(capsys, "derive", "nonlinear-spikes")
    assert status == 0
    lines = out.splitlines()
    assert lines[:2] == ["stated equations", "  0 = linear*m1*m2*(lam*m1*psi/phi - 1) + "
                         "phi*(m1 - m2)*(linear*m2 + m1*nonlinear)"]
    assert "block 1: nonlinear, solved for chi" in lines
    status, out, _ = command(capsys, "derive", "nonlinear-spikes", "--json")
    data = json.loads(out)
    assert (data["free_energy"], len(data["stated"])) == (None, 2)
    for style, start in (("latex", "\\[ 0 = "), ("mathml", "<math")):
        assert command(capsys, "derive", "nonlinear-spikes", "--format", style)[1].startswith(start)
    status, out, _ = command(capsys, "derive", "nonlinear-spikes", "--student", QUADRATIC, "--target", "tanh")
    lines = [line.strip() for line in out.splitlines()]
    assert status == 0
    assert "linear: c_1**2 of the student = 1" in lines
    assert "nonlinear: E[student**2] - c_0**2 - c_1**2 = 1" in lines
    assert "target_linear: c_1 of the target = E_z[z*tanh(z)]" in lines
    data = json.loads(command(capsys, "derive", "nonlinear-spikes", "--json")[1])
    assert data["parameters"]["radial"] == "2*c_2**2 of the student with Gaussian rows, else 0"
    assert json.loads(command(capsys, "derive", "one-step", "--json")[1])["parameters"] == {}


@pytest.mark.parametrize(("argv", "text"), [
    (["solve", *THEORY, *AT, "--eta", "1"], "eta: given without n; a finite step size needs eta and n"),
    (["check", *THEORY, *AT, "--d", "3"], "unknown option --d"),
    (["simulate", *THEORY, *AT, "--model", "spiked"], "'spiked' is unknown; expected one of network, truncated, limit"),
    (["solve", "one-step", "--student", "tanh", "--target", "sin", "--eta", "1", "--alpha0", "1", "--alpha", "1",
      "--lam", "1", "--rows", "sphere"], "unknown option --rows"),
    (["solve", *THEORY, *AT, "--rows", "cube"], "'cube' is unknown; expected one of sphere, gaussian"),
    (["solve", *THEORY, "--phi", "1", "--lam", "1"], "nonlinear-spikes: missing --psi (dimension over width)")])
def test_usage_errors(capsys, argv, text):
    status, out, err = command(capsys, *argv)
    assert (status, out) == (2, "")
    assert err.startswith(f"asympkit: error: {text}")
    assert err.count("\n") == 1


STAIRS = ["staircase", *THEORY, *AT]


def test_staircase(capsys):
    theory = ak.NonlinearSpikes(QUADRATIC, QUADRATIC)
    want = theory.staircase(alpha_lr=[-0.1, 0.1, 0.3], phi=0.5, psi=1, lam=0.01, noise_variance=0.1)
    status, out, err = command(capsys, *STAIRS, "--alpha-lr", "-0.1,0.1,0.3", "--json")
    data = json.loads(out)
    assert (status, err) == (0, "")
    assert data["test_error"] == want.test_error.tolist()
    assert data["spikes"] == [0, 1, 2]
    assert data["steps"][1] == vars(want.steps[1])
    assert (data["theory"], data["samples"], data["parameters"]["phi"]) == ("nonlinear spikes", None, 0.5)
    status, out, _ = command(capsys, *STAIRS, "--alpha-lr=-0.1,0.1,0.3", "--csv")
    head, *rows = out.split()
    assert (status, head) == (0, "alpha_lr,train_error,test_error,spikes")
    assert rows[2] == f"0.3,{float(want.train_error[2])!r},{float(want.test_error[2])!r},2"
    status, out, _ = command(capsys, *STAIRS, "--alpha-lr", "0.3")
    assert out.splitlines()[-1].startswith("step at 0.25: the spike of degree 2 takes 0.")
    assert out.splitlines()[2].startswith(f"without a step: train_error {want.baseline_train:.10g}")


@pytest.mark.parametrize(("argv", "text"), [
    (["staircase", "one-step", "--student", "tanh", "--target", "sin", "--alpha-lr", "0.1"],
     "staircase: one-step has no spikes that leave the bulk as the step grows; expected nonlinear-spikes, or "
     "another theory with a staircase"),
    ([*STAIRS, "--alpha-lr", "0.1", "--set", "degree=2"], "staircase: got degree by --set, which follow from the"),
    ([*STAIRS, "--alpha-lr", "0.6"], "expected exponents below 1/2"),
    ([*STAIRS[:-4], "--alpha-lr", "0.1"], "missing --lam"),
    (STAIRS, "--alpha-lr")])
def test_staircases_that_are_none(capsys, argv, text):
    status, out, err = command(capsys, *argv)
    assert (status, out) == (2, "")
    assert text in err


@pytest.mark.usefixtures("pictures")
def test_a_staircase_is_drawn(capsys, tmp_path, monkeypatch):
    from asympkit.plot import canvas

    drawn, save = [], canvas.save
    monkeypatch.setattr(canvas, "save", lambda axes, path: (drawn.append(axes), save(axes, path)))
    path = tmp_path / "stairs.png"
    assert command(capsys, *STAIRS, "--alpha-lr", "0:0.32:9", "--plot", str(path), "--quantity", "train_error")[0] == 0
    want = ak.NonlinearSpikes(QUADRATIC, QUADRATIC).staircase(alpha_lr=[0.32], phi=0.5, psi=1, lam=0.01,
                                                              noise_variance=0.1)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert drawn[0].get_ylabel() == "train error"
    assert drawn[0].lines[0].get_ydata()[-1] == pytest.approx(want.train_error[0], rel=1e-12)
    assert [line.get_xdata()[0] for line in drawn[0].lines[1:]] == [0.0, 0.25]
