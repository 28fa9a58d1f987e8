"""Make the tables of a generated module on finer and finer rules, and prove which unresolved means are 0.

Entries of a table may differ from point to point.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from inspect import signature
from itertools import chain
from types import FunctionType
from typing import Any

import numpy as np
import sympy as sp

from ..once import Deferred, computed_once
from ..parsing import parse
from ..runtime.features import PLACED_FROM, STEPS, as_rule_features, direction_error, missed_places
from ..runtime.means import normal_means
from ..runtime.rules import OUTER_STEPS, NoCommonRule
from ..tolerances import LARGEST_ERROR

_directions = Deferred("asympkit.program.symmetry")


class PointTable(np.ndarray):
    """Rows of a table whose entries differ from point to point, of shape (rows, points, nodes), or one of them.

    Products with numbers of points, and sums over nodes, are taken point by point::

        (points, rows) @ table -> (points, nodes),   table @ (nodes, points) -> (rows, points),
        (points, nodes) @ row -> (points,)

    Sums inside sums are those over the last axis of what is made of rows, of shape (points, nodes, nodes inside).
    """

    def __matmul__(self, other):
        table, other = self.view(np.ndarray), np.asarray(other)
        if table.ndim == 3 and other.ndim == 2:
            return np.einsum("rpn,np->rp", table, other)
        return np.einsum("pn,pn->p", table, other) if other.ndim == 2 else table @ other

    def __rmatmul__(self, other):
        table, other = self.view(np.ndarray), np.asarray(other)
        return np.einsum("pr,rpn->pn", other, table) if table.ndim == 3 else np.einsum("pn,pn->p", other, table)

    def at_points(self, points):
        """Return the entries of some of the points."""
        return self[..., points, :]


class SpentBudgetError(Exception):
    """More evaluations than a point may cost: placed nodes are counted while they are made."""


class ChargedTable(np.ndarray):
    """A table of sums whose nodes may be placed: their number, times ``price``, is taken from ``left`` of a budget.

    SpentBudgetError where less than ``least`` is left.
    """

    @classmethod
    def of(cls, table, left, least, price):
        made = table.view(cls)
        made.left, made.least, made.price = left, least, price
        return made

    def charge(self, evaluations):
        self.left[0] -= evaluations * self.price
        if self.left[0] < self.least:
            raise SpentBudgetError


def select_points(tables, points):
    """Return tables for some of the points, which may be repeated."""
    return [t.at_points(points) if isinstance(t, PointTable) else t for t in tables]


def rebind(function, names):
    """Copy a function with replacements for some that it calls."""
    return FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__,
                        function.__defaults__, function.__closure__)


#: means that are kept, of one function each
_KEPT, _MOST = {}, 64


def means_of_points(function, offset, slope, functional, signs=None, pairs=None, floors=None):
    """Compute means as :func:`~asympkit.runtime.means.normal_means`, those of points that are alike only once.

    Means that were computed before are returned again if their functional picks from no columns.
    """
    others, plain = (signs, pairs, floors), getattr(functional, "plain", functional)
    if plain.__closure__ is not None:
        return _means(function, offset, slope, functional, *others)
    numbers = ((np.shape(x), np.asarray(x, dtype=float).tobytes()) for x in (offset, slope))
    key = function, plain.__code__, repr((signs, floors)), *numbers
    if (found := _KEPT.get(key)) is None:
        if len(_KEPT) >= _MOST:
            _KEPT.clear()
        found = _KEPT[key] = _means(function, offset, slope, functional, *others)
    return [v.copy() for v in found[0]], found[1]


def _means(function, offset, slope, functional, *others):
    shape = np.broadcast_shapes(np.shape(offset), np.shape(slope))
    if len(shape) < 2:
        return normal_means(function, offset, slope, functional, *others)
    columns = [np.broadcast_to(offset, shape), np.broadcast_to(slope, shape)]

    def see(column):
        if np.ndim(column) == 2:
            columns.append(np.broadcast_to(column, shape))
        return np.ravel(column)[0]

    with np.errstate(all="ignore"):
        functional(np.zeros((1, 1)), np.ones((1, 1)), see)
    ends = np.column_stack([c[:, [0, -1]] for c in columns])
    _, first, back = np.unique(ends, axis=0, return_index=True, return_inverse=True)
    if 2 * first.size > shape[0] or any(np.any(c != c[first][back]) for c in columns):
        return normal_means(function, offset, slope, functional, *others)

    def of_first(z, s, at):
        return functional(z, s, lambda column: at(column[first] if np.ndim(column) == 2 else column))

    vars(of_first).update(vars(functional))
    try:
        values, error = normal_means(function, columns[0][first], columns[1][first, :1], of_first, *others)
    except NoCommonRule as other:
        raise NoCommonRule(other.args[0][back]) from None
    return [np.broadcast_to(v, (first.size, shape[1]))[back] for v in values], error




#: level of the coarsest rule, one more where more than this accuracy is asked for
FIRST, STRICT = 1, 1e-11
#: relative rounding of a direction above which it is looked for proofs
_LOST = 1e-12


@dataclass(frozen=True)
class SolverOptions:
    """State knowledge of a theory about its solutions that its module does not show.

    Parameters
    ----------
    start : dict of str to float
        Where Newton's method starts, by unknown; 1 where nothing is given.
    guess_start, guess_closer_start : callable, optional
        ``guess_start(points)`` returns starts by unknown from parameters by name, used where one start for all points
        is not near enough; ``guess_closer_start`` the same with more work, where that one fails too.
    other_starts, far_starts : sequence of dict
        Starts to try if the usual one fails, and if everything else does.
    continuation_parameter : str, optional
        Continuation parameter: a point that fails is reached by lowering it from 1.
    rises_from : float
        Value of this parameter from which on a point is reached from smaller ones, by nodes placed on the way.
    intervals : dict of str to (float, float)
        Domains of the unknowns of Newton's method.
    may_vanish : sequence of str
        Unknowns that may be exactly 0.
    vanishing_outputs : sequence of str
        Observables that may be 0, by symmetry or where all samples are fitted, up to the rounding of terms of order 1.
    has_units : bool
        Whether unknowns are of order 1, or vanish.
    auxiliary : sequence of str
        Unknowns that need not settle, because they enter nothing but sums that are judged themselves.
    is_known_unique : bool
        Whether there is one solution, for a reason that the form of the equations does not show.
    narrow : NarrowFeatures, optional
        Finds features of integrands that quadrature rules may step over.
    is_known_even : bool
        Whether rules that are fine enough at the ends and the middle of axes are so between them.
    levels_at : callable, optional
        ``levels_at(table_parameters, levels)``: the number of levels of refinement, if not that of the module.
    budget : float
        Evaluations of integrands that a point may cost that is tried from other starts.
    derivatives, sizes : dict of str to str
        Of a tangent system: the outputs that are derivatives, and those that are their sizes before cancellation.
    """

    start: Mapping[str, float] = field(default_factory=dict)
    guess_start: Callable[[Any], dict] | None = None
    guess_closer_start: Callable[[Any], dict] | None = None
    other_starts: tuple[Mapping[str, float], ...] = ()
    far_starts: tuple[Mapping[str, float], ...] = ()
    continuation_parameter: str | None = None
    rises_from: float = math.inf
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    may_vanish: tuple[str, ...] = ()
    vanishing_outputs: tuple[str, ...] = ()
    has_units: bool = False
    auxiliary: tuple[str, ...] = ()
    is_known_unique: bool = False
    narrow: Any = None
    is_known_even: bool = True
    levels_at: Callable[[Any, int], int] | None = None
    budget: float = 5e7
    derivatives: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, Any] = field(default_factory=dict)


class Ladder:
    """Hold the rules of a module (written by ``codegen.write_kernel``), by level."""

    module: Any
    options: SolverOptions

    @property
    def _given(self):
        """Grids of arrays that the caller gives, with the places of these among all arrays."""
        return getattr(self.module, "GIVEN", {})

    def tables(self, level, table_parameters, activations, arrays):
        """Return tables and weights of all grids, flat, the error of the inner means, and the number of nodes."""
        return self.ladder((level,), table_parameters, activations, arrays)[0]

    def ladder(self, levels, table_parameters, activations, arrays, places=()):
        """Make the tables of several levels; together they cost little more than the finest.

        Nodes of rules in one variable are graded towards ``places``, centres and widths of narrow features; None for
        tables of several points, whose parameters have shape (points, 1).  NoCommonRule for those that need their own.
        """
        out, error = self._ladder(levels, table_parameters, activations, arrays, places)
        if places is None:
            tables, ways = out[-1], self._directions
            rows = [[direction_error(t, tables[k + 1], d, activations) > _LOST for t in np.swapaxes(tables[k], 0, 1)]
                    for k, d in ways if tables[k].ndim > 2]
            if np.any(rows):
                raise NoCommonRule(np.any(rows, axis=0))
        elif self.direction_error(out[-1], activations) > _LOST:
            known = self._proved(table_parameters, activations)
            if known is not activations:
                out, error = self._ladder(levels, table_parameters, known, arrays, places)
            lost = self.lost(out[-1], table_parameters, activations)
            error = max(error, lost if lost > LARGEST_ERROR else 0.0)       # less is part of the error of a solution
        return [(tables, error, sum([w.size for w in tables[1::2]])) for tables in out]

    def nodes_of(self, tables):
        """Return nodes of the largest sum, those of sums inside it at every node counted; 1 at least."""
        inner = self._inner
        if not inner:
            return max([1, *[weights.size for weights in tables[1::2]]])
        sizes = {grid: weights.size for grid, weights in zip(self.module.GRIDS, tables[1::2])}
        outer = max((n for grid, n in sizes.items() if grid not in inner), default=1)
        return max(1, outer * max((sizes[grid] for grid in inner), default=1))

    @computed_once
    def _inner(self):
        """Return grids whose sums are taken at every node of another grid."""
        return getattr(self.module, "INNER", ())

    def lost(self, tables, table_parameters, activations):
        """Return the largest relative rounding of means of which only the direction counts and which are not proved
        zero."""
        lost = self.direction_error(tables, activations)
        if lost > _LOST:
            lost = self.direction_error(tables, self._proved(table_parameters, activations))
        return lost * self._sparsity(table_parameters, activations) if lost > _LOST else lost

    def _ladder(self, levels, table_parameters, activations, arrays, places):
        out = [[] for _ in levels]
        error = 0.0
        for grid in self.module.GRIDS:
            rule = getattr(self.module, f"{grid}_rule")
            if grid in self._given:
                made = [rule(*(arrays[k] for k in self._given[grid]))] * len(levels)
            else:
                at = (levels, *table_parameters, *activations)
                more = {"places": as_rule_features(places)} if places and "places" in signature(rule).parameters else {}
                if "normal_means" in rule.__code__.co_names:
                    rule = rebind(rule, {"normal_means": means_of_points})
                rule = partial(rule, **more)
                made, change = self._checked(rule, at)
                error = max(error, change)
            for tables, (table, weights) in zip(out, made):
                tables += [table if table.ndim == 2 else table.view(PointTable), weights]
        return out, error

    def direction_error(self, tables, activations):
        """Do as :meth:`lost`, without a look at proofs."""
        return max([0.0, *[direction_error(tables[place], tables[place + 1], d, activations)
                           for place, d in self._directions]])

    @computed_once
    def _directions(self):
        """Place of the table and record of every direction."""
        m = self.module
        return tuple((2 * n, d) for n, grid in enumerate(m.GRIDS)
                     for d in getattr(m, f"{grid}_DIRECTIONS", ()))

    def _sparsity(self, table_parameters, activations):
        """Return how much smaller the mean absolute integrand, which is what rounds, is than the root mean square."""
        return max((sparsity(activations[d[1]], d, table_parameters) for _, d in self._directions), default=1.0)

    def _proved(self, table_parameters, activations):
        """Return the activations with what can be proved of unresolved means."""
        known = list(activations)
        for _, d in self._directions:
            known[d[1]] = attach_zero_proof(activations[d[1]], d, table_parameters) or known[d[1]]
        return activations if all(a is b for a, b in zip(known, activations)) else tuple(known)

    @staticmethod
    def _checked(rule, arguments):
        """Return the result of a rule, its error infinite after an overflow."""
        with np.errstate(all="ignore"):
            made, change = rule(*arguments)
            return made, change if all(math.isfinite(table.sum()) for table, _ in made) else np.inf

    def refinements(self, table_parameters, activations, arrays, rtol, places=()):
        """Yield (tables, error, nodes, level) on finer and finer rules; one alone where none is ours."""
        level = FIRST + (rtol < STRICT)
        top = level + 1
        if self.is_refinable:
            most = self.options.levels_at
            top = self.levels if most is None else most(table_parameters, self.levels)
        levels = (level, level + 1) if self.is_refinable else (level,)
        while level < top:
            for here, made in zip(levels, self.ladder(levels, table_parameters, activations, arrays, places)):
                yield *made, here
            level = levels[-1] + 1
            levels = (level,)

    def steps_over(self, level, values, out):
        """Tell at which of some solutions a rule may miss a narrow feature of an integrand, and finer ones too.

        ``level`` is that of the coarser of two rules that agree; ``out`` has the shape (outputs, points). Return
        integers, shape (points,): 0 where none is missed, 2 where nodes are better placed than made dense everywhere, 1
        elsewhere.
        """
        narrow, missed = self.options.narrow, np.zeros(out.shape[1], int)
        if narrow is not None and missed.size:
            columns = np.array(np.broadcast_arrays(*out, *(np.ravel(v) for v in values)))
            for k in np.flatnonzero(narrow.may_be(self.named(columns))):
                places, step = narrow.at(self.named(columns[:, k]))
                share = self._step(level) / (STEPS * min([np.inf, *(w for _, w in places)]))
                missed[k] = 2 if share > PLACED_FROM else max(share, self._step(level) / step) > 1.0
        return missed

    def missed(self, level, values, out, places):
        """Find the narrow features at one solution that rules of a level do not resolve.

        Return centres and widths of all around which nodes can be placed (none where those that there are resolve
        them), and whether the rules step over others.
        """
        if self.options.narrow is None or not np.all(np.isfinite(out)):
            return [], False
        found, step = self.options.narrow.at(self.named((*out, *map(float, values))))
        if places:
            is_missed = missed_places(found, places)
        else:
            is_missed = any(self._step(level) > STEPS * w for _, w in found)
        return found if is_missed else [], self._step(level) > step

    def _step(self, level):
        return OUTER_STEPS[level] * getattr(self.module, "WIDENED", 1.0)

    def named(self, numbers):
        """Return outputs and parameters of one point by name."""
        return dict(zip((*self.module.OUTPUTS, *self.module.PARAMETERS), numbers))

    def tolerance(self, rtol):
        """Return the size of a step of Newton's method that is the last one: its square is the error; sums inside sums
        cost."""
        return min(1e-6, max(1e-9, 0.1 * math.sqrt(rtol))) if self._inner else 1e-9

    @computed_once
    def levels(self):
        """Return the number of levels of the rules: fewer, where nodes are those of products of rules."""
        return getattr(self.module, "LEVELS", len(OUTER_STEPS))

    @computed_once
    def is_refinable(self):
        """Return whether the module has a grid whose rule is ours to refine."""
        return any(g not in self._given for g in self.module.GRIDS)


class Proved:
    """Stand for an activation with a parity, or a mean that vanishes, which its form does not show.

    ``mirror`` is 1, -1 as of an activation, or 2: the mean without offset is zero at the slope in question.
    """

    def __init__(self, function, mirror):
        self.function, self.form_parity = function, mirror
        self.kinks_float = function.kinks_float

    def __call__(self, x):
        return self.function(x)

    @property
    def derivative(self):
        return self.function.derivative

    @property
    def name(self):
        return self.function.name


def attach_zero_proof(function, direction, parameters):
    """Return the same activation with what can be proved of a mean that is not resolved, or None.

    The activation is of order zero; ``direction`` is as a module holds it, ``parameters`` are those of the tables.
    """
    order, odd, texts = direction[2:5]
    if order or not hasattr(function, "parity"):
        return None
    if function.parity == "odd" and -1 in odd and function.form_parity != -1:
        return Proved(function, -1)
    return Proved(function, 2) if _vanishes(function, texts, tuple(parameters)) else None


def sparsity(function, direction, parameters):
    """Return the mean absolute value over the root mean square of an activation under the weights of both variables."""
    order, _, texts = direction[2:5]
    if order or texts[2] != "s":
        return 1.0
    offset, slope, _, node = _at(texts, tuple(parameters))
    centre, rate = float(offset.subs(node, 0)), float(offset.diff(node))
    z = np.linspace(-9.0, 9.0, 20_001)
    values, weights = np.abs(function(centre + math.hypot(rate, float(slope)) * z)), np.exp(-0.5 * z * z)
    with np.errstate(all="ignore"):
        part = values @ weights / math.sqrt(values**2 @ weights * weights.sum())
    return min(1.0, 2.0 * part) if part > 0.0 else 1.0


def _at(texts, parameters):
    """Return offset, slope and functional at exact parameters, and the symbol of the node."""
    labels = [f"p{i}" for i in range(len(parameters))]
    forms = [parse(text, names=("node", "z", "s", *labels)) for text in texts]
    exact = {s: sp.Rational(parameters[labels.index(s.name)]) for e in forms for s in e.free_symbols
             if s.name in labels}
    return *(e.subs(exact) for e in forms), parse("node", names=("node",))


@lru_cache(maxsize=256)
def _vanishes(function, texts, parameters):
    offset, slope, functional, node = _at(texts, parameters)
    if node in offset.free_symbols:
        return False
    z, s = (parse(name, names=(name,)) for name in ("z", "s"))
    return _directions.is_proved_zero(function, offset, slope, functional, z, s)


def thin_inner_tables(kernel, tables, level, table_parameters, activations):
    """Yield tables with fewer nodes for sums inside sums, the fewest first.

    Rules around and inside have the same level, though the needs of an inner sum have nothing to do with those of the
    outer one. Whether the coarser ones are enough is for the caller to find out. ``tables`` and weights are of all
    grids.
    """
    module = kernel.module
    pairs = dict(zip(module.GRIDS, zip(tables[::2], tables[1::2])))
    inner = [grid for grid in getattr(module, "INNER", ()) if grid not in getattr(module, "GIVEN", {})]
    for coarse in range(level if inner else 0):
        with np.errstate(all="ignore"):
            made = {grid: getattr(module, f"{grid}_rule")((coarse,), *table_parameters, *activations)[0][0]
                    for grid in inner}
        if all(weights.size < pairs[grid][1].size for grid, (_, weights) in made.items()):
            yield list(chain.from_iterable((pairs | made).values()))
