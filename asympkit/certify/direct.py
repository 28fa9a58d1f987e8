"""Sums over Gaussian variables whose integrands are elementary: each one enclosed by itself.

Averages inside functions of averages, taken out for their proofs.

Certified averages over two normals of f(x) g(a x + b y): dual activations without a closed form.

The inner average over y is a conditional mean of g, the outer one a trapezoidal sum; both come with the
errors proved for the tables of a theory (:mod:`.inner`, :mod:`.outer`), with no denominator.
"""

import sympy as sp
from sympy import Dummy, nan, oo, zoo

from ..activations import Activation
from ..balls.analytic import constant
from ..balls.backend import TooDearError, Work, arb, workprec
from ..balls.integral import ParametricMean, gaussian_ball
from ..balls.several import SeveralMean
from ..errors import AsympkitError, ConvergenceError, DomainError, NotAvailableError, ProofError
from ..exact import is_zero
from ..gauss.measure import Gaussian
from ..gauss.quadrature.digits import split_product
from ..nodes import Average
from ..program.statements import Grid, InnerSum, Means, Sums
from .forms import refusal
from .outer import OuterSums
from .separate import expand_integrand

__all__ = ["DirectSums", "pair_mean", "split_means"]


def split_means(expr):
    """Replace the averages over normals in an integrand by symbols, ``{symbol: (integrand, variables)}``.

    Raises
    ------
    NotAvailableError
        For averages inside these, and over other laws.
    """
    inside = sorted(expr.atoms(InnerSum, Average), key=str)
    for node in inside:
        if node.integrand.has(InnerSum, Average):
            raise NotAvailableError(f"certify: {str(node)[:80]} is inside an average and holds another one; averages "
                                    "are enclosed two levels deep: close one (.doit()), or write averages that "
                                    "enter linearly as one over several variables")
        if isinstance(node, Average) and not isinstance(node.measure, Gaussian):
            raise NotAvailableError(f"certify: {str(node)[:80]} is inside an average and is one over another law than "
                                    "the normal, which is not enclosed there; close it (.doit())")
    marks = {node: Dummy(f"mean{k}", real=True) for k, node in enumerate(inside)}
    found = {m: (node.integrand, tuple(node.bound if isinstance(node, InnerSum) else node.bound_symbols))
             for node, m in marks.items()}
    return expr.xreplace(marks), found


_LOOSE = 8          # digits of means that need not be sharp


class DirectSums:
    """Means over a Gaussian grid whose columns are formulas in its variables.

    Parameters
    ----------
    grid : Grid
        Over normal variables; its preparation holds values at the node, and named expressions of them.
    digits : int
        Absolute accuracy of the means, apart from the width that the balls of other symbols bring.
    functions : dict, optional
        ``{label: Activation}``.
    numbers : dict of Symbol to Rational, optional
        Parameters that are rational: they fix the places of kinks, and 0 may switch variables off.

    Attributes
    ----------
    is_loose : bool
        True while means over several normals, which are expensive, get few digits.
    """

    def __init__(self, grid, digits, functions=None, numbers=None):
        self.grid, self.digits = grid, digits
        self.functions, self.numbers = functions or {}, numbers or {}
        self.work, self._means, self.is_loose = Work(), {}, False

    def sums(self, statement, values):
        """Enclose the sums of a statement, ``{symbol: ball}``.

        Parameters
        ----------
        statement : Sums
        values : dict
            Balls of all symbols known so far.

        Raises
        ------
        ProofError
            If an average is not proved to exist, or not enclosed.
        """
        out = {}
        for symbol, integrand, note in statement.sums:
            try:
                out[symbol] = self._mean(statement, integrand).mean(values)
            except (TooDearError, NotAvailableError) as error:
                raise refusal(f"certify: the average {note or integrand} is not enclosed: {error}") from error
            except (DomainError, ConvergenceError) as error:
                raise ProofError(f"certify: the average {note or integrand} is not enclosed: {error}") from error
        return out

    def _mean(self, statement, integrand):
        digits = min(_LOOSE, self.digits) if self.is_loose else self.digits
        key = statement.locals, integrand, digits
        if key not in self._means:
            expr, bound = self._switched_off(expand_integrand(statement, integrand, self.functions, self.numbers))
            expr, inner = split_means(expr)
            self._means[key] = (ParametricMean(expr, *bound, self.digits, self.work) if len(bound) == 1 and not inner
                                else SeveralMean(expr, bound, digits, inner))
        return self._means[key]

    def _switched_off(self, expr):
        """Return an integrand, and its variables without those that a zero parameter switches off; one remains."""
        bound, plain = self.grid.bound, expr.xreplace({s: v for s, v in self.numbers.items() if v == 0})
        left = tuple(b for b in bound if b in plain.free_symbols)
        if plain.has(nan, zoo, oo, -oo) or not {b for b in bound if b in expr.free_symbols} - {*left}:
            return expr, bound
        return plain, left or bound[:1]

    def describe(self):
        """Return one sentence on the growth that was proved."""
        rows = dict.fromkeys(row for mean in self._means.values() for row in mean.describe())
        return f"direct averages over {', '.join(b.name for b in self.grid.bound)}: " + "; ".join(rows)


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
