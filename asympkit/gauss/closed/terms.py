"""Normal form: sums of polynomial * exp(quadratic) * one oscillation * error functions.

A smooth integrand becomes ``{shape: {n: (c, d)}}``, which stands for the sum over shapes and powers
``n`` of::

    Re[(c + i d) exp(i (alpha z + beta))] z^n exp(A z^2 + B z + C) F_1(p_1 z + q_1) F_2(...) ...

Real and imaginary parts of the coefficients are separate, in pairs, so that no imaginary unit ever
enters a result: cos(x) is ``(1, 0)``, sin(x) is ``(0, -1)``.  The identities used are analytic in
the parameters and hold whether or not these are real.

Kinks: turn Abs, sign, Heaviside, Max, Min and Piecewise into smooth pieces on intervals.
"""

from typing import NamedTuple

import sympy as sp

from ...nodes import Average
from ...properties.cells import SWITCHING, on_side, switching_borders
from .decide import MAX_DEGREE, OutsideClass, coefficients, expand_products, sign_changes, split_interval

MAX_TERMS = 400
"""Most shapes met before an integrand is given up (a guard on running time only)."""


class TermShape(NamedTuple):
    """The part of a term beside its coefficient and its power."""

    A: sp.Expr = sp.S.Zero
    B: sp.Expr = sp.S.Zero
    C: sp.Expr = sp.S.Zero
    alpha: sp.Expr = sp.S.Zero
    beta: sp.Expr = sp.S.Zero
    factors: tuple = ()  # sorted triples (name, p, q), the name "erf" or "erfc"


PLAIN = TermShape()
ONE = (sp.S.One, sp.S.Zero)


def normal_form(expr, z):
    """Expand a smooth expression into the normal form of this module; OutsideClass if it has none."""
    form = {}
    for shape, poly in _expand(expr, z).items():
        tidied = {n: (expand_products(c), expand_products(d)) for n, (c, d) in poly.items()}
        tidied = {n: pair for n, pair in tidied.items() if pair != (sp.S.Zero, sp.S.Zero)}
        if tidied:
            form[shape] = tidied
    return form


def _expand(expr, z):
    if z not in expr.free_symbols:
        return {PLAIN: {0: (expr, sp.S.Zero)}}
    if expr == z:
        return {PLAIN: {1: ONE}}
    if isinstance(expr, sp.Add):
        total = {}
        for term in expr.args:
            for shape, poly in _expand(term, z).items():
                accumulate(total, shape, poly)
        return total
    if isinstance(expr, sp.Mul):
        constant, rest = expr.as_independent(z, as_Add=False)
        # constant exponentials belong to the exponent, where they may meet their like
        raised = [f for f in sp.Mul.make_args(constant) if isinstance(f, sp.exp)]
        constant = sp.Mul(*[f for f in sp.Mul.make_args(constant) if f not in raised])
        total = {TermShape(C=sp.Add(*[f.args[0] for f in raised])): {0: (constant, sp.S.Zero)}}
        for factor in sp.Mul.make_args(rest):
            total = product(total, _expand(factor, z))
        return total
    if isinstance(expr, sp.Pow):
        return _power(expr, z)
    return _function(expr, z)


def accumulate(total, shape, poly):
    """Add ``poly * shape`` to a normal form."""
    held = total.setdefault(shape, {})
    for n, (c, d) in poly.items():
        c0, d0 = held.get(n, (sp.S.Zero, sp.S.Zero))
        held[n] = (c0 + c, d0 + d)


def _power(expr, z):
    base, exponent = expr.args
    if z not in base.free_symbols:
        if not base.is_positive:
            raise OutsideClass(f"the base of {expr} is not known to be positive")
        return _exponential(exponent * sp.log(base), z)
    if not (exponent.is_Integer and 0 < exponent <= MAX_DEGREE):
        raise OutsideClass(f"no rule for {expr}")
    if base == z:
        return {PLAIN: {int(exponent): ONE}}
    factor, total = _expand(base, z), {PLAIN: {0: ONE}}
    for _ in range(int(exponent)):
        total = product(total, factor)
    return total


def _function(expr, z):
    if isinstance(expr, sp.exp):
        return _exponential(expr.args[0], z)
    if isinstance(expr, (sp.sin, sp.cos)):
        beta, alpha = coefficients(expr.args[0], z, top=1)
        shape, conjugated = _oriented(alpha, beta)
        if isinstance(expr, sp.cos):
            return {shape: {0: ONE}}
        return {shape: {0: (sp.S.Zero, sp.S.One if conjugated else sp.S.NegativeOne)}}
    if isinstance(expr, (sp.erf, sp.erfc)):
        q, p = coefficients(expr.args[0], z, top=1)
        return {TermShape(factors=((expr.func.__name__, p, q),)): {0: ONE}}
    if isinstance(expr, (sp.sinh, sp.cosh)):
        last = sp.S.Half if isinstance(expr, sp.cosh) else -sp.S.Half
        up, down = _exponential(expr.args[0], z), _exponential(-expr.args[0], z)
        total = {}
        for form, weight in ((up, sp.S.Half), (down, last)):
            for shape in form:
                accumulate(total, shape, {0: (weight, sp.S.Zero)})
        return total
    raise OutsideClass(f"no rule for {expr.func.__name__}")


def _exponential(argument, z):
    C, B, A = coefficients(argument, z, top=2)
    return {TermShape(A, B, C): {0: ONE}}


def _oriented(alpha, beta):
    """Give an oscillation and its reflection the same shape; return it and whether it was reflected."""
    mirrored = alpha.could_extract_minus_sign()
    if mirrored:
        alpha, beta = expand_products(-alpha), expand_products(-beta)
    return TermShape(alpha=alpha, beta=beta), mirrored


def product(f, g):
    """Multiply two normal forms."""
    total = {}
    for s, poly in f.items():
        for t, other in g.items():
            _multiply(total, s, poly, t, other)
    if len(total) > MAX_TERMS or any(max(poly) > MAX_DEGREE for poly in total.values()):
        raise OutsideClass("too many terms")
    return total


def _multiply(total, s, poly, t, other):
    A, B, C = (x if y.is_zero else expand_products(x + y) for x, y in zip(s[:3], t[:3]))
    factors = s.factors + t.factors
    if s.factors and t.factors:
        factors = tuple(sorted(factors, key=str))
    for alpha, beta, conjugate, weight in _phases(s, t):
        shape, mirrored = _oriented(alpha, beta)
        turn = None
        if shape.alpha.is_zero and shape.beta != 0:
            # The oscillation has cancelled: its phase is a number, to be put in the coefficient.
            turn, shape = (sp.cos(shape.beta), sp.sin(shape.beta)), PLAIN
        shape = shape._replace(A=A, B=B, C=C, factors=factors)
        for m, (a, b) in poly.items():
            for n, (c, d) in other.items():
                d = -d if conjugate else d
                x, y = weight * (a * c - b * d), weight * (a * d + b * c)
                y = -y if mirrored else y
                if turn:
                    x, y = x * turn[0] - y * turn[1], sp.S.Zero
                elif shape.alpha.is_zero:
                    y = sp.S.Zero
                accumulate(total, shape, {m + n: (x, y)})


def _phases(s, t):
    """List the oscillations of a product: Re u Re w = Re(u w)/2 + Re(u conj(w))/2."""
    if s.alpha.is_zero or t.alpha.is_zero:
        return [(s.alpha + t.alpha, s.beta + t.beta, False, sp.S.One)]
    half = sp.S.Half
    return [
        (expand_products(s.alpha + t.alpha), expand_products(s.beta + t.beta), False, half),
        (expand_products(s.alpha - t.alpha), expand_products(s.beta - t.beta), True, half),
    ]


def has_imaginary_unit(expr):
    """Return whether an expression holds the imaginary unit, which is outside the class."""
    return expr.has(sp.I)


MAX_PIECES = 64
"""Most intervals met before an integrand is given up (a guard on running time only)."""


def smooth_pieces(expr, z, lo=sp.S.NegativeInfinity, hi=sp.S.Infinity):
    """Split an interval so that the expression is smooth on every part: ``[(lo, hi, smooth)]`` from left to right.

    OutsideClass if the place of a kink, or the order of two of them, is not known.
    """
    kink = _innermost(expr, z)
    if kink is None:
        return [(lo, hi, expr)]
    border = _border(kink)
    parts = []
    for left, right, side in split_interval(lo, hi, *sign_changes(border, z)):
        formula = on_side(kink, border, side)
        if formula is sp.S.NaN:
            raise OutsideClass(f"{kink} is not defined everywhere")
        parts += smooth_pieces(expr.xreplace({kink: formula}), z, left, right)
        if len(parts) > MAX_PIECES:
            raise OutsideClass("too many pieces")
    return parts


def _innermost(expr, z):
    """Return the first kink that holds no other one; those inside an average do not switch with z."""
    if isinstance(expr, Average):
        return None
    for a in expr.args:
        found = _innermost(a, z)
        if found is not None:
            return found
    return expr if isinstance(expr, SWITCHING) and z in expr.free_symbols else None


def _border(kink):
    """Return the expression whose sign decides first."""
    borders = switching_borders(kink)
    if not borders:
        raise OutsideClass(f"no rule for the conditions of {kink}")
    return borders[0]
