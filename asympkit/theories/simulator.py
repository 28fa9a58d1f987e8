"""Describe the simulation of a theory's finite model as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ..arguments.domains import check_choice
from ..errors import NotAvailableError
from .declaration import Parameter

if TYPE_CHECKING:
    from ..comparison import Tolerance
    from .model import Model

__all__ = ["Expected", "Simulator", "choice", "simulator_of", "size"]


def _nothing(*_):
    return ()


class Expected(NamedTuple):
    """Hold a theory's prediction for its own simulation, if it knows more of the finite model than the limit.

    Attributes
    ----------
    model : Model
        Its quantities replace those of the same name in the comparison with the simulation.
    parameters : dict
        Parameters of that model, including the simulated size.
    what : str
        In words: a line of the report.
    tolerances : tuple of Tolerance
        What a simulation may differ from these values by.
    """

    model: Model
    parameters: dict[str, Any]
    what: str
    tolerances: tuple[Tolerance, ...] = ()


@dataclass(frozen=True)
class Simulator:
    """Describe how a theory is simulated.

    Parameters
    ----------
    run : callable
        ``run(theory, parameters, *, <settings>, repeats, seed, executor, progress, file)`` returns a Simulation.
    settings : tuple of Parameter
        The size of the finite model first, then options of the simulation; each with a default.
    axes : tuple of str
        Parameters that may be arrays: axes of the estimates.
    tolerances : callable, optional
        ``tolerances(theory, parameters, settings)``: what a simulation may differ by, where that depends on the point.
    notes : callable
        ``notes(theory, solution, simulation)``: why the simulated size may be too small for the limit.
    expected : callable, optional
        ``expected(theory, parameters, settings, simulation)``: an :class:`Expected`, or None if there is only the
        limit.
    parameters : callable, optional
        ``parameters(parameters, settings)``: the parameters of the theory to compare with.
    compares_all : bool
        Whether order parameters are compared although the tolerances are for other quantities.
    """

    run: Callable
    settings: tuple[Parameter, ...]
    axes: tuple[str, ...] = ()
    tolerances: Callable | None = None
    notes: Callable = _nothing
    expected: Callable | None = None
    parameters: Callable | None = None
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


def simulator_of(theory, verb):
    """Return the simulator of a theory, or raise an error that says how to give one."""
    if theory.simulator is None:
        raise NotAvailableError(f"{verb}: the theory {theory.name!r} has no simulator; give simulate=draw to "
                                "asympkit.Theory, draw(rng, size, **parameters) -> {observable: number}")
    return theory.simulator
