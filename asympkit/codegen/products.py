"""Print how the table of a product grid is made, and how sums inside sums are."""

from textwrap import indent

from ..program.inner_sum import InnerSum
from ..program.names import mark
from ..program.passes import flat_conditions
from ..program.statements import Sums, select_statements
from ..program.symmetry import base_columns, symmetries
from ..runtime.tables import product_levels
from .expressions import ExpressionPrinter, docstring, is_placed
from .tables import prepare, source_of

__all__ = ["NameMap", "holds_products", "levels_of", "write_product"]


class NameMap(dict):
    """Names of symbols; those shared between integrands keep their own names."""

    def __missing__(self, symbol):
        return symbol.name


def holds_products(program):
    """Return whether a program has grids of products."""
    return any(g.is_product for g in program.grids)


def write_product(program, grid, names):
    """Write ``<grid>_rule(levels, ...)``, which returns a (table, weights) for each level, and no error of means."""
    printer = ExpressionPrinter(names, batch=True)
    own = mark(grid.name)
    arguments = [names[s] for s in (*program.table_parameters, *program.activations)]
    rows = ", ".join(printer.source(e) for e in grid.columns)
    variables = ", ".join(names[b] for b in grid.bound) + "," * (len(grid.bound) == 1)
    constants = [f"{own}_KINKS = {_kinks(grid)}\n{own}_SYMMETRIES = {symmetries(program, grid)}"]
    means, error = [], "0.0"
    inner = ", is_inner=True" * grid.is_inner
    made = f"product_tables(levels, {own}_KINKS, {own}_SYMMETRIES, {grid.is_shifted}{inner})"
    flat = flat_conditions(program, grid)
    if grid.is_angle:
        constants, made = [], "angle_tables(levels)"
    elif grid.preparation or flat:
        function = f"lambda {variables.strip(',')}: [{_values(grid, names, printer)}]"
        if not all(step.is_value for step in grid.preparation):
            means, function, error = _mean_columns(program, grid, names), "columns", "max(errors)"
        made = (f"valued_tables(levels, {own}_KINKS, {own}_SYMMETRIES, {grid.is_shifted}, {_flat(grid, flat, printer)},"
                f"\n                         [{', '.join(_features(grid, names, printer))}],"
                f"\n                         {function})")
        variables = ", ".join(names[s] for s in (base_columns(grid) if means else (
            *grid.bound, *(s.outputs[0] for s in grid.preparation))))
        variables += "," * ("," not in variables)
    every, each = "made", f"({variables}), weights"
    if is_placed(program, grid):
        rows += f", *panel_rows(level, weights.size, {own}_KINKS[0])"
        every, each = "zip(made, levels)", f"({each}), level"
    return "\n\n\n".join([
        *constants,
        "\n".join([
            f"def {own}_rule({', '.join(['levels', *arguments])}):",
            f'    """Tables and weights of the average over {variables.strip(",")}, one pair for each '
            "level.",
            "", f"    Rows of a table: {docstring(', '.join(map(str, grid.columns)))}.", '    """',
            *means, f"    made = {made}",
            f"    return [(stack_rows({rows}), weights) for {each} in {every}], {error}"])])


def _mean_columns(program, grid, names):
    """Return lines of a function that gives columns at nodes of several variables, with means of activations."""
    known, own = set(program.table_parameters), base_columns(grid)
    lines = prepare(grid.preparation, names, known, set(grid.bound), [None] * len(grid.preparation))
    return ["    errors = []", "", f"    def columns({', '.join(names[b] for b in grid.bound)}):",
            "        pairs, error = None, 0.0", *indent("\n".join(lines), "    ").split("\n"),
            "        errors.append(error)",
            f"        return [{', '.join(names[s] for s in own[len(grid.bound):])}]", ""]


def _flat(grid, flat, printer):
    conditions = [f"{printer.source(flat[b])} == 0.0" if b in flat else "False" for b in grid.bound]
    return f"({', '.join(conditions)}{',' * (len(conditions) == 1)})"


def _features(grid, names, printer):
    """Return places of kinks of activations at the node: the place of the variable, offset, slope, kinks."""
    found = {}
    for step in grid.preparation:
        if not step.is_value:
            continue
        (b, *others) = [b for b in grid.bound if b in step.offset.free_symbols]
        if not others:              # kinks that move with another variable are not followed
            centre, slope = step.offset.subs(b, 0), step.offset.diff(b)
            found[f"({grid.bound.index(b)}, {printer.source(centre)}, {printer.source(slope)}, "
                  f"{source_of(step, names)}.kinks_float)"] = None
    return list(found)


def _values(grid, names, printer):
    return ", ".join(f"{source_of(s, names)}({printer.source(s.offset)})" for s in grid.preparation)


def _kinks(grid):
    rows = [sorted(map(float, grid.kinks.get(b, ()))) for b in grid.bound]
    return "(" + ", ".join("(" + "".join(f"{k!r}, " for k in row).strip() + ")" for row in rows) + ",)"


def levels_of(program):
    """Return the number of refinement levels of the rules of a program."""
    grids = {g.name: g for g in program.grids}
    outer = {_size(g) for g in program.grids if not g.given and not g.is_inner}
    inside = set()
    for sums in select_statements(Sums, program.statements):
        for _, expr in sums.locals:
            for inner in expr.atoms(InnerSum):
                parts = [_size(g) for g in (sums.grid, grids[inner.grid]) if not g.given]
                inside.add((*map(sum, zip((0, 0, 0), *parts)), _size(grids[inner.grid])[0]))
    return product_levels(sorted(outer), sorted(inside))


def _size(grid):
    if grid.is_angle:
        return 0, 0, 1
    if not grid.is_product:
        return len(grid.bound), 0, 0
    # an activation at a node may have kinks
    moved = {b for step in grid.preparation if step.is_value for b in step.offset.free_symbols}
    kinked = sum(1 for b in grid.bound if grid.kinks.get(b) or b in moved)
    return len(grid.bound) - kinked, kinked, 0
