"""Points of spiked features where unknowns vanish exactly, or averages have layers, beside an independent solution."""

import numpy as np
import pytest
from sympy import sqrt, symbols

import asympkit as ak

AT = {"r": 1.2, "c": 1.1, "gamma": 0.9, "alpha": 2, "lam": 0.1}
y, z = symbols("y z", real=True)
#: points where unknowns are 0, those that are, and a near one
ZEROS = {"gamma": ({"gamma": 0.0}, ("theta", "m"), {"gamma": 1e-5}),
         "flip": ({"flip": 0.5}, ("theta", "psi", "m"), {"flip": 0.5 - 1e-6}),
         "r": ({"r": 0.0, "c": 1.1}, ("m",), None),
         "all": ({"r": 0.0, "c": 1.1, "gamma": 0.0, "flip": 0.5}, ("theta", "psi", "m"), None)}


@pytest.fixture(scope="module")
def logistic():
    return ak.SpikedFeatures("tanh", "z", loss="logistic", labels="sign")


@pytest.mark.parametrize("name", ZEROS)
def test_unknowns_that_vanish(logistic, name):
    at, vanishing, near = ZEROS[name]
    s = logistic.solve(**{**AT, **at})
    assert s.converged
    assert all(abs(s[u]) < 1e-14 for u in vanishing)
    r, c = ({**AT, **at}[n] for n in ("r", "c"))
    if name in ("r", "all"):
        assert s.objective == pytest.approx(_objective(r, c, {**AT, **at}, _Logistic, s), rel=1e-8)
    if near is not None:
        assert s.objective == pytest.approx(logistic.solve(**{**AT, **near}).objective, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ZEROS)
def test_unknowns_that_vanish_for_a_loss_of_ones_own(name):
    at, vanishing, _ = ZEROS[name]
    s = ak.SpikedFeatures("tanh", "z", loss=ak.Loss(sqrt(1 + (y - z) ** 2) - 1, y, z), labels="sign").solve(
        **{**AT, **at})
    assert s.converged
    assert all(abs(s[u]) < 1e-14 for u in vanishing)
    r, c = ({**AT, **at}[n] for n in ("r", "c"))
    assert s.objective == pytest.approx(_objective(r, c, {**AT, **at}, _Rounded, s), rel=1e-8)


#: the limits of objectives from near points, differences of second order taken out
NEAR = {"gamma": [{"gamma": 0.02}, {"gamma": 0.01}], "flip": [{"flip": 0.495}, {"flip": 0.4975}]}
CLOSED = [("hinge", "sign"), ("absolute", "sign"), ("square", "sign"), (ak.Huber(1), "sign"), (ak.Huber(1), None)]


@pytest.mark.parametrize(("loss", "labels", "name"), [
    pytest.param(loss, labels, name, marks=() if (k, name) in ((0, "gamma"), (4, "gamma"), (3, "flip")) else
                 pytest.mark.slow, id=f"{k}-{name}")
    for k, (loss, labels) in enumerate(CLOSED) for name in ZEROS if labels or name in ("gamma", "r")])
def test_unknowns_that_vanish_for_losses_in_closed_form(loss, labels, name):
    """Newton's method comes to rest at 0, which relative steps never do."""
    theory = ak.SpikedFeatures("tanh", "z", loss=loss, **({"labels": labels} if labels else {}))
    at = AT if labels else {**AT, "noise_variance": 0.1}
    vanishing = [u for u in ZEROS[name][1] if labels or name != "flip"]
    s = theory.solve(**{**at, **ZEROS[name][0]})
    assert s.converged and s.residual < 1e-11
    assert all(abs(s[u]) < 1e-14 for u in vanishing)
    if name in NEAR:
        far, near = (theory.solve(**{**at, **close}).objective for close in NEAR[name])
        assert s.objective == pytest.approx((4 * near - far) / 3, abs=2e-7)


@pytest.mark.slow
@pytest.mark.parametrize("name", ZEROS)
def test_unknowns_that_vanish_of_an_independent_solution(logistic, name):
    at = {**AT, **ZEROS[name][0]}
    s, r, c = logistic.solve(**at), at["r"], at["c"]
    assert s.objective == pytest.approx(_objective(r, c, at, _Logistic, s), rel=1e-8)


@pytest.mark.slow
def test_the_independent_solution_is_that_of_the_reference(logistic):
    assert _objective(1.2, 1.1, AT, _Logistic, logistic.solve(**AT)) == pytest.approx(0.209222996736, rel=1e-9)


def test_predictions_whose_sign_is_nearly_sure(logistic):
    """Their spread is a hundredth of their size: the errors change within a layer around the middle."""
    s = logistic.solve(**{**AT, "lam": 10.0})
    assert s.converged
    assert s.test_error == pytest.approx(logistic.solve(**{**AT, "lam": 10.0}, rtol=1e-9).test_error, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("lam", [10.0, 1e3])
def test_predictions_whose_sign_is_nearly_sure_of_an_independent_solution(logistic, lam):
    s = logistic.solve(**{**AT, "lam": lam})
    assert s.objective == pytest.approx(_objective(1.2, 1.1, {**AT, "lam": lam}, _Logistic, s), rel=1e-8)


def test_a_student_that_is_saturated(logistic):
    """Far out on the spike it has no variance left, in floats."""
    s = logistic.solve(r=2.93, c=0.65, gamma=0.95, alpha=25, lam=1e-3, beta=2.3, flip=0.5)
    assert s.converged
    assert s.test_error == pytest.approx(0.5, abs=1e-13)


def test_points_of_a_sweep_start_from_their_neighbours(logistic):
    """There is one readout; compiled loops are not needed to know it."""
    assert logistic.kernel.is_unique
    sweep = logistic.sweep(**{**AT, "lam": [0.1, 0.11]}, backend="numpy")
    assert sweep["objective"][0] == pytest.approx(0.209222996736, rel=1e-10)


class _Logistic:
    """Proximal slopes f and -df/domega of log(1 + exp(-y z)), and the loss, for arrays."""

    @staticmethod
    def rates(y, p):
        g = 1 / (1 + np.exp(y * p))
        return -y * g, g * (1 - g)

    @staticmethod
    def loss(y, p):
        return np.logaddexp(0.0, -y * p)


class _Rounded:
    """The same of sqrt(1 + (y - z)^2) - 1."""

    @staticmethod
    def rates(y, p):
        root = np.sqrt(1 + (p - y) ** 2)
        return (p - y) / root, root**-3

    @staticmethod
    def loss(y, p):
        return np.sqrt(1 + (p - y) ** 2) - 1


def _objective(r, c, at, loss, near):
    """The training objective by damped iteration of the energetic and entropic equations, in numpy alone.

    It starts a hundredth away from a solution, which saves iterations.
    """
    from scipy.special import erfc

    alpha, beta, lam, gamma, flip = at["alpha"], 1.0, at["lam"], at["gamma"], at.get("flip", 0.0)
    rho2, ratio = 1.0 - gamma**2, alpha / beta
    x = np.arange(-60, 61) * 0.14
    w = np.exp(-x * x / 2)
    w /= w.sum()
    values = np.tanh(r * x[:, None] + np.sqrt(c) * x)
    mu0, mu1 = values @ w, (values * x) @ w / np.sqrt(c)
    mu2 = (values**2) @ w - mu0**2 - c * mu1**2
    V1, V2, q1, q2, theta, psi, m = (1.01 * near[u] for u in ("V1", "V2", "q1", "q2", "theta", "psi", "m"))
    points = {1.0: 0.0, -1.0: 0.0}
    for _ in range(1000):
        V, Q = (mu1**2 * V1 + mu2 * V2)[:, None], (mu1**2 * q1 + mu2 * q2)[:, None]
        centre, along = (m * mu0 + x * mu1 * theta)[:, None], (mu1 * psi)[:, None]
        omega, width = centre + np.sqrt(Q) * x, np.sqrt(rho2 * (1 - along**2 / Q))
        argument = (gamma * x[:, None] + np.sqrt(rho2) * along * x / np.sqrt(Q)) / width
        up = flip + (1 - 2 * flip) * erfc(-argument / np.sqrt(2)) / 2
        rate = (1 - 2 * flip) * np.sqrt(rho2) * np.exp(-argument**2 / 2) / np.sqrt(2 * np.pi) / width
        f1 = f2 = bend = tilt = cost = 0.0
        for label, share, turn in ((1.0, up, rate), (-1.0, 1.0 - up, -rate)):
            p = points[label] = _proximal(label, omega, V, loss, points[label])
            slope, curve = loss.rates(label, p)
            f1, f2, bend = f1 - share * slope, f2 + share * slope**2, bend + share * curve / (1 + V * curve)
            tilt, cost = tilt - turn * slope, cost + share * loss.loss(label, p)
        f1, f2, bend, tilt, cost = (e @ w for e in (f1, f2, bend, tilt, cost))
        hats = [ratio * (w @ e) for e in (mu1**2 * bend, mu2 * bend, mu1**2 * f2, mu2 * f2, mu1 * x * f1, mu1 * tilt)]
        found = np.array(_entropic(*hats, beta, lam, c))
        new = np.array([V1, V2, q1, q2, theta, psi])
        size = w @ (mu0**2 * np.maximum(bend, 0.1 / (1 + V[:, 0])))
        step = (w @ (mu0 * f1)) / size if size > 1e-20 else 0.0
        moved = max(np.abs(found - new).max() / (1 + np.abs(found).max()), abs(step))
        V1, V2, q1, q2, theta, psi = new + 0.5 * (found - new)
        m += 0.5 * step
        if moved < 1e-11:
            break
    assert moved < 1e-11
    return w @ cost + lam * beta / (2 * alpha) * q2


def _proximal(label, omega, V, loss, start):
    p = start + 0.0 * omega
    low, high = omega - V - 1e-9, omega + V + 1e-9          # slopes are at most 1
    for _ in range(60):
        slope, curve = loss.rates(label, p)
        h = p - omega + V * slope
        low, high = np.where(h < 0, p, low), np.where(h < 0, high, p)
        new = p - h / (1 + V * curve)
        new = np.where((new > low) & (new < high), new, (low + high) / 2)
        if np.abs(new - p).max() < 1e-13 * (1 + np.abs(p).max()):
            break
        p = new
    return p


def _entropic(Vh, Vh2, qh, qh2, th, ph, beta, lam, c):
    """V1, V2, q1, q2, theta, psi; the squares of norms by a complex step."""
    def variances(step):
        v, delta = Vh + step * (qh + beta * ph**2), lam + Vh2 + step * (qh2 + beta * c * th**2)
        b = delta + c * v - beta * c * v
        G = 2 / (b + np.sqrt(b**2 + 4 * beta * c * delta * v))
        return c * G / (1 + beta * c * G * v), G

    (V1, G), (dV1, dG) = variances(0.0), variances(1e-30j)
    return V1, G, -dV1.imag * 1e30, -dG.imag * 1e30, beta * c * G * th, beta * V1 * ph
