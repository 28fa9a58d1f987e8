"""A system of equations with its structure, and its printed forms."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from sympy import Eq, Symbol, latex

from ..nodes import Tabled, bind, named_parts
from ..notation import CONVENTIONAL, spelt, tex, upright
from ..summary import one_screen
from .blocks import find_blocks
from .legend import legend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from sympy import Expr

    from ..activations import Activation
    from ..nodes import Named
    from .blocks import Block


class System:
    """Equations derived from a theory.

    Attributes
    ----------
    unknowns : tuple of Symbol
    equations : tuple of Expr
        Expressions that vanish, in the order in which they were derived.
    blocks : tuple of Block
        Computed at first use.
    observables : dict of str to Expr
    intervals : dict of Symbol to (float, float)
        Unknowns that the solver keeps inside an open interval.
    notation : dict of str to str
        LaTeX of names that differ from it.
    meanings : dict of str to str
        Descriptions of parameters, by name.
    is_free_by_convention : bool
        True if an unknown whose linear equation vanishes is 0 even if others depend on it; otherwise none may.
    has_units : bool
        True if unknowns are of order 1 unless they are 0, so that far smaller values are rounding; in general the units
        of a system are unknown.
    """

    is_free_by_convention = True
    has_units = False

    def __init__(self, unknowns: Iterable[Symbol], equations: Iterable[Expr],
                 observables: Mapping[str, Expr] | None = None, functions: Mapping[str, Activation] | None = None,
                 intervals: Mapping[Symbol, tuple[float, float]] | None = None,
                 notation: Mapping[str, str] | None = None, blocks: Iterable[Block] | None = None,
                 meanings: Mapping[str, str] | None = None) -> None:
        self.unknowns = tuple(unknowns)
        self.equations = tuple(equations)
        self.observables = dict(observables or {})
        self._functions = functions or {}
        self.intervals = dict(intervals or {})
        self.notation, self.meanings = dict(notation or {}), dict(meanings or {})
        if blocks is not None:              # an order that is known: of a tangent, or of the same equations before
            self.blocks = tuple(blocks)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        return find_blocks(self.equations, self.unknowns)

    def with_(self, **changes: Any) -> System:
        """Return the same system with other arguments of the constructor; blocks stay unless they are given.

        Parameters
        ----------
        **changes
            Arguments of the constructor.

        Returns
        -------
        System
        """
        kept = {"unknowns": self.unknowns, "equations": self.equations, "observables": self.observables,
                "functions": self._functions, "intervals": self.intervals, "notation": self.notation,
                "meanings": self.meanings, "blocks": self.blocks}
        out = type(self)(**{**kept, **changes})
        out.is_free_by_convention, out.has_units = self.is_free_by_convention, self.has_units
        return out

    def rewritten(self, change: Callable[[Expr], Expr]) -> System:
        """Return the same system, its structure too, with every expression changed by a function.

        Parameters
        ----------
        change : callable

        Returns
        -------
        System
            Itself if no expression is changed.
        """
        equations = tuple(map(change, self.equations))
        observables = {name: change(e) for name, e in self.observables.items()}
        if equations == self.equations and observables == self.observables:
            return self
        return self.with_(equations=equations, observables=observables,
                          blocks=[b.rewritten(change) for b in self.blocks])

    @property
    def solved(self) -> list[tuple[Symbol | int, Expr]]:
        """The equations solved for the unknowns block by block: ``[(lhs, rhs), ...]``.

        For an implicit equation the left side is 0.
        """
        rows: list[tuple[Symbol | int, Expr]] = []
        for block in self.blocks:
            rows.extend((u, f) if is_map else (0, f) for u, f, is_map in block.equations)
            rows.extend(block.assignments)
        return rows

    @property
    def definitions(self) -> list[Named]:
        """The named expressions of the equations and observables, innermost first."""
        found: dict[Named, None] = {}
        for e in (*(rhs for _, rhs in self.solved), *self.observables.values()):
            for named in named_parts(e):        # tabulated expressions are written out elsewhere
                found.setdefault(named.written_out() if isinstance(named, Tabled) else named)
        return list(found)

    def _shown(self, expr):
        return bind(expr, self._functions)

    def text(self) -> str:
        """Write the system as plain text: definitions, then the equations block by block."""
        lines = ["where"] if self.definitions else []
        lines += [f"  {n.label} = {self._shown(n.expr)}" for n in self.definitions]
        for number, block in enumerate(self.blocks, 1):
            torn = f", solved for {', '.join(map(str, block.torn))}" if block.torn else ""
            lines.append(f"block {number}: {block.kind}{torn}")
            for u, f, is_map in block.equations:
                lines.append(f"  {u} = {self._shown(f)}" if is_map else f"  0 = {self._shown(f)}")
            lines += [f"  {u} = {self._shown(f)}" for u, f in block.assignments]
        if self.observables:
            lines.append("observables")
            lines += [f"  {name} = {self._shown(e)}" for name, e in self.observables.items()]
        return "\n".join(lines)

    def latex(self) -> str:
        r"""Write the system as a LaTeX ``align*`` environment, definitions first."""
        rows = [(self._name(n.label), self._shown(n.expr)) for n in self.definitions]
        rows += [(lhs, self._shown(rhs)) for lhs, rhs in self.solved]
        rows += [(Symbol(rf"\mathrm{{{upright(name)}}}"), self._shown(e)) for name, e in self.observables.items()]
        how = self._letters(*(rhs for _, rhs in rows))
        how["symbol_names"] |= {lhs: lhs.name for lhs, _ in rows if isinstance(lhs, Symbol) and "\\" in lhs.name}
        body = " \\\\\n".join(f"{latex(lhs, **how)} &= {latex(rhs, **how)}" for lhs, rhs in rows)
        return "\\begin{align*}\n" + body + "\n\\end{align*}"

    def written(self, expr: Expr) -> str:
        """Write an expression as LaTeX in the system's notation.

        Parameters
        ----------
        expr : Expr

        Returns
        -------
        str
        """
        return latex(expr, **self._letters(expr))

    def _letters(self, *expressions):
        """Return sympy's printer settings: every name as in the legend, a space between words."""
        symbols = {s for e in expressions for s in e.atoms(Symbol)}
        labels = (*self.notation, *CONVENTIONAL, *(n.label for e in expressions for n in named_parts(e)))
        names = {s: spelt(s.name, self.notation) for s in (*symbols, *self.unknowns, *map(Symbol, labels))}
        has_words = any(spelt(s.name, self.notation) is not None and tex(s.name, self.notation) is None
                        for s in symbols)
        return {"symbol_names": {s: name for s, name in names.items() if name},
                "mul_symbol": r" \, " if has_words else None}

    def mathml(self) -> str:
        """Write the solved equations as presentation MathML, one ``<math>`` element a line."""
        from .mathml import presentation

        rows = [(self._name(n.label), self._shown(n.expr)) for n in self.definitions]
        rows += [(lhs, self._shown(rhs)) for lhs, rhs in self.solved]
        return "\n".join(presentation(Eq(lhs, rhs, evaluate=False), self.notation) for lhs, rhs in rows)

    @staticmethod
    def _name(label):
        return Symbol(label)

    def _repr_latex_(self) -> str:
        """Write descriptions of the symbols, then the equations, each name defined before it is used."""
        rows = self.latex().split("\n")[1:-1]
        known = [(", ".join(spelt(s.name, self.notation) or latex(s) for s in symbols), what)
                 for symbols, what in legend(self)]
        # a column for the text: symbols on the left side would be far from their descriptions
        words = [rf"& {symbols}:\ \text{{{_text(what)}}} \\" for symbols, what in known]
        return "\n".join([r"$$\begin{aligned}", *words, *rows, r"\end{aligned}$$"])

    def __repr__(self) -> str:
        kinds = ", ".join(f"{b.kind}({', '.join(map(str, b.torn or b.unknowns))})" for b in self.blocks)
        return one_screen(f"<System of {len(self.unknowns)} unknowns: {kinds}>")


def _text(words):
    """Write words inside of a formula."""
    return upright(words).replace("\\ ", " ")
