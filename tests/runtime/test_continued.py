"""Where the next point of a row is expected."""

import numpy as np
import pytest

from asympkit.runtime.newton import DIFFERENCES, MOST_ORDER, continued, limited, remember


def _after(values):
    differences = np.full(DIFFERENCES, np.nan)          # what is left of another row is not read
    for v in values:
        remember(differences, v)
    return differences


@pytest.mark.parametrize("order", range(MOST_ORDER + 1))
def test_polynomials_go_on(order):
    def polynomial(x):
        return 0.7 - 1.3 * (0.2 * x - 0.37) ** order

    known = order + 2
    differences = _after([polynomial(x) for x in range(known)])
    assert continued(differences, known) == pytest.approx(polynomial(known), abs=1e-13)


def test_one_point_and_two():
    assert continued(_after([3.0]), 1) == 3.0
    assert continued(_after([3.0, 5.0]), 2) == 7.0


def test_a_jump_is_no_polynomial():
    """After one, the last value alone would have met the one after it best; polynomials would overshoot."""
    differences = _after([0.0, 0.0, 0.0, 1.0, 1.0])
    assert continued(differences, 5) == 1.0


def test_smooth_rows_are_met_closely():
    values = np.log(np.linspace(0.08, 0.12, 51))
    misses = [abs(continued(_after(values[:k]), k) - values[k]) for k in range(6, 51)]
    # the first four differences of a logarithm, of steps of a hundredth
    assert max(misses) < 24 * 0.01**5


@pytest.mark.parametrize("sign", [1, -1])
def test_steps_of_logarithms_are_limited(sign):
    differences = _after([0.0, sign * 5.0])
    assert limited(differences, 2) == sign * 8.0
    assert limited(_after([0.0, sign * 1.0]), 2) == sign * 2.0
