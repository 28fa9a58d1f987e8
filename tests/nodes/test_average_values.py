"""Digits of averages, and what has none."""

import math

import mpmath
import pytest
from helpers.tiers import slow_but
from sympy import (
    Abs,
    Max,
    Rational,
    Symbol,
    erf,
    exp,
    sign,
    symbols,
    tanh,
)

from asympkit import E

x, y, z, a, b = symbols("x y z a b", real=True)
p = Symbol("p", positive=True)


# -- values --------------------------------------------------------------------------------------------------


def reference(f, *splits, digits=45):
    with mpmath.workdps(digits):
        return mpmath.quad(lambda t: f(t) * mpmath.npdf(t), sorted([-16, -8, -4, -2, *splits, 0, 2, 4, 8, 16]))


def close(value, expected, digits):
    with mpmath.workdps(60):
        return abs(value._to_mpmath(200) - expected) <= mpmath.mpf(10) ** -digits * abs(expected)


def test_evalf_of_an_average_that_does_not_close():
    assert close(E(tanh(z) * z, z).evalf(30), reference(lambda t: t * mpmath.tanh(t)), 29)
    half = reference(lambda t: t * mpmath.tanh(t) + mpmath.mpf(1) / 2)
    assert close((1 + 2 * E(tanh(z) * z, z)).evalf(30), mpmath.ldexp(half, 1), 29)


def test_evalf_of_closed_averages():
    with mpmath.workdps(50):
        assert close(E(exp(z / 2), z).evalf(40), mpmath.exp(mpmath.mpf(1) / 8), 39)
        # E z erf(z) = 2/sqrt(3 pi)
        assert close(E(erf(z) * z, z).evalf(40), 2 / mpmath.sqrt(3 * mpmath.pi), 39)
        assert close(E(Abs(z) ** 3, z).evalf(40), 2 * mpmath.sqrt(2 / mpmath.pi), 39)


def test_evalf_with_kinks():
    assert close(E(Abs(tanh(z)), z).evalf(25), reference(lambda t: abs(mpmath.tanh(t))), 24)
    shifted = reference(lambda t: max(mpmath.tanh(t - 1), 0), 1)
    assert close(E(Max(tanh(z - 1), 0), z).evalf(20), shifted, 19)


def test_evalf_subs_and_free_symbols():
    m = E(tanh(a * z) * z, z)
    assert m.evalf(20) == m
    assert close(m.evalf(20, subs={a: 1}), reference(lambda t: t * mpmath.tanh(t)), 19)
    assert close(m.subs(a, 1).evalf(20), reference(lambda t: t * mpmath.tanh(t)), 19)


@pytest.mark.slow
def test_evalf_nested():
    value = E(tanh(E(tanh(x + y), x) + 1), y).evalf(8)
    inner = {}

    def outer(t):
        if t not in inner:
            inner[t] = mpmath.quad(lambda u: mpmath.tanh(u + t) * mpmath.npdf(u), [-9, -4, 0, 4, 9])
        return mpmath.tanh(inner[t] + 1)

    with mpmath.workdps(15):
        expected = mpmath.fsum(outer(mpmath.mpf(i) / 5) * mpmath.npdf(mpmath.mpf(i) / 5) / 5 for i in range(-40, 41))
    assert abs(value - expected) < 1e-8


def test_evalf_of_a_pair_sign():
    rho = Rational(1, 3)
    value = E(sign(x) * sign(y), (x, y), rho=rho).evalf(25)
    with mpmath.workdps(40):
        assert close(value, 2 / mpmath.pi * mpmath.asin(mpmath.mpf(1) / 3), 24)


@pytest.mark.parametrize("rho", slow_but([Rational(-1, 2), Rational(4, 5)], 0))
def test_evalf_of_a_pair_tanh(rho):
    value = E(tanh(x) * tanh(y), (x, y), rho=rho).evalf(8)
    r = float(rho)
    grid = [i / 6 for i in range(-45, 46)]
    weights = [mpmath.fp.npdf(t) / 6 for t in grid]
    expected = sum(u * v * math.tanh(s) * math.tanh(r * s + (1 - r * r) ** 0.5 * t)
                   for s, u in zip(grid, weights) for t, v in zip(grid, weights))
    assert abs(value - expected) < 1e-8 * abs(expected)


def test_extreme_correlations():
    square = E(tanh(x) ** 2, x)
    assert E(tanh(x) * tanh(y), (x, y), rho=1).evalf(20) == square.evalf(20)
    assert E(tanh(x) * tanh(y), (x, y), rho=-1).evalf(20) == -square.evalf(20)
    assert abs(E(tanh(x) * tanh(y), (x, y), rho=0).evalf(15)) < 1e-15
