"""Derivative of an expression almost everywhere: jumps and kinks contribute nothing."""

import sympy as sp

from ..numbers.functions import entry

__all__ = ["derivative"]


def derivative(expr, z):
    """Return the derivative where it exists: sign and Heaviside have derivative 0, ``Abs(u)`` has ``sign(u)*u'``."""
    if not expr.has(z):
        return sp.S.Zero
    if expr == z:
        return sp.S.One
    if expr.is_Add:
        return sp.Add(*(derivative(a, z) for a in expr.args))
    if expr.is_Mul:
        number, factors = expr.as_independent(z, as_Add=False)
        return number * _product(sp.Mul.make_args(factors), z)
    if isinstance(expr, sp.exp):
        return expr * derivative(expr.args[0], z)
    if expr.is_Pow:
        base, exponent = expr.args
        if not exponent.has(z):
            return exponent * base ** (exponent - 1) * derivative(base, z)
        return expr * derivative(exponent * sp.log(base), z)
    if isinstance(expr, sp.Piecewise):
        return sp.Piecewise(*((derivative(value, z), condition) for value, condition in expr.args))
    if isinstance(expr, sp.Max | sp.Min):
        return _extremum(expr, z)
    if isinstance(expr, sp.sign | sp.Heaviside):
        return sp.S.Zero
    if isinstance(expr, sp.Abs):
        return sp.sign(expr.args[0]) * derivative(expr.args[0], z)
    if isinstance(expr, sp.log):
        return _logarithm(expr.args[0], z)
    known = entry(type(expr).__name__)
    first = 0 if known is None else known.orders
    return sp.Add(*(expr.fdiff(k + 1) * derivative(expr.args[k], z) for k in range(first, len(expr.args))
                    if expr.args[k].has(z)))


def _product(factors, z):
    """Halve long products, so that the derivative stays small."""
    if len(factors) == 1:
        return derivative(factors[0], z)
    half = len(factors) // 2
    left, right = factors[:half], factors[half:]
    return sp.Mul(*right) * _product(left, z) + sp.Mul(*left) * _product(right, z)


def _logarithm(u, z):
    """Take tanh for a hyperbolic cosine at once, as the quotient sinh/cosh overflows."""
    _, factor = u.as_independent(z, as_Add=False)
    if isinstance(factor, sp.cosh):
        return sp.tanh(factor.args[0]) * derivative(factor.args[0], z)
    return derivative(u, z) / u


def _extremum(expr, z):
    """Take the derivative of ``rest`` at a tie: the part that does not move for max(0, z)."""
    first, *others = sorted(expr.args, key=lambda a: (not a.has(z), sp.default_sort_key(a)))
    rest = expr.func(*others)
    gap = first - rest if isinstance(expr, sp.Max) else rest - first
    slope, other = derivative(first, z), derivative(rest, z)
    return other + sp.Heaviside(gap, 0) * (slope - other)
