"""Proved means over several normals: known values lie in the balls, whatever the radius, the boxes and the digits."""

import mpmath
import pytest
import sympy as sp

import asympkit as ak

pytest.importorskip("flint", reason="python-flint is not installed")

from flint import arb

from asympkit.balls import several
from asympkit.balls.backend import workprec
from asympkit.balls.several import SeveralMean, several_ball

X, Y, Z, M = sp.symbols("x y z m", real=True)
S = sp.Symbol("s", positive=True)


def ball(expr, variables, digits, inner=None):
    with workprec(53):
        return several_ball(expr, variables, digits, inner)


def holds(found, value, digits):
    with workprec(400), mpmath.workdps(100):
        known = value if isinstance(value, mpmath.mpf) else sp.N(value, 50)._to_mpmath(170)
        exact = arb(mpmath.nstr(known, 45)) + arb(0, arb(10) ** -38)
        return found.contains(exact) and found.rad() <= arb(10) ** -digits


CASES = {
    "entire": (sp.cos(X * Y), 1 / sp.sqrt(2)), "a quadratic form": (sp.exp(X * Y / 2), 2 / sp.sqrt(3)),
    "falling": (sp.exp(-(X**2) - Y**2 - X * Y), 1 / sp.sqrt(8)), "odd": (sp.tanh(X * Y) * (1 + Y**2) ** -1, sp.S.Zero),
    "a kink on an axis": (sp.Abs(X) * sp.cos(Y), sp.sqrt(2 / sp.pi) * sp.exp(-sp.S.Half)),
    "a jump beside it": (sp.Heaviside(X - 1, sp.S.Half) * sp.exp(Y), sp.erfc(1 / sp.sqrt(2)) / 2 * sp.exp(sp.S.Half)),
}


@pytest.mark.parametrize("name", CASES)
def test_known_means(name):
    expr, value = CASES[name]
    assert holds(ball(expr, (X, Y), 12), value, 12)


def lattice(f, step, digits):
    """Mean over two normals by a fine lattice in mpmath, which has all digits for entire functions."""
    with mpmath.workdps(digits + 10):
        line = [mpmath.mpf(step) * k for k in range(-int(13 / step), int(13 / step) + 1)]
        weights = [step * mpmath.npdf(x) for x in line]
        return mpmath.fsum(w * v * f(x, y) for x, w in zip(line, weights) for y, v in zip(line, weights))


def test_thirty_digits_of_mpmath():
    value = lattice(lambda x, y: mpmath.exp(mpmath.sin(x + y / 2)) * mpmath.cos(y), 0.21875, 30)
    assert holds(ball(sp.exp(sp.sin(X + Y / 2)) * sp.cos(Y), (X, Y), 30), value, 30)


@pytest.mark.slow
def test_phase_retrieval_with_thirty_digits():
    """Singularities of the tanh of a product come nearer the larger the other variable is."""
    field, label = X / sp.sqrt(2), (X + Y) / sp.sqrt(2)
    found = ball((2 * (label * sp.tanh(2 * field * label) - field)) ** 2, (X, Y), 30)

    fp, panels = mpmath.fp, [-9, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 9]

    def f(x, y):
        return 2 * ((x + y) * fp.tanh(x * (x + y)) - x) ** 2

    value = fp.quad(lambda x: fp.npdf(x) * fp.quad(lambda y: f(x, y) * fp.npdf(y), panels), panels)
    assert found.rad() <= arb(10) ** -30 and found.overlaps(arb(value, 1e-12))


@pytest.mark.parametrize("reach", [1, 3, 5])
def test_what_is_left_out_is_in_the_radius(reach, monkeypatch):
    """However small the boxes: the bound beyond them makes up for what they miss."""
    def near(bound, dimension, digits):
        from asympkit.balls.several import bound_tail

        return reach, bound_tail(bound, dimension, reach)

    monkeypatch.setattr(several, "reach_and_tail", near)
    for expr, value in ((1 + X**2 * Y**2, 2), (sp.exp(X * Y / 2), 2 / sp.sqrt(3))):
        found = SeveralMean(expr, (X, Y), 8).mean({})
        assert found.contains(_near(value)) and (float(found.rad()) > 1e-6 or reach == 5)


def _near(value, error=1e-25):
    return arb(str(sp.N(value, 40))) + arb(0, error)


def test_functions_of_means():
    """The mean of cos(x + y) over y is cos(x)/sqrt(e)."""
    found = ball(M**2 + X**2, (X,), 12, {M: (sp.cos(X + Y), (Y,))})
    assert holds(found, 1 + (1 + sp.exp(-2)) / (2 * sp.E), 12)


def test_inner_tails_are_in_the_radius(monkeypatch):
    from asympkit.balls import several as inner_means
    from asympkit.balls.several import bound_tail

    monkeypatch.setattr(inner_means, "reach_and_tail", lambda bound, d, digits: (4, bound_tail(bound, d, 4)))
    found = SeveralMean(M**2, (X,), 8, {M: (sp.cos(X + Y), (Y,))}).mean({})
    assert found.contains(_near((1 + sp.exp(-2)) / (2 * sp.E))) and float(found.rad()) > 1e-6


def test_symbols_are_balls():
    mean = SeveralMean(sp.cos(S * X * Y), (X, Y), 10)
    found = mean.mean({S: arb(1, 1e-3)})
    for s in (0.999, 1.0, 1.001):
        assert found.contains(1 / (1 + arb(s) ** 2).sqrt() + arb(0, 1e-15))
    with pytest.raises(ak.ProofError, match="s is declared positive, which its enclosure"):
        mean.mean({S: arb(0, 1)})


@pytest.mark.slow
def test_three_normals():
    assert holds(ball(X**2 * Y**2 * Z**2 + X * Y * sp.exp(Z), (X, Y, Z), 5), 1, 5)


def test_refusals(monkeypatch):
    with pytest.raises(ak.DomainError, match="the mean over 2 normals may be infinite"):
        ball(sp.exp(X * Y), (X, Y), 8)
    with pytest.raises(ak.NotAvailableError, match=r"has a kink or a jump at x - y\*\*2 = 0, which lies across"):
        ball(sp.Abs(X - Y**2), (X, Y), 8)
    monkeypatch.setattr(several, "_EVALUATIONS", (0, 20_000, 0))
    with pytest.raises(ak.ConvergenceError, match="with 20000 evaluations: its variables are too many"):
        ball(sp.cos(40 * X * Y), (X, Y), 8)
    with pytest.raises(ak.ProofError, match="with up to 250 digits; got 300"):
        SeveralMean(sp.cos(X * Y), (X, Y), 300)
