"""Stein's lemma as a rewriting rule, and the Gaussian averages that close."""

import mpmath
import pytest
from sympy import Max, Rational, Symbol, cos, exp, oo, sign, symbols, tanh

from asympkit import E, Named, ParseError
from asympkit.gauss import stein
from asympkit.nodes import Applied, Average, bind, remove_names
from asympkit.theories.spiked_features.equations import moments
from asympkit.theories.spiked_features.equations import symbols as theory_symbols

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


def value(expr, function, at):
    return remove_names(bind(expr, {"student": Function(function)})).subs(at).doit().evalf(20)


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


# -- gaussian averages -----------------------------------------------------------------------------------------------


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


# -- the conditional moments of the theory -------------------------------------------------------------


@pytest.mark.parametrize("function", [tanh, lambda t: Max(t, 0), lambda t: t**3 - t])
def test_derivative_of_mu0_numerically(function):
    class Chosen:
        symbol = z
        expr = function(z)

    s, u = theory_symbols(), moments()
    at = {s.r: Rational(7, 5), s.kappa: Rational(-3, 4), s.c: Rational(6, 5)}
    for parameter in (s.r, s.c):
        derivative = bind(stein(u.mu0.diff(parameter)), {"student": Chosen}).subs(at).doit().evalf(20)
        mean = bind(u.mu0.expr, {"student": Chosen})
        h = Rational(1, 10**6)
        up, down = (mean.subs({**at, parameter: at[parameter] + t}).doit().evalf(30) for t in (h, -h))
        assert abs((up - down) / (2 * h) - derivative) < 1e-9
