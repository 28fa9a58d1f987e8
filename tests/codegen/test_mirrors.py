"""Half of the rows stand for all where the activation is even or odd at sight."""

import numpy as np
import pytest
from helpers.strategies import activations
from hypothesis import given, settings

from asympkit import Activation
from asympkit.runtime.means import normal_means


@settings(max_examples=100, deadline=None, derandomize=True)
@given(activations())
def test_parity_at_sight_is_right(sample):
    act = Activation(sample.text)
    parity = act.mirror
    if parity:
        x = np.linspace(0.01, 7, 90)
        right = act(x)                       # powers round differently on the two sides
        np.testing.assert_allclose(act(-x), parity * right, rtol=1e-12, atol=1e-13 * np.max(np.abs(right)))


class Plain:
    """The same function without its parity."""

    def __init__(self, act):
        self.act, self.kinks_float = act, act.kinks_float

    def __call__(self, x):
        return self.act(x)


@pytest.mark.parametrize("text", ["tanh", "z*exp(-z**2/2)", "gaussian", "sign", "abs", "sin(3*z)", "z**5"])
@pytest.mark.parametrize("rows", [7, 8])
def test_half_of_the_rows_stand_for_all(text, rows):
    act, kappa = Activation(text), 1.7 * (np.arange(rows) - (rows - 1) / 2)
    column = np.sinh(kappa / 3)
    signs = {p: (p, -p, 1, 1) for p in (1, -1)}

    def functional(z, s, at):
        return s, z * s, s * s, (s if act.mirror < 0 else z * s) * at(column)

    whole, error = normal_means(Plain(act), 1.7 * kappa, 0.9, functional, signs)
    half, other = normal_means(act, 1.7 * kappa, 0.9, functional, signs)
    assert max(error, other) < 1e-12
    for a, b, sign in zip(whole, half, signs[act.mirror]):
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-13 * np.max(np.abs(a)))
        np.testing.assert_array_equal(b, sign * b[::-1])
