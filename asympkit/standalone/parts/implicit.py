"""Functions through inner unknowns, with derivatives (copied into standalone modules)."""

import numpy as np

from .linear import eliminate


def implicit(start, positive, at, *inputs):
    """Return a row of functions of ``at``, and one of their derivatives by each of its entries; NaN where none are
    found.

    The inner unknowns are a fixed point of maps.  Derivatives are imaginary parts at complex steps so small that they
    are exact.
    """
    n, tiny = start.size, 1e-30
    x, here, slopes = start.astype(np.complex128), at.astype(np.complex128), np.zeros((n, n))
    settled, stood, before = False, 0, np.inf
    for _ in range(300):
        maps = implicit_maps(x, here, *inputs).real        # noqa: F821
        for j in range(n):
            moved = x.copy()
            moved[j] += 1j * tiny
            slopes[:, j] = -implicit_maps(moved, here, *inputs).imag / tiny        # noqa: F821
            slopes[j, j] += 1.0
        if settled:
            break
        step, singular = eliminate(slopes, x.real - maps)
        largest, small = 0.0, 0.0
        for i in range(n):
            size = abs(step[i])
            largest = max(largest, size / x[i].real if positive[i] else 0.0)
            small = max(small, size / (x[i].real if positive[i] else 1.0 + abs(x[i].real)))
        if singular or not largest <= 0.5:                # half-way to the maps leads there from afar
            x = 0.5 * (x + maps)
            continue
        x = x - step
        stood, before = stood + 1 if small <= 1e-9 and small >= before else 0, small
        settled = small <= 1e-9 or stood >= 2
    out = np.full((1 + at.size, implicit_forms(x, here, *inputs).size), np.nan)        # noqa: F821
    if settled:
        for k in range(at.size):
            there = here.copy()
            there[k] += 1j * tiny
            step, _ = eliminate(slopes, implicit_maps(x, there, *inputs).imag / tiny)        # noqa: F821
            found = implicit_forms(x + 1j * tiny * step, there, *inputs)        # noqa: F821
            out[0], out[1 + k] = found.real, found.imag / tiny
    return out
