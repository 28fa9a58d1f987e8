"""Choose the few unknowns of a block that are really solved for; the others follow explicitly."""

from dataclasses import dataclass
from itertools import combinations

from sympy import Add, Integer

from ..nodes import free_of, put
from .incidence import CERTAIN


@dataclass(frozen=True)
class Tearing:
    """Torn unknowns, and the order in which the others are assigned."""

    torn: tuple          # indices of unknowns
    assigned: tuple      # indices of unknowns, in the order of evaluation


def tear(incidence, matching, block):
    """Smallest set of unknowns without which the block is explicit and acyclic.

    Among sets of equal size the first in the user's order is taken.  An unknown may be assigned only
    if it enters its own equation with a coefficient known not to vanish.
    """
    explicit = {j: incidence.kind(matching[j], j) == CERTAIN for j in block}
    index = {u: j for j, u in enumerate(incidence.unknowns)}
    needs = {j: {index[v] for v in incidence.symbols[matching[j]]} & set(block) - {j} for j in block}
    forced = [j for j in block if not explicit[j]]
    free = [j for j in block if explicit[j]]
    for size in range(len(free) + 1):
        for extra in combinations(free, size):
            torn = set(forced) | set(extra)
            order = _acyclic_order([j for j in block if j not in torn], needs)
            if order is not None:
                return Tearing(tuple(j for j in block if j in torn), order)
    raise AssertionError("tearing every unknown leaves nothing cyclic")


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
