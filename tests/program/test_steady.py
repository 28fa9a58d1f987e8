"""What may overflow in the middle of a computation, in its steady form: values and derivatives far out."""

import random

import mpmath
import numpy as np
import pytest
import sympy as sp
from helpers.tiers import one_in, slow_but
from sympy import besseli, cosh, erfc, exp, gamma, log, sinh, sqrt

import asympkit as ak
from asympkit.numbers.evaluation import Digits, Floats, evaluate
from asympkit.numbers.functions.classes import BesselRatio, LogBesselI0, LogCosh, Mills, SoftPlus
from asympkit.program.steady import steady

x = sp.Symbol("x", real=True)
p = sp.Symbol("p", positive=True)

CASES = [log(2 * cosh(x) ** 2), log(exp(x) * cosh(x) ** 3 / (1 + x**2)), log(besseli(0, x)), besseli(1, x) /
         besseli(0, x), besseli(2, x) ** 2 / besseli(0, x) ** 2, log(cosh(x)), log(3 * cosh(2 * x)), log(1 + exp(x)),
         log(2 + 3 * exp(-2 * x)), log(exp(x) + exp(-2 * x)), 1 / (1 + exp(x)), exp(x) / (1 + exp(x)), exp(3 * x) / (2
         + exp(x)) ** 3, sinh(x) / cosh(x), sinh(x) ** 2 / cosh(x) ** 3, log(erfc(x)), log(1 - sp.erf(x)),
         exp(-(x**2)) / erfc(x), exp(-(x**2)) / erfc(x / sqrt(2)) ** 2]


@pytest.mark.parametrize(("f", "order"), one_in(3, CASES, [0, 1]), ids=str)
def test_far_out(f, order):
    form, f = steady(f).diff(x, order), f.diff(x, order)        # programs differentiate what is steady
    for at in (-1000.0, -700.0, -3.0, 0.4, 25.0, 1000.0):
        with np.errstate(all="ignore"):
            found = evaluate(steady(form), {x: np.float64(at)}, Floats())
        if f.has(erfc, sp.erf) and abs(at) > 30:
            continue                         # the plain form has no digits left; see test_tails
        digits = Digits(1000)
        exact = evaluate(f, {x: digits.mp.mpf(at)}, digits)
        assert abs(float(found) - float(exact)) <= 1e-11 * abs(float(exact)) + 1e-15, at


y = sp.Symbol("y", real=True)
#: what overflows, underflows or is 0 times infinity far out, in a user's terms; 1 - p has no sign that sympy knows
FAR = {"softplus": log(1 + exp(y)), "mixture": log(1 - p + p * exp(y)), "three": log(1 - p + p * exp(y) + (1 - p)
       * exp(-2 * y)), "sum": log(exp(y) + exp(2 * y + 1) + exp(-y)), "cosh and one": log(1 + 2 * p * cosh(y)),
       "tail": log(erfc(y)), "normal": log(1 + sp.erf(y / sqrt(2))), "cosh": log(2 * cosh(y)),
       "two": log(exp(y) + exp(-y)), "logistic": exp(y) / (1 + exp(y)), "share": p * exp(y) / (1 - p + p * exp(y)),
       "tanh": (exp(y) - exp(-y)) / (exp(y) + exp(-y)), "softmax": exp(2 * y) / (exp(y) + exp(2 * y) + exp(-y))}
FAR |= {f"d {name}": f.diff(y) for name, f in FAR.items()}
FAR |= {"entropy": y**2 * log(y**2) + p * log(p) + (1 - p) * log(1 - p)}
AT = [s * v for v in (0, 1, 10, 50, 700, 10**4) for s in (1, -1)]


#: where a part over- or underflows or cancels, of a moderate value, at all of these
AT_DEEP = [s * v for v in (0.4, 3, 40, 700, 800, 10**4) for s in (1, -1)]
DEEP = {"tail and density": log(erfc(y) + exp(-(y**2))), "tails": log(p * erfc(y) + (1 - p) * erfc(2 * y)),
        "scaled": exp(y**2) * erfc(sqrt(y**2)),
        "quotient of tails": erfc(y) / erfc(2 * y) * exp(-3 * y * (y + abs(y)) / 2),
        "one and scaled": log(1 + exp(y**2) * erfc(abs(y))), "log of log": log(log(1 + exp(y))),
        "log of 1 + log": log(1 + log(1 + exp(y))), "root": log(1 + sqrt(1 + exp(y))),
        "roots": sqrt(1 + exp(y)) / (1 + exp(y / 2)), "cloglog": log(1 - exp(-exp(y))),
        "sinh": log(sinh(y) / y), "Blume-Capel": log(1 + 2 * exp(-600) * cosh(1000 * (y + sp.Rational(1, 5)))) / 1000,
        "Bose": y / (exp(y) - 1), "power": (exp(y) + exp(-y)) ** (-p / 100), "product": exp(-3 * y) * (1 + exp(y)) ** 3
        / (1 + exp(-y)) ** 3, "1 - tanh": log(1 - sp.tanh(y)), "slope": exp(2 * y) * (1 - sp.tanh(y) ** 2)
        / (1 + exp(2 * y))}
DEEP |= {f"d {name}": DEEP[name].diff(y) for name in ("tails", "log of log", "root", "cloglog", "tail and density")}


def deep_value(name, v):
    """By mpmath, with digits for what cancels."""
    with mpmath.workdps(60 + min(4500, int(abs(v)))):
        return float(sp.lambdify((y, p), DEEP[name], "mpmath")(mpmath.mpf(v), mpmath.mpf(3) / 10))


def far_value(name, v):
    """By mpmath, with digits for what cancels; tails of error functions in another form."""
    if name == "entropy":
        return (v**2 * float(np.log(v**2)) if v else 0.0) + 0.3 * np.log(0.3) + 0.7 * np.log(0.7)
    tail = sp.Function("tail")(-y / sqrt(2))
    f = {"normal": log(tail), "d normal": sqrt(2 / sp.pi) * exp(-(y**2) / 2) / tail}.get(name, FAR[name])
    with mpmath.workdps(60 if f.has(erfc, tail) else 40 + 2 * abs(v)):
        return float(sp.lambdify((y, p), f, [{"tail": mpmath.erfc}, "mpmath"])(mpmath.mpf(v), mpmath.mpf(3) / 10))


def with_observables(observables):
    u = sp.Symbol("u", real=True)
    return ak.Theory(name="far", unknowns=[u], equations=[u - y - p], observables=observables,
                     parameters={y: ("", "real"), p: ("", "positive")})


@pytest.fixture(scope="module")
def far():
    return with_observables(FAR)


def backends(theory, values, slow):
    """Observables by every back end at all values."""
    space = {}
    exec(compile(theory.source(), "module", "exec"), space)
    yield "solve", [theory.solve(y=float(v), p=0.3) for v in values]
    yield "module", [space["solve"](y=float(v), p=0.3) for v in values]
    yield "precise", [theory.precise(y=v, p="0.3", digits=20) for v in values]
    yield "certify", [{n: ball.mid for n, ball in theory.certify(y=str(v), p="0.3", digits=12).observables.items()}
                      for v in values]
    for backend in ("numpy", "numba")[:1 + slow]:
        rows = theory.sweep(y=np.array(values, float), p=0.3, backend=backend)
        yield backend, [{n: rows[n][k] for n in theory.observables} for k in range(len(values))]


@pytest.mark.parametrize("is_slow", slow_but([False, True], 0))
def test_far_out_in_every_back_end(far, is_slow):
    values = AT if is_slow else [0, -10, 700, -700]
    exact = {name: [far_value(name, v) for v in values] for name in FAR}
    for backend, found in backends(far, values, is_slow):
        for name, right in exact.items():
            for v, at, number in zip(values, found, right):
                assert abs(float(at[name]) - number) <= 4e-13 * max(1.0, abs(number)), (backend, name, v)
    for name in ("mixture", "three", "tail", "share"):
        slope = far.sensitivity(name, "y", y=-10.0, p=0.3)
        assert abs(float(slope) - far_value(f"d {name}", -10)) <= 1e-12 * max(1.0, abs(float(slope)))
    assert "log(p*exp(y) - p + 1)" in far.equations().text()


@pytest.mark.parametrize("is_slow", slow_but([False, True], 0))
def test_moderate_values_of_what_overflows_underflows_or_cancels(is_slow):
    values = AT_DEEP if is_slow else [-800, 700]
    exact = {name: [deep_value(name, v) for v in values] for name in DEEP}
    for backend, found in backends(with_observables(DEEP), values, is_slow):
        for name, right in exact.items():
            for v, at, number in zip(values, found, right):
                assert abs(float(at[name]) - number) <= 4e-13 * max(1.0, abs(number)), (backend, name, v)


#: what is 1 + x in a logarithm, or exp(x) - 1, of tiny x, in a user's terms; h is y
TINY = {"log1p": log(1 + y), "of a square": log(1 + y**2), "expm1": exp(y) - 1, "less": 1 - exp(-y), "two":
        exp(y) + exp(2 * y) - 2, "three halves": 3 * exp(y / 2) / 2 - sp.Rational(3, 2), "quotient": (exp(y) - 1) / y,
        "of a difference": log(1 + p * y - y**2), "inside": sp.tanh(exp(y) - 1),
        "product": y * log(1 + y) / (exp(y) - 1), "mean of log": ak.E(log(1 + y * x**2), x), "mean of exp":
        ak.E((1 - exp(-y * sp.Abs(x))) ** 2, x)}


@pytest.mark.parametrize("is_slow", slow_but([False, True], 0))
def test_tiny_arguments_of_logarithms_and_exponentials_keep_their_digits(is_slow):
    """log(1 + 1e-12) was 9e-5 off."""
    values, theory = ["1e-12", "3e-15"], with_observables(TINY)
    rows = {name: found for name, found in backends(theory, values, is_slow) if name != "certify"}
    exact = rows.pop("precise")
    for backend, found in rows.items():
        for v, at, right in zip(values, found, exact):
            for name in TINY:
                assert abs(float(at[name]) / float(right[name]) - 1) <= 2e-15, (backend, name, v)
    slope = theory.sensitivity("expm1", "y", y=1e-12, p=0.3)
    assert float(slope) == pytest.approx(1.0, rel=1e-11)
    assert "exp(y) - 1" in theory.equations().text()


@pytest.mark.parametrize("text", ["expm1(z)", "log1p(z**2)", "log(1 + z**2)", "1 - exp(-z**2)", "tanh(expm1(z))"])
def test_tiny_arguments_of_activations_keep_their_digits(text):
    act = ak.Activation(text)
    with mpmath.workdps(60):
        exact = sp.lambdify(act.symbol, act.expr, "mpmath")
        for v in (1e-12, 1e-7, 0.3):
            assert abs(float(act(v) / exact(mpmath.mpf(v)) - 1)) <= 4e-16


def random_positive(rng, depth):
    """Return a random positive expression of y and p."""
    def part():
        return random_positive(rng, depth - 1)

    if depth == 0:
        x = rng.choice([1, 1, -1, 2, sp.Rational(1, 2), 3, -2]) * y + rng.choice([0, 0, 1, -1, p])
        return rng.choice([exp(x), exp(x), cosh(x), erfc(x), exp(-(x**2)), sp.S.One, p, 1 + sp.tanh(x)])
    return rng.choice([lambda: part() + 1, lambda: part() + p, lambda: part() + part(), lambda: part() * part(),
                       lambda: part() ** rng.choice([sp.Rational(1, 2), 2, -1, sp.Rational(-1, 2), p]),
                       lambda: sqrt(part()), lambda: log(1 + part()), lambda: 1 - exp(-part()),
                       lambda: p * part() + (1 - p) * part(), lambda: sp.tanh(part()), part])()


def bounded_exp(x):
    """Raise where mpmath would take minutes: exp(exp(750)) is inside the exponential of another."""
    if abs(x) > 1e7:
        raise OverflowError
    return mpmath.exp(x)


@pytest.mark.parametrize("seed", slow_but(range(60), 0))
def test_random_expressions_are_right_or_refused(seed):
    rng = random.Random(seed)
    depth = rng.choice([1, 2, 2, 3])
    f, g = random_positive(rng, depth), random_positive(rng, depth)
    made = {"log": log(f), "quotient": f / g, "slope": log(f).diff(y)}
    for name, f in made.items():
        theory, plain = with_observables({"f": f}), sp.lambdify((y, p), f, [{"exp": bounded_exp}, "mpmath"])
        for v in (-800.0, -40.0, -6.0, -0.3, 0.7, 5.0, 30.0, 750.0):
            try:
                with mpmath.workdps(1500):
                    right = plain(mpmath.mpf(v), mpmath.mpf(0.3))
                found = theory.solve(y=v, p=0.3)
            except (ak.ConvergenceError, ArithmeticError):
                continue                                # where a number of 1500 digits is 0, the quotient has no value
            if isinstance(right, mpmath.mpf) and mpmath.isfinite(right):
                rtol = 1e-9 if "fewer digits" in found.status else 1e-12
                assert abs(found["f"] - float(right)) <= rtol * max(1.0, abs(float(right))), (name, f, v)


def test_correlated_pairs_at_the_ends():
    r, u, w, z = sp.symbols("r u w z", real=True)
    t = ak.Theory(name="pair", unknowns=[u], equations=[u - r], parameters={r: ("", "real")},
                  observables={"sizes": ak.E(abs(w) * abs(z), (w, z), rho=r)})
    for rho in (-1, 1):
        assert t.solve(r=float(rho))["sizes"] == 1.0 and t.precise(r=rho, digits=20)["sizes"] == 1
    assert t.solve(r=1 - 2.0**-40)["sizes"] == pytest.approx(
        float(2 / sp.pi * (sqrt(1 - r**2) + r * sp.asin(r)).subs(r, 1 - sp.Rational(1, 2**40)).evalf(30)), rel=1e-15)


def test_small_odd_averages_are_right_or_say_so():
    h, u, z = sp.symbols("h u z", real=True)
    t = ak.Theory(name="odd", unknowns=[u], equations=[u - ak.E(sp.tanh(h + p * z), z)],
                  parameters={h: ("", "real"), p: ("", "positive")})
    found, exact = t.solve(h=1e-5, p=1.0), t.precise(h="1e-5", p=1, digits=20)
    assert "fewer digits" in found.status and found["u"] == pytest.approx(float(exact["u"]), rel=1e-9)
    assert float(t.precise(h="1e-20", p=1, digits=20)["u"]) == pytest.approx(1e-15 * float(exact["u"]), rel=1e-9)


def test_forms():
    assert steady(log(2 * cosh(x))) == log(2) + LogCosh(x)
    assert steady(log(1 + exp(x))) == SoftPlus(x)
    assert steady(log(3 * cosh(x) ** 2 * x**2)) == log(3 * x**2) + 2 * LogCosh(x)
    assert steady(besseli(1, x) / besseli(0, x)) == BesselRatio(1, x) == LogBesselI0(x).diff(x)
    assert str(BesselRatio(1, x)) == "besseli(1, x)/besseli(0, x)"
    assert steady(exp(-(x**2) / 2) / erfc(x / sqrt(2))) == sqrt(sp.pi / 2) * Mills(-x)
    assert steady(log(gamma(1 + p))) == sp.loggamma(1 + p) and steady(log(gamma(x))) == log(gamma(x))
    assert steady(log(x + exp(-(x**2)))) == log(x + exp(-(x**2)))             # nothing there is large
    assert steady(log(exp(x) + exp(-x))) == steady(log(2 * cosh(x)))
    assert steady((exp(x) - exp(-x)) / (exp(x) + exp(-x))) == sp.tanh(x)
    assert str(LogCosh(x)) == "log(cosh(x))" and str(SoftPlus(x)) == "log(exp(x) + 1)"


def test_large_numbers():
    # free energies of classical spins at low temperature
    m, beta, h = sp.Symbol("m", real=True), sp.Symbol("beta", positive=True), sp.Symbol("h", real=True)
    t = ak.Theory(name="cold", parameters={beta: ("", "positive"), h: ("", "real")}, unknowns=[m],
                  free_energy=m**2 / 2 - log(2 * cosh(beta * (m + h))) / beta,
                  observables={"f": -log(exp(beta * (m + h)) + exp(-beta * (m + h))) / beta,
                               "open": exp(beta * m) / (1 + exp(beta * m)), "tail": ak.LogPhi(-beta * m)})
    s = t.sweep(beta=np.array([1.5, 1e4]), h=0.5, backend="numpy")
    assert s["m"][1] == 1.0 and s["f"][1] == pytest.approx(-1.5, rel=1e-15) and s["open"][1] == 1.0
    assert s["tail"][1] == pytest.approx(-5e7, rel=1e-6)
    assert float(t.precise(digits=15, beta=10000, h="0.5").tail) == pytest.approx(s["tail"][1], rel=1e-14)
    # the free energy of planar spins and its quotients of Bessel functions, far beyond where they overflow
    m, beta = sp.Symbol("m", positive=True), sp.Symbol("beta", positive=True)
    t = ak.Theory(name="planar", parameters={beta: ("", "positive")}, unknowns=[m], start={m: 0.9},
                  free_energy=m**2 / 2 - log(besseli(0, beta * m)) / beta,
                  observables={"second": besseli(2, beta * m) / besseli(0, beta * m)})
    s = t.solve(beta=1e5)
    assert s["m"] == pytest.approx(1 - 0.5e-5, rel=1e-9) and s["second"] == pytest.approx(1 - 2e-5, rel=1e-9)
    assert float(t.precise(digits=20, beta=1000)["m"]) == pytest.approx(t.solve(beta=1000)["m"], rel=1e-14)
    pytest.importorskip("flint")
    ball = t.certify(digits=20, beta=1000)["m"]
    assert ball.rad < 1e-20 and float(ball) == pytest.approx(t.solve(beta=1000)["m"], rel=1e-14)
