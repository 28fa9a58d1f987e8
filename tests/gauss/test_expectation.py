"""Gaussian averages: what closes, how the theory's conditional moments differentiate."""

import pytest
from sympy import Max, Rational, Symbol, exp, oo, symbols, tanh

from asympkit import E, ParseError
from asympkit.gauss import stein
from asympkit.nodes import Average, bind
from asympkit.theories.spiked_features.equations import moments
from asympkit.theories.spiked_features.equations import symbols as theory_symbols

z, w, a, kappa = symbols("z w a kappa", real=True)
b, c = symbols("b c", positive=True)


def test_what_does_not_close_stays():
    node = E(tanh(z + a) * z, z)
    assert node.doit() == node
    assert E(tanh(z) * E(w**2 * z, w), z).doit() == E(tanh(z) * z, z)


def test_no_silent_number_for_a_divergent_mean():
    closed = E(exp(z**2), z).doit()
    assert closed == oo or closed.has(Average)


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


def test_average_of_an_average_is_itself():
    inner = E(tanh(a + z), z)
    assert E(inner, w) == inner
    assert E(inner * w**2, w).doit() == inner


def test_scale_mixture():
    # E over kappa of E over z is the mean over the sum of both
    nested = E(E((kappa + b * z) ** 2, z), kappa).doit()
    assert nested.expand() == 1 + b**2
    assert E(E(exp(kappa + z), z), kappa).doit() == exp(1)


def test_correlation_as_text():
    x, y = Symbol("x", real=True), Symbol("y", real=True)
    assert E("x*y", (x, y), rho="1/3").doit() == Rational(1, 3)
    with pytest.raises(ParseError):
        E("x*y", (x, y), rho="r")
