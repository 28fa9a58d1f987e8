"""Density and edges of the law of a deep covariance, for every number of layers; they have no balls.

Arguments are the place (of an edge the lowest penalty near which it is stationary), then the numbers of the law as in
:mod:`.deep_conjugate`.
"""

import numpy as np

from ...errors import ConvergenceError
from .deep_conjugate import parts_of, source_of_shape
from .entry import Entry
from .routines import deep_density as routines
from .routines.deep_conjugate import chain_above

__all__ = ["entries_of_shape"]


def entries_of_shape(layers, masses, density, edge):
    """Return the entries of two sympy classes, density and edge, for a number of layers and of eigenvalues."""
    def multiprecision(function):
        return lambda mp, x, *numbers: function(mp, mp.convert(x), parts_of(layers, list(map(mp.convert, numbers))))

    def at(function):
        return lambda x, *numbers: function(np.asarray(x, dtype=float), *parts_of(layers, numbers))

    found = []
    for symbol, name, digits in ((density, "deep_density", _density), (edge, "deep_edge", _edge)):
        text, count = source_of_shape(name, "x", layers, masses)
        called = f"{name}_{layers}_{masses}"
        found.append(Entry(symbol.__name__, called, f"{called}_batch", at(getattr(routines, f"{name}_batch")),
                           multiprecision(digits), source=text, arity=1 + count, symbol=symbol, spelling=None))
    return found


def _density(mp, x, chain):
    """Evaluate the density by Newton's method from the root in double precision."""
    plain = [[float(v) for v in part] for part in chain]
    y = mp.mpc(complex(routines.penalty_at(float(x), *plain)))
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
