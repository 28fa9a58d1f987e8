"""Parities of tabulated columns that leave every integrand unchanged: half of a symmetric rule suffices."""

from itertools import product

import numpy as np
from sympy import Symbol, lambdify

from .parities import parity_solutions
from .statements import Newton, Sums

#: up to this many columns all sign patterns are tried, which also finds what no structure shows
_TRIED = 10


def base_columns(grid):
    """The symbols the loop columns are products of: the node first."""
    used = set().union(*(e.free_symbols for e in grid.columns)) if grid.columns else set()
    made = [s for step in grid.preparation for s in step.outputs if s in used]
    return [grid.bound[0], *made]


def symmetries(program, grid):
    """Sign patterns of the base columns under which every integrand over the grid stays the same."""
    base = base_columns(grid)
    columns = list(grid.columns.values())
    integrands, steps = [], {s: e for e, s in grid.columns.items() if s != e}
    for sums in _all_sums(program.statements):
        if sums.grid is grid:
            steps.update(sums.locals)
            integrands += [integrand for _, integrand, _ in sums.sums]
    if len(base) > _TRIED:
        return parity_solutions(base, steps, integrands)
    inside = set().union(*(e.free_symbols for e in (*steps.values(), *integrands)))
    others = sorted(inside - set(steps) - set(columns) - set(base), key=str)
    rng = np.random.default_rng(0)
    at = dict(zip(others, rng.uniform(0.5, 1.5, len(others))))
    # columns and locals step by step: put into each other they grow without bound
    own = {s: Symbol(f"q{k}") for k, s in enumerate(dict.fromkeys((*base, *others, *steps)))}
    inner = [(own[s], e.xreplace(own)) for s, e in steps.items()]
    evaluate = lambdify([own[s] for s in (*base, *others)], [e.xreplace(own) for e in integrands], "numpy",
                        cse=lambda e: (inner, e))
    x = rng.uniform(0.5, 1.5, len(base))
    reference = np.array(evaluate(*x, *at.values()), float)
    found = []
    for signs in product((1, -1), repeat=len(base) - 1):
        signs = (-1, *signs)        # the node itself is odd
        if np.allclose(evaluate(*(x * signs), *at.values()), reference, rtol=1e-12, atol=1e-12):
            found.append(signs)
    return tuple(found)


def _all_sums(statements):
    for s in statements:
        if isinstance(s, Sums):
            yield s
        elif isinstance(s, Newton):
            yield from _all_sums(s.body)
