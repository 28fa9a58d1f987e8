"""What interval arithmetic shows of a function holds, and derivatives are those of sympy."""

import numpy as np
import pytest
import sympy as sp
from helpers.strategies import activations
from hypothesis import given, settings

from asympkit import Activation
from asympkit.activations import CATALOGUE
from asympkit.parsing.reader import Z, parse
from asympkit.properties.growth import find_range
from asympkit.properties.kinks import check_domain, derivative

TEXTS = [*CATALOGUE, "max(z, z**2, 1 - z)", "max(abs(z) - 1, 0)", "abs(z)*z", "where(z <= 1/2, z, 2*z)",
         "where(z == 0, 3, z)", "max(z, 1)*tanh(z)", "abs(z) - abs(-z)", "step(z - 3)*(z - 3)", "sqrt(1 + z**2)",
         "tanh(300*(z - 1/3))", "exp(-4000*(z + 1)**2)", "1/(z**2 + 1e-5)", "log(1e-5 + z**2)", "where(z < pi, z, 1)",
         "sign(z)*(z**2 - 1)", "min(z, 0)*max(z, 0)", "erf(80*z**3)"]
ZIGZAG = np.concatenate([np.linspace(-9, 9, 181), [-200.0, 200.0]]) + 0.00173


def assert_agrees(text):
    act = Activation(text)
    for f in (act, act.derivative):
        seen = find_range(f.expr)
        if seen is not None:
            check_domain(f.expr, Z, text)
            values = f(ZIGZAG)
            slack = 1e-9 * (1.0 + np.abs(values))
            assert np.all(values >= seen[0] - slack) and np.all(values <= seen[1] + slack)


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
    np.testing.assert_allclose(act.derivative(x), expected, rtol=1e-8, atol=1e-9)


def _by_sympy(act):
    """sympy's own derivative: point masses of jumps are zero beside them."""
    return act.expr.diff(act.symbol).replace(sp.DiracDelta, lambda *_: sp.Integer(0))


def test_derivatives():
    slope = derivative(parse("*".join(f"(z - {k})" for k in range(60))), Z)
    x = [sp.Rational(1, 2), sp.Rational(5, 4)]
    for t in x:
        exact = sp.prod([t - k for k in range(60)]) * sum(1 / (t - k) for k in range(60))
        assert slope.subs(Z, t) == exact
    assert sum(1 for _ in sp.preorder_traversal(slope)) < 5000
    for text, name in (("z**3 - 3*z", "3*z**2 - 3"), ("tanh(z)", "1 - tanh(z)**2"),
                       ("softplus(z)", "tanh(z/2)/2 + 1/2"), ("3*z/2 - 7", "3/2"), ("max(z, 0)", "step(z)"),
                       ("abs(z)", "sign(z)")):
        assert Activation(text).derivative.name == name
