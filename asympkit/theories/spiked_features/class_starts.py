"""Start Newton's method for classes of hidden units: near the square loss, and near the mean class.

The responses V have one solution with a positive definite matrix, to which a plain iteration falls from above; a start
far from it may lead to others.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial.hermite_e import hermegauss

from ...solve.ladder import FIRST
from .classes import class_symbols

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...activations import Activation
    from ...annotations import Floats
    from .classes import UnitClasses

#: nodes in each direction of the spike, by their number, and steps, of an estimate
_NODES, _ESTIMATES = (0, 24, 16, 10), 60


def estimate_responses(student, u, c, share, alpha, beta, lam):
    """Return V and V2 of the square loss to some digits, by plain iteration from above, which is monotone.

    Arrays have a first axis of points: ``u`` (points, classes, directions), c and ``share`` (points, classes), V
    (points, classes, classes), V2 (points, classes).
    """
    z, of_z = hermegauss(_NODES[u.shape[-1]])
    of_z = of_z / of_z.sum()
    kappa = np.array([*product(z, repeat=u.shape[-1])])
    weight = np.prod([*product(of_z, repeat=u.shape[-1])], axis=-1)
    values = student((u @ kappa.T)[..., None] + np.sqrt(c)[..., None, None] * z)
    mu0, mu1 = values @ of_z, values @ (of_z * z)
    mu2sq = np.maximum((values - mu0[..., None] - mu1[..., None] * z) ** 2 @ of_z, 0.0)
    mu1 /= np.sqrt(c)[..., None]
    rate, ones = alpha / beta, np.eye(c.shape[-1])
    G = np.ones_like(c) / lam[:, None]
    V, V2 = (c * share * G)[..., None] * ones, share * G
    for _ in range(_ESTIMATES):
        response = np.einsum("pak,pbk,pab->pk", mu1, mu1, V) + np.einsum("pak,pa->pk", mu2sq, V2)
        left = rate[:, None] * weight / (1.0 + response)
        Vhat = np.einsum("pak,pbk,pk->pab", mu1, mu1, left)
        bulk = c * share * G
        K = Vhat @ np.linalg.inv(ones + (beta[:, None] * bulk)[..., None] * Vhat)
        G = 1.0 / (lam[:, None] + np.einsum("pak,pk->pa", mu2sq, left) + c * np.einsum("paa->pa", K))
        V2 = share * G
        bulk = c * V2
        V = np.linalg.inv(ones + (beta[:, None] * bulk)[..., None] * Vhat) @ (bulk[..., None] * ones)
    return V, V2


def near_square_loss(classes: UnitClasses, student: Activation, values: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return responses near those of the square loss, by unknown, of points of parameters by name."""
    x, (u, c, share, _) = class_symbols(classes.count, classes.rank), _columns(classes, values)
    V, V2 = estimate_responses(student, u, c, share, *(np.atleast_1d(values[n]) for n in ("alpha", "beta", "lam")))
    found = {e.name: V2[:, a] for a, e in enumerate(x.V2)}
    return found | {e.name: V[:, a, b] for (a, b), e in x.V.items() if not classes.is_orthogonal}


def near_mean_class(classes: UnitClasses, solver: Any, functions: Mapping[str, Activation],
                    values: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return readouts near that of one class with the mean strength and norm, the solver of which is given.

    Opposite spikes are the same for odd students, but for the sign of the mean readout.
    """
    x, (u, c, share, gamma) = class_symbols(classes.count, classes.rank), _columns(classes, values)
    length = np.linalg.norm(gamma, axis=-1)
    mean = {**values, "r": (share * np.linalg.norm(u, axis=-1)).sum(axis=-1), "c": (share * c).sum(axis=-1),
            "gamma": length, "tilt": 0.0, "even_parts": 1.0}
    kernel = solver.kernel
    tables, _, _ = kernel.tables(FIRST, [float(np.ravel(mean[n])[0]) for n in kernel.module.TABLE_PARAMETERS],
                                 [functions[n] for n in kernel.module.ACTIVATIONS], ())
    points = [np.broadcast_to(mean[n], length.shape) for n in kernel.module.PARAMETERS]
    at = dict(zip(kernel.module.OUTPUTS, kernel.batch(points, tables)[0]))
    found: dict[str, Floats] = {}
    for a in range(classes.count):
        along = np.where((u[:, a] * gamma).sum(axis=-1) < 0.0, -1.0, 1.0)
        found |= {x.m[a].name: share[:, a] * along * at["m"], x.psi[a].name: share[:, a] * at["psi"],
                  x.q2[a].name: share[:, a] * at["q2"]}
        found |= {e.name: share[:, a] * at["theta"] * gamma[:, k] / np.maximum(length, 1e-300)
                  for k, e in enumerate(x.theta[a])}
        found |= {x.Q[a, a].name: share[:, a] * at["q1"]} if "q1" in at else {}
    return {n: np.where(np.isfinite(v), v, 1.0) for n, v in found.items()}


def _columns(classes, values):
    """Return strengths, norms, shares and overlaps of points, classes along the second axis."""
    x, shape = class_symbols(classes.count, classes.rank), np.broadcast_shapes((1,), *map(np.shape, values.values()))

    def stacked(of):
        return np.stack([np.broadcast_to(values[e.name] if e.is_Symbol else 1.0, shape) for e in of], axis=-1)

    return np.stack([stacked(of) for of in x.u], axis=-2), stacked(x.c), stacked(x.share), stacked(x.gammas)


def far_starts(classes: UnitClasses) -> list[dict[str, float]]:
    """Return starts for all points, the usual one first."""
    x, found = class_symbols(classes.count, classes.rank), []
    for V, Q in ((1.0, 1.0), (10.0, 3.0), (0.1, 0.3), (100.0, 30.0)):
        start = {e.name: of for es, of in ((x.V2, V), (x.q2, Q), (x.m, 0.5), (x.psi, 0.1)) for e in es}
        start |= {t.name: 1.0 for theta in x.theta for t in theta}
        start |= {e.name: of if e.is_positive else 0.0 for es, of in ((x.V, V), (x.Q, 2 * Q)) for e in es.values()}
        found.append(start)
    return found
