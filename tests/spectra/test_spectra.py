"""The Marchenko-Pastur law against its density, its resolvent's rules, and how means close."""

from functools import cache

import numpy as np
import pytest
from helpers.densities import over_marchenko_pastur
from sympy import Symbol, exp, factorial, log, sqrt, symbols

from asympkit import DomainError, Eigenvalues, Huber, MarchenkoPastur, Named, StructureError, mean
from asympkit.multiprecision.number_systems import Floats, MultiprecisionNumbers
from asympkit.nodes import Average, Measure, remove_names
from asympkit.numbers.evaluation import evaluate

a, b, c, f, beta, lam = symbols("a b c f beta lam", positive=True)
D, F, H, h = symbols("D F H h", real=True)
LAW = MarchenkoPastur(D, ratio=beta, scale=c, conditional={F: c, H: D})
DIGITS = MultiprecisionNumbers(60)
CASES = [(j, k) for k in range(4) for j in range(5)]


@cache
def moment(j, k):
    return remove_names(LAW.moment(j, k, a, b))


def value(expr, numbers=DIGITS, **at):
    values = {s: numbers.number(at[s.name]) for s in expr.free_symbols}
    return numbers.number(evaluate(remove_names(expr), values, numbers))


def random_points():
    rng = np.random.default_rng(0)
    out = [tuple(round(float(v), 3) for v in (*rng.uniform(0.2, 3, 3), ratio)) for ratio in (0.3, 0.8, 1.7, 6.0)]
    return [*out, (1.0, 0.25, 2.0, 1.0), (0.7, 1e-8, 1.3, 0.4), (0.7, 1e-8, 1.3, 3.0), (1e-6, 0.5, 1.0, 2.0)]


@pytest.mark.parametrize("at", random_points())
def test_moments_are_those_of_the_density(at):
    p = dict(zip(("a", "b", "c", "beta"), at))
    mp = DIGITS.mp
    at_a, at_b = (DIGITS.number(v) for v in at[:2])
    for j, k in CASES:
        reference = over_marchenko_pastur(lambda x, j=j, k=k: x**j / (at_a * x + at_b) ** k, mp.mpf(at[2]),
                                          mp.mpf(at[3]), 150 if at[3] != 1.0 else 300, mp)
        assert abs(value(moment(j, k), **p) - reference) < mp.mpf("1e-12") * abs(reference), (j, k)


@pytest.mark.parametrize(("size", "ratio"), [
    (size, ratio) for size in (1e-6, 1e-2, 1e3, 1e6) for ratio in (0.3, 1.0, 4.0) if (size, ratio) != (1e-6, 1.0)])
def test_no_cancellation(size, ratio):
    for j, k in ((0, 1), (1, 1), (0, 2), (1, 2), (2, 2)):
        at = {"a": 0.7, "b": size, "c": 1.3, "beta": ratio}
        exact = value(moment(j, k), **at)
        double = value(moment(j, k), Floats(), **at)
        assert abs(double - exact) < 1e-15 * exact, (j, k)


@pytest.mark.parametrize("integrand", [
    exp(-D), D * log(1 + D), log(1 + D) ** 2, log(1 + D**2), sqrt(D), 1 / (lam + D**2), F**2 / (lam + D),
    F * H, 1 / (lam + F), 1 / ((lam + D) * (2 * lam + D) * (3 * lam + D) * (4 * lam + D)),
])
def test_refuses_what_is_not_of_the_form(integrand):
    node = mean(integrand, LAW)
    assert node.doit().has(Average)


def test_a_theory_whose_companions_enter_twice_says_so():
    import asympkit as ak

    u = Symbol("u", positive=True)
    theory = ak.Theory(name="open", parameters={lam: ("penalty", "positive")}, unknowns=[u],
                       equations=[u - mean(F**2 * exp(-u * D), MarchenkoPastur(D, 2, 1, {F: lam}))])
    with pytest.raises(StructureError, match="averages: .* has no closed form and no quadrature rule; .* linear"):
        theory.solve(lam=1)


def test_a_measure_that_keeps_its_variable_says_so():
    import asympkit as ak

    class Forgetful(Measure):
        bound_symbols = property(lambda self: self.args[:1])

        def close(self, integrand):
            return integrand

    x, u = Symbol("x", real=True), Symbol("u", positive=True)
    theory = ak.Theory(name="open", unknowns=[u], parameters={}, equations=[u - Average(u * exp(-x), Forgetful(x))])
    with pytest.raises(StructureError, match=r"the mean of exp\(-x\) by Forgetful still contains its variable x"):
        theory.solve()


@pytest.mark.parametrize(("call", "said"), [
    (lambda: mean(3, 3), "law: got 3; expected MarchenkoPastur, DeepCovariance, Eigenvalues or another SpectralLaw"),
    (lambda: Eigenvalues(Symbol("D"), 3), "Eigenvalues: got 3; expected the symbols that solve.* takes as arrays"),
    (lambda: MarchenkoPastur(3, ratio=2), "D: got 3; expected the symbol of an eigenvalue"),
    (lambda: MarchenkoPastur(Symbol("D"), ratio=-1), "ratio: got -1; expected a positive number or expression"),
    (lambda: MarchenkoPastur(Symbol("D"), ratio=1, scale=0), "scale: got 0; expected a positive number or expression")])
def test_what_is_no_law_is_refused(call, said):
    with pytest.raises(DomainError, match=said):
        call()


def test_moments():
    closed = mean(1 / D, LAW).doit()      # finite for fewer rows than columns: 1/(c(1 - beta))
    assert abs(value(closed, c=1.3, beta=0.25) - 1 / (DIGITS.number(1.3) * 3 / 4)) < 1e-50
    assert LAW.moment(2, 0, a, b).equals(c**2 * (1 + beta))
    assert LAW.moment(3, 0, a, b).expand() == (c**3 * (1 + 3 * beta + beta**2)).expand()
    # at beta = 1 the Catalan numbers
    for j in range(1, 6):
        catalan = factorial(2 * j) / factorial(j) / factorial(j + 1)
        assert MarchenkoPastur(D, ratio=1).moment(j, 0, a, b) == catalan
    node = mean(F / (lam + D), Eigenvalues(D, F))
    assert node.doit() == node
    assert node.bound_symbols == (D, F)
    assert mean(lam * D + lam, Eigenvalues(D)) == lam * mean(D + 1, Eigenvalues(D))


@pytest.mark.parametrize("value", ["exp(-D)", None, [1], {}, True])
def test_what_is_no_expression_is_said(value):
    D = Symbol("D", positive=True)
    law = MarchenkoPastur(D, ratio=2)
    for name, call in {"integrand": lambda: mean(value, law), "ratio": lambda: MarchenkoPastur(D, ratio=value),
                       "scale": lambda: MarchenkoPastur(D, ratio=2, scale=value), "expr": lambda: Named("a", value),
                       "delta": lambda: Huber(value)}.items():
        with pytest.raises(DomainError, match=f"^{name}: got .*; expected a sympy expression or a number"):
            call()
