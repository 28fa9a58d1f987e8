"""Base class of theories: solve, sweep, optimise, differentiate, prove, follow paths."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, overload

from ..arguments import check_digits, check_text, exact_entries
from ..errors import ConvergenceError, DomainError
from ..once import Deferred
from ..solve.solution import Solution, Status
from .declaration import Option
from .reporting import Reporting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor
    from typing import Any, Self

    from mpmath import mpf
    from sympy import Symbol

    from ..activations import Activation
    from ..annotations import (
        Backend,
        Bounds,
        Floats,
        FloatsMean,
        Path,
        Real,
        Start,
        Starts,
        Value,
        Values,
    )
    from ..certify.solutions import CertifiedSolution
    from ..continuation.run import Continuation
    from ..minimize.result import Maximum, Minimum, Optimum
    from ..roots import Solutions
    from ..sweep.result import Sweep
    from .declared import Point

(_certify, _continuation, _minimize, _precise, _roots, _sensitivity, _sweep) = (
    Deferred(f"asympkit.{name}") for name in (
        "certify", "continuation", "minimize.run", "multiprecision.precise", "roots", "sensitivity.run", "sweep"))
#: points beside one that show by how much double precision scatters, and their relative distance
_SCATTERED, _BESIDE = 4, 1e-11


class Model(Reporting):
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
        check_digits(digits)
        parameters = self.given(parameters)
        p = self.precise_point(parameters)
        rough, unsolved = self._approximations(p, start)
        if (limit := p.reached_limit) is not None:
            parameters[limit.parameter], rough = limit.finer(p, rough, digits)
        program, _ = self.program
        arrays = {n: exact_entries(parameters[n], values) for n, values in zip(program.arrays, p.arrays)}
        solve = partial(_precise.solve_from, rough, program, lambda numbers: self.precise_values(parameters, numbers),
                        self.functions, arrays, narrow=self.kernel.options.narrow)
        try:
            try:
                result, reached = solve(digits=digits)
            except _precise.FarError as error:
                if unsolved is not None or not self._drop_noise(p, start, rough, error.names):
                    raise
                result, reached = solve(digits=digits)
            for u in program.unknowns:
                if self.kernel.ends_at_zero(u.name) and 0 < abs(result[u]) < 10.0 ** -min(digits, 300):
                    _check_inside(u, result, solve, digits)
        except ConvergenceError as error:
            reached = None if unsolved is None else unsolved.solution
            if reached is not None and reached.status == Status.EDGE:
                error = ConvergenceError(f"{error}; in double precision: {unsolved}")
            raise self.explain_error("precise", error, p, reached) from error.__cause__
        shown = _precise.MultiprecisionNumbers(digits).mp.mpf      # the guard digits are not promised: they go
        solution = Solution({u.name: shown(result[u]) for u in program.unknowns},
                            {name: shown(result[s]) for name, s in program.observables.items()},
                            p.shown, shown(result[program.residual]), reached["iterations"], shown(reached["change"]),
                            nodes=reached["nodes"], assumptions=p.assumptions)
        return p.settle("precise", self.accept_solution("precise", solution), digits)

    def _approximations(self, point: Point, start: Start | None) -> tuple[list[Any], ConvergenceError | None]:
        """Return starts of the multiprecision iteration, and the error of double precision, or None.

        A start is what double precision reached with its uncertainties and sizes; if that is no solution, also what it
        began with.
        """
        kernel = self.kernel
        try:
            found = kernel.solve(point.values, point.table_parameters, self.activations, point.arrays, 1e-9, start)
        except ConvergenceError as error:
            if error.solution is None:
                raise
            unsolved, reached = error, error.solution
        else:
            near = {n: max(1e-6, 1e-11 * found.condition.get(n, 1.0)) * max(abs(v), found.scale.get(n, 0.0), 1e-12)
                    for n, v in found.order_parameters.items()}
            # by symmetry, but for rounding; where equations hold at 0, those at the edge of their domain are put there
            zeros = {n: 0.0 for n in kernel.options.may_vanish if abs(found[n]) < 1e-15 and not kernel.ends_at_zero(n)}
            return [(found.order_parameters | zeros, near, found.scale)], None
        begin = kernel.start if start is None else {**kernel.start, **{n: float(v) for n, v in start.items()}}
        # an iteration that ran away, or to an edge, is no start
        starts = (begin,) if reached.status == Status.EDGE else (reached.order_parameters, begin)
        usable = [(s, None, None) for s in starts if all(abs(s[u]) < 1e100 for u in begin)]
        if not usable:
            raise unsolved
        return usable, unsolved

    def _drop_noise(self, point: Point, start: Start | None, rough: list[Any], names: Sequence[str]) -> bool:
        """Take no account of where unknowns lie that scatter in double precision; return whether these do.

        They follow from others, and tables round more than condition numbers count: slightly beside the point they come
        out elsewhere.
        """
        (found, near, _), = rough
        if not set(names).isdisjoint(self.kernel.module.TORN):
            return False
        scatter = dict.fromkeys(names, 0.0)
        for k in range(1, _SCATTERED + 1):
            values, table = (tuple(v * (1.0 - k * _BESIDE) for v in at)
                             for at in (point.values, point.table_parameters))
            with suppress(ConvergenceError):
                other = self.kernel.solve(values, table, self.activations, point.arrays, 1e-9, start)
                scatter |= {n: max(s, abs(other[n] - found[n])) for n, s in scatter.items()}
        return all(near.pop(n) < s for n, s in scatter.items())

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

        Over one parameter the interval is scanned at 25 places or more (in the logarithm if its lower end is
        positive); narrower minima are not seen.  The lowest minimum of the scan is refined as a root of the derivative.
        Over several, one that the tables depend on, or at few points, polynomials through values on Chebyshev nodes
        lead to the lowest minimum, at which the exact gradient vanishes; where polynomials do not converge, exact
        gradients lead down from the lowest values.

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


def _check_rtol(rtol: float) -> float:
    if not isinstance(rtol, int | float) or not 1e-14 <= rtol < 1:
        raise DomainError(f"rtol: got {rtol!r}; expected a number from 1e-14 to 1 (for more digits use precise())")
    return float(rtol)


# -- a student and a target --------------------------------------------------------------------------------------------


class StudentTargetModel(Model):
    """Base of theories with the activations ``student`` and ``target``."""

    options: tuple[Option, ...] = (
        Option("student", "activation of the student: a catalogue name or a text, such as tanh"),
        Option("target", "function of the target, such as sin"))

    @classmethod
    def unspecified(cls) -> Self:
        """Return the theory of any student and target, whose equations can be shown."""
        theory = cls.__new__(cls)
        theory.functions = {}
        return theory

    @property
    def student(self) -> Activation:
        return self.functions["student"]

    @property
    def target(self) -> Activation:
        return self.functions["target"]


def _check_inside(unknown: Symbol, result: dict[Symbol, Any], solve: Callable[..., Any], digits: int) -> None:
    """Raise if rounding alone holds a root apart from 0, the edge of its domain, where equations have no value."""
    with suppress(ConvergenceError):
        if abs(solve(digits=digits + 10)[0][unknown] - result[unknown]) <= 1e-3 * abs(result[unknown]):
            return
    raise ConvergenceError(f"precise: {unknown.name} is 0 to all {digits} digits, the edge of its domain, where the "
                           "equations have no value; move the parameters")
