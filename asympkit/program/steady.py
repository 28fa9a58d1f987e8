"""Quotients by tails of the normal that neither overflow nor vanish in the middle of a computation.

A density over a tail, ``exp(-t**2)/erfc(t/sqrt(2))``, is harmless for every t, but its parts are not: at t = 40 it
is 0 times infinity in double precision.  Here powers ``erfc(u)**-n`` become ``exp(-n log_erfc(u))``, joined with the
other exponentials of a product, and ``log(erfc(u))`` becomes one function.  It is closed under differentiation, so
the derivatives that a program needs are steady too.
"""

from sympy import Add, Function, Mul, Pow, erf, erfc, exp, log, pi, sqrt

__all__ = ["LogErfc", "plain", "steady"]


class LogErfc(Function):
    """``log(erfc(x))`` of a real x, for programs only: people read and write the logarithm."""

    nargs = 1

    def fdiff(self, argindex=1):
        x = self.args[0]
        return -2 * exp(-(x**2) - self) / sqrt(pi)

    def _eval_is_extended_real(self):
        return self.args[0].is_extended_real

    _eval_is_real = _eval_is_extended_real

    def _sympystr(self, printer):
        return f"log(erfc({printer._print(self.args[0])}))"


def steady(expr):
    """An expression with logarithms and negative powers of erfc in their steady form."""
    return _rebuilt(expr, _steady) if expr.has(erfc, erf) else expr


def plain(expr):
    """The same as people write it, for proofs, which have no overflow but look at poles and branch cuts."""
    return _rebuilt(expr, _plain) if expr.has(LogErfc) else expr


def _plain(expr):
    return log(erfc(expr.args[0])) if isinstance(expr, LogErfc) else expr


def _rebuilt(expr, change):
    if not expr.args:
        return expr
    args = [_rebuilt(a, change) for a in expr.args]
    return change(expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args))


def _steady(expr):
    if isinstance(expr, log):
        factor, u = _tail(expr.args[0])
        return expr if u is None else log(factor) + LogErfc(u)
    if isinstance(expr, Pow) and expr.exp.is_Rational and expr.exp.is_negative:
        factor, u = _tail(expr.base)
        return expr if u is None else factor**expr.exp * exp(expr.exp * LogErfc(u))
    if isinstance(expr, Mul):
        exponents = [a.exp for a in expr.args if isinstance(a, exp)]
        if len(exponents) > 1 and any(e.has(LogErfc) for e in exponents):
            return Mul(*(a for a in expr.args if not isinstance(a, exp)), exp(Add(*exponents)))
    return expr


def _tail(expr):
    """(c, u) of ``c*erfc(u)``, c a positive number, also as ``c - c*erf(u)``, ``2*c - c*erfc(-u)``; or (None, None)."""
    if isinstance(expr, Add) and len(expr.args) == 2:
        number, term = expr.args
        scale, function = term.as_coeff_Mul()
        if isinstance(function, erf) and number.is_Rational and abs(scale) == number:
            return number, function.args[0] if scale.is_negative else -function.args[0]
        if isinstance(function, erfc) and number.is_Rational and scale.is_negative and number == -2 * scale:
            return -scale, -function.args[0]            # sympy writes erfc(-u) as 2 - erfc(u)
    factor, function = expr.as_coeff_Mul() if isinstance(expr, Mul) else (1, expr)
    if isinstance(function, erfc) and factor > 0:
        return factor, function.args[0]
    return None, None
