"""Detect integrands with corners along a rule, where refinement does not square its error."""

from sympy import Pow, log

from ..numbers.functions import entry
from ..program.statements import Sums, of_kind

__all__ = ["is_rough"]


def is_rough(program):
    """Return whether an integrand over a rule that is chosen here may not be analytic along it.

    Kinks at places that the rule knows are harmless, but not all can be distinguished from others.
    """
    return any(_has_corners(e) for s in of_kind(Sums, program.statements) if not s.grid.given
               for e in (*s.grid.columns, *(e for _, e in s.locals), *(e for _, e, _ in s.sums)))


def _has_corners(expr):
    known = entry(type(expr).__name__)
    if known is not None and known.is_kinked and expr.free_symbols:
        return True
    if isinstance(expr, Pow) and not expr.exp.is_integer and not expr.base.is_positive:
        return True
    if isinstance(expr, log) and not expr.args[0].is_positive:
        return True
    return any(map(_has_corners, getattr(expr, "args", ())))
