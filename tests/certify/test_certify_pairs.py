"""Enclosures of averages over two normals: dual activations without a closed form."""

from functools import cache

import mpmath
import pytest
import sympy as sp
from helpers.tiers import slow_but

import asympkit as ak

pytest.importorskip("flint", reason="python-flint is not installed")

X, Y, Z = sp.symbols("x y z", real=True)


def dual(f, g, rho):
    f, g = ak.Activation(f), ak.Activation(g)
    return ak.E(f.expr.subs(f.symbol, X) * g.expr.subs(g.symbol, Y), (X, Y), rho=sp.Rational(rho))


@cache
def coefficients(text, terms):
    return ak.Activation(text).hermite_coefficients(terms, digits=16)


def mehler(f, g, rho, terms=34):
    """The kernel from Hermite coefficients; the terms fall like rho**k."""
    c, d = coefficients(f, terms), coefficients(g, terms)
    rho = mpmath.mpf(sp.Rational(rho).p) / sp.Rational(rho).q
    return mpmath.fsum(mpmath.factorial(k) * c[k] * d[k] * rho**k for k in range(terms + 1))


@pytest.mark.parametrize("f, g, rho", slow_but([
    ("tanh", "tanh", "2/5"), ("tanh", "silu", "-3/10"), ("relu", "tanh", "3/10"), ("tanh", "relu", "3/10"),
    ("sign", "tanh", "1/7"), ("softplus", "gelu", "1/5"), ("sin(z)+z**2", "sigmoid", "1/3")], 4))
def test_kernels_hold_the_mehler_series(f, g, rho):
    ball = ak.enclose(dual(f, g, rho), digits=30)
    assert ball.rad < mpmath.mpf(10) ** -30
    with mpmath.workdps(25):
        assert ball.overlaps(ak.Ball(mehler(f, g, rho), mpmath.mpf("1e-13")))


def test_precision_does_not_matter_to_the_claim():
    balls = [ak.enclose(dual("tanh", "sigmoid", "7/10"), digits=d) for d in (8, 20, 60)]
    assert all(a.overlaps(b) for a in balls for b in balls)
    assert balls[-1].rad < mpmath.mpf(10) ** -60


@pytest.mark.parametrize("rho", [sp.Rational(1, 2), sp.sqrt(2) / 2])
def test_a_correlation_near_a_simple_number_is_not_taken_for_it(rho):
    step = sp.Rational(1, 10**17)
    ball, near = (ak.enclose(ak.E(sp.tanh(X) * sp.tanh(Y), (X, Y), rho=r), digits=30) for r in (rho, rho + step))
    slope = ak.enclose(ak.E((1 - sp.tanh(X)**2) * (1 - sp.tanh(Y)**2), (X, Y), rho=rho), digits=15)  # Price's theorem
    with mpmath.workdps(50):
        moved = near.mid - ball.mid
        assert not near.overlaps(ball)
        assert abs(moved * mpmath.mpf(10) ** 17 - slope.mid) < mpmath.mpf(10) ** -11


def test_arguments_sums_and_boxes():
    left = ak.E(sp.tanh(X) * sp.tanh(3 * X - 2 * Y) + X * sp.sin(Y), (X, Y))
    right = ak.E(sp.tanh(X) * ak.E(sp.tanh(3 * X + 2 * Y), Y), X)       # Y and -Y have one law
    a, b = (ak.enclose(e, digits=25) for e in (left, right))
    assert a.overlaps(b)
    assert a.rad < 1e-25
    closed = ak.enclose(ak.E(sp.tanh(X) * sp.tanh(Y + 1), (X, Y)), digits=25)     # factors
    assert closed.overlaps(ak.enclose(ak.E(sp.tanh(X), X) * ak.E(sp.tanh(X + 1), X), digits=25))
    # the mean of cos(xy) is 1/sqrt(2), that of cos(x + y) over y is cos(x)/sqrt(e)
    assert ak.enclose(ak.E(sp.cos(X * Y) / 2 + sp.cos(X * Y) * sp.tanh(X) / 3, (X, Y)), 12).overlaps(
        ak.enclose(1 / sp.sqrt(8)))
    nested = ak.enclose(ak.E(1 / (3 + ak.E(sp.cos(X + Y) + sp.tanh(Y), Y)), X), 12)
    assert nested.overlaps(ak.enclose(ak.E(1 / (3 + sp.cos(X) / sp.sqrt(sp.E)), X), 20))
    pair = ak.enclose(dual("abs(tanh(z))", "abs(tanh(z))", "0"), 12)
    assert pair.overlaps(ak.enclose(ak.E(sp.Abs(sp.tanh(X)), X) ** 2, 12))
    line = ak.enclose(ak.E(sp.Abs(X + Y - 1) * sp.cos(X - Y), (X, Y)), 12)
    assert line.overlaps(ak.enclose(ak.E(sp.Abs(sp.sqrt(2) * X - 1), X) / sp.E, 12))
    x, y = ak.parse("x", names=("x",)), ak.parse("y", names=("y",))
    cases = ak.parse("where(x > 1, exp(-y), 1/(1 + y**2))", names=("x", "y"))
    ball = ak.enclose(ak.E(cases, (x, y)), digits=12)
    above = (1 - mpmath.erf(1 / mpmath.sqrt(2))) / 2
    cauchy = mpmath.sqrt(mpmath.pi / 2) * mpmath.exp(0.5) * mpmath.erfc(1 / mpmath.sqrt(2))     # E 1/(1 + y**2)
    assert ball.overlaps(ak.Ball(above * mpmath.exp(0.5) + (1 - above) * cauchy, mpmath.mpf("1e-14")))


def test_what_is_refused():
    across = ak.E(sp.Max(X**2 - Y, 0) * sp.tanh(X * Y), (X, Y))
    with pytest.raises(ak.NotAvailableError, match="lies across several normals .* turn the normals so that"):
        ak.enclose(across)
    deep = ak.E(sp.tanh(X + ak.E(sp.tanh(Y + ak.E(sp.tanh(Z * Y + X), Z) ** 2), Y) ** 2), X)
    with pytest.raises(ak.NotAvailableError, match="two levels deep: close one"):
        ak.enclose(deep)
    with pytest.raises(ak.DomainError, match="the mean over 2 normals may be infinite"):
        ak.enclose(ak.E(sp.exp(sp.Rational(3, 2) * X * Y) * sp.cosh(sp.sin(X)), (X, Y)))
