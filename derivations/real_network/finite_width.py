"""Finite width in random instances: the ones in the second stage, and ridge regressions with a weak spike."""

from functools import cache
from types import SimpleNamespace

from ..one_step.functions import on_sphere
from ..sampled import Instances
from . import batch
from .forms import point as first_stage

#: rows per dimension, Lambda and Vhat1 of the sampled kernel
_RATIO, _LEVEL, _HAT = 1.2, 0.4, 1.0


def _kernel_draw(rng, d):
    """1'K^(-1) 1/p and tr K^(-1)/p, rows on the sphere and rows of a trained bulk."""
    import numpy as np

    rows, found = round(_RATIO * d), {}
    at = first_stage()
    one = batch.draw(rng, d, at)
    W = on_sphere(rng, rows, d)
    slope = 1 / np.cosh(W @ one.x.T) ** 2
    trained = W + 4 * ((slope - batch.normal_mean(lambda z: 1 / np.cosh(z) ** 2)) * one.y) @ one.x / one.n0
    for name, bulk in (("sphere", W), ("trained", trained)):
        inverse = np.linalg.inv(_LEVEL * np.eye(rows) + _HAT * bulk @ bulk.T)
        limit = np.trace(inverse) / rows
        found[name] = inverse.sum() / rows, limit if name == "sphere" else limit / _divided()
    found["cross"] = np.linalg.inv(_LEVEL * np.eye(rows) + _HAT * W @ W.T).sum(axis=0) @ (W @ one.theta) / rows, 0.0
    return found


@cache
def _divided():
    """By what the common row divides K_00, tanh on sin, a = 4."""
    import numpy as np

    at = first_stage()
    mean = batch.law(at.target, at.noise)

    def forms(u):
        return batch.forms(mean, np.exp(u), at.omega, 1 / at.alpha0)

    u = batch.increasing_root(lambda u: np.exp(u) * _LEVEL / _HAT + 1 - forms(u).b - _RATIO, -5.0, 5.0, 40)
    third = batch.normal_mean(lambda z: (z**2 - 1) / np.cosh(z) ** 2)
    return forms(u).common_row(4, third)


@cache
def kernel_instances():
    return Instances(_kernel_draw, seed=5, d=100, repeats=40)


_WIDTH = SimpleNamespace(alpha=1.5, beta=1.0, lam=0.3, noise=0.1)


@cache
def weak_spike():
    """V2, x = m/sqrt(p) and the objective for features tanh(kappa)/sqrt(p) + exp(-kappa^2/8) xi, target sin(kappa)."""
    import numpy as np

    at = _WIDTH
    ratio = at.alpha / at.beta

    def mean(f):
        return batch.normal_mean(f)

    def noise(k):
        return np.exp(-(k**2) / 4)

    response = batch.increasing_root(
        lambda v: v * (at.lam + ratio * mean(lambda k: noise(k) / (1 + noise(k) * v))) - 1, 0.0, 1 / at.lam)
    curvature = ratio * mean(lambda k: np.tanh(k) ** 2 / (1 + noise(k) * response))
    pull = ratio * mean(lambda k: np.tanh(k) * np.sin(k) / (1 + noise(k) * response))
    x = response * pull / (1 + response * curvature)
    left = mean(lambda k: (np.sin(k) ** 2 + at.noise) / (1 + noise(k) * response)) - x * pull / ratio
    return SimpleNamespace(V2=response, x=x, objective=left)


def _weak_draw(rng, d):
    import numpy as np

    at, limit = _WIDTH, weak_spike()
    n, units = round(at.alpha * d), round(at.beta * d)
    kappa = rng.standard_normal(n)
    y = np.sin(kappa) + at.noise**0.5 * rng.standard_normal(n)
    features = np.tanh(kappa)[:, None] / units**0.5 + np.exp(-(kappa**2) / 8)[:, None] * rng.standard_normal((n, units))
    F = features / units**0.5
    w = np.linalg.solve(F.T @ F + at.lam * np.eye(units), F.T @ y)
    objective = (np.sum((y - F @ w) ** 2) + at.lam * w @ w) / n
    return {"x": (w.sum() / units, limit.x), "objective": (objective, limit.objective)}


@cache
def weak_instances():
    return Instances(_weak_draw, seed=6, d=150, repeats=60)
