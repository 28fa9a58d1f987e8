"""Split integrands by stage: what holds no unknown becomes table columns, the rest stays in the loop."""

from contextlib import suppress

from sympy import Abs, Add, Expr, Float, Integer, Mul, Piecewise, Pow, Symbol
from sympy.core.function import Application
from sympy.core.relational import Relational

from ..errors import DomainError, StructureError
from ..gauss.measure import Gaussian, Shifted
from ..nodes import (
    Applied,
    Average,
    Composite,
    Named,
    Tabled,
    free_of,
    holds,
    put,
    rebuilt,
    remove_names,
    replaced,
    slope,
)
from ..numbers.functions import entry
from ..numbers.functions.classes import Proximal
from ..properties.cells import critical_points
from ..spectra import GRIDDED, Kept, write_by_rules
from ..spectra.compression import Eigenvalues
from ..spectra.law import Angle
from .names import slug
from .statements import Grid, InnerSum, Means, Provenance, Scalar, ScalarMap
from .symmetry import Direction

#: normal variables of one average, those of an average inside it not counted
MOST_VARIABLES = 3


class GridBuilder:
    """Columns and preparation of one grid, grown as integrands are lowered."""

    def __init__(self, measure, names, table_parameters, is_inner=False):
        self.names = names
        self.table_parameters = set(table_parameters)
        self._noted = set()          # expressions whose kinks are known
        self._base = {}              # named expression or inner average -> symbol of its column
        if isinstance(measure, Gaussian):
            if len(measure.bound_symbols) > MOST_VARIABLES:
                raise StructureError(f"averages: {', '.join(map(str, measure.bound_symbols))} are "
                                     f"{len(measure.bound_symbols)} normal variables of one average; a solver takes "
                                     f"at most {MOST_VARIABLES}: close some of them (.doit()), or write sums of "
                                     "normals as one")
            self.grid = Grid(*self._named(measure), given=False, is_inner=is_inner,
                             is_shifted=isinstance(measure, Shifted))
        elif isinstance(measure, Eigenvalues):
            _, bound = self._named(measure)
            arrays = tuple(b.name for b in measure.bound_symbols)
            self.grid = Grid(names.claim("eigenvalues"), bound, given=True, arrays=arrays, is_inner=is_inner)
        elif isinstance(measure, Angle):
            self.grid = Grid(*self._named(measure), given=False, is_inner=is_inner, is_angle=True)
        elif isinstance(measure, Kept):
            self.grid = Grid(*self._named(measure), given=False, is_inner=is_inner, law=measure.law)
        else:
            raise StructureError(f"averages: no grid is known for {type(measure).__name__}")

    def _named(self, measure):
        """Return symbols for the variables of a measure, which another grid may have too, and the label of the
        first."""
        bound = tuple(self.names.fresh(b.name, **b.assumptions0) for b in measure.bound_symbols)
        return bound[0].name, bound

    def local(self, integrand, measure):
        """Return an integrand over the grid's own bound symbols."""
        return replaced(integrand, dict(zip(measure.bound_symbols, self.grid.bound)))

    def note_kinks(self, expr):
        """Remember the kinks in the bound variable that no other symbol moves."""
        if self.grid.given or expr in self._noted:
            return
        self._noted.add(expr)
        free = free_of(expr)
        own = len(free) == 1 and free <= set(self.grid.bound)
        if own and isinstance(expr, Relational):
            expr = Abs(expr.lhs - expr.rhs)
        # what switches with the value of an average has no place that is known beforehand
        known = entry(type(expr).__name__) if own and not expr.has(Average) else None
        if known is not None and known.is_kinked:
            (z,) = expr.free_symbols
            with suppress(DomainError):         # infinitely many: the rule has to do without
                here = self.grid.kinks.setdefault(z, {}) if self.grid.is_product else self.grid.kinks
                here.update(dict.fromkeys(critical_points(expr, z)))
        else:
            for a in expr.args:
                self.note_kinks(a)

    def is_table(self, expr):
        """Return whether an expression can be tabulated: it varies over the grid and holds no unknown."""
        free = expr.free_symbols
        bound = set(self.grid.bound)
        return bool(free & bound) and free <= bound | self.table_parameters and not holds_plain_average(expr)

    def column(self, expr):
        """Return the symbol of the column that holds a tabulated expression."""
        expr = self.base_form(expr)
        if expr not in self.grid.columns:
            if isinstance(expr, Symbol):
                self.grid.columns[expr] = expr
            else:
                self.grid.columns[expr] = self.names.fresh(slug(expr))
        return self.grid.columns[expr]

    def base_form(self, expr):
        """Rewrite a tabulated expression in base columns, adding the columns it needs to the preparation."""
        if expr in self._base:
            return self._base[expr]
        if isinstance(expr, Tabled) and not expr.expr.has(Applied, Average):
            self._note_line(expr.expr)
        if isinstance(expr, Named) and not self.grid.is_product and expr.has(Average, Applied, Tabled):
            form = self.base_form(expr.expr)
            symbol = self.names.fresh(expr.label)
            self.grid.preparation.append(Scalar(symbol, form))
            self._base[expr] = symbol
            return symbol
        if isinstance(expr, Named):
            return self.base_form(expr.expr)
        if isinstance(expr, Average):
            return self._inner_mean(expr)
        if isinstance(expr, Applied):
            return self._value(expr)
        if not expr.args:
            return expr
        return expr.func(*[self.base_form(a) for a in expr.args])

    def _note_line(self, form):
        """Remember a tabulated line of the integration variable: functions of it have kinks where it passes 0."""
        if not self.grid.given and not self.grid.is_product:
            rate = slope(form, self.grid.bound[0])
            if not rate.is_zero and self.grid.bound[0] not in rate.free_symbols:
                self.grid.lines[form] = None

    def _inner_mean(self, average):
        """Register an inner Gaussian mean of functions of one activation with affine argument."""
        (z,) = average.bound_symbols
        found = _applied_to(average.integrand, z)
        if len({(a.label, a.argument, a.order) for a in found}) != 1:
            raise StructureError(f"tables: {average} must hold one activation, at one argument; got "
                                 f"{', '.join(sorted(map(str, found))) or 'none'}")
        applied = next(iter(found))
        argument = applied.argument
        width = slope(argument, z)
        if z in width.free_symbols:
            raise StructureError(f"tables: the argument {argument} must be affine in {z}")
        offset, width = self._known(put(argument, {z: Integer(0)})), self._known(width)
        self.names.activations([applied.label])
        value = self._once(("value", argument, applied.order), "s")
        inner = self._once("z", "z")
        functional = self.base_form(average.integrand.xreplace({applied: value, z: inner}))
        symbol = self.names.fresh("mean")
        self.grid.preparation.append(Means(applied.label, offset, width, inner, value,
                                           ((symbol, functional),), applied.order))
        self._base[average] = symbol
        return symbol

    def _known(self, expr):
        """Return what an argument is made of: averages in it are made before."""
        return self.base_form(expr) if expr.has(Average) else remove_names(expr)

    def _value(self, applied):
        """Register an activation at the node itself: a mean without spread."""
        if self.grid.given or self.grid.is_angle or self.grid.is_inner or self.grid.law is not None:
            what = "an average inside another one" if self.grid.is_inner else "an average over a spectral law"
            raise StructureError(f"tables: {applied} is taken at the variable of {what}, where functions of the theory "
                                 "have no table; put a particular function in its place (asympkit.nodes.bind)")
        self._check_argument(applied)
        self.names.activations([applied.label])
        value, inner = self._once(("value", applied.argument, applied.order), "s"), self._once("z", "z")
        symbol = self.names.fresh(applied.label)
        self.grid.preparation.append(Means(applied.label, remove_names(applied.argument), Integer(0), inner, value,
                                           ((symbol, value),), applied.order))
        self._base[applied] = symbol
        return symbol

    def _check_argument(self, applied):
        """Refuse an argument other than one variable of the average, shifted and scaled by parameters."""
        free, bound = applied.argument.free_symbols, set(self.grid.bound)
        if len(free & bound) != 1 or applied.argument.diff(*free & bound).free_symbols & bound:
            raise StructureError(f"tables: the argument {applied.argument} of {applied.label} must be affine in one of "
                                 f"{', '.join(map(str, self.grid.bound))}; write it as a function of a variable of the "
                                 "average, or put a particular function in its place (asympkit.nodes.bind)")
        if moved := free - bound - self.table_parameters:
            raise StructureError(f"tables: {applied} holds {', '.join(sorted(s.name for s in moved))}, which is not "
                                 "known before the equations are solved: a function of the theory is tabulated once, "
                                 "at a + b*z with parameters a and b; put a particular function in its place "
                                 "(asympkit.nodes.bind)")

    def add_direction(self, average, unknown):
        """Note a mean whose direction alone counts, with what its rounding is judged by."""
        mean = self.base_form(average)
        step = next(s for s in self.grid.preparation if mean in s.outputs)
        known = self._square_by_parts(step)
        if known is None:
            size = self.base_form(Average(average.integrand**2, average.measure))
        else:
            size = self.names.fresh("mean_square")
            self.grid.preparation.append(Scalar(size, known))
        offset = Abs(step.offset)
        shift = Scalar(self.names.fresh("shift"), offset / (offset + step.slope + Float("1e-300")))      # never 0/0
        self.grid.directions.append(Direction(mean, size, shift, unknown))

    def _square_by_parts(self, step):
        """Write the mean square of an activation by that about its regression line, if it is tabulated.

        E s^2 = E (s - a - b z)^2 + a^2 + b^2 with a = E s and b = E z s: no passes over its samples, no cancellation.
        """
        if [form for _, form in step.items] != [step.value]:
            return None
        scalars = {s.symbol: s.expr for s in self.grid.preparation if isinstance(s, Scalar)}
        alike = [(m, f) for s in self.grid.preparation if isinstance(s, Means) and (s.label, s.order, s.offset, s.slope)
                 == (step.label, step.order, step.offset, step.slope) for m, f in s.items]
        means = {f: m for m, f in alike}
        for variance, form in alike:
            if not (isinstance(form, Pow) and form.exp == 2):
                continue
            line = step.value - form.base
            height, slope = line.subs(step.z, 0), line.diff(step.z)
            if [_written_out(e, scalars) for e in (height, slope)] == [means.get(step.value),
                                                                      means.get(step.value * step.z)]:
                return variance + height**2 + slope**2
        return None

    def _once(self, key, label):
        if key not in self._base:
            self._base[key] = self.names.fresh(label)
        return self._base[key]

    def merged_preparation(self):
        """Merge consecutive compatible means of the preparation: one pass per activation and level."""
        steps, level = [], {}
        for step in self.grid.preparation:
            if isinstance(step, Scalar):
                own = max((level.get(s, 0) for s in step.expr.free_symbols), default=0)
            else:
                needs = set().union(step.offset.free_symbols, step.slope.free_symbols,
                                    *(f.free_symbols for _, f in step.items))
                own = 1 + max((level.get(s, 0) for s in needs), default=0)
            for s in step.outputs:
                level[s] = own
            steps.append((own, step))
        merged = []
        for own in sorted({n for n, _ in steps}):
            here = [s for n, s in steps if n == own]
            groups = {}
            for s in here:
                if isinstance(s, Means):
                    groups.setdefault((s.label, s.order, s.offset, s.slope), []).append(s)
            for group in groups.values():
                g = group[0]
                merged.append(Means(g.label, g.offset, g.slope, g.z, g.value,
                                    tuple(i for m in group for i in m.items), g.order))
            merged += [s for s in here if isinstance(s, Scalar)]
        return merged


def scalar_map(arguments, outputs, names):
    """Lower expressions by name that hold means of activations, and no unknown, to a :class:`ScalarMap`."""
    builder = GridBuilder(Gaussian(names.fresh("node")), names, arguments)
    forms = tuple((name, builder.base_form(e)) for name, e in outputs.items())
    return ScalarMap(tuple(arguments), tuple(builder.merged_preparation()), forms)


class LoopBody:
    """Lower integrands of one pass over a grid: columns, locals, reciprocals.

    ``names(label, key)`` gives the symbol of a local, ``inner(measure)`` the builder of the grid of an average inside.
    """

    def __init__(self, builder, names, inner):
        self.builder, self.names, self.inner = builder, names, inner
        self.locals, self.origins = [], {}
        self._done = {}

    def lower(self, expr):
        """Return the integrand in columns, locals and scalars."""
        if expr in self._done:
            return self._done[expr]
        form = self._lower(expr)
        self._done[expr] = form
        return form

    def _lower(self, expr):
        b = self.builder
        if b.is_table(expr):
            return b.column(expr)
        if isinstance(expr, Applied):
            return b.base_form(expr)        # refused: its argument is no table
        if not expr.free_symbols & set(b.grid.bound):
            return remove_names(expr)             # a number at all nodes
        if isinstance(expr, Composite):
            return self._composite(expr)
        if isinstance(expr, Named):
            return self._local(expr.label, self.lower(expr.expr), expr)
        if isinstance(expr, Average):
            if not isinstance(expr.measure, GRIDDED):
                return self.lower(write_by_rules(expr))
            return self._local("mean", self._inner_sum(expr), expr)
        if isinstance(expr, Piecewise):
            return Piecewise(*[(self.lower(value), self._condition(when)) for value, when in expr.args],
                             evaluate=False)
        if isinstance(expr, Mul):
            table = [a for a in expr.args if b.is_table(a)]
            rest = [self.lower(a) for a in expr.args if a not in table]
            return Mul(*rest, b.column(Mul(*table))) if table else Mul(*rest)
        if isinstance(expr, Add):
            return Add(*[self.lower(a) for a in expr.args])
        if isinstance(expr, Pow) and isinstance(expr.exp, Integer) and expr.exp < 0:
            inverse = self._local("inv", 1 / self.lower(expr.base), ("inverse", expr.base))
            return inverse ** (-expr.exp)
        if isinstance(expr, Proximal) and (by_slope := expr.by_slope()) is not None:
            return self.lower(by_slope)
        form = rebuilt(expr, [self.lower(a) for a in expr.args])
        if isinstance(expr, Proximal):
            return self._local("prox", form, expr)          # mostly a root: computed once at every node
        if b.grid.is_product and isinstance(expr, Application):
            return self._local("value", form, expr)          # over so many nodes functions are computed once
        return form

    def _condition(self, expr):
        if not expr.args:
            return expr
        part = self.lower if isinstance(expr, Relational) else self._condition
        return expr.func(*[part(a) for a in expr.args])

    def _composite(self, expr, values=None):
        """Return a function of few quantities, each a local of the pass or a column: what it is made of is made
        once."""
        if expr not in self._done:
            at = {s: self._value(s.name, self.lower(v) if values is None else values(v))
                  for s, v in expr.values.items()}
            form = _Form(self, at)(expr.form)
            self._done[expr] = form if form.is_Symbol or form.is_number else self._local(expr.label, form, expr)
            definition = expr.args[1]
            if getattr(definition, "source", None) is not None and self._done[expr].is_Symbol:
                self.origins[self._done[expr]] = Provenance(definition.source, definition.orders, definition.factor, at)
        return self._done[expr]

    def _value(self, label, form):
        return form if form.is_Symbol or form.is_number else self._local(label, form, ("value", form))

    def _inner_sum(self, average):
        """Return an average inside the integrand as a sum at every node; what it takes of the node are base columns."""
        integrand = remove_names(self._taken_out(average) if average.has(Applied, Tabled) else average.integrand)
        if integrand.has(Applied):
            raise StructureError(f"averages: {average} stands inside another average and holds an unknown and an "
                                 "unspecified activation; bind() a particular one")
        if integrand.has(Average):
            raise StructureError(f"averages: {average} is the second average inside an average and holds another one; "
                                 "a solver takes one inside one: close it (.doit()), or write averages that stand in "
                                 "no function as one over several variables")
        return self._sum_inside(integrand, average.measure)

    def _sum_inside(self, integrand, measure):
        inner = self.inner(measure)
        form = inner.local(integrand, measure)
        for symbol in sorted(form.free_symbols & {*self.builder.grid.bound, *inner.grid.bound}, key=str):
            (inner if symbol in inner.grid.bound else self.builder).column(symbol)
        return InnerSum(form, inner.grid.name, inner.grid.bound)

    def _taken_out(self, average):
        """Replace the largest parts of an integrand that hold no variable of its own by columns and locals of the outer
        pass: means of activations are taken at the nodes of one grid, and functions of them are evaluated once."""
        own, around = set(average.bound_symbols), set(self.builder.grid.bound)

        def out(expr):
            if not expr.free_symbols & around:
                return expr
            form = self.lower(expr)
            return form if form.is_Symbol or form.is_number else self._local("outer", form, ("outer", expr))

        def walk(expr):
            if not expr.free_symbols & own:
                return out(expr) if isinstance(expr, Expr) else expr.func(*map(walk, expr.args)) if expr.args else expr
            if isinstance(expr, Average) or not expr.args:
                return expr
            if isinstance(expr, Named):
                return walk(expr.expr)
            if isinstance(expr, Mul | Add):
                mine = [a for a in expr.args if a.free_symbols & own]
                rest = [a for a in expr.args if not a.free_symbols & own]
                return expr.func(out(expr.func(*rest)), *map(walk, mine)) if rest else expr.func(*map(walk, mine))
            return expr.func(*map(walk, expr.args))

        return walk(average.integrand)

    def _local(self, label, form, key):
        if key not in self._done:
            symbol = self.names(label, key)
            self.locals.append((symbol, form))
            self._done[key] = symbol
        return self._done[key]


class _Form:
    """Lower the form of a composite at values of its variables that are lowered: symbols and numbers."""

    def __init__(self, body, at):
        self.body, self.at, self.known = body, at, {}

    def __call__(self, expr):
        if not free_of(expr) & self.at.keys() and not holds(expr, (Average,)):
            return expr
        if expr not in self.known:
            self.known[expr] = self._found(expr)
        return self.known[expr]

    def _found(self, expr):
        if isinstance(expr, Symbol):
            return self.at[expr]
        if isinstance(expr, Composite):
            at = (self(v) if isinstance(v, Composite) else v.xreplace(self.at) for v in expr.values.values())
            return self.body._composite(expr.at(at), self._as_it_is)
        if isinstance(expr, Named):
            return self(expr.expr)
        if isinstance(expr, Average):
            return self._sums(expr.xreplace(self.at))
        if isinstance(expr, Piecewise):
            return expr.xreplace(self.at)
        form = expr.func(*map(self, expr.args))
        return self.body._local("value", form, form) if isinstance(form, Application) else form

    def _sums(self, expr):
        """Return an average at the values, or its product with the factors that leave it there."""
        if not isinstance(expr, Average):
            return expr.func(*map(self._sums, expr.args)) if expr.has(Average) else expr
        integrand = remove_names(expr.integrand)
        shorter = {e: e.by_slope() for e in integrand.atoms(Proximal)}
        integrand = integrand.xreplace({e: form for e, form in shorter.items() if form is not None})
        return self.body._local("mean", self.body._sum_inside(integrand, expr.measure), expr)

    @staticmethod
    def _as_it_is(expr):
        return expr


def _applied_to(expr, z):
    """Return unspecified functions of a variable, not counting averages inside that bind it themselves."""
    if isinstance(expr, Average) and z in expr.bound_symbols:
        return set()
    if isinstance(expr, Applied):
        return {expr} if z in expr.free_symbols else set()
    return set().union(*(_applied_to(a, z) for a in expr.args))


def _written_out(expr, scalars):
    """Return an expression with scalars put into it until there is none."""
    while expr.free_symbols & scalars.keys():
        expr = expr.xreplace(scalars)
    return expr


def holds_plain_average(expr):
    """Return whether an average of known functions stands in an expression: one that is no table of an activation."""
    return any(not a.has(Applied) for a in expr.atoms(Average)) if hasattr(expr, "atoms") else False
