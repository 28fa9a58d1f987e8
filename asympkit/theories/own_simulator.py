"""Run a user-defined simulation: repeats, seeds, errors and files around one draw of a finite model.

Compute the derived quantities of a user-defined theory at a point.
"""

from __future__ import annotations

from functools import partial
from inspect import signature
from keyword import iskeyword
from typing import TYPE_CHECKING

import numpy as np

from ..arguments.domains import check_count, shown
from ..errors import DomainError, LostDigitsError, StructureError, UnknownNameError, suggest
from ..multiprecision.number_systems import MultiprecisionNumbers
from ..once import computed_once
from ..program.steady import steady
from .declaration import read_values
from .derived import Derived, read_derived
from .lowered import nearest
from .own_code import call_own
from .simulator import Expected, Simulator, size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from sympy import Expr, Symbol

    from ..activations import Activation

__all__ = ["Quantities", "own_simulator"]


_LARGEST = int(np.finfo(float).max)


def own_simulator(draw, size_name, theory, expected=None):
    """Return the simulator of a theory whose finite model is drawn by ``draw(rng, size, **parameters)``.

    ``expected`` is the theory of the finite model, if there is one.

    Raises
    ------
    StructureError
        If the draw is not a function, the size has the name of a parameter, or the theory of the finite model has other
        parameters or no quantity in common.
    """
    if not callable(draw):
        raise StructureError(f"simulate: got {shown(draw)}; expected a function draw(rng, size, **parameters) that "
                             "returns {observable: number}")
    if not isinstance(size_name, str) or not size_name.isidentifier():
        raise StructureError(f"size_name: got {shown(size_name)}; expected an identifier, such as 'n'")
    taken = [p.name for p in theory.declared]
    arguments = ("repeats", "seed", "digits", "executor", "progress", "file", "parameters")
    if iskeyword(size_name) or size_name in (*taken, *arguments):
        raise StructureError(f"size_name: {size_name!r} is the name of a parameter, or of an argument of simulate; "
                             "choose another")
    sized = None if expected is None else _Sized(expected, size_name, theory)
    return Simulator(_Drawn(draw), (size(size_name, "size of the finite model that is drawn"),), expected=sized,
                     compares_all=True)


class _Sized:
    """Compare a simulation with a theory of its size."""

    def __init__(self, model, size_name, theory):
        from .theory import Theory

        if not isinstance(model, Theory):
            raise StructureError(f"expected: got {shown(model)}; expected an asympkit.Theory with the parameters of "
                                 f"this one and {size_name!r}, the size")
        known = (*theory.names, size_name)
        if strange := [n for n in model.names if n not in known]:
            raise StructureError(f"expected: the theory {model.name!r} has the parameter {strange[0]!r}"
                                 f"{suggest(strange[0], known)}; expected only {', '.join(known)}")
        if not set(_quantities(model)) & set(_quantities(theory)):
            raise StructureError(f"expected: the theory {model.name!r} has no quantity in common with this one; "
                                 f"expected some of {', '.join(_quantities(theory))}")
        self.model, self.size_name = model, size_name

    def __call__(self, theory, parameters, settings, simulation):
        defaults = {p.name: p.default for p in theory.declared if p.name not in parameters}
        given = {**defaults, **parameters, **settings}
        return Expected(self.model, {n: given[n] for n in self.model.names}, f"from {self.model.name}, "
                        f"{self.size_name} = {settings[self.size_name]}", self.model.tolerances)


def _quantities(theory):
    return (*theory.observables, *(u.name for u in theory.unknowns))


def _check_signature(draw, names):
    """Raise unless a function takes ``(rng, size, **parameters)``; one without a signature is accepted."""
    try:
        taken = signature(draw)
    except (TypeError, ValueError):
        return
    try:
        taken.bind(None, 1, **dict.fromkeys(names))
    except TypeError as error:
        raise DomainError(f"simulate: the function is called as draw(rng, size, {', '.join(f'{n}=' for n in names)}), "
                          f"which draw{taken} does not take ({error})") from error


class _Drawn:
    """Run the draws of one theory."""

    def __init__(self, draw):
        self.draw = draw

    def __call__(self, theory, parameters, *, repeats, seed, executor, progress, file, **settings):
        from ..simulate.repeats import run_repeats
        from ..simulate.simulation import Draws

        ((name, value),) = settings.items()
        sizes = {name: check_count(name, value)}
        values = read_values(theory.declared, parameters, theory.name, theory.array_names, theory.names)
        arrays = dict(zip(theory.array_names, theory.point(parameters).arrays))
        _check_signature(self.draw, (*values, *arrays))
        known = _quantities(theory)
        at = {"draw": self.draw, "size": sizes[name], "known": known, "parameters": values,
              **{f"array_{name}": array for name, array in arrays.items()}}
        return run_repeats(draw_once, at, repeats=check_count("repeats", repeats, 2), seed=check_count("seed", seed, 0),
                           executor=executor, progress=progress, file=file, build=partial(_draws, Draws, sizes, seed))


def _draws(kind, sizes, seed, estimates, finished):
    return kind(estimates, sizes, finished, seed)


def draw_once(seed, *, draw, size, known, parameters, **arrays):
    """Draw once from a seed sequence and return numbers by name, each a quantity of the theory."""
    arrays = {name.removeprefix("array_"): array for name, array in arrays.items()}
    found = call_own(draw, np.random.default_rng(seed), size, **parameters, **arrays)
    if not isinstance(found, dict) or not found:
        raise DomainError(f"simulate: the draw returned {shown(found)}; expected a dict {{observable: number}}")
    for name, value in found.items():
        if name not in known:
            raise UnknownNameError(f"simulate: the draw returned {name!r}{suggest(str(name), known)}, which is no "
                                   f"quantity of the theory; known are {', '.join(known)}")
        is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if np.ndim(value) or not is_number:
            raise DomainError(f"simulate: the draw returned {shown(value)} for {name}; expected a number")
        if isinstance(value, int) and abs(value) > _LARGEST:
            raise DomainError(f"simulate: the draw returned an integer of {value.bit_length()} bits for {name}; "
                              "expected a number that a float holds")
    return {name: float(value) for name, value in found.items()}


#: number of points whose derived quantities are cached
_KNOWN = 64
#: largest accepted relative error of a derived quantity in double precision
_ERROR = 1e-11


class Quantities:
    """Hold derived quantities, each of which follows from parameters.

    Parameters
    ----------
    as_typed : dict of Symbol to Expr
        Each in terms of parameters and of the quantities above it.
    parameters, unknowns : sequence of Symbol
    functions : dict of str to Activation

    Attributes
    ----------
    inlined : dict of Symbol to Expr
        In terms of parameters alone.
    map : Derived or None
        All of them as a map; None if there are none.

    Raises
    ------
    StructureError
        If one does not follow from the parameters.
    """

    def __init__(self, as_typed: dict[Symbol, Expr], parameters: Sequence[Symbol], unknowns: Sequence[Symbol],
                 functions: Mapping[str, Activation]) -> None:
        self.as_typed, self.functions = as_typed, functions
        self.inlined: dict[Symbol, Expr] = read_derived(as_typed, parameters, unknowns, functions)
        self.map = Derived(parameters, {s.name: steady(e) for s, e in self.inlined.items()}) if self.inlined else None
        self._known: dict[tuple[float, ...], dict[str, float]] = {}

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return tuple(self.inlined)

    def moved_by(self, parameter: str) -> list[Symbol]:
        """Return the quantities that depend on a parameter."""
        return [s for s, e in self.inlined.items() if any(x.name == parameter for x in e.free_symbols)]

    def depend_on(self, parameter: str) -> bool:
        """Return whether any quantity depends on a parameter."""
        return self.map is not None and self.map.depends(parameter)

    def floats(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the quantities in double precision; the latest are cached, because points of a sweep often share them.

        Raises
        ------
        LostDigitsError
            If one cannot be computed there in double precision.
        """
        if self.map is None:
            return {}
        here = tuple(values[n] for n in self._moving)
        if here not in self._known:
            if len(self._known) >= _KNOWN:
                self._known.clear()
            self._known[here] = self._anew(values)
        return self._known[here]

    @computed_once
    def _moving(self):
        """Return the names of the parameters that any quantity depends on."""
        return [s.name for s in self.map.arguments if self.map.depends(s.name)]

    def _anew(self, values):
        found, error = self.map.floats(values, self.functions)
        lost = [n for n, v in found.items() if not np.isfinite(v)]
        if lost or not error <= _ERROR:
            raise LostDigitsError(f"derived: {', '.join(lost) or ', '.join(found)} could not be computed in double "
                                  f"precision at {', '.join(f'{k} = {v:g}' for k, v in values.items())}: move the "
                                  "parameters, or use precise()")
        return found

    def rounded(self, values: Mapping[str, Any], digits: int) -> dict[str, float]:
        """Return the quantities as :meth:`floats`, rounded from multiprecision numbers.

        Raises
        ------
        DomainError
            If one has no finite value there.
        """
        numbers = MultiprecisionNumbers(digits)
        found = self.numbers(values, numbers)
        if strange := [n for n, v in found.items() if not numbers.mp.isfinite(v)]:
            raise DomainError(f"derived: {', '.join(strange)} has no finite value at "
                              f"{', '.join(f'{k} = {v}' for k, v in values.items())}: move the parameters")
        return {n: nearest(v) for n, v in found.items()}

    def numbers(self, values: Mapping[str, Any], numbers: Any) -> dict[str, Any]:
        """Return the quantities in a number system, by name."""
        return self.map.numbers(values, numbers, self.functions) if self.map is not None else {}

    def rates(self, parameter: str, values: Mapping[str, float]) -> dict[str, float]:
        """Return derivatives by a parameter of the quantities that depend on it, by name."""
        moved = [s.name for s in self.moved_by(parameter)]
        if not moved or self.map is None:
            return {}
        found = self.map.rates(parameter, values, self.functions)
        return {n: found[n] for n in moved}
