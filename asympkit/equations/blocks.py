"""From equations to blocks: explicit, linear, or nonlinear, each with the unknowns really solved for.

The incidence table of structure analysis: the derivative of each equation by each unknown in it.

Each pair is differentiated once, and only where the unknown occurs.

Assign to each unknown the equation that determines it, preferring explicit ones.  Choose the few unknowns of a block
that are really solved for; the others follow explicitly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching
from sympy import Add, Expr, Integer, Mul

from ..errors import StructureError
from ..nodes import free_of, put, slope
from ..notation import one_screen
from ..once import computed_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sympy import Symbol


#: how an unknown enters an equation, from the most to the least explicit
CERTAIN, UNCERTAIN, PIVOT, NONLINEAR = "certain", "uncertain", "pivot", "nonlinear"


@dataclass(frozen=True)
class Incidence:
    """Equations (expressions that vanish), unknowns, and their partial derivatives."""

    equations: tuple
    unknowns: tuple

    @computed_once
    def symbols(self):
        """Return the unknowns of each equation."""
        unknowns = set(self.unknowns)
        return tuple(frozenset(free_of(eq) & unknowns) for eq in self.equations)

    @computed_once
    def derivatives(self):
        """Return ``{(i, j): d equation_i / d unknown_j}`` for the pairs that occur."""
        return {(i, j): slope(eq, u)
                for i, eq in enumerate(self.equations)
                for j, u in enumerate(self.unknowns) if u in self.symbols[i]}

    def kind(self, i, j):
        """Return how unknown j enters equation i; None if it does not occur.

        ``certain``: affine, coefficient free of unknowns and known not to vanish; ``uncertain``: the
        same, sign unknown; ``pivot``: affine, other unknowns in the coefficient; ``nonlinear``.
        """
        d = self.derivatives.get((i, j))
        if d is None:
            return None
        if self.unknowns[j] in free_of(d):
            return NONLINEAR
        if free_of(d) & set(self.unknowns):
            return PIVOT
        return CERTAIN if certainly_nonzero(d) else UNCERTAIN


def certainly_nonzero(expr: Expr) -> bool:
    """Return whether an expression is known to be of one sign and not zero."""
    return bool(expr.is_positive or expr.is_negative or expr.is_nonzero)


_COST = {CERTAIN: 1.0, UNCERTAIN: 20.0, PIVOT: 60.0, NONLINEAR: 400.0}


def match(incidence):
    """Return for each unknown the index of its equation, or raise StructureError if no perfect matching exists."""
    n = len(incidence.unknowns)
    if len(incidence.equations) != n:
        raise StructureError(f"equations: got {len(incidence.equations)} for {n} unknowns; "
                             "expected one equation for each unknown")
    present = set().union(*incidence.symbols) if n else set()
    missing = [str(u) for u in incidence.unknowns if u not in present]
    if missing:
        raise StructureError(f"unknowns: {', '.join(missing)} occur in no equation; "
                             "remove them or let the free energy depend on them")
    rows, cols, cost = [], [], []
    for i, j in incidence.derivatives:
        rows.append(i)
        cols.append(j)
        # the small term breaks ties by the user's order
        cost.append(_COST[incidence.kind(i, j)] + 1e-3 * abs(i - j) / n)
    graph = csr_matrix((cost, (rows, cols)), shape=(n, n))
    try:
        matched_rows, matched_cols = min_weight_full_bipartite_matching(graph)
    except ValueError as error:
        raise StructureError("equations: they cannot determine all unknowns "
                             "(no assignment of one equation to each unknown exists)") from error
    of = np.empty(n, dtype=int)
    of[matched_cols] = matched_rows
    return tuple(int(i) for i in of)


def strong_components(incidence, matching):
    """Return the blocks of unknowns that must be solved together, in an order of solution.

    Unknown u needs unknown v when the equation matched with u holds v.  Ties in the order are broken
    by the user's order of the unknowns.
    """
    n = len(incidence.unknowns)
    index = {u: j for j, u in enumerate(incidence.unknowns)}
    needs = {j: {index[v] for v in incidence.symbols[matching[j]]} - {j} for j in range(n)}
    rows = [j for j in needs for _ in needs[j]]
    cols = [k for j in needs for k in needs[j]]
    graph = csr_matrix((np.ones(len(rows)), (rows, cols)), shape=(n, n))
    _, label = connected_components(graph, directed=True, connection="strong")
    members = {}
    for j in range(n):
        members.setdefault(int(label[j]), []).append(j)
    waiting = {c: {int(label[k]) for j in js for k in needs[j]} - {c} for c, js in members.items()}
    order = []
    while waiting:
        ready = min((c for c, before in waiting.items() if not before), key=lambda c: members[c][0])
        order.append(tuple(members[ready]))
        del waiting[ready]
        for before in waiting.values():
            before.discard(ready)
    return tuple(order)


#: sets of unknowns that are tried one by one; of more there would be too many in a chain of many layers
_TRIES = 5000


@dataclass(frozen=True)
class Tearing:
    """Iteration variables, and the order in which the other unknowns are assigned."""

    torn: tuple          # indices of unknowns
    assigned: tuple      # indices of unknowns, in the order of evaluation


def tear(incidence, matching, block):
    """Find a smallest set of unknowns without which the block is explicit and acyclic.

    Among sets of equal size the first in the user's order is taken.  An unknown may be assigned only
    if it enters its own equation with a coefficient known not to vanish.  Where too many sets would have to be tried,
    unknowns are left out by what never makes the set larger, as far as that leads.
    """
    explicit = {j: incidence.kind(matching[j], j) == CERTAIN for j in block}
    index = {u: j for j, u in enumerate(incidence.unknowns)}
    needs = {j: {index[v] for v in incidence.symbols[matching[j]]} & set(block) - {j} for j in block}
    forced = [j for j in block if not explicit[j]]
    free = [j for j in block if explicit[j]]
    tries = 0
    for size in range(len(free) + 1):
        for extra in combinations(free, size):
            tries += 1
            if tries > _TRIES:
                return _find_tearing(block, {*forced, *_contracted(free, needs)}, needs)
            found = _find_tearing(block, {*forced, *extra}, needs)
            if found is not None:
                return found
    raise AssertionError("tearing every unknown leaves nothing cyclic")


def _find_tearing(block, torn, needs):
    """Return the tearing of a set of unknowns, or None where a cycle remains."""
    order = _acyclic_order([j for j in block if j not in torn], needs)
    return None if order is None else Tearing(tuple(j for j in block if j in torn), order)


def _contracted(free, needs):
    """Find a small set without which the others are acyclic, the first in the user's order where there is a choice.

    An unknown that needs one other, or is needed by one other, is put in its place; one that comes to need itself
    becomes an iteration variable (H. Levy and D. W. Low, J. Algorithms 9, 470 (1988)), else the first remaining one.
    """
    into = {j: needs[j] & set(free) for j in free}
    torn = set()

    def remove(j):
        del into[j]
        for found in into.values():
            found.discard(j)

    while into:
        own = [j for j in into if j in into[j]]
        for j in own:
            torn.add(j)
            remove(j)
        if own:
            continue
        users = {j: {k for k in into if j in into[k]} for j in into}
        j = next((j for j in reversed(list(into)) if min(len(into[j]), len(users[j])) <= 1), None)
        if j is None:
            j = next(iter(into))
            torn.add(j)
        else:
            for k in users[j]:
                into[k] |= into[j]
        remove(j)
    return torn


def _acyclic_order(rest, needs):
    order, left = [], list(rest)
    while left:
        ready = next((j for j in left if not needs[j] & set(left)), None)
        if ready is None:
            return None
        order.append(ready)
        left.remove(ready)
    return tuple(order)


def explicit_form(equation, unknown, derivative):
    """Solve an affine equation for an unknown, term by term (no expansion of denominators)."""
    rest = [t for t in Add.make_args(equation) if unknown not in free_of(t)]
    mixed = [t for t in Add.make_args(equation) if unknown in free_of(t)]
    rest.extend(put(t, {unknown: Integer(0)}) for t in mixed)
    return Add(*[-t / derivative for t in rest])


EXPLICIT, LINEAR, NONLINEAR_BLOCK = "explicit", "linear", "nonlinear"


@dataclass(frozen=True, repr=False)
class Block:
    """Hold unknowns that are solved together.

    Attributes
    ----------
    kind : {"explicit", "linear", "nonlinear"}
    unknowns : tuple of Symbol
    torn : tuple of Symbol
        The iteration variables; empty for an explicit block.
    assignments : tuple of (Symbol, Expr)
        The others, in the order of evaluation.
    equations : tuple of (Symbol, Expr, bool)
        For each iteration variable an expression and whether it is a map: ``(u, f, True)`` means ``u = f``,
        ``(u, g, False)`` means ``g = 0``.
    """

    kind: str
    unknowns: tuple[Symbol, ...]
    torn: tuple[Symbol, ...]
    assignments: tuple[tuple[Symbol, Expr], ...]
    equations: tuple[tuple[Symbol, Expr, bool], ...]

    def __repr__(self) -> str:
        of = f"<Block, {self.kind}: {', '.join(map(str, self.unknowns))}"
        return one_screen(of + (f"; solved for {', '.join(map(str, self.torn))}>" if self.torn else ">"))

    def rewritten(self, change: Callable[[Expr], Expr]) -> Block:
        """Return the same block with every expression changed by a function.

        Parameters
        ----------
        change : callable

        Returns
        -------
        Block
        """
        return replace(self, assignments=tuple((u, change(f)) for u, f in self.assignments),
                       equations=tuple((u, change(f), is_map) for u, f, is_map in self.equations))


def find_blocks(equations: Iterable[Expr], unknowns: Iterable[Symbol]) -> tuple[Block, ...]:
    """Return the blocks of a square system, expressions that vanish in symbols, in an order of solution.

    Nothing of the theory is used but which unknown occurs in which equation, and how.
    """
    incidence = Incidence(tuple(equations), tuple(unknowns))
    matching = match(incidence)
    return tuple(_block(incidence, matching, b) for b in strong_components(incidence, matching))


def _block(incidence, matching, block):
    plan = tear(incidence, matching, block)
    symbol = incidence.unknowns

    def solved(j):
        i = matching[j]
        return explicit_form(incidence.equations[i], symbol[j], incidence.derivatives[i, j])

    assignments = tuple((symbol[j], solved(j)) for j in plan.assigned)
    equations = []
    for j in plan.torn:
        is_map = incidence.kind(matching[j], j) == CERTAIN
        factors = Mul.make_args(incidence.equations[matching[j]])        # those that cannot vanish are dropped
        form = solved(j) if is_map else Mul(*[f for f in factors if free_of(f) & set(symbol) or
                                              not certainly_nonzero(f)])
        equations.append((symbol[j], form, is_map))
    own, rates = {symbol[j] for j in block}, incidence.derivatives
    is_linear = not any(own & free_of(rates[matching[j], k]) for j in block for k in block if (matching[j], k) in rates)
    kind = EXPLICIT if not plan.torn else LINEAR if is_linear else NONLINEAR_BLOCK
    return Block(kind, tuple(symbol[j] for j in block), tuple(symbol[j] for j in plan.torn),
                 assignments, tuple(equations))
