r"""Readouts of a given first layer: the joint law of Assumption 3.2 in arXiv 2402.04980, from actual weights.

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
from ...codegen import write_kernel
from ...errors import DomainError, NotAvailableError, ProofError
from ...nodes import Named
from ...once import computed_once
from ...sensitivity.run import Tangent, check_parameter
from ...simulate import simulate_weights
from ...solve.kernel import Kernel, SolverOptions
from ...spectra import Eigenvalues, mean
from ..declaration import Assumption, Simulator, read_values, size
from ..declared import Point
from ..ridge import required
from .convex import ConvexEquations
from .equations import Bulk, SquareLoss, symbols
from .parts import FLIPS, EquationCase, starts
from .simulation import get_simulation_grid
from .theory import RIDGE, AlongSpike

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.typing import ArrayLike

    from .theory import SpikedFeatures

#: pairs of directions: spike (v), rest of the target (z), norms of rows (x), mean readout (0)
PAIRS = ("vv", "vz", "zz", "vx", "xz", "xx", "00", "0v", "0z", "0x")
#: part beside the spike that is rounding, of a target's direction and of the squares of rows
_ALONG = 1e-12


@cache
def given_bulk():
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

    def __init__(self, W, direction, spike):
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
    def arrays(self):
        """Return eigenvalues of the bulk across the spike, and products of the directions in its eigenvectors."""
        p, d = self.bulk.shape
        across = self.bulk - np.outer(self.bulk @ self.spike, self.spike)
        D, U = np.linalg.eigh(across @ across.T)
        directions = {"v": self.bulk @ self.spike, "z": self.bulk @ self.rest, "x": self.squares - self.numbers["c"],
                      "0": np.ones(p)}
        seen = {n: math.sqrt(d) * (U.T @ g) for n, g in directions.items()}
        return {"D": np.maximum(D, 0.0), **{f"F_{n}": seen[n[0]] * seen[n[1]] for n in PAIRS}}


def read_array(name, value, dimensions, size=None):
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


def unit(name, vector):
    """Return a direction with length one."""
    length = np.linalg.norm(vector)
    if not length > 0.0:
        raise DomainError(f"{name}: got a direction of length 0; expected another (for a spike that is not given: the "
                          "mean of the rows, which vanishes)")
    return vector / length


# -- the theory -------------------------------------------------------------------------------------------------------

#: variance of projections on the spike, over that of an isotropic bulk, above which units differ in strength
_UNEVEN = 10.0


class GivenFirstLayer(AlongSpike):
    """Solve the readout of a given first layer: made by :meth:`asympkit.SpikedFeatures.from_weights`.

    Notes
    -----
    Spike strength ``r``, norm ``c``, overlap ``gamma`` and width follow from the layer.  Units whose strengths differ
    much are not those of this theory: a warning says so.
    """

    name = "given first layer"
    derived_names = ("r", "gamma", "c")
    limit = None

    def __init__(self, theory: SpikedFeatures, W: ArrayLike, target_direction: ArrayLike,
                 spike: ArrayLike | None = None) -> None:
        self.functions, self.readout = theory.functions, theory.readout
        if self.readout.is_learned:
            raise DomainError("bias: got 'learned' with given weights; expected a number, bias=...")
        self.chosen, self.layer = self.readout.chosen, FirstLayer(W, target_direction, spike)
        self.declared = (*(p for p in required(RIDGE) if p.name != "beta"), *[FLIPS] * self.readout.has_flips)
        if self.layer.numbers["rho"] == 0.0 and self.chosen:
            raise DomainError("target_direction: got the direction of the spike with options other than the defaults, "
                              "which need a part of the target beside it; expected another spike, or the square loss "
                              "without a bias")
        self.layer.numbers["bias"] = float(self.readout.bias)

    @computed_once
    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the assumption that all units share the strength of the spike."""
        return (Assumption(
            lambda v: self.layer.unevenness <= _UNEVEN,
            lambda v: f"projections of the rows on the spike vary {self.layer.unevenness:.2g} times as much as those "
            "of an isotropic bulk: the units do not share one strength (several classes of hidden units)"),)

    @computed_once
    def solver(self) -> GivenEquations:
        """Return loss and labels over the bulk of the layer, their equations and kernels."""
        return GivenEquations(self.functions, self.readout, EquationCase(has_width=True), given_bulk())

    # -- points -----------------------------------------------------------------------------------

    @property
    def table_names(self) -> tuple[str, ...]:  # type: ignore[override]
        tables = {s.name for s in self.program[0].table_parameters}
        return tuple(p.name for p in self.declared if p.name in tables)

    @property
    def array_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.program[0].arrays

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.declared)

    def given(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        arrays = {n: self.layer.arrays[n] for n in self.array_names}
        return {**super().given({n: v for n, v in parameters.items() if n not in arrays}), **arrays}

    def locate_point(self, parameters: Mapping[str, Any], digits: int = 0) -> Point:
        values = {n: v for n, v in parameters.items() if n not in self.array_names}
        given, numbers = read_values(self.declared, values, self.name), self.layer.numbers
        shown = {**given, **{n: numbers[n] for n in ("r", "c", "gamma", "beta")}, "width": len(self.layer.weights)}
        self.student.require_second_moment(shown["r"] ** 2 + shown["c"])
        self.target.require_second_moment(1.0)
        return self.make_point({**given, **numbers}, shown, {n: self.layer.arrays[n] for n in self.array_names})

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        usual = {p.name: p.default for p in self.declared if not p.is_required}
        known = {**usual, **self.layer.numbers, **parameters}
        return {s: numbers.number(known[s.name]) for s in self.solver.channel.parameters}

    def certify(self, **keywords: Any) -> Any:
        """Raise: a proof needs exact numbers, and those of a layer are the results of floats."""
        raise ProofError("certify: the eigenvalues of a given layer are computed in floats, and a proof needs "
                         "exact numbers; precise() has the digits of these floats")

    def source(self, language: str = "python", derivatives: bool = False) -> str:
        """Raise: an exported module would hold the layer."""
        raise NotAvailableError("generate: the equations of a given layer are sums over its eigenvalues, of which an "
                                "exported module would hold thousands; expected the isotropic bulk, SpikedFeatures")

    # -- derivatives ------------------------------------------------------------------------------

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        check_parameter(parameter, self.smooth, self.name)
        return self.solver.tangent({parameter: 1.0}, point)


class GivenEquations(ConvexEquations):
    """Solve a loss over the bulk of a given layer; ridge regression may have a small penalty."""

    @computed_once
    def channel(self) -> Any:
        if not self.readout.is_ridge:
            return super().channel
        return SquareLoss(self.bulk if self.has_bend else self.bulk.with_odd_labels())

    @computed_once
    def kernel(self) -> Kernel:
        if not self.readout.is_ridge:
            return super().kernel
        program, names = self.program
        return Kernel.from_source(write_kernel(program, names, self._title()), SolverOptions(guess_start=starts))


def _simulate(theory, parameters, *, test_size, **how):
    grid, at = get_simulation_grid({n: v for n, v in parameters.items() if n not in theory.array_names},
                                   theory.declared)
    p, layer, root = read_values(theory.declared, at, theory.name), theory.layer, math.sqrt(len(theory.layer.direction))
    task = theory.readout.task(p.get("flip", 0.0)) if theory.chosen.keys() - {"bias"} else None
    return simulate_weights(theory.readout.shift(theory.student), theory.target, weights=layer.weights,
                            bulk=layer.bulk, spike=root * layer.spike, direction=root * layer.direction,
                            noise_variance=p["noise_variance"], task=task, test_size=test_size, **how, **grid)


GivenFirstLayer.simulator = Simulator(_simulate, (size("test_size", "fresh inputs of each repeat"),),
                                      axes=("alpha", "lam"), compares_all=True)
