"""What every theory can do once its point of evaluation is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import DomainError
from .solving import Solving

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Executor
    from pathlib import Path as FilePath
    from typing import Any

    from ..annotations import Path, Values
    from ..check import Report
    from ..simulate.core.simulation import Estimates

__all__ = ["Model"]

#: a line of every module that is generated
_WRITTEN = "Written by asympkit from the symbolic equations"


class Model(Solving):
    """Base of theories: derive, solve, sweep, cross-check, generate.

    Subclasses declare what they are (``name``, ``declared``, ``functions``, ``assumptions``, ``tolerances``,
    ``simulator``) and give ``system``, ``program`` (with names), ``kernel``, :meth:`located` and
    :meth:`precise_values`; every verb follows.
    """

    def simulate(self, *, repeats: int = 10, seed: int = 0, executor: Executor | None = None, progress: bool = False,
                 file: Path | None = None, **parameters: Values) -> Estimates:
        """Simulate the finite model that the theory describes.

        Parameters
        ----------
        repeats : int
            Independent draws, at least 2.
        seed : int
            Of all of them; what a draw finds does not depend on their number.
        executor : concurrent.futures.Executor, optional
            Runs the repeats, in other processes or on other machines; the numbers are the same bit for bit (on
            processors of one kind).  Each repeat computes on one thread: without an executor one core works.
        progress : bool
            Show finished repeats and the remaining time on stderr.
        file : str or Path, optional
            A ``.npz`` file that receives the finished repeats.  If it is there already, the simulation goes on
            from it, to the same result, also with more repeats than before.
        **parameters
            As for :meth:`solve`.

        Returns
        -------
        Simulation
            An :class:`~asympkit.simulate.Estimate` for each observable.

        Raises
        ------
        NotAvailableError
            If the theory has no simulator.
        DomainError
            For a parameter outside its domain, or a file that holds another simulation.
        SimulationFileError
            If the file cannot be written; its ``simulation`` holds all finished repeats.
        WorkerLostError
            If the executor loses a worker; its ``result`` holds all finished repeats, and so does the file.
        """
        from .simulator import simulator_of

        simulator = simulator_of(self, "simulate")
        settings, parameters = simulator.split(self.given(parameters))
        return simulator.run(self, parameters, **settings, repeats=repeats, seed=seed, executor=executor,
                             progress=progress, file=file)

    def check(self, *, repeats: int = 10, seed: int = 0, digits: int | None = None, executor: Executor | None = None,
              progress: bool = False, file: Path | None = None, **parameters: Values) -> Report:
        """Compare the compiled solution with many digits, a proof and a simulation.

        Parameters
        ----------
        repeats, seed, executor, progress, file
            Of the simulation, as for :meth:`simulate`.
        digits : int, optional
            Of the high-precision solution; 40, or fewer where these would take minutes.
        **parameters
            As for :meth:`solve`.

        Returns
        -------
        Report
            ``str()`` prints the table; ``.outcome`` is ``"agree"``, ``"within the idealisation"``, ``"differ"`` or
            ``"not tested"``, of all comparisons together at p = 0.001, and ``.passed`` whether nothing differs.

        Raises
        ------
        DomainError, ConvergenceError
            As :meth:`solve`, and for sizes that are none.  What many digits or a proof refuse is a note of the report.
        SimulationFileError, WorkerLostError
            As :meth:`simulate`.
        """
        from ..check import run_check

        return run_check(self, self.given(parameters), repeats=repeats, seed=seed, digits=digits, executor=executor,
                         progress=progress, file=file)

    def plot(self, quantity: str | Sequence[str] | None = None, *, over: str | None = None,
             simulation: Estimates | Mapping[str, Any] | None = None, ax: Any = None, **parameters: Values) -> Any:
        """Draw a quantity along a parameter, and simulated points beside it.

        Parameters
        ----------
        quantity : str or list of str, optional
            Observables or unknowns; ``test_error`` unless given, or where there is none the first of
            ``quantities``, or of those simulated.
        over : str, optional
            The parameter along which to draw, given as an array; the only array unless given.
        simulation : Simulation or dict, optional
            What :meth:`simulate` returned for an array of ``over``; or arguments of :meth:`simulate`, which is then
            called, ``dict(repeats=10)``: at six points of the curve, or at those given for ``over`` among them.  Points
            have their standard errors, and a second panel shows how many of these lie between them and the theory.
        ax : matplotlib axes, optional
            To draw on; they are divided where there are two panels, unless there are two of them.
        **parameters
            As for :meth:`sweep`.  One more array gives a family of curves.

        Returns
        -------
        matplotlib axes
            With a simulation an array of two.

        Raises
        ------
        DomainError
            For arrays that make no family of curves, or a simulation of other points.
        UnknownNameError
            For a quantity or parameter that the theory lacks.
        NotAvailableError
            Without matplotlib, or for a simulation of a theory that has none.
        """
        from .drawing import run_plot

        return run_plot(self, quantity, over, simulation, ax, self.given(parameters))

    def generate(self, path: Path) -> FilePath:
        """Write a standalone module (numpy and numba alone) for this theory.

        Parameters
        ----------
        path : str or Path
            The file to write.

        Returns
        -------
        Path

        Raises
        ------
        DomainError
            For a name that is no Python file's, or that of a file which was not written by asympkit.

        Notes
        -----
        Import the module by its name: numba keeps compiled code only for modules that are importable.
        """
        from ..arguments.requests import check_path

        file = check_path("path", path)
        if file.suffix != ".py":
            raise DomainError(f"path: got {str(file)!r}; expected the name of a Python file (.py)")
        if file.exists() and _WRITTEN not in file.read_text(encoding="utf-8", errors="replace"):
            raise DomainError(f"path: {str(file)!r} is there already and was not written by asympkit; choose another "
                              "name")
        file.write_text(self.source(), encoding="utf-8")
        return file
