"""Values of activations in floating point."""


import mpmath as mp
import numpy as np
import pytest
from scipy.special import erf, erfc

from asympkit.activations import CATALOGUE, Activation
from asympkit.errors import DomainError

pytestmark = pytest.mark.filterwarnings("error")

REFERENCES = {
    "identity": lambda x: x, "tanh": np.tanh, "erf": erf, "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.1 * x), "sin": np.sin, "cos": np.cos, "sign": np.sign,
    "step": lambda x: (x > 0) * 1.0, "abs": np.abs, "hardtanh": lambda x: np.clip(x, -1, 1),
    "exp": lambda x: np.exp(x / 2), "gaussian": lambda x: np.exp(-(x**2) / 2), "cubic": lambda x: x**3 - 3 * x,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "softplus": lambda x: np.log1p(np.exp(x)),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
    "gelu": lambda x: x * erfc(-x / np.sqrt(2)) / 2, "silu": lambda x: x / (1 + np.exp(-x)),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))), "quadratic": lambda x: x**2 - 1,
}


def test_the_catalogue_is_complete():
    assert set(CATALOGUE) == set(REFERENCES)


@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_catalogue_values(name):
    x = np.linspace(-6, 6, 49)
    act = Activation(name)
    assert act.name == name
    np.testing.assert_allclose(act(x), REFERENCES[name](x), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_no_warning_and_no_nan_far_out(name):
    x = np.array([-1e3, -710.0, -30.0, 0.0, 30.0, 710.0, 1e3])
    act = Activation(name)
    for f in (act, act.derivative):
        assert not np.any(np.isnan(f(x)))
    if name != "exp":
        assert np.all(np.isfinite(act(x)))


def test_values_of_all_shapes():
    act = Activation("1/(1 + exp(-z))").derivative
    x = np.array([-800.0, -700.0, 0.0, 800.0])
    with mp.workdps(30):
        expected = [float(mp.exp(-v) / (1 + mp.exp(-v)) ** 2) for v in map(mp.mpf, x)]
    np.testing.assert_allclose(act(x), expected, rtol=1e-12, atol=1e-300)
    act = Activation("tanh")
    assert act(0.5).shape == () and act(0.5) == np.tanh(0.5)
    assert act([1, 2]).dtype == np.float64
    assert act(np.ones((2, 0, 3))).shape == (2, 0, 3)
    assert act(np.float32(0.5)).dtype == np.float64
    assert np.isnan(act(np.nan))
    assert Activation("3")(np.zeros(4)).tolist() == [3.0] * 4
    with pytest.raises(DomainError, match="needs real numbers"):
        act(1j)
    with pytest.raises(DomainError, match="needs real numbers"):
        act("z")
