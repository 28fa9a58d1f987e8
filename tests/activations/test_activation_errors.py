"""Texts and objects that are no activation, and what is said about them."""

import warnings

import numpy as np
import pytest
import sympy as sp
from sympy import Symbol

import asympkit as ak
from asympkit.activations import Activation
from asympkit.errors import DomainError, ParseError, UnknownNameError

x, y = sp.symbols("x y")


@pytest.mark.parametrize("spec, error, message", [
    ("tanhh", UnknownNameError, "unknown activation 'tanhh'; did you mean 'tanh'"),
    ("rellu", UnknownNameError, "did you mean 'relu'"), ("y**2", UnknownNameError, "unknown name 'y'"),
    ("", ParseError, "the text is empty"), (None, ParseError, "not NoneType: None"),
    (True, ParseError, "not bool: True"), (np.ones(3), ParseError, "not ndarray"),
    (np.tanh, ParseError, "a catalogue name, a text in z, a sympy expression or an Activation"),
    (x + y, DomainError, "must be in one symbol, it has 2: x, y"), (sp.I * x, DomainError, "not real and finite"),
    (float("nan"), DomainError, "not real and finite"), (x > 0, DomainError, "not a sympy Expr"),
    (sp.Symbol("p", positive=True) ** 2, DomainError, "must stand for any real number"),
    (sp.zeta(x), DomainError, "the function zeta"),
])
def test_bad_specs(spec, error, message):
    with pytest.raises(error, match=message):
        Activation(spec)


@pytest.mark.parametrize("text, message", [
    ("log(z)", "no finite real value at z = -8"), ("sqrt(z)", "no finite real value at z = -8"),
    ("z**0.5", "no finite real value at z = -8"), ("1/z", "no finite real value at z = 0"),
    ("1/(z - 0.123456)", r"not defined at z = 0.123456.*where\(z == 0.123456"), ("1/(z**2 - 2)", "z = -1.41421"),
    ("log(abs(z**3 - 2))", "z = 1.25992"), ("log(z**2 - 1e-6) ", "no finite real value at z = 0"),
    ("sqrt((z - 1/3)*(z - 0.334))", "no real value for 0.333333 < z < 0.334"),
    ("where(z > 0, log(z), 0)", "unbounded near z = 0"), ("where(z == 0, 0, 1/z)", "unbounded near z = 0"),
    ("tan(z)", "infinitely many points"), ("asin(z)", "no finite real value at z = -8"),
    ("z**z", "no finite real value"), ("where(asin(z) < 1, z, 2*z)", "no finite real value at z = -8"),
    ("sin(z)/z", "no finite real value at z = 0"),
])
def test_undefined_on_the_real_line(text, message):
    with pytest.raises(DomainError, match=message):
        Activation(text)


@pytest.mark.parametrize("text", [
    "where(z == 0, 0, z*log(abs(z)))", "where(z > 0, 1/(1 + z), 1)", "z/(1 + z**2)", "log(1 + z**2)", "1/cosh(z)",
    "asin(tanh(z))", "where(z > -1, sqrt(z + 1), 0)", "(1 + z**2)**0.3", "2**z", "tan(tanh(z))", "1/(1 + abs(z))",
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


def test_kinks_that_are_refused_and_foreign_objects():
    with pytest.raises(DomainError, match="cannot decide whether"):
        _ = Activation("abs(exp(z) - 1 - z)").kinks
    class Foreign:
        free_symbols = frozenset()

        def __repr__(self):
            return "1 + 1"

    with pytest.raises(ParseError, match=r"an activation must be a sympy expression, not Foreign: 1 \+ 1"):
        Activation(Foreign())


@pytest.mark.parametrize("k", ["__import__('os')", -1, 1.5, None])
def test_order_of_a_coefficient_is_an_integer_or_a_symbol(k):
    with pytest.raises(DomainError, match="expected a non-negative integer or a symbol"):
        Activation("tanh").hermite(k)


HINTS = {
    "tanh(2z)": r"character 7, found 'z', expected ',' or '\)' \(write \* for products: 2\*z\)",
    "2z": r"\(write \* for products: 2\*z\)",
    "z tanh(z)": r"\(write \* for products: z\*tanh\)",
    "2(z + 1)": r"found '\(', expected an operator between two expressions \(write \* for products\)$",
    "z^2": r"write \*\* for powers", r"\tanh(z)": r"write names without a backslash, tanh\(z\)",
    "GELUU": "did you mean 'gelu'", "z*swissh(z)": "unknown function 'swissh'", "x + z": "unknown name 'x'",
    "Softplus(2, 20)": r"the value of softplus at a point",
    "2*elu(0.7)": r"at a point; write elu\(z\), or elu\(z, a\) with the parameter a",
    "2*relu(3)": r"the value of relu at a point; write relu\(z\)",
}


@pytest.mark.parametrize("text", HINTS)
def test_a_text_in_another_notation(text):
    with pytest.raises(ak.ParseError, match=HINTS[text]):
        ak.Activation(text)


def test_hints_beside_errors():
    with pytest.raises(ak.ParseError, match=r"not function: <function .*; it must take a sympy symbol and return"):
        ak.Activation(lambda z: np.tanh(z))
    assert ak.Activation(lambda z: z**2).name == ak.Activation(Symbol("z", real=True)**2).name == "z**2"
    with pytest.raises(ak.ParseError, match="not list: .*[^y]$"):
        ak.Activation([1])
    assert repr(ak.Activation("exp")) == "Activation('exp': exp(z/2))"
    assert repr(ak.Activation("exp(z)")) == "Activation('exp(z)')"
    assert ak.Activation(ak.Activation("exp").name) == ak.Activation("exp")
    assert ak.Activation("1/10")(3.0) == 0.1 and ak.Activation("exp(1)").parity == "even"
    act = ak.Activation("0*z")
    assert act.second_moment() == 0.0
    assert list(act.hermite_coefficients(2)) == [0.0, 0.0, 0.0]


PARAMETERS = {"eta": 1.0, "alpha0": 2.0, "alpha": 1.5, "lam": 0.01}


def doors(text):
    """Everything a person may do with the text, each as a function without arguments."""
    return {
        "Activation": lambda: ak.Activation(text), "coefficients": lambda: ak.Activation(text).hermite_coefficients(2),
        "coefficients in digits": lambda: ak.Activation(text).hermite_coefficients(2, digits=20),
        "second moment": lambda: ak.Activation(text).second_moment(),
        "student": lambda: ak.OneStep(text, "tanh").solve(**PARAMETERS),
        "target": lambda: ak.OneStep("tanh", text).solve(**PARAMETERS),
    }


DOORS = tuple(doors("z"))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("text", "sentence"), [
    ("log(z)", r"the activation 'log\(z\)' has no finite real value at z = -8; an activation must be real and finite "
               "on the whole line"),
    ("sqrt(z)", "has no finite real value at z = -8"),
    ("1/z", "the activation '1/z' has no finite real value at z = 0; an activation must be real and finite"),
    ("1/(z - 0.3)", r"is not defined at z = 0.3; .* for example where\(z == 0.3, limit, ...\)"),
    ("where(z > 0, log(z), 0)", "is unbounded near z = 0; an activation must be bounded on bounded intervals"),
])
def test_undefined_values(text, sentence, door):
    with pytest.raises(ak.DomainError, match=sentence):
        doors(text)[door]()


@pytest.mark.parametrize("door", DOORS[1:])
@pytest.mark.parametrize("text", ["exp(z**2/3)", "exp(z**2/4)", "where(z > 0, exp(z**2/3), 0)"])
def test_infinite_second_moment_at_variance_one(text, door):
    assert ak.Activation(text)(0.5) > 1.0          # the function itself is fine
    with pytest.raises(ak.DomainError, match=r"its second moment under a Gaussian of variance 1 is infinite; the "
                                             r"coefficient of z\*\*2 must be below 0.25"):
        doors(text)[door]()


def test_infinite_second_moment_at_the_variance_of_the_weights():
    text = "exp(z**2/8)"
    assert ak.Activation(text).second_moment() == pytest.approx(2**0.5, rel=1e-14)
    rest = {"gamma": 0.5, "alpha": 1.0, "lam": 0.1}
    with pytest.raises(ak.DomainError, match="'exp.*' grows like exp.*second moment under a Gaussian of variance 2.1 "
                                             "is infinite; .* must be below 0.119048"):
        ak.SpikedFeatures(text, "tanh").solve(r=1.0, c=1.1, **rest)
    # as a target it meets variance one whatever the weights are
    assert ak.SpikedFeatures("tanh", text).solve(r=1.0, c=1.1, **rest).converged
    # finite, but so close to divergence that double precision does not reach it
    with pytest.raises(ak.ConvergenceError, match="the averages did not reach the accuracy asked for"):
        ak.SpikedFeatures(text, "tanh").solve(r=0.9, c=1.0, **rest)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ak.AssumptionWarning)
        with pytest.raises(ak.DomainError, match="variance .* is infinite"):
            ak.OneStep(text, "3*z").solve(**{**PARAMETERS, "eta": 5.0})
