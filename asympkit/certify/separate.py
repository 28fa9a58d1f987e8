"""Split the sums of a program into those enclosed by themselves and those with the conditional means of their grid."""

from dataclasses import replace

from ..program.statements import Grid, Means, Newton, Sums
from .refusal import refusal

__all__ = ["expanded", "separated"]


def separated(statements):
    """Give the sums that need no conditional mean a grid of their own, where their grid also serves others.

    Parameters
    ----------
    statements : sequence
        Of a program.

    Returns
    -------
    statements : tuple
    grids : list of Grid
        Under new names: copies without conditional means, and copies without values at the node.

    Raises
    ------
    ProofError
        For a sum that takes values of functions at the node and conditional means together.
    """
    twins, out = {}, []
    _separate(statements, out, twins)
    return tuple(out), list(twins.values())


def expanded(statement, integrand, functions=None, numbers=None):
    """Put locals, columns and expressions of values at the node back into an integrand.

    Parameters
    ----------
    statement : Sums
    integrand : Expr
    functions : dict, optional
        ``{label: Activation}`` to evaluate at the node: without it their values stay symbols.
    numbers : dict of Symbol to Rational, optional
        Parameters to put into the arguments of functions that switch, which makes the places numbers.
    """
    inside = {}
    for symbol, expr in statement.locals:
        inside[symbol] = expr.xreplace(inside)
    full = integrand.xreplace(inside).xreplace({symbol: e for e, symbol in statement.grid.columns.items()})
    return full.xreplace(_made(statement.grid, functions, numbers or {}))


def _made(grid, functions, numbers):
    """Return the definitions that a grid's preparation makes without conditional means, in its variables."""
    made = {}
    for step in grid.preparation:
        if not isinstance(step, Means):
            made[step.symbol] = step.expr.xreplace(made)
        elif step.is_value and functions is not None:
            (symbol,), f = step.outputs, step.activation(functions)
            offset = step.offset.xreplace(numbers) if f.kinks else step.offset
            made[symbol] = f.expr.xreplace({f.symbol: offset})
    return made


def _separate(statements, out, twins):
    for s in statements:
        if isinstance(s, Newton):
            body = []
            _separate(s.body, body, twins)
            out.append(replace(s, body=tuple(body)))
        elif isinstance(s, Sums) and s.grid.preparation and not s.grid.given:
            out += _parts(s, twins)
        else:
            out.append(s)


def _parts(statement, twins):
    """Split the sums of a statement into those enclosed directly, and those that hold conditional means."""
    values, means = _outputs(statement.grid)
    plain, rest = [], []
    known = _reads(statement)
    for row in statement.sums:
        read = set().union(*(known.get(s, {s}) for s in row[1].free_symbols))
        if read & means and read & values:
            raise _mixed(statement.grid, row, read)
        (rest if read & means else plain).append(row)
    out = []
    if plain:
        out.append(_part(statement, plain, _twin(statement.grid, "alone", means, twins)))
    if rest:
        out.append(_part(statement, rest, _twin(statement.grid, "means", values, twins) if values else statement.grid))
    return out


def _reads(statement):
    """Return the symbols that locals, columns and steps without conditional means read, ``{symbol: set of Symbol}``."""
    known = {}
    rows = [*((s.symbol, s.expr) for s in statement.grid.preparation if not isinstance(s, Means)),
            *((symbol, e) for e, symbol in statement.grid.columns.items()), *statement.locals]
    for symbol, expr in rows:
        known[symbol] = set().union(*(known.get(s, {s}) for s in expr.free_symbols if s != symbol or s in known)) or {
            symbol}
    return known


def _outputs(grid):
    """Return the values at the node that a grid prepares, and the conditional means."""
    steps = [step for step in grid.preparation if isinstance(step, Means)]
    return ({s for step in steps if step.is_value for s in step.outputs},
            {s for step in steps if not step.is_value for s in step.outputs})


def _twin(grid, name, unwanted, twins):
    """Return a copy of a grid without some steps of its preparation and their dependents; one for each name."""
    name = f"{grid.name} {name}"
    if name not in twins:
        lost, steps = set(), []
        for step in grid.preparation:
            if unwanted & {*step.outputs} or not isinstance(step, Means) and step.expr.free_symbols & lost:
                lost |= {*step.outputs}
            else:
                steps.append(step)
        columns = {e: symbol for e, symbol in grid.columns.items() if not e.free_symbols & lost}
        twins[name] = Grid(name, grid.bound, False, steps, columns)
    return twins[name]


def _mixed(grid, row, read):
    """Return the error for a sum that holds a value at the node and a conditional mean."""
    (value, *_), (mean, *_) = ([s for s in grid.preparation if isinstance(s, Means) and s.is_value is kind
                                and read & {*s.outputs}] for kind in (True, False))
    at = mean.offset + mean.slope * mean.z
    return refusal(f"certify: the average {row[2] or row[1]} takes {value.label}({value.offset}) at its node and holds "
                   f"a conditional mean of {mean.label}({at}); only one of the two is enclosed: put particular "
                   "functions in place of the theory's (asympkit.nodes.bind), or call precise() for digits without a "
                   "proof")


def _part(statement, rows, grid):
    """Return some sums of a statement, with the locals that they read."""
    read = set().union(*(integrand.free_symbols for _, integrand, _ in rows))
    kept = []
    for symbol, expr in reversed(statement.locals):
        if symbol in read:
            kept.append((symbol, expr))
            read |= expr.free_symbols
    return replace(statement, grid=grid, locals=tuple(kept[::-1]), sums=tuple(rows))
