"""Find functions whose values of several orders at the same arguments cost little more than one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sympy import Dummy, preorder_traversal
from sympy.core.function import Application

from ..numbers.functions import entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sympy import Expr, Symbol

    from .expressions import ExpressionPrinter

__all__ = ["Values", "together"]


@dataclass(frozen=True)
class Values:
    """Values of a function of several orders at the same arguments: a row with more than one name.

    Attributes
    ----------
    name : str
        Name of the function.
    arguments : tuple of Expr
    symbols : dict of (int, ...) to Symbol
        Symbols of the values, by their orders.
    """

    name: str
    arguments: tuple[Expr, ...]
    symbols: dict[tuple[int, ...], Symbol]

    def source(self, printer: ExpressionPrinter, is_batch: bool = False) -> str:
        """Return the line that assigns them."""
        loops, arrays, every = entry(self.name).together
        arguments = ", ".join(map(printer.source, self.arguments))
        if is_batch:
            names = "".join(f"{s.name}, " for s in self.symbols.values())
            orders = ", ".join(f"({', '.join(map(str, o))})" for o in self.symbols)
            return f"{names.strip()} = {arrays}(({orders}), {arguments})"
        return f"{', '.join(self.symbols[o].name if o in self.symbols else '_' for o in every)} = {loops}({arguments})"


def together(rows: Sequence[tuple[Symbol, Expr]], results: Sequence[Expr] = ()
             ) -> tuple[list[tuple[Symbol, Expr] | Values], list[Expr]]:
    """Put values of several orders into rows of their own, before the first use of each.

    Parameters
    ----------
    rows : sequence of (Symbol, Expr)
        In order: each may hold the symbols of those before.
    results : sequence of Expr
    """
    found: dict[tuple, dict] = {}
    for e in (*(e for _, e in rows), *results):
        for node in preorder_traversal(e):
            known = entry(type(node).__name__) if isinstance(node, Application) else None
            if known is not None and known.together is not None:
                orders, arguments = tuple(map(int, node.args[:known.orders])), node.args[known.orders:]
                if orders in known.together[2]:
                    found.setdefault((type(node), arguments), {})[orders] = node
    places, made = {}, []
    for (kind, arguments), nodes in found.items():
        if len(nodes) > 1:
            symbols = {orders: Dummy(f"at_once_{len(made) + 1}_{k}", real=True)
                       for k, orders in enumerate(sorted(nodes), 1)}
            made.append(Values(kind.__name__, arguments, symbols))
            places.update({node: (made[-1], symbols[orders]) for orders, node in nodes.items()})
    if not made:
        return list(rows), list(results)
    out, done = [], set()

    def put(expr):
        held = {node: places[node] for node in expr.atoms(Application) if node in places}
        for values in made:
            if id(values) not in done and any(values is v for v, _ in held.values()):
                done.add(id(values))
                out.append(values)
        return expr.xreplace({node: symbol for node, (_, symbol) in held.items()})

    for symbol, expr in rows:
        out.append((symbol, put(expr)))
    return out, [put(e) for e in results]
