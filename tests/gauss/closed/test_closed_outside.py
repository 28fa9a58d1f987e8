"""What the rules cannot do comes back as ``None``, at once."""


import pytest
from sympy import (
    Abs,
    DiracDelta,
    Heaviside,
    I,
    Max,
    Piecewise,
    cos,
    erf,
    exp,
    floor,
    gamma,
    log,
    sign,
    sin,
    sqrt,
    symbols,
    tan,
    tanh,
)

from asympkit.gauss.closed import closed_mean
from asympkit.gauss.closed.decide import root_of

z, a, c, al = symbols("z a c alpha", real=True)
b, s, t = symbols("b s t", positive=True)
free = symbols("w")

OUTSIDE = {
    "tanh": tanh(z),
    "tanh in a sum": z + tanh(a + b * z),
    "sigmoid": 1 / (1 + exp(-z)),
    "softplus": log(1 + exp(z)),
    "log": log(1 + z**2),
    "reciprocal": 1 / (1 + z**2),
    "root": sqrt(1 + z**2),
    "tan": tan(z),
    "gamma": gamma(z),
    "floor": floor(z),
    "delta": DiracDelta(z - a),
    "exp of a cubic": exp(z**3),
    "exp(z^2)": exp(z**2),
    "exp(z^2/2)": exp(z**2 / 2),
    "growth of unknown size": exp(s * z**2),
    "growth of unknown sign": exp(a * z**2),
    "erf of a square": erf(z**2),
    "sin of a square": sin(z**2),
    "three shifted error functions": erf(z) * erf(z + 1) * erf(a + b * z),
    "four error functions": erf(z) ** 4,
    "two shifted error functions on a half line": Heaviside(z) * erf(z) * erf(z + 1),
    "sine times shifted error function": sin(z) * erf(z + 1),
    "sine off the centre": sin(z) * Heaviside(z - 1),
    "order not known": Max(0, z - a) * Max(0, z - c),
    "order of positive offsets not known": Heaviside(z - s) * Max(0, z - t),
    "slope of unknown sign": Max(0, z * a + 1),
    "kink that need not be real": Abs(z - free),
    "kink of an oscillation": Abs(cos(z)),
    "kink of an exponential": sign(exp(z) - 1 - z),
    "irreducible quintic": Abs(z**5 - z - 1),
    "branch of unknown sign": Piecewise((z, a > 0), (1, True)),
    "undefined in places": Piecewise((z, z > 0)),
    "negative base": (-2) ** z,
    "base of unknown sign": a**z,
    "symbolic power": Abs(z) ** s,
    "negative power": 1 / Abs(z),
    "fractional power": Abs(z) ** (1 / b),
    "complex": exp(I * z),
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
