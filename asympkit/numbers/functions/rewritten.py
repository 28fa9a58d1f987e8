"""Rewriting rules for unlisted functions in terms of listed ones, by the name of the sympy class."""

__all__ = ["REWRITTEN"]

#: functions ``(sympy, *arguments) -> expression``
REWRITTEN = {
    "acot": lambda sp, x: sp.atan(1 / x),
    "acosh": lambda sp, x: sp.log(x + sp.sqrt(x - 1) * sp.sqrt(x + 1)),
    "sec": lambda sp, x: 1 / sp.cos(x),
    "csc": lambda sp, x: 1 / sp.sin(x),
    "cot": lambda sp, x: sp.cos(x) / sp.sin(x),
    "sech": lambda sp, x: 1 / sp.cosh(x),
    "csch": lambda sp, x: 1 / sp.sinh(x),
    "coth": lambda sp, x: 1 / sp.tanh(x),
    "sinc": lambda sp, x: sp.Piecewise((1, sp.Eq(x, 0)), (sp.sin(x) / x, True)),
    "digamma": lambda sp, x: sp.polygamma(0, x),
    "trigamma": lambda sp, x: sp.polygamma(1, x),
    "factorial": lambda sp, x: sp.gamma(x + 1),
}
