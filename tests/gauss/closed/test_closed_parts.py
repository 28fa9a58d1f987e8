"""The parts: polynomial coefficients, sign changes, pieces, normal form."""

import pytest
from sympy import Abs, Max, Min, Piecewise, S, cos, erf, exp, oo, sign, sin, sqrt, symbols

from asympkit.gauss.closed.decide import (
    OutsideClass,
    Roots,
    canonical,
    coefficients,
    order,
    reduced,
    root_of,
    sign_changes,
    sign_of,
    split_interval,
    tidy,
)
from asympkit.gauss.closed.terms import TermShape, normal_form, smooth_pieces

z, a, c = symbols("z a c", real=True)
b, s = symbols("b s", positive=True)


def test_coefficients():
    assert coefficients((a + b * z) ** 2, z) == [a**2, 2 * a * b, b**2]
    assert coefficients((z + 1) * (z - 1) - z**2, z) == [-1]
    assert coefficients(a, z, top=1) == [a, 0]
    with pytest.raises(OutsideClass):
        coefficients(z**3, z, top=2)
    with pytest.raises(OutsideClass):
        coefficients(sin(z), z)


def test_sign_changes():
    assert sign_changes(a + b * z, z) == ([-a / b], 1)
    assert sign_changes(-b * z + a, z) == ([a / b], -1)
    assert sign_changes(z**2 - s**2, z) == ([-s, s], 1)
    assert sign_changes(1 - z**2, z) == ([-1, 1], -1)
    assert sign_changes(z**2 + 1, z) == ([], 1)
    assert sign_changes(z**2 * (z - 1) ** 3 * (z**2 - 2), z) == ([-sqrt(2), 1, sqrt(2)], 1)
    assert sign_changes(S(-3), z) == ([], -1)


def test_split():
    assert split_interval(-oo, oo, [S(0)], 1) == [(-oo, 0, -1), (0, oo, 1)]
    assert split_interval(S(0), oo, [S(-1), S(0), S(2)], 1) == [(0, 2, -1), (2, oo, 1)]
    assert split_interval(S(-3), S(-2), [S(0)], 1) == [(-3, -2, -1)]


def test_signs():
    assert sign_of(s + 1) == 1 and sign_of(-s) == -1 and sign_of(a - a) == 0
    assert order((1 - a) / b, (-1 - a) / b) == 1
    assert order(-oo, a) == -1 and order(a, -oo) == 1
    with pytest.raises(OutsideClass):
        order(a, c)


def test_roots_of_quotients():
    n, m = symbols("n m", negative=True)
    assert root_of(-2 * n) == sqrt(-2 * n) and root_of(-2 * n).subs(n, -2) == 2
    assert root_of((4 + 2 * s) / (1 + s)) == sqrt(2) * sqrt(2 + s) / sqrt(1 + s)
    assert root_of(s**2 + 2 * s + 1) == 1 + s
    cases = {n * m / (1 - n): {n: -3, m: -5}, (a - 3) / (c - 2): {a: 1, c: -1}, n / (m - s): {n: -1, m: -2, s: 3}}
    for x, at in cases.items():
        assert root_of(x).subs(at) == sqrt(x.subs(at))


def test_roots_of_parameters():
    rho = symbols("rho", real=True)
    root = Roots(sqrt(1 - rho**2) * z + rho, {z})
    (symbol,) = root.known
    masked = root.masked(1 / sqrt(1 - rho**2) + (1 - rho**2) ** 2)
    assert masked == 1 / symbol + symbol**4
    assert tidy(masked * symbol + rho**2 * symbol) == 1 + symbol**5 + symbol - symbol**3
    assert reduced(1 + rho**2 / symbol**2) == 1 / symbol**2
    assert canonical(rho / (rho - 1 + symbol**2)) == reduced(1 / (1 - rho))
    assert root.unmasked(masked) == 1 / sqrt(1 - rho**2) + (1 - rho**2) ** 2
    assert not Roots(sqrt(1 + rho**2) * z, {z}).known      # known to be positive as it is


def test_pieces_of_nested_kinks():
    lower, upper = (-1 - a) / b, (1 - a) / b
    pieces = smooth_pieces(Max(-1, Min(1, a + b * z)), z)
    assert [p[2] for p in pieces] == [-1, a + b * z, 1]
    assert order(pieces[1][0], lower) == 0 and order(pieces[1][1], upper) == 0


def test_pieces_cover_the_line():
    pieces = smooth_pieces(Abs(Abs(z) - 1) + sign(z - 3) + Piecewise((z, z < 5), (1, True)), z)
    assert pieces[0][0] == -oo and pieces[-1][1] == oo
    assert all(left[1] == right[0] for left, right in zip(pieces, pieces[1:]))
    for lo, hi, smooth in pieces:
        at = (max(lo, S(-9)) + min(hi, S(9))) / 2
        whole = Abs(Abs(at) - 1) + sign(at - 3) + (at if at < 5 else 1)
        assert smooth.subs(z, at) == whole


def test_normal_form():
    form = normal_form((1 + z) * exp(-s * z**2 + z), z)
    assert form == {TermShape(A=-s, B=S(1)): {0: (1, 0), 1: (1, 0)}}
    assert normal_form(sin(z) ** 2 + cos(z) ** 2, z) == {TermShape(): {0: (1, 0)}}
    assert normal_form(sin(-a * z) + sin(a * z), z) == {}
    (shape,) = normal_form(erf(a + b * z) * z, z)
    assert shape.factors == (("erf", b, a),)
