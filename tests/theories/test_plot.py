"""``theory.plot()``: curves, simulated points, pulls."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from helpers.drawn import assert_inside, curves, legend
from sympy import symbols

import asympkit as ak

pytestmark = pytest.mark.usefixtures("pictures")
m, a, b = symbols("m a b", real=True)
A = np.linspace(0.5, 3.0, 26)


def draw(rng, size, a, b):
    return {"square": (a + b) ** 2 + rng.standard_normal() / size**0.5}


@pytest.fixture(scope="module")
def theory():
    return ak.Theory(name="shift", parameters={a: ("field", "real"), b: ("another", "real")}, unknowns=[m],
                     free_energy=m**2 / 2 - (a + b) * m, observables={"square": m**2}, simulate=draw)


def test_a_curve(theory):
    ax = theory.plot(over="a", a=A, b=1.0)              # the first observable
    (line,) = curves(ax)
    assert line.get_ydata() == pytest.approx((A + 1) ** 2)
    assert (ax.get_xlabel(), ax.get_ylabel(), legend(ax)) == ("$a$", "square", [])
    assert_inside(ax)


def test_the_only_array_is_drawn_along(theory):
    assert theory.plot("square", a=1.0, b=A).get_xlabel() == "$b$"


def test_a_family_and_several_quantities(theory):
    ax = theory.plot("square", over="a", b=[0.0, 1.0], a=A)
    assert legend(ax) == ["$b$ = 0", "$b$ = 1"]
    assert curves(ax)[1].get_ydata() == pytest.approx((A + 1) ** 2)
    assert legend(theory.plot(["square", "m"], over="a", b=0.5, a=A)) == ["square", "$m$"]


def test_simulated_points_and_pulls(theory):
    upper, lower = panels = theory.plot("square", over="a", a=A, b=[0.0, 1.0],
                                        simulation={"size": 50, "repeats": 8, "seed": 3})
    at = A[[0, 5, 10, 15, 20, 25]]
    bars = [c.lines for c in upper.containers]
    assert len(bars) == 2 and bars[0][0].get_xdata() == pytest.approx(at)
    drawn = theory.simulate(size=50, repeats=8, seed=3 + 2, a=at[1], b=0.0)["square"]
    assert bars[0][0].get_ydata()[1] == drawn.mean
    segment = bars[0][2][0].get_segments()[1]
    assert segment[1, 1] - segment[0, 1] == pytest.approx(2 * drawn.stderr)
    pulls = [line for line in lower.lines if line.get_linestyle() == "None"]
    assert pulls[0].get_ydata()[1] == pytest.approx((drawn.mean - at[1] ** 2) / drawn.stderr)
    assert lower.get_ylim()[0] == -lower.get_ylim()[1]
    assert lower.get_xlabel() == "$a$" and upper.get_xlabel() == ""
    assert_inside(panels)


def test_points_may_be_given(theory):
    upper, _ = theory.plot("square", over="a", a=A, b=1.0, simulation={"size": 20, "repeats": 4, "a": [1.0, 2.0]})
    assert upper.containers[0].lines[0].get_xdata().tolist() == [1.0, 2.0]


def test_a_finished_simulation_of_a_network():
    model, at = ak.OneStep("tanh", "sin"), {"eta": 1, "alpha0": 2}
    found = model.simulate(d=30, repeats=4, alpha=[0.5, 1.0, 2.0], lam=[0.1, 1.0], **at)
    upper, lower = model.plot(over="alpha", simulation=found, alpha=np.linspace(0.3, 2.5, 12), lam=[1.0, 3.0], **at)
    (bars,) = upper.containers                          # of lam = 3 nothing was simulated
    assert bars.lines[0].get_ydata().tolist() == found["test_error"].mean[:, 1].tolist()
    expected = model.sweep(alpha=[0.5, 1.0, 2.0], lam=1.0, **at)["test_error"]
    pulls = (found["test_error"].mean[:, 1] - expected) / found["test_error"].stderr[:, 1]
    assert lower.lines[1].get_ydata() == pytest.approx(pulls)
    run = {"d": 30, "repeats": 4, "alpha": [0.5, 1.0, 2.0]}
    again, _ = model.plot(over="alpha", simulation=run, alpha=[0.3, 2.5], lam=[0.1, 1.0], **at)
    assert again.containers[1].lines[0].get_ydata().tolist() == found["test_error"].mean[:, 1].tolist()
    with pytest.raises(ak.DomainError, match="simulation: got one along alpha, lam; expected one along eta"):
        model.plot(over="eta", simulation=found, eta=[0.5, 1.0], alpha0=2, alpha=1, lam=1)


def test_given_axes_are_divided(theory):
    figure, (left, right) = plt.subplots(1, 2, layout="constrained", figsize=(9, 4))
    upper, lower = theory.plot("square", over="a", a=A, b=1.0, ax=right, simulation={"size": 20, "repeats": 4})
    assert upper is right and lower.figure is figure and len(figure.axes) == 3
    own = plt.figure().add_axes((0.2, 0.2, 0.7, 0.7))
    upper, lower = theory.plot("square", over="a", a=A, b=1.0, ax=own, simulation={"size": 20, "repeats": 4})
    assert lower.get_position().y1 < upper.get_position().y0
    theory.plot("square", over="a", a=A, b=1.0, ax=[left, right], simulation={"size": 20, "repeats": 4})


def test_what_cannot_be_drawn(theory):
    with pytest.raises(ak.DomainError, match="plot: got a = 1.0; expected an array, along which square is drawn"):
        theory.plot("square", over="a", a=1.0, b=1.0)
    with pytest.raises(ak.DomainError, match="2 quantities and arrays for b beside a; expected a family of curves"):
        theory.plot(["square", "m"], over="a", a=A, b=[1.0, 2.0])
    with pytest.raises(ak.DomainError, match="simulation: got 5; expected what simulate.. returned"):
        theory.plot("square", over="a", a=A, b=1.0, simulation=5)
    with pytest.raises(ak.UnknownNameError, match="no quantity 'sqare'; did you mean 'square'"):
        theory.plot("sqare", over="a", a=A, b=1.0)
    with pytest.raises(ak.UnknownNameError, match="plot: no parameter 'aa' to draw along; did you mean 'a'?.*of a, b"):
        theory.plot("square", over="aa", a=A, b=1.0)
    with pytest.raises(ak.DomainError, match="plot: got 3; expected the name of a quantity, or a list of names"):
        theory.plot(3, a=A, b=1.0)
    for given, said in (({"a": 1.0, "b": 1.0}, "no parameter"), ({"a": A, "b": [0.0, 1.0]}, "a and b")):
        with pytest.raises(ak.DomainError, match=f"plot: got {said} as arrays; expected one, along which to draw"):
            theory.plot("square", **given)
    for name in ("b", "a"):
        with pytest.raises(ak.DomainError, match=rf"simulation: got {name} = .*; expected the simulation to follow the "
                                                 "curves, at chosen . or at another number that all share"):
            theory.plot("square", over="b" if name == "a" else "a", a=A[:2], b=[0.0, 1.0],
                        simulation={"repeats": 3, name: [0.0, 1.0]})
    bare = ak.Theory(name="bare", parameters={a: ("field", "real")}, unknowns=[m], free_energy=m**2 / 2 - a * m)
    with pytest.raises(ak.NotAvailableError, match="the theory 'bare' has no simulator"):
        bare.plot("m", over="a", a=A, simulation={"repeats": 3})


STEP = {"eta": 1, "alpha0": 2, "lam": 0.1}


def test_the_theory_of_a_width_is_drawn():
    model = ak.OneStep("tanh", "sin")
    ax = model.plot("test_error", over="width", width=[50.0, 200.0], alpha=2, **STEP)
    assert curves(ax)[0].get_ydata()[0] == pytest.approx(model.solve(width=50, alpha=2, **STEP).test_error, rel=1e-9)
    assert ax.get_xlabel() == "width"
    upper, _ = model.plot("test_error", over="alpha", alpha=[1.0, 2.0], width=40, simulation={"d": 40, "repeats": 3},
                          **STEP)
    assert curves(upper)[0].get_ydata()[1] == pytest.approx(model.solve(width=40, alpha=2, **STEP).test_error, rel=1e-9)
    assert len(upper.containers) == 1
    with pytest.raises(ak.DomainError, match="width: got 50, and a simulation with d = 40 and beta = 1 has 40 units; "
                                             "expected these, or another d"):
        model.plot("test_error", over="alpha", alpha=[1.0, 2.0], width=50, simulation={"d": 40, "repeats": 3}, **STEP)


def test_a_curve_without_a_penalty_is_open_where_samples_are_as_many_as_features():
    ax = ak.Ridge(([1], [20]), [1], 1).plot("test_error", over="n", n=[10, 20, 40], lam=0)
    assert np.isnan(curves(ax)[0].get_ydata()).tolist() == [False, True, False]
    assert legend(ax) == ["not converged"]
