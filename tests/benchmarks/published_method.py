"""The published way to solve one large gradient step (arXiv 2402.04980), by numpy and scipy alone.

All seven order parameters are iterated jointly with damping.  Each conjugate is an adaptive integral over
the projection on the spike, whose integrand evaluates Gauss-Hermite rules for the conditional means there.
Spectral averages are sums over the eigenvalues of one sampled matrix.  p = d (beta = 1).
"""

import numpy as np
from scipy.integrate import quad

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(19)
WEIGHTS = WEIGHTS / np.sqrt(2 * np.pi)
NAMES = ("V1", "V2", "q1", "q2", "theta", "psi", "m")


def gaussian_mean(f):
    return np.dot(WEIGHTS, f(NODES))


def step_parameters(student, slope, target, eta, alpha0):
    """Spike strength r, overlap gamma and squared row norm c after the step."""
    h1 = gaussian_mean(lambda z: z * student(z))
    spread = gaussian_mean(lambda z: (slope(z) - h1) ** 2)
    t1 = gaussian_mean(lambda z: z * target(z))
    t2 = gaussian_mean(lambda z: target(z) ** 2)
    length = np.sqrt(t1**2 + t2 / alpha0)
    return eta * h1 * length, t1 / length, 1 + eta**2 * t2 * spread / alpha0


class Spectrum:
    """Eigenvalues D of the bulk; squared overlaps F with the spike, H with the rest of the target."""

    def __init__(self, d, c, rng):
        w = rng.standard_normal((d, d))
        w *= np.sqrt(c) / np.linalg.norm(w, axis=1)[:, None]
        v, rest = np.linalg.qr(rng.standard_normal((d, 2)))[0].T * np.sqrt(d)
        wv = w @ v
        projected = w - np.outer(wv, v) / d
        self.D, u = np.linalg.eigh(projected @ projected.T)
        self.F, self.H = (u.T @ wv) ** 2, (u.T @ (w @ rest)) ** 2


class PublishedMethod:
    """Fixed point of the seven order parameters for one student, target, (r, gamma, c) and matrix."""

    def __init__(self, student, target, r, gamma, c, spectrum):
        self.student, self.target, self.spectrum = student, target, spectrum
        self.r, self.gamma, self.c, self.rho = r, gamma, c, np.sqrt(1 - gamma**2)

    def features(self, kappa):
        """mu0, mu1, mu2**2 of the student at one projection on the spike."""
        s = self.student(self.r * kappa + np.sqrt(self.c) * NODES)
        mu0, mu1 = WEIGHTS @ s, WEIGHTS @ (NODES * s) / np.sqrt(self.c)
        return mu0, mu1, max(WEIGHTS @ s**2 - mu0**2 - self.c * mu1**2, 0.0)

    def labels(self, kappa):
        """h, hz, hzz of the target at one projection on the spike."""
        y = self.target(self.gamma * kappa + self.rho * NODES)
        return WEIGHTS @ y, WEIGHTS @ (NODES * y), WEIGHTS @ y**2

    def average(self, integrand, x):
        """Mean over kappa of a function of (x, mu0, mu1, mu2sq, h, hz, hzz, kappa, 1 + V)."""
        def at(kappa):
            mu0, mu1, mu2sq = self.features(kappa)
            response = 1 + mu1**2 * x["V1"] + mu2sq * x["V2"]
            weight = np.exp(-(kappa**2) / 2) / np.sqrt(2 * np.pi)
            return weight * integrand(x, mu0, mu1, mu2sq, *self.labels(kappa), kappa, response)

        return quad(at, -np.inf, np.inf)[0]

    @staticmethod
    def risk(x, mu0, mu1, mu2sq, h, hz, hzz, kappa, response):
        mean = mu0 * x["m"] + kappa * mu1 * x["theta"]
        return hzz + mean**2 - 2 * mean * h - 2 * mu1 * x["psi"] * hz + mu1**2 * x["q1"] + mu2sq * x["q2"]

    def update(self, x, alpha, lam):
        """One step of all seven."""
        def hat(f):
            return alpha * self.average(f, x)

        Vhat1 = hat(lambda x, mu0, mu1, mu2sq, h, hz, hzz, k, u: mu1**2 / u)
        Vhat2 = hat(lambda x, mu0, mu1, mu2sq, h, hz, hzz, k, u: mu2sq / u)
        qhat1 = hat(lambda x, *a: a[1] ** 2 * self.risk(x, *a) / a[-1] ** 2)
        qhat2 = hat(lambda x, *a: a[2] * self.risk(x, *a) / a[-1] ** 2)
        thetahat = hat(lambda x, mu0, mu1, mu2sq, h, hz, hzz, k, u:
                       k * mu1 * (h - mu0 * x["m"] - k * mu1 * x["theta"]) / u)
        psihat = hat(lambda x, mu0, mu1, mu2sq, h, hz, hzz, k, u: mu1 * hz / u)
        pull = hat(lambda x, mu0, mu1, mu2sq, h, hz, hzz, k, u: mu0 * (h - k * mu1 * x["theta"]) / u)
        size = hat(lambda x, mu0, mu1, mu2sq, h, hz, hzz, k, u: mu0**2 / u)
        D, F, H = self.spectrum.D, self.spectrum.F, self.spectrum.H
        S = lam + Vhat2 + Vhat1 * D
        source = (qhat1 * D + qhat2 + thetahat**2 * F + psihat**2 * H) / S**2
        return {"V1": np.mean(D / S), "V2": np.mean(1 / S), "q1": np.mean(D * source), "q2": np.mean(source),
                "theta": thetahat * np.mean(F / S), "psi": psihat * np.mean(H / S), "m": pull / size}

    def solve(self, alpha, lam, start=None, damping=0.5, tolerance=1e-4, limit=1000):
        """Order parameters, test error and number of steps; warm start from an earlier point."""
        x = dict(start or dict.fromkeys(NAMES, 0.5))
        for step in range(1, limit + 1):
            new = self.update(x, alpha, lam)
            new = {n: damping * x[n] + (1 - damping) * new[n] for n in NAMES}
            moved = max(abs(new[n] - x[n]) for n in NAMES)
            x = new
            if moved < tolerance:
                return x, self.average(self.risk, x), step
        raise RuntimeError(f"alpha={alpha}, lam={lam}: still moving by {moved:.1e} after {limit} steps")
