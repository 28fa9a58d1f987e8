"""Number systems of the interpreter: float64, and multiprecision numbers with the methods that a program needs."""

from ..numbers.evaluation import Digits as Numbers
from ..numbers.evaluation import Floats, evaluate

__all__ = ["MOST_GUARD", "Floats", "MultiprecisionNumbers"]

#: the most guard digits, where small means need them
MOST_GUARD = 200


class MultiprecisionNumbers(Numbers):
    """mpmath numbers that can also evaluate closed averages and the maps of a theory."""

    def average(self, expr):
        """Evaluate a closed average, without free symbols."""
        found = expr.evalf(self.mp.dps)
        if hasattr(found, "p"):                 # such as an exact 0
            return self.rational(int(found.p), int(found.q))
        return self.mp.mpf(found._mpf_)

    def explicit(self, program, values, functions):
        """Return unknowns and observables of a program of explicit equations, at parameters by symbol."""
        from .precise import solve_precisely

        found, _ = solve_precisely(program, lambda more: {s: more.mp.mpf(values[s]) for s in program.parameters}, {},
                                   functions, digits=self.mp.dps)
        return {s: self.mp.mpf(found[s]) for s in (*program.unknowns, *program.observables.values())}

    def scalar_map(self, mapping, values, functions):
        """Evaluate a :class:`~asympkit.program.ScalarMap`, ``{output name: number}``."""
        value = self.prepared(mapping, values, functions)
        return {name: value(e) for name, e in mapping.outputs}

    def prepared(self, mapping, values, functions, given=None):
        """Compute the means of a map and return its evaluator; named numbers in ``given`` are not computed."""
        from .digits_tables import prepare_map

        known = prepare_map(mapping, values, functions, self, given or {})
        return lambda expr: evaluate(expr, known, self)

    def is_zero(self, x):
        """Return whether a number is exactly 0."""
        return x == 0

    def is_doubtful(self, x):
        """Return whether a mean may be the rounding of one that vanishes."""
        return abs(x) <= self.mp.mpf(10) ** -(self.mp.dps // 2)
