"""The average: an integrand and a measure, one node for Gaussian expectations and spectral means.

Jumps that move: where a derivative has a point mass, and where it forgets one.

Replacement in large expressions respects the variables of averages: equal parts are rewritten once, and parts without
the old ones are skipped.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING

import sympy as sp
from sympy.core.relational import Relational
from sympy.core.sympify import _sympify

from ..errors import DomainError, StructureError
from ..exact import is_zero
from ..once import computed_once, exclusive
from .composite import Composite
from .named import Applied, BoundSymbol, Named, as_expression, bound_symbol, free_of, holds, parts, slope

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Self


def between_jumps(rate):
    """Return a derivative without the point masses of jumps that no variable of an average decides.

    It is right between the jumps; at a jump the caller must raise an error.
    """
    if not holds(rate, (sp.DiracDelta,)):
        return rate
    bound = {s for a in parts(rate, (Average,)) for s in a.bound_symbols}
    masses = [d for d in parts(rate, (sp.DiracDelta,)) if not d.free_symbols & bound]
    return rate.xreplace(dict.fromkeys(masses, sp.Integer(0))) if masses else rate


def refuse_moving_jumps(integrand, symbol, bound):
    """Raise where the place of a jump in the bound variables depends on the symbol.

    Sympy differentiates the branches of a Piecewise and omits the contribution of the moving border. That is right
    for branches that meet, and wrong for a jump.
    """
    for piecewise in parts(integrand, (sp.Piecewise,)):
        if symbol not in free_of(piecewise):
            continue
        borders = [c for _, condition in piecewise.args for c in condition.atoms(Relational)]
        moving = [c for c in borders if symbol in c.free_symbols and c.free_symbols & set(bound)]
        if moving and not all(_meet(piecewise, c, bound) for c in moving):
            raise StructureError(f"averages: {piecewise} jumps at a place that depends on {symbol}; its derivative has "
                                 "a point mass there that is not represented; write the jump with sign(), or as an "
                                 "activation of the argument")


def _meet(piecewise, relation, bound):
    """Return whether the branches on the two sides of a border provably agree there."""
    border = relation.lhs - relation.rhs
    for v in sorted(border.free_symbols, key=lambda v: (v not in bound, str(v))):
        slope = border.diff(v)
        if v not in slope.free_symbols and slope.is_nonzero is not False:
            there = {v: v - border / slope}
            sides = [[(e.subs(there), c.xreplace({relation: side}).subs(there)) for e, c in piecewise.args]
                     for side in (sp.true, sp.false)]
            return is_zero(sp.Piecewise(*sides[0]) - sp.Piecewise(*sides[1]))
    return False


class Measure(sp.Basic):
    """A probability measure that owns its bound symbols.

    Subclasses define closed forms of an integrand (:meth:`close`), the renaming of bound symbols (:meth:`renamed`), and
    their printing, by default in angle brackets with the name of the law (``title``: its letters and parameters, none
    for given eigenvalues) below; ``variable`` and ``described`` are what a legend says of it.
    """

    title: tuple[Any, ...] = ()
    variable, described = "an eigenvalue", "the mean <...>"

    canonical = False   # True: bound symbols are renamed by nesting level

    @property
    def bound_symbols(self) -> tuple[sp.Symbol, ...]:
        """The integration variables, a tuple of symbols."""
        raise TypeError(f"{type(self).__name__} is abstract: a measure must name its bound symbols")

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        return super().free_symbols - set(self.bound_symbols)

    def renamed(self, symbols: Sequence[sp.Symbol]) -> Self:
        """Return the same measure over other bound symbols."""
        return self.xreplace(dict(zip(self.bound_symbols, symbols)))

    def _mean_str(self, integrand, printer):
        name, *numbers = self.title or ("",)
        below = f"_{name}({', '.join(map(printer._print, numbers))})" if name else ""
        return f"<{printer._print(integrand)}>{below}"

    def _mean_latex(self, integrand, printer):
        name, *numbers = self.title or ("",)
        below = rf"_{{\mathrm{{{name}}}({', '.join(map(printer._print, numbers))})}}" if name else ""
        return rf"\left\langle {printer._print(integrand)} \right\rangle{below}"

    #: expressions that are positive where the measure is one
    conditions = ()

    def positivity(self, symbol: sp.Symbol) -> int | None:
        """Return how far a bound symbol is positive: 2 everywhere, 1 on a set of positive measure and nowhere negative,
        0 nowhere negative, None not known."""
        return

    def close(self, integrand: sp.Expr) -> sp.Expr | None:
        """Return the mean in closed form, or None where none is known."""
        return

    def value(self, average: Average, digits: int) -> Any:
        """Evaluate an average without free symbols under this measure; DomainError if it has no rule of its own.
        """
        raise DomainError(f"evalf: {average} is no Gaussian average; use it in a theory and solve that")

    def sized(self, integrand: sp.Expr) -> sp.Expr:
        """Return the mean of a nonnegative integrand, or one as large, with which rounding errors are compared."""
        return Average(integrand, self)

    def resolved(self, integrand: sp.Expr) -> sp.Expr | None:
        """Return the mean in averages under other measures, for which there are rules; None where it stays."""
        return


#: averages by value: equal ones are one object, so that nested ones are compared without their insides
_MADE, _MOST_MADE = {}, 50_000


class Average(sp.Expr):
    r"""The mean of an integrand under a measure, left as it is until it is closed or evaluated.

    Factors that hold no bound symbol are pulled out, sums are not split (a compact sum is one pass
    over a grid), derivatives pass under the sign, and substitution never touches a bound symbol.

    See Also
    --------
    asympkit.E : Gaussian averages.
    asympkit.mean : spectral averages.
    """

    is_commutative = True

    def __new__(cls, integrand: sp.Expr, measure: Measure) -> sp.Expr:
        integrand = as_expression("integrand", integrand)
        if measure.canonical:
            integrand, measure = _canonical(integrand, measure)
        outside, inside = _pull(integrand, set(measure.bound_symbols))
        if inside is sp.S.One or inside.is_zero:
            return outside * inside
        if len(_MADE) >= _MOST_MADE:
            _MADE.clear()
        found = sp.Expr.__new__(cls, inside, measure)
        return outside * _MADE.setdefault(found, found)

    @property
    def integrand(self) -> sp.Expr:
        return self.args[0]

    @property
    def measure(self) -> Measure:
        return self.args[1]

    @property
    def bound_symbols(self) -> tuple[sp.Symbol, ...]:
        return self.measure.bound_symbols

    @computed_once
    def _free(self):
        inside = free_of(self.integrand) | self.measure.free_symbols
        return frozenset(inside - set(self.measure.bound_symbols))

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        return set(self._free)          # sympy queries this often, and its trees do not cache it

    def _eval_is_extended_real(self):
        return True

    def _eval_is_real(self):
        return True

    def _eval_is_positive(self):
        return True if self.integrand.is_positive else None

    def _eval_is_nonnegative(self):
        return True if self.integrand.is_nonnegative else None

    def _eval_is_polynomial(self, syms):
        # for sign queries; sympy would rename all bound variables inside to find the free ones
        return True if self._free.isdisjoint(syms) else None

    def _eval_derivative(self, symbol):
        if symbol in self.measure.bound_symbols:
            return sp.S.Zero
        if symbol in self.measure.free_symbols:
            value = self.measure.close(self.integrand)
            value = self.measure.resolved(self.integrand) if value is None else value
            return None if value is None else value.diff(symbol)
        refuse_moving_jumps(self.integrand, symbol, self.measure.bound_symbols)
        return Average(slope(self.integrand, symbol), self.measure)

    def _eval_subs(self, old, new):
        bound = set(self.measure.bound_symbols)
        if old in bound or (hasattr(old, "free_symbols") and old.free_symbols & bound and old != self):
            return self
        captured = _sympify(new).free_symbols & bound
        integrand, measure = (self._fresh() if captured else self).args
        return Average(integrand._subs(old, new), measure._subs(old, new))

    def _xreplace(self, rule):
        # a bound symbol is invisible from outside, to exact replacement too
        if self in rule:
            return rule[self], True
        if not isinstance(rule, dict):       # sympy's own rewriting passes a rule that is a function
            return super()._xreplace(rule)
        bound = set(self.measure.bound_symbols)
        outer = {old: new for old, new in rule.items() if not old.free_symbols & bound}
        if any(new.free_symbols & bound and self.has(old) for old, new in outer.items()):
            return self._fresh()._xreplace(outer)       # a bound symbol would capture it: rename first
        return super()._xreplace(outer) if outer else (self, False)

    def _fresh(self):
        """Return the same average over bound symbols that are used nowhere else (not in canonical form)."""
        fresh = [BoundSymbol(b.name, real=True) for b in self.measure.bound_symbols]
        integrand = self.integrand.xreplace(dict(zip(self.measure.bound_symbols, fresh)))
        return sp.Expr.__new__(type(self), integrand, self.measure.renamed(fresh))

    def doit(self, **hints: Any) -> sp.Expr:
        """Close the average where a closed form is known; otherwise return it with a closed integrand."""
        integrand = self.integrand.doit(**hints) if hints.get("deep", True) else self.integrand
        closed = self.measure.close(integrand)
        return Average(integrand, self.measure) if closed is None else closed

    def _eval_evalf(self, prec):
        if self.free_symbols:
            return None
        return self._value(int(prec / 3.3219) + 3)           # prec counts bits

    @exclusive
    def _value(self, digits):
        closed = self.doit()
        if not closed.has(Average):
            return sp.N(closed, digits)
        # once each, not at every node of a rule
        inside = {a: a._value(digits + 10) for a in averages(self.integrand) if not a.free_symbols}
        numeric = self.xreplace(inside)
        if not isinstance(numeric, Average):
            return sp.N(numeric, digits)
        return sp.Float(str(numeric.measure.value(numeric, digits + 2)), digits)

    def printed(self):
        """Return the average for printers, its bound symbols renamed if a free symbol inside has the name of one.

        Canonical names depend on the nesting alone, so a parameter ``kappa`` and the bound ``kappa`` of an
        outer average may meet on paper although they differ in memory.
        """
        bound = self.measure.bound_symbols
        visible = _visible(self.integrand, bound)
        if not self.measure.canonical or visible.isdisjoint(b.name for b in bound):
            return self
        levels = (tuple(bound_symbol(level, i) for i in range(len(bound))) for level in count())
        new = next(symbols for symbols in levels if visible.isdisjoint(b.name for b in symbols))
        integrand = self.integrand.xreplace(dict(zip(bound, new)))
        return sp.Expr.__new__(type(self), integrand, self.measure.renamed(new))

    def _sympystr(self, printer):
        shown = self.printed()
        return shown.measure._mean_str(shown.integrand, printer)

    def _latex(self, printer, exp=None):
        shown = self.printed()
        body = shown.measure._mean_latex(shown.integrand, printer)
        return body if exp is None else rf"{body}^{{{exp}}}"


@lru_cache(maxsize=50_000)
def averages(expr):
    """Return the outermost averages in an expression, a tuple, in a reproducible order."""
    found, seen = {}, set()

    def walk(e):
        if e in seen:
            return
        seen.add(e)
        if isinstance(e, Average):
            found[e] = None
        elif isinstance(e, Composite):          # of its form there is a program of its own
            for a in e.args[2]:
                walk(a)
        elif isinstance(e, Named):
            walk(e.expr)
        else:
            for a in sorted(e.args, key=lambda t: t.sort_key()) if isinstance(e, (sp.Add, sp.Mul)) else e.args:
                walk(a)

    walk(expr)
    return tuple(found)


def _visible(expr, own):
    """Return the printed names of the symbols in an expression, bound ones of inner averages too, without its own."""
    if isinstance(expr, Named):
        return {expr.label}
    if isinstance(expr, Average):
        printed = expr.printed()
        if printed is not expr:
            return _visible(printed, own) | {b.name for b in expr.bound_symbols}
    if isinstance(expr, sp.Symbol):
        return set() if expr in own else {expr.name}
    return set().union(*(_visible(a, own) for a in expr.args))


def _inner(expr):
    return [expr] if isinstance(expr, Average) else [x for a in expr.args for x in _inner(a)]


def _levels(average):
    """Return the levels of the bound symbols of an average and of all averages inside it."""
    own = {s.level for s in average.bound_symbols if isinstance(s, BoundSymbol)}
    return own.union(*(_levels(a) for a in _inner(average.integrand)))


def _canonical(integrand, measure):
    """Rename the bound symbols of a measure to the lowest level that captures nothing.

    A level is taken if an average inside depends on the variables renamed, or if one of its symbols
    is free inside; both are properties of the structure, so equal structures get equal names.
    """
    own = measure.bound_symbols
    taken = {s.level for s in integrand.free_symbols if isinstance(s, BoundSymbol) and s not in own}
    for average in _inner(integrand):
        if average.free_symbols & set(own):
            taken |= _levels(average)
    level = min(set(range(len(taken) + 1)) - taken)
    new = tuple(bound_symbol(level, i) for i in range(len(own)))
    if new == own:
        return integrand, measure
    rename = dict(zip(own, new))
    return integrand.xreplace(rename), measure.renamed(new)


def _pull(integrand, bound):
    """Split an integrand into a factor free of the bound symbols and a remainder.

    From sums it splits off the numeric content, the sign and the factors common to all terms.
    """
    outside, inside = [], []
    pending = list(sp.Mul.make_args(integrand))
    while pending:
        factor = pending.pop(0)
        if not factor.free_symbols & bound:
            outside.append(factor)
        elif isinstance(factor, sp.Add):
            common, rest = _common_factors(factor)
            if common:
                pending.extend(common)
            inside.append(rest)
        else:
            inside.append(factor)
    return sp.Mul(*outside), sp.Mul(*inside)


def _common_factors(total):
    """Return the factors common to all terms of a sum, and the sum without them."""
    content, rest = total.primitive()
    common = [] if content is sp.S.One else [content]
    if rest.could_extract_minus_sign():
        common.append(sp.Integer(-1))
        rest = -rest
    terms = [sp.Mul.make_args(t) for t in rest.args]
    shared = [f for f in terms[0] if not f.is_Number and all(f in t for t in terms[1:])]
    if shared:
        rest = sp.Add(*[sp.Mul(*[f for f in t if f not in shared]) for t in terms])
    return common + shared, rest


#: classes rebuilt from their arguments; for others sympy's ``subs`` is used
_REBUILT = sp.Add | sp.Mul | sp.Pow | sp.Function | Applied


def replaced(expr, rule):
    """Return ``expr.xreplace(rule)``, visiting shared parts once where that visits every copy.

    A new part may hold only symbols of the old one, or symbols that occur nowhere else, so that no average can capture
    them.
    """
    needs, known = [old.free_symbols for old in rule], {}

    def walk(e):
        if e not in known:
            known[e] = changed(e)
        return known[e]

    def changed(e):
        if e in rule:
            return rule[e]
        if not e.args or _holds_none(e, needs):
            return e
        if isinstance(e, Average):
            bound = set(e.bound_symbols)
            outer = {old: new for old, new in rule.items() if not old.free_symbols & bound}
            if len(outer) < len(rule):
                return replaced(e, outer) if outer else e
        args = [walk(a) for a in e.args]
        return e if all(a is b for a, b in zip(args, e.args)) else rebuilt(e, args)

    return walk(expr)


def _holds_none(expr, needs):
    """Return whether the cached free symbols of an expression prove that it holds no old part."""
    return isinstance(expr, Average | Named) and not any(n <= expr._free for n in needs)


def put(expr, values):
    """Return ``expr.subs(values, simultaneous=True)`` for symbols: changed named expressions lose their names."""
    free = free_of(expr)
    used = {s: v for s, v in values.items() if s in free and s != v}
    return _put(expr, tuple(used.items())) if used else expr


@lru_cache(maxsize=100_000)
def _put(expr, pairs):
    """Substitute as :func:`put` for pairs of symbols, all in the expression, and values."""
    values = dict(pairs)
    if isinstance(expr, sp.Symbol):
        return values[expr]
    if isinstance(expr, Named):
        if expr.has_own_rates and expr.others.isdisjoint(values):
            return expr.at(put(v, values) for v in expr.values.values())
        return put(expr.expr, values)
    if isinstance(expr, Average):
        bound = set(expr.bound_symbols)
        if any(free_of(v) & bound for v in values.values()):
            expr = expr._fresh()                    # rename its variables to avoid capture
        return Average(put(expr.integrand, values), expr.measure.subs(values, simultaneous=True))
    if isinstance(expr, _REBUILT) and not isinstance(expr, sp.Piecewise):
        return expr.func(*(put(a, values) for a in expr.args))
    return expr.subs(values, simultaneous=True)


def rebuilt(expr, args):
    """Return a function of other arguments; absolute values of what sympy does not know to be real stay unevaluated."""
    if isinstance(expr, sp.Abs) and not (args[0].is_number or args[0].is_extended_real):
        return sp.Abs(args[0], evaluate=False)
    return expr.func(*args)
