"""One point at which the whole theory is solved in floats and compared with an experiment."""

import math
from functools import cache

from sympy import Add, Mul, Pow, lambdify, sin

from asympkit.nodes import Average, Named, remove_names
from asympkit.spectra import MPResolvent
from asympkit.theories.spiked_features import equations as spiked_equations

from .functions import chosen, on_sphere
from .linear_pairs import norm_solution, overlap_solution
from .saddle import eqs_of

s = spiked_equations.symbols()

#: where the whole theory is compared with an experiment
POINT = {s.r: 1.0, s.gamma: 0.8, s.rho: 0.6, s.c: 1.0, s.alpha: 2.0, s.beta: 1.0, s.lam: 0.05,
         s.noise_variance: 0.1}


@cache
def solution():
    """All thirteen unknowns at ``POINT``, sin on sin, by iteration of the pair and two linear solves.

    Returns
    -------
    point : dict of Symbol to float
    values : Floats
        Evaluates expressions of the theory there.
    """
    values, u = Floats(), spiked_equations.moments()
    for name in ("mu0", "mu1", "mu2sq", "h", "hz", "hzz"):
        values.tabulate(getattr(u, name))
    point = dict(POINT) | {s.V1: POINT[s.c] / POINT[s.lam], s.V2: 1 / POINT[s.lam]}
    pair = eqs_of(s.V1)
    for _ in range(2000):
        point |= {x: values.value(pair[x], point) for x in (s.Vhat1, s.Vhat2)}
        new = {x: values.value(pair[x].doit(), point) for x in (s.V1, s.V2)}
        moved = max(abs(new[x] - point[x]) for x in new)
        point |= new
        if moved < 1e-13:
            break
    theta, m = overlap_solution()
    point |= {s.theta: values.value(theta, point), s.m: values.value(m, point)}
    hats = eqs_of(s.theta) | eqs_of(s.psihat)
    point |= {x: values.value(hats[x], point) for x in (s.thetahat, s.psihat)}
    point[s.psi] = values.value(eqs_of(s.psi)[s.psi].doit(), point)
    point |= {x: values.value(e.doit(), point) for x, e in zip((s.q1, s.q2), norm_solution())}
    for x in (s.qhat1, s.qhat2):
        point[x] = values.value(eqs_of(s.q1)[x], point)
    return point, values


@cache
def predicted_error():
    """The test error there."""
    point, values = solution()
    return values.value(spiked_equations.ridge().observables()["test_error"], point)


class Floats:
    """Values in float64: averages over kappa on a grid, conditional moments of sin from their closed form."""

    def __init__(self):
        import numpy as np

        self.nodes = np.linspace(-9.5, 9.5, 191)
        self.weights = np.exp(-self.nodes**2 / 2) / np.sqrt(2 * np.pi) * (self.nodes[1] - self.nodes[0])
        self.tables = {}

    def tabulate(self, named):
        closed = remove_names(chosen(named, sin(s.z), sin(s.z))).doit().subs(POINT)
        self.tables[named.label] = lambdify(s.kappa, closed, "numpy")(self.nodes)

    def value(self, expr, point):
        if expr in point:
            return point[expr]
        if isinstance(expr, Named):
            found = self.tables.get(expr.label)
            return self.value(expr.expr, point) if found is None else found
        if isinstance(expr, Average):
            return self.weights @ self.value(expr.integrand, point | {expr.bound_symbols[0]: self.nodes})
        if expr.is_Number:
            return float(expr)
        args = [self.value(a, point) for a in expr.args]
        if isinstance(expr, Add):
            return sum(args)
        if isinstance(expr, Mul):
            return math.prod(args)
        if isinstance(expr, Pow):
            return args[0] ** args[1]
        if isinstance(expr, MPResolvent):
            a, b, c, beta = args
            middle = b + a * c - beta * a * c
            return 2 / (middle + (middle**2 + 4 * beta * a * c * b) ** 0.5)
        raise TypeError(f"{expr}: no value")


def ridge(rng, d):
    """Test error of ridge regression, a mean over some samples of features and data, and its limit."""
    return sum(_ridge_once(rng, d) for _ in range(6)) / 6, predicted_error()


def _ridge_once(rng, d):
    import numpy as np

    frame = np.linalg.qr(rng.standard_normal((d, 2)))[0] * d**0.5
    weights = on_sphere(rng, d, d) + POINT[s.r] / d**0.5 * frame[:, 0]
    direction = frame @ [POINT[s.gamma], POINT[s.rho]]
    x = rng.standard_normal((2 * d + 2000, d))
    y = np.sin(x @ direction / d**0.5) + POINT[s.noise_variance] ** 0.5 * rng.standard_normal(len(x))
    features = np.sin(x @ weights.T) / d**0.5
    seen, unseen = slice(0, 2 * d), slice(2 * d, None)
    matrix = features[seen].T @ features[seen] + POINT[s.lam] * np.eye(d)
    readout = np.linalg.solve(matrix, features[seen].T @ y[seen])
    return np.mean((y[unseen] - features[unseen] @ readout) ** 2)
