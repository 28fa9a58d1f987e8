"""Syntax tree to sympy expression. sympy is imported here and only when a tree is translated."""

from ..errors import ParseError
from ..numbers.functions import entry_of_text
from .catalogue import FUNCTIONS
from .conditions import with_plain_conditions
from .grammar import definition
from .tokens import _shown
from .tree import Call, Chain, Compare, Const, Name, Neg, Num, Pow, Where, to_text

__all__ = ["to_sympy"]


def _table():
    import sympy as sp

    return {
        "exp": sp.exp, "log": sp.log, "sqrt": sp.sqrt, "sin": sp.sin, "cos": sp.cos, "tan": sp.tan,
        "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh, "asin": sp.asin, "atan": sp.atan, "erf": sp.erf,
        "erfc": sp.erfc, "abs": sp.Abs, "sign": sp.sign, "max": sp.Max, "min": sp.Min,
        # The value at 0 is fixed to 0, as in the floating-point evaluation.
        "step": lambda x: sp.Heaviside(x, 0),
        "expm1": lambda x: sp.exp(x) - 1, "log1p": lambda x: sp.log(1 + x),
        "<": sp.Lt, "<=": sp.Le, ">": sp.Gt, ">=": sp.Ge, "==": sp.Eq, "!=": sp.Ne,
    }


def to_sympy(tree, text=None):
    """Translate a tree; each name becomes ``Symbol(name, real=True)``.

    Parameters
    ----------
    tree : node
    text : str, optional
        The text to show in an error message.

    Raises
    ------
    ParseError
        If sympy finds a part that is infinite or not real, such as ``1/(z - z)``.
    """
    import sympy as sp
    from sympy.core.sympify import _sympify

    table = _table()

    def build(node, env):
        match node:
            case Num(value):
                return sp.Rational(value.numerator, value.denominator)
            case Const(name):
                return sp.pi if name == "pi" else sp.E
            case Name(name):
                return sp.Symbol(name, real=True) if env is None else env[name]
            case Neg(arg):
                return -build(arg, env)
            case Chain(first, rest):
                # All terms at once: adding a thousand terms one by one is quadratic in sympy.
                parts = [build(first, env)]
                for op, arg in rest:
                    part = build(arg, env)
                    parts.append(part if op in "+*" else -part if op == "-" else 1 / part)
                return (sp.Add if rest[0][0] in "+-" else sp.Mul)(*parts)
            case Pow(base, exponent):
                return build(base, env) ** build(exponent, env)
            case Call(name, args):
                args = [build(arg, env) for arg in args]
                if name in FUNCTIONS:
                    return build(definition(name), {"z": args[0]})
                return (table.get(name) or entry_of_text(name).sympy_class)(*args)
            case Compare(op, left, right):
                return table[op](build(left, env), build(right, env))
            case Where(condition, yes, no):
                condition = build(condition, env)
                # A condition that is decided already must not drag its other branch along.
                if condition in (sp.true, sp.false):
                    return build(yes if condition == sp.true else no, env)
                return sp.Piecewise((build(yes, env), condition), (build(no, env), True))
        raise TypeError(f"not a node of the syntax tree: {node!r}")

    text = to_text(tree) if text is None else text
    tree, shown = with_plain_conditions(tree, text), _shown(text)
    try:
        expr = _sympify(build(tree, None))
    except (ValueError, TypeError, RecursionError) as error:
        raise ParseError(f"cannot read {shown}: a part of it is not a real expression ({error})") from error
    if expr.has(sp.zoo, sp.oo, sp.nan, sp.I):
        raise ParseError(f"cannot read {shown}: it contains a part that is infinite or not real (it reduces "
                         f"to {str(expr)[:80]})")
    return expr
