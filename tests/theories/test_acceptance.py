"""Theories of the textbooks as a user writes them, through every verb, against numbers found without asympkit."""

import json
from functools import cache

import mpmath
import numpy as np
import pytest
from helpers.alone import run_alone
from sympy import asin, cosh, erfc, exp, log, pi, sqrt, symbols, tanh

import asympkit as ak

m, J, h = symbols("m J h", real=True)
q, qhat, alpha = symbols("q qhat alpha", positive=True)
z = symbols("z", real=True)


@cache
def random_field():
    """The magnet of README."""
    m, J, h = symbols("m J h", positive=True)
    return ak.Theory(name="random-field magnet", unknowns=[m],
                     parameters={J: ("coupling", "positive"), h: ("field", "positive")},
                     free_energy=J * m**2 / 2 - ak.E(log(cosh(J * m + h + z)), z),
                     observables={"energy": -J * m**2 / 2 - h * m})


@cache
def curie_weiss():
    return ak.Theory(name="Curie-Weiss magnet", unknowns=[m],
                     parameters={J: ("coupling", "positive"), h: ("field", "real")},
                     free_energy=J * m**2 / 2 - log(2 * cosh(J * m + h)),
                     observables={"susceptibility": (1 - m**2) / (1 - J * (1 - m**2))})


@cache
def perceptron():
    """Bayes-optimal learning of a sign teacher with Gaussian weights."""
    t = z * sqrt(q / (1 - q))
    kernel = exp(-t**2) / (2 * pi) / (erfc(t / sqrt(2)) / 2)
    return ak.Theory(name="sign-teacher perceptron", unknowns={q: (0, 1), qhat: "positive"},
                     parameters={alpha: ("samples over dimensions", "positive")},
                     equations=[q - qhat / (1 + qhat), qhat - 2 * alpha / (1 - q) * ak.E(kernel, z)],
                     observables={"generalisation_error": (pi / 2 - asin(sqrt(q))) / pi})


def root(f, at):
    with mpmath.workdps(40):
        return mpmath.findroot(f, at)


def normal_mean(f):
    """E f(z) by the trapezoidal rule, for analytic f of slow growth."""
    step = mpmath.mpf(1) / 16
    return step * mpmath.fsum(f(step * i) * mpmath.npdf(step * i) for i in range(-220, 221))


def perceptron_error(load):
    """Its generalisation error by mpmath alone, the fixed point written out."""
    with mpmath.workdps(30):
        def kernel(t):
            return mpmath.npdf(t) ** 2 / mpmath.ncdf(-t)

        def map_of(q):
            s = mpmath.sqrt(q / (1 - q))
            hat = 2 * load / (1 - q) * normal_mean(lambda x: kernel(s * x))
            return hat / (1 + hat) - q

        found = mpmath.findroot(map_of, (mpmath.mpf("0.3"), mpmath.mpf("0.7")))
        return mpmath.acos(mpmath.sqrt(found)) / mpmath.pi


def solved_alone(path, point):
    """What a generated module solves at a point, in a process without asympkit, sympy and numba."""
    return json.loads(run_alone(f"import json\nimport {path.stem} as g\nprint(json.dumps(g.solve(**{point!r})))",
                                path.parent))


def assert_routes_agree(theory, quantity, point, value, tmp_path, certify=True):
    """All routes to one number agree with ``value``, an mpf of 30 digits."""
    texts = {k: repr(v) for k, v in point.items()}
    s = theory.solve(**point)
    assert s.converged
    assert s[quantity] == pytest.approx(float(value), rel=1e-12)
    assert abs(theory.precise(digits=20, **texts)[quantity] - value) < 1e-19
    if certify:
        assert theory.certify(digits=20, **texts)[quantity].contains(value)
    over = next(iter(point))
    axis = np.linspace(0.9, 1.1, 5) * point[over]
    for backend in ("numpy", "numba"):
        swept = theory.sweep(backend=backend, **{**point, over: axis})
        assert np.all(swept.converged)
        assert swept[quantity][2] == pytest.approx(float(value), rel=1e-11)
    path = theory.continuation(over=over, start=point[over], stop=float(axis[-1]),
                               **{k: v for k, v in point.items() if k != over})
    (branch,) = path.branches
    assert branch[quantity][-1] == pytest.approx(swept[quantity][-1], rel=1e-9)
    file = theory.generate(tmp_path / "alone.py")
    got = solved_alone(file, point)
    assert got[quantity] == pytest.approx(float(value), rel=1e-11)


@pytest.mark.slow
def test_random_field_magnet(tmp_path):
    value = root(lambda x: x - normal_mean(lambda t: mpmath.tanh(mpmath.mpf("1.5") * x + mpmath.mpf("0.2") + t)), 0.6)
    assert_routes_agree(random_field(), "m", {"J": 1.5, "h": 0.2}, value, tmp_path)


def test_curie_weiss_ferromagnet(tmp_path):
    value = root(lambda x: x - mpmath.tanh(mpmath.mpf("1.5") * x + mpmath.mpf("0.2")), 0.9)
    assert_routes_agree(curie_weiss(), "m", {"J": 1.5, "h": 0.2}, value, tmp_path)


@pytest.mark.slow
def test_sign_teacher_perceptron(tmp_path):
    value = perceptron_error(mpmath.mpf(2))
    assert mpmath.nstr(value, 9) == "0.174534186"
    assert_routes_agree(perceptron(), "generalisation_error", {"alpha": 2.0}, value, tmp_path, certify=False)


@pytest.mark.parametrize("coupling", [0.2, 0.5, 0.9, 0.99])
def test_paramagnet_solves(coupling):
    s = curie_weiss().solve(J=coupling, h=0.0)
    assert abs(s["m"]) < 1e-12
    assert s.susceptibility == pytest.approx(1 / (1 - coupling), rel=1e-12)
    assert abs(curie_weiss().precise(digits=20, J=repr(coupling), h=0)["m"]) < 1e-20


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_curie_weiss_sweeps_through_the_transition(backend):
    coupling = np.array([0.25, 0.5, 0.75, 0.9, 1.1, 1.25, 1.5, 2.0])
    swept = curie_weiss().sweep(J=coupling, h=0.0, backend=backend)
    assert np.all(swept.converged)
    assert np.all(np.abs(swept["m"][coupling < 1]) < 1e-9)
    for c, got in zip(coupling[coupling > 1], swept["m"][coupling > 1]):
        assert abs(got) == pytest.approx(float(root(lambda x, c=c: x - mpmath.tanh(c * x), 0.99)), rel=1e-9)


def test_paramagnet_continues():
    path = curie_weiss().continuation(over="J", start=0.2, stop=0.8, h=0.0)
    assert np.all(np.abs(np.concatenate([b["m"] for b in path.branches])) < 1e-9)
    assert path.branches[-1].parameter[-1] == pytest.approx(0.8)


def test_the_derivative_at_the_critical_point_is_refused():
    with pytest.raises(ak.ConvergenceError):
        curie_weiss().sensitivity("m", "J", J=1.0, h=0.0)


def test_the_tanh_of_the_equation_is_the_derivative_of_the_free_energy():
    (equation,) = curie_weiss().equations().equations
    assert (equation - (J * m - J * tanh(J * m + h))).equals(0)
