"""How the finite model of a theory is drawn, as data: what it is run by, and what its size is called."""

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
    """What a theory expects of its own simulation, where it knows more of the finite model than its limit.

    Attributes
    ----------
    model : Model
        Quantities called like the theory's are compared with the simulation in their place.
    parameters : dict
        Of that model, the simulated size among them.
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
    """How a theory is simulated.

    Parameters
    ----------
    run : callable
        ``run(theory, parameters, *, <settings>, repeats, seed, executor, progress, file)`` returns a Simulation.
    settings : tuple of Parameter
        The size of the finite model, first, and choices of what is simulated; each with a default.
    axes : tuple of str
        Parameters that may be arrays: axes of the estimates.
    tolerances : callable, optional
        ``tolerances(theory, parameters, settings)``: what a simulation may differ by, where that depends on the point.
    notes : callable
        ``notes(theory, solution, simulation)``: why the simulated size is too small for the limit, if it is.
    expected : callable, optional
        ``expected(theory, parameters, settings, simulation)``: an :class:`Expected`, or None where there is only the
        limit.
    parameters : callable, optional
        ``parameters(parameters, settings)``: those of the theory that a simulation is compared with.
    compares_all : bool
        Whether order parameters are compared though grants are about other quantities.
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
        """What the size of the finite model is called."""
        return self.settings[0].name

    def split(self, given):
        """Settings of the simulation, and the parameters of the theory."""
        settings = {s.name: s.check(given[s.name]) if s.name in given else s.default for s in self.settings}
        return settings, {k: v for k, v in given.items() if k not in settings}


def size(name, meaning):
    """The size of a finite model as a setting; the simulation itself checks it."""
    return Parameter(name, meaning, "an integer", 1000, is_axis=False, read=_as_given)


def choice(name, meaning, known, default):
    """A setting that is one of a few texts, or ``None`` where the default depends on the parameters."""
    def read(value):
        if value is not None or default is not None:
            check_choice(name, value, known)
        return value

    return Parameter(name, meaning, f"one of {', '.join(map(repr, known))}", default, is_axis=False, read=read,
                     choices=tuple(known))


def _as_given(value):
    return value


def simulator_of(theory, verb):
    """The simulator of a theory, or an error that says how to give one."""
    if theory.simulator is None:
        raise NotAvailableError(f"{verb}: the theory {theory.name!r} has no simulator; give simulate=draw to "
                                "asympkit.Theory, draw(rng, size, **parameters) -> {observable: number}")
    return theory.simulator
