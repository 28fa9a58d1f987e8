"""Linear equations (copied into standalone modules)."""

import numpy as np


def eliminate(matrix, rhs):
    """Solve by elimination with scaled pivoting, and tell whether there is no solution because the matrix is singular.

    An equation 0 = 0 leaves its unknown at 0; of a singular matrix all of the solution is 0.
    """
    n = rhs.size
    a, x, singular = np.zeros((n, n + 1)), np.zeros(n), False
    for i in range(n):
        scale = 0.0
        for j in range(n):
            scale += abs(matrix[i, j])
        singular = singular or (scale == 0.0 and rhs[i] != 0.0)
        for j in range(n + 1):
            a[i, j] = (matrix[i, j] if j < n else rhs[i]) / scale if scale != 0.0 else 1.0 if i == j else 0.0
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            pivot = i if abs(a[i, k]) > abs(a[pivot, k]) else pivot
        if a[pivot, k] == 0.0:
            return x, singular or np.any(rhs != 0.0)
        for j in range(k, n + 1):
            a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
        for i in range(k + 1, n):
            ratio = a[i, k] / a[k, k]
            for j in range(k, n + 1):
                a[i, j] -= ratio * a[k, j]
    for k in range(n - 1, -1, -1):
        x[k] = a[k, n]
        for j in range(k + 1, n):
            x[k] -= a[k, j] * x[j]
        x[k] /= a[k, k]
    return x, singular


def solve_linear(matrix, rhs):
    """Solve a linear block; return the solution and its residual, relative to the terms of each equation."""
    x, _ = eliminate(matrix, rhs)
    size = np.sum(np.abs(matrix * x), axis=1) + np.abs(rhs) + 1e-300
    return x, np.max(np.abs(np.sum(matrix * x, axis=1) - rhs) / size)


def eliminate_one(matrix, rhs):
    """Solve one equation; return the solution and whether there is none."""
    a, b = matrix[0, 0], rhs[0]
    return np.full(1, b / a if a != 0.0 else 0.0), a == 0.0 and b != 0.0
