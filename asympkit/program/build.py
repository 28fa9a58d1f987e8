"""From a system with its blocks to a program.

Three steps: equations are lowered to what solves them and to values (:func:`_lower`); the error analysis adds what
rounding leaves of these (:func:`~asympkit.program.error_analysis.with_errors`); sums are put into passes over grids
(:func:`_schedule`).  Sums of values and of their sizes share passes, so that these are written last.
"""

from dataclasses import replace
from functools import cache, partial

from sympy import Add, Integer, Mul

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
from ..spectra import SpectralLaw, kept_laws, write_by_rules
from .error_analysis import ErrorOptions, with_errors
from .links import LinearSolve, LinkWriter, NewtonSolve, is_long, is_long_newton
from .lowering import Draft, LoweringContext, Segment, differentiate_assignments, kind_of, largest, total_derivative
from .names import Names
from .passes import LONG, length, shared_parts
from .statements import Linear, Newton, Program, Scalar
from .steady import steady
from .symmetry import find_directions, mark_zeros

#: from how many unknowns on derivatives are put together from parts that have names
_SEVERAL = 5


def build(system, parameters, directions=None, for_proof=False, options=None):
    """Lower a system to a program in all parameters of the theory; returns that and its names.

    ``directions`` are those of :func:`find_directions`, where they are those of another system over the same averages.
    For proofs averages over laws that these enclose are kept; otherwise averages are written so that their kinks stand
    still.  Balls have radii: errors are analysed for numbers only.
    """
    system = system.rewritten(kept_laws if for_proof else fix_kinks)
    options = replace(options or ErrorOptions(), has_units=system.has_units, is_measured=_holds_gaussians(system),
                      has_activations=bool(_activations(system)))
    form = partial(steady, for_proof=for_proof)
    draft = _lower(system, parameters, form, mark_zeros if options.follows_averages and not for_proof else lambda e: e)
    return _schedule(draft if for_proof else with_errors(draft, options), directions), draft.context.names


def _lower(system, parameters, form, zero):
    """Return what solves the equations of a system, and has values.

    ``form`` rewrites all expressions, ``zero`` then the values: not what is differentiated.
    """
    names = Names((*parameters, *system.unknowns))
    names.activations(_activations(system))
    context = LoweringContext(names, _table_parameters(system, parameters))
    blocks = tuple(b.rewritten(form if b.kind == "nonlinear" else lambda e: zero(form(e))) for b in system.blocks)
    segment = Segment(context)
    parts, solves, linear, checks, formulas = [segment], [], [], [], {}
    for number, block in enumerate(blocks):
        if block.kind == "nonlinear":
            newton, segment = _newton(block, context, system, zero), Segment(context)
            parts += [newton, segment]
            solves.append(NewtonSolve(block, newton, segment))
            checks.append(newton.step_residual)
        elif block.kind == "linear":
            solves.append(_linear(block, segment))
            linear.append((solves[-1], number))
            checks.append(solves[-1].statement.residual)
        for u, f in block.assignments if block.kind != "linear" else ():
            segment.add(u, f, f"{u} = {f}")
        formulas |= block.assignments if block.kind == "explicit" else ()
    observables = {}
    for name, e in system.observables.items():
        observables[name] = segment.add(names.fresh(name), zero(form(e)), f"{name} = {e}")
        formulas[observables[name]] = zero(form(e))
    null_spaces = [f for s, number in linear for f in s.null_spaces(blocks[number + 1:], segment)]
    residual = names.fresh("residual")
    segment.put(Scalar(residual, largest(checks)))
    program = Program(tuple(parameters), context.table_parameters, system.unknowns, observables, residual, {}, (),
                      tuple(parts), tuple(b for b in blocks if b.kind == "nonlinear"), tuple(null_spaces),
                      checks=tuple(checks))
    return Draft(program, system, tuple(solves), formulas, context)


def _schedule(draft, directions):
    """Return the program of a draft: its sums in passes over grids, long parts that are met twice by themselves."""
    context, program, statements = draft.context, draft.program, []
    for part in program.statements:
        statements += [part] if isinstance(part, Newton) else part.statements()
    for outer, inner, unknown in find_directions(draft.system) if directions is None else directions:
        builder = context.builder(outer.measure)
        builder.add_direction(builder.local(inner, outer.measure), unknown)
    _note_kinks(draft.system, context)
    for builder in context.builders.values():
        builder.grid.preparation = builder.merged_preparation()
    if any(len(b.torn) >= _SEVERAL for b in program.blocks) or length(statements) >= LONG:
        statements = shared_parts(statements, context.names)
    return replace(program, statements=tuple(statements), grids=tuple(b.grid for b in context.builders.values()))


def _rates(block, segment, equation, label, chains):
    """Differentiate an equation by the iteration variables, zero or not.

    For several of these the derivatives by the assigned ones are named: each is part of all.
    """
    @cache
    def named(symbol):
        rate = slope(equation, symbol)
        is_short = len(block.torn) < _SEVERAL or not rate.args
        return rate if is_short else segment.add_new(f"{label}_by_{symbol}", rate)

    free = free_of(equation)
    return [Add(slope(equation, t), *[named(a) * d for a, d in chains[t].items() if a in free]) for t in block.torn]


def _newton(block, context, system, zero):
    segment = Segment(context)
    for u, f in block.assignments:
        segment.add(u, f, f"{u} = {f}")
    chains = differentiate_assignments(block, segment, block.torn)
    targets, rows, factors = [], [], []
    for u, f, is_map in block.equations:
        factors.append(None if is_map else _quotient_factor(u, f, block.unknowns))
        label = f"{u}_map" if is_map else f"{u}_equation"
        targets.append((segment.add_new(label, zero(f), f"{u} = {f}" if is_map else f"0 = {f}"), is_map))
        rates = _rates(block, segment, f, label, chains)
        rows.append(tuple(None if d.is_zero else segment.add_new(f"d{label}_d{t}", zero(d))
                          for t, d in zip(block.torn, rates)))
    moved = context.names.fresh(f"{'_'.join(str(t) for t in block.torn)}_moved")
    slopes = tuple(tuple(None if d is None and not (is_map and t == u) else context.names.fresh(f"slope_{u}_{t}")
                         for t, d in zip(block.torn, row)) for (u, _, is_map), row in zip(block.equations, rows))
    links = LinkWriter(block, segment).newton() if is_long_newton(block) else None
    return Newton(block.torn, tuple(segment.statements()), tuple(targets), tuple(rows), moved, slopes,
                  tuple(system.intervals.get(t) for t in block.torn), (), tuple(factors), _is_careful(block, factors),
                  system.has_units, links)


def _is_careful(block, factors):
    """Return whether equations have alternative forms, or are maps that may lead away from their fixed points."""
    if not all(is_map for _, _, is_map in block.equations):
        return any(c is not None for c in factors)
    try:
        prove_scalable(block, by_assumptions)
    except Refusal:
        return True
    return False


def _quotient_factor(u, equation, unknowns):
    """Return the factor c for which an equation that vanishes says ``u = u - equation/c``, or None.

    Near the root both forms have the same Newton steps. Far from it u - f(u) may turn back where f grows as fast
    as u, while the logarithm of u/f(u) goes on: as long as f grows less than in proportion to u, it increases.
    None also where c would hold averages or the ``unknowns`` of the block, or u is not known to be positive.
    """
    if not u.is_positive:
        return None
    inner = set(unknowns)
    outside = [a for a in Mul.make_args(equation) if not free_of(a) & inner]
    rest = Mul(*[a for a in Mul.make_args(equation) if free_of(a) & inner])
    slopes = [t / u for t in Add.make_args(rest) if not free_of(t / u) & inner]
    # u - a*u - ... is u = a*u + ...: a number says best what was meant
    plain = [c for c in slopes if c.is_Rational]
    factor = Mul(*outside, Add(*(plain or slopes)))
    if factor == Integer(0) or rest == u or holds(factor, (Average, Applied, Named)):
        return None
    return factor


def _linear(block, segment):
    """Build the matrix by the chain rule, the right-hand side at 0, the others by linearity."""
    torn, names = block.torn, segment.context.names
    zero = dict.fromkeys(torn, Integer(0))
    chains = differentiate_assignments(block, segment, torn)
    at_zero, starts, entries, matrix, rhs = {}, {}, [], [], []
    for u, f in block.assignments:
        starts[u] = put(f, {**zero, **at_zero})
        at_zero[u] = Integer(0) if starts[u] == 0 else segment.add_new(f"{u}_0", starts[u])
    for u, f, is_map in block.equations:
        equation = u - f if is_map else f
        entries.append([total_derivative(equation, t, chains[t]) for t in torn])
        matrix.append(tuple(None if d.is_zero else segment.add_new(f"A_{u}_{t}", d) for t, d in zip(torn, entries[-1])))
        starts[u] = -put(equation, {**zero, **at_zero})
        rhs.append(segment.add_new(f"b_{u}", starts[u]))
    links = LinkWriter(block, segment).linear() if is_long(block) else None
    statement = Linear(torn, tuple(matrix), tuple(rhs), names.fresh(f"{'_'.join(map(str, torn))}_residual"),
                       links=links)
    segment.put(statement)
    for u, f in block.assignments:
        segment.add(u, at_zero[u] + Add(*[Mul(chains[t][u], t) for t in torn if u in chains[t]]), f"{u} = {f}")
    return LinearSolve(block, statement, segment, entries, chains, starts, at_zero)


def _holds_gaussians(system):
    return any(isinstance(a, Average) and isinstance(a.measure, Gaussian)
               for e in (*system.equations, *system.observables.values()) for a in distinct(e))


def _note_kinks(system, context):
    """Tell grids where integrands have kinks; sizes of terms, which have some of their own, need not be resolved."""
    def note(expr, is_inner):
        for average in averages(expr):
            kept = context.builders.get((kind_of(average.measure), is_inner))
            if isinstance(average.measure, Gaussian) and kept is not None:
                kept.note_kinks(kept.local(remove_names(average.integrand), average.measure))
            if isinstance(average.measure, SpectralLaw):
                note(write_by_rules(average), is_inner)
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


def _activations(system):
    """Return the labels of the unspecified functions in a system, sorted."""
    return sorted({a.label for e in (*system.equations, *system.observables.values()) for a in _applied(e)})


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
