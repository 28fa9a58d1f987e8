"""Arbitrary precision: numbers, averages whose corners no rule meets, pairs of normals, unknowns inside functions."""


import mpmath
import numpy as np
import pytest
from sympy import Abs, Max, Min, Rational, Symbol, exp, hermite_prob, symbols, tanh

import asympkit as ak
from asympkit.gauss.quadrature.digits import gaussian_value, pair_value
from asympkit.multiprecision.inner_means import ConditionalMeans
from asympkit.multiprecision.number_systems import MultiprecisionNumbers
from asympkit.program.statements import Means
from asympkit.theories.one_step.bulk import IsotropicStart, NearBulk
from asympkit.theories.one_step.bulk import symbols as exact_symbols

z = Symbol("z", real=True)
s = Symbol("s", real=True)
x, y = symbols("x y", real=True)


def test_functional_that_is_not_polynomial():
    step = Means("student", None, None, z, s, ((x, exp(s)),))
    with pytest.raises(ak.StructureError, match="high precision: .* is not polynomial in z and the activation"):
        ConditionalMeans(step, ak.Activation("tanh"), MultiprecisionNumbers(30))


@pytest.mark.slow
def test_steep_arguments():
    """A lattice that cannot resolve tanh gave numbers that depended on its step; panels agree with double precision."""
    at = {"alpha": 2, "eta": 1, "lam": "0.1"}
    theory = ak.OneStep("tanh", "sin")
    with pytest.warns(ak.AssumptionWarning):
        many, found = theory.precise(digits=12, alpha0="1e-4", **at), theory.solve(alpha=2, eta=1, lam=0.1, alpha0=1e-4)
    for name in ("test_error", "theta", "m"):
        assert float(many[name]) == pytest.approx(found[name], rel=1e-11, abs=0)


@pytest.mark.slow
@pytest.mark.parametrize(("student", "more"), [
    ("tanh", {"alpha0": "1e-30"}), ("tanh", {"eta": "1e30"}), ("erf", {"alpha0": "1e-30"}),
    ("elu", {"alpha0": "1e-20"})])
def test_limits_of_steep_arguments(student, more):
    """Few samples or a large step are a limit, in which the scale of the features drops out but for 1 - q."""
    theory, at = ak.OneStep(student, "sin"), {"alpha": 2, "alpha0": 1, "eta": 1, "lam": "0.1", **more}
    with pytest.warns(ak.AssumptionWarning):
        many = theory.precise(digits=15, **at)
        found = theory.solve(**{name: float(value) for name, value in at.items()})
    for name in ("test_error", "theta", "m"):
        assert float(many[name]) == pytest.approx(found[name], rel=1e-11, abs=0)


def test_numbers_are_read_exactly():
    from decimal import Decimal
    from fractions import Fraction

    numbers = MultiprecisionNumbers(40)
    tenth = numbers.mp.mpf(1) / 10
    for value in (0.1, "0.1", "1/10", Fraction(1, 10), np.float64(0.1)):
        assert numbers.number(value) == tenth
    assert numbers.number(3) == 3
    assert abs(numbers.number(str(Decimal("0.1"))) - tenth) == 0
    assert mpmath.mp.dps == 15      # the common context is never touched


@pytest.mark.slow
def test_averages_of_growing_integrands_reach_as_far_as_they_must():
    z = Symbol("z", real=True)
    # the polynomial outgrows the reach of the weight alone
    high = ak.E(hermite_prob(63, z) * tanh(z), z).evalf(15)
    with mpmath.workdps(60):
        he = [mpmath.mpf(c.p) for c in hermite_prob(63, z).as_poly(z).all_coeffs()]
        step = mpmath.mpf(1) / 20
        exact = mpmath.fsum(step * mpmath.polyval(he, x) * mpmath.tanh(x) * mpmath.npdf(x)
                            for x in (k * step for k in range(-600, 601)))
    assert abs(high / exact - 1) < 1e-13
    slow = exp(Rational(2, 5) * z**2) * tanh(z) ** 2
    assert abs(float(ak.E(slow, z).evalf(18)) - float(ak.enclose(ak.E(slow, z), digits=18))) < 1e-14


@pytest.mark.slow
def test_a_bump_that_few_offsets_see():
    """Neither the lattice nor the parity of the columns may be judged where the bump does not show."""
    theory = ak.SpikedFeatures("tanh", "exp(-30*(z-3)**2)+z")
    at = {"alpha": 3.74, "lam": 1e-5, "noise_variance": 0, "r": 0.1, "c": 0.1, "gamma": -0.99}
    low, high = (theory.precise(digits=d, **at).test_error for d in (15, 40))
    assert abs(low / high - 1) < 1e-14
    assert abs(theory.solve(**at).test_error / high - 1) < 1e-11
    theory = ak.SpikedFeatures("tanh(z)+exp(-50*(z-6)**2)", "sin(20*z**2)")
    at |= {"lam": 2e-5, "noise_variance": "0.1", "r": "1e-8", "c": 1}
    # the mean of the student is 1e-8 of its size: its direction has that many digits less
    plain = {**at, "noise_variance": 0.1, "r": 1e-8, "c": 1}
    with pytest.raises(ak.ConvergenceError, match="the mean of an activation is below the rounding .* use precise"):
        theory.solve(**plain)
    assert abs(theory.precise(digits=15, **at).clean_error - theory.solve(rtol=1e-7, **plain).clean_error) < 1e-7


V, J = symbols("V J", positive=True)


def theory(integrand):
    return ak.Theory(name="corner", parameters={J: ("coupling", "positive")}, unknowns=[V],
                     equations=[V - 1 - J * ak.E(integrand, z) / 5])


@pytest.mark.parametrize("integrand, text", [
    (Min(exp(z), V) * tanh(z + 1), r"a kink or a jump at .* = 0, which moves, .* certify\(\) encloses it"),
    pytest.param(Abs(z) ** Rational(3, 2) * tanh(z + V), "the averages changed by .* at the last of 7 rules",
                 marks=pytest.mark.slow)])
def test_corners_that_no_rule_meets_are_refused(integrand, text):
    # the finest rules were one and the same, and agreed with themselves
    with pytest.raises(ak.ConvergenceError, match=f"precise: .*{text}"):
        theory(integrand).precise(digits=15, J="0.7")


def test_corners_that_the_rule_meets_have_their_digits():
    t = theory(Max(z - V, 0) * tanh(z + 1) ** 2)
    low, high = (t.precise(digits=d, J="0.7")["V"] for d in (15, 30))
    assert abs(low - high) < mpmath.mpf(10) ** -15
    assert abs(float(high) - t.solve(J=0.7)["V"]) < 1e-12


AT = {"eta": 3.0, "alpha0": 0.5, "alpha": 2.0, "beta": 0.8, "lam": 0.05, "noise_variance": 0.0}


@pytest.mark.parametrize("student", ["tanh", pytest.param("relu", marks=pytest.mark.slow)])
def test_the_spectrum_of_a_bulk_from_afar(student):
    theory, named = ak.OneStep(student, "sin", bulk="exact"), vars(exact_symbols())
    solved, point = theory.solve(**AT), theory.point(AT)
    read = NearBulk(IsotropicStart(theory.student, theory.target), theory.layer.is_odd)._equations
    values = dict(zip(theory.kernel.module.PARAMETERS, point.values))
    values |= {n: solved[n] for n in ("Vhat1", "Vhat2")}
    begin = {u: np.array([1e-3, 40.0]) for u in read.unknowns}
    found = read({named[n]: np.full(2, v) for n, v in values.items()}, begin)
    for u in read.unknowns:
        assert found[u] == pytest.approx([solved[u.name]] * 2, rel=1e-5), u


def lattice(expr, digits):
    return pair_value(expr, MultiprecisionNumbers(digits + 10).mp, digits)


@pytest.mark.parametrize(("text", "rho"), [
    ("tanh(x)*tanh(y)", "1/2"), ("tanh(x)*tanh(y)", "9/10"), ("tanh(x)*sin(y)/(1+y**2/9)", "-1/3"),
    pytest.param("tanh(x)*y*cos(y)+x*tanh(y)/2", "1/4", marks=pytest.mark.slow),
    pytest.param("gelu(x)*tanh(3*y)", "1/4", marks=pytest.mark.slow),
    pytest.param("tanh(x)*tanh(y)", "999/1000", marks=pytest.mark.slow)])
def test_against_balls(text, rho):
    pair = ak.E(text, (x, y), rho=rho)
    ball = ak.enclose(pair, 30)
    found = pair.evalf(25)
    with mpmath.workdps(40):
        assert abs(mpmath.mpf(str(found)) - mpmath.mpf(str(ball.mid))) < 1e-24


@pytest.mark.parametrize("digits", [10, 30, 60])
def test_against_a_closed_form(digits):
    """E sin(X) sin(Y) = exp(-1) sinh(r)."""
    pair = ak.E("sin(x)*sin(y)", (x, y), rho="2/3")
    mp = MultiprecisionNumbers(digits + 10).mp
    assert abs(lattice(pair, digits) - mp.exp(-1) * mp.sinh(mp.mpf(2) / 3)) < mp.mpf(10) ** -digits


def test_forms_that_no_lattice_serves_go_the_other_way():
    kinked = ak.E("abs(x)*tanh(y)**2", (x, y), rho="1/2")
    assert lattice(kinked, 15) is None
    joint = ak.E("1/(2+tanh(x*y))", (x, y))
    assert lattice(joint, 15) is None
    narrow = ak.E("tanh(x)*tanh(y)", (x, y), rho=1 - Rational(1, 10**9))
    assert lattice(narrow, 15) is None


@pytest.mark.slow
def test_kinked_pairs_by_nested_rules():
    kinked = ak.E("abs(x)*tanh(y)**2", (x, y), rho="1/2")
    with mpmath.workdps(20):
        half = mpmath.sqrt(3) / 2

        def inner(a):
            return abs(a) * mpmath.npdf(a) * mpmath.quad(lambda b: mpmath.tanh(a / 2 + half * b) ** 2 * mpmath.npdf(b),
                                                         [-9, 0, 9])

        expected = mpmath.quad(inner, [-9, 0, 9])
    assert abs(gaussian_value(kinked, 12) - expected) < 1e-11
