"""Decide signs, order and equality with zero of expressions in symbolic parameters, and where polynomials change sign.

Nothing here guesses.  A question that the assumptions on the symbols do not decide raises
:class:`OutsideClass`, which :func:`asympkit.gauss.closed.gaussian_mean` turns into ``None``.

Square roots of parameters, such as ``sqrt(1 - rho^2)``, become positive symbols with a relation.  In an integrand that
is real the roots in it are real, hence not negative: their sign need not follow from assumptions.  For
``c = sqrt(m + n s^2)`` with numbers m and n, even powers of s are written through c, so that multiples of the root are
recognised.
"""

from sympy import Add, Dummy, Expr, Float, Mul, Poly, Pow, Rational, S, cancel, exp, factor, fraction, sqrt


class Root(Dummy):
    """A positive symbol for a square root; ``lowers`` is ``(s, s^2 in terms of the root)`` or None."""

    def __new__(cls, base):
        self = super().__new__(cls, "c", positive=True)
        self.base, self.lowers = base, None
        symbols = base.free_symbols
        if len(symbols) == 1:
            (s,) = symbols
            coefficients = base.as_poly(s).all_coeffs() if base.is_polynomial(s) else ()
            if len(coefficients) == 3 and not coefficients[1]:
                self.lowers = s, (self**2 - coefficients[2]) / coefficients[0]
        return self


def reduce_even_powers(x, again, roots=None):
    """Replace even powers of the symbols under roots; ``again`` simplifies the changed expression."""
    for root in roots_in(x) if roots is None else roots:
        if not root.lowers:
            continue
        s, square = root.lowers
        high = {}
        for p in x.atoms(Pow):
            if p.base == s and p.exp.is_Integer and abs(p.exp) > 1:
                side, n = (1 if p.exp > 0 else -1), abs(int(p.exp))
                high[p] = square ** (side * (n // 2)) * s ** (side * (n % 2))
        if high:
            x = again(x.xreplace(high))
    return x


def roots_in(x):
    """Return the roots in an expression, in a reproducible order."""
    return sorted((s for s in x.free_symbols if isinstance(s, Root)), key=lambda s: s.dummy_index)


def canonical(x):
    """Return a canonical form of a rational expression: ``s/(1 - s^2)`` and ``s/c^2`` get the same."""
    roots = roots_in(x)
    if not roots or x.has(Float):
        return x
    return reduce_even_powers(cancel(expand_roots(x)), lambda y: y.expand(), roots)


def expand_roots(x):
    """Write out the roots in an expression, to decide its sign."""
    roots = {s: sqrt(s.base) for s in x.free_symbols if isinstance(s, Root)}
    return x.xreplace(roots) if roots else x


class Roots:
    """The roots of one expression: taken out before the rules are applied, put back afterwards."""

    def __init__(self, expr, bound):
        self.real, self.known = {}, []
        bases = {p.base for p in expr.atoms(Pow) if p.exp.is_Rational and p.exp.q == 2}
        bases = {b for b in bases if b.free_symbols and not (b.free_symbols & bound or b.is_positive)}
        for base in sorted(bases, key=str):
            # under a root the square of a symbol is real, and so is the symbol wherever 1 - s^2 >= 0
            loose = [s for s in base.free_symbols if s.is_extended_real is None and base == 1 - s**2]
            self.real.update({s: Dummy(s.name, real=True) for s in loose})
            base = base.xreplace(self.real)
            if base.is_extended_real is not False:
                self.known.append(Root(base))

    def masked(self, expr):
        """Replace every root and its powers by symbols."""
        expr = expr.xreplace(self.real) if self.real else expr
        for root in self.known:
            powers = {p: root ** (2 * p.exp) for p in expr.atoms(Pow) if p.base == root.base}
            # a sum as a whole is recognised also where it is not under a root
            expr = expr.xreplace({**powers, root.base: root**2} if isinstance(root.base, Add) else powers)
        return expr

    def unmasked(self, expr):
        """Write the roots out."""
        back = {new: old for old, new in self.real.items()}
        # roots may be nested
        for root in reversed(self.known):
            expr = expr.xreplace({root: sqrt(root.base)})
        if self.known:
            expr = expr.replace(exp, lambda x: exp(cancel(x)) if x.free_symbols and not x.has(Float) else exp(x))
        return expr.xreplace(back) if back else expr


MAX_SQUARE = 80
"""Most operations of a sum that is still looked at for repeated factors."""


class OutsideClass(Exception):
    """The integrand has no closed form among the rules of this package."""


def expand_products(x):
    """Multiply out products and powers of sums, leaving functions and exponentials unexpanded."""
    if x.is_Atom:
        return x
    x = x.expand(power_base=False, power_exp=False, log=False, basic=False)
    return reduce_even_powers(x, expand_products)


def reduce_rational(x):
    """Bring a rational expression of the parameters over one denominator in lowest terms."""
    x = expand_products(x)
    # ``cancel`` would rewrite rounded numbers, and a number needs no common denominator.
    if x.is_Atom or not x.free_symbols or x.has(Float):
        return x
    return reduce_even_powers(cancel(x), reduce_rational)


def vanishes(x):
    """Return whether a multiplied-out expression is the number zero, exact or rounded."""
    return x == 0 or (x.is_Float and not x)


def is_zero(x):
    """Return whether an expression is certainly zero (``False`` also means "not known")."""
    return expand_products(x).is_zero is True


def sign_of(x):
    """Return -1, 0 or 1, the sign of a real expression; OutsideClass if the assumptions on the symbols leave it open.
    """
    # A common denominator is more expensive than the plain sum, so it comes second.
    for form in (lambda y: y, expand_products, reduce_rational, expand_roots):
        y = form(x)
        if y.is_positive:
            return 1
        if y.is_negative:
            return -1
        if y.is_zero:
            return 0
    raise OutsideClass(f"the sign of {x} is not known")


def root_of(x):
    """Return the square root of a positive expression, as one of the numerator over one of the denominator."""
    if x.is_Atom or not x.free_symbols:
        return sqrt(x)
    top, bottom = fraction(reduce_rational(x))
    # positive where parameters vanish: 1 - s, not s - 1
    start = bottom.xreplace({s: S.One if isinstance(s, Root) else S.Zero for s in bottom.free_symbols})
    if start.is_negative if start.is_nonzero else bottom.could_extract_minus_sign():
        top, bottom = expand_products(-top), expand_products(-bottom)
    top, bottom = _squares_shown(top), _squares_shown(bottom)
    if bottom is not S.One and not (bottom.is_positive or expand_roots(bottom).is_positive):
        return sqrt(top / bottom)
    (m, top), (n, bottom) = _content(top), _content(bottom)
    return sqrt(m / n) * sqrt(top) / sqrt(bottom)


def _squares_shown(x):
    """Factor a sum with repeated factors; return anything else unchanged."""
    if not x.is_Add or x.has(Float) or x.count_ops() > MAX_SQUARE:
        return x
    product = factor(x)
    return product if any(p.exp.is_Integer and p.base.is_Add for p in product.atoms(Pow)) else x


def _content(x):
    """Split off the positive numeric content of a sum or product."""
    number, rest = x.primitive() if x.is_Add else x.as_coeff_Mul()
    return (number, rest) if number.is_positive else (S.One, x)


def order(x: Expr, y: Expr):
    """Return -1, 0 or 1 as ``x`` lies below, at or above ``y``; both may be infinite.

    Where they may also be equal, as 0 and a nonnegative symbol, an interval between them may be empty.
    """
    if x == y:
        return 0
    if x is S.NegativeInfinity or y is S.Infinity:
        return -1
    if x is S.Infinity or y is S.NegativeInfinity:
        return 1
    return 1 if (x - y).is_nonnegative else -1 if (x - y).is_nonpositive else sign_of(x - y)


MAX_DEGREE = 400
"""Largest degree met before an integrand is given up (a guard on running time only)."""


def add_to(target, source):
    """Add the polynomial ``source`` to ``target``, both ``{degree: coefficient}``."""
    for n, c in source.items():
        target[n] = target.get(n, S.Zero) + c


def _raw(expr, z):
    if z not in expr.free_symbols:
        return {0: expr}
    if expr == z:
        return {1: S.One}
    if isinstance(expr, Add):
        total = {}
        for term in expr.args:
            add_to(total, _raw(term, z))
        return total
    if isinstance(expr, Mul):
        total = {0: S.One}
        for factor in expr.args:
            total = _product(total, _raw(factor, z))
        return total
    if isinstance(expr, Pow) and expr.exp.is_Integer and 0 < expr.exp <= MAX_DEGREE:
        if expr.base == z:
            return {int(expr.exp): S.One}
        base, total = _raw(expr.base, z), {0: S.One}
        for _ in range(int(expr.exp)):
            total = _product(total, base)
        return total
    raise OutsideClass(f"{expr} is not a polynomial of {z}")


def _product(f, g):
    total = {}
    for m, c in f.items():
        for n, d in g.items():
            total[m + n] = total.get(m + n, S.Zero) + c * d
    if max(total) > MAX_DEGREE:
        raise OutsideClass("degree too high")
    return total


def coefficients(expr, z, top=MAX_DEGREE):
    """Return the multiplied-out coefficients of a polynomial, lowest degree first; with ``top=1`` always two.

    An expression that is no polynomial in z, or of a degree above ``top``, raises OutsideClass.
    """
    raw = {n: c for n, c in ((n, expand_products(c)) for n, c in _raw(expr, z).items()) if not c.is_zero}
    degree = max(raw, default=0)
    if degree > top:
        raise OutsideClass(f"degree {degree} in {expr}, at most {top} is handled")
    return [raw.get(n, S.Zero) for n in range((top if top < MAX_DEGREE else degree) + 1)]


def sign_changes(expr, z):
    """Return the ascending points where a real polynomial changes sign, and its sign to the right of the last one.

    The sign is 0 for the zero polynomial.  OutsideClass if coefficients may be complex, if the leading sign or the
    reality of the roots is not known, or if a root has no expression in square roots.
    """
    coeffs = coefficients(expr, z)
    if not all(c.is_extended_real for c in coeffs):
        raise OutsideClass(f"{expr} is not known to be real")
    last = sign_of(coeffs[-1])
    if len(coeffs) == 1:
        return [], last
    if last == 0:
        raise OutsideClass(f"the degree of {expr} is not known")
    if len(coeffs) == 2:
        return [-coeffs[0] / coeffs[1]], last
    if len(coeffs) == 3:
        return _quadratic(*coeffs, last), last
    if not all(c.is_Rational for c in coeffs):
        raise OutsideClass(f"no rule for the roots of {expr}")
    roots = []
    for part, power in Poly(coeffs[::-1], z, domain="QQ").factor_list()[1]:
        if power % 2:
            roots += _simple_roots(part)
    # Roots of different irreducible factors differ, so that every one of them is a crossing.
    return sorted(roots, key=lambda r: r.evalf(40)), last


def _quadratic(c0, c1, c2, sign):
    discriminant = expand_products(c1**2 - 4 * c0 * c2)
    if discriminant.is_nonpositive or sign_of(discriminant) < 1:
        return []
    centre, half = -c1 / (2 * c2), sign * sqrt(discriminant) / (2 * c2)
    return [expand_products(centre - half), expand_products(centre + half)]


def _simple_roots(factor):
    coeffs = [Rational(c) for c in reversed(factor.all_coeffs())]
    if len(coeffs) == 2:
        return [-coeffs[0] / coeffs[1]]
    if len(coeffs) == 3:
        return _quadratic(*coeffs, sign_of(coeffs[-1]))
    if factor.count_roots():
        raise OutsideClass(f"the roots of {factor.as_expr()} are not square roots")
    return []


def split_interval(lo, hi, roots, last):
    """Cut an interval at the sign changes that lie inside it; return rows (low, high, sign) from left to right."""
    cuts, signs = [], [last * (-1) ** len(roots)]
    for root in roots:
        if order(root, lo) <= 0:
            signs = [-signs[-1]]
        elif order(root, hi) < 0:
            cuts.append(root)
            signs.append(-signs[-1])
        else:
            break
    return list(zip([lo, *cuts], [*cuts, hi], signs))
