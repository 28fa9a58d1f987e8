"""Expressions of a program as functions: of balls, and of any algebra with a sum and a product."""

import operator
from functools import cache, lru_cache

import numpy as np

from ..balls.backend import arb, ratio
from ..errors import ProofError
from ..numbers.functions import entry, known_names

__all__ = ["ball_function", "form"]

#: what proves a comparison of balls, and what refutes it
_RELATIONS = {"<": ("lt", "ge"), "<=": ("le", "gt"), ">": ("gt", "le"), ">=": ("ge", "lt"), "==": ("eq", "ne"),
              "!=": ("ne", "eq")}


@lru_cache(maxsize=4096)
def ball_function(expr):
    """Function ``{symbol: ball or array of balls} -> ball or array`` of an expression.

    Powers are products: the power function of the ball library loses everything on balls that hold 0.
    """
    import sympy as sp

    if expr.is_Symbol:
        return lambda v: v[expr]
    if expr.is_Rational:
        return (lambda v, n=int(expr): n) if expr.is_Integer else (lambda v: ratio(expr))
    if expr is sp.pi or expr is sp.E:
        return lambda v: arb.pi() if expr is sp.pi else arb.const_e()
    if expr.is_Mul:
        below = [a for a in expr.args if a.is_Pow and a.exp.could_extract_minus_sign() and a.base is not sp.E]
        above = [a for a in expr.args if a not in below]
        top = _chain([ball_function(a) for a in above], arb.__mul__) if above else (lambda v: 1)
        if not below:
            return top
        bottom = _chain([ball_function(1 / a) for a in below], arb.__mul__)
        return lambda v: quotient(top(v), bottom(v))
    if expr.is_Add:
        return _chain([ball_function(a) for a in expr.args], arb.__add__)
    if expr.is_Pow and expr.base is not sp.E:
        return _power(expr)
    return _function(expr)


def _chain(parts, operation):
    first, *rest = parts
    if operation is arb.__add__:
        def value(v):
            total = first(v)
            for part in rest:
                total = total + part(v)
            return total
    else:
        def value(v):
            total = first(v)
            for part in rest:
                total = total * part(v)
            return total
    return value


def _power(expr):
    base, exponent = ball_function(expr.base), expr.exp
    if exponent.could_extract_minus_sign():
        positive = ball_function(1 / expr)
        return lambda v: quotient(1, positive(v))
    if exponent.is_Integer:
        n = int(exponent)
        return lambda v: repeated(base(v), n)
    if exponent.is_Rational and exponent.q == 2:
        n = int(exponent.p)
        return lambda v: repeated(each("sqrt", base(v)), n)
    outer = ball_function(exponent)
    return lambda v: each("exp", outer(v) * each("log", base(v)))      # not finite where the base may be negative


def quotient(above, below):
    """A quotient; an exact zero below raises, where the ball library would answer nan."""
    if isinstance(below, int | arb):
        if below == 0:
            raise ZeroDivisionError("certify: division by exact zero")
        below = arb(below)
    return above / below


def repeated(x, n):
    """``x**n`` as a product, for n >= 1."""
    total = x
    for _ in range(n - 1):
        total = total * x
    return total


def _function(expr):
    name = type(expr).__name__
    if name == "Piecewise":
        return _cases(expr)
    known = entry(name)
    if known is None or not known.has_balls:
        what = f"the inexact number {expr}; write it as a Rational" if expr.is_Float else \
            f"the function {name} in {str(expr)[:60]}"
        raise ProofError(f"certify: no rule in ball arithmetic for {what}; known are {known_names()}")
    orders = tuple(map(int, expr.args[:known.orders]))
    parts = [ball_function(a) for a in expr.args[known.orders:]]
    if name in ("Max", "Min"):
        return _chain_of(known.balls, parts)
    if known.arity == 1 and isinstance(known.balls, str):
        return lambda v: each(known.balls, parts[0](v))
    return lambda v: _each(lambda *x: known.at_balls(*orders, *x), *(p(v) for p in parts))


def _chain_of(method, parts):
    first, *rest = parts

    def value(v):
        total = first(v)
        for part in rest:
            total = _each(getattr(arb, method), total, part(v))
        return total

    return value


def _each(function, *arguments):
    """A function of balls, for arrays entry by entry."""
    if any(isinstance(x, np.ndarray) for x in arguments):
        return np.frompyfunc(lambda *row: function(*map(_ball, row)), len(arguments), 1)(*arguments)
    return function(*map(_ball, arguments))


def _ball(x):
    return arb(x) if isinstance(x, int) else x


def _cases(expr):
    """Cases whose conditions are decided for all numbers in the balls: across a border nothing is proved."""
    pairs = [(ball_function(value), _condition(condition)) for value, condition in expr.args]

    def value(v):
        for part, condition in pairs:
            holds = condition(v)
            if holds is None:
                raise ProofError(f"certify: which case of {str(expr)[:60]} holds is not decided for the numbers in "
                                 "question: they lie on its border or too near it")
            if holds:
                return part(v)
        return arb("nan")

    return value


def _condition(expr):
    """Function that says whether a condition holds: True, False, or None where the balls do not decide it."""
    import sympy as sp

    if expr in (sp.true, sp.false):
        return lambda v: expr == sp.true
    if not isinstance(expr, sp.core.relational.Relational):
        parts = [_condition(a) for a in expr.args]
        if isinstance(expr, sp.Not):
            return lambda v: None if (h := parts[0](v)) is None else not h
        end = isinstance(expr, sp.Or)       # one of these decides, whatever the others are

        def together(v):
            found = [p(v) for p in parts]
            return end if end in found else None if None in found else not end

        return together
    left, right = ball_function(expr.lhs), ball_function(expr.rhs)
    compare, negated = (getattr(operator, name) for name in _RELATIONS[expr.rel_op])

    def decided(v):
        a, b = left(v), right(v)
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            raise ProofError(f"certify: {expr} switches inside a sum, which is not enclosed")
        a, b = arb(a), arb(b)
        return True if compare(a, b) else False if negated(a, b) else None

    return decided


def each(name, x):
    """A method of a ball, a power series of balls, or every ball of an array."""
    if isinstance(x, np.ndarray):
        return np.array([getattr(y, name)() for y in x], dtype=object)
    return getattr(arb(x) if isinstance(x, int) else x, name)()


@cache
def form(expr, varying):
    """Function ``(values, constant) -> element`` in any algebra.

    Parameters
    ----------
    expr : Expr
        Sums, products and natural powers of varying symbols, with coefficients of any form.
    varying : frozenset of Symbol
        Symbols that stand for elements of the algebra; ``constant(expr)`` gives those free of them.
    """
    if expr in varying:
        return lambda v, c: v[expr]
    if not expr.free_symbols & varying:
        return lambda v, c: c(expr)
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        base, n = form(expr.base, varying), int(expr.exp)
        return lambda v, c: repeated(base(v, c), n)
    if not (expr.is_Add or expr.is_Mul):
        raise ProofError(f"certify: {str(expr)[:60]} is not polynomial in the tabulated quantities")
    parts, add = [form(a, varying) for a in expr.args], expr.is_Add

    def value(v, c):
        total = parts[0](v, c)
        for part in parts[1:]:
            total = total + part(v, c) if add else total * part(v, c)
        return total

    return value
