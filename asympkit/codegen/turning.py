"""Find and print where integrands of a theory turn: arguments whose narrow features rules of quadrature may step over,
and kinks at places that move.

Arguments hold parameters and unknowns (temperatures, noise), so that places and widths are asked at each solution.
"""

from contextlib import suppress
from itertools import count, islice

from sympy import Add, Dummy, Function, Integer, Mul, Pow, erf, exp, log, pi, preorder_traversal, sqrt

from ..errors import AsympkitError, StructureError
from ..gauss.measure import Gaussian
from ..gauss.moving_kinks import SWITCHING, switching_borders
from ..nodes import Applied, Average, averages, remove_names
from ..numbers.functions import entry
from ..properties.kinks import derivative
from ..runtime.features import INTEGRABLE
from ..runtime.tables import ANGLE_STEPS
from ..spectra.law import Angle, SpectralLaw
from .expressions import ExpressionPrinter

#: powers from which on a sum is as narrow as an exponential
_HIGH = 8


def write_turning(expressions, program, names):
    """Write a function of the arguments at which integrands of equations and observables turn, or an empty text.

    Terms outside of averages over normals and angles have no features, nor have those with means of activations, whose
    own rules look for theirs.
    """
    found = {a for e in expressions for a in remove_names(e).atoms(Average)}
    bound = {b for a in found for c in (a, *_scanned(a)) for b in c.bound_symbols}
    inside = {inner for a in found for inner in a.integrand.atoms(Average)}
    rows, free = [], (name for name in map("x{}".format, count()) if name not in names.values())
    spare = list(islice(free, max((len(a.bound_symbols) for a in found), default=0) * 3))
    for average in sorted(set().union(*map(_scanned, found)), key=str):
        arguments, is_angle = set(), isinstance(average.measure, Angle)
        for w in average.bound_symbols:             # densities beside an edge of a law may be singular, their means not
            arguments |= {(is_steep, u) for is_steep, u in _turning(average.integrand, w) if is_steep or not is_angle}
        if len(average.bound_symbols) == 1 and average not in inside and not is_angle:
            (w,) = average.bound_symbols        # kinks, None, that move or are at zeros of no polynomial
            borders = {u for node in average.integrand.atoms(*SWITCHING) for u in switching_borders(node)}
            arguments |= {(None, u) for u in borders
                          if w in u.free_symbols and (u.free_symbols != {w} or not u.is_polynomial(w))}
        for is_steep, u in sorted(arguments, key=str):
            variables = dict(zip(sorted(u.free_symbols & bound, key=str), spare))
            has_nodes = len(variables) == len(average.bound_symbols) == 1 and average not in inside and not is_angle
            has_means = bool(averages(u))
            with suppress(StructureError):          # a derivative that is no function
                along = [f"lambda {', '.join(variables.values())}: "
                         f"({', '.join(_source(f, names, variables, free) for f in (u, slope, slope_of(slope, w)))})"
                         for w, slope in ((w, slope_of(u, w)) for w in variables)]
                rows.append(f"({is_steep}, {has_nodes}, {has_means}, ({', '.join(along)},))")
    if not rows:
        return ""
    lines = [f"    {', '.join(names[s] for s in symbols)}{',' * (len(symbols) == 1)} = {source}" for symbols, source in
             ((program.parameters, "point"), (program.unknowns, f"found[:{len(program.unknowns)}]")) if symbols]
    return "\n".join([
        "def turning(point, found):",
        '    """Return arguments at which integrands turn, by variable, with two derivatives, whether they turn at 0 '
        'or near it, whether nodes can be placed there, and whether averages are in them."""',
        *lines, f"    return ({', '.join(dict.fromkeys(rows))},)"])


def _scanned(average):
    """Return averages over normals, and over angles in units of steps of these, which one resolves to."""
    measure, integrand = average.measure, average.integrand
    if isinstance(measure, SpectralLaw):
        found = None
        with suppress(AsympkitError):               # one that is closed
            found = measure.resolved(integrand)
        return set() if found is None else set().union(*map(_scanned, remove_names(found).atoms(Average)))
    if isinstance(measure, Angle):
        (theta,) = average.bound_symbols
        form = Average(integrand.xreplace({theta: pi / 2 + theta / ANGLE_STEPS}), measure)
        return {a for a in form.atoms(Average) if a.measure == measure}         # it may have taken out factors
    return {average} if isinstance(measure, Gaussian) else set()


def slope_of(form, w):
    """Differentiate an expression whose averages may hold the variable, almost everywhere."""
    named, means = name_averages(form)
    return Add(derivative(named, w), *(derivative(named, symbol) * average.func(
        slope_of(average.integrand, w), average.measure) for average, symbol in means if w in average.free_symbols)
    ).xreplace({symbol: average for average, symbol in means})


def name_averages(form):
    """Put symbols in place of the averages in an expression, and return both."""
    names = tuple((a, Dummy(f"mean{k}", real=True)) for k, a in enumerate(averages(form)))
    return form.xreplace(dict(names)), names


def _source(form, names, bound, free):
    """Write an expression, averages in it as such over one normal after the other."""
    form, means = name_averages(form)
    known = {**names, **bound}
    for average, symbol in means:
        if not isinstance(average.measure, Gaussian):
            known[symbol] = f"({_source(_over_normals(average), names, bound, free)})"
            continue
        inside, calls = {s: name for s, name in bound.items() if s in average.free_symbols}, []
        for b in average.bound_symbols:
            inside[b], at = next(free), [*inside.values()]
            calls.append((f"normal_mean(lambda {inside[b]}: ", ", ".join(["", *at]) + ")"))
        known[symbol] = _source(average.integrand, names, inside, free)
        for start, end in reversed(calls):
            known[symbol] = start + known[symbol] + end
    return ExpressionPrinter(known, batch=True).source(form)


def _over_normals(average):
    """Write a mean over a spectral law or an angle by averages over normals."""
    measure, integrand = average.measure, average.integrand
    if isinstance(measure, Angle):
        (theta,) = average.bound_symbols
        return Average(integrand.xreplace({theta: pi * (1 + erf(theta / sqrt(2))) / 2}), Gaussian(theta))
    found = measure.resolved(integrand) if isinstance(measure, SpectralLaw) else None
    if found is None:
        raise StructureError(f"there is no rule for {average} here")
    return found


def _turning(integrand, w):
    """Return arguments at which an integrand may turn, and whether what turns is steep in them or singular at 0."""
    found = set()
    for node in preorder_traversal(integrand):
        if not getattr(node, "args", ()) or w not in node.free_symbols or node.has(Applied):
            continue
        known = entry(type(node).__name__)
        arguments = [u for u in node.args[known.orders if known else 0:] if w in u.free_symbols]
        if isinstance(node, Pow) and (w in node.exp.free_symbols or node.exp.is_number and abs(node.exp) > _HIGH):
            found.add((True, _logarithm(node)))         # as narrow as the exponential of this
        if isinstance(node, Pow) and w in node.exp.free_symbols:
            continue
        if known is not None and known.is_steep:
            found |= {(True, u) for u in arguments}
        elif known is not None and known.is_partial or isinstance(node, Pow) and not _is_natural(node.exp):
            has_mean = isinstance(node, log) or isinstance(node, Pow) and node.exp.is_number and 2 * node.exp > -1
            found |= {(INTEGRABLE if has_mean else False, u) for u in arguments[:1]}
        if isinstance(node, Function) or isinstance(node, Pow) and not _is_natural(node.exp):
            found |= {(True, ratio) for u in arguments for ratio in _balances(u, w)}
    return {(is_steep, u) for is_steep, u in found if w in u.free_symbols}      # ratios of equal exponentials have none


def _balances(u, w):
    """Return logarithms of ratios of the terms of a sum, whose zeros are where another term becomes the largest."""
    terms = [t for t in u.args if w in t.free_symbols or t.is_nonzero] if isinstance(u, Add) else []
    steep = [t for t in terms if any(isinstance(f, exp) and w in f.free_symbols for f in Mul.make_args(t))]
    return {_logarithm(s) - _logarithm(t) for k, s in enumerate(steep)
            for t in [*(t for t in terms if t not in steep), *steep[k + 1:]]}


def _logarithm(term):
    """Return the logarithm of the absolute value of a product, exponents taken out."""
    powers = [(f, None) if isinstance(f, exp) else f.as_base_exp() for f in Mul.make_args(term)]
    return Add(*(f.args[0] if n is None else n * log(f**2) / 2 for f, n in powers))


def _is_natural(power):
    return isinstance(power, Integer) and power > 0
