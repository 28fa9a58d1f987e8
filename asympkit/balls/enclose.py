"""``ak.enclose``: a ball for any closed expression built from the package's nodes."""

from ..errors import DomainError, NotAvailableError
from .ball import Ball

__all__ = ["enclose", "hermite_balls", "second_moment_ball"]


def enclose(expr, digits=30, growth=None):
    """Proved enclosure of a closed expression.

    Averages over one standard normal are integrated with proved error bounds; averages over several
    are closed first where a closed form is known; everything else is evaluated in ball arithmetic.

    Parameters
    ----------
    expr : sympy.Expr or str
        Without free symbols; its numbers are exact.
    digits : int
        The radius is at most ``10**-digits * max(1, |value|)``.
    growth : str or sympy.Expr, optional
        Where no rule proves how fast an integrand grows, a bound ``|f(z)| <= growth`` for all real z that you
        vouch for: ``P(abs(z))*exp(a*abs(z) + b*z**2)`` with non-negative coefficients of P, such as ``"2"`` or
        ``"(1+z**2)*exp(abs(z))"``. It must hold for the integrand of every average, is tried at thousands of
        points out to 60 and refused where it fails; a ball that needs it names it in ``.hypotheses``.

    Returns
    -------
    Ball

    Raises
    ------
    NotAvailableError
        Without python-flint, for a function without a rule, and for averages over several variables
        that have no closed form.
    DomainError
        For free symbols, inexact numbers, where a hypothesis of the proof fails, and for a ``growth`` that is
        violated at a point.
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
    return _enclosed(expr, digits, growth)


def _enclosed(expr, digits, growth):
    from .integral import settled

    shown, (expr, averages) = expr, _without_averages(expr)
    if growth is not None and not averages:
        raise DomainError(f"growth: {str(shown)[:80]} holds no average over one normal; nothing needs a bound")
    given = _Given(growth)
    bounds = {s: given.bound(a.integrand, a.bound_symbols[0]) for s, a in averages.items()}
    margins = iter((3, digits, 4 * digits, 10 * digits))

    def evaluate(bits):
        from .printer import constant

        margin = next(margins)
        return constant(expr, {symbol: _mean(average, digits + margin, bounds[symbol])
                               for symbol, average in averages.items()})

    return Ball.from_arb(settled(evaluate, digits, shown), given.hypotheses)


class _Given:
    """The growth bound of a person, if any, and the hypotheses it has led to."""

    def __init__(self, growth):
        from .growth_text import read_growth

        self.growth = None if growth is None else read_growth(growth)
        self.hypotheses = []

    def bound(self, f, z, power=1):
        """Bound of ``f**power`` where it is needed, else None."""
        sentence = self.growth and self.growth.hypothesis(f, z, power)
        if not sentence:
            return None
        if sentence not in self.hypotheses:
            self.hypotheses.append(sentence)
        return self.growth.bound if power == 1 else self.growth.bound * self.growth.bound


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


def _mean(average, digits, bound):
    from .integral import gaussian_mean

    return gaussian_mean(average.integrand, average.bound_symbols[0], digits, bound=bound)


# -- activations -------------------------------------------------------------------------------------


def hermite_balls(activation, n, digits=None, growth=None):
    """``c_0 .. c_n`` of an activation as balls; see :meth:`asympkit.Activation.hermite_coefficients`."""
    import math

    import sympy as sp

    from ..activations.parity import _structural
    from ..gauss.coefficients import _order
    from .backend import arb, workprec
    from .integral import gaussian_mean

    n, digits = _order(n), _checked(30 if digits is None else digits)
    given = _given(activation, growth)
    z, sign, balls = activation.symbol, _structural(activation.expr, activation.symbol), []
    bound = given.bound(activation.expr, z)
    for k in range(n + 1):
        if sign == -(-1) ** k:
            balls.append(Ball.from_arb(arb(0)))       # proved by symmetry
            continue
        value = gaussian_mean(activation.expr, z, digits, sp.hermite_prob(k, z), bound)
        with workprec(3.33 * digits + 60):
            balls.append(Ball.from_arb(value / arb(math.factorial(k)), given.hypotheses))
    return balls


def second_moment_ball(activation, digits=None, growth=None):
    """``E[f(z)**2]`` of an activation as a ball."""
    from .integral import gaussian_mean

    digits = _checked(30 if digits is None else digits)
    given = _given(activation, growth)
    bound = given.bound(activation.expr, activation.symbol, 2)
    return Ball.from_arb(gaussian_mean(activation.expr**2, activation.symbol, digits, bound=bound), given.hypotheses)


def _given(activation, growth):
    """The growth bound given; without one, the activation must be of finite second moment by its own rules."""
    given = _Given(growth)
    if growth is None:
        activation.require_second_moment()
    elif 4 * given.growth.bound.curvature >= 1:
        raise DomainError(f"growth: {given.growth.expr} does not stay below exp(z**2/4): the second moment of "
                          f"{activation.name!r} may be infinite")
    return given


def _checked(digits):
    from importlib import import_module

    from ..readings.precise import check_digits

    import_module("asympkit.balls.backend")     # says what is missing before anything else does
    check_digits(digits)
    return int(digits)
