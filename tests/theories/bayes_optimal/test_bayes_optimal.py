"""The Bayes optimum: printed values, proofs, hard phases, message passing, floors under learning curves."""

import pickle
from functools import cache

import mpmath
import numpy as np
import pytest

import asympkit as ak


@cache
def optimum(target, labels="regression"):
    return ak.BayesOptimal(target, labels)


#: target, noise, alpha; overlap, conjugate, clean error and potential on several grids of another program
SHEET = [("sin", 0.1, 6, 0.9630704336905, 26.07857415977, 0.0206736457669, -3.321701033477),
         ("sin", 0.1, 3.5, 0.92510498215, 12.352022988, 0.04134213606, -2.34932809845),
         ("sin", 0.1, 1, 0.56109729305, 1.27840927876, 0.21491341397, -0.93439945544),
         ("tanh", 0.05, 2, 0.879875447728, 7.3246928383, 0.053877490682, -1.123690141304)]


@pytest.mark.parametrize(("target", "noise", "alpha", "q", "qhat", "clean", "potential"), SHEET)
def test_printed_values(target, noise, alpha, q, qhat, clean, potential):
    found = optimum(target).solve(alpha=alpha, noise_variance=noise)
    assert [found["q"], found["qhat"], found.clean_error, found.free_entropy] == pytest.approx(
        [q, qhat, clean, potential], rel=1e-10)
    assert found.test_error == pytest.approx(found.clean_error + noise, rel=1e-14)


@pytest.mark.slow
def test_printed_values_of_a_steep_target():
    found = optimum("sin(2*z)").solve(alpha=7, noise_variance=0.1)
    assert [found["q"], found.clean_error] == pytest.approx([0.9907707, 0.0181282], abs=1e-7)
    assert [found["qhat"], found.free_entropy] == pytest.approx([107.3512, -4.284345], abs=1e-4)


@pytest.mark.parametrize("noise", [0, 0.25])
def test_linear_target_is_ridge_regression(noise):
    """Of linear labels the optimum is ridge regression with the noise as penalty: a quadratic equation (noise > 0), and
    for signs without noise the published .174534."""
    if not noise:
        found = optimum("z", "sign").solve(alpha=2)
        assert found.clean_error == pytest.approx(np.arccos(np.sqrt(found["q"])) / np.pi, rel=1e-14)
        assert found.test_error == found.clean_error == pytest.approx(0.17453418557984769875, rel=1e-13)
        return
    found, alpha = optimum("z").solve(alpha=1.5, noise_variance=noise), 1.5
    V = (1 - alpha - noise + np.sqrt((1 - alpha - noise) ** 2 + 4 * noise)) / 2     # V = 1/(1 + alpha/(noise + V))
    assert [1 - found["q"], found.clean_error] == pytest.approx([V, V], rel=1e-12)


@pytest.mark.slow
def test_signs_are_proved():
    proved = optimum("z", "sign").certify(alpha=2, digits=12)
    with mpmath.workdps(40):
        assert abs(proved.clean_error.mid - mpmath.mpf("0.17453418557984769875")) < 1e-19
    precise = optimum("z", "sign").precise(alpha=2, noise_variance="1/10", digits=20)
    proved = optimum("z", "sign").certify(alpha=2, noise_variance="1/10", digits=20)
    for name in ("q", "clean_error", "free_entropy"):
        with mpmath.workdps(40):
            assert abs(proved[name].mid - precise[name]) < 1e-19


@pytest.mark.slow
@pytest.mark.parametrize(("target", "alpha"), [("sin", 1), ("tanh", 2)])
def test_digits(target, alpha):
    precise = optimum(target).precise(alpha=alpha, noise_variance="1/10", digits=15)
    found = optimum(target).solve(alpha=alpha, noise_variance=0.1)
    assert [float(precise[n]) for n in ("q", "free_entropy", "clean_error")] == pytest.approx(
        [found[n] for n in ("q", "free_entropy", "clean_error")], rel=1e-12)
    if target == "sin":
        with mpmath.workdps(30):
            exact = (1 - mpmath.exp(-2)) / 2 - mpmath.exp(-1) * mpmath.sinh(precise["q"])
            assert abs(precise["clean_error"] - exact) < 1e-15


@pytest.mark.slow
def test_derivatives():
    at, h = {"alpha": 2.0, "noise_variance": 0.1}, 1e-4
    found = optimum("sin").sensitivity("clean_error", ["alpha", "noise_variance"], **at)
    for name, rate in found.items():
        near = [optimum("sin").solve(**{**at, name: at[name] + s}).clean_error for s in (-h, h)]
        assert rate == pytest.approx((near[1] - near[0]) / (2 * h), rel=1e-6)
    rate = optimum("sin").sensitivity("free_entropy", "alpha", **at)        # stationary: the entropy itself
    s = optimum("sin").solve(**at)
    assert rate == pytest.approx((s.free_entropy - (s["qhat"] - np.log1p(s["qhat"]) - s["q"] * s["qhat"]) / 2) / 2.0)


def test_fixed_points():
    found = optimum("cos(3*z)").fixed_points(alpha=4, noise_variance=0.1)
    assert found.is_hard and found.is_stable == (True, False, True) and found.reached["q"] == 0.0
    assert found.optimum["q"] == pytest.approx(optimum("cos(3*z)").solve(alpha=4, noise_variance=0.1)["q"], rel=1e-12)


@pytest.mark.slow
def test_hard_phase():
    model, at = optimum("cos(3*z)"), {"noise_variance": 0.1}
    edges = model.thresholds(**at)
    # weak recovery: the published integral, by another rule
    points, weights = np.polynomial.legendre.leggauss(800)
    z, y = 9 * points, 4 * points
    w = 9 * weights * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    N = np.exp(-((y[:, None] - np.cos(3 * z)) ** 2) / 0.2) / np.sqrt(0.2 * np.pi)
    weak = 4 * weights @ ((N @ (w * (z**2 - 1))) ** 2 / (N @ w))
    assert 1 / edges["weak_recovery"] == pytest.approx(weak, rel=1e-10)
    places = 0.99 * edges["appears"], 0.99 * edges["optimal"], 1.01 * edges["optimal"]
    before, easy, hard = (model.fixed_points(alpha=a, **at) for a in places)
    assert [s["q"] for s in before.solutions] == [0.0] and not before.is_hard
    assert easy.is_stable == hard.is_stable == (True, False, True)
    assert easy.optimum["q"] == 0.0 and not easy.is_hard
    assert hard.is_hard and hard.reached["q"] == 0.0 and hard.optimum["q"] == pytest.approx(0.98, abs=2e-3)
    assert hard.optimum.free_entropy > hard.reached.free_entropy > hard.solutions[1].free_entropy
    assert str(hard).endswith("hard phase") and "unstable" in str(hard)
    assert model.solve(alpha=1.01 * edges["optimal"], **at)["q"] == pytest.approx(hard.optimum["q"], rel=1e-12)
    two = model.solve(alpha=3, start={"q": 0.0}, **at)                                     # another, where asked for
    assert two["q"] == 0.0 and two.clean_error == pytest.approx(0.5 * (1 - np.exp(-9)) ** 2, rel=1e-12)


@pytest.mark.slow
def test_targets_with_a_linear_part_have_hard_phases_too():
    """The overlap that message passing ends in is positive, and still not the optimum."""
    edges = optimum("sin(2*z)").thresholds(noise_variance=0.1)
    assert edges["weak_recovery"] is None and edges["appears"] < edges["optimal"] < edges["reached"]
    found = optimum("sin(2*z)").fixed_points(alpha=(edges["optimal"] + edges["reached"]) / 2, noise_variance=0.1)
    assert found.is_hard and 0.1 < found.reached["q"] < found.optimum["q"]
    assert optimum("sin").thresholds(noise_variance=0.1)["optimal"] is None


@pytest.mark.slow
def test_paths_pass_the_fold():
    model = optimum("cos(3*z)")
    path = model.continuation(over="alpha", start=4, stop=1.5, noise_variance=0.1)
    assert path.folds[0].parameter == pytest.approx(model.thresholds(noise_variance=0.1)["appears"], rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "labels", "alpha", "noise"), [
    ("sin", "regression", 3.5, 0.1), ("sin", "regression", 1, 0.1), ("tanh", "regression", 2, 0.05),
    ("z", "sign", 2, 0.0), ("z**2-1", "regression", 2, 0.1)])
def test_message_passing(target, labels, alpha, noise):
    model = optimum(target, labels)
    run, found = model.simulate(alpha=alpha, noise_variance=noise, d=800, repeats=10, seed=3), model.solve(
        alpha=alpha, noise_variance=noise)
    for name in ("q", "clean_error", "test_error"):
        assert abs(run[name].mean - found[name]) < 3 * run[name].stderr, name
        assert run[name].stderr < 0.1 * run[name].mean


@pytest.mark.slow
def test_message_passing_is_stuck_in_a_hard_phase():
    run = optimum("cos(3*z)").simulate(alpha=4, noise_variance=0.1, d=100, repeats=2)
    found = optimum("cos(3*z)").fixed_points(alpha=4, noise_variance=0.1)
    assert found.optimum["q"] > 0.98 and run["q"].mean < 0.5 and run["clean_error"].mean > 0.3


@pytest.mark.slow
def test_compiled_loops_and_exported_modules(tmp_path, monkeypatch):
    model, alphas = optimum("sin"), np.linspace(0.5, 6, 5)
    ways = [model.sweep(alpha=alphas, noise_variance=0.1, backend=b) for b in ("numpy", "numba")]
    assert np.all(ways[0].converged) and ways[1]["q"] == pytest.approx(ways[0]["q"], rel=1e-12)
    model.generate(tmp_path / "bayes_module.py")
    monkeypatch.syspath_prepend(tmp_path)
    import bayes_module

    assert bayes_module.solve(alpha=6, noise_variance=0.1)["q"] == pytest.approx(0.9630704336905, rel=1e-12)
    for language, suffix in (("c", "h"), ("jax", "py")):
        with pytest.raises(ak.DomainError, match="python"):
            model.generate(tmp_path / f"other.{suffix}", language=language)


def test_floor_under_learning_curves():
    pytest.importorskip("matplotlib")
    model, at = ak.OneStep("tanh", "sin"), {"lam": 0.1, "eta": 1.0, "alpha0": 1.0, "noise_variance": 0.1}
    ax = model.plot("clean_error", alpha=[1.0, 2.5], optimum=True, **at)
    floor = next(line for line in ax.lines if line.get_linestyle() == ":")
    assert floor.get_ydata() == pytest.approx(
        [optimum("sin").solve(alpha=a, noise_variance=0.1).clean_error for a in (2.0, 3.5)], rel=1e-10)
    assert np.all(floor.get_ydata() < ax.lines[0].get_ydata())
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["optimum, all alpha + alpha0 samples"]
    for other, given in ((ak.SpikedFeatures("tanh", "sin"), {"r": 1, "c": 1, "gamma": 0.5, "lam": 0.1}),
                         (ak.Ridge(([1], [1]), [0.5], 1), {"lam": 0.1})):
        with pytest.raises(ak.DomainError, match="optimum=True"):
            other.plot("test_error", optimum=True, **given, **{"n" if "n" in other.names else "alpha": [1.0, 2.0]})
    with pytest.raises(ak.DomainError, match="optimum=True with objective"):
        model.plot("objective", alpha=[1.0, 2.0], optimum=True, **at)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
def test_floor_counts_all_batches():
    pytest.importorskip("matplotlib")
    at = {"alpha": [0.5, 1.5], "lam": 0.1, "noise_variance": 0.1, "optimum": True}
    ways = ({}, [1, 1], [1, 2]), ({"steps": 3}, 1.0, 1.0)
    lines = [ak.GradientSteps("tanh", "sin", **more).plot("test_error", eta=eta, alpha0=alpha0, **at).lines
             for more, eta, alpha0 in ways]
    expected = [optimum("sin").solve(alpha=a, noise_variance=0.1).test_error for a in (3.5, 4.5)]
    for found in lines:
        floor = next(line for line in found if line.get_linestyle() == ":")
        assert floor.get_ydata() == pytest.approx(expected, rel=1e-10)


def test_refusals_and_copies():
    with pytest.raises(ak.DomainError, match="requires target='z'"):
        ak.BayesOptimal("sin", labels="sign")
    with pytest.raises(ak.DomainError, match="noise_variance: got 0"):
        optimum("sin").solve(alpha=1, noise_variance=0)
    with pytest.raises(ak.ProofError, match="precise"):
        optimum("sin").certify(alpha=1, noise_variance="1/10")
    again = pickle.loads(pickle.dumps(optimum("sin")))
    assert again.solve(alpha=1, noise_variance=0.1)["q"] == pytest.approx(0.56109729305, rel=1e-10)


@pytest.mark.parametrize("target", ["sin(2*z)-2*exp(-2)*z", pytest.param("z**3-3*z", marks=pytest.mark.slow)])
def test_an_odd_target_without_a_linear_part_has_no_zero_overlap(target):
    """Labels tell the sign of the field: zero overlap is no fixed point, though E[z f(z)] = 0."""
    assert optimum(target).thresholds(noise_variance=1)["weak_recovery"] is None
    points = optimum(target).fixed_points(alpha=2, noise_variance=1)
    assert [s["q"] > 0.01 for s in points.solutions] == [True] and not points.is_hard


def test_thresholds_beyond_the_largest_alpha_are_not_named():
    found = optimum("cos(3*z)").thresholds(noise_variance=0.1, largest=10)
    assert found["reached"] is None and found["optimal"] == pytest.approx(2.67575, abs=1e-4)


def test_derivatives_of_a_target_whose_kernel_does_not_close():
    model, at, step = optimum("tanh"), {"alpha": 2.0, "noise_variance": 0.5}, 1e-4
    for name in at:
        up, down = (model.solve(**{**at, name: at[name] + h}).test_error for h in (step, -step))
        assert model.sensitivity("test_error", name, **at) == pytest.approx((up - down) / (2 * step), rel=1e-6)


@pytest.mark.parametrize(("target", "noise", "kind", "text"), [
    ("z**2-1", 1e-3, ak.ConvergenceError, "need lattices beyond memory at the overlap .*; expected more noise"),
    ("tanh", 1e-12, ak.ConvergenceError, "need lattices beyond memory"),
    ("sqrt(abs(z))", 0.5, ak.DomainError, "whose slope is infinite: no lattice resolves its labels")])
def test_labels_that_no_lattice_resolves(target, noise, kind, text):
    with pytest.raises(kind, match=text):
        ak.BayesOptimal(target).solve(alpha=0.8, noise_variance=noise)


def test_a_target_that_decays_is_no_target_that_grows():
    found = ak.BayesOptimal("exp(-z**2)*z").solve(alpha=3, noise_variance=0.01)
    assert found["q"] == pytest.approx(found["qhat"] / (1 + found["qhat"]), rel=1e-12) and found.clean_error < 0.01
    with pytest.raises(ak.DomainError, match="which grows exponentially"):
        ak.BayesOptimal("exp(z)")
