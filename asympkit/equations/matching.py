"""Assign to each unknown the equation that determines it, preferring explicit ones."""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from ..errors import StructureError
from .incidence import CERTAIN, NONLINEAR, PIVOT, UNCERTAIN

_COST = {CERTAIN: 1.0, UNCERTAIN: 20.0, PIVOT: 60.0, NONLINEAR: 400.0}


def match(incidence):
    """Return for each unknown the index of its equation.

    Raises
    ------
    StructureError
        If no perfect matching exists; names the unknowns that occur in no equation, if any.
    """
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
