"""The equations of spiked features with any convex loss, by hand: numpy and scipy, sums over two variables.

Conjugates from averages over the projection on the spike and the prediction, order parameters from conjugates by the
resolvent of Gaussian rows; nothing of the package is used.  Square means half the square.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr

_X, _W = np.polynomial.legendre.leggauss(14)
_CUT = 9.0


def _density(x):
    return np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)


def _panels(edges):
    """Gauss-Legendre nodes and normal weights on rows of edges."""
    left, half = edges[..., :-1, None], 0.5 * np.diff(edges, axis=-1)[..., None]
    x = left + half * (1 + _X)
    flat = (*edges.shape[:-1], -1)
    return x.reshape(flat), (half * _W * _density(x)).reshape(flat)


def graded(middle, breaks, spread):
    """Edges of panels that become as narrow as a spread where a function crosses one of some numbers."""
    edges, grid = [np.arange(-_CUT, _CUT + 0.1, 0.75)], np.linspace(-_CUT, _CUT, 1201)
    for b in breaks:
        values = middle(grid) - b
        for k in np.flatnonzero(values[1:] * values[:-1] < 0.0):
            root = brentq(lambda s, b=b: middle(s) - b, grid[k], grid[k + 1], xtol=1e-15)
            widths = 0.75 * 0.5 ** np.arange(max(0.0, np.log2(3.0 / spread)))
            edges += [[root], root - widths, root + widths]
    return np.unique(np.clip(np.concatenate(edges), -_CUT, _CUT))


@dataclass(frozen=True)
class Loss:
    """``value(y, z)``, ``step(y, omega, V) = -l'(y, prox)`` and ``bend(y, omega, V)``, its derivative by -omega.

    ``breaks(V, y)`` are the omega where the step has a kink.
    """

    value: Any
    step: Any
    bend: Any
    breaks: Any


def clipped(low, high, curve, at):
    """Of the residual or margin t: the step is ``clip((at - t)/(V + curve), low, high)`` of one sign of t."""
    def step(t, V):
        return np.clip((at - t) / (V + curve), low, high)

    def bend(t, V):
        u = (at - t) / (V + curve)
        return ((low < u) & (u < high)) / (V + curve)

    return step, bend, lambda V: [at - end * (V + curve) for end in (low, high) if np.isfinite(end)]


def _of_residual(value, parts):
    step, bend, breaks = parts
    return Loss(lambda y, z: value(y - z), lambda y, w, V: -step(y - w, V), lambda y, w, V: bend(y - w, V),
                lambda V, y: [y - t for t in breaks(V)])


def _of_margin(value, parts):
    step, bend, breaks = parts
    return Loss(lambda y, z: value(y * z), lambda y, w, V: y * step(y * w, V), lambda y, w, V: bend(y * w, V),
                lambda V, y: [y * t for t in breaks(V)])


def _smooth(slope, curvature):
    """Step and bend of a smooth convex g(t): the root f of ``f + g'(t + V f)``, by halving and Newton's method."""
    def step(t, V):
        end = -slope(t)
        low, high = np.minimum(end, 0.0), np.maximum(end, 0.0)
        for _ in range(6):
            middle = 0.5 * (low + high)
            above = middle + slope(t + V * middle) > 0.0
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        f, last = 0.5 * (low + high), high - low
        for _ in range(200):
            p = t + V * f
            h = f + slope(p)
            low, high = np.where(h > 0.0, low, f), np.where(h > 0.0, f, high)
            new = f - h / (1.0 + V * curvature(p))
            # what leaves the interval, or does not get much nearer, is halved
            good = (low <= new) & (new <= high) & (np.abs(new - f) <= 0.5 * np.abs(last))
            new = np.where(good, new, 0.5 * (low + high))
            last = new - f
            if np.all(np.abs(new - f) <= 1e-15 * (1.0 + np.abs(new))):
                break
            f = new
        return f

    def bend(t, V):
        at = curvature(t + V * step(t, V))
        return at / (1.0 + V * at)

    return step, bend, lambda V: ()


def of_residual(value, slope, curvature):
    """A smooth loss of the residual."""
    return _of_residual(value, _smooth(slope, curvature))


def of_margin(value, slope, curvature):
    """A smooth loss of the label times the prediction."""
    return _of_margin(value, _smooth(slope, curvature))


def huber(delta):
    """Huber's loss."""
    def value(r):
        return np.where(np.abs(r) < delta, 0.5 * r * r, delta * np.abs(r) - 0.5 * delta**2)

    return _of_residual(value, clipped(-delta, delta, 1.0, 0.0))


square = _of_residual(lambda r: 0.5 * r * r, clipped(-np.inf, np.inf, 1.0, 0.0))
absolute = _of_residual(np.abs, clipped(-1.0, 1.0, 0.0, 0.0))
hinge = _of_margin(lambda t: np.maximum(0.0, 1.0 - t), clipped(0.0, 1.0, 0.0, 1.0))
logistic = of_margin(lambda t: np.logaddexp(0.0, -t), lambda p: -expit(-p), lambda p: expit(p) * expit(-p))


class FixedPoint:
    """The equations at one point; ``loss`` of this file, ``student`` and ``target`` functions of arrays.

    ``target`` is None for signs of the linear one; ``panel`` is the width of panels over the projection,
    and at most twice that over predictions of labels.
    """

    def __init__(self, student, loss, target=None, *, r, c, gamma, alpha, lam, beta=1.0, noise=0.0, flip=0.0,
                 bias=0.0, panel=0.75):
        self.loss, self.target, self.gamma, self.rho = loss, target, gamma, np.sqrt(1.0 - gamma * gamma)
        self.c, self.alpha, self.beta, self.lam, self.noise, self.flip = c, alpha, beta, lam, noise, flip
        self.panel = panel
        spread = np.sqrt(self.rho**2 + noise)
        near = spread * np.geomspace(0.5, 40.0, 14) if target is None and spread < 0.5 else np.array([])
        edges = np.concatenate([np.arange(-_CUT, _CUT + 0.1, panel * min(1.0, 1.5 / r) if r else panel), near, -near])
        self.kappa, self.weight = _panels(np.unique(edges[np.abs(edges) <= _CUT]))
        # a student may have a kink at 0
        kink = np.clip(-(r * self.kappa + bias) / np.sqrt(c), -_CUT, _CUT)
        base = np.broadcast_to(np.linspace(-_CUT, _CUT, 41), (self.kappa.size, 41))
        z, w = _panels(np.sort(np.column_stack([base, kink]), axis=1))
        values = student((r * self.kappa + bias)[:, None] + np.sqrt(c) * z)
        self.mu0, mixed = (w * values).sum(axis=1), (w * values * z).sum(axis=1)
        self.mu1 = mixed / np.sqrt(c)
        self.mu2sq = (w * (values - self.mu0[:, None] - mixed[:, None] * z) ** 2).sum(axis=1)

    def _fields(self, u):
        C = u["m"] * self.mu0 + self.kappa * u["theta"] * self.mu1
        tiny = 1e-100                           # they are divided by where a student is constant
        Q = u["q1"] * self.mu1**2 + u["q2"] * self.mu2sq + tiny
        V = u["V1"] * self.mu1**2 + u["V2"] * self.mu2sq + tiny
        return C, Q, V, u["psi"] * self.mu1

    # -- means at a given projection: of f, f**2, -f', D, the loss, and the two errors --------------------------------

    def means(self, u):
        """Seven arrays, one number for each projection."""
        return (self._of_signs if self.target is None else self._of_values)(*self._fields(u))

    def _of_signs(self, C, Q, V, T):
        sd, v = np.sqrt(Q), self.rho**2 * (1.0 - T * T / Q) + self.noise
        out = np.zeros((7, C.size))
        for y in (1.0, -1.0):
            places = [(b - C) / sd for b in self.loss.breaks(V, y)]
            x, w = _panels(self._edges([*places, -C / sd]))
            omega = C[:, None] + sd[:, None] * x
            A = (self.gamma * self.kappa + self.rho * T / sd * x.T).T / np.sqrt(v)[:, None]
            share = self.flip + (1.0 - 2.0 * self.flip) * ndtr(y * A)
            slope = y * (1.0 - 2.0 * self.flip) * self.rho * _density(A) / np.sqrt(v)[:, None]
            f, V2 = self.loss.step(y, omega, V[:, None]), V[:, None]
            wrong = y * omega < 0.0
            # of the clean target: of given kappa and omega its other component has variance 1 - T**2/Q
            clean = ndtr(y * (self.gamma * self.kappa[:, None] + self.rho * (T / sd)[:, None] * x)
                         / np.sqrt(self.rho**2 * (1.0 - T * T / Q))[:, None])
            parts = (share * f, share * f * f, share * self.loss.bend(y, omega, V2), slope * f,
                     share * self.loss.value(y, omega + V2 * f), share * wrong, clean * wrong)
            out += np.array([(w * p).sum(axis=1) for p in parts])
        return out

    def _edges(self, places):
        across = np.linspace(-_CUT, _CUT, 1 + round(2 * _CUT / min(0.75, 2.0 * self.panel)))
        base = np.broadcast_to(across, (self.kappa.size, across.size))
        return np.sort(np.clip(np.column_stack([base, *places]), -_CUT, _CUT), axis=1)

    def _of_values(self, C, Q, V, T):
        spread = np.sqrt(Q - T * T + self.noise)
        return np.column_stack([self._of_values_at(*row) for row in zip(self.kappa, C, spread, V, T)])

    def _of_values_at(self, kappa, C, spread, V, T):
        def middle(s):
            return self.target(self.gamma * kappa + self.rho * s) - C - T * s

        breaks = [-b for b in self.loss.breaks(V, 0.0)]
        kink = np.clip(-self.gamma * kappa / self.rho, -_CUT, _CUT)        # a target may have one at 0
        s, ws = _panels(np.union1d(graded(middle, breaks, spread), kink))
        out = np.zeros(7)
        for j in range(0, s.size, 100):
            part = slice(j, j + 100)
            M = middle(s[part])
            base = np.broadcast_to(np.arange(-_CUT, _CUT + 0.1, 1.0), (M.size, 19))
            edges = np.column_stack([base, *((b - M) / spread for b in breaks)])
            x, w = _panels(np.sort(np.clip(edges, -_CUT, _CUT), axis=-1))
            R = M[:, None] + spread * x
            f, bend = self.loss.step(R, 0.0, V), self.loss.bend(R, 0.0, V)
            along = f * s[part, None] + T * bend
            parts = f, f * f, bend, along, self.loss.value(R, V * f), R * R, R * R - self.noise
            out += [ws[part] @ (w * p).sum(axis=1) for p in parts]
        return out

    def step(self, u):
        """Order parameters one step on, the mean of mu0*f in the place of m."""
        f, square_, bend, D, *_ = self.means(u)
        ratio, w = self.alpha / self.beta, self.weight
        Vhat1, Vhat2 = ratio * (w @ (self.mu1**2 * bend)), ratio * (w @ (self.mu2sq * bend))
        qhat1, qhat2 = ratio * (w @ (self.mu1**2 * square_)), ratio * (w @ (self.mu2sq * square_))
        theta_hat, psi_hat = ratio * (w @ (self.mu1 * self.kappa * f)), ratio * (w @ (self.mu1 * D))
        c, beta, shift = self.c, self.beta, self.lam + Vhat2
        B = shift + c * Vhat1 - beta * c * Vhat1
        G = 2.0 / (B + np.sqrt(B * B + 4.0 * beta * c * shift * Vhat1))
        L = c * G
        A = 1.0 / (1.0 + beta * L * Vhat1)
        K, N = Vhat1 * A, qhat1 + beta * psi_hat**2
        N2 = qhat2 + beta * c * theta_hat**2
        G_dot = (N2 + c * A * A * N) / (-1.0 / G**2 + beta * c * c * K * K)
        L_dot, K_dot = c * G_dot, A * A * N - beta * K * K * c * G_dot
        V1 = L - beta * K * L * L
        return {"V1": V1, "V2": G, "q1": -L_dot + beta * (2.0 * K * L * L_dot + L * L * K_dot), "q2": -G_dot,
                "theta": beta * c * G * theta_hat, "psi": beta * V1 * psi_hat, "m": w @ (self.mu0 * f)}

    def gap(self, u):
        """How far order parameters are from one step on, the largest, those above 1 relative to themselves."""
        new = self.step(u)
        return max(abs(new[n] - u[n] * (n != "m")) / max(1.0, abs(u[n])) for n in new)

    def observables(self, u):
        """Errors of fresh labels and of the clean target, mean loss, and objective."""
        loss, test, clean = self.weight @ self.means(u)[4:].T
        return {"test_error": test, "clean_error": clean, "train_loss": loss,
                "objective": loss + self.lam * self.beta / (2.0 * self.alpha) * u["q2"]}
