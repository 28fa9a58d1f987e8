"""``ak.enclose``: a ball for any closed expression built from the package's nodes.

Sums over Gaussian variables whose integrands are elementary are each enclosed by itself; averages inside functions of
averages are taken out for their proofs.  Averages over two normals of f(x) g(a x + b y), dual activations without a
closed form: the inner average over y is a conditional mean of g, the outer one a trapezoidal sum; both come with the
errors proved for the tables of a theory (:mod:`.inner`, :mod:`.outer`), with no denominator.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import sympy as sp
from sympy import Dummy, Expr, nan, oo, zoo
from sympy.core.sympify import SympifyError, _sympify

from ..activations import Activation
from ..balls.analytic import constant
from ..balls.backend import TooDearError, Work, arb, workprec
from ..balls.ball import Ball
from ..balls.coefficients import CheckedGrowth, validate_digits
from ..balls.integral import ParametricMean, gaussian_ball, refine_until_narrow
from ..balls.several import SeveralMean, several_ball
from ..errors import AsympkitError, ConvergenceError, DomainError, NotAvailableError, ProofError
from ..exact import is_zero
from ..gauss.measure import Gaussian
from ..gauss.quadrature.digits import split_product
from ..gauss.reductions import fix_kinks, over_fewer
from ..nodes import Average, averages, remove_names
from ..once import Deferred
from ..parsing import parse
from ..program.statements import Grid, InnerSum, Means, Sums
from ..program.steady import steady
from ..spectra import DeepCovariance
from ..spectra.law import Angle
from .forms import refusal
from .outer import OuterSums
from .separate import AngleSums, expand_integrand

if TYPE_CHECKING:
    from ..annotations import Expression

_contour = Deferred("asympkit.certify.contour")


def enclose(expr: Expression | str, digits: int = 30, growth: str | Expression | None = None) -> Ball:
    """Enclose a closed expression with proof.

    Averages over one standard normal are integrated with proved error bounds. Averages over two are closed
    where a closed form is known; sums of ``f(x)*g(a*x + b*y)``, such as dual activations, are enclosed by one rule for
    each variable. Other averages over two or three, and averages inside functions of an average, are integrated over
    boxes: two dimensions cost about a second for 10 digits and five for 30, three cost minutes; what takes longer
    raises an error. Everything else is evaluated in ball arithmetic.

    Parameters
    ----------
    expr : sympy.Expr or str
        Without free symbols; its numbers are exact.
    digits : int
        The radius is at most ``10**-digits * max(1, |value|)``.
    growth : str or sympy.Expr, optional
        Where no rule proves how fast an integrand grows, an unproved bound ``|f(z)| <= growth`` for all
        real z: ``P(abs(z))*exp(a*abs(z) + b*z**2)`` with non-negative coefficients of P, such as ``"2"`` or
        ``"(1+z**2)*exp(abs(z))"``. It must hold for the integrand of every average, is tested at thousands of
        points out to 60 and rejected where it fails; a ball that needs it names it in ``.hypotheses``.

    Returns
    -------
    Ball

    Raises
    ------
    NotAvailableError
        Without python-flint, for a function without a rule, for kinks that lie across several normals, and for
        averages nested three levels deep.
    DomainError
        For free symbols, inexact numbers, where a hypothesis of the proof fails (over two variables a
        :class:`ProofError`), and for a ``growth`` that is violated at a point.
    ConvergenceError
        If the enclosure does not get narrow enough.

    Examples
    --------
    >>> from asympkit import E, enclose, parse
    >>> from sympy import Symbol
    >>> z = Symbol("z", real=True)
    >>> print(float(enclose(E(parse("abs(z)"), z) ** 2)))
    0.6366197723675814
    >>> print(enclose(E(parse("log(2+sin(z)-cos(z))"), z), 10, growth="3/2").hypotheses[0])
    |log(sin(z) - cos(z) + 2)| <= 3/2 for all real z (given, not proved; sampled up to |z| = 60)
    """
    digits = validate_digits(digits)
    if isinstance(expr, str):
        expr = parse(expr, names=())
    try:
        expr = _sympify(expr)
    except SympifyError as error:
        raise DomainError(f"expr: got {expr!r}; expected a sympy expression") from error
    if not isinstance(expr, Expr):
        raise DomainError(f"expr: got {expr!r}; expected a sympy expression")
    expr = remove_names(expr)
    if expr.free_symbols:
        names = ", ".join(sorted(map(str, expr.free_symbols)))
        raise DomainError(f"expr: {str(expr)[:80]} still holds {names}; an enclosure needs numbers")
    with workprec(53):
        return _enclosed(expr, digits, growth)


def _enclosed(expr, digits, growth):
    shown, (expr, averages) = expr, _without_averages(expr)
    single = {s: a for s, a in averages.items() if _is_plain(a, 1)}
    if growth is not None and not single:
        raise DomainError(f"growth: {str(shown)[:80]} holds no average over one normal; nothing needs a bound")
    given = CheckedGrowth(growth)
    bounds = {s: given.bound(a.integrand, a.bound_symbols[0]) for s, a in single.items()}
    margins = iter((3, digits, 4 * digits, 10 * digits))

    def evaluate(bits):
        margin = next(margins)
        return constant(expr, {symbol: _mean(average, digits + margin, bounds.get(symbol))
                               for symbol, average in averages.items()})

    return Ball.from_arb(refine_until_narrow(evaluate, digits, shown), given.hypotheses)


def _without_averages(expr):
    """Replace the averages without a closed form by symbols; return the expression and those averages."""
    found = {}
    while True:
        outer = averages(expr)
        if not outer:
            return expr, found
        for average in outer:
            closed = average if _is_plain(average, 1) else remove_names(average.doit())
            if average in averages(closed):
                if isinstance(average.measure, DeepCovariance):
                    closed = Dummy("mean", real=True)
                    found[closed] = average
                    expr = expr.xreplace({average: closed})
                    continue
                density = average.measure.resolved(average.integrand)
                if density is not None:
                    expr = expr.xreplace({average: remove_names(density)})
                    continue
                if not isinstance(average.measure, Gaussian | Angle):
                    raise NotAvailableError(f"certify: {str(average)[:80]} is no average over normals and has no "
                                            "closed form; give its law numbers through a theory, and certify that")
                closed = Dummy("mean", real=True)
                found[closed] = _flat(average)
            expr = expr.xreplace({average: closed})


def _flat(average):
    """Merge an average that is linear in an average inside it into one over two normals."""
    inside = averages(average.integrand)
    if len(inside) != 1 or len(average.bound_symbols) != 1 or not _is_plain(inside[0], 1):
        return average
    mark, y = Dummy(), Dummy("y", real=True)
    integrand = average.integrand.xreplace({inside[0]: mark})
    if not integrand.is_polynomial(mark) or integrand.as_poly(mark).degree() != 1:
        return average
    both = integrand.xreplace({mark: inside[0].integrand.xreplace({inside[0].bound_symbols[0]: y})})
    return Average(both, Gaussian(average.bound_symbols[0], y))


def _is_plain(average, *sizes):
    return (isinstance(average.measure, Gaussian) and len(average.bound_symbols) in sizes
            and not average.integrand.has(Average))


def _mean(average, digits, bound):
    if isinstance(average.measure, DeepCovariance):
        return _contour.contour_mean(average, digits)
    if isinstance(average.measure, Angle):
        grid = Grid("angle", average.bound_symbols, given=False, is_angle=True)
        return AngleSums(grid, digits).mean(average.integrand, str(average), {})
    if _is_plain(average, 1):
        return gaussian_ball(steady(average.integrand, True), average.bound_symbols[0], digits, bound=bound)
    if _is_plain(average, 2):
        with suppress(NotAvailableError, ProofError):
            return pair_mean(average.integrand, *average.bound_symbols, digits)
    return _over_boxes(average, digits)


def _over_boxes(average, digits):
    """Enclose the mean over several normals, or of functions of means, with its kinks on axes where possible."""
    turned, found = fix_kinks(over_fewer(average)), {}
    for part in averages(turned):
        bound, value = part.bound_symbols, Dummy("mean", real=True)
        if len(bound) == 1 and not part.integrand.has(Average):
            found[value] = gaussian_ball(part.integrand, *bound, digits)
        else:
            integrand, inner = split_means(steady(part.integrand, True))
            found[value] = several_ball(integrand, bound, digits, inner)
        turned = turned.xreplace({part: value})
    return constant(turned, found)


def split_means(expr):
    """Replace the averages over normals in an integrand by symbols, ``{symbol: (integrand, variables)}``.

    Averages inside these, and over other laws, raise NotAvailableError.
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
    """Means over a grid of normals whose columns are formulas in its variables.

    ``digits`` is the absolute accuracy, apart from the width that the balls of other symbols bring; ``functions`` are
    the activations by label.  ``numbers`` are the parameters that are rational: they fix the places of kinks, and 0 may
    switch variables off.  While ``is_loose``, means over several normals, which are expensive, get few digits.
    """

    def __init__(self, grid, digits, functions=None, numbers=None):
        self.grid, self.digits = grid, digits
        self.functions, self.numbers = functions or {}, numbers or {}
        self.work, self._means, self.is_loose = Work(), {}, False

    def sums(self, statement, values):
        """Enclose the sums of a statement, ``{symbol: ball}``, at balls of all symbols known so far."""
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
    """Enclose the mean of a sum of ``f(x) g(a x + b y)``, a and b exact, over independent standard normals x and y.

    Another form raises NotAvailableError, a failed hypothesis ProofError.
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
            return _enclosed_product(*parts, digits)
    expanded = sp.expand_mul(term)
    if expanded.is_Add:
        return _sum(expanded, x, y, digits)
    raise NotAvailableError(f"certify: {str(term)[:80]} has no enclosure; averages over two normals need the form "
                            "f(x)*g(a*x + b*y), or a closed form")


def _enclosed_product(f, g, a, b, digits):
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
