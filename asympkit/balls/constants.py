"""Exact numbers as balls."""

from ..errors import DomainError, NotAvailableError
from .backend import acb, arb, ratio

__all__ = ["number"]


def number(expr):
    """Convert an exact sympy number without arguments, or a real algebraic number, to a ball."""
    import sympy as sp

    if expr.is_Float:
        raise DomainError(f"{str(expr)[:40]} is a floating-point number, which proves nothing; write it as an exact "
                          "rational, such as Rational(1, 10)")
    if expr.is_Rational:
        return acb(ratio(expr))
    names = {sp.pi: arb.pi, sp.E: arb.const_e, sp.EulerGamma: arb.const_euler, sp.Catalan: arb.const_catalan}
    if expr in names:
        return acb(names[expr]())
    if expr is sp.GoldenRatio:
        return (1 + acb(5).sqrt()) / 2
    if type(expr).__name__ == "ComplexRootOf" and expr.is_real:
        return _root(expr)
    raise NotAvailableError(f"certify: the number {str(expr)[:40]} has no enclosure")


def _root(expr):
    """Enclose a real algebraic number, from its isolating interval."""
    import sympy as sp
    from flint import ctx

    bits = ctx.prec + 10
    error = sp.Rational(1, 2**bits)
    return acb(ratio(expr.eval_rational(error)) + arb(0, ratio(error).upper()))
