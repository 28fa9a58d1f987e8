"""One text, three evaluations: sympy, floating point and multiple precision must agree."""

import math

import mpmath as mp
import numpy as np
import pytest
import sympy as sp

from asympkit.errors import DomainError
from asympkit.parsing import parse
from asympkit.parsing.expressions import translate
from asympkit.parsing.reader import read
from asympkit.properties.values import Undefined, array_function, value_at

pytestmark = pytest.mark.filterwarnings("error")
z = sp.Symbol("z", real=True)


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
