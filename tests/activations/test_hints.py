"""What is said to somebody who writes a function as elsewhere."""

import pytest
from sympy import Symbol

import asympkit as ak

HINTS = {
    "tanh(2z)": r"character 7, found 'z', expected ',' or '\)' \(write \* for products: 2\*z\)",
    "2z": r"\(write \* for products: 2\*z\)",
    "z tanh(z)": r"\(write \* for products: z\*tanh\)",
    "2(z + 1)": r"found '\(', expected an operator between two expressions \(write \* for products\)$",
    "z^2": r"write \*\* for powers", r"\tanh(z)": r"write names without a backslash, tanh\(z\)",
    "GELU": "did you mean 'gelu'", "swish": "did you mean 'silu'", "logistic": "did you mean 'sigmoid'",
    "LeakyReLU": "did you mean 'leaky_relu'", "z*swish(z)": "unknown function 'swish'; did you mean 'silu'",
    "arctan(z)": "did you mean 'atan'", "Heaviside": "did you mean 'step'",
    "leaky_relu(0.1)": r"is a number, the value of leaky_relu at a point; write leaky_relu\(z\) for the slope 0.1, or "
                       r"where\(z > 0, z, 0.01\*z\) for another",
    "2*relu(3)": r"the value of relu at a point; write relu\(z\)",
}


@pytest.mark.parametrize("text", HINTS)
def test_a_text_in_another_notation(text):
    with pytest.raises(ak.ParseError, match=HINTS[text]):
        ak.Activation(text)


def test_a_function_of_python_is_to_be_called():
    with pytest.raises(ak.ParseError, match=r"not function: <function .*; call it with a symbol: f\(z\) with"):
        ak.Activation(lambda z: z)
    assert ak.Activation((lambda z: z**2)(Symbol("z", real=True))).name == "z**2"
    with pytest.raises(ak.ParseError, match="not list: .*[^y]$"):
        ak.Activation([1])


def test_a_name_that_means_another_function_shows_it():
    assert repr(ak.Activation("exp")) == "Activation('exp': exp(z/2))"
    assert repr(ak.Activation("exp(z)")) == "Activation('exp(z)')"
    assert ak.Activation(ak.Activation("exp").name) == ak.Activation("exp")


def test_constants_are_functions():
    assert ak.Activation("1/10")(3.0) == 0.1 and ak.Activation("exp(1)").parity == "even"
