"""Derivatives of means of an activation by the coefficients of its argument are means again."""

import pytest
from sympy import Rational, Symbol, sqrt, symbols

import asympkit as ak
from asympkit.nodes import Applied, Average, bind
from asympkit.sensitivity import directional
from asympkit.theories.spiked_features.equations import free_energy, moments
from asympkit.theories.spiked_features.equations import symbols as spiked

k, z = symbols("k z", real=True)
a, b = Symbol("a", real=True), Symbol("b", positive=True)


@pytest.mark.parametrize("activation", ["relu", "sign", "tanh", "abs"])
@pytest.mark.parametrize("moved", [a, b])
def test_against_closed_and_computed_means(activation, moved):
    mean = ak.E((Applied("f", a + b * z) - z) ** 2 * z, z)
    f = {"f": ak.Activation(activation)}
    rate = directional({moved: 1})(mean)
    assert not any(node.order for node in rate.atoms(Applied))

    def value(expr, shift=0):
        at = {a: Rational(3, 10), b: Rational(6, 5)}
        at[moved] += shift
        return float(bind(expr, f).subs(at).evalf(20))

    step = Rational(1, 10000)
    near, far = (value(mean, n * step) - value(mean, -n * step) for n in (1, 2))
    assert value(rate) == pytest.approx((8 * near - far) / float(12 * step), rel=1e-9, abs=1e-9)


def test_what_is_orthogonal_drops_out():
    """mu2sq is the mean square of a residual: its derivative holds no derivative of the regression."""
    s, u = spiked(), moments()
    rate = directional({s.r: 1})(u.mu2sq).expr
    w = Applied("student", s.r * s.kappa + sqrt(s.c) * s.z) - u.mu0 - sqrt(s.c) * u.mu1 * s.z
    assert rate == s.kappa * ak.E(s.z * w**2, s.z) / sqrt(s.c)
    assert len([n for n in rate.args if isinstance(n, Average)]) == 1


def test_what_does_not_move_has_no_derivative():
    energy = free_energy()
    assert directional({Symbol("elsewhere"): 1})(energy) == 0
    assert directional({b: 1})(b**3) == 3 * b**2
