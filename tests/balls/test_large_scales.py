"""Enclosures of logarithms of large numbers under averages: the large part is taken out before balls get wide."""

import pytest
import sympy as sp

import asympkit as ak

pytest.importorskip("flint", reason="python-flint is not installed")

Z = sp.Symbol("z", real=True)
J, V = sp.symbols("J V", positive=True)


@pytest.mark.parametrize("f, small", [
    (sp.log(sp.cosh(10**4 * Z)), -sp.log(2)), (sp.log(2 * sp.cosh(10**4 * Z) ** 2), -sp.log(2)),
    (sp.log(1 + sp.exp(10**4 * Z)), 0)], ids=str)
def test_scale_of_ten_thousand(f, small):
    """log cosh(a z) = a|z| - log 2 + O(1/a) in the mean; the rest is log(1 + exp(-2a|z|))."""
    ball = ak.enclose(ak.E(f, Z), 20)
    a = 10**4 if f.has(sp.cosh) else 5000
    factor = 2 if f.has(2 * sp.cosh(10**4 * Z) ** 2) or f.args[0].has(sp.Pow) and f.has(sp.cosh) else 1
    main = factor * a * sp.sqrt(2 / sp.pi) + small
    assert ball.rad < 1e-15 and abs(float(ball) - float(main)) < 2e-4


def test_a_theory_with_a_large_parameter():
    t = ak.Theory(name="t", parameters={J: ("", "positive")}, unknowns=[V],
                  equations=[V - ak.E(sp.log(sp.cosh(J * Z)), Z)])
    ball = t.certify(J=10**4, digits=20)["V"]
    assert abs(float(ball) - float(ak.enclose(ak.E(sp.log(sp.cosh(10**4 * Z)), Z), 20))) < 1e-12
