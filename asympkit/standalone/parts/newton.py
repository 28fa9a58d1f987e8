"""Newton's method (copied into standalone modules): for equations in general, and for maps of the unknowns."""

import numpy as np

from .linear import eliminate


def newton(start, in_logarithm, low, high, plain, *inputs):
    """Run Newton's method, in the logarithm of some unknowns and inside open intervals; return (x, moved,
    iterations).

    ``moved`` is not 0 where steps did not become small.  A step that does not reduce the residual, in units of the
    rows of the matrix, is halved.
    """
    n, best, last, before, stood, halvings = start.size, np.inf, np.inf, np.inf, 0, 0
    x, origin, step, weight, singular = start.copy(), start.copy(), np.zeros(n), np.ones(n), False
    for k in range(100 + plain):
        residuals, slopes = equations(x, *inputs)        # noqa: F821
        halved = best < np.inf and last > 1e-6 and halvings < 25
        halved = halved and not np.max(np.abs(residuals) * weight) <= best
        halvings = halvings + 1 if halved else 0
        if halved:
            step *= 0.5
        else:
            origin[:] = x
            step, singular = eliminate(slopes, residuals)
            weight = 1.0 / (np.sum(np.abs(slopes), axis=1) + 1e-300)
            best = np.max(np.abs(residuals) * weight)
        largest, small = 0.0, 0.0
        for i in range(n):
            if singular and not halved:           # away from here
                step[i] = 0.5 if in_logarithm[i] else 0.1 + 0.1 * abs(x[i])
            if np.isnan(step[i]):
                return x, np.inf, k + 1
            if not (in_logarithm[i] or residuals[i] or np.any(slopes[i]) or np.any(slopes[:, i])):
                step[i] = x[i]                    # no equation holds it: the solution of least norm
            if in_logarithm[i]:
                step[i] = min(max(step[i], -3.0), 3.0)
            u = origin[i] * np.exp(-step[i]) if in_logarithm[i] else origin[i] - step[i]
            u = min(max(u, origin[i] - 0.9 * (origin[i] - low[i])), origin[i] + 0.9 * (high[i] - origin[i]))
            border, size = min(abs(u), min(u - low[i], high[i] - u)) + 1e-300, abs(step[i])
            largest = max(largest, size * abs(u) / border if in_logarithm[i] else size / border)
            small = max(small, size if in_logarithm[i] else size / (1.0 + abs(u)))
            x[i] = u
        if not halved:
            stood = stood + 1 if small <= 1e-9 and small >= before else 0
            last, before = largest, small
            if last <= 1e-9 or stood >= 2:
                return x, 0.0, k + 1
    return x, last, k + 1


def newton_of_maps(start, in_logarithm, low, high, plain, *inputs):
    """Run Newton's method for maps after plain iteration: x, a number that is 0 if steps became small, their
    number."""
    x, largest, before, stood = start.copy(), np.inf, np.inf, 0
    for k in range(100 + plain):
        residuals, slopes, maps = equations(x, *inputs)        # noqa: F821
        if k < plain:
            x[:] = maps
            continue
        step, singular = eliminate(slopes, residuals)
        largest, small = 0.0, 0.0
        for i in range(x.size):
            s = (0.5 if in_logarithm[i] else 0.1 + 0.1 * abs(x[i])) if singular else step[i]
            if np.isnan(s):
                return x, np.inf, k + 1
            s = min(max(s, -3.0), 3.0) if in_logarithm[i] else s
            u = x[i] * np.exp(-s) if in_logarithm[i] else x[i] - s
            u = min(max(u, x[i] - 0.9 * (x[i] - low[i])), x[i] + 0.9 * (high[i] - x[i]))
            border = min(abs(u), min(u - low[i], high[i] - u)) + 1e-300
            largest = max(largest, abs(s) * abs(u) / border if in_logarithm[i] else abs(s) / border)
            small = max(small, abs(s) if in_logarithm[i] else abs(s) / (1.0 + abs(u)))
            x[i] = u
        stood, before = stood + 1 if small <= 1e-9 and small >= before else 0, small
        if largest <= 1e-9 or stood >= 2:
            return x, 0.0, k + 1
    return x, largest, k + 1
