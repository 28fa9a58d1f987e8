"""Declare a theory: its parameters, its assumptions, its simulation and the tolerances for a comparison with it.

Names, checks, documentation and command-line options of every method are derived from these records, for the theories
of the package and for user-defined theories alike.
"""

from __future__ import annotations

import math
import traceback
from collections import UserDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from inspect import signature
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NamedTuple

from sympy import lambdify

from ..arguments import check_choice, check_domain, check_value, ends_of_domain, quote, said_domain
from ..errors import AsympkitError, DomainError, NotAvailableError, StructureError, UnknownNameError, suggest
from ..once import Deferred
from .declared import THEORY_METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sympy import Expr, Symbol
    from sympy.logic.boolalg import Boolean

    from ..annotations import Domain
    from ..comparison import Tolerance
    from .model import Model

_comparison, _notation = Deferred("asympkit.comparison"), Deferred("asympkit.notation")


def call_user_code(function, *arguments, **named):
    """Call a user-defined function; an exception is passed on with its place as the attribute ``raised_in``.

    DomainError if the function calls ``exit``, or raises an exception that cannot be sent to another process.
    """
    try:
        return function(*arguments, **named)
    except AsympkitError:
        raise
    except SystemExit as error:
        raise DomainError(f"{_place(function, error)}: it called exit(); expected a result") from error
    except Exception as error:
        error.raised_in = _place(function, error)
        if not _is_sendable(error):
            raise DomainError(f"{error.raised_in}: {type(error).__name__}: {error}") from error
        raise


def _is_sendable(error):
    """Return whether an exception can be rebuilt from its arguments: a pool of processes breaks on any other."""
    try:
        return isinstance(type(error)(*error.args), type(error))
    except Exception:
        return False


def _place(function, error):
    """Return file, line and function of the innermost call in the file of a function."""
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if code and f.filename == code.co_filename]
    if not frames:
        return f"the function {getattr(function, '__qualname__', type(function).__name__)}"
    return f"{frames[-1].filename}, line {frames[-1].lineno}, in {frames[-1].name}"


class _Required:
    """Mark a parameter without a default."""

    def __repr__(self) -> str:
        return "REQUIRED"

    def __reduce__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


@dataclass(frozen=True)
class Parameter:
    """Declare a parameter of a theory.

    Parameters
    ----------
    symbol : Symbol or str
        Its symbol in the equations, or only its name if the equations contain quantities derived from it.
    meaning : str
    domain : str or (float, float)
        ``"positive"``, ``"nonnegative"``, ``"positive or inf"``, ``"nonnegative or inf"``,
        ``"real"``, ``"[-1, 1]"``, ``"[0, 1]"`` or a pair
        (low, high).
    default : float, optional
        A parameter without a default is required; ``None`` is the default of a parameter that may be absent.
    is_axis : bool
        Whether a sweep may vary it; a parameter whose value is a list is no axis.
    read : callable, optional
        ``read(value)`` checks and returns a value that is not a number; ``domain`` is then a text shown in messages.
        By default the domain is checked.
    choices : tuple of str
        All allowed values, if it is one of a few texts.

    Raises
    ------
    StructureError, DomainError
        For an invalid symbol, meaning or domain, or a default outside the domain.

    Examples
    --------
    >>> from sympy import symbols
    >>> Parameter(symbols("J", positive=True), "coupling", "positive", 1.5)
    Parameter('J', 'coupling', 'positive', default=1.5)
    """

    symbol: Symbol | str
    meaning: str
    domain: Domain
    default: Any = REQUIRED
    is_axis: bool = True
    read: Callable[[Any], Any] | None = None
    choices: tuple[str, ...] = ()

    if TYPE_CHECKING:
        #: name as an argument of ``solve``, and the smallest and largest value; both follow from the other fields
        name: str = field(init=False)
        ends: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        name = getattr(self.symbol, "name", self.symbol)
        object.__setattr__(self, "name", name if isinstance(name, str) else "")
        if not self.name:
            raise StructureError(f"Parameter: got the symbol {quote(self.symbol)}; expected a sympy Symbol, or a name")
        if not isinstance(self.meaning, str):
            raise StructureError(f"parameters: got the meaning {quote(self.meaning)} for {self.name}; expected a text")
        if self.read is None:
            check_domain(self.name, self.domain)
        # a float in this interval is valid; the interval is empty if ``read`` checks the value
        object.__setattr__(self, "ends", (math.inf, -math.inf) if self.read else ends_of_domain(self.domain))
        if self.read is None and self.default is not REQUIRED and self.default is not None:
            check_value(self.name, self.default, self.domain)

    def __repr__(self) -> str:
        default = "" if self.is_required else f", default={self.default!r}"
        return _notation.one_screen(f"Parameter({self.name!r}, {self.meaning!r}, {self.domain!r}{default})")

    @property
    def is_required(self) -> bool:
        """Return whether it has no default."""
        return self.default is REQUIRED

    @property
    def expectation(self) -> str:
        """Return the domain in words, and the default."""
        text = str(self.domain) if self.read else said_domain(self.domain)
        if self.is_required:
            return text
        if self.default is None:
            return f"{text}, optional"
        return f"{text} ({self.default if isinstance(self.default, str) else format(float(self.default), 'g')})"

    def check(self, value: object) -> Any:
        """Validate a value and return it as the theory takes it.

        Parameters
        ----------
        value : object

        Returns
        -------
        object

        Raises
        ------
        DomainError
            For a value outside the domain.
        """
        return call_user_code(self.read, value) if self.read else check_value(self.name, value, self.domain)


@dataclass(frozen=True, repr=False)
class Penalty(Parameter):
    """Declare a penalty that may be 0, which means the limit from above."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "ends", (0.0, self.ends[1]))

    def check(self, value: object) -> Any:
        if _is_zero(value):
            return 0.0
        try:
            return super().check(value)
        except DomainError as error:
            raise DomainError(f"{error}, or 0 for the limit without a penalty") from None

    @property
    def expectation(self) -> str:
        return f"{super().expectation} (0: the limit without a penalty)"

    def required(self) -> Parameter:
        """Return the same parameter without that limit."""
        return Parameter(self.symbol, self.meaning, self.domain, self.default)


def _is_zero(value):
    """Return whether a number, or a text of one, is exactly 0, and not merely rounded to 0 as a double."""
    try:
        exact = Decimal(value) if isinstance(value, str) else value
        return not isinstance(value, bool) and float(exact) == 0.0 and bool(exact == 0)
    except (TypeError, ValueError, ArithmeticError):        # texts such as 1/10, and what the domain refuses
        return False


@dataclass(frozen=True)
class Option:
    """Declare a constructor argument that shapes the equations: an activation, a choice, or a flag.

    Parameters
    ----------
    name : str
    meaning : str
    choices : tuple of str
        The allowed values; empty for a text such as an activation.
    default : str or bool, optional
        ``False`` for a flag.  An option without a default is required.
    """

    name: str
    meaning: str
    choices: tuple[str, ...] = ()
    default: object = REQUIRED

    @property
    def is_flag(self) -> bool:
        return self.default is False

    @property
    def is_required(self) -> bool:
        return self.default is REQUIRED


class _Seen(UserDict):
    """Record which values were looked up."""

    def __getitem__(self, name):
        self.__dict__.setdefault("names", set()).add(name)
        return super().__getitem__(name)


@cache
def _compiled(expr):
    symbols = sorted(expr.free_symbols, key=str)
    return [s.name for s in symbols], lambdify(symbols, expr, ["math", "mpmath", "sympy"])


@dataclass(frozen=True)
class Assumption:
    """State an assumption on the parameters; a warning is issued where it does not hold.

    Parameters
    ----------
    condition : sympy relation, or callable
        Of parameters and derived quantities; or ``condition(values)``, which takes a dict ``{name: number}``.
    text : str or callable
        The warning: what does not hold and what that means, as a text or as ``text(values)``.
    quantity : Expr or (str, callable), optional
        Quantity whose range a sweep reports where the condition does not hold: an expression (by default the left side
        of a relation), or a pair of a name and a function of the values.

    Raises
    ------
    StructureError
        For an invalid condition or text.

    Examples
    --------
    >>> from sympy import Symbol
    >>> small = Assumption(Symbol("J") < 2, "J is large: the expansion is one in small J")
    >>> small.holds({"J": 1.0}), small.holds({"J": 3.0})
    (True, False)
    """

    condition: Boolean | Callable[[Mapping[str, float]], bool]
    text: str | Callable[[Mapping[str, float]], str]
    quantity: Expr | tuple[str, Callable[[Mapping[str, float]], float]] | None = None

    if TYPE_CHECKING:
        _is_function: bool = field(init=False)

    def __post_init__(self) -> None:
        is_function = callable(self.condition) and not hasattr(self.condition, "free_symbols")
        object.__setattr__(self, "_is_function", is_function)
        if self.quantity is None and getattr(self.condition, "is_Relational", False):
            sides = [side for side in self.condition.args if side.free_symbols]     # type: ignore[union-attr]
            object.__setattr__(self, "quantity", sides[0] if sides else None)
        if is_function and callable(self.text):
            return
        if not (callable(self.condition) or getattr(self.condition, "is_Boolean", False)
                or getattr(self.condition, "is_Relational", False)):
            raise StructureError(f"Assumption: got the condition {quote(self.condition)}; expected a sympy relation, "
                                 "such as Symbol('J') < 2, or a function of the values by name")
        if not (callable(self.text) or isinstance(self.text, str) and self.text.strip()):
            raise StructureError(f"Assumption: got the text {quote(self.text)}; expected a sentence, or a function "
                                 "that makes one")

    def __repr__(self) -> str:
        condition, text = ("a function" if is_function else quote(part) for is_function, part in (
            (self._is_function, self.condition), (callable(self.text), self.text)))
        return _notation.one_screen(f"Assumption({condition}, {text})")

    @property
    def symbols(self) -> frozenset[Symbol] | set[Symbol]:
        """Return the symbols of the condition and of the quantity; functions have none."""
        return frozenset().union(*(getattr(e, "free_symbols", ()) for e in (self.condition, self.quantity)))

    def violations(self, values: Mapping[str, float], axes: Mapping[str, Any]) -> Iterator[tuple[Any, int, float]]:
        """Find where it does not hold on a grid; an axis is split only if the condition, or the quantity, reads it.

        Parameters
        ----------
        values : dict of str to float
            Of all parameters, including those along the axes.
        axes : dict of str to ndarray

        Returns
        -------
        iterator of (dict, int, float)
            The values, the number of points, and the quantity there.
        """
        seen = _Seen(values)
        holds, quantity = self.holds(seen), math.nan
        if not holds and self.quantity is not None:
            quantity = float(self._computed("quantity", "computed", seen))
        name = next((n for n in axes if n in seen.__dict__.get("names", ())), None)
        if name is not None:
            rest = {n: a for n, a in axes.items() if n != name}
            for value in axes[name].tolist():
                yield from self.violations({**values, name: value}, rest)
        elif not holds:
            yield values, math.prod(a.size for a in axes.values()), quantity

    @property
    def label(self) -> str:
        """Return the name of the quantity."""
        return self.quantity[0] if isinstance(self.quantity, tuple) else str(self.quantity)

    def _computed(self, part, done, values):
        thing = getattr(self, part)
        thing = thing[1] if isinstance(thing, tuple) else thing
        try:
            if hasattr(thing, "free_symbols"):
                names, function = _compiled(thing)
                return function(*[values[n] for n in names])
            return thing(values)
        except Exception as error:          # a user's function may raise anything
            raise StructureError(f"assumptions: the {part} {quote(thing)} could not be {done} at {dict(values)} "
                                 f"({type(error).__name__}: {error})") from error

    def holds(self, values: Mapping[str, float]) -> bool:
        """Return whether the condition is true for the given values.

        Parameters
        ----------
        values : dict of str to float

        Returns
        -------
        bool

        Raises
        ------
        StructureError
            If a user-defined condition raises an error.
        """
        return bool(self._computed("condition", "asked", values))

    def describe_violation(self, values: Mapping[str, float]) -> str:
        """Return the warning text for values at which it does not hold.

        Parameters
        ----------
        values : dict of str to float

        Returns
        -------
        str
        """
        return self.text if isinstance(self.text, str) else str(self._computed("text", "made", values))


def read_values(declared: Sequence[Parameter], given: Mapping[str, Any], where: str,
                others: Sequence[str] = (), typed: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the values of all declared parameters by name, defaults included; ``where`` names the theory in messages.

    ``others`` are other required names, such as arrays; messages list those ``typed``, by default all.
    """
    values = _floats(declared, given, others)
    return _checked(declared, given, where, others, typed) if values is None else values


def _floats(declared, given, others):
    """Return the result of :func:`read_values` if all values are floats in their domains, else None."""
    values, known = {}, len(others)
    for p in declared:
        name, value = p.name, p.default
        if name in given:
            value, known = given[name], known + 1
        if value is None and p.default is None:         # absent
            continue
        low, high = p.ends
        if type(value) is not float or not low <= value <= high:
            return None
        values[name] = value
    return values if known == len(given) and all(name in given for name in others) else None


def _checked(declared, given, where, others, typed):
    """Validate all values, and raise an error for an invalid one."""
    known, missing = 0, False
    for p in declared:
        if p.name in given:
            known += 1
        elif p.default is REQUIRED:
            missing = True
    if missing or known + len(others) != len(given) or any(name not in given for name in others):
        check_names(given, (*(p.name for p in declared if p.is_required), *others),
                    [p.name for p in declared if not p.is_required], where, typed)
    values = {}
    for p in declared:
        if p.name in given and not (given[p.name] is None and p.default is None):
            values[p.name] = p.check(given[p.name])
        elif p.default is not None:
            values[p.name] = p.check(p.default)
    return values


def check_names(given, required, optional, where, typed=None):
    """Raise for unknown or missing parameters, with a suggestion from ``typed`` (by default all)."""
    every = [*required, *optional]
    known = [n for n in every if typed is None or n in typed]
    for name in given:
        if name not in every:
            raise UnknownNameError(f"{where}: unknown parameter {name!r}{suggest(name, known)}; "
                                   f"parameters are {', '.join(known)}")
    missing = [n for n in required if n not in given]
    if missing:
        raise DomainError(f"{where}: missing parameter{'s' if len(missing) > 1 else ''} {', '.join(missing)}; "
                          f"parameters are {', '.join(known)}{hint_parameters_argument(missing)}")


def hint_parameters_argument(missing):
    """Return the end of a sentence on how to pass names that cannot be keywords, or an empty text."""
    from .model import Model

    taken = set().union(*(signature(getattr(Model, name)).parameters for name in THEORY_METHODS))
    special = [n for n in missing if n in taken or not n.isidentifier() or iskeyword(n)]
    if not special:
        return ""
    inside = ", ".join(f"{n!r}: ..." for n in special)
    return (f"; {', '.join(special)} (not an identifier, or an argument of a method) goes into a dictionary, "
            f"parameters={{{inside}}}")


def check_claims(assumptions, tolerances, symbols, quantities):
    """Return assumptions and tolerances of a theory as tuples, after a check that they are about what it has.

    That is: ``symbols`` of parameters and derived quantities, names of observables and unknowns.
    """
    assumptions = _all("assumptions", assumptions, Assumption)
    tolerances = _all("tolerances", tolerances, _comparison.Tolerance)
    for a in assumptions:
        if extra := sorted(str(s) for s in a.symbols - set(symbols)):
            raise StructureError(f"assumptions: {', '.join(extra)} in {a.condition} is neither a parameter nor a "
                                 "derived quantity; what is assumed is known before the equations are solved")
    if twice := sorted({g.quantity for g in tolerances if [o.quantity for o in tolerances].count(g.quantity) > 1}):
        raise StructureError(f"tolerances: {', '.join(twice)} stands twice")
    for g in tolerances:
        if not g.share <= 1.0:
            raise DomainError(f"tolerances: got the share {g.share:g} for {g.quantity}; expected a number from 0 to 1, "
                              "relative to the theory: beyond that a simulation has nothing to say")
        if g.quantity not in quantities:
            raise UnknownNameError(f"tolerances: no quantity {g.quantity!r}{suggest(g.quantity, quantities)}; known "
                                   f"are {', '.join(quantities)}")
    return assumptions, tolerances


def _all(argument, given, kind):
    """Return a tuple of records of one kind."""
    if given is None:
        return ()
    is_list = isinstance(given, Iterable) and not isinstance(given, str | dict)
    found = tuple(given) if is_list else (given,)
    if not is_list or not all(isinstance(g, kind) for g in found):
        raise StructureError(f"{argument}: got {quote(given)}; expected a list of asympkit.{kind.__name__}")
    return found


# -- simulations -------------------------------------------------------------------------------------------------------


def _nothing(*_):
    return ()


class Expected(NamedTuple):
    """Hold a theory's prediction for its own simulation, if it knows more of the finite model than the limit."""

    #: its quantities replace those of the same name in the comparison with the simulation
    model: Model
    #: parameters of that model, including the simulated size
    parameters: dict[str, Any]
    #: in words: a line of the report
    what: str
    #: the differences from these values that a simulation is allowed
    tolerances: tuple[Tolerance, ...] = ()


@dataclass(frozen=True)
class Simulator:
    """Describe how a theory is simulated."""

    #: ``run(theory, parameters, *, <settings>, repeats, seed, executor, progress, file)`` returns a Simulation
    run: Callable
    #: the size of the finite model first, then options of the simulation; each with a default
    settings: tuple[Parameter, ...]
    #: parameters that may be arrays: axes of the estimates
    axes: tuple[str, ...] = ()
    #: ``tolerances(theory, parameters, settings)``: differences allowed in a simulation, if they depend on the point
    tolerances: Callable | None = None
    #: ``notes(theory, solution, simulation)``: why the simulated size may be too small for the limit
    notes: Callable = _nothing
    #: ``expected(theory, parameters, settings, simulation)``: an :class:`Expected`, or None if there is only the limit
    expected: Callable | None = None
    #: ``parameters(parameters, settings)``: the parameters of the theory to compare with
    parameters: Callable | None = None
    #: whether order parameters are compared although the tolerances are for other quantities
    compares_all: bool = False

    @property
    def size_name(self):
        """Return the name of the size of the finite model."""
        return self.settings[0].name

    def split(self, given):
        """Split arguments into settings of the simulation and parameters of the theory."""
        settings = {s.name: s.check(given[s.name]) if s.name in given else s.default for s in self.settings}
        return settings, {k: v for k, v in given.items() if k not in settings}


def size(name, meaning):
    """Declare the size of a finite model as a setting; the simulation itself checks it."""
    return Parameter(name, meaning, "an integer", 1000, is_axis=False, read=_as_given)


def choice(name, meaning, known, default):
    """Declare a setting that is one of a few texts, or ``None`` if the default depends on the parameters."""
    def read(value):
        if value is not None or default is not None:
            check_choice(name, value, known)
        return value

    return Parameter(name, meaning, f"one of {', '.join(map(repr, known))}", default, is_axis=False, read=read,
                     choices=tuple(known))


def _as_given(value):
    return value


def simulator_of(theory, method):
    """Return the simulator of a theory, or raise an error that says how to give one."""
    if theory.simulator is None:
        raise NotAvailableError(f"{method}: the theory {theory.name!r} has no simulator; give simulate=draw to "
                                "asympkit.Theory, draw(rng, size, **parameters) -> {observable: number}")
    return theory.simulator
