"""Validate the arguments of :class:`~asympkit.theories.theory.Theory`.

Check the symbols of a user-defined theory: each has one role, and names are unique.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import numpy as np
from sympy import Eq, Expr, I, Set, Symbol, nan, oo, zoo
from sympy.core.relational import Relational
from sympy.core.sympify import _sympify

from ..activations import Activation
from ..arguments import check_once, check_twins, quote
from ..errors import AsympkitError, StructureError, UnknownNameError, suggest
from ..nodes import Applied, Average, Named, named_parts
from ..spectra.compression import Eigenvalues
from .declaration import Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


__all__ = ["arrays_of", "check_symbols", "nonnegative_arrays"]

P = ParamSpec("P")
V = TypeVar("V")
_TEXT = "a sympy expression (asympkit.parse reads text)"


def check_arguments(name, parameters, unknowns, free_energy, equations, observables, start, activations, derived=None):
    """Validate the arguments, and return parameters as records, unknowns and equations as sequences.

    Raises
    ------
    StructureError, DomainError, UnknownNameError
        Naming argument, value, and what was expected.
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
        raise StructureError(f"symbols: {value.name} in {argument} is declared {_declared(value)}; expected a symbol "
                             "that may be a finite real number, such as Symbol('x', real=True)")


def _declared(symbol):
    if not symbol.is_commutative:
        return "not commutative"
    return "infinite" if symbol.is_finite is False else "not real"


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

    Parameters
    ----------
    unknowns : sequence of Symbol
    others : iterable of Symbol
        Parameters and derived quantities.
    observables : iterable of str
        Names.
    expressions : sequence of Expr
        All of them, including the free energy.
    equations : sequence of Expr
        Those that are lowered: the equations and the observables.

    Raises
    ------
    StructureError, DomainError
        Naming the symbols.
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
    _check_names(equations)


def _check_names(expressions):
    """Raise if one name is used for two expressions."""
    labels = {}
    for named in (n for e in expressions for n in named_parts(e)):
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
