"""The first batch in numbers: the law of a sample by quadrature, sampled batches, the trace of the resolvent."""

from functools import cache
from types import SimpleNamespace

from .formulas import Forms


@cache
def rule(panels=60, reach=9.0):
    """Nodes and weights of the standard normal law, Gauss-Legendre in panels."""
    import numpy as np

    x, weights = np.polynomial.legendre.leggauss(8)
    edges = np.linspace(-reach, reach, panels + 1)
    half = reach / panels
    nodes = ((edges[:-1] + half)[:, None] + half * x).ravel()
    return nodes, np.tile(half * weights, panels) * np.exp(-(nodes**2) / 2) / (2 * np.pi) ** 0.5


def normal_mean(f):
    """The mean of ``f(z)``."""
    nodes, weights = rule()
    return weights @ f(nodes)


@cache
def law(target, noise):
    """The mean over a sample: labels ``target(tau) + sqrt(noise) eps``."""
    import numpy as np

    tau, weights = rule(24 if noise else 60)
    y = target(tau)
    if noise:
        eps, other = rule(6, 7.0)
        y, tau = (y[:, None] + noise**0.5 * eps).ravel(), np.repeat(tau, len(eps))
        weights = np.outer(weights, other).ravel()
    return lambda f: float(weights @ np.broadcast_to(f(y, tau), y.shape))


def increasing_root(f, low, high, halvings=60):
    """The root of an increasing function, by bisection."""
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if f(middle) > 0 else (middle, high)
    return (low + high) / 2


def forms(mean, g, omega, overload):
    """The forms at g, with the trace solved."""
    return Forms(mean, g, omega, overload,
                 increasing_root(lambda b: Forms(mean, g, omega, overload, b).excess(), 0.0, 1.0))


def draw(rng, d, at):
    """A batch at ``at.alpha0, at.target, at.noise``, centred labels: direction theta, inputs x, labels y."""
    import numpy as np

    n0 = round(at.alpha0 * d)
    theta = rng.standard_normal(d)
    theta /= np.linalg.norm(theta)
    x = rng.standard_normal((n0, d))
    y = at.target(x @ theta) + at.noise**0.5 * rng.standard_normal(n0) - at.offset
    return SimpleNamespace(theta=theta, x=x, y=y, n0=n0)


def weighted(batch, values):
    """``s_F``: the mean of ``F(y) x`` over the batch, given the values of F."""
    return values @ batch.x / batch.n0


def second_moment(batch, values):
    """The mean of ``F(y) x x'`` over the batch."""
    return batch.x.T @ (values[:, None] * batch.x) / batch.n0
