"""The analytic branches of a function of several variables whose kinks lie on parallels of the axes, with proof."""

from dataclasses import dataclass
from itertools import product

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
    """Tuple of :class:`ProductPiece`, one for each box of the grid that kinks and jumps make.

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
    import sympy as sp

    kinked = [node for node in sp.preorder_traversal(expr) if _is_kinked(node, variables)]
    rows = []
    for x in variables:
        own = tuple(dict.fromkeys(node for node in kinked if node.has(x)))
        for node in own:
            if node.free_symbols != {x}:
                raise NotAvailableError(
                    f"certify: {str(node)[:60]} has a kink or a jump that lies across several normals, or moves with a "
                    "symbol, which is not enclosed; close the average (.doit()), turn the normals so that the kink "
                    "depends on one of them alone, or ask precise() for digits without a proof")
        rows.append(_sides(own, x))
    found = []
    for choice in product(*rows):
        branches = {node: form for _, forms in choice for node, form in forms.items()}
        found.append(ProductPiece(tuple(side for side, _ in choice), expr.xreplace(branches)))
    return tuple(found)


def _is_kinked(node, variables):
    import sympy as sp

    return isinstance(node, sp.Expr) and any(a.has(*variables) for a in switching_arguments(node))


def _sides(kinked, x):
    """``[((low, high), {kinked function of x: its branch there})]``."""
    import sympy as sp

    if not kinked:
        return [((None, None), {})]
    together = sp.Function("together")(*kinked)         # nothing cancels in it
    return [((p.low, p.high), dict(zip(kinked, p.formula.args))) for p in pieces(together, x)]
