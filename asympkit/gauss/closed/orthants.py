"""Probabilities that correlated normals lie below bounds, each written as simply as its bounds allow.

An error function and an indicator are both conditions on a unit normal U: ``erf(p z + q)`` is
``2 P(U < h) - 1`` with U made of z and an independent normal, an indicator is ``1`` on ``U < h``.
"""

from typing import NamedTuple

from sympy import Expr, Rational, S, asin, atan, pi, sqrt

from ...numbers.functions.pair_classes import BivariateNormalCDF, OwenT
from .decide import OutsideClass, is_zero, reduced, root_of, tidy
from .tails import erfc_of, oriented


class HalfSpace(NamedTuple):
    """The event ``U < h`` with ``h = sqrt(2) r / sqrt(square)``.

    The correlation of two of them is the product of their ``slope / sqrt(scale)``; for an end of an
    interval the slope is 1 or -1, and two of those never meet.
    """

    r: Expr
    square: Expr
    slope: Expr
    scale: Expr

    @classmethod
    def of_factor(cls, p, r, v):
        """Make the event of ``erf(p z + q)`` or ``erfc`` of it, ``r = p B + q v``."""
        scale = reduced(v + 2 * p**2)
        return cls(r, reduced(v * scale), sqrt(2) * p, scale)

    @classmethod
    def of_end(cls, r, sign, v):
        """Make the event above an end (sign 1) or below it (sign -1)."""
        return cls(reduced(r), 2 * v, S(sign), S.One)

    def opposite(self):
        """Return the complement, the event ``-U < -h``."""
        return HalfSpace(tidy(-self.r), self.square, -self.slope, self.scale)

    def mass(self):
        """Return the probability."""
        return erfc_of(self.r, self.square, -1) / 2

    def bound(self):
        """Return ``(sign, y)`` with h = sign * y."""
        return oriented(tidy(sqrt(2) * self.r), self.square)


def correlation(x, y):
    """Return ``(top, root)`` with correlation ``top/root``."""
    top = tidy(x.slope * y.slope)
    if x.scale == y.scale:
        return top, x.scale
    return top, min(root_of(x.scale) * root_of(y.scale), root_of(x.scale * y.scale), key=lambda e: e.count_ops())


def pair(x, y):
    """Return ``P(x and y)`` as a list of ``(special function, weight)``."""
    top, root = correlation(x, y)
    if is_zero(top):
        return [(x.mass() * y.mass(), S.One)]
    zero_x, zero_y = is_zero(x.r), is_zero(y.r)
    if zero_x and zero_y:
        return [(S.One, Rational(1, 4)), (_angle(top, root), S.Half / pi)]
    if zero_x or zero_y:
        return _through_centre(y if zero_x else x, top, root)
    (sign_x, hx), (sign_y, hy) = x.bound(), y.bound()
    if hx == hy:
        return _equal(x, sign_x == sign_y, top, root)
    return [(BivariateNormalCDF(sign_x * hx, sign_y * hy, top / root), S.One)]


def _signed(value):
    """Split off the sign of a special function, as ``(function, weight)``."""
    weight, function = value.as_coeff_Mul()
    return function, weight


def _angle(top, root):
    """Return the arcsine of the correlation, or the arctangent that equals it if that is shorter."""
    arc = asin(top / root)
    rest = reduced(root**2 - top**2)
    if rest.is_positive:
        other = atan(top / root_of(rest))
        if other.count_ops() < arc.count_ops():
            return other
    return arc


def _through_centre(x, top, root):
    function, weight = _signed(OwenT(x.bound()[1], top / root_of(root**2 - top**2)))
    return [(x.mass(), S.Half), (function, weight)]


def _equal(x, same, top, root):
    """Return ``P(x and y)`` where the two bounds agree up to their sign."""
    top = top if same else -top
    function, weight = _signed(OwenT(x.bound()[1], root_of((root - top) / (root + top))))
    if same:
        return [(x.mass(), S.One), (function, -2 * weight)]
    return [(function, 2 * weight)]


# -- centred ones --------------------------------------------------------------------------------------


def centred(spaces, ends):
    """Return the mean of a product of centred error functions and of the sign or the indicator of a half-line."""
    value, end = S.Zero, ends[0] if ends else None
    # erfc = 1 - erf, and an indicator is (1 + sign)/2: multiply out, keep the even products.
    for chosen, weight in _products(spaces):
        if end is None:
            value += weight * _even(chosen)
        else:
            value += weight / 2 * _even([*chosen, end] if len(chosen) % 2 else chosen)
    return value


def _products(spaces):
    products = [((), S.One)]
    for name, x in spaces:
        taken = [((*chosen, x), -w if name == "erfc" else w) for chosen, w in products]
        products = taken + (products if name == "erfc" else [])
    return products


def _even(chosen):
    """Return the mean of a product of centred signs: zero if their number is odd, an arcsine for two."""
    if len(chosen) % 2:
        return S.Zero
    if not chosen:
        return S.One
    if len(chosen) > 2:
        raise OutsideClass("four or more error functions and indicators")
    return 2 * _angle(*correlation(*chosen)) / pi


