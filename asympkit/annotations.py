"""Define the types of public signatures, for readers and for type checkers, which alone load it.

Sympy and mpmath have no types, so that a type checker accepts their objects everywhere.  Arguments that take an
expression therefore use a protocol, so that other objects are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from sympy import Symbol

    from .activations import Activation
    from .theories.declaration import Parameter


class Expression(Protocol):
    """Define the attribute that every sympy expression has, and no number or text."""

    @property
    def free_symbols(self) -> set[Any]:
        """Return its symbols."""


#: results of solvers, on a grid or along a path
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Arrays: TypeAlias = dict[str, Floats]

#: a real number, not a text
Real: TypeAlias = float | Fraction | np.floating[Any] | np.integer[Any]
#: a real number as it is given: exact, rounded, or by its decimal text
Number: TypeAlias = Real | str
#: a parameter at one point: a number; a list or an array if the theory declares it so; None if it may be absent; and
#: the dictionary of ``parameters={name: value}``
Value: TypeAlias = Number | Sequence[Any] | NDArray[Any] | Mapping[str, Any] | None
#: the same for parameters that may be arrays
Values: TypeAlias = ArrayLike | Fraction | Mapping[str, Any] | None
#: an interval of a parameter, or one for each of several
Bounds: TypeAlias = "tuple[float, float] | Sequence[tuple[float, float]] | Mapping[str, tuple[float, float]]"
#: starting values by name
Start: TypeAlias = Mapping[str, Real]
Starts: TypeAlias = Mapping[str, ArrayLike]

#: forms of an activation argument
ActivationLike: TypeAlias = "str | Expression | Activation | Callable[[Any], Any]"
#: the domain of a parameter or an unknown
Domain: TypeAlias = str | tuple[float, float]
#: the parameters and the unknowns of a theory
Parameters: TypeAlias = "Mapping[Symbol, tuple[str, Domain]] | Sequence[Parameter]"
Unknowns: TypeAlias = "Sequence[Symbol] | Mapping[Symbol, Domain]"
#: ``draw(rng, size, **parameters)``: one draw of a finite model, as numbers by the names of quantities
Draw: TypeAlias = Callable[..., Mapping[str, float]]

Names: TypeAlias = str | Sequence[str]
Path: TypeAlias = str | PathLike[str]
#: how a float is read as an exact number
FloatsMean: TypeAlias = Literal["refuse", "decimal", "exact"]
Backend: TypeAlias = Literal["auto", "numpy", "numba"]
Format: TypeAlias = Literal["text", "latex", "mathml", "html"]
