"""One layer on isotropic inputs: the closed form of random features regression (arXiv 1908.05355, Definition 1)."""

import math

import mpmath
import pytest

import asympkit as ak


def _newton(a, b, xi, psi1, psi2, z2):
    """The two resolvent equations at one spectral parameter, by Newton's method."""
    for _ in range(60):
        s = 1 - z2 * a * b
        left, right = -xi - b - z2 * b / s, -xi - a - z2 * a / s
        f, g = a * left - psi1, b * right - psi2
        fa, fb = left - a * (z2 * b / s)**2, -a * (1 + z2 / s + z2**2 * a * b / s**2)
        ga, gb = -b * (1 + z2 / s + z2**2 * a * b / s**2), right - b * (z2 * a / s)**2
        det = fa * gb - fb * ga
        da, db = (f * gb - g * fb) / det, (g * fa - f * ga) / det
        a, b = a - da, b - db
        if abs(da) + abs(db) < 1e-27 * (abs(a) + abs(b)):
            return a, b
    raise AssertionError("no root")


def _closed_form(psi1, psi2, zeta, ridge, linear, rest, noise):
    """Test error against the clean target, of a target with linear part ``linear`` and non-linear part ``rest``."""
    with mpmath.workdps(30):
        xi = mpmath.mpc(0, mpmath.sqrt(psi1 * psi2 * ridge))

        # from far up the imaginary axis, where the solution is -psi/xi
        far, steps = mpmath.mpc(0, 100), 30
        nu = -psi1 / far, -psi2 / far
        for k in range(steps + 1):
            nu = _newton(*nu, far * (xi / far)**(mpmath.mpf(k) / steps), psi1, psi2, mpmath.mpf(zeta)**2)
        chi, p, q, z2 = nu[0] * nu[1], psi1, psi2, zeta**2
        e0 = (-chi**5 * z2**3 + 3 * chi**4 * z2**2 + (p * q - q - p + 1) * chi**3 * z2**3 - 2 * chi**3 * z2**2
              - 3 * chi**3 * z2 + (p + q - 3 * p * q + 1) * chi**2 * z2**2 + 2 * chi**2 * z2 + chi**2
              + 3 * p * q * chi * z2 - p * q)
        e1 = q * chi**3 * z2**2 - q * chi**2 * z2 + p * q * chi * z2 - p * q
        e2 = (chi**5 * z2**3 - 3 * chi**4 * z2**2 + (p - 1) * chi**3 * z2**3 + 2 * chi**3 * z2**2 + 3 * chi**3 * z2
              + (-p - 1) * chi**2 * z2**2 - 2 * chi**2 * z2 - chi**2)
        value = linear * e1 / e0 + (rest + noise) * e2 / e0 + rest
        assert abs(value.imag) < 1e-20
        return float(value.real)


@pytest.mark.parametrize(("width", "alpha", "lam", "noise"), [
    (1.5, 0.5, 1e-4, 0.1), (1.5, 0.5, 2.0, 0.1), (0.5, 1.5, 0.01, 0.3), (3.0, 3.0, 0.1, 0.0), (0.2, 4.0, 1e-3, 0.5),
    (6.0, 0.7, 1.0, 0.2), (1.0, 1.1, 0.05, 0.05), (2.0, 10.0, 5.0, 1.0)])
def test_random_features(width, alpha, lam, noise):
    t = ak.DeepFeatures(f"{width}:tanh", "1:sin")
    s = t.solve(alpha=alpha, lam=lam, noise_variance=noise)
    shown = t.point(t.given({"alpha": alpha, "lam": lam})).shown
    kappa, star = shown["kappa1_1"], shown["kappastar2_1"]
    # of sin(z): slope exp(-1/2), second moment (1 - exp(-2))/2
    linear, whole = math.exp(-1), (1 - math.exp(-2)) / 2
    # their penalty is (p/d) lambda |a|^2 next to the mean square, with features over mu_*
    found = _closed_form(width, alpha, kappa / math.sqrt(star), lam / alpha / star, linear, whole - linear, noise)
    assert s.clean_error == pytest.approx(found, rel=1e-13)
