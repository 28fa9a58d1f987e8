"""Several large gradient steps: the map against quadrature of its own, tables, one step, exact bulk, and networks."""

import math

import numpy as np
import pytest
from scipy.special import erf

import asympkit as ak
from asympkit.activations.activation import shared_activation as activation
from asympkit.theories.gradient_steps.step import PAIRS, TINY, averages

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")

#: tanh on sin with three equal steps, and erf on tanh(2z) with three others and noise: r, gamma, c, loss before the
#: step, and the test error over an isotropic bulk, each from two independent codes
A = ("tanh", "sin", {"eta": [1.5, 1.5, 1.5], "alpha0": 4}, {"alpha": 2, "lam": 0.05}, [
    [.626814689522, .879156874764, 1.023716500573, .432332358382, .102104035225],
    [.835508558827, .961646508050, .924118312377, .177180946120, .054320175005],
    [.971734050358, .984860251327, .819770267129, .093426151897, .034023428446]])
B = ("erf", "tanh(2*z)", {"eta": [1, 2, .7], "alpha0": [5, 5, 5], "beta": .8, "noise_variance": .1},
     {"alpha": 2.5, "lam": .02}, [
         [.671119712886, .885148971729, 1.033315801629, .735261234257, .315491199149],
         [1.207748451168, .941379170697, .821634496172, .376934568573, .237339255199],
         [1.259695301789, .968081234838, .767108919522, .229138609613, .208237959863]])
#: the same of population gradients: test errors of one to four steps, with rows that differ
POPULATION = (("tanh", "3*sin(z)", .05, [.088227942913, .099048664359, .142971257635, .176946937459]),
              ("tanh", "sin", .01, [.077262763439, .046059952231, .030185606707]))


def first(schedule, count):
    """The first steps of a schedule."""
    return {n: v[:count] if isinstance(v, list) else v for n, v in schedule.items()}


@pytest.mark.parametrize("student, target, schedule, at, rows", [A, pytest.param(*B, marks=pytest.mark.slow)],
                         ids=["tanh", "erf"])
def test_tables_over_an_isotropic_bulk(student, target, schedule, at, rows):
    t = ak.GradientSteps(student, target, modes="isotropic")
    path = t.path(**schedule)
    np.testing.assert_allclose(np.transpose([path[n] for n in ("r", "gamma", "c", "loss")]), np.array(rows)[:, :4],
                               atol=6e-13)
    for count, row in enumerate(rows, 1):
        solution = t.solve(**first(schedule, count), **at)
        assert solution.test_error == pytest.approx(row[4], abs=6e-13)
        assert solution.parameters["r"] == pytest.approx(path["r"][count - 1], rel=1e-13)


def test_one_step_is_that_of_the_paper():
    at = {"alpha": 2, "lam": .05, "eta": 1.5, "alpha0": 4}
    one, steps = ak.OneStep("tanh", "sin"), ak.GradientSteps("tanh", "sin", steps=1)
    listed = ak.GradientSteps("tanh", "sin", modes="isotropic")
    for more in ({}, {"alpha0": math.inf}, {"eta": 0}):
        here = {**at, **more}
        assert steps.solve(**here).test_error == pytest.approx(one.solve(**here).test_error, rel=1e-13)
        pair = {n: [here[n]] for n in ("eta", "alpha0")}
        assert listed.solve(**{**here, **pair}).test_error == pytest.approx(one.solve(**here).test_error, rel=1e-13)
    at_rest = {**at, "alpha0": math.inf}        # without a spike
    even, one_even = ak.GradientSteps("tanh", "z**2"), ak.OneStep("tanh", "z**2")
    assert even.solve(**at_rest).test_error == one_even.solve(**at_rest).test_error
    assert steps.sensitivity("test_error", "alpha0", **at) == one.sensitivity("test_error", "alpha0", **at)


@pytest.mark.slow
def test_one_step_with_a_width_or_another_loss():
    at = {"alpha": 2, "lam": .05, "eta": 1.5, "alpha0": 4}
    for loss, more in (("square", {"width": 300}), ("absolute", {}), ("absolute", {"alpha0": math.inf})):
        one, steps = ak.OneStep("tanh", "sin", loss=loss), ak.GradientSteps("tanh", "sin", loss=loss)
        assert steps.solve(**{**at, **more}).test_error == one.solve(**{**at, **more}).test_error
    # after population gradients the target lies along the spike, whose equations differ
    several = ak.GradientSteps("tanh", "sin", loss="absolute")
    nearly = several.solve(eta=[1, 1], alpha0=1e9, alpha=2, lam=.1).test_error
    assert several.solve(eta=[1, 1], alpha0=math.inf, alpha=2, lam=.1).test_error == pytest.approx(nearly, rel=1e-6)


def test_the_general_map_at_the_start_is_the_step_of_the_paper():
    """The map of later steps, which is derived by itself, against Result 3.1; a student that is not odd."""
    t = ak.GradientSteps("tanh(z+0.4)", "sin", modes="isotropic")
    shown = {"eta": 1.2, "alpha0": 3.0, "beta": .8, "noise_variance": .2}
    ours = t.path(**{n: [v] if n == "eta" else v for n, v in shown.items()})
    theirs = ak.OneStep("tanh(z+0.4)", "sin").parameters_at(**shown)
    for n, v in theirs.items():
        assert ours[n][0] == pytest.approx(v, rel=1e-13)


@pytest.mark.parametrize("student, target, lam, errors", [pytest.param(*POPULATION[0], marks=pytest.mark.slow),
                                                          POPULATION[1]], ids=["3sin", "sin"])
def test_population_gradients_with_rows_that_differ(student, target, lam, errors):
    t = ak.GradientSteps(student, target, modes="rows")
    for count, error in enumerate(errors, 1):
        found = t.solve(eta=[1.5] * count, alpha0=math.inf, alpha=2, lam=lam)
        assert found.test_error == pytest.approx(error, abs=6e-13)


@pytest.mark.parametrize("student, target, eta, alpha0, noise, apart", [
    ("tanh", "sin", 1.5, 4, 0, 1e-5), *[pytest.param(*case, marks=pytest.mark.slow) for case in (
        ("erf", "tanh(2*z)", 1.25, 5, .1, 1e-5), ("tanh", "3*sin(z)", 1.5, 4, 0, 2e-3), ("tanh", "sin", 3, 1, .1, 2e-3),
        ("tanh(z+0.4)", "sin", 1.5, 4, 0, 3e-3))]])
def test_rows_after_one_step_are_those_of_the_exact_bulk(student, target, eta, alpha0, noise, apart):
    """What is left is the anisotropy of the batch across the directions; an isotropic bulk is up to 3 % off."""
    at = {"eta": eta, "alpha0": alpha0, "alpha": 2, "lam": .05, "noise_variance": noise}
    exact = ak.OneStep(student, target, bulk="exact").solve(**at)
    rows = ak.GradientSteps(student, target, modes="rows").solve(**at)
    assert rows.test_error == pytest.approx(exact.test_error, rel=apart)
    assert rows["q2"] == pytest.approx(exact["q2"], rel=10 * apart)


NODES = np.arange(-9, 9.001, .05)
WEIGHTS = np.exp(-NODES**2 / 2) / np.exp(-NODES**2 / 2).sum()


def test_averages_are_those_of_a_quadrature_of_our_own():
    r, c, gamma, rho, noise = .7, 1.1, .8, .6, .3
    kappa = NODES[:, None]
    argument = r * kappa + np.sqrt(c) * NODES
    slope = 2 / np.sqrt(np.pi) * np.exp(-argument**2)
    s1, u = slope @ WEIGHTS, slope - (slope @ WEIGHTS)[:, None]
    residual = np.sin(gamma * kappa + rho * NODES) - (erf(argument) @ WEIGHTS)[:, None]
    f2 = (residual**2) @ WEIGHTS + noise
    f3 = (residual**3) @ WEIGHTS + 3 * noise * (residual @ WEIGHTS)
    f4 = (residual**4) @ WEIGHTS + 6 * noise * (residual**2 @ WEIGHTS) + 3 * noise**2
    s2, s3 = (slope * argument * -2) @ WEIGHTS, (slope * (4 * argument**2 - 2)) @ WEIGHTS       # of erf
    expected = {"s1_1v": s1 * NODES * (residual @ WEIGHTS), "s1_1z": s1 * ((residual * NODES) @ WEIGHTS),
                "s2_1zz": s2 * ((residual * NODES**2) @ WEIGHTS), "u03_3n": (u**3 @ WEIGHTS) * s1 * f4,
                "u12_2n": ((u**2 * NODES) @ WEIGHTS) * s1 * f3, "s3_1n": s3 * s1 * f2,
                "u02_2zz": (u**2 @ WEIGHTS) * ((residual**2 * NODES**2) @ WEIGHTS + noise),
                "u02_2zn": (u**2 @ WEIGHTS) * s1 * ((residual**3 * NODES) @ WEIGHTS
                                                    + 3 * noise * ((residual * NODES) @ WEIGHTS))}
    functions = {"student": activation("erf"), "target": activation("sin")}
    at = {"r": r, "c": c, "gamma": gamma, "rho": rho, "noise_variance": noise}
    found = averages(True, "vzn").floats(at, functions)
    for n, e in expected.items():
        assert found[n] == pytest.approx(float(e @ WEIGHTS), rel=1e-11), n
    along = averages(True, "vzn").floats({**at, "r": r + 1j * TINY}, functions)
    above, below = (averages(True, "vzn").floats({**at, "r": r + h}, functions) for h in (1e-5, -1e-5))
    for n, v in along.items():
        assert v.imag / TINY == pytest.approx((above[n] - below[n]) / 2e-5, rel=1e-7, abs=1e-8), n


def test_derivatives_by_every_step():
    t = ak.GradientSteps("tanh", "sin", modes="isotropic")
    at = {"eta_1": 1.5, "eta_2": 1.2, "alpha0_1": 4.0, "alpha0_2": 3.0, "alpha": 2.0, "lam": .05, "beta": .9,
          "noise_variance": .1}
    for n in ("eta_1", "alpha0_2", "beta"):
        rate, h = t.sensitivity("test_error", n, **at), 1e-4
        around = [t.solve(**{**at, n: at[n] + k * h}).test_error for k in (-2, -1, 1, 2)]
        assert rate == pytest.approx((around[0] - 8 * around[1] + 8 * around[2] - around[3]) / (12 * h), abs=1e-9)
    equal = ak.GradientSteps("tanh", "sin", modes="isotropic", steps=2)
    at = {"alpha0": 4, "alpha": 2, "lam": .05}
    both = t.sensitivity("test_error", ["eta_1", "eta_2"], eta=[1.5, 1.5], **at)
    assert equal.sensitivity("test_error", "eta", eta=1.5, **at) == pytest.approx(sum(both.values()), rel=1e-10)
    swept = equal.sweep(eta=np.array([1.0, 1.5]), **at)
    assert swept["test_error"][1] == pytest.approx(t.solve(eta=[1.5, 1.5], **at).test_error, rel=1e-10)


@pytest.mark.slow
def test_derivatives_and_digits_with_rows():
    t = ak.GradientSteps("tanh", "sin")
    at = {"eta_1": 1.5, "eta_2": 1.2, "alpha0_1": 4.0, "alpha0_2": 3.0, "alpha": 2.0, "lam": .05, "beta": .9,
          "noise_variance": .1, "width": 250.0}
    for n in ("eta_1", "eta_2", "alpha0_2", "beta"):
        rate, h = t.sensitivity("test_error", n, **at), 1e-4
        around = [t.solve(**{**at, n: at[n] + k * h}).test_error for k in (-2, -1, 1, 2)]
        assert rate == pytest.approx((around[0] - 8 * around[1] + 8 * around[2] - around[3]) / (12 * h), abs=1e-9)
    exact = {n: str(v) for n, v in at.items() if n != "width"}
    found = t.precise(digits=20, **exact)
    assert float(found.test_error) == pytest.approx(t.solve(**{n: float(v) for n, v in exact.items()}).test_error,
                                                    rel=1e-11)


@pytest.mark.slow
def test_a_proof_goes_through_all_steps():
    pytest.importorskip("flint")
    at = {"eta": ["3/2", 1], "alpha0": 4, "alpha": 2, "lam": "1/20"}
    for modes in ("isotropic", "rows"):
        t = ak.GradientSteps("tanh", "sin", modes=modes)
        proved = t.certify(digits=12, **at)
        assert proved["test_error"].contains(t.precise(digits=20, **at).test_error)


def test_schedules_that_are_refused():
    t, at = ak.GradientSteps("tanh", "sin"), {"alpha": 2, "lam": .05}
    with pytest.raises(ak.DomainError, match="expected one number for each step"):
        t.solve(eta=[1, 1], alpha0=[1, 1, 1], **at)
    with pytest.raises(ak.DomainError, match="given together with eta_2"):
        t.solve(eta=[1, 1], eta_2=1, alpha0=2, **at)
    with pytest.raises(ak.DomainError, match="makes no spike"):
        t_even = ak.GradientSteps("tanh", "z**2")
        t_even.path(eta=[1, 1], alpha0=math.inf)
    with pytest.raises(ak.DomainError, match="with steps=2; expected a number"):
        ak.GradientSteps("tanh", "sin", steps=2).path(eta=[1, 1], alpha0=2)
    with pytest.raises(ak.DomainError, match="step of size 0"):
        ak.GradientSteps("tanh", "sin", modes="isotropic").sensitivity("test_error", "eta_2", eta=[1.5, 0.0], alpha0=4,
                                                                       **at)
    with pytest.raises(ak.DomainError, match="not sampled"):
        t.simulate(eta=[1, 1], alpha0=[2, math.inf], d=50, **at)
    with pytest.raises(ak.NotAvailableError, match="several steps"):
        t.generate("steps.py")
    no_step = t.path(eta=[1.5, 0, 1.5], alpha0=4)
    assert no_step["r"][1] == no_step["r"][0] and math.isnan(no_step["loss"][1])
    assert no_step["r"][2] == t.path(eta=[1.5, 1.5], alpha0=4)["r"][1]


@pytest.mark.slow
def test_the_horizon_is_reported():
    """Rows of this student move apart along the spike: at d = 300 networks have 0.163, the theory 0.246."""
    t = ak.GradientSteps("z*exp(-z**2/8)", "sin(2*z)")
    schedule = {"eta": [2] * 4, "alpha0": math.inf, "beta": .7}
    shown = t.path(**schedule)
    with pytest.warns(ak.AssumptionWarning, match="horizon"):
        solution = t.solve(**schedule, alpha=2, lam=.05, width=210)
    assert solution.parameters["spread"] > 7 and shown["r"][-1] == solution.parameters["r"]
    with pytest.raises(ak.DomainError, match="beyond the horizon"):
        t.solve(**schedule, alpha=2, lam=.05, width=70)


@pytest.mark.slow
def test_networks_of_two_and_three_steps():
    for target, count in (("sin", 2), ("sin", 3), ("3*sin(z)", 2)):
        t = ak.GradientSteps("tanh", target)
        at = {"eta": [1.5] * count, "alpha0": 4, "alpha": 2, "lam": .05}
        network = t.simulate(d=300, repeats=40, **at)["test_error"]
        theory = t.solve(**at, width=300)
        # terms of order 1/d remain
        assert abs(network.mean - theory.test_error) < 3 * network.stderr + theory.test_error / 300


@pytest.mark.slow
def test_rows_of_networks_after_two_steps():
    """Covariances of the coordinates of rows of networks of a code of its own."""
    d, p, n0, eta, draws = 400, 400, 1600, 1.5, 24
    rng, found = np.random.default_rng(1), []
    for _ in range(draws):
        W = rng.standard_normal((p, d))
        W /= np.linalg.norm(W, axis=1)[:, None]
        theta = rng.standard_normal(d)
        theta /= np.linalg.norm(theta)
        for _ in range(2):
            x = rng.standard_normal((n0, d))
            h = np.tanh(x @ W.T)
            missing = 3 * np.sin(x @ theta) - h.mean(axis=1)
            W = W + eta * d / (p * n0) * ((1 - h**2) * missing[:, None]).T @ x
        spike = W.mean(axis=0)
        v = spike / np.linalg.norm(spike)
        z = theta - (theta @ v) * v
        z /= np.linalg.norm(z)
        rows = W - spike
        X = np.sqrt(d) * np.array([rows @ v, rows @ z, (rows**2).sum(axis=1)])
        C = np.cov(X)
        found.append([C[0, 0], C[0, 1], C[1, 1], C[0, 2], C[1, 2], C[2, 2]])
    theory = ak.GradientSteps("tanh", "3*sin(z)")
    two = theory._listed({"eta": [eta, eta]})
    values = {"eta_1": eta, "eta_2": eta, "alpha0_1": 4.0, "alpha0_2": 4.0, "beta": 1.0, "noise_variance": 0.0}
    last = two.layer.path(values)[-1]
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(draws)
    for name, m, e in zip(PAIRS, mean, error):
        size = math.sqrt(last[f"rows_{name[0]}{name[0]}"] * last[f"rows_{name[1]}{name[1]}"])
        assert abs(m - last[f"rows_{name}"]) < 4 * e + .05 * size, (name, m, e, last[f"rows_{name}"])
