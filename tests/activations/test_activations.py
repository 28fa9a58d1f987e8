"""Exact attributes of activations: parity, kinks, jumps, growth, derivative."""

import numpy as np
import pytest
import sympy as sp

from asympkit.activations import CATALOGUE, Activation
from asympkit.errors import DomainError

z = sp.Symbol("z", real=True)


def test_specs():
    assert Activation("exp").expr == sp.exp(z / 2)
    assert Activation("exp(z)").expr == sp.exp(z)
    assert Activation("erf") == Activation("erf(z)")
    assert Activation("gaussian").expr == sp.exp(-(z**2) / 2)
    assert Activation(" tanh ").name == "tanh"
    assert Activation("0.1*z+  tanh( z )").name == "0.1*z + tanh(z)"
    x = sp.Symbol("x", real=True)
    act = Activation(sp.tanh(1.3 * x))
    assert act.symbol == z and act == Activation("tanh(1.3*z)")
    assert hash(act) == hash(Activation("tanh(1.3*z)"))
    assert act.name == "tanh(1.3*z)"
    assert Activation(sp.Integer(2)).expr == 2
    assert Activation(sp.Max(x, 0)) == Activation("relu")
    assert Activation("relu") != Activation("elu") and Activation("relu") != "relu"
    assert repr(act) == "Activation('tanh(1.3*z)')"


@pytest.mark.parametrize("spec", [*CATALOGUE, "max(z, 0)**2 - exp(-abs(z))", "where(z == 0, 1, sin(z)/z)"])
def test_names_give_the_same_activation(spec):
    act = Activation(spec)
    assert Activation(act.name) == act
    derived = act.derivative
    x = np.linspace(-3, 3, 21) + 0.01
    np.testing.assert_allclose(Activation(derived.name)(x), derived(x), rtol=1e-12, atol=1e-14)


PARITY = {
    "odd": ["identity", "tanh", "erf", "sin", "sign", "hardtanh", "cubic", "z*abs(z)", "1/(1 + exp(-z)) - 0.5",
            "step(z) - 1/2", "sigmoid(z) - 0.5", "where(z > 0, z**2, -z**2)", "max(z, 0) + min(z, 0)",
            "log(1 + exp(z)) - log(1 + exp(-z))", "2*sin(z)/(2 + cos(z))", "relu(z) - relu(-z)", "tanh(z)**3*cos(z)"],
    "even": ["cos", "abs", "gaussian", "quadratic", "3", "0*z", "z*erf(z)/2", "max(z, -z)", "max(abs(z), 1)",
             "where(abs(z) < 1, z**2, 1)", "sigmoid(z)*sigmoid(-z)", "exp(z) + exp(-z)", "sin(z)**2 + cos(z)**2",
             "1/(1 + exp(-z)) + 1/(1 + exp(z))", "z*sign(z)", "tanh(z**3)**2"],
    None: ["sigmoid", "softplus", "relu", "elu", "gelu", "silu", "mish", "exp", "step", "tanh(z) + 1e-20",
           "tanh(z) + 1e-12*z**2", "cos(z - 1e-10)", "sin(z + pi/7)", "z**3 + z**2"],
}


@pytest.mark.parametrize("text, parity", [(t, p) for p, texts in PARITY.items() for t in texts])
def test_parity(text, parity):
    assert Activation(text).parity == parity


@pytest.mark.parametrize("text, kinks", [
    ("tanh", ()), ("gelu", ()), ("mish", ()), ("relu", (0,)), ("hardtanh", (-1, 1)), ("sign", (0,)), ("selu", (0,)),
    ("max(z, 0) - 0.3*min(z, 0)**2", (0,)), ("abs(z)**3", (0,)), ("max(z, 0)**2", (0,)), ("abs(z)*abs(z)", ()),
    ("where(z > 1/3, z, z)", ()), ("where(z > 1, z**2 - 1, (z - 1)*(z + 1))", ()), ("sqrt((z - 1)**2)", (1,)),
    ("abs(exp(z) - 2)", (sp.log(2),)), ("max(tanh(z), 1/2)", (sp.atanh(sp.Rational(1, 2)),)),
    ("abs(z**2 - 2)", (-sp.sqrt(2), sp.sqrt(2))), ("abs(z**2 + 1)", ()), ("abs(2 + sin(z))", ()),
    ("abs(abs(z) - 1)", (-1, 0, 1)), ("max(0, z, 1 - z)", (sp.Rational(1, 2),)), ("max(z, z**2)", (0, 1)),
    ("abs(pi*z - e)", (sp.E / sp.pi,)), ("where(z == 0, 1, sin(z)/z)", (0,)), ("sqrt(abs(z))", (0,)),
    ("sign(exp(-z**2)*(z - 3))", (3,)), ("relu(z) + relu(-z) - abs(z)", ()), ("log(1 + abs(z))", (0,)),
    ("relu(2*z - 1)*where(z < 3, 1, 2)", (sp.Rational(1, 2), 3)), ("sqrt(1 + z**2)", ()),
])
def test_kinks(text, kinks):
    act = Activation(text)
    assert len(act.kinks) == len(kinks)
    assert all(sp.simplify(a - b) == 0 for a, b in zip(act.kinks, kinks))
    assert act.kinks_float == pytest.approx([float(k) for k in kinks], rel=1e-15)


def test_kinks_without_a_closed_form():
    assert sp.Abs(Activation("max(z, exp(-z))").kinks[0] - sp.LambertW(1)).evalf(40) < 1e-38
    root, = Activation("abs(z**5 - z - 1)").kinks
    assert abs(sp.N(root**5 - root - 1, 40)) < 1e-30
    assert Activation("abs(erf(z) - 1/2)").kinks_float[0] == pytest.approx(0.476936276204469873, rel=1e-15)


@pytest.mark.parametrize("text, jumps", [
    ("sign", ((0, 2),)), ("step", ((0, 1),)), ("relu", ()), ("hardtanh", ()), ("tanh(z)*sign(z - 1)",
     ((1, 2 * sp.tanh(1)),)), ("where(z > 0, exp(z), z)", ((0, 1),)),
    ("step(z) - step(z - 2)", ((0, 1), (2, -1))),
    ("where(z == 0, 1, sin(z)/z)", ()), ("where(z > 0, 1, where(z == 0, 0, 1))", ()), ("z*sign(z)", ()),
])
def test_jumps(text, jumps):
    assert Activation(text).jumps == jumps


@pytest.mark.parametrize("text",
                         [*CATALOGUE, "exp(sqrt(1 + z**2))", "log(1 + z**2)", "exp(z*tanh(z))",
                          "z**2/(1 + abs(z))",
                                  "exp(z)/(1 + exp(z))**2", "exp(-z)*softplus(z)", "exp(z**2/8 - z)*z",
                                  "where(z < 0, exp(-z)*z, sin(z)*z**3)", "log(cosh(2*z))**2",
                          "exp(atan(z))*z"])
def test_growth_bounds_the_function(text):
    act = Activation(text)
    growth = act.growth
    x = np.concatenate([-np.linspace(1, 60, 200), np.linspace(1, 60, 200)])
    size = np.abs(x)
    with np.errstate(divide="ignore"):
        excess = np.log(np.abs(act(x))) - growth.power * np.log1p(size) - growth.rate * size
    excess -= growth.curvature * x**2
    near = size < 20
    # The logarithm of the constant C: it may not keep rising towards infinity.
    assert np.max(excess[~near]) <= np.max(excess[near]) + 0.2


def test_second_moment_condition():
    act = Activation("exp(z**2/8)")
    act.require_second_moment()
    act.require_second_moment(variance=1.9)
    with pytest.raises(DomainError, match=r"exp\(z\*\*2/8\).*variance 2 is infinite.*below 0.125"):
        act.require_second_moment(variance=2)
    with pytest.raises(DomainError, match="second moment under a Gaussian of variance 1 is infinite"):
        Activation("exp(z**2/3)").require_second_moment()
    with pytest.raises(DomainError, match="grows faster than every"):
        Activation("exp(z**4)").require_second_moment()
    with pytest.raises(DomainError, match="unbounded near z = 0"):
        Activation("sqrt(abs(z))").derivative.require_second_moment()


def test_exact_derivatives():
    assert Activation("relu").derivative.expr == sp.Heaviside(z, 0)
    assert Activation("softplus").derivative == Activation("sigmoid")
    assert Activation("sign").derivative.expr == 0
    assert Activation("abs").derivative == Activation("sign")
    assert Activation("abs").derivative.jumps == ((0, 2),)
    assert Activation("elu").derivative.derivative.jumps == ((0, -1),)
