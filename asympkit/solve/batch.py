"""Solve many points on one quadrature rule, in passes; points that fail are tried again from other starts.

The attempts of :func:`near_restarts` come first, everywhere.  Those of :func:`far_restarts` come last (in sweeps, after
the solutions of neighbours): they find roots that are far from every usual start, and change no point that is solved
without them.
"""

from functools import partial
from inspect import signature
from itertools import chain

import numpy as np

from ..once import computed_once
from ..tolerances import AMPLIFIED, AT_EDGE, ITERATIONS, LARGEST_ERROR, RESIDUAL, ROUNDING
from .ladder import ChargedTable, Ladder, PointTable, SpentBudgetError, select_points

__all__ = ["Batches", "far_restarts", "near_restarts"]

#: points times nodes of one pass in plain numpy: its arrays stay in the cache
_PASS = 45_000
#: the same of one point, and of a few, over many nodes
_MOST = 2_000_000
#: steps after which points of several passes that go on are gathered
_SOON = 20
#: distance from an end of a domain, relative to it, and from 0, and size, at which an unknown is at an edge
_NEAR, _LEAST, _FAR = 1e-14, 1e-60, 1e60
#: the same of points that are not solved
_TENDS = 1e-12
#: unknowns of order 1, or 0, that may be 0 to rounding
_NOISE = 1e-15
#: relative distance within which two solutions are one
_SAME = 1e-3
#: what a step costs beside its sums, for each byte of its code, in evaluations of an integrand of a few kilobytes;
#: bytes from which on one of a sum inside a sum costs more
_OVERHEAD, _LARGE = 1 / 3, 10_000
#: share of the budget that is left to solutions that usual starts lead to, and steps that a pass may always take
_BEYOND, _FEWEST = 0.5, 12
#: seconds that numba takes to be loaded, and for each byte of that code to compile the loops
_LOADING, _COMPILING = 1.3, 3.5e-4
#: by which factor a parameter falls from one point of a path to the next, and residuals that are good enough there
_STEP, _ON_PATH = 4.0, 1e-6


class Batches(Ladder):
    """The points of a module on given tables, many at once."""

    def batch(self, values, tables, start=None, tolerance=1e-9, max_steps=100, diagnose=False, accept=1e-9, far=False,
              left=None, patient=None):
        """Solve arrays of points on given tables in plain numpy; points that fail are tried again
        from other starts and with more iterations, with ``far`` over the whole domain of the unknowns; equations that
        are no maps with many more if ``patient`` (as ``far`` is by default).
        Tables may be those of as many points, which then are followed by their places in them.
        ``diagnose`` gives the blocks of the last points too; other starts are tried while something is ``left`` (a list
        of one number) of a budget."""
        m = self.module
        size = max(map(np.size, [*values, *(start or {}).values()]), default=1)
        values = _filled([*values, np.arange(size)] if _are_of_points(tables) else values, size)
        given = self.usual_start(values) if start is None else start
        begin = _filled([given[u] for u in m.TORN], size)
        nodes = self.nodes_of(tables)
        left = left or [self.options.budget * size]
        tables = self._charged(tables, left)
        at = tables, tolerance, max_steps, diagnose

        def run(values, begin, plain):
            """Solve from some starts; the cost is taken from the budget."""
            most = self._affordable_steps(left, nodes * np.shape(values)[1])
            try:
                found, its_blocks = self._pass(values, begin, min(plain, most), tables, tolerance, min(max_steps, most),
                                               diagnose)
            except SpentBudgetError:
                return self._unsolved(np.shape(values)[1]), None
            left[0] -= self._cost(found, nodes)
            self.mark_edges(found)
            return found, its_blocks

        got, blocks = run(values, begin, 2)
        attempts = near_restarts(self, values, begin, start is None,
                                 lambda values, begin, plain: run(values, begin, plain)[0],
                                 far if patient is None else patient)
        if far and m.TORN:
            trial = partial(self._trial, values, tables, tolerance, max_steps, left)
            look = partial(find_roots_from_starts, self, trial, accept=accept, width=self.width(nodes))
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
            tried, its_blocks = run(values[:, failed], [a[failed] for a in starts], plain)
            # where nothing helps, what comes closest is handed back
            better = (_rank(tried[RESIDUAL]) < _rank(got[RESIDUAL, failed])) | np.isnan(got[RESIDUAL, failed])
            got[:, np.flatnonzero(failed)[better]] = tried[:, better]
            blocks = its_blocks if better.all() and failed.all() else blocks
        if start is None or not self.options.has_units:
            blocks = self.put_at_zero(got, values, tables, accept, blocks, diagnose)
        edge = np.flatnonzero((got[RESIDUAL] == AT_EDGE) & self._is_inside(got)) if far or start is not None else []
        if len(edge):
            # none is farther inside: a root beside an edge is one, its distance from it has few digits
            torn = [got[m.OUTPUTS.index(u), edge] for u in m.TORN]
            tried, its_blocks = self._pass(values[:, edge], torn, 0, *at)
            tried[ITERATIONS] = np.floor(tried[ITERATIONS]) + 0.5
            good = (tried[RESIDUAL] <= accept) & self._is_inside(tried)
            got[:, edge[good]] = tried[:, good]
            blocks = its_blocks if good.all() and edge.size == size else blocks
        self.mark_beside_zero(got, values, tables, accept)
        return got, blocks

    def put_at_zero(self, got, values, tables, accept=LARGEST_ERROR, blocks=None, diagnose=False):
        """Put unknowns at 0 that are rounding, where Newton's method stays there; return the blocks of the points.

        Equations hold to rounding at any number below the rounding of an unknown, at twice as much too.
        """
        at, may_vanish = self.module.OUTPUTS.index, self.options.may_vanish
        tiny = {u: (got[at(u)] != 0.0) & (np.abs(got[at(u)]) < _NOISE) for u in self.module.TORN if u in may_vanish}
        here = np.flatnonzero(sum(tiny.values()) * (got[RESIDUAL] <= accept)) if tiny else ()
        for factor in (0.0,) if self.options.has_units else (2.0, 0.0):
            if not len(here):
                return blocks
            begin = [got[at(u), here] * (np.where(tiny[u][here], factor, 1.0) if u in tiny else 1.0)
                     for u in self.module.TORN]
            tried, its_blocks = self._pass(values[:, here], begin, 0, tables, LARGEST_ERROR,
                                           0 if factor else 100, diagnose)
            good = tried[RESIDUAL] <= (_NOISE if factor else accept)
            good &= ~np.any([row[here] & (tried[at(u)] != factor * got[at(u), here])
                             for u, row in tiny.items()], axis=0)
            here, tried = here[good], tried[:, good]
        got[:, here] = tried + 0.0          # no -0
        return its_blocks if here.size == got.shape[1] else blocks

    def mark_beside_zero(self, got, values, tables, accept=LARGEST_ERROR):
        """Set the residual of points that tend to 0, an end of a domain at which Newton's method cannot begin, and of
        roots that rounding alone keeps from it: from twice as far others are found."""
        at, torn = self.module.OUTPUTS.index, self.module.TORN
        tiny = {u: (got[at(u)] != 0.0) & (np.abs(got[at(u)]) < _TENDS) for u in self._edged if self.ends_at_zero(u)}
        here = np.flatnonzero(sum(tiny.values()) * (got[RESIDUAL] < AT_EDGE)) if tiny else ()
        if len(here):
            now, solved = np.array([got[at(u), here] for u in torn]), got[RESIDUAL, here] <= accept
            begin = [v * np.where(tiny[u][here], 2.0 * solved, 1.0) if u in tiny else v for u, v in zip(torn, now)]
            tried = self._pass(values[:, here], begin, 0, tables, LARGEST_ERROR, 100)[0][[at(u) for u in torn]]
            stays = [np.abs(new - old) <= _SAME * np.abs(old) for u, new, old in zip(torn, tried, now) if u in tiny]
            stays = np.where(solved, np.all(stays, axis=0), np.isfinite(tried).all(axis=0))
            got[RESIDUAL, here[~stays]] = AT_EDGE

    def usual_start(self, values):
        """Return the starts of points to which none is given, by unknown."""
        if self.options.guess_start is None:
            return self.start
        return self.start | self.options.guess_start(dict(zip(self.module.PARAMETERS, values)))

    @staticmethod
    def width(nodes):
        """Return how many points are solved in one pass."""
        return max(min(16, _MOST // nodes), _PASS // nodes, 1)

    def _pass(self, values, begin, plain, tables, tolerance, max_steps, diagnose=False, **how):
        """Solve points in passes whose arrays stay in the cache; those that take many steps are gathered."""
        def solve(points, steps):
            with np.errstate(all="ignore"):
                return self.module.solve_batch(*_with_tables([v[points] for v in values], tables),
                                               *[b[points] for b in begin], plain, tolerance, steps + plain, diagnose,
                                               **how)

        width, size = self.width(self.nodes_of(tables)), np.shape(values)[1]
        if size <= width:
            return solve(..., max_steps)
        out, left = np.empty((len(self.module.OUTPUTS), size)), np.arange(size)
        for steps in sorted({min(_SOON, max_steps), max_steps}):
            for first in range(0, left.size, width):
                some = left[first:first + width]
                some = slice(some[0], some[-1] + 1) if left.size == size else some
                out[:, some], blocks = solve(some, steps)
            left = np.flatnonzero(out[ITERATIONS] >= steps + plain)
        return out, blocks

    def _charged(self, tables, left):
        """Return the tables, those of placed nodes charged to what is left of a budget."""
        if not hasattr(self.module, "nodes_inside"):
            return tables
        charged = [ChargedTable.of(table, left, self._least, self._price) if grid in self._inner else table
                   for grid, table in zip(self.module.GRIDS, tables[::2])]
        return list(chain.from_iterable(zip(charged, tables[1::2])))

    @property
    def _least(self):
        return -_BEYOND * self.options.budget

    @computed_once
    def _price(self):
        """Cost of an evaluation of an integrand, which is all that is long in a module with sums inside sums."""
        return max(1.0, self._code_size / _LARGE) if self._inner else 1.0

    def is_spent(self, left):
        """Return whether nothing is left of a budget, not even for solutions that usual starts lead to."""
        return left[0] < self._least

    def _unsolved(self, count):
        """Return outputs of points at which nothing was found."""
        out = np.full((len(self.module.OUTPUTS), count), np.nan)
        out[ITERATIONS] = 0.0
        return out

    def _affordable_steps(self, left, nodes):
        """Return how many steps over some nodes are left of a budget."""
        return max(_FEWEST, int((left[0] - self._least) / (nodes * self._price)))

    def _cost(self, out, nodes):
        """Count the evaluations of integrands that some solutions took, and the other cost of their steps."""
        steps = np.nan_to_num(out[ITERATIONS], posinf=0.0)
        return float(steps.sum() * nodes * self._price + steps.max(initial=0.0) * self._step_cost)

    @computed_once
    def _step_cost(self):
        return _OVERHEAD * self._code_size

    @computed_once
    def _code_size(self):
        batch = self.module.solve_batch
        return _code_size(batch.__code__, batch.__globals__)

    @property
    def seconds_to_compile(self):
        """Return about how long numba takes for the loops of the module, as they are as long as the code for arrays."""
        return _LOADING + _COMPILING * self._code_size

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

    @computed_once
    def _edged(self):
        """Unknowns of declared domains, with ends that are no values of theirs, infinite ones too."""
        return [n for n in self.module.TORN if n in self.options.intervals]

    def _ends(self, name):
        """Ends of the domain of an unknown that are no values of it: 0 may be one."""
        may_vanish = self.ends_at_zero(name)
        return [e for e in self.options.intervals[name] if np.isfinite(e) and not (e == 0.0 and may_vanish)]

    def ends_at_zero(self, name):
        """Return whether the domain of an unknown has the end 0, which is a value of it."""
        return name in self.options.may_vanish and 0.0 in self.options.intervals.get(name, ())

    def _is_inside(self, out):
        """Find where all unknowns are finite and not at the ends of their domains themselves."""
        rows = {n: out[self.module.OUTPUTS.index(n)] for n in self._edged}
        # the last number inside may be the rounded end
        return np.all([*(np.abs(row) <= _FAR for row in rows.values()),
                       *(np.abs(row - e) > max(ROUNDING * abs(e), _LEAST)
                         for n, row in rows.items() for e in self._ends(n))], axis=0)

    def edges(self, out):
        """Say in words which unknowns tend to an edge of their domains at a point."""
        found = [(n, float(out[self.module.OUTPUTS.index(n)]), [*self._ends(n), *[0.0] * self.ends_at_zero(n)])
                 for n in self._edged]
        return [f"{n} tends to {next((f'{e:g}' for e in ends if _is_edge(v, e, False)), 'infinity')}"
                for n, v, ends in found if any(_is_edge(v, e, False) for e in ends) or abs(v) > _FAR]

    @computed_once
    def has_damped_steps(self):
        """Return whether the module knows careful steps."""
        return "careful" in signature(self.module.solve_batch).parameters

    def _trial(self, values, tables, tolerance, max_steps, left, points, begin, careful):
        """Return solutions of some of the points from their starts, as far as one pass leads, or the budget."""
        if left[0] < 0.0:
            return self._unsolved(points.size)
        more = {"careful": True} if careful else {}
        try:
            most = self._affordable_steps(left, self.nodes_of(tables) * points.size)
            found, _ = self._pass(values[:, points], begin, 2, tables, tolerance, min(max_steps, most), **more)
        except SpentBudgetError:
            return self._unsolved(points.size)
        left[0] -= self._cost(found, self.nodes_of(tables))
        self.mark_edges(found)
        return found


def _are_of_points(tables):
    return any(isinstance(table, PointTable) for table in tables)


def _with_tables(values, tables):
    """Return parameters of some points and their tables."""
    if not _are_of_points(tables):
        return *values, *tables
    *values, places = values
    return *values, *select_points(tables, places.astype(int))


def _filled(rows, size):
    """Return numbers, or arrays of numbers, as the rows of one array."""
    out = np.empty((len(rows), size))
    for row, values in zip(out, rows):
        row[...] = values
    return out


def _code_size(code, space):
    """Return bytes of a function, with those inside it and those of its module that it calls."""
    called = (getattr(f, "__code__", None) for f in map(space.get, code.co_names)
              if getattr(f, "__globals__", None) is space)
    return len(code.co_code) + sum(_code_size(c, space) for c in (*code.co_consts, *called) if hasattr(c, "co_code"))


def _is_edge(value, end, is_solved):
    """Find where a value is an end of an interval: of solutions to rounding, of others as near as rounding permits."""
    near = np.where(is_solved, max(_NEAR * abs(end), _LEAST), _TENDS * max(1.0, abs(end)))
    return np.abs(value - end) <= near


def _failed(out, accept):
    """Points that are no roots, or roots with few digits: far out, where equations are flat, there are such."""
    return ~(out[RESIDUAL] <= accept)


def _rank(residual):
    """Return residuals in the order in which what they belong to is preferred: roots, those of few digits, edges,
    others."""
    return np.where(residual == AMPLIFIED, LARGEST_ERROR, np.where(residual == AT_EDGE, 0.5, residual))


def near_restarts(kernel, values, begin, is_usual, solve, patient):
    """Return starts for points that failed, as functions of what was reached, with numbers of plain iterations.

    ``values`` are their parameters, ``begin`` where they were started, by unknown (the usual start, or not);
    ``solve(values, begin, plain)`` gives the outputs at other parameters; ``patient`` gives equations that are no maps
    hundreds of steps.
    """
    # far steps from a start cost more than several near ones
    if kernel.options.continuation_parameter and is_usual:
        yield (lambda got: _follow_parameter(kernel, values, solve, got)), 0
    if kernel.options.may_vanish:                   # a root at 0 that is only approached: try 0 itself
        yield (lambda got: _vanishing(kernel, got)), 2
    for plain in (40, 400) if getattr(kernel.module, "MAPS", True) else (400,) * patient:
        yield (lambda got: begin), plain
    for other in kernel.options.other_starts if is_usual else ():
        yield _at(kernel, other), 2
    if kernel.options.guess_closer_start is not None and is_usual:
        yield (lambda got: _guess_closer(kernel, values)), 2


def far_restarts(kernel, try_starts, is_usual):
    """Do as :func:`near_restarts`, for points at which these failed.

    Where a start was given there are none: who gives one asks for the root near it. Otherwise steps are careful first:
    equations c*(u - f) of positive unknowns are read as log(u/f), maps are not iterated, and steps are halved until
    they bring a root nearer. Signs and sizes of the unknowns are tried over many decades.

    ``try_starts(got, starts, careful)`` gives the unknowns of the points that fail in ``got`` at the roots that are
    found from the first of the starts that leads to one, NaN where none does.
    """
    if not is_usual:
        return
    known = (kernel.start, *kernel.options.other_starts)
    if kernel.has_damped_steps:
        yield (lambda got: try_starts(got, (*known, *kernel.options.far_starts), True)), 0
    if kernel.options.far_starts:
        yield (lambda got: try_starts(got, [s for s in kernel.options.far_starts if s not in known], False)), 0


def find_roots_from_starts(kernel, solve, got, starts, careful, accept, width):
    """Find roots of the points that fail, from the first of several starts that leads to one.

    ``solve(points, begin, careful)`` gives the outputs at some of the points, repeated at will; a point of ``got``,
    shape (outputs, points), fails if its residual is above ``accept``; ``width`` points are solved at once. Return
    arrays (points,) by unknown, NaN where no start helps, or none is needed.
    """
    torn = kernel.module.TORN
    rows = [kernel.module.OUTPUTS.index(u) for u in torn]
    found = np.full((len(torn), got.shape[1]), np.nan)
    failed = np.flatnonzero(~(got[RESIDUAL] <= accept))
    first = 0
    while failed.size and first < len(starts):
        some = starts[first:first + max(1, width // failed.size)]        # one point from all of them at once
        first += len(some)
        begin = [np.repeat([s[u] for s in some], failed.size) for u in torn]
        out = solve(np.tile(failed, len(some)), begin, careful).reshape(len(got), len(some), failed.size)
        good = out[RESIDUAL] <= accept
        best = good.argmax(axis=0)                                       # the first that is good
        solved = good.any(axis=0)
        found[:, failed[solved]] = out[rows][:, best[solved], np.flatnonzero(solved)]
        failed = failed[~solved]
    return list(found)


def _follow_parameter(kernel, values, solve, got):
    """Return solutions along a path on which one parameter falls from 1, for points that failed with less of it.

    Each is sought from where the line through the two before it leads, in logarithms.
    """
    m, place = kernel.module, kernel.module.PARAMETERS.index(kernel.options.continuation_parameter)
    rows = [m.OUTPUTS.index(u) for u in m.TORN]
    found = np.full((len(rows), got.shape[1]), np.nan)
    far = np.flatnonzero(~(got[RESIDUAL] <= _ON_PATH) & (values[place] < 1.0 / _STEP))
    if not far.size:
        return list(found)
    here = [v[far] for v in values]
    steps = int(np.ceil(np.log(1.0 / here[place].min()) / np.log(_STEP)))
    path = np.geomspace(1.0, here[place], steps + 1)[:-1]
    here[place] = path[0]
    now = np.array([np.broadcast_to(v, far.shape) for v in map(kernel.usual_start(here).get, m.TORN)])
    before, plain = None, 2
    with np.errstate(all="ignore"):
        for here[place] in path:
            out = solve(here, list(now), plain)
            at = np.where(out[RESIDUAL] <= _ON_PATH, out[rows], np.nan)
            grown = at / before if before is not None else np.ones(at.shape)
            now = at * np.where(grown > 0.0, np.clip(grown, 0.05, 20.0), 1.0)
            before, plain = at, 0
    found[:, far] = now
    return list(found)


def _at(kernel, start):
    return lambda got: [np.full(got.shape[1], start[u]) for u in kernel.module.TORN]


def _guess_closer(kernel, values):
    found = kernel.start | kernel.options.guess_closer_start(dict(zip(kernel.module.PARAMETERS, values)))
    return [np.broadcast_to(found[u], values[0].shape) for u in kernel.module.TORN]


def _vanishing(kernel, got):
    rows = [np.array(got[kernel.module.OUTPUTS.index(u)]) for u in kernel.module.TORN]
    # one that has a few digits is not 0
    rows = [np.where(got[RESIDUAL] == AMPLIFIED, np.nan, row) for row in rows]
    return [np.where(np.abs(row) < 1e-3, 0.0, row) if u in kernel.options.may_vanish else row
            for u, row in zip(kernel.module.TORN, rows)]
