"""Print values of activations at the nodes of a rule, and where their kinks lie."""

from ..program.passes import flat_conditions

__all__ = ["activation_names", "number_tuple", "product_kinks", "value_line"]


def activation_names(label, order, names):
    """Name an activation or its derivative in a module."""
    return names[label] + ("_slope" if order else "") + (f"_{order}" if order > 1 else "")


def value_line(step, names, printer):
    """Return the line that makes a value at all nodes."""
    return f"    {names[step.outputs[0]]} = {activation_names(step.label, step.order, names)}" \
        f"({printer.source(step.offset)})"


def product_kinks(program, grid, steps, functions, printer):
    """Write the source of the kinks of a product of rules, in the order of its variables: those of integrands and of
    values; None for a variable that a parameter switches off."""
    flat, texts = flat_conditions(program, grid), []
    for b in grid.bound:
        parts = [repr(k) for k in sorted(map(float, grid.kinks.get(b, ())))]
        moved = [s for s in steps if b in s.offset.free_symbols and s.activation(functions).kinks_float]
        text = number_tuple([*parts, *dict.fromkeys(_images(s, b, functions, printer) for s in moved)])
        texts.append(f"None if {printer.source(flat[b])} == 0.0 else {text}" if b in flat else text)
    return number_tuple(texts)


def _images(step, variable, functions, printer):
    """Write the source of the kinks of a value, as entries of a tuple."""
    own = number_tuple(map(float, step.activation(functions).kinks_float))
    centre, slope = step.offset.subs(variable, 0), step.offset.diff(variable)
    return f"*places_of({own}, {printer.source(centre)}, {printer.source(slope)})"


def number_tuple(items):
    """Write the source of a tuple."""
    items = [i if isinstance(i, str) else repr(i) for i in items]
    return f"({', '.join(items)}{',' * (len(items) == 1)})"
