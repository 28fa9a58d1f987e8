"""Find the fixed points of the overlap: all of them, the optimum, and the one that message passing reaches.

The equations are ``qhat = alpha g(q)`` and ``q = qhat/(1 + qhat)`` with an increasing g, so that each q is a fixed
point at one alpha, ``alpha(q) = q/((1 - q) g(q))``. Values of g on a lattice of ``log(q/(1 - q))`` serve all alpha.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...channels.entropy import label_entropy_class
from ...errors import ConvergenceError
from ...numbers.functions import entry, require_entry
from ...once import Deferred

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...annotations import Floats
    from ...solve.solution import Solution

_interpolate, _optimize = Deferred("scipy.interpolate"), Deferred("scipy.optimize")

#: the lattice of log(q/(1 - q)): its step, its first node, below which an overlap counts as 0, and its last node
_STEP, _FIRST, _LAST = 0.25, -14.0, 14.0
#: nodes and weights of a normal variable; first Hermite coefficient that counts as 0
_NODES = np.linspace(-12.0, 12.0, 481)
_NORMAL = np.exp(-(_NODES**2) / 2.0) * (_NODES[1] - _NODES[0]) / np.sqrt(2.0 * np.pi)
_ZERO = 1e-12
#: noise in mean squares of the target, below which lattices are beyond memory
_LEAST = 1e-6


@dataclass(frozen=True)
class FixedPoints:
    """Hold the fixed points at one point of the parameters.

    Attributes
    ----------
    solutions : tuple of Solution
        By their overlap ``q``, the smallest first.
    is_stable : tuple of bool
        Whether state evolution returns to each of them.
    optimum, reached : Solution
        The one with the largest ``free_entropy``, and the one that message passing reaches from a random start.
    """

    solutions: tuple[Solution[float], ...]
    is_stable: tuple[bool, ...]
    optimum: Solution[float]
    reached: Solution[float]

    @property
    def is_hard(self) -> bool:
        """Return whether the optimum is out of reach of message passing."""
        return self.reached is not self.optimum

    def __str__(self) -> str:
        rows = []
        for s, is_stable in zip(self.solutions, self.is_stable):
            marks = [name for name, other in (("optimum", self.optimum), ("reached", self.reached)) if other is s]
            marks = marks or ([] if is_stable else ["unstable"])
            rows.append(f"q = {s['q']:.8f}   clean error {s.clean_error:.8f}   free entropy {s.free_entropy:.8f}   "
                        f"{', '.join(marks)}".rstrip())
        return "\n".join([*rows, "hard phase" if self.is_hard else "no hard phase"])


class Potential:
    """Evaluate the potential of one theory along the overlap, at given parameters.

    A lattice is kept for each noise; it grows to where the largest alpha asked for has its last fixed point.
    """

    def __init__(self, theory: Any) -> None:
        self.theory, self.is_sign = theory, theory.labels == "sign"
        self.known: dict[float, list[float]] = {}
        f = theory.target
        self.entropy: Any = None if self.is_sign else entry(label_entropy_class(f).__name__)
        self.is_linear = abs(float(np.sum(_NORMAL * _NODES * f(_NODES)))) >= _ZERO * (1.0 + f.size)
        self.least = 0.0 if self.is_sign else _LEAST * float(np.sum(_NORMAL * f(_NODES) ** 2))
        self.steepness = np.inf if f.jumps or self.is_sign else float(np.sum(_NORMAL * f.derivative(_NODES) ** 2))

    def gain(self, q: float, noise: float) -> float:
        """Return g(q), the conjugate of the overlap over alpha: twice the derivative of the entropy."""
        if self.is_sign:
            s, density = _signs(q, noise)
            mills, log = (require_entry(name, "signs").array_function(s) for name in ("Mills", "LogPhi"))
            return float(2.0 / (1.0 - q + noise) * np.sum(density * mills**2 * np.exp(log)))
        found = 2.0 * float(self.entropy.array_function(1, 0, q, noise)) if noise >= self.least else np.nan
        if not np.isfinite(found):
            raise ConvergenceError(f"BayesOptimal: labels of {self.theory.target.name} with noise_variance={noise:.6g} "
                                   f"need lattices beyond memory at the overlap {q:.6g}; expected more noise")
        return found

    def has_zero(self, noise: float) -> bool:
        """Return whether zero overlap is a fixed point: no label tells the sign of the field."""
        return not self.is_linear and self.gain(0.0, noise) < _ZERO

    def value(self, q: float, alpha: float, noise: float) -> float:
        """Return the potential of an overlap, its conjugate eliminated."""
        if self.is_sign:
            s, density = _signs(q, noise)
            log = require_entry("LogPhi", "signs").array_function(s)
            entropy = float(2.0 * np.sum(density * np.exp(log) * log))
        else:
            entropy = float(self.entropy.array_function(0, 0, q, noise))
        return (q + np.log1p(-q)) / 2.0 + alpha * entropy

    def _lattice(self, alpha, noise):
        """Return log(q/(1 - q)) and ``log(alpha g(q)) - log(q/(1 - q))``, up to where the latter stays negative."""
        top = 2.0 * np.log(1.0 + alpha) + 6.0 if np.isinf(self.steepness) else np.log(alpha * self.steepness / noise)
        count = int(np.ceil((np.clip(top + 0.5, 0.0, _LAST) - _FIRST) / _STEP)) + 1
        known = self.known.setdefault(noise, [])
        while len(known) < count:
            known.append(self.gain(_overlap(_FIRST + _STEP * len(known)), noise))
        t = _FIRST + _STEP * np.arange(len(known))
        return t, np.log(alpha * np.array(known)) - t

    def overlaps(self, alpha: float, noise: float) -> list[tuple[float, bool]]:
        """Return the fixed points to the accuracy of an interpolation, and whether each is stable, in rising order."""
        t, excess = self._lattice(alpha, noise)
        curve = _interpolate.CubicSpline(t, excess)
        found, has_zero = [], self.has_zero(noise)
        if excess[0] < 0.0 or has_zero:
            # a target that is no use at q = 0 has a fixed point there, stable unless its slope is above 1
            found.append((0.0 if has_zero else alpha * self.gain(0.0, noise), bool(excess[0] < 0.0)))
        found += [(_overlap(root), bool(curve(root, 1) < 0.0)) for root in np.sort(curve.roots(extrapolate=False))]
        if excess[-1] > 0.0:                    # noise so small that the last one lies beyond the lattice
            found.append((_overlap(t[-1] + excess[-1]), True))
        return found

    def choose(self, alpha: float, noise: float) -> tuple[list[tuple[float, bool]], int, int]:
        """Return the fixed points, the place of the optimum, and that of the one message passing reaches."""
        found = self.overlaps(alpha, noise)
        stable = [k for k, (_, is_stable) in enumerate(found) if is_stable]
        best = stable[0] if len(stable) == 1 else max(stable, key=lambda k: self.value(found[k][0], alpha, noise))
        return found, best, stable[0]

    def thresholds(self, noise: float, largest: float) -> dict[str, float | None]:
        """Return the thresholds of :meth:`BayesOptimal.thresholds`, for fixed points below the largest alpha."""
        t, excess = self._lattice(largest, noise)
        curve = _interpolate.CubicSpline(t, np.log(largest) - excess)          # log of alpha at each overlap
        folds = sorted(r for r in curve.derivative().roots(extrapolate=False) if curve(r) < np.log(largest))
        weak = 1.0 / (2.0 * float(self.entropy.array_function(2, 0, 0.0, noise))) if self.has_zero(noise) else None
        found: dict[str, float | None] = {"weak_recovery": weak, "appears": None, "optimal": None, "reached": None}
        # a small overlap first loses a fixed point at a maximum of alpha, a large one gains it at the minimum behind
        ends = [(r, curve(r, 2) > 0.0) for r in folds]
        lows = [r for r, is_minimum in ends if is_minimum]
        highs = [r for r, is_minimum in ends if not is_minimum]
        if lows:
            low = float(np.exp(curve(lows[-1])))
            # hard at the largest alpha still
            is_beyond = sum(is_stable for _, is_stable in self.overlaps(largest, noise)) > 1
            top = None if is_beyond else max([*np.exp(curve(highs)), *([weak] if weak else [])], default=None)

            def excess_of_last(alpha):
                stable = [q for q, is_stable in self.overlaps(alpha, noise) if is_stable]
                return self.value(stable[-1], alpha, noise) - self.value(stable[0], alpha, noise)

            inside = low * (1.0 + 1e-6), (top or largest) * (1.0 - 1e-6)
            if inside[0] < inside[1] and excess_of_last(inside[0]) < 0.0 < excess_of_last(inside[1]):
                at = _optimize.brentq(excess_of_last, *inside, rtol=1e-10)
                found |= {"appears": low, "optimal": float(at), "reached": top and float(top)}
        return found

    def start_at_optimum(self, points: Mapping[str, Any]) -> dict[str, Floats]:
        """Return the overlap of the optimum at points of the parameters."""
        alpha, noise = np.broadcast_arrays(points["alpha"], points["noise_variance"])
        out = np.empty(alpha.shape)
        for place in np.ndindex(alpha.shape):
            found, best, _ = self.choose(float(alpha[place]), float(noise[place]))
            out[place] = found[best][0]
        return {"q": out}

    def fixed_points(self, shown: Mapping[str, float]) -> FixedPoints:
        """Return all fixed points, solved."""
        alpha, noise = shown["alpha"], shown["noise_variance"]
        found, best, reached = self.choose(alpha, noise)
        solutions = []
        for q, _ in found:
            if 0.0 < q < 1.0:                   # accurate enough that plain iterations do not leave an unstable one
                low, high = (_overlap(np.log(q / (1.0 - q)) + shift) for shift in (-0.1, 0.1))
                ends = [alpha * self.gain(p, noise) * (1.0 - p) - p for p in (low, high)]
                if ends[0] * ends[1] < 0.0:
                    q = _optimize.brentq(lambda p: alpha * self.gain(p, noise) * (1.0 - p) - p, low, high, xtol=1e-15)
            solutions.append(self.theory.solve(**shown, start={"q": q}))
        return FixedPoints(tuple(solutions), tuple(s for _, s in found), solutions[best], solutions[reached])


def _overlap(t):
    return float(1.0 / (1.0 + np.exp(-t)))


def _signs(q, noise):
    """Return the fields of two signs over their spread, and the weights of their law."""
    scale = np.sqrt(q / (1.0 - q + noise)) + 1e-150
    unit = min(1.0, scale)
    return unit * _NODES, _NORMAL * unit / scale * np.exp(_NODES**2 / 2.0 * (1.0 - (unit / scale) ** 2))
