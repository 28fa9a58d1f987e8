"""``ak.enclose``: a ball for any closed expression built from the package's nodes."""

from ..errors import DomainError, NotAvailableError
from .ball import Ball

__all__ = ["enclose", "hermite_balls", "second_moment_ball"]


def enclose(expr, digits=30):
    """Proved enclosure of a closed expression.

    Averages over one standard normal are integrated with proved error bounds; averages over several
    are closed first where a closed form is known; everything else is evaluated in ball arithmetic.

    Parameters
    ----------
    expr : sympy.Expr or str
        Without free symbols; its numbers are exact.
    digits : int
        The radius is at most ``10**-digits * max(1, |value|)``.

    Returns
    -------
    Ball

    Raises
    ------
    NotAvailableError
        Without python-flint, for a function without a rule, and for averages over several variables
        that have no closed form.
    DomainError
        For free symbols, inexact numbers, and where a hypothesis of the proof fails.
    ConvergenceError
        If the enclosure does not get narrow enough.

    Examples
    --------
    >>> from asympkit import E, enclose, parse
    >>> from sympy import Symbol
    >>> z = Symbol("z", real=True)
    >>> print(float(enclose(E(parse("abs(z)"), z) ** 2)))
    0.6366197723675814
    """
    from sympy import Expr
    from sympy.core.sympify import SympifyError, _sympify

    from ..nodes import unname

    digits = _checked(digits)
    if isinstance(expr, str):
        from ..parsing import parse

        expr = parse(expr, names=())
    try:
        expr = _sympify(expr)
    except SympifyError as error:
        raise DomainError(f"expr: got {expr!r}; expected a sympy expression") from error
    if not isinstance(expr, Expr):
        raise DomainError(f"expr: got {expr!r}; expected a sympy expression")
    expr = unname(expr)
    if expr.free_symbols:
        names = ", ".join(sorted(map(str, expr.free_symbols)))
        raise DomainError(f"expr: {str(expr)[:80]} still holds {names}; an enclosure needs numbers")
    return Ball.from_arb(_enclosed(expr, digits))


def _enclosed(expr, digits):
    from .integral import settled

    shown, (expr, averages) = expr, _without_averages(expr)
    margins = iter((3, digits, 4 * digits, 10 * digits))

    def evaluate(bits):
        from .printer import constant

        margin = next(margins)
        return constant(expr, {symbol: _mean(average, digits + margin) for symbol, average in averages.items()})

    return settled(evaluate, digits, shown)


def _without_averages(expr):
    """The expression with symbols for its averages over one normal, and those averages."""
    from sympy import Dummy

    from ..nodes import averages

    found = {}
    while True:
        outer = averages(expr)
        if not outer:
            return expr, found
        for average in outer:
            if _is_plain(average):
                symbol = Dummy("mean", real=True)
                found[symbol] = average
                expr = expr.xreplace({average: symbol})
                continue
            closed = average.doit()
            if average in averages(closed):
                raise NotAvailableError(f"certify: {str(average)[:80]} has no enclosure; only averages over one "
                                        "normal, and those with a closed form, have one")
            expr = expr.xreplace({average: closed})


def _is_plain(average):
    from ..gauss.measure import Gaussian
    from ..nodes import Average

    return (isinstance(average.measure, Gaussian) and len(average.bound_symbols) == 1
            and not average.integrand.has(Average))


def _mean(average, digits):
    from .integral import gaussian_mean

    return gaussian_mean(average.integrand, average.bound_symbols[0], digits)


# -- activations -------------------------------------------------------------------------------------


def hermite_balls(activation, n, digits=None):
    """``c_0 .. c_n`` of an activation as balls; see :meth:`asympkit.Activation.hermite_coefficients`."""
    import math

    import sympy as sp

    from ..activations.parity import _structural
    from ..gauss.coefficients import _order
    from .backend import arb, workprec
    from .integral import gaussian_mean

    n, digits = _order(n), _checked(30 if digits is None else digits)
    activation.require_second_moment()
    z, sign, balls = activation.symbol, _structural(activation.expr, activation.symbol), []
    for k in range(n + 1):
        if sign == -(-1) ** k:
            balls.append(Ball.from_arb(arb(0)))       # proved by symmetry
            continue
        value = gaussian_mean(activation.expr, z, digits, sp.hermite_prob(k, z))
        with workprec(3.33 * digits + 60):
            balls.append(Ball.from_arb(value / arb(math.factorial(k))))
    return balls


def second_moment_ball(activation, digits=None):
    """``E[f(z)**2]`` of an activation as a ball."""
    from .integral import gaussian_mean

    digits = _checked(30 if digits is None else digits)
    activation.require_second_moment()
    return Ball.from_arb(gaussian_mean(activation.expr**2, activation.symbol, digits))


def _checked(digits):
    from importlib import import_module

    from ..readings.precise import check_digits

    import_module("asympkit.balls.backend")     # says what is missing before anything else does
    check_digits(digits)
    return int(digits)
