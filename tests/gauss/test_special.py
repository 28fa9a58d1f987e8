"""Owen's T and the bivariate normal cdf: identities, digits, arrays, balls."""

import mpmath as mp
import pytest
from helpers.tiers import slow_these
from sympy import Float, Rational, S, Symbol, expand_func, latex, nan, oo, pi, symbols, zoo
from sympy.functions import Max, Min, asin, atan, cos, erfc, sin, sqrt

from asympkit import DomainError
from asympkit.gauss import BivariateNormalCDF, OwenT
from asympkit.numbers.functions.pair_classes import normal_cdf

h, k, r, a = symbols("h k r a", real=True)
Phi2 = BivariateNormalCDF


def frac(text):
    return Rational(text)


def real(x):
    return mp.mpf(x.p) / x.q


def around(peak, width, low, high):
    """Break points at distances that double, from a peak outwards."""
    steps = [width * mp.mpf(2) ** j for j in range(-2, 90)]
    inside = {peak + s for s in steps} | {peak - s for s in steps} | {peak}
    return sorted({low, high} | {x for x in inside if low < x < high})


def reference_t(height, slope):
    """The defining integral, by mpmath quadrature on panels that double in length from 0."""
    height, slope = real(height), real(slope)
    end = min(abs(slope), 60 / abs(height)) if height else abs(slope)
    pts = around(mp.mpf(0), min(end, 1 / (1 + abs(height))), mp.mpf(0), end)
    # quad stops at an absolute error: the size is taken out first
    value = mp.quad(lambda x: mp.exp(-((height * x) ** 2) / 2) / (1 + x * x) / end, pts) * end
    return mp.sign(slope) * value * mp.exp(-(height**2) / 2) / (2 * mp.pi)


def reference_cdf(x, y, rho):
    """The mean over one variable of the conditional probability of the other, around its largest point."""
    x, y, rho = real(x), real(y), real(rho)
    c = mp.sqrt(1 - rho * rho)

    def f(u):
        return mp.npdf(u) * mp.ncdf((y - rho * u) / c)

    low, high = min(x, -10) - 60, x
    for _ in range(400):        # the integrand is log-concave
        p, q = low + (high - low) / 3, high - (high - low) / 3
        low, high = (p, high) if f(p) < f(q) else (low, q)
    peak = (low + high) / 2
    width = min(c, 1 / (1 + abs(peak)), 1 / (1 + abs(x) + abs(y)) / 4)
    bottom = peak - 25
    size = f(peak)
    return size * mp.quad(lambda u: f(u) / size, around(peak, width, bottom, x))


def assert_digits(value, want, digits=38):
    with mp.workdps(60):
        assert abs(mp.mpf(value._mpf_) / want - 1) < mp.mpf(10) ** -digits, (value, want)


def test_values():
    assert OwenT(h, 0) == 0
    assert OwenT(0, a) == atan(a) / (2 * pi)
    assert OwenT(oo, a) == OwenT(-oo, a) == 0
    assert OwenT(h, oo) == erfc(abs(h) / sqrt(2)) / 4 == -OwenT(h, -oo)
    assert OwenT(-h, a) == OwenT(h, a) and OwenT(h, -a) == -OwenT(h, a)
    assert OwenT(h, nan) is nan and OwenT(h, zoo) is nan
    assert OwenT(h, 1) == normal_cdf(h) * normal_cdf(-h) / 2
    assert Phi2(0, 0, r) == Rational(1, 4) + asin(r) / (2 * pi)
    assert Phi2(h, oo, r) == normal_cdf(h) == Phi2(oo, h, r) and Phi2(h, -oo, r) == 0
    assert Phi2(h, k, 0) == normal_cdf(h) * normal_cdf(k)
    assert Phi2(h, k, 1) == normal_cdf(Min(h, k))
    assert Phi2(h, k, -1) == Max(0, normal_cdf(h) - normal_cdf(-k))
    assert Phi2(h, k, r) == Phi2(k, h, r)
    assert Phi2(h, k, nan) is nan


@pytest.mark.parametrize("bounds", [(0, k), (h, h), (h, -h)], ids=str)
def test_reductions_on_request(bounds):
    node = Phi2(*bounds, r)
    reduced = expand_func(node)
    assert reduced.has(OwenT) and not reduced.has(Phi2)
    for values in ({h: frac("7/5"), k: frac("-2/3"), r: frac("3/8")}, {h: frac("-1/5"), k: frac("2"), r: frac("-5/7")}):
        assert abs(node.subs(values).evalf(30) - reduced.subs(values).evalf(30)) < 1e-30
    assert expand_func(Phi2(h, k, r)) == Phi2(h, k, r)


def test_correlations_that_are_none():
    with pytest.raises(DomainError, match=r"r: got 3/2; a correlation lies in \[-1, 1\]"):
        Phi2(h, k, Rational(3, 2))
    with pytest.raises(DomainError, match="a correlation lies in"):
        Phi2(h, k, r).subs(r, -2)
    one = sin(1) ** 2 + cos(1) ** 2
    assert abs(Phi2(1, 2, one).evalf(30) - normal_cdf(S.One).evalf(30)) < 1e-14
    with pytest.raises(DomainError, match="a correlation lies in"):
        Phi2(1, 2, sqrt(2) * sin(1)).evalf(20)


def test_assumptions_and_printing():
    assert OwenT(h, a).is_real and Phi2(h, k, r).is_real and Phi2(h, k, r).is_nonnegative
    assert OwenT(h, Symbol("p", positive=True)).is_positive
    assert OwenT(Symbol("w"), a).is_real is None
    assert str(OwenT(h, a)) == "OwenT(h, a)"
    assert str(Phi2(h, k, r)) == "BivariateNormalCDF(h, k, r)"
    assert latex(OwenT(h, a)) == r"T\left(h, a\right)"
    assert latex(Phi2(h, k, r) ** 2) == r"\Phi_{2}\left(h, k; r\right)^{2}"


T_POINTS = ["1/2 3/10", "1 99/100", "2 5", "-10 1/2", "30 1000", "1/1000 1000000", "8 -1/100", "1/100000 1/100000",
            "3 1000001/1000000", "50 1/50"]


@pytest.mark.parametrize("text", T_POINTS)
def test_digits_of_t(text):
    height, slope = map(frac, text.split())
    with mp.workdps(60):
        assert_digits(OwenT(height, slope).evalf(40), reference_t(height, slope))


CDF_POINTS = ["1/2 3/10 2/5", "-3 2 -7/10", "1 11/10 999/1000", "-6 -5 -4/5", "-2 3 99999999/100000000",
              "2 -2001/1000 -999/1000", "-30 -30 1/2", "1/10 -1/5 -3/10", "5 -4 9/10", "0 -3 -1/2", "-8 7 -99/100",
              "-1 -1 -999/1000", "4 4 -1/10"]


@pytest.mark.parametrize("text", slow_these(
    CDF_POINTS, "-30 -30 1/2", "-6 -5 -4/5", "1 11/10 999/1000", "5 -4 9/10", "2 -2001/1000 -999/1000", "-8 7 -99/100",
    "4 4 -1/10", "-2 3 99999999/100000000", "0 -3 -1/2", "1/10 -1/5 -3/10"))
def test_digits_of_the_cdf(text):
    x, y, rho = map(frac, text.split())
    with mp.workdps(60):
        assert_digits(Phi2(x, y, rho).evalf(40), reference_cdf(x, y, rho))


@pytest.mark.slow
def test_extreme_arguments():
    near = 1 - Rational(1, 10**40)
    assert Phi2(1, 2, near).evalf(30) == normal_cdf(S.One).evalf(30)
    # close to one line: P(X < 1, Y < 1) = Phi(1) - O(sqrt(1 - r))
    gap = normal_cdf(S.One).evalf(40) - Phi2(1, 1, near).evalf(40)
    assert abs(gap / (sqrt((1 - near) / pi) * sqrt(Rational(1, 2) / pi) * 2.718281828459045 ** -0.5).evalf() - 1) < 1e-9
    tiny = Phi2(-1000, -1000, Rational(-99, 100)).evalf(30)
    with mp.workdps(40):        # Savage's asymptotic form of an orthant far out
        rho, x = mp.mpf(-99) / 100, mp.mpf(1000)
        want = (1 + rho) ** 2 * mp.exp(-x * x / (1 + rho)) / (2 * mp.pi * x * x * mp.sqrt(1 - rho**2))
        assert abs(mp.mpf(tiny._mpf_) / want - 1) < 1e-6
    assert OwenT(200, 2).evalf(20) == (erfc(200 / sqrt(2)) / 4).evalf(20)
    assert Phi2(Float(1), Float(2), Float(1)).evalf() == normal_cdf(S.One).evalf()


def test_sums_that_cancel_keep_their_digits():
    # 4 P - 2 Phi - 2 Phi + 1 = 8 * small
    x, y, rho = Rational(1, 10), Rational(1, 5), Rational(1, 10**12)
    odd = 4 * Phi2(x, y, rho) - (2 * normal_cdf(x) - 1) * (2 * normal_cdf(y) - 1) - 2 * normal_cdf(x) \
        - 2 * normal_cdf(y) + 1
    density = 4 * rho * mp.npdf(0.1) * mp.npdf(0.2)
    assert abs(float(odd.evalf(20)) / float(density) - 1) < 1e-9


def test_balls_of_averages():
    pytest.importorskip("flint")
    from asympkit import E, enclose

    z = Symbol("z", real=True)
    # E Phi2(z, 1; 1/2): z is one more normal under the bound
    node = E(Phi2(z, 1, Rational(1, 2)), z)
    assert enclose(node, 12).contains(Phi2(0, 1, Rational(1, 2) / sqrt(2)).evalf(40))
    pytest.importorskip("flint")
    from asympkit import E, enclose

    z = Symbol("z", real=True)
    with pytest.raises(DomainError, match=r"the correlation z is not proved to lie in \[-1, 1\]"):
        enclose(E(Phi2(1, 2, z), z), 10)


def test_balls_know_where_the_functions_are_not_analytic():
    pytest.importorskip("flint")
    from flint import acb, arb

    from asympkit.numbers.functions import entry

    owen_t, bivariate_cdf = (entry(name).at_complex_balls for name in ("OwenT", "BivariateNormalCDF"))
    wide = acb(0, arb(0, 2))        # holds the branch points of T at a = i and -i
    assert not owen_t(acb(1), wide, True).is_finite()
    assert not bivariate_cdf(acb(1), acb(2), acb(arb(1, 0.1)), True).is_finite()
    assert owen_t(acb(1), acb(0.5, 0.25), True).is_finite()
