"""Solve the square loss over classes of hidden units in plain numpy, in the order of its own structure.

The responses V by plain iteration, then the means, then the squares of the readout as a linear system whose response is
the derivative of the first; nothing is shared with the package but the model.
"""

import numpy as np


def trapezoid(step, end=9.0):
    x = np.arange(-end, end + step / 2, step)
    weights = np.exp(-x * x / 2)
    return x, weights / weights.sum()


def conditional_moments(student, target, u, c, gamma, bias, step):
    """Return projections and weights, and mu0, mu1, mu2sq, dmu0 of the classes and h, hz, hzz, hbend of the target."""
    line, of_line = trapezoid(step)
    z, of_z = trapezoid(min(step, 0.15))
    kappa = np.stack([g.ravel() for g in np.meshgrid(*[line] * u.shape[1], indexing="ij")])
    weights = np.ones(1)
    for _ in range(u.shape[1]):
        weights = np.multiply.outer(weights, of_line).ravel()
    values = student((u @ kappa)[..., None] + bias + np.sqrt(c)[:, None, None] * z)
    mu0, mu1 = values @ of_z, values @ (of_z * z) / np.sqrt(c)[:, None]
    rest = values - mu0[..., None] - (np.sqrt(c)[:, None] * mu1)[..., None] * z
    labels = target((gamma @ kappa)[:, None] + np.sqrt(max(0.0, 1.0 - gamma @ gamma)) * z)
    return (kappa, weights, mu0, mu1, rest**2 @ of_z, values @ (of_z * (z * z - 1)) / (2 * c)[:, None], labels @ of_z,
            labels @ (of_z * z), labels**2 @ of_z, labels @ (of_z * (z * z - 1)))


def solve_ridge(student, target, units, gamma, alpha, lam, beta=1.0, noise_variance=0.0, width=np.inf, rows="sphere",
                bias=0.0, has_common_mode=True, has_bend=False, step=0.12):
    """Return errors, objective and order parameters for functions of arrays.

    With a bend the common mode is seen by the labels: student and target both have even parts.
    """
    u = np.array([np.atleast_1d(unit[0]) for unit in units], float)
    c, share = (np.array([unit[k] for unit in units], float) for k in (1, 2))
    count, rank = u.shape
    is_orthogonal, identity = rows == "orthogonal", np.eye(count)
    kappa, weights, mu0, mu1, mu2sq, dmu0, h, hz, hzz, hbend = conditional_moments(
        student, target, u, c, np.atleast_1d(gamma).astype(float), bias, step)
    inverse_d = beta / width * has_common_mode
    mean = mu0 + c[:, None] * inverse_d * (np.square(kappa).sum(axis=0) - rank) * dmu0
    bend = c[:, None] * inverse_d * dmu0 * has_bend
    common = np.sqrt(2 * inverse_d * (not is_orthogonal)) * c[:, None] * dmu0

    # responses
    V, V2 = np.diag(share * c / lam), share / lam
    for _ in range(20_000):
        response = np.einsum("ak,bk,ab->k", mu1, mu1, V) + mu2sq.T @ V2
        left = weights / (1 + response)
        Vhat, V2hat = alpha / beta * np.einsum("ak,bk,k->ab", mu1, mu1, left), alpha / beta * mu2sq @ left
        bulk = c * V2
        A = identity if is_orthogonal else np.linalg.inv(identity + beta * bulk[:, None] * Vhat)
        K = Vhat @ A
        G = 1 / (lam + V2hat + c * np.diag(K))
        after = np.diag(c * share * G) if is_orthogonal else A @ np.diag(bulk)
        change = max(np.abs(after - V).max() / np.abs(V).max(), np.abs(share * G / V2 - 1).max())
        V, V2 = after, share * G
        if change < 1e-15:
            break

    # means
    psihat = alpha / beta * (mu1 * hz) @ left
    psi = beta * V @ psihat
    basis = np.concatenate([mean, *(k * mu1 for k in kappa)])
    matrix = np.einsum("ik,jk,k->ij", basis, basis, left)
    matrix[:count, :count] += np.einsum("ak,bk,k->ab", common, common, left)
    matrix[:count, :count] += 2 * np.einsum("ak,bk,k->ab", bend, bend, left)
    for k in range(rank if is_orthogonal else 0):
        own = slice(count * (k + 1), count * (k + 2))
        matrix[own, own] -= np.einsum("ak,bk,k->ab", mu1, mu1, left)
    matrix += np.diag(np.concatenate([beta / (alpha * width * V2), np.tile(1 / (alpha * c * V2), rank)]))
    seen = (basis * h) @ left
    seen[:count] += (bend * hbend) @ left
    solved = np.linalg.lstsq(matrix, seen, rcond=1e-13)[0]
    m, theta = solved[:count], solved[count:].reshape(rank, count)
    C = solved @ basis
    missed = hzz + noise_variance + C**2 - 2 * C * h - 2 * psi @ mu1 * hz + (m @ common) ** 2
    missed += 2 * (m @ bend) ** 2 - 2 * (m @ bend) * hbend

    # squares: linear in themselves
    pairs = [(a, b) for a in range(count) for b in range(a, count)]

    def split(x):
        Q = np.zeros((count, count))
        for value, (a, b) in zip(x, pairs):
            Q[a, b] = Q[b, a] = value
        return Q, x[len(pairs):]

    def image(x, source):
        Q, q2 = split(x)
        square = np.einsum("ak,bk,ab->k", mu1, mu1, Q) + mu2sq.T @ q2 + source * missed
        square = alpha / beta * weights * square / (1 + response) ** 2
        N = np.einsum("ak,bk,k->ab", mu1, mu1, square) + source * beta * np.outer(psihat, psihat)
        N2 = mu2sq @ square + source * ((theta**2).sum(axis=0) / (beta * c * V2**2) + m**2 / (width * V2**2))
        if is_orthogonal:
            N[...] -= source * beta * np.outer(psihat, psihat)
            q2 = share * G**2 * (c * np.diag(N) + N2) + source * psi**2 / (beta * c * share)
            Q = np.diag(c * q2) - source * theta.T @ theta
        else:
            turned = A.T @ N @ A
            slopes = np.diag(-1 / G**2) + beta * c[:, None] * K**2 * (share * c)
            dG = np.linalg.solve(slopes, N2 + c * np.diag(turned))
            L, dL = np.diag(share * c * G), np.diag(share * c * dG)
            dK = turned - beta * K @ dL @ K
            Q, q2 = -dL + beta * (dL @ K @ L + L @ dK @ L + L @ K @ dL), -share * dG
        return np.concatenate([[Q[pair] for pair in pairs], q2])

    unit = np.eye(len(pairs) + count)
    x = np.linalg.solve(unit - np.array([image(column, 0) for column in unit]).T, image(np.zeros(len(unit)), 1))
    Q, q2 = split(x)
    R = missed + np.einsum("ak,bk,ab->k", mu1, mu1, Q) + mu2sq.T @ q2
    test, train = R @ weights, R / (1 + response) ** 2 @ weights
    return {"test_error": test, "clean_error": test - noise_variance, "train_error": train,
            "objective": train + lam * beta / alpha * q2.sum(), "m": m, "theta": theta, "psi": psi, "Q": Q, "q2": q2,
            "V": V, "V2": V2}
