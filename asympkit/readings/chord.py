"""Newton's method with the Jacobian of doubles: what costs much is computed for the equations alone, and few times.

A step leaves of the error what the Jacobian is wrong by, some 1e-12: three evaluations make 40 digits of a solution in
double precision.
"""

from dataclasses import replace

from ..errors import ConvergenceError
from ..nodes.walks import free_of
from ..numbers.floats import Floats
from ..program.prune import prune
from ..program.statements import Linear, Newton, Scalar
from .interpreter import Interpreter, solve_scaled

__all__ = ["FIRST_RATE", "Chord", "Pass", "RoundedFloats", "equations_alone", "residuals"]

#: evaluations of the equations at most; the part of a step that the next may be, and what it is taken to be at first
_MOST, _SLOWEST, FIRST_RATE = 12, 1e-4, 1e-9


def equations_alone(program):
    """The program without its Jacobians, and without what the residual needs them for."""
    bare = [replace(s, jacobian=tuple((None,) * len(s.torn) for _ in s.torn)) if isinstance(s, Newton) else s
            for s in program.statements]
    wanted = {*program.unknowns, *program.observables.values(), *program.errors.values(), *residuals(program)[0],
              *(s.moved for s in program.newtons)}
    return replace(program, statements=tuple(prune(bare, wanted)))


def residuals(program):
    """Symbols that the residual is the largest of: those of the equations, and those that Jacobians are needed for."""
    solved = set()
    for s in program.statements:
        if isinstance(s, Linear) or isinstance(s, Scalar) and not solved.isdisjoint(free_of(s.expr)):
            solved.update(s.outputs)
    return [p for p in program.checks if p not in solved], [p for p in program.checks if p in solved]


class Pass(Interpreter):
    """The statements once, at given values of what Newton's method solves for.

    Parameters
    ----------
    program, numbers, tables
        As of an :class:`Interpreter`.
    sums : callable, optional
        ``sums(statement, values)``, by symbol, in the place of sums in these numbers.

    Attributes
    ----------
    matrices : dict
        ``{torn unknowns: rows of floats}``: the Jacobians in the variables of the solver.
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
    """Doubles that stand for numbers of many digits where a program asks how they are rounded."""

    def __init__(self, numbers):
        self.rounding, self.largest_error = float(numbers.rounding), float(numbers.largest_error)


class Chord(Pass):
    """Executes a program without Jacobians.

    Parameters
    ----------
    program : Program
        As :func:`equations_alone` makes it.
    numbers : Digits
    tables : dict
    matrices : dict
        Of :class:`Pass`.
    tolerance : number
        Largest error of the unknowns, relative.
    sums : callable, optional
    rate : float
        What part of a step the next one is expected to be.

    Attributes
    ----------
    seen : float
        What part it was, 0 where there was one step alone.
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
        """The step for some residuals, which may be smaller than doubles are."""
        mp = self.numbers.mp
        largest = max(map(abs, rhs))
        if not largest:
            return rhs
        delta, _ = solve_scaled(self.matrices[s.torn], [float(r / largest) for r in rhs])
        return [mp.mpf(d) * largest for d in delta]
