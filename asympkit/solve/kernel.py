"""A generated module as a solver: load it, build tables, solve points on refined quadrature."""

import importlib.util
import sys
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
from .batch import Batches
from .conditioning import ZERO, conditioning, measure_amplification
from .ladder import SolverOptions
from .solution import Solution, Status

#: error of what may be 0, where terms of order 1 cancel, some of which are larger
_REST = 1e-13
#: the same of an unknown that follows from others, relative to the largest output
_NOISE = 1e-14
_TINY = np.finfo(float).tiny
#: nodes from which on finer rules are tried only if the rate of convergence may bring what is asked
_MANY = 200_000
#: how often nodes are placed anew around features that move with the solution
_PLACEMENTS = 16
#: by which factor a parameter rises from one point of a path to the next, and the accuracy of the points
_RISE, _ON_PATH = 4.0, 1e-6
#: changes that count as rounding, in units of its estimate
_ROUNDINGS = 8
#: largest error by rounding of an unknown that follows from others, which has no digits left beyond
_FOLLOWING = 1e-3
#: changes that are looked at to see that they do not fall: those of kinks, which do slowly, are a quarter two levels on
_STAGNANT = 5
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
    left: float                 # of the budget


_USUAL = SolverOptions()


class Kernel(Batches):
    """Solve a generated module (written by ``codegen.write_kernel``), with what ``options`` know of its solutions."""

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

    def solve(self, values, table_parameters=(), activations=(), arrays=(), rtol=1e-12, start=None,
              parameters=None, assumptions=(), ignored=()):
        """Solve one point, refining the quadrature until the solution stands still; return a Solution.

        ``values`` are in the order of the module's ``PARAMETERS``, ``rtol`` is relative to the scale of each quantity,
        ``ignored`` outputs need not settle. ConvergenceError, which holds the last solution, if the equations or the
        averages do not reach it.
        """
        m, limit = self.module, max(rtol, 1e-12)
        out, change, settled, condition, scale, amplified, tables, table_error, nodes, left = self.refine(
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
            status = (Status.ILL_CONDITIONED if is_noise else Status.SPENT if left < 0.0 else
                      Status.RESIDUAL if known["residual"] < np.inf else Status.INFINITE)
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
            if status is Status.SPENT:
                about = f"{self.options.budget - left:.1e} evaluations on quadrature of {nodes} nodes, "
            if status is Status.QUADRATURE and change <= limit and table_error <= limit:
                about += "an integrand may turn between the nodes of every rule, "
            if not known["residual"] >= AT_EDGE:         # others stand for a state
                about += f"residual {known['residual']:.1e}, "
            raise ConvergenceError(f"solve: {status} ({about}change under refinement {change:.1e}, "
                                   f"rtol {rtol:.1e}, rounding {rounding:.1e})", solution)
        return solution

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
                expected = f"expected some of {', '.join(known)}" if known else "all follow from the parameters"
                raise UnknownNameError(f"start: no unknown {name!r}{suggest(name, known)}; {expected}")

    def refine(self, values, table_parameters, activations, arrays, rtol, start=None, ignored=()):
        """Solve one point on finer and finer rules, nodes placed around narrow features of integrands at the solution.

        Where the features lie and how narrow they are follows from the unknowns: they are looked for again at every
        solution, until that solution is one on nodes around its own features. Return a Refined.
        """
        places, found, failed, at = [], None, 0, (table_parameters, activations, arrays)
        left = [self.options.budget]
        is_given = start is not None            # the root near it is asked for, whatever coarse rules lead to
        if not is_given:
            start, places = self._approach(values, at, ignored, left)
        elif self.has_path(values):
            places, _ = self.options.narrow.at(self.named((*[np.nan] * len(self.module.OUTPUTS), *values)) | start)
        for _ in range(_PLACEMENTS):
            found, missed = self._refine(values, at, rtol, start, ignored, places, is_given, left)
            failed = 0 if found.out[RESIDUAL] <= 1e-9 or found.out[RESIDUAL] == AMPLIFIED else failed + 1
            if not missed:
                return found
            if failed == 2 or failed and left[0] < 0.0:         # features of what is no root lead nowhere
                break
            places = missed
            if found.out[RESIDUAL] <= 1e-9 and not is_given:
                start = self._torn(found.out)
        return found._replace(settled=False)

    def has_path(self, values):
        """Find points that are reached from others: at their usual start their features are too narrow to be seen."""
        low = self.options.rises_from           # beyond, features are narrower than numbers
        if low == np.inf:
            return np.False_
        value = values[self.module.PARAMETERS.index(self.options.continuation_parameter)]
        return (low < value) & (value < low / ROUNDING)

    def _approach(self, values, at, ignored, left):
        """Return the start and the places of nodes of a point, predicted from a path on which one parameter rises.

        Nodes lie around the features at a solution before the next is sought: on others there may be no root.
        """
        m, start, places, before = self.module, None, [], None
        if not self.has_path(values):
            return None, []
        low, place = self.options.rises_from, m.PARAMETERS.index(self.options.continuation_parameter)
        path = np.geomspace(low, values[place], int(np.ceil(np.log(values[place] / low) / np.log(_RISE))) + 1)
        for here, there in zip(path, path[1:]):
            point, after = ([*values[:place], v, *values[place + 1:]] for v in (here, there))
            for _ in range(_PLACEMENTS):
                found, missed = self._refine(point, at, _ON_PATH, start, ignored, places, start is not None, left)
                if not missed:
                    break
                places = missed
            if not found.out[RESIDUAL] <= 1e-9 or left[0] < 0.0:
                return None, []
            now = np.array([*self._torn(found.out).values()])
            with np.errstate(all="ignore"):
                grown = now / before if before is not None else np.ones(now.size)
            before, start = now, dict(zip(m.TORN, now * np.where(grown > 0.0, np.clip(grown, 0.05, 20.0), 1.0)))
            places, _ = self.options.narrow.at(self.named((*found.out, *after)) | start)
        return start, places

    def _refine(self, values, at, rtol, start, ignored, places, is_given, left):
        """Solve one point on finer and finer rules; return the features the last may miss where nodes can be placed."""
        m, limit, missed = self.module, max(rtol, 1e-12), []
        previous, change, settled = None, np.inf if self.is_refinable else 0.0, not self.is_refinable
        condition, scale, amplified, changes, others = {}, {}, {}, [], []
        for passes, made in enumerate(self.refinements(*at, rtol, places=places)):
            tables, table_error, nodes, level = made
            # what two rules do not find from anywhere, a finer one will not either
            out, blocks = self.batch(values, tables, start, diagnose=True, accept=limit, far=passes < 2, left=left)
            out = out[:, 0]
            if np.isnan(out[RESIDUAL]) and left[0] < 0.0:
                settled = False
                break
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
                with np.errstate(invalid="ignore"):         # both may be infinite
                    moved = np.abs(out - previous)
                last_change, change = change, _change(out, previous, sizes, m)
                others.append(_change(out, previous, sizes | self._follow, m))
                if rtol < change < np.inf and change >= last_change:
                    sizes |= self._rescale_small(out, previous, rtol, condition, scale, amplified)
                    change = _change(out, previous, sizes, m)
                # rounding, amplified by the Newton blocks, is a floor that refinement cannot pass
                floor = 1e-14 * max([1.0,
                    *(measure_amplification(n, condition, amplified) for n in m.TORN if n in condition)])
                changes.append(change)
                # changes that fall no more are rounding, and one after them that is a little smaller is chance
                is_chance = (rtol < last_change <= LARGEST_ERROR and change > 0.01 * last_change
                             and last_change > 0.1 * [np.inf, np.inf, *changes][-3])
                settled = change <= rtol and not is_over and not is_chance
                errors = {n: _ROUNDINGS * ROUNDING / limit * c * abs(v) for n, v in zip(m.OUTPUTS, out)
                          if limit < ROUNDING * (c := condition.get(n, 0.0)) < np.inf}
                rounded = sizes | {n: max(e, sizes.get(n, 0.0)) for n, e in errors.items()}
                is_rounding = 0.1 * last_change < change <= floor or _change(out, previous, rounded, m) <= limit
                # a rule several times coarser agrees; without units or activations, whose means have rounding, small
                # terms may be all that still moves
                may_stagnate = self.options.has_units or bool(at[1]) \
                    or bool(self.options.derivatives) and level == self.levels - 1
                if not is_over and may_stagnate and _is_stagnant(changes, others, rtol):
                    settled, out[ITERATIONS] = True, np.floor(out[ITERATIONS]) + 0.5
                    change = min(max(changes[-2:]), max(LARGEST_ERROR, *others[-2:]))
                    self._raise_conditions(condition, out, 4.0 * moved, limit, np.inf)
                elif not settled and not is_over and is_rounding:
                    again = self._solve_finer(values, at, places, out, level)
                    settled = again is not None and _change(again, out, rounded, m) <= max(floor, limit)
                    change = change if change <= floor else _change(out, previous, rounded, m)
                    if settled:
                        self._raise_conditions(condition, out, np.abs(out - again), limit, np.inf)
                if settled and self.options.has_units:
                    self._raise_conditions(condition, out, moved, limit, RESTING)
                last = _extrapolate_change(changes, level, self.levels - 1)
                is_hopeless = self.nodes_of(tables) > _MANY and last > 10.0 * rtol
                is_failed = left[0] < 0.0 and not out[RESIDUAL] <= limit
                if settled or is_hopeless or is_failed or self.is_spent(left):
                    break
            previous = out
        return Refined(out, change, settled, condition, scale, amplified, tables, table_error, nodes,
                       left[0]), missed

    def _torn(self, out):
        return {u: float(out[self.module.OUTPUTS.index(u)]) for u in self.module.TORN}

    def _conditioning(self, out, blocks, ignored, limit):
        """Condition numbers, scales, and amplification of rounding, of all outputs."""
        m = self.module
        with np.errstate(all="ignore"):         # tiny means: an overflow is an infinite condition
            condition, scale, amplified = conditioning(m, out, blocks, self.is_refinable, self.options.has_units,
                                                      self.options.auxiliary)
        scale |= self._observable_sizes(out, scale) | dict.fromkeys(ignored, np.inf)
        if self.options.has_units:
            scale |= {n: 1.0 for n, v in zip(m.UNKNOWNS, out) if abs(v) < LEAST_SIZE}
            at_rest = self.options.vanishing_outputs
            scale |= {n: 1.0 for n, v in zip(m.OUTPUTS, out) if n in at_rest and abs(v) < RESTING}
            scale |= {n: max(scale.get(n, 0.0), _REST / limit) for n in at_rest if n in m.OBSERVABLES}
        return condition, scale, amplified

    def _rescale_small(self, out, previous, rtol, condition, scale, amplified):
        """Judge changes that do not fall, and are rounding as in :meth:`changes`, relative to the largest observable.

        An overlap that vanishes by symmetry is the rounding of a table, and a small one may have few digits: its
        condition says so.  Returns the new scales.
        """
        m, both, found = self.module, np.maximum(np.abs(out), np.abs(previous)), {}
        rates, sizes = set(self.options.derivatives.values()), {size for size, _ in self.options.sizes.values()}
        seen = [n for n in m.OBSERVABLES if n not in sizes]
        for n, size, moved in zip(m.UNKNOWNS, both, np.abs(out - previous)):
            unit = max((float(both[m.OUTPUTS.index(o)]) for o in seen if (o in rates) == (n in rates)), default=0.0)
            noise = _NOISE * unit
            if n in m.TORN:
                noise = 4.0 * ROUNDING * min(unit, 1.0) if n in self.options.may_vanish else 0.0
            if rtol * max(scale[n], size) < moved <= noise:
                lost = 1.0 if size <= noise and ZERO * moved > size else float(moved / size)
                amplified[n] = max(1.0, condition[n] * abs(float(out[m.OUTPUTS.index(n)])) / unit)
                condition[n], scale[n] = max(condition[n], lost / ROUNDING), max(scale[n], unit)
                found[n] = scale[n]
        return found

    def _observable_sizes(self, out, scale):
        """Return scales of derivatives, and of observables whose size is known; a size itself need not settle."""
        at, sizes = self.module.OUTPUTS.index, self.options.sizes
        # a derivative that vanishes is rounding of the quantity itself
        known = {rate: float(max(abs(out[at(sizes[rate][0])]) if rate in sizes else scale.get(rate, 0.0),
                                 1e-5 * abs(out[at(name)]))) for name, rate in self.options.derivatives.items()}
        return known | dict.fromkeys((size for size, _ in self.options.sizes.values()), np.inf)

    def _solve_finer(self, values, at, places, out, level):
        """Solve a point again from its solution, on a rule several times finer; None where there is none.

        It may be one level beyond those that points are solved on.
        """
        finer = level + _SEVERAL_TIMES
        if finer > min(self.levels, len(OUTER_STEPS) - 1):
            return None
        (tables, _, _), = self.ladder((finer,), *at, places=places)
        return self.batch(values, tables, self._torn(out))[0][:, 0]

    def _raise_conditions(self, condition, out, moved, limit, largest):
        """Count in the condition numbers of quantities up to some size that another rule moves them by more than was
        asked for."""
        for n, value, change in zip(self.module.OUTPUTS, np.abs(out), moved):
            if n in condition and limit * value < change and value < largest:
                condition[n] = max(condition[n], float(change / max(value, change)) / ROUNDING)

    def _few_digits(self, known, condition, rtol, ignored):
        """Names of unknowns and observables whose error by rounding is above what was asked, relative to themselves."""
        known_of = self.options
        left_out = {*ignored, *known_of.auxiliary, *(size for size, _ in known_of.sizes.values())}
        errors = {n: ROUNDING * c for n, c in condition.items() if n in known and n not in left_out}
        # in theories with activations what is 0 to its error counts as 0, as in their sweeps
        known_zero = {n for n, e in errors.items() if self.module.ACTIVATIONS and e > 1.0 / ZERO
                      and abs(known[n]) <= LARGEST_ERROR}
        return [n for n, e in errors.items() if e > max(rtol, 1e-12) and n not in known_zero]

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

    def mark_few_digits(self, new, old, rtol):
        """Mark solutions, outputs along the last axis, by half an iteration where a change that counts as rounding
        leaves an unknown fewer digits than were asked for, but not none, which may be 0 by symmetry; return whether
        there are such."""
        now, before = new.take(self._judged, -1), old.take(self._judged, -1)
        with np.errstate(invalid="ignore"):
            moved, size = np.abs(now - before), np.maximum(np.abs(now), np.abs(before))
        few = (rtol * size < moved) & ((ZERO * moved <= size) & (self._kinds[1] > 0.0) | self._kinds[3])
        few = np.any(few, axis=-1)
        new[few, ITERATIONS] = np.floor(new[few, ITERATIONS]) + 0.5
        return few.any()

    def _rounding(self, size):
        """Bound the changes of the judged outputs that are rounding.

        It is that of terms of order 1 for observables that may be 0, and that of the largest output beside them for
        unknowns that may be 0 by symmetry, and for those that follow from others.
        """
        at_rest, follow, vanish, _ = self._kinds
        beside = np.maximum.reduce(size, axis=-1, keepdims=True)
        return _REST * at_rest + _NOISE * follow * beside + 4.0 * ROUNDING * vanish * np.minimum(beside, 1.0)

    @computed_once
    def _kinds(self):
        """Tell which of the judged outputs are observables that may be 0, which are unknowns that follow from others,
        which are those of Newton's method that may vanish, and which that follow are positive."""
        names, m = [self.module.OUTPUTS[k] for k in self._judged], self.module
        return (np.array([n in self.options.vanishing_outputs and n in m.OBSERVABLES for n in names], dtype=float),
                np.array([n in m.UNKNOWNS and n not in m.TORN for n in names], dtype=float),
                np.array([n in self.options.may_vanish for n in names], dtype=float),
                np.array([n in getattr(m, "POSITIVE", ()) for n in names]))

    @computed_once
    def _follow(self):
        """Return sizes beside which unknowns that follow from others do not count."""
        return {u: np.inf for u in self.module.UNKNOWNS if u not in self.module.TORN}

    @computed_once
    def _judged(self):
        """Return places of the observables and the unknowns among the outputs, those left out that need not settle."""
        m = self.module
        follow = [u for u in m.UNKNOWNS if u not in m.TORN and u not in self.options.auxiliary]
        return np.array([m.OUTPUTS.index(n) for n in (*m.TORN, *m.OBSERVABLES, *follow)])


def _change(new, old, scale, module):
    size = np.array([scale.get(n, 0.0) for n in module.OUTPUTS[:RESIDUAL]])
    size = np.maximum(size, np.abs(new[:RESIDUAL])) + _TINY
    with np.errstate(all="ignore"):
        change = float(np.maximum.reduce(np.abs(new[:RESIDUAL] - old[:RESIDUAL]) / size))
    return change if change < np.inf else np.inf            # NaN counts too


def _is_stagnant(changes, others, rtol):
    """Tell whether changes above what was asked for do not fall under refinement and are as small as rounding that
    counts, ``others`` than those of unknowns that follow: then nothing else is left of them."""
    return len(changes) >= _STAGNANT and max(others[-_STAGNANT:]) <= LARGEST_ERROR and \
        max(changes[-_STAGNANT:]) <= _FOLLOWING and max(changes[-2:]) > max(rtol, 0.3 * max(changes[-_STAGNANT:-2]))


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
