"""``asympkit hermite``, ``derive``, ``sweep``, ``generate``, and the program itself."""

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

    theories = ["one-step", "gradient-steps", "spiked-features", "nonlinear-spikes", "deep-features"]
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
    path = tmp_path / "table.tex"
    assert run(capsys, "hermite", "gelu", "-n", "0", "--exact", "--format", "latex", "--out", str(path)) == ""
    assert r"$0$ & $0.282094791773878$ & $\frac{1}{2 \sqrt{\pi}}$ \\" in path.read_text()
