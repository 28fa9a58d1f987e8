"""A person's own simulation: one draw of a finite model, to which repeats, seeds, errors and files are added."""

from functools import partial
from inspect import signature
from keyword import iskeyword

import numpy as np

from ..arguments.domains import shown
from ..arguments.requests import check_count
from ..errors import DomainError, StructureError, UnknownNameError, suggest
from .declaration import read_values
from .own_code import call_own
from .simulator import Simulator, size

__all__ = ["draw_once", "own_simulator"]

_LARGEST = int(np.finfo(float).max)


def own_simulator(draw, size_name, theory):
    """The simulator of a theory whose finite model is drawn by ``draw(rng, size, **parameters)``.

    Raises
    ------
    StructureError
        If the draw is no function, or its size would be called like a parameter.
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
    return Simulator(_Drawn(draw), (size(size_name, "size of the finite model that is drawn"),), compares_all=True)


def _check_signature(draw, names):
    """Raise unless a function takes ``(rng, size, **parameters)``; what has no signature is tried as it is."""
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
    """What runs the draws of one theory."""

    def __init__(self, draw):
        self.draw = draw

    def __call__(self, theory, parameters, *, repeats, seed, executor, progress, file, **settings):
        from ..simulate.core.repeats import run_repeats
        from ..simulate.core.simulation import Draws

        ((name, value),) = settings.items()
        sizes = {name: check_count(name, value)}
        values = read_values(theory.declared, parameters, theory.name, theory.array_names)
        # in its domain, with a warning for what does not hold
        arrays = dict(zip(theory.array_names, theory.point(parameters).arrays))
        _check_signature(self.draw, (*values, *arrays))
        known = (*theory.observables, *(u.name for u in theory.unknowns))
        at = {"draw": self.draw, "size": sizes[name], "known": known, "parameters": values,
              **{f"array_{name}": array for name, array in arrays.items()}}
        return run_repeats(draw_once, at, repeats=check_count("repeats", repeats, 2), seed=check_count("seed", seed, 0),
                           executor=executor, progress=progress, file=file, build=partial(_draws, Draws, sizes, seed))


def _draws(kind, sizes, seed, estimates, finished):
    return kind(estimates, sizes, finished, seed)


def draw_once(seed, *, draw, size, known, parameters, **arrays):
    """One draw from its seed sequence: numbers by name, each a quantity of the theory."""
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
