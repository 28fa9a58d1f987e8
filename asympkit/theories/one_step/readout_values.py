r"""``ak.OneStep`` whose readout is not uniform before the step: each of its values makes a class of units.

A unit whose initial readout is :math:`\tilde a/\sqrt p` takes a step :math:`\tilde a` times that of a uniform readout:
for odd students its spike is :math:`\tilde ar`, its bulk has the squared norm :math:`1+\tilde a^2(c-1)`, with r and c
of Result 3.1, and the overlap with the target is the same for all units.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...arguments import quote
from ...errors import DomainError
from ..simulator import Simulator, choice, size
from ..spiked_features.class_features import ClassFeatures, predict_width
from ..spiked_features.classes import UnitClasses, class_symbols
from ..spiked_features.equations import symbols
from ..spiked_features.readout import EquationCase
from ..spiked_features.simulation import get_simulation_grid, training
from ..spiked_features.units import merge_equal, read_units, read_width

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sympy import Symbol

    from .step import StepLayer
    from .theory import OneStep


def read_readout(value: Any) -> tuple[tuple[Fraction, Fraction], ...]:
    """Return the values of a readout with their shares, opposite ones as one; the uniform one is ``((1, 1),)``.

    Raises
    ------
    DomainError
        For anything but a list of (value, fraction).
    """
    try:
        units = read_units([(entry, 1, fraction) for entry, fraction in value])
    except (TypeError, ValueError, DomainError) as error:
        reason = f" ({error})" if isinstance(error, DomainError) else ""
        raise DomainError(f"readout: got {quote(value)}; expected a list of (value, fraction) whose fractions are "
                          f"positive and sum to 1{reason}") from None
    return tuple((abs(u[0]), fraction) for u, _, fraction in merge_equal(units, is_odd=True))


class ReadoutLayer:
    """Give the equations what they need of the first layer after a step; it has the interface of a UnitsLayer.

    Parameters
    ----------
    step : StepLayer
        Of a uniform readout.
    readout : tuple of (Fraction, Fraction)
    declared : tuple of Parameter
        Those of the step.
    """

    smooth = ("eta", "alpha0")

    def __init__(self, step: StepLayer, readout: tuple[tuple[Fraction, Fraction], ...], declared: Any) -> None:
        self.step, self.readout, self.declared, self.names = step, readout, declared, step.names
        self.classes = UnitClasses(len(readout))

    def floats(self, shown: Mapping[str, Any], parameters: Mapping[str, Any] | None = None,
               digits: int = 0) -> dict[str, float]:
        """Return the parameters of the equations in double precision, by name."""
        one = self.step.floats({**shown, "width": math.inf}, parameters or shown, digits)
        found = {s.name: v for s, v in self._of_step(one, float).items()}
        return {**found, "gamma": one["gamma"], "rho": one["rho"], "inverse_width": 1.0 / shown["width"]}

    def _of_step(self, step, read):
        """Return strengths, norms and shares of the classes, from r and c of a uniform readout."""
        x = class_symbols(self.classes.count, 1)
        found = {}
        for (u,), c, share, (value, fraction) in zip(x.u, x.c, x.share, self.readout):
            a = read(value)
            found |= {u: a * step["r"], c: 1 + a * a * (step["c"] - 1)}
            found |= {share: read(fraction)} if share.is_Symbol else {}
        return found

    def numbers(self, parameters: Mapping[str, Any], numbers: Any, has_width: bool = True) -> dict[Symbol, Any]:
        """Return the same in a number system, by symbol."""
        s, width, step = symbols(), parameters.get("width", math.inf), self.step.precise_step(parameters, numbers)
        is_limit = read_width(width) == math.inf
        return {**self._of_step(step, numbers.number), s.gamma: step["gamma"], s.rho: step["rho"],
                s.inverse_width: numbers.number(0) if is_limit else 1 / numbers.number(width)}

    def derivatives(self, parameter: str, shown: Mapping[str, Any]) -> dict[str, float]:
        """Return the derivatives of the parameters of the equations by one of the theory, by name."""
        moved, x = self.step.derivatives(parameter, {**shown, "width": math.inf}), class_symbols(self.classes.count, 1)
        if parameter not in self.names:
            return moved
        r, c = moved.pop("r"), moved.pop("c")
        for (u,), norm, (value, _) in zip(x.u, x.c, self.readout):
            moved |= {u.name: float(value) * r, norm.name: float(value) ** 2 * c}
        return moved

    def read(self, shown: Mapping[str, Any]) -> tuple[Any, tuple[float, ...]]:
        """Return the classes and the overlap after the step."""
        found, x = self.floats(shown), class_symbols(self.classes.count, 1)
        return tuple(((found[u.name],), found[c.name], float(fraction))
                     for (u,), c, (_, fraction) in zip(x.u, x.c, self.readout)), (found["gamma"],)

    def describe_overlap(self, shown: Mapping[str, Any]) -> str:
        """Return what puts the target along the spike, as messages quote it."""
        return f"alpha0: got {shown['alpha0']!r}"

    def describe_point(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a solution, with the quantities that the step makes of them."""
        units, (gamma,) = self.read(shown)
        return {**shown, "gamma": gamma, "units": units, "c": max((c for _, c, _ in units), key=lambda c: abs(c - 1))}


class ReadoutStep(ClassFeatures):
    """Solve :class:`~asympkit.OneStep` with values of the initial readout."""

    name = "one step"

    def __init__(self, theory: OneStep, case: EquationCase, layer: ReadoutLayer) -> None:
        super().__init__(theory.functions, theory.readout, case, layer)
        self.assumptions = theory.assumptions


def choose_readout(theory: OneStep, given: Mapping[str, Any]) -> ReadoutStep:
    """Return the theory of the values of the readout at a call."""
    if theory.student.parity != "odd":
        raise DomainError(f"readout: got several values with the student {theory.student.name!r}, which is not odd; "
                          "the step of units with different readouts is known for odd students: expected one, or "
                          "readout=None")
    if theory.readout.is_learned:
        raise DomainError("bias: got 'learned' with values of the readout, whose bias is fixed: expected a number")
    case = EquationCase(*theory.find_teacher(given))
    step = tuple(p for p in theory.declared if p.name in ("eta", "alpha0"))
    return theory._once(("readout", case), lambda: ReadoutStep(
        theory, case, ReadoutLayer(theory.step, theory.readout_values, step)))


def _simulate(theory, parameters, *, d, model, **how):
    """Train the real network from an initial readout of these values, or sample spiked features."""
    from ...simulate import simulate_network, simulate_spiked

    grid, at = get_simulation_grid(parameters, theory.declared)
    p = theory.read_simulated(at, d)
    given = {"beta": p["beta"], "noise_variance": p["noise_variance"], **training(theory, p)}
    if model == "network":
        readout = [(float(value), float(fraction)) for value, fraction in theory.layer.readout]
        return simulate_network(theory.student, theory.target, d=d, eta=p["eta"], alpha0=p["alpha0"], readout=readout,
                                trained=theory.trained, **given, **how, **grid)
    units, gamma = theory.layer.read(p)
    return simulate_spiked(theory.trained, theory.target, d=d, units=units, gamma=gamma, **given, **how, **grid)


ReadoutStep.simulator = Simulator(
    _simulate, (size("d", "input dimension"),
                choice("model", "the trained network, or spiked features with an isotropic bulk",
                       ("network", "spiked"), "network")), axes=("alpha", "lam"), expected=predict_width)
