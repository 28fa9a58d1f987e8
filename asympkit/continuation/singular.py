"""Locate singular points of F(y) = 0, one equation fewer than unknowns, and the branches that leave them."""

import numpy as np

__all__ = ["RADIUS", "find_arms", "locate"]

#: largest number of Newton steps, and step of central differences of the Jacobian
_NEWTON, _STEP = 40, 1e-5
#: relative singular values that count as zero at a singular point
_ZERO = 1e-6
#: distance from a branch point at which its branches are looked for, and within which two of them count as equal
RADIUS, _SAME = 1e-3, 2e-5
#: relative singular value below which a solution on the sphere is not isolated
_ISOLATED = 1e-11
#: number of starts in a kernel of two dimensions, and of more
_ANGLES, _DIRECTIONS = 16, 60


def locate(evaluate, y, is_branch_point, reach):
    """Locate a fold or a branch point by Newton's method on a bordered system; None if none is within reach.

    ``evaluate(y)`` returns F of shape (n,) and its derivatives J of shape (n, n + 1).  The columns A of the unknowns
    lack full rank at a fold, and J at a branch point.

    Notes
    -----
    At a fold F = 0, psi A = 0, |psi| = 1 are solved for y and psi.  At a branch point F + mu*psi = 0, psi J = 0,
    |psi| = 1 are solved for y, psi and mu, which vanishes: a regular system at simple branch points (Allgower and
    Georg, Introduction to Numerical Continuation Methods, chapter 8).  Steps are least-squares solutions, so that
    kernels of more dimensions, of which psi is any vector, are allowed.
    """
    n = y.size - 1
    begin, part, mu, psi = y, n + is_branch_point, 0.0, None
    for _ in range(_NEWTON):
        f, jacobian = evaluate(y)
        around = [(evaluate(y + h)[1] - evaluate(y - h)[1]) / (2.0 * _STEP) for h in _STEP * np.eye(n + 1)]
        if not (np.all(np.isfinite(jacobian)) and np.all(np.isfinite(around))):
            return None
        a = jacobian[:, :part]
        psi = np.linalg.svd(a)[0][:, -1] if psi is None else psi
        matrix, rhs = np.zeros((n + part + 1, 2 * n + 2)), np.concatenate([f + mu * psi, psi @ a, [psi @ psi - 1.0]])
        matrix[:n, :n + 1], matrix[:n, n + 1:-1] = jacobian, mu * np.eye(n)
        matrix[:n, -1] = psi * is_branch_point
        matrix[n:-1, :n + 1], matrix[n:-1, n + 1:-1] = np.transpose(psi @ np.array(around))[:part], a.T
        matrix[-1, n + 1:-1] = 2.0 * psi
        delta = np.linalg.lstsq(matrix, rhs, rcond=1e-13)[0]
        y, psi, mu, size = y - delta[:n + 1], psi - delta[n + 1:-1], mu - delta[-1], np.max(np.abs(delta[:n + 1]))
        if np.max(np.abs(y - begin)) > reach:
            return None
        if size <= 1e-14 * (1.0 + np.max(np.abs(y))):
            break
    f, jacobian = evaluate(y)
    rest = np.max(np.abs([*f, *(psi @ jacobian[:, :part])])) / (1.0 + np.max(np.abs(jacobian)))
    return y if size <= 1e-9 * (1.0 + np.max(np.abs(y))) and rest <= 1e-9 else None


def find_arms(evaluate, center):
    """Find the solutions at a small distance from a branch point, one on each branch that leaves it.

    Newton's method on the sphere around the point starts from directions all over the kernel of the Jacobian, so that
    no second derivatives are needed.
    """
    _, values, vectors = np.linalg.svd(evaluate(center)[1])
    kernel = vectors[min(np.sum(values > _ZERO * values[0]), center.size - 2):]
    angles = 2.0 * np.pi * (np.arange(_ANGLES) + 0.3) / _ANGLES
    directions = np.column_stack([np.cos(angles), np.sin(angles)]) if len(kernel) == 2 else \
        np.random.default_rng(0).standard_normal((_DIRECTIONS, len(kernel)))
    found = []
    for direction in directions @ kernel:
        y = center + RADIUS * direction / np.linalg.norm(direction)
        for _ in range(_NEWTON):
            f, jacobian = evaluate(y)
            if not np.all(np.isfinite(jacobian)):
                break
            away = y - center
            delta, *_, sizes = np.linalg.lstsq(np.vstack([jacobian, away / RADIUS]),
                                               np.append(f, (away @ away / RADIUS - RADIUS) / 2.0), rcond=1e-14)
            y = y - delta
            if np.max(np.abs(delta)) > RADIUS:
                break
            if np.max(np.abs(delta)) <= 1e-13 * (1.0 + np.max(np.abs(y))):
                away = y - center
                is_in_kernel = np.linalg.norm(away - away @ kernel.T @ kernel) <= 0.3 * RADIUS
                is_isolated = sizes[-1] > _ISOLATED * sizes[0]
                if is_in_kernel and is_isolated and all(np.max(np.abs(y - other)) > _SAME for other in found):
                    found.append(y)
                break
    return found
