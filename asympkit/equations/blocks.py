"""From equations to blocks: explicit, linear, or nonlinear, each with the unknowns really solved for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sympy import Mul

from ..nodes import free_of
from ..summary import one_screen
from .incidence import CERTAIN, Incidence, certainly_nonzero
from .matching import match, strong_components
from .tearing import explicit_form, tear

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sympy import Expr, Symbol

EXPLICIT, LINEAR, NONLINEAR_BLOCK = "explicit", "linear", "nonlinear"


@dataclass(frozen=True, repr=False)
class Block:
    """Unknowns that are solved together.

    Attributes
    ----------
    kind : {"explicit", "linear", "nonlinear"}
    unknowns : tuple of Symbol
    torn : tuple of Symbol
        The iteration variables; empty for an explicit block.
    assignments : tuple of (Symbol, Expr)
        The others, in the order of evaluation.
    equations : tuple of (Symbol, Expr, bool)
For each iteration variable an expression and whether it is a map: ``(u, f, True)`` means
        ``u = f``, ``(u, g, False)`` means ``g = 0``.
    """

    kind: str
    unknowns: tuple[Symbol, ...]
    torn: tuple[Symbol, ...]
    assignments: tuple[tuple[Symbol, Expr], ...]
    equations: tuple[tuple[Symbol, Expr, bool], ...]

    def __repr__(self) -> str:
        of = f"<Block, {self.kind}: {', '.join(map(str, self.unknowns))}"
        return one_screen(of + (f"; solved for {', '.join(map(str, self.torn))}>" if self.torn else ">"))

    def rewritten(self, change: Callable[[Expr], Expr]) -> Block:
        """Return the same block with every expression changed by a function.

        Parameters
        ----------
        change : callable

        Returns
        -------
        Block
        """
        return replace(self, assignments=tuple((u, change(f)) for u, f in self.assignments),
                       equations=tuple((u, change(f), is_map) for u, f, is_map in self.equations))


def find_blocks(equations: Iterable[Expr], unknowns: Iterable[Symbol]) -> tuple[Block, ...]:
    """Analyse the structure of a square system.

    It uses nothing of the theory but which unknown occurs in which equation, and how.

    Parameters
    ----------
    equations : sequence of Expr
        Expressions that vanish.
    unknowns : sequence of Symbol

    Returns
    -------
    tuple of Block
        In an order of solution.
    """
    incidence = Incidence(tuple(equations), tuple(unknowns))
    matching = match(incidence)
    return tuple(_block(incidence, matching, b) for b in strong_components(incidence, matching))


def _block(incidence, matching, block):
    plan = tear(incidence, matching, block)
    symbol = incidence.unknowns

    def solved(j):
        i = matching[j]
        return explicit_form(incidence.equations[i], symbol[j], incidence.derivatives[i, j])

    assignments = tuple((symbol[j], solved(j)) for j in plan.assigned)
    equations = []
    for j in plan.torn:
        is_map = incidence.kind(matching[j], j) == CERTAIN
        form = solved(j) if is_map else _bare(incidence.equations[matching[j]], set(symbol))
        equations.append((symbol[j], form, is_map))
    if not plan.torn:
        kind = EXPLICIT
    else:
        kind = LINEAR if _is_linear(incidence, matching, block) else NONLINEAR_BLOCK
    return Block(kind, tuple(symbol[j] for j in block), tuple(symbol[j] for j in plan.torn),
                 assignments, tuple(equations))


def _bare(equation, unknowns):
    """Drop factors that cannot vanish and hold no unknown from an equation ``= 0``."""
    return Mul(*[f for f in Mul.make_args(equation)
                 if free_of(f) & unknowns or not certainly_nonzero(f)])


def _is_linear(incidence, matching, block):
    """Return whether no derivative of a block's equations by its unknowns holds one of these."""
    own = {incidence.unknowns[j] for j in block}
    return not any(own & free_of(incidence.derivatives[matching[j], k])
                   for j in block for k in block if (matching[j], k) in incidence.derivatives)
