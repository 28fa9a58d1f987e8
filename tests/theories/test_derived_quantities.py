"""Quantities that follow from the parameters: in sweeps, plots, derivatives and minima, by one rule."""

import warnings

import numpy as np
import pytest
from helpers.tiers import slow_but
from sympy import symbols

import asympkit as ak

AT = {"alpha": 2.0, "lam": 0.1}
H, M, K, Q = symbols("h m k q", real=True)


@pytest.fixture(scope="module")
def own():
    return ak.Theory(name="own", parameters={H: ("field", (-3, 3))}, unknowns=[M], free_energy=M**2 / 2 - K * M,
                     derived={K: H**2 - H, Q: K + 1}, observables={"square": M**2})


def test_a_step_in_a_sweep(tmp_path):
    t = ak.OneStep("tanh", "sin")
    grid = t.sweep(eta=[0.0, 0.5, 1.0], alpha0=[1.0, 2.0], alpha=[2.0, 3.0, 4.0], lam=0.1, beta=0.7)
    assert grid["gamma"].shape == (3, 2, 3)
    for i, eta in enumerate(grid["eta"]):
        for j, alpha0 in enumerate(grid["alpha0"]):
            for name, value in t.parameters_at(eta=eta, alpha0=alpha0, beta=0.7).items():
                assert np.all(grid[name][i, j] == value)
    part = grid.sel(eta=1.0, alpha=3.0)
    assert part["c"].shape == (2,) and "gamma" not in grid.names and "gamma" in grid.derived
    read = ak.Sweep.load(part.to_csv(tmp_path / "a.csv"))
    assert read["c"].tolist() == part["c"].tolist()


@pytest.mark.parametrize("options", slow_but([{}, {"bulk": "exact"}, {"loss": ak.Huber(1.0)}], 0, 1))
def test_a_step_of_any_kind(options):
    t = ak.OneStep("tanh", "sin", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, slope = t.sweep(eta=[0.5, 1.0], alpha0=1.0, **AT), t.sensitivity("c", "eta", eta=0.5, alpha0=1.0, **AT)
    assert found["c"].tolist() == [t.parameters_at(eta=e, alpha0=1.0)["c"] for e in (0.5, 1.0)]
    assert slope == pytest.approx(4 * (found["c"][0] - 1), rel=1e-12)           # c - 1 is quadratic in eta


def test_derivatives_and_minima(own):
    t = ak.OneStep("tanh", "sin")
    rates = t.sensitivity("gamma", ["alpha0", "lam"], eta=0.5, alpha0=2.0, **AT)
    by_difference = [t.parameters_at(eta=0.5, alpha0=a)["gamma"] for a in (2 - 1e-5, 2 + 1e-5)]
    assert rates["lam"] == 0.0 and rates["alpha0"] == pytest.approx(np.diff(by_difference)[0] / 2e-5, rel=1e-8)
    least = t.minimize("c", over="eta", bounds=(0.1, 2.0), alpha0=2.0, **AT)
    assert least.at_bound and least.value == t.parameters_at(eta=0.1, alpha0=2.0)["c"]
    assert t.minimize("c", over=["eta", "alpha0"], bounds=[(0.1, 2.0), (0.5, 3.0)], **AT).where == \
        pytest.approx({"eta": 0.1, "alpha0": 3.0})
    inside = own.minimize("k", over="h", bounds=(0, 2))
    assert inside.argmin == pytest.approx(0.5, abs=1e-9) and inside.value == pytest.approx(-0.25)
    assert own.sensitivity("q", "h", h=1.5) == 2.0 and own.sweep(h=[1.0, 2.0])["q"].tolist() == [1.0, 3.0]


def test_curves_of_a_step():
    pytest.importorskip("matplotlib").use("Agg")
    t = ak.OneStep("tanh", "sin")
    axes = t.plot("gamma", over="alpha0", alpha0=np.linspace(0.5, 3, 5), eta=0.5, **AT)
    drawn = axes.lines[0].get_ydata()
    assert drawn == pytest.approx([t.parameters_at(eta=0.5, alpha0=a)["gamma"] for a in np.linspace(0.5, 3, 5)])


def test_unknown_names_are_refused(own):
    with pytest.raises(ak.UnknownNameError, match="gama.*did you mean 'gamma'"):
        ak.OneStep("tanh", "sin").minimize("gama", over="eta", bounds=(0, 1), alpha0=1, **AT)
    with pytest.raises(ak.UnknownNameError, match="no parameter 'x'"):
        own.sensitivity("q", "x", h=1.5)
