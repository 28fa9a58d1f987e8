"""Syntax tree to floating point: a vectorised callable, and source text for a standalone module.

Catalogue functions are evaluated by their overflow-safe formulas. Neither way needs sympy.
"""

import operator

import numpy as np

from ..numbers.functions import entry_of_text
from .catalogue import FUNCTIONS
from .grammar import numeric_definition, whole
from .tree import Call, Chain, Compare, Const, Name, Neg, Num, Pow, Where

__all__ = ["numpy_source", "to_numpy"]

#: of two arguments in numpy, of more in texts
_FOLDED = ("max", "min")
_COMPARE = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal,
            "!=": np.not_equal}
_ARITHMETIC = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}


def _stable_log(argument):
    """An equal form of the logarithm of an argument that may overflow; None for another argument."""
    return _log_of_cosh(argument) or _log_of_sum(argument)


def _log_of_sum(argument):
    """Rewrite ``log(exp(u) + exp(v))`` as ``u + soft_plus(v - u)``, and with a positive number for one of them."""
    if not (isinstance(argument, Chain) and len(argument.rest) == 1 and argument.rest[0][0] == "+"):
        return None
    parts = [argument.first, argument.rest[0][1]]
    if not any(_is_exponential(p) for p in parts) or not all(_is_exponential(p) or _is_positive(p) for p in parts):
        return None
    u, v = (p.args[0] if _is_exponential(p) else Call("log", (p,)) for p in sorted(parts, key=_is_exponential))
    if parts[0] == Num(1) or parts[1] == Num(1):
        return Call("soft_plus", (v,))
    return Chain(u, (("+", Call("soft_plus", (Chain(v, (("-", u),)),))),))


def _is_exponential(node):
    return isinstance(node, Call) and node.name == "exp"


def _is_positive(node):
    return isinstance(node, Num) and node.value > 0


def _log_of_cosh(argument):
    """Rewrite ``log(c*cosh(u))`` as ``|u| + log1p(exp(-2|u|)) + log(c/2)``; None for another form."""
    scale, cosh = Num(1), argument
    if isinstance(argument, Chain) and isinstance(argument.first, Num) and len(argument.rest) == 1:
        scale, (op, cosh) = argument.first, argument.rest[0]
        if op != "*":
            return None
    if not (isinstance(cosh, Call) and cosh.name == "cosh") or scale.value <= 0:
        return None
    size = Call("abs", cosh.args)
    tail = Call("log1p", (Call("exp", (Chain(Neg(Num(2)), (("*", size),)),)),))
    rest = (("+", tail),)
    if scale.value != 2:
        rest += (("+", Call("log", (Chain(scale, (("/", Num(2)),)),))),)
    return Chain(size, rest)


def _function(name):
    if name == "step":
        return _step
    if name in ("expm1", "log1p", "sqrt"):
        return getattr(np, name)
    return entry_of_text(name).array_function


def _step(x):
    """1 above zero, else 0; nan stays nan, as what is undefined is not below zero."""
    result = np.where(x > 0, 1.0, 0.0)
    return np.where(np.isnan(x), np.nan, result) if np.isnan(x).any() else result


def _constant(value):
    number = np.float64(value)
    return lambda env: number


def _negative(node):
    inner = _compile(node.arg)
    return lambda env: -inner(env)


def _chain(node):
    start, steps = _compile(node.first), [(_ARITHMETIC[op], _compile(arg)) for op, arg in node.rest]

    def run(env):
        total = start(env)
        for operation, part in steps:
            total = operation(total, part(env))
        return total

    return run


def _power(node):
    lower, power = _compile(node.base), whole(node.exponent)
    if power is not None:
        return lambda env: lower(env) ** power
    upper = _compile(node.exponent)
    return lambda env: np.power(lower(env), upper(env))


def _call(node):
    name, args = node.name, node.args
    if name == "log" and (stable := _stable_log(args[0])) is not None:
        return _compile(stable)
    if name not in (*_FOLDED, *FUNCTIONS) and len(args) > 1:
        return _of_several(name, args)
    inner = [_compile(arg) for arg in args]
    if name in FUNCTIONS:
        body = _compile(numeric_definition(name))
        return lambda env: body({"z": inner[0](env)})
    function = _function(name)
    if len(inner) == 1:
        argument = inner[0]
        return lambda env: function(argument(env))

    def fold(env):
        total = inner[0](env)
        for part in inner[1:]:
            total = function(total, part(env))
        return total

    return fold


def _of_several(name, args):
    """A function whose first arguments may be orders: these are passed as ints."""
    known = entry_of_text(name)
    function, orders = known.array_function, [whole(a) for a in args[:known.orders]]
    inner = [_compile(arg) for arg in args[known.orders:]]
    return lambda env: function(*orders, *(part(env) for part in inner))


def _where(node):
    condition = node.condition
    compare = _COMPARE[condition.op]
    parts = [_compile(part) for part in (condition.left, condition.right, node.yes, node.no)]
    plain = all(type(part) in (Name, Num, Const) for part in (condition.left, condition.right))

    def choose(env):
        left, right, yes, no = (part(env) for part in parts)
        chosen = np.where(compare(left, right), yes, no)
        # A condition without a value, or between two overflows, decides nothing; names and numbers always have one.
        if not plain and np.isnan(gap := left - right).any():
            chosen = np.where(np.isnan(gap), np.nan, chosen)
        return chosen

    return choose


_COMPILED = {
    Num: lambda node: _constant(node.value.numerator / node.value.denominator),
    Const: lambda node: _constant(getattr(np, node.name)),
    Name: lambda node: operator.itemgetter(node.name),
    Neg: _negative, Chain: _chain, Pow: _power, Call: _call, Where: _where,
}


def _compile(node):
    """Closure of the environment (name to array) for one node."""
    if type(node) not in _COMPILED:
        raise TypeError(f"not a node of the syntax tree: {node!r}")
    return _COMPILED[type(node)](node)


def to_numpy(tree, names=("z",)):
    """Vectorised float64 function of the given names, in their order.

    It never warns: overflow gives inf and undefined points give nan, silently.
    """
    names = (names,) if isinstance(names, str) else tuple(names)
    body = _compile(tree)

    def function(*arrays):
        if len(arrays) != len(names):
            raise TypeError(f"expected {len(names)} arguments ({', '.join(names)}), got {len(arrays)}")
        if len(arrays) == 1 and type(arrays[0]) is np.ndarray and arrays[0].ndim and arrays[0].dtype == np.float64:
            with np.errstate(all="ignore"):
                result = body({names[0]: arrays[0]})
            if type(result) is np.ndarray and result.base is None and result is not arrays[0] \
                    and result.shape == arrays[0].shape and result.dtype == np.float64:
                return result            # a fresh array of the right kind: nothing to convert
        arrays = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in arrays))
        shape = arrays[0].shape if arrays else ()
        with np.errstate(all="ignore"):
            # At least one-dimensional inside: whole powers of zero-dimensional arrays lose the array type.
            result = body({name: np.atleast_1d(a) for name, a in zip(names, arrays)})
        result = np.broadcast_to(np.asarray(result, dtype=np.float64), np.atleast_1d(np.empty(shape)).shape)
        return result.reshape(shape).copy()[()]

    return function


def numpy_source(tree, names=None):
    """Source text of a tree as one Python expression.

    Parameters
    ----------
    tree : node
    names : dict, optional
        Replacement text for a name, e.g. ``{"z": "x[i]"}``; other names stand as they are.

    Returns
    -------
    str
        Uses ``np.`` functions and the helpers ``erf`` and ``erfc`` only, and is the same for equal
        trees. Both branches of a ``np.where`` are evaluated, so a module that runs it should silence
        floating-point warnings of the branch not taken.
    """
    env = {name: text if text.isidentifier() else f"({text})" for name, text in (names or {}).items()}
    return _source(tree, env)[0]


def _called(name):
    return f"np.{name}" if name in ("expm1", "log1p", "sqrt") else entry_of_text(name).arrays


def _listed(name, args, texts):
    """Arguments with the orders among them as ints."""
    count = entry_of_text(name).orders
    return ", ".join([*(str(whole(a)) for a in args[:count]), *texts[count:]])


def _source(node, env):
    """(text, binding strength) with the strengths of :mod:`asympkit.parsing.tree`."""

    def wrap(child, least):
        text, strength = _source(child, env)
        return text if strength >= least else f"({text})"

    match node:
        case Num(value):
            return repr(float(value)), 5
        case Const(name):
            return f"np.{name}", 5
        case Name(name):
            return env.get(name, name), 5
        case Neg(arg):
            return "-" + wrap(arg, 3), 3
        case Chain(first, rest):
            level = 1 if rest[0][0] in "+-" else 2
            glue = " {} " if level == 1 else "{}"
            tail = "".join(glue.format(op) + wrap(arg, level + 1) for op, arg in rest)
            return wrap(first, level) + tail, level
        case Pow(base, exponent):
            power = whole(exponent)
            return f"{wrap(base, 5)}**{wrap(exponent, 3) if power is None else power}", 4
        case Call(name, args):
            if name == "log" and (stable := _stable_log(args[0])) is not None:
                return _source(stable, env)
            if name in FUNCTIONS:
                text, strength = _source(args[0], env)
                return _source(numeric_definition(name), {"z": text if strength == 5 else f"({text})"})
            texts = [_source(arg, env)[0] for arg in args]
            if name == "step":
                return f"np.where({wrap(args[0], 1)} > 0.0, 1.0, 0.0)", 5
            if name not in _FOLDED and len(args) > 1:
                return f"{entry_of_text(name).arrays}({_listed(name, args, texts)})", 5
            called = name if name in ("erf", "erfc") else _called(name)
            total = texts[0]
            for text in texts[1:]:
                total = f"{called}({total}, {text})"
            return (total if len(texts) > 1 else f"{called}({total})"), 5
        case Where(Compare(op, left, right), yes, no):
            left, right, yes, no = (_source(part, env)[0] for part in (left, right, yes, no))
            return f"np.where({left} {op} {right}, {yes}, {no})", 5
    raise TypeError(f"not a node of the syntax tree: {node!r}")
