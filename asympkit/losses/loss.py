"""A convex loss of label and prediction, also user-defined; the catalogue, and Moreau envelopes and proximal points.

A loss is written as a function of one variable: residual, margin, or prediction for each label.

With ``g`` this function, ``p`` the minimiser of :math:`(p-t)^2/(2V)+g(p)` and ``slope(V, t)`` its
:math:`(p-t)/V=-g'(p)`, the proximal point of the loss follows without a division, also for symbolic labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from re import IGNORECASE, fullmatch
from typing import TYPE_CHECKING, Any, ClassVar

import sympy as sp
from sympy.core.relational import Relational

from ..arguments import quote
from ..errors import DomainError, suggest
from ..exact import is_zero
from ..nodes.named import as_expression
from ..notation import one_screen
from ..numbers.functions.classes import LogisticEnvelope, LogisticSlope
from ..parsing import parse
from .pieces import PiecewiseQuadratic, pieces_of
from .smooth import smooth

if TYPE_CHECKING:

    from ..annotations import Expression


@dataclass(frozen=True)
class LossForm:
    """Represent a loss by ``slope`` and ``envelope`` of a function g of one variable.

    ``at(label, omega, V)`` gives their arguments, and the factor of the slope in the proximal point.
    """

    slope: Any
    envelope: Any
    variable: ClassVar[str]

    def proximal(self, label, omega, V):
        arguments, factor = self.at(label, omega, V)
        return omega + V * factor * self.slope(*arguments)

    def moreau(self, label, omega, V):
        return self.envelope(*self.at(label, omega, V)[0])


class Residuals(LossForm):
    """Represent a loss ``g(label - prediction)``."""

    variable = "{y} - {z}"

    def at(self, label, omega, V):
        return (V, label - omega), -1


class Margins(LossForm):
    """Represent a loss ``g(label*prediction)``."""

    variable = "{y}*{z}"

    def at(self, label, omega, V):
        return (label**2 * V, label * omega), label


class Labelled(LossForm):
    """Represent a loss ``g(prediction, label)``."""

    variable = "{z}"

    def at(self, label, omega, V):
        return (V, omega, label), 1


def remove_label(expr, label, prediction):
    """Return ``(form, g, t)``: the first form that removes the label from the loss, and the remaining function of t."""
    t = sp.Dummy("t", real=True)
    for form, place in ((Residuals, label - t), (Margins, t / label)):
        g = _without(expr.subs(prediction, place), label)
        if label not in g.free_symbols:
            return form, g, t
    return Labelled, expr.xreplace({prediction: t}), t


def is_of_residuals(loss):
    """Return whether a loss is a function of the residual."""
    return isinstance(loss.form, Residuals) or loss.form is Residuals


def _without(expr, label):
    """Return an expression in which the label cancels as far as expansion shows it."""
    if label not in expr.free_symbols:
        return expr
    if isinstance(expr, Relational):            # y > y - t is t > 0
        return expr.func(_without(expr.lhs - expr.rhs, label), 0)
    if isinstance(expr, sp.Add | sp.Mul):
        expr = sp.expand_mul(expr)
    if not expr.args or label not in expr.free_symbols:
        return expr
    return expr.func(*(_without(a, label) for a in expr.args))


class Loss:
    """Define a convex loss.

    Parameters
    ----------
    expr : Expr or str
        Of the label, the prediction, and parameters of the loss (symbols declared real or positive).
    label, prediction : Symbol
    name : str, optional
        For printing.
    form : optional
        One of the forms of this module, if it is known; it is not checked.

    Attributes
    ----------
    expr, label, prediction, name
        As given, with real variables.
    is_proved : bool
        Whether convexity is proved; else it holds at all points of a grid.
    pieces : optional
        Those of a piecewise linear-quadratic loss, as ``PiecewiseQuadratic``; None for a
        smooth one.

    Raises
    ------
    DomainError
        If the loss is not convex: the text gives three points that show it. Also if it has a kink and is not piecewise
        linear-quadratic with kinks at known places, or contains a number whose powers exceed double precision.

    Examples
    --------
    >>> from sympy import symbols, sqrt
    >>> y, z = symbols("y z", real=True)
    >>> Loss(sqrt(1 + (y - z)**2) - 1, y, z)
    Loss(sqrt((y - z)**2 + 1) - 1)
    """

    def __init__(self, expr: Expression | str, label: sp.Symbol, prediction: sp.Symbol, name: str | None = None,
                 form: Any = None) -> None:
        self.label, self.prediction = (_real(s, where) for s, where in ((label, "label"), (prediction, "prediction")))
        if self.label.name == self.prediction.name:
            raise DomainError(f"prediction: got {prediction}, which is the label too; expected another symbol")
        self.expr = _expression(expr, {label: self.label, prediction: self.prediction})
        if not (name is None or isinstance(name, str)):
            raise DomainError(f"name: got {name!r:.60}; expected a text, for printing")
        self.name, self.is_proved, self.variable_text, self.pieces = name, True, "", None
        self.form = form if form is not None else self._form()

    @property
    def is_parabola(self) -> bool:
        """Return whether it is one parabola for each label, without kinks."""
        return self.pieces is not None and not self.pieces.places

    def __repr__(self) -> str:
        return one_screen(f"Loss({self.expr})")

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle \ell({sp.latex(self.label)}, {sp.latex(self.prediction)}) = {sp.latex(self.expr)}$"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.expr, self.label, self.prediction, self.name)

    def __call__(self, label: Expression | float, prediction: Expression | float) -> sp.Expr:
        """Return the loss as an expression, for errors and observables."""
        return self.expr.subs({self.label: label, self.prediction: prediction}, simultaneous=True)

    def _form(self):
        form, g, t = remove_label(self.expr, self.label, self.prediction)
        self.variable_text = form.variable.format(y=self.label, z=self.prediction)
        found = pieces_of(g, t, self)
        if found is None:
            slope, envelope, self.is_proved = smooth(g, t, self)
            return form(*(_with_label(function, self.label, g) for function in (slope, envelope)))
        self.pieces = step = PiecewiseQuadratic(*found, t, self)
        return form(*(_with_label(function, self.label, g) for function in (step.slope, step.envelope)))


def _rebuild(expr, label, prediction, name):
    """Rebuild a loss in another process."""
    known = get_loss(name) if name in NAMED else None
    return known if known is not None and known.expr == expr else Loss(expr, label, prediction, name)


def _with_label(function, symbol, g):
    """Return a function of V, t and, if the loss of t still depends on it, the label."""
    if symbol not in g.free_symbols:
        return function
    return lambda V, t, label: function(V, t, {symbol: label})


def _real(symbol, where):
    if not isinstance(symbol, sp.Symbol):
        raise DomainError(f"{where}: got {symbol!r:.60}; expected a sympy symbol")
    if symbol.is_extended_real is False:
        raise DomainError(f"{where}: got {symbol}, which is not real; expected a real symbol")
    # other assumptions are dropped: labels and predictions take all values
    return symbol if symbol.assumptions0 == _PLAIN else sp.Symbol(symbol.name, real=True)


_PLAIN = sp.Dummy("s", real=True).assumptions0
#: smallest number in a loss
_SMALLEST = sp.Float(1e-60)


def _expression(expr, variables):
    if isinstance(expr, str):
        expr = parse(expr, names=tuple(s.name for s in variables))
    if not isinstance(expr, sp.Expr):
        raise DomainError(f"expr: got {expr!r:.60}; expected a sympy expression or a text")
    expr = expr.xreplace(variables)
    if list(variables.values())[1] not in expr.free_symbols:
        raise DomainError(f"expr: got {expr}, which does not depend on the prediction {list(variables)[1]}")
    for number in sorted(expr.atoms(sp.Number)):
        if number.is_finite and not number.is_zero and not _SMALLEST <= abs(number) <= 1 / _SMALLEST:
            raise DomainError(f"expr: {str(expr):.200} contains the number {number.n(3)}; expected numbers from "
                              "1e-60 to 1e60, whose powers are doubles: divide the loss, and lam with it, by a number")
    for s in expr.free_symbols:
        if not s.is_extended_real:
            raise DomainError(f"expr: {s} in {expr} is not declared real; write symbols({str(s)!r}, real=True), or "
                              "positive=True")
    return expr


# -- the catalogue ----------------------------------------------------------------------------------------------------

_y, _z = sp.symbols("y z", real=True)

#: losses that can be given by name: an expression of the label y and the prediction z, and its form where that is known
_CATALOGUE = {
    # convex as a norm; the proximal point is the label within V of it, else V nearer to it than omega
    "absolute": (sp.Abs(_y - _z), None),
    # convex as a maximum of two lines; the proximal point moves by at most V, and not beyond y z = 1
    "hinge": (sp.Max(0, 1 - _y * _z), None),
    # convex, as its second derivative is a product of two positive sigmoids; Newton's method finds its proximal point
    "logistic": (sp.log(1 + sp.exp(-_y * _z)), Margins(LogisticSlope, LogisticEnvelope)),
    # convex of curvature 1, proximal point (omega + V y)/(1 + V)
    "square": ((_y - _z) ** 2 / 2, None),
}
NAMED = tuple(_CATALOGUE)
#: constructors of losses, with sample arguments
_CALLED = {"Huber": "1", "Margin": "1", "Loss": "expr, label, prediction"}


@cache
def _catalogued(name):
    """Return a loss of the catalogue, made when it is first used."""
    expr, form = _CATALOGUE[name]
    return Loss(expr, _y, _z, name, form)


def _with_number(name, text):
    """Return a loss that is written as a call with a number."""
    try:
        number = float(text)
    except ValueError:
        raise DomainError(f"loss: got {name}({text}); expected {name.lower()}(0.5), with a number") from None
    return (Huber if name.lower() == "huber" else Margin)(number)


def get_loss(loss: Loss | str) -> Loss:
    """Return a loss given by name, or the loss itself."""
    if isinstance(loss, str):
        called = fullmatch(r"(huber|margin)\((-?[0-9.]+(?:e-?[0-9]+)?)\)", loss, IGNORECASE)
        if called is None and loss not in NAMED:
            raise DomainError(f"loss: got {loss!r:.60}{suggest(loss, NAMED)}; expected one of {', '.join(NAMED)}, "
                              "'huber(0.5)' or 'margin(1)' with any number, also on the command line, or in Python "
                              "ak.Huber(delta), ak.Margin(kappa), or ak.Loss(expr, label, prediction)")
        loss = _with_number(*called.groups()) if called else _catalogued(loss)
    if not isinstance(loss, Loss):
        if callable(loss) and (name := getattr(loss, "__name__", "")) in _CALLED:
            raise DomainError(f"loss: got {name} without its arguments; expected a loss such as "
                              f"ak.{name}({_CALLED[name]})")
        raise DomainError(f"loss: got {quote(loss)}; expected an ak.Loss, or one of {', '.join(NAMED)}")
    return loss


#: of Huber's loss, beyond which it is one of its limits to double precision
_DELTAS = 1e-8, 1e8


def Huber(delta: Expression | float) -> Loss:      # noqa: N802
    """Return Huber's loss: ``r**2/2`` for residuals up to delta in size, ``delta*|r| - delta**2/2`` beyond.

    Parameters
    ----------
    delta : Expr or number
        Positive; a symbol declared positive may be a parameter or an unknown of a theory. A float is read by its
        shortest decimal text: 0.1 is 1/10.

    Returns
    -------
    Loss

    Raises
    ------
    DomainError
        If delta is not positive, or a number so small or large that this is another loss.

    Examples
    --------
    >>> import asympkit as ak
    >>> ak.prox(ak.Huber(1), 3, 0, 2)
    2
    """
    size, delta = sp.Abs(_y - _z), as_expression("delta", delta)
    if delta.is_Float:
        delta = sp.Rational(repr(float(delta)))
    if delta.is_positive is not True:
        raise DomainError(f"delta: got {delta}; expected a positive number, or a symbol declared positive=True")
    if delta.is_number and not _DELTAS[0] <= delta <= _DELTAS[1]:
        raise DomainError(f"delta: got {delta.n(6)}; expected a number from {_DELTAS[0]:g} to {_DELTAS[1]:g}: above, "
                          "this is the square loss, and below, delta times the absolute loss: pass loss='square', or "
                          "loss='absolute' with lam/delta")
    return Loss(sp.Piecewise(((_y - _z) ** 2 / 2, size <= delta), (delta * size - delta**2 / 2, True)), _y, _z,
                name="huber")


def Margin(kappa: Expression | float) -> Loss:      # noqa: N802
    """Return the loss that is 0 if ``label*prediction >= kappa`` and infinite otherwise, a convex indicator.

    The proximal point is the nearest point with that margin.

    Parameters
    ----------
    kappa : Expr or number
        The margin; a symbol may be a parameter of a theory.

    Returns
    -------
    Loss

    Examples
    --------
    >>> import asympkit as ak
    >>> ak.prox(ak.Margin(1), 1, 0, 1), ak.prox(ak.Margin(1), 1, 3, 1)
    (1, 3)
    """
    met = _y * _z >= as_expression("kappa", kappa)
    return Loss(sp.Piecewise((sp.S.Zero, met), (sp.oo, True)), _y, _z, name="margin")


# -- envelopes --------------------------------------------------------------------------------------------------------


def Moreau(loss: Loss | str, label: Expression | float, omega: Expression | float,      # noqa: N802, it is a node
           V: Expression | float) -> sp.Expr:
    r"""Return the Moreau envelope of a convex loss, :math:`\min_z\,(z-\omega)^2/(2V)+\ell(y,z)`, as an expression.

    Parameters
    ----------
    loss : Loss or {"absolute", "hinge", "logistic", "square"}
        ``"square"`` is half the square.
    label, omega : Expr or number
        Real.
    V : Expr or number
        Not negative; a symbol must be declared so.

    Returns
    -------
    Expr
        Cases, if the minimum has a closed form (piecewise linear-quadratic losses); else a function that
        differentiates by the envelope theorem and is evaluated by Newton's method in every back end.

    Raises
    ------
    DomainError
        If V may be negative, or the loss is invalid.

    See Also
    --------
    prox : the point of the minimum.

    Notes
    -----
    :math:`\partial_\omega M=(\omega-z)/V`, :math:`\partial_VM=-(z-\omega)^2/(2V^2)` and
    :math:`\partial_yM=\partial_y\ell(y,z)` at the proximal point z.

    Examples
    --------
    >>> from sympy import symbols
    >>> y, V = symbols("y V", positive=True)
    >>> Moreau("square", y, 0, V)
    y**2/(2*(V + 1))
    """
    loss, label, omega, V = _checked(loss, label, omega, V)
    return loss.form.moreau(label, omega, V)


def prox(loss: Loss | str, label: Expression | float, omega: Expression | float, V: Expression | float) -> sp.Expr:
    r"""Return the proximal point of a convex loss, the z that minimises :math:`(z-\omega)^2/(2V)+\ell(y,z)`.

    The derivatives are those of the implicit function, :math:`\partial_\omega z=1/(1+V\ell''(z))`, between its kinks.

    Parameters
    ----------
    loss, label, omega, V
        As for :func:`Moreau`.

    Returns
    -------
    Expr

    Raises
    ------
    DomainError
        If V may be negative, or the loss is invalid.

    Examples
    --------
    >>> from sympy import symbols
    >>> y, V = symbols("y V", positive=True)
    >>> prox("square", y, 0, V)
    V*y/(V + 1)
    """
    loss, label, omega, V = _checked(loss, label, omega, V)
    return loss.form.proximal(label, omega, V)


def _checked(loss, *arguments):
    found = [get_loss(loss)]
    for name, value in zip(("label", "omega", "V"), arguments):
        value = as_expression(name, value)
        if value.is_extended_real is False:
            raise DomainError(f"{name}: got {value}; expected an expression for a real number")
        found.append(value)
    V = found[-1]
    if not V.is_nonnegative:
        raise DomainError(f"V: got {V}, which is not known to be non-negative; declare its symbols positive=True, or "
                          "real=True and write it as a square or an exponential")
    return found


@dataclass(frozen=True)
class EnvelopePart:
    """Describe the mean for one label, or for all."""

    #: factor of the mean
    weight: sp.Expr
    #: the loss as a function of t
    pieces: PiecewiseQuadratic
    #: values of the label, for losses whose pieces depend on it
    label: tuple[tuple[sp.Symbol, sp.Expr], ...]
    #: :math:`t_0`, affine in the unknowns
    start: sp.Expr
    #: sign of the normal in t
    sign: int
    #: a, k and y of the probability of the label
    tilt: tuple[sp.Expr, sp.Expr, int] | None = None


@dataclass(frozen=True)
class EnvelopeMean:
    r"""Describe a sum of such means: V is the width of the envelope, W the standard deviation of t.

    Closed forms for piecewise linear-quadratic losses are sums of terms that nearly cancel at a small width V of the
    envelope; bounds are therefore derived from the integrand of the mean itself,

    .. math:: E\,M_V(t)\,P,\qquad t=t_0\pm Wx,\quad P=1\ \text{or}\ \Phi\Bigl(y\,\frac{a+kx}{\sqrt{1-k^2}}\Bigr),

    x a standard normal.
    """

    V: sp.Symbol
    W: sp.Symbol
    parts: tuple[EnvelopePart, ...]


def check_learns(loss: Loss, labels: str) -> None:
    """Raise unless the readout that minimises the loss is a limit that depends on the labels.

    It does not for losses that are infinite somewhere, linear in the prediction, or the same for all labels up to a
    constant.
    """
    text = f"loss: got {str(loss.name or loss.expr)!r} with labels={labels!r}"
    if loss.expr.has(sp.oo):
        raise DomainError(f"{text}, which is infinite in places: whether there is a readout at all depends "
                          "on the data; expected a finite loss, such as 'hinge' at a small lam, or a user-defined "
                          "theory with ak.Moreau")
    # a line would have been recognised
    if loss.pieces is not None and len(loss.pieces.pieces) == 1 and is_zero(sp.S(loss.pieces.pieces[0][0])):
        raise DomainError(f"{text}, which is linear in the prediction: nothing but lam limits the readout, whose mean "
                          "grows with the number of features; expected a loss with curvature or a kink")
    slope = loss.expr.diff(loss.prediction)
    if labels == "sign" and is_zero(slope.subs(loss.label, 1) - slope.subs(loss.label, -1)):
        raise DomainError(f"{text}, whose slope is the same for both labels: nothing is learned, and the readout's "
                          "norm may vanish; expected a loss that depends on the label")
