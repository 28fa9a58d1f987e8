"""Commands beside that of a point: derivations, sweeps, nonlinear spikes, pictures, processes."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest
from helpers.commands import command

import asympkit as ak
from asympkit.cli import main

pytestmark = pytest.mark.usefixtures("pictures")

FUNCTIONS = ["--student", "tanh", "--target", "sin"]


def run(capsys, *argv):
    status, out, err = command(capsys, *argv)
    assert (status, err) == (0, "")
    return out


def test_hermite_and_versions(capsys):
    data = json.loads(run(capsys, "hermite", "-tanh(z)", "-n", "1", "--json"))
    assert data["coefficients"][1] == pytest.approx(-0.605705509602159)
    lines = run(capsys, "--version").splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["python", "asympkit", "sympy", "numpy"]
    assert lines[1].split()[1] == ak.__version__


def test_derive(capsys):
    out = run(capsys, "derive", "one-step")
    assert out.startswith("free energy\n  f = ")           # F is one of the spectral variables
    assert "symbols\n" in out and "  lam: penalty on the readout\n" in out and "  z, kappa: standard normal" in out
    assert "student(" in out
    assert "block 1: nonlinear, solved for V1, V2" in out
    bound = run(capsys, "derive", *FUNCTIONS, "spiked-features")
    assert "tanh(" in bound
    assert "student(" not in bound
    latex = run(capsys, "derive", "one-step", "--format", "latex")
    assert r"\begin{align*}" in latex
    from asympkit.derivations import ALL

    from asympkit.theories.registry import package_names

    theories = package_names()
    lines = run(capsys, "derive", "--list").splitlines()
    assert [line.split()[0] for line in lines] == [*theories, *ALL]
    assert lines[0].split(None, 1)[1] == ("a two-layer network after one large gradient step, square loss "
                                          "(arXiv 2402.04980)")
    assert all(len(line.split(None, 1)[1]) > 30 for line in lines)
    (heat,) = [line for line in lines if line.startswith("gaussian.heat")]
    assert heat.endswith("  How the mean of a function of a normal variable changes with the mean and the width of the "
                         "variable")
    assert json.loads(run(capsys, "derive", "--list", "--json")) == [*theories, *ALL]
    for name in ("one-step", "gradient-steps", "spiked-features", "nonlinear-spikes", "deep-features"):
        layers = ["--student", "1.5:tanh", "--target", "1:sign"] if name == "deep-features" else []
        text = run(capsys, "derive", name, *layers)
        assert "symbols\n" in text and max(map(len, text.splitlines())) <= 120
    assert main(["derive", "deep-features"]) == 2
    said = capsys.readouterr().err
    assert "the equations of deep-features follow from its layers; give --student and --target" in said


@pytest.fixture
def short_derivation(monkeypatch):
    import asympkit.derivations as derivations
    from asympkit.derivations.checks import exact
    from asympkit.derivations.document import Derivation
    from sympy import Symbol

    x = Symbol("x")

    def load(name):
        d = Derivation("A square", "school", "Nothing is assumed.")
        d.step("A square opens.", exact((x + 1) ** 2, x**2 + 2 * x + 1, by="expand"))
        return d

    monkeypatch.setattr(derivations, "load", load)


def test_derivation_documents(capsys, short_derivation):
    text = run(capsys, "derive", "result_3_1")
    assert text.startswith("A square\n")
    assert "exact: the difference is 0" in text
    data = json.loads(run(capsys, "derive", "one_step.result_3_1", "--json"))
    assert data["steps"][0]["kind"] == "exact"
    assert r"\begin{document}" in run(capsys, "derive", "result_3_1", "--format", "latex")
    assert "<math" in run(capsys, "derive", "result_3_1", "--format", "mathml")


SWEEP = ["sweep", "one-step", *FUNCTIONS, "--eta", "1", "--alpha0", "2"]


def test_sweep_prints_csv(capsys):
    out = run(capsys, *SWEEP, "--lam", "1e-2:1:2:log", "--alpha", "0.5,2", "--backend", "numpy")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 4
    assert list(rows[0])[:2] == ["lam", "alpha"]       # in the order given
    theory = ak.OneStep("tanh", "sin")
    for row in rows:
        s = theory.solve(eta=1, alpha0=2, alpha=float(row["alpha"]), lam=float(row["lam"]))
        assert float(row["test_error"]) == pytest.approx(s.test_error, rel=1e-9)
        assert row["converged"] == "1"


def test_sweep_json_and_files(capsys, tmp_path):
    data = json.loads(run(capsys, *SWEEP, "--alpha", "1:2:3", "--lam", "0.1", "--json"))
    assert data["axes"] == {"alpha": [1.0, 1.5, 2.0]}
    assert data["converged"] == [True] * 3
    for name in ("s.npz", "s.csv"):
        path = tmp_path / name
        assert run(capsys, *SWEEP, "--alpha", "1:2:3", "--lam", "0.1", "--out", str(path)) == f"{path}\n"
    with np.load(tmp_path / "s.npz") as file:
        assert file["test_error"].tolist() == data["observables"]["test_error"]
    assert (tmp_path / "s.csv").read_text().startswith("alpha,")


def test_sweep_in_processes_and_from_its_file(capsys, tmp_path):
    grid = [*SWEEP, "--alpha", "1,2", "--lam", "0.1,1", "--eta", "0.1,0.2"]
    plain = run(capsys, *grid)
    kept = ["--file", str(tmp_path / "s.npz")]
    assert_tables_agree(run(capsys, *grid, *kept, "--jobs", "2"), plain)
    before = (tmp_path / "s.npz").read_bytes()
    assert_tables_agree(run(capsys, *grid, *kept), plain)
    assert (tmp_path / "s.npz").read_bytes() == before


def assert_tables_agree(one, other):
    a, b = (list(csv.reader(io.StringIO(text))) for text in (one, other))
    assert a[0] == b[0] and len(a) == len(b) == 9
    np.testing.assert_allclose(np.array(a[1:], dtype=float), np.array(b[1:], dtype=float), rtol=1e-10)


def process(*argv, code=None):
    command = [sys.executable, *(["-c", code] if code else ["-m", "asympkit"]), *argv]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_program_itself():
    done = process("hermite", "tanh", "-n", "2", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["parity"] == "odd"
    done = process("solve", "one-step", "--student", "tahn", "--target", "sin", "--eta", "1", "--alpha0", "2",
                   "--alpha", "1", "--lam", "1")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "did you mean 'tanh'?" in done.stderr


@pytest.mark.parametrize(("argv", "heavy", "text"), [
    (["check", "--help"], {"sympy", "numba", "numpy", "scipy", "mpmath"}, "check THEORY --help lists the parameters"),
    (["check", "one-step", "--help"], {"numba", "scipy"}, "--noise-variance")])
def test_help_is_fast(argv, heavy, text):
    code = (f"import sys; from asympkit.cli import main; status = main({argv!r}); "
            f"heavy = {heavy!r} & set(sys.modules); sys.exit(f'loaded {{heavy}}' if heavy else status)")
    done = process(code=code)
    assert (done.returncode, done.stderr) == (0, "")
    assert text in done.stdout


@pytest.mark.parametrize(("theory", "own", "others"), [
    ("one-step", ("--eta", "--alpha0", "--student", "--d "), ("--phi", "--rows", "--gamma")),
    ("spiked-features", ("--r ", "--c ", "--gamma"), ("--eta", "--letters", "--psi")),
    ("nonlinear-spikes", ("--phi", "--degree", "--rows", "--n ", "--free-constant"), ("--alpha0", "--d ", "--gamma"))])
def test_help_lists_the_parameters_of_the_theory_and_no_others(capsys, theory, own, others):
    assert main(["check", theory, "--help"]) == 0
    text = capsys.readouterr().out
    assert all(o in text for o in own)
    assert not any(o in text for o in others)


def test_verdicts_are_coloured_on_a_terminal_unless_asked_not_to(monkeypatch):
    from asympkit.cli.output import colour_verdict

    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    assert colour_verdict("PASSED: all agree", True) == "PASSED: all agree"          # nobody watches
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert colour_verdict("PASSED: all agree", True) == "\x1b[1;32mPASSED\x1b[0m: all agree"
    assert colour_verdict("FAILED: a, b", False) == "\x1b[1;31mFAILED\x1b[0m: a, b"
    monkeypatch.setenv("NO_COLOR", "1")
    assert colour_verdict("FAILED: a, b", False) == "FAILED: a, b"


def test_activation(capsys):
    depth = ("--weight-variance", "1.2", "--bias-variance", "0.05")
    data = json.loads(run(capsys, "activation", "ReLU", *depth, "--json"))
    assert data["activation"] == "relu" and data["kinks"] == ["0"] and data["jumps"] == []
    assert data["gain_std"] == pytest.approx(1.7128585504496627) and data["gain_rms"] == pytest.approx(2**0.5)
    assert data["signals"]["q"] == pytest.approx(0.125) and data["signals"]["chi"] == pytest.approx(0.6)
    text = run(capsys, "activation", "sign", "--digits", "20")
    assert "gain std       1.0" in text and "the activation 'sign' jumps" in text


def test_tables_of_coefficients(capsys, tmp_path):
    known = ("hermite", "z**3/5 + 3*z/5", "-n", "1", "--certified", "--format")
    assert run(capsys, *known, "csv") == "k,c_k\n0,0\n1,6/5\n"
    assert run(capsys, *known, "markdown").splitlines()[1:] == ["| --- | --- |", "| 0 | 0 |", "| 1 | 6/5 |"]
    assert run(capsys, "hermite", "tanh", "-n", "1", "--certified", "--format", "latex").splitlines()[2:4] == [
        r"$0$ & $0$ \\", r"$1$ & $0.605705509602158825583540227555880439\pm3.2\cdot10^{-35}$ \\"]
    rows = run(capsys, "hermite", "hardswish", "-n", "3", "--exact", "--format", "csv").splitlines()
    assert rows[2] == "1,0.5,1/2" and rows[4] == "3,0,0"
    path = tmp_path / "table.tex"
    assert run(capsys, "hermite", "gelu", "-n", "0", "--exact", "--format", "latex", "--out", str(path)) == ""
    assert r"$0$ & $0.282094791773878$ & $\frac{1}{2 \sqrt{\pi}}$ \\" in path.read_text()


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


def test_derive_of_nonlinear_spikes(capsys):
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
