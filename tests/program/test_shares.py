"""Integrands by the probabilities of pieces: equal, and without quotients that cancel."""

import numpy as np
import pytest
from sympy import Abs, Symbol, cos, erfc, exp, lambdify, pi, sin, sqrt

from asympkit.program.shares import by_shares

C, T, z = (Symbol(n, real=True) for n in ("C", "T", "z"))
V, S = (Symbol(n, positive=True) for n in ("V", "S"))
RESIDUAL = C + T * z - sin(z)
AT = {C: 0.3, T: 0.2, z: -0.7, V: 0.11, S: 0.23}


def absolute():
    """Mean of the envelope of the absolute loss: a line and two squares, which cancel below -V."""
    total, tail = -RESIDUAL - V / 2, sqrt(2 * pi)
    for side, sign in ((1, 1), (-1, -1)):
        c = (RESIDUAL + side * V) / S
        total += sign * S**2 / (2 * V) * ((1 + c**2) * (1 - erfc(c / sqrt(2)) / 2) + c * exp(-(c**2) / 2) / tail)
    return total


@pytest.mark.parametrize("form", [absolute(), absolute().diff(V), z * absolute().diff(C), absolute().diff(V, C)])
def test_forms_are_equal(form):
    found = by_shares(form)
    assert abs(found.evalf(30, subs=AT) - form.evalf(30, subs=AT)) < 1e-25


def test_nothing_cancels_where_all_error_functions_are_saturated():
    form, at = absolute().diff(V), (np.linspace(3.1, 3.9, 50), 0.1, 0.7, 1.1e-9, 1.3e-4)
    written, as_it_is = (lambdify((C, T, z, V, S), e, "scipy")(*at) for e in (by_shares(form), form))
    # the slope is 1 there, and the envelope falls by half of V
    assert np.abs(written + 0.5).max() < 1e-12
    assert np.abs(as_it_is + 0.5).max() > 1e-3


def test_others_stay_as_they_are():
    assert by_shares(Abs(erfc(RESIDUAL / S))) is None
    assert by_shares(cos(z) * C) is None
    assert by_shares(erfc(RESIDUAL / S) * erfc((RESIDUAL + V) / S)) is None
    assert by_shares(erfc(T / S) + erfc(C * T / S)) is None
