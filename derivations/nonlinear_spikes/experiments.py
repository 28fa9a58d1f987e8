"""Random instances of the model at one point: student z + (z^2 - 1)/sqrt(2), phi = 1/2, psi = 1, lam = 1/10."""

from types import SimpleNamespace

from ..one_step.functions import on_sphere
from .solved_point import limit


def student(z):
    """H1 + H2/sqrt(2): both squared coefficients, linear and beyond, are 1."""
    return z + (z**2 - 1) / 2**0.5


def draw(rng, d, rows="sphere"):
    """Weights, readout and the features of fresh inputs, with their resolvent.

    Returns
    -------
    SimpleNamespace
        ``n``, ``N``, rows ``W``, readout ``a``, inputs ``X``, features ``F``, resolvent ``R``.
    """
    import numpy as np

    at = limit()
    n, N = round(d / at.phi), round(d / at.psi)
    W = on_sphere(rng, N, d) if rows == "sphere" else rng.standard_normal((N, d)) / d**0.5
    X = rng.standard_normal((n, d))
    F = student(X @ W.T)
    return SimpleNamespace(n=n, N=N, W=W, X=X, F=F, a=rng.standard_normal(N) / N**0.5,
                           R=np.linalg.inv(F @ F.T + at.lam * n * np.eye(n)))


def traces(rng, d):
    """Pairs (measured, limit) of tau, mu, x and of the trace that the initial output meets."""
    import numpy as np

    at, one = limit(), draw(rng, d)
    mixed = one.X @ one.W.T
    return {"tau": (np.trace(one.R), at.tau), "mu": (np.trace(one.X.T @ one.R @ one.X) / d, at.mu),
            "x": (np.sum(one.F * (one.R @ mixed)) / one.N, at.x),
            "second": (np.sum(mixed * (one.R @ mixed)) / one.N, (1 + at.A * at.tau) * at.x)}


def labels(rng, X, b):
    """Labels of the teacher z + (z^2 - 1)/sqrt(2), noise variance 1/10."""
    return student(X @ b) + 0.1**0.5 * rng.standard_normal(len(X))


#: squared length of beta for this teacher, and the overlap rho^2 = 1/D
LENGTH = 1 + 0.5 * (2 + 0.1)


def spike_function(rng, one, d):
    """A teacher's direction and g = X beta/|beta| on the features' inputs, beta from an independent first set."""
    first = rng.standard_normal((one.n, d))
    b = on_sphere(rng, 1, d)[0]
    beta = labels(rng, first, b) @ first / one.n
    return b, beta / (beta @ beta) ** 0.5


def radial_strength():
    """q = 2 c2^2 mtilde/psi, what rows of random length add."""
    return limit().mtilde / limit().psi


def radial(rng, d):
    """(lam n/N) 1^T (F^T F + lam n)^(-1) 1 and its limit: inputs have a random length."""
    import numpy as np

    at, one = limit(), draw(rng, d)
    penalty = at.lam * one.n
    solved = np.linalg.solve(one.F.T @ one.F + penalty * np.eye(one.N), np.ones(one.N))
    return penalty * solved.sum() / one.N, at.mtilde / (1 + radial_strength() * at.tau)


def gram(rng, d, rows="sphere"):
    """Pairs (measured, limit) of the entries of G, means over ten teachers."""
    import numpy as np

    at, one = limit(), draw(rng, d, rows)
    found = []
    for _ in range(10):
        g = one.X @ spike_function(rng, one, d)[1]
        second, constant = g**2 - 1, np.ones(one.n)
        found.append([u @ one.R @ v for u, v in ((g, g), (second, second), (g, second), (constant, constant))])
    q = 0.0 if rows == "sphere" else radial_strength()
    limits = (at.mu, 2 * at.tau, 0.0, at.tau / (1 + q * at.tau))
    return dict(zip(("g", "He_2", "cross", "constant"), zip(np.mean(found, axis=0), limits)))


def limit_model(rng, d, rows="sphere", teachers=40):
    """Pairs (measured, limit) of the two gaps with g and g^2 as regressors without penalty, means over teachers.

    The limit of the test gap is that of rows on the sphere.
    """
    import numpy as np

    at, one = limit(), draw(rng, d, rows)
    fresh = rng.standard_normal((8 * d, d))
    features, found = student(fresh @ one.W.T), []
    for _ in range(teachers):
        b, direction = spike_function(rng, one, d)
        y, new = labels(rng, one.X, b), labels(rng, fresh, b)
        powers = [np.stack([X @ direction, (X @ direction) ** 2], axis=1) for X in (one.X, fresh)]
        readout = np.linalg.solve(powers[0].T @ one.R @ powers[0], powers[0].T @ one.R @ y)
        left = y - powers[0] @ readout
        train = at.lam * (y @ one.R @ y - left @ one.R @ left)
        before = new - features @ (one.F.T @ (one.R @ y))
        after = new - powers[1] @ readout - features @ (one.F.T @ (one.R @ left))
        found.append((train, np.mean(before**2) - np.mean(after**2)))
    second = 4 / 3 * 0.5 / LENGTH**2
    more = 1.5 - 0.75 / (1.5 + radial_strength() * at.tau) if rows == "gaussian" else 1.0
    limits = (at.lam * (at.mu / LENGTH + second * more * at.tau), -(at.dmu / LENGTH + second * at.dtau) / at.tau**2)
    return dict(zip(("train_gap", "test_gap"), zip(np.mean(found, axis=0), limits)))


def diagonal(rng, d):
    """Pairs (measured, limit) of the mean of n R_ii and of their root mean square deviation from it."""
    one = draw(rng, d)
    entries = one.n * one.R.diagonal()
    return {"mean": (entries.mean(), limit().tau), "spread": (entries.std(), 0.0)}


#: squared length of beta with the initial output kept: B + phi (B + A) more
KEPT_LENGTH = LENGTH + 1 + 0.5 * 2


def kept_direction(rng, d):
    """Squared length of X^T (y - f0)/n, the mean over ten readouts and teachers, and its limit."""
    import numpy as np

    at, found = limit(), []
    n, N = round(d / at.phi), round(d / at.psi)
    W, X = on_sphere(rng, N, d), rng.standard_normal((n, d))
    for _ in range(10):
        output = student(X @ W.T) @ (rng.standard_normal(N) / N**0.5)
        beta = (labels(rng, X, on_sphere(rng, 1, d)[0]) - output) @ X / n
        found.append(beta @ beta)
    return np.mean(found), KEPT_LENGTH


def kept_model(rng, d, pairs=80):
    """Pairs (measured, limit) of the two gaps of one diverging spike, initial output kept.

    The features lose their part along the row a of the spike; u = X beta_f is a regressor without penalty.
    """
    import numpy as np

    at, one = limit(), draw(rng, d)
    first, fresh = rng.standard_normal((one.n, d)), rng.standard_normal((8 * d, d))
    initial, features, found = student(first @ one.W.T), student(fresh @ one.W.T), []
    for _ in range(pairs):
        a = rng.standard_normal(one.N) / one.N**0.5
        b = on_sphere(rng, 1, d)[0]
        beta = (labels(rng, first, b) - initial @ a) @ first / one.n
        y, new = labels(rng, one.X, b), labels(rng, fresh, b)
        along = one.F @ a / (a @ a) ** 0.5
        # the resolvent of F F^T - along along^T
        shift = one.R @ along
        scale = 1 / (1 - along @ shift)

        def resolved(v, shift=shift, scale=scale, along=along):
            return one.R @ v + shift * (scale * (along @ (one.R @ v)))

        u, fresh_u = one.X @ beta, fresh @ beta
        h = (u @ resolved(y)) / (u @ resolved(u))
        left = y - h * u
        train = at.lam * (y @ one.R @ y - left @ resolved(left))
        readout = one.F.T @ resolved(left)
        readout -= a * (a @ readout) / (a @ a)
        before = new - features @ (one.F.T @ (one.R @ y))
        after = new - h * fresh_u - features @ readout
        found.append((train, np.mean(before**2) - np.mean(after**2)))
    limits = (at.lam * at.mu / KEPT_LENGTH, -at.dmu / KEPT_LENGTH / at.tau**2)
    return dict(zip(("train_gap", "test_gap"), zip(np.mean(found, axis=0), limits)))
