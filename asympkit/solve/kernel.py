"""A generated module as a solver: load it, build tables, solve points on refined quadrature."""

import importlib.util
import math
import sys
from functools import cached_property
from types import ModuleType

import numpy as np

from ..errors import ConvergenceError, DomainError, UnknownNameError, suggest
from ..runtime.directions import direction_error
from .conditioning import conditioning
from .solution import Solution, Status

#: level of the coarsest rule, one more where more than this accuracy is asked for
FIRST, _STRICT = 1, 1e-11
#: relative rounding of a direction above which it is looked for proofs
_LOST = 1e-12
#: points times nodes of one pass in plain numpy: its arrays stay in the cache
_PASS = 45_000


class Kernel:
    """Numeric side of a theory, around one generated module.

    Parameters
    ----------
    module : module
        Written by :func:`asympkit.codegen.write_module`.
    """

    def __init__(self, module: ModuleType, start=None):
        self.module = module
        self.start = dict.fromkeys(module.TORN, 1.0) | dict(start or {})
        #: observables whose derivative is an output with a size before cancellation, ``{observable: size}``
        self.sizes = {}

    @classmethod
    def from_source(cls, text, start=None):
        """Write the source to the kernel cache and import it (numba caches compiled code of files only)."""
        from .. import cache
        from ..codegen import fingerprint

        name = f"asympkit_kernel_{fingerprint(text)}"
        if name in sys.modules:
            return cls(sys.modules[name], start)
        path = cache.write(f"{name}.py", text)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return cls(module, start)

    # -- tables -----------------------------------------------------------------------------------

    def tables(self, level, table_parameters, activations, arrays):
        """Tables and weights of all grids, flat, the error of the inner means, and the number of nodes."""
        return self.ladder((level,), table_parameters, activations, arrays)[0]

    def ladder(self, levels, table_parameters, activations, arrays, loops=False):
        """What :meth:`tables` gives for several levels; together they cost little more than the finest.

        With ``loops`` they are made by compiled loops.
        """
        out, error = self._ladder(levels, table_parameters, activations, arrays, loops)
        lost = self.direction_error(out[-1], activations)
        if lost > _LOST:
            known = self._proved(table_parameters, activations)
            if known is not activations:
                out, error = self._ladder(levels, table_parameters, known, arrays, loops)
                lost = self.direction_error(out[-1], known)
            lost *= self._sparsity(table_parameters, activations) if lost > _LOST else 1.0
        return [(tables, max(error, lost), sum(w.size for w in tables[1::2])) for tables in out]

    def _ladder(self, levels, table_parameters, activations, arrays, loops):
        out = [[] for _ in levels]
        error = 0.0
        for grid in self.module.GRIDS:
            rule = getattr(self.module, f"{grid}_rule")
            if grid == "eigenvalues":
                made = [rule(*arrays)] * len(levels)
            else:
                at = (levels, *table_parameters, *activations)
                made = getattr(self.module, f"{grid}_by_loops")(*at) if loops else None
                made, change = made or self._checked(rule, at)
                error = max(error, change)
            for tables, (table, weights) in zip(out, made):
                tables += [table, weights]
        return out, error

    def direction_error(self, tables, activations):
        """The largest relative rounding of means of which only the direction counts."""
        return max((direction_error(tables[place], tables[place + 1], d, activations)
                    for place, d in self._directions), default=0.0)

    @cached_property
    def _directions(self):
        """Place of the table and record of every direction."""
        m = self.module
        return tuple((2 * n, d) for n, grid in enumerate(m.GRIDS)
                     for d in getattr(m, f"{grid.upper()}_DIRECTIONS", ()))

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
        """What a rule of numpy gives, its error infinite after an overflow."""
        with np.errstate(all="ignore"):
            made, change = rule(*arguments)
            return made, change if all(math.isfinite(table.sum()) for table, _ in made) else np.inf

    def refinements(self, table_parameters, activations, arrays, rtol, loops=False):
        """Generator of (tables, error, nodes) on finer and finer rules; one alone where none is ours."""
        level = FIRST + (rtol < _STRICT)
        top = len(self.module.OUTER_STEPS) if self.is_refinable else level + 1
        levels = (level, level + 1) if self.is_refinable else (level,)
        while level < top:
            yield from self.ladder(levels, table_parameters, activations, arrays, loops)
            level = levels[-1] + 1
            levels = (level,)

    @cached_property
    def is_refinable(self):
        """Whether the module has a grid whose rule is ours to refine."""
        return any(g != "eigenvalues" for g in self.module.GRIDS)

    @property
    def is_compiled(self):
        """Whether the loops of the module are compiled already, in this process."""
        return bool(getattr(self.module.solve_rows, "signatures", ()))

    # -- points -----------------------------------------------------------------------------------

    def batch(self, values, tables, start=None, tolerance=1e-9, max_steps=100, diagnose=False):
        """Solve arrays of points on given tables in plain numpy; points that fail are tried again
        from the start with more plain iterations.  ``diagnose`` gives the blocks of the last points too."""
        m = self.module
        size = max(map(np.size, values), default=1)
        values = [np.broadcast_to(np.asarray(v, float), (size,)) for v in values]
        begin = [np.full(size, self.start[u]) if start is None else np.broadcast_to(start[u], (size,))
                 for u in m.TORN]
        out, blocks = np.empty((len(m.OUTPUTS), size)), None
        width = max(16, _PASS // max((weights.size for weights in tables[1::2]), default=1))
        for first in range(0, size, width):
            pick = slice(first, first + width)
            for plain in (2, 40, 400):
                with np.errstate(all="ignore"):
                    got, blocks = m.solve_batch(*(v[pick] for v in values), *tables, *(b[pick] for b in begin),
                                                plain, tolerance, max_steps + plain, diagnose)
                out[:, pick] = got
                if np.all(got[-2] <= 1e-9):
                    break
        return out, blocks

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
        for tables, table_error, count in self.refinements(table_parameters, activations, arrays, rtol):
            nodes = count
            out, blocks = self.batch(values, tables, start, diagnose=True)
            out = out[:, 0]
            if previous is not None or not self.is_refinable:
                with np.errstate(all="ignore"):         # tiny means: an overflow is an infinite condition
                    condition, scale = conditioning(m, out, blocks)
                scale |= self._observable_sizes(out) | dict.fromkeys(ignored, np.inf)
            if previous is None:
                if out[-2] <= 1e-9:            # the finer rule moves the solution a little
                    start = {u: float(out[m.OUTPUTS.index(u)]) for u in m.TORN}
            elif not table_error <= limit:     # a finer outer rule meets the same inner means
                change, settled = table_error, False
                break
            else:
                last_change, change = change, _change(out, previous, scale, m)
                # rounding, amplified by the Newton blocks, is a floor that refinement cannot pass
                floor = 1e-14 * max([1.0, *(condition.get(n, 1.0) for n in m.TORN)])
                settled = change <= rtol or (change <= floor and change > 0.1 * last_change)
                if settled:
                    break
            previous = out
        names = m.OUTPUTS
        known = dict(zip(names, map(float, out)))
        status, lost = Status.CONVERGED, 0.0
        if not table_error <= limit:
            lost = self.direction_error(tables, activations)
            status = Status.QUADRATURE if lost <= limit else Status.DIRECTION
        elif not known["residual"] <= limit or not np.all(np.isfinite(out)):
            status = Status.RESIDUAL
        elif not settled:
            status = Status.QUADRATURE
        solution = Solution(
            {u: known[u] for u in m.UNKNOWNS}, {o: known[o] for o in m.OBSERVABLES},
            dict(parameters if parameters is not None else zip(m.PARAMETERS, map(float, values))),
            known["residual"], int(known["iterations"]), float(max(change, 0.0)), condition, scale, nodes,
            status, tuple(assumptions))
        if not solution.converged:
            about = "" if status is not Status.DIRECTION else f"relative rounding {lost:.1e} of a mean, "
            raise ConvergenceError(f"solve: {status} ({about}residual {known['residual']:.1e}, "
                                   f"change under refinement {change:.1e}, rtol {rtol:.1e})", solution)
        return solution

    def _begin(self, start):
        """The starting values of a caller, checked, with the usual ones for the others."""
        if start is None:
            return None
        known = self.module.TORN
        if not isinstance(start, dict):
            raise DomainError(f"start: got {start!r}; expected {{name: number}} with names from {', '.join(known)}")
        for name in start:
            if name not in known:
                raise UnknownNameError(f"start: no unknown {name!r}{suggest(name, known)}; the others follow from "
                                       f"{', '.join(known) or 'the parameters'}")
        try:
            return self.start | {n: float(v) for n, v in start.items()}
        except (TypeError, ValueError) as error:
            raise DomainError(f"start: got {start!r}; expected {{name: number}}") from error

    def _observable_sizes(self, out):
        """Scales of observables whose size is known; a size itself need not settle."""
        at = self.module.OUTPUTS.index
        # a derivative that vanishes is rounding of the observable itself
        known = {f"d{o}": float(max(abs(out[at(size)]), 1e-5 * abs(out[at(o)]))) for o, size in self.sizes.items()}
        return known | dict.fromkeys(self.sizes.values(), np.inf)

    def change(self, new, old):
        """Largest relative change of observables and solved unknowns between solutions, outputs along the last axis."""
        new, old = new.take(self._judged, -1), old.take(self._judged, -1)
        size = np.maximum(np.abs(new), np.abs(old))
        size += 2.3e-308
        new -= old
        new /= size
        largest = max(float(new.max()), -float(new.min()))
        return largest if largest < np.inf else np.inf          # NaN counts too

    @cached_property
    def _judged(self):
        """Places of the solved unknowns and the observables among the outputs."""
        m = self.module
        return np.array([m.OUTPUTS.index(n) for n in (*m.TORN, *m.OBSERVABLES)])


def _change(new, old, scale, module):
    size = np.array([scale.get(n, 0.0) for n in module.OUTPUTS[:-2]])
    size = np.maximum(size, np.abs(new[:-2])) + np.finfo(float).tiny
    difference = np.abs(new[:-2] - old[:-2]) / size
    return float(np.max(difference)) if np.all(np.isfinite(difference)) else np.inf
