"""Texts of functions: their grammar, their reading back, and what random ones mean."""

import math
import random
import warnings
from collections import Counter

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from helpers.verdicts import bad, run_cases

import asympkit as ak
from asympkit.errors import DomainError, ParseError, UnknownNameError
from asympkit.parsing import parse
from asympkit.parsing.expressions import to_text, translate
from asympkit.parsing.grammar import COMPARISONS, FUNCTIONS, normalise_spaces
from asympkit.parsing.reader import ELEMENTARY, Z, read
from asympkit.properties.values import Undefined, array_function, value_at

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


def _function(text):
    return array_function(read(text).expr, [z])


@pytest.mark.parametrize("name, reference", [
    ("sigmoid", lambda x: 1 / (1 + mp.exp(-x))), ("softplus", lambda x: mp.log1p(mp.exp(x))),
    ("silu", lambda x: x / (1 + mp.exp(-x))), ("mish", lambda x: x * mp.tanh(mp.log1p(mp.exp(x)))),
    ("gelu", lambda x: x * mp.ncdf(x)), ("elu", lambda x: x if x > 0 else mp.expm1(x)),
])
def test_tails_keep_their_relative_accuracy(name, reference):
    x = np.array([-1e3, -300.0, -37.0, -8.5, -1.0, -1e-9, 0.0, 1e-9, 1.0, 8.5, 300.0, 1e3])
    with mp.workdps(900):  # enough digits for the far tail of the plain formulas
        expected = np.array([float(reference(mp.mpf(float(v)))) for v in x])
    values = _function(f"{name}(z)")(x)
    assert np.all(np.isfinite(values))
    np.testing.assert_allclose(values, expected, rtol=2e-13, atol=1e-300)


def test_values_of_branches_and_steps():
    f = _function("where(z > 0, log(z), 1/z) + where(z > 700, 0, exp(z))")
    np.testing.assert_allclose(f(np.array([-1.0, 1e3])), [math.exp(-1) - 1, math.log(1e3)], rtol=1e-14)
    assert np.isposinf(_function("exp(z)")(1e3))
    for text in ("step(z)", "sign(z)"):
        assert _function(text)(0.0) == 0.0
        assert parse(text).subs(z, 0) == 0
        assert value_at(parse(text), z, 0.0) == 0
    x = np.array([-30.0, -8.5, -1.0, 2.0])
    with mp.workdps(900):
        expected = np.array([float(mp.mpf(float(v)) * mp.ncdf(mp.mpf(float(v)))) for v in x])
    np.testing.assert_allclose(_function("z*erfc(-z/sqrt(2))/2")(x), expected, rtol=2e-13)


@pytest.mark.parametrize("text, point",
                         [("1/z", 0), ("log(z)", -1), ("log(z)", 0), ("z**(1/2)", -1), ("asin(z)", 2),
                          ("z**-2", 0), ("exp(exp(exp(z)))", 10)])
def test_multiple_precision_tells_undefined_points(text, point):
    with pytest.raises(Undefined):
        value_at(parse(text), z, float(point))


def test_other_forms_of_sympy_are_rewritten():
    x = np.array([-0.6, 0.3, 0.8])
    for expr, reference in [
        (sp.sech(z), 1 / np.cosh(x)), (sp.cot(z), 1 / np.tan(x)), (sp.acos(z), np.arccos(x)),
        (sp.asinh(z), np.arcsinh(x)), (sp.atanh(z), np.arctanh(x)), (sp.sinc(z), np.sin(x) / x),
        (sp.Heaviside(z), (x > 0) * 1.0), (0.1 * z, 0.1 * x), (sp.log(3 * sp.cosh(z)), np.log(3 * np.cosh(x))),
        (sp.Piecewise((1, (z > 0) & (z < 0.5)), (2, (z < -0.5) | (z > 0.7)), (0, True)), [2, 1, 2]),
    ]:
        np.testing.assert_allclose(array_function(translate(expr), [z])(x), reference, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("expr, message", [
    (sp.zeta(z), "the function zeta"), (sp.DiracDelta(z), "the function DiracDelta"),
    (sp.Function("f")(z), "the function f"), (sp.EulerGamma * z, "is a number the grammar does not have"),
    (sp.Piecewise((1, z > 0)), "does not cover every case"), (sp.Integral(z, z), "Integral"),
])
def test_sympy_beyond_the_grammar_is_refused(expr, message):
    with pytest.raises(DomainError, match=message):
        translate(expr)


CALLS = (*ELEMENTARY, *(f for f in FUNCTIONS if f != "leaky_relu"))      # it warns of its slope
POINTS = (-2.3, -0.7031, 0.0173, 0.4187, 1.9)


def random_text(seed):
    """A text of the grammar in z; one in twelve is damaged at one place."""
    r = random.Random(seed)

    def number():
        return r.choice([str(r.randint(0, 9)), f"{r.uniform(0, 6):.2f}", f"{r.uniform(0, 2):.3f}", "1/3", "pi", "e"])

    def argument():
        return r.choice(["z", f"{number()}*z", f"({number()}*z-{number()})", f"(z+{number()})", f"-z/{number()}"])

    def whole(depth):
        kind = r.random()
        if depth == 0 or kind < 0.15:
            return argument() if r.random() < 0.75 else number()
        part = lambda: whole(depth - 1)  # noqa: E731
        if kind < 0.45:
            return f"{r.choice(CALLS)}({part()})"
        if kind < 0.62:
            return f"{part()}{r.choice('+-')}{part()}"
        if kind < 0.76:
            return f"({part()})*({part()})"
        if kind < 0.82:
            return f"({part()})/({part()})"
        if kind < 0.88:
            return f"({part()})**{r.choice(['2', '3', '-1', '(1/2)', '(2/3)', '4', '1.5', '(-z)'])}"
        if kind < 0.94:
            return f"{r.choice(['max', 'min'])}({part()},{part()})"
        return f"where({part()} {r.choice(COMPARISONS)} {part()},{part()},{part()})"

    text = f"{number()}*{whole(3)}+{whole(2)}" if r.random() < 0.5 else whole(r.randint(1, 4))
    if r.random() < 1 / 12:
        at = r.randrange(len(text))
        text = text[:at] + r.choice(["", "(", ")", "+", "zz", "é", "**", "\n", ",", "0x"]) + text[at + 1:]
    return text


def examined(text):
    """Return the name of the package's error that a text raises, or ``""``; raise where a claim does not hold."""
    try:
        ak.parse(text)
        act = ak.Activation(text)
        values = act(np.array(POINTS))
        parity, kinks, jumps, places = act.parity, act.kinks, act.jumps, act.kinks_float
    except ak.AsympkitError as error:
        return type(error).__name__
    for x, value in zip(POINTS, values):
        try:
            exact = float(value_at(act.expr, Z, x))
        except (Undefined, OverflowError):
            continue
        # beside a switch rounding may take the other side, and nothing bounds how rounding is amplified
        if not math.isclose(value, exact, rel_tol=1e-6, abs_tol=1e-6) and math.isfinite(value) \
                and all(abs(x - k) > 1e-6 for k in places) and abs(exact) < 1e6:
            raise AssertionError(f"{value!r} at {x}, exactly {exact!r}")
    for sign in {"odd": (-1,), "even": (1,), None: ()}[parity]:
        mirrored = act(-np.array(POINTS))
        both = np.isfinite(values) & np.isfinite(mirrored) & (np.abs(values) < 1e6)
        if not np.allclose(mirrored[both], sign * values[both], rtol=1e-6, atol=1e-6):
            raise AssertionError(f"said to be {parity}")
    if not {p for p, _ in jumps} <= set(kinks) or len(set(map(float, kinks))) != len(kinks):
        raise AssertionError(f"jumps {jumps}, kinks {kinks}")
    for place, height in jumps:
        try:
            left, right = (float(value_at(act.expr, Z, float(place) + step)) for step in (-1e-9, 1e-9))
        except (Undefined, OverflowError):
            continue
        if abs(float(height)) < 1e3 and abs(right - left - float(height)) > 1e-3 * (1 + abs(left) + abs(right)):
            raise AssertionError(f"a jump of {float(height)} at {float(place)}, but values {left}, {right}")
    return ""


def judge(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        examined(random_text(seed))


def test_fifteen_random_texts():
    outcomes = Counter()
    for seed in range(15):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            outcomes[examined(random_text(seed))] += 1
    assert outcomes[""] >= 4, outcomes
    assert set(outcomes) <= {"", "ParseError", "UnknownNameError", "DomainError"}, outcomes


MIXED = ["0.608*sign(0.26*z-1.33)+1/(1+exp(-(5.4*z-1.29)))+1.75*cos(0.73*z)"]
_r = random.Random(7)
MIXED += [f"{_r.uniform(.2, 2):.3f}*{_r.choice(['sign', 'abs', 'step', 'relu'])}({_r.uniform(.2, 3):.2f}*z"
          f"-{_r.uniform(-2, 2):.2f})".replace("--", "+") + f"+{_r.uniform(.2, 2):.2f}*{_r.choice(smooth)}"
          f"({_r.uniform(.2, 6):.2f}*z+{_r.uniform(0, 2):.2f})*{_r.choice(smooth)}({_r.uniform(.2, 2):.2f}*z)"
          for smooth in [("sigmoid", "cos", "tanh", "erf", "gelu", "softplus", "sin", "atan")] for _ in range(12)]


@pytest.mark.parametrize("text", MIXED)
def test_mixed_texts_take_little_time(text):
    verdict = run_cases([text], lambda t: examined(t) and "refused", seconds=10)[text]
    assert verdict == ""


@pytest.mark.slow
def test_twenty_thousand_random_texts():
    verdicts = run_cases(range(20_000), judge, seconds=20)
    assert not bad(verdicts)
