"""Small linear systems with rows scaled, exact zero rows allowed, and the residual reported.

The scalar forms are compiled into kernels; the ``batch`` forms act on arrays of systems.
"""

import numpy as np

#: relative residual above which a row is corrected by iterative refinement, the most repetitions, and the part of their
#: first size below which terms of a row are zeros: corrections leave rounding of rounding
ROUGH, MOST_CORRECTIONS, ZEROS = 1e-13, 3, 1e-30


def solve_linear_1(a, b):
    """Solve ``a x = b``; x = 0 if a vanishes exactly.  Returns (x, scaled residual)."""
    if a == 0.0:
        return 0.0, (0.0 if b == 0.0 else 1.0)
    x = b / a
    return x, abs(a * x - b) / (abs(a * x) + abs(b) + 1e-300)


def solve_linear_2(a11, a12, a21, a22, b1, b2):
    """Solve a 2 x 2 system by elimination with scaled pivoting.

    A row that vanishes exactly leaves its unknown at 0 (the minimum norm choice); if its right-hand
    side does not vanish the residual is 1.  Returns (x1, x2, scaled residual).
    """
    s1, s2 = abs(a11) + abs(a12), abs(a21) + abs(a22)
    if s1 == 0.0 or s2 == 0.0:
        x1 = 0.0 if s1 == 0.0 or a11 == 0.0 else b1 / a11
        x2 = 0.0 if s2 == 0.0 or a22 == 0.0 else b2 / a22
    elif abs(a11) * s2 >= abs(a21) * s1:
        ratio = a21 / a11
        pivot = a22 - ratio * a12
        x2 = (b2 - ratio * b1) / pivot if pivot != 0.0 else 0.0
        x1 = (b1 - a12 * x2) / a11
    else:
        ratio = a11 / a21
        pivot = a12 - ratio * a22
        x2 = (b1 - ratio * b2) / pivot if pivot != 0.0 else 0.0
        x1 = (b2 - a22 * x2) / a21
    e1 = abs(a11 * x1 + a12 * x2 - b1) / (abs(a11 * x1) + abs(a12 * x2) + abs(b1) + 1e-300)
    e2 = abs(a21 * x1 + a22 * x2 - b2) / (abs(a21 * x1) + abs(a22 * x2) + abs(b2) + 1e-300)
    return x1, x2, max(e1, e2)


def solve_linear_n(matrix, rhs):
    """Solve an n x n system by elimination with scaled pivoting; exact zero rows give 0.

    Returns (x, scaled residual); the arguments are not changed.  Entries may be numbers of any kind, as objects.
    """
    factors, order = factor_linear_n(matrix)
    return solve_factored_n(matrix, factors, order, rhs)


def factor_linear_n(matrix):
    """Factor a matrix, for any number of right-hand sides.

    Returns (factors, order): multipliers below the diagonal and the eliminated rows on and above it; the permutation
    of rows, those that vanish exactly as -1 minus their number.
    """
    n = matrix.shape[0]
    a, order = 1.0 * matrix, np.arange(n)               # a copy, of floats if integers are given
    scale = np.zeros(n, a.dtype)
    for i in range(n):
        for j in range(n):
            scale[i] += abs(a[i, j])
        if scale[i] == 0.0:
            a[i, i], scale[i], order[i] = 1.0, 1.0, -1 - i
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i, k]) * scale[best] > abs(a[best, k]) * scale[i]:
                best = i
        if best != k:
            for j in range(n):
                a[k, j], a[best, j] = a[best, j], a[k, j]
            order[k], order[best] = order[best], order[k]
            scale[k], scale[best] = scale[best], scale[k]
        if a[k, k] == 0.0:
            for i in range(k + 1, n):
                a[i, k] = 0.0
            continue
        for i in range(k + 1, n):
            if a[i, k] == 0.0:              # chains have many
                continue
            ratio = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= ratio * a[k, j]
            a[i, k] = ratio
    return a, order


def solve_factored_n(matrix, factors, order, rhs):
    """Solve as :func:`solve_linear_n` for one right-hand side, from the factors of the matrix."""
    x = _substituted(factors, order, rhs)
    worst = 0.0
    for i in range(rhs.size):
        value, size = -rhs[i], abs(rhs[i]) + 1e-300
        for j in range(rhs.size):
            value += matrix[i, j] * x[j]
            size += abs(matrix[i, j] * x[j])
        worst = max(worst, abs(value) / size)
    if worst > ROUGH:
        return _corrected(matrix, factors, order, rhs, x, worst)
    return x, worst


def solve_many_factored_n(matrix, factors, order, rhs):
    """Solve as :func:`solve_factored_n` for the columns of ``rhs``; return solutions as columns, and their residuals.

    Rows are subtracted as vectors, which serves several right-hand sides at once.
    """
    n, many = rhs.shape
    x = np.zeros((n, many))
    for i in range(n):
        if order[i] >= 0:
            x[i] = rhs[order[i]]
        for j in range(i):
            ratio = factors[i, j]
            if ratio != 0.0:                # chains have few
                for c in range(many):
                    x[i, c] -= ratio * x[j, c]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            ratio = factors[i, j]
            for c in range(many):
                x[i, c] -= ratio * x[j, c]
        inverse = 1.0 / factors[i, i] if factors[i, i] != 0.0 else 0.0
        for c in range(many):
            x[i, c] *= inverse
    residuals, value, size = np.zeros(many), np.empty(many), np.empty(many)
    for i in range(n):
        for c in range(many):
            value[c] = -rhs[i, c]
            size[c] = abs(rhs[i, c]) + 1e-300
        for j in range(n):
            entry = matrix[i, j]
            if entry != 0.0:
                for c in range(many):
                    term = entry * x[j, c]
                    value[c] += term
                    size[c] += abs(term)
        for c in range(many):
            residuals[c] = max(residuals[c], abs(value[c]) / size[c])
    for c in range(many):
        if residuals[c] > ROUGH:
            b = np.ascontiguousarray(rhs[:, c])
            x[:, c], residuals[c] = _corrected(matrix, factors, order, b, np.ascontiguousarray(x[:, c]), residuals[c])
    return x, residuals


def _substituted(factors, order, rhs):
    """Substitute forwards and backwards, without the residual."""
    n = rhs.size
    x = np.zeros(n, factors.dtype)
    for i in range(n):
        x[i] = rhs[order[i]] if order[i] >= 0 else 0.0
        for j in range(i):
            x[i] -= factors[i, j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= factors[i, j] * x[j]
        x[i] = x[i] / factors[i, i] if factors[i, i] != 0.0 else 0.0
    return x


def _corrected(matrix, factors, order, rhs, x, worst):
    """Correct a solution by iterative refinement of its rough rows alone.

    Elimination rounds relative to the largest unknown, which may occur in no term of a row.
    """
    n = rhs.size
    rest, kept, least = np.zeros(n, x.dtype), x, np.zeros(n, x.dtype)
    for _ in range(MOST_CORRECTIONS + 1):
        now = 0.0
        for i in range(n):
            value, size = -rhs[i], abs(rhs[i]) + 1e-300
            for j in range(n):
                value += matrix[i, j] * x[j]
                size += abs(matrix[i, j] * x[j])
            least[i] = max(least[i], ZEROS * size)
            size = max(size, least[i])
            rest[i] = value if abs(value) > ROUGH * size else 0.0
            now = max(now, abs(value) / size)
        if now > worst:                 # as bad is no end: two errors may be as large as a term
            break
        kept, worst = x, now
        if worst <= ROUGH:
            break
        x = x - _substituted(factors, order, rest)
    return kept, worst


def solve_linear_batch(matrix, rhs):
    """Solve systems of shape (P, n, n), (P, n) row-scaled; exact zero rows give 0.

    Returns (x of shape (P, n), scaled residual of shape (P,)).
    """
    x = eliminate_batch(matrix, rhs)
    rest, size = _rest(matrix, rhs, x)
    least, residual = ZEROS * size + 1e-300, np.max(np.abs(rest) / size, axis=-1)
    for _ in range(MOST_CORRECTIONS):          # as of one system
        rough = np.flatnonzero(residual > ROUGH)
        if not rough.size:
            break
        lost = np.where(np.abs(rest[rough]) > ROUGH * size[rough], rest[rough], 0.0)
        better = x[rough] - eliminate_batch(matrix[rough], lost)
        left, sizes = _rest(matrix[rough], rhs[rough], better, least[rough])
        now = np.max(np.abs(left) / sizes, axis=-1)
        is_better = now <= residual[rough]
        kept = rough[is_better]
        x[kept], rest[kept], size[kept] = better[is_better], left[is_better], sizes[is_better]
        residual[kept] = now[is_better]
        if not kept.size:
            break
    return x, residual


def _rest(matrix, rhs, x, least=1e-300):
    """Return the residual of every equation, and the size of its terms, ``least`` at least."""
    terms = matrix * x[..., None, :]
    return terms.sum(axis=-1) - rhs, np.maximum(np.abs(terms).sum(axis=-1) + np.abs(rhs), least)


def eliminate_batch(matrix, rhs):
    """Return the solutions alone: NaN where an entry is not finite, 0 where the matrix is singular."""
    return eliminate_batch_checked(matrix, rhs)[0]


def eliminate_batch_checked(matrix, rhs):
    """Solve as :func:`eliminate_batch`; return also whether they are no solutions because the matrix is singular."""
    n = rhs.shape[-1]
    if n == 1:
        a = matrix[..., 0]
        zero = a == 0.0
        x = np.where(np.isfinite(a), np.where(zero, 0.0, rhs / np.where(zero, 1.0, a)), np.nan)
        return x, (zero & (rhs != 0.0))[..., 0]
    scale = np.add.reduce(np.abs(matrix), axis=-1)
    empty = scale == 0.0
    contradiction = np.zeros(empty.shape[:-1], dtype=bool)
    if empty.any():
        contradiction = (empty & (rhs != 0.0)).any(axis=-1)
        matrix = matrix + np.where(empty[..., None], np.eye(n), 0.0)
        rhs, scale = np.where(empty, 0.0, rhs), np.where(empty, 1.0, scale)
    a, b = matrix / scale[..., None], rhs / scale
    bad = ~np.isfinite(scale)
    is_bad = bad.any()
    if is_bad:
        a = np.where(bad[..., None].any(axis=-2, keepdims=True), np.eye(n), a)
    if n == 2:
        x, singular = _eliminate_2_batch(a, b)
    else:
        singular = np.linalg.det(a) == 0.0
        x = np.linalg.solve(np.where(singular[..., None, None], np.eye(n), a), b[..., None])[..., 0]
    if singular.any():                       # the residual shows that it is no solution
        x = np.where(singular[..., None], 0.0, x)
        contradiction |= singular & (rhs != 0.0).any(axis=-1)
    return np.where(bad.any(axis=-1, keepdims=True), np.nan, x) if is_bad else x, contradiction


def _eliminate_2_batch(a, b):
    (p1, p2), (q1, q2), (p, q) = a[..., 0, :].T, a[..., 1, :].T, b.T
    swap = np.abs(q1) > np.abs(p1)
    if swap.any():
        p1, q1 = np.where(swap, (q1, p1), (p1, q1))
        p2, q2 = np.where(swap, (q2, p2), (p2, q2))
        p, q = np.where(swap, (q, p), (p, q))
    x, none = np.empty_like(b), p1 == 0.0
    lead = np.where(none, 1.0, p1) if none.any() else p1
    ratio = q1 / lead
    pivot = q2 - ratio * p2
    singular = none | (pivot == 0.0)
    if singular.any():
        pivot = np.where(singular, 1.0, pivot)
    x[..., 1] = y = (q - ratio * p) / pivot
    x[..., 0] = (p - p2 * y) / lead
    return x, singular
