"""Recursion on powers: integrate by parts until no power of the variable is left.

With ``w(z) = exp(A z^2 + B z + C + i (alpha z + beta)) phi(z)`` one has ``v z w = (B + i alpha) w - w'``,
``v = 1 - 2 A``.  Multiplying by ``z^(n-1) G``, ``G`` the product of the error functions and of the indicator of
``(lo, hi)``, lowers the power by one and leaves values at the ends of the interval, and terms where one error function
has turned into a Gaussian.  The gathered terms become one expression, in which error functions of arguments that differ
by their sign are joined.

In the base case, no power, the tilted measure is Gaussian with variance ``1/v``.  Every value there is divided by the
common factor ``v^(-1/2) exp(C + (B + i alpha)^2/(2 v) + i beta)``; it is a list of ``(special, (x, y))`` standing for
the sum of ``special * (x + i y)``.  An error function and an indicator are both conditions on a unit normal U:
``erf(p z + q)`` is ``2 P(U < h) - 1`` with U made of z and an independent normal, an indicator is ``1`` on ``U < h``;
so means are probabilities that correlated normals lie below bounds, each written as simply as its bounds allow.

Error functions have their arguments in one canonical sign, so that equal ones are recognised.  sympy turns ``erfc(-x)``
into ``2 - erfc(x)`` on construction: until the result is assembled the reflected tail is a function of its own, which
lets tails of arguments x and -x be joined.
"""

from typing import NamedTuple

import sympy as sp

from ...numbers.functions.pair_classes import BivariateNormalCDF, OwenT
from .decide import (
    OutsideClass,
    canonical,
    expand_products,
    is_zero,
    reduce_rational,
    root_of,
    roots_in,
    sign_of,
    vanishes,
)
from .terms import accumulate

mirror = sp.Function("mirror")
"""``mirror(x)`` stands for ``erfc(-x)``."""


def expand_mirrored(expr):
    """Write out the stand-in for ``erfc(-x)``."""
    return expr.replace(mirror, lambda x: 2 - sp.erfc(x)) if expr.has(mirror) else expr


def orient_ratio(r, square=sp.S.One):
    """Return ``(sign, y)`` with ``sign * y = r / sqrt(square)``, the same ``y`` for ``r`` and ``-r``."""
    root = root_of(square)
    # polynomial factors of the root may cancel
    whole = sp.Mul(*[f for f in sp.Mul.make_args(root) if f.as_base_exp()[0].is_Add and f.as_base_exp()[1].is_Integer])
    if whole is not sp.S.One:
        r, root = reduce_rational(r / whole), root / whole
    top, bottom = sp.fraction(r)
    sign = 1
    if top.could_extract_minus_sign():
        sign, top = -1, expand_products(-top)
    if top.is_Add:
        top = sp.factor_terms(top)
    y = top / (bottom * root)
    if y.could_extract_minus_sign():
        # sympy would reflect this one: do it here, where the sign is recorded.
        sign, y = -sign, -y
    return sign, y


def erf_of(r, square=sp.S.One):
    """Return ``erf(r / sqrt(square))``."""
    sign, y = orient_ratio(r, square)
    return sign * sp.erf(y)


def erfc_of(r, square=sp.S.One, side=1):
    """Return ``erfc(side * r / sqrt(square))``, mirrored if its argument is turned around."""
    sign, y = orient_ratio(r, square)
    sign *= side
    if y.is_zero:
        return sp.S.One
    return sp.erfc(y) if sign > 0 else mirror(y)


def get_error_function(name, r, square=sp.S.One):
    """Return the error function of that name, ``"erf"`` or ``"erfc"``."""
    return (erf_of if name == "erf" else erfc_of)(r, square)


class HalfSpace(NamedTuple):
    """The event ``U < h`` with ``h = sqrt(2) r / sqrt(square)``.

    The correlation of two of them is the product of their ``slope / sqrt(scale)``; for an end of an
    interval the slope is 1 or -1, and two of those never meet.
    """

    r: sp.Expr
    square: sp.Expr
    slope: sp.Expr
    scale: sp.Expr

    @classmethod
    def of_factor(cls, p, r, v):
        """Make the event of ``erf(p z + q)`` or ``erfc`` of it, ``r = p B + q v``."""
        scale = reduce_rational(v + 2 * p**2)
        return cls(r, reduce_rational(v * scale), sp.sqrt(2) * p, scale)

    @classmethod
    def of_end(cls, r, sign, v):
        """Make the event above an end (sign 1) or below it (sign -1)."""
        return cls(reduce_rational(r), 2 * v, sp.S(sign), sp.S.One)

    def opposite(self):
        """Return the complement, the event ``-U < -h``."""
        return HalfSpace(expand_products(-self.r), self.square, -self.slope, self.scale)

    def mass(self):
        """Return the probability."""
        return erfc_of(self.r, self.square, -1) / 2

    def bound(self):
        """Return ``(sign, y)`` with h = sign * y."""
        return orient_ratio(expand_products(sp.sqrt(2) * self.r), self.square)


def correlation(x, y):
    """Return ``(top, root)`` with correlation ``top/root``."""
    top = expand_products(x.slope * y.slope)
    if x.scale == y.scale:
        return top, x.scale
    return top, min(root_of(x.scale) * root_of(y.scale), root_of(x.scale * y.scale), key=lambda e: e.count_ops())


def pair(x, y):
    """Return ``P(x and y)`` as a list of ``(special function, weight)``."""
    top, root = correlation(x, y)
    if is_zero(top):
        return [(x.mass() * y.mass(), sp.S.One)]
    zero_x, zero_y = is_zero(x.r), is_zero(y.r)
    if zero_x and zero_y:
        return [(sp.S.One, sp.Rational(1, 4)), (_angle(top, root), sp.S.Half / sp.pi)]
    if zero_x or zero_y:
        other = y if zero_x else x
        function, weight = _signed(OwenT(other.bound()[1], top / root_of(root**2 - top**2)))
        return [(other.mass(), sp.S.Half), (function, weight)]
    (sign_x, hx), (sign_y, hy) = x.bound(), y.bound()
    if hx == hy:
        return _equal(x, sign_x == sign_y, top, root)
    return [(BivariateNormalCDF(sign_x * hx, sign_y * hy, top / root), sp.S.One)]


def _signed(value):
    """Split off the sign of a special function, as ``(function, weight)``."""
    weight, function = value.as_coeff_Mul()
    return function, weight


def _angle(top, root):
    """Return the arcsine of the correlation, or the arctangent that equals it if that is shorter."""
    arc = sp.asin(top / root)
    rest = reduce_rational(root**2 - top**2)
    if rest.is_positive:
        other = sp.atan(top / root_of(rest))
        if other.count_ops() < arc.count_ops():
            return other
    return arc


def _equal(x, same, top, root):
    """Return ``P(x and y)`` where the two bounds agree up to their sign."""
    top = top if same else -top
    function, weight = _signed(OwenT(x.bound()[1], root_of((root - top) / (root + top))))
    if same:
        return [(x.mass(), sp.S.One), (function, -2 * weight)]
    return [(function, 2 * weight)]


# -- centred ones --------------------------------------------------------------------------------------


def average_centred(spaces, ends):
    """Return the mean of a product of centred error functions and of the sign or the indicator of a half-line."""
    value, end = sp.S.Zero, ends[0] if ends else None
    # erfc = 1 - erf, and an indicator is (1 + sign)/2: multiply out, keep the even products.
    for chosen, weight in _products(spaces):
        if end is None:
            value += weight * _even(chosen)
        else:
            value += weight / 2 * _even([*chosen, end] if len(chosen) % 2 else chosen)
    return value


def _products(spaces):
    products = [((), sp.S.One)]
    for name, x in spaces:
        taken = [((*chosen, x), -w if name == "erfc" else w) for chosen, w in products]
        products = taken + (products if name == "erfc" else [])
    return products


def _even(chosen):
    """Return the mean of a product of centred signs: zero if their number is odd, an arcsine for two."""
    if len(chosen) % 2:
        return sp.S.Zero
    if not chosen:
        return sp.S.One
    if len(chosen) > 2:
        raise OutsideClass("four or more error functions and indicators")
    return 2 * _angle(*correlation(*chosen)) / sp.pi


HALF, ZERO = sp.S.Half, sp.S.Zero
WHOLE = (sp.S.NegativeInfinity, sp.S.Infinity)


def base(shape, v, lo, hi):
    """Return the mean of indicator times error functions under the tilted measure."""
    if (lo, hi) == WHOLE:
        if not shape.factors:
            return [(sp.S.One, (sp.S.One, ZERO))]
        if len(shape.factors) == 1:
            return _one_factor(shape, v)
    elif not shape.factors:
        return _interval(shape, v, lo, hi)
    return _orthant(shape, v, lo, hi)


def _interval(shape, v, lo, hi):
    ends = [None if x in WHOLE else reduce_rational(x * v - shape.B) for x in (lo, hi)]
    if not shape.alpha.is_zero:
        return _half_line_oscillation(shape, v, ends)
    low, high = ends
    if high is None:
        return [(erfc_of(low, 2 * v), (HALF, ZERO))]
    if low is None:
        return [(erfc_of(high, 2 * v, -1), (HALF, ZERO))]
    return [(erf_of(high, 2 * v), (HALF, ZERO)), (erf_of(low, 2 * v), (-HALF, ZERO))]


def _half_line_oscillation(shape, v, ends):
    # Off the centre the error function has a genuinely complex argument: no real closed form.
    end = ends[0] if ends[1] is None else ends[1]
    if None not in ends or not is_zero(end):
        raise OutsideClass("oscillation on an interval that does not end at the centre")
    side = HALF if ends[1] is None else -HALF
    return [(sp.S.One, (HALF, ZERO)), (_erfi_of(shape.alpha, 2 * v), (ZERO, side))]


def _erfi_of(r, square):
    sign, y = orient_ratio(r, square)
    return sign * sp.erfi(y)


def _one_factor(shape, v):
    name, p, q = shape.factors[0]
    square = reduce_rational(v + 2 * p**2)
    r = reduce_rational(p * shape.B + q * v)
    if shape.alpha.is_zero:
        return [(get_error_function(name, r, v * square), (sp.S.One, ZERO))]
    if not is_zero(r):
        raise OutsideClass("oscillation times an error function that is not centred")
    value = _erfi_of(expand_products(p * shape.alpha), v * square)
    if name == "erf":
        return [(value, (ZERO, sp.S.One))]
    return [(sp.S.One, (sp.S.One, ZERO)), (value, (ZERO, -sp.S.One))]


def _orthant(shape, v, lo, hi):
    """Average several error functions, or some of them on an interval: probabilities of orthants."""
    if not shape.alpha.is_zero:
        raise OutsideClass("oscillation times several error functions or indicators")
    spaces = [(name, HalfSpace.of_factor(p, reduce_rational(p * shape.B + q * v), v)) for name, p, q in shape.factors]
    ends = [HalfSpace.of_end(expand_products(sign * (shape.B - end * v)), sign, v)
            for end, sign in ((lo, 1), (hi, -1)) if end not in WHOLE]
    if len(spaces) + bool(ends) > 2:
        if len(ends) == 2 or not all(is_zero(space.r) for space in [x for _, x in spaces] + ends):
            raise OutsideClass("three or more error functions and indicators, not all of them centred")
        return [(part, (sp.S.One, ZERO)) for part in average_centred(spaces, ends).as_ordered_terms()]
    if not ends:
        (first, x), (second, y) = spaces
        if first == second == "erf":        # 4 P(x, y) - 2 P(x) - 2 P(y) + 1, odd in each of them
            both = _scaled(pair(x, y), 4)
            return both + _scaled([(x.mass(), -2), (y.mass(), -2), (sp.S.One, sp.S.One)], sp.S.One)
        return _with_tails(first, x, second, y)
    ((name, x),) = spaces
    total = []
    # above lo and, where both ends are finite, not above hi
    for weight, end in ((sp.S.One, ends[0]), (sp.S.NegativeOne, ends[-1].opposite()))[: len(ends)]:
        # erf = 2 P - 1, erfc = 2 P(-U < -h)
        total += _scaled(pair(x if name == "erf" else x.opposite(), end), 2 * weight)
        total += [(end.mass(), (-weight, ZERO))] * (name == "erf")
    return total


def _scaled(terms, factor):
    return [(special, (factor * weight, ZERO)) for special, weight in terms]


def _with_tails(first, x, second, y):
    """Return the mean of ``erfc erfc`` or ``erf erfc``, as small as the tails are."""
    both = _scaled(pair(x.opposite(), y.opposite()), 4)
    if first == second:
        return both
    tail = y if second == "erfc" else x
    return [(tail.opposite().mass(), (sp.S(2), ZERO))] + [(special, (-w, ZERO)) for special, (w, _) in both]


# -- recursion on powers -----------------------------------------------------------------------------------------------


NO = (sp.S.Zero, sp.S.Zero)


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
        if v.is_Atom or not v.free_symbols or not root_of(v).has(sp.Add):
            return v
        if v not in self._widths:
            self._widths[v] = sp.Dummy("v", positive=True)
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
        for end, weight in ((lo, sp.S.One), (hi, sp.S.NegativeOne)):
            if end in WHOLE:
                continue
            c = sum((x[0] * end**n for n, x in boundary.items()), sp.S.Zero)
            d = sum((x[1] * end**n for n, x in boundary.items()), sp.S.Zero)
            special = 1 / sp.sqrt(2 * sp.pi)
            for name, p, q in shape.factors:
                special *= get_error_function(name, reduce_rational(p * end + q))
            exponent = reduce_rational((shape.A - sp.S.Half) * end**2 + shape.B * end + shape.C)
            angle = reduce_rational(shape.alpha * end + shape.beta)
            self._put(weight * c, weight * d, angle, exponent, special)

    def _derivatives(self, shape, lo, hi, boundary):
        for i, (name, p, q) in enumerate(shape.factors):
            slope = (2 if name == "erf" else -2) * p / sp.sqrt(sp.pi)
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
        parts = [(c, special)] if angle.is_zero else [(c, special * sp.cos(angle)), (-d, special * sp.sin(angle))]
        for coefficient, function in parts:
            # numbers and integer powers of symbols are no part of the function; a number alone stays, so that
            # terms with different roots of numbers are not put under one fraction
            alone = function.is_number
            plain = [f for f in sp.Mul.make_args(function)
                     if f.is_Number or f.is_number and not alone or f.is_Symbol
                     or f.is_Pow and f.base.is_Symbol and f.exp.is_Integer]
            if plain:
                coefficient = coefficient * sp.Mul(*plain)
                function = sp.Mul(*[f for f in sp.Mul.make_args(function) if f not in plain])
            if not vanishes(coefficient):
                key = (exponent, function)
                self.values[key] = self.values.get(key, sp.S.Zero) + coefficient


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
        tail = next((f for f in sp.Mul.make_args(special) if isinstance(f, (sp.erf, sp.erfc, mirror))), sp.S.One)
        group = groups.setdefault((exponent, special / tail), {})
        group[tail] = group.get(tail, sp.S.Zero) + coefficient
    terms = []
    for (exponent, rest), group in groups.items():
        _join(group)
        for tail, coefficient in group.items():
            if not vanishes(coefficient):
                outer = _coefficient(coefficient, names) * sp.exp(_factored(exponent))
                terms.append(outer * _written(rest, names) * tail)
    return expand_mirrored(sp.Add(*_hyperbolic(terms)))


def _hyperbolic(terms):
    """Join ``exp(s + d)`` and ``exp(s - d)`` of coefficients equal up to their sign, d a product."""
    plain = [t for t in terms if isinstance(t.as_coeff_Mul()[1], sp.exp)]
    for i, first in enumerate(plain):
        for second in plain[:i]:
            (m, x), (n, y) = first.as_coeff_Mul(), second.as_coeff_Mul()
            middle, half = expand_products(x.args[0] + y.args[0]) / 2, expand_products(x.args[0] - y.args[0]) / 2
            if abs(m) == abs(n) and not half.is_Add and half.free_symbols:
                function = sp.cosh(half) if m == n else sp.sinh(half)
                rest = [t for t in terms if t not in (first, second)]
                return _hyperbolic([*rest, 2 * m * sp.exp(middle) * function])
    return terms


def _coefficient(coefficient, names):
    """Put a sum of inverse powers of the variances over the highest of them; needs no division."""
    if roots_in(coefficient):
        return sp.factor_terms(reduce_rational(coefficient))
    if not coefficient.is_Add:
        return coefficient.xreplace(names)
    bottom = sp.S.One
    for name in names:
        power = max(-term.as_powers_dict().get(name, sp.S.Zero) for term in coefficient.args)
        bottom *= name ** max(power, sp.S.Zero)
    if bottom is not sp.S.One:
        top = sp.Add(*[term * bottom for term in coefficient.args])
        coefficient = expand_products(top.xreplace(names))
    return sp.factor_terms(coefficient.xreplace(names)) / bottom.xreplace(names)


def _written(special, names):
    """Put the variances in place of their names, their roots as quotients of roots."""
    power = special.as_powers_dict()
    for name in names:
        n = 2 * sp.S(power.get(name, 0))
        if n.is_Integer and n % 2:
            special = special / name ** (n / 2) * root_of(names[name]) ** n
    return special.xreplace(names)


def _factored(exponent):
    """Show the square in an exponent such as ``(-a^2 - 2 a - 1)/2``."""
    if not exponent.free_symbols or exponent.has(sp.Float):
        return exponent
    top = exponent.as_numer_denom()[0]
    if not 2 < len(sp.Add.make_args(top)) <= MAX_FACTOR:
        return exponent
    square = sp.factor(exponent)
    return square if square.count_ops() < exponent.count_ops() else exponent


def _join(group):
    """Use erfc(x) + erfc(-x) = 2, erfc(x) - erfc(-x) = -2 erf(x) and 1 - erf(x) = erfc(x)."""
    for tail in [t for t in group if isinstance(t, sp.erf)]:
        x = tail.args[0]
        c, d = group.pop(sp.erfc(x), sp.S.Zero), group.pop(mirror(x), sp.S.Zero)
        if c != 0 or d != 0:
            _add(group, tail, d - c)
            _add(group, sp.S.One, c + d)
    for tail in [t for t in group if isinstance(t, sp.erfc)]:
        x = tail.args[0]
        c, d = group[tail], group.get(mirror(x), sp.S.Zero)
        if expand_products(c - d) == 0:
            _move(group, (tail, mirror(x)), sp.S.One, 2 * c)
        elif expand_products(c + d) == 0:
            _move(group, (tail, mirror(x)), erf_of(x), -2 * c)
    # Only exact matches are joined here: they are the ones that would cancel in a tail.
    for tail in [t for t in group if t is not sp.S.One]:
        c, one = group.get(tail, sp.S.Zero), group.get(sp.S.One, sp.S.Zero)
        if c == 0 or one == 0:
            continue
        x = tail.args[0]
        same, opposite = expand_products(c - one) == 0, expand_products(c + one) == 0
        if isinstance(tail, sp.erf) and (same or opposite):
            _move(group, (tail, sp.S.One), mirror(x) if same else sp.erfc(x), one)
        elif isinstance(tail, (sp.erfc, mirror)) and opposite:
            _move(group, (tail, sp.S.One), erf_of(x if isinstance(tail, sp.erfc) else -x), one)


def _add(group, tail, coefficient):
    group[tail] = expand_products(group.get(tail, sp.S.Zero) + coefficient)


def _move(group, old, new, coefficient):
    for tail in old:
        del group[tail]
    number, new = new.as_coeff_Mul()
    group[new] = expand_products(group.get(new, sp.S.Zero) + number * coefficient)
