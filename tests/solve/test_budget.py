"""A point that has no solution is refused within a budget, counted in evaluations and sizes of expressions."""

from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import asympkit as ak
from asympkit.runtime.rules import Everywhere, Placed, nodes_inside, panel_rows
from asympkit.solve.batch import Batches
from asympkit.solve.ladder import ChargedTable, SpentBudgetError
from asympkit.solve.solution import Status

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")

STEP = {"eta": 1.0, "alpha0": 5.0, "alpha": 1.5, "lam": 0.1, "noise_variance": 0.1}
SPIKE = {"r": 1.5, "c": 1.0, "gamma": 0.8, "alpha": 1.5, "lam": 0.1, "noise_variance": 0.1}
SIGNS = {**SPIKE, "flip": 0.1, "width": 80.0}
#: theories whose refusals took a minute, and points at which they did
HARD = {
    "absolute": (lambda: ak.OneStep("softplus", "z**3", loss="absolute"), STEP,
                 {"alpha0": 1e-8, "noise_variance": 1e-5}),
    "huber": (lambda: ak.SpikedFeatures("hardtanh", "z**2-1", loss="huber(1)"), SPIKE,
              {"r": 1e-4, "c": 1e6, "noise_variance": 1e5, "beta": 1e8}),
    "hinge": (lambda: ak.SpikedFeatures("tanh", "z", loss="hinge", labels="sign"), SIGNS, {"beta": 1e-8}),
}
#: what a refusal may cost in units of the budget: passes may spend half as much beyond, the looks at features too (2.22
#: at the most seen)
MOST = 2.5


def placed(table, steepness):
    """Return nodes of a sum whose integrand switches at 0.3, placed or not."""
    z = np.linspace(-1.0, 1.0, 5)
    return nodes_inside(table, np.ones(10), (z,), (np.array([0.3]),), lambda x, z, at: ((x - at) * 1e4,),
                        lambda z, at: (), np.full(5, 0.2), np.array([steepness]))


def test_placed_nodes_are_charged_to_the_budget():
    left = [1e9]
    plain = panel_rows(0, 40, ())
    table = ChargedTable.of(plain, left, 0.0, 2.0)
    found, same = placed(table, 1.0), placed(plain, 1.0)
    assert isinstance(found, Placed) and np.array_equal(found.nodes, same.nodes)
    assert 2 * found.nodes.size <= 1e9 - left[0] <= 8 * found.nodes.size     # switches are looked for at more places
    assert isinstance(placed(table, -1.0), Everywhere)
    with pytest.raises(SpentBudgetError):
        placed(ChargedTable.of(plain, [10.0], 0.0, 1.0), 1.0)


def test_an_evaluation_of_a_long_integrand_costs_more():
    def batches(size, inner):
        module = SimpleNamespace(INNER=inner)
        return type("Sized", (Batches,), {"_code_size": size})(), module

    for size, inner, price in ((5_000, ("x",), 1.0), (60_000, ("x",), 6.0), (60_000, (), 1.0)):
        kernel, kernel.module = batches(size, inner)
        assert kernel._price == price


def counted(kernel, monkeypatch):
    """Count what is charged to budgets from here on."""
    spent, charge, cost = [0.0], ChargedTable.charge, Batches._cost

    def count(self, evaluations):
        spent[0] += evaluations * self.price
        charge(self, evaluations)

    def count_steps(self, out, nodes):
        found = cost(self, out, nodes)
        spent[0] += found
        return found

    monkeypatch.setattr(ChargedTable, "charge", count)
    monkeypatch.setattr(Batches, "_cost", count_steps)
    return spent


@pytest.mark.slow
@pytest.mark.parametrize("name", HARD)
def test_a_refusal_says_what_was_tried(name, monkeypatch):
    make, usual, extreme = HARD[name]
    theory = make()
    kernel = theory.solver.kernel if hasattr(theory, "solver") else theory.kernel
    spent = counted(kernel, monkeypatch)
    with pytest.raises(ak.ConvergenceError) as caught:
        theory.solve(**usual | extreme)
    status = caught.value.solution.status
    assert status in (Status.SPENT, Status.ILL_CONDITIONED, Status.RESIDUAL)
    assert (status is Status.SPENT) == ("evaluations on quadrature" in str(caught.value))
    assert spent[0] <= MOST * kernel.options.budget


@pytest.mark.slow
@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("seed", range(4))
def test_extreme_points_end_within_the_budget(name, seed, monkeypatch):
    make, usual, _ = HARD[name]
    theory, random = make(), np.random.default_rng(seed)
    kernel = theory.solver.kernel if hasattr(theory, "solver") else theory.kernel
    spent = counted(kernel, monkeypatch)
    for _ in range(4):
        at = {n: float(10.0 ** random.integers(-8, 9)) if random.random() < 0.5 and n not in ("gamma", "flip") else v
              for n, v in {**usual, "beta": 1.0}.items()}
        at |= {"width": max(at["width"], 1.0)} if "width" in at else {}
        before = spent[0]
        with suppress(ak.AsympkitError):
            assert theory.solve(**at).converged
        assert spent[0] - before <= MOST * kernel.options.budget, at


@pytest.mark.slow
def test_a_small_budget_refuses_and_a_large_one_does_not():
    theory = ak.OneStep("softplus", "z**3", loss="absolute")
    true = theory.solve(**STEP, beta=1.0).test_error
    kernel = theory.kernel
    options = kernel.options
    kernel.options = replace(options, budget=10.0)
    with pytest.raises(ak.ConvergenceError, match="evaluations on quadrature of") as caught:
        theory.solve(**STEP | {"noise_variance": 1e-4}, beta=1.0)
    assert caught.value.solution.status is Status.SPENT
    kernel.options = options
    assert theory.solve(**STEP, beta=1.0).test_error == true
