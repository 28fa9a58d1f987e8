"""Print the map from the user's arguments to the derived numbers.

Averages of conditional means in it are functions of the user's arguments, each with a table.
"""

from dataclasses import replace

from sympy import And, Eq, Float

from ..codegen.expressions import docstring
from ..errors import StructureError
from ..program.names import mark
from ..program.passes import prune
from ..program.statements import Means, Scalar, Sums
from .printer import Printer
from .tables import function_text, means_lines, rename_means, select_steps, write_table

__all__ = ["write_averages", "write_map"]


def write_map(name, derived, names, functions, summary, settled=None):
    """Write a function from the user's arguments to derived numbers.

    Parameters
    ----------
    name : str
    derived : Derived
    names : dict
        Of the map's own symbols.
    functions : dict of str to Activation
    summary : str
    settled : dict of str to float, optional
        Named numbers that are known by a proof.
    """
    moments, printer = derived.moments, Printer(names)
    if moments is None:
        raise StructureError("generate: a derived quantity holds an average that is no moment of an activation "
                             "(E of f(z) times powers of z); a standalone module cannot evaluate it")
    texts, calls, inner = write_averages(derived.lowered, names, functions)
    arguments = [names[s] for s in derived.arguments]
    early = [row for row in derived.lowered_cases if row[0].free_symbols <= set(moments.arguments)]
    late = [row for row in derived.lowered_cases if row not in early]
    settled = settled or {}
    steps = [Scalar(s.symbol, Float(settled[s.symbol.name]))
             if isinstance(s, Scalar) and s.symbol.name in settled else s for s in moments.preparation]
    outputs = derived.lowered_outputs
    forms = [*outputs, *(e for _, row in derived.lowered_cases for e in row), *(c for c, _ in late)]
    steps = select_steps(steps, set().union(*(e.free_symbols for e in forms)))
    kept = {s for step in steps if isinstance(step, Means) for s in step.outputs
            if any(isinstance(o, Scalar) and o.expr == s and o.symbol.name in derived.decisive for o in steps)}
    names = rename_means(steps, names)
    printer = Printer(names)
    # what holds under a condition on arguments stands before what need not have a value there
    first = select_steps(steps, set().union(*(e.free_symbols for _, row in early for e in row)))
    made, known = {}, {s for step in first for s in step.outputs}
    lines = [*calls, *means_lines(first, names, functions, set(moments.arguments), set(), kept, made=made)]
    lines += [line for row in early for line in _case(row, printer)]
    lines += means_lines(_without(steps, known), names, functions, set(moments.arguments), set(), kept, made=made)
    lines += [line for row in late for line in _case(row, printer)]
    lines.append(f"    return {', '.join(printer.source(e) for e in outputs)}{',' * (len(outputs) == 1)}")
    return "\n\n\n".join([*texts, function_text(name, arguments, summary, lines)]), [*inner, *steps]


def _without(steps, known):
    """Return the steps whose results are not known."""
    cut = [replace(s, items=tuple(item for item in s.items if item[0] not in known)) if isinstance(s, Means) else s
           for s in steps]
    return [s for s in cut if not known.issuperset(s.outputs)]


def _case(row, printer):
    values = ", ".join(printer.source(e) for e in row[1])
    return [f"    if {_outer(_condition(row[0], printer))}:", f"        return {values}{',' * (len(row[1]) == 1)}"]


def _outer(text):
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def _condition(condition, printer):
    if isinstance(condition, Eq):
        return f"{printer.source(condition.lhs)} == {printer.source(condition.rhs)}"
    parts = sorted(_condition(a, printer) for a in condition.args)
    return f"({(' and ' if isinstance(condition, And) else ' or ').join(parts)})"


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
