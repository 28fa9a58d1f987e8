"""The equations of a theory and their Jacobian, in all unknowns and in one parameter of the theory, as one program."""

import numpy as np
from sympy import Integer, Symbol

from ..equations.system import System
from ..errors import DomainError
from ..program import build
from ..program.directions import find_directions
from ..sensitivity.directional import directional
from ..sensitivity.tangent import fresh

__all__ = ["Equations"]

#: refinement of the averages, where the rule is ours: one that stays the same along the path, so that points are those
#: of one smooth curve; and how far a finer rule may change an equation, relative to its terms
_LEVEL, _CHANGE, _TINY = 8, 1e-10, 1e-12


class Equations:
    """Equations, their Jacobian in all unknowns and a parameter, and the observables, at given unknowns.

    Parameters
    ----------
    model : Model
    over : str
        The parameter.
    parameters : dict
        All others.
    first : Point
        Where the path begins.

    Attributes
    ----------
    unknowns : tuple of str
    domain : list of (float, float)
        The closed interval of each.
    refusal : str
        Why the theory refused the last point that it refused; empty before.

    Notes
    -----
    A parameter p moves parameters P of the program: itself, and quantities that are derived from it.  The equations are
    differentiated along the direction of their rates, dF/dp = sum of dF/dP * dP/dp, where the theory says P and dP/dp
    at every p.
    """

    def __init__(self, model, over, parameters, first):
        from ..codegen import write_kernel
        from ..solve.kernel import Kernel

        system, (program, _) = model.system, model.program
        self.model, self.over, self.parameters, self.refusal = model, over, parameters, ""
        self.unknowns = tuple(u.name for u in system.unknowns)
        self.domain = [system.intervals.get(u, (0.0 if u.is_positive else -np.inf, np.inf)) for u in system.unknowns]
        self.observables, self.size = tuple(system.observables), len(system.equations)
        self.moved = tuple(model.rates(over, parameters, first))
        direction = _direction(program, system, over, self.moved)
        self.rates = tuple(r for r in direction.values() if isinstance(r, Symbol))
        along = [directional({u: 1}) for u in system.unknowns] + [directional(direction)]
        named = {f"equation_{i}": e for i, e in enumerate(system.equations)}
        for j, derive in enumerate(along):
            named |= {f"jacobian_{i}_{j}": derive(e) for i, e in enumerate(system.equations)}
        named |= {f"observable_{o}": e for o, e in system.observables.items()}
        open_system = System((), (*system.equations, *system.observables.values()), named, blocks=())
        # unknowns are parameters of this program; the path may lead them to either sign
        lowered, names = build(open_system, (*program.parameters, *self.rates, *system.unknowns),
                               find_directions(system))
        title = f"Equations and Jacobian of {model.name!r}"
        self.kernel = Kernel.from_source(write_kernel(lowered, names, title, loops=False))
        tables = {s.name for s in program.table_parameters}
        self.has_fixed_tables, self.arrays, self.first = tables.isdisjoint(self.moved), first.arrays, first
        self.features, self.places = [], []
        self._use(min(_LEVEL, self.kernel.levels - 1) if self.kernel.is_refinable else 1)

    def __call__(self, y):
        """Equations, of shape (n,), and derivatives, of shape (n, n + 1); NaN where the theory refuses the point."""
        n = self.size
        try:
            out = self._outputs(np.atleast_2d(y))[:, 0]
        except DomainError as error:
            self.refusal = str(error)
            return np.full(n, np.nan), np.full((n, n + 1), np.nan)
        return out[:n], out[n:n + n * (n + 1)].reshape(n + 1, n).T

    def is_resolved(self, y):
        """Tell whether the averages are those of another rule at a point, and step over no narrow feature.

        The other rule is finer, or the next coarser one, of which the finest is nearly the square in accuracy.  An
        equation may change by a share of its terms, the products of derivatives and unknowns.

        Returns
        -------
        bool or None
            None where nodes were placed anew, around narrow features at the point: it is to be solved again.
        """
        if not self.kernel.is_refinable:
            return True
        n = self.size
        missed, is_over = self._missed(y, min(self.levels), self.places)
        if not (missed or is_over):
            one, other = (self._outputs(y[None], which)[:, 0] for which in (0, 1))
            sizes = np.abs(one[n:n + n * (n + 1)].reshape(n + 1, n).T) @ np.abs(y) + _TINY
            allowed = _CHANGE if self.levels[1] > self.levels[0] else _CHANGE ** 0.7
            if np.all(np.abs(one[:n] - other[:n]) <= allowed * sizes):
                return True
            missed, _ = self._missed(y, 0, [])              # features that rules meet, but not to this accuracy
        if missed and missed != self.features:
            self._place(missed)
            return None
        return False

    def _missed(self, y, level, places):
        """Features at a point that nodes are to be placed around, and whether the rules step over others."""
        found, module = dict(zip(self.unknowns, y)), self.model.kernel.module
        values, out = self._at(y[-1])[0], [found.get(n, 0.0) for n in module.OUTPUTS]
        return self.model.kernel.missed(level, values[:len(module.PARAMETERS)], out, places)

    def _place(self, features):
        """Place nodes around features, those of the point before kept: what lies between has nodes too."""
        self.features, self.places = features, [*features, *self.features]
        self._use(self.levels[0])

    def refine(self):
        """Take a finer rule; returns whether there was one."""
        at, top = self.levels[0], self.kernel.levels - 1
        self._use(min(at + 2, top))
        return at < top

    def _use(self, level):
        self.levels, self.known = (level, level + 1 if level + 1 < self.kernel.levels else level - 1), {}
        self.tables = self._tables(self.first) if self.has_fixed_tables else None

    def quantities(self, rows):
        """Unknowns and observables at points, as dicts of arrays."""
        out = np.hstack([self._observed(row) for row in rows]) if self.places else self._outputs(rows)
        return dict(zip(self.unknowns, rows[:, :-1].T)), dict(zip(self.observables, out[self.size * (self.size + 2):]))

    def _observed(self, row):
        missed, _ = self._missed(row, min(self.levels), self.places)
        if missed:
            self._place(missed)
        return self._outputs(row[None])

    def _outputs(self, rows, which=0):
        """Outputs at points by the rule of the path, or by the other one."""
        at = [self._at(p) for p in rows[:, -1]]
        values = np.array([values for values, _ in at]).T
        if self.has_fixed_tables:
            return self.kernel.batch([*values, *rows[:, :-1].T], self.tables[which])[0]
        return np.hstack([self.kernel.batch([*values[:, i:i + 1], *row[:-1, None]], tables[which])[0]
                          for i, (row, (_, tables)) in enumerate(zip(rows, at))])

    def _at(self, value):
        """Parameters and rates of the program at a value of the parameter, and tables if they move; the last are kept
        (a path asks twice for the points that it takes)."""
        value = float(value)
        if value not in self.known:
            parameters = {**self.parameters, self.over: value}
            point = self.model.located(parameters)
            rates = self.model.rates(self.over, parameters, point) if self.rates else {}
            tables = None if self.has_fixed_tables else self._tables(point)
            self.known = dict([*self.known.items()][-2:])
            self.known[value] = (*point.values, *(rates[n] for n in self.moved if self.rates)), tables
        return self.known[value]

    def _tables(self, point):
        levels = self.levels if self.kernel.is_refinable else self.levels[:1]
        made = self.kernel.ladder(levels, point.table_parameters, self.model.activations, self.arrays,
                                  places=self.places)
        return [tables for tables, _, _ in made]


def _direction(program, system, over, moved):
    """The parameters of the program that move, and how fast: 1, or a symbol where there is more than the parameter."""
    symbols = {s.name: s for s in program.parameters}
    if moved in ((), (over,)):
        return {symbols[n]: Integer(1) for n in moved}
    taken = {s.name for e in (*system.equations, *system.observables.values()) for s in e.atoms(Symbol)}
    taken |= {*symbols, *(u.name for u in system.unknowns)}
    return {symbols[n]: Symbol(fresh(f"rate_{n}", taken), real=True) for n in moved}
