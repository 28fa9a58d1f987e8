"""From a system with its blocks to a program."""

from dataclasses import replace
from functools import partial

from sympy import Abs, Add, And, Float, Integer, Le, Max, Min, Mul, Ne, Or, Piecewise, log

from ..equations.scalable import Refusal, by_assumptions, prove_scalable
from ..gauss.measure import Gaussian
from ..gauss.reductions import fix_kinks
from ..nodes import (
    Applied,
    Average,
    Composite,
    Named,
    Tabled,
    averages,
    distinct,
    free_of,
    holds,
    put,
    remove_names,
    slope,
)
from ..spectra import kept_laws
from ..tolerances import AMPLIFIED, LEAST_SIZE
from .directions import find_directions
from .links import LinearBlock, LinkWriter, is_long, is_long_newton
from .lowering import LoweringContext, Segment, kind_of
from .names import Names
from .passes import check_matrix, merge_equal, name_common, put_symbols, quotient_factor, shared_parts
from .rounding import Errors, check_outputs, find_limited
from .rounding import size as absolute
from .statements import LARGEST_ERROR, ROUNDING, Linear, Newton, Program
from .steady import steady
from .symmetry import mark_zeros

#: from how many unknowns on derivatives are put together from parts that have names
_SEVERAL = 5
#: what is left of an equation whose terms all vanish, in floats: no root where its derivatives vanish too, but at 0
_VANISHED = Float(1e-305)
#: size of an unknown that is a root at 0, approached step by step
_ZERO = Float(1e-150)
#: residual of an equation that holds to a few roundings of its terms
_HOLDS = Float(1e-15)
#: what underflows is not exactly 0
_LEAST = Float(1e-100)
#: error from which on a solution of the equations is no root, and errors within which an unknown is 0
_NOISE, _SOME = Float(0.1), 10


def build(system, parameters, directions=None, for_proof=False, rates=(), sizes=(), deep=False):
    """Lower a system to a program.

    Parameters
    ----------
    system : asympkit.equations.System
    parameters : sequence of Symbol
        All parameters of the theory.
    directions : list, optional
        Of :func:`find_directions`, where they are those of another system over the same averages.
    for_proof : bool
        Whether averages over laws that proofs enclose are kept; otherwise averages are written so that their kinks
        stand still.
    rates : sequence of str
        Unknowns and observables that are derivatives: where one of them loses its digits, the others are no less a
        solution.
    sizes : sequence of str
        Observables that are sums of absolute values: they lose no digits.
    deep : bool
        Whether errors of denominators and of arguments of functions count in linear equations and in maps too.

    Returns
    -------
    Program
    """
    system = system.rewritten(kept_laws if for_proof else fix_kinks)
    parameters = tuple(parameters)
    names = Names((*parameters, *system.unknowns))
    activations = {a.label for e in (*system.equations, *system.observables.values()) for a in _applied(e)}
    names.activations(sorted(activations))
    tables = _table_parameters(system, parameters)
    shop = LoweringContext(names, tables)
    statements, residuals, is_measured, formulas = [], [], _holds_gaussians(system), {}
    linear, inside, uncertain, inaccurate = {}, {}, [], []
    is_judged = not (rates or system.has_units)         # derivatives are judged by what they are taken of
    has_sizes = is_judged and is_measured and not activations       # those of averages of averages are too expensive
    zero = mark_zeros if has_sizes and not for_proof else (lambda e: e)
    phase = Segment(shop)
    form = partial(steady, for_proof=for_proof)
    blocks = tuple(b.rewritten(form if b.kind == "nonlinear" else lambda e: zero(form(e))) for b in system.blocks)
    for number, block in enumerate(blocks):
        if block.kind == "nonlinear":
            statements += phase.statements()
            newton = _newton(block, shop, system.intervals, system.has_units, zero)
            phase = Segment(shop)
            sizes_here, found, large = _check_nonlinear(block, phase, system.has_units, deep)
            moved = _write_step_residual(newton, found, phase, system.has_units)
            found, rough, error_here = _check_rounding(block, phase, newton.slopes, sizes_here, found, system.has_units)
            inaccurate += rough
            inside |= large
            uncertain += [error_here] * (error_here is not None)
            statements.append(replace(newton, sizes=sizes_here))
            residuals += [moved, *found]
        elif block.kind == "linear":
            found, linear[number] = _linear(block, phase, is_measured, is_judged, not has_sizes, deep)
            residuals += found
        else:
            for u, f in block.assignments:
                formulas[phase.add(u, f, f"{u} = {f}")] = f
    observables = {name: phase.add(names.fresh(name), zero(form(e)), f"{name} = {e}")
                   for name, e in system.observables.items()}
    names_of = {s: name for name, s in observables.items()}
    formulas |= {observables[name]: zero(form(e)) for name, e in system.observables.items() if name not in sizes}
    lost, errors = check_outputs(formulas, Errors(phase, exact={*parameters}, as_numbers=True), phase)
    of_blocks = {u: e for one in linear.values() for u, e in one.errors.items()}
    # tables of activations hold zeros by symmetry, to their rounding
    at_zero = dict.fromkeys([*of_blocks, *(errors if activations else ())], _SOME)
    limited = find_limited(of_blocks | errors, uncertain, phase, at_zero) if is_judged and not has_sizes else None
    inaccurate += [found for s, found in lost.items() if names_of.get(s, s.name) not in rates]
    shown = {s: f for s, f in formulas.items() if names_of.get(s, s.name) not in rates}
    errors = {s: e for s, e in errors.items() if s in shown}
    if any(holds(f, (Average,)) for f in shown.values()):
        of = Errors(phase, exact={*parameters}).add_output
        errors = {s: e for s, e in ((s, of(s, f)) for s, f in shown.items()) if e is not None}
    errors = {u: e for u, e in inside.items() if u.name not in rates} | errors
    limited = find_limited(of_blocks | errors, uncertain, phase, {}) if has_sizes else limited
    null_spaces, implied = [], {one.solved: tuple(one.singular) for one in linear.values() if one.solved}
    for number, one in linear.items():
        mine = one.null_spaces(blocks[number + 1:], phase)
        null_spaces += mine
        found = one.residual(mine, phase)
        residuals += [] if found is None else [found]
        if found is not None and one.solved:
            implied[one.solved] += (found,)
    residual = phase.maximum("residual", residuals)
    if inaccurate:                      # of what is no root nothing else is asked
        digits = phase.add_new("inaccurate", Max(*inaccurate, evaluate=False))
        digits = phase.add_new("few_digits", Piecewise((digits, residual <= LARGEST_ERROR), (0, True)))
        residual = phase.maximum("residual", [residual, digits])
    statements += phase.statements()
    share = shared_parts if any(len(b.torn) >= _SEVERAL for b in blocks if b.kind == "nonlinear") else name_common
    for outer, inner, unknown in find_directions(system) if directions is None else directions:
        builder = shop.builder(outer.measure)
        builder.add_direction(builder.local(inner, outer.measure), unknown)
    grids = []
    _note_kinks(system, shop)
    for builder in shop.builders.values():
        builder.grid.preparation = builder.merged_preparation()
        grids.append(builder.grid)
    statements, place = merge_equal(statements, {*system.unknowns, *observables.values(), residual, limited})
    lost = {s: found for s, found in lost.items() if found not in inaccurate}
    return Program(parameters, tables, system.unknowns, observables, residual, put_symbols(errors, place), tuple(grids),
                   share(statements, names), tuple(b for b in system.blocks if b.kind == "nonlinear"),
                   *(put_symbols(part, place) for part in (
                       tuple(null_spaces), lost, implied, (*residuals, *inaccurate))), limited), names


def total_derivative(expr, symbol, chain):
    """Differentiate along assignments: ``chain[a]`` is the derivative of the assigned unknown a."""
    terms = [slope(expr, symbol)]
    terms += [slope(expr, a) * d for a, d in chain.items() if a in free_of(expr)]
    return Add(*terms)


def _chains(block, phase, torn):
    """Differentiate along the assignments of a block, one dictionary per iteration variable."""
    chains = {}
    for t in torn:
        chain = chains[t] = {}
        for u, f in block.assignments:
            d = total_derivative(f, t, chain)
            if not d.is_zero:
                chain[u] = phase.add_new(f"d{u}_d{t}", d)
    return chains


def _rates(block, phase, equation, label, chains):
    """Differentiate an equation by the iteration variables, zero or not.

    For several of these the derivatives by the assigned ones are named: each is part of all.
    """
    known = {}

    def named(symbol):
        if symbol not in known:
            rate = slope(equation, symbol)
            is_short = len(block.torn) < _SEVERAL or not rate.args
            known[symbol] = rate if is_short else phase.add_new(f"{label}_by_{symbol}", rate)
        return known[symbol]

    return [Add(slope(equation, t), *[named(a) * d for a, d in chains[t].items() if a in free_of(equation)])
            for t in block.torn]


def _newton(block, shop, intervals, has_units, zero):
    phase = Segment(shop)
    for u, f in block.assignments:
        phase.add(u, f, f"{u} = {f}")
    chains = _chains(block, phase, block.torn)
    targets, rows, factors = [], [], []
    for u, f, is_map in block.equations:
        factors.append(None if is_map else quotient_factor(u, f, block.unknowns))
        label = f"{u}_map" if is_map else f"{u}_equation"
        targets.append((phase.add_new(label, zero(f), f"{u} = {f}" if is_map else f"0 = {f}"), is_map))
        rates = _rates(block, phase, f, label, chains)
        rows.append(tuple(None if d.is_zero else phase.add_new(f"d{label}_d{t}", d) for t, d in zip(block.torn, rates)))
    moved = shop.names.fresh(f"{'_'.join(str(t) for t in block.torn)}_moved")
    slopes = tuple(tuple(None if d is None and not (is_map and t == u) else shop.names.fresh(f"slope_{u}_{t}")
                         for t, d in zip(block.torn, row)) for (u, _, is_map), row in zip(block.equations, rows))
    links = LinkWriter(block, phase).newton() if is_long_newton(block) else None
    return Newton(block.torn, tuple(phase.statements()), tuple(targets), tuple(rows), moved, slopes,
                  tuple(intervals.get(t) for t in block.torn), (), tuple(factors), _is_careful(block, factors),
                  has_units, links)


def _write_step_residual(newton, found, phase, has_units):
    """Return the residual that says whether steps became small: those of unknowns that are 0 to their rounding need
    not where all equations hold to rounding."""
    if has_units or all(newton.positive):
        return newton.step_residual
    return phase.add_new("moved", Piecewise((newton.step_residual, Max(*found, evaluate=False) > _HOLDS), (0, True)))


def _is_careful(block, factors):
    """Return whether equations have alternative forms, or are maps that may lead away from their fixed points."""
    if not all(is_map for _, _, is_map in block.equations):
        return any(c is not None for c in factors)
    try:
        prove_scalable(block, by_assumptions)
    except Refusal:
        return True
    return False


def _check_nonlinear(block, phase, has_units, is_deep):
    """Recompute the assignments at the solution; sizes and residuals of the iterated equations, sizes of assignments.

    A residual is relative to the terms of its equation, whatever they are made of: a sum that is small because every
    term is small is no solution.
    """
    sizes, out = [], []
    errors = Errors(phase, deep=is_deep or not all(is_map for _, _, is_map in block.equations), least=_LEAST)
    for u, f in block.assignments:
        phase.add(u, f, f"{u} = {f}")
        errors.add(u, f, f"size_{u}")
    for u, f, is_map in block.equations:
        if is_map and u.is_positive:
            value = phase.add_new(f"{u}_check", f)
            measure = Abs(log(value / u))
            size = errors.find(f)
            sizes.append(None if size is None else phase.add_new(f"size_{u}", 1 + size / Abs(value)))
        else:
            value, size = phase.lower(u - f if is_map else f), errors.magnitude(f)
            sizes.append(phase.add_new(f"size_{u}", size + Abs(u) if is_map else size))
            measure = absolute(value) / (sizes[-1] + Float(LEAST_SIZE if has_units else 1e-300))
        out.append(phase.add_new(f"{u}_residual", measure))
    return tuple(sizes), out, errors.known


def _check_rounding(block, phase, slopes, sizes, found, has_units):
    """Add to the residuals of equations those of unknowns to which rounding leaves an error above
    :data:`LARGEST_ERROR`.

    An equation can hold to the last bit where it determines nothing: 1 - tanh(20) is 0.  The error is relative to
    the unknown itself, of one that is 0 to its error to 1, as where unknowns are of order 1 or vanish (``has_units``).
    A root at 0 has no rounding where the equation is odd: there the error is that of the slope, relative to it, so
    that a root is not called 0 where rounding decides whether there are others near it.

    Returns
    -------
    residuals : list of Symbol
    inaccurate : list of Symbol
        :data:`AMPLIFIED` where an unknown that is a root has too few digits; one of which rounding leaves none, and
        which may be 0, is none.
    error : Symbol or None
        The largest relative error of the unknowns.
    """
    rhs = []
    for k, ((u, f, is_map), size) in enumerate(zip(block.equations, sizes)):
        at_zero, own = Integer(0), slopes[k][k]
        if not (u.is_positive or has_units or own is None):
            d = total_derivative(u - f if is_map else f, u, _chains(block, phase, (u,))[u])
            terms = Add(*(Abs(a) for a in Add.make_args(d)))
            is_zero = And(Le(Abs(u), _ZERO), Ne(own, 0))
            at_zero = phase.add_new(f"slope_{u}_rounding", Piecewise((ROUNDING * terms, is_zero), (0, True)))
        rhs.append(ROUNDING * (1 if size is None else size) + (0 if is_map else _VANISHED * Min(1, Abs(u))) + at_zero)
    errors, out = _errors(block, slopes, rhs, phase)
    errors = [e if t.is_positive else phase.add_new(f"{t}_error", e) for t, e in zip(block.torn, errors)]
    # an unknown that is 0 to its error has no digits of its own
    units = [1 if t.is_positive else Max(1, Abs(t), evaluate=False) if has_units else
             phase.add_new(f"unit_{t}", Piecewise((1, Abs(t) <= _SOME * e), (Abs(t), True)))
             for t, e in zip(block.torn, errors)]
    # what is 0 to an error that is not small may be another root: 0 itself is tried
    loose = [And(Abs(t) <= _SOME * e, e > LARGEST_ERROR) for t, e in zip(block.torn, errors) if not t.is_positive]
    errors = [e / unit for e, unit in zip(errors, units)]
    if has_units:
        # beside its terms, an equation of one that may vanish has the size of its change by 1
        units = [1 if is_map else Abs(row[k]) for k, (row, (*_, is_map)) in enumerate(zip(slopes, block.equations))]
        found = [r if t.is_positive else phase.add_new(f"{t}_unmet", r * size / (size + unit + Float(1e-300)))
                 for t, r, size, unit in zip(block.torn, found, sizes, units)]
        return [*found, *out, *(phase.add_new(f"{t}_uncertain", Max(0, error - LARGEST_ERROR, evaluate=False))
                        for t, error in zip(block.torn, errors))], [], None
    error = phase.add_new(f"{'_'.join(map(str, block.torn))}_error", Max(*errors, evaluate=False))
    out.append(phase.add_new("uncertain", Piecewise((error, Or(error > _NOISE, *loose)), (0, True))))
    lost = phase.add_new("inaccurate", Piecewise((Float(AMPLIFIED), error > LARGEST_ERROR), (0, True)))
    return [*found, *out], [lost], error


def _errors(block, rows, rhs, phase):
    """Return sizes of the errors of unknowns, from those of their equations, and residuals that say whether they are
    known."""
    torn = block.torn
    if len(torn) > 2:
        names = phase.shop.names
        errors = tuple(names.fresh(f"{t}_rounding") for t in torn)
        residual = names.fresh(f"{'_'.join(map(str, torn))}_rounding_residual")
        rhs = tuple(phase.add_new("rounding", e) for e in rhs)
        links = LinkWriter(block, phase).rounding(errors, rhs) if is_long_newton(block) else None
        phase.add_linear(Linear(errors, tuple(rows), rhs, residual, links=links))
        return [Abs(e) for e in errors], [residual]
    a = [[Integer(0) if e is None else e for e in row] for row in rows]
    if len(torn) == 1:
        return [rhs[0] / (Abs(a[0][0]) + Float(1e-300))], []
    determinant = Abs(a[0][0] * a[1][1] - a[0][1] * a[1][0])
    return [(Abs(a[1][1]) * rhs[0] + Abs(a[0][1]) * rhs[1]) / (determinant + Float(1e-300)),
            (Abs(a[1][0]) * rhs[0] + Abs(a[0][0]) * rhs[1]) / (determinant + Float(1e-300))], []


def _linear(block, phase, is_measured, is_judged, as_numbers, is_deep):
    """Build the matrix by the chain rule, the right-hand side at 0, the others by linearity; return the residuals,
    and the checks of the matrix that are due at the end."""
    names = phase.shop.names
    zero = dict.fromkeys(block.torn, Integer(0))
    chains = _chains(block, phase, block.torn)
    at_zero, starts, matrix, rhs = {}, {}, [], []
    for u, f in block.assignments:
        starts[u] = put(f, {**zero, **at_zero})
        at_zero[u] = Integer(0) if starts[u] == 0 else phase.add_new(f"{u}_0", starts[u])
    one = LinearBlock(block, matrix, [], chains)
    for u, f, is_map in block.equations:
        equation = u - f if is_map else f
        one.entries.append([total_derivative(equation, t, chains[t]) for t in block.torn])
        matrix.append(tuple(None if d.is_zero else phase.add_new(f"A_{u}_{t}", d)
                            for t, d in zip(block.torn, one.entries[-1])))
        starts[u] = -put(equation, {**zero, **at_zero})
        rhs.append(phase.add_new(f"b_{u}", starts[u]))
    sizes, slopes, matrix_sizes, cancels = _linear_sizes(one, starts, at_zero, phase, is_deep)
    matrix_sizes = tuple(tuple(None if size.is_zero else phase.add_new(f"size_{u}_{t}", size)
                               for t, size in zip(block.torn, row))
                         for (u, _, _), row in zip(block.equations, matrix_sizes)) if cancels else ()
    residual = names.fresh(f"{'_'.join(str(t) for t in block.torn)}_residual")
    assigned = tuple((u, sizes[u], tuple(chains[t].get(u) for t in block.torn)) for u, _ in block.assignments)
    links = LinkWriter(block, phase).linear(is_measured) if is_long(block) else None
    phase.add_linear(Linear(block.torn, tuple(matrix), tuple(rhs), residual,
                            tuple(sizes[u] for u, _, _ in block.equations), assigned, matrix_sizes, links))
    for u, f in block.assignments:
        phase.add(u, at_zero[u] + Add(*[Mul(chains[t][u], t) for t in block.torn if u in chains[t]]),
                  f"{u} = {f}")
    # sizes of averages are averages themselves: too expensive for every point
    one.singular, one.inverses, columns = check_matrix(block.torn, matrix, () if is_measured else matrix_sizes, phase,
                                                       is_measured)
    one.solved = residual if links else None
    if is_judged:
        one.errors = _linear_errors(one, starts, at_zero, links, columns, phase, is_deep, as_numbers)
    return [residual, *one.singular], one


def _linear_sizes(one, starts, at_zero, phase, is_deep, as_numbers=False):
    """Return the sizes of the parts of linear equations; ``is_deep`` as ``deep`` of :class:`Errors`.

    Returns
    -------
    sizes : dict of Symbol to Expr
        Of the right-hand side, and of the assigned unknowns where the iteration variables are 0.
    slopes : dict of Symbol to Symbol
        Of the derivatives along the assignments that cancel.
    matrix : list of list of Expr
    cancels : bool
        Whether slopes or entries of the matrix cancel.
    """
    errors, sizes, slopes = Errors(phase, deep=is_deep, as_numbers=as_numbers), {}, {}
    for u, start in starts.items():
        sizes[u] = errors.magnitude(start)
        if u in at_zero or not as_numbers:
            sizes[u] = phase.add_new(f"size_{u}_0", sizes[u])
        if at_zero.get(u, 0) != 0:
            errors.known[at_zero[u]] = sizes[u]
    for t, chain in one.chains.items():
        for u, f in one.block.assignments:
            if u in chain and errors.add(chain[u], total_derivative(f, t, chain), f"size_{chain[u]}"):
                slopes[chain[u]] = errors.known[chain[u]]
    cancels = bool(slopes) or any(errors.find(d) is not None for row in one.entries for d in row)
    return sizes, slopes, [[errors.magnitude(d) for d in row] for row in one.entries], cancels


def _linear_errors(one, starts, at_zero, links, columns, phase, is_deep, as_numbers):
    """Return errors of the unknowns of linear equations, in units of the rounding of numbers.

    With ``as_numbers`` averages count as one number each: sizes of integrands that hold averages of activations are too
    expensive for every point.
    """
    block, names = one.block, phase.shop.names
    sizes, slopes, matrix, _ = _linear_sizes(one, starts, at_zero, phase, is_deep, as_numbers)
    rhs = [phase.add_new(f"rounding_{u}", sizes[u] + Add(*(e * Abs(t) for e, t in zip(row, block.torn))))
           for (u, _, _), row in zip(block.equations, matrix)]
    errors = {u: names.fresh(f"error_{u}") for u in starts}
    if links:
        phase.add_linear(Linear(tuple(errors[t] for t in block.torn), tuple(one.matrix), tuple(rhs),
                                names.fresh("errors_residual"), links=LinkWriter(block, phase).errors(links, errors)))
    else:
        found = [Add(*(Abs(c[i]) * e for c, e in zip(columns, rhs))) for i in range(len(rhs))] if columns else \
            _errors(block, one.matrix, rhs, phase)[0]
        for t, e in zip(block.torn, found):
            phase.add(errors[t], e)
    for u, _ in block.assignments:
        phase.add(errors[u], sizes[u] + Add(*(slopes.get(d, Abs(d)) * Abs(t) + Abs(d) * Abs(errors[t])
                                              for t, chain in one.chains.items() if (d := chain.get(u)))))
    return errors


def _holds_gaussians(system):
    return any(isinstance(a, Average) and isinstance(a.measure, Gaussian)
               for e in (*system.equations, *system.observables.values()) for a in distinct(e))


def _note_kinks(system, shop):
    """Tell grids where integrands have kinks; sizes of terms, which have some of their own, need not be resolved."""
    def note(expr, is_inner):
        for average in averages(expr):
            kept = shop.builders.get((kind_of(average.measure), is_inner))
            if isinstance(average.measure, Gaussian) and kept is not None:
                kept.note_kinks(kept.local(remove_names(average.integrand), average.measure))
            note(average.integrand, True)
        for part in distinct(expr):
            if isinstance(part, Composite):
                note(part.form, True)

    for e in (*system.equations, *system.observables.values()):
        note(e, False)


def _table_parameters(system, parameters):
    """Collect the parameters inside inner averages and named functions of activations: the tables depend on
    them."""
    inside, unknowns = set(), set(system.unknowns)
    expressions = (*system.equations, *system.observables.values())
    outside = {a for e in expressions for a in distinct(e) if isinstance(a, Average)}
    # each part once: averages of derivatives hold the same ones many times
    for part in {part for outer in outside for part in distinct(outer.integrand)}:
        if isinstance(part, Average | Applied | Tabled):
            if holds(part, (Applied, Tabled)):
                inside |= part.free_symbols
        elif isinstance(part, Named) and not part.free_symbols & unknowns and _is_value(remove_names(part)):
            inside |= part.free_symbols
    return tuple(p for p in parameters if p in inside)


def _applied(expr):
    """Return the unspecified functions in an expression."""
    for part in distinct(expr):
        if isinstance(part, Tabled):
            yield from _applied(part.expr)
        elif isinstance(part, Applied):
            yield part


def _is_value(expr):
    """Return whether an expression holds an activation outside all averages: at the node itself."""
    return isinstance(expr, Applied) or not isinstance(expr, Average) and any(map(_is_value, expr.args))
