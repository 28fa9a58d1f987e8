"""Check the symbols of a user-defined theory: each has one role, and names are unique."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..arguments.names import check_once, check_twins
from ..errors import StructureError
from ..nodes import Average, named_parts
from ..spectra.eigenvalues import Eigenvalues

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sympy import Expr, Symbol

__all__ = ["arrays_of", "check_symbols", "nonnegative_arrays"]


def check_symbols(unknowns: Sequence[Symbol], others: Iterable[Symbol], observables: Iterable[str],
                  expressions: Sequence[Expr], equations: Sequence[Expr]) -> None:
    """Raise for a symbol that has no role in the theory, or two.

    Parameters
    ----------
    unknowns : sequence of Symbol
    others : iterable of Symbol
        Parameters and derived quantities.
    observables : iterable of str
        Names.
    expressions : sequence of Expr
        All of them, including the free energy.
    equations : sequence of Expr
        Those that are lowered: the equations and the observables.

    Raises
    ------
    StructureError, DomainError
        Naming the symbols.
    """
    if len(set(unknowns)) != len(unknowns):
        raise StructureError("unknowns: a symbol is listed twice")
    known = {*others, *unknowns}
    texts = [s.name for s in known]
    twice = sorted({n for n in texts if texts.count(n) > 1})
    if twice:
        raise StructureError(f"symbols: two different symbols are called {', '.join(twice)}; "
                             "make each once, with its assumptions, and use that one")
    arrays = arrays_of(equations)
    if taken := sorted(set(texts) & set(arrays)):
        raise StructureError(f"symbols: {', '.join(taken)} names an array of eigenvalues and a parameter or "
                             "unknown; rename one of them")
    check_twins("symbols", sorted([*texts, *arrays]))
    results = [*(u.name for u in unknowns), *observables, "residual", "iterations"]
    check_twins("results", results)
    check_once(results)
    for e in expressions:
        if extra := e.free_symbols - known:
            raise StructureError(f"symbols: {', '.join(sorted(map(str, extra)))} is neither a parameter nor an "
                                 "unknown (symbols of equal name and different assumptions are different)")
    _check_names(equations)


def _check_names(expressions):
    """Raise if one name is used for two expressions."""
    labels = {}
    for named in (n for e in expressions for n in named_parts(e)):
        if labels.setdefault(named.label, named) != named:
            raise StructureError(f"names: {named.label!r} stands for two different expressions; give each its own name")


def arrays_of(expressions: Iterable[Expr]) -> Mapping[str, set[Symbol]]:
    """Return the symbols for the entries of each array, by its name."""
    found: dict[str, set[Symbol]] = {}
    for measure in _eigenvalue_measures(expressions):
        for b in measure.bound_symbols:
            found.setdefault(b.name, set()).add(b)
    return found


def nonnegative_arrays(expressions: Iterable[Expr]) -> list[str]:
    """Return the names of the arrays of eigenvalues that are declared nonnegative, without their companions."""
    return sorted({m.bound_symbols[0].name for m in _eigenvalue_measures(expressions)
                   if m.bound_symbols[0].is_nonnegative})


def _eigenvalue_measures(expressions):
    return {a.measure for e in expressions for a in e.atoms(Average) if isinstance(a.measure, Eigenvalues)}
