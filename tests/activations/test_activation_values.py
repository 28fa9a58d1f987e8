"""Activations: exact attributes, values against closed forms, and what is refused."""

import warnings

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from scipy.special import erf, erfc
from sympy import Symbol

import asympkit as ak
from asympkit.activations import CATALOGUE, Activation
from asympkit.errors import DomainError, ParseError, UnknownNameError

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
