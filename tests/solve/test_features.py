"""Narrow features whose places and widths follow from unknowns: every route agrees, or refuses."""

import numpy as np
import pytest
from helpers.modules import loaded
from helpers.narrow_theories import INTEGRANDS, draw, theory
from sympy import exp, sqrt, symbols

import asympkit as ak

pytest.importorskip("flint")


@pytest.fixture(scope="module")
def sensing():
    """Compressed sensing with a Bernoulli-Gauss prior: state evolution, one unknown."""
    z = symbols("z", real=True)
    error, rate, sparsity, noise = symbols("Em alpha rho Delta", positive=True)
    variance = (noise + error) / rate

    def estimate(field):
        ratio = (1 - sparsity) / sparsity * sqrt((1 + variance) / variance)
        return field / (1 + variance) / (1 + ratio * exp(-(field**2) / 2 * (1 / variance - 1 / (1 + variance))))

    means = [ak.E(estimate(sqrt(v) * z) ** 2, z) for v in (variance, 1 + variance)]
    return ak.Theory(name="compressed sensing", unknowns=[error], start={error: 0.1},
                     parameters={rate: ("", "positive"), sparsity: ("", (0, 1)), noise: ("", "positive")},
                     equations=[error - sparsity + (1 - sparsity) * means[0] + sparsity * means[1]])


@pytest.mark.parametrize(("noise", "right", "wrong"), [(2.2e-5, 3.56864538521939e-5, 2.7913e-5),
                                                       (4.6e-5, 7.95882758772e-5, 5.7265e-5)])
def test_compressed_sensing_is_not_stepped_over(sensing, noise, right, wrong):
    at = {"alpha": 0.7, "rho": 0.4, "Delta": noise}
    assert sensing.solve(**at)["Em"] == pytest.approx(right, rel=1e-10) != pytest.approx(wrong, rel=1e-3)
    assert float(sensing.precise(digits=12, **at)["Em"]) == pytest.approx(right, rel=1e-11)
    assert sensing.sweep(**{**at, "Delta": [noise, 2 * noise]})["Em"][0] == pytest.approx(right, rel=1e-10)


def test_compressed_sensing_is_proved_and_exported(sensing, tmp_path):
    at = {"alpha": "0.7", "rho": "0.4", "Delta": "0.000022"}
    assert abs(float(sensing.certify(digits=12, **at)["Em"].mid) - 3.56864538521939e-5) < 1e-18
    module = exported(sensing, tmp_path)
    noise = np.array([1e-5, 2.2e-5, 6e-5])
    assert module.solve_rows(0.7, 0.4, noise)["Em"] == pytest.approx(
        sensing.sweep(alpha=0.7, rho=0.4, Delta=noise)["Em"], rel=1e-10)


def exported(own, folder):
    path = folder / f"module_{len(list(folder.iterdir()))}.py"
    own.generate(path)
    return loaded(path)


def agree_or_refuse(name, at, backend="numpy"):
    """Compare solve and a sweep with many digits; returns how many of the two gave a number."""
    own, found = theory(name), 0
    try:
        right = float(own.precise(digits=15, **at)["x"])
    except ak.ConvergenceError:
        right = None
    try:
        number = own.solve(**at)["x"]
        found += 1
        assert right is None or number == pytest.approx(right, rel=1e-11), (name, at)
    except ak.ConvergenceError as refused:
        assert "precise()" in str(refused), (name, at)
    swept = own.sweep(**{**at, "a": np.array([0.9, 1.0]) * at["a"]}, backend=backend)
    if swept.converged[1]:
        found += 1
        assert right is None or swept["x"][1] == pytest.approx(right, rel=1e-9), (name, at)
    return found


@pytest.mark.parametrize("name", INTEGRANDS)
def test_routes_agree_at_narrow_features(name):
    at = {"a": 0.31, "c": 1.2345, "d": 2.1e-5, "r": 0.3}
    assert agree_or_refuse(name, at) == 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_routes_agree_at_many_narrow_features(seed):
    found = [agree_or_refuse(*drawn) for drawn in draw(seed, 50)]
    assert sum(found) >= 95


@pytest.mark.slow
def test_narrow_features_are_proved():
    proved = 0
    for name, at in draw(100, 50):
        try:
            ball = theory(name).certify(digits=12, floats="decimal", **at)["x"]
        except ak.ProofError:
            continue
        proved += 1
        assert abs(theory(name).solve(**at)["x"] - float(ball.mid)) <= 1e-11 + float(ball.rad), (name, at)
    assert proved >= 10


@pytest.mark.slow
def test_exported_modules_meet_narrow_features(tmp_path):
    points = list(draw(200, 20))
    modules = {name: exported(theory(name), tmp_path) for name, _ in points}
    found = 0
    for name, at in points:
        try:
            number = modules[name].solve(**at)["x"]
        except ValueError as refused:
            assert "no solution" in str(refused)
            continue
        found += 1
        assert number == pytest.approx(float(theory(name).precise(digits=15, **at)["x"]), rel=1e-9), (name, at)
    assert found >= 15
