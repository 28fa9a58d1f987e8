"""Averages of conditional means as derived quantities: one table in doubles, in digits and in balls."""

import mpmath
import pytest
from helpers.modules import plain_module
from sympy import sqrt, symbols, tanh

import asympkit as ak
from asympkit.nodes import Applied

k, x, z = symbols("k x z", real=True)
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
