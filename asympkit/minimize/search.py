"""Find minima of many smooth functions of one variable at once, from values and exact derivatives.

A scan brackets every sign change of the derivative from minus to plus; the lowest candidate is refined as
a root of the derivative, and is the minimum if no point of the scan lies below it (one may, next to points at which
the function is unknown).  In a long ordered family only every sixteenth function is scanned: between two that agree the
minimum is followed by Newton's method; if they differ, or that fails, the function is scanned too.
"""

import numpy as np

#: points of a scan: of two minima closer than a twenty-fourth of the interval one may be missed
SCANNED = 25
#: scan every sixteenth function of a family of at least so many (the second number)
_STRIDE, _LONG = 16, 64
#: accuracy of a minimum, relative to it or to 1
_TOLERANCE = 1e-11
#: relative difference below which values count as equal
_SAME = 1e-8


def search(evaluate, count, low, high, scanned=SCANNED):
    """Find the minima.

    Parameters
    ----------
    evaluate : callable
        ``evaluate(index, t)`` returns values and derivatives of the functions ``index`` at the points ``t``.
    count : int
        Number of functions; neighbours are expected to be similar.
    low, high : float
        Ends of the interval.

    Returns
    -------
    t, value, at_bound, converged : ndarray, shape (count,)
    """
    t, value, curve = (np.full(count, np.nan) for _ in range(3))
    bound, good = np.zeros(count, bool), np.zeros(count, bool)

    def scan(index):
        out = _scan(evaluate, index, np.linspace(low, high, scanned))
        for array, part in zip((t, value, curve, bound, good), out):
            array[index] = part

    if count < _LONG:
        scan(np.arange(count))
        return t, value, bound, good
    known = np.unique(np.append(np.arange(0, count, _STRIDE), count - 1))
    scan(known)
    between = np.setdiff1d(np.arange(count), known)
    after = known[np.searchsorted(known, between)]
    before = known[np.searchsorted(known, between) - 1]
    share = (between - before) / (after - before)
    guess = t[before] * (1 - share) + t[after] * share
    slope = curve[before] * (1 - share) + curve[after] * share
    alike = np.abs(t[before] - t[after]) <= (high - low) / scanned
    alike &= good[before] & good[after] & ~bound[before] & ~bound[after] & (slope > 0)
    pick = between[alike]
    t[pick], value[pick], good[pick] = _follow(evaluate, pick, guess[alike], slope[alike], low, high)
    if not good.all():
        scan(np.flatnonzero(~good))
    return t, value, bound, good


def _scan(evaluate, index, grid):
    """Return minimum, value, curvature, whether at a bound, and success for some functions by a full scan."""
    rows = np.arange(index.size)
    f, d = (v.reshape(index.size, -1) for v in evaluate(np.repeat(index, grid.size), np.tile(grid, index.size)))
    step = grid[1] - grid[0]
    inside = (d[:, :-1] < 0.0) & (d[:, 1:] >= 0.0)
    score = np.where(inside, _lowest(f, d, step), np.inf)
    score = np.column_stack([np.where(d[:, 0] >= 0.0, f[:, 0], np.inf), score,
                             np.where(d[:, -1] <= 0.0, f[:, -1], np.inf)])
    score[~np.isfinite(score)] = np.inf
    best = np.argmin(score, axis=1)
    good = np.isfinite(score[rows, best])
    bound = good & ((best == 0) | (best == grid.size))
    t = np.where(best == 0, grid[0], grid[-1])
    value, curve = np.where(best == 0, f[:, 0], f[:, -1]), np.zeros(index.size)
    inner = np.flatnonzero(good & ~bound)
    if inner.size:
        k = best[inner] - 1
        ends = (grid[k], grid[k + 1], d[inner, k], d[inner, k + 1])
        t[inner], value[inner], curve[inner], good[inner] = _root(evaluate, index[inner], *ends)
    known = np.isfinite(f)
    lowest, rounding = np.where(known, f, np.inf).min(axis=1), np.spacing(np.where(known, np.abs(f), 0.0).max(axis=1))
    good &= value <= lowest + _SAME * np.abs(lowest) + 4 * rounding
    return t, value, curve, bound, good


def _lowest(f, d, step):
    """Estimate the lowest value between neighbouring points from the cubic through values and slopes."""
    left, right, dl, dr = f[:, :-1], f[:, 1:], d[:, :-1], d[:, 1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.where(dr > dl, -dl / (dr - dl), 0.5)      # root of the linear derivative
    h = s * s * (3.0 - 2.0 * s)
    return left * (1 - h) + right * h + step * (dl * s * (1 - s) ** 2 - dr * s * s * (1 - s))


def _root(evaluate, index, a, b, fa, fb):
    """Find roots of derivatives in brackets by Chandrupatla's method; return (root, value, slope, converged)."""
    out = np.full((4, index.size), np.nan)
    where = np.arange(index.size)
    t = np.clip(fa / (fa - fb), 1e-3, 1.0 - 1e-3)
    for _ in range(80):
        x = a + t * (b - a)
        value, fx = evaluate(index, x)
        same = np.sign(fx) == np.sign(fa)
        c, fc = np.where(same, a, b), np.where(same, fa, fb)
        b, fb = np.where(same, b, a), np.where(same, fb, fa)
        a, fa = x, fx
        width = np.abs(b - a)
        tolerance = _TOLERANCE * np.maximum(1.0, np.abs(a))
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (fb - fa) / (b - a)
            near = np.abs(fa / slope)
            done = (width <= tolerance) | (fa == 0.0) | ((near <= 0.1 * tolerance) & (np.abs(c - a) < 1e-3))
            out[:, where[done]] = np.stack([a, value, slope, np.isfinite(fa)])[:, done]
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            quadratic = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
            step = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
            limit = 0.5 * tolerance / width
        t = np.clip(np.where(quadratic & np.isfinite(step), step, 0.5), limit, 1 - limit)
        keep = ~done & np.isfinite(fa)
        if not keep.any():
            break
        where, index = where[keep], index[keep]
        a, b, fa, fb, t = a[keep], b[keep], fa[keep], fb[keep], t[keep]
    return out[0], out[1], out[2], out[3] == 1.0


def _follow(evaluate, index, t, slope, low, high):
    """Run Newton's method with the slope of the neighbours, then of the secant; return (root, value, converged)."""
    out, good = np.full((2, index.size), np.nan), np.zeros(index.size, bool)
    where, before = np.arange(index.size), None
    for _ in range(8):
        value, d = evaluate(index, t)
        if before is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                secant = (d - before[1]) / (t - before[0])
            slope = np.where(np.isfinite(secant) & (secant > 0.0), secant, slope)
        step = d / slope
        # the next step estimates the error of this point
        done = np.abs(step) <= _TOLERANCE * np.maximum(1.0, np.abs(t))
        out[:, where[done]] = np.stack([t, value])[:, done]
        good[where[done]] = True
        following = t - step
        keep = ~done & (following > low) & (following < high)
        if not keep.any():
            break
        before = t[keep], d[keep]
        where, index, t, slope = where[keep], index[keep], following[keep], slope[keep]
    return *out, good
