"""Derived quantities, assumptions, tolerances and simulators of user-defined theories, by every route."""

import mpmath
import numpy as np
import pytest
from helpers.modules import loaded, plain_module
from helpers.tiers import slow_but
from sympy import Integral, Rational, Symbol, cos, cosh, exp, log, sqrt, symbols, tanh

import asympkit as ak
from asympkit.cli import main
from asympkit.nodes import Applied

m, K, z, x = symbols("m K z x", real=True)
J, h = symbols("J h", positive=True)


def theory(derived, equations=None, activations=None, parameters=None, **more):
    return ak.Theory(name="derived", parameters=parameters or {J: ("", "positive"), h: ("", "positive")}, unknowns=[m],
                     derived=derived, equations=equations or [m - J * K], **more,
                     activations=activations or {"f": "tanh"})


def mean(f):
    with mpmath.workdps(30):
        return mpmath.quad(lambda s: f(s) * mpmath.npdf(s), [-12, -3, -1, 0, 1, 3, 12])


@pytest.mark.parametrize(("integrand", "value"), slow_but([
    (z * Applied("f", z), lambda s: s * mpmath.tanh(s)), (Applied("f", z, 1), lambda s: mpmath.sech(s) ** 2),
    (Applied("f", z) ** 2 * z**2, lambda s: s**2 * mpmath.tanh(s) ** 2),
    (Applied("f", z) * Applied("g", z), lambda s: mpmath.tanh(s) * mpmath.sin(s)),
    (Applied("f", h * z) * z, None), (Applied("f", h * z), None), (tanh(h * z) ** 2, None)], 0, 2, 3, 5))
def test_every_route_to_a_derived_mean(integrand, value):
    t = theory({K: ak.E(integrand, z)}, activations={"f": "tanh", "g": "sin"})
    at, text = {"J": 1.5, "h": 0.7}, {"J": "3/2", "h": "7/10"}
    precise = t.precise(digits=25, **text)["m"]
    assert t.solve(**at)["m"] == pytest.approx(float(precise), rel=1e-13)
    if value is not None:
        with mpmath.workdps(30):
            assert abs(precise - mpmath.mpf(3) / 2 * mean(value)) < 1e-20
    for name, at_value in at.items():
        step = 1e-4
        difference = (t.solve(**{**at, name: at_value + step})["m"] - t.solve(**{**at, name: at_value - step})["m"])
        assert t.sensitivity("m", name, **at) == pytest.approx(difference / (2 * step), rel=1e-6, abs=1e-12)
    swept = t.sweep(J=np.array([1.0, 1.5]), h=np.array([0.5, 0.7]))
    assert swept["m"][1, 1] == pytest.approx(float(precise), rel=1e-12)


def test_derived_of_derived_is_certified():
    pytest.importorskip("flint", reason="python-flint is not installed")
    first = Symbol("first", real=True)
    t = theory({first: ak.E(z * Applied("f", z), z), K: first**2 + ak.E(tanh(h * z) ** 2, z)})
    exact = mean(lambda s: s * mpmath.tanh(s)) ** 2 + mean(lambda s: mpmath.tanh(s / 2) ** 2)
    assert abs(t.certify(digits=15, J=1, h="1/2")["m"].mid - exact) < 1e-14


@pytest.mark.parametrize(("activation", "order", "text"), [
    ("sign", 1, "'sign' jumps at 0"), ("relu", 2, "'relu' has a kink at 0"), ("abs(z)", 2, "has a kink at 0")])
def test_point_masses_are_refused(activation, order, text):
    with pytest.raises(ak.StructureError, match=text):
        theory({K: ak.E(Applied("f", z, order), z)}, activations={"f": activation})


def test_what_is_narrower_than_the_activation_is_seen():
    t = theory({K: ak.E(Applied("f", z) / cosh((z - 2) / h) ** 2, z)})
    exact = 2e-4 * mpmath.npdf(2) * mpmath.tanh(2) * 1.1
    assert t.solve(J=1.1, h=1e-4)["m"] == pytest.approx(float(exact), rel=1e-6)
    with pytest.raises(ak.StructureError, match="generate: a derived quantity holds an average that is no moment"):
        t.generate("no.py")


@pytest.mark.parametrize(("derived", "activation", "at", "right"), [
    (ak.E(Applied("f", z) ** 2, z) - ak.E(z * Applied("f", z), z) ** 2, "z+z**3/10000000", {"J": 1, "h": 1}, 6e-14),
    ((cosh(h) - 1) / h**2, "tanh", {"J": 1, "h": 1e-8}, 0.5),
    (log(cosh(1000 * J)) / 1000, "tanh", {"J": 1, "h": 1}, 0.99930685281944005469),
    (J - 1, "tanh", {"J": 1 + 1e-12, "h": 1}, 1e-12)])
def test_terms_that_cancel_keep_their_digits(derived, activation, at, right):
    t = theory({K: derived}, equations=[m - K], activations={"f": activation})
    assert t.solve(**at)["m"] == pytest.approx(right, rel=1e-4 if right == 1e-12 else 1e-13)
    if right != 1e-12:
        assert float(t.precise(digits=15, **at)["m"]) == pytest.approx(right, rel=1e-13)


@pytest.mark.parametrize(("derived", "activation", "value"), [
    ((exp(800 + J) - exp(800)) * exp(-800), "tanh", "1.7182818284590452354"),       # rewritten, it does not overflow
    ((J + 1) ** 2000 * 2 ** (-2000 * J), "tanh", "1"),
    ((1 - cos(J / 10**30)) / J**2 * 10**60, "tanh", "0.5"),
    (ak.E(Applied("f", z) ** 2, z), "sin(1000000*z)", "0.5")])
def test_digits_do_what_double_precision_cannot(derived, activation, value):
    """What overflows on the way, cancels to nothing, or oscillates too fast for any rule of doubles."""
    t = theory({K: derived}, equations=[m - K - h], activations={"f": activation})
    with mpmath.workdps(30):
        assert abs(t.precise(digits=18, J=1, h=1)["m"] - 1 - mpmath.mpf(value)) < 1e-17
    if derived.has(exp):
        assert t.solve(J=1, h=1)["m"] == pytest.approx(1 + float(value), rel=1e-15)
    elif value != "0.5" or activation != "tanh":
        with pytest.raises(ak.DomainError, match="K could not be computed in double precision at J = 1, h = 1: move"):
            t.solve(J=1.0, h=1.0)
    else:
        assert t.solve(J=1.0, h=1.0)["m"] == pytest.approx(1.5, rel=1e-15)


def test_digits_of_a_step_that_double_precision_cannot_make():
    theory, point = ak.OneStep("tanh", "sin(1000000*z)"), {"eta": 1, "alpha0": 1}
    with pytest.raises(ak.DomainError, match="could not be computed in double precision; use precise"):
        theory.parameters_at(**point)
    found = theory.precise(digits=8, alpha=2, lam=1, **point)
    assert found.parameters["gamma"] == pytest.approx(0.0, abs=1e-300)       # nothing linear is left of such a sine
    assert found.test_error > 0.5


@pytest.mark.parametrize("ending", [".npz", ".csv", ".npy"])
def test_a_file_of_other_derived_quantities_is_refused(ending, tmp_path):
    one, two = (theory({K: c * J * ak.E(Applied("f", z) ** 2, z)}, [m - tanh(K * m + h)]) for c in (1, 2))
    one.sweep(J=[1.0, 2.0], h=0.2, file=tmp_path / f"s{ending}")
    with pytest.raises(ak.DomainError, match="holds another sweep: there derived is"):
        two.sweep(J=[1.0, 2.0], h=0.2, file=tmp_path / f"s{ending}")


def test_numbers_that_contradict_their_symbols():
    positive = Symbol("Kp", positive=True)
    t = theory({positive: x - 3}, [m - sqrt(positive**2)], parameters={x: ("", "real")})
    assert t.solve(x=5.0)["m"] == 2.0
    with pytest.raises(ak.DomainError, match=r"Kp: got -2.0, but the symbol Kp is declared positive"):
        t.solve(x=1.0)


def test_names_beside_rates_and_verbs():
    rate, word = Symbol("rate_K", real=True), Symbol("parameters", real=True)
    t = theory({K: J**2}, [m - K - rate - word], parameters={J: ("", "positive"), rate: ("", "real"),
                                                          word: ("", "real")})
    assert t.sensitivity("m", "J", parameters={"J": 2.0, "rate_K": 1.0, "parameters": 1.0}) == pytest.approx(4.0)


@pytest.mark.parametrize(("changes", "text"), [
    ({"derived": {K: Integral(z, (z, 0, 1))}}, "the function Integral"), ({"derived": {K: x}}, "x is no parameter"),
    ({"derived": {J: h}}, "J is a parameter or an unknown too"), ({"derived": [K]}, "derived: got"),
    ({"derived": {K: Applied("g", J)}}, "g is applied"), ({"assumptions": 3}, "assumptions: got 3"),
    ({"tolerances": ["m"]}, "tolerances: got"), ({"assumptions": [ak.Assumption(x < 1, "x")]}, "x in x < 1 is neither"),
    ({"tolerances": [ak.Tolerance("q", 0.1, "")]}, "no quantity 'q'"),
    ({"tolerances": [ak.Tolerance("m", 1e9, "")]}, r"got the share 1e\+09 for m; expected a number from 0 to 1"),
    ({"tolerances": [ak.Tolerance("m", float("inf"), "")]}, "got the share inf for m"),
    ({"tolerances": [ak.Tolerance("m", 0.1, ""), ak.Tolerance("m", 0.2, "")]}, "m stands twice"),
    ({"simulate": 3}, "simulate: got 3"), ({"simulate": print, "size_name": "J"}, "size_name: 'J'"),
    ({"simulate": print, "size_name": "class"}, "size_name: 'class'"),
    ({"parameters": [ak.Parameter(J, "", "positive", None)]}, "J is no plain number")])
def test_wrong_declarations(changes, text):
    with pytest.raises(ak.AsympkitError, match=text):
        theory(**{"derived": {K: J}, **changes})


@pytest.mark.parametrize("share", [-1, float("nan"), "x", True])
def test_wrong_grants(share):
    with pytest.raises(ak.DomainError, match="Tolerance: got the share"):
        ak.Tolerance("m", share, "")


@pytest.mark.parametrize(("result", "text"), [
    ({"m": np.complex128(1 + 2j)}, "expected a number"), ({"m": "1"}, "expected a number"), ({}, "expected a dict"),
    (3, "expected a dict"), ({"q": 1.0}, "which is no quantity"), ({"m": [1.0]}, "expected a number")])
def test_wrong_draws(result, text):
    t = theory({K: J}, simulate=lambda rng, size, J, h: result)
    with pytest.raises(ak.AsympkitError, match=text):
        t.simulate(size=10, repeats=2, J=1.0, h=1.0)


def test_every_draw_returns_the_same_quantities():
    t = theory({K: J}, observables={"o": m}, simulate=lambda rng, size, J, h: {"m": 1.0} | (
        {"o": 1.0} if rng.random() < 0.5 else {}))
    with pytest.raises(ak.DomainError, match="expected the same quantities of every draw"):
        t.simulate(size=10, repeats=20, J=1.0, h=1.0)


def test_all_that_is_drawn_is_compared():
    def draw(rng, size, J, h):
        return {"o": J**2 * (1 + 1e-3 * rng.standard_normal()), "m": 5 * J**2 * (1 + 1e-3 * rng.standard_normal())}

    t = theory({K: J}, observables={"o": m}, tolerances=[ak.Tolerance("o", 0.02, "finite size")], simulate=draw)
    report = t.check(size=10, repeats=20, digits=15, J=1.0, h=1.0)
    assert report.outcome == "differ" and "m" in report.verdict


def test_a_grant_of_all_that_is_tested_is_said():
    def draw(rng, size, J, h):
        return {"o": J**2 * (1 + 1e-3 * rng.standard_normal()), "m": J**2 * (1 + 1e-3 * rng.standard_normal())}

    def report(*granted):
        allowed = [ak.Tolerance(n, 0.5, "why") for n in granted]
        t = theory({K: J}, observables={"o": m}, tolerances=allowed, simulate=draw)
        return t.check(size=10, repeats=20, digits=15, J=1.0, h=1.0)

    both, one = report("m", "o"), report("o")
    assert both.outcome == "not tested" and "more repeats" not in str(both)
    assert ("not tested by the simulation, because the tolerances allow every difference that is tested: o "
            "(50 % allowed), m (50 % allowed); allow less than 25 %, or take a larger size if "
            "the tolerance falls") in both.verdict
    assert one.outcome == "agree"
    assert one.notes[-1] == "not tested are quantities whose tolerances allow a difference of 25 %: o (50 % allowed)"


def test_exact_defaults_and_refused_numbers_of_a_module(tmp_path):
    t = theory({K: J}, parameters=[ak.Parameter(J, "", "positive", Rational(1, 3)), ak.Parameter(h, "", (0, 2), "1/2")])
    assert mpmath.nstr(t.precise(digits=20)["m"], 20) == "0." + "1" * 20
    path = t.generate(tmp_path / "exact.py")
    module = loaded(path)
    assert module.solve()["m"] == pytest.approx(1 / 9)
    for wrong in ({"J": -1.0}, {"J": float("nan")}, {"h": 3.0}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))}: got .*; expected"):
            module.solve(**wrong)
    mine = tmp_path / "mine.py"
    mine.write_text("important = 1\n")
    with pytest.raises(ak.DomainError, match="was not written by asympkit"):
        t.generate(mine)
    assert t.generate(path) == path


def test_parameters_named_like_options(tmp_path, capsys):
    names = "json digits rtol quantity over step start seed set progress file"
    (tmp_path / "odd_names.py").write_text(
        "import asympkit as ak\nfrom sympy import symbols, Symbol\nm = Symbol('m', real=True)\n"
        f"s = symbols({names!r}, real=True)\n"
        "t = ak.Theory(name='odd', parameters={x: ('', 'real') for x in s}, unknowns=[m], equations=[m - sum(s)])\n")
    given = [word for name in names.split() for word in ("--set", f"{name}=1")]
    for verb, more in (("solve", []), ("sensitivity", ["--quantity", "m", "--by", "seed"]), ("sweep", [])):
        last = ["--set", "json=1:2:2"] if verb == "sweep" else []
        status = main([verb, f"{tmp_path / 'odd_names.py'}:t", *given, *more, *last])
        out, err = capsys.readouterr()
        assert (status, err) == (0, ""), err
    assert out.splitlines()[0].startswith("json,")


k = Symbol("k", real=True)
b, v, first, second = symbols("b v first second", positive=True)


def mean_square(mean, width):
    return ak.E(ak.E(Applied("f", mean * k + width * z), z)**2, k)


def means(activation):
    """What one average gives is a parameter of the next."""
    return ak.Theory(name="means", parameters={b: ("", "positive"), v: ("", "positive")}, unknowns=[x],
                     derived={first: mean_square(sqrt(b), sqrt(v)), second: mean_square(sqrt(first), v)},
                     equations=[x - first], observables={"second": second * x / x}, activations={"f": activation})


def relu_pair(b, v):
    """E relu(x) relu(x') at variance b + v and covariance b."""
    r = b / (b + v)
    return (b + v) / (2 * mpmath.pi) * (mpmath.sqrt(1 - r**2) + r * (mpmath.pi - mpmath.acos(r)))


def test_every_route_to_means_of_means():
    t, at, exact = means("relu"), {"b": 0.3, "v": 0.4}, {"b": "0.3", "v": "0.4"}
    with mpmath.workdps(40):
        one = relu_pair(mpmath.mpf(3) / 10, mpmath.mpf(4) / 10)
        two = relu_pair(one, mpmath.mpf(16) / 100)
        found, precise = t.solve(**at), t.precise(digits=25, **exact)
        assert (found["x"], found["second"]) == pytest.approx((float(one), float(two)), rel=1e-14)
        assert abs(precise["x"] - one) < 1e-25 and abs(precise["second"] - two) < 1e-24
        pytest.importorskip("flint", reason="python-flint is not installed")
        proved = t.certify(digits=20, **exact)
        assert proved["x"].contains(one) and proved["second"].contains(two) and proved["second"].rad < 1e-20
    assert plain_module(t.source()).solve(**at)["second"] == pytest.approx(float(two), rel=1e-13)


@pytest.mark.parametrize("name", ["b", "v"])
def test_derivatives(name):
    t, at, h = means("tanh"), {"b": 0.3, "v": 0.4}, 1e-5
    up, down = (t.solve(**{**at, name: at[name] + e}).second for e in (h, -h))
    assert t.sensitivity("second", name, **at) == pytest.approx((up - down) / (2 * h), rel=1e-7)


def test_averages_without_a_table_have_no_exported_module():
    t = ak.Theory(name="means", parameters={b: ("", "positive")}, unknowns=[x], derived={v: ak.E(tanh(b * z)**2, z)},
                  equations=[x - v])
    with pytest.raises(ak.AsympkitError, match="a derived quantity holds an average that is no moment"):
        t.source()


def test_a_table_without_an_answer_is_lost_digits():
    t = ak.Theory(name="far", parameters={b: ("", "positive")}, unknowns=[x],
                  derived={v: mean_square(b, 1)}, equations=[x - v], activations={"f": "exp(z**2/3)"})
    with pytest.raises(ak.AsympkitError, match="derived: v could not be computed in double precision at b = 4"):
        t.solve(b=4.0)
