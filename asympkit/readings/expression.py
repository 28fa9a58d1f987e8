"""Evaluate an expression without averages in a number system, recursively."""

import operator
from functools import reduce

import numpy as np
from sympy import Add, Integer, Max, Min, Mul, Piecewise, Pow, Rational, Symbol
from sympy.core.numbers import Exp1, Float, Pi
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, BooleanAtom, Not, Or

_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
            "!=": operator.ne}


def evaluate(expr, values, numbers):
    """Value of an expression; symbols may stand for numbers or arrays.

    Parameters
    ----------
    expr : Expr
        Sums, products, powers and elementary functions of symbols and exact numbers.
    values : dict
        ``{symbol: number or array}``.
    numbers : Floats or Digits
    """
    if isinstance(expr, Symbol):
        return values[expr]
    if isinstance(expr, Integer):
        return int(expr)
    if isinstance(expr, Rational):
        return numbers.rational(int(expr.p), int(expr.q))
    if isinstance(expr, Float):
        return numbers.number(float(expr))
    if isinstance(expr, Pi | Exp1):
        return numbers.constant("pi" if isinstance(expr, Pi) else "E")
    if isinstance(expr, Add):
        total = evaluate(expr.args[0], values, numbers)
        for a in expr.args[1:]:
            total = total + evaluate(a, values, numbers)
        return total
    if isinstance(expr, Mul):
        above, below = None, None
        for a in expr.args:
            if isinstance(a, Pow) and a.exp.could_extract_minus_sign():
                v = evaluate(1 / a, values, numbers)
                below = v if below is None else below * v
            else:
                v = evaluate(a, values, numbers)
                above = v if above is None else above * v
        above = 1 if above is None else above
        return above if below is None else numbers.quotient(above, below)
    if isinstance(expr, Pow):
        return _power(expr, values, numbers)
    if isinstance(expr, Max | Min):
        better = operator.gt if isinstance(expr, Max) else operator.lt
        return reduce(lambda a, b: _better(better, a, b), [evaluate(a, values, numbers) for a in expr.args])
    if isinstance(expr, Piecewise):
        return _cases(expr.args, values, numbers)
    return numbers.function(type(expr).__name__, *[evaluate(a, values, numbers) for a in expr.args])


def _power(expr, values, numbers):
    base, power = expr.args
    if base.is_Number is False and power.could_extract_minus_sign():
        return numbers.quotient(1, evaluate(base ** (-power), values, numbers))
    if isinstance(expr, Pow) and type(base) is Exp1:
        return numbers.function("exp", evaluate(power, values, numbers))
    b = evaluate(base, values, numbers)
    if isinstance(power, Integer):
        if int(power) < 0:
            return numbers.quotient(1, b ** (-int(power)))
        return b ** int(power)
    if power == Rational(1, 2):
        return numbers.sqrt(b if hasattr(b, "__len__") else numbers.number(b))
    return numbers.real(b ** evaluate(power, values, numbers))


def _better(better, a, b):
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.where(better(a, b).astype(bool), a, b)
    return a if better(a, b) else b


def _cases(pairs, values, numbers):
    """The value of the first pair whose condition holds, for arrays entry by entry; only what is taken is evaluated."""
    if not pairs:
        return numbers.constant("nan")
    (value, condition), *rest = pairs
    holds = _holds(condition, values, numbers)
    if not isinstance(holds, np.ndarray):
        return evaluate(value, values, numbers) if holds else _cases(rest, values, numbers)
    out = np.empty(holds.shape, dtype=object)
    for taken, part in ((holds, lambda inside: evaluate(value, inside, numbers)),
                        (~holds, lambda inside: _cases(rest, inside, numbers))):
        if taken.any():
            out[taken] = part({s: v[taken] if isinstance(v, np.ndarray) else v for s, v in values.items()})
    return out.astype(numbers.dtype)


def _holds(condition, values, numbers):
    if isinstance(condition, BooleanAtom):
        return bool(condition)
    if isinstance(condition, Relational):
        holds = _COMPARE[condition.rel_op](evaluate(condition.lhs, values, numbers),
                                           evaluate(condition.rhs, values, numbers))
        return holds.astype(bool) if isinstance(holds, np.ndarray) else bool(holds)
    parts = [_holds(a, values, numbers) for a in condition.args]
    combine = {And: np.logical_and, Or: np.logical_or, Not: np.logical_not}[type(condition)]
    return combine(*parts) if isinstance(condition, Not) else reduce(combine, parts)
