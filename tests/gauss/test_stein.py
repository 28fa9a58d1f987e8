"""Stein's lemma as a rewriting rule."""

import mpmath
import pytest
from sympy import Max, Rational, Symbol, cos, sign, symbols, tanh

from asympkit import E, Named
from asympkit.gauss import stein
from asympkit.nodes import Applied, bind, unname

z, y, a = symbols("z y a", real=True)
b = Symbol("b", positive=True)


class Function:
    """A function as ``bind`` expects it, for tests of kinks and jumps."""

    def __init__(self, expr):
        self.symbol, self.expr = z, expr


def highest(expr):
    return max((f.order for f in expr.atoms(Applied)), default=-1)


def test_weight_is_differentiated():
    s1, s0 = Applied("student", z, 1), Applied("student", z)
    assert stein(E(z**3 * s1, z)) == E((z**4 - 3 * z**2) * s0, z)
    assert highest(stein(E(z**3 * s1, z))) == 0


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_any_order_becomes_a_hermite_weight(order):
    # E sigma^(k)(z) = E He_k(z) sigma(z), here for sigma = tanh
    rewritten = stein(E(Applied("student", z, order), z))
    assert highest(rewritten) == 0
    value = bind(rewritten, {"student": Function(tanh(z))}).evalf(20)
    direct = E(tanh(z).diff(z, order), z).evalf(20)
    assert abs(value - direct) < 1e-18


def test_rewrites_inside_names_and_outer_averages():
    inner = Named("m", E(Applied("student", y + b * z, 1), z))
    new = stein(E(cos(y) * inner**2, y) + inner.subs(y, a))
    assert highest(new) == 0
    assert {n.label for n in new.atoms(Named)} == {"m"}


def test_leaves_alone_what_it_cannot_lower():
    one = E(Applied("student", z, 1) ** 2, z)                  # a square of a derivative
    assert highest(stein(one)) == 1
    two = E(Applied("student", z**2, 1), z)                    # an argument that is not affine
    assert stein(two) == two
    product = E(Applied("student", z, 1) * Applied("target", z), z)
    assert highest(stein(product)) == 1


def value(expr, function, at):
    return unname(bind(expr, {"student": Function(function)})).subs(at).doit().evalf(20)


def means(f, shift, scale, kink):
    with mpmath.workdps(25):
        left = (kink - shift) / scale
        return mpmath.quad(lambda t: f(shift + scale * t, t) * mpmath.npdf(t), sorted([-14, -5, 0, left, 5, 14]))


@pytest.mark.parametrize(("shift", "scale"), [(0, 1), (Rational(1, 3), Rational(5, 4)), (-2, Rational(1, 2))])
def test_sign_has_a_delta_as_derivative(shift, scale):
    # E sign'(a + b z) = 2 phi(a/b)/b
    rewritten = stein(E(Applied("student", a + b * z, 1), z))
    got = value(rewritten, sign(z), {a: shift, b: scale})
    with mpmath.workdps(30):
        shift, scale = (mpmath.mpf(Rational(v).p) / Rational(v).q for v in (shift, scale))
        assert abs(got - 2 * mpmath.npdf(shift / scale) / scale) < 1e-18


@pytest.mark.parametrize(("shift", "scale"), [(0, 1), (Rational(1, 3), Rational(5, 4)), (-2, Rational(1, 2))])
def test_relu_first_and_second_derivative(shift, scale):
    at = {a: shift, b: scale}
    first = value(stein(E(z**2 * Applied("student", a + b * z, 1), z)), Max(z, 0), at)
    second = value(stein(E(Applied("student", a + b * z, 2), z)), Max(z, 0), at)
    with mpmath.workdps(30):
        shift, scale = (mpmath.mpf(Rational(v).p) / Rational(v).q for v in (shift, scale))
        assert abs(first - means(lambda x, t: t**2 * (x > 0), shift, scale, 0)) < 1e-16
        assert abs(second - mpmath.npdf(shift / scale) / scale) < 1e-18
