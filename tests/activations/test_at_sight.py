"""What a syntax tree shows at sight agrees with the algebra, and doubt stays doubt."""

import numpy as np
import pytest
import sympy as sp
from helpers.strategies import activations
from hypothesis import given, settings

from asympkit import Activation, DomainError
from asympkit.activations import CATALOGUE
from asympkit.parsing.grammar import parse_tree
from asympkit.parsing.to_numpy import to_numpy
from asympkit.parsing.tree import to_text, walk
from asympkit.properties import sharp
from asympkit.properties.kinks import check_domain, jumps, kinks
from asympkit.properties.tree_bounds import shape
from asympkit.properties.tree_derivative import derivative
from asympkit.properties.tree_kinks import switches

TEXTS = [*CATALOGUE, "max(z, z**2, 1 - z)", "max(abs(z) - 1, 0)", "abs(z)*z", "where(z <= 1/2, z, 2*z)",
         "where(z == 0, 3, z)", "max(z, 1)*tanh(z)", "abs(z) - abs(-z)", "step(z - 3)*(z - 3)", "sqrt(1 + z**2)",
         "tanh(300*(z - 1/3))", "exp(-4000*(z + 1)**2)", "1/(z**2 + 1e-5)", "log(1e-5 + z**2)", "where(z < pi, z, 1)",
         "sign(z)*(z**2 - 1)", "min(z, 0)*max(z, 0)", "erf(80*z**3)"]
ZIGZAG = np.concatenate([np.linspace(-9, 9, 181), [-200.0, 200.0]]) + 0.00173


def assert_agrees(text):
    act = Activation(text)
    seen = shape(act._tree)
    if seen is None:
        return
    check_domain(act.expr, act.symbol, text)
    values = act(ZIGZAG)
    slack = 1e-9 * (1.0 + np.abs(values))
    assert np.all(values >= seen.low - slack) and np.all(values <= seen.high + slack)
    if seen.curvature <= 0.0:
        assert act.growth.finite_second_moment(1e6)
    found = switches(act._tree)
    if found is not None:
        points = kinks(act.expr, act.symbol)
        assert [float(p) for p, _ in found] == [float(p) for p in points]
        heights = dict.fromkeys(map(float, points), 0.0) | {float(p): float(h)
                                                            for p, h in jumps(act.expr, act.symbol, points)}
        for point, height in found:
            assert height == pytest.approx(heights[float(point)], rel=1e-9, abs=0)
    np.testing.assert_allclose(sharp.sharp_points_of_tree(act._tree), sharp.sharp_points(act.expr, act.symbol),
                               rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("text", TEXTS)
def test_agreement(text):
    assert_agrees(text)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(activations())
def test_agreement_on_random_texts(sample):
    assert_agrees(sample.text)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(activations())
def test_derivative_of_random_texts(sample):
    act = Activation(sample.text)
    x = np.linspace(-3.1, 3.3, 25) + 0.00371
    if any(np.min(np.abs(x - float(p))) < 1e-3 for p in sample.places):
        x = x[np.min(np.abs(x[:, None] - np.array([float(p) for p in sample.places])), axis=1) > 1e-3]
    oracle = sp.lambdify(act.symbol, _by_sympy(act), "mpmath")
    expected = np.array([float(oracle(t)) for t in x])
    np.testing.assert_allclose(to_numpy(derivative(act._tree))(x), expected, rtol=1e-8, atol=1e-9)


def _by_sympy(act):
    """sympy's own derivative: point masses of jumps are zero beside them."""
    return act.expr.diff(act.symbol).replace(sp.DiracDelta, lambda *_: sp.Integer(0))


@pytest.mark.parametrize("text", ["relu", "hardtanh", "elu", "sign", "softplus", "1/(1 + exp(-z))", "sqrt(1 + z**2)"])
def test_common_cases_are_decided(text):
    tree = parse_tree(CATALOGUE.get(text, text))
    assert shape(tree) is not None and switches(tree) is not None


@pytest.mark.parametrize("text", ["sqrt(abs(z))", "1/z", "log(z**2)", "tan(z)", "exp(z**4)", "z**z", "exp(z*tanh(z))"])
def test_doubt_is_left_to_algebra(text):
    assert shape(parse_tree(text)) is None


@pytest.mark.parametrize("text", ["abs(z)*abs(z)", "where(z == 0, 1, z)", "max(0, z - pi)", "step(z)*z*0 + z"])
def test_doubt_about_kinks_is_left_to_algebra(text):
    assert switches(parse_tree(text)) is None


def test_the_domain_is_still_checked():
    for text in ("1/z", "log(z)", "sqrt(z)", "asin(z)"):
        with pytest.raises(DomainError, match="activation"):
            Activation(text)


def test_long_products_have_short_derivatives():
    tree = derivative(parse_tree("*".join(f"(z - {k})" for k in range(60))))
    x = np.array([0.5, 1.25])
    exact = [float(sp.prod([sp.Rational(t) - k for k in range(60)]) * sum(1 / (sp.Rational(t) - k) for k in range(60)))
             for t in x]
    np.testing.assert_allclose(to_numpy(tree)(x), exact, rtol=1e-12)
    assert sum(1 for _ in walk(tree)) < 5000


def test_derivatives_are_folded():
    assert to_text(derivative(parse_tree("z**3 - 3*z"))) == "3*z**2 - 3"
    assert to_text(derivative(parse_tree("tanh(z)"))) == "1 - tanh(z)**2"
    assert to_text(derivative(parse_tree("softplus(z)"))) == "1/2 + tanh(z/2)/2"
    assert to_text(derivative(parse_tree("3*z/2 - 7"))) == "3/2"
