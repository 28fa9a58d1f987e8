"""Recursion on powers: integrate by parts until no power of the variable is left.

With ``w(z) = exp(A z^2 + B z + C + i (alpha z + beta)) phi(z)`` one has
``v z w = (B + i alpha) w - w'``, ``v = 1 - 2 A``.  Multiplying by ``z^(n-1) G``, ``G`` the product of
the error functions and of the indicator of ``(lo, hi)``, lowers the power by one and leaves values at
the ends of the interval, and terms where one error function has turned into a Gaussian.  The gathered terms become one
expression, in which error functions of arguments that differ by their sign are joined.
"""

from sympy import Add, Dummy, Float, Mul, S, cos, cosh, erf, erfc, exp, factor, factor_terms, pi, sin, sinh, sqrt

from .bases import WHOLE, base, erf_of, expand_mirrored, get_error_function, mirror
from .decide import OutsideClass, canonical, expand_products, reduce_rational, root_of, roots_in, sign_of, vanishes
from .terms import accumulate

NO = (S.Zero, S.Zero)


def _is_whole_power(x):
    return x.is_Pow and x.base.is_Symbol and x.exp.is_Integer


class MomentSum:
    """Sum of means of normal forms on intervals, gathered in ``values``: ``{(exponent, special): coefficient}``."""

    def __init__(self):
        self.values = {}
        self._todo = {}
        self._widths = {}

    def add(self, shape, poly, lo, hi):
        """Queue the mean of ``poly * shape`` on an interval, to be added."""
        accumulate(self._todo, (shape, lo, hi), poly)

    def run(self):
        """Work until nothing is left to do; every step leaves fewer error functions."""
        while self._todo:
            # Most factors first: the Gaussians they leave behind are then evaluated only once.
            key = max(self._todo, key=lambda k: len(k[0].factors))
            self._reduce(*key, self._todo.pop(key))

    def width(self, v):
        """Return a placeholder for a symbolic variance, so that its powers are not multiplied out."""
        if v.is_Atom or not v.free_symbols or not root_of(v).has(Add):
            return v
        if v not in self._widths:
            self._widths[v] = Dummy("v", positive=True)
        return self._widths[v]

    def names(self):
        """Return ``{placeholder: variance}``."""
        return {dummy: v for v, dummy in self._widths.items()}

    def _reduce(self, shape, lo, hi, poly):
        v = reduce_rational(1 - 2 * shape.A)
        if sign_of(v) != 1:
            # Not integrable over the line; on a bounded interval it would take other functions.
            raise OutsideClass("the exponential grows as fast as the Gaussian falls")
        width = self.width(v)
        drift = (shape.B / width, shape.alpha / width)
        poly, boundary = dict(poly), {}
        for n in range(max(poly), 0, -1):
            c, d = (expand_products(x) for x in poly.pop(n, NO))
            if vanishes(c) and vanishes(d):
                continue
            boundary[n - 1] = (c / width, d / width)
            x, y = drift
            self._increase(poly, n - 1, (c * x - d * y, c * y + d * x))
            if n > 1:
                self._increase(poly, n - 2, ((n - 1) * c / width, (n - 1) * d / width))
        if boundary:
            self._ends(shape, lo, hi, boundary)
            self._derivatives(shape, lo, hi, boundary)
        c, d = (expand_products(x) for x in poly.get(0, NO))
        if not (vanishes(c) and vanishes(d)):
            self._base(shape, v, width, lo, hi, c, d)

    @staticmethod
    def _increase(poly, n, pair):
        c, d = poly.get(n, NO)
        poly[n] = (c + pair[0], d + pair[1])

    def _ends(self, shape, lo, hi, boundary):
        for end, weight in ((lo, S.One), (hi, S.NegativeOne)):
            if end in WHOLE:
                continue
            c = sum((x[0] * end**n for n, x in boundary.items()), S.Zero)
            d = sum((x[1] * end**n for n, x in boundary.items()), S.Zero)
            special = 1 / sqrt(2 * pi)
            for name, p, q in shape.factors:
                special *= get_error_function(name, reduce_rational(p * end + q))
            exponent = reduce_rational((shape.A - S.Half) * end**2 + shape.B * end + shape.C)
            angle = reduce_rational(shape.alpha * end + shape.beta)
            self._put(weight * c, weight * d, angle, exponent, special)

    def _derivatives(self, shape, lo, hi, boundary):
        for i, (name, p, q) in enumerate(shape.factors):
            slope = (2 if name == "erf" else -2) * p / sqrt(pi)
            lowered = shape._replace(
                A=expand_products(shape.A - p**2),
                B=expand_products(shape.B - 2 * p * q),
                C=expand_products(shape.C - q**2),
                factors=shape.factors[:i] + shape.factors[i + 1 :],
            )
            self.add(lowered, {n: (slope * c, slope * d) for n, (c, d) in boundary.items()}, lo, hi)

    def _base(self, shape, v, width, lo, hi, c, d):
        exponent = reduce_rational(shape.C + (shape.B**2 - shape.alpha**2) / (2 * v))
        angle = reduce_rational(shape.beta + shape.alpha * shape.B / v)
        for special, (x, y) in base(shape, v, lo, hi):
            self._put(c * x - d * y, c * y + d * x, angle, exponent, special / root_of(width))

    def _put(self, c, d, angle, exponent, special):
        """Add the real part of ``(c + i d) exp(i angle) exp(exponent) special``."""
        parts = [(c, special)] if angle.is_zero else [(c, special * cos(angle)), (-d, special * sin(angle))]
        for coefficient, function in parts:
            # numbers and integer powers of symbols are no part of the function; a number alone stays, so that
            # terms with different roots of numbers are not put under one fraction
            alone = function.is_number
            plain = [f for f in Mul.make_args(function)
                     if f.is_Number or f.is_number and not alone or f.is_Symbol or _is_whole_power(f)]
            if plain:
                coefficient = coefficient * Mul(*plain)
                function = Mul(*[f for f in Mul.make_args(function) if f not in plain])
            if not vanishes(coefficient):
                key = (exponent, function)
                self.values[key] = self.values.get(key, S.Zero) + coefficient


MAX_FACTOR = 21
"""Most terms of a sum that is still worth factoring: those of the square of six."""


def assemble(values, names):
    """Sum ``coefficient * exp(exponent) * special`` over terms ``{(exponent, special): coefficient}``.

    ``names`` holds the values of the placeholder symbols in coefficients and special functions.
    """
    groups = {}
    for (exponent, special), coefficient in values.items():
        exponent = canonical(exponent)
        coefficient = expand_products(coefficient)
        if roots_in(coefficient):
            # multiples of the root are recognised in lowest terms only
            coefficient = reduce_rational(coefficient.xreplace(names))
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
    return expand_mirrored(Add(*_hyperbolic(terms)))


def _hyperbolic(terms):
    """Join ``exp(s + d)`` and ``exp(s - d)`` of coefficients equal up to their sign, d a product."""
    plain = [t for t in terms if isinstance(t.as_coeff_Mul()[1], exp)]
    for i, first in enumerate(plain):
        for second in plain[:i]:
            (m, x), (n, y) = first.as_coeff_Mul(), second.as_coeff_Mul()
            middle, half = expand_products(x.args[0] + y.args[0]) / 2, expand_products(x.args[0] - y.args[0]) / 2
            if abs(m) == abs(n) and not half.is_Add and half.free_symbols:
                function = cosh(half) if m == n else sinh(half)
                rest = [t for t in terms if t not in (first, second)]
                return _hyperbolic([*rest, 2 * m * exp(middle) * function])
    return terms


def _coefficient(coefficient, names):
    """Put a sum of inverse powers of the variances over the highest of them; needs no division."""
    if roots_in(coefficient):
        return factor_terms(reduce_rational(coefficient))
    if not coefficient.is_Add:
        return coefficient.xreplace(names)
    bottom = S.One
    for name in names:
        power = max(-term.as_powers_dict().get(name, S.Zero) for term in coefficient.args)
        bottom *= name ** max(power, S.Zero)
    if bottom is not S.One:
        top = Add(*[term * bottom for term in coefficient.args])
        coefficient = expand_products(top.xreplace(names))
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
        if expand_products(c - d) == 0:
            _move(group, (tail, mirror(x)), S.One, 2 * c)
        elif expand_products(c + d) == 0:
            _move(group, (tail, mirror(x)), erf_of(x), -2 * c)
    # Only exact matches are joined here: they are the ones that would cancel in a tail.
    for tail in [t for t in group if t is not S.One]:
        c, one = group.get(tail, S.Zero), group.get(S.One, S.Zero)
        if c == 0 or one == 0:
            continue
        x = tail.args[0]
        same, opposite = expand_products(c - one) == 0, expand_products(c + one) == 0
        if isinstance(tail, erf) and (same or opposite):
            _move(group, (tail, S.One), mirror(x) if same else erfc(x), one)
        elif isinstance(tail, (erfc, mirror)) and opposite:
            _move(group, (tail, S.One), erf_of(x if isinstance(tail, erfc) else -x), one)


def _add(group, tail, coefficient):
    group[tail] = expand_products(group.get(tail, S.Zero) + coefficient)


def _move(group, old, new, coefficient):
    for tail in old:
        del group[tail]
    number, new = new.as_coeff_Mul()
    group[new] = expand_products(group.get(new, S.Zero) + number * coefficient)
