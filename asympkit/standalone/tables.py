"""Print how tables are made: what depends on the nodes of a rule and on no unknown."""

import re
from contextlib import suppress
from dataclasses import replace
from itertools import count, islice

from sympy import Abs, Dummy

from ..codegen.expressions import ExpressionPrinter, docstring
from ..errors import StructureError
from ..numbers.functions.classes import SoftPlus
from ..program.names import mark
from ..program.passes import flat_conditions
from ..program.statements import Means, Scalar
from ..program.symmetry import vanishing
from .printer import Printer

__all__ = ["activation_names", "function_text", "has_placed_nodes", "means_lines", "number_tuple", "product_kinks",
           "rename_means", "select_steps", "table_arguments", "value_line", "write_activations", "write_table",
           "write_turning"]


_FLOORS = {"zero": "np.inf", "kept": "-1.0", "": "ROUNDING_OF_MEANS"}


class _ActivationPrinter(ExpressionPrinter):
    """Prints functions of arrays that a module writes out."""

    def _print_Function(self, expr):
        if not isinstance(expr, SoftPlus):
            return re.sub(r"^(erfc?)_batch\(", r"\1_of_arrays(", super()._print_Function(expr))
        u = self._print(expr.args[0])
        return f"(np.maximum({u}, 0.0) + np.log1p(np.exp(-np.abs({u}))))"


def write_activations(functions, steps, names):
    """Write the source of the activations that some means take, and of their first derivatives."""
    parts = []
    for label, order in dict.fromkeys(s.source for s in steps if isinstance(s, Means)):
        f = functions[label]
        for _ in range(order):
            f = f.derivative
        text = _ActivationPrinter({f.symbol: "x"}, batch=True).source(f.float_form)
        varies = re.search(r"\bx\b", text) is not None
        what = ("derivative of the " if order == 1 else f"derivative of order {order} of the ") * bool(order)
        parts.append(f'def {activation_names(label, order, names)}(x):\n    """The {what}{docstring(label)}."""\n'
                     f"    return {text if varies else f'{text} + 0.0*x'}")
    return parts


def write_table(program, grid, rows, names, functions, proved, is_narrow=False):
    """Write the source of the function that makes table and weights of a grid.

    Parameters
    ----------
    program : Program
    grid : Grid
    rows : sequence of Symbol
        The columns of the table.
    names : dict
    functions : dict of str to Activation
    proved : dict of str to str
        Conditions under which the mean of an activation without offset is zero by a proof, by label.
    is_narrow : bool
        Whether nodes are to be placed around narrow features.

    Returns
    -------
    list of str
    """
    own, printer = mark(grid.name), Printer(names)
    forms = {symbol: expr for expr, symbol in grid.columns.items()}
    variables = [names[b] for b in grid.bound]
    steps = _steps(grid, rows)
    if grid.given or grid.is_product:
        values = ", ".join(printer.source(forms.get(s, s)) for s in rows)
        if grid.given:
            lines = [f"    table = np.array([{values}])",
                     "    return table, np.full(table.shape[1], 1.0/table.shape[1])"]
            given = docstring(", ".join(variables))
            return [function_text(f"{own}_table", variables, f"Table and weights of the given {given}.", lines)]
        kinks = product_kinks(program, grid, steps, functions, printer)
        rule = "angle_rule(level)" if grid.is_angle else \
            f"product_rule(level, {kinks}{', 18.0' * grid.is_shifted})"
        parameters = _table_arguments(program, names, forms, rows, grid)
        lines = [f"    ({', '.join(variables)}{',' * (len(variables) == 1)}), weights = {rule}",
                 *(value_line(s, names, printer) for s in steps),
                 f"    return np.array([{values}]), weights"]
        return [function_text(f"{own}_table", ["level", *parameters], f"Table and weights of the average over "
                          f"{docstring(', '.join(map(str, grid.bound)))}.", lines)]
    sizes = {d.mean: Dummy(f"size{k}") for k, d in enumerate(grid.directions)}
    steps = [s if isinstance(s, Scalar) else replace(s, items=(*s.items, *(
        (sizes[o], Abs(form)) for o, form in s.items if o in sizes))) for s in steps]
    names = names | {size: f"{names[mean]}_size" for mean, size in sizes.items()}
    if not _holds_means(steps):
        features = ", ".join(_features(grid, steps, names, functions, printer))
        values = ", ".join(printer.source(forms.get(s, s)) for s in rows)
        places = ["places=()"] * is_narrow
        if is_narrow:
            features = ", ".join([*[features] * bool(features), "*places"])
        rule = f"outer_rule(level, [{features}])" if features else "trapezoid(level)"
        lines = [f"    {variables[0]}, weights = {rule}",
                 *(value_line(s, names, printer) if isinstance(s, Means) else
                   f"    {names[s.symbol]} = {printer.source(s.expr)}" for s in steps),
                 f"    return np.array([{values}]), weights"]
        parameters = [*_table_arguments(program, names, forms, rows, grid), *places]
        return [function_text(f"{own}_table", ["level", *parameters],
                          f"Table and weights of the average over {docstring(str(grid.bound[0]))}.", lines)]
    parameters = _table_arguments(program, names, forms, rows, grid)
    names = rename_means(steps, names)
    printer, kept = Printer(names), {d.mean for d in grid.directions}
    varying = {grid.bound[0]}
    body = means_lines(steps, names, functions, set(program.table_parameters), varying, kept, proved)
    body += [f"    {names[d.shift.symbol]} = {printer.source(d.shift.expr)}" for d in grid.directions]
    extra = [s for d in grid.directions for s in (d.mean, sizes[d.mean], d.shift.symbol)]
    whole = list(dict.fromkeys([*rows, *extra]))
    texts = list(dict.fromkeys(printer.source(forms.get(s, s)) for s in whole))
    values = ", ".join(texts)
    columns = function_text(f"{own}_columns", [variables[0], *parameters],
                        f"Rows of the table at nodes {docstring(str(grid.bound[0]))}.",
                        [*body, f"    return np.array(np.broadcast_arrays({values}))"])
    features = ", ".join(_features(grid, steps, names, functions, printer))
    called = ", ".join(["nodes[k:k + 40]", *parameters])
    lines = [f"    nodes, weights = outer_rule(level, [{features}])",
             f"    table = np.hstack([{own}_columns({called}) for k in range(0, nodes.size, 40)])"]
    for d in grid.directions:
        places = ", ".join(f"table[{texts.index(names[s])}]" for s in (d.mean, sizes[d.mean], d.shift.symbol))
        lines.append(f"    check_direction(weights, {places}, {_vanishes(d, steps, functions, program, proved)})")
    lines.append(f"    return table{f'[:{len(rows)}]' if len(texts) > len(rows) else ''}, weights")
    return [columns, function_text(f"{own}_table", ["level", *parameters],
                               f"Table and weights of the average over {docstring(str(grid.bound[0]))}.", lines)]


def has_placed_nodes(grid):
    """Tell whether nodes can be placed around features that follow from the unknowns."""
    return not (grid.given or grid.is_product or any(isinstance(s, Means) and not s.is_value for s in grid.preparation))


def write_turning(narrow, program, names):
    """Source of the arguments at which integrands turn, with two derivatives, or an empty text if there are none."""
    rows, free = [], (name for name in map("x{}".format, count()) if name not in names.values())
    spare = list(islice(free, max((len(part.along) for part in narrow.parts), default=0)))
    for part in narrow.parts:
        bound = spare[:len(part.along)]
        printer = Printer({**names, **dict(zip(part.along, bound))})
        with suppress(StructureError):          # a derivative that is no function
            along = [f"lambda {', '.join(bound)}: ({', '.join(printer.source(f) for f in forms)})"
                     for forms in part.along.values()]
            rows.append(f"({part.is_steep}, {part.has_nodes}, ({', '.join(along)},))")
    if not rows:
        return ""
    lines = [f"    {', '.join(names[s] for s in symbols)}{',' * (len(symbols) == 1)} = {source}" for symbols, source in
             ((program.parameters, "point"), (program.unknowns, f"found[:{len(program.unknowns)}]")) if symbols]
    return function_text("turning", ["point", "found"], "Arguments at which integrands turn, by variable, with two "
                         "derivatives, whether they turn at 0 or near it, and whether nodes can be placed there.",
                         [*lines, f"    return ({', '.join(rows)},)"])


def table_arguments(program, grid, rows, names):
    """Return the arguments of the function of :func:`write_table` after the level."""
    return _table_arguments(program, names, {symbol: e for e, symbol in grid.columns.items()}, rows, grid)


def _steps(grid, rows):
    """Return the steps of the preparation of a grid that rows of its table need, and directions."""
    forms = {symbol: expr for expr, symbol in grid.columns.items()}
    used = set().union(*(forms.get(s, s).free_symbols for s in rows)) | set(rows)
    return select_steps(grid.preparation, used | {d.mean for d in grid.directions})


def _holds_means(steps):
    """Return whether some steps make conditional means: values at the node are none."""
    return any(isinstance(s, Means) and not s.is_value for s in steps)


def _table_arguments(program, names, forms, rows, grid):
    free, steps = set().union(*(forms.get(s, s).free_symbols for s in rows)), _steps(grid, rows)
    for step in steps:
        free |= step.offset.free_symbols if isinstance(step, Means) else step.expr.free_symbols
        if isinstance(step, Means):
            free = free.union(step.slope.free_symbols, *(form.free_symbols for _, form in step.items))
    free = free.union(*(d.shift.expr.free_symbols for d in grid.directions))
    if grid.is_product:
        free |= set(flat_conditions(program, grid).values())
    return [names[s] for s in program.table_parameters if s in free]


def means_lines(steps, names, functions, arguments, varying, kept, proved=None, made=None):
    """Write lines that make means and named numbers in their order; where nothing varies there is one offset.

    ``made`` remembers the samples of activations for another call.
    """
    lines, plain, printer = [], not varying, Printer(names)
    made = {} if made is None else made
    for step in steps:
        if isinstance(step, Scalar):
            if step.expr.free_symbols & varying:
                varying.add(step.symbol)
            if names[step.symbol] != names.get(step.expr):
                lines.append(f"    {names[step.symbol]} = {printer.source(step.expr)}")
            continue
        if step.is_value and not plain:
            lines.append(value_line(step, names, printer))
            varying.update(step.outputs)
            continue
        key = step.source, step.offset, step.slope
        activation = activation_names(step.label, step.order, names)
        if key not in made:
            same = sum(k[0] == key[0] for k in made)
            made[key] = f"{activation}_at" if not same else f"{activation}_at_{same + 1}"
            f = step.activation(functions)
            offset = printer.source(step.offset)
            if plain:
                offset = "np.zeros(1)" if step.offset == 0 else f"np.array([{offset}])"
            lines.append(f"    {made[key]} = Inner({activation}, {number_tuple(map(float, f.kinks_float))}, {offset}, "
                         f"{printer.source(step.slope)})")
        inner = {step.z: "z", step.value: "s"}
        spelt = Printer({**names, **{s: f"{names[s]}[:, np.newaxis]" for s in varying if s in names}, **inner})
        texts = ", ".join(spelt.source(f) for _, f in step.items)
        floors = ", ".join(_floors(step, functions, arguments, kept, proved or {}))
        targets = ", ".join(names[s] for s in step.outputs)
        one = len(step.items) == 1
        last = "[:, 0]" if plain else ""
        lines.append(f"    {targets}{',' * one} = {made[key]}(lambda z, s: ({texts},), ({floors},)){last}")
        if not plain:
            varying.update(step.outputs)
    return lines


def rename_means(steps, names):
    """Return names with which a mean that is another quantity has its name."""
    names, means = dict(names), {s for step in steps if isinstance(step, Means) for s in step.outputs}
    for s in steps:
        if isinstance(s, Scalar) and s.expr in means:
            means.discard(s.expr)
            names[s.expr] = names[s.symbol]
    return names


def _floors(step, functions, arguments, kept, proved):
    f = step.activation(functions)
    parity = {"even": 1, "odd": -1, None: 0}[f.parity]
    zeros = vanishing(step, arguments).get(parity, (False,) * len(step.items))
    out = []
    for zero, s, (_, form) in zip(zeros, step.outputs, step.items):
        if not zero and s in kept and form == step.value and proved.get(step.label):
            out.append(f"np.inf if {proved[step.label]} else -1.0")
        else:
            is_size = isinstance(s, Dummy)
            out.append("np.nan" if is_size else _FLOORS["zero" if zero else "kept" if s in kept else ""])
    return out


def _vanishes(d, steps, functions, program, proved):
    """Write the source that tests whether the mean of a direction without shift is zero by a proof."""
    step = next(s for s in steps if isinstance(s, Means) and d.mean in s.outputs)
    zero = _floors(step, functions, set(program.table_parameters), {d.mean}, proved)[step.outputs.index(d.mean)]
    return {"np.inf": "True", "-1.0": "False"}.get(zero) or zero.removeprefix("np.inf if ").removesuffix(" else -1.0")


def _features(grid, steps, names, functions, printer):
    seen = {}
    for step in steps:
        if isinstance(step, Means):
            slope, centre = step.offset.diff(grid.bound[0]), step.offset.subs(grid.bound[0], 0)
            f = step.activation(functions)
            if step.is_value and not f.kinks_float:
                continue
            seen[f"({printer.source(centre)}, {printer.source(slope)}, {printer.source(step.slope)}, "
                 f"{number_tuple(map(float, f.kinks_float))})"] = None
    if grid.kinks:
        seen[f"(0.0, 1.0, 0.0, {number_tuple(sorted(map(float, grid.kinks)))})"] = None
    return list(seen)


def select_steps(preparation, wanted):
    """Return the steps of a preparation that the wanted symbols need."""
    kept, wanted = [], set(wanted)
    for step in reversed(preparation):
        if isinstance(step, Scalar):
            if step.symbol in wanted:
                wanted |= step.expr.free_symbols
                kept.append(step)
        elif items := tuple(item for item in step.items if item[0] in wanted):
            wanted |= step.offset.free_symbols | step.slope.free_symbols
            for _, form in items:
                wanted |= form.free_symbols
            kept.append(Means(step.label, step.offset, step.slope, step.z, step.value, items, step.order))
    return kept[::-1]


def function_text(name, arguments, summary, lines):
    return "\n".join([f"def {name}({', '.join(arguments)}):", f'    """{summary}"""', *lines])


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
