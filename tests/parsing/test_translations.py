"""One text, four readings: sympy, floating point, source text and multiple precision must agree."""

import math

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import erf, erfc

from asympkit.errors import DomainError
from asympkit.parsing import parse, parse_tree
from asympkit.parsing.from_sympy import from_sympy
from asympkit.parsing.to_mpmath import Undefined, evaluate
from asympkit.parsing.to_numpy import numpy_source, to_numpy
from asympkit.parsing.to_sympy import to_sympy
from asympkit.parsing.tree import to_text

pytestmark = pytest.mark.filterwarnings("error")
z = sp.Symbol("z", real=True)
POINTS = ("-2.3", "-0.7", "0.4", "1.9")

_leaves = st.sampled_from(["z", "2", "0.3", "1.5", "pi", "e", "7"])
_bounded = ["tanh", "erf", "erfc", "sin", "cos", "atan", "abs", "sigmoid", "softplus", "relu", "gelu",
            "silu", "mish",
            "elu", "leaky_relu", "hardtanh", "gaussian", "identity", "selu"]


def _extend(inner):
    return st.one_of(
        st.tuples(st.sampled_from("+-*"), inner, inner).map(lambda t: f"({t[1]} {t[0]} {t[2]})"),
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"{t[0]} {t[1]} {t[2]}"),
        st.tuples(st.sampled_from(_bounded), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(st.sampled_from(["max", "min"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
        st.tuples(inner, inner).map(lambda t: f"({t[0]})/(2 + tanh({t[1]}))"),
        inner.map(lambda t: f"-{t}"),
        st.tuples(inner, st.sampled_from("23")).map(lambda t: f"tanh({t[0]})**{t[1]}"),
        st.tuples(inner, inner).map(lambda t: f"where(z <= 0.5, {t[0]}, {t[1]})"),
    )


expressions = st.recursive(_leaves, _extend, max_leaves=6)


def _source_values(source, x):
    return np.asarray(eval(source, {"np": np, "erf": erf, "erfc": erfc}, {"x": x}), dtype=float)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(expressions)
def test_all_readings_agree(text):
    tree = parse_tree(text)
    x = np.array([float(p) for p in POINTS])
    exact = [evaluate(tree, {"z": p}, digits=40) for p in POINTS]
    scale = 1e-12 * max(1.0, *(float(abs(v)) for v in exact))
    expected = np.array([float(v) for v in exact])
    assert np.max(np.abs(to_numpy(tree)(x) - expected)) <= 100 * scale
    with np.errstate(all="ignore"):
        assert np.max(np.abs(_source_values(numpy_source(tree, {"z": "x"}), x) - expected)) <= 100 * scale
    expr = to_sympy(tree)
    for p, value in zip(POINTS, exact):
        there = sp.N(expr.subs(z, sp.Rational(p)), 30)
        assert abs(mp.mpf(str(there)) - value) <= scale
    back = from_sympy(expr)
    assert np.max(np.abs(to_numpy(back)(x) - expected)) <= 100 * scale
    again = parse(to_text(back))
    for p, value in zip(POINTS, exact):
        assert abs(mp.mpf(str(sp.N(again.subs(z, sp.Rational(p)), 30))) - value) <= scale


@pytest.mark.parametrize("name, reference", [
    ("sigmoid", lambda x: 1 / (1 + mp.exp(-x))),
    ("softplus", lambda x: mp.log1p(mp.exp(x))),
    ("silu", lambda x: x / (1 + mp.exp(-x))),
    ("mish", lambda x: x * mp.tanh(mp.log1p(mp.exp(x)))),
    ("gelu", lambda x: x * mp.ncdf(x)),
    ("elu", lambda x: x if x > 0 else mp.expm1(x)),
])
def test_tails_keep_their_relative_accuracy(name, reference):
    x = np.array([-1e3, -300.0, -37.0, -8.5, -1.0, -1e-9, 0.0, 1e-9, 1.0, 8.5, 300.0, 1e3])
    with mp.workdps(900):  # enough digits for the far tail of the plain formulas
        expected = np.array([float(reference(mp.mpf(float(v)))) for v in x])
    tree = parse_tree(f"{name}(z)")
    with np.errstate(all="raise", under="ignore"):
        from_source = _source_values(numpy_source(tree, {"z": "x"}), x)
    for values in (to_numpy(tree)(x), from_source):
        assert np.all(np.isfinite(values))
        np.testing.assert_allclose(values, expected, rtol=2e-13, atol=1e-300)


def test_functions_of_several_names_broadcast():
    f = to_numpy(parse_tree("a*z + max(a, z)", names=("a", "z")), names=("a", "z"))
    out = f(np.array([[1.0], [2.0]]), np.array([0.0, 3.0, 5.0]))
    assert out.shape == (2, 3)
    assert out[1, 2] == 15.0
    assert f(2, 3) == 9.0
    with pytest.raises(TypeError, match="expected 2 arguments"):
        f(1.0)


def test_constants_take_the_shape_of_the_argument():
    f = to_numpy(parse_tree("pi/2"))
    assert f(np.zeros((2, 3))).shape == (2, 3)
    assert f(np.zeros((0,))).shape == (0,)
    assert f(1.0) == math.pi / 2


def test_unused_branches_and_overflow_are_silent():
    f = to_numpy(parse_tree("where(z > 0, log(z), 1/z) + where(z > 700, 0, exp(z))"))
    np.testing.assert_allclose(f(np.array([-1.0, 1e3])), [math.exp(-1) - 1, math.log(1e3)], rtol=1e-14)
    assert np.isposinf(to_numpy(parse_tree("exp(z)"))(1e3))


def test_source_is_deterministic_and_parenthesised():
    assert numpy_source(parse_tree("-z**2/2 + erf(z)"), {"z": "u + v"}) == "-(u + v)**2/2.0 + erf((u + v))"
    assert numpy_source(parse_tree("max(0, z, 1)"), {"z": "x"}) == "np.maximum(np.maximum(0.0, x), 1.0)"
    assert (numpy_source(parse_tree("relu(z + 1)*step(z)"))
            == "np.maximum(0.0, (z + 1.0))*np.where(z > 0.0, 1.0, 0.0)")


def test_step_and_sign_vanish_at_zero_in_every_reading():
    for text in ("step(z)", "sign(z)"):
        tree = parse_tree(text)
        assert to_numpy(tree)(0.0) == 0.0
        assert to_sympy(tree).subs(z, 0) == 0
        assert evaluate(tree, {"z": 0}) == 0
        assert _source_values(numpy_source(tree, {"z": "x"}), np.zeros(1)) == 0.0


@pytest.mark.parametrize("text, point",
                         [("1/z", 0), ("log(z)", -1), ("log(z)", 0), ("z**(1/2)", -1), ("asin(z)", 2),
                                         ("z**-2", 0), ("exp(exp(exp(z)))", 10)])
def test_multiple_precision_tells_undefined_points(text, point):
    with pytest.raises(Undefined):
        evaluate(parse_tree(text), {"z": point})


def test_other_forms_of_sympy_are_rewritten():
    x = np.array([-0.6, 0.3, 0.8])
    for expr, reference in [
        (sp.sech(z), 1 / np.cosh(x)), (sp.cot(z), 1 / np.tan(x)), (sp.acos(z), np.arccos(x)),
        (sp.asinh(z), np.arcsinh(x)), (sp.atanh(z), np.arctanh(x)), (sp.sinc(z), np.sin(x) / x),
        (sp.Heaviside(z), (x > 0) * 1.0), (0.1 * z, 0.1 * x),
        (sp.log(3 * sp.cosh(z)), np.log(3 * np.cosh(x))),
        (sp.Piecewise((1, (z > 0) & (z < 0.5)), (2, (z < -0.5) | (z > 0.7)), (0, True)), [2, 1, 2]),
    ]:
        np.testing.assert_allclose(to_numpy(from_sympy(expr))(x), reference, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("expr, message", [
    (sp.zeta(z), "the function zeta"), (sp.DiracDelta(z), "the function DiracDelta"),
    (sp.Function("f")(z), "the function f"), (sp.EulerGamma * z, "is a number the grammar does not have"),
    (sp.Piecewise((1, z > 0)), "does not cover every case"), (sp.Integral(z, z), "Integral"),
])
def test_sympy_beyond_the_grammar_is_refused(expr, message):
    with pytest.raises(DomainError, match=message):
        from_sympy(expr)
