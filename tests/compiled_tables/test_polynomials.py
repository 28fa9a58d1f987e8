"""A functional tells what it is made of; what is no power of a polynomial is left to numpy."""

import numpy as np
import pytest

from asympkit import Activation
from asympkit.compiled_tables import means_by_loops
from asympkit.compiled_tables.loops import fill_item
from asympkit.compiled_tables.means import settled_means
from asympkit.compiled_tables.polynomials import items_of
from asympkit.runtime.means import normal_means

Z, S = np.linspace(-2.0, 2.0, 5), np.tanh(np.linspace(-1.0, 3.0, 5))
COLUMN = np.array([0.5, -1.5, 2.0])


def functional(z, s, at):
    mean = at(COLUMN)
    return (s, s * z, (z * z - 1) * s, (s * s), -np.sqrt(2.0) * mean * z - mean + s, (s - mean * z) ** (2), mean * 3.0,
            2 - s / 4.0, (1 + z - s) ** 3, (-z) ** (2), np.float64(0.7) * z, 1.5)


@pytest.mark.parametrize("row", range(3))
def test_items_have_the_values_of_the_functional(row):
    items = items_of(functional)
    wanted = functional(Z, S, lambda column: column[row])
    part, out = np.empty(5), np.empty(5)
    for i, values in enumerate(wanted):
        begin, end = items.edges[i], items.edges[i + 1]
        fill_item.loop(items.exponents, items.coefficients, begin, end, items.powers[i], row, Z, S, 5, part, out)
        np.testing.assert_allclose(out, np.broadcast_to(values, 5), rtol=1e-14, atol=1e-15)


def test_squares_are_told_at_sight():
    items = items_of(lambda z, s, at: (s, s * z, s**2, (s - z) ** 2, s**3, (s - z) ** 3, -(z * z), 2.0 * z * z,
                                       s * s - 1))
    assert items.squares.tolist() == [False, False, True, True, False, False, False, True, False]


@pytest.mark.parametrize("other", [
    lambda z, s, at: (np.exp(z) * s,),
    lambda z, s, at: (abs(s),),
    lambda z, s, at: (s / (1 + z * z),),
    lambda z, s, at: (s**0.5,),
    lambda z, s, at: (np.where(z > 0.0, s, 0.0),),
    lambda z, s, at: (np.array([s, z]),),
    lambda z, s, at: ((s - z) ** 2 + 1,),                       # expanding it could cancel
    lambda z, s, at: ((s - z) * (s - at(COLUMN) * z),),
])
def test_what_is_no_power_of_a_polynomial_is_left_to_numpy(other):
    assert items_of(other) is None


def test_the_door_gives_the_numbers_of_numpy_for_any_functional():
    act, offset = Activation("tanh(1.2*z)"), np.array([-0.4, 0.0, 1.3])

    def steep(z, s, at):
        return np.exp(0.3 * z) * s, s

    assert settled_means(act, offset, 0.9, steep) is None
    found, error = means_by_loops(act, offset, 0.9, steep)
    plain, other = normal_means(act, offset, 0.9, steep)
    assert error == other
    np.testing.assert_array_equal(found, plain)
