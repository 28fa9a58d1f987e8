"""Closed form of a Gaussian mean, or ``None``; Hermite coefficients of one degree, and of a symbolic one.

For the latter there are rules on the normal form.  With ``m_k(f) = E[He_k(Z) f(Z)]``, integration by parts gives
``m_k(f) = m_(k-1)(f')`` plus ``He_(k-1)(x) phi(x)`` times the jump of f at each x, and
``m_k(z f) = m_(k+1)(f) + k m_(k-1)(f)``.  For a polynomial on an interval the derivatives come to an end; for
``f' = B f + g`` they are a sum over degrees.

Means of tanh and its relatives have no closed form, but sums of them have. With ``t = tanh(l)``, ``l = alpha + beta
z``, one has ``t' = beta (1 - t^2)``, and by parts (Stein) ``E[z^i (t^j)'] = E[(z^(i+1) - i z^(i-1)) t^j]``: every
power of t comes down to the first. The sigmoid is ``(1 + t)/2`` at ``2 l``, and ``softplus(2 l)`` has the derivative
``beta (1 + t)``. An integrand is read as a polynomial in the variable, t and this softplus; exponentials and
hyperbolic functions of multiples of l are rational in t, odd multiples by pairs.
"""

from collections import Counter
from functools import lru_cache

import sympy as sp

from ..moving_kinks import affine_parts
from .decide import OutsideClass, Roots, coefficients, expand_products, reduce_rational, root_of
from .moments import WHOLE, MomentSum, assemble
from .terms import PLAIN, has_imaginary_unit, normal_form, smooth_pieces

_X = sp.Dummy("x", real=True)
#: size of the cache of forms: the same means recur at every precision, at every point and in every equation
_KEPT = 2000


@lru_cache(maxsize=_KEPT, typed=True)
def closed_mean(integrand, *symbols):
    """Return the closed form of the mean of an expression in independent standard normals, or None.

    The last variable is integrated first, and the others condition it.  Other symbols are parameters; kinks need them
    real, and need the signs that decide where the kinks lie to follow from their assumptions.

    The class: sums of products of polynomials, exponentials of polynomials of degree two,
    sin, cos, sinh, cosh, erf, erfc of affine arguments, made of pieces through Abs, sign, Heaviside,
    Max, Min and Piecewise.  After integration by parts a term may hold two error functions or
    indicators, three if they are centred; an oscillation next to one must be centred.  Square roots of
    parameters are taken to be real, as they are wherever the integrand is.
    """
    integrand = sp.S(integrand)
    if has_imaginary_unit(integrand):
        return None
    shift = _shift(integrand, symbols)
    if shift is not None:
        expr, place, several = shift
        closed = closed_mean(expr, *symbols)
        if closed is not None:
            return closed.xreplace({place: several})
    roots = Roots(integrand, set(symbols))
    expr = roots.masked(integrand)
    try:
        for z in reversed(symbols):
            expr = _mean(expr.xreplace({z: _X}))
    except OutsideClass:
        return None
    return roots.unmasked(expr)


def _shift(integrand, bound):
    """Return ``(expr, s, b + m - 1)``: the integrand with one symbol for a sum of parameters, if it depends on these by
    their sum alone; None where there is no such sum.

    Then squares of the sum are not expanded: the many terms would nearly cancel.
    """
    if len(integrand.free_symbols - set(bound)) < 2:
        return None
    parts = affine_parts(integrand, bound) or {}
    sums = Counter(c if c.as_coefficients_dict()[min(c.free_symbols, key=str)] > 0 else -c
                   for _, c in parts.values() if c.is_Add and len(c.free_symbols) > 1)
    for several, _ in sums.most_common():
        s = next((s for s in sorted(several.free_symbols, key=str) if several.diff(s).is_Number), None)
        if s is None:
            continue
        place = sp.Dummy("s", real=several.is_real, positive=several.is_positive, negative=several.is_negative)
        inside = {s: (place - several).expand() / several.diff(s) + s}
        expr = integrand.xreplace({part: sp.Add(*(a * b for a, b in zip(slopes, bound)), c.xreplace(inside).expand())
                                   for part, (slopes, c) in parts.items()})
        if expr.free_symbols.isdisjoint(several.free_symbols):
            return expr, place, several
    return None


def _mean(expr):
    if _X not in expr.free_symbols:
        return expr
    try:
        pieces = smooth_pieces(expr, _X)
    except OutsideClass:
        terms = sp.Add.make_args(expand_products(expr))
        if len(terms) == 1:
            raise
        # Kinks whose order is not known do no harm in different terms of a sum.
        return sum((_mean(term) for term in terms), sp.S.Zero)
    moments = MomentSum()
    for term in split_by_interval(pieces, _X):
        moments.add(*term)
    return _finished(moments)


def _finished(moments):
    moments.run()
    result = assemble(moments.values, moments.names())
    if result.has(_X, sp.nan, sp.zoo, sp.oo, -sp.oo, sp.Integral) or has_imaginary_unit(result):
        raise OutsideClass("the rules met an indeterminate form")
    return result


def mean_of_shape(shape, lo, hi):
    """Return the mean of one shape of the normal form on an interval, without a power of the variable."""
    moments = MomentSum()
    moments.add(shape, {0: (sp.S.One, sp.S.Zero)}, lo, hi)
    return _finished(moments)


def split_by_interval(pieces, z):
    """Yield ``(shape, {n: coefficients}, lo, hi)``, the normal form of smooth pieces in the variable z."""
    for shape, powers in _by_power(pieces, z).items():
        for interval, poly in _merged(powers, len(pieces), pieces):
            yield shape, poly, *interval


def _by_power(pieces, z):
    """Return ``{shape: {n: coefficient on every piece}}``."""
    zero = (sp.S.Zero, sp.S.Zero)
    table = {}
    for i, (_, _, smooth) in enumerate(pieces):
        for shape, poly in normal_form(smooth, z).items():
            for n, pair in poly.items():
                table.setdefault(shape, {}).setdefault(n, [zero] * len(pieces))[i] = pair
    return table


def _merged(powers, count, pieces):
    """Join neighbouring pieces with the same coefficient, then gather powers by interval."""
    zero = (sp.S.Zero, sp.S.Zero)
    gathered = {}
    for n, row in powers.items():
        start = 0
        for i in range(1, count + 1):
            if i < count and row[i] == row[start]:
                continue
            if row[start] != zero:
                interval = (pieces[start][0], pieces[i - 1][1])
                gathered.setdefault(interval, {})[n] = row[start]
            start = i
    return gathered.items()


def hermite_coefficient(expr, z, k):
    """Return ``c_k = E[expr He_k(z)]/k!``, probabilists' polynomials, as :func:`closed_mean` does; None without a form.
    """
    mean = closed_mean(sp.S(expr) * _hermite(k, z), z)
    return None if mean is None else mean / sp.factorial(k)


def _hermite(k, z):
    total, coefficient = sp.S.Zero, sp.S.One
    for j in range(k // 2 + 1):
        total += coefficient * z ** (k - 2 * j)
        coefficient = -coefficient * (k - 2 * j) * (k - 2 * j - 1) / (2 * (j + 1))
    return total


def density(x):
    """Return the standard normal density."""
    return sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)


def hermite_at(k, x):
    """Return ``He_k(x)``; at 0 written out, where sympy's own value for a symbolic degree is wrong (1.14)."""
    if x.is_zero:
        return zero_if_odd(k, (-sp.S.Half) ** (k / 2) * sp.factorial(k) / sp.factorial(k / 2))
    return sp.hermite_prob(k, x)


def zero_if_odd(k, value):
    """Return the value for even k, and 0 for odd ones."""
    return sp.Piecewise((value, sp.Eq(sp.Mod(k, 2), 0)), (0, True))


def raise_moments(sequence, n):
    """Derive the moments of ``z^n f`` from those of f."""
    if n == 0:
        return sequence
    below = raise_moments(sequence, n - 1)

    def moment(k):
        (a, b), (c, d) = below(k + 1), below(k - 1)
        return a + k * c, b + k * d

    return moment


def sequence_of(shape, lo, hi):
    """Return ``(function of k that gives the real and imaginary part of m_k, first k where it holds)``."""
    if shape.factors or (lo, hi) != WHOLE:
        return _recursive(shape, lo, hi)
    if shape.alpha.is_zero:
        return (_gaussian(shape) if not shape.A.is_zero else _exponential(shape)), 0
    if not shape.A.is_zero:
        raise OutsideClass("oscillation times a Gaussian")
    return _exponential(shape), 0


def _exponential(shape):
    """Return ``m_k = (B + i alpha)^k exp(C + (B + i alpha)^2/2 + i beta)``."""
    B, alpha = shape.B, shape.alpha
    size = sp.exp(expand_products(shape.C + (B**2 - alpha**2) / 2))
    if alpha.is_zero:
        return lambda k: (B**k * size, sp.S.Zero)
    radius, turn = (alpha, sp.pi / 2) if B.is_zero else (sp.sqrt(B**2 + alpha**2), sp.atan2(alpha, B))
    phase = expand_products(shape.beta + alpha * B)
    return lambda k: (radius**k * size * sp.cos(phase + k * turn), radius**k * size * sp.sin(phase + k * turn))


def _gaussian(shape):
    """Return m_k from the generating function ``exp((A t^2 + B t)/v)``, ``v = 1 - 2 A``."""
    A, B = shape.A, shape.B
    v = reduce_rational(1 - 2 * A)
    if not v.is_positive:
        raise OutsideClass("the exponential grows as fast as the Gaussian falls")
    size = sp.exp(reduce_rational(shape.C + B**2 / (2 * v))) / root_of(v)
    if B.is_zero:
        ratio = reduce_rational(A / v)
        return lambda k: (zero_if_odd(k, size * ratio ** (k / 2) * sp.factorial(k) / sp.factorial(k / 2)), sp.S.Zero)
    if not A.is_nonpositive:
        raise OutsideClass("a growing exponential off the centre")
    # s^k He_k(x/s) is even in s, so that the sign of the root does not matter
    s = root_of(reduce_rational(-2 * A / v)).replace(sp.Abs, lambda x: x)
    return lambda k: (size * s**k * sp.hermite_prob(k, reduce_rational(B / (v * s))), sp.S.Zero)


def _recursive(shape, lo, hi):
    """Solve ``f' = B f + g``, g a Gaussian or point masses, by ``m_k = B m_(k-1) + g_(k-1)``."""
    ends = [(end, sign) for end, sign in ((lo, 1), (hi, -1)) if end not in WHOLE]
    if not (shape.A.is_zero and shape.alpha.is_zero) or len(shape.factors) + bool(ends) > 1:
        raise OutsideClass("no rule for every degree")
    if ends:
        masses = [(end, sign * density(end) * sp.exp(expand_products(shape.B * end + shape.C))) for end, sign in ends]

        def g(k):
            return sum(mass * hermite_at(k, end) for end, mass in masses)
    else:
        (name, p, q), = shape.factors
        slope = (2 if name == "erf" else -2) * p / sp.sqrt(sp.pi)
        inner = _gaussian(shape._replace(A=-(p**2), B=expand_products(shape.B - 2 * p * q),
                                         C=expand_products(shape.C - q**2), factors=()))

        def g(k):
            return slope * inner(k)[0]

    if shape.B.is_zero:
        return (lambda k: (g(k - 1), sp.S.Zero)), 1
    first, j = mean_of_shape(shape, lo, hi), sp.Dummy("j", integer=True, nonnegative=True)
    return (lambda k: (shape.B**k * first + sp.Sum(shape.B ** (k - 1 - j) * g(j), (j, 0, k - 1)), sp.S.Zero)), 0


MAX_LOW = 48
"""Most low degrees listed one by one before a symbolic answer is given up."""


def hermite_sequence(expr, z, k):
    """Return the coefficient ``c_k = E[expr He_k(z)]/k!`` for every integer ``k >= 0``, or None.

    The symbol k need not be declared an integer.  Low degrees are branches of a Piecewise where they do not follow the
    general formula.  The rules: polynomials; exponentials and oscillations; Gaussians; one error function, also times
    an exponential; polynomials and exponentials on intervals; each times a power of the variable.
    """
    expr = sp.S(expr)
    if has_imaginary_unit(expr):
        return None
    roots = Roots(expr, {z})
    try:
        general, start = _general(roots.masked(expr).xreplace({z: _X}), k)
    except OutsideClass:
        return None
    low = [hermite_coefficient(expr, z, j) for j in range(start)]
    if None in low:
        return None
    general = _over_factorial(roots.unmasked(general), k)
    branches = [(c, sp.Eq(k, j)) for j, c in enumerate(low) if not (c == general == 0)]
    if not branches:
        return general
    return sp.Piecewise(*branches, *(general.args if isinstance(general, sp.Piecewise) else [(general, True)]))


def _over_factorial(total, k):
    """Divide by k!, inside the cases of even and odd degrees where all terms have the same ones."""
    cases = {}
    for term in sp.Add.make_args(total):
        value, condition = term, True
        for even in sp.Mul.make_args(term):
            if isinstance(even, sp.Piecewise) and len(even.args) == 2 and even.args[1] == (0, True) \
                    and even.args[0][1].has(k):
                (case, condition), _ = even.args
                value = sp.Mul(*[f for f in sp.Mul.make_args(term) if f is not even], case)
                break
        cases[condition] = cases.get(condition, sp.S.Zero) + value / sp.factorial(k)
    if len(cases) > 1 or True in cases:
        return sp.factor_terms(total) / sp.factorial(k)
    (condition, value), = cases.items()
    return sp.Piecewise((sp.factor_terms(value), condition), (0, True))


def _general(expr, k):
    """Return ``(m_k, start)``: the formula and the degree from which it holds."""
    total, start, jumps = sp.S.Zero, 0, {}
    for shape, poly, lo, hi in split_by_interval(smooth_pieces(expr, _X), _X):
        if shape._replace(C=sp.S.Zero) == PLAIN:
            _jumps(jumps, {n: c * sp.exp(shape.C) for n, (c, _) in poly.items()}, lo, hi)
            start = max(start, max(poly) + 1)
            continue
        sequence, first = sequence_of(shape, lo, hi)
        start = max(start, first + max(poly))
        for n, (c, d) in poly.items():
            x, y = raise_moments(sequence, n)(k)
            total += c * x - d * y
    if start > MAX_LOW:
        raise OutsideClass(f"the degrees below {start} would have to be listed")
    for (end, m), jump in jumps.items():
        jump = expand_products(jump)
        if jump != 0:
            total += jump * density(end) * hermite_at(k - 1 - m, end)
    return total, start


def _jumps(jumps, poly, lo, hi):
    """Add the jumps of a polynomial and of its derivatives where it begins and ends."""
    for end, sign in ((lo, 1), (hi, -1)):
        if end in WHOLE:
            continue
        row = dict(poly)
        for m in range(max(poly) + 1):
            jumps[end, m] = jumps.get((end, m), sp.S.Zero) + sign * sum(c * end**n for n, c in row.items())
            row = {n - 1: n * c for n, c in row.items() if n}


# -- identities between means of tanh ----------------------------------------------------------------------------------


_RATIONAL = (sp.tanh, sp.exp, sp.cosh, sp.sinh)
_HIGHEST = 40
"""Highest total degree met before an integrand is given up (a guard on running time only)."""


def tanh_polynomial(integrand, z):
    """Return ``((alpha, beta), polynomial in z, t and s)`` with l = alpha + beta z, or None outside the class.

    The polynomial is at most linear in the softplus s, which never comes with t.
    """
    t, s = sp.Dummy("t", real=True), sp.Dummy("s", real=True)
    for alpha, beta in _units(integrand, z):
        poly = _polynomial(integrand, z, alpha + beta * z, t, s)
        if poly is not None:
            return (alpha, beta), poly
    return None


def _units(integrand, z):
    """Return the arguments ``(alpha, beta)`` of tanh in which all functions of z in the integrand may be written."""
    arguments = []
    for f in sorted(integrand.atoms(*_RATIONAL), key=str):
        if z in f.free_symbols:
            try:
                alpha, beta = coefficients(f.args[0], z, top=1)
            except OutsideClass:
                return []
            arguments.append((isinstance(f, sp.exp), -alpha, -beta) if beta.could_extract_minus_sign()
                             else (isinstance(f, sp.exp), alpha, beta))
    halves = [(alpha / 2, beta / 2) for is_exp, alpha, beta in arguments if is_exp]
    found = dict.fromkeys([(alpha, beta) for is_exp, alpha, beta in arguments if not is_exp] + halves)
    return [unit for unit in found if all(_is_multiple(other[1:], unit) for other in arguments)]


def _is_multiple(argument, unit):
    if argument == unit:
        return True
    ratio = sp.cancel(argument[1] / unit[1])
    return ratio.is_Integer and expand_products(argument[0] - ratio * unit[0]) == 0


def _polynomial(integrand, z, unit, t, s):
    """Write the integrand as a polynomial in z, tanh and softplus, or return None."""
    y = sp.Dummy("y", positive=True)       # exp(unit), where it occurs in odd powers
    beta = unit.coeff(z)
    replaced = {}
    for f in sorted(integrand.atoms(*_RATIONAL), key=str):
        if z in f.free_symbols:
            n = sp.cancel(coefficients(f.args[0], z, top=1)[1] / beta)
            replaced[f] = _in_tanh(f.func, int(n), t, y)
    for f in integrand.atoms(sp.log):
        if z in f.free_symbols:
            inside = f.args[0].replace(sp.exp, lambda u: y ** sp.cancel(u / unit)).replace(
                sp.cosh, lambda u: (y ** sp.cancel(u / unit) + y ** -sp.cancel(u / unit)) / 2)
            # log(1 + exp(2 l)), log(1 + exp(-2 l)), log(2 cosh(l))
            replaced[f] = {1 + y**2: s, 1 + y**-2: s - 2 * unit, y + 1 / y: s - unit}.get(inside.expand())
            if replaced[f] is None:
                return None
    rational = integrand.xreplace(replaced)
    if y in rational.free_symbols:
        rational = sp.cancel(sp.together(rational)).replace(
            lambda p: p.is_Pow and p.base == y and p.exp.is_even, lambda p: ((1 + t) / (1 - t)) ** (p.exp / 2))
        if y in rational.free_symbols:
            return None
    if any(p.is_Pow and t in p.free_symbols and not p.exp.is_nonnegative for p in sp.preorder_traversal(rational)):
        rational = sp.cancel(sp.together(rational))
    try:
        poly = sp.Poly(rational, z, t, s)
    except sp.PolynomialError:
        return None
    if any(n > 1 or n and j for _, j, n in poly.monoms()) or poly.total_degree() > _HIGHEST:
        return None
    return poly


def _in_tanh(function, n, t, y):
    """Write a function of n times the unit through ``t``, or through ``exp`` of the unit where n is odd."""
    if function is sp.exp and n % 2 == 0:
        return ((1 + t) / (1 - t)) ** (n // 2)
    if function is sp.tanh and abs(n) == 1:
        return n * t
    if function is sp.tanh:
        w = ((1 + t) / (1 - t)) ** n
        return (w - 1) / (w + 1)
    return {sp.exp: y**n, sp.cosh: (y**n + y**-n) / 2, sp.sinh: (y**n - y**-n) / 2}[function]


def without_integrals(integrand, z):
    """Return the mean where the identities leave no integral, else None."""
    inverse = (p for p in integrand.atoms(sp.Pow) if p.exp.is_negative)
    if not integrand.has(sp.tanh, sp.cosh, sp.log) and not any(p.base.has(sp.exp) for p in inverse):
        return None
    found = tanh_polynomial(integrand, z)
    if found is None:
        return None
    (alpha, beta), poly = found
    form = {}       # coefficients of E[z^i t] and E[s] by ("t", i) and ("s", 0), and the closed part by None
    for (i, j, n), c in poly.terms():
        _lower(form, i, j, n, c, beta)
    if alpha.is_zero:       # t is odd: its mean with an even power vanishes
        form = {key: c for key, c in form.items() if key is None or key[0] == "s" or key[1] % 2}
    closed = sp.cancel(form.pop(None, sp.S.Zero))
    return None if any(sp.cancel(c) != 0 for c in form.values()) else closed


def _lower(form, i, j, n, c, beta):
    """Add ``c E[z^i t^j s^n]`` to a form, in terms of ``E[z^i]``, ``E[z^i t]`` and ``E[s]``."""
    if n:
        if i == 0:
            _add(form, ("s", 0), c)
            return
        if i > 1:
            _lower(form, i - 2, 0, 1, c * (i - 1), beta)
        _lower(form, i - 1, 0, 0, c * beta, beta)
        _lower(form, i - 1, 1, 0, c * beta, beta)
    elif j > 1:
        _lower(form, i, j - 2, 0, c, beta)
        slope = c / (beta * (j - 1))
        _lower(form, i + 1, j - 1, 0, -slope, beta)
        if i:
            _lower(form, i - 1, j - 1, 0, slope * i, beta)
    elif j == 1:
        _add(form, ("t", i), c)
    elif i % 2 == 0:
        _add(form, None, c * sp.factorial2(i - 1))


def _add(form, key, c):
    form[key] = form.get(key, sp.S.Zero) + c
