"""Find the solutions at a point from many starts: those of the solver, and seeded random ones."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

from .arguments import check_count
from .codegen import write_kernel
from .errors import AssumptionWarning, ConvergenceError
from .notation import add_title, one_screen, table
from .program import build
from .solve.kernel import Kernel, SolverOptions
from .solve.solution import Status
from .tolerances import AMPLIFIED, RESIDUAL, ROUNDING

if TYPE_CHECKING:
    from .solve.solution import Solution

#: so many unknowns are printed with every solution
_FEW = 4


@dataclass(frozen=True)
class Solutions(Sequence["Solution[float]"]):
    """Hold the different solutions of a theory at one point that were found: a sequence of them.

    Attributes
    ----------
    found : tuple of Solution
        Lowest free energy first; where the theory has none, in the order of their first unknown.
    free_energies : tuple of float, or None
        One of each; None where the equations of the theory are no derivatives of one.
    starts : int
        From how many starts they were looked for.  Others may exist: nothing is proved here.
    unresolved : tuple of Solution
        Places of roots that rounding blurs, such as two nearly equal ones: their status says so.
        ``precise(start=..., digits=...)`` tells them apart.
    """

    found: tuple[Solution[float], ...]
    free_energies: tuple[float, ...] | None
    starts: int
    unresolved: tuple[Solution[float], ...] = ()

    @overload
    def __getitem__(self, index: int) -> Solution[float]: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Solution[float]]: ...

    def __getitem__(self, index: int | slice) -> Solution[float] | Sequence[Solution[float]]:
        return self.found[index]

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Solution[float]]:
        return iter(self.found)

    def __repr__(self) -> str:
        return one_screen(f"<Solutions: {self}>")

    def _repr_html_(self) -> str:
        names = [*self.found[0].order_parameters, *self.found[0].observables]
        energies = [() if self.free_energies is None else (e,) for e in self.free_energies or self.found]
        rows = [(*energy, *(s[n] for n in names)) for energy, s in zip(energies, self.found)]
        return add_title(f"Solutions from {self.starts} starts",
                      table(rows, (*(() if self.free_energies is None else ("free energy",)), *names)))

    def __str__(self) -> str:
        lines = [f"{len(self)} solution{'' if len(self) == 1 else 's'} from {self.starts} starts"]
        for k, solution in enumerate(self.found):
            values = dict(solution.observables)
            if len(solution.order_parameters) <= _FEW or not values:
                values = {**solution.order_parameters, **values}
            shown = [f"{name} = {value:.12g}" for name, value in values.items()]
            if self.free_energies is not None:
                shown.insert(0, f"free energy {self.free_energies[k]:.12g}")
            lines.append(f"{k}: {', '.join(shown)}")
        return "\n".join([*lines, *map(_describe_unresolved, self.unresolved)])


def _describe_unresolved(solution):
    """Say where rounding blurs roots."""
    at = ", ".join(f"{n} = {v:.9g}" for n, v in solution.order_parameters.items())
    return f"rounding blurs a root, or several that are nearly equal, near {at}: use precise(start=...)"


#: name of the observable; a theory may have its own of this name, which is not used here
_NAME = "free_energy"


class Energy:
    """The free energy of a theory, which has one, at its solutions."""

    def __init__(self, model):
        known, _ = model.program
        self.model, self.parameters = model, [s.name for s in known.parameters]
        system = model.lowered_system.with_(observables={_NAME: model.applied_free_energy})
        program, names = build(system, known.parameters)
        self.tables = [s.name for s in program.table_parameters]
        self.arrays = [known.arrays.index(n) for n in program.arrays]
        text = write_kernel(program, names, f"Free energy of the theory {model.name!r}", loops=False)
        self.kernel = Kernel.from_source(text, SolverOptions(model.kernel.start))

    def at(self, point, solution):
        """Compute the free energy at a solution of a point; ConvergenceError if its averages are not reached."""
        values = dict(zip(self.parameters, point.values))
        start = {u: solution[u] for u in self.kernel.module.TORN}
        activations = tuple(self.model.functions[label] for label in self.kernel.module.ACTIVATIONS)
        found = self.kernel.solve(point.values, tuple({**values, **point.shown}[n] for n in self.tables), activations,
                                  tuple(point.arrays[k] for k in self.arrays), 1e-9, start, point.shown)
        return found.observables[_NAME]


#: residual with which a point counts as solved, as in sweeps; difference below which two solutions are one
_ACCEPT, _SAME = 1e-9, 1e-6
#: relative distances from a root at which others are looked for, and accuracy, and roundings amplified by the
#: condition, within which two solutions are one
_BESIDE, _DIGITS, _ROUNDINGS = (1e-6, 1e-4, 1e-2), 1e-10, 32.0
#: roots of few digits that are looked at
_BLURRED = 8
#: solutions from which on they are taken for points of a curve
_MOST = 50
#: decades of random starts on both sides of 1
_DECADES = 3.0


def run_solutions(model, starts, seed, parameters):
    """See :meth:`asympkit.theories.model.Model.solutions`."""
    starts, seed = check_count("starts", starts, 1), check_count("seed", seed, 0)
    point, kernel = model.point(parameters), model.kernel
    every = [kernel.start, *kernel.options.other_starts, *kernel.options.far_starts,
             *_random(kernel.module.TORN, _domains(model.system), starts, seed)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssumptionWarning)
        found, unresolved = _polished(model, parameters, _rough(kernel, point, model.activations, every))
        usual = _usual(model, parameters)
    if usual is not None and not any(_alike(usual, s) for s in found):
        found.append(usual)
    if not found:
        raise ConvergenceError(f"solutions: none was found from {len(every)} starts; " + (
            _describe_unresolved(unresolved[0]) if unresolved else "solve() reports more there"))
    if len(found) > _MOST:
        raise ConvergenceError(f"solutions: more than {_MOST} different ones were found: the equations seem to hold "
                               "along a curve of unknowns here, which a symmetry or a parameter at a border leaves "
                               "undetermined")
    energies = None
    if model.free_energy is not None:
        energy = Energy(model)
        energies = [energy.at(point, s) for s in found]
    order = np.argsort(energies if energies else [next(iter(s.order_parameters.values())) for s in found],
                       kind="stable")
    return Solutions(tuple(found[k] for k in order), tuple(energies[k] for k in order) if energies else None,
                     len(every), tuple(unresolved))


def _usual(model, parameters):
    """Return the solution that ``solve`` finds, or None."""
    try:
        return model.solve(parameters=parameters)
    except ConvergenceError:
        return None


def _domains(system):
    """Return the intervals of unknowns that have some, by name."""
    signed = {u: (0.0, np.inf) for u in system.unknowns if u.is_nonnegative}
    return {u.name: tuple(map(float, interval)) for u, interval in {**signed, **system.intervals}.items()}


def _random(torn, domains, count, seed):
    """Draw starts over the domains of all unknowns: shares of an interval, and sizes over some decades."""
    rng, found = np.random.default_rng(np.random.SeedSequence(seed)), []
    for _ in range(count if torn else 0):
        start = {}
        for u in torn:
            low, high = domains.get(u, (-np.inf, np.inf))
            size = 10.0 ** rng.uniform(-_DECADES, _DECADES)
            if np.isfinite(low) and np.isfinite(high):
                start[u] = low + (high - low) * rng.uniform(1e-6, 1.0 - 1e-6)
            elif np.isfinite(low) or np.isfinite(high):
                start[u] = low + size if np.isfinite(low) else high - size
            else:
                start[u] = size * rng.choice([-1.0, 1.0])
        found.append(start)
    return found


def _rough(kernel, point, activations, starts):
    """Find different roots on a coarse rule from all starts at once, as starts."""
    torn = kernel.module.TORN
    if not torn:
        return []
    tables, _, _, _ = next(kernel.refinements(point.table_parameters, activations, point.arrays, 1e-9))
    places = [kernel.module.OUTPUTS.index(u) for u in torn]

    def reached(begin):
        values = [np.full(len(begin), v) for v in point.values]
        out, _ = kernel.batch(values, tables, dict(zip(torn, np.transpose(begin))))
        rows = out[places].T
        return rows[out[RESIDUAL] <= _ACCEPT], rows[out[RESIDUAL] == AMPLIFIED]

    roots, few_digits = reached([[s[u] for u in torn] for s in starts])
    found = _different(roots, [], _MOST + 1)
    beside = np.concatenate([root * (1.0 + side * np.eye(len(torn))) for root in found
                             for b in _BESIDE for side in (-b, b)]) if found else ()
    if len(beside):
        found = _different(reached(beside)[0], found, _MOST + 1)
    return [dict(zip(torn, root.tolist())) for root in _different(few_digits, found, len(found) + _BLURRED)]


def _different(roots, known, most):
    """Return the known roots, and of some others those that differ."""
    different = list(known)
    for root in roots:
        if len(different) < most and not any(
                np.all(np.abs(root - r) <= 1e-8 * (np.abs(root) + np.abs(r)) + 1e-12) for r in different):
            different.append(root)
    return different


def _polished(model, parameters, starts):
    """Find different solutions to full accuracy from these starts, and those of which rounding leaves few digits."""
    found, blurred = [], []
    for start in starts:
        try:
            solution = model.solve(start=start, parameters=parameters)
        except ConvergenceError as error:
            solution = error.solution
            if solution is not None and solution.status is Status.ILL_CONDITIONED and not any(
                    _alike(solution, s, _BESIDE[1]) for s in (*blurred, *found)):
                blurred.append(solution)
            continue
        if not any(_alike(solution, s) for s in found):
            found.append(solution)
    return found, blurred


def _alike(one, other, share=_SAME):
    """Return whether two solutions are equal, to a share of them or, if less, to rounding."""
    conditions = [s.condition.get(n, 1.0) for s in (one, other) for n in s.order_parameters]
    share = min(share, max(_DIGITS, _ROUNDINGS * ROUNDING * max(conditions))) if share == _SAME else share
    return all(abs(v - other.order_parameters[n]) <= share * max(abs(v), abs(other.order_parameters[n]), 1e-9)
               for n, v in one.order_parameters.items())
