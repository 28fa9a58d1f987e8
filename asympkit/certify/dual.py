"""Certified averages over two normals of f(x) g(a x + b y): dual activations without a closed form.

The inner average over y is a conditional mean of g, the outer one a trapezoidal sum; both come with the
errors proved for the tables of a theory (:mod:`.inner`, :mod:`.outer`), with no denominator.
"""

import sympy as sp

from ..activations import Activation
from ..balls.analytic import constant
from ..balls.backend import arb, workprec
from ..balls.integral import gaussian_ball
from ..errors import AsympkitError, NotAvailableError
from ..exact import is_zero
from ..gauss.pairs import split_product
from ..program.statements import Grid, Means, Sums
from .outer import OuterSums

__all__ = ["pair_mean"]

Z = sp.Symbol("z", real=True)


def pair_mean(integrand, x, y, digits):
    """Enclose ``E[integrand]`` over independent standard normals x and y.

    Parameters
    ----------
    integrand : sympy.Expr
        A sum of products ``f(x) g(a x + b y)`` with exact numbers a, b.
    x, y : sympy.Symbol
    digits : int

    Returns
    -------
    flint.arb

    Raises
    ------
    NotAvailableError
        If the integrand is not of that form.
    ProofError
        If a hypothesis of the proof fails.
    """
    with workprec(3.33 * digits + 60):
        return _sum(integrand, x, y, digits)


def _sum(expr, x, y, digits):
    total = arb(0)
    for term in sp.Add.make_args(expr):
        number, rest = term.as_independent(x, y, as_Add=False)
        total = total + constant(number) * _product(rest, x, y, digits)
    return total


def _product(term, x, y, digits):
    """Enclose one product; x and y change places where that separates it, and sums are multiplied out."""
    for first, second in ((x, y), (y, x)):
        parts = split_product(term, first, second, Z)
        if parts is not None:
            return _enclosed(*parts, digits)
    expanded = sp.expand_mul(term)
    if expanded.is_Add:
        return _sum(expanded, x, y, digits)
    raise NotAvailableError(f"certify: {str(term)[:80]} has no enclosure; averages over two normals need the form "
                            "f(x)*g(a*x + b*y), or a closed form")


def _enclosed(f, g, a, b, digits):
    """Sum the outer rule over one grid with two means: f itself, and the conditional mean of g."""
    if a == 0:
        return gaussian_ball(f, Z, digits) * gaussian_ball(g, Z, digits)
    functions = {"outer": Activation(f), "inner": Activation(g)}
    try:
        return _outer_sum(functions, "outer", "inner", a, b, digits + 4)
    except AsympkitError:
        if not is_zero(a**2 + b**2 - 1):
            raise
    # the pair is symmetric: the other function may be the smooth one
    return _outer_sum(functions, "inner", "outer", a, b, digits + 4)


def _outer_sum(functions, first, second, a, b, digits):
    """Enclose the mean of ``first(x) second(a x + b y)``."""
    node, value, z, left, right, both, total = sp.symbols("x s z left right both total", real=True)
    steps = [Means(first, node, sp.S.Zero, z, value, ((left, value),)),
             Means(second, a * node, b, z, value, ((right, value),))]
    grid = Grid("x", (node,), False, steps, {left * right: both})
    sums = Sums(grid, (), ((total, both, ""),))
    bits = int(3.33 * digits) + 60
    with workprec(bits):
        outer = OuterSums(grid, [sums], functions, {}, {}, digits, bits)
        outer.choose([((), both)], {})
        return outer.sums(sums, {})[total]
