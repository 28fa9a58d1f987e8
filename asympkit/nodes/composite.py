"""Named functions, opaque to traversals: equations in which they occur in many places stay short."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from sympy import Add, AtomicExpr, Expr, S, Symbol, Tuple
from sympy.core.symbol import Str

from .named import Named
from .slopes import slope
from .walks import free_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

__all__ = ["Composite", "Tabled", "holds_within"]


class Definition(AtomicExpr):
    """The definition of a function: an expression, some symbols of which are its variables."""

    is_commutative = True
    form: Expr

    def __new__(cls, label, form, variables):
        made = AtomicExpr.__new__(cls)
        made.label, made.form, made.variables = label, form, variables
        return made

    def _hashable_content(self):
        return self.label, self.form, self.variables

    def __getnewargs__(self):
        return self.label, self.form, self.variables

    @cached_property
    def others(self):
        """Its symbols that are no variables."""
        return free_of(self.form) - set(self.variables)

    def _sympystr(self, printer):
        return f"{self.label}({', '.join(map(str, self.variables))})"


class Composite(Named):
    """A named function of named quantities.

    An average often depends on many unknowns through few quantities: its derivatives by the unknowns are then the
    derivatives by these, each named and computed once, times derivatives of the quantities.

    Parameters
    ----------
    label : str
        A Python identifier.
    definition : Definition
    values : Tuple
        Values of the variables.

    See Also
    --------
    Composite.of : from an expression and a dictionary.
    """

    has_own_rates = True

    def __new__(cls, label: str, definition: Any, values: Tuple) -> Expr:
        return Expr.__new__(cls, label if isinstance(label, Str) else Str(label), definition, values)

    @classmethod
    def of(cls, label: str, form: Expr, values: Mapping[Symbol, Expr]) -> Expr:
        """Make the expression at values of some of its symbols, ``{symbol: value}``."""
        used = [s for s in values if s in free_of(form)]
        if not used:
            return form
        return cls(label, Definition(label, form, tuple(used)), Tuple(*(values[s] for s in used)))

    @property
    def form(self) -> Expr:
        """The function, as an expression in its variables."""
        return self.args[1].form

    def remade(self, label: str, form: Expr) -> Expr:
        """Make another function of the same values."""
        return Composite.of(label, form, self.values)

    @property
    def others(self) -> frozenset[Symbol]:
        """Symbols of the form that are no variables."""
        return self.args[1].others

    def at(self, values: Iterable[Expr]) -> Expr:
        """Return the same function at other values, in the order of its variables."""
        return self.func(*self.args[:2], Tuple(*values))

    @property
    def values(self) -> dict[Symbol, Expr]:
        """Values of the variables."""
        return dict(zip(self.args[1].variables, self.args[2]))

    @cached_property
    def expr(self) -> Expr:
        return self.form.xreplace(self.values)

    @cached_property
    def _free(self):
        return self.args[1].others.union(*map(free_of, self.args[2]))

    def _eval_is_extended_real(self):
        return True                     # its sign is not sought: sympy would search all of the form

    _eval_is_real = _eval_is_extended_real

    def _eval_is_positive(self):
        return None

    _eval_is_nonnegative = _eval_is_positive

    def _eval_derivative(self, symbol):
        terms = [self._rate(symbol)] if symbol in self.others else []
        for variable, value in self.values.items():
            rate = slope(value, symbol)
            if not rate.is_zero:
                terms.append(self._rate(variable) * rate)
        return Add(*terms)

    def _rate(self, symbol):
        found = slope(self.form, symbol)
        return S.Zero if found.is_zero else self.remade(f"{self.label}_{symbol.name}", found)

    def doit(self, **hints: Any) -> Expr:
        return Named(self.label, self.expr.doit(**hints))


class Tabled(Named):
    """A named expression that loops read from a table over a variable.

    Parameters
    ----------
    label : str
    definition : Definition
    variable : Symbol

    See Also
    --------
    Tabled.of : from a named expression.
    """

    def __new__(cls, label: str, definition: Any, variable: Symbol) -> Expr:
        return Expr.__new__(cls, label if isinstance(label, Str) else Str(label), definition, variable)

    @classmethod
    def of(cls, named: Named, variable: Symbol) -> Expr:
        """Make a named expression that is interpolated from a table over a variable."""
        return cls(named.label, Definition(named.label, named.expr, (variable,)), variable)

    @cached_property
    def expr(self) -> Expr:
        definition = self.args[1]
        return definition.form.xreplace({definition.variables[0]: self.args[2]})

    @cached_property
    def _free(self):
        return self.args[1].others | {self.args[2]}

    def written_out(self) -> Named:
        """Return the same as a plain named expression."""
        return Named(self.label, self.expr)


@lru_cache(maxsize=200_000)
def holds_within(expr, kinds):
    """Return whether a part, inside names too, is of one of some classes, as :func:`~.walks.holds`."""
    if isinstance(expr, kinds):
        return True
    if isinstance(expr, Composite):
        return holds_within(expr.form, kinds) or any(holds_within(v, kinds) for v in expr.args[2])
    if isinstance(expr, Tabled):
        return holds_within(expr.args[1].form, kinds)
    return any(holds_within(a, kinds) for a in expr.args)
