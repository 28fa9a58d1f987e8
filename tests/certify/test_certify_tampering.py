"""Proofs that were tampered with: they fail, or what they claim is true all the same."""

import dataclasses
import math

import numpy as np
import pytest
from helpers.tiers import slow_but

import asympkit as ak

flint = pytest.importorskip("flint", reason="python-flint is not installed")

from flint import arb  # noqa: E402

from asympkit.certify import entire as region  # noqa: E402
from asympkit.certify import inner, lattice, outer, run, taylor  # noqa: E402
from asympkit.certify.source import source  # noqa: E402

SPIKE = {"r": "1.5", "c": "1", "gamma": "0.5", "alpha": 3, "lam": "0.01"}
TAMPERED = [("tanh", "sin", SPIKE),
            ("erf(z/sqrt(2))", "relu", {"r": "-0.7", "c": "2", "gamma": "-0.8", "alpha": 1, "lam": "0.001"}),
            ("relu", "abs(z)", {"r": "1", "c": "1.5", "gamma": "0.3", "alpha": 2, "lam": "0.05"})]


def attempt(theory, parameters):
    try:
        return theory.certify(digits=12, **parameters)
    except ak.ProofError as error:
        assert str(error).startswith("certify: ")
        return None


def outside(coarse, fine):
    """Quantities whose ball does not meet the sharper one."""
    return [n for n in (*coarse.order_parameters, *coarse.observables) if not coarse[n].overlaps(fine[n])]


@pytest.fixture(scope="module")
def sharp():
    return [ak.SpikedFeatures(*row[:2]).certify(digits=40, **row[2]) for row in TAMPERED]


def longer_step(monkeypatch, factor):
    honest = outer.OuterSums._fix
    monkeypatch.setattr(outer.OuterSums, "_fix", lambda self, step: honest(self, step * factor))


def coarser_lattice(monkeypatch, factor):
    def planned(*arguments):
        found = lattice.plan(*arguments)
        found.step *= factor
        return found

    for module in (inner, taylor):
        monkeypatch.setattr(module, "plan", planned)


def shorter_window(monkeypatch, factor):
    def planned(*arguments):
        found = lattice.plan(*arguments)
        found.reach *= factor
        return found

    for module in (inner, taylor):
        monkeypatch.setattr(module, "plan", planned)


def looser_tolerance(monkeypatch, factor):
    def planned(known, members, *rest):
        return lattice.plan(known, {k: dataclasses.replace(m, tolerance=m.tolerance * factor)
                                    for k, m in members.items()}, *rest)

    for module in (inner, taylor):
        monkeypatch.setattr(module, "plan", planned)


def jagged_cells(monkeypatch, factor):
    rng = np.random.default_rng(1)

    class Jagged(region.RegionCells):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.heights = self.heights * rng.uniform(0.3, factor, len(self.heights))

    monkeypatch.setattr(region, "RegionCells", Jagged)


def moved_root(monkeypatch, factor):
    honest = run.polish
    monkeypatch.setattr(run, "polish", lambda *a: [x * (1 + (-1) ** k * arb(factor)) for k, x in enumerate(honest(*a))])


def few_terms(monkeypatch, factor):
    monkeypatch.setattr(region, "order_for", lambda x: factor)


@pytest.mark.parametrize("tamper, factor, refused", slow_but([
    (longer_step, 2, False), (longer_step, 16, True), (coarser_lattice, 1.5, False), (coarser_lattice, 8, False),
    (shorter_window, 0.8, False), (shorter_window, 0.3, False), (looser_tolerance, 1e6, False),
    (jagged_cells, 1.6, False), (moved_root, "1e-18", False), (moved_root, "1e-11", True), (few_terms, 6, False)],
    6, 10),
    ids=lambda v: getattr(v, "__name__", str(v)))
def test_a_tampered_proof_claims_nothing_false(tamper, factor, refused, sharp, monkeypatch):
    tamper(monkeypatch, factor)
    for (student, target, parameters), fine in zip(TAMPERED, sharp):
        coarse = attempt(ak.SpikedFeatures(student, target), parameters)
        assert coarse is None or not outside(coarse, fine)
        assert not (refused and coarse)


def test_a_plan_reports_the_error_of_the_step_that_is_taken():
    member = lattice.Member(1, (lambda s: 1.0,), np.ones(1), 1e-20)
    found = lattice.plan(source(ak.Activation("tanh")), {"f": member}, 1.0, 1.0)
    steps = [found.step * f for f in (0.7, 1.0, 1.5, 3.0)]
    errors = [found.errors(arb(h), arb(found.reach), arb(found.reach))["f"] for h in steps]
    assert errors == sorted(errors)
    assert errors[1] <= 1e-20 < errors[2] < errors[3]
    assert found.errors(arb(found.step), arb(found.reach), arb(1000))["f"] == math.inf
