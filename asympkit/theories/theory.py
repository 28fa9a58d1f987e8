"""``ak.Theory``: a user-defined theory, from its free energy or its equations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sympy import Expr, Integer, Symbol
from sympy.core.sympify import _sympify

from ..activations import Activation
from ..arguments import check_array, check_signs
from ..codegen import write_kernel
from ..codegen.turning import write_turning
from ..equations.system import System
from ..errors import ConvergenceError, DomainError, LostDigitsError, ProofError, StructureError, warn_deprecated
from ..nodes import Applied, bind, holds, remove_names
from ..numbers.functions.classes import Larger
from ..once import Deferred, computed_once
from ..program import build
from ..program.error_analysis import ErrorOptions
from ..program.steady import steady
from ..runtime.features import STEPS, find_narrow, may_be_narrow
from ..solve.kernel import Kernel, SolverOptions, load_module
from ..spectra import kept_laws
from . import user_arguments as checks
from .declaration import check_claims, read_values
from .declared import Point
from .derived import Quantities, has_sampled_values, refuse_point_masses, refuse_sampled_point_masses
from .model import Model
from .usable import check_derivatives, is_kinked, rewrite_in_known_functions, stationarity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..annotations import ActivationLike, Bools, Draw, Expression, Floats, FloatsMean, Parameters, Real, Unknowns
    from ..certify.solutions import CertifiedSolution
    from ..comparison import Tolerance
    from ..program.names import Names
    from ..program.statements import Program
    from ..sensitivity.run import Tangent
    from ..solve.solution import Solution
    from .declaration import Assumption
    from .declared import S

_complex_step, _export, _run, _simulator, _tangent = (Deferred(f"asympkit.{name}") for name in (
    "sensitivity.complex_step", "export", "sensitivity.run", "theories.simulator", "sensitivity.tangent"))


class NarrowFeatures:
    """Find the narrow features of the integrands of a module with a function ``turning``, at its solutions."""

    def __init__(self, module):
        self.turning, self.parameters, self.unknowns = module.turning, module.PARAMETERS, module.UNKNOWNS

    def at(self, values):
        """Return what nodes of a rule in one variable are placed around, and the largest step that meets all others.

        The former are pairs of centre and width; ``values`` are parameters and unknowns by name.
        """
        places, others = find_narrow(self.turning, *self._split(values))
        return sorted(set(places)), STEPS * min([np.inf, *(w for _, w in others)])

    def may_be(self, values):
        """Find solutions, arrays by name, at which there may be narrow features; at the others there are none."""
        return may_be_narrow(self.turning, *self._split(values))

    def _split(self, values):
        return tuple(np.array([values[n] for n in names], float) for names in (self.parameters, self.unknowns))


class Theory(Model):
    """Define a theory by parameters, unknowns, and a free energy or equations; everything else is derived.

    Parameters
    ----------
    name : str
    parameters : dict, or list of Parameter
        ``{symbol: (meaning, domain)}``; a domain is ``"positive"``, ``"nonnegative"``, ``"real"``, ... or a
        pair (low, high).  A :class:`~asympkit.Parameter` may also have a default.
    unknowns : sequence of Symbol, or dict
        Symbols with assumptions: a positive unknown is solved in its logarithm.  The order breaks ties in the
        structure analysis and is part of the theory.  ``{symbol: domain}`` is the same list with domains:
        ``"positive"``, ``"nonnegative"``, ``"real"``, or a pair (low, high) that no iterate leaves.
    free_energy : Expr, optional
        The equations are its derivatives by the unknowns, set to zero.
    equations : sequence of Expr, optional
        Expressions that vanish, one for each unknown; in place of a free energy.
    observables : dict of str to Expr, optional
    start : dict, optional
        Starting values of unknowns, ``{symbol: number}``; by default the midpoint of a pair (low, high), or 1, and if
        that fails other numbers inside the domains.
    activations : dict, optional
        ``{label: activation}`` for the ``Applied`` functions in the expressions.
    derived : dict of Symbol to Expr, optional
        Symbols of the equations that follow from the parameters and from derived symbols above, by expressions that may
        contain averages over one normal variable.  Derivatives go through them.
    assumptions : sequence of Assumption
        Of parameters and derived quantities; what does not hold is a warning, and data of the solution.
    tolerances : sequence of Tolerance
        The differences that a simulation is allowed, and why.
    simulate : callable, optional
        ``draw(rng, size, **parameters)`` draws the finite model once, at one point, and returns numbers by the names of
        observables or unknowns; :meth:`simulate` adds repeats, seeds, errors, executors and files.  For other processes
        the function must be importable.
    size_name : str
        Name of the size in :meth:`simulate` and :meth:`check`.
    expected : Theory, optional
        A theory of the finite model: the same parameters and the size, called ``size_name``, as one more.  Then
        :meth:`check` compares the simulation with its quantities, within its tolerances; those of this theory are
        shown beside them.
    grants : sequence of Tolerance, optional
        Deprecated name of ``tolerances``.

    Raises
    ------
    StructureError
        If a symbol is neither parameter nor unknown, the equations cannot determine the unknowns, a back end lacks a
        function, or a needed derivative is a point mass.

    Examples
    --------
    >>> import asympkit as ak
    >>> from sympy import symbols
    >>> m, h = symbols("m h", real=True)
    >>> t = ak.Theory(name="shift", parameters={h: ("field", "real")}, unknowns=[m],
    ...               free_energy=m**2/2 - h*m, observables={"square": m**2})
    >>> t.solve(h=3.0).square
    9.0
    """

    @checks.refuse_depth
    def __init__(self, *, name: str, parameters: Parameters, unknowns: Unknowns, free_energy: Expression | None = None,
                 equations: Sequence[Expression] | None = None, observables: Mapping[str, Expression] | None = None,
                 start: Mapping[Symbol, Real] | None = None,
                 activations: Mapping[str, ActivationLike] | None = None,
                 derived: Mapping[Symbol, Expression] | None = None, assumptions: Sequence[Assumption] = (),
                 tolerances: Sequence[Tolerance] = (), simulate: Draw | None = None, size_name: str = "size",
                 expected: Theory | None = None, grants: Sequence[Tolerance] | None = None) -> None:
        if grants is not None:
            warn_deprecated("grants=", "tolerances=")
            tolerances = grants
        if (free_energy is None) == (equations is None):
            raise StructureError("Theory: give either free_energy or equations")
        self.declared, unknowns, equations = checks.check_arguments(name, parameters, unknowns, free_energy, equations,
                                                             observables, start, activations, derived)
        self.name = str(name)
        self.unknowns, self.intervals, known_as = checks.read_unknowns(unknowns)
        self.free_energy = None if free_energy is None else _sympify(free_energy).xreplace(known_as)
        stationary = equations if self.free_energy is None else stationarity(self.free_energy, self.unknowns)
        self._equations = tuple(rewrite_in_known_functions((e if isinstance(e, Expr)
                                                            else e.lhs - e.rhs).xreplace(known_as), "equations")
                                for e in map(_sympify, stationary))
        self.observables = {str(k): rewrite_in_known_functions(_sympify(v).xreplace(known_as),
                                                               f"observables[{str(k)!r}]")
                            for k, v in (observables or {}).items()}
        self._as_typed = [*([free_energy] if equations is None else equations), *(observables or {}).values()]
        self.start = {s.name: float(v) for s, v in (start or {}).items()}
        if activations:
            self.functions = {label: Activation(a) for label, a in activations.items()}
        self._typed = tuple(p.symbol for p in self.declared if isinstance(p.symbol, Symbol))
        self.derived = Quantities({s: _sympify(e) for s, e in (derived or {}).items()},
                                  self._typed, self.unknowns, self.functions)
        self.map, self.derived_names = self.derived.map, tuple(s.name for s in self.derived.symbols)
        self._lowered = (*self._equations, *self.observables.values())
        checks.check_symbols(self.unknowns, self._symbols, self.observables,
                      (*([] if self.free_energy is None else [self.free_energy]), *self._lowered), self._lowered)
        for where, e in (*(("equations", e) for e in self._equations),
                         *((f"observables[{n!r}]", e) for n, e in self.observables.items())):
            refuse_point_masses(where, (a for a in e.atoms(Applied) if a.label in self.functions), self.functions)
        self.assumptions, self.tolerances = check_claims(assumptions, tolerances, self._symbols,
                                                     (*self.observables, *(u.name for u in self.unknowns)))
        if simulate is not None:
            self.simulator = _simulator.make_user_simulator(simulate, size_name, self, expected)
        elif expected is not None:
            raise StructureError("expected: got a theory of the finite model and no simulation of it; give "
                                 "simulate=draw too")
        if any(map(is_kinked, self._equations)):
            check_derivatives(self.program[0])
        for u in self.unknowns:
            if u.name in self.start:
                checks.check_start(u.name, self.start[u.name], checks.interval_of(u, self.intervals))

    @property
    def _symbols(self):
        """Return the parameters of the equations: those that are given, and the derived ones."""
        return (*self._typed, *self.derived.symbols)

    @computed_once
    def _array_symbols(self):
        return checks.arrays_of(self._lowered)

    @computed_once
    def _eigenvalues(self):
        return checks.nonnegative_arrays(self._lowered)

    @computed_once
    def _means_of_scales(self):
        return checks.means_of_scales(self._lowered)

    @computed_once
    def system(self) -> System:
        """Return the equations with their structure."""
        return System(self.unknowns, self._equations, self.observables, self.functions, self.intervals)

    @computed_once
    @checks.refuse_depth
    def program(self) -> tuple[Program, Names]:
        """Return the lowered program and its names."""
        return build(self.system, self._symbols, options=ErrorOptions(is_deep=True))

    @computed_once
    @checks.refuse_depth
    def program_for_proofs(self) -> tuple[Program, Names]:
        """Return the program for proofs: kinks that move are left as they are, and so are laws without closed means and
        sums of exponentials."""
        program, names = self.program
        has_own = any(kept_laws(e) is not e or holds(steady(e), (Larger,)) for e in self._lowered)
        if not (has_own or any(g.is_shifted for g in program.grids)):
            return program, names
        return build(self.system, self._symbols, for_proof=True)

    @computed_once
    def kernel(self) -> Kernel:
        """Return the generated solver of this theory."""
        module = load_module(self.kernel_source())
        start = checks.default_start(self.unknowns, self.intervals) | self.start
        torn = [u for u in self.unknowns if u.name in module.TORN]
        intervals = {u.name: checks.interval_of(u, self.intervals) for u in torn}
        narrow = NarrowFeatures(module) if hasattr(module, "turning") else None
        usual = {u.name: start[u.name] for u in torn}
        return Kernel(module, SolverOptions(
            start, None if self.limit is None else partial(self.limit.starts, usual),
            other_starts=checks.other_starts(torn, self.intervals, self.start),
            far_starts=checks.far_starts(torn, self.intervals), intervals=intervals, narrow=narrow, is_known_even=False,
            may_vanish=tuple(n for u, (n, (low, high)) in zip(torn, intervals.items())
                             if not u.is_nonzero and low <= 0.0 <= high)))

    @computed_once
    @checks.refuse_depth
    def kernel_without_domains(self) -> Kernel:
        """Return a solver whose iterates may leave the declared intervals, to find out where an excluded root lies."""
        program, names = build(checks.unbounded_system(self), self._symbols)
        title = f"Solver of the theory {self.name!r} without the domains of its unknowns"
        budget = 0.1 * self.kernel.options.budget           # the usual search has already failed
        return Kernel.from_source(write_kernel(program, names, title, loops=False),
                                  SolverOptions(self.kernel.start, budget=budget))

    def kernel_source(self) -> str:
        """Return the source text of the module that the package solves with."""
        return write_kernel(*self.program, f"Solver of the theory {self.name!r}", self._turning)

    @checks.refuse_depth
    def _tangent_program(self, where, moved, fixed=()):
        """Return the tangent program, with its names, in rates of symbols, beside directions that are numbers."""
        taken = {s.name for s in (*self._symbols, *self.unknowns)}
        rates = {s: Symbol(_tangent.make_free_name(f"rate_{s.name}", taken), real=True) for s in moved}
        program, names = _tangent.tangent_program(self.system, self._symbols, {**dict(fixed), **rates})
        refuse_sampled_point_masses(where, program, self.functions)
        return program, names

    def _module_tangent(self):
        """Return the tangent program with its names, and the names of the parameters that move."""
        return *self._tangent_program("generate", self._symbols), [s.name for s in self._symbols]

    @computed_once
    def _turning(self):
        """The source of a function that finds where integrands turn; empty if none does so narrowly."""
        program, names = self.program
        return write_turning((*self._equations, *self.observables.values()), program, names.mapping())

    def source(self, language: str = "python", derivatives: bool = False) -> str:
        """Return the source text of the exported module, whose ``solve`` takes the theory's own parameters."""
        program, names = self.program
        names.activations(sorted(self.functions))
        options = self.kernel.options
        starts = [self.kernel.start, *(options.other_starts or options.far_starts)]
        usual = {n: v for n, v in self.given({}).items() if n in (*self.implied, *self.array_names)}
        tests = self.module_tests | checks.tests_of_means(self._means_of_scales, self.declared)
        front = _export.make_interface(program, names, self.declared, self.map, self.functions, tests, usual,
                                       self.module_values, self._module_tangent)
        notes = [] if self.free_energy is None else [f"Free energy: {bind(self.free_energy, self.functions)}"]
        notes += [f"{s.name} = {bind(e, self.functions)}" for s, e in self.derived.as_typed.items()]
        return _export.writer_of(language)(
            program, names, self.equations(), f"Solver of the theory {self.name!r}", front, self.functions, starts,
            notes=notes, domains={u: checks.interval_of(u, self.intervals) for u in self.unknowns},
            turning=self._turning, derivatives=derivatives)

    @property
    def meanings(self) -> dict[str, str]:  # type: ignore[override]
        return {s.name: str(e) for s, e in self.derived.as_typed.items()}

    @property
    def table_names(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the parameters of the tables and of derived quantities: they are constant in one piece of a sweep."""
        program, _ = self.program
        tables = {s.name for s in program.table_parameters}
        return tuple(s.name for s in self._typed if s.name in tables or self.derived.depend_on(s.name))

    @property
    def array_names(self) -> tuple[str, ...]:  # type: ignore[override]
        program, _ = self.program
        return program.arrays

    def locate_point(self, parameters: Mapping[str, Any], digits: int = 0) -> Point:
        arrays = self.array_names
        values = read_values(self.declared, parameters, self.name, arrays, self.names)
        limit = self.limit if self.limit is not None and values.get(self.limit.parameter) == 0.0 else None
        if limit is not None:
            values[limit.parameter] = limit.value
        given = {n: check_array(n, parameters[n], self._array_symbols.get(n, ()), not self.options) for n in arrays}
        program, _ = self.program
        for name in self._eigenvalues:
            if name in given and not given[name].any():
                raise DomainError(f"{name}: got {given[name].size} times 0; expected eigenvalues of which one at least "
                                  "is positive")
        for grid in program.grids:
            if len({given[n].size for n in grid.arrays}) > 1:
                sizes = ", ".join(f"{n} has {given[n].size}" for n in grid.arrays)
                raise DomainError(f"arrays: {sizes} entries; expected the same number")
        try:
            shown = {**values, **self.derived.floats(values)}
        except LostDigitsError:
            if not digits:
                raise
            shown = {**values, **self.derived.rounded(self._typed_numbers(parameters), digits)}
        check_signs(self._typed, shown)
        check_signs(self.derived.symbols, shown, "parameters from which it does not follow")
        checks.check_means(self._means_of_scales, shown)
        table = tuple(shown[s.name] for s in program.table_parameters)
        at = tuple(shown[s.name] for s in program.parameters)
        if limit is not None:
            shown[limit.parameter] = 0.0
        return self.substitute_limit(Point(at, table, tuple(given.values()), shown, self.broken(shown)))

    def _typed_numbers(self, parameters):
        """Return the given parameters as they were given, with defaults."""
        return {p.name: parameters.get(p.name, p.default) for p in self.declared}

    def explain_error(self, method: str, error: ConvergenceError, point: Point,
                  reached: Solution[float] | None) -> ConvergenceError:
        error = checks.explain_means(error, self._means_of_scales)
        if reached is None:
            return error
        return checks.explain_outside_root(self, method, error, point, reached, self._as_typed)

    def accept_proof(self, solution: CertifiedSolution, parameters: Mapping[str, Any],
                       floats: FloatsMean) -> CertifiedSolution:
        for u in self.unknowns:
            (low, high), ball = checks.interval_of(u, self.intervals), solution[u.name]
            above = ball.mid - ball.rad > low if u.is_positive else ball.mid + ball.rad >= low
            if not (above and ball.mid - ball.rad <= high):
                declared = "positive" if u not in self.intervals else f"in ({low:g}, {high:g})"
                raise ProofError(f"certify: {u.name} is declared {declared}, and the solution found has {u.name} = "
                                 f"{ball}: give a start inside the domain to the theory, or move the parameters")
        return solution

    def accept_solution(self, method: str, solution: S) -> S:
        """Return the solution, or raise if it violates the assumptions of its symbols."""
        wrong = checks.find_outside_unknowns(self.unknowns, self.intervals, solution, solution.scale)
        if wrong:
            declared = {u.name: "in ({:g}, {:g})".format(*checks.interval_of(u, self.intervals)) if u in self.intervals
                        else "positive" if u.is_positive else "real" for u in self.unknowns}
            raise ConvergenceError(f"{method}: {', '.join(wrong)} is declared {declared[wrong[0]]} and came out as "
                                   f"{', '.join(str(solution[n]) for n in wrong)}: the equations have no solution "
                                   "that respects the assumptions of their symbols here", solution)
        return solution

    def outside(self, values: Floats) -> Bools | None:
        places, low, high, is_open = self._bounds
        if not places:
            return None
        found = values[..., places]
        slack = np.where(is_open, 0.0, 1e-13 * np.abs(found))
        wrong = ~np.all(np.where(is_open, found > low, found >= low - slack) & (found <= high + slack), axis=-1)
        # in a limit some unknowns diverge and their conjugates vanish
        return wrong & ~np.isinf(values).any(axis=-1) if self.limit is not None and wrong.any() else wrong

    @computed_once
    def _bounds(self):
        """Return output indices and bounds of the bounded unknowns that are not solved in their logarithm."""
        module, rows = self.kernel.module, []
        for u in self.unknowns:
            interval = checks.interval_of(u, self.intervals)
            is_solved_in_logarithm = u.is_positive and u.name in module.TORN and u not in self.intervals
            if interval != (-np.inf, np.inf) and not is_solved_in_logarithm:
                rows.append((module.OUTPUTS.index(u.name), *interval, bool(u.is_positive) and interval[0] == 0.0))
        places, low, high, is_open = zip(*rows) if rows else ((), (), (), ())
        return list(places), np.array(low), np.array(high), np.array(is_open, bool)

    def switches(self, quantity: str) -> Sequence[tuple[Expr, Expr]]:
        if quantity not in self._switches:
            asked = (self.observables[quantity],) if quantity in self.observables else ()
            whole = (*self._equations, *asked, *self.derived.inlined.values())
            self._switches[quantity] = [pair for e in whole for pair in _run.switches(remove_names(e))]
        return self._switches[quantity]

    @computed_once
    def _switches(self):
        return {}

    def tangent(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> Tangent:
        _run.check_parameter(parameter, [s.name for s in self._typed if s.name not in self.implied], self.name)
        rates, module = self.derived.derivatives(parameter, point.shown), self.kernel.module
        # what is short is differentiated as it stands, and so are values of activations in tables
        if not module.GRIDS or {parameter, *rates}.intersection(module.TABLE_PARAMETERS) and has_sampled_values(
                self.program[0]):
            return _run.Tangent(self.tangent_kernel(parameter), (*point.values, *rates.values()))
        return _run.Tangent.along(self._tangent_kernel, module, {parameter: 1.0, **rates}, point)

    @computed_once
    def _tangent_kernel(self):
        return _run.tangent_kernel(_complex_step.ComplexStep(self.kernel.module, is_probed=True), self)

    def derivatives(self, parameter: str, parameters: Mapping[str, Any], point: Point) -> dict[str, float]:
        return {parameter: 1.0, **self.derived.derivatives(parameter, point.shown)}

    def tangent_kernel(self, parameter: str) -> Kernel:
        """Return the solver of the theory together with the symbolic derivative of every quantity by a parameter."""
        if parameter not in self._tangents:
            self._tangents[parameter] = _run.tangent_kernel(self._tangent_source(parameter), self)
        return self._tangents[parameter]

    @computed_once
    def _tangents(self):
        return {}

    @checks.refuse_depth
    def _tangent_source(self, parameter):
        (symbol,) = (s for s in self._typed if s.name == parameter)
        program, names = self._tangent_program(f"sensitivity to {parameter}", self.derived.moved_by(parameter),
                                               {symbol: Integer(1)})
        return write_kernel(program, names, f"Solver of the theory {self.name!r} and its derivatives by {parameter}")

    def precise_values(self, parameters: Mapping[str, Any], numbers: Any) -> dict[Symbol, Any]:
        given = self._typed_numbers(parameters)
        found = {s.name: numbers.number(given[s.name]) for s in self._typed} | self.derived.numbers(given, numbers)
        return {s: found[s.name] for s in self._symbols}
