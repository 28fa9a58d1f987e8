"""Random members of the class against quadrature in double precision."""

import numpy as np
import pytest
import sympy as sp
from helpers.closed_reference import mean_double
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import special

from asympkit.gauss.closed import closed_mean

z, a, p, q = sp.symbols("z a p q", real=True)
b = sp.symbols("b", positive=True)
x = a + b * z
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
