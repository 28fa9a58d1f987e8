"""Quotients and logarithms that neither overflow nor vanish in the middle of a computation.

A density over a tail, ``exp(-t**2)/erfc(t/sqrt(2))``, is harmless for every t, but its parts are not: at t = 40 it
is 0 times infinity in double precision, and ``log(cosh(x))`` is infinite at 1000.  Here the logarithm of a tail, of a
hyperbolic cosine, of a sum of two exponentials, of a gamma function and of Bessel's I_0 becomes one function, also in
products of powers; negative powers ``b**-n`` of the first and the third become ``exp(-n log(b))``, joined with the
other exponentials of a product, a sinh over a cosh becomes a tanh, and a quotient of Bessel functions one of their
ratios to I_0.  All this is closed under differentiation, so the derivatives that a program needs
are steady too.
"""

from sympy import Add, Mul, Pow, S, besseli, cosh, erf, erfc, exp, gamma, log, loggamma, pi, sinh, sqrt, tanh

from ..nodes import holds
from ..numbers.functions.classes import BesselRatio, LogBesselI0, LogCosh, LogErfc, Mills, SoftPlus

__all__ = ["steady"]


def steady(expr):
    """An expression with logarithms, quotients and negative powers of what may overflow in their steady form."""
    return _rebuilt(expr, {}) if holds(expr, (erfc, erf, cosh, exp, gamma, besseli)) else expr


def _rebuilt(expr, known):
    """An expression with its parts made steady, each of them once: derivatives hold the same many times."""
    if not expr.args:
        return expr
    if expr not in known:
        args = [_rebuilt(a, known) for a in expr.args]
        known[expr] = _steady(expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args))
    return known[expr]


def _steady(expr):
    if isinstance(expr, log) and len(expr.args) == 1:
        return _logarithm(expr)
    if isinstance(expr, Pow) and expr.exp.is_Rational and expr.exp.is_negative:
        factor, inner = _taken_out(expr.base, _TAILS)
        return expr if inner is None else factor**expr.exp * exp(expr.exp * inner)
    if isinstance(expr, exp):
        return _exponential(expr.exp)
    return _product(expr) if isinstance(expr, Mul) else expr


def _logarithm(expr):
    """The logarithm of a product of powers with those of its factors that a rule knows, which are positive, apart."""
    known, rest = [], []
    for part in Mul.make_args(expr.args[0]):
        base, n = part.as_base_exp()
        factor, inner = (S.One, n) if isinstance(part, exp) else _taken_out(base, (*_TAILS, _cosh, _gamma, _bessel))
        if inner is None or not n.is_real:
            rest.append(part)
        else:
            known.append(inner if isinstance(part, exp) else n * inner)
            rest.append(factor if isinstance(part, exp) else factor**n)
    return Add(log(Mul(*rest)), *known) if known else expr


def _product(expr):
    """Join exponentials where one of them is that of a logarithm, and make a sinh over a cosh a tanh."""
    exponents = [a.exp for a in expr.args if isinstance(a, exp)]
    if len(exponents) > 1 and any(e.has(LogErfc, SoftPlus) for e in exponents):
        expr = Mul(*(a for a in expr.args if not isinstance(a, exp)), _exponential(Add(*exponents)))
    powers = {a.as_base_exp()[0]: a.as_base_exp()[1] for a in Mul.make_args(expr)}
    for base, n in powers.items():
        below = powers.get(cosh(base.args[0]), S.Zero) if isinstance(base, sinh) else S.Zero
        if n.is_Integer and below.is_Integer and n > 0 > below:
            u, m = base.args[0], min(n, -below)
            expr = expr / (base**m * cosh(u) ** -m) * tanh(u) ** m
    return _bessel_quotients(expr) if isinstance(expr, Mul) else expr


def _exponential(exponent):
    """An exponential in which the large parts of exponents cancel exactly.

    The density over a tail, ``exp(-n*u**2 - n*LogErfc(u))``, is a power of Mills's ratio, and ``u - SoftPlus(u)`` is
    ``-SoftPlus(-u)``.
    """
    ratio = S.One
    for term in Add.make_args(exponent):
        n, tail = term.as_coeff_Mul()
        if isinstance(tail, SoftPlus) and n.is_negative:
            rest = (exponent - term + n * tail.args[0]).expand()
            if len(Add.make_args(rest)) < len(Add.make_args(exponent - term)) or rest == 0:
                exponent = rest + n * SoftPlus(-tail.args[0])
        if not isinstance(tail, LogErfc) or not n.is_negative:
            continue
        square = tail.args[0] ** 2
        parts = [(t / square).cancel() for t in Add.make_args(exponent.expand())]
        if sum((p for p in parts if p.is_number), S.Zero) <= n:
            exponent = (exponent - term - n * square).expand()
            ratio = ratio * (sqrt(pi / 2) * Mills(-sqrt(2) * tail.args[0])) ** -n
    return ratio * exp(exponent)


def _taken_out(expr, rules):
    """``(c, log of b)`` of ``c*b``, c a positive number and b what a rule knows; or (None, None)."""
    for rule in rules:
        found = rule(expr)
        if found is not None:
            return found
    return None, None


def _times(expr):
    """``(c, f)`` of ``c*f`` with a positive number c."""
    factor, function = expr.as_coeff_Mul()
    return (factor, function) if factor.is_positive else (None, None)


def _tail(expr):
    """``c*erfc(u)``, also as ``c - c*erf(u)`` and ``2*c - c*erfc(-u)``."""
    if isinstance(expr, Add) and len(expr.args) == 2:
        number, term = expr.args
        scale, function = term.as_coeff_Mul()
        if isinstance(function, erf) and number.is_Rational and abs(scale) == number:
            return number, LogErfc(function.args[0] if scale.is_negative else -function.args[0])
        if isinstance(function, erfc) and number.is_Rational and scale.is_negative and number == -2 * scale:
            return -scale, LogErfc(-function.args[0])            # sympy writes erfc(-u) as 2 - erfc(u)
    factor, function = _times(expr)
    return (factor, LogErfc(function.args[0])) if isinstance(function, erfc) else None


def _exponentials(expr):
    """``c*exp(u) + d*exp(v)``, or with a positive number in the place of one."""
    if not isinstance(expr, Add) or len(expr.args) != 2:
        return None
    parts = []
    for term in expr.args:
        factor, function = _times(term)
        if factor is None or not (function is S.One or isinstance(function, exp)):
            return None
        parts.append((factor, function.exp if isinstance(function, exp) else S.Zero))
    (c, u), (d, v) = sorted(parts, key=lambda part: part[1] != 0)
    return c, u + SoftPlus(v - u + log(d / c))


def _cosh(expr):
    factor, function = _times(expr)
    return (factor, LogCosh(function.args[0])) if isinstance(function, cosh) else None


def _bessel(expr):
    factor, function = _times(expr)
    is_positive = isinstance(function, besseli) and function.args[0] == 0 and function.args[1].is_real
    return (factor, LogBesselI0(function.args[1])) if is_positive else None


def _bessel_quotients(expr):
    """A product with as many Bessel functions I above as below, of one argument, in ratios to I_0."""
    found = {}
    for part in expr.args:
        base, n = part.as_base_exp()
        if isinstance(base, besseli) and base.args[0].is_Integer and base.args[1].is_real and n.is_Integer:
            found.setdefault(base.args[1], []).append((base, n))
    for rows in found.values():
        if sum(n for _, n in rows) == 0:
            expr = expr * Mul(*((BesselRatio(*base.args) / base) ** n for base, n in rows))
    return expr


def _gamma(expr):
    factor, function = _times(expr)
    is_positive = isinstance(function, gamma) and function.args[0].is_positive
    return (factor, loggamma(function.args[0])) if is_positive else None


_TAILS = (_tail, _exponentials)
