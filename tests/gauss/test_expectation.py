"""Gaussian averages: what closes, how the theory's conditional moments differentiate."""

import mpmath
import pytest
from sympy import Max, Rational, Symbol, erf, exp, factorial2, oo, pi, sin, sqrt, symbols, tanh

from asympkit import E, ParseError
from asympkit.gauss import stein
from asympkit.nodes import Applied, Average, bind
from asympkit.theories.spiked_features.equations import moments
from asympkit.theories.spiked_features.equations import symbols as theory_symbols

z, w, a, kappa = symbols("z w a kappa", real=True)
b, c = symbols("b c", positive=True)


def numeric(f, *splits):
    with mpmath.workdps(30):
        return mpmath.quad(lambda t: f(t) * mpmath.npdf(t), sorted({-14, -6, -2, 0, 2, 6, 14, *splits}))


@pytest.mark.parametrize("k", range(9))
def test_powers(k):
    assert E(z**k, z).doit() == (0 if k % 2 else factorial2(k - 1) if k else 1)


def test_polynomial_with_parameters():
    assert (E((a + b * z) ** 4, z).doit() - (a**4 + 6 * a**2 * b**2 + 3 * b**4)).expand() == 0


def test_exponential_and_sine():
    assert E(exp(a * z), z).doit() == exp(a**2 / 2)
    assert (E(sin(a + b * z), z).doit() - sin(a) * exp(-b**2 / 2)).simplify() == 0


@pytest.mark.parametrize(("expr", "f", "split"), [
    (erf(1 + z / 3), lambda t: mpmath.erf(1 + t / 3), 0),
    (z * erf(2 * z), lambda t: t * mpmath.erf(2 * t), 0),
    (erf(z) ** 2, lambda t: mpmath.erf(t) ** 2, 0),
    (Max(z - Rational(1, 2), 0) ** 2, lambda t: max(t - mpmath.mpf(1) / 2, 0) ** 2, 0.5),
    (z * exp(-z**2 / 2) * sin(z), lambda t: t * mpmath.exp(-t**2 / 2) * mpmath.sin(t), 0),
])
def test_closed_forms_agree_with_quadrature(expr, f, split):
    closed = E(expr, z).doit()
    assert not closed.has(Average)
    with mpmath.workdps(30):
        assert abs(closed.evalf(25)._to_mpmath(100) - numeric(f, split)) < 1e-20


def test_relu():
    assert E(Max(z, 0), z).doit() == 1 / sqrt(2 * pi)
    assert E(Max(z, 0) ** 2, z).doit() == Rational(1, 2)


def test_what_does_not_close_stays():
    node = E(tanh(z + a) * z, z)
    assert node.doit() == node
    assert E(tanh(z) * E(w**2 * z, w), z).doit() == E(tanh(z) * z, z)


def test_arc_cosine_kernels():
    rho = Symbol("rho", real=True)
    dual = E(Max(z, 0) * Max(w, 0), (z, w), rho=Rational(1, 2)).doit()
    expected = (sqrt(1 - Rational(1, 4)) + Rational(1, 2) * (pi - pi / 3)) / (2 * pi)
    assert abs((dual - expected).evalf(30)) < 1e-28
    assert E(z * w, (z, w), rho=rho).doit().equals(rho)


def test_no_silent_number_for_a_divergent_mean():
    closed = E(exp(z**2), z).doit()
    assert closed == oo or closed.has(Average)


# -- the conditional moments of the theory -------------------------------------------------------------


def test_derivative_of_mu0_by_the_spike_is_mu1():
    s, u = theory_symbols(), moments()
    assert (stein(u.mu0.diff(s.r)) - s.kappa * u.mu1.expr).equals(0)


def test_derivative_of_mu0_by_the_norm_holds_no_derivative():
    # d mu0 / dc = E[(z^2 - 1) sigma] / (2c)
    s, u = theory_symbols(), moments()
    student = Applied("student", s.r * s.kappa + sqrt(s.c) * s.z)
    assert (stein(u.mu0.diff(s.c)) - E((s.z**2 - 1) * student, s.z) / (2 * s.c)).equals(0)


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
