"""How rounding in the averages is amplified, unknown by unknown."""

import numpy as np


def conditioning(module, outputs, blocks):
    """Condition numbers and scales of the unknowns at one solution.

    A Newton block amplifies by the row sums of its inverse Jacobian in logarithms; a linear block
    ``A x = b`` by Skeel's number :math:`\\sum_j|A^{-1}|_{ij}(|b_j|+\\sum_k|A_{jk}x_k|)/|x_i|`, on top of the
    Newton blocks before it.

    Returns
    -------
    condition, scale : dict of str to float
    """
    values = dict(zip(module.OUTPUTS, outputs))
    condition, scale, upstream = {}, {}, 1.0
    for names, matrix, rhs, assigned in blocks:
        a = matrix[0]
        if not np.all(np.isfinite(a)):
            continue
        rows = np.abs(a).sum(axis=1)
        inverse = np.abs(np.linalg.pinv(a / np.where(rows == 0, 1.0, rows)[:, None]) / np.where(rows == 0, 1.0, rows))
        if rhs is None:
            for k, n in enumerate(names):
                condition[n] = max(1.0, float(inverse[k].sum()))
                scale[n] = abs(values[n])
            upstream = max([upstream, *(condition[n] for n in names)])
            continue
        x = np.array([values[n] for n in names])
        size = inverse @ (np.abs(rhs[0]) + np.abs(a) @ np.abs(x))
        for k, n in enumerate(names):
            scale[n] = max(float(size[k]), abs(values[n]))
            condition[n] = upstream * max(1.0, float(size[k] / abs(x[k]))) if x[k] != 0.0 else upstream
        for n, at_zero, slopes in assigned:
            parts = [float(np.ravel(at_zero)[0])]
            parts += [float(np.ravel(s)[0]) * scale[t] for s, t in zip(slopes, names)]
            scale[n] = max(float(np.abs(parts).sum()), abs(values[n]))
            condition[n] = upstream * max(1.0, float(scale[n] / abs(values[n]))) if values[n] != 0.0 else upstream
    for n in module.UNKNOWNS:
        condition.setdefault(n, upstream)
        scale.setdefault(n, abs(values[n]))
    return condition, scale
