"""What generated modules take is what the theory takes."""

import importlib.util
import inspect

import numpy as np
import pytest
from sympy import exp, symbols

import asympkit as ak


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


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
    made = module(theory.generate(tmp_path / "made.py"))
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
