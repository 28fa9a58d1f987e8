"""Properties of a program's loops that proofs use: denominators, signs, degrees, dependencies.

Quotients inside formulas taken out as reciprocals of their own, which is how bounds of denominators are found.
"""

from dataclasses import replace
from functools import lru_cache

from sympy import Dummy, Float, Integer, Pow

from ..balls.backend import arb
from ..numbers.functions.pair_classes import BivariateNormalCDF
from ..program.statements import InnerSum, Means, Newton, Sums, select_statements

__all__ = ["Degree", "columns_used", "denominators", "holds_steps", "inner_grids", "least", "collect_needed",
           "reciprocals_of",
           "with_reciprocals"]


class Degree:
    """Degree of a polynomial bound in the outer variable: sums take the larger, products add."""

    def __init__(self, value):
        self.value = int(value)

    def __add__(self, other):
        return Degree(max(self.value, getattr(other, "value", 0)))

    def __mul__(self, other):
        return Degree(self.value + getattr(other, "value", 0))

    __radd__, __rmul__ = __add__, __mul__


def inner_grids(statements):
    """Return the names of the grids of sums inside sums."""
    return {inner.grid for s in select_statements(Sums, statements) for _, e in s.locals for inner in e.atoms(InnerSum)}


def denominators(statements, grid):
    """Return the denominators of the integrands over a grid, in columns and unknowns, each once."""
    return tuple(dict.fromkeys(base for s in select_statements(Sums, statements) if s.grid is grid
                               for base in reciprocals_of(s.locals).values()))


@lru_cache(maxsize=256)
def reciprocals_of(rows):
    """Return the locals of a pass that are reciprocals, with their divisors written out."""
    inside, found = {}, {}
    for symbol, expr in rows:
        inside[symbol] = expr.xreplace(inside)
        if expr.is_Pow and expr.exp == -1:
            found[symbol] = 1 / inside[symbol]
    return found


def holds_steps(statement):
    """Return whether a pass with conditional means also holds nested sums, two-normal probabilities or closed means
    over proximal steps."""
    return (any(isinstance(p, Means) and not p.is_value for p in statement.grid.preparation)
            and (bool(statement.origins) or any(e.has(InnerSum, BivariateNormalCDF) for e in statement.expressions)))


def columns_used(statements, grid):
    """Return the columns that the sums over a grid read."""
    read = set().union(*(s.symbols for s in select_statements(Sums, statements) if s.grid is grid))
    return read & set(grid.columns.values())


def collect_needed(grid, columns):
    """Return all symbols of the preparation that the given columns depend on."""
    wanted = set(columns)
    for expr, symbol in grid.columns.items():
        if symbol in wanted:
            wanted |= expr.free_symbols
    for s in reversed(grid.preparation):
        if not wanted & set(s.outputs):
            continue
        if isinstance(s, Means):
            for _, functional in s.items:
                wanted |= functional.free_symbols
        else:
            wanted |= s.expr.free_symbols
    return wanted


def least(expr, grid, values):
    """Bound an expression in columns from below on the real line, from signs alone.

    Parameters
    ----------
    expr : Expr
    grid : Grid
        Even powers, and means of even powers, are not negative.
    values : dict
        Balls of the other symbols.

    Returns
    -------
    float
    """
    positive = {symbol for s in grid.preparation if isinstance(s, Means) for symbol, f in s.items if _even(f)}
    for s in grid.preparation:
        if not isinstance(s, Means) and s.expr in positive:
            positive.add(s.symbol)
    positive |= {symbol for e, symbol in grid.columns.items() if _positive(e, positive)}
    return _least(expr, positive, values)


def _even(expr):
    return expr.is_Pow and expr.exp.is_Integer and int(expr.exp) % 2 == 0 and expr.exp > 0


def _positive(expr, positive):
    return expr in positive or _even(expr) or (expr.is_Mul and all(_positive(a, positive) for a in expr.args))


def _least(expr, positive, values):
    if expr in values:
        low = float(arb(values[expr]).lower())
        return low - 1e-14 * abs(low)
    if _positive(expr, positive):
        return 0.0
    if expr.is_Rational:
        return float(expr) - 1e-14 * abs(float(expr))
    if expr.is_Add:
        parts = [_least(a, positive, values) for a in expr.args]
        return sum(parts) - 1e-14 * sum(map(abs, parts))
    if expr.is_Mul:
        total = 1.0
        for a in expr.args:
            part = _least(a, positive, values)
            if part < 0:
                return -float("inf")
            total *= part
        return total * (1 - 1e-14)
    return -float("inf")


def with_reciprocals(statements):
    """Rewrite quotients in sums by reciprocals among the locals, so that sums divide by powers of symbols alone."""
    return [replace(s, body=tuple(with_reciprocals(s.body))) if isinstance(s, Newton) else
            _taken_out(s) if isinstance(s, Sums) else s for s in statements]


def _taken_out(s):
    """Rewrite one pass; quotients that do not vary over the nodes stay."""
    if not any(isinstance(p, Means) and not p.is_value for p in s.grid.preparation):
        return s                            # formulas of the node are enclosed unchanged
    if holds_steps(s):                      # nested sums too
        return _without_guards(s)
    varying, rows, names = {*s.grid.bound, *s.grid.columns.values()}, [], {}

    def known(expr):
        """Replace the quotients in an expression by symbols, after the locals of their reciprocals."""
        found = {}
        for power in expr.atoms(Pow):
            if power.exp.is_Integer and power.exp < 0 and power.base.free_symbols & varying:
                base, number = _monic(power.base)
                if base not in names:
                    names[base] = Dummy(f"inv_{len(names) + 1}", real=True)
                    rows.append((names[base], 1 / base))
                    varying.add(names[base])
                found[power] = names[base] ** -power.exp * number**power.exp
        return expr.xreplace(found)

    for symbol, expr in s.locals:
        if expr.is_Pow and expr.exp == -1:
            rows.append((symbol, expr))
            names.setdefault(expr.base, symbol)
        else:
            rows.append((symbol, known(expr)))
        if expr.free_symbols & varying:
            varying.add(symbol)
    sums = tuple((symbol, known(expr), note) for symbol, expr, note in s.sums)
    return replace(s, locals=tuple(rows), sums=sums)


def _without_guards(s):
    """Drop the variance far below rounding that only guards divisions in double precision from a pass."""
    def plain(expr):
        return expr.xreplace({f: Integer(0) for f in expr.atoms(Float) if f == Float(1e-100)})

    return replace(s, locals=tuple((symbol, plain(e)) for symbol, e in s.locals),
                   sums=tuple((symbol, plain(e), note) for symbol, e, note in s.sums))


def _monic(base):
    """Split off the common factor of a sum: 2 V + 2 and V + 1 are one denominator."""
    number, rest = base.primitive()
    return rest, number
