"""Old names work until version 0.3.0, with a DeprecationWarning that says the new one."""

import numpy as np
import pytest
from helpers.tiers import slow_but
from sympy import symbols

import asympkit as ak

AT = {"gamma": 0.9, "alpha": 2, "lam": 0.1}


@pytest.mark.parametrize("options", slow_but([{}, {"loss": "square", "labels": "sign"}, {"bias": 0.3}], 0))
def test_letters_are_r_and_c(options):
    theory = ak.SpikedFeatures("tanh", "z", **options)
    new = theory.solve(r=1.2, c=1.1, **AT)
    with pytest.warns(DeprecationWarning, match=r"letters=\[\(r, c, 1\)\] is .* 0\.3\.0; use r=, c=") as found:
        old = theory.solve(letters=[(1.2, 1.1, 1)], **AT)
    assert (old.test_error, old.parameters) == (new.test_error, new.parameters) and found[0].filename == __file__
    with pytest.warns(DeprecationWarning):
        old = theory.precise(digits=20, parameters={"letters": [("1.2", "1.1", 1)]}, gamma="0.9", alpha=2, lam="0.1")
    assert float(old.test_error) == pytest.approx(new.test_error, rel=1e-11)


def test_letters_of_a_sweep():
    theory = ak.SpikedFeatures("tanh", "sin")
    with pytest.warns(DeprecationWarning):
        old = theory.sweep(letters=[(1.2, 1.1, 1)], gamma=0.9, alpha=2, lam=[0.1, 0.2])
    new = theory.sweep(r=[1.2, 2.0], c=1.1, gamma=0.9, alpha=2, lam=[0.1, 0.2])
    np.testing.assert_allclose(new["test_error"][0], old["test_error"], rtol=1e-12)
    assert new["test_error"][1, 1] == pytest.approx(theory.solve(r=2, c=1.1, gamma=0.9, alpha=2, lam=0.2).test_error)


@pytest.mark.parametrize("letters", [3, [(1, 1)], [(1, 1, 1), (1,)], [(1, 1, 0.5), (2, 1, 0.5)], [(1, 1, 2)]])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_letters_that_are_none(letters):
    with pytest.raises(ak.DomainError, match=r"letters: got .*; expected \[\(r, c, 1\)\], or rather r= and c="):
        ak.SpikedFeatures("tanh", "sin").solve(letters=letters, **AT)


def test_a_step_never_had_letters():
    with pytest.raises(ak.UnknownNameError, match="unknown parameter 'letters'"):
        ak.OneStep("tanh", "sin").solve(eta=1, alpha0=1, letters=[(1, 1, 1)], alpha=2, lam=0.1)


def test_grants_are_tolerances():
    m, h = symbols("m h", real=True)
    given = {"name": "shift", "parameters": {h: ("field", "real")}, "unknowns": [m], "equations": [m - h]}
    allowed = [ak.Tolerance("m", 0.02, "finite size")]
    with pytest.warns(DeprecationWarning, match="ak.Grant is deprecated and goes in version 0.3.0; use ak.Tolerance"):
        assert ak.Grant is ak.Tolerance
    with pytest.warns(DeprecationWarning, match="grants= is deprecated .* use tolerances=") as found:
        theory = ak.Theory(**given, grants=allowed)
    assert theory.tolerances == tuple(allowed) and found[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="use tolerances"):
        assert theory.grants == theory.tolerances
    report = theory.check(h=1.0)
    with pytest.warns(DeprecationWarning, match="use Report.tolerances"):
        assert report.grants == report.tolerances == theory.tolerances
    assert "Grant" not in dir(ak) and "grants" not in dir(theory)
