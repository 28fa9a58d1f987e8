r"""A given first layer: its spike, its bulk, and their joint law with the direction of a target.

The rows of the layer are :math:`r\hat v+w_i`.  With :math:`\Omega=W\Pi W^\top` (:math:`\Pi` removes :math:`\hat v`) and
:math:`S=\lambda+\hat V_2+\hat V_1\Omega` the averages of the free energy are sums over eigenvalues D of :math:`\Omega`
and eigenvectors u, :math:`K_{ab}=\frac1p\sum_u(u\cdot g_a)(u\cdot g_b)/S`, of the directions

- v: :math:`\sqrt dW\hat v`, and z: :math:`\sqrt dW\hat\zeta`, the rest of the target's direction;
- x: :math:`\sqrt d(|w_i|^2-c)`, by which norms of rows move the means of their units;
- 0: :math:`\sqrt d\,1`, the mean readout, whose penalty is that of the layer's p units.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from sympy import Symbol

from ...arguments import quote
from ...errors import DomainError
from ...nodes import Named
from ...once import computed_once
from ...spectra import Eigenvalues, mean
from .equations import Bulk, symbols

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ...annotations import Arrays, Floats

#: pairs of directions: spike (v), rest of the target (z), norms of rows (x), mean readout (0)
PAIRS = ("vv", "vz", "zz", "vx", "xz", "xx", "00", "0v", "0z", "0x")
#: part beside the spike that is rounding, of a target's direction and of the squares of rows
_ALONG = 1e-12


@cache
def given_bulk() -> Bulk:
    """Return averages over arrays of eigenvalues and of products of directions, at the width of the layer."""
    s, D, square = symbols(), Symbol("D", nonnegative=True), Symbol("square", nonnegative=True)
    forms = {n: Symbol(f"F_{n}", **({"nonnegative": True} if n[0] == n[1] else {"real": True})) for n in PAIRS}
    S, law = Named("S", s.lam + s.Vhat2 + s.Vhat1 * D), Eigenvalues(D, *forms.values())
    K = {n: Named(f"K_{n}", mean(f / S, law)) for n, f in forms.items()}
    inverse, weighed = Named("S_inverse", mean(1 / S, law)), Named("S_weighed", mean(D / S, law))
    induced = {"v": K["0v"], "n": s.rho * K["0z"], "x": K["0x"]}
    common = {"vv": s.cov_vv - s.c, "vz": s.cov_vz, "zz": s.cov_zz}
    return Bulk(inverse, weighed, {n: e for n, e in K.items() if n[0] != "0"}, square,
                K["00"] * s.beta * s.inverse_width, induced, common,
                parameters=(s.inverse_width, square, s.cov_vv, s.cov_vz, s.cov_zz))


class FirstLayer:
    """Split a first layer into spike and bulk, and compute the joint law of its bulk.

    ``spike`` and ``direction`` are unit vectors; ``numbers`` are r, c, gamma, rho and others of the equations, by name;
    ``unevenness`` is the variance of the projections of the rows on the spike, over c/d.
    """

    def __init__(self, W: ArrayLike, direction: ArrayLike, spike: ArrayLike | None) -> None:
        self.weights = read_array("W", W, 2)
        p, d = self.weights.shape
        given = self.weights.mean(axis=0) if spike is None else read_array("spike", spike, 1, d)
        self.spike, self.direction = unit("spike", given), unit("target_direction", read_array(
            "target_direction", direction, 1, d))
        along = self.weights @ self.spike
        r, gamma = float(along.mean()), float(np.clip(self.direction @ self.spike, -1.0, 1.0))
        rest = self.direction - gamma * self.spike
        rest -= (rest @ self.spike) * self.spike
        rho = float(np.linalg.norm(rest))
        self.rest = rest / rho if rho > _ALONG else np.zeros(d)
        self.bulk = self.weights - r * self.spike
        gram = self.bulk @ self.bulk.T
        self.squares = np.diag(gram).copy()
        c, pairs = float(self.squares.mean()), float((gram**2).sum() - (self.squares**2).sum())
        if not c > _ALONG * r * r:
            raise DomainError("W: got rows that are all equal; expected a bulk beside the spike")
        self.unevenness = float(np.var(along)) * d / c
        self.numbers = {"r": r, "c": c, "gamma": gamma, "rho": rho if rho > _ALONG else 0.0, "beta": p / d,
                        "inverse_width": 1.0 / p, "square": d / p**2 * pairs}
        of_v, of_z, over = self.bulk @ self.spike, self.bulk @ self.rest, self.numbers["rho"] or math.inf
        self.numbers |= {f"cov_{n}": float(d / p * e) for n, e in (
            ("vv", of_v @ of_v), ("vz", of_v @ of_z / over), ("zz", of_z @ of_z))}

    @computed_once
    def arrays(self) -> Arrays:
        """Return eigenvalues of the bulk across the spike, and products of the directions in its eigenvectors."""
        p, d = self.bulk.shape
        across = self.bulk - np.outer(self.bulk @ self.spike, self.spike)
        D, U = np.linalg.eigh(across @ across.T)
        directions = {"v": self.bulk @ self.spike, "z": self.bulk @ self.rest, "x": self.squares - self.numbers["c"],
                      "0": np.ones(p)}
        seen = {n: math.sqrt(d) * (U.T @ g) for n, g in directions.items()}
        return {"D": np.maximum(D, 0.0), **{f"F_{n}": seen[n[0]] * seen[n[1]] for n in PAIRS}}


def read_array(name: str, value: ArrayLike, dimensions: int, size: int | None = None) -> Floats:
    """Return an argument as an array of finite numbers, of ``size`` entries along the last axis if given."""
    detached = value.detach().cpu().numpy() if hasattr(value, "detach") else value      # of torch
    try:
        found = np.array(detached, dtype=float)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    shape = f"{'p, ' if dimensions == 2 else ''}{'d' if size is None else size}"
    if found.ndim != dimensions or not np.isfinite(found).all() or min(found.shape) < dimensions \
            or size not in (None, found.shape[-1]):
        got = f"an array of shape {found.shape}" if found.ndim else quote(value)
        got += " with NaN or infinite numbers" * bool(found.ndim and not np.isfinite(found).all())
        least = f", at least {dimensions} along each axis" if found.ndim == dimensions > min(found.shape) else ""
        raise DomainError(f"{name}: got {got}; expected finite numbers of shape ({shape}){least}")
    return found


def unit(name: str, vector: Floats) -> Floats:
    """Return a direction with length one."""
    length = np.linalg.norm(vector)
    if not length > 0.0:
        raise DomainError(f"{name}: got a direction of length 0; expected another (for a spike that is not given: the "
                          "mean of the rows, which vanishes)")
    return vector / length
