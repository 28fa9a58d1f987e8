"""Lower scalar expressions with averages to levelled statements: sums in as few passes as possible.

The level of a sum is one more than the latest scalar it needs; all sums of a level over the same
grid share one pass.

Functions of some numbers through inner unknowns: their equations are solved where they are called.

A system that holds such functions is lowered as if they were known (:class:`Through`); then a statement that computes
them with their derivatives is put before the first use.  What they are made of is lowered once, not its derivatives.
"""

from dataclasses import dataclass
from functools import cache

from sympy import Add, Function, Integer, Max, Min

from ..gauss.measure import Gaussian
from ..nodes import Applied, Average, Named, averages, free_of, named_parts, slope
from ..spectra import GRIDDED, write_by_rules
from .grids import GridBuilder, LoopBody
from .passes import shared_parts
from .statements import Scalar, Sums


class LoweringContext:
    """The state that all segments of a program share: names, grids, and the names already given to locals."""

    def __init__(self, names, table_parameters):
        self.names = names
        self.table_parameters = table_parameters
        self.builders = {}
        self._named = {}
        self._sums = {}

    def builder(self, measure, is_inner=False):
        """Return the builder of the grid of a measure; grids of averages inside averages are others."""
        key = kind_of(measure), is_inner
        if key not in self.builders:
            self.builders[key] = GridBuilder(measure, self.names, self.table_parameters, is_inner)
        return self.builders[key]

    def inner(self, measure):
        """Return the builder of the grid of an average inside an average."""
        return self.builder(measure, is_inner=True)

    def named(self, label, key):
        """Return the symbol of a named expression: the same one in every segment."""
        if key not in self._named:
            self._named[key] = self.names.fresh(label)
        return self._named[key]

    def sum_symbol(self, key):
        if key not in self._sums:
            self._sums[key] = self.names.fresh(f"E{len(self._sums) + 1}")
        return self._sums[key]


def kind_of(measure):
    """Return the common part of averages that share a grid."""
    if isinstance(measure, Gaussian):
        return type(measure).__name__, len(measure.bound_symbols)
    return measure


class Segment:
    """One straight stretch of a program, between two Newton solves; statements may be added in any order."""

    def __init__(self, context):
        self.context = context
        self.items = []          # scalars and linear solutions
        self.sums = {}           # symbol -> (builder, raw integrand, average)
        self._cache, self._made = {}, {}

    def add(self, symbol, expr, note=""):
        """Append ``symbol = expr``."""
        return self._set(symbol, self.lower(expr), note)

    def _set(self, symbol, form, note=""):
        known = self._made.setdefault(form, symbol)
        self.items.append(Scalar(symbol, form if known == symbol else known, note))
        return symbol

    def add_new(self, label, expr, note=""):
        """Return the symbol of an expression, a new one where none has its value yet."""
        form = self.lower(expr)
        known = form if form.is_Symbol else self._made.get(form)
        return known or self._set(self.context.names.fresh(label), form, note)

    def lower(self, expr):
        """Replace averages by sums and named scalars by their symbols."""
        if expr not in self._cache:
            self._cache[expr] = self._lower(expr)
        return self._cache[expr]

    def _lower(self, expr):
        if isinstance(expr, Average):
            return self._average(expr)
        if isinstance(expr, Named):
            form = self.lower(expr.expr)
            if form.is_Symbol or form.is_number:
                return form
            return self._made.get(form) or self._set(self.context.named(expr.label, expr), form)
        if not expr.args:
            return expr
        if isinstance(expr, Max | Min):          # sympy would compare all pairs
            return expr.func(*[self.lower(a) for a in expr.args], evaluate=False)
        return expr.func(*[self.lower(a) for a in expr.args])

    def _average(self, average):
        if not isinstance(average.measure, GRIDDED):
            return self.lower(write_by_rules(average))
        builder, bound = self.context.builder(average.measure), set(average.bound_symbols)
        # averages inside that do not vary over the grid are numbers, made before
        fixed = {a: self.lower(a) for a in averages(average.integrand) if not a.free_symbols & bound and
                 not a.has(Applied)}
        integrand = builder.local(average.integrand.xreplace(fixed), average.measure)
        symbol = self.context.sum_symbol((builder.grid.name, integrand))
        self.sums[symbol] = (builder, integrand, average)
        return symbol

    def put(self, statement):
        """Append a statement, in the place of the one with its outputs if there is one."""
        self.items = [s for s in self.items if s.outputs != statement.outputs] + [statement]

    def statements(self):
        """Return the statements of this segment, level by level, each behind those that it reads."""
        setters, level, order = {x: item for item in self.items for x in item.outputs}, {}, []
        place = {x: n for n, x in enumerate((*setters, *self.sums))}

        def of(symbols):
            return max(map(level_of, sorted(place.keys() & symbols, key=place.get)), default=0)

        def level_of(s):
            if s not in level and s in self.sums:
                level[s] = 0         # guards against a cycle, which blocks exclude
                level[s] = 1 + of(free_of(self.sums[s][1]))
            elif s not in level:
                level.update(dict.fromkeys(setters[s].outputs, of(setters[s].reads)))
                order.append(setters[s])
            return level[s]

        of(place.keys())
        out = []
        for here in range(max(level.values(), default=0) + 1):
            for builder in tuple(self.context.builders.values()):        # sums inside sums bring grids of their own
                chosen = [s for s, (b, _, _) in self.sums.items() if b is builder and level[s] == here]
                if chosen:
                    out.append(self._sums(builder, chosen))
            out += [i for i in order if level[i.outputs[0]] == here]
        return out

    def _sums(self, builder, chosen):
        body = LoopBody(builder, self.context.named, self.context.inner)
        sums = tuple((s, body.lower(self.sums[s][1]), str(self.sums[s][2])) for s in chosen)
        return Sums(builder.grid, tuple(body.locals), sums, body.origins)


@dataclass(frozen=True)
class Draft:
    """A program before its sums are in passes, with what it was lowered from."""

    program: object     # its statements are Newton solves, and a :class:`Segment` before, between and behind them
    system: object
    solves: tuple       # of NewtonSolve or LinearSolve
    formulas: dict      # {symbol: expression} of explicit unknowns and observables, in order
    context: object


def largest(parts):
    """Return the largest of some residuals."""
    return Max(*parts, evaluate=False) if parts else Integer(0)


def total_derivative(expr, symbol, chain):
    """Differentiate along assignments: ``chain[a]`` is the derivative of the assigned unknown a."""
    free = free_of(expr)
    return Add(slope(expr, symbol), *[slope(expr, a) * d for a, d in chain.items() if a in free])


def differentiate_assignments(block, segment, torn):
    """Differentiate along the assignments of a block, one dictionary per iteration variable."""
    chains = {}
    for t in torn:
        chain = chains[t] = {}
        for u, f in block.assignments:
            d = total_derivative(f, t, chain)
            if not d.is_zero:
                chain[u] = segment.add_new(f"d{u}_d{t}", d)
    return chains


class Through(Function):
    """A function of arguments through inner unknowns; its derivatives are such functions again."""

    is_extended_real = True
    #: names of what it has derivatives by
    by = ()

    def fdiff(self, argindex=1):
        return classify_function(f"{type(self).__name__}_{self.by[argindex - 1]}", self.by)(*self.args)


@cache
def classify_function(name, by, is_positive=None):
    """Return the class of a function by its name, and those of its arguments."""
    return type(name, (Through,), {"by": by, "is_extended_positive": is_positive, "is_positive": is_positive})


@dataclass(frozen=True)
class ImplicitFunctions:
    """Hold what functions that solve equations inside are made of."""

    arguments: tuple    # of Symbol
    starts: dict        # {inner unknown: expression near it}
    maps: dict          # {inner unknown: expression of which it is a fixed point}
    forms: dict         # {name of a function: expression in arguments, parameters and inner unknowns}

    def text(self, shown):
        """Return the map whose fixed point is asked for as text; ``shown`` puts functions into expressions."""
        named = dict.fromkeys(n for e in self.maps.values() for n in named_parts(e))
        of, inside = (", ".join(map(str, symbols)) for symbols in (self.arguments, self.maps))
        return "\n".join([f"{', '.join(self.forms)}: functions of {of} through {inside}, with their derivatives; where",
                          *(f"  {n.label} = {shown(n.expr)}" for n in named),
                          *(f"  {u} = {shown(e)}" for u, e in self.maps.items())])


def lower_statements(context, names, exprs):
    """Return statements, in which no part is written twice, and the symbols that they set."""
    segment = Segment(context)
    forms = [(label, segment.lower(e)) for label, e in exprs.items()]
    made = tuple(e if e.is_Symbol else segment.add_new(label, e) for label, e in forms)
    return tuple(shared_parts(segment.statements(), names)), made
