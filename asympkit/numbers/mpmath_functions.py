"""An activation, or an expression, as a function of mpmath numbers of a given context."""

from .digits import Digits
from .evaluation import compiled


def mp_function(activation, mp):
    """``activation.expr`` as a function of one mpf."""
    run, symbol = compile_mp(activation.expr, mp), activation.symbol
    return lambda x: run({symbol: x})


def compile_mp(expr, mp):
    """An expression as a function ``{symbol: mpf} -> mpf``; the precision of the context must stay."""
    run, convert = compiled(expr, Digits.of_context(mp)), mp.convert
    return lambda v: convert(run(v))
