"""Expressions as source that numpy runs on arrays and numba on numbers."""

from sympy import Integer, Pow

from ..codegen.expressions import ExpressionPrinter
from ..numbers.functions import entry

__all__ = ["Printer"]


class Printer(ExpressionPrinter):
    """Prints one form for numbers and arrays; functions of the list that numpy lacks are called by their own names.

    Parameters
    ----------
    names : dict
        ``{symbol: text}``.
    """

    def __init__(self, names):
        super().__init__(names, batch=True)

    def _print_Pow(self, expr, rational=False, sqrt=None):
        base, power = expr.as_base_exp()
        if isinstance(power, Integer) and power > 1:
            text = self._print(base)
            return f"{text if base.is_Symbol or base.is_Function and text.endswith(')') else f'({text})'}**{power}"
        if isinstance(power, Integer) and power < -1:
            return f"(1.0/{self._print(Pow(base, -power))})"
        return super()._print_Pow(expr, rational, sqrt)

    def _print_Function(self, expr):
        text = super()._print_Function(expr)
        known = entry(type(expr).__name__)
        if known.arrays.startswith("np."):
            return text
        return known.loops.removeprefix("math.") + text.removeprefix(known.arrays)

    def _print_Heaviside(self, expr):
        at_zero = self._print(expr.args[1]) if len(expr.args) > 1 else "0.5"
        inner = self._print(expr.args[0])
        return f"choose({inner} == 0.0, {at_zero}, 0.5*(1.0 + np.sign({inner})))"

    def _print_Piecewise(self, expr):
        (value, when), *others = expr.args
        if (value.is_number or value.is_Symbol) and [tuple(other) for other in others] == [(0, True)]:
            return f"{self._print(value)}*{self._condition(when)}"
        return super()._print_Piecewise(expr).replace("np.where(", "choose(")

    def _reduce(self, name, expr):
        if len(expr.args) < 4:
            return super()._reduce(name, expr)
        parts = ", ".join(self._print(a) for a in sorted(expr.args, key=lambda a: a.sort_key()))
        return f"np.{name.lower()}(np.array(({parts})))"
