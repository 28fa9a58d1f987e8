"""Labels that see the norm of an input at a finite width: published numbers, an independent solver, every route."""

import math

import numpy as np
import pytest
from helpers.classes_of_units import solve_ridge
from helpers.tiers import slow_but

import asympkit as ak
from asympkit.theories.one_step.parameters import exact_map
from asympkit.theories.spiked_features.parts import TrainedReadout

#: student and target with even parts, as texts and as functions of arrays
STUDENT, TARGET = "sin(z)+(z**2-1)/3", "z+(z**2-1)/2"
FUNCTIONS = (lambda x: np.sin(x) + (x * x - 1) / 3, lambda x: x + (x * x - 1) / 2)
SPIKED = {"r": 0.08, "c": 1.1, "gamma": 0.4, "alpha": 2.5, "beta": 0.8, "lam": 0.1, "noise_variance": 0.2}
STEP = {"eta": 0.3, "alpha0": 0.5, "alpha": 2.5, "beta": 0.8, "lam": 0.1, "noise_variance": 0.2}
pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")


@pytest.mark.parametrize(("loss", "lam", "r", "gamma", "width", "m"), slow_but([
    ("square", 0.1, 0.1, 0.5, 100, 1.537), ("square", 0.1, 0.05, 0.2, 100, 0.713),
    (ak.Huber(0.7), 0.05, 0.1, 0.5, 100, 1.316), (ak.Huber(0.7), 0.05, 0.1, 0.5, 300, 2.353)], 0, 1))
def test_published_means_of_the_readout(loss, lam, r, gamma, width, m):
    t = ak.SpikedFeatures("z+(z**2-1)/2", "z+(z**2-1)/sqrt(2)", loss=loss)
    s = t.solve(r=r, c=1, gamma=gamma, alpha=3, lam=lam, noise_variance=0.1, width=width)
    assert round(s["m"], 3) == m


@pytest.mark.parametrize("at", [{}, {"gamma": -0.7, "c": 0.9, "width": 90}, {"gamma": 1.0, "r": 0.5}], ids=str)
def test_an_independent_solver(at):
    at = {**SPIKED, "width": 160, **at}
    found = ak.SpikedFeatures(STUDENT, TARGET).solve(**at)
    rest = {n: v for n, v in at.items() if n not in ("r", "c")}
    own = solve_ridge(*FUNCTIONS, [(at["r"], at["c"], 1.0)], has_bend=True, **rest)
    for name in ("test_error", "clean_error", "train_error", "objective"):
        assert found[name] == pytest.approx(own[name], rel=1e-10), name
    for name in ("m", "psi", "q2", "V2"):
        assert found[name] == pytest.approx(own[name][0], rel=1e-8), name


def test_the_limit_and_odd_functions_do_not_have_it():
    t = ak.SpikedFeatures(STUDENT, TARGET)
    wide, limit = t.solve(**SPIKED, width=1e12), t.solve(**SPIKED)
    assert wide.test_error == pytest.approx(limit.test_error, rel=1e-8)
    functions = {name: ak.Activation(text) for name, text in (("student", STUDENT), ("target", TARGET))}
    odd = ak.Activation("sin")
    assert TrainedReadout().has_even_parts(functions)
    assert not TrainedReadout().has_even_parts({**functions, "target": odd})
    assert not TrainedReadout().has_even_parts({**functions, "student": odd})
    assert TrainedReadout(bias=0.1).has_even_parts({**functions, "student": odd})
    assert not TrainedReadout("logistic", "sign").has_even_parts(functions)


@pytest.mark.parametrize("bulk", slow_but(["spiked", "isotropic", "exact"]))
def test_methods(bulk):
    t, at = (ak.SpikedFeatures(STUDENT, TARGET), SPIKED) if bulk == "spiked" else \
        (ak.OneStep(STUDENT, TARGET, bulk=bulk), STEP)
    at = {**at, "width": 160, **({"noise_variance": 0.0} if bulk == "exact" else {})}
    s, exact = t.solve(**at), {n: v if n == "width" else str(v) for n, v in at.items()}
    precise = t.precise(digits=20, **exact)
    for name in (*s.observables, *s.order_parameters):
        size = max(abs(float(precise[name])), s.scale.get(name, 0.0))
        assert abs(s[name] - float(precise[name])) <= 1e-11 * size, name
    for backend in ("numpy", "numba"):
        swept = t.sweep(**{**at, "alpha": [2.5, 3.0]}, backend=backend)
        assert swept["test_error"][0] == pytest.approx(s.test_error, rel=1e-12)
    for name in set(at) - {"noise_variance"}:
        step = 1e-4 * at[name]
        up, down = (t.solve(**{**at, name: at[name] + h}).test_error for h in (step, -step))
        assert t.sensitivity("test_error", name, **at) == pytest.approx((up - down) / (2 * step), rel=2e-6), name
    if bulk != "exact":
        pytest.importorskip("flint")
        proved = t.certify(digits=12, **exact)
        assert proved.test_error.overlaps(ak.Ball(precise.test_error, 1e-18)) and proved.test_error.rad < 1e-12


@pytest.mark.slow
def test_losses_are_one_where_they_are_the_square():
    """Also for affine targets, whose residuals are not normal then."""
    for target in (TARGET, "z+1"):
        square = ak.SpikedFeatures(STUDENT, target).solve(**SPIKED, width=160)
        huber = ak.SpikedFeatures(STUDENT, target, loss=ak.Huber(1e6)).solve(**SPIKED, width=160)
        assert huber.test_error == pytest.approx(square.test_error, rel=1e-12)
        assert 2 * huber.objective == pytest.approx(square.objective, rel=1e-12)


def test_the_learned_function_has_a_square_across_the_spike():
    t, at = ak.SpikedFeatures(STUDENT, TARGET), {**SPIKED, "width": 160}
    s, z = t.solve(**at), np.array([-1.0, 0.0, 1.0])
    below, middle, above = t.learned_function(0.7, z, **at)
    line, weights = np.linspace(-9, 9, 181), np.exp(-np.linspace(-9, 9, 181) ** 2 / 2)
    field = FUNCTIONS[0](0.08 * 0.7 + np.sqrt(1.1) * line)
    slope = weights / weights.sum() @ ((line**2 - 1) * field) / 2.2
    assert above - 2 * middle + below == pytest.approx(2 * s["m"] * 1.1 * 0.8 / 160 * slope, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("at", [(2.0, 3.0, 1.0, 0.1), (-1.0, 1.5, 0.8, 0.4)], ids=str)
def test_the_covariance_of_rows_after_a_step(at):
    """Between the spike and the rest of the target: mean over layers that made a step, to terms of order 1/d."""
    eta, alpha0, beta, noise = at
    student, target, d, rng = ak.Activation("tanh(z+1)"), ak.Activation("z+z**2/3"), 500, np.random.default_rng(1)
    known, _ = exact_map(False).floats(dict(zip(("eta", "alpha0", "beta", "noise_variance"), at)),
                                       {"student": student, "target": target}, {})
    h0, h1 = student.hermite_coefficients(1)[:2]
    p, n0, theta, found = int(beta * d), int(alpha0 * d), np.eye(d)[0], []
    for _ in range(40):
        W, x = rng.standard_normal((p, d)), rng.standard_normal((n0, d))
        W /= np.linalg.norm(W, axis=1)[:, None]
        y = target(x @ theta) + math.sqrt(noise) * rng.standard_normal(n0) - h0
        W = W + eta / beta / n0 * ((student.derivative(W @ x.T) - h1) * y) @ x
        v = y @ x / np.linalg.norm(y @ x)
        rest = theta - (v @ theta) * v
        along, across = W @ v, W @ rest / np.linalg.norm(rest)
        found.append(d / p * np.array([along @ along, along @ across, across @ across]))
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / math.sqrt(40)
    expected = np.array([known["cov_vv"], known["rho"] * known["cov_vz"], known["cov_zz"]])
    assert np.all(np.abs(mean - expected) <= 3 * error + 5 / d * np.abs(expected)), (mean, error, expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["spiked", "network"])
def test_simulations(name, monkeypatch):
    """Without the term the mean of the readout is 2.5 and 4 standard errors off."""
    t, at = (ak.SpikedFeatures(STUDENT, TARGET), SPIKED) if name == "spiked" else \
        (ak.OneStep(STUDENT, TARGET, bulk="exact"), {**STEP, "eta": 0.1})
    drawn, s = t.simulate(**at, d=200, repeats=200, seed=7), t.solve(**at, width=160)
    for quantity in ("m", "test_error", "objective", "q2"):
        assert abs(drawn[quantity].mean - s[quantity]) < 3 * drawn[quantity].stderr, quantity
    monkeypatch.setattr(TrainedReadout, "has_even_parts", lambda self, functions: False)
    assert abs(drawn["m"].mean - t.solve(**at, width=160)["m"]) > 2.4 * drawn["m"].stderr
