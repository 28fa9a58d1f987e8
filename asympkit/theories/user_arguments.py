"""Validate the arguments of :class:`~asympkit.theories.theory.Theory`: symbols, each with one role, unique names, and
the domains of unknowns, from which the intervals of the solver and its starts follow.

Explain why no solution was found: a root outside the domain of its unknown, or an undefined integrand.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from functools import wraps
from itertools import product
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import numpy as np
from sympy import Eq, Expr, Float, I, Number, Set, Symbol, nan, oo, zoo
from sympy.core.facts import InconsistentAssumptions
from sympy.core.relational import Relational
from sympy.core.sympify import _sympify

from ..activations import Activation
from ..arguments import check_once, check_twins, quote
from ..equations.system import System
from ..errors import AsympkitError, ConvergenceError, DomainError, StructureError, UnknownNameError, suggest
from ..gauss.measure import Gaussian
from ..nodes import Applied, Average, Named, bind, named_parts, remove_names
from ..numbers.evaluation import Floats, evaluate
from ..spectra.compression import Eigenvalues
from ..spectra.scales import OfOneNumber, Poisson, infinite_mean
from .declaration import Parameter
from .usable import replace_functions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

P = ParamSpec("P")
V = TypeVar("V")
_TEXT = "a sympy expression (asympkit.parse reads text)"


def check_arguments(name, parameters, unknowns, free_energy, equations, observables, start, activations, derived=None):
    """Validate the arguments, and return parameters as records, unknowns and equations as sequences.

    Errors name the argument, its value, and what was expected.
    """
    if not isinstance(name, str) or not name.strip():
        raise StructureError(f"name: got {quote(name)}; expected a text that is not empty")
    parameters = _read_parameters(parameters)
    unknowns = _sequence("unknowns", unknowns, "symbols, such as [x, y]")
    for u in unknowns:
        _check_symbol("unknowns", u)
    if free_energy is not None:
        _check_expression("free_energy", free_energy)
    if equations is not None:
        equations = _sequence("equations", equations, "expressions that vanish, one for each unknown, such as [x - h]")
        for place, equation in enumerate(equations):
            _check_equation(f"equations[{place}]", equation)
        if len(equations) != len(unknowns):
            names = ", ".join(u.name for u in unknowns)
            raise StructureError(f"equations: got {len(equations)} for {len(unknowns)} unknowns ({names}); expected "
                                 "one for each unknown")
    _check_observables(observables)
    _check_start(start, unknowns)
    if derived is not None and not isinstance(derived, dict):
        raise StructureError(f"derived: got {quote(derived)}; expected a dict {{symbol: expression}}")
    for symbol, expr in (derived or {}).items():
        _check_symbol("derived", symbol)
        _check_expression(f"derived[{symbol.name}]", expr)
    expressions = [e for e in (free_energy, *(equations or ()), *(observables or {}).values()) if e is not None]
    _check_activations(activations, expressions)
    return parameters, unknowns, equations


def refuse_depth(function: Callable[P, V]) -> Callable[P, V]:
    """Raise a StructureError instead of a RecursionError for expressions nested too deeply for sympy."""
    @wraps(function)
    def guarded(*arguments, **named):
        try:
            return function(*arguments, **named)
        except RecursionError:
            raise StructureError("Theory: an expression is nested too deeply to be read (some hundred functions in one "
                                 "another); make unknowns of its parts, with an equation each") from None

    return guarded


def _sequence(argument, value, expected):
    if isinstance(value, dict) and argument == "unknowns":      # {unknown: domain}
        for symbol in value:
            _check_symbol(argument, symbol)
        return value
    if isinstance(value, str | bytes | dict | Expr | Relational) or not isinstance(value, Iterable):
        raise StructureError(f"{argument}: got {quote(value)}; expected a list of {expected}")
    if isinstance(value, np.ndarray):
        value = np.ravel(value)
    if isinstance(value, set | frozenset | Set):
        raise StructureError(f"{argument}: got a set, which has no order; expected a list of {expected}")
    return tuple(value)


def _check_symbol(argument, value):
    if isinstance(value, Named) or not isinstance(value, Symbol):
        raise StructureError(f"symbols: got {quote(value)}; expected a sympy Symbol in {argument}")
    if not value.is_commutative or value.is_extended_real is False or value.is_finite is False:
        declared = "not commutative" if not value.is_commutative else "infinite" if value.is_finite is False \
            else "not real"
        raise StructureError(f"symbols: {value.name} in {argument} is declared {declared}; expected a symbol that may "
                             "be a finite real number, such as Symbol('x', real=True)")


def _read_parameters(parameters):
    """Convert a dict ``{symbol: (meaning, domain)}``, or a list of records, into a tuple of records."""
    if isinstance(parameters, list | tuple):
        for p in parameters:
            if not isinstance(p, Parameter):
                raise StructureError(f"parameters: got {quote(p)} in a list; expected asympkit.Parameter(symbol, "
                                     "meaning, domain)")
            _check_symbol("parameters", p.symbol)
            if p.default is None or p.read or p.choices:
                raise StructureError(f"parameters: {p.name} is no plain number (default None, read or choices); "
                                     "expected a symbol, a meaning, a domain and, perhaps, a number as default")
        names = [p.name for p in parameters]
        if twice := sorted({n for n in names if names.count(n) > 1}):
            raise StructureError(f"parameters: {', '.join(twice)} is declared twice")
        return tuple(parameters)
    if not isinstance(parameters, dict):
        raise StructureError(f"parameters: got {quote(parameters)}; expected a dict {{symbol: (meaning, domain)}}, "
                             "such as {h: ('field', 'real')}, or a list of asympkit.Parameter")
    for symbol, given in parameters.items():
        _check_symbol("parameters", symbol)
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise StructureError(f"parameters: got {quote(given)} for {symbol.name}; expected a pair (meaning, "
                                 "domain), such as ('field', 'real')")
    return tuple(Parameter(symbol, *given) for symbol, given in parameters.items())


def _check_equation(argument, value):
    if isinstance(value, Relational):
        if not isinstance(value, Eq):
            raise StructureError(f"{argument}: got the relation {quote(value)}; expected an expression that vanishes, "
                                 "or an Eq")
        for side in value.args:
            _check_expression(argument, side)
        return
    if isinstance(value, bool | np.bool_) or getattr(value, "is_Boolean", False):
        raise StructureError(f"{argument}: got {quote(value)}, which holds always or never (a comparison with ==, or "
                             "an Eq of equal sides); expected an expression that vanishes, or an Eq")
    _check_expression(argument, value)


def _check_expression(argument, value):
    """Raise unless a value is a real expression."""
    try:
        expr = None if isinstance(value, str | bytes | bool | np.bool_) else _sympify(value)
    except Exception:                   # a foreign type may raise anything
        expr = None
    if not isinstance(expr, Expr) or getattr(expr, "is_Matrix", False):
        kind = " (a matrix)" if getattr(value, "is_Matrix", False) else ""
        raise StructureError(f"{argument}: got {quote(value)}{kind}; expected {_TEXT}")
    strange = [str(s) for s in (nan, zoo, oo, -oo, I) if expr.has(s)]
    if strange or not expr.is_commutative or expr.is_extended_real is False:
        what = f"holds {', '.join(strange)}" if strange else "is not a commutative expression" \
            if not expr.is_commutative else "is not real"
        raise StructureError(f"{argument}: {quote(value)} {what}; expected a real expression that is finite")


def _check_observables(observables):
    if observables is None:
        return
    if not isinstance(observables, dict):
        raise StructureError(f"observables: got {quote(observables)}; expected a dict {{name: expression}}, such as "
                             "{'energy': -h*m}")
    for name, expr in observables.items():
        if not isinstance(name, str) or not name.strip():
            raise StructureError(f"observables: got the name {quote(name)}; expected a text that is not empty")
        _check_expression(f"observables[{name!r}]", expr)


def _check_start(start, unknowns):
    if start is None:
        return
    if not isinstance(start, dict):
        raise StructureError(f"start: got {quote(start)}; expected a dict {{unknown: number}}, such as {{m: 0.5}}")
    for symbol, value in start.items():
        _check_symbol("start", symbol)
        if symbol not in unknowns:
            known = [u.name for u in unknowns]
            same = " (there is one of that name with other assumptions)" if symbol.name in known else ""
            raise UnknownNameError(f"start: {symbol.name} is no unknown{same or suggest(symbol.name, known)}; unknowns "
                                   f"are {', '.join(known)}")
        try:
            number = None if isinstance(value, str | bytes | bool | np.bool_) or np.ndim(value) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = None
        if number is None or not math.isfinite(number):
            raise StructureError(f"start: got {quote(value)} for {symbol.name}; expected a finite number")


def _check_activations(activations, expressions):
    if activations is not None and not isinstance(activations, dict):
        raise StructureError(f"activations: got {quote(activations)}; expected a dict {{label: activation}}, such as "
                             "{'student': 'tanh'}")
    for label, given in (activations or {}).items():
        if not (isinstance(label, str) and label):
            raise StructureError(f"activations: got the label {label!r}; expected a text such as 'student'")
        try:
            Activation(given)
        except AsympkitError:
            raise
        except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
            raise StructureError(f"activations: got {quote(given)} for {quote(label)}; expected a name such as 'tanh', "
                                 "a text in z, or a sympy expression in one symbol") from error
    wanted = {a.label: a for e in map(_sympify, expressions) for a in e.atoms(Applied)}
    missing = sorted(set(wanted) - set(activations or {}))
    if missing:
        raise StructureError(f"activations: {', '.join(missing)} is applied in the expressions and not given; give, "
                             f"for example, activations={{{missing[0]!r}: 'tanh'}}")


def check_symbols(unknowns: Sequence[Symbol], others: Iterable[Symbol], observables: Iterable[str],
                  expressions: Sequence[Expr], equations: Sequence[Expr]) -> None:
    """Raise for a symbol that has no role in the theory, or two.

    ``others`` are parameters and derived quantities; ``expressions`` are all of them, including the free energy,
    ``equations`` those that are lowered: the equations and the observables.
    """
    if len(set(unknowns)) != len(unknowns):
        raise StructureError("unknowns: a symbol is listed twice")
    known = {*others, *unknowns}
    texts = [s.name for s in known]
    twice = sorted({n for n in texts if texts.count(n) > 1})
    if twice:
        raise StructureError(f"symbols: two different symbols are called {', '.join(twice)}; "
                             "make each once, with its assumptions, and use that one")
    arrays = arrays_of(equations)
    if taken := sorted(set(texts) & set(arrays)):
        raise StructureError(f"symbols: {', '.join(taken)} names an array of eigenvalues and a parameter or "
                             "unknown; rename one of them")
    check_twins("symbols", sorted([*texts, *arrays]))
    results = [*(u.name for u in unknowns), *observables, "residual", "iterations"]
    check_twins("results", results)
    check_once(results)
    for e in expressions:
        if extra := e.free_symbols - known:
            raise StructureError(f"symbols: {', '.join(sorted(map(str, extra)))} is neither a parameter nor an "
                                 "unknown (symbols of equal name and different assumptions are different)")
    labels: dict[str, Expr] = {}
    for named in (n for e in equations for n in named_parts(e)):
        if labels.setdefault(named.label, named) != named:
            raise StructureError(f"names: {named.label!r} stands for two different expressions; give each its own name")


def arrays_of(expressions: Iterable[Expr]) -> Mapping[str, set[Symbol]]:
    """Return the symbols for the entries of each array, by its name."""
    found: dict[str, set[Symbol]] = {}
    for measure in _eigenvalue_measures(expressions):
        for b in measure.bound_symbols:
            found.setdefault(b.name, set()).add(b)
    return found


def nonnegative_arrays(expressions: Iterable[Expr]) -> list[str]:
    """Return the names of the arrays of eigenvalues that are declared nonnegative, without their companions."""
    return sorted({m.bound_symbols[0].name for m in _eigenvalue_measures(expressions)
                   if m.bound_symbols[0].is_nonnegative})


def _eigenvalue_measures(expressions):
    return {a.measure for e in expressions for a in e.atoms(Average) if isinstance(a.measure, Eigenvalues)}


_SAID = "'positive', 'nonnegative', 'real' or a pair (low, high) of numbers with low < high"
_ASSUMED = {"positive": {"positive": True}, "nonnegative": {"nonnegative": True}, "real": {"real": True}}
#: further starts if the usual one fails, the likeliest first: shares of a finite interval, distances from the end of a
#: half-infinite one (from 0 for a positive unknown), and real numbers. Results do not depend on their order: a root
#: is judged by its residual.
_SHARES, _FACTORS = (0.9, 0.1, 0.99, 0.01, 0.999), (0.1, 10.0, 0.01, 100.0, 1e-3)
_NUMBERS = (0.1, -1.0, 0.5, 10.0, -0.1)
#: if these fail too: sizes and signs over the whole domain
_FAR_SHARES = (0.3, 0.7, 1e-3, 0.9999, 1e-4, 1.0 - 1e-6, 1e-6)
_FAR_FACTORS = (1e3, 30.0, 0.03, 1e4, 1e-4, 1e5, 1e-5, 1e6, 1e-6, 1e7, 1e8, 1e-8, 1e10, 1e-10)
_FAR_SIZES = (3.0, 0.01, 100.0, 1e-3, 1e3, 1e4, 1e-4, 1e6)
_FAR_NUMBERS = (-0.5, -10.0, *(sign * size for size in _FAR_SIZES for sign in (1, -1)))


def read_unknowns(unknowns):
    """Read unknowns, or a dict ``{symbol: domain}`` of them.

    Return the unknowns with the assumptions that their domains mean, open intervals that the solver must not leave by
    unknown, and by the symbols that were replaced those with more assumptions.
    """
    if not isinstance(unknowns, dict):
        return tuple(unknowns), {u: (0.0, math.inf) for u in unknowns if u.is_nonnegative and not u.is_positive}, {}
    found, intervals, known_as = [], {}, {}
    for u, domain in unknowns.items():
        if isinstance(domain, str) and domain in _ASSUMED:
            assumed = _ASSUMED[domain]
            interval = (0.0, math.inf) if domain == "nonnegative" else None
        else:
            interval = _pair(u, domain)
            assumed = {"nonnegative": True} if interval[0] >= 0.0 else {"real": True}
        new = _assume(u, assumed, domain)
        found.append(new)
        if new != u:
            known_as[u] = new
        if interval is not None:
            intervals[new] = interval
    return tuple(found), intervals, known_as


def _pair(u, domain):
    is_pair = isinstance(domain, tuple | list) and len(domain) == 2 and not any(
        isinstance(x, bool) or not (isinstance(x, numbers.Real | Number) or x in (oo, -oo)) for x in domain)
    if not is_pair or not float(domain[0]) < float(domain[1]):
        raise DomainError(f"unknowns: {u} has the domain {domain!r}; expected {_SAID}")
    return float(domain[0]), float(domain[1])


def _assume(u, assumed, domain):
    if all(getattr(u, f"is_{name}") for name in assumed):
        return u
    try:
        return type(u)(u.name, **{**u._assumptions_orig, **assumed}) if type(u) is Symbol else u
    except InconsistentAssumptions as error:
        raise StructureError(f"unknowns: {u} has the domain {domain!r}, which contradicts the assumptions of its "
                             f"symbol ({', '.join(f'{k}={v}' for k, v in u._assumptions_orig.items())})") from error


def interval_of(u, intervals):
    """Return the closed interval an unknown must lie in, from its domain or the assumptions of its symbol."""
    if u in intervals:
        return intervals[u]
    return (0.0 if u.is_nonnegative else -math.inf), math.inf


def find_outside_unknowns(unknowns, intervals, values, scale):
    """Return the names of unknowns whose values lie outside their domains by more than rounding."""
    found = []
    for u in unknowns:
        (low, high), value = interval_of(u, intervals), values[u.name]
        slack = 0.0 if u.is_positive and u not in intervals else 1e-13 * scale.get(u.name, 0.0)
        inside = value > 0.0 if u.is_positive and low == 0.0 else value >= low - slack
        if not (inside and value <= high + slack):
            found.append(u.name)
    return found


def default_start(unknowns, intervals):
    """Return ``{name: number}`` inside all domains: the midpoint of an interval, else 1."""
    return {u.name: _midpoint(intervals.get(u), u) for u in unknowns}


def _midpoint(interval, u):
    if interval is None:
        return -1.0 if u.is_nonpositive else 1.0
    low, high = interval
    if math.isinf(low):
        return high - 1.0 if math.isfinite(high) else 1.0
    return low + 1.0 if math.isinf(high) else 0.5 * (low + high)


def other_starts(unknowns, intervals, given):
    """Return a few more starts inside all domains, for unknowns whose start is not given."""
    return _starts(unknowns, intervals, given, (_SHARES, _FACTORS, _NUMBERS))


def far_starts(unknowns, intervals):
    """Return starts over the whole domains of all unknowns, signs and sizes: the midpoint, then the usual sizes."""
    return (default_start(unknowns, intervals),) + _starts(unknowns, intervals, {}, (_SHARES, _FACTORS, _NUMBERS)) + \
        _starts(unknowns, intervals, {}, (_FAR_SHARES, _FAR_FACTORS, _FAR_NUMBERS))


def _starts(unknowns, intervals, given, sizes):
    """Return starts of all unknowns that are not given, first of similar sizes and then of different ones."""
    free = [u for u in unknowns if u.name not in given]
    if not free:
        return ()
    first = default_start(unknowns, intervals) | given
    found = []
    for turn in (0, 1):
        for k in range(max(map(len, sizes))):
            found.append({**first, **{u.name: _another(u, intervals.get(u), k + turn * j, sizes)
                                      for j, u in enumerate(free)}})
    return tuple({tuple(s.items()): s for s in found}.values())


def _another(u, interval, k, sizes):
    shares, factors, numbers = (row[k % len(row)] for row in sizes)
    if interval is not None and all(map(math.isfinite, interval)):
        return interval[0] + shares * (interval[1] - interval[0])
    if interval is not None:
        low, high = interval
        return high - factors if math.isinf(low) else low + factors
    if u.is_positive:
        return factors
    return -numbers if u.is_nonpositive and numbers > 0 else numbers


def check_start(name, value, interval):
    """Raise a DomainError for a start outside the domain of its unknown."""
    low, high = interval
    if not (low < value < high or value == low == 0.0):
        raise DomainError(f"start: {name} is {value!r}, outside its domain ({low:g}, {high:g}); expected a number "
                          "inside it")


#: distance from a border, relative to the interval or to the unknown, at which an iteration has run into it
_NEAR = 1e-3
#: points at which integrands are evaluated
_NODES = np.arange(-8.0, 8.1, 0.5)


def explain_outside_root(theory, method, error, point, reached, as_typed):
    """Return an error that says where the root lies, if it lies outside the domain of an unknown; else ``error``.

    Iterates never leave a declared interval (low, high): if the only root lies outside it, they end at its border.
    ``reached`` is the last iterate; ``as_typed`` are the user's expressions, before kinks and averages are rewritten.
    """
    if not math.isfinite(reached.residual) and (undefined := _undefined(theory, point, as_typed)):
        return ConvergenceError(f"{method}: {undefined}", reached)
    if not _borders(theory, reached.order_parameters):
        return error
    try:
        found = theory.kernel_without_domains.solve(
            point.values, point.table_parameters, theory.activations, point.arrays, 1e-9,
            {n: float(reached[n]) for n in theory.kernel.module.TORN}, point.shown, point.assumptions)
    except AsympkitError:
        return error
    wrong = [u for u in theory.unknowns if u.name in find_outside_unknowns([u], theory.intervals, found, found.scale)]
    if not wrong:
        return error
    text = ", ".join(f"{u.name} = {found[u.name]:.6g} (declared in ({low:g}, {high:g}))"
                     for u in wrong for low, high in [interval_of(u, theory.intervals)])
    return ConvergenceError(f"{method}: the root found lies outside the interval of its unknown: {text}; no root was "
                            "found inside: give a start, declare a larger domain, or move the parameters", found)


def means_of_scales(expressions):
    """Return averages over laws of one number, with what it must exceed for each to be finite, and up to where it is
    found."""
    found = {a for e in expressions for a in remove_names(e).atoms(Average) if isinstance(a.measure, OfOneNumber)}
    return tuple((a, a.measure.least(a.integrand), a.measure.highest(a.integrand)) for a in sorted(found, key=str))


def explain_means(error, means):
    """Return the error, which says of means over laws of heavy tails, or steep at 0, that they may be the cause."""
    laws = sorted({"{}({})".format(*a.measure.title) for a, *_ in means if not isinstance(a.measure, Poisson)})
    if not laws:
        return error
    return ConvergenceError(f"{error}; a mean over {' or '.join(laws)} may be infinite here", error.solution)


def check_means(means, values):
    """Raise for a point at which one of such means is infinite, or has no rule."""
    for average, least, most in means:
        number = average.measure.args[0]
        if any(s.name not in values for s in number.free_symbols):
            if most.is_finite:
                raise StructureError(f"averages: the rate {number} of {average!s:.60} holds unknowns; expected "
                                     "parameters alone, or a function with a closed mean")
            continue
        at = number.xreplace({s: Float(values[s.name]) for s in number.free_symbols})
        if not at > least:
            raise DomainError(infinite_mean(average, least, at))
        if at > most:
            raise DomainError(f"averages: the sum for {average!s:.60} is cut for {number} up to {most}; got "
                              f"{float(at):.6g}; expected less, or the rate as a number in the law itself")


def tests_of_means(means, declared):
    """Return what an exported module tests of the parameters that are such numbers, up to a factor."""
    tests = {}
    for p in declared:
        low, high = {"positive": (0.0, math.inf)}.get(p.domain, p.domain) if p.domain == "positive" or \
            isinstance(p.domain, tuple) else (math.nan, math.nan)
        ends = [(least / ratio, most / ratio) for average, least, most in means
                if (ratio := average.measure.args[0] / p.symbol).is_number]
        least, most = (float(f(e)) for f, e in zip((max, min), zip(*ends))) if ends else (low, high)
        if least > low or most < high:
            below = f"x <= {min(most, high)!r}" if min(most, high) < math.inf else "x < np.inf"
            tests[p.name] = (f"(x > {max(least, low)!r}) & ({below})",
                             f"a number > {max(least, low):g}" + f", at most {min(most, high):g}" * (most < math.inf))
    return tests


def _undefined(theory, point, as_typed):
    """Return a sentence about the first integrand without a finite value at or near the start, or ""."""
    given, start = dict(zip(theory.kernel.module.PARAMETERS, point.values)), theory.kernel.usual_start(point.values)
    averages = [sorted({a for e in some for a in e.atoms(Average)}, key=str)
                for some in (map(_sympify, as_typed), map(remove_names, theory.system.equations))]
    for share, average in product((1.0, 0.99), (*averages[0], *averages[1])):
        known = given | {name: share * value for name, value in start.items()}
        integrand, bound = bind(remove_names(average.integrand), theory.functions), average.bound_symbols
        integrand = replace_functions(integrand, {})
        free = integrand.free_symbols - set(bound)
        is_plain = isinstance(average.measure, Gaussian) and not integrand.has(Average)
        if not is_plain or any(s.name not in known for s in free):
            continue
        grid = np.meshgrid(*[_NODES] * len(bound))
        at = dict(zip(bound, map(np.ravel, grid))) | {s: float(known[s.name]) for s in free}
        with np.errstate(all="ignore"):
            values = np.broadcast_to(evaluate(integrand, at, Floats()), grid[0].size)
        if (bad := np.flatnonzero(~np.isfinite(values))).size:
            here = {s.name: float(np.broadcast_to(v, grid[0].size)[bad[0]]) for s, v in at.items()}
            place = ", ".join(f"{name} = {value:.6g}" for name, value in here.items())
            if average not in averages[0]:      # as it is computed: its kinks are moved
                place, integrand = "some values of its variables", " or ".join(str(a.integrand) for a in averages[0])
            return (f"the integrand {str(integrand):.200} is {values[bad[0]]} at {place}: it is not defined there, "
                    "or overflows on the way; write it so that it is finite at all values of the variables (softplus, "
                    "LogPhi, tanh in place of quotients of exponentials), or give a start at which it is")
    return ""


def unbounded_system(theory):
    """Return the equations of a theory without the domains of its unknowns."""
    return System(theory.unknowns, theory.system.equations, theory.system.observables, theory.functions)


def _borders(theory, values):
    """Return whether an unknown with a declared interval is at a border of it."""
    for u, (low, high) in theory.intervals.items():
        value = float(values[u.name])
        unit = high - low if math.isfinite(high - low) else max(1.0, abs(value))
        with np.errstate(all="ignore"):
            if not min(value - low, high - value) > _NEAR * unit:
                return True
    return False
