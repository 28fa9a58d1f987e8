"""Magnets of the literature, written as their papers do, beside programs that know nothing of the package.

What limits the agreement is named where it is not rounding.  ``test_literature_branches.py`` and
``test_literature_inference.py`` hold the others.
"""

import functools
import time

import numpy as np
import pytest
from sympy import cosh, log, sqrt, symbols, tanh

import asympkit as ak
from tests.helpers import literature
from tests.helpers.literature_agreement import (
    assert_agrees,
    assert_agrees_along,
    assert_agrees_on_path,
    assert_edge_is_named,
)
from tests.helpers.tiers import BACKENDS

z, z0 = symbols("z z0", real=True)
alpha, T, beta, snr = symbols("alpha T beta snr", positive=True)
q, r, X, q0, q1 = symbols("q r X q0 q1", positive=True)
m, h = symbols("m h", real=True)


@pytest.fixture(autouse=True)
def a_minute():
    """Every one of these is over within a minute of processor time, compiling included."""
    begin = time.process_time()
    yield
    assert time.process_time() - begin < 60


# -- 1. Hopfield (Amit, Gutfreund and Sompolinsky 1987) -------------------------------------------------------


@functools.cache
def hopfield():
    field, susceptibility = (m + sqrt(alpha * r) * z) / T, (1 - q) / T
    free = (m**2 / 2 + alpha / 2 * (1 + T * log(1 - susceptibility) - q / (1 - susceptibility))
            + alpha * r * (1 - q) / (2 * T) - T * ak.E(log(2 * cosh(field)), z))
    return ak.Theory(
        name="Hopfield", parameters={alpha: ("load", "positive"), T: ("temperature", "positive")},
        unknowns={m: (-1, 1), q: (0, 1), r: "positive"}, free_energy=free, observables={"f": free})


RETRIEVAL = {"m": 0.99, "q": 0.99, "r": 1.06}


def hopfield_near(load, temperature, point):
    return literature.hopfield(load, temperature, (point["m"], point["q"]))


@pytest.mark.parametrize(("load", "temperature", "q"), [(0.05, 0.3, 0.99), (0.1, 0.1, 0.99), (0.13, 0.01, 0.9999),
                                                          (0.02, 0.6, 0.99)])
def test_hopfield(load, temperature, q):
    found = hopfield().solve(alpha=load, T=temperature, start={**RETRIEVAL, "q": q})
    assert_agrees(found, hopfield_near(load, temperature, found))
    assert found["m"] > 0.85


def test_hopfield_has_five_states():
    """Two retrieval states of either sign, an unstable one with each, and the glass."""
    found = hopfield().solutions(alpha=0.1, T=0.3)
    assert len(found) == 5
    for state in found:
        assert_agrees(state, hopfield_near(0.1, 0.3, state), absolute=1e-14)


@pytest.mark.parametrize("backend", BACKENDS)
def test_hopfield_along_the_load(backend):
    """Retrieval ends at 0.1350 (T = 0.1); beyond it the glass is left, with m = 0, which is said once."""
    loads = np.linspace(0.06, 0.16, 11)
    with pytest.warns(ak.AssumptionWarning, match="between alpha = 0.13 and 0.14") as said:
        swept = hopfield().sweep(alpha=loads, T=0.1, backend=backend, start=RETRIEVAL)
    assert len(said) == 1 and swept.converged.all(), swept.status
    below = loads < 0.135
    assert_agrees_along(swept.sel(alpha=slice(0, 0.135)), "alpha", lambda load, point: hopfield_near(load, 0.1, point))
    assert (swept["m"][below] > 0.96).all() and (abs(swept["m"][~below]) < 1e-9).all()
    glasses = [literature.hopfield(load, 0.1, (0, 0.95))["q"] for load in loads[~below]]
    assert swept["q"][~below] == pytest.approx(glasses, rel=1e-11)


@pytest.mark.slow
def test_hopfield_through_its_capacity():
    path = hopfield().continuation(over="alpha", start=0.05, stop=0.2, T=0.1, begin=RETRIEVAL)
    assert len(path.folds) == 1
    assert_agrees_on_path(path, lambda load, point: hopfield_near(load, 0.1, point))
    fold = path.folds[0]
    assert_agrees(fold.unknowns, hopfield_near(fold.parameter - 1e-9, 0.1, fold.unknowns), 1e-3)
    assert fold.parameter == pytest.approx(0.13504918977356, rel=1e-9)


@pytest.mark.slow
def test_hopfield_near_zero_temperature():
    """The capacity goes to that of T = 0, alpha_c = 0.137905566... (the curve of y = m/sqrt(2*alpha*r))."""
    begin = {**RETRIEVAL, "q": 0.9999}
    folds = [hopfield().continuation(over="alpha", start=0.1, stop=0.15, T=cold, begin=begin).folds[0].parameter
             for cold in (0.02, 0.01)]
    limit = literature.hopfield_capacity_at_zero_temperature()
    assert limit == pytest.approx(0.137905566, abs=1e-9)
    assert abs(folds[1] - limit) < abs(folds[0] - limit) < 1e-3


def test_hopfield_with_digits():
    found = hopfield().precise(digits=20, alpha="0.1", T="0.1", start=RETRIEVAL)
    assert_agrees(found, literature.hopfield(0.1, 0.1), 1e-12)


def test_hopfield_above_the_glass():
    """At T > 1 + sqrt(alpha) q is 0, which is an end of its domain."""
    with pytest.raises(ak.ConvergenceError) as refused:
        hopfield().solve(alpha=0.1, T=2.0)
    assert_edge_is_named(refused, "q")


# -- 2. a spike of signs in a Wigner matrix -------------------------------------------------------------------


@functools.cache
def spiked_wigner():
    free = snr * q**2 / 4 + snr * q / 2 - ak.E(log(cosh(snr * q + sqrt(snr * q) * z)), z)
    return ak.Theory(name="spiked Wigner", parameters={snr: ("signal to noise", "positive")}, unknowns={q: (0, 1)},
                     free_energy=free, observables={"f": free})


@functools.cache
def spiked_wigner_by_magnetisation():
    """The same with q = m**2, where the transition is a pitchfork."""
    return ak.Theory(name="spiked Wigner", parameters={snr: ("signal to noise", "positive")}, unknowns={m: (-1, 1)},
                     equations=[m**3 - m * ak.E(tanh(snr * m**2 + sqrt(snr) * m * z), z)])


@pytest.mark.parametrize("value", [1.05, 1.5, 4.0, 20.0])
def test_spiked_wigner(value):
    assert_agrees(spiked_wigner().solve(snr=value), literature.spiked_wigner(value))


@pytest.mark.parametrize("backend", BACKENDS)
def test_spiked_wigner_across_its_transition(backend):
    values = np.linspace(0.7, 2, 14)
    swept = spiked_wigner().sweep(snr=values, backend=backend)
    assert list(swept.converged) == [v > 1.001 for v in values]
    assert_agrees_along(swept.sel(snr=slice(1.05, 2)), "snr", lambda v, _: literature.spiked_wigner(v), 1e-10)


def test_spiked_wigner_down_to_its_transition():
    """The overlap goes to 0 at snr = 1, where the path ends and says why."""
    path = spiked_wigner().continuation(over="snr", start=2.0, stop=0.5)
    assert_agrees_on_path(path, lambda v, _: literature.spiked_wigner(v))
    assert path.branches[-1].parameter[-1] == pytest.approx(1, abs=1e-4)
    assert "q" in path.end


def test_spiked_wigner_with_digits():
    found = spiked_wigner().precise(digits=20, snr="1.5")
    assert_agrees(found, literature.spiked_wigner(1.5), 1e-13)


def test_spiked_wigner_next_to_its_transition():
    """What is lost there is refused, or said: no answer is off by more than was asked for."""
    for value in ("1.01", "1.001", "1.0001"):
        right = float(spiked_wigner().precise(digits=15, snr=value)["q"])
        try:
            assert spiked_wigner().solve(snr=float(value))["q"] == pytest.approx(right, rel=2e-12)
        except ak.ConvergenceError as refused:
            assert "precise" in str(refused)


def test_spiked_wigner_at_and_below_its_transition():
    with pytest.raises(ak.ConvergenceError) as refused:
        spiked_wigner().solve(snr=0.5)
    assert_edge_is_named(refused, "q")
    with pytest.raises(ak.ConvergenceError, match="critical point|q tends to 0"):
        spiked_wigner().solve(snr=1.0)


def test_digits_where_only_a_root_at_the_edge_is_left():
    """The search for digits ends soon and says why; a root that is 0 by symmetry is 0."""
    begin = time.process_time()
    with pytest.raises(ak.ConvergenceError) as refused:
        spiked_wigner().precise(digits=10, snr="0.5")
    assert_edge_is_named(refused, "q")
    assert time.process_time() - begin < 10
    assert spiked_wigner_by_magnetisation().precise(snr="0.5")["m"] == 0
    found = hopfield().precise(digits=10, alpha="0.3", T="0.3")
    assert found["m"] == 0 and found["q"] > 0.5


# -- 3., 4. Sherrington and Kirkpatrick, replica symmetric, and one step of breaking --------------------------


@functools.cache
def glass():
    free = -beta / 4 * (1 - q) ** 2 - ak.E(log(2 * cosh(beta * (sqrt(q) * z + h))), z) / beta
    return ak.Theory(name="SK", parameters={beta: ("inverse temperature", "positive"), h: ("field", "real")},
                     unknowns={q: (0, 1)}, free_energy=free, observables={"f": free})


@functools.cache
def broken_glass():
    """One step, no field: q0 = 0."""
    free = (-beta / 4 * (1 - 2 * q1 + (1 - X) * q1**2)
            - log(ak.E((2 * cosh(beta * sqrt(q1) * z)) ** X, z)) / (beta * X))
    return ak.Theory(name="SK, one step", parameters={beta: ("inverse temperature", "positive")},
                     unknowns={q1: (0, 1), X: (0, 1)}, free_energy=free, observables={"f": free})


@functools.cache
def broken_glass_in_field():
    inner = ak.E((2 * cosh(beta * (sqrt(q0) * z0 + sqrt(q1 - q0) * z + h))) ** X, z)
    free = (-beta / 4 * (1 - 2 * q1 + (1 - X) * q1**2 + X * q0**2) - ak.E(log(inner), z0) / (beta * X))
    return ak.Theory(name="SK in a field, one step", unknowns={q0: (0, 1), q1: (0, 1), X: (0, 1)}, free_energy=free,
                     parameters={beta: ("inverse temperature", "positive"), h: ("field", "nonnegative")},
                     start={q0: 0.4, q1: 0.7, X: 0.3}, observables={"f": free})


@pytest.mark.parametrize(("b", "field"), [(2, 0), (5, 0), (5, 0.3), (0.5, 0.1), (2.0, -0.4), (100, 0.1)])
def test_glass(b, field):
    assert_agrees(glass().solve(beta=b, h=field), literature.replica_symmetric_glass(b, field))


@pytest.mark.parametrize("backend", BACKENDS)
def test_glass_over_temperature_and_field(backend):
    temperatures, fields = np.linspace(0.5, 3, 11), np.array([-0.2, 0.1, 0.5])
    swept = glass().sweep(beta=temperatures, h=fields, backend=backend)
    for k, field in enumerate(fields):
        right = [literature.replica_symmetric_glass(b, field)["q"] for b in temperatures]
        assert swept["q"][:, k] == pytest.approx(right, rel=1e-11)


def test_glass_down_to_its_transition():
    path = glass().continuation(over="beta", start=2.0, stop=0.5, h=0)
    assert_agrees_on_path(path, lambda b, _: {"q": literature.replica_symmetric_glass(b)["q"]})
    assert path.branches[-1].parameter[-1] == pytest.approx(1, abs=1e-4)
    assert "q" in path.end


def test_glass_through_zero_field():
    path = glass().continuation(over="h", start=-1, stop=1, beta=2)
    assert_agrees_on_path(path, lambda field, _: {"q": literature.replica_symmetric_glass(2, field)["q"]})


def test_glass_with_digits():
    assert_agrees(glass().precise(digits=20, beta=2, h="0.1"), literature.replica_symmetric_glass(2, 0.1), 1e-12)


def broken_in_field_near(b, field, point):
    found = literature.broken_glass_in_field(b, field, (point["q0"], point["q1"], point["X"]))
    return {"q0": found["q0"], "q1": found["q1"], "X": found["x"], "f": found["f"]}


@pytest.mark.parametrize(("b", "near"), [(2, (0.6, 0.2)), (5, (0.88, 0.2)), (20, (0.97, 0.05))])
def test_broken_glass(b, near):
    """Without a start the trivial root at X = 1 is not taken for it."""
    expected = literature.broken_glass(b, near)
    found = broken_glass().solve(beta=b)
    assert_agrees({"q": found["q1"], "x": found["X"], "f": found["f"]}, expected)


def test_broken_glass_next_to_its_transition():
    """There X has few digits; it is right to what was asked for."""
    found, expected = broken_glass().solve(beta=1.2, rtol=1e-8), literature.broken_glass(1.2, (0.2, 0.1))
    assert_agrees({"q": found["q1"], "x": found["X"], "f": found["f"]}, expected, 1e-8)


@pytest.mark.parametrize("backend", BACKENDS)
def test_broken_glass_over_temperature(backend):
    swept = broken_glass().sweep(beta=np.linspace(2, 5, 16), backend=backend)

    def near(b, point):
        found = literature.broken_glass(b, (point["q1"], point["X"]))
        return {"q1": found["q"], "X": found["x"], "f": found["f"]}
    assert_agrees_along(swept, "beta", near, 1e-9)
    assert (swept["X"] < 0.3).all()


def test_broken_glass_down_to_its_transition():
    path = broken_glass().continuation(over="beta", start=5.0, stop=0.5, begin={"q1": 0.9, "X": 0.15})

    def near(b, point):
        found = literature.broken_glass(b, (point["q1"], point["X"]))
        return {"q1": found["q"], "X": found["x"]}
    assert_agrees_on_path(path, lambda b, point: near(b, point) if b > 1.5 else {})
    assert 1 < path.branches[-1].parameter[-1] < 1.3 and path.end != "stop was reached"


@pytest.mark.slow
def test_broken_glass_with_digits():
    found, expected = broken_glass().precise(digits=15, beta=5), literature.broken_glass(5, (0.88, 0.2))
    assert_agrees({"q": found["q1"], "x": found["X"], "f": found["f"]}, expected, 1e-12)


@pytest.mark.parametrize(("b", "field", "near"), [(2, 0.3, (0.4, 0.6, 0.4)), (5, 0.3, (0.6, 0.9, 0.2)),
                                                  (2, 0, (0.21, 0.62, 0.28)), (5, 0, (0.37, 0.91, 0.19))])
def test_broken_glass_in_field(b, field, near):
    """Without a field there is a root with q0 > 0 too."""
    found = broken_glass_in_field().solve(beta=b, h=field, start=dict(zip(("q0", "q1", "X"), near)))
    assert_agrees(found, broken_in_field_near(b, field, found), 1e-10)
    assert found["q0"] < found["q1"] and found["X"] < 0.5


@pytest.mark.slow
def test_broken_glass_near_zero_temperature():
    """Published at T = 0 (Parisi 1980): energy -0.7652, entropy -0.01; and -0.7979 with replica symmetry."""
    found = broken_glass_in_field().solve(beta=50, h=0, start={"q0": 0.466, "q1": 0.995, "X": 0.026})
    assert_agrees(found, broken_in_field_near(50, 0, found), 1e-9)
    assert found["f"] - 0.01 / 50 == pytest.approx(-0.7652, abs=5e-5)
    assert glass().solve(beta=1000, h=0)["f"] == pytest.approx(-np.sqrt(2 / np.pi), abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_broken_glass_over_the_field(backend):
    swept = broken_glass_in_field().sweep(beta=2.0, h=np.linspace(0.05, 0.4, 8), backend=backend)
    assert_agrees_along(swept, "h", lambda field, point: broken_in_field_near(2.0, field, point), 1e-9)


@pytest.mark.slow
def test_broken_glass_along_the_field():
    """The start of the theory leads to the edge X = 1 there, which is a root too."""
    path = broken_glass_in_field().continuation(over="h", start=0.3, stop=0.1, beta=2.0, step=0.2,
                                                begin={"q0": 0.4, "q1": 0.6, "X": 0.4})
    assert_agrees_on_path(path, lambda field, point: broken_in_field_near(2.0, field, point), every=1)
