"""Theories with envelopes of losses in every back end, and what is known of them from elsewhere."""

import numpy as np
import pytest
from helpers.modules import run_alone
from helpers.tiers import slow_but
from scipy.integrate import quad
from scipy.optimize import brentq
from sympy import Piecewise, Rational, erfc, exp, log, sqrt, symbols

import asympkit as ak

y, z, x, m, mhat, s = symbols("y z x m mhat s", real=True)
alpha, lam, noise, V, Vhat, q, qhat = symbols("alpha lam noise_variance V Vhat q qhat", positive=True)
PARAMETERS = {alpha: ("samples over inputs", "positive"), lam: ("penalty", "positive")}


def entropic():
    """What isotropic inputs and a quadratic penalty contribute."""
    return -(Vhat * q - qhat * V) / 2 + m * mhat - (qhat + mhat**2) / (lam + Vhat) / 2


def classification(loss, **options):
    """Labels are signs of a linear teacher."""
    agrees = ak.Named("P", erfc(-m * x / sqrt(2 * (1 - m**2 / q) * q)) / 2)
    energy = 2 * alpha * ak.E(agrees * ak.Moreau(loss, 1, sqrt(q) * x, V), x) + entropic()
    return ak.Theory(name="classification", unknowns=[V, q, m, Vhat, qhat, mhat], parameters=PARAMETERS,
                     free_energy=energy, observables={"objective": energy / alpha}, start={V: 1, q: 1, m: 0.5})


def regression(loss):
    """A linear teacher with noise on its labels; loss and teacher are functions of the residual."""
    residual = sqrt(1 - 2 * m + q + noise) * x
    energy = alpha * ak.E(ak.Moreau(loss, residual, 0, V), x) + entropic()
    return ak.Theory(name="regression", unknowns=[V, q, m, Vhat, qhat, mhat],
                     parameters=PARAMETERS | {noise: ("of the labels", "positive")}, free_energy=energy,
                     observables={"error": 1 - 2 * m + q, "objective": energy / alpha}, start={V: 0.5, q: 0.5, m: 0.5})


@pytest.fixture(scope="module")
def logistic():
    return classification("logistic")


AT = {"alpha": 3, "lam": Rational(1, 10)}


def test_own_square_is_the_square():
    at = {"alpha": 1.5, "lam": 0.2, "noise_variance": 0.3}
    found = [regression(made).solve(**at) for made in ("square", ak.Loss((y - z) ** 2 / 2, y, z))]
    V_ = brentq(lambda v: v * (0.2 + 1.5 / (1 + v)) - 1, 1e-6, 5)                   # ridge regression, in closed form
    share = 1.5 * V_**2 / (1 + V_) ** 2
    error = (V_**2 * 0.2**2 + share * 0.3) / (1 - share)
    for solution in found:
        assert solution.error == pytest.approx(error, rel=1e-12)
        assert solution.objective == pytest.approx((error + 0.3) / (1 + V_) ** 2 / 2 + 0.1 * solution["q"] / 1.5,
                                                   rel=1e-12)
    assert found[0]["q"] == pytest.approx(found[1]["q"], rel=1e-13)


def test_logistic_equations(logistic):
    """The derivatives are slopes at the proximal point; solved, they hold for averages by scipy and a plain search."""
    text = logistic.equations().text()
    assert "f_logistic(V, z*sqrt(q))**2" in text and "M_logistic" in text
    assert r"f^{\mathrm{logistic}}" in logistic.equations().latex()
    found = logistic.solve(alpha=3, lam=0.1)
    V_, q_, m_ = (found[n] for n in ("V", "q", "m"))

    def slope(t):
        return brentq(lambda f: f - 1 / (1 + np.exp(t + V_ * f)), 0, 1, xtol=1e-15, rtol=1e-14)

    def mean(g):
        return quad(lambda v: g(v) * np.exp(-v * v / 2) / np.sqrt(2 * np.pi), -9, 9, epsabs=1e-13, limit=400)[0]

    from scipy.special import ndtr

    width = np.sqrt(1 - m_**2 / q_)
    qhat_ = 6 * mean(lambda v: ndtr(m_ * v / np.sqrt(q_) / width) * slope(np.sqrt(q_) * v) ** 2)
    mhat_ = 6 * mean(lambda v: np.exp(-(m_ * v / np.sqrt(q_) / width) ** 2 / 2) / np.sqrt(2 * np.pi) / width
                     * slope(np.sqrt(q_) * v))
    assert found["qhat"] == pytest.approx(qhat_, rel=1e-9)
    assert found["mhat"] == pytest.approx(mhat_, rel=1e-9)


@pytest.mark.slow
def test_stationary(logistic):
    """The free energy is stationary at the solution, in every unknown, by differences of averages."""
    found = logistic.precise(digits=15, **AT)
    values = {u: Rational(str(found[u.name])) for u in logistic.unknowns} | {alpha: 3, lam: Rational(1, 10)}
    energy = logistic.free_energy
    for u in logistic.unknowns:
        step = Rational(1, 10**5)
        sides = [energy.subs({**values, u: values[u] + side * step}).evalf(20) for side in (-1, 1)]
        assert abs(sides[1] - sides[0]) / (2 * step) < 1e-7, u


def test_nearly_separable(logistic):
    """Small penalties: the width grows as their reciprocal, and the solution is found from the usual start."""
    found = [logistic.solve(alpha=1, lam=penalty) for penalty in (1e-3, 1e-4)]
    assert all(f.residual < 1e-13 for f in found)
    assert [round(f["V"] * f["lam"], 3) for f in found] == [0.426, 0.409]
    assert found[0].objective > found[1].objective > 0


@pytest.mark.slow
def test_proofs(logistic):
    """Certificates hold the digits; that of a user-defined loss follows its root by interval Newton steps."""
    exact = logistic.precise(digits=30, **AT)
    for theory in (logistic, classification(ak.Loss(log(1 + exp(-y * z)), y, z))):
        proved = theory.certify(digits=15, **AT)
        for name in ("V", "q", "m", "objective"):
            assert abs(proved[name].mid - exact[name]) <= proved[name].rad + abs(exact[name]) * 1e-29
            assert proved[name].rad < 1e-15 * abs(exact[name])


#: loss, theory, observable
ROUTES = [("absolute", regression), ("hinge", classification), ("huber", regression), ("pseudo huber", regression),
          ("logistic", classification)]


def made(name):
    return {"huber": ak.Huber(1), "pseudo huber": ak.Loss("sqrt(1 + (y - z)**2) - 1", y, z)}.get(name, name)


@pytest.mark.parametrize(("name", "theory"), slow_but(ROUTES, ("pseudo huber", regression)))
def test_routes(name, theory, tmp_path):
    """Digits, sweeps and the exported module agree with doubles."""
    t = theory(made(name))
    at = {"alpha": 2.0, "lam": 0.3} | ({"noise_variance": 0.4} if theory is regression else {})
    found = t.solve(**at)
    exact = t.precise(digits=12, **at)
    sweep = t.sweep(**{**at, "alpha": np.array([2.0, 2.2])}, backend="numpy")
    t.generate(tmp_path / "made.py")
    values = ", ".join(f"{n}={v}" for n, v in at.items())
    printed = run_alone(f"import made\nprint(repr(made.solve({values})['q']))", tmp_path)
    for value in (float(exact["q"]), sweep["q"][0], float(printed)):
        assert value == pytest.approx(found["q"], rel=1e-11)
    slope = t.sensitivity("objective", "lam", **at)
    sides = [t.solve(**{**at, "lam": 0.3 + step}).objective for step in (-1e-4, 1e-4)]
    assert slope == pytest.approx((sides[1] - sides[0]) / 2e-4, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["logistic", "pseudo huber"])
def test_compiled_loops(name):
    t = (classification if name == "logistic" else regression)(made(name))
    at = {"alpha": np.linspace(1.5, 4, 20), "lam": 0.3} | ({} if name == "logistic" else {"noise_variance": 0.4})
    sweeps = [t.sweep(**at, backend=backend) for backend in ("numpy", "numba")]
    np.testing.assert_allclose(sweeps[0]["q"], sweeps[1]["q"], rtol=1e-12)


def test_cases_of_a_person_are_the_loss_of_the_package():
    """Huber's loss as Piecewise with its scale a number: the same closed equations."""
    size = abs(y - z)
    own = ak.Loss(Piecewise(((y - z) ** 2 / 2, size < 1), (size - Rational(1, 2), True)), y, z)
    assert ak.Moreau(own, y, x, V).equals(ak.Moreau(ak.Huber(1), y, x, V))


SHARE, SAMPLES, PENALTY = 0.3, (1, 1.4, 2, 5, 30), 0.1
b = symbols("b", real=True)
#: losses at the label 1 of a mixture, and minus the slope at the proximal point, kinked where its argument is 0 or 1
MIXED = {"hinge": ("hinge", lambda u, v: np.clip(u / v, 0, 1), lambda v: (0, v)),
         "absolute": ("absolute", lambda u, v: np.clip(u / v, -1, 1), lambda v: (-v, v)),
         "huber": (ak.Huber(0.7), lambda u, v: np.clip(u / (1 + v), -0.7, 0.7), lambda v: (-0.7 * (1 + v),
                                                                                           0.7 * (1 + v))),
         "own": (ak.Loss(Piecewise((0, z > y), ((y - z) ** 2, z > y - 1), (2 * (y - z) - 1, True)), y, z),
                 lambda u, v: np.clip(2 * u / (1 + 2 * v), 0, 2), lambda v: (0, 1 + 2 * v))}


def mixture(loss):
    """Two Gaussians of means m and -m with a bias, their classes not equally frequent."""
    energy = sum(share * ak.E(ak.Moreau(loss, 1, sqrt(q) * x + m + side * b, V), x)
                 for share, side in ((Rational(3, 10), 1), (Rational(7, 10), -1)))
    return ak.Theory(name="mixture", unknowns=[V, q, m, Vhat, qhat, mhat, b], parameters=PARAMETERS,
                     free_energy=alpha * energy + entropic(), start={V: 1, q: 0.5, m: 0.5})


def mixture_misses(found, a, slope, kinks):
    """How far a solution misses the equations, whose means are sums over panels between the kinks."""
    v, width, overlap, bias = (found[n] for n in ("V", "q", "m", "b"))
    nodes, weights = np.polynomial.legendre.leggauss(40)
    sums = np.zeros(4)
    for share, side in ((SHARE, 1), (1 - SHARE, -1)):
        start = 1 - overlap - side * bias               # 1 - field is normal about it
        ends = np.unique([-12, 12, *range(-11, 12, 2), *((start - k) / np.sqrt(width) for k in kinks(v))])
        at = ((ends[1:] + ends[:-1])[:, None] + (ends[1:] - ends[:-1])[:, None] * nodes) / 2
        mass = (ends[1:] - ends[:-1])[:, None] / 2 * weights * np.exp(-at**2 / 2) / np.sqrt(2 * np.pi)
        f = slope(start - np.sqrt(width) * at, v)
        sums += share * np.array([(mass * g).sum() for g in (-f * at / np.sqrt(width), f**2, f, side * f)])
    chi, square, mean, balance = a * sums
    misses = [found["Vhat"] - chi, found["qhat"] - square, found["mhat"] - mean, balance, v - 1 / (PENALTY + chi),
              width - (square + mean**2) / (PENALTY + chi) ** 2, overlap - mean / (PENALTY + chi)]
    return np.abs(misses).max()


@pytest.mark.parametrize("name", slow_but(tuple(MIXED), "huber"))
def test_mixture_with_bias(name):
    """Fields that are not centred: closed forms hold whole squares, and what they cancel stays small."""
    loss, slope, kinks = MIXED[name]
    theory = mixture(loss)
    for a in SAMPLES:
        found = theory.solve(alpha=a, lam=PENALTY)
        assert mixture_misses(found, a, slope, kinks) < 2e-12
        assert max(found.condition[n] for n in "Vqmb") < 1e5
    if name == "hinge":
        text = theory.equations().text()
        assert "(V + b + m - 1)**2" in text and "2*b*m" not in text
