"""A generated module as a solver: load it, build tables, solve points on refined quadrature."""

import importlib.util
import sys
from collections.abc import Callable
from functools import cached_property, partial
from inspect import signature
from itertools import chain
from types import ModuleType
from typing import Any

import numpy as np

from ..errors import ConvergenceError, DomainError, UnknownNameError, suggest
from ..runtime.newton import RESTING
from ..tolerances import AMPLIFIED, DEPENDENT, LARGEST_ERROR, LEAST_SIZE, ROUNDING
from .attempts import far_attempts, near_attempts, scout
from .conditioning import conditioning, felt
from .ladder import Ladder
from .solution import Solution, Status

#: error of what may be 0, where terms of order 1 cancel, some of which are larger
_REST = 1e-13
#: the same of an unknown that follows from others, relative to the largest output
_NOISE = 1e-14
#: points times nodes of one pass in plain numpy: its arrays stay in the cache
_PASS = 45_000
_TINY = np.finfo(float).tiny
#: the same of one point, and of a few, over many nodes
_MOST = 2_000_000


class Kernel(Ladder):
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
        #: unknowns that need not settle, because they enter nothing but sums that are judged themselves
        self.auxiliary: tuple[str, ...] = ()
        #: intervals of solved unknowns that a start must lie in, by name
        self.intervals = {}
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
    def is_unique(self):
        """Whether no other solution is there to be found."""
        return self.is_known_unique or self.module.UNIQUE

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
        """Largest relative change of observables and unknowns between solutions, outputs along the last axis."""
        new, old = new.take(self._judged, -1), old.take(self._judged, -1)
        size = np.maximum(np.abs(new), np.abs(old))
        size += 2.3e-308
        new -= old
        np.abs(new, out=new)
        np.maximum(new - self._rounding(size), 0.0, out=new)
        new /= size
        largest = float(np.maximum.reduce(new, axis=None))
        return largest if largest < np.inf else np.inf          # NaN counts too

    def changes(self, new, old):
        """As :meth:`change`, for each point; infinite where a number is not finite."""
        new, old = new.take(self._judged, -1), old.take(self._judged, -1)
        with np.errstate(all="ignore"):
            size = np.maximum(np.abs(new), np.abs(old)) + 2.3e-308
            share = np.maximum(np.abs(new - old) - self._rounding(size), 0.0) / size
        return np.where(np.isfinite(share), share, np.inf).max(axis=-1, initial=0.0)

    def _rounding(self, size):
        """What changes of the judged outputs are rounding: of observables that may be 0 that of terms of order 1, of
        unknowns that follow from others, which may be 0 by symmetry, that of the largest output beside them."""
        at_rest, follow = self._kinds
        return _REST * at_rest + _NOISE * follow * np.maximum.reduce(size, axis=-1, keepdims=True)

    @cached_property
    def _kinds(self):
        """Which of the judged outputs are observables that may be 0, and which are unknowns that follow from others."""
        names, m = [self.module.OUTPUTS[k] for k in self._judged], self.module
        return (np.array([n in self.at_rest and n in m.OBSERVABLES for n in names], dtype=float),
                np.array([n in m.UNKNOWNS and n not in m.TORN for n in names], dtype=float))

    @cached_property
    def _judged(self):
        """Places of the observables and the unknowns among the outputs, those left out that need not settle."""
        m = self.module
        follow = [u for u in m.UNKNOWNS if u not in m.TORN and u not in self.auxiliary]
        return np.array([m.OUTPUTS.index(n) for n in (*m.TORN, *m.OBSERVABLES, *follow)])


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
