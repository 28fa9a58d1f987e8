"""Random instances that the documents are compared with: measured numbers and their limits by name."""

import numpy as np
from scipy.special import erf

_ALPHA, _LAM, _NOISE = 1.5, 0.05, 0.1


def regression(rng, p, kind):
    """Traces and errors of one regression on p features of variances k^-0.6, and their limits."""
    n, e = round(_ALPHA * p), np.arange(1, p + 1) ** -0.6
    beta = np.ones(p) / np.sqrt(p)
    x = rng.standard_normal((p, n)) if kind == "normal" else rng.choice([-1.0, 1.0], (p, n))
    x *= np.sqrt(e)[:, None]
    y = beta @ x + _NOISE**0.5 * rng.standard_normal(n)
    G = np.linalg.inv(x @ x.T / p + _LAM * np.eye(p))
    fitted = G @ x @ y / p
    rest, psi, rho = _NOISE, e * beta, beta @ (e * beta)
    ridge = _LAM * p / n + e.sum() / n
    for _ in range(40):
        slope = 1 - np.sum((e / (e + ridge)) ** 2) / n
        ridge -= (ridge * (1 - np.sum(e / (e + ridge)) / n) - _LAM * p / n) / slope
    own, hat = 1 - np.sum(e / (e + ridge)) / n, _LAM / ridge
    error = (rho + rest - np.sum(psi**2 * (1 / (e + ridge) + ridge / (e + ridge) ** 2))) / slope
    square = np.mean(e**2 / (_LAM + hat * e) ** 2)
    return {"V": (e @ np.diag(G) / p, np.mean(e / (_LAM + hat * e))), "Q": (fitted @ psi, np.sum(psi**2 / (e + ridge))),
            "two": (np.sum((e[:, None] * G * e) * G) / p, square / slope),
            "error": ((fitted - beta) @ (e * (fitted - beta)) + rest, error),
            "train": (np.mean((y - fitted @ x) ** 2), error * own**2)}


def variances(d):
    """Of the inputs: k^-0.4, of mean 1."""
    e = np.arange(1, d + 1) ** -0.4
    return e / e.mean()


def one_layer(rng, d, kind):
    """Resolvent and second moment of the exact covariance of one layer, and of the linearised one."""
    p, e = round(1.5 * d), variances(d)
    W = rng.standard_normal((p, d)) / np.sqrt(d)
    K = (W * e) @ W.T
    r, size = np.trace(K) / p, np.sqrt(np.diag(K))
    if kind == "erf":
        whole = 2 / np.pi * np.arcsin(2 * K / np.sqrt(np.outer(1 + 2 * size**2, 1 + 2 * size**2)))
        slope, rest = 4 / (np.pi * (1 + 2 * r)), 2 / np.pi * np.arcsin(2 * r / (1 + 2 * r))
    else:
        t = np.clip(K / np.outer(size, size), -1, 1)
        arc = np.sqrt(1 - t**2) + t * (np.pi - np.arccos(t)) - 1
        whole, slope, rest = np.outer(size, size) / (2 * np.pi) * arc, 0.25, r / 2 - r / (2 * np.pi)
    linear = slope * K + (rest - slope * r) * np.eye(p)
    return {"resolvent": tuple(np.mean(1 / (np.linalg.eigvalsh(C) + 0.5)) for C in (whole, linear)),
            "second": tuple(np.sum(C**2) / p for C in (whole, linear))}


def coefficients(function, r):
    """kappa1 and kappastar2 of an odd function at variance r, by the trapezoid rule."""
    x = np.arange(-10, 10, 1 / 16)
    weight, values = np.exp(-(x**2) / 2) / 16 / np.sqrt(2 * np.pi), function(np.sqrt(r) * x)
    slope = weight @ (x * values) / np.sqrt(r)
    return slope, weight @ values**2 - r * slope**2


def two_layers(rng, d):
    """Second moments of features behind tanh and erf, and with a target behind sin, from pairs of samples."""
    p, n, e = (round(1.5 * d), d), 2000, variances(d)
    W, U = rng.standard_normal((p[0], d)) / np.sqrt(d), rng.standard_normal((p[1], p[0])) / np.sqrt(p[0])
    target = rng.standard_normal((d, d)) / np.sqrt(d)
    x = rng.standard_normal((n, d)) * np.sqrt(e)
    products = [f @ f.T for f in (erf(np.tanh(x @ W.T) @ U.T), np.sin(x @ target.T))]
    omega, cross = (W * e) @ W.T, (W * e) @ target.T
    slope, rest = coefficients(np.tanh, np.trace(omega) / p[0])
    own, _ = coefficients(np.sin, np.sum(e * target**2) / d)
    omega, cross = U @ (slope**2 * omega + rest * np.eye(p[0])) @ U.T, slope * own * U @ cross
    slope, rest = coefficients(erf, np.trace(omega) / p[1])
    omega, cross = slope**2 * omega + rest * np.eye(p[1]), slope * cross

    def pairs(a, b):
        return (np.sum(a * b) - np.diag(a) @ np.diag(b)) / (n * (n - 1) * p[1])

    return {"second": (pairs(products[0], products[0]), np.sum(omega**2) / p[1]),
            "cross": (pairs(*products), np.sum(cross**2) / p[1])}


def layers(rng, d):
    """A layer's log det, degrees of freedom behind two layers and what is left of a direction, and the chain's."""
    ratios, (slopes, rests), hat, below = (1.5, 0.8), ((0.7, 0.5), (0.6, 0.2)), 2.0, 3.0
    e = variances(d)
    omega, map_, level, freedom, size, found = np.diag(e), np.eye(d), below, np.sum(e / (e + below)), d, {}
    signal = np.mean(e**2 / (e + below))
    for ratio, slope, rest in zip(ratios, slopes, rests):
        p = round(ratio * d)
        W = rng.standard_normal((p, size)) / np.sqrt(size)
        if size == d:
            found["log det"] = log_det(W, e, hat * slope)
        omega, map_ = slope * W @ omega @ W.T + rest * np.eye(p), np.sqrt(slope) * W @ map_
        after = slope * p / size * level * (1 - freedom / p) - rest
        freedom = p - after * (p - freedom) / (rest + after)
        size, level = p, after
    resolvent = np.linalg.inv(omega + level * np.eye(size))
    found["freedom"] = (size - level * np.trace(resolvent)) / d, freedom / d
    found["signal"] = np.sum((resolvent @ (map_ * e)) * (map_ * e)) / d, signal
    return found


def log_det(W, e, c):
    """log det(1 + c W Omega W') over the number of inputs, and the extremum."""
    p, d = W.shape
    V = 0.0
    for _ in range(500):
        V = np.mean(e / (1 + p / d * c / (1 + c * V) * e))
    hat = p / d * c / (1 + c * V)
    value = p / d * np.log(1 + c * V) + np.mean(np.log(1 + hat * e)) - V * hat
    return np.linalg.slogdet(np.eye(p) + c * (W * e) @ W.T)[1] / d, value
