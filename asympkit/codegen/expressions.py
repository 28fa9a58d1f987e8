"""Print scalar sympy expressions as Python source, the same bytes in every process."""

from sympy import Abs, Function, Pow, sign
from sympy.printing.pycode import PythonCodePrinter

from ..errors import StructureError

_FUNCTIONS = {
    "exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "asin": "asin", "atan": "atan", "erf": "erf", "erfc": "erfc",
}
_NUMPY = {"asin": "arcsin", "atan": "arctan"}


class ExpressionPrinter(PythonCodePrinter):
    """Expressions over symbols and numbers as source text.

    Parameters
    ----------
    names : dict
        ``{symbol: identifier}``.
    batch : bool
        Array form (``np.log``) instead of scalar form (``math.log``).
    """

    def __init__(self, names, batch=False, decorate=None):
        super().__init__({"fully_qualified_modules": False, "strict": False})
        self._names, self._batch = names, batch
        self._decorate = decorate or (lambda symbol, name: name)

    def _print(self, expr, **kwargs):
        # sympy's own printer knows more functions, in forms that fit no array
        if isinstance(expr, Function) and not isinstance(expr, Abs | sign):
            return self._print_Function(expr)
        return super()._print(expr, **kwargs)

    def _print_Symbol(self, expr):
        return self._decorate(expr, self._names[expr])

    _print_Dummy = _print_Bound = _print_Symbol

    def _print_Integer(self, expr):
        return str(expr.p)

    def _print_Rational(self, expr):
        if expr.q & (expr.q - 1) == 0 and abs(expr.p) < 2**52 and expr.q < 2**52:
            return repr(expr.p / expr.q)
        return f"({expr.p}/{expr.q})"

    _print_Half = _print_Rational

    def _print_Float(self, expr):
        return repr(float(expr))

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
        name = type(expr).__name__
        arguments = ", ".join(self._print(a) for a in expr.args)
        if name == "MPResolvent":
            return f"mp_resolvent{'_batch' if self._batch else ''}({arguments})"
        if name not in _FUNCTIONS:
            raise StructureError(f"code generation: no form is known for the function {name}; "
                                 f"known are {', '.join(sorted(_FUNCTIONS))}")
        if self._batch and name in ("erf", "erfc"):
            return f"{name}_batch({arguments})"
        return f"{'np' if self._batch else 'math'}.{_NUMPY.get(name, name) if self._batch else name}({arguments})"

    def _print_Abs(self, expr):
        return f"{'np.abs' if self._batch else 'abs'}({self._print(expr.args[0])})"

    def _print_sign(self, expr):
        inner = self._print(expr.args[0])
        return f"np.sign({inner})"

    def _reduce(self, name, expr):
        args = [self._print(a) for a in sorted(expr.args, key=lambda a: a.sort_key())]
        if not self._batch:
            return args[0] if len(args) == 1 else f"{name}({', '.join(args)})"
        text = args[0]
        for a in args[1:]:
            text = f"np.{name}imum({text}, {a})"
        return text

    def _print_Max(self, expr):
        return self._reduce("max", expr)

    def _print_Min(self, expr):
        return self._reduce("min", expr)

    def source(self, expr):
        """The expression as source text."""
        return self.doprint(expr)
