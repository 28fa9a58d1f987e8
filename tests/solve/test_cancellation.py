"""Averages that cancel: a number has its digits in every back end, or a status that names ``precise``."""

import mpmath
import numpy as np
import pytest
from helpers.tiers import BACKENDS, slow_but
from sympy import Max, Piecewise, acos, cos, cosh, exp, log, loggamma, sqrt, symbols, tanh

import asympkit as ak
from asympkit.solve.solution import Status

h, u, v, z = symbols("h u v z", real=True)
a, b, x = symbols("a b x", positive=True)

#: averages that cancel between nodes, or at each of them in the same way
CASES = {
    "odd": (ak.E(tanh(h * x + z), z), lambda t, h: mpmath.tanh(h * (1 + h) + t)),
    "logarithm": (ak.E(log(1 + h + h**2 * z**2), z), lambda t, h: mpmath.log(1 + h + h**2 * t**2)),
    "quotient": (ak.E(1 / (1 + h + h**2 * z**2) - 1, z), lambda t, h: 1 / (1 + h + h**2 * t**2) - 1),
    "root": (ak.E(sqrt(1 + h * z**2 + h) - 1, z), lambda t, h: mpmath.sqrt(1 + h * t**2 + h) - 1),
    "difference": (ak.E((exp(z + h) - exp(z)) * sqrt(x + z**2), z),
                   lambda t, h: mpmath.exp(t) * mpmath.expm1(h) * mpmath.sqrt(1 + h + t**2)),
    "logarithms": (ak.E(log(2 + h + h**2 * z**2) - log(2), z), lambda t, h: mpmath.log1p((h + h**2 * t**2) / 2)),
    "argument": (ak.E(tanh(log(1 + h + h**2 * z**2)), z),
                 lambda t, h: mpmath.tanh(mpmath.log(1 + h + h**2 * t**2))),
}
CASES |= {
    "named": (ak.E(ak.Named("G", log(1 + h + h**2 * z**2)) * sqrt(1 + z**2), z),
              lambda t, h: mpmath.log(1 + h + h**2 * t**2) * mpmath.sqrt(1 + t**2)),
    "cosine": (ak.E(1 - cos(h * (1 + h * z**2)), z), lambda t, h: 2 * mpmath.sin(h * (1 + h * t**2) / 2)**2),
    "pieces": (ak.E(Piecewise((sqrt(1 + h + h**2 * z**2) - 1, z > 0), (log(1 + h + h**2 * z**2), True)), z),
               lambda t, h: mpmath.sqrt(1 + h + h**2 * t**2) - 1 if t > 0 else mpmath.log(1 + h + h**2 * t**2)),
    "zero": (ak.E(loggamma(1 + h + h**2 * z**2), z), lambda t, h: mpmath.loggamma(1 + h + h**2 * t**2)),
    "inside": (ak.E(sqrt(1 + ak.E(sqrt(1 + h + h**2 * (z + v)**2) - 1, v)) - 1, z), None),
}
#: logarithms of 1 and more keep their digits, since they have a function of their own
KEPT = ("logarithm", "argument", "named")
AT = [1e-1, 1e-6, 1e-8, 1e-10, 1e-12]


def make_theory(average):
    """Return a theory with an unknown that follows, and an average as an observable."""
    return ak.Theory(name="cancels", parameters={h: ("field", "real")}, unknowns=[x], equations=[x - 1 - h],
                     observables={"mean": average})


def exact_values(name):
    average, integrand = CASES[name]
    if integrand is None:
        theory = make_theory(average)
        return [float(theory.precise(h=str(at), digits=12)["mean"]) for at in AT]
    with mpmath.workdps(50):
        return [float(mpmath.quad(lambda t, at=at: integrand(t, at) * mpmath.npdf(t), range(-20, 21, 4)))
                for at in map(mpmath.mpf, AT)]


def check(value, status, exact, promised):
    """Assert that a number is right, or is said to be inaccurate, or refused, with a way out."""
    if str(status) == "converged":
        assert abs(float(value) - exact) <= promised * abs(exact)
    else:
        assert str(status) in ("limited", "ill-conditioned") or "use precise()" in str(status)
    return str(status) == "converged"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", slow_but([*CASES], "logarithm", "logarithms", "odd", "difference", single=True))
def test_a_mean_has_its_digits_or_its_status_says_so(name, backend):
    """E log(1 + h + h**2 z**2) at h = 1e-10 was 8e-8 off, "converged" with condition 1, by every back end."""
    theory, space = make_theory(CASES[name][0]), {}
    sweep = theory.sweep(h=np.array(AT), backend=backend)
    exec(compile(theory.source(), "module", "exec"), space)
    for k, exact in enumerate(exact_values(name)):
        is_good = AT[k] > 1e-3 or name in KEPT
        assert check(sweep["mean"][k], sweep.status[k], exact, 1e-10) == is_good
        found = space["solve_many"](h=np.array([AT[k]]))
        assert check(found["mean"][0], found["status"][0], exact, 1e-10) == is_good
        try:
            solution = theory.solve(h=AT[k])
            assert check(solution["mean"], solution.status, exact, 1e-11) == is_good
            size = abs(solution["mean"] - exact) / abs(exact)
            assert size <= 2.0**-52 * solution.condition["mean"]
        except ak.ConvergenceError as error:
            assert not is_good and "use precise()" in str(error)


def test_an_unknown_below_its_rounding_is_not_converged():
    """E tanh(h + z) at h = 1e-20 was 1.6e-27 "converged"; 6.057e-21."""
    theory = ak.Theory(name="odd", parameters={h: ("field", "real")}, unknowns=[u],
                       equations=[u - ak.E(tanh(h + z), z)])
    solution = theory.solve(h=1e-20)
    assert solution.status.name == "LIMITED" and "use precise()" in str(solution.status)
    assert float(theory.precise(h="1e-20", digits=12)["u"]) == pytest.approx(6.0570550960215883e-21, rel=1e-11)
    assert theory.sweep(h=np.array([1e-20]), backend="numpy").status[0].name in ("LIMITED", "ILL_CONDITIONED")
    assert theory.solve(h=0.5).status.name == "CONVERGED"


def test_what_is_zero_by_symmetry_is_zero():
    """The magnetisation of spins without a field was 1e-17."""
    theory = ak.Theory(name="spins", parameters={h: ("field", "real"), b: ("inverse temperature", "positive")},
                       unknowns=[x, u], equations=[x - ak.E(tanh(b * (sqrt(x) * z + h))**2, z),
                                                   u - ak.E(tanh(b * (sqrt(x) * z + h)), z)],
                       observables={"second": ak.E(Max(0, v - z**2 - x) * tanh(z), (z, v))})
    solution = theory.solve(h=0.0, b=2.0)
    assert solution.status.name == "CONVERGED" and solution["u"] == solution["second"] == 0.0 < solution["x"]
    sweep = theory.sweep(h=[0.0, 1e-20], b=2.0, backend="numpy")
    assert [s.name for s in sweep.status] == ["CONVERGED", "LIMITED"] and sweep["u"][0] == 0.0
    assert theory.sensitivity("u", "h", h=0.0, b=2.0) == pytest.approx(
        theory.sensitivity("u", "h", h=1e-6, b=2.0), rel=1e-9)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_root_that_is_zero_by_symmetry_is_zero(backend):
    """It was 4e-18 without digits, and refused by sweeps; a small root beside it is none."""
    theory = ak.Theory(name="odd root", parameters={b: ("", "positive")}, unknowns=[u],
                       equations=[u - ak.E(tanh(b * u + z / 2), z)])
    found = theory.solutions(b=2.0)
    assert [s["u"] for s in found][1] == 0.0 and {s.status.name for s in found} == {"CONVERGED"} and len(found) == 3
    sweep = theory.sweep(b=[0.4, 0.6], backend=backend)
    assert not sweep["u"].any() and [s.name for s in sweep.status] == ["CONVERGED"] * 2
    both = ak.Theory(name="spins", parameters={b: ("", "positive")}, unknowns=[x, u], equations=[
        x - ak.E(tanh(b * (sqrt(x) * z + u))**2, z), u - ak.E(tanh(b * (sqrt(x) * z + u)), z)])
    assert both.solve(b=2.0)["u"] == both.sweep(b=[2.0], backend=backend)["u"][0] == 0.0
    small = ak.Theory(name="small", parameters={b: ("", "positive")}, unknowns=[u], equations=[
        u - ak.E(tanh(b * 10**20 * u + z / 2), z) / 10**20])
    assert small.solve(b=2.0, start={"u": 1e-20})["u"] == pytest.approx(1e-20 * found[2]["u"], rel=1e-12)


def _share(at):
    return exp(-(sqrt(b**2 + at) - b) * b)


#: equations that are linear in the unknowns, or maps, with a term exp(-(sqrt(b**2 + u) - b)*b)
MAPS = {"linear": ({x: "positive"}, [x - 1 - x * _share(1) / 5], lambda f: 1 / (1 - f(1) / 5)),
        "maps": ({x: "positive", a: "positive"}, [x - 1 - _share(a) / 5, a - 2 - _share(x) / 4],
                 lambda f: mpmath.findroot(lambda v: v - 1 - f(2 + f(v) / 4) / 5, 1.1))}


@pytest.mark.parametrize("name", MAPS)
def test_arguments_that_cancel_are_counted_in_all_equations(name):
    """x was 5e-7 off at b = 10**6, "converged" with condition 2."""
    unknowns, equations, solve = MAPS[name]
    theory = ak.Theory(name=name, parameters={b: ("", "positive")}, unknowns=unknowns, equations=equations)
    with mpmath.workdps(40):
        exact = [float(solve(lambda u, b=10**p: mpmath.exp(-(mpmath.sqrt(b**2 + u) - b) * b))) for p in (0, 2, 4, 6)]
    sweep = theory.sweep(b=[1.0, 1e2, 1e4, 1e6], backend="numpy")
    for k, true in enumerate(exact):
        is_good = sweep.status[k].name == "CONVERGED"
        assert is_good == (k < 2) and not (is_good and abs(sweep["x"][k] - true) > 1e-10 * true)
        try:
            solution = theory.solve(b=10.0 ** (2 * k))
            assert abs(solution["x"] - true) <= 2.0**-52 * solution.condition["x"] * true and k < 2
        except ak.ConvergenceError as error:
            assert k > 1 and "precise()" in str(error)


def test_errors_name_the_integrand_as_it_was_typed():
    for average, text in ((ak.E(log(h + z) * abs(z - h), z), "log(z + h)*Abs(z - h) is nan"),
                          (ak.E(acos(2 + h * z) * abs(z - h), z), "Abs(z - h)*acos(z*h + 2) is nan")):
        theory = ak.Theory(name="typed", parameters={h: ("field", "real")}, unknowns=[x], equations=[x - average])
        with pytest.raises(ak.ConvergenceError, match="the integrand ") as error:
            theory.solve(h=0.3)
        assert text in str(error.value)
    with pytest.raises(ak.ConvergenceError, match=r"the integrand sqrt\(z\*h \+ 1\)\*tanh\(z\) is nan"):
        make_theory(ak.E(sqrt(1 + h * z) * tanh(z), z)).solve(h=0.3)


#: a root that tends to the edge of its domain: perfect recovery, and below a transition
EDGES = {"V tends to 0": (x, x - 1 / (1 + b / x), (0, 10), 1.5, 0.5),
         "m tends to 1": (x, x - ak.E(tanh(b * x / (1 - x) + sqrt(b * x / (1 - x)) * z), z), (0, 1), 3.0, 0.3),
         "m tends to 0": (x, x - ak.E(tanh(b * x + sqrt(b * x) * z), z), (0, 1), 0.5, 1.5)}


@pytest.mark.parametrize("name", slow_but([*EDGES], "m tends to 1", single=True))
def test_a_root_at_an_edge_is_reported_as_such(name):
    """The last number below 1 satisfied the equation of a root that tends to 1: .9999999999999999 "converged"."""
    unknown, equation, domain, beyond, inside = EDGES[name]
    theory = ak.Theory(name="edge", parameters={b: ("strength", "positive")}, unknowns={unknown: domain},
                       equations=[equation])
    with pytest.raises(ak.ConvergenceError, match=f"edge of its domain.*x tends to {name[-1]}"):
        theory.solve(b=beyond)
    assert [s.name for s in theory.sweep(b=np.array([inside, beyond]), backend="numpy").status] == ["CONVERGED", "EDGE"]


def test_what_cancels_in_an_equation_that_holds_is_counted():
    """Where the terms of m = log(exp(h) + exp(m/3)) cancel it was 3.5e-8 off, "converged" with condition 1."""
    theory = ak.Theory(name="sum", parameters={h: ("field", "real")}, unknowns=[u], equations=[
        u - log(exp(h) + exp(u / 3))])
    assert theory.solve(h=0.3)["u"] == pytest.approx(float(theory.precise(h="0.3")["u"]), rel=1e-12)
    with pytest.raises(ak.ConvergenceError, match="rounding is amplified too much here.*use precise"):
        theory.solve(h=-20.0)
    assert not theory.sweep(h=[-20.0]).converged[0]
    root = theory.precise(h=-20)["u"]
    with mpmath.workdps(40):
        assert abs(mpmath.exp(root) - mpmath.exp(-20) - mpmath.exp(root / 3)) < mpmath.mpf(10) ** -38


@pytest.mark.parametrize("is_free_energy", [False, True])
def test_a_root_at_zero_where_equations_have_no_value(is_free_energy):
    """The edge is a value of the unknown: solve gave 1.9e-16 or "not satisfied", sweeps 1e-319, precise 3e-37."""
    q = symbols("q", nonnegative=True)
    how = {"free_energy": b**2 * (1 - q)**2 / 4 + ak.E(log(2 * cosh(b * sqrt(q) * z)), z)} if is_free_energy else \
        {"equations": [q - ak.E(tanh(b * sqrt(q) * z)**2, z)]}
    theory = ak.Theory(name="glass", parameters={b: ("inverse temperature", "positive")}, unknowns=[q], **how)
    for method in (theory.solve, theory.precise):
        with pytest.raises(ak.ConvergenceError, match="edge of its domain.*q tends to 0"):
            method(b=0.5)
    sweep = theory.sweep(b=np.array([0.5, 0.99, 1.5]))
    assert [s.name for s in sweep.status] == ["EDGE", "EDGE", "CONVERGED"]
    assert sweep["q"][2] == pytest.approx(float(theory.precise(b=1.5, digits=15)["q"]), rel=1e-12)


def test_a_tiny_root_beside_such_an_edge_is_one():
    q = symbols("q", nonnegative=True)
    theory = ak.Theory(name="square", parameters={b: ("root", "positive")}, unknowns=[q], equations=[sqrt(q) - b])
    for root in (1e-7, 1e-15, 1e-40):
        assert theory.solve(b=root)["q"] == pytest.approx(root**2, rel=1e-12, abs=0)
        assert theory.precise(b=root, digits=15)["q"] == pytest.approx(root**2, rel=1e-14, abs=0)


@pytest.mark.parametrize("is_slow", slow_but([False, True], 0))
def test_sides_of_a_tent_are_taken_by_their_own_formulas(is_slow):
    """The tent over 1 + |z - h|, whose sides have poles beyond the kink, was refused."""
    theory = ak.Theory(name="tent", parameters={h: ("place", "real"), a: ("width", "positive")}, unknowns=[x],
                       equations=[x - ak.E(Max(0, 1 - abs(z - h) / a) / (1 + abs(z - h)), z)])
    for place, width in ((0.3, 0.5), (1.0, 1e-6), (-2.0, 3.0), (0.3, 50.0), (0.3, 1e3))[:5 if is_slow else 2]:
        with mpmath.workdps(30):
            ends = sorted({place - width, place, place + width, *(t for t in range(-20, 21) if abs(t - place) < width)})
            exact = float(mpmath.quad(lambda t, p=place, s=width: (1 - abs(t - p) / s) / (1 + abs(t - p))
                                      * mpmath.npdf(t), ends))
        at = {"h": str(place), "a": str(width)}
        assert theory.solve(h=place, a=width)["x"] == pytest.approx(exact, rel=1e-12)
        for backend in ("numpy", "numba")[:1 + is_slow]:
            sweep = theory.sweep(h=np.array([place]), a=width, backend=backend)
            assert sweep["x"][0] == pytest.approx(exact, rel=1e-10)
        if width < 100:
            assert float(theory.precise(**at, digits=8)["x"]) == pytest.approx(exact, rel=1e-8)
            assert float(theory.certify(**at, digits=10)["x"].mid) == pytest.approx(exact, rel=1e-10)


#: outputs that are 0 in double precision at x = 1 + h, h = 1, and what they are; None: 0 by a factor
VANISH = {"underflow": (exp(-800 * x), lambda: mpmath.exp(-1600)),
          "a product": (exp(-800 * x) * cos(x), lambda: mpmath.exp(-1600) * mpmath.cos(2)),
          "a tail": (ak.E(exp(-800 * x - z**2), z), lambda: mpmath.exp(-1600) / mpmath.sqrt(3)),
          "absorption": (log(tanh(20 + x)), lambda: mpmath.log(mpmath.tanh(22))),
          "a factor": ((h - 1) * exp(-x), None)}


@pytest.mark.parametrize("name", VANISH)
def test_what_is_zero_by_rounding_is_marked(name):
    """A result of 0 is one where a factor is 0, and has no digits elsewhere."""
    formula, true = VANISH[name]
    theory = make_theory(formula)
    status = [theory.solve(h=1).status, *theory.sweep(h=[1.0], backend="numpy").status]
    assert status == [Status.CONVERGED if true is None else Status.LIMITED] * 2
    precise = theory.precise(h=1, digits=20)["mean"]
    with mpmath.workdps(50):
        assert precise == 0 if true is None else abs(precise / true() - 1) < 1e-19
