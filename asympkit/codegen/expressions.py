"""Print scalar sympy expressions as Python source, the same bytes in every process."""

import math

from sympy import Add, Basic, Mul, Pow, Symbol, pi, true
from sympy.core.function import Application
from sympy.core.numbers import Exp1, Float, Rational
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, Not, Or
from sympy.printing.pycode import PythonCodePrinter

from ..errors import StructureError
from ..numbers.functions import entry, known_names

_PLAIN = (Symbol, Rational, Float, Exp1, type(pi), Add, Mul, Pow)
#: functions with a printing method of their own
_WRITTEN = ("Heaviside", "Max", "Min", "Piecewise")


class ExpressionPrinter(PythonCodePrinter):
    """Printer of expressions over symbols and numbers as source text.

    Parameters
    ----------
    names : dict
        ``{symbol: identifier}``.
    batch : bool
        Array form (``np.log``) instead of scalar form (``math.log``).
    lanes : bool
        Vectorised variants of functions, without branches, for a loop over nodes.
    """

    def __init__(self, names, batch=False, decorate=None, lanes=False):
        super().__init__({"fully_qualified_modules": False, "strict": False})
        self._names, self._batch, self._lanes = names, batch, lanes
        self._decorate = decorate or (lambda symbol, name: name)

    def _print(self, expr, **kwargs):
        # sympy's own printer knows more, in forms that fit no array
        if isinstance(expr, Application):
            name = type(expr).__name__
            return getattr(self, f"_print_{name}" if name in _WRITTEN else "_print_Function")(expr)
        if isinstance(expr, Basic) and not isinstance(expr, _PLAIN):
            raise _unknown(expr)
        return super()._print(expr, **kwargs)

    def _print_Symbol(self, expr):
        return self._decorate(expr, self._names[expr])

    _print_Dummy = _print_BoundSymbol = _print_Symbol

    def _print_Integer(self, expr):
        return str(expr.p)

    def _print_Rational(self, expr):
        if expr.q & (expr.q - 1) == 0 and abs(expr.p) < 2**52 and expr.q < 2**52:
            return repr(expr.p / expr.q)
        return f"({expr.p}/{expr.q})"

    _print_Half = _print_Rational

    def _print_Float(self, expr):
        value = float(expr)
        return repr(value) if math.isfinite(value) else f"{'-' if value < 0 else ''}math.inf"     # beyond doubles

    def _print_Pi(self, expr):
        return "math.pi"

    def _print_Exp1(self, expr):
        return "math.e"

    def _print_Pow(self, expr, rational=False, sqrt=None):
        base, power = expr.as_base_exp()
        if power.is_Integer and 2 <= int(power) <= 4 and base.is_Symbol:
            return "(" + "*".join([self._print(base)] * int(power)) + ")"
        if power.is_Integer and int(power) < 0:
            return f"(1.0/{self.parenthesize(Pow(base, -power), 100)})"
        module = "np" if self._batch else "math"
        if power.is_Rational and power.q == 2 and power.p in (1, -1):
            root = f"{module}.sqrt({self._print(base)})"
            return root if power.p == 1 else f"(1.0/{root})"
        return f"({self._print(base)})**({self._print(power)})"

    def _print_Function(self, expr):
        known = entry(type(expr).__name__)
        if known is None or not known.arrays:
            raise _unknown(expr)
        arguments = ", ".join(self._print(a) for a in expr.args)
        called = known.arrays if self._batch else self._lanes and known.lanes or known.loops
        return f"{called}({arguments})"

    def _print_Heaviside(self, expr):
        at_zero = self._print(expr.args[1]) if len(expr.args) > 1 else "0.5"
        inner = self._print(expr.args[0])
        if self._batch:
            return f"{entry('Heaviside').arrays}({inner}, {at_zero})"
        return f"({at_zero} if {inner} == 0.0 else 0.5*(1.0 + np.sign({inner})))"

    def _reduce(self, name, expr):
        args = [self._print(a) for a in sorted(expr.args, key=lambda a: a.sort_key())]
        known, text = entry(name), args[0]
        if not self._batch:
            return text if len(args) == 1 else f"{known.loops}({', '.join(args)})"
        for a in args[1:]:
            text = f"{known.arrays}({text}, {a})"
        return text

    def _print_Max(self, expr):
        return self._reduce("Max", expr)

    def _print_Min(self, expr):
        return self._reduce("Min", expr)

    # -- cases -----------------------------------------------------------------------------------------

    def _print_Piecewise(self, expr):
        """Print a Piecewise; arrays compute every branch, and the caller silences warnings of those not taken."""
        pairs = list(expr.args)
        text = self._print(pairs.pop()[0]) if pairs[-1][1] == true else ("np.nan" if self._batch else "math.nan")
        for value, condition in reversed(pairs):
            value, condition = self._print(value), self._condition(condition)
            text = f"np.where({condition}, {value}, {text})" if self._batch else f"({value} if {condition} else {text})"
        return text

    def _condition(self, expr):
        if isinstance(expr, Relational):
            return f"({self._print(expr.lhs)} {expr.rel_op} {self._print(expr.rhs)})"
        if isinstance(expr, And | Or):
            parts = [self._condition(a) for a in sorted(expr.args, key=lambda a: a.sort_key())]
            words = ("&", "|") if self._batch else ("and", "or")
            return f"({f' {words[isinstance(expr, Or)]} '.join(parts)})"
        if isinstance(expr, Not):
            return f"np.logical_not({self._condition(expr.args[0])})" if self._batch else \
                f"(not {self._condition(expr.args[0])})"
        raise _unknown(expr)

    def source(self, expr):
        """Return the expression as source text."""
        return self.doprint(expr)


def _unknown(expr):
    return StructureError(f"code generation: no form is known for the function {type(expr).__name__}; "
                          f"known are {known_names()}")
