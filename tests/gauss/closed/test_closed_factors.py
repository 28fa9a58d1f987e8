"""Two error functions or indicators that are not centred, and two variables: random members of the class."""

import pytest
from helpers.closed_reference import Phi, check30, check_number, point
from helpers.tiers import slow_but
from sympy import Abs, Heaviside, Max, Min, Piecewise, S, cosh, erf, erfc, exp, lambdify, sign, sqrt, symbols

from asympkit.gauss import BivariateNormalCDF, OwenT
from asympkit.gauss.closed import closed_mean

z, y, a, al, be, p, q, th = symbols("z y a alpha beta p q theta", real=True)
b, s = symbols("b s", positive=True)
x = a + b * z
u = a / sqrt(1 + b**2)
def values_for(expr, seed):
    return point(sorted(expr.free_symbols - {z}, key=str), seed)


# -- printed forms -------------------------------------------------------------------------------------

PRINTED = {
    "cdf": (Phi(x) ** 2, Phi(u) - 2 * OwenT(u, 1 / sqrt(1 + 2 * b**2)), 26),
    "erf": (erf(x / sqrt(2)) ** 2, 1 - 8 * OwenT(u, 1 / sqrt(1 + 2 * b**2)), 14),
    "two cdfs": (Phi(al * z + p) * Phi(be * z + q),
                 BivariateNormalCDF(p / sqrt(1 + al**2), q / sqrt(1 + be**2),
                                    al * be / sqrt((1 + al**2) * (1 + be**2))), 60),
    "below a point": (Heaviside(s - z) * Phi(p * z + q),
                      BivariateNormalCDF(s, q / sqrt(1 + p**2), -p / sqrt(1 + p**2)), 12),
    "above a point": (Heaviside(z - th) * Phi(p * z + q),
                      BivariateNormalCDF(-th, q / sqrt(1 + p**2), p / sqrt(1 + p**2)), 12),
    "centred step": (Heaviside(z) * Phi(p * z + q),
                     Phi(q / sqrt(1 + p**2)) / 2 + OwenT(q / sqrt(1 + p**2), p), 20),
    "centred cdf": (Phi(p * z) * Phi(be * z + q),
                    Phi(q / sqrt(1 + be**2)) / 2 + OwenT(q / sqrt(1 + be**2), p * be / sqrt(1 + p**2 + be**2)), 30),
    "opposite": (Phi(p * z + q) * Phi(p * z - q),
                 2 * OwenT(q / sqrt(1 + p**2), sqrt(1 + 2 * p**2)), 20),
}


@pytest.mark.parametrize("name", slow_but(PRINTED, 5, 6))
def test_printed_forms(name):
    expr, formula, most = PRINTED[name]
    result = closed_mean(expr, z)
    assert result is not None and result.count_ops() <= most
    for seed in range(3):
        values = values_for(expr, (name, seed))
        check_number(result.subs(values), formula.subs(values))
    check30(result, expr, z, values, [k for k in (th, s, S.Zero) if k in values or k == 0], digits=28)


FURTHER = {
    "gelu squared": ((x * Phi(x)) ** 2, [], 100),
    "powers of two": (z**3 * erf(al * z + p) * erfc(be * z + q), [], 500),
    "tilted": (exp(-s * z**2 + p * z) * z * erf(al * z + q) ** 2, [], 400),
    "exponential, two tails": (exp(p * z) * erfc(al * z + 1) * erfc(be * z - q), [], 300),
    "on an interval": (Piecewise((z**2 * Phi(p * z + q), (z > -1) & (z < s)), (0, True)), [-1, s], 200),
    "relu gelu": (Max(0, x) * x * Phi(x), [-a / b], 150),
    "shifted relu, erf": (Max(0, z - th) * erf(p * z + q), [th], 90),
    "hard-tanh, erf": (Max(-1, Min(1, z)) * erf(p * z + q), [-1, 1], 150),
    "elu, cdf": (Piecewise((x, x > 0), (exp(x) - 1, True)) * Phi(z), [-a / b], 150),
    "kink in the argument": (erf(p * Abs(z) + q) * z**2, [0], 70),
    "sign cdf": (sign(z - th) * Phi(p * z + q), [th], 40),
    "cosh of erf": (cosh(p * z) * erf(z) ** 2, [], 60),
    "root of a parameter": (Max(0, sqrt(1 - p**2 / 4) * z + p / 2), [], 36),
}


@pytest.mark.parametrize("name", slow_but(FURTHER, 0, 4, 12))
def test_further_members(name):
    expr, kinks, most = FURTHER[name]
    result = closed_mean(expr, z)
    assert result is not None and result.count_ops() <= most
    values = values_for(expr, name)
    if name == "root of a parameter":
        kinks = [-(p / 2) / sqrt(1 - p**2 / 4)]
    check30(result, expr, z, values, kinks, digits=28)


def test_a_shifted_tail_keeps_its_digits():
    """The mean of two tails is as small as they are, and is not found as a difference of larger numbers."""
    result = closed_mean(erfc(z + 6) * erfc(z + 7), z)
    f = lambdify((), result)
    assert abs(float(f()) / float(result.evalf(25)) - 1) < 1e-3


def test_three_that_are_not_centred_stay_open():
    assert closed_mean(Heaviside(z) * erf(z) * erf(z + 1), z) is None
    assert closed_mean(erf(z + 1) ** 3, z) is None
