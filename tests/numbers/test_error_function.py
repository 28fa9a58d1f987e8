"""The error functions of generated code: relative accuracy everywhere, tails included, and every special value."""

import math

import mpmath
import numpy as np
import pytest

from asympkit.numbers.functions.routines.normal import erf_batch, erfc_batch, log_erfc, log_erfc_batch

EPS = 2.0**-52
rng = np.random.default_rng(11)
X = np.concatenate([rng.uniform(-6, 6, 150), rng.uniform(0.45, 0.55, 50), -rng.uniform(0.45, 0.55, 50),
                    rng.uniform(5, 26.5, 100), 10.0 ** rng.uniform(-300, -1, 50), [0.5, -0.5, 26.5, 3.75]])


def log_of_tail(x):
    return mpmath.log1p(-mpmath.erf(x)) if x < 0.1 else mpmath.log(mpmath.erfc(x))


@pytest.mark.parametrize(("f", "exact", "at"), [
    (erf_batch, mpmath.erf, X), (erfc_batch, mpmath.erfc, X),
    (log_erfc_batch, log_of_tail, np.concatenate([X, [20.0, 19.99, 20.01, 35, 1e3, 1e8]])),
    (np.vectorize(log_erfc), log_of_tail, np.concatenate([X, [20.0, 19.99, 20.01, 35, 1e3, 1e8]])),
])
def test_relative_accuracy(f, exact, at):
    with mpmath.workdps(40):
        true = [exact(mpmath.mpf(float(x))) for x in at]
        worst = max(abs(mpmath.mpf(float(v)) - t) / abs(t) for v, t in zip(f(at), true))
    assert worst < 3 * EPS


def test_special_values_signs_and_shapes():
    special = np.array([np.inf, -np.inf, np.nan, -0.0, 0.0, 30.0, -30.0, 1e300])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(erf_batch(special), [1, -1, np.nan, -0.0, 0, 1, -1, 1])
        assert math.copysign(1.0, erf_batch(-0.0)) == -1.0
        np.testing.assert_array_equal(erfc_batch(special), [0, 2, np.nan, 1, 1, 0, 2, 0])
        assert np.isnan(log_erfc_batch(np.nan)) and log_erfc_batch(-np.inf) == math.log(2.0)
    assert erf_batch(np.zeros((2, 3))).shape == (2, 3)
    assert float(erfc_batch(1.25)) == pytest.approx(math.erfc(1.25), rel=3 * EPS)
