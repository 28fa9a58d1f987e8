"""Recursion on powers: integrate by parts until no power of the variable is left.

With ``w(z) = exp(A z^2 + B z + C + i (alpha z + beta)) phi(z)`` one has
``v z w = (B + i alpha) w - w'``, ``v = 1 - 2 A``.  Multiplying by ``z^(n-1) G``, ``G`` the product of
the error functions and of the indicator of ``(lo, hi)``, lowers the power by one and leaves values at
the ends of the interval, and terms where one error function has turned into a Gaussian.
"""

from sympy import Add, Dummy, Mul, S, cos, pi, sin, sqrt

from .bases import WHOLE, base
from .decide import OutsideClass, reduced, root_of, sign_of, tidy, vanishes
from .tails import named
from .terms import accumulate

NO = (S.Zero, S.Zero)


def _is_whole_power(x):
    return x.is_Pow and x.base.is_Symbol and x.exp.is_Integer


class Moments:
    """Sum of means of normal forms on intervals, gathered by exponential and special function.

    Attributes
    ----------
    values : dict
        ``{(exponent, special): coefficient}``, the terms found so far.
    """

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
        v = reduced(1 - 2 * shape.A)
        if sign_of(v) != 1:
            # Not integrable over the line; on a bounded interval it would take other functions.
            raise OutsideClass("the exponential grows as fast as the Gaussian falls")
        width = self.width(v)
        drift = (shape.B / width, shape.alpha / width)
        poly, boundary = dict(poly), {}
        for n in range(max(poly), 0, -1):
            c, d = (tidy(x) for x in poly.pop(n, NO))
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
        c, d = (tidy(x) for x in poly.get(0, NO))
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
                special *= named(name, reduced(p * end + q))
            exponent = reduced((shape.A - S.Half) * end**2 + shape.B * end + shape.C)
            angle = reduced(shape.alpha * end + shape.beta)
            self._put(weight * c, weight * d, angle, exponent, special)

    def _derivatives(self, shape, lo, hi, boundary):
        for i, (name, p, q) in enumerate(shape.factors):
            slope = (2 if name == "erf" else -2) * p / sqrt(pi)
            lowered = shape._replace(
                A=tidy(shape.A - p**2),
                B=tidy(shape.B - 2 * p * q),
                C=tidy(shape.C - q**2),
                factors=shape.factors[:i] + shape.factors[i + 1 :],
            )
            self.add(lowered, {n: (slope * c, slope * d) for n, (c, d) in boundary.items()}, lo, hi)

    def _base(self, shape, v, width, lo, hi, c, d):
        exponent = reduced(shape.C + (shape.B**2 - shape.alpha**2) / (2 * v))
        angle = reduced(shape.beta + shape.alpha * shape.B / v)
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
