"""The fixed point of logistic regression on spiked features as one would first write it, with scipy.

Seven order parameters are iterated with damping.  Each conjugate is an integral by ``scipy.integrate.quad`` over the
projection on the spike, whose integrand is another over the prediction there, and each proximal point a minimum by
``minimize_scalar``.  One class of units, labels that are signs of the linear target, no noise; p = d (beta = 1).
"""

import math
from functools import cache

import numpy as np
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

NAMES = ("V1", "V2", "q1", "q2", "theta", "psi", "m")
START = dict(zip(NAMES, (1.0, 1.0, 1.0, 1.0, 0.0, 0.5, 0.0)))
#: where integrals over normals end
REACH = 8.0


def density(x):
    return np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)


class NaiveLogistic:
    """Averages by adaptive integrals, or, to count the steps of the iteration, by sums over fixed nodes."""

    def __init__(self, r, c, gamma):
        self.r, self.c, self.gamma, self.rho = r, c, gamma, math.sqrt(1 - gamma**2)
        self.features = cache(self._features)
        nodes = np.linspace(-9.0, 9.0, 181)
        self.nodes, self.weights = nodes, density(nodes) / density(nodes).sum()
        self.on_nodes = np.array([self._by_sums(kappa) for kappa in nodes]).T[..., None]

    # -- one step -----------------------------------------------------------------------------------

    def update(self, x, alpha, lam, averages):
        """One step of all seven; ``averages`` gives those of eight products of features and functions."""
        Vhat, Vhat2, qhat, qhat2, thetahat, psihat, pull, size = averages(x)
        Vhat, Vhat2, qhat, qhat2, thetahat, psihat = (alpha * h for h in (Vhat, Vhat2, qhat, qhat2, thetahat, psihat))
        c, rest = self.c, lam + Vhat2
        G = 2 / (rest + math.sqrt(rest * rest + 4 * c * rest * Vhat))
        share = 1 / (1 + c * G * Vhat)
        K, N, N2 = Vhat * share, qhat + psihat**2, qhat2 + c * thetahat**2
        moved = (N2 + c * share**2 * N) / (c * c * K * K - 1 / G**2)
        K_moved = share**2 * N - K * K * c * moved
        V1 = c * G - (c * G) ** 2 * K
        q1 = 2 * c * c * moved * K * G + (c * G) ** 2 * K_moved - c * moved
        return {"V1": V1, "V2": G, "q1": q1, "q2": -moved, "theta": c * G * thetahat, "psi": V1 * psihat,
                "m": x["m"] + pull / size}

    def solve(self, alpha, lam, damping=0.5, tolerance=1e-8):
        """Order parameters and number of steps, with sums over nodes in the place of the integrals."""
        x = dict(START)
        for step in range(1, 1000):
            new = self.update(x, alpha, lam, self.by_sums)
            new = {n: damping * x[n] + (1 - damping) * new[n] for n in NAMES}
            moved, x = max(abs(new[n] - x[n]) for n in NAMES), new
            if moved < tolerance:
                return x, step
        raise RuntimeError("the damped iteration did not settle")

    # -- averages by scipy --------------------------------------------------------------------------

    def by_integrals(self, x, few=False):
        """The eight averages over the projection on the spike, each an integral of integrals; or the first alone."""
        def over(function, which):
            def at(kappa):
                return density(kappa) * function(kappa, *self.features(kappa)) * self._inner(x, kappa, which)
            return quad(at, -REACH, REACH)[0]

        averages = ((lambda k, m0, m1, m2: m1 * m1, "bend"), (lambda k, m0, m1, m2: m2, "bend"),
                    (lambda k, m0, m1, m2: m1 * m1, "square"), (lambda k, m0, m1, m2: m2, "square"),
                    (lambda k, m0, m1, m2: k * m1, "slope"), (lambda k, m0, m1, m2: m1, "along"),
                    (lambda k, m0, m1, m2: m0, "slope"), (lambda k, m0, m1, m2: m0 * m0, "floored"))
        return tuple(over(*average) for average in averages[:1 if few else 8])

    def _features(self, kappa):
        def mean(f):
            return quad(lambda z: density(z) * f(z), -REACH, REACH)[0]

        def student(z):
            return math.tanh(self.r * kappa + math.sqrt(self.c) * z)

        mu0, mu1 = mean(student), mean(lambda z: z * student(z)) / math.sqrt(self.c)
        return mu0, mu1, mean(lambda z: student(z) ** 2) - mu0**2 - self.c * mu1**2

    def _inner(self, x, kappa, which):
        C, T, Q, V = self._fields(x, kappa, *self.features(kappa))
        variance = self.rho**2 * (1 - T * T / Q)

        def at(z):
            omega = C + math.sqrt(Q) * z
            A = (self.gamma * kappa + self.rho * T * (omega - C) / Q) / math.sqrt(variance)
            positive, total = 0.5 * math.erfc(-A / math.sqrt(2)), 0.0
            for label, share in ((1, positive), (-1, 1 - positive)):
                f = (self.prox(label, omega, V) - omega) / V
                bend = label * f * (1 - label * f)
                bend /= 1 + V * bend
                total += {"bend": share * bend, "square": share * f * f, "slope": share * f,
                          "along": label * self.rho * density(A) / math.sqrt(variance) * f,
                          "floored": share * max(bend, 0.1 / (1 + V))}[which]
            return density(z) * total

        return quad(at, -REACH, REACH)[0]

    @staticmethod
    def prox(label, omega, V):
        def cost(z):
            return (z - omega) ** 2 / (2 * V) + np.logaddexp(0.0, -label * z)

        return minimize_scalar(cost, bracket=(omega, omega + label * V), tol=1e-12).x

    @staticmethod
    def _fields(x, kappa, mu0, mu1, mu2sq):
        return (mu0 * x["m"] + kappa * mu1 * x["theta"], mu1 * x["psi"], mu1**2 * x["q1"] + mu2sq * x["q2"],
                mu1**2 * x["V1"] + mu2sq * x["V2"])

    # -- the same averages by sums ------------------------------------------------------------------

    def _by_sums(self, kappa):
        s = np.tanh(self.r * kappa + math.sqrt(self.c) * self.nodes)
        mu0, mu1 = self.weights @ s, self.weights @ (self.nodes * s) / math.sqrt(self.c)
        return mu0, mu1, self.weights @ s**2 - mu0**2 - self.c * mu1**2

    def by_sums(self, x):
        """The eight averages on fixed nodes, proximal points by Newton's method."""
        kappa, (mu0, mu1, mu2sq) = self.nodes[:, None], self.on_nodes
        C, T, Q, V = self._fields(x, kappa, mu0, mu1, mu2sq)
        omega, variance = C + np.sqrt(Q) * self.nodes, self.rho**2 * (1 - T * T / Q)
        A = (self.gamma * kappa + self.rho * T * (omega - C) / Q) / np.sqrt(variance)
        positive = 0.5 * np.vectorize(math.erfc)(-A / math.sqrt(2))
        bend = square = slope = along = floored = 0.0
        for label, share in ((1, positive), (-1, 1 - positive)):
            f = slopes(label * omega, V)
            curve = f * (1 - f) / (1 + V * f * (1 - f))
            bend, square = bend + share * curve, square + share * f * f
            slope, floored = slope + share * label * f, floored + share * np.maximum(curve, 0.1 / (1 + V))
            along = along + self.rho * density(A) / np.sqrt(variance) * f
        found = {"bend": bend, "square": square, "slope": slope, "along": along, "floored": floored}
        inner = {name: (values @ self.weights)[:, None] for name, values in found.items()}
        return tuple(float(np.sum(self.weights[:, None] * factor * inner[which])) for factor, which in (
            (mu1**2, "bend"), (mu2sq, "bend"), (mu1**2, "square"), (mu2sq, "square"), (kappa * mu1, "slope"),
            (mu1, "along"), (mu0, "slope"), (mu0**2, "floored")))


def slopes(t, V):
    """f = 1/(1 + exp(t + V*f)) by halving and Newton's method."""
    low, high = np.zeros(t.shape), np.ones(t.shape)
    for _ in range(12):
        f = 0.5 * (low + high)
        above = f > 1 / (1 + np.exp(t + V * f))
        low, high = np.where(above, low, f), np.where(above, f, high)
    f = 0.5 * (low + high)
    for _ in range(6):
        s = 1 / (1 + np.exp(t + V * f))
        f = f - (f - s) / (1 + V * s * (1 - s))
    return f
