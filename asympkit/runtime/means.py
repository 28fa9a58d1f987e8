"""Conditional Gaussian means of functions of an activation (numpy only; copied into generated modules)."""

import numpy as np

from .rules import gauss_legendre, trapezoid

_CUT = 9.5
_ROUNDING = 16 * np.finfo(float).eps


def normal_means(function, offset, slope, functional):
    r"""Means over z ~ N(0,1) of quantities ``functional(z, s, at)``, ``s = function(offset + slope z)``.

    Parameters
    ----------
    function : object
        Callable on arrays, with an attribute ``kinks_float``: where it is not smooth.
    offset : ndarray, shape (K,)
    slope : float
        Non-negative.
    functional : callable
        ``functional(z, s, at)`` returns a tuple of arrays; ``at(column)`` picks the entries of a column
        (shape (K,)) that belong to the rows being computed.

    Returns
    -------
    means : list of ndarray, shape (K,)
    error : float
        Estimated from the change at the last refinement, relative to the mean absolute integrand.

    Notes
    -----
    Where :math:`|a|\le b` the shift is moved to the weight,
    :math:`E F(z,\sigma(a+bz)) = E[F(z-a/b,\sigma(bz))\,e^{az/b-a^2/2b^2}]`, and the value at :math:`a=0` is
    separated from the increment.  The mean of an odd activation then vanishes exactly at :math:`a=0`
    and keeps its relative accuracy for every small :math:`a`.  A value at :math:`a=0` below sixteen
    roundings of the integrand is zero: it cannot be told from zero in double precision.  So is the mean
    of a square below the square of that, such as the residual variance of a linear activation.
    """
    offset = np.asarray(offset, dtype=float)
    slope = float(slope)
    near = np.abs(offset) <= slope
    if slope == 0.0:
        near = np.zeros_like(near)
    scale = float(np.max(function(offset) ** 2)) + float(np.max(function(slope * np.arange(-3.0, 4.0)) ** 2))
    previous, error = None, np.inf
    for level in range(9):
        parts = {}
        if near.any():
            parts["near"] = _shifted(function, offset[near], slope, functional, near, level)
        if not near.all():
            parts["far"] = _direct(function, offset[~near], slope, functional, ~near, level)
        values, scales, square = _assemble(parts, near, scale)
        values = [np.where(np.abs(v) <= _ROUNDING**2 * scale, 0.0, v) if q else v for v, q in zip(values, square)]
        if previous is not None:
            before, error = error, max(float(np.max(np.abs(v - p) / s))
                                       for v, p, s in zip(values, previous, scales))
            if error <= (1e-13 if len(function.kinks_float) else 1e-10):
                break
            if error <= 1e-10 and error > 0.2 * before:      # rounding has been reached
                error = 1e-14
                break
        previous = values
    # the error of the trapezoidal rule squares when the step is halved
    return values, error if len(function.kinks_float) or error > 1e-3 else error**2


def _assemble(parts, near, scale):
    count = len(next(iter(parts.values()))[0])
    values, scales = [], []
    square = [all(p[2][k] for p in parts.values()) for k in range(count)]
    for k in range(count):
        v, s = np.empty(near.shape), np.empty(near.shape)
        if "near" in parts:
            v[near], s[near] = parts["near"][0][k], parts["near"][1][k]
        if "far" in parts:
            v[~near], s[~near] = parts["far"][0][k], parts["far"][1][k]
        values.append(v)
        # squares of pure rounding (the residual of a linear activation) have no digits to refine
        scales.append(np.maximum(s, max(1e-3 * s.max(), 1e-24 * scale, np.finfo(float).tiny)))
    return values, scales, square


def _rule(kinks, cut, level):
    """Nodes and weights common to all rows."""
    if not len(kinks):
        return trapezoid(0.25 / 2**level, cut)
    return gauss_legendre(_edges(np.asarray(kinks, float), cut, level), 16)


def _edges(kinks, cut, level):
    """Panel edges with the kinks among them, one row per row of kinks."""
    panels = 8 * 2**level
    base = np.linspace(-cut, cut, panels + 1)
    base = np.broadcast_to(base, (*kinks.shape[:-1], panels + 1))
    return np.sort(np.concatenate([base, np.clip(kinks, -cut, cut)], axis=-1), axis=-1)


def _folded_sum(terms):
    """Sum over the last axis in pairs from both ends: odd terms on symmetric nodes cancel exactly."""
    half = terms.shape[-1] // 2
    total = (terms[..., :half] + terms[..., ::-1][..., :half]).sum(axis=-1)
    return total + terms[..., half] if terms.shape[-1] % 2 else total


def _shifted(function, offset, slope, functional, rows, level):
    kinks = np.asarray(function.kinks_float, float) / slope
    z0, w = _rule(kinks, _CUT + 1.0, level)
    s = function(slope * z0)
    shift = (offset / slope)[:, None]
    growth = np.expm1(shift * z0 - 0.5 * shift**2)

    def at(column):
        return np.asarray(column)[rows][:, None]

    values, scales, square = [], [], []
    base = functional(np.broadcast_to(z0, growth.shape), s, at)
    moved = functional(z0 - shift, s, at)
    for f0, f1 in zip(base, moved):
        centre = _folded_sum(np.broadcast_to(w * f0, growth.shape))
        size = (w * np.abs(f0)).sum(axis=-1)
        centre = np.where(np.abs(centre) <= _ROUNDING * size, 0.0, centre)
        values.append(centre + _folded_sum(np.broadcast_to(w * (f1 * growth + (f1 - f0)), growth.shape)))
        scales.append((w * np.abs(f1) * (1.0 + growth)).sum(axis=-1))
        square.append(bool(np.all(f1 >= 0.0)))
    return values, scales, square


def _direct(function, offset, slope, functional, rows, level):
    kinks = np.asarray(function.kinks_float, float)
    a = offset[:, None]
    if len(kinks) and slope > 0.0:
        z, w = gauss_legendre(_edges((kinks - a) / slope, _CUT, level), 16)
    else:
        z, w = trapezoid(0.25 / 2**level, _CUT)
    s = function(a + slope * z)

    def at(column):
        return np.asarray(column)[rows][:, None]

    values, scales, square = [], [], []
    for f in functional(z, s, at):
        terms = np.broadcast_to(w * f, s.shape)
        values.append(_folded_sum(terms))
        scales.append(np.abs(terms).sum(axis=-1))
        square.append(bool(np.all(f >= 0.0)))
    return values, scales, square
