"""Methods of theories beside their solutions: simulate, check, compare, draw, report, export."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from ..arguments import check_choice, check_path
from ..errors import DomainError
from ..once import Deferred
from .declaration import simulator_of
from .declared import Declared

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Executor
    from pathlib import Path as FilePath
    from typing import Any

    from ..annotations import Names, Number, Path, Value, Values
    from ..check import Report
    from ..checks import Checks
    from ..published.run import ComparedTable
    from ..simulate.simulation import Estimates

(_checks, _display, _export, _published, _report) = (
    Deferred(f"asympkit.{name}") for name in ("checks", "theories.display", "export", "published.run", "report.run"))


class Reporting(Declared):
    """Base of theories: compare a solution with a simulation and with published numbers, draw it, export the solver."""

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
            An :class:`~asympkit.simulate.simulation.Estimate` for each observable.

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

    @overload
    def check(self, *, repeats: int = 10, seed: int = 0, digits: int | None = None, executor: Executor | None = None,
              progress: bool | None = None, file: Path | None = None, **parameters: Number | None) -> Report: ...

    @overload
    def check(self, *, repeats: int = 10, seed: int = 0, digits: int | None = None, executor: Executor | None = None,
              progress: bool | None = None, file: Path | None = None, **parameters: Values) -> Report | Checks: ...

    def check(self, *, repeats: int = 10, seed: int = 0, digits: int | None = None, executor: Executor | None = None,
              progress: bool | None = None, file: Path | None = None, **parameters: Values) -> Report | Checks:
        """Compare the compiled solution with many digits, a proof and a simulation.

        Parameters
        ----------
        repeats, seed, executor, progress, file
            Of the simulation, as for :meth:`simulate`.
        digits : int, optional
            Of the multiprecision solution; by default 40, or fewer where these would take minutes.
        **parameters
            As for :meth:`solve`; with arrays every point of their grid is checked.

        Returns
        -------
        Report, or Checks for a grid
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
        return _checks.run_checks(self, self.given(parameters), repeats=repeats, seed=seed, digits=digits,
                                  executor=executor, progress=progress, file=file)

    def compare(self, table: Path | Mapping[str, Any] | Any, *, error: str | Mapping[str, str] | None = None,
                columns: Mapping[str, str | None] | None = None,
                conventions: str | Sequence[str] | Mapping[str, str] = (), **parameters: Value) -> ComparedTable:
        """Compare somebody's numbers with this theory.

        Parameters
        ----------
        table : str, Path, DataFrame or dict of columns
            A file with a head and separated values, lines from ``#`` on left out; one row a point.  Columns are
            parameters and quantities by their names, in any spelling and by usual other names (``lambda``,
            ``generalisation error``); sizes ``n``, ``d``, ``p``, ``n0`` give ``alpha``, ``beta``, ``alpha0``.
        error : str or dict, optional
            The column of standard errors, or ``{quantity: column}``; columns such as ``test_error_stderr`` and numbers
            such as ``0.106(3)`` need none.
        columns : dict, optional
            ``{column: name here}``; None leaves a column out.
        conventions : str, list of str or dict, optional
            Names of :data:`asympkit.conventions`, or ``{name: text}``, as ``{"lam": "n*lam"}``: what numbers are here.
        **parameters : float
            Those that are the same in all rows.

        Returns
        -------
        ComparedTable
            ``numbers``, ``verdict``, ``passed``, and ``explanations`` of differences: a convention under which numbers
            agree, a digit that slipped, an error that is too small, a parameter that differences follow.  Numbers agree
            within their last printed digit, or with errors at z that all together have p = 0.001.  ``str()`` prints it;
            ``to_csv``, ``to_latex``, ``plot``.

        Raises
        ------
        UnknownNameError
            For a column or convention that is not known, with the nearest known one.
        DomainError
            For a table that cannot be read, or holds no quantity of this theory.
        """
        return _published.run_compare(self, table, error, columns, conventions, self.given(parameters))

    def plot(self, quantity: str | Sequence[str] | None = None, *, over: str | None = None,
             simulation: Estimates | Mapping[str, Any] | None = None, ax: Any = None, optimum: bool = False,
             **parameters: Values) -> Any:
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
        optimum : bool
            Draw the error of the Bayes-optimal learner of the same labels, :class:`asympkit.BayesOptimal`, below: it
            has the samples of all stages, which the legend says.
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
        return _display.run_plot(self, quantity, over, simulation, ax, optimum, self.given(parameters))

    def report(self, path: Path, *, quantity: str | None = None, over: Names | None = None,
               simulation: Mapping[str, Any] | bool = True, digits: int | None = 15, date: str = "",
               **parameters: Value) -> FilePath:
        """Write one self-contained web page about this theory at a point.

        It holds activations, assumptions, symbols, equations, structure, solution, curves with simulated points and
        their pulls, optima, derivatives, a certificate, the exported code and what repeats the page.  What cannot be
        computed is a sentence in its place.  The page loads nothing and depends on no clock.

        Parameters
        ----------
        path : str or Path
            The file to write, ``NAME.html``.
        quantity : str, optional
            What curves, optima and derivatives are about; by default ``test_error``, or the first of ``quantities``.
        over : str or list of str, optional
            Parameters along which there are curves and optima; by default those that a simulation takes as arrays, or
            the required ones, at most three.
        simulation : bool or dict
            False for none, or arguments of :meth:`simulate`; by default 4 repeats, of size 200 at most.
        digits : int, optional
            Of the certificate; None for none.
        date : str
            A text to print among the provenance.
        **parameters : float
            As for :meth:`solve`.

        Returns
        -------
        Path

        Raises
        ------
        DomainError
            For a parameter outside its domain, or a file that exists and is no such page.
        UnknownNameError
            For a quantity or parameter that the theory lacks.
        """
        return _report.run_report(self, _display.call_of(self), path, quantity, over, simulation, digits, date,
                                  self.given(parameters))

    def generate(self, path: Path, language: str = "python", derivatives: bool = False,
                 width: bool = False) -> FilePath:
        """Export the solver of this theory as one file for other programs.

        Parameters
        ----------
        path : str or Path
            The file to write.
        language : {"python", "jax", "c"}
            A Python module that needs numpy (and numba, if installed) alone; one that JAX traces, for ``jit``, ``vmap``
            and gradients; or a C99 header that needs libm alone.
        derivatives : bool
            Add ``gradient``, the derivatives of everything by all parameters, to a Python module; one for JAX has them.
        width : bool
            Take the number of hidden units as a parameter, ``width``, of theories that have one; else their limit.

        Returns
        -------
        Path

        Raises
        ------
        DomainError
            If the language is not known, the name cannot be imported (``NAME.py``) or included (``NAME.h``), the file
            exists and was not written by asympkit, or a part of the theory has no form in the language.

        Notes
        -----
        Import a module by its name: numba keeps compiled code only for modules that are importable.  The file is
        yours, to use, change and publish under any licence.
        """
        check_choice("language", language, _export.LANGUAGES)
        file, chosen = check_path("path", path), _export.LANGUAGES[language]
        chosen.check_name(file)
        if file.exists() and _export.MADE_HERE not in file.read_text(encoding="utf-8", errors="replace"):
            raise DomainError(f"path: {str(file)!r} exists and was not written by asympkit; choose another name")
        file.write_text(chosen.write(self.at_width() if width else self, file.stem, derivatives), encoding="utf-8")
        return file
