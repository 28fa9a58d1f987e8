"""Base class of theories: solve, sweep, optimise, prove, simulate, check, plot and export."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from ..arguments import check_choice, check_path, check_text
from ..errors import ConvergenceError, DomainError
from ..once import Deferred
from ..solve.solution import Solution
from .declared import Declared
from .simulator import simulator_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Executor
    from pathlib import Path as FilePath
    from typing import Any

    from mpmath import mpf

    from ..annotations import (
        Backend,
        Bounds,
        Floats,
        FloatsMean,
        Names,
        Number,
        Path,
        Real,
        Start,
        Starts,
        Value,
        Values,
    )
    from ..certify.solutions import CertifiedSolution
    from ..check import Report
    from ..checks import Checks
    from ..continuation.run import Continuation
    from ..minimize.result import Maximum, Minimum, Optimum
    from ..published.numbers import ComparedTable
    from ..roots import Solutions
    from ..simulate.simulation import Estimates
    from ..sweep.result import Sweep

(_certify, _checks, _continuation, _display, _export, _minimize, _precise, _published, _report, _roots, _sensitivity,
 _sweep) = (
    Deferred(f"asympkit.{name}") for name in (
        "certify", "checks", "continuation", "theories.display", "export", "minimize.run", "theories.precise",
        "published.run", "report.run", "roots", "sensitivity", "sweep"))


class Model(Declared):
    """Base of theories: derive, solve, sweep, cross-check, generate.

    Subclasses declare what they are (``name``, ``declared``, ``functions``, ``assumptions``, ``tolerances``,
    ``simulator``) and give ``system``, ``program`` (with names), ``kernel``, :meth:`locate_point` and
    :meth:`precise_values`; every method follows.
    """

    def solve(self, *, rtol: float = 1e-12, start: Start | None = None, **parameters: Value) -> Solution[float]:
        r"""Solve the theory at one point in double precision.

        Parameters
        ----------
        rtol : float
            Requested accuracy, relative to the scale of each quantity; the averages are refined until it is reached.
        start : dict, optional
            Starting values of the unknowns that are solved by Newton's method; only the root near them is looked for.
            By default the usual starts are tried, then others over the whole domains of the unknowns.
        **parameters : float
            By name.  Names that are not identifiers, or are arguments of this method, go into a dictionary, as in all
            methods: ``solve(parameters={r"\hat{m}": 1, "rtol": 2})``.

        Returns
        -------
        Solution

        Raises
        ------
        DomainError
            If a parameter lies outside its domain.
        ConvergenceError
            If the accuracy is not reached; the error holds the last iterate.
        """
        rtol = _check_rtol(rtol)
        p = self.point(self.given(parameters))
        try:
            found = self.kernel.solve(p.values, p.table_parameters, self.activations, p.arrays, rtol, start, p.shown,
                                      p.assumptions)
        except ConvergenceError as error:
            raise self.explain_error("solve", error, p, error.solution) from None
        return p.settle("solve", self.accept_solution("solve", found))

    def precise(self, *, digits: int = 40, start: Start | None = None, **parameters: Value) -> Solution[mpf]:
        """Solve at one point in arbitrary precision, from the same symbolic equations.

        Parameters
        ----------
        digits : int
            Correct digits, from 5 to 1000.
        start : dict, optional
            As for :meth:`solve`: the start of the iteration in double precision, whose result is refined.
        **parameters
            As for :meth:`solve`; floats are read by their shortest decimal text (0.1 is 1/10), int,
            Fraction and decimal text are exact.

        Returns
        -------
        Solution
            Of mpmath numbers.

        Raises
        ------
        DomainError
            If a parameter lies outside its domain.
        ConvergenceError
            If the digits are not reached.
        """
        return _precise.run_precise(self, digits, start, self.given(parameters))

    def certify(self, *, digits: int = 30, floats: FloatsMean = "refuse", **parameters: Value) -> CertifiedSolution:
        """Prove the digits: return balls that contain the exact solution, and the record of the proof.

        Every average is enclosed in ball arithmetic with a proved bound of its quadrature error. If the form of the
        equations proves that their map increases and is strictly scalable, a bracket proves *the* positive root;
        otherwise Krawczyk's test proves the only root in a box. For losses with kinks the proof is that the box
        contains a root. The record says which.

        Parameters
        ----------
        digits : int
            Each radius is at most ``10**-digits`` of the scale of its quantity; from 5 to 1000, and to about 280
            where averages are nested.
        floats : {"refuse", "decimal", "exact"}
            How to read a float parameter: as an error, its shortest decimal text, or its binary value.
        **parameters : int, Fraction or decimal text
            As for :meth:`solve`.

        Returns
        -------
        CertifiedSolution
            Of :class:`asympkit.Ball`; ``.certificate`` can be printed and saved.

        Raises
        ------
        NotAvailableError
            If python-flint is not installed.
        DomainError
            For a float with ``floats="refuse"``, or a parameter outside its domain.
        ProofError
            If a hypothesis of the proof fails; the text says which.
        """
        check_text("floats", floats, "'refuse', 'decimal' or 'exact'")
        parameters = self.given(parameters)
        self.refuse_limit("certify", "a proof is about one point, and no limit", parameters)
        return self.accept_proof(_certify.certify_model(self, parameters, digits, floats), parameters, floats)

    def sweep(self, *, rtol: float = 1e-10, backend: Backend = "auto", executor: Executor | None = None,
              progress: bool | None = None, file: Path | None = None, start: Starts | None = None,
              **parameters: Values) -> Sweep:
        """Solve on a grid: parameters that are arrays become named axes, in the order given.

        A point that fails does not affect the others; it is retried from the solutions of its neighbours, from the
        solved points outward, and last as in :meth:`solve`; ``status`` says why it failed.

        Parameters
        ----------
        rtol : float
            Accuracy of the averages, estimated at the corners of the grid with a twice finer quadrature rule; if that
            is not reached, point by point.
        backend : {"auto", "numpy", "numba"}
            ``auto`` measures the first points, and uses numba where that repays loading it and compiling the loops; the
            attribute ``backend`` of the result says what was taken.  Small groups of points with tables of their own
            are solved together, always by numpy.
        executor : concurrent.futures.Executor, optional
            Points that need a table of their own are spread over it.
        progress : bool, optional
            Show the number of finished pieces (points that share a table) and the remaining time on stderr; by default
            in a terminal.
        file : str or Path, optional
            A ``.npz`` or ``.csv`` file that receives finished points while the sweep runs.  If it exists, the sweep
            resumes from it, to the same result; it is never half written.  A ``.npy`` file (with a description in
            ``.npy.json``) is written in place and the result is read from it, so that memory does not grow with
            the number of points.  Checksums detect damage: such points of a ``.npy`` are computed again, another
            file raises an error.
        start : dict, optional
            Starting values of the unknowns that are solved by Newton's method, each a number or an array that
            broadcasts to the grid (``sweep["m"]`` of an earlier sweep); NaN means the usual start.
        **parameters : float or array

        Returns
        -------
        Sweep

        Raises
        ------
        DomainError
            For an axis outside its domain, or a file that holds another sweep.
        SweepFileError
            If the file cannot be written; its ``sweep`` holds all finished points.
        WorkerLostError
            If the executor loses a worker; its ``result`` holds all finished points, and so does the file.
        KeyboardInterrupt
            After Ctrl-C, once a compiled call (or a compilation) has ended; its text says what to run to
            resume, its ``result`` holds all finished points.
        """
        return _sweep.run_sweep(self, self.given(parameters), _check_rtol(rtol), backend, progress, executor, file,
                                start)

    @overload
    def sensitivity(self, quantity: str, parameter: str, *, rtol: float = 1e-10,
                    **parameters: Values) -> float | Floats: ...

    @overload
    def sensitivity(self, quantity: str, parameter: list[str] | tuple[str, ...], *, rtol: float = 1e-10,
                    **parameters: Values) -> dict[str, float | Floats]: ...

    def sensitivity(self, quantity: str, parameter: str | list[str] | tuple[str, ...], *, rtol: float = 1e-10,
                    **parameters: Values) -> float | Floats | dict[str, float | Floats]:
        """Return the exact derivative of an observable or unknown by a parameter, by implicit differentiation.

        The system is differentiated symbolically, including the tables: derivatives of Gaussian means by the
        coefficients of their arguments are again Gaussian means.

        Parameters
        ----------
        quantity : str
            An observable or an unknown.
        parameter : str or sequence of str
            The parameter to differentiate by; several names give a dict.
        rtol : float
            Accuracy of the averages, relative to the size of the derivative before cancellation.
        **parameters : float or array
            As for :meth:`solve`; arrays broadcast.

        Returns
        -------
        float, ndarray or dict

        Raises
        ------
        UnknownNameError
            For a quantity or parameter that does not exist.
        DomainError
            If the theory is not differentiable in the parameter there: at a kink or a jump, whose two sides are named.
        ConvergenceError
            If the accuracy is not reached, or the linearised equations are singular.
        """
        return _sensitivity.run_sensitivity(self, quantity, parameter, _check_rtol(rtol), self.given(parameters))

    @overload
    def minimize(self, quantity: str, *, over: str, bounds: tuple[float, float], backend: Backend = "auto",
                 **parameters: Values) -> Minimum: ...

    @overload
    def minimize(self, quantity: str, *, over: list[str] | tuple[str, ...], bounds: Bounds, backend: Backend = "auto",
                 **parameters: Values) -> Optimum: ...

    def minimize(self, quantity: str, *, over: str | list[str] | tuple[str, ...], bounds: Bounds,
                 backend: Backend = "auto", **parameters: Values) -> Minimum | Optimum:
        """Minimise an observable over one parameter or several, by its exact derivatives.

        Over one parameter the interval is scanned at some thirty places (in the logarithm if its lower end is
        positive); narrower minima are not seen.  The lowest minimum of the scan is refined as a root of the derivative.
        Over several, or one that the tables depend on, polynomials through values on Chebyshev nodes lead to the lowest
        minimum, at which the exact gradient vanishes; where polynomials do not converge, exact gradients lead down from
        the lowest values.

        Parameters
        ----------
        quantity : str
            An observable or an unknown.
        over : str, or list of str
            The parameter to choose; up to four of them.
        bounds : tuple of float
            Its interval (low, high); for several parameters one each, in a list or a dict by name.
        backend : {"auto", "numpy", "numba"}
            For parameters that are arrays, over one parameter; ``auto`` uses numba for many points.
        **parameters : float or array
            The others.  Arrays broadcast and give curves of minima; neighbours in a long array are expected to be
            similar.

        Returns
        -------
        Minimum
            ``value``, ``argmin``, ``at_bound``, ``converged``, ``solution``; over several parameters an Optimum, whose
            ``argmin`` and ``at_bound`` are dicts by parameter.

        Raises
        ------
        DomainError
            For bounds that are not an interval or leave the domain of the parameter.
        ConvergenceError
            If no minimum is found at a single point.
        """
        return _minimize.run_minimize(self, quantity, over, bounds, backend, self.given(parameters))

    @overload
    def maximize(self, quantity: str, *, over: str, bounds: tuple[float, float], backend: Backend = "auto",
                 **parameters: Values) -> Maximum: ...

    @overload
    def maximize(self, quantity: str, *, over: list[str] | tuple[str, ...], bounds: Bounds, backend: Backend = "auto",
                 **parameters: Values) -> Optimum: ...

    def maximize(self, quantity: str, *, over: str | list[str] | tuple[str, ...], bounds: Bounds,
                 backend: Backend = "auto", **parameters: Values) -> Maximum | Optimum:
        """Maximise an observable over one parameter or several, as :meth:`minimize` minimises it.

        Parameters
        ----------
        quantity, over, bounds, backend
            As for :meth:`minimize`.
        **parameters : float or array
            The others.

        Returns
        -------
        Maximum
            ``value``, ``argmax``, ``at_bound``, ``converged``, ``solution``; over several parameters an Optimum.

        Raises
        ------
        DomainError
            For bounds that are not an interval or leave the domain of the parameter.
        ConvergenceError
            If no maximum is found at a single point.
        """
        return _minimize.run_minimize(self, quantity, over, bounds, backend, self.given(parameters), _minimize.LARGEST)

    def solutions(self, *, starts: int = 64, seed: int = 0, **parameters: Value) -> Solutions:
        """Find the solutions at one point from many starts, sorted by free energy, the lowest first.

        Starts are those of :meth:`solve`, over the whole domains of the unknowns, and seeded random ones.  Each result
        solves the equations to full accuracy; that there is no other is not proved.

        Parameters
        ----------
        starts : int
            Number of random starts, beside those of the solver.
        seed : int
            Of the random starts.
        **parameters : float
            As for :meth:`solve`.

        Returns
        -------
        Solutions
            A sequence of Solution, with ``free_energies`` and the number of ``starts``.

        Raises
        ------
        ConvergenceError
            If none is found, or so many that the equations seem to hold along a curve.
        """
        parameters = self.given(parameters)
        self.refuse_limit("solutions", "a limit has no free energies", parameters)
        return _roots.run_solutions(self, starts, seed, parameters)

    def continuation(self, *, over: str, start: Real, stop: Real, begin: Start | None = None, step: float = 0.05,
                     limit: int = 2000, **parameters: Value) -> Continuation:
        """Follow solutions in one parameter, through folds and at branch points, by pseudo-arclength.

        Parameters
        ----------
        over : str
            A parameter in which the equations are differentiable.  Derived quantities and tables that depend on it are
            recomputed at every point.
        start, stop : float
            The path begins at the solution for ``start`` and ends where the parameter reaches ``stop`` (or runs
            ten times the interval away from it, or to the border of its domain).  Branches that leave it inside the
            interval are followed to its ends.
        begin : dict, optional
            Starting values of unknowns for the first solution: they choose the root the path begins on.
        step : float
            Largest step of arclength; unknowns are measured in units of max(1, size at the start), and beyond that in
            their logarithm, the parameter in units of the interval.
        limit : int
            Largest number of points of one path.
        **parameters : float
            The others.

        Returns
        -------
        Continuation
            ``branches``, ``folds``, ``branch_points``, ``emanating`` paths, and why the path ends.

        Raises
        ------
        UnknownNameError
            For a parameter that no path can follow.
        DomainError
            For an invalid range, or where the equations have no finite derivatives.
        ConvergenceError
            If there is no solution to begin with, or the averages do not reach the accuracy of a path.
        """
        parameters = self.given(parameters)
        self.refuse_limit("continuation", "a path follows unknowns, of which some diverge there", parameters, over,
                          (start, stop))
        return _continuation.run_continuation(self, over, start, stop, begin, step, limit, parameters)

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
        return _display.run_plot(self, quantity, over, simulation, ax, self.given(parameters))

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


def _check_rtol(rtol: float) -> float:
    if not isinstance(rtol, int | float) or not 1e-14 <= rtol < 1:
        raise DomainError(f"rtol: got {rtol!r}; expected a number from 1e-14 to 1 (for more digits use precise())")
    return float(rtol)
