r"""``ak.OneStep`` whose readout is not uniform before the step: each of its values makes a class of units.

A unit whose initial readout is :math:`\tilde a/\sqrt p` takes a step :math:`\tilde a` times that of a uniform readout:
for odd students its spike is :math:`\tilde ar`, its bulk has the squared norm :math:`1+\tilde a^2(c-1)`, with r and c
of Result 3.1, and the overlap with the target is the same for all units.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arguments.domains import quote
from ...errors import DomainError
from ..simulator import Simulator, choice, size
from ..spiked_features.channel import ALIGNED, MIXED, NOISELESS
from ..spiked_features.class_features import ClassFeatures, predict_width
from ..spiked_features.classes import UnitClasses, class_symbols
from ..spiked_features.convex import number
from ..spiked_features.equations import symbols
from ..spiked_features.theory import get_simulation_grid
from ..spiked_features.units import merge_equal, read_units, read_width
from .parameters import step_map

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sympy import Symbol

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
    theory : OneStep
        Of a uniform readout.
    readout : tuple of (Fraction, Fraction)
    """

    def __init__(self, theory: OneStep, readout: tuple[tuple[Fraction, Fraction], ...]) -> None:
        self.theory, self.readout, self.classes = theory, readout, UnitClasses(len(readout))
        self.names = theory.step_arguments
        self.smooth = ("eta", "alpha0")
        self.declared = tuple(p for p in theory.declared if p.name in ("eta", "alpha0"))

    def bulk(self, has_width: bool = True) -> UnitClasses:
        """Return the bulk, which has the width as a parameter."""
        return self.classes

    def floats(self, shown: Mapping[str, Any], parameters: Mapping[str, Any] | None = None,
               digits: int = 0) -> dict[str, float]:
        """Return the parameters of the equations in double precision, by name."""
        r, c, gamma, rho = self.theory._step_parameters(shown)
        found = self._of_step({"r": r, "c": c}, float)
        return {**{s.name: v for s, v in found.items()}, "gamma": gamma, "rho": rho,
                "inverse_width": 1.0 / shown["width"]}

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
        s, width = symbols(), parameters.get("width", math.inf)
        step = self.theory._precise_step(parameters, numbers)
        is_limit = read_width(width) == math.inf
        return {**self._of_step(step, numbers.number), s.gamma: step["gamma"], s.rho: step["rho"],
                s.inverse_width: numbers.number(0) if is_limit else 1 / numbers.number(width)}

    def derivatives(self, parameter: str, shown: Mapping[str, Any]) -> dict[str, float]:
        """Return the derivatives of the parameters of the equations by one of the theory, by name."""
        rates = {} if parameter in ("eta", "alpha0") else {parameter: 1.0}
        if parameter not in self.names:
            return rates
        if parameter == "alpha0" and math.isinf(shown["alpha0"]):
            raise DomainError("alpha0: got inf; a derivative by alpha0 needs a finite number")
        theory, x = self.theory, class_symbols(self.classes.count, 1)
        moved = step_map(theory.first_labels).derivatives(parameter, shown, theory.functions, theory._settled)
        for (u,), c, (value, _) in zip(x.u, x.c, self.readout):
            rates |= {u.name: float(value) * moved["r"], c.name: float(value) ** 2 * moved["c"]}
        return {**rates, "gamma": moved["gamma"], "rho": moved["rho"]}

    def read(self, shown: Mapping[str, Any]) -> tuple[Any, tuple[float, ...]]:
        """Return the classes and the overlap after the step."""
        found, x = self.floats(shown), class_symbols(self.classes.count, 1)
        return tuple(((found[u.name],), found[c.name], float(fraction))
                     for (u,), c, (_, fraction) in zip(x.u, x.c, self.readout)), (found["gamma"],)


class ReadoutStep(ClassFeatures):
    """Solve :class:`~asympkit.OneStep` with values of the initial readout."""

    name = "one step"

    def locate_point(self, parameters: Mapping[str, Any], digits: int = 0) -> Any:
        point = super().locate_point(parameters, digits)
        units, (gamma,) = self.layer.read(point.shown)
        if not self.is_half_square and (abs(gamma) == 1.0) is not (self.teacher != MIXED):
            raise DomainError(f"alpha0: got {point.shown['alpha0']!r} among others; the population gradient has its "
                              "own equations: give alpha0=inf alone")
        texts = [text for u, c, _ in units for text in (
            a.describe_violation({**point.shown, "c": c}) for a in self.layer.theory.assumptions
            if not a.holds({**point.shown, "c": c}))]
        return point._replace(shown={**point.shown, "gamma": gamma, "units": units},
                              assumptions=tuple(dict.fromkeys(texts)))


def choose_readout(theory: Any, given: Mapping[str, Any]) -> ReadoutStep | None:
    """Return the theory of the values of the readout at a call; None if all are 1 in size."""
    if theory.readout_values == ((1, 1),):
        return None
    if theory.student.parity != "odd":
        raise DomainError(f"readout: got several values with the student {theory.student.name!r}, which is not odd; "
                          "the step of units with different readouts is known for odd students: expected one, or "
                          "readout=None")
    loss, labels, *_, bias = getattr(theory, "arguments", ("square", "regression", "isotropic", 0.0))
    teacher, direction = MIXED, 1
    if not (loss == "square" and labels == "regression") and number(given.get("alpha0")) == math.inf:
        linear = 1.0 if labels == "sign" else float(theory.target.hermite_coefficients(1)[1])
        is_noisy = labels == "regression" or number(given.get("noise_variance", 0.0)) != 0.0
        teacher, direction = ALIGNED if is_noisy else NOISELESS, int(np.sign(linear)) or 1
    key = teacher, direction
    if key not in theory.class_theories:
        layer = ReadoutLayer(theory, theory.readout_values)
        theory.class_theories[key] = ReadoutStep(theory.student, theory.target, loss, labels, bias, teacher, direction,
                                                 layer)
    return theory.class_theories[key]


def _simulate(theory, parameters, *, d, model, **how):
    """Train the real network from an initial readout of these values, or sample spiked features."""
    from ...simulate import simulate_network, simulate_spiked

    grid, at = get_simulation_grid(parameters, theory.declared)
    p = theory.read_simulated(at, d)
    task = None if theory.is_ridge else replace(theory.task, flip=p.get("flip", 0.0))
    given = {n: p[n] for n in ("beta", "noise_variance")}
    if model == "network":
        readout = [(float(value), float(fraction)) for value, fraction in theory.layer.readout]
        return simulate_network(theory.student, theory.target, d=d, eta=p["eta"], alpha0=p["alpha0"], readout=readout,
                                task=task, trained=theory.shifted_student, **given, **how, **grid)
    units, gamma = theory.layer.read(p)
    return simulate_spiked(theory.shifted_student, theory.target, d=d, units=units, gamma=gamma, task=task, **given,
                           **how, **grid)


ReadoutStep.simulator = Simulator(
    _simulate, (size("d", "input dimension"),
                choice("model", "the trained network, or spiked features with an isotropic bulk",
                       ("network", "spiked"), "network")), axes=("alpha", "lam"), expected=predict_width)
