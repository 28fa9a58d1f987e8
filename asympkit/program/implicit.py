"""Functions of some numbers through inner unknowns: their equations are solved where they are called.

A system that holds such functions is lowered as if they were known (:class:`Through`); then a statement that computes
them with their derivatives is put before the first use.  What they are made of is lowered once, not its derivatives.
"""

from dataclasses import dataclass, replace
from functools import cache

from sympy import Function

from ..nodes import named_parts
from .common import shared_parts
from .lowering import Phase, Workshop
from .statements import Implicit, Linear, Newton, Scalar, Sums

__all__ = ["Inner", "Through", "lowered", "through", "with_inner"]


class Through(Function):
    """A function of arguments through inner unknowns; its derivatives are such functions again."""

    is_extended_real = True
    #: names of what it has derivatives by
    by = ()

    def fdiff(self, argindex=1):
        return through(f"{type(self).__name__}_{self.by[argindex - 1]}", self.by)(*self.args)


@cache
def through(name, by, is_positive=None):
    """The class of a function by its name, and those of its arguments."""
    return type(name, (Through,), {"by": by, "is_extended_positive": is_positive, "is_positive": is_positive})


@dataclass(frozen=True)
class Inner:
    """What functions are made of.

    Attributes
    ----------
    arguments : tuple of Symbol
    starts, maps : dict of Symbol to Expr
        Of the inner unknowns: near what they are, and what they are a fixed point of.
    forms : dict of str to Expr
        The functions by name, in arguments, parameters and inner unknowns.
    """

    arguments: tuple
    starts: dict
    maps: dict
    forms: dict

    def text(self, shown):
        """What the inner unknowns are a fixed point of, as plain text; ``shown`` puts functions into expressions."""
        named = dict.fromkeys(n for e in self.maps.values() for n in named_parts(e))
        of, inside = (", ".join(map(str, symbols)) for symbols in (self.arguments, self.maps))
        return "\n".join([f"{', '.join(self.forms)}: functions of {of} through {inside}, with their derivatives; where",
                          *(f"  {n.label} = {shown(n.expr)}" for n in named),
                          *(f"  {u} = {shown(e)}" for u, e in self.maps.items())])


def with_inner(program, names, inner, table_parameters):
    """The program with the statements that compute what stands in it as functions, and their grids."""
    names.symbols(inner.starts)
    shop = Workshop(names, table_parameters)
    labels = [*inner.forms, *(f"{n}_{a}" for a in inner.arguments for n in inner.forms)]
    outputs = {n: names.fresh(n) for n in labels}
    maps, map_symbols = lowered(shop, names, {f"{u}_map": e for u, e in inner.maps.items()})
    forms, form_symbols = lowered(shop, names, inner.forms)
    solve = Implicit(inner.arguments, tuple(inner.starts), tuple(inner.starts.values()), (maps, map_symbols),
                     (forms, form_symbols), tuple(outputs.values()))
    grids = []
    for builder in shop.builders.values():
        builder.grid.preparation = builder.merged_preparation()
        grids.append(builder.grid)
    statements = _with_statement(program.statements, solve, outputs)
    return replace(program, statements=tuple(statements), grids=(*program.grids, *grids), table_parameters=tuple(
        p for p in program.parameters if p in {*program.table_parameters, *table_parameters}))


def lowered(shop, names, exprs):
    """Statements, in which no part is written twice, and the symbols that they set."""
    phase = Phase(shop)
    forms = [(label, phase.lower(e)) for label, e in exprs.items()]
    made = tuple(e if e.is_Symbol else phase.add_new(label, e) for label, e in forms)
    return tuple(shared_parts(phase.statements(), names)), made


def _with_statement(statements, solve, outputs):
    """Statements with symbols in the place of functions, and what makes these before the first that holds one."""
    out, is_made = [], False
    for s in statements:
        if isinstance(s, Newton):
            out.append(replace(s, body=tuple(_with_statement(s.body, solve, outputs))))
            is_made = False
            continue
        new, found = _replaced(s, outputs)
        if found and not is_made:
            out.append(solve)
            is_made = True
        out.append(new)
    return out


def _replaced(s, outputs):
    """A statement without functions, and whether it held some."""
    if isinstance(s, Linear):
        return s, False
    exprs = [s.expr] if isinstance(s, Scalar) else [e for _, e in s.locals] + [e for _, e, _ in s.sums]
    found = {f: outputs[type(f).__name__] for e in exprs for f in e.atoms(Through)}
    if not found:
        return s, False
    if isinstance(s, Scalar):
        return replace(s, expr=s.expr.xreplace(found)), True
    return Sums(s.grid, tuple((x, e.xreplace(found)) for x, e in s.locals),
                tuple((x, e.xreplace(found), note) for x, e, note in s.sums)), True
