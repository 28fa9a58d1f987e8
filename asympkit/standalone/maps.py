"""Print the map from the user's arguments to the derived numbers."""

from dataclasses import replace

from sympy import And, Eq, Float

from ..errors import StructureError
from ..program.statements import Means, Scalar
from .averages import write_averages
from .printer import Printer
from .tables import function_text, means_lines, rename_means, select_steps

__all__ = ["write_map"]


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
