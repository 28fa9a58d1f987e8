"""Numbers to compare closed forms with: quadrature split at kinks, and random parameter points."""

import random

import mpmath as mp
import numpy as np
import sympy as sp

EXTRA = {
    "Heaviside": lambda x, *_: (mp.sign(x) + 1) / 2, "Max": lambda *x: max(x), "Min": lambda *x: min(x), "Abs": abs,
}
NODES = np.polynomial.legendre.leggauss(40)


def phi(x):
    """The density of a standard normal variable."""
    return sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)


def Phi(x):
    """Its distribution function."""
    return sp.erfc(-x / sp.sqrt(2)) / 2


def point(symbols, seed):
    """Return rational values for symbols: positive ones in (0.2, 1.7), others in (-1.5, 1.5)."""
    rng = random.Random(f"{seed} {symbols}")
    low = {s: 200 if s.is_positive else -1500 for s in symbols}
    return {s: sp.Rational(rng.randrange(x, x + (1500 if x > 0 else 3000)), 1000) for s, x in low.items()}


def mean30(expr, z, kinks=(), digits=30):
    """Mean of an expression without parameters by mpmath quadrature, good to that many digits."""
    with mp.workdps(digits + 10):
        f = sp.lambdify(z, expr, [EXTRA, "mpmath"])
        kinks = [mp.mpf(sp.N(k, digits + 15)) for k in kinks]
        ends = sorted({mp.mpf(x) for x in range(-15, 16, 3)} | set(kinks))
        return mp.quad(lambda x: f(x) * mp.npdf(x), ends)


def check30(result, expr, z, values, kinks=(), digits=30):
    """Compare a closed form with quadrature at given parameter values."""
    assert result is not None
    assert z not in result.free_symbols
    assert not result.has(sp.I, sp.Integral, sp.nan)
    want = mean30(expr.subs(values), z, [sp.sympify(k).subs(values) for k in kinks], digits)
    check_number(result.subs(values), want, digits)


def check_number(result, want, digits=30):
    """Compare an expression without symbols with a number, relative to max(1, |number|)."""
    with mp.workdps(digits + 10):
        if isinstance(want, sp.Basic):
            want = mp.mpmathify(sp.N(want, digits + 10))
        got = mp.mpmathify(sp.N(result, digits + 10))
        assert abs(got - want) < mp.mpf(10) ** -digits * max(1, abs(want)), (got, want)


def mean_double(f, kinks):
    """Mean of a vectorised function in double precision, and the mean of its absolute value."""
    ends = np.unique(np.concatenate([np.arange(-14, 14.1, 1.0), [k for k in kinks if abs(k) < 14]]))
    half = np.diff(ends)[:, None] / 2
    x = ends[:-1, None] + half * (1 + NODES[0])
    weights = half * NODES[1] * np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    values = np.broadcast_to(f(x), x.shape)
    return float(np.sum(values * weights)), float(np.sum(np.abs(values) * weights))
