"""Programs whose sums cost so much that few may be computed: averages inside averages, integrals at every node.

Steps of the rules are chosen from how sums at the start change with them, so that the first rule has half of the digits
and the second all of them; Newton's method takes the Jacobian of doubles, and sums are those of the ball library where
it is there.
"""

from dataclasses import replace
from fractions import Fraction
from math import log2

import numpy as np

from ..numbers.functions.pair_classes import BivariateNormalCDF, OwenT
from ..program.inner_sum import InnerSum
from ..program.prune import prune
from ..program.statements import Sums, of_kind
from .block_sums import BlockSums
from .chord import FIRST_RATE, Chord, Pass, RoundedFloats, equations_alone, residuals
from .interpreter import Interpreter
from .middles import are_available

__all__ = ["Costly", "is_costly"]

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
        e.has(InnerSum, *_INTEGRALS) for s in of_kind(Sums, program.statements) if not s.grid.given
        for e in (*(e for _, e in s.locals), *(e for _, e, _ in s.sums)))


class Costly:
    """Solver of an expensive program near a solution in double precision.

    Parameters
    ----------
    program : Program
    numbers : Digits
    builders : dict
        ``{grid name: DigitsTables or ProductDigits}``; their steps are chosen here.
    fixed : dict
        Tables of given grids.
    digits : int
        Correct digits wanted.
    """

    def __init__(self, program, numbers, builders, fixed, digits):
        self.program, self.alone = program, equations_alone(program)
        self.numbers, self.builders, self.fixed, self.digits = numbers, builders, fixed, digits
        self.even, self.matrices, self.rate = frozenset(), None, FIRST_RATE

    def prepare(self, values, torn):
        """Choose the steps, look for symmetries, and linearise, all at the start."""
        for b in self.builders.values():
            b.take(_MEASURED, _SEEN)
        tables = {name: b.level(0) for name, b in self.builders.items()}
        coarse = self._measured(values, torn, tables)
        self.even, finest = {g.name for g in self.program.grids if not g.is_inner} - coarse.odd, {}
        outputs = {*self.program.unknowns, *self.program.observables.values(), *(s.moved for s in self.program.newtons)}
        wanted = {x for s in of_kind(Sums, prune(self.alone.statements, outputs)) for x in s.outputs}
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
        sums = BlockSums(self.program, tables, self.digits + _EXTRA, mp, self.even) if are_available() else None
        digits = (self.digits + _BEYOND) // 2 if is_first else self.digits + 2
        return _Solver(self, tables, mp.mpf(10) ** -digits, sums)

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


class _Solver(Chord):
    """Newton's method with the Jacobians of a costly program; all parts of the residual are in the result."""

    def __init__(self, costly, tables, tolerance, sums):
        super().__init__(costly.alone, costly.numbers, tables, costly.matrices, tolerance, sums, costly.rate)
        self.costly = costly

    def run(self, parameters, start):
        values = super().run(parameters, start)
        if self.seen:
            self.costly.rate = _WORSE * self.seen
        whole = self.costly.program
        values[whole.residual] = max([*(values[p] for p in residuals(whole)[0]), self.costly.rounding])
        return values


class _Measured:
    """Sums at the start with few digits, and whether their integrands are even."""

    def __init__(self, program, tables, numbers):
        self.rows = BlockSums(program, tables, _SEEN, numbers.mp) if are_available() else Interpreter(
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
