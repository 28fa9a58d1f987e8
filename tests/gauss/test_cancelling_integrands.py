"""Digits of means whose integrands cancel: right relative to their own size, or refused."""

import mpmath
import pytest
import sympy as sp

import asympkit as ak

Z = sp.Symbol("z", real=True)
#: an integrand that cancels, and the same without cancellation
CASES = {
    "far": (sp.tanh(Z - 100) ** 2 - 1, lambda z: -mpmath.sech(z - 100) ** 2),
    "near": (sp.tanh(Z - 10) ** 2 - 1, lambda z: -mpmath.sech(z - 10) ** 2),
    "one side": (sp.tanh(Z - 40) + 1, lambda z: 2 / (1 + mpmath.exp(2 * (40 - z)))),
    "none": (sp.tanh(Z) ** 2, lambda z: mpmath.tanh(z) ** 2),
}


@pytest.mark.parametrize("name", CASES)
def test_digits_follow_the_cancellation(name):
    f, same = CASES[name]
    with mpmath.workdps(40):
        line = [mpmath.mpf(k) / 16 for k in range(-400, 401)]      # the nearest pole costs exp(-50 pi)
        exact = mpmath.fsum(same(z) * mpmath.npdf(z) for z in line) / 16
        found = mpmath.mpf(str(ak.E(f, Z).evalf(24)))
        assert abs(found - exact) < 1e-22 * abs(exact)


def test_what_cancels_altogether_is_refused():
    """Far beyond the weight nothing is left: that is said, not rounded to 0."""
    with pytest.raises(ak.ConvergenceError, match="evalf: the integrand of .* is 0 at all nodes .* enclose"):
        ak.E(sp.tanh(Z - 5000) ** 2 - 1, Z).evalf(20)
