"""The tangent of a system: the same system with the derivative of every unknown as one more unknown."""

from sympy import Abs, Symbol

from ..equations.blocks import EXPLICIT, LINEAR, Block
from ..equations.system import System
from ..nodes import distinct
from ..nodes.jumps import between_jumps
from ..program.magnitude import magnitude
from ..program.steady import steady
from .directional import directional


def tangent_system(system, direction):
    """Differentiate a system along a direction in its parameters.

    An explicit block has an explicit tangent; linear and non-linear blocks have linear ones, with the
    block's Jacobian for matrix.  The result is a system like any other: it is lowered, printed, solved in
    double precision or multiprecision as the original.

    Parameters
    ----------
    system : System
    direction : dict of Symbol to Expr
        The parameters that move, and how fast.

    Returns
    -------
    System
        Unknowns ``u`` and ``d<u>``; observables ``o``, then ``d<o>`` and ``size_d<o>``, its magnitude before
        cancellation, with underscores until no other quantity has the name: :func:`rate_names` finds them by place.
    """
    system = system.rewritten(steady)           # derivatives of stable forms are stable; others may cancel far out
    # bound symbols too: an average would take a rate of such a name for its variable
    taken = {s.name for e in (*system.equations, *system.observables.values()) for s in distinct(e)
             if isinstance(s, Symbol)}
    taken |= {u.name for u in system.unknowns} | set(system.observables) | {s.name for s in direction}
    taken |= {"residual", "iterations"}
    rates = {u: Symbol(fresh(f"d{u.name}", taken), real=True) for u in system.unknowns}
    along = directional({**direction, **rates})

    def derive(expr):
        return between_jumps(along(expr))

    blocks = []
    for b in system.blocks:
        blocks.append(Block(EXPLICIT if b.kind == EXPLICIT else LINEAR,
                            tuple(rates[u] for u in b.unknowns), tuple(rates[u] for u in b.torn),
                            tuple((rates[u], derive(f)) for u, f in b.assignments),
                            tuple((rates[u], derive(f), is_map) for u, f, is_map in b.equations)))
    equations = [rates[u] - derive(f) if is_map else derive(f)
                 for b in system.blocks for u, f, is_map in (*b.equations, *((u, f, True) for u, f in b.assignments))]
    observables = dict(system.observables)
    for name, e in system.observables.items():
        rate = derive(e)
        observables[fresh(f"d{name}", taken)] = rate
        observables[fresh(f"size_d{name}", taken)] = magnitude(rate) if rate != 0 else Abs(rate)
    out = System((*system.unknowns, *rates.values()), (*system.equations, *equations), observables,
                 system._functions, system.intervals, blocks=(*system.blocks, *blocks))
    out.is_free_by_convention, out.has_units = system.is_free_by_convention, system.has_units
    out.rates = {u.name: r.name for u, r in rates.items()}
    return out


def rate_names(plain, tangent):
    """Give the names of the derivatives, ``{quantity: rate}``, and of their sizes, ``{rate: (size, observable)}``.

    Parameters
    ----------
    plain, tangent : module
        Generated modules of a system and of its tangent system.
    """
    n, count = len(plain.UNKNOWNS), len(plain.OBSERVABLES)
    more = tangent.OBSERVABLES[count:]
    rates = dict(zip((*plain.UNKNOWNS, *plain.OBSERVABLES), (*tangent.UNKNOWNS[n:2 * n], *more[::2])))
    return rates, {rates[o]: (size, o) for size, o in zip(more[1::2], plain.OBSERVABLES)}


def fresh(name, taken):
    """Append underscores to a name until it is not taken."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def tangent_program(system, parameters, direction):
    """The tangent of a system lowered to a program, with its names.

    Derivatives that are symbols become parameters of the program, after the others.
    """
    from ..gauss.straight import straightened
    from ..program import build
    from ..program.directions import find_directions

    rates = tuple(s for s in direction.values() if isinstance(s, Symbol))
    system = system.rewritten(straightened)
    tangent = tangent_system(system, direction)
    more = list(tangent.observables)[len(system.observables):]
    return build(tangent, (*parameters, *rates), find_directions(system), rates={*tangent.rates.values(), *more[::2]},
                 sizes={*more[1::2]})
