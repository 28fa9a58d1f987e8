"""A generated module as a solver: load it, build tables, solve points on refined quadrature."""

import importlib.util
import sys
from functools import partial
from inspect import signature
from itertools import chain
from types import ModuleType
from typing import NamedTuple

import numpy as np

from ..errors import ConvergenceError, DomainError, UnknownNameError, suggest
from ..once import computed_once
from ..runtime.newton import RESTING
from ..runtime.rules import OUTER_STEPS
from ..tolerances import (
    AMPLIFIED,
    AT_EDGE,
    DEPENDENT,
    ITERATIONS,
    LARGEST_ERROR,
    LEAST_SIZE,
    RESIDUAL,
    ROUNDING,
)
from .conditioning import ZERO, conditioning, measure_amplification
from .ladder import Ladder, SolverOptions
from .restarts import far_restarts, find_roots_from_starts, near_restarts
from .solution import Solution, Status

#: error of what may be 0, where terms of order 1 cancel, some of which are larger
_REST = 1e-13
#: the same of an unknown that follows from others, relative to the largest output
_NOISE = 1e-14
#: points times nodes of one pass in plain numpy: its arrays stay in the cache
_PASS = 45_000
#: the same of one point, and of a few, over many nodes
_MOST = 2_000_000
_TINY = np.finfo(float).tiny
#: distance from an end of a domain, relative to it, and from 0, and size, at which an unknown is at an edge
_NEAR, _LEAST, _FAR = 1e-14, 1e-60, 1e60
#: the same of points that are not solved
_TENDS = 1e-12
#: evaluations of integrands that a point may cost that is tried from other starts: some ten seconds; what a step costs
#: besides, for each byte of its code
_OVERHEAD = 1 / 3
#: nodes from which on finer rules are tried only if the rate of convergence may bring what is asked
_MANY = 200_000
#: how often nodes are placed anew around features that move with the solution
_PLACEMENTS = 16
#: levels to a rule whose step is a quarter
_SEVERAL_TIMES = 4


def load_module(text):
    """Write source to the kernel cache, and run it from there (numba caches compiled code of files only)."""
    from .. import cache
    from ..codegen import fingerprint

    name = f"asympkit_kernel_{fingerprint(text)}"
    if name not in sys.modules:
        path = cache.write(f"{name}.py", text)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        try:
            code = spec.loader.get_code(name)
        except Exception:                       # what Python kept of it is torn
            code = compile(text, path, "exec")
        exec(code, module.__dict__)
        sys.modules[name] = module
    return sys.modules[name]


class Refined(NamedTuple):
    """The solution of one point on the last of several rules, and the estimates of its errors."""

    out: np.ndarray
    change: float
    settled: bool
    condition: dict
    scale: dict
    amplified: dict
    tables: list
    table_error: float
    nodes: int


_USUAL = SolverOptions()


class Kernel(Ladder):
    """Numeric side of a theory, around one generated module.

    Parameters
    ----------
    module : module
        Written by :func:`asympkit.codegen.write_kernel`.
    options : SolverOptions
        What the module does not show.
    """

    def __init__(self, module: ModuleType, options: SolverOptions = _USUAL):
        self.module, self.options = module, options
        self.start = dict.fromkeys(module.TORN, 1.0) | dict(options.start)

    @classmethod
    def from_source(cls, text, options: SolverOptions = _USUAL):
        """Return the solver of the module with this source."""
        return cls(load_module(text), options)

    @property
    def is_unique(self):
        """Return whether no other solution is there to be found."""
        return self.options.is_known_unique or self.module.UNIQUE

    @property
    def is_compiled(self):
        """Return whether the loops of the module are compiled already, in this process."""
        return bool(getattr(self.module.solve_rows, "signatures", ()))

    # -- points -----------------------------------------------------------------------------------

    def batch(self, values, tables, start=None, tolerance=1e-9, max_steps=100, diagnose=False, accept=1e-9, far=False,
              left=None):
        """Solve arrays of points on given tables in plain numpy; points that fail are tried again
        from other starts and with more plain iterations, with ``far`` over the whole domain of the unknowns.
        ``diagnose`` gives the blocks of the last points too; other starts are tried while something is ``left`` (a list
        of one number) of a budget."""
        m = self.module
        size = max(map(np.size, values), default=1)
        values = _filled(values, size)
        given = self.usual_start(values) if start is None else start
        begin = _filled([given[u] for u in m.TORN], size)
        out, blocks = np.empty((len(m.OUTPUTS), size)), None
        nodes = self.nodes_of(tables)
        width = max(min(16, _MOST // nodes), _PASS // nodes, 1)
        at = tables, tolerance, max_steps, diagnose
        left = left or [self.options.budget * size]

        def run(values, begin, plain):
            """Solve in one pass from some starts; its cost is taken from the budget."""
            found, its_blocks = self._pass(values, begin, plain, *at)
            left[0] -= self._cost(found, nodes)
            self.mark_edges(found)
            return found, its_blocks

        for first in range(0, size, width):
            pick = slice(first, first + width)
            chosen = [v[pick] for v in values]
            got, blocks = run(chosen, [b[pick] for b in begin], 2)
            attempts = near_restarts(self, chosen, [b[pick] for b in begin], start is None,
                                     lambda values, begin, plain: run(values, begin, plain)[0])
            if far and m.TORN:
                trial = partial(self._trial, chosen, tables, tolerance, max_steps, left)
                look = partial(find_roots_from_starts, self, trial, accept=accept, width=width)
                attempts = chain(attempts, far_restarts(self, look, start is None))
            for again, plain in attempts:
                failed = _failed(got, accept)
                if not failed.any() or left[0] < 0.0:
                    break
                starts = again(got)
                for a in starts:                # where nothing was found to start from, all stays as it is
                    failed = failed & np.isfinite(a)
                if not failed.any():
                    continue
                tried, its_blocks = run([v[failed] for v in chosen], [a[failed] for a in starts], plain)
                # where nothing helps, what comes closest is handed back
                better = (_rank(tried[RESIDUAL]) < _rank(got[RESIDUAL, failed])) | np.isnan(got[RESIDUAL, failed])
                got[:, np.flatnonzero(failed)[better]] = tried[:, better]
                blocks = its_blocks if better.all() and failed.all() else blocks
            edge = np.flatnonzero((got[RESIDUAL] == AT_EDGE) & self._is_inside(got)) if far or start is not None else []
            if len(edge):
                # none is farther inside: a root beside an edge is one, its distance from it has few digits
                torn = [got[m.OUTPUTS.index(u), edge] for u in m.TORN]
                tried, its_blocks = self._pass([v[edge] for v in chosen], torn, 0, *at)
                tried[ITERATIONS] = np.floor(tried[ITERATIONS]) + 0.5
                good = (tried[RESIDUAL] <= accept) & self._is_inside(tried)
                got[:, edge[good]] = tried[:, good]
                blocks = its_blocks if good.all() and edge.size == got.shape[1] else blocks
            out[:, pick] = got
        return out, blocks

    def mark_edges(self, out, other=None):
        """Set the residual of points at which an unknown has come to the edge of its domain, root or not, and of roots
        at which a quantity has no finite value.

        A distance from an edge that is no more than its change from the outputs on another rule is none.
        """
        out[RESIDUAL, ~np.isfinite(out[:RESIDUAL]).all(axis=0) & (out[RESIDUAL] <= LARGEST_ERROR)] = np.inf
        solved = (out[RESIDUAL] <= LARGEST_ERROR) | (out[RESIDUAL] == AMPLIFIED)
        for name in self._edged:
            row = out[self.module.OUTPUTS.index(name)]
            near = np.any([np.abs(row) > _FAR, *(_is_edge(row, e, solved) for e in self._ends(name))], axis=0)
            if other is not None:
                change = 2.0 * np.abs(row - other[self.module.OUTPUTS.index(name)])
                for e in self._ends(name):
                    near |= solved & (np.abs(row - e) <= change)
            out[RESIDUAL] = np.where(near & ~np.isnan(out[RESIDUAL]), AT_EDGE, out[RESIDUAL])

    def _is_inside(self, out):
        """Find where all unknowns are finite and not at the ends of their domains themselves."""
        rows = {n: out[self.module.OUTPUTS.index(n)] for n in self._edged}
        return np.all([(np.abs(row) <= _FAR) & (row != e) & ((e != 0.0) | (np.abs(row) > _LEAST))
                       for n, row in rows.items() for e in (*self._ends(n), np.inf)], axis=0)

    def edges(self, out):
        """Say in words which unknowns tend to an edge of their domains at a point."""
        found = [(n, float(out[self.module.OUTPUTS.index(n)]), self._ends(n)) for n in self._edged]
        return [f"{n} tends to {next((f'{e:g}' for e in ends if _is_edge(v, e, False)), 'infinity')}"
                for n, v, ends in found if any(_is_edge(v, e, False) for e in ends) or abs(v) > _FAR]

    @computed_once
    def _edged(self):
        """Unknowns of declared domains, with ends that are no values of theirs, infinite ones too."""
        return [n for n in self.module.TORN if n in self.options.intervals]

    def _ends(self, name):
        """Ends of the domain of an unknown that are no values of it: 0 may be one."""
        may_vanish = name in self.options.may_vanish
        return [e for e in self.options.intervals[name] if np.isfinite(e) and not (e == 0.0 and may_vanish)]

    def usual_start(self, values):
        """Return the starts of points to which none is given, by unknown."""
        if self.options.guess_start is None:
            return self.start
        return self.start | self.options.guess_start(dict(zip(self.module.PARAMETERS, values)))

    def _pass(self, values, begin, plain, tables, tolerance, max_steps, diagnose):
        with np.errstate(all="ignore"):
            return self.module.solve_batch(*values, *tables, *begin, plain, tolerance, max_steps + plain, diagnose)

    def _trial(self, values, tables, tolerance, max_steps, left, points, begin, careful):
        """Return solutions of some of the points from their starts, as far as one pass leads, or the budget."""
        if left[0] < 0.0:
            return np.full((len(self.module.OUTPUTS), points.size), np.nan)
        more = {"careful": True} if careful else {}
        with np.errstate(all="ignore"):
            found = self.module.solve_batch(*(v[points] for v in values), *tables, *begin, 2, tolerance, max_steps + 2,
                                            **more)[0]
        left[0] -= self._cost(found, self.nodes_of(tables))
        self.mark_edges(found)
        return found

    def _cost(self, out, nodes):
        """Count the evaluations of integrands that some solutions took, and what a step costs besides."""
        steps = np.nan_to_num(out[ITERATIONS], posinf=0.0)
        return float(steps.sum() * nodes + steps.max(initial=0.0) * self._step_cost)

    @computed_once
    def _step_cost(self):
        return _OVERHEAD * _code_size(self.module.solve_batch.__code__)

    @computed_once
    def has_damped_steps(self):
        """Return whether the module knows careful steps."""
        return "careful" in signature(self.module.solve_batch).parameters

    def solve(self, values, table_parameters=(), activations=(), arrays=(), rtol=1e-12, start=None,
              parameters=None, assumptions=(), ignored=()):
        """Solve one point, refining the quadrature until the solution stands still.

        Parameters
        ----------
        values : sequence of float
            In the order of the module's ``PARAMETERS``.
        rtol : float
            Accuracy asked for, relative to the scale of each quantity.
        ignored : sequence of str
            Outputs that need not settle.

        Returns
        -------
        Solution

        Raises
        ------
        ConvergenceError
            If the equations or the averages do not reach it; the error holds the last solution.
        """
        m, limit = self.module, max(rtol, 1e-12)
        out, change, settled, condition, scale, amplified, tables, table_error, nodes = self.refine(
            values, table_parameters, activations, arrays, rtol, self._begin(start), ignored)
        names = m.OUTPUTS
        known = dict(zip(names, map(float, out)))
        rounding = ROUNDING * max(amplified.values(), default=0.0)
        status, lost = Status.CONVERGED, self.lost(tables, table_parameters, activations)
        if lost > limit:                       # a relative error of everything that the means enter
            change = max(change, lost)
            condition |= {n: max(c, lost / ROUNDING) for n, c in condition.items() if n not in m.TORN}
        if not table_error <= limit:
            status = Status.QUADRATURE if lost <= LARGEST_ERROR else Status.DIRECTION
        elif known["residual"] == DEPENDENT:
            status = Status.DEPENDENT
        elif known["residual"] == AT_EDGE:
            status = Status.EDGE
        elif known["residual"] == AMPLIFIED:
            status = Status.ILL_CONDITIONED
        elif not known["residual"] <= limit or not np.all(np.isfinite(out)):
            singular = ROUNDING * max((f for n, f in amplified.items() if isinstance(n, tuple)), default=0.0)
            is_noise = known["residual"] <= max(min(10.0, 10.0 * rounding), singular)
            status = (Status.ILL_CONDITIONED if is_noise else Status.RESIDUAL if known["residual"] < np.inf
                      else Status.INFINITE)
        elif not settled:
            status = Status.QUADRATURE
        elif max(change, rounding) > max(rtol, LARGEST_ERROR):
            status = Status.ILL_CONDITIONED
        elif self._few_digits(known, condition, rtol, ignored) or known["iterations"] % 1.0:
            status = Status.LIMITED
        solution = Solution(
            {u: known[u] for u in m.UNKNOWNS}, {o: known[o] for o in m.OBSERVABLES},
            dict(parameters if parameters is not None else zip(m.PARAMETERS, map(float, values))),
            known["residual"], int(known["iterations"]), float(max(change, 0.0)), condition, scale, nodes,
            status, tuple(assumptions))
        if not solution.converged:
            about = "" if status is not Status.DIRECTION else f"relative rounding {lost:.1e} of a mean, "
            if status is Status.EDGE:
                about = f"{', '.join(self.edges(out))}, "
            if known["residual"] == AMPLIFIED:
                worst = max(condition, key=condition.get)
                about = f"in {worst}, {condition[worst]:.1e} times, "
            raise ConvergenceError(f"solve: {status} ({about}residual {known['residual']:.1e}, "
                                   f"change under refinement {change:.1e}, rtol {rtol:.1e}, rounding "
                                   f"{rounding:.1e})", solution)
        return solution

    def refine(self, values, table_parameters, activations, arrays, rtol, start=None, ignored=()):
        """Solve one point on finer and finer rules, nodes placed around narrow features of integrands at the solution.

        Where the features lie and how narrow they are follows from the unknowns: they are looked for again at every
        solution, until that solution is one on nodes around its own features.

        Returns
        -------
        Refined
        """
        places, found, failed, at = [], None, 0, (table_parameters, activations, arrays)
        is_given = start is not None            # the root near it is asked for, whatever coarse rules lead to
        for _ in range(_PLACEMENTS):
            found, missed = self._refine(values, at, rtol, start, ignored, places, is_given)
            failed = 0 if found.out[-2] <= 1e-9 or found.out[-2] == AMPLIFIED else failed + 1
            if not missed:
                return found
            if failed == 2:                     # features of what is no root lead nowhere
                break
            places = missed
            if found.out[RESIDUAL] <= 1e-9 and not is_given:
                start = self._torn(found.out)
        return found._replace(settled=False)

    def _refine(self, values, at, rtol, start, ignored, places, is_given):
        """Solve one point on finer and finer rules; return the features the last may miss where nodes can be placed."""
        m, limit, missed = self.module, max(rtol, 1e-12), []
        previous, change, settled = None, np.inf if self.is_refinable else 0.0, not self.is_refinable
        condition, scale, amplified, left, changes = {}, {}, {}, [self.options.budget], []
        for passes, made in enumerate(self.refinements(*at, rtol, places=places)):
            tables, table_error, nodes, level = made
            # what two rules do not find from anywhere, a finer one will not either
            out, blocks = self.batch(values, tables, start, diagnose=True, accept=limit, far=passes < 2,
                                     left=left)
            out = out[:, 0]
            if previous is not None or not self.is_refinable:
                condition, scale, amplified = self._conditioning(out, blocks, ignored, limit)
            if previous is None:
                if out[RESIDUAL] <= 1e-9 and not is_given:            # the finer rule moves the solution a little
                    start = self._torn(out)
            elif not table_error <= limit:     # a finer outer rule meets the same inner means
                change, settled = table_error, False
                break
            else:
                missed, is_over = self.missed(level - 1, values, out, places)
                if missed:
                    settled = False
                    break
                sizes = scale | dict.fromkeys(self.options.auxiliary, np.inf)
                last_change, change = change, _change(out, previous, sizes, m)
                # rounding, amplified by the Newton blocks, is a floor that refinement cannot pass
                floor = 1e-14 * max([1.0,
                    *(measure_amplification(n, condition, amplified) for n in m.TORN if n in condition)])
                settled = change <= rtol and not is_over
                if not settled and not is_over and 0.1 * last_change < change <= floor:
                    settled = self._is_confirmed(values, at, places, out, level, max(floor, rtol), sizes)
                changes.append(change)
                last = _extrapolate_change(changes, level, self.levels - 1)
                is_hopeless = self.nodes_of(tables) > _MANY and last > 10.0 * rtol
                if settled or is_hopeless or left[0] < 0.0 and _failed(out, limit):
                    break
            previous = out
        return Refined(out, change, settled, condition, scale, amplified, tables, table_error, nodes), missed

    def _is_confirmed(self, values, at, places, out, level, largest, sizes):
        """Tell whether a rule several times finer moves a solution by no more than rounding does.

        It may be one level beyond those that points are solved on; where there is none that is finer, nothing is known.
        """
        finer = level + _SEVERAL_TIMES
        if finer > min(self.levels, len(OUTER_STEPS) - 1):
            return False
        (tables, _, _), = self.ladder((finer,), *at, places=places)
        again, _ = self.batch(values, tables, self._torn(out))
        return _change(again[:, 0], out, sizes, self.module) <= largest

    def _few_digits(self, known, condition, rtol, ignored):
        """Names of unknowns and observables whose error by rounding is above what was asked, relative to themselves."""
        known_of = self.options
        left_out = {*ignored, *known_of.auxiliary, *known_of.vanishing_outputs,
                    *(size for size, _ in known_of.sizes.values())}
        least = RESTING if known_of.has_units else 0.0
        errors = {n: ROUNDING * c for n, c in condition.items() if n in known and n not in left_out}
        return [n for n, e in errors.items() if e > max(rtol, 1e-12) and abs(known[n]) > least
                and not (e > 1.0 / ZERO and abs(known[n]) <= LARGEST_ERROR)]          # 0 to its error

    def _torn(self, out):
        return {u: float(out[self.module.OUTPUTS.index(u)]) for u in self.module.TORN}

    def _conditioning(self, out, blocks, ignored, limit):
        """Condition numbers, scales, and amplification of rounding, of all outputs."""
        m = self.module
        with np.errstate(all="ignore"):         # tiny means: an overflow is an infinite condition
            condition, scale, amplified = conditioning(m, out, blocks, self.is_refinable, self.options.has_units,
                                                      self.options.auxiliary)
        scale |= self._observable_sizes(out) | dict.fromkeys(ignored, np.inf)
        if self.options.has_units:
            scale |= {n: 1.0 for n, v in zip(m.UNKNOWNS, out) if abs(v) < LEAST_SIZE}
            at_rest = self.options.vanishing_outputs
            scale |= {n: 1.0 for n, v in zip(m.OUTPUTS, out) if n in at_rest and abs(v) < RESTING}
            scale |= {n: max(scale.get(n, 0.0), _REST / limit) for n in at_rest if n in m.OBSERVABLES}
        return condition, scale, amplified

    def _begin(self, start):
        """Return the starting values of a caller, checked, with the usual ones for the others."""
        if start is None:
            return None
        self.check_start_names(start)
        try:
            given = {n: float(v) for n, v in start.items()}
        except (TypeError, ValueError) as error:
            raise DomainError(f"start: got {start!r}; expected {{name: number}}") from error
        for name, value in given.items():
            if np.isnan(value):
                raise DomainError(f"start: {name} is {value!r}; expected a number")
            low, high = self.options.intervals.get(name, (-np.inf, np.inf))
            if not (low < value < high or value == low == 0.0):
                raise DomainError(f"start: {name} is {value!r}, outside its domain ({low:g}, {high:g})")
        return self.start | {n: v for n, v in given.items() if n in self.module.TORN}

    def check_start_names(self, start):
        """Raise unless starting values are a dict of unknowns that Newton's method solves for."""
        known = self.module.TORN
        if not isinstance(start, dict):
            names = f"{{name: number}} with names from {', '.join(known)}" if known else \
                "none: all unknowns follow from the parameters here, and nothing is started"
            raise DomainError(f"start: got {start!r}; expected {names}")
        for name in start:
            if name not in known and name not in self.module.UNKNOWNS:      # those that follow are found anew
                raise UnknownNameError(f"start: no unknown {name!r}{suggest(name, known)}; the others follow from "
                                       f"{', '.join(known) or 'the parameters'}")

    def _observable_sizes(self, out):
        """Return scales of observables whose size is known; a size itself need not settle."""
        at = self.module.OUTPUTS.index
        # a derivative that vanishes is rounding of the observable itself
        known = {rate: float(max(abs(out[at(size)]), 1e-5 * abs(out[at(o)])))
                 for rate, (size, o) in self.options.sizes.items()}
        return known | dict.fromkeys((size for size, _ in self.options.sizes.values()), np.inf)

    def change(self, new, old):
        """Return the largest relative change of observables and unknowns, outputs along the last axis."""
        return float(self.changes(new, old).max(initial=0.0))

    def changes(self, new, old):
        """Do as :meth:`change`, for each point; infinite where a number is not finite."""
        new, old = new.take(self._judged, -1), old.take(self._judged, -1)
        with np.errstate(all="ignore"):
            size = np.maximum(np.abs(new), np.abs(old)) + 2.3e-308
            share = np.maximum(np.abs(new - old) - self._rounding(size), 0.0) / size
        return np.where(np.isfinite(share), share, np.inf).max(axis=-1, initial=0.0)

    def _rounding(self, size):
        """Bound the changes of the judged outputs that are rounding.

        It is that of terms of order 1 for observables that may be 0, and that of the largest output beside them for
        unknowns that may be 0 by symmetry, and for those that follow from others.
        """
        at_rest, follow, vanish = self._kinds
        beside = np.maximum.reduce(size, axis=-1, keepdims=True)
        return _REST * at_rest + _NOISE * follow * beside + 4.0 * ROUNDING * vanish * np.minimum(beside, 1.0)

    @computed_once
    def _kinds(self):
        """Tell which of the judged outputs are observables that may be 0, which are unknowns that follow from others,
        and which are those of Newton's method that may vanish."""
        names, m = [self.module.OUTPUTS[k] for k in self._judged], self.module
        return (np.array([n in self.options.vanishing_outputs and n in m.OBSERVABLES for n in names], dtype=float),
                np.array([n in m.UNKNOWNS and n not in m.TORN for n in names], dtype=float),
                np.array([n in self.options.may_vanish for n in names], dtype=float))

    @computed_once
    def _judged(self):
        """Return places of the observables and the unknowns among the outputs, those left out that need not settle."""
        m = self.module
        follow = [u for u in m.UNKNOWNS if u not in m.TORN and u not in self.options.auxiliary]
        return np.array([m.OUTPUTS.index(n) for n in (*m.TORN, *m.OBSERVABLES, *follow)])


def _is_edge(value, end, is_solved):
    """Find where a value is an end of an interval: of solutions to rounding, of others as near as rounding permits."""
    near = np.where(is_solved, max(_NEAR * abs(end), _LEAST), _TENDS * max(1.0, abs(end)))
    return np.abs(value - end) <= near


def _code_size(code):
    """Return bytes of a function, those inside it counted."""
    return len(code.co_code) + sum(_code_size(c) for c in code.co_consts if hasattr(c, "co_code"))


def _rank(residual):
    """Return residuals in the order in which what they belong to is preferred: roots, those of few digits, edges,
    others."""
    return np.where(residual == AMPLIFIED, LARGEST_ERROR, np.where(residual == AT_EDGE, 0.5, residual))


def _failed(out, accept):
    """Points that are no roots, or roots with few digits: far out, where equations are flat, there are such."""
    return ~(out[RESIDUAL] <= accept)


def _filled(rows, size):
    """Return numbers, or arrays of numbers, as the rows of one array."""
    out = np.empty((len(rows), size))
    for row, values in zip(out, rows):
        row[...] = values
    return out


def _extrapolate_change(changes, level, last):
    """Foresee the change at the last level from those up to a level: they fall with the inverse step exponentially.

    So do those of trapezoidal rules of analytic functions; those of others are underestimated.  One change says nothing
    of the rate: 0 is foreseen.
    """
    if len(changes) < 2:
        return 0.0
    earlier = min(2, len(changes) - 1)
    before, here, there = (1.0 / OUTER_STEPS[k] for k in (level - earlier, level, last))
    ratio = changes[-1] / (changes[-1 - earlier] or 1.0)
    return changes[-1] * min(1.0, ratio) ** ((there - here) / ((here - before) or np.inf))


def _change(new, old, scale, module):
    size = np.array([scale.get(n, 0.0) for n in module.OUTPUTS[:RESIDUAL]])
    size = np.maximum(size, np.abs(new[:RESIDUAL])) + _TINY
    with np.errstate(all="ignore"):
        change = float(np.maximum.reduce(np.abs(new[:RESIDUAL] - old[:RESIDUAL]) / size))
    return change if change < np.inf else np.inf            # NaN counts too
