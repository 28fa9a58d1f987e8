"""The record of one function: how each back end evaluates it."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from functools import cache, cached_property

from ...errors import DomainError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction
    from typing import Any, Literal, TypeAlias

    Parity: TypeAlias = Literal["odd", "even"] | None


@dataclass(frozen=True)
class FunctionGrowth:
    """``|f(x)| <= P(|x|) exp(rate |x|)`` for all real x, P with the coefficients ``powers`` (exact, not negative)."""

    powers: tuple[Fraction | int, ...]
    rate: int = 0


class Entry:
    """One function in every back end.

    The function's sympy name, derivative and LaTeX belong to its sympy class, whose name finds this entry.
    """

    #: the name of the sympy class
    name: str
    #: names that generated code calls for one number (compiled) and for arrays; empty where the printer writes it out
    loops: str
    arrays: str
    #: the vectorised variant that compiled loops over nodes call instead: without branches, of :mod:`.lanes`
    lanes: str
    #: evaluator of a reflection pair in compiled loops: at some arguments, and at these with all signs but the last
    #: one's changed; empty where it costs as much as two calls
    opposite: str
    #: fused evaluators of several orders at the same arguments: for compiled loops (without branches; returns the
    #: values of these orders), for arrays (takes the orders first), and the orders
    together: tuple[str, str, tuple[tuple[int, ...], ...]] | None
    #: evaluator for numpy arrays in this process, or its address ``"module:name"``
    floats: Callable[..., Any] | str
    #: multiprecision evaluator ``digits(mp, *numbers)``, its address, or its name in mpmath
    digits: Callable[..., Any] | str
    #: evaluator at real balls (and power series of them), its address, or the name of a ball's method; if empty, a
    #: certificate raises ProofError with this function's name
    balls: Callable[..., Any] | str
    #: ``complex_balls(*balls, analytic)`` or its address, not finite where the function may fail to be analytic and the
    #: flag is set; or the name of the method of an entire function
    complex_balls: Callable[..., Any] | str
    #: its name in texts of the grammar; empty where texts do not have it
    text: str
    #: a file of :mod:`.routines`, or source text, with the functions that ``loops`` and ``arrays`` name; it is copied
    #: into generated modules that call them
    source: str
    #: number of arguments
    arity: int
    #: number of leading arguments that are exact integers
    orders: int
    #: interval of the last argument where the function is real and analytic, and bounds of its values
    domain: tuple[float, float]
    image: tuple[float | Fraction, float | Fraction]
    growth: FunctionGrowth | None
    #: 1 or -1 if it increases or decreases on its domain, else 0
    monotone: Literal[-1, 0, 1]
    #: in its last argument; a callable of the orders where these decide
    parity: Parity | Callable[..., Parity]
    #: true if it switches between formulas
    is_kinked: bool
    #: true if its derivative changes within an argument of order one: a feature under an average
    is_steep: bool
    #: the sympy class, or where it is, ``"module:name"``; empty for a class of sympy itself
    symbol: type | str
    #: the user's notation, where that is not the name; None where it is internal
    spelling: str | None
    #: ``values(*ranges)``: a range of the function from ranges (low, high) of its arguments, exact numbers or
    #: infinities, where more is known than the image
    values: Callable[..., Any] | None
    #: ``refined(numbers, *arrays)`` or its address: multiprecision values refined from those in double precision, where
    #: that is faster than one after another
    refined: Callable[..., Any] | None

    def __init__(self, name: str, loops: str = "", arrays: str = "", floats: Callable[..., Any] | str = "",
                 digits: Callable[..., Any] | str = "", balls: Callable[..., Any] | str = "",
                 complex_balls: Callable[..., Any] | str = "", text: str = "", source: str = "", arity: int = 1,
                 orders: int = 0, domain: tuple[float, float] = (-math.inf, math.inf),
                 image: tuple[float | Fraction, float | Fraction] = (-math.inf, math.inf),
                 growth: FunctionGrowth | None = None, monotone: Literal[-1, 0, 1] = 0,
                 parity: Parity | Callable[..., Parity] = None, is_kinked: bool = False, is_steep: bool = False,
                 symbol: type | str = "", spelling: str | None = "",
                 values: Callable[..., Any] | None = None, refined: Callable[..., Any] | str | None = None,
                 lanes: str = "", opposite: str = "",
                 together: tuple[str, str, tuple[tuple[int, ...], ...]] | None = None) -> None:
        # written out: a dataclass of so many fields takes longer to define than all of the list to make
        self.__dict__.update({field: value for field, value in locals().items() if field != "self"})
        for field in ("digits", "balls", "complex_balls", "refined"):
            if isinstance(value := getattr(self, field), str) and ":" in value:
                self.__dict__[field] = loaded(value)

    def __setattr__(self, field: str, value: object) -> None:
        raise AttributeError(f"{field}: the record of a function does not change; register another one")

    def __repr__(self) -> str:
        return f"<Entry {self.name}>"

    @property
    def shown(self) -> str | None:
        """Name in messages, or None."""
        return None if self.spelling is None else self.spelling or self.name

    @property
    def is_partial(self) -> bool:
        """Return whether it is not real everywhere."""
        return self.domain != (-math.inf, math.inf)

    def parity_at(self, *orders: int) -> int:
        """Return 1, -1 or 0 for even, odd or neither."""
        parity = self.parity(*orders) if callable(self.parity) else self.parity
        return {"even": 1, "odd": -1, None: 0}[parity]

    @cached_property
    def sympy_class(self) -> type:
        """The class of its symbolic form."""
        return _found(self.symbol or f"sympy:{self.name}")

    @cached_property
    def array_function(self) -> Callable[..., Any]:
        """Its values at numpy arrays."""
        return _found(self.floats)

    def at_digits(self, mp: Any, *numbers: Any) -> Any:
        """Evaluate in a context of mpmath."""
        if isinstance(self.digits, str):
            return getattr(mp, self.digits)(*numbers)
        return self.digits(mp, *numbers)

    @property
    def has_balls(self) -> bool:
        return bool(self.balls)

    def at_balls(self, *balls: Any) -> Any:
        """Evaluate at real balls."""
        if isinstance(self.balls, str):
            return getattr(balls[0], self.balls)(*balls[1:])
        return self.balls(*balls)

    def at_complex_balls(self, *arguments: Any) -> Any:
        """Evaluate at complex balls; the last argument is the flag ``analytic``."""
        *balls, analytic = arguments
        if isinstance(self.complex_balls, str):
            return getattr(balls[0], self.complex_balls)(*balls[1:])
        return self.complex_balls(*balls, analytic)


def loaded(address: str) -> Callable[..., Any]:
    """Return a function that imports the one at ``"module:name"`` when it is first called."""
    def value(*arguments):
        return _found(address)(*arguments)

    return value


@cache
def _found(function):
    if not isinstance(function, str):
        return function
    module, _, name = function.partition(":")
    return getattr(importlib.import_module(module), name)


def check(entry: Entry) -> None:
    """Raise :class:`DomainError` for a record that no back end could use."""
    if not isinstance(entry, Entry):
        raise DomainError(f"register: got {entry!r:.60}; expected an Entry of asympkit.numbers.functions")
    for field in ("name", "text"):
        value = getattr(entry, field)
        is_name = isinstance(value, str) and value.isidentifier() and value.isascii()
        if not is_name and not (field == "text" and value == ""):
            raise DomainError(f"register: {field}: got {value!r:.60}; expected an identifier of letters, digits and _")
    for field in ("loops", "arrays", "floats", "digits"):
        if not getattr(entry, field):
            raise DomainError(f"register: {field}: the entry of {entry.name} has none; every back end that solves "
                              "needs one (balls and complex_balls may be left out)")
    if not 0 <= entry.orders < entry.arity:
        raise DomainError(f"register: orders: got {entry.orders} for {entry.arity} arguments; expected fewer")
