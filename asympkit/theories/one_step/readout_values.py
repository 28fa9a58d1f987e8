r"""``ak.OneStep`` whose readout is not uniform before the step: each of its values makes a class of units.

A unit whose initial readout is :math:`\tilde a/\sqrt p` takes a step :math:`\tilde a` times that of a uniform readout:
for odd students its spike is :math:`\tilde ar`, its bulk has the squared norm :math:`1+\tilde a^2(c-1)`, with r and c
of Result 3.1, and the overlap with the target is the same for all units.  At a finite width the output before the step
turns the spike a little, against the mean rows of the classes (:mod:`..spiked_features.classes`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from sympy import Integer, Rational, Symbol, sqrt

from ...arguments import quote
from ...errors import DomainError
from ...nodes import Named
from ..declaration import Simulator
from ..derived import Derived
from ..spiked_features.class_features import ClassFeatures
from ..spiked_features.classes import UnitClasses, class_symbols, merge_equal, read_units, read_width
from ..spiked_features.equations import symbols
from ..spiked_features.parts import EquationCase
from ..spiked_features.simulation import predict
from .step import StepLayer
from .theory import SETTINGS, OneStep, simulate

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_readout(value: Any) -> tuple[tuple[Fraction, Fraction], ...]:
    """Return the values of a readout with their shares, opposite ones as one; the uniform one is ``((1, 1),)``.

    DomainError for anything but a list of (value, fraction).
    """
    try:
        units = read_units([(entry, 1, fraction) for entry, fraction in value])
    except (TypeError, ValueError, DomainError) as error:
        reason = f" ({error})" if isinstance(error, DomainError) else ""
        raise DomainError(f"readout: got {quote(value)}; expected a list of (value, fraction) whose fractions are "
                          f"positive and sum to 1{reason}") from None
    return tuple((abs(u[0]), fraction) for u, _, fraction in merge_equal(units, is_odd=True))


@cache
def classes_of_step(readout: tuple[tuple[Fraction, Fraction], ...], is_limit: bool) -> Derived:
    r"""Map a step, as of a uniform readout, to classes of units, and to the overlaps of their spike.

    At a width the spike is along :math:`s-e`, with s that of labels alone and
    :math:`e=\frac{h_1}p\sum_i\tilde a_iw_i`, the output before the step.
    """
    s, x, square = symbols(), class_symbols(len(readout), 1), sum(value**2 * share for value, share in readout)
    arguments, length, rest, tilt, across = [s.r, s.c, s.gamma, s.rho], Integer(1), s.rho, Integer(0), Integer(0)
    if not is_limit:
        arguments += [s.tilt, s.beta, s.inverse_width]
        tilt = Named("of_output", s.tilt * s.beta * s.c)                        # h1/|s|
        more = Named("more", s.inverse_width * Rational(square) * tilt**2)      # |e|^2/|s|^2
        length, rest = Named("length", sqrt(1 + more)), Named("rest", sqrt(s.rho**2 + more))
        tilt, across = tilt / length, s.gamma / rest
    found = {x.across: across, s.gamma: s.gamma / length, s.rho: rest / length}
    for (u,), norm, of_class, (value, _) in zip(x.u, x.c, x.tilt, readout):
        a = Rational(value)
        found |= {u: a * s.r * length, norm: 1 + a**2 * (s.c - 1), of_class: a * tilt}
    return Derived(arguments, {symbol.name: expr for symbol, expr in found.items()})


class ReadoutLayer:
    """Give the equations what they need of the first layer after a step; it has the interface of a UnitsLayer.

    The ``step`` is that of a uniform readout, whose parameters are ``declared``.
    """

    smooth, along = StepLayer.smooth, StepLayer.along

    def __init__(self, step: StepLayer, readout: tuple[tuple[Fraction, Fraction], ...], declared: Any) -> None:
        self.step, self.readout, self.declared, self.names = step, readout, declared, step.names
        self.classes = UnitClasses(len(readout), has_tilt=True)
        shares = zip(class_symbols(len(readout), 1).share, readout)
        self.shares = {share.name: fraction for share, (_, fraction) in shares if share.is_Symbol}

    def _map(self, width):
        return classes_of_step(self.readout, width == math.inf)

    def floats(self, shown: Mapping[str, Any], parameters: Mapping[str, Any] | None = None,
               digits: int = 0) -> dict[str, float]:
        """Return the parameters of the equations in double precision, by name."""
        one = {**self.step.floats(shown, parameters or shown, digits), "beta": shown["beta"]}
        return {**self._map(shown["width"]).floats(one, {})[0], **{n: float(v) for n, v in self.shares.items()},
                "inverse_width": one["inverse_width"]}

    def numbers(self, parameters: Mapping[str, Any], numbers: Any, has_width: bool = True) -> dict[Symbol, Any]:
        """Return the same in a number system, by symbol."""
        width = read_width(parameters.get("width", math.inf))
        one = {e.name: v for e, v in self.step.numbers(parameters, numbers, width != math.inf).items()}
        found = self._map(width).numbers({**one, "beta": parameters.get("beta", 1)}, numbers, {})
        found |= {n: numbers.number(v) for n, v in self.shares.items()}
        found["inverse_width"] = one.get("inverse_width", numbers.number(0))
        return {symbol: found[symbol.name] for symbol in self.classes.program_parameters if symbol.name in found}

    def derivatives(self, parameter: str, shown: Mapping[str, Any]) -> dict[str, float]:
        """Return the derivatives of the parameters of the equations by one of the theory, by name."""
        moved = {"inverse_width": -1.0 / shown["width"] ** 2} if parameter == "width" else \
            self.step.derivatives(parameter, shown)
        if parameter not in (*self.names, "beta", "width"):
            return moved
        one, derived = {**self.step.floats(shown, shown), "beta": shown["beta"]}, self._map(shown["width"])
        found = dict.fromkeys(derived.expressions, 0.0)
        for argument in {s.name for s in derived.arguments} & {*moved}:
            for n, v in derived.derivatives(argument, one, {}).items():
                found[n] += moved[argument] * v
        return {**{n: v for n, v in moved.items() if n not in ("r", "c", "tilt")}, **found}

    def read(self, shown: Mapping[str, Any]) -> tuple[Any, tuple[float, ...]]:
        """Return the classes and the overlap after the step."""
        found, x = self.floats(shown), class_symbols(self.classes.count, 1)
        return tuple(((found[u.name],), found[c.name], float(fraction))
                     for (u,), c, (_, fraction) in zip(x.u, x.c, self.readout)), (found["gamma"],)

    def describe(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """Return the description of the layer for the simulator of spiked features."""
        return dict(zip(("units", "gamma"), self.read(shown)))


class ReadoutStep(ClassFeatures):
    """Solve :class:`~asympkit.OneStep` with values of the initial readout."""

    name = "one step"

    def __init__(self, theory: OneStep, case: EquationCase, layer: ReadoutLayer) -> None:
        super().__init__(theory.functions, theory.readout, case, layer)
        self.assumptions = theory.assumptions
        self.initial_readout = [(float(value), float(fraction)) for value, fraction in layer.readout]

    def _describe_point(self, values, known):
        """Return the parameters of a solution, with the quantities that the step makes of them."""
        units, (gamma,) = self.layer.read(values)
        return {**values, "gamma": gamma, "units": units, "c": max((c for _, c, _ in units), key=lambda c: abs(c - 1))}


def choose_readout(theory: OneStep, given: Mapping[str, Any]) -> ReadoutStep:
    """Return the theory of the values of the readout at a call."""
    if theory.student.parity != "odd":
        raise DomainError(f"readout: got several values with the student {theory.student.name!r}, which is not odd; "
                          "the step of units with different readouts is known for odd students: expected one, or "
                          "readout=None")
    if theory.readout.is_learned:
        raise DomainError("bias: got 'learned' with values of the readout, whose bias is fixed: expected a number")
    # the output before the step leaves some of the target beside the spike
    case = EquationCase(*(theory.find_teacher(given) if given.get("width", math.inf) == math.inf else ()))
    step = tuple(p for p in theory.declared if p.name in ("eta", "alpha0"))
    return theory._once(("readout", case), lambda: ReadoutStep(
        theory, case, ReadoutLayer(theory.step, theory.readout_values, step)))


ReadoutStep.simulator = Simulator(simulate, SETTINGS, axes=("alpha", "lam"), expected=partial(predict, every_loss=True))
