"""Evaluate an expression without averages in a number system, recursively."""

from sympy import Add, Integer, Max, Min, Mul, Pow, Rational, Symbol
from sympy.core.numbers import Exp1, Float, Pi


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
        return above if below is None else above / below
    if isinstance(expr, Pow):
        return _power(expr, values, numbers)
    if isinstance(expr, Max | Min):
        parts = [evaluate(a, values, numbers) for a in expr.args]
        return (numbers.maximum if isinstance(expr, Max) else numbers.minimum)(*parts)
    return numbers.function(type(expr).__name__, *[evaluate(a, values, numbers) for a in expr.args])


def _power(expr, values, numbers):
    base, power = expr.args
    if base.is_Number is False and power.could_extract_minus_sign():
        return 1 / evaluate(base ** (-power), values, numbers)
    if isinstance(expr, Pow) and type(base) is Exp1:
        return numbers.function("exp", evaluate(power, values, numbers))
    b = evaluate(base, values, numbers)
    if isinstance(power, Integer):
        if int(power) < 0:
            return 1 / b ** (-int(power))
        return b ** int(power)
    if power == Rational(1, 2):
        return numbers.sqrt(b if hasattr(b, "__len__") else numbers.number(b))
    return b ** evaluate(power, values, numbers)
