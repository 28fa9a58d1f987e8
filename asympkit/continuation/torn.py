"""The equations of the unknowns that Newton's method solves for, and their Jacobian, by the kernel of a theory.

The other unknowns follow from these.  No program is made: the Jacobian by the unknowns is Newton's matrix, that by the
parameter is a complex step, so that large systems are followed as soon as they can be solved.
"""

import numpy as np

from ..errors import ConvergenceError, DomainError

__all__ = ["TornEquations"]

#: coarsest rule of a path, residual with which a point counts as solved, and how far a finer rule may move it
_LEVEL, _SOLVED, _CHANGE = 3, 1e-9, 1e-11


class TornEquations:
    """As :class:`.equations.Equations`, of fewer unknowns.

    Parameters
    ----------
    model : Model
        Whose tangents are made by :class:`~asympkit.sensitivity.complex_step.ComplexStep`.
    over : str
        The parameter of the path.
    parameters : dict
        All others.
    first, last : Point
        Where the path begins, and where it leads.

    Attributes
    ----------
    unknowns, domain
        As of :class:`.equations.Equations`.
    refusal : str
        Why the theory refused the last point that it refused; empty before.
    """

    #: the rule is that of the ends of the path
    is_resolved = None

    def __init__(self, model, over, parameters, first, last):
        self.model, self.over, self.parameters, self.refusal = model, over, parameters, ""
        self.module = model.kernel.module
        self.unknowns, self.size = self.module.TORN, len(self.module.TORN)
        self.domain = [model.kernel.intervals.get(n, (-np.inf, np.inf)) for n in self.unknowns]
        ends = [(p, model.tangent(over, {**parameters, over: p.shown[over]}, p)) for p in (first, last)]
        self.kernel, self.has_fixed_tables = ends[0][1].kernel, over not in model.table_names
        self.level = max(self._level_at(*end) for end in ends)
        self.tables = self._tables(*ends[0], self.level) if self.has_fixed_tables else None
        self.known = {}

    def __call__(self, y):
        """Equations, of shape (n,), and derivatives, of shape (n, n + 1); NaN where the theory refuses the point."""
        n = self.size
        try:
            values, tables = self._at(y[-1])
        except DomainError as error:
            self.refusal = str(error)
            return np.full(n, np.nan), np.full((n, n + 1), np.nan)
        return self.kernel.module.newton_equations(values, tables, y[:-1])

    def quantities(self, rows):
        """Unknowns and observables at points, as dicts of arrays."""
        out = np.hstack([self.kernel.module.outputs_at(*self._at(row[-1]), row[:-1]) for row in rows])
        found = dict(zip(self.module.OUTPUTS, out))
        return {u: found[u] for u in self.module.UNKNOWNS}, {o: found[o] for o in self.module.OBSERVABLES}

    def _at(self, value):
        """Parameters and rates at a value of the parameter, and tables; the last are kept (a path asks twice for the
        points that it takes)."""
        value = float(value)
        if value not in self.known:
            at = {**self.parameters, self.over: value}
            point = self.model.located(at)
            tangent = self.model.tangent(self.over, at, point)
            tables = self.tables if self.has_fixed_tables else self._tables(point, tangent, self.level)
            self.known = dict([*self.known.items()][-2:])
            self.known[value] = tangent.values, tables
        return self.known[value]

    def _tables(self, point, tangent, level):
        return self.kernel.tables(level, tangent.tables_at(point), self.model.activations, point.arrays)[0]

    def _level_at(self, point, tangent):
        """The coarsest rule that is fine enough for an end of the path: all points have one, so that they are of one
        smooth curve."""
        before = None
        for level in range(_LEVEL, self.kernel.levels):
            out = self.kernel.batch(tangent.values, self._tables(point, tangent, level), far=before is None)[0][:, 0]
            if not out[-2] <= _SOLVED:                      # there may be no solution: the path may turn before
                return level
            if before is not None and self.kernel.change(out, before) <= _CHANGE:
                return level
            before = out
        raise ConvergenceError("continuation: the averages did not reach the accuracy that a path needs at its ends; "
                               "move the parameters")
