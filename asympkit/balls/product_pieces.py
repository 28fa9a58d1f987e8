"""The analytic branches of a function of several variables whose kinks lie on parallels of the axes, with proof."""

from dataclasses import dataclass
from itertools import combinations, product

from ..errors import NotAvailableError
from ..properties.cells import switching_arguments
from .pieces import pieces

__all__ = ["ProductPiece", "product_pieces"]


@dataclass(frozen=True)
class ProductPiece:
    """For each variable an open interval (None for an infinite end), and the analytic formula on their product."""

    sides: tuple
    formula: object


def product_pieces(expr, variables):
    """Split into :class:`ProductPiece`, one for each box of the grid of kinks and jumps.

    Parameters
    ----------
    expr : sympy.Expr
    variables : sequence of sympy.Symbol

    Raises
    ------
    NotAvailableError
        If a kink depends on several variables, or on another symbol.
    DomainError
        If switching points cannot be proved.
    """
    borders = [b for b in _borders(expr) if b.has(*variables)]
    for b in borders:
        if len(b.free_symbols) > 1:
            raise NotAvailableError(
                f"certify: {str(expr)[:60]} has a kink or a jump at {b} = 0, which lies across several normals or "
                "moves with a symbol, and is not enclosed; close the average (.doit()), turn the normals so that the "
                "kink depends on one of them alone, or call precise() for digits without a proof")
    rows = [_sides([b for b in borders if b.has(x)], x) for x in variables]
    found = []
    for choice in product(*rows):
        signs = {b: s for _, own in choice for b, s in own.items()}
        found.append(ProductPiece(tuple(side for side, _ in choice), _decided(expr, signs)))
    return tuple(found)


def _borders(expr):
    """List the expressions at the zeros of which some part switches, nested ones too."""
    import sympy as sp

    found = {}
    for node in sp.preorder_traversal(expr):
        if isinstance(node, sp.Expr):
            found.update(dict.fromkeys(switching_arguments(node)))
    return list(found)


def _sides(borders, x):
    """Return ``[((low, high), {border: its sign there})]``."""
    import sympy as sp

    if not borders:
        return [((None, None), {})]
    together = sp.Function("together")(*[sp.sign(b, evaluate=False) for b in borders])      # nothing cancels in it
    return [((p.low, p.high), dict(zip(borders, p.formula.args))) for p in pieces(together, x)]


def _decided(expr, signs):
    """Return the formula that holds where borders have the given signs."""
    import sympy as sp

    if not expr.args or not expr.has(sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min, sp.Piecewise):
        return expr
    if isinstance(expr, sp.Abs | sp.sign | sp.Heaviside) and expr.args[0] in signs:
        side, inner = signs[expr.args[0]], _decided(expr.args[0], signs)
        return side * inner if isinstance(expr, sp.Abs) else expr.func(side, *expr.args[1:])
    if isinstance(expr, sp.Max | sp.Min) and all(a - b in signs for a, b in combinations(expr.args, 2)):
        better, best = (1 if isinstance(expr, sp.Max) else -1), expr.args[0]
        for other in expr.args[1:]:
            best = best if signs[best - other] == better else other
        return _decided(best, signs)
    if isinstance(expr, sp.Piecewise):
        return sp.Piecewise(*[(_decided(value, signs), _condition(when, signs)) for value, when in expr.args])
    return expr.func(*[_decided(a, signs) for a in expr.args])


def _condition(condition, signs):
    import sympy as sp

    known = {atom: atom.func(signs[atom.lhs - atom.rhs], 0) for atom in condition.atoms(sp.core.relational.Relational)
             if atom.lhs - atom.rhs in signs}
    return condition.xreplace(known)
