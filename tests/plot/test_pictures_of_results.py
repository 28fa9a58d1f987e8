"""Pictures of minima, paths, simulations, reports and activations."""

import subprocess
import sys

import numpy as np
import pytest
from helpers.drawn import assert_inside, curves, legend
from sympy import symbols, tanh

import asympkit as ak
from asympkit.check import Report, Row
from asympkit.comparison import compare
from asympkit.continuation.run import Branch, BranchPoint, Continuation, Fold
from asympkit.minimize import Minimum, Optimum
from asympkit.simulate.simulation import Draws, Estimate

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


@pytest.mark.parametrize("result", [lambda: path(), lambda: draws(), lambda: draws((3,), lam=[1, 2, 3]),
                                    lambda: ak.Activation("relu")])
def test_a_style_that_is_none_is_named(result):
    with pytest.raises(ak.DomainError, match="plot: got foo=1; expected arguments that matplotlib draws with .*'foo'"):
        result().plot(foo=1)


@pytest.mark.parametrize(("names", "said"), [(3, "got 3; expected the name of a quantity"), ([], "got no quantity"),
                                             ([None], r"got \[None\]; expected the name")])
def test_names_that_are_none(names, said):
    with pytest.raises(ak.DomainError, match=f"plot: {said}"):
        draws().plot(names)


def test_several_quantities_have_panels_of_their_own():
    m, b = symbols("m b", positive=True)
    magnet = ak.Theory(name="magnet", unknowns=[m], parameters={b: ("coupling", "positive")},
                       equations=[m - tanh(b * m)], observables={"energy": -b * m**2 / 2})
    panels = magnet.continuation(over="b", start=1.2, stop=1.5).plot(["m", "energy"])
    assert [p.get_ylabel() for p in panels] == ["$m$", "energy"]
    stairs = ak.NonlinearSpikes("sin(z) + cos(z) - exp(-1/2)", "z").staircase(
        alpha_lr=np.linspace(0, 0.3, 3), phi=0.5, psi=0.5, lam=0.1)
    assert stairs.plot(["test_error", "train_error"]).shape == (2,)
