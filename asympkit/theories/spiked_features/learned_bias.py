"""Methods of a theory whose bias is trained together with the readout."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from scipy.optimize import brentq

from ...arguments import broadcast, check_axis
from ...errors import AsympkitError, ConvergenceError, DomainError, NotAvailableError
from ...solve.solution import Solution
from ...sweep.pieces import CONVERGED, FAILED
from ...sweep.result import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from mpmath import mpf

    from ...annotations import Start, Value, Values
    from .theory import SpikedFeatures

N = TypeVar("N")
#: biases that are scanned for minima, and the accuracy of a minimum
_SCANNED, _FOUND = np.linspace(-4.0, 4.0, 33), 1e-13
#: accuracy of the averages of the scan
_ROUGH = 1e-6
#: steps to many digits, and digits beside these
_STEPS, _GUARD = 12, 8


@dataclass(frozen=True, repr=False)
class LearnedSolution(Solution[N]):
    """Hold the solution at the learned bias.

    Attributes
    ----------
    minima : tuple of (float, float)
        All minima of the training objective that were found, ``(bias, objective)``, the lowest first.
    """

    minima: tuple[tuple[float, float], ...] = field(default=())

    @property
    def shown(self) -> dict[str, N]:
        """Return the quantities that are printed: what was learned first."""
        return {"bias": self.bias, **super().shown}


class LearnedBias:
    """Find the bias of the least training objective, for the methods of a theory with the equations of the case."""

    def __init__(self, theory: SpikedFeatures) -> None:
        self.theory = theory

    def at(self, bias: float | Fraction) -> SpikedFeatures:
        """Return the theory of a fixed bias, which shares the kernels of all."""
        return self.theory._with(readout=replace(self.theory.readout, bias=bias, is_learned=False))

    def solve(self, *, rtol: float = 1e-12, start: Start | None = None, **parameters: Value) -> LearnedSolution[float]:
        """Solve at the bias of the least training objective, the lowest of ``minima``.

        Biases from -4 to 4 are scanned, and every minimum of the scan is refined as a root of the derivative; ``start``
        holds starting values of the unknowns at every bias.  ConvergenceError if no minimum lies between the ends of
        the scan.
        """
        parameters = self.theory.given(parameters)

        def solved(bias, accuracy):
            return self.at(bias).solve(rtol=accuracy, start=start, **parameters)

        slopes = np.array([_slope(solved, b) for b in _SCANNED.tolist()])
        found = []
        for k in np.flatnonzero((slopes[:-1] < 0.0) & (slopes[1:] >= 0.0)):
            bias = _root(lambda b: solved(b, rtol).bias_slope, *_SCANNED[k:k + 2].tolist())
            found.append((solved(bias, rtol).objective, bias))
        if not found:
            raise ConvergenceError(f"solve: the objective has no minimum at a bias between {_SCANNED[0]:g} and "
                                   f"{_SCANNED[-1]:g} at this point; fix the bias (bias=...), or move the parameters")
        found.sort()
        return _at_bias(solved(found[0][1], rtol), found[0][1], [(bias, value) for value, bias in found])

    def precise(self, *, digits: int = 40, start: Start | None = None, **given: Value) -> LearnedSolution[mpf]:
        """Solve in arbitrary precision: the derivative of the objective by the bias is made 0 by the secant method."""
        parameters: dict[str, Any] = self.theory.given(given)
        rough = self.solve(start=start, **parameters)
        bias, step = rough.bias, 1e-4

        def slope(at):
            return self.at(at).precise(digits=digits + _GUARD, start=start, **parameters).bias_slope

        above, below = (self.at(bias + h).solve(**parameters).bias_slope for h in (step, -step))
        bend = (above - below) / (2 * step)
        here = Fraction(repr(bias))
        value, last, error = slope(here), None, step**2
        for _ in range(_STEPS):
            rate = bend if last is None else (value - last[1]) / _number(here - last[0], value)
            change = value / rate
            last, here = (here, value), here - Fraction(str(change))
            if abs(change) * error <= 10.0 ** (-digits - 2) * max(1.0, abs(bias)):
                break
            error = abs(change)
            value = slope(here)
        else:
            raise ConvergenceError(f"precise: the bias did not reach {digits} digits in {_STEPS} steps; ask for fewer")
        found = self.at(here).precise(digits=digits, start=start, **parameters)
        return _at_bias(found, _number(here, found.objective), rough.minima)

    def sensitivity(self, quantity: str, parameter: str, *, rtol: float = 1e-10, **parameters: Values) -> Any:
        """Return the derivative of a quantity by a parameter, along which the bias stays the best one."""
        arrays, fixed, shape = broadcast("sensitivity", self.theory.given(parameters), self.theory.fixed_names())
        if not isinstance(parameter, str):
            return {name: self.sensitivity(quantity, name, rtol=rtol, **parameters) for name in parameter}
        out = np.empty(shape)
        for index in np.ndindex(shape):
            given = {**fixed, **{n: float(a[index]) for n, a in arrays.items()}}
            fixed_bias = self.at(self.solve(**given).bias)

            def rate(of, by, theory=fixed_bias, given=given):
                return theory.sensitivity(of, by, rtol=rtol, **given)

            moved = -rate("bias_slope", parameter) / rate("bias_slope", "bias")
            out[index] = rate(quantity, parameter) + rate(quantity, "bias") * moved
        return out if arrays else float(out)

    def sweep(self, *, rtol: float = 1e-10, **given: Values) -> Sweep:
        """Solve on a grid, point by point; the learned bias is one more quantity."""
        refused = {"backend", "executor", "progress", "file", "start"} & {*given}
        if refused:
            raise DomainError(f"sweep: got {', '.join(sorted(refused))} with bias='learned', whose points are solved "
                              "one by one: expected parameters and rtol")
        parameters: dict[str, Any] = self.theory.given(given)
        axes = {n: check_axis(n, v) for n, v in parameters.items() if np.ndim(v)}
        if not axes:
            raise DomainError("sweep: no axis given; make at least one parameter an array (or use solve)")
        fixed, shape = {n: v for n, v in parameters.items() if n not in axes}, tuple(a.size for a in axes.values())
        names = (*self.theory.quantities, "bias")
        values, residual = {n: np.full(shape, np.nan) for n in names}, np.full(shape, np.inf)
        for index in np.ndindex(shape):
            at = {n: float(a[i]) for (n, a), i in zip(axes.items(), index)}
            theory = self.theory.variant({**fixed, **at})
            try:
                found = theory.learned.solve(rtol=rtol, **fixed, **at)
            except AsympkitError:
                continue
            residual[index] = found.residual
            known = {**found.order_parameters, **found.observables, "bias": found.bias}
            for n in names:
                values[n][index] = known.get(n, 0.0)        # the unknowns of a width vanish in the limit
        state = np.where(np.isfinite(residual), CONVERGED, FAILED).astype(np.int8)
        return Sweep(axes, values, residual, state, fixed, rtol)

    def plot(self, quantity: str | Sequence[str] = "test_error", *, over: str | None = None,
             simulation: Any = None, ax: Any = None, **parameters: Any) -> Any:
        """Draw a quantity along the parameter that is an array."""
        if simulation:
            raise NotAvailableError("plot: with bias='learned' no simulation is drawn; simulate() draws networks at "
                                    "the best bias of a point")
        return self.sweep(**parameters).plot(quantity, ax=ax)

    def simulate(self, **given: Any) -> Any:
        """Simulate the finite model with the bias that is the best one in the limit."""
        return self._best("simulate", given).simulate(**given)

    def check(self, **given: Any) -> Any:
        """Compare all routes at the bias that is the best one in the limit; that it is that is not tested."""
        return self._best("check", given).check(**given)

    def _best(self, method, given):
        """Return the theory of the best bias at the parameters of a simulation."""
        _, parameters = self.theory.simulator.split(self.theory.given(given))
        run = {"repeats", "seed", "digits", "executor", "progress", "file"}
        return self.at(self.solve(**{n: v for n, v in parameters.items() if n not in run}).bias)

    def __getattr__(self, name: str) -> Any:
        self.theory.refuse_learned(name)


def _root(slope, low, high):
    """Return the root between two ends; by symmetry an end may be one, to rounding."""
    if slope(low) >= 0.0:
        return low
    return high if slope(high) <= 0.0 else brentq(slope, low, high, xtol=_FOUND, rtol=8.9e-16)


def _at_bias(solution, bias, minima):
    """Return a solution with the bias among its parameters."""
    same = {f.name: getattr(solution, f.name) for f in fields(solution)}
    same["parameters"] = {**solution.parameters, "bias": bias}
    return LearnedSolution(**same, minima=tuple(minima))


def _number(value, like):
    """Return a fraction as a number of another's kind."""
    return type(like)(value.numerator) / value.denominator


def _slope(solved: Callable[[float, float], Any], bias: float) -> float:
    """Return the derivative of the objective by the bias; NaN if there is no solution."""
    try:
        return solved(bias, _ROUGH).bias_slope
    except ConvergenceError:
        return np.nan
