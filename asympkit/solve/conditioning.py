"""How rounding in the averages is amplified, unknown by unknown."""

import numpy as np


def conditioning(module, outputs, blocks):
    """Condition numbers and scales of the unknowns at one solution.

    A Newton block amplifies by the row sums of its inverse Jacobian in logarithms; a linear block
    ``A x = b`` by Skeel's number :math:`\\sum_j|A^{-1}|_{ij}(B_j+\\sum_k|A_{jk}x_k|)/|x_i|`, with B the magnitude of b
    before cancellation, on top of the
    Newton blocks before it.

    Returns
    -------
    condition, scale : dict of str to float
    """
    values = dict(zip(module.OUTPUTS, outputs))
    condition, scale, upstream = {}, {}, 1.0
    for kind, names, *data in blocks:
        if kind == "explicit":
            (n,) = names
            scale[n] = float(max(np.ravel(data[0])[0], abs(values[n])))
            condition[n] = upstream * _ratio(scale[n], values[n])
            continue
        inverse = _inverse(data[0][0])
        if inverse is None:
            continue
        if kind == "newton":
            for k, n in enumerate(names):
                condition[n] = max(1.0, float(inverse[k].sum()))
                scale[n] = float(abs(values[n]))
            upstream = max([upstream, *(condition[n] for n in names)])
            continue
        matrix, sizes, assigned = data
        x = np.array([values[n] for n in names])
        size = inverse @ (np.abs(sizes[0]) + np.abs(matrix[0]) @ np.abs(x))
        for k, n in enumerate(names):
            scale[n] = float(max(size[k], abs(values[n])))
            condition[n] = upstream * _ratio(scale[n], values[n])
        for n, at_zero, slopes in assigned:
            parts = [float(np.ravel(at_zero)[0])]
            parts += [abs(float(np.ravel(s)[0])) * scale[t] for s, t in zip(slopes, names)]
            scale[n] = float(max(sum(parts), abs(values[n])))
            condition[n] = upstream * _ratio(scale[n], values[n])
    for n in module.UNKNOWNS:
        condition.setdefault(n, float(upstream))
        scale.setdefault(n, float(abs(values[n])))
    return condition, scale


def _ratio(size, value):
    return max(1.0, float(size / abs(value))) if value != 0.0 else 1.0


def _inverse(matrix):
    """Absolute values of the inverse, rows scaled first; a vanishing row has a vanishing column."""
    if not np.all(np.isfinite(matrix)):
        return None
    if matrix.size == 1:
        return np.abs(np.divide(1.0, matrix, out=np.zeros_like(matrix), where=matrix != 0.0))
    rows = np.abs(matrix).sum(axis=1)
    rows = np.where(rows == 0.0, 1.0, rows)
    return np.abs(np.linalg.pinv(matrix / rows[:, None]) / rows)
