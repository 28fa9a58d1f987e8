"""A generated module as a solver: load it, build tables, solve points on refined quadrature."""

import importlib.util
import math
import sys
from collections.abc import Callable
from functools import cached_property, partial
from inspect import signature
from itertools import chain
from types import ModuleType
from typing import Any

import numpy as np

from ..errors import ConvergenceError, DomainError, UnknownNameError, suggest
from ..runtime.directions import direction_error
from ..runtime.means import normal_means
from ..runtime.newton import RESTING
from ..runtime.rules import OUTER_STEPS
from ..tolerances import AMPLIFIED, DEPENDENT, LARGEST_ERROR, LEAST_SIZE, ROUNDING
from .attempts import far_attempts, near_attempts, scout
from .conditioning import conditioning, felt
from .solution import Solution, Status

#: level of the coarsest rule, one more where more than this accuracy is asked for
FIRST, _STRICT = 1, 1e-11
#: error of what may be 0, where terms of order 1 cancel, some of which are larger
_REST = 1e-13
#: relative rounding of a direction above which it is looked for proofs
_LOST = 1e-12
#: points times nodes of one pass in plain numpy: its arrays stay in the cache
_PASS = 45_000
_TINY = np.finfo(float).tiny
#: the same of one point, and of a few, over many nodes
_MOST = 2_000_000


class Kernel:
    """Numeric side of a theory, around one generated module.

    Parameters
    ----------
    module : module
        Written by :func:`asympkit.codegen.write_kernel`.
    """

    def __init__(self, module: ModuleType, start=None):
        self.module = module
        self.start = dict.fromkeys(module.TORN, 1.0) | dict(start or {})
        #: starts to try where the usual one leads nowhere, those at last, and unknowns that may vanish exactly
        self.other_starts, self.far_starts, self.may_vanish = (), (), ()
        #: gives starts of points by unknown from their parameters by name, where one for all is not near enough
        self.nearby: Callable[[Any], dict] | None = None
        #: the same with more work, where that was not near enough either
        self.nearer: Callable[[dict], dict] | None = None
        #: parameter that is lowered step by step where a point with little of it is not found from its usual start
        self.walks_in: str | None = None
        #: gives the number of levels of refinement from the parameters of tables, where it is not that of the module
        self.levels_at = None
        #: unknowns that need not settle, because they enter nothing but sums that are judged themselves
        self.auxiliary: tuple[str, ...] = ()
        #: intervals of solved unknowns that a start must lie in, by name
        self.intervals = {}
        #: what finds features of integrands that rules may step over, where there may be some
        self.narrow = None
        #: whether there is one solution, for a reason that the form of the equations does not show
        self.is_known_unique = False
        #: whether unknowns are of order 1, or vanish
        self.has_units = False
        #: outputs that may be 0, by symmetry or where all samples are fitted, up to the rounding of terms of order 1
        self.at_rest: tuple[str, ...] = ()
        #: of a tangent system what derivatives are called, and which outputs are their size before cancellation
        self.rates, self.sizes = {}, {}

    @classmethod
    def from_source(cls, text, start=None):
        """Write the source to the kernel cache and run it (numba caches compiled code of files only)."""
        from .. import cache
        from ..codegen import fingerprint

        name = f"asympkit_kernel_{fingerprint(text)}"
        if name in sys.modules:
            return cls(sys.modules[name], start)
        path = cache.write(f"{name}.py", text)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        try:
            code = spec.loader.get_code(name)
        except Exception:                       # what Python kept of it is torn
            code = compile(text, path, "exec")
        exec(code, module.__dict__)
        sys.modules[name] = module
        return cls(module, start)

    @property
    def _given(self):
        """Grids of arrays that the caller gives, with the places of these among all arrays."""
        return getattr(self.module, "GIVEN", {})

    # -- tables -----------------------------------------------------------------------------------

    def tables(self, level, table_parameters, activations, arrays):
        """Tables and weights of all grids, flat, the error of the inner means, and the number of nodes."""
        return self.ladder((level,), table_parameters, activations, arrays)[0]

    def ladder(self, levels, table_parameters, activations, arrays, means=normal_means):
        """What :meth:`tables` gives for several levels; together they cost little more than the finest.

        ``means`` makes conditional means of activations: :func:`normal_means` or what takes and returns the same.
        """
        out, error = self._ladder(levels, table_parameters, activations, arrays, means)
        if self.direction_error(out[-1], activations) > _LOST:
            known = self._proved(table_parameters, activations)
            if known is not activations:
                out, error = self._ladder(levels, table_parameters, known, arrays, means)
            lost = self.lost(out[-1], table_parameters, activations)
            error = max(error, lost if lost > LARGEST_ERROR else 0.0)       # less is part of the error of a solution
        return [(tables, error, sum([w.size for w in tables[1::2]])) for tables in out]

    def nodes_of(self, tables):
        """Nodes of the largest sum, those of sums inside it at every node counted; 1 at least."""
        inner = self._inner
        if not inner:
            return max([1, *[weights.size for weights in tables[1::2]]])
        sizes = {grid: weights.size for grid, weights in zip(self.module.GRIDS, tables[1::2])}
        outer = max((n for grid, n in sizes.items() if grid not in inner), default=1)
        return max(1, outer * max((sizes[grid] for grid in inner), default=1))

    @property
    def is_unique(self):
        """Whether no other solution is there to be found."""
        return self.is_known_unique or self.module.UNIQUE

    @cached_property
    def _inner(self):
        """Grids whose sums are taken at every node of another grid."""
        return getattr(self.module, "INNER", ())

    def lost(self, tables, table_parameters, activations):
        """The largest relative rounding of means of which only the direction counts and which are not proved zero."""
        lost = self.direction_error(tables, activations)
        if lost > _LOST:
            lost = self.direction_error(tables, self._proved(table_parameters, activations))
        return lost * self._sparsity(table_parameters, activations) if lost > _LOST else lost

    def _ladder(self, levels, table_parameters, activations, arrays, means):
        out = [[] for _ in levels]
        error = 0.0
        for grid in self.module.GRIDS:
            rule = getattr(self.module, f"{grid}_rule")
            if grid in self._given:
                made = [rule(*(arrays[k] for k in self._given[grid]))] * len(levels)
            else:
                at = (levels, *table_parameters, *activations, *[means] * (grid in self._conditional))
                made, change = self._checked(rule, at)
                error = max(error, change)
            for tables, (table, weights) in zip(out, made):
                tables += [table, weights]
        return out, error

    @cached_property
    def _conditional(self):
        """Grids whose tables hold conditional means."""
        rules = {grid: getattr(self.module, f"{grid}_rule") for grid in self.module.GRIDS}
        return frozenset(grid for grid, rule in rules.items() if "normal_means" in signature(rule).parameters)

    def direction_error(self, tables, activations):
        """As :meth:`lost`, without a look at proofs."""
        return max([0.0, *[direction_error(tables[place], tables[place + 1], d, activations)
                           for place, d in self._directions]])

    @cached_property
    def _directions(self):
        """Place of the table and record of every direction."""
        m = self.module
        return tuple((2 * n, d) for n, grid in enumerate(m.GRIDS)
                     for d in getattr(m, f"{grid}_DIRECTIONS", ()))

    def _sparsity(self, table_parameters, activations):
        """How much smaller the mean absolute integrand, which is what rounds, is than the root mean square."""
        from .directions import sparsity

        return max((sparsity(activations[d[1]], d, table_parameters) for _, d in self._directions), default=1.0)

    def _proved(self, table_parameters, activations):
        """The activations with what can be proved of unresolved means."""
        from .directions import proved

        known = list(activations)
        for _, d in self._directions:
            known[d[1]] = proved(activations[d[1]], d, table_parameters) or known[d[1]]
        return activations if all(a is b for a, b in zip(known, activations)) else tuple(known)

    @staticmethod
    def _checked(rule, arguments):
        """What a rule gives, its error infinite after an overflow."""
        with np.errstate(all="ignore"):
            made, change = rule(*arguments)
            return made, change if all(math.isfinite(table.sum()) for table, _ in made) else np.inf

    def refinements(self, table_parameters, activations, arrays, rtol, means=normal_means):
        """Generator of (tables, error, nodes, level) on finer and finer rules; one alone where none is ours."""
        level = FIRST + (rtol < _STRICT)
        top = level + 1
        if self.is_refinable:
            top = self.levels if self.levels_at is None else self.levels_at(table_parameters)
        levels = (level, level + 1) if self.is_refinable else (level,)
        while level < top:
            for here, made in zip(levels, self.ladder(levels, table_parameters, activations, arrays, means)):
                yield *made, here
            level = levels[-1] + 1
            levels = (level,)

    def steps_over(self, level, values, out):
        """Whether a rule may miss a narrow feature of an integrand at one of some solutions.

        Parameters
        ----------
        level : int
            Of the coarser of two rules that agree.
        values : sequence of array_like
            Parameters, as for :meth:`batch`.
        out : ndarray, shape (outputs, points)
        """
        if self.narrow is None:
            return False
        m, step = self.module, OUTER_STEPS[level] * getattr(self.module, "WIDENED", 1.0)
        columns = np.broadcast_arrays(*out, *(np.ravel(v) for v in values))
        names = (*m.OUTPUTS, *m.PARAMETERS)
        return any(step > self.narrow.widest_step(dict(zip(names, point))) for point in zip(*columns))

    def tolerance(self, rtol):
        """Size of a step of Newton's method that is the last one: its square is the error; sums inside sums cost."""
        return min(1e-6, max(1e-9, 0.1 * math.sqrt(rtol))) if self._inner else 1e-9

    @cached_property
    def levels(self):
        """How many levels of refinement the rules have: fewer, where nodes are those of products of rules."""
        return getattr(self.module, "LEVELS", len(OUTER_STEPS))

    @cached_property
    def is_refinable(self):
        """Whether the module has a grid whose rule is ours to refine."""
        return any(g not in self._given for g in self.module.GRIDS)

    @property
    def is_compiled(self):
        """Whether the loops of the module are compiled already, in this process."""
        return bool(getattr(self.module.solve_rows, "signatures", ()))

    # -- points -----------------------------------------------------------------------------------

    def batch(self, values, tables, start=None, tolerance=1e-9, max_steps=100, diagnose=False, accept=1e-9, far=False):
        """Solve arrays of points on given tables in plain numpy; points that fail are tried again
        from other starts and with more plain iterations, with ``far`` over the whole domain of the unknowns.
        ``diagnose`` gives the blocks of the last points too."""
        m = self.module
        size = max(map(np.size, values), default=1)
        values = _filled(values, size)
        given = self.usual_start(values) if start is None else start
        begin = _filled([given[u] for u in m.TORN], size)
        out, blocks = np.empty((len(m.OUTPUTS), size)), None
        nodes = self.nodes_of(tables)
        width = max(min(16, _MOST // nodes), _PASS // nodes, 1)
        at = tables, tolerance, max_steps, diagnose

        def solve(values, begin, plain):
            return self._pass(values, begin, plain, *at)[0]

        for first in range(0, size, width):
            pick = slice(first, first + width)
            chosen = [v[pick] for v in values]
            got, blocks = self._pass(chosen, [b[pick] for b in begin], 2, *at)
            attempts = near_attempts(self, chosen, [b[pick] for b in begin], start is None, solve)
            if far and m.TORN:
                trial = partial(self._trial, chosen, tables, tolerance, max_steps)
                look = partial(scout, self, trial, accept=accept, width=width)
                attempts = chain(attempts, far_attempts(self, look, start is None))
            for again, plain in attempts:
                failed = ~(got[-2] <= accept)
                if not failed.any():
                    break
                starts = again(got)
                for a in starts:                # where nothing was found to start from, all stays as it is
                    failed = failed & np.isfinite(a)
                if not failed.any():
                    continue
                tried, its_blocks = self._pass([v[failed] for v in chosen], [a[failed] for a in starts], plain, *at)
                # where nothing helps, what comes closest is handed back
                better = (tried[-2] < got[-2, failed]) | np.isnan(got[-2, failed])
                got[:, np.flatnonzero(failed)[better]] = tried[:, better]
                blocks = its_blocks if better.all() and failed.all() else blocks
            out[:, pick] = got
        return out, blocks

    def usual_start(self, values):
        """Where points start to which no start is given, by unknown."""
        if self.nearby is None:
            return self.start
        return self.start | self.nearby(dict(zip(self.module.PARAMETERS, values)))

    def _pass(self, values, begin, plain, tables, tolerance, max_steps, diagnose):
        with np.errstate(all="ignore"):
            return self.module.solve_batch(*values, *tables, *begin, plain, tolerance, max_steps + plain, diagnose)

    def _trial(self, values, tables, tolerance, max_steps, points, begin, careful):
        """Solutions of some of the points from their starts, as far as one pass leads."""
        more = {"careful": True} if careful else {}
        with np.errstate(all="ignore"):
            return self.module.solve_batch(*(v[points] for v in values), *tables, *begin, 2, tolerance, max_steps + 2,
                                           **more)[0]

    @cached_property
    def has_careful(self):
        """Whether the module knows careful steps."""
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
        m, start = self.module, self._begin(start)
        previous, change, settled = None, np.inf if self.is_refinable else 0.0, not self.is_refinable
        limit = max(rtol, 1e-12)
        rules = self.refinements(table_parameters, activations, arrays, rtol)
        for passes, (tables, table_error, count, level) in enumerate(rules):
            nodes = count
            # what two rules do not find from anywhere, a finer one will not either
            out, blocks = self.batch(values, tables, start, diagnose=True, accept=limit, far=passes < 2)
            out = out[:, 0]
            if previous is not None or not self.is_refinable:
                with np.errstate(all="ignore"):         # tiny means: an overflow is an infinite condition
                    condition, scale, amplified = conditioning(m, out, blocks, self.is_refinable)
                scale |= self._observable_sizes(out) | dict.fromkeys(ignored, np.inf)
                if self.has_units:
                    scale |= {n: 1.0 for n, v in zip(m.UNKNOWNS, out) if abs(v) < LEAST_SIZE}
                    scale |= {n: 1.0 for n, v in zip(m.OUTPUTS, out) if n in self.at_rest and abs(v) < RESTING}
                    scale |= {n: max(scale.get(n, 0.0), _REST / limit) for n in self.at_rest if n in m.OBSERVABLES}
            if previous is None:
                if out[-2] <= 1e-9:            # the finer rule moves the solution a little
                    start = {u: float(out[m.OUTPUTS.index(u)]) for u in m.TORN}
            elif not table_error <= limit:     # a finer outer rule meets the same inner means
                change, settled = table_error, False
                break
            else:
                sizes = scale | dict.fromkeys(self.auxiliary, np.inf)
                last_change, change = change, _change(out, previous, sizes, m)
                # rounding, amplified by the Newton blocks, is a floor that refinement cannot pass
                floor = 1e-14 * max([1.0, *(felt(n, condition, amplified) for n in m.TORN if n in condition)])
                settled = change <= rtol or (change <= floor and change > 0.1 * last_change)
                # both rules may have missed what neither meets
                settled = settled and not self.steps_over(level - 1, values, out[:, None])
                if settled:
                    break
            previous = out
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
        elif known["residual"] == AMPLIFIED:
            status = Status.ILL_CONDITIONED
        elif not known["residual"] <= limit or not np.all(np.isfinite(out)):
            singular = ROUNDING * max((f for n, f in amplified.items() if isinstance(n, tuple)), default=0.0)
            is_noise = known["residual"] <= max(min(1.0, 10.0 * rounding), singular)
            status = Status.ILL_CONDITIONED if is_noise else Status.RESIDUAL
        elif not settled:
            status = Status.QUADRATURE
        elif max(change, rounding) > max(rtol, LARGEST_ERROR):
            status = Status.ILL_CONDITIONED
        solution = Solution(
            {u: known[u] for u in m.UNKNOWNS}, {o: known[o] for o in m.OBSERVABLES},
            dict(parameters if parameters is not None else zip(m.PARAMETERS, map(float, values))),
            known["residual"], int(known["iterations"]), float(max(change, 0.0)), condition, scale, nodes,
            status, tuple(assumptions))
        if not solution.converged:
            about = "" if status is not Status.DIRECTION else f"relative rounding {lost:.1e} of a mean, "
            if known["residual"] == AMPLIFIED:
                worst = max((n for n in condition if n not in m.TORN), key=condition.get)
                about = f"in {worst}, {condition[worst]:.1e} times, "
            raise ConvergenceError(f"solve: {status} ({about}residual {known['residual']:.1e}, "
                                   f"change under refinement {change:.1e}, rtol {rtol:.1e}, rounding "
                                   f"{rounding:.1e})", solution)
        return solution

    def _begin(self, start):
        """The starting values of a caller, checked, with the usual ones for the others."""
        if start is None:
            return None
        self.check_start_names(start)
        try:
            given = {n: float(v) for n, v in start.items() if n in self.module.TORN}
        except (TypeError, ValueError) as error:
            raise DomainError(f"start: got {start!r}; expected {{name: number}}") from error
        for name, value in given.items():
            low, high = self.intervals.get(name, (-np.inf, np.inf))
            if not (low < value < high or value == low == 0.0):
                raise DomainError(f"start: {name} is {value!r}, outside its domain ({low:g}, {high:g})")
        return self.start | given

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
        """Scales of observables whose size is known; a size itself need not settle."""
        at = self.module.OUTPUTS.index
        # a derivative that vanishes is rounding of the observable itself
        known = {rate: float(max(abs(out[at(size)]), 1e-5 * abs(out[at(o)])))
                 for rate, (size, o) in self.sizes.items()}
        return known | dict.fromkeys((size for size, _ in self.sizes.values()), np.inf)

    def change(self, new, old):
        """Largest relative change of observables and solved unknowns between solutions, outputs along the last axis."""
        new, old = new.take(self._judged, -1), old.take(self._judged, -1)
        size = np.maximum(np.abs(new), np.abs(old))
        size += 2.3e-308
        new -= old
        np.abs(new, out=new)
        if self.at_rest:
            np.maximum(new - self._rounding, 0.0, out=new)
        new /= size
        largest = float(np.maximum.reduce(new, axis=None))
        return largest if largest < np.inf else np.inf          # NaN counts too

    def changes(self, new, old):
        """As :meth:`change`, for each point; infinite where a number is not finite."""
        new, old = new.take(self._judged, -1), old.take(self._judged, -1)
        with np.errstate(all="ignore"):
            share = np.maximum(np.abs(new - old) - self._rounding, 0.0)
            share /= np.maximum(np.abs(new), np.abs(old)) + 2.3e-308
        return np.where(np.isfinite(share), share, np.inf).max(axis=-1, initial=0.0)

    @cached_property
    def _rounding(self):
        """What changes of the judged outputs are rounding: of observables that may be 0 that of terms of order 1."""
        here = set(self.at_rest) & set(self.module.OBSERVABLES)
        return np.array([_REST * (self.module.OUTPUTS[k] in here) for k in self._judged])

    @cached_property
    def _judged(self):
        """Places of the solved unknowns and the observables among the outputs; of all unknowns if there is neither."""
        m = self.module
        return np.array([m.OUTPUTS.index(n) for n in (*m.TORN, *m.OBSERVABLES) or m.UNKNOWNS])


def _filled(rows, size):
    """Numbers, or arrays of numbers, as the rows of one array."""
    out = np.empty((len(rows), size))
    for row, values in zip(out, rows):
        row[...] = values
    return out


def _change(new, old, scale, module):
    size = np.array([scale.get(n, 0.0) for n in module.OUTPUTS[:-2]])
    size = np.maximum(size, np.abs(new[:-2])) + _TINY
    change = float(np.maximum.reduce(np.abs(new[:-2] - old[:-2]) / size))
    return change if change < np.inf else np.inf            # NaN counts too
