"""Equations ``c*(u - f) = 0`` of a positive unknown: far from the root they are better read as ``log(u/f) = 0``."""

from sympy import Add, Integer, Mul

from ..nodes import Applied, Average, Named, free_of, holds


def quotient_factor(u, equation, unknowns):
    """The factor c for which an equation that vanishes says ``u = u - equation/c``, or None.

    Near the root both readings have the same Newton steps. Far from it u - f(u) may turn back where f grows as fast
    as u, while the logarithm of u/f(u) goes on: as long as f grows less than in proportion to u, it increases.

    Parameters
    ----------
    u : Symbol
    equation : Expr
    unknowns : collection of Symbol
        Those of the block: c holds none of them.

    Returns
    -------
    Expr or None
        None also where c holds averages, or the unknown is not known to be positive.
    """
    if not u.is_positive:
        return None
    inner = set(unknowns)
    outside = [a for a in Mul.make_args(equation) if not free_of(a) & inner]
    rest = Mul(*[a for a in Mul.make_args(equation) if free_of(a) & inner])
    slopes = [t / u for t in Add.make_args(rest) if not free_of(t / u) & inner]
    # u - a*u - ... is u = a*u + ...: a number says best what was meant
    plain = [c for c in slopes if c.is_Rational]
    factor = Mul(*outside, Add(*(plain or slopes)))
    if factor == Integer(0) or rest == u or holds(factor, (Average, Applied, Named)):
        return None
    return factor
