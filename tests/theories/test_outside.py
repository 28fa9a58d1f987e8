"""Theories outside the package: one file registered by an entry point, and generated modules."""

import inspect
import json
import shutil
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest
from helpers.commands import command
from helpers.modules import loaded, run_alone
from sympy import exp, symbols

import asympkit as ak
from asympkit.theories.registry import GROUP, find, known_names

HERE = Path(__file__).parent / "outside"
AT, TEXT = {"J": 1.5, "h": 0.2}, {"J": "3/2", "h": "1/5"}
OPTIONS = ["--J", "1.5", "--h", "0.2"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder on the path with the module and the metadata that an installation leaves."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(HERE / "outside_magnet.py", folder)
    record = folder / "outside_magnet-1.0.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: outside-magnet\nVersion: 1.0\n")
    (record / "entry_points.txt").write_text(f"[{GROUP}]\nneurons = outside_magnet:magnet\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield folder
    sys.modules.pop("outside_magnet", None)


@pytest.fixture(scope="module")
def magnet(installed):
    return find("neurons")[1]


@pytest.fixture(scope="module")
def exact():
    """Its solution and derivative without the package."""
    with mpmath.workdps(40):
        mean = mpmath.quad(lambda s: s * mpmath.tanh(s) * mpmath.npdf(s), [-15, -2, 0, 2, 15])
        coupling = mpmath.mpf(3) / 2 * mean
        m = mpmath.findroot(lambda x: x - mpmath.tanh(coupling * x + mpmath.mpf(1) / 5), 0.6)
        slope = (1 - m**2) * mean * m / (1 - coupling * (1 - m**2))
        return m, slope, coupling


def test_it_is_known(installed):
    assert "neurons" in known_names()


def test_numbers(magnet, exact):
    m, slope, coupling = exact
    s = magnet.solve(**AT)
    assert s["m"] == pytest.approx(float(m), rel=1e-13)
    assert s.parameters["K"] == pytest.approx(float(coupling), rel=1e-13)
    assert abs(magnet.precise(digits=25, **TEXT)["m"] - m) < 1e-25
    for over, value in {"J": 1.5, "h": 0.2, "gain": 1.0}.items():
        sweep = magnet.sweep(**{**AT, over: value * np.array([0.9, 1.0, 1.1])})
        assert sweep.converged.all() and sweep["m"][1] == pytest.approx(float(m), rel=1e-12)
    assert magnet.sensitivity("m", "J", **AT) == pytest.approx(float(slope), rel=1e-12)
    assert magnet.sensitivity("m", "gain", **AT) == pytest.approx(1.5 * float(slope), rel=1e-12)
    found = magnet.minimize("energy", over="J", bounds=(1.0, 2.0), h=0.2)
    assert found.at_bound and found.value == pytest.approx(magnet.solve(J=2.0, h=0.2).energy, rel=1e-12)
    path = magnet.continuation(over="h", start=0.2, stop=0.5, J=1.5)
    assert path.branches[0]["m"][-1] == pytest.approx(magnet.solve(J=1.5, h=0.5)["m"], rel=1e-9)


def test_the_proof(magnet, exact):
    pytest.importorskip("flint", reason="python-flint is not installed")
    proved = magnet.certify(digits=20, **TEXT)
    assert proved["m"].contains(exact[0]) and "K" in str(proved.certificate)


def test_simulation_and_check(magnet, exact, tmp_path):
    drawn = magnet.simulate(spins=2000, repeats=20, seed=1, file=tmp_path / "draws.npz", **AT)
    assert drawn.sizes == {"spins": 2000} and drawn.repeats == 20
    assert abs(drawn["m"].mean - float(exact[0])) < 4 * drawn["m"].stderr
    again = magnet.simulate(spins=2000, repeats=20, seed=1, file=tmp_path / "draws.npz", **AT)
    np.testing.assert_array_equal(again["m"].values, drawn["m"].values)
    report = magnet.check(spins=2000, repeats=20, seed=1, digits=20, **AT)
    assert (report.outcome, report.rows[1].granted) == ("agree", 0.02)
    wrong = magnet.check(spins=2000, repeats=20, seed=1, digits=20, J=1.5, h=0.2, gain=1.0)
    assert wrong.outcome == "agree"


def test_assumptions_warn(magnet):
    with pytest.warns(ak.AssumptionWarning, match="J is not below 3"):
        assert magnet.solve(J=4.0, h=0.2).assumptions == ("J is not below 3: neurons saturate",)


def test_equations_and_signature(magnet):
    text = magnet.derive()
    assert "0 = m - tanh(K*m + h)" in text and "K: J*gain*E_" in text
    assert magnet.derive("latex").startswith("\\[ 0 = ") and "<math" in magnet.derive("mathml")
    arguments = inspect.signature(magnet.solve).parameters
    assert list(arguments)[:3] == ["J", "h", "gain"] and arguments["gain"].default == 1.0
    assert "gain : a positive finite number (1)" in magnet.solve.__doc__
    assert "spins" in inspect.signature(magnet.check).parameters
    with pytest.raises(ak.UnknownNameError, match="unknown parameter 'gian'; did you mean 'gain'"):
        magnet.solve(gian=1, **AT)
    with pytest.raises(ak.UnknownNameError, match="unknown parameter 'd'; .*, and spins, the size of the finite model"):
        magnet.simulate(d=10, **AT)


def test_a_module_of_its_own(magnet, exact, tmp_path):
    file = magnet.generate(tmp_path / "alone.py")
    code = f"import {file.stem} as g\nprint(repr(g.solve(J=1.5, h=0.2)['m']))"
    assert float(run_alone(code, tmp_path)) == pytest.approx(float(exact[0]), rel=1e-12)


@pytest.mark.parametrize("name", ["neurons", "file"])
def test_the_command_line(installed, exact, name, capsys, tmp_path):
    m, slope, _ = exact
    theory = name if name == "neurons" else f"{installed / 'outside_magnet.py'}:magnet"
    data = json.loads(command(capsys, "solve", theory, *OPTIONS, "--json")[1])
    assert data["order_parameters"]["m"] == pytest.approx(float(m), rel=1e-13)
    assert mpmath.nstr(m, 18) in command(capsys, "solve", theory, *OPTIONS, "--digits", "18")[1]
    assert command(capsys, "sweep", theory, "--J", "1:2:3", "--h", "0.2")[1].startswith("J,energy,converged")
    by = json.loads(command(capsys, "sensitivity", theory, *OPTIONS, "--quantity", "m", "--by", "J", "--json")[1])
    assert by["derivative"] == pytest.approx(float(slope), rel=1e-12)
    least = command(capsys, "minimize", theory, "--h", "0.2", "--quantity", "energy", "--over", "J", "--bounds", "1,2")
    assert (least[0], "at J = 2" in least[1]) == (0, True)
    path = command(capsys, "continuation", theory, "--J", "1.5", "--over", "h", "--start", ".2", "--stop", ".5")
    assert (path[0], path[1].splitlines()[-1]) == (0, "end: stop was reached")
    small = ["--spins", "500", "--repeats", "4"]
    assert json.loads(command(capsys, "simulate", theory, *OPTIONS, *small, "--json")[1])["spins"] == 500
    status, out, _ = command(capsys, "check", theory, *OPTIONS, *small)
    assert (status, "PASSED" in out) == (0, True)
    assert command(capsys, "generate", theory, str(tmp_path / "made.py"))[0] == 0
    assert "0 = m - tanh(K*m + h)" in command(capsys, "derive", theory)[1]
    text = command(capsys, "solve", theory, "--help")[1]
    assert "gain of a neuron (1)" in " ".join(text.split()) and "--alpha" not in text


@pytest.mark.slow
def test_other_processes_draw_too(installed, capsys, monkeypatch):
    monkeypatch.chdir(installed)
    argv = ["simulate", "outside_magnet.py:magnet", *OPTIONS, "--spins", "200", "--repeats", "4"]
    one = command(capsys, *argv)
    two = subprocess.run([sys.executable, "-m", "asympkit", *argv, "--jobs", "2"], capture_output=True, text=True)
    assert one[::2] == (0, "")
    assert (two.returncode, two.stdout) == (0, one[1])


@pytest.mark.parametrize(("theory", "at"), [
    (lambda: ak.DeepFeatures("1.5:tanh,1:erf", "1:sign"), {"alpha": 2, "lam": 0.1}),
    (lambda: ak.DeepFeatures("1.5:cos", "1:sign"), {"alpha": 2, "lam": 0.1}),
    (lambda: ak.Ridge(np.diag([3, 2, 1, 0.5]), [1, 0.5, 0.5, 0.2], 2), {"n": 3, "lam": 0.1}),
    (lambda: ak.Ridge(([3, 2, "1/3"], [1, 40, 500]), ["1/3", 0.5, 0], 2), {"n": 30, "lam": 0.1}),
    (lambda: ak.SpikedFeatures("tanh", "sin"), {"r": 1, "c": 1.2, "gamma": 0.5, "alpha": 1, "lam": 0.1}),
])
def test_a_module_requires_what_solve_does(theory, at, tmp_path):
    """Modules of networks and of covariances asked for numbers that follow from what the theory was given."""
    theory = theory()
    made = loaded(theory.generate(tmp_path / "made.py"))
    required = [[n for n, p in inspect.signature(f).parameters.items() if p.default is p.empty]
                for f in (theory.solve, made.solve, made.solve_rows)]
    required[0].remove("parameters")
    assert required[0] == required[1] == required[2] == list(at)
    found, expected = made.solve(**at), theory.solve(**at)
    for name, value in expected.observables.items():
        assert found[name] == pytest.approx(value, rel=1e-11, abs=1e-14)
    if "input_spectrum" in inspect.signature(made.solve).parameters:
        other = theory.solve(**at, input_spectrum=[1, 3])
        assert made.solve(**at, input_spectrum=[1, 3])["test_error"] == pytest.approx(other.test_error, rel=1e-12)


def test_a_finite_step_writes_none(tmp_path):
    with pytest.raises(ak.NotAvailableError, match="the theory at a finite step size cannot be exported as a module"):
        ak.NonlinearSpikes("tanh", "sin").finite.generate(tmp_path / "finite.py")


def test_a_theory_without_observables_is_checked_by_its_unknowns():
    m, g = symbols("m g", real=True)
    theory = ak.Theory(name="bare", unknowns=[m], parameters={g: ("field", "real")}, equations=[m - exp(-m) - g])
    report = theory.check(g=0.5)
    (row,) = report.rows
    assert row.name == "m" and row.compiled == pytest.approx(float(row.precise), rel=1e-13)
    assert "compiled and 40-digit" in str(report) or "certified" in str(report)
