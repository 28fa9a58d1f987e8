"""Run the simulation of a user: repeats, seeds, errors and files."""

from __future__ import annotations

from inspect import signature
from keyword import iskeyword

import numpy as np

from ..arguments import check_count, quote
from ..errors import DomainError, StructureError, UnknownNameError, suggest
from ..once import Deferred
from .declaration import Expected, Simulator, call_user_code, read_values, size

_repeats, _simulation = Deferred("asympkit.simulate.repeats"), Deferred("asympkit.simulate.simulation")


_LARGEST = int(np.finfo(float).max)


def make_user_simulator(draw, size_name, theory, expected=None):
    """Return the simulator of a theory whose finite model is drawn by ``draw(rng, size, **parameters)``.

    ``expected`` is the theory of the finite model, if there is one.  StructureError if the draw is not a function, the
    size has the name of a parameter, or the theory of the finite model has other parameters or no quantity in common.
    """
    if not callable(draw):
        raise StructureError(f"simulate: got {quote(draw)}; expected a function draw(rng, size, **parameters) that "
                             "returns {observable: number}")
    if not isinstance(size_name, str) or not size_name.isidentifier():
        raise StructureError(f"size_name: got {quote(size_name)}; expected an identifier, such as 'n'")
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
            raise StructureError(f"expected: got {quote(model)}; expected an asympkit.Theory with the parameters of "
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
        ((name, value),) = settings.items()
        sizes = {name: check_count(name, value)}
        try:
            values = read_values(theory.declared, parameters, theory.name, theory.array_names, theory.names)
        except UnknownNameError as error:
            raise UnknownNameError(f"{error}, and {name}, the size of the finite model") from None
        arrays = dict(zip(theory.array_names, theory.point(parameters).arrays))
        _check_signature(self.draw, (*values, *arrays))
        known = _quantities(theory)
        at = {"draw": self.draw, "size": sizes[name], "known": known, "parameters": values,
              **{f"array_{name}": array for name, array in arrays.items()}}
        return _repeats.run_repeats(
            draw_once, at, repeats=repeats, seed=seed, executor=executor, progress=progress, file=file,
            build=lambda estimates, finished: _simulation.Draws(estimates, sizes, finished, seed))


def draw_once(seed, *, draw, size, known, parameters, **arrays):
    """Draw once from a seed sequence and return numbers by name, each a quantity of the theory."""
    arrays = {name.removeprefix("array_"): array for name, array in arrays.items()}
    found = call_user_code(draw, np.random.default_rng(seed), size, **parameters, **arrays)
    if not isinstance(found, dict) or not found:
        raise DomainError(f"simulate: the draw returned {quote(found)}; expected a dict {{observable: number}}")
    for name, value in found.items():
        if name not in known:
            raise UnknownNameError(f"simulate: the draw returned {name!r}{suggest(str(name), known)}, which is no "
                                   f"quantity of the theory; known are {', '.join(known)}")
        is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if np.ndim(value) or not is_number:
            raise DomainError(f"simulate: the draw returned {quote(value)} for {name}; expected a number")
        if isinstance(value, int) and abs(value) > _LARGEST:
            raise DomainError(f"simulate: the draw returned an integer of {value.bit_length()} bits for {name}; "
                              "expected a number that a float holds")
    return {name: float(value) for name, value in found.items()}
