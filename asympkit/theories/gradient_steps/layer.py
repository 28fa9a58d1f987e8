"""The first layer after several gradient steps: maps of a few numbers, one after the other."""

from __future__ import annotations

import cmath
import math
from typing import TYPE_CHECKING

from ...errors import DomainError
from ...once import Deferred
from ..one_step.step import require_slope
from ..spiked_features.parts import number as to_float

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from sympy import Symbol

    from ..one_step.step import StepLayer

_equations = Deferred("asympkit.theories.spiked_features.equations")
_step = Deferred("asympkit.theories.gradient_steps.step")


class StepsLayer:
    """Map a schedule to the parameters of the equations; ``first`` is one step by itself.

    ``pairs`` are the names of the learning rate and of the samples of each step; equal steps share them.  The layer
    ``has_rows`` if these differ systematically.
    """

    #: what says that the target lies along the spike
    along = "gamma"

    def __init__(self, first: StepLayer, pairs: tuple[tuple[str, str], ...], has_rows: bool) -> None:
        self.first, self.pairs, self.has_rows = first, pairs, has_rows
        self.smooth = tuple(dict.fromkeys(n for names in zip(*pairs) for n in names))
        self.names = (*self.smooth, "beta", "noise_variance")
        self._last: dict[tuple[float, ...], list[dict[str, float]]] = {}

    @property
    def is_one(self) -> bool:
        """Return whether there is one step, over an isotropic bulk: that of :class:`~asympkit.OneStep`."""
        return len(self.pairs) == 1 and not self.has_rows

    def bulk(self, has_width: bool) -> Any:
        """Return the averages over the bulk."""
        return _step.row_bulk(has_width) if self.has_rows else self.first.bulk(has_width)

    def _as_one(self, values):
        """Return values by the names of the first step."""
        return {**values, **{n: values[own] for n, own in zip(("eta", "alpha0"), self.pairs[0]) if own in values}}

    def _walk(self, values: Mapping[str, Any], number: Callable[[Any], Any], root: Callable[[Any], Any],
              mean: Callable[[Any, dict[str, Any]], dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the numbers of the layer at the start and after each step, in a number system.

        ``mean`` evaluates averages there.
        """
        found = [{n: number(v) for n, v in _step.start(self.has_rows).items()}]
        beta, noise_variance = number(values["beta"]), number(values["noise_variance"])
        for eta, alpha0 in self.pairs:
            before = {n: v for n, v in found[-1].items() if n != "loss"}
            sizes = to_float(values[eta]), to_float(values[alpha0])
            if 0.0 not in sizes:                    # otherwise it is no step
                is_population = sizes[1] == math.inf
                is_along = is_population and bool(before["rho"] == 0)
                now = {**before, "rate": number(values[eta]) / beta, "noise_variance": noise_variance,
                       "overload": number(0) if is_population else 1 / number(values[alpha0])}
                of = _step.averages(self.has_rows, "v" if is_along else "vzn" if self.has_rows else "vz")
                before = _step.advance(mean(of, now), now, root, is_along)
            found.append(before)
        return found

    # -- double precision -------------------------------------------------------------------------

    def path(self, values: Mapping[str, float]) -> list[dict[str, float]]:
        """Return the numbers of the layer at the start and after each step, with the loss before the step."""
        at = tuple(values[n] for n in self.names)
        if at not in self._last:                    # a curve uses one schedule many times
            self._require_spike(values)
            found = self._walk(values, float, math.sqrt, lambda of, now: of.floats(now, self.first.functions))
            self._last = {at: found}
        return self._last[at]

    def _require_spike(self, values):
        """Raise if the first step makes no spike: then there is no direction that the others can follow."""
        eta, alpha0 = next((pair for pair in self.pairs if all(values[n] for n in pair)), self.pairs[0])
        r, *_ = self.first.step_parameters({**values, "eta": values[eta], "alpha0": values[alpha0]})
        if r == 0.0 and values[eta] and values[alpha0]:
            raise DomainError(f"target: got {self.first.target.name!r}, of which the first step makes no spike with "
                              f"the student {self.first.student.name!r}: expected linear parts in both, or one step "
                              "with modes='isotropic'")

    def floats(self, shown: Mapping[str, Any], parameters: Mapping[str, Any] | None = None,
               digits: int = 0) -> dict[str, float]:
        """Return the quantities of the layer that the equations need in double precision, by name."""
        if self.is_one:
            return self.first.floats(self._as_one(shown), parameters and self._as_one(parameters), digits)
        found, width = self.path(shown)[-1], shown.get("width", math.inf)
        if width < math.inf:
            require_slope(self.first.target)
        return {**found, "inverse_width": 1.0 / width, "tilt": _tilt(found, shown["beta"]) if width < math.inf else 0.0}

    def spread(self, shown: Mapping[str, float]) -> float:
        """Return the standard deviation of the strengths of units along the spike, over their mean, times sqrt(d)."""
        found = self.path(shown)[-1]
        return math.sqrt(found.get("rows_vv", found["c"])) / found["r"] if found["r"] else 0.0

    def numbers(self, parameters: Mapping[str, Any], numbers: Any, has_width: bool) -> dict[Symbol, Any]:
        """Return the same quantities in a number system, by symbol."""
        if self.is_one:
            return self.first.numbers(self._as_one(parameters), numbers, has_width)
        s, values = _equations.symbols(), {"beta": 1, "noise_variance": 0, **parameters}
        found = self._walk(values, numbers.number, numbers.sqrt,
                           lambda of, now: of.numbers(now, numbers, self.first.functions))[-1]
        of_bulk = {symbol: found[symbol.name] for symbol in self.bulk(False).parameters}
        width = {s.inverse_width: 1 / numbers.number(parameters["width"]),
                 s.tilt: _tilt(found, numbers.number(values["beta"]))} if has_width else {}
        return {**{getattr(s, n): found[n] for n in ("r", "c", "gamma", "rho")}, **of_bulk, **width}

    def derivatives(self, parameter: str, shown: Mapping[str, Any]) -> dict[str, float]:
        """Return the derivatives of the parameters of the equations by one of the theory, by name.

        Complex numbers whose tiny imaginary parts are derivatives go through all steps.
        """
        if self.is_one:
            pair = dict(zip(self.pairs[0], ("eta", "alpha0")))
            return self.first.derivatives(pair.get(parameter, parameter), self._as_one(shown))
        rates = {} if parameter in self.smooth else {parameter: 1.0}
        if parameter not in self.names:
            return rates
        mine = [pair for pair in self.pairs if parameter in pair]
        if any(shown[eta] == 0.0 or shown[alpha0] == 0.0 for eta, alpha0 in mine):
            raise DomainError(f"{parameter}: got a step of size 0, which means no step; the limit of a small one is "
                              "another, so that there is no derivative here")
        if any(parameter == alpha0 and math.isinf(shown[alpha0]) for _, alpha0 in mine):
            raise DomainError(f"{parameter}: got inf; a derivative by the samples of a step needs a finite number")
        tiny = _step.TINY
        moved = {**shown, parameter: complex(shown[parameter], tiny)}
        found = self._walk(moved, complex, cmath.sqrt, lambda of, now: of.floats(now, self.first.functions))[-1]
        found |= {"tilt": _tilt(found, moved["beta"])} if shown.get("width", math.inf) < math.inf else {}
        found = {n: complex(v).imag / tiny for n, v in found.items() if n not in ("noise", "tilted", "loss")}
        if self.path(shown)[-1]["rho"] == 0.0 and not found["gamma"] and not found["rho"]:  # as multiplied by 1/rho
            del found["gamma"], found["rho"]
        return {**rates, **found}


def _tilt(found, beta):
    """Return the tilt of the spike by the outputs of order 1/sqrt(p), against the mean row; without a step 0."""
    return found["tilted"] / (beta * found["c"] * found["r"]) if found["r"] != 0 else found["tilted"]
