"""An activation that is not yet chosen, applied to an argument: ``sigma(x)``, ``sigma'(x)``, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Expr, Integer, S
from sympy.core.symbol import Str
from sympy.core.sympify import _sympify

from ..notation import FUNCTIONS
from .slopes import slope

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self


class Applied(Expr):
    """The derivative of some order of an unspecified real function, at an argument.

    A theory is written with ``Applied("student", x)`` and its equations, kernels and tables are
    made once for every activation; :func:`bind` puts a particular one in its place.

    Parameters
    ----------
    label : str
        Name of the function, for instance ``"student"``.
    argument : Expr
    order : int
        Order of the derivative.
    """

    is_commutative = True

    def __new__(cls, label: str, argument: Expr, order: int = 0) -> Self:
        label = label if isinstance(label, Str) else Str(label)
        return Expr.__new__(cls, label, _sympify(argument), Integer(order))

    @property
    def label(self) -> str:
        return self.args[0].name

    @property
    def argument(self) -> Expr:
        return self.args[1]

    @property
    def order(self) -> int:
        return int(self.args[2])

    def _eval_is_extended_real(self):
        return True

    def _eval_is_real(self):
        return True

    def _eval_derivative(self, symbol):
        inner = slope(self.argument, symbol)
        return S.Zero if inner.is_zero else Applied(self.args[0], self.argument, self.order + 1) * inner

    def _sympystr(self, printer):
        return f"{self.label}{chr(39) * self.order}({printer._print(self.argument)})"

    def _latex(self, printer, exp=None):
        name = FUNCTIONS.get(self.label, rf"\mathrm{{{self.label}}}")
        body = rf"{name}{chr(39) * self.order}\left({printer._print(self.argument)}\right)"
        return body if exp is None else rf"{body}^{{{exp}}}"


def bind(expr: Expr, functions: Mapping[str, Any]) -> Expr:
    """Replace unspecified functions by particular ones.

    Parameters
    ----------
    expr : Expr
    functions : dict
        ``{label: activation}`` with ``activation.expr`` an expression in ``activation.symbol``.

    Returns
    -------
    Expr
        The same tree, names and averages included, with every ``Applied`` of these labels replaced.
    """
    if isinstance(expr, Applied) and expr.label in functions:
        act = functions[expr.label]
        body = act.expr.diff(act.symbol, expr.order) if expr.order else act.expr
        return body.xreplace({act.symbol: bind(expr.argument, functions)})
    if not expr.args:
        return expr
    args = [bind(a, functions) for a in expr.args]
    return expr if all(a is b for a, b in zip(args, expr.args)) else expr.func(*args)
