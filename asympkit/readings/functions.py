"""An activation as an mpmath function, in a private context."""

from sympy import (
    Add,
    E,
    Float,
    Function,
    Integer,
    Max,
    Min,
    Mul,
    Piecewise,
    Pow,
    Rational,
    Symbol,
    pi,
)
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, BooleanFalse, BooleanTrue, Or

from ..errors import StructureError
from ..numbers.functions import entry


def mp_function(activation, mp):
    """Compile ``activation.expr`` to a function of one mpf."""
    run = compile_mp(activation.expr, mp)
    symbol = activation.symbol
    return lambda x: run({symbol: x})


def compile_mp(expr, mp):
    """Compile an expression to nested closures over mpmath operations."""
    if isinstance(expr, Symbol):
        return lambda v: v[expr]
    if isinstance(expr, Integer | Rational | Float) or expr in (pi, E):
        if expr is pi or expr is E:
            constant = +mp.pi if expr is pi else +mp.e
        elif isinstance(expr, Float):
            constant = mp.mpf(float(expr))
        else:
            constant = mp.mpf(int(expr.p)) / int(expr.q)
        return lambda v: constant
    if isinstance(expr, BooleanTrue | BooleanFalse):
        return lambda v: bool(expr)
    parts = [compile_mp(a, mp) for a in expr.args] if not isinstance(expr, Piecewise) else None
    if isinstance(expr, Add):
        return lambda v: mp.fsum([p(v) for p in parts])
    if isinstance(expr, Mul):
        return lambda v: mp.fprod([p(v) for p in parts])
    if isinstance(expr, Pow):
        return _power(expr, parts, mp)
    if isinstance(expr, Piecewise):
        cases = [(compile_mp(e, mp), compile_mp(c, mp)) for e, c in expr.args]
        return lambda v: next(e(v) for e, c in cases if c(v))
    if isinstance(expr, Max | Min):
        choose = max if isinstance(expr, Max) else min
        return lambda v: choose(p(v) for p in parts)
    if isinstance(expr, Relational | And | Or):
        return _condition(expr, parts)
    return _function(expr, parts, mp)


def _power(expr, parts, mp):
    base, power = parts
    if expr.exp.is_Integer:
        n = int(expr.exp)
        return lambda v: base(v) ** n
    if expr.exp == Rational(1, 2):
        return lambda v: mp.sqrt(base(v))
    if expr.base is E:
        return lambda v: mp.exp(power(v))
    return lambda v: base(v) ** power(v)


def _condition(expr, parts):
    if isinstance(expr, And):
        return lambda v: all(p(v) for p in parts)
    if isinstance(expr, Or):
        return lambda v: any(p(v) for p in parts)
    compare = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__", "==": "__eq__", "!=": "__ne__"}
    method, (left, right) = compare[expr.rel_op], parts
    return lambda v: getattr(left(v), method)(right(v))


def _function(expr, parts, mp):
    name = type(expr).__name__
    known = entry(name)
    if known is None and isinstance(expr, Function) and hasattr(mp, name):
        call = getattr(mp, name)
        return lambda v: call(*[p(v) for p in parts])
    if known is None:
        raise StructureError(f"high precision: no form is known for {name}")
    return lambda v: known.at_digits(mp, *[p(v) for p in parts])
