"""Print functions through inner unknowns: the maps of these and functions of them, without derivatives."""

from .printer import Printer

__all__ = ["ImplicitWriter"]


class ImplicitWriter:
    """Source of the functions that ``implicit`` of a module calls, and of calls of it.

    Parameters
    ----------
    writer : PointWriter
    statement : Implicit
    """

    def __init__(self, writer, statement):
        self.names, self.statement = writer.names, statement
        bodies = [writer.body(statements, (*statement.unknowns, *statement.arguments))
                  for statements, _ in (statement.maps, statement.forms)]
        #: numbers that both functions take, and the names of the grids that they sum over
        self.inputs = writer.ordered({x for _, inputs, _ in bodies for x in inputs})
        self.grids = set().union(*(grids for _, _, grids in bodies))
        self.tables = writer.tables(self.grids)
        arguments = ", ".join([*(self.names[x] for x in self.inputs), *self.tables])
        for name, summary, (lines, _, _), (_, made) in zip(
                ("implicit_maps", "implicit_forms"), (f"Maps of {self._listed(statement.unknowns)}", "What follows from"
                                                      " them"), bodies, (statement.maps, statement.forms)):
            writer.parts.append("\n".join([
                f"def {name}(x, at, {arguments}):",
                f'    """{summary} at given {self._listed(statement.arguments)}."""',
                *self._read("at", statement.arguments), *self._read("x", statement.unknowns), *lines,
                f"    return np.array(({self._listed(made)},))"]))

    def _listed(self, symbols):
        return ", ".join(self.names[x] for x in symbols)

    def _read(self, array, symbols):
        entries = ", ".join(f"{array}[{k}]" for k in range(len(symbols)))
        return [f"    {self._listed(symbols)} = {entries}"]

    def call(self, wanted):
        """Write lines that compute those functions and derivatives that are wanted."""
        s, printer = self.statement, Printer(self.names)
        starts = ", ".join(printer.source(e) for e in s.starts)
        positive = ", ".join(str(bool(u.is_positive)) for u in s.unknowns)
        given = ", ".join([*(self.names[x] for x in self.inputs), *self.tables])
        count = len(s.forms[1])
        read = [(self.names[o], f"found[{k // count}, {k % count}]") for k, o in enumerate(s.outputs) if o in wanted]
        return [f"    found = implicit(np.array(({starts},)), np.array(({positive},)), "
                f"np.array(({self._listed(s.arguments)},)), {given})",
                f"    {', '.join(n for n, _ in read)}{',' * (len(read) == 1)} = {', '.join(e for _, e in read)}"]
