"""Stein's lemma as a rewriting rule, and the Gaussian averages that close."""

import pytest
from asympkit.derivations.transformations import stein
from sympy import Rational, Symbol, cos, exp, oo, symbols, tanh

from asympkit import E, Named, ParseError
from asympkit.nodes import Applied, Average, bind

z, w, y, a, kappa = symbols("z w y a kappa", real=True)
b, c = symbols("b c", positive=True)


class Function:
    """A function as ``bind`` expects it, for tests of kinks and jumps."""

    def __init__(self, expr):
        self.symbol, self.expr = z, expr


def highest(expr):
    return max((f.order for f in expr.atoms(Applied)), default=-1)


def test_what_is_rewritten():
    s1, s0 = Applied("student", z, 1), Applied("student", z)
    assert stein(E(z**3 * s1, z)) == E((z**4 - 3 * z**2) * s0, z)
    assert highest(stein(E(z**3 * s1, z))) == 0
    inner = Named("m", E(Applied("student", y + b * z, 1), z))
    new = stein(E(cos(y) * inner**2, y) + inner.subs(y, a))
    assert highest(new) == 0
    assert {n.label for n in new.atoms(Named)} == {"m"}
    one = E(Applied("student", z, 1) ** 2, z)                  # a square of a derivative
    assert highest(stein(one)) == 1
    two = E(Applied("student", z**2, 1), z)                    # an argument that is not affine
    assert stein(two) == two
    product = E(Applied("student", z, 1) * Applied("target", z), z)
    assert highest(stein(product)) == 1


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_any_order_becomes_a_hermite_weight(order):
    # E sigma^(k)(z) = E He_k(z) sigma(z), here for sigma = tanh
    rewritten = stein(E(Applied("student", z, order), z))
    assert highest(rewritten) == 0
    value = bind(rewritten, {"student": Function(tanh(z))}).evalf(20)
    direct = E(tanh(z).diff(z, order), z).evalf(20)
    assert abs(value - direct) < 1e-18


def test_what_closes():
    node = E(tanh(z + a) * z, z)
    assert node.doit() == node
    assert E(tanh(z) * E(w**2 * z, w), z).doit() == E(tanh(z) * z, z)
    closed = E(exp(z**2), z).doit()
    assert closed == oo or closed.has(Average)
    inner = E(tanh(a + z), z)
    assert E(inner, w) == inner
    assert E(inner * w**2, w).doit() == inner
    # E over kappa of E over z is the mean over the sum of both
    nested = E(E((kappa + b * z) ** 2, z), kappa).doit()
    assert nested.expand() == 1 + b**2
    assert E(E(exp(kappa + z), z), kappa).doit() == exp(1)
    x, y = Symbol("x", real=True), Symbol("y", real=True)
    assert E("x*y", (x, y), rho="1/3").doit() == Rational(1, 3)
    with pytest.raises(ParseError):
        E("x*y", (x, y), rho="r")
