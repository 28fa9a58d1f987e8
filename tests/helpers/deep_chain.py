"""The chain solved for its one unknown, the effective ridge of the inputs, by a bracket; nothing of the package."""

import numpy as np
from scipy.optimize import brentq


def errors(alpha, lam, noise, widths, kappa1, kappastar, spectrum, rho, transmitted, shared=0):
    """Test and train error; ``kappa1`` and ``kappastar`` are the squares, layer by layer."""
    e, sizes = np.asarray(spectrum, dtype=float), [1.0, *widths]
    variances = [e.mean()]
    for a, b in zip(kappa1, kappastar):
        variances.append(a * variances[-1] + b)

    def walk(zeta):
        D, rate, slope = np.mean(e / (e + zeta)), 1.0, -np.mean(e / (e + zeta)**2)
        Q, rise = transmitted * np.mean(e**2 / (e + zeta)), -transmitted * np.mean(e**2 / (e + zeta)**2)
        for k, (a, b) in enumerate(zip(kappa1, kappastar), 1):
            p, before = sizes[k], sizes[k - 1]
            new = a * p / before * zeta * (1 - D / p) - b
            if new <= 0:
                return None
            new_rate = a * p / before * (rate * (1 - D / p) - zeta * slope / p)
            slope = -new_rate * (p - D) / (b + new) + new * slope / (b + new) + new * (p - D) / (b + new)**2 * new_rate
            D, zeta, rate = p - new * (p - D) / (b + new), new, new_rate
            if k == shared:
                Q = transmitted * (variances[k] - zeta * D / p)
                rise = -transmitted * (rate * D + zeta * slope) / p
        return zeta, D, rate, slope, Q, rise

    def miss(x):
        found = walk(np.exp(x))
        return -1.0 if found is None else alpha / sizes[-1] * found[0] * (1 - found[1] / alpha) - lam

    zeta, D, rate, slope, Q, rise = walk(np.exp(brentq(miss, -25, 25, xtol=1e-15)))
    test = (rho + noise - Q + zeta * rise / rate) / (1 - (D + zeta * slope / rate) / alpha)
    return test, (lam * sizes[-1] / (alpha * zeta))**2 * test
