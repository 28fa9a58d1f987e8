"""Write the gathered terms as one expression, joining error functions of arguments that differ by their sign."""

from sympy import Add, Float, Mul, S, cosh, erf, erfc, exp, factor, factor_terms, sinh

from .decide import reduced, root_of, tidy, vanishes
from .roots import canonical, roots_in
from .tails import erf_of, mirror, unmirrored

MAX_FACTOR = 21
"""Most terms of a sum that is still worth factoring: those of the square of six."""


def assemble(values, names):
    """Sum ``coefficient * exp(exponent) * special`` over the gathered terms.

    Parameters
    ----------
    values : dict
        ``{(exponent, special): coefficient}``.
    names : dict
        Values of the placeholder symbols in coefficients and special functions.
    """
    groups = {}
    for (exponent, special), coefficient in values.items():
        exponent = canonical(exponent)
        coefficient = tidy(coefficient)
        if roots_in(coefficient):
            # multiples of the root are recognised in lowest terms only
            coefficient = reduced(coefficient.xreplace(names))
        if vanishes(coefficient):
            continue
        tail = next((f for f in Mul.make_args(special) if isinstance(f, (erf, erfc, mirror))), S.One)
        group = groups.setdefault((exponent, special / tail), {})
        group[tail] = group.get(tail, S.Zero) + coefficient
    terms = []
    for (exponent, rest), group in groups.items():
        _join(group)
        for tail, coefficient in group.items():
            if not vanishes(coefficient):
                outer = _coefficient(coefficient, names) * exp(_factored(exponent))
                terms.append(outer * _written(rest, names) * tail)
    return unmirrored(Add(*_hyperbolic(terms)))


def _hyperbolic(terms):
    """Join ``exp(s + d)`` and ``exp(s - d)`` of coefficients equal up to their sign, d a product."""
    plain = [t for t in terms if isinstance(t.as_coeff_Mul()[1], exp)]
    for i, first in enumerate(plain):
        for second in plain[:i]:
            (m, x), (n, y) = first.as_coeff_Mul(), second.as_coeff_Mul()
            middle, half = tidy(x.args[0] + y.args[0]) / 2, tidy(x.args[0] - y.args[0]) / 2
            if abs(m) == abs(n) and not half.is_Add and half.free_symbols:
                function = cosh(half) if m == n else sinh(half)
                rest = [t for t in terms if t not in (first, second)]
                return _hyperbolic([*rest, 2 * m * exp(middle) * function])
    return terms


def _coefficient(coefficient, names):
    """Put a sum of inverse powers of the variances over the highest of them; needs no division."""
    if roots_in(coefficient):
        return factor_terms(reduced(coefficient))
    if not coefficient.is_Add:
        return coefficient.xreplace(names)
    bottom = S.One
    for name in names:
        power = max(-term.as_powers_dict().get(name, S.Zero) for term in coefficient.args)
        bottom *= name ** max(power, S.Zero)
    if bottom is not S.One:
        top = Add(*[term * bottom for term in coefficient.args])
        coefficient = tidy(top.xreplace(names))
    return factor_terms(coefficient.xreplace(names)) / bottom.xreplace(names)


def _written(special, names):
    """Put the variances in place of their names, their roots as quotients of roots."""
    power = special.as_powers_dict()
    for name in names:
        n = 2 * S(power.get(name, 0))
        if n.is_Integer and n % 2:
            special = special / name ** (n / 2) * root_of(names[name]) ** n
    return special.xreplace(names)


def _factored(exponent):
    """Show the square in an exponent such as ``(-a^2 - 2 a - 1)/2``."""
    if not exponent.free_symbols or exponent.has(Float):
        return exponent
    top = exponent.as_numer_denom()[0]
    if not 2 < len(Add.make_args(top)) <= MAX_FACTOR:
        return exponent
    square = factor(exponent)
    return square if square.count_ops() < exponent.count_ops() else exponent


def _join(group):
    """Use erfc(x) + erfc(-x) = 2, erfc(x) - erfc(-x) = -2 erf(x) and 1 - erf(x) = erfc(x)."""
    for tail in [t for t in group if isinstance(t, erf)]:
        x = tail.args[0]
        c, d = group.pop(erfc(x), S.Zero), group.pop(mirror(x), S.Zero)
        if c != 0 or d != 0:
            _add(group, tail, d - c)
            _add(group, S.One, c + d)
    for tail in [t for t in group if isinstance(t, erfc)]:
        x = tail.args[0]
        c, d = group[tail], group.get(mirror(x), S.Zero)
        if tidy(c - d) == 0:
            _move(group, (tail, mirror(x)), S.One, 2 * c)
        elif tidy(c + d) == 0:
            _move(group, (tail, mirror(x)), erf_of(x), -2 * c)
    # Only exact matches are joined here: they are the ones that would cancel in a tail.
    for tail in [t for t in group if t is not S.One]:
        c, one = group.get(tail, S.Zero), group.get(S.One, S.Zero)
        if c == 0 or one == 0:
            continue
        x = tail.args[0]
        same, opposite = tidy(c - one) == 0, tidy(c + one) == 0
        if isinstance(tail, erf) and (same or opposite):
            _move(group, (tail, S.One), mirror(x) if same else erfc(x), one)
        elif isinstance(tail, (erfc, mirror)) and opposite:
            _move(group, (tail, S.One), erf_of(x if isinstance(tail, erfc) else -x), one)


def _add(group, tail, coefficient):
    group[tail] = tidy(group.get(tail, S.Zero) + coefficient)


def _move(group, old, new, coefficient):
    for tail in old:
        del group[tail]
    number, new = new.as_coeff_Mul()
    group[new] = tidy(group.get(new, S.Zero) + number * coefficient)
