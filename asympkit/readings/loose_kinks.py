"""Kinks and jumps under averages over normals that no multiprecision quadrature rule can follow."""

import numpy as np

from ..errors import ConvergenceError
from ..nodes import Applied
from ..numbers.evaluation import evaluate
from ..numbers.floats import Floats
from ..program.inner_sum import InnerSum
from ..program.prune import prune
from ..program.statements import Newton, Sums
from ..properties.cells import switching_arguments

__all__ = ["MOST_DIGITS", "refuse_loose_kinks"]

#: digits that refined rules reach across a kink they do not know of
MOST_DIGITS = 6


#: how far out along a normal a border is looked for (its density is 1e-300 there), and at how many places: odd, with 0
_FAR, _PLACES = 37.0, {1: 4001, 2: 201, 3: 41}
#: part of its size above which a border is not met between two places
_CLEAR = 1e-3


def refuse_loose_kinks(program, digits, known):
    """Raise early for a number of digits that no rule reaches, as a minute of refinement would show too.

    A rule follows a kink at a fixed place in one variable; a kink that moves with a symbol, or lies across several
    variables, is not at its nodes.

    Parameters
    ----------
    program : Program
    digits : int
    known : dict of Symbol to float
        Parameters, and approximate unknowns: borders that no value meets are ignored.

    Raises
    ------
    ConvergenceError
        If such a kink occurs under an average over normals.
    """
    if digits <= MOST_DIGITS:
        return
    clear = set()
    outputs = {*program.unknowns, *program.observables.values()}        # sizes of terms need not be resolved
    for grid, expr in _integrands(prune(program.statements, outputs)):
        border = _loose(expr, frozenset(grid.bound), known, clear)
        if border is None:
            continue
        is_single = len(grid.bound) == 1 and border.free_symbols.isdisjoint(_inner_variables(expr)) and not border.has(
            InnerSum)
        advice = ("certify() encloses it with as many digits" if is_single else
                  "close the average (.doit()), or turn the normals so that the kink depends on one alone")
        raise ConvergenceError(
            f"precise: an average has a kink or a jump at {str(border)[:80]} = 0, which moves, or lies across normals, "
            f"so that multiprecision rules do not follow it; {advice}, or pass at most {MOST_DIGITS} digits")


def _inner_variables(expr):
    return {b for inner in expr.atoms(InnerSum) for b in inner.bound}


def _integrands(statements):
    """Yield grids over normals, with the integrands over them in their own variables."""
    for s in statements:
        if isinstance(s, Newton):
            yield from _integrands(s.body)
        elif isinstance(s, Sums) and not (s.grid.given or s.grid.is_angle):
            inside = {symbol: expr for expr, symbol in s.grid.columns.items()}
            for symbol, expr in s.locals:
                inside[symbol] = expr.xreplace(inside)
                yield s.grid, inside[symbol]
            for _, expr, _ in s.sums:
                yield s.grid, expr.xreplace(inside)


def _is_met(border, bound, known):
    """Return whether a border is 0 somewhere, according to values in double precision."""
    inside = sorted(border.free_symbols & bound, key=str)
    if len(inside) > len(_PLACES) or border.has(InnerSum) or not border.free_symbols <= bound | set(known):
        return True
    line = np.linspace(-_FAR, _FAR, _PLACES[len(inside)])
    places = dict(zip(inside, np.meshgrid(*[line] * len(inside), indexing="ij")))
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(evaluate(border, {**known, **places}, Floats()), dtype=float)
    except (ArithmeticError, TypeError, ValueError):
        return True
    low, high = found.min(), found.max()
    return not (low > _CLEAR * high > 0.0 or high < _CLEAR * low < 0.0)


def _loose(expr, bound, known, clear):
    """Return a border between formulas whose place depends on more than one variable alone; or None.

    ``clear`` holds parts in which there is no such place.
    """
    if isinstance(expr, InnerSum):
        return _loose(expr.integrand, bound | set(expr.bound), known, clear)
    if isinstance(expr, Applied) or (expr, bound) in clear:
        return None
    for border in switching_arguments(expr):
        here = border.free_symbols & bound
        if here and (len(border.free_symbols) > 1 or border.has(InnerSum)) and _is_met(border, bound, known):
            return border
    for a in expr.args:
        found = _loose(a, bound, known, clear)
        if found is not None:
            return found
    clear.add((expr, bound))
    return None
