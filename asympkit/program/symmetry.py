"""Parities of tabulated columns that leave every integrand unchanged: half of a symmetric rule suffices."""

import math
from itertools import product

import numpy as np
from sympy import Abs, Add, Expr, Integer, Mul, Pow

from ..numbers.evaluation import evaluate
from ..numbers.floats import Floats
from .inner_sum import InnerSum
from .parities import parity_solutions
from .statements import Sums, of_kind

#: up to this many columns all sign patterns are tried, which also finds what no structure shows
_TRIED = 10


def base_columns(grid):
    """The symbols the loop columns are products of: the variables first."""
    used = set().union(*(e.free_symbols for e in grid.columns)) if grid.columns else set()
    made = [s for step in grid.preparation for s in step.outputs if s in used]
    return [*grid.bound, *made]


def symmetries(program, grid):
    """Sign patterns of the base columns under which every integrand over the grid stays the same."""
    if grid.is_inner or any(e.has(InnerSum) for s in of_kind(Sums, program.statements) if s.grid is grid
                            for _, e in s.locals):
        return ()               # what is averaged inside may be anything
    base = base_columns(grid)
    columns = list(grid.columns.values())
    integrands, steps = [], {s: e for e, s in grid.columns.items() if s != e}
    for sums in of_kind(Sums, program.statements):
        if sums.grid is grid:
            steps.update(sums.locals)
            integrands += [integrand for _, integrand, _ in sums.sums]
    if len(base) > _TRIED:
        return parity_solutions(base, steps, integrands)
    inside = set().union(*(e.free_symbols for e in (*steps.values(), *integrands)))
    others = sorted(inside - set(steps) - set(columns) - set(base), key=str)
    rng = np.random.default_rng(0)
    at = dict(zip(others, map(np.float64, rng.uniform(0.5, 1.5, len(others)))))
    x = rng.uniform(0.5, 1.5, len(base))
    odd = (-1,) * len(grid.bound)           # the node itself
    tried = [(*odd, *signs) for signs in product((1, -1), repeat=len(base) - len(odd))]
    # columns and locals step by step: put into each other they grow without bound; the first row has no sign changed
    known = {**at, **dict(zip(base, (x * np.array([(1,) * len(base), *tried])).T))}
    with np.errstate(all="ignore"):
        for symbol, expr in steps.items():
            known[symbol] = evaluate(expr, known, Floats())
        values = [np.broadcast_to(evaluate(e, known, Floats()), (len(tried) + 1,)) for e in integrands]
    same = [np.isclose(v, v[0], rtol=1e-12, atol=1e-12) for v in values]
    seen = [signs for signs, good in zip(tried, np.all(same, axis=0)[1:]) if good] if same else tried
    # one point is no proof: what is localised elsewhere looks even there
    return tuple(signs for signs in seen if _leaves_unchanged(dict(zip(base, signs)), steps, integrands))


def _leaves_unchanged(signs, steps, integrands):
    """Whether the integrands are proved to be the same with other signs, by the form of all expressions."""
    flipped, unknown = {s: -s for s, sign in signs.items() if sign == -1}, set()
    for symbol, expr in steps.items():
        sign = 0 if expr.free_symbols & unknown else _sign(expr, flipped)
        if sign == 0:
            unknown.add(symbol)
        elif sign == -1:
            flipped[symbol] = -symbol
    return all(not e.free_symbols & unknown and _sign(e, flipped) == 1 for e in integrands)


def _sign(expr, flipped):
    """1 or -1 where an expression is proved to stay, or to change its sign, when others change theirs; else 0."""
    moved = expr.xreplace(flipped)
    if moved in (expr, -expr):
        return 1 if moved == expr else -1
    # a*(b - c) becomes a*(c - b), which sympy leaves as it is; a condition stays, or nothing is proved
    parts = [_sign(a, flipped) if isinstance(a, Expr) else int(a.xreplace(flipped) == a) for a in expr.args]
    if isinstance(expr, Mul):
        return math.prod(parts)
    if isinstance(expr, Add):
        return parts[0] if len(set(parts)) == 1 else 0
    if isinstance(expr, Pow) and isinstance(expr.exp, Integer):
        return parts[0] ** (2 - int(expr.exp) % 2)
    if isinstance(expr, Abs):
        return parts[0] ** 2
    return int(all(part == 1 for part in parts))
