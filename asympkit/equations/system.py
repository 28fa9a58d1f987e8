"""A system of equations with its structure, and its printed forms.

Descriptions of the symbols of a system that it does not define itself.  Presentation MathML of expressions with
averages, names and unspecified activations.
"""

from __future__ import annotations

import re
from html import escape
from html.entities import html5
from typing import TYPE_CHECKING

from sympy import Eq, Function, Symbol, latex
from sympy.printing.mathml import MathMLPresentationPrinter

from ..gauss.measure import Gaussian
from ..nodes import Average, Tabled, bind, free_of, named_parts
from ..nodes.named import _LATEX
from ..notation import CONVENTIONAL, FUNCTIONS, character, one_screen, spell_latex, spell_plainly, tex, upright
from ..once import computed_once
from .blocks import find_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from sympy import Expr

    from ..activations import Activation
    from ..nodes import Named
    from .blocks import Block


def legend(system, meanings=None):
    """Return ``[(symbols, description), ...]``: normal variables, eigenvalues, parameters, unknowns.

    ``meanings`` are descriptions of more parameters, by name.
    """
    meanings, defined = {**system.meanings, **(meanings or {})}, {n.label for n in system.definitions}
    expressions = [*(n.expr for n in system.definitions), *(f for _, f in system.solved), *system.observables.values()]
    measures = dict.fromkeys(a.measure for e in expressions for a in e.atoms(Average))
    normal = [s for m in measures if isinstance(m, Gaussian) for s in m.bound_symbols]
    spectral = {m.bound_symbols: (m.variable, m.described) for m in measures if not isinstance(m, Gaussian)}
    bound = {*normal, *(s for symbols in spectral for s in symbols)}
    free = {s for e in expressions for s in free_of(e)} - {*system.unknowns} - bound
    parameters = sorted((s for s in free if s.name not in defined), key=lambda s: s.name)
    rows = [(system.unknowns, "order parameters")]
    rows += [((s,), meanings[s.name]) for s in parameters if s.name in meanings]
    rows += [(tuple(s for s in parameters if s.name not in meanings), "parameters")]
    rows += [(tuple(dict.fromkeys(normal)), "standard normal variables")]
    rows += [(s, f"{of}{' and its companions' * (len(s) > 1)}, under {law}") for s, (of, law) in spectral.items()]
    explained = {f.symbol: f.described for e in expressions for f in e.atoms(Function) if hasattr(f, "described")}
    rows += [((s,), what) for s, what in explained.items()]
    return [(symbols, what) for symbols, what in rows if symbols]


class System:
    """Hold equations derived from a theory.

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
    has_units : bool
        True if unknowns are of order 1 unless they are 0, so that far smaller values are rounding; in general the units
        of a system are unknown.
    """

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

    @computed_once
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
        out.has_units = self.has_units
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
        how = self._printer_settings(*(rhs for _, rhs in rows))
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
        return latex(expr, **self._printer_settings(expr))

    def _printer_settings(self, *expressions):
        """Return sympy's printer settings: every name as in the legend, a space between words."""
        symbols = {s for e in expressions for s in e.atoms(Symbol)}
        labels = (*self.notation, *CONVENTIONAL, *(n.label for e in expressions for n in named_parts(e)))
        names = {s: spell_latex(s.name, self.notation) for s in (*symbols, *self.unknowns, *map(Symbol, labels))}
        has_words = any(spell_latex(s.name, self.notation) is not None and tex(s.name, self.notation) is None
                        for s in symbols)
        return {"symbol_names": {s: name for s, name in names.items() if name},
                "mul_symbol": r" \, " if has_words else None}

    def mathml(self) -> str:
        """Write the solved equations as presentation MathML, one ``<math>`` element a line."""
        rows = [(self._name(n.label), self._shown(n.expr)) for n in self.definitions]
        rows += [(lhs, self._shown(rhs)) for lhs, rhs in self.solved]
        return "\n".join(presentation(Eq(lhs, rhs, evaluate=False), self.notation) for lhs, rhs in rows)

    @staticmethod
    def _name(label):
        return Symbol(label)

    def _repr_latex_(self) -> str:
        """Write descriptions of the symbols, then the equations, each name defined before it is used."""
        rows = self.latex().split("\n")[1:-1]
        known = [(", ".join(spell_latex(s.name, self.notation) or latex(s) for s in symbols), what)
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


_XML = frozenset({"amp;", "lt;", "gt;", "quot;", "apos;"})


def presentation(expr, notation=None):
    """Write one ``<math>`` element for an expression or an equation; ``notation`` is LaTeX of more names.

    It is well-formed XML without named entities, on one line.
    """
    body = _Printer(notation or {}).doprint(expr)
    body = re.sub(r"&(\w+;)", lambda m: m[0] if m[1] in _XML else html5[m[1]], body)
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{body}</math>'


class _Printer(MathMLPresentationPrinter):

    def __init__(self, notation):
        super().__init__()
        self._spelt = {name: spell_plainly(tex) for name, tex in {**CONVENTIONAL, **notation}.items()}

    def mathml_tag(self, e):
        return {"<": "&lt;", ">": "&gt;"}.get(tag := super().mathml_tag(e), tag)

    def _element(self, tag, *children):
        element = self.dom.createElement(tag)
        for child in children:
            element.appendChild(self.dom.createTextNode(child) if isinstance(child, str) else child)
        return element

    def _call(self, head, *arguments):
        inside = []
        for a in arguments:
            inside += [self._element("mo", ","), self._print(a)]
        return self._element("mrow", head, self._element("mo", "("), *inside[1:], self._element("mo", ")"))

    def _print_Average(self, e):
        e = e.printed()
        left, right = "\u27e8", "\u27e9"
        head, law = [], e.measure.title
        if isinstance(e.measure, Gaussian):
            left, right = "[", "]"
            names = [x for b in e.bound_symbols for x in (self._element("mo", ","), self._print(b))]
            head = [self._element("msub", self._element("mi", "\U0001d53c"), self._element("mrow", *names[1:]))]
        body = self._element("mrow", *head, self._element("mo", left), self._print(e.integrand),
                             self._element("mo", right))
        return self._element("msub", body, self._call(self._element("mtext", law[0]), *law[1:])) if law else body

    def _print_Subs(self, e):
        where = [self._element("mrow", self._print(old), self._element("mo", "="), self._print(new))
                 for old, new in zip(e.variables, e.point)]
        places = [x for place in where for x in (self._element("mo", ","), place)][1:]
        body = self._element("mrow", self._element("mo", "["), self._print(e.expr), self._element("mo", "]"))
        return self._element("msub", body, self._element("mrow", *places))

    def _print_Named(self, e):
        return self._print(Symbol(e.label))

    def _print_Applied(self, e):
        name = self._element("mi", character(FUNCTIONS[e.label]) if e.label in FUNCTIONS else _element_text(e.label))
        if e.order:
            name = self._element("msup", name, self._element("mo", "\u2032" * e.order))
        return self._call(name, e.argument)

    def _print_BoundSymbol(self, b):
        name = _LATEX[b.level % len(_LATEX)]
        letter = self._element("mi", "\u03ba" if name == r"\kappa" else name)
        return self._element("msub", letter, self._element("mn", str(b.position + 1))) if b.position else letter

    def _print_Symbol(self, sym, style="plain"):
        if not re.fullmatch(r"\w+", sym.name, re.ASCII):     # as it is: sympy would read it as markup
            return self._element("mi", _element_text(sym.name))
        sym = Symbol(self._spelt.get(sym.name, sym.name))
        stem, supers, subs = self._split_super_sub(sym.name)
        if supers or not stem.endswith("hat") or len(stem) <= 3:
            return super()._print_Symbol(sym, style)
        hat = self._element("mover", super()._print_Symbol(Symbol(stem[:-3]), style), self._element("mo", "^"))
        return self._element("msub", hat, self._element("mi", " ".join(subs))) if subs else hat


def _element_text(name):
    """Escape a name as the text of an element: no markup, and characters that XML does not allow as escapes."""
    return escape("".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name), quote=False)
