"""Averages of conditional means as derived quantities: one table in doubles, in digits and in balls."""

import mpmath
import pytest
from helpers.modules import plain_module
from sympy import Symbol, sqrt, symbols, tanh

import asympkit as ak
from asympkit.activations import Activation
from asympkit.multiprecision.number_systems import MultiprecisionNumbers
from asympkit.nodes import Applied, Average
from asympkit.theories.derived import Derived
from asympkit.theories.lowered import Lowered

k, z = symbols("k z", real=True)
b, v = symbols("b v", positive=True)
AT = {"b": "0.3", "v": "0.4"}
RELU, TANH = {"f": Activation("relu")}, {"f": Activation("tanh")}


def mean_square(mean, width):
    return ak.E(ak.E(Applied("f", mean * k + width * z), z)**2, k)


def relu_pair(b, v):
    """E relu(x) relu(x') at variance b + v and covariance b."""
    r = b / (b + v)
    return (b + v) / (2 * mpmath.pi) * (mpmath.sqrt(1 - r**2) + r * (mpmath.pi - mpmath.acos(r)))


def test_every_reading_of_a_mean_square():
    flint = pytest.importorskip("flint", reason="python-flint is not installed")
    from asympkit.balls.backend import workprec
    from asympkit.certify.numbers import Balls

    d = Derived((b, v), {"m": mean_square(sqrt(b), sqrt(v))})
    with mpmath.workdps(40):
        exact = relu_pair(mpmath.mpf(3) / 10, mpmath.mpf(4) / 10)
        found, error = d.floats({"b": 0.3, "v": 0.4}, RELU)
        assert found["m"] == pytest.approx(float(exact), rel=1e-14)
        assert error < 1e-13
        assert abs(d.numbers(AT, MultiprecisionNumbers(30), RELU)["m"] - exact) < 1e-29
        with workprec(150):
            ball = d.numbers(AT, Balls(25, 150), RELU)["m"]
            assert abs(ball - flint.arb(mpmath.nstr(exact, 38))) < 1e-25
            assert float(ball.rad()) < 1e-25


def test_means_of_means_of_means():
    """What one average gives is a parameter of the next; neither is computed twice."""
    first = mean_square(sqrt(b), sqrt(v))
    d = Derived((b, v), {"first": first, "second": mean_square(sqrt(first), v)})
    ((_, inner, _), (_, outer, parts)) = sorted(d._whole.tables, key=lambda t: len(t[2].tables))
    assert [table for _, table, _ in parts.tables] == [inner]
    inner.known.clear()
    outer.known.clear()
    with mpmath.workdps(30):
        one = relu_pair(mpmath.mpf(3) / 10, mpmath.mpf(4) / 10)
        two = relu_pair(one, mpmath.mpf(16) / 100)
    found, _ = d.floats({"b": 0.3, "v": 0.4}, RELU)
    assert (found["first"], found["second"]) == pytest.approx((float(one), float(two)), rel=1e-14)
    precise = d.numbers(AT, MultiprecisionNumbers(25), RELU)
    assert abs(precise["second"] - two) < 1e-24
    assert len(inner.known) == 2
    assert len(outer.known) == 2


def test_standalone_module():
    x = Symbol("x", real=True)
    first, second = Symbol("first", positive=True), Symbol("second", positive=True)
    derived = {first: mean_square(sqrt(b), sqrt(v)), second: mean_square(sqrt(first), v)}
    t = ak.Theory(name="means", parameters={b: ("", "positive"), v: ("", "positive")}, unknowns=[x], derived=derived,
                  equations=[x - first / second], activations={"f": "relu"})
    made = plain_module(t.source())
    assert made.solve(b=0.3, v=0.4)["x"] == pytest.approx(t.solve(b=0.3, v=0.4)["x"], rel=1e-13)


def test_averages_without_a_table_have_no_standalone_module():
    x = Symbol("x", real=True)
    t = ak.Theory(name="means", parameters={b: ("", "positive")}, unknowns=[x], derived={v: ak.E(tanh(b * z)**2, z)},
                  equations=[x - v])
    with pytest.raises(ak.AsympkitError, match="a derived quantity holds an average that is no moment"):
        t.source()


def test_derivatives():
    d = Derived((b, v), {"m": mean_square(sqrt(b), sqrt(v))})
    for name in AT:
        at, h = {"b": 0.3, "v": 0.4}, 1e-5
        up, down = (d.floats({**at, name: at[name] + x}, TANH)[0]["m"] for x in (h, -h))
        assert d.rates(name, at, TANH)["m"] == pytest.approx((up - down) / (2 * h), rel=1e-7)


def test_what_has_no_table():
    """An argument whose width changes from node to node, and a value beside the means."""
    for integrand in (ak.E(Applied("f", k + sqrt(k**2 + v) * z), z)**2, Applied("f", k) * ak.E(Applied("f", k + z), z)):
        average = ak.E(integrand, k)
        assert isinstance(average, Average)
        assert not Lowered((v,), {"m": average}).tables


def test_a_table_without_an_answer_is_lost_digits():
    t = ak.Theory(name="far", parameters={b: ("", "positive")}, unknowns=[Symbol("x", real=True)],
                  derived={v: mean_square(b, 1)}, equations=[Symbol("x", real=True) - v],
                  activations={"f": "exp(z**2/3)"})
    with pytest.raises(ak.AsympkitError, match="derived: v could not be computed in double precision at b = 4"):
        t.solve(b=4.0)
