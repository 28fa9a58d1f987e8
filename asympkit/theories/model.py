"""Base class of theories: simulate, check, plot and export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import DomainError
from .simulator import simulator_of
from .solving import Solving

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Executor
    from pathlib import Path as FilePath
    from typing import Any

    from ..annotations import Path, Values
    from ..check import Report
    from ..simulate.simulation import Estimates

__all__ = ["Model"]

#: a line in every generated module
_WRITTEN = "Written by asympkit from the symbolic equations"


class Model(Solving):
    """Base of theories: derive, solve, sweep, cross-check, generate.

    Subclasses declare what they are (``name``, ``declared``, ``functions``, ``assumptions``, ``tolerances``,
    ``simulator``) and give ``system``, ``program`` (with names), ``kernel``, :meth:`located` and
    :meth:`precise_values`; every verb follows.
    """

    def simulate(self, *, repeats: int = 10, seed: int = 0, executor: Executor | None = None,
                 progress: bool | None = None, file: Path | None = None, **parameters: Values) -> Estimates:
        """Simulate the finite model that the theory describes.

        Parameters
        ----------
        repeats : int
            Independent draws, at least 2.
        seed : int
            Seed of all draws; the result of one draw does not depend on their number.
        executor : concurrent.futures.Executor, optional
            Runs the repeats, in other processes or on other machines; the numbers are the same bit for bit (on
            processors of one kind).  Each repeat computes on one thread: without an executor one core works.
        progress : bool, optional
            Show finished repeats and the remaining time on stderr; by default in a terminal.
        file : str or Path, optional
            A ``.npz`` file that receives the finished repeats.  If it exists, the simulation resumes from it, to the
            same result, also with more repeats than before.
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
        simulator = simulator_of(self, "simulate")
        settings, parameters = simulator.split(self.given(parameters))
        return simulator.run(self, parameters, **settings, repeats=repeats, seed=seed, executor=executor,
                             progress=progress, file=file)

    def check(self, *, repeats: int = 10, seed: int = 0, digits: int | None = None, executor: Executor | None = None,
              progress: bool | None = None, file: Path | None = None, **parameters: Values) -> Report:
        """Compare the compiled solution with many digits, a proof and a simulation.

        Parameters
        ----------
        repeats, seed, executor, progress, file
            Of the simulation, as for :meth:`simulate`.
        digits : int, optional
            Of the multiprecision solution; by default 40, or fewer where these would take minutes.
        **parameters
            As for :meth:`solve`.

        Returns
        -------
        Report
            ``str()`` prints the table; ``.outcome`` is ``"agree"``, ``"within the idealisation"``, ``"differ"`` or
            ``"not tested"``, of all comparisons together at p = 0.001; ``.passed`` is true if nothing differs.

        Raises
        ------
        DomainError, ConvergenceError
            As :meth:`solve`, and for invalid sizes.  A note of the report says if the multiprecision solution or the
            proof is not available.
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
            Observables or unknowns; by default ``test_error``, or, if the theory has none, the first of ``quantities``
            or of the simulated ones.
        over : str, optional
            The parameter along which to draw, given as an array; by default the only array.
        simulation : Simulation or dict, optional
            A result of :meth:`simulate` for an array of ``over``; or arguments of :meth:`simulate` such as
            ``dict(repeats=10)``, which is then run at six points of the curve, or at those given for ``over``.  Points
            have error bars, and a second panel shows their pulls, (simulation - theory)/standard error.
        ax : matplotlib axes, optional
            Where to draw; one pair of axes is divided if there are two panels.
        **parameters
            As for :meth:`sweep`.  One more array gives a family of curves.

        Returns
        -------
        matplotlib axes
            An array of two with a simulation.

        Raises
        ------
        DomainError
            For arrays that are not a family of curves, or a simulation of other points.
        UnknownNameError
            For a quantity or parameter that the theory lacks.
        NotAvailableError
            Without matplotlib, or if the theory has no simulation.
        """
        from .display import run_plot

        return run_plot(self, quantity, over, simulation, ax, self.given(parameters))

    def generate(self, path: Path) -> FilePath:
        """Export the solver of this theory as a Python module that needs numpy (and numba, if installed) alone.

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
            If the name does not end in ``.py``, or the file exists and was not written by asympkit.

        Notes
        -----
        Import the module by its name: numba keeps compiled code only for modules that are importable.
        """
        from ..arguments.domains import check_path

        file = check_path("path", path)
        if file.suffix != ".py":
            raise DomainError(f"path: got {str(file)!r}; expected the name of a Python file (.py)")
        if file.exists() and _WRITTEN not in file.read_text(encoding="utf-8", errors="replace"):
            raise DomainError(f"path: {str(file)!r} exists and was not written by asympkit; choose another name")
        file.write_text(self.source(), encoding="utf-8")
        return file
