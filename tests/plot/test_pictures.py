"""Pictures of sweeps, minima, paths, simulations, reports and activations: what is drawn, and how it is labelled."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from helpers.drawn import assert_inside, curves, legend
from matplotlib.colors import LogNorm, to_rgba
from sympy import symbols, tanh

import asympkit as ak
from asympkit.check import Report, Row
from asympkit.comparison import compare
from asympkit.continuation.run import Branch, BranchPoint, Continuation, Fold
from asympkit.minimize import Minimum, Optimum
from asympkit.simulate.simulation import Draws, Estimate
from asympkit.sweep import Sweep
from asympkit.sweep.pieces import CONVERGED, FAILED

pytestmark = pytest.mark.usefixtures("pictures")


ALPHA = np.linspace(0.5, 3, 6)


def minimum(argmin, good=True, bound=False, **parameters):
    shape = np.shape(argmin)
    argmin = np.asarray(argmin)
    along = tuple(k for k, v in parameters.items() if np.ndim(v))
    return Minimum("test_error", "lam", 1.0 / (1.0 + argmin), argmin, np.broadcast_to(bound, shape),
                   np.broadcast_to(good, shape), 7, None, parameters, along)


def test_minima():
    good, bound = np.arange(6) != 2, np.arange(6) == 5
    upper, lower = found = minimum(1e-3 * 10**ALPHA, good, bound, alpha=ALPHA, eta=1.0).plot()
    assert (upper.get_ylabel(), lower.get_ylabel(), lower.get_xlabel()) == (
        "smallest test error", r"best $\lambda$", r"$\alpha$")
    assert upper.get_xlabel() == "" and lower.get_yscale() == "log"
    line = curves(lower)[0]
    assert np.flatnonzero(np.isnan(line.get_ydata())).tolist() == [2]
    (ends,) = [m for m in lower.lines if m.get_markersize() == 6 and m.get_marker() == "o"]
    assert ends.get_xdata().tolist() == [3.0]
    assert "not converged" in legend(upper)
    assert_inside(found)
    alpha0 = np.array([[0.5], [2.0]])
    found = minimum(alpha0 + ALPHA, alpha=ALPHA, alpha0=alpha0)
    assert legend(found.plot()[0]) == [r"$\alpha_{0}$ = 0.5", r"$\alpha_{0}$ = 2"]
    upper, lower = found.plot(over="alpha0")
    assert len(curves(lower)) == 6 and lower.get_xlabel() == r"$\alpha_{0}$"
    assert curves(lower)[1].get_ydata().tolist() == pytest.approx([1.5, 3.0])
    with pytest.raises(ak.DomainError, match="over: got 'eta'; expected one of alpha, alpha0"):
        found.plot(over="eta")
    with pytest.raises(ak.DomainError, match=r"at one point is a number, .* give minimize\(\) an array"):
        Minimum("test_error", "lam", 0.1, 2.0, False, True, 5).plot()


def test_optima_over_two_parameters_have_a_panel_each():
    value, at_end = 1.0 / ALPHA, np.zeros(6, bool)
    found = Optimum("test_error", ("lam", "eta"), value, {"lam": 10**ALPHA, "eta": ALPHA},
                    {"lam": at_end, "eta": ALPHA > 2.9}, ~at_end, 7, parameters={"alpha": ALPHA}, along=("alpha",),
                    is_largest=True)
    panels = found.plot()
    assert [p.get_ylabel() for p in panels] == ["largest test error", r"best $\lambda$", r"best $\eta$"]
    assert [p.get_xlabel() for p in panels] == ["", "", r"$\alpha$"]
    assert curves(panels[2])[0].get_ydata().tolist() == ALPHA.tolist()
    assert_inside(panels)


def path():
    t = np.linspace(-1.2, 1.2, 25)
    h, cuts = t**3 - t, [np.flatnonzero(np.abs(t) < 0.6)[k] for k in (0, -1)]
    parts = [slice(None, cuts[0]), slice(cuts[0], cuts[1] + 1), slice(cuts[1] + 1, None)]
    branches = tuple(Branch(h[p], {"m": t[p]}, {"energy": t[p] ** 2}) for p in parts)
    folds = tuple(Fold(x**3 - x, {"m": x}, {"energy": x**2}) for x in (-(3**-0.5), 3**-0.5))
    return Continuation("h", branches, folds, "stop was reached")


def test_branches_that_leave_a_branch_point():
    t = np.linspace(0.0, 1.0, 9)
    arms = tuple(Continuation("h", (Branch(t**2, {"m": s * t}, {}),), (), "the end") for s in (1, -1))
    trunk = Branch(2 * t - 1, {"m": 0 * t}, {})
    ax = Continuation("h", (trunk,), (), "stop", (BranchPoint(0.0, {"m": 0.0}, {}, "pitchfork"),), arms).plot("m")
    assert legend(ax) == ["branch 1", "branch 2", "branch 3", "branch point"]
    assert [line.get_ydata()[-1] for line in curves(ax)[:3]] == [0.0, 1.0, -1.0]
    (points,) = [m for m in ax.lines if m.get_label() == "branch point"]
    assert (points.get_xdata().tolist(), points.get_marker()) == ([0.0], "s")
    assert_inside(ax)


def test_branches_and_folds():
    ax = path().plot()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$h$", "energy")
    assert legend(ax) == ["branch 1", "branch 2", "branch 3", "fold"]
    assert len({line.get_color() for line in curves(ax)}) == 3
    ax = path().plot("m", linewidth=3)
    (folds,) = [m for m in ax.lines if m.get_label() == "fold"]
    assert folds.get_ydata().tolist() == pytest.approx([-(3**-0.5), 3**-0.5])
    assert curves(ax)[0].get_linewidth() == 3
    assert_inside(ax)
    with pytest.raises(ak.UnknownNameError, match="plot: no quantity 'energi'; did you mean 'energy'"):
        path().plot("energi")


def draws(shape=(), **axes):
    rng = np.random.default_rng(1)
    make = {"test_error": 0.3, "train_error": 0.1}
    return Draws({k: Estimate.from_values(v + 0.02 * rng.standard_normal((5, *shape))) for k, v in make.items()},
                 {"size": 100}, 5, 0, {k: np.asarray(v, float) for k, v in axes.items()})


def test_draws():
    found = draws()
    panels = found.plot()
    assert [p.get_ylabel() for p in panels] == ["test error", "train error"]
    assert panels[0].lines[0].get_xdata().tolist() == found["test_error"].values.tolist()
    bar = panels[0].containers[0].lines[2][0].get_segments()[0]
    assert bar[1, 0] - bar[0, 0] == pytest.approx(2 * found["test_error"].stderr)
    assert_inside(panels)
    assert found.plot("train_error").get_ylabel() == "train error"
    found = draws((6,), alpha=ALPHA)
    ax = found.plot()
    assert legend(ax) == ["test error", "train error"] and ax.get_xlabel() == r"$\alpha$"
    bars = [b.lines[2][0].get_segments() for b in ax.containers]
    assert [b[2][1, 1] - b[2][0, 1] for b in bars] == pytest.approx([2 * found[n].stderr[2] for n in found])
    assert_inside(ax)
    two = draws((6, 2), alpha=ALPHA, lam=[0.1, 1.0])
    assert legend(two.plot()) == [r"$\lambda$ = 0.1", r"$\lambda$ = 1"]
    with pytest.raises(ak.DomainError, match="2 quantities along alpha, lam are too many"):
        two.plot(["test_error", "train_error"])


def report():
    rows = []
    for name, mean, granted in (("test_error", 1.01, 0.02), ("train_error", 1.4, 0.0), ("m", 1.0, 0.0)):
        error = 0.5 if name == "m" else 0.01
        e = Estimate(mean, error, np.full(20, mean))
        rows.append(Row(name, 1.0, 1.0, True, simulation=e, compared=compare(mean, error, 20, 1.0, granted=granted)))
    return Report((*rows, Row("only compiled", 1.0, 1.0, True)), (), 0.1, (), "x", None, None, 40)


def test_reports():
    ax = report().plot()
    assert [t.get_text() for t in ax.get_yticklabels()] == ["test error", "train error", "$m$"]
    assert set(legend(ax)) == {"allowed", "agree", "differ", "not tested"}
    places = [float(b.lines[0].get_xdata()[0]) for b in ax.containers if type(b).__name__ == "ErrorbarContainer"]
    assert places == pytest.approx([1.0, 40.0, 0.0])
    (bar,) = [b for b in ax.containers if type(b).__name__ == "BarContainer"]
    assert (bar[0].get_x(), bar[0].get_width()) == pytest.approx((-2.0, 4.0))
    assert_inside(ax)
    bare = Report((Row("m", 1.0, 1.0, True),), (), None, (), "x", None, None, 40)
    with pytest.raises(ak.DomainError, match="the report holds no simulation to compare with"):
        bare.plot()


def test_activations():
    left, right = ak.Activation("relu").plot()
    assert (left.get_xlabel(), left.get_ylabel(), legend(left)) == ("$z$", "$f(z)$", ["kink"])
    assert left.lines[-1].get_xdata().tolist() == [0.0]
    assert right.get_yscale() == "log" and legend(right) == ["$c_k>0$", "$c_k<0$"]
    above, below = right.lines
    assert above.get_xdata().tolist() == [0, 1, 2, 6, 10] and below.get_xdata().tolist() == [4, 8, 12]
    assert above.get_ydata()[:2].tolist() == pytest.approx([1 / np.pi, 0.5])
    assert_inside([left, right])
    left, _ = ak.Activation("where(z > 1, z, 0)").plot(4)
    parts = [line for line in curves(left) if len(line.get_xdata()) > 2]
    assert [p.get_xdata().max() < 1 for p in parts] == [True, False]
    circles = [(line.get_xdata()[0], line.get_ydata()[0]) for line in left.lines if line.get_marker() == "o"]
    assert circles == [(1.0, 0.0), (1.0, pytest.approx(1.0))]


def test_without_matplotlib_an_error_says_what_to_install():
    code = ("import sys; sys.modules['matplotlib'] = None\n"
            "import asympkit as ak\n"
            "try: ak.Activation('tanh').plot()\n"
            "except ak.NotAvailableError as error: print(error)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "plot: matplotlib is not installed; install asympkit[plot]\n"






def test_several_quantities_have_panels_of_their_own():
    m, b = symbols("m b", positive=True)
    magnet = ak.Theory(name="magnet", unknowns=[m], parameters={b: ("coupling", "positive")},
                       equations=[m - tanh(b * m)], observables={"energy": -b * m**2 / 2})
    panels = magnet.continuation(over="b", start=1.2, stop=1.5).plot(["m", "energy"])
    assert [p.get_ylabel() for p in panels] == ["$m$", "energy"]
    stairs = ak.NonlinearSpikes("sin(z) + cos(z) - exp(-1/2)", "z").staircase(
        alpha_lr=np.linspace(0, 0.3, 3), phi=0.5, psi=0.5, lam=0.1)
    assert stairs.plot(["test_error", "train_error"]).shape == (2,)


def sweep(axes, missing=(), **values):
    axes = {k: np.asarray(a, float) for k, a in axes.items()}
    state = np.full(tuple(a.size for a in axes.values()), CONVERGED, dtype=np.int8)
    for place in missing:
        state[place] = FAILED
    grid = np.meshgrid(*axes.values(), indexing="ij")
    found = {k: np.where(state == CONVERGED, f(*grid), np.nan) for k, f in values.items()}
    return Sweep(axes, found, np.zeros(state.shape), state, {}, 1e-10)


LINE, LAM = np.linspace(0.1, 3.0, 40), np.geomspace(1e-4, 10, 21)


def test_one_axis():
    s = sweep({"alpha": LINE}, test_error=lambda a: 1.0 + a)
    ax = s.plot()
    (line,) = curves(ax)
    assert np.array_equal(line.get_xdata(), LINE) and np.array_equal(line.get_ydata(), 1.0 + LINE)
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"$\alpha$", "test error")
    assert (ax.get_xscale(), ax.get_yscale(), legend(ax)) == ("linear", "linear", [])
    assert_inside(ax)
    s = sweep({"lam": LAM}, test_error=lambda x: x, train_error=lambda x: 1 + 0.01 * x)
    ax = s.plot()
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_xlabel()) == ("log", "log", r"$\lambda$")
    assert s.plot("train_error").get_yscale() == "linear"
    assert_inside(ax)
    s = sweep({"alpha": LINE}, test_error=lambda a: 1 + a, qhat1=lambda a: 2 + a)
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
    s = sweep({"alpha": LINE}, missing=[slice(3, 6), 20, 22], test_error=lambda a: a)
    ax = s.plot()
    (line,) = curves(ax)
    assert np.flatnonzero(np.isnan(line.get_ydata())).tolist() == [3, 4, 5, 20, 22]
    assert line.get_markevery() == [21]                 # a point between two that are missing has no line
    (marks,) = [m for m in ax.lines if m.get_label() == "not converged"]
    assert marks.get_xdata().tolist() == LINE[[3, 4, 5, 20, 22]].tolist() and marks.get_marker() == "x"
    assert "not converged" in legend(ax)


def test_two_axes_are_a_heat_map_with_contours():
    s = sweep({"alpha": LINE, "lam": LAM}, missing=[(3, 4), (3, 5)], test_error=lambda a, x: a * np.exp(x),
              train_error=lambda a, x: 1 + a / 10)
    ax = s.plot()
    (cells,) = [c for c in ax.collections if type(c).__name__ == "QuadMesh"]
    assert isinstance(cells.norm, LogNorm)
    assert np.ma.getmaskarray(cells.get_array()).sum() == 2 and ax.patch.get_hatch()
    assert cells.get_array().shape == (LAM.size, LINE.size)
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
    s = sweep({"alpha": LINE, "lam": [0.1, 1.0, np.inf]}, test_error=lambda a, x: a + np.minimum(x, 5))
    ax = s.plot(over="alpha")
    assert legend(ax) == [r"$\lambda$ = 0.1", r"$\lambda$ = 1", r"$\lambda$ = $\infty$"]
    assert [line.get_ydata()[0] for line in curves(ax)] == pytest.approx([0.2, 1.1, 5.1])
    many = sweep({"alpha": LINE, "lam": LAM}, test_error=lambda a, x: a + x).plot(over="alpha")
    assert len(curves(many)) == 21 and legend(many) == []
    assert many.figure.axes[1].get_ylabel() == r"$\lambda$"             # a bar of colours in place of 21 lines of text
    assert_inside([ax])
    assert_inside([many])


def test_three_axes_are_small_multiples_with_one_scale():
    s = sweep({"alpha0": [0.5, 1, 2, 5], "alpha": LINE[::8], "lam": LAM[::4]}, missing=[(1, 2, 3)],
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
        sweep({"alpha": LINE, "lam": LAM}, test_error=lambda a, x: a).plot(over="eta")
    with pytest.raises(ak.DomainError, match="ax: got an object of str; expected axes of matplotlib"):
        sweep({"alpha": LINE}, test_error=lambda a: a).plot(ax="left")
    with pytest.raises(ak.DomainError, match="no point converged"):
        sweep({"alpha": [1, 2], "lam": [1, 2]}, [...], test_error=lambda a, x: a).plot()
    with pytest.raises(ak.UnknownNameError, match="did you mean 'test_error'"):
        sweep({"alpha": LINE}, test_error=lambda a: a).plot("test_eror")
    with pytest.raises(ak.DomainError, match=r"a has 13 values, .* choose some by sel\(a=\[...\]\)"):
        sweep({"a": range(13), "b": [1, 2], "c": [1, 2]}, test_error=lambda a, b, c: a).plot()


def test_given_axes():
    ax = plt.subplots()[1]
    s = sweep({"alpha": LINE}, test_error=lambda a: a**4)
    ax.plot([0, 1], [-1, 1])
    assert s.plot(ax=ax, color="black", linewidth=3) is ax
    assert ax.get_yscale() == "linear" and ax.lines[1].get_linewidth() == 3 and ax.lines[1].get_color() == "black"
    s = sweep({"alpha": LINE}, test_error=lambda a: a)
    ax = s.plot(label="first")
    s.plot(ax=ax, label="second")
    first, second = curves(ax)
    assert first.get_color() != second.get_color() and first.get_linestyle() != second.get_linestyle()
    assert legend(ax) == ["first", "second"]


def test_a_dark_notebook_has_a_dark_picture():
    with plt.style.context("dark_background"):
        ax = sweep({"alpha": LINE}, missing=[2], test_error=lambda a: a).plot()
        marks = [m for m in ax.lines if m.get_label() == "not converged"][0]
        assert to_rgba(marks.get_color()) == to_rgba("white") == to_rgba(ax.xaxis.label.get_color())
        assert to_rgba(ax.figure.get_facecolor()) == to_rgba("black")
    before = plt.rcParams.copy()
    sweep({"alpha": LINE}, test_error=lambda a: a).plot()
    assert plt.rcParams == before                       # a user's settings are not touched


def test_names_of_people_are_text():
    s = sweep({r"x$\alpha$y": LINE}, **{"<b>$100$ a_b": lambda a: a})
    ax = s.plot("<b>$100$ a_b")
    assert_inside(ax)
    assert ax.get_ylabel() == r"<b>\$100\$ a_b"
    assert ax.get_xlabel() == r"x\$\alpha\$y"




def one():
    return sweep({"alpha": [1, 2, 3]}, test_error=lambda a: a)


def two():
    return sweep({"alpha": [1, 2, 3], "lam": [1, 2, 3]}, test_error=lambda a, x: a + x)


@pytest.mark.parametrize(("result", "names", "said"), [
    (one, 3, "got 3; expected the name of a quantity, or a list of names"), (one, 1.5, "got 1.5; expected the name"),
    (one, [3], r"got \[3\]; expected the name"), (one, ["test_error", 2], "got .*expected the name of a quantity, or"),
    (draws, 3, "got 3; expected the name of a quantity"), (draws, [], "got no quantity"),
    (draws, [None], r"got \[None\]; expected the name")])
def test_names_that_are_none(result, names, said):
    with pytest.raises(ak.DomainError, match=f"plot: {said}"):
        result().plot(names)


@pytest.mark.parametrize(("result", "style"), [
    *((r, "foo=1") for r in (path, draws, lambda: draws((3,), lam=[1, 2, 3]), lambda: ak.Activation("relu"), one, two)),
    (one, "color='nocolour'")])
def test_a_style_that_is_none_is_named(result, style):
    name, value = style.split("=")
    with pytest.raises(ak.DomainError, match=f"plot: got {style}; expected arguments that matplotlib draws with .*"):
        result().plot(**{name: 1 if value == "1" else value.strip("'")})
