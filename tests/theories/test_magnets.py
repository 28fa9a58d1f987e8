"""Two magnets, written as a user would: every verb, from the paramagnet to the ferromagnet, with one answer."""

import importlib.util
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from sympy import Symbol, cosh, log, symbols, tanh

import asympkit as ak

J, h = symbols("J h", positive=True)
z = Symbol("z", real=True)
m = Symbol("m", positive=True)


@pytest.fixture(scope="module")
def random_field():
    return ak.Theory(
        name="random-field magnet", unknowns=[m],
        parameters={J: ("coupling", "positive"), h: ("field", "positive")},
        free_energy=J * m**2 / 2 - ak.E(log(cosh(J * m + h + z)), z),
        observables={"energy": -J * m**2 / 2 - h * m})


@pytest.fixture(scope="module")
def curie_weiss():
    k, b, x = symbols("J h m", real=True)
    return ak.Theory(name="Curie-Weiss", unknowns=[x], parameters={k: ("coupling", "positive"), b: ("field", "real")},
                     equations=[x - tanh(k * x + b)], observables={"energy": -k * x**2 / 2 - b * x})


def normal_mean(f):
    step = mpmath.mpf(1) / 32
    return step * mpmath.fsum(f(step * i) * mpmath.npdf(step * i) for i in range(-350, 351))


@pytest.mark.slow
def test_random_field_by_every_route(random_field, tmp_path):
    t, at = random_field, {"J": 1.5, "h": 0.2}
    solution, digits = t.solve(**at), t.precise(digits=20, **at)
    assert solution["m"] == pytest.approx(0.583423687407845, rel=1e-14)
    assert mpmath.nstr(digits["m"], 20) == "0.58342368740784523652"
    assert abs(solution.energy / digits.energy - 1) < 1e-13
    grid = {"J": np.linspace(0.2, 3.0, 15), "h": np.geomspace(1e-3, 1.0, 5)}
    sweeps = [t.sweep(backend=b, **grid) for b in ("numpy", "numba")]
    for sweep in sweeps:
        assert sweep.converged.all() and (sweep.status == "converged").all() and (sweep["m"] > 0).all()
    np.testing.assert_allclose(sweeps[0]["m"], sweeps[1]["m"], rtol=1e-9)
    with mpmath.workdps(20):
        for i, k in ((0, 0), (7, 2), (14, 4)):
            value = mpmath.mpf(float(sweeps[0]["m"][i, k]))
            field = grid["J"][i] * value + grid["h"][k]
            assert abs(normal_mean(lambda s, field=field: mpmath.tanh(field + s)) - value) < 1e-12
    minimum = t.minimize("energy", over="h", bounds=(0.1, 1.0), J=1.5)
    assert minimum.at_bound and minimum.argmin == 1.0 and minimum.value == pytest.approx(t.solve(J=1.5, h=1.0).energy)
    slope = t.sensitivity("m", "h", **at)
    around = [t.solve(J=1.5, h=0.2 + e)["m"] for e in (1e-4, -1e-4)]
    assert slope == pytest.approx((around[0] - around[1]) / 2e-4, rel=1e-6)
    assert pickle.loads(pickle.dumps(t)).solve(**at)["m"] == solution["m"]
    path = t.generate(tmp_path / "magnet_generated.py")
    spec = importlib.util.spec_from_file_location("magnet_generated", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.solve(1.5, 0.2)["m"] == pytest.approx(solution["m"], rel=1e-12)
    assert module.solve_rows(J=[0.5, 1.5], h=0.2)["m"][1] == pytest.approx(solution["m"], rel=1e-12)


@pytest.mark.filterwarnings("ignore::asympkit.AssumptionWarning")
@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=pytest.mark.slow)])
def test_curie_weiss_through_the_transition(curie_weiss, backend):
    grid = {"J": np.linspace(0.2, 3.0, 15), "h": np.array([-0.5, -0.1, 0.1, 0.5])}
    sweep = curie_weiss.sweep(backend=backend, **grid)
    assert sweep.converged.all()
    x = sweep["m"]
    np.testing.assert_allclose(x, np.tanh(grid["J"][:, None] * x + grid["h"]), atol=1e-12)
    up = curie_weiss.sweep(backend=backend, start={"m": np.sign(grid["h"])}, **grid)
    np.testing.assert_array_equal(np.sign(up["m"]), np.broadcast_to(np.sign(grid["h"]), up.shape))
    np.testing.assert_allclose(up["m"], -up["m"][:, ::-1], rtol=1e-9)
    for i in (0, 6, 14):
        one = curie_weiss.precise(digits=20, J=float(grid["J"][i]), h=0.1, start={"m": 1.0})
        assert abs(one["m"] - up["m"][i, 2]) < 1e-12


def test_curie_weiss_without_a_field(curie_weiss):
    sweep = curie_weiss.sweep(J=np.array([0.3, 0.7, 0.95, 1.05, 1.5, 3.0]), h=0.0)
    assert sweep.converged.all()
    np.testing.assert_allclose(sweep["m"][:3], 0.0, atol=1e-9)
    ferro = sweep["m"][3:]
    np.testing.assert_allclose(ferro, np.tanh(sweep["J"][3:] * ferro), atol=1e-12)


# -- many digits without a solution in double precision ------------------------------------------------------------


x, a = symbols("x a", real=True)


@pytest.mark.parametrize("seed", range(12))
def test_precise_starts_from_what_double_precision_reached(seed, monkeypatch):
    """Known roots; solve is made to fail, with a point near or far, or none that is finite."""
    from asympkit.solve.kernel import Kernel

    draw = np.random.default_rng(seed)
    root, rate = Fraction(int(draw.integers(3, 40)), 7), Fraction(int(draw.integers(1, 30)), 10)
    t = ak.Theory(name="known", parameters={a: ("", "real")}, unknowns=[x], start={x: 1.3 * float(root)},
                  equations=[(x - a) * (1 + rate.numerator * x**2 / rate.denominator) + tanh(x - a) / 2])
    there, solve = t.solve(a=float(root)), Kernel.solve
    assert there["x"] == pytest.approx(float(root), rel=1e-12)

    def failing(self, *arguments, **named):
        point = solve(self, *arguments, **named)
        point.order_parameters["x"] *= (1.01, 0.7, float("nan"), 1e200)[seed % 4]
        raise ak.ConvergenceError("solve: the averages did not reach the accuracy: use precise()", point)

    monkeypatch.setattr(Kernel, "solve", failing)
    with pytest.raises(ak.ConvergenceError, match="use precise"):
        t.solve(a=float(root))
    found = t.precise(digits=25, a=root)["x"]
    assert abs(found * root.denominator - root.numerator) < mpmath.mpf(10) ** -23


@pytest.mark.parametrize(("equation", "start"), [
    (x - a - x**2, 1.0), (x**2 + 1 + a**2, 0.3), (log(x**2 + 3) - a, 1.0), (1 / (x - 1) - 1 / (x - 1 + a**2 + 1), 3.0),
])
def test_precise_says_where_there_is_nothing(equation, start):
    t = ak.Theory(name="none", parameters={a: ("", "real")}, unknowns=[x], equations=[equation], start={x: start})
    with pytest.raises(ak.ConvergenceError) as caught:
        t.precise(digits=20, a=1)
    assert "give a start closer" in str(caught.value) and str(caught.value).startswith("precise: ")
