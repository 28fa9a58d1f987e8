"""Newton's method with the Jacobian in double precision: only the equations are evaluated in multiprecision.

A step multiplies the error by that of the Jacobian, about 1e-12: from a solution in double precision three evaluations
give 40 digits.
"""

from dataclasses import replace

from ..errors import ConvergenceError
from ..nodes.walks import free_of
from ..numbers.floats import Floats
from ..program.prune import prune
from ..program.statements import Linear, Newton, Scalar
from .interpreter import Interpreter, solve_scaled

__all__ = ["FIRST_RATE", "Chord", "Pass", "RoundedFloats", "equations_alone", "residuals"]

#: most evaluations of the equations; the largest accepted ratio of a step to the one before, and its first estimate
_MOST, _SLOWEST, FIRST_RATE = 12, 1e-4, 1e-9


def equations_alone(program):
    """Remove the Jacobians from a program, with the statements that only they need."""
    bare = [replace(s, jacobian=tuple((None,) * len(s.torn) for _ in s.torn)) if isinstance(s, Newton) else s
            for s in program.statements]
    wanted = {*program.unknowns, *program.observables.values(), *program.errors.values(), *residuals(program)[0],
              *(s.moved for s in program.newtons)}
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

    Parameters
    ----------
    program, numbers, tables
        As for an :class:`Interpreter`.
    sums : callable, optional
        ``sums(statement, values)``, by symbol, which replaces sums in these numbers.

    Attributes
    ----------
    matrices : dict
        ``{iteration variables: rows of floats}``: the Jacobians in the variables of the solver.
    """

    def __init__(self, program, numbers, tables, sums=None):
        super().__init__(program, numbers, tables)
        self.sums, self.matrices = sums, {}

    def _sums(self, s, values):
        if self.sums is None:
            super()._sums(s, values)
        else:
            values.update(self.sums(s, values))

    def _newton(self, s, values, start):
        values.update((u, start[u]) for u in s.torn)
        for inner in s.body:
            self._step(inner, values)
        self.matrices[s.torn] = [[float(self._entry(s, i, j, values, is_map)) for j in range(len(s.torn))]
                                 for i, (_, is_map) in enumerate(s.targets)]
        values[s.moved] = 0


class RoundedFloats(Floats):
    """Doubles with the rounding of multiprecision numbers, for programs that query it."""

    def __init__(self, numbers):
        self.rounding, self.largest_error = float(numbers.rounding), float(numbers.largest_error)


class Chord(Pass):
    """Executes a program without Jacobians.

    Parameters
    ----------
    program : Program
        Result of :func:`equations_alone`.
    numbers : Digits
    tables : dict
    matrices : dict
        Those of :class:`Pass`.
    tolerance : number
        Largest error of the unknowns, relative.
    sums : callable, optional
    rate : float
        Expected ratio of a step to the one before.

    Attributes
    ----------
    seen : float
        The ratio found, 0 after a single step.
    """

    def __init__(self, program, numbers, tables, matrices, tolerance, sums=None, rate=FIRST_RATE):
        super().__init__(program, numbers, tables, sums)
        self.matrices, self.tolerance, self.rate, self.seen = matrices, tolerance, rate, 0.0

    def _newton(self, s, values, start):
        values.update((u, start[u]) for u in s.torn)
        before = None
        for step in range(_MOST):
            for inner in s.body:
                self._step(inner, values)
            self.iterations = step + 1
            delta = self._move(s, values, self._solved(s, [self._residual(s, i, values) for i in range(len(s.torn))]))
            size = max(abs(d) if p else abs(d) / (1 + abs(values[u])) for u, d, p in zip(s.torn, delta, s.positive))
            if before is not None:
                self.seen = max(self.seen, float(size / before) if before else 0.0)
            rate = max(self.rate, self.seen)
            if not size < 1 or rate > _SLOWEST:
                raise ConvergenceError("precise: steps with the Jacobian of double precision do not become smaller")
            if size * self.numbers.mp.mpf(rate) <= self.tolerance:
                values[s.moved] = 0
                return
            before = size
        raise ConvergenceError("precise: steps with the Jacobian of double precision do not end")

    def _solved(self, s, rhs):
        """Compute the step for some residuals, which may underflow in doubles."""
        mp = self.numbers.mp
        largest = max(map(abs, rhs))
        if not largest:
            return rhs
        delta, _ = solve_scaled(self.matrices[s.torn], [float(r / largest) for r in rhs])
        return [mp.mpf(d) * largest for d in delta]
