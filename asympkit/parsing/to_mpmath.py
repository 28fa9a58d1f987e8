"""Evaluation of a tree at one point in multiple precision, with undefined points as an exception."""

import threading

from ..numbers.functions import entry_of_text
from .catalogue import FUNCTIONS
from .grammar import numeric_definition
from .tree import Call, Chain, Const, Name, Neg, Num, Pow, Where

__all__ = ["FLAT", "HUGE", "LIMITS", "TURNS", "Undefined", "context", "evaluate"]

#: exponentials of more, and their powers, are beyond any use
HUGE = 10**300
#: arguments of a sine of which no period is known, and of a tangent
TURNS, POLES = 10**260, 10**13
#: from here on the functions of LIMITS are their limits to any number of digits: far out their own code fails
FLAT = 10**13
#: arguments of functions of the list whose growth is not known
UNKNOWN = 10**52
LIMITS = {"tanh": (-1, 1), "erf": (-1, 1), "erfc": (2, 0)}
_COSTLY = {"exp": HUGE, "expm1": HUGE, "sinh": HUGE, "cosh": HUGE, "sin": TURNS, "cos": TURNS, "tan": POLES,
           "gamma": POLES}
_own = threading.local()


def context(digits):
    """A context of mpmath with so many digits that is this thread's own; the precision is not to be changed."""
    known = _own.__dict__.setdefault("contexts", {})
    if digits not in known:
        from mpmath.ctx_mp import MPContext

        known[digits] = MPContext()
        known[digits].dps = digits
    return known[digits]


class Undefined(ArithmeticError):
    """A part of the expression has no finite real value at the point."""


def _sign(x):
    return (x > 0) - (x < 0)


def evaluate(tree, values, digits=50):
    """Value of a tree as ``mpmath.mpf``.

    Only the branch that is taken is evaluated, so ``where(z == 0, 1, sin(z)/z)`` has a value at 0.

    Parameters
    ----------
    tree : node
    values : dict
        Number of each name (mpf, int, float, or decimal string).
    digits : int
        Working precision.
    """
    mp = context(digits)
    functions = {"abs": abs, "max": max, "min": min, "sign": _sign, "step": lambda x: int(x > 0), "sqrt": mp.sqrt,
                 "expm1": mp.expm1, "log1p": mp.log1p}

    def real(x, node):
        if isinstance(x, mp.mpc) or not mp.isfinite(x):
            raise Undefined(node)
        return mp.mpf(x)

    def tail(name, x, node):
        # Beyond any use, and exact arithmetic there costs memory without bound.
        if name in ("exp", "expm1") and x < 0:
            return mp.mpf(0 if name == "exp" else -1)
        raise Undefined(node)

    def run(node, env):
        match node:
            case Num(value):
                return mp.mpf(value.numerator) / value.denominator
            case Const(name):
                return +getattr(mp, name)
            case Name(name):
                return env[name]
            case Neg(arg):
                return -run(arg, env)
            case Chain(first, rest):
                total = run(first, env)
                for op, arg in rest:
                    part = run(arg, env)
                    if op == "/" and part == 0:
                        raise Undefined(node)
                    total = (total + part if op == "+" else total - part if op == "-"
                             else total * part if op == "*" else total / part)
                return total
            case Pow(base, exponent):
                lower, upper = run(base, env), run(exponent, env)
                if lower == 0 and upper < 0:
                    raise Undefined(node)
                if lower != 0 and abs(mp.log(abs(lower)) * upper) > HUGE:
                    raise Undefined(node)
                return real(lower**upper, node)
            case Call(name, args):
                args = [run(arg, env) for arg in args]
                if name in FUNCTIONS:
                    return run(numeric_definition(name), {"z": args[0]})   # exact in the tails as well
                if name == "log" and args[0] == 0:
                    raise Undefined(node)
                if name in _COSTLY and abs(args[0]) > _COSTLY[name]:
                    return tail(name, args[0], node)
                if name in LIMITS and abs(args[0]) > FLAT:
                    return mp.mpf(LIMITS[name][args[0] > 0])
                if name in functions:
                    return real(functions[name](*args), node)
                known = entry_of_text(name)
                if name not in _COSTLY and known.growth is None and known.arity == 1 + known.orders \
                        and abs(args[-1]) > UNKNOWN:
                    raise Undefined(node)
                try:
                    return real(known.at_digits(mp, *args), node)
                except (ValueError, ZeroDivisionError, mp.NoConvergence):
                    raise Undefined(node) from None
            case Where(condition, yes, no):
                return run(yes if compare(condition, env) else no, env)
        raise TypeError(f"not a node of the syntax tree: {node!r}")

    def compare(node, env):
        left, right = run(node.left, env), run(node.right, env)
        return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right,
                "==": left == right, "!=": left != right}[node.op]

    return run(tree, {name: mp.mpf(value) for name, value in values.items()})
