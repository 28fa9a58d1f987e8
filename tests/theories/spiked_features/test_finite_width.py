"""Spiked features at a finite width: published numbers, limits, every route."""

import warnings

import pytest
from helpers.tiers import slow_but

import asympkit as ak

ZEXP, CRELU, QUAD = "z*exp(-z**2/2)", "max(z,0)-1/sqrt(2*pi)", "z+(z**2-1)/2"
#: student, target, (r, gamma, c), alpha, beta, lam, noise variance, d, test error of the limit and at the width beta*d
ROWS = [
    ("tanh", "sin", (0.0, 0.9, 1.0), 3, 1, 0.01, 0, 300, None, 0.22061),
    ("tanh", "sin", (0.02, 0.9, 1.0), 3, 1, 0.01, 0, 300, 0.11738, 0.21193),
    ("tanh", "sin", (0.05, 0.9, 1.0), 3, 1, 0.01, 0, 300, 0.11719, 0.18284),
    ("tanh", "sin", (0.1, 0.9, 1.0), 3, 1, 0.01, 0, 300, 0.11649, 0.14778),
    ("tanh", "sin", (0.3, 0.9, 1.0), 3, 1, 0.01, 0, 300, 0.10930, 0.11398),
    ("tanh", "sin", (1.0, 0.9, 1.0), 3, 1, 0.01, 0, 300, 0.07015, 0.07093),
    (ZEXP, "sin", (0.1, 0.95, 1.0), 3, 0.5, 1e-4, 0.1, 400, 0.22616, 0.36128),
    ("tanh", "sin", (0.1, 0.9, 1.05), 0.7, 1.5, 0.01, 0.1, 200, 0.42443, 0.49175),
    (CRELU, "sin", (0.05, 0.9, 1.0), 3, 2, 0.1, 0, 200, 0.11537, 0.20564),
    (CRELU, "sin", (0.05, 0.9, 1.0), 3, 0.5, 0.001, 0, 300, 0.13443, 0.33342),
    (CRELU, "relu", (0.1, 0.8, 1.2), 3, 1, 0.01, 0.1, 300, 0.32764, 0.42168),
    (QUAD, "sin", (0.05, 0.9, 1.0), 3, 1, 0.01, 0, 300, 0.14941, 0.32767),
    ("relu", "sin", (0.05, 0.9, 1.0), 3, 1, 0.01, 0, 200, 0.33676, 0.33676),
]


def at(row):
    student, target, (r, gamma, c), alpha, beta, lam, noise, d, *_ = row
    point = {"r": r, "c": c, "gamma": gamma, "alpha": alpha, "lam": lam, "beta": beta, "noise_variance": noise}
    return ak.SpikedFeatures(student, target), point, beta * d


@pytest.mark.parametrize("row", slow_but(ROWS, 0, 3, 7, 11, single=True))
def test_digits_that_were_compared_with_simulations(row):
    theory, point, width = at(row)
    limit, whole = row[-2:]
    if limit:
        assert round(theory.solve(**point).test_error, 5) == limit
    assert round(theory.solve(width=width, **point).test_error, 5) == whole


def test_the_limit_is_that_of_many_units():
    theory, point, _ = at(ROWS[5])
    limit = theory.solve(**point)
    near, far = (theory.solve(width=p, **point) for p in (1e6, 1e8))
    for name in limit.observables:
        assert near[name] - limit[name] == pytest.approx(100 * (far[name] - limit[name]), rel=1e-2)
        assert far[name] == pytest.approx(limit[name], rel=1e-7)


def test_a_weak_spike_joins_none():
    """At a finite width no spike and a weak one are one limit; without a width they are two."""
    theory, point, width = at(ROWS[0])
    none, weak = (theory.solve(**{**point, "r": r, "c": 1.0}, width=width) for r in (0.0, 1e-9))
    assert weak.test_error == pytest.approx(none.test_error, rel=1e-12)
    assert theory.solve(**{**point, "r": 1e-9, "c": 1.0}).test_error < 0.6 * none.test_error


def test_what_is_refused():
    theory, point, width = at(ROWS[3])
    with pytest.raises(ak.DomainError, match=r"^width: a simulation has its own, beta\*d units; give d, and no width$"):
        theory.check(**point, d=100, width=width)
    with pytest.raises(ak.DomainError, match="^width: got -3"):
        theory.solve(**point, width=-3)
    with pytest.raises(ak.DomainError, match="^width: got 0"):
        theory.solve(**point, width=0)


def test_check_compares_with_the_width():
    theory, point, _ = at(ROWS[3])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = theory.check(**point, d=60, repeats=4, digits=15)
    row = next(r for r in report.rows if r.name == "test_error")
    assert row.expected == pytest.approx(theory.solve(**point, width=60).test_error, rel=1e-10)
    assert row.granted == pytest.approx(3 / 60)
