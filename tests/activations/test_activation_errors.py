"""Specs that are no activation, and what is said about them."""

import numpy as np
import pytest
import sympy as sp

from asympkit.activations import Activation
from asympkit.errors import DomainError, ParseError, UnknownNameError

pytestmark = pytest.mark.filterwarnings("error")
x, y = sp.symbols("x y")


@pytest.mark.parametrize("spec, error, message", [
    ("tanhh", UnknownNameError, "unknown activation 'tanhh'; did you mean 'tanh'"),
    ("Relu", UnknownNameError, "did you mean 'relu'"),
    ("x**2", UnknownNameError, "unknown name 'x'"),
    ("", ParseError, "the text is empty"),
    (None, ParseError, "not NoneType: None"),
    (True, ParseError, "not bool: True"),
    (np.ones(3), ParseError, "not ndarray"),
    (np.tanh, ParseError, "a catalogue name, a text in z, a sympy expression or an Activation"),
    (x + y, DomainError, "must be in one symbol, it has 2: x, y"),
    (sp.I * x, DomainError, "not real and finite"),
    (float("nan"), DomainError, "not real and finite"),
    (x > 0, DomainError, "not a sympy Expr"),
    (sp.Symbol("p", positive=True) ** 2, DomainError, "must stand for any real number"),
    (sp.zeta(x), DomainError, "the function zeta"),
])
def test_bad_specs(spec, error, message):
    with pytest.raises(error, match=message):
        Activation(spec)


@pytest.mark.parametrize("text, message", [
    ("log(z)", "no finite real value at z = -8"),
    ("sqrt(z)", "no finite real value at z = -8"),
    ("z**0.5", "no finite real value at z = -8"),
    ("1/z", "no finite real value at z = 0"),
    ("1/(z - 0.123456)", r"not defined at z = 0.123456.*where\(z == 0.123456"),
    ("1/(z**2 - 2)", "z = -1.41421"),
    ("log(abs(z**3 - 2))", "z = 1.25992"),
    ("log(z**2 - 1e-6) ", "no finite real value at z = 0"),
    ("sqrt((z - 1/3)*(z - 0.334))", "no real value for 0.333333 < z < 0.334"),
    ("where(z > 0, log(z), 0)", "unbounded near z = 0"),
    ("where(z == 0, 0, 1/z)", "unbounded near z = 0"),
    ("tan(z)", "infinitely many points"),
    ("asin(z)", "no finite real value at z = -8"),
    ("z**z", "no finite real value"),
    ("where(asin(z) < 1, z, 2*z)", "no finite real value at z = -8"),
    ("sin(z)/z", "no finite real value at z = 0"),
])
def test_undefined_on_the_real_line(text, message):
    with pytest.raises(DomainError, match=message):
        Activation(text)


@pytest.mark.parametrize("text", [
    "where(z == 0, 0, z*log(abs(z)))", "where(z > 0, 1/(1 + z), 1)", "z/(1 + z**2)", "log(1 + z**2)",
    "1/cosh(z)",
    "asin(tanh(z))", "where(z > -1, sqrt(z + 1), 0)", "(1 + z**2)**0.3", "2**z", "tan(tanh(z))",
    "1/(1 + abs(z))",
    "1/(1 - 2*tanh(z) + 2*tanh(z)**2)",
])
def test_defined_on_the_real_line(text):
    assert np.all(np.isfinite(Activation(text)(np.linspace(-4, 4, 33))))


@pytest.mark.parametrize("text", ["abs(sin(z))", "sign(cos(z) - 1/2)", "max(sin(z), 0)", "abs(z*sin(z) + 1)"])
def test_infinitely_many_kinks_are_refused(text):
    act = Activation(text)
    assert np.isfinite(act(0.3))
    with pytest.raises(DomainError, match="infinitely many points"):
        _ = act.kinks


def test_a_touching_zero_is_not_guessed():
    with pytest.raises(DomainError, match="cannot decide whether"):
        _ = Activation("abs(exp(z) - 1 - z)").kinks


@pytest.mark.parametrize("k", ["__import__('os')", -1, 1.5, None])
def test_order_of_a_coefficient_is_an_integer_or_a_symbol(k):
    with pytest.raises(DomainError, match="expected a non-negative integer or a symbol"):
        Activation("tanh").hermite(k)


def test_a_foreign_object_is_never_read_by_its_text():
    class Foreign:
        free_symbols = frozenset()

        def __repr__(self):
            return "1 + 1"

    with pytest.raises(ParseError, match=r"an activation must be a sympy expression, not Foreign: 1 \+ 1"):
        Activation(Foreign())
