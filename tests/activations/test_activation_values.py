"""Values of activations in floating point."""


import mpmath as mp
import numpy as np
import pytest
from scipy.special import erf, erfc

from asympkit.activations import CATALOGUE, Activation
from asympkit.errors import DomainError

REFERENCES = {
    "identity": lambda x: x, "tanh": np.tanh, "erf": erf, "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x), "sin": np.sin, "cos": np.cos, "sign": np.sign,
    "step": lambda x: (x > 0) * 1.0, "abs": np.abs, "hardtanh": lambda x: np.clip(x, -1, 1),
    "exp": lambda x: np.exp(x / 2), "gaussian": lambda x: np.exp(-(x**2) / 2), "cubic": lambda x: x**3 - 3 * x,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "softplus": lambda x: np.log1p(np.exp(x)),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
    "gelu": lambda x: x * erfc(-x / np.sqrt(2)) / 2, "silu": lambda x: x / (1 + np.exp(-x)),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))), "quadratic": lambda x: x**2 - 1,
    "relu6": lambda x: np.clip(x, 0, 6), "squared_relu": lambda x: np.maximum(x, 0)**2,
    "celu": lambda x: np.where(x > 0, x, np.expm1(x)), "quick_gelu": lambda x: x / (1 + np.exp(-1.702 * x)),
    "gelu_tanh": lambda x: x / (1 + np.exp(-2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6, "hardsigmoid": lambda x: np.clip(x + 3, 0, 6) / 6,
    "softsign": lambda x: x / (1 + np.abs(x)), "logsigmoid": lambda x: -np.log1p(np.exp(-x)),
    "squareplus": lambda x: (x + np.sqrt(x**2 + 4)) / 2, "tanhshrink": lambda x: x - np.tanh(x),
    "softshrink": lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0), "exponential": np.exp,
    "hardshrink": lambda x: np.where(np.abs(x) > 0.5, x, 0), "snake": lambda x: x + np.sin(x)**2,
    "atan": np.arctan, "asinh": np.arcsinh,
}
#: what other libraries write, the entry of the catalogue or a text, and a value at 0.7
ELSEWHERE = {
    "GELU": "gelu", "ReLU": "relu", "swish": "silu", "SiLU": "silu", "Hard_Sigmoid": "hardsigmoid",
    "hard_silu": "hardswish",
    "LeakyReLU": "leaky_relu(0.01)", "LogSigmoid": "logsigmoid", "soft_sign": "softsign", "gelu_new": "gelu_tanh",
    "Heaviside": "step", "logistic": "sigmoid", "ELU(0.7)": "where(z > 0, z, 0.7*(exp(z) - 1))", "linear": "identity",
    "leaky_relu(0.2)": "where(z > 0, z, z/5)", "celu(2)": "where(z > 0, z, 2*(exp(z/2) - 1))", "relu2": "max(0, z)**2",
    "softplus(3)": "log(1 + exp(3*z))/3", "snake(2)": "z + sin(2*z)**2/2", "Softshrink(1)": "sign(z)*max(0, abs(z)-1)",
    "x*Sigmoid(x)": "silu", "clip(x, -1, 1)": "hardtanh", "log1p(x**2)": "log(1 + z**2)", "arctan(x)": "atan",
    "elu(2*z, 3)": "where(z > 0, 2*z, 3*(exp(2*z) - 1))", "where(x > 0, x, expm1(x))": "elu",
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_names_of_other_libraries(name):
    x = np.linspace(-3, 3, 41)
    found, expected = Activation(name), Activation(ELSEWHERE[name])
    np.testing.assert_allclose(found(x), expected(x), rtol=1e-13, atol=1e-15)
    assert Activation(found.name) == found


def test_the_slope_of_leaky_relu_has_changed():
    with pytest.warns(FutureWarning, match=r"the slope of leaky_relu is 0.01 since version 0.3, it was 0.1"):
        Activation("leaky_relu(z) + 0*z")


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
    if name not in ("exp", "exponential"):
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
