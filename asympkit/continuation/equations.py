"""Evaluate the equations of a path and their Jacobian: in all unknowns, compiled, or in the iteration variables.

For these no program is compiled: the Jacobian by the unknowns is Newton's matrix, that by the parameter is a complex
step, so that large systems can be followed without delay.
"""

import numpy as np
from sympy import Integer, Symbol

from ..codegen import write_kernel
from ..equations.system import System
from ..errors import ConvergenceError, DomainError
from ..program import build
from ..program.symmetry import find_directions
from ..sensitivity.tangent import directional, make_free_name
from ..solve.kernel import Kernel
from ..tolerances import RESIDUAL

#: first refinement of the averages, the same along the path so that its points lie on one smooth curve, for one table
#: and for a table at each point; and accepted change of an equation by a finer quadrature rule, relative to its terms
_LEVEL, _VARIED_LEVEL, _CHANGE, _TINY = 8, 4, 1e-10, 1e-12
#: nodes beyond which a coarser rule is tried first, and that all points of a path evaluate at most
_MANY, _BUDGET = 20_000, 1e8
#: accuracy of equations relative to their derivatives, without and with quadrature
_EXACT, _AVERAGED = 1e-14, 1e-11


class _PathEquations:
    """Base of the equations along a path: they are evaluated at (unknowns, parameter), or rejected by the theory."""

    def __call__(self, y):
        """Return equations (n,) and derivatives (n, n + 1) at a point; NaN if the theory rejects it."""
        n = self.size
        try:
            return self._evaluated(y)
        except DomainError as error:
            self.refusal = str(error)
            return np.full(n, np.nan), np.full((n, n + 1), np.nan)

    def _at(self, value):
        """Return the kernel's arguments at a value of the parameter; a path asks for each of its points twice."""
        value = float(value)
        if value not in self.known:
            at = {**self.parameters, self.over: value}
            found = self._computed(at, self.model.locate_point(at))
            self.known = dict([*self.known.items()][-2:]) | {value: found}
        return self.known[value]


class Equations(_PathEquations):
    """Evaluate equations, their Jacobian in all unknowns and the parameter ``over``, and observables.

    The path starts from the Point ``first``; ``parameters`` are all others.  ``accuracy`` is that of the equations,
    relative to their derivatives, ``refusal`` the error of the last point that the theory rejected, empty before.

    A parameter p changes parameters P of the program: itself, and quantities derived from it.  The equations are
    differentiated along this direction, dF/dp = sum of dF/dP * dP/dp, and the theory gives P and dP/dp at every p.
    """

    def __init__(self, model, over, parameters, first):
        system, (program, _) = model.system, model.program
        self.model, self.over, self.parameters, self.refusal = model, over, parameters, ""
        self.unknowns = tuple(u.name for u in system.unknowns)
        self.domain = [system.intervals.get(u, (0.0 if u.is_positive else -np.inf, np.inf)) for u in system.unknowns]
        self.observables, self.size = tuple(system.observables), len(system.equations)
        self.varied = tuple(model.derivatives(over, parameters, first))
        direction = _direction(program, system, over, self.varied)
        self.derivatives = tuple(r for r in direction.values() if isinstance(r, Symbol))
        known = model.path_kernels
        if (over, self.varied) not in known:
            known[over, self.varied] = _write_equations(model, direction, self.derivatives)
        self.kernel = known[over, self.varied]
        tables = {s.name for s in program.table_parameters}
        self.has_fixed_tables, self.arrays, self.first = tables.isdisjoint(self.varied), first.arrays, first
        self.features, self.places = [], []
        self.accuracy = _AVERAGED if self.kernel.is_refinable else _EXACT
        first_level = _LEVEL if self.has_fixed_tables else _VARIED_LEVEL
        self.spent, level = 0, min(first_level, self.kernel.levels - 1) if self.kernel.is_refinable else 1
        self._use(level)
        while self.kernel.is_refinable and self.nodes > _MANY and level > _FIRST_LEVEL:
            level -= 1
            self._use(level)

    def _evaluated(self, y):
        n, out = self.size, self._outputs(np.atleast_2d(y))[:, 0]
        return out[:n], out[n:n + n * (n + 1)].reshape(n + 1, n).T

    def is_resolved(self, y):
        """Return whether another quadrature rule gives the same averages at a point, and no narrow feature is missed.

        The other rule is finer, or the next coarser one if the rule is the finest, whose accuracy is nearly the square
        of that.  An equation may change by a share of its terms, the products of derivatives and unknowns.  False too
        if the path has spent its budget; None if nodes were placed around narrow features at the point, which must then
        be solved again.
        """
        if not self.kernel.is_refinable:
            return True
        if self.spent > _BUDGET:
            return False
        n = self.size
        missed, is_over = self._missed(y, min(self.levels), self.places)
        if not (missed or is_over):
            one, other = (self._outputs(y[None], which)[:, 0] for which in (0, 1))
            sizes = np.abs(one[n:n + n * (n + 1)].reshape(n + 1, n).T) @ np.abs(y) + _TINY
            allowed = _CHANGE if self.levels[1] > self.levels[0] else _CHANGE ** 0.7
            if np.all(np.abs(one[:n] - other[:n]) <= allowed * sizes):
                return True
            missed, _ = self._missed(y, 0, [])              # features that the nodes meet, but not to this accuracy
        if missed and missed != self.features:
            self._place(missed)
            return None
        return False

    def _missed(self, y, level, places):
        """Return features at a point that need more nodes, and whether the nodes step over others."""
        found, module = dict(zip(self.unknowns, y)), self.model.kernel.module
        values, out = self._at(y[-1])[0], [found.get(n, 0.0) for n in module.OUTPUTS]
        return self.model.kernel.missed(level, values[:len(module.PARAMETERS)], out, places)

    def _place(self, features):
        """Place nodes around features, and keep those of the previous point."""
        self.features, self.places = features, [*features, *self.features]
        self._use(self.levels[0])

    def refine(self):
        """Switch to a finer quadrature rule, and return whether there was one."""
        at, top = self.levels[0], self.kernel.levels - 1
        self._use(min(at + 2, top))
        return at < top and self.spent <= _BUDGET

    def _use(self, level):
        self.levels, self.known = (level, level + 1 if level + 1 < self.kernel.levels else level - 1), {}
        self.tables = {None: self.first} if self.has_fixed_tables else None
        self.nodes = self.kernel.nodes_of(self._tables(self.tables, 0)) if self.has_fixed_tables else 1

    def quantities(self, rows):
        """Return unknowns and observables at points, as dicts of arrays."""
        out = np.hstack([self._observed(row) for row in rows]) if self.places else self._outputs(rows)
        return dict(zip(self.unknowns, rows[:, :-1].T)), dict(zip(self.observables, out[self.size * (self.size + 2):]))

    def _observed(self, row):
        missed, _ = self._missed(row, min(self.levels), self.places)
        if missed:
            self._place(missed)
        return self._outputs(row[None])

    def _outputs(self, rows, which=0):
        """Return outputs at points by the quadrature rule of the path, or by the other one."""
        at = [self._at(p) for p in rows[:, -1]]
        values = np.array([values for values, _ in at]).T
        self.spent += len(rows) * self.nodes
        if self.has_fixed_tables:
            return self.kernel.batch([*values, *rows[:, :-1].T], self._tables(self.tables, which))[0]
        return np.hstack([self.kernel.batch([*values[:, i:i + 1], *row[:-1, None]], self._tables(tables, which))[0]
                          for i, (row, (_, tables)) in enumerate(zip(rows, at))])

    def _computed(self, parameters, point):
        """Return the program's parameters with derivatives, and what its tables are made of if they vary."""
        rates = self.model.derivatives(self.over, parameters, point) if self.derivatives else {}
        return (*point.values, *(rates[n] for n in self.varied if self.derivatives)), {None: point}

    def _tables(self, made, which):
        """Return the tables of a point by the quadrature rule of the path, or by the other one, made once."""
        if which not in made:
            level = self.levels[which if self.kernel.is_refinable else 0]
            ((made[which], _, _),) = self.kernel.ladder((level,), made[None].table_parameters, self.model.activations,
                                                        self.arrays, places=self.places)
        return made[which]


def _write_equations(model, direction, derivatives):
    """Return the kernel of the equations, their Jacobian by the unknowns and in a direction, and the observables."""
    system, (program, _) = model.system, model.program
    along = [directional({u: 1}) for u in system.unknowns] + [directional(direction)]
    named = {f"equation_{i}": e for i, e in enumerate(system.equations)}
    for j, derive in enumerate(along):
        named |= {f"jacobian_{i}_{j}": derive(e) for i, e in enumerate(system.equations)}
    named |= {f"observable_{o}": e for o, e in system.observables.items()}
    open_system = System((), (*system.equations, *system.observables.values()), named, blocks=())
    # unknowns are parameters of this program; the path may lead them to either sign
    lowered, names = build(open_system, (*program.parameters, *derivatives, *system.unknowns), find_directions(system))
    title = f"Equations and Jacobian of {model.name!r}"
    return Kernel.from_source(write_kernel(lowered, names, title, loops=False))


def _direction(program, system, over, moved):
    """Return the parameters of the program that vary, with their derivatives: 1, or a symbol if there are several."""
    symbols = {s.name: s for s in program.parameters}
    if moved in ((), (over,)):
        return {symbols[n]: Integer(1) for n in moved}
    taken = {s.name for e in (*system.equations, *system.observables.values()) for s in e.atoms(Symbol)}
    taken |= {*symbols, *(u.name for u in system.unknowns)}
    return {symbols[n]: Symbol(make_free_name(f"rate_{n}", taken), real=True) for n in moved}


#: coarsest quadrature rule of a path, accepted residual, and accepted change by a finer rule
_FIRST_LEVEL, _SOLVED, _SETTLED = 3, 1e-9, 1e-11


class TornEquations(_PathEquations):
    """Evaluate equations as :class:`Equations`, of fewer unknowns, between the ends ``first`` and ``last`` of a path.

    The tangents of ``model`` are made by :class:`~asympkit.sensitivity.complex_step.ComplexStep`.
    """

    #: the quadrature rule is chosen at the ends of the path
    is_resolved, accuracy = None, _SOLVED

    def __init__(self, model, over, parameters, first, last):
        self.model, self.over, self.parameters, self.refusal = model, over, parameters, ""
        self.module = model.kernel.module
        self.unknowns, self.size = self.module.TORN, len(self.module.TORN)
        self.domain = [model.kernel.options.intervals.get(n, (-np.inf, np.inf)) for n in self.unknowns]
        ends = [(p, model.tangent(over, {**parameters, over: p.shown[over]}, p)) for p in (first, last)]
        self.kernel, self.has_fixed_tables = ends[0][1].kernel, over not in model.table_names
        self.level = max(self._level_at(*end) for end in ends)
        self.tables = self._tables(*ends[0], self.level) if self.has_fixed_tables else None
        self.known = {}

    def _evaluated(self, y):
        return self.kernel.module.newton_equations(*self._at(y[-1]), y[:-1])

    def quantities(self, rows):
        """Return unknowns and observables at points, as dicts of arrays."""
        out = np.hstack([self.kernel.module.outputs_at(*self._at(row[-1]), row[:-1]) for row in rows])
        found = dict(zip(self.module.OUTPUTS, out))
        return {u: found[u] for u in self.module.UNKNOWNS}, {o: found[o] for o in self.module.OBSERVABLES}

    def _computed(self, parameters, point):
        """Return parameters and derivatives, and tables."""
        tangent = self.model.tangent(self.over, parameters, point)
        return tangent.values, self.tables if self.has_fixed_tables else self._tables(point, tangent, self.level)

    def _tables(self, point, tangent, level):
        return self.kernel.tables(level, tangent.tables_at(point), self.model.activations, point.arrays)[0]

    def _level_at(self, point, tangent):
        """Return the coarsest quadrature rule that is fine enough for an end of the path.

        All points of a path use one rule, so that they lie on one smooth curve."""
        before = None
        for level in range(_FIRST_LEVEL, self.kernel.levels):
            out = self.kernel.batch(tangent.values, self._tables(point, tangent, level), far=before is None)[0][:, 0]
            if not out[RESIDUAL] <= _SOLVED:                      # the path may turn before an end: no solution
                return level
            if before is not None and self.kernel.change(out, before) <= _SETTLED:
                return level
            before = out
        raise ConvergenceError("continuation: the averages did not reach the accuracy that a path needs at its ends; "
                               "move the parameters")
