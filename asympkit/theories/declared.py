"""What a theory declares, and what the engine asks of it."""

import warnings
from functools import cached_property
from typing import NamedTuple

from ..arguments.names import given
from ..arguments.requests import check_text
from ..errors import AssumptionWarning, DomainError, UnknownNameError, suggest
from ..once import computed_once
from .verbs import document_verbs

__all__ = ["Declared", "Point", "warn_assumptions"]

#: digits with which a point is located where double precision does not suffice
_DIGITS = 40


class Point(NamedTuple):
    """One parameter point as a kernel needs it."""

    values: tuple
    table_parameters: tuple
    arrays: tuple
    shown: dict
    assumptions: tuple = ()


def warn_assumptions(assumptions):
    """Issue one AssumptionWarning for each broken assumption."""
    for text in assumptions:
        warnings.warn(text, AssumptionWarning, stacklevel=4)


class Declared:
    """Base of theories: what they are, and where they are at a point of their parameters."""

    name = "model"
    #: what the equations are derivatives of; None where they are stated themselves
    free_energy = None
    #: activations by label
    functions = {}
    #: what the constructor takes, as :class:`~asympkit.theories.declaration.Option`; nothing for a theory in a file
    options = ()
    #: the parameters, as :class:`~asympkit.theories.declaration.Parameter`
    declared = ()
    #: parameters the tables depend on, and what is given as arrays
    table_names = ()
    array_names = ()
    #: quantities that follow from the parameters, as :class:`~asympkit.theories.derived.Derived`
    map = None
    #: what the parameters are assumed to fulfil, as :class:`~asympkit.theories.declaration.Assumption`
    assumptions = ()
    #: differences to its simulation that the theory is allowed, as :class:`~asympkit.comparison.Grant`
    grants = ()
    #: how the finite model is drawn, as :class:`~asympkit.theories.simulator.Simulator`
    simulator = None

    def __init_subclass__(cls, **named):
        super().__init_subclass__(**named)
        document_verbs(cls)

    @property
    def names(self):
        """What is typed: names of parameters and arrays."""
        return (*[p.name for p in self.declared], *self.array_names)

    def regime(self, verb, keywords):
        """The declaration that a call is about, where the theory has several: a Model, by what the verb is given."""
        return self

    @property
    def quantities(self):
        """What has derivatives and minima: observables and unknowns."""
        return (*self.kernel.module.OBSERVABLES, *self.kernel.module.UNKNOWNS)

    def check_quantity(self, verb, quantity):
        """Raise unless a quantity has derivatives and minima."""
        check_text("quantity", quantity, f"the name of a quantity: {', '.join(self.quantities)}")
        if quantity not in self.quantities:
            raise UnknownNameError(f"{verb}: no quantity {quantity!r}{suggest(quantity, self.quantities)}; known are "
                                   f"{', '.join(self.quantities)}")

    def fixed_names(self):
        """What is never an axis: arrays, and parameters that are lists by nature."""
        return (*self.array_names, *(p.name for p in self.declared if not p.is_axis))

    def accepted(self, verb, solution):
        """The solution of a verb, unless it violates what is declared of it."""
        return solution

    def accepted_proof(self, solution, parameters, floats):
        """As :meth:`accepted`, for balls; more may be proved of them here."""
        return self.accepted("certify", solution)

    def explained(self, verb, error, point, reached):
        """A ConvergenceError of a verb that reached some Solution or None, or one that says more of its reason."""
        return error

    def outside(self, values):
        """Which of several solutions (outputs along the last axis) violate what is declared of unknowns; None if none
        can."""

    def located(self, parameters, means=None, digits=0):
        """Validate parameters and return a :class:`Point`.

        ``means`` makes means of activations: :func:`asympkit.runtime.means.normal_means`, or what it is given.  With
        ``digits`` what double precision has no digits for is computed with as many, and rounded.

        Raises
        ------
        LostDigitsError
            Without ``digits``, where something cannot be computed in double precision.
        """
        raise DomainError(f"{type(self).__name__}: no parameters are defined")

    def given(self, parameters):
        """The parameters of a verb by name: its keywords, and those in ``parameters={name: value}`` among them."""
        return given(parameters, self.names)

    def point(self, parameters):
        """As :meth:`located`, with an AssumptionWarning for each assumption that does not hold."""
        point = self.located(parameters)
        warn_assumptions(point.assumptions)
        return point

    def precise_point(self, parameters):
        """As :meth:`point`, to compute many digits from: what double precision has no digits for is no obstacle."""
        point = self.located(parameters, digits=_DIGITS)
        warn_assumptions(point.assumptions)
        return point

    def rough_point(self, parameters):
        """As :meth:`point`, to start a proof from: what double precision cannot decide is not refused."""
        return self.precise_point(parameters)

    def precise_values(self, parameters, numbers):
        """The program's parameters in a number system, ``{symbol: number}``."""
        raise DomainError(f"{type(self).__name__}: no parameters are defined")

    def equations(self):
        """The saddle-point equations, derived from the free energy.

        Returns
        -------
        System
            With ``.unknowns``, ``.equations``, ``.blocks``, ``.text()``, ``.latex()``, ``.mathml()``.
        """
        return self.system

    @property
    def stated(self):
        """The equations that are stated, where they are no derivatives of a free energy."""
        return () if self.free_energy is not None else tuple(self.system.equations)

    @property
    def meanings(self):
        """Parameters of the equations that follow from what is typed: ``{name: how}``."""
        return {}

    def derive(self, format="text"):
        """Where the equations come from: the free energy, or stated equations, and the system, block by block.

        Parameters
        ----------
        format : {"text", "latex", "mathml"}

        Returns
        -------
        str
        """
        from ..arguments.domains import check_choice
        from .shown import FORMATS, written

        check_choice("format", format, tuple(FORMATS))
        return written(self, format)

    @computed_once
    def activations(self):
        """The activations in the order of the kernel."""
        return tuple(self.functions[label] for label in self.kernel.module.ACTIVATIONS)

    def switches(self, quantity):
        """``(node, argument)`` of what switches between formulas in a quantity and the equations, where the argument
        is zero."""
        return ()

    @property
    def smooth(self):
        """Parameters that a derivative can be taken by."""
        moving = {s.name for s in self.program[0].parameters}
        return tuple(p.name for p in self.declared if p.name in moving)

    def rates(self, parameter, parameters, point):
        """How fast the program's parameters move with a parameter of the theory, ``{name: float}``; others rest.

        Which ones are named does not depend on the value of that parameter.

        Raises
        ------
        DomainError
            Where they are not differentiable.
        """
        return {parameter: 1.0}

    def tangent(self, parameter, parameters, point):
        """The tangent system along one parameter at a point, as a :class:`~asympkit.sensitivity.Tangent`."""
        raise DomainError(f"{type(self).__name__}: no parameters are defined")

    def __getstate__(self):
        """What was given: other processes derive the rest anew."""
        return {k: v for k, v in self.__dict__.items()
                if k != "_documented" and not isinstance(getattr(type(self), k, None), cached_property | computed_once)}
