"""Choose the few unknowns of a block that are really solved for; the others follow explicitly."""

from dataclasses import dataclass
from itertools import combinations

from sympy import Add, Integer

from ..nodes import free_of, put
from .incidence import CERTAIN

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
                return _torn(block, {*forced, *_contracted(free, needs)}, needs)
            found = _torn(block, {*forced, *extra}, needs)
            if found is not None:
                return found
    raise AssertionError("tearing every unknown leaves nothing cyclic")


def _torn(block, torn, needs):
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
