"""Proofs end: narrow peaks and logarithms of large numbers are enclosed, what takes too long is refused."""

from fractions import Fraction
from importlib import import_module

import mpmath
import pytest
import sympy as sp

import asympkit as ak

flint = pytest.importorskip("flint", reason="python-flint is not installed")

from asympkit.balls.analytic import compile_balls  # noqa: E402
from asympkit.balls.backend import LONGEST, SpentError, Work, exact, get_outer_ends, workprec  # noqa: E402
from asympkit.balls.growth import (  # noqa: E402
    growth_bound,  # noqa: E402
    interval,
    number_range,
)

Z = sp.Symbol("z", real=True)


def peak(width):
    """The mean of a Gaussian peak at 1, in closed form, as a ball."""
    with mpmath.workdps(60):
        h = mpmath.mpf(width.numerator) / width.denominator
        return ak.Ball(h / mpmath.sqrt(h**2 + 2) * mpmath.exp(-1 / (h**2 + 2)), mpmath.mpf(10) ** -50)


@pytest.mark.parametrize("digits", [6, 9])
@pytest.mark.parametrize("expand", [False, True])
def test_narrow_peaks(digits, expand):
    exponent = -((Z - 1) ** 2) * 10 ** (2 * digits)
    ball = ak.enclose(ak.E(sp.exp(sp.expand(exponent) if expand else exponent), Z), 25)
    assert ball.overlaps(peak(Fraction(1, 10**digits)))
    assert 0 < ball.rad < 1e-25


def test_a_narrow_peak_in_a_theory():
    m, h = sp.symbols("m h", positive=True)
    t = ak.Theory(name="peak", unknowns=[m], parameters={h: ("width", "positive")},
                  free_energy=m**2 / 2 - m * ak.E(sp.exp(-((Z - 1) ** 2) / h**2), Z))
    for width in ("1e-3", "1e-6", "1e-9"):
        ball = t.certify(digits=15, h=width)["m"]
        assert ball.overlaps(peak(Fraction(width)))
        assert ball.rad < 1e-15 * ball.mid


def test_a_polynomial_is_enclosed_around_the_centre_of_its_ball():
    run = compile_balls(sp.expand(10**12 * (Z - 1) ** 2), Z)
    with workprec(100):
        value = run(flint.acb(flint.arb(1, "1e-6")), True)
        assert value.real.contains(0) and value.real.contains(1)
        assert value.real.abs_upper() < 4


def test_a_budget_of_evaluations_ends_what_does_not(monkeypatch):
    monkeypatch.setattr(import_module("asympkit.certify.enclose"), "Work", lambda: Work(3000))
    m, J = sp.symbols("m J", positive=True)
    t = ak.Theory(name="waves", unknowns=[m], parameters={J: ("", "positive")},
                  free_energy=m**2 / 2 - m * ak.E(sp.cos(J * Z) ** 2 / (1 + J * Z**2), Z))
    with pytest.raises(ak.ProofError, match=r"no enclosure of the integral of cos\(J\*z\).* after \d+ evaluations: it "
                                            "is singular there, or oscillates .* give a closed form of the average"):
        t.certify(digits=8, J=10**8)


def test_work_is_counted_beyond_the_ordinary():
    with workprec(60):
        work = Work(500)
        smooth = work.integral(lambda x, a: (-x * x).exp(), 0, 1, flint.arb("1e-12"), flint.arb("1e-12"), Z)
        assert work.left == 500 and smooth.real.contains(flint.arb(1).erf() * flint.arb.pi().sqrt() / 2)
        with pytest.raises(SpentError, match=r"of z against the normal density over \[0, 1\] after \d{4} evaluations"):
            work.integral(lambda x, a: (10**5 * x).cos() ** 2, 0, 1, flint.arb("1e-12"), flint.arb("1e-12"), Z)
        assert work.left <= 0


@pytest.mark.parametrize(("expr", "text"), [
    (sp.exp(-10000), "1.1354838653147360985409388750662"), (sp.exp(-(10**12)), "0 +/- "),
    (sp.exp(-sp.exp(30)), "0 +/- "), (sp.exp(1000), "1.97007111401704699388887935224"),
    (sp.exp(90), "1220403294317840802002710035136369753970."), (sp.Integer(10) ** 60 / 7, "1.42857142857142857")])
def test_texts_of_any_size(expr, text):
    ball = ak.enclose(expr, 28)
    assert str(ball).startswith(text)
    assert ball.mid >= 0 and ball.rad >= 0


def test_sizes_without_bounds():
    with pytest.raises(ak.DomainError, match=r"the enclosure \[.*e\+43429448190325.* is beyond 2\*\*131072; enclose "):
        ak.enclose(sp.exp(sp.Integer(10) ** 20))
    with workprec(60), pytest.raises(ak.DomainError, match="work with its logarithm"):
        exact((flint.arb(10) ** 12).exp().mid())
    tiny, high = number_range(sp.exp(-(10**9))), Fraction(2) ** LONGEST
    assert tiny == (0, 1 / high)
    assert number_range(-sp.exp(-(10**9))) == (-1 / high, 0)
    assert number_range(sp.exp(10**9)) == (high, float("inf"))
    assert number_range(-sp.exp(10**9)) == (-float("inf"), -high)
    assert get_outer_ends(flint.arb("nan")) == (-float("inf"), float("inf"))
    assert interval(Z**2000, Z, (Fraction(-3), Fraction(3))) == (0, float("inf"))
    bound = growth_bound(sp.exp(-((Z - 1) ** 2) * 10**12), Z, (Fraction(2), float("inf")))
    assert bound.curvature == -(10**12) and bound.rate == 2 * 10**12
    assert bound.coefficients[0].denominator.bit_length() < 2000
    assert bound.text("z").endswith(" exp(2e+12 |z| + -1e+12 z^2)")


pytest.importorskip("flint", reason="python-flint is not installed")

J, V = sp.symbols("J V", positive=True)


@pytest.mark.parametrize("f, small", [
    (sp.log(sp.cosh(10**4 * Z)), -sp.log(2)), (sp.log(2 * sp.cosh(10**4 * Z) ** 2), -sp.log(2)),
    (sp.log(1 + sp.exp(10**4 * Z)), 0)], ids=str)
def test_scale_of_ten_thousand(f, small):
    """log cosh(a z) = a|z| - log 2 + O(1/a) in the mean; the rest is log(1 + exp(-2a|z|))."""
    ball = ak.enclose(ak.E(f, Z), 20)
    a = 10**4 if f.has(sp.cosh) else 5000
    factor = 2 if f.has(2 * sp.cosh(10**4 * Z) ** 2) or f.args[0].has(sp.Pow) and f.has(sp.cosh) else 1
    main = factor * a * sp.sqrt(2 / sp.pi) + small
    assert ball.rad < 1e-15 and abs(float(ball) - float(main)) < 2e-4


def test_a_theory_with_a_large_parameter():
    t = ak.Theory(name="t", parameters={J: ("", "positive")}, unknowns=[V],
                  equations=[V - ak.E(sp.log(sp.cosh(J * Z)), Z)])
    ball = t.certify(J=10**4, digits=20)["V"]
    assert abs(float(ball) - float(ak.enclose(ak.E(sp.log(sp.cosh(10**4 * Z)), Z), 20))) < 1e-12
