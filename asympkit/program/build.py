"""From a system with its blocks to a program."""

from sympy import Abs, Add, Integer, Mul, log

from ..nodes import Applied, Average
from .directions import find_directions
from .lowering import Phase, Workshop
from .magnitude import magnitude
from .names import Names
from .statements import Linear, Newton, Program


def build(system, parameters, directions=None):
    """Lower a system to a program.

    Parameters
    ----------
    system : asympkit.equations.System
    parameters : sequence of Symbol
        All parameters of the theory.
    directions : list, optional
        Of :func:`find_directions`, where they are those of another system over the same averages.

    Returns
    -------
    Program
    """
    parameters = tuple(parameters)
    given = _given_arrays(system)
    names = Names((*parameters, *system.unknowns, *given))
    names.reserve(a.label for e in (*system.equations, *system.observables.values()) for a in e.atoms(Applied))
    tables = _table_parameters(system, parameters)
    shop = Workshop(names, tables)
    statements, residuals, sizes = [], [], {}
    phase = Phase(shop)
    for block in system.blocks:
        if block.kind == "nonlinear":
            statements += phase.statements()
            statements.append(_newton(block, shop))
            phase = Phase(shop)
            residuals += _check_nonlinear(block, phase)
        elif block.kind == "linear":
            residuals.append(_linear(block, phase))
        else:
            for u, f in block.assignments:
                phase.add(u, f, f"{u} = {f}")
                sizes[u] = phase.add_new(f"size_{u}", magnitude(f, sizes))
    observables = {name: phase.add(names.fresh(name), e, f"{name} = {e}")
                   for name, e in system.observables.items()}
    residual = phase.maximum("residual", residuals)
    statements += phase.statements()
    for outer, inner, unknown in find_directions(system) if directions is None else directions:
        builder = shop.builder(outer.measure)
        builder.add_direction(builder.local(inner, outer.measure), unknown)
    grids = []
    for builder in shop.builders.values():
        builder.grid.preparation = builder.merged_preparation()
        grids.append(builder.grid)
    return Program(parameters, tables, system.unknowns, observables, residual, sizes, tuple(grids),
                   tuple(statements)), names


def total_derivative(expr, symbol, chain):
    """Derivative along assignments: ``chain[a]`` is the derivative of the assigned unknown a."""
    terms = [expr.diff(symbol)]
    terms += [expr.diff(a) * d for a, d in chain.items() if a in expr.free_symbols]
    return Add(*terms)


def _chains(block, phase, prefix="d"):
    """Forward mode along the assignments of a block, one dictionary per torn unknown."""
    chains = {}
    for t in block.torn:
        chain = chains[t] = {}
        for u, f in block.assignments:
            d = total_derivative(f, t, chain)
            if not d.is_zero:
                chain[u] = phase.add_new(f"{prefix}{u}_d{t}", d)
    return chains


def _newton(block, shop):
    phase = Phase(shop)
    for u, f in block.assignments:
        phase.add(u, f, f"{u} = {f}")
    chains = _chains(block, phase)
    targets, rows = [], []
    for u, f, is_map in block.equations:
        label = f"{u}_map" if is_map else f"{u}_equation"
        targets.append((phase.add_new(label, f, f"{u} = {f}" if is_map else f"0 = {f}"), is_map))
        row = []
        for t in block.torn:
            d = total_derivative(f, t, chains[t])
            row.append(None if d.is_zero else phase.add_new(f"d{label}_d{t}", d))
        rows.append(tuple(row))
    return Newton(block.torn, tuple(phase.statements()), tuple(targets), tuple(rows))


def _check_nonlinear(block, phase):
    """Recompute the assignments at the solution and measure the residual of every torn equation."""
    for u, f in block.assignments:
        phase.add(u, f, f"{u} = {f}")
    out = []
    for u, f, is_map in block.equations:
        if is_map and u.is_positive:
            measure = Abs(log(phase.add_new(f"{u}_check", f) / u))
        elif is_map:
            value = phase.add_new(f"{u}_check", f)
            measure = Abs(value - u) / (Abs(value) + Abs(u) + 1)
        else:
            terms = [phase.lower(t) for t in Add.make_args(f)]
            scale = Add(*[Abs(t) for t in terms]) if len(terms) > 1 else 1
            measure = Abs(Add(*terms)) / scale
        out.append(phase.add_new(f"{u}_residual", measure))
    return out


def _linear(block, phase):
    """Matrix by the chain rule, right-hand side at torn = 0, the others by linearity."""
    names = phase.shop.names
    zero = dict.fromkeys(block.torn, 0)
    chains = _chains(block, phase)
    at_zero, sizes_at_zero, large = {}, {}, {}
    for u, f in block.assignments:
        start = f.subs({**zero, **at_zero}, simultaneous=True)
        at_zero[u] = Integer(0) if start == 0 else phase.add_new(f"{u}_0", start)
        sizes_at_zero[u] = phase.add_new(f"size_{u}_0", magnitude(start, large))
        if at_zero[u] != 0:
            large[at_zero[u]] = sizes_at_zero[u]
    matrix, rhs, sizes = [], [], []
    for u, f, is_map in block.equations:
        equation = u - f if is_map else f
        row = []
        for t in block.torn:
            d = total_derivative(equation, t, chains[t])
            row.append(None if d.is_zero else phase.add_new(f"A_{u}_{t}", d))
        matrix.append(tuple(row))
        start = -equation.subs({**zero, **at_zero}, simultaneous=True)
        rhs.append(phase.add_new(f"b_{u}", start))
        sizes.append(phase.add_new(f"size_{u}", magnitude(start, large)))
    residual = names.fresh(f"{'_'.join(str(t) for t in block.torn)}_residual")
    assigned = tuple((u, sizes_at_zero[u], tuple(chains[t].get(u) for t in block.torn))
                     for u, _ in block.assignments)
    phase.add_linear(Linear(block.torn, tuple(matrix), tuple(rhs), residual, tuple(sizes), assigned))
    for u, f in block.assignments:
        phase.add(u, at_zero[u] + Add(*[Mul(chains[t][u], t) for t in block.torn if u in chains[t]]),
                  f"{u} = {f}")
    return residual


def _table_parameters(system, parameters):
    """Parameters inside the inner averages: the tables depend on them."""
    inside = set()
    for e in (*system.equations, *system.observables.values()):
        for outer in e.atoms(Average):
            for inner in outer.integrand.atoms(Average, Applied):
                inside |= inner.free_symbols
    return tuple(p for p in parameters if p in inside)


def _given_arrays(system):
    from ..spectra.eigenvalues import Eigenvalues

    found = {}
    for e in (*system.equations, *system.observables.values()):
        for a in sorted(e.atoms(Average), key=str):
            if isinstance(a.measure, Eigenvalues):
                found.update(dict.fromkeys(a.measure.bound_symbols))
    return tuple(found)
