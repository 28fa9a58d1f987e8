"""Pictures of sweeps, of made-up numbers: what is drawn, and how it is labelled."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from helpers.drawn import assert_inside, curves, legend
from matplotlib.colors import LogNorm, to_rgba

import asympkit as ak
from asympkit.sweep import Sweep
from asympkit.sweep.pieces import CONVERGED, FAILED

pytestmark = pytest.mark.usefixtures("pictures")


def sweep(axes, missing=(), **values):
    axes = {k: np.asarray(a, float) for k, a in axes.items()}
    state = np.full(tuple(a.size for a in axes.values()), CONVERGED, dtype=np.int8)
    for place in missing:
        state[place] = FAILED
    grid = np.meshgrid(*axes.values(), indexing="ij")
    found = {k: np.where(state == CONVERGED, f(*grid), np.nan) for k, f in values.items()}
    return Sweep(axes, found, np.zeros(state.shape), state, {}, 1e-10)


ALPHA, LAM = np.linspace(0.1, 3.0, 40), np.geomspace(1e-4, 10, 21)


def test_one_axis():
    s = sweep({"alpha": ALPHA}, test_error=lambda a: 1.0 + a)
    ax = s.plot()
    (line,) = curves(ax)
    assert np.array_equal(line.get_xdata(), ALPHA) and np.array_equal(line.get_ydata(), 1.0 + ALPHA)
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"$\alpha$", "test error")
    assert (ax.get_xscale(), ax.get_yscale(), legend(ax)) == ("linear", "linear", [])
    assert_inside(ax)
    s = sweep({"lam": LAM}, test_error=lambda x: x, train_error=lambda x: 1 + 0.01 * x)
    ax = s.plot()
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_xlabel()) == ("log", "log", r"$\lambda$")
    assert s.plot("train_error").get_yscale() == "linear"
    assert_inside(ax)
    s = sweep({"alpha": ALPHA}, test_error=lambda a: 1 + a, qhat1=lambda a: 2 + a)
    ax = s.plot(["test_error", "qhat1"])
    assert legend(ax) == ["test error", r"$\hat{q}_{1}$"] and ax.get_ylabel() == ""
    assert len({line.get_color() for line in curves(ax)}) == len({line.get_linestyle() for line in curves(ax)}) == 2


def test_what_is_reached_at_infinity_is_a_level_line():
    s = sweep({"alpha0": [1.0, 2.0, np.inf, 4.0]}, test_error=lambda a: 1 / a + 1)
    ax = s.plot()
    (line,) = curves(ax)
    assert line.get_xdata().tolist() == [1.0, 2.0, 4.0] and line.get_ydata().tolist() == [2.0, 1.5, 1.25]
    (limit,) = [m for m in ax.lines if m is not line]
    assert limit.get_ydata() == [1.0, 1.0] and legend(ax) == [r"$\alpha_{0}$ = $\infty$"]
    assert ax.get_ylim()[0] < 1.0
    assert_inside(ax)


def test_points_that_did_not_converge_are_seen_to_be_missing():
    s = sweep({"alpha": ALPHA}, missing=[slice(3, 6), 20, 22], test_error=lambda a: a)
    ax = s.plot()
    (line,) = curves(ax)
    assert np.flatnonzero(np.isnan(line.get_ydata())).tolist() == [3, 4, 5, 20, 22]
    assert line.get_markevery() == [21]                 # a point between two that are missing has no line
    (marks,) = [m for m in ax.lines if m.get_label() == "not converged"]
    assert marks.get_xdata().tolist() == ALPHA[[3, 4, 5, 20, 22]].tolist() and marks.get_marker() == "x"
    assert "not converged" in legend(ax)


def test_two_axes_are_a_heat_map_with_contours():
    s = sweep({"alpha": ALPHA, "lam": LAM}, missing=[(3, 4), (3, 5)], test_error=lambda a, x: a * np.exp(x),
              train_error=lambda a, x: 1 + a / 10)
    ax = s.plot()
    (cells,) = [c for c in ax.collections if type(c).__name__ == "QuadMesh"]
    assert isinstance(cells.norm, LogNorm)
    assert np.ma.getmaskarray(cells.get_array()).sum() == 2 and ax.patch.get_hatch()
    assert cells.get_array().shape == (LAM.size, ALPHA.size)
    assert np.nanmax(s["test_error"]) == cells.norm.vmax
    contours = [c for c in ax.collections if type(c).__name__ == "QuadContourSet"]
    assert len(contours) == 1 and len(contours[0].levels) >= 2
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_yscale()) == (r"$\alpha$", r"$\lambda$", "log")
    assert ax.get_xlim() == (0.1, 3.0) and ax.get_ylim() == (1e-4, 10)
    assert ax.figure.axes[1].get_ylabel() == "test error" and legend(ax) == ["not converged"]
    assert_inside(ax)
    plain = s.plot("train_error")
    assert not isinstance(plain.collections[0].norm, LogNorm)


def test_curves_of_a_family_over_an_axis():
    s = sweep({"alpha": ALPHA, "lam": [0.1, 1.0, np.inf]}, test_error=lambda a, x: a + np.minimum(x, 5))
    ax = s.plot(over="alpha")
    assert legend(ax) == [r"$\lambda$ = 0.1", r"$\lambda$ = 1", r"$\lambda$ = $\infty$"]
    assert [line.get_ydata()[0] for line in curves(ax)] == pytest.approx([0.2, 1.1, 5.1])
    many = sweep({"alpha": ALPHA, "lam": LAM}, test_error=lambda a, x: a + x).plot(over="alpha")
    assert len(curves(many)) == 21 and legend(many) == []
    assert many.figure.axes[1].get_ylabel() == r"$\lambda$"             # a bar of colours in place of 21 lines of text
    assert_inside([ax])
    assert_inside([many])


def test_three_axes_are_small_multiples_with_one_scale():
    s = sweep({"alpha0": [0.5, 1, 2, 5], "alpha": ALPHA[::8], "lam": LAM[::4]}, missing=[(1, 2, 3)],
              test_error=lambda b, a, x: b * a * np.exp(x))
    panels = s.plot()
    assert [p.get_title() for p in panels] == [rf"$\alpha_{{0}}$ = {v}" for v in ("0.5", "1", "2", "5")]
    assert len({(p.collections[0].norm.vmin, p.collections[0].norm.vmax) for p in panels}) == 1
    assert [p.get_ylabel() for p in panels] == [r"$\lambda$", "", r"$\lambda$", ""]
    assert [p.get_xlabel() for p in panels] == ["", "", r"$\alpha$", r"$\alpha$"]
    assert_inside(panels)


def test_what_cannot_be_drawn_says_what_to_do():
    four = sweep({k: [1, 2] for k in "abcd"}, test_error=lambda a, b, c, d: a)
    with pytest.raises(ak.DomainError, match=r"4 axes, a, b, c, d; expected up to three: fix the others by sel\(\)"):
        four.plot()
    with pytest.raises(ak.DomainError, match="alpha is infinite everywhere"):
        sweep({"alpha": [np.inf]}, test_error=lambda a: 1 / a).plot()
    with pytest.raises(ak.DomainError, match="b is infinite at a point, or has a value twice; choose others by sel"):
        sweep({"a": [1, 2], "b": [1, np.inf]}, test_error=lambda a, b: a).plot()
    with pytest.raises(ak.DomainError, match="over: got 'eta'; expected one of the axes alpha, lam"):
        sweep({"alpha": ALPHA, "lam": LAM}, test_error=lambda a, x: a).plot(over="eta")
    with pytest.raises(ak.DomainError, match="ax: got an object of str; expected axes of matplotlib"):
        sweep({"alpha": ALPHA}, test_error=lambda a: a).plot(ax="left")
    with pytest.raises(ak.DomainError, match="no point converged"):
        sweep({"alpha": [1, 2], "lam": [1, 2]}, [...], test_error=lambda a, x: a).plot()
    with pytest.raises(ak.UnknownNameError, match="did you mean 'test_error'"):
        sweep({"alpha": ALPHA}, test_error=lambda a: a).plot("test_eror")
    with pytest.raises(ak.DomainError, match=r"a has 13 values, .* choose some by sel\(a=\[...\]\)"):
        sweep({"a": range(13), "b": [1, 2], "c": [1, 2]}, test_error=lambda a, b, c: a).plot()


def test_given_axes():
    ax = plt.subplots()[1]
    s = sweep({"alpha": ALPHA}, test_error=lambda a: a**4)
    ax.plot([0, 1], [-1, 1])
    assert s.plot(ax=ax, color="black", linewidth=3) is ax
    assert ax.get_yscale() == "linear" and ax.lines[1].get_linewidth() == 3 and ax.lines[1].get_color() == "black"
    s = sweep({"alpha": ALPHA}, test_error=lambda a: a)
    ax = s.plot(label="first")
    s.plot(ax=ax, label="second")
    first, second = curves(ax)
    assert first.get_color() != second.get_color() and first.get_linestyle() != second.get_linestyle()
    assert legend(ax) == ["first", "second"]


def test_a_dark_notebook_has_a_dark_picture():
    with plt.style.context("dark_background"):
        ax = sweep({"alpha": ALPHA}, missing=[2], test_error=lambda a: a).plot()
        marks = [m for m in ax.lines if m.get_label() == "not converged"][0]
        assert to_rgba(marks.get_color()) == to_rgba("white") == to_rgba(ax.xaxis.label.get_color())
        assert to_rgba(ax.figure.get_facecolor()) == to_rgba("black")
    before = plt.rcParams.copy()
    sweep({"alpha": ALPHA}, test_error=lambda a: a).plot()
    assert plt.rcParams == before                       # a user's settings are not touched


def test_names_of_people_are_text():
    s = sweep({r"x$\alpha$y": ALPHA}, **{"<b>$100$ a_b": lambda a: a})
    ax = s.plot("<b>$100$ a_b")
    assert_inside(ax)
    assert ax.get_ylabel() == r"<b>\$100\$ a_b"
    assert ax.get_xlabel() == r"x\$\alpha\$y"


@pytest.mark.parametrize("names", [3, 1.5, [3], [None], ["test_error", 2]])
def test_names_that_are_none(names):
    with pytest.raises(ak.DomainError, match="plot: got .*expected the name of a quantity, or a list of names"):
        sweep({"alpha": ALPHA}, test_error=lambda a: a).plot(names)


@pytest.mark.parametrize(("axes", "style"), [(1, {"foo": 1}), (1, {"color": "nocolour"}), (2, {"foo": 1})])
def test_a_style_that_is_none_is_named(axes, style):
    shown = sweep({"alpha": [1, 2, 3], "lam": [1, 2, 3]}, test_error=lambda a, x: a + x)
    shown = shown.sel(lam=1) if axes == 1 else shown
    ((name, value),) = style.items()
    text = f"plot: got {name}={value!r}; expected arguments that matplotlib draws with"
    with pytest.raises(ak.DomainError, match=text):
        shown.plot("test_error", **style)
