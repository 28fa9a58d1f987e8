"""Many digits of theories with averages inside averages, and checks of them."""

import pytest
from mpmath import mp, mpf
from sympy import exp, log, symbols

import asympkit as ak

AT = {"r": "1.2", "c": "1.1", "gamma": "0.9", "alpha": 2, "lam": "0.1"}
#: of logistic regression there, to the change between two rules of 60 working digits
CLEAN, OBJECTIVE = ("0.1253719152930665912103804275139013050094", "0.2092229967359974984639400011488941649257")
y, z = symbols("y z", real=True)


@pytest.fixture(scope="module")
def logistic():
    return ak.SpikedFeatures("tanh", "z", loss="logistic", labels="sign")


def _close(found, wanted, digits):
    with mp.workdps(60):
        return abs(mpf(found) - mpf(wanted)) < mpf(10) ** -digits


def test_logistic_digits(logistic):
    s = logistic.precise(digits=15, **AT)
    assert _close(s.clean_error, CLEAN, 15)
    assert _close(s.objective, OBJECTIVE, 15)
    assert s.error_estimate < 1e-15


@pytest.mark.slow
def test_forty_digits_of_logistic_regression(logistic):
    s = logistic.precise(digits=40, **AT)
    assert _close(s.clean_error, CLEAN, 39)
    assert _close(s.objective, OBJECTIVE, 39)


@pytest.mark.slow
def test_own_smooth_loss_has_the_digits_of_the_logistic_one():
    own = ak.SpikedFeatures("tanh", "z", loss=ak.Loss(log(1 + exp(-y * z)), y, z), labels="sign")
    assert _close(own.precise(digits=25, **AT).clean_error, CLEAN, 25)


def test_check_says_which_digits_are_not_there(monkeypatch):
    theory, at = ak.SpikedFeatures("tanh", "sin"), {"r": 1.2, "c": 1.1, "gamma": 0.9, "alpha": 2, "lam": 0.1}

    def refused(*_, **__):
        raise ak.NotAvailableError("precise: the loss has none")

    monkeypatch.setattr(type(theory), "precise", refused)
    report = theory.check(d=60, repeats=2, **at)
    assert "multiprecision: not available: the loss has none" in report.notes
    assert report.passed
    assert "compiled and certified values agree" in report.verdict
    assert "not available" in str(report)
    assert report.to_dict()["rows"][0]["mpmath"] is None

    def unproved(*_, **__):
        raise ak.ProofError("certify: the loss has no proof")

    monkeypatch.setattr(type(theory), "certify", unproved)
    report = theory.check(d=60, repeats=2, **at)
    assert report.passed and "compiled values alone" in report.verdict
