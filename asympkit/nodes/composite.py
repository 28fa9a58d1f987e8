"""Named functions, opaque to traversals: equations in which they occur in many places stay short.

Named functions that are means over normals, with the derivatives by variances that the heat equation gives them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sympy import Add, AtomicExpr, Expr, Mul, S, Symbol, Tuple
from sympy.core.symbol import Str

from ..once import computed_once
from .named import Named, free_of, slope

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


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

    @computed_once
    def others(self):
        """Return its symbols that are no variables."""
        return free_of(self.form) - set(self.variables)

    def _sympystr(self, printer):
        return f"{self.label}({', '.join(map(str, self.variables))})"


class Composite(Named):
    """A named function of named quantities; made with :meth:`of`, from an expression and a dictionary.

    An average often depends on many unknowns through few quantities: its derivatives by the unknowns are then the
    derivatives by these, each named and computed once, times derivatives of the quantities.
    """

    has_own_rates = True

    def __new__(cls, label: str, definition: Any, values: Tuple) -> Expr:
        return cls._made(label if isinstance(label, Str) else Str(label), definition, values)

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

    @computed_once
    def expr(self) -> Expr:
        return self.form.xreplace(self.values)

    @computed_once
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
    """A named expression that loops read from a table over a variable; made with :meth:`of`."""

    def __new__(cls, label: str, definition: Any, variable: Symbol) -> Expr:
        return cls._made(label if isinstance(label, Str) else Str(label), definition, variable)

    @classmethod
    def of(cls, named: Named, variable: Symbol) -> Expr:
        """Make a named expression that is interpolated from a table over a variable."""
        return cls(named.label, Definition(named.label, named.expr, (variable,)), variable)

    @computed_once
    def expr(self) -> Expr:
        definition = self.args[1]
        return definition.form.xreplace({definition.variables[0]: self.args[2]})

    @computed_once
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


if TYPE_CHECKING:
    from collections.abc import Mapping

    Rules = Mapping[Symbol, tuple[Expr, tuple[Symbol, ...]]]


class Diffusion(Definition):
    """A function's definition, with rules that write derivatives by some variables through derivatives by others.

    ``rules`` give for a variable the factor and the other variables by which to differentiate instead, none of them in
    ``passive``: variables of the form that are functions of the others, which the rules account for.  ``root`` is the
    label and form of the function that this one is a derivative of, ``orders`` the variables of differentiation, in a
    canonical order: mixed derivatives are the same expression; ``factor`` that of this derivative, without numbers.
    ``source`` is the integrand whose mean the root is, where its form is a closed one; for bounds.
    """

    rules: Rules
    passive: frozenset[Symbol]
    root: tuple[str, Expr]
    orders: tuple[Symbol, ...]
    factor: Expr
    source: Any

    @classmethod
    def of(cls, label, form, variables, rules, passive, root=None, orders=(), factor=S.One, source=None):
        made = cls(label, form, variables)
        made.rules, made.passive, made.root, made.orders = rules, passive, root or (label, form), orders
        made.factor, made.source = factor, source
        return made

    def _hashable_content(self):
        # sympy orders contents by <, which sources lack
        more = self.root, self.orders, self.factor, tuple(sorted(self.passive, key=str)), hash(self.source)
        return *super()._hashable_content(), tuple(self.rules.items()), *more

    def __reduce__(self):
        return Diffusion.of, (self.label, self.form, self.variables, self.rules, self.passive, self.root, self.orders,
                              self.factor, self.source)

    def path(self, symbol):
        """Return ``(factor, variables)``: the derivative by a variable as a multiple of one by others."""
        if symbol not in self.rules:
            return S.One, (symbol,)
        factor, path = self.rules[symbol]
        steps = [self.path(other) for other in path]
        return Mul(factor, *(f for f, _ in steps)), tuple(s for _, part in steps for s in part)


def read(form: Expr, rules: Rules) -> set[Symbol]:
    """Return the variables of which a form, or one of its derivatives by rules, is a function."""
    return free_of(form).union(rules, *({*free_of(factor), *path} for factor, path in rules.values()))


class Diffused(Composite):
    r"""A named function of the means and variances of normals: a mean over these; made with :meth:`of`.

    With :math:`G=E\,g(C+\sqrt Qx)` the derivative by Q is :math:`\partial_C^2G/2`, and that by a covariance of two
    normals the mixed derivative by their means (Price's theorem).  The derivative of :math:`\sqrt Q` would make it a
    difference of terms that are larger by powers of :math:`1/\sqrt Q`, and of more of them.
    """

    @classmethod
    def of(cls, label: str, form: Expr, values: Mapping[Symbol, Expr],     # type: ignore[override]
           rules: Rules, passive: frozenset[Symbol], source: Any = None) -> Expr:
        """Make an expression at values of some of its symbols, ``{symbol: value}``, those of the rules included.

        Rules are ``{variable: (factor, variables by which to differentiate in its place)}``; ``passive`` are functions
        of other variables that have rules; ``source`` is the integrand whose mean it is, for bounds.
        """
        if free_of(form).isdisjoint(values):
            return form
        used = tuple(s for s in values if s in read(form, rules))
        definition = Diffusion.of(label, form, used, dict(rules), passive, source=source)
        return cls(label, definition, Tuple(*(values[s] for s in used)))

    def remade(self, label: str, form: Expr) -> Expr:
        """Make another function of the same values, with the same rules."""
        return Diffused.of(label, form, self.values, self.args[1].rules, self.args[1].passive)

    def rate(self, variable: Symbol) -> Expr:
        """Return the derivative by one of its variables, at the same values."""
        return S.Zero if variable not in self.values else self._rate(variable)

    def _eval_derivative(self, symbol):
        terms = [self._rate(symbol)] if symbol in self.others else []
        for variable, value in self.values.items():
            rate = S.Zero if variable in self.args[1].passive else slope(value, symbol)
            if not rate.is_zero:
                terms.append(self._rate(variable) * rate)
        return Add(*terms)

    def _rate(self, symbol: Symbol) -> Any:
        mine = self.args[1]
        factor, path = mine.path(symbol)
        number, factor = factor.as_coeff_Mul()
        orders = tuple(sorted((*mine.orders, *path), key=lambda s: s.name))
        label, form = mine.root
        for s in orders:
            form = slope(form, s)
        factor *= mine.factor
        form, label = factor * form, f"{label}_{''.join(s.name for s in orders)}"
        if form.is_zero or free_of(form).isdisjoint(mine.variables):
            return number * form
        values = {s: v for s, v in self.values.items() if s in read(form, mine.rules)}
        definition = Diffusion.of(label, form, tuple(values), mine.rules, mine.passive, mine.root, orders, factor,
                                  mine.source)
        return number * Diffused(label, definition, Tuple(*values.values()))
