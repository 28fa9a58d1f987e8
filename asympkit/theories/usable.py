"""Check and rewrite the expressions of a theory, so that every back end can evaluate them."""

import sympy
from sympy.core.function import Application, AppliedUndef
from sympy.core.numbers import Exp1, Float
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, BooleanAtom, Or

from ..errors import StructureError
from ..gauss.measure import Gaussian
from ..gauss.moving_kinks import with_fixed_kinks
from ..gauss.reductions import fix_kinks, over_fewer, over_one_first
from ..nodes import Applied, Average, Named, averages, distinct, free_of, holds
from ..numbers.functions import entry, is_builtin, known_names
from ..numbers.functions.elementary import REWRITTEN
from ..program.statements import InnerSum, Linear, Means, Newton, Scalar, Sums

#: largest order of Bessel and polygamma functions, as in the grammar
_LARGEST_ORDER = 200
_PLAIN = (sympy.Symbol, sympy.Rational, Float, Exp1, type(sympy.pi))
_COMPOUND = (sympy.Add, sympy.Mul, sympy.Pow, Named, Applied, Relational, And, Or, sympy.Not, BooleanAtom)


def rewrite_in_known_functions(expr, where):
    """Rewrite an expression in known functions alone; StructureError for one that some back end does not know.

    Functions such as acos and sech are written in known ones. Averages with a kink that moves with a symbol (no fixed
    quadrature rule follows it), and averages of known functions inside averages, are evaluated in closed form if one is
    known; other moving kinks are made fixed by a change of the variable.  Averages over several normals are written
    over as few as possible.
    """
    if not isinstance(expr, sympy.Expr):
        raise StructureError(f"{where}: got {expr}; expected a sympy expression for a real number")
    expr = over_fewer(_closed(replace_functions(expr, {}), False, {}))
    _check(expr, where)
    return expr


def stationarity(energy, unknowns):
    """Return the derivatives of a free energy by the unknowns, in known functions alone.

    An average with a closed form is differentiated under the integral first: terms of its closed form then drop out
    exactly, which would only nearly cancel in the derivative of the closed form.
    """
    energy = replace_functions(energy, {})
    means = {a: closed for a in averages(energy) if not (closed := _closed(a, False, {})).has(Average)}
    places = {a: sympy.Dummy(real=True) for a in means}
    values = {places[a]: closed for a, closed in means.items()}
    outer = rewrite_in_known_functions(energy.xreplace(places), "free_energy")
    weights = {a: outer.diff(place) for a, place in places.items()}
    return [sympy.Add(outer.diff(u), *(w * _closed_slope(a, means[a], u) for a, w in weights.items())).xreplace(values)
            for u in unknowns]


def _closed_slope(average, closed, symbol):
    try:
        found = _closed(average.diff(symbol), False, {})
    except StructureError:                  # it contains a jump that moves
        found = None
    return closed.diff(symbol) if found is None or found.has(Average, sympy.DiracDelta) else found


def is_kinked(expr):
    """Return whether a function in an expression switches between formulas."""
    return any(map(_is_switch, distinct(expr)))


def check_derivatives(program):
    """Raise if the equations, or the matrix of Newton's method, contain a point mass or an unknown derivative."""
    for expr in _expressions(program.statements):
        _check(expr, "equations")
    for grid in program.grids:
        for expr in (*grid.columns, *_expressions(grid.preparation)):
            _check(expr, "equations")


def _is_switch(expr):
    known = entry(_name(expr))
    return known is not None and known.is_kinked


def _name(expr):
    return type(expr).__name__ if isinstance(expr, Application) and not isinstance(expr, AppliedUndef) else None


def replace_functions(expr, known):
    """Write functions such as acos in known ones; ``known`` caches parts, because nested averages repeat them."""
    if not expr.args:
        return expr
    if expr not in known:
        args = [replace_functions(a, known) for a in expr.args]
        if _name(expr) in REWRITTEN:
            known[expr] = REWRITTEN[_name(expr)](sympy, *args)
        else:
            known[expr] = expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args)
    return known[expr]


def _closed(expr, inside, known):
    if not expr.args:
        return expr
    if (expr, inside) not in known:
        known[expr, inside] = _closed_one(expr, inside, known)
    return known[expr, inside]


def _closed_one(expr, inside, known):
    is_average = isinstance(expr, Average) and isinstance(expr.measure, Gaussian)
    if is_average and len(expr.bound_symbols) > 1 and expr.has(sympy.Piecewise):
        # its derivative would miss the point mass of a jump that moves
        still = fix_kinks(expr)
        if still != expr:
            return still
        if _moves(expr.integrand, expr) and (found := over_one_first(expr)) is not None:
            return found
    if is_average and (_moves(expr.integrand, expr)
                       or (inside or len(expr.bound_symbols) > 1) and not holds(expr, (Applied,))):
        closed = expr.doit()
        if not closed.has(Average):
            return closed
        if not inside and (fixed := with_fixed_kinks(expr)) is not None:
            return fixed
        if expr.integrand.is_Add and _moves(expr.integrand, expr):      # a change of the variable may work term by term
            return sympy.Add(*(_closed(Average(a, expr.measure), inside, known) for a in expr.integrand.args))
    args = [_closed(a, inside or is_average, known) for a in expr.args]
    return expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args)


def _moves(expr, average):
    """Return whether a kink in the variables of an average depends on other symbols."""
    own = set(average.bound_symbols)
    return any(free_of(e) & own and free_of(e) - own for e in distinct(expr) if _is_switch(e))


def _check(expr, where, averaged=False, seen=None):
    seen = set() if seen is None else seen
    if isinstance(expr, _PLAIN) or (expr, averaged) in seen:
        return
    seen.add((expr, averaged))
    if isinstance(expr, Applied) and not averaged:
        raise StructureError(f"{where}: {expr} is a value of the function {expr.label!r} of the theory outside all "
                             "averages; functions of a theory can only be evaluated at variables of averages: "
                             "substitute a particular function (asympkit.nodes.bind), or make the value a parameter")
    if isinstance(expr, Average) and isinstance(expr.measure, Gaussian) and len(expr.bound_symbols) > 1 \
            and (strange := _of_several(expr)):
        label = min(a.label for a in strange)
        names = ", ".join(b.name for b in expr.bound_symbols)
        raise StructureError(f"{where}: the function {label!r} of the theory stands under an average over {names}, "
                             "where it may be taken of one of them; its means are taken over one normal at a time: put "
                             "a particular function in its place (asympkit.nodes.bind), or write an average over one "
                             "normal inside another")
    if isinstance(expr, Average | InnerSum):
        _check(expr.integrand, where, True, seen)
        return
    name = _name(expr)
    if name == "DiracDelta":
        raise StructureError(f"{where}: there is a jump where {str(expr.args[0])[:60]} = 0, and its derivative, which "
                             "Newton's method needs, is a point mass; average over the jump (asympkit.E(...).doit()) "
                             "or write a continuous form")
    known = entry(name)
    if known is not None:
        for order in expr.args[:known.orders]:
            if not order.is_Integer or abs(order) > _LARGEST_ORDER:
                raise StructureError(f"{where}: the order of {str(expr)[:60]} is {order}; expected an integer of size "
                                     f"{_LARGEST_ORDER} at most")
        if not is_builtin(name):
            _check_slope(type(expr), known, where)
    if known is not None or isinstance(expr, _COMPOUND) or type(expr).__name__ in ("ExprCondPair", "Str"):
        for a in expr.args:
            _check(a, where, averaged, seen)
        return
    raise StructureError(f"{where}: {_what(expr)}; known functions are {known_names()}, and powers")


def _of_several(average):
    """Return functions under an average over several normals that depend on several of them, or are averaged inside."""
    own = set(average.bound_symbols)
    inside = {a for e in average.integrand.atoms(Average) for a in e.atoms(Applied)}
    return {a for a in average.atoms(Applied) if len(a.argument.free_symbols & own) != 1 or a in inside}


def _check_slope(function, known, where):
    """Reject a registered function whose class does not define its derivative, which every solver needs."""
    arguments = [*(sympy.Integer(0) for _ in range(known.orders)),
                 *(sympy.Dummy(real=True) for _ in range(known.arity - known.orders))]
    for x in arguments[known.orders:]:
        if function(*arguments).diff(x).has(sympy.Derivative, sympy.Subs):
            raise StructureError(f"{where}: the class {function.__name__}, which was registered, has no derivative; "
                                 "give it fdiff(self, argindex=1) in functions that are known")


def _what(expr):
    shown = str(expr)[:60]
    if isinstance(expr, AppliedUndef):
        return f"{shown} is a function without a meaning"
    if type(expr).__name__ in ("Derivative", "Subs", "re", "im"):
        return (f"the derivative {shown} is not known to every back end; symbols inside abs, sign, max and min must be "
                "declared real (real=True or positive=True)")
    if expr.is_number and not expr.args:
        return f"the number {shown} is not known to every back end (integers, rationals, decimals, pi and E are)"
    return f"the function {type(expr).__name__} in {shown} is not known to every back end"


def _expressions(statements):
    for s in statements:
        if isinstance(s, Scalar):
            yield s.expr
        elif isinstance(s, Sums):
            yield from s.expressions
        elif isinstance(s, Newton):
            yield from _expressions(s.body)
        elif isinstance(s, Means):
            yield from (s.offset, s.slope, *(e for _, e in s.items))
        elif isinstance(s, Linear):
            continue
