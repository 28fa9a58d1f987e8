"""All solutions at a point: those of magnets and polynomials are known, and free energies mean something."""

import numpy as np
import pytest
from sympy import cosh, log, symbols, tanh

import asympkit as ak

beta, h, m, x, y = symbols("beta h m x y", real=True)


@pytest.fixture(scope="module")
def magnet():
    return ak.Theory(name="curie-weiss", parameters={beta: ("inverse temperature", "positive"), h: ("field", "real")},
                     unknowns=[m], free_energy=m**2 / 2 - log(2 * cosh(beta * (m + h))) / beta,
                     observables={"square": m**2})


def test_states_of_a_magnet(magnet):
    found = magnet.solutions(beta=2.0, h=0.05)
    states = [s["m"] for s in found]
    assert len(found) == 3 and states[0] > 0.9 and -0.2 < states[2] < 0.0 and states[1] < -0.9
    for value, energy in zip(states, found.free_energies):
        assert value == pytest.approx(np.tanh(2.0 * (value + 0.05)), rel=1e-12)
        assert energy == pytest.approx(value**2 / 2 - np.log(2 * np.cosh(2.0 * (value + 0.05))) / 2.0, rel=1e-12)
    assert list(found.free_energies) == sorted(found.free_energies)
    found = magnet.solutions(beta=2.0, h=0.0)
    assert sorted(round(s["m"], 12) for s in found) == [-0.957504024077, 0.0, 0.957504024077]
    assert found[2]["m"] == 0.0 and found.free_energies[2] == pytest.approx(-np.log(2.0) / 2.0, rel=1e-13)
    found = magnet.solutions(beta=2.0, h=0.05)
    assert list(found)[0] is found[0] and len(found[1:]) == 2
    assert str(found).splitlines()[0] == f"3 solutions from {found.starts} starts"
    assert str(found).splitlines()[1].startswith("0: free energy -0.557939153255, m = 0.966253709393")


def test_theories_without_states():
    theory = ak.Theory(name="cross", parameters={h: ("field", "real")}, unknowns=[x, y],
                       equations=[x**2 + y**2 - 5 - h, x * y - 2], observables={"sum": x + y})
    found = theory.solutions(h=0.0)
    assert found.free_energies is None
    assert [(round(s["x"], 10), round(s["y"], 10)) for s in found] == [(-2, -1), (-1, -2), (1, 2), (2, 1)]
    theory = ak.Theory(name="shift", parameters={h: ("field", "real")}, unknowns=[x], free_energy=x**2 / 2 - h * x)
    found = theory.solutions(h=2.0)
    assert len(found) == 1 and found[0]["x"] == 2.0 and found.free_energies == (-2.0,)


def test_theories_without_parameters():
    z = symbols("z", real=True)
    own = ak.Theory(name="fixed", parameters={}, unknowns=[m], equations=[m - ak.E(tanh(2 * m + z / 2), z)])
    found = sorted(s["m"] for s in own.solutions())
    assert found == pytest.approx([-own.solve()["m"], 0, own.solve()["m"]], abs=1e-14)
    assert float(own.precise(digits=20)["m"]) == pytest.approx(found[2], rel=1e-14)


def test_the_free_energy_of_ridge_regression_is_its_objective():
    """Per hidden unit it is half the training objective per sample times alpha/beta, which nothing here was told."""
    point = {"eta": 1.0, "alpha0": 2.0, "alpha": 1.5, "lam": 0.1, "beta": 0.7, "noise_variance": 0.2}
    found = ak.OneStep("tanh", "sin").solutions(starts=8, **point)
    assert len(found) == 1
    assert found.free_energies[0] == pytest.approx(found[0].objective * 1.5 / (2 * 0.7), rel=1e-12)


@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-7])
def test_nearly_double_roots(gap):
    """Of two roots 1e-3 or 1e-5 apart one was found, of those 1e-7 apart none, without a word."""
    theory = ak.Theory(name="double", parameters={h: ("gap", "real")}, unknowns=[x, y],
                       equations=[(x - y) * (x - 1 - h) * (x - 2), y - 1])
    found = theory.solutions(h=gap)
    assert [s["x"] for s in found] == pytest.approx([1.0, 1.0 + gap, 2.0], rel=1e-9) and not found.unresolved
    assert found[1]["x"] - found[0]["x"] == pytest.approx(gap, rel=1e-6)


def test_roots_that_rounding_blurs():
    theory = ak.Theory(name="double", parameters={h: ("gap", "real")}, unknowns=[x],
                       equations=[((x**2 - (2 + h) * x) + 1 + h) * (x - 2)])
    found = theory.solutions(h=1e-7)
    assert [s["x"] for s in found] == [2.0] and found.unresolved[0]["x"] == pytest.approx(1.0, abs=1e-6)
    assert "rounding blurs a root, or several that are nearly equal, near x = 1" in str(found)
    roots = [theory.precise(h="1e-7", digits=15, start={"x": at})["x"] for at in (0.9, 1.1)]
    assert float(roots[1] - roots[0]) == pytest.approx(1e-7, rel=1e-6)
    alone = ak.Theory(name="alone", parameters={h: ("gap", "real")}, unknowns=[x], equations=[x**2 - (2 + h)*x + 1 + h])
    with pytest.raises(ak.ConvergenceError, match="solutions: none was found .* rounding blurs a root"):
        alone.solutions(h=1e-7)


def test_no_root_and_too_many():
    theory = ak.Theory(name="none", parameters={h: ("field", "real")}, unknowns=[x], equations=[x**2 + 1 + h**2])
    with pytest.raises(ak.ConvergenceError, match=r"none was found from \d+ starts; solve\(\) reports more there"):
        theory.solutions(h=0.0)
    theory = ak.Theory(name="circle", parameters={h: ("field", "real")}, unknowns=[x, y],
                       equations=[x**2 + y**2 - 1 - h, (x**2 + y**2 - 1 - h) * (2 + x)])
    with pytest.raises(ak.ConvergenceError, match="solutions: "):
        theory.solutions(h=0.0)


@pytest.mark.parametrize("given, text", [
    ({"starts": 0}, "starts: got 0; expected an integer >= 1"),
    ({"seed": -1}, "seed: got -1; expected an integer >= 0"),
    ({"beta": [1.0, 2.0]}, r"beta: got \[1.0, 2.0\]; expected a positive finite number"),
])
def test_wrong_calls(magnet, given, text):
    with pytest.raises(ak.DomainError, match=text):
        magnet.solutions(**{"beta": 2.0, "h": 0.1, **given})
