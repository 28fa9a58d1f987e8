"""Classes of hidden units, and labels that see the norm of an input: an independent solver, methods, networks."""

import math
import warnings
from functools import cache

import numpy as np
import pytest
from helpers.classes_of_units import solve_ridge
from helpers.tiers import slow_but

import asympkit as ak
from asympkit.theories.one_step.parameters import exact_map
from asympkit.theories.spiked_features.class_features import ClassFeatures
from asympkit.theories.spiked_features.classes import UnitClasses, UnitsLayer, read_overlap, read_units
from asympkit.theories.spiked_features.parts import TrainedReadout

pytestmark = pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")

TWO = [(1.5, 1.3, 0.5), (0.5, 1.05, 0.5)]
FOUR = [(-1.4, 1.2, 0.25), (-0.5, 1.02, 0.25), (0.7, 1.05, 0.3), (2.0, 1.4, 0.2)]
RANK_TWO = [((1.2, 0.4), 1.1, 0.3), ((-0.3, 1.0), 1.0, 0.3), ((0.6, -0.9), 1.2, 0.4)]
#: every parameter away from its default
MOVED = {"gamma": -0.35, "alpha": 1.4, "lam": 0.07, "beta": 0.8, "noise_variance": 0.3}
FUNCTIONS = {"tanh": np.tanh, "sin(2*z)": lambda x: np.sin(2 * x), "sin": np.sin,
             "z+z**2/2": lambda x: x + x * x / 2, "cos(z)+z": lambda x: np.cos(x) + x}


class Unmerged(UnitsLayer):
    """Keep equal and opposite classes apart."""

    def read(self, given):
        return read_units(given["units"]), read_overlap(given["gamma"], self.classes.rank)


@cache
def features(student="tanh", target="sin(2*z)", **options):
    return ak.SpikedFeatures(student, target, **options)


@cache
def without_merging(count, rank=1, is_orthogonal=False, has_common_mode=True, student="tanh", target="sin(2*z)"):
    layer = Unmerged(UnitClasses(count, rank, is_orthogonal, has_common_mode), is_odd=False)
    one = ak.SpikedFeatures(student, target)
    return ClassFeatures(one.functions, one.readout, one.case, layer)


@pytest.mark.parametrize("units, rows, limit, at_width", [
    (TWO, "sphere", 0.07729040845826, 0.1802436528912),
    pytest.param(TWO, "orthogonal", 0.0829237713, 0.2589605122, marks=pytest.mark.slow),
    pytest.param(FOUR, "sphere", 0.4588862422841, 0.4690373420086, marks=pytest.mark.slow)])
def test_published_numbers(units, rows, limit, at_width):
    """Those at a width were computed without the common mode."""
    theory = without_merging(len(units), 1, rows == "orthogonal", has_common_mode=False)
    at = {"units": units, "gamma": 1.0 if units is TWO else 0.8, "alpha": 2, "lam": 0.1}
    assert theory.solve(width=math.inf, **at).test_error == pytest.approx(limit, abs=5e-11)
    assert theory.solve(width=500, **at).test_error == pytest.approx(at_width, abs=5e-11)
    assert features(rows=rows).solve(width=math.inf, **at).test_error == pytest.approx(limit, abs=5e-11)


@pytest.mark.slow
def test_published_numbers_at_another_width_and_with_two_directions():
    four, two = without_merging(4, has_common_mode=False), without_merging(3, 2, has_common_mode=False, target="sin")
    at = {"units": FOUR, "gamma": 0.8, "alpha": 2, "beta": 1.5, "lam": 0.1}
    assert four.solve(width=math.inf, **at).test_error == pytest.approx(0.4565871992431, abs=1e-12)
    assert four.solve(width=750, **at).test_error == pytest.approx(0.4632639146390, abs=1e-12)
    at = {"units": RANK_TWO, "gamma": (0.7, 0.5), "alpha": 2, "lam": 0.1}
    assert two.solve(width=math.inf, **at).test_error == pytest.approx(0.1098751995804, abs=1e-12)
    assert two.solve(width=500, **at).test_error == pytest.approx(0.1113201586044, abs=1e-12)


@pytest.mark.parametrize("student, target, rows, bias, units, more", [
    ("tanh", "sin(2*z)", "sphere", 0.0, [(1.7, 1.3, 0.2), (-0.4, 0.8, 0.8)], {}),
    ("z+z**2/2", "cos(z)+z", "sphere", 0.0, [(0.3, 1.3, 0.4), (-0.4, 0.8, 0.6)], {}),
    ("tanh", "sin(2*z)", "orthogonal", 0.0, [(1.7, 1.3, 0.2), (-0.4, 0.8, 0.8)], {}),
    pytest.param("tanh", "cos(z)+z", "sphere", 0.4, [(1.7, 1.3, 0.2), (-0.4, 0.8, 0.8)], {}, marks=pytest.mark.slow),
    pytest.param("tanh", "cos(z)+z", "sphere", 0.0, [(1.1, 1.3, 0.2), (-0.4, 0.8, 0.3), (0.2, 1.0, 0.5)],
                 {"beta": 1.7}, marks=pytest.mark.slow),
    pytest.param("tanh", "sin", "sphere", 0.0, RANK_TWO[:1] + [((0.2, -0.7), 0.9, 0.7)], {"gamma": (0.6, -0.3)},
                 marks=pytest.mark.slow),
    pytest.param("tanh", "sin", "sphere", 0.0, [((1.2, 0.4, -0.3), 1.1, 0.3), ((0.2, -0.7, 0.5), 0.9, 0.7)],
                 {"gamma": (0.5, -0.3, 0.4)}, marks=pytest.mark.slow)])
@pytest.mark.parametrize("width", [150.0, math.inf])
def test_an_independent_solver(student, target, rows, bias, units, more, width):
    at = {**MOVED, **more, "units": units, "width": width}
    if width == math.inf and student != "tanh":
        at["lam"] = 0.7                         # smaller ones have nearly dependent means
    found = features(student, target, rows=rows, bias=bias).solve(**at)
    own = solve_ridge(FUNCTIONS[student], FUNCTIONS[target], rows=rows, bias=bias, **at,
                      has_bend=target == "cos(z)+z" and (student != "tanh" or bias != 0.0),
                      **({"step": 0.2 * (np.size(at["gamma"]) - 1)} if np.ndim(at["gamma"]) else {}))
    for name in ("test_error", "clean_error", "train_error", "objective"):
        assert found[name] == pytest.approx(own[name], rel=1e-10), name
    rank = own["theta"].shape[0]
    for a in range(len(units)):
        expected = {"m": own["m"], "psi": own["psi"], "q2": own["q2"], "V2": own["V2"]}
        expected |= {f"theta{k + 1 if rank > 1 else ''}": own["theta"][k] for k in range(rank)}
        for name, values in expected.items():
            assert found[f"{name}_{a + 1}"] == pytest.approx(values[a], rel=1e-7, abs=1e-9), (name, a)
        if rows == "sphere":
            for b in range(a, len(units)):
                assert found[f"V1_{a + 1}{b + 1}"] == pytest.approx(own["V"][a, b], rel=1e-8, abs=1e-10)
                assert found[f"q1_{a + 1}{b + 1}"] == pytest.approx(own["Q"][a, b], rel=1e-8, abs=1e-10)


def test_a_class_in_two_parts_and_opposite_spikes_are_one_class():
    at = {**MOVED, "width": 120}
    one = features().solve(r=1.2, c=1.1, **at)
    for second in (1.2, -1.2):
        units = [(1.2, 1.1, 0.3), (second, 1.1, 0.7)]
        apart, merged = without_merging(2).solve(units=units, **at), features().solve(units=units, **at)
        for name in one.observables:
            assert apart[name] == pytest.approx(one[name], rel=1e-12, abs=1e-12), name
        assert merged.test_error == one.test_error
        sign = math.copysign(1.0, second)
        assert apart["m_1"] + sign * apart["m_2"] == pytest.approx(one["m"], rel=1e-10)
        assert apart["q2_1"] + apart["q2_2"] == pytest.approx(one["q2"], rel=1e-11)
        assert apart["V1_11"] + 2 * apart["V1_12"] + apart["V1_22"] == pytest.approx(one["V1"], rel=1e-11)
    assert features().solve(units=[(1.2, 1.1, 1)], **at).test_error == one.test_error
    assert features().solve(units=[(1.2, 1.1, 1)], **{**at, "width": math.inf}).test_error == features().solve(
        r=1.2, c=1.1, **MOVED).test_error


def test_equal_spikes_of_two_directions_are_one():
    at = {**MOVED, "units": [((0.72, 0.96), 1.1, 1)], "gamma": (0.3, 0.5), "width": math.inf}
    along = {**MOVED, "r": 1.2, "c": 1.1, "gamma": 0.6 * 0.3 + 0.8 * 0.5}
    two, one = features().solve(**at), features().solve(**along)
    for name in one.observables:
        assert two[name] == pytest.approx(one[name], rel=1e-12), name
    assert 0.6 * two["theta1"] + 0.8 * two["theta2"] == pytest.approx(one["theta"], rel=1e-10)


@pytest.mark.slow
def test_sweeps_minima_and_paths():
    theory, at = features(), {**MOVED, "units": TWO, "width": 100}
    alpha = np.linspace(0.5, 3, 28)
    sweep = theory.sweep(**{**at, "alpha": alpha})
    for k in (0, 13, 27):
        assert sweep["test_error"][k] == pytest.approx(theory.solve(**{**at, "alpha": alpha[k]}).test_error, rel=1e-9)
    found = theory.minimize("test_error", over="lam", bounds=(1e-4, 10), **{k: v for k, v in at.items() if k != "lam"})
    assert all(theory.solve(**{**at, "lam": found.argmin * s}).test_error > found.value for s in (0.95, 1.05))
    path = theory.continuation(over="alpha", start=1, stop=2, **{k: v for k, v in at.items() if k != "alpha"})
    assert not path.folds and len(path.branches) == 1


def test_signs():
    """At a width of 300: two independent solvers agreed on these digits."""
    theory = features(target="z", loss="logistic", labels="sign")
    at = {"units": [(0.3, 1, 0.5), (-0.1, 1.1, 0.5)], "gamma": 0.9, "alpha": 3, "lam": 0.02, "flip": 0.05}
    found = theory.solve(width=300, **at)
    assert found.test_error == pytest.approx(0.2017550544, abs=5e-11)
    assert found.objective == pytest.approx(0.2644554243, abs=2e-10)
    found = theory.solve(units=[(1.5, 1.1, 0.4), (0.6, 1, 0.6)], alpha=2.5, beta=0.8, lam=0.2, gamma=0.9,
                         width=math.inf)
    for name, value in (("test_error", 0.12564470312), ("train_loss", 0.20261029056), ("objective", 0.24051662099)):
        assert found[name] == pytest.approx(value, abs=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["square", "hinge"])
def test_signs_of_other_losses_are_those_of_one_class(loss):
    theory = features(target="z", loss=loss, labels="sign")
    at = {"gamma": 0.7, "alpha": 1.5, "lam": 0.3, "flip": 0.1, "noise_variance": 0.2, "width": 90}
    one = theory.solve(r=0.8, c=1.1, **at)
    near = theory.solve(units=[(0.8, 1.1, 0.5), (0.8001, 1.1, 0.5)], **at)
    assert near.test_error == pytest.approx(one.test_error, rel=1e-4)
    assert near.objective == pytest.approx(one.objective, rel=1e-4)


@pytest.mark.slow
def test_four_classes_of_signs():
    theory = features(target="z", loss="logistic", labels="sign")
    found = theory.solve(units=FOUR, gamma=0.8, alpha=2, lam=0.1, width=math.inf)
    assert found.test_error == pytest.approx(0.17090102815037, abs=1e-13)


def test_one_class_with_other_rows():
    gaussian, orthogonal = features(target="sin", rows="gaussian"), features(target="sin", rows="orthogonal")
    assert gaussian.solve(r=3, gamma=0.95, c=1, alpha=3, lam=0.01).test_error == pytest.approx(0.06275, abs=5e-6)
    at = {"gamma": 0.6, "alpha": 1.4, "lam": 0.07, "beta": 0.8, "noise_variance": 0.3}
    own = solve_ridge(np.tanh, np.sin, [(0.9, 1.2, 1.0)], rows="orthogonal", width=80.0, **at)
    found = orthogonal.solve(r=0.9, c=1.2, width=80, **at)
    for name in ("test_error", "train_error", "objective"):
        assert found[name] == pytest.approx(own[name], rel=1e-11)
    assert found["theta"] == pytest.approx(own["theta"][0, 0], rel=1e-9)
    assert orthogonal.solve(units=[(0.9, 1.2, 1)], width=80, **at).test_error == found.test_error
    step = 1e-4
    high, low = (orthogonal.solve(r=0.9 + s * step, c=1.2, width=80, **at).test_error for s in (1, -1))
    slope = orthogonal.sensitivity("test_error", "r", r=0.9, c=1.2, width=80, **at)
    assert slope == pytest.approx((high - low) / (2 * step), rel=1e-5)


@pytest.mark.parametrize("change, text", [
    ({"width": None}, "width: not given with 2 classes of units; in the limit"),
    ({"width": 0}, "width: got 0; expected a positive number, or math.inf"),
    ({"units": [(1, 1, 0.5), (2, 1, 0.6)]}, "whose fractions sum to 1.1; expected 1"),
    ({"units": [(1, 1, 0.5), (2, -1, 0.5)]}, "expected a list of (u, c, fraction)"),
    ({"units": [(1, 1, 0.5), ((2, 1), 1, 0.5)]}, "the same number for all"),
    ({"units": [((1, 1), 1, 0.5), ((2, 1), 1, 0.5)]}, "gamma: got 0.4 with a spike of 2 directions"),
    ({"units": [((1, 1), 1, 0.5), ((2, 1), 1, 0.5)], "gamma": (0.9, 0.9)}, "of length above 1"),
    ({"r": 1.0}, "unknown parameter 'r'"), ({"units": [(1, 1, 1)], "r": 1.0}, "units: given together with r or c")])
def test_what_is_refused(change, text):
    at = {"units": TWO, "gamma": 0.4, "alpha": 1, "lam": 0.1, "width": 100, **change}
    with pytest.raises(ak.AsympkitError) as refused:
        features().solve(**{k: v for k, v in at.items() if v is not None})
    assert text in str(refused.value)


def test_rows_that_are_refused():
    at = {"units": TWO, "gamma": 0.4, "alpha": 1, "lam": 0.1, "width": 100}
    with pytest.raises(ak.DomainError, match="rows: got 'gaussian' with 2 classes of units"):
        features(rows="gaussian").solve(**at)
    with pytest.raises(ak.DomainError, match="beta: got 1.5 with rows='orthogonal'"):
        features(rows="orthogonal").solve(beta=1.5, **at)
    with pytest.raises(ak.DomainError, match="rows: got 'square'"):
        ak.SpikedFeatures("tanh", "sin", rows="square")
    with pytest.raises(ak.ProofError, match="classes of units"):
        features().certify(floats="decimal", **at)


def test_a_simulation_has_its_width():
    at = {"units": [(0.8, 1.1, 0.3), (-0.3, 0.9, 0.7)], "gamma": 0.6, "alpha": 2, "lam": 0.5, "beta": 0.8}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = features().check(d=50, repeats=12, digits=15, **at)
        assert report.passed
        with pytest.raises(ak.DomainError, match="40 units"):
            features().simulate(d=50, repeats=2, width=70, **at)


@pytest.mark.slow
@pytest.mark.parametrize("options, change", [
    ({}, {}), ({"rows": "orthogonal"}, {}), ({"student": "erf(z+z**2/9)"}, {}),
    ({"target": "sin"}, {"units": RANK_TWO, "gamma": (0.7, 0.5)}),
    ({"target": "z", "loss": "logistic", "labels": "sign"}, {"flip": 0.05}),
    ({"rows": "gaussian"}, {"units": [(1.5, 1.2, 1)], "lam": 0.05})])
def test_simulations(options, change):
    """Within three standard errors, and the terms of order 1/d that the theory leaves out: 1/d relative."""
    at = {"units": TWO, "gamma": 0.7, "alpha": 2, "lam": 0.3, "beta": 0.8, "noise_variance": 0.1, **change}
    theory, d = features(**options), 250
    simulation = theory.simulate(d=d, repeats=60, seed=3, **at)
    theory = theory.find_classes(at) or theory
    found = theory.solve(width=0.8 * d, **at)
    for name in ("test_error", "train_error", "objective"):
        estimate = simulation[name]
        assert abs(estimate.mean - found[name]) <= 3 * estimate.stderr + found[name] / d, name


#: student and target with even parts, as texts and as functions of arrays
STUDENT, TARGET = "sin(z)+(z**2-1)/3", "z+(z**2-1)/2"
EVEN_PARTS = (lambda x: np.sin(x) + (x * x - 1) / 3, lambda x: x + (x * x - 1) / 2)
SPIKED = {"r": 0.08, "c": 1.1, "gamma": 0.4, "alpha": 2.5, "beta": 0.8, "lam": 0.1, "noise_variance": 0.2}
STEP = {"eta": 0.3, "alpha0": 0.5, "alpha": 2.5, "beta": 0.8, "lam": 0.1, "noise_variance": 0.2}


@pytest.mark.parametrize(("loss", "lam", "r", "gamma", "width", "m"), slow_but([
    ("square", 0.1, 0.1, 0.5, 100, 1.537), ("square", 0.1, 0.05, 0.2, 100, 0.713),
    (ak.Huber(0.7), 0.05, 0.1, 0.5, 100, 1.316), (ak.Huber(0.7), 0.05, 0.1, 0.5, 300, 2.353)], 0, 1))
def test_published_means_of_the_readout(loss, lam, r, gamma, width, m):
    t = ak.SpikedFeatures("z+(z**2-1)/2", "z+(z**2-1)/sqrt(2)", loss=loss)
    s = t.solve(r=r, c=1, gamma=gamma, alpha=3, lam=lam, noise_variance=0.1, width=width)
    assert round(s["m"], 3) == m


@pytest.mark.parametrize("at", [{}, {"gamma": -0.7, "c": 0.9, "width": 90}, {"gamma": 1.0, "r": 0.5}], ids=str)
def test_an_independent_solver_with_even_parts(at):
    at = {**SPIKED, "width": 160, **at}
    found = ak.SpikedFeatures(STUDENT, TARGET).solve(**at)
    rest = {n: v for n, v in at.items() if n not in ("r", "c")}
    own = solve_ridge(*EVEN_PARTS, [(at["r"], at["c"], 1.0)], has_bend=True, **rest)
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


@pytest.mark.slow
@pytest.mark.parametrize(("t", "at"), [(ak.SpikedFeatures(STUDENT, TARGET), SPIKED),
                                       (ak.OneStep(STUDENT, TARGET), STEP)], ids=["spiked", "step"])
def test_proofs(t, at):
    exact = {**{n: str(v) for n, v in at.items()}, "width": 160}
    precise, proved = t.precise(digits=20, **exact), t.certify(digits=12, **exact)
    assert proved.test_error.overlaps(ak.Ball(precise.test_error, 1e-18)) and proved.test_error.rad < 1e-12
    for backend in ("numpy", "numba"):
        swept = t.sweep(**{**at, "width": 160, "alpha": [2.5, 3.0]}, backend=backend)
        assert swept["test_error"][0] == pytest.approx(float(precise.test_error), rel=1e-11)


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
    field = EVEN_PARTS[0](0.08 * 0.7 + np.sqrt(1.1) * line)
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
def test_simulations_see_the_common_mode(name, monkeypatch):
    """Without the term the mean of the readout is 2.5 and 4 standard errors off."""
    t, at = (ak.SpikedFeatures(STUDENT, TARGET), SPIKED) if name == "spiked" else \
        (ak.OneStep(STUDENT, TARGET, bulk="exact"), {**STEP, "eta": 0.1})
    drawn, s = t.simulate(**at, d=200, repeats=200, seed=7), t.solve(**at, width=160)
    for quantity in ("m", "test_error", "objective", "q2"):
        assert abs(drawn[quantity].mean - s[quantity]) < 3 * drawn[quantity].stderr, quantity
    monkeypatch.setattr(TrainedReadout, "has_even_parts", lambda self, functions: False)
    assert abs(drawn["m"].mean - t.solve(**at, width=160)["m"]) > 2.4 * drawn["m"].stderr
