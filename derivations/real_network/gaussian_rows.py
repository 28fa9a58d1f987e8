"""Gaussian rows on sampled batches: responses and kernel, with the forms of the batch's own matrix as the limit."""

from functools import cache
from types import SimpleNamespace

from ..sampled import Instances
from . import batch
from .formulas import kernel

#: inputs and labels z + (z^2 - 1)/sqrt(2) of the first stage
_BATCH = SimpleNamespace(alpha0=1.0, target=lambda z: z + (z**2 - 1) / 2**0.5, noise=0.0, offset=0.0, omega=2.0)
RATIO, _LEVEL, _HAT, _SPREAD = 1.2, 1.0, 0.5, 25.0


def _root(eigenvalues):
    """g for the eigenvalues of one S."""
    import numpy as np

    def excess(u):
        x = np.exp(u)
        return x * _LEVEL / _HAT + np.mean(x * eigenvalues / (1 + x * eigenvalues)) - RATIO

    return np.exp(batch.increasing_root(excess, -20.0, 20.0))


def _draw(rng, d):
    """Gaussian rows given a batch; the limit has the forms of that batch's own S."""
    import numpy as np

    at = _BATCH
    one = batch.draw(rng, d, at)
    S = np.eye(d) + at.omega * batch.second_moment(one, one.y**2)
    values, vectors = np.linalg.eigh(S)
    rows = round(RATIO * d)
    W = (rng.standard_normal((rows, d)) * values**0.5) @ vectors.T / d**0.5
    v = batch.weighted(one, one.y)
    v /= np.linalg.norm(v)
    zeta = one.theta - (one.theta @ v) * v
    zeta /= np.linalg.norm(zeta)
    t = 2 * v + 3 * zeta
    linear = np.linalg.solve(S, t)
    chi = d**0.5 * W @ linear + (_SPREAD - t @ linear) ** 0.5 * rng.standard_normal(rows)
    measured = entries(W, v, zeta, chi)
    whole = np.trace(np.linalg.inv(_LEVEL * np.eye(rows) + _HAT * W @ W.T)) / rows
    measured |= {"V1": (1 - _LEVEL * whole) / _HAT, "V2": whole}
    return {name: (measured[name], limit) for name, limit in limits(S, values, v, zeta, t, _SPREAD).items()}


def entries(W, v, zeta, chi):
    """The kernel of rows W with row norms chi."""
    import numpy as np

    rows, d = W.shape
    projected = W - np.outer(W @ v, v)
    K = np.linalg.inv(_LEVEL * np.eye(rows) + _HAT * projected @ projected.T)
    a = {"v": d**0.5 * W @ v, "z": d**0.5 * W @ zeta, "x": chi}
    return {i + j: a[i] @ K @ a[j] / rows for i, j in ("vv", "vz", "zz", "vx", "xz", "xx")}


def limits(S, values, v, zeta, t, spread):
    """Responses and kernel from the forms of one S, its eigenvalues given."""
    import numpy as np

    x = _root(values)
    Bn = np.linalg.inv(np.eye(len(S)) + x * S)
    Nn = S @ Bn
    forms = {"vv": v @ Bn @ v, "vt": v @ Bn @ t, "tt": t @ Bn @ t, "tz": t @ Bn @ zeta}
    others = {"vv": v @ Nn @ v, "vz": v @ Nn @ zeta, "zz": zeta @ Nn @ zeta}
    response = x / (RATIO * _HAT)
    return kernel(response, x, forms, others, spread) | {"V1": response * np.trace(Nn) / len(S), "V2": response}


@cache
def instances():
    return Instances(_draw, seed=3, d=100, repeats=60)
