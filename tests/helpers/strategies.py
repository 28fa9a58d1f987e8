"""Random activations for hypothesis: texts of the grammar, each with its own multiprecision evaluator.

The evaluator is built along with the text and shares nothing with the parser; the places where a rule of
quadrature must be split (kinks, jumps, centres of narrow features) are known because they were put there.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache

import mpmath
import numpy as np
from hypothesis import strategies as st

mp = mpmath.mp.clone()
mp.dps = 25

ORDER = 24
EDGES = (0, 1, 2, 3, 4.5, 6, 8, 10.5, 13.5, 17, 21)


@dataclass(frozen=True)
class Sample:
    """One activation: its text, its value at an mpf, and the places it is split at."""

    text: str
    call: object
    places: tuple = ()

    def __repr__(self):
        return self.text


def decimals(low, high, places=2):
    """Decimal numbers as (text, mpf): the text is in parentheses where it is negative."""
    unit = 10**places

    def number(i):
        value = Fraction(i, unit)
        text = str(float(value))
        return (f"({text})" if i < 0 else text), mp.mpf(value.numerator) / value.denominator

    return st.integers(int(low * unit), int(high * unit)).map(number)


def shifted(low, high, places=2):
    """Affine arguments ``p*(z - t)`` as (text, call, t)."""
    def build(p, t):
        return f"{p[0]}*(z - {t[0]})", (lambda x: p[1] * (x - t[1])), t[1]

    return st.builds(build, decimals(low, high, places), decimals(-2, 2))


def _sigmoid(x):
    return 1 / (1 + mp.exp(-x))


def _softplus(x):
    return mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x))


SMOOTH = {
    "tanh": mp.tanh, "erf": mp.erf, "erfc": mp.erfc, "sin": mp.sin, "cos": mp.cos, "atan": mp.atan, "sigmoid": _sigmoid,
    "softplus": _softplus, "gelu": lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2, "silu": lambda x: x * _sigmoid(x),
    "mish": lambda x: x * mp.tanh(_softplus(x)), "gaussian": lambda x: mp.exp(-x * x / 2), "identity": lambda x: x,
}
STEEP = {
    "tanh": mp.tanh, "erf": mp.erf, "atan": mp.atan, "sigmoid": _sigmoid, "softplus": _softplus,
    "gaussian": SMOOTH["gaussian"],
}
KINKED = {
    "relu": lambda x: max(x, mp.zero), "abs": abs, "leaky_relu": lambda x: x if x > 0 else x / 100,
    "elu": lambda x: x if x > 0 else mp.expm1(x), "sqrt(abs": lambda x: mp.sqrt(abs(x)),
}
JUMPING = {"sign": mp.sign, "step": lambda x: mp.mpf(x > 0)}


def _call(functions, arguments, placed):
    def build(name, u):
        text, argument, place = u
        f = functions[name]
        return Sample(f"{name}({text}){')' * name.count('(')}", lambda x: f(argument(x)), (place,) * placed)

    return st.builds(build, st.sampled_from(sorted(functions)), arguments)


def smooth():
    """Functions that vary on the scale of one."""
    exponential = st.builds(lambda p: Sample(f"exp({p[0]}*z)", lambda x: mp.exp(p[1] * x)), decimals(-1, 1))
    cubic = st.builds(lambda p, q: Sample(f"({p[0]}*z**3 + {q[0]}*z)", lambda x: p[1] * x**3 + q[1] * x),
                      decimals(-1, 1), decimals(-2, 2))
    rational = st.builds(lambda p, u: Sample(f"{p[0]}/(1 + ({u[0]})**2)", lambda x: p[1] / (1 + u[1](x) ** 2), (u[2],)),
                         decimals(0.1, 2), shifted(0.5, 2))
    return st.one_of(_call(SMOOTH, shifted(-2, 2), 0), exponential, cubic, rational)


def steep():
    """Functions that change within 1/5 to 1/900, at one place."""
    bump = st.builds(lambda p, u: Sample(f"1/(1 + ({u[0]})**2)", lambda x: 1 / (1 + u[1](x) ** 2), (u[2],)),
                     st.none(), shifted(5, 900, 0))
    return st.one_of(_call(STEEP, shifted(5, 900, 0), 1), bump)


def oscillating():
    """Sines and cosines of up to a hundred periods, and of a square."""
    squares = st.builds(lambda p: Sample(f"sin({p[0]}*z**2)", lambda x: mp.sin(p[1] * x * x)), decimals(-4, 4))
    fast = {"sin": mp.sin, "cos": mp.cos}
    return st.one_of(_call(fast, shifted(5, 90, 1), 0), squares)


def kinked():
    """Continuous functions with one or two kinks."""
    def pair(p, q):
        low, high = sorted((p, q), key=lambda t: t[1])
        return Sample(f"max({low[0]}, min({high[0]}, z))", lambda x: max(low[1], min(high[1], x)), (low[1], high[1]))

    clipped = st.builds(pair, decimals(-3, 3), decimals(-3, 3)).filter(lambda s: s.places[0] < s.places[1])
    return st.one_of(_call(KINKED, shifted(0.2, 3), 1), clipped)


def discontinuous():
    """Functions with a jump: two smooth branches."""
    def where(t, f, g):
        return Sample(f"where(z > {t[0]}, {f.text}, {g.text})", lambda x: f.call(x) if x > t[1] else g.call(x),
                      (t[1], *f.places, *g.places))

    return st.one_of(_call(JUMPING, shifted(0.2, 3), 1), st.builds(where, decimals(-2, 2), smooth(), smooth()))


def _sum(f, p, g):
    return Sample(f"{f.text} + {p[0]}*({g.text})", lambda x: f.call(x) + p[1] * g.call(x), f.places + g.places)


def _product(f, g):
    return Sample(f"({f.text})*({g.text})", lambda x: f.call(x) * g.call(x), f.places + g.places)


def _within(name, f):
    outer = SMOOTH[name]
    return Sample(f"{name}({f.text})", lambda x: outer(f.call(x)), f.places)


def activations():
    """Activations of every kind, alone, as sums, as products and inside a smooth function."""
    kinds = st.one_of(smooth(), smooth(), steep(), oscillating(), kinked(), discontinuous())
    bounded = st.sampled_from(["tanh", "erf", "sin", "sigmoid", "softplus", "atan"])
    return st.one_of(kinds, st.builds(_sum, kinds, decimals(-2, 2), smooth()), st.builds(_product, kinds, smooth()),
                     st.builds(_within, bounded, kinds))


_X, _W = np.polynomial.legendre.leggauss(ORDER)
#: rows turn values at the nodes into the last coefficients of their Legendre series
_LAST = (np.polynomial.legendre.legvander(_X, ORDER - 1)[:, -3:] * _W[:, None]).T


@lru_cache(maxsize=4096)
def nodes(left, right):
    """Nodes of a panel, and there the root of the density as floats."""
    half, middle = (right - left) / 2, (right + left) / 2
    z = [middle + half * t for t in _rule()[0]]
    return z, np.exp(-0.25 * np.array(z, dtype=float) ** 2) / (2 * np.pi) ** 0.25


@lru_cache(maxsize=4096)
def weights(left, right, top):
    """Weights of a panel times the density times h_0 .. h_top."""
    z, factor = nodes(left, right)[0], (right - left) / 2 / mp.sqrt(2 * mp.pi)
    rows = [[factor * v * mp.exp(t * t / -2) for v, t in zip(_rule()[1], z)]]
    for k in range(top):
        below, above = mp.sqrt(mp.mpf(k) / (k + 1)), 1 / mp.sqrt(k + 1)
        scaled = [above * t for t in z]
        if k:
            rows.append([t * now - below * old for t, now, old in zip(scaled, rows[k], rows[k - 1])])
        else:
            rows.append([t * now for t, now in zip(scaled, rows[0])])
    return rows


@cache
def _rule():
    from asympkit.gauss.quadrature.digits import legendre

    return legendre(mp, ORDER)


def averages(sample, moments, a=0, b=1):
    """Averages of ``s**power * h_order(z)`` over a standard normal z, with ``s`` the value at a + b z.

    ``moments`` are pairs (power, order) with orthonormal Hermite polynomials, (1, 1) being E[Z s].
    Panels are halved until the series of the value on each panel has decayed to 1e-12, which leaves its
    square and less in a rule of twice that degree.
    """
    a, b = mp.mpf(a), mp.mpf(b)
    places = sorted({(p - a) / b for p in sample.places})
    edges = {mp.mpf(d * e) for e in EDGES for d in (-1, 1)} | set(places)
    for p in places:
        edges |= {p + d * mp.mpf(8) ** -j for j in range(1, 4) for d in (-1, 1)}
    edges = sorted(e for e in edges if abs(e) <= EDGES[-1])
    # from the middle outwards: the last panels are judged against what is known of the whole
    todo = [(q, r) for q, r in zip(edges, edges[1:]) if r - q > mp.mpf(10) ** -18]
    todo.sort(key=lambda e: -abs(e[0] + e[1]))
    top = max(order for _, order in moments)
    totals, size = [mp.zero] * len(moments), mp.mpf(10) ** -200
    while todo:
        q, r = todo.pop()
        z, root = nodes(q, r)
        s = [sample.call(a + b * t) for t in z]
        left = float(r - q) * np.max(np.abs(_LAST @ (root * np.array(s, dtype=float)))) ** 2
        if left > 1e-24 * float(size) and r - q > mp.mpf(2) ** -50:
            middle = (q + r) / 2
            todo += [(q, middle), (middle, r)]
            continue
        squares, rows = [v * v for v in s], weights(q, r, top)
        size = max(size, mp.fdot(rows[0], squares))
        for k, (power, order) in enumerate(moments):
            totals[k] += mp.fdot(rows[order], s if power == 1 else squares)
    return totals
