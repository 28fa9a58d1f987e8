"""Print what an exported module knows of its activations, and the numbers that follow from the user's arguments."""

import re

from sympy import Float

from ..codegen.batch import BatchWriter
from ..codegen.expressions import ExpressionPrinter, docstring
from ..codegen.tables import prepare, write_condition, write_floats, write_table
from ..errors import StructureError
from ..program.names import mark
from ..program.statements import Means, Scalar

__all__ = ["write_activations", "write_map"]


def write_activations(functions, steps, names):
    """Write activations, with the derivatives that some means take, as functions of arrays.

    Each has as attributes its kinks, its parity (1 even, -1 odd, 0 neither or unknown) and its derivative.
    """
    orders = {}
    for step in steps:
        if isinstance(step, Means):
            orders[step.label] = max(step.order, orders.get(step.label, 0))
    parts = []
    for label, highest in orders.items():
        f, last = functions[label], None
        for order in range(highest + 1):
            name = names[label] + ("_slope" if order else "") + (f"_{order}" if order > 1 else "")
            text = ExpressionPrinter({f.symbol: "x"}, batch=True).source(f.float_form)
            varies = re.search(r"\bx\b", text) is not None
            what = ("derivative of the " if order == 1 else f"derivative of order {order} of the ") * bool(order)
            parity = f.form_parity or {"odd": -1, "even": 1, None: 0}[f.parity]
            lines = [f'def {name}(x):\n    """Return the {what}{docstring(label)}."""',
                     f"    return {text if varies else f'{text} + 0.0*x'}", "", "",
                     f"{name}.kinks_float = ({''.join(f'{k!r}, ' for k in f.kinks_float)})",
                     f"{name}.form_parity = {parity}"]
            parts.append("\n".join([*lines, *[f"{last}.derivative = {name}"] * bool(order)]))
            f, last = f.derivative if order < highest else f, name
    return parts


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

    Returns
    -------
    text : str
    steps : list of Means or Scalar
        Of which the activations are needed.
    """
    moments, settled = derived.moments, settled or {}
    if moments is None:
        raise StructureError("generate: a derived quantity holds an average that is no moment of an activation "
                             "(E of f(z) times powers of z); an exported module cannot evaluate it")
    texts, calls, inner = _write_averages(derived.lowered, names, {})
    steps = [Scalar(s.symbol, Float(settled[s.symbol.name]))
             if isinstance(s, Scalar) and s.symbol.name in settled else s for s in moments.preparation]
    printer, known = ExpressionPrinter(names, batch=True), set(moments.arguments)
    kept = {s.expr for s in steps if isinstance(s, Scalar) and s.symbol.name in derived.decisive}
    early = [row for row in derived.lowered_cases if row[0].free_symbols <= known]
    late = [row for row in derived.lowered_cases if row not in early]
    # what holds under a condition on arguments stands before what need not have a value there
    first = _needed(steps, set().union(*(e.free_symbols for _, row in early for e in row)))
    lines = [f"def {name}({', '.join(names[s] for s in derived.arguments)}):", f'    """Return {summary}"""', *calls,
             "    error = 0.0"]
    for some, cases in ((first, early), ([s for s in steps if s not in first], late)):
        lines += prepare(some, names, known, (), kept=kept)
        for condition, row in cases:
            lines += [f"    if {write_condition(condition, printer)}:",
                      f"        return accurate(error, {write_floats(row, printer)})"]
    lines.append(f"    return accurate(error, {write_floats(derived.lowered_outputs, printer)})")
    return "\n\n\n".join([*texts, "\n".join(lines)]), [*inner, *steps]


def _needed(steps, wanted):
    """Return the steps that some symbols need."""
    kept, wanted = [], set(wanted)
    for step in reversed(steps):
        if wanted & set(step.outputs):
            kept.append(step)
            wanted |= step.expr.free_symbols if isinstance(step, Scalar) else step.offset.free_symbols.union(
                step.slope.free_symbols, *(form.free_symbols for _, form in step.items))
    return kept[::-1]


def _write_averages(lowered, names, made):
    """Write the averages on tables that expressions hold, each a function of the arguments.

    Returns
    -------
    texts : list of str
        Source of functions.
    lines : list of str
        What calls them.
    steps : list of Means
        Of which the activations are needed.
    """
    texts, steps, lines = [], [], []
    called = ", ".join(names[s] for s in lowered.arguments)
    spelt = lowered.names.mapping()
    for symbol, table, parts in lowered.tables:
        if table not in made:
            inner, before, found = _write_averages(parts, names, made)
            made[table] = name = mark(f"average_{len(made) + 1}")
            program, inside = table.program_with_names
            inside = inside.mapping() | {label: names[label] for label in program.activations}
            (grid,) = program.grids
            own = names | parts.names.mapping()
            printer = ExpressionPrinter(own, batch=True)
            rule = write_table(program, grid, inside).replace(mark(grid.name), f"{name}_{grid.name}")
            batch = BatchWriter(program, inside, has_diagnosis=False)().replace("def solve_batch(", f"def {name}_on(")
            at = "".join(f"{inside[s]}, " for s in (*program.table_parameters, *program.activations))
            coefficients = ", ".join(f"np.full(1, {inside[s]})" for s in program.parameters)
            body = [f"def {name}({called}):", f'    """Return {docstring(str(table.average))}."""', *before,
                    "    error = 0.0",
                    *prepare(parts.mapping.preparation, own, set(parts.mapping.arguments), ()),
                    *(f"    {inside[s]} = {printer.source(parts.forms[s])}" for s in table.coefficients), "",
                    "    def at(level):",
                    f"        (made,), change = gather((level,), {name}_{grid.name}_rule((level,), {at.rstrip(', ')}))",
                    "        accurate(max(error, change))",
                    f"        return float({name}_on({coefficients}, *made, 0, 1e-9, 1)[0, 0])", "",
                    "    return average_on_finer_rules(at)"]
            texts += [*inner, rule, batch, "\n".join(body)]
            steps += [*found, *parts.mapping.preparation, *grid.preparation]
        lines.append(f"    {spelt[symbol]} = {made[table]}({called})")
    return texts, lines, steps
