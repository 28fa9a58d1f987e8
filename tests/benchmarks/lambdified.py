"""The thirteen equations of a one-step theory, handed to a general root finder.

``model.equations()`` gives them in sympy.  Every average becomes a sum over fixed nodes, ``lambdify`` makes numpy of
the integrands, and ``scipy.optimize.root`` solves for all unknowns at once.  The conditional means of student and
target do not depend on the unknowns: they are computed on the nodes once, before the solution.
"""

import numpy as np
from scipy.optimize import root
from sympy import Dummy, Float, lambdify

from asympkit.gauss import Gaussian
from asympkit.nodes import Average, Named, averages, bind


class Lambdified:
    """The equations at one point with beta = 1 and no noise, as functions of the array of all unknowns.

    Parameters
    ----------
    model : asympkit.OneStep
    parameters : dict
        eta, alpha0, alpha and lam.
    size : int
        Nodes of every rule: Gauss-Hermite for Gaussian averages, and for the Marchenko-Pastur law Chebyshev's of the
        second kind in the square root of the eigenvalue.
    """

    def __init__(self, model, parameters, size):
        system, step = model.equations(), model.parameters_at(eta=parameters["eta"], alpha0=parameters["alpha0"])
        self.unknowns, self.functions = system.unknowns, model.functions
        given = {"beta": 1.0, "noise_variance": 0.0, **parameters, **step, "rho": np.sqrt(1 - step["gamma"] ** 2)}
        nodes, weights = np.polynomial.hermite_e.hermegauss(size)
        self.normal = nodes, weights / np.sqrt(2 * np.pi)
        angles = np.pi * np.arange(1, size + 1) / (size + 1)
        self.spectral = 4 * step["c"] * np.cos(angles) ** 2, 2 / (size + 1) * np.sin(angles) ** 2
        self.tables, self.means = {}, {}          # conditional mean: (symbol, values), average: symbol
        expressions = [*system.equations, system.observables["test_error"]]
        numbers = {s: Float(given[s.name]) for e in expressions for s in e.free_symbols if s.name in given}
        *equations, observable = (self._plain(e.xreplace(numbers)) for e in expressions)
        self._sums = [self._sum(average) for average in self.means]
        arguments = [*self.unknowns, *self.means.values()]
        self._equations, self._observable = (lambdify(arguments, e, cse=True) for e in (equations, observable))

    def residual(self, x):
        return np.array(self._equations(*x, *(mean(*x) for mean in self._sums)))

    def solve(self, start, tolerance):
        """Test error from the root, as a user finds it: nothing is known but a start."""
        found = root(self.residual, start, method="hybr", tol=tolerance)
        if not found.success:
            raise RuntimeError(f"scipy.optimize.root: {found.message}")
        return self._observable(*found.x, *(mean(*found.x) for mean in self._sums))

    def _plain(self, expr):
        """The expression with a symbol for each average, and for each table on the nodes."""
        if isinstance(expr, Named):
            if expr.free_symbols & set(self.unknowns) or not expr.has(Average):
                return self._plain(expr.expr)
            return self._table(expr)
        if isinstance(expr, Average):
            return self.means.setdefault(expr, Dummy("mean"))
        return expr.func(*map(self._plain, expr.args)) if expr.args else expr

    def _sum(self, average):
        """The average as a function of the unknowns."""
        if isinstance(average.measure, Gaussian):
            (nodes, weights), integrand = self.normal, average.integrand
        else:
            (nodes, weights), integrand = self.spectral, average.integrand.subs(dict(average.measure.args[3]))
        body = self._plain(integrand)
        tables = {symbol: values for symbol, values in self.tables.values() if body.has(symbol)}
        body = lambdify([*self.unknowns, average.bound_symbols[0], *tables], body, cse=True)
        return lambda *x: np.dot(weights, body(*x, nodes, *tables.values()))

    def _table(self, named):
        """The symbol of a conditional mean, whose values on the nodes are computed once."""
        if named not in self.tables:
            (kappa,), (average,) = named.free_symbols, averages(named.expr)
            (z,), body = average.bound_symbols, bind(self._plain(average.integrand), self.functions)
            inner, (nodes, weights), mean = dict(self.tables.values()), self.normal, Dummy("mean")
            body = lambdify([z, kappa, *inner], body)
            values = body(nodes, nodes[:, None], *(v[:, None] for v in inner.values())) @ weights
            whole = lambdify(mean, named.expr.xreplace({average: mean}))
            self.tables[named] = Dummy(named.label), whole(values)
        return self.tables[named][0]
