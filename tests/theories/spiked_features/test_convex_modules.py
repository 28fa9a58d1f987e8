"""Standalone modules of theories with a loss: the numbers of the package, without it."""

import numpy as np
import pytest
from helpers.modules import loaded
from sympy import symbols

import asympkit as ak

y, z = symbols("y z", real=True)
HALF = ak.Loss((y - z) ** 2 / 2, y, z)


def _points(seed, count, **more):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        r, c, gamma, alpha, beta = rng.uniform((0.5, 0.8, 0.3, 0.7, 0.5), (2.0, 1.4, 0.9, 3.0, 2.0)).tolist()
        yield {"r": r, "c": c, "gamma": gamma, "alpha": alpha, "beta": beta, "lam": float(rng.uniform(0.05, 1)),
               "noise_variance": 0.1, **more}


def _differences(theory, module, points):
    """What the module and the package say differently."""
    return [(at, name) for at in points for solved, found in [(theory.solve(**at, rtol=1e-10), module.solve(**at))]
            for name, value in {**solved.order_parameters, **solved.observables}.items()
            if found[name] != pytest.approx(value, rel=1e-10, abs=1e-12)]


def test_module_of_a_loss(tmp_path):
    theory = ak.SpikedFeatures("tanh", "sin", loss=HALF)
    path = theory.generate(tmp_path / "half.py")
    text = path.read_text(encoding="utf-8")
    assert "import asympkit" not in text
    assert "loss (y - z)**2/2, labels regression" in text
    assert _differences(theory, loaded(path), _points(0, 3)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("loss", "labels", "target", "bias"), [
    ("logistic", "sign", "z", 0.0), ("hinge", "sign", "z", 0.0), ("logistic", "sign", "z", 0.3),
    (ak.Huber(1.0), "regression", "sin", 0.0), ("square", "regression", "sin", 0.3), ("square", "sign", "z", 0.0)])
def test_modules_of_losses(tmp_path, loss, labels, target, bias):
    theory = ak.SpikedFeatures("tanh", target, loss=loss, labels=labels, bias=bias)
    module = loaded(theory.generate(tmp_path / "m.py"))
    more = {"flip": 0.07} if labels == "sign" else {}
    assert _differences(theory, module, _points(1, 2, **more)) == []
    if labels == "sign":
        with pytest.raises(ValueError, match="gamma: got 1.0; expected a number between -1 and 1"):
            module.solve(r=1, c=1, gamma=1.0, alpha=1.0, lam=0.1)
