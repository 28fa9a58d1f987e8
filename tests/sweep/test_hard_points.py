"""One hard point costs itself alone; singular points, and branches that a sweep leaves."""

import csv
import random
import warnings
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from helpers.tiers import BACKENDS, slow_but
from sympy import Rational, Symbol, log, symbols, tanh
from sympy.matrices import Matrix

import asympkit as ak
from asympkit.solve.solution import Status
from asympkit.sweep import Sweep, pieces, run

x, a, b, z = symbols("x a b z", real=True)


def theory(equation, name="own", unknowns=(x,), **more):
    return ak.Theory(name=name, parameters={a: ("", "real"), b: ("", "real")}, unknowns=list(unknowns),
                     equations=[equation], **more)


@pytest.fixture(scope="module")
def parabola():
    """No root for a + b > 1/4; the lower one is away from 0."""
    return theory(x + 2 - a - b - (x + 2) ** 2, start={x: -1.0})


@pytest.fixture(scope="module")
def curve():
    """A magnet: one solution for a < 1, the only theory here that is compiled."""
    return theory(x - tanh(a * x + b))


AXES = {"a": np.linspace(-2.0, 0.9, 13), "b": np.array([0.2, 0.5, 1.0])}


def spoiled(hard):
    """The first pass does not find some points of a grid."""
    def solve_piece(*arguments):
        values, settled, notes = pieces.solve_piece(*arguments)
        values[hard[arguments[2].first:arguments[2].last]] = 7.0
        return values, settled, notes

    return mock.patch.object(run, "solve_piece", solve_piece)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("seed", slow_but(range(4), 1, 3))
def test_points_are_found_from_their_neighbours(curve, backend, seed):
    plain = curve.sweep(backend=backend, **AXES)
    assert plain.converged.all()
    hard = np.random.default_rng(seed).random((13, 3)) < (0.2, 0.5, 0.9, 0.97)[seed]
    hard[seed, 1] = False
    with spoiled(hard):
        sweep = curve.sweep(backend=backend, **AXES)
    assert sweep.converged.all() and (sweep.status == "converged").all()
    np.testing.assert_allclose(sweep["x"], plain["x"], rtol=1e-13)
    np.testing.assert_array_equal(sweep["x"][~hard], plain["x"][~hard])      # the others keep every bit
    with spoiled(np.ones((13, 3), bool)):                                    # nobody has a neighbour: as by solve
        sweep = curve.sweep(backend=backend, **AXES)
    assert sweep.converged.all()
    np.testing.assert_allclose(sweep["x"], plain["x"], rtol=1e-13)


def test_every_point_says_why(parabola):
    grid = {"backend": "numpy", "a": np.linspace(-1.03, 0.97, 21), "b": [0.0, 0.1]}
    total = grid["a"][:, None] + grid["b"]
    sweep = parabola.sweep(**grid)
    there = total <= 0.25
    np.testing.assert_array_equal(sweep.converged, there)
    np.testing.assert_array_equal(sweep.status == Status.CONVERGED, there)
    assert sweep.status.shape == sweep.shape
    assert {str(s)[:34] for s in sweep.status[~there]} == {"the equations are not satisfied to"}
    assert all("give a start" in str(s) for s in sweep.status[~there])
    assert np.isnan(sweep["x"][~there]).all()
    y = sweep["x"][there] + 2
    np.testing.assert_allclose(y - y**2, total[there], atol=1e-9)


def test_tables_of_their_own_have_neighbours_too():
    model = ak.OneStep("tanh", "sin")
    grid = {"eta": 0.2, "alpha0": [4.0, 8.0, 16.0, 32.0], "alpha": [0.5, 1.0], "lam": 0.1, "backend": "numpy"}
    plain = model.sweep(**grid)

    def solve_piece(*arguments):
        values, settled, notes = pieces.solve_piece(*arguments)
        if arguments[2].at["alpha0"] > 4.0:
            values[...] = 7.0
        return values, settled, notes

    with mock.patch.object(run, "solve_piece", solve_piece):
        sweep = model.sweep(**grid)
    assert sweep.converged.all()
    for name in sweep.names:
        np.testing.assert_allclose(sweep[name], plain[name], rtol=1e-9)


def test_a_table_that_is_refused_costs_its_points_alone():
    model = ak.OneStep("tanh", "sin")
    grid = {"eta": 0.2, "alpha0": [4.0, 8.0, 16.0], "alpha": [0.5, 1.0], "lam": 0.1, "backend": "numpy"}
    plain, located = model.sweep(**grid), ak.OneStep.locate_point

    for kind, place in ((ak.ConvergenceError, 2), (ak.ConvergenceError, 0), (ak.DomainError, 1)):
        def refusing(self, parameters, kind=kind, place=place):
            if parameters["alpha0"] == grid["alpha0"][place]:
                raise kind("the mean cannot be resolved")
            return located(self, parameters)

        with mock.patch.object(ak.OneStep, "locate_point", refusing), \
                pytest.warns(ak.AssumptionWarning, match=r"sweep at .*alpha0 = .*: the mean cannot be resolved"):
            sweep = model.sweep(**grid)
        assert (sweep.status[place] == Status.REFUSED).all() and "solve() at this point" in str(sweep.status[place, 0])
        others = [k for k in range(3) if k != place]
        np.testing.assert_array_equal(sweep["test_error"][others], plain["test_error"][others])
        assert sweep.converged[others].all() and np.isnan(sweep["test_error"][place]).all()


def test_the_same_bits_by_every_way(curve, tmp_path):
    hard = np.random.default_rng(5).random((13, 3)) < 0.8
    grid = {**AXES, "backend": "numpy"}
    with spoiled(hard):
        sweep = curve.sweep(**grid)
        with ThreadPoolExecutor(2) as pool:
            others = [curve.sweep(executor=pool, **grid)]
    with mock.patch.object(pieces, "LARGEST", 6):
        for ending in (".npz", ".csv", ".npy"):
            path, calls, spoil = tmp_path / f"s{ending}", [], spoiled(hard).new

            def stopping(*arguments, calls=calls, spoil=spoil):
                calls.append(arguments)
                if len(calls) == 4:
                    raise KeyboardInterrupt
                return spoil(*arguments)

            with mock.patch.object(run, "solve_piece", stopping), pytest.raises(KeyboardInterrupt):
                curve.sweep(file=path, **grid)
            with spoiled(hard), mock.patch.object(run, "retry_points", side_effect=KeyboardInterrupt), \
                    pytest.raises(KeyboardInterrupt):
                curve.sweep(file=path, **grid)
            others.append(curve.sweep(file=path, **grid))
            with mock.patch.object(run, "solve_piece", side_effect=AssertionError), \
                    mock.patch.object(run, "retry_points", side_effect=AssertionError):
                others.append(curve.sweep(file=path, **grid))      # only read
    for other in others:
        np.testing.assert_array_equal(other["x"], sweep["x"])
        np.testing.assert_array_equal(other.status, sweep.status)


@pytest.mark.parametrize("count", [6, pytest.param(20, marks=pytest.mark.slow)])
def test_averages_that_do_not_settle_cost_their_point_alone(count):
    c, y = Symbol("c", positive=True), Symbol("y", real=True)
    line = 1 / (Rational(1, 10) + c * (z - Rational(1, 3)) ** 2 + x**2 / 1000)
    t = ak.Theory(name="sharp", parameters={c: ("", "positive")}, unknowns=[x], equations=[x - 1 - ak.E(line, z)])
    sweep = t.sweep(backend="numpy", c=np.geomspace(0.1, 1e6, 12))           # nodes are placed around the peak
    assert sweep.converged.all()
    assert sweep["x"][-1] == pytest.approx(float(t.precise(digits=15, c=1e6)["x"]), rel=1e-9)
    plane = 1 / (Rational(1, 10) + c * (z * y - Rational(1, 3)) ** 2 + x**2 / 1000)
    t = ak.Theory(name="sharp ridge", parameters={c: ("", "positive")}, unknowns=[x],
                  equations=[x - 1 - ak.E(plane, (z, y))])
    sweep = t.sweep(backend="numpy", c=np.geomspace(1e-4, 1e6, count))
    assert sweep.status[-1] == Status.QUADRATURE and "ask for a larger rtol" in str(sweep.status[-1])
    assert sweep.converged[:count // 3].all() and not sweep.converged.all()
    assert set(sweep.status) == {Status.CONVERGED, Status.QUADRATURE}
    assert sweep["x"][0] == pytest.approx(float(t.precise(digits=12, c="0.0001")["x"]), rel=1e-9)


def test_a_positive_unknown_that_comes_out_negative_says_so():
    w = Symbol("w", positive=True)
    t = ak.Theory(name="sign", parameters={a: ("shift", "real")}, unknowns=[w], equations=[w - a + 3])
    sweep = t.sweep(a=[2.0, 3.5, 5.0])
    assert sweep.converged.tolist() == [False, True, True]
    assert sweep.status[0] == Status.OUTSIDE and "where its symbol may not be" in str(sweep.status[0])
    assert np.isnan(sweep["w"][0])


def test_a_quantity_without_a_value_says_so():
    t = theory(x - tanh(x / 2 + a + b), observables={"root": log(x)})
    sweep = t.sweep(a=np.linspace(-1.1, 1.0, 5), b=0.0, backend="numpy")
    assert sweep.converged.tolist() == [False, False, False, True, True]
    assert set(sweep.status[:3]) == {Status.INFINITE} and "without a finite value" in str(sweep.status[0])


@pytest.mark.parametrize("name", ["converged", "status", "finished", "about", "file", "axis_a", "a b", "x,y", '"'])
def test_any_name_goes_to_files(tmp_path, name):
    y = Symbol(name, real=True)
    t = theory(y - tanh(y / 2 + a) - 1 - b, unknowns=(y,), observables={f"{name}2": y**2})
    grid = {"a": [0.1, 0.2], "b": 0.0, "backend": "numpy"}
    plain = t.sweep(**grid)
    for ending in (".npz", ".csv", ".npy"):
        for _ in range(2):
            sweep = t.sweep(file=tmp_path / f"s{ending}", **grid)
            np.testing.assert_array_equal(sweep[name], plain[name])
            np.testing.assert_array_equal(sweep.status, plain.status)
    key = f"quantity_{name}" if name in ("converged", "status", "file", "axis_a") else name
    with open(plain.to_csv(tmp_path / "t.csv"), newline="") as stream:
        first = next(csv.DictReader(stream))
    assert float(first[key]) == plain[name][0] and first["status"] == "converged" and first["converged"] == "1"
    with np.load(plain.to_npz(tmp_path / "t.npz"), allow_pickle=False) as data:
        np.testing.assert_array_equal(data[key], plain[name])
        np.testing.assert_array_equal(data["axis_a"], grid["a"])
        assert data["converged"].all() and set(data["status"]) == {"converged"}
    for file in ("s.npz", "s.csv", "s.npy", "t.npz", "t.csv"):
        found = Sweep.load(tmp_path / file)
        assert found.names == plain.names and found["a"].tolist() == grid["a"]
        np.testing.assert_array_equal(found[name], plain[name])


# -- start ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_start_chooses_the_branch(curve, backend):
    grid = {"a": np.linspace(1.2, 3, 19), "b": np.linspace(-0.01, 0.01, 5)}
    up, down = (curve.sweep(start={"x": s}, backend=backend, **grid) for s in (1.0, -1.0))
    np.testing.assert_allclose(up["x"], -down["x"][:, ::-1], rtol=1e-9)
    assert (up["x"] > 0).all() and up.converged.all() and down.converged.all()
    sign = np.where(np.arange(19)[:, None] % 2, 1.0, -1.0)          # another branch at every second point
    mixed = curve.sweep(start={"x": sign}, backend=backend, **grid)
    np.testing.assert_array_equal(np.sign(mixed["x"]), np.broadcast_to(sign, mixed.shape))
    again = curve.sweep(start={"x": np.where(sign > 0, up["x"], np.nan)}, backend=backend, **grid)
    np.testing.assert_allclose(again["x"][1::2], up["x"][1::2], rtol=1e-9)
    np.testing.assert_allclose(again["x"][::2], up["x"][::2], rtol=1e-9)        # NaN: the usual start, which is 1


def test_start_is_part_of_the_question(parabola, tmp_path):
    grid = {"a": [0.0, 0.1], "b": 0.0, "backend": "numpy"}
    lower = parabola.sweep(start={"x": -2.2}, file=tmp_path / "s.npz", **grid)
    upper = parabola.sweep(start={"x": [0.5, 1.0]}, **grid)
    assert (upper["x"] > -1.3).all() and (lower["x"] < -1.8).all()
    with pytest.raises(ak.DomainError, match="holds another sweep: there start x is 2 values"):
        parabola.sweep(start={"x": 2.0}, file=tmp_path / "s.npz", **grid)


@pytest.mark.parametrize(("start", "error", "text"), [
    ({"y": 1.0}, ak.UnknownNameError, "start: no unknown 'y'"),
    ([1.0], ak.DomainError, r"start: got \[1\.0\]; expected \{name: number\}"),
    ({"x": "one"}, ak.DomainError, "start: got 'one' for x; expected a number, or an array of numbers"),
    ({"x": [1.0, 2.0, 3.0]}, ak.DomainError, r"start: got \[1\.0, 2\.0, 3\.0\] for x; expected .* of shape \(2,\)"),
    ({"x": [1.0, np.inf]}, ak.DomainError, "start: x holds an infinite number"),
    ({"x": [1.0, 2j]}, ak.DomainError, "start: got .* for x; expected a number"),
])
def test_starts_that_cannot_be(parabola, start, error, text):
    with pytest.raises(error, match=text):
        parabola.sweep(a=[0.0, 0.1], b=0.0, start=start)


def test_a_start_outside_the_domain_of_its_unknown():
    share = ak.Theory(name="share", parameters={a: ("", "real")}, unknowns={x: (0, 1)},
                      equations=[x - (1 + tanh(a * x)) / 2])
    with pytest.raises(ak.DomainError, match=r"start: x leaves its domain \(0, 1\); expected numbers inside it"):
        share.sweep(a=[0.5, 1.0], start={"x": [0.5, 1.5]})
    assert share.sweep(a=[0.5, 1.0], start={"x": [0.5, np.nan]}).converged.all()


def test_an_array_of_them_is_short():
    assert repr(np.array([Status.CONVERGED, Status.RESIDUAL], dtype=object)) == (
        "array([Status.CONVERGED, Status.RESIDUAL], dtype=object)")
    assert str(Status.CONVERGED) == "converged" and "give a start" in str(Status.RESIDUAL)


def linear():
    """Two unknowns of linear equations, y = b - a."""
    y = symbols("y", real=True)
    return ak.Theory(name="linear", parameters={a: ("", "real"), b: ("", "real")}, unknowns=[x, y],
                     equations=[x + y - a, x + 2 * y - b])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("build", "name", "over", "few", "many", "at"), [
    (linear, "y", "b", 1 + 1e-8, 2.0, {"a": 1.0}), *(pytest.param(*case, marks=pytest.mark.slow) for case in (
        (lambda: ak.OneStep("tanh", "sin", bulk="exact"), "thetahat", "eta", 1e-4, 1.0,
         {"alpha": 2, "alpha0": 2, "lam": 0.1}),
        (lambda: ak.DeepFeatures("1.5:tanh,0.7:erf(z),2:sin", "1:erf(z),1:sign"), "q3", "lam", 3e5, 1.0,
         {"alpha": 2, "noise_variance": 0.1})))])
def test_few_digits_of_linear_equations_are_told(build, name, over, few, many, at, backend):
    """The estimate is above the promise where the error may be, in solve and in sweeps."""
    own = build()
    found, sweep = own.solve(**at, **{over: few}), own.sweep(**at, **{over: [few, many]}, backend=backend)
    assert found.status == sweep.status[0] == Status.LIMITED and sweep.status[1] == Status.CONVERGED
    assert sweep.converged.all() and own.solve(**at, **{over: many}).status == Status.CONVERGED
    right = float(own.precise(digits=20, **at, **{over: few})[name])
    assert abs(sweep[name][0] / right - 1) <= 2.0**-52 * found.condition[name]


@pytest.mark.parametrize(("seconds", "taken"), [(0.0, "numba"), (1e9, "numpy")])
def test_the_back_end_repays_compiling(curve, seconds, taken, capsys):
    """What compiling costs is set beside what the first points take; the result says what was taken."""
    axes = {"a": np.linspace(-2.0, 0.9, 9), "b": np.linspace(0.2, 1.0, 8)}
    with mock.patch.object(type(curve.kernel), "seconds_to_compile", seconds), \
            mock.patch.object(type(curve.kernel), "is_compiled", False):
        swept = curve.sweep(**axes)
    assert swept.backend == taken
    assert swept["x"] == pytest.approx(curve.sweep(**axes, backend="numpy")["x"], rel=1e-12)
    assert curve.sweep(a=0.5, b=[0.1, 0.2]).backend == "numpy"


def test_the_bar_says_that_loops_are_compiled(curve, capsys):
    with mock.patch.object(type(curve.kernel), "is_compiled", False):
        curve.sweep(**AXES, backend="numba", progress=True)
    assert "compiling loops, once" in capsys.readouterr().err


def nearly_singular(seed, distance):
    """A theory of linear equations whose last row is a combination of the others but for ``distance``."""
    r = random.Random(seed)
    n = r.randint(2, 4)
    unknowns = symbols(f"x1:{n + 1}", real=True)
    while True:
        rows = [[Rational(r.randint(-9, 9), 2) for _ in unknowns] for _ in range(n - 1)]
        last = Matrix([[r.choice([-2, -1, 1, 3]) for _ in rows]]) * Matrix(rows)
        last[r.randrange(n)] += distance
        matrix = Matrix([*rows, list(last)])
        if matrix.det() != 0 and all(any(row) for row in rows):
            break
    rhs = Matrix([Rational(r.randint(-9, 9)) + a * r.randint(1, 5) for _ in unknowns])
    theory = ak.Theory(name="linear", parameters={a: ("", "real")}, unknowns=unknowns,
                       equations=list(matrix * Matrix(unknowns) - rhs))
    return theory, unknowns, lambda value: matrix.solve(rhs.subs(a, Rational(Fraction(value))))


def assert_right_or_refused(theory, unknowns, exact, backend, must_refuse):
    values = np.array([0.4, 1.1])
    with np.errstate(all="raise"):
        sweep = theory.sweep(a=values, backend=backend)
    # whether a pivot is 0 or one rounding away from it differs from one processor to the next
    assert set(sweep.status) <= {Status.CONVERGED, Status.LIMITED, Status.RESIDUAL, Status.DEPENDENT}
    if must_refuse:
        assert not sweep.converged.any()
    for k in np.flatnonzero(sweep.converged):
        x = np.array(exact(values[k]), dtype=float).ravel()
        assert np.array([sweep[u.name][k] for u in unknowns]) == pytest.approx(x, abs=1e-7 * np.abs(x).max())
    for value in values:
        try:
            solution = theory.solve(a=value)
        except ak.ConvergenceError as error:
            assert not error.solution.converged
        else:
            assert sweep.converged[list(values).index(value)]
            assert all(abs(solution[u.name] - float(x)) <= 1e-7 * max(map(abs, exact(value)))
                       for u, x in zip(unknowns, exact(value)))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("distance", [Rational(1), Rational(1, 10**6), Rational(1, 10**15)])
def test_linear_equations_nearly_singular(seed, distance):
    theory, unknowns, exact = nearly_singular(seed, distance)
    assert_right_or_refused(theory, unknowns, exact, "numpy", distance < 1e-12)


@pytest.mark.slow
def test_compiled_loops_refuse_them_too():
    theory, unknowns, exact = nearly_singular(3, Rational(1, 10**15))
    assert_right_or_refused(theory, unknowns, exact, "numba", True)


def test_many_digits_resolve_what_rounding_does_not():
    theory, unknowns, exact = nearly_singular(0, Rational(1, 10**15))
    found, right = theory.precise(a="1.1", digits=20), exact(Fraction(11, 10))
    assert all(abs(found[u.name] - x) <= 1e-19 * max(map(abs, right)) for u, x in zip(unknowns, right))


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_entry_that_cancels(backend):
    x = Symbol("x", real=True)
    theory = ak.Theory(name="pole", parameters={a: ("", "real")}, unknowns=[x], equations=[x * (a**2 - 1) - 3])
    sweep = theory.sweep(a=np.array([1.1, 1 + 1e-12]), backend=backend)
    assert sweep.converged.tolist() == [True, False]
    assert sweep["x"][0] == pytest.approx(3 / (1.1**2 - 1), rel=1e-13)
    with pytest.raises(ak.ConvergenceError, match="rounding is amplified too much here"):
        theory.solve(a=1 + 1e-12)


@pytest.mark.parametrize("lam", [1e-16, 1e-18, 1e-24, 1e-30])
def test_a_sweep_refuses_inside_what_solve_refuses(lam):
    """At the threshold rounding moves V1 by up to a percent, and both neighbours are fine."""
    theory, at = ak.OneStep("tanh", "sin"), {"eta": 1, "alpha0": 5, "lam": lam}
    sweep = theory.sweep(alpha=np.array([0.5, 1.0, 2.0]), backend="numpy", **at)
    assert sweep.converged.tolist() == [True, False, True] and np.isnan(sweep["V1"][1])
    with pytest.raises(ak.ConvergenceError, match="rounding is amplified too much here"):
        theory.solve(alpha=1.0, **at)


def test_at_the_border_a_number_is_right_or_refused():
    """Rounding is judged by rounded numbers: at lam = 1e-14 one processor has the digits that another one lacks."""
    theory, at = ak.OneStep("tanh", "sin"), {"eta": 1, "alpha0": 5, "lam": 1e-14, "alpha": 1}
    right = float(theory.precise(digits=16, **at)["V1"])
    try:
        found = theory.solve(**at)
    except ak.ConvergenceError as error:
        assert "rounding is amplified too much here" in str(error)
    else:
        assert found["V1"] == pytest.approx(right, rel=1e-9)


H = np.linspace(-0.3, 0.3, 24)


@pytest.fixture(scope="module")
def magnet():
    m, h = symbols("m h", real=True)
    beta = Symbol("beta", positive=True)
    return ak.Theory(name="magnet", unknowns=[m], parameters={beta: ("inverse temperature", "positive"),
                                                             h: ("field", "real")},
                     equations=[m - tanh(beta * (m + h))], start={m: 1.0})


@pytest.mark.parametrize("backend", BACKENDS)
def test_hysteresis_is_named(magnet, backend):
    with pytest.warns(ak.AssumptionWarning, match=r"sweep: the solutions pass from one branch to another between "
                                                  r"h = -?0\.\d+ and -?0\.?\d* \(beta = 2\).*continuation\(\) follows"):
        sweep = magnet.sweep(beta=np.array([0.5, 1.0, 2.0]), h=H, backend=backend)
    assert {j.axis for j in sweep.jumps} <= {"h", "beta"}
    along = [j for j in sweep.jumps if j.axis == "h"]
    assert along and all(j.at == {"beta": 2.0} for j in along)
    low, high = along[0].between
    m = sweep["m"][2]
    here = int(np.argmin(np.abs(H - low)))
    assert H[here + 1] == high and m[here] * m[here + 1] < 0
    for value, x in zip(m, H):
        assert value == pytest.approx(np.tanh(2.0 * (value + x)), abs=1e-12)


def test_steep_curves_are_no_jumps(magnet):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sweep = magnet.sweep(beta=0.99, h=H)
    assert sweep.jumps == ()
    assert np.max(np.abs(np.diff(sweep["m"]))) > 0.1


def test_proved_uniqueness_needs_no_look():
    sweep = ak.SpikedFeatures("tanh", "sin").sweep(r=0, c=1, gamma=0.0, lam=1e-6,
                                                   alpha=np.linspace(0.5, 2.0, 7))
    assert sweep.jumps == ()
