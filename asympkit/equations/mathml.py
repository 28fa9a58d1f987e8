"""Presentation MathML of expressions with averages, names and unspecified activations."""

import re
from html import escape
from html.entities import html5

from sympy import Symbol
from sympy.printing.mathml import MathMLPresentationPrinter

from ..gauss.measure import Gaussian
from ..nodes.bound import _LATEX
from ..notation import CONVENTIONAL, FUNCTIONS, character, plain

_XML = frozenset({"amp;", "lt;", "gt;", "quot;", "apos;"})


def presentation(expr, notation=None):
    """Write one ``<math>`` element for an expression or an equation.

    Parameters
    ----------
    expr : Basic
    notation : dict of str to str, optional
        LaTeX of more names.

    Returns
    -------
    str
        Well-formed XML without named entities, on one line.
    """
    body = _Printer(notation or {}).doprint(expr)
    body = re.sub(r"&(\w+;)", lambda m: m[0] if m[1] in _XML else html5[m[1]], body)
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{body}</math>'


class _Printer(MathMLPresentationPrinter):

    def __init__(self, notation):
        super().__init__()
        self._spelt = {name: plain(tex) for name, tex in {**CONVENTIONAL, **notation}.items()}

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
        head = []
        if isinstance(e.measure, Gaussian):
            left, right = "[", "]"
            names = [x for b in e.bound_symbols for x in (self._element("mo", ","), self._print(b))]
            head = [self._element("msub", self._element("mi", "\U0001d53c"), self._element("mrow", *names[1:]))]
        return self._element("mrow", *head, self._element("mo", left), self._print(e.integrand),
                             self._element("mo", right))

    def _print_Subs(self, e):
        where = [self._element("mrow", self._print(old), self._element("mo", "="), self._print(new))
                 for old, new in zip(e.variables, e.point)]
        places = [x for place in where for x in (self._element("mo", ","), place)][1:]
        body = self._element("mrow", self._element("mo", "["), self._print(e.expr), self._element("mo", "]"))
        return self._element("msub", body, self._element("mrow", *places))

    def _print_Named(self, e):
        return self._print(Symbol(e.label))

    def _print_Applied(self, e):
        name = self._element("mi", character(FUNCTIONS[e.label]) if e.label in FUNCTIONS else _text(e.label))
        if e.order:
            name = self._element("msup", name, self._element("mo", "\u2032" * e.order))
        return self._call(name, e.argument)

    def _print_BoundSymbol(self, b):
        name = _LATEX[b.level % len(_LATEX)]
        letter = self._element("mi", "\u03ba" if name == r"\kappa" else name)
        return self._element("msub", letter, self._element("mn", str(b.position + 1))) if b.position else letter

    def _print_Symbol(self, sym, style="plain"):
        if not re.fullmatch(r"\w+", sym.name, re.ASCII):     # as it is: sympy would read it as markup
            return self._element("mi", _text(sym.name))
        sym = Symbol(self._spelt.get(sym.name, sym.name))
        stem, supers, subs = self._split_super_sub(sym.name)
        if supers or not stem.endswith("hat") or len(stem) <= 3:
            return super()._print_Symbol(sym, style)
        hat = self._element("mover", super()._print_Symbol(Symbol(stem[:-3]), style), self._element("mo", "^"))
        return self._element("msub", hat, self._element("mi", " ".join(subs))) if subs else hat


def _text(name):
    """Escape a name as the text of an element: no markup, and characters that XML does not allow as escapes."""
    return escape("".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name), quote=False)
