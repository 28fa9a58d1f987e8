"""Define the interface between a theory and the engine: declarations, and the methods that the engine calls.

The methods for users list the parameters of the theory that they are looked up on, in signature and documentation.
"""

from __future__ import annotations

import re
from functools import update_wrapper, wraps
from inspect import Parameter as Argument
from inspect import signature
from keyword import iskeyword
from textwrap import indent, wrap
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from ..arguments import check_choice, check_text, collect_parameters
from ..errors import DomainError, UnknownNameError, note_when_long, suggest, warn_assumption, warn_deprecated
from ..once import Deferred, computed_once

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sympy import Expr, Symbol

    from ..activations import Activation
    from ..annotations import Bools, Floats, FloatsMean, Format
    from ..certify.solutions import CertifiedSolution
    from ..comparison import Tolerance
    from ..continuation.equations import Equations, TornEquations
    from ..equations.system import System
    from ..errors import ConvergenceError
    from ..program.names import Names
    from ..program.statements import Program
    from ..sensitivity.run import Tangent
    from ..solve.kernel import Kernel
    from ..solve.solution import Solution
    from .declaration import Assumption, Option, Parameter, Simulator
    from .derived import Derived
    from .limits import Limit

_continuation, _display = Deferred("asympkit.continuation.equations"), Deferred("asympkit.theories.display")

#: the methods that take the parameters of a theory
THEORY_METHODS = ("solve", "precise", "certify", "sweep", "minimize", "maximize", "sensitivity", "continuation",
                  "solutions", "simulate", "check", "compare", "plot", "report")
_SIMULATING = ("simulate", "check")
_WITH_BARS = ("sweep", *_SIMULATING)
_REST = re.compile(r"^( *)\*\*parameters\b[^\n]*\n(?:\1 +[^\n]*\n|(?=\n\1 ))*", re.MULTILINE)


def describe_methods(cls):
    """Make a :class:`Method` of each theory method that a class defines; an override without docstring inherits it."""
    for name in THEORY_METHODS:
        function = vars(cls).get(name)
        if isinstance(function, FunctionType):
            if function.__doc__ is None:
                overridden = next(c for c in cls.__mro__[1:] if name in vars(c))
                function.__doc__ = vars(overridden)[name].function.__doc__
            setattr(cls, name, Method(function))


class Method:
    """A method of a theory, with the signature and documentation of the theory it is looked up on.

    Its function has ``**parameters`` for the parameters of the theory.  Looked up, it is a plain function (bound to the
    instance, if there is one) that calls the function of the class body: a debugger that steps into
    ``theory.solve(...)`` passes :func:`call_described` and stands in ``solve``.
    """

    def __init__(self, function):
        self.function = function
        update_wrapper(self, function)

    def __get__(self, instance, owner=None):
        # described once for a theory with parameters or a simulator of its own, and else once for its class
        is_builtin = instance is not None and ("declared" in vars(instance) or "simulator" in vars(instance))
        holder = instance if is_builtin else owner
        described = vars(holder).get("_described_methods")
        if described is None:
            described = holder._described_methods = {}
        function = described.get(self.function)
        if function is None:
            function = described[self.function] = _describe(self.function, holder)
        return function if instance is None else MethodType(function, instance)


def _describe(function, theory):
    """Return a function that calls another one, and lists the parameters of a theory in signature and documentation.

    Names that are no identifiers, or arguments of the function, are documented and stand in ``parameters={...}``.
    """
    name = function.__name__

    @wraps(function)
    def call_described(self, *arguments, **keywords):
        theory = self.regime(name, keywords)
        if theory is self and name not in _WITH_BARS:
            with note_when_long(f"{name} of {self.name} takes a while; what a first call derives and compiles is kept"):
                return function(self, *arguments, **keywords)
        if theory is self:
            return function(self, *arguments, **keywords)
        return getattr(theory, name)(*arguments, **keywords)

    plain = signature(function)
    own = [a for a in plain.parameters.values() if a.kind is not Argument.VAR_KEYWORD]
    rest = [a for a in plain.parameters.values() if a.kind is Argument.VAR_KEYWORD]
    settings = theory.simulator.settings if name in _SIMULATING and theory.simulator else ()
    replaced = {*theory.implied, *(s.name for s in settings)}
    shown = (*(p for p in theory.declared if p.name not in replaced), *settings)
    listed = [p for p in shown
              if p.name.isidentifier() and not iskeyword(p.name) and p.name not in plain.parameters]
    # each is annotated as all of them are in the function itself
    annotation = rest[0].annotation if rest else Argument.empty
    added = [Argument(p.name, Argument.KEYWORD_ONLY, default=Argument.empty if p.is_required else p.default,
                      annotation=annotation) for p in listed]
    positional = [a for a in own if a.kind is not Argument.KEYWORD_ONLY]
    keyword_only = [a for a in own if a.kind is Argument.KEYWORD_ONLY]
    call_described.__signature__ = plain.replace(parameters=[*positional, *added, *keyword_only, *rest])
    call_described.__doc__ = _list_parameters(function.__doc__, shown)
    return call_described


def _list_parameters(text, declared):
    """Put the parameters of a theory in front of ``**parameters`` in a docstring."""
    found = _REST.search(text if text.endswith("\n") else text + "\n") if text and declared else None
    if not found:
        return text
    space, lines = found[1], []
    for p in declared:
        lines.append(f"{space}{p.name} : {p.expectation}\n")
        lines.append(indent("\n".join(wrap(p.meaning, 100)), space + "    ") + "\n" if p.meaning else "")
    return text[:found.start()] + "".join(lines) + found[0] + text[found.end():]


#: a solution in some number type
S = TypeVar("S", bound="Solution[Any]")
#: digits for derived parameters of a point that double precision cannot compute
_DIGITS = 40


class Point(NamedTuple):
    """Hold one parameter point in the form a kernel takes: values in the order of its parameters, and arrays.

    ``shown`` are the parameters of the theory by name, as users see them; ``assumptions`` the texts of those that do
    not hold.  In a ``limit`` of the theory the values hold its tiny value in place of 0.
    """

    values: tuple[float, ...]
    table_parameters: tuple[Any, ...]
    arrays: tuple[Floats, ...]
    shown: dict[str, Any]
    assumptions: tuple[str, ...] = ()
    limit: Limit | None = None

    @property
    def reached_limit(self) -> Limit | None:
        """Return the limit if the point lies in it."""
        return self.limit if self.limit is not None and self.shown.get(self.limit.parameter) == 0.0 else None

    def meets_limit(self, grid: Mapping[str, Floats]) -> bool:
        """Return whether the limit holds points of a grid of some of the parameters."""
        return self.limit is not None and not np.all(grid.get(self.limit.parameter, self.shown[self.limit.parameter]))

    def along(self, name: str, axis: Floats) -> Floats:
        """Return values of a parameter along an axis, as the equations take them."""
        if self.limit is None or name != self.limit.parameter:
            return axis
        return np.where(axis == 0.0, self.limit.value, axis)

    def settle(self, method: str, solution: S, digits: int = 0) -> S:
        """Return the solution of a method, with the infinities and zeros of the limit if the point lies in it."""
        return solution if self.reached_limit is None else self.reached_limit.settle(method, solution, self, digits)

    def require_rate(self, quantity: str, parameter: str) -> None:
        """Raise if a derivative does not exist in the limit."""
        if self.reached_limit is not None:
            self.reached_limit.require_rate(quantity, parameter, self)


class _NamesItsArguments(type):
    """Report a wrong constructor call in terms of the public class, also when a subclass takes the arguments."""

    def __call__(cls, *arguments, **keywords):
        taken = signature(cls)
        try:
            taken.bind(*arguments, **keywords)
        except TypeError:
            raise _wrong_call(cls.__name__, taken.parameters, arguments, keywords) from None
        return super().__call__(*arguments, **keywords)

    def __dir__(cls):
        return [*_display.list_public_names(cls), "__init__"]           # what help() shows

    @property
    def __signature__(cls):
        of_instance = signature(cls.__init__)
        return of_instance.replace(parameters=list(of_instance.parameters.values())[1:])


def _wrong_call(name, parameters, arguments, keywords):
    """Return the error for arguments that a class does not take."""
    known = [n for n, p in parameters.items() if p.kind is not p.VAR_KEYWORD]
    positional = [n for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
    takes = f"{name} takes {', '.join(known)}"
    for n in keywords:
        if n not in known:
            return UnknownNameError(f"{name}: unknown argument {n!r}{suggest(n, known)}; {takes} (numbers such as "
                                    "penalties go to solve and the other methods)")
    if len(arguments) > len(positional):
        return DomainError(f"{name}: got {len(arguments)} arguments without names; {takes}"
                           + f", the first {len(positional)} with or without names" * (len(positional) < len(known)))
    if twice := [n for n in positional[:len(arguments)] if n in keywords]:
        return DomainError(f"{name}: got {twice[0]} twice, by its place and by its name; expected it once")
    given = {*positional[:len(arguments)], *keywords}
    missing = [n for n in known if n not in given and parameters[n].default is parameters[n].empty]
    return DomainError(f"{name}: missing {', '.join(missing)}; {takes}, and needs "
                       f"{', '.join(n for n in known if parameters[n].default is parameters[n].empty)}")


class Declared(metaclass=_NamesItsArguments):
    """Base of theories: declarations, and points of their parameters."""

    name: str = "model"
    #: the equations are its derivatives; None if the equations are stated directly
    free_energy: Expr | None = None
    #: activations by label
    functions: dict[str, Activation] = {}
    #: other constructor arguments that differ from their defaults, by name
    chosen: Mapping[str, Any] = {}
    #: constructor arguments as :class:`~asympkit.theories.declaration.Option`; none for a theory in a file
    options: tuple[Option, ...] = ()
    #: names of public attributes beside those of every theory
    offers: tuple[str, ...] = ()
    #: the parameters, as :class:`~asympkit.theories.declaration.Parameter`
    declared: tuple[Parameter, ...] = ()
    #: names of parameters that follow from others and are never given
    implied: tuple[str, ...] = ()
    #: conditions on parameters of a generated module, names in braces, with the expectation; they replace domains
    module_tests: dict[str, tuple[str, str]] = {}
    #: source of implied parameters of such a module that follow from its arrays, names in braces
    module_values: dict[str, str] = {}
    #: assumptions on the parameters, as :class:`~asympkit.theories.declaration.Assumption`
    assumptions: tuple[Assumption, ...] = ()
    #: differences to its simulation that the theory is allowed, as :class:`~asympkit.comparison.Tolerance`
    tolerances: tuple[Tolerance, ...] = ()
    #: how the finite model is drawn, as :class:`~asympkit.theories.declaration.Simulator`
    simulator: Simulator | None = None
    #: names of parameters that the tables depend on, and of arguments that are arrays
    table_names: tuple[str, ...] = ()
    array_names: tuple[str, ...] = ()
    #: the map from parameters to derived quantities, and names of those, such as r, gamma, c of a step
    map: Derived | None = None
    derived_names: tuple[str, ...] = ()
    #: formulas of derived parameters, by name
    meanings: Mapping[str, str] = {}
    #: the limit of a parameter to 0, as a :class:`~asympkit.theories.limits.Limit`; None if there is none
    limit: Limit | None = None

    if TYPE_CHECKING:               # defined by every theory
        @property
        def system(self) -> System:
            """Return the equations with their structure."""

        @property
        def program(self) -> tuple[Program, Names]:
            """Return the lowered program and its names."""

        @property
        def kernel(self) -> Kernel:
            """Return the solver."""

        def source(self, language: str = "python", derivatives: bool = False) -> str:
            """Return the source text of the exported module."""

    @property
    def applied_free_energy(self) -> Expr | None:
        """Return the free energy with its activations applied by label, as it was differentiated."""
        return self.free_energy

    @property
    def lowered_system(self) -> System:
        """Return the equations as they are lowered to a program."""
        return self.system

    @property
    def program_for_proofs(self) -> tuple[Program, Names]:
        """Return the program whose solution is proved, with its names."""
        return self.program

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        describe_methods(cls)

    def __repr__(self) -> str:
        return _display.line_of(self)

    def _repr_html_(self) -> str:
        return _display.html_of(self)

    def __dir__(self) -> list[str]:
        return _display.list_public_names(type(self))

    @property
    def grants(self) -> tuple[Tolerance, ...]:
        """Deprecated name of ``tolerances``."""
        warn_deprecated("grants", "tolerances")
        return self.tolerances

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the arguments: parameters and arrays."""
        return (*[p.name for p in self.declared if p.name not in self.implied], *self.array_names)

    def regime(self, method: str, keywords: Mapping[str, Any]) -> Declared:
        """Return the theory that a call uses, among several declarations of this one."""
        return self

    def optimal_error(self, quantity: str, parameters: Mapping[str, Any]) -> tuple[float, str]:
        """Return an error of the best learner of the same labels at a point, and in words which samples it has."""
        raise DomainError(f"plot: got optimum=True; of {self.name} no optimal learner is known: expected a network "
                          "that learns a target of one projection from samples, as OneStep and GradientSteps")

    def at_width(self) -> Declared:
        """Return the theory whose number of hidden units is a parameter."""
        raise DomainError(f"width: got True; {self.name} has no number of hidden units: expected False")

    def variant(self, values: Mapping[str, Any]) -> Declared:
        """Return the theory of the same unknowns whose equations hold at a point."""
        return self

    @property
    def quantities(self) -> tuple[str, ...]:
        """Return the names of all quantities: observables, unknowns, and those that follow from the parameters."""
        return (*self.kernel.module.OBSERVABLES, *self.kernel.module.UNKNOWNS, *self.derived_names)

    def check_quantity(self, method: str, quantity: str) -> None:
        """Raise unless the name is that of a quantity."""
        check_text("quantity", quantity, f"the name of a quantity: {', '.join(self.quantities)}")
        if quantity not in self.quantities:
            raise UnknownNameError(f"{method}: no quantity {quantity!r}{suggest(quantity, self.quantities)}; known are "
                                   f"{', '.join(self.quantities)}")

    def fixed_names(self) -> tuple[str, ...]:
        """Return the arguments that cannot be axes: arrays, and parameters that are lists."""
        return (*self.array_names, *(p.name for p in self.declared if not p.is_axis))

    def accept_solution(self, method: str, solution: S) -> S:
        """Return the solution found by a method, or raise if it violates a declaration."""
        return solution

    def accept_proof(self, solution: CertifiedSolution, parameters: Mapping[str, Any],
                       floats: FloatsMean) -> CertifiedSolution:
        """Check a certified solution as :meth:`accept_solution` does; a theory may prove more of it here."""
        return self.accept_solution("certify", solution)

    def explain_error(self, method: str, error: ConvergenceError, point: Point,
                  reached: Solution[float] | None) -> ConvergenceError:
        """Return the error of a method, extended by its cause if that is known from the last iterate."""
        return error

    def outside(self, values: Floats) -> Bools | None:
        """Return a mask of the solutions (last axis: outputs) that violate declared domains; None if none can."""
        return None

    def substitute_limit(self, point: Point) -> Point:
        """Return a point with the tiny value of the limit in place of 0."""
        if self.limit is None:
            return point
        values = dict(zip(self.kernel.module.PARAMETERS, point.values))
        if values[self.limit.parameter] == 0.0:
            values[self.limit.parameter] = self.limit.value
        return point._replace(values=tuple(values.values()), limit=self.limit)

    def broken(self, shown: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the texts of the assumptions that do not hold."""
        return tuple([a.describe_violation(shown) for a in self.assumptions if not a.holds(shown)])

    def make_point(self, known: Mapping[str, Any], shown: dict[str, Any], arrays: Mapping[str, Any] = {}) -> Point:
        """Return the point at values of the kernel's parameters by name, ``shown`` to users as others."""
        module = self.kernel.module
        values, table = (tuple(known[n] for n in names) for names in (module.PARAMETERS, module.TABLE_PARAMETERS))
        return self.substitute_limit(Point(values, table, tuple(arrays.values()), shown, self.broken(shown)))

    def refuse_limit(self, method: str, why: str, parameters: Mapping[str, Any], over: str | None = None,
                     ends: tuple[Any, ...] = ()) -> None:
        """Raise for a point, or an end of a path, in a limit that a method does not support."""
        if self.limit is None:
            return
        name = self.limit.parameter
        declared = next(p for p in self.declared if p.name == name)
        for value in ends if over == name else (parameters.get(name),):
            if value is not None and declared.check(value) == 0.0:
                raise DomainError(f"{method}: got {name} = 0; {why}: expected {name} > 0")

    def locate_point(self, parameters: Mapping[str, Any], digits: int = 0) -> Point:
        """Validate parameters and return a :class:`Point`.

        With ``digits``, quantities that double precision cannot compute are computed with that many digits and rounded;
        without, they raise a LostDigitsError.
        """
        raise DomainError(f"{type(self).__name__}: no parameters are defined")

    def given(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a call by name: keywords, and those in ``parameters={name: value}``."""
        return collect_parameters(parameters, self.names)

    def default_check_digits(self, parameters: Mapping[str, Any]) -> int:
        """Return the default number of digits of :meth:`check`: as many as do not take minutes."""
        return 40

    def warn(self, texts: Iterable[str]) -> None:
        """Issue an AssumptionWarning for each text that this object has not issued before."""
        known = self.__dict__.setdefault("_warned", set())
        for text in texts:
            warn_assumption(text, known)

    def point(self, parameters: Mapping[str, Any]) -> Point:
        """Validate parameters as :meth:`locate_point`, and warn of each assumption that does not hold."""
        return self._by_itself(self.locate_point(parameters))

    def precise_point(self, parameters: Mapping[str, Any]) -> Point:
        """Validate parameters as :meth:`point`, as the start of a multiprecision solution."""
        return self._by_itself(self.locate_point(parameters, digits=_DIGITS))

    def _by_itself(self, point):
        """Issue the warnings of a point, and raise if it has no limit."""
        self.warn(point.assumptions)
        if point.reached_limit is not None:
            point.reached_limit.powers(point)
        return point

    def rough_point(self, parameters: Mapping[str, Any]) -> Point:
        """Validate parameters as :meth:`point`, as the start of a proof, which may decide what doubles cannot."""
        return self.precise_point(parameters)

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        """Return the program's parameters in a number system, ``{symbol: number}``."""
        raise DomainError(f"{type(self).__name__}: no parameters are defined")

    def equations(self) -> System:
        """Return the saddle-point equations, derived from the free energy.

        Returns
        -------
        System
            With ``.unknowns``, ``.equations``, ``.blocks``, ``.text()``, ``.latex()``, ``.mathml()``.
        """
        return self._described

    @computed_once
    def _described(self):
        """Return the system with the meanings of the parameters."""
        return self.system.with_(meanings={**{p.name: p.meaning for p in self.declared if p.meaning},
                                           **self.system.meanings})

    @property
    def stated(self) -> tuple[Expr, ...]:
        """Return the equations that are stated directly, or nothing if they are derivatives of a free energy."""
        return () if self.free_energy is not None else tuple(self.system.equations)

    def derive(self, format: Format = "text") -> str:
        """Return the derivation of the equations: free energy or stated equations, then the system, block by block.

        Parameters
        ----------
        format : {"text", "latex", "mathml", "html"}
            ``html`` is a whole page.

        Returns
        -------
        str
        """
        check_choice("format", format, tuple(_display.FORMATS))
        return _display.write_equations(self, format)

    @computed_once
    def activations(self) -> tuple[Activation, ...]:
        """Return the activations in the order of the kernel."""
        return tuple(self.functions[label] for label in self.kernel.module.ACTIVATIONS)

    def switches(self, quantity: str) -> Sequence[tuple[Expr, Expr]]:
        """Return ``(node, argument)`` of each switch between formulas, in a quantity or the equations."""
        return ()

    @property
    def smooth(self) -> tuple[str, ...]:
        """Return the names of the parameters by which derivatives can be taken."""
        moving = {s.name for s in self.program[0].parameters}
        return tuple(p.name for p in self.declared if p.name in moving and p.name not in self.implied)

    def derivatives(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> dict[str, float]:
        """Return derivatives of the program's parameters by a parameter of the theory, ``{name: float}``; others are 0.

        The set of names does not depend on the value of that parameter.  DomainError where they are not differentiable.
        """
        return {parameter: 1.0}

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        """Return the tangent system along one parameter at a point, as a :class:`~asympkit.sensitivity.Tangent`."""
        raise DomainError(f"{type(self).__name__}: no parameters are defined")

    @computed_once
    def path_kernels(self) -> dict[Any, Kernel]:
        """Return the kernels of the paths that have been followed."""
        return {}

    def equations_of_path(self, over: str, parameters: Mapping[str, Any], first: Point,
                          last: Point) -> Equations | TornEquations:
        """Return the equations that a continuation follows between two points, with their Jacobian."""
        return _continuation.Equations(self, over, parameters, first)

    def __getstate__(self) -> dict[str, Any]:
        """Return what was given: other processes derive the rest anew."""
        return {k: v for k, v in self.__dict__.items() if k not in ("_described_methods", "_warned")
                and not isinstance(getattr(type(self), k, None), computed_once)}
