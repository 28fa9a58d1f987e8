"""What generated modules take is what the theory takes."""

import importlib.util

import pytest
from sympy import exp, symbols

import asympkit as ak


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_spiked_features_write_a_module_of_their_own(tmp_path):
    theory = ak.SpikedFeatures("tanh", "sin")
    at = {"letters": [(1, 1.2, 1)], "gamma": 0.5, "alpha": 1, "lam": 0.1}
    made = module(theory.generate(tmp_path / "spiked.py"))
    found = made.solve(**at)
    for name, value in theory.solve(**at).observables.items():
        assert found[name] == pytest.approx(value, rel=1e-12)
    with pytest.raises(ValueError, match=r"gamma: got 1\.5; expected a number in \[-1, 1\]"):
        made.solve(**{**at, "gamma": 1.5})


def test_a_finite_step_writes_none(tmp_path):
    with pytest.raises(ak.NotAvailableError, match="the theory at a finite step size writes no standalone module"):
        ak.NonlinearSpikes("tanh", "sin").finite.generate(tmp_path / "finite.py")


def test_a_theory_without_observables_is_checked_by_its_unknowns():
    m, g = symbols("m g", real=True)
    theory = ak.Theory(name="bare", unknowns=[m], parameters={g: ("field", "real")}, equations=[m - exp(-m) - g])
    report = theory.check(g=0.5)
    (row,) = report.rows
    assert row.name == "m" and row.compiled == pytest.approx(float(row.precise), rel=1e-13)
    assert "compiled and 40-digit" in str(report) or "certified" in str(report)
