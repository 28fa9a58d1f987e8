"""The class Ball, expressions on balls, enclosures of closed expressions, the command line."""

import subprocess
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp

import asympkit as ak

flint = pytest.importorskip("flint", reason="python-flint is not installed")

from asympkit.balls.analytic import compile_balls, constant  # noqa: E402

Z = sp.Symbol("z", real=True)


def exact(number):
    sign, man, exp, _ = number._mpf_
    return (-1) ** sign * Fraction(int(man)) * Fraction(2) ** exp


def near(value, digits):
    """A ball around a sympy number that holds it."""
    with mpmath.workdps(digits + 5):
        return ak.Ball(mpmath.mpf(sp.N(value, digits + 3)._to_mpmath(mpmath.mp.prec)), mpmath.mpf(10) ** -digits)


def from_text(text):
    return ak.Ball.from_arb(flint.arb(text))


def test_ball_keeps_every_bit_and_floats():
    with flint.ctx.workprec(300):
        number = flint.arb(2).sqrt()
    ball = ak.Ball.from_arb(number)
    for part, kept in ((number.mid(), ball.mid), (number.rad(), ball.rad)):
        mantissa, exponent = map(int, part.man_exp())
        assert Fraction(mantissa) * Fraction(2) ** exponent == exact(kept)
    ball = from_text("0.25")
    assert float(ball) == 0.25
    assert str(ball).startswith("0.25") and str(ball).endswith(" +/- 0")
    with pytest.raises(AttributeError):
        ball.mid = 1
    with pytest.raises(ak.DomainError, match="not finite"):
        ak.Ball.from_arb(flint.arb("nan"))


@pytest.mark.parametrize("inside", [1, Fraction(9, 8), "1.125", "9/8", 1.125, mpmath.mpf("1.2"), np.float64(0.9),
                                    np.int64(1), sp.Rational(5, 4), "0.75", "1.25"])
def test_contains(inside):
    assert ak.Ball(mpmath.mpf(1), mpmath.mpf("0.25")).contains(inside)


@pytest.mark.parametrize("outside", [2, Fraction(6, 8) - Fraction(1, 10**40), "1.2500000000000000000000000001", -1.0])
def test_does_not_contain(outside):
    assert not ak.Ball(mpmath.mpf(1), mpmath.mpf("0.25")).contains(outside)


@pytest.mark.parametrize("bad", ["one", float("nan"), mpmath.inf, None, "1/0", 1j])
def test_contains_needs_a_number(bad):
    with pytest.raises(ak.DomainError, match="expected a finite int"):
        ak.Ball(mpmath.mpf(1), mpmath.mpf(1)).contains(bad)


def test_overlaps_touching_and_apart():
    ball = ak.Ball(mpmath.mpf(1), mpmath.mpf("0.5"))
    assert ball.overlaps(ak.Ball(mpmath.mpf(2), mpmath.mpf("0.5")))
    assert not ball.overlaps(ak.Ball(mpmath.mpf(2), mpmath.mpf("0.25")))
    with pytest.raises(ak.DomainError, match=r"other: got 3; expected a Ball; use contains\(\) for a number"):
        ball.overlaps(3)


@pytest.mark.parametrize("text", ["1.5 +/- 1e-20", "-0.000123456 +/- 1e-9", "0 +/- 3e-40", "123456.7 +/- 9.9",
                                  "1e-50 +/- 1e-70", "1e40 +/- 1e10", "3 +/- 1000"])
def test_text_is_rounded_outward(text):
    ball = from_text(text)
    mid, rad = (Fraction(part) for part in str(ball).split(" +/- "))
    centre, radius = exact(ball.mid), exact(ball.rad)
    assert mid - rad <= centre - radius
    assert mid + rad >= centre + radius
    assert rad <= Fraction(6, 5) * radius


@pytest.mark.parametrize("text", ["log(1+z**2)", "sqrt(1+z**2)", "(1+z**2)**(1/3)", "atan(z)", "(1+z**2)**(-1/2)"])
def test_branch_cuts_answer_the_analytic_flag(text):
    run = compile_balls(ak.parse(text), Z)
    across = flint.acb(flint.arb(0, 0.5), flint.arb(2, 0.5))      # holds the cut from i upward
    beside = flint.acb(flint.arb(2, 0.1), flint.arb(0, 0.1))
    assert not run(across, True).is_finite()
    assert run(beside, True).is_finite()


def test_what_is_refused():
    with pytest.raises(ak.DomainError, match="floating-point number"):
        compile_balls(Z + sp.Float("0.1"), Z)
    with pytest.raises(ak.NotAvailableError, match="function zeta"):
        compile_balls(sp.zeta(Z), Z)
    with pytest.raises(ak.NotAvailableError, match="function Abs"):
        compile_balls(abs(Z), Z)
    with pytest.raises(ak.DomainError, match="symbol y has no value"):
        compile_balls(Z + sp.Symbol("y"), Z)
    x, y = sp.symbols("x y", real=True)
    with pytest.raises(ak.DomainError, match="still holds y"):
        ak.enclose(ak.E(sp.tanh(Z * y), Z))
    with pytest.raises(ak.DomainError, match="floating-point"):
        ak.enclose(ak.E(sp.tanh(0.5 * Z), Z))
    with pytest.raises(ak.NotAvailableError, match="has a kink or a jump at .* which lies across several normals"):
        ak.enclose(ak.E(sp.Max(x**2 - y, 0) * sp.tanh(x), (x, y)))
    with pytest.raises(ak.DomainError, match="mean over a normal may be infinite"):
        ak.enclose(ak.E(sp.exp(Z**2), Z))
    with pytest.raises(ak.DomainError, match="digits"):
        ak.enclose(1, digits=-3)
    with pytest.raises(ak.DomainError, match="expected a sympy expression"):
        ak.enclose(["__import__('os')"])


def test_enclose():
    assert ak.enclose(1 + ak.Named("m", ak.E(Z**2 * sp.cosh(Z), Z)) / sp.sqrt(sp.E), 20).contains(3)
    assert ak.enclose("sqrt(2)**2/3").contains("2/3")
    assert ak.enclose(7).contains(7)
    expr = (ak.E(sp.tanh(Z) ** 2, Z) + ak.E(sp.cosh(Z) ** -2, Z) - 1) * 10**20
    ball = ak.enclose(expr, digits=25)
    assert ball.contains(0)
    assert float(ball.rad) < 1e-25
    root = sp.CRootOf(Z**5 - Z - 1, 0)
    with flint.ctx.workprec(200):
        ball = ak.Ball.from_arb(constant(root))
    assert ball.overlaps(near(root, 50))
    assert ball.rad < 1e-50
    assert ak.enclose(root**5 - root - 1).contains(0)


def test_without_flint():
    code = ("import sys; sys.modules['flint'] = None\nimport asympkit as ak\n"
            "for f in (lambda: ak.enclose(1), lambda: ak.Activation('tanh').second_moment(certified=True),\n"
            "          lambda: ak.Activation('tanh').hermite_coefficients(1, certified=True)):\n"
            "    try:\n        f()\n    except ak.NotAvailableError as error:\n        print(error)\n")
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["certify: python-flint is not installed; install asympkit[certify]"] * 3
