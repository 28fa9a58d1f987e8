"""Print where integrands of a theory turn: arguments whose narrow features rules of quadrature may step over."""

from contextlib import suppress
from itertools import count, islice

from ..codegen.expressions import ExpressionPrinter
from ..errors import NotAvailableError, StructureError
from ..nodes import Average

__all__ = ["write_turning"]


def write_turning(narrow, program, names):
    """Write a function of the arguments at which integrands turn, or an empty text if there are none."""
    rows, means, free = [], [], (name for name in map("x{}".format, count()) if name not in names.values())
    nodes, weights = next(free), next(free)
    spare = list(islice(free, max((len(part.along) for part in narrow.parts), default=0)))
    for part in narrow.parts:
        bound, known = spare[:len(part.along)], dict(names)
        for average, symbol in part.means:
            if len(average.bound_symbols) > 1 or average.integrand.has(Average):
                raise NotAvailableError(f"generate: {average} places a narrow feature, which an exported module finds "
                                        "by averages over one normal alone; solve() and sweep() have it")
            known[symbol] = next(free)
            inside = ExpressionPrinter({**known, average.bound_symbols[0]: nodes}, batch=True)
            total = f"np.sum({weights}*({inside.source(average.integrand)}))"
            means.append(f"    {known[symbol]} = {total}/np.sum({weights})")
        printer = ExpressionPrinter({**known, **dict(zip(part.along, bound))}, batch=True)
        with suppress(StructureError):          # a derivative that is no function
            along = [f"lambda {', '.join(bound)}: ({', '.join(printer.source(f) for f in forms)})"
                     for forms in part.along.values()]
            rows.append(f"({part.is_steep}, {part.has_nodes}, ({', '.join(along)},))")
    if not rows:
        return ""
    lines = [f"    {', '.join(names[s] for s in symbols)}{',' * (len(symbols) == 1)} = {source}" for symbols, source in
             ((program.parameters, "point"), (program.unknowns, f"found[:{len(program.unknowns)}]")) if symbols]
    if means:
        means[:0] = [f"    {nodes} = np.arange(-10.0, 10.0625, 0.0625)",
                     f"    {weights} = np.exp(-0.5*{nodes}*{nodes})"]
    return "\n".join([
        "def turning(point, found):",
        '    """Return arguments at which integrands turn, by variable, with two derivatives, whether they turn at 0 '
        'or near it, and whether nodes can be placed there."""', *lines, *means, f"    return ({', '.join(rows)},)"])
