"""Second moments, and products of two error functions, against formulas and quadrature."""

import pytest
from helpers.closed_reference import Phi, check30, check_number, phi, point
from helpers.tiers import slow_but
from sympy import (
    Abs,
    Heaviside,
    Max,
    Min,
    Piecewise,
    Rational,
    S,
    asin,
    cos,
    erf,
    erfc,
    exp,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
)

from asympkit.gauss.closed import closed_mean

z, a, al, be = symbols("z a alpha beta", real=True)
b, s = symbols("b s", positive=True)
x = a + b * z
h, u, l = a / b, (1 - a) / b, (-1 - a) / b


P = (a**2 + b**2) * Phi(h) + a * b * phi(h)
LEAKY = Piecewise((x, x > 0), (al * x, True))
ELU = Piecewise((x, x > 0), (exp(x) - 1, True))
HARD = (
    (a**2 + b**2) * (Phi(u) - Phi(l))
    + 2 * a * b * (phi(l) - phi(u))
    + b**2 * (l * phi(l) - u * phi(u))
    + 1
    - Phi(u)
    + Phi(l)
)
GELU0 = b**2 / 4 + b**2 / (2 * pi) * asin(b**2 / (1 + b**2)) + b**4 / (pi * (1 + b**2) * sqrt(1 + 2 * b**2))

TABLE = {
    "relu": (Max(0, x), P, [-h], 30),
    "leaky": (LEAKY, al**2 * (a**2 + b**2) + (1 - al**2) * P, [-h], 50),
    "abs": (Abs(x), a**2 + b**2, [-h], 3),
    "sign": (sign(x), S.One, [-h], 0),
    "sin": (sin(x), (1 - exp(-2 * b**2) * cos(2 * a)) / 2, [], 12),
    "hardtanh": (Max(-1, Min(1, x)), HARD, [u, l], 90),
    "gelu without bias": (b * z * Phi(b * z), GELU0, [], 30),
    "erf without bias": (erf(al * z), 2 * asin(2 * al**2 / (1 + 2 * al**2)) / pi, [], 12),
}


def values_for(expr, seed):
    return point(sorted(expr.free_symbols - {z}, key=str), seed)


@pytest.mark.parametrize("name", TABLE)
def test_second_moment(name):
    expr, formula, kinks, most = TABLE[name]
    result = closed_mean(expr**2, z)
    assert result is not None and result.count_ops() <= most
    for seed in range(3):
        values = values_for(expr, (name, seed))
        check_number(result.subs(values), formula.subs(values))
    check30(result, expr**2, z, values, kinks)


CENTRED = {
    "erf erf": (erf(al * z) * erf(be * z), []),
    "cdf cdf": (Phi(al * z) * Phi(be * z), []),
    "powers of two": (z**4 * erf(al * z) * erfc(be * z), []),
    "odd power": (z**3 * Phi(al * z) * Phi(z + be), []),
    "tilted": (exp(-s * z**2) * z**2 * erf(al * z) ** 2, []),
    "sign erf": (sign(z) * erf(al * z), [0]),
    "step cdf": (Heaviside(-z) * Phi(al * z), [0]),
    "step cdf cdf": (Heaviside(z) * Phi(al * z) * Phi(be * z), [0]),
    "three": (z * erf(z) ** 3, []),
    "relu gelu": (Max(0, z) * z * Phi(al * z), [0]),
    "relu gelu squared": (Max(0, z) ** 2 * (z * Phi(z)) ** 2, [0]),
    "centred after a tilt": (exp(al * z) * erf(z - al) * erf(b * (z - al)), []),
    "elu": (ELU**2, [-h]),
}


@pytest.mark.parametrize("name", slow_but(CENTRED, 1, 2, 5, 6, 9, 12))
def test_several_error_functions(name):
    expr, kinks = CENTRED[name]
    check30(closed_mean(expr, z), expr, z, values_for(expr, name), kinks, digits=28)


def test_odd_products_vanish():
    assert closed_mean(erf(al * z) * erf(be * z) * erf(z), z) == 0
    assert closed_mean(sign(z) * erf(al * z) * erf(be * z), z) == 0


def test_known_constants():
    assert closed_mean(erf(z / sqrt(2)) ** 2, z) == Rational(1, 3)
    assert closed_mean(sign(z) * erf(z / sqrt(2)), z) == Rational(1, 2)
