"""Deep random features behind layers that are not odd: against a walk of the chain, sampled weights, simulations."""

import numpy as np
import pytest
from helpers.deep_means import errors_with_means, layers, relu, softplus
from helpers.modules import plain_module

import asympkit as ak
from asympkit.theories.deep_features.chain import LayerEquations

FUNCTIONS = {"relu": relu, "tanh": np.tanh, "log(1+exp(z))": softplus}
AT = {"alpha": 0.8, "lam": 0.01, "noise_variance": 0.1}


def network(student, target, shared=0):
    """The theory of layers ``(width, activation)``; the target goes on behind the layers that it shares."""
    def text(rows, mark=""):
        return [f"{w}:{f}{mark}" for w, f in rows]

    return ak.DeepFeatures(",".join(text(student)), ",".join(text(student[:shared], "=") + text(target)))


def walked(student, target, shared, spectrum, at):
    own, _ = layers([FUNCTIONS[f] for _, f in student], spectrum)
    whole, (_, rho) = layers([FUNCTIONS[f] for _, f in [*student[:shared], *target]], spectrum)
    transmitted = float(np.prod([u.weights @ u.slope**2 for u in whole[shared:]]))
    return errors_with_means(at["alpha"], at["lam"], at["noise_variance"], [w for w, _ in student], own, spectrum,
                             rho, transmitted, shared)


@pytest.mark.parametrize(("student", "target", "shared"), [
    ([(1.5, "relu"), (0.7, "tanh")], [(1, "tanh")], 0),
    ([(1.5, "relu"), (0.7, "relu")], [(1, "relu"), (1, "relu")], 0),
    pytest.param([(1.5, "relu"), (0.7, "relu")], [], 2, marks=pytest.mark.slow),
    pytest.param([(1.5, "relu"), (0.7, "relu")], [(1, "tanh")], 1, marks=pytest.mark.slow),
    pytest.param([(1.5, "relu"), (0.7, "relu")], [], 1, marks=pytest.mark.slow),
    pytest.param([(1.5, "relu"), (0.7, "relu")], [(2, "tanh"), (1, "relu")], 2, marks=pytest.mark.slow),
    pytest.param([(1.5, "tanh"), (0.7, "log(1+exp(z))"), (2, "relu")], [(1, "relu"), (1, "tanh")], 0,
                 marks=pytest.mark.slow),
    pytest.param([(1.5, "relu"), (0.7, "relu"), (1.1, "relu")], [(1, "relu")] * 3, 0, marks=pytest.mark.slow),
    pytest.param([(1.5, "relu"), (0.7, "tanh"), (1.1, "log(1+exp(z))"), (2, "tanh")], [(1, "relu"), (1, "tanh")], 1,
                 marks=pytest.mark.slow)])
def test_against_the_chain_walked_by_one_unknown(student, target, shared):
    t = network(student, target, shared)
    for spectrum, moved in (([1.0], {}), ([2.0, 0.5], {"alpha": 3.0, "lam": 1e-5}), ([2.0, 0.0], {"lam": 4.0})):
        at = AT | moved
        s = t.solve(**at, input_spectrum=spectrum)
        test, train = walked(student, target, shared, spectrum, at)
        assert s.test_error == pytest.approx(test, rel=1e-11)
        assert s.train_error == pytest.approx(train, rel=1e-9)


def test_odd_layers_have_no_means():
    """The form with means, where every unit has the mean zero, is the form without."""
    plain = ak.DeepFeatures("1.5:tanh,0.7:erf(z)", "1:tanh")
    chain, s = LayerEquations(2, 0, scattered=1), LayerEquations(2).symbols
    derived = {k: v for k, v in plain.derived.as_typed.items() if k not in (s.kappa1[2], s.kappastar[2])}
    derived[s.mean[1]] = 0 * s.variance[0]
    scattered = ak.Theory(name="odd layers with means", unknowns=chain.unknowns, free_energy=chain.free_energy,
                          observables=chain.observables, activations=plain.functions, derived=derived,
                          parameters=[p for p in plain.declared if p.name != "input_spectrum"])
    for at in (AT, {**AT, "alpha": 4.0, "lam": 1e-6}):
        one = plain.solve(**at, input_spectrum=[1.3, 0.7])
        other = scattered.solve(**at, input_spectrum=[1.3, 0.7], input_variance=1.0)
        for name, value in one.observables.items():
            assert other[name] == pytest.approx(value, rel=1e-13 * max(1.0, one.condition[name]))


@pytest.fixture(scope="module")
def relus():
    return ak.DeepFeatures("1.5:relu,0.7:relu", "1:relu,1:relu")


@pytest.mark.slow
def test_digits_and_proofs(relus):
    pytest.importorskip("flint", reason="python-flint is not installed")
    exact = {"alpha": "0.8", "lam": "0.01", "noise_variance": "0.1", "width2": "0.6"}
    s = relus.solve(**{k: float(v) for k, v in exact.items()})
    precise, proved = relus.precise(digits=30, **exact), relus.certify(digits=20, **exact)
    assert "exactly one solution with V0, V1, V2 > 0" in proved.certificate.claim
    for name in ("test_error", "train_error", "objective"):
        assert s[name] == pytest.approx(float(precise[name]), rel=1e-13 * s.condition[name])
        assert proved[name].rad < 1e-20
        assert abs(float(proved[name].mid) - float(precise[name])) <= 1e-15 * abs(float(precise[name]))


@pytest.mark.slow
@pytest.mark.parametrize("parameter", ["alpha", "lam", "noise_variance", "width1", "width2"])
def test_derivatives(relus, parameter):
    at = {**AT, "width1": 1.5, "width2": 0.7}
    h = 1e-4 * at[parameter]
    up, down = (float(relus.precise(digits=25, **{**at, parameter: at[parameter] + x}).test_error) for x in (h, -h))
    assert relus.sensitivity("test_error", parameter, **at) == pytest.approx((up - down) / (2 * h), rel=1e-6)


@pytest.mark.slow
def test_best_width_of_a_layer(relus):
    at = {"alpha": 3.0, "lam": 1e-3, "noise_variance": 0.5}
    best = relus.minimize("test_error", over="width2", bounds=(0.1, 20.0), **at)
    known = [relus.solve(**at, width2=w).test_error for w in np.geomspace(0.1, 20.0, 60)]
    assert best.value <= min(known) * (1 + 1e-12)
    assert best.value == pytest.approx(min(known), rel=1e-2)


@pytest.mark.slow
def test_rows_of_points_solve_as_single_ones(relus):
    alpha, lam = [0.3, 1.0, 4.0], [1e-5, 1e-2, 1.0]
    grids = [relus.sweep(alpha=alpha, lam=lam, noise_variance=0.1, backend=b)["test_error"] for b in ("numpy", "numba")]
    one = [[relus.solve(alpha=a, lam=x, noise_variance=0.1).test_error for x in lam] for a in alpha]
    for grid in grids:
        np.testing.assert_allclose(grid, one, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("student", "target"), [
    ("1.5:relu,0.7:relu", "1:relu,1:relu"), ("1:relu,1:relu,1:relu,1:tanh", "1:relu,1:log(1+exp(z)),1:tanh")])
def test_standalone_module(student, target):
    t = ak.DeepFeatures(student, target)
    made = plain_module(t.source())
    found, known = made.solve(**AT, input_variance=1.25, input_spectrum=[2.0, 0.5]), t.solve(
        **AT, input_spectrum=[2.0, 0.5])
    for name, value in known.observables.items():
        assert found[name] == pytest.approx(value, rel=1e-12)


@pytest.mark.slow
def test_three_layers_in_digits_and_balls():
    pytest.importorskip("flint", reason="python-flint is not installed")
    t = ak.DeepFeatures("1:relu,1:relu,1:tanh", "1:tanh")
    exact = {"alpha": "0.8", "lam": "0.01", "noise_variance": "0.1", "input_spectrum": ["0.5", "1.5"]}
    precise, proved = t.precise(digits=25, **exact), t.certify(digits=15, **exact)
    assert t.solve(**AT, input_spectrum=[0.5, 1.5]).test_error == pytest.approx(float(precise.test_error), rel=1e-12)
    assert abs(proved.test_error.mid - float(precise.test_error)) <= 1e-15
    assert proved.test_error.rad < 1e-15
    assert "exactly one solution with V0, V1, V2, V3 > 0" in proved.certificate.claim
    assert any("outer rule" in h for h in proved.certificate.hypotheses)


def test_an_even_layer_behind_one_with_means_carries_the_signal():
    s = ak.DeepFeatures("2:relu,2:abs(z)", "1:tanh").solve(alpha=50.0, lam=1e-4)
    assert 0 < s.test_error < 0.8 * s.parameters["rho"]


@pytest.mark.slow
@pytest.mark.parametrize(("student", "target"), [
    ([(1.5, "relu"), (1, "relu")], [(1, "relu"), (1, "relu")]),
    ([(1.5, "log(1+exp(z))"), (0.8, "log(1+exp(z))")], [(1, "relu"), (1, "tanh")]),
    ([(1, "relu"), (1, "tanh")], [(1, "tanh")]),
    ([(1, "relu")] * 3, [(1, "relu")] * 3)])
def test_against_the_theorem_at_sampled_weights(student, target):
    rng, d = np.random.default_rng(0), 400
    given = ak.DeepFeatures.from_weights(*(_drawn(rng, d, rows) for rows in (student, target)))
    t = network(student, target)
    for alpha, lam in ((0.5, 0.01), (2.0, 0.1)):
        one = t.solve(alpha=alpha, lam=lam, noise_variance=0.1)
        other = given.solve(n=int(alpha * d), lam=lam, noise_variance=0.1)
        assert one.clean_error == pytest.approx(other.clean_error, rel=0.04)
        assert one.train_error == pytest.approx(other.train_error, rel=0.06)


def _drawn(rng, d, rows):
    """Weights of one network, of rows of variance one over the number of their entries."""
    found, inputs = [], d
    for width, function in rows:
        found.append((rng.standard_normal((round(width * d), inputs)) / np.sqrt(inputs), function))
        inputs = round(width * d)
    return found


@pytest.mark.slow
def test_simulations(relus):
    report = relus.check(d=200, **AT)
    assert report.passed
