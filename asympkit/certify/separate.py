"""Split the sums of a program into those enclosed by themselves and those with the conditional means of their grid.

Properties of loops that proofs use: denominators, signs, degrees, dependencies.  Quotients inside formulas are taken
out as reciprocals of their own, which is how bounds of denominators are found.

Sums over an angle are enclosed: means over spectral laws without a closed form.  An integrand that is even and of
period 2 pi, analytic and bounded by M for ``|Im| <= a``, has a mean over the angle that differs from that over n
equidistant angles by at most ``2 M/(exp(2 n a) - 1)``.
"""

from dataclasses import replace
from functools import lru_cache
from math import ceil, isfinite, log, pi

from sympy import Dummy, Float, Integer, Pow, cos, expand, sin

from ..balls.analytic import compile_parametric
from ..balls.backend import acb, arb
from ..errors import AsympkitError, ProofError
from ..numbers.functions.pair_classes import BivariateNormalCDF
from ..program.statements import Grid, InnerSum, Means, Newton, Sums, select_statements
from .forms import MARGIN, bound_above, refusal


def separate_sums(statements):
    """Give the sums that need no conditional mean a grid of their own, where their grid also serves others.

    Return the statements, and the grids under new names: copies without conditional means, and copies without values at
    the node.  A sum that takes values of functions at the node and conditional means together raises ProofError.
    """
    twins, out = {}, []
    _separate(statements, out, twins)
    return tuple(out), list(twins.values())


def expand_integrand(statement, integrand, functions=None, numbers=None):
    """Put locals, columns and expressions of values at the node back into an integrand.

    Without ``functions``, ``{label: Activation}``, their values at the node stay symbols; ``numbers`` are rational
    parameters to put into the arguments of functions that switch, which makes the places numbers.
    """
    inside = {}
    for symbol, expr in statement.locals:
        inside[symbol] = expr.xreplace(inside)
    full = integrand.xreplace(inside).xreplace({symbol: e for e, symbol in statement.grid.columns.items()})
    return full.xreplace(_made(statement.grid, functions, numbers or {}))


def _made(grid, functions, numbers):
    """Return the definitions that a grid's preparation makes without conditional means, in its variables."""
    made = {}
    for step in grid.preparation:
        if not isinstance(step, Means):
            made[step.symbol] = step.expr.xreplace(made)
        elif step.is_value and functions is not None:
            (symbol,), f = step.outputs, step.activation(functions)
            offset = step.offset.xreplace(numbers) if f.kinks else step.offset
            made[symbol] = f.expr.xreplace({f.symbol: offset})
    return made


def _separate(statements, out, twins):
    for s in statements:
        if isinstance(s, Newton):
            body = []
            _separate(s.body, body, twins)
            out.append(replace(s, body=tuple(body)))
        elif isinstance(s, Sums) and s.grid.preparation and not s.grid.given:
            out += _parts(s, twins)
        else:
            out.append(s)


def _parts(statement, twins):
    """Split the sums of a statement into those enclosed directly, and those that hold conditional means."""
    values, means = _outputs(statement.grid)
    plain, rest = [], []
    known = _reads(statement)
    for row in statement.sums:
        read = set().union(*(known.get(s, {s}) for s in row[1].free_symbols))
        if read & means and read & values:
            raise _mixed(statement.grid, row, read)
        (rest if read & means else plain).append(row)
    out = []
    if plain:
        out.append(_part(statement, plain, _copy_grid(statement.grid, "alone", means, twins)))
    if rest:
        out.append(_part(statement, rest,
                         _copy_grid(statement.grid, "means", values, twins) if values else statement.grid))
    return out


def _reads(statement):
    """Return the symbols that locals, columns and steps without conditional means read, ``{symbol: set of Symbol}``."""
    known = {}
    rows = [*((s.symbol, s.expr) for s in statement.grid.preparation if not isinstance(s, Means)),
            *((symbol, e) for e, symbol in statement.grid.columns.items()), *statement.locals]
    for symbol, expr in rows:
        known[symbol] = set().union(*(known.get(s, {s}) for s in expr.free_symbols if s != symbol or s in known)) or {
            symbol}
    return known


def _outputs(grid):
    """Return the values at the node that a grid prepares, and the conditional means."""
    steps = [step for step in grid.preparation if isinstance(step, Means)]
    return ({s for step in steps if step.is_value for s in step.outputs},
            {s for step in steps if not step.is_value for s in step.outputs})


def _copy_grid(grid, name, unwanted, twins):
    """Return a copy of a grid without some steps of its preparation and their dependents; one for each name."""
    name = f"{grid.name} {name}"
    if name not in twins:
        lost, steps = set(), []
        for step in grid.preparation:
            if unwanted & {*step.outputs} or not isinstance(step, Means) and step.expr.free_symbols & lost:
                lost |= {*step.outputs}
            else:
                steps.append(step)
        columns = {e: symbol for e, symbol in grid.columns.items() if not e.free_symbols & lost}
        twins[name] = Grid(name, grid.bound, False, steps, columns)
    return twins[name]


def _mixed(grid, row, read):
    """Return the error for a sum that holds a value at the node and a conditional mean."""
    (value, *_), (mean, *_) = ([s for s in grid.preparation if isinstance(s, Means) and s.is_value is kind
                                and read & {*s.outputs}] for kind in (True, False))
    at = mean.offset + mean.slope * mean.z
    return refusal(f"certify: the average {row[2] or row[1]} takes {value.label}({value.offset}) at its node and holds "
                   f"a conditional mean of {mean.label}({at}); only one of the two is enclosed: put particular "
                   "functions in place of the theory's (asympkit.nodes.bind), or call precise() for digits without a "
                   "proof")


def _part(statement, rows, grid):
    """Return some sums of a statement, with the locals that they read."""
    read = set().union(*(integrand.free_symbols for _, integrand, _ in rows))
    kept = []
    for symbol, expr in reversed(statement.locals):
        if symbol in read:
            kept.append((symbol, expr))
            read |= expr.free_symbols
    return replace(statement, grid=grid, locals=tuple(kept[::-1]), sums=tuple(rows))


#: heights of strips that are tried, boxes along a strip of its height, and a largest number of nodes
_HEIGHTS, _FINE, _MOST = (2.0, 1.4, 1.0, 0.7, 0.5, 0.35, 0.25, 0.17, 0.12, 0.08, 0.05, 0.03), 4, 4000


class AngleSums:
    """Means over an angle grid, with an absolute accuracy apart from the width that the balls of other symbols bring.
    """

    def __init__(self, grid, digits):
        self.grid, self.digits = grid, digits
        (self.theta,) = grid.bound
        self._compiled, self._notes, self.nodes = {}, {}, 0

    def sums(self, statement, values):
        """Enclose the sums of a statement, ``{symbol: ball}``."""
        return {symbol: self.mean(expand_integrand(statement, integrand), note or integrand, values)
                for symbol, integrand, note in statement.sums}

    def mean(self, expr, note, values):
        """Enclose the mean of one expression in the angle; ``note`` describes it."""
        function, bind = self._function(expr, note)
        try:
            bind({s: arb(values[s]) for s in expr.free_symbols - {self.theta}})
            height, size = self._strip(function)
        except AsympkitError as error:
            raise ProofError(f"certify: the average {note} is not enclosed: {error}") from error
        if height is None:
            raise refusal(f"certify: the average {note} over a spectral law is not enclosed: its integrand is not "
                          "proved analytic near the real angles (an edge of the law at 0, or a singularity near an "
                          "eigenvalue)")
        count = max(8, ceil((self.digits + 2) * log(10) / (2 * height) + max(0.0, log(2 * size + 1)) / (2 * height)))
        if count > _MOST:
            raise refusal(f"certify: the average {note} over a spectral law needs {count} angles, more than {_MOST}; "
                          "ask for fewer digits")
        self.nodes = max(self.nodes, count)
        self._notes[note] = (f"|{str(expr)[:60]}| <= {size:.3g} for |Im {self.theta}| <= {height}, {count} angles")
        total = sum((function(acb((arb.pi() * (2 * k + 1)) / (2 * count)), False).real for k in range(count)), arb(0))
        error = 2 * arb(size) / ((2 * count * arb(height)).exp() - 1)
        return total / count + arb(0, error.upper())

    def _function(self, expr, note):
        if expr not in self._compiled:
            made = compile_parametric(expr, self.theta, expr.free_symbols - {self.theta})
            c, s = Dummy("c", real=True), Dummy("s", real=True)
            flat = expr.xreplace({cos(self.theta): c, sin(self.theta): s})
            if self.theta in flat.free_symbols or expand(flat - flat.xreplace({s: -s})) != 0:
                raise refusal(f"certify: {note} is not proved to be an even function of period 2 pi of an angle")
            self._compiled[expr] = made
        return self._compiled[expr]

    def _strip(self, function):
        """Return the highest strip on which the integrand is proved analytic, with a bound there, or (None, None)."""
        for height in _HEIGHTS:
            size = self._bound(function, height)
            if isfinite(size) and size < 1e30:
                return height, size
        return None, None

    @staticmethod
    def _bound(function, height):
        """Bound a function on ``0 <= Re <= pi, 0 <= Im <= height``: the others follow by evenness and conjugation."""
        columns, largest = ceil(pi / height * _FINE) + 1, 0.0
        for k in range(columns):
            for row in range(_FINE):
                x = arb((k + 0.5) * pi / columns, 0.51 * pi / columns)
                y = arb((row + 0.5) * height / _FINE, 0.51 * height / _FINE)
                largest = max(largest, bound_above(function(acb(x, y), True)))
                if not isfinite(largest):
                    return largest
        return largest * MARGIN

    def describe(self):
        """Return one sentence on the strips that were proved."""
        return f"spectral means over {self.theta}: " + "; ".join(self._notes.values())


class Degree:
    """Degree of a polynomial bound in the outer variable: sums take the larger, products add."""

    def __init__(self, value):
        self.value = int(value)

    def __add__(self, other):
        return Degree(max(self.value, getattr(other, "value", 0)))

    def __mul__(self, other):
        return Degree(self.value + getattr(other, "value", 0))

    __radd__, __rmul__ = __add__, __mul__


def inner_grids(statements):
    """Return the names of the grids of sums inside sums."""
    return {inner.grid for s in select_statements(Sums, statements) for _, e in s.locals for inner in e.atoms(InnerSum)}


def denominators(statements, grid):
    """Return the denominators of the integrands over a grid, in columns and unknowns, each once."""
    return tuple(dict.fromkeys(base for s in select_statements(Sums, statements) if s.grid is grid
                               for base in reciprocals_of(s.locals).values()))


@lru_cache(maxsize=256)
def reciprocals_of(rows):
    """Return the locals of a pass that are reciprocals, with their divisors written out."""
    inside, found = {}, {}
    for symbol, expr in rows:
        inside[symbol] = expr.xreplace(inside)
        if expr.is_Pow and expr.exp == -1:
            found[symbol] = 1 / inside[symbol]
    return found


def holds_steps(statement):
    """Return whether a pass with conditional means also holds nested sums, two-normal probabilities or closed means
    over proximal steps."""
    return (any(isinstance(p, Means) and not p.is_value for p in statement.grid.preparation)
            and (bool(statement.origins) or any(e.has(InnerSum, BivariateNormalCDF) for e in statement.expressions)))


def columns_used(statements, grid):
    """Return the columns that the sums over a grid read."""
    read = set().union(*(s.inputs for s in select_statements(Sums, statements) if s.grid is grid))
    return read & set(grid.columns.values())


def collect_needed(grid, columns):
    """Return all symbols of the preparation that the given columns depend on."""
    wanted = set(columns)
    for expr, symbol in grid.columns.items():
        if symbol in wanted:
            wanted |= expr.free_symbols
    for s in reversed(grid.preparation):
        if not wanted & set(s.outputs):
            continue
        if isinstance(s, Means):
            for _, functional in s.items:
                wanted |= functional.free_symbols
        else:
            wanted |= s.expr.free_symbols
    return wanted


def least(expr, grid, values):
    """Bound an expression in columns from below on the real line, from signs alone.

    Even powers, and means of even powers, are not negative; ``values`` are balls of the other symbols.
    """
    positive = {symbol for s in grid.preparation if isinstance(s, Means) for symbol, f in s.items if _even(f)}
    for s in grid.preparation:
        if not isinstance(s, Means) and s.expr in positive:
            positive.add(s.symbol)
    positive |= {symbol for e, symbol in grid.columns.items() if _positive(e, positive)}
    return _least(expr, positive, values)


def _even(expr):
    return expr.is_Pow and expr.exp.is_Integer and int(expr.exp) % 2 == 0 and expr.exp > 0


def _positive(expr, positive):
    return expr in positive or _even(expr) or (expr.is_Mul and all(_positive(a, positive) for a in expr.args))


def _least(expr, positive, values):
    if expr in values:
        low = float(arb(values[expr]).lower())
        return low - 1e-14 * abs(low)
    if _positive(expr, positive):
        return 0.0
    if expr.is_Rational:
        return float(expr) - 1e-14 * abs(float(expr))
    if expr.is_Add:
        parts = [_least(a, positive, values) for a in expr.args]
        return sum(parts) - 1e-14 * sum(map(abs, parts))
    if expr.is_Mul:
        total = 1.0
        for a in expr.args:
            part = _least(a, positive, values)
            if part < 0:
                return -float("inf")
            total *= part
        return total * (1 - 1e-14)
    return -float("inf")


def with_reciprocals(statements):
    """Rewrite quotients in sums by reciprocals among the locals, so that sums divide by powers of symbols alone."""
    return [replace(s, body=tuple(with_reciprocals(s.body))) if isinstance(s, Newton) else
            _taken_out(s) if isinstance(s, Sums) else s for s in statements]


def _taken_out(s):
    """Rewrite one pass; quotients that do not vary over the nodes stay."""
    if not any(isinstance(p, Means) and not p.is_value for p in s.grid.preparation):
        return s                            # formulas of the node are enclosed unchanged
    if holds_steps(s):                      # nested sums too
        return _without_guards(s)
    varying, rows, names = {*s.grid.bound, *s.grid.columns.values()}, [], {}

    def known(expr):
        """Replace the quotients in an expression by symbols, after the locals of their reciprocals."""
        found = {}
        for power in expr.atoms(Pow):
            if power.exp.is_Integer and power.exp < 0 and power.base.free_symbols & varying:
                base, number = _monic(power.base)
                if base not in names:
                    names[base] = Dummy(f"inv_{len(names) + 1}", real=True)
                    rows.append((names[base], 1 / base))
                    varying.add(names[base])
                found[power] = names[base] ** -power.exp * number**power.exp
        return expr.xreplace(found)

    for symbol, expr in s.locals:
        if expr.is_Pow and expr.exp == -1:
            rows.append((symbol, expr))
            names.setdefault(expr.base, symbol)
        else:
            rows.append((symbol, known(expr)))
        if expr.free_symbols & varying:
            varying.add(symbol)
    sums = tuple((symbol, known(expr), note) for symbol, expr, note in s.sums)
    return replace(s, locals=tuple(rows), sums=sums)


def _without_guards(s):
    """Drop the variance far below rounding that only guards divisions in double precision from a pass."""
    def plain(expr):
        return expr.xreplace({f: Integer(0) for f in expr.atoms(Float) if f == Float(1e-100)})

    return replace(s, locals=tuple((symbol, plain(e)) for symbol, e in s.locals),
                   sums=tuple((symbol, plain(e), note) for symbol, e, note in s.sums))


def _monic(base):
    """Split off the common factor of a sum: 2 V + 2 and V + 1 are one denominator."""
    number, rest = base.primitive()
    return rest, number
