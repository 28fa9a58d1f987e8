"""Print how the table of a grid is made: features, base columns, products."""

from ..program.statements import Means
from ..program.symmetry import base_columns
from .expressions import ExpressionPrinter
from .mirrors import mirror_signs


def write_table(program, grid, names):
    """Source of ``<grid>_rule(level, ...)`` returning (table, weights, error)."""
    printer = ExpressionPrinter(names, batch=True)
    activations = list(program.activations)
    arguments = [names[s] for s in program.table_parameters] + activations
    base = base_columns(grid)
    node = names[grid.bound[0]]
    lines = [f"def {grid.name}_rule(level, {', '.join(arguments)}):",
             f'    """Table and weights of the average over {node}: rows {", ".join(map(str, grid.columns))}."""',
             f"    features = {_features(grid, names, printer)}",
             f"    {node}, weights, symmetric = outer_rule(level, features)",
             "    error = 0.0"]
    mirrors = iter(mirror_signs(grid, set(program.table_parameters)))
    for step in grid.preparation:
        if isinstance(step, Means):
            lines += _means(step, names, printer, signs=next(mirrors))
        else:
            lines.append(f"    {names[step.symbol]} = {printer.source(step.expr)}")
    columns = ", ".join(f"{names[s]} + 0.0*{node}" for s in base)
    lines += [f"    base = [{columns}]",
              "    if symmetric:",
              f"        base, weights = fold(base, weights, {grid.name.upper()}_SYMMETRIES)",
              f"    {', '.join(names[s] for s in base)}{',' if len(base) == 1 else ''} = base"]
    rows = ", ".join(printer.source(e) for e in grid.columns)
    lines.append(f"    table = np.stack(np.broadcast_arrays({rows}))")
    lines.append("    return np.ascontiguousarray(table), weights, error")
    return "\n".join(lines)


def write_given(program, grid, names):
    """Source of ``<grid>_rule(arrays)`` for arrays supplied by the caller."""
    printer = ExpressionPrinter(names, batch=True)
    arguments = ", ".join(names[s] for s in grid.bound)
    rows = ", ".join(printer.source(e) for e in grid.columns)
    return "\n".join([
        f"def {grid.name}_rule({arguments}):",
        f'    """Table and equal weights of given arrays: rows {", ".join(map(str, grid.columns))}."""',
        f"    table = np.stack(np.broadcast_arrays({rows}))",
        "    return np.ascontiguousarray(table, dtype=float), "
        "np.full(table.shape[-1], 1.0/table.shape[-1]), 0.0"])


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
            f"{printer.source(step.slope)}, lambda z, s, at: ({body},){f', {signs}' if signs else ''})",
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
