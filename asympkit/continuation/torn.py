"""Evaluate the equations of the iteration variables, and their Jacobian, by the kernel of a theory.

The other unknowns follow from these.  No program is compiled: the Jacobian by the unknowns is Newton's matrix, that by
the parameter is a complex step, so that large systems can be followed without delay.
"""

import numpy as np

from ..errors import ConvergenceError, DomainError

__all__ = ["TornEquations"]

#: coarsest quadrature rule of a path, accepted residual, and accepted change by a finer rule
_LEVEL, _SOLVED, _CHANGE = 3, 1e-9, 1e-11


class TornEquations:
    """Evaluate equations as :class:`.equations.Equations`, of fewer unknowns.

    Parameters
    ----------
    model : Model
        Its tangents are made by :class:`~asympkit.sensitivity.complex_step.ComplexStep`.
    over : str
        The parameter of the path.
    parameters : dict
        All others.
    first, last : Point
        Ends of the path.

    Attributes
    ----------
    unknowns, domain
        As for :class:`.equations.Equations`.
    refusal : str
        The error of the last point that the theory rejected; empty before.
    """

    #: the quadrature rule is chosen at the ends of the path
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
        """Return equations (n,) and derivatives (n, n + 1) at a point; NaN if the theory rejects it."""
        n = self.size
        try:
            values, tables = self._at(y[-1])
        except DomainError as error:
            self.refusal = str(error)
            return np.full(n, np.nan), np.full((n, n + 1), np.nan)
        return self.kernel.module.newton_equations(values, tables, y[:-1])

    def quantities(self, rows):
        """Return unknowns and observables at points, as dicts of arrays."""
        out = np.hstack([self.kernel.module.outputs_at(*self._at(row[-1]), row[:-1]) for row in rows])
        found = dict(zip(self.module.OUTPUTS, out))
        return {u: found[u] for u in self.module.UNKNOWNS}, {o: found[o] for o in self.module.OBSERVABLES}

    def _at(self, value):
        """Return parameters and derivatives at a value of the parameter, and tables.

        The last values are cached, because a path evaluates each of its points twice."""
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
        """Return the coarsest quadrature rule that is fine enough for an end of the path.

        All points of a path use one rule, so that they lie on one smooth curve."""
        before = None
        for level in range(_LEVEL, self.kernel.levels):
            out = self.kernel.batch(tangent.values, self._tables(point, tangent, level), far=before is None)[0][:, 0]
            if not out[-2] <= _SOLVED:                      # the path may turn before an end: no solution
                return level
            if before is not None and self.kernel.change(out, before) <= _CHANGE:
                return level
            before = out
        raise ConvergenceError("continuation: the averages did not reach the accuracy that a path needs at its ends; "
                               "move the parameters")
