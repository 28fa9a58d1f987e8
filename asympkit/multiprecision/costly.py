"""Programs whose sums cost so much that few may be computed: averages inside averages, integrals at every node.

Steps of the rules are chosen from how sums at the start change with them, so that the first rule has half of the digits
and the second all of them; Newton's method takes the Jacobian of doubles, and sums are those of the ball library where
it is there.

Sums over grids by the ball library, a block of rows after another, each as precise as its weights want.

A row of small weight adds to the last digits alone: it is computed with fewer, and with fewer nodes of inner rules,
whose weights are multiplied by its own.

Newton's method with the Jacobian in double precision: only the equations are evaluated in multiprecision.

A step multiplies the error by that of the Jacobian, about 1e-12: from a solution in double precision three evaluations
give 40 digits.
"""

from dataclasses import replace
from fractions import Fraction
from math import log2

import numpy as np

from ..errors import ConvergenceError, NotAvailableError
from ..nodes.named import free_of
from ..numbers.evaluation import Floats
from ..numbers.functions.pair_classes import BivariateNormalCDF, OwenT
from ..program.passes import prune
from ..program.statements import InnerSum, Linear, Newton, Scalar, Sums, select_statements
from ..runtime.newton import move_batch
from .interpreter import Interpreter, name_slopes, solve_scaled

try:
    from .ball_midpoints import enter_midpoints, from_midpoints, to_midpoints
except NotAvailableError:
    enter_midpoints = None

__all__ = ["Costly", "is_costly"]


#: rows of a block; bits beside those wanted, for integrands that grow; and least bits
_ROWS, _SPARE, _LEAST = 16, 24, 64

_STAYS = ("precise: the equations cannot be solved to more digits from the solution in double precision, whose "
          "derivatives are too rough; move the parameters away from a singular point, or ask for fewer digits")


class BlockSums:
    """Sums of a program over some tables, ``{grid name: (columns, weights)}`` of mpmath numbers.

    ``digits`` are correct ones of each sum, relative to the mean size of its integrand; ``mp`` is the context of
    results; ``even`` are the grids of mirrored rows over which all integrands are even: half of the rows are computed.
    """

    def __init__(self, program, tables, digits, mp, even=()):
        self.program, self.mp, self.bits, self.even = program, mp, int(3.33 * digits) + _SPARE, frozenset(even)
        self.inner = [g.name for g in program.grids if g.is_inner]
        with enter_midpoints(self.bits):
            self.tables = {name: _in_balls(*table) for name, table in tables.items()}

    def __call__(self, s, values):
        """Compute the sums of a statement by symbol, at numbers by symbol."""
        totals = dict.fromkeys(s.outputs, 0)
        with enter_midpoints(self.bits):
            for found, weights in self._blocks(s, values):
                for symbol, rows in found:
                    totals[symbol] += (np.broadcast_to(rows, weights.shape) * weights).sum()
        return {symbol: from_midpoints(total, self.mp) for symbol, total in totals.items()}

    def terms(self, s, values):
        """Return pairs of a symbol and the rows' terms of its sum."""
        found = {symbol: [] for symbol in s.outputs}
        with enter_midpoints(self.bits):
            for rows, weights in self._blocks(s, values):
                for symbol, row in rows:
                    found[symbol] += list(np.broadcast_to(row, weights.shape) * weights)
        return [(symbol, np.array([from_midpoints(t, self.mp) for t in terms], dtype=object))
                for symbol, terms in found.items()]

    def _blocks(self, s, values):
        """Yield ``[(symbol, integrand at rows)]`` and the weights of these rows."""
        needed = s.inputs
        known = {symbol: to_midpoints(v) for symbol, v in values.items() if symbol in needed}
        columns, weights, sizes = self.tables[s.grid.name]
        size = len(weights)
        first = size // 2 if s.grid.name in self.even else 0
        if first:
            weights = np.where(np.arange(size) * 2 == size - 1, weights, 2 * weights)
        for start in range(first, size, _ROWS):
            rows = slice(start, start + _ROWS)
            heaviest = float(sizes[rows].max())
            tables = {name: self._near(name, heaviest) for name in self.inner}
            tables[s.grid.name] = {k: c[rows] for k, c in columns.items()}, weights[rows]
            with enter_midpoints(max(_LEAST, int(self.bits + min(0.0, heaviest)))) as numbers:
                found = Interpreter(self.program, numbers, tables).integrands(s, known)
            yield found, weights[rows]

    def _near(self, name, heaviest):
        """Return the nodes of an inner rule that count in a row whose weight has a binary logarithm."""
        columns, weights, sizes = self.tables[name]
        kept = sizes >= min(-self.bits - heaviest, sizes.max())
        return {k: c[kept] for k, c in columns.items()}, weights[kept]


def _in_balls(columns, weights):
    """Convert a table for the ball library, with the binary logarithms of its weights."""
    with np.errstate(divide="ignore"):
        sizes = np.log2([abs(float(w)) for w in weights])
    columns = {k: to_midpoints(np.broadcast_to(np.asarray(c, dtype=object), sizes.shape)) for k, c in columns.items()}
    return columns, to_midpoints(np.asarray(weights, dtype=object)), sizes


#: most evaluations of the equations; the largest accepted ratio of a step to the one before, and its first estimate
_MOST, _SLOWEST, _FIRST_RATE = 12, 1e-4, 1e-9


def equations_alone(program):
    """Remove the Jacobians from a program, with the statements that only they need."""
    bare = [replace(s, jacobian=tuple((None,) * len(s.torn) for _ in s.torn)) if isinstance(s, Newton) else s
            for s in program.statements]
    wanted = {*program.unknowns, *program.observables.values(), *program.errors.values(), *residuals(program)[0],
              *(s.step_residual for s in program.newtons)}
    return replace(program, statements=tuple(prune(bare, wanted)))


def residuals(program):
    """Return the symbols of the residual: those of the equations, and those that need Jacobians."""
    solved = set()
    for s in program.statements:
        if isinstance(s, Linear) or isinstance(s, Scalar) and not solved.isdisjoint(free_of(s.expr)):
            solved.update(s.outputs)
    return [p for p in program.checks if p not in solved], [p for p in program.checks if p in solved]


class Pass(Interpreter):
    """One evaluation of the statements, at given values of the unknowns of Newton's method.

    ``sums(statement, values)``, by symbol, replaces sums in these numbers.  ``matrices`` collects the Jacobians in the
    variables of the solver, ``{iteration variables: rows of floats}``.
    """

    def __init__(self, program, numbers, tables, sums=None):
        super().__init__(program, numbers, tables)
        self.sums, self.matrices = sums or self.sums, {}

    def newton(self, s, values):
        self.execute(s.body, values)
        self.matrices[s.torn] = [[*map(float, row)] for row in self.equations(s, values)[1]]
        return {s.step_residual: 0} | name_slopes(s, self.matrices[s.torn])


class RoundedFloats(Floats):
    """Doubles with the rounding of multiprecision numbers, for programs that query it."""

    def __init__(self, numbers):
        self.rounding, self.largest_error = float(numbers.rounding), float(numbers.largest_error)


class Chord(Pass):
    """Newton's method with the Jacobians of a costly program; all parts of the residual are in the result.

    ``tolerance`` is the largest error of the unknowns, relative; ``seen`` the largest ratio of a step to the one
    before, 0 after a single step.
    """

    def __init__(self, costly, tables, tolerance, sums=None):
        super().__init__(costly.alone, costly.numbers, tables, sums)
        self.costly, self.tolerance, self.seen = costly, tolerance, 0.0

    def run(self, parameters, start):
        values, whole = super().run(parameters, start), self.costly.program
        if self.seen:
            self.costly.rate = _WORSE * self.seen
        values[whole.residual] = max([*(values[p] for p in residuals(whole)[0]), self.costly.rounding])
        return values

    def newton(self, s, values):
        now, before = np.array([[values[u]] for u in s.torn], dtype=object), None
        exp = np.frompyfunc(self._exp, 1, 1)
        for step in range(_MOST):
            self.execute(s.body, values)
            self.iterations = step + 1
            delta = self._solved(s, [self.residual(s, i, values) for i in range(len(s.torn))])
            now, delta = move_batch(now, np.array(delta, dtype=object)[:, None], s.positive, s.intervals, exp)
            values.update(zip(s.torn, now[:, 0]))
            size = max(abs(d) if p else abs(d) / (1 + abs(u)) for u, d, p in zip(now[:, 0], delta[:, 0], s.positive))
            if before is not None:
                self.seen = max(self.seen, float(size / before) if before else 0.0)
            rate = max(self.costly.rate, self.seen)
            if not size < 1 or rate > _SLOWEST:
                raise ConvergenceError(_STAYS)
            if size * self.numbers.mp.mpf(rate) <= self.tolerance:
                return {s.step_residual: 0} | name_slopes(s, self.costly.matrices[s.torn])
            before = size
        raise ConvergenceError(_STAYS)

    def _solved(self, s, rhs):
        """Compute the step for some residuals, which may underflow in doubles."""
        mp = self.numbers.mp
        largest = max(map(abs, rhs))
        if not largest:
            return rhs
        delta, _ = solve_scaled(self.costly.matrices[s.torn], [float(r / largest) for r in rhs])
        return [mp.mpf(d) * largest for d in delta]


#: functions that are integrals themselves
_INTEGRALS = (BivariateNormalCDF, OwenT)
#: digits of the rules beyond those wanted, of which the first ones have half, and digits of sums beyond those wanted
_BEYOND, _EXTRA = 10, 8
#: how much worse than the steps of the first rule those of the second may be
_WORSE = 100.0
#: residual of linear equations in doubles above which they are dependent
_DEPENDENT = 1e-6
#: the step at which rules are measured, the digits for that, and the denominator of chosen steps
_MEASURED, _SEEN, _PARTS = Fraction(1, 4), 28, 64


def is_costly(program):
    """Return whether sums of a program hold sums or integrals, and are not over given numbers."""
    return bool(program.newtons) and any(
        e.has(InnerSum, *_INTEGRALS) for s in select_statements(Sums, program.statements) if not s.grid.given
        for e in s.expressions)


class Costly:
    """Solver of an expensive program near a solution in double precision, with the correct digits wanted.

    ``builders`` are the tables by grid name, whose steps are chosen here; ``fixed`` those of given grids.
    """

    def __init__(self, program, numbers, builders, fixed, digits):
        self.program, self.alone = program, equations_alone(program)
        self.numbers, self.builders, self.fixed, self.digits = numbers, builders, fixed, digits
        self.even, self.matrices, self.rate = frozenset(), None, _FIRST_RATE

    def prepare(self, values, torn):
        """Choose the steps, look for symmetries, and linearise, all at the start."""
        for b in self.builders.values():
            b.take(_MEASURED, _SEEN)
        tables = {name: b.level(0) for name, b in self.builders.items()}
        coarse = self._measured(values, torn, tables)
        self.even, finest = {g.name for g in self.program.grids if not g.is_inner} - coarse.odd, {}
        outputs = {*self.program.unknowns, *self.program.observables.values(),
                   *(s.step_residual for s in self.program.newtons)}
        wanted = {x for s in select_statements(Sums, prune(self.alone.statements, outputs)) for x in s.outputs}
        for name, b in self.builders.items():
            finest[name] = b.level(1)
            if b.has_step:
                step = self._step(coarse, wanted, lambda table, name=name: self._measured(
                    values, torn, {**tables, name: table}), b)
                b.take(Fraction(max(1, int(2 * step * _PARTS)), _PARTS), self.digits + _EXTRA)
        self._linearise(values, torn, {**self.fixed, **finest})

    def at(self, tables, is_first):
        """Return the solver of the equations with some tables, an interpreter; the first rule has half of the digits.
        """
        mp = self.numbers.mp
        sums = BlockSums(self.program, tables, self.digits + _EXTRA, mp, self.even) if enter_midpoints else None
        digits = (self.digits + _BEYOND) // 2 if is_first else self.digits + 2
        return Chord(self, tables, mp.mpf(10) ** -digits, sums)

    def _step(self, coarse, wanted, measured, builder):
        """Return the step of a rule for all digits, which grow as its reciprocal or, for entire functions, its square.
        """
        before, finer = coarse, measured(builder.level(1))
        digits, power, step = before.agreement(finer, wanted), 1.0, _MEASURED
        if digits < _SEEN / 2:
            first, digits, step = digits, finer.agreement(measured(builder.level(2)), wanted), _MEASURED / 2
            power = min(2.0, max(1.0, log2(digits / first)))
        return step * Fraction((digits / (self.digits + _BEYOND)) ** (1.0 / power))

    def _measured(self, values, torn, tables):
        tables = {**self.fixed, **tables}
        found = _Measured(self.program, tables, self.numbers)
        Pass(self.alone, self.numbers, tables, found).run(values, torn)
        return found

    def _linearise(self, values, torn, tables):
        """Compute Jacobians in doubles, and the parts of the residual that depend on them."""
        tables = {name: _in_doubles(*table) for name, table in tables.items()}
        at = {s: float(v) for s, v in values.items()}, {u: float(v) for u, v in torn.items()}
        once = Pass(self.program, RoundedFloats(self.numbers), tables)
        with np.errstate(all="ignore"):
            found = once.run(*at)
        self.matrices = once.matrices
        # the residual of linear equations in doubles only shows whether these are dependent
        found |= {s.residual: found[s.residual] * (found[s.residual] > _DEPENDENT) for s in self.program.linears}
        self.rounding = max((float(found[p]) for p in residuals(self.program)[1]), default=0.0)


class _Measured:
    """Sums at the start with few digits, and whether their integrands are even."""

    def __init__(self, program, tables, numbers):
        self.rows = BlockSums(program, tables, _SEEN, numbers.mp) if enter_midpoints else Interpreter(
            program, numbers, tables)
        self.mp, self.totals, self.sizes, self.odd = numbers.mp, {}, {}, set()
        self.unit = 10.0 ** (6 - _SEEN)

    def __call__(self, s, values):
        # the unknowns do not change: values from the body of Newton's method stay valid
        new = replace(s, sums=tuple(row for row in s.sums if row[0] not in self.totals))
        for symbol, terms in self.rows.terms(prune([new], new.outputs)[0], values) if new.sums else ():
            self.totals[symbol], self.sizes[symbol] = self.mp.fsum(terms), self.mp.fsum(abs(terms))
            if not self.mp.fsum(abs(terms - terms[::-1])) <= self.unit * self.sizes[symbol]:
                self.odd.add(s.grid.name)
        return self.totals

    def agreement(self, other, symbols):
        """Return the digits that sums have in common with others, relative to the mean sizes of their integrands."""
        changes = [abs(self.totals[s] - other.totals[s]) / self.sizes[s] for s in symbols if self.sizes.get(s)]
        change = max(changes, default=0)
        return max(1.0, min(_SEEN, -float(self.mp.log10(change)) if change else _SEEN))


def _in_doubles(columns, weights):
    """Convert a table to double precision."""
    return {k: np.asarray(c, dtype=object).astype(float) for k, c in columns.items()}, np.asarray(
        weights, dtype=object).astype(float)
