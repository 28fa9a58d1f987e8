r"""Means of products of one function at two correlated normals, for functions that are smooth, steep, or oscillate.

:math:`E f(sX)f(tY)=\sum_k c_k(s)c_k(t)\rho^k`, :math:`c_k(s)=E f(sZ)h_k(Z)` (Mehler); what K terms leave out is at
most :math:`|\rho|^K\sqrt{R_sR_t}`, :math:`R_s=E f^2-\sum_{k<K}c_k^2`.  Pairs with correlations near 1 and -1 that need
more terms are averaged over sums and differences of the normals.  Unlike lattices, on which oscillations alias, the
panels of both resolve the function itself, point by point.
"""

import numpy as np

from ...errors import ConvergenceError
from .averages import Integrands, hermite_functions
from .row_moments import chunks, panels_of_rows

#: numbers of terms that are tried, and terms that are added up at once
_TERMS, _BLOCK = (256, 1024, 4096), 256
#: steps of the lattices of differences, none a multiple of another, and the largest one
_STEPS = 0.25 * 0.6 ** np.arange(10)
#: largest error, relative to the root of the product of both second moments, and of values at points
_AIM, _RESOLVED = 3e-14, 3e-13
#: nodes of a panel, the widest one, and over how much phase of a Hermite polynomial it reaches
_ORDER, _WIDEST, _PHASE = 16, 0.5, 8.0
#: most panels, pairs that are summed together, and function values that one call adds up
_MAX_PANELS, _ROWS, _BUDGET = 4000, 100, 1e9


def pair_series(f, s, t, rho):
    """Return ``E f(s X) f(t Y)`` row by row at the correlations rho, with errors below 1e-13 of the sizes.

    ConvergenceError if a function that is steep, or oscillates, needs more panels, terms or values than there are.
    """
    out, left = np.empty(rho.size), []
    for start in range(0, rho.size, _ROWS):
        rows = np.arange(start, min(start + _ROWS, rho.size))
        left += _by_terms(f, s[rows], t[rows], rho[rows], rows, out)
    spent = 0
    for k, edges, size in left:
        before = np.inf
        for step in _STEPS:
            nodes = 2 * edges[-1] / step * 2 * _ORDER * edges.size
            value = np.nan if spent + nodes > _BUDGET else _by_differences(f, s[k], t[k], rho[k], edges, step)
            spent += nodes
            if not abs(value - before) > _AIM * size:
                break
            before = value
        else:
            value = np.nan
        if np.isnan(value):
            raise ConvergenceError(
                f"quadrature: averages of products of {f.name!r:.200} at the correlation {rho[k]:.10g} and the "
                f"variances {s[k]**2:.6g}, {t[k]**2:.6g}, one of {len(left)} pairs that need fine rules, do not "
                f"converge within {_BUDGET:.0e} values; expected fewer pairs, or smaller variances")
        out[k] = value
    return out


def _by_terms(f, s, t, rho, rows, out):
    """Write values of pairs whose series ends; yield the rows of others, with edges of panels and sizes."""
    left, edges = np.arange(rho.size), None
    for terms in _TERMS:
        lengths, places = np.unique(np.concatenate([s[left], t[left]]), return_inverse=True)
        i, j = places.reshape(2, -1)
        edges = _edges(f, lengths, terms, edges)
        z, root, values = _at_nodes(f, lengths, edges)
        second, r = (values**2).sum(axis=1), rho[left]
        total, known = np.zeros(left.size), np.zeros(lengths.size)
        series = hermite_functions(root, z, terms - 1)
        for first in range(0, terms, _BLOCK):
            each = values @ np.array([next(series) for _ in range(_BLOCK)]).T
            known += (each**2).sum(axis=1)
            total += (each[i] * each[j] * r[:, None] ** np.arange(first, first + _BLOCK)).sum(axis=1)
        edge = np.abs(r) == 1
        if edge.any():                      # equal and opposite arguments need no series
            other = np.where((r > 0)[:, None], values[j], _at_nodes(f, -lengths, edges)[2][j])
            total[edge] = (values[i] * other).sum(axis=1)[edge]
        rest, size = np.maximum(second - known, 4 * np.finfo(float).eps * second), np.sqrt(second[i] * second[j])
        good = edge | (np.abs(r) ** terms * np.sqrt(rest[i] * rest[j]) <= _AIM * size)
        out[rows[left[good]]] = total[good]
        left, size = left[~good], size[~good]
        if not left.size:
            return
    for k, of_pair in zip(left, size):
        yield rows[k], _edges(f, np.unique([s[k], t[k]]), 1, None), of_pair


def _by_differences(f, s, t, rho, edges, step):
    """Return the mean over panels of the sum of X and Y or -Y, on a lattice of their difference, which is small."""
    sign, count = np.sign(rho), int(np.ceil(edges[-1] / step))
    a, b = np.sqrt((1 + abs(rho)) / 2), np.sqrt((1 - abs(rho)) / 2)
    v = step * np.arange(-count, count + 1)[:, None]
    total = 0.0
    for part in chunks(len(v), 2 * _ORDER * edges.size):
        apart = b * v[part]
        points = np.concatenate([(edges - apart) / a, (sign * edges + apart) / a], axis=1)
        u, weights = panels_of_rows(edges[-1], 2 * _WIDEST, points)
        inner = (weights * f(s * (a * u + apart)) * f(sign * t * (a * u - apart))).sum(axis=1)
        total += inner @ np.exp(-0.5 * v[part, 0] ** 2)
    return total * step / np.sqrt(2 * np.pi)


def _at_nodes(f, lengths, edges):
    """Return nodes, the root of the normal density there, and rows f times this root times the root of the weights.

    Summed products of rows are averages; the root carries the other half of the weights.
    """
    x, w = np.polynomial.legendre.leggauss(_ORDER)
    half = 0.5 * np.diff(edges)
    z = (0.5 * (edges[1:] + edges[:-1])[:, None] + half[:, None] * x).ravel()
    root = _root(z) * np.sqrt((half[:, None] * w).ravel())
    with np.errstate(all="ignore"):
        return z, root, f(lengths[:, None] * z) * root


def _root(z):
    return np.exp(-0.25 * z * z) / (2.0 * np.pi) ** 0.25


def _edges(f, lengths, terms, known):
    """Return edges of panels on which a polynomial through the nodes is f at every length, to rounding.

    A panel is kept when the polynomial through its nodes meets f at those of its two halves.
    """
    widest = min(_WIDEST, _PHASE / np.sqrt(terms))
    if known is None:
        cut = Integrands(f, ((2, 0),), 0.0, float(lengths[-1])).cut
        kinks = np.asarray(f.kinks_float, float)
        with np.errstate(all="ignore"):
            known = np.concatenate([[-cut, cut], *(kinks / length for length in lengths if length > 0)])
        known = np.unique(known[np.abs(known) <= cut])
    parts = [np.linspace(low, high, int(np.ceil((high - low) / widest)) + 1) for low, high in zip(known, known[1:])]
    edges = np.unique(np.concatenate(parts))
    x = np.polynomial.legendre.leggauss(_ORDER)[0]
    inner = np.concatenate([0.5 * (x - 1), 0.5 * (x + 1)])
    to_halves = np.polynomial.legendre.legvander(inner, _ORDER - 1) @ np.linalg.inv(
        np.polynomial.legendre.legvander(x, _ORDER - 1))
    left, right, done = edges[:-1], edges[1:], [edges]
    size = np.zeros((lengths.size, 1))
    while left.size:
        if sum(map(len, done)) + left.size > _MAX_PANELS:
            raise ConvergenceError(f"quadrature: {f.name!r:.200} oscillates too fast, or is too steep, for averages of "
                                   f"products at the variance {lengths[-1]**2:.6g}; expected a smaller variance")
        here, between = ((0.5 * (left + right)[:, None] + 0.5 * (right - left)[:, None] * at) for at in (x, inner))
        with np.errstate(all="ignore"):
            coarse, fine = (f(lengths[:, None, None] * at) * _root(at) for at in (here, between))
        if not (np.isfinite(coarse).all() and np.isfinite(fine).all()):
            raise ConvergenceError(f"quadrature: {f.name!r:.200} is not finite in double precision at normal variables "
                                   f"of variance {lengths[-1]**2:.6g}; expected a smaller variance")
        size = np.maximum(size, np.abs(fine).max(axis=(1, 2))[:, None])
        bad = (np.abs(coarse @ to_halves.T - fine).max(axis=2) > _RESOLVED * size).any(axis=0)
        middle = 0.5 * (left + right)
        bad &= (left < middle) & (middle < right)
        done.append(middle[bad])
        left, right = np.concatenate([left[bad], middle[bad]]), np.concatenate([middle[bad], right[bad]])
    return np.sort(np.concatenate(done))
