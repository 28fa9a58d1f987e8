"""Differences of polynomials at close places, and the means that are as small as they."""

import numpy as np
import pytest
from helpers.tiers import slow_but
from mpmath import mp

import asympkit as ak
from asympkit.runtime.means import normal_means
from asympkit.runtime.rows import TwoPlaces

FORMS = {
    "square": lambda z, s: z**2,
    "cube and more": lambda z, s: 3.0 - (z**3 - 3 * z) / 2.0,
    "with a column": lambda z, s: s * ((z * z) - 1) + z * s,
    "minus": lambda z, s: s - (-z) * s * z,
    "power of a sum": lambda z, s: (s - 0.5 * z) ** 3,
}


@pytest.mark.parametrize("name", FORMS)
def test_no_digit_is_lost(name):
    form, column = FORMS[name], np.array([[0.7], [-1.3]])
    z, step = np.array([0.4, -2.1, 3.0]), np.array([[1e-14], [-0.2]])
    found = form(TwoPlaces(z, z + step, step), column)
    assert np.broadcast_to(found.here, (2, 3)) == pytest.approx(np.broadcast_to(form(z, column), (2, 3)), rel=1e-15)
    with mp.workdps(50):
        for i in range(2):
            for j in range(3):
                s, x, d = (mp.mpf(float(v)) for v in (column[i, 0], z[j], step[i, 0]))
                exact = form(x + d, s) - form(x, s)
                assert float(found.step[i, j]) == pytest.approx(float(exact), rel=1e-13)


def test_what_is_no_polynomial():
    with pytest.raises(TypeError):
        np.exp(TwoPlaces(1.0, 2.0, 1.0))
    with pytest.raises(TypeError):
        _ = TwoPlaces(1.0, 2.0, 1.0) ** -1
    with pytest.raises(TypeError):
        _ = TwoPlaces(1.0, 2.0, 1.0) / TwoPlaces(1.0, 2.0, 1.0)


@pytest.mark.parametrize("offset", slow_but([1e-12, 1e-7, 1e-2], 0))
def test_odd_means_near_the_centre(offset):
    """E[(z**2 - 1) tanh(a + z)] and E[(z**4 - 3) tanh(a + z)] are as small as a."""
    tanh, a = ak.Activation("tanh"), np.array([offset, -3 * offset])
    found, error = normal_means(tanh, a, 1.0, lambda z, s, at: (s * (z * z - 1), s * (z**4 - 3), s))
    assert error < 1e-12
    for k, polynomial in enumerate((lambda z: z**2 - 1, lambda z: z**4 - 3, lambda z: 1)):
        for i, x in enumerate(a):
            with mp.workdps(20):
                exact = mp.quad(lambda z: polynomial(z) * mp.tanh(mp.mpf(float(x)) + z) * mp.npdf(z),  # noqa: B023
                                mp.linspace(-12, 12, 13))
            assert found[k][i] == pytest.approx(float(exact), rel=2e-13)


def test_functionals_that_are_no_polynomials():
    """They are told apart, and keep the digits that a difference of numbers leaves."""
    tanh, a = ak.Activation("tanh"), np.array([1e-3, 1.0])
    (found,), _ = normal_means(tanh, a, 1.0, lambda z, s, at: (s * np.cos(z),))
    with mp.workdps(20):
        exact = mp.quad(lambda z: mp.cos(z) * mp.tanh(mp.mpf(0.001) + z) * mp.npdf(z), mp.linspace(-12, 12, 13))
    assert found[0] == pytest.approx(float(exact), rel=1e-11)
