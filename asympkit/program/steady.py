"""Quotients and logarithms that neither overflow nor vanish in the middle of a computation.

A density over a tail, ``exp(-t**2)/erfc(t/sqrt(2))``, is harmless for every t, but its parts are not: at t = 40 it
is 0 times infinity in double precision, and ``log(cosh(x))`` is infinite at 1000.  Here the logarithm of a tail, of a
hyperbolic cosine, of a sum of exponentials, of a gamma function and of Bessel's I_0 becomes one function, also in
products of powers; negative powers ``b**-n`` of the first and the third become ``exp(-n log(b))``, joined with the
other exponentials of a product, a sinh over a cosh becomes a tanh, and a quotient of Bessel functions one of their
ratios to I_0.  Of a sum of exponentials whose factors have no known sign the largest is taken out, in logarithms and in
quotients, and ``x*log(x)`` is 0 at 0.  All this is closed under differentiation, so the derivatives that a program
needs are steady too.
"""

from functools import reduce

from sympy import Add, Mul, Pow, S, besseli, cosh, erf, erfc, exp, gamma, log, loggamma, pi, sinh, sqrt, tanh

from ..nodes import Average, holds
from ..numbers.functions.classes import (
    BesselRatio,
    Larger,
    LogBesselI0,
    LogCosh,
    LogErfc,
    Mills,
    Side,
    SoftPlus,
    XLogX,
)

__all__ = ["steady"]

#: what exponents are made of that come out of the rules: products with them may be 0 times infinity
_LARGE = (Larger, LogCosh, LogErfc, SoftPlus)


def steady(expr, for_proof=False):
    """Return an expression with logarithms, quotients and negative powers of what may overflow in their steady form.

    Nothing overflows in balls: for proofs no largest exponent is taken out.
    """
    if not holds(expr, (erfc, erf, cosh, exp, log, gamma, besseli)):
        return expr
    found = _rebuilt(expr, {}, for_proof)
    return found if for_proof else found.replace(lambda e: isinstance(e, Mul) and holds(e, (erfc, erf)), _scaled_tail)


def _rebuilt(expr, known, for_proof):
    """Return an expression with its parts made steady, each of them once: derivatives hold the same many times."""
    if not expr.args:
        return expr
    if expr not in known:
        args = [_rebuilt(a, known, for_proof) for a in expr.args]
        known[expr] = _steady(expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args), for_proof)
    return known[expr]


def _steady(expr, for_proof):
    sums = () if for_proof else (_largest_out,)
    if isinstance(expr, log) and len(expr.args) == 1:
        return _logarithm(expr, _LOGARITHMS if for_proof else (*_LOGARITHMS, _logarithm_of_sum))
    if isinstance(expr, Mul | Pow) and not for_proof:
        expr = _hyperbolic(expr)
    if isinstance(expr, Pow) and expr.exp.is_Rational and expr.exp.is_negative:
        factor, inner = _taken_out(expr.base, (*_TAILS, *sums) if expr.base.is_Add else _TAILS)
        return expr if inner is None else factor**expr.exp * exp(expr.exp * inner)
    if isinstance(expr, exp):
        return _exponential(expr.exp)
    return _product(expr, sums) if isinstance(expr, Mul) else expr


def _logarithm(expr, rules):
    """Return the logarithm of a product of powers with those of its factors that a rule knows, which are positive,
    apart."""
    known, rest = [], []
    for part in Mul.make_args(expr.args[0]):
        base, n = part.as_base_exp()
        factor, inner = (S.One, n) if isinstance(part, exp) else _taken_out(base, rules)
        if inner is None or not n.is_real:
            rest.append(part)
        else:
            known.append(inner if isinstance(part, exp) else n * inner)
            rest.append(factor if isinstance(part, exp) else factor**n)
    return Add(log(Mul(*rest)), *known) if known else expr


def _product(expr, sums):
    """Join exponentials where one of them is that of a logarithm, and make a sinh over a cosh a tanh."""
    expr = _entropies(expr)
    if not isinstance(expr, Mul):
        return expr
    exponents = [a.exp for a in expr.args if isinstance(a, exp)]
    means = [a for a in expr.args if isinstance(a, Average) and holds(a, (Larger,))]
    if exponents and len(means) == 1:           # which took them out, and may be too large without
        inside = _product(Mul(means[0].integrand, *map(exp, exponents)), sums)
        return Mul(*(a for a in expr.args if not isinstance(a, exp) and a is not means[0]),
                   Average(inside, means[0].measure))
    if any(e.has(*_LARGE) for e in exponents):
        rest = [a for a in expr.args if not isinstance(a, exp)]
        for k, (base, n) in enumerate(a.as_base_exp() for a in rest):
            factor, inner = _taken_out(base, sums)
            factor, inner = (base, S.Zero) if inner is None else (factor, inner)
            rest[k], exponents = factor**n, [*exponents, n * inner]
        expr = Mul(*rest, _exponential(Add(*exponents)))
    powers = {a.as_base_exp()[0]: a.as_base_exp()[1] for a in Mul.make_args(expr)}
    for base, n in powers.items():
        below = powers.get(cosh(base.args[0]), S.Zero) if isinstance(base, sinh) else S.Zero
        if n.is_Integer and below.is_Integer and n > 0 > below:
            u, m = base.args[0], min(n, -below)
            expr = expr / (base**m * cosh(u) ** -m) * tanh(u) ** m
    return _bessel_quotients(expr) if isinstance(expr, Mul) else expr


def _hyperbolic(expr):
    """Return a product with powers of a cosh that are no natural ones as exponentials, each sinh beside it as a
    tanh."""
    parts = [a.as_base_exp() for a in Mul.make_args(expr)]
    scaled = {base: found for base, n in parts if (found := _cosh(base)) and not (n.is_Integer and n > 0)}
    inside = {found[1].args[0] for found in scaled.values()}
    if not inside:
        return expr
    powers, rest, exponent = dict.fromkeys(inside, S.Zero), S.One, S.Zero
    for base, n in parts:
        factor, logarithm = _cosh(base) or (base, None)
        if logarithm is not None and logarithm.args[0] in inside:
            (u,) = logarithm.args
            if not n.is_number and factor == 2:         # in one, because exp(n*log(2)) leaves the exponent by itself
                exponent += n * (SoftPlus(2 * u) - u)
            else:
                powers[u] += n
                rest = rest * factor**n
        elif isinstance(base, sinh) and n.is_Integer and base.args[0] in inside:
            powers[base.args[0]] += n
            rest = rest * tanh(base.args[0]) ** n
        else:
            rest = rest * base**n
    return rest * _exponential(Add(exponent, *(n * LogCosh(u) for u, n in powers.items())))


def _exponential(exponent):
    """Return an exponential in which the large parts of exponents cancel exactly.

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
        square, before = tail.args[0] ** 2, Add.make_args((exponent - term).expand())
        after = (Add(*before) - n * square).expand()
        if after == 0 or len(Add.make_args(after)) < len(before) or (Add(*before) / square).cancel() <= n:
            exponent = after
            ratio = ratio * (sqrt(pi / 2) * Mills(-sqrt(2) * tail.args[0])) ** -n
    return ratio * exp(exponent)


def _scaled_tail(product):
    """Return ``exp(e)*erfc(u)``, whose parts may overflow and vanish, as ``exp(e - u**2)`` times a scaled tail.

    That is where ``u > 0``, with fewer terms left in the exponent, as of the mean of ``exp(-abs(h + a*z))``; elsewhere
    ``erfc(u) = 2 - erfc(-u)``.
    """
    exponent = Add(*(a.exp for a in product.args if isinstance(a, exp)))
    for part in product.args:
        factor, tail = _taken_out(part, (_tail,))
        if tail is None or exponent == 0 or exponent.is_nonpositive:
            continue
        (u,) = tail.args
        after = (exponent - u**2).expand()
        if len(Add.make_args(after)) < len(Add.make_args(exponent.expand())):
            s = Side(u)
            scaled = exp(after) / (sqrt(pi / 2) * Mills(-sqrt(2) * s * u))
            rest = Mul(factor, *(a for a in product.args if a is not part and not isinstance(a, exp)))
            return rest * ((1 - s) * exp((1 - s) / 2 * exponent) + s * scaled)
    return product


def _taken_out(expr, rules):
    """Return ``(c, log of b)`` of ``c*b``, c a positive number and b known to a rule; or (None, None)."""
    return next((found for rule in rules if (found := rule(expr)) is not None), (None, None))


def _times(expr):
    """Return ``(c, f)`` of ``c*f`` with a positive number c."""
    factor, function = expr.as_coeff_Mul()
    return (factor, function) if factor.is_positive else (None, None)


def _tail(expr):
    """Match ``c*erfc(u)``, also as ``c - c*erf(u)`` and ``2*c - c*erfc(-u)``."""
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
    """Match ``c*exp(u) + d*exp(v)``, or with a positive number in the place of one."""
    if not isinstance(expr, Add) or len(expr.args) != 2:
        return None
    parts = []
    for term in expr.args:
        factor, function = _times(term)
        if factor is None or not (function is S.One or isinstance(function, exp)):
            return None
        parts.append((factor, function.exp if isinstance(function, exp) else S.Zero))
    (c, u), (d, v) = sorted(parts, key=lambda part: part[1] != 0)
    if c == d and u == -v:
        return 2 * c, LogCosh(u)
    return c, u + SoftPlus(v - u + log(d / c))


def _terms(expr):
    """Return ``{u: c}`` of a sum of ``c*exp(u)`` of which some may be too large or all too small, or None."""
    if not isinstance(expr, Add | sinh | cosh):
        return None
    found = {}
    for term in Add.make_args(expr):
        c, u = S.One, S.Zero
        for part in Mul.make_args(term):
            (base, n), (factor, inner) = part.as_base_exp(), (part, S.Zero)
            if isinstance(part, exp):
                factor, inner = S.One, part.exp
            elif n.is_Integer and n > 0 and isinstance(base, sinh | cosh):
                (v,) = base.args
                factor, inner = S.One if isinstance(base, cosh) else tanh(v) ** n, n * LogCosh(v)
            elif n.is_Integer and n > 0 and (tail := _tail(base)):
                factor, inner = tail[0] ** n, n * tail[1]
            c, u = c * factor, u + inner
        found[u] = found.get(u, S.Zero) + c
    for u in [u for u in found if -u in found and u != 0 and u.could_extract_minus_sign()]:
        if found[u] in (found[-u], -found[-u]):
            ratio, c = found.pop(u) / found[-u], found.pop(-u)
            found[LogCosh(u)] = found.get(LogCosh(u), S.Zero) + 2 * c * (1 if ratio == 1 else tanh(-u))
    plain = [u.xreplace(dict.fromkeys(u.atoms(LogErfc), S.Zero)) for u in found]
    is_tame = any(u.has(Larger) for u in found) or S.Zero in found and all(u.is_nonpositive for u in plain)
    return None if is_tame or set(found) == {S.Zero} else found


def _largest_out(expr):
    """Return ``(sum of c*exp(u - m), m)`` with the largest exponent m of a sum of exponentials."""
    terms = _terms(expr)
    if terms is None:
        return None
    largest = reduce(Larger, sorted(terms, key=str))
    return Add(*(c * exp(u - largest) for u, c in terms.items())), largest


def _logarithm_of_sum(expr):
    """Return ``(c, log of b)`` as rules give it, of a sum of exponentials."""
    terms = _terms(expr)
    if terms is None:
        return None
    if not all(c.is_positive for c in terms.values()):
        inside, largest = _largest_out(expr)
        return S.One, largest + log(inside)
    (u, c), *others = sorted(terms.items(), key=lambda term: (term[0] != 0, str(term[0])))
    found = u
    for v, d in others:
        found = found + SoftPlus(v - found + log(d / c))
    return c, found


def _entropies(expr):
    """Return a product of a power of x and the logarithm of x, or of a positive multiple, as a function that is 0 at
    0."""
    for part in (a for a in expr.args if isinstance(a, log)):
        for factor in (a for a in expr.args if a is not part and a.free_symbols):
            for x, n in ((factor, S.One), factor.as_base_exp()):
                rest = _ratio(part.args[0], x)
                is_multiple = x.free_symbols.isdisjoint(rest.free_symbols)
                if n.is_Rational and n > 0 and rest.is_positive and is_multiple:
                    return Add(*(a * expr / (part * factor) for a in (XLogX(factor) / n, log(rest) * factor)))
    return expr


def _ratio(a, b):
    """Return the quotient of two expressions, of sums by what they have in common."""
    (m, a), (n, b) = (e.primitive() if e.is_Add else e.as_coeff_Mul() for e in (a, b))
    return m * a / (n * b)


def _cosh(expr):
    factor, function = _times(expr)
    return (factor, LogCosh(function.args[0])) if isinstance(function, cosh) else None


def _bessel_quotients(expr):
    """Return a product with as many Bessel functions I above as below, of one argument, in ratios to I_0."""
    found = {}
    for part in expr.args:
        base, n = part.as_base_exp()
        if isinstance(base, besseli) and base.args[0].is_Integer and base.args[1].is_real and n.is_Integer:
            found.setdefault(base.args[1], []).append((base, n))
    for rows in found.values():
        if sum(n for _, n in rows) == 0:
            expr = expr * Mul(*((BesselRatio(*base.args) / base) ** n for base, n in rows))
    return expr


def _special(expr):
    factor, function = _times(expr)
    if isinstance(function, gamma) and function.args[0].is_positive:
        return factor, loggamma(function.args[0])
    is_bessel = isinstance(function, besseli) and function.args[0] == 0 and function.args[1].is_real
    return (factor, LogBesselI0(function.args[1])) if is_bessel else None


_TAILS = (_tail, _exponentials)
_LOGARITHMS = (*_TAILS, _cosh, _special)
