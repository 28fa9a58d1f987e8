"""Print averages of conditional means in derived quantities: functions of the user's arguments, each with a table."""

from dataclasses import replace

from ..codegen.expressions import docstring
from ..program.names import mark
from ..program.passes import prune
from ..program.statements import Means, Sums
from .printer import Printer
from .tables import function_text, means_lines, rename_means, select_steps, write_table

__all__ = ["write_averages"]


def write_averages(lowered, names, functions, made=None):
    """Write the source of the averages on tables that expressions hold.

    Parameters
    ----------
    lowered : Lowered
    names : dict
        Of its arguments, and of the activations by label.
    functions : dict of str to Activation
    made : dict, optional
        Names of functions by average, to which those written here are added.

    Returns
    -------
    texts : list of str
        Source of functions.
    lines : list of str
        What calls them, for the function that computes the expressions.
    steps : list of Means
        Of which the activations are needed.
    """
    made, texts, steps, lines = {} if made is None else made, [], [], []
    called = ", ".join(names[s] for s in lowered.arguments)
    spelt = lowered.names.mapping()
    for symbol, table, parts in lowered.tables:
        if table not in made:
            inner, before, found = write_averages(parts, names, functions, made)
            name = f"average_{len(made) + 1}"
            made[table] = mark(name)
            more, own = _average(name, table, parts, names, functions, before, called)
            texts += [*inner, *more]
            steps += [*found, *own]
        lines.append(f"    {spelt[symbol]} = {made[table]}({called})")
    return texts, lines, steps


def _average(name, table, parts, names, functions, before, called):
    """Return functions of one average, whose coefficients ``parts`` has, and the means that it takes."""
    forms = [parts.forms[s] for s in table.coefficients]
    steps = select_steps(parts.mapping.preparation, set().union(*(e.free_symbols for e in forms)))
    outside = rename_means(steps, parts.names.mapping() | names)
    printer = Printer(outside)
    lines = [*before, *means_lines(steps, outside, functions, set(parts.mapping.arguments), set(), set())]
    program, inside = table.program_with_names
    inside = inside.mapping() | {label: names[label] for label in program.activations}
    statements = prune(program.statements, set(program.unknowns))
    (sums,) = (s for s in statements if isinstance(s, Sums))
    rows = sorted((s for s in sums.grid.columns.values()), key=lambda s: inside[s])
    at = ", ".join(inside[s] for s in program.table_parameters)
    lines += [f"    {inside[s]} = {printer.source(e)}" for s, e in zip(table.coefficients, forms)]
    lines += ["", "    def at(level):", f"        table, weights = {mark(name)}_table({', '.join(['level', at])})"]
    lines += [f"        {inside[s]} = table[{k}]" for k, s in enumerate(rows)]
    lines += [f"        {line}" for line in _sums(statements, sums, Printer(inside), inside)]
    lines += [f"        return {inside[program.unknowns[0]]}", "", "    return average_on_finer_rules(at)"]
    texts = write_table(program, replace(sums.grid, name=name), rows, inside, functions, {})
    texts.append(function_text(mark(name), [called], docstring(f"{table.average}") + ".", lines))
    return texts, [s for s in (*steps, *sums.grid.preparation) if isinstance(s, Means)]


def _sums(statements, sums, printer, names):
    """Write the lines of the sums, and of functions of them."""
    for s in statements:
        if s is sums:
            for symbol, expr in s.locals:
                yield f"{names[symbol]} = {printer.source(expr)}"
            for symbol, expr, _ in s.sums:
                yield f"{names[symbol]} = np.dot(weights, {printer.source(expr)})"
        else:
            yield f"{names[s.symbol]} = {printer.source(s.expr)}"
