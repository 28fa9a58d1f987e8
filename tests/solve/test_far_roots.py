"""Roots far from the start, and refusals that end."""

import random

import numpy as np
import pytest
from helpers.tiers import slow_but
from scipy.optimize import brentq
from sympy import Rational, log, sqrt, symbols, tanh

import asympkit as ak

u, v, V, W, D, lam, c = symbols("u v V W D lam c", positive=True)
m, J, h = symbols("m J h", real=True)
SPECTRUM = np.random.default_rng(0).exponential(size=300)


def ridge(factor=1, **more):
    return ak.Theory(name="ridge", unknowns=[V], parameters={lam: ("ridge", "positive"), c: ("a number", "real")},
                     equations=[factor * (V - ak.mean(D / (lam + D / (1 + V) / 2), ak.Eigenvalues(D)))], **more)


def ridge_root(ridge_parameter):
    """The only root, by bisection in its logarithm."""
    def f(x):
        return np.log(np.mean(SPECTRUM / (ridge_parameter + SPECTRUM / (1 + np.exp(x)) / 2))) - x

    return np.exp(brentq(f, -30, 60, xtol=1e-15))


@pytest.fixture(scope="module")
def plain_ridge():
    return ridge()


@pytest.mark.parametrize("ridge_parameter", [10.0, 1e-2, 1e-3, 1e-5, 1e-8, 1e-12])
def test_a_root_at_any_size(plain_ridge, ridge_parameter):
    s = plain_ridge.solve(lam=ridge_parameter, c=1, D=SPECTRUM)
    assert s["V"] == pytest.approx(ridge_root(ridge_parameter), rel=1e-12)


@pytest.mark.slow
def test_many_digits_and_sweeps_find_it_too(plain_ridge):
    true = ridge_root(1e-6)
    assert float(plain_ridge.precise(digits=20, lam="1e-6", c=1, D=SPECTRUM)["V"]) == pytest.approx(true, rel=1e-12)
    for axis in ([1e-6], [1e-9, 1e-6, 1e-4]):              # without a neighbour that is solved
        sweep = plain_ridge.sweep(lam=axis, c=1, D=SPECTRUM, backend="numpy")
        assert sweep.converged.all()
        np.testing.assert_allclose(sweep["V"], [ridge_root(x) for x in axis], rtol=1e-9)
    found = plain_ridge.minimize("V", over="lam", bounds=(1e-8, 1e-7), c=1, D=SPECTRUM)
    assert found.value == pytest.approx(ridge_root(1e-7), rel=1e-8)


@pytest.mark.parametrize("factor", [3, -2, c, c / (1 + c**2)])
def test_a_factor_of_the_equation_does_not_matter(factor):
    assert ridge(factor).solve(lam=1e-6, c=1.7, D=SPECTRUM)["V"] == pytest.approx(ridge_root(1e-6), rel=1e-12)


@pytest.mark.parametrize("seed", slow_but(range(8), 0, 5))
def test_scalable_maps_of_two_unknowns(seed):
    """Increasing maps that grow less than in proportion have one positive root at most; here there is one."""
    r = random.Random(seed)
    a, b, d = (Rational(r.randint(1, 30), 10) for _ in range(3))
    small = Rational(1, 10 ** r.randint(3, 9))
    f = (1 / (small + a / (1 + u + v)), sqrt(u * v) / (1 + small * v) * b + d)
    t = ak.Theory(name="pair", unknowns=[u, v], parameters={lam: ("", "positive")},
                  equations=[u - f[0] * lam, v - f[1] * lam])
    s = t.solve(lam=1)
    at = {u: s["u"], v: s["v"]}
    for x, g in zip((u, v), f):
        assert float(g.subs(at)) == pytest.approx(s[x.name], rel=1e-10)


@pytest.mark.parametrize("root", [3e-7, 0.02, 45.0, 8e5])
def test_equations_of_other_forms(root):
    """An overflow, a logarithm or a flat part between the usual starts and the root."""
    shift = float(np.log(root))
    for equation in (log(u) ** 3 + log(u) - h, 1 / (1 + u / c) - Rational(1, 2) + 0 * h):
        t = ak.Theory(name="form", unknowns=[u], equations=[equation],
                      parameters={h: ("", "real"), c: ("", "positive")})
        got = t.solve(h=shift**3 + shift, c=root)["u"]
        assert got == pytest.approx(root, rel=1e-9)


@pytest.mark.parametrize("seed", slow_but(range(6), 0, 3))
def test_maps_that_lead_away_from_their_fixed_point(seed):
    """x is given by y and y by x, both by cubes: the equations increase, the root is the only one."""
    r = random.Random(seed)
    x, y = symbols("x y", real=True)
    a, b, right, below = (Rational(r.randint(-2000, 2000), 1000) for _ in range(4))
    t = ak.Theory(name="cubes", unknowns=[x, y], parameters={J: ("", "real"), h: ("", "real")},
                  equations=[(a**2 + Rational(1, 10)) * x + y**3 + y - J, x**3 + b**2 * x - y - h])
    at = {x: right, y: below}
    values = [float(e.subs({**at, J: 0, h: 0})) for e in t.equations().equations]
    found = t.solve(J=values[0], h=values[1])
    assert found["x"] == pytest.approx(float(right), abs=1e-9) and found["y"] == pytest.approx(float(below), abs=1e-9)
    sweep = t.sweep(J=[values[0]], h=values[1])
    assert sweep.converged.all() and sweep["x"][0] == pytest.approx(float(right), abs=1e-9)


# -- folds ---------------------------------------------------------------------------------------------------------


def magnet(**more):
    return ak.Theory(name="magnet", unknowns=[m], parameters={J: ("coupling", "real"), h: ("field", "real")},
                     equations=[m - tanh(J * m + h)], **more)


def magnet_root(coupling, field):
    """The root on the side of the field."""
    ends = (1e-12, 1.0) if field > 0 else (-1.0, -1e-12)
    return brentq(lambda x: x - np.tanh(coupling * x + field), *ends, xtol=1e-15)


@pytest.mark.parametrize("start", slow_but([None, 1, -1, 40], 3))
def test_a_start_beyond_a_fold(start):
    """Just behind the fold Newton's method is held where the lost root was."""
    t = magnet(**({} if start is None else {"start": {m: start}}))
    for coupling in (1.3, 2.55, 3.2, 6.0):
        edge = np.sqrt(1 - 1 / coupling)
        lost = coupling * edge - np.arctanh(edge)                     # the field at which the other root is lost
        for share in (1.0001, 1.005, 1.2, 3.0):
            for side in (1, -1):
                field = side * share * lost
                assert t.solve(J=coupling, h=field)["m"] == pytest.approx(magnet_root(coupling, field), rel=1e-9)


def test_a_given_start_asks_for_the_root_near_it_and_no_other():
    t = magnet()
    with pytest.raises(ak.ConvergenceError):
        t.solve(J=2.55, h=-0.95, start={"m": 1.0})
    assert t.solve(J=2.55, h=-0.95)["m"] == pytest.approx(magnet_root(2.55, -0.95), rel=1e-12)
    assert float(t.precise(digits=20, J="2.55", h="-0.95")["m"]) == pytest.approx(magnet_root(2.55, -0.95), rel=1e-12)
    # where it leads somewhere, it decides
    assert t.solve(J=2.55, h=-0.3, start={"m": 1.0})["m"] > 0 > t.solve(J=2.55, h=-0.3, start={"m": -1.0})["m"]


ONE = {"eta": 1, "alpha0": 2, "alpha": 2, "beta": 2}
SPIKED = {"r": 1.2, "c": 1.1, "gamma": 0.9, "alpha": 2, "lam": 0.1}
REFUSED = {
    "hinge, penalty 1e12": (lambda: ak.OneStep("tanh", "z", loss="hinge", labels="sign"), {**ONE, "lam": 1e12}),
    "hinge, penalty 1e60": (lambda: ak.OneStep("tanh", "z", loss="hinge", labels="sign"), {**ONE, "lam": 1e60}),
    "kinks of loss and target": (lambda: ak.SpikedFeatures("tanh", "abs(z)+0.3*z**2", loss=ak.Huber(1)),
                                 {**SPIKED, "noise_variance": 0.37}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSED)
def test_refusals_end(name):
    theory, at = REFUSED[name]
    with pytest.raises(ak.ConvergenceError, match="ask for a larger rtol|not satisfied|without a finite value"):
        theory().solve(**at)
