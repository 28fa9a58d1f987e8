"""Quotients inside formulas taken out as reciprocals of their own, which is how bounds of denominators are found."""

from dataclasses import replace

from sympy import Dummy, Pow

from ..program.statements import Means, Newton, Sums
from .parts import holds_steps

__all__ = ["with_reciprocals"]


def with_reciprocals(statements):
    """Rewrite quotients in sums by reciprocals among the locals, so that sums divide by powers of symbols alone."""
    return [replace(s, body=tuple(with_reciprocals(s.body))) if isinstance(s, Newton) else
            _taken_out(s) if isinstance(s, Sums) else s for s in statements]


def _taken_out(s):
    """Rewrite one pass; quotients that do not vary over the nodes stay."""
    if not any(isinstance(p, Means) and not p.is_value for p in s.grid.preparation):
        return s                            # formulas of the node are enclosed unchanged
    if holds_steps(s):
        return s                            # nested sums too
    varying, rows, names = {*s.grid.bound, *s.grid.columns.values()}, [], {}

    def known(expr):
        """Replace the quotients in an expression by symbols, after the locals of their reciprocals."""
        found = {}
        for power in expr.atoms(Pow):
            if power.exp.is_Integer and power.exp < 0 and power.base.free_symbols & varying:
                base, number = _monic(power.base)
                if base not in names:
                    names[base] = Dummy(f"inv_{len(names) + 1}", real=True)
                    rows.append((names[base], 1 / base))
                    varying.add(names[base])
                found[power] = names[base] ** -power.exp * number**power.exp
        return expr.xreplace(found)

    for symbol, expr in s.locals:
        if expr.is_Pow and expr.exp == -1:
            rows.append((symbol, expr))
            names.setdefault(expr.base, symbol)
        else:
            rows.append((symbol, known(expr)))
        if expr.free_symbols & varying:
            varying.add(symbol)
    sums = tuple((symbol, known(expr), note) for symbol, expr, note in s.sums)
    return replace(s, locals=tuple(rows), sums=sums)


def _monic(base):
    """Split off the common factor of a sum: 2 V + 2 and V + 1 are one denominator."""
    number, rest = base.primitive()
    return rest, number
