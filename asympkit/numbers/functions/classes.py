"""Sympy classes of the functions that sympy lacks, loaded when an expression is first made or evaluated.

``LogErfc``, ``LogPhi`` and ``Mills`` are public; others come from derivatives and programs, and are printed in
functions of sympy. Proximal steps differentiate by the envelope theorem; slope and envelope of the logistic loss have
multiprecision values here too, by Newton's method from doubles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mpmath.ctx_mp import MPContext
from sympy import Abs, Add, Expr, Float, Function, Integer, Max, besseli, cosh, erfc, exp, log, pi, sign, sqrt, tanh
from sympy.core.function import ArgumentIndexError

from . import entry
from .routines.elementary import logistic_slope as slope_of_floats
from .routines.elementary import logistic_slope_batch as slopes_of_floats

if TYPE_CHECKING:
    from collections.abc import Callable


def real_numbers(args, prec):
    """Convert arguments to real numbers of a private context of that precision; return both, or None."""
    mp = MPContext()
    mp.prec = prec + 10
    values = []
    for arg in args:
        value = arg if arg.is_Rational else arg.evalf(int(mp.prec / 3.3219) + 3)
        if not (value.is_Rational or isinstance(value, Float)):
            return None
        values.append(mp.mpf(value.p) / value.q if value.is_Rational else +mp.make_mpf(value._mpf_))
    return mp, values


def _where_real(self):
    """Return True for real arguments, else None."""
    return True if all(a.is_real for a in self.args) else None


def _argument_is_nonnegative(self):
    return self.args[0].is_nonnegative


def _argument_is_positive(self):
    return self.args[0].is_positive


def _always(self):
    return True


class _Real(Function):
    """A real function of one real number, its last argument, with a value of any number of digits from the list."""

    nargs = 1

    def _eval_is_extended_real(self):
        return self.args[-1].is_extended_real

    _eval_is_real = _eval_is_extended_real

    def _eval_is_finite(self):
        return True if self.args[-1].is_real else None

    def _eval_evalf(self, prec):
        known = entry(type(self).__name__)
        orders, numbers = self.args[:known.orders], self.args[known.orders:]
        found = real_numbers(numbers, prec + 20)
        if found is None:
            return None
        mp, values = found
        size = max(0, *(int(mp.mag(x)) if x else 0 for x in values))
        mp, values = real_numbers(numbers, prec + 20 + 3 * size)
        return Float._new(known.at_digits(mp, *map(int, orders), *values)._mpf_, prec)


class _StandIn(_Real):
    """A function that is printed in functions of sympy.

    Subclasses have its ``_form`` in these, and its ``_slope`` by the last argument; ``at_zero`` is its value there.
    """

    _form: Callable[..., Expr]
    _slope: Callable[..., Expr]
    at_zero: Integer | None = None

    @classmethod
    def eval(cls, *args: Expr) -> Expr | None:
        return cls.at_zero if cls.at_zero is not None and args[-1].is_zero else None

    def stands_for(self) -> Expr:
        """Return the same expression in functions of sympy."""
        return self._form(*self.args)

    def fdiff(self, argindex: int = 1) -> Expr:
        return self._slope(*self.args)

    def _sympystr(self, printer):
        form = self.stands_for()
        text = printer._print(form)
        return f"({text})" if form.is_Add else text

    def _latex(self, printer, exp=None):
        form = self.stands_for()
        body = printer._print(form)
        body = rf"\left({body}\right)" if form.is_Add or exp is not None else body
        return body if exp is None else rf"{body}^{{{exp}}}"

    def _mathml_presentation(self, printer):
        form = self.stands_for()
        if not form.is_Add:
            return printer._print(form)
        row = printer.dom.createElement("mrow")
        for text in ("(", "", ")"):
            child = printer.dom.createElement("mo") if text else printer._print(form)
            if text:
                child.appendChild(printer.dom.createTextNode(text))
            row.appendChild(child)
        return row


class Size(_StandIn):
    """The absolute value of an expression where that judges rounding: sympy's looks for a sign, and multiplies out, and
    rules resolve its kinks.
    """

    _form, _slope = staticmethod(lambda x: Abs(x, evaluate=False)), sign
    _eval_is_extended_real = _eval_is_real = _eval_is_nonnegative = _always


class Side(_StandIn):
    """The sign that selects one of two formulas which agree, with all derivatives, at the argument's zero; slope 0.

    It has no kink for quadrature rules to resolve and no point mass as its derivative: an expression has the same value
    for either sign, and the sign only chooses the form that does not cancel.  So balls that contain 0 take either one.
    """

    _form, _slope = staticmethod(lambda x: sign(x, evaluate=False)), staticmethod(lambda x: Integer(0))
    _eval_is_extended_real = _eval_is_real = _eval_is_nonzero = _always

    def _eval_power(self, exponent):
        if exponent.is_integer and exponent.is_even is not None:
            return Integer(1) if exponent.is_even else self
        return None


class SlopeSize(_StandIn):
    """The absolute value of a slope that divides places of kinks: where it is 0, the least that has a limit's value."""

    _form, _slope = staticmethod(lambda x: Abs(x, evaluate=False)), Side
    _eval_is_extended_real = _eval_is_real = _eval_is_positive = _always


class Larger(_StandIn):
    """The larger of two numbers as a scale that is taken out of sums of exponentials, with slope 0.

    An expression that holds it has the same value for any number in its place: ``a + log(exp(x - a) + exp(y - a))``.
    """

    nargs = 2
    _form, _slope = staticmethod(lambda x, y: Max(x, y, evaluate=False)), staticmethod(lambda x, y: Integer(0))

    def _eval_is_extended_real(self):
        return all(a.is_extended_real for a in self.args) or None

    _eval_is_real = _eval_is_extended_real


class LogErfc(_StandIn):
    """Evaluate ``log(erfc(x))`` of a real x, exact to rounding where erfc is no float any more.

    Examples
    --------
    >>> LogErfc(10**8).evalf(20)
    -10000000000000018.993
    """

    _form = staticmethod(lambda x: log(erfc(x), evaluate=False))
    _slope = staticmethod(lambda x: -sqrt(2) * Mills(-sqrt(2) * x))


class LogPhi(_Real):
    """Evaluate the logarithm of the normal distribution function, ``log(erfc(-x/sqrt(2))/2)``, exact to rounding.

    Examples
    --------
    >>> from sympy import Symbol
    >>> LogPhi(Symbol("x", real=True)).diff()
    Mills(x)
    """

    def fdiff(self, argindex: int = 1) -> Expr:
        return Mills(self.args[0])

    _eval_is_negative = _where_real

    def _eval_rewrite_as_erfc(self, x, **kwargs):
        return log(erfc(-x / sqrt(2)) / 2)


class Mills(_Real):
    """Evaluate the normal density over the distribution function, exact to rounding: the derivative of :class:`LogPhi`.

    Parameters
    ----------
    x : Expr
        Real.

    Examples
    --------
    >>> Mills(-10**8).evalf(25)
    100000000.0000000100000000
    """

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        return sqrt(2 / pi) if x.is_zero else None

    def fdiff(self, argindex: int = 1) -> Expr:
        return -self * MillsGap(self.args[0])

    _eval_is_positive = _where_real

    def _eval_rewrite_as_erfc(self, x, **kwargs):
        return sqrt(2 / pi) * exp(-(x**2) / 2) / erfc(-x / sqrt(2))


class MillsGap(_StandIn):
    """``x + Mills(x)``, which is ``1/abs(x)`` far on the left, without the cancellation."""

    _form = staticmethod(lambda x: Add(x, Mills(x), evaluate=False))
    _slope = staticmethod(lambda x: 1 - Mills(x) * MillsGap(x))
    _eval_is_positive = _where_real


class LogCosh(_StandIn):
    """``log(cosh(x))`` without overflow."""

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x.is_zero:
            return Integer(0)
        return cls(-x) if x.could_extract_minus_sign() else None

    _form, _slope = staticmethod(lambda x: log(cosh(x), evaluate=False)), tanh
    _eval_is_nonnegative = _where_real


class SoftPlus(_StandIn):
    """``log(1 + exp(x))`` without overflow."""

    _form = staticmethod(lambda x: log(1 + exp(x), evaluate=False))
    _slope = staticmethod(lambda x: exp(-SoftPlus(-x)))
    _eval_is_positive = _where_real


class LogOnePlus(_StandIn):
    """``log(1 + x)`` with all digits near 0."""

    at_zero = Integer(0)
    _form = staticmethod(lambda x: log(1 + x, evaluate=False))
    _slope = staticmethod(lambda x: 1 / (1 + x))
    _eval_is_nonnegative, _eval_is_positive = _argument_is_nonnegative, _argument_is_positive


class ExpMinusOne(_StandIn):
    """``exp(x) - 1`` with all digits near 0."""

    at_zero = Integer(0)
    _form, _slope = staticmethod(lambda x: exp(x) - 1), exp
    _eval_is_nonnegative, _eval_is_positive = _argument_is_nonnegative, _argument_is_positive


def write_near_one(expr: Expr) -> Expr:
    """Return a logarithm of 1 and more, or a sum of exponentials less their value at 0, in functions with all digits
    near 0; other expressions as they are."""
    if isinstance(expr, log) and len(expr.args) == 1 and isinstance(expr.args[0], Add):
        number, rest = expr.args[0].as_coeff_Add()
        return LogOnePlus(rest) if number == 1 else expr
    if not (isinstance(expr, Add) and expr.args[0].is_Rational):
        return expr
    scales = [(term, *term.as_coeff_Mul()) for term in expr.args[1:]]
    found = [(term, c, e) for term, c, e in scales if isinstance(e, exp)]
    if not found or Add(expr.args[0], *(c for _, c, _ in found)) != 0:
        return expr
    others = [term for term, _, e in scales if not isinstance(e, exp)]
    return Add(*others, *(c * ExpMinusOne(e.args[0]) for _, c, e in found))


class XLogX(_StandIn):
    """``x*log(x)``, which is 0 at 0."""

    _form, _slope = staticmethod(lambda x: x * log(x)), staticmethod(lambda x: log(x) + 1)
    _eval_is_extended_real = _eval_is_real = _argument_is_nonnegative

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        return Integer(0) if x.is_zero or x == 1 else None


class BesselRatio(_StandIn):
    """``I_n(x)/I_0(x)`` without overflow."""

    nargs = 2
    _form = staticmethod(lambda order, x: besseli(order, x) / besseli(0, x))

    @classmethod
    def eval(cls, order, x):
        if order.is_zero:
            return Integer(1)
        return cls(-order, x) if order.is_negative else None

    @staticmethod
    def _slope(order, x):
        ratio = BesselRatio
        return (ratio(order - 1, x) + ratio(order + 1, x)) / 2 - ratio(order, x) * ratio(1, x)


class LogBesselI0(_StandIn):
    """``log(I_0(x))`` without overflow."""

    _form = staticmethod(lambda x: log(besseli(0, x), evaluate=False))
    _slope = staticmethod(lambda x: BesselRatio(1, x))
    _eval_is_nonnegative = _where_real


# -- proximal steps and smoothed kinks ---------------------------------------------------------------------------------


#: Newton steps from doubles: each has twice the digits
_MOST_STEPS = 12


class Proximal(Function):
    """A real function of real numbers whose multiprecision value comes from the list of functions.

    Most take a width V >= 0 and a point t.  Subclasses define their printed names: ``head`` in LaTeX,
    ``shown`` in texts.
    """

    nargs = 2

    def by_slope(self) -> Expr | None:
        """Return the same in terms of the slope at the same point; None for a slope."""
        return None

    def bounded_by(self) -> tuple[Expr, ...]:
        """Return expressions whose absolute values together bound this one's for V >= 0, where no growth is listed."""
        return ()

    def _eval_is_extended_real(self):
        return True if all(a.is_extended_real for a in self.args) else None

    _eval_is_real, _eval_is_finite = _eval_is_extended_real, _where_real

    def _eval_evalf(self, prec):
        found = real_numbers(self.args, prec + 30)
        if found is None:
            return None
        mp, numbers = found
        return Float._new(mp.convert(entry(type(self).__name__).at_digits(mp, *numbers))._mpf_, prec)

    def _sympystr(self, printer):
        return f"{self.shown}({', '.join(map(printer._print, self.args))})"

    def _latex(self, printer, exp=None):
        body = rf"{self.head}\left({', '.join(map(printer._print, self.args))}\right)"
        return body if exp is None else rf"{body}^{{{exp}}}"


class LogisticSlope(Proximal):
    r""":math:`f=(p-t)/V` for the p with the least :math:`(p-t)^2/(2V)+\log(1+e^{-p})`; 1/(1 + exp(p)) there.

    Examples
    --------
    >>> LogisticSlope(2, 1).evalf(20)
    0.16404600541016653937
    """

    head, shown = r"f^{\mathrm{logistic}}", "f_logistic"

    @classmethod
    def eval(cls, V: Expr, t: Expr) -> Expr | None:
        return 1 / (1 + exp(t)) if V.is_zero else None

    def fdiff(self, argindex: int = 1) -> Expr:
        curvature = self * (1 - self)
        along = -curvature / (1 + self.args[0] * curvature)
        return along if argindex == 2 else self * along

    _eval_is_positive = _where_real


class LogisticEnvelope(Proximal):
    r"""The least :math:`(p-t)^2/(2V)+\log(1+e^{-p})`."""

    head, shown = r"M^{\mathrm{logistic}}", "M_logistic"

    def fdiff(self, argindex: int = 1) -> Expr:
        f = LogisticSlope(*self.args)
        return -f if argindex == 2 else -(f**2) / Integer(2)

    def by_slope(self) -> Expr:
        V, t = self.args
        f = LogisticSlope(V, t)
        return V * f**2 / 2 + SoftPlus(-t - V * f)

    _eval_is_positive = _where_real


class Saturated(_StandIn):
    """``b/(1 + V b)`` of V, b >= 0, with the bound 1/V that proofs know of it."""

    nargs = 2
    _eval_is_extended_real = _eval_is_real = Proximal._eval_is_real
    _eval_evalf = Proximal._eval_evalf

    _form = staticmethod(lambda V, b: b / (1 + V * b))

    def fdiff(self, argindex: int = 1) -> Expr:
        V, b = self.args
        return -(self**2) if argindex == 1 else 1 / (1 + V * b) ** 2

    def _eval_is_finite(self):
        return True if all(a.is_nonnegative for a in self.args) else None


class NormalBlur(Proximal):
    r"""Mean of :math:`u^j\varphi^{(n)}(c+hu)` over u between -1/2 and 1/2, without polynomials of the right side.

    For n < 0, n - j >= -2, the derivative stands for the repeated integrals of the normal density from the left.  h is
    positive.  ``left`` and ``right`` are the sides of c - h/2 and c + h/2, 1 or -1, and count as constants: where one
    is 1, the polynomial that the integral becomes on the right is left out.
    """

    nargs = 6
    head, shown = r"\overline{\varphi}", "blurred"

    def fdiff(self, argindex: int = 1) -> Expr:
        j, n, *others = self.args
        if argindex in (3, 4):
            return NormalBlur(j + argindex - 3, n + 1, *others)
        if argindex in (5, 6):
            return Integer(0)
        raise ArgumentIndexError(self, argindex)

    def _latex(self, printer, exp=None):
        j, n, *others = map(printer._print, self.args)
        body = rf"\overline{{u^{{{j}}}\varphi^{{({n})}}}}\left({', '.join(others)}\right)"
        return body if exp is None else rf"{body}^{{{exp}}}"


# -- multiprecision values of the logistic loss ------------------------------------------------------


def _root(mp, V, t):
    """Find p by Newton's method from its value in double precision; each step doubles the right digits."""
    wanted, precision = mp.prec, 50
    with mp.workprec(wanted + 10):
        p = t + V * mp.mpf(slope_of_floats(float(V), float(t)))
        while True:
            mp.prec = min(2 * precision, wanted) + 10
            f = 1 / (1 + mp.exp(p))
            step = (p - t - V * f) / (1 + V * f * (1 - f))
            p = p - step
            # a step leaves an error of its square
            reached = -2 * mp.mag(step) if step else wanted
            if reached >= wanted and precision >= wanted:
                return p
            precision = min(max(reached, 50), 2 * precision)


def logistic_slope(mp, V, t):
    return 1 / (1 + mp.exp(_root(mp, mp.convert(V), mp.convert(t))))


def logistic_envelope(mp, V, t):
    V = mp.convert(V)
    p = _root(mp, V, mp.convert(t))
    f = 1 / (1 + mp.exp(p))
    return V * f**2 / 2 + max(-p, mp.zero) + mp.log1p(mp.exp(-abs(p)))


def refined_slope(numbers, V, t, start, rates):
    """Refine the root f of ``f + g'(t + V f)`` in multiprecision arrays, by Newton's method from doubles.

    ``numbers`` has ``of_floats``, ``floats`` and ``bits``; ``rates`` gives the first two derivatives of g at a place.
    """
    f, enough = numbers.of_floats(start), 2.0 ** (-numbers.bits() / 2 - 4)
    for _ in range(_MOST_STEPS):
        first, second = rates(t + V * f)
        step = (f + first) / (1 + V * second)
        f = f - step
        # Newton's method converges quadratically
        if (abs(numbers.floats(step)) <= enough * abs(start)).all():
            break
    return f


def refined_logistic_slope(numbers, V, t):
    exp = numbers.function_named("exp")

    def rates(p):
        s = 1 / (1 + exp(p))
        return -s, s * (1 - s)

    return refined_slope(numbers, V, t, slopes_of_floats(numbers.floats(V), numbers.floats(t)), rates)
