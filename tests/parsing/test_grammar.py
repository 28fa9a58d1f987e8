"""What the grammar means, and what it says about a text it does not read."""

import pytest
import sympy as sp

import asympkit as ak
from asympkit.errors import ParseError, UnknownNameError
from asympkit.parsing import parse
from asympkit.parsing.expressions import to_text
from asympkit.parsing.grammar import normalise_spaces
from asympkit.parsing.reader import read

pytestmark = pytest.mark.filterwarnings("error")
z = sp.Symbol("z", real=True)


@pytest.mark.parametrize("text, expected", [
    ("0.1", sp.Rational(1, 10)), ("1e-3", sp.Rational(1, 1000)), (".5 + 2.", sp.Rational(5, 2)), ("-z**2", -(z**2)),
    ("(-z)**2", z**2), ("2**-1", sp.Rational(1, 2)), ("2**3**2", sp.Integer(512)), ("8/4/2", sp.Integer(1)),
    ("5 - 3 - 1", sp.Integer(1)), ("2*-z", -2 * z), ("--z", z), ("+z", z), ("e**z", sp.exp(z)),
    ("sin(pi/6)", sp.Rational(1, 2)), ("abs(z)", sp.Abs(z)), ("sqrt(z**2)", sp.Abs(z)), ("max(0, z, 2)", sp.Max(2, z)),
    ("min(z, 1)", sp.Min(z, 1)), ("step(z)", sp.Heaviside(z, 0)),
    ("where(z > 0, z, exp(z) - 1)", sp.Piecewise((z, z > 0), (sp.exp(z) - 1, True))), ("where(2 > 1, z, 1)", z),
    ("where(z == 0, 1, sin(z)/z)", sp.Piecewise((1, sp.Eq(z, 0)), (sp.sin(z) / z, True))),
    ("relu(2*z)", sp.Max(0, 2 * z)), ("exp(z)", sp.exp(z)), ("gaussian(2*z)", sp.exp(-2 * z**2)),
    ("quadratic(z + 1)", (z + 1) ** 2 - 1), ("erfc(z)*atan(z)*asin(z)", sp.erfc(z) * sp.atan(z) * sp.asin(z)),
])
def test_meaning(text, expected):
    assert parse(text) == expected


def test_names_and_limits():
    expr = parse("alpha*x_1 + pi", names=("alpha", "x_1"))
    assert expr == sp.Symbol("alpha", real=True) * sp.Symbol("x_1", real=True) + sp.pi
    assert parse("w", names="w") == sp.Symbol("w", real=True)
    assert parse("(" * 60 + "z" + ")" * 60) == z
    assert parse("+".join(["z"] * 1000)) == 1000 * z
    assert parse("z**64") == z**64
    assert parse("2**64") == 2**64
    assert parse("lambda*z + if", names=("lambda", "z", "if")) == parse("a*z + b", names=("a", "z", "b")).xreplace(
        {sp.Symbol("a", real=True): sp.Symbol("lambda", real=True),
         sp.Symbol("b", real=True): sp.Symbol("if", real=True)})
    assert parse("besselj(2, 3*z)") == sp.besselj(2, 3 * z) and parse("asinh(z) + acos(z/2)").has(sp.asinh, sp.acos)
    assert parse("log_phi(z) - mills(z)") == ak.LogPhi(z) - ak.Mills(z)
    # names that are declared come first: a parameter may be called gamma
    assert parse("gamma*z", names=("gamma", "z")) == sp.Symbol("gamma", real=True) * z
    assert parse("gamma(z)") == sp.gamma(z)


@pytest.mark.parametrize("text, error, message", [
    ("", ParseError, "the text is empty"), ("   ", ParseError, "the text is empty"),
    (None, ParseError, "must be given as text"), (b"z", ParseError, "must be given as text"),
    ("z^2", ParseError, r"at character 2, .*write \*\* for powers"),
    ("2z", ParseError, r"at character 2, found 'z', .*write \* for products"),
    ("z(2)", ParseError, "'z' is not a function"), ("(z)(z)", ParseError, r"found '\(', expected an operator"),
    ("z +", ParseError, "found the end of the text, expected a number"),
    ("(z", ParseError, r"found the end of the text, expected '\)'"), ("z)", ParseError, r"at character 2, found '\)'"),
    ("relu", ParseError, r"'relu' needs an argument, as in relu\(z\)"),
    ("tnh(z)", UnknownNameError, "unknown function 'tnh'; did you mean 'tanh'"),
    ("zz", UnknownNameError, "unknown name 'zz'; did you mean 'z'"),
    ("z > 0", ParseError, "comparisons stand only inside where"), ("z = 0", ParseError, "comparisons are"),
    ("max(z > 0, 1)", ParseError, "one comparison only"), ("where(0 < z < 1, 1, 2)", ParseError, "one comparison only"),
    ("where(z, 1, 2)", ParseError, "a comparison such as z > 0"),
    ("where(z > 0, 1)", ParseError, "where takes 3 arguments, got 2"),
    ("max(z)", ParseError, "max takes 2 to 20 arguments, got 1"),
    ("tanh(z, 2)", ParseError, "tanh takes 1 argument, got 2"),
    ("tanh()", ParseError, r"found '\)', expected a number"),
    ("expm2(z)", UnknownNameError, "unknown function 'expm2'; did you mean 'expm1'"),
    ("z/(z - z)", ParseError, "infinite or not real"), ("clip(z, 1)", ParseError, "clip takes 3 arguments, got 2"),
    ("celu(z, 0)", ParseError, "it divides by 0"), ("elu(z, 1, 2)", ParseError, "elu takes 1 to 2 arguments, got 3"),
    ("max(sqrt(-1 - z**2), 0)", ParseError, "not a real expression"),
    ("1/0", ParseError, "the constant 1/0 is not a finite real number"),
    ("log(-1) + z", ParseError, r"the constant log\(-1\) is not"), ("asin(2)*z", ParseError, "the constant asin"),
    ("(-8)**(1/3)", ParseError, "is not a finite real number"),
])
def test_messages(text, error, message):
    with pytest.raises(error, match=message):
        parse(text)


@pytest.mark.parametrize("names", [("pi",), ("tanh",), ("1a",), ("a b",), ("\u03b1",), (3,)])
def test_declared_names_are_checked(names):
    with pytest.raises(ParseError, match="the declared name"):
        parse("1", names=names)


@pytest.mark.parametrize("text", [
    "__import__('os')", "z.__class__", "lambda: 0", "z if z else 1", "[z]", "{z}", "z; z", "z\x00", "exec(z)",
    "eval(z)", "globals()", "__builtins__", "open(z)", "z:=1", "f'z'", "z @ z", "z // 2", "z % 2", "~z", "z and z",
    "\uff5a", "z\u00b2", "\u0661", "z\u200b", "1_000", "0x10", "1j", "\u2212z", "'z'", '"z"', "z\\",
])
def test_anything_else_is_refused(text):
    with pytest.raises(ParseError):
        parse(text)


@pytest.mark.parametrize("text", [
    "(" * 10000, "(" * 1500, "(" * 100 + "z" + ")" * 100, "-" * 1999 + "z", "tanh(" * 300 + "z", "z**" * 600 + "z",
    "9**9**9", "9**9**9**9", "10**10**10", "2**1000", "z**1000", "z**-65", "1e99999", "1e-99999", "1e" + "9" * 1000,
    "9" * 500, "((z**64)**64)**64", "((2**64)**64)**64", "exp(1000)", "exp(exp(exp(9)))", "1e200*1e200", "cosh(1e9)",
    "*".join(["z"] * 900), "gelu(" * 50 + "z" + ")" * 50, "cubic(" * 20 + "z" + ")" * 20, "where(z > 0, " * 100,
    "max(" * 900,
])
def test_oversized_texts_are_refused(text):
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("text", [
    "-z**2", "(-z)**2", "2**-z", "(2**3)**z", "z - (1 - z)", "z/(2*z)", "z/2*3", "-(z + 1)", "2*(-z)", "-2*z",
    "0.125*z", "1e-30*z**2 + 123456789012345678901234567890*z + 2.5e70", "gelu(2*z)*elu(z - 1)", "0.3*z**-0.3",
    "where(z >= -1, max(z, 1), min(2, -z, z))", "e**(-z**2/2)", "e*z + pi",
])
def test_texts_of_expressions_read_back(text):
    again = to_text(read(text).expr)
    assert parse(again) == parse(text)
    assert to_text(read(again).expr) == again
    tidy = normalise_spaces(text)
    assert parse(tidy) == parse(text) and normalise_spaces(tidy) == tidy


@pytest.mark.parametrize(("text", "message"), [
    ("besselj(z, 2)", "the order of besselj, its first argument, must be an integer of size 200 at most"),
    ("besseli(201, z)", "the order of besseli, its first argument, must be an integer"),
    ("besselj(z)", "besselj takes 2 arguments, got 1"), ("bessely(0, z)", "unknown function 'bessely'; did you mean"),
])
def test_orders_and_arguments_of_functions(text, message):
    with pytest.raises(ParseError, match=message):
        parse(text)
