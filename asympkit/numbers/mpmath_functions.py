"""An activation, or an expression, as a function of mpmath numbers of a given context."""

from .digits import Digits
from .evaluation import compiled


def mp_function(activation, mp):
    """Return ``activation.expr`` as a function of one mpf."""
    run, symbol = compile_mp(activation.expr, mp), activation.symbol
    return lambda x: run({symbol: x})


def compile_mp(expr, mp):
    """Compile an expression to a function ``{symbol: mpf} -> mpf``; the context's precision must not change."""
    run, convert = compiled(expr, Digits.of_context(mp)), mp.convert
    return lambda v: convert(run(v))
