"""What may be called converged: each case was once a wrong number, or a right one refused."""

import numpy as np
import pytest
from helpers.modules import plain_module
from sympy import Rational, Symbol, atan, cos, cosh, exp, log, sin, symbols, tanh

import asympkit as ak
from asympkit.multiprecision.interpreter import Interpreter
from asympkit.multiprecision.number_systems import Floats
from asympkit.solve.solution import Status

x, y, m, h = symbols("x y m h", real=True)
u, J, beta, p = symbols("u J beta p", positive=True)
e = Symbol("e", real=True)


def theory(unknowns, equations, *parameters, **more):
    return ak.Theory(name="t", unknowns=unknowns, equations=equations,
                     parameters={s: ("number", "positive" if s.is_positive else "real") for s in parameters}, **more)


@pytest.fixture(scope="module")
def magnet():
    return ak.Theory(name="Curie-Weiss", unknowns=[m], observables={"order": m, "energy": -m**2 / 2},
                     parameters={J: ("coupling", "positive"), h: ("field", "real"), beta: ("1/T", "positive")},
                     free_energy=beta * J * m**2 / 2 - log(2 * cosh(beta * (J * m + h))))


# -- what is no solution ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("equation", [
    exp(-x), exp(-3 * x) * (1 + h**2), 1 / (1 + x**2), 1 - tanh(x), (1 - tanh(x)) ** 2, exp(-(70 * x - 2) ** 2),
    atan(x) - 2, log(1 + exp(x)), u / (2 + u), u**2 + h**2, u * (exp(u) - 1), 1 / u, tanh(u), u - u / (1 + u)])
def test_an_equation_without_root_does_not_converge(equation):
    (unknown,) = equation.free_symbols - {h}
    t = theory([unknown], [equation + 0 * h], h)
    with pytest.raises(ak.ConvergenceError):           # arrays, from all starts
        t.solve(h=0.0)
    assert not plain_module(t.kernel_source()).solve_point(0.0, 1.0, 2, 1e-9, 100)[-2] <= 1e-9


def test_rounding_that_is_amplified_is_no_convergence():
    with pytest.raises(ak.ConvergenceError, match="rounding is amplified too much here") as caught:
        ak.OneStep("tanh", "sin").solve(eta=1, alpha0=5, alpha=1, lam=1e-30)
    assert caught.value.solution.status is Status.ILL_CONDITIONED
    assert caught.value.solution.error_estimate > 1e-9
    # rounding is as small as it can be, and no excuse for more than that
    s = ak.OneStep("tanh", "sin").solve(eta=1, alpha0=5, alpha=1, lam=1e-8)
    assert s.converged and s.error_estimate < 1e-9


@pytest.mark.parametrize("digits", [6, 9, 12, 14])
def test_the_rounding_of_a_matrix_counts(digits):
    """x (1+e) + y (1+e^2) = 1, x (1+e^2) + y = 2: e is known, 1 + e is rounded."""
    t = theory([x, y], [x * (1 + e) + (1 + e**2) * y - 1, x * (1 + e**2) + y - 2], e)
    small = 10.0**-digits
    exact = t.precise(digits=30, e=f"1e-{digits}") if digits < 9 else None
    if exact:
        s = t.solve(e=small)
        assert abs(s["x"] / float(exact["x"]) - 1) <= 2.3e-16 * s.condition["x"]
        assert s.condition["x"] > 0.1 / small
    else:
        with pytest.raises(ak.ConvergenceError, match="rounding is amplified") as caught:
            t.solve(e=small)
        assert caught.value.solution.condition["x"] > 0.1 / small


@pytest.mark.slow
def test_a_nearly_linear_student_of_nonlinear_spikes():
    t = ak.NonlinearSpikes("(6/5)*z", "(-2/5)*z")
    with pytest.warns(ak.AssumptionWarning):
        s = t.solve(phi=0.0007712, psi=0.001585, lam=2.026e-6, degree=3)
        exact = t.precise(digits=20, phi="0.0007712", psi="0.001585", lam="2.026e-6", degree=3)
    for name in ("m1", "m2", "dm1", "dm2", "train_gap", "test_gap", "baseline_test"):
        assert s[name] == pytest.approx(float(exact[name]), rel=1e-13)
    assert s["test_error"] == pytest.approx(float(exact["test_error"]), rel=1e-11)        # a difference itself
    assert s.condition["dm2"] < 10


# -- roots at 0 and critical points ------------------------------------------------------------------------------------


@pytest.mark.parametrize("coupling", [0.01, 0.5, 0.9, 0.999999, 1.0])
@pytest.mark.parametrize("start", [None, {"m": 1.0}, {"m": -30.0}, {"m": 0.0}])
def test_the_paramagnet_is_found_and_is_exactly_0(magnet, coupling, start):
    s = magnet.solve(J=coupling, h=0.0, beta=1.0, start=start)
    assert s.converged and abs(s["m"]) < 1e-300 and s.residual == 0.0


def test_the_magnet_is_found_on_both_sides(magnet):
    for start, sign in (({"m": 1.0}, 1), ({"m": -1.0}, -1)):
        s = magnet.solve(J=1.5, h=0.0, beta=1.0, start=start)
        assert s["m"] == pytest.approx(sign * 0.858559636640110362, rel=1e-14)
    assert magnet.precise(digits=25, J="0.5", h=0, beta=1)["m"] == 0
    assert abs(magnet.precise(digits=25, J="1.5", h=0, beta=1)["m"] - 0.858559636640110362) < 1e-17


def test_a_sweep_and_a_path_pass_the_critical_point(magnet):
    J_ = np.array([0.5, 0.9, 1.0, 1.1, 1.5])
    sweep = magnet.sweep(J=J_, h=0.0, beta=1.0, backend="numpy")
    assert sweep.converged.all()
    assert np.abs(sweep["m"][:3]).max() < 1e-300 and np.abs(sweep["m"] - np.tanh(J_ * sweep["m"])).max() < 1e-15
    path = magnet.continuation(over="J", start=0.5, stop=1.5, h=0.0, beta=1.0)
    assert path.end == "stop was reached" and np.all(path.branches[0]["m"] == 0.0)
    path = magnet.continuation(over="J", start=0.5, stop=1.0, h=0.0, beta=1.0)
    assert path.end == "stop was reached" and path.branches[0].parameter[-1] == 1.0


def test_a_derivative_at_a_critical_point_is_an_error(magnet):
    for near in (1.0, 1.0 - 1e-15):
        with pytest.raises(ak.ConvergenceError, match="linearised equations have no solution here, or are sing"):
            magnet.sensitivity("order", "h", J=near, h=0.0, beta=1.0)
    assert magnet.sensitivity("order", "h", J=0.5, h=0.0, beta=1.0) == pytest.approx(2.0, rel=1e-14)


def test_a_critical_point_that_is_not_at_0_is_named():
    """A double root is computed to half the digits at most; nor a root that rounding leaves open."""
    t = theory([x], [x**2 - 2 * p * x + p**2], p)
    with pytest.raises(ak.ConvergenceError) as caught:
        t.solve(p=1.3)
    assert not caught.value.solution.converged
    assert caught.value.solution["x"] == pytest.approx(1.3, abs=1e-6)


@pytest.mark.parametrize("unit", [1e-30, 1e-12, 1.0, 1e12])
def test_roots_have_their_own_units(unit):
    t = theory([x], [x / p + tanh(x / p) - 1], p)
    s = t.solve(p=unit, start={"x": unit})
    assert abs(s["x"] / unit + np.tanh(s["x"] / unit) - 1) < 1e-15


def test_a_singular_matrix_at_the_start_is_left():
    for start in (0.0, 1.0):
        s = theory([x], [x**2 - p + 0 * x], p).solve(p=4.0, start={"x": start})
        assert abs(s["x"]) == pytest.approx(2.0, rel=1e-15)
    t = theory([x, y], [x**2 + y**2 - 5 * p, x * y - 2 * p], p)          # singular at x = y = 1
    s = t.solve(p=1.0)
    assert sorted((abs(s["x"]), abs(s["y"]))) == pytest.approx([1.0, 2.0], rel=1e-14)


def test_steps_that_overshoot_are_halved():
    """Newton's method alone runs away from these starts."""
    for start in (3.0, 40.0, -500.0):
        assert theory([x], [atan(x) - h], h).solve(h=0.0, start={"x": start})["x"] == 0.0
        assert theory([x], [atan(x - 2) - h], h).solve(h=0.5, start={"x": start})["x"] == pytest.approx(
            2 + np.tan(0.5), rel=1e-14)


# -- the back ends agree ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("unknowns", "equations"), [
    ([x], [x - tanh(p * x)]), ([x], [atan(x) - p / 4]), ([x], [1 - tanh(p * x)]), ([x], [exp(-p * x)]),
    ([x, u], [x - p / (1 + u), log(u) + sin(x)]), ([x, y], [x**2 + y**2 - p, x * y - Rational(1, 3)]),
    ({x: (-1, 1)}, [x + log(1 - x**2) / 3 + p / 20]), ({u: (0, 1)}, [log(u / (1 - u)) - p]),
    ({x: "nonnegative"}, [x - p * x / (1 + x)])])
@pytest.mark.parametrize("value", [0.4, 0.97, 1.7])
def test_loops_arrays_and_interpreter_mean_the_same(unknowns, equations, value):
    t = theory(unknowns, equations, p)
    module, (program, _) = plain_module(t.kernel_source()), t.program
    begin = {s.name: t.kernel.start[s.name] for s in t.unknowns if s.name in module.TORN}
    with np.errstate(all="ignore"):
        loop = np.array(module.solve_point(value, *begin.values(), 2, 1e-9, 100))
        batch, _ = module.solve_batch(np.array([value]), *(np.array([b]) for b in begin.values()), 2, 1e-9, 100)
        run = Interpreter(program, Floats(), {})
        found = run.run({program.parameters[0]: value}, {s: begin[s.name] for n in program.newtons for s in n.torn})
    oracle = np.array([float(found[s]) for s in program.outputs])
    accepted = {bool(out[-1] <= 1e-9) for out in (loop[:-1], batch[:-1, 0], oracle)}
    assert len(accepted) == 1
    if accepted == {True}:
        np.testing.assert_allclose(batch[:-2, 0], loop[:-2], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(oracle[:-1], loop[:-2], rtol=1e-9, atol=1e-12)


def test_a_formula_that_nearly_vanishes_may_differ_from_that_of_rounded_parameters():
    t = theory([x], [x - (e - 1)], e)
    assert t.solve(e=1.0000000000000001)["x"] == 0.0
    assert abs(t.precise(digits=20, e="1.0000000000000001")["x"] * 10**16 - 1) < 1e-19


@pytest.mark.parametrize("digits, small", [(5, "1e-30"), (15, "1e-60")])
def test_balls_of_what_cancels_have_the_digits_asked_for(digits, small):
    pytest.importorskip("flint", reason="python-flint is not installed")
    ball = theory([x], [x - (1 - cos(u)) / u**2], u).certify(digits=digits, u=small)["x"]
    assert ball.rad < 10.0**-digits and abs(ball.mid - 0.5) < 1e-5
