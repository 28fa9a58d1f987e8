"""Means that close: against printed formulas and quadrature, random ones, and what has no closed form."""

import numpy as np
import pytest
import sympy as sp
from helpers.closed_reference import Phi, check30, check_number, mean_double, phi, point
from helpers.tiers import slow_but
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import special
from sympy import factorial2, gamma, lambdify, log, sign, sin, sinh, sqrt, tan, tanh
from sympy.core import I, Rational, S, pi, symbols
from sympy.functions import Abs, DiracDelta, Heaviside, Max, Min, Piecewise, binomial, cos, cosh, erf, erfc, exp, floor

from asympkit.gauss import BivariateNormalCDF, OwenT
from asympkit.gauss.closed import closed_mean
from asympkit.gauss.closed.decide import root_of

z, a, c, al, be, p, q, th = symbols("z a c alpha beta p q theta", real=True)
b, s, t = symbols("b s t", positive=True)
free = symbols("w")
x = a + b * z
h, u = a / b, a / sqrt(1 + b**2)


def R(u):
    return u * Phi(u / b) + b * phi(u / b)


def power(n):
    pairs = range(n // 2 + 1)
    return sum(binomial(n, 2 * j) * factorial2(2 * j - 1) * a ** (n - 2 * j) * b ** (2 * j) for j in pairs)


ELU = Piecewise((x, x > 0), (exp(x) - 1, True))
LEAKY = Piecewise((x, x > 0), (al * x, True))
HARDTANH = Max(-1, Min(1, x))

# activation at a + b z, its mean, the kinks, and the most operations allowed in the answer
TABLE = {
    "z^5": (x**5, power(5), [], 20),
    "exp": (exp(al * x + be), exp(al * a + be + al**2 * b**2 / 2), [], 10),
    "sin": (sin(al * x + be), exp(-(al**2) * b**2 / 2) * sin(al * a + be), [], 10),
    "cos": (cos(al * x + be), exp(-(al**2) * b**2 / 2) * cos(al * a + be), [], 10),
    "gauss": (exp(-s * x**2), (1 + 2 * s * b**2) ** Rational(-1, 2) * exp(-s * a**2 / (1 + 2 * s * b**2)), [], 20),
    "cut exp": (exp(al * x) * Heaviside(x - th), exp(al * a + al**2 * b**2 / 2) * Phi((a + al * b**2 - th) / b),
                [(th - a) / b], 25),
    "step": (Heaviside(x - th), Phi((a - th) / b), [(th - a) / b], 12),
    "sign": (sign(x), 2 * Phi(h) - 1, [-h], 8),
    "relu": (Max(0, x), R(a), [-h], 30),
    "threshold": (Max(0, x - th), R(a - th), [(th - a) / b], 35),
    "abs": (Abs(x), 2 * R(a) - a, [-h], 25),
    "leaky": (LEAKY, al * a + (1 - al) * R(a), [-h], 40),
    "hardtanh": (HARDTANH, R(a + 1) - R(a - 1) - 1, [(1 - a) / b, (-1 - a) / b], 75),
    "elu": (ELU, R(a) + exp(a + b**2 / 2) * Phi(-(a + b**2) / b) - Phi(-h), [-h], 50),
    "cdf": (Phi(al * x + be), Phi((al * a + be) / sqrt(1 + al**2 * b**2)), [], 20),
    "erf": (erf(al * x + be), erf((al * a + be) / sqrt(1 + 2 * al**2 * b**2)), [], 15),
    "gelu": (x * Phi(x), a * Phi(u) + b**2 / sqrt(1 + b**2) * phi(u), [], 40),
    "gelu by erf": (x * (1 + erf(x / sqrt(2))) / 2, a * Phi(u) + b**2 / sqrt(1 + b**2) * phi(u), [], 40),
    "z sin z": (x * sin(x), exp(-(b**2) / 2) * (a * sin(a) + b**2 * cos(a)), [], 16),
}


def values_for(expr, seed):
    return point(sorted(expr.free_symbols - {z}, key=str), seed)


@pytest.mark.parametrize("name", slow_but(TABLE, 0, 2, 4, 6, 8, 9, 11, 13, 16, 18))
def test_mean(name):
    expr, formula, kinks, most = TABLE[name]
    result = closed_mean(expr, z)
    assert result is not None and result.count_ops() <= most
    for seed in range(3):
        values = values_for(expr, (name, seed))
        check_number(result.subs(values), formula.subs(values))
    check30(result, expr, z, values, kinks)


def test_variables_and_slopes():
    y = symbols("y")
    assert closed_mean(Max(0, y), y) == sqrt(2) / (2 * sqrt(pi))
    y = symbols("y", positive=True)
    assert closed_mean(Heaviside(y - 1) + y, y).subs(y, 5) == erfc(1 / sqrt(2)) / 2
    assert closed_mean(Max(0, a - b * z), z) == closed_mean(Max(0, x), z)
    Q = symbols("Q", positive=True)
    slope = sqrt(Q + a**2)
    expr = Max(-1, Min(1, a + slope * z))
    values = values_for(expr, "slope")
    check30(closed_mean(expr, z), expr, z, values, [(1 - a) / slope, (-1 - a) / slope])


EXTRA = {
    "tilted threshold": (exp(-s * z**2 + al * z) * Max(0, z - th), [th]),
    "tilted gelu": (exp(-s * z**2 + be * z) * z**3 * erfc(al * z - th), []),
    "decaying sine": (exp(-s * z**2 + be * z) * z**2 * sin(al * z + th), []),
    "products of sines": (sin(al * z) * cos(be * z + 1) * sin(z) * z, []),
    "sine times error function": (sin(al * z) * erf(b * z), []),
    "cosine times complementary": (z * cos(al * z) * erfc(b * z), []),
    "sine on a half line": (sin(al * z) * Heaviside(z), [0]),
    "shifted sine on a half line": (sin(al * Abs(z) + be) * z**2, [0]),
    "two-sided exponential": (exp(-b * Abs(z - th)), [th]),
    "hyperbolic": (z * sinh(al * z) + cosh(al * z + be) ** 2, []), "polynomial kink": (Abs(z**2 - 1), [-1, 1]),
    "cubic kink": (Max(0, z**3 - 2 * z), [-sqrt(2), 0, sqrt(2)]),
    "interval": (Piecewise((z**2, (z > -1) & (z < 2)), (0, True)), [-1, 2]),
    "union": (Piecewise((1, (z < -1) | (z >= S.Half)), (z, True)), [-1, S.Half]),
    "three pieces": (Piecewise((-1, z < -1), (z, z < 1), (2 - z, True)), [-1, 1]),
    "max of three": (Max(z, -z, 1), [-1, 1]), "dead zone": (sign(z) * Max(0, Abs(z) - s), [-s, s]),
    "error function of a kink": (erf(al * Abs(z)) * z**2, [0]),
    "gelu on a half line": (z * Max(0, z) * erf(b * z), [0]),
    "error function on an interval": (z * Heaviside(z - th) * erf(al * z + be), [th]),
    "symbolic symmetric clip": (Max(-s, Min(s, z)) * z, [-s, s]), "exponential base": (2**z * z, []),
    "kinks in separate terms": (Max(0, z - al) + z * Max(0, z - be), [al, be]), "sine squared": (sin(x) ** 2, []),
    "gelu squared": ((b * z * Phi(b * z)) ** 2, []), "erf squared": (erf(al * z) ** 2, []),
    "erf erf": (erf(al * z) * erf(be * z), []), "cdf cdf": (Phi(al * z) * Phi(be * z), []),
    "powers of two": (z**4 * erf(al * z) * erfc(be * z), []), "odd power": (z**3 * Phi(al * z) * Phi(z + be), []),
    "tilted squared": (exp(-s * z**2) * z**2 * erf(al * z) ** 2, []), "sign erf": (sign(z) * erf(al * z), [0]),
    "step cdf": (Heaviside(-z) * Phi(al * z), [0]), "step cdf cdf": (Heaviside(z) * Phi(al * z) * Phi(be * z), [0]),
    "three": (z * erf(z) ** 3, []), "relu gelu": (Max(0, z) * z * Phi(al * z), [0]),
    "relu gelu squared": (Max(0, z) ** 2 * (z * Phi(z)) ** 2, [0]),
    "centred after a tilt": (exp(al * z) * erf(z - al) * erf(b * (z - al)), []), "elu squared": (ELU**2, [-h]),
    "gelu squared with bias": ((x * Phi(x)) ** 2, [], 100),
    "powers of two tails": (z**3 * erf(al * z + p) * erfc(be * z + q), [], 500),
    "tilted": (exp(-s * z**2 + p * z) * z * erf(al * z + q) ** 2, [], 400),
    "exponential, two tails": (exp(p * z) * erfc(al * z + 1) * erfc(be * z - q), [], 300),
    "on an interval": (Piecewise((z**2 * Phi(p * z + q), (z > -1) & (z < s)), (0, True)), [-1, s], 200),
    "relu gelu with bias": (Max(0, x) * x * Phi(x), [-a / b], 150),
    "shifted relu, erf": (Max(0, z - th) * erf(p * z + q), [th], 90),
    "hard-tanh, erf": (Max(-1, Min(1, z)) * erf(p * z + q), [-1, 1], 150),
    "elu, cdf": (Piecewise((x, x > 0), (exp(x) - 1, True)) * Phi(z), [-a / b], 150),
    "kink in the argument": (erf(p * Abs(z) + q) * z**2, [0], 70),
    "sign cdf": (sign(z - th) * Phi(p * z + q), [th], 40), "cosh of erf": (cosh(p * z) * erf(z) ** 2, [], 60),
    "root of a parameter": (Max(0, sqrt(1 - p**2 / 4) * z + p / 2), [-(p / 2) / sqrt(1 - p**2 / 4)], 36),
}


@pytest.mark.parametrize("name", slow_but(
    EXTRA, 0, 2, 3, 6, 7, 10, 12, 14, 15, 17, 20, 21, 23, 24, 25, 27, 28, 31, 32, 35, 38, 39, 43, 51))
def test_further_members_of_the_class(name):
    expr, kinks, *most = EXTRA[name]
    result = closed_mean(expr, z)
    assert result is not None and (not most or result.count_ops() <= most[0])
    check30(result, expr, z, values_for(expr, name), kinks, digits=28)


def test_products_of_error_functions_that_are_known():
    assert closed_mean(erf(al * z) * erf(be * z) * erf(z), z) == 0
    assert closed_mean(sign(z) * erf(al * z) * erf(be * z), z) == 0
    assert closed_mean(erf(z / sqrt(2)) ** 2, z) == Rational(1, 3)
    assert closed_mean(sign(z) * erf(z / sqrt(2)), z) == Rational(1, 2)


# -- products of tails that are not centred, by Owen's T ------------------------------------------------------------

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


def test_edges_of_the_class():
    # the mean of two tails is as small as they are, and is not found as a difference of larger numbers
    result = closed_mean(erfc(z + 6) * erfc(z + 7), z)
    f = lambdify((), result)
    assert abs(float(f()) / float(result.evalf(25)) - 1) < 1e-3
    assert closed_mean(Heaviside(z) * erf(z) * erf(z + 1), z) is None
    assert closed_mean(erf(z + 1) ** 3, z) is None


# -- what the rules cannot do comes back as None ---------------------------------------------------------------------

OUTSIDE = {
    "tanh": tanh(z), "tanh in a sum": z + tanh(a + b * z), "sigmoid": 1 / (1 + exp(-z)), "softplus": log(1 + exp(z)),
    "log": log(1 + z**2), "reciprocal": 1 / (1 + z**2), "root": sqrt(1 + z**2), "tan": tan(z), "gamma": gamma(z),
    "floor": floor(z), "delta": DiracDelta(z - a), "exp of a cubic": exp(z**3), "exp(z^2)": exp(z**2),
    "exp(z^2/2)": exp(z**2 / 2), "growth of unknown size": exp(s * z**2), "growth of unknown sign": exp(a * z**2),
    "erf of a square": erf(z**2), "sin of a square": sin(z**2),
    "three shifted error functions": erf(z) * erf(z + 1) * erf(a + b * z), "four error functions": erf(z) ** 4,
    "two shifted error functions on a half line": Heaviside(z) * erf(z) * erf(z + 1),
    "sine times shifted error function": sin(z) * erf(z + 1), "sine off the centre": sin(z) * Heaviside(z - 1),
    "order not known": Max(0, z - a) * Max(0, z - c),
    "order of positive offsets not known": Heaviside(z - s) * Max(0, z - t), "slope of unknown sign": Max(0, z * a + 1),
    "kink that need not be real": Abs(z - free), "kink of an oscillation": Abs(cos(z)),
    "kink of an exponential": sign(exp(z) - 1 - z), "irreducible quintic": Abs(z**5 - z - 1),
    "branch of unknown sign": Piecewise((z, a > 0), (1, True)), "undefined in places": Piecewise((z, z > 0)),
    "negative base": (-2) ** z, "base of unknown sign": a**z, "symbolic power": Abs(z) ** s,
    "negative power": 1 / Abs(z), "fractional power": Abs(z) ** (1 / b), "complex": exp(I * z),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_none(name):
    assert closed_mean(OUTSIDE[name], z) is None


def test_an_assumption_decides():
    expr = Max(0, z - s) * Max(0, z - s - t)
    assert closed_mean(expr, z) is not None
    assert closed_mean(Max(0, al * z), z) is None
    assert closed_mean(Max(0, al * z).subs(al, -b), z) is not None


def test_roots_of_quotients():
    n, m = symbols("n m", negative=True)
    assert root_of(-2 * n) == sqrt(-2 * n) and root_of(-2 * n).subs(n, -2) == 2
    assert root_of((4 + 2 * s) / (1 + s)) == sqrt(2) * sqrt(2 + s) / sqrt(1 + s)
    assert root_of(s**2 + 2 * s + 1) == 1 + s
    cases = {n * m / (1 - n): {n: -3, m: -5}, (a - 3) / (c - 2): {a: 1, c: -1}, n / (m - s): {n: -1, m: -2, s: 3}}
    for x, at in cases.items():
        assert root_of(x).subs(at) == sqrt(x.subs(at))


MODULES = [
    {"erf": special.erf, "erfc": special.erfc, "Heaviside": lambda u, *_: np.heaviside(u, 0.5)}, "numpy",
]

KINKED = [
    sp.Max(0, x), sp.Abs(x), sp.sign(x), sp.Heaviside(-x), sp.Max(-1, sp.Min(1, x)),
    sp.Piecewise((x, x > 0), (sp.exp(x) - 1, True)), sp.Piecewise((p * x**2, x < -1), (q, x <= 1), (x, True)),
    sp.exp(-sp.Abs(x)), sp.Abs(x**2 - 1),
]
SMOOTH = [
    sp.S.One, sp.exp(p * z), sp.exp(-(b**2) * z**2 + q * z), sp.exp(-(x**2)), sp.cosh(p * z), (p + q * z) ** 3,
]
WHOLE = [
    sp.sin(p * z + q), sp.cos(x) * sp.sin(p * z), sp.cos(p * z) ** 2, sp.erf(p * z + q), sp.erfc(x),
    sp.erfc(-x / sp.sqrt(2)) * x,
]
CENTRED = [
    sp.erf(p * z) * sp.erf(q * z), sp.erfc(p * z) ** 2, sp.erf(p * z) * sp.Max(0, z), sp.sin(p * z) * sp.erf(q * z),
    sp.cos(p * z) * sp.sign(z), sp.sin(p * z) * sp.Abs(z),
]
TAILS = [sp.erf(p * z + q), sp.erfc(x), sp.erfc(p * z - q), sp.erf(x / sp.sqrt(2)), sp.erfc(z), sp.erfc(p - b * z)]
number = st.fractions(-2, 2, max_denominator=16).map(lambda r: sp.Rational(r.numerator, r.denominator))
positive = st.fractions(sp.Rational(1, 4), 2, max_denominator=16).map(
    lambda r: sp.Rational(r.numerator, r.denominator)
)


@st.composite
def terms(draw):
    powers = z ** draw(st.integers(0, 4)) * draw(number)
    kind = draw(st.sampled_from(["kinked", "kinked", "two", "whole", "whole", "centred", "tails"]))
    smooth = draw(st.sampled_from(SMOOTH))
    if kind == "kinked":
        return powers * smooth * draw(st.sampled_from(KINKED))
    if kind == "two":
        return powers * draw(st.sampled_from(KINKED)) * draw(st.sampled_from(KINKED))
    if kind == "whole":
        return powers * smooth * draw(st.sampled_from(WHOLE))
    if kind == "tails":
        return smooth * draw(st.sampled_from(TAILS)) * draw(st.sampled_from([*TAILS, *KINKED[:5]]))
    return powers * draw(st.sampled_from(CENTRED))


integrands = st.lists(terms(), min_size=1, max_size=2).map(lambda ts: sp.Add(*ts))
points = st.fixed_dictionaries({a: number, b: positive, p: number, q: number})
COMMON = {
    "deadline": None, "derandomize": True, "database": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}


def compare(expr, values, before=False):
    result = closed_mean(expr.subs(values) if before else expr, z)
    assert result is not None
    assert z not in result.free_symbols
    assert not result.has(sp.I, sp.Integral)
    kinks = [float(((k - a) / b).subs(values)) for k in (-1, 0, 1)] + [0.0]
    with np.errstate(all="ignore"):
        f = sp.lambdify(z, expr.subs(values), MODULES)
        want, scale = mean_double(f, kinks)
    got = float(sp.N(result.subs(values), 25, maxn=400))
    assert abs(got - want) < 1e-10 * max(1, scale), (expr, values, got, want)


@settings(max_examples=20, **COMMON)
@given(terms(), points)
def test_numbers_put_in_before_or_after(expr, values):
    """Numbers in place of symbols take other paths through the rules."""
    compare(expr, values, before=True)


@pytest.mark.slow
@settings(max_examples=600, **COMMON)
@given(integrands, points)
def test_many_random_members(expr, values):
    compare(expr, values)
