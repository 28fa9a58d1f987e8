r"""Support and atoms of the law of a deep covariance, for numbers.

The law leaves out a point :math:`x=-\zeta_L` if and only if a real lowest penalty leads to it on a way up on which the
penalty of every level increases with the lowest one, and -y is no eigenvalue of the inputs (Silverstein and Choi, level
by level): gaps are the images of the intervals where that is so.

Moments of products and sums of free matrices: polynomials in the moments of the parts, in any numbers.  Density and
edges of the law of a deep covariance as functions that programs hold.
"""

from functools import cache
from math import comb

import numpy as np
from sympy import Function, Integer, Max, Min

from ..numbers.functions import entry, register
from ..numbers.functions.deep_chain import entries_of_shape
from ..numbers.functions.routines.deep_chain import chain_above

__all__ = ["atoms", "functions", "intervals", "moments_behind_layer"]


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

    Parameters
    ----------
    chain : tuple of sequence of float
Widths, squared slopes and remainders of the layers, eigenvalues of the inputs and their shares.

    Returns
    -------
    edges, penalties : ndarray, shape (number, 2)
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
    """Return the moments of a law from its free cumulants: ``m_n`` is the sum over s of ``k_s`` times the coefficient
    of ``t**(n-s)`` in ``M(t)**s``, M the series of moments.

    Parameters
    ----------
    cumulants : sequence
        The first ones, from that of order 1.

    Returns
    -------
    list
        As many moments.
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
        return remade, (self.shape, self.which, self.args)

    def _sympystr(self, printer):
        return f"{self.shown}({printer._print(self.args[0])})"

    def _latex(self, printer, exp=None):
        body = rf"{self.head}\left({printer._print(self.args[0])}\right)"
        return body if exp is None else rf"{body}^{{{exp}}}"


@cache
def functions(layers, masses):
    """Return the listed sympy classes of density and edge for so many layers and eigenvalues."""
    names = [f"{name}{layers}of{masses}" for name in ("DeepDensity", "DeepEdge")]
    if (found := [entry(n) for n in names])[0] is not None:
        return tuple(e.sympy_class for e in found)
    shapes = {"nargs": 1 + 3 * layers + 2 * masses, "shape": (layers, masses), "__module__": __name__}
    made = [type(n, (_OfLaw,), {**shapes, "which": k, "head": head, "shown": shown})
            for k, (n, head, shown) in enumerate(zip(names, (r"\varrho", r"D_\pm"), ("density", "edge")))]
    for record in entries_of_shape(layers, masses, *made):
        register(record)
    return tuple(made)


def remade(shape, which, arguments):
    """Rebuild an unpickled function."""
    return functions(*shape)[which](*arguments)
