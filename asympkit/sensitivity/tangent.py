r"""The tangent of a system: the same system with the derivative of every unknown as one more unknown.

The derivative of an expression along a direction: averages stay averages, names stay names.

Derivatives of means of an unspecified activation by the coefficients of its argument.

With :math:`x=a+bz` the activation's value :math:`s=\sigma(x)` does not move; the variable
:math:`z=(x-a)/b` and the normal weight do:

.. math::
    \partial_a E\,F(s,z)=\tfrac1b E[zF-F_z],\qquad \partial_b E\,F(s,z)=\tfrac1b E[(z^2-1)F-zF_z],

:math:`F_z` at fixed s.  No derivative of the activation appears, so that kinks and jumps are no exception.
"""

from sympy import Abs, Add, Dummy, Integer, Mul, Poly, PolynomialError, Pow, Symbol, factorial2

from ..equations.blocks import EXPLICIT, LINEAR, Block
from ..equations.system import System
from ..gauss.measure import Gaussian
from ..gauss.reductions import fix_kinks
from ..nodes import Applied, Average, Named, distinct, free_of, put, remove_names, replaced, slope
from ..nodes.average import between_jumps
from ..program import build
from ..program.error_analysis import ErrorOptions
from ..program.rounding import magnitude
from ..program.steady import steady
from ..program.symmetry import find_directions
from ..spectra import GRIDDED, write_by_rules


def moving_arguments(average, moved):
    """List the activations of a mean with a varying symbol in their argument, if it is the same for a variable.

    For each variable z with such activations: a tuple of these, z, and a, b of their argument a + b z.
    """
    if not isinstance(average.measure, Gaussian):
        return []
    bound, found = set(average.bound_symbols), []
    for z in average.bound_symbols:
        moving = sorted((f for f in find_applied(average.integrand, z) if f.argument.free_symbols & moved), key=str)
        if len({f.argument for f in moving}) != 1:
            continue
        argument = moving[0].argument
        width = slope(argument, z)
        if argument.free_symbols & bound == {z} and z not in width.free_symbols:
            found.append((tuple(moving), z, put(argument, {z: Integer(0)}), width))
    return found


def find_applied(expr, z):
    """Return the unspecified functions of a variable, without those inside averages."""
    if isinstance(expr, Average):
        return set()
    if isinstance(expr, Applied):
        return {expr} if z in expr.free_symbols else set()
    return set().union(*(find_applied(a, z) for a in expr.args))


def outer_nodes(expr):
    """Return the outermost averages and named expressions, in a reproducible order."""
    found = {}

    def walk(e):
        if isinstance(e, Average | Named):
            found[e] = None
        else:
            for a in e.args:
                walk(a)

    walk(expr)
    return sorted(found, key=str)


def argument_derivative(average, activations, z, width, d_offset, d_width):
    """Differentiate a mean by the offset and the slope of the argument of some activations."""
    held = {a: Dummy(f"s{k}", real=True) for k, a in enumerate(activations)}
    f = average.integrand
    f_z = f.xreplace(held).diff(z).xreplace({s: a for a, s in held.items()})

    def mean(integrand):
        return without_zero(Average(integrand, average.measure))

    terms = []
    if d_offset != 0:
        terms.append((mean(z * f) - mean(f_z)) * d_offset / width)
    if d_width != 0:
        terms.append((mean((z**2 - 1) * f) - mean(z * f_z)) * d_width / width)
    return Add(*terms)


def without_zero(expr):
    """Replace the mean of an integrand that is by definition orthogonal to a polynomial by zero.

    A residual such as ``s - E s - z E[z s]`` has the mean 0 exactly; left as a sum over a grid it would be
    rounding, multiplied by its factor.
    """
    for average in (e for e in Mul.make_args(expr) if isinstance(e, Average)):
        if _vanishes(average):
            return Integer(0)
    return expr


def _opened(expr, z):
    """Replace named expressions that vary with z by their values."""
    while named := [n for n in outer_nodes(expr) if isinstance(n, Named) and z in n.free_symbols]:
        expr = expr.xreplace({n: n.expr for n in named})
    return expr


def _vanishes(average):
    """Return whether a mean linear in the activation cancels term by term once all names are expanded."""
    if len(average.bound_symbols) > 1:
        return False
    (z,) = average.bound_symbols
    integrand = _opened(average.integrand, z)
    found = sorted(find_applied(integrand, z), key=str)
    nodes = {n: Dummy(f"n{i}", real=True) for i, n in enumerate(outer_nodes(integrand))}
    if len(found) != 1 or any(z in n.free_symbols for n in nodes):
        return False
    s = Dummy("s", real=True)
    back = {d: n for n, d in nodes.items()}
    try:
        poly = Poly(integrand.xreplace(nodes).xreplace({found[0]: s}), s, z)
    except PolynomialError:
        return False
    total = []
    for (i, j), coefficient in poly.terms():
        if i > 1:
            return False
        moment = Average(z**j * found[0], average.measure) if i else (0 if j % 2 else factorial2(j - 1))
        total.append(remove_names(coefficient.xreplace(back)) * moment)
    return Add(*total).expand() == 0


class directional:
    """Differentiate expressions along ``{symbol: its derivative}``; call the object with an expression.

    Derivatives of means of unspecified activations come out as means again (see :mod:`.heat`); a spectral mean is
    closed first.  The derivative of a named expression ``V`` is named ``dV``, with a suffix where there are several
    directions, and a named function appears in derivatives by its name.
    """

    def __init__(self, direction, suffix=""):
        self.direction, self.suffix = dict(direction), suffix
        self.varied = set(direction)
        self._known = {}

    def __call__(self, expr):
        """Differentiate an expression."""
        if expr not in self._known:
            self._known[expr] = self._derive(expr) if free_of(expr) & self.varied else Integer(0)
        return self._known[expr]

    def _derive(self, expr):
        if isinstance(expr, Symbol):
            return self.direction[expr]
        if isinstance(expr, Named):
            return Named(f"d{expr.label}{self.suffix}", replaced(self(expr.expr), {expr.expr: expr}))
        if isinstance(expr, Average):
            return self._average(expr)
        return self._chain(expr, lambda part: part)

    def _average(self, average):
        if not isinstance(average.measure, GRIDDED):
            if not average.measure.free_symbols & self.varied and not _is_squared(average):
                return Average(self(average.integrand), average.measure)
            return self(write_by_rules(average))
        moving = moving_arguments(average, self.varied)
        if not moving:
            return Average(self(average.integrand), average.measure)
        by_argument = Add(*(argument_derivative(average, activations, z, width, self(offset), self(width))
                            for activations, z, offset, width in moving))
        every = [a for activations, *_ in moving for a in activations]
        back = {Dummy(f"s{k}", real=True): a for k, a in enumerate(every)}
        held = average.integrand.xreplace({a: s for s, a in back.items()})

        def mean(part):
            return without_zero(Average(part.xreplace(back), average.measure))

        return by_argument + (self._chain(held, mean) if held.free_symbols & self.varied else 0)

    def _chain(self, expr, wrap):
        """Apply the chain rule over the symbols and the nodes of an expression; each partial derivative is wrapped."""
        nodes = {n: Dummy(f"n{i}", real=True, positive=n.is_positive) for i, n in enumerate(outer_nodes(expr))}
        flat = expr.xreplace(nodes)
        back = {d: n for n, d in nodes.items()}
        terms = []
        for inner in sorted(flat.free_symbols & (self.varied | set(back)), key=str):
            rate = self(back[inner]) if inner in back else self.direction[inner]
            if rate != 0:
                terms.append(wrap(slope(flat, inner).xreplace(back)) * rate)
        return Add(*terms)


def _is_squared(average):
    """Return whether a denominator in the eigenvalue is squared: derivatives of simple ones have a short closed form.
    """
    bound = set(average.bound_symbols)
    return any(p.exp != -1 for p in average.integrand.atoms(Pow) if p.free_symbols & bound and p.exp.is_negative)


def tangent_system(system, direction):
    """Differentiate a system along a direction in its parameters, ``{symbol: how fast it moves}``.

    An explicit block has an explicit tangent; linear and non-linear blocks have linear ones, with the block's Jacobian
    for matrix.  The result is a system like any other: it is lowered, printed, solved in double precision or
    multiprecision as the original.

    Its unknowns are ``u`` and ``d<u>``, its observables ``o``, then ``d<o>`` and ``size_d<o>``, its magnitude before
    cancellation, with underscores until no other quantity has the name: :func:`rate_names` finds them by place.
    """
    system = system.rewritten(steady)           # derivatives of stable forms are stable; others may cancel far out
    # bound symbols too: an average would take a rate of such a name for its variable
    taken = {s.name for e in (*system.equations, *system.observables.values()) for s in distinct(e)
             if isinstance(s, Symbol)}
    taken |= {u.name for u in system.unknowns} | set(system.observables) | {s.name for s in direction}
    taken |= {"residual", "iterations"}
    rates = {u: Symbol(make_free_name(f"d{u.name}", taken), real=True) for u in system.unknowns}
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
        observables[make_free_name(f"d{name}", taken)] = rate
        observables[make_free_name(f"size_d{name}", taken)] = magnitude(rate) if rate != 0 else Abs(rate)
    out = System((*system.unknowns, *rates.values()), (*system.equations, *equations), observables,
                 system._functions, system.intervals, blocks=(*system.blocks, *blocks))
    out.has_units = system.has_units
    out.derivatives = {u.name: r.name for u, r in rates.items()}
    return out


def rate_names(plain, tangent):
    """Give the names of the derivatives, ``{quantity: rate}``, and of their sizes, ``{rate: (size, observable)}``.

    They come from the generated modules of a system and of its tangent system.
    """
    n, count = len(plain.UNKNOWNS), len(plain.OBSERVABLES)
    more = tangent.OBSERVABLES[count:]
    rates = dict(zip((*plain.UNKNOWNS, *plain.OBSERVABLES), (*tangent.UNKNOWNS[n:2 * n], *more[::2])))
    return rates, {rates[o]: (size, o) for size, o in zip(more[1::2], plain.OBSERVABLES)}


def make_free_name(name, taken):
    """Append underscores to a name until it is not taken."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def tangent_program(system, parameters, direction):
    """Return the tangent of a system lowered to a program, with its names.

    Derivatives that are symbols become parameters of the program, after the others.
    """
    rates = tuple(s for s in direction.values() if isinstance(s, Symbol))
    system = system.rewritten(fix_kinks)
    tangent = tangent_system(system, direction)
    more = list(tangent.observables)[len(system.observables):]
    return build(tangent, (*parameters, *rates), find_directions(system),
                 options=ErrorOptions(frozenset((*tangent.derivatives.values(), *more[::2])), frozenset(more[1::2])))
