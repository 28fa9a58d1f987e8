r"""The law of a deep covariance: conjugates of the levels as functions that programs hold, support, atoms, moments.

With :math:`V_\ell=\frac1{p_\ell}\mathrm{Tr}\,\Omega_\ell(1+\hat V_\ell\Omega_\ell)^{-1}` and
:math:`K_\ell=\kappa_*^2+\kappa_1^2V_{\ell-1}`,

.. math::
    V_\ell=\frac{K_\ell}{1+\hat V_\ell K_\ell},\qquad
    \hat V_{\ell-1}=\frac{p_\ell}{p_{\ell-1}}\frac{\kappa_1^2\hat V_\ell}{1+\hat V_\ell K_\ell},

so that all means follow from :math:`\hat V_0,\ldots,\hat V_{L-1}` by sums and products of positive numbers, and so do
derivatives, but for one difference in each layer.

Means with two linear denominators take no differences of nearly equal numbers.  Between two conjugates
:math:`\hat V,\hat V'` of a level all changes are proportional: with
:math:`\Delta V_\ell=-s_\ell\,\Delta\hat V_\ell` and :math:`\Delta\hat V_{\ell-1}=m_\ell\,\Delta\hat V_\ell` the chain
gives s and m of a level by those of the one below, and both have a limit where the two meet.

The law leaves out a point :math:`x=-\zeta_L` if and only if a real lowest penalty leads to it on a way up on which the
penalty of every level increases with the lowest one, and -y is no eigenvalue of the inputs (Silverstein and Choi, level
by level): gaps are the images of the intervals where that is so.  Moments of products and sums of free matrices are
polynomials in the moments of the parts.

Conjugate, density and edge are listed functions; their entries are made for every number of layers and of eigenvalues.
Arguments are the level and t, which is the conjugate of the top, or the place of a density, or of an edge the lowest
penalty near which it is stationary; then of every layer its width, :math:`\kappa_1^2` and :math:`\kappa_*^2`, and of
every eigenvalue at the bottom itself and its share.  The penalty at the top is an increasing convex function of the
lowest one wherever penalties in between are positive, so that one unknown is found by Newton's method from above.
Density and edges have no balls.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from math import comb

import numpy as np
from sympy import Add, Expr, Float, Function, Integer, Max, Min

from ..errors import ConvergenceError
from ..nodes import Named
from ..numbers.evaluation import Digits
from ..numbers.functions import entry, register
from ..numbers.functions.elementary import Entry, loaded
from ..numbers.functions.routines.deep_chain import (
    chain_above,
    chain_start,
    conjugate_below,
    deep_conjugate_batch,
    deep_density_batch,
    deep_edge_batch,
    penalty_at,
)


@dataclass(frozen=True)
class Levels:
    """Order parameters of all levels where the conjugate of the top is given, the inputs first; K is of layers alone.
    """

    Vhat: tuple[Expr, ...]
    V: tuple[Expr, ...]
    K: tuple[Expr, ...]


def levels(t, numbers, layers):
    """Return the :class:`Levels` with the conjugate t at the top."""
    conjugate = conjugate_class(layers, (len(numbers) - 3 * layers) // 2)
    Vhat = (*(conjugate(Integer(k), t, *numbers) for k in range(layers)), t)
    _, slopes, rests, inputs, shares = parts_of(layers, numbers)
    V = [Named("V0", Add(*(w * e / (1 + Vhat[0] * e) for e, w in zip(inputs, shares))))]
    K = []
    for k in range(layers):
        K.append(Named(f"K{k + 1}", rests[k] + slopes[k] * V[k]))
        V.append(Named(f"V{k + 1}", 1 / (Vhat[k + 1] + 1 / K[k])))
    return Levels(Vhat, tuple(V), tuple(K))


@cache
def conjugate_class(layers, masses):
    """Return the listed sympy class for so many layers and eigenvalues of the inputs: ``(level, t, *numbers)``."""
    name = f"DeepConjugate{layers}of{masses}"
    made = type(name, (_Conjugate,), {"nargs": 2 + 3 * layers + 2 * masses, "layers": layers, "masses": masses,
                                      "__module__": __name__})
    register(entry_of_shape(layers, masses, made))
    return made


def remade_conjugate(layers, masses, arguments):
    """Rebuild an unpickled conjugate."""
    return conjugate_class(layers, masses)(*arguments)


class _Conjugate(Function):
    """``1/zeta`` of a level of a network with t at the top; positive, increasing in t and 0 with it."""

    def __reduce_ex__(self, protocol):
        return remade_conjugate, (self.layers, self.masses, self.args)

    @classmethod
    def eval(cls, level, t, *numbers):
        if t.is_zero:
            return t
        return t if level == cls.layers else None

    def _eval_is_positive(self):
        return True if self.args[1].is_positive else None

    def _eval_is_nonnegative(self):
        return True if self.args[1].is_nonnegative else None

    def _eval_is_extended_real(self):
        return True

    def _eval_evalf(self, prec):
        return _value(self, prec) if all(a.is_number for a in self.args) else None

    def fdiff(self, argindex=1):
        """Differentiate by one pass up the levels, which eliminates those below, and one down."""
        level, t, *numbers = self.args
        found = levels(t, numbers, self.layers)
        return _rate(found, numbers, self.layers, argindex - 3)[int(level)]

    def _sympystr(self, printer):
        return f"Vhat{self.args[0]}({printer._print(self.args[1])})"

    def _latex(self, printer, exp=None):
        body = rf"\hat{{V}}_{{{self.args[0]}}}\left({printer._print(self.args[1])}\right)"
        return body if exp is None else rf"{body}^{{{exp}}}"

    def _mathml_presentation(self, printer):
        return printer._call(printer._element("mi", f"V̂{self.args[0]}"), self.args[1])


@lru_cache(maxsize=10_000)
def _value(conjugate, prec):
    """Evaluate a function of numbers once, as it occurs in many places."""
    numbers = Digits(int(prec / 3.32) + 10)
    given = [numbers.mp.convert(a._to_mpmath(prec + 20)) for a in conjugate.args[1:]]
    value = entry(type(conjugate).__name__).at_digits(numbers.mp, int(conjugate.args[0]), *given)
    return Float._new(value._mpf_, prec)


def _rate(at, numbers, layers, which):
    """Return the derivatives of all levels' conjugates by one of the numbers, or by t for ``which = -1``."""
    widths, slopes, rests, inputs, shares = parts_of(layers, numbers)
    moved = [Integer(k == which) for k in range(len(numbers))]
    by_width, by_slope, by_rest, by_input, by_share = parts_of(layers, moved)
    # derivative of the level's V: -`response` times that of its conjugate, plus `source`
    below = [1 + at.Vhat[0] * e for e in inputs]
    response = Named("s0", Add(*(w * e**2 / b**2 for e, w, b in zip(inputs, shares, below))))
    source = Add(*(dw * e / b + w * de / b**2 for e, w, de, dw, b in zip(inputs, shares, by_input, by_share, below)))
    steps = []
    for k in range(layers):
        ratio, ratio_rate = widths[k], by_width[k] / widths[k]
        if k:
            ratio, ratio_rate = ratio / widths[k - 1], ratio_rate - by_width[k - 1] / widths[k - 1]
        spread, v = 1 + at.Vhat[k + 1] * at.K[k], at.Vhat[k]
        left = Named(f"left{k + 1}", 1 - v**2 * response / ratio)
        moved_K = by_rest[k] + at.V[k] * by_slope[k] + slopes[k] * source
        gain = ratio * slopes[k] / (spread**2 * left)
        own = (v * (ratio_rate + by_slope[k] / slopes[k]) - v**2 / (ratio * slopes[k]) * moved_K) / left
        steps.append((gain, own))
        source = (moved_K - slopes[k] * response * own) / spread**2
        response = Named(f"s{k + 1}", at.V[k + 1]**2 + slopes[k] * response * gain / spread**2)
    rates = [Integer(which == -1)]
    for gain, own in reversed(steps):
        rates.insert(0, gain * rates[0] + own)
    return rates


def two_factors(j, first, second, law):
    """Return ``E D**j / ((a D + b)(c D + d))`` for j up to 2; factors ``(a, b)``."""
    (a, b), (c, d) = first, second
    one, other = law._levels(a / b), law._levels(c / d)
    widths, slopes, _, inputs, shares = parts_of(law.depth, law.numbers)
    s = Named("s0", Add(*(w * e**2 / ((1 + one.Vhat[0] * e) * (1 + other.Vhat[0] * e))
                          for e, w in zip(inputs, shares))))
    for k in range(law.depth):
        ratio = widths[k] / widths[k - 1] if k else widths[k]
        spreads = (1 + one.Vhat[k + 1] * one.K[k]) * (1 + other.Vhat[k + 1] * other.K[k])
        left = Named(f"left{k + 1}", 1 - one.Vhat[k] * other.Vhat[k] * s / ratio)
        change = Named(f"change{k + 1}", slopes[k]**2 * s * ratio / (spreads * left))      # of K, minus its slope
        s = Named(f"s{k + 1}", one.V[k + 1] * other.V[k + 1] + change / spreads)
    t, u = a / b, c / d
    if j == 2:
        return s / (b * d)
    above = 1 + change * t * u if j == 0 else other.K[-1] - change * t
    return above / (spreads * b * d)


def cube(j, a, b, law):
    r"""Return ``E D**j / (a D + b)**3`` for j up to 3, by second derivatives along the chain.

    With :math:`V_\ell''=2c_\ell` in the conjugate of the level, the chain gives c of a level by that of the one below.
    """
    at = law._levels(a / b)
    widths, slopes, _, inputs, shares = parts_of(law.depth, law.numbers)
    below = [1 + at.Vhat[0] * e for e in inputs]
    s, c = (Named(f"{name}0", Add(*(w * (e / x)**n for e, w, x in zip(inputs, shares, below))))
            for name, n in (("s", 2), ("c", 3)))
    for k in range(law.depth):
        ratio = widths[k] / widths[k - 1] if k else widths[k]
        v, x, K, slope = at.Vhat[k], at.Vhat[k + 1], at.K[k], slopes[k]
        spread = Named(f"spread{k + 1}", 1 + x * K)
        left = Named(f"left{k + 1}", 1 - v**2 * s / ratio)
        gain = Named(f"gain{k + 1}", ratio * slope / (spread**2 * left))         # of the conjugate below in this one
        rate = Named(f"rate{k + 1}", -slope * s * gain)                          # of K
        bend = Named(f"bend{k + 1}", -2 * (gain * (K + x * rate) + v * rate + v * x * slope * c * gain**2)
                     / (spread * left))
        curve = Named(f"curve{k + 1}", slope * (2 * c * gain**2 - s * bend))
        s = Named(f"s{k + 1}", at.V[k + 1]**2 - rate / spread**2)
        c = Named(f"c{k + 1}", (curve / spread - 2 * at.V[k + 1] * rate + 2 * s * (K + x * rate)) / (2 * spread))
    t = Named("t", a / b)
    if j == 3:
        return c / b**3
    if j == 2:
        return (s - t * c) / b**3
    # in the penalty z = b/a, where the resolvent is 1/(z + K)
    moved, twice = -t**2 * rate, t**4 * curve + 2 * t**3 * rate
    g = t / (1 + t * K)
    third = (1 + moved)**2 * g**3 - twice * g**2 / 2
    return third / a**3 if j == 0 else ((1 + moved) * g**2 - third / t) / a**3


#: points looked at between two eigenvalues, and steps of a bisection
_POINTS, _HALVINGS = 4000, 100


def atoms(widths, rests, inputs, shares):
    """Return the point masses, ``{place: share}``, in the law's numbers: eigenvalues of a matrix of too low a rank."""
    empty, below = sum((w for e, w in zip(inputs, shares) if e.is_zero), Integer(0)), Integer(1)
    for p, rest in zip(widths, rests):
        missing = 1 - Min(1, (1 - empty) * below / p)
        empty, below = (missing if rest.is_zero else Integer(0)), p
    return {rest: missing} if Max(missing, 0) != 0 else {}


def intervals(chain):
    """Return intervals of the continuous part, in increasing order, and the lowest penalties that lead to their ends.

    The chain holds widths, squared slopes and remainders of the layers, eigenvalues of the inputs and their shares.
    """
    runs = _joined([run for piece in _pieces(chain) for run in _runs(chain, piece)])
    gaps = sorted((-_top(chain, high), -_top(chain, low), high, low) for low, high in runs)
    found, (_, reached, _, place) = [], gaps[0]
    for low, high, at_low, at_high in gaps[1:]:
        if low > reached + 1e-9 * max(abs(low), abs(reached)):
            found.append(((reached, low), (place, at_low)))
        if high > reached:
            reached, place = high, at_high
    edges, penalties = (np.array([row[k] for row in found]) for k in (0, 1))
    return np.maximum(edges, chain[2][-1]), penalties           # up to rounding, all lie above the last remainder


def _joined(runs):
    """Join runs that meet at a penalty of 0, where at most a point mass lies."""
    near = 1e-9 * max(abs(y) for run in runs for y in run if np.isfinite(y))
    left = next((r for r in runs if -near * 1e-2 < r[1] < 0.0 or r[1] == 0.0), None)
    right = next((r for r in runs if 0.0 < r[0] < near * 1e-2), None)
    if left is None or right is None:
        return runs
    return [*(r for r in runs if r not in (left, right)), (left[0], right[1])]


def _pieces(chain):
    """Yield points of the real line between the places where a level is singular, more of them towards the ends."""
    _, _, _, inputs, shares = chain
    places = sorted({0.0, *(-float(e) for e in inputs)})
    size = max(abs(p) for p in places)
    near = np.geomspace(1e-14, 1e8, _POINTS)
    yield -near[::-1] * size + places[0]
    for low, high in zip(places, places[1:]):
        half = 0.5 * (high - low) * np.geomspace(1e-14, 1.0, _POINTS // 2)
        yield np.concatenate([low + half[low + half > low], (high - half)[::-1][1:]])
    yield places[-1] + near * size


def _rising(y, chain):
    """Return whether the penalty of every level increases with the lowest one at y."""
    widths, slopes, rests, inputs, shares = chain
    with np.errstate(all="ignore"):
        rates = [chain_above(y, widths[:n], slopes[:n], rests[:n], inputs, shares)[3]
                 for n in range(1, len(widths) + 1)]
        return np.all([rate > 0.0 for rate in rates], axis=0)


def _runs(chain, y):
    """Yield the ends of the runs where penalties increase, refined by bisection."""
    y = np.unique(y)
    rises = _rising(y, chain)
    first = np.flatnonzero(rises & ~np.concatenate([[False], rises[:-1]]))
    last = np.flatnonzero(rises & ~np.concatenate([rises[1:], [False]]))
    for a, b in zip(first, last):
        yield (_border(chain, y[a], y[a - 1]) if a else y[a],
               _border(chain, y[b], y[b + 1]) if b + 1 < y.size else y[b])


def _border(chain, inside, outside):
    for _ in range(_HALVINGS):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if _rising(middle, chain) else (inside, middle)
    return inside


def _top(chain, y):
    """Return the penalty at the top over a lowest one; the other values of the chain may be infinite."""
    with np.errstate(all="ignore"):
        return float(chain_above(y, *chain)[0])


def moments_of_cumulants(cumulants):
    """Return as many moments of a law as free cumulants are given, from that of order 1.

    ``m_n`` is the sum over s of ``k_s`` times the coefficient of ``t**(n-s)`` in ``M(t)**s``, M the series of moments.
    """
    moments, powers = [1], [[1]]            # powers[s - 1]: coefficients of M**s so far
    for n in range(1, len(cumulants) + 1):
        # a coefficient of M**s of degree n - s is known before the moment of order n
        moments.append(sum(cumulants[s - 1] * powers[s - 1][n - s] for s in range(1, n + 1)))
        powers.append([1])
        for s, row in enumerate(powers):
            while len(row) <= n - s:
                k = len(row)
                row.append(moments[k] if s == 0 else
                           sum(moments[j] * powers[s - 1][k - j] for j in range(k + 1)))
    return moments[1:]


def moments_behind_layer(moments, ratio, slope, rest):
    r"""Return the moments of ``slope W Omega W' + rest``; W has ``ratio`` random rows a column, entries 1 over columns.

    :math:`W\Omega W^\top` is a free compound Poisson law, with the free cumulants :math:`r^{n-1}m_n(\Omega)`.
    """
    product = [1, *moments_of_cumulants([ratio**k * m for k, m in enumerate(moments)])]
    return [sum(comb(n, k) * slope**k * product[k] * rest**(n - k) for k in range(n + 1))
            for n in range(1, len(product))]


class _OfLaw(Function):
    """A real function of a place and of the numbers of a law."""

    def _eval_is_extended_real(self):
        return True

    def __reduce_ex__(self, protocol):
        return remade_function, (self.shape, self.which, self.args)

    def _sympystr(self, printer):
        return f"{self.shown}({printer._print(self.args[0])})"

    def _latex(self, printer, exp=None):
        body = rf"{self.head}\left({printer._print(self.args[0])}\right)"
        return body if exp is None else rf"{body}^{{{exp}}}"


@cache
def functions(layers, masses):
    """Return the listed sympy classes of density and edge for so many layers and eigenvalues."""
    names = [f"{name}{layers}of{masses}" for name in ("DeepDensity", "DeepEdge")]
    shapes = {"nargs": 1 + 3 * layers + 2 * masses, "shape": (layers, masses), "__module__": __name__}
    made = [type(n, (_OfLaw,), {**shapes, "which": k, "head": head, "shown": shown})
            for k, (n, head, shown) in enumerate(zip(names, (r"\varrho", r"D_\pm"), ("density", "edge")))]
    for record in entries_of_shape(layers, masses, *made):
        register(record)
    return tuple(made)


def remade_function(shape, which, arguments):
    """Rebuild an unpickled function."""
    return functions(*shape)[which](*arguments)


# -- entries of the listed functions -----------------------------------------------------------------------------------


_BALLS = "asympkit.numbers.functions.balls"
_TEXT = '''
def {name}_{shape}({first}, {arguments}):
    """{layers} layers over {masses} eigenvalues."""
    return {name}({first}, np.array([{widths}]), np.array([{slopes}]), np.array([{rests}]), np.array([{inputs}]),
                  np.array([{shares}]))


def {name}_{shape}_batch({first}, {arguments}):
    """The same for arrays."""
    return {name}_batch({first}, ({widths},), ({slopes},), ({rests},), ({inputs},), ({shares},))
'''


def parts_of(layers, numbers):
    """Split the arguments after t into ``(widths, slopes, rests, inputs, shares)``."""
    own, rest = numbers[:3 * layers], numbers[3 * layers:]
    return own[::3], own[1::3], own[2::3], rest[::2], rest[1::2]


def source_of_shape(name, first, layers, masses):
    """Return the source of a routine that takes a chain as numbers instead of lists, and the count of these numbers."""
    arguments = [f"{n}{k}" for k in range(1, layers + 1) for n in "pas"]
    arguments += [f"{n}{k}" for k in range(1, masses + 1) for n in "ew"]
    lists = [", ".join(part) for part in parts_of(layers, [f"1.0*{a}" for a in arguments])]
    text = _TEXT.format(name=name, shape=f"{layers}_{masses}", first=first, layers=layers, masses=masses,
                        arguments=", ".join(arguments),
                        **dict(zip(("widths", "slopes", "rests", "inputs", "shares"), lists)))
    return text, len(arguments)


def entry_of_shape(layers, masses, symbol):
    """Return the :class:`Entry` of the conjugate, a sympy class, for a number of layers and of eigenvalues."""
    name = f"deep_conjugate_{layers}_{masses}"
    text, count = source_of_shape("deep_conjugate", "level, t", layers, masses)
    real, complex_ = loaded(f"{_BALLS}:deep_conjugate"), loaded(f"{_BALLS}:deep_conjugate_complex")

    def floats(level, t, *numbers):
        return deep_conjugate_batch(level, t, *parts_of(layers, numbers))

    def digits(mp, level, t, *numbers):
        return _conjugate(mp, int(level), mp.convert(t), parts_of(layers, list(map(mp.convert, numbers))))

    def balls(level, t, *numbers):
        return real(int(level), t, parts_of(layers, numbers))

    def complex_balls(level, t, *numbers):
        *numbers, _ = numbers
        return complex_(int(level), t, parts_of(layers, numbers))

    return Entry(symbol.__name__, name, f"{name}_batch", floats, digits, balls, complex_balls, source=text,
                 orders=1, arity=2 + count, symbol=symbol, spelling=None,
                 values=lambda level, t, *_: (0 if t[0] >= 0 else -float("inf"), float("inf")))


def _conjugate(mp, level, t, chain):
    if not t > 0:
        return mp.zero if t == 0 else mp.nan
    z = 1 / t
    y = chain_start(z, *chain)
    for _ in range(50 + 2 * mp.prec):
        zeta, _, _, rate, _ = chain_above(y, *chain)
        step = (zeta - z) / rate
        y = y - step
        if not step > 4 * mp.eps * y:
            return conjugate_below(level, t, y, *chain)
    return mp.nan


def entries_of_shape(layers, masses, density, edge):
    """Return the entries of two sympy classes, density and edge, for a number of layers and of eigenvalues."""
    def multiprecision(function):
        return lambda mp, x, *numbers: function(mp, mp.convert(x), parts_of(layers, list(map(mp.convert, numbers))))

    def at(function):
        return lambda x, *numbers: function(np.asarray(x, dtype=float), *parts_of(layers, numbers))

    found = []
    for symbol, name, floats, digits in ((density, "deep_density", deep_density_batch, _density),
                                         (edge, "deep_edge", deep_edge_batch, _edge)):
        text, count = source_of_shape(name, "x", layers, masses)
        called = f"{name}_{layers}_{masses}"
        found.append(Entry(symbol.__name__, called, f"{called}_batch", at(floats),
                           multiprecision(digits), source=text, arity=1 + count, symbol=symbol, spelling=None))
    return found


def _density(mp, x, chain):
    """Evaluate the density by Newton's method from the root in double precision."""
    plain = [[float(v) for v in part] for part in chain]
    y = mp.mpc(complex(penalty_at(float(x), *plain)))
    if not y.imag > 0:
        return mp.zero
    for _ in range(60 + mp.prec):
        zeta, _, _, rate, _ = chain_above(y, *chain)
        step = (zeta + x) / rate
        y -= step
        if not abs(step) > abs(y) * mp.ldexp(1, 8 - mp.prec):
            break
    return max(-(1 / (chain_above(y, *chain)[2] - x)).imag / mp.pi, mp.zero)


def _edge(mp, y, chain):
    """Find the edge by the secant method: there the slope of the top penalty is 0."""
    try:
        return _stationary(mp, y, chain)
    except ZeroDivisionError:
        raise ConvergenceError("evalf: the spectrum of a deep covariance reaches 0 where its density is infinite "
                               "(layers as wide as those below them, kappastar2 = 0): a mean of this function has no "
                               "digits; expected another width, a kappastar2 that is not 0, or ak.enclose, which "
                               "integrates analytic functions along a contour") from None


def _stationary(mp, y, chain):
    before, now = y * (1 + mp.ldexp(1, -20)), y
    low = chain_above(before, *chain)[3]
    for _ in range(60 + mp.prec):
        high = chain_above(now, *chain)[3]
        if high in (low, 0):
            break
        step = high * (now - before) / (high - low)
        before, low, now = now, high, now - step
        if not abs(step) > abs(now) * mp.ldexp(1, -mp.prec // 2 - 8):
            break
    return -chain_above(now, *chain)[0]
