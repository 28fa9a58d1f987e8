"""The entropy of a noisy label and its derivatives: closed forms, another rule, heat equations, digits."""

import pickle

import numpy as np
import pytest
import sympy as sp
from mpmath.ctx_mp import MPContext

import asympkit as ak
from asympkit.numbers.functions import entry

ORDERS = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
q, D = sp.symbols("q Delta", positive=True)


def record(target):
    return entry(type(ak.LabelEntropy(target, q, D)).__name__)


def closed(i, k, overlap, noise):
    """The label of a linear function is a normal of variance noise + 1 - overlap around what is known."""
    form = -sp.log(2 * sp.pi * sp.E * (D + 1 - q)) / 2
    return form.diff((q, i), (D, k)).subs({q: overlap, D: noise})


@pytest.mark.parametrize("order", ORDERS)
def test_linear_labels(order):
    found = [float(record("z").array_function(*order, p, v)) for p, v in ((0.0, 0.5), (0.7, 0.1), (0.99, 0.01))]
    expected = [float(closed(*order, p, v)) for p, v in ((0.0, 0.5), (0.7, 0.1), (0.99, 0.01))]
    assert found == pytest.approx(expected, rel=1e-12)


def by_panels(f, overlap, noise):
    """The entropy and its derivative by the overlap, by Gauss's rule in all variables, with the posterior's mean."""
    points, weights = np.polynomial.legendre.leggauss(200)
    z, wz = 8 * points, 8 * weights * np.exp(-32 * points**2) / np.sqrt(2 * np.pi)
    reach = np.abs(f(z)).max() + 8 * np.sqrt(noise)
    y, wy = reach * points, reach * weights
    values = np.zeros(2)
    for u, wu in zip(z, wz):
        N = np.exp(-((y[:, None] - f(np.sqrt(overlap) * u + np.sqrt(1 - overlap) * z)) ** 2) / (2 * noise))
        P = N @ wz / np.sqrt(2 * np.pi * noise) + 1e-300
        slope = N @ (wz * z) / np.sqrt(2 * np.pi * noise * (1 - overlap))
        values += wu * np.array([wy @ (P * np.log(P)), wy @ (slope**2 / P) / 2])
    return values


def test_labels_of_tanh():
    found = [float(record("tanh").array_function(i, 0, 0.4, 0.3)) for i in range(2)]
    assert found == pytest.approx(by_panels(np.tanh, 0.4, 0.3), rel=1e-10)


def test_derivatives_follow_from_heat_equations():
    """dP/dq and dP/dD of functionals E int F(log P) are rewritten by Stein's lemma and by parts: on jets of log P."""
    levels = 5
    L = {(a, b): sp.Symbol(f"l{a}{b}") for a in range(levels) for b in range(levels)}

    def along(expr, x, y):          # the derivative of a function of the jet
        return sum(sp.diff(expr, s) * L[a + x, b + y] for (a, b), s in L.items() if (a + x, b + y) in L)

    def moved(f):
        """Of P*f: the change with q at each u and y, P taken out, to be averaged; the same by D, twice by parts."""
        P = sp.exp(L[0, 0])
        field = [along(along(P * f, 1, 0), 1, 0) / 2]                       # Stein: u/(2 sqrt(q)) d/domega
        half = (along(along(P, 1, 0), 1, 0) / P / 2).expand(), (along(along(P, 0, 1), 0, 1) / P / 2).expand()
        changes = []
        for heat in half:           # d log P = heat, and derivatives of it
            total = heat * P * f
            for (a, b), s in L.items():
                if sp.diff(f, s) != 0:
                    rate = heat
                    for _ in range(a):
                        rate = along(rate, 1, 0)
                    for _ in range(b):
                        rate = along(rate, 0, 1)
                    total += P * sp.diff(f, s) * rate
            changes.append(total)
        return sp.expand((field[0] - changes[0]) / P), sp.expand((changes[1] - along(along(P * f, 0, 1), 0, 1) / 2) / P)

    by_q, by_D = moved(L[0, 0])
    assert sp.expand(by_q - L[1, 0] ** 2 / 2) == 0 and sp.expand(by_D + L[0, 1] ** 2 / 2) == 0
    by_q, by_D = moved(L[1, 0] ** 2 / 2)
    assert sp.expand(by_q - L[2, 0] ** 2 / 2) == 0 and sp.expand(by_D + L[1, 1] ** 2 / 2) == 0
    assert sp.expand(moved(-L[0, 1] ** 2 / 2)[1] - L[0, 2] ** 2 / 2) == 0


def test_node():
    node = ak.LabelEntropy("sin", q, D)
    assert str(node.diff(q)) == "Psi_q(q, Delta)" and sp.latex(node.diff(D)) == r"\Psi_{\Delta}\left(q, \Delta\right)"
    assert pickle.loads(pickle.dumps(node.diff(q))) == node.diff(q)
    with pytest.raises(ak.StructureError, match="third derivative"):
        node.diff(q, 3)
    with pytest.raises(ak.DomainError, match="grows exponentially"):
        ak.LabelEntropy("exp(z)", q, D)
    assert np.isnan(record("sin").array_function(1, 0, 1.0, 0.1)) and np.isnan(record("sin").array_function(1, 0, 0, 0))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["z", "tanh", "relu"])
def test_digits(target):
    mp, found = MPContext(), {}
    mp.dps = 25
    for order in ORDERS:
        found[order] = record(target).at_digits(mp, *order, mp.mpf("0.7"), mp.mpf("0.2"))
        assert float(found[order]) == pytest.approx(float(record(target).array_function(*order, 0.7, 0.2)), rel=1e-12)
    if target == "z":
        for order, value in found.items():
            exact = closed(*order, sp.Rational(7, 10), sp.Rational(1, 5)).evalf(30)
            assert abs(value - mp.mpf(str(exact))) < mp.mpf(10) ** -22 * abs(value)


def test_own_theory_with_signs_as_weights():
    """Another prior, sign weights, on the same node: stationary by differences of the potential."""
    alpha, hat = sp.symbols("alpha hat", positive=True)
    z = sp.Symbol("z", real=True)
    prior = ak.E(sp.log(sp.cosh(hat + sp.sqrt(hat) * z)), z) - hat / 2
    theory = ak.Theory(
        name="sign weights", unknowns={q: (0, 1), hat: "positive"},
        free_energy=prior - q * hat / 2 + alpha * ak.LabelEntropy("tanh", q, D),
        parameters={alpha: ("load", "positive"), D: ("noise", "positive")}, observables={"square": q**2})
    found = theory.solve(alpha=1.0, Delta=0.3)
    value = [float(record("tanh").array_function(0, 0, found["q"] + h, 0.3)) for h in (-1e-4, 1e-4)]
    assert (value[1] - value[0]) / 2e-4 == pytest.approx(found["hat"] / 2, rel=1e-6)
    x = np.linspace(-12, 12, 4001)
    w = np.exp(-(x**2) / 2) / np.exp(-(x**2) / 2).sum()
    assert w @ np.tanh(found["hat"] + np.sqrt(found["hat"]) * x) == pytest.approx(found["q"], rel=1e-10)
