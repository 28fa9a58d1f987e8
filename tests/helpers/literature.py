"""Ten theories of the literature by hand: plain numpy and scipy, trapezoids in place of every rule of the package.

Each function returns a dict of the unknowns at one point, in double precision.  A mean over a standard normal is a sum
over equal steps: for a function that is analytic within a distance d of the real line its error is exp(-2*pi*d/step).
"""

import numpy as np
from scipy.optimize import brentq, root
from scipy.special import expit, log_ndtr, ndtr


def normal_nodes(step=1 / 256, end=11.0):
    """Return equal steps over a standard normal, and their weights."""
    z = np.arange(-round(end / step), round(end / step) + 1) * step
    return z, step * density(z)


def density(x):
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def log_cosh(x):
    return np.logaddexp(x, -x) - np.log(2)


Z, W = normal_nodes()


def root_near(equations, start):
    """Solve a few equations by Powell's method, and once more from what it found, to rounding."""
    found = np.asarray(start, dtype=float)
    for _ in range(3):
        found = root(equations, found, tol=1e-15).x
    assert np.abs(equations(found)).max() < 1e-11, (found, equations(found))
    return found


# -- magnets -------------------------------------------------------------------------------------------------


def hopfield(alpha, T, start=(0.97, 0.97)):
    """Order parameters of Amit, Gutfreund and Sompolinsky: the overlap m, q and the noise r of the other patterns."""
    b = 1 / T

    def residuals(u):
        m, q = u
        r = q / (1 - b * (1 - q)) ** 2
        t = np.tanh(b * (m + np.sqrt(alpha * r) * Z))
        return [W @ t - m, W @ t**2 - q]

    m, q = root_near(residuals, start)
    return {"m": m, "q": q, "r": q / (1 - b * (1 - q)) ** 2}


def hopfield_capacity_at_zero_temperature():
    """The load at which retrieval ends: the largest alpha of y = m/sqrt(2*alpha*r) along its curve."""
    from scipy.optimize import minimize_scalar
    from scipy.special import erf

    def alpha(y):
        c = 2 / np.sqrt(np.pi) * np.exp(-y * y)
        return (erf(y) / y - c) ** 2 / 2

    return -minimize_scalar(lambda y: -alpha(y), bounds=(1, 2.5), method="bounded", options={"xatol": 1e-12}).fun


def spiked_wigner(snr):
    """The overlap of a rank-one spike of signs."""
    def residual(q):
        return W @ np.tanh(snr * q + np.sqrt(snr * q) * Z) - q

    return {"q": brentq(residual, 1e-9, 1, xtol=1e-16, rtol=1e-15)} if snr > 1 else {"q": 0.0}


def replica_symmetric_glass(b, h=0.0):
    """The replica-symmetric overlap of Sherrington and Kirkpatrick."""
    def residual(q):
        return W @ np.tanh(b * (np.sqrt(q) * Z + h)) ** 2 - q

    if h == 0 and b <= 1:
        return {"q": 0.0}
    q = brentq(residual, 1e-9, 1, xtol=1e-16, rtol=1e-15)
    energy = -b * (1 - q) ** 2 / 4 - W @ (log_cosh(b * (np.sqrt(q) * Z + h)) + np.log(2)) / b
    return {"q": q, "f": energy}


def broken_glass(b, start=(0.6, 0.4)):
    """One step of breaking without a field: q of two spins of one state, the exponent x, and the free energy.

    With q0 = 0 the averages are over one variable.
    """
    def free(q, x):
        a = b * np.sqrt(q) * Z
        return -b / 4 * (1 - 2 * q + (1 - x) * q * q) - (np.log(W @ np.exp(x * log_cosh(a))) + x * np.log(2)) / (b * x)

    def residuals(u):
        q, x = u
        a = b * np.sqrt(q) * Z
        c = log_cosh(a)
        p = W * np.exp(x * (c - c.max()))
        total = p.sum()
        mean_log = (p @ c) / total
        by_q = (p @ np.tanh(a) ** 2) / total - q
        by_x = b * b * q * q / 4 + (np.log(total) + x * c.max()) / x**2 - mean_log / x
        return [by_q, by_x]

    q, x = root_near(residuals, start)
    return {"q": q, "x": x, "f": free(q, x)}


def broken_glass_in_field(b, h, start):
    """The same in a field, with q0 between different states: an average inside another one."""
    z, w = normal_nodes(1 / 32, 9)

    def averages(q0, q1, x):
        """Squares of means in a state, means of squares, log-averages over states, and means of logarithms."""
        a = b * (np.sqrt(q0) * z[:, None] + np.sqrt(q1 - q0) * z + h)
        c = log_cosh(a)
        top = c.max(axis=1)
        p = w * np.exp(x * (c - top[:, None]))
        total = p.sum(axis=1)
        t = np.tanh(a)
        inner, squares, logs = (p * t).sum(1) / total, (p * t * t).sum(1) / total, (p * c).sum(1) / total
        return w @ inner**2, w @ squares, w @ np.log(total) + x * (w @ top), w @ logs

    def residuals(u):
        q0, q1, x = u
        inner, squares, mean, logs = averages(q0, q1, x)
        return [inner - q0, squares - q1, b * b * (q1 * q1 - q0 * q0) / 4 + mean / x**2 - logs / x]

    q0, q1, x = root_near(residuals, start)
    free = (-b / 4 * (1 - 2 * q1 + (1 - x) * q1 * q1 + x * q0 * q0)
            - (averages(q0, q1, x)[2] + x * np.log(2)) / (b * x))
    return {"q0": q0, "q1": q1, "x": x, "f": free}


def committee(a, start=(0.9, 0.05, 0.0)):
    """Two hidden units of erf that learn two, at high temperature (Biehl, Schloesser and Ahr): overlaps R, S, C."""
    def slope(c):
        return 2 / np.pi / np.sqrt(max(4 - c * c, 1e-9))

    def residuals(u):
        R, S, C = u
        even, odd = 1 + C - (R + S) ** 2, 1 - C - (R - S) ** 2
        return [-2 * a * slope(R) + (R + S) / even + (R - S) / odd, -2 * a * slope(S) + (R + S) / even - (R - S) / odd,
                a * slope(C) - 1 / (2 * even) + 1 / (2 * odd)]

    return dict(zip("RSC", root_near(residuals, start)))


def committee_specialises():
    """The load at which R - S begins to grow: on the symmetric branch the free energy has no curvature along it."""
    def curvature(a):
        R, _, C = committee(a, (0.45, 0.45, 0.0)).values()
        # d/dR and d/dS of the first two rows, along (1, -1): the even part drops out
        bend = 2 / np.pi * R / (4 - R * R) ** 1.5
        return -2 * a * bend + 2 / (1 - C)

    return brentq(curvature, 5, 100, xtol=1e-13)


def spherical(T, start=(0.75, 0.7)):
    """One step of breaking of the spherical 3-spin glass (Crisanti and Sommers): q and x."""
    b = 1 / T

    def residuals(u):
        q, x = u
        outer = 1 - q + x * q
        by_q = 3 * b * b * q * q / 2 - q / ((1 - q) * outer)
        by_x = b * b * q**3 / 4 + np.log(outer / (1 - q)) / (-2 * x * x) + q / (2 * x * outer)
        return [by_q, by_x]

    return dict(zip("qx", root_near(residuals, start)))


def spherical_static_transition():
    """The temperature at which x = 1, from its one equation in q."""
    def residual(q):
        bb = 2 / (3 * q * (1 - q))
        return bb * q**3 / 4 + np.log(1 - q) / 2 + q / 2

    q = brentq(residual, 0.51, 0.9, xtol=1e-15)
    return np.sqrt(3 * q * (1 - q) / 2)


# -- inference -----------------------------------------------------------------------------------------------


def binary_perceptron(alpha, margin=0.0):
    """The replica-symmetric overlap of binary weights that separate random labels, and their entropy."""
    def field(q):
        return (np.sqrt(q) * Z - margin) / np.sqrt(1 - q)

    def hat_of(q):
        y = field(q)
        return alpha / (1 - q) * (W @ np.exp(-y * y - 2 * log_ndtr(y))) / (2 * np.pi)

    q = brentq(lambda q: W @ np.tanh(np.sqrt(hat_of(q)) * Z) ** 2 - q, 1e-9, 0.99, xtol=1e-16, rtol=1e-15)
    hat = hat_of(q)
    entropy = (-hat * (1 - q) / 2 + W @ log_cosh(np.sqrt(hat) * Z) + np.log(2)
               + alpha * (W @ log_ndtr(field(q))))
    return {"q": q, "hat": hat, "entropy": entropy}


def binary_capacity(margin=0.0):
    """The load at which that entropy vanishes (Krauth and Mezard: 0.833078599...)."""
    about = 0.833 * np.exp(-1.2 * margin)
    return brentq(lambda a: binary_perceptron(a, margin)["entropy"], 0.7 * about, 1.3 * about, xtol=1e-14)


def teacher_gain(q):
    """What one sample says of the weights, per load; steps are in z, or in the field where that is the wider one."""
    wide = np.sqrt(q / (1 - q))
    y, w = (wide * Z, W) if wide < 1 else (Z, W * density(Z / wide) / density(Z) / wide)
    return 2 / (1 - q) * (w @ np.exp(-y * y - log_ndtr(y))) / (2 * np.pi)


def bayes_perceptron(alpha, binary=False, bracket=(1e-9, 1 - 1e-5)):
    """The overlap with a teacher of signs, normal or binary weights."""
    def residual(q):
        hat = alpha * teacher_gain(q)
        return (W @ np.tanh(hat + np.sqrt(hat) * Z) if binary else hat / (1 + hat)) - q

    return {"q": brentq(residual, *bracket, xtol=1e-16, rtol=1e-15)}


def binary_teacher_load(q):
    """The load at which binary weights have the overlap q with those of their teacher."""
    hat = brentq(lambda hat: W @ np.tanh(hat + np.sqrt(hat) * Z) - q, 0, 100, xtol=1e-15)
    return hat / teacher_gain(q)


def compressed_sensing(alpha, rho, noise, bracket=(1e-14, 1.0)):
    """Mean squared errors of Bernoulli-Gauss signals: every fixed point of state evolution that a fine scan shows."""
    z, w = normal_nodes(1 / 2048, 9)

    def excess(E):
        """The mean posterior variance, a sum of positive terms, less the error that is assumed."""
        S = (noise + E) / alpha
        odds = np.log((1 - rho) / rho * np.sqrt((1 + S) / S))

        def variance(R):
            filled = expit(R * R / 2 * (1 / S - 1 / (1 + S)) - odds)
            return filled * (S / (1 + S) + (1 - filled) * (R / (1 + S)) ** 2)
        return (1 - rho) * (w @ variance(np.sqrt(S) * z)) + rho * (w @ variance(np.sqrt(1 + S) * z)) - E

    grid = np.geomspace(*bracket, 300)
    values = [excess(E) for E in grid]
    return [brentq(excess, a, b, xtol=1e-18, rtol=1e-15)
            for a, b, s, t in zip(grid, grid[1:], values, values[1:]) if s * t < 0]


def phase_retrieval_load(q):
    """The samples over dimension at which estimates from moduli have the overlap q.

    The sign of z is tanh(t*(t + n)), with the field t and the noise n in units of their own width sqrt(1 - q).  What
    the signs lack decays with t**2, so that the outer steps follow it as q goes to 1.
    """
    n, w = normal_nodes(1 / 64)
    wide = np.sqrt(q / (1 - q))                                        # of t
    t, step = np.linspace(-9 * min(wide, 2), 9 * min(wide, 2), 1601, retstep=True)

    def lack(t):
        y = t + n
        return w @ ((y * np.tanh(t * y) - t) ** 2 - n * n)

    deficit = step * sum(density(a / wide) / wide * lack(a) for a in t)
    return q / (1 + deficit)


def phase_retrieval(alpha, bracket=(1e-6, 0.8)):
    """The overlap at one load; the load is largest at 0.8466."""
    return {"q": brentq(lambda q: phase_retrieval_load(q) - alpha, *bracket, xtol=1e-15, rtol=1e-14)}


def hinge_mixture(alpha, lam=0.1, share=0.3, variances=(0.5, 0.1), rho=0.8, start=(0, -0.5, 0.8, -0.2)):
    """Two normal clouds, hinge loss, a learned bias: closed forms of the means over the piecewise linear loss."""
    d, p = np.array(variances), np.array([rho, 1 - rho])

    def hats(V, q, m, bias):
        s, out = np.sqrt(q), np.zeros(4)
        for weight, sign in ((share, 1), (1 - share, -1)):
            mu = 1 - m - sign * bias
            low, high = -mu / s, (V - mu) / s
            inside = ndtr(high) - ndtr(low)
            first = mu * inside + s * (density(low) - density(high))
            second = (mu * mu + q) * inside + s * mu * (density(low) - density(high)) - s * V * density(high)
            slope = first / V + ndtr(-high)
            out += alpha * weight * np.array([inside / V, second / V**2 + ndtr(-high), slope, sign * slope])
        return out

    def residuals(u):
        V, q, m, bias = np.exp(u[0]), np.exp(u[1]), u[2], u[3]
        Vhat, qhat, mhat, balance = hats(V, q, m, bias)
        below = lam + Vhat * d
        return [np.log((p * d / below).sum()) - u[0], np.log((p * d * (d * qhat + mhat**2) / below**2).sum()) - u[1],
                (p * mhat / below).sum() - m, balance]

    u = root_near(residuals, start)
    V, q, m, b = np.exp(u[0]), np.exp(u[1]), u[2], u[3]
    Vhat, qhat, mhat, _ = hats(V, q, m, b)
    error = share * ndtr(-(m + b) / np.sqrt(q)) + (1 - share) * ndtr(-(m - b) / np.sqrt(q))
    return {"V": V, "q": q, "m": m, "b": b, "Vhat": Vhat, "qhat": qhat, "mhat": mhat, "test_error": error}
