"""Checks at the points of a grid: one report each, tested together."""

import pytest
from helpers.commands import command
from sympy import symbols

import asympkit as ak

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
AT = {"eta": 1, "alpha0": 5, "lam": 0.1, "d": 60, "repeats": 4, "digits": 15}


@pytest.mark.usefixtures("pictures")
def test_a_grid_is_checked_point_by_point():
    model = ak.OneStep("tanh", "sin")
    found = model.check(alpha=[1, 2], beta=[0.5, 1], **AT)
    assert len(found.reports) == 4 and list(found.axes) == ["alpha", "beta"] and found.passed
    assert [r.solution.parameters["beta"] for r in found.reports] == [0.5, 1, 0.5, 1]
    assert len({r.simulation["test_error"].mean for r in found.reports}) == 4
    one = model.check(alpha=2, beta=1, seed=3, **AT)
    assert found.reports[3].simulation["test_error"].mean == one.simulation["test_error"].mean
    # with four times as many comparisons more is left to chance
    assert found.reports[3].rows[0].compared.visible > one.rows[0].compared.visible
    assert str(found).startswith("one step: 4 points\nalpha  beta  farthest off")
    assert found.verdict.startswith("PASSED: 4 points: ") and found.to_dict()["outcome"] == found.outcome
    axes = found.plot()
    curve, *_ = axes.lines
    assert curve.get_ydata() == pytest.approx([r.rows[0].reference for r in found.reports[::2]], rel=1e-14)
    assert list(curve.get_xdata()) == [1, 2] and len(axes.containers) == 2
    assert len(found.plot(["test_error", "train_error"])) == 2
    with pytest.raises(ak.UnknownNameError, match="plot: no quantity 'tset_error'; did you mean 'test_error'"):
        found.plot("tset_error")
    with pytest.raises(ak.DomainError, match="ax: got an object of str; expected axes of matplotlib"):
        one.plot("test_error")
    with pytest.raises(ak.DomainError, match="file: a check of a grid keeps none"):
        model.check(alpha=[1, 2], file="x.npz", **AT)


def test_a_wrong_point_is_named():
    def draw(rng, size, *, b):
        return {"energy": -0.5 * b + (b > 1.5) + rng.standard_normal() * 1e-3}

    m, b = symbols("m b", positive=True)
    theory = ak.Theory(name="linear", unknowns=[m], parameters={b: ("field", "positive")}, equations=[m - b],
                       observables={"energy": -m / 2}, simulate=draw)
    found = theory.check(b=[1, 2, 3], size=10, repeats=8)
    assert found.outcome == "differ" and not found.passed
    assert found.verdict.startswith("FAILED: 2 of 3 points differ, the first at b=2: the simulation differs from the")


def test_the_command_takes_a_grid(capsys):
    status, out, _ = command(capsys, "check", "one-step", "--student", "tanh", "--target", "sin", "--eta", "1",
                             "--alpha0", "5", "--alpha", "1,2", "--lam", "0.1", "--d", "60", "--repeats", "4",
                             "--digits", "15")
    assert status == 0 and out.splitlines()[0] == "one step: 2 points" and "PASSED: 2 points" in out
