"""Quotients, roots and logarithms that neither overflow nor vanish in the middle of a computation.

A density over a tail, ``exp(-t**2)/erfc(t/sqrt(2))``, is harmless for every t, but its parts are not: at t = 40 it
is 0 times infinity in double precision, and ``log(cosh(x))`` is infinite at 1000.  Here an expression is carried as
``c*exp(u)``, c of moderate size, through products, powers and sums (:func:`_scaled`): a logarithm is ``u + log(c)``,
a root or a negative power ``c**n*exp(n*u)``, and exponents of one product are added before an exponential is taken.
Equal terms of an exponent cancel there exactly, so that the density becomes Mills's ratio.  Of a sum the largest
exponential is taken out, unless it is a positive number plus what is positive, a softplus; a difference of two becomes
their sum times a tanh.  What is left of ``log(1 + x)`` and ``exp(x) - 1`` has functions of its own, with all digits
near 0.  A quotient of Bessel functions is one of their ratios to I_0, and ``x*log(x)`` is 0 at 0.  All
this is closed under differentiation, so the derivatives that a program needs are steady too.
"""

from functools import lru_cache, partial, reduce

from sympy import Add, Mul, Pow, S, besseli, cosh, erf, erfc, exp, expand_mul, gamma, log, loggamma, sinh, sqrt, tanh

from ..nodes import Average, holds
from ..numbers.functions import classes as own

#: functions that are their argument near 0, and the logarithm of an argument where they are, to all digits
_LINEAR, _UNDERFLOW = (erf, sinh, tanh), log(own.SlopeSize(S.Zero))


def steady(expr, for_proof=False):
    """Return an expression with logarithms, quotients and roots of what may overflow in their steady form.

    Nothing overflows in balls: for proofs no largest exponent is taken out, and radii tell what cancels.
    """
    found = _rebuilt(expr, {}, partial(_steady, proof=for_proof))
    return found if for_proof else _rebuilt(found, {}, own.write_near_one)


def _rebuilt(expr, known, rule):
    """Apply a rule to the parts of an expression, to each of them once: derivatives hold the same many times."""
    if not expr.args:
        return expr
    if expr not in known:
        args = [_rebuilt(a, known, rule) for a in expr.args]
        known[expr] = rule(expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args))
    return known[expr]


def _steady(expr, proof):
    if isinstance(expr, log | Pow) and (product := _factored(expr.args[0])) is not None:
        return expr.func(product, *expr.args[1:])
    if isinstance(expr, log) and len(expr.args) == 1:
        c, u = _scaled(expr.args[0], proof, in_log=True)
        if u == 0:
            return expr
        ratio, u = _cancelled(u, proof)
        return u + log(c * ratio)
    if isinstance(expr, exp):
        return _exponential(expr.exp, proof)
    if isinstance(expr, Pow) and expr.exp.is_real and not (expr.exp.is_Integer and expr.exp.is_positive):
        c, u = _scaled(expr.base, proof)
        if c == 2 and not expr.exp.is_number and isinstance(u, own.LogCosh):  # sympy takes 2**n, large, out
            c, u = S.One, own.SoftPlus(2 * u.args[0]) - u.args[0]
        return expr if u == 0 else c**expr.exp * _exponential(expr.exp * u, proof)
    return _product(expr, proof) if isinstance(expr, Mul) else expr


def _factored(expr):
    """Return ``a**2 - b**2`` of numbers and a symbol as a product, in which nothing cancels before it is rounded."""
    number, term = expr.args if isinstance(expr, Add) and len(expr.args) == 2 else (S.One, S.One)
    n, square = term.as_coeff_Mul()
    s, two = square.as_base_exp()
    a, b = sqrt(number), sqrt(-n)
    return (a - b * s) * (a + b * s) if two == 2 and s.is_Symbol and a.is_Rational and b.is_Rational else None


@lru_cache(maxsize=20_000)
def _scaled(expr, proof=False, in_log=False):
    """Return ``(c, u)`` of ``expr = c*exp(u)``, u with all that may be large, or 0; logarithms also need the digits of
    a term that is added to 1."""
    if isinstance(expr, exp):
        return S.One, expr.exp
    if isinstance(expr, own.ExpMinusOne):
        return _scaled(expr.stands_for(), proof, in_log)
    if (tail := _tail(expr)) is not None:
        return tail
    if isinstance(expr, Mul):
        parts = [_scaled(a, proof, in_log) for a in expr.args]
        return Mul(*(c for c, _ in parts)), Add(*(u for _, u in parts))
    base, n = expr.as_base_exp()
    if isinstance(base, own.Mills) and not (proof or holds(base, (own.Side,))) and (in_log or n.is_negative):
        v = -base.args[0] / sqrt(2)
        c, u = _by_sides(-n * own.LogErfc(v))
        return sqrt(2 / S.Pi) ** n * c, u - n * v**2
    if isinstance(expr, Pow) and expr.exp.is_real:
        c, u = _scaled(expr.base, proof, in_log)
        return (expr, S.Zero) if u == 0 else (c**expr.exp, expr.exp * u)
    if isinstance(expr, Add):
        return _sum(expr, proof, in_log)
    if isinstance(expr, cosh) and (in_log or not proof):
        return S.One, own.LogCosh(*expr.args)
    if isinstance(expr, sinh) and not proof:
        c, u = _scaled(tanh(*expr.args), proof, in_log)
        return c, u + own.LogCosh(*expr.args)
    if isinstance(expr, gamma) and expr.args[0].is_positive and in_log:
        return S.One, loggamma(*expr.args)
    if isinstance(expr, besseli) and expr.args[0] == 0 and expr.args[1].is_real and in_log:
        return S.One, own.LogBesselI0(expr.args[1])
    return (expr, S.Zero) if proof else _underflow(expr)


def _underflow(expr):
    """Return a function that is its argument near 0 with the exponential that underflows there taken out."""
    if isinstance(expr, own.SoftPlus):
        c, u = S.One, expr.args[0]
    elif isinstance(expr, _LINEAR):
        c, u = _scaled(*expr.args)
    else:
        return expr, S.Zero
    if u.is_number or u.is_nonnegative or holds(u, (own.SlopeSize,)):
        return expr, S.Zero
    below = -own.Larger(0, _UNDERFLOW - u)
    return expr.func(u - below if isinstance(expr, own.SoftPlus) else c * exp(u - below)), below


def _tail(expr):
    """Match ``erfc(u)``, ``c - c*erf(u)``, ``2*c - c*erfc(-u)``, ``c - c*tanh(u)`` and ``c - c*tanh(u)**2``."""
    if isinstance(expr, Add) and len(expr.args) == 2:
        number, term = expr.args
        scale, function = term.as_coeff_Mul()
        if isinstance(function, erf | tanh) and number.is_Rational and abs(scale) == number:
            u = function.args[0] if scale.is_negative else -function.args[0]
            if isinstance(function, erf):
                return number, own.LogErfc(u)
            return None if u.is_nonpositive else (2 * number, -own.SoftPlus(2 * u))
        if isinstance(function, Pow) and function.exp == 2 and isinstance(function.base, tanh) and scale == -number:
            return number, -2 * own.LogCosh(*function.base.args)
        if isinstance(function, erfc) and number.is_Rational and scale.is_negative and number == -2 * scale:
            return -scale, own.LogErfc(-function.args[0])            # sympy writes erfc(-u) as 2 - erfc(u)
    return (S.One, own.LogErfc(*expr.args)) if isinstance(expr, erfc) and not holds(expr, (own.Side,)) else None


def _sum(expr, proof, in_log):
    """Return ``(c, u)`` of a sum."""
    found = {}
    for term in expr.args:
        c, u = _scaled(term, proof, in_log)
        found[u] = found.get(u, S.Zero) + c
    is_rest = all(any(isinstance(-a, own.Larger) and not a.has(own.SlopeSize) for a in Add.make_args(u)) for u in found)
    if is_rest or set(found) == {S.Zero}:
        return expr, S.Zero
    for u in [u for u in found if -u in found and u != 0 and u.could_extract_minus_sign()]:
        if found[u] == found[-u]:
            found[own.LogCosh(u)] = found.get(own.LogCosh(u), S.Zero) + found.pop(u) + found.pop(-u)
    common = Add(*set.intersection(*(set(Add.make_args(u)) for u in found)))
    if common != 0:
        c, u = _sum_of({u - common: c for u, c in found.items()}, proof, in_log)
        return c, u + common
    return _sum_of(found, proof, in_log)


def _sum_of(found, proof, in_log):
    """Return ``(c, u)`` of the sum of ``c*exp(u)`` over ``{u: c}``."""
    plain = Add(*(c * exp(u) for u, c in found.items())), S.Zero
    if len(found) == 1:
        return next((c, u) for u, c in found.items())
    number, others = found.get(S.Zero, S.Zero), {u: c for u, c in found.items() if u != 0}
    are_positive = all(c.xreplace(dict.fromkeys(c.atoms(erfc), S.One)).is_positive for c in others.values())
    are_plain = all(c.is_number for c in others.values()) and not any(holds(u, (own.LogErfc,)) for u in others)
    if number.is_number and number.is_positive and are_positive and (in_log or are_plain):
        c, u = _sum_of(others, proof, in_log)
        ratio, u = _cancelled(u, proof)
        return number, own.SoftPlus(u + log(c * ratio / number))
    if len(found) == 2 and Add(*found.values()) == 0:
        return _difference(found, proof, in_log)
    if proof or S.Zero in found and all(_sign(u) in (0, -1) for u in found):
        return plain
    terms = {}
    for u, c in found.items():
        factor, u = _by_sides(u)
        terms[u] = terms.get(u, S.Zero) + c * factor
    largest = reduce(own.Larger, sorted(terms, key=str))
    return Add(*(c * exp(u - largest) for u, c in terms.items())), largest


def _sign(exponent):
    """Return 0, the sign of an exponent where it has one, or None."""
    exponent = exponent.xreplace(dict.fromkeys(exponent.atoms(own.LogErfc), S.NegativeOne))
    return 0 if exponent.is_zero else -1 if exponent.is_nonpositive else 1 if exponent.is_nonnegative else None


def _difference(terms, proof, in_log):
    """Return ``(c, u)`` of ``c*exp(u) - c*exp(v)``: the sum times a tanh; near a number, the softplus of a quotient."""
    (u, c), (v, _) = sorted(terms.items(), key=lambda term: (term[0] != 0, str(term[0])))
    if in_log and u == 0 and c.is_positive:
        return c, -own.SoftPlus(-own.SoftPlus(-v) - _steady(log(tanh(-v / 2)), proof))
    (d, w), (ratio, below) = _sum(exp(u) + exp(v), proof, in_log), _scaled(tanh((u - v) / 2), proof)
    return c * ratio * d, w + below


def _by_sides(exponent):
    """Return ``(c, u)`` of an exponential of logarithms of tails, in squares that cancel others exactly: on the right,
    erfc(v) is ``exp(-v**2)`` over Mills's ratio, and it has no exponential on the left."""
    c = S.One
    for tail in exponent.atoms(own.LogErfc):
        (v,) = tail.args
        n = exponent.coeff(tail)
        number, rest = v.as_independent(*v.free_symbols, as_Add=False)
        side = 1 if v.is_nonnegative else -1 if v.is_nonpositive else \
            own.Side(rest) if number.is_positive else -own.Side(rest) if number.is_negative else own.Side(v)
        c = c * (sqrt(2 / S.Pi) * erfc((1 - side) * v / 2) / own.Mills(-sqrt(2) * (1 + side) * v / 2)) ** n
        exponent = exponent - n * tail - expand_mul(n * (1 + side) * v**2 / 2)
    return c, exponent


def _product(expr, proof):
    """Add the exponents of a product where one may be large and another small."""
    expr = _entropies(expr)
    if not isinstance(expr, Mul):
        return expr
    exponents = [a.exp for a in expr.args if isinstance(a, exp)]
    means = [a for a in expr.args if isinstance(a, Average) and holds(a, (own.Larger,))]
    if exponents and len(means) == 1:           # which took them out, and may be too large without
        inside = _product(Mul(means[0].integrand, *map(exp, exponents)), proof)
        return Mul(*(a for a in expr.args if not isinstance(a, exp) and a is not means[0]),
                   Average(inside, means[0].measure))
    parts = [(a, S.Zero) if proof and not isinstance(a, exp) else _scaled(a) for a in expr.args]
    signs = {_sign(u) for _, u in parts}
    is_mixed = sum(u != 0 for _, u in parts) > 1 and not (signs <= {0, 1} or signs <= {0, -1})
    if is_mixed or any(holds(e, (own.LogErfc, own.SoftPlus)) for e in exponents):
        expr = Mul(*(c for c, _ in parts), _exponential(Add(*(u for _, u in parts)), proof))
    return _bessel_quotients(expr) if isinstance(expr, Mul) else expr


def _exponential(exponent, proof):
    ratio, exponent = _cancelled(exponent, proof)
    return ratio * exp(exponent)


def _cancelled(exponent, proof):
    """Return ``(c, u)`` of an exponential in which the large parts of exponents cancel exactly.

    The density over a tail, ``exp(-n*u**2 - n*LogErfc(u))``, is a power of Mills's ratio, and ``u - SoftPlus(u)`` is
    ``-SoftPlus(-u)``.
    """
    ratio = S.One
    for term in Add.make_args(exponent):
        n, tail = term.as_coeff_Mul()
        if isinstance(tail, own.SoftPlus):
            rest = exponent - term + n * tail.args[0]
            if _count(rest) < _count(exponent - term):
                exponent = rest + n * own.SoftPlus(-tail.args[0])
        if not isinstance(tail, own.LogErfc):
            continue
        square, before = tail.args[0] ** 2, Add.make_args((exponent - term).expand())
        after = (Add(*before) - n * square).expand()
        if _count(after) < len(before) or \
                n.is_negative and ((Add(*before) / square).cancel() - n).is_nonpositive:
            c, exponent = (sqrt(S.Pi / 2) * own.Mills(-sqrt(2) * tail.args[0])) ** -n, after
            if n == 1 and not (proof or tail.args[0].is_nonnegative):       # Mills's ratio may vanish on the left
                side = own.Side(tail.args[0])
                scaled = exp(after) / (sqrt(S.Pi / 2) * own.Mills(-sqrt(2) * side * tail.args[0]))
                c, exponent = (1 - side) * exp((1 - side) / 2 * Add(*before)) + side * scaled, S.Zero
            ratio = ratio * c
    if not proof and len(exponent.atoms(own.LogErfc)) > 1:
        c, exponent = _by_sides(exponent)
        ratio = ratio * c
    return ratio, exponent


def _count(exponent):
    """Return how many terms may be large."""
    return sum(not a.is_number for a in Add.make_args(exponent))


def _entropies(expr):
    """Return a product of a power of x and the logarithm of x, or of a positive multiple, as a function that is 0 at
    0."""
    for part in (a for a in expr.args if isinstance(a, log)):
        for factor in (a for a in expr.args if a is not part and a.free_symbols):
            for x, n in ((factor, S.One), factor.as_base_exp()):
                rest = _ratio(part.args[0], x)
                is_multiple = x.free_symbols.isdisjoint(rest.free_symbols)
                if n.is_Rational and n > 0 and rest.is_positive and is_multiple:
                    return Add(*(a * expr / (part * factor) for a in (own.XLogX(factor) / n, log(rest) * factor)))
    return expr


def _ratio(a, b):
    """Return the quotient of two expressions, of sums by what they have in common."""
    (m, a), (n, b) = (e.primitive() if e.is_Add else e.as_coeff_Mul() for e in (a, b))
    return m * a / (n * b)


def _bessel_quotients(expr):
    """Return a product with as many Bessel functions I above as below, of one argument, in ratios to I_0."""
    found = {}
    for part in expr.args:
        base, n = part.as_base_exp()
        if isinstance(base, besseli) and base.args[0].is_Integer and base.args[1].is_real and n.is_Integer:
            found.setdefault(base.args[1], []).append((base, n))
    for rows in found.values():
        if sum(n for _, n in rows) == 0:
            expr = expr * Mul(*((own.BesselRatio(*base.args) / base) ** n for base, n in rows))
    return expr
