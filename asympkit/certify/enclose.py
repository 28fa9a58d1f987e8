"""``ak.enclose``: a ball for any closed expression built from the package's nodes."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from sympy import Dummy, Expr
from sympy.core.sympify import SympifyError, _sympify

from ..balls.analytic import constant
from ..balls.backend import workprec
from ..balls.ball import Ball
from ..balls.coefficients import CheckedGrowth, validate_digits
from ..balls.integral import gaussian_ball, refine_until_narrow
from ..errors import DomainError, NotAvailableError, ProofError
from ..gauss.measure import Gaussian
from ..gauss.reductions import fix_kinks, over_fewer
from ..nodes import Average, averages, remove_names
from ..once import Deferred
from ..parsing import parse
from ..program.statements import Grid
from ..program.steady import steady
from ..spectra import DeepCovariance
from ..spectra.law import Angle
from .separate import AngleSums

if TYPE_CHECKING:
    from ..annotations import Expression

__all__ = ["enclose"]

_contour, _direct, _several = (Deferred(f"asympkit.{name}") for name in (
    "certify.contour", "certify.direct", "balls.several"))


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
            return _direct.pair_mean(average.integrand, *average.bound_symbols, digits)
    return _over_boxes(average, digits)


def _over_boxes(average, digits):
    """Enclose the mean over several normals, or of functions of means, with its kinks on axes where possible."""
    turned, found = fix_kinks(over_fewer(average)), {}
    for part in averages(turned):
        bound, value = part.bound_symbols, Dummy("mean", real=True)
        if len(bound) == 1 and not part.integrand.has(Average):
            found[value] = gaussian_ball(part.integrand, *bound, digits)
        else:
            integrand, inner = _direct.split_means(steady(part.integrand, True))
            found[value] = _several.several_ball(integrand, bound, digits, inner)
        turned = turned.xreplace({part: value})
    return constant(turned, found)
