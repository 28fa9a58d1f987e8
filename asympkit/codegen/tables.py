"""Print how the table of a grid is made: features, base columns, products."""

from ..program.statements import Means
from ..program.symmetry import base_columns
from .expressions import ExpressionPrinter
from .mirrors import mirror_signs


def write_table(program, grid, names):
    """Source of ``<grid>_rule(levels, ...)`` returning a (table, weights) for each level, and the error of all."""
    printer = ExpressionPrinter(names, batch=True)
    activations = list(program.activations)
    arguments = [names[s] for s in program.table_parameters] + activations
    base = base_columns(grid)
    node = names[grid.bound[0]]
    lines = [f"def {grid.name}_rule(levels, {', '.join(arguments)}):",
             f'    """Tables and weights of the average over {node}, one pair for each level, and the error of the '
             f'inner means.',
             "",
             f"    Rows of a table: {', '.join(map(str, grid.columns))}.",
             '    """',
             f"    features = {_features(grid, names, printer)}",
             "    rules = [outer_rule(level, features) for level in levels]",
             f"    {node} = np.concatenate([rule[0] for rule in rules])",
             "    error = 0.0"]
    signs = mirror_signs(grid, set(program.table_parameters))
    if any(signs):
        lines.append(f"    pairs = opposite_pairs({node})")
    mirrors = iter(signs)
    for step in grid.preparation:
        if isinstance(step, Means):
            lines += _means(step, names, printer, signs=next(mirrors))
        else:
            lines.append(f"    {names[step.symbol]} = {printer.source(step.expr)}")
    columns = ", ".join(names[s] for s in base)
    rows = ", ".join(printer.source(e) for e in grid.columns)
    lines += [f"    tables = split([{columns}], rules, {grid.name.upper()}_SYMMETRIES)",
              f"    return [(stack_rows({rows}), weights) for ({columns}{',' if len(base) == 1 else ''}), weights "
              "in tables], error"]
    return "\n".join(lines)


def write_given(program, grid, names):
    """Source of ``<grid>_rule(arrays)`` for arrays supplied by the caller."""
    printer = ExpressionPrinter(names, batch=True)
    arguments = ", ".join(names[s] for s in grid.bound)
    rows = ", ".join(printer.source(e) for e in grid.columns)
    return "\n".join([
        f"def {grid.name}_rule({arguments}):",
        f'    """Table and equal weights of given arrays: rows {", ".join(map(str, grid.columns))}."""',
        f"    table = stack_rows({rows})",
        "    return table, np.full(table.shape[-1], 1.0/table.shape[-1])"])


def _features(grid, names, printer):
    seen = {}
    for step in grid.preparation:
        if isinstance(step, Means):
            slope = step.offset.diff(grid.bound[0])
            centre = step.offset.subs(grid.bound[0], 0)
            text = (f"({printer.source(centre)}, {printer.source(slope)}, {printer.source(step.slope)}, "
                    f"{step.source}.kinks_float)")
            seen[text] = None
    return f"[{', '.join(seen)}]"


def _means(step, names, printer, offset=None, signs=None):
    """Source of one call of ``normal_means``; columns are picked row by row, scalars are not."""
    inner = {step.z, step.value}

    def decorate(symbol, name):
        if symbol in inner:
            return "z" if symbol == step.z else "s"
        return f"at({name})" if symbol in step_columns else name

    step_columns = {s for _, f in step.items for s in f.free_symbols} - inner
    functional = ExpressionPrinter(names, batch=True, decorate=decorate)
    step_columns -= set(_scalars(step, names))
    outputs = ", ".join(names[s] for s in step.outputs)
    body = ", ".join(functional.source(f) for _, f in step.items)
    return [f"    ({outputs},), change = normal_means({step.source}, {offset or printer.source(step.offset)}, "
            f"{printer.source(step.slope)}, lambda z, s, at: ({body},){f', {signs}, pairs' if signs else ''})",
            "    error = max(error, change)"]


def write_scalar_map(name, mapping, names, summary):
    """Source of a function of parameters and activations returning a tuple of floats and an error."""
    printer = ExpressionPrinter(names, batch=True)
    arguments = [names[s] for s in mapping.arguments] + list(mapping.activations)
    lines = [f"def {name}({', '.join(arguments)}):", f'    """{summary}"""', "    error = 0.0"]
    for step in mapping.preparation:
        if isinstance(step, Means):
            lines += _means(step, names, printer, offset="np.zeros(1)")
        else:
            lines.append(f"    {names[step.symbol]} = {printer.source(step.expr)}")
    outputs = ", ".join(f"float(np.ravel({printer.source(e)})[0])" for _, e in mapping.outputs)
    lines.append(f"    return {outputs}, error")
    return "\n".join(lines)


def _scalars(step, names):
    """Symbols of a functional that do not vary over the grid: those of the argument's coefficients."""
    return step.slope.free_symbols
