"""Singular values of the features after a large step, and the places of their spikes."""

import numpy as np
import pytest

from asympkit import Activation
from asympkit.errors import DomainError
from asympkit.simulate import nonlinear_singular_values

QUADRATIC = Activation("z+(z**2-1)/sqrt(2)")


def spectrum(**changed):
    settings = {"phi": 0.5, "psi": 0.5, "n": 500, "eta": 500**0.38, "model": "truncated"} | changed
    return nonlinear_singular_values(changed.pop("student", QUADRATIC), QUADRATIC,
                                     **{k: v for k, v in settings.items() if k != "student"})


@pytest.mark.parametrize("model", ["truncated", "network"])
def test_two_spikes_leave_the_bulk(model):
    s = spectrum(model=model)
    assert (s.d, s.width, s.n) == (250, 500, 500)
    (first, *_, one), (second, *_, two), (_, third, _) = (s.spike(k) for k in (1, 2, 3))
    assert {first, second} == {0, 1}
    assert one > 0.6
    assert two > 0.6
    assert s.values[1] > 1.8 * s.untrained[0]
    assert third < s.values[1]


def test_truncated_features_have_no_more_spikes_than_degrees():
    """Interlacing: a change of rank 2 moves at most two values above the largest of the untrained features."""
    s = spectrum()
    assert np.all(s.values[2:] <= s.untrained[:-2] * (1 + 1e-12))


def test_no_step_no_spike():
    s = spectrum(eta=0.0)
    np.testing.assert_allclose(s.values, s.untrained, rtol=1e-12)
    assert s.overlaps.shape == (10, 3)
    assert s.overlaps.max() < 0.2


def test_an_odd_student_has_no_second_spike():
    s = spectrum(student=Activation("tanh"), eta=20.0, degree=2)
    assert s.spike(1)[0] == 0
    assert s.spike(1)[2] > 0.9
    assert s.values[1] <= s.untrained[0]


def test_overlaps_are_a_share():
    s = spectrum(leading=500)
    np.testing.assert_allclose(s.overlaps.sum(axis=0), 1, rtol=1e-10)


@pytest.mark.parametrize("changed, text", [
    ({"model": "limit"}, "model='limit': expected one of 'network', 'truncated'"),
    ({"eta": None}, "eta=None: expected a step size >= 0"),
    ({"leading": 0}, "leading=0: expected an integer >= 1"),
])
def test_what_is_refused(changed, text):
    with pytest.raises(DomainError, match=text):
        spectrum(**changed)
