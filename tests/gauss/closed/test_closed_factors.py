"""Two error functions or indicators that are not centred, and two variables: random members of the class."""

import numpy as np
import pytest
from helpers.closed_reference import Phi, check30, check_number, mean_double, point
from helpers.tiers import slow_but
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import special
from sympy import (
    Abs,
    Heaviside,
    Max,
    Min,
    N,
    Piecewise,
    Rational,
    S,
    Symbol,
    cosh,
    erf,
    erfc,
    exp,
    lambdify,
    sign,
    sqrt,
    symbols,
)

from asympkit import E
from asympkit.gauss import BivariateNormalCDF, OwenT
from asympkit.gauss.closed import closed_mean

z, y, a, al, be, p, q, th = symbols("z y a alpha beta p q theta", real=True)
b, s = symbols("b s", positive=True)
x = a + b * z
u = a / sqrt(1 + b**2)
MODULES = [{"erf": special.erf, "erfc": special.erfc, "Heaviside": lambda t, *_: np.heaviside(t, 0.5)}, "numpy"]


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


# -- random members ------------------------------------------------------------------------------------

number = st.fractions(-2, 2, max_denominator=16).map(lambda r: Rational(r.numerator, r.denominator))
positive = st.fractions(Rational(1, 4), 2, max_denominator=16).map(lambda r: Rational(r.numerator, r.denominator))
COMMON = {"deadline": None, "derandomize": True, "database": None,
          "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
FACTORS = [erf(p * z + q), erfc(x), Phi(q * z - p), erf(x / sqrt(2)), Phi(-z), erfc(p - b * z)]
ENDS = [Heaviside(x), Max(0, x), Piecewise((1, x < -1), (p * x, x < 1), (q, True)), sign(z), Abs(z - 1)]
SMOOTH = [S.One, z, z**2, exp(p * z / 2), exp(-(b**2) * z**2 + q * z), (1 + z) ** 3]
singles = st.tuples(st.sampled_from(SMOOTH), st.sampled_from(FACTORS), st.sampled_from(FACTORS + ENDS)).map(
    lambda t: t[0] * t[1] * t[2])
points = st.fixed_dictionaries({a: number, b: positive, p: number, q: number})


@pytest.mark.slow
@settings(max_examples=10, **COMMON)
@given(singles, points)
def test_random_pairs_of_factors(expr, values):
    result = closed_mean(expr, z)
    assert result is not None and z not in result.free_symbols
    kinks = [float(((k - a) / b).subs(values)) for k in (-1, 0, 1)] + [0.0, 1.0]
    with np.errstate(all="ignore"):
        want, scale = mean_double(lambdify(z, expr.subs(values), MODULES), kinks)
    got = float(N(result.subs(values), 20, maxn=400))
    assert abs(got - want) < 1e-10 * max(1, scale), (expr, values)


def mean_of_two(f, g, rho, kinks):
    """Mean of f(X) g(Y), rules for X and, given X, for Y; both split at the kinks."""
    coarse, weights = np.polynomial.legendre.leggauss(24)
    c = np.sqrt(1 - rho**2)

    def rule(points):
        ends = np.unique(np.concatenate([np.arange(-10, 10.1, 1.0), [k for k in points if abs(k) < 10]]))
        half = np.diff(ends)[:, None] / 2
        t = (ends[:-1, None] + half * (1 + coarse)).ravel()
        return t, (half * weights).ravel() * np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi)

    t, w = rule(kinks)
    inner = []
    for v in t:
        r, m = rule([(k - rho * v) / c for k in kinks])
        inner.append(np.sum(m * np.broadcast_to(g(rho * v + c * r), r.shape)))
    return float(np.sum(w * np.broadcast_to(f(t), t.shape) * inner))


PARTS = [Max(0, z), sign(z), Abs(z - 1), Heaviside(z + S.Half), Phi(z + q), z * Phi(z), erf(p * z), exp(p * z / 2),
         Max(-1, Min(1, z)), Piecewise((z, z > 0), (exp(z) - 1, True)), z**2 - 1, exp(-(z**2)) + z]


@pytest.mark.slow
@settings(max_examples=10, **COMMON)
@given(st.sampled_from(PARTS), st.sampled_from(PARTS),
       st.fractions(Rational(-7, 8), Rational(7, 8), max_denominator=16), number, number)
def test_random_kernels(f, g, correlation, at_p, at_q):
    rho = Symbol("rho", real=True)
    result = E(f * g.xreplace({z: y}), (z, y), rho=rho).doit()
    values = {p: at_p, q: at_q}
    got = float(N(result.subs({**values, rho: Rational(correlation.numerator, correlation.denominator)}), 20, maxn=400))
    functions = [lambdify(z, h.subs(values), MODULES) for h in (f, g)]
    want = mean_of_two(*functions, float(correlation), [-1.0, -0.5, 0.0, 1.0])
    assert abs(got - want) < 1e-10 * max(1, abs(want)), (f, g, correlation, values)
