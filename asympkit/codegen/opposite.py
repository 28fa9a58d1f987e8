"""Print values of functions of a loop, several in one call where that is cheaper."""

from ..numbers.functions import entry
from .together import Values, together

__all__ = ["assignments"]


def assignments(rows, names, printer):
    """Yield lines that assign locals of a loop, in their order.

    Parameters
    ----------
    rows : sequence of (Symbol, Expr)
    names : dict
        Identifiers of symbols.
    printer : ExpressionPrinter
    """
    places, done = {expr: symbol for symbol, expr in rows}, set()
    for row in together(rows)[0]:
        if isinstance(row, Values):
            yield row.source(printer)
            continue
        symbol, expr = row
        if symbol in done:
            continue
        other = places.get(_opposite(expr))
        if other is None or other is symbol:
            yield f"{names[symbol]} = {printer.source(expr)}"
        else:                       # it has the arguments of the first, which are computed
            done.add(other)
            arguments = ", ".join(map(printer.source, expr.args))
            yield f"{names[symbol]}, {names[other]} = {entry(type(expr).__name__).opposite}({arguments})"


def _opposite(expr):
    """Return a function with all signs but the last argument's changed, if a reflection pair is cheaper."""
    known = entry(type(expr).__name__)
    if known is None or not known.opposite:
        return None
    *arguments, last = expr.args
    return expr.func(*(-a for a in arguments), last)
