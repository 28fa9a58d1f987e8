"""Sympy classes of the functions that sympy lacks, loaded when an expression is first made or evaluated.

``LogErfc``, ``LogPhi`` and ``Mills`` are public; the others come from derivatives and programs, and are printed in
functions of sympy.
"""

from __future__ import annotations

from mpmath.ctx_mp import MPContext
from sympy import Abs, Add, Expr, Float, Function, Integer, Max, besseli, cosh, erfc, exp, log, pi, sign, sqrt, tanh

from . import entry


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
    """A function that is printed in functions of sympy."""

    def stands_for(self) -> Expr:
        """Return the same expression in functions of sympy."""
        raise TypeError(f"{type(self).__name__} is abstract: a subclass must define stands_for()")

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

    def stands_for(self) -> Expr:
        return Abs(self.args[0], evaluate=False)

    def fdiff(self, argindex: int = 1) -> Expr:
        return sign(self.args[0])

    def _eval_is_extended_real(self):
        return True

    _eval_is_real = _eval_is_nonnegative = _eval_is_extended_real


class Side(_StandIn):
    """The sign that selects one of two formulas which agree, with all derivatives, at the argument's zero; slope 0.

    It has no kink for quadrature rules to resolve and no point mass as its derivative: an expression has the same value
    for either sign, and the sign only chooses the form that does not cancel.  So balls that contain 0 take either one.
    """

    def stands_for(self) -> Expr:
        return sign(self.args[0], evaluate=False)

    def fdiff(self, argindex: int = 1) -> Expr:
        return Integer(0)

    def _eval_is_extended_real(self):
        return True

    _eval_is_real = _eval_is_nonzero = _eval_is_extended_real

    def _eval_power(self, exponent):
        if exponent.is_integer and exponent.is_even is not None:
            return Integer(1) if exponent.is_even else self
        return None


class SlopeSize(_StandIn):
    """The absolute value of a slope that divides places of kinks: where it is 0, the least that has a limit's value."""

    def stands_for(self) -> Expr:
        return Abs(self.args[0], evaluate=False)

    def fdiff(self, argindex: int = 1) -> Expr:
        return Side(self.args[0])

    def _eval_is_extended_real(self):
        return True

    _eval_is_real = _eval_is_positive = _eval_is_extended_real


class Larger(_StandIn):
    """The larger of two numbers as a scale that is taken out of sums of exponentials, with slope 0.

    An expression that holds it has the same value for any number in its place: ``a + log(exp(x - a) + exp(y - a))``.
    """

    nargs = 2

    def stands_for(self) -> Expr:
        return Max(*self.args, evaluate=False)

    def fdiff(self, argindex: int = 1) -> Expr:
        return Integer(0)

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

    def stands_for(self) -> Expr:
        return log(erfc(self.args[0]), evaluate=False)

    def fdiff(self, argindex: int = 1) -> Expr:
        return -sqrt(2) * Mills(-sqrt(2) * self.args[0])


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

    def _eval_is_negative(self):
        return self.args[0].is_real

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

    def _eval_is_positive(self):
        return self.args[0].is_real

    def _eval_rewrite_as_erfc(self, x, **kwargs):
        return sqrt(2 / pi) * exp(-(x**2) / 2) / erfc(-x / sqrt(2))


class MillsGap(_StandIn):
    """``x + Mills(x)``, which is ``1/abs(x)`` far on the left, without the cancellation."""

    def stands_for(self) -> Expr:
        return Add(self.args[0], Mills(self.args[0]), evaluate=False)

    def fdiff(self, argindex: int = 1) -> Expr:
        return 1 - Mills(self.args[0]) * self

    def _eval_is_positive(self):
        return self.args[0].is_real


class LogCosh(_StandIn):
    """``log(cosh(x))`` without overflow."""

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x.is_zero:
            return Integer(0)
        return cls(-x) if x.could_extract_minus_sign() else None

    def stands_for(self) -> Expr:
        return log(cosh(self.args[0]), evaluate=False)

    def fdiff(self, argindex: int = 1) -> Expr:
        return tanh(self.args[0])

    def _eval_is_nonnegative(self):
        return self.args[0].is_real


class SoftPlus(_StandIn):
    """``log(1 + exp(x))`` without overflow."""

    def stands_for(self) -> Expr:
        return log(1 + exp(self.args[0]), evaluate=False)

    def fdiff(self, argindex: int = 1) -> Expr:
        return exp(-SoftPlus(-self.args[0]))

    def _eval_is_positive(self):
        return self.args[0].is_real


class LogOnePlus(_StandIn):
    """``log(1 + x)`` with all digits near 0."""

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        return Integer(0) if x.is_zero else None

    def stands_for(self) -> Expr:
        return log(1 + self.args[0], evaluate=False)

    def fdiff(self, argindex: int = 1) -> Expr:
        return 1 / (1 + self.args[0])

    def _eval_is_nonnegative(self):
        return self.args[0].is_nonnegative

    def _eval_is_positive(self):
        return self.args[0].is_positive


class ExpMinusOne(_StandIn):
    """``exp(x) - 1`` with all digits near 0."""

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        return Integer(0) if x.is_zero else None

    def stands_for(self) -> Expr:
        return exp(self.args[0]) - 1

    def fdiff(self, argindex: int = 1) -> Expr:
        return exp(self.args[0])

    def _eval_is_nonnegative(self):
        return self.args[0].is_nonnegative

    def _eval_is_positive(self):
        return self.args[0].is_positive


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

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        return Integer(0) if x.is_zero or x == 1 else None

    def stands_for(self) -> Expr:
        return self.args[0] * log(self.args[0])

    def fdiff(self, argindex: int = 1) -> Expr:
        return log(self.args[0]) + 1

    def _eval_is_extended_real(self):
        return self.args[0].is_nonnegative

    _eval_is_real = _eval_is_extended_real


class BesselRatio(_StandIn):
    """``I_n(x)/I_0(x)`` without overflow."""

    nargs = 2

    @classmethod
    def eval(cls, order, x):
        if order.is_zero:
            return Integer(1)
        return cls(-order, x) if order.is_negative else None

    def stands_for(self):
        order, x = self.args
        return besseli(order, x) / besseli(0, x)

    def fdiff(self, argindex=2):
        order, x = self.args
        return (BesselRatio(order - 1, x) + BesselRatio(order + 1, x)) / 2 - self * BesselRatio(1, x)


class LogBesselI0(_StandIn):
    """``log(I_0(x))`` without overflow."""

    def stands_for(self):
        return log(besseli(0, self.args[0]), evaluate=False)

    def fdiff(self, argindex=1):
        return BesselRatio(1, self.args[0])

    def _eval_is_nonnegative(self):
        return self.args[0].is_real
