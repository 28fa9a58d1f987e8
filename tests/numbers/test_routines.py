"""Double-precision routines against mpmath, in units of the last place, over the whole range of floats in use."""

import math

import mpmath
import numpy as np
import pytest
from scipy.special import erfc

import asympkit as ak
from asympkit.numbers.evaluation import Digits
from asympkit.numbers.functions import entry
from asympkit.numbers.functions.routines import bessel, elementary, gamma, normal
from asympkit.numbers.functions.routines import normal_pairs as pairs
from asympkit.numbers.functions.routines.normal import erf_batch, erfc_batch, log_erfc, log_erfc_batch

RNG = np.random.default_rng(20261122)
FAR = 10.0 ** RNG.uniform(-6, 8, 25)
LINE = np.concatenate([RNG.uniform(-40, 40, 60), RNG.uniform(-3, 3, 40), FAR, -FAR, [1e8, -1e8, 0.0]])
ULP = 2.0**-52


def assert_exact(name, scalar, batch, rows, units, floor=0.0, orders=()):
    """Both forms of a routine within units of the last place of the digits' value (of ``floor`` where it is less)."""
    digits = Digits(40)
    rows = [row if isinstance(row, tuple) else (row,) for row in rows]
    found = batch(*orders, *(np.array(column) for column in zip(*rows)))
    for row, value in zip(rows, found):
        exact = digits.function(name, *orders, *map(digits.mp.mpf, map(float, row)))
        room = units * ULP * max(abs(exact), floor, 1e-300)
        for got in (value, scalar(*orders, *map(float, row))):
            assert abs(digits.mp.mpf(float(got)) - exact) <= room, (row, got, exact)


@pytest.mark.parametrize("name", ["gauss_exp", "normal_tail", "log_phi", "mills", "mills_gap"])
def test_loops_of_normal_tails_end_where_there_is_no_number(name):
    """Compiled, a number of terms that is NaN is 2**63."""
    assert np.isnan(getattr(normal, name)(np.nan))


@pytest.mark.parametrize(("name", "scalar", "batch"), [
    ("LogErfc", normal.log_erfc, normal.log_erfc_batch), ("LogPhi", normal.log_phi, normal.log_phi_batch),
    ("Mills", normal.mills, normal.mills_batch), ("MillsGap", normal.mills_gap, normal.mills_gap_batch),
    ("LogCosh", elementary.log_cosh, elementary.log_cosh_batch),
    ("SoftPlus", elementary.soft_plus, elementary.soft_plus_batch)], ids=lambda v: v if isinstance(v, str) else "")
def test_logarithms_of_tails_and_of_exponentials(name, scalar, batch):
    assert_exact(name, scalar, batch, LINE, 16)


def test_gamma_and_its_derivatives():
    line = np.concatenate([RNG.uniform(1e-3, 171, 60), RNG.uniform(-20, 5, 40), 10.0 ** RNG.uniform(-8, 0, 20)])
    assert_exact("gamma", gamma.gamma_function, gamma.gamma_function_batch, line, 8)
    positive = np.concatenate([RNG.uniform(1e-3, 5, 60), 10.0 ** RNG.uniform(-8, 9, 40)])
    assert_exact("loggamma", gamma.log_gamma, gamma.log_gamma_batch, positive, 8, floor=1.0)
    for n in (0, 1, 2, 5):
        assert_exact("polygamma", gamma.polygamma, gamma.polygamma_batch, [*positive, -0.5, -3.3, -100.2], 8,
                     floor=1.0 if n == 0 else 0.0, orders=(n,))
    for routine in (gamma.gamma_function, lambda v: gamma.polygamma(0, v)):
        assert np.isnan(routine(-3.0)) and np.isnan(routine(0.0))
    assert gamma.gamma_function(172.0) == np.inf and gamma.gamma_function(-190.5) == 0.0


@pytest.mark.parametrize("n", [0, 1, 2, 17, 40, -3])
def test_bessel_functions(n):
    line = np.concatenate([RNG.uniform(-30, 30, 40), RNG.uniform(-100, 100, 30), 10.0 ** RNG.uniform(-3, 5, 30),
                           [25.0, 24.999, 0.0]])
    # at a zero of J the last place is that of the waves around it
    for v in line:
        wave = 1.0 if abs(v) < abs(n) else 1.0 / np.sqrt(1.0 + abs(v))
        exact = mpmath.besselj(n, v)
        for got in (bessel.besselj(n, v), bessel.besselj_batch(n, np.array([v]))[0]):
            assert abs(got - exact) <= 12 * ULP * max(abs(exact), wave), v
    assert_exact("besseli", bessel.besseli, bessel.besseli_batch, line[np.abs(line) < 700], 12, orders=(n,))


def test_owen_t():
    rows = [*zip(RNG.uniform(-8, 8, 30), 10.0 ** RNG.uniform(-3, 3, 30) * RNG.choice([-1, 1], 30)),
            *zip(RNG.uniform(-35, 35, 15), RNG.uniform(-2, 2, 15))]
    assert_exact("OwenT", pairs.owen_t, pairs.owen_t_batch, rows, 12)


def test_bivariate_normal():
    rows = [*zip(RNG.normal(0, 2, 20), RNG.normal(0, 2, 20), np.tanh(RNG.normal(0, 2, 20))), (0.3, 0.7, 1.0),
            (0.3, -0.7, -1.0), (0.16041635979232963, -0.11049018160348487, -0.1215143851990925), (2.0, 2.0, 0.99999999)]
    # h near -k, where the density has a layer at the correlation -1
    rows += [(h, -h * (1.0 + 10.0**d), np.tanh(r)) for h, d, r in zip(
        RNG.normal(0, 0.3, 20), RNG.uniform(-8, -1, 20), RNG.normal(-1, 1, 20))]
    rows += [*zip(RNG.normal(0, 0.01, 10), RNG.normal(0, 0.01, 10), np.tanh(RNG.normal(0, 1, 10)))]
    assert_exact("BivariateNormalCDF", pairs.bivariate_cdf, pairs.bivariate_cdf_batch, rows, 64, floor=1e-3)
    assert np.isnan(pairs.bivariate_cdf(0.0, 0.0, 1.5)) and np.isnan(pairs.bivariate_opposite(0.0, 0.0, 1.5)).all()
    for h, k, r in rows:
        both = pairs.bivariate_cdf(h, k, r), pairs.bivariate_cdf(-h, -k, r)
        assert pairs.bivariate_opposite(h, k, r) == pytest.approx(both, rel=1e-14, abs=1e-17)


@pytest.mark.parametrize("k", [10.0**n for n in range(2, 151, 4)])
def test_bivariate_normal_far_out(k):
    """Exponents there are so large that their rounding alone is beyond what exponentials hold."""
    for h, far, r in ((-5.3238632496608815, -k, 4.2207771712217297e-07), (0.4, -k, 0.3), (0.4, -k, -0.3),
                      (0.4, -k, 0.99)):
        assert pairs.bivariate_cdf(h, far, r) == pairs.bivariate_cdf_batch(h, far, r) == 0.0
        above = pairs.bivariate_cdf_batch(h, -far, r), pairs.bivariate_cdf(h, -far, r)
        assert above == pytest.approx((pairs.normal_tail(-h),) * 2, rel=1e-13)


def test_functions_without_branches():
    """They round by the exponent too: 20 units at exponents of 40."""
    line = [v for v in LINE if abs(v) < 40] + [0.0]
    for name, routine, rows in (("exp", elementary.lane_exp, line), ("SoftPlus", elementary.lane_soft_plus, line),
                                ("erfc", elementary.lane_erfc, [v for v in line if v < 5])):
        assert_exact(name, routine, np.vectorize(routine), rows, 32)
    assert elementary.lane_exp(-1e9) < 1e-300 and elementary.lane_erfc(1e9) < 1e-300
    assert elementary.lane_erfc(-1e9) == 2.0
    for x in 10.0 ** RNG.uniform(-300, 300, 50):
        assert abs(elementary.rough_log(x) - np.log(x)) < 0.031


@pytest.mark.parametrize("V", [0.0, 1e-100, 0.01, 1.0, 17.0, 300.0, 1e5, 1e7])
def test_the_logistic_slope_without_branches(V):
    places = np.concatenate([RNG.uniform(-V - 50, 50, 100), -V / 2 + RNG.normal(0, 2, 20), [0.0, -V / 2, -V]])
    for t in places:
        found, known = elementary.lane_logistic_slope(V, t), elementary.logistic_slope(V, t)
        assert abs(found - known) <= 1e-14 * known + 1e-19 * V * known, t


@pytest.mark.parametrize("name", ["LogErfc", "LogPhi", "Mills", "MillsGap"])
def test_digits_and_balls_far_out(name):
    flint = pytest.importorskip("flint")
    few, many = Digits(25), Digits(60)
    for x in (-10**8, -12345, -30, 30, 12345, 10**8):
        exact = many.function(name, many.mp.mpf(x))
        if exact:
            assert abs(few.function(name, few.mp.mpf(x)) / exact - 1) < few.mp.mpf(10) ** -24, x
        ball = entry(name).at_balls(flint.arb(x))
        assert ball.overlaps(flint.arb(many.mp.nstr(exact, 50)) * flint.arb(1, 1e-45)) and ball.rel_accuracy_bits() > 40
        value = getattr(ak, name)(x).evalf(20) if hasattr(ak, name) else None
        assert value is None or abs(many.mp.mpf(str(value)) / exact - 1) < 1e-19


@pytest.mark.parametrize("name", ["LogErfc", "LogPhi", "Mills", "MillsGap", "asinh", "acos", "atanh", "OwenT"])
def test_wide_complex_balls_hold_what_lies_in_them(name):
    """On the left they are bounded by another formula than points are."""
    flint = pytest.importorskip("flint")
    rng, compared = np.random.default_rng(7), 0
    for _ in range(60):
        radius = rng.choice([0.0005, 0.01, 0.1, 0.25])
        centre, offset = rng.uniform((-12, -1.5), (3, 1.5)), rng.uniform(-radius, radius, 2)
        if name in ("acos", "atanh"):
            centre = centre / 16
        wide = flint.acb(*(flint.arb(float(v), float(radius)) for v in centre))
        point = flint.acb(*map(float, centre + offset))
        more = (flint.acb(0.5),) if name == "OwenT" else ()
        found, exact = (entry(name).at_complex_balls(u, *more, True) for u in (wide, point))
        if found.is_finite() and exact.is_finite():
            assert found.overlaps(exact), (wide, point)
            compared += 1
    assert compared > 30


def test_windows_all_at_once():
    """One routine of straight lines against one value after the other, in arrays too."""
    orders = entry("NormalBlur").together[2]
    for c in (-40.0, -6.0, -1.1, -1e-9, 0.0, 0.3, 2.5, 1e6):
        for h in (1e-12, 0.3, 1.0, 1.0001, 5.0, 1e7):
            reach = 0.5 * h * (h > 1.0)
            sides = [1.0 if c + end > 0.0 else -1.0 for end in (-reach, reach)]
            one = [normal.normal_blur(j, n, c, h, *sides) for j, n in orders]
            scale = 1.0 / max(1.0, h)
            np.testing.assert_allclose(normal.lane_normal_window(c, h, *sides), one, rtol=0, atol=1e-15 * scale)
            rows = normal.normal_window_batch(orders, np.array([c, 0.5]), np.array([h, 0.5]), *(
                np.array([s, 1.0]) for s in sides))
            np.testing.assert_allclose(rows[:, 0], one, rtol=0, atol=1e-15 * scale)


def test_a_window_is_a_mean():
    """The distribution function's, by Gauss's rule, less the share of the window that lies on the right."""
    u, w = np.polynomial.legendre.leggauss(40)
    for c, h in ((-0.4, 0.7), (0.4, 0.7), (0.6, 3.0), (-2.0, 3.0), (2.0, 3.0)):
        reach = 0.5 * h * (h > 1.0)
        left, right = (1.0 if c + end > 0.0 else -1.0 for end in (-reach, reach))
        z = c + 0.5 * h * u
        mean = 0.5 * w @ (0.5 * erfc(-z / np.sqrt(2.0)))
        share = 0.0 if right < 0.0 else 1.0 if left > 0.0 else (c + 0.5 * h) / h      # of the window on the right
        assert normal.normal_blur(0, -1, c, h, left, right) == pytest.approx(mean - share, abs=1e-15)


@pytest.mark.parametrize("radius", [3.0, 1e3, 1e10, 1e300])
def test_balls_of_windows_of_any_width(radius):
    """They hold the values inside, or are not finite; none takes long."""
    arb = pytest.importorskip("flint", reason="python-flint is not installed").arb
    found = entry("NormalBlur").at_balls(0, -1, arb(-0.3), arb(1.0, radius), arb(-1), arb(-1))
    for h in (0.2, 1.0, 2.0):
        assert found.overlaps(arb(normal.normal_blur(0, -1, -0.3, h, -1.0, -1.0), 1e-14)) or not found.is_finite()


EPS = 2.0**-52
rng = np.random.default_rng(11)
X = np.concatenate([rng.uniform(-6, 6, 150), rng.uniform(0.45, 0.55, 50), -rng.uniform(0.45, 0.55, 50),
                    rng.uniform(5, 26.5, 100), 10.0 ** rng.uniform(-300, -1, 50), [0.5, -0.5, 26.5, 3.75]])


def log_of_tail(x):
    return mpmath.log1p(-mpmath.erf(x)) if x < 0.1 else mpmath.log(mpmath.erfc(x))


@pytest.mark.parametrize(("f", "exact", "at"), [
    (erf_batch, mpmath.erf, X), (erfc_batch, mpmath.erfc, X),
    (log_erfc_batch, log_of_tail, np.concatenate([X, [20.0, 19.99, 20.01, 35, 1e3, 1e8]])),
    (np.vectorize(log_erfc), log_of_tail, np.concatenate([X, [20.0, 19.99, 20.01, 35, 1e3, 1e8]])),
])
def test_relative_accuracy(f, exact, at):
    with mpmath.workdps(40):
        true = [exact(mpmath.mpf(float(x))) for x in at]
        worst = max(abs(mpmath.mpf(float(v)) - t) / abs(t) for v, t in zip(f(at), true))
    assert worst < 3 * EPS


def test_special_values_signs_and_shapes():
    special = np.array([np.inf, -np.inf, np.nan, -0.0, 0.0, 30.0, -30.0, 1e300])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(erf_batch(special), [1, -1, np.nan, -0.0, 0, 1, -1, 1])
        assert math.copysign(1.0, erf_batch(-0.0)) == -1.0
        np.testing.assert_array_equal(erfc_batch(special), [0, 2, np.nan, 1, 1, 0, 2, 0])
        assert np.isnan(log_erfc_batch(np.nan)) and log_erfc_batch(-np.inf) == math.log(2.0)
    assert erf_batch(np.zeros((2, 3))).shape == (2, 3)
    assert float(erfc_batch(1.25)) == pytest.approx(math.erfc(1.25), rel=3 * EPS)
