"""Kinks over several normals that are affine in one of them: closed there, or brought to rest."""

import numpy as np
import pytest
from scipy.integrate import quad
from sympy import Dummy, Piecewise, exp, lambdify, symbols, tanh

import asympkit as ak
from asympkit.gauss.reductions import over_one_first
from asympkit.nodes import Average

x, s = symbols("x s", real=True)
a, q = symbols("a q", positive=True)


def weight(v):
    return np.exp(-v * v / 2) / np.sqrt(2 * np.pi)


def inner_mean(f):
    return quad(lambda u: f(u) * weight(u), -9, 9, epsabs=1e-12, limit=200, points=[0.0])[0]


def number(average, values):
    """An average over one or two normals by scipy, the inner integral cut at its kinks."""
    total, lines = 0.0, np.seterr(over="ignore")
    for term in average.as_ordered_terms():
        factor, inner = term.as_independent(Average, as_Add=False)
        names = inner.bound_symbols if isinstance(inner, Average) else ()
        plain = [Dummy(f"v{k}") for k in range(len(names))]
        f = lambdify(plain, (inner.integrand if names else inner).xreplace(dict(zip(names, plain))).subs(values),
                     ["scipy", "numpy"])
        value = inner_mean(f) if len(names) == 1 else \
            quad(lambda v, f=f: weight(v) * inner_mean(lambda u: f(u, v)), -9, 9, epsabs=1e-11)[0]
        total += float(factor.subs(values)) * value
    np.seterr(**lines)
    return total


def reference(f, kink):
    """The double average of a function of x and s with a kink in x."""
    def inner(v):
        return quad(lambda u: f(u, v) * np.exp(-u * u / 2) / np.sqrt(2 * np.pi), -9, 9, epsabs=1e-13,
                    points=sorted({float(np.clip(kink(v), -8.9, 8.9))}), limit=200)[0]

    return quad(lambda v: inner(v) * np.exp(-v * v / 2) / np.sqrt(2 * np.pi), -9, 9, epsabs=1e-12, limit=200)[0]


def test_closed_over_one():
    """The noise of a residual is averaged out; one normal is left."""
    t = tanh(2 * s) + a * x
    average = ak.E(Piecewise((-t, t < 0), (2 * t, True)), (x, s))
    found = over_one_first(average)
    assert {len(e.bound_symbols) for e in found.atoms(Average)} == {1}
    exact = reference(lambda u, v: max(-(np.tanh(2 * v) + 0.7 * u), 2 * (np.tanh(2 * v) + 0.7 * u)),
                      lambda v: -np.tanh(2 * v) / 0.7)
    assert number(found, {a: 0.7}) == pytest.approx(exact, rel=1e-9)


def test_at_rest_with_a_factor_that_varies():
    """What does not close has its kink at 0; factors that are taken out of the inner average stay under the outer."""
    t = s**3 / 4 + a * x
    average = ak.E(Piecewise((0, t < 1), (t - 1, True)) / (1 + exp(x)) * exp(s / 3), (x, s))
    found = over_one_first(average)
    assert {len(e.bound_symbols) for e in found.atoms(Average)} == {2}
    exact = reference(lambda u, v: max(v**3 / 4 + 0.7 * u - 1, 0) / (1 + np.exp(u)) * np.exp(v / 3),
                      lambda v: (1 - v**3 / 4) / 0.7)
    assert number(found, {a: 0.7}) == pytest.approx(exact, rel=1e-8)


@pytest.mark.slow
def test_a_loss_of_a_non_linear_teacher():
    """Huber's loss of a label tanh(2 s) with noise: two normals in the free energy, one in the equations."""
    V, m = symbols("V m", positive=True)
    residual = tanh(2 * s) - m * s + x * a
    t = ak.Theory(name="t", unknowns=[q], parameters={a: ("", "positive"), m: ("", "positive"), V: ("", "positive")},
                  equations=[q - ak.E(ak.Moreau(ak.Huber(1), residual, 0, V), (x, s))])
    found = t.solve(a=0.6, m=0.5, V=0.8)["q"]

    def envelope(r):
        return r * r / 3.6 if abs(r) < 1.8 else abs(r) - 0.9

    def inner(v):
        c = np.tanh(2 * v) - 0.5 * v
        return quad(lambda u: envelope(c + 0.6 * u) * np.exp(-u * u / 2) / np.sqrt(2 * np.pi), -9, 9, epsabs=1e-13,
                    points=[np.clip((1.8 - c) / 0.6, -9, 9), np.clip((-1.8 - c) / 0.6, -9, 9)], limit=200)[0]

    exact = quad(lambda v: inner(v) * np.exp(-v * v / 2) / np.sqrt(2 * np.pi), -9, 9, epsabs=1e-12)[0]
    assert found == pytest.approx(exact, rel=1e-10)
    assert abs(float(t.precise(digits=25, a="0.6", m="0.5", V="0.8")["q"]) - found) < 1e-14


def test_what_has_no_affine_variable_is_left():
    assert over_one_first(ak.E(Piecewise((0, x**2 + a * s**2 < 1), (x**2 + a * s**2 - 1, True)), (x, s))) is None
