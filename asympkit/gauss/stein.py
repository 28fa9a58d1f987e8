"""Stein's lemma as a rewriting rule: derivatives of an unspecified activation become polynomial weights."""

from sympy import Add, Mul

from ..nodes import Applied, Average
from .measure import Gaussian


def stein(expr):
    r"""Remove derivatives of activations from Gaussian averages.

    Uses :math:`E[g(z)\,\sigma'(a+bz)] = \tfrac1b E[(z g(z) - g'(z))\,\sigma(a+bz)]`, repeatedly.  The
    result holds no derivative of the activation, so it is right for kinks and jumps too.

    Parameters
    ----------
    expr : Expr
        Any expression; averages over one normal are rewritten, at every depth.

    Returns
    -------
    Expr
    """
    if not expr.args:
        return expr
    args = [stein(a) for a in expr.args]
    if all(a is b for a, b in zip(args, expr.args)):
        new = expr
    else:
        new = expr.func(*args)
    if isinstance(new, Average) and isinstance(new.measure, Gaussian) and len(new.bound_symbols) == 1:
        z = new.bound_symbols[0]
        total = Add(*[_lower(term, z) for term in Add.make_args(new.integrand.expand(func=False))])
        return Average(total, new.measure) if total != new.integrand else new
    return new


def _lower(term, z):
    """Lower the order of the one differentiated activation in a product, as far as possible."""
    factors = Mul.make_args(term)
    raised = [f for f in factors if isinstance(f, Applied) and f.order > 0 and z in f.free_symbols]
    if len(raised) != 1:
        return term
    f = raised[0]
    slope = f.argument.diff(z)
    if z in slope.free_symbols:
        return term
    rest = Mul(*[g for g in factors if g is not f])
    lower = Applied(f.label, f.argument, f.order - 1)
    swapped = ((z * rest - rest.diff(z)) * lower / slope).expand(func=False)
    if any(isinstance(a, Applied) and a.order >= f.order for a in swapped.atoms(Applied)):
        return term      # another activation was differentiated instead: no progress
    return Add(*[_lower(t, z) for t in Add.make_args(swapped)])
