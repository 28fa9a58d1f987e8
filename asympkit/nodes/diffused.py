"""Named functions that are means over normals, with the derivatives by variances that the heat equation gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Add, Expr, S, Symbol, Tuple

from .composite import Composite, Definition
from .slopes import slope
from .walks import free_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["Diffused"]


class Diffusion(Definition):
    """What a function is, and of which derivatives those by some of its variables are made.

    Attributes
    ----------
    rules : dict of Symbol to (Expr, tuple of Symbol)
        For a variable the factor and the other variables by which to differentiate instead; none of these is passive.
    passive : frozenset of Symbol
        Variables of the form that are functions of the others: the rules account for them.
    """

    rules: dict[Symbol, tuple[Expr, tuple[Symbol, ...]]]
    passive: frozenset[Symbol]

    @classmethod
    def of(cls, label, form, variables, rules, passive):
        made = cls(label, form, variables)
        made.rules, made.passive = rules, passive
        return made

    def _hashable_content(self):
        return *super()._hashable_content(), tuple(self.rules.items()), tuple(sorted(self.passive, key=str))

    def __reduce__(self):
        return Diffusion.of, (self.label, self.form, self.variables, self.rules, self.passive)

    def rate(self, form, symbol):
        """The derivative of a form by a variable, or by a symbol that is none."""
        if symbol not in self.rules:
            return slope(form, symbol)
        factor, path = self.rules[symbol]
        for other in path:
            form = self.rate(form, other)
        return factor * form


class Diffused(Composite):
    r"""A named function of the means and variances of normals: a mean over these.

    With :math:`G=E\,g(C+\sqrt Qx)` the derivative by Q is :math:`\partial_C^2G/2`, and that by a covariance of two
    normals the mixed derivative by their means (Price's theorem).  The derivative of :math:`\sqrt Q` would make it a
    difference of terms that are larger by powers of :math:`1/\sqrt Q`, and of more of them.

    See Also
    --------
    Diffused.of : from an expression and dictionaries.
    """

    @classmethod
    def of(cls, label: str, form: Expr, values: Mapping[Symbol, Expr],     # type: ignore[override]
           rules: Mapping[Symbol, tuple[Expr, tuple[Symbol, ...]]], passive: frozenset[Symbol]) -> Expr:
        """An expression at values of some of its symbols, ``{symbol: value}``.

        Parameters
        ----------
        label : str
        form : Expr
        values : dict of Symbol to Expr
            Of what the rules name too, whether or not the form holds it.
        rules : dict of Symbol to (Expr, tuple of Symbol)
            The derivative by a variable: a factor, and the variables by which to differentiate in its place.
        passive : frozenset of Symbol
            What is a function of other variables that have rules.
        """
        if free_of(form).isdisjoint(values):
            return form
        read = free_of(form).union(rules, *({*free_of(factor), *path} for factor, path in rules.values()))
        used = [s for s in values if s in read]
        definition = Diffusion.of(label, form, tuple(used), dict(rules), passive)
        return cls(label, definition, Tuple(*(values[s] for s in used)))

    def remade(self, label: str, form: Expr) -> Expr:
        """Another function of the same values, with the same rules."""
        return Diffused.of(label, form, self.values, self.args[1].rules, self.args[1].passive)

    def _eval_derivative(self, symbol):
        terms = [self._rate(symbol)] if symbol in self.others else []
        for variable, value in self.values.items():
            rate = S.Zero if variable in self.args[1].passive else slope(value, symbol)
            if not rate.is_zero:
                terms.append(self._rate(variable) * rate)
        return Add(*terms)

    def _rate(self, symbol: Symbol) -> Any:
        found = self.args[1].rate(self.form, symbol)
        return S.Zero if found.is_zero else self.remade(f"{self.label}_{symbol.name}", found)
