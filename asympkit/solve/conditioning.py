"""Condition numbers of a solution: what rounding leaves of each number, by the inverse matrices of its blocks."""

import numpy as np

from ..tolerances import MEASURED, ROUNDING

__all__ = ["ZERO", "conditioning", "measure_amplification"]

#: condition from which on a number that cancels is 0 to rounding
_VANISHED = 1e13
#: errors within which an unknown is 0
ZERO = 10.0


def conditioning(module, outputs, blocks, is_measured=False, has_units=False, auxiliary=()):
    r"""Compute condition numbers of all outputs at a solution, scales of unknowns, and what rounding leaves of these.

    A Newton block amplifies by its inverse Jacobian, in logarithms of positive unknowns, times the sizes of its
    equations before cancellation; a linear block ``A x = b`` by Skeel's number
    :math:`\sum_j|A^{-1}|_{ij}(B_j+\sum_kC_{jk}|x_k|)/|x_i|`, with B and C the magnitudes of b and A before
    cancellation, on top of the Newton blocks before it.

    With ``has_units`` unknowns are of order 1 or vanish, and one that cancels is judged relative to 1. ``auxiliary``
    unknowns enter the equations of their own block alone, which its inverse Jacobian has counted. With ``is_measured``,
    where refinement shows how far rounding moves the solution, only a matrix that is singular to rounding counts;
    without, every loss of more than half the digits.

    Return ``condition`` (infinite for derivatives that lose their digits), ``scale`` and ``amplified`` by name: the
    last is the factor by which the rounding of a block's own terms is amplified, relative to the unknown's scale; of a
    linear block, by its unknowns together, how near its matrix is to a singular one, whatever the units.
    """
    values = dict(zip(module.OUTPUTS, outputs))
    sizes_of = {names: data for kind, names, *data in blocks if kind == "sizes"}
    condition, scale, amplified, upstream = {}, {}, {}, 1.0

    def judge(n, size, plain=None):
        """Return ``size``: what rounding is relative to; ``plain``: the same without the cancellation inside the
        matrix."""
        value = abs(float(values[n]))
        scale[n] = max(float(size if plain is None else plain), value)
        condition[n] = upstream * _ratio(max(float(size), value), value)
        amplified[n] = _ratio(max(float(size), value), scale[n])

    for kind, names, *data in blocks:
        if kind == "sizes":
            continue
        if kind == "lost":
            condition[names[0]] = np.inf if float(np.ravel(data[0])[0]) > 0 else condition.get(names[0], upstream)
            continue
        if kind == "explicit":
            value, error = abs(float(values[names[0]])), float(np.ravel(data[0])[0])
            if names[0] not in module.OBSERVABLES:
                judge(names[0], error)
            # of a sum that came out as 0 no digit is known
            condition[names[0]] = upstream * _ratio(max(error, value), value) if value or not error else np.inf
            continue
        inverse = _inverse(data[0][0])
        if inverse is None:
            continue
        if kind == "newton":
            # without cancellation: maps of positive unknowns
            sizes, positive = sizes_of.get(names, ([1.0] * len(names), [True] * len(names)))
            size = _product(inverse, np.array([float(np.ravel(x)[0]) for x in sizes]))
            for k, (n, is_log) in enumerate(zip(names, positive)):
                value = abs(float(values[n]))
                is_builtin = is_log or not has_units and value > ZERO * ROUNDING * size[k]
                own = value if is_builtin else max(value, min(1.0, size[k]))
                scale[n] = own
                condition[n] = max(1.0, float(size[k])) if is_log else _ratio(size[k], value)
                amplified[n] = condition[n] if is_log else _ratio(size[k], own)
            upstream = max([upstream, *(measure_amplification(n, condition, amplified) for n in names
                              if n not in auxiliary)])
            continue
        matrix, sizes, assigned, *matrix_sizes = data
        matrix = np.abs(matrix[0])
        whole = matrix_sizes[0][0] if matrix_sizes else matrix
        near_singular = (MEASURED if is_measured else 1.0) * float(np.max(np.diag(inverse @ whole)))
        amplified[names] = near_singular if near_singular == near_singular else np.inf
        x, sizes = np.abs(np.array([values[n] for n in names])), np.abs(sizes[0])
        for n, size, plain in zip(names, _product(inverse, sizes + whole @ x), _product(inverse, sizes + matrix @ x)):
            judge(n, size, plain)
        for n, at_zero, slopes in assigned:
            parts = [float(np.ravel(at_zero)[0])]
            parts += [abs(float(np.ravel(s)[0])) * scale[t] for s, t in zip(slopes, names)]
            judge(n, sum(parts))
    for n in module.UNKNOWNS:
        condition.setdefault(n, float(upstream))
        scale.setdefault(n, float(abs(values[n])))
    for n in module.OBSERVABLES:
        condition.setdefault(n, float(upstream))
    return condition, scale, amplified


def measure_amplification(name, condition, amplified):
    """Return the amplification that others feel of an unknown: of one that is 0 to rounding that of its terms."""
    return amplified[name] if condition[name] > _VANISHED else condition[name]


def _ratio(size, value):
    return max(1.0, float(size / abs(value))) if value != 0.0 else 1.0


def _product(inverse, sizes):
    """Return the inverse times sizes; what vanishes exactly has no rounding, whatever amplifies it."""
    return np.where(sizes == 0.0, 0.0, inverse) @ sizes


def _inverse(matrix):
    """Return absolute values of the inverse, rows scaled first; a vanishing row has a vanishing column."""
    if not np.all(np.isfinite(matrix)):
        return None
    if matrix.size == 1:
        return np.abs(np.divide(1.0, matrix, out=np.zeros_like(matrix), where=matrix != 0.0))
    rows = np.abs(matrix).sum(axis=1)
    if not rows.all():
        rows = np.where(rows == 0.0, 1.0, rows)
        return np.abs(np.linalg.pinv(matrix / rows[:, None]) / rows)
    try:
        return np.abs(np.linalg.inv(matrix / rows[:, None]) / rows)
    except np.linalg.LinAlgError:
        return np.full(matrix.shape, np.inf)
